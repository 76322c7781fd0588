// clBuildProgram in a thread of its own, so that whoever waits can tell of it, stop, and give up.
//
// Compilers take seconds to minutes, and some do not end. A thread inside one cannot be ended: it holds the compiler's
// locks and memory, which pthread_cancel would leave as they are, and OpenCL has no call that stops a build. So it is
// left, and goes on:
// - What it uses is its own. A Compilation holds a copy of the options, and once it is left the references to program,
//   queue and context that were the device's, which is closed without them (opencl_close): the last release deletes
//   them, which may wait for locks that the compiler holds. The thread gives them back when it ends, and frees the
//   Compilation; until then nobody else reads it. A binary that it made after all goes into the cache. A device that
//   was opened beside another one (the trial of arithmetic, the second build) has references of its own to queue and
//   context; while the Compilation holds these the other one's releases, when it is closed, are not the last, and those
//   but count down (OpenCL 1.2, 4.4 and 5.1; the flush of a queue finds nothing, as every launch is waited for).
// - Its code stays: a shared library that holds it is not unloaded any more (dlclose does nothing then).
// - exit runs destructors of driver and compiler while it is inside them, which may crash or wait for its locks. So
//   the program leaves by _exit when all its files and streams are closed or flushed (main.c); of programs that use the
//   library clack_builds_left tells. Joining it at exit is no way out, as it need not end; nor is _exit in a handler of
//   atexit here, since handlers that the caller registered before would not run.
// - A fork has no such thread; its count of those left is the parent's, which does no harm: it leaves by _exit too.
#define _GNU_SOURCE // dladdr
#include "opencl_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "number.h"

#define LIMIT_VARIABLE "CLACK_BUILD_LIMIT"
#define LIMIT_S 600.0                  // several times what the slowest build on a GPU took, 240 s
#define POLL_NS 100000000L             // a tenth of a second: how soon Ctrl-C is seen
#define STACK_BYTES ((size_t)64 << 20) // of address space; compilers recurse, and were used to a main thread's
#define NANOSECONDS 1000000000L

typedef struct Compilation {
    pthread_mutex_t lock; // guards is_ended, is_left, error
    pthread_cond_t ended;
    int is_ended;
    int is_left; // nobody waits any more
    int is_given_up;
    cl_int error;
    cl_device_id id;
    char *options; // owned
    // Once it is left these are owned; queue and context may be NULL.
    cl_program program;
    cl_command_queue queue;
    cl_context context;
    OpenclLate late;
} Compilation;

// Threads that nobody waits for, of the process; of these the ones that took too long.
static atomic_uint builds_left, builds_given_up;

uint32_t clack_builds_left(void) { return atomic_load(&builds_left); }
int opencl_is_given_up(void) { return atomic_load(&builds_given_up) > 0; }

// --- the thread -------------------------------------------------------------------------------

static void compilation_free(Compilation *own) {
    pthread_cond_destroy(&own->ended);
    pthread_mutex_destroy(&own->lock);
    free(own->options);
    free(own);
}

// Of one that was left, in its thread.
static void compilation_finish(Compilation *own) {
    if (own->error == CL_SUCCESS && own->late.take != NULL) own->late.take(own->late.context, own->program);
    free(own->late.context);
    clReleaseProgram(own->program);
    if (own->queue != NULL) clReleaseCommandQueue(own->queue);
    if (own->context != NULL) clReleaseContext(own->context);
    if (own->is_given_up) atomic_fetch_sub(&builds_given_up, 1);
    compilation_free(own);
    atomic_fetch_sub(&builds_left, 1);
}

static void *compilation_run(void *context) {
    Compilation *own = context;
    const cl_int error = clBuildProgram(own->program, 1, &own->id, own->options, NULL, NULL);
    pthread_mutex_lock(&own->lock);
    own->error = error;
    own->is_ended = 1;
    const int is_left = own->is_left;
    pthread_cond_signal(&own->ended);
    pthread_mutex_unlock(&own->lock); // else whoever waits frees it from here on
    if (is_left) compilation_finish(own);
    return NULL;
}

