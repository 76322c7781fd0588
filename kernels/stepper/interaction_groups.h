// Interaction groups of a window (group_windows.h): bodies tied by contacts, or by pairs that may touch
// within it. They follow from the present states alone.
//
// Higher energy bounds reach farther and join more bodies; iterate until groups stop growing. Each iteration queries
// only the pairs of bodies whose groups have grown in the one before.
#ifndef CLACK_STEPPER_INTERACTION_GROUPS_H
#define CLACK_STEPPER_INTERACTION_GROUPS_H

#include "geometry/narrow_phase.h"
#include "pairs/broad_phase.h"
#include "pairs/candidate_gaps.h"
#include "pairs/conservative_advancement.h"
#include "pairs/pair_kinematics.h"
#include "pairs/region_list.h"
#include "joints/coupling.h"
#include "stepper/active.h"

FN u32 group_body_is_free(const SceneView *view, u32 body) { return view->bodies[body].flags & BODY_FIXED ? 0u : 1u; }

// The candidates of each body that is not fixed, in the order of all: of body b up to NEAR_ENDS[b], from where those of
// the body before end.
#define NEAR_ENDS(view) ((view)->group_ends + 2u * ((view)->room.bodies + 1u))
#define NEAR_LIST(view) (NEAR_ENDS(view) + (view)->room.bodies + 1u)
// The pairs that may touch within the longest window tried at this time while bodies are tied by contacts alone: in a
// shorter window no other pair may. In the order of all.
#define CLOSE_LIST(view) (NEAR_LIST(view) + 2u * (view)->room.candidates)

/// List them, if the list of candidates is new. On item 0.
FN_ONCE void group_list_near(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (view->slot->has_near) return;
    view->slot->has_near = 1;
    GLOBAL u32 *ends = NEAR_ENDS(view), *near = NEAR_LIST(view);
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b <= bodies; b++) ends[b] = 0;
    for (u32 i = 0; i < progress->candidate_count; i++) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        ends[candidate->body_a + 1u] += group_body_is_free(view, candidate->body_a);
        ends[candidate->body_b + 1u] += group_body_is_free(view, candidate->body_b);
    }
    for (u32 b = 0; b < bodies; b++) ends[b + 1u] += ends[b];
    for (u32 i = 0; i < progress->candidate_count; i++) {
        u32 a = view->candidates[i].body_a, b = view->candidates[i].body_b;
        if (group_body_is_free(view, a)) near[ends[a]++] = i;
        if (group_body_is_free(view, b)) near[ends[b]++] = i;
    }
}

#define EACH_NEAR(i, b) LIST_LOOP(i, NEAR_LIST(view), NEAR_ENDS(view)[b], (b) > 0 ? NEAR_ENDS(view)[(b)-1u] : 0u, 1)

/// The first body of a body's group, while groups grow.
FN_SHORT u32 group_first_of(const SceneView *view, u32 b) {
    while (view->works[b].group.number != b) b = view->works[b].group.number;
    return b;
}

/// Join the groups of two bodies. Each body points to one of its group with a lesser number, or to itself; the lesser
/// head becomes the head of both and takes the sums of both.
FN void group_unite(const SceneView *view, u32 a, u32 b) {
    a = group_first_of(view, a);
    b = group_first_of(view, b);
    if (a == b) return;
    GLOBAL BodyGroup *head = &view->works[u32_min(a, b)].group, *other = &view->works[u32_max(a, b)].group;
    other->number = u32_min(a, b);
    head->energy_J += other->energy_J;
    head->mass_kg += other->mass_kg;
    head->body_count += other->body_count;
    u32 next = head->next; // joins two rings
    head->next = other->next;
    other->next = next;
}

