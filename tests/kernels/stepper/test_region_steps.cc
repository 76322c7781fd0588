// Steps of scenes with contact regions: several at a time, regions that split and merge, bodies that strike each other,
// joints beside contacts, room, flags, batches.
#include "surface_scenes.h"

namespace {

using namespace regions;

constexpr double G = 9.81;

// Four legs below a plate, one closed surface each, in one mesh.
const SceneMesh *table() {
    static const SceneMesh *mesh = nullptr;
    if (mesh != nullptr) return mesh;
    meshes::Soup all = meshes::box(0.3, 0.3, 0.02);
    for (auto &p : all.points) p[2] += 0.24;
    for (int leg = 0; leg < 4; leg++) {
        meshes::Soup one = meshes::box(0.02, 0.02, 0.1);
        const uint32_t base = uint32_t(all.points.size());
        for (auto p : one.points) {
            p[0] += leg & 1 ? 0.2 : -0.2;
            p[1] += leg & 2 ? 0.2 : -0.2;
            all.points.push_back(p);
        }
        for (auto t : one.triangles) all.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    }
    return mesh = shared_mesh(all);
}

SceneBuilder table_on_ground(double end_s) {
    SceneBuilder b = surface_scene(REGION_CONSTANT, 0.3, 1e-3, end_s);
    b.scene.gravity_m_per_s2[2] = -G;
    b.pairs[0].damping_max_s_per_m = 20;
    b.ground();
    surface_body(b, table(), {0, 0, 0.1002}, 4);
    return b;
}

// A box whose sides are cut into `columns` each: its contour on the ground has eight segments for each of them.
const SceneMesh *columns_box(uint32_t columns) {
    meshes::Soup all;
    const uint32_t around = 4 * columns;
    for (int top = 0; top < 2; top++) {
        for (uint32_t i = 0; i < around; i++) {
            const double t = 0.1 * (i % columns) / columns - 0.05;
            const double corners[4][2] = {{t, -0.05}, {0.05, t}, {-t, 0.05}, {-0.05, -t}};
            all.points.push_back({corners[i / columns][0], corners[i / columns][1], top ? 0.05 : -0.05});
        }
    }
    all.points.push_back({0, 0, -0.05});
    all.points.push_back({0, 0, 0.05});
    for (uint32_t i = 0; i < around; i++) {
        const uint32_t next = (i + 1) % around;
        all.triangles.push_back({i, next, around + next});
        all.triangles.push_back({i, around + next, around + i});
        all.triangles.push_back({2 * around, next, i});
        all.triangles.push_back({2 * around + 1, around + i, around + next});
    }
    return shared_mesh(all);
}

// A query of contact regions counts 1 in the work of a scene for each whole 16 segments: 0, 2 and 4 here, in the same
// steps.
TEST(RegionSteps, QueriesCountByTheirLength) {
    double work[3];
    uint32_t evaluations[3];
    const uint32_t columns[3] = {1, 4, 8};
    for (size_t k = 0; k < 3; k++) {
        SceneBuilder b = surface_scene(REGION_CONSTANT, 0.3, 1e-3, 0.05);
        b.scene.gravity_m_per_s2[2] = -G;
        b.ground();
        surface_body(b, columns_box(columns[k]), {0, 0, 0.0499});
        Ran ran = run_scenes(native_device(), {b.view()}, recording(0.05));
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        work[k] = ran.progress().work;
        evaluations[k] = ran.progress().evaluations;
    }
    EXPECT_EQ(evaluations[1], evaluations[0]);
    EXPECT_EQ(evaluations[2], evaluations[0]);
    EXPECT_GT(work[1] - work[0], 2 * 50.0); // at least one query in each of 50 steps
    EXPECT_EQ(work[2] - work[0], 2 * (work[1] - work[0]));
}

TEST(RegionSteps, ATableStandsOnItsFeet) {
    SceneBuilder b = table_on_ground(1);
    Ran ran = run_scenes(native_device(), {b.view()}, recording(0.5));
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), 4u);
    EXPECT_EQ(ran.events_of_kind(EVENT_END).size(), 0u);
    double sum = 0;
    int rows = 0;
    for (size_t k = 0; k < ran.result.contact_count; k++) {
        const ContactRow &row = ran.result.contacts[k];
        if (row.time_s < 0.9) continue;
        EXPECT_NEAR(row.normal_N, G, 1e-6 * G);
        EXPECT_NEAR(std::fabs(row.point_m.x), 0.2, 1e-9);
        EXPECT_NEAR(std::fabs(row.point_m.y), 0.2, 1e-9);
        EXPECT_NEAR(row.penetration_m, std::pow(G / 1e6, 1 / 1.5), 1e-9);
        EXPECT_NEAR(row.area_m2, 0.04 * 0.04, 1e-9); // of a foot
        sum += row.normal_N;
        rows++;
    }
    EXPECT_EQ(rows, 4);
    EXPECT_NEAR(sum, 4 * G, 1e-6 * 4 * G);
}

