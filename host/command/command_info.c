// clack devices and clack info: what there is.
#include <stdlib.h>

#include "command.h"
#include "describe.h"
#include "record.h"

static const struct option info_options[] = {OPTION_LINE_HELP, OPTION_LINE_JSON, OPTION_LINE_END};

static int command_run_devices(Arguments *arguments) {
    ClackReport report = {0};
    ClackDeviceInfo **infos = NULL;
    size_t count = 0;
    const ClackStatus status = clack_device_measure(&infos, &count, &report);
    struct json_t *data = NULL;
    if (status == CLACK_OK && arguments->is_json)
        data = command_json_devices(infos, count);
    else if (status == CLACK_OK)
        describe_devices(stdout, infos, count);
    free(infos);
    return command_end(arguments, data, &report, status);
}

const Command command_devices = {
    .name = "devices",
    .summary = "list the devices that kernels can run on",
    .help = "  clack devices\n\n"
            "Usage: clack devices [--json]\n"
            "Lists what other commands take after -d, native first, and why a device cannot be used. On each that\n"
            "can be operations are tried: arithmetic is \"IEEE 754\", or what differs from it.\n\n"
            "      --json             one JSON object instead\n",
    .letters = "h",
    .options = info_options,
    .run = command_run_devices,
};

static int command_run_info(Arguments *arguments) {
    ClackReport report = {0};
    struct json_t *data = NULL;
    char *text = NULL;
    RecordSummary summary = {0};
    ClackStatus status = CLACK_OK;
    if (arguments->is_json) {
        status = record_summary(arguments->file, &summary, &report);
        if (status == CLACK_OK) data = command_json_ensemble(&summary);
        record_summary_free(&summary);
    } else {
        status = record_describe(arguments->file, &text, &report);
        if (status == CLACK_OK) fputs(text, stdout);
    }
    free(text);
    return command_end(arguments, data, &report, status);
}

const Command command_info = {
    .name = "info",
    .summary = "summarise an ensemble file",
    .help = "  clack info bouncing_sphere.h5\n\n"
            "Usage: clack info FILE [--json]\n"
            "Prints what an ensemble file holds and where it came from.\n\n"
            "      --json             one JSON object instead\n",
    .wants_file = 1,
    .letters = "h",
    .options = info_options,
    .run = command_run_info,
};
