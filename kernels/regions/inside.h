// Vertices within the other solid: ends of crossed edges, and what is reached from these over edges that are not
// crossed. Loops that share a part that lies inside are one region.
#ifndef CLACK_REGIONS_INSIDE_H
#define CLACK_REGIONS_INSIDE_H

#include "regions/contour.h"
#include "regions/tree_pairs.h"

// Two crossings of an edge nearer to each other than this share of it, and than their errors, are in either order:
// which is next to an end, and so whether that is inside, is rounding.
#define INSIDE_TIED 1.0e-12

FN_SHORT u64 inside_key(u32 is_second, u32 number) {
    return (is_second ? REGION_NAME_SECOND : (u64)0) | REGION_NAME_SET | (u64)number;
}
FN_SHORT u32 inside_name_edge(u64 name) { return (u32)(name >> 32) & 0x3fffffffu; }
FN_SHORT u32 inside_name_is_second(u64 name) { return (name & REGION_NAME_SECOND) != 0 ? 1u : 0u; }

/// Puts a crossing among those of its edge in the order of their places; most edges have one or two.
FN void inside_insert_crossing(RegionWork *work, GLOBAL RegionCell *cell, u32 crossing) {
    GLOBAL RegionSegment *segments = work->segments;
    real share = segments[crossing].share;
    if (share < segments[cell->value].share) {
        segments[crossing].beyond = cell->value;
        cell->value = crossing;
        return;
    }
    u32 at = cell->value, beyond = segments[at].beyond;
    while (beyond != NONE && !(share < segments[beyond].share)) {
        at = beyond;
        beyond = segments[at].beyond;
    }
    segments[at].beyond = crossing;
    segments[crossing].beyond = beyond;
    if (beyond == NONE) cell->last = crossing;
}

/// The crossed edges: for each the segments of its crossings, from its lower vertex on. Each crossing is the start of
/// one segment.
FN void inside_list_edges(RegionWork *work) {
    contour_clear_cells(work);
    for (u32 i = 0; i < work->segment_count; i++) {
        GLOBAL RegionSegment *segment = &work->segments[i];
        u64 key = inside_key(inside_name_is_second(segment->from), inside_name_edge(segment->from));
        GLOBAL RegionCell *cell = &work->edge_cells[contour_cell(work->edge_cells, work->mask, key)];
        i32 leads = segment->is_low_inside ? -1 : 1;
        segment->beyond = NONE;
        if (cell->key == 0) {
            cell->key = key;
            cell->value = i;
            cell->last = i;
            cell->net = leads;
            continue;
        }
        inside_insert_crossing(work, cell, i);
        cell->net += leads;
    }
}

/// A vertex is inside, as is all that touches this loop from there: 1 if it was not known.
FN u32 inside_note(RegionWork *work, u32 is_second, u32 vertex, u32 loop) {
    u64 key = inside_key(is_second, vertex);
    u32 at = contour_cell(work->vertex_cells, 2 * work->room.vertices - 1, key);
    if (work->vertex_cells[at].key != 0) {
        contour_unite(work, loop, work->inside[work->vertex_cells[at].value].loop);
        return 0;
    }
    if (work->inside_count < work->room.vertices) {
        GLOBAL RegionInside *row = &work->inside[work->inside_count];
        row->vertex = vertex;
        row->is_second = is_second;
        row->loop = loop;
        row->cell = at;
        row->is_crossed = 0;
        work->vertex_cells[at].key = key;
        work->vertex_cells[at].value = work->inside_count;
    }
    work->inside_count++;
    return 1;
}

/// Spreads from the vertices of the list, `from` on, over edges that are not crossed.
FN void inside_spread(RegionWork *work, const MeshPair *pair, u32 from) {
    for (u32 i = from; i < work->inside_count && work->inside_count <= work->room.vertices; i++) {
        RegionInside row = work->inside[i];
        const MeshView *mesh = row.is_second ? &pair->second : &pair->first;
        MeshVertex vertex = mesh->vertices[row.vertex];
        for (u32 k = vertex.spoke_first; k < vertex.spoke_first + vertex.spoke_count; k++) {
            MeshSpoke spoke = mesh->spokes[k];
            u64 key = inside_key(row.is_second, spoke.edge);
            if (work->edge_cells[contour_cell(work->edge_cells, work->mask, key)].key != 0)
                work->inside[i].is_crossed = 1;
            else
                inside_note(work, row.is_second, spoke.vertex, row.loop);
        }
    }
}

