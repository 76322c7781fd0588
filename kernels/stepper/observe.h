// What is recorded of a scene as it runs: extremes located in time, means, contacts, the energy audit.
#ifndef CLACK_STEPPER_OBSERVE_H
#define CLACK_STEPPER_OBSERVE_H

#include "law/contact_force.h"
#include "joints/coupling.h"
#include "integrate/motion.h"
#include "stepper/event_location.h"
#include "stepper/net_force.h"
#include "stepper/observe_joints.h"
#include "stepper/observables.h"
#include "stepper/substep.h"

#define DRIFT_FLAG_LIMIT 1.0e-3
#define MOMENTUM_FLAG_LIMIT 1.0e-3
#define DRIFT_FLAG_LIMIT_TRAPEZOIDAL 1.0e-2 // whose steps resolve impacts to 1e-3 or so, without an error control
// Of weights times radii: where bodies stay, held by joints, all energies are rounding.
#define ENERGY_ROUNDING 1.0e-8
#define DEEP_SHARE 0.1                // of the smaller shape
#define OBSERVE_TIME_TOLERANCE 1.0e-9 // of an outer step: closer times are the same

/// Times closer than this to a given time are the same time, s.
FN real observe_time_tolerance_at(const SceneView *view, real time_s) {
    return OBSERVE_TIME_TOLERANCE * view->scene->step_s + 4.0 * REAL_EPSILON * time_s;
}

/// The same at the present time.
FN real observe_time_tolerance(const SceneView *view, SCENE_SPACE const Progress *progress) {
    return observe_time_tolerance_at(view, scene_time(view, progress));
}

#define OBSERVE_ATAN_TERMS 6u
CONSTANT real OBSERVE_ATAN[OBSERVE_ATAN_TERMS] = {1.0, -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0};

/// Rotation vector of a rotation: exact to rounding up to a quarter of a radian, more than a step in contact rotates
/// by.
FN Vec3 observe_rotation_vector(Quat turn) {
    real scale = 1.0 / (1.0 + real_abs(turn.w)),
         sum = 0.0; // times the vector part: the tangent of a quarter of the angle
    Vec3 tangent = vec3_scale(vec3_make(turn.x, turn.y, turn.z), turn.w < 0.0 ? -scale : scale);
    real square = vec3_dot(tangent, tangent);
    for (u32 k = OBSERVE_ATAN_TERMS; k-- > 0;) sum = real_fma(sum, square, OBSERVE_ATAN[k]);
    return vec3_scale(tangent, 4.0 * sum);
}

/// Mean spin of a body over a step of h just tried, in its own axes, rad/s: its rotation, less what a moving axis adds
/// (motion_rotate_ball, motion_free_rotation).
FN Vec3 observe_mean_spin(const SceneView *view, u32 b, real h) {
    GLOBAL const BodyState *start = &view->states[b], *end = &view->works[b].step.trial;
    u32 is_ball = is_free_ball(view->bodies[b].flags);
    Quat back = quat_conjugate(start->orientation), ahead = end->orientation;
    Vec3 turned = observe_rotation_vector(is_ball ? quat_multiply(ahead, back) : quat_multiply(back, ahead));
    Vec3 moved = vec3_cross(end->spin_rad_per_s, start->spin_rad_per_s);
    return vec3_scale(vec3_add_scaled(turned, moved, (is_ball ? -h : h) * h / 12.0), 1.0 / h);
}

/// Slope at the start (end = 0) or the end (1) of h of the parabola through two values with a given mean.
FN Vec3 observe_slope(Vec3 first, Vec3 last, Vec3 mean, real h, u32 end) {
    Vec3 near = end ? last : first, far = end ? first : last;
    Vec3 slope = vec3_add_scaled(vec3_scale(mean, 6.0), vec3_add_scaled(vec3_scale(near, 2.0), far, 1.0), -2.0);
    return vec3_scale(slope, (end ? -1.0 : 1.0) / h);
}

