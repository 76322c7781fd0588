// Workload W3, a box tumbling over a half-space on its rounded corners, against converged reference states
// computed by two other methods (spec stepper 6): predictable, not chaotic, over one second.
#include "study_scenes.h"

namespace {

uint64_t split_mix(uint64_t &state) {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
double unit_uniform(uint64_t &state) { return double(split_mix(state) >> 11) * 0x1p-53; }

SceneBuilder tumbling_box(unsigned k, double end_s) {
    SceneBuilder b;
    b.material(2e11, 0.3, 7850);
    b.pair(0, 0, 0.5, 0.5);
    b.scene.end_s = end_s;
    b.ground();
    SceneBody &body = b.body("box", false, {0, 0, 0.4});
    body.velocity_m_per_s[0] = 1;
    body.angular_velocity_rad_per_s[0] = 5;
    body.angular_velocity_rad_per_s[1] = 3;
    body.angular_velocity_rad_per_s[2] = 7;
    uint64_t state = 3000 + k;
    const double a = unit_uniform(state), p = 2 * M_PI * unit_uniform(state),
                 c = 2 * M_PI * unit_uniform(state);
    body.rotation.kind = ROTATION_QUATERNION;
    const double q[4] = {std::sqrt(a) * std::cos(c), std::sqrt(1 - a) * std::sin(p),
                         std::sqrt(1 - a) * std::cos(p), std::sqrt(a) * std::sin(c)};
    for (int i = 0; i < 4; i++) body.rotation.value[i] = q[i];
    SceneShape &shape = b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    shape.smoothing_m = 1e-3;
    shape.contact_radius_m = 1e-3;
    return b;
}

struct Anchor {
    unsigned k;
    double t;
    unsigned begun;
    double x, y, z, spin;
};
const Anchor ANCHORS[] = {{0, 0.5, 4, 0.143778918, 0.052770513, 0.091147673, 2.7299270},
                          {1, 0.5, 3, 0.452119615, -0.216170295, 0.117937489, 8.7235272},
                          {2, 0.5, 3, 0.153500090, 0.074635331, 0.085550911, 6.4297746},
                          {3, 0.5, 2, 0.380909180, 0.131034578, 0.110111495, 6.7787860},
                          {4, 0.5, 2, 0.281477058, -0.063823682, 0.124480976, 8.5424170},
                          {8, 0.5, 8, 0.214065471, -0.035911962, 0.053303208, 2.4146423},
                          {0, 1.0, 22, 0.175155780, 0.087686450, 0.049994624, 0},
                          {1, 1.0, 34, 0.605839610, -0.332559026, 0.075022627, 0.0973809},
                          {3, 1.0, 25, 0.424792022, 0.116487983, 0.049994624, 0},
                          {4, 1.0, 19, 0.357710934, -0.156978722, 0.074994624, 0},
                          {6, 1.0, 9, 0.668107671, -0.147753017, 0.130550867, 2.7061207},
                          {7, 1.0, 15, 0.730135943, 0.249843475, 0.089743186, 0.6815416}};

void expect_anchors(double tolerance, double steps, double median_limit, double worst_limit) {
    std::vector<SceneBuilder> builders;
    for (const Anchor &a : ANCHORS) {
        builders.push_back(tumbling_box(a.k, a.t));
        builders.back().scene.tolerance = tolerance;
        builders.back().scene.graded_steps = steps;
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    std::vector<double> errors;
    double evaluations = 0;
    for (uint32_t i = 0; i < scenes.size(); i++) {
        const Anchor &a = ANCHORS[i];
        EXPECT_EQ(ran.progress(i).status, STATUS_OK);
        EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN, i).size(), a.begun)
            << "box " << a.k << " at " << a.t;
        const BodyState s = ran.state(1, i);
        const Vec3 x = s.position_m, w = s.spin_rad_per_s;
        errors.push_back(std::sqrt((x.x - a.x) * (x.x - a.x) + (x.y - a.y) * (x.y - a.y) +
                                   (x.z - a.z) * (x.z - a.z)));
        evaluations += ran.progress(i).evaluations;
        printf("box %u at %.1f s: error %.1e m, spin %.7f (%.7f), %zu begun, drift %.1e\n", a.k,
               a.t, errors.back(), std::sqrt(w.x * w.x + w.y * w.y + w.z * w.z), a.spin,
               ran.events_of_kind(EVENT_BEGIN, i).size(), ran.progress(i).energy_drift);
    }
    std::sort(errors.begin(), errors.end());
    printf("median %.1e, worst %.1e, evaluations per scene %.0f\n", errors[errors.size() / 2],
           errors.back(), evaluations / double(errors.size()));
    EXPECT_LE(errors[errors.size() / 2], median_limit);
    EXPECT_LE(errors.back(), worst_limit);
}

// One graze more or less decides the worst: spec stepper has 3e-3 m.
TEST(TumblingBox, FastSetting) { expect_anchors(1e-4, 4, 4.5e-5, 3e-3); }
TEST(TumblingBox, DefaultSetting) { expect_anchors(1e-6, 8, 2e-5, 1e-3); }
TEST(TumblingBox, AccurateSetting) { expect_anchors(1e-8, 16, 2e-7, 1e-5); }

// data/tumbling_box.yaml is W3 but for its orientations.
TEST(TumblingBox, TheStudyIsTheWorkload) {
    Loaded loaded("data/tumbling_box.yaml");
    for (const Anchor &a : ANCHORS) {
        SceneDescription &scene = loaded.take(a.k);
        scene.bodies[1].rotation = tumbling_box(a.k, a.t).bodies[1].rotation;
        scene.end_s = a.t;
    }
    loaded.study->trajectory_scenes = 0;
    Ran ran = loaded.run(native_device());
    for (uint32_t i = 0; i < loaded.scenes.size(); i++) {
        const Anchor &a = ANCHORS[i];
        EXPECT_EQ(ran.progress(i).status, STATUS_OK);
        EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN, i).size(), a.begun);
        const Vec3 x = ran.state(1, i).position_m;
        EXPECT_LT(std::hypot(x.x - a.x, x.y - a.y, x.z - a.z), 1e-3) << a.k << " at " << a.t;
    }
}

} // namespace
