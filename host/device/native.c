// The native backend: the kernels as C17 on all cores, behind the same interface as OpenCL devices.
// A pool of threads claims scenes in small chunks from one counter, so that long scenes balance; who
// runs a scene changes nothing in its result.
#define _GNU_SOURCE // sched_getaffinity
#include "device_internal.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 1024u
#define KERNEL_BUFFERS_MAX 20
// Chunks per thread that a launch is cut into, and the largest chunk: a chunk that ends late is all that
// the other threads wait for.
#define CHUNKS_PER_THREAD 32u
#define CHUNK_MAX 16u

typedef struct NativeBuffer {
    DeviceBuffer base;
    void *data; // 64-byte aligned
} NativeBuffer;

typedef struct NativeJob {
    KernelId kernel;
    void *buffers[KERNEL_BUFFERS_MAX];
    uint32_t count, chunk;
} NativeJob;

typedef struct NativeDevice {
    Device base;
    NativeRun *run;
    uint32_t helper_count; // threads beside the caller's
    pthread_t *helpers;    // (helper_count)
    pthread_mutex_t lock;  // guards what follows, but for next_item
    pthread_cond_t work_there, work_done;
    NativeJob job;
    uint64_t job_number;
    uint32_t busy; // helpers still at the present job
    int closing;
    atomic_uint_fast64_t next_item;
} NativeDevice;

static uint32_t native_core_count(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
        const int count = CPU_COUNT(&cores);
        if (count > 0) return (uint32_t)count;
    }
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

static NativeRun *native_choose_variant(const char **out_name) {
#ifdef CLACK_NATIVE_V3
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        *out_name = "x86-64-v3";
        return native_run_v3;
    }
#endif
    *out_name = "baseline";
    return native_run_baseline;
}

// --- description ------------------------------------------------------------------------------

