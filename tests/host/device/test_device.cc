// Devices: buffers, launches, the handshake, builds and their cache, choice. On native, and on an OpenCL
// device where there is one (PoCL counts).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <unistd.h>

#include "stepper.h"
#include "device_internal.h"
#include "model/evaluate_types.h"
#include "model/region_types.h"

namespace {

namespace fs = std::filesystem;

// A report that frees itself, and its lines as one text.
struct Report : ClackReport {
    Report() : ClackReport{} {}
    ~Report() { clack_report_clear(this); }
    std::string text() const {
        std::string all;
        for (size_t i = 0; i < count; i++) all += std::string(lines[i]) + "\n";
        return all;
    }
};

// An environment variable for the length of a test.
struct Variable {
    std::string name, before;
    bool was_set;
    Variable(const char *name_, const std::string &value) : name(name_) {
        const char *old = getenv(name_);
        was_set = old != nullptr;
        before = was_set ? old : "";
        setenv(name_, value.c_str(), 1);
    }
    ~Variable() {
        if (was_set)
            setenv(name.c_str(), before.c_str(), 1);
        else
            unsetenv(name.c_str());
    }
};

struct Folder {
    fs::path path;
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "clack test XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path); }
};

// Devices as such: kernels for scenes, which a GPU's compiler takes long for, are not among what is built.
ClackStatus open_device(const DeviceOptions *options, Device **out_device, ClackReport *report) {
    const Content content = {PROGRAM_PROBE, 0, 0, 0, 0, 0};
    return device_open(options, &content, out_device, report);
}

// The first usable OpenCL device; -1: none.
int first_opencl() {
    DeviceInfo *infos = nullptr;
    size_t count = 0;
    int index = -1;
    if (device_list(&infos, &count, nullptr) != CLACK_OK) return -1;
    for (size_t i = 0; i < count && index < 0; i++) {
        if (infos[i].index >= 0 && infos[i].unusable_because[0] == '\0') index = infos[i].index;
    }
    free(infos);
    return index;
}

#define NEED_OPENCL()                                                                                                  \
    const int opencl_index = first_opencl();                                                                           \
    if (opencl_index < 0) GTEST_SKIP() << "no OpenCL device";                                                          \
    const std::string opencl = std::to_string(opencl_index)

DeviceOptions options_for(const std::string &choice) {
    DeviceOptions options{};
    options.choice = choice.c_str();
    return options;
}

class AnyDevice : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        choice = GetParam();
        if (choice == "opencl") {
            const int index = first_opencl();
            if (index < 0) GTEST_SKIP() << "no OpenCL device";
            choice = std::to_string(index);
        }
        const DeviceOptions options = options_for(choice);
        ASSERT_EQ(open_device(&options, &device, &report), CLACK_OK) << report.text();
    }
    void TearDown() override { device_close(device); }
    std::string choice;
    Device *device = nullptr;
    Report report;
};
INSTANTIATE_TEST_SUITE_P(Device, AnyDevice, testing::Values("native", "opencl"),
                         [](const auto &name) { return std::string(name.param); });

TEST_P(AnyDevice, BuffersAreZeroAndKeepWhatIsWritten) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{4096}, size_t{1000003}}) {
        DeviceBuffer *buffer = nullptr;
        ASSERT_EQ(device_buffer_create(device, size, &buffer, &report), CLACK_OK) << report.text();
        std::vector<unsigned char> got(size == 0 ? 1 : size, 0xAA), want(got.size(), 0);
        ASSERT_EQ(device_buffer_read(device, buffer, 0, got.size(), got.data(), &report), CLACK_OK);
        EXPECT_EQ(got, want) << size << " bytes";
        for (size_t i = 0; i < want.size(); i++) want[i] = static_cast<unsigned char>(i * 31 + 5);
        const size_t half = want.size() / 2;
        ASSERT_EQ(device_buffer_write(device, buffer, 0, half, want.data(), &report), CLACK_OK);
        ASSERT_EQ(device_buffer_write(device, buffer, half, want.size() - half, want.data() + half, &report), CLACK_OK);
        ASSERT_EQ(device_buffer_read(device, buffer, 0, got.size(), got.data(), &report), CLACK_OK);
        EXPECT_EQ(got, want) << size << " bytes";
        device_buffer_free(device, buffer);
    }
    device_buffer_free(device, nullptr);
}

