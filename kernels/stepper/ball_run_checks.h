// What a run of ball-contact steps (ball_run.h) tests before, in and after a step: may there be one, how large is its
// error, is it plain (without an event), does it stay clear of other bodies; what is kept of extremes; what is undone
// of one that is not plain.
#ifndef CLACK_STEPPER_BALL_RUN_CHECKS_H
#define CLACK_STEPPER_BALL_RUN_CHECKS_H

#include "pairs/broad_phase.h"
#include "pairs/conservative_advancement.h"
#include "integrate/step_error.h"
#include "integrate/step_plan.h"
#include "fast/ball_contact.h"
#include "stepper/event_location.h"
#include "stepper/observe.h"

/// Error of a ball over the step just tried, as substep_error_estimate. `velocity_error` grows to that of its velocity,
/// m/s. is_share_needed: 0: only that is computed.
FN real ball_error(const SceneView *view, const BallBody *body, real h, real floor_m_per_s, u32 is_share_needed,
                   real *velocity_error) {
    if (!body->moves) return 0.0;
    real share = view->works[body->body].control.implicit ? 1.0 : h;
    if (!is_share_needed) {
        real radius = real_max(view->bodies[body->body].radius_m, STEP_ERROR_RADIUS_LEAST_M);
        *velocity_error = real_max(*velocity_error, ball_velocity_error(body, share, radius));
        return 0.0;
    }
    StepError error;
    error.velocity = share * body->error_acceleration;
    error.spin = share * body->error_spin_rate;
    error.position = body->error_velocity;
    return step_error_share(view, body->body, error, floor_m_per_s, COPY(body->at.velocity_m_per_s),
                            COPY(body->at.spin_rad_per_s), velocity_error);
}

/// Sum of the path lengths of a contact's bodies before either may touch another body, m; < 0: one touches another
/// already.
FN_ONCE real ball_clearance(const SceneView *view, GLOBAL const Candidate *own) {
    real least = REAL_HUGE;
    EACH_LIVE(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        u32 a = candidate->body_a, b = candidate->body_b;
        if (candidate == own || !(body_moves(view, a) | body_moves(view, b))) continue;
        if (candidate->contact != NONE) return -1.0;
        Vec3 centres = vec3_sub(view->states[b].position_m, view->states[a].position_m);
        real turned = view->works[a].bounds.rotation_path_since_m + view->works[b].bounds.rotation_path_since_m;
        real rounding = advancement_rounding(view, a, 1.0) + advancement_rounding(view, b, 1.0);
        least = real_min(least, vec3_dot(candidate->away, centres) + candidate->clear_m - turned - rounding);
    }
    return least;
}

/// Does something watch what only scene_stepper.h sees? Forces have peaks of their own, at which steps end; the depth
/// peaks where the gap's rate changes sign, and no step with such a peak is plain.
FN u32 ball_is_watched(const SceneView *view) {
    for (u32 w = 0; w < watch_count(view); w++) {
        if (view->watches[w].observable > WATCH_PENETRATION) return 1;
    }
    return 0;
}

/// Is there only one active contact, is it a ball contact, and does nothing else move?
FN u32 ball_is_alone(const SceneView *view) {
    if (SCENE_ITEMS > 1) return 0; // items of a scene share its contacts
    if (view->slot->active_count != 1 || view->slot->moving_count > 2) return 0;
    GLOBAL const Contact *contact = &view->contacts[view->active_contacts[0]];
    if (!contact->plan.fast_method || view->scene->flags & SCENE_OBSERVERS) return 0;
    if (body_moves(view, contact->pair.body_a) + body_moves(view, contact->pair.body_b) != view->slot->moving_count)
        return 0;
    return ball_is_watched(view) ? 0u : 1u;
}

/// Keep the end of the step just tried with the candidate. Is it one within contact, and finite?
FN u32 ball_keep_gap(SCENE_SPACE const Progress *progress, const BallContact *pair, GLOBAL Candidate *candidate) {
    u32 end = (progress->gap_index + 1) % GAP_TIMES;
    candidate->gap_m[end] = pair->end.gap_m;
    candidate->rate_m_per_s[end] = pair->end.rate_m_per_s;
    real sum = pair->end.force.normal_N + vec3_max_abs(pair->other.at.spin_rad_per_s) +
               vec3_max_abs(pair->step.ball.at.spin_rad_per_s);
    return pair->end.gap_m < 0.0 && pair->end.status == NARROW_OK && real_is_finite(sum) ? 1u : 0u;
}

/// The time within the step just tried at which event_locate would evaluate a peak; h: nowhere. REAL_HUGE: at something
/// else.
FN real ball_peak(const SceneView *view, SCENE_SPACE const Progress *progress, GLOBAL const Candidate *candidate,
                  real h) {
    u32 start = progress->gap_index, end = (start + 1) % GAP_TIMES;
    if (candidate->rate_m_per_s[start] * candidate->rate_m_per_s[end] > 0.0) return h;
    Scan scan = event_scan_one(view, progress, candidate, start, 0.0, end, h);
    if (scan.crossing_s < REAL_HUGE) return REAL_HUGE;
    return scan.evaluate_at_s < REAL_HUGE ? scan.evaluate_at_s : h;
}

