// Frames: states at given times. No step ends for a frame: where one lies within a step, the bodies are tried up to its
// time, copied, and brought back to the end of the step. So nothing that follows depends on what is recorded. Frames at
// stops, times at which steps end anyway (ends of outer steps and of windows, recordings), are copies of the states
// there. Times within a tolerance of each other, by which their sums may differ, count as one.
//
// Groups that are stepped one after the other (group_windows.h) pass a frame one after the other too: each writes its
// own bodies, and frames count as written when all groups have reached the end of the window.
#ifndef CLACK_STEPPER_FRAMES_H
#define CLACK_STEPPER_FRAMES_H

#include "stepper/observe.h"
#include "stepper/substep.h"

/// Time of a frame relative to the start of the present outer step; REAL_HUGE: there is none.
FN real frame_time(const SceneView *view, SCENE_SPACE const Progress *progress, u32 frame) {
    if (!HAS(CONTENT_FRAMES) || frame >= view->scene->frame_capacity) return REAL_HUGE;
    return (real)frame * view->scene->record_every_s - (real)progress->step_index * view->scene->step_s;
}

/// The first frame after a time, relative to the start of the present outer step, that has not been written.
FN u32 frame_after(const SceneView *view, SCENE_SPACE const Progress *progress, real offset_s) {
    if (!HAS(CONTENT_FRAMES) || progress->frame_count >= view->scene->frame_capacity) return progress->frame_count;
    real frames = ((real)progress->step_index * view->scene->step_s + offset_s) / view->scene->record_every_s;
    u32 frame = frames > 1.0 ? (u32)real_min(frames, (real)view->scene->frame_capacity) - 1u : 0u; // but for rounding
    frame = u32_max(frame, progress->frame_count);
    while (frame_time(view, progress, frame) <= offset_s) frame++;
    return frame;
}

/// Copy the present states to the next frame.
FN void frame_write_present(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 bodies = view->scene->body_count;
    ITEM_LOOP(b, bodies) view->frames[progress->frame_count * bodies + b] = view->states[b];
    progress->frame_count++;
}

// Frames within a step, from `first` on, before `end`.
typedef struct Frames {
    u32 first, end;
} Frames;

/// As observe_time_tolerance; while groups are stepped one after the other that of the window's end, one value for the
/// whole window.
FN real frames_time_tolerance(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (!is_grouped(progress)) return observe_time_tolerance(view, progress);
    return observe_time_tolerance_at(view, (real)progress->step_index * view->scene->step_s + progress->window_end_s);
}

/// Frames within the step of h from the present. stop_s: frames from this time on are written by what
/// handles the stop there (stepper_handle_stops).
FN Frames frames_within(const SceneView *view, SCENE_SPACE const Progress *progress, real h, real stop_s) {
    real tolerance = frames_time_tolerance(view, progress);
    real last = real_min(progress->offset_s + h + tolerance, stop_s - tolerance);
    Frames frames;
    frames.first =
        is_grouped(progress) ? frame_after(view, progress, progress->offset_s + tolerance) : progress->frame_count;
    frames.end = frames.first;
    while (frame_time(view, progress, frames.end) <= last) frames.end++;
    return frames;
}

/// Frames before `end` have been written, unless groups are being stepped one after the other.
FN void frames_count(SCENE_SPACE Progress *progress, u32 end) {
    if (!is_grouped(progress)) progress->frame_count = u32_max(end, progress->frame_count);
}

/// Write the present states of bodies that do not move to a frame; for a group's frames this has been done.
FN void frame_write_motionless(const SceneView *view, SCENE_SPACE const Progress *progress, u32 frame) {
    u32 bodies = view->scene->body_count;
    if (is_grouped(progress)) return;
    ITEM_LOOP(b, bodies) {
        if (!body_moves(view, b)) view->frames[frame * bodies + b] = view->states[b];
    }
}

/// Write the trial states to a frame.
FN void frame_write_trial(const SceneView *view, SCENE_SPACE const Progress *progress, u32 frame) {
    u32 bodies = view->scene->body_count;
    SCENE_BARRIER();
    MOVING_LOOP(b) view->frames[frame * bodies + b] = view->works[b].step.trial;
    frame_write_motionless(view, progress, frame);
    SCENE_BARRIER();
}

/// The same for a flight over several outer steps, which all begin together: each frame is reached from the one before,
/// since rotations go from the end of one outer step to that of the next.
FN_ONCE void frames_write_flight(const SceneView *view, SCENE_SPACE Progress *progress, Frames frames) {
    real step = view->scene->step_s;
    u32 index = progress->step_index;
    MOVING_LOOP(b) view->works[b].window.kept = view->states[b];
    for (u32 frame = frames.first; frame < frames.end; frame++) {
        u32 whole = (u32)(frame_time(view, progress, frame) / step);
        for (u32 part = whole > 0 ? 0 : 1; part < 2; part++) {
            SCENE_BARRIER();
            substep_fly(view, progress, part > 0 ? frame_time(view, progress, frame) : (real)whole * step);
            if (part > 0) continue;
            SCENE_BARRIER();
            MOVING_LOOP(b) view->states[b] = view->works[b].step.trial;
            progress->step_index += whole;
        }
        frame_write_trial(view, progress, frame);
    }
    MOVING_LOOP(b) view->states[b] = view->works[b].window.kept;
    progress->step_index = index;
    SCENE_BARRIER();
}

/// Write the frames within the step of h that has been tried and is about to be accepted. Trial states are then again
/// those of its end, and force evaluations are not counted twice.
FN_ONCE void frames_write_within(const SceneView *view, SCENE_SPACE Progress *progress, real h, u32 any_touching) {
    real stop = is_grouped(progress) ? progress->window_end_s : progress->offset_s + h;
    u32 evaluations = progress->evaluations, forces = progress->forces;
    real work = progress->work;
    if (!HAS(CONTENT_FRAMES)) return;
    Frames frames = frames_within(view, progress, h, stop);
    if (frames.first == frames.end) return;
    u32 frame = frames.first;
    if (!any_touching && !is_grouped(progress) && progress->offset_s == 0.0 && h > view->scene->step_s) {
        frames_write_flight(view, progress, frames);
        frame = frames.end;
    }
    for (;; frame++) { // one call for all: PoCL would copy the functions below for each
        real wanted = frame < frames.end ? frame_time(view, progress, frame) - progress->offset_s : h;
        substep_try(view, progress, real_min(h, wanted), any_touching);
        SCENE_BARRIER();
        if (frame == frames.end) break;
        frame_write_trial(view, progress, frame);
    }
    progress->evaluations = evaluations;
    progress->forces = forces;
    progress->work = work;
    frames_count(progress, frames.end);
}

/// A window has been opened: its frames show bodies that do not move at its beginning as they are now, until the group
/// they belong to moves them.
FN_ONCE void frames_open_window(const SceneView *view, SCENE_SPACE const Progress *progress) {
    u32 bodies = view->scene->body_count;
    Frames frames = frames_within(view, progress, REAL_HUGE, progress->window_end_s);
    for (u32 frame = frames.first; frame < frames.end; frame++) {
        ITEM_LOOP(b, bodies) view->frames[frame * bodies + b] = view->works[b].window.kept;
    }
    SCENE_BARRIER();
}

/// A window has ended.
FN void frames_close_window(const SceneView *view, SCENE_SPACE Progress *progress) {
    frames_count(progress, frame_after(view, progress, progress->window_end_s - frames_time_tolerance(view, progress)));
}

#endif