FN void inside_seed(RegionWork *work, const MeshPair *pair, u32 is_second, u32 vertex, u32 loop) {
    u32 from = work->inside_count;
    if (from > work->room.vertices) return;
    if (inside_note(work, is_second, vertex, loop)) inside_spread(work, pair, from);
}

#define INSIDE_RAY_SKEW 1.37e-3 // of a ray's length, across it: rays along edges and faces are rare
#define INSIDE_YES 1u
#define INSIDE_UNSURE 2u // it may be on the surface

/// Does a ray from a point, in the mesh's frame, cross its surface an odd number of times? Unsure: it is in the plane
/// of a face near the ray.
FN u32 inside_point(const MeshView *mesh, Vec3 point, real rounding_m) {
    if (!tree_holds_point(mesh, point, rounding_m)) return 0;
    MeshPair own;
    own.first = *mesh;
    own.second = *mesh;
    own.turn = mat3_identity();
    own.place_m = vec3_zero();
    own.is_plane = 0;
    PlacedTriangle ray; // of which one edge counts
    real length_m = 4.0 * (mesh->longest_m + vec3_max_abs(point));
    Vec3 end = vec3_add(point, vec3_make(length_m, INSIDE_RAY_SKEW * length_m, 0.71 * INSIDE_RAY_SKEW * length_m));
    ray.corners_m[0] = point;
    ray.corners_m[1] = end;
    ray.corners_m[2] = end;
    for (u32 k = 0; k < 3; k++) {
        ray.vertices[k] = k;
        ray.edges[k] = 0;
    }
    ray.normal = vec3_zero();
    Vec3 low = vec3_sub(point, vec3_make(rounding_m, rounding_m, rounding_m));
    u32 is_odd = 0, is_unsure = 0, node = 0, leaf;
    while ((leaf = tree_box_next(mesh, low, end, &node)) != NONE) {
        u32 first = mesh->nodes[leaf].first, count = mesh->nodes[leaf].count;
        for (u32 t = first; t < first + count; t++) {
            PlacedTriangle triangle = mesh_pair_triangle(&own, 1, t);
            mesh_pair_set_normal(&triangle);
            real heights[3];
            u32 sides = crossing_heights(&ray, &triangle, heights);
            u32 across = 0;
            if (real_abs(heights[0]) <= rounding_m * vec3_length(triangle.normal)) is_unsure = INSIDE_UNSURE;
            for (u32 k = 0; k < 3; k++) across |= crossing_edges_sign(&ray, 0, &triangle, k) << k;
            if ((sides & 1u) != (sides >> 1 & 1u) && (across == 0 || across == 7)) is_odd ^= 1u;
        }
    }
    return is_odd | is_unsure;
}

/// Is a place on one solid, in the second's frame, within the other, as a ray says? INSIDE_*.
FN u32 inside_other(const MeshPair *pair, u32 is_second, Vec3 at) {
    if (pair->is_plane) {
        u32 is_unsure = real_abs(at.z) <= pair->rounding_m ? INSIDE_UNSURE : 0u;
        return (at.z < 0.0 ? INSIDE_YES : 0u) | is_unsure;
    }
    if (is_second) at = mat3_rotate_back(pair->turn, vec3_sub(at, pair->place_m));
    return inside_point(is_second ? &pair->first : &pair->second, at, pair->rounding_m);
}

FN_SHORT u32 inside_are_tied(GLOBAL const RegionSegment *one, GLOBAL const RegionSegment *next) {
    return next->share - one->share <= INSIDE_TIED + (real)one->share_error + (real)next->share_error ? 1u : 0u;
}

/// Which ends of a crossed edge are inside, bit 0: the lower vertex, bit 1: the higher. A crossing says which side of a
/// triangle each end is on: that next to an end says whether this is inside.
FN u32 inside_ends(const RegionWork *work, const RegionCell *cell) {
    if (cell->net != 0) return cell->net < 0 ? 1u : 2u; // whatever rounding says of which is next
    return work->segments[cell->value].is_low_inside ? 3u : 0u;
}

/// Is rounding what inside_ends has of an edge? An odd number of crossings is not in question, as one end is inside
/// whatever their order.
FN u32 inside_is_tied(const RegionWork *work, const RegionCell *cell) {
    u32 beyond = work->segments[cell->value].beyond;
    return cell->net == 0 && beyond != NONE && inside_are_tied(&work->segments[cell->value], &work->segments[beyond])
               ? 1u
               : 0u;
}

