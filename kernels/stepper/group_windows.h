// Windows: times up to the next stop for which groups of bodies are stepped one after the other, each with substeps and
// error control of its own, since no group can touch another before the end.
//
// An interaction group is tied by contacts, or by pairs that may touch within the window. No body is ever
// faster than the mechanical energy of its group allows, and contacts only take from that. Interaction groups that have
// events to come, or need short steps, are stepped by themselves; all others together, last, in as few steps as they
// need. Groups follow from the present states alone, and bodies that only observe tie nothing but fly with every group:
// so nothing that is observed or recorded changes a bit, but for a watched sum of forces of several groups, which needs
// all bodies at one time: no window is opened then (net_force.h).
#ifndef CLACK_STEPPER_GROUP_WINDOWS_H
#define CLACK_STEPPER_GROUP_WINDOWS_H

#include "model/scheme_policy.h"
#include "pairs/broad_phase.h"
#include "pairs/candidate_gaps.h"
#include "integrate/islands.h"
#include "stepper/active.h"
#include "stepper/interaction_groups.h"
#include "stepper/net_force.h"
#include "stepper/rest.h"

// The length of a window is this many steps of the island whose steps are the shortest. The longer it is, the farther
// bodies may go, and the more of them tie each other; where interaction groups grow beyond WINDOW_BODIES, it is made
// shorter, down to this share of the graded steps from touch to the deepest point. Millions of instructions of 100
// packed balls, `fast` and `default`: shares of 0.75, 1.5 and 3: 1,233 and 1,531, 1,127 and 1,398, 1,103 and 1,384 with
// 2 bodies; with 6 bodies and 0.75 1,128 and 1,431.
#define WINDOW_STEPS_SHARE 1.5
#define WINDOW_STEPS_MOST 1024u
#define WINDOW_BODIES 6u
// Where ties make an interaction group larger than contacts do by more bodies than this, or than a twentieth of all,
// the window is halved: beyond that length nearly all bodies tie each other. Of a thousand balls (W6) 99.9 of 100 tries
// that failed did so by 12.
#define WINDOW_CROWD 12u
// A window pays if the step planned for some island is less than this share of it. Times with 0.5, 0.8 and 0.99 against
// 0.9, `fast`: W4 1.06, 1.00 and 1.03, W2 0.98, 1.01 and 1.00, W6 1.13, 1.03 and 1.03; W2 and W4 at `default` 1.01
// and 1.03, 1.00 and 1.02, 0.99 and 1.04.
#define WINDOW_SHORT_SHARE 0.9

/// Steps of the shortest windows.
FN u32 window_steps_least(const SceneView *view) {
    return u32_max(2u, (u32)(WINDOW_STEPS_SHARE * (real)view->scene->graded_steps));
}

/// Does a body only observe, whatever it touches?
FN u32 window_only_observes(const SceneView *view, u32 b) {
    GLOBAL const Body *body = &view->bodies[b];
    if (body->flags & BODY_FIXED) return 0;
    for (u32 i = body->shape_first; i < body->shape_first + body->shape_count; i++) {
        for (u32 m = 0; m < view->scene->material_count; m++) {
            u32 law = view->shapes[i].material * view->scene->material_count + m;
            if (!(view->laws[law].flags & LAW_OBSERVER)) return 0;
        }
    }
    return 1;
}

/// Store the speed of each body at the opening of a window.
FN void window_store_speeds(const SceneView *view) {
    ITEM_LOOP(b, view->scene->body_count) view->works[b].window.point_speed_m_per_s = broad_point_speed(view, b);
    SCENE_BARRIER();
}

