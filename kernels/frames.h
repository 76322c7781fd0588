// Frames: states at given times. No step ends for them: where one lies within a step, the bodies are tried up to its time,
// copied, and brought back to the end of the step. So nothing that comes after depends on what is recorded.
//
// Groups that are stepped one after the other (windows.h) come past a frame one after the other too: each writes its own
// bodies, and frames count as written when all have come to the end of the window.
#ifndef CLACK_FRAMES_H
#define CLACK_FRAMES_H

#include "observe.h"
#include "substep.h"

/// Time of a frame relative to the start of the present outer step; REAL_HUGE: there is none.
FN real frame_time(const SceneView *view, const Progress *progress, u32 frame) {
    if (frame >= view->scene->frame_capacity) return REAL_HUGE;
    return (real)frame * view->scene->record_every_s - (real)progress->step_index * view->scene->step_s;
}

/// The first frame after a time, relative to the start of the present outer step, that has not been written.
FN u32 frame_after(const SceneView *view, const Progress *progress, real offset_s) {
    if (progress->frame_count >= view->scene->frame_capacity) return progress->frame_count;
    real frames = ((real)progress->step_index * view->scene->step_s + offset_s) / view->scene->record_every_s;
    u32 frame = frames > 1.0 ? (u32)real_min(frames, (real)view->scene->frame_capacity) - 1u : 0u; // that of rounding
    frame = u32_max(frame, progress->frame_count);
    while (frame_time(view, progress, frame) <= offset_s) frame++;
    return frame;
}

/// Copy the present states to the next frame.
FN void frame_take(const SceneView *view, Progress *progress) {
    u32 bodies = view->scene->body_count;
    LANE_LOOP(b, bodies) view->frames[progress->frame_count * bodies + b] = view->states[b];
    progress->frame_count++;
}

// Frames within a step, from `first` on, before `end`.
typedef struct Frames {
    u32 first, end;
} Frames;

/// Frames within the step of h from the present. stop_s: from when on they are seen to by whoever stops there.
FN Frames frames_within(const SceneView *view, const Progress *progress, real h, real stop_s) {
    real same = advance_same_time(view, progress);
    real last = real_min(progress->offset_s + h + same, stop_s - same);
    Frames frames;
    frames.first = frames.end = frame_after(view, progress, progress->offset_s + same);
    while (frame_time(view, progress, frames.end) <= last) frames.end++;
    return frames;
}

/// Frames before `end` have been written, but where groups still go by themselves.
FN void frames_count(Progress *progress, u32 end) {
    if (!is_grouped(progress)) progress->frame_count = u32_max(end, progress->frame_count);
}

/// Write the present states of those who do not move to a frame; of a group's frames that has been done.
FN void frame_keep_still(const SceneView *view, const Progress *progress, u32 frame) {
    u32 bodies = view->scene->body_count;
    if (is_grouped(progress)) return;
    LANE_LOOP(b, bodies) {
        if (!body_moves(view, b)) view->frames[frame * bodies + b] = view->states[b];
    }
}

/// Write the frames within the step of h that has been tried and is about to be taken. Trial states are then again those of
/// its end, and what it has evaluated is not counted twice.
FN_ONCE void frames_read(const SceneView *view, Progress *progress, real h, u32 any_touching) {
    real stop = is_grouped(progress) ? progress->window_end_s : progress->offset_s + h;
    u32 bodies = view->scene->body_count, evaluations = progress->evaluations, forces = progress->forces;
    Frames frames = frames_within(view, progress, h, stop);
    if (frames.first == frames.end) return;
    for (u32 frame = frames.first; frame < frames.end; frame++) {
        substep_try(view, progress, real_min(h, frame_time(view, progress, frame) - progress->offset_s), any_touching);
        SCENE_BARRIER();
        MOVING_LOOP(b) view->frames[frame * bodies + b] = view->works[b].trial;
        frame_keep_still(view, progress, frame);
        SCENE_BARRIER();
    }
    substep_try(view, progress, h, any_touching);
    SCENE_BARRIER();
    progress->evaluations = evaluations;
    progress->forces = forces;
    frames_count(progress, frames.end);
}

/// A window has been opened: who does not move when it begins is seen in its frames as it is now, until a group of whom it is
/// one moves it.
FN_ONCE void frames_open_window(const SceneView *view, const Progress *progress) {
    u32 bodies = view->scene->body_count;
    Frames frames = frames_within(view, progress, REAL_HUGE, progress->window_end_s);
    for (u32 frame = frames.first; frame < frames.end; frame++) {
        LANE_LOOP(b, bodies) view->frames[frame * bodies + b] = view->works[b].kept;
    }
    SCENE_BARRIER();
}

/// A window has come to its end.
FN void frames_close_window(const SceneView *view, Progress *progress) {
    frames_count(progress, frame_after(view, progress, progress->window_end_s - advance_same_time(view, progress)));
}

#endif
