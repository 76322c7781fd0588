// Trees of boxes by median splits.
#include "mesh_tree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX 64 // of subtrees that wait: their sizes halve

typedef struct Part { // of the order
    uint32_t first, count, node, escape;
} Part;

typedef struct Builder {
    const Mesh *mesh;
    double (*middles)[3]; // (triangle_count): sums of the corners
    MeshTree *tree;
} Builder;

static uint32_t leaves_of(uint32_t count) { return (count + MESH_LEAF - 1) / MESH_LEAF; }

// A float that is not above, or not below.
static float float_below(double x) {
    const float near = (float)x;
    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

static float float_above(double x) {
    const float near = (float)x;
    return (double)near < x ? nextafterf(near, INFINITY) : near;
}

static void node_box(const Builder *builder, const Part *part, MeshNode *node) {
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < 3 * part->count; i++) {
            const MeshTriangle *triangle = &builder->mesh->triangles[builder->tree->order[part->first + i / 3]];
            const double at = builder->mesh->points[triangle->vertices[i % 3]][k];
            low = fmin(low, at);
            high = fmax(high, at);
        }
        node->low[k] = float_below(low);
        node->high[k] = float_above(high);
    }
}

static int longest_axis(const Builder *builder, const Part *part) {
    double longest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < part->count; i++) {
            const double at = builder->middles[builder->tree->order[part->first + i]][k];
            low = fmin(low, at);
            high = fmax(high, at);
        }
        if (high - low > longest) {
            longest = high - low;
            axis = k;
        }
    }
    return axis;
}

// Triangles in order of their middles along an axis; equal ones by their numbers.
static int is_before(const Builder *builder, uint32_t a, uint32_t b, int axis) {
    const double x = builder->middles[a][axis], y = builder->middles[b][axis];
    return x != y ? x < y : a < b;
}

static void order_swap(uint32_t *order, uint32_t i, uint32_t k) {
    const uint32_t t = order[i];
    order[i] = order[k];
    order[k] = t;
}

// The `wanted` first of the part to its front (C. A. R. Hoare's selection, the middle one of three as pivot).
static void order_split(Builder *builder, const Part *part, uint32_t wanted, int axis) {
    uint32_t *order = builder->tree->order + part->first, low = 0, high = part->count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_before(builder, order[middle], order[low], axis)) order_swap(order, middle, low);
        if (is_before(builder, order[high], order[low], axis)) order_swap(order, high, low);
        if (is_before(builder, order[high], order[middle], axis)) order_swap(order, high, middle);
        const uint32_t pivot = order[middle];
        uint32_t i = low, k = high;
        for (;;) {
            while (is_before(builder, order[i], pivot, axis)) i++;
            while (is_before(builder, pivot, order[k], axis)) k--;
            if (i >= k) break;
            order_swap(order, i++, k--);
        }
        // All up to k are at most the pivot, all after it at least.
        if (wanted - 1 <= k)
            high = k;
        else
            low = k + 1;
    }
}

static void tree_build(Builder *builder) {
    Part waiting[DEPTH_MAX];
    uint32_t count = 0;
    waiting[count++] = (Part){0, builder->tree->triangle_count, 0, builder->tree->node_count};
    while (count > 0) {
        const Part part = waiting[--count];
        MeshNode *node = &builder->tree->nodes[part.node];
        *node = (MeshNode){.escape = part.escape};
        node_box(builder, &part, node);
        if (part.count <= MESH_LEAF) {
            node->first = part.first;
            node->count = part.count;
            continue;
        }
        const uint32_t left = MESH_LEAF * ((leaves_of(part.count) + 1) / 2), right = part.count - left;
        const uint32_t second = part.node + 2 * leaves_of(left);
        order_split(builder, &part, left, longest_axis(builder, &part));
        assert(count + 2 <= DEPTH_MAX);
        waiting[count++] = (Part){part.first + left, right, second, part.escape};
        waiting[count++] = (Part){part.first, left, part.node + 1, second};
    }
}

ClackStatus mesh_tree_make(const Mesh *mesh, MeshTree *out, ClackReport *report) {
    assert(mesh->triangle_count > 0);
    *out = (MeshTree){.triangle_count = mesh->triangle_count, .node_count = 2 * leaves_of(mesh->triangle_count) - 1};
    Builder builder = {.mesh = mesh, .tree = out};
    builder.middles = malloc((size_t)mesh->triangle_count * sizeof *builder.middles);
    out->nodes = calloc(out->node_count, sizeof *out->nodes);
    out->order = calloc(mesh->triangle_count, sizeof *out->order);
    if (builder.middles == NULL || out->nodes == NULL || out->order == NULL) {
        free(builder.middles);
        mesh_tree_free(out);
        return report_add(report, CLACK_MEMORY, "no memory for the tree of a mesh");
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t].vertices;
        out->order[t] = t;
        for (int k = 0; k < 3; k++)
            builder.middles[t][k] = mesh->points[v[0]][k] + mesh->points[v[1]][k] + mesh->points[v[2]][k];
    }
    tree_build(&builder);
    free(builder.middles);
    return CLACK_OK;
}

void mesh_tree_free(MeshTree *tree) {
    free(tree->nodes);
    free(tree->order);
    *tree = (MeshTree){0};
}

uint32_t mesh_tree_next(const MeshTree *tree, const double low[3], const double high[3], MeshWalk *walk) {
    while (walk->node < tree->node_count) {
        const MeshNode *node = &tree->nodes[walk->node];
        int is_met = 1;
        for (int k = 0; k < 3; k++)
            is_met = is_met && (double)node->low[k] <= high[k] && low[k] <= (double)node->high[k];
        if (is_met && walk->next < node->count) return tree->order[node->first + walk->next++];
        walk->next = 0;
        walk->node = is_met && node->count == 0 ? walk->node + 1 : node->escape;
    }
    return MESH_NONE;
}
