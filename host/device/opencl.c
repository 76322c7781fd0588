// OpenCL devices: listing, context and queue, buffers, launches. Other files opencl_*.c call OpenCL too, but no others.
#define _POSIX_C_SOURCE 200809L
#include "opencl_internal.h"
#include "arithmetic.h"
#include "model/workspace.h"
#include "stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPENCL_PLATFORM_NOT_FOUND (-1001) // CL_PLATFORM_NOT_FOUND_KHR: no driver is installed

typedef struct OpenclBuffer {
    DeviceBuffer base;
    cl_mem memory;
} OpenclBuffer;

// --- errors -----------------------------------------------------------------------------------

// clang-format off
#define OPENCL_ERROR_LIST(ENTRY)                                                                    \
    ENTRY(CL_DEVICE_NOT_FOUND) ENTRY(CL_DEVICE_NOT_AVAILABLE) ENTRY(CL_COMPILER_NOT_AVAILABLE)      \
    ENTRY(CL_MEM_OBJECT_ALLOCATION_FAILURE) ENTRY(CL_OUT_OF_RESOURCES) ENTRY(CL_OUT_OF_HOST_MEMORY) \
    ENTRY(CL_PROFILING_INFO_NOT_AVAILABLE) ENTRY(CL_MEM_COPY_OVERLAP)                               \
    ENTRY(CL_BUILD_PROGRAM_FAILURE) ENTRY(CL_MAP_FAILURE) ENTRY(CL_MISALIGNED_SUB_BUFFER_OFFSET)    \
    ENTRY(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) ENTRY(CL_COMPILE_PROGRAM_FAILURE)           \
    ENTRY(CL_LINKER_NOT_AVAILABLE) ENTRY(CL_LINK_PROGRAM_FAILURE) ENTRY(CL_INVALID_VALUE)           \
    ENTRY(CL_INVALID_DEVICE_TYPE) ENTRY(CL_INVALID_PLATFORM) ENTRY(CL_INVALID_DEVICE)               \
    ENTRY(CL_INVALID_CONTEXT) ENTRY(CL_INVALID_QUEUE_PROPERTIES) ENTRY(CL_INVALID_COMMAND_QUEUE)    \
    ENTRY(CL_INVALID_HOST_PTR) ENTRY(CL_INVALID_MEM_OBJECT) ENTRY(CL_INVALID_BINARY)                \
    ENTRY(CL_INVALID_BUILD_OPTIONS) ENTRY(CL_INVALID_PROGRAM) ENTRY(CL_INVALID_PROGRAM_EXECUTABLE)  \
    ENTRY(CL_INVALID_KERNEL_NAME) ENTRY(CL_INVALID_KERNEL_DEFINITION) ENTRY(CL_INVALID_KERNEL)      \
    ENTRY(CL_INVALID_ARG_INDEX) ENTRY(CL_INVALID_ARG_VALUE) ENTRY(CL_INVALID_ARG_SIZE)              \
    ENTRY(CL_INVALID_KERNEL_ARGS) ENTRY(CL_INVALID_WORK_DIMENSION)                                  \
    ENTRY(CL_INVALID_WORK_GROUP_SIZE) ENTRY(CL_INVALID_WORK_ITEM_SIZE)                              \
    ENTRY(CL_INVALID_GLOBAL_OFFSET) ENTRY(CL_INVALID_EVENT_WAIT_LIST) ENTRY(CL_INVALID_EVENT)       \
    ENTRY(CL_INVALID_OPERATION) ENTRY(CL_INVALID_BUFFER_SIZE) ENTRY(CL_INVALID_GLOBAL_WORK_SIZE)    \
    ENTRY(CL_INVALID_COMPILER_OPTIONS) ENTRY(CL_INVALID_LINKER_OPTIONS)
// clang-format on

static const char *opencl_error_name(cl_int error) {
    switch (error) {
#define OPENCL_ERROR_CASE(name)                                                                                        \
    case name: return #name;
        OPENCL_ERROR_LIST(OPENCL_ERROR_CASE)
#undef OPENCL_ERROR_CASE
    default: return "unknown error";
    }
}

