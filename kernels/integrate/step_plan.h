// Length of the next substep of bodies in contact, from the contacts' own scales.
#ifndef CLACK_INTEGRATE_STEP_PLAN_H
#define CLACK_INTEGRATE_STEP_PLAN_H

#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "law/contact_force.h"
#include "law/contact_jacobian.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"
#include "integrate/islands.h"
#include "integrate/plan_friction.h"
#include "integrate/plan_joint.h"
#include "integrate/rodas.h"

#define ROOT_FAR 1.0e300 // beyond this and its inverse, roots are those of these
#define ROOT_BIAS 1023u  // of exponents

/// n-th root (n = 3 or 5) of x >= 0, to 4e-5, enough for a step length. x is brought to [2^-n, 1) by a power of 2^n,
/// exactly; then a cubic that is good to 3 %, and one step of Halley's method.
FN real plan_real_root(real x, u32 n) {
    if (!(x > 0.0)) return 0.0;
    x = real_clamp(x, 1.0 / ROOT_FAR, ROOT_FAR);
    u32 exponent = (u32)(real_bits(x) >> 52);                    // biased
    u32 shift = (n * ROOT_BIAS + ROOT_BIAS - 1u - exponent) / n; // the largest that leaves x below 1, biased
    x *= real_of_bits((u64)(ROOT_BIAS + n * shift - n * ROOT_BIAS) << 52);
    real scale = real_of_bits((u64)(2u * ROOT_BIAS - shift) << 52);
    real y = n == 3 ? real_fma(real_fma(real_fma(0.592186, x, -1.385927), x, 1.458114), x, 0.340842)
                    : real_fma(real_fma(real_fma(1.422428, x, -2.687795), x, 1.832768), x, 0.458016);
    real power = n == 3 ? y * y * y : y * y * (y * y) * y;
    real more = n == 3 ? 4.0 : 6.0, less = n == 3 ? 2.0 : 4.0;
    return y * scale * (less * power + more * x) / (more * power + less * x);
}

// Steps are accurate without error control as long as the damping rate times the step stays below this at a tolerance
// of 1e-6: measured errors of an impact are 1e-6 there and 2e-3 beyond (kernels/README.md, "Steps of an impact").
#define PLAN_DAMPING_LIMIT 0.3
// A contact this many times deeper, or about to be, than at rest is an impact; in roots of the depth.
#define PLAN_HIT_SHARE 1.5
// Graded steps are uniform in the root of the depth, except that deeper ones are longer: with even steps those next to
// touch had a tenth of the errors of those about the deepest point. Impacts with restitutions of 0.5 to 1, at normal
// and a hundred times gravity: 117 evaluations instead of 143 at the same median error. With 1.33 at touch 112, but a
// slip that sticks at a tolerance of 3e-8 is off by 6e-7 m/s instead of 4e-7
// (tests/kernels/stepper/test_stepper_bars.cc, test_rodas.cc).
#define PLAN_IN 1.27
#define PLAN_IN_DEEPER 0.82
#define PLAN_OUT 0.93
#define PLAN_OUT_DEEPER 0.49
// n times the longest step of an oscillation.
#define PLAN_OSCILLATION 2.56 // PLAN_STABLE_OSCILLATION of a step that is as long as it can be
// A step that would end within this many of its lengths before the peak of an overlap ends on it, or at half of the
// distance: a watched peak would force a repetition. Peaks nearer to the start than the last share are taken as they
// are.
#define PLAN_PEAK_NEAR 1.1
#define PLAN_PEAK_HALF 1.6
#define PLAN_PEAK_HERE 0.02
// An implicit step costs as much as two or three explicit ones.
#define PLAN_IMPLICIT_PAYS 2.0

