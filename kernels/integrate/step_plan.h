// Length of the next substep of bodies in contact. Each contact sets limits: its graded step, by which an impact takes
// a few steps that are uniform in the root of the depth (overlap_plan.h); the longest stable step; the longest explicit
// one where implicit ones may be taken; and if it opens the longest in which it keeps a part of its overlap. An island
// takes the least of its contacts'. Where errors are controlled, what the error controller allows replaces the graded
// step, which is an upper bound then while a contact is new. Rounding of a gap makes an error of the velocity that
// grows with the step: the noise, for which the controller allows.
#ifndef CLACK_INTEGRATE_STEP_PLAN_H
#define CLACK_INTEGRATE_STEP_PLAN_H

#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "law/contact_force.h"
#include "law/contact_jacobian.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"
#include "integrate/islands.h"
#include "integrate/plan_by_derivatives.h"
#include "integrate/plan_friction.h"
#include "integrate/plan_joint.h"
#include "integrate/rodas.h"

// Steps are accurate without error control as long as the damping rate times the step stays below this at a tolerance
// of 1e-6: measured errors of an impact are 1e-6 there and 2e-3 beyond (kernels/stepper/README.md, "Steps of an
// impact").
#define PLAN_DAMPING_LIMIT 0.3
// An implicit step costs as much as two or three explicit ones.
#define PLAN_IMPLICIT_PAYS 2.0
#define PLAN_SHORTEST_S 1.0e-15 // no step of a scene that progresses is shorter, except for remainders before stops
#define PLAN_TURN_PER_STEP 0.05 // rad: rotation within a step, for the polynomials of the gaps
// For a ball in contact: no gap depends on its attitude, but that is a Runge-Kutta state.
#define PLAN_ROUND_TURN_PER_STEP 0.2
// Share of the time in which gravity towards a point changes, at a tolerance of 1, and its upper bound. Measured over
// one orbit, eccentricities 0 to 0.9: within 2 % of the tolerance (tests/kernels/integrate/test_gravity.cc).
#define PLAN_ORBIT_SHARE 0.5
#define PLAN_ORBIT_SHARE_MAX 0.1

typedef struct StepPlan {
    real h;         // longest step wanted
    real noise;     // velocity error by rounding of the gap, per step length, m/s^2
    u32 controlled; // 1: the error must be controlled
} StepPlan;

/// PLAN_DAMPING_LIMIT at a scene's tolerance, by its eighth root: at 1e-4 and n = 4 errors of impacts with e = 0.4 to 1
/// stay as they are with error control (at most 1.4e-4), for 68 evaluations instead of 76; with the fifth root they
/// grow to 4e-4.
FN real plan_damping_limit(real tolerance) {
    return PLAN_DAMPING_LIMIT * real_sqrt(real_sqrt(real_sqrt(1.0e6 * tolerance)));
}

/// Longest step of a body under gravity towards a point: a share of the time in which that changes, by revolution or by
/// passing the centre.
FN real plan_longest_orbit(const SceneView *view, u32 b) {
    Vec3 arm = vec3_sub(view->states[b].position_m, view->scene->gravity_centre_m);
    real r = vec3_length(arm);
    real k = real_abs(view->scene->gravity_strength_m3_per_s2);
    if (!(r > 0.0)) return REAL_HUGE;
    real rate = real_max(real_sqrt(k / r), vec3_length(view->states[b].velocity_m_per_s)) / r;
    real share = PLAN_ORBIT_SHARE * plan_real_root(view->scene->tolerance, 5);
    return rate > 0.0 ? real_min(share, PLAN_ORBIT_SHARE_MAX) / rate : REAL_HUGE;
}

/// Longest step that free rotation and gravity towards a point allow. is_all 0: without bodies that only observe.
FN real plan_longest_step(const SceneView *view, u32 is_all) {
    real longest = REAL_HUGE;
    MOVING_LOOP(b) {
        if (!is_all && view->works[b].only_observes) continue;
        if (view->scene->flags & SCENE_POINT_GRAVITY) longest = real_min(longest, plan_longest_orbit(view, b));
        u32 is_round = view->bodies[b].flags & BODY_ROUND;
        if (is_round && view->works[b].mode == MODE_FLYING) continue; // exact at any angle
        real spin = vec3_length(view->states[b].spin_rad_per_s);
        real turn = is_round ? PLAN_ROUND_TURN_PER_STEP : PLAN_TURN_PER_STEP;
        if (spin > 0.0) longest = real_min(longest, turn / spin);
    }
    return scene_min(view, longest);
}