/// Read what is watched at the start (end = 0) or the end (1) of the step of h just tried. In an implicit step the
/// accelerations at its ends say nothing about the velocities in between; the displacement of the body does.
FN ObservableValue observe_step_end(const SceneView *view, Watch watch, u32 observable, u32 end, real h) {
    GLOBAL const BodyWork *work = &view->works[watch.body];
    GLOBAL const Body *body = &view->bodies[watch.body];
    GLOBAL const BodyState *state = end ? &work->step.trial : &view->states[watch.body];
    Vec3 acceleration = vec3_zero();
    Vec3 spin_rate = vec3_zero();
    if (work->mode == MODE_FLYING) {
        acceleration = scene_gravity(view, COPY(state->position_m));
        spin_rate = motion_spin_rate(COPY(*body), COPY(state->spin_rad_per_s), vec3_zero());
    } else if (work->mode == MODE_TOUCHING && work->control.implicit) {
        GLOBAL const BodyState *first = &view->states[watch.body], *last = &work->step.trial;
        h = real_max(h, SUBSTEP_SHORTEST_S);
        Vec3 mean = vec3_scale(vec3_sub(last->position_m, first->position_m), 1.0 / h);
        acceleration = observe_slope(COPY(first->velocity_m_per_s), COPY(last->velocity_m_per_s), mean, h, end);
        mean = observe_mean_spin(view, watch.body, h);
        spin_rate = observe_slope(COPY(first->spin_rad_per_s), COPY(last->spin_rad_per_s), mean, h, end);
    } else if (work->mode == MODE_TOUCHING || body_is_driven(view, watch.body)) {
        acceleration = work->step.rates[end ? STAGES - 1 : 0].acceleration;
        spin_rate = work->step.rates[end ? STAGES - 1 : 0].spin_rate;
        if (body_is_driven(view, watch.body))
            spin_rate = spin_from_world(body->flags, COPY(state->orientation), spin_rate);
    }
    return observable_of_body(body, state, acceleration, spin_rate, observable);
}

FN void observe_raise_extreme(GLOBAL Extreme *extreme, u32 sense, real value, real time) {
    u32 better = sense == WATCH_MAX ? value > extreme->value : value < extreme->value;
    if (extreme->seen && !better) return;
    extreme->value = value;
    extreme->time_s = time;
    extreme->seen = 1;
}

/// Extremes of a reading over a step: its end, and the interior extremum of the cubic between both ends.
FN void observe_extreme(GLOBAL Extreme *extreme, Watch watch, ObservableValue r0, ObservableValue r1, real time,
                        real h) {
    observe_raise_extreme(extreme, watch.sense, observable_shown(watch.observable, r1.value), time + h);
    Cubic f = cubic_hermite(r0.value, r0.rate * h, r1.value, r1.rate * h);
    if (watch.sense == WATCH_MAX) f = cubic_negate(f);
    if (!(f.a0 < 0.0 && cubic_slope(f, 1.0) > 0.0)) return;
    real s = cubic_minimum(f);
    real value = watch.sense == WATCH_MAX ? -cubic_value(f, s) : cubic_value(f, s);
    observe_raise_extreme(extreme, watch.sense, observable_shown(watch.observable, value), time + s * h);
}

/// Is its rate an acceleration?
FN u32 observe_is_motion(u32 observable) {
    if (observable == WATCH_SPEED || observable == WATCH_KINETIC_ENERGY) return 1;
    return observable >= WATCH_VELOCITY && observable < WATCH_COM_POSITION ? 1u : 0u;
}

/// Is its mean exactly what a position has gained?
FN u32 observe_is_gain(Watch watch) {
    return watch.sense == WATCH_MEAN && watch.observable >= WATCH_VELOCITY && watch.observable < WATCH_ANGULAR_VELOCITY
               ? 1u
               : 0u;
}

/// Integral of what is watched over a time, from the readings at both ends.
FN real observe_cubic_integral(Watch watch, ObservableValue r0, ObservableValue r1, real h) {
    Cubic f = cubic_hermite(r0.value, r0.rate * h, r1.value, r1.rate * h);
    if (watch.observable == WATCH_SPEED) return h * cubic_root_integral(f);
    real integral = h * cubic_integral(f);
    // If an implicit step skips over how a motion dies away, a cubic may fall below zero.
    return watch.observable == WATCH_KINETIC_ENERGY ? real_max(integral, 0.0) : integral;
}

