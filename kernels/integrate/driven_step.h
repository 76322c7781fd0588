// Driven bodies within a step. What touches them is stiff, so that its stages must not see a driven body where it
// exactly is, but where the step's own method brings a body with its accelerations: errors of stages are then those of
// a relative motion. Steps do not change with the frame in which a motion is seen: a ball on a table that shakes takes
// the steps of one on a table at rest under the forces of the shaken frame (tests/validation). At the end of the step
// the body is placed exactly.
//
// Rates of a driven body: velocity, acceleration, spin as a rotation vector's rate, and its rate, world axes; from 1 on
// U_i while a step is implicit.
#ifndef CLACK_INTEGRATE_DRIVEN_STEP_H
#define CLACK_INTEGRATE_DRIVEN_STEP_H

#include "law/contact_jacobian.h"
#include "model/driven_body.h"
#include "integrate/motion.h"
#include "integrate/rodas_tableau.h"
#include "integrate/scheme.h"

#define DRIVEN_RATE_SHARE 1.0e-3 // of a step, over which the rate of an acceleration is taken

FN_SHORT Vec3 driven_vector(Quat of) { return vec3_make(of.x, of.y, of.z); }
FN_SHORT Quat driven_rotation(Vec3 of) { return quat_make(0.0, of.x, of.y, of.z); }

/// Trial state at the start of the step moved by changes.
FN_ONCE void driven_move(const SceneView *view, u32 b, BodyRate by) {
    u32 flags = view->bodies[b].flags;
    BodyState start = view->states[b], moved;
    Vec3 spin = spin_to_world(flags, start.orientation, start.spin_rad_per_s);
    moved.position_m = vec3_add(start.position_m, by.velocity);
    moved.velocity_m_per_s = vec3_add(start.velocity_m_per_s, by.acceleration);
    moved.orientation = quat_normalize(quat_multiply(quat_exp(driven_vector(by.orientation_rate)), start.orientation));
    moved.spin_rad_per_s = spin_from_world(flags, moved.orientation, vec3_add(spin, by.spin_rate));
    view->works[b].step.trial = moved;
}

/// At a stage of an explicit step of h, which is evaluated at the time t, s.
FN_ONCE void driven_move_explicit(const SceneView *view, u32 b, real h, u32 stage, u32 is_adaptive, real t) {
    GLOBAL BodyStep *step = &view->works[b].step;
    BodyRate mean = motion_blend(step->rates, scheme_row(is_adaptive, stage), u32_min(stage, TABLEAU_COLUMNS));
    driven_move(view, b, motion_scale(mean, h));
    DrivenMotion at = driven_motion(view, b, t);
    BodyRate rate;
    rate.velocity = step->trial.velocity_m_per_s;
    rate.acceleration = at.acceleration_m_per_s2;
    rate.orientation_rate = driven_rotation(
        spin_to_world(view->bodies[b].flags, COPY(step->trial.orientation), COPY(step->trial.spin_rad_per_s)));
    rate.spin_rate = at.spin_rate;
    step->rates[stage] = rate;
}

/// At the point that row i of RODAS_A gives. The sum that the next stage needs is left in rates[i + 1].
FN_ONCE void driven_move_implicit(const SceneView *view, u32 b, u32 i) {
    GLOBAL BodyStep *step = &view->works[b].step;
    if (i < RODAS_STAGES) step->rates[i + 1] = motion_blend(step->rates + 1, RODAS_C[i], i);
    driven_move(view, b, motion_blend(step->rates + 1, RODAS_A[i], i));
}

/// U_i of a driven body, i = 1..6: of x' = v, v' = a(t), as rodas.h has it.
FN_ONCE void driven_solve(const SceneView *view, u32 b, real h, u32 i) {
    GLOBAL BodyStep *step = &view->works[b].step;
    u32 flags = view->bodies[b].flags;
    BodyState at = i > 1 ? step->trial : view->states[b];
    real per_h = 1.0 / h, over = RODAS_GAMMA * h, aside = DRIVEN_RATE_SHARE * h, start = driven_start_time(view, b);
    DrivenMotion now = driven_motion(view, b, real_fma(RODAS_NODES[i - 1u], h, start));
    BodyRate u = ALL_ZERO;
    if (i > 1) u = motion_scale(COPY(step->rates[i]), per_h);
    u.acceleration = vec3_add(u.acceleration, now.acceleration_m_per_s2);
    u.spin_rate = vec3_add(u.spin_rate, now.spin_rate);
    if (RODAS_TIMES[i - 1u] != 0.0) { // the rates of both at the start
        real in_time = RODAS_TIMES[i - 1u] * h / (2.0 * aside);
        DrivenMotion before = driven_motion(view, b, start - aside), after = driven_motion(view, b, start + aside);
        Vec3 gained = vec3_sub(after.acceleration_m_per_s2, before.acceleration_m_per_s2);
        u.acceleration = vec3_add_scaled(u.acceleration, gained, in_time);
        u.spin_rate = vec3_add_scaled(u.spin_rate, vec3_sub(after.spin_rate, before.spin_rate), in_time);
    }
    u.acceleration = vec3_scale(u.acceleration, over);
    u.spin_rate = vec3_scale(u.spin_rate, over);
    u.velocity = vec3_scale(vec3_add(vec3_add(u.velocity, at.velocity_m_per_s), u.acceleration), over);
    Vec3 turn = vec3_add(driven_vector(u.orientation_rate), spin_to_world(flags, at.orientation, at.spin_rad_per_s));
    u.orientation_rate = driven_rotation(vec3_scale(vec3_add(turn, u.spin_rate), over));
    step->rates[i] = u;
}

FN_SHORT BodyChange driven_change_of(BodyRate u) {
    BodyChange change;
    change.shift_m = u.velocity;
    change.turn = driven_vector(u.orientation_rate);
    change.velocity_m_per_s = u.acceleration;
    change.spin_rad_per_s = u.spin_rate;
    return change;
}

/// U_i of a body as it enters its contacts; of one that is not driven nothing.
FN_ONCE BodyChange driven_change(const SceneView *view, u32 b, u32 i) {
    if (!body_is_driven(view, b)) return jacobian_body_unchanged();
    return driven_change_of(COPY(view->works[b].step.rates[i]));
}

/// The mean change within an implicit step, once all U are known.
FN_ONCE BodyChange driven_mean_change(const SceneView *view, u32 b) {
    return driven_change_of(motion_blend(view->works[b].step.rates + 1, RODAS_W, RODAS_STAGES));
}

#endif