// More regions at a time than there is room for at first: the scene is run again.
TEST(RegionSteps, MoreRegionsThanTheFirstRoomAreStepped) {
    SceneBuilder b = table_on_ground(0.5);
    Capacities small = {};
    {
        SceneDescription scene = b.view();
        small = stage_capacities(&scene);
    }
    Ran plenty = run_scene(b);
    small.regions = 1;
    small.candidates = 1;
    small.contacts = 1;
    small.segments = small.vertices = 2;
    Ran ran;
    Study study{};
    const SceneDescription scene = b.view();
    study.scene = scene;
    const uint64_t number = 0;
    ASSERT_EQ(stage_pack(&study, &scene, &number, &small, 1, &ran.batch, nullptr), CLACK_OK);
    ASSERT_EQ(stepper_run(native_device(), &study, &scene, &ran.batch, nullptr, &ran.result, nullptr), CLACK_OK);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), 4u);
    EXPECT_TRUE(same_bits(ran.result.states, plenty.result.states, 2 * sizeof(BodyState)));
}

// Two bodies without weight: what one loses the other gains.
TEST(RegionSteps, BodiesThatStrikeEachOtherKeepTheirMomentum) {
    static const SceneMesh *const ball = shared_mesh(icosphere(3, 0.1)), *const ring = shared_mesh(
                                                                             meshes::torus(0.1, 0.04, 32, 16));
    SceneBuilder b = surface_scene(REGION_HERTZ, 0.6, 1e-3, 0.2);
    b.pairs[0].friction = 0.3;
    b.pairs[0].static_friction = 0.3;
    b.pairs[0].has_stiction = 1;
    surface_body(b, ball, {0, 0, 0}, 2).velocity_m_per_s[0] = 1.5;
    surface_body(b, ring, {0.3, 0.05, 0.02}, 1).angular_velocity_rad_per_s[1] = 7;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_GE(ran.events_of_kind(EVENT_END).size(), 1u);
    EXPECT_LT(ran.progress().momentum_drift, 1e-12);
    const Vec3 v0 = ran.state(0).velocity_m_per_s, v1 = ran.state(1).velocity_m_per_s;
    EXPECT_NEAR(2 * v0.x + v1.x, 3, 1e-11);
    EXPECT_NEAR(2 * v0.y + v1.y, 0, 1e-11);
    EXPECT_LT(v0.x, v1.x);
}

void take_layer(SceneBuilder &b, double stiffness_Pa_per_m) {
    b.pairs[0].region_law = REGION_VOLUME;
    b.pairs[0].region_modulus_Pa = stiffness_Pa_per_m;
    b.pairs[0].region_depth_m = 1;
}

// An elastic layer has a potential: whatever a torus of facets does on it, its energy stays, in second order of the
// steps. That takes volumes, their centres, lengths of steps, begins and ends of contacts that are right.
TEST(RegionSteps, ATumblingRingOnALayerKeepsItsEnergy) {
    static const SceneMesh *const ring = shared_mesh(meshes::torus(0.1, 0.03, 48, 24));
    double drifts[2] = {};
    for (const double steps : {8.0, 32.0})
        for (const double turn : {0.3, 1.1, 2.0}) {
            SceneBuilder b = surface_scene(REGION_VOLUME, 1, 1e-3, 0.6);
            take_layer(b, 2e8);
            b.scene.gravity_m_per_s2[2] = -G;
            b.scene.graded_steps = steps;
            b.ground();
            SceneBody &body = surface_body(b, ring, {0, 0, 0.3}, 1.8);
            body.rotation.kind = ROTATION_CARDAN;
            for (size_t k = 0; k < 3; k++) body.rotation.value[k] = turn * double(k + 1);
            body.angular_velocity_rad_per_s[0] = 8;
            body.angular_velocity_rad_per_s[2] = -3;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            EXPECT_GE(ran.events_of_kind(EVENT_END).size(), 1u);
            double &drift = drifts[steps > 8];
            drift = std::max(drift, ran.progress().energy_drift);
        }
    EXPECT_LT(drifts[0], 2e-3);
    EXPECT_NEAR(drifts[0] / drifts[1], 16, 6);
}