/// Interaction groups are settled: mark the pairs that were not queried, all contacts of two shapes alike, and the
/// bodies that may touch others. On item 0.
FN_ONCE void window_mark_unqueried(const SceneView *view, SCENE_SPACE const Progress *progress) {
    u32 first = 0, may_touch = 0, count = progress->candidate_count;
    for (u32 i = 0; i < count; i++) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        u32 a = candidate->body_a, b = candidate->body_b,
            both_free = group_body_is_free(view, a) & group_body_is_free(view, b);
        may_touch |= candidate->contact != NONE || candidate->ties == TIES_MAY ? 1u : 0u;
        may_touch |= both_free && view->works[a].group.number == view->works[b].group.number ? 1u : 0u;
        if (candidate->ties == TIES_MAY && !candidate->observes)
            view->works[group_body_is_free(view, a) ? a : b].group.may_touch = 1;
        if (i + 1u < count && candidate[1].shape_a == candidate->shape_a && candidate[1].shape_b == candidate->shape_b)
            continue;
        for (u32 k = first; k <= i && may_touch; k++) {
            if (view->candidates[k].ties == TIES_NOT) view->candidates[k].ties = TIES_ONE;
        }
        first = i + 1u;
        may_touch = 0;
    }
}

/// Interaction groups with several bodies in contact, and those that have events to come or need short steps, become
/// groups of their own; the others form one group, whose number is that of bodies. On item 0. Returns 1 if bodies of
/// more than one group move.
FN_ONCE u32 window_assign_groups(const SceneView *view, real h) {
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b < bodies; b++) view->works[b].group.interacts = 0;
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL const BodyWork *work = &view->works[b];
        u32 is_short =
            work->mode == MODE_TOUCHING && (work->island.label != b || work->plan.chosen_s < WINDOW_SHORT_SHARE * h)
                ? 1u
                : 0u;
        if (work->group.may_touch | is_short) view->works[work->group.number].group.interacts = 1;
    }
    u32 first = NONE, several = 0;
    // The head of a group, whose `interacts` is read, is the last body of it.
    for (u32 b = bodies; b-- > 0;) {
        GLOBAL BodyWork *work = &view->works[b];
        if (!view->works[work->group.number].group.interacts) work->group.number = bodies;
        if (!group_body_is_free(view, b)) work->group.number = NONE;
        if (!body_moves(view, b) || work->only_observes) continue;
        if (first != NONE && work->group.number != first) several = 1;
        first = work->group.number;
    }
    return several;
}

/// Number of bodies of the largest interaction group that is stepped by itself.
FN u32 window_largest(const SceneView *view) {
    u32 largest = 0;
    for (u32 b = 0; b < view->scene->body_count; b++) {
        GLOBAL const BodyGroup *group = &view->works[b].group;
        if (group->interacts) largest = u32_max(largest, group->body_count);
    }
    return largest;
}

/// From the start of the window all bodies wait but those of one group and those that only observe; NONE: all move.
FN_ONCE void window_enter_first(const SceneView *view, SCENE_SPACE const Progress *progress) {
    u32 group = progress->group;
    ITEM_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode < MODE_WAITING) continue;
        u32 goes = group == NONE || work->group.number == group || work->only_observes ? 1 : 0;
        if (goes && work->mode == MODE_WAITING) work->mode = MODE_FLYING;
        if (!goes) work->mode = MODE_WAITING;
        if (!work->only_observes) continue;
        if (group != NONE) view->states[b] = work->window.kept;
        work->step.trial = view->states[b];
    }
    SCENE_BARRIER();
    for (u32 i = view->item; view->scene->flags & SCENE_OBSERVERS && i < progress->candidate_count; i += SCENE_ITEMS) {
        GLOBAL Candidate *candidate = &view->candidates[i]; // bodies that only observe were measured at another time
        if (view->works[candidate->body_a].only_observes | view->works[candidate->body_b].only_observes)
            candidate->clear_m = -REAL_HUGE;
    }
    rest_set_sleep(view, progress);
}

/// Update which contacts of a group are active: its bodies move now, or wait.
FN void window_set_sleep(const SceneView *view, u32 group) {
    EACH_GROUP_CANDIDATE(i, group) {
        u32 c = view->candidates[i].contact;
        if (c != NONE) rest_set_sleep_of(view, &view->contacts[c]);
    }
    for (u32 j = 0; j < joint_count(view); j++)
        if (contact_is_of_group(view, j, group)) rest_set_sleep_of(view, &view->contacts[j]);
}

