// Choice of a device, its listing, the handshake, and the way from device.h to the kind of device.
#define _POSIX_C_SOURCE 200809L
#include "device_internal.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/evaluate_types.h"
#include "model/mesh_types.h"
#include "model/region_types.h"
#include "arithmetic.h"
#include "session.h"

const char *const device_kernel_names[KERNEL_COUNT] = {
#define DEVICE_KERNEL_NAME(name, buffers, programs) #name,
    DEVICE_KERNEL_LIST(DEVICE_KERNEL_NAME)
#undef DEVICE_KERNEL_NAME
};

const uint32_t device_kernel_buffers[KERNEL_COUNT] = {
#define DEVICE_KERNEL_BUFFERS(name, buffers, programs) buffers,
    DEVICE_KERNEL_LIST(DEVICE_KERNEL_BUFFERS)
#undef DEVICE_KERNEL_BUFFERS
};

const uint32_t device_kernel_programs[KERNEL_COUNT] = {
#define DEVICE_KERNEL_PROGRAMS(name, buffers, programs) programs,
    DEVICE_KERNEL_LIST(DEVICE_KERNEL_PROGRAMS)
#undef DEVICE_KERNEL_PROGRAMS
};

#define INDEX_NATIVE (-1)
#define CHOICES_TEXT_BYTES 2048
#define PARTS_GPU 4u // batches at once: one is stepped, one is being made, one evaluated

// --- listing and choice -----------------------------------------------------------------------

// Native before those of OpenCL, which are freed.
static ClackStatus device_join(DeviceInfo *opencl, size_t count, DeviceInfo **out_infos, size_t *out_count,
                               ClackReport *report) {
    DeviceInfo *infos = calloc(count + 1, sizeof *infos);
    if (infos == NULL) {
        free(opencl);
        return report_add(report, CLACK_MEMORY, "no memory for the list of devices");
    }
    native_describe(0, &infos[0]);
    if (count > 0) memcpy(infos + 1, opencl, count * sizeof *infos);
    free(opencl);
    *out_infos = infos;
    *out_count = count + 1;
    return CLACK_OK;
}

ClackStatus device_list(DeviceInfo **out_infos, size_t *out_count, ClackReport *report) {
    DeviceInfo *opencl = NULL;
    size_t count = 0;
    TRY(opencl_list(&opencl, &count, report));
    return device_join(opencl, count, out_infos, out_count, report);
}

ClackStatus device_measure(DeviceInfo **out_infos, size_t *out_count, ClackReport *report) {
    const DeviceOptions options = {.choice = "native", .threads = 1, .allow_inexact = 1};
    DeviceInfo *opencl = NULL;
    Device *native = NULL;
    size_t count = 0;
    TRY(opencl_measure(&opencl, &count, report));
    TRY(device_join(opencl, count, out_infos, out_count, report));
    ClackStatus status = native_open(&options, &native, report);
    if (status == CLACK_OK) status = arithmetic_check(native, &options, report);
    if (status == CLACK_OK) memcpy((*out_infos)[0].arithmetic, native->info.arithmetic, ARITHMETIC_VERDICT_BYTES);
    device_close(native);
    if (status != CLACK_OK) free(*out_infos);
    return status;
}

// "native, 0 (NVIDIA H100), 1 (pthread; unusable: no fp64)"
static void device_list_choices(const DeviceInfo *infos, size_t count, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < text_bytes; i++) {
        const DeviceInfo *info = &infos[i];
        const char *reason = info->unusable_because;
        const int wrote =
            info->index == INDEX_NATIVE
                ? snprintf(text, text_bytes, "native")
                : snprintf(text + used, text_bytes - used, ", %d (%s%s%s%s)", info->index,
                           info->is_gpu ? "gpu: " : "cpu: ", info->name, reason[0] ? "; unusable: " : "", reason);
        if (wrote > 0) used += (size_t)wrote;
    }
}

static int device_parse_index(const char *choice, long *out_index) {
    char *end = NULL;
    errno = 0;
    *out_index = strtol(choice, &end, 10);
    return end != choice && *end == '\0' && errno == 0 && *out_index >= 0;
}

// The usable GPU of this task, counted round those of its node; NULL: there is none.
static const DeviceInfo *device_of_rank(const DeviceInfo *infos, size_t count, uint64_t rank) {
    size_t usable = 0;
    for (size_t i = 0; i < count; i++) usable += infos[i].is_gpu && infos[i].unusable_because[0] == '\0';
    if (usable == 0) return NULL;
    rank %= usable;
    for (size_t i = 0;; i++)
        if (infos[i].is_gpu && infos[i].unusable_because[0] == '\0' && rank-- == 0) return &infos[i];
}

