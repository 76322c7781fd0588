// Do the OpenCL drivers survive being asked for their devices, and being asked to compute? Asked in child processes,
// since one that aborts or crashes would take the caller down. host/README.md, "Drivers that crash", says why a child
// is a fork.
#define _GNU_SOURCE // pipe2
#include "device_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VENDORS_VARIABLE "OCL_ICD_VENDORS"     // of both loaders: a folder; of ocl-icd also one .icd file or library
#define LIBRARIES_VARIABLE "OCL_ICD_FILENAMES" // of Khronos' loader: libraries
#define VENDORS_FOLDER "/etc/OpenCL/vendors"
#define DRIVER_BYTES 512
#define DRIVERS_MAX 64u
#define DEVICES_MAX 1024u // that a child may tell of
#define ANSWER_MS 60000   // several GPUs that nothing keeps awake take some 10 s
#define MEASURE_MS 20000  // a device that wakes up and a small build
#define EVERY_DEVICE (-1)

typedef enum ProbeEnd { PROBE_ANSWERED, PROBE_DIED, PROBE_SILENT } ProbeEnd; // silent: no child, or no answer in time

typedef struct Driver {
    char file[DRIVER_BYTES];    // the .icd file, or the library itself
    char library[DRIVER_BYTES]; // what the .icd file names; the library itself
} Driver;

typedef struct Probe { // what came of a child
    ProbeEnd end;
    int signal;        // that ended it; 0: none, or not known
    DeviceInfo *infos; // (count), owned
    size_t count;
} Probe;

// --- the child --------------------------------------------------------------------------------

static void probe_write(int pipe_end, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes > 0) {
        const ssize_t written = write(pipe_end, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        at += written;
        bytes -= (size_t)written;
    }
}

// Never returns. What drivers print is not the library's to print, and a crash that is expected leaves no core file.
// index: a device whose arithmetic is measured; EVERY_DEVICE: all are listed.
static void probe_child(const Driver *alone, int index, int pipe_end) {
    const struct rlimit no_core = {0, 0};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    if (alone != NULL) {
        setenv(VENDORS_VARIABLE, alone->file, 1);
        setenv(LIBRARIES_VARIABLE, alone->library, 1);
    }
    DeviceInfo *infos = NULL;
    size_t count = 0;
    DeviceInfo one = {.index = index};
    if (index != EVERY_DEVICE) {
        opencl_measure_here(&one);
        infos = &one;
        count = 1;
    } else if (opencl_list_here(&infos, &count, NULL) != CLACK_OK) {
        count = 0;
    }
    probe_write(pipe_end, &count, sizeof count);
    probe_write(pipe_end, infos, count * sizeof *infos);
    _exit(0); // no handlers of the caller's
}

// --- the parent -------------------------------------------------------------------------------

static long probe_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