ClackStatus opencl_check(OpenclDevice *device, cl_int error, const char *call, size_t size_bytes, ClackReport *report) {
    if (error == CL_SUCCESS) return CLACK_OK;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY ||
        error == CL_INVALID_BUFFER_SIZE) {
        device->base.ran_out_of_memory = 1;
    }
    const char *device_name = device->base.info.name;
    if (size_bytes > 0) {
        return report_add(report, CLACK_DEVICE, "%s: %s failed with %s (%d) for %zu bytes", device_name, call,
                          opencl_error_name(error), error, size_bytes);
    }
    return report_add(report, CLACK_DEVICE, "%s: %s failed with %s (%d)", device_name, call, opencl_error_name(error),
                      error);
}

// --- listing ----------------------------------------------------------------------------------

typedef struct OpenclEntry {
    DeviceInfo info;
    cl_device_id id;
} OpenclEntry;

typedef struct OpenclList {
    OpenclEntry *entries; // (count)
    size_t count;
} OpenclList;

static OpenclEntry *opencl_list_add(OpenclList *list) {
    OpenclEntry *grown = realloc(list->entries, (list->count + 1) * sizeof *grown);
    if (grown == NULL) return NULL;
    list->entries = grown;
    OpenclEntry *entry = &grown[list->count];
    *entry = (OpenclEntry){.info = {.index = (int)list->count}};
    list->count++;
    return entry;
}

// Text of a device, cut to the room there is.
static void opencl_device_text(cl_device_id id, cl_device_info what, char *text, size_t text_bytes) {
    char long_text[1024] = "";
    snprintf(text, text_bytes, "?");
    if (clGetDeviceInfo(id, what, sizeof long_text, long_text, NULL) == CL_SUCCESS) {
        snprintf(text, text_bytes, "%.*s", (int)text_bytes - 1, long_text);
    }
}

static cl_ulong opencl_device_number(cl_device_id id, cl_device_info what, size_t number_bytes) {
    union {
        cl_uint short_number;
        cl_ulong long_number;
    } value = {.long_number = 0};
    if (clGetDeviceInfo(id, what, number_bytes, &value, NULL) != CL_SUCCESS) return 0;
    return number_bytes == sizeof(cl_uint) ? value.short_number : value.long_number;
}

static void opencl_describe(cl_device_id id, const char *platform, DeviceInfo *info) {
    snprintf(info->platform, sizeof info->platform, "%s", platform);
    opencl_device_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
    opencl_device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    opencl_device_text(id, CL_DEVICE_VERSION, info->version, sizeof info->version);
    const cl_ulong type = opencl_device_number(id, CL_DEVICE_TYPE, sizeof(cl_device_type));
    info->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    info->has_fp64 = opencl_device_number(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) != 0;
    info->compute_units = (uint32_t)opencl_device_number(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    info->global_memory_bytes = opencl_device_number(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_allocation_bytes = opencl_device_number(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    opencl_describe_sizes(id, info);
    const char *reason = "";
    if (!opencl_device_number(id, CL_DEVICE_AVAILABLE, sizeof(cl_bool))) {
        reason = "it is not available";
    } else if (!opencl_device_number(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool))) {
        reason = "it has no compiler";
    } else if (!info->has_fp64) {
        reason = "it has no double precision";
    } else if (!opencl_device_number(id, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool))) {
        reason = "it is big-endian";
    }
    snprintf(info->unusable_because, sizeof info->unusable_because, "%s", reason);
}

static ClackStatus opencl_list_platform(OpenclList *list, cl_platform_id platform, ClackReport *report) {
    char name[128] = "?";
    char long_name[1024] = "";
    cl_int error = clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof long_name, long_name, NULL);
    if (error == CL_SUCCESS) snprintf(name, sizeof name, "%.127s", long_name);
    cl_device_id *ids = NULL;
    cl_uint count = 0;
    error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (error == CL_SUCCESS && count > 0) {
        ids = calloc(count, sizeof(cl_device_id));
        if (ids == NULL) return report_add(report, CLACK_MEMORY, "no memory for the list of devices");
        error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    }
    int has_room = 1;
    for (cl_uint i = 0; error == CL_SUCCESS && has_room && i < count; i++) {
        OpenclEntry *entry = opencl_list_add(list);
        has_room = entry != NULL;
        if (!has_room) break;
        entry->id = ids[i];
        opencl_describe(ids[i], name, &entry->info);
    }
    if (error != CL_SUCCESS || count == 0) { // shown, so that users see why their device is missing
        OpenclEntry *entry = opencl_list_add(list);
        has_room = entry != NULL;
        if (has_room) {
            DeviceInfo *info = &entry->info;
            snprintf(info->platform, sizeof info->platform, "%s", name);
            snprintf(info->name, sizeof info->name, "(none)");
            snprintf(info->unusable_because, sizeof info->unusable_because,
                     "the platform shows no device: clGetDeviceIDs: %s", opencl_error_name(error));
        }
    }
    free(ids);
    return has_room ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for the list of devices");
}

