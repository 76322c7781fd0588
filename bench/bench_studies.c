// Scenes, force evaluations and substeps per second of the studies in data/, kernels alone:
//   bench_studies [-n SCENES] [-r REPEATS] [DEVICE ...]
// DEVICE as in `clack run --device`; default: native. Each study runs REPEATS times on each device and the
// fastest run counts. Contacts stand beside speed: a scene per second without them says little. The table
// goes to stdout; kept ones are in bench/results/<device>/.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clack.h"
#include "study.h"

#define ARRAY_COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Workload {
    const char *file;
    uint64_t scenes; // at most; a study's own number where it is less
} Workload;

static const Workload workloads[] = {{"bouncing_sphere.yaml", 4096},
                                     {"chain.yaml", 64},
                                     {"step.yaml", 256},
                                     {"ten_spheres.yaml", 64}};

static int fail(const ClackReport *report, const char *what) {
    for (size_t k = 0; k < report->count; k++) fprintf(stderr, "%s\n", report->lines[k]);
    if (report->count == 0) fprintf(stderr, "%s failed\n", what);
    return 1;
}

static int measure(const Workload *workload, uint64_t limit, unsigned repeats, const char *device) {
    ClackReport report = {0};
    char folder[STUDY_DATA_DIR_BYTES], path[STUDY_DATA_DIR_BYTES + 64];
    study_data_dir(folder);
    snprintf(path, sizeof path, "%s/%s", folder, workload->file);
    Study *study = NULL;
    const StudyOptions study_options = {0};
    if (study_read(path, &study_options, &study, &report) != CLACK_OK) return fail(&report, path);
    uint64_t scenes =
        workload->scenes < study->design.scene_count ? workload->scenes : study->design.scene_count;
    if (limit > 0 && scenes > limit) scenes = limit;
    study->design.scene_count = scenes;
    study->trajectory_scenes = 0;
    ClackRunSummary best = {0};
    ClackStatus status = CLACK_OK;
    for (unsigned k = 0; k < repeats && status == CLACK_OK; k++) {
        const ClackRunOptions options = {.device = {.choice = device},
                                         .only_scene = -1,
                                         .no_file = 1,
                                         .failures_allowed = scenes};
        ClackRunSummary summary = {0};
        status = clack_run(study, &options, &summary, &report);
        if (k == 0 || summary.run_s < best.run_s) best = summary;
    }
    study_free(study);
    if (status != CLACK_OK) return fail(&report, device);
    printf("%-24s %-10s %7" PRIu64 " %6" PRIu64 " %9.3f %10.1f %11.4g %11.4g %9.1f %9.1f\n",
           workload->file, device, scenes, best.scenes_failed, best.run_s,
           (double)scenes / best.run_s, (double)best.evaluations / best.run_s,
           (double)best.substeps / best.run_s, (double)best.events / 2.0 / (double)scenes,
           (double)best.evaluations / (double)scenes);
    clack_report_clear(&report);
    return 0;
}

int main(int argc, char **argv) {
    uint64_t limit = 0;
    unsigned repeats = 3;
    const char *devices[16] = {"native"};
    size_t device_count = 0;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-n") == 0 && k + 1 < argc) {
            limit = strtoull(argv[++k], NULL, 10);
        } else if (strcmp(argv[k], "-r") == 0 && k + 1 < argc) {
            repeats = (unsigned)strtoul(argv[++k], NULL, 10);
        } else if (device_count < ARRAY_COUNT(devices)) {
            devices[device_count++] = argv[k];
        }
    }
    if (device_count == 0) device_count = 1;
    printf("%-24s %-10s %7s %6s %9s %10s %11s %11s %9s %9s\n", "study", "device", "scenes",
           "failed", "seconds", "scenes/s", "evals/s", "substeps/s", "contacts", "evals");
    printf("%91s %9s %9s\n", "", "per scene", "per scene");
    int status = 0;
    for (size_t w = 0; w < ARRAY_COUNT(workloads); w++) {
        for (size_t d = 0; d < device_count; d++) {
            status |= measure(&workloads[w], limit, repeats > 0 ? repeats : 1, devices[d]);
        }
    }
    return status;
}