// More than is filled by one call. tests/faults/check_odd_devices.py runs it with fills that are not done.
TEST_P(AnyDevice, LargeBuffersAreZeroToTheirEnds) {
    const size_t piece = size_t{1} << 30, size = 2 * piece + 24;
    const uint64_t most = device_info(device)->max_allocation_bytes;
    if (most != 0 && most < size) GTEST_SKIP() << "its buffers are smaller";
    DeviceBuffer *buffer = nullptr;
    ASSERT_EQ(device_buffer_create(device, size, &buffer, &report), CLACK_OK) << report.text();
    for (const size_t at : {size_t{0}, piece - 16, piece, 2 * piece - 16, 2 * piece, size - 16}) {
        unsigned char got[16] = {1}, want[16] = {};
        ASSERT_EQ(device_buffer_read(device, buffer, at, sizeof got, got, &report), CLACK_OK) << report.text();
        EXPECT_EQ(memcmp(got, want, sizeof got), 0) << "at byte " << at;
    }
    device_buffer_free(device, buffer);
}

TEST_P(AnyDevice, RangeOutsideABufferIsRefused) {
    DeviceBuffer *buffer = nullptr;
    unsigned char bytes[32] = {};
    ASSERT_EQ(device_buffer_create(device, 16, &buffer, &report), CLACK_OK);
    EXPECT_EQ(device_buffer_write(device, buffer, 0, 17, bytes, &report), CLACK_INTERNAL);
    EXPECT_EQ(device_buffer_read(device, buffer, 16, 1, bytes, &report), CLACK_INTERNAL);
    EXPECT_EQ(device_buffer_read(device, buffer, SIZE_MAX, 2, bytes, &report), CLACK_INTERNAL);
    EXPECT_EQ(device_buffer_read(device, buffer, 16, 0, bytes, &report), CLACK_OK);
    device_buffer_free(device, buffer);
}

TEST_P(AnyDevice, LayoutReportsTheHostsSizes) {
    DeviceBuffer *buffer = nullptr;
    uint32_t sizes[40] = {};
    ASSERT_EQ(device_buffer_create(device, sizeof sizes, &buffer, &report), CLACK_OK);
    ASSERT_EQ(device_launch(device, KERNEL_layout, &buffer, 1, &report), CLACK_OK) << report.text();
    ASSERT_EQ(device_buffer_read(device, buffer, 0, sizeof sizes, sizes, &report), CLACK_OK);
    EXPECT_EQ(sizes[0], sizeof(Vec3));
    EXPECT_EQ(sizes[6], sizeof(Scene));
    EXPECT_EQ(sizes[10], sizeof(Extreme));
    EXPECT_EQ(sizes[11], sizeof(HullRow));
    EXPECT_EQ(sizes[12], sizeof(ContactRow));
    EXPECT_EQ(sizes[16], sizeof(PairContact));
    EXPECT_EQ(sizes[28], sizeof(RegionRow));
    EXPECT_EQ(sizes[31], sizeof(FunctionRow));
    EXPECT_EQ(sizes[32], sizeof(RegionLaw));
    EXPECT_EQ(sizes[33], sizeof(RegionPoint));
    EXPECT_EQ(sizes[34], 0u);
    device_buffer_free(device, buffer);
}

TEST_P(AnyDevice, LaunchOfNothingDoesNothing) {
    DeviceBuffer *buffer = nullptr;
    uint32_t sizes[40] = {};
    ASSERT_EQ(device_buffer_create(device, sizeof sizes, &buffer, &report), CLACK_OK);
    ASSERT_EQ(device_launch(device, KERNEL_layout, &buffer, 0, &report), CLACK_OK);
    ASSERT_EQ(device_buffer_read(device, buffer, 0, sizeof sizes, sizes, &report), CLACK_OK);
    EXPECT_EQ(sizes[0], 0u);
    device_buffer_free(device, buffer);
}

TEST_P(AnyDevice, SaysWhatItIs) {
    const DeviceInfo *info = device_info(device);
    EXPECT_NE(std::string(info->name), "");
    EXPECT_EQ(info->has_fp64, 1);
    EXPECT_GT(info->compute_units, 0u);
    EXPECT_GT(info->global_memory_bytes, 0u);
    EXPECT_EQ(device_items(device).scene, 1u);
    EXPECT_NE(std::string(device_build_options(device)), "");
    EXPECT_EQ(device_ran_out_of_memory(device), 0);
}

