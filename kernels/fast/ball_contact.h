// Steps of ball contacts. Their bodies touch nothing else: a ball with another ball, a plane or a fixed solid with a
// distance in closed form. All is in private memory. Explicit steps have the bits of substep.h.
#ifndef CLACK_FAST_BALL_CONTACT_H
#define CLACK_FAST_BALL_CONTACT_H

#include "geometry/shape.h"
#include "pairs/broad_phase.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "integrate/step_plan.h"

#define LANE_WIDTH 1
#include "fast/ball_body.h"
#include "fast/ball_touch.h"
#undef LANE_WIDTH

// A fixed solid and a ball about a centre of mass, in the order of their contact.
typedef struct BallSolid {
    GLOBAL const Shape *shape_a, *shape_b;
    u32 is_a; // 1: the solid is A
    PlacedShape placed;
    NarrowOptions options;
} BallSolid;

/// Gap, normal and contact point. centres_m: of the ball minus the solid.
FN_SHORT void ball_solid_kinematics(const BallSolid *solid, Vec3 centres_m, BallEvaluation *now) {
    PlacedShape placed = solid->placed; // a local copy: LLVM for GPUs would read the original byte by byte
    Vec3 centres = solid->is_a ? centres_m : vec3_negate(centres_m);
    PairKinematics kinematics =
        kinematics_of_core(solid->shape_a, solid->shape_b, placed, solid->is_a, centres, &solid->options);
    if (!solid->is_a) kinematics = kinematics_swapped(kinematics);
    ball_touch_take(&kinematics, now);
}

#define LANE_WIDTH 1
#include "fast/ball_step.h"
#include "fast/ball_step_implicit.h"
#undef LANE_WIDTH

typedef struct BallContact {
    GLOBAL Contact *contact;
    BallBody other;        // A of the step
    BallStep step;         // with B
    BallEvaluation end;    // of the step
    u32 is_on_fixed_plane; // 1: ball on a plane that does not move
} BallContact;

/// Is a contact that of a ball with a plane that does not move?
FN_SHORT u32 ball_is_on_fixed_plane(const SceneView *view, GLOBAL const Contact *contact) {
    u32 plane_is_a = kind_is(view->shapes[contact->pair.shape_a].kind, SHAPE_HALF_SPACE);
    if (!plane_is_a && !kind_is(view->shapes[contact->pair.shape_b].kind, SHAPE_HALF_SPACE)) return 0;
    return contact_body_is_immobile(view, plane_is_a ? contact->pair.body_a : contact->pair.body_b);
}

/// What is done to B of a touch, as done to B of its contact, and the other way round.
FN_SHORT Vec3 ball_touch_done(const BallTouch *touch, Vec3 to_b) {
    return touch->is_swapped > 0.5 ? vec3_negate(to_b) : to_b;
}

/// The touch of a contact, of bodies A and B: those of the contact or, if that is swapped, B and A.
FN void ball_touch_load(const SceneView *view, GLOBAL const Contact *contact, BallTouch *touch) {
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a], *b = &view->shapes[contact->pair.shape_b];
    u32 plane_is_b = kind_is(b->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    u32 is_plane = plane_is_b | (kind_is(a->kind, SHAPE_HALF_SPACE) ? 1u : 0u), is_swapped = plane_is_b;
    touch->kind = is_plane ? TOUCH_PLANE : TOUCH_BALLS;
    if (!pair_is_of_balls(view, a, b)) {
        touch->kind = TOUCH_SOLID;
        is_swapped = view->bodies[b->body].flags & BODY_FIXED ? 1u : 0u;
    }
    touch->is_swapped = is_swapped ? 1.0 : 0.0;
    touch->ball_m = shape_ball_radius(is_swapped ? a : b);
    touch->other_m = shape_ball_radius(is_swapped ? b : a);
    if (is_plane) {
        u32 plane = is_swapped ? contact->pair.shape_b : contact->pair.shape_a;
        GLOBAL const BodyState *state = &view->states[view->shapes[plane].body];
        PlacedShape placed = pair_place_shape(view, plane, state);
        touch->down = vec3_negate(narrow_axis_z(placed.turn));
        touch->normal = vec3_negate(touch->down);
        touch->arm_m = placed.arm_m;
        touch->plane_m = state->position_m;
    }
    touch->law = law_numbers(COPY(contact->law), COPY(view->laws[contact->pair.law]), view->scene->flags);
    touch->start_force_N = ball_touch_done(touch, COPY(contact->start.force_N));
    touch->start_loss_W = contact->start.loss_W;
}

/// Keep an evaluation of a touch with its contact.
FN void ball_touch_keep(const BallTouch *touch, const BallEvaluation *now, GLOBAL Contact *contact) {
    PairKinematics kinematics;
    LawForce force = now->force;
    u32 is_swapped = touch->is_swapped > 0.5 ? 1u : 0u;
    force.force_N = ball_touch_done(touch, force.force_N);
    force.torque_N_m = ball_touch_done(touch, force.torque_N_m);
    kinematics.gap_m = now->gap_m;
    kinematics.error_m = now->error_m;
    kinematics.rate_m_per_s = now->rate_m_per_s;
    kinematics.status = now->status;
    kinematics.normal = ball_touch_done(touch, COPY(now->normal));
    kinematics.lever_a_m = is_swapped ? now->lever_b_m : now->lever_a_m;
    kinematics.lever_b_m = is_swapped ? now->lever_a_m : now->lever_b_m;
    kinematics.spin_rad_per_s = now->spin_rad_per_s; // its length alone is kept
    contact_store_from(contact, &kinematics, &force);
}

