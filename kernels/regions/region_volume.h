// Volume of the overlap that belongs to a region: a sum over the ends of straight lines, in any order.
//
// The overlap is bounded by pieces of both surfaces' triangles, each within the other solid. A piece of a triangle with
// the outward normal N is the base of a cone from an origin, whose volume is (divergence theorem)
//
//     1/6 (N . r) / (N . N) N . sum of p x q over its sides p to q,    r a corner of the triangle.
//
// On a line of direction d it is p x q = e(q) - e(p) with e(x) = (x . d) / (d . d) x x d, so each end of a side counts
// by itself, whichever the other end is. Sides are segments of contours, of which both ends are at hand, and parts of
// mesh edges, which end at points of contours and at vertices within the other solid. All of these points are near each
// other, however long the edges are, and so is the origin: a point of the contour.
#ifndef CLACK_REGIONS_REGION_VOLUME_H
#define CLACK_REGIONS_REGION_VOLUME_H

#include "regions/region_measure.h"

/// (N . r) / (N . N) of a triangle; 0: it has no area.
FN_SHORT real volume_height(const PlacedTriangle *triangle, Vec3 origin_m) {
    real square = vec3_dot(triangle->normal, triangle->normal);
    return square > 0.0 ? vec3_dot(triangle->normal, vec3_sub(triangle->corners_m[0], origin_m)) / square : 0.0;
}

/// N . e(x) of an end x, with N x x: times the direction of its line, since N . (x x d) = (N x x) . d.
FN_SHORT real volume_end(Vec3 normal_cross_at, Vec3 at, Vec3 along) {
    return vec3_dot(normal_cross_at, along) * vec3_dot(at, along) / vec3_dot(along, along);
}

/// The end of a part of a mesh edge at a point of a contour, if the edge is one of this triangle's; else 0.
FN real volume_edge_end(const PlacedTriangle *triangle, u32 is_second, u64 name, Vec3 at) {
    if (inside_name_is_second(name) != is_second) return 0.0;
    u32 edge = inside_name_edge(name), k = triangle->edges[0] == edge ? 0u : triangle->edges[1] == edge ? 1u : 2u;
    Vec3 along = vec3_sub(triangle->corners_m[crossing_successor(k)], triangle->corners_m[k]);
    return volume_end(vec3_cross(triangle->normal, at), at, along);
}

/// Six times what the sides that meet at a segment add to the piece of one of its two triangles: an edge's part that
/// leads to its start, itself, an edge's part that leads on from its end. Of the second surface all of these run the
/// other way round: the sign is the caller's.
FN real volume_of_segment(const MeshPair *pair, GLOBAL const RegionSegment *segment, u32 is_second, Vec3 origin_m) {
    PlacedTriangle triangle =
        mesh_pair_triangle(pair, is_second, is_second ? segment->triangle_second : segment->triangle_first);
    mesh_pair_set_normal(&triangle);
    Vec3 from = vec3_sub(segment->from_m, origin_m), to = vec3_sub(segment->to_m, origin_m);
    real sum = vec3_dot(triangle.normal, vec3_cross(from, to));
    sum += volume_edge_end(&triangle, is_second, segment->from, from);
    sum -= volume_edge_end(&triangle, is_second, segment->to, to);
    return sum * volume_height(&triangle, origin_m);
}

/// Six times what both of a triangle's edges at its corner k add.
FN real volume_of_corner(const PlacedTriangle *triangle, u32 k, Vec3 origin_m) {
    u32 next = crossing_successor(k), last = crossing_successor(next);
    Vec3 at = vec3_sub(triangle->corners_m[k], origin_m);
    Vec3 swept = vec3_cross(triangle->normal, at);
    real sum = volume_end(swept, at, vec3_sub(triangle->corners_m[k], triangle->corners_m[last]));
    sum -= volume_end(swept, at, vec3_sub(triangle->corners_m[next], triangle->corners_m[k]));
    return sum * volume_height(triangle, origin_m);
}

