// Random configurations of all kinds of shapes for the tests of the evaluator, and evaluators that close.
#ifndef CLACK_TESTS_EVALUATE_FIXTURE_H
#define CLACK_TESTS_EVALUATE_FIXTURE_H

#include "evaluate.h"
#include "random_scenes.h"

// A fixed half-space and box, two bodies of each kind with friction and rolling, a hull; bodies of two shapes
// and of one off their frame's origin are among them.
inline SceneBuilder every_kind(bool is_compat = false) {
    SceneBuilder b;
    b.material(1e9, 0.25, 1000);
    b.pair(0, 0, 0.6, 0.4, 1e-3);
    b.scene.compat_modia3d = is_compat;
    b.ground();
    b.body("wall", true, {0, 0, 0});
    b.shape(SHAPE_BOX, {0.2, 0.2, 0.1, 0});
    const uint32_t kinds[] = {SHAPE_SPHERE,   SHAPE_BOX,  SHAPE_CAPSULE, SHAPE_ELLIPSOID,
                              SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};
    for (unsigned k = 0; k < 14; k++) {
        b.body("body", false, {0, 0, 0});
        const uint32_t kind = kinds[k % 7];
        const double top = kind == SHAPE_CONE || kind == SHAPE_CYLINDER ? 0.03 : 0.05;
        SceneShape &shape = b.shape(kind, {0.08, 0.06, top, 0});
        shape.axis = k % 3;
        if (k >= 9) shape.position_m[0] = 0.03;
        if (k == 13) b.shape(SHAPE_SPHERE, {0.05, 0, 0, 0}).position_m[1] = 0.05;
    }
    if (is_compat) return b; // which has no hulls
    static const SceneHull *const hull =
        shared_hull({{0, 0, 0}, {0.07, 0, 0}, {0, 0.08, 0.01}, {0.01, 0.02, 0.06}, {0.05, 0.06, 0.05}});
    b.body("hull", false, {0, 0, 0});
    b.hull(hull);
    return b;
}

/// Bodies thrown into a cube of `size`; fixed ones stay.
inline std::vector<UserState> random_states(const SceneDescription &scene, size_t count, double size,
                                            unsigned seed = 1) {
    std::mt19937_64 engine(seed);
    std::vector<UserState> states;
    for (size_t i = 0; i < count * scene.body_count; i++) {
        UserState s{};
        s.orientation[0] = 1;
        if (!scene.bodies[i % scene.body_count].is_fixed) {
            for (int k = 0; k < 3; k++) {
                s.position_m[k] = uniform(engine, -0.5 * size, 0.5 * size);
                s.velocity_m_per_s[k] = uniform(engine, -1, 1);
                s.angular_velocity_rad_per_s[k] = uniform(engine, -5, 5);
            }
            for (double &q : s.orientation) q = uniform(engine, -1, 1);
        }
        states.push_back(s);
    }
    return states;
}

struct Contacts : ClackContacts {
    Contacts() : ClackContacts(CLACK_SIZED(ClackContacts)) {}
    Contacts(const Contacts &) = delete;
    Contacts(Contacts &&other) noexcept : ClackContacts(other) {
        static_cast<ClackContacts &>(other) = CLACK_SIZED(ClackContacts);
    }
    ~Contacts() { clack_contacts_free(this); }
};

// With those of the device.
struct EvaluateOptions : ClackEvaluateOptions {
    ClackDeviceOptions where = CLACK_SIZED(ClackDeviceOptions);
    EvaluateOptions() : ClackEvaluateOptions(CLACK_SIZED(ClackEvaluateOptions)) {}
};

struct Evaluator {
    ClackEvaluator *handle = nullptr;
    ClackStatus status = CLACK_OK;
    std::string text;
    explicit Evaluator(const SceneDescription &scene, EvaluateOptions options = {}) {
        Study study{};
        ClackReport report{};
        study.scene = scene;
        study.design.scene_count = 1;
        if (options.where.choice == nullptr) options.where.choice = "native";
        options.device = &options.where;
        status = clack_evaluator_open(&study, &options, &handle, &report);
        if (report.count > 0) text = report.lines[0];
        clack_report_clear(&report);
    }
    /// No such device: the test is skipped. One whose kernels do not compile is a failure.
    bool is_absent() const {
        EXPECT_TRUE(status == CLACK_OK || status == CLACK_USAGE) << text;
        return handle == nullptr;
    }
    Evaluator(const Evaluator &) = delete;
    ~Evaluator() { clack_evaluator_close(handle); }

    Contacts run(const std::vector<UserState> &states) {
        Contacts contacts;
        ClackReport report{};
        if (handle == nullptr) {
            ADD_FAILURE() << text;
            return contacts;
        }
        const size_t count = states.size() / clack_evaluator_body_count(handle);
        status = clack_evaluate(handle, count, states.data(), &contacts, &report);
        text = report.count > 0 ? report.lines[0] : "";
        clack_report_clear(&report);
        return contacts;
    }
};

inline EvaluateOptions evaluate_options(double margin_m, bool list_all = false, uint32_t batch = 0,
                                        const char *device = "native") {
    EvaluateOptions options;
    options.margin_m = margin_m;
    options.list_all = list_all;
    options.batch_configurations = batch;
    options.where.choice = device;
    return options;
}

inline bool same_contacts(const ClackContacts &a, const ClackContacts &b) {
    return a.configuration_count == b.configuration_count && a.row_count == b.row_count &&
           same_bits(a.first, b.first, (a.configuration_count + 1) * sizeof *a.first) &&
           same_bits(a.rows, b.rows, a.row_count * sizeof *a.rows);
}

#endif
