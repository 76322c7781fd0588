// Bounds and candidate pairs: which contacts could form before bodies have moved past a margin.
#ifndef CLACK_PAIRS_BROAD_PHASE_H
#define CLACK_PAIRS_BROAD_PHASE_H

#include "model/driven_body.h"
#include "model/scheme_policy.h"
#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "pairs/broad_sweep.h"
#include "pairs/pair_kinematics.h"
#include "pairs/region_list.h"
#include "pairs/surface_pair.h"

// A list is used for about this many outer steps before it is rebuilt.
#define BROAD_STEPS_AHEAD 2.0
#define BROAD_WINDOWS 3.0      // and for this many windows, also of bodies at rest that may be woken;
#define BROAD_WINDOWS_NEAR 8.0 // or for this many, up to this share of a body's radius
#define BROAD_NEAR_SHARE 0.1
#define BROAD_WIDE 8.0 // times longer paths than wanted
// Bodies in contact may speed up within a step: their path is bounded with this much to spare.
#define BROAD_SPARE 1.25
#define BROAD_ROUNDING (1.0 + 1.0e-6) // of free rotation, whose steps conserve energy better

/// Bound of the speed at which rotation moves any point of a body in flight, m/s.
FN real broad_turn_speed(const SceneView *view, u32 b) {
    real spin = view->works[b].flight.spin_rad_per_s;
    return view->bodies[b].flags & BODY_ROUND ? 0.0 : BROAD_ROUNDING * view->bodies[b].radius_m * spin;
}

/// Bound of the present speed of any point of a body.
FN real broad_point_speed(const SceneView *view, u32 b) {
    GLOBAL const BodyState *state = &view->states[b];
    real speed = vec3_length(state->velocity_m_per_s);
    if (view->bodies[b].flags & BODY_ROUND) return speed;
    return speed + (view->works[b].mode == MODE_FLYING ? broad_turn_speed(view, b)
                                                       : view->bodies[b].radius_m * vec3_length(state->spin_rad_per_s));
}

/// Bound of the path of any point of a body within a time h from that speed on.
FN_SHORT real broad_path_at(real point_speed_m_per_s, real gravity_m_per_s2, real h) {
    return BROAD_SPARE * h * (point_speed_m_per_s + gravity_m_per_s2 * h);
}

/// The same at its present speed.
FN real broad_path(const SceneView *view, u32 b, real h) {
    return broad_path_at(broad_point_speed(view, b), vec3_length(scene_gravity(view, COPY(view->states[b].position_m))),
                         h);
}

/// Bound of the path of any point of a body by rotation within a step just tried.
FN real broad_turn_tried(const SceneView *view, u32 b, real h) {
    if (view->bodies[b].flags & BODY_ROUND) return 0.0;
    if (view->works[b].mode == MODE_FLYING) return h * broad_turn_speed(view, b);
    real spin =
        real_max(vec3_length(view->states[b].spin_rad_per_s), vec3_length(view->works[b].step.trial.spin_rad_per_s));
    return BROAD_SPARE * h * view->bodies[b].radius_m * spin;
}

/// Bound of the path of any point of a body within a step just tried, from the speeds at both of its ends.
/// rotation_path_m: that by rotation alone.
FN real broad_path_tried(const SceneView *view, u32 b, real h, real rotation_path_m) {
    real speed = real_max(vec3_length(view->states[b].velocity_m_per_s),
                          vec3_length(view->works[b].step.trial.velocity_m_per_s));
    return BROAD_SPARE * h * speed + rotation_path_m;
}

/// Store both with a moving body, for all its pairs.
FN void broad_keep_path(const SceneView *view, u32 b, real h) {
    GLOBAL BodyBounds *bounds = &view->works[b].bounds;
    if (body_is_driven(view, b)) {
        DrivenBounds given = driven_bounds(view, b, h);
        bounds->rotation_path_m = given.rotation_path_m;
        bounds->path_m = given.path_m;
        bounds->path_s = h;
        return;
    }
    bounds->rotation_path_m = broad_turn_tried(view, b, h);
    bounds->path_m = broad_path_tried(view, b, h, bounds->rotation_path_m);
    bounds->path_s = h;
}