FN MeshEdge inside_edge(const MeshPair *pair, const RegionCell *cell) {
    return inside_name_is_second(cell->key) ? pair->second.edges[(u32)cell->key] : pair->first.edges[(u32)cell->key];
}

/// Which ends of a crossed edge are listed as inside: bits of inside_ends.
FN u32 inside_listed_ends(const RegionWork *work, const MeshPair *pair, const RegionCell *cell) {
    u32 is_second = inside_name_is_second(cell->key), mask = 2 * work->room.vertices - 1;
    MeshEdge edge = inside_edge(pair, cell);
    u32 low = contour_cell(work->vertex_cells, mask, inside_key(is_second, edge.low)),
        high = contour_cell(work->vertex_cells, mask, inside_key(is_second, edge.high));
    return (work->vertex_cells[low].key != 0 ? 1u : 0u) | (work->vertex_cells[high].key != 0 ? 2u : 0u);
}

/// An edge's ends that are inside.
FN void inside_take_ends(RegionWork *work, const MeshPair *pair, const RegionCell *cell, u32 ends) {
    u32 is_second = inside_name_is_second(cell->key);
    MeshEdge edge = inside_edge(pair, cell);
    if (ends & 1u) inside_seed(work, pair, is_second, edge.low, work->segments[cell->value].loop);
    if (ends & 2u) inside_seed(work, pair, is_second, edge.high, work->segments[cell->last].loop);
}

/// An edge with both ends inside or both outside. Ends that are inside by its first crossing alone, or may be, are so
/// if other edges or a ray say it too: else a whole surface would be inside by one crossing out of order. With ties a
/// ray counts once the pair has been moved, where no vertex lies in the plane of a face any more.
FN void inside_take_doubtful(RegionWork *work, const MeshPair *pair, const RegionCell *cell, u32 is_moved) {
    u32 is_inside = inside_listed_ends(work, pair, cell) != 0 ? 1u : 0u, is_tied = inside_is_tied(work, cell);
    if (!is_inside && (is_tied || inside_ends(work, cell) != 0)) {
        u32 is_second = inside_name_is_second(cell->key);
        Vec3 low_m = mesh_pair_vertex(pair, is_second, inside_edge(pair, cell).low);
        is_inside = inside_other(pair, is_second, low_m) & INSIDE_YES;
        if (is_inside && is_tied && !is_moved) {
            work->tied_count++;
            return;
        }
    }
    if (is_inside) inside_take_ends(work, pair, cell, 3);
}

/// Does an edge say otherwise of its ends than others do? listed: inside_listed_ends.
FN u32 inside_is_contradicted(const RegionWork *work, const RegionCell *cell, u32 listed) {
    if (inside_is_tied(work, cell)) return listed == 1 || listed == 2 ? 1u : 0u;
    return listed != inside_ends(work, cell) ? 1u : 0u;
}

/// Crossings that are tied in an order in which they lead in and out alternately. is_inside: the lower vertex.
FN void inside_order(RegionWork *work, GLOBAL RegionCell *cell, u32 is_inside) {
    GLOBAL RegionSegment *segments = work->segments;
    u32 before = NONE, at = cell->value;
    while (segments[at].beyond != NONE) {
        u32 next = segments[at].beyond;
        if (segments[at].is_low_inside != is_inside && segments[next].is_low_inside == is_inside &&
            inside_are_tied(&segments[at], &segments[next])) {
            segments[at].beyond = segments[next].beyond;
            segments[next].beyond = at;
            if (before == NONE)
                cell->value = next;
            else
                segments[before].beyond = next;
            if (cell->last == next) cell->last = at;
            at = next;
        }
        is_inside ^= 1u;
        before = at;
        at = segments[at].beyond;
    }
}

/// The parts of an edge between two crossings that are inside. is_inside: the lower vertex.
FN void inside_join_parts(RegionWork *work, GLOBAL RegionCell *cell, u32 is_inside) {
    if (cell->value == cell->last) return;
    inside_order(work, cell, is_inside);
    for (u32 at = cell->value; work->segments[at].beyond != NONE; at = work->segments[at].beyond)
        if (!work->segments[at].is_low_inside) // it leads in
            contour_unite(work, work->segments[at].loop, work->segments[work->segments[at].beyond].loop);
}