// PROBE_DIED: the other end was closed before.
static ProbeEnd probe_read(int pipe_end, void *data, size_t bytes, long until_ms) {
    char *at = data;
    while (bytes > 0) {
        const long left_ms = until_ms - probe_now_ms();
        struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
        const int ready = left_ms > 0 ? poll(&wait, 1, (int)left_ms) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return PROBE_SILENT;
        const ssize_t got = read(pipe_end, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return PROBE_DIED;
        at += got;
        bytes -= (size_t)got;
    }
    return PROBE_ANSWERED;
}

static void probe_listen(int pipe_end, long answer_ms, Probe *probe) {
    const long until_ms = probe_now_ms() + answer_ms;
    size_t count = 0;
    probe->end = probe_read(pipe_end, &count, sizeof count, until_ms);
    if (probe->end != PROBE_ANSWERED || count == 0 || count > DEVICES_MAX) return;
    probe->infos = calloc(count, sizeof *probe->infos);
    if (probe->infos == NULL) return;
    probe->end = probe_read(pipe_end, probe->infos, count * sizeof *probe->infos, until_ms);
    probe->count = probe->end == PROBE_ANSWERED ? count : 0;
}

// alone: the only driver that the child may load; NULL: all. index: as of probe_child.
static Probe probe_make(const Driver *alone, int index) {
    Probe probe = {.end = PROBE_SILENT};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return probe;
    const pid_t child = fork();
    if (child == 0) probe_child(alone, index, ends[1]);
    close(ends[1]);
    if (child > 0) {
        int state = 0;
        probe_listen(ends[0], index == EVERY_DEVICE ? ANSWER_MS : MEASURE_MS, &probe);
        if (probe.end == PROBE_SILENT) kill(child, SIGKILL);
        pid_t ended;
        do ended = waitpid(child, &state, 0); // ECHILD where the caller ignores SIGCHLD
        while (ended < 0 && errno == EINTR);
        if (probe.end == PROBE_DIED && ended == child && WIFSIGNALED(state)) probe.signal = WTERMSIG(state);
    }
    close(ends[0]);
    return probe;
}

// --- which drivers there are ------------------------------------------------------------------

static void driver_read(const char *file, Driver *out) {
    snprintf(out->file, sizeof out->file, "%s", file);
    snprintf(out->library, sizeof out->library, "%s", file);
    const char *dot = strrchr(file, '.');
    FILE *stream = dot != NULL && strcmp(dot, ".icd") == 0 ? fopen(file, "r") : NULL;
    if (stream == NULL) return;
    if (fgets(out->library, sizeof out->library, stream) == NULL) out->library[0] = '\0';
    out->library[strcspn(out->library, "\r\n")] = '\0';
    fclose(stream);
}

static int is_driver_file(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".icd") == 0;
}

// Where the loader finds them; in the order of their names.
static size_t drivers_find(Driver drivers[DRIVERS_MAX]) {
    const char *named = getenv(VENDORS_VARIABLE), *path = getenv("OPENCL_VENDOR_PATH");
    const char *from = named != NULL && named[0] != '\0' ? named
                       : path != NULL && path[0] != '\0' ? path
                                                         : VENDORS_FOLDER;
    struct stat what;
    if (stat(from, &what) != 0 || !S_ISDIR(what.st_mode)) {
        driver_read(from, &drivers[0]);
        return 1;
    }
    struct dirent **entries = NULL;
    const int found = scandir(from, &entries, is_driver_file, alphasort);
    size_t count = 0;
    for (int i = 0; i < found; i++) {
        char file[DRIVER_BYTES];
        const int bytes = snprintf(file, sizeof file, "%s/%s", from, entries[i]->d_name);
        if (count < DRIVERS_MAX && bytes > 0 && (size_t)bytes < sizeof file) driver_read(file, &drivers[count++]);
        free(entries[i]);
    }
    free(entries);
    return count;
}

// --- the list ---------------------------------------------------------------------------------

static ClackStatus probe_add(DeviceInfo **infos, size_t *count, const DeviceInfo *info, ClackReport *report) {
    DeviceInfo *grown = realloc(*infos, (*count + 1) * sizeof *grown);
    if (grown == NULL) return report_add(report, CLACK_MEMORY, "no memory for the list of devices");
    *infos = grown;
    grown[*count] = *info;
    grown[*count].index = (int)*count;
    ++*count;
    return CLACK_OK;
}

static ClackStatus probe_add_dead(const Driver *driver, int number, DeviceInfo **infos, size_t *count,
                                  ClackReport *report) {
    DeviceInfo info = {0};
    snprintf(info.platform, sizeof info.platform, "%.127s", driver->library);
    snprintf(info.name, sizeof info.name, "OpenCL driver %.240s", driver->file);
    snprintf(info.unusable_because, sizeof info.unusable_because,
             "a program that loads it dies (%.40s); \"-d native\" needs no driver",
             number > 0 ? strsignal(number) : "no signal");
    return probe_add(infos, count, &info, report);
}

