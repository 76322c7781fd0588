// clack validate: what a study file holds, without running it.
#include <inttypes.h>

#include "command.h"

static int command_run_validate(Arguments *arguments) {
    ClackReport report = {0};
    Study *study = NULL;
    const ClackStatus status = study_read(arguments->file, &arguments->study, &study, &report);
    if (status == CLACK_OK) {
        printf("%s: valid: %" PRIu64 " scenes, %u bodies, %u shapes, %u parameters, %u quantities\n",
               arguments->file, study->design.scene_count, study->scene.body_count, study->scene.shape_count,
               study->parameter_count, study->quantity_count);
    }
    study_free(study);
    return command_fail(&report, status);
}

static const struct option validate_options[] = {OPTION_LINES_STUDY, OPTION_LINE_END};

const Command command_validate = {
    .name = "validate",
    .summary = "check a study file and say what it holds",
    .help = "  clack validate data/bouncing_sphere.yaml\n\n"
            "Usage: clack validate STUDY [--set PATH=VALUE]... [--seed N]\n"
            "Prints one line about a valid study, else every error with file, line and column (exit 3).\n",
    .wants_file = 1,
    .letters = "h",
    .options = validate_options,
    .run = command_run_validate,
};
