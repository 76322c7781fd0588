// clack help: the texts of --help, and which commands there are.
#include <string.h>

#include "command.h"
#include "word.h"

const char command_environment[] =
    "CLACK_KERNEL_DIR          folder of kernels that OpenCL devices build instead of those within\n"
    "CLACK_CACHE_DIR           folder of compiled kernels; CLACK_CACHE=0 keeps none\n"
    "CLACK_DATA_DIR            folder of the palettes\n"
    "NO_COLOR                  no colours on a terminal\n";

void command_print_help(FILE *out) {
    fprintf(out, "  clack run data/bouncing_sphere.yaml -o bouncing_sphere.h5\n\n"
                 "Usage: clack COMMAND [options]; clack COMMAND --help; clack --version\n"
                 "Batches of contact simulations, from a study file to an HDF5 ensemble.\n\n");
    for (size_t i = 0; command_table[i] != NULL; i++) {
        fprintf(out, "  %-10s %s\n", command_table[i]->name, command_table[i]->summary);
    }
    fprintf(out, "\nEnvironment\n%s", command_environment);
}

const Command *command_find(const char *name) {
    for (size_t i = 0; command_table[i] != NULL; i++) {
        if (strcmp(name, command_table[i]->name) == 0) return command_table[i];
    }
    return NULL;
}

int command_unknown(const char *asked, const char *name) {
    const char *names[COMMANDS_MOST + 1] = {NULL};
    for (size_t i = 0; command_table[i] != NULL && i < COMMANDS_MOST; i++) names[i] = command_table[i]->name;
    const char *nearest = word_nearest(name, names);
    if (nearest == NULL) return command_usage(asked, "no such command: \"%s\"", name);
    return command_usage(asked, "no such command: \"%s\", did you mean \"%s\"?", name, nearest);
}

static int command_run_help(Arguments *arguments) {
    if (arguments->file_count > 1)
        return command_usage(arguments->command, "one argument too many: \"%s\"", arguments->files[1]);
    if (arguments->file_count == 0) {
        command_print_help(stdout);
        return 0;
    }
    const Command *command = command_find(arguments->files[0]);
    if (command == NULL) return command_unknown(arguments->command, arguments->files[0]);
    fputs(command->help, stdout);
    return 0;
}

static const struct option help_options[] = {OPTION_LINE_HELP, OPTION_LINE_END};

const Command command_help = {
    .name = "help",
    .summary = "print the help of a command",
    .help = "  clack help run\n\n"
            "Usage: clack help [COMMAND]\n"
            "Prints what \"clack COMMAND --help\" does; without COMMAND which commands there are.\n",
    .takes_more = 1,
    .letters = "h",
    .options = help_options,
    .run = command_run_help,
};
