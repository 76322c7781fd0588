// Contact regions as contacts: force, torques and derivatives of all regions of a pair in the trial states, and what a
// contact keeps of them from step to step. The geometry is frozen in the derivatives: a shift changes the depth by its
// part along the normal, and nothing else.
#ifndef CLACK_LAW_REGION_CONTACT_H
#define CLACK_LAW_REGION_CONTACT_H

#include "pairs/region_match.h"
#include "law/contact_force.h"
#include "law/region_law.h"
#include "law/stiction.h"

// What the regions of one contact add up to, and the one that the contact is at.
typedef struct RegionSum {
    Vec3 force_N, torque_a_N_m, torque_b_N_m;
    real normal_N, loss_W;
    Mat3 by_shift, by_velocity;
    RegionElastic elastic;
    real spring_J;
    u32 main; // candidate; NONE: there is no region
    PairKinematics at;
    LawForce law;
    Vec3 stretch_m, sliding_m_per_s;
} RegionSum;

/// The contact that a region's force belongs to; NONE: it is new, and has none within the step that finds it.
FN_SHORT u32 region_owner(const SceneView *view, u32 candidate) {
    GLOBAL const FoundRegion *found = &view->surfaces->found[candidate];
    if (!found->is_there) return NONE;
    u32 own = view->candidates[candidate].contact;
    return own != NONE ? own : found->carrier;
}

/// The numbers of Hertz's law by which law_force gives an elastic force at a depth: damping, friction and rolling
/// resistance are alike.
FN LawNumbers region_numbers(const SceneView *view, GLOBAL const Contact *contact, RegionElastic elastic, real depth_m,
                             u32 has_stiction) {
    LawConstants constants = contact->law;
    MaterialPairLaw law = view->laws[contact->pair.law];
    constants.stiffness = depth_m > 0.0 ? elastic.force_N / (depth_m * real_sqrt(depth_m)) : 0.0;
    constants.normal_law = NORMAL_HERTZ;
    if (has_stiction) law.friction = 0.0;
    return law_numbers(constants, law, view->scene->flags);
}

FN StictionNumbers region_stiction_numbers(const SceneView *view, GLOBAL const Contact *contact, RegionLaw law,
                                           RegionElastic elastic, real normal_N) {
    StictionNumbers of;
    real inverse_mass =
        view->bodies[contact->pair.body_a].inverse_mass + view->bodies[contact->pair.body_b].inverse_mass;
    of.stiffness_N_per_m = law.shear * elastic.slope_N_per_m;
    of.damping_N_s_per_m = 2.0 * STICTION_DAMPING_RATIO * real_sqrt(of.stiffness_N_per_m / inverse_mass);
    of.friction = view->laws[contact->pair.law].friction;
    of.static_friction = law.static_friction;
    of.stick_speed_m_per_s = law.stick_speed_m_per_s;
    of.normal_N = normal_N;
    of.half_step_s = contact->step.region.half_step_s;
    return of;
}

/// Add the derivatives of normal force, regularised friction and damping (law_jacobian). Returns those of the normal
/// force.
FN_ONCE LawJacobian region_add_law(const LawNumbers *numbers, const PairKinematics *at, RegionElastic elastic,
                                   RegionSum *sum) {
    LawMotion motion, by;
    motion.gap_m = at->gap_m;
    motion.normal = at->normal;
    motion.velocity_m_per_s = at->velocity_m_per_s;
    motion.spin_rad_per_s = at->spin_rad_per_s;
    LawJacobian slopes = law_jacobian(numbers, &motion);
    real depth = 0.0 - at->gap_m, hertz = 1.5 * elastic.force_N;
    if (hertz > 0.0) slopes.normal_stiffness *= elastic.slope_N_per_m * depth / hertz;
    by.gap_m = 1.0;
    by.normal = by.velocity_m_per_s = by.spin_rad_per_s = vec3_zero();
    stiction_add_outer(&sum->by_shift, law_change(&slopes, &motion, &by, 0).force_N, COPY(at->normal), 1.0);
    by.gap_m = 0.0;
    for (u32 k = 0; k < 3; k++) {
        by.velocity_m_per_s = vec3_unit(k);
        stiction_add_outer(&sum->by_velocity, law_change(&slopes, &motion, &by, 0).force_N, vec3_unit(k), 1.0);
    }
    return slopes;
}

