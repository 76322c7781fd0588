// Windows: times up to the next stop for which groups of bodies are stepped one after the other, each with
// substeps and error control of its own, since none of them can touch another before the end.
//
// A cluster is what is tied by contacts, or by pairs that may touch within the window. No body is ever faster than
// the mechanical energy of its cluster allows, and contacts only take from that. Clusters that have events
// to come, or want short steps, are groups by themselves; all others go together, last, in as few steps as they need.
// Clusters follow from the present states alone, and bodies that only observe tie nobody but fly with every group:
// so nothing that is observed or recorded changes a bit.
#ifndef CLACK_WINDOWS_H
#define CLACK_WINDOWS_H

#include "rest.h"
#include "step_plan.h"

// A window is so many steps long of the island that wants the shortest ones. The longer it is, the farther bodies may go,
// and the more of them tie each other; where clusters grow larger than this, it is made shorter, down to this share of the
// graded steps from touch to turning. Millions of instructions of 100 packed balls, `fast` and `default`: shares of 0.75,
// 1.5 and 3: 1,233 and 1,531, 1,127 and 1,398, 1,103 and 1,384 with 2 bodies; with 6 bodies and 0.75 1,128 and 1,431.
#define WINDOW_STEPS_SHARE 1.5
#define WINDOW_STEPS_MOST 1024u
#define WINDOW_BODIES 6u
// Where ties make a cluster larger than contacts do by more bodies than this, the window is halved: nearly everybody ties
// everybody beyond that length.
#define WINDOW_CROWD 12u
// A window pays where some island wants less than this share of it. With 0.25, 0.35, 0.7 and 0.99 W4 at `fast` takes 1.20, 1.06,
// 0.96 and 0.93 times as long, W2 1.02, 1.03, 1.00 and 0.98; but W6, where each window takes longer, 1.23 with the last two.
#define WINDOW_SHORT_SHARE 0.5

/// Steps of the shortest windows.
FN u32 window_steps_least(const SceneView *view) {
    return u32_max(2u, (u32)(WINDOW_STEPS_SHARE * (real)view->scene->graded_steps));
}

FN u32 window_is_free(const SceneView *view, u32 body) { return view->bodies[body].flags & BODY_FIXED ? 0u : 1u; }

/// Does a body only observe, whatever it meets?
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

/// How fast bodies are where a window opens.
FN void window_take_pace(const SceneView *view) {
    LANE_LOOP(b, view->scene->body_count) view->works[b].pace_m_per_s = broad_pace(view, b);
    SCENE_BARRIER();
}

/// The clusters of two bodies become one. Each body tells one of its cluster with a lesser number, or itself: the lesser head is
/// both's.
FN void window_unite(const SceneView *view, u32 a, u32 b) {
    while (view->works[a].group != a) a = view->works[a].group;
    while (view->works[b].group != b) b = view->works[b].group;
    view->works[u32_max(a, b)].group = u32_min(a, b);
}

/// Label each free body with the least number among its cluster: contacts tie, also those that sleep. Who flies and is tied to
/// nobody does not stir. On lane 0.
FN_ONCE void window_label(const SceneView *view, const Progress *progress) {
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b < bodies; b++) {
        view->works[b].group = b;
        view->works[b].stirs = view->works[b].mode == MODE_FLYING ? 0u : 1u;
        view->works[b].changed = 1;
    }
    for (u32 c = 0; c < progress->contact_count; c++) {
        GLOBAL const Contact *contact = &view->contacts[c];
        u32 a = contact->body_a, b = contact->body_b;
        u32 both_free = window_is_free(view, a) & window_is_free(view, b);
        if (view->works[a].roams | view->works[b].roams) continue;
        if (!both_free && contact->asleep == CONTACT_OBSERVING) continue;
        view->works[a].stirs = view->works[b].stirs = 1;
        if (both_free) window_unite(view, a, b);
    }
    for (u32 b = 0; b < bodies; b++) view->works[b].group = view->works[view->works[b].group].group;
}

