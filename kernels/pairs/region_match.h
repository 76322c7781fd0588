// Contact regions of a pair of surfaces as scenes are stepped: found in a pose, and matched with the contacts that
// exist. A pair has one candidate for each of the numbers that its regions may have (SlotRoom.regions), one after the
// other; a region keeps its number while it is matched.
#ifndef CLACK_PAIRS_REGION_MATCH_H
#define CLACK_PAIRS_REGION_MATCH_H

#include "pairs/surface_pair.h"

// Of the normals of a contact at the start of a step and of a region that continues it.
#define MATCH_COSINE 0.7
// Of the depth: a surface that reaches no farther beyond the contour's plane lies in it. Of the reach: a contour that
// is no thicker does.
#define MATCH_FLAT 1.0e-6

// What scenes with meshes have beside their view: the meshes, and the slot's lists for one pair after the other.
struct RegionSlot {
    MeshTables tables;
    RegionWork lists;          // where they are and how long; what is in them is a query's own
    GLOBAL FoundRegion *found; // (room.candidates)
    GLOBAL RegionNear *near;   // (pairs of surfaces), each with:
    GLOBAL u32 *near_pairs;    // (MATCH_NEAR, 2)
};

// --- the lists of a slot: 64-bit words ----------------------------------------------------------------------------

#define MATCH_WORDS(type) ((u32)(sizeof(type) / sizeof(u64)))
// A query counts 1 in a scene's work for each whole 16 segments. They take 10 to 18 us (kernels/regions/README.md), far
// more than a query of two convex shapes: scenes with large regions keep within the limit, but those whose regions are
// in trouble end.
#define MATCH_WORK_SEGMENTS 16u
#define MATCH_NEAR 2048u // triangles of a pair of surfaces that may cross soon; where there are more none are kept

/// Pairs of surfaces that a slot has room for: each has a candidate for each number.
FN_SHORT u32 match_pairs_room(SlotRoom room) { return room.regions > 0 ? room.candidates / room.regions : 0u; }

/// Words that the lists of a slot take.
FN u64 match_room(SlotRoom room) {
    u64 segments = room.segments, vertices = room.vertices, found = room.regions > 0 ? room.candidates : 0;
    return segments * (MATCH_WORDS(RegionSegment) + MATCH_WORDS(RegionLoop) + 2 * MATCH_WORDS(RegionCell)) +
           vertices * (MATCH_WORDS(RegionInside) + 2 * MATCH_WORDS(RegionCell)) + found * MATCH_WORDS(FoundRegion) +
           (u64)match_pairs_room(room) * (MATCH_WORDS(RegionNear) + MATCH_NEAR);
}

/// Lay the lists of a slot out.
FN void match_lay_out(struct RegionSlot *slot, GLOBAL u64 *words, SlotRoom room) {
    RegionWork none = ALL_ZERO;
    slot->lists = none;
    slot->lists.room.segments = room.segments;
    slot->lists.room.vertices = room.vertices;
    slot->lists.segments = (GLOBAL RegionSegment *)words;
    words += (u64)room.segments * MATCH_WORDS(RegionSegment);
    slot->lists.loops = (GLOBAL RegionLoop *)words;
    words += (u64)room.segments * MATCH_WORDS(RegionLoop);
    slot->lists.edge_cells = (GLOBAL RegionCell *)words;
    words += (u64)room.segments * 2 * MATCH_WORDS(RegionCell);
    slot->lists.inside = (GLOBAL RegionInside *)words;
    words += (u64)room.vertices * MATCH_WORDS(RegionInside);
    slot->lists.vertex_cells = (GLOBAL RegionCell *)words;
    words += (u64)room.vertices * 2 * MATCH_WORDS(RegionCell);
    slot->found = (GLOBAL FoundRegion *)words;
    words += (room.regions > 0 ? (u64)room.candidates : 0) * MATCH_WORDS(FoundRegion);
    slot->near = (GLOBAL RegionNear *)words;
    words += (u64)match_pairs_room(room) * MATCH_WORDS(RegionNear);
    slot->near_pairs = (GLOBAL u32 *)words;
}

// --- regions and contacts -----------------------------------------------------------------------------------------

// A pair whose regions are being matched.
typedef struct MatchedPair {
    u32 first;               // candidate of the number 0
    Vec3 body_a_m, body_b_m; // centres of mass in the pose
    Quat turn_a, turn_b;
} MatchedPair;