/// Add friction that sticks: to the force, and its derivatives. Returns the stretch.
FN_ONCE Vec3 region_add_stiction(const StictionNumbers *of, LawJacobian slopes, GLOBAL const RegionContact *region,
                                 const PairKinematics *at, Vec3 spins, LawForce *force, RegionSum *sum) {
    Vec3 n = at->normal, sliding = contact_sliding(COPY(*at));
    real turned = of->half_step_s * vec3_dot(spins, n); // of both bodies about the normal, on average
    Vec3 stretch = spring_rotate(
        spring_parallel_transport(COPY(region->start_stretch_m), COPY(region->start_normal), n), n, turned);
    Vec3 started = spring_parallel_transport(COPY(region->start_sliding_m_per_s), COPY(region->start_normal), n);
    stretch = vec3_add_scaled(stretch, vec3_add(started, sliding), of->half_step_s);
    Stiction friction = stiction_force(of, stretch, sliding);
    force->friction_N = friction.force_N;
    force->force_N = vec3_add(force->force_N, friction.force_N);
    force->loss_W -= vec3_dot(friction.force_N, sliding); // what the spring keeps of it is taken off after the step
    stretch = stiction_cut(of, stretch);
    sum->spring_J += 0.5 * of->stiffness_N_per_m * vec3_dot(stretch, stretch);
    Mat3 *by = &sum->by_velocity; // of the slip alone: across the normal
    by->x = vec3_add(by->x, vec3_add_scaled(friction.by_slip.x, n, 0.0 - vec3_dot(friction.by_slip.x, n)));
    by->y = vec3_add(by->y, vec3_add_scaled(friction.by_slip.y, n, 0.0 - vec3_dot(friction.by_slip.y, n)));
    by->z = vec3_add(by->z, vec3_add_scaled(friction.by_slip.z, n, 0.0 - vec3_dot(friction.by_slip.z, n)));
    stiction_add_outer(by, friction.by_normal, n, 0.0 - slopes.normal_damping);
    stiction_add_outer(&sum->by_shift, friction.by_normal, n, 0.0 - slopes.normal_stiffness);
    return stretch;
}

/// Add viscous friction.
FN void region_add_viscous(real viscous, const PairKinematics *at, LawForce *force, RegionSum *sum) {
    Vec3 sliding = contact_sliding(COPY(*at));
    force->force_N = vec3_add_scaled(force->force_N, sliding, 0.0 - viscous);
    force->friction_N = vec3_add_scaled(force->friction_N, sliding, 0.0 - viscous);
    force->loss_W = real_fma(viscous, vec3_dot(sliding, sliding), force->loss_W);
    stiction_add_unit(&sum->by_velocity, 0.0 - viscous);
    stiction_add_outer(&sum->by_velocity, COPY(at->normal), COPY(at->normal), viscous);
}

