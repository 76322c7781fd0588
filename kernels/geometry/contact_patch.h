// Contact along a line or over a face: the contact point is the centre of the contact patch.
//
// There the nearest points are not unique, and as a tilt passes through parallel they jump from one end to the other.
// So the touching part of each core is taken as a patch across the normal: of an edge, a side or a face within
// PATCH_TILT of parallel a share that fades with the tilt, so that the patch shrinks to the nearest point. The overlap
// of both patches is a polygon, whose centre moves continuously, at most by a length over PATCH_TILT for each radian.
// Distance and normal are unchanged; over the patch the gap differs by PATCH_TILT of its length.
// kernels/geometry/README.md, "Several contacts of one pair". Tested: tests/kernels/geometry/test_contact_patch.cc.
#ifndef CLACK_GEOMETRY_CONTACT_PATCH_H
#define CLACK_GEOMETRY_CONTACT_PATCH_H

#include "geometry/core_pair.h"
#include "geometry/shape.h"

#define PATCH_TILT HULL_NEAR  // sine: edges and faces tilted by less count as patches
#define PATCH_CORNERS 16u     // of a patch; larger faces of hulls keep their nearest point
#define PATCH_CLIPPED 32u     // of two patches' overlap
#define PATCH_THIN 1.0e-9     // of the size: width below which a patch counts as a line
#define PATCH_OUTSIDE 1.0e-15 // of the size: distance of a corner from an edge by rounding

/// Share of an edge or face that counts at a tilt with this sine.
FN_SHORT real patch_share(real sine) { return real_max(0.0, 1.0 - real_abs(sine) / PATCH_TILT); }

// Touching part of a core: a parallelogram about a centre, or a disc; own axes.
typedef struct ContactPatch {
    Vec3 centre;        // from the nearest point
    Vec3 first, second; // half sides; `first` has the larger share
    real share1, share2;
    real disc_m;             // radius of a disc added to them, with the second's share
    real curvature_radius_m; // radius of curvature across a line
    u32 is_hull;             // given by vertices instead
} ContactPatch;

FN_SHORT void patch_add_side(ContactPatch *patch, Vec3 side, real share) {
    u32 is_first = share > patch->share1 ? 1u : 0u;
    Vec3 scaled = vec3_scale(side, share);
    patch->second = is_first != 0 ? patch->first : share > patch->share2 ? scaled : patch->second;
    patch->share2 = is_first != 0 ? patch->share1 : real_max(share, patch->share2);
    patch->first = is_first != 0 ? scaled : patch->first;
    patch->share1 = is_first != 0 ? share : patch->share1;
}

FN_SHORT u32 patch_is_level(real sine) { return real_abs(sine) < PATCH_TILT ? 1u : 0u; }

#define PATCH_POINT 0u
#define PATCH_LINE 1u
#define PATCH_MORE 2u

/// Dimension of the touching part of a core that is no hull, in the direction u, both in own axes: PATCH_POINT,
/// PATCH_LINE or PATCH_MORE. half_m: becomes the half length of a line.
FN_SHORT u32 patch_extent(const Core *core, Vec3 u, Vec3 *half_m) {
    u32 mask = core->segments.mask;
    u32 wide = mask & (patch_is_level(u.x) | patch_is_level(u.y) << 1 | patch_is_level(u.z) << 2);
    if (core->disc_m > 0.0 && core_across_square(core, u) < PATCH_TILT * PATCH_TILT) return PATCH_MORE;
    if (wide != 0) {
        u32 k = wide >> 1;
        if (k == 3u || (wide & (wide - 1u)) != 0) return PATCH_MORE;
        *half_m = vec3_scale(vec3_unit(k), vec3_component(core->segments.half_m, k));
        return PATCH_LINE;
    }
    if ((mask & CORE_SIDE) == 0) return PATCH_POINT;
    Vec3 side = core_side(core, u);
    real slope = vec3_dot(u, side);
    *half_m = vec3_scale(side, 0.5);
    return slope * slope < PATCH_TILT * PATCH_TILT * vec3_dot(side, side) ? PATCH_LINE : PATCH_POINT;
}

// Vertices of a hull at least as far along a direction as `least`, at scale 1: how many, the first and the last one.
typedef struct PatchVertices {
    real least;
    u32 near, first, last;
} PatchVertices;