/// The corner of a triangle from which its edge to another vertex leads; 3: none does.
FN_SHORT u32 volume_corner_to(GLOBAL const MeshTriangle *triangle, u32 from, u32 to) {
    for (u32 k = 0; k < 3; k++)
        if (triangle->vertices[k] == from && triangle->vertices[crossing_successor(k)] == to) return k;
    return 3;
}

/// Are all corners of a triangle inside, if one is? Yes if two of its edges, which join them, are not crossed: of those
/// that are there is a cell (inside_list_edges).
FN u32 volume_joins_corners(const RegionWork *work, u32 is_second, GLOBAL const MeshTriangle *triangle) {
    for (u32 k = 0; k < 2; k++) {
        u64 key = inside_key(is_second, triangle->edges[k]);
        if (work->edge_cells[contour_cell(work->edge_cells, work->mask, key)].key != 0) return 0;
    }
    return 1;
}

/// Six times what a triangle adds for its corner k, which is inside. All three together add a tetrahedron, which takes
/// less to compute and comes with the first one. What its third edge has outside is taken off at the points of
/// contours.
FN real volume_of_inside(const RegionWork *work, const MeshPair *pair, u32 is_second, u32 number, u32 k,
                         Vec3 origin_m) {
    GLOBAL const MeshTriangle *row = is_second ? &pair->second.triangles[number] : &pair->first.triangles[number];
    u32 is_inside = volume_joins_corners(work, is_second, row);
    if (is_inside && k > 0) return 0.0;
    PlacedTriangle triangle = mesh_pair_triangle(pair, is_second, number);
    if (is_inside) {
        Vec3 a = vec3_sub(triangle.corners_m[0], origin_m), b = vec3_sub(triangle.corners_m[1], origin_m),
             c = vec3_sub(triangle.corners_m[2], origin_m);
        return vec3_dot(a, vec3_cross(b, c));
    }
    mesh_pair_set_normal(&triangle);
    return volume_of_corner(&triangle, k, origin_m);
}

/// Six times what all triangles around a vertex add: each edge leads from it in one of them.
FN real volume_of_vertex(const RegionWork *work, const MeshPair *pair, const RegionInside *inside, Vec3 origin_m) {
    const MeshView *mesh = inside->is_second ? &pair->second : &pair->first;
    u32 first = mesh->vertices[inside->vertex].spoke_first, count = mesh->vertices[inside->vertex].spoke_count;
    real sum = 0.0;
    for (u32 i = first; i < first + count; i++) {
        MeshSpoke spoke = mesh->spokes[i];
        for (u32 side = 0; side < 2; side++) {
            u32 number = mesh->edges[spoke.edge].triangles[side];
            u32 k = number == NONE ? 3u : volume_corner_to(&mesh->triangles[number], inside->vertex, spoke.vertex);
            if (k < 3) sum += volume_of_inside(work, pair, inside->is_second, number, k, origin_m);
        }
    }
    return sum;
}

/// Of a region that is pierced, whose contours bound the overlap together, an equal part for each of these. A plane
/// adds nothing, since the origin lies in it.
FN real region_volume(const RegionWork *work, const MeshPair *pair, RegionChoice choice) {
    Vec3 origin_m = work->segments[work->loops[choice.root].first].from_m;
    real sum = 0.0;
    for (u32 i = 0; i < work->segment_count; i++) {
        GLOBAL const RegionSegment *segment = &work->segments[i];
        if (contour_root(work, segment->loop) != choice.root) continue;
        sum += volume_of_segment(pair, segment, 0, origin_m);
        if (!pair->is_plane) sum -= volume_of_segment(pair, segment, 1, origin_m);
    }
    for (u32 i = 0; i < work->inside_count; i++) {
        RegionInside inside = work->inside[i];
        if (contour_root(work, inside.loop) == choice.root) sum += volume_of_vertex(work, pair, &inside, origin_m);
    }
    real parts = 0.0;
    for (u32 i = 0; i < work->loop_count; i++)
        if (choice.only_loop != NONE && contour_root(work, i) == choice.root) parts += 1.0;
    return sum / (6.0 * real_max(parts, 1.0));
}

#endif