/// Add one region of a contact. The contact is at its own region, or at the deepest of those that have split from it.
FN_ONCE void region_add(const SceneView *view, GLOBAL const Contact *contact, u32 candidate, RegionSum *sum) {
    FoundRegion found = view->surfaces->found[candidate];
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    RegionLaw own = view->region_laws[contact->pair.law];
    RegionElastic elastic = region_elastic(own, view->laws[contact->pair.law].modulus_Pa, &found);
    PairKinematics at = match_kinematics(view, &found, contact->pair.body_a, contact->pair.body_b, a, b);
    LawNumbers numbers = region_numbers(view, contact, elastic, found.depth_m, own.has_stiction);
    LawForce force = law_force(&numbers, found.depth_m, at.normal, at.velocity_m_per_s, at.spin_rad_per_s);
    LawJacobian slopes = region_add_law(&numbers, &at, elastic, sum);
    Vec3 stretch = vec3_zero();
    if (own.has_stiction) {
        StictionNumbers of = region_stiction_numbers(view, contact, own, elastic, force.normal_N);
        Vec3 spins = vec3_add(pair_spin(view, contact->pair.body_a, a), pair_spin(view, contact->pair.body_b, b));
        stretch = region_add_stiction(&of, slopes, &contact->step.region, &at, spins, &force, sum);
    }
    if (own.viscous_N_s_per_m > 0.0) region_add_viscous(own.viscous_N_s_per_m, &at, &force, sum);
    sum->force_N = vec3_add(sum->force_N, force.force_N);
    sum->torque_b_N_m =
        vec3_add(sum->torque_b_N_m, vec3_add(vec3_cross(at.lever_b_m, force.force_N), force.torque_N_m));
    sum->torque_a_N_m =
        vec3_sub(sum->torque_a_N_m, vec3_add(vec3_cross(at.lever_a_m, force.force_N), force.torque_N_m));
    sum->normal_N += force.normal_N;
    sum->loss_W += force.loss_W;
    sum->elastic.force_N += elastic.force_N;
    sum->elastic.slope_N_per_m += elastic.slope_N_per_m;
    sum->elastic.energy_J += elastic.energy_J;
    u32 is_own = candidate == contact->pair.candidate ? 1u : 0u;
    if (sum->main != NONE && !is_own && (sum->main == contact->pair.candidate || !(at.gap_m < sum->at.gap_m))) return;
    sum->main = candidate;
    sum->at = at;
    sum->law = force;
    sum->stretch_m = stretch;
    sum->sliding_m_per_s = contact_sliding(at);
}

/// A contact whose region is gone: it has no force, and separates at the speed of its matter.
FN_ONCE void region_store_none(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL RegionContact *region = &contact->step.region;
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    FoundRegion gone = ALL_ZERO;
    MatchedPair pair;
    pair.body_a_m = a->position_m;
    pair.body_b_m = b->position_m;
    pair.turn_a = a->orientation;
    pair.turn_b = b->orientation;
    gone.normal = region->start_normal;
    gone.lever_b_m = vec3_sub(match_place(region, &pair), b->position_m);
    PairKinematics at = match_kinematics(view, &gone, contact->pair.body_a, contact->pair.body_b, a, b);
    LawForce none = ALL_ZERO;
    at.gap_m = 0.0;
    none.closing_m_per_s = 0.0 - at.rate_m_per_s;
    none.slip_m_per_s = vec3_length(contact_sliding(at));
    contact_store_from(contact, &at, &none);
}

/// Store what the regions of a contact add up to.
FN_ONCE void region_store(const SceneView *view, GLOBAL Contact *contact, const RegionSum *sum) {
    GLOBAL RegionContact *region = &contact->step.region;
    GLOBAL JointJacobian *jacobian = &region->jacobian;
    region->elastic_J = sum->elastic.energy_J;
    region->elastic_N = sum->elastic.force_N;
    region->slope_N_per_m = sum->elastic.slope_N_per_m;
    region->spring_J = sum->spring_J;
    region->stretch_m = sum->stretch_m;
    region->sliding_m_per_s = sum->sliding_m_per_s;
    jacobian->force_by_shift = sum->by_shift;
    jacobian->force_by_velocity = sum->by_velocity;
    jacobian->loss_by_shift = jacobian->loss_by_velocity = vec3_zero(); // schemes with regions do not read them
    if (sum->main == NONE)
        region_store_none(view, contact);
    else
        contact_store_from(contact, &sum->at, &sum->law);
    contact->now.force_N = sum->force_N;
    contact->now.torque_a_N_m = sum->torque_a_N_m;
    contact->now.torque_b_N_m = sum->torque_b_N_m;
    contact->now.normal_N = sum->normal_N;
    contact->now.loss_W = sum->loss_W;
    jacobian->lever_b_m = contact->now.lever_b_m;
    jacobian->lever_a_m = pair_lever_a(view, contact, COPY(contact->now.lever_b_m));
    jacobian->spin_a_rad_per_s = pair_spin(view, contact->pair.body_a, &view->works[contact->pair.body_a].step.trial);
    jacobian->spin_b_rad_per_s = pair_spin(view, contact->pair.body_b, &view->works[contact->pair.body_b].step.trial);
    jacobian->force_N = sum->force_N;
}