TEST_P(AnyDevice, TooLargeABufferIsADeviceErrorWithItsSize) {
    const size_t size = size_t{1} << 60;
    DeviceBuffer *buffer = nullptr;
    EXPECT_EQ(device_buffer_create(device, size, &buffer, &report), CLACK_DEVICE);
    EXPECT_NE(report.text().find(std::to_string(size)), std::string::npos) << report.text();
    EXPECT_EQ(device_ran_out_of_memory(device), 1);
    EXPECT_EQ(device_ran_out_of_memory(device), 0);
}

TEST(Native, AnyNumberOfThreadsRunsALaunch) {
    for (const uint32_t threads : {1u, 2u, 3u, 16u}) {
        DeviceOptions options{};
        options.choice = "native";
        options.threads = threads;
        Device *device = nullptr;
        Report report;
        ASSERT_EQ(open_device(&options, &device, &report), CLACK_OK) << report.text();
        EXPECT_EQ(device_info(device)->compute_units, threads);
        DeviceBuffer *buffer = nullptr;
        ASSERT_EQ(device_buffer_create(device, 256, &buffer, &report), CLACK_OK);
        for (int i = 0; i < 200; i++) {
            // Work-items at and above `count` do nothing; here only the first has work of its own, but
            // all of them are claimed by the pool.
            ASSERT_EQ(device_launch(device, KERNEL_layout, &buffer, 1, &report), CLACK_OK);
        }
        device_buffer_free(device, buffer);
        device_close(device);
    }
}

TEST(StepperSceneItems, AreAWarpForFewScenesOfManyBodiesOnAGpu) {
    DeviceInfo gpu{}, cpu{};
    gpu.is_gpu = 1;
    gpu.compute_units = cpu.compute_units = 100;
    EXPECT_EQ(stepper_scene_items(&gpu, 100, 1), 32u);
    EXPECT_EQ(stepper_scene_items(&gpu, 32, 3200), 32u);
    EXPECT_EQ(stepper_scene_items(&gpu, 32, 3201), 1u); // these fill it
    EXPECT_EQ(stepper_scene_items(&gpu, 31, 1), 1u);    // too few to share
    EXPECT_EQ(stepper_scene_items(&gpu, 100, 0), 1u);   // not known
    EXPECT_EQ(stepper_scene_items(&cpu, 100, 1), 1u);
    cpu.warp_items = 8; // as PoCL tells
    EXPECT_EQ(stepper_scene_items(&cpu, 100, 1), 1u);
}

TEST(StepperSceneItems, AreTheDevicesOwnWarp) {
    DeviceInfo gpu{};
    gpu.is_gpu = 1;
    gpu.compute_units = 100;
    for (const uint32_t warp : {8u, 16u, 32u, 64u}) {
        gpu.warp_items = warp;
        gpu.group_items_most = 256;
        EXPECT_EQ(stepper_scene_items(&gpu, warp, 1), warp);
        EXPECT_EQ(stepper_scene_items(&gpu, warp - 1, 1), 1u);
        gpu.group_items_most = warp - 1; // no group of it holds one
        EXPECT_EQ(stepper_scene_items(&gpu, 100, 1), 1u);
    }
}

TEST(StepperItemCount, GroupsHaveAWarpsSlotsEachAtLeast) {
    DeviceInfo gpu{};
    gpu.is_gpu = 1;
    gpu.compute_units = 100;
    const DeviceItems items = {1, 256};
    EXPECT_EQ(stepper_item_count(&gpu, items, 640), 20u * 256);
    gpu.warp_items = 64;
    EXPECT_EQ(stepper_item_count(&gpu, items, 640), 10u * 256);
    EXPECT_EQ(stepper_item_count(&gpu, items, 1000000), 245u * 256); // no more than 4,096 slots each
}

TEST(StepperSlotCount, QueuesHaveSixteenSlotsAnItemInAQuarterOfTheMemory) {
    DeviceInfo gpu{};
    gpu.is_gpu = 1;
    gpu.compute_units = 10;
    const SlotRoom room = {2, 3, 4, 4, 64, 0, 0, 0, 0, 0};
    const uint64_t bytes = stepper_slot_bytes(room, 256);
    gpu.global_memory_bytes = 1000000 * bytes;
    EXPECT_EQ(stepper_slot_count(&gpu, 0, room, 1000000), 10u * 256);
    EXPECT_EQ(stepper_slot_count(&gpu, 256, room, 1000000), 10u * 256 * 16);
    EXPECT_EQ(stepper_slot_count(&gpu, 64, room, 1000000), 10u * 256 * 16);
    EXPECT_EQ(stepper_slot_count(&gpu, 256, room, 1000), 1000u);
    gpu.global_memory_bytes = 4000 * bytes;
    EXPECT_EQ(stepper_slot_count(&gpu, 256, room, 1000000), 1000u);
}

