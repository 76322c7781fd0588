// Solids about an axis as rings of points joined by triangles. A ring is a rectangle with round corners: four quarter
// circles and, between them, sides along u and v. A circle has no sides, the middle of a box no quarters.
#include "tessellate_internal.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define QUARTER_LEAST 3u    // edges of a quarter circle
#define CAP_QUARTER_MOST 5u // of the last ring of a flat disc before its middle
#define SECTIONS 8u         // of a ring: a quarter, a side along u, a quarter, a side along v, and again
#define FLAT_STRETCH 4.0    // of cells of flat faces, their longer over their shorter side
#define ROWS_MOST 1.0e5     // more make far more than TESSELLATE_MOST triangles

typedef struct Ring {
    double radius_m, height_m;
    double slope;     // cosine of the angle of the surface's normal over the plane across the axis
    uint32_t quarter; // edges of a quarter circle; 0: it is a point
    uint32_t first;   // its first point
} Ring;

typedef struct Rings {
    const RingSolid *solid;
    double spacing_m; // of rings, and of the points of a ring, so that the diagonals between them fit
    Ring *rings;      // (count), from the lower end of the axis to the upper one
    size_t count, room;
    uint32_t sides[2]; // edges of a side along u and v; 0: there is none
} Rings;

// --- where the rings are --------------------------------------------------------------------------

static int is_flat(const RingSolid *solid) {
    return solid->ball_m == 0.0 && solid->radius_m[0] == 0.0 && solid->radius_m[1] == 0.0;
}

static double steps_of(double length_m, double spacing_m) { return fmax(ceil(length_m / spacing_m), 1.0); }

static ClackStatus ring_add(Rings *all, Ring ring, ClackReport *report) {
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 256 : 2 * all->room;
        Ring *grown = realloc(all->rings, room * sizeof *grown);
        if (grown == NULL) return report_add(report, CLACK_MEMORY, "no memory for the surface of a shape");
        all->rings = grown;
        all->room = room;
    }
    all->rings[all->count++] = ring;
    return CLACK_OK;
}

static Ring ring_of(const Rings *all, double radius_m, double height_m, double slope) {
    const double quarter = steps_of(0.5 * PI * radius_m, all->spacing_m);
    Ring ring = {.radius_m = radius_m, .height_m = height_m, .slope = slope};
    if (radius_m > 0.0) ring.quarter = quarter < QUARTER_LEAST ? QUARTER_LEAST : (uint32_t)quarter;
    return ring;
}

// The next ring of a flat end towards its middle: as far away as its points are apart, with half as many, as long as
// its cells along straight sides stay within FLAT_STRETCH. False: the middle comes next.
static int ring_shrink(const Rings *all, Ring *ring) {
    double most_m = INFINITY, target_m;
    for (int k = 0; k < 2; k++)
        if (all->sides[k] > 0) most_m = fmin(most_m, 2.0 * all->solid->straight_m[k] / all->sides[k]);
    most_m = FLAT_STRETCH * fmax(most_m, all->spacing_m);
    if (ring->quarter <= CAP_QUARTER_MOST && ring->radius_m <= most_m) return 0;
    const double apart_m = 0.5 * PI * ring->radius_m / ring->quarter;
    const uint32_t half = (ring->quarter + 1) / 2;
    ring->radius_m -= fmin(apart_m, fmin(most_m, 0.5 * ring->radius_m));
    target_m = steps_of(0.5 * PI * ring->radius_m, fmin(2.0 * apart_m, most_m));
    ring->quarter = target_m > half ? (uint32_t)target_m : half;
    if (ring->quarter < QUARTER_LEAST) ring->quarter = QUARTER_LEAST;
    return 1;
}

// A flat end of the solid from its rim, which is not added, to its middle. `end` 0: from the middle to the rim.
static ClackStatus rings_add_cap(Rings *all, int end, ClackReport *report) {
    const double height_m = all->solid->height_m[end] + (end == 0 ? -all->solid->ball_m : all->solid->ball_m);
    const size_t first = all->count;
    Ring ring = ring_of(all, all->solid->radius_m[end], height_m, 0.0);
    while (ring.radius_m > 0.0 && ring_shrink(all, &ring)) TRY(ring_add(all, ring, report));
    TRY(ring_add(all, (Ring){.height_m = height_m}, report));
    for (size_t low = first, high = all->count; end == 0 && low + 1 < high; low++) {
        const Ring swapped = all->rings[low];
        all->rings[low] = all->rings[--high];
        all->rings[high] = swapped;
    }
    return CLACK_OK;
}

