// One trial step: all bodies from the present states through a time h, bodies in contact by Tsit5, by Rodas4
// where their island is stiff, or by the classical Runge-Kutta method.
#ifndef CLACK_STEPPER_SUBSTEP_H
#define CLACK_STEPPER_SUBSTEP_H

#include "model/scheme_policy.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"
#include "joints/coupling.h"
#include "integrate/given_time.h"
#include "integrate/motion.h"
#include "integrate/quasi_rigid.h"
#include "integrate/rodas.h"
#include "integrate/step_error.h"
#include "integrate/trapezoidal.h"
#include "integrate/trapezoidal_energy.h"
#include "integrate/trapezoidal_unique.h"
#include "fast/ball_contact.h"
#include "fast/ball_island.h"
#include "fast/corner_contacts_implicit.h"
#include "fast/ball_lanes.h"

/// Weight of stage 0..STAGES - 1 in the quadrature of a contact's impulse and loss. The points of implicit stages come
/// one after the other without the end of the step, that of the explicit ones last.
FN real substep_weight(u32 is_adaptive, u32 implicit, u32 stage) {
    if (implicit) return stage < STAGES - 1 ? RODAS_W[stage] : 0.0;
    return scheme_weight(is_adaptive, stage);
}

/// Is a contact stepped by ball_contact.h in the present step?
FN u32 substep_is_ball_contact(const SceneView *view, GLOBAL const Contact *contact) {
    if (!HAS(CONTENT_ISLANDS)) return 1;
    if (!HAS_BALLS) return 0;
    return contact->plan.fast_method >= FAST_BALL || (contact->plan.fast_method && !rodas_is_implicit(view, contact))
               ? 1u
               : 0u;
}

/// Is a contact stepped by a method of fast/?
FN u32 substep_is_fast(const SceneView *view, GLOBAL const Contact *contact) {
    return (HAS_CORNERS && contact->corner.order) || substep_is_ball_contact(view, contact) ? 1u : 0u;
}

/// Add a stage's share to each contact's impulse and loss of this step.
FN_ONCE void substep_add_impulse(const SceneView *view, real h, u32 stage) {
    u32 is_adaptive = scheme_is_adaptive(view->scene->flags);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (substep_is_fast(view, contact)) continue;
        real weight = h * substep_weight(is_adaptive, rodas_is_implicit(view, contact), stage);
        if (weight == 0.0) continue;
        contact->trial.impulse_N_s = vec3_add_scaled(contact->trial.impulse_N_s, contact->now.force_N, weight);
        contact->trial.loss_J = real_fma(contact->now.loss_W, weight, contact->trial.loss_J);
        if (view->scene->flags & SCENE_TIMED)
            contact->given.trial_J = real_fma(contact->given.now_W, weight, contact->given.trial_J);
    }
}

/// Begin a trial: stage 0 was evaluated once for all of them.
FN void substep_begin_impulse(const SceneView *view, real h) {
    u32 is_adaptive = scheme_is_adaptive(view->scene->flags);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (substep_is_fast(view, contact)) continue;
        real weight = h * substep_weight(is_adaptive, rodas_is_implicit(view, contact), 0);
        contact->trial.impulse_N_s = vec3_scale(contact->start.force_N, weight);
        contact->trial.loss_J = contact->start.loss_W * weight;
        if (view->scene->flags & SCENE_TIMED) contact->given.trial_J = contact->given.start_W * weight;
    }
}

/// Stretches of springs at a stage, from their rates at the stages before.
FN void substep_stretch(const SceneView *view, real h, u32 stage, u32 is_adaptive) {
    if (!(view->scene->flags & SCENE_SPRINGS)) return;
    u32 columns = u32_min(stage, TABLEAU_COLUMNS);
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!spring_is_of(view, contact)) continue;
        GLOBAL ContactSpring *spring = &contact->step.spring;
        Vec3 displacement = vec3_zero();
        real turn = 0.0;
        for (u32 j = 0; j < columns; j++) {
            real weight = scheme_row(is_adaptive, stage)[j];
            if (weight == 0.0) continue; // of a stage that does not exist
            displacement = vec3_add_scaled(displacement, spring->displacement_rates[j], weight);
            turn += spring->rotation_rates[j] * weight;
        }
        spring->displacement = vec3_scale(displacement, h);
        spring->rotation = turn * h;
    }
}

