// Balls on planes side by side: ball_step.h, ball_step_implicit.h and ball_plan.h at the width SIDE_BY_SIDE, from
// contacts in private memory (ball_contact.h) into lanes and back. With SIDE_BY_SIDE 1 there is one lane.
#ifndef CLACK_FAST_BALL_LANES_H
#define CLACK_FAST_BALL_LANES_H

#include "base/lanes.h"
#include "geometry/narrow_phase.h"
#include "pairs/broad_phase.h"
#include "law/contact_law.h"
#include "integrate/motion.h"
#include "integrate/plan_friction.h"
#include "integrate/rodas.h"
#include "integrate/step_plan.h"
#include "fast/ball_contact.h"

#define LANE_WIDTH SIDE_BY_SIDE
#if SIDE_BY_SIDE > 1
#include "fast/ball_rate.h"
#endif
#include "fast/ball_step.h"
#if SIDE_BY_SIDE > 1
#include "fast/ball_step_implicit.h"
#include "integrate/overlap_plan.h"
#include "fast/ball_plan.h"
#endif
#undef LANE_WIDTH

// Are implicit steps taken in lanes too? One lane alone gives the bits of ball_contact_implicit.h, which is there in
// any case, and takes OpenCL's compiler a twentieth more time.
#define HAS_LANES_IMPLICIT (SIDE_BY_SIDE > 1)

/// Are steps by this method taken in lanes?
FN_SHORT u32 ball_lanes_take(u32 is_implicit) { return HAS_LANES_IMPLICIT || is_implicit == 0 ? 1u : 0u; }

typedef WIDE_NAME(BallStep) BallSteps;
typedef WIDE_NAME(BallEvaluation) BallEvaluations;

/// What stays as it is from step to step of the k-th.
FN void ball_lanes_load(BallSteps *to, u32 k, const BallContact *contact) {
    u32 is_a = contact->plane_is_b;
    const BallBody *ball = is_a ? &contact->a : &contact->b, *plane = is_a ? &contact->b : &contact->a;
    Vec3 up = narrow_axis_z(contact->placed.turn), down = vec3_negate(up);
    wide_put(&to->up, k, up);
    wide_put(&to->down, k, down);
    wide_put(&to->normal, k, is_a ? down : vec3_negate(down));
    wide_put(&to->plane_m, k, plane->at.position_m);
    wide_put(&to->arm_m, k, contact->placed.arm_m);
    wide_put(&to->gravity_m_per_s2, k, contact->gravity_m_per_s2);
    wide_put(&to->inverse_inertia, k, ball->inverse_inertia);
    LANE_AT(to->ball_m, k) = is_a ? contact->ball_a_m : contact->ball_b_m;
    LANE_AT(to->inverse_mass, k) = ball->inverse_mass;
    LANE_AT(to->is_a, k) = is_a ? 1.0 : 0.0;
}

/// The start of a step of h of the k-th.
FN void ball_lanes_load_step(BallSteps *to, u32 k, const BallContact *contact, real h) {
    const BallBody *ball = contact->plane_is_b ? &contact->a : &contact->b;
    const BallRate *rate = &ball->rates[0].rate;
    Law law = law_of(contact->constants, contact->law, 0); // its damping changes where a step strikes
    law_put(&to->law, k, &law);
    LANE_AT(to->h, k) = h;
    wide_put(&to->start.position_m, k, ball->start.position_m);
    wide_put(&to->start.velocity_m_per_s, k, ball->start.velocity_m_per_s);
    wide_put(&to->start.spin_rad_per_s, k, ball->start.spin_rad_per_s);
    wide_put(&to->rates[0].velocity, k, rate->velocity);
    wide_put(&to->rates[0].acceleration, k, rate->acceleration);
    wide_put(&to->rates[0].spin_rate, k, rate->spin_rate);
    wide_put(&to->rates[0].spin, k, rate->spin);
    wide_put(&to->start_force_N, k, contact->start_force_N);
    LANE_AT(to->start_loss_W, k) = contact->start_loss_W;
}

FN void ball_lanes_store_state(const WIDE_NAME(BallState) * from, u32 k, BallState *state) {
    state->position_m = wide_get(&from->position_m, k);
    state->velocity_m_per_s = wide_get(&from->velocity_m_per_s, k);
    state->spin_rad_per_s = wide_get(&from->spin_rad_per_s, k);
}

FN void ball_lanes_store_rate(const WIDE_NAME(BallRate) * from, u32 k, BallRate *rate) {
    rate->velocity = wide_get(&from->velocity, k);
    rate->acceleration = wide_get(&from->acceleration, k);
    rate->spin_rate = wide_get(&from->spin_rate, k);
    rate->spin = wide_get(&from->spin, k);
}

