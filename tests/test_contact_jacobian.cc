// First-order change of a contact's forces against central differences of the forces themselves: all pairs of
// shapes with known derivatives, faces, edges, vertices and ends, in both orders, in all regimes of the law.
#include "kernel_scene.h"

#include <functional>
#include <random>

namespace {

double uniform(std::mt19937_64 &engine, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
}

Vec3 random_vector(std::mt19937_64 &engine, double size) {
    return vec3_make(uniform(engine, -size, size), uniform(engine, -size, size),
                     uniform(engine, -size, size));
}

Quat random_turn(std::mt19937_64 &engine) {
    return quat_normalize(quat_make(uniform(engine, -1, 1), uniform(engine, -1, 1),
                                    uniform(engine, -1, 1), uniform(engine, -1, 1)));
}

// What the ball touches: its centre in the frame of the other shape, and the outward normal there.
struct Touch {
    const char *name;
    uint32_t ball, other;
    Vec3 place; // on the surface of the other shape
    Vec3 out;
};
const double SIDE = 0.2, RADIUS = 0.03;
const double D = 0.7071067811865476, T = 0.5773502691896258;
const double CORE = SIDE / 2 - 1e-3; // of the box: smoothing 1 mm
const Touch TOUCHES[] = {
    {"sphere on half-space", SHAPE_SPHERE, SHAPE_HALF_SPACE, {0.1, 0.3, 0}, {0, 0, 1}},
    {"corner on half-space", SHAPE_BOX, SHAPE_HALF_SPACE, {0.1, 0.3, 0}, {0, 0, 1}},
    {"end on half-space", SHAPE_CAPSULE, SHAPE_HALF_SPACE, {0.1, 0.3, 0}, {0, 0, 1}},
    {"sphere on sphere", SHAPE_SPHERE, SHAPE_SPHERE, {0.1, 0, 0}, {1, 0, 0}},
    {"sphere on a face", SHAPE_SPHERE, SHAPE_BOX, {SIDE / 2, 0.02, -0.03}, {1, 0, 0}},
    {"sphere on an edge", SHAPE_SPHERE, SHAPE_BOX, {CORE + 1e-3 * D, CORE + 1e-3 * D, -0.03}, {D, D, 0}},
    {"sphere on a vertex", SHAPE_SPHERE, SHAPE_BOX,
     {CORE + 1e-3 * T, CORE + 1e-3 * T, CORE + 1e-3 * T}, {T, T, T}},
    {"sphere on a side", SHAPE_SPHERE, SHAPE_CAPSULE, {0.05, 0, 0.02}, {1, 0, 0}},
    {"sphere on an end", SHAPE_SPHERE, SHAPE_CAPSULE, {0.05 * D, 0, 0.1 + 0.05 * D}, {D, 0, D}},
    {"sphere on an ellipsoid", SHAPE_SPHERE, SHAPE_ELLIPSOID, {0, 0.15, 0}, {0, 1, 0}},
    {"sphere on a cylinder", SHAPE_SPHERE, SHAPE_CYLINDER, {0.1, 0, 0.02}, {1, 0, 0}},
    {"sphere on a rim", SHAPE_SPHERE, SHAPE_CYLINDER, {0.099 + 1e-3 * D, 0, 0.149 + 1e-3 * D}, {D, 0, D}},
    {"sphere on a beam", SHAPE_SPHERE, SHAPE_BEAM, {0.01, 0.03, 0.02}, {0, 1, 0}},
};

// Relative motion at the contact: along the normal, and how fast against v_small and w_small.
struct Regime {
    const char *name;
    double opening, slip, spin;
};
const Regime REGIMES[] = {{"sliding", -0.3, 2.0, 3.0},
                          {"regularised", 0.1, 4e-3, 4e-3},
                          {"no slip", -0.1, 0.0, 0.0},
                          {"clamped", 3.0, 0.5, 0.5}};

void add_shape(SceneBuilder &b, uint32_t kind) {
    if (kind == SHAPE_SPHERE) b.shape(kind, {0.2, 0, 0, 0});
    if (kind == SHAPE_BOX) b.shape(kind, {SIDE, SIDE, SIDE, 0});
    if (kind == SHAPE_CAPSULE) b.shape(kind, {0.1, 0.2, 0, 0});
    if (kind == SHAPE_HALF_SPACE) b.shape(kind, {0, 0, 1, 0});
    if (kind == SHAPE_ELLIPSOID) b.shape(kind, {0.2, 0.3, 0.25, 0});
    if (kind == SHAPE_CYLINDER) b.shape(kind, {0.2, 0.3, 0, 0});
    if (kind == SHAPE_BEAM) b.shape(kind, {0.2, 0.1, 0.06, 0});
    b.shapes.back().smoothing_m = 1e-3;
}

void set_pose(SceneBody &body, Vec3 x, Quat q) {
    const double position[] = {x.x, x.y, x.z}, turn[] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 3; k++) body.position_m[k] = position[k];
    for (int k = 0; k < 4; k++) body.rotation.value[k] = turn[k];
    body.rotation.kind = ROTATION_QUATERNION;
}