/// Integral of what is watched over a step: of a velocity the gain of its position; of all else a fourth-order rule of
/// values and rates at both ends, exact in flight except for rotation.
FN real observe_integral(const SceneView *view, Watch watch, ObservableValue r0, ObservableValue r1, real h) {
    if (observe_is_gain(watch)) {
        u32 position = watch.observable - WATCH_VELOCITY + WATCH_POSITION;
        return observe_step_end(view, watch, position, 1, h).value -
               observe_step_end(view, watch, position, 0, h).value;
    }
    return observe_cubic_integral(watch, r0, r1, h);
}

// Largest penetration within a step.
typedef struct Peak {
    real depth_m, after_s;
} Peak;

/// Largest penetration of one candidate over the step just tried. is_smooth: its gap follows a cubic within, as where
/// no step is an impact.
FN Peak observe_penetration(GLOBAL const Candidate *candidate, u32 gap_index0, u32 gap_index1, real h, u32 is_smooth) {
    real d0 = -candidate->gap_m[gap_index0], d1 = -candidate->gap_m[gap_index1];
    real r0 = -candidate->rate_m_per_s[gap_index0], r1 = -candidate->rate_m_per_s[gap_index1];
    Peak peak;
    peak.depth_m = real_max(d0, d1);
    peak.after_s = d1 > d0 ? h : 0.0;
    if (r0 > 0.0 && r1 < 0.0 && is_smooth) {
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

/// Extremes of what a watch observes of contacts, over the step just tried. Steps end on the peaks of a watched force
/// (event_force_peak).
FN_ONCE void observe_contacts(const SceneView *view, SCENE_SPACE const Progress *progress, u32 w, u32 gap_index0,
                              u32 gap_index1, real h) {
    Watch watch = view->watches[w];
    GLOBAL Extreme *extreme = &view->extremes[w];
    real time = scene_time(view, progress);
    u32 is_smooth = scheme_is_quasi_rigid(view->scene->flags) ? 0u : 1u;
    EACH_LIVE(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->contact == NONE || candidate->observes) continue;
        if (!event_is_watched(view, w, candidate, watch.observable)) continue;
        if (watch.observable == WATCH_PENETRATION) {
            Peak peak = observe_penetration(candidate, gap_index0, gap_index1, h, is_smooth);
            observe_raise_extreme(extreme, watch.sense, peak.depth_m, time + peak.after_s);
            continue;
        }
        GLOBAL const Contact *contact = &view->contacts[candidate->contact];
        if (contact->now.inactive) continue;
        for (u32 end = 0; end < 2; end++) {
            u32 gap_index = end ? gap_index1 : gap_index0;
            real force =
                event_normal_force(view, contact, -candidate->gap_m[gap_index], -candidate->rate_m_per_s[gap_index]);
            observe_raise_extreme(extreme, watch.sense, force, end ? time + h : time);
        }
    }
}

/// Does a body belong to another group than the one that is stepped? Fixed bodies belong to the last group.
FN u32 observe_is_of_other_group(const SceneView *view, SCENE_SPACE const Progress *progress, u32 b) {
    if (progress->group == NONE) return 0;
    return u32_min(view->works[b].group.number, view->scene->body_count) != progress->group ? 1u : 0u;
}

/// The same of what is watched: a joint goes with the group of its free bodies, a net force with that of its contacts;
/// where these may be of several, it waits for the end of the window.
FN u32 observe_watch_waits(const SceneView *view, SCENE_SPACE const Progress *progress, Watch watch) {
    if (net_force_is(watch.observable)) {
        u32 leader = net_force_leader(view, watch);
        if (leader == NONE) return is_grouped(progress) ? 1u : 0u;
        return observe_is_of_other_group(view, progress, leader);
    }
    if (!observe_is_of_joint(watch.observable)) return observe_is_of_other_group(view, progress, watch.body);
    u32 row = observe_joint_row(view, watch);
    if (row == NONE || progress->group == NONE) return 0;
    return contact_is_of_group(view, row, progress->group) ? 0u : 1u;
}

/// Extremes and integrals of what a watch observes of a joint, over the step that is about to be accepted. Integrals by
/// the trapezoidal rule.
FN_ONCE void observe_joint(const SceneView *view, SCENE_SPACE const Progress *progress, u32 w, real h) {
    Watch watch = view->watches[w];
    GLOBAL Extreme *extreme = &view->extremes[w];
    u32 row = observe_joint_row(view, watch);
    if (row == NONE || observe_watch_waits(view, progress, watch)) return;
    GLOBAL const Contact *contact = &view->contacts[row];
    real start = observe_joint_start(view, contact, watch.observable),
         end = observe_joint_end(view, contact, watch.observable);
    if (watch.sense == WATCH_MEAN) {
        extreme->value += 0.5 * h * (start + end);
        return;
    }
    real time = scene_time(view, progress);
    observe_raise_extreme(extreme, watch.sense, start, time);
    observe_raise_extreme(extreme, watch.sense, end, time + h);
}

/// The same of a net force of contacts.
FN_ONCE void observe_net_force(const SceneView *view, SCENE_SPACE const Progress *progress, u32 w, real h) {
    Watch watch = view->watches[w];
    GLOBAL Extreme *extreme = &view->extremes[w];
    u32 is_of_all = net_force_is_of_impulses(watch) && net_force_leader(view, watch) == NONE ? 1u : 0u;
    if (!is_of_all && observe_watch_waits(view, progress, watch)) return;
    NetForce net = net_force_of_step(view, watch, h);
    if (watch.sense == WATCH_MEAN) {
        extreme->value += net_force_integral(view, watch.observable, &net, h);
        return;
    }
    real time = scene_time(view, progress);
    observe_raise_extreme(extreme, watch.sense, net_force_read(watch.observable, net.start_N), time);
    observe_raise_extreme(extreme, watch.sense, net_force_read(watch.observable, net.end_N), time + h);
}

/// pair_smaller_m of a candidate.
FN real observe_smaller_m(const SceneView *view, GLOBAL const Candidate *candidate) {
    return pair_smaller_m(view, candidate->shape_a, candidate->shape_b);
}

/// Extremes and integrals of what a watch, whose gate is open, observes over the step that is about to be accepted.
FN_ONCE void observe_watch(const SceneView *view, SCENE_SPACE const Progress *progress, u32 w, u32 gap_index0,
                           u32 gap_index1, real h) {
    Watch watch = view->watches[w];
    GLOBAL Extreme *extreme = &view->extremes[w];
    if (watch.observable == WATCH_OVERLAP) return; // handled by sensors.h
    if (HAS(CONTENT_JOINTS) && observe_is_of_joint(watch.observable)) {
        observe_joint(view, progress, w, h);
        return;
    }
    if (net_force_is(watch.observable)) {
        observe_net_force(view, progress, w, h);
        return;
    }
    if (watch.observable >= WATCH_PENETRATION) {
        observe_contacts(view, progress, w, gap_index0, gap_index1, h);
        return;
    }
    if (observe_is_of_other_group(view, progress, watch.body)) return;
    ObservableValue r0 = observe_step_end(view, watch, watch.observable, 0, h);
    ObservableValue r1 = observe_step_end(view, watch, watch.observable, 1, h);
    if (watch.sense == WATCH_MEAN) {
        extreme->value += observe_integral(view, watch, r0, r1, h);
        return;
    }
    // Of an implicit step only the ends: its parabola may reach values that no velocity has.
    if (view->works[watch.body].control.implicit && observe_is_motion(watch.observable))
        r0.rate = r1.rate = (r1.value - r0.value) / real_max(h, SUBSTEP_SHORTEST_S);
    observe_extreme(extreme, watch, r0, r1, scene_time(view, progress), h);
}

/// Does what is watched of a body in flight stay a polynomial of its centre's motion? Not if it rotates with the body.
FN u32 observe_is_smooth(const SceneView *view, Watch watch) {
    u32 observable = watch.observable;
    if (observable >= WATCH_PENETRATION || view->works[watch.body].mode != MODE_FLYING) return 1;
    if (observable == WATCH_SPEED && watch.sense == WATCH_MEAN) return 0;
    if (observe_is_gain(watch)) return 1;
    Vec3 spin = view->states[watch.body].spin_rad_per_s;
    if (!(vec3_dot(spin, spin) > 0.0)) return 1;
    if (observable == WATCH_KINETIC_ENERGY) return 1;
    if (observable >= WATCH_COM_POSITION && observable < WATCH_ORIENTATION) return 1;
    if (observable >= WATCH_ORIENTATION && observable < WATCH_SPEED) return 0;
    if (observable >= WATCH_ANGULAR_VELOCITY && observable < WATCH_COM_POSITION)
        return view->bodies[watch.body].flags & BODY_ROUND ? 1u : 0u;
    return vec3_max_abs(view->bodies[watch.body].origin_m) > 0.0 ? 0u : 1u;
}

/// observe_watch of a body in flight while others are in contact, read at the ends of the outer steps within a step
/// that passes some. On item 0, which overwrites its trial state.
FN_ONCE void observe_at_outer_ends(const SceneView *view, SCENE_SPACE const Progress *progress, u32 w, real h) {
    Watch watch = view->watches[w];
    GLOBAL Extreme *extreme = &view->extremes[w];
    GLOBAL BodyState *trial = &view->works[watch.body].step.trial;
    BodyState end = *trial;
    ObservableValue r0 = observe_step_end(view, watch, watch.observable, 0, h);
    real step = view->scene->step_s, tolerance = OBSERVE_TIME_TOLERANCE * step, from = 0.0;
    while (from < h) {
        real outer_steps = (real)(u32)((progress->offset_s + from + tolerance) / step) + 1.0;
        real to = outer_steps * step - progress->offset_s;
        if (!(to < h - tolerance)) to = h;
        if (to < h)
            motion_fly(view, progress, watch.body, to);
        else
            *trial = end;
        ObservableValue r1 = observe_step_end(view, watch, watch.observable, 1, h);
        if (watch.sense == WATCH_MEAN)
            extreme->value += observe_cubic_integral(watch, r0, r1, to - from);
        else
            observe_extreme(extreme, watch, r0, r1, scene_time(view, progress) + from, to - from);
        r0 = r1;
        from = to;
    }
}

/// Extremes and integrals over the step that is about to be accepted: from the present states to the
/// trial states.
FN void observe_step(const SceneView *view, SCENE_SPACE Progress *progress, u32 gap_index0, u32 gap_index1, real h) {
    real deepest = 0.0;
    u32 deep = 0, is_smooth = scheme_is_quasi_rigid(view->scene->flags) ? 0u : 1u;
    LIVE_LOOP(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->contact == NONE || candidate->observes) continue;
        real depth = observe_penetration(candidate, gap_index0, gap_index1, h, is_smooth).depth_m;
        deepest = real_max(deepest, depth);
        if (depth > DEEP_SHARE * observe_smaller_m(view, candidate)) deep = 1;
    }
    if (scene_any(view, deep)) progress->flags |= FLAG_DEEP_CONTACT;
    progress->max_penetration_m = scene_max(view, real_max(deepest, progress->max_penetration_m));
    u32 is_long = h > (1.0 + OBSERVE_TIME_TOLERANCE) * view->scene->step_s ? 1u : 0u, rough = 0;
    ITEM_LOOP(w, watch_count(view)) {
        if (!view->extremes[w].gate_open || view->watches[w].sense == WATCH_AT) continue;
        if (is_long && !observe_is_smooth(view, COPY(view->watches[w])))
            rough = 1;
        else
            observe_watch(view, progress, w, gap_index0, gap_index1, h);
    }
    if (!is_long || !scene_any(view, rough)) return;
    SCENE_BARRIER();
    for (u32 w = 0; w < watch_count(view) && view->item == 0; w++) {
        if (!view->extremes[w].gate_open || view->watches[w].sense == WATCH_AT) continue;
        if (!observe_is_smooth(view, COPY(view->watches[w]))) observe_at_outer_ends(view, progress, w, h);
    }
    SCENE_BARRIER();
}