/// Keep the end of a step, and what it hands over.
FN void ball_touch_keep_step(const BallTouch *touch, const BallEvaluation *end, GLOBAL Contact *contact) {
    ball_touch_keep(touch, end, contact);
    contact->trial.impulse_N_s = ball_touch_done(touch, COPY(touch->impulse_N_s));
    contact->trial.loss_J = touch->loss_J;
}

/// A body at the start of a step, whose rates are known.
FN void ball_load_body(const SceneView *view, u32 b, BallBody *ball) {
    BodyRate rate = view->works[b].step.rates[0];
    BodyState start = view->states[b];
    ball->body = b;
    ball->moves = body_moves(view, b);
    ball->path_m = 0.0;
    ball->inverse_mass = view->bodies[b].inverse_mass;
    ball->inverse_inertia = view->bodies[b].inverse_inertia;
    ball->orientation = start.orientation;
    ball->start.position_m = start.position_m;
    ball->start.velocity_m_per_s = start.velocity_m_per_s;
    ball->start.spin_rad_per_s = start.spin_rad_per_s;
    ball->at = ball->start;
    ball->rates[0].velocity = rate.velocity;
    ball->rates[0].acceleration = rate.acceleration;
    ball->rates[0].spin_rate = rate.spin_rate;
    ball->rates[0].spin = vec3_make(rate.orientation_rate.x, rate.orientation_rate.y, rate.orientation_rate.z);
}

FN void ball_load(const SceneView *view, GLOBAL Contact *contact, BallContact *pair) {
    BallStep *step = &pair->step;
    pair->contact = contact;
    pair->is_on_fixed_plane = ball_is_on_fixed_plane(view, contact);
    ball_touch_load(view, contact, &step->touch);
    u32 is_swapped = step->touch.is_swapped > 0.5 ? 1u : 0u;
    ball_load_body(view, is_swapped ? contact->pair.body_b : contact->pair.body_a, &pair->other);
    ball_load_body(view, is_swapped ? contact->pair.body_a : contact->pair.body_b, &step->ball);
    step->gravity_m_per_s2 = scene_gravity(view, vec3_zero());
    if (!HAS(CONTENT_SOLIDS) || step->touch.kind != TOUCH_SOLID) return;
    u32 solid = is_swapped ? contact->pair.shape_b : contact->pair.shape_a;
    step->solid.shape_a = &view->shapes[contact->pair.shape_a];
    step->solid.shape_b = &view->shapes[contact->pair.shape_b];
    step->solid.is_a = is_swapped ? 0u : 1u;
    step->solid.placed = pair_place_shape(view, solid, &view->states[view->shapes[solid].body]);
    step->solid.options = pair_narrow_options(view, contact->pair.shape_a, contact->pair.shape_b);
}

/// Motion and rates of a ball, as they are kept: number by number, since a struct would be written twice.
FN_SHORT void ball_put_state(const BallState *at, Quat orientation, GLOBAL BodyState *to) {
    to->position_m = at->position_m;
    to->velocity_m_per_s = at->velocity_m_per_s;
    to->spin_rad_per_s = at->spin_rad_per_s;
    to->orientation = orientation;
}

FN_SHORT void ball_put_rate(const BallRate *rate, GLOBAL BodyRate *to) {
    to->velocity = rate->velocity;
    to->orientation_rate = quat_make(0.0, rate->spin.x, rate->spin.y, rate->spin.z);
    to->acceleration = rate->acceleration;
    to->spin_rate = rate->spin_rate;
}

/// Its orientation at the end of the step of h just tried.
FN Quat ball_turned(const BallBody *ball, real h) {
    return motion_rotate_ball(COPY(ball->orientation), COPY(ball->turned), COPY(ball->start.spin_rad_per_s),
                              COPY(ball->at.spin_rad_per_s), h);
}

/// The trial state and the end's rates of a ball.
FN void ball_store_trial(const SceneView *view, const BallBody *ball, real h) {
    GLOBAL BodyWork *work = &view->works[ball->body];
    ball_put_state(&ball->at, ball_turned(ball, h), &work->step.trial);
    ball_put_rate(&ball->rates[STAGES - 1], &work->step.rates[STAGES - 1]);
}

/// Store the end of a step of h of a ball, and the rates of the stages between, from which the error of the step
/// follows. is_implicit: that error, in place of the first.
FN void ball_store_step(const SceneView *view, const BallBody *ball, real h, u32 is_implicit) {
    if (!ball->moves) return;
    ball_store_trial(view, ball, h);
    for (u32 stage = 1; stage < (is_implicit ? 2u : STAGES - 1u); stage++)
        ball_put_rate(&ball->rates[stage], &view->works[ball->body].step.rates[stage]);
}

/// Try a step of h of a contact by either method.
FN void ball_try(BallContact *pair, u32 is_implicit, real h, real solved_h) {
    pair->step.h = h;
    if (is_implicit)
        ball_step_try_implicitly(&pair->step, &pair->other, solved_h, &pair->end);
    else
        ball_step_try(&pair->step, &pair->other, &pair->end);
}

/// The two bodies of a contact through a step of h by either method, as substep_try_contacts does for other bodies.
FN_WAY void ball_contact_step(const SceneView *view, GLOBAL Contact *contact, real h, real solved_h) {
    u32 is_implicit = rodas_is_implicit(view, contact);
    BallContact pair;
    ball_load(view, contact, &pair);
    ball_try(&pair, is_implicit, h, solved_h);
    ball_store_step(view, &pair.other, h, is_implicit);
    ball_store_step(view, &pair.step.ball, h, is_implicit);
    ball_touch_keep_step(&pair.step.touch, &pair.end, contact);
}

#endif
