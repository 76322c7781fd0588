// Scenes built in code for tests of the stepper, and a run of them on a device.
#ifndef CLACK_TESTS_SCENE_BUILDER_H
#define CLACK_TESTS_SCENE_BUILDER_H

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "device.h"
#include "hull.h"
#include "mass.h"
#include "mesh_table.h"
#include "quantity.h"
#include "scene.h"
#include "stage.h"
#include "stepper.h"
#include "study.h"

/// The hulls of all scenes of a test program: a batch has one table. Kept to its end.
inline std::vector<SceneHull *> &shared_hulls() {
    static std::vector<SceneHull *> hulls;
    return hulls;
}

inline const SceneHull *shared_hull(const std::vector<std::array<double, 3>> &points, double smoothing_m = 0) {
    SceneHull *hull = nullptr;
    EXPECT_EQ(hull_make(reinterpret_cast<const double(*)[3]>(points.data()), points.size(), &hull, nullptr), CLACK_OK);
    EXPECT_EQ(hull_round(hull, smoothing_m, 0, nullptr), CLACK_OK);
    std::vector<SceneHull *> &all = shared_hulls();
    if (!all.empty()) hull->row_first = all.back()->row_first + all.back()->row_count;
    all.push_back(hull);
    return hull;
}

/// The meshes of all scenes, likewise.
inline std::vector<SceneMesh *> &shared_meshes() {
    static std::vector<SceneMesh *> meshes;
    return meshes;
}

struct SceneBuilder {
    std::vector<SceneMaterial> materials;
    std::vector<ScenePair> pairs;
    std::vector<SceneShape> shapes;
    std::vector<SceneBody> bodies;
    std::vector<SceneJoint> joints;
    std::vector<SceneFunction> functions;
    SceneDescription scene{};

    SceneBuilder() {
        scene.gravity_m_per_s2[2] = -9.81;
        scene.reduction = 1.0;
        scene.step_s = 1e-3;
        scene.end_s = 1.0;
        scene.tolerance = 1e-6;
        scene.graded_steps = 8;
        scene.mpr_tolerance = 1e-13;
        scene.mpr_iterations = 120;
        scene.work_limit = 5000;
    }

    /// A material that meets itself; constants of its pair follow with `pair`.
    uint32_t material(double young_Pa = 2e11, double poisson = 0.3, double density = 8000) {
        SceneMaterial m{};
        std::snprintf(m.name, sizeof m.name, "m%zu", materials.size());
        m.young_Pa = young_Pa;
        m.poisson = poisson;
        m.density_kg_per_m3 = density;
        materials.push_back(m);
        return uint32_t(materials.size() - 1);
    }

    ScenePair &pair(uint32_t a, uint32_t b, double restitution, double friction = 0, double rolling = 0,
                    uint32_t damping = DAMPING_FLORES) {
        ScenePair p{};
        p.material_a = a;
        p.material_b = b;
        p.restitution = restitution;
        p.friction = friction;
        p.rolling = rolling;
        p.speed_small_m_per_s = 0.01;
        p.spin_small_rad_per_s = 0.01;
        p.damping_max_s_per_m = 2000;
        p.damping = damping;
        pairs.push_back(p);
        return pairs.back();
    }

    SceneBody &body(const char *name, bool is_fixed, std::array<double, 3> position) {
        SceneBody b{};
        std::snprintf(b.name, sizeof b.name, "%s", name);
        b.is_fixed = is_fixed;
        for (size_t k = 0; k < 3; k++) b.position_m[k] = position[k];
        b.shape_first = uint32_t(shapes.size());
        bodies.push_back(b);
        return bodies.back();
    }

    SceneShape &shape(uint32_t kind, std::array<double, 4> size, uint32_t material_index = 0) {
        SceneShape s{};
        s.kind = kind;
        s.axis = 2;
        for (size_t k = 0; k < 4; k++) s.size_m[k] = size[k];
        s.smoothing_m = -1;
        s.material = s.contact_material = material_index;
        shapes.push_back(s);
        bodies.back().shape_count++;
        return shapes.back();
    }

    SceneShape &hull(const SceneHull *hull, double scale = 1, uint32_t material_index = 0) {
        SceneShape &s = shape(SHAPE_HULL, {scale, 0, 0, 0}, material_index);
        s.hull = hull;
        return s;
    }

