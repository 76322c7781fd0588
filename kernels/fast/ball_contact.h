// Explicit stages of ball contacts. Their bodies touch nothing else: a ball with another ball, a plane or a
// fixed solid with a distance in closed form. All is in private memory. The arithmetic is that of substep.h, bit
// for bit.
#ifndef CLACK_FAST_BALL_CONTACT_H
#define CLACK_FAST_BALL_CONTACT_H

#include "geometry/shape.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/contact_law.h"
#include "integrate/motion.h"

#define LANE_WIDTH 1
#include "fast/ball_rate.h"
#undef LANE_WIDTH

#define BALL_RATE_NUMBERS (sizeof(BallRate) / sizeof(real))

typedef union BallRateRow {
    real numbers[BALL_RATE_NUMBERS];
    BallRate rate;
} BallRateRow;

// One of the two bodies.
typedef struct BallBody {
    u32 body;
    u32 moves;
    real inverse_mass;
    Vec3 inverse_inertia;
    real path_m;                                              // bound of its path in the step just tried
    Quat orientation;                                         // at the start
    BallState start, at;                                      // at the present stage
    Vec3 turned;                                              // in the step just tried, without the motion of its axis
    real error_velocity, error_acceleration, error_spin_rate; // embedded error: ball_estimate
    BallRateRow rates[STAGES];
} BallBody;

typedef struct BallContact {
    GLOBAL Contact *contact;
    BallBody a, b;
    GLOBAL const Shape *shape_a, *shape_b;
    u32 plane_is_b, plane_is_a; // 1: that shape is a plane; if neither is:
    u32 core_is_b, core_is_a;   // 1: that shape is a solid; if neither is, both are balls
    u32 is_on_fixed_plane;      // 1: ball on a plane that does not move
    real ball_a_m, ball_b_m;
    PlacedShape placed; // of the plane or the solid
    NarrowOptions options;
    LawConstants constants;
    ContactLaw law;
    Vec3 gravity_m_per_s2;
    Vec3 start_force_N; // at the start of the step
    real start_loss_W;
    PairKinematics kinematics; // at the end of the step
    LawForce force;
    Vec3 impulse_N_s; // of the step, on B
    real loss_J;
} BallContact;

/// Is a contact that of a ball with a plane that does not move?
FN_SHORT u32 ball_is_on_fixed_plane(const SceneView *view, GLOBAL const Contact *contact) {
    u32 plane_is_a = kind_is(view->shapes[contact->shape_a].kind, SHAPE_HALF_SPACE);
    if (!plane_is_a && !kind_is(view->shapes[contact->shape_b].kind, SHAPE_HALF_SPACE)) return 0;
    return contact_stands(view, plane_is_a ? contact->body_a : contact->body_b);
}

/// A body at the start of a step, whose rates are known.
FN void ball_load_body(const SceneView *view, u32 b, BallBody *pair) {
    BodyRate rate = view->works[b].rates[0];
    BodyState start = view->states[b];
    pair->body = b;
    pair->moves = body_moves(view, b);
    pair->path_m = 0.0;
    pair->inverse_mass = view->bodies[b].inverse_mass;
    pair->inverse_inertia = view->bodies[b].inverse_inertia;
    pair->orientation = start.orientation;
    pair->start.position_m = start.position_m;
    pair->start.velocity_m_per_s = start.velocity_m_per_s;
    pair->start.spin_rad_per_s = start.spin_rad_per_s;
    pair->at = pair->start;
    pair->rates[0].rate.velocity = rate.velocity;
    pair->rates[0].rate.acceleration = rate.acceleration;
    pair->rates[0].rate.spin_rate = rate.spin_rate;
    pair->rates[0].rate.spin = vec3_make(rate.turning.x, rate.turning.y, rate.turning.z);
}