/// Time at which the next gate opens by the clock, relative to the start of the present outer step;
/// REAL_HUGE: none.
FN real observe_next_gate(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real next = REAL_HUGE;
    for (u32 w = 0; w < watch_count(view); w++) {
        if (view->watches[w].after != AFTER_TIME || view->extremes[w].gate_open) continue;
        next = real_min(next, view->watches[w].time_s - (real)progress->step_index * view->scene->step_s);
    }
    return next;
}

FN u32 observe_gate_opens(const SceneView *view, SCENE_SPACE const Progress *progress, Watch watch, real tolerance) {
    if (watch.after == AFTER_FIRST_CONTACT_BEGIN) return view->works[watch.body].contacts.begins > 0 ? 1 : 0;
    if (watch.after == AFTER_FIRST_CONTACT_END) return view->works[watch.body].contacts.ends > 0 ? 1 : 0;
    if (watch.after != AFTER_TIME) return 1;
    real left = watch.time_s - (real)progress->step_index * view->scene->step_s;
    return left <= progress->offset_s + tolerance ? 1 : 0;
}

/// Is it a net force as it is when its gate opens? Such gates are opened by observe_force_gates.
FN_SHORT u32 observe_reads_forces(Watch watch) {
    return net_force_is(watch.observable) && watch.sense != WATCH_MEAN ? 1u : 0u;
}

