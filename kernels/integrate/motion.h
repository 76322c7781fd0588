// Newton-Euler motion: free flight in closed form, rates of bodies in contact, stages of explicit steps.
#ifndef CLACK_INTEGRATE_MOTION_H
#define CLACK_INTEGRATE_MOTION_H

#include "base/lanes.h"
#include "model/content.h"
#include "model/workspace.h"
#include "integrate/scheme.h"

#define LANE_WIDTH 1
#include "integrate/motion_rate.h"
#undef LANE_WIDTH
#if SIDE_BY_SIDE > 1
#define LANE_WIDTH SIDE_BY_SIDE
#include "integrate/motion_rate.h"
#undef LANE_WIDTH
#endif

FN_SHORT Vec3 motion_spin_rate(Body body, Vec3 spin, Vec3 torque_principal) {
    return motion_euler(body.inertia_kg_m2, body.inverse_inertia, spin, torque_principal);
}
FN_SHORT MotionBody motion_body(GLOBAL const Body *body, Vec3 gravity_m_per_s2) {
    MotionBody of;
    of.gravity_m_per_s2 = gravity_m_per_s2;
    of.inertia_kg_m2 = body->inertia_kg_m2;
    of.inverse_inertia = body->inverse_inertia;
    of.inverse_mass = body->inverse_mass;
    return of;
}

/// Spin after torque-free rotation by one classical Runge-Kutta step, of which the moment of momentum is as large as
/// before.
FN_WAY Vec3 motion_free_spin(GLOBAL const Body *body, Vec3 spin, real h) {
    Vec3 none = vec3_zero();
    Vec3 k1 = motion_spin_rate(COPY(*body), spin, none);
    Vec3 k2 = motion_spin_rate(COPY(*body), vec3_add_scaled(spin, k1, 0.5 * h), none);
    Vec3 k3 = motion_spin_rate(COPY(*body), vec3_add_scaled(spin, k2, 0.5 * h), none);
    Vec3 k4 = motion_spin_rate(COPY(*body), vec3_add_scaled(spin, k3, h), none);
    Vec3 sum = vec3_add(vec3_add(k1, k4), vec3_scale(vec3_add(k2, k3), 2.0));
    Vec3 next = vec3_add_scaled(spin, sum, h / 6.0);
    real before = vec3_length(vec3_multiply(COPY(body->inertia_kg_m2), spin)),
         after = vec3_length(vec3_multiply(COPY(body->inertia_kg_m2), next));
    return after > 0.0 ? vec3_scale(next, before / after) : next;
}

/// Orientation of a ball after a rotation by `turned`, while the spin goes from w0 to w1 in world axes in a time h:
/// adds what the integral of the spin lacks as its axis moves. Magnus expansion, as motion_free_rotation.
FN Quat motion_rotate_ball(Quat orientation, Vec3 turned, Vec3 w0, Vec3 w1, real h) {
    if (vec3_max_abs(turned) == 0.0) return orientation;
    Vec3 angle = vec3_add_scaled(turned, vec3_cross(w1, w0), h * h / 12.0);
    return quat_normalize(quat_multiply(quat_exp(angle), orientation));
}

/// Orientation after torque-free rotation from spin w0 to w1 (principal axes, of motion_free_spin) in a time h:
/// fourth-order Lie step. Source: Iserles et al., Acta Numerica 9 (2000), Magnus expansion. By what the direction of
/// the moment of momentum is off, the body is turned back.
FN_WAY Quat motion_free_rotation(GLOBAL const Body *body, Quat orientation, Vec3 w0, Vec3 w1, real h) {
    Vec3 none = vec3_zero();
    Vec3 rate_difference = vec3_sub(motion_spin_rate(COPY(*body), w0, none), motion_spin_rate(COPY(*body), w1, none));
    Vec3 middle = vec3_add_scaled(vec3_scale(vec3_add(w0, w1), 0.5), rate_difference, h / 8.0);
    Vec3 angle = vec3_scale(vec3_add(vec3_add(w0, w1), vec3_scale(middle, 4.0)), h / 6.0);
    angle = vec3_add_scaled(angle, vec3_cross(w0, w1), h * h / 12.0);
    Quat turn = quat_exp(angle);
    Vec3 kept = vec3_multiply(COPY(body->inertia_kg_m2), w0),
         now = quat_rotate(turn, vec3_multiply(COPY(body->inertia_kg_m2), w1));
    real square = vec3_length(kept) * vec3_length(now);
    if (square > 0.0) {
        real share = 0.5 / square;
        Vec3 off = vec3_scale(vec3_cross(now, kept), share);
        turn = quat_multiply(quat_make(real_fma(share, vec3_dot(now, kept), 0.5), off.x, off.y, off.z), turn);
    }
    return quat_normalize(quat_multiply(orientation, turn));
}

