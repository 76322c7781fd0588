// Triangles of one surface that cross each other.
#include "mesh_tree.h"

#include <float.h>
#include <math.h>

// J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997: beyond this
// share of the sum of sizes the sign of orient3d in doubles is that of the exact value.
#define EPSILON (0.5 * DBL_EPSILON)
#define SIGN_SHARE ((7.0 + 56.0 * EPSILON) * EPSILON)

// Of the tetrahedron a, b, c, d; 0: too near a plane to tell.
static int sign_of(const double *a, const double *b, const double *c, const double *d) {
    double p[3][3];
    for (int k = 0; k < 3; k++) {
        p[0][k] = a[k] - d[k];
        p[1][k] = b[k] - d[k];
        p[2][k] = c[k] - d[k];
    }
    double sum = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        const double *x = p[i], *y = p[(i + 1) % 3], *z = p[(i + 2) % 3];
        const double one = y[0] * z[1], other = z[0] * y[1];
        sum += x[2] * (one - other);
        size += fabs(x[2]) * (fabs(one) + fabs(other));
    }
    return sum > SIGN_SHARE * size ? 1 : sum < -SIGN_SHARE * size ? -1 : 0;
}

// Does the edge from p to q certainly go through the inside of the triangle?
static int goes_through(const double *p, const double *q, const double *const t[3]) {
    const int below = sign_of(t[0], t[1], t[2], p), above = sign_of(t[0], t[1], t[2], q);
    if (below == 0 || above == 0 || below == above) return 0;
    const int first = sign_of(p, q, t[0], t[1]);
    return first != 0 && sign_of(p, q, t[1], t[2]) == first && sign_of(p, q, t[2], t[0]) == first;
}

static int do_cross(const Mesh *mesh, uint32_t a, uint32_t b) {
    const uint32_t *v = mesh->triangles[a].vertices, *w = mesh->triangles[b].vertices;
    const double *one[3], *other[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            if (v[i] == w[k]) return 0;
        one[i] = mesh->points[v[i]];
        other[i] = mesh->points[w[i]];
    }
    for (int i = 0; i < 3; i++)
        if (goes_through(one[i], one[(i + 1) % 3], other) || goes_through(other[i], other[(i + 1) % 3], one)) return 1;
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
