// Bodies that move as given over time, whatever pushes them: shakers, drums, hoppers. Functions of time give a
// displacement s(t) and an angle a(t) about an axis e through a point c, all of the world:
//
//   x = c + R (x0 - c) + s,  Q = R Q0,  R = exp(a e),
//
// with velocities and accelerations from the functions' derivatives. Without a point, c is the origin of the body's
// frame. Steps place such a body exactly at each of their times; nothing is integrated.
#ifndef CLACK_MODEL_DRIVEN_BODY_H
#define CLACK_MODEL_DRIVEN_BODY_H

#include "model/content.h"
#include "model/time_function.h"
#include "model/workspace.h"

// Values of its functions, one after the other: displacement, angle, axis, and the point if one is given.
#define DRIVEN_ANGLE 3u
#define DRIVEN_AXIS 4u
#define DRIVEN_POINT 7u

#define DRIVEN_SAMPLES 8u // of its motion within a step, for bounds,
#define DRIVEN_SPARE 1.25 // with so much to spare

// A pose with its first and second derivatives by time. World axes.
typedef struct DrivenMotion {
    Vec3 position_m, velocity_m_per_s, acceleration_m_per_s2;
    Vec3 spin_rad_per_s, spin_rate;
    Quat orientation;
} DrivenMotion;

FN_SHORT u32 body_is_driven(const SceneView *view, u32 b) {
    return view->scene->flags & SCENE_TIMED && view->works[b].mode == MODE_DRIVEN ? 1u : 0u;
}

FN_SHORT Vec3 driven_values(const TimeValue *v) { return vec3_make(v[0].value, v[1].value, v[2].value); }

/// Motion of a driven body at the time t, s.
FN_ONCE DrivenMotion driven_motion(const SceneView *view, u32 b, real t) {
    GLOBAL const FunctionRow *head = view->functions + view->bodies[b].motion;
    TimeValue v[TIME_STACK];
    u32 count = time_functions(head + 1, head->count, t, v);
    BodyState start = view->works[b].window.kept;
    Vec3 axis = driven_values(v + DRIVEN_AXIS);
    real length = vec3_length(axis), angle = v[DRIVEN_ANGLE].value;
    axis = length > 0.0 ? vec3_scale(axis, 1.0 / length) : vec3_zero();
    Vec3 arm = vec3_negate(quat_rotate(start.orientation, view->bodies[b].origin_m));
    if (count > DRIVEN_POINT) arm = vec3_sub(start.position_m, driven_values(v + DRIVEN_POINT));
    Vec3 e = vec3_scale(axis, elementary_sin(0.5 * angle, 0));
    Quat turn = quat_make(elementary_sin(0.5 * angle, 1), e.x, e.y, e.z);
    Vec3 at = quat_rotate(turn, arm);
    DrivenMotion motion;
    motion.orientation = quat_normalize(quat_multiply(turn, start.orientation));
    motion.spin_rad_per_s = vec3_scale(axis, v[DRIVEN_ANGLE].rate);
    motion.spin_rate = vec3_scale(axis, v[DRIVEN_ANGLE].bend);
    motion.position_m = vec3_add(vec3_add(start.position_m, driven_values(v)), vec3_sub(at, arm));
    motion.velocity_m_per_s = vec3_cross(motion.spin_rad_per_s, at);
    motion.acceleration_m_per_s2 =
        vec3_add(vec3_cross(motion.spin_rate, at), vec3_cross(motion.spin_rad_per_s, motion.velocity_m_per_s));
    motion.velocity_m_per_s = vec3_add(motion.velocity_m_per_s, vec3_make(v[0].rate, v[1].rate, v[2].rate));
    motion.acceleration_m_per_s2 = vec3_add(motion.acceleration_m_per_s2, vec3_make(v[0].bend, v[1].bend, v[2].bend));
    return motion;
}

/// Its trial state becomes that at the time t, s, and its rates of a stage those there.
FN_ONCE void driven_place(const SceneView *view, u32 b, real t, u32 stage) {
    DrivenMotion motion = driven_motion(view, b, t);
    GLOBAL BodyStep *step = &view->works[b].step;
    u32 flags = view->bodies[b].flags;
    step->trial.position_m = motion.position_m;
    step->trial.velocity_m_per_s = motion.velocity_m_per_s;
    step->trial.orientation = motion.orientation;
    step->trial.spin_rad_per_s = spin_from_world(flags, motion.orientation, motion.spin_rad_per_s);
    step->rates[stage].velocity = motion.velocity_m_per_s;
    step->rates[stage].acceleration = motion.acceleration_m_per_s2;
    step->rates[stage].orientation_rate =
        quat_make(0.0, motion.spin_rad_per_s.x, motion.spin_rad_per_s.y, motion.spin_rad_per_s.z);
    step->rates[stage].spin_rate = motion.spin_rate; // world axes
}

/// All of them, of this item.
FN_ONCE void driven_place_all(const SceneView *view, real t, u32 stage) {
    MOVING_LOOP(b) {
        if (body_is_driven(view, b)) driven_place(view, b, t, stage);
    }
}

// Bounds of a driven body's motion within a step, from its motion at times within.
typedef struct DrivenBounds {
    real path_m, rotation_path_m; // of any of its points; by rotation
    real stray_m;                 // of its centre from the straight path
} DrivenBounds;

#define DRIVEN_FAR (REAL_HUGE / 8.0) // path of the farthest points of a half-space that rotates

FN_SHORT u32 driven_has_plane(const SceneView *view, u32 b) {
    u32 any = 0;
    for (u32 k = 0; k < view->bodies[b].shape_count; k++)
        any |= kind_is(view->shapes[view->bodies[b].shape_first + k].kind, SHAPE_HALF_SPACE);
    return any;
}

/// Within a step of h from the time that its flight has kept.
FN_ONCE DrivenBounds driven_bounds(const SceneView *view, u32 b, real h) {
    GLOBAL const FlightStart *start = &view->works[b].flight;
    real from = (real)start->step_index * view->scene->step_s + start->offset_s, fastest = 0.0, spin = 0.0, stray = 0.0;
    Vec3 first = driven_motion(view, b, from).position_m, last = driven_motion(view, b, from + h).position_m;
    for (u32 k = 0; k <= DRIVEN_SAMPLES; k++) {
        real share = (real)k / (real)DRIVEN_SAMPLES;
        DrivenMotion motion = driven_motion(view, b, real_fma(share, h, from));
        Vec3 straight = vec3_add_scaled(first, vec3_sub(last, first), share);
        fastest = real_max(fastest, vec3_length(motion.velocity_m_per_s));
        spin = real_max(spin, vec3_length(motion.spin_rad_per_s));
        stray = real_max(stray, vec3_length(vec3_sub(motion.position_m, straight)));
    }
    DrivenBounds bounds;
    bounds.rotation_path_m =
        view->bodies[b].flags & BODY_ROUND ? 0.0 : DRIVEN_SPARE * h * spin * view->bodies[b].radius_m;
    if (spin > 0.0 && driven_has_plane(view, b)) bounds.rotation_path_m = DRIVEN_FAR;
    bounds.path_m = real_fma(DRIVEN_SPARE * h, fastest, bounds.rotation_path_m);
    bounds.stray_m = DRIVEN_SPARE * stray;
    return bounds;
}

#endif