/// Would some body leave its margin within a step of h? `tried`: judge the trial states.
FN u32 broad_outgrown(const SceneView *view, real h, u32 tried) {
    u32 outgrown = 0;
    MOVING_LOOP(b) {
        GLOBAL const BodyBounds *bounds = &view->works[b].bounds;
        if (tried) broad_keep_path(view, b, h); // again: what is implicit may have changed
        real path = tried ? bounds->path_m : broad_path(view, b, h);
        if (!(bounds->travel_m + path <= bounds->margin_m)) outgrown = 1;
    }
    return scene_any(view, outgrown);
}

/// Count an accepted step of h towards the margins. Call before the trial states become the present.
FN void broad_add_travel(const SceneView *view, real h) {
    MOVING_LOOP(b) {
        GLOBAL BodyBounds *bounds = &view->works[b].bounds;
        if (bounds->path_s != h) broad_keep_path(view, b, h);
        bounds->travel_m += bounds->path_m;
        bounds->rotation_path_since_m += bounds->rotation_path_m;
        bounds->path_s = 0.0;
    }
}

/// May the two shapes ever touch? Bodies differ, both are present, not both are fixed, and neither ignores the other.
FN u32 broad_pair_may_touch(const SceneView *view, u32 i, u32 j) {
    u32 body_i = view->shapes[i].body;
    u32 body_j = view->shapes[j].body;
    if (body_i == body_j) return 0;
    GLOBAL const Body *a = &view->bodies[body_i];
    GLOBAL const Body *b = &view->bodies[body_j];
    if ((a->flags | b->flags) & BODY_ABSENT) return 0;
    return (a->flags & b->flags & BODY_FIXED) || (a->groups & b->ignores) ? 0 : 1;
}

/// Are two bodies tied by a constraint? They do not touch each other. Where scenes are evaluated without being stepped
/// there are no joints.
FN u32 broad_are_tied(const SceneView *view, u32 body_i, u32 body_j) {
    for (u32 j = 0; view->joints != 0 && j < joint_count(view); j++) {
        GLOBAL const Joint *joint = &view->joints[j];
        if (joint->kind == JOINT_SPRING_DAMPER || joint->flags & JOINT_TOUCHES) continue;
        if ((joint->body_a == body_i && joint->body_b == body_j) ||
            (joint->body_a == body_j && joint->body_b == body_i))
            return 1;
    }
    return 0;
}

/// Does this scene have contacts of the two shapes?
FN u32 broad_pair_counts(const SceneView *view, u32 i, u32 j) {
    GLOBAL const Shape *a = &view->shapes[i], *b = &view->shapes[j];
    if (!policy_has_regions(view->scene->flags)) return broad_pair_may_touch(view, i, j);
    return surface_is_pair(a, b) && broad_pair_may_touch(view, i, j) && !broad_are_tied(view, a->body, b->body) ? 1u
                                                                                                                : 0u;
}

/// Both shapes in the trial states.
FN_SHORT PlacedPair broad_place(const SceneView *view, u32 i, u32 j) {
    return pair_place_both(view, i, j, &view->works[view->shapes[i].body].step.trial,
                           &view->works[view->shapes[j].body].step.trial);
}

/// By how much the two shapes may approach each other before the list is rebuilt, m.
FN real broad_margin(const SceneView *view, u32 i, u32 j) {
    return view->works[view->shapes[i].body].bounds.margin_m + view->works[view->shapes[j].body].bounds.margin_m;
}

// Ball about the centre of mass of a body, margin included, that holds one of its shapes.
typedef struct BroadBall {
    Vec3 centre_m;
    real radius_m; // REAL_HUGE: unbounded
} BroadBall;

FN BroadBall broad_ball(const SceneView *view, u32 i) {
    u32 body = view->shapes[i].body;
    BroadBall ball;
    ball.centre_m = view->works[body].step.trial.position_m;
    ball.radius_m = view->bodies[body].radius_m + view->works[body].bounds.margin_m;
    if (kind_is(view->shapes[i].kind, SHAPE_HALF_SPACE)) ball.radius_m = REAL_HUGE;
    return ball;
}

