// Couplings: whatever ties two bodies by forces, each with a row of the list of contacts. A contact is one, a joint
// another. Islands, implicit steps, the plan of steps, interaction groups, rest and the energy audit use only this
// interface:
//
//   its two bodies                                    body_a, body_b of its row
//   force, torques and power lost at a state          coupling_evaluate, into its row
//   their derivatives by poses, velocities and spins  coupling_derive, then coupling_change, coupling_columns_*
//   the longest explicit step                         plan_coupling (integrate/step_plan.h)
//   stored energy                                     coupling_energy: with the kinetic one a bound of speeds
//   impulse and loss so far, N s and J                impulse_N_s, loss_J of its row, summed up by substep.h
// Another kind of joint implements these functions for its rows. Joints that are constraints have rows and a matrix of
// their own (joints/constraint.h).
#ifndef CLACK_JOINTS_COUPLING_H
#define CLACK_JOINTS_COUPLING_H

#include "model/driven_body.h"
#include "joints/constraint.h"
#include "joints/joint_force.h"
#include "joints/joint_jacobian.h"
#include "joints/load.h"
#include "law/contact_jacobian_columns.h"
#include "law/contact_force.h"
#include "law/contact_jacobian.h"
#include "law/quasi_contact.h"
#include "law/region_contact.h"

/// Power of driven bodies on the others by a coupling at its present evaluation, W.
FN_ONCE real coupling_driven_power(const SceneView *view, GLOBAL const Contact *contact) {
    real power = 0.0;
    for (u32 is_b = 0; is_b < 2; is_b++) {
        u32 b = is_b ? contact->pair.body_b : contact->pair.body_a;
        if (!body_is_driven(view, b)) continue;
        real by = vec3_dot(contact->now.force_N, view->works[b].step.trial.velocity_m_per_s);
        Vec3 torque = is_b ? contact->now.torque_b_N_m : contact->now.torque_a_N_m;
        power -= (is_b ? by : 0.0 - by) + vec3_dot(torque, joint_spin(view, b));
    }
    return power;
}

/// Force, torques and power of a coupling in the trial states.
FN_LINK void coupling_evaluate(const SceneView *view, GLOBAL Contact *contact) {
    if (contact_is_load(contact))
        load_evaluate(view, contact);
    else if (contact_is_constraint(view, contact))
        constraint_evaluate(view, contact);
    else if (contact_is_joint(contact))
        joint_evaluate(view, contact);
    else if (contact_is_quasi_rigid(view, contact))
        quasi_hold(view, contact);
    else if (!contact_is_region(view, contact)) // these are evaluated pair by pair (region_evaluate_all)
        contact_evaluate(view, contact);
    if (!scene_has_given(view) || contact_is_constraint(view, contact)) return; // a constraint knows its own
    contact->given.now_W =
        (contact_is_load(contact) ? contact->given.now_W : 0.0) + coupling_driven_power(view, contact);
}

/// What the present evaluation has of what is given over time becomes that of the start of a step.
FN_SHORT void coupling_keep_given(const SceneView *view, GLOBAL Contact *contact) {
    if (!scene_has_given(view)) return;
    contact->given.start_W = contact->given.now_W;
    contact->given.start_N_m =
        body_is_driven(view, contact->pair.body_b) ? contact->now.torque_b_N_m : contact->now.torque_a_N_m;
}

/// Elastic energy stored in a coupling at its present evaluation, J.
FN real coupling_energy(const SceneView *view, GLOBAL const Contact *contact) {
    if (contact_is_joint(contact)) return joint_energy(view, contact);
    if (contact_is_region(view, contact)) return contact->step.region.elastic_J + contact->step.region.spring_J;
    if (contact_is_quasi_rigid(view, contact)) return contact->step.quasi.start_stored_J;
    return contact_energy(view, contact);
}

/// Elastic energy stored in all of them, J.
FN real coupling_elastic_energy(const SceneView *view, SCENE_SPACE const Progress *progress) {
    real energy = 0.0;
    for (u32 c = 0; c < progress->contact_count; c++) energy += coupling_energy(view, &view->contacts[c]);
    return energy;
}

// --- sums over bodies ---------------------------------------------------------------------------------

/// Sum the forces of all active couplings on each body, in the order of the list.
FN void coupling_sum_forces(const SceneView *view) {
    SCENE_BARRIER();
    MOVING_LOOP(b) {
        view->works[b].step.force_N = vec3_zero();
        view->works[b].step.torque_N_m = vec3_zero();
    }
#if SCENE_ITEMS == 1 // one pass over the list; the order of each body's sum is that of the branch below
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        GLOBAL BodyStep *a = &view->works[contact->pair.body_a].step;
        GLOBAL BodyWork *b = &view->works[contact->pair.body_b];
        if (body_moves(view, contact->pair.body_a)) {
            a->force_N = vec3_sub(a->force_N, contact->now.force_N);
            a->torque_N_m = vec3_add(a->torque_N_m, contact->now.torque_a_N_m);
        }
        if (body_moves(view, contact->pair.body_b)) {
            b->step.force_N = vec3_add(b->step.force_N, contact->now.force_N);
            b->step.torque_N_m = vec3_add(b->step.torque_N_m, contact->now.torque_b_N_m);
        }
    }