TEST(Native, RefusesSeveralLanes) {
    DeviceOptions options{};
    options.choice = "native";
    options.lanes = 4;
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_device(&options, &device, &report), CLACK_USAGE);
    EXPECT_NE(report.text().find("1 lane"), std::string::npos) << report.text();
}

TEST(Choice, UnknownDevicesAreAUsageErrorThatNamesThoseThereAre) {
    for (const char *choice : {"fpga", "99", "-1", "0x0", "", "native "}) {
        DeviceOptions options{};
        options.choice = choice;
        Device *device = nullptr;
        Report report;
        EXPECT_EQ(open_device(&options, &device, &report), CLACK_USAGE) << choice;
        EXPECT_NE(report.text().find("native"), std::string::npos) << report.text();
        EXPECT_NE(report.text().find(std::string("\"") + choice + "\""), std::string::npos) << report.text();
    }
}

TEST(Choice, NativeIsListedFirst) {
    DeviceInfo *infos = nullptr;
    size_t count = 0;
    Report report;
    ASSERT_EQ(device_list(&infos, &count, &report), CLACK_OK) << report.text();
    ASSERT_GE(count, 1u);
    EXPECT_EQ(infos[0].index, -1);
    EXPECT_EQ(std::string(infos[0].platform), "native");
    for (size_t i = 1; i < count; i++) EXPECT_EQ(infos[i].index, static_cast<int>(i) - 1);
    free(infos);
}

TEST(Choice, DefaultIsAGpuElseNative) {
    DeviceInfo *infos = nullptr;
    size_t count = 0;
    ASSERT_EQ(device_list(&infos, &count, nullptr), CLACK_OK);
    int want = -1;
    for (size_t i = count; i-- > 1;) {
        if (infos[i].is_gpu && infos[i].unusable_because[0] == '\0') want = infos[i].index;
    }
    free(infos);
    Device *device = nullptr;
    Report report;
    ASSERT_EQ(open_device(nullptr, &device, &report), CLACK_OK) << report.text();
    EXPECT_EQ(device_info(device)->index, want);
    device_close(device);
}

TEST(Handshake, EveryDifferentSizeIsNamed) {
    uint32_t sizes[34] = {};
    Report report;
    EXPECT_EQ(device_compare_layout(sizes, 34, &report), CLACK_DEVICE);
    EXPECT_EQ(report.count, 34u);
    EXPECT_NE(
        report.text().find("struct Scene has 0 bytes on the device, " + std::to_string(sizeof(Scene)) + " on the host"),
        std::string::npos)
        << report.text();
}

// --- OpenCL builds --------------------------------------------------------------------------------

TEST(OpenclBuild, WrongOptionsGiveTheCompilersLog) {
    NEED_OPENCL();
    DeviceOptions options = options_for(opencl);
    options.build_options = "-DSCENE_ITEMS=nonsense";
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_device(&options, &device, &report), CLACK_DEVICE);
    EXPECT_NE(report.text().find("clBuildProgram"), std::string::npos) << report.text();
    EXPECT_NE(report.text().find("build log"), std::string::npos) << report.text();
    EXPECT_NE(report.text().find("-DSCENE_ITEMS=nonsense"), std::string::npos) << report.text();
}

TEST(OpenclBuild, LogIsThereWhenAskedFor) {
    NEED_OPENCL();
    DeviceOptions options = options_for(opencl);
    options.dump_build_log = 1;
    Device *device = nullptr;
    Report report;
    ASSERT_EQ(open_device(&options, &device, &report), CLACK_OK) << report.text();
    EXPECT_NE(std::string(device_build_options(device)).find("-cl-std=CL1.2 -DSCENE_ITEMS=1"), std::string::npos);
    device_close(device);
}

// --- compilers that take long ---------------------------------------------------------------------

// Options that no cache has, so that compiling takes its time.
std::string options_anew() {
    static int calls = 0;
    return "-DANEW=" + std::to_string(getpid()) + std::to_string(calls++);
}

void wait_for_builds() { // their threads free what they use: for valgrind and the sanitizers
    for (int tenths = 0; tenths < 6000 && clack_builds_left() > 0; tenths++) usleep(100000);
    EXPECT_EQ(clack_builds_left(), 0u);
}