static void native_processor_name(char *name, size_t name_bytes) {
    snprintf(name, name_bytes, "processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || value == NULL) continue;
        value += strspn(value, ": \t");
        snprintf(name, name_bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(file);
}

void native_describe(uint32_t threads, DeviceInfo *out_info) {
    const char *variant = NULL;
    native_choose_variant(&variant);
    *out_info = (DeviceInfo){.index = -1, .has_fp64 = 1};
    out_info->compute_units = threads == 0 ? native_core_count() : threads;
    snprintf(out_info->platform, sizeof out_info->platform, "native");
    native_processor_name(out_info->name, sizeof out_info->name);
    snprintf(out_info->driver, sizeof out_info->driver, "%s", variant);
    snprintf(out_info->version, sizeof out_info->version, "C17");
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_bytes > 0) {
        out_info->global_memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
        out_info->max_allocation_bytes = out_info->global_memory_bytes;
    }
}

// --- the pool ---------------------------------------------------------------------------------

static void native_work(NativeDevice *native, const NativeJob *job) {
    for (;;) {
        const uint64_t first = atomic_fetch_add_explicit(&native->next_item, job->chunk,
                                                         memory_order_relaxed);
        if (first >= job->count) return;
        const uint64_t last = first + job->chunk < job->count ? first + job->chunk : job->count;
        native->run(job->kernel, job->buffers, job->count, (uint32_t)first, (uint32_t)last);
    }
}

static void *native_help(void *context) {
    NativeDevice *native = context;
    uint64_t seen = 0;
    pthread_mutex_lock(&native->lock);
    for (;;) {
        while (!native->closing && native->job_number == seen) {
            pthread_cond_wait(&native->work_there, &native->lock);
        }
        if (native->closing) break;
        seen = native->job_number;
        const NativeJob job = native->job;
        pthread_mutex_unlock(&native->lock);
        native_work(native, &job);
        pthread_mutex_lock(&native->lock);
        if (--native->busy == 0) pthread_cond_signal(&native->work_done);
    }
    pthread_mutex_unlock(&native->lock);
    return NULL;
}

static ClackStatus native_launch(Device *device, KernelId kernel, DeviceBuffer *const *buffers,
                                 uint32_t count, ClackReport *report) {
    (void)report;
    NativeDevice *native = (NativeDevice *)device;
    NativeJob job = {.kernel = kernel, .count = count};
    for (uint32_t i = 0; i < device_kernel_buffers[kernel]; i++) {
        job.buffers[i] = ((const NativeBuffer *)buffers[i])->data;
    }
    const uint32_t chunk = count / ((native->helper_count + 1) * CHUNKS_PER_THREAD);
    job.chunk = chunk < 1 ? 1 : chunk > CHUNK_MAX ? CHUNK_MAX : chunk;
    atomic_store(&native->next_item, 0);
    if (count <= job.chunk || native->helper_count == 0) {
        native_work(native, &job);
        return CLACK_OK;
    }
    pthread_mutex_lock(&native->lock);
    native->job = job;
    native->job_number++;
    native->busy = native->helper_count;
    pthread_cond_broadcast(&native->work_there);
    pthread_mutex_unlock(&native->lock);
    native_work(native, &job);
    pthread_mutex_lock(&native->lock);
    while (native->busy > 0) pthread_cond_wait(&native->work_done, &native->lock);
    pthread_mutex_unlock(&native->lock);
    return CLACK_OK;
}

// --- buffers ----------------------------------------------------------------------------------

#define ALIGNMENT_BYTES 64u

static ClackStatus native_buffer_create(Device *device, size_t size_bytes, DeviceBuffer **out,
                                        ClackReport *report) {
    NativeBuffer *buffer = calloc(1, sizeof *buffer);
    void *data = NULL;
    // More than there is would be promised by the system and missed in the middle of a run.
    const uint64_t most_bytes = device->info.max_allocation_bytes;
    if (buffer == NULL || (most_bytes != 0 && size_bytes > most_bytes) ||
        posix_memalign(&data, ALIGNMENT_BYTES, size_bytes) != 0) {
        free(buffer);
        device->ran_out_of_memory = 1;
        return report_add(report, CLACK_DEVICE, "native: no memory for a buffer of %zu bytes", size_bytes);
    }
    memset(data, 0, size_bytes);
    buffer->base.size_bytes = size_bytes;
    buffer->data = data;
    *out = &buffer->base;
    return CLACK_OK;
}

static void native_buffer_free(Device *device, DeviceBuffer *buffer) {
    (void)device;
    free(((NativeBuffer *)buffer)->data);
    free(buffer);
}

static ClackStatus native_buffer_write(Device *device, DeviceBuffer *buffer, size_t offset_bytes,
                                       size_t size_bytes, const void *data, ClackReport *report) {
    (void)device;
    (void)report;
    memcpy((char *)((NativeBuffer *)buffer)->data + offset_bytes, data, size_bytes);
    return CLACK_OK;
}

static ClackStatus native_buffer_read(Device *device, DeviceBuffer *buffer, size_t offset_bytes,
                                      size_t size_bytes, void *data, ClackReport *report) {
    (void)device;
    (void)report;
    memcpy(data, (const char *)((const NativeBuffer *)buffer)->data + offset_bytes, size_bytes);
    return CLACK_OK;
}

// --- opening and closing ----------------------------------------------------------------------

static void native_close(Device *device) {
    NativeDevice *native = (NativeDevice *)device;
    pthread_mutex_lock(&native->lock);
    native->closing = 1;
    pthread_cond_broadcast(&native->work_there);
    pthread_mutex_unlock(&native->lock);
    for (uint32_t i = 0; i < native->helper_count; i++) pthread_join(native->helpers[i], NULL);
    free(native->helpers);
    pthread_cond_destroy(&native->work_there);
    pthread_cond_destroy(&native->work_done);
    pthread_mutex_destroy(&native->lock);
}

static const DeviceOperations native_operations = {
    .close = native_close,
    .buffer_create = native_buffer_create,
    .buffer_free = native_buffer_free,
    .buffer_write = native_buffer_write,
    .buffer_read = native_buffer_read,
    .launch = native_launch,
};

// Helpers that cannot be had are done without: the launch works with any number.
static void native_start_helpers(NativeDevice *native, uint32_t count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the caller's thread
    native->helpers = calloc(count == 0 ? 1 : count, sizeof *native->helpers);
    for (uint32_t i = 0; native->helpers != NULL && i < count; i++) {
        if (pthread_create(&native->helpers[i], NULL, native_help, native) != 0) break;
        native->helper_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

ClackStatus native_open(const DeviceOptions *options, Device **out_device, ClackReport *report) {
    if (options->lanes > 1) {
        return report_add(report, CLACK_USAGE, "lanes: the native backend runs 1 lane, not %u",
                          options->lanes);
    }
    if (options->threads > THREADS_MAX) {
        return report_add(report, CLACK_USAGE, "threads: expected at most %u, found %u", THREADS_MAX,
                          options->threads);
    }
    NativeDevice *native = calloc(1, sizeof *native);
    char *build_options = strdup("-std=c17 -O2 -ffp-contract=off");
    if (native == NULL || build_options == NULL) {
        free(native);
        free(build_options);
        return report_add(report, CLACK_MEMORY, "no memory for the native device");
    }
    const char *variant = NULL;
    native->base.operations = &native_operations;
    native->base.build_options = build_options;
    native->base.content = content_everything();
    native->base.lanes = 1;
    native->run = native_choose_variant(&variant);
    atomic_init(&native->next_item, 0);
    pthread_mutex_init(&native->lock, NULL);
    pthread_cond_init(&native->work_there, NULL);
    pthread_cond_init(&native->work_done, NULL);
    const uint32_t threads = options->threads == 0 ? native_core_count() : options->threads;
    native_start_helpers(native, (threads < THREADS_MAX ? threads : THREADS_MAX) - 1);
    native_describe(native->helper_count + 1, &native->base.info);
    *out_device = &native->base;
    return CLACK_OK;
}
