// Rows of steps that go on within a pack: as long as steps are plain, not controlled, and nobody has to look at them
// one by one, all scenes' are judged, taken and planned by vectors, as ball_judge, ball_accept and ball_plan_next
// (ball_run.h) do, bit for bit, and the row is in vectors all the while. Where anything else comes it goes back to
// where it was.
#ifndef CLACK_STEPPER_PACK_ROW_H
#define CLACK_STEPPER_PACK_ROW_H

#include "integrate/motion.h"
#include "integrate/step_error.h"
#include "integrate/step_plan.h"
#include "fast/ball_contact.h"
#include "fast/pack_stage.h"
#include "stepper/ball_run.h"
#include "stepper/event_location.h"
#include "stepper/frames.h"
#include "stepper/observe.h"
#include "stepper/solo_pack.h"

#if PACK > 1

/// May the row of the step that has been loaded go on within the pack? Nobody reads it before it ends, no frame lies
/// before its stop, and of what may be watched there is but the deepest penetration.
FN u32 pack_row_may(const SceneView *view, const Progress *progress, const BallRun *run) {
    Frames frames = frames_within(view, progress, REAL_HUGE, run->end.stop);
    if (frames.first != frames.end) return 0;
    if (!run->is_private || run->phase != SOLO_TRIES || run->plan.controlled || view->slot->live_count != 1) return 0;
    for (u32 w = 0; w < watch_count(view); w++) {
        if (view->watches[w].observable == WATCH_PENETRATION && view->watches[w].sense != WATCH_MAX) return 0;
    }
    return 1;
}

/// The rest of a row whose next step has been loaded.
FN void pack_row_load(const SceneView *view, const Progress *progress, SoloPack *pack, u32 k, const BallRun *run) {
    PackRow *row = &pack->row;
    row->is_row[k] = row->goes_on[k] = row->taken[k] = 0.0;
    if (!pack_row_may(view, progress, run)) return;
    const BallBody *ball = run->solo.plane_is_b ? &run->solo.a : &run->solo.b;
    GLOBAL const BodyWork *work = &view->works[ball->body];
    row->is_row[k] = 1.0;
    row->steps[k] = (real)run->steps;
    row->offset_s[k] = progress->offset_s;
    row->stop_s[k] = run->end.stop;
    row->h_max_s[k] = run->h_max;
    row->to_stop[k] = run->to_stop ? 1.0 : 0.0;
    row->travel_m[k] = work->travel_m;
    row->margin_m[k] = work->margin_m;
    row->clearance_m[k] = run->clearance_m;
    row->radius_m[k] = real_max(view->bodies[ball->body].radius_m, STEP_ERROR_RADIUS_LEAST_M);
    row->gap_m[k] = run->candidate->gap_m[progress->gap_slot];
    row->rate_m_per_s[k] = run->candidate->rate_m_per_s[progress->gap_slot];
    row->error_sum_m_per_s[k] = progress->error_sum_m_per_s;
    row->loss_J[k] = run->solo.contact->loss_J;
    row->dissipated_J[k] = progress->dissipated_J;
    pack_put(row->impulse_N_s, k, run->solo.contact->impulse_N_s);
    row->orientation[0][k] = ball->orientation.w;
    row->orientation[1][k] = ball->orientation.x;
    row->orientation[2][k] = ball->orientation.y;
    row->orientation[3][k] = ball->orientation.z;
    row->deepest_m[k] = -REAL_HUGE;
}

/// What the contacts are now is what they were at the start of the steps that are to be tried.
FN void pack_row_keep(SoloPack *pack) {
    PackEvaluation *start = pack->now;
    pack->now = pack->kept;
    pack->kept = start;
}

