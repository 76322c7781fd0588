// Newton-Euler motion: free flight in closed form, rates of bodies in contact, stages of explicit steps.
#ifndef CLACK_INTEGRATE_MOTION_H
#define CLACK_INTEGRATE_MOTION_H

#include "model/content.h"
#include "model/workspace.h"
#include "integrate/scheme.h"

/// Euler's equations in principal axes.
FN_SHORT Vec3 motion_spin_rate_of(Vec3 i, Vec3 inverse, Vec3 spin, Vec3 torque_principal) {
    Vec3 gyroscopic =
        vec3_make((i.y - i.z) * spin.y * spin.z, (i.z - i.x) * spin.z * spin.x, (i.x - i.y) * spin.x * spin.y);
    return vec3_multiply(vec3_add(torque_principal, gyroscopic), inverse);
}
FN_SHORT Vec3 motion_spin_rate(Body body, Vec3 spin, Vec3 torque_principal) {
    return motion_spin_rate_of(body.inertia_kg_m2, body.inverse_inertia, spin, torque_principal);
}

/// Spin after torque-free rotation by one classical Runge-Kutta step.
FN_WAY Vec3 motion_free_spin(GLOBAL const Body *body, Vec3 spin, real h) {
    Vec3 none = vec3_zero();
    Vec3 k1 = motion_spin_rate(*body, spin, none);
    Vec3 k2 = motion_spin_rate(*body, vec3_add_scaled(spin, k1, 0.5 * h), none);
    Vec3 k3 = motion_spin_rate(*body, vec3_add_scaled(spin, k2, 0.5 * h), none);
    Vec3 k4 = motion_spin_rate(*body, vec3_add_scaled(spin, k3, h), none);
    Vec3 sum = vec3_add(vec3_add(k1, k4), vec3_scale(vec3_add(k2, k3), 2.0));
    return vec3_add_scaled(spin, sum, h / 6.0);
}

/// Orientation of a ball after a rotation by `turned`, while the spin goes from w0 to w1 in world axes in a time h:
/// adds what the integral of the spin lacks as its axis moves. Magnus expansion, as motion_free_turn.
FN Quat motion_turn_ball(Quat orientation, Vec3 turned, Vec3 w0, Vec3 w1, real h) {
    if (vec3_max_abs(turned) == 0.0) return orientation;
    Vec3 angle = vec3_add_scaled(turned, vec3_cross(w1, w0), h * h / 12.0);
    return quat_normalize(quat_multiply(quat_exp(angle), orientation));
}

/// Orientation after torque-free rotation from spin w0 to w1 (principal axes) in a time h: fourth-order
/// Lie step. Source: Iserles et al., Acta Numerica 9 (2000), Magnus expansion.
FN_WAY Quat motion_free_turn(GLOBAL const Body *body, Quat orientation, Vec3 w0, Vec3 w1, real h) {
    Vec3 none = vec3_zero();
    Vec3 rate_difference = vec3_sub(motion_spin_rate(*body, w0, none), motion_spin_rate(*body, w1, none));
    Vec3 middle = vec3_add_scaled(vec3_scale(vec3_add(w0, w1), 0.5), rate_difference, h / 8.0);
    Vec3 angle = vec3_scale(vec3_add(vec3_add(w0, w1), vec3_scale(middle, 4.0)), h / 6.0);
    angle = vec3_add_scaled(angle, vec3_cross(w0, w1), h * h / 12.0);
    return quat_normalize(quat_multiply(orientation, quat_exp(angle)));
}