// What launchers number the tasks of a node by; 0: none has.
static int device_local_rank(uint64_t *out_rank) {
    static const char *const names[] = {"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        long rank = 0;
        if (value == NULL || !device_parse_index(value, &rank)) continue;
        *out_rank = (uint64_t)rank;
        return 1;
    }
    return 0;
}

static const DeviceInfo *device_find(const DeviceInfo *infos, size_t count, const char *choice) {
    const int want_gpu = choice == NULL || strcmp(choice, "gpu") == 0;
    const int want_cpu = choice != NULL && strcmp(choice, "cpu") == 0;
    long index = INDEX_NATIVE;
    const int has_index = choice != NULL && device_parse_index(choice, &index);
    for (size_t i = 0; i < count; i++) {
        const DeviceInfo *info = &infos[i];
        if (info->index == INDEX_NATIVE) continue;
        if (has_index && info->index == index) return info;
        if (has_index || info->unusable_because[0] != '\0') continue;
        if ((want_gpu && info->is_gpu) || (want_cpu && !info->is_gpu)) return info;
    }
    return choice == NULL ? &infos[0] : NULL;
}

static ClackStatus device_choose(const char *choice, int *out_index, ClackReport *report) {
    if (choice != NULL && strcmp(choice, "native") == 0) {
        *out_index = INDEX_NATIVE; // works where OpenCL itself is broken
        return CLACK_OK;
    }
    DeviceInfo *infos = NULL;
    size_t count = 0;
    uint64_t rank = 0;
    const int is_by_rank = choice != NULL && strcmp(choice, "local-rank") == 0;
    if (is_by_rank && !device_local_rank(&rank))
        return report_add(report, CLACK_USAGE,
                          "device \"local-rank\": expected a task of Slurm or MPI, found none of SLURM_LOCALID, "
                          "OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID, PALS_LOCAL_RANKID, PMI_LOCAL_RANK");
    TRY(device_list(&infos, &count, report));
    const DeviceInfo *found = is_by_rank ? device_of_rank(infos, count, rank) : device_find(infos, count, choice);
    ClackStatus status = CLACK_OK;
    if (found == NULL) {
        char choices[CHOICES_TEXT_BYTES];
        device_list_choices(infos, count, choices, sizeof choices);
        status = report_add(report, CLACK_USAGE, "device \"%s\": there is none; there are: %s", choice, choices);
    } else if (found->unusable_because[0] != '\0') {
        status = report_add(report, CLACK_DEVICE, "device %d (%s) cannot be used: %s", found->index, found->name,
                            found->unusable_because);
    } else {
        *out_index = found->index;
    }
    free(infos);
    return status;
}

// --- opening ----------------------------------------------------------------------------------

typedef struct LayoutEntry {
    const char *name;
    uint32_t size_bytes;
} LayoutEntry;

// In the order of kernels/evaluate/layout.cl.
static const LayoutEntry layout_entries[] = {
    {"Vec3", sizeof(Vec3)},
    {"Quat", sizeof(Quat)},
    {"Shape", sizeof(Shape)},
    {"MaterialPairLaw", sizeof(MaterialPairLaw)},
    {"Body", sizeof(Body)},
    {"BodyState", sizeof(BodyState)},
    {"Scene", sizeof(Scene)},
    {"Progress", sizeof(Progress)},
    {"Event", sizeof(Event)},
    {"Watch", sizeof(Watch)},
    {"Extreme", sizeof(Extreme)},
    {"HullRow", sizeof(HullRow)},
    {"ContactRow", sizeof(ContactRow)},
    {"EvaluateSettings", sizeof(EvaluateSettings)},
    {"ShapePair", sizeof(ShapePair)},
    {"NearPair", sizeof(NearPair)},
    {"PairContact", sizeof(PairContact)},
    {"Slots", sizeof(Slots)},
    {"Slot", sizeof(Slot)},
    {"Joint", sizeof(Joint)},
    {"MeshHead", sizeof(MeshHead)},
    {"MeshVertex", sizeof(MeshVertex)},
    {"MeshTriangle", sizeof(MeshTriangle)},
    {"MeshEdge", sizeof(MeshEdge)},
    {"MeshSpoke", sizeof(MeshSpoke)},
    {"MeshNode", sizeof(MeshNode)},
    {"RegionSettings", sizeof(RegionSettings)},
    {"RegionQuery", sizeof(RegionQuery)},
    {"RegionRow", sizeof(RegionRow)},
    {"RegionSegment", sizeof(RegionSegment)},
    {"RegionCell", sizeof(RegionCell)},
    {"FunctionRow", sizeof(FunctionRow)},
    {"RegionLaw", sizeof(RegionLaw)},
    {"RegionPoint", sizeof(RegionPoint)},
};
#define LAYOUT_COUNT (sizeof layout_entries / sizeof layout_entries[0])
#define LAYOUT_ROOM 64 // entries that a newer layout.cl may write without harm