/// Take the pairs that have been found to tie into account. On lane 0.
FN_ONCE void window_join(const SceneView *view, const Progress *progress) {
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b < bodies; b++) view->works[b].changed = 0;
    for (u32 i = 0; i < progress->candidate_count; i++) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        if (candidate->ties != TIES_NEW) continue;
        u32 a = view->shapes[candidate->shape_a].body, b = view->shapes[candidate->shape_b].body;
        candidate->ties = TIES_MAY;
        view->works[a].stirs = view->works[b].stirs = 1;
        view->works[a].changed = window_is_free(view, a);
        view->works[b].changed = window_is_free(view, b);
        if (window_is_free(view, a) & window_is_free(view, b)) window_unite(view, a, b);
    }
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL BodyWork *work = &view->works[b];
        work->group = view->works[work->group].group;
        if (work->changed) view->works[work->group].changed = 1;
    }
    for (u32 b = 0; b < bodies; b++) view->works[b].changed = view->works[view->works[b].group].changed;
}

/// Energy, mass and bodies of clusters that have changed. On lane 0.
FN_ONCE void window_sum(const SceneView *view, const Progress *progress, real gravity_m_per_s2, real h) {
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL BodyWork *work = &view->works[b];
        if (!work->changed) continue;
        work->cluster_J = work->cluster_kg = 0.0;
        work->cluster_bodies = 0;
        if (!work->stirs) continue; // alone
        GLOBAL BodyWork *head = &view->works[work->group]; // of a lesser number
        head->cluster_kg += view->bodies[b].mass_kg;
        head->cluster_bodies += body_moves(view, b);
        if (body_moves(view, b)) head->cluster_J += body_kinetic_energy(view, b);
    }
    for (u32 c = 0; c < progress->contact_count; c++) {
        GLOBAL const Contact *contact = &view->contacts[c];
        if (contact->asleep) continue;
        u32 body = window_is_free(view, contact->body_a) ? contact->body_a : contact->body_b;
        if (view->works[body].changed) view->works[view->works[body].group].cluster_J += contact_energy(view, contact);
    }
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL BodyWork *head = &view->works[b];
        if (!head->changed || !head->stirs || head->group != b) continue;
        real gain = gravity_m_per_s2 * h * real_sqrt(0.5 * head->cluster_kg);
        head->cluster_root = real_sqrt(2.0) * (real_sqrt(head->cluster_J) + gain);
    }
}

/// Bound of the path of each body of such clusters within a window of h; 0 where nobody is there to move it. With M the mass of
/// a cluster gravity adds at most g sqrt(2 M E) to the energy E in a unit of time. On lane 0.
FN_ONCE void window_reach(const SceneView *view, const Progress *progress, real h) {
    real gravity = vec3_length(view->scene->gravity_m_per_s2);
    window_sum(view, progress, gravity, h);
    for (u32 b = 0; b < view->scene->body_count; b++) {
        GLOBAL BodyWork *work = &view->works[b];
        if (!work->changed) continue;
        GLOBAL const BodyWork *head = &view->works[work->group];
        work->reach_m = 0.0;
        real rounding = 1.0e-12 * (1.0 + view->bodies[b].radius_m + vec3_max_abs(view->states[b].position_m));
        if (!work->stirs) { // nothing but gravity acts on it
            work->reach_m = broad_path_at(work->pace_m_per_s, gravity, h) + rounding;
            continue;
        }
        if (!window_is_free(view, b) || (!(head->cluster_J > 0.0) && !body_moves(view, b))) continue;
        real speed = head->cluster_root * real_sqrt(view->bodies[b].inverse_mass);
        if (!(view->bodies[b].flags & BODY_ROUND))
            speed += head->cluster_root * real_sqrt(vec3_max_abs(view->bodies[b].inverse_inertia)) * view->bodies[b].radius_m;
        work->reach_m = BROAD_SPARE * h * speed + rounding;
    }
}

