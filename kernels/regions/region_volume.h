// Volume of the overlap that belongs to a region, and its centre: sums over the ends of straight lines, in any order.
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
//
// The first moment of such a cone is 1/24 H (H N s + S), H = (N . r) / (N . N), s = N . sum of p x q as above and S the
// sum of N . (p x q) (p + q): at the foot of the origin in the plane the triangle of it, p and q has its centroid at a
// third of the three. On a line N . (p x q) (p + q) = E(q) - E(p), E(x) = N . e(x) (2 x - (x . d) / (d . d) d).
#ifndef CLACK_REGIONS_REGION_VOLUME_H
#define CLACK_REGIONS_REGION_VOLUME_H

#include "regions/region_measure.h"

/// (N . r) / (N . N) of a triangle; 0: it has no area.
FN_SHORT real volume_height(const PlacedTriangle *triangle, Vec3 origin_m) {
    real square = vec3_dot(triangle->normal, triangle->normal);
    return square > 0.0 ? vec3_dot(triangle->normal, vec3_sub(triangle->corners_m[0], origin_m)) / square : 0.0;
}

// Sums over sides of pieces in the plane of one triangle: s and S; and over cones: 6 V and 24 times the first moment.
typedef struct VolumeSum {
    real once;
    Vec3 moment;
} VolumeSum;

FN_SHORT VolumeSum volume_none(void) {
    VolumeSum none = ALL_ZERO;
    return none;
}
FN_SHORT void volume_add(VolumeSum *sum, VolumeSum by, real times) {
    sum->once = real_fma(times, by.once, sum->once);
    sum->moment = vec3_add_scaled(sum->moment, by.moment, times);
}

/// One end x of a side: N . e(x) and N . E(x), with N x x times the direction of its line, since
/// N . (x x d) = (N x x) . d.
FN VolumeSum volume_of_end(Vec3 normal_cross_at, Vec3 at, Vec3 along) {
    real share = vec3_dot(at, along) / vec3_dot(along, along);
    VolumeSum end;
    end.once = vec3_dot(normal_cross_at, along) * share;
    end.moment = vec3_scale(vec3_add_scaled(vec3_scale(at, 2.0), along, 0.0 - share), end.once);
    return end;
}

/// From the sides of pieces in a triangle's plane to their cones.
FN VolumeSum volume_of_cones(const PlacedTriangle *triangle, VolumeSum sides, Vec3 origin_m) {
    real height = volume_height(triangle, origin_m);
    VolumeSum cones;
    cones.once = sides.once * height;
    cones.moment = vec3_scale(vec3_add_scaled(sides.moment, triangle->normal, height * sides.once), height);
    return cones;
}

/// The end of a part of a mesh edge at a point of a contour, if the edge is one of this triangle's; else nothing.
FN VolumeSum volume_edge_end(const PlacedTriangle *triangle, u32 is_second, u64 name, Vec3 at) {
    if (inside_name_is_second(name) != is_second) return volume_none();
    u32 edge = inside_name_edge(name), k = triangle->edges[0] == edge ? 0u : triangle->edges[1] == edge ? 1u : 2u;
    Vec3 along = vec3_sub(triangle->corners_m[crossing_successor(k)], triangle->corners_m[k]);
    return volume_of_end(vec3_cross(triangle->normal, at), at, along);
}

/// What the sides that meet at a segment add to the piece of one of its two triangles: an edge's part that leads to its
/// start, itself, an edge's part that leads on from its end. Of the second surface all of these run the other way
/// round: the sign is the caller's.
FN VolumeSum volume_of_segment(const MeshPair *pair, GLOBAL const RegionSegment *segment, u32 is_second,
                               Vec3 origin_m) {
    PlacedTriangle triangle =
        mesh_pair_triangle(pair, is_second, is_second ? segment->triangle_second : segment->triangle_first);
    mesh_pair_set_normal(&triangle);
    Vec3 from = vec3_sub(segment->from_m, origin_m), to = vec3_sub(segment->to_m, origin_m);
    VolumeSum sum;
    sum.once = vec3_dot(triangle.normal, vec3_cross(from, to));
    sum.moment = vec3_scale(vec3_add(from, to), sum.once);
    volume_add(&sum, volume_edge_end(&triangle, is_second, segment->from, from), 1.0);
    volume_add(&sum, volume_edge_end(&triangle, is_second, segment->to, to), -1.0);
    return volume_of_cones(&triangle, sum, origin_m);
}

/// What both of a triangle's edges at its corner k add.
FN VolumeSum volume_of_corner(const PlacedTriangle *triangle, u32 k, Vec3 origin_m) {
    u32 next = crossing_successor(k), last = crossing_successor(next);
    Vec3 at = vec3_sub(triangle->corners_m[k], origin_m);
    Vec3 swept = vec3_cross(triangle->normal, at);
    VolumeSum sum = volume_of_end(swept, at, vec3_sub(triangle->corners_m[k], triangle->corners_m[last]));
    volume_add(&sum, volume_of_end(swept, at, vec3_sub(triangle->corners_m[next], triangle->corners_m[k])), -1.0);
    return volume_of_cones(triangle, sum, origin_m);
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
    u32 crossed = 0;
    for (u32 k = 0; k < 3 && crossed < 2; k++) {
        u64 key = inside_key(is_second, triangle->edges[k]);
        if (work->edge_cells[contour_cell(work->edge_cells, work->mask, key)].key != 0) crossed++;
    }
    return crossed < 2 ? 1u : 0u;
}

