// Spheres, ellipsoids and superquadrics: the faces of an icosahedron cut into equal triangles and moved out to the
// surface; those that this stretches are halved.
#include "tessellate_internal.h"

#include <math.h>

#include "base/vec3.h"
#include "superquadric_shape.h"

#define ICOSAHEDRON_FACES 20u
#define ICOSAHEDRON_VERTICES 12u
// Of a unit icosahedron whose edges are cut into n parts, the longest edge on the sphere times n is at most this: the
// edge over the radius of the ball inside.
#define LONGEST_EDGE 1.32317
// Half lengths, and the shape where it is a superquadric.
typedef struct Oval {
    double half_m[3];
    const Shape *superquadric;
} Oval;

// Of the square of the longest edge allowed: area of the average triangle of an ellipsoid that is halved until it fits
// (0.13 of half lengths 8 : 2 : 1, 0.32 of one that is nearly a sphere).
#define HALVED_AREA 0.17
#define FREQUENCY_MOST 10000.0 // of more, 2e9 triangles, numbers would not fit

typedef struct Icosahedron {
    Vec3 vertices[ICOSAHEDRON_VERTICES];
    uint32_t faces[ICOSAHEDRON_FACES][3];
} Icosahedron;

// Of edge 2: three rectangles of the golden ratio, across each other.
static Icosahedron icosahedron_make(void) {
    const double golden = 0.5 * (1.0 + sqrt(5.0));
    Icosahedron out;
    for (uint32_t i = 0; i < ICOSAHEDRON_VERTICES; i++) {
        const double one = i & 1 ? -1.0 : 1.0, other = i & 2 ? -golden : golden;
        const double at[3] = {0.0, one, other};
        const uint32_t turn = i / 4;
        out.vertices[i] = vec3_make(at[turn], at[(turn + 1) % 3], at[(turn + 2) % 3]);
    }
    uint32_t count = 0;
    for (uint32_t a = 0; a < ICOSAHEDRON_VERTICES; a++)
        for (uint32_t b = a + 1; b < ICOSAHEDRON_VERTICES; b++)
            for (uint32_t c = b + 1; c < ICOSAHEDRON_VERTICES; c++) {
                const Vec3 p = out.vertices[a], ab = vec3_sub(out.vertices[b], p), ac = vec3_sub(out.vertices[c], p);
                const double edges[] = {vec3_length(ab), vec3_length(ac), vec3_length(vec3_sub(ac, ab))};
                if (fmax(edges[0], fmax(edges[1], edges[2])) > 2.5) continue; // no face; other distances are above 3
                const int is_outward = vec3_dot(vec3_cross(ab, ac), p) > 0.0;
                out.faces[count][0] = a;
                out.faces[count][1] = is_outward ? b : c;
                out.faces[count++][2] = is_outward ? c : b;
            }
    return out;
}

// Parts of an edge of the icosahedron, so that edges fit on a sphere of the least half length.
static double ball_frequency(const double half_m[3], double mesh_size_m) {
    const double least_m = fmin(half_m[0], fmin(half_m[1], half_m[2]));
    return fmin(fmax(ceil(LONGEST_EDGE * least_m / mesh_size_m), 1.0), FREQUENCY_MOST);
}

static Oval oval_of(const Shape *shape) {
    Oval oval = {.superquadric = shape->kind == SHAPE_SUPERQUADRIC ? shape : NULL};
    for (int k = 0; k < 3; k++) oval.half_m[k] = shape->size_m[shape->kind == SHAPE_SPHERE ? 0 : k];
    if (oval.superquadric != NULL) superquadric_half(shape, oval.half_m);
    return oval;
}

static int ball_is_round(const Oval *oval) {
    const double *half_m = oval->half_m;
    return oval->superquadric == NULL && half_m[0] == half_m[1] && half_m[1] == half_m[2];
}

// The point of the surface above a direction that is stretched by the half lengths.
static Vec3 ball_point(const Oval *oval, Vec3 unit) {
    const double at_m[3] = {unit.x * oval->half_m[0], unit.y * oval->half_m[1], unit.z * oval->half_m[2]};
    const double share = oval->superquadric != NULL ? 1.0 / superquadric_gauge(oval->superquadric, at_m) : 1.0;
    return vec3_make(at_m[0] * share, at_m[1] * share, at_m[2] * share);
}

// Onto the surface, along the ray from the centre.
static Vec3 ball_project(const Oval *oval, Vec3 at) {
    const double *half_m = oval->half_m;
    return ball_point(oval, vec3_normalize(vec3_make(at.x / half_m[0], at.y / half_m[1], at.z / half_m[2])));
}

