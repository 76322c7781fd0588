// Contacts -> forces: force and torques of a contact in the trial states.
#ifndef CLACK_LAW_CONTACT_FORCE_H
#define CLACK_LAW_CONTACT_FORCE_H

#include "model/scheme_policy.h"
#include "geometry/shape.h"
#include "pairs/pair_kinematics.h"
#include "law/ellipsoid_friction.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"

/// Inverse effective mass of a body at a lever along a unit direction, 1/kg.
FN real contact_inverse_mass(const SceneView *view, u32 body, Vec3 lever, Vec3 direction) {
    return pair_inverse_mass(&view->bodies[body], COPY(view->works[body].step.trial.orientation), lever, direction);
}

/// Upper bound of the same over all directions.
FN real contact_inverse_mass_bound(const SceneView *view, u32 body, Vec3 lever) {
    GLOBAL const Body *given = &view->bodies[body];
    return given->inverse_mass + vec3_dot(lever, lever) * vec3_max_abs(given->inverse_inertia);
}

/// Velocity across the normal, at the contact point: in the middle of a face the gap has another rate.
FN_SHORT Vec3 contact_sliding(PairKinematics kinematics) {
    real along = vec3_dot(kinematics.normal, kinematics.velocity_m_per_s);
    return vec3_add_scaled(kinematics.velocity_m_per_s, kinematics.normal, 0.0 - along);
}

/// The friction of a contact that has springs joins the rest of its force; the caller keeps the stretches.
FN LawForce contact_add_spring(LawForce force, LawConstants constants, MaterialPairLaw law, PairKinematics kinematics,
                               Vec3 *stretches, real *cuts) {
    Vec3 sliding = contact_sliding(kinematics);
    real limit = spring_limit(constants, law, -kinematics.gap_m, force.normal_N);
    force.friction_N = spring_force(constants, law, -kinematics.gap_m, limit, stretches, sliding, cuts);
    force.force_N = vec3_add(force.force_N, force.friction_N);
    force.loss_W -= vec3_dot(force.friction_N, sliding); // what the springs keep of it is taken off after the step
    return force;
}

/// The springs of a contact at the present evaluation, and how their stretches change: by the slip, and with the mean
/// turning of both bodies about the normal.
FN LawForce contact_evaluate_spring(const SceneView *view, GLOBAL Contact *contact, LawForce force,
                                    PairKinematics kinematics) {
    GLOBAL ContactSpring *spring = &contact->step.spring;
    Vec3 n = kinematics.normal, from = spring->start_normal;
    MaterialPairLaw law = view->laws[contact->pair.law];
    Vec3 stretches[SPRING_PARTS];
    for (u32 part = 0; part < spring_parts(law); part++) {
        Vec3 stretch = vec3_add(spring->start[part], spring->displacement);
        stretches[part] = spring_parallel_transport(spring_rotate(stretch, from, spring->rotation), from, n);
    }
    real cuts[SPRING_PARTS];
    force = contact_add_spring(force, COPY(contact->law), law, kinematics, stretches, cuts);
    for (u32 part = 0; part < spring_parts(law); part++) {
        spring->stretch[part] = stretches[part];
        spring->cut[part] = cuts[part];
    }
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    Vec3 spins = vec3_add(pair_spin(view, contact->pair.body_a, a), pair_spin(view, contact->pair.body_b, b));
    Vec3 sliding = contact_sliding(kinematics);
    real pace = spring_stretch_per_slip(law, spring_stiffness(contact->law.stiffness, law, -kinematics.gap_m));
    spring->displacement_rate =
        spring_rotate(vec3_scale(spring_parallel_transport(sliding, n, from), pace), from, 0.0 - spring->rotation);
    spring->rotation_rate = 0.5 * vec3_dot(spins, n);
    return force;
}

/// The axis of friction in the trial states, world axes; 0: any.
FN_SHORT Vec3 contact_friction_axis(const SceneView *view, GLOBAL const Contact *contact) {
    return friction_axis(view, &view->laws[contact->pair.law].ellipsoid, contact->pair.shape_a, contact->pair.shape_b,
                         &view->works[contact->pair.body_a].step.trial, &view->works[contact->pair.body_b].step.trial);
}

/// Largest closing speed of a contact in the step of h that has been tried.
FN_SHORT real contact_max_closing_of_trial(const SceneView *view, SCENE_SPACE const Progress *progress,
                                           GLOBAL const Contact *contact, real h) {
    GLOBAL const Candidate *candidate = &view->candidates[contact->pair.candidate];
    if (contact_is_region(view, contact)) return contact->now.closing_m_per_s; // depths may jump
    return law_max_closing(candidate->gap_m[progress->gap_index], candidate->rate_m_per_s[progress->gap_index],
                           contact->now.gap_m, contact->now.rate_m_per_s, h, contact->now.error_m);
}