/// Candidate of the number 0 of a candidate's pair.
FN_SHORT u32 match_first(const SceneView *view, u32 candidate) {
    return candidate - view->candidates[candidate].feature;
}

/// Where the matter at a contact's centroid at the start of the step is in a pose: the mean of what both bodies say.
FN Vec3 match_place(GLOBAL const RegionContact *region, const MatchedPair *pair) {
    Vec3 by_a = vec3_add(pair->body_a_m, quat_rotate(pair->turn_a, region->place_a_m));
    Vec3 by_b = vec3_add(pair->body_b_m, quat_rotate(pair->turn_b, region->place_b_m));
    return vec3_scale(vec3_add(by_a, by_b), 0.5);
}

/// How far a region is from where a contact would be, m; REAL_HUGE if it does not continue it. It does if its normal is
/// about the same and balls about both, that hold their contours, meet: also after a region has split, or several have
/// merged.
FN real match_distance(const SceneView *view, const MatchedPair *pair, u32 contact, const FoundRegion *region) {
    GLOBAL const RegionContact *old = &view->contacts[contact].step.region;
    if (vec3_dot(old->start_normal, region->normal) < MATCH_COSINE) return REAL_HUGE;
    real distance = vec3_length(vec3_sub(vec3_add(pair->body_b_m, region->lever_b_m), match_place(old, pair)));
    return distance <= old->start_reach_m + region->reach_m ? distance : REAL_HUGE;
}

/// The contact of the pair that a region continues: the nearest one. NONE: it is new.
FN u32 match_contact(const SceneView *view, const MatchedPair *pair, const FoundRegion *region, real *distance) {
    u32 best = NONE;
    *distance = REAL_HUGE;
    for (u32 k = 0; k < view->room.regions; k++) {
        u32 contact = view->candidates[pair->first + k].contact;
        if (contact == NONE) continue;
        real apart = match_distance(view, pair, contact, region);
        if (!(apart < *distance)) continue;
        *distance = apart;
        best = contact;
    }
    return best;
}

/// Give a region the least number of which there is neither a contact nor a region. 0: there is none.
FN u32 match_number_free(const SceneView *view, const MatchedPair *pair, const FoundRegion *region) {
    for (u32 k = 0; k < view->room.regions; k++) {
        GLOBAL FoundRegion *at = &view->surfaces->found[pair->first + k];
        if (at->is_there || view->candidates[pair->first + k].contact != NONE) continue;
        *at = *region;
        return 1;
    }
    return 0;
}

/// Give a region its number: that of the contact that it continues, if no other continues it better. 0: no number is
/// free.
FN u32 match_number(const SceneView *view, const MatchedPair *pair, FoundRegion region) {
    real distance;
    region.carrier = match_contact(view, pair, &region, &distance);
    if (region.carrier == NONE) return match_number_free(view, pair, &region);
    GLOBAL FoundRegion *own = &view->surfaces->found[view->contacts[region.carrier].pair.candidate];
    if (!own->is_there) {
        *own = region;
        return 1;
    }
    FoundRegion other = *own;
    if (!(distance < match_distance(view, pair, region.carrier, &other))) return match_number_free(view, pair, &region);
    *own = region;
    return match_number_free(view, pair, &other);
}

/// How deep a region is, m. A hole of another region's overlap presses against nothing, nor does a contour in a plane
/// where a solid is pierced (rounding would have it begin and end all the time): they are as far apart as they reach.
FN_SHORT real match_depth_m(const FoundRegion *found, real depth_m, u32 has_volume) {
    u32 is_flat = depth_m <= MATCH_FLAT * found->reach_m ? 1u : 0u;
    if (found->flags & REGION_HOLE || (found->flags & REGION_PIERCED && is_flat)) return 0.0 - found->reach_m;
    return has_volume ? region_thickness_m(depth_m, found->volume_m3 / found->area_m2) : depth_m;
}