ClackStatus device_compare_layout(const uint32_t *sizes, size_t count, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; i < LAYOUT_COUNT; i++) {
        const uint32_t size = i < count ? sizes[i] : 0;
        if (size == layout_entries[i].size_bytes) continue;
        status = report_add(report, CLACK_DEVICE,
                            "struct %s has %u bytes on the device, %u on the host: the kernels do not "
                            "belong to this program",
                            layout_entries[i].name, size, layout_entries[i].size_bytes);
    }
    for (size_t i = LAYOUT_COUNT; i < count; i++) {
        if (sizes[i] == 0) continue;
        status = report_add(report, CLACK_DEVICE,
                            "the device reports a shared struct of %u bytes that the host does not know", sizes[i]);
    }
    return status;
}

static ClackStatus device_check_layout(Device *device, ClackReport *report) {
    uint32_t sizes[LAYOUT_ROOM] = {0};
    DeviceBuffer *buffer = NULL;
    TRY(device_buffer_create(device, sizeof sizes, &buffer, report));
    ClackStatus status = device_launch(device, KERNEL_layout, &buffer, 1, report);
    if (status == CLACK_OK) {
        status = device_buffer_read(device, buffer, 0, sizeof sizes, sizes, report);
    }
    device_buffer_free(device, buffer);
    if (status == CLACK_OK) status = device_compare_layout(sizes, LAYOUT_ROOM, report);
    return status;
}

// Where no device is named, one whose compiler is too slow, or whose arithmetic is wrong, is none: the native device
// takes its place. A session keeps that for calls that name none, and so does the process while that compiler is at
// work: they do not wait again.
static ClackStatus device_open_opencl(const DeviceOptions *options, const Content *content, int index,
                                      Device **out_device, ClackReport *report) {
    DeviceOptions native = *options;
    native.lanes = native.queue_items = 0; // of GPUs
    if (options->choice == NULL && opencl_is_given_up()) return native_open(&native, out_device, report);
    ClackReport told = {0};
    int is_unfit = 0;
    const ClackStatus status = opencl_open(options, content, index, out_device, &is_unfit, &told);
    if (!is_unfit || options->choice != NULL || told.count == 0) {
        report_move(&told, report);
        return status;
    }
    size_t why = 0;
    while (why + 1 < told.count && told.places[why].is_warning) why++;
    report_warn(report, "the native device takes the place of a GPU. %s", told.lines[why]);
    clack_report_clear(&told);
    return native_open(&native, out_device, report);
}

ClackStatus device_open(const DeviceOptions *options, const Content *content, Device **out_device,
                        ClackReport *report) {
    const DeviceOptions defaults = {0};
    const DeviceOptions *chosen = options == NULL ? &defaults : options;
    int index = INDEX_NATIVE;
    Device *device = chosen->session != NULL ? session_take(chosen->session, chosen, content) : NULL;
    *out_device = device;
    if (device != NULL) {
        device->on_build = chosen->on_build;
        device->build_context = chosen->build_context;
        arithmetic_warn(&device->info, report);
        return CLACK_OK;
    }
    TRY(device_choose(chosen->choice, &index, report));
    if (index == INDEX_NATIVE)
        TRY(native_open(chosen, &device, report));
    else
        TRY(device_open_opencl(chosen, content, index, &device, report));
    ClackStatus status = device_is_native(device) ? arithmetic_check(device, chosen, report) : CLACK_OK;
    if (status == CLACK_OK) status = device_check_layout(device, report);
    if (status != CLACK_OK) {
        device_close(device);
        return status;
    }
    arithmetic_warn(&device->info, report);
    if (chosen->session != NULL) session_adopt(chosen->session, chosen, content, device);
    *out_device = device;
    return CLACK_OK;
}

// The second build is made once, by whichever part needs it first; others wait for it.
static ClackStatus device_second_of_part(Device *part, ClackReport *report) {
    Device *second = NULL;
    pthread_mutex_lock(&part->shared->second);
    ClackStatus status = device_second(part->whole, &second, report);
    if (status == CLACK_OK) status = part->operations->open_part(second, &part->second, report);
    pthread_mutex_unlock(&part->shared->second);
    if (status != CLACK_OK) return status;
    part->second->shared = part->shared;
    part->second->info.global_memory_bytes = part->info.global_memory_bytes;
    return CLACK_OK;
}