// No driver at all is no error: the list is empty then.
static ClackStatus opencl_enumerate(OpenclList *list, ClackReport *report) {
    cl_uint count = 0;
    cl_int error = clGetPlatformIDs(0, NULL, &count);
    if (error == OPENCL_PLATFORM_NOT_FOUND || (error == CL_SUCCESS && count == 0)) return CLACK_OK;
    cl_platform_id *platforms = NULL;
    if (error == CL_SUCCESS) {
        platforms = calloc(count, sizeof(cl_platform_id));
        if (platforms == NULL) return report_add(report, CLACK_MEMORY, "no memory for the platforms");
        error = clGetPlatformIDs(count, platforms, NULL);
    }
    ClackStatus status = CLACK_OK;
    if (error != CL_SUCCESS) {
        OpenclEntry *entry = opencl_list_add(list);
        if (entry == NULL)
            status = report_add(report, CLACK_MEMORY, "no memory for the platforms");
        else {
            snprintf(entry->info.platform, sizeof entry->info.platform, "OpenCL");
            snprintf(entry->info.name, sizeof entry->info.name, "(none)");
            snprintf(entry->info.unusable_because, sizeof entry->info.unusable_because, "clGetPlatformIDs: %s (%d)",
                     opencl_error_name(error), error);
        }
    }
    for (cl_uint i = 0; error == CL_SUCCESS && status == CLACK_OK && i < count; i++) {
        status = opencl_list_platform(list, platforms[i], report);
    }
    free(platforms);
    return status;
}

ClackStatus opencl_list_here(DeviceInfo **out_infos, size_t *out_count, ClackReport *report) {
    OpenclList list = {0};
    ClackStatus status = opencl_enumerate(&list, report);
    DeviceInfo *infos = status == CLACK_OK ? calloc(list.count + 1, sizeof *infos) : NULL;
    if (status == CLACK_OK && infos == NULL) {
        status = report_add(report, CLACK_MEMORY, "no memory for the list of devices");
    }
    if (status == CLACK_OK) {
        for (size_t i = 0; i < list.count; i++) infos[i] = list.entries[i].info;
        *out_infos = infos;
        *out_count = list.count;
    }
    free(list.entries);
    return status;
}

// --- buffers ----------------------------------------------------------------------------------

static void opencl_buffer_free(Device *device, DeviceBuffer *buffer) {
    (void)device;
    OpenclBuffer *opencl_buffer = (OpenclBuffer *)buffer;
    if (opencl_buffer->memory != NULL) clReleaseMemObject(opencl_buffer->memory);
    free(opencl_buffer);
}

static ClackStatus opencl_buffer_create(Device *device, size_t size_bytes, DeviceBuffer **out, ClackReport *report) {
    OpenclDevice *opencl = (OpenclDevice *)device;
    OpenclBuffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) return report_add(report, CLACK_MEMORY, "no memory for a buffer");
    buffer->base.size_bytes = size_bytes;
    cl_int error = CL_SUCCESS;
    buffer->memory = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, size_bytes, NULL, &error);
    ClackStatus status = opencl_check(opencl, error, "clCreateBuffer", size_bytes, report);
    if (status == CLACK_OK) status = opencl_fill_zero(opencl, buffer->memory, size_bytes, report);
    if (status != CLACK_OK) {
        opencl_buffer_free(device, &buffer->base);
        return status;
    }
    *out = &buffer->base;
    return CLACK_OK;
}