/// has_volume: its force is of the volume, and acts at its centre, on the plane of the contour: there the pressure of
/// an elastic layer has its resultant. Where a contour is open the volume is not known; that of a wedge stands for it.
FN FoundRegion match_region(const SurfacePair *posed, const RegionShape *shape, u32 flags, const MatchedPair *pair,
                            u32 has_volume) {
    Vec3 body_b_m = pair->body_b_m, at = shape->centroid_m;
    FoundRegion found = ALL_ZERO;
    found.arm_m = -1.0;
    if (has_volume) {
        at = vec3_sub(shape->middle_m, shape->centroid_m);
        real arm = vec3_dot(at, shape->normal);
        real less_m = real_min(shape->depth_first_m, shape->depth_second_m);
        if (less_m <= MATCH_FLAT * (shape->depth_first_m + shape->depth_second_m)) {
            found.arm_m = real_abs(arm);
            at = vec3_add_scaled(at, shape->normal, 0.0 - arm);
        }
        at = vec3_add(shape->centroid_m, at);
    }
    found.normal = surface_normal(posed, COPY(shape->normal));
    found.lever_b_m = vec3_add(vec3_sub(posed->place_m, body_b_m), mat3_rotate(posed->turn, at));
    real depth_m = shape->depth_first_m + shape->depth_second_m;
    found.area_m2 = shape->area_m2;
    found.volume_m3 = shape->volume_m3 >= 0.0 ? shape->volume_m3 : 0.0;
    if (flags & REGION_OPEN_CONTOUR) found.volume_m3 = 0.5 * found.area_m2 * depth_m;
    found.reach_m = shape->reach_m;
    found.flags = flags;
    found.depth_m = match_depth_m(&found, depth_m, has_volume);
    found.found_depth_m = found.depth_m;
    found.found_area_m2 = found.area_m2;
    found.found_volume_m3 = found.volume_m3;
    found.place_b_m = quat_rotate_back(pair->turn_b, found.lever_b_m);
    found.place_a_m = quat_rotate_back(pair->turn_a, vec3_add(found.lever_b_m, vec3_sub(body_b_m, pair->body_a_m)));
    found.is_there = 1;
    return found;
}

/// A region as kinematics of a pair, of bodies in these states.
FN PairKinematics match_kinematics(const SceneView *view, const FoundRegion *found, u32 body_a, u32 body_b,
                                   GLOBAL const BodyState *state_a, GLOBAL const BodyState *state_b) {
    PairKinematics kinematics = ALL_ZERO;
    kinematics.gap_m = 0.0 - found->depth_m;
    kinematics.normal = found->normal;
    kinematics.lever_b_m = found->lever_b_m;
    kinematics.lever_a_m = vec3_add(found->lever_b_m, vec3_sub(state_b->position_m, state_a->position_m));
    kinematics.status = NARROW_OK;
    return kinematics_of_moving(kinematics, COPY(state_a->velocity_m_per_s), pair_spin(view, body_a, state_a),
                                COPY(state_b->velocity_m_per_s), pair_spin(view, body_b, state_b));
}

/// Move a region that was found with its bodies: its depth changes by what its centroids in both come nearer along the
/// normal; its area with the depth, as that of a cap; its volume by the area for each metre.
FN_ONCE void match_move(GLOBAL FoundRegion *found, GLOBAL const BodyState *a, GLOBAL const BodyState *b) {
    Vec3 by_a = vec3_add(a->position_m, quat_rotate(a->orientation, found->place_a_m));
    Vec3 by_b = vec3_add(b->position_m, quat_rotate(b->orientation, found->place_b_m));
    real nearer_m = 0.0 - vec3_dot(found->normal, vec3_sub(by_b, by_a));
    real depth = found->found_depth_m + nearer_m, share = depth > 0.0 ? 1.0 : 0.0;
    if (depth > 0.0 && found->found_depth_m > 0.0) share = depth / found->found_depth_m;
    found->depth_m = depth;
    found->area_m2 = found->found_area_m2 * share;
    found->volume_m3 = real_max(0.0, real_fma(found->found_area_m2, nearer_m, found->found_volume_m3));
    found->lever_b_m = vec3_sub(vec3_scale(vec3_add(by_a, by_b), 0.5), b->position_m);
}

/// Move all regions of the pair of a candidate to the trial states.
FN_ONCE void match_move_pair(const SceneView *view, u32 candidate) {
    u32 first = match_first(view, candidate);
    u32 a = view->candidates[first].body_a, b = view->candidates[first].body_b;
    for (u32 k = 0; k < view->room.regions; k++) {
        GLOBAL FoundRegion *found = &view->surfaces->found[first + k];
        if (found->is_there) match_move(found, &view->works[a].step.trial, &view->works[b].step.trial);
    }
}

/// There was no room: the host runs the scene again with more.
FN void match_is_short(const SceneView *view, u32 which, u32 wanted) {
    view->slot->short_of = which;
    view->slot->short_wanted = wanted;
}