/// May the shapes of a candidate touch while their bodies go up to `reach_m` together? By their bounds, and where a
/// body is in contact, whose steps it would shorten, by a look; what earlier looks said does not count. Of several contacts of two solids only those near enough are
/// listed, so that it is the solids that are looked at.
FN_WAY u32 window_may_touch(const SceneView *view, GLOBAL const Candidate *candidate, real reach_m, u32 *looks) {
    u32 i = candidate->shape_a, j = candidate->shape_b;
    if (!broad_pair_near(view, i, j, broad_place(view, i, j), reach_m)) return 0;
    if (view->works[view->shapes[i].body].mode != MODE_TOUCHING && view->works[view->shapes[j].body].mode != MODE_TOUCHING)
        return 1;
    Meeting meeting = contact_meet(view, i, j, broad_is_pair(view, i, j) ? FEATURE_NEAREST : candidate->feature);
    *looks += 1;
    return meeting.status != NARROW_OK || !(meeting.gap_m - meeting.error_m > reach_m) ? 1u : 0u;
}

/// The least distance from the origin of the points p + s way, 0 <= s <= 1, squared.
FN real window_nearest(Vec3 p, Vec3 way) {
    real length = vec3_dot(way, way), along = 0.0 - vec3_dot(p, way);
    if (!(along > 0.0)) return vec3_dot(p, p);
    if (along < length) return vec3_dot(p, p) - along * along / length;
    Vec3 end = vec3_add(p, way);
    return vec3_dot(end, end);
}

/// Are two bodies sure to stay apart within a window of h, by the balls about their centres of mass? Who does not stir
/// goes straight on, but for gravity; of others only `reach_m` is known.
FN_ONCE u32 window_stays_apart(const SceneView *view, GLOBAL const Candidate *candidate, u32 a, u32 b, real h) {
    GLOBAL const BodyWork *of_a = &view->works[a], *of_b = &view->works[b];
    u32 plane_is_a = kind_is(view->shapes[candidate->shape_a].kind, SHAPE_HALF_SPACE);
    u32 plane_is_b = kind_is(view->shapes[candidate->shape_b].kind, SHAPE_HALF_SPACE);
    real reach = (of_a->stirs ? of_a->reach_m : 0.0) + (of_b->stirs ? of_b->reach_m : 0.0);
    if (of_a->stirs != of_b->stirs) reach += 0.5 * h * h * approach_bend(view);
    Vec3 way = of_b->stirs ? vec3_zero() : vec3_scale(view->states[b].velocity_m_per_s, h);
    if (!of_a->stirs) way = vec3_add_scaled(way, view->states[a].velocity_m_per_s, 0.0 - h);
    Vec3 centres = vec3_sub(view->states[b].position_m, view->states[a].position_m);
    if (plane_is_a | plane_is_b) {
        u32 shape = plane_is_a ? candidate->shape_a : candidate->shape_b, body = plane_is_a ? a : b;
        if (window_is_free(view, body)) return 0;
        reach += view->bodies[plane_is_a ? b : a].radius_m;
        Vec3 up = narrow_axis_z(view->placed[shape].turn), arm = view->placed[shape].arm_m;
        Vec3 from = plane_is_a ? vec3_sub(centres, arm) : vec3_negate(vec3_add(centres, arm));
        real height = vec3_dot(up, from), falls = vec3_dot(up, way);
        return height + real_min(0.0, plane_is_a ? falls : 0.0 - falls) > BROAD_ROUNDING * reach ? 1u : 0u;
    }
    reach += view->bodies[a].radius_m + view->bodies[b].radius_m;
    return window_nearest(centres, way) > BROAD_ROUNDING * BROAD_ROUNDING * reach * reach ? 1u : 0u;
}