// A pin that rattles in a bore 2 % wider. The depth of its contours, whose planes cut through pin and bore, is a
// hundred times that of the overlap: taken for the latter, steps of impacts would be a hundred times too long, and the
// pin is at 5 to 60 times its energy within 60 ms. What remains, by the normals' spread, does not shrink with the
// steps.
TEST(RegionSteps, APinThatRattlesInABoreKeepsItsEnergy) {
    static const SceneMesh *const pin = shared_mesh(pipe(48, 0.01, 0.004, 0.06)), *const bore = shared_mesh(
                                                                                      pipe(64, 0.02, 0.0102, 0.04));
    for (const double turn : {0.7}) {
        SceneBuilder b = surface_scene(REGION_VOLUME, 1, 5e-4, 0.03);
        take_layer(b, 1e11);
        surface_body(b, bore, {0, 0, 0}).is_fixed = 1;
        SceneBody &body = surface_body(b, pin, {0, 0, 0}, 0.15);
        body.velocity_m_per_s[0] = 0.5 * std::cos(turn);
        body.velocity_m_per_s[1] = 0.5 * std::sin(turn);
        body.angular_velocity_rad_per_s[1] = 2;
        body.angular_velocity_rad_per_s[2] = 3;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_GE(ran.events_of_kind(EVENT_END).size(), 10u);
        EXPECT_LT(ran.progress().max_penetration_m, 2e-4);
        const Vec3 v = ran.state(1).velocity_m_per_s;
        EXPECT_LT(0.5 * 0.15 * vec3_dot(v, v), 1.05 * 0.5 * 0.15 * 0.25) << turn;
    }
}

// A bar that falls across two posts bounces, rocks and lies still: forces carry its weight. By the other laws, which
// have no potential where faces meet, it would go on rocking.
TEST(RegionSteps, ABarLiesOnTwoPosts) {
    static const SceneMesh *const bar = shared_mesh(grid_box(1, 0.1, 0.1, 6)), *const post = shared_mesh(
                                                                                   meshes::box(0.05, 0.05, 0.1));
    SceneBuilder b = surface_scene(REGION_CONSTANT, 0.3, 1e-3, 4);
    b.scene.gravity_m_per_s2[2] = -G;
    b.pairs[0].friction = b.pairs[0].static_friction = 0.5;
    b.pairs[0].has_stiction = 1;
    take_layer(b, 2e8);
    for (double x : {-0.3, 0.2}) {
        b.body("post", true, {x, 0, 0});
        b.mesh(post);
    }
    SceneBody &body = surface_body(b, bar, {0, 0.003, 0.2}, 3);
    body.rotation.kind = ROTATION_CARDAN;
    body.rotation.value[1] = 0.1;
    Ran ran = run_scenes(native_device(), {b.view()}, recording(1));
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    double force = 0, moment = 0;
    for (size_t k = 0; k < ran.result.contact_count; k++) {
        const ContactRow &row = ran.result.contacts[k];
        if (row.time_s < 3.9) continue;
        const Vec3 on_b = vec3_add(vec3_scale(row.normal, row.normal_N), row.tangential_N);
        const double sign = row.body_b == 2 ? 1 : -1;
        force += sign * on_b.z;
        moment += sign * ((row.point_m.x - ran.state(2).position_m.x) * on_b.z -
                          (row.point_m.z - ran.state(2).position_m.z) * on_b.x);
    }
    EXPECT_NEAR(force, 3 * G, 1e-6 * 3 * G);
    EXPECT_NEAR(moment, 0, 1e-6);
    EXPECT_LT(vec3_length(ran.state(2).velocity_m_per_s), 1e-6);
}

