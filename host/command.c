// How commands fail, and how signals stop them.
#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

// --- signals ----------------------------------------------------------------------------------

static volatile int stop_signal; // 0, or the signal that asked to stop

static void command_on_signal(int number) {
    if (stop_signal != 0) _exit(EXIT_SIGNAL + number); // the second one does not wait
    stop_signal = number;
}

const volatile int *command_catch_signals(void) {
    struct sigaction action = {.sa_handler = command_on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_signal;
}

// --- errors -----------------------------------------------------------------------------------

static int command_has_color(void) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0');
}

// Lines about a study begin with file:line:column and stay as they are.
int command_fail(ClackReport *report, ClackStatus status) {
    const char *before = command_has_color() ? "\033[31m" : "", *after = command_has_color() ? "\033[0m" : "";
    for (size_t i = 0; i < report->count; i++) {
        fprintf(stderr, "%s%s%s%s\n", before, status == CLACK_STUDY ? "" : "clack: ", report->lines[i], after);
    }
    if (report->count == 0 && status != CLACK_OK) {
        fprintf(stderr, "%sclack: %s%s\n", before, clack_status_sentence(status), after);
    }
    clack_report_clear(report);
    return clack_status_exit_code(status);
}

int command_usage(const char *command, const char *format, ...) {
    va_list list;
    fprintf(stderr, "clack: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "; try \"clack%s%s --help\"\n", command[0] == '\0' ? "" : " ", command);
    return clack_status_exit_code(CLACK_USAGE);
}