FN_SHORT void patch_count(PatchVertices *found, const Core *core, Vec3 u, u32 vertex) {
    u32 is_near = vec3_dot(core->map.vertices[vertex].at_m, u) > found->least ? 1u : 0u;
    found->near += is_near;
    found->last = is_near != 0 ? vertex : found->last;
    found->first = is_near != 0 && found->first == NONE ? vertex : found->first;
}

FN void patch_count_all(PatchVertices *found, const Core *core, Vec3 u) {
    GLOBAL const HullRow *balls = core->hulls + core->shape->hull_first;
    u32 count = core->shape->hull_vertices, blocks = hull_blocks(count);
    for (u32 block = 0; block < blocks; block++) {
        if (blocks > 1 && vec3_dot(balls[block].at_m, u) + balls[block].reach_m < found->least) continue;
        u32 end = u32_min((block + 1) * HULL_BLOCK, count);
        for (u32 i = block * HULL_BLOCK; i < end; i++) patch_count(found, core, u, i);
    }
}

/// The same for a hull about its point p, which is farthest in the unit direction u.
FN u32 patch_hull_extent(const Core *core, Vec3 u, Vec3 p, Vec3 *half_m) {
    PatchVertices found;
    found.least = (vec3_dot(p, u) - PATCH_TILT * shape_size_m(core->shape)) / core->scale;
    found.near = found.last = 0;
    found.first = NONE;
    GLOBAL const unsigned char *cell = core->map.cells;
    if (core->map.side != 0) cell += HULL_CELL_BYTES * shape_hull_cell(u, core->map.side);
    if (core->map.side == 0 || shape_hull_cell_vertex(cell, 0) == HULL_CELL_FULL) {
        patch_count_all(&found, core, u);
    } else {
        u32 before = NONE;
        for (u32 k = 0; k < HULL_CELL_VERTICES && shape_hull_cell_vertex(cell, k) != before; k++) {
            before = shape_hull_cell_vertex(cell, k);
            patch_count(&found, core, u, before);
        }
    }
    if (found.near < 2) return PATCH_POINT;
    *half_m = vec3_scale(vec3_sub(core_hull_vertex(core, found.last), core_hull_vertex(core, found.first)), 0.5);
    return found.near == 2 ? PATCH_LINE : PATCH_MORE;
}

// The side of a cone, from its end that is farther along u.
FN void patch_of_side(const Core *core, Vec3 u, ContactPatch *patch) {
    Vec3 side = core_side(core, u);
    real slope = vec3_dot(u, side) / vec3_length(side);
    real share = patch_share(slope);
    Vec3 to_middle = vec3_scale(side, 0.5);
    patch->centre = vec3_add_scaled(patch->centre, to_middle, slope > 0.0 ? 0.0 - share : share);
    patch_add_side(patch, to_middle, share);
}

/// Patch of a core about its point p, which is farthest in the direction u, both in own axes; for hulls see
/// patch_of_hull.
FN void patch_find(const Core *core, Vec3 u, Vec3 p, ContactPatch *patch) {
    patch->centre = patch->first = patch->second = vec3_zero();
    patch->share1 = patch->share2 = patch->disc_m = 0.0;
    patch->curvature_radius_m = core->disc_m;
    patch->is_hull = kind_is(core->kind, SHAPE_HULL) ? 1u : 0u;
    if (patch->is_hull != 0) return;
    real disc = core->disc_m > 0.0 ? patch_share(real_sqrt(core_across_square(core, u))) : 0.0;
    u32 mask = core->segments.mask;
    CoreSupport piece = core_support_point(core, u, 1.0, 0);
    patch->centre = vec3_sub(piece.point, p); // not p where the farthest points are many
    if ((mask & CORE_SIDE) != 0 && disc == 0.0) patch_of_side(core, u, patch);
    Vec3 half_m = core->segments.half_m;
    for (u32 k = 0; k < 3; k++) {
        if ((mask >> k & 1u) == 0) continue;
        real on = vec3_component(u, k), share = patch_share(on);
        Vec3 side = vec3_scale(vec3_unit(k), vec3_component(half_m, k));
        patch->centre = vec3_add_scaled(patch->centre, side, 0.0 - share * shape_sign(on));
        patch_add_side(patch, side, share);
    }
    patch->disc_m = disc * piece.disc_m;
    patch->share2 = real_max(patch->share2, disc);
    if (disc > 0.0) { // from the rim inwards
        Vec3 axis = core_disc_axis(core);
        Vec3 out = vec3_add_scaled(u, axis, 0.0 - vec3_dot(u, axis));
        patch->centre = vec3_add_scaled(patch->centre, out, 0.0 - patch->disc_m * piece.disc_scale);
        patch->curvature_radius_m = 0.0;
    }
}

