// Islands: bodies joined by couplings, contacts and joints. Which of them have a matrix for implicit steps, and where
// it is stored.
#ifndef CLACK_INTEGRATE_ISLANDS_H
#define CLACK_INTEGRATE_ISLANDS_H

#include "model/scheme_policy.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_jacobian.h"
#include "law/mindlin_spring.h"
#include "joints/coupling.h"
#include "integrate/block_matrix.h"

/// Label every moving body with the smallest number among those joined to it by couplings. Fixed bodies join nothing,
/// and no body at rest touches a moving one.
FN void island_label(const SceneView *view) {
    SCENE_BARRIER();
    if (view->item == 0) {
        EACH_MOVING(b) view->works[b].island.label = b;
        EACH_ACTIVE(c) {
            u32 a = view->contacts[c].pair.body_a, b = view->contacts[c].pair.body_b;
            if (!(body_is_stepped(view, a) & body_is_stepped(view, b))) continue;
            // Each body points to one joined to it with a lesser number, or to itself.
            while (view->works[a].island.label != a) a = view->works[a].island.label;
            while (view->works[b].island.label != b) b = view->works[b].island.label;
            view->works[u32_max(a, b)].island.label = u32_min(a, b);
        }
        EACH_MOVING(b) view->works[b].island.label = view->works[view->works[b].island.label].island.label;
    }
    SCENE_BARRIER();
}

/// Has the island of a contact with a moving body a matrix?
FN u32 island_has_matrix(const SceneView *view, GLOBAL const Contact *contact) {
    return view->works[contact->pair.body_a].island.members + view->works[contact->pair.body_b].island.members > 0 ? 1
                                                                                                                   : 0;
}

/// The body whose label stands for the island of a contact: a moving one.
FN u32 island_of(const SceneView *view, GLOBAL const Contact *contact) {
    u32 body = body_is_stepped(view, contact->pair.body_a) ? contact->pair.body_a : contact->pair.body_b;
    return view->works[body].island.label;
}

/// The matrix of the island of a body.
FN BlockMatrix island_matrix(const SceneView *view, u32 b) {
    return block_matrix(view->matrices + view->works[b].island.matrix, view->works[b].island.members);
}

/// Lay out the matrix of the island of the body `head`, whose place is known. Returns its size; more than `room`: it
/// does not fit.
FN_ONCE u32 island_lay_out_matrix(const SceneView *view, u32 head, u32 room) {
    BlockMatrix m =
        block_matrix_head(view->matrices + view->works[head].island.matrix, view->works[head].island.members);
    u32 least = (u32)(m.tied - m.sizes);
    if (least > room) return least;
    block_clear(m);
    if (m.count > 1) EACH_ACTIVE(c) {
            GLOBAL const Contact *contact = &view->contacts[c];
            u32 a = contact->pair.body_a, b = contact->pair.body_b;
            if (island_of(view, contact) != head) continue;
            if (body_is_stepped(view, a) & body_is_stepped(view, b))
                block_mark(m, view->works[a].island.member, view->works[b].island.member);
        }
    block_fill(m);
    m = island_matrix(view, head);
    u32 wanted = block_matrix_room(m);
    if (wanted <= room) block_list(m);
    return wanted;
}

/// Number the bodies of each island of touching bodies; none if contacts of the island have no derivatives. On item 0.
FN void island_number_bodies(const SceneView *view) {
    EACH_MOVING(b) view->works[b].island.members = 0;
    EACH_MOVING(b) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode == MODE_TOUCHING) work->island.member = view->works[work->island.label].island.members++;
    }
    EACH_ACTIVE(c) {
        GLOBAL const Contact *contact = &view->contacts[c];
        // Springs have a state of their own, and no derivatives, nor has friction over an ellipsoid.
        if (!coupling_has_jacobian(view) ||
            (!contact_is_joint(contact) && friction_has_own_law(COPY(view->laws[contact->pair.law]))))
            view->works[island_of(view, contact)].island.members = 0;
    }
}

/// Is a contact between balls, or a ball and a plane, without memory and rolling resistance?
FN_SHORT u32 island_is_of_balls(const SceneView *view, GLOBAL const Contact *contact) {
    if (contact_is_joint(contact)) return 0;
    GLOBAL const MaterialPairLaw *law = &view->laws[contact->pair.law];
    u32 flags_a = view->bodies[contact->pair.body_a].flags, flags_b = view->bodies[contact->pair.body_b].flags;
    if (!(flags_a & (BODY_FIXED | BODY_BALL)) || !(flags_b & (BODY_FIXED | BODY_BALL)) || law->rolling > 0.0) return 0;
    return !friction_has_own_law(COPY(*law)) &&
                   pair_is_of_balls(view, &view->shapes[contact->pair.shape_a], &view->shapes[contact->pair.shape_b])
               ? 1u
               : 0u;
}

/// Mark the contacts and bodies of islands with several contacts that ball_island.h steps. On item 0.
FN_ONCE void island_mark_balls(const SceneView *view) {
    if (!HAS_BALLS || !policy_has_fast_methods(view->scene->flags)) return;
    EACH_MOVING(b) view->works[b].island.touches = 0;
    EACH_ACTIVE(c) {
        GLOBAL BodyWork *head = &view->works[island_of(view, &view->contacts[c])];
        head->island.touches += island_is_of_balls(view, &view->contacts[c]) ? 1u : BALLS_TOUCHES + 1u;
    }
    EACH_MOVING(b) {
        GLOBAL BodyWork *work = &view->works[b];
        GLOBAL const BodyWork *head = &view->works[work->island.label];
        if (work->mode != MODE_TOUCHING || head->island.touches < 2u || head->island.touches > BALLS_TOUCHES ||
            head->island.members > BALLS_MOST)
            continue;
        work->island.fast_method = FAST_ISLAND_MORE;
    }
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        GLOBAL BodyIsland *head = &view->works[island_of(view, contact)].island;
        if (head->fast_method < FAST_ISLAND_FIRST) continue;
        contact->plan.fast_method = head->fast_method == FAST_ISLAND_MORE ? FAST_ISLAND_FIRST : FAST_ISLAND_MORE;
        head->fast_method = FAST_ISLAND_FIRST;
    }
}

/// Give each island of touching bodies that needs one a matrix in the scene's room, if it is small enough. On item 0.
FN void island_lay_out_matrices(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 most = island_bodies_most(view->scene->flags);
    u32 at = 0, room = island_room(progress->free_count, most);
    EACH_MOVING(b) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode != MODE_TOUCHING) continue;
        // The head of an island has the least number, so it has been handled before the others.
        if (work->island.label != b) {
            work->island.members = view->works[work->island.label].island.members;
            work->island.matrix = view->works[work->island.label].island.matrix;
            continue;
        }
        work->island.matrix = at;
        if (!HAS(CONTENT_ISLANDS) || work->island.members == 0 || work->island.fast_method >= FAST_BALL)
            continue; // no matrix needed
        u32 wanted = work->island.members > most ? NONE : island_lay_out_matrix(view, b, room - at);
        if (wanted > room - at) {
            progress->flags |= FLAG_LARGE_ISLAND;
            work->island.members = 0;
            continue;
        }
        at += wanted;
    }
}

/// Find the islands of touching bodies and how each is stepped, after contacts have changed.
FN void island_lay_out(const SceneView *view, SCENE_SPACE Progress *progress) {
    island_label(view);
    if (view->item == 0) {
        island_number_bodies(view);
        if (HAS(CONTENT_ISLANDS)) island_mark_balls(view);
        island_lay_out_matrices(view, progress);
    }
    SCENE_BARRIER();
}

#endif
