// Area, normal, centroid, depths and reach of a region: sums over its oriented segments.
#ifndef CLACK_REGIONS_REGION_MEASURE_H
#define CLACK_REGIONS_REGION_MEASURE_H

#include "regions/fitted_plane.h"
#include "regions/inside.h"

// Of a curved surface in flat triangles, a contact radius of less than so many edges gives the force of Hertz's law too
// low by more than 3.5 %: 0.967 of it at 3.2, 0.92 at 1.9 (an icosphere on a plane in 40 orientations).
#define REGION_COARSE_RATIO 3.0
// Edges of two triangles whose normals differ by less than 45 degrees stand for a curved surface, those whose normals
// differ by less than 1e-4 rad lie in a flat one.
#define REGION_BENT_COSINE 0.7071067811865476
#define REGION_FLAT_SINE 1.0e-4
#define REGION_EDGE_OF_HEIGHT 1.1547005383792515 // of an equilateral triangle
#define REGION_PI 3.141592653589793

// Which segments: those of one loop, or of all loops of a region.
typedef struct RegionChoice {
    u32 root;      // lowest loop of the region
    u32 only_loop; // NONE: all of them
} RegionChoice;

// In the frame of the second; the normal points from the first to the second.
typedef struct RegionShape {
    Vec3 normal, centroid_m;
    real area_m2, perimeter_m;
    real spread_m; // of the contour along the normal, root of the mean square
    real depth_first_m, depth_second_m;
    real reach_m;   // of the contour from the centroid, at most
    real volume_m3; // of the overlap (region_volume.h); NaN where a contour is open
    Vec3 middle_m;  // centre of that volume; the centroid where a contour is open
    u32 loop_count, segment_count, is_open;
} RegionShape;

FN_SHORT real region_not_a_number(void) { return real_of_bits((u64)0x7ff80000u << 32); }

FN_SHORT u32 region_has_loop(const RegionWork *work, RegionChoice choice, u32 loop) {
    if (choice.only_loop != NONE) return loop == choice.only_loop ? 1u : 0u;
    return contour_root(work, loop) == choice.root ? 1u : 0u;
}

/// Sum of its loops' area vectors, and how many there are. By their orientation the sum points into the second solid.
FN Vec3 region_sum_areas(const RegionWork *work, RegionChoice choice, RegionShape *out) {
    Vec3 sum = vec3_zero();
    out->loop_count = 0;
    out->segment_count = 0;
    out->is_open = 0;
    for (u32 i = 0; i < work->loop_count; i++) {
        if (!region_has_loop(work, choice, i)) continue;
        sum = vec3_add(sum, work->loops[i].area_m2);
        out->loop_count++;
        out->segment_count += work->loops[i].count;
        out->is_open |= work->loops[i].is_open;
    }
    return sum;
}

// Sums over segments, from an origin, in axes u, w across the normal and along it.
typedef struct RegionSums {
    Vec3 origin_m, u, w, n;
    real twice_area_m2, moment_u_m3, moment_w_m3; // the moments six times
    real length_m, height_m2, square_m3;          // weighted by length, the last three times
} RegionSums;

FN void region_add_loop(const RegionWork *work, u32 loop, RegionSums *sums) {
    u32 at = work->loops[loop].first;
    for (u32 i = 0; i < work->loops[loop].count; i++) {
        GLOBAL const RegionSegment *segment = &work->segments[at];
        Vec3 p = vec3_sub(segment->from_m, sums->origin_m), q = vec3_sub(segment->to_m, sums->origin_m);
        real pu = vec3_dot(p, sums->u), pw = vec3_dot(p, sums->w), pn = vec3_dot(p, sums->n);
        real qu = vec3_dot(q, sums->u), qw = vec3_dot(q, sums->w), qn = vec3_dot(q, sums->n);
        real cross = pu * qw - pw * qu, length = vec3_length(vec3_sub(q, p));
        sums->twice_area_m2 += cross;
        sums->moment_u_m3 = real_fma(pu + qu, cross, sums->moment_u_m3);
        sums->moment_w_m3 = real_fma(pw + qw, cross, sums->moment_w_m3);
        sums->length_m += length;
        sums->height_m2 = real_fma(0.5 * length, pn + qn, sums->height_m2);
        sums->square_m3 = real_fma(length, pn * pn + pn * qn + qn * qn, sums->square_m3);
        at = segment->next;
    }
}