// --- polygons across the normal -----------------------------------------------------------------------------

typedef struct PatchPolygon { // convex, in either orientation
    Across corners[PATCH_CLIPPED];
    u32 count;
    real area_m2; // twice the area; 0: a line or a point
} PatchPolygon;

// Axes across the normal, in the axes of a shape.
typedef struct PatchAxes {
    Vec3 x, y;
} PatchAxes;

FN_SHORT Across patch_across(PatchAxes axes, Vec3 v) { return across_make(vec3_dot(v, axes.x), vec3_dot(v, axes.y)); }

FN void patch_measure(PatchPolygon *polygon) {
    real area = 0.0;
    ROLLED for (u32 k = 2; k < polygon->count; k++) area +=
        across_cross(across_sub(COPY(polygon->corners[k - 1]), COPY(polygon->corners[0])),
                     across_sub(COPY(polygon->corners[k]), COPY(polygon->corners[0])));
    polygon->area_m2 = area;
}

/// Corners of a disc, of a beam's face or of a parallelogram, with lines wide_m wide on either side.
FN void patch_outline(const Core *core, const ContactPatch *patch, PatchAxes axes, real wide_m, PatchPolygon *polygon) {
    const real out[4] = {0.98078528040323044, 0.83146961230254524, 0.55557023301960218, 0.19509032201612825};
    Across centre = patch_across(axes, COPY(patch->centre)), first = patch_across(axes, COPY(patch->first));
    Across second = patch_across(axes, COPY(patch->second));
    real length = real_sqrt(across_dot(first, first));
    if (wide_m > 0.0) {
        Across wide = across_make(0.0 - first.y / length, first.x / length);
        second = across_add_scaled(second, wide, across_dot(second, wide) < 0.0 ? 0.0 - wide_m : wide_m);
    }
    u32 is_disc = patch->disc_m > 0.0 ? 1u : 0u, is_beam = kind_is(core->kind, SHAPE_BEAM) ? 1u : 0u;
    Across x = patch_across(axes, vec3_make(patch->disc_m, 0.0, 0.0));
    Across y =
        patch_across(axes, is_beam != 0 ? vec3_make(0.0, 0.0, patch->disc_m) : vec3_make(0.0, patch->disc_m, 0.0));
    polygon->count = is_disc != 0 ? PATCH_CORNERS : 4u;
    ROLLED for (u32 k = 0; k < polygon->count; k++) {
        u32 quarter = is_disc != 0 ? k / 4u : k, step = k % 4u;
        real on = is_disc == 0 ? 0.0 : (quarter & 1u) != 0 ? out[3u - step] : out[step];
        real rest = is_disc == 0 ? 0.0 : (quarter & 1u) != 0 ? out[step] : out[3u - step];
        real sign_x = quarter == 0 || quarter == 3u ? 1.0 : -1.0, sign_y = quarter < 2u ? 1.0 : -1.0;
        Across spot = across_add_scaled(across_add_scaled(centre, x, sign_x * on), y, sign_y * rest);
        // The beam's straight sides are along its second axis, between the halves of the disc.
        spot = across_add_scaled(spot, first, is_disc != 0 ? sign_y : sign_x);
        polygon->corners[k] = is_disc != 0 ? spot : across_add_scaled(spot, second, sign_y);
    }
    patch_measure(polygon);
}