/// A step has been taken: where a contact has closed faster in it than ever, its damping is of that speed from now on,
/// and the force at that speed stays what it was. See policy_damps_each_strike.
FN_SHORT void contact_update_strike_damping(const SceneView *view, GLOBAL Contact *contact, real fastest_m_per_s) {
    if (!(fastest_m_per_s > contact->law.strike_m_per_s) || !policy_damps_each_strike(view->scene->flags)) return;
    contact->law.damping_s_per_m = law_damping_factor_of_strike(COPY(contact->law), fastest_m_per_s) / fastest_m_per_s;
    contact->law.strike_m_per_s = fastest_m_per_s;
}

/// Store an evaluation of a contact. By pointer: a GPU returns structs in registers.
FN_SHORT void contact_store_from(GLOBAL Contact *contact, const PairKinematics *kinematics, const LawForce *force) {
    contact->now.force_N = force->force_N;
    contact->now.torque_b_N_m = vec3_add(vec3_cross(kinematics->lever_b_m, force->force_N), force->torque_N_m);
    contact->now.torque_a_N_m =
        vec3_negate(vec3_add(vec3_cross(kinematics->lever_a_m, force->force_N), force->torque_N_m));
    contact->now.gap_m = kinematics->gap_m;
    contact->now.error_m = kinematics->error_m;
    contact->now.narrow_status = kinematics->status;
    contact->now.rate_m_per_s = kinematics->rate_m_per_s;
    contact->now.closing_m_per_s = force->closing_m_per_s;
    contact->now.slip_m_per_s = force->slip_m_per_s;
    contact->now.spin_rad_per_s = vec3_length(kinematics->spin_rad_per_s);
    contact->now.normal_N = force->normal_N;
    contact->now.loss_W = force->loss_W;
    contact->now.normal = kinematics->normal;
    contact->now.lever_b_m = kinematics->lever_b_m;
}

FN_SHORT void contact_store(GLOBAL Contact *contact, PairKinematics kinematics, LawForce force) {
    contact_store_from(contact, &kinematics, &force);
}

/// Are all components +0? Adding or subtracting those changes no bit of a sum.
FN u32 contact_is_plus_zero(Vec3 v) {
    if (vec3_max_abs(v) > 0.0) return 0;
    return 1.0 / v.x > 0.0 && 1.0 / v.y > 0.0 && 1.0 / v.z > 0.0 ? 1u : 0u;
}

/// Is a body fixed, with zero velocity for the whole scene?
FN u32 contact_body_is_immobile(const SceneView *view, u32 body) {
    GLOBAL const BodyState *state = &view->states[body];
    if (!body_stays(view->bodies[body].flags) || view->placed == 0) return 0;
    return contact_is_plus_zero(COPY(state->velocity_m_per_s)) & contact_is_plus_zero(COPY(state->spin_rad_per_s));
}

/// Which body's corner a contact is, on the plane of an immobile body: CORNER_*.
FN_ONCE u32 contact_corner_side(const SceneView *view, GLOBAL const Contact *contact) {
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a], *b = &view->shapes[contact->pair.shape_b];
    u32 flags = pair_flags(view, contact->pair.shape_a, contact->pair.shape_b);
    if (friction_has_own_law(COPY(view->laws[contact->pair.law])) || pair_is_of_balls(view, a, b)) return CORNER_NOT;
    u32 feature = contact->pair.feature;
    if (pair_point_kind(a, b, feature, flags) == POINT_CORNER && contact_body_is_immobile(view, contact->pair.body_b))
        return CORNER_OF_A;
    return pair_point_kind(b, a, feature, flags) == POINT_CORNER && contact_body_is_immobile(view, contact->pair.body_a)
               ? CORNER_OF_B
               : CORNER_NOT;
}

/// Such a contact of a solid in a state: the bits of kinematics_of_active, without what is nothing. plane_m: where the
/// plane's body is; is_of_a: is the solid A?
FN_SHORT PairKinematics contact_kinematics_on_immobile(GLOBAL const Contact *contact, u32 is_of_a, real ball,
                                                       BodyState solid, PlacedShape plane, Vec3 plane_m) {
    Vec3 centres = vec3_sub(plane_m, solid.position_m), none = vec3_zero();
    PairKinematics kinematics =
        kinematics_of_corner(ball, quat_rotate_any(solid.orientation, contact->corner.place_m), plane, centres);
    Vec3 spin = quat_rotate(solid.orientation, solid.spin_rad_per_s);
    Vec3 velocity = vec3_add(solid.velocity_m_per_s, vec3_cross(spin, kinematics.lever_a_m));
    if (!is_of_a) kinematics = kinematics_swapped(kinematics);
    kinematics.velocity_m_per_s = is_of_a ? vec3_sub(none, velocity) : velocity;
    kinematics.spin_rad_per_s = is_of_a ? vec3_sub(none, spin) : spin;
    kinematics.rate_m_per_s = vec3_dot(kinematics.normal, kinematics.velocity_m_per_s);
    return kinematics;
}

