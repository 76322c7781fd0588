// Groups of work-items of an OpenCL device that serve scenes from queues: native's bits.
#include "falling_pairs.h"
#include "joint_scenes.h"
#include "study_scenes.h"

namespace {

Content without(uint32_t flags) {
    Content content = content_everything();
    content.flags &= ~flags;
    return content;
}

void expect_native_bits(std::vector<SceneBuilder> builders, const Content &content) {
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran a = run_scenes(native_device(), scenes);
    DeviceHolder cpu(content, "cpu", 0, 0, nullptr, 16);
    if (cpu.device == nullptr) GTEST_SKIP() << "no OpenCL CPU";
    EXPECT_NE(std::string(device_build_options(cpu.device)).find("-DQUEUE_ITEMS=16"), std::string::npos);
    Ran b = run_scenes(cpu.device, scenes);
    EXPECT_GT(a.result.event_count, 0u);
    EXPECT_EQ(different_scenes(a, b, uint32_t(scenes.size())), 0u);
}

// Steps of the other methods take minutes to compile beside these.
TEST(QueuesOnOpenCl, RandomScenes) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 300; k++) builders.push_back(random_scene(k));
    expect_native_bits(builders, without(SCENE_RK4 | SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID));
}

std::string error_of(const char *choice, uint32_t lanes, uint32_t queue_items) {
    DeviceOptions options{};
    options.choice = choice;
    options.lanes = lanes;
    options.queue_items = queue_items;
    Device *device = nullptr;
    ClackReport report{};
    const Content content = content_everything();
    const ClackStatus status = device_open(&options, &content, &device, &report);
    const std::string line = status != CLACK_OK && report.count > 0 ? report.lines[0] : "";
    if (device != nullptr) device_close(device);
    clack_report_clear(&report);
    return line;
}

TEST(QueuesOnOpenCl, WhatCannotBe) {
    EXPECT_NE(error_of("native", 0, 16).find("the native device has none"), std::string::npos);
    if (DeviceHolder(Content{PROGRAM_PROBE, 0, 0, 0, 0, 0}, "cpu").device == nullptr) GTEST_SKIP() << "no OpenCL CPU";
    EXPECT_NE(error_of("cpu", 0, 513).find("at most 512 work-items, found 513"), std::string::npos);
    EXPECT_NE(error_of("cpu", 4, 16).find("with 4 lanes"), std::string::npos);
}

} // namespace