// Rings of a rounded edge after its first one, from one angle over the plane across the axis to another. Where the edge
// ends on the axis its last ring is the middle, which is there already (a cap).
static ClackStatus rings_add_arc(Rings *all, int end, double from_rad, double to_rad, ClackReport *report) {
    const RingSolid *solid = all->solid;
    if (solid->ball_m == 0.0) return CLACK_OK;
    const uint32_t steps = (uint32_t)steps_of(solid->ball_m * (to_rad - from_rad), all->spacing_m);
    for (uint32_t i = 1; i <= steps; i++) {
        const double angle_rad = from_rad + (to_rad - from_rad) * i / steps;
        const int is_end = end == 1 && i == steps; // straight up: exactly the rim of the cap
        if (is_end && solid->radius_m[1] == 0.0) continue;
        const double radius_m = is_end ? solid->radius_m[1] : solid->radius_m[end] + solid->ball_m * cos(angle_rad);
        const double height_m = solid->height_m[end] + solid->ball_m * (is_end ? 1.0 : sin(angle_rad));
        TRY(ring_add(all, ring_of(all, radius_m, height_m, is_end ? 0.0 : cos(angle_rad)), report));
    }
    return CLACK_OK;
}

// After the last ring of the lower end up to the first of the upper one, with it.
static ClackStatus rings_add_side(Rings *all, ClackReport *report) {
    const RingSolid *solid = all->solid;
    const double out_m = solid->ball_m * cos(solid->lean_rad), up_m = solid->ball_m * sin(solid->lean_rad);
    const double from_m = solid->radius_m[0] + out_m, to_m = solid->radius_m[1] + out_m;
    const double low_m = solid->height_m[0] + up_m, high_m = solid->height_m[1] + up_m;
    const double length_m = hypot(to_m - from_m, high_m - low_m);
    if (!(length_m > MESH_WELD_SHARE * fmax(from_m, to_m))) return CLACK_OK; // a ball's
    const uint32_t steps = (uint32_t)steps_of(length_m, all->spacing_m);
    for (uint32_t i = 1; i <= steps; i++) {
        const double share = (double)i / steps;
        const double radius_m = i == steps ? to_m : from_m + share * (to_m - from_m);
        const double height_m = i == steps ? high_m : low_m + share * (high_m - low_m);
        if (i == steps && radius_m == 0.0 && !is_flat(solid)) continue; // the tip, which comes as a cap
        TRY(ring_add(all, ring_of(all, radius_m, height_m, cos(solid->lean_rad)), report));
    }
    return CLACK_OK;
}

// Edges of a side. Next to an edge that is round all cells are alike; in flat faces they may be longer.
static uint32_t side_edges(const Rings *all, double half_m) {
    if (!(half_m > 0.0)) return 0;
    const double stretch = all->solid->ball_m > 0.0 ? 1.0 : FLAT_STRETCH;
    return (uint32_t)steps_of(2.0 * half_m, stretch * all->spacing_m);
}

static double rings_spacing(const RingSolid *solid, double mesh_size_m) {
    return is_flat(solid) ? INFINITY : sqrt(0.5) * mesh_size_m;
}

// out->rings is freed by the caller.
static ClackStatus rings_make(const RingSolid *solid, double mesh_size_m, Rings *out, ClackReport *report) {
    *out = (Rings){.solid = solid, .spacing_m = rings_spacing(solid, mesh_size_m)};
    for (int k = 0; k < 2; k++) out->sides[k] = side_edges(out, solid->straight_m[k]);
    TRY(rings_add_cap(out, 0, report));
    const double slope = solid->ball_m > 0.0 ? 0.0 : cos(solid->lean_rad), rim_m = solid->radius_m[0];
    if (rim_m > 0.0) TRY(ring_add(out, ring_of(out, rim_m, solid->height_m[0] - solid->ball_m, slope), report));
    TRY(rings_add_arc(out, 0, -0.5 * PI, solid->lean_rad, report));
    TRY(rings_add_side(out, report));
    TRY(rings_add_arc(out, 1, solid->lean_rad, 0.5 * PI, report));
    return is_flat(solid) ? CLACK_OK : rings_add_cap(out, 1, report);
}

// --- counting -------------------------------------------------------------------------------------

static uint32_t ring_edges(const Rings *all, const Ring *ring) {
    return 4 * ring->quarter + 2 * (all->sides[0] + all->sides[1]);
}