ClackStatus device_second(Device *device, Device **out_second, ClackReport *report) {
    if (device->second == NULL && device->shared != NULL && device->whole != NULL)
        TRY(device_second_of_part(device, report));
    *out_second = device->second;
    if (device->second != NULL) return CLACK_OK;
    if (device->operations->open_beside == NULL)
        return report_add(report, CLACK_INTERNAL, "%s: its kernels hold everything, and scenes left them",
                          device->info.name);
    const Content content = content_second(&device->content);
    Device *second = NULL;
    TRY(device->operations->open_beside(device, &content, &second, report));
    const ClackStatus status = device_check_layout(second, report);
    if (status == CLACK_OK)
        *out_second = device->second = second;
    else
        device_close(second);
    return status;
}

void device_close(Device *device) {
    if (device == NULL) return;
    if (device->session != NULL) {
        session_give_back(device);
        return;
    }
    session_key_free(device->key);
    device_close(device->second);
    if (device->operations->close != NULL) device->operations->close(device);
    thread_pool_close(device->pool);
    if (device->shared == &device->own) {
        pthread_mutex_destroy(&device->own.second);
        pthread_mutex_destroy(&device->own.launch);
    }
    free(device->build_options);
    free(device->build_log);
    free(device);
}

const DeviceInfo *device_info(const Device *device) { return &device->info; }
const char *device_build_options(const Device *device) {
    return device->build_options == NULL ? "" : device->build_options;
}
const char *device_build_log(const Device *device) { return device->build_log == NULL ? "" : device->build_log; }
int device_is_native(const Device *device) { return device->info.index == INDEX_NATIVE; }

uint32_t device_parts(const Device *device) {
    return device_is_native(device) ? thread_pool_size(device->pool) : device->info.is_gpu ? PARTS_GPU : 1;
}

static void device_share(Device *whole) {
    if (whole->shared != NULL) return;
    whole->shared = &whole->own;
    pthread_mutex_init(&whole->own.second, NULL);
    pthread_mutex_init(&whole->own.launch, NULL);
}

ClackStatus device_open_part(Device *device, uint32_t parts, Device **out_part, ClackReport *report) {
    assert(parts > 0);
    if (!device_is_native(device)) device_share(device);
    TRY(device->operations->open_part(device, out_part, report));
    (*out_part)->whole = device;
    (*out_part)->shared = device->shared;
    if (device_is_native(device)) (*out_part)->info.global_memory_bytes = device->info.global_memory_bytes / parts;
    return CLACK_OK;
}

ThreadPool *device_thread_pool(const Device *device) { return device->pool; }
DeviceItems device_items(const Device *device) { return device->items; }
const Content *device_content(const Device *device) { return &device->content; }

int device_ran_out_of_memory(Device *device) {
    const int ran_out = device->ran_out_of_memory;
    device->ran_out_of_memory = 0;
    return device->second != NULL && device_ran_out_of_memory(device->second) ? 1 : ran_out;
}

// --- buffers and launches ---------------------------------------------------------------------

// A device that has failed is not kept for another call.
static ClackStatus device_note(Device *device, ClackStatus status) {
    if (status == CLACK_DEVICE) (device->whole != NULL ? device->whole : device)->has_failed = 1;
    return status;
}

static void device_count_bytes(Device *device, const DeviceBuffer *buffer) {
    device->bytes += buffer->size_bytes;
    if (device->bytes > device->bytes_most) device->bytes_most = device->bytes;
}

ClackStatus device_buffer_create(Device *device, size_t size_bytes, DeviceBuffer **out_buffer, ClackReport *report) {
    assert(device != NULL);
    TRY(device_note(device,
                    device->operations->buffer_create(device, size_bytes == 0 ? 1 : size_bytes, out_buffer, report)));
    device_count_bytes(device, *out_buffer);
    return CLACK_OK;
}

ClackStatus device_buffer_reserve(Device *device, size_t size_bytes, DeviceBuffer **buffer, ClackReport *report) {
    if (*buffer != NULL && size_bytes <= (*buffer)->size_bytes) return CLACK_OK;
    device_buffer_free(device, *buffer);
    *buffer = NULL;
    return device_buffer_create(device, size_bytes, buffer, report);
}

ClackStatus device_buffer_upload(Device *device, size_t size_bytes, const void *data, DeviceBuffer **buffer,
                                 ClackReport *report) {
    TRY(device_buffer_reserve(device, size_bytes, buffer, report));
    return device_buffer_write(device, *buffer, 0, size_bytes, data, report);
}

