// Components of a surface, and which side of each is outside.
#include "mesh_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec3.h"

#define FULL_ANGLE 12.566370614359172 // of all directions

typedef struct Component {
    uint32_t first; // triangle
    double volume_m3, area_m2, low_m[3], high_m[3];
    int is_closed, is_flipped;
} Component;

static Vec3 vertex_at(const Mesh *mesh, uint32_t triangle, int corner) {
    const double *p = mesh->points[mesh->triangles[triangle].vertices[corner]];
    return vec3_make(p[0], p[1], p[2]);
}

// --- components -----------------------------------------------------------------------------------

static int is_turned(const Mesh *mesh, uint32_t triangle, uint32_t corner, uint32_t other) {
    const MeshTriangle *one = &mesh->triangles[triangle], *two = &mesh->triangles[other];
    for (uint32_t k = 0; k < 3; k++)
        if (two->edges[k] == one->edges[corner]) return two->vertices[k] == one->vertices[corner];
    return 0;
}

static void component_take(const Mesh *mesh, uint32_t triangle, Component *component) {
    const Vec3 origin = vertex_at(mesh, component->first, 0);
    const Vec3 a = vec3_sub(vertex_at(mesh, triangle, 0), origin), b = vec3_sub(vertex_at(mesh, triangle, 1), origin);
    const Vec3 c = vec3_sub(vertex_at(mesh, triangle, 2), origin);
    component->volume_m3 += vec3_dot(a, vec3_cross(b, c)) / 6.0;
    component->area_m2 += 0.5 * vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    for (int corner = 0; corner < 3; corner++)
        for (int k = 0; k < 3; k++) {
            const double at = mesh->points[mesh->triangles[triangle].vertices[corner]][k];
            component->low_m[k] = fmin(component->low_m[k], at);
            component->high_m[k] = fmax(component->high_m[k], at);
        }
}

// All triangles that are reached from the first across edges of two.
static void component_spread(Mesh *mesh, uint32_t number, uint32_t *queue, Component *component) {
    uint32_t head = 0, tail = 0;
    queue[tail++] = component->first;
    mesh->components[component->first] = number;
    while (head < tail) {
        const uint32_t triangle = queue[head++];
        component_take(mesh, triangle, component);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t other = mesh->triangles[triangle].neighbours[k];
            component->is_closed = component->is_closed && other != MESH_NONE && !is_turned(mesh, triangle, k, other);
            if (other == MESH_NONE || mesh->components[other] != MESH_NONE) continue;
            mesh->components[other] = number;
            queue[tail++] = other;
        }
    }
}

static ClackStatus components_find(Mesh *mesh, Component **out, ClackReport *report) {
    uint32_t *queue = malloc((size_t)mesh->triangle_count * sizeof *queue);
    Component *all = NULL;
    uint32_t room = mesh->component_count = 0;
    ClackStatus status = CLACK_OK;
    if (queue == NULL) return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    for (uint32_t t = 0; t < mesh->triangle_count; t++) mesh->components[t] = MESH_NONE;
    for (uint32_t t = 0; t < mesh->triangle_count && status == CLACK_OK; t++) {
        if (mesh->components[t] != MESH_NONE) continue;
        if (mesh->component_count == room) {
            room = room + room / 2 + 16;
            Component *grown = realloc(all, room * sizeof *all);
            if (grown == NULL) {
                status = report_add(report, CLACK_MEMORY, "no memory for a mesh");
                break;
            }
            all = grown;
        }
        Component *next = &all[mesh->component_count];
        *next = (Component){.first = t,
                            .is_closed = 1,
                            .low_m = {INFINITY, INFINITY, INFINITY},
                            .high_m = {-INFINITY, -INFINITY, -INFINITY}};
        component_spread(mesh, mesh->component_count++, queue, next);
    }
    free(queue);
    *out = all;
    return status;
}

// --- inside and outside ---------------------------------------------------------------------------