// A pendulum that strikes a wall: a joint and a contact of one island. The hook and the bob, which the joint ties, do
// not touch.
TEST(RegionSteps, APendulumStrikesAWall) {
    static const SceneMesh *const bob = shared_mesh(icosphere(4, 0.1));
    SceneBuilder b = surface_scene(REGION_CONSTANT, 1, 1e-3, 1.2);
    b.scene.gravity_m_per_s2[2] = -G;
    b.pairs[0].region_stiffness = 1e8;
    b.body("hook", true, {0, 0, 0});
    b.shape(SHAPE_HALF_SPACE, {1, 0, 0, 0.5});
    surface_body(b, bob, {1, 0, -1}, 2);
    b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
    b.body("wall", true, {0, 0, 0});
    b.shape(SHAPE_HALF_SPACE, {1, 0, 0, -0.1});
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const std::vector<Event> begins = ran.events_of_kind(EVENT_BEGIN), ends = ran.events_of_kind(EVENT_END);
    ASSERT_EQ(begins.size(), 1u);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(begins[0].body_a, 1u);
    EXPECT_EQ(begins[0].body_b, 2u);
    EXPECT_NEAR(ends[0].speed_m_per_s, begins[0].speed_m_per_s, 2e-3 * begins[0].speed_m_per_s);
    EXPECT_LT(ran.progress().energy_drift, 1e-2);
    EXPECT_NEAR(vec3_length(ran.state(1).position_m), std::sqrt(2.0), 1e-10);
    const double speed = vec3_length(ran.state(1).velocity_m_per_s);
    const double fallen = -1 - ran.state(1).position_m.z; // a rod of the moment m l^2 + 2/5 m r^2
    EXPECT_NEAR(speed * speed, 2 * G * fallen / (1 + 0.4 * 0.01 / 2), 0.01 * speed * speed);
}

TEST(RegionSteps, ASurfaceWithinAnotherIsFlagged) {
    static const SceneMesh *const small = shared_mesh(meshes::octahedron(0.05)), *const large = shared_mesh(
                                                                                     meshes::box(0.2, 0.2, 0.2));
    SceneBuilder b = surface_scene(REGION_CONSTANT, 1, 1e-3, 0.01);
    b.body("outer", true, {0, 0, 0});
    b.mesh(large);
    surface_body(b, small, {0.01, 0, 0});
    EXPECT_NE(run_scene(b).progress().flags & FLAG_ENGULFED, 0u);
    b.bodies[1].position_m[0] = 0.5;
    EXPECT_EQ(run_scene(b).progress().flags & FLAG_ENGULFED, 0u);
}

// A bar at rest through a block: no vertex of one is inside the other, so depths are 0, whatever rounding says of them.
TEST(RegionSteps, ASolidThroughAnotherStaysAtRest) {
    static const SceneMesh *const block = shared_mesh(meshes::box(0.25, 0.25, 0.25)), *const bar = shared_mesh(
                                                                                          meshes::box(0.05, 0.05, 1));
    Random random(11);
    for (int k = 0; k < 40; k++) {
        SceneBuilder b = surface_scene(k % 2 ? REGION_VOLUME : REGION_CONSTANT, 0.5, 1e-3, 0.02);
        if (k % 2) take_layer(b, 1e8);
        b.body("block", true, {0, 0, 0});
        b.mesh(block);
        SceneBody &through = surface_body(b, bar, {0.01, 0.023, 0.1});
        const Quat turn = quat_exp(vec3_scale(random.direction(), 0.3));
        const double w[] = {turn.w, turn.x, turn.y, turn.z};
        through.rotation.kind = ROTATION_QUATERNION;
        for (int i = 0; i < 4; i++) through.rotation.value[i] = w[i];
        const Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK) << k;
        EXPECT_EQ(ran.result.event_count, 0u) << k;
        EXPECT_NE(ran.progress().flags & FLAG_DEEP_CONTACT, 0u) << k;
    }
}