/// Label each free body with the least number in its group, joined by contacts, inactive ones included. Bodies in
/// flight without ties do not interact. On item 0.
FN_ONCE void group_label(const SceneView *view, SCENE_SPACE const Progress *progress) {
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL BodyWork *work = &view->works[b];
        work->group.number = work->group.next = b;
        work->group.interacts = work->mode == MODE_FLYING ? 0u : 1u;
        work->group.may_touch = 0;
        work->group.body_count = body_moves(view, b);
        work->group.mass_kg = view->bodies[b].mass_kg;
        work->group.energy_J = body_moves(view, b) ? body_kinetic_energy(view, b) : 0.0;
    }
    for (u32 c = 0; c < progress->contact_count; c++) {
        GLOBAL const Contact *contact = &view->contacts[c];
        u32 a = contact->pair.body_a, b = contact->pair.body_b;
        u32 both_free = group_body_is_free(view, a) & group_body_is_free(view, b);
        if (view->works[a].only_observes | view->works[b].only_observes) continue;
        if (!both_free && contact->now.inactive == CONTACT_OBSERVING) continue;
        view->works[a].group.interacts = view->works[b].group.interacts = 1;
        if (both_free) group_unite(view, a, b);
        u32 body = group_body_is_free(view, a) ? a : b;
        // Joints keep what they store while they sleep.
        if (!contact->now.inactive || contact_is_joint(contact))
            view->works[group_first_of(view, body)].group.energy_J += coupling_energy(view, contact);
    }
    for (u32 b = 0; b < bodies; b++)
        view->works[b].group.number = view->works[view->works[b].group.number].group.number;
}

/// Bound of the path of a body within a window of h, m; 0 if nothing can move it. With M the mass of a group, gravity
/// adds at most g sqrt(2 M E) to its energy E per unit of time.
FN_ONCE void group_bound_path(const SceneView *view, u32 b, real gravity_m_per_s2, real h) {
    GLOBAL BodyWork *work = &view->works[b];
    GLOBAL const BodyGroup *head = &view->works[work->group.number].group;
    work->group.reach_m = 0.0;
    real rounding = 1.0e-12 * (1.0 + view->bodies[b].radius_m + vec3_max_abs(view->states[b].position_m));
    if (!work->group.interacts) { // only gravity acts on it
        work->group.reach_m = broad_path_at(work->window.point_speed_m_per_s, gravity_m_per_s2, h) + rounding;
        return;
    }
    if (!group_body_is_free(view, b) || (!(head->energy_J > 0.0) && !body_moves(view, b))) return;
    real speed = head->unit_speed * real_sqrt(view->bodies[b].inverse_mass);
    if (!(view->bodies[b].flags & BODY_ROUND))
        speed += head->unit_speed * real_sqrt(vec3_max_abs(view->bodies[b].inverse_inertia)) * view->bodies[b].radius_m;
    work->group.reach_m = BROAD_SPARE * h * speed + rounding;
}

/// The largest speed that a mass of 1 kg could have with the energy of a group.
FN void group_bound_speed(GLOBAL BodyGroup *head, real gravity_m_per_s2, real h) {
    real gain = gravity_m_per_s2 * h * real_sqrt(0.5 * head->mass_kg);
    head->unit_speed = real_sqrt(2.0) * (real_sqrt(head->energy_J) + gain);
}

#define GROUP_ITERATIONS_PER_BODY 4u // at most so many iterations for each body
#define GROUP_CROWD_SHARE 20u        // of the free bodies, without those that only observe

// Result of an iteration.
#define GROUP_TOO_LARGE 1u      // too many bodies, or one that may go too far
#define GROUP_OUTGROWS_LISTS 2u // a body might leave its margin within the window

// Limits of groups, and the window.
typedef struct GroupLimits {
    real h, gravity_m_per_s2;
    u32 most;    // bodies of one group; NONE: any,
    real path_m; // and any path of one
} GroupLimits;

/// GROUP_* of a body whose group has changed.
FN u32 group_check_limits(const SceneView *view, u32 b, GroupLimits limits) {
    GLOBAL const BodyWork *work = &view->works[b];
    u32 result = 0;
    if (limits.most != NONE && ((work->group.number == b && work->group.body_count > limits.most) ||
                                (work->group.reach_m > limits.path_m && !work->only_observes)))
        result = GROUP_TOO_LARGE;
    if (work->group.reach_m > 0.0 && !(work->bounds.travel_m + work->group.reach_m <= work->bounds.margin_m))
        result |= GROUP_OUTGROWS_LISTS;
    return result;
}