/// Force, torques and derivatives of a contact from the regions that have been found in the trial states.
FN_ONCE void region_evaluate_found(const SceneView *view, GLOBAL Contact *contact) {
    u32 first = match_first(view, contact->pair.candidate), index = (u32)(contact - view->contacts);
    RegionSum sum = ALL_ZERO;
    sum.main = NONE;
    for (u32 k = 0; k < view->room.regions; k++)
        if (region_owner(view, first + k) == index) region_add(view, contact, first + k, &sum);
    region_store(view, contact, &sum);
}

/// Are two rows of the list of contacts of the same pair of shapes?
FN_SHORT u32 region_is_same_pair(GLOBAL const Contact *a, GLOBAL const Contact *b) {
    return a->pair.shape_a == b->pair.shape_a && a->pair.shape_b == b->pair.shape_b ? 1u : 0u;
}

/// Find the regions of a pair in the trial states, and evaluate all its contacts, which lie side by side in the list.
FN_WAY void region_evaluate_pair(const SceneView *view, GLOBAL Contact *contact) {
    if (view->slot->regions_are == REGIONS_SOUGHT) match_pair(view, contact->pair.candidate, 1, 0);
    if (view->slot->regions_are == REGIONS_MOVED) match_move_pair(view, contact->pair.candidate);
    u32 pair = match_first(view, contact->pair.candidate), count = 0;
    for (u32 k = 0; k < view->room.regions; k++) count += view->candidates[pair + k].contact != NONE ? 1u : 0u;
    for (u32 c = 0; c < count; c++) region_evaluate_found(view, contact + c);
}

/// Is a contact of the list the first one of its pair of shapes?
FN_SHORT u32 region_is_first_of_pair(const SceneView *view, u32 c) {
    GLOBAL const Contact *contact = &view->contacts[c];
    if (!contact_is_region(view, contact)) return 0;
    return c <= joint_count(view) || !region_is_same_pair(contact, contact - 1) ? 1u : 0u;
}

/// Evaluate all contact regions in the trial states. On item 0: the lists of a slot serve one pair after the other.
FN_WAY void region_evaluate_all(const SceneView *view) {
    if (!policy_has_regions(view->scene->flags)) return;
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        if (view->item == 0 && region_is_first_of_pair(view, c)) region_evaluate_pair(view, &view->contacts[c]);
    }
    SCENE_BARRIER();
}

/// Find all contact regions in the present states, those of the start of a step.
FN_WAY void region_find_all_at_start(const SceneView *view) {
    SCENE_BARRIER();
    EACH_ACTIVE(c) {
        if (view->item == 0 && region_is_first_of_pair(view, c))
            match_pair(view, view->contacts[c].pair.candidate, 0, 0);
    }
    SCENE_BARRIER();
}

// --- from step to step --------------------------------------------------------------------------------------------

/// What continues a contact is known from its present region.
FN_ONCE void region_keep_place(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL RegionContact *region = &contact->step.region;
    GLOBAL const BodyState *a = &view->works[contact->pair.body_a].step.trial;
    GLOBAL const BodyState *b = &view->works[contact->pair.body_b].step.trial;
    Vec3 at = vec3_add(b->position_m, contact->now.lever_b_m);
    region->place_a_m = quat_rotate_back(a->orientation, vec3_sub(at, a->position_m));
    region->place_b_m = quat_rotate_back(b->orientation, contact->now.lever_b_m);
    region->start_normal = contact->now.normal;
    GLOBAL const FoundRegion *found = &view->surfaces->found[contact->pair.candidate];
    if (found->is_there) region->start_reach_m = found->reach_m;
}