// Some driver kills the process that loads it, and the loader loads all: none can be used until it is left out.
static ClackStatus probe_blame(int number, DeviceInfo **infos, size_t *count, ClackReport *report) {
    Driver *drivers = calloc(DRIVERS_MAX, sizeof *drivers);
    if (drivers == NULL) return report_add(report, CLACK_MEMORY, "no memory for the list of drivers");
    const size_t driver_count = drivers_find(drivers);
    ClackStatus status = CLACK_OK;
    int is_found = 0;
    for (size_t i = 0; i < driver_count && status == CLACK_OK; i++) {
        Probe probe = probe_make(&drivers[i], EVERY_DEVICE);
        if (probe.end == PROBE_DIED) {
            is_found = 1;
            status = probe_add_dead(&drivers[i], probe.signal, infos, count, report);
        }
        for (size_t k = 0; k < probe.count && status == CLACK_OK; k++) {
            DeviceInfo *info = &probe.infos[k];
            snprintf(info->unusable_because, sizeof info->unusable_because, "another driver is broken; try %s=%.80s",
                     VENDORS_VARIABLE, drivers[i].file);
            status = probe_add(infos, count, info, report);
        }
        free(probe.infos);
    }
    const Driver unknown = {"(which one is not known)", "OpenCL"}; // none dies by itself
    if (!is_found && status == CLACK_OK) status = probe_add_dead(&unknown, number, infos, count, report);
    free(drivers);
    return status;
}

// Once this process has called OpenCL there is nothing left to protect, and a driver that is at work may not be used in
// a fork: a fact about the process, hence of all its threads.
static atomic_int opencl_is_called;

// The list of drivers that do not survive.
static ClackStatus probe_list_dead(int number, DeviceInfo **out_infos, size_t *out_count, ClackReport *report) {
    *out_infos = NULL;
    *out_count = 0;
    const ClackStatus status = probe_blame(number, out_infos, out_count, report);
    if (status != CLACK_OK) free(*out_infos);
    return status;
}

ClackStatus opencl_list(DeviceInfo **out_infos, size_t *out_count, ClackReport *report) {
    if (!atomic_load(&opencl_is_called)) {
        Probe probe = probe_make(NULL, EVERY_DEVICE);
        free(probe.infos);
        if (probe.end == PROBE_DIED) return probe_list_dead(probe.signal, out_infos, out_count, report);
        atomic_store(&opencl_is_called, 1);
    }
    return opencl_list_here(out_infos, out_count, report);
}

static void measure_apart(DeviceInfo *info) {
    Probe probe = probe_make(NULL, info->index);
    if (probe.count == 1)
        memcpy(info->arithmetic, probe.infos[0].arithmetic, sizeof info->arithmetic);
    else if (probe.end == PROBE_DIED)
        snprintf(info->arithmetic, sizeof info->arithmetic, "not known: a program that tries it dies (%.40s)",
                 probe.signal > 0 ? strsignal(probe.signal) : "no signal");
    else
        snprintf(info->arithmetic, sizeof info->arithmetic, "not known: no answer within %d s", MEASURE_MS / 1000);
    free(probe.infos);
}

// This process calls OpenCL only if it has done so before, or if no child can answer for it.
ClackStatus opencl_measure(DeviceInfo **out_infos, size_t *out_count, ClackReport *report) {
    const int is_called = atomic_load(&opencl_is_called);
    Probe probe = {.end = PROBE_SILENT};
    if (!is_called) probe = probe_make(NULL, EVERY_DEVICE);
    if (probe.end == PROBE_DIED) return probe_list_dead(probe.signal, out_infos, out_count, report);
    if (probe.end == PROBE_SILENT) {
        free(probe.infos); // none
        atomic_store(&opencl_is_called, 1);
        TRY(opencl_list_here(out_infos, out_count, report));
    } else {
        *out_infos = probe.infos;
        *out_count = probe.count;
    }
    for (size_t i = 0; i < *out_count; i++) {
        DeviceInfo *info = &(*out_infos)[i];
        if (info->unusable_because[0] != '\0') continue;
        if (is_called)
            opencl_measure_here(info);
        else if (probe.end == PROBE_ANSWERED)
            measure_apart(info);
    }
    return CLACK_OK;
}
