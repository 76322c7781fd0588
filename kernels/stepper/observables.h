// Observables of a body, in the user's terms, and their rates of change.
#ifndef CLACK_STEPPER_OBSERVABLES_H
#define CLACK_STEPPER_OBSERVABLES_H

#include "model/content.h"

// An observable and its rate of change. WATCH_SPEED is read as its square, which is smooth where the
// speed is zero and a polynomial in flight; `observable_shown` takes the root.
typedef struct ObservableValue {
    real value, rate;
} ObservableValue;

FN real observable_quat_component(Quat q, u32 component) {
    return component == 0 ? q.w : vec3_component(vec3_make(q.x, q.y, q.z), component - 1);
}

FN real observable_shown(u32 observable, real value) {
    return observable == WATCH_SPEED ? real_sqrt(real_max(value, 0.0)) : value;
}

FN_ONCE ObservableValue observable_orientation(GLOBAL const Body *body, GLOBAL const BodyState *state, u32 component) {
    Vec3 w = state->spin_rad_per_s;
    Quat spin = quat_make(0.0, w.x, w.y, w.z);
    u32 is_ball = body->flags & BODY_BALL;
    Quat turning = is_ball ? quat_multiply(spin, state->orientation) : quat_multiply(state->orientation, spin);
    ObservableValue reading;
    reading.value = observable_quat_component(quat_multiply(state->orientation, body->frame), component);
    reading.rate = 0.5 * observable_quat_component(quat_multiply(turning, body->frame), component);
    return reading;
}

FN ObservableValue observable_energy(GLOBAL const Body *body, GLOBAL const BodyState *state, Vec3 acceleration,
                                     Vec3 spin_rate) {
    Vec3 v = state->velocity_m_per_s;
    Vec3 w = state->spin_rad_per_s;
    Vec3 angular_momentum = vec3_multiply(body->inertia_kg_m2, w);
    ObservableValue reading;
    reading.value = 0.5 * (body->mass_kg * vec3_dot(v, v) + vec3_dot(w, angular_momentum));
    reading.rate = body->mass_kg * vec3_dot(v, acceleration) + vec3_dot(spin_rate, angular_momentum);
    return reading;
}

/// Read an observable of a body. Accelerations in world axes; `spin_rate` principal.
FN ObservableValue observable_of_body(GLOBAL const Body *body, GLOBAL const BodyState *state, Vec3 acceleration,
                                      Vec3 spin_rate, u32 observable) {
    if (observable == WATCH_KINETIC_ENERGY) return observable_energy(body, state, acceleration, spin_rate);
    if (observable >= WATCH_ORIENTATION && observable < WATCH_SPEED)
        return observable_orientation(body, state, observable - WATCH_ORIENTATION);
    u32 component = observable % 3;
    u32 kind = observable == WATCH_SPEED ? WATCH_VELOCITY : observable - component;
    Vec3 value = state->position_m;
    Vec3 rate = state->velocity_m_per_s;
    if (kind == WATCH_VELOCITY) {
        value = state->velocity_m_per_s;
        rate = acceleration;
    } else if (kind == WATCH_ANGULAR_VELOCITY) {
        value = spin_to_world(body->flags, COPY(state->orientation), COPY(state->spin_rad_per_s));
        rate = spin_to_world(body->flags, COPY(state->orientation), spin_rate);
    }
    // The origin of the user's frame circles the centre of mass, if it is another point.
    if ((kind == WATCH_POSITION || kind == WATCH_VELOCITY) && vec3_max_abs(body->origin_m) > 0.0) {
        Vec3 arm = quat_rotate(state->orientation, body->origin_m);
        Vec3 w = spin_to_world(body->flags, COPY(state->orientation), COPY(state->spin_rad_per_s));
        Vec3 w_rate = spin_to_world(body->flags, COPY(state->orientation), spin_rate);
        Vec3 turning = vec3_cross(w, arm);
        value = vec3_add(value, kind == WATCH_POSITION ? arm : turning);
        rate = vec3_add(rate,
                        kind == WATCH_POSITION ? turning : vec3_add(vec3_cross(w_rate, arm), vec3_cross(w, turning)));
    }
    ObservableValue reading;
    if (observable == WATCH_SPEED) {
        reading.value = vec3_dot(value, value);
        reading.rate = 2.0 * vec3_dot(value, rate);
        return reading;
    }
    reading.value = vec3_component(value, component);
    reading.rate = vec3_component(rate, component);
    return reading;
}

#endif
