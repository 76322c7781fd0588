// Every shape on every shape and on the half-space, just touching, in the evaluator and in the stepper; steps with
// contact regions and with constraints: OpenCL gives the bits of native. tests/bits/check_oclgrind.sh takes these to
// the simulator oclgrind, which sees bad accesses.
#include "evaluate_fixture.h"
#include "joint_scenes.h"
#include "study_scenes.h"
#include "surface_scenes.h"

namespace {

// The simulator is a "gpu", and cannot inline what clang makes of structs by value.
const bool is_simulator = std::getenv("CLACK_TEST_OCLGRIND") != nullptr;
const char *const opencl_choice = is_simulator ? "gpu" : "cpu";
const char *const opencl_options = is_simulator ? "-cl-opt-disable -DFN_SHORT=FN" : nullptr;

// A scene of a study, of which each second body (collisions), or each (gallery), is moved along an axis until it
// touches what comes before it.
struct Touching {
    Loaded loaded;
    SceneDescription scene;
    std::vector<SceneBody> bodies;
    std::vector<UserState> states;
    std::vector<size_t> movers;

    Touching(const char *path, int axis, size_t each, double reach_m) : loaded(path), scene(loaded.take(3)) {
        bodies.assign(scene.bodies, scene.bodies + scene.body_count);
        scene.bodies = bodies.data();
        scene.end_s = scene.step_s = 1e-6;
        for (size_t b = each - 1; b < bodies.size(); b += each) {
            if (bodies[b].is_fixed) continue;
            movers.push_back(b);
            bodies[b].velocity_m_per_s[axis] = -0.1;
        }
        const Ran started = run_scenes(native_device(), {scene});
        for (size_t b = 0; b < bodies.size(); b++)
            states.push_back(stage_user_state(&started.batch.bodies[b], &started.batch.states[b]));
        bring_together(axis, reach_m);
    }

    // Bisection for the place where the signed distance to what comes before is 0: the last one overlaps.
    void bring_together(int axis, double reach_m) {
        Evaluator native(scene, evaluate_options(0.02));
        std::vector<double> low, high;
        for (const UserState &s : states) {
            low.push_back(s.position_m[axis] - reach_m);
            high.push_back(s.position_m[axis]);
        }
        for (int round = 0; round < 30; round++) {
            for (size_t b : movers) states[b].position_m[axis] = 0.5 * (low[b] + high[b]);
            const Contacts found = native.run(states);
            std::vector<double> least(bodies.size(), 1);
            for (size_t r = 0; r < found.row_count; r++) {
                double &d = least[found.rows[r].body_b];
                d = std::min(d, found.rows[r].distance_m);
            }
            for (size_t b : movers) (least[b] > 0 ? high : low)[b] = states[b].position_m[axis];
        }
        for (size_t b : movers) bodies[b].position_m[axis] = states[b].position_m[axis] = low[b];
    }

    void expect_same_contacts() {
        EvaluateOptions options = evaluate_options(0.02, false, 0, opencl_choice);
        options.where.build_options = opencl_options;
        Evaluator opencl(scene, options);
        if (opencl.is_absent()) GTEST_SKIP() << "no OpenCL device";
        const Contacts ours = Evaluator(scene, evaluate_options(0.02)).run(states);
        std::vector<uint32_t> touched(bodies.size(), 0);
        for (size_t r = 0; r < ours.row_count; r++) touched[ours.rows[r].body_b] |= ours.rows[r].normal_N > 0;
        for (size_t b : movers) EXPECT_TRUE(touched[b]) << bodies[b].name;
        EXPECT_TRUE(same_contacts(ours, opencl.run(states)));
    }

    void expect_same_steps() {
        DeviceHolder opencl(content_of_explicit_steps(), opencl_choice, is_simulator ? 2 : 0, 0, opencl_options);
        if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL device";
        Ran a = run_scenes(native_device(), {scene}), b = run_scenes(opencl.device, {scene});
        EXPECT_EQ(a.progress().status, STATUS_OK);
        EXPECT_GE(a.events_of_kind(EVENT_BEGIN).size(), movers.size());
        EXPECT_EQ(different_scenes(a, b, 1), 0u);
    }
};

struct Case {
    const char *path;
    int axis;
    size_t each, pairs;
    bool is_mpr;
    friend void PrintTo(const Case &here, std::ostream *out) { *out << here.path; } // not its bytes
};

class EveryPairBits : public testing::TestWithParam<Case> {
  protected:
    const Case &here = GetParam();
    Touching all{here.path, here.axis, here.each, 0.3};
    void SetUp() override {
        all.scene.use_mpr = here.is_mpr;
        EXPECT_EQ(all.movers.size(), here.pairs);
    }
};

TEST_P(EveryPairBits, Evaluator) { all.expect_same_contacts(); }
TEST_P(EveryPairBits, Stepper) { all.expect_same_steps(); }

INSTANTIATE_TEST_SUITE_P(Studies, EveryPairBits,
                         testing::Values(Case{"data/collisions.yaml", 0, 2, 36, false},
                                         Case{"data/collisions.yaml", 0, 2, 36, true},
                                         Case{"data/gallery.yaml", 2, 1, 10, false}),
                         [](const auto &here) {
                             const bool is_gallery = here.param.each == 1;
                             return std::string(is_gallery ? "gallery" : "collisions") +
                                    (here.param.is_mpr ? "_mpr" : "_exact");
                         });

// --- the trapezoidal rule -------------------------------------------------------------------------------

// All scenes on one device, whose build takes long.
TEST(TrapezoidalBits, StepsWithContactRegionsAndWithConstraints) {
    static const SceneMesh *const octahedron = regions::shared_mesh(meshes::octahedron(0.05));
    std::vector<SceneBuilder> builders{regions::surface_scene(REGION_CONSTANT, 0.5, 1e-3, 0.004)};
    builders[0].scene.gravity_m_per_s2[2] = -9.81;
    builders[0].ground();
    regions::surface_body(builders[0], octahedron, {0.01, 0, 0.0499});
    for (const unsigned seed : {0u, 1u, 5u, 9u}) {
        builders.push_back(random_mechanism(seed));
        builders.back().scene.end_s = 0.004;
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    DeviceHolder opencl(content_of_scenes(scenes), opencl_choice, is_simulator ? 2 : 0, 0, opencl_options);
    if (opencl.device == nullptr) GTEST_SKIP() << "no OpenCL device";
    Ran a = run_scenes(native_device(), scenes), b = run_scenes(opencl.device, scenes);
    for (uint32_t k = 0; k < scenes.size(); k++) EXPECT_EQ(a.progress(k).status, STATUS_OK);
    EXPECT_EQ(different_scenes(a, b, uint32_t(scenes.size())), 0u);
}

} // namespace
