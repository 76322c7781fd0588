// How force and torques of a contact of quasi-rigid bodies follow velocities at the end of a step, against central
// differences.
#include <cmath>

#include "kernel_scene.h"
#include "quasi_columns.h"
#include "quasi_scene.h"
#include "superquadric_shape.h"

namespace {

using namespace quasi;

const double S = 100, E = 1e-6; // of a step of 1/S; of differences

// A tilted solid on the ground.
SceneBuilder tilted(uint32_t kind, bool has_layer, bool has_axis) {
    SceneBuilder b = ground(0.01, 1);
    SceneBody &body =
        solid(b, kind, {2, kind == SHAPE_CYLINDER ? 1 : 1.6, kind == SHAPE_CYLINDER ? 0.0 : 1}, {0, 0, 0});
    if (has_layer) {
        layer(b, 5e3, 50, 0.01);
        b.pairs[0].layer_shear_stiffness_N_per_m = 4e3;
        b.pairs[0].layer_shear_damping_N_s_per_m = 30;
    }
    if (has_axis) add_axis(b);
    body.rotation.kind = ROTATION_CARDAN;
    for (size_t k = 0; k < 3; k++) body.rotation.value[k] = 0.3 * double(k + 1);
    const double cosine = std::cos(0.3) * std::cos(0.6); // of the axis and the vertical
    double touches_m =
        kind == SHAPE_CYLINDER ? 0.48 * cosine + 0.98 * std::sqrt(1 - cosine * cosine) + 0.02 : 0.633578203465487;
    if (kind == SHAPE_SUPERQUADRIC) {
        Shape shape{};
        shape.kind = kind;
        superquadric_stage(&b.shapes.back(), &shape);
        const Vec3 down = quat_rotate_back(rotation_to_quat(&body.rotation), vec3_make(0, 0, -1));
        touches_m = vec3_dot(shape_support(&shape, nullptr, down), down);
    }
    b.bodies[1].position_m[2] = touches_m - (has_layer ? 0.0102 : 2e-4); // of the core, if there is one
    return b;
}

// The contact of an ellipsoid, or of a rim's lowest point: not of a fixed point beside it, which is less deep.
Contact *chosen(KernelScene &scene) {
    Contact *contact = &scene.contacts[0];
    for (u32 c = 1; c < scene.progress.contact_count; c++)
        if (scene.contacts[c].now.gap_m < contact->now.gap_m) contact = &scene.contacts[c];
    return contact;
}

// The contact at multipliers that hold, so that forces that turn with the bodies are those of the evaluation.
void evaluate(KernelScene &scene, double slides) {
    const SceneView *view = &scene.view;
    view->slot->moving_count = 1;
    scene.lists[0] = 1;
    Contact *contact = chosen(scene);
    BodyWork *work = &scene.works[1];
    work->mode = MODE_TOUCHING;
    work->step.trial = scene.states[1];
    quasi_hold(view, contact); // in the states of the start
    quasi_take_held(view, contact, 1);
    work->step.trial.velocity_m_per_s = {slides, 0.5 * slides, -1}; // presses, whichever way it rolls
    work->step.trial.spin_rad_per_s = {0.4, -0.7, 1.1};
    quasi_place(view, 1, S);
    quasi_begin_step(view, contact, S, QUASI_WARM, 0);
    contact->step.quasi.start.stretch_m = {0.02, -0.01, 0};
    quasi_evaluate(view, contact, S, QUASI_FIRST);
    quasi_evaluate(view, contact, S, QUASI_AGAIN);
    contact->step.quasi.normal_penalty_N_per_m *= 1e-3;
    for (double &beta : contact->step.quasi.slip_penalty_N_s_per_m) beta *= 1e-3;
    quasi_evaluate(view, contact, S, QUASI_FIRST);
    quasi_derive(view, contact);
}

// Force and torque on the solid where unit k of its velocity or spin has changed by so much; of unknown multipliers by
// those of the linear equations.
void evaluate_beside(KernelScene &scene, u32 k, double by, Vec3 *force, Vec3 *torque) {
    const SceneView *view = &scene.view;
    BodyState *trial = &scene.works[1].step.trial;
    const BodyState keep = *trial;
    Vec3 *changed = k < 3 ? &trial->velocity_m_per_s : &trial->spin_rad_per_s;
    *changed = vec3_add(*changed, vec3_scale(vec3_unit(k % 3), by));
    quasi_place(view, 1, S);
    Contact other = *chosen(scene);
    quasi_evaluate(view, &other, S, QUASI_FIRST);
    if (other.step.quasi.level == QUASI_UNKNOWN) quasi_apply_next_force(view, &other);
    *force = other.now.force_N;
    *torque = other.pair.body_b == 1 ? other.now.torque_b_N_m : other.now.torque_a_N_m;
    *trial = keep;
    quasi_place(view, 1, S);
}

struct Tilted {
    uint32_t kind;
    bool has_layer, has_axis, on_ball, is_midpoint;
    double slides;
};

// A ball in place of the ground, whose normal moves with the contact.
void put_ball_under(SceneBuilder &b) {
    KernelScene scene(b);
    const Contact *contact = chosen(scene);
    const PairKinematics meets = kinematics_of_trial(&scene.view, contact->pair.shape_a, contact->pair.shape_b, 0);
    const Vec3 at = contact->pair.body_b == 1 ? vec3_add(scene.states[1].position_m, meets.lever_b_m)
                                              : vec3_add(scene.states[1].position_m, meets.lever_a_m);
    b.shapes[0].kind = SHAPE_SPHERE;
    b.shapes[0].size_m[0] = 2;
    b.shapes[0].size_m[2] = 0;
    b.bodies[0].position_m[0] = at.x;
    b.bodies[0].position_m[1] = at.y;
    b.bodies[0].position_m[2] = -1;
}

void expect_derivatives(const Tilted &of_case) {
    SceneBuilder b = tilted(of_case.kind, of_case.has_layer, of_case.has_axis);
    if (of_case.on_ball) put_ball_under(b);
    b.scene.is_midpoint = of_case.is_midpoint;
    KernelScene scene(b);
    ASSERT_GE(scene.progress.contact_count, 1u);
    const Contact *contact = chosen(scene);
    ASSERT_TRUE(of_case.kind != SHAPE_CYLINDER || contact->pair.feature >= 2 * MANIFOLD_ROUND);
    evaluate(scene, of_case.slides);
    const QuasiNumbers of = quasi_numbers(&scene.view, contact, S);
    ASSERT_EQ(of_case.has_axis, vec3_length(of.axis) > 0);
    ASSERT_EQ(of_case.is_midpoint, contact->step.quasi.is_held == 1);
    for (u32 k = 0; k < 6; k++) {
        const UnitChange change = unit_change(&scene.view, contact, &contact->step.quasi.next, k, S);
        Vec3 forces[2], torques[2];
        for (int side = 0; side < 2; side++) evaluate_beside(scene, k, side ? E : -E, &forces[side], &torques[side]);
        const Vec3 torque = change.torque_N_m, force = vec3_scale(vec3_sub(forces[1], forces[0]), 0.5 / E),
                   turning = vec3_scale(vec3_sub(torques[1], torques[0]), 0.5 / E);
        const double size = vec3_length(change.force_N) + vec3_length(torque);
        EXPECT_LT(vec3_length(vec3_sub(force, change.force_N)), 2e-4 * size) << k;
        EXPECT_LT(vec3_length(vec3_sub(turning, torque)), 2e-4 * size) << k;
    }
}

void expect_all(bool is_midpoint) {
    for (const uint32_t kind : {SHAPE_ELLIPSOID, SHAPE_SUPERQUADRIC, SHAPE_CYLINDER})
        for (const bool has_layer : {false, true})
            for (const bool has_axis : {false, true})
                for (const bool on_ball : {false, true})
                    for (const double slides : {0.01, 3.0}) {
                        if (on_ball && kind == SHAPE_CYLINDER) continue;
                        SCOPED_TRACE(::testing::Message() << kind << has_layer << has_axis << on_ball << " " << slides);
                        expect_derivatives({kind, has_layer, has_axis, on_ball, is_midpoint, slides});
                    }
}

TEST(QuasiDerivatives, AreThoseOfDifferences) { expect_all(false); }

// Where forces have the normal and the levers of the start.
TEST(QuasiDerivatives, OfMidpointStepsAreThoseOfDifferences) { expect_all(true); }

// A step that is solved, its multipliers unknowns: those of the linear equations follow the motion as columns say.
// Rounding of gaps counts as much as the stiffness.
void expect_of_unknown(const Tilted &of_case) {
    SceneBuilder b = tilted(of_case.kind, of_case.has_layer, of_case.has_axis);
    b.scene.is_midpoint = of_case.is_midpoint;
    b.bodies[1].velocity_m_per_s[0] = of_case.slides;
    b.bodies[1].velocity_m_per_s[2] = -1;
    for (size_t k = 0; k < 3; k++) b.bodies[1].angular_velocity_rad_per_s[k] = 0.3 * double(k) - 0.2;
    KernelScene scene(b);
    const SceneView *view = &scene.view;
    ASSERT_EQ(stepper_start(view, &scene.progress), 1u);
    QuasiNewton newton{};
    ASSERT_EQ(quasi_solve_unknown(view, S, 1 / S, KNOWN_STALE, &newton), 1u);
    view->slot->multiplier_share = QUASI_EPSILON_MOST;
    Contact *contact = chosen(scene);
    quasi_evaluate(view, contact, S, QUASI_FIRST);
    quasi_derive(view, contact);
    ASSERT_GT(contact->now.normal_N, 10);
    for (u32 k = 0; k < 6; k++) {
        const UnitChange change = unit_change(view, contact, &contact->step.quasi.last, k, S);
        Vec3 forces[2], torques[2];
        for (int side = 0; side < 2; side++) evaluate_beside(scene, k, side ? E : -E, &forces[side], &torques[side]);
        const Vec3 force = vec3_scale(vec3_sub(forces[1], forces[0]), 0.5 / E),
                   turning = vec3_scale(vec3_sub(torques[1], torques[0]), 0.5 / E);
        const double size = vec3_length(change.force_N) + vec3_length(change.torque_N_m);
        EXPECT_GT(size, 0.1) << k;
        EXPECT_LT(vec3_length(vec3_sub(force, change.force_N)), 2e-4 * size) << k;
        EXPECT_LT(vec3_length(vec3_sub(turning, change.torque_N_m)), 2e-4 * size) << k;
    }
}

// A can that lies across the edge of a box, which its side crosses beside a rim, its pose the trial state of body 1.
// near_m: gap of the nearest points; tilt: of the rim above the crossing.
void lay_across(KernelScene &scene, double overhang_m, double tilt, double yaw, double near_m) {
    const SceneView *view = &scene.view;
    BodyState *trial = &scene.works[1].step.trial;
    const Quat lies = quat_exp({0, M_PI / 2 + tilt, 0});
    trial->orientation = quat_multiply(quat_exp({0, 0, yaw}), lies);
    trial->position_m = {0.5 + 0.3 - overhang_m, 0.1, 0.2}; // 0.6 m long: that rim is as far from the edge
    NarrowOptions options = pair_narrow_options(view, 0, 1);
    options.flags |= SCENE_SINGLE_CONTACT;
    const PlacedPair placed = pair_place_both(view, 0, 1, &scene.works[0].step.trial, trial);
    const NarrowResult near =
        narrow_phase(&view->shapes[0], &placed.a.turn, &view->shapes[1], &placed.b.turn, placed.offset_m, 0, &options);
    trial->position_m.z += near_m - near.distance_m;
}

// How a contact's gap changes with shifts and rotations of body 1 is as derivatives say; returns how often it has a
// kink instead. Their sum for a force at the contact, per newton: it widens.
int expect_gap_follows(KernelScene &scene, const Contact &contact, int n) {
    const SceneView *view = &scene.view;
    const Body *body = &view->bodies[1];
    BodyState *trial = &scene.works[1].step.trial;
    const BodyState keep = *trial;
    const BodyChange none = jacobian_body_unchanged();
    int kinks = 0;
    for (int k = 0; k < 7; k++) { // shifts, rotations, and what a force at the contact does
        BodyChange by = none;
        if (k < 3) by.shift_m = vec3_unit(u32(k));
        if (k >= 3) by.turn = vec3_unit(u32(k % 3));
        if (k == 6) {
            const Vec3 about = vec3_cross(contact.now.lever_b_m, contact.now.normal);
            by.shift_m = vec3_scale(contact.now.normal, body->inverse_mass);
            by.turn = quat_rotate(keep.orientation,
                                  vec3_multiply(quat_rotate_back(keep.orientation, about), body->inverse_inertia));
        }
        double gaps[3]; // before, there, after
        for (int at = 0; at < 3; at++) {
            trial->position_m = vec3_add_scaled(keep.position_m, by.shift_m, 1e-9 * (at - 1));
            trial->orientation = quat_multiply(quat_exp(vec3_scale(by.turn, 1e-9 * (at - 1))), keep.orientation);
            gaps[at] = kinematics_of_trial(view, 0, 1, contact.pair.feature).gap_m;
            *trial = keep;
        }
        const double told = contact_move(&contact.step.quasi.geometry, &none, &by).gap_m;
        const double second = (gaps[2] - 2 * gaps[1] + gaps[0]) / 1e-9, slope = (gaps[2] - gaps[0]) / 2e-9;
        kinks += std::fabs(second) > 1e-5;
        EXPECT_TRUE(std::fabs(second) > 1e-5 || std::fabs(slope - told) < 2e-6 * (1 + std::fabs(told)))
            << n << " " << k << ": " << slope << " " << told;
        EXPECT_TRUE(k < 6 || told > 0.5 * body->inverse_mass) << n << " " << told;
    }
    return kinks;
}

// A box or a cylinder in place of the ground, and a can above it.
SceneBuilder can_above(uint32_t kind) {
    SceneBuilder b = ground(0.01, 1);
    b.shapes[0].kind = kind;
    for (size_t k = 0; k < 3; k++) b.shapes[0].size_m[k] = k < 2 ? 1 : 0.2;
    b.shapes[0].smoothing_m = 0.02;
    b.bodies[0].position_m[2] = -0.1;
    solid(b, SHAPE_CYLINDER, {0.2, 0.6, 0}, {0, 0, 5});
    return b;
}

Contact contact_at(u32 feature) {
    Contact contact{};
    contact.pair.body_b = contact.pair.shape_b = 1;
    contact.pair.feature = feature;
    return contact;
}

// Where the nearest points of rigid contacts fade by those of the deepest point, that gap too changes as is told, and
// a force at the contact widens it. That of the deepest point's overlap alone would not.
TEST(QuasiDerivatives, ForcesWidenGapsOfRigidContactsThatFade) {
    SceneBuilder b = can_above(SHAPE_BOX);
    KernelScene scene(b);
    const SceneView *view = &scene.view;
    const Shape *box = &view->shapes[0], *can = &view->shapes[1];
    const double same_m = manifold_same_m(box, can, MANIFOLD_DOME_RIGID);
    Contact contact = contact_at(manifold_point_count(box, can));
    ASSERT_TRUE(manifold_is_nearest(box, can, contact.pair.feature));
    int faded = 0, kinks = 0;
    for (int n = 0; n < 400; n++) {
        const double tilt = 2e-5 * std::pow(20, n % 10 / 9.0), beside_m = 0.02 + 0.001 * (n / 10);
        lay_across(scene, beside_m, tilt, 0.001 * (n % 7) - 0.003, -same_m * (1 + n % 3));
        coupling_evaluate(view, &contact);
        quasi_derive(view, &contact);
        if (contact.now.narrow_status != NARROW_FADED) continue;
        faded++;
        kinks += expect_gap_follows(scene, contact, n);
    }
    EXPECT_GT(faded, 150);
    EXPECT_LT(kinks, 10);
}

// The side of a can across edges of a box, and across the side of a cylinder.
TEST(QuasiDerivatives, GapsOfSidesThatCrossFollow) {
    for (const uint32_t kind : {SHAPE_BOX, SHAPE_CYLINDER}) {
        SceneBuilder b = can_above(kind);
        if (kind == SHAPE_CYLINDER) {
            b.bodies[0].rotation.kind = ROTATION_CARDAN;
            b.bodies[0].rotation.value[0] = M_PI / 2;
        }
        KernelScene scene(b);
        const SceneView *view = &scene.view;
        const Shape *below = &view->shapes[0], *can = &view->shapes[1];
        const u32 first = manifold_first_crossing(below, can),
                  count = narrow_feature_count(below, can, view->scene->flags);
        ASSERT_EQ(count - first, kind == SHAPE_BOX ? 12u : 1u);
        int crossings = 0, kinks = 0;
        for (int n = 0; n < 60; n++) {
            lay_across(scene, kind == SHAPE_BOX ? 0.1 : 0.7 + 0.01 * (n % 20), 0.003 * (n % 8) - 0.012,
                       0.1 * (n % 7) - 0.3, n % 2 ? 1e-7 : -1e-7);
            for (u32 feature = first; feature < count; feature++) {
                Contact contact = contact_at(feature);
                coupling_evaluate(view, &contact);
                if (!(std::fabs(contact.now.gap_m) < 1e-3)) continue;
                quasi_derive(view, &contact);
                crossings++;
                kinks += expect_gap_follows(scene, contact, n);
            }
        }
        EXPECT_GE(crossings, 40) << kind;
        EXPECT_LT(kinks, 3) << kind;
    }
}

TEST(QuasiDerivatives, OfUnknownMultipliersAreThoseOfDifferences) {
    for (const bool is_midpoint : {false, true})
        for (const bool has_layer : {false, true})
            for (const bool has_axis : {false, true})
                for (const double slides : {0.01, 3.0}) {
                    SCOPED_TRACE(::testing::Message() << is_midpoint << has_layer << has_axis << " " << slides);
                    expect_of_unknown({SHAPE_ELLIPSOID, has_layer, has_axis, false, is_midpoint, slides});
                }
}

} // namespace