/// Closing acceleration of a contact, without the effect of rotation.
FN real plan_closing(const SceneView *view, GLOBAL const Contact *contact) {
    Vec3 relative = vec3_zero();
    if (view->works[contact->pair.body_b].mode == MODE_TOUCHING) {
        relative = view->works[contact->pair.body_b].step.rates[0].acceleration;
    }
    if (view->works[contact->pair.body_a].mode == MODE_TOUCHING) {
        relative = vec3_sub(relative, view->works[contact->pair.body_a].step.rates[0].acceleration);
    }
    return 0.0 - vec3_dot(contact->now.normal, relative);
}

/// Does the contact point move smoothly? That of two shapes with edges jumps from feature to feature, which steps
/// without error control would miss.
FN u32 plan_is_smooth(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->pair.shape_b];
    if (kind_is(a->kind, SHAPE_SPHERE) || kind_is(b->kind, SHAPE_SPHERE)) return 1;
    if (kind_is(a->kind, SHAPE_HALF_SPACE) || kind_is(b->kind, SHAPE_HALF_SPACE)) return 1;
    if (narrow_feature_count(a, b, view->scene->flags) == 1) return 0;
    return manifold_is_nearest(a, b, contact->pair.feature) != 0 ? 0u : 1u;
}

/// Bound of the change of relative spin per unit of force at the contact point, 1/(kg m).
FN_ONCE real plan_levers(const SceneView *view, GLOBAL const Contact *contact) {
    Vec3 lever_b = contact->now.lever_b_m;
    Vec3 lever_a = pair_lever_a(view, contact, lever_b);
    return vec3_length(lever_a) * vec3_max_abs(view->bodies[contact->pair.body_a].inverse_inertia) +
           vec3_length(lever_b) * vec3_max_abs(view->bodies[contact->pair.body_b].inverse_inertia);
}

/// Rate of the response of rolling resistance, 1/s.
FN real plan_spin_rate(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law) {
    real spin = contact->now.spin_rad_per_s;
    if (!(spin > 0.0)) return 0.0;
    return law.rolling * contact->law.radius_m * contact->now.normal_N * plan_inverse_inertia(view, contact) /
           law_regularised(spin, law.spin_small_rad_per_s);
}

/// May an impact take its graded step without error control, beside overlap_is_safe?
FN u32 plan_is_safe(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law, const OverlapPlan *o,
                    real most_N) {
    real spin = contact->now.spin_rad_per_s;
    u32 slips = o->slips && law.friction > 0.0;
    u32 turns = law.rolling == 0.0 || (spin == 0.0 && !slips);
    if (!turns) {
        real twist = most_N * (law.friction * plan_levers(view, contact) +
                               law.rolling * contact->law.radius_m * plan_inverse_inertia(view, contact));
        turns = spin - 1.5 * o->step.graded_s * twist > 2.0 * law.spin_small_rad_per_s;
    }
    u32 alone = view->works[contact->pair.body_a].contacts.count * body_is_stepped(view, contact->pair.body_a) <= 1 &&
                view->works[contact->pair.body_b].contacts.count * body_is_stepped(view, contact->pair.body_b) <= 1;
    u32 is_other = (slips && spring_is_of_law(law)) || ((slips || spin > 0.0) && ellipsoid_is_of_law(law));
    return turns && alone && !is_other && plan_is_smooth(view, contact);
}

// Least ratio of the depth of a corner contact to its graded scale, with powers in place of roots.
#define PLAN_DEEP 1.01

/// Do the errors of past steps of a solid on corners alone determine its next step, so that the contact's own scale is
/// not needed?
FN u32 plan_is_error_controlled(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law,
                                const OverlapPlan *o) {
    if (!HAS_CORNERS || contact->corner.order == FAST_CORNER_NOT) return 0;
    GLOBAL const BodyWork *work =
        &view->works[contact->corner.whose == CORNER_OF_A ? contact->pair.body_a : contact->pair.body_b];
    real slip = contact->now.slip_m_per_s, u = o->closing_m_per_s, s = o->root, g = o->external_closing_m_per_s2;
    u32 sticks = law.friction > 0.0 && slip > 0.0 && slip <= law.speed_small_m_per_s ? 1u : 0u;
    if (work->control.has_new_contact || !(work->control.substep_s > 0.0) ||
        !(sticks | (work->contacts.count > 1 ? 1u : 0u)))
        return 0;
    // The scale is below n times the root if this holds for their powers.
    real scale = o->graded_steps * s, cube = scale * scale * scale * o->stiffness_per_mass;
    return cube > PLAN_DEEP * g &&
                   cube * scale * scale > PLAN_DEEP * (s * s * s * s * s * o->stiffness_per_mass + 1.25 * u * u)
               ? 1u
               : 0u;
}