/// Groups joined by contacts alone. Returns GROUP_*. On item 0.
FN_ONCE u32 group_begin(const SceneView *view, SCENE_SPACE const Progress *progress, u32 spare, GroupLimits *limits) {
    u32 result = 0, bodies = view->scene->body_count, largest = 0, free = 0;
    group_label(view, progress);
    for (u32 b = 0; b < bodies; b++) {
        largest = u32_max(largest, view->works[b].group.body_count);
        free += group_body_is_free(view, b) && !view->works[b].only_observes ? 1u : 0u;
    }
    if (spare != NONE) limits->most = largest + u32_max(spare, free / GROUP_CROWD_SHARE);
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL BodyWork *work = &view->works[b]; // the head of a group comes first
        work->group.changed = 0;
        if (work->group.number == b && work->group.interacts)
            group_bound_speed(&work->group, limits->gravity_m_per_s2, limits->h);
        group_bound_path(view, b, limits->gravity_m_per_s2, limits->h);
        result |= group_check_limits(view, b, COPY(*limits));
    }
    return result;
}

/// List the bodies whose groups the `found` new ties have changed in `group_bodies`. Returns how many. On item 0.
FN_ONCE u32 group_unite_found(const SceneView *view, u32 found, GroupLimits limits) {
    u32 changed = 0;
    for (u32 k = 0; k < found; k++) {
        GLOBAL Candidate *candidate = &view->candidates[view->group_candidates[k]];
        u32 a = candidate->body_a, b = candidate->body_b;
        candidate->ties = TIES_MAY;
        view->works[a].group.interacts = view->works[b].group.interacts = 1;
        if (group_body_is_free(view, a) & group_body_is_free(view, b)) group_unite(view, a, b);
    }
    for (u32 k = 0; k < found; k++) {
        GLOBAL const Candidate *candidate = &view->candidates[view->group_candidates[k]];
        u32 head =
            group_first_of(view, group_body_is_free(view, candidate->body_a) ? candidate->body_a : candidate->body_b);
        if (view->works[head].group.changed) continue;
        group_bound_speed(&view->works[head].group, limits.gravity_m_per_s2, limits.h);
        u32 b = head;
        do {
            view->works[b].group.number = head;
            view->works[b].group.changed = 1;
            view->group_bodies[changed++] = b;
            b = view->works[b].group.next;
        } while (b != head);
    }
    return changed;
}

/// Apply the `found` new ties at the beginning of `group_candidates`, and list there the pairs to query next: those of
/// bodies whose groups have changed. Returns GROUP_* and, in `query_count`, how many. On item 0.
FN_ONCE u32 group_grow(const SceneView *view, u32 found, GroupLimits limits, u32 *query_count) {
    u32 result = 0, count = 0, changed = group_unite_found(view, found, limits);
    for (u32 k = 0; k < changed; k++) {
        group_bound_path(view, view->group_bodies[k], limits.gravity_m_per_s2, limits.h);
        result |= group_check_limits(view, view->group_bodies[k], limits);
    }
    for (u32 k = 0; k < changed; k++) {
        u32 body = view->group_bodies[k];
        EACH_NEAR(i, body) {
            GLOBAL const Candidate *candidate = &view->candidates[i];
            u32 other = candidate->body_a == body ? candidate->body_b : candidate->body_a;
            if (candidate->ties != TIES_NOT || view->works[other].group.number == view->works[body].group.number)
                continue;
            if (view->works[other].group.changed && other < body) continue; // listed for that one
            view->group_candidates[count++] = i;
        }
    }
    for (u32 k = 0; k < changed; k++) view->works[view->group_bodies[k]].group.changed = 0;
    *query_count = count;
    return result;
}

