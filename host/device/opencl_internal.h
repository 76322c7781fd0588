// What the files of the OpenCL backend share. The only header that includes CL/cl.h.
#ifndef CLACK_OPENCL_INTERNAL_H
#define CLACK_OPENCL_INTERNAL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "device_internal.h"

typedef struct OpenclDevice {
    Device base;
    DeviceOptions options; // that it was opened with; of its texts build_options alone, owned
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[KERNEL_COUNT];
    size_t local_sizes[KERNEL_COUNT]; // work-items in a group of kernels where each has its own item
    double build_limit_s;             // 0: none
    int is_given_up;                  // its kernels were not compiled within that
    int is_own_width;                 // work-items of a scene are its own choice: nobody asked for lanes or queues
    size_t width_most;                // of its own choice kernel advance takes no more; 0: it takes it
} OpenclDevice;

/// CLACK_OK, or CLACK_DEVICE with the call's name, the error's name and, where `size_bytes` is not 0,
/// the size of the buffer.
ClackStatus opencl_check(OpenclDevice *device, cl_int error, const char *call, size_t size_bytes, ClackReport *report);

// opencl_build.c
/// Build the kernels, from the cache where possible. Sets program, build_options and build_log of the
/// device. Errors: CLACK_DEVICE with the compiler's log.
ClackStatus opencl_build(OpenclDevice *device, ClackReport *report);

// opencl_compile.c
typedef enum OpenclEnd { OPENCL_ENDED, OPENCL_STOPPED, OPENCL_GIVEN_UP } OpenclEnd;

// What is done with a program that is compiled after nobody waited for it any more, by the compiler's thread.
typedef struct OpenclLate {
    void (*take)(void *context, cl_program program); // NULL: nothing
    void *context;                                   // owned; freed by free()
} OpenclLate;

/// Seconds of a compilation by the environment; 0: no limit. Errors: CLACK_USAGE.
ClackStatus opencl_compile_limit(double *out_limit_s, ClackReport *report);
/// clBuildProgram with the device's options. cache_folder: where its binary will be, for ClackBuild; NULL. Where it was
/// stopped or given up, program, queue and context are no longer the caller's or the device's. late->context is taken
/// over in any case.
OpenclEnd opencl_compile(OpenclDevice *device, cl_program program, const char *cache_folder, const OpenclLate *late,
                         cl_int *out_error);

// opencl_sizes.c
/// warp_items and group_items_most.
void opencl_describe_sizes(cl_device_id id, DeviceInfo *info);
/// Whether any group of the device holds the work-items that are asked for. Errors: CLACK_USAGE with the most.
ClackStatus opencl_check_items(const Device *device, ClackReport *report);
/// local_sizes of a kernel that was made; whether it takes the work-items that are asked for. Errors: CLACK_USAGE with
/// the most, and with width_most where nobody asked for them; CLACK_DEVICE.
ClackStatus opencl_size_groups(OpenclDevice *opencl, KernelId kernel, ClackReport *report);

// opencl_fill.c
/// Zero a buffer of any size, and wait for it. Errors: CLACK_DEVICE.
ClackStatus opencl_fill_zero(OpenclDevice *opencl, cl_mem memory, size_t size_bytes, ClackReport *report);

// opencl_blas.c
ClackStatus opencl_gram(Device *device, size_t rows, size_t columns, size_t stride, const double *values,
                        double *out_products, ClackReport *report);

#endif
