// What takes part in the present step: moving bodies, active contacts, and candidates whose distance may be queried.
// Where groups of bodies are stepped one after the other (group_windows.h), those of the present group.
#ifndef CLACK_STEPPER_ACTIVE_H
#define CLACK_STEPPER_ACTIVE_H

#include "model/scheme_policy.h"
#include "geometry/narrow_phase.h"
#include "pairs/broad_phase.h"
#include "pairs/conservative_advancement.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/mindlin_spring.h"

/// Are the bodies and candidates of the group that is stepped listed? Bodies that only observe go with every group.
FN u32 active_is_sorted(const SceneView *view, SCENE_SPACE const Progress *progress) {
    return is_grouped(progress) && !(view->scene->flags & SCENE_OBSERVERS) ? 1u : 0u;
}

/// Sort bodies and candidates by group, keeping their order within each. Invalidates the list of live candidates. On
/// item 0.
FN void active_sort(const SceneView *view, SCENE_SPACE const Progress *progress) {
    u32 bodies = view->scene->body_count;
    GLOBAL u32 *ends = view->group_ends, *candidate_ends = ends + view->room.bodies + 1u;
    for (u32 g = 0; g <= bodies; g++) ends[g] = candidate_ends[g] = 0;
    // While they are filled in, a group's end counts those of the group before.
    for (u32 b = 0; b < bodies; b++) {
        if (view->works[b].group.number < bodies) ends[view->works[b].group.number + 1u]++;
    }
    for (u32 i = 0; i < progress->candidate_count; i++) {
        u32 group = candidate_group(view, &view->candidates[i]);
        view->live[i] = group;
        if (group < bodies) candidate_ends[group + 1u]++;
    }
    for (u32 g = 1; g <= bodies; g++) {
        ends[g] += ends[g - 1u];
        candidate_ends[g] += candidate_ends[g - 1u];
    }
    for (u32 b = 0; b < bodies; b++) {
        u32 group = view->works[b].group.number;
        if (group <= bodies) view->group_bodies[ends[group]++] = b;
    }
    for (u32 i = 0; i < progress->candidate_count; i++) {
        u32 group = view->live[i];
        if (group <= bodies) view->group_candidates[candidate_ends[group]++] = i;
    }
}

FN void active_clear_bounds(const SceneView *view, u32 b) {
    GLOBAL BodyWork *work = &view->works[b];
    work->bounds.rotation_path_m = 0.0;
    work->bounds.path_deviation_m = advancement_rounding(view, b, 0.0);
    work->control.implicit = work->island.members = 0;
}

/// A body begins a free flight from its present state. Free rotation keeps energy and angular momentum, and both bound
/// the spin. Source: Mirtich, Impulse-based Dynamic Simulation (1996).
FN void active_begin_flight(const SceneView *view, SCENE_SPACE const Progress *progress, u32 b) {
    GLOBAL FlightStart *flight = &view->works[b].flight;
    Vec3 spin = view->states[b].spin_rad_per_s;
    Vec3 momentum = vec3_multiply(view->bodies[b].inertia_kg_m2, spin);
    real inverse = vec3_max_abs(view->bodies[b].inverse_inertia);
    flight->spin_rad_per_s = real_min(real_sqrt(vec3_dot(spin, momentum) * inverse), vec3_length(momentum) * inverse);
    flight->position_m = view->states[b].position_m;
    flight->velocity_m_per_s = view->states[b].velocity_m_per_s;
    flight->offset_s = progress->offset_s;
    flight->step_index = progress->step_index;
}

/// Add a body whose contacts are counted to the list of moving bodies. By that count a body that is not frozen, fixed
/// or waiting is in flight or not; a body whose last contact has ended begins a flight from its present state.
FN u32 active_add_body(const SceneView *view, SCENE_SPACE const Progress *progress, u32 b, u32 count) {
    GLOBAL BodyWork *work = &view->works[b];
    if (work->mode < MODE_FLYING) {
        active_clear_bounds(view, b);
        if (!body_is_driven(view, b)) return count;
        view->moving[count] = b;
        return count + 1u;
    }
    u32 mode = work->contacts.count > 0 ? MODE_TOUCHING : MODE_FLYING;
    if (mode == MODE_FLYING && work->mode == MODE_TOUCHING) active_begin_flight(view, progress, b);
    work->mode = mode;
    view->moving[count] = b;
    return count + 1u;
}