/// May the shapes of a candidate touch while their bodies together go up to `reach_m`? By their bounds, and if a body
/// is in contact, whose steps a tie would shorten, by a distance query; earlier queries do not count. Of several
/// contacts of two solids only those near enough are listed, so the query is that of the solids.
FN_WAY u32 group_may_touch(const SceneView *view, GLOBAL const Candidate *candidate, real reach_m, u32 *queries) {
    u32 i = candidate->shape_a, j = candidate->shape_b;
    if (!broad_pair_near(view, i, j, broad_place(view, i, j), reach_m)) return 0;
    if (view->works[candidate->body_a].mode != MODE_TOUCHING && view->works[candidate->body_b].mode != MODE_TOUCHING)
        return 1;
    PairKinematics kinematics =
        kinematics_of_trial(view, i, j, region_has_many(view, i, j) ? FEATURE_NEAREST : candidate->feature);
    *queries += 1;
    return kinematics.status != NARROW_OK || !(kinematics.gap_m - kinematics.error_m > reach_m) ? 1u : 0u;
}

/// The least squared distance from the origin of the points p + s displacement, 0 <= s <= 1.
FN real group_nearest(Vec3 p, Vec3 displacement) {
    real length = vec3_dot(displacement, displacement), along = 0.0 - vec3_dot(p, displacement);
    if (!(along > 0.0)) return vec3_dot(p, p);
    if (along < length) return vec3_dot(p, p) - along * along / length;
    Vec3 end = vec3_add(p, displacement);
    return vec3_dot(end, end);
}

/// Are two bodies sure to stay apart within a window of h, by the balls about their centres of mass? A body that does
/// not interact goes straight but for gravity; of others only `reach_m` is known.
FN_ONCE u32 group_stays_apart(const SceneView *view, GLOBAL const Candidate *candidate, u32 a, u32 b, real h) {
    GLOBAL const BodyGroup *of_a = &view->works[a].group, *of_b = &view->works[b].group;
    u32 plane_is_a = kind_is(view->shapes[candidate->shape_a].kind, SHAPE_HALF_SPACE);
    u32 plane_is_b = kind_is(view->shapes[candidate->shape_b].kind, SHAPE_HALF_SPACE);
    real reach = of_a->reach_m + of_b->reach_m;
    Vec3 centres = vec3_sub(view->states[b].position_m, view->states[a].position_m), up = vec3_zero();
    real apart = 0.0, size = 0.0;
    if (plane_is_a | plane_is_b) {
        u32 shape = plane_is_a ? candidate->shape_a : candidate->shape_b;
        if (group_body_is_free(view, plane_is_a ? a : b)) return 0;
        size = view->bodies[plane_is_a ? b : a].radius_m;
        up = narrow_axis_z(COPY(view->placed[shape].turn));
        Vec3 arm = view->placed[shape].arm_m;
        apart = vec3_dot(up, plane_is_a ? vec3_sub(centres, arm) : vec3_negate(vec3_add(centres, arm)));
        if (apart > BROAD_ROUNDING * (size + reach)) return 1;
    } else {
        size = view->bodies[a].radius_m + view->bodies[b].radius_m;
        real far = BROAD_ROUNDING * (size + reach);
        if (vec3_dot(centres, centres) > far * far) return 1;
    }
    if (of_a->interacts & of_b->interacts) return 0;
    reach = (of_a->interacts ? of_a->reach_m : 0.0) + (of_b->interacts ? of_b->reach_m : 0.0);
    if (of_a->interacts != of_b->interacts) reach += 0.5 * h * h * advancement_acceleration_bound(view);
    Vec3 displacement = of_b->interacts ? vec3_zero() : vec3_scale(view->states[b].velocity_m_per_s, h);
    if (!of_a->interacts) displacement = vec3_add_scaled(displacement, view->states[a].velocity_m_per_s, 0.0 - h);
    real far = BROAD_ROUNDING * (size + reach);
    if (plane_is_a | plane_is_b) {
        real falls = vec3_dot(up, displacement);
        return apart + real_min(0.0, plane_is_a ? falls : 0.0 - falls) > far ? 1u : 0u;
    }
    return group_nearest(centres, displacement) > far * far ? 1u : 0u;
}

