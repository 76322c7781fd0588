// What device.c and the two kinds of devices (opencl.c, native.c) share. Not for other files.
#ifndef CLACK_DEVICE_INTERNAL_H
#define CLACK_DEVICE_INTERNAL_H

#include <pthread.h>

#include "device.h"
#include "thread_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

// The operations of device.h that differ from one kind of device to the other. Their buffers are their
// own structs that begin with a DeviceBuffer; ranges have been checked.
typedef struct DeviceOperations {
    void (*close)(Device *device); // frees the device's own resources, not the Device; NULL: it has none
    ClackStatus (*buffer_create)(Device *device, size_t size_bytes, DeviceBuffer **out, ClackReport *report);
    /// Over the host's memory. NULL: it has memory of its own.
    ClackStatus (*buffer_create_over)(Device *device, size_t size_bytes, void *data, DeviceBuffer **out,
                                      ClackReport *report);
    void (*buffer_free)(Device *device, DeviceBuffer *buffer);
    ClackStatus (*buffer_write)(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes,
                                const void *data, ClackReport *report);
    ClackStatus (*buffer_read)(Device *device, DeviceBuffer *buffer, size_t offset_bytes, size_t size_bytes, void *data,
                               ClackReport *report);
    ClackStatus (*launch)(Device *device, KernelId kernel, DeviceBuffer *const *buffers, uint32_t count,
                          ClackReport *report);
    ClackStatus (*gram)(Device *device, size_t rows, size_t columns, size_t stride, const double *values,
                        double *out_products, ClackReport *report); // NULL: it has none
    /// The same device with other kernels, those for `content`, and buffers of its own. It is closed before `device`
    /// is. NULL: its kernels hold everything.
    ClackStatus (*open_beside)(Device *device, const Content *content, Device **out_device, ClackReport *report);
    /// The same device with the same kernels once more, for another thread, with buffers of its own. It is closed
    /// before `device` is.
    ClackStatus (*open_part)(const Device *device, Device **out_part, ClackReport *report);
} DeviceOperations;

// What parts of an OpenCL device wait for each other for.
typedef struct DeviceShared {
    pthread_mutex_t second; // to make the second build once
    pthread_mutex_t launch; // launches fill a GPU: several at once take longer than one after the other
} DeviceShared;

typedef struct DeviceKey DeviceKey; // of session.c

struct Device {
    const DeviceOperations *operations;
    DeviceInfo info;
    Content content;           // what the kernels were built for
    Device *second;            // the second build, once a scene has left the first one; owned
    Device *whole;             // that it is a part of; NULL: it is none
    DeviceShared own, *shared; // by the parts of an OpenCL device, the whole's own; NULL: it has none
    char *build_options;       // owned
    char *build_log;           // owned
    DeviceItems items;
    ThreadPool *pool;              // of the host's threads, owned
    int ran_out_of_memory;         // since device_ran_out_of_memory last asked
    double kernel_s[KERNEL_COUNT]; // wall time of all launches
    uint32_t passes;               // of a launch of `advance` that took about LAUNCH_S; 0: none has been measured
    size_t bytes, bytes_most;      // in buffers: now, and at most
    ClackSession *session;         // that keeps it open; NULL: none does
    DeviceKey *key;                // what it was opened for there, owned; NULL
    int has_failed;                // a call of the device has: it is not kept
    int (*on_build)(void *context, const ClackBuild *build); // of the call that has it: ClackDeviceOptions
    void *build_context;
};

struct DeviceBuffer {
    size_t size_bytes;
};

void session_key_free(DeviceKey *key); // NULL is allowed

extern const char *const device_kernel_names[KERNEL_COUNT];
extern const uint32_t device_kernel_buffers[KERNEL_COUNT];  // (KERNEL_COUNT): how many each takes
extern const uint32_t device_kernel_programs[KERNEL_COUNT]; // (KERNEL_COUNT): bits of those that it is in

/// Compare the sizes that kernel `layout` reports with the host's.
/// Errors: CLACK_DEVICE naming each struct and both sizes.
ClackStatus device_compare_layout(const uint32_t *sizes, size_t count, ClackReport *report);

// native_kernels.c, compiled once for each variant: runs work-items first..last-1 of `count` on the
// calling thread.
typedef void NativeRun(KernelId kernel, void *const *buffers, uint32_t count, uint32_t first, uint32_t last);
NativeRun native_run_baseline;
NativeRun native_run_v3; // x86-64-v3: AVX2 and FMA; absent on other architectures

/// Has the launch that the calling thread works for taken LAUNCH_S? Scenes are left between passes then.
int native_launch_is_over(void);
#define LAUNCH_S 0.2 // between two checks by the host: signals, time limits

typedef struct NativeDevice {
    Device base;
    NativeRun *run;
} NativeDevice;

// native.c
void native_describe(uint32_t threads, DeviceInfo *out_info);
ClackStatus native_open(const DeviceOptions *options, Device **out_device, ClackReport *report);

// opencl_probe.c
/// All OpenCL devices, index from 0; platforms and drivers that fail are entries with `unusable_because`. The first
/// call of a process asks a child whether the drivers survive being loaded; where one does not, OpenCL is not called at
/// all.
ClackStatus opencl_list(DeviceInfo **out_infos, size_t *out_count, ClackReport *report);
/// The same, with the arithmetic of each that can be used: told by a child each, which may crash or take too long.
ClackStatus opencl_measure(DeviceInfo **out_infos, size_t *out_count, ClackReport *report);

// opencl.c
/// The same in this process, come what may.
ClackStatus opencl_list_here(DeviceInfo **out_infos, size_t *out_count, ClackReport *report);
/// Measure the arithmetic of a device of this list in this process, come what may.
void opencl_measure_here(DeviceInfo *info);
/// Whether a compiler of this process that took too long is still at work.
int opencl_is_given_up(void);
/// *out_is_unfit: it is not open, since its kernels were not compiled in time, or its arithmetic is not IEEE 754's.
ClackStatus opencl_open(const DeviceOptions *options, const Content *content, int index, Device **out_device,
                        int *out_is_unfit, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
