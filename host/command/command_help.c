// clack help: the texts of --help, and which commands there are.
#include <string.h>

#include "command.h"
#include "word.h"

const char command_environment[] =
    "CLACK_KERNEL_DIR          folder of kernels that OpenCL devices build instead of those within\n"
    "CLACK_CACHE_DIR           folder of compiled kernels; CLACK_CACHE=0 keeps none\n"
    "CLACK_BUILD_LIMIT         seconds after which compiling for a device is given up (600; 0: never)\n"
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

// Topics beside the commands: what words in a file, in what a run tells and in pages of reports mean.
static int print_topic(const char *topic) {
    const int is_flags = strcmp(topic, "flags") == 0;
    if (!is_flags && strcmp(topic, "statuses") != 0) return 0;
    fputs(is_flags ? "Flags of a scene, of which several may be set:\n\n" : "How a scene ended, its status:\n\n",
          stdout);
    for (uint32_t i = 0; i < (is_flags ? 32u : 256u); i++) {
        const uint32_t value = is_flags ? 1u << i : i;
        const char *sentence = is_flags ? clack_scene_flag_sentence(value) : clack_scene_status_sentence(value);
        if (sentence[0] == '\0') continue;
        printf("  %-20s  %s\n", is_flags ? clack_scene_flag_name(value) : clack_scene_status_name(value), sentence);
    }
    fputs("\nMore: host/record/README.md\n", stdout);
    return 1;
}

static int command_run_help(Arguments *arguments) {
    if (arguments->file_count > 1)
        return command_usage(arguments->command, "one argument too many: \"%s\"", arguments->files[1]);
    if (arguments->file_count == 0) {
        command_print_help(stdout);
        return 0;
    }
    if (print_topic(arguments->files[0])) return 0;
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
            "Usage: clack help [COMMAND | flags | statuses]\n"
            "Prints what \"clack COMMAND --help\" does; without COMMAND which commands there are; of flags and\n"
            "statuses of scenes what each means and what to do about it.\n",
    .takes_more = 1,
    .letters = "h",
    .options = help_options,
    .run = command_run_help,
};