/// Is it for this candidate to say whether its shapes tie their bodies? The first one of two solids does for all.
FN u32 window_speaks(const SceneView *view, u32 i) {
    GLOBAL const Candidate *candidate = &view->candidates[i];
    u32 a = candidate->shape_a, b = candidate->shape_b;
    if (!broad_is_pair(view, a, b)) return candidate->contact == NONE ? 1u : 0u;
    return i > 0 && view->candidates[i - 1].shape_a == a && view->candidates[i - 1].shape_b == b ? 0u : 1u;
}

/// Mark the pairs that may touch within the window of h, as far as clusters reach now, but those of one cluster. Returns
/// 1 where two clusters become one by that, or somebody no longer goes straight on.
FN_WAY u32 window_tie(const SceneView *view, Progress *progress, real h) {
    u32 changed = 0, looks = 0;
    LANE_LOOP(i, progress->candidate_count) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        u32 a = view->shapes[candidate->shape_a].body, b = view->shapes[candidate->shape_b].body;
        if (!(view->works[a].changed | view->works[b].changed)) continue; // as asked before
        real reach = view->works[a].reach_m + view->works[b].reach_m;
        u32 both_free = window_is_free(view, a) & window_is_free(view, b);
        if (candidate->ties == TIES_MAY || reach == 0.0 || (view->works[a].roams | view->works[b].roams)) continue;
        if (both_free ? view->works[a].group == view->works[b].group : candidate->observes) continue;
        if (window_stays_apart(view, candidate, a, b, h)) continue;
        if (!window_speaks(view, i) || !window_may_touch(view, candidate, reach, &looks)) continue;
        u32 tells = both_free | (view->works[a].stirs & view->works[b].stirs ? 0u : 1u);
        candidate->ties = tells ? TIES_NEW : TIES_MAY;
        changed |= tells;
    }
    progress->looks += lane_sum(view, looks);
    return lane_any(view, changed);
}

/// Might some body leave its margin within the window?
FN u32 window_outgrown(const SceneView *view) {
    u32 outgrown = 0;
    LANE_LOOP(b, view->scene->body_count) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->reach_m > 0.0 && !(work->travel_m + work->reach_m <= work->margin_m)) outgrown = 1;
    }
    return lane_any(view, outgrown);
}

FN void window_untie(const SceneView *view, const Progress *progress) {
    LANE_LOOP(i, progress->candidate_count) view->candidates[i].ties = TIES_NOT;
}

/// Bodies of the largest cluster.
FN u32 window_crowd(const SceneView *view) {
    u32 largest = 0;
    for (u32 b = 0; b < view->scene->body_count; b++) largest = u32_max(largest, view->works[b].cluster_bodies);
    return largest;
}

/// How far any point of a body goes while a list of candidates serves, as broad_wanted, m.
FN real window_wanted(const SceneView *view, u32 b, real gravity_m_per_s2) {
    if (view->works[b].mode < MODE_WAITING) return 0.0;
    real path = broad_path_at(view->works[b].pace_m_per_s, gravity_m_per_s2, BROAD_STEPS_AHEAD * view->scene->step_s);
    return 1.0e-3 * view->bodies[b].radius_m + path;
}

/// The farthest.
FN real window_path(const SceneView *view) {
    real longest = 0.0, gravity = vec3_length(view->scene->gravity_m_per_s2);
    for (u32 b = 0; b < view->scene->body_count; b++) {
        if (view->works[b].roams) continue; // who only observes changes nothing
        longest = real_max(longest, window_wanted(view, b, gravity));
    }
    return longest;
}

/// Was the list made for ways so much longer than those that are wanted now that it pays to make it anew?
FN u32 window_is_wide(const SceneView *view) {
    real left = 0.0, wanted = 0.0, gravity = vec3_length(view->scene->gravity_m_per_s2);
    for (u32 b = 0; b < view->scene->body_count; b++) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->roams) continue; // who only observes changes nothing
        left += real_max(0.0, work->margin_m - work->travel_m);
        wanted += real_max(window_wanted(view, b, gravity), broad_windows(view, b));
    }
    return left > BROAD_WIDE * wanted ? 1u : 0u;
}

