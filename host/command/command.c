// How commands end, and how signals stop them.
#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "plot.h"
#include "status.h"
#include "text.h"

#define EXIT_SIGNAL 128 // + number of the signal

// --- signals ----------------------------------------------------------------------------------

static volatile int stop_signal; // 0, or the signal that asked to stop

#define STOP_WORD "clack: stopping; scenes that are done are kept (a second time: quits at once)\n"

static void command_on_signal(int number) {
    if (stop_signal != 0) _exit(EXIT_SIGNAL + number); // the second one does not wait
    stop_signal = number;
    const int error = errno;                                                       // of the code that is interrupted
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

int command_is_stopped(void) { return stop_signal != 0; }

// --- errors -----------------------------------------------------------------------------------

static int command_has_color(void) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0');
}

// Lines about a study begin with file:line:column and stay as they are. --quiet leaves warnings out.
static void command_print_report(const Arguments *arguments, const ClackReport *report, ClackStatus status) {
    const int has_color = command_has_color();
    for (size_t i = arguments->lines_reported; i < report->count; i++) {
        const ClackPlace *place = &report->places[i];
        const int has_place = (status == CLACK_STUDY && !place->is_warning) || place->file_bytes > 0;
        if (place->is_warning && arguments->is_quiet) continue;
        fprintf(stderr, "%s%s%s%s\n",
                !has_color          ? ""
                : place->is_warning ? "\033[33m"
                                    : "\033[31m",
                has_place ? "" : "clack: ", report->lines[i], has_color ? "\033[0m" : "");
    }
    size_t errors = 0; // none also where there was no memory for their lines
    for (size_t i = 0; i < report->count; i++) errors += !report->places[i].is_warning;
    if (errors == 0 && status != CLACK_OK) {
        fprintf(stderr, "%sclack: %s%s\n", has_color ? "\033[31m" : "", clack_status_sentence(status),
                has_color ? "\033[0m" : "");
    }
}

void command_tell(Arguments *arguments, const ClackReport *report) {
    command_print_report(arguments, report, CLACK_OK);
    arguments->lines_reported = report->count;
}

int command_end(const Arguments *arguments, struct json_t *data, ClackReport *report, ClackStatus status) {
    const int is_stopped = status == CLACK_INTERRUPTED && stop_signal != 0;
    int exit_code = is_stopped ? EXIT_SIGNAL + stop_signal : clack_status_exit_code(status);
    command_print_report(arguments, report, status);
    if (arguments->is_json && !command_json_print(arguments->command, data, report, status, exit_code)) {
        fprintf(stderr, "clack: no memory for JSON\n");
        if (exit_code == 0) exit_code = clack_status_exit_code(CLACK_MEMORY);
    }
    clack_report_clear(report);
    return exit_code;
}

void command_say_written(const Arguments *arguments, const char *path) {
    if (arguments->is_quiet) return;
    fputs("written: ", stderr);
    text_put(stderr, path, 0);
    fputc('\n', stderr);
}

int command_usage(const char *command, const char *format, ...) {
    va_list list;
    ClackReport report = {0}; // which shows what the command line holds
    va_start(list, format);
    report_add_list(&report, CLACK_USAGE, format, list);
    va_end(list);
    fprintf(stderr, "clack: %s", report.count > 0 ? report.lines[0] : clack_status_sentence(CLACK_USAGE));
    clack_report_clear(&report);
    fprintf(stderr, "; try \"clack%s%s --help\"\n", command[0] == '\0' ? "" : " ", command);
    return clack_status_exit_code(CLACK_USAGE);
}

// --- names ----------------------------------------------------------------------------------------

int command_has_ending(const char *path, const char *ending) {
    const size_t bytes = strlen(path), least = strlen(ending);
    return bytes > least && strcmp(path + bytes - least, ending) == 0;
}

char *command_name_after(const char *path, const char *middle, const char *ending) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    const int stem = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    const size_t bytes = (size_t)stem + strlen(middle) + strlen(ending) + 1;
    char *text = malloc(bytes);
    if (text != NULL) snprintf(text, bytes, "%.*s%s%s", stem, name, middle, ending);
    return text;
}

// --- figures --------------------------------------------------------------------------------------

ClackStatus command_check_figure(const Arguments *arguments, const char *path, ClackReport *report) {
    PlotFormat format;
    if (!plot_format_of(path, &format))
        return report_add(report, CLACK_USAGE, "-o: expected a name that ends in " PLOT_ENDINGS ", found \"%s\"", path);
    if (arguments->dots_per_inch > 0 && format != PLOT_PNG)
        return report_add(report, CLACK_USAGE, "--dpi: of a name that ends in .png, found \"%s\", which has no dots",
                          path);
    return durable_check_free(path, arguments->run.overwrites, report);
}

void command_set_figure(const Arguments *arguments, const char *path, PlotOptions *options) {
    plot_format_of(path, &options->format);
    options->width_px = arguments->width_px;
    options->height_px = arguments->height_px;
    options->is_in_pixels = arguments->is_in_pixels;
    options->dots_per_inch = arguments->dots_per_inch;
    options->title = arguments->title;
    options->has_no_title = arguments->has_no_title;
    options->x_label = arguments->x_label;
    options->y_label = arguments->y_label;
}

ClackStatus command_write_figure(const Arguments *arguments, const char *path, const char *image, size_t bytes,
                                 ClackReport *report) {
    DurableFile file = {0};
    TRY(durable_create(path, arguments->run.overwrites, &file, report));
    fwrite(image, 1, bytes, file.stream); // durable_finish asks whether all went
    TRY(durable_finish(&file, CLACK_OK, report));
    command_say_written(arguments, path);
    return CLACK_OK;
}