/// Is a contact being struck, or does it oscillate along its normal, at the end of a step? Not while the kinetic energy
/// of its effective mass is so small against what it stores.
#define REGION_LIVELY 0.01
FN_SHORT u32 region_is_lively(GLOBAL const Contact *contact) {
    real u = contact->now.closing_m_per_s;
    return 0.5 * u * u > REGION_LIVELY * contact->step.region.elastic_J * contact->start.inverse_mass_normal ? 1u : 0u;
}

/// Is it near its deepest, or at rest: does it store more than the kinetic energy along its normal?
FN_SHORT u32 region_is_deep(GLOBAL const Contact *contact) {
    real u = contact->now.closing_m_per_s;
    return 0.5 * u * u <= contact->step.region.elastic_J * contact->start.inverse_mass_normal ? 1u : 0u;
}

/// The step just tried is accepted, up to this time: the next one begins with its stretch.
FN_ONCE void region_keep(const SceneView *view, GLOBAL Contact *contact, real time) {
    GLOBAL RegionContact *region = &contact->step.region;
    region_keep_place(view, contact);
    if (region_is_lively(contact)) region->lively_s = time;
    contact->trial.loss_J -= region->spring_J - region->start_spring_J; // kept, not lost
    region->start_spring_J = region->spring_J;
    region->start_stretch_m = region->stretch_m;
    region->start_sliding_m_per_s = region->sliding_m_per_s;
    region->start_normal_N = contact->now.normal_N;
}

/// Evaluated at the start of a step, after contacts have changed.
FN_SHORT void region_keep_start(GLOBAL Contact *contact) {
    GLOBAL RegionContact *region = &contact->step.region;
    region->start_sliding_m_per_s = region->sliding_m_per_s;
    region->start_spring_J = region->spring_J;
    region->start_normal_N = contact->now.normal_N;
}

/// The radius with which two shapes roll on each other at most: the larger one of those that are not flat, else that of
/// other contacts (law_radius_m).
FN real region_radius_most(const SceneView *view, GLOBAL const Candidate *candidate) {
    GLOBAL const Shape *a = &view->shapes[candidate->shape_a], *b = &view->shapes[candidate->shape_b];
    u32 flat_a = a->flags & SHAPE_FLAT, flat_b = b->flags & SHAPE_FLAT;
    if (flat_a && flat_b) return law_radius_m(a->contact_radius_m, 1, b->contact_radius_m, 1);
    return real_max(flat_a ? 0.0 : a->contact_radius_m, flat_b ? 0.0 : b->contact_radius_m);
}

/// Constants of the law of a region that begins, and R*, which rolling resistance has, from its area and depth. Of
/// faces that gives no radius of anything (kilometres), and a resistance that clamps them to each other: it is at most
/// that of the shapes.
FN_ONCE LawConstants region_constants(const SceneView *view, GLOBAL const Candidate *candidate,
                                      const PairKinematics *kinematics) {
    GLOBAL const FoundRegion *found = &view->surfaces->found[candidate - view->candidates];
    u32 law = scene_law_row(view, candidate->shape_a, candidate->shape_b);
    real radius = found->depth_m > 0.0 ? found->area_m2 / (REGION_TWO_PI * found->depth_m) : 0.0;
    LawConstants constants = law_begin(COPY(view->laws[law]), radius, real_max(0.0, 0.0 - kinematics->rate_m_per_s));
    constants.radius_m = real_min(radius, region_radius_most(view, candidate));
    if (view->region_laws[law].law != REGION_HERTZ) constants.stiffness = view->region_laws[law].stiffness;
    return constants;
}

/// Of a contact that begins: `from` another, from whose region its own has split, or 0.
FN_ONCE void region_begin(const SceneView *view, GLOBAL Contact *contact, GLOBAL const Contact *from, real time) {
    GLOBAL RegionContact *region = &contact->step.region;
    RegionContact none = ALL_ZERO;
    *region = none;
    FoundRegion found = view->surfaces->found[contact->pair.candidate];
    region->lively_s = time;
    region->elastic_J =
        region_elastic(COPY(view->region_laws[contact->pair.law]), view->laws[contact->pair.law].modulus_Pa, &found)
            .energy_J;
    region_keep_place(view, contact);
    if (from == 0) return;
    contact->law = from->law;
    region->lively_s = from->step.region.lively_s;
    region->start_stretch_m = spring_parallel_transport(
        COPY(from->step.region.start_stretch_m), COPY(from->step.region.start_normal), COPY(region->start_normal));
    region->start_sliding_m_per_s = from->step.region.start_sliding_m_per_s;
}