/// What a triangle adds of which all corners are inside: a tetrahedron.
FN VolumeSum volume_of_whole(const PlacedTriangle *triangle, Vec3 origin_m) {
    Vec3 a = vec3_sub(triangle->corners_m[0], origin_m), b = vec3_sub(triangle->corners_m[1], origin_m),
         c = vec3_sub(triangle->corners_m[2], origin_m);
    VolumeSum whole;
    whole.once = vec3_dot(a, vec3_cross(b, c));
    whole.moment = vec3_scale(vec3_add(a, vec3_add(b, c)), whole.once);
    return whole;
}

/// What a triangle adds for its corner k, which is the vertex `inside`. All three together add a tetrahedron, which
/// takes less to compute and comes with the first one. What its third edge has outside is taken off at the points of
/// contours.
FN VolumeSum volume_of_inside(const RegionWork *work, const MeshPair *pair, const RegionInside *inside, u32 number,
                              u32 k, Vec3 origin_m) {
    if (!inside->is_crossed && k > 0) return volume_none(); // two edges of the triangle are not
    GLOBAL const MeshTriangle *row =
        inside->is_second ? &pair->second.triangles[number] : &pair->first.triangles[number];
    u32 is_whole = !inside->is_crossed || volume_joins_corners(work, inside->is_second, row) ? 1u : 0u;
    if (is_whole && k > 0) return volume_none();
    PlacedTriangle triangle = mesh_pair_triangle(pair, inside->is_second, number);
    if (is_whole) return volume_of_whole(&triangle, origin_m);
    mesh_pair_set_normal(&triangle);
    return volume_of_corner(&triangle, k, origin_m);
}

/// What all triangles around a vertex add: each edge leads from it in one of them.
FN VolumeSum volume_of_vertex(const RegionWork *work, const MeshPair *pair, const RegionInside *inside, Vec3 origin_m) {
    const MeshView *mesh = inside->is_second ? &pair->second : &pair->first;
    u32 first = mesh->vertices[inside->vertex].spoke_first, count = mesh->vertices[inside->vertex].spoke_count;
    VolumeSum sum = volume_none();
    for (u32 i = first; i < first + count; i++) {
        MeshSpoke spoke = mesh->spokes[i];
        for (u32 side = 0; side < 2; side++) {
            u32 number = mesh->edges[spoke.edge].triangles[side];
            u32 k = number == NONE ? 3u : volume_corner_to(&mesh->triangles[number], inside->vertex, spoke.vertex);
            if (k < 3) volume_add(&sum, volume_of_inside(work, pair, inside, number, k, origin_m), 1.0);
        }
    }
    return sum;
}

/// Volume of a region's overlap and its centre. Of a region that is pierced, whose contours bound the overlap together,
/// an equal part for each of these that has an area, and so is reported as a region. A plane adds nothing, since the
/// origin lies in it.
FN void region_weigh(const RegionWork *work, const MeshPair *pair, RegionChoice choice, RegionShape *shape) {
    Vec3 origin_m = work->segments[work->loops[choice.root].first].from_m;
    VolumeSum sum = volume_none();
    for (u32 i = 0; i < work->segment_count; i++) {
        GLOBAL const RegionSegment *segment = &work->segments[i];
        if (contour_root(work, segment->loop) != choice.root) continue;
        volume_add(&sum, volume_of_segment(pair, segment, 0, origin_m), 1.0);
        if (!pair->is_plane) volume_add(&sum, volume_of_segment(pair, segment, 1, origin_m), -1.0);
    }
    for (u32 i = 0; i < work->inside_count; i++) {
        RegionInside inside = work->inside[i];
        if (contour_root(work, inside.loop) == choice.root)
            volume_add(&sum, volume_of_vertex(work, pair, &inside, origin_m), 1.0);
    }
    real parts = 0.0;
    for (u32 i = 0; i < work->loop_count && choice.only_loop != NONE; i++)
        if (contour_root(work, i) == choice.root && vec3_length(COPY(work->loops[i].area_m2)) > 0.0) parts += 1.0;
    shape->volume_m3 = sum.once / (6.0 * real_max(parts, 1.0));
    shape->middle_m = shape->centroid_m;
    if (sum.once > 0.0) shape->middle_m = vec3_add_scaled(origin_m, sum.moment, 0.25 / sum.once);
}

// Of area times depth: a volume nearer to 0 is of a region without thickness.
#define REGION_HOLE_SHARE 1.0e-6

/// Do its contours bound a hole of another region's overlap, in which a cavity lies? A cavity is a component.
FN u32 region_is_hole(const MeshPair *pair, const RegionShape *shape) {
    if (pair->first.part_count == 1 && (pair->is_plane || pair->second.part_count == 1)) return 0;
    real depth_m = shape->depth_first_m + shape->depth_second_m;
    return shape->volume_m3 < 0.0 - REGION_HOLE_SHARE * shape->area_m2 * depth_m ? 1u : 0u;
}

#endif