/// Have clusters become too many bodies beside contacts, or may one of them go farther than lists are made for?
FN u32 window_exceeds(const SceneView *view, u32 most, real path_m) {
    u32 beyond = 0;
    for (u32 b = 0; b < view->scene->body_count; b++) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->changed && (work->cluster_bodies > most || (work->reach_m > path_m && !work->roams))) beyond = 1;
    }
    return beyond;
}

/// Clusters for a window of h, found by turns: who reaches farther ties more, and more energy reaches farther.
/// The list of candidates is made anew where it does not hold for the whole window. Returns 0 where they did not
/// settle: beyond some length of the window they tie each other without end. That is told by states alone: by more than
/// `spare` bodies beside contacts, or one that reaches farther than lists are made for. spare NONE: this window has to do.
FN u32 window_cluster(const SceneView *view, Progress *progress, real h, u32 spare) {
    window_untie(view, progress);
    u32 changed = 1, most = 0, is_anew = 1;
    real path = 0.0;
    for (u32 pass = 0; changed && pass < 4 * view->scene->body_count; pass++) {
        SCENE_BARRIER();
        if (view->lane == 0) {
            if (is_anew) window_label(view, progress);
            else window_join(view, progress);
            window_reach(view, progress, h);
        }
        SCENE_BARRIER();
        if (pass == 0 && spare != NONE) { // without ties
            most = window_crowd(view) + spare;
            path = window_path(view);
        }
        if (spare != NONE && window_exceeds(view, most, path)) return 0;
        is_anew = window_outgrown(view) || (pass == 0 && window_is_wide(view)) ? 1u : 0u;
        if (is_anew) {
            broad_list(view, progress, h, 1.0);
            if (progress->status != STATUS_RUNNING) return 0;
            event_gaps(view, progress, progress->gap_slot, 0.0, 1);
            window_untie(view, progress);
        } else {
            changed = window_tie(view, progress, h);
        }
    }
    return changed ? 0 : 1;
}

/// Clusters are settled: mark the pairs that nobody had to ask about, and all contacts of two shapes alike. On lane 0.
FN_ONCE void window_mark_asked(const SceneView *view, const Progress *progress) {
    for (u32 first = 0, end = 0; first < progress->candidate_count; first = end) {
        GLOBAL const Candidate *head = &view->candidates[first];
        u32 a = view->shapes[head->shape_a].body, b = view->shapes[head->shape_b].body;
        u32 is_one = window_is_free(view, a) & window_is_free(view, b) && view->works[a].group == view->works[b].group;
        u32 may_touch = is_one ? 1u : 0u;
        for (end = first; end < progress->candidate_count; end++) {
            GLOBAL const Candidate *candidate = &view->candidates[end];
            if (candidate->shape_a != head->shape_a || candidate->shape_b != head->shape_b) break;
            may_touch |= candidate->contact != NONE || candidate->ties == TIES_MAY ? 1u : 0u;
        }
        for (u32 i = first; i < end && may_touch; i++) {
            if (view->candidates[i].ties == TIES_NOT) view->candidates[i].ties = TIES_ONE;
        }
    }
}

