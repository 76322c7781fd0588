// gnuplot as a child process, between files without names: no pipe can fill up on either side.
#define _POSIX_C_SOURCE 200809L
#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPLAINT_BYTES 300

extern char **environ;

typedef struct Streams { // of the child
    FILE *in, *out, *err;
} Streams;

static ClackStatus streams_open(Streams *streams, const char *script, size_t bytes, ClackReport *report) {
    streams->in = tmpfile();
    streams->out = tmpfile();
    streams->err = tmpfile();
    if (streams->in == NULL || streams->out == NULL || streams->err == NULL ||
        fwrite(script, 1, bytes, streams->in) != bytes || fflush(streams->in) != 0 ||
        fseek(streams->in, 0, SEEK_SET) != 0)
        return report_add(report, CLACK_IO, "temporary files for gnuplot: %s", strerror(errno));
    return CLACK_OK;
}

static void streams_close(Streams *streams) {
    if (streams->in != NULL) fclose(streams->in);
    if (streams->out != NULL) fclose(streams->out);
    if (streams->err != NULL) fclose(streams->err);
}

// The exit status as waitpid tells it; -1 and errno where it could not be started.
static int start_and_wait(const Streams *streams) {
    static char name[] = "gnuplot", plain[] = "--default-settings", from_stdin[] = "-"; // not what ~/.gnuplot says
    char *const words[] = {name, plain, from_stdin, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int state = 0;
    errno = posix_spawn_file_actions_init(&actions);
    if (errno != 0) return -1;
    int reason = posix_spawn_file_actions_adddup2(&actions, fileno(streams->in), STDIN_FILENO);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, fileno(streams->out), STDOUT_FILENO);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, fileno(streams->err), STDERR_FILENO);
    if (reason == 0) reason = posix_spawnp(&child, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = reason;
    if (reason != 0) return -1;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return state;
}

// The first line that says something.
static void read_complaint(FILE *err, char complaint[COMPLAINT_BYTES]) {
    rewind(err);
    complaint[0] = '\0';
    while (strspn(complaint, " ^\n\t") == strlen(complaint) && fgets(complaint, COMPLAINT_BYTES, err) != NULL) {
    }
    complaint[strcspn(complaint, "\n")] = '\0';
}

static ClackStatus read_image(FILE *out, char **out_image, size_t *out_bytes, ClackReport *report) {
    const long bytes = fseek(out, 0, SEEK_END) == 0 ? ftell(out) : -1;
    rewind(out);
    if (bytes <= 0) return report_add(report, CLACK_IO, "gnuplot: has drawn nothing");
    char *image = malloc((size_t)bytes + 1);
    if (image == NULL) return report_add(report, CLACK_MEMORY, "no memory for a figure");
    if (fread(image, 1, (size_t)bytes, out) != (size_t)bytes) {
        free(image);
        return report_add(report, CLACK_IO, "temporary files for gnuplot: %s", strerror(errno));
    }
    image[bytes] = '\0'; // SVG is a text
    *out_image = image;
    *out_bytes = (size_t)bytes;
    return CLACK_OK;
}

ClackStatus gnuplot_run(const char *script, size_t script_bytes, char **out_image, size_t *out_bytes,
                        ClackReport *report) {
    Streams streams = {0};
    ClackStatus status = CLACK_OK;
    char complaint[COMPLAINT_BYTES];
    *out_image = NULL;
    *out_bytes = 0;
    TRY_CLEAN(streams_open(&streams, script, script_bytes, report));
    const int state = start_and_wait(&streams);
    if (state < 0)
        TRY_CLEAN(report_add(report, CLACK_IO,
                             "gnuplot, which draws figures, cannot be started: %s (Debian's package: gnuplot-nox)",
                             strerror(errno)));
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        read_complaint(streams.err, complaint);
        TRY_CLEAN(WIFEXITED(state) && WEXITSTATUS(state) == 127 // of spawns that fork first
                      ? report_add(report, CLACK_IO,
                                   "gnuplot, which draws figures, cannot be started (Debian's package: gnuplot-nox)")
                      : report_add(report, CLACK_IO, "gnuplot failed: %s", complaint));
    }
    status = read_image(streams.out, out_image, out_bytes, report);
cleanup:
    streams_close(&streams);
    return status;
}
