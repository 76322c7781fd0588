// The net force of contacts that is watched: on a body by all its contacts, or on the second of two sides by the first.
// Joints, weights and loads are not in it, nor are observer pairs.
//
// Of a moving body, and of a pair with one, all contacts are stepped with that body. Those of a fixed body, and of sets
// and materials, may belong to several groups (group_windows.h), which are at different times within a window: their
// sum is one of no time. Windows are not opened for it; only impulses, of which its mean is made, add up all the same.
#ifndef CLACK_STEPPER_NET_FORCE_H
#define CLACK_STEPPER_NET_FORCE_H

#include "model/scheme_policy.h"
#include "model/workspace.h"
#include "geometry/shape.h"

FN_SHORT u32 net_force_is(u32 observable) { return observable >= WATCH_NET_FORCE ? 1u : 0u; }

/// Number of watches, if some is of a net force; else 0.
FN_SHORT u32 net_force_watch_count(const SceneView *view) {
    return view->scene->flags & SCENE_NET_FORCES ? watch_count(view) : 0u;
}

/// Sign of the force on the second body of a pair in what is watched; 0: it is not in it.
FN_ONCE real net_force_sign(const SceneView *view, Watch watch, GLOBAL const Candidate *candidate) {
    u32 a = candidate->body_a, b = candidate->body_b;
    if (watch.sides != 0) {
        u32 flags_a = view->shapes[candidate->shape_a].flags, flags_b = view->shapes[candidate->shape_b].flags;
        if (!shape_sides_match(flags_a, flags_b, watch.sides)) return 0.0;
        return flags_b & shape_side_flag(watch.sides >> 8) ? 1.0 : -1.0;
    }
    u32 on = watch.body_other == NONE ? watch.body : watch.body_other;
    u32 by = watch.body_other == NONE ? (on == a ? b : a) : watch.body;
    if (on == b && by == a) return 1.0;
    return on == a && by == b ? -1.0 : 0.0;
}

/// The moving body with which all contacts of a watch are stepped; NONE: there is no such body.
FN_SHORT u32 net_force_leader(const SceneView *view, Watch watch) {
    if (watch.sides != 0) return NONE;
    if (!(view->bodies[watch.body].flags & BODY_FIXED)) return watch.body;
    if (watch.body_other == NONE || view->bodies[watch.body_other].flags & BODY_FIXED) return NONE;
    return watch.body_other;
}

/// Is it a mean of impulses, which are summed whenever they are exerted?
FN_SHORT u32 net_force_is_of_impulses(Watch watch) {
    return watch.sense == WATCH_MEAN && watch.observable != WATCH_NET_FORCE ? 1u : 0u;
}

/// Does the watch need all bodies at one time from now on? A gate that opens at a given time is a stop, at which they
/// are.
FN_ONCE u32 net_force_needs_one_time(const SceneView *view, u32 w) {
    Watch watch = view->watches[w];
    if (!net_force_is(watch.observable) || net_force_leader(view, watch) != NONE) return 0;
    if (!view->extremes[w].gate_open) return watch.after != AFTER_TIME ? 1u : 0u;
    return watch.sense != WATCH_AT && !net_force_is_of_impulses(watch) ? 1u : 0u;
}

/// Does any?
FN_ONCE u32 net_force_forbids_windows(const SceneView *view) {
    u32 forbids = 0;
    for (u32 w = 0; w < net_force_watch_count(view); w++) forbids |= net_force_needs_one_time(view, w);
    return forbids;
}

/// What is watched of a sum: a component, or its size.
FN_SHORT real net_force_read(u32 observable, Vec3 force_N) {
    if (observable == WATCH_NET_FORCE) return vec3_length(force_N);
    if (observable == WATCH_NET_FORCE + 1u) return force_N.x;
    return observable == WATCH_NET_FORCE + 2u ? force_N.y : force_N.z;
}

/// Do steps end on extremes of what is watched?
FN_SHORT u32 net_force_has_peaks(const SceneView *view, u32 w) {
    Watch watch = view->watches[w];
    if (!net_force_is(watch.observable) || !view->extremes[w].gate_open) return 0;
    return watch.sense == WATCH_MAX || (watch.sense == WATCH_MIN && watch.observable != WATCH_NET_FORCE) ? 1u : 0u;
}

#define NET_FORCE_SLANT 1.0e-3 // of a normal against a component: with less its normal force hardly counts