/// Keep the slips of a stage that has been evaluated, and by how much a spring overshot: it is cut at the ends of steps
/// only, and where the slip has reversed by then its stretch is too long.
FN void substep_keep_slips(const SceneView *view, u32 stage) {
    if (!(view->scene->flags & SCENE_SPRINGS)) return;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!spring_is_of(view, contact)) continue;
        GLOBAL ContactSpring *spring = &contact->step.spring;
        spring->displacement_rates[stage] = spring->displacement_rate;
        spring->rotation_rates[stage] = spring->rotation_rate;
        for (u32 part = 0; part < spring_parts(COPY(view->laws[contact->pair.law])); part++) {
            real cut = spring->cut[part];
            real most = stage > 1 ? real_max(spring->overshot[part], cut) : cut;
            spring->overshot[part] = stage == STAGES - 1 ? most - cut : most;
        }
    }
}

/// The step just tried is accepted: springs start the next one from its end. What they now hold more is not lost.
FN void substep_keep_spring(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL ContactSpring *spring = &contact->step.spring;
    if (!spring_is_of(view, contact)) return;
    MaterialPairLaw law = view->laws[contact->pair.law];
    Vec3 stretches[SPRING_PARTS];
    for (u32 part = 0; part < spring_parts(law); part++) spring->start[part] = stretches[part] = spring->stretch[part];
    real stored = spring_energy(contact->law.stiffness, law, -contact->now.gap_m, stretches);
    contact->trial.loss_J -= stored - spring->stored_J;
    spring->stored_J = stored;
    Vec3 rate = spring_rotate(COPY(spring->displacement_rate), COPY(spring->start_normal), spring->rotation);
    spring->displacement_rates[0] =
        spring_parallel_transport(rate, COPY(spring->start_normal), COPY(contact->now.normal));
    spring->rotation_rates[0] = spring->rotation_rate;
    spring->displacement = vec3_zero();
    spring->rotation = 0.0;
    spring->start_normal = contact->now.normal;
}

/// Set all trial states to the present ones and evaluate forces and rates there: stage 0.
FN void substep_start(const SceneView *view, SCENE_SPACE Progress *progress) {
    MOVING_LOOP(b) view->works[b].step.trial = view->states[b];
    SCENE_BARRIER();
    given_take_present(view, progress);
    substep_stretch(view, 0.0, 0, 1);
    if (scheme_is_solved(view->scene->flags)) trapezoidal_rewind(view, progress);
    coupling_evaluate_all(view);
    substep_keep_slips(view, 0);
    MOVING_LOOP(b) {
        if (view->works[b].mode == MODE_TOUCHING) motion_rate(view, b, 0);
    }
    ACTIVE_LOOP(c) {
        // Forces of stage 0 are needed again by every trial from the same start.
        view->contacts[c].start.force_N = view->contacts[c].now.force_N;
        view->contacts[c].start.loss_W = view->contacts[c].now.loss_W;
        coupling_keep_given(view, &view->contacts[c]);
        view->contacts[c].start.warm_start = view->contacts[c].now.warm_start;
    }
    SCENE_BARRIER();
    progress->evaluations += 1;
    work_count_forces(progress, view->slot->active_count);
}

/// Trial state of an explicit body at a stage.
FN_WAY void substep_move(const SceneView *view, u32 b, real h, u32 stage, u32 is_adaptive) {
    GLOBAL BodyStep *step = &view->works[b].step;
    u32 columns = stage < TABLEAU_COLUMNS ? stage : TABLEAU_COLUMNS;
    BodyRate blend = motion_blend(step->rates, scheme_row(is_adaptive, stage), columns);
    BodyState start = view->states[b];
    BodyState moved = motion_move(start, blend, h);
    if (is_free_ball(view->bodies[b].flags)) {
        moved.orientation = start.orientation;
        if (stage == STAGES - 1)
            moved.orientation =
                motion_rotate_ball(start.orientation, vec3_scale(rodas_rotation_of(blend.orientation_rate), h),
                                   start.spin_rad_per_s, moved.spin_rad_per_s, h);
    } else if (stage == STAGES - 1) {
        moved.orientation = quat_normalize(moved.orientation);
    }
    step->trial = moved;
}

