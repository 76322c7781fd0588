// Pairs of solids as gen_pairs.c writes them, and how each library's answers are timed and judged. A line of JSON each.
#ifndef CLACK_BENCH_NARROW_COMMON_H
#define CLACK_BENCH_NARROW_COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPHERE, BOX, ELLIPSOID, CYLINDER, HULL };
enum { CLASSES = 6, HULLS = 64, HULL_POINTS = 64, FACES_MOST = 124 };
#define REPEATS 3

static const char *const class_names[CLASSES] = {"sphere-sphere", "sphere-box",   "ellipsoid-ellipsoid",
                                                 "box-box",       "cylinder-box", "hull-hull"};
static const int class_a[CLASSES] = {SPHERE, SPHERE, ELLIPSOID, BOX, CYLINDER, HULL};
static const int class_b[CLASSES] = {SPHERE, BOX, ELLIPSOID, BOX, BOX, HULL};

// Sizes: a sphere's radius, a box's half lengths, an ellipsoid's semi-axes, a cylinder's radius and half length along
// z.
typedef struct Pair {
    int kind_a, kind_b, hull_a, hull_b;
    double size_a[3], size_b[3], orientation_a[4], position_a[3], orientation_b[4], position_b[3]; // w, x, y, z
    double turn_a[9], turn_b[9]; // the same orientations as matrices, row by row
    double overlap_m;            // by which B was moved from touch towards A; < 0: away
    double along[3];             // on which it was brought to touch
    double depth_m, normal[3];   // where is_exact: the answer in closed form, from A to B
    int is_exact;
} Pair;

typedef struct Hull {
    double point[HULL_POINTS][3];
    int face_count, face[FACES_MOST][3];
} Hull;

typedef struct Answer {
    int is_hit;
    double depth_m, normal[3]; // of either sign
} Answer;

typedef void (*Query)(void *context, const Pair *pair, int index, Answer *answer);

static double narrow_cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int narrow_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void *narrow_load(const char *folder, const char *name, size_t bytes_each, int *count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    if (count != NULL && fread(count, sizeof *count, 1, file) != 1) exit(1);
    const size_t rows = count == NULL ? (size_t)HULLS : (size_t)*count;
    void *all = malloc(rows * bytes_each);
    if (fread(all, bytes_each, rows, file) != rows) exit(1);
    fclose(file);
    return all;
}

static inline Pair *load_pairs(const char *folder, int class_index, int most, int *count) {
    char name[32];
    snprintf(name, sizeof name, "pairs%d.bin", class_index);
    Pair *pairs = (Pair *)narrow_load(folder, name, sizeof(Pair), count);
    if (most > 0 && most < *count) *count = most;
    return pairs;
}

static inline Hull *load_hulls(const char *folder) {
    return (Hull *)narrow_load(folder, "hulls.bin", sizeof(Hull), NULL);
}

// Median time of several passes; misses and false hits by the sign of the move; errors where the answer is known.
static inline void narrow_bench(const char *peer, const char *setting, int class_index, const Pair *pairs, int count,
                                Query query, void *context) {
    Answer *answers = (Answer *)calloc((size_t)count, sizeof *answers);
    double times_s[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        const double start_s = narrow_cpu_s();
        for (int i = 0; i < count; i++) {
            answers[i].is_hit = 0;
            query(context, &pairs[i], i, &answers[i]);
        }
        times_s[r] = narrow_cpu_s() - start_s;
    }
    qsort(times_s, REPEATS, sizeof *times_s, narrow_compare);
    int missed = 0, wrongly = 0, too_deep = 0;
    double depth_m = -1, normal_rad = -1;
    for (int i = 0; i < count; i++) {
        const Pair *p = &pairs[i];
        const Answer *a = &answers[i];
        missed += p->overlap_m > 0 && !a->is_hit;
        wrongly += p->overlap_m <= 0 && a->is_hit;
        if (p->overlap_m <= 0 || !a->is_hit) continue;
        too_deep += a->depth_m > p->overlap_m * (1 + 1e-6) + 1e-9;
        if (!p->is_exact) continue;
        const double *n = p->normal, *m = a->normal;
        const double x = m[1] * n[2] - m[2] * n[1], y = m[2] * n[0] - m[0] * n[2], z = m[0] * n[1] - m[1] * n[0];
        depth_m = fmax(depth_m, fabs(a->depth_m - p->depth_m));
        normal_rad =
            fmax(normal_rad, atan2(sqrt(x * x + y * y + z * z), fabs(m[0] * n[0] + m[1] * n[1] + m[2] * n[2])));
    }
    printf("{\"set\": \"files\", \"pair\": \"%s\", \"peer\": \"%s\", \"setting\": \"%s\", \"pairs\": %d, \"ns\": %.5g, "
           "\"missed\": %d, "
           "\"false\": %d, \"too_deep\": %d",
           class_names[class_index], peer, setting, count, 1e9 * times_s[REPEATS / 2] / count, missed, wrongly,
           too_deep);
    if (depth_m >= 0) printf(", \"depth_error_m\": %.3g, \"normal_error_rad\": %.3g", depth_m, normal_rad);
    printf("}\n");
    fflush(stdout);
    free(answers);
}

#endif