/// Which of the steps just tried are good: ball_judge. Of these what sums up: ball_accept.
VECTOR_LOOPS_FN void pack_row_judge(SoloPack *pack) {
    PackRow *row = &pack->row;
    PACK_EACH(k) {
        real h = pack->h[k], gap = pack->now->gap_m[k], rate = pack->now->rate_m_per_s[k], gap_before = row->gap_m[k];
        real way = pack->way_m[k], travel = row->travel_m[k] + way, clearance = row->clearance_m[k] - way;
        real size = pack->now->normal_N[k] + pack_max_abs(pack->at[6][k], pack->at[7][k], pack->at[8][k]);
        real good = row->is_row[k], is_last = h < row->h_max_s[k] ? 0.0 : row->to_stop[k];
        good = is_last > 0.0 ? 0.0 : good;
        good = gap < 0.0 ? good : 0.0;
        good = row->rate_m_per_s[k] * rate > 0.0 ? good : 0.0; // no peak
        good = real_abs(size) < REAL_HUGE ? good : 0.0;
        good = clearance > 0.0 ? good : 0.0;
        good = travel <= row->margin_m[k] ? good : 0.0;
        // May it have closed faster within the step than at its stages (contact_fastest)?
        real first = 0.0 - row->rate_m_per_s[k], last = 0.0 - rate,
             slope = 6.0 * (gap_before - gap) / h - 4.0 * first - 2.0 * last;
        real near = slope > 0.0 ? 2.0 * PACK_MAX(first, last) : 0.0, fastest = PACK_MAX(pack->fastest_m_per_s[k], near);
        good = fastest > pack->linear_m_per_s[k] ? 0.0 : good;
        pack->good[k] = good;
        real error = h * pack->errors[1][k] + h * pack->errors[2][k] * row->radius_m[k];
        real sum = row->error_sum_m_per_s[k] + PACK_MAX(0.0, error);
        real depth = PACK_MAX(-gap_before, -gap), after = -gap > -gap_before ? h : 0.0;
        real deeper = depth > row->deepest_m[k] ? good : 0.0, offset = row->offset_s[k];
        row->deepest_m[k] = deeper > 0.0 ? depth : row->deepest_m[k];
        row->deepest_offset_s[k] = deeper > 0.0 ? offset : row->deepest_offset_s[k];
        row->deepest_after_s[k] = deeper > 0.0 ? after : row->deepest_after_s[k];
        row->error_sum_m_per_s[k] = good > 0.0 ? sum : row->error_sum_m_per_s[k];
        row->travel_m[k] = good > 0.0 ? travel : row->travel_m[k];
        row->clearance_m[k] = good > 0.0 ? clearance : row->clearance_m[k];
        row->offset_s[k] = good > 0.0 ? offset + h : offset;
        row->gap_m[k] = good > 0.0 ? gap : gap_before;
        row->rate_m_per_s[k] = good > 0.0 ? rate : row->rate_m_per_s[k];
        row->taken[k] = row->taken[k] + good;
    }
}

/// Turn the balls that have turned: before their states are those of the end.
FN void pack_row_turn(SoloPack *pack) {
    PackNumber *turned = pack->turned, *turn = pack->row.orientation;
    for (u32 k = 0; k < PACK; k++) {
        if (!(pack->good[k] > 0.0) || pack_max_abs(turned[0][k], turned[1][k], turned[2][k]) == 0.0) continue;
        Quat now = quat_make(turn[0][k], turn[1][k], turn[2][k], turn[3][k]);
        now = motion_turn_ball(now, pack_get(turned, k), pack_get(pack->start + 6, k), pack_get(pack->at + 6, k),
                               pack->h[k]);
        turn[0][k] = now.w;
        turn[1][k] = now.x;
        turn[2][k] = now.y;
        turn[3][k] = now.z;
    }
}

