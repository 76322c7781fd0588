// Points that are in one place, by a grid whose cells are wider than the tolerance.
#include "mesh_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL_SHARE 16.0  // side of a cell, in tolerances
#define GRID_SHIFT 0.371 // of a cell: coordinates are often whole, borders of cells are not

typedef struct Grid {
    double (*points)[3]; // kept ones first
    const double *low;
    double tolerance, side;
    uint32_t *heads, *next; // of chains of kept points, from 1
    uint32_t mask, kept;
} Grid;

static uint32_t cell_head(const Grid *grid, const int64_t cell[3]) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) hash = (hash ^ (uint64_t)cell[k]) * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u;
    return (uint32_t)(hash >> 32) & grid->mask;
}

static int64_t cell_of(const Grid *grid, double at, int k) {
    return (int64_t)floor((at - grid->low[k]) / grid->side + GRID_SHIFT);
}

static int is_near(const Grid *grid, const double a[3], const double b[3]) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z <= grid->tolerance * grid->tolerance;
}

// The first kept point near this one; MESH_NONE: there is none.
static uint32_t point_find(const Grid *grid, const double point[3]) {
    int64_t first[3], last[3], at[3];
    uint32_t found = MESH_NONE;
    for (int k = 0; k < 3; k++) {
        first[k] = cell_of(grid, point[k] - grid->tolerance, k);
        last[k] = cell_of(grid, point[k] + grid->tolerance, k);
    }
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
                for (uint32_t i = grid->heads[cell_head(grid, at)]; i > 0; i = grid->next[i - 1])
                    if (i - 1 < found && is_near(grid, point, grid->points[i - 1])) found = i - 1;
    return found;
}

static void point_keep(Grid *grid, const double point[3]) {
    int64_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = cell_of(grid, point[k], k);
    const uint32_t head = cell_head(grid, cell);
    const double copy[3] = {point[0], point[1], point[2]};
    memcpy(grid->points[grid->kept], copy, sizeof copy); // at or before the point itself
    grid->next[grid->kept] = grid->heads[head];
    grid->heads[head] = ++grid->kept;
}

ClackStatus mesh_weld(MeshWelding *welding, ClackReport *report) {
    double(*points)[3] = welding->points;
    uint32_t mask = 1;
    while (mask < welding->count) mask = 2 * mask + 1;
    Grid grid = {.points = points, .low = welding->low, .tolerance = welding->tolerance, .mask = mask};
    grid.side = CELL_SHARE * welding->tolerance;
    grid.heads = calloc((size_t)mask + 1, sizeof *grid.heads);
    grid.next = calloc((size_t)welding->count + 1, sizeof *grid.next);
    if (grid.heads == NULL || grid.next == NULL) {
        free(grid.heads);
        free(grid.next);
        return report_add(report, CLACK_MEMORY, "no memory for a mesh");
    }
    for (uint32_t i = 0; i < welding->count; i++) {
        const uint32_t found = point_find(&grid, points[i]);
        welding->numbers[i] = found != MESH_NONE ? found : grid.kept;
        if (found == MESH_NONE)
            point_keep(&grid, points[i]);
        else
            welding->near += memcmp(points[i], points[found], sizeof *points) != 0;
    }
    welding->kept = grid.kept;
    free(grid.heads);
    free(grid.next);
    return CLACK_OK;
}