/// Crossed edges with an odd number of crossings, or with is_doubtful the others. Returns how many it has left.
FN u32 inside_take_edges(RegionWork *work, const MeshPair *pair, u32 is_doubtful, u32 is_moved) {
    u32 left = 0;
    for (u32 i = 0; i < work->segment_count && work->inside_count <= work->room.vertices; i++) {
        u64 name = work->segments[i].from;
        u64 key = inside_key(inside_name_is_second(name), inside_name_edge(name));
        RegionCell cell = work->edge_cells[contour_cell(work->edge_cells, work->mask, key)];
        if (cell.value != i) continue;
        if ((cell.net == 0) != is_doubtful)
            left++;
        else if (is_doubtful)
            inside_take_doubtful(work, pair, &cell, is_moved);
        else
            inside_take_ends(work, pair, &cell, inside_ends(work, &cell));
    }
    return left;
}

/// All vertices that are inside, each with a loop of its region, once crossed edges are listed; counts edges that
/// contradict others. is_moved: the pair is not as it was given. 0: there was no room.
FN u32 inside_flood(RegionWork *work, const MeshPair *pair, u32 is_moved) {
    work->inside_count = 0;
    if (inside_take_edges(work, pair, 0, is_moved) > 0) (void)inside_take_edges(work, pair, 1, is_moved);
    u32 listed = u32_min(work->inside_count, work->room.vertices);
    for (u32 i = 0; listed == work->inside_count && i <= work->mask; i++) {
        RegionCell cell = work->edge_cells[i];
        if (cell.key == 0) continue;
        u32 ends = inside_listed_ends(work, pair, &cell);
        work->tied_count += inside_is_contradicted(work, &cell, ends);
        inside_join_parts(work, &work->edge_cells[i], ends & 1u);
    }
    for (u32 i = 0; i < listed; i++) work->vertex_cells[work->inside[i].cell].key = 0;
    return work->inside_count <= work->room.vertices ? 1u : 0u;
}

// --- components without a contour ------------------------------------------------------------------------------------

/// Is a vertex listed as one of a region that is reported?
FN u32 inside_is_listed(const RegionWork *work, u32 is_second, u32 vertex) {
    for (u32 i = 0; i < work->inside_count; i++)
        if (work->inside[i].is_second == is_second && work->inside[i].vertex == vertex)
            return contour_has_area(work, work->inside[i].loop);
    return 0;
}

/// Does the component with this vertex lie within the other solid, and in no region that is reported? The vertex may be
/// on the other's surface, where rounding says on which side: then those next to it are asked, and last the middle of
/// all.
FN u32 inside_is_component(const RegionWork *work, const MeshPair *pair, u32 is_second, u32 first) {
    const MeshView *mesh = is_second ? &pair->second : &pair->first;
    MeshVertex about = mesh->vertices[first];
    Vec3 sum_m = vec3_zero();
    for (u32 k = 0; k <= about.spoke_count; k++) {
        u32 vertex = k == 0 ? first : mesh->spokes[about.spoke_first + k - 1].vertex;
        Vec3 at_m = mesh_pair_vertex(pair, is_second, vertex);
        u32 answer = inside_other(pair, is_second, at_m);
        if (answer == INSIDE_YES) return inside_is_listed(work, is_second, vertex) ? 0u : 1u;
        if (!(answer & INSIDE_UNSURE)) return 0;
        sum_m = vec3_add(sum_m, at_m);
    }
    Vec3 middle_m = vec3_scale(sum_m, 1.0 / (1.0 + (real)about.spoke_count));
    return inside_other(pair, is_second, middle_m) == INSIDE_YES && !inside_is_listed(work, is_second, first) ? 1u : 0u;
}

/// Does the part-th component of a surface lie within the other solid as a whole? Of work: contours and vertices inside
/// of the same pair. One that lies inside in part has been reached from its contour.
FN u32 inside_is_part(const RegionWork *work, const MeshPair *pair, u32 is_second, u32 part) {
    const MeshView *mesh = is_second ? &pair->second : &pair->first;
    for (u32 i = 0; i < work->loop_count && mesh->part_count == 1; i++)
        if (vec3_max_abs(COPY(work->loops[i].area_m2)) > 0.0) return 0;
    return inside_is_component(work, pair, is_second, mesh->parts[part]);
}

#endif