// A stiff contact that opens loses at most this share of its overlap in a step. The embedded error of an implicit step
// over its end is meaningless: it is divided by the damping at the start, which is gone at the end. A ball that creeps
// out of an impact left with twice its speed.
#define PLAN_LEAVE_SHARE 0.5
#define PLAN_SHORTEST_S 1.0e-15 // no step of a scene that progresses is shorter, except for remainders before stops
#define PLAN_TURN_PER_STEP 0.05 // rad: rotation within a step, for the polynomials of the gaps
// For a ball in contact: no gap depends on its attitude, but that is a Runge-Kutta state.
#define PLAN_ROUND_TURN_PER_STEP 0.2
// Share of the time in which gravity towards a point changes, at a tolerance of 1, and its upper bound. Measured over
// one orbit, eccentricities 0 to 0.9: within 2 % of the tolerance (tests/kernels/integrate/test_gravity.cc).
#define PLAN_ORBIT_SHARE 0.5
#define PLAN_ORBIT_SHARE_MAX 0.1

#define LANE_WIDTH 1
#include "integrate/overlap_plan.h"
#undef LANE_WIDTH
#include "integrate/plan_by_derivatives.h"

typedef struct StepPlan {
    real h;         // longest step wanted
    real noise;     // 1/s: velocity error by rounding of the gap, per step length
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
    Vec3 lever_a = vec3_add(lever_b, vec3_sub(view->works[contact->pair.body_b].step.trial.position_m,
                                              view->works[contact->pair.body_a].step.trial.position_m));
    return vec3_length(lever_a) * vec3_max_abs(view->bodies[contact->pair.body_a].inverse_inertia) +
           vec3_length(lever_b) * vec3_max_abs(view->bodies[contact->pair.body_b].inverse_inertia);
}

/// Inverse moment of inertia of a contact's bodies, 1/(kg m^2).
FN real plan_inverse_inertia(const SceneView *view, GLOBAL const Contact *contact) {
    return vec3_max_abs(view->bodies[contact->pair.body_a].inverse_inertia) +
           vec3_max_abs(view->bodies[contact->pair.body_b].inverse_inertia);
}

/// Rate of the response of rolling resistance, 1/s.
FN real plan_spin_rate(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law) {
    real spin = contact->now.spin_rad_per_s;
    if (!(spin > 0.0)) return 0.0;
    return law.rolling * contact->law.radius_m * contact->now.normal_N * plan_inverse_inertia(view, contact) /
           law_regularised(spin, law.spin_small_rad_per_s);
}

/// May an impact take a step of h without error control? reach: root of its largest depth within; damped: damping rate
/// times the step.
FN u32 plan_is_safe(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law, real h, real reach,
                    real damped, u32 slips) {
    real slip = contact->now.slip_m_per_s, spin = contact->now.spin_rad_per_s,
         wt = contact->start.inverse_mass_tangential;
    real force = contact->law.stiffness * reach * reach * reach *
                 (1.0 + contact->law.damping_s_per_m * real_abs(contact->now.closing_m_per_s));
    u32 slides = law.friction == 0.0 || !slips ||
                 (!spring_is_of_law(law) && slip - 1.5 * h * law.friction * force * wt > law.speed_small_m_per_s);
    u32 is_still = spin == 0.0 && (!slips || law.friction == 0.0);
    u32 turns = law.rolling == 0.0 || is_still;
    if (!turns) {
        real twist = force * (law.friction * plan_levers(view, contact) +
                              law.rolling * contact->law.radius_m * plan_inverse_inertia(view, contact));
        turns = spin - 1.5 * h * twist > 2.0 * law.spin_small_rad_per_s;
    }
    u32 alone = view->works[contact->pair.body_a].contacts.count * body_moves(view, contact->pair.body_a) <= 1 &&
                view->works[contact->pair.body_b].contacts.count * body_moves(view, contact->pair.body_b) <= 1;
    return slides && turns && alone && plan_is_smooth(view, contact) && damped <= view->slot->damping_limit;
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
    real slip = contact->now.slip_m_per_s, u = o->closing_m_per_s, s = o->root, g = o->pull_m_per_s2;
    u32 sticks = law.friction > 0.0 && slip > 0.0 && slip <= law.speed_small_m_per_s ? 1u : 0u;
    if (work->control.fresh || !(work->control.substep_s > 0.0) || !(sticks | (work->contacts.count > 1 ? 1u : 0u)))
        return 0;
    // The scale is below n times the root if this holds for their powers.
    real scale = o->graded_steps * s, cube = scale * scale * scale * o->stiffness_per_mass;
    return cube > PLAN_DEEP * g &&
                   cube * scale * scale > PLAN_DEEP * (s * s * s * s * s * o->stiffness_per_mass + 1.25 * u * u)
               ? 1u
               : 0u;
}