static uint32_t ring_points(const Rings *all, const Ring *ring) {
    const uint32_t edges = ring_edges(all, ring);
    return edges > 0 ? edges : 1;
}

// Each edge of a ring has a triangle on both sides; the rectangles in the middle of both ends come on top.
static double rings_triangles(const Rings *all) {
    double count = 4.0 * all->sides[0] * all->sides[1];
    for (size_t i = 0; i < all->count; i++)
        count += (i > 0 && i + 1 < all->count ? 2.0 : 1.0) * ring_edges(all, &all->rings[i]);
    return count;
}

// How far the middle of a chord of a ring is from the circle.
static double ring_sagitta(const Ring *ring) {
    return ring->quarter > 0 ? ring->radius_m * (1.0 - cos(0.25 * PI / ring->quarter)) : 0.0;
}

// Of chords across the axis, seen along the surface's normal, and of those along rounded edges, together.
static double rings_deviation(const Rings *all) {
    const RingSolid *solid = all->solid;
    double across_m = 0.0, along_m = 0.0;
    for (size_t i = 0; i + 1 < all->count; i++) {
        const Ring *one = &all->rings[i], *other = one + 1;
        if (one->height_m == other->height_m) continue; // flat
        across_m = fmax(across_m, fmax(ring_sagitta(one), ring_sagitta(other)) * fmax(one->slope, other->slope));
    }
    for (int end = 0; end < 2 && solid->ball_m > 0.0; end++) {
        const double turn_rad = 0.5 * PI + (end == 0 ? solid->lean_rad : -solid->lean_rad);
        const double steps = steps_of(solid->ball_m * turn_rad, all->spacing_m);
        along_m = fmax(along_m, solid->ball_m * (1.0 - cos(0.5 * turn_rad / steps)));
    }
    return across_m + along_m;
}

ClackStatus rings_plan(const RingSolid *solid, Tessellation *plan, ClackReport *report) {
    const double spacing_m = rings_spacing(solid, plan->mesh_size_m);
    const double widest_m = fmax(solid->radius_m[0], solid->radius_m[1]) + solid->ball_m;
    const double around_m = 2.0 * PI * widest_m + 4.0 * (solid->straight_m[0] + solid->straight_m[1]);
    const double along_m = solid->height_m[1] - solid->height_m[0] + PI * solid->ball_m + widest_m;
    plan->triangle_count = INFINITY;
    plan->deviation_m = 0.0;
    if (!(around_m <= ROWS_MOST * spacing_m && along_m <= ROWS_MOST * spacing_m)) return CLACK_OK;
    Rings all;
    const ClackStatus status = rings_make(solid, plan->mesh_size_m, &all, report);
    if (status == CLACK_OK) {
        plan->triangle_count = rings_triangles(&all);
        plan->deviation_m = rings_deviation(&all);
        if (is_flat(solid)) plan->mesh_size_m = 0.0;
    }
    free(all.rings);
    return status;
}

// --- points and triangles -------------------------------------------------------------------------

static uint32_t section_edges(const Rings *all, const Ring *ring, uint32_t section) {
    return section % 2 == 0 ? ring->quarter : all->sides[section / 2 % 2];
}

// u and v of a point of a ring, from the axis. The same bits wherever a place is asked for: quarters end exactly on the
// axes, sides are the same in both directions.
static void ring_place(const Rings *all, const Ring *ring, uint32_t section, uint32_t i, double out_m[2]) {
    const uint32_t turn = section / 2, edges = section_edges(all, ring, section), along = turn % 2;
    const double signs[2] = {turn == 1 || turn == 2 ? -1.0 : 1.0, turn >= 2 ? -1.0 : 1.0}; // of the quarter's middle
    const double *half_m = all->solid->straight_m;
    if (section % 2 == 0) {
        const double angle_rad = 0.5 * PI * i / edges;
        const double one = ring->radius_m * cos(angle_rad), other = i == 0 ? 0.0 : ring->radius_m * sin(angle_rad);
        out_m[along] = signs[along] * (half_m[along] + one);
        out_m[1 - along] = signs[1 - along] * (half_m[1 - along] + other);
        return;
    }
    // Along u in turns 0 and 2, v in turns 1 and 3: a quarter ends on the axis after its own.
    const double share = ((double)edges - 2.0 * i) / edges;
    out_m[along] = signs[along] * (half_m[along] * share);
    out_m[1 - along] = signs[1 - along] * (half_m[1 - along] + ring->radius_m);
}