ClackStatus open_slow(DeviceOptions *options, Device **out_device, ClackReport *report) {
    const Content content = {PROGRAM_ADVANCE, 1u << SHAPE_HALF_SPACE | 1u << SHAPE_SPHERE, 0, 0, 0, 0}; // a second
    return device_open(options, &content, out_device, report);
}

TEST(OpenclBuild, IsGivenUpAfterTheLimitAndEndsByItself) {
    NEED_OPENCL();
    const Variable limit("CLACK_BUILD_LIMIT", "0.2");
    const std::string anew = options_anew();
    DeviceOptions options = options_for(opencl);
    options.build_options = anew.c_str();
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_slow(&options, &device, &report), CLACK_DEVICE);
    EXPECT_NE(report.text().find("CLACK_BUILD_LIMIT"), std::string::npos) << report.text();
    EXPECT_NE(report.text().find("-d native"), std::string::npos) << report.text();
    EXPECT_EQ(device, nullptr);
    EXPECT_EQ(clack_builds_left(), 1u);
    wait_for_builds();
}

struct Told {
    int polls = 0, stops_at = 0, ended = 0, given_up = 0; // polls: of the present compilation
    double elapsed_s = 0;
};

int write_down(void *context, const ClackBuild *build) {
    Told *told = static_cast<Told *>(context);
    EXPECT_GE(build->elapsed_s, told->elapsed_s);
    EXPECT_LT(build->elapsed_s, 60);
    EXPECT_EQ(build->limit_s, 600);
    told->ended += build->is_ended;
    told->given_up += build->is_given_up;
    told->polls = build->is_ended ? 0 : told->polls + 1;
    told->elapsed_s = build->is_ended ? 0 : build->elapsed_s;
    return told->polls > 0 && told->polls == told->stops_at;
}

TEST(OpenclBuild, IsToldOfAndStopped) {
    NEED_OPENCL();
    const std::string anew = options_anew();
    DeviceOptions options = options_for(opencl);
    Told told;
    told.stops_at = 3;
    options.build_options = anew.c_str();
    options.on_build = write_down;
    options.build_context = &told;
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_slow(&options, &device, &report), CLACK_INTERRUPTED);
    EXPECT_EQ(report.count, 0u) << report.text();
    EXPECT_EQ(told.polls, 0); // the last call says that it has ended
    EXPECT_GE(told.ended, 1); // that of its arithmetic, or of all kernels after it
    EXPECT_LE(told.ended, 2);
    EXPECT_EQ(told.given_up, 0);
    EXPECT_EQ(clack_builds_left(), 1u);
    wait_for_builds();
    told = Told{};
    ASSERT_EQ(open_device(&options, &device, &report), CLACK_OK) << report.text();
    EXPECT_EQ(told.ended, 2); // that of its arithmetic, and that of all kernels
    device_close(device);
}

TEST(OpenclBuild, WrongLimitsAreRefused) {
    NEED_OPENCL();
    for (const char *text : {"x", "-1", "nan", "10 s", "1e999"}) {
        const Variable limit("CLACK_BUILD_LIMIT", text);
        DeviceOptions options = options_for(opencl);
        Device *device = nullptr;
        Report report;
        EXPECT_EQ(open_device(&options, &device, &report), CLACK_USAGE) << text;
        EXPECT_NE(report.text().find(text), std::string::npos) << report.text();
    }
}

// --- the cache ------------------------------------------------------------------------------------

