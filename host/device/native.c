// The native backend: the kernels as C17 on all cores, behind the same interface as OpenCL devices.
// Which thread of the device's pool runs a scene changes nothing in its result.
#define _GNU_SOURCE // _SC_PHYS_PAGES, CLOCK_MONOTONIC_COARSE
#include "device_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 1024u
// Chunks per thread that a launch is cut into, and the largest chunk: a chunk that ends late is all that
// the other threads wait for.
#define CHUNKS_PER_THREAD 32u
#define CHUNK_MAX 16u

typedef struct NativeBuffer {
    DeviceBuffer base;
    void *memory; // its own; NULL: it is the caller's
    void *data;   // 64-byte aligned, where it is its own
} NativeBuffer;

// As large, in bytes, as the most buffers that a kernel takes.
typedef union KernelBuffersMost {
#define KERNEL_BUFFERS(name, buffers, programs) char name[buffers];
    DEVICE_KERNEL_LIST(KERNEL_BUFFERS)
#undef KERNEL_BUFFERS
} KernelBuffersMost;

typedef struct NativeLaunch {
    NativeRun *run;
    KernelId kernel;
    void *buffers[sizeof(KernelBuffersMost)];
    uint32_t count;
    double end_s; // when it has taken long enough
} NativeLaunch;

static NativeRun *native_choose_variant(const char **out_name) {
#ifdef CLACK_NATIVE_V3
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
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
    out_info->compute_units = threads == 0 ? thread_pool_core_count() : threads;
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

// --- launches ---------------------------------------------------------------------------------

#ifdef CLOCK_MONOTONIC_COARSE
#define LAUNCH_CLOCK CLOCK_MONOTONIC_COARSE // to 4 ms, without a call of the system
#else
#define LAUNCH_CLOCK CLOCK_MONOTONIC
#endif

static double native_now_s(void) {
    struct timespec now;
    clock_gettime(LAUNCH_CLOCK, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Thread_local double native_end_s; // of the launch that a thread works for

int native_launch_is_over(void) { return native_now_s() > native_end_s; }

static ClackStatus native_work(void *context, uint32_t first, uint32_t last, ClackReport *report) {
    const NativeLaunch *launch = context;
    (void)report;
    native_end_s = launch->end_s;
    launch->run(launch->kernel, launch->buffers, launch->count, first, last);
    return CLACK_OK;
}

static ClackStatus native_launch(Device *device, KernelId kernel, DeviceBuffer *const *buffers, uint32_t count,
                                 ClackReport *report) {
    const NativeDevice *native = (const NativeDevice *)device;
    NativeLaunch launch = {.run = native->run, .kernel = kernel, .count = count, .end_s = native_now_s() + LAUNCH_S};
    for (uint32_t i = 0; i < device_kernel_buffers[kernel]; i++) {
        launch.buffers[i] = ((const NativeBuffer *)buffers[i])->data;
    }
    const uint32_t chunk = count / (thread_pool_size(device->pool) * CHUNKS_PER_THREAD);
    return thread_pool_share(device->pool, count,
                             chunk < 1           ? 1
                             : chunk > CHUNK_MAX ? CHUNK_MAX
                                                 : chunk,
                             native_work, &launch, report);
}

// --- buffers ----------------------------------------------------------------------------------

#define ALIGNMENT_BYTES 64u

// data: the caller's; NULL: its own.
static ClackStatus native_buffer_make(Device *device, size_t size_bytes, void *data, DeviceBuffer **out,
                                      ClackReport *report) {
    NativeBuffer *buffer = calloc(1, sizeof *buffer);
    char *memory = NULL;
    // More than there is would be promised by the system and missed in the middle of a run.
    const uint64_t most_bytes = device->info.max_allocation_bytes;
    if (buffer == NULL || (most_bytes != 0 && size_bytes > most_bytes) ||
        (data == NULL && (memory = calloc(size_bytes + ALIGNMENT_BYTES, 1)) == NULL)) {
        free(buffer);
        device->ran_out_of_memory = 1;
        return report_add(report, CLACK_DEVICE, "native: no memory for a buffer of %zu bytes", size_bytes);
    }
    // Zeros, as on devices. Memory that comes from the system for this is so, and takes nothing until it is used: of
    // the rooms that lists of a slot may take most never is.
    if (data == NULL) data = memory + (ALIGNMENT_BYTES - (uintptr_t)memory % ALIGNMENT_BYTES);
    *buffer = (NativeBuffer){.base.size_bytes = size_bytes, .memory = memory, .data = data};
    *out = &buffer->base;
    return CLACK_OK;
}

static ClackStatus native_buffer_create(Device *device, size_t size_bytes, DeviceBuffer **out, ClackReport *report) {
    return native_buffer_make(device, size_bytes, NULL, out, report);
}

static ClackStatus native_buffer_create_over(Device *device, size_t size_bytes, void *data, DeviceBuffer **out,
                                             ClackReport *report) {
    return native_buffer_make(device, size_bytes, data, out, report);
}

static void native_buffer_free(Device *device, DeviceBuffer *buffer) {
    (void)device;
    free(((NativeBuffer *)buffer)->memory);
    free(buffer);
}

static ClackStatus native_buffer_write(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                       const void *data, ClackReport *report) {
    (void)device;
    (void)report;
    char *at = (char *)((NativeBuffer *)buffer)->data + offset_bytes;
    if (at != data) memcpy(at, data, size_bytes);
    return CLACK_OK;
}

static ClackStatus native_buffer_read(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                      void *data, ClackReport *report) {
    (void)device;
    (void)report;
    const char *at = (const char *)((const NativeBuffer *)buffer)->data + offset_bytes;
    if (at != data) memcpy(data, at, size_bytes);
    return CLACK_OK;
}

// --- opening ----------------------------------------------------------------------

static ClackStatus native_open_part(const Device *device, Device **out_part, ClackReport *report) {
    const DeviceOptions options = {.threads = 1};
    (void)device;
    return native_open(&options, out_part, report);
}

static const DeviceOperations native_operations = {
    .open_part = native_open_part,
    .buffer_create = native_buffer_create,
    .buffer_create_over = native_buffer_create_over,
    .buffer_free = native_buffer_free,
    .buffer_write = native_buffer_write,
    .buffer_read = native_buffer_read,
    .launch = native_launch,
};

ClackStatus native_open(const DeviceOptions *options, Device **out_device, ClackReport *report) {
    if (options->lanes > 1) {
        return report_add(report, CLACK_USAGE, "lanes: the native backend runs 1 lane, not %u", options->lanes);
    }
    if (options->queue_items > 0)
        return report_add(report, CLACK_USAGE,
                          "queues: the native device has none; scenes are served from queues by OpenCL devices");
    if (options->threads > THREADS_MAX) {
        return report_add(report, CLACK_USAGE, "threads: expected at most %u, found %u", THREADS_MAX, options->threads);
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
    native->base.items.scene = 1;
    native->run = native_choose_variant(&variant);
    const uint32_t threads = options->threads == 0 ? thread_pool_core_count() : options->threads;
    const ClackStatus status =
        thread_pool_open(threads < THREADS_MAX ? threads : THREADS_MAX, &native->base.pool, report);
    if (status != CLACK_OK) {
        device_close(&native->base);
        return status;
    }
    native_describe(thread_pool_size(native->base.pool), &native->base.info);
    *out_device = &native->base;
    return CLACK_OK;
}