/// Patch of a hull: its touching vertices, each drawn towards their mean by what its height leaves of its share.
/// Returns whether there are at least two, and not too many. The two with the largest shares span the patch's line.
FN u32 patch_of_hull(const Core *core, Vec3 u, Vec3 p, PatchAxes axes, ContactPatch *patch, PatchPolygon *drawn) {
    GLOBAL const Shape *shape = core->shape;
    real size = shape_size_m(shape), reach = vec3_dot(p, u);
    real shares[PATCH_CORNERS], sum = 0.0, most = 0.0, next = 0.0, third = 0.0;
    Vec3 first = p, second = p;
    Across middle = across_make(0.0, 0.0);
    u32 count = 0;
    for (u32 i = 0; i < shape->hull_vertices; i++) {
        Vec3 vertex = shape_hull_vertex(shape, core->hulls, i);
        real share = real_min(1.0, patch_share(real_max(0.0, reach - vec3_dot(vertex, u)) / size));
        if (!(share > 0.0)) continue;
        if (count == PATCH_CORNERS) return 0;
        shares[count] = share;
        drawn->corners[count] = patch_across(axes, vec3_sub(vertex, p));
        middle = across_add_scaled(middle, COPY(drawn->corners[count++]), share);
        sum += share;
        u32 is_most = share > most ? 1u : 0u, is_next = share > next ? 1u : 0u;
        third = is_next != 0 ? next : real_max(third, share);
        second = is_most != 0 ? first : is_next != 0 ? vertex : second;
        next = is_most != 0 ? most : is_next != 0 ? share : next;
        first = is_most != 0 ? vertex : first;
        most = is_most != 0 ? share : most;
    }
    if (count < 2) return 0;
    middle = across_make(middle.x / sum, middle.y / sum);
    for (u32 i = 0; i < count; i++)
        drawn->corners[i] = across_add_scaled(middle, across_sub(COPY(drawn->corners[i]), middle), shares[i]);
    drawn->count = count;
    patch->first = vec3_scale(vec3_sub(second, first), 0.5 * next);
    patch->share1 = next;
    patch->share2 = third;
    return 1;
}

/// The convex outline of spots that are wide_m wide across a line on either side.
FN void patch_wrap(const PatchPolygon *spots, Across line, real wide_m, PatchPolygon *polygon) {
    Across all[PATCH_CLIPPED], wide = across_make(0.0, 0.0);
    real length = real_sqrt(across_dot(line, line));
    if (wide_m > 0.0) wide = across_make(0.0 - wide_m * line.y / length, wide_m * line.x / length);
    u32 count = wide_m > 0.0 ? 2u * spots->count : spots->count, start = 0;
    for (u32 k = 0; k < count; k++) {
        all[k] = across_add_scaled(COPY(spots->corners[k % spots->count]), wide, k < spots->count ? 1.0 : -1.0);
        if (all[k].x < all[start].x || (all[k].x == all[start].x && all[k].y < all[start].y)) start = k;
    }
    polygon->count = 0;
    u32 at = start;
    for (u32 step = 0; step < count; step++) {
        polygon->corners[polygon->count++] = all[at];
        u32 next = at;
        real farthest = 0.0;
        for (u32 k = 0; k < count; k++) {
            Across chord = across_sub(all[k], all[at]);
            real far = across_dot(chord, chord), side = across_cross(across_sub(all[next], all[at]), chord);
            if (!(far > 0.0) || !(next == at || side < 0.0 || (side == 0.0 && far > farthest))) continue;
            next = k;
            farthest = far;
        }
        at = next;
        if (at == start || polygon->count == PATCH_CLIPPED) break;
    }
    patch_measure(polygon);
}

/// The part of a polygon on the inner side of the line from `from` to `to`. sign: of the other polygon's area.
FN void patch_cut(PatchPolygon *polygon, Across from, Across to, real sign, real outside_m) {
    PatchPolygon left;
    Across edge = across_sub(to, from);
    real length = real_sqrt(across_dot(edge, edge)), share = length > 0.0 ? sign / length : 0.0;
    left.count = 0;
    for (u32 k = 0; k < polygon->count; k++) {
        Across here = polygon->corners[k], there = polygon->corners[k + 1u == polygon->count ? 0u : k + 1u];
        real in_here = share * across_cross(edge, across_sub(here, from));
        real in_there = share * across_cross(edge, across_sub(there, from));
        u32 is_here = in_here >= 0.0 - outside_m ? 1u : 0u, is_there = in_there >= 0.0 - outside_m ? 1u : 0u;
        if (is_here != 0 && left.count < PATCH_CLIPPED) left.corners[left.count++] = here;
        if (is_here == is_there || left.count == PATCH_CLIPPED) continue;
        left.corners[left.count++] = across_add_scaled(here, across_sub(there, here), in_here / (in_here - in_there));
    }
    polygon->count = left.count;
    for (u32 k = 0; k < left.count; k++) polygon->corners[k] = left.corners[k];
}