static uint32_t put_point(const RingSolid *solid, Soup *soup, const double across_m[2], double height_m) {
    double at[3];
    at[(solid->axis + 1) % 3] = across_m[0] + 0.0; // -0 becomes 0, which has other bits
    at[(solid->axis + 2) % 3] = across_m[1] + 0.0;
    at[solid->axis] = height_m;
    return soup_point(soup, at[0], at[1], at[2]);
}

static void put_ring(const Rings *all, Ring *ring, Soup *soup) {
    double across_m[2] = {0.0, 0.0};
    ring->first = soup->point_count;
    for (uint32_t section = 0; section < SECTIONS; section++)
        for (uint32_t i = 0; i < section_edges(all, ring, section); i++) {
            ring_place(all, ring, section, i, across_m);
            put_point(all->solid, soup, across_m, ring->height_m);
        }
    if (ring_edges(all, ring) == 0) put_point(all->solid, soup, across_m, ring->height_m);
}

// Where a walk round a ring is.
typedef struct RingWalk {
    const Ring *ring;
    uint32_t points, at, done, edges; // at: point; done of edges: of this section
} RingWalk;

static uint32_t walk_point(const RingWalk *walk, uint32_t ahead) {
    return walk->ring->first + (walk->at + ahead) % walk->points;
}

// Triangles between two rings, section by section; the ring whose next edge is passed first goes on, so that no edge
// between them leans by more than half of one of theirs.
static void join_rings(const Rings *all, const Ring *below, const Ring *above, Soup *soup) {
    RingWalk low = {.ring = below, .points = ring_points(all, below)};
    RingWalk high = {.ring = above, .points = ring_points(all, above)};
    for (uint32_t section = 0; section < SECTIONS; section++) {
        low.edges = section_edges(all, below, section);
        high.edges = section_edges(all, above, section);
        low.done = high.done = 0;
        while (low.done < low.edges || high.done < high.edges) {
            const int is_low =
                high.done == high.edges ||
                (low.done < low.edges && (2ull * low.done + 1) * high.edges <= (2ull * high.done + 1) * low.edges);
            RingWalk *next = is_low ? &low : &high;
            if (is_low)
                soup_triangle(soup, walk_point(&low, 0), walk_point(&low, 1), walk_point(&high, 0));
            else
                soup_triangle(soup, walk_point(&low, 0), walk_point(&high, 1), walk_point(&high, 0));
            next->done++;
            next->at++;
        }
    }
}

// The rectangle in the middle of an end.
static void put_middle(const Rings *all, const Ring *ring, int is_upper, Soup *soup) {
    const uint32_t first = soup->point_count, *sides = all->sides;
    const double *half_m = all->solid->straight_m;
    if (sides[0] == 0 || sides[1] == 0) return;
    for (uint32_t i = 0; i <= sides[0]; i++)
        for (uint32_t k = 0; k <= sides[1]; k++) {
            const double across_m[2] = {half_m[0] * ((2.0 * i - sides[0]) / sides[0]),
                                        half_m[1] * ((2.0 * k - sides[1]) / sides[1])};
            put_point(all->solid, soup, across_m, ring->height_m);
        }
    for (uint32_t i = 0; i < sides[0]; i++)
        for (uint32_t k = 0; k < sides[1]; k++) {
            const uint32_t a = first + i * (sides[1] + 1) + k, b = a + sides[1] + 1, c = b + 1, d = a + 1;
            soup_triangle(soup, a, is_upper ? b : c, is_upper ? c : b);
            soup_triangle(soup, a, is_upper ? c : d, is_upper ? d : c);
        }
}

ClackStatus rings_tessellate(const RingSolid *solid, double mesh_size_m, Soup *soup, ClackReport *report) {
    Rings all;
    size_t points = 0;
    ClackStatus status = rings_make(solid, mesh_size_m, &all, report);
    if (status != CLACK_OK) goto cleanup;
    for (size_t i = 0; i < all.count; i++) points += ring_points(&all, &all.rings[i]);
    points += 2 * (size_t)(all.sides[0] + 1) * (all.sides[1] + 1);
    TRY_CLEAN(soup_reserve(soup, points, (size_t)rings_triangles(&all), report));
    for (size_t i = 0; i < all.count; i++) put_ring(&all, &all.rings[i], soup);
    for (size_t i = 0; i + 1 < all.count; i++) join_rings(&all, &all.rings[i], &all.rings[i + 1], soup);
    put_middle(&all, &all.rings[0], 0, soup);
    put_middle(&all, &all.rings[all.count - 1], 1, soup);
cleanup:
    free(all.rings);
    return status;
}