// The ball's body touches the other with a given depth, both turned and placed at random, and moving.
SceneBuilder touching(const Touch &t, bool ball_first, std::mt19937_64 &engine) {
    SceneBuilder b;
    b.material(1e9);
    ScenePair &pair = b.pair(0, 0, 0.5, 0.4, 0.02);
    pair.damping_max_s_per_m = 0.8;
    b.scene.no_freeze = 1;
    const bool fixed = t.other == SHAPE_HALF_SPACE;
    for (int k = 0; k < 2; k++) {
        const bool is_ball = ball_first == (k == 0);
        b.body(is_ball ? "ball" : "other", fixed && !is_ball, {0, 0, 0});
        add_shape(b, is_ball ? t.ball : t.other);
        b.bodies.back().mass_kind = MASS_GIVEN;
        b.bodies.back().mass_kg = 2;
        for (int i = 0; i < 3; i++) b.bodies.back().inertia_kg_m2[i] = 0.01 * (3 + i);
        if (t.ball == SHAPE_SPHERE && !is_ball && t.other == SHAPE_SPHERE) b.shapes.back().size_m[0] = 0.2;
        if (t.ball == SHAPE_SPHERE && is_ball) b.shapes.back().size_m[0] = 2 * RADIUS;
        // Off the centre of mass, so that all levers matter.
        if (!fixed || is_ball)
            for (int i = 0; i < 3; i++) b.shapes.back().position_m[i] = 0.01 * (i + 1);
    }
    SceneBody &ball = b.bodies[ball_first ? 0 : 1], &other = b.bodies[ball_first ? 1 : 0];
    const Vec3 arm = vec3_make(0.01, 0.02, 0.03);
    const Quat turn = random_turn(engine), ball_turn = random_turn(engine);
    const Vec3 place = random_vector(engine, 0.5);
    set_pose(other, place, turn);
    const Vec3 out = quat_rotate(turn, t.out);
    const Vec3 other_origin = fixed ? place : vec3_add(place, quat_rotate(turn, arm));
    const Vec3 surface = vec3_add(other_origin, quat_rotate(turn, t.place));
    // Lowest point of the ball's body, depth 0.2 mm below the surface.
    double reach = RADIUS;
    Vec3 seat = vec3_zero();
    if (t.ball == SHAPE_BOX) {
        const Vec3 down = quat_rotate_back(ball_turn, vec3_negate(out));
        const double half = SIDE / 2 - 1e-3;
        seat = quat_rotate(ball_turn, vec3_make(std::copysign(half, down.x), std::copysign(half, down.y),
                                                std::copysign(half, down.z)));
        reach = 1e-3;
    } else if (t.ball == SHAPE_CAPSULE) {
        const Vec3 down = quat_rotate_back(ball_turn, vec3_negate(out));
        seat = quat_rotate(ball_turn, vec3_make(0, 0, std::copysign(0.1, down.z)));
        reach = 0.05;
    }
    const Vec3 centre = vec3_add_scaled(surface, out, reach - 2e-4);
    set_pose(ball, vec3_sub(vec3_sub(centre, seat), quat_rotate(ball_turn, arm)), ball_turn);
    return b;
}

