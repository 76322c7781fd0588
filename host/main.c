// The program: which command, and whether what it printed arrived.
// stdout carries data only; progress and errors go to stderr.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h> // mallopt
#endif
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"

#ifndef CLACK_GIT_COMMIT
#define CLACK_GIT_COMMIT "unknown"
#endif

static char *main_join(int argc, char **argv) {
    size_t bytes = 1;
    for (int i = 0; i < argc; i++) bytes += strlen(argv[i]) + 3;
    char *line = calloc(bytes, 1);
    for (int i = 0; line != NULL && i < argc; i++) {
        const char *quote = strpbrk(argv[i], " \t\n*?[]$;&|<>(){}\"\\") == NULL ? "" : "'";
        const size_t used = strlen(line);
        snprintf(line + used, bytes - used, "%s%s%s%s", i == 0 ? "" : " ", quote, argv[i], quote);
    }
    return line;
}

static int main_run_command(int argc, char **argv, const Command *command) {
    Arguments arguments = {.command = command->name,
                           .device = CLACK_SIZED(ClackDeviceOptions),
                           .study = CLACK_SIZED(ClackStudyOptions),
                           .run = CLACK_SIZED(ClackRunOptions),
                           .scene = -1,
                           .configuration = -1};
    char *command_line = main_join(argc, argv);
    int exit_code = 0;
    arguments.run.device = &arguments.device;
    arguments.run.command_line = command_line;
    if (command_parse(argc - 1, argv + 1, command, &arguments, &exit_code)) {
        command_report_builds(&arguments);
        exit_code = command->run(&arguments);
    }
    command_free_arguments(&arguments);
    free(command_line);
    return exit_code;
}

static int main_dispatch(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("clack %s (%s)\n", CLACK_VERSION, CLACK_GIT_COMMIT);
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        command_print_help(stdout);
        return 0;
    }
    const Command *command = command_find(name);
    if (command != NULL) return main_run_command(argc, argv, command);
    if (argc > 1) return command_unknown("", name);
    command_print_help(stderr);
    return clack_status_exit_code(CLACK_USAGE);
}

// A file opened later must not become stdout or stderr because the caller closed them. Opened the wrong way
// round, so that using them still fails.
static void main_hold_streams(void) {
    int fd = 0;
    do fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) close(fd);
}

#define HEAP_SHARE 8 // of the address space: at most one part in so many for heaps of threads

// glibc reserves 64 MiB of address space for the heap of each thread; where that is limited they would take all of it,
// and threads that got none a page for each allocation.
static void main_limit_heaps(void) {
#ifdef M_ARENA_MAX
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const rlim_t heaps = limit.rlim_cur / ((rlim_t)HEAP_SHARE * (64u << 20));
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), usual = 8 * (cores > 0 ? cores : 1); // mallopt(3)
    if (heaps < (rlim_t)usual) mallopt(M_ARENA_MAX, heaps > 1 ? (int)heaps : 1);
#endif
}

// Whether stdout is a pipe whose reader went away, as `head` does when it has enough.
static int main_has_no_reader(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

// Quietly, by the signal that ends other programs there; an error of the command's own stays what the exit code says.
static int main_end_without_reader(int exit_code) {
    if (exit_code != 0) return exit_code;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    return clack_status_exit_code(CLACK_IO);
}

// The exit code after what was printed is written out.
static int main_flush(int exit_code) {
    // A full disk behind stdout shows only here.
    const int error = fflush(stdout) != 0 ? errno : 0; // 0 also where an earlier part could not be written
    if (error == 0 && !ferror(stdout)) return exit_code;
    if (main_has_no_reader()) return main_end_without_reader(exit_code);
    fprintf(stderr, "clack: cannot write to standard output: %s\n",
            error != 0 ? strerror(error) : "not all of it went");
    return exit_code == 0 ? clack_status_exit_code(CLACK_IO) : exit_code;
}

int main(int argc, char **argv) {
    main_limit_heaps();
    main_hold_streams();
    signal(SIGPIPE, SIG_IGN); // a reader that goes away must not end a run: it is an error of writing, seen below
    const int exit_code = main_flush(main_dispatch(argc, argv));
    // Under a compiler that is still at work nothing may be taken down; all files are closed by now.
    if (clack_builds_left() > 0) _exit(exit_code);
    return exit_code;
}
