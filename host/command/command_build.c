// What is told while a device's kernels are compiled, which may take minutes: without it a program seems to hang.
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "command.h"
#include "text.h"

#define TOLD_AFTER_S 5.0
#define TERMINAL_EVERY_S 1.0
#define FILE_EVERY_S 10.0 // where stderr is kept

static void build_say_going_on(const ClackBuild *build) {
    fputs("compiling kernels for ", stderr);
    text_put(stderr, build->device_name, 0);
    fprintf(stderr, ", %.0f s", build->elapsed_s);
    if (build->cache_folder == NULL) return;
    fputs(" (once; kept in the cache ", stderr);
    text_put(stderr, build->cache_folder, 0);
    fputc(')', stderr);
}

static void build_say(const ClackBuild *build) {
    const int is_terminal = isatty(STDERR_FILENO);
    if (is_terminal) fputc('\r', stderr);
    if (!build->is_ended)
        build_say_going_on(build);
    else
        fprintf(stderr, "%s %.0f s",
                build->is_given_up  ? "compiling kernels was given up after"
                : build->is_stopped ? "compiling kernels was stopped after"
                : build->is_failed  ? "compiling kernels failed after"
                                    : "kernels were compiled in",
                build->elapsed_s);
    fputs(is_terminal ? "\033[K" : "", stderr);
    if (!is_terminal || build->is_ended) fputc('\n', stderr);
    fflush(stderr);
}

// Of ClackDeviceOptions: the first SIGINT ends it where a command keeps something on it (command_catch_signals).
static int build_tell(void *context, const ClackBuild *build) {
    Arguments *arguments = context;
    const double every_s = isatty(STDERR_FILENO) ? TERMINAL_EVERY_S : FILE_EVERY_S;
    const int is_first = arguments->build_reported_s <= 0;
    const int is_due = is_first          ? build->elapsed_s >= TOLD_AFTER_S && !build->is_ended
                       : build->is_ended ? 1
                                         : build->elapsed_s - arguments->build_reported_s >= every_s;
    if (is_due && !arguments->is_quiet) {
        build_say(build);
        arguments->build_reported_s = build->is_ended ? 0 : build->elapsed_s;
    }
    return command_is_stopped();
}

void command_report_builds(Arguments *arguments) {
    arguments->device.on_build = build_tell;
    arguments->device.build_context = arguments;
}
