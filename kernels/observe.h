// What is kept of a scene as it runs: extremes located in time, frames, the energy audit.
#ifndef CLACK_OBSERVE_H
#define CLACK_OBSERVE_H

#include "event.h"

#define DRIFT_FLAG_LIMIT 1.0e-3

// An observable and its rate of change.
typedef struct Reading {
    real value, rate;
} Reading;

FN real vec3_component(Vec3 v, u32 component) {
    return component == 0 ? v.x : (component == 1 ? v.y : v.z);
}

/// Read an observable of a body in the user's terms. Accelerations in world axes; `spin_rate` principal.
FN Reading observe_body(Body body, BodyState state, Vec3 acceleration, Vec3 spin_rate,
                        u32 observable) {
    u32 component = observable % 3;
    u32 kind = observable - component;
    Vec3 value = state.position_m;
    Vec3 rate = state.velocity_m_per_s;
    if (kind == WATCH_VELOCITY) {
        value = state.velocity_m_per_s;
        rate = acceleration;
    } else if (kind == WATCH_ANGULAR_VELOCITY) {
        value = quat_rotate(state.orientation, state.spin_rad_per_s);
        rate = quat_rotate(state.orientation, spin_rate);
    }
    // The origin of the user's frame goes about the centre of mass, if it is another point.
    if ((kind == WATCH_POSITION || kind == WATCH_VELOCITY) && vec3_max_abs(body.origin_m) > 0.0) {
        Vec3 arm = quat_rotate(state.orientation, body.origin_m);
        Vec3 w = quat_rotate(state.orientation, state.spin_rad_per_s);
        Vec3 w_rate = quat_rotate(state.orientation, spin_rate);
        Vec3 turning = vec3_cross(w, arm);
        value = vec3_add(value, kind == WATCH_POSITION ? arm : turning);
        rate = vec3_add(rate, kind == WATCH_POSITION
                                  ? turning
                                  : vec3_add(vec3_cross(w_rate, arm), vec3_cross(w, turning)));
    }
    Reading reading;
    reading.value = vec3_component(value, component);
    reading.rate = vec3_component(rate, component);
    return reading;
}

/// Read what is watched at the start (end = 0) or the end (1) of the step just tried.
FN Reading observe_step_end(const SceneView *view, Watch watch, u32 end) {
    GLOBAL const BodyWork *work = &view->works[watch.body];
    Body body = view->bodies[watch.body];
    BodyState state = end ? work->trial : view->states[watch.body];
    Vec3 acceleration = vec3_zero();
    Vec3 spin_rate = vec3_zero();
    if (work->mode == MODE_FLYING) {
        acceleration = view->scene->gravity_m_per_s2;
        spin_rate = motion_spin_rate(body, state.spin_rad_per_s, vec3_zero());
    } else if (work->mode == MODE_TOUCHING) {
        acceleration = work->rates[end ? STAGES - 1 : 0].acceleration;
        spin_rate = work->rates[end ? STAGES - 1 : 0].spin_rate;
    }
    return observe_body(body, state, acceleration, spin_rate, watch.observable);
}

FN void observe_take(GLOBAL Extreme *extreme, u32 sense, real value, real time) {
    u32 better = sense == WATCH_MAX ? value > extreme->value : value < extreme->value;
    if (extreme->seen && !better) return;
    extreme->value = value;
    extreme->time_s = time;
    extreme->seen = 1;
}

/// Interior extremum of a cubic between two readings, if it has one of the wanted sense.
FN void observe_between(GLOBAL Extreme *extreme, u32 sense, Reading r0, Reading r1, real time,
                        real h) {
    Cubic f = cubic_hermite(r0.value, r0.rate * h, r1.value, r1.rate * h);
    if (sense == WATCH_MAX) f = cubic_negate(f);
    if (!(f.a0 < 0.0 && cubic_slope(f, 1.0) > 0.0)) return;
    real s = cubic_minimum(f);
    real value = cubic_value(f, s);
    observe_take(extreme, sense, sense == WATCH_MAX ? -value : value, time + s * h);
}

// Largest penetration within a step.
typedef struct Peak {
    real depth_m, after_s;
} Peak;

/// Largest penetration of one candidate over the step just tried.
FN Peak observe_penetration(GLOBAL const Candidate *candidate, u32 slot0, u32 slot1, real h) {
    real d0 = -candidate->gap_m[slot0], d1 = -candidate->gap_m[slot1];
    real r0 = -candidate->rate_m_per_s[slot0], r1 = -candidate->rate_m_per_s[slot1];
    Peak peak;
    peak.depth_m = real_max(d0, d1);
    peak.after_s = d1 > d0 ? h : 0.0;
    if (r0 > 0.0 && r1 < 0.0) {
        Cubic f = cubic_negate(cubic_hermite(d0, r0 * h, d1, r1 * h));
        real s = cubic_minimum(f);
        real depth = -cubic_value(f, s);
        if (depth > peak.depth_m) {
            peak.depth_m = depth;
            peak.after_s = s * h;
        }
    }
    return peak;
}

