// Islands: bodies tied by contacts. Which of them have a matrix for implicit steps, and where it lies.
#ifndef CLACK_ISLANDS_H
#define CLACK_ISLANDS_H

#include "contact_jacobian.h"

/// Label every body with the smallest number among those tied to it by contacts. Fixed bodies tie nothing.
FN void island_label(const SceneView *view, const Progress *progress) {
    SCENE_BARRIER();
    if (view->lane == 0) {
        for (u32 b = 0; b < view->scene->body_count; b++) view->works[b].label = b;
        u32 changed = 1;
        for (u32 pass = 0; pass < view->scene->body_count && changed; pass++) {
            changed = 0;
            for (u32 c = 0; c < progress->contact_count; c++) {
                u32 a = view->contacts[c].body_a, b = view->contacts[c].body_b;
                if (view->contacts[c].asleep == CONTACT_OBSERVING) continue;
                if ((view->bodies[a].flags | view->bodies[b].flags) & BODY_FIXED) continue;
                u32 least = u32_min(view->works[a].label, view->works[b].label);
                if (view->works[a].label != least || view->works[b].label != least) changed = 1;
                view->works[a].label = view->works[b].label = least;
            }
        }
    }
    SCENE_BARRIER();
}

/// Is there a matrix for the islands of a contact, one of whose bodies moves?
FN u32 island_has_matrix(const SceneView *view, GLOBAL const Contact *contact) {
    return view->works[contact->body_a].rows + view->works[contact->body_b].rows > 0 ? 1 : 0;
}

/// The body whose label stands for the island of a contact: one that moves.
FN u32 island_of(const SceneView *view, GLOBAL const Contact *contact) {
    u32 body = body_moves(view, contact->body_a) ? contact->body_a : contact->body_b;
    return view->works[body].label;
}

/// Give each island of touching bodies its place in the scene's room, if it is small enough and the
/// derivatives of all its contacts are known. Contacts have changed since the last time.
FN void island_lay_out(const SceneView *view, Progress *progress) {
    island_label(view, progress);
    if (view->lane == 0) {
        u32 count = view->scene->body_count;
        for (u32 b = 0; b < count; b++) view->works[b].rows = 0;
        for (u32 b = 0; b < count; b++) {
            GLOBAL BodyWork *work = &view->works[b];
            if (work->mode != MODE_TOUCHING) continue;
            work->row = view->works[work->label].rows;
            view->works[work->label].rows += ISLAND_BODY_ROWS;
        }
        for (u32 c = 0; c < progress->contact_count; c++) {
            GLOBAL const Contact *contact = &view->contacts[c];
            // Of a spring, which has a state of its own, there are no slopes.
            if (!contact->asleep && (!contact_has_slopes(view) || law_has_spring(view->laws[contact->law])))
                view->works[island_of(view, contact)].rows = 0;
        }
        u32 at = 0;
        for (u32 b = 0; b < count; b++) {
            GLOBAL BodyWork *work = &view->works[b];
            if (work->mode != MODE_TOUCHING) continue;
            // The head of an island has the least number, so it has been settled before the others.
            if (work->label != b) {
                work->rows = view->works[work->label].rows;
                work->matrix = view->works[work->label].matrix;
                continue;
            }
            u32 bodies = work->rows / ISLAND_BODY_ROWS;
            if (bodies > ISLAND_BODIES_MAX) {
                progress->flags |= FLAG_LARGE_ISLAND;
                work->rows = bodies = 0;
            }
            work->matrix = at;
            at += island_room(bodies);
        }
    }
    SCENE_BARRIER();
}

#endif