/// Add a contact to the list of active contacts if it is one, and count it for both bodies.
FN u32 active_add_contact(const SceneView *view, u32 c, u32 count) {
    GLOBAL const Contact *contact = &view->contacts[c];
    if (contact->now.inactive) return count;
    view->works[contact->pair.body_a].contacts.count++;
    view->works[contact->pair.body_b].contacts.count++;
    view->active_contacts[count] = c;
    return count + 1u;
}

/// Is this a ball contact: between balls with no other contact, or between such a ball and a fixed shape, with a
/// closed-form distance and a law without memory? FAST_NONE, FAST_BALL_EXPLICIT or FAST_BALL.
FN_ONCE u32 active_fast_method(const SceneView *view, GLOBAL const Contact *contact) {
    if (!HAS(CONTENT_ISLANDS)) return FAST_BALL;
    if (contact_is_joint(contact)) return FAST_NONE;
    if (!HAS_BALLS || !policy_has_fast_methods(view->scene->flags)) return FAST_NONE;
    u32 bodies[2];
    bodies[0] = contact->pair.body_a;
    bodies[1] = contact->pair.body_b;
    for (u32 k = 0; k < 2; k++) {
        u32 flags = view->bodies[bodies[k]].flags;
        if (flags & BODY_FIXED) continue;
        if (!(flags & BODY_BALL) || view->works[bodies[k]].contacts.count != 1) return FAST_NONE;
    }
    if (friction_has_own_law(COPY(view->laws[contact->pair.law]))) return FAST_NONE;
    GLOBAL const Shape *a = &view->shapes[contact->pair.shape_a], *b = &view->shapes[contact->pair.shape_b];
    if (pair_is_of_balls(view, a, b))
        return view->laws[contact->pair.law].rolling > 0.0 ? FAST_BALL_EXPLICIT : FAST_BALL;
    u32 is_fixed = (view->bodies[contact->pair.body_a].flags | view->bodies[contact->pair.body_b].flags) & BODY_FIXED;
    return is_fixed && narrow_has_closed_form(a->kind, b->kind, view->scene->flags) ? FAST_BALL_EXPLICIT : FAST_NONE;
}

/// May corner_contacts.h step this body?
FN_SHORT u32 active_may_have_fast_corners(const SceneView *view, u32 b) {
    if (!HAS_CORNERS || !policy_has_fast_methods(view->scene->flags)) return 0;
    return view->works[b].contacts.count > 0 && view->works[b].contacts.count <= CORNERS_MAX ? 1u : 0u;
}

/// Mark the contacts of bodies whose only contacts are corners on planes, in the order of the list.
FN void active_mark_fast_corners(const SceneView *view) {
    if (!HAS_CORNERS || view->item != 0) return;
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact->corner.whose == CORNER_NOT && !contact->plan.fast_method)
            view->works[contact->pair.body_a].island.fast_method =
                view->works[contact->pair.body_b].island.fast_method = FAST_NONE;
    }
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        GLOBAL BodyIsland *island =
            &view->works[contact->corner.whose == CORNER_OF_A ? contact->pair.body_a : contact->pair.body_b].island;
        contact->corner.order = FAST_CORNER_NOT;
        if (contact->corner.whose == CORNER_NOT || island->fast_method < FAST_MAYBE) continue;
        contact->corner.order = island->fast_method == FAST_MAYBE ? FAST_CORNER_FIRST : FAST_CORNER_MORE;
        island->fast_method = FAST_CORNERS;
    }
}

/// Mark ball contacts and corner contacts, and their bodies.
FN_ONCE void active_mark_fast(const SceneView *view) {
    MOVING_LOOP(b) view->works[b].island.fast_method = active_may_have_fast_corners(view, b) ? FAST_MAYBE : FAST_NONE;
    SCENE_BARRIER();
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        contact->plan.fast_method = active_fast_method(view, contact);
        contact->corner.whose =
            HAS_CORNERS && !contact_is_joint(contact) ? contact_corner_side(view, contact) : CORNER_NOT;
        u32 shape = contact->corner.whose == CORNER_OF_A ? contact->pair.shape_a : contact->pair.shape_b;
        if (HAS_CORNERS && contact->corner.whose != CORNER_NOT)
            contact->corner.place_m = pair_corner(view, &view->shapes[shape], contact->pair.feature);
        if (!contact->plan.fast_method) continue;
        if (body_moves(view, contact->pair.body_a))
            view->works[contact->pair.body_a].island.fast_method =
                contact->plan.fast_method; // fixed bodies are shared by items
        if (body_moves(view, contact->pair.body_b))
            view->works[contact->pair.body_b].island.fast_method = contact->plan.fast_method;
    }
    SCENE_BARRIER();
    active_mark_fast_corners(view);
    SCENE_BARRIER();
}