/// Extremes over the step that is about to be accepted: from the present states to the trial states.
FN void observe_step(const SceneView *view, Progress *progress, u32 slot0, u32 slot1, real h) {
    real time = scene_time(view, progress);
    real deepest = 0.0;
    LANE_LOOP(i, progress->candidate_count) {
        if (view->candidates[i].contact == NONE) continue;
        deepest =
            real_max(deepest, observe_penetration(&view->candidates[i], slot0, slot1, h).depth_m);
    }
    progress->max_penetration_m = lane_max(view, real_max(deepest, progress->max_penetration_m));
    LANE_LOOP(w, view->scene->watch_count) {
        Watch watch = view->watches[w];
        GLOBAL Extreme *extreme = &view->extremes[w];
        if (!extreme->gate_open) continue;
        if (watch.observable == WATCH_PENETRATION) {
            for (u32 i = 0; i < progress->candidate_count; i++) {
                GLOBAL const Candidate *candidate = &view->candidates[i];
                if (candidate->contact == NONE) continue;
                if (view->shapes[candidate->shape_a].body != watch.body &&
                    view->shapes[candidate->shape_b].body != watch.body) {
                    continue;
                }
                Peak peak = observe_penetration(candidate, slot0, slot1, h);
                observe_take(extreme, watch.sense, peak.depth_m, time + peak.after_s);
            }
            continue;
        }
        Reading r0 = observe_step_end(view, watch, 0);
        Reading r1 = observe_step_end(view, watch, 1);
        observe_take(extreme, watch.sense, r1.value, time + h);
        // In an implicit step the accelerations at the ends say nothing about the velocities in between.
        u32 is_motion = watch.observable >= WATCH_VELOCITY && watch.observable < WATCH_COM_POSITION;
        if (is_motion && view->works[watch.body].implicit) continue;
        observe_between(extreme, watch.sense, r0, r1, time, h);
    }
}

/// Open the gates whose event has happened by now; the present state is the first that counts.
FN void observe_gates(const SceneView *view, const Progress *progress) {
    LANE_LOOP(w, view->scene->watch_count) {
        Watch watch = view->watches[w];
        GLOBAL Extreme *extreme = &view->extremes[w];
        if (extreme->gate_open) continue;
        GLOBAL const BodyWork *work = &view->works[watch.body];
        u32 opens = watch.after == AFTER_START ||
                    (watch.after == AFTER_FIRST_CONTACT_BEGIN && work->begins > 0) ||
                    (watch.after == AFTER_FIRST_CONTACT_END && work->ends > 0);
        if (!opens) continue;
        extreme->gate_open = 1;
        if (watch.observable == WATCH_PENETRATION) {
            observe_take(extreme, watch.sense, 0.0, scene_time(view, progress));
        } else {
            Reading now = observe_body(view->bodies[watch.body], view->states[watch.body],
                                       vec3_zero(), vec3_zero(), watch.observable);
            observe_take(extreme, watch.sense, now.value, scene_time(view, progress));
        }
    }
}

/// Mechanical energy against the start, J: kinetic, elastic, and potential as the height fallen since.
/// The contacts must have been evaluated in the present states.
FN void observe_energy(const SceneView *view, Progress *progress, u32 is_start) {
    real moving = contact_elastic_energy(view, progress);
    real height = 0.0;
    for (u32 b = 0; b < view->scene->body_count; b++) {
        if (view->bodies[b].flags & BODY_FIXED) continue;
        moving += body_kinetic_energy(view, b);
        Vec3 fallen = vec3_sub(view->works[b].start_position_m, view->states[b].position_m);
        height += view->bodies[b].mass_kg * vec3_dot(view->scene->gravity_m_per_s2, fallen);
    }
    real scale = real_max(progress->energy_scale_J, real_max(moving, real_abs(height)));
    progress->energy_scale_J = scale;
    if (is_start) {
        progress->energy_start_J = moving;
        return;
    }
    real residue = real_abs(moving + height + progress->dissipated_J - progress->energy_start_J);
    if (scale > 0.0) progress->energy_drift = real_max(progress->energy_drift, residue / scale);
    if (progress->energy_drift > DRIFT_FLAG_LIMIT) progress->flags |= FLAG_ENERGY_DRIFT;
}

/// Time of the next frame relative to the start of the present outer step; REAL_HUGE: none.
FN real observe_next_frame(const SceneView *view, const Progress *progress) {
    if (progress->frame_count >= view->scene->frame_capacity) return REAL_HUGE;
    real step = view->scene->step_s;
    return (real)progress->frame_count * view->scene->record_every_s -
           (real)progress->step_index * step;
}

/// Copy the present states to the next frame.
FN void observe_frame(const SceneView *view, Progress *progress) {
    u32 bodies = view->scene->body_count;
    LANE_LOOP(b, bodies) view->frames[progress->frame_count * bodies + b] = view->states[b];
    progress->frame_count++;
}

#endif