/// Centre of mass under gravity towards a point after a time h: one Tsit5 step from the present state.
FN void motion_orbit(const SceneView *view, BodyState *state, real h) {
    BodyState start = *state, at = start;
    BodyRate rates[TABLEAU_COLUMNS] = ALL_ZERO; // without rotation, which is motion_rotate_freely's
    for (u32 stage = 1; stage < STAGES; stage++) {
        rates[stage - 1u].velocity = at.velocity_m_per_s;
        rates[stage - 1u].acceleration = scene_gravity(view, at.position_m);
        CONSTANT_POINTER const real *row = scheme_row(1, stage);
        BodyRate sum = motion_scale(rates[0], row[0]);
        for (u32 j = 1; j < stage; j++) sum = motion_add(sum, rates[j], row[j]);
        at = motion_move(start, sum, h);
    }
    state->position_m = at.position_m;
    state->velocity_m_per_s = at.velocity_m_per_s;
}

// End of a flight: `outer_steps` outer steps after the start of the present one, plus `remainder_s`.
typedef struct FlightEnd {
    u32 outer_steps;
    real remainder_s;
} FlightEnd;

/// End of a flight of h from the present, on the grid of outer steps if it is there to rounding.
FN FlightEnd motion_end(const SceneView *view, SCENE_SPACE const Progress *progress, real h) {
    FlightEnd end;
    real step = view->scene->step_s;
    real time = progress->offset_s + h;
    end.outer_steps = (u32)(time / step + 0.5);
    end.remainder_s = time - (real)end.outer_steps * step;
    if (real_abs(end.remainder_s) <= 4.0 * REAL_EPSILON * time) {
        end.remainder_s = 0.0;
    } else if (end.remainder_s < 0.0 &&
               end.outer_steps > 0) { // rounding of a frame's time may put the end before the start
        end.outer_steps--;
        end.remainder_s += step;
    }
    return end;
}

/// Torque-free rotation from the present on, by one step to the end of each outer step.
FN_WAY void motion_rotate_freely(const SceneView *view, SCENE_SPACE const Progress *progress, GLOBAL const Body *body,
                                 BodyState *state, real h, FlightEnd end) {
    if (!(vec3_dot(state->spin_rad_per_s, state->spin_rad_per_s) > 0.0)) return;
    real part = h;
    for (u32 outer_step = 0;
         outer_step == 0 || outer_step < end.outer_steps || (outer_step == end.outer_steps && end.remainder_s > 0.0);
         outer_step++) {
        if (end.outer_steps > 0) part = outer_step < end.outer_steps ? view->scene->step_s : end.remainder_s;
        if (end.outer_steps > 0 && outer_step == 0) part = view->scene->step_s - progress->offset_s;
        Vec3 w0 = state->spin_rad_per_s;
        Quat before = state->orientation;
        if (is_free_ball(body->flags)) {
            state->orientation = quat_normalize(quat_multiply(quat_exp(vec3_scale(w0, part)), before));
            continue;
        }
        state->spin_rad_per_s = motion_free_spin(body, w0, part);
        state->orientation = motion_free_rotation(body, before, w0, COPY(state->spin_rad_per_s), part);
    }
}

/// State of a body in flight at a time h after the present. Translation from the start of the flight, so that rounding
/// does not add up over steps, and rotation from one end of an outer step to the next, so that it has the same bits
/// there whichever steps led to it. A point's gravity has no closed form.
FN void motion_fly(const SceneView *view, SCENE_SPACE const Progress *progress, u32 b, real h) {
    GLOBAL BodyWork *work = &view->works[b];
    BodyState state = view->states[b];
    FlightEnd end = motion_end(view, progress, h);
    if (view->scene->flags & SCENE_POINT_GRAVITY) {
        motion_orbit(view, &state, h);
    } else {
        Vec3 gravity = view->scene->gravity_m_per_s2;
        real tau = (real)(progress->step_index + end.outer_steps - work->flight.step_index) * view->scene->step_s +
                   (end.remainder_s - work->flight.offset_s);
        Vec3 v0 = work->flight.velocity_m_per_s;
        state.position_m = vec3_add_scaled(work->flight.position_m, vec3_add_scaled(v0, gravity, 0.5 * tau), tau);
        state.velocity_m_per_s = vec3_add_scaled(v0, gravity, tau);
    }
    motion_rotate_freely(view, progress, &view->bodies[b], &state, h, end);
    work->step.trial = state;
}

/// Rates of a body at its trial state from the forces of the present evaluation.
FN_SHORT void motion_rate(const SceneView *view, u32 b, u32 stage) {
    GLOBAL BodyWork *work = &view->works[b];
    BodyState state = work->step.trial;
    MotionBody body = motion_body(&view->bodies[b], scene_gravity(view, state.position_m));
    if (!is_free_ball(view->bodies[b].flags)) {
        work->step.rates[stage] = motion_rate_of(body, state, quat_rotate_any_scale(state.orientation),
                                                 COPY(work->step.force_N), COPY(work->step.torque_N_m));
        return;
    }
    Vec3 w = state.spin_rad_per_s;
    BodyRate rate;
    rate.velocity = state.velocity_m_per_s;
    rate.acceleration = vec3_add_scaled(body.gravity_m_per_s2, work->step.force_N, body.inverse_mass);
    rate.orientation_rate = quat_make(0.0, w.x, w.y, w.z);
    rate.spin_rate = vec3_multiply(work->step.torque_N_m, body.inverse_inertia);
    work->step.rates[stage] = rate;
}

#endif