/// Open the gates whose event has happened, or whose time has come up to a tolerance; the present state counts first.
FN void observe_gates(const SceneView *view, SCENE_SPACE const Progress *progress, real tolerance) {
    SCENE_BARRIER();
    ITEM_LOOP(w, watch_count(view)) {
        Watch watch = view->watches[w];
        GLOBAL Extreme *extreme = &view->extremes[w];
        if (extreme->gate_open || observe_reads_forces(watch) || observe_watch_waits(view, progress, watch)) continue;
        if (!observe_gate_opens(view, progress, watch, tolerance)) continue;
        real now = 0.0; // the integral, and contacts until the next step
        if (observe_is_of_joint(watch.observable) && watch.sense != WATCH_MEAN) {
            u32 row = observe_joint_row(view, watch);
            extreme->gate_open = 1; // extremes from the next step on, whose start is the present
            if (row != NONE && watch.sense == WATCH_AT)
                observe_raise_extreme(extreme, watch.sense,
                                      observe_joint_end(view, &view->contacts[row], watch.observable),
                                      scene_time(view, progress));
            continue;
        }
        if (watch.sense != WATCH_MEAN && watch.observable < WATCH_PENETRATION) {
            ObservableValue reading = observable_of_body(&view->bodies[watch.body], &view->states[watch.body],
                                                         vec3_zero(), vec3_zero(), watch.observable);
            now = observable_shown(watch.observable, reading.value);
        }
        extreme->gate_open = 1;
        observe_raise_extreme(extreme, watch.sense, now, scene_time(view, progress));
    }
    SCENE_BARRIER();
}

