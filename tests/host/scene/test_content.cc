// What a study is said to hold is all that its scenes hold, and kernels built for that alone give the same bits.
#include "content.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "random_scenes.h"
#include "study_fixture.h"
#include "study_scenes.h"

namespace {

const uint32_t planes_and_spheres = 1u << SHAPE_HALF_SPACE | 1u << SHAPE_SPHERE;

Content content_of(const char *path) {
    const Loaded loaded(path);
    return content_of_study(loaded.study, PROGRAM_ADVANCE);
}

TEST(ContentOfStudy, LeavesOutWhatNoSceneHas) {
    const Content ball = content_of("data/bouncing_sphere.yaml");
    EXPECT_EQ(ball.kinds, planes_and_spheres);
    EXPECT_EQ(ball.flags, 0u);
    EXPECT_EQ(ball.holds, CONTENT_WATCHES | CONTENT_FRAMES | CONTENT_ISLANDS); // it has rolling resistance
    EXPECT_EQ(content_of("data/dropped_sphere.yaml").holds, CONTENT_WATCHES);
    const Content ten = content_of("data/ten_spheres.yaml");
    EXPECT_EQ(ten.kinds, planes_and_spheres);
    EXPECT_EQ(ten.holds & ~CONTENT_WATCHES, CONTENT_FRAMES | CONTENT_BODIES | CONTENT_ISLANDS);
    const Content box = content_of("data/tumbling_box.yaml");
    EXPECT_EQ(box.kinds, 1u << SHAPE_HALF_SPACE | 1u << SHAPE_BOX);
    EXPECT_EQ(box.holds & ~CONTENT_WATCHES, CONTENT_FRAMES | CONTENT_SOLIDS | CONTENT_ISLANDS);
    EXPECT_EQ(content_of("data/orbit.yaml").flags & SCENE_POINT_GRAVITY, SCENE_POINT_GRAVITY);
    const uint32_t all = CONTENT_SOLIDS | CONTENT_SEARCH | CONTENT_SEVERAL | CONTENT_BODIES;
    EXPECT_EQ(content_of("data/collisions.yaml").holds & all, all);
}

// A number that is drawn may be any, also where the template has 0.
class ContentOfDrawn : public StudyFixture {};

TEST_F(ContentOfDrawn, KeepsWhatNumbersMayBring) {
    ASSERT_TRUE(read("{x: {uniform: [0, 1]}}", "shapes: [{sphere: {diameter: 0.1}, position: [$x, 0, 0]}]")) << told;
    EXPECT_EQ(content_of_study(study, PROGRAM_ADVANCE).holds, CONTENT_SOLIDS | CONTENT_ISLANDS);
    ASSERT_TRUE(read("{x: {uniform: [0, 1]}}", "shapes: [{sphere: {diameter: 0.1}}], position: [$x, 0, 0]")) << told;
    EXPECT_EQ(content_of_study(study, PROGRAM_ADVANCE).holds, 0u);
}

// One ball and one plane, and what makes contacts such as ball_contact.h does not step by both methods.
TEST_F(ContentOfDrawn, KnowsWhereBallContactsAreAll) {
    const auto holds = [&](const std::string &pair, const std::string &more = "", const std::string &solver = "") {
        EXPECT_TRUE(read_text("format: 1\nvariables: {x: {uniform: [0, 1]}}\nscene:\n  pairs: [{between: [steel, "
                              "steel], restitution: 0.5, "
                              "friction: 0.3" +
                              pair +
                              "}]\n  bodies:\n"
                              "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}" +
                              more +
                              "]}\n"
                              "    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [$x, 0, 1]}\n"
                              "design: {monte_carlo: {samples: 1}}\nsolver: {end: 0.1" +
                              solver + "}\n"))
            << told;
        return content_of_study(study, PROGRAM_ADVANCE).holds & CONTENT_ISLANDS;
    };
    EXPECT_EQ(holds(", rolling: 0"), 0u);
    EXPECT_NE(holds(", rolling: 0.001"), 0u);
    EXPECT_NE(holds(", rolling: $x"), 0u);
    EXPECT_NE(holds(", rolling: 0, friction_law: mindlin"), 0u);
    EXPECT_NE(holds(", rolling: 0", ", {half_space: {normal: [1, 0, 0], offset: -1}}"), 0u);
    EXPECT_NE(holds(", rolling: 0", "", ", method: rk4"), 0u);
}

bool every_body_is_there(const Batch &batch) {
    return std::none_of(batch.bodies, batch.bodies + batch.body_count,
                        [](const Body &body) { return body.flags & BODY_ABSENT; });
}

TEST(ContentOfStudy, CoversWhatIsStaged) {
    unsigned studies = 0;
    std::map<uint32_t, unsigned> needed;
    for (const std::string &name : data_studies()) {
        Loaded loaded("data/" + name);
        for (uint64_t k = 0; k < std::min<uint64_t>(8, loaded.study->design.scene_count); k++) {
            SceneDescription &scene = loaded.take(k);
            const Capacities room = stage_capacities(&scene);
            Batch batch{};
            ASSERT_EQ(stage_pack(loaded.study, &scene, &k, &room, 1, &batch, nullptr), CLACK_OK) << name;
            Content content = content_of_study(loaded.study, PROGRAM_ADVANCE);
            EXPECT_TRUE(content_covers(&content, &batch)) << name << " scene " << k;
            for (const uint32_t bit : {CONTENT_SEARCH, CONTENT_SEVERAL, CONTENT_ISLANDS}) {
                if ((content.holds & bit) == 0 || !every_body_is_there(batch)) continue;
                Content less = content;
                less.holds &= ~bit;
                needed[bit]++;
                EXPECT_FALSE(content_covers(&less, &batch)) << name << " scene " << k << ": without bit " << bit;
            }
            if (scene.shape_count > 0) {
                content.kinds &= ~(1u << loaded.study->scene.shapes[0].kind);
                EXPECT_FALSE(content_covers(&content, &batch)) << name << ": a kind less";
            }
            stage_free(&batch);
        }
        studies++;
    }
    EXPECT_GE(studies, 14u);
    EXPECT_GE(needed[CONTENT_SEARCH], 8u); // scenes: the comparison took place
    EXPECT_GE(needed[CONTENT_SEVERAL], 8u);
    EXPECT_GE(needed[CONTENT_ISLANDS], 8u);
}

// Two boxes of the same kinds, flags and bodies: only who ignores whom says whether a pair of solids is searched.
TEST_F(ContentOfDrawn, CoversPairsByWhoIgnoresWhom) {
    const auto read_boxes = [&](const std::string &ignored) {
        return read_text("format: 1\nscene:\n  ignore: [" + ignored +
                         "]\n  bodies:\n"
                         "    one: {material: steel, shapes: [{box: {lengths: [1, 1, 1]}}]}\n"
                         "    other: {material: steel, shapes: [{box: {lengths: [1, 1, 1]}}], position: [3, 0, 0]}\n"
                         "design: {monte_carlo: {samples: 1}}\nsolver: {end: 0.1}\n");
    };
    const auto covers = [&](const Content &content) {
        SceneDescription scene{};
        std::vector<double> drawn = values(0);
        EXPECT_EQ(sample_scene(study, drawn.data(), &scene, nullptr), CLACK_OK);
        const Capacities room = stage_capacities(&scene);
        const uint64_t number = 0;
        Batch batch{};
        EXPECT_EQ(stage_pack(study, &scene, &number, &room, 1, &batch, nullptr), CLACK_OK);
        const bool is_covered = content_covers(&content, &batch) != 0;
        stage_free(&batch);
        scene_free(&scene);
        return is_covered;
    };
    ASSERT_TRUE(read_boxes("[one, other]")) << told;
    const Content apart = content_of_study(study, PROGRAM_ADVANCE);
    EXPECT_EQ(apart.holds, CONTENT_SOLIDS | CONTENT_BODIES | CONTENT_ISLANDS);
    EXPECT_TRUE(covers(apart));
    ASSERT_TRUE(read_boxes("")) << told;
    const Content kinematics = content_of_study(study, PROGRAM_ADVANCE);
    EXPECT_EQ(kinematics.kinds, apart.kinds);
    EXPECT_EQ(kinematics.flags, apart.flags);
    EXPECT_EQ(kinematics.holds, apart.holds | CONTENT_SEARCH | CONTENT_SEVERAL);
    EXPECT_TRUE(covers(kinematics));
    EXPECT_FALSE(covers(apart));
}

// Two sharp solids overlap with their cores when they touch; of boxes, and by MPR, the way out is known without a
// search.
TEST_F(ContentOfDrawn, HasTheWayOutOfOverlapsForSharpPairsAlone) {
    const auto holds_overlaps = [&](const std::string &shape, const std::string &narrow_phase = "exact") {
        EXPECT_TRUE(read_text("format: 1\nscene:\n  bodies:\n"
                              "    one: {material: steel, shapes: [{" +
                              shape +
                              "}]}\n"
                              "    other: {material: steel, shapes: [{" +
                              shape +
                              "}], position: [3, 0, 0]}\n"
                              "design: {monte_carlo: {samples: 1}}\nsolver: {end: 0.1, narrow_phase: " +
                              narrow_phase + "}\n"))
            << told;
        const Content content = content_of_study(study, PROGRAM_ADVANCE);
        EXPECT_NE(content.holds & CONTENT_SEARCH, 0u) << shape;
        EXPECT_EQ(content_can_leave(&content), (content.holds & CONTENT_PENETRATION) == 0) << shape;
        const Content second = content_second(&content);
        EXPECT_FALSE(content_can_leave(&second)) << shape;
        const Content evaluated = content_of_study(study, PROGRAM_EVALUATE); // that knows of no scenes that leave
        EXPECT_FALSE(content_can_leave(&evaluated)) << shape;
        return (content.holds & CONTENT_PENETRATION) != 0;
    };
    EXPECT_TRUE(holds_overlaps("cylinder: {diameter: 1, length: 1, smoothing: 0}"));
    EXPECT_TRUE(holds_overlaps("hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], smoothing: 0}"));
    EXPECT_FALSE(holds_overlaps("cylinder: {diameter: 1, length: 1}"));
    EXPECT_FALSE(holds_overlaps("hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}"));
    EXPECT_FALSE(holds_overlaps("ellipsoid: {lengths: [1, 2, 3]}"));
    EXPECT_FALSE(holds_overlaps("box: {lengths: [1, 1, 1], smoothing: 0}"));
    EXPECT_FALSE(holds_overlaps("cylinder: {diameter: 1, length: 1, smoothing: 0}", "mpr"));
}

TEST(ContentOptions, NameWhatIsBuiltAndNothingForEverything) {
    char options[CONTENT_OPTIONS_BYTES];
    const Content everything = content_everything();
    content_print_options(&everything, options);
    EXPECT_STREQ(options, "");
    const Content some = {PROGRAM_ADVANCE, planes_and_spheres, SCENE_RK4, CONTENT_WATCHES, 0, 0};
    content_print_options(&some, options);
    EXPECT_STREQ(options, " -DBUILD_PROGRAMS=1u -DBUILD_KINDS=0x12u -DBUILD_FLAGS=0x8u -DBUILD_CONTENT=0x8u");
}

Device *open_for(const Content &content) {
    DeviceOptions options{};
    options.choice = "cpu";
    Device *device = nullptr;
    ClackReport report{};
    const ClackStatus status = device_open(&options, &content, &device, &report);
    if (status != CLACK_OK) device = nullptr;
    expect_open_or_absent(status, report);
    clack_report_clear(&report);
    return device;
}

struct Case {
    const char *name;
    unsigned scenes;
    double end_s;
    std::vector<ClackStudyOverride> set = {};
    uint32_t flag = 0; // that the build has by it
    const char *label = "";
    friend void PrintTo(const Case &here, std::ostream *out) { *out << here.name; }
};

class Specialised : public testing::TestWithParam<Case> {};

TEST_P(Specialised, KernelsGiveTheBitsOfNative) {
    const Case &here = GetParam();
    Loaded loaded(std::string("data/") + here.name + ".yaml", here.set);
    for (unsigned k = 0; k < here.scenes; k++) loaded.take(k).end_s = here.end_s;
    const Content content = content_of_study(loaded.study, PROGRAM_ADVANCE);
    EXPECT_EQ(content.flags & here.flag, here.flag);
    Device *device = open_for(content);
    if (device == nullptr) GTEST_SKIP() << "no OpenCL device";
    EXPECT_NE(std::string(device_build_options(device)).find("-DBUILD_KINDS="), std::string::npos);
    const Ran a = loaded.run(native_device()), b = loaded.run(device);
    EXPECT_GT(a.result.event_count + a.progress().substeps, 0u);
    EXPECT_EQ(different_scenes(a, b, here.scenes), 0u);
    EXPECT_EQ(b.result.second_count, 0u);
    device_close(device);
}

INSTANTIATE_TEST_SUITE_P(
    Studies, Specialised,
    testing::Values(
        Case{"bouncing_sphere", 16, 2}, Case{"dropped_sphere", 64, 1}, Case{"ten_spheres", 2, 0.4},
        Case{"tumbling_box", 8, 1}, Case{"orbit", 4, 20}, Case{"step", 8, 1}, Case{"rattleback", 1, 0.3},
        Case{"collisions", 1, 1},
        Case{"tumbling_box", 4, 1, {{"scene.pairs[0].friction_law", "mindlin"}}, SCENE_SPRINGS, "_with_springs"},
        Case{"collisions", 1, 0.4, {{"scene.contacts", "single"}}, SCENE_SINGLE_CONTACT, "_with_single_contacts"},
        Case{"collisions", 1, 0.4, {{"solver.narrow_phase", "mpr"}}, SCENE_NARROW_MPR, "_with_mpr"}),
    [](const auto &here) { return std::string(here.param.name) + here.param.label; });

TEST(SpecialisedDevice, RefusesScenesAndKernelsThatItWasNotBuiltFor) {
    Loaded ball("data/bouncing_sphere.yaml"), box("data/tumbling_box.yaml");
    Device *device = open_for(content_of_study(ball.study, PROGRAM_ADVANCE));
    if (device == nullptr) GTEST_SKIP() << "no OpenCL device";
    const SceneDescription &scene = box.take(0);
    const Capacities room = stage_capacities(&scene);
    const uint64_t number = 0;
    Batch batch{};
    BatchResult result{};
    ClackReport report{};
    ASSERT_EQ(stage_pack(box.study, &scene, &number, &room, 1, &batch, &report), CLACK_OK);
    EXPECT_EQ(stepper_run(device, box.study, &scene, &batch, nullptr, &result, &report), CLACK_INTERNAL);
    DeviceBuffer *buffers[3] = {};
    EXPECT_EQ(device_launch(device, KERNEL_probe_stream, buffers, 1, &report), CLACK_INTERNAL);
    ASSERT_EQ(report.count, 2u);
    EXPECT_NE(std::string(report.lines[0]).find("BUILD_KINDS=0x12u"), std::string::npos) << report.lines[0];
    EXPECT_NE(std::string(report.lines[1]).find("probe_stream"), std::string::npos) << report.lines[1];
    clack_report_clear(&report);
    stepper_result_free(&result);
    stage_free(&batch);
    device_close(device);
}

} // namespace