    /// `table` is one of shared_meshes().
    SceneShape &mesh(const SceneMesh *table, uint32_t material_index = 0) {
        SceneShape &s = shape(SHAPE_MESH, {1, 0, 0, 0}, material_index);
        s.mesh = table;
        s.solid = &table->solid;
        return s;
    }

    SceneBody &ground(uint32_t material_index = 0) {
        body("ground", true, {0, 0, 0});
        shape(SHAPE_HALF_SPACE, {0, 0, 1, 0}, material_index);
        return bodies.back();
    }

    SceneBody &ball(double diameter, std::array<double, 3> position, uint32_t material_index = 0, double mass = 0) {
        body("ball", false, position);
        shape(SHAPE_SPHERE, {diameter, 0, 0, 0}, material_index);
        if (mass > 0) {
            bodies.back().mass_kind = MASS_TOTAL;
            bodies.back().mass_kg = mass;
        }
        return bodies.back();
    }

    /// A body without shapes.
    SceneBody &point_mass(std::array<double, 3> position, double mass, std::array<double, 3> inertia) {
        body("mass", false, position);
        bodies.back().mass_kind = MASS_GIVEN;
        bodies.back().mass_kg = mass;
        for (size_t k = 0; k < 3; k++) bodies.back().inertia_kg_m2[k] = inertia[k];
        return bodies.back();
    }

    /// A spring and a damper between points of two bodies, in the world at the start. rest < 0: their distance.
    SceneJoint &spring(uint32_t a, uint32_t b, std::array<double, 3> at_a, std::array<double, 3> at_b, double stiffness,
                       double damping = 0, double rest = -1) {
        SceneJoint j{};
        std::snprintf(j.name, sizeof j.name, "j%zu", joints.size());
        j.kind = JOINT_SPRING_DAMPER;
        j.body_a = a;
        j.body_b = b;
        for (size_t k = 0; k < 3; k++) j.at_m[0][k] = at_a[k];
        for (size_t k = 0; k < 3; k++) j.at_m[1][k] = at_b[k];
        j.stiffness_N_per_m = stiffness;
        j.damping_N_s_per_m = damping;
        j.rest_length_m = rest;
        joints.push_back(j);
        return joints.back();
    }

    /// A constraint at a point, or of JOINT_DISTANCE between two, in the world at the start. other: of JOINT_DISTANCE
    /// the second point; of JOINT_UNIVERSAL the second axis, of which only the part across the first one counts.
    SceneJoint &constraint(uint32_t kind, uint32_t a, uint32_t b, std::array<double, 3> at,
                           std::array<double, 3> axis = {0, 0, 1}, std::array<double, 3> other = {0, 0, 0}) {
        SceneJoint &j = spring(a, b, at, kind == JOINT_DISTANCE ? other : at, 0);
        double along = 0, square = 0;
        for (size_t k = 0; k < 3; k++) along += other[k] * axis[k], square += axis[k] * axis[k];
        j.kind = kind;
        for (size_t k = 0; k < 3; k++) j.axis[0][k] = axis[k];
        for (size_t k = 0; k < 3 && kind == JOINT_UNIVERSAL; k++) j.axis[1][k] = other[k] - along / square * axis[k];
        return j;
    }

    SceneDescription view() {
        scene.materials = materials.data();
        scene.pairs = pairs.data();
        scene.shapes = shapes.data();
        scene.bodies = bodies.data();
        scene.joints = joints.data();
        scene.joint_count = uint32_t(joints.size());
        scene.functions = functions.data();
        scene.function_count = uint32_t(functions.size());
        scene.hulls = shared_hulls().data();
        scene.hull_count = uint32_t(shared_hulls().size());
        scene.meshes = shared_meshes().data();
        scene.mesh_count = uint32_t(shared_meshes().size());
        scene.material_count = uint32_t(materials.size());
        scene.pair_count = uint32_t(pairs.size());
        scene.shape_count = uint32_t(shapes.size());
        scene.body_count = uint32_t(bodies.size());
        return scene;
    }
};