/// Mechanical energy against the start, J: kinetic, elastic, and potential as the height fallen since.
/// The contacts must have been evaluated in the present states.
FN void observe_energy(const SceneView *view, SCENE_SPACE Progress *progress, u32 is_start) {
    real moving = coupling_elastic_energy(view, progress);
    real height = 0.0, weights = 0.0;
    for (u32 b = 0; b < view->scene->body_count; b++) {
        if (view->bodies[b].flags & BODY_FIXED) continue;
        moving += body_kinetic_energy(view, b);
        Vec3 fallen = vec3_sub(view->works[b].start_position_m, view->states[b].position_m);
        height += view->bodies[b].mass_kg * vec3_dot(view->scene->gravity_m_per_s2, fallen);
        if (is_start)
            weights += view->bodies[b].mass_kg * vec3_max_abs(view->scene->gravity_m_per_s2) * view->bodies[b].radius_m;
        if (view->scene->flags & SCENE_POINT_GRAVITY)
            height += view->bodies[b].mass_kg * scene_point_potential(view, COPY(view->works[b].start_position_m),
                                                                      COPY(view->states[b].position_m));
    }
    if (is_start) progress->energy_scale_J = ENERGY_ROUNDING * weights;
    real scale = real_max(progress->energy_scale_J, real_max(moving, real_abs(height)));
    progress->energy_scale_J = scale;
    if (is_start) {
        progress->energy_start_J = moving;
        return;
    }
    real residue = real_abs(moving + height + progress->dissipated_J - progress->given_J - progress->energy_start_J);
    if (scale > 0.0) progress->energy_drift = real_max(progress->energy_drift, residue / scale);
    if (progress->energy_drift >
        (scheme_is_solved(view->scene->flags) ? DRIFT_FLAG_LIMIT_TRAPEZOIDAL : DRIFT_FLAG_LIMIT))
        progress->flags |= FLAG_ENERGY_DRIFT;
}