/// Clusters of several bodies in touch, and those that have events to come or want short steps, become groups of
/// their own, the others one group, whose number is that of bodies. On lane 0. Returns 1 where bodies of more than
/// one group move.
FN_ONCE u32 window_group(const SceneView *view, const Progress *progress, real h) {
    u32 bodies = view->scene->body_count;
    for (u32 b = 0; b < bodies; b++) view->works[b].stirs = 0;
    for (u32 i = 0; i < progress->candidate_count; i++) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->ties != TIES_MAY || candidate->observes) continue;
        u32 a = view->shapes[candidate->shape_a].body, b = view->shapes[candidate->shape_b].body;
        view->works[view->works[window_is_free(view, a) ? a : b].group].stirs = 1;
    }
    for (u32 b = 0; b < bodies; b++) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->mode != MODE_TOUCHING) continue;
        if (work->label != b || view->works[work->label].plan.wish_s < WINDOW_SHORT_SHARE * h)
            view->works[work->group].stirs = 1;
    }
    u32 first = NONE, several = 0;
    // The head of a cluster, whose `stirs` is asked, is the last one of it.
    for (u32 b = bodies; b-- > 0;) {
        GLOBAL BodyWork *work = &view->works[b];
        if (!view->works[work->group].stirs) work->group = bodies;
        if (!window_is_free(view, b)) work->group = NONE;
        if (!body_moves(view, b) || work->roams) continue;
        if (first != NONE && work->group != first) several = 1;
        first = work->group;
    }
    return several;
}

/// Bodies of the largest cluster that is a group of its own.
FN u32 window_largest(const SceneView *view) {
    u32 largest = 0;
    for (u32 b = 0; b < view->scene->body_count; b++) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->stirs) largest = u32_max(largest, work->cluster_bodies);
    }
    return largest;
}

/// All bodies wait but those of one group and those that roam, from the start of the window; NONE: all move.
FN_ONCE void window_enter_first(const SceneView *view, const Progress *progress) {
    u32 group = progress->group;
    LANE_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        if (work->mode < MODE_WAITING) continue;
        u32 goes = group == NONE || work->group == group || work->roams ? 1 : 0;
        if (goes && work->mode == MODE_WAITING) work->mode = MODE_FLYING;
        if (!goes) work->mode = MODE_WAITING;
        if (work->roams && group != NONE) view->states[b] = work->kept;
    }
    SCENE_BARRIER();
    LANE_LOOP(i, progress->candidate_count) { // what was seen of who roams is of another time
        GLOBAL Candidate *candidate = &view->candidates[i];
        u32 a = view->shapes[candidate->shape_a].body, b = view->shapes[candidate->shape_b].body;
        if (view->works[a].roams | view->works[b].roams) candidate->clear_m = -REAL_HUGE;
    }
    rest_set_sleep(view, progress);
    LANE_LOOP(b, view->scene->body_count) view->works[b].trial = view->states[b];
    SCENE_BARRIER();
}

/// The contacts of a group fall asleep or wake, as its bodies move now.
FN void window_set_sleep(const SceneView *view, u32 group) {
    EACH_GROUP_CANDIDATE(i, group) {
        u32 c = view->candidates[i].contact;
        if (c != NONE) rest_set_sleep_of(view, &view->contacts[c]);
    }
}

/// One group after another. On lane 0.
FN_ONCE void window_enter_next(const SceneView *view, u32 last, u32 group) {
    EACH_GROUP_BODY(b, last) {
        if (view->works[b].mode >= MODE_WAITING) view->works[b].mode = MODE_WAITING;
    }
    EACH_GROUP_BODY(k, group) {
        if (view->works[k].mode == MODE_WAITING) view->works[k].mode = MODE_FLYING;
        view->works[k].trial = view->states[k];
    }
    window_set_sleep(view, last);
    window_set_sleep(view, group);
}

/// Let the bodies of one group move, from the start of the window, while the others wait; NONE: all move.
FN_LINK void window_enter(const SceneView *view, Progress *progress, u32 group) {
    SCENE_BARRIER();
    u32 last = progress->group;
    u32 is_next = active_is_sorted(view, progress) && group != NONE ? 1u : 0u;
    progress->group = group;
    if (!is_next) window_enter_first(view, progress);
    if (is_next && view->lane == 0) window_enter_next(view, last, group);
    SCENE_BARRIER();
    active_list(view, progress);
    island_lay_out(view, progress);
    event_gaps(view, progress, progress->gap_slot, 0.0, 1);
}

