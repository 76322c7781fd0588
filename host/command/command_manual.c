// clack manual: the man page, from the texts of --help and the tables of statuses.
#include <string.h>

#include "command.h"

#define STATUS_LINE(name, word, exit_code, sentence) {exit_code, sentence},

// As it stands: no line is filled, nothing means anything.
static void manual_text(const char *text) {
    int is_first = 1; // in its line
    for (const char *at = text; *at != '\0'; at++) {
        if (is_first && (*at == '.' || *at == '\'')) fputs("\\&", stdout);
        if (*at == '\\')
            fputs("\\e", stdout);
        else if (*at == '-')
            fputs("\\-", stdout);
        else if (*at == '\'')
            fputs("\\(aq", stdout);
        else if (*at == '`')
            fputs("\\(ga", stdout);
        else if (*at == '^')
            fputs("\\(ha", stdout);
        else if (*at == '~')
            fputs("\\(ti", stdout);
        else
            fputc(*at, stdout);
        is_first = *at == '\n';
    }
}

static void manual_lines(const char *text) {
    fputs(".nf\n", stdout);
    manual_text(text);
    if (text[0] != '\0' && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
    fputs(".fi\n", stdout);
}

static void manual_statuses(void) {
    static const struct {
        int code;
        const char *sentence;
    } statuses[] = {CLACK_STATUS_LIST(STATUS_LINE)};
    fputs(".SH EXIT STATUS\n", stdout);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        printf(".TP\n.B %d\n", statuses[i].code);
        manual_text(statuses[i].sentence);
        fputc('\n', stdout);
    }
}

static int command_run_manual(Arguments *arguments) {
    (void)arguments;
    fputs(".TH CLACK 1 \"\" \"clack " CLACK_VERSION
          "\" \"User Commands\"\n.SH NAME\nclack \\- batches of contact simulations\n"
          ".SH SYNOPSIS\n.B clack\n.I COMMAND\n[\\fIoptions\\fR]\n.br\n.B clack\n.I COMMAND\n.B \\-\\-help\n.br\n.B "
          "clack \\-\\-version\nor\n.B \\-V\n"
          ".SH DESCRIPTION\nRuns thousands of small contact simulations at once, on a GPU through OpenCL or on all "
          "cores of a processor,\n"
          "from one study file to one HDF5 ensemble.\n.SH COMMANDS\n",
          stdout);
    for (size_t i = 0; command_table[i] != NULL; i++) {
        printf(".SS clack %s\n", command_table[i]->name);
        manual_text(command_table[i]->summary);
        fputs("\n.PP\n", stdout);
        manual_lines(command_table[i]->help);
    }
    fputs(".SH ENVIRONMENT\n", stdout);
    manual_lines(command_environment);
    manual_statuses();
    return 0;
}

static const struct option manual_options[] = {OPTION_LINE_HELP, OPTION_LINE_END};

const Command command_manual = {
    .name = "manual",
    .summary = "print the man page",
    .help = "  clack manual >clack.1\n\n"
            "Usage: clack manual\n"
            "Prints the man page, for \"man -l clack.1\"; cmake --install puts it where man finds it.\n",
    .letters = "h",
    .options = manual_options,
    .run = command_run_manual,
};