/// Rates of a body where a stage has been evaluated. Implicit bodies take theirs from the trial state when they solve
/// for the next one; at the end rates[1] receives U_6, their error.
FN_WAY void substep_rate(const SceneView *view, u32 b, u32 stage) {
    GLOBAL BodyWork *work = &view->works[b];
    if (work->control.implicit) {
        if (stage < STAGES - 1) return;
        work->step.rates[1] = work->step.rates[RODAS_STAGES];
    }
    motion_rate(view, b, stage);
}

/// Does a body move by its contacts in the present step, not by ball_contact.h or corner_contacts.h?
FN u32 substep_steps_body(const SceneView *view, u32 b) {
    GLOBAL const BodyWork *work = &view->works[b];
    if (work->mode != MODE_TOUCHING || work->island.fast_method >= FAST_CORNERS) return 0;
    return !work->island.fast_method || work->control.implicit ? 1u : 0u;
}

FN u32 substep_any_implicit(const SceneView *view) {
    u32 any = 0;
    MOVING_LOOP(b) any |= rodas_steps_body(view, b);
    return scene_any(view, any);
}

// Events may be located at the very start of a step; implicit steps divide by their length.
#define SUBSTEP_SHORTEST_S 1.0e-18

#if SIDE_BY_SIDE > 1
// Balls on planes that do not move, found for a step until there are SIDE_BY_SIDE of them: side by side.
typedef struct BallsOnPlanes {
    u32 count;
    GLOBAL Contact *contacts[SIDE_BY_SIDE];
} BallsOnPlanes;

/// No more of them come by this method.
FN void substep_try_gathered(const SceneView *view, BallsOnPlanes *balls, u32 is_implicit, real h, real implicit_h) {
    if (balls->count > 0) ball_lanes_step(view, balls->contacts, balls->count, is_implicit, h, implicit_h);
    balls->count = 0;
}

/// Is a contact one of them? on_planes: those by explicit and by implicit steps.
FN u32 substep_gather(const SceneView *view, BallsOnPlanes *on_planes, GLOBAL Contact *contact, real h,
                      real implicit_h) {
    u32 is_implicit = rodas_is_implicit(view, contact);
    BallsOnPlanes *balls = &on_planes[is_implicit];
    if (contact->plan.fast_method != FAST_BALL_EXPLICIT && contact->plan.fast_method != FAST_BALL) return 0;
    if (!ball_is_on_fixed_plane(view, contact)) return 0;
    if (balls->count == SIDE_BY_SIDE) substep_try_gathered(view, balls, is_implicit, h, implicit_h);
    balls->contacts[balls->count++] = contact;
    return 1;
}
#endif

/// Step what the methods of fast/ take: ball contacts, islands of balls, solids on corners. Returns 1 where there are
/// other contacts.
FN u32 substep_try_fast_contacts(const SceneView *view, real h, real implicit_h) {
    u32 others = 0;
#if SIDE_BY_SIDE > 1
    BallsOnPlanes on_planes[2];
    on_planes[0].count = on_planes[1].count = 0;
#endif
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (HAS_CORNERS && contact->corner.order) {
            if (contact->corner.order == FAST_CORNER_FIRST) corners_step(view, at_c, h, implicit_h);
        } else if (substep_is_ball_contact(view, contact)) {
#if SIDE_BY_SIDE > 1
            if (substep_gather(view, on_planes, contact, h, implicit_h)) continue;
#endif
            if (HAS(CONTENT_ISLANDS) && contact->plan.fast_method == FAST_ISLAND_FIRST)
                balls_island_step(view, at_c, h, implicit_h);
            else if (!HAS(CONTENT_ISLANDS) || contact->plan.fast_method != FAST_ISLAND_MORE)
                ball_contact_step(view, contact, h, implicit_h);
        } else {
            others = 1;
        }
    }
#if SIDE_BY_SIDE > 1
    substep_try_gathered(view, &on_planes[0], 0, h, implicit_h);
    substep_try_gathered(view, &on_planes[1], 1, h, implicit_h);