/// Centre of mass under gravity towards a point after a time h: one Tsit5 step from the present state.
FN void motion_orbit(const SceneView *view, BodyState *state, real h) {
    Vec3 x0 = state->position_m, v0 = state->velocity_m_per_s;
    Vec3 velocities[TABLEAU_COLUMNS], accelerations[TABLEAU_COLUMNS];
    for (u32 stage = 0; stage < STAGES; stage++) {
        Vec3 velocity = vec3_zero(), acceleration = vec3_zero();
        for (u32 j = 0; j < stage; j++) {
            velocity = vec3_add_scaled(velocity, velocities[j], TSIT5[stage][j]);
            acceleration = vec3_add_scaled(acceleration, accelerations[j], TSIT5[stage][j]);
        }
        state->position_m = vec3_add_scaled(x0, velocity, h);
        state->velocity_m_per_s = vec3_add_scaled(v0, acceleration, h);
        if (stage == TABLEAU_COLUMNS) break;
        velocities[stage] = state->velocity_m_per_s;
        accelerations[stage] = scene_gravity(view, state->position_m);
    }
}

// End of a flight: `cells` outer steps after the start of the present one, plus `rest_s`.
typedef struct FlightEnd {
    u32 cells;
    real rest_s;
} FlightEnd;

/// End of a flight of h from the present, on the grid of outer steps if it is there to rounding.
FN FlightEnd motion_end(const SceneView *view, const Progress *progress, real h) {
    FlightEnd end;
    real step = view->scene->step_s;
    real time = progress->offset_s + h;
    end.cells = (u32)(time / step + 0.5);
    end.rest_s = time - (real)end.cells * step;
    if (real_abs(end.rest_s) <= 4.0 * REAL_EPSILON * time) {
        end.rest_s = 0.0;
    } else if (end.rest_s < 0.0 && end.cells > 0) { // rounding of a frame's time may put the end before the start
        end.cells--;
        end.rest_s += step;
    }
    return end;
}

/// Torque-free rotation from the present on, by one step to the end of each outer step.
FN_WAY void motion_turn(const SceneView *view, const Progress *progress, GLOBAL const Body *body, BodyState *state,
                        real h, FlightEnd end) {
    if (!(vec3_dot(state->spin_rad_per_s, state->spin_rad_per_s) > 0.0)) return;
    real part = h;
    for (u32 cell = 0; cell == 0 || cell < end.cells || (cell == end.cells && end.rest_s > 0.0); cell++) {
        if (end.cells > 0) part = cell < end.cells ? view->scene->step_s : end.rest_s;
        if (end.cells > 0 && cell == 0) part = view->scene->step_s - progress->offset_s;
        Vec3 w0 = state->spin_rad_per_s;
        Quat turned = state->orientation;
        if (is_free_ball(body->flags)) {
            state->orientation = quat_normalize(quat_multiply(quat_exp(vec3_scale(w0, part)), turned));
            continue;
        }
        state->spin_rad_per_s = motion_free_spin(body, w0, part);
        state->orientation = motion_free_turn(body, turned, w0, state->spin_rad_per_s, part);
    }
}

/// State of a body in flight at a time h after the present. Translation from the start of the flight, so that rounding
/// does not add up over steps, and rotation from one end of an outer step to the next, so that it has the same bits
/// there whichever steps led to it. A point's gravity has no closed form.
FN void motion_fly(const SceneView *view, const Progress *progress, u32 b, real h) {
    GLOBAL BodyWork *work = &view->works[b];
    BodyState state = view->states[b];
    FlightEnd end = motion_end(view, progress, h);
    if (view->scene->flags & SCENE_POINT_GRAVITY) {
        motion_orbit(view, &state, h);
    } else {
        Vec3 gravity = view->scene->gravity_m_per_s2;
        real tau = (real)(progress->step_index + end.cells - work->flight.step_index) * view->scene->step_s +
                   (end.rest_s - work->flight.offset_s);
        Vec3 v0 = work->flight.velocity_m_per_s;
        state.position_m = vec3_add_scaled(work->flight.position_m, vec3_add_scaled(v0, gravity, 0.5 * tau), tau);
        state.velocity_m_per_s = vec3_add_scaled(v0, gravity, tau);
    }
    motion_turn(view, progress, &view->bodies[b], &state, h, end);
    work->trial = state;
}