/// Good steps are taken: their ends become the present.
VECTOR_LOOPS_FN void pack_row_accept(SoloPack *pack) {
    PackNumber *last = pack->rates[STAGES - 1];
    PACK_EACH(k) {
        PackRow *row = &pack->row;
        u32 is_good = pack->good[k] > 0.0;
        for (u32 i = 0; i < PACK_STATES; i++) pack->start[i][k] = is_good ? pack->at[i][k] : pack->start[i][k];
        for (u32 i = 0; i < PACK_RATES; i++) pack->rates[0][i][k] = is_good ? last[i][k] : pack->rates[0][i][k];
        real loss = pack->loss_J[k];
        row->loss_J[k] = is_good ? row->loss_J[k] + loss : row->loss_J[k];
        row->dissipated_J[k] = is_good ? row->dissipated_J[k] + loss : row->dissipated_J[k];
        row->impulse_N_s[0][k] = is_good ? row->impulse_N_s[0][k] + pack->impulse_N_s[0][k] : row->impulse_N_s[0][k];
        row->impulse_N_s[1][k] = is_good ? row->impulse_N_s[1][k] + pack->impulse_N_s[1][k] : row->impulse_N_s[1][k];
        row->impulse_N_s[2][k] = is_good ? row->impulse_N_s[2][k] + pack->impulse_N_s[2][k] : row->impulse_N_s[2][k];
    }
}

/// The steps after those that were good: ball_plan_next, and what stage 0 hands over.
VECTOR_LOOPS_FN void pack_row_plan(SoloPack *pack) {
    PackRow *row = &pack->row;
    const PackEvaluation *now = pack->now;
    PACK_EACH(k) {
        real left = row->stop_s[k] - row->offset_s[k], graded = pack->graded_s[k];
        Vec3 spin = vec3_make(pack->at[6][k], pack->at[7][k], pack->at[8][k]);
        real longest = PLAN_ROUND_TURN_PER_STEP / vec3_length(spin);
        longest = pack_max_abs(spin.x, spin.y, spin.z) > 0.0 ? longest : REAL_HUGE;
        real to_stop = longest < left ? 0.0 : 1.0, h_max = longest < left ? longest : left;
        real h = graded < h_max ? graded : h_max, halved = 2.0 * h > h_max ? 0.5 * h_max : h;
        h = h < h_max ? halved : h;
        real goes_on = pack->controlled[k] > 0.0 ? 0.0 : pack->good[k];
        goes_on = h > 0.0 ? goes_on : 0.0;
        goes_on = row->gap_m[k] + row->rate_m_per_s[k] * h >= 0.0 ? 0.0 : goes_on;
        goes_on = row->steps[k] < (real)SOLO_STEPS_MAX ? goes_on : 0.0;
        real weight = h * TSIT5[STAGES - 1][0], lost = now->loss_W[k] * weight;
        Vec3 given = vec3_make(now->force_N[0][k] * weight, now->force_N[1][k] * weight, now->force_N[2][k] * weight);
        row->goes_on[k] = goes_on;
        row->steps[k] = row->steps[k] + goes_on;
        row->h_max_s[k] = goes_on > 0.0 ? h_max : row->h_max_s[k];
        row->to_stop[k] = goes_on > 0.0 ? to_stop : row->to_stop[k];
        pack->h[k] = goes_on > 0.0 ? h : pack->h[k];
        pack->impulse_N_s[0][k] = goes_on > 0.0 ? given.x : pack->impulse_N_s[0][k];
        pack->impulse_N_s[1][k] = goes_on > 0.0 ? given.y : pack->impulse_N_s[1][k];
        pack->impulse_N_s[2][k] = goes_on > 0.0 ? given.z : pack->impulse_N_s[2][k];
        pack->loss_J[k] = goes_on > 0.0 ? lost : pack->loss_J[k];
    }
}

/// Try the steps that have been loaded, and go on with the rows that go on within the pack.
FN void pack_row_try(SoloPack *pack) {
    pack_row_keep(pack);
    pack_try(pack);
    if (!pack_any(pack->row.is_row)) return;
    pack_row_judge(pack);
    pack_row_turn(pack);
    pack_row_accept(pack);
    pack_row_plan(pack);
}