/// Does this candidate decide whether its shapes tie their bodies? Of two solids the first region decides for all.
FN u32 group_decides_tie(const SceneView *view, u32 i) {
    GLOBAL const Candidate *candidate = &view->candidates[i];
    u32 a = candidate->shape_a, b = candidate->shape_b;
    if (!region_has_many(view, a, b)) return candidate->contact == NONE ? 1u : 0u;
    return i > 0 && view->candidates[i - 1].shape_a == a && view->candidates[i - 1].shape_b == b ? 0u : 1u;
}

/// May the pair of a candidate touch within the window of h, with the present reaches? Pairs within one group are not
/// queried. Returns 1 if that joins two groups, or if a body no longer goes straight.
FN_ONCE u32 group_pair_ties(const SceneView *view, u32 i, real h, u32 *queries) {
    GLOBAL Candidate *candidate = &view->candidates[i];
    u32 a = candidate->body_a, b = candidate->body_b;
    real reach = view->works[a].group.reach_m + view->works[b].group.reach_m;
    u32 both_free = group_body_is_free(view, a) & group_body_is_free(view, b);
    if (candidate->ties != TIES_NOT || reach == 0.0 || (view->works[a].only_observes | view->works[b].only_observes))
        return 0;
    if (both_free ? view->works[a].group.number == view->works[b].group.number : candidate->observes) return 0;
    if (group_stays_apart(view, candidate, a, b, h)) return 0;
    if (!group_decides_tie(view, i) || !group_may_touch(view, candidate, reach, queries)) return 0;
    u32 is_new_tie = both_free | (view->works[a].group.interacts & view->works[b].group.interacts ? 0u : 1u);
    candidate->ties = is_new_tie ? TIES_NEW : TIES_MAY;
    return is_new_tie;
}

/// Query the first `query_count` candidates of `group_candidates`, NONE: all. Returns the number of new ties, which
/// then stand there in their order.
FN_WAY u32 group_find_ties(const SceneView *view, SCENE_SPACE Progress *progress, u32 query_count, real h) {
    u32 count = query_count == NONE ? progress->candidate_count : query_count, found = 0, queries = 0;
    ITEM_LOOP(k, count) {
        u32 i = query_count == NONE ? k : view->group_candidates[k];
        if (!group_pair_ties(view, i, h, &queries)) continue;
#if SCENE_ITEMS == 1
        view->group_candidates[found++] = i;
#endif
    }
    progress->distance_queries += scene_sum(view, queries);
    progress->work += (real)count;
#if SCENE_ITEMS > 1
    SCENE_BARRIER();
    for (u32 k = 0; k < count && view->item == 0; k++) {
        u32 i = query_count == NONE ? k : view->group_candidates[k];
        if (view->candidates[i].ties == TIES_NEW) view->group_candidates[found++] = i;
    }
#endif
    return scene_sum(view, found);
}

/// Number of pairs at the beginning of `group_candidates` to query first in a window; NONE: all pairs. On item 0.
FN u32 group_list_close(const SceneView *view) {
    u32 count = view->slot->close_count;
    for (u32 k = 0; count != NONE && k < count; k++) view->group_candidates[k] = CLOSE_LIST(view)[k];
    return count;
}

/// Keep the pairs found close by the first iteration for shorter windows. On item 0.
FN void group_keep_close(const SceneView *view, SCENE_SPACE const Progress *progress) {
    GLOBAL u32 *close = CLOSE_LIST(view);
    u32 is_all = view->slot->close_count == NONE ? 1u : 0u, kept = 0;
    u32 count = is_all ? progress->candidate_count : view->slot->close_count;
    for (u32 k = 0; k < count; k++) {
        u32 i = is_all ? k : close[k];
        if (view->candidates[i].ties != TIES_NOT) close[kept++] = i;
    }
    view->slot->close_count = kept;
}