#endif
    return scene_any(view, others);
}

/// Bodies in contact from the present state through a step h; rates[0] are those of the present state.
/// Leaves the forces of the end of the step evaluated, and its rates as rates[STAGES - 1].
/// Both methods evaluate six times, the last time at the end: explicit and implicit islands go together.
FN_WAY void substep_try_contacts(const SceneView *view, SCENE_SPACE Progress *progress, real h) {
    u32 is_adaptive = scheme_is_adaptive(view->scene->flags), evaluations = scheme_evaluations(is_adaptive);
    progress->evaluations += evaluations;
    work_count_forces(progress, view->slot->active_count * evaluations);
    real implicit_h = real_max(h, SUBSTEP_SHORTEST_S);
    u32 others = substep_try_fast_contacts(view, h, implicit_h);
    if (!HAS(CONTENT_ISLANDS) || !others) return;
    u32 last = STAGES - 1;
    substep_begin_impulse(view, h);
    u32 any_implicit = substep_any_implicit(view);
    if (any_implicit) rodas_prepare(view, implicit_h);
    for (u32 stage = 1; stage <= last; stage++) {
        if (!scheme_has_stage(is_adaptive, stage)) continue;
        SCENE_BARRIER();
        if (any_implicit) rodas_solve(view, implicit_h, stage);
        if (any_implicit && stage == last) rodas_finish_impulse(view, h);
        MOVING_LOOP(b) {
            if (!substep_steps_body(view, b)) continue;
            if (view->works[b].control.implicit)
                rodas_move(view, b, implicit_h, stage);
            else
                substep_move(view, b, h, stage, is_adaptive);
        }
        substep_stretch(view, h, stage, is_adaptive);
        given_take_stage(view, progress, h, stage);
        SCENE_BARRIER();
        ACTIVE_LOOP(c) {
            if (!substep_is_fast(view, &view->contacts[c])) coupling_evaluate(view, &view->contacts[c]);
        }
        coupling_sum_forces(view);
        substep_keep_slips(view, stage);
        MOVING_LOOP(b) {
            if (substep_steps_body(view, b)) substep_rate(view, b, stage);
        }
        substep_add_impulse(view, h, stage);
    }
    SCENE_BARRIER();
}

/// Those that fly, to a time h after the present one.
FN void substep_fly(const SceneView *view, SCENE_SPACE Progress *progress, real h) {
    MOVING_LOOP(b) {
        if (view->works[b].mode == MODE_FLYING) motion_fly(view, progress, b, h);
    }
}

/// Take every body to a time h after the present one, as trial states. Returns 0 if the equations of the step have not
/// been solved.
FN u32 substep_try(const SceneView *view, SCENE_SPACE Progress *progress, real h, u32 any_touching) {
    progress->work += (real)view->slot->moving_count;
    substep_fly(view, progress, h);
    given_begin_step(view, progress);
    given_take_end(view, progress, h);
    SCENE_BARRIER();
    if (!any_touching) return 1;
    if (scheme_has_constraints(view->scene->flags)) {
        u32 is_solved = trapezoidal_try(view, progress, h);
        if (policy_has_regions(view->scene->flags)) match_count_work(view, progress);
        return is_solved;
    }
    if (scheme_is_quasi_rigid(view->scene->flags)) return quasi_try(view, progress, h);
    substep_try_contacts(view, progress, h);
    return 1;
}

/// Is a body in contact about to rest, judged by its motion?
FN_SHORT u32 substep_settles(const SceneView *view, u32 b, Vec3 velocity, Vec3 spin) {
    real radius = view->bodies[b].radius_m,
         square = vec3_dot(velocity, velocity) + radius * radius * vec3_dot(spin, spin);
    return square < SPEED_FLOOR_M_PER_S * SPEED_FLOOR_M_PER_S ? 1u : 0u;
}