/// Centroid of a polygon: of its area, for thin ones of its outline.
FN Across patch_middle(const PatchPolygon *polygon, real thin_m) {
    if (polygon->count == 0) return across_make(0.0, 0.0);
    Across origin = polygon->corners[0], sum = across_make(0.0, 0.0);
    real area = 0.0, outline = 0.0;
    Across along = sum;
    ROLLED for (u32 k = 0; k < polygon->count; k++) {
        Across here = across_sub(COPY(polygon->corners[k]), origin);
        Across there = across_sub(COPY(polygon->corners[k + 1u == polygon->count ? 0u : k + 1u]), origin);
        Across both = across_add_scaled(here, there, 1.0), chord = across_sub(there, here);
        real part = 0.5 * across_cross(here, there), length = real_sqrt(across_dot(chord, chord));
        area += part;
        outline += length;
        sum = across_add_scaled(sum, both, part / 3.0);
        along = across_add_scaled(along, both, 0.5 * length);
    }
    real sign = area < 0.0 ? -1.0 : 1.0, all = sign * area + thin_m * outline;
    if (!(all > 0.0)) return origin;
    return across_add_scaled(origin, across_add_scaled(across_make(sign * sum.x, sign * sum.y), along, thin_m),
                             1.0 / all);
}

// --- two cores ----------------------------------------------------------------------------------------------

/// Half the width given to lines if both cores touch along one, m: at that distance the gap is wider by PATCH_TILT of
/// their length. It fades with the angle at which they cross, to 0 at the angle at which they part that far. apart_m:
/// distance of the cores.
FN real patch_width(const ContactPatch *a, const ContactPatch *b, Across line_a, Across line_b, real apart_m) {
    real lines = real_max(0.0, a->share1 - a->share2) * real_max(0.0, b->share1 - b->share2);
    if (!(lines > 0.0)) return 0.0;
    real square_a = across_dot(line_a, line_a), square_b = across_dot(line_b, line_b);
    real length = real_sqrt(real_min(square_a / (a->share1 * a->share1), square_b / (b->share1 * b->share1)));
    real square = 2.0 * PATCH_TILT * length * (real_max(apart_m, 0.0) + a->curvature_radius_m + b->curvature_radius_m);
    real cross = across_cross(line_a, line_b);
    real fade = square - cross * cross / (square_a * square_b) * length * length;
    return fade > 0.0 ? lines * fade / real_sqrt(square) : 0.0;
}

/// Vector from the nearest points of two cores to the centre of the contact patch, across the normal n, if both touch
/// with more than a point. a, b: the points, with n in the axes of B; p, u: A's with n in its own. apart_m: distance
/// between them.
FN_LINK Vec3 patch_common_middle(const CorePair *pair, Vec3 n, Vec3 u, Vec3 p, Vec3 b, real apart_m) {
    ContactPatch patch_a, patch_b;
    patch_find(&pair->a, u, p, &patch_a);
    patch_find(&pair->b, vec3_negate(n), b, &patch_b);
    PatchAxes axes_a, axes_b;
    axes_b.x = vec3_perpendicular(n);
    axes_b.y = vec3_cross(n, axes_b.x);
    axes_a.x = mat3_rotate_back(pair->turn, axes_b.x);
    axes_a.y = mat3_rotate_back(pair->turn, axes_b.y);
    PatchPolygon spots_a, spots_b, outline_a, outline_b;
    if (patch_a.is_hull != 0 && patch_of_hull(&pair->a, u, p, axes_a, &patch_a, &spots_a) == 0) return vec3_zero();
    if (patch_b.is_hull != 0 && patch_of_hull(&pair->b, vec3_negate(n), b, axes_b, &patch_b, &spots_b) == 0)
        return vec3_zero();
    Across line_a = patch_across(axes_a, patch_a.first), line_b = patch_across(axes_b, patch_b.first);
    real wide_m = patch_width(&patch_a, &patch_b, line_a, line_b, apart_m), size = pair->sizes_m;
    if (wide_m == 0.0 && patch_a.share2 == 0.0 && patch_b.share2 == 0.0) return vec3_zero(); // lines that cross
    if (patch_a.is_hull != 0)
        patch_wrap(&spots_a, line_a, wide_m, &outline_a);
    else
        patch_outline(&pair->a, &patch_a, axes_a, wide_m, &outline_a);
    if (patch_b.is_hull != 0)
        patch_wrap(&spots_b, line_b, wide_m, &outline_b);
    else
        patch_outline(&pair->b, &patch_b, axes_b, wide_m, &outline_b);
    u32 is_a = real_abs(outline_a.area_m2) > real_abs(outline_b.area_m2) ? 1u : 0u; // the larger one cuts the other
    const PatchPolygon *cutter = is_a != 0 ? &outline_a : &outline_b;
    PatchPolygon *cut = is_a != 0 ? &outline_b : &outline_a;
    for (u32 k = 0; k < cutter->count && cut->count > 0; k++)
        patch_cut(cut, COPY(cutter->corners[k]), COPY(cutter->corners[k + 1u == cutter->count ? 0u : k + 1u]),
                  cutter->area_m2 < 0.0 ? -1.0 : 1.0, PATCH_OUTSIDE * size);
    if (cut->count == 0) return vec3_zero();
    Across middle = patch_middle(cut, PATCH_THIN * size);
    return vec3_add_scaled(vec3_scale(axes_b.x, middle.x), axes_b.y, middle.y);
}

