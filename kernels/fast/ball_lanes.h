// Balls on planes side by side: ball_step.h, ball_step_implicit.h and ball_plan.h at the width SIDE_BY_SIDE, from
// contacts in private memory (ball_contact.h) into lanes and back.
#ifndef CLACK_FAST_BALL_LANES_H
#define CLACK_FAST_BALL_LANES_H

#include "base/lanes.h"
#include "geometry/narrow_phase.h"
#include "pairs/broad_phase.h"
#include "law/law_damping.h"
#include "integrate/motion.h"
#include "integrate/plan_friction.h"
#include "integrate/rodas.h"
#include "integrate/step_plan.h"
#include "fast/ball_contact.h"

#if SIDE_BY_SIDE > 1

#define LANE_WIDTH SIDE_BY_SIDE
#include "fast/ball_body.h"
#include "fast/ball_touch.h"
#include "fast/ball_step.h"
#include "fast/ball_step_implicit.h"
#include "integrate/overlap_plan.h"
#include "fast/ball_plan.h"
#undef LANE_WIDTH

typedef WIDE_NAME(BallStep) BallSteps;
typedef WIDE_NAME(BallEvaluation) BallEvaluations;

/// What stays as it is from step to step of the k-th.
FN void ball_lanes_load(BallSteps *to, u32 k, const BallContact *contact) {
    const BallTouch *touch = &contact->step.touch;
    const BallBody *ball = &contact->step.ball;
    WIDE_PUT(&to->touch.law, k, &touch->law);
    wide_put(&to->touch.down, k, touch->down);
    wide_put(&to->touch.normal, k, touch->normal);
    wide_put(&to->touch.plane_m, k, touch->plane_m);
    wide_put(&to->touch.arm_m, k, touch->arm_m);
    wide_put(&to->gravity_m_per_s2, k, contact->step.gravity_m_per_s2);
    wide_put(&to->ball.inverse_inertia, k, ball->inverse_inertia);
    LANE_AT(to->ball.inverse_mass, k) = ball->inverse_mass;
    LANE_AT(to->touch.ball_m, k) = touch->ball_m;
    LANE_AT(to->touch.is_swapped, k) = touch->is_swapped;
}

/// The start of a step of h of the k-th.
FN void ball_lanes_load_step(BallSteps *to, u32 k, const BallContact *contact, real h) {
    const BallTouch *touch = &contact->step.touch;
    const BallBody *ball = &contact->step.ball;
    LANE_AT(to->h, k) = h;
    WIDE_PUT(&to->ball.start, k, &ball->start);
    WIDE_PUT(&to->ball.rates[0], k, &ball->rates[0]);
    wide_put(&to->touch.start_force_N, k, touch->start_force_N);
    LANE_AT(to->touch.start_loss_W, k) = touch->start_loss_W;
}

/// What an evaluation has found of the k-th contact.
FN void ball_lanes_store_evaluation(const BallEvaluations *from, u32 k, BallEvaluation *to) {
    to->normal = wide_get(&from->normal, k);
    to->gap_m = LANE_AT(from->gap_m, k);
    to->error_m = LANE_AT(from->error_m, k);
    to->rate_m_per_s = LANE_AT(from->rate_m_per_s, k);
    to->lever_a_m = wide_get(&from->lever_a_m, k);
    to->lever_b_m = wide_get(&from->lever_b_m, k);
    to->spin_rad_per_s = wide_get(&from->spin_rad_per_s, k);
    to->status = NARROW_OK;
    WIDE_GET(&from->force, k, &to->force);
}

/// The end of the step that the k-th has been taken through.
FN void ball_lanes_store(const BallSteps *from, const BallEvaluations *end, u32 k, BallContact *contact) {
    BallBody *ball = &contact->step.ball;
    WIDE_GET(&from->ball.at, k, &ball->at);
    WIDE_GET(&from->ball.rates[STAGES - 1], k, &ball->rates[STAGES - 1]);
    ball->turned = wide_get(&from->ball.turned, k);
    ball_lanes_store_evaluation(end, k, &contact->end);
    contact->step.touch.impulse_N_s = wide_get(&from->touch.impulse_N_s, k);
    contact->step.touch.loss_J = LANE_AT(from->touch.loss_J, k);
}

/// Its error, and the bound of its path.
FN void ball_lanes_store_error(const BallSteps *from, u32 k, BallBody *ball) {
    ball->error_velocity = LANE_AT(from->ball.error_velocity, k);
    ball->error_acceleration = LANE_AT(from->ball.error_acceleration, k);
    ball->error_spin_rate = LANE_AT(from->ball.error_spin_rate, k);
    ball->path_m = LANE_AT(from->ball.path_m, k);
}

/// All lanes through their steps, explicitly or, with solved_h > 0, implicitly.
FN_SHORT void ball_lanes_try_steps(BallSteps *steps, BallEvaluations *end, real solved_h) {
    if (solved_h > 0.0)
        WIDE_NAME(ball_step_try_implicitly)(steps, 0, WIDE_NAME(lane_of)(solved_h), end);
    else
        WIDE_NAME(ball_step_try)(steps, 0, end);
}

/// A contact of a ball with a plane that does not move through a step of h, implicitly where solved_h > 0, with its
/// error.
FN_ONCE void ball_lanes_try_one(BallContact *contact, real h, real solved_h) {
    BallSteps steps = ALL_ZERO; // unused lanes are evaluated as well, and must not hold NaN
    BallEvaluations end;
    ball_lanes_load(&steps, 0, contact);
    ball_lanes_load_step(&steps, 0, contact, h);
    ball_lanes_try_steps(&steps, &end, solved_h);
    WIDE_NAME(ball_step_estimate)(&steps, 0, solved_h > 0.0 ? 1u : 0u);
    ball_lanes_store(&steps, &end, 0, contact);
    ball_lanes_store_error(&steps, 0, &contact->step.ball);
}

/// Contacts of balls with planes that do not move, at most SIDE_BY_SIDE of them, through a step of h: ball_contact_step
/// of each.
FN_WAY void ball_lanes_step(const SceneView *view, GLOBAL Contact **contacts, u32 count, u32 is_implicit, real h,
                            real solved_h) {
    BallSteps steps = ALL_ZERO;
    BallEvaluations end;
    BallContact loaded[SIDE_BY_SIDE];
    for (u32 k = 0; k < count; k++) {
        ball_load(view, contacts[k], &loaded[k]);
        ball_lanes_load(&steps, k, &loaded[k]);
        ball_lanes_load_step(&steps, k, &loaded[k], h);
    }
    ball_lanes_try_steps(&steps, &end, is_implicit != 0 ? solved_h : 0.0);
    for (u32 k = 0; k < count; k++) {
        BallBody *ball = &loaded[k].step.ball;
        ball_lanes_store(&steps, &end, k, &loaded[k]);
        for (u32 stage = 1; stage < STAGES - 1u; stage++) WIDE_GET(&steps.ball.rates[stage], k, &ball->rates[stage]);
        ball_store_step(view, ball, h, is_implicit);
        ball_touch_keep_step(&loaded[k].step.touch, &loaded[k].end, contacts[k]);
    }
}

#endif // SIDE_BY_SIDE > 1

#endif
