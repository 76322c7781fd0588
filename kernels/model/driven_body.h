// Bodies that move as given over time, whatever pushes them: shakers, drums, hoppers. Functions of time give a
// displacement s(t) and an angle a(t) about an axis e through a point c, all of the world:
//
//   x = c + R (x0 - c) + s,  Q = R Q0,  R = exp(a e),
//
// with velocities and accelerations from the functions' derivatives. Without a point, c is the origin of the body's
// frame. Steps end with such a body exactly there; within them integrate/driven_step.h moves it.
#ifndef CLACK_MODEL_DRIVEN_BODY_H
#define CLACK_MODEL_DRIVEN_BODY_H

#include "model/content.h"
#include "model/time_function.h"
#include "model/workspace.h"

// Values of its functions, one after the other: displacement, angle, axis, and the point if one is given.
#define DRIVEN_ANGLE 3u
#define DRIVEN_AXIS 4u
#define DRIVEN_POINT 7u

#define DRIVEN_SAMPLES 8u // parts of a step at whose ends its motion is taken for bounds,
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
    motion.spin_rate = vec3_scale(axis, v[DRIVEN_ANGLE].second_derivative);
    motion.position_m = vec3_add(vec3_add(start.position_m, driven_values(v)), vec3_sub(at, arm));
    motion.velocity_m_per_s = vec3_cross(motion.spin_rad_per_s, at);
    motion.acceleration_m_per_s2 =
        vec3_add(vec3_cross(motion.spin_rate, at), vec3_cross(motion.spin_rad_per_s, motion.velocity_m_per_s));
    motion.velocity_m_per_s = vec3_add(motion.velocity_m_per_s, vec3_make(v[0].rate, v[1].rate, v[2].rate));
    motion.acceleration_m_per_s2 =
        vec3_add(motion.acceleration_m_per_s2,
                 vec3_make(v[0].second_derivative, v[1].second_derivative, v[2].second_derivative));
    return motion;
}

#define DRIVEN_RATES (STAGES - 1u) // index of the rates where it is placed, as of other bodies at the end of a step

/// Its trial state becomes that at the time t, s, and its rates those there.
FN_ONCE void driven_place(const SceneView *view, u32 b, real t) {
    DrivenMotion motion = driven_motion(view, b, t);
    GLOBAL BodyStep *step = &view->works[b].step;
    u32 flags = view->bodies[b].flags;
    step->trial.position_m = motion.position_m;
    step->trial.velocity_m_per_s = motion.velocity_m_per_s;
    step->trial.orientation = motion.orientation;
    step->trial.spin_rad_per_s = spin_from_world(flags, motion.orientation, motion.spin_rad_per_s);
    BodyRate rate;
    rate.velocity = motion.velocity_m_per_s;
    rate.acceleration = motion.acceleration_m_per_s2;
    rate.orientation_rate = quat_make(0.0, motion.spin_rad_per_s.x, motion.spin_rad_per_s.y, motion.spin_rad_per_s.z);
    rate.spin_rate = motion.spin_rate; // world axes
    step->rates[DRIVEN_RATES] = rate;
}

/// The time of the start of the step, which its flight has kept.
FN_SHORT real driven_start_time(const SceneView *view, u32 b) {
    GLOBAL const FlightStart *start = &view->works[b].flight;
    return (real)start->step_index * view->scene->step_s + start->offset_s;
}

// Bounds of a driven body's motion within a step, from its motion at times within.
typedef struct DrivenBounds {
    real path_m, rotation_path_m; // of any of its points; by rotation
    real deviation_m;             // of its centre from the straight path
} DrivenBounds;

#define DRIVEN_FAR (REAL_HUGE / 8.0) // path of the farthest points of a half-space that rotates

FN_SHORT u32 driven_has_plane(const SceneView *view, u32 b) {
    u32 any = 0;
    for (u32 k = 0; k < view->bodies[b].shape_count; k++)
        any |= kind_is(view->shapes[view->bodies[b].shape_first + k].kind, SHAPE_HALF_SPACE);
    return any;
}

/// Within a step of h from there.
FN_ONCE DrivenBounds driven_bounds(const SceneView *view, u32 b, real h) {
    real from = driven_start_time(view, b), deviation = 0.0;
    DrivenMotion first = driven_motion(view, b, from), last = driven_motion(view, b, from + h);
    Vec3 way = vec3_sub(last.position_m, first.position_m);
    real fastest = real_max(vec3_length(first.velocity_m_per_s), vec3_length(last.velocity_m_per_s));
    real spin = real_max(vec3_length(first.spin_rad_per_s), vec3_length(last.spin_rad_per_s));
    for (u32 k = 1; k < DRIVEN_SAMPLES; k++) {
        real share = (real)k / (real)DRIVEN_SAMPLES;
        DrivenMotion motion = driven_motion(view, b, real_fma(share, h, from));
        Vec3 straight = vec3_add_scaled(first.position_m, way, share);
        fastest = real_max(fastest, vec3_length(motion.velocity_m_per_s));
        spin = real_max(spin, vec3_length(motion.spin_rad_per_s));
        deviation = real_max(deviation, vec3_length(vec3_sub(motion.position_m, straight)));
    }
    DrivenBounds bounds;
    bounds.rotation_path_m =
        view->bodies[b].flags & BODY_ROUND ? 0.0 : DRIVEN_SPARE * h * spin * view->bodies[b].radius_m;
    if (spin > 0.0 && driven_has_plane(view, b)) bounds.rotation_path_m = DRIVEN_FAR;
    bounds.path_m = real_fma(DRIVEN_SPARE * h, fastest, bounds.rotation_path_m);
    bounds.deviation_m = DRIVEN_SPARE * deviation;
    return bounds;
}

#endif