FN void group_untie(const SceneView *view, SCENE_SPACE const Progress *progress) {
    ITEM_LOOP(i, progress->candidate_count) view->candidates[i].ties = TIES_NOT;
}

/// Longest path of any point of a body while a list of candidates is in use, as broad_margin_for_steps, m.
FN real group_wanted(const SceneView *view, u32 b, real gravity_m_per_s2) {
    if (view->works[b].mode < MODE_WAITING) return 0.0;
    real path = broad_path_at(view->works[b].window.point_speed_m_per_s, gravity_m_per_s2,
                              BROAD_STEPS_AHEAD * view->scene->step_s);
    return 1.0e-3 * view->bodies[b].radius_m + path;
}

/// The longest of these paths.
FN real group_longest_path(const SceneView *view) {
    real longest = 0.0, gravity = vec3_length(view->scene->gravity_m_per_s2);
    for (u32 b = 0; b < view->scene->body_count; b++) {
        if (view->works[b].only_observes) continue; // a body that only observes does not count
        longest = real_max(longest, group_wanted(view, b, gravity));
    }
    return longest;
}

/// Was the list made for paths so much longer than those wanted now that rebuilding it pays?
FN u32 group_is_wide(const SceneView *view) {
    real left = 0.0, wanted = 0.0, gravity = vec3_length(view->scene->gravity_m_per_s2);
    for (u32 b = 0; b < view->scene->body_count; b++) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->only_observes) continue; // a body that only observes does not count
        left += real_max(0.0, work->bounds.margin_m - work->bounds.travel_m);
        wanted += real_max(group_wanted(view, b, gravity), broad_margin_for_windows(view, b));
    }
    return left > BROAD_WIDE * wanted ? 1u : 0u;
}

// What group_find returns.
#define GROUPS_NONE 0u
#define GROUPS_FOUND 1u
#define GROUPS_LIST 2u // the list of candidates does not hold for the whole window: it has to be made again first

/// Interaction groups for a window of h. iteration: how many have been made for it, 0 at first; it is then called again
/// after each list. GROUPS_NONE: the iteration does not converge, as beyond some length of the window, which states
/// alone decide: more than `spare` bodies, or than a share of all, are tied beside those in contact, or a body reaches
/// farther than lists are made for. spare NONE: accept the window whatever the groups.
FN_WAY u32 group_find(const SceneView *view, SCENE_SPACE Progress *progress, real h, u32 spare,
                      SCENE_SPACE u32 *iteration) {
    GroupLimits limits;
    limits.h = h;
    limits.gravity_m_per_s2 = vec3_length(view->scene->gravity_m_per_s2);
    limits.most = NONE;
    limits.path_m = spare == NONE ? REAL_HUGE : group_longest_path(view);
    u32 query_count = NONE, found = 0, is_first = 1, most = GROUP_ITERATIONS_PER_BODY * view->scene->body_count;
    for (; is_first | found; is_first = 0) {
        u32 made = (*iteration)++;
        if (made == most || work_is_spent(view, progress)) return GROUPS_NONE; // energies are not finite
        if (is_first) group_untie(view, progress);
        SCENE_BARRIER();
        u32 result = 0, next = 0;
        if (view->item == 0) {
            group_list_near(view, progress);
            result = is_first ? group_begin(view, progress, spare, &limits) : group_grow(view, found, limits, &next);
            if (is_first) next = group_list_close(view);
        }
        SCENE_BARRIER();
        result = scene_sum(view, result);
        query_count = scene_sum(view, next);
        if (result & GROUP_TOO_LARGE) return GROUPS_NONE;
        if (result & GROUP_OUTGROWS_LISTS || (made == 0 && query_count == NONE && group_is_wide(view)))
            return GROUPS_LIST;
        found = group_find_ties(view, progress, query_count, h);
        if (is_first && view->item == 0) group_keep_close(view, progress);
    }
    return GROUPS_FOUND;
}

#endif
