// The map of a hull: for each cell of the directions the vertices that may be farthest in one of them, so that the
// kernels test a few vertices instead of all (shape_hull_farthest).
//
// A square of directions loses those vertices that some other one outreaches at all four of its corners, and so
// everywhere in it; then it is cut in four, down to the cells.
#include "hull_internal.h"
#include "geometry/shape.h"

#include <math.h>
#include <stdlib.h>

#define CELL_SPARE 1e-9                 // of the map: cells overlap, for rounding in which one a direction is
#define REACH_SPARE (1.001 * HULL_NEAR) // of the hull's radius: directions are no longer than 1
#define RIVALS 5u                       // at the corners and in the middle of a square

typedef struct Map {
    const HullRow *vertices;
    unsigned char *cells; // HULL_CELL_BYTES each
    double *heights;      // (vertex count, RIVALS) of the square at hand
    double spare_m;
    uint32_t side; // cells along a side
} Map;

typedef struct Square { // in cells, within a quarter of one half of the map
    uint32_t is_down, x, y, side;
} Square;

static void square_heights(const Map *map, Square square, const uint32_t *numbers, uint32_t count) {
    const double scale = 2.0 / map->side;
    const double low_x = square.x * scale - 1.0 - CELL_SPARE,
                 high_x = (square.x + square.side) * scale - 1.0 + CELL_SPARE;
    const double low_y = square.y * scale - 1.0 - CELL_SPARE,
                 high_y = (square.y + square.side) * scale - 1.0 + CELL_SPARE;
    const double x[RIVALS] = {low_x, high_x, low_x, high_x, 0.5 * (low_x + high_x)};
    const double y[RIVALS] = {low_y, low_y, high_y, high_y, 0.5 * (low_y + high_y)};
    for (uint32_t c = 0; c < RIVALS; c++) {
        // |x| + |y| + |z| = 1 as within the quarter, where that is linear.
        const double up = 1.0 - (x[4] < 0.0 ? -x[c] : x[c]) - (y[4] < 0.0 ? -y[c] : y[c]);
        const Vec3 u = vec3_make(x[c], y[c], square.is_down ? -up : up);
        for (uint32_t i = 0; i < count; i++) map->heights[i * RIVALS + c] = vec3_dot(map->vertices[numbers[i]].at_m, u);
    }
}

// Is vertex i lower than vertex j at all corners?
static int is_below(const Map *map, uint32_t i, uint32_t j) {
    const double *low = map->heights + (size_t)i * RIVALS, *high = map->heights + (size_t)j * RIVALS;
    for (uint32_t c = 0; c + 1 < RIVALS; c++)
        if (!(low[c] + map->spare_m < high[c])) return 0;
    return 1;
}

// Leaves out the vertices below one of those that are farthest at the corners and in the middle.
static uint32_t square_thin(const Map *map, Square square, uint32_t *numbers, uint32_t count) {
    uint32_t rivals[RIVALS] = {0}, left = 0;
    square_heights(map, square, numbers, count);
    for (uint32_t c = 0; c < RIVALS; c++)
        for (uint32_t i = 1; i < count; i++)
            if (map->heights[i * RIVALS + c] > map->heights[rivals[c] * RIVALS + c]) rivals[c] = i;
    for (uint32_t i = 0; i < count; i++) {
        int is_out = 0;
        for (uint32_t c = 0; c < RIVALS && !is_out; c++) is_out = is_below(map, i, rivals[c]);
        if (!is_out) numbers[left++] = numbers[i];
    }
    return left;
}

static void cell_write(const Map *map, Square square, const uint32_t *numbers, uint32_t count) {
    const size_t row = (size_t)square.is_down * map->side + square.y;
    unsigned char *cell = map->cells + (row * map->side + square.x) * HULL_CELL_BYTES;
    for (size_t i = 0; i < HULL_CELL_VERTICES; i++) {
        const uint32_t number = count > HULL_CELL_VERTICES ? HULL_CELL_FULL : numbers[i < count ? i : count - 1];
        cell[2 * i] = (unsigned char)(number & 0xffu);
        cell[2 * i + 1] = (unsigned char)(number >> 8);
    }
}

// numbers: (count) that may be farthest in the square, in order, and room for as many at each cut.
static void square_map(const Map *map, Square square, uint32_t *numbers, uint32_t count) {
    count = square_thin(map, square, numbers, count);
    if (square.side == 1) {
        cell_write(map, square, numbers, count);
        return;
    }
    const uint32_t half = square.side / 2;
    for (uint32_t part = 0; part < 4; part++) {
        for (uint32_t i = 0; i < count; i++) numbers[count + i] = numbers[i];
        square_map(map, (Square){square.is_down, square.x + part % 2 * half, square.y + part / 2 * half, half},
                   numbers + count, count);
    }
}

ClackStatus hull_add_map(SceneHull *hull, ClackReport *report) {
    const uint32_t side = hull_map_side(hull->vertex_count), blocks = hull_blocks(hull->vertex_count);
    if (side == 0) return CLACK_OK;
    const size_t cell_count = 2 * (size_t)side * side, row_count = cell_count * HULL_CELL_BYTES / sizeof(HullRow);
    uint32_t depth = 2; // levels of squares
    for (uint32_t s = side; s > 1; s /= 2) depth++;
    HullRow *rows = realloc(hull->rows, (hull->row_count + row_count) * sizeof *rows);
    uint32_t *numbers = calloc((size_t)depth * hull->vertex_count, sizeof *numbers);
    double *heights = calloc((size_t)RIVALS * hull->vertex_count, sizeof *heights);
    if (rows != NULL) hull->rows = rows;
    if (rows != NULL && numbers != NULL && heights != NULL) {
        const Map map = {rows + blocks, (unsigned char *)(rows + hull->row_count), heights,
                         REACH_SPARE * hull->radius_m, side};
        for (uint32_t quarter = 0; quarter < 8; quarter++) {
            const uint32_t half = side / 2;
            for (uint32_t i = 0; i < hull->vertex_count; i++) numbers[i] = i;
            square_map(&map, (Square){quarter / 4, quarter % 2 * half, quarter / 2 % 2 * half, half}, numbers,
                       hull->vertex_count);
        }
        hull->row_count += (uint32_t)row_count;
    }
    free(numbers);
    free(heights);
    if (rows == NULL || numbers == NULL || heights == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for a hull");
    return CLACK_OK;
}