static ClackStatus opencl_buffer_write(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                       const void *data, ClackReport *report) {
    OpenclDevice *opencl = (OpenclDevice *)device;
    const cl_int error = clEnqueueWriteBuffer(opencl->queue, ((OpenclBuffer *)buffer)->memory, CL_TRUE, offset_bytes,
                                              size_bytes, data, 0, NULL, NULL);
    return opencl_check(opencl, error, "clEnqueueWriteBuffer", size_bytes, report);
}

static ClackStatus opencl_buffer_read(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                      void *data, ClackReport *report) {
    OpenclDevice *opencl = (OpenclDevice *)device;
    const cl_int error = clEnqueueReadBuffer(opencl->queue, ((OpenclBuffer *)buffer)->memory, CL_TRUE, offset_bytes,
                                             size_bytes, data, 0, NULL, NULL);
    return opencl_check(opencl, error, "clEnqueueReadBuffer", size_bytes, report);
}

// --- launches ---------------------------------------------------------------------------------

static ClackStatus opencl_launch(Device *device, KernelId kernel, DeviceBuffer *const *buffers, uint32_t count,
                                 ClackReport *report) {
    OpenclDevice *opencl = (OpenclDevice *)device;
    cl_kernel cl = opencl->kernels[kernel];
    if (cl == NULL) return report_add(report, CLACK_INTERNAL, "kernel %s was not built", device_kernel_names[kernel]);
    const cl_uint buffer_count = device_kernel_buffers[kernel];
    for (cl_uint i = 0; i < buffer_count; i++) {
        const OpenclBuffer *buffer = (const OpenclBuffer *)buffers[i];
        const cl_int error = clSetKernelArg(cl, i, sizeof(cl_mem), &buffer->memory);
        TRY(opencl_check(opencl, error, "clSetKernelArg", buffer->base.size_bytes, report));
    }
    const cl_uint item_count = count;
    TRY(opencl_check(opencl, clSetKernelArg(cl, buffer_count, sizeof item_count, &item_count), "clSetKernelArg", 0,
                     report));
    // Several items: one scene is one group, so that its barriers are met by all its items and no other.
    const DeviceItems own = kernel == KERNEL_advance ? device->items : (DeviceItems){.scene = 1};
    const size_t local = own.queue > 0 ? own.queue : own.scene > 1 ? own.scene : opencl->local_sizes[kernel];
    const size_t items = (size_t)count * own.scene;
    const size_t global = (items + local - 1) / local * local;
    const cl_int error = clEnqueueNDRangeKernel(opencl->queue, cl, 1, NULL, &global, &local, 0, NULL, NULL);
    TRY(opencl_check(opencl, error, "clEnqueueNDRangeKernel", 0, report));
    return opencl_check(opencl, clFinish(opencl->queue), "clFinish", 0, report);
}

// --- opening and closing ----------------------------------------------------------------------

static void opencl_close(Device *device) {
    OpenclDevice *opencl = (OpenclDevice *)device;
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (opencl->kernels[i] != NULL) clReleaseKernel(opencl->kernels[i]);
    }
    if (opencl->program != NULL) clReleaseProgram(opencl->program);
    if (opencl->queue != NULL) clReleaseCommandQueue(opencl->queue);
    if (opencl->context != NULL) clReleaseContext(opencl->context);
    free((char *)opencl->options.build_options);
}

static ClackStatus opencl_open_beside(Device *device, const Content *content, Device **out_device, ClackReport *report);
static ClackStatus opencl_open_part(const Device *device, Device **out_part, ClackReport *report);

static const DeviceOperations opencl_operations = {
    .close = opencl_close,
    .buffer_create = opencl_buffer_create,
    .buffer_free = opencl_buffer_free,
    .buffer_write = opencl_buffer_write,
    .buffer_read = opencl_buffer_read,
    .launch = opencl_launch,
    .gram = opencl_gram,
    .open_beside = opencl_open_beside,
    .open_part = opencl_open_part,
};

static ClackStatus opencl_find(int index, DeviceInfo *out_info, cl_device_id *out_id, ClackReport *report) {
    OpenclList list = {0};
    ClackStatus status = opencl_enumerate(&list, report);
    if (status == CLACK_OK && (index < 0 || (size_t)index >= list.count)) {
        status = report_add(report, CLACK_USAGE, "device %d: there is none", index);
    }
    if (status == CLACK_OK && list.entries[index].info.unusable_because[0] != '\0') {
        status = report_add(report, CLACK_DEVICE, "device %d cannot be used: %s", index,
                            list.entries[index].info.unusable_because);
    }
    if (status == CLACK_OK) {
        *out_info = list.entries[index].info;
        *out_id = list.entries[index].id;
    }
    free(list.entries);
    return status;
}

