// Options with which a GPU builds the kernels for studies (bench/registers.sh): a line for each build, of many scenes
// and, if that is another one, of a few that share a warp each.
//   build_options [-e | -q N] [STUDY]...   prints NAME SCENE_ITEMS OPTIONS; without studies of the build of everything;
//                                          -e: of the evaluator; -q: of groups that serve scenes from queues
//   build_options -x N                     of probe_exact beside these (N: as of -q; 0: without)
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "stepper.h"
#include "study.h"

static void print_build(const DeviceInfo *gpu, const char *name, const Content *content, DeviceItems items) {
    char options[DEVICE_OPTIONS_BYTES];
    opencl_print_build_options(gpu, content, items, 0, options);
    printf("%s %" PRIu32 " %s\n", name, items.scene, options);
}

static void print_builds(const char *name, const Content *content, uint32_t queue_items) {
    const DeviceInfo gpu = {.is_gpu = 1, .compute_units = 132}; // of an H100
    const uint32_t many = stepper_scene_items(&gpu, content->bodies, UINT64_MAX),
                   few = stepper_scene_items(&gpu, content->bodies, 1);
    if (queue_items > 0) {
        print_build(&gpu, name, content, (DeviceItems){.scene = 1, .queue = queue_items});
        return;
    }
    print_build(&gpu, name, content, (DeviceItems){.scene = many});
    if (few != many) print_build(&gpu, name, content, (DeviceItems){.scene = few});
}

static void print_exact(uint32_t queue_items) {
    const Content exact = {.programs = PROGRAM_EXACT, .bodies = UINT32_MAX};
    print_builds("probe_exact", &exact, queue_items);
}

int main(int argc, char **argv) {
    ClackReport report = {0};
    ClackStatus status = CLACK_OK;
    const int is_evaluator = argc > 1 && strcmp(argv[1], "-e") == 0;
    const int is_queued = argc > 2 && strcmp(argv[1], "-q") == 0, first = is_evaluator ? 2 : is_queued ? 3 : 1;
    const uint32_t queue_items = is_queued ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (argc == 3 && strcmp(argv[1], "-x") == 0) {
        print_exact((uint32_t)strtoul(argv[2], NULL, 10));
        return 0;
    }
    const uint32_t programs = is_evaluator ? PROGRAM_EVALUATE : PROGRAM_ADVANCE;
    if (argc == first) {
        const Content everything = content_everything();
        print_builds("everything", &everything, queue_items);
    }
    for (int k = first; k < argc && status == CLACK_OK; k++) {
        Study *study = NULL;
        status = study_read(argv[k], NULL, &study, &report);
        if (status != CLACK_OK) break;
        const Content content = content_of_study(study, programs);
        const char *slash = strrchr(argv[k], '/'), *name = slash == NULL ? argv[k] : slash + 1;
        char stem[64];
        snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
        print_builds(stem, &content, queue_items);
        study_free(study);
    }
    for (size_t i = 0; i < report.count; i++) fprintf(stderr, "%s\n", report.lines[i]);
    clack_report_clear(&report);
    return status == CLACK_OK ? 0 : 1;
}