TEST(RegionSteps, ASolidThroughAnotherIsFlagged) {
    static const SceneMesh *const slab = shared_mesh(meshes::box(0.5, 0.5, 0.05)), *const bar = shared_mesh(
                                                                                       meshes::box(0.05, 0.05, 0.5));
    SceneBuilder b = surface_scene(REGION_CONSTANT, 1, 1e-3, 0.002);
    b.body("slab", true, {0, 0, 0});
    b.mesh(slab);
    surface_body(b, bar, {0.01, 0.02, 0.03});
    EXPECT_NE(run_scene(b).progress().flags & FLAG_DEEP_CONTACT, 0u);
    b.bodies[1].position_m[2] = 0.545; // 5 mm deep in it
    EXPECT_EQ(run_scene(b).progress().flags & FLAG_DEEP_CONTACT, 0u);
}

// A ground that reaches into the cavity of a box presses upwards alone: the cavity's contour bounds a hole.
TEST(RegionSteps, AGroundInACavityIsFlagged) {
    meshes::Soup shell = meshes::box(0.5, 0.5, 0.5), cavity = meshes::box(0.45, 0.45, 0.45);
    for (auto &t : cavity.triangles) std::swap(t[1], t[2]);
    shell.add(cavity);
    const SceneMesh *const hollow = shared_mesh(shell);
    for (double sunk : {0.04, 0.08}) {
        SceneBuilder b = surface_scene(REGION_CONSTANT, 1, 1e-5, 1e-4);
        b.ground();
        surface_body(b, hollow, {0, 0, 0.5 - sunk});
        const Ran ran = run_scene(b);
        EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), 1u);
        EXPECT_EQ((ran.progress().flags & FLAG_DEEP_CONTACT) != 0, sunk > 0.05);
    }
}

std::vector<SceneDescription> tumbling(std::vector<SceneBuilder> &builders, size_t count) {
    static const SceneMesh *const ring = shared_mesh(meshes::torus(0.1, 0.04, 24, 12)),
                                  *const floor = shared_mesh(grid_box(1, 1, 0.2, 4)),
                                  *const box = shared_mesh(grid_box(0.3, 0.2, 0.1, 3));
    std::vector<SceneDescription> scenes;
    builders.reserve(count);
    for (size_t k = 0; k < count; k++) {
        SceneBuilder b = surface_scene(REGION_CONSTANT, 0.4, 1e-3, 0.4);
        b.scene.gravity_m_per_s2[2] = -G;
        b.pairs[0].friction = 0.3;
        b.pairs[0].static_friction = 0.35;
        b.pairs[0].has_stiction = 1;
        b.body("floor", true, {0, 0, -0.1});
        b.mesh(floor);
        surface_body(b, ring, {0.02 * double(k % 7), 0, 0.2}, 2).angular_velocity_rad_per_s[0] = double(k);
        surface_body(b, box, {0, 0.03 * double(k % 5), 0.4}, 3).angular_velocity_rad_per_s[1] = 1 + double(k % 3);
        builders.push_back(b);
    }
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    return scenes;
}

// A step of 1 ms is long against an impact of steel: its equations have solutions that throw blocks up.
TEST(RegionSteps, LongStepsOfSteelMakeNoEnergy) {
    const SceneMesh *block = shared_mesh(meshes::box(0.015, 0.01, 0.02)),
                    *base = shared_mesh(meshes::box(0.1, 0.1, 0.01));
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    for (int k = 0; k < 6; k++) {
        SceneBuilder b = surface_scene(REGION_HERTZ, 0.3, 1e-3, 0.15);
        b.scene.gravity_m_per_s2[2] = -G;
        b.materials[0].young_Pa = 2e11;
        b.pairs[0].friction = b.pairs[0].static_friction = 0.2;
        b.pairs[0].has_stiction = 1;
        b.body("base", true, {0, 0, -0.01});
        b.mesh(base);
        SceneBody &body = surface_body(b, block, {0.08, 0, 0.03}, 0.19);
        const double tilt = 0.05 * (k - 2.5) / 2.5;
        body.rotation = {ROTATION_QUATERNION, {1, tilt, 0.1, 0.2}};
        builders.push_back(b);
    }
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    for (size_t k = 0; k < scenes.size(); k++) {
        const Progress &progress = ran.result.progress[k];
        const BodyState &end = ran.result.states[ran.batch.scenes[k].body_first + 1];
        printf("%zu: status %u, drift %.3f, %u substeps, z %.4f\n", k, progress.status, progress.energy_drift,
               progress.substeps, end.position_m.z);
        EXPECT_EQ(progress.status, STATUS_OK);
        EXPECT_LT(progress.energy_drift, 0.2);
        EXPECT_LT(end.position_m.z, 0.03);
        EXPECT_LT(vec3_length(end.velocity_m_per_s), std::sqrt(2 * G * 0.03));
    }
}