/// The scales of a contact from which its graded steps follow.
FN OverlapPlan plan_scales(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law,
                           const LawNumbers *numbers) {
    OverlapPlan o;
    o.graded_steps = (real)view->scene->graded_steps;
    o.closing_m_per_s = contact->now.closing_m_per_s;
    o.closing_m_per_s2 = plan_closing(view, contact);
    o.slip_m_per_s = contact->now.slip_m_per_s;
    o.normal_N = contact->now.normal_N;
    o.inverse_mass = contact->start.inverse_mass_normal;
    o.inverse_mass_across = contact->start.inverse_mass_tangential;
    o.slips = (LaneMask)plan_slips(view, contact, law);
    overlap_scales(
        &o, numbers, contact->now.gap_m,
        real_max(body_gravity_bound(view, contact->pair.body_a), body_gravity_bound(view, contact->pair.body_b)));
    if (spring_is_of_law(law)) o.is_uniform = 1; // its stretch takes another path
    return o;
}

/// Store the limits of its next step with a contact. Returns the velocity error that rounding of its gap makes per step
/// length, m/s^2.
FN_SHORT real plan_keep(GLOBAL Contact *contact, const StepLimits *step) {
    contact->plan.graded_s = step->graded_s;
    contact->plan.stability_limit_s = step->stability_limit_s;
    contact->plan.explicit_limit_s = step->explicit_limit_s;
    contact->plan.separation_limit_s = step->separation_limit_s;
    contact->plan.controlled = step->controlled > 0.0 ? 1u : 0u;
    return step->noise;
}

/// Limits of the next step of one contact: its graded step (kernels/stepper/README.md, "Steps of an impact") and
/// others. Returns as plan_keep.
FN_ONCE real plan_contact(const SceneView *view, GLOBAL Contact *contact) {
    contact_effective_masses(view, contact);
    MaterialPairLaw law = view->laws[contact->pair.law];
    LawNumbers numbers = law_numbers(COPY(contact->law), law, 0);
    OverlapPlan o = plan_scales(view, contact, law, &numbers);
    real rate = 0.0, spring_s, release_s = REAL_HUGE;
    if (!law_is_hertz(contact->law.normal_law)) {
        rate = plan_by_derivatives(view, contact, &numbers, &o, &release_s);
    } else if (plan_is_error_controlled(view, contact, law, &o)) {
        o.stiffness = overlap_stiffness(o.stiffness_per_mass, o.root, 1.0 + o.damping_s_per_m * o.closing_m_per_s);
        o.step.stability_limit_s = PLAN_STABLE_OSCILLATION * overlap_period_s(o.stiffness);
        o.step.graded_s = REAL_HUGE;
        o.root_step = 0.0;
        o.is_impact = 0;
    } else {
        overlap_grade_step(&o);
    }
    real across = plan_friction(view, contact, law, &numbers, &o, &spring_s);
    overlap_limits(&o, spring_s, real_max(rate, real_max(across, plan_spin_rate(view, contact, law))));
    o.step.separation_limit_s =
        real_min(real_min(plan_step_to_sticking(view, contact, law), o.step.separation_limit_s), release_s);
    u32 is_safe = overlap_is_safe(&o, &numbers, view->slot->damping_limit) &&
                  plan_is_safe(view, contact, law, &o, overlap_most_N(&o, &numbers));
    o.step.controlled = is_safe ? 0.0 : 1.0;
    Vec3 place = view->works[contact->pair.body_b].step.trial.position_m;
    o.step.noise = overlap_noise(o.stiffness, place, contact->now.error_m);
    return plan_keep(contact, &o.step);
}

/// The same of any coupling.
FN_SHORT real plan_coupling(const SceneView *view, GLOBAL Contact *contact) {
    return contact_is_joint(contact) ? plan_joint(view, contact) : plan_contact(view, contact);
}

/// Has every island of bodies in contact a matrix?
FN_ONCE u32 plan_have_matrices(const SceneView *view) {
    u32 lacks = 0;
    MOVING_LOOP(b) lacks |= view->works[b].mode == MODE_TOUCHING && view->works[b].island.members == 0 ? 1u : 0u;
    return scene_any(view, lacks) ? 0u : 1u;
}