// Set velocities so that the relative motion at the contact is that of the regime.
void set_motion(KernelScene &k, const Regime &regime, std::mt19937_64 &engine) {
    contact_evaluate(&k.view, &k.contacts[0]);
    const Contact &c = k.contacts[0];
    const Vec3 n = c.normal;
    const Vec3 t = vec3_normalize(vec3_cross(n, random_vector(engine, 1)));
    Vec3 w = vec3_zero(), v = vec3_zero();
    if (!(k.batch.bodies[0].flags & BODY_FIXED)) {
        w = random_vector(engine, 3);
        v = random_vector(engine, 1);
    }
    if (k.batch.bodies[1].flags & BODY_FIXED) w = v = vec3_zero();
    const Vec3 centres = vec3_sub(k.states[1].position_m, k.states[0].position_m);
    const Vec3 lever_a = vec3_add(c.lever_b_m, centres);
    const Vec3 relative = vec3_add(vec3_scale(n, regime.opening), vec3_scale(t, regime.slip));
    const Vec3 spin = vec3_scale(vec3_normalize(random_vector(engine, 1)), regime.spin);
    const bool b_moves = !(k.batch.bodies[1].flags & BODY_FIXED);
    Vec3 wa = w, wb = vec3_add(w, spin), va = v, vb;
    if (b_moves) {
        vb = vec3_sub(vec3_add(vec3_add(va, vec3_cross(wa, lever_a)), relative), vec3_cross(wb, c.lever_b_m));
    } else {
        wa = vec3_negate(spin);
        wb = vb = vec3_zero();
        va = vec3_sub(vec3_negate(relative), vec3_cross(wa, lever_a));
    }
    k.states[0].velocity_m_per_s = va;
    k.states[1].velocity_m_per_s = vb;
    k.states[0].spin_rad_per_s = quat_rotate_back(k.states[0].orientation, wa);
    k.states[1].spin_rad_per_s = quat_rotate_back(k.states[1].orientation, wb);
    for (int b = 0; b < 2; b++) k.works[size_t(b)].trial = k.states[size_t(b)];
    contact_evaluate(&k.view, &k.contacts[0]);
}

BodyChange direction(int k) {
    BodyChange change = body_unchanged();
    const Vec3 unit = vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    (k < 3 ? change.shift_m : k < 6 ? change.turn : k < 9 ? change.velocity_m_per_s
                                                          : change.spin_rad_per_s) = unit;
    return change;
}

BodyState changed(BodyState s, const BodyChange &change, double by) {
    const Vec3 w = quat_rotate(s.orientation, s.spin_rad_per_s);
    s.position_m = vec3_add_scaled(s.position_m, change.shift_m, by);
    s.orientation = quat_normalize(quat_multiply(quat_exp(vec3_scale(change.turn, by)), s.orientation));
    s.velocity_m_per_s = vec3_add_scaled(s.velocity_m_per_s, change.velocity_m_per_s, by);
    s.spin_rad_per_s =
        quat_rotate_back(s.orientation, vec3_add_scaled(w, change.spin_rad_per_s, by));
    return s;
}

struct Forces {
    double values[10];
};
Forces forces(KernelScene &k) {
    contact_evaluate(&k.view, &k.contacts[0]);
    const Contact &c = k.contacts[0];
    return {{c.force_N.x, c.force_N.y, c.force_N.z, c.torque_a_N_m.x, c.torque_a_N_m.y, c.torque_a_N_m.z,
             c.torque_b_N_m.x, c.torque_b_N_m.y, c.torque_b_N_m.z, c.loss_W}};
}

