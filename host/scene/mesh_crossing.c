// Triangles of one surface that cross each other.
#include "mesh_tree.h"

#include <math.h>

#include "base/vec3.h"

static Vec3 point_at(const Mesh *mesh, uint32_t vertex) {
    return vec3_make(mesh->points[vertex][0], mesh->points[vertex][1], mesh->points[vertex][2]);
}

// On which side of a plane or a line something is, whose distance is `product` over the length of `across`: 0 where
// that is below `spare`, which rounding does not come near.
static int side_of(double product, Vec3 across, double spare) {
    const double least = spare * vec3_length(across);
    return product > least ? 1 : product < -least ? -1 : 0;
}

// Does the edge from p to q go through the inside of the triangle, by more than `spare` each way?
static int goes_through(Vec3 p, Vec3 q, const Vec3 t[3], double spare) {
    const Vec3 normal = vec3_cross(vec3_sub(t[1], t[0]), vec3_sub(t[2], t[0])), along = vec3_sub(q, p);
    const int one = side_of(vec3_dot(normal, vec3_sub(p, t[0])), normal, spare);
    if (one == 0 || side_of(vec3_dot(normal, vec3_sub(q, t[0])), normal, spare) != -one) return 0;
    int sides = 0;
    for (int k = 0; k < 3; k++) {
        const Vec3 across = vec3_cross(along, vec3_sub(t[(k + 1) % 3], t[k]));
        sides += side_of(vec3_dot(across, vec3_sub(t[k], p)), across, spare);
    }
    return sides == 3 || sides == -3;
}

static int do_cross(const Mesh *mesh, uint32_t a, uint32_t b) {
    const double spare = MESH_CROSS_SHARE * mesh->longest_m;
    Vec3 one[3], other[3];
    for (int i = 0; i < 3; i++) {
        one[i] = point_at(mesh, mesh->triangles[a].vertices[i]);
        other[i] = point_at(mesh, mesh->triangles[b].vertices[i]);
    }
    for (int i = 0; i < 3; i++)
        if (goes_through(one[i], one[(i + 1) % 3], other, spare) ||
            goes_through(other[i], other[(i + 1) % 3], one, spare))
            return 1;
    return 0;
}

int mesh_find_crossing(const Mesh *mesh, const MeshTree *tree, uint32_t *out_a, uint32_t *out_b) {
    for (uint32_t a = 0; a < mesh->triangle_count; a++) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                const double at = mesh->points[mesh->triangles[a].vertices[c]][k];
                low[k] = fmin(low[k], at);
                high[k] = fmax(high[k], at);
            }
        MeshWalk walk = {0, 0};
        for (uint32_t b = mesh_tree_next(tree, low, high, &walk); b != MESH_NONE;
             b = mesh_tree_next(tree, low, high, &walk))
            if (b > a && do_cross(mesh, a, b)) {
                *out_a = a;
                *out_b = b;
                return 1;
            }
    }
    return 0;
}