// Points of a face in rows from its first corner, those of row i from `first + i (i + 1) / 2` on. Neighbours give the
// same bits: on an edge two terms are added, in whatever order.
static void face_cut(const Icosahedron *body, uint32_t face, uint32_t n, const Oval *oval, Soup *soup) {
    const uint32_t *corner = body->faces[face], first = soup->point_count;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= i; k++) {
            Vec3 at = vec3_scale(body->vertices[corner[0]], (double)(n - i));
            at = vec3_add(at, vec3_scale(body->vertices[corner[1]], (double)(i - k)));
            at = ball_point(oval, vec3_normalize(vec3_add(at, vec3_scale(body->vertices[corner[2]], (double)k))));
            soup_point(soup, at.x, at.y, at.z);
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const uint32_t above = first + i * (i + 1) / 2 + k, below = first + (i + 1) * (i + 2) / 2 + k;
            soup_triangle(soup, above, below, below + 1);
            if (k < i) soup_triangle(soup, above, below + 1, above + 1);
        }
}

static Vec3 soup_at(const Soup *soup, uint32_t point) {
    return vec3_make(soup->points[point][0], soup->points[point][1], soup->points[point][2]);
}

// Which edge of a triangle is the longest, from its vertex to the next, if it is too long; 3: none is.
static uint32_t edge_to_halve(const Soup *soup, uint32_t triangle, double most_m) {
    uint32_t longest = 3;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t *corner = soup->corners[triangle];
        const double length_m = vec3_length(vec3_sub(soup_at(soup, corner[k]), soup_at(soup, corner[(k + 1) % 3])));
        if (length_m > most_m) {
            most_m = length_m;
            longest = k;
        }
    }
    return longest;
}

// Halves longest edges until all fit. What becomes of an edge depends on its ends alone, so the triangles on both sides
// of it agree.
static ClackStatus ball_halve(const Oval *oval, double mesh_size_m, Soup *soup, ClackReport *report) {
    for (uint32_t t = 0; t < soup->triangle_count;) {
        const uint32_t k = edge_to_halve(soup, t, mesh_size_m);
        if (k == 3) {
            t++;
            continue;
        }
        if (soup->triangle_count > 2.0 * TESSELLATE_MOST) // the estimate was far off
            return report_add(report, CLACK_STUDY, "an ellipsoid or superquadric takes too many triangles");
        TRY(soup_reserve(soup, 1, 1, report));
        const uint32_t from = soup->corners[t][k], to = soup->corners[t][(k + 1) % 3],
                       apex = soup->corners[t][(k + 2) % 3];
        const Vec3 at = ball_project(oval, vec3_scale(vec3_add(soup_at(soup, from), soup_at(soup, to)), 0.5));
        const uint32_t middle = soup_point(soup, at.x, at.y, at.z);
        soup->corners[t][0] = from;
        soup->corners[t][1] = middle;
        soup->corners[t][2] = apex;
        soup_triangle(soup, middle, to, apex);
    }
    return CLACK_OK;
}

ClackStatus ball_tessellate(const Shape *shape, double mesh_size_m, Soup *soup, ClackReport *report) {
    const Icosahedron body = icosahedron_make();
    const Oval oval = oval_of(shape);
    const uint32_t n = (uint32_t)ball_frequency(oval.half_m, mesh_size_m);
    TRY(soup_reserve(soup, ICOSAHEDRON_FACES * (size_t)(n + 1) * (n + 2) / 2, ICOSAHEDRON_FACES * (size_t)n * n,
                     report));
    for (uint32_t face = 0; face < ICOSAHEDRON_FACES; face++) face_cut(&body, face, n, &oval, soup);
    return ball_is_round(&oval) ? CLACK_OK : ball_halve(&oval, mesh_size_m, soup, report);
}

// Area of an ellipsoid to 1.1 % (Thomsen's mean of powers), of the box about a superquadric.
static double ball_area_m2(const Oval *oval) {
    const double power = oval->superquadric != NULL ? 1.0 : 1.6075;
    const double a = pow(oval->half_m[0], power), b = pow(oval->half_m[1], power), c = pow(oval->half_m[2], power);
    const double whole = oval->superquadric != NULL ? 24.0 : 4.0 * 3.14159265358979323846;
    return whole * pow((a * b + b * c + c * a) / 3.0, 1.0 / power);
}

void ball_plan(const Shape *shape, Tessellation *plan) {
    const Oval oval = oval_of(shape);
    const double *half_m = oval.half_m, size_m = plan->mesh_size_m;
    const double n = ball_frequency(half_m, size_m);
    plan->triangle_count = ICOSAHEDRON_FACES * n * n;
    if (ball_is_round(&oval)) { // the middle of a triangle whose corners are an edge apart
        const double edge_m = fmin(LONGEST_EDGE / n, 1.0515) * half_m[0]; // that of the icosahedron: n = 1
        plan->deviation_m = half_m[0] - sqrt(half_m[0] * half_m[0] - edge_m * edge_m / 3.0);
        return;
    }
    const double least_m = fmin(half_m[0], fmin(half_m[1], half_m[2])),
                 most_m = fmax(half_m[0], fmax(half_m[1], half_m[2]));
    const double radius_m =
        oval.superquadric != NULL ? superquadric_curvature_radius_m(shape) : least_m * least_m / most_m;
    plan->triangle_count = fmax(plan->triangle_count, ball_area_m2(&oval) / (HALVED_AREA * size_m * size_m));
    plan->deviation_m = fmin(size_m * size_m / (6.0 * radius_m), least_m);
}