/// If one island takes an implicit step, so do all.
FN_ONCE void plan_unite_methods(const SceneView *view) {
    u32 any = 0;
    MOVING_LOOP(b) any |= view->works[b].control.implicit;
    any = scene_any(view, any);
    MOVING_LOOP(b) {
        if (view->works[b].mode == MODE_TOUCHING) view->works[b].control.implicit = any;
    }
}

/// Choose the method of each island for a step of h: Rodas4 if it pays and an explicit one would come near its limit.
FN_WAY void plan_methods(const SceneView *view, real h) {
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        GLOBAL const IslandPlan *plan = &view->works[work->island.label].plan;
        work->control.implicit = work->mode == MODE_TOUCHING && plan->implicit && plan->explicit_limit_s < h ? 1u : 0u;
    }
    if (policy_has_one_method(view->scene->flags)) plan_unite_methods(view);
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (HAS(CONTENT_ISLANDS) && contact->plan.fast_method < FAST_BALL && rodas_is_implicit(view, contact))
            coupling_derive(view, contact);
    }
    SCENE_BARRIER();
}

/// Choose the wanted length and the method of an island's next step.
FN void plan_choose_length(GLOBAL IslandPlan *plan) {
    plan->implicit = 0;
    plan->chosen_s = plan->graded_s;
    if (!plan->controlled) return;
    real most = plan->has_new_contact ? real_min(plan->graded_s, plan->stability_limit_s) : plan->stability_limit_s;
    real wanted = plan->wanted_s < REAL_HUGE ? plan->wanted_s : plan->graded_s;
    real implicit = real_min(plan->implicit_s < REAL_HUGE ? plan->implicit_s : wanted, most);
    plan->chosen_s = real_min(real_min(wanted, most), plan->explicit_limit_s);
    if (!(implicit > PLAN_IMPLICIT_PAYS * plan->chosen_s)) return;
    plan->implicit = 1;
    plan->chosen_s = implicit;
}

/// Limit explicit steps of an island by a contact, and add to the rates of its bodies. Those of fixed bodies are not
/// read.
FN_SHORT void plan_add_explicit_limit(const SceneView *view, GLOBAL IslandPlan *plan, GLOBAL const Contact *contact) {
    real explicit_limit_s = contact->plan.explicit_limit_s;
    plan->explicit_limit_s = real_min(plan->explicit_limit_s, explicit_limit_s);
    if (!(explicit_limit_s < REAL_HUGE)) return;
    view->works[contact->pair.body_a].control.explicit_limit_per_s += 1.0 / explicit_limit_s;
    view->works[contact->pair.body_b].control.explicit_limit_per_s += 1.0 / explicit_limit_s;
}

/// Wanted length and method of each island, stored with the body whose number is its label.
FN_ONCE void plan_islands(const SceneView *view) {
    // All islands take explicit steps where they have to take the same method and one has no matrix.
    u32 may_be_implicit = !policy_has_one_method(view->scene->flags) || plan_have_matrices(view) ? 1u : 0u;
    SCENE_BARRIER();
    if (view->item == 0) {
        EACH_MOVING(b) {
            if (view->works[b].mode != MODE_TOUCHING) continue;
            GLOBAL IslandPlan *plan = &view->works[view->works[b].island.label].plan;
            plan->graded_s = plan->wanted_s = plan->implicit_s = plan->stability_limit_s = plan->explicit_limit_s =
                REAL_HUGE;
            plan->controlled = plan->has_new_contact = 0;
        }
        EACH_MOVING(b) {
            GLOBAL BodyWork *work = &view->works[b];
            if (work->mode != MODE_TOUCHING) continue;
            GLOBAL IslandPlan *plan = &view->works[work->island.label].plan;
            work->control.explicit_limit_per_s = 0.0;
            plan->has_new_contact |= work->control.has_new_contact;
            if (work->control.substep_s > 0.0) plan->wanted_s = real_min(plan->wanted_s, work->control.substep_s);
            if (work->control.implicit_s > 0.0) plan->implicit_s = real_min(plan->implicit_s, work->control.implicit_s);
        }
        EACH_ACTIVE(c) {
            GLOBAL const Contact *contact = &view->contacts[c];
            GLOBAL IslandPlan *plan = &view->works[island_of(view, contact)].plan;
            plan->graded_s = real_min(plan->graded_s, contact->plan.graded_s);
            plan->stability_limit_s = real_min(plan->stability_limit_s, contact->plan.separation_limit_s);
            if (may_be_implicit && island_has_matrix(view, contact))
                plan_add_explicit_limit(view, plan, contact);
            else
                plan->stability_limit_s = real_min(plan->stability_limit_s, contact->plan.stability_limit_s);
            plan->controlled |= contact->plan.controlled;
        }
        EACH_MOVING(b) {
            if (view->works[b].mode != MODE_TOUCHING) continue;
            GLOBAL IslandPlan *plan = &view->works[view->works[b].island.label].plan;
            real rate = view->works[b].control.explicit_limit_per_s;
            if (rate > 0.0) plan->explicit_limit_s = real_min(plan->explicit_limit_s, PLAN_STIFF_MODES / rate);
        }
        EACH_MOVING(b) {
            if (view->works[b].mode == MODE_TOUCHING && view->works[b].island.label == b)
                plan_choose_length(&view->works[b].plan);
        }
    }
    SCENE_BARRIER();
}

