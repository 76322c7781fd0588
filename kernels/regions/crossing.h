// Where two triangles cross, decided by signs alone: of heights over the other one's plane and of volumes of two edges.
// Each sign is computed from the same numbers in the same order wherever it is asked for, of two edges with vertices in
// the order of their numbers, so that the two triangles of an edge get equal bits. Zero counts as positive.
#ifndef CLACK_REGIONS_CROSSING_H
#define CLACK_REGIONS_CROSSING_H

#include "regions/mesh_pair.h"

#define CROSSING_NONE 0u
#define CROSSING_SEGMENT 1u
#define CROSSING_ODD 2u // signs that no two triangles have: rounding, or points in one plane

FN_SHORT u32 crossing_successor(u32 k) { return k == 2 ? 0u : k + 1u; }

/// Heights of a triangle's corners over the plane of another, times twice its area, m^3. Bit k of the result: corner k
/// is outside, at a height >= 0.
FN u32 crossing_heights(const PlacedTriangle *one, const PlacedTriangle *other, real heights[3]) {
    u32 sides = 0;
    for (u32 k = 0; k < 3; k++) {
        heights[k] = vec3_dot(other->normal, vec3_sub(one->corners_m[k], other->corners_m[0]));
        sides |= heights[k] >= 0.0 ? 1u << k : 0u;
    }
    return sides;
}

/// 1: the volume of an edge of one triangle and an edge of the other is positive, each taken along its triangle.
FN u32 crossing_edges_sign(const PlacedTriangle *a, u32 i, const PlacedTriangle *b, u32 k) {
    u32 p = i, q = crossing_successor(i), s = k, t = crossing_successor(k), is_odd = 0;
    if (a->vertices[p] > a->vertices[q]) {
        p = q;
        q = i;
        is_odd = 1;
    }
    if (b->vertices[s] > b->vertices[t]) {
        s = t;
        t = k;
        is_odd ^= 1u;
    }
    Vec3 along = vec3_sub(a->corners_m[q], a->corners_m[p]);
    Vec3 to_s = vec3_sub(b->corners_m[s], a->corners_m[p]), to_t = vec3_sub(b->corners_m[t], a->corners_m[p]);
    u32 is_positive = vec3_dot(vec3_cross(along, to_s), to_t) >= 0.0 ? 1u : 0u;
    return is_positive ^ is_odd;
}

/// Bit 3 i + k: the sign of edge i of a and edge k of b.
FN u32 crossing_signs(const PlacedTriangle *a, const PlacedTriangle *b) {
    u32 signs = 0;
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 3; k++) signs |= crossing_edges_sign(a, i, b, k) << (3 * i + k);
    return signs;
}

FN_SHORT u64 crossing_name(u32 is_second, u32 edge, u32 triangle) {
    return (is_second ? REGION_NAME_SECOND : (u64)0) | REGION_NAME_SET | (u64)edge << 32 | (u64)triangle;
}

// An edge goes through a triangle.
typedef struct CrossingPoint {
    Vec3 at_m;
    u64 name;
    real share, error; // from the lower vertex of the edge to the higher; of it by rounding, a bound
    u32 is_low_inside; // of the lower vertex: below the triangle
} CrossingPoint;

// A height is off by less than this times the normal and how far the edge's ends are from its triangle, by components;
// by more over slivers, whose normals are.
#define CROSSING_ROUNDING 1.0e-14

/// Where edge k of `own` goes through a plane over which its corners are so high: from the lower vertex, so that both
/// triangles of the edge get the same bits. An edge nearly in the plane is cut anywhere, by rounding.
FN CrossingPoint crossing_point(const PlacedTriangle *own, u32 k, const real heights[3], Vec3 normal, Vec3 of_plane_m) {
    u32 low = k, high = crossing_successor(k);
    if (own->vertices[low] > own->vertices[high]) {
        low = high;
        high = k;
    }
    CrossingPoint point;
    point.name = 0;
    point.share = real_clamp(heights[low] / (heights[low] - heights[high]), 0.0, 1.0);
    point.at_m = vec3_add_scaled(own->corners_m[low], vec3_sub(own->corners_m[high], own->corners_m[low]), point.share);
    point.is_low_inside = heights[low] >= 0.0 ? 0u : 1u;
    real far_m = real_max(vec3_max_abs(vec3_sub(own->corners_m[low], of_plane_m)),
                          vec3_max_abs(vec3_sub(own->corners_m[high], of_plane_m)));
    real over = real_abs(heights[low] - heights[high]), by = CROSSING_ROUNDING * vec3_max_abs(normal) * far_m;
    point.error = by < over ? by / over : 1.0;
    return point;
}