// The solid angle of a triangle seen from a point: A. Van Oosterom and J. Strackee, The Solid Angle of a Plane
// Triangle, IEEE Trans. Biomed. Eng. 30(2), 1983.
static double angle_of(const Mesh *mesh, uint32_t triangle, Vec3 from) {
    const Vec3 a = vec3_sub(vertex_at(mesh, triangle, 0), from), b = vec3_sub(vertex_at(mesh, triangle, 1), from);
    const Vec3 c = vec3_sub(vertex_at(mesh, triangle, 2), from);
    const double x = vec3_length(a), y = vec3_length(b), z = vec3_length(c);
    return 2.0 * atan2(vec3_dot(a, vec3_cross(b, c)),
                       x * y * z + vec3_dot(a, b) * z + vec3_dot(b, c) * x + vec3_dot(c, a) * y);
}

static int box_holds(const Component *outer, const Component *inner) {
    for (int k = 0; k < 3; k++)
        if (inner->low_m[k] < outer->low_m[k] || inner->high_m[k] > outer->high_m[k]) return 0;
    return 1;
}

// Does a component lie in others? Each of those counts as it will be oriented.
static int is_within(const Mesh *mesh, const Component *all, uint32_t number) {
    const Vec3 from = vertex_at(mesh, all[number].first, 0);
    double turns = 0;
    int may_be = 0;
    for (uint32_t c = 0; c < mesh->component_count; c++)
        may_be |= c != number && all[c].is_closed && box_holds(&all[c], &all[number]);
    for (uint32_t t = 0; may_be && t < mesh->triangle_count; t++) {
        const Component *other = &all[mesh->components[t]];
        if (mesh->components[t] == number || !other->is_closed || !box_holds(other, &all[number])) continue;
        turns += (other->is_flipped ? -1.0 : 1.0) * angle_of(mesh, t, from) / FULL_ANGLE;
    }
    return turns > 0.5;
}

static void triangle_flip(MeshTriangle *triangle) {
    const MeshTriangle old = *triangle;
    triangle->vertices[1] = old.vertices[2];
    triangle->vertices[2] = old.vertices[1];
    triangle->edges[0] = old.edges[2];
    triangle->edges[2] = old.edges[0];
    triangle->neighbours[0] = old.neighbours[2];
    triangle->neighbours[2] = old.neighbours[0];
}

// A volume that is none has no sign: rounding would turn the surface.
static void components_find_flat(Mesh *mesh, Component *all) {
    for (uint32_t c = 0; c < mesh->component_count; c++) {
        mesh->area_m2 += all[c].area_m2;
        if (!all[c].is_closed || mesh_is_thick(fabs(all[c].volume_m3), all[c].area_m2, mesh->tolerance_m)) continue;
        mesh_note(mesh, MESH_FLAT, mesh->origins[all[c].first], 0, 0);
        all[c].volume_m3 = 0.0;
    }
}

// The largest is to be outside out, all others as they stand to it; then those are put right that are inside out and
// lie in no other one.
static void components_orient(Mesh *mesh, Component *all) {
    uint32_t largest = MESH_NONE;
    for (uint32_t c = 0; c < mesh->component_count; c++)
        if (all[c].is_closed && (largest == MESH_NONE || fabs(all[c].volume_m3) > fabs(all[largest].volume_m3)))
            largest = c;
    const int all_flipped = largest != MESH_NONE && all[largest].volume_m3 < 0.0;
    for (uint32_t c = 0; c < mesh->component_count; c++) all[c].is_flipped = all_flipped && all[c].is_closed;
    for (uint32_t c = 0; c < mesh->component_count; c++) {
        if (!all[c].is_closed || (all[c].is_flipped ? -1.0 : 1.0) * all[c].volume_m3 >= 0.0) continue;
        if (is_within(mesh, all, c))
            mesh_note(mesh, MESH_CAVITY, mesh->origins[all[c].first], 0, 0);
        else
            all[c].is_flipped = !all[c].is_flipped;
    }
    for (uint32_t c = 0; c < mesh->component_count; c++)
        if (all[c].is_flipped) mesh_note(mesh, MESH_FLIPPED, mesh->origins[all[c].first], 0, 0);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (all[mesh->components[t]].is_flipped) triangle_flip(&mesh->triangles[t]);
}

ClackStatus mesh_orient(Mesh *mesh, ClackReport *report) {
    Component *all = NULL;
    mesh->components = malloc((size_t)mesh->triangle_count * sizeof *mesh->components);
    if (mesh->components == NULL) return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    const ClackStatus status = components_find(mesh, &all, report);
    if (status == CLACK_OK) {
        components_find_flat(mesh, all);
        components_orient(mesh, all);
    }
    free(all);
    return status;
}