/// What an evaluation has found of the k-th contact.
FN void ball_lanes_store_evaluation(const BallEvaluations *from, u32 k, u32 is_a, PairKinematics *kinematics,
                                    LawForce *force) {
    kinematics->gap_m = LANE_AT(from->gap_m, k);
    kinematics->error_m = LANE_AT(from->error_m, k);
    kinematics->rate_m_per_s = LANE_AT(from->rate_m_per_s, k);
    kinematics->lever_a_m = wide_get(is_a ? &from->lever_m : &from->lever_plane_m, k);
    kinematics->lever_b_m = wide_get(is_a ? &from->lever_plane_m : &from->lever_m, k);
    kinematics->spin_rad_per_s = wide_get(&from->spin_rad_per_s, k);
    kinematics->status = NARROW_OK;
    force->force_N = wide_get(&from->force.force_N, k);
    force->torque_N_m = wide_get(&from->force.torque_N_m, k);
    force->normal_N = LANE_AT(from->force.normal_N, k);
    force->loss_W = LANE_AT(from->force.loss_W, k);
    force->slip_m_per_s = LANE_AT(from->force.slip_m_per_s, k);
    force->closing_m_per_s = LANE_AT(from->force.closing_m_per_s, k);
}

/// The end of the step that the k-th has been taken through, and its error.
FN void ball_lanes_store(const BallSteps *from, const BallEvaluations *now, u32 k, BallContact *contact) {
    u32 is_a = contact->plane_is_b;
    BallBody *ball = is_a ? &contact->a : &contact->b;
    ball_lanes_store_state(&from->at, k, &ball->at);
    ball_lanes_store_rate(&from->rates[STAGES - 1], k, &ball->rates[STAGES - 1].rate);
    ball->turned = wide_get(&from->turned, k);
    Vec3 errors = wide_get(&from->errors, k);
    ball->error_velocity = errors.x;
    ball->error_acceleration = errors.y;
    ball->error_spin_rate = errors.z;
    ball->path_m = LANE_AT(from->path_m, k);
    contact->kinematics.normal = wide_get(&from->normal, k);
    ball_lanes_store_evaluation(now, k, is_a, &contact->kinematics, &contact->force);
    contact->impulse_N_s = wide_get(&from->impulse_N_s, k);
    contact->loss_J = LANE_AT(from->loss_J, k);
}

/// All lanes through their steps, explicitly or, with solved_h > 0, implicitly.
FN_SHORT void ball_lanes_take_step(BallSteps *steps, BallEvaluations *now, real solved_h) {
#if HAS_LANES_IMPLICIT
    if (solved_h > 0.0) {
        WIDE_NAME(ball_step_try_implicitly)(steps, WIDE_NAME(lane_of)(solved_h), now);
        return;
    }
#else
    (void)solved_h;
#endif
    WIDE_NAME(ball_step_try)(steps, now);
}

/// A contact of a ball with a plane that does not move through a step of h, implicitly where solved_h > 0.
FN_ONCE void ball_lanes_try_one(BallContact *contact, real h, real solved_h) {
    BallSteps steps = ALL_ZERO; // unused lanes are evaluated as well, and must not hold NaN
    BallEvaluations now;
    ball_lanes_load(&steps, 0, contact);
    ball_lanes_load_step(&steps, 0, contact, h);
    ball_lanes_take_step(&steps, &now, solved_h);
    ball_lanes_store(&steps, &now, 0, contact);
}

/// Contacts of balls with planes that do not move, at most SIDE_BY_SIDE of them, through a step of h: ball_contact_step
/// of each.
FN_WAY void ball_lanes_step(const SceneView *view, GLOBAL Contact **contacts, u32 count, u32 is_implicit, real h,
                            real solved_h) {
    BallSteps steps = ALL_ZERO;
    BallEvaluations now;
    BallContact loaded[SIDE_BY_SIDE];
    for (u32 k = 0; k < count; k++) {
        ball_load(view, contacts[k], &loaded[k]);
        ball_lanes_load(&steps, k, &loaded[k]);
        ball_lanes_load_step(&steps, k, &loaded[k], h);
    }
    ball_lanes_take_step(&steps, &now, is_implicit != 0 ? solved_h : 0.0);
    for (u32 k = 0; k < count; k++) {
        BallBody *ball = loaded[k].plane_is_b ? &loaded[k].a : &loaded[k].b;
        ball_lanes_store(&steps, &now, k, &loaded[k]);
        for (u32 stage = 1; stage < STAGES - 1u; stage++)
            ball_lanes_store_rate(&steps.rates[stage], k, &ball->rates[stage].rate);
        ball_store_step(view, &loaded[k], h, is_implicit);
    }
}

#endif