FN void ball_load(const SceneView *view, GLOBAL Contact *contact, BallContact *pair) {
    GLOBAL const Shape *a = &view->shapes[contact->shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->shape_b];
    pair->contact = contact;
    ball_load_body(view, a->body, &pair->a);
    ball_load_body(view, b->body, &pair->b);
    pair->shape_a = a;
    pair->shape_b = b;
    pair->plane_is_a = kind_is(a->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    pair->plane_is_b = kind_is(b->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    u32 is_balls = pair_is_of_balls(view, a, b);
    pair->core_is_a = is_balls || view->bodies[b->body].flags & BODY_FIXED ? 0u : 1u;
    pair->core_is_b = is_balls || pair->core_is_a ? 0u : 1u;
    pair->is_on_fixed_plane = ball_is_on_fixed_plane(view, contact);
    if (pair->core_is_a | pair->core_is_b)
        pair->options = pair_narrow_options(view, contact->shape_a, contact->shape_b);
    pair->ball_a_m = shape_ball_radius(a);
    pair->ball_b_m = shape_ball_radius(b);
    u32 fixed = pair->plane_is_a | pair->core_is_a ? contact->shape_a : contact->shape_b;
    pair->placed = pair_place_shape(view, fixed, &view->states[view->shapes[fixed].body]);
    pair->constants = contact_constants(contact);
    pair->law = view->laws[contact->law];
    pair->gravity_m_per_s2 = scene_gravity(view, vec3_zero());
    pair->start_force_N = contact->start_force_N;
    pair->start_loss_W = contact->start_loss_W;
}

/// Sum of `count` rates weighted by a row of a tableau, as motion_blend.
VECTOR_FN void ball_blend(const BallRateRow *rates, CONSTANT_POINTER const real *row, u32 count, BallRateRow *out) {
    BallRateRow sum;
    real weight = row[0];
    for (u32 i = 0; i < BALL_RATE_NUMBERS; i++) sum.numbers[i] = rates->numbers[i] * weight;
    ROLLED for (u32 j = 1; j < count; j++) {
        rates++;
        weight = row[j];
        for (u32 i = 0; i < BALL_RATE_NUMBERS; i++)
            sum.numbers[i] = real_fma(rates->numbers[i], weight, sum.numbers[i]);
    }
    *out = sum;
}

/// The state at a stage: the start moved by h times a weighted sum of the rates before (motion_blend, motion_move).
/// The last rate has just been written number by number: a processor would wait if it were read as a vector.
FN void ball_move(BallBody *body, u32 stage, real h) {
    u32 last = u32_min(stage, TABLEAU_COLUMNS) - 1u;
    const BallRate *rate = &body->rates[last].rate;
    real weight = TSIT5[stage][last];
    BallRate sum;
    if (last == 0) {
        sum.velocity = vec3_scale(rate->velocity, weight);
        sum.acceleration = vec3_scale(rate->acceleration, weight);
        sum.spin_rate = vec3_scale(rate->spin_rate, weight);
    } else {
        BallRateRow before;
        ball_blend(body->rates, TSIT5[stage], last, &before);
        sum.velocity = vec3_add_scaled(before.rate.velocity, rate->velocity, weight);
        sum.acceleration = vec3_add_scaled(before.rate.acceleration, rate->acceleration, weight);
        sum.spin_rate = vec3_add_scaled(before.rate.spin_rate, rate->spin_rate, weight);
        if (stage == STAGES - 1) body->turned = vec3_scale(vec3_add_scaled(before.rate.spin, rate->spin, weight), h);
    }
    BallState *at = &body->at;
    at->position_m = vec3_add_scaled(body->start.position_m, sum.velocity, h);
    at->velocity_m_per_s = vec3_add_scaled(body->start.velocity_m_per_s, sum.acceleration, h);
    at->spin_rad_per_s = vec3_add_scaled(body->start.spin_rad_per_s, sum.spin_rate, h);
}

FN_SHORT void ball_rate(const BallContact *pair, BallBody *body, u32 stage, Vec3 force_N, Vec3 torque_N_m) {
    BallRate *rate = &body->rates[stage].rate;
    rate->velocity = body->at.velocity_m_per_s;
    rate->spin = body->at.spin_rad_per_s;
    rate->acceleration = vec3_add_scaled(pair->gravity_m_per_s2, force_N, body->inverse_mass);
    rate->spin_rate = vec3_multiply(torque_N_m, body->inverse_inertia);
}

FN_SHORT PairKinematics ball_kinematics(const BallContact *pair) {
    const BallState *a = &pair->a.at, *b = &pair->b.at;
    Vec3 centres = vec3_sub(b->position_m, a->position_m);
    PlacedShape placed = pair->placed; // a local copy: LLVM for GPUs would read the original byte by byte
    PairKinematics kinematics;
    if (pair->plane_is_b)
        kinematics = kinematics_on_plane(pair->ball_a_m, placed, centres);
    else if (pair->plane_is_a)
        kinematics = kinematics_swapped(kinematics_on_plane(pair->ball_b_m, placed, vec3_negate(centres)));
    else if (pair->core_is_a | pair->core_is_b)
        kinematics = kinematics_of_core(pair->shape_a, pair->shape_b, placed, pair->core_is_a, centres, &pair->options);
    else
        kinematics = kinematics_of_balls(pair->ball_a_m, pair->ball_b_m, centres);
    return kinematics_of_moving(kinematics, a->velocity_m_per_s, a->spin_rad_per_s, b->velocity_m_per_s,
                                b->spin_rad_per_s);
}

/// Keep the contact at the end of the step; at other stages add to its impulse and loss.
FN_SHORT void ball_hand_over(BallContact *pair, PairKinematics kinematics, LawForce force, u32 stage, real h) {
    if (stage == STAGES - 1) {
        pair->kinematics = kinematics;
        pair->force = force;
        return;
    }
    real weight = h * TSIT5[STAGES - 1][stage];
    pair->impulse_N_s = vec3_add_scaled(pair->impulse_N_s, force.force_N, weight);
    pair->loss_J = real_fma(force.loss_W, weight, pair->loss_J);
}

/// Evaluate the contact at a stage: impulse, loss, and the rates of both bodies.
FN void ball_evaluate(const SceneView *view, BallContact *pair, u32 stage, real h) {
    PairKinematics kinematics = ball_kinematics(pair);
    LawConstants constants = pair->constants;
    ContactLaw law = pair->law;
    Law numbers = law_of(constants, law, view->scene->flags);
    LawForce force = law_force(&numbers, -kinematics.gap_m, kinematics.normal, kinematics.velocity_m_per_s,
                               kinematics.spin_rad_per_s);
    if (pair->a.moves) {
        Vec3 torque = vec3_negate(vec3_add(vec3_cross(kinematics.lever_a_m, force.force_N), force.torque_N_m));
        ball_rate(pair, &pair->a, stage, vec3_sub(vec3_zero(), force.force_N), torque);
    }
    if (pair->b.moves) {
        Vec3 torque = vec3_add(vec3_cross(kinematics.lever_b_m, force.force_N), force.torque_N_m);
        ball_rate(pair, &pair->b, stage, force.force_N, torque);
    }
    ball_hand_over(pair, kinematics, force, stage, h);
}

/// All stages of a step of h.
FN void ball_try(const SceneView *view, BallContact *pair, real h) {
    pair->impulse_N_s = vec3_scale(pair->start_force_N, h * TSIT5[STAGES - 1][0]);
    pair->loss_J = pair->start_loss_W * (h * TSIT5[STAGES - 1][0]);
    for (u32 stage = 1; stage < STAGES; stage++) {
        if (pair->a.moves) ball_move(&pair->a, stage, h);
        if (pair->b.moves) ball_move(&pair->b, stage, h);
        ball_evaluate(view, pair, stage, h);
    }
}

/// Embedded error of the mean rates over the step just tried, the largest component of each.
FN void ball_estimate(BallBody *body) {
    BallRateRow sum;
    ball_blend(body->rates, TSIT5_ERROR, STAGES, &sum);
    body->error_velocity = vec3_max_abs(sum.rate.velocity);
    body->error_acceleration = vec3_max_abs(sum.rate.acceleration);
    body->error_spin_rate = vec3_max_abs(sum.rate.spin_rate);
}

/// The trial state and the end's rates of a ball.
FN void ball_store_trial(const SceneView *view, const BallBody *body, real h) {
    GLOBAL BodyWork *work = &view->works[body->body];
    const BallRate *last = &body->rates[STAGES - 1].rate;
    Quat orientation = body->orientation;
    work->trial.position_m = body->at.position_m;
    work->trial.velocity_m_per_s = body->at.velocity_m_per_s;
    work->trial.spin_rad_per_s = body->at.spin_rad_per_s;
    work->trial.orientation =
        motion_turn_ball(orientation, body->turned, body->start.spin_rad_per_s, body->at.spin_rad_per_s, h);
    GLOBAL BodyRate *rate = &work->rates[STAGES - 1];
    rate->velocity = last->velocity;
    rate->turning = quat_make(0.0, last->spin.x, last->spin.y, last->spin.z);
    rate->acceleration = last->acceleration;
    rate->spin_rate = last->spin_rate;
}

/// Store the rates of the stages between, from which the error of a step follows. is_implicit: that error, in place
/// of the first.
FN void ball_store_rates(const SceneView *view, const BallBody *body, u32 is_implicit) {
    for (u32 stage = 1; stage < (is_implicit ? 2u : STAGES - 1u); stage++) {
        GLOBAL BodyRate *rate = &view->works[body->body].rates[stage];
        rate->velocity = body->rates[stage].rate.velocity;
        rate->acceleration = body->rates[stage].rate.acceleration;
        rate->spin_rate = body->rates[stage].rate.spin_rate;
    }
}

/// Store the end of a step of h of a contact.
FN void ball_store_step(const SceneView *view, const BallContact *pair, real h, u32 is_implicit) {
    if (pair->a.moves) ball_store_trial(view, &pair->a, h);
    if (pair->b.moves) ball_store_trial(view, &pair->b, h);
    if (pair->a.moves) ball_store_rates(view, &pair->a, is_implicit);
    if (pair->b.moves) ball_store_rates(view, &pair->b, is_implicit);
    contact_keep_from(pair->contact, &pair->kinematics, &pair->force);
    pair->contact->step_impulse_N_s = pair->impulse_N_s;
    pair->contact->step_loss_J = pair->loss_J;
}

#endif