/// Switch from one group to the next. On item 0.
FN_ONCE void window_enter_next(const SceneView *view, u32 last, u32 group) {
    EACH_GROUP_BODY(b, last) {
        if (view->works[b].mode >= MODE_WAITING) view->works[b].mode = MODE_WAITING;
    }
    EACH_GROUP_BODY(k, group) {
        if (view->works[k].mode == MODE_WAITING) view->works[k].mode = MODE_FLYING;
    }
    window_set_sleep(view, last);
    window_set_sleep(view, group);
}

/// Gaps of the contacts of the bodies that move now, in the present states. The other pairs have not been queried,
/// except observer pairs.
FN void window_evaluate_gaps(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 gap_index = progress->gap_index;
    if (view->scene->flags & SCENE_OBSERVERS) {
        gaps_evaluate(view, progress, gap_index, 0.0, 1);
        return;
    }
    GapQueries queries;
    queries.view = view;
    queries.count = queries.fallback = queries.coincident = 0;
    queries.gap_index = queries.start = gap_index;
    queries.h = 0.0;
    queries.now = scene_time(view, progress);
    LIVE_LOOP(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        candidate->is_skipped = candidate->contact == NONE ? 1u : 0u;
        candidate->gap_m[gap_index] = GAP_UNKNOWN;
        if (!candidate->is_skipped) gap_evaluate(&queries, candidate);
    }
    if (scene_any(view, queries.fallback)) progress->flags |= FLAG_MPR_FALLBACK;
    SCENE_BARRIER();
}

/// Let the bodies of one group move, from the start of the window, while the others wait; NONE: all move.
FN_LINK void window_enter(const SceneView *view, SCENE_SPACE Progress *progress, u32 group) {
    SCENE_BARRIER();
    u32 last = progress->group;
    u32 is_next = active_is_sorted(view, progress) && group != NONE ? 1u : 0u;
    progress->group = group;
    if (!is_next) window_enter_first(view, progress);
    if (is_next && view->item == 0) window_enter_next(view, last, group);
    SCENE_BARRIER();
    active_list(view, progress);
    island_lay_out(view, progress);
    window_evaluate_gaps(view, progress);
}

/// The group after `last`, or the first one: those with a moving body, then that of all others, which watches of bodies
/// at rest need even where nothing moves. NONE: there is none.
FN u32 window_find(const SceneView *view, u32 last) {
    u32 bodies = view->scene->body_count;
    if (last == bodies) return NONE;
    for (u32 group = last == NONE ? 0u : last + 1u; group < bodies; group++) {
        EACH_GROUP_BODY(b, group) {
            if (view->works[b].mode >= MODE_WAITING) return group;
        }
    }
    return bodies;
}

/// Do bodies outside one island move too?
FN u32 window_has_islands(const SceneView *view) {
    u32 first = NONE, several = 0;
    EACH_MOVING(b) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->only_observes) continue; // a body that only observes does not count
        if (first != NONE && work->island.label != first) several = 1;
        first = work->island.label;
    }
    return several;
}

/// The time to the stop, or the length that windows have had, if that is shorter.
FN real window_longest(SCENE_SPACE const Progress *progress, real chosen_s, real stop) {
    return real_min(stop - progress->offset_s, (real)progress->window_steps * chosen_s);
}

/// May a window be opened: do all bodies go together, and is the step planned for some island much shorter than the
/// time to the stop?
FN u32 window_may_open(const SceneView *view, SCENE_SPACE const Progress *progress, real chosen_s, real stop) {
    if (!HAS(CONTENT_BODIES) || is_grouped(progress) || progress->offset_s < progress->window_end_s) return 0;
    if (!(chosen_s < WINDOW_SHORT_SHARE * window_longest(progress, chosen_s, stop))) return 0;
    return window_has_islands(view) && policy_has_groups(view->scene->flags) && !net_force_forbids_windows(view) ? 1u
                                                                                                                 : 0u;
}

// A window that is about to be opened.
typedef struct WindowSearch {
    u32 is_begun;  // 1: lengths are tried
    u32 tries;     // of lengths,
    u32 iteration; // and of the present one (group_find)
    real h;        // that length
} WindowSearch;