/// Does a component of a surface lie within the other solid as a whole?
FN u32 match_is_engulfed(const RegionWork *work, const MeshPair *pair) {
    for (u32 is_second = 0; is_second < (pair->is_plane ? 1u : 2u); is_second++) {
        u32 parts = is_second ? pair->second.part_count : pair->first.part_count;
        for (u32 part = 0; part < parts; part++)
            if (inside_is_part(work, pair, is_second, part)) return 1;
    }
    return 0;
}

/// A slot still holds the lists of the scene before.
FN void match_forget(const SceneView *view) {
    for (u32 pair = 0; pair < match_pairs_room(COPY(view->room)); pair++) view->surfaces->near[pair].margin_m = 0.0;
}

/// The list of near triangles of a pair, whose candidates are numbered from `first` on. Another pair's is none.
FN void match_take_near(const SceneView *view, RegionWork *work, u32 first) {
    u32 pair = first / view->room.regions;
    GLOBAL const Candidate *candidate = &view->candidates[first];
    work->near = &view->surfaces->near[pair];
    work->near_pairs = view->surfaces->near_pairs + (u64)pair * 2 * MATCH_NEAR;
    work->near_room = MATCH_NEAR;
    if (work->near->shape_a == candidate->shape_a && work->near->shape_b == candidate->shape_b) return;
    work->near->shape_a = candidate->shape_a;
    work->near->shape_b = candidate->shape_b;
    work->near->margin_m = 0.0;
    work->near->uses = 0;
}

/// Count the queries of contact regions since this was last done.
FN_ONCE void match_count_work(const SceneView *view, SCENE_SPACE Progress *progress) {
    SCENE_BARRIER();
    progress->work += (real)view->slot->region_work;
    SCENE_BARRIER();
    if (view->item == 0) view->slot->region_work = 0;
}

/// Find the regions of the pair of a candidate in the trial states or in the present ones, and number them. has_ended:
/// it is tested as well whether a surface lies within the other solid, which costs more where nothing touches.
FN_WAY void match_pair(const SceneView *view, u32 candidate, u32 is_trial, u32 has_ended) {
    u32 first = match_first(view, candidate), flags, moved_flag;
    u32 shape_a = view->candidates[first].shape_a, shape_b = view->candidates[first].shape_b;
    u32 a = view->candidates[first].body_a, b = view->candidates[first].body_b;
    GLOBAL const BodyState *state_a = is_trial ? &view->works[a].step.trial : &view->states[a];
    GLOBAL const BodyState *state_b = is_trial ? &view->works[b].step.trial : &view->states[b];
    SurfacePair posed = surface_pair(view, &view->surfaces->tables, shape_a, shape_b, state_a, state_b);
    RegionWork work = view->surfaces->lists;
    u32 law = scene_law_row(view, shape_a, shape_b);
    u32 has_volume = view->region_laws[law].law == REGION_VOLUME ? 1u : 0u;
    MeshPair moved;
    work.skips_volume = has_volume ^ 1u;
    match_take_near(view, &work, first);
    for (u32 k = 0; k < view->room.regions; k++) view->surfaces->found[first + k].is_there = 0;
    u32 has_room = query_run(&work, &posed.pair, &moved, &moved_flag);
    view->slot->region_work += work.segment_count / MATCH_WORK_SEGMENTS; // beside the query or the force itself
    if (!has_room) {
        u32 is_of_segments = work.segment_count > work.room.segments ? 1u : 0u;
        match_is_short(view, is_of_segments ? CAPACITY_SEGMENTS : CAPACITY_VERTICES,
                       is_of_segments ? work.segment_count : work.inside_count);
        return;
    }
    MatchedPair pair;
    pair.first = first;
    pair.body_a_m = state_a->position_m;
    pair.body_b_m = state_b->position_m;
    pair.turn_a = state_a->orientation;
    pair.turn_b = state_b->orientation;
    QueryWalk walk = query_walk();
    RegionShape shape;
    while (query_next(&walk, &work, &moved, &shape, &flags))
        if (!match_number(view, &pair, match_region(&posed, &shape, flags, &pair, has_volume)))
            match_is_short(view, CAPACITY_REGIONS, view->room.regions + 1u);
    if (has_ended && match_is_engulfed(&work, &moved)) view->slot->engulfed = 1;
}

#endif
