// Pairs per second of the evaluator, distances and forces, with the transfer of states and contacts:
//   bench_evaluate [-n CONFIGURATIONS] [-r REPEATS] [DEVICE ...]
// DEVICE as in `clack evaluate --device`; default: native. 16 bodies of one kind, sizes 0.08 to 0.12 m, thrown
// into a cube of 0.4 m: 120 pairs in each configuration, every one evaluated and listed, one in ten
// to twenty overlapping. Each kind runs REPEATS times on each device and the fastest run counts.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clack.h"

#define BODIES 16
#define CUBE_M 0.4
#define ARRAY_COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Kind {
    const char *name, *shape;
} Kind;

static const Kind kinds[] = {{"sphere-sphere", "sphere: {diameter: 0.1}"},
                             {"box-box", "box: {lengths: [0.12, 0.1, 0.08]}"},
                             {"ellipsoid-ellipsoid", "ellipsoid: {lengths: [0.12, 0.1, 0.08]}"}};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The same numbers everywhere: the constants are those of Numerical Recipes' quick generator.
static double uniform(uint32_t *seed, double low, double high) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(*seed >> 8) + 0.5) / 16777216.0;
}

static ClackBodyState *make_states(size_t count) {
    ClackBodyState *states = calloc(count * BODIES, sizeof *states);
    uint32_t seed = 1;
    for (size_t i = 0; states != NULL && i < count * BODIES; i++) {
        for (int k = 0; k < 3; k++) {
            states[i].position_m[k] = uniform(&seed, -0.5 * CUBE_M, 0.5 * CUBE_M);
            states[i].velocity_m_per_s[k] = uniform(&seed, -1, 1);
        }
        for (int k = 0; k < 4; k++) states[i].orientation[k] = uniform(&seed, -1, 1);
    }
    return states;
}

static ClackStatus read_study(const Kind *kind, ClackStudy **out_study, ClackReport *report) {
    char path[] = "/tmp/bench_evaluate_XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) return CLACK_IO;
    fprintf(file, "format: 1\nunits: SI\nscene:\n  bodies:\n");
    for (int b = 0; b < BODIES; b++) {
        fprintf(file, "    body_%d: {material: steel, shapes: [{%s}]}\n", b, kind->shape);
    }
    fprintf(file, "solver: {end: 1}\n");
    fclose(file);
    const ClackStatus status = clack_study_read(path, NULL, out_study, report);
    unlink(path);
    return status;
}

static ClackStatus measure(const Kind *kind, size_t count, unsigned repeats, const char *device,
                           const ClackBodyState *states, ClackReport *report) {
    ClackStudy *study = NULL;
    ClackEvaluator *evaluator = NULL;
    const ClackEvaluateOptions options = {.device.choice = device, .list_all = 1};
    double best_s = 0;
    size_t rows = 0, overlapping = 0, iterations = 0;
    ClackStatus status = read_study(kind, &study, report);
    if (status == CLACK_OK) status = clack_evaluator_open(study, &options, &evaluator, report);
    for (unsigned k = 0; k <= repeats && status == CLACK_OK; k++) { // the first makes buffers and kernels
        ClackContacts contacts = {0};
        const double start_s = now_s();
        status = clack_evaluate(evaluator, count, states, &contacts, report);
        const double took_s = now_s() - start_s;
        if (k == 1 || (k > 1 && took_s < best_s)) best_s = took_s;
        rows = contacts.row_count;
        overlapping = iterations = 0;
        for (size_t i = 0; i < rows; i++) {
            overlapping += contacts.rows[i].distance_m <= 0;
            iterations += contacts.rows[i].iterations;
        }
        clack_contacts_free(&contacts);
    }
    if (status == CLACK_OK) {
        printf("%-20s %-10s %9zu %11.2f %10.1f %9.3f %11.4g\n", kind->name, device, rows,
               (double)overlapping / (double)rows, (double)iterations / (double)rows, best_s,
               (double)rows / best_s);
        fflush(stdout);
    }
    clack_evaluator_close(evaluator);
    clack_study_free(study);
    return status;
}

int main(int argc, char **argv) {
    static char *native[] = {"native"};
    size_t count = 2000;
    unsigned repeats = 3;
    int option = 0;
    while ((option = getopt(argc, argv, "n:r:")) != -1) {
        if (option == 'n') count = strtoul(optarg, NULL, 10);
        else if (option == 'r') repeats = (unsigned)strtoul(optarg, NULL, 10);
        else return 2;
    }
    if (count == 0 || repeats == 0) return 2;
    char **devices = optind < argc ? argv + optind : native;
    const int device_count = optind < argc ? argc - optind : 1;
    ClackBodyState *states = make_states(count);
    if (states == NULL) return 1;
    printf("%-20s %-10s %9s %11s %10s %9s %11s\n", "pair", "device", "pairs", "overlapping", "iterations",
           "seconds", "pairs/s");
    ClackStatus status = CLACK_OK;
    for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
        for (int d = 0; d < device_count && status == CLACK_OK; d++) {
            ClackReport report = {0};
            status = measure(&kinds[k], count, repeats, devices[d], states, &report);
            for (size_t i = 0; i < report.count; i++) fprintf(stderr, "%s\n", report.lines[i]);
            clack_report_clear(&report);
        }
    }
    free(states);
    return clack_status_exit_code(status);
}