/// Centroid of the projected contour about its first point, in the mean height of the contour. Source: moments of a
/// polygon as sums over its sides.
FN void region_place(const RegionWork *work, RegionChoice choice, RegionShape *shape) {
    RegionSums sums = ALL_ZERO;
    u32 first = choice.only_loop != NONE ? choice.only_loop : choice.root;
    sums.origin_m = work->segments[work->loops[first].first].from_m;
    sums.n = shape->normal;
    sums.u = vec3_perpendicular(sums.n);
    sums.w = vec3_cross(sums.n, sums.u);
    for (u32 i = 0; i < work->loop_count; i++)
        if (region_has_loop(work, choice, i)) region_add_loop(work, i, &sums);
    shape->perimeter_m = sums.length_m;
    real mean_m = sums.height_m2 / sums.length_m;
    shape->spread_m = real_sqrt(real_max(sums.square_m3 / (3.0 * sums.length_m) - mean_m * mean_m, 0.0));
    Vec3 at = vec3_add_scaled(sums.origin_m, sums.u, sums.moment_u_m3 / (3.0 * sums.twice_area_m2));
    at = vec3_add_scaled(at, sums.w, sums.moment_w_m3 / (3.0 * sums.twice_area_m2));
    shape->centroid_m = vec3_add_scaled(at, sums.n, mean_m);
}

/// How far each solid reaches beyond the centroid: its vertices within the other, and the contour, which alone says so
/// where two edges cross; how far the contour is from the centroid.
FN void region_measure_depths(const RegionWork *work, const MeshPair *pair, RegionChoice choice, RegionShape *shape) {
    real along = 0.0, against = 0.0, reach_m2 = 0.0; // along and against the normal
    for (u32 i = 0; i < work->segment_count; i++) {
        if (!region_has_loop(work, choice, work->segments[i].loop)) continue;
        Vec3 arm = vec3_sub(work->segments[i].from_m, shape->centroid_m);
        real height_m = vec3_dot(shape->normal, arm);
        along = real_max(along, height_m);
        against = real_max(against, 0.0 - height_m);
        reach_m2 = real_max(reach_m2, vec3_dot(arm, arm));
    }
    shape->reach_m = real_sqrt(reach_m2);
    shape->depth_first_m = along;
    shape->depth_second_m = against;
    for (u32 i = 0; i < work->inside_count; i++) {
        if (contour_root(work, work->inside[i].loop) != choice.root) continue;
        u32 is_second = work->inside[i].is_second;
        Vec3 at = mesh_pair_vertex(pair, is_second, work->inside[i].vertex);
        real height_m = vec3_dot(shape->normal, vec3_sub(at, shape->centroid_m));
        if (is_second)
            shape->depth_second_m = real_max(shape->depth_second_m, 0.0 - height_m);
        else
            shape->depth_first_m = real_max(shape->depth_first_m, height_m);
    }
}

/// How thick an overlap is at most, m, from the depth of its vertices about the plane of the contour and from its mean
/// thickness V / A. A cone has three times the latter; where the depth is more the contour itself is far from flat (a
/// pin in a bore of nearly its radius), and of such a crescent, a parabola across, the most is 1.5 times the mean.
FN_SHORT real region_thickness_m(real depth_m, real mean_m) {
    real cone_m = 3.0 * mean_m;
    if (depth_m <= cone_m) return depth_m;
    real share = cone_m / depth_m;
    return 0.5 * cone_m * real_fma(share, share, 1.0);
}

/// Normal of the plane that fits all points of its contours, each counted once.
FN Vec3 region_fit(const RegionWork *work, RegionChoice choice) {
    FittedSums sums = ALL_ZERO;
    sums.origin_m = work->segments[work->loops[choice.root].first].from_m;
    for (u32 i = 0; i < work->segment_count; i++)
        if (region_has_loop(work, choice, work->segments[i].loop)) fitted_add(&sums, COPY(work->segments[i].from_m));
    return fitted_normal(&sums);
}

