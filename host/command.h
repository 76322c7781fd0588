// What the commands of the program share: their table rows, arguments, ways to fail, JSON on stdout.
// main.c and command*.c are the program; nothing else prints or exits.
#ifndef CLACK_COMMAND_H
#define CLACK_COMMAND_H

#include <getopt.h>
#include <stdio.h>

#include "clack.h"

typedef struct Arguments { // of a command, after its options have been read
    const char *file;      // NULL where the command takes none
    const char *second_file; // of a command that takes two
    const char *output_path;
    uint64_t seed;
    StudyOverride *overrides; // (study.override_count), owned; the texts too
    StudyOptions study;
    ClackRunOptions run;
    double margin_m;
    int lists_all;
    int is_quiet, is_verbose, wants_help;
} Arguments;

typedef struct Command {
    const char *name, *summary;
    const char *help; // begins with an example that works as pasted
    int wants_file; // how many
    const char *letters; // of getopt_long
    const struct option *options;
    int (*run)(Arguments *arguments); // the exit code
} Command;

extern const Command command_devices, command_evaluate, command_info, command_run, command_validate;

// --- options (command_options.c) --------------------------------------------------------------

enum { // of getopt_long, beside the letters
    OPTION_SET = 256, OPTION_SEED, OPTION_SCENE, OPTION_MAX_FAILURES, OPTION_THREADS, OPTION_BATCH,
    OPTION_LANES, OPTION_BUILD_LOG, OPTION_MARGIN, OPTION_ALL
};

#define OPTION_LINE_HELP {"help", no_argument, NULL, 'h'}
#define OPTION_LINES_STUDY                                                                 \
    OPTION_LINE_HELP, {"set", required_argument, NULL, OPTION_SET},                        \
    {"seed", required_argument, NULL, OPTION_SEED}
#define OPTION_LINE_END {NULL, 0, NULL, 0}

/// Read the options and the file of a command. 1: run it; 0: leave with *out_exit.
int command_parse(int argc, char **argv, const Command *command, Arguments *arguments, int *out_exit);
void command_free_arguments(Arguments *arguments);

// --- failing and stopping (command.c) -----------------------------------------------------------

/// Print and clear a report; returns the exit code.
int command_fail(ClackReport *report, ClackStatus status);
/// Say what is wrong with the command line and where help is; returns the exit code.
__attribute__((format(printf, 2, 3))) int command_usage(const char *command, const char *format, ...);
/// From now on the first SIGINT or SIGTERM sets the number this points at, and a second one exits.
const volatile int *command_catch_signals(void);
#define EXIT_SIGNAL 128 // + number of the signal

#endif