#else
    MOVING_LOOP(b) {
        GLOBAL BodyStep *step = &view->works[b].step;
        EACH_ACTIVE(c) {
            GLOBAL const Contact *contact = &view->contacts[c];
            if (contact->pair.body_a == b) {
                step->force_N = vec3_sub(step->force_N, contact->now.force_N);
                step->torque_N_m = vec3_add(step->torque_N_m, contact->now.torque_a_N_m);
            } else if (contact->pair.body_b == b) {
                step->force_N = vec3_add(step->force_N, contact->now.force_N);
                step->torque_N_m = vec3_add(step->torque_N_m, contact->now.torque_b_N_m);
            }
        }
    }
#endif
    SCENE_BARRIER();
}

/// Evaluate all active couplings and sum their forces.
FN void coupling_evaluate_all(const SceneView *view) {
    region_evaluate_all(view);
    ACTIVE_LOOP(c) coupling_evaluate(view, &view->contacts[c]);
    coupling_sum_forces(view);
}

// --- derivatives --------------------------------------------------------------------------------------

/// Are those of all couplings of the scene known?
FN u32 coupling_has_jacobian(const SceneView *view) { return contact_has_jacobian(view); }

/// Derivatives of a coupling at its present evaluation, which is that of the start of a step.
FN_WAY void coupling_derive(const SceneView *view, GLOBAL Contact *contact) {
    if (contact_is_region(view, contact)) return; // known with every evaluation
    if (contact_is_load(contact))
        load_derive(view, contact);
    else if (contact_is_joint(contact))
        joint_derive(view, contact);
    else
        contact_derive(view, contact);
}

/// Is its force given by the motion of two points, as that of a joint and of a contact region? Their derivatives are of
/// one form.
FN_SHORT u32 coupling_is_of_points(GLOBAL const Contact *contact) {
    return (HAS(CONTENT_JOINTS) || HAS_MESHES) && contact->pair.form == COUPLING_OF_POINTS ? 1u : 0u;
}

/// First-order change of force, torques and loss for changes of both bodies.
FN_SHORT ContactChange coupling_change(GLOBAL const Contact *contact, const BodyChange *a, const BodyChange *b) {
    if (contact_is_load(contact)) return load_change(&contact->step.load, a, b);
    if (coupling_is_of_points(contact)) return joint_change(&contact->step.joint, a, b);
    return contact_change(&contact->step.jacobian, a, b);
}

/// Where it acts on A = 0 or B = 1, from the centre of mass, at the state that its derivatives are of.
FN_SHORT Vec3 coupling_lever(GLOBAL const Contact *contact, u32 is_b) {
    if (contact_is_load(contact)) return is_b != 0 ? contact->step.load.lever_b_m : contact->step.load.lever_a_m;
    if (coupling_is_of_points(contact))
        return is_b != 0 ? contact->step.joint.lever_b_m : contact->step.joint.lever_a_m;
    return is_b != 0 ? contact->step.jacobian.lever_b_m : contact->step.jacobian.lever_a_m;
}

/// The same for shifts of B at once, as columns_apart.
FN_SHORT void coupling_columns_apart(GLOBAL const Contact *contact, const ColumnVec *shift, ColumnChange *change) {
    if (contact_is_load(contact))
        load_columns_apart(&contact->step.load, shift, change);
    else if (coupling_is_of_points(contact))
        joint_columns_apart(&contact->step.joint, shift, change);
    else
        columns_apart(&contact->step.jacobian, shift, change);
}

/// For velocities at the points where it acts, and spins, as columns_motion.
FN_SHORT void coupling_columns_motion(GLOBAL const Contact *contact, const ColumnVec *velocity, const ColumnVec *spin,
                                      ColumnChange *change) {
    if (contact_is_load(contact))
        load_columns_motion(change);
    else if (coupling_is_of_points(contact))
        joint_columns_motion(&contact->step.joint, velocity, change);
    else
        columns_motion(&contact->step.jacobian, velocity, spin, change);
}

/// For turns of B, or of A, each with a change of its spin, as columns_turned.
FN_SHORT void coupling_columns_turned(GLOBAL const Contact *contact, u32 is_b, const ColumnVec *turn,
                                      const ColumnVec *spin, ColumnChange *change) {
    if (contact_is_load(contact))
        load_columns_turned(&contact->step.load, is_b, turn, change);
    else if (coupling_is_of_points(contact))
        joint_columns_turned(&contact->step.joint, is_b, turn, spin, change);
    else
        columns_turned(&contact->step.jacobian, is_b, turn, spin, change);
}

/// The torque on B, or on A, about its centre of mass.
FN_SHORT ColumnVec coupling_columns_torque(GLOBAL const Contact *contact, u32 is_b, const ColumnChange *change) {
    return columns_torque_at(coupling_lever(contact, is_b), is_b, change);
}

#endif
