// First-order change of a contact's forces against central differences of the forces themselves: all pairs of
// shapes with known derivatives, faces, edges, vertices and ends, in both orders, in all regimes of the law.
#include "contact_differences.h"
#include "linear_scenes.h"

namespace {

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
    {"sphere on a vertex", SHAPE_SPHERE, SHAPE_BOX, {CORE + 1e-3 * T, CORE + 1e-3 * T, CORE + 1e-3 * T}, {T, T, T}},
    {"sphere on a side", SHAPE_SPHERE, SHAPE_CAPSULE, {0.05, 0, 0.02}, {1, 0, 0}},
    {"sphere on an end", SHAPE_SPHERE, SHAPE_CAPSULE, {0.05 * D, 0, 0.1 + 0.05 * D}, {D, 0, D}},
    {"sphere on an ellipsoid", SHAPE_SPHERE, SHAPE_ELLIPSOID, {0, 0.15, 0}, {0, 1, 0}},
    {"sphere on a superquadric", SHAPE_SPHERE, SHAPE_SUPERQUADRIC, {0.1, 0, 0}, {1, 0, 0}},
    {"sphere on a cylinder", SHAPE_SPHERE, SHAPE_CYLINDER, {0.1, 0, 0.02}, {1, 0, 0}},
    {"sphere on a rim", SHAPE_SPHERE, SHAPE_CYLINDER, {0.099 + 1e-3 * D, 0, 0.149 + 1e-3 * D}, {D, 0, D}},
    {"sphere on a beam", SHAPE_SPHERE, SHAPE_BEAM, {0.01, 0.03, 0.02}, {0, 1, 0}},
};

void add_shape(SceneBuilder &b, uint32_t kind) {
    if (kind == SHAPE_SPHERE) b.shape(kind, {0.2, 0, 0, 0});
    if (kind == SHAPE_BOX) b.shape(kind, {SIDE, SIDE, SIDE, 0});
    if (kind == SHAPE_CAPSULE) b.shape(kind, {0.1, 0.2, 0, 0});
    if (kind == SHAPE_HALF_SPACE) b.shape(kind, {0, 0, 1, 0});
    if (kind == SHAPE_ELLIPSOID) b.shape(kind, {0.2, 0.3, 0.25, 0});
    if (kind == SHAPE_SUPERQUADRIC) b.shape(kind, {0.2, 0.3, 0.25, 0}).exponents[0] = 3;
    if (kind == SHAPE_CYLINDER) b.shape(kind, {0.2, 0.3, 0, 0});
    if (kind == SHAPE_BEAM) b.shape(kind, {0.2, 0.1, 0.06, 0});
    b.shapes.back().smoothing_m = 1e-3;
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

void expect_central_differences(bool is_linear) {
    std::mt19937_64 engine(1);
    for (const Touch &touch : TOUCHES) {
        for (const Regime &regime : REGIMES) {
            // Its damper's loss does not know the depth: without friction's there is nothing to be relative to.
            if (is_linear && regime.slip == 0) continue;
            double worst = 0;
            for (int n = 0; n < 40; n++) {
                SceneBuilder b = touching(touch, n % 2 == 0, engine);
                if (is_linear) make_linear(b.pairs.back(), 1e6, 100); // cut where the contact opens at 2 m/s
                KernelScene k(b);
                ASSERT_EQ(k.progress.contact_count, 1u) << touch.name;
                ASSERT_TRUE(contact_has_jacobian(&k.view)) << touch.name;
                EXPECT_NEAR(k.contacts[0].now.gap_m, -2e-4, 1e-9) << touch.name;
                set_motion(k, 0, regime, engine);
                worst = std::max(worst, worst_difference(k, 0).worst);
            }
            EXPECT_LT(worst, 1e-6) << touch.name << ", " << regime.name;
            EXPECT_GT(worst, 1e-13) << "nothing was compared: " << touch.name;
        }
    }
}

TEST(ContactJacobian, EqualsCentralDifferences) { expect_central_differences(false); }

TEST(ContactJacobian, EqualsCentralDifferencesOfALinearForce) { expect_central_differences(true); }

// The comparison can fail: leave out how the normal turns.
TEST(ContactJacobian, ComparisonNoticesAMissingTerm) {
    std::mt19937_64 engine(2);
    SceneBuilder b = touching(TOUCHES[3], true, engine);
    KernelScene k(b);
    set_motion(k, 0, REGIMES[0], engine);
    contact_derive(&k.view, &k.contacts[0]);
    ContactJacobian jacobian = k.contacts[0].step.jacobian;
    BodyChange across = jacobian_body_unchanged();
    const BodyChange none = across;
    across.shift_m = vec3_perpendicular(jacobian.normal);
    const Vec3 whole = contact_change(&jacobian, &none, &across).force_N;
    jacobian.curvature.s_xx = jacobian.curvature.s_xy = jacobian.curvature.s_yy = 0;
    const Vec3 part = contact_change(&jacobian, &none, &across).force_N;
    EXPECT_GT(vec3_length(vec3_sub(whole, part)), 1e-3 * vec3_length(whole));
}

} // namespace