// Steel on a layer as stiff as steel: faces overlap by a nanometre, and the form of the overlap changes with a turn by
// 1e-8 rad. Steps whose equations are not solved, or only nearly, threw blocks metres up out of rest; so did rolling
// resistance, whose radius would be A / (2 pi depth), 1,000 km.
TEST(RegionSteps, SteelBlocksComeToRestOnFaces) {
    const SceneMesh *block = shared_mesh(meshes::box(0.05, 0.035, 0.025)),
                    *base = shared_mesh(meshes::box(0.5, 0.5, 0.05));
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    for (int k = 0; k < 8; k += 2) {
        SceneBuilder b = surface_scene(REGION_VOLUME, 0.3, 1e-3, 0.25);
        take_layer(b, 4e12);
        b.scene.gravity_m_per_s2[2] = -G;
        b.materials[0].young_Pa = 2e11;
        b.pairs[0].friction = b.pairs[0].static_friction = 0.4;
        b.pairs[0].rolling = k % 4 == 0 ? 1e-3 : 0;
        b.body("base", true, {0, 0, -0.05});
        b.mesh(base);
        SceneBody &body = surface_body(b, block, {0, 0, 0.031 + 0.0004 * k}, 2.75);
        body.rotation = {ROTATION_CARDAN, {0.05 - 0.012 * k, 0.02 * std::cos(k), 0.4 * k}};
        body.angular_velocity_rad_per_s[2] = 3.0 - 0.8 * k;
        builders.push_back(b);
    }
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    for (size_t k = 0; k < scenes.size(); k++) {
        const Progress &progress = ran.result.progress[k];
        const BodyState &end = ran.result.states[ran.batch.scenes[k].body_first + 1];
        printf("%zu: status %u, drift %.4f, %u substeps, z %.9f\n", k, progress.status, progress.energy_drift,
               progress.substeps, end.position_m.z);
        EXPECT_EQ(progress.status, STATUS_OK);
        EXPECT_LT(progress.energy_drift, 1e-2);
        EXPECT_NEAR(end.position_m.z, 0.025, 1e-8);
        EXPECT_LT(vec3_length(end.velocity_m_per_s), 1e-3);
    }
}

TEST(RegionSteps, ASceneOfABatchHasTheBitsThatItHasAlone) {
    std::vector<SceneBuilder> builders;
    const std::vector<SceneDescription> scenes = tumbling(builders, 24);
    Ran all = run_scenes(native_device(), scenes);
    for (size_t k = 0; k < scenes.size(); k += 7) {
        Ran one = run_scenes(native_device(), {scenes[k]});
        EXPECT_EQ(one.progress().status, STATUS_OK);
        EXPECT_TRUE(same_bits(one.result.states, all.result.states + all.batch.scenes[k].body_first,
                              one.batch.body_count * sizeof(BodyState)))
            << k;
        EXPECT_EQ(one.events().size(), all.events(uint32_t(k)).size());
    }
}

TEST(RegionSteps, AnOpenclDeviceGivesTheBitsOfTheNativeOne) {
    std::vector<SceneBuilder> builders;
    const std::vector<SceneDescription> scenes = tumbling(builders, 6);
    DeviceHolder other(content_of_scenes(scenes), "0");
    if (other.device == nullptr) GTEST_SKIP() << "no OpenCL device";
    Ran native = run_scenes(native_device(), scenes), there = run_scenes(other.device, scenes);
    EXPECT_TRUE(same_bits(native.result.states, there.result.states, native.batch.body_count * sizeof(BodyState)));
    EXPECT_EQ(native.result.event_count, there.result.event_count);
}

} // namespace