// --- lengths of steps ---------------------------------------------------------------------------------------------

// Steps of the time of an impact, over graded_steps: 25 (fast), 50 (default), 100 (accurate). Speeds of rebounds are
// then right to 5e-4 at 50 and to 1e-4 at 100, for restitutions 0 to 1: test_region_contact.cc.
#define REGION_STEPS 6.25
#define REGION_TOUCH_SHARE 0.1 // of such a step: how long ago a region may have begun, at the end of the step that
#define REGION_TOUCH_MOST 0.3  // finds it, and how long at most

/// How long a contact's impact takes in all, from its present evaluation, s.
FN real region_contact_impact_s(const SceneView *view, GLOBAL Contact *contact) {
    GLOBAL const RegionContact *region = &contact->step.region;
    RegionElastic elastic;
    elastic.force_N = region->elastic_N;
    elastic.slope_N_per_m = region->slope_N_per_m;
    elastic.energy_J = region->elastic_J;
    contact_effective_masses(view, contact);
    return region_impact_s(elastic, 0.0 - contact->now.gap_m, contact->now.closing_m_per_s,
                           contact->start.inverse_mass_normal);
}

/// A region that no contact had in the step of h just tried: how long the step should be, as the region began too long
/// before its end; h: it did not. At most halved.
FN_ONCE real region_step_to_touch(const SceneView *view, u32 candidate, real h) {
    GLOBAL const Candidate *given = &view->candidates[candidate];
    FoundRegion found = view->surfaces->found[candidate];
    if (!found.is_there || given->observes || given->contact != NONE || found.carrier != NONE) return h;
    GLOBAL const BodyState *a = &view->works[given->body_a].step.trial, *b = &view->works[given->body_b].step.trial;
    PairKinematics at = match_kinematics(view, &found, given->body_a, given->body_b, a, b);
    real closing = 0.0 - at.rate_m_per_s;
    if (!(closing > 0.0)) return h;
    u32 law = scene_law_row(view, given->shape_a, given->shape_b);
    real inverse_mass = pair_inverse_mass(&view->bodies[given->body_a], COPY(a->orientation), at.lever_a_m, at.normal) +
                        pair_inverse_mass(&view->bodies[given->body_b], COPY(b->orientation), at.lever_b_m, at.normal);
    RegionElastic elastic = region_elastic(COPY(view->region_laws[law]), view->laws[law].modulus_Pa, &found);
    real step_s = region_impact_s(elastic, found.depth_m, closing, inverse_mass) /
                  (REGION_STEPS * (real)view->scene->graded_steps);
    real since_s = found.depth_m / closing;
    if (!(since_s > REGION_TOUCH_MOST * step_s)) return h;
    // Its depth need not have grown at this speed: over a long time that is a poor estimate.
    return real_max(h - since_s + REGION_TOUCH_SHARE * step_s, 0.5 * h);
}

/// Longest step of contacts that are being struck; REAL_HUGE without such. shortest: step of an impact of any contact.
FN_ONCE real region_longest_step(const SceneView *view, real time, real *shortest) {
    real longest = REAL_HUGE, steps = REGION_STEPS * (real)view->scene->graded_steps, least = REAL_HUGE;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_region(view, contact)) continue;
        real impact_s = region_contact_impact_s(view, contact);
        contact->plan.graded_s = impact_s / steps;
        least = real_min(least, contact->plan.graded_s);
        if (time - contact->step.region.lively_s < impact_s) longest = real_min(longest, contact->plan.graded_s);
    }
    *shortest = scene_min(view, least);
    return scene_min(view, longest);
}

#endif