ClackStatus device_buffer_create_over(Device *device, size_t size_bytes, void *data, int is_filled,
                                      DeviceBuffer **out_buffer, ClackReport *report) {
    assert(device != NULL && (data != NULL || size_bytes == 0));
    if (device->operations->buffer_create_over != NULL && size_bytes > 0) {
        TRY(device->operations->buffer_create_over(device, size_bytes, data, out_buffer, report));
        device_count_bytes(device, *out_buffer);
        return CLACK_OK;
    }
    TRY(device_buffer_create(device, size_bytes, out_buffer, report));
    return is_filled ? device_buffer_write(device, *out_buffer, 0, size_bytes, data, report) : CLACK_OK;
}

void device_buffer_free(Device *device, DeviceBuffer *buffer) {
    if (buffer == NULL) return;
    device->bytes -= buffer->size_bytes;
    device->operations->buffer_free(device, buffer);
}

// Batches of both builds follow each other: buffers of the one are gone before the other's are made.
size_t device_bytes_most(const Device *device) {
    const size_t second = device->second != NULL ? device->second->bytes_most : 0;
    return second > device->bytes_most ? second : device->bytes_most;
}

static ClackStatus device_check_range(const DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                      ClackReport *report) {
    if (offset_bytes <= buffer->size_bytes && size_bytes <= buffer->size_bytes - offset_bytes) {
        return CLACK_OK;
    }
    return report_add(report, CLACK_INTERNAL, "range of %zu bytes at %zu is outside a buffer of %zu bytes", size_bytes,
                      offset_bytes, buffer->size_bytes);
}

ClackStatus device_buffer_write(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                const void *data, ClackReport *report) {
    TRY(device_check_range(buffer, offset_bytes, size_bytes, report));
    if (size_bytes == 0) return CLACK_OK;
    return device_note(device,
                       device->operations->buffer_write(device, buffer, offset_bytes, size_bytes, data, report));
}

ClackStatus device_buffer_read(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes, void *data,
                               ClackReport *report) {
    TRY(device_check_range(buffer, offset_bytes, size_bytes, report));
    if (size_bytes == 0) return CLACK_OK;
    return device_note(device, device->operations->buffer_read(device, buffer, offset_bytes, size_bytes, data, report));
}

static double device_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define PASSES_FIRST 8u   // of a scene of thousands of bodies one takes a tenth of a second
#define PASSES_GROWTH 8.0 // from one launch to the next at most: passes grow longer where bodies meet

uint32_t device_passes(const Device *device) {
    if (device_is_native(device)) return DEVICE_PASSES_MOST;
    return device->passes > 0 ? device->passes : PASSES_FIRST;
}

static void device_pace(Device *device, double took_s) {
    const double scale = LAUNCH_S / (took_s > LAUNCH_S / PASSES_GROWTH ? took_s : LAUNCH_S / PASSES_GROWTH);
    const double passes = scale * device_passes(device);
    device->passes = passes < 1 ? 1 : passes > DEVICE_PASSES_MOST ? DEVICE_PASSES_MOST : (uint32_t)passes;
}

ClackStatus device_launch(Device *device, KernelId kernel, DeviceBuffer *const *buffers, uint32_t count,
                          ClackReport *report) {
    assert(device != NULL && kernel < KERNEL_COUNT);
    if (count == 0) return CLACK_OK;
    if (device->shared != NULL) pthread_mutex_lock(&device->shared->launch);
    const double start_s = device_now_s();
    const ClackStatus status = device_note(device, device->operations->launch(device, kernel, buffers, count, report));
    const double took_s = device_now_s() - start_s;
    if (device->shared != NULL) pthread_mutex_unlock(&device->shared->launch);
    device->kernel_s[kernel] += took_s;
    if (kernel == KERNEL_advance) device_pace(device, took_s);
    return status;
}

double device_kernel_s(const Device *device, KernelId kernel) {
    return device->kernel_s[kernel] + (device->second != NULL ? device->second->kernel_s[kernel] : 0);
}

ClackStatus device_gram(Device *device, size_t rows, size_t columns, size_t stride, const double *values,
                        double *out_products, ClackReport *report) {
    assert(device != NULL && rows > 0 && columns > 0 && stride >= rows);
    if (device->operations->gram == NULL)
        return report_add(report, CLACK_INTERNAL, "%s: has no products of matrices", device->info.name);
    return device->operations->gram(device, rows, columns, stride, values, out_products, report);
}