/// Build the lists of what takes part. On item 0.
FN void active_list_all(const SceneView *view, SCENE_SPACE const Progress *progress) {
    GLOBAL Slot *slot = view->slot;
    slot->moving_count = slot->active_count = 0;
    for (u32 b = 0; b < view->scene->body_count; b++) view->works[b].contacts.count = 0;
    for (u32 c = 0; c < progress->contact_count; c++)
        slot->active_count = active_add_contact(view, c, slot->active_count);
    for (u32 b = 0; b < view->scene->body_count; b++)
        slot->moving_count = active_add_body(view, progress, b, slot->moving_count);
}

/// The same for the group that is stepped alone, whose bodies and candidates are sorted.
FN_ONCE void active_list_group(const SceneView *view, SCENE_SPACE const Progress *progress) {
    GLOBAL Slot *slot = view->slot;
    slot->moving_count = slot->active_count = 0;
    EACH_GROUP_BODY(b, progress->group) view->works[b].contacts.count = 0;
    for (u32 j = 0; j < joint_count(view); j++) // these have no candidates
        if (contact_is_of_group(view, j, progress->group))
            slot->active_count = active_add_contact(view, j, slot->active_count);
    EACH_GROUP_CANDIDATE(i, progress->group) {
        u32 c = view->candidates[i].contact;
        if (c != NONE) slot->active_count = active_add_contact(view, c, slot->active_count);
    }
    EACH_GROUP_BODY(b, progress->group) slot->moving_count = active_add_body(view, progress, b, slot->moving_count);
}

/// Is a pair known not to touch before the end of the window? Not for observer pairs, which windows do not query.
FN u32 active_is_apart(const SceneView *view, SCENE_SPACE const Progress *progress, GLOBAL const Candidate *candidate) {
    if (!is_grouped(progress) || candidate->ties != TIES_NOT || candidate->observes) return 0;
    u32 a = candidate->body_a, b = candidate->body_b;
    return view->works[a].only_observes | view->works[b].only_observes ? 0u : 1u;
}

/// List the candidates of the bodies that are stepped now; within a window those that may touch before its end.
FN void active_list_candidates(const SceneView *view, SCENE_SPACE const Progress *progress) {
    SCENE_BARRIER();
    if (view->item == 0) {
        u32 count = 0;
        if (active_is_sorted(view, progress)) {
            EACH_GROUP_CANDIDATE(i, progress->group) {
                if (!active_is_apart(view, progress, &view->candidates[i])) view->live[count++] = i;
            }
        } else {
            for (u32 i = 0; i < progress->candidate_count; i++) {
                GLOBAL const Candidate *candidate = &view->candidates[i];
                if (active_is_apart(view, progress, candidate) || candidate_waits(view, progress, candidate)) continue;
                view->live[count++] = i;
            }
        }
        view->slot->live_count = count;
    }
    SCENE_BARRIER();
    MOVING_LOOP(b) view->works[b].bounds.quiet_until_m = 0.0;
}

/// Update the lists after the candidates have changed.
FN void active_take_candidates(const SceneView *view, SCENE_SPACE const Progress *progress) {
    SCENE_BARRIER();
    if (view->item == 0 && active_is_sorted(view, progress)) active_sort(view, progress);
    active_list_candidates(view, progress);
}

/// List the candidates of the present states again (broad_list), and of these the ones that are stepped now.
FN void active_renew_candidates(const SceneView *view, SCENE_SPACE Progress *progress, real h, real spare) {
    broad_list(view, progress, h, spare);
    active_take_candidates(view, progress);
}

/// Bodies, contacts or groups have changed: rebuild all lists.
FN void active_list(const SceneView *view, SCENE_SPACE const Progress *progress) {
    SCENE_BARRIER();
    if (view->item == 0) {
        if (active_is_sorted(view, progress))
            active_list_group(view, progress);
        else
            active_list_all(view, progress);
    }
    SCENE_BARRIER();
    active_mark_fast(view);
    active_list_candidates(view, progress);
}

#endif