/// 0: it has no area, and so no normal.
FN u32 region_measure(const RegionWork *work, const MeshPair *pair, RegionChoice choice, RegionShape *out) {
    Vec3 area = region_sum_areas(work, choice, out);
    out->area_m2 = vec3_length(area);
    if (!(out->area_m2 > 0.0)) return 0;
    out->normal = vec3_scale(area, 1.0 / out->area_m2);
    if (work->fits_planes) {
        Vec3 fitted = region_fit(work, choice);
        real along = vec3_dot(fitted, area);
        out->area_m2 = real_abs(along);
        if (!(out->area_m2 > 0.0)) return 0;
        out->normal = along < 0.0 ? vec3_negate(fitted) : fitted;
    }
    region_place(work, choice, out);
    region_measure_depths(work, pair, choice, out);
    return 1;
}

/// Does one solid go through the other? Its contours then lie apart along what would be the normal, farther than the
/// rest of their opposite areas is wide. A ring that lies flat has its two contours in one plane.
FN u32 region_is_pierced(const RegionShape *shape) {
    if (shape->loop_count < 2) return 0;
    return !(shape->area_m2 > 0.0) || shape->spread_m * shape->spread_m > shape->area_m2 ? 1u : 0u;
}

// --- is the mesh fine enough? -------------------------------------------------------------------------------

/// Twice the area of a triangle along its normal.
FN Vec3 region_face_area_twice(const MeshView *mesh, u32 triangle) {
    GLOBAL const MeshTriangle *row = &mesh->triangles[triangle];
    Vec3 origin = mesh->vertices[row->vertices[0]].at_m;
    return vec3_cross(vec3_sub(mesh->vertices[row->vertices[1]].at_m, origin),
                      vec3_sub(mesh->vertices[row->vertices[2]].at_m, origin));
}

/// The length of an edge that stands for a curved surface, m; 0: it does not. The surface is curved across the edge: of
/// one longer than its triangles are wide, as along a cylinder, the edge of equilateral ones of that width.
FN real region_bent_edge_m(const MeshView *mesh, u32 edge) {
    MeshEdge row = mesh->edges[edge];
    if (row.triangles[0] == NONE || row.triangles[1] == NONE) return 0.0;
    Vec3 one = region_face_area_twice(mesh, row.triangles[0]), other = region_face_area_twice(mesh, row.triangles[1]);
    real of_one = vec3_length(one), of_other = vec3_length(other), both = of_one * of_other;
    if (!(vec3_dot(one, other) > REGION_BENT_COSINE * both)) return 0.0;
    if (vec3_length(vec3_cross(one, other)) < REGION_FLAT_SINE * both) return 0.0;
    real length = vec3_length(vec3_sub(mesh->vertices[row.high].at_m, mesh->vertices[row.low].at_m));
    return real_min(length, REGION_EDGE_OF_HEIGHT * 0.5 * (of_one + of_other) / length);
}

/// A contact radius is the area over pi times the greatest distance from the centroid: of a long region its half width.
FN u32 region_is_coarse(const RegionWork *work, const MeshPair *pair, RegionChoice choice, const RegionShape *shape) {
    real sums_m[2], counts[2];
    sums_m[0] = sums_m[1] = counts[0] = counts[1] = 0.0;
    for (u32 i = 0; i < work->segment_count; i++) {
        if (!region_has_loop(work, choice, work->segments[i].loop)) continue;
        u32 is_second = inside_name_is_second(work->segments[i].from);
        real length_m =
            region_bent_edge_m(is_second ? &pair->second : &pair->first, inside_name_edge(work->segments[i].from));
        if (!(length_m > 0.0)) continue;
        sums_m[is_second] += length_m;
        counts[is_second] += 1.0;
    }
    real radius_m = shape->area_m2 / (REGION_PI * shape->reach_m);
    for (u32 k = 0; k < 2; k++)
        if (counts[k] > 0.0 && radius_m * counts[k] < REGION_COARSE_RATIO * sums_m[k]) return 1;
    return 0;
}

#endif