// What window_opens returns.
#define WINDOW_NOT 0u
#define WINDOW_OPEN 1u // or the scene cannot go on
#define WINDOW_LIST 2u // candidates have to be listed for search->h first; it is then called again

/// Try windows up to the stop, and shorter ones as long as it pays. WINDOW_OPEN: one of search->h has its groups.
FN u32 window_try(const SceneView *view, SCENE_SPACE Progress *progress, real chosen_s, real stop,
                  SCENE_SPACE WindowSearch *search) {
    for (;;) {
        u32 is_shortest = chosen_s < WINDOW_SHORT_SHARE * (0.5 * search->h) ? 0u : 1u;
        progress->window_end_s = progress->offset_s + search->h; // first try: up to the stop itself
        if (!(search->h < stop - progress->offset_s)) progress->window_end_s = stop;
        u32 found = group_find(view, progress, search->h, is_shortest ? NONE : WINDOW_CROWD, &search->iteration);
        if (found == GROUPS_LIST) return WINDOW_LIST;
        search->tries++;
        if (found == GROUPS_FOUND || progress->status != STATUS_RUNNING) return WINDOW_OPEN;
        if (is_shortest) return WINDOW_NOT;
        search->h *= 0.5;
        search->iteration = 0;
    }
}

/// Open a window up to the stop, or as long as it pays. Rates are known.
FN_WAY u32 window_opens(const SceneView *view, SCENE_SPACE Progress *progress, real chosen_s, real stop,
                        SCENE_SPACE WindowSearch *search) {
    if (!search->is_begun) {
        search->is_begun = 1;
        search->tries = search->iteration = 0;
        search->h = window_longest(progress, chosen_s, stop);
        progress->window_start_s = progress->offset_s;
        window_store_speeds(view);
        if (view->item == 0) view->slot->close_count = NONE;
    }
    u32 tried = window_try(view, progress, chosen_s, stop, search);
    if (tried == WINDOW_LIST) return WINDOW_LIST;
    search->is_begun = 0;
    if (progress->status != STATUS_RUNNING) return WINDOW_OPEN;
    if (tried == WINDOW_NOT) return WINDOW_NOT;
    real h = search->h;
    u32 several = 0;
    if (view->item == 0) {
        window_mark_unqueried(view, progress);
        several = window_assign_groups(view, h);
    }
    several = scene_any(view, several);
    u32 largest = window_largest(view);
    u32 steps = progress->window_steps;
    if (search->tries > 1)
        steps = 2u * (u32)real_min(h / chosen_s, (real)WINDOW_STEPS_MOST);
    else
        steps = largest > WINDOW_BODIES ? steps / 2u : steps * 2u;
    progress->window_steps = u32_min(u32_max(steps, window_steps_least(view)), WINDOW_STEPS_MOST);
    if (!several) return WINDOW_NOT;
    progress->window_known = progress->known;
    ITEM_LOOP(b, view->scene->body_count) view->works[b].window.kept = view->states[b];
    if (view->item == 0) active_sort(view, progress);
    SCENE_BARRIER();
    window_enter(view, progress, window_find(view, NONE));
    return WINDOW_OPEN;
}

/// A group has reached the end of the window: continue with the next one, or with all bodies together.
FN void window_next(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 next = window_find(view, progress->group);
    u32 known = progress->window_known & progress->known; // known by all groups so far
    progress->offset_s = next == NONE ? progress->window_end_s : progress->window_start_s;
    progress->known = next == NONE ? known : progress->known | KNOWN_RATES; // those of the start are kept
    progress->window_known = known;
    window_enter(view, progress, next);
}

/// A group could not go on: return all bodies to the beginning of the window.
FN void window_undo(const SceneView *view, SCENE_SPACE Progress *progress) {
    SCENE_BARRIER();
    ITEM_LOOP(b, view->scene->body_count) view->states[b] = view->works[b].window.kept;
    progress->offset_s = progress->window_start_s;
    progress->group = NONE;
}

#endif
