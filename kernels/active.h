// Who takes part in steps now: the bodies that move, the contacts that are awake, the candidates that somebody may look
// at. Where groups of bodies are stepped one after the other (windows.h), those of the present group.
#ifndef CLACK_ACTIVE_H
#define CLACK_ACTIVE_H

#include "contacts.h"

// Rounding of a place, as a share of it and of a metre.
#define PLACE_ROUNDING 1.0e-12

/// What rounding may make of the place of a body that goes `way_m` in a step.
FN real body_rounding(const SceneView *view, u32 b, real way_m) {
    return PLACE_ROUNDING * (1.0 + view->bodies[b].radius_m + vec3_max_abs(view->states[b].position_m) + way_m);
}

/// List the bodies that move. What a step keeps of the others is that they do not.
FN void active_list_bodies(const SceneView *view) {
    SCENE_BARRIER();
    LANE_LOOP(b, view->scene->body_count) {
        if (body_moves(view, b)) continue;
        GLOBAL BodyWork *work = &view->works[b];
        work->turn_m = 0.0;
        work->swing_m = body_rounding(view, b, 0.0);
        work->implicit = work->members = 0;
    }
    if (view->lane == 0) {
        u32 count = 0;
        for (u32 b = 0; b < view->scene->body_count; b++) {
            if (body_moves(view, b)) view->moving[count++] = b;
        }
        view->slot->moving_count = count;
    }
    SCENE_BARRIER();
}

/// List the contacts that are awake, and count those of each body.
FN void active_list_contacts(const SceneView *view, const Progress *progress) {
    SCENE_BARRIER();
    if (view->lane == 0) {
        for (u32 b = 0; b < view->scene->body_count; b++) view->works[b].contacts = 0;
        u32 count = 0;
        for (u32 c = 0; c < progress->contact_count; c++) {
            GLOBAL const Contact *contact = &view->contacts[c];
            if (contact->asleep) continue;
            view->awake[count++] = c;
            view->works[contact->body_a].contacts++;
            view->works[contact->body_b].contacts++;
        }
        view->slot->awake_count = count;
    }
    SCENE_BARRIER();
}

/// Is a contact one of balls that touch nothing else, of a law without memory?
FN u32 active_is_solo(const SceneView *view, GLOBAL const Contact *contact) {
    if (view->scene->flags & (SCENE_COMPAT_MODIA3D | SCENE_RK4 | SCENE_POINT_GRAVITY)) return 0;
    u32 bodies[2];
    bodies[0] = contact->body_a;
    bodies[1] = contact->body_b;
    for (u32 k = 0; k < 2; k++) {
        u32 flags = view->bodies[bodies[k]].flags;
        if (flags & BODY_FIXED) continue;
        if (!(flags & BODY_BALL) || view->works[bodies[k]].contacts != 1) return 0;
    }
    if (law_has_spring(view->laws[contact->law])) return 0;
    return contact_is_of_balls(view, &view->shapes[contact->shape_a], &view->shapes[contact->shape_b]);
}

/// Mark those contacts and their bodies.
FN void active_mark_solo(const SceneView *view) {
    MOVING_LOOP(b) view->works[b].solo = 0;
    SCENE_BARRIER();
    AWAKE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        contact->solo = active_is_solo(view, contact);
        if (contact->solo) view->works[contact->body_a].solo = view->works[contact->body_b].solo = 1;
    }
    SCENE_BARRIER();
}

/// List the candidates of the bodies that are stepped now.
FN void active_list_candidates(const SceneView *view, const Progress *progress) {
    SCENE_BARRIER();
    if (view->lane == 0) {
        u32 count = 0;
        for (u32 i = 0; i < progress->candidate_count; i++) {
            if (!candidate_waits(view, progress, &view->candidates[i])) view->live[count++] = i;
        }
        view->slot->live_count = count;
    }
    SCENE_BARRIER();
}

/// A body flies from its present state on. Energy and angular momentum of free rotation are kept, and both bound the
/// spin. Source: spec stepper 4.3.
FN void active_take_off(const SceneView *view, const Progress *progress, u32 b) {
    GLOBAL FlightStart *flight = &view->works[b].flight;
    Vec3 spin = view->states[b].spin_rad_per_s;
    Vec3 momentum = vec3_multiply(view->bodies[b].inertia_kg_m2, spin);
    real inverse = vec3_max_abs(view->bodies[b].inverse_inertia);
    flight->spin_rad_per_s =
        real_min(real_sqrt(vec3_dot(spin, momentum) * inverse), vec3_length(momentum) * inverse);
    flight->position_m = view->states[b].position_m;
    flight->velocity_m_per_s = view->states[b].velocity_m_per_s;
    flight->offset_s = progress->offset_s;
    flight->step_index = progress->step_index;
}

/// Bodies, contacts or groups have changed: list all anew. Whether a body that is not frozen, fixed or waiting flies is
/// up to its awake contacts; one whose last contact has ended flies from its present state on.
FN void active_list(const SceneView *view, const Progress *progress) {
    active_list_contacts(view, progress);
    LANE_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode < MODE_FLYING) continue;
        u32 mode = work->contacts > 0 ? MODE_TOUCHING : MODE_FLYING;
        if (mode == MODE_FLYING && work->mode == MODE_TOUCHING) active_take_off(view, progress, b);
        work->mode = mode;
    }
    active_list_bodies(view);
    active_mark_solo(view);
    active_list_candidates(view, progress);
}

#endif