/// Momentum less what it was at the start, what weights and fixed bodies have added since and what bodies lost when
/// they were frozen. Not under a point's gravity.
FN void observe_momentum(const SceneView *view, SCENE_SPACE Progress *progress, u32 is_start) {
    if (view->scene->flags & SCENE_POINT_GRAVITY) return;
    Vec3 residue = vec3_negate(progress->momentum_N_s);
    real scale = 0.0, pulled_kg = 0.0, moved_kg = 0.0;
    for (u32 b = 0; b < view->scene->body_count; b++) {
        if (view->bodies[b].flags & BODY_FIXED) continue;
        Vec3 momentum = vec3_scale(view->states[b].velocity_m_per_s, view->bodies[b].mass_kg);
        residue = vec3_add(residue, momentum);
        scale += vec3_length(momentum);
        moved_kg += view->bodies[b].mass_kg;
        if (view->works[b].mode != MODE_FROZEN) pulled_kg += view->bodies[b].mass_kg;
    }
    Vec3 weight = vec3_scale(view->scene->gravity_m_per_s2, pulled_kg * scene_time(view, progress));
    residue = vec3_sub(residue, weight);
    for (u32 c = 0; c < progress->contact_count; c++)
        if (view->contacts[c].now.inactive != CONTACT_OBSERVING)
            residue = vec3_sub(residue, contact_impulse_of_fixed(view, &view->contacts[c]));
    progress->momentum_scale_N_s = real_max(progress->momentum_scale_N_s, scale + vec3_length(weight));
    if (is_start) {
        progress->momentum_N_s = residue; // the momentum itself
        return;
    }
    real off = vec3_length(residue);
    if (progress->momentum_scale_N_s > 0.0)
        progress->momentum_drift = real_max(progress->momentum_drift, off / progress->momentum_scale_N_s);
    real least = moved_kg * SPEED_FLOOR_M_PER_S; // of bodies at rest under large forces
    if (!(off <= MOMENTUM_FLAG_LIMIT * (progress->momentum_scale_N_s + least))) progress->flags |= FLAG_MOMENTUM_DRIFT;
}

/// Time of the next recording of contacts relative to the start of the present outer step; REAL_HUGE: none.
FN real observe_next_record(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real every = view->scene->contacts_every_s;
    if (!(every > 0.0)) return REAL_HUGE;
    return (real)progress->record_count * every - (real)progress->step_index * view->scene->step_s;
}

FN_ONCE ContactRow observe_contact(const SceneView *view, SCENE_SPACE const Progress *progress,
                                   GLOBAL const Contact *contact) {
    ContactRow row;
    Vec3 along = vec3_scale(contact->now.normal, contact->now.normal_N);
    row.time_s = scene_time(view, progress);
    row.penetration_m = -contact->now.gap_m;
    row.normal_N = contact->now.normal_N;
    row.area_m2 = 0.0;
    row.tangential_N = vec3_sub(contact->now.force_N, along);
    row.torque_N_m = vec3_sub(contact->now.torque_b_N_m, vec3_cross(contact->now.lever_b_m, contact->now.force_N));
    row.point_m = vec3_add(view->states[contact->pair.body_b].position_m, contact->now.lever_b_m);
    row.normal = contact->now.normal;
    row.body_a = contact->pair.body_a;
    row.body_b = contact->pair.body_b;
    row.shape_a = contact->pair.shape_a;
    row.shape_b = contact->pair.shape_b;
    row.feature = contact->pair.feature;
    row.scene = view->index;
    return row;
}