/// What was seen of the steps that were taken: ball_observe.
FN void pack_row_observe(const SceneView *view, Progress *progress, const PackRow *row, u32 k,
                         GLOBAL const Candidate *own) {
    real deepest = row->deepest_m[k], offset = progress->offset_s;
    if (deepest > DEEP_SHARE * observe_smaller_m(view, own)) progress->flags |= FLAG_DEEP_CONTACT;
    progress->max_penetration_m = real_max(real_max(0.0, deepest), progress->max_penetration_m);
    progress->offset_s = row->deepest_offset_s[k];
    real time = scene_time(view, progress);
    progress->offset_s = offset;
    for (u32 w = 0; w < watch_count(view); w++) {
        if (event_is_watched(view, w, own, WATCH_PENETRATION))
            observe_take(&view->extremes[w], WATCH_MAX, deepest, time + row->deepest_after_s[k]);
    }
}

/// A row that does not go on within the pack goes back, with what has come of the step that was tried: where this is
/// good its next step is to be planned, else it is to be judged.
FN void pack_row_return(const SceneView *view, Progress *progress, SoloPack *pack, u32 k, BallRun *run) {
    PackRow *row = &pack->row;
    pack_store(pack, k, run);
    row->is_row[k] = row->goes_on[k] = 0.0;
    if (!(row->taken[k] > 0.0)) return;
    u32 taken = (u32)row->taken[k], is_good = pack->good[k] > 0.0 ? 1u : 0u, is_a = run->solo.plane_is_b;
    BallBody *ball = is_a ? &run->solo.a : &run->solo.b;
    GLOBAL BodyWork *work = &view->works[ball->body];
    GLOBAL Contact *contact = run->solo.contact;
    ball->start.position_m = pack_get(pack->start, k);
    ball->start.velocity_m_per_s = pack_get(pack->start + 3, k);
    ball->start.spin_rad_per_s = pack_get(pack->start + 6, k);
    pack_store_rate(pack->rates[0], k, &ball->rates[0].rate);
    ball->orientation =
        quat_make(row->orientation[0][k], row->orientation[1][k], row->orientation[2][k], row->orientation[3][k]);
    run->kinematics.normal = run->solo.kinematics.normal;
    pack_store_evaluation(is_good ? pack->now : pack->kept, k, is_a, &run->kinematics, &run->force);
    run->solo.start_force_N = run->force.force_N;
    run->solo.start_loss_W = run->force.loss_W;
    run->is_stored = 0;
    run->phase = is_good ? SOLO_PLANS : SOLO_TRIES;
    run->steps = (u32)row->steps[k];
    run->clearance_m = row->clearance_m[k];
    run->h = run->plan.h = pack->h[k];
    run->h_max = row->h_max_s[k];
    run->to_stop = row->to_stop[k] > 0.0 ? 1u : 0u;
    run->error_sum_m_per_s = progress->error_sum_m_per_s = row->error_sum_m_per_s[k];
    run->candidate->gap_m[progress->gap_slot] = row->gap_m[k];
    run->candidate->rate_m_per_s[progress->gap_slot] = row->rate_m_per_s[k];
    work->fresh = 0;
    work->travel_m = row->travel_m[k];
    contact->impulse_N_s = pack_get(row->impulse_N_s, k);
    contact->loss_J = row->loss_J[k];
    progress->dissipated_J = row->dissipated_J[k];
    progress->offset_s = row->offset_s[k];
    progress->evaluations += taken * (STAGES - 1);
    work_count_forces(progress, taken * (STAGES - 1));
    progress->substeps += taken;
    progress->step_substeps += taken;
    pack_row_observe(view, progress, row, k, run->candidate);
}

/// The same; a step that has to be tried by ball_contact.h is.
FN void pack_row_store(const SceneView *view, Progress *progress, SoloPack *pack, u32 k, BallRun *run) {
    pack_row_return(view, progress, pack, k, run);
    if (pack_is_struck(pack, k)) ball_take(view, run);
}

#endif // PACK > 1

#endif