/// A batch and its result, freed at the end of its scope.
struct Ran {
    Batch batch{};
    BatchResult result{};
    Ran() = default;
    Ran(const Ran &) = delete;
    Ran(Ran &&other) noexcept : batch(other.batch), result(other.result) {
        other.batch = Batch{};
        other.result = BatchResult{};
    }
    ~Ran() {
        stage_free(&batch);
        stepper_result_free(&result);
    }
    const Progress &progress(size_t scene = 0) const { return result.progress[scene]; }
    BodyState state(uint32_t body, size_t scene = 0) const {
        return result.states[batch.scenes[scene].body_first + body];
    }
    std::vector<Event> events(uint32_t scene = 0) const {
        std::vector<Event> rows;
        for (size_t k = 0; k < result.event_count; k++) {
            if (result.event_scene[k] == scene) rows.push_back(result.events[k]);
        }
        return rows;
    }
    std::vector<Event> events_of_kind(uint32_t kind, uint32_t scene = 0) const {
        std::vector<Event> rows;
        for (const Event &e : events(scene)) {
            if (e.kind == kind) rows.push_back(e);
        }
        return rows;
    }
};

/// Of these scenes, whatever holds them: for GPUs, whose compilers take minutes for each kind of solid.
inline Content content_of_scenes(const std::vector<SceneDescription> &scenes) {
    Content content = content_everything();
    content.programs = PROGRAM_ADVANCE;
    content.kinds = 0;
    for (const SceneDescription &scene : scenes)
        for (uint32_t k = 0; k < scene.shape_count; k++) content.kinds |= 1u << scene.shapes[k].kind;
    return content;
}

/// All that scenes of `events` and `rk4` hold: solved steps take minutes to compile.
inline Content content_of_explicit_steps() {
    Content content = content_everything();
    content.programs = PROGRAM_ADVANCE;
    content.flags &= ~(SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID);
    return content;
}

/// Who has no such device skips; one whose kernels do not compile is a failure.
inline void expect_open_or_absent(ClackStatus status, const ClackReport &report) {
    if (status == CLACK_OK || status == CLACK_USAGE) return;
    ADD_FAILURE() << "the device is there, but: " << (report.count > 0 ? report.lines[0] : "");
}

struct DeviceHolder {
    Device *device = nullptr;
    explicit DeviceHolder(const char *choice = "native", uint32_t lanes = 0, uint32_t threads = 0,
                          const char *build_options = nullptr)
        : DeviceHolder(content_everything(), choice, lanes, threads, build_options) {}
    /// Built for scenes of that content.
    DeviceHolder(const Content &content, const char *choice, uint32_t lanes = 0, uint32_t threads = 0,
                 const char *build_options = nullptr, uint32_t queue_items = 0) {
        DeviceOptions options{};
        options.choice = choice;
        options.lanes = lanes;
        options.threads = threads;
        options.build_options = build_options;
        options.queue_items = queue_items;
        ClackReport report{};
        const ClackStatus status = device_open(&options, &content, &device, &report);
        if (status != CLACK_OK) device = nullptr;
        expect_open_or_absent(status, report);
        clack_report_clear(&report);
    }
    DeviceHolder(const DeviceHolder &) = delete;
    ~DeviceHolder() {
        if (device != nullptr) device_close(device);
    }
};

inline Device *native_device() {
    static DeviceHolder holder("native");
    return holder.device;
}

/// The largest of something from the start on.
inline Watch watch_max(uint32_t body, uint32_t observable) {
    return Watch{0, body, NONE, observable, WATCH_MAX, AFTER_START, 0};
}

/// Run scenes; `study` may name watches and frames.
inline Ran run_scenes(Device *device, const std::vector<SceneDescription> &scenes, Study study = Study{},
                      std::vector<uint64_t> numbers = {}) {
    Ran ran;
    ClackReport report{};
    std::vector<Capacities> rooms;
    for (size_t k = 0; k < scenes.size(); k++) {
        rooms.push_back(stage_capacities(&scenes[k]));
        if (numbers.size() <= k) numbers.push_back(k);
    }
    if (scenes.empty() || device == nullptr) {
        ADD_FAILURE() << "no scene or no device";
        return ran;
    }
    study.scene = scenes[0];
    ClackStatus status =
        stage_pack(&study, scenes.data(), numbers.data(), rooms.data(), uint32_t(scenes.size()), &ran.batch, &report);
    if (status == CLACK_OK) {
        status = stepper_run(device, &study, scenes.data(), &ran.batch, nullptr, &ran.result, &report);
    }
    EXPECT_EQ(status, CLACK_OK) << (report.count ? report.lines[0] : "");
    clack_report_clear(&report);
    return ran;
}

inline Ran run_scene(SceneBuilder &builder, Study study = Study{}) {
    return run_scenes(native_device(), {builder.view()}, study);
}

#endif
