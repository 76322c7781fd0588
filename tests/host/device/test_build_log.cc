// Registers and spills out of compilers' logs.
#include "build_log.h"

#include <gtest/gtest.h>
#include <string>

namespace {

const char NVIDIA[] = R"(ptxas info    : 0 bytes gmem, 1024 bytes cmem[3]
ptxas info    : Compiling entry function 'advance' for 'sm_90'
ptxas info    : Function properties for advance
    408 bytes stack frame, 380 bytes spill stores, 400 bytes spill loads
ptxas info    : Function properties for triangle_nearest
    0 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 408 bytes cumulative stack size, 512 bytes cmem[0]
ptxas info    : Compiling entry function 'probe_fma' for 'sm_90'
ptxas info    : Function properties for probe_fma
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 76 registers, 376 bytes cmem[0])";

TEST(BuildLog, KernelsOfNvidia) {
    BuildLogKernel kernels[4];
    ASSERT_EQ(build_log_kernels(NVIDIA, kernels, 4), 2u);
    EXPECT_STREQ(kernels[0].name, "advance");
    EXPECT_EQ(kernels[0].registers, 255u);
    EXPECT_EQ(kernels[0].stack_bytes, 408u);
    EXPECT_EQ(kernels[0].spill_store_bytes, 400u);
    EXPECT_EQ(kernels[0].spill_load_bytes, 424u);
    EXPECT_STREQ(kernels[1].name, "probe_fma");
    EXPECT_EQ(kernels[1].registers, 76u);
    EXPECT_EQ(kernels[1].stack_bytes + kernels[1].spill_store_bytes + kernels[1].spill_load_bytes, 0u);
}

TEST(BuildLog, NoMoreThanThereIsRoomFor) {
    BuildLogKernel kernel{};
    EXPECT_EQ(build_log_kernels(NVIDIA, &kernel, 1), 1u);
    EXPECT_EQ(kernel.registers, 255u);
}

TEST(BuildLog, OtherLogsHaveNone) {
    BuildLogKernel kernels[4];
    for (const std::string log : {"", "\n", "\n\n", "Device pthread: program build: 3 warnings\n",
                                  "    1 bytes stack frame, 2 bytes spill stores, 3 bytes spill loads\n"})
        EXPECT_EQ(build_log_kernels(log.c_str(), kernels, 4), 0u) << log;
}

} // namespace