/// The scales of a contact from which its graded steps follow.
FN OverlapPlan plan_scales(const SceneView *view, GLOBAL const Contact *contact, MaterialPairLaw law) {
    OverlapPlan o;
    real w = contact->start.inverse_mass_normal;
    real g = real_max(body_gravity_bound(view, contact->pair.body_a), body_gravity_bound(view, contact->pair.body_b));
    o.graded_steps = (real)view->scene->graded_steps;
    o.depth_m = real_max(-contact->now.gap_m, 0.0);
    o.root = real_sqrt(o.depth_m);
    o.closing_m_per_s = contact->now.closing_m_per_s;
    o.closing_m_per_s2 = plan_closing(view, contact);
    o.damping_s_per_m = contact->law.damping_s_per_m;
    o.stiffness_per_mass = w * contact->law.stiffness;
    o.pull_m_per_s2 = real_max(g, real_abs(w * contact->now.normal_N + o.closing_m_per_s2));
    // Even steps: without damping the errors of compression and restitution cancel then, and a spring's stretch takes
    // another path.
    o.is_even = o.damping_s_per_m == 0.0 || spring_is_of_law(law) ? 1 : 0;
    return o;
}

/// Graded step of one contact, and its other limits. kernels/README.md, "Steps of an impact".
/// Returns the velocity error that rounding of its gap makes per step length, 1/s.
FN_ONCE real plan_contact(const SceneView *view, GLOBAL Contact *contact) {
    contact_effective_masses(view, contact);
    MaterialPairLaw law = view->laws[contact->pair.law];
    OverlapPlan o = plan_scales(view, contact, law);
    PlanByDerivatives linear;
    linear.rate = 0.0;
    linear.release_s = REAL_HUGE;
    if (!law_is_hertz(contact->law.normal_law)) {
        linear = plan_by_derivatives(view, contact, law, &o);
    } else if (plan_is_error_controlled(view, contact, law, &o)) {
        o.stiffness = overlap_stiffness(o.stiffness_per_mass, o.root, 1.0 + o.damping_s_per_m * o.closing_m_per_s);
        o.stable_s = PLAN_STABLE_OSCILLATION * overlap_period_s(o.stiffness);
        o.graded_s = REAL_HUGE;
        o.root_step = 0.0;
        o.is_impact = 0;
    } else {
        overlap_grade_step(&o);
    }
    real reach = o.root + o.root_step; // root of the largest depth within the step
    u32 slips = plan_slips(view, contact, law);
    PlanFriction across = plan_friction(contact, law, reach, slips);
    real h = real_min(o.graded_s, across.period_s / o.graded_steps);
    o.stable_s = real_min(o.stable_s, across.period_s);
    overlap_limits(&o, real_max(linear.rate, real_max(across.rate, plan_spin_rate(view, contact, law))));
    contact->plan.stiff_s = o.stiff_s;
    contact->plan.stable_s = o.stable_s;
    contact->plan.graded_s = h;
    contact->plan.leave_s = real_min(real_min(plan_step_to_sticking(view, contact, law), o.leave_s), linear.release_s);
    u32 strikes =
        o.closing_m_per_s + h * o.closing_m_per_s2 > contact->law.strike_m_per_s ? 1u : 0u; // damping has a kink
    u32 is_safe =
        o.is_impact && !strikes && plan_is_safe(view, contact, law, h, reach, h * o.damping_rate, slips) ? 1u : 0u;
    contact->plan.controlled = is_safe ? 0 : 1;
    // Uncertainty of the gap, by rounding of the positions or by the narrow phase, is noise of the force.
    Vec3 place = view->works[contact->pair.body_b].step.trial.position_m;
    return o.stiffness * 10.0 * real_max(REAL_EPSILON * vec3_max_abs(place), contact->now.error_m);
}