std::vector<fs::path> files_in(const fs::path &folder) {
    std::vector<fs::path> files;
    if (!fs::exists(folder)) return files;
    for (const auto &entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    return files;
}

std::string read_file(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path &path, const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

::testing::AssertionResult opens(const DeviceOptions &options) {
    Device *device = nullptr;
    Report report;
    if (open_device(&options, &device, &report) != CLACK_OK) {
        return ::testing::AssertionFailure() << report.text();
    }
    device_close(device);
    return ::testing::AssertionSuccess();
}

TEST(OpenclCache, IsFilledUsedAndRepaired) {
    NEED_OPENCL();
    const Folder folder;
    const fs::path cache = folder.path / "deep" / "cache";
    const Variable variable("CLACK_CACHE_DIR", cache.string()), kept("CLACK_CACHE", "1");
    const DeviceOptions options = options_for(opencl);
    ASSERT_TRUE(opens(options));
    ASSERT_EQ(files_in(cache).size(), 2u) << "of the kernels and of probe_exact, no temporary file left";
    for (const fs::path &entry : files_in(cache)) {
        const std::string sound = read_file(entry);
        const auto written = fs::last_write_time(entry);
        ASSERT_TRUE(opens(options));
        EXPECT_EQ(fs::last_write_time(entry), written) << "a hit does not write";

        // Each kind of damage is found and the entry made anew.
        std::string flipped = sound;
        flipped[sound.size() / 2] = static_cast<char>(flipped[sound.size() / 2] ^ 1);
        std::string other_key = sound;
        other_key[12] = static_cast<char>(other_key[12] ^ 1);
        for (const std::string &damaged :
             {std::string(), std::string("nonsense"), sound.substr(0, sound.size() / 2), flipped, other_key}) {
            write_file(entry, damaged);
            ASSERT_TRUE(opens(options));
            EXPECT_GT(read_file(entry).size(), sound.size() / 2);
            EXPECT_NE(read_file(entry), damaged);
        }
    }
}

TEST(OpenclCache, OtherOptionsAreAnotherEntry) {
    NEED_OPENCL();
    const Folder folder;
    const Variable variable("CLACK_CACHE_DIR", folder.path.string()), kept("CLACK_CACHE", "1");
    DeviceOptions options = options_for(opencl);
    ASSERT_TRUE(opens(options));
    options.build_options = "-DJIT_UNUSED=1";
    ASSERT_TRUE(opens(options));
    EXPECT_EQ(files_in(folder.path).size(), 4u); // of the kernels and of probe_exact
}

TEST(OpenclCache, CanBeSwitchedOffOrBeImpossible) {
    NEED_OPENCL();
    const Folder folder;
    const DeviceOptions options = options_for(opencl);
    {
        const Variable variable("CLACK_CACHE_DIR", folder.path.string());
        const Variable off("CLACK_CACHE", "0");
        ASSERT_TRUE(opens(options));
        EXPECT_EQ(files_in(folder.path).size(), 0u);
    }
    const Variable impossible("CLACK_CACHE_DIR", "/dev/null/cache"), kept("CLACK_CACHE", "1");
    EXPECT_TRUE(opens(options));
}

void copy_kernels(const fs::path &to) {
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "kernels", to, fs::copy_options::recursive);
}

TEST(OpenclKernelDir, LoadsFromDiskAndNamesTheLineOfAMistake) {
    NEED_OPENCL();
    const Folder folder;
    copy_kernels(folder.path);
    const Variable variable("CLACK_KERNEL_DIR", folder.path.string());
    const DeviceOptions options = options_for(opencl);
    EXPECT_TRUE(opens(options));
    const std::string vec3 = read_file(folder.path / "base" / "vec3.h");
    const size_t at = vec3.find("return v;");
    ASSERT_NE(at, std::string::npos);
    const auto line = std::count(vec3.begin(), vec3.begin() + static_cast<long>(at), '\n') + 1;
    write_file(folder.path / "base" / "vec3.h", std::string(vec3).replace(at, 9, "return w;"));
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_device(&options, &device, &report), CLACK_DEVICE);
    EXPECT_NE(report.text().find("vec3.h:" + std::to_string(line) + ":"), std::string::npos) << report.text();
}

TEST(OpenclKernelDir, KernelsThatDoNotBelongAreRefused) {
    NEED_OPENCL();
    const Folder folder;
    copy_kernels(folder.path);
    const Variable variable("CLACK_KERNEL_DIR", folder.path.string());
    std::string layout = read_file(folder.path / "evaluate" / "layout.cl");
    const std::string row = "(u32)sizeof(Scene)";
    ASSERT_NE(layout.find(row), std::string::npos);
    write_file(folder.path / "evaluate" / "layout.cl", layout.replace(layout.find(row), row.size(), "12u"));
    const DeviceOptions options = options_for(opencl);
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_device(&options, &device, &report), CLACK_DEVICE);
    EXPECT_NE(report.text().find("struct Scene has 12 bytes on the device, " + std::to_string(sizeof(Scene)) +
                                 " on the host"),
              std::string::npos)
        << report.text();
}

TEST(OpenclKernelDir, MissingFolderIsNamed) {
    NEED_OPENCL();
    const Variable variable("CLACK_KERNEL_DIR", "/nowhere/kernels");
    const DeviceOptions options = options_for(opencl);
    Device *device = nullptr;
    Report report;
    EXPECT_EQ(open_device(&options, &device, &report), CLACK_IO);
    EXPECT_NE(report.text().find("/nowhere/kernels/"), std::string::npos) << report.text();
}

} // namespace
