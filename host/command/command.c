// How commands end, and how signals stop them.
#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_SIGNAL 128 // + number of the signal

// --- signals ----------------------------------------------------------------------------------

static volatile int stop_signal; // 0, or the signal that asked to stop

#define STOP_WORD "clack: stopping; the batch at work is finished first (a second time: quits at once)\n"

static void command_on_signal(int number) {
    if (stop_signal != 0) _exit(EXIT_SIGNAL + number); // the second one does not wait
    stop_signal = number;
    const int error = errno; // of whom this interrupts
    const ssize_t written = write(STDERR_FILENO, STOP_WORD, sizeof STOP_WORD - 1); // printf may not be called here
    (void)written;
    errno = error;
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
static void command_print_report(const ClackReport *report, ClackStatus status) {
    const char *before = command_has_color() ? "\033[31m" : "", *after = command_has_color() ? "\033[0m" : "";
    for (size_t i = 0; i < report->count; i++) {
        const int has_place = status == CLACK_STUDY || report->places[i].file_bytes > 0;
        fprintf(stderr, "%s%s%s%s\n", before, has_place ? "" : "clack: ", report->lines[i], after);
    }
    if (report->count == 0 && status != CLACK_OK) {
        fprintf(stderr, "%sclack: %s%s\n", before, clack_status_sentence(status), after);
    }
}

int command_end(const Arguments *arguments, struct json_t *data, ClackReport *report, ClackStatus status) {
    const int is_stopped = status == CLACK_INTERRUPTED && stop_signal != 0;
    int exit_code = is_stopped ? EXIT_SIGNAL + stop_signal : clack_status_exit_code(status);
    command_print_report(report, status);
    if (arguments->is_json && !command_json_print(arguments->command, data, report, status, exit_code)) {
        fprintf(stderr, "clack: no memory for JSON\n");
        if (exit_code == 0) exit_code = clack_status_exit_code(CLACK_MEMORY);
    }
    clack_report_clear(report);
    return exit_code;
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

// --- names ----------------------------------------------------------------------------------------

char *command_name_after(const char *path, const char *middle, const char *ending) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    const int stem = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    const size_t bytes = (size_t)stem + strlen(middle) + strlen(ending) + 1;
    char *text = malloc(bytes);
    if (text != NULL) snprintf(text, bytes, "%.*s%s%s", stem, name, middle, ending);
    return text;
}