// Largest difference, relative to the largest derivative of force, torque or loss for that kind of change.
double worst_difference(KernelScene &k) {
    contact_take_slopes(&k.view, &k.contacts[0]);
    double worst = 0;
    for (int group = 0; group < 4; group++) { // shift, turn, velocity, spin
        double scale[3] = {0, 0, 0}, error[3] = {0, 0, 0};
        for (int i = 0; i < 6; i++) {
            const size_t body = size_t(i / 3);
            const BodyChange d = direction(3 * group + i % 3), none = body_unchanged();
            const ContactChange c =
                contact_change(&k.contacts[0].slopes, body == 0 ? d : none, body == 0 ? none : d);
            const double analytic[10] = {c.force_N.x, c.force_N.y, c.force_N.z, c.torque_a_N_m.x,
                                         c.torque_a_N_m.y, c.torque_a_N_m.z, c.torque_b_N_m.x,
                                         c.torque_b_N_m.y, c.torque_b_N_m.z, c.loss_W};
            // Small against the depth of 0.2 mm, v_small and w_small of 0.01, and levers of 1 mm.
            const double by = group < 2 ? 1e-8 : 1e-6;
            k.works[body].trial = changed(k.states[body], d, by);
            const Forces plus = forces(k);
            k.works[body].trial = changed(k.states[body], d, -by);
            const Forces minus = forces(k);
            k.works[body].trial = k.states[body];
            for (int q = 0; q < 10; q++) {
                const int part = q < 3 ? 0 : q < 9 ? 1 : 2;
                const double measured = (plus.values[q] - minus.values[q]) / (2 * by);
                scale[part] = std::max(scale[part], std::abs(measured));
                error[part] = std::max(error[part], std::abs(measured - analytic[q]));
            }
        }
        for (int part = 0; part < 3; part++)
            if (scale[part] > 0) worst = std::max(worst, error[part] / scale[part]);
    }
    return worst;
}

TEST(ContactJacobian, EqualsCentralDifferences) {
    std::mt19937_64 engine(1);
    for (const Touch &touch : TOUCHES) {
        for (const Regime &regime : REGIMES) {
            double worst = 0;
            for (int n = 0; n < 40; n++) {
                SceneBuilder b = touching(touch, n % 2 == 0, engine);
                KernelScene k(b);
                ASSERT_EQ(k.progress.contact_count, 1u) << touch.name;
                ASSERT_TRUE(contact_has_slopes(&k.view, &k.contacts[0])) << touch.name;
                EXPECT_NEAR(k.contacts[0].gap_m, -2e-4, 1e-9) << touch.name;
                set_motion(k, regime, engine);
                worst = std::max(worst, worst_difference(k));
            }
            EXPECT_LT(worst, 1e-6) << touch.name << ", " << regime.name;
            EXPECT_GT(worst, 1e-13) << "nothing was compared: " << touch.name;
        }
    }
}

// The comparison can fail: leave out how the normal turns.
TEST(ContactJacobian, ComparisonNoticesAMissingTerm) {
    std::mt19937_64 engine(2);
    SceneBuilder b = touching(TOUCHES[3], true, engine);
    KernelScene k(b);
    set_motion(k, REGIMES[0], engine);
    contact_take_slopes(&k.view, &k.contacts[0]);
    ContactSlopes slopes = k.contacts[0].slopes;
    BodyChange across = body_unchanged();
    across.shift_m = vec3_perpendicular(slopes.normal);
    const Vec3 whole = contact_change(&slopes, body_unchanged(), across).force_N;
    slopes.bend_diagonal = slopes.bend_across = vec3_zero();
    const Vec3 part = contact_change(&slopes, body_unchanged(), across).force_N;
    EXPECT_GT(vec3_length(vec3_sub(whole, part)), 1e-3 * vec3_length(whole));
}

} // namespace