static int compilation_begin(Compilation *own, pthread_t *out_thread) {
    sigset_t all, before;
    pthread_attr_t attributes;
    size_t stack_bytes = 0;
    pthread_attr_init(&attributes);
    if (pthread_attr_getstacksize(&attributes, &stack_bytes) == 0 && stack_bytes < STACK_BYTES)
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    int error = pthread_create(out_thread, &attributes, compilation_run, own);
    if (error != 0) error = pthread_create(out_thread, NULL, compilation_run, own); // where address space is short
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

static Compilation *compilation_make(const OpenclDevice *device, cl_program program) {
    Compilation *own = calloc(1, sizeof *own);
    char *options = strdup(device->base.build_options);
    pthread_condattr_t attributes;
    if (own == NULL || options == NULL) {
        free(own);
        free(options);
        return NULL;
    }
    own->options = options;
    own->id = device->id;
    own->program = program;
    pthread_mutex_init(&own->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&own->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    return own;
}

// --- whoever waits ----------------------------------------------------------------------------

ClackStatus opencl_compile_limit(double *out_limit_s, ClackReport *report) {
    const char *text = getenv(LIMIT_VARIABLE);
    *out_limit_s = LIMIT_S;
    if (text == NULL || text[0] == '\0') return CLACK_OK;
    if (number_parse(text, out_limit_s) && *out_limit_s >= 0) return CLACK_OK;
    return report_add(report, CLACK_USAGE, LIMIT_VARIABLE ": expected seconds, 0 or more (0: no limit), found \"%s\"",
                      text);
}

static double seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static int is_asked_to_stop(const Device *device, const ClackBuild *build) {
    return device->on_build != NULL && device->on_build(device->build_context, build) != 0;
}

// Until it has ended, or somebody or the limit gives it up. With its lock held before and after.
static OpenclEnd compilation_wait(Compilation *own, const Device *device, ClackBuild *build) {
    struct timespec start, until;
    OpenclEnd end = OPENCL_ENDED;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (!own->is_ended && end == OPENCL_ENDED) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += POLL_NS;
        until.tv_sec += until.tv_nsec / NANOSECONDS;
        until.tv_nsec %= NANOSECONDS;
        while (!own->is_ended && pthread_cond_timedwait(&own->ended, &own->lock, &until) == 0) {
        }
        build->elapsed_s = seconds_since(&start);
        if (own->is_ended) break;
        pthread_mutex_unlock(&own->lock); // the callback's own time
        if (is_asked_to_stop(device, build))
            end = OPENCL_STOPPED;
        else if (build->limit_s > 0 && build->elapsed_s >= build->limit_s)
            end = OPENCL_GIVEN_UP;
        pthread_mutex_lock(&own->lock);
    }
    return own->is_ended ? OPENCL_ENDED : end;
}

// The library that holds this code stays to the end of the process. (The program itself is none, and that is all
// right.)
static void stay_loaded(void) {
    Dl_info info;
    void *code = NULL;
    void *(*run)(void *) = compilation_run;
    memcpy(&code, &run, sizeof code);
    if (dladdr(code, &info) != 0 && info.dli_fname != NULL)
        (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// With its lock held, which is given back: from then on the thread alone has it, and what the device had.
static void compilation_leave(Compilation *own, pthread_t thread, OpenclDevice *device, OpenclEnd end,
                              const OpenclLate *late) {
    own->is_given_up = end == OPENCL_GIVEN_UP;
    if (own->is_given_up) atomic_fetch_add(&builds_given_up, 1);
    atomic_fetch_add(&builds_left, 1);
    stay_loaded();
    own->late = *late;
    own->queue = device->queue;
    own->context = device->context;
    device->queue = NULL;
    device->context = NULL;
    own->is_left = 1;
    pthread_detach(thread);
    pthread_mutex_unlock(&own->lock);
}

OpenclEnd opencl_compile(OpenclDevice *device, cl_program program, const char *cache_folder, const OpenclLate *late,
                         cl_int *out_error) {
    ClackBuild build = {
        .device_name = device->base.info.name, .cache_folder = cache_folder, .limit_s = device->build_limit_s};
    Compilation *own = compilation_make(device, program);
    pthread_t thread;
    *out_error = CL_OUT_OF_HOST_MEMORY;
    if (own == NULL || !compilation_begin(own, &thread)) { // no thread is to be had: it is waited for in any case
        if (own != NULL) *out_error = clBuildProgram(program, 1, &own->id, own->options, NULL, NULL);
        if (own != NULL) compilation_free(own);
        free(late->context);
        return OPENCL_ENDED;
    }
    pthread_mutex_lock(&own->lock);
    const OpenclEnd end = compilation_wait(own, &device->base, &build);
    if (end == OPENCL_ENDED) {
        pthread_mutex_unlock(&own->lock);
        pthread_join(thread, NULL);
        *out_error = own->error;
        compilation_free(own);
        free(late->context);
    } else {
        compilation_leave(own, thread, device, end, late);
    }
    build.is_ended = 1;
    build.is_given_up = end == OPENCL_GIVEN_UP;
    build.is_stopped = end == OPENCL_STOPPED;
    build.is_failed = end == OPENCL_ENDED && *out_error != CL_SUCCESS;
    (void)is_asked_to_stop(&device->base, &build);
    return end;
}
