// Where kernels run: OpenCL devices and the native backend behind one interface of buffers and launches.
#ifndef CLACK_DEVICE_H
#define CLACK_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "content.h"
#include "thread_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Device Device;
typedef struct DeviceBuffer DeviceBuffer;

// What a kernel is called, how many buffers it takes, in order, and in which programs it is; after the buffers one u32:
// the number of work-items that have work. ENTRY(name, buffers, programs)
#define DEVICE_KERNEL_LIST(ENTRY)                                                                                      \
    ENTRY(layout, 1, PROGRAM_ADVANCE | PROGRAM_EVALUATE | PROGRAM_PROBE)                                               \
    ENTRY(advance, 32, PROGRAM_ADVANCE)                                                                                \
    ENTRY(gather, 3, PROGRAM_ADVANCE)                                                                                  \
    ENTRY(evaluate_bounds, 7, PROGRAM_EVALUATE)                                                                        \
    ENTRY(evaluate_count, 11, PROGRAM_EVALUATE)                                                                        \
    ENTRY(evaluate_list, 12, PROGRAM_EVALUATE)                                                                         \
    ENTRY(evaluate_narrow, 10, PROGRAM_EVALUATE)                                                                       \
    ENTRY(evaluate_force, 11, PROGRAM_EVALUATE)                                                                        \
    ENTRY(evaluate_meshes, 21, PROGRAM_REGIONS)                                                                        \
    ENTRY(probe_fma, 2, PROGRAM_PROBE)                                                                                 \
    ENTRY(probe_stream, 3, PROGRAM_PROBE)                                                                              \
    ENTRY(probe_exact, 2, PROGRAM_EXACT)

typedef enum KernelId {
#define DEVICE_KERNEL_ENUM(name, buffers, programs) KERNEL_##name,
    DEVICE_KERNEL_LIST(DEVICE_KERNEL_ENUM)
#undef DEVICE_KERNEL_ENUM
        KERNEL_COUNT
} KernelId;

typedef ClackDeviceInfo DeviceInfo;
typedef ClackDeviceOptions DeviceOptions;

// How work-items share the scenes of `advance`.
typedef struct DeviceItems {
    uint32_t scene; // that share a scene
    uint32_t
        queue; // of a group that serves the scenes of its slots from queues (kernels/stepper/queue_group.h); 0: none
} DeviceItems;

/// All devices, native first. `*out_infos` (out_count) is freed by the caller.
ClackStatus device_list(DeviceInfo **out_infos, size_t *out_count, ClackReport *report);
/// The same, with the arithmetic of each device that can be used.
ClackStatus device_measure(DeviceInfo **out_infos, size_t *out_count, ClackReport *report);

/// Open a device whose arithmetic is IEEE 754's (arithmetic.h), or with a warning any where the options allow it, and
/// build the kernels for what `content` says (from the cache where possible), then compare the sizes of all shared
/// structs on both sides. The native device has everything; of everything ptxas had not ended after 25
/// minutes. Errors: CLACK_USAGE (no such device), CLACK_DEVICE.
ClackStatus device_open(const DeviceOptions *options, const Content *content, Device **out_device, ClackReport *report);
void device_close(Device *device);
const DeviceInfo *device_info(const Device *device);
/// Options the kernels were built with, and the compiler's log (may be empty). Valid until close.
const char *device_build_options(const Device *device);
const char *device_build_log(const Device *device);
#define DEVICE_OPTIONS_BYTES (CONTENT_OPTIONS_BYTES + 320)
/// Those that an OpenCL device like this builds the kernels with, but for what a user adds. is_wide: it is a processor
/// whose vectors hold four numbers.
void opencl_print_build_options(const DeviceInfo *info, const Content *content, DeviceItems items, int is_wide,
                                char options[DEVICE_OPTIONS_BYTES]);
/// The device with the second build, for scenes that left its own (kernels/base/build.h): compiled when first asked
/// for, kept until `device` is closed. Launches and bytes count as those of `device`.
ClackStatus device_second(Device *device, Device **out_second, ClackReport *report);
/// As how many parts a device best carries many batches side by side: the native one has a thread for each; on a GPU
/// one is staged, read and evaluated while others are stepped. 1: one batch after the other.
uint32_t device_parts(const Device *device);
/// The device once more, for one thread that has one of so many parts of its memory. Closed before `device` is.
ClackStatus device_open_part(Device *device, uint32_t parts, Device **out_part, ClackReport *report);
int device_is_native(const Device *device);
DeviceItems device_items(const Device *device);
/// What its kernels were built for.
const Content *device_content(const Device *device);
/// Threads that share work on the host: of the native device its own, else all cores.
ThreadPool *device_thread_pool(const Device *device);
/// Whether an error since the last question was for want of memory on the device, so that a smaller
/// batch may succeed.
int device_ran_out_of_memory(Device *device);

/// Buffers are zeroed when made. A size of 0 makes a buffer of one byte.
ClackStatus device_buffer_create(Device *device, size_t size_bytes, DeviceBuffer **out_buffer, ClackReport *report);
/// Make `*buffer` (may be NULL) hold at least `size_bytes`: left as it is where it does, else replaced by a new one.
ClackStatus device_buffer_reserve(Device *device, size_t size_bytes, DeviceBuffer **buffer, ClackReport *report);
/// The same, and write `size_bytes` of data to its beginning.
ClackStatus device_buffer_upload(Device *device, size_t size_bytes, const void *data, DeviceBuffer **buffer,
                                 ClackReport *report);
/// The same over `size_bytes` of the caller's memory at `data`, which stays until the buffer is freed. A device that
/// works in the host's memory takes this itself; of others it is known what is there where the buffer was read to it.
/// is_filled: the buffer begins with what is there; else it is zeroed on a device that has memory of its own.
ClackStatus device_buffer_create_over(Device *device, size_t size_bytes, void *data, int is_filled,
                                      DeviceBuffer **out_buffer, ClackReport *report);
void device_buffer_free(Device *device, DeviceBuffer *buffer); // NULL is allowed
ClackStatus device_buffer_write(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                const void *data, ClackReport *report);
ClackStatus device_buffer_read(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes, void *data,
                               ClackReport *report);

/// Wall time of all launches of a kernel since the device was opened, and the most bytes that its buffers took
/// at once.
double device_kernel_s(const Device *device, KernelId kernel);
size_t device_bytes_most(const Device *device);

/// Passes that each slot gets in the next launch of `advance`: so many that launches take a fraction of a second, as
/// far as the last one tells. Natively the most, since launches end by the clock there. Results do not depend on it.
uint32_t device_passes(const Device *device);
#define DEVICE_PASSES_MOST 4096u

/// Run a kernel over `count` scenes (or items) and wait for it. `buffers` as DEVICE_KERNEL_LIST says.
ClackStatus device_launch(Device *device, KernelId kernel, DeviceBuffer *const *buffers, uint32_t count,
                          ClackReport *report);

/// Sums of products of columns: values (columns, stride), of which the first `rows` of each column count ->
/// out_products (columns, columns). Through CLBlast, so of OpenCL devices alone. Errors: CLACK_DEVICE.
ClackStatus device_gram(Device *device, size_t rows, size_t columns, size_t stride, const double *values,
                        double *out_products, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