FN_SHORT LawForce contact_force_on_immobile(GLOBAL const Contact *contact, MaterialPairLaw law,
                                            PairKinematics kinematics) {
    LawNumbers numbers = law_numbers(COPY(contact->law), law, 0);
    return law_force(&numbers, -kinematics.gap_m, kinematics.normal, kinematics.velocity_m_per_s,
                     kinematics.spin_rad_per_s);
}

/// Evaluate such a contact.
FN_SHORT void contact_evaluate_corner(const SceneView *view, GLOBAL Contact *contact, u32 is_of_a) {
    u32 body = is_of_a ? contact->pair.body_a : contact->pair.body_b,
        other = is_of_a ? contact->pair.body_b : contact->pair.body_a;
    real ball = shape_ball_radius(&view->shapes[is_of_a ? contact->pair.shape_a : contact->pair.shape_b]);
    PairKinematics kinematics =
        contact_kinematics_on_immobile(contact, is_of_a, ball, COPY(view->works[body].step.trial),
                                       COPY(view->placed[is_of_a ? contact->pair.shape_b : contact->pair.shape_a]),
                                       COPY(view->works[other].step.trial.position_m));
    contact_store(contact, kinematics,
                  contact_force_on_immobile(contact, COPY(view->laws[contact->pair.law]), kinematics));
}

/// Force, torques and power of an active contact in the trial states.
FN_LINK void contact_evaluate(const SceneView *view, GLOBAL Contact *contact) {
    if (HAS_CORNERS && contact->corner.whose == CORNER_OF_B) {
        contact_evaluate_corner(view, contact, 0);
        return;
    }
    if (HAS_CORNERS && contact->corner.whose == CORNER_OF_A) {
        contact_evaluate_corner(view, contact, 1);
        return;
    }
    PairKinematics kinematics = kinematics_of_active(view, contact);
    LawNumbers numbers = law_numbers(COPY(contact->law), COPY(view->laws[contact->pair.law]), view->scene->flags);
    LawForce force = law_force(&numbers, -kinematics.gap_m, kinematics.normal, kinematics.velocity_m_per_s,
                               kinematics.spin_rad_per_s);
    if (spring_is_of_law(COPY(view->laws[contact->pair.law])))
        force = contact_evaluate_spring(view, contact, force, kinematics);
    if (ellipsoid_is_of_law(COPY(view->laws[contact->pair.law])))
        force = ellipsoid_add(force, &view->laws[contact->pair.law], kinematics, contact_friction_axis(view, contact));
    contact_store(contact, kinematics, force);
}

/// Effective masses of a contact at its present evaluation, once per step.
FN_ONCE void contact_effective_masses(const SceneView *view, GLOBAL Contact *contact) {
    Vec3 lever_b = contact->now.lever_b_m, lever_a = pair_lever_a(view, contact, lever_b);
    contact->start.inverse_mass_normal =
        contact_inverse_mass(view, contact->pair.body_a, lever_a, COPY(contact->now.normal)) +
        contact_inverse_mass(view, contact->pair.body_b, lever_b, COPY(contact->now.normal));
    contact->start.inverse_mass_tangential = contact_inverse_mass_bound(view, contact->pair.body_a, lever_a) +
                                             contact_inverse_mass_bound(view, contact->pair.body_b, lever_b);
}

/// Impulse that a fixed body has exerted through a contact on a free one so far, N s.
FN Vec3 contact_impulse_of_fixed(const SceneView *view, GLOBAL const Contact *contact) {
    u32 is_fixed_a = view->bodies[contact->pair.body_a].flags & BODY_FIXED;
    u32 is_fixed_b = view->bodies[contact->pair.body_b].flags & BODY_FIXED;
    if (is_fixed_a != 0) return contact->total.impulse_N_s; // on B
    return is_fixed_b != 0 ? vec3_negate(contact->total.impulse_N_s) : vec3_zero();
}

/// Elastic energy stored in a contact, J.
FN real contact_energy(const SceneView *view, GLOBAL const Contact *contact) {
    real stored = spring_is_of_law(COPY(view->laws[contact->pair.law])) ? contact->step.spring.stored_J : 0.0;
    return law_elastic_energy(COPY(contact->law), real_max(0.0, -contact->now.gap_m)) + stored;
}

#endif