/// Is an event likely in a step of h, by extrapolation from its start?
FN u32 ball_may_separate(GLOBAL const Candidate *candidate, u32 start, real h) {
    return candidate->gap_m[start] + candidate->rate_m_per_s[start] * h >= 0.0 ? 1u : 0u;
}

/// As observe_step; where there is but the one candidate, nothing else can be seen.
FN void ball_observe(const SceneView *view, SCENE_SPACE Progress *progress, GLOBAL const Candidate *own, u32 gap0,
                     u32 gap1, real h) {
    if (view->slot->live_count != 1) {
        observe_step(view, progress, gap0, gap1, h);
        return;
    }
    Peak peak = observe_penetration(own, gap0, gap1, h, 1);
    if (peak.depth_m > DEEP_SHARE * observe_smaller_m(view, own)) progress->flags |= FLAG_DEEP_CONTACT;
    progress->max_penetration_m = real_max(real_max(0.0, peak.depth_m), progress->max_penetration_m);
    for (u32 w = 0; w < watch_count(view); w++) {
        GLOBAL Extreme *extreme = &view->extremes[w];
        if (!extreme->gate_open || view->watches[w].sense == WATCH_AT) continue;
        if (view->watches[w].observable != WATCH_PENETRATION)
            observe_watch(view, progress, w, gap0, gap1, h);
        else if (event_is_watched(view, w, own, WATCH_PENETRATION))
            observe_raise_extreme(extreme, view->watches[w].sense, peak.depth_m,
                                  scene_time(view, progress) + peak.after_s);
    }
}

// What a step changes before it is known to be plain: what is counted, so that the same is counted where there are no
// runs, and the lengths of controlled steps.
typedef struct RunControl {
    u32 rejects, resteps, step_substeps, evaluations, forces;
    real work, error_sum_m_per_s;
    real substep_s[2], implicit_s[2]; // of both bodies
} RunControl;

FN RunControl ball_control_now(const SceneView *view, SCENE_SPACE const Progress *progress, const BallContact *pair) {
    GLOBAL const BodyWork *a = &view->works[pair->other.body], *b = &view->works[pair->step.ball.body];
    RunControl now;
    now.rejects = progress->rejects;
    now.resteps = progress->resteps;
    now.step_substeps = progress->step_substeps;
    now.evaluations = progress->evaluations;
    now.forces = progress->forces;
    now.work = progress->work;
    now.error_sum_m_per_s = progress->error_sum_m_per_s;
    now.substep_s[0] = a->control.substep_s;
    now.substep_s[1] = b->control.substep_s;
    now.implicit_s[0] = a->control.implicit_s;
    now.implicit_s[1] = b->control.implicit_s;
    return now;
}

FN void ball_control_undo(const SceneView *view, SCENE_SPACE Progress *progress, const BallContact *pair,
                          RunControl before) {
    GLOBAL BodyWork *a = &view->works[pair->other.body], *b = &view->works[pair->step.ball.body];
    progress->rejects = before.rejects;
    progress->resteps = before.resteps;
    progress->step_substeps = before.step_substeps;
    progress->evaluations = before.evaluations;
    progress->forces = before.forces;
    progress->work = before.work;
    progress->error_sum_m_per_s = before.error_sum_m_per_s;
    a->control.substep_s = before.substep_s[0];
    b->control.substep_s = before.substep_s[1];
    a->control.implicit_s = before.implicit_s[0];
    b->control.implicit_s = before.implicit_s[1];
}

/// Count trials of steps as substep_try does.
FN void ball_count_trials(const SceneView *view, SCENE_SPACE Progress *progress, u32 count) {
    progress->evaluations += count * (STAGES - 1);
    work_count_forces(progress, count * (STAGES - 1));
    progress->work += (real)count * (real)view->slot->moving_count;
}

/// How many trials of steps, each accepted, a run may still make before the limit on the scene's work or that on
/// substeps is reached (below 0: the work is past it). The step after them is taken by scene_stepper.h, which tests
/// both limits after each step: the scene then ends in the same place where there are no runs.
FN real ball_trials_left(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real each = (real)(STAGES - 1 + view->slot->moving_count);
    real substeps = scene_substeps_most(view) - (real)progress->step_substeps;
    return real_min((view->scene->work_limit - progress->work) / each, substeps);
}

/// Does it stay within its margin on such a path?
FN u32 ball_has_margin(const SceneView *view, const BallBody *body, real path_m) {
    GLOBAL const BodyBounds *bounds = &view->works[body->body].bounds;
    return !body->moves || bounds->travel_m + path_m <= bounds->margin_m ? 1u : 0u;
}

#endif
