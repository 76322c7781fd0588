// Options with which a GPU builds the kernels for studies (bench/registers.sh): a line for each build, of many scenes
// and, if that is another one, of a few that share a warp each.
//   build_options [-e] [STUDY]...     prints NAME SCENE_ITEMS OPTIONS; without studies of the build of everything; -e:
//   of the
//                                     evaluator
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "stepper.h"
#include "study.h"

static void print_build(const DeviceInfo *gpu, const char *name, const Content *content, uint32_t scene_items) {
    char options[DEVICE_OPTIONS_BYTES];
    opencl_print_build_options(gpu, content, scene_items, 0, options);
    printf("%s %" PRIu32 " %s\n", name, scene_items, options);
}

static void print_builds(const char *name, const Content *content) {
    const DeviceInfo gpu = {.is_gpu = 1, .compute_units = 132}; // of an H100
    const uint32_t many = stepper_scene_items(&gpu, content->bodies, UINT64_MAX),
                   few = stepper_scene_items(&gpu, content->bodies, 1);
    print_build(&gpu, name, content, many);
    if (few != many) print_build(&gpu, name, content, few);
}

int main(int argc, char **argv) {
    ClackReport report = {0};
    ClackStatus status = CLACK_OK;
    const int is_evaluator = argc > 1 && strcmp(argv[1], "-e") == 0, first = is_evaluator ? 2 : 1;
    const uint32_t programs = is_evaluator ? PROGRAM_EVALUATE : PROGRAM_ADVANCE;
    if (argc == first) {
        const Content everything = content_everything();
        print_builds("everything", &everything);
    }
    for (int k = first; k < argc && status == CLACK_OK; k++) {
        Study *study = NULL;
        status = study_read(argv[k], NULL, &study, &report);
        if (status != CLACK_OK) break;
        const Content content = content_of_study(study, programs);
        const char *slash = strrchr(argv[k], '/'), *name = slash == NULL ? argv[k] : slash + 1;
        char stem[64];
        snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
        print_builds(stem, &content);
        study_free(study);
    }
    for (size_t i = 0; i < report.count; i++) fprintf(stderr, "%s\n", report.lines[i]);
    clack_report_clear(&report);
    return status == CLACK_OK ? 0 : 1;
}
