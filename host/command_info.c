// clack devices and clack info: what there is.
#include <stdlib.h>

#include "command.h"
#include "describe.h"
#include "record.h"

static const struct option help_only[] = {OPTION_LINE_HELP, OPTION_LINE_END};

static int command_run_devices(Arguments *arguments) {
    (void)arguments;
    ClackReport report = {0};
    DeviceInfo *infos = NULL;
    size_t count = 0;
    const ClackStatus status = device_list(&infos, &count, &report);
    if (status == CLACK_OK) describe_devices(stdout, infos, count);
    free(infos);
    return command_fail(&report, status);
}

const Command command_devices = {
    .name = "devices",
    .summary = "list the devices that kernels can run on",
    .help = "  clack devices\n\n"
            "Usage: clack devices\n"
            "Lists what --device takes, native first, and why a device cannot be used.\n",
    .letters = "h",
    .options = help_only,
    .run = command_run_devices,
};

static int command_run_info(Arguments *arguments) {
    ClackReport report = {0};
    char *text = NULL;
    const ClackStatus status = record_describe(arguments->file, &text, &report);
    if (status == CLACK_OK) fputs(text, stdout);
    free(text);
    return command_fail(&report, status);
}

const Command command_info = {
    .name = "info",
    .summary = "summarise an ensemble file",
    .help = "  clack info bouncing_sphere.h5\n\n"
            "Usage: clack info FILE\n"
            "Prints what an ensemble file holds and where it came from.\n",
    .wants_file = 1,
    .letters = "h",
    .options = help_only,
    .run = command_run_info,
};