/// The group after `last`, or the first one: those in which something moves, then that of all others, which what is
/// watched of bodies at rest needs even where nothing moves. NONE: there is none.
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

/// Does somebody else move than the bodies of one island?
FN u32 window_has_islands(const SceneView *view) {
    u32 first = NONE, several = 0;
    EACH_MOVING(b) {
        GLOBAL const BodyWork *work = &view->works[b];
        if (work->roams) continue; // who only observes changes nothing
        if (first != NONE && work->label != first) several = 1;
        first = work->label;
    }
    return several;
}

/// Where all bodies go together and some island wants a step much shorter than the way to the stop: open a
/// window until there. Rates are known. Returns 1 where it was opened, or the scene cannot go on.
FN_WAY u32 window_opens(const SceneView *view, Progress *progress, real wish_s, real stop) {
    real h = real_min(stop - progress->offset_s, (real)progress->window_steps * wish_s);
    if (!HAS(CONTENT_BODIES) || is_grouped(progress) || progress->offset_s < progress->window_end_s) return 0;
    if (!(wish_s < WINDOW_SHORT_SHARE * h) || !window_has_islands(view)) return 0;
    // Elsewhere energies are no bounds, or gaps no distances.
    if (view->scene->flags & (SCENE_POINT_GRAVITY | SCENE_COMPAT_MODIA3D)) return 0;
    progress->window_start_s = progress->offset_s;
    window_take_pace(view);
    u32 settled = 0, tries = 0;
    for (; !settled; tries++, h *= settled ? 1.0 : 0.5) {
        u32 is_shortest = wish_s < WINDOW_SHORT_SHARE * (0.5 * h) ? 0u : 1u;
        progress->window_end_s = progress->offset_s + h; // this is asked once
        if (!(h < stop - progress->offset_s)) progress->window_end_s = stop;
        settled = window_cluster(view, progress, h, is_shortest ? NONE : WINDOW_CROWD);
        if (progress->status != STATUS_RUNNING) return 1;
        if (!settled && is_shortest) return 0;
    }
    u32 several = 0;
    if (view->lane == 0) {
        window_mark_asked(view, progress);
        several = window_group(view, progress, h);
    }
    several = lane_any(view, several);
    u32 largest = window_largest(view);
    u32 steps = progress->window_steps;
    if (tries > 1) steps = 2u * (u32)real_min(h / wish_s, (real)WINDOW_STEPS_MOST);
    else steps = largest > WINDOW_BODIES ? steps / 2u : steps * 2u;
    progress->window_steps = u32_min(u32_max(steps, window_steps_least(view)), WINDOW_STEPS_MOST);
    if (!several) return 0;
    progress->window_phase = progress->phase;
    LANE_LOOP(b, view->scene->body_count) view->works[b].kept = view->states[b];
    if (view->lane == 0) active_sort(view, progress);
    SCENE_BARRIER();
    window_enter(view, progress, window_find(view, NONE));
    return 1;
}

/// A group has come to the end of the window: on to the next one, or all together from there.
FN void window_next(const SceneView *view, Progress *progress) {
    u32 next = window_find(view, progress->group);
    u32 known = progress->window_phase & progress->phase; // by all groups so far
    progress->offset_s = next == NONE ? progress->window_end_s : progress->window_start_s;
    progress->phase = next == NONE ? known : progress->phase | PHASE_RATES; // those of the start are kept
    progress->window_phase = known;
    window_enter(view, progress, next);
}

/// A group could not go on: all bodies are where the window began.
FN void window_undo(const SceneView *view, Progress *progress) {
    SCENE_BARRIER();
    LANE_LOOP(b, view->scene->body_count) view->states[b] = view->works[b].kept;
    progress->offset_s = progress->window_start_s;
    progress->group = NONE;
}

#endif