/// Error of the step just tried by springs whose slip reversed within it, like substep_error_estimate: their overshoot
/// is missing for the quarter of an oscillation.
FN real substep_spring_error(const SceneView *view) {
    if (!(view->scene->flags & SCENE_SPRINGS)) return 0.0;
    real worst = 0.0;
    ACTIVE_LOOP(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (!spring_is_of(view, contact)) continue;
        MaterialPairLaw law = view->laws[contact->pair.law];
        Vec3 overshot[SPRING_PARTS];
        for (u32 part = 0; part < spring_parts(law); part++)
            overshot[part] = vec3_make(contact->step.spring.overshot[part], 0.0, 0.0);
        real energy = spring_energy(contact->law.stiffness, law, -contact->now.gap_m, overshot);
        real error = real_sqrt(2.0 * energy * contact->start.inverse_mass_tangential);
        real speed = real_max(vec3_length(view->works[contact->pair.body_a].step.trial.velocity_m_per_s),
                              vec3_length(view->works[contact->pair.body_b].step.trial.velocity_m_per_s));
        worst = real_max(worst, error / (view->scene->tolerance * (SPEED_FLOOR_M_PER_S + speed)));
    }
    return scene_max(view, worst);
}

/// Velocity error of the step of h just tried by contacts whose closing speed has its maximum within it, m/s: from
/// there on their damping is that of this speed, but the step has used that of the present one. *share: grows to its
/// share of the allowed error.
FN real substep_strike_error(const SceneView *view, SCENE_SPACE const Progress *progress, real h, real *share) {
    if (!policy_damps_each_strike(view->scene->flags)) return 0.0;
    real velocity = 0.0, worst = 0.0;
    ACTIVE_LOOP(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact_is_joint(contact)) continue;
        real closing = contact->now.closing_m_per_s, fastest = contact_max_closing_of_trial(view, progress, contact, h);
        if (!(fastest > contact->law.strike_m_per_s && closing < fastest)) continue;
        LawConstants law = contact->law;
        real elastic = law_elastic_force(law, real_max(-contact->now.gap_m, 0.0));
        real taken =
            closing > law.strike_m_per_s ? law_damping_factor_of_strike(law, closing) : law.damping_s_per_m * closing;
        real wrong = real_abs(taken - law_damping_factor_of_strike(law, fastest) / fastest * closing);
        real error = elastic * wrong * contact->start.inverse_mass_normal * h;
        real speed = real_max(vec3_length(view->works[contact->pair.body_a].step.trial.velocity_m_per_s),
                              vec3_length(view->works[contact->pair.body_b].step.trial.velocity_m_per_s));
        velocity = real_max(velocity, error);
        worst = real_max(worst, error / (view->scene->tolerance * (SPEED_FLOOR_M_PER_S + speed)));
    }
    *share = real_max(*share, scene_max(view, worst));
    return scene_max(view, velocity);
}

/// Embedded error of the step just tried, in m/s per m/s of the allowed scale: <= 1 is good.
/// Positions count by error / h, so that overlaps of nanometres do not need a tolerance of their own.
/// `floor_m_per_s`: what rounding of the gaps does to velocities. `out` the velocity error itself.
/// is_blended: of explicit steps rates[1] is the difference of the embedded method's mean rates.
FN real substep_error_estimate(const SceneView *view, real h, real floor_m_per_s, u32 is_blended,
                               real *out_error_m_per_s) {
    real worst = 0.0;
    real velocity_error = 0.0;
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode != MODE_TOUCHING) continue;
        BodyRate error;
        real share = h; // of the error's velocities
        if (work->control.implicit) {
            error = work->step.rates[1];
            error.velocity = vec3_scale(error.velocity, 1.0 / h);
            share = 1.0;
        } else {
            error = is_blended ? work->step.rates[1] : motion_blend(work->step.rates, scheme_error_row(), STAGES);
        }
        StepError size;
        size.velocity = share * vec3_max_abs(error.acceleration);
        size.position = vec3_max_abs(error.velocity);
        size.spin = share * vec3_max_abs(error.spin_rate);
        worst = real_max(worst, step_error_share(view, b, size, floor_m_per_s, COPY(work->step.trial.velocity_m_per_s),
                                                 COPY(work->step.trial.spin_rad_per_s), &velocity_error));
    }
    *out_error_m_per_s = scene_max(view, velocity_error);
    return scene_max(view, worst);
}

#endif