// Of its program.
static ClackStatus opencl_make_kernels(OpenclDevice *opencl, ClackReport *report) {
    cl_int error = CL_SUCCESS;
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (!(device_kernel_programs[i] & opencl->base.content.programs)) continue;
        char call[64];
        snprintf(call, sizeof call, "clCreateKernel(%s)", device_kernel_names[i]);
        opencl->kernels[i] = clCreateKernel(opencl->program, device_kernel_names[i], &error);
        TRY(opencl_check(opencl, error, call, 0, report));
        TRY(opencl_size_groups(opencl, (KernelId)i, report));
    }
    return CLACK_OK;
}

static ClackStatus opencl_keep_options(OpenclDevice *opencl, const DeviceOptions *options, ClackReport *report) {
    opencl->options = (DeviceOptions){.dump_build_log = options->dump_build_log};
    if (options->build_options == NULL) return CLACK_OK;
    opencl->options.build_options = strdup(options->build_options);
    return opencl->options.build_options != NULL ? CLACK_OK
                                                 : report_add(report, CLACK_MEMORY, "no memory for build options");
}

static ClackStatus opencl_start(OpenclDevice *opencl, const DeviceOptions *options, ClackReport *report) {
    cl_int error = CL_SUCCESS;
    TRY(thread_pool_open(thread_pool_core_count(), &opencl->base.pool, report));
    TRY(opencl_keep_options(opencl, options, report));
    opencl->context = clCreateContext(NULL, 1, &opencl->id, NULL, NULL, &error);
    TRY(opencl_check(opencl, error, "clCreateContext", 0, report));
    opencl->queue = clCreateCommandQueue(opencl->context, opencl->id, 0, &error);
    TRY(opencl_check(opencl, error, "clCreateCommandQueue", 0, report));
    TRY(arithmetic_check(&opencl->base, options, report)); // before a build that may take long
    TRY(opencl_build(opencl, report));
    return opencl_make_kernels(opencl, report);
}

// Where the work-items that the device's own answer lets share a scene are too many for the kernel, which only a
// compiled one tells, the next try has one.
static ClackStatus opencl_try(const DeviceOptions *options, const Content *content, int index, Device **out_device,
                              int *out_is_unfit, size_t *out_width_most, ClackReport *report) {
    double limit_s = 0;
    *out_is_unfit = 0;
    TRY(opencl_compile_limit(&limit_s, report));
    if (options->queue_items > QUEUE_ITEMS_MOST)
        return report_add(report, CLACK_USAGE, "queues: expected at most %u work-items, found %u", QUEUE_ITEMS_MOST,
                          options->queue_items);
    if (options->queue_items > 0 && options->lanes > 1)
        return report_add(report, CLACK_USAGE, "queues: with %u lanes; scenes in queues have one", options->lanes);
    OpenclDevice *opencl = calloc(1, sizeof *opencl);
    if (opencl == NULL) return report_add(report, CLACK_MEMORY, "no memory for the device");
    ClackStatus status = opencl_find(index, &opencl->base.info, &opencl->id, report);
    if (status != CLACK_OK) {
        free(opencl);
        return status;
    }
    opencl->base.operations = &opencl_operations;
    opencl->base.content = *content;
    opencl->is_own_width = options->queue_items == 0 && options->lanes == 0;
    opencl->base.items.queue = options->queue_items;
    opencl->base.items.scene = options->queue_items > 0 ? 1
                               : options->lanes > 0
                                   ? options->lanes
                                   : stepper_scene_items(&opencl->base.info, content->bodies, content->scenes);
    opencl->build_limit_s = limit_s;
    opencl->base.on_build = options->on_build;
    opencl->base.build_context = options->build_context;
    status = opencl_check_items(&opencl->base, report);
    if (status == CLACK_OK) status = opencl_start(opencl, options, report);
    if (status != CLACK_OK) {
        *out_is_unfit = opencl->is_given_up || arithmetic_is_wrong(&opencl->base.info);
        *out_width_most = opencl->width_most;
        device_close(&opencl->base);
        return status;
    }
    *out_device = &opencl->base;
    return CLACK_OK;
}