/// Is the ball of another shape apart from it, as for most pairs of a scene of many bodies?
FN_SHORT u32 broad_ball_apart(const SceneView *view, BroadBall ball, u32 j) {
    u32 body = view->shapes[j].body;
    GLOBAL const BodyWork *work = &view->works[body];
    real reach = BROAD_ROUNDING * (ball.radius_m + view->bodies[body].radius_m + work->bounds.margin_m);
    real x = work->step.trial.position_m.x - ball.centre_m.x;
    if (!(real_abs(x) > reach)) {
        real y = work->step.trial.position_m.y - ball.centre_m.y, z = work->step.trial.position_m.z - ball.centre_m.z;
        if (!(x * x + y * y + z * z > reach * reach)) return 0;
    }
    return kind_is(view->shapes[j].kind, SHAPE_HALF_SPACE) ? 0u : 1u;
}

/// First lower bound of a candidate's gap, from the balls about its shapes.
FN_ONCE void broad_first_bound(const SceneView *view, GLOBAL Candidate *candidate, PlacedPair placed) {
    GLOBAL const Shape *a = &view->shapes[candidate->shape_a];
    GLOBAL const Shape *b = &view->shapes[candidate->shape_b];
    Vec3 offset = placed.offset_m;
    real apart;
    if (kind_is(a->kind, SHAPE_HALF_SPACE) || kind_is(b->kind, SHAPE_HALF_SPACE)) {
        u32 is_a = kind_is(a->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
        Vec3 up = narrow_axis_z(is_a != 0 ? placed.a.turn : placed.b.turn);
        candidate->away = is_a != 0 ? up : vec3_negate(up);
        apart = vec3_dot(candidate->away, offset) - (is_a != 0 ? b : a)->bound_radius_m;
    } else {
        real length = vec3_length(offset);
        apart = length - a->bound_radius_m - b->bound_radius_m;
        candidate->away = length > 0.0 ? vec3_scale(offset, 1.0 / length) : vec3_zero();
    }
    candidate->clear_m = apart - vec3_dot(candidate->away, placed.centres_m);
    if (!policy_gaps_are_distances(view->scene->flags)) candidate->clear_m = -REAL_HUGE;
}

/// Do the bounds of the two shapes, enlarged by `margin` together, overlap?
FN_SHORT u32 broad_pair_near(const SceneView *view, u32 i, u32 j, PlacedPair placed, real margin) {
    GLOBAL const Shape *a = &view->shapes[i];
    GLOBAL const Shape *b = &view->shapes[j];
    Vec3 offset = placed.offset_m;
    if (kind_is(a->kind, SHAPE_HALF_SPACE) || kind_is(b->kind, SHAPE_HALF_SPACE)) {
        if (a->kind == b->kind) return 0;
        Vec3 up = narrow_axis_z(kind_is(a->kind, SHAPE_HALF_SPACE) ? placed.a.turn : placed.b.turn);
        real height = kind_is(a->kind, SHAPE_HALF_SPACE) ? vec3_dot(up, offset) : -vec3_dot(up, offset);
        real reach = kind_is(a->kind, SHAPE_HALF_SPACE) ? b->bound_radius_m : a->bound_radius_m;
        return height <= reach + margin ? 1 : 0;
    }
    real reach = a->bound_radius_m + b->bound_radius_m + margin;
    if (vec3_dot(offset, offset) > reach * reach) return 0;
    if (kind_is(a->kind, SHAPE_SPHERE) && kind_is(b->kind, SHAPE_SPHERE)) return 1;
    Vec3 halves =
        vec3_add(shape_half_extents(a, view->hulls, placed.a.turn), shape_half_extents(b, view->hulls, placed.b.turn));
    return real_abs(offset.x) <= halves.x + margin && real_abs(offset.y) <= halves.y + margin &&
                   real_abs(offset.z) <= halves.z + margin
               ? 1
               : 0;
}

/// Are two shapes of balls and planes, the most frequent ones in scenes of many balls, apart by more than their
/// margins? As broad_pair_near, without placing them.
FN_SHORT u32 broad_balls_apart(const SceneView *view, GLOBAL const Shape *a, GLOBAL const Shape *b) {
    if (!pair_is_of_balls(view, a, b) || view->placed == 0) return 0;
    GLOBAL const BodyWork *work_a = &view->works[a->body], *work_b = &view->works[b->body];
    Vec3 centres = vec3_sub(work_b->step.trial.position_m, work_a->step.trial.position_m);
    real margin = work_a->bounds.margin_m + work_b->bounds.margin_m;
    u32 plane_is_a = kind_is(a->kind, SHAPE_HALF_SPACE), plane_is_b = kind_is(b->kind, SHAPE_HALF_SPACE);
    if (!(plane_is_a | plane_is_b)) {
        real reach = a->bound_radius_m + b->bound_radius_m + margin;
        return vec3_dot(centres, centres) > reach * reach ? 1u : 0u;
    }
    GLOBAL const Shape *plane = plane_is_a ? a : b;
    GLOBAL const PlacedShape *placed = view->placed + (plane - view->shapes);
    if (plane_is_a & plane_is_b || !body_stays(view->bodies[plane->body].flags)) return 0;
    Vec3 up = vec3_make(placed->turn.x.z, placed->turn.y.z, placed->turn.z.z), arm = placed->arm_m;
    Vec3 offset = plane_is_a ? vec3_sub(centres, arm) : vec3_add(centres, arm);
    real height = plane_is_a ? vec3_dot(up, offset) : 0.0 - vec3_dot(up, offset);
    return height > (plane_is_a ? b : a)->bound_radius_m + margin ? 1u : 0u;
}

/// List the candidates of two shapes, the `count`-th ones after `base`: returns the new count. Writes those that have
/// room if `write` is set.
FN_WAY u32 broad_list_pair(const SceneView *view, u32 i, u32 j, u32 base, u32 count, u32 write) {
    if (broad_balls_apart(view, &view->shapes[i], &view->shapes[j])) return count;
    PlacedPair placed = broad_place(view, i, j);
    real margin = broad_margin(view, i, j);
    if (!broad_pair_near(view, i, j, placed, margin)) return count;
    // Regions in contact are among those that the margin reaches.
    RegionList regions = region_list(view, i, j, &placed, margin, REGIONS_REACHABLE);
    while (region_next(&regions)) {
        count++;
        if (!write || base + count > view->room.candidates) continue;
        GLOBAL Candidate *candidate = &view->candidates[base + count - 1];
        candidate->shape_a = i;
        candidate->shape_b = j;
        candidate->body_a = view->shapes[i].body;
        candidate->body_b = view->shapes[j].body;
        candidate->feature = regions.number;
        candidate->contact = NONE;
        candidate->changes = 0;
        candidate->observes = scene_law(view, i, j).flags & LAW_OBSERVER;
        candidate->is_skipped = 0;
        candidate->ties = TIES_ONE;
        candidate->tolerance_m = 0.0; // read even if the candidate is never queried
        for (u32 k = 0; k < GAP_TIMES; k++) candidate->gap_m[k] = GAP_UNKNOWN;
        broad_first_bound(view, candidate, placed);
    }
    return count;
}

/// List the candidates of the rows [first, last) of the triangle of shape pairs, from index `base` on. Returns their
/// number; writes those that have room if `write` is set.
FN_WAY u32 broad_list_rows(const SceneView *view, u32 first, u32 last, u32 base, u32 write) {
    u32 count = 0;
    for (u32 i = first; i < last; i++) {
        BroadBall ball = broad_ball(view, i);
        for (u32 j = i + 1; j < view->scene->shape_count; j++) {
            if (broad_ball_apart(view, ball, j) || !broad_pair_counts(view, i, j)) continue;
            count = broad_list_pair(view, i, j, base, count, write);
        }
    }
    return count;
}

/// List all candidates of bodies that have been swept. Returns their number.
FN_ONCE u32 broad_list_swept(const SceneView *view) {
    u32 count = 0, bodies = view->scene->body_count;
    for (u32 i = 0; i < view->scene->shape_count; i++) {
        u32 a = view->shapes[i].body;
        for (u32 at = a > 0 ? view->group_ends[a - 1u] : 0u; at < view->group_ends[a]; at++) {
            GLOBAL const Body *other = &view->bodies[view->live[at] % bodies];
            for (u32 j = other->shape_first; j < other->shape_first + other->shape_count; j++) {
                if (broad_pair_counts(view, i, j)) count = broad_list_pair(view, i, j, 0, count, 1);
            }
        }
    }
    return count;
}

/// Path of any point of a body for which lists of candidates are made, m.
FN real broad_margin_for_steps(const SceneView *view, u32 b, real ahead, real spare) {
    if (view->works[b].mode < MODE_WAITING) return 0.0;
    if (body_is_driven(view, b))
        return 1.0e-3 * view->bodies[b].radius_m + spare * driven_bounds(view, b, ahead).path_m;
    return 1.0e-3 * view->bodies[b].radius_m + spare * broad_path(view, b, ahead);
}

/// The same for some windows, m.
FN real broad_margin_for_windows(const SceneView *view, u32 b) {
    real reach = view->works[b].group.reach_m, near = BROAD_NEAR_SHARE * view->bodies[b].radius_m;
    return real_max(BROAD_WINDOWS * reach, real_min(BROAD_WINDOWS_NEAR * reach, near));
}

/// Link each candidate with its contact. Both lists are in the order of their keys.
FN void broad_link_contacts(const SceneView *view, SCENE_SPACE const Progress *progress) {
    SCENE_BARRIER();
    if (view->item == 0) {
        u32 c = joint_count(view);
        for (u32 i = 0; i < progress->candidate_count; i++) {
            GLOBAL Candidate *candidate = &view->candidates[i];
            candidate->contact = NONE;
            if (c < progress->contact_count && view->contacts[c].pair.shape_a == candidate->shape_a &&
                view->contacts[c].pair.shape_b == candidate->shape_b &&
                view->contacts[c].pair.feature == candidate->feature) {
                candidate->contact = c;
                view->contacts[c].pair.candidate = i;
                c++;
            }
        }
    }
    SCENE_BARRIER();
}

/// Path for which the list is rebuilt where a step of h just tried has left its margins: a body at rest that was
/// struck would leave any that its present speed gives. 0 before a step is tried.
FN_SHORT real broad_margin_tried(const SceneView *view, u32 b, real h, real spare) {
    GLOBAL const BodyBounds *bounds = &view->works[b].bounds;
    return spare > 1.0 && bounds->path_s == h ? spare * bounds->path_m : 0.0;
}

/// List the candidates of the present states again, for a step of h and some outer steps. `spare` >= 1 enlarges the
/// margins, > 1: of a step just tried. Sets STATUS_CAPACITY if they do not fit.
FN void broad_list(const SceneView *view, SCENE_SPACE Progress *progress, real h, real spare) {
    real ahead = real_max(h, BROAD_STEPS_AHEAD * view->scene->step_s);
    SCENE_BARRIER(); // items have tested whether it pays
    ITEM_LOOP(b, view->scene->body_count) {
        GLOBAL BodyWork *work = &view->works[b];
        work->step.trial = view->states[b];
        work->bounds.travel_m = work->bounds.rotation_path_since_m = 0.0;
        // At least the rounding of positions, so that a pair in contact is listed.
        real size = view->bodies[b].radius_m + vec3_max_abs(view->states[b].position_m);
        work->bounds.margin_m = 1.0e-12 * size + 1.0e-12;
        work->bounds.margin_m +=
            real_max(broad_margin_tried(view, b, h, spare),
                     real_max(broad_margin_for_steps(view, b, ahead, spare), broad_margin_for_windows(view, b)));
    }
    SCENE_BARRIER();
    u32 rows = view->scene->shape_count;
    u32 total = 0;
#if SCENE_ITEMS == 1
    total = sweep_pairs(view) ? broad_list_swept(view) : broad_list_rows(view, 0, rows, 0, 1);
#else
    u32 first = view->item * rows / SCENE_ITEMS;
    u32 last = (view->item + 1) * rows / SCENE_ITEMS;
    view->scratch[view->item] = (real)broad_list_rows(view, first, last, 0, 0);
    SCENE_BARRIER();
    u32 base = 0;
    for (u32 item = 0; item < SCENE_ITEMS; item++) {
        if (item < view->item) base += (u32)view->scratch[item];
        total += (u32)view->scratch[item];
    }
    SCENE_BARRIER();
    broad_list_rows(view, first, last, base, 1);
#endif
    if (total > view->room.candidates) {
        progress->status = STATUS_CAPACITY;
        progress->capacity_which = CAPACITY_CANDIDATES;
        progress->capacity_wanted = total;
        total = 0;
    }
    progress->candidate_count = total;
    progress->work += (real)(rows + total);
    if (view->item == 0) {
        view->slot->has_near = 0;
        view->slot->close_count = NONE;
    }
    broad_link_contacts(view, progress);
}

#endif