/// The normal force from which on the only contact of a watch makes a new extreme; REAL_HUGE: none, or there are
/// others.
FN_ONCE real net_force_of_one(const SceneView *view, u32 w, GLOBAL const Candidate *candidate) {
    Watch watch = view->watches[w];
    if (!net_force_has_peaks(view, w)) return REAL_HUGE;
    real sign = watch.sense == WATCH_MAX ? 1.0 : -1.0, of = net_force_sign(view, watch, candidate);
    real share = 1.0;
    if (watch.observable != WATCH_NET_FORCE)
        share = sign * of * net_force_read(watch.observable, COPY(view->contacts[candidate->contact].now.normal));
    if (of == 0.0 || share < NET_FORCE_SLANT) return REAL_HUGE;
    EACH_LIVE(i) {
        GLOBAL const Candidate *other = &view->candidates[i];
        if (other == candidate || other->contact == NONE || other->observes) continue;
        if (net_force_sign(view, watch, other) != 0.0) return REAL_HUGE;
    }
    return real_max(0.0, sign * view->extremes[w].value / share);
}

// Over a step.
typedef struct NetForce {
    Vec3 start_N, end_N, impulse_N_s;
} NetForce;

/// Sum over the contacts of the group that is stepped, for the step of h just tried. Bodies that have been frozen keep
/// their last forces.
FN_ONCE NetForce net_force_of_step(const SceneView *view, Watch watch, real h) {
    NetForce net;
    net.start_N = net.end_N = net.impulse_N_s = vec3_zero();
    EACH_LIVE(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->contact == NONE || candidate->observes) continue;
        real sign = net_force_sign(view, watch, candidate);
        GLOBAL const Contact *contact = &view->contacts[candidate->contact];
        if (sign == 0.0 || contact->now.inactive >= CONTACT_REMOVED) continue;
        u32 is_active = contact->now.inactive == CONTACT_ACTIVE ? 1u : 0u;
        Vec3 end = contact->now.force_N;
        Vec3 start = is_active ? contact->start.force_N : contact->now.force_N;
        Vec3 impulse = is_active ? contact->trial.impulse_N_s : vec3_scale(end, h);
        net.start_N = vec3_add_scaled(net.start_N, start, sign);
        net.end_N = vec3_add_scaled(net.end_N, end, sign);
        net.impulse_N_s = vec3_add_scaled(net.impulse_N_s, impulse, sign);
    }
    return net;
}

/// The force in the middle of the step that the parabola of each component through its ends has whose integral is the
/// impulse.
FN_SHORT Vec3 net_force_middle(const NetForce *net, real h) {
    Vec3 middle = vec3_scale(vec3_add(net->start_N, net->end_N), -0.25);
    return vec3_add_scaled(middle, net->impulse_N_s, 1.5 / h);
}

/// Its integral over the step: of a component the impulse. Of the size Simpson's rule with that force in the middle:
/// exact as long as the force keeps its direction. Forces of quasi-rigid contacts are constant over a step.
FN_ONCE real net_force_integral(const SceneView *view, u32 observable, const NetForce *net, real h) {
    real of_impulse = net_force_read(observable, COPY(net->impulse_N_s));
    if (observable != WATCH_NET_FORCE || !(h > 0.0) || scheme_is_quasi_rigid(view->scene->flags)) return of_impulse;
    real middle = vec3_length(net_force_middle(net, h));
    return (vec3_length(COPY(net->start_N)) + 4.0 * middle + vec3_length(COPY(net->end_N))) * (h / 6.0);
}

// A step ends where a watched sum seems to have its extreme: if that exceeds the one so far, and the values at both
// ends of the step, by this share, and is no nearer to them than this share of the step.
#define NET_FORCE_GAIN 1.0e-6
#define NET_FORCE_EDGE 1.0e-2

/// Where within the step of h just tried that is, as a share of it; 2: nowhere. By the parabola through the values at
/// both ends and in the middle.
FN_ONCE real net_force_peak(const SceneView *view, u32 w, real h) {
    Watch watch = view->watches[w];
    if (!net_force_has_peaks(view, w)) return 2.0;
    NetForce net = net_force_of_step(view, watch, h);
    real sign = watch.sense == WATCH_MAX ? 1.0 : -1.0;
    real first = sign * net_force_read(watch.observable, net.start_N);
    real middle = sign * net_force_read(watch.observable, net_force_middle(&net, h));
    real last = sign * net_force_read(watch.observable, net.end_N);
    real rise = 4.0 * middle - 3.0 * first - last,
         quadratic = 4.0 * middle - 2.0 * (first + last); // f + rise s - quadratic s^2
    if (!(quadratic > 0.0)) return 2.0;
    real s = 0.5 * rise / quadratic, peak = first + 0.5 * rise * s;
    real most = real_max(real_max(first, last), sign * view->extremes[w].value);
    if (!(s > NET_FORCE_EDGE && s < 1.0 - NET_FORCE_EDGE)) return 2.0;
    return peak > most + NET_FORCE_GAIN * real_abs(peak) ? s : 2.0;
}

#endif