ClackStatus opencl_open(const DeviceOptions *options, const Content *content, int index, Device **out_device,
                        int *out_is_unfit, ClackReport *report) {
    DeviceOptions one = *options;
    ClackReport told = {0};
    size_t width_most = 0;
    const ClackStatus status = opencl_try(options, content, index, out_device, out_is_unfit, &width_most, &told);
    if (width_most == 0) {
        report_move(&told, report);
        return status;
    }
    clack_report_clear(&told);
    report_warn(report,
                "each scene has one work-item: a warp, as GPUs have for few scenes of many bodies, is more than the "
                "%zu that kernel advance takes here",
                width_most);
    one.lanes = 1;
    return opencl_try(&one, content, index, out_device, out_is_unfit, &width_most, report);
}

// The same device in the same context, with neither queue nor kernels yet. It has no threads of its own: the host's
// work is shared by those of `device`, or is done by the thread that has it.
static OpenclDevice *opencl_make_beside(const OpenclDevice *first, const Content *content) {
    OpenclDevice *opencl = calloc(1, sizeof *opencl);
    if (opencl == NULL) return NULL;
    opencl->base.operations = &opencl_operations;
    opencl->base.info = first->base.info;
    opencl->base.content = *content;
    opencl->base.items = first->base.items;
    opencl->id = first->id;
    opencl->base.on_build = first->base.on_build;
    opencl->base.build_context = first->base.build_context;
    opencl->build_limit_s = first->build_limit_s;
    opencl->is_own_width = first->is_own_width;
    opencl->context = first->context;
    clRetainContext(opencl->context);
    return opencl;
}

static ClackStatus opencl_open_beside(Device *device, const Content *content, Device **out_device,
                                      ClackReport *report) {
    OpenclDevice *first = (OpenclDevice *)device;
    OpenclDevice *opencl = opencl_make_beside(first, content);
    if (opencl == NULL) return report_add(report, CLACK_MEMORY, "no memory for the device");
    opencl->queue = first->queue;
    clRetainCommandQueue(opencl->queue);
    ClackStatus status = opencl_keep_options(opencl, &first->options, report);
    if (status == CLACK_OK) status = opencl_build(opencl, report);
    if (status == CLACK_OK) status = opencl_make_kernels(opencl, report);
    if (status == CLACK_OK)
        *out_device = &opencl->base;
    else {
        first->is_given_up |= opencl->is_given_up;
        device_close(&opencl->base);
    }
    return status;
}

// Kernels are made anew, since each holds its arguments.
static ClackStatus opencl_open_part(const Device *device, Device **out_part, ClackReport *report) {
    const OpenclDevice *first = (const OpenclDevice *)device;
    cl_int error = CL_SUCCESS;
    OpenclDevice *opencl = opencl_make_beside(first, &device->content);
    if (opencl == NULL) return report_add(report, CLACK_MEMORY, "no memory for the device");
    opencl->program = first->program;
    clRetainProgram(opencl->program);
    opencl->queue = clCreateCommandQueue(opencl->context, opencl->id, 0, &error);
    ClackStatus status = opencl_check(opencl, error, "clCreateCommandQueue", 0, report);
    if (status == CLACK_OK) status = opencl_make_kernels(opencl, report);
    if (status == CLACK_OK)
        *out_part = &opencl->base;
    else
        device_close(&opencl->base);
    return status;
}

void opencl_measure_here(DeviceInfo *info) {
    const DeviceOptions options = {.allow_inexact = 1};
    const Content content = {.programs = PROGRAM_EXACT};
    ClackReport report = {0};
    Device *device = NULL;
    int is_unfit = 0;
    if (opencl_open(&options, &content, info->index, &device, &is_unfit, &report) == CLACK_OK)
        memcpy(info->arithmetic, device->info.arithmetic, sizeof info->arithmetic);
    else
        snprintf(info->arithmetic, sizeof info->arithmetic, "not known: %s", report.count > 0 ? report.lines[0] : "");
    device_close(device);
    clack_report_clear(&report);
}