/// The same of any coupling.
FN_SHORT real plan_coupling(const SceneView *view, GLOBAL Contact *contact) {
    return contact_is_joint(contact) ? plan_joint(view, contact) : plan_contact(view, contact);
}

/// Choose the method of each island for a step of h: Rodas4 if it pays and an explicit one would come near its limit.
FN_WAY void plan_methods(const SceneView *view, real h) {
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        GLOBAL const IslandPlan *plan = &view->works[work->island.label].plan;
        work->control.implicit = work->mode == MODE_TOUCHING && plan->implicit && plan->stiff_s < h ? 1u : 0u;
    }
    SCENE_BARRIER();
    AWAKE_LOOP(c) {
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
    real most = plan->fresh ? real_min(plan->graded_s, plan->stable_s) : plan->stable_s;
    real wanted = plan->wanted_s < REAL_HUGE ? plan->wanted_s : plan->graded_s;
    real implicit = real_min(plan->implicit_s < REAL_HUGE ? plan->implicit_s : wanted, most);
    plan->chosen_s = real_min(real_min(wanted, most), plan->stiff_s);
    if (!(implicit > PLAN_IMPLICIT_PAYS * plan->chosen_s)) return;
    plan->implicit = 1;
    plan->chosen_s = implicit;
}

/// Wanted length and method of each island, stored with the body whose number is its label.
FN_ONCE void plan_islands(const SceneView *view) {
    SCENE_BARRIER();
    if (view->item == 0) {
        EACH_MOVING(b) {
            if (view->works[b].mode != MODE_TOUCHING) continue;
            GLOBAL IslandPlan *plan = &view->works[view->works[b].island.label].plan;
            plan->graded_s = plan->wanted_s = plan->implicit_s = plan->stable_s = plan->stiff_s = REAL_HUGE;
            plan->controlled = plan->fresh = 0;
        }
        EACH_MOVING(b) {
            GLOBAL const BodyWork *work = &view->works[b];
            if (work->mode != MODE_TOUCHING) continue;
            GLOBAL IslandPlan *plan = &view->works[work->island.label].plan;
            plan->fresh |= work->control.fresh;
            if (work->control.substep_s > 0.0) plan->wanted_s = real_min(plan->wanted_s, work->control.substep_s);
            if (work->control.implicit_s > 0.0) plan->implicit_s = real_min(plan->implicit_s, work->control.implicit_s);
        }
        EACH_AWAKE(c) {
            GLOBAL const Contact *contact = &view->contacts[c];
            GLOBAL IslandPlan *plan = &view->works[island_of(view, contact)].plan;
            plan->graded_s = real_min(plan->graded_s, contact->plan.graded_s);
            plan->stable_s = real_min(plan->stable_s, contact->plan.leave_s);
            if (island_has_matrix(view, contact))
                plan->stiff_s = real_min(plan->stiff_s, contact->plan.stiff_s);
            else
                plan->stable_s = real_min(plan->stable_s, contact->plan.stable_s);
            plan->controlled |= contact->plan.controlled;
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
    AWAKE_LOOP(c) { plan.noise = real_max(plan.noise, plan_coupling(view, &view->contacts[c])); }
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
    MOVING_LOOP(b) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode != MODE_TOUCHING) continue;
        GLOBAL const IslandPlan *plan = &view->works[work->island.label].plan;
        real wanted = plan->wanted_s < REAL_HUGE ? plan->wanted_s : plan->graded_s;
        real explicit_s = real_min(wanted, plan->stiff_s);
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