// Ends of a segment as they are found.
typedef struct CrossingEnds {
    CrossingPoint from, to;
    u32 from_count, to_count;
} CrossingEnds;

/// A point is an end of the segment by the direction in which its edge leaves the other solid: seen from outside of the
/// first triangle, what is inside is to the left.
FN void crossing_take(CrossingEnds *ends, CrossingPoint point, u32 is_from) {
    if (is_from) {
        ends->from = point;
        ends->from_count++;
    } else {
        ends->to = point;
        ends->to_count++;
    }
}

FN u32 crossing_finish(const CrossingEnds *ends, u32 first, u32 second, RegionSegment *out) {
    if (ends->from_count + ends->to_count == 0) return CROSSING_NONE;
    if (ends->from_count != 1 || ends->to_count != 1) return CROSSING_ODD;
    out->from_m = ends->from.at_m;
    out->to_m = ends->to.at_m;
    out->from = ends->from.name;
    out->to = ends->to.name;
    out->share = ends->from.share;
    out->is_low_inside = ends->from.is_low_inside;
    out->triangle_first = first;
    out->triangle_second = second;
    out->next = NONE;
    out->loop = NONE;
    out->is_start = 0;
    out->beyond = NONE;
    out->share_error = (float)ends->from.error;
    return CROSSING_SEGMENT;
}

/// The segment of two triangles, numbered `first` and `second`: CROSSING_*.
FN u32 crossing_find(const PlacedTriangle *a, const PlacedTriangle *b, u32 first, u32 second, RegionSegment *out) {
    real heights_a[3], heights_b[3];
    u32 sides_a = crossing_heights(a, b, heights_a);
    if (sides_a == 0 || sides_a == 7) return CROSSING_NONE;
    u32 sides_b = crossing_heights(b, a, heights_b);
    if (sides_b == 0 || sides_b == 7) return CROSSING_NONE;
    u32 signs = crossing_signs(a, b);
    CrossingEnds ends = ALL_ZERO;
    for (u32 k = 0; k < 3; k++) {
        u32 next = crossing_successor(k), is_out = sides_a >> next & 1u;
        u32 across = signs >> (3 * k) & 7u; // edge k of a, all of b
        if ((sides_a >> k & 1u) != is_out && (across == 0 || across == 7)) {
            CrossingPoint point = crossing_point(a, k, heights_a, COPY(b->normal), COPY(b->corners_m[0]));
            point.name = crossing_name(0, a->edges[k], second);
            crossing_take(&ends, point, is_out);
        }
        is_out = sides_b >> next & 1u;
        across = signs >> k & 0x49u; // all of a, edge k of b
        if ((sides_b >> k & 1u) != is_out && (across == 0 || across == 0x49u)) {
            CrossingPoint point = crossing_point(b, k, heights_b, COPY(a->normal), COPY(a->corners_m[0]));
            point.name = crossing_name(1, b->edges[k], first);
            crossing_take(&ends, point, is_out ^ 1u);
        }
    }
    return crossing_finish(&ends, first, second, out);
}

/// The segment of a triangle and the plane z = 0, below which is the solid.
FN u32 crossing_find_plane(const PlacedTriangle *a, u32 first, RegionSegment *out) {
    real heights[3];
    u32 sides = 0;
    for (u32 k = 0; k < 3; k++) {
        heights[k] = a->corners_m[k].z;
        sides |= heights[k] >= 0.0 ? 1u << k : 0u;
    }
    CrossingEnds ends = ALL_ZERO;
    for (u32 k = 0; k < 3; k++) {
        u32 is_out = sides >> crossing_successor(k) & 1u;
        if ((sides >> k & 1u) == is_out) continue;
        CrossingPoint point = crossing_point(a, k, heights, vec3_make(0.0, 0.0, 1.0), vec3_zero());
        point.at_m.z = 0.0;
        point.name = crossing_name(0, a->edges[k], NONE);
        crossing_take(&ends, point, is_out);
    }
    return crossing_finish(&ends, first, NONE, out);
}

#endif
