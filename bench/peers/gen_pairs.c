// Pairs of solids for narrow phases: touching on a line, then moved by 1 to 10 mm.
//   gen_pairs FOLDER COUNT      writes FOLDER/hulls.bin and FOLDER/pairs0.bin to pairs5.bin (narrow_common.h)
// splitmix64, seeded with 20240001 + class (hulls: 777). Spheres of radius 0.4 to 0.6 m, boxes and ellipsoids of half
// lengths 0.3 to 0.7 m, cylinders of radius 0.3 to 0.6 m and half length 0.3 to 0.7 m, one of 64 hulls of 64 points on
// an ellipsoid; uniform rotations and directions. B is brought to touch A by bisection (libccd's MPR, tolerance 1e-11),
// then moved by a distance even in its logarithm, towards A or away.
#include "ccd_support.h"

static uint64_t state;

static double unit_uniform(void) {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double uniform(double low, double high) { return low + (high - low) * unit_uniform(); }

static void draw_direction(double u[3]) {
    const double z = uniform(-1, 1), turn = 2 * M_PI * unit_uniform(), r = sqrt(1 - z * z);
    u[0] = r * cos(turn);
    u[1] = r * sin(turn);
    u[2] = z;
}

static void draw_turn(double q[4], double matrix[9]) {
    const double a = unit_uniform(), b = 2 * M_PI * unit_uniform(), c = 2 * M_PI * unit_uniform();
    q[0] = sqrt(a) * cos(c);
    q[1] = sqrt(1 - a) * sin(b);
    q[2] = sqrt(1 - a) * cos(b);
    q[3] = sqrt(a) * sin(c);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(matrix, m, sizeof m);
}

static void draw_size(int kind, double size[3]) {
    size[0] = size[1] = size[2] = 0;
    if (kind == SPHERE)
        size[0] = uniform(0.4, 0.6);
    else if (kind == CYLINDER) {
        size[0] = uniform(0.3, 0.6);
        size[1] = uniform(0.3, 0.7);
    } else
        for (int k = 0; k < 3; k++) size[k] = uniform(0.3, 0.7);
}

// A triangle is a face where all other points are on one side of it; counter-clockwise from outside.
static void add_face(Hull *hull, int i, int j, int k) {
    const double *a = hull->point[i], *b = hull->point[j], *c = hull->point[k];
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    int above = 0, below = 0;
    for (int m = 0; m < HULL_POINTS && !(above && below); m++) {
        if (m == i || m == j || m == k) continue;
        double d = 0;
        for (int q = 0; q < 3; q++) d += n[q] * (hull->point[m][q] - a[q]);
        if (d > 0)
            above++;
        else
            below++;
    }
    if (above && below) return;
    int *face = hull->face[hull->face_count++];
    face[0] = i;
    face[1] = above ? k : j;
    face[2] = above ? j : k;
}

static void draw_hull(Hull *hull) {
    double size[3];
    for (int k = 0; k < 3; k++) size[k] = uniform(0.3, 0.7);
    for (int i = 0; i < HULL_POINTS; i++) {
        double u[3];
        draw_direction(u);
        for (int k = 0; k < 3; k++) hull->point[i][k] = size[k] * u[k];
    }
    for (int i = 0; i < HULL_POINTS; i++)
        for (int j = i + 1; j < HULL_POINTS; j++)
            for (int k = j + 1; k < HULL_POINTS; k++) add_face(hull, i, j, k);
}

static void solve_sphere_box(Pair *p) {
    const double *t = p->turn_b;
    double way[3], local[3], nearest[3], square = 0;
    for (int k = 0; k < 3; k++) way[k] = p->position_a[k] - p->position_b[k];
    for (int k = 0; k < 3; k++) {
        local[k] = t[k] * way[0] + t[3 + k] * way[1] + t[6 + k] * way[2];
        nearest[k] = fmax(-p->size_b[k], fmin(p->size_b[k], local[k]));
        square += (local[k] - nearest[k]) * (local[k] - nearest[k]);
    }
    const double out_m = sqrt(square);
    p->is_exact = out_m >= 1e-9; // else the sphere's centre is in the box
    p->depth_m = p->size_a[0] - out_m;
    for (int k = 0; k < 3; k++) {
        p->normal[k] = 0;
        for (int j = 0; j < 3; j++) p->normal[k] += t[3 * k + j] * (nearest[j] - local[j]) / out_m;
    }
}

static void draw_pair(Pair *p, int class_index, const Hull *hulls, const ccd_t *ccd) {
    p->kind_a = class_a[class_index];
    p->kind_b = class_b[class_index];
    draw_size(p->kind_a, p->size_a);
    draw_size(p->kind_b, p->size_b);
    p->hull_a = (int)(unit_uniform() * HULLS);
    p->hull_b = (int)(unit_uniform() * HULLS);
    draw_turn(p->orientation_a, p->turn_a);
    draw_turn(p->orientation_b, p->turn_b);
    for (int k = 0; k < 3; k++) p->position_a[k] = uniform(-1, 1);
    draw_direction(p->along);
    const double moved_m = exp(uniform(log(1e-3), log(1e-2)));
    p->overlap_m = unit_uniform() < 0.5 ? moved_m : -moved_m;
    const CcdSolid a = {p->kind_a, p->size_a, p->position_a, p->turn_a, &hulls[p->hull_a], 0};
    const CcdSolid b = {p->kind_b, p->size_b, p->position_b, p->turn_b, &hulls[p->hull_b], 0};
    double low_m = 0.05, high_m = 3;
    if (class_index == 0) low_m = high_m = p->size_a[0] + p->size_b[0];
    for (int i = 0; i < 60 && high_m - low_m > 1e-11; i++) {
        const double middle_m = 0.5 * (low_m + high_m);
        for (int k = 0; k < 3; k++) p->position_b[k] = p->position_a[k] + middle_m * p->along[k];
        if (ccdMPRIntersect(&a, &b, ccd))
            low_m = middle_m;
        else
            high_m = middle_m;
    }
    const double apart_m = 0.5 * (low_m + high_m) - p->overlap_m;
    for (int k = 0; k < 3; k++) p->position_b[k] = p->position_a[k] + apart_m * p->along[k];
    if (class_index == 1) solve_sphere_box(p);
    if (class_index != 0) return;
    p->is_exact = 1;
    p->depth_m = p->size_a[0] + p->size_b[0] - apart_m;
    memcpy(p->normal, p->along, sizeof p->normal);
}

static int write_file(const char *folder, const char *name, const void *data, size_t bytes_each, int count,
                      int has_count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return 0;
    int is_written = !has_count || fwrite(&count, sizeof count, 1, file) == 1;
    is_written = fwrite(data, bytes_each, (size_t)count, file) == (size_t)count && is_written;
    return fclose(file) == 0 && is_written;
}

int main(int argc, char **argv) {
    const int count = argc == 3 ? atoi(argv[2]) : 0;
    if (count < 1) return 2;
    Hull *hulls = (Hull *)calloc(HULLS, sizeof *hulls);
    Pair *pairs = (Pair *)malloc((size_t)count * sizeof *pairs);
    const ccd_t ccd = ccd_settings(1e-11, 200);
    state = 777;
    for (int h = 0; h < HULLS; h++) draw_hull(&hulls[h]);
    int is_written = write_file(argv[1], "hulls.bin", hulls, sizeof *hulls, HULLS, 0);
    for (int c = 0; c < CLASSES; c++) {
        char name[32];
        state = 20240001 + (uint64_t)c;
        memset(pairs, 0, (size_t)count * sizeof *pairs);
        for (int i = 0; i < count; i++) draw_pair(&pairs[i], c, hulls, &ccd);
        snprintf(name, sizeof name, "pairs%d.bin", c);
        is_written = write_file(argv[1], name, pairs, sizeof *pairs, count, 1) && is_written;
    }
    free(pairs);
    free(hulls);
    if (!is_written) perror(argv[1]);
    return is_written ? 0 : 1;
}