/// Do lines cross at an angle at which patch_width is 0? Half lines, in the same axes.
FN_SHORT u32 patch_is_crossing(Vec3 line_a, Vec3 line_b, real curvature_radius_m) {
    Vec3 cross = vec3_cross(line_a, line_b);
    real square_a = vec3_dot(line_a, line_a), square_b = vec3_dot(line_b, line_b);
    real width = 2.0 * PATCH_TILT * curvature_radius_m * real_max(square_a, square_b);
    return vec3_dot(cross, cross) * vec3_dot(cross, cross) > width * width * real_min(square_a, square_b) ? 1u : 0u;
}

/// The same for any touching parts; 0 if one is a point. Comparisons alone decide what is a point.
FN_STAGE Vec3 patch_shift(const CorePair *pair, Vec3 n, Vec3 a, Vec3 b, real apart_m) {
    if ((shape_kind_is_smooth(pair->a.kind) | shape_kind_is_smooth(pair->b.kind)) != 0) return vec3_zero();
    Vec3 line_a = vec3_zero(), line_b = line_a, p = line_a; // initialised here: see ROLLED
    u32 is_hull_a = kind_is(pair->a.kind, SHAPE_HULL) ? 1u : 0u,
        is_hull_b = kind_is(pair->b.kind, SHAPE_HULL) ? 1u : 0u;
    u32 extent_a = PATCH_MORE, extent_b = PATCH_MORE;
    if (is_hull_b == 0) extent_b = patch_extent(&pair->b, vec3_negate(n), &line_b);
    if (extent_b == PATCH_POINT) return vec3_zero();
    Vec3 u = mat3_rotate_back(pair->turn, n);
    if (is_hull_a == 0) extent_a = patch_extent(&pair->a, u, &line_a);
    if (extent_a == PATCH_POINT) return vec3_zero();
    if (is_hull_b != 0) extent_b = patch_hull_extent(&pair->b, vec3_negate(n), b, &line_b);
    if (extent_b == PATCH_POINT) return vec3_zero();
    p = mat3_rotate_back(pair->turn, vec3_sub(a, pair->place));
    if (is_hull_a != 0) extent_a = patch_hull_extent(&pair->a, u, p, &line_a);
    if (extent_a == PATCH_POINT) return vec3_zero();
    if (extent_a == PATCH_LINE && extent_b == PATCH_LINE &&
        patch_is_crossing(mat3_rotate(pair->turn, line_a), line_b,
                          real_max(apart_m, 0.0) + pair->a.disc_m + pair->b.disc_m) != 0)
        return vec3_zero();
    return patch_common_middle(pair, n, u, p, b, apart_m);
}

/// Of one core against a plane.
FN Vec3 patch_on_plane(const Core *core, Vec3 u, Vec3 p) {
    ContactPatch patch;
    Vec3 line;
    if (!kind_is(core->kind, SHAPE_HULL) && patch_extent(core, u, &line) == PATCH_POINT) return vec3_zero();
    patch_find(core, u, p, &patch);
    PatchAxes axes;
    axes.x = vec3_perpendicular(u);
    axes.y = vec3_cross(u, axes.x);
    PatchPolygon spots, outline;
    if (patch.is_hull != 0 && patch_of_hull(core, u, p, axes, &patch, &spots) == 0) return vec3_zero();
    if (patch.is_hull != 0)
        patch_wrap(&spots, across_make(1.0, 0.0), 0.0, &outline);
    else
        patch_outline(core, &patch, axes, 0.0, &outline);
    Across middle = patch_middle(&outline, PATCH_THIN * shape_size_m(core->shape));
    return vec3_add_scaled(vec3_scale(axes.x, middle.x), axes.y, middle.y);
}

#endif