/// Rates of a body at its trial state from the forces of the present evaluation.
FN_SHORT void motion_rate(const SceneView *view, u32 b, u32 stage) {
    GLOBAL BodyWork *work = &view->works[b];
    Body body = view->bodies[b];
    BodyState state = work->trial;
    BodyRate rate;
    rate.velocity = state.velocity_m_per_s;
    Vec3 w = state.spin_rad_per_s;
    rate.acceleration = vec3_add_scaled(scene_gravity(view, state.position_m), work->force_N, body.inverse_mass);
    if (is_free_ball(body.flags)) {
        rate.turning = quat_make(0.0, w.x, w.y, w.z);
        rate.spin_rate = vec3_multiply(work->torque_N_m, body.inverse_inertia);
    } else {
        Quat turning = quat_multiply(state.orientation, quat_make(0.0, w.x, w.y, w.z));
        rate.turning = quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z);
        rate.spin_rate = motion_spin_rate(body, w, quat_turn_back(state.orientation, work->torque_N_m));
    }
    work->rates[stage] = rate;
}

#define RATE_NUMBERS (sizeof(BodyRate) / sizeof(real))

typedef union RateSum {
    real numbers[RATE_NUMBERS];
    BodyRate rate;
} RateSum;

/// Sum of `count` >= 1 rates weighted by a row of a tableau.
VECTOR_FN BodyRate motion_blend(GLOBAL const BodyRate *rates, CONSTANT_POINTER const real *row, u32 count) {
    GLOBAL const real *from = (GLOBAL const real *)rates;
    RateSum sum;
    real weight = row[0];
    for (u32 i = 0; i < RATE_NUMBERS; i++) sum.numbers[i] = from[i] * weight;
    ROLLED for (u32 j = 1; j < count; j++) {
        from += RATE_NUMBERS;
        weight = row[j];
        if (weight == 0.0) continue; // of a stage that does not exist
        for (u32 i = 0; i < RATE_NUMBERS; i++) sum.numbers[i] = real_fma(from[i], weight, sum.numbers[i]);
    }
    return sum.rate;
}

/// The same with two rows at once. `out`: by the second one.
VECTOR_FN BodyRate motion_blend_two(GLOBAL const BodyRate *rates, CONSTANT_POINTER const real *row,
                                    CONSTANT_POINTER const real *row2, u32 count, GLOBAL BodyRate *out) {
    GLOBAL const real *from = (GLOBAL const real *)rates;
    RateSum sum, sum2;
    real weight = row[0], weight2 = row2[0];
    for (u32 i = 0; i < RATE_NUMBERS; i++) sum.numbers[i] = from[i] * weight;
    for (u32 i = 0; i < RATE_NUMBERS; i++) sum2.numbers[i] = from[i] * weight2;
    ROLLED for (u32 j = 1; j < count; j++) {
        from += RATE_NUMBERS;
        weight = row[j];
        weight2 = row2[j];
        for (u32 i = 0; i < RATE_NUMBERS; i++) sum.numbers[i] = real_fma(from[i], weight, sum.numbers[i]);
        for (u32 i = 0; i < RATE_NUMBERS; i++) sum2.numbers[i] = real_fma(from[i], weight2, sum2.numbers[i]);
    }
    *out = sum2.rate;
    return sum.rate;
}

/// Trial state of a stage: the present state moved by h times a blend of rates.
FN_SHORT BodyState motion_move(BodyState state, BodyRate rate, real h) {
    state.position_m = vec3_add_scaled(state.position_m, rate.velocity, h);
    state.velocity_m_per_s = vec3_add_scaled(state.velocity_m_per_s, rate.acceleration, h);
    state.spin_rad_per_s = vec3_add_scaled(state.spin_rad_per_s, rate.spin_rate, h);
    Quat t = rate.turning;
    Quat q = state.orientation;
    state.orientation =
        quat_make(real_fma(t.w, h, q.w), real_fma(t.x, h, q.x), real_fma(t.y, h, q.y), real_fma(t.z, h, q.z));
    return state;
}

#endif