/// A joint, or a load: its force and moment on B at its point, how far it is, and by how much its equations are
/// violated.
FN_ONCE ContactRow observe_joint_now(const SceneView *view, SCENE_SPACE const Progress *progress,
                                     GLOBAL const Contact *contact) {
    ContactRow row = observe_contact(view, progress, contact);
    row.feature = joint_of(view, contact)->number;
    row.tangential_N = contact->now.force_N;
    row.penetration_m = observe_joint_coordinate(view, contact);
    row.normal_N = contact_is_constraint(view, contact) ? constraint_violation(&contact->step.constraint) : 0.0;
    return row;
}

FN_SHORT real observe_region_area_m2(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const FoundRegion *found = &view->surfaces->found[contact->pair.candidate];
    return found->is_there ? found->area_m2 : 0.0;
}

/// Evaluate a contact in the present states, which are also the trial ones. One that has just begun has no force yet;
/// for the others this gives the same bits again.
FN void observe_evaluate(const SceneView *view, GLOBAL Contact *contact) {
    if (contact->now.inactive) return;
    if (contact_is_region(view, contact))
        region_evaluate_found(view, contact);
    else if (contact_is_quasi_rigid(view, contact))
        quasi_hold(view, contact);
    else
        contact_evaluate(view, contact);
}

/// Does the gate of this watch of forces open now?
FN_SHORT u32 observe_force_gate_opens(const SceneView *view, SCENE_SPACE const Progress *progress, u32 w,
                                      real tolerance) {
    Watch watch = view->watches[w];
    if (!observe_reads_forces(watch) || view->extremes[w].gate_open) return 0;
    return observe_watch_waits(view, progress, watch) ? 0u : observe_gate_opens(view, progress, watch, tolerance);
}

/// observe_gates for net forces, between steps: the forces of the present states are the first that count.
FN_ONCE void observe_force_gates(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real tolerance = observe_time_tolerance(view, progress);
    u32 opens = 0;
    for (u32 w = 0; w < watch_count(view); w++) opens |= observe_force_gate_opens(view, progress, w, tolerance);
    if (!opens) return;
    SCENE_BARRIER();
    LIVE_LOOP(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->contact != NONE) observe_evaluate(view, &view->contacts[candidate->contact]);
    }
    SCENE_BARRIER();
    ITEM_LOOP(k, watch_count(view)) {
        if (!observe_force_gate_opens(view, progress, k, tolerance)) continue;
        Watch watch = view->watches[k];
        Vec3 force = net_force_of_step(view, watch, 0.0).end_N;
        view->extremes[k].gate_open = 1;
        observe_raise_extreme(&view->extremes[k], watch.sense, net_force_read(watch.observable, force),
                              scene_time(view, progress));
    }
    SCENE_BARRIER();
}

/// Record all joints, then all contacts with their forces, in the order of their keys; what sleeps with the force at
/// which it fell asleep. Trial and present states are equal here. Returns 0 if the rows must be drained first.
FN_WAY u32 observe_record(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 joints = joint_count(view), wanted = progress->contact_count - progress->observer_count;
    if (progress->row_count + wanted > view->room.rows) {
        progress->status = STATUS_ROWS_FULL;
        if (progress->row_count > 0) return 0;
        progress->status = STATUS_CAPACITY;
        progress->capacity_which = CAPACITY_ROWS;
        progress->capacity_wanted = wanted;
        return 0;
    }
    SCENE_BARRIER();
    u32 row = progress->row_count;
    for (u32 j = 0; j < joints; j++, row++) {
        GLOBAL Contact *contact = &view->contacts[j];
        if (row % SCENE_ITEMS != view->item) continue;
        if (!contact->now.inactive && !contact_is_constraint(view, contact)) coupling_evaluate(view, contact);
        view->rows[row] = observe_joint_now(view, progress, contact);
    }
    for (u32 c = joints; c < progress->contact_count; c++) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (contact->now.inactive == CONTACT_OBSERVING) continue;
        if (row % SCENE_ITEMS == view->item) {
            observe_evaluate(view, contact);
            view->rows[row] = observe_contact(view, progress, contact);
            if (contact_is_region(view, contact)) view->rows[row].area_m2 = observe_region_area_m2(view, contact);
        }
        row++;
    }
    SCENE_BARRIER();
    progress->row_count += wanted;
    progress->record_count++;
    return 1;
}

#endif