FN StepPlan plan_nothing(void) {
    StepPlan plan;
    plan.h = REAL_HUGE;
    plan.noise = 0.0;
    plan.controlled = 0;
    return plan;
}

/// The step length common to all islands.
FN StepPlan plan_step(const SceneView *view) {
    StepPlan plan = plan_nothing();
    ACTIVE_LOOP(c) { plan.noise = real_max(plan.noise, plan_coupling(view, &view->contacts[c])); }
    plan_islands(view);
    MOVING_LOOP(b) {
        if (view->works[b].mode != MODE_TOUCHING) continue;
        GLOBAL const IslandPlan *of = &view->works[view->works[b].island.label].plan;
        plan.h = real_min(plan.h, of->chosen_s);
        plan.controlled |= of->controlled;
    }
    plan.h = scene_min(view, plan.h);
    plan.noise = scene_max(view, plan.noise);
    plan.controlled = scene_any(view, plan.controlled);
    return plan;
}

#define PLAN_SAFETY 0.9

/// Factor of the next step's length after this error; a failed step is repeated at most PLAN_SAFETY times as long. The
/// exponent 1/4 rather than 1/5 costs nothing and needs square roots only.
FN real plan_growth(real error) {
    if (!(error < REAL_HUGE)) return 0.2;
    return real_clamp(PLAN_SAFETY / real_sqrt(real_sqrt(real_max(error, 1.0e-12))), 0.2,
                      error > 1.0 ? PLAN_SAFETY : 4.0);
}

// Growth of the implicit step length after an explicit step, so that longer ones are tried again gradually.
#define PLAN_IMPLICIT_GROWTH 1.2

/// A body's controllers store the result of a step of h: the next one may be `next`. cut: it was shorter than wanted,
/// which is no reason against longer ones. taken: it was accepted.
FN void plan_remember_of(GLOBAL BodyControl *control, real next, u32 cut, u32 taken) {
    real explicit_s = cut ? real_max(next, control->substep_s) : next;
    if (control->implicit) {
        control->implicit_s = cut ? real_max(next, control->implicit_s) : next;
        if (taken) control->substep_s = explicit_s;
    } else {
        control->substep_s = explicit_s;
        if (taken && control->implicit_s > 0.0)
            control->implicit_s = real_min(PLAN_IMPLICIT_GROWTH * control->implicit_s, explicit_s);
    }
}

/// The same of all bodies in contact.
FN void plan_store_controller(const SceneView *view, real next, u32 cut, u32 taken) {
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode == MODE_TOUCHING) plan_remember_of(&work->control, next, cut, taken);
    }
}

/// After a step of `tried` has failed, with h the next trial: islands whose implicit steps no longer pay take explicit
/// ones. Returns the step to try.
FN real plan_fall_back_to_explicit(const SceneView *view, real tried, real h) {
    u32 became_explicit = 0;
    real longest = tried;
    if (policy_has_one_method(view->scene->flags)) return h;
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode != MODE_TOUCHING) continue;
        GLOBAL const IslandPlan *plan = &view->works[work->island.label].plan;
        real wanted = plan->wanted_s < REAL_HUGE ? plan->wanted_s : plan->graded_s;
        real explicit_s = real_min(wanted, plan->explicit_limit_s);
        if (!work->control.implicit || h > PLAN_IMPLICIT_PAYS * explicit_s) {
            longest = real_min(longest, h);
            continue;
        }
        longest = real_min(longest, explicit_s);
        work->control.implicit = 0;
        became_explicit = 1;
    }
    longest = scene_min(view, longest);
    return scene_any(view, became_explicit) ? longest : h;
}

#endif
