// Sizes of groups of work-items, as devices and kernels tell them: warps of NVIDIA's have 32 work-items, waves of AMD's
// 64 or 32, subgroups of Intel's 8 to 32. No result depends on them.
#include "opencl_internal.h"

#include <stddef.h>

// Of a group whose work-items have an item each: on a GPU two warps of 32, so that a unit which holds few groups has
// more to choose from. On a processor groups are what is spread over cores, so one; measured with PoCL 3.1: 2.1 to
// 2.7 s of processor time for every size from 1 to 64, and it compiles a kernel anew for each size (4 s for `advance`).
#define LOCAL_SIZE_GPU 64u
#define LOCAL_SIZE_CPU 1u

// Extensions of cl_ext.h and OpenCL 3.0, which headers of OpenCL 1.2 lack; devices without them say so.
#define DEVICE_WARP_SIZE_NV 0x4003
#define DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define DEVICE_PREFERRED_MULTIPLE 0x1067 // CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
#define WARP_ITEMS_MOST 1024u            // more is no answer

static uint32_t sizes_warp(cl_device_id id) {
    static const cl_device_info vendors[] = {DEVICE_WARP_SIZE_NV, DEVICE_WAVEFRONT_WIDTH_AMD};
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        cl_uint items = 0;
        if (clGetDeviceInfo(id, vendors[i], sizeof items, &items, NULL) == CL_SUCCESS && items > 0 &&
            items <= WARP_ITEMS_MOST)
            return items;
    }
    size_t items = 0;
    if (clGetDeviceInfo(id, DEVICE_PREFERRED_MULTIPLE, sizeof items, &items, NULL) != CL_SUCCESS) return 0;
    return items <= WARP_ITEMS_MOST ? (uint32_t)items : 0;
}

void opencl_describe_sizes(cl_device_id id, DeviceInfo *info) {
    size_t items = 0;
    info->warp_items = sizes_warp(id);
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, NULL) != CL_SUCCESS) return;
    info->group_items_most = items < UINT32_MAX ? (uint32_t)items : UINT32_MAX;
}

// "lanes: expected at most 256 work-items, the most in a group of `advance` on NVIDIA H100, found 512"
static ClackStatus sizes_refuse(const Device *device, const char *of, size_t most, const char *hint,
                                ClackReport *report) {
    const DeviceItems items = device->items;
    return report_add(report, CLACK_USAGE,
                      "%s: expected at most %zu work-items, the most in a group%s on %s, found %u%s",
                      items.queue > 0 ? "queues" : "lanes", most, of, device->info.name,
                      items.queue > 0 ? items.queue : items.scene, hint);
}

static uint32_t sizes_shared(const Device *device) {
    const uint32_t queue = device->items.queue;
    return queue > 0 ? queue : device->items.scene;
}

ClackStatus opencl_check_items(const Device *device, ClackReport *report) {
    const uint32_t most = device->info.group_items_most;
    if (most == 0 || sizes_shared(device) <= most) return CLACK_OK;
    return sizes_refuse(device, "", most, "", report);
}

// The largest of a kernel that takes `most`, in whole warps where it takes one.
static size_t sizes_local(size_t wanted, size_t multiple, size_t most) {
    const size_t whole = (wanted + multiple - 1) / multiple * multiple;
    if (whole <= most) return whole;
    return most >= multiple ? most / multiple * multiple : most;
}

ClackStatus opencl_size_groups(OpenclDevice *opencl, KernelId kernel, ClackReport *report) {
    const size_t shared = kernel == KERNEL_advance ? sizes_shared(&opencl->base) : 1;
    const cl_kernel cl = opencl->kernels[kernel];
    size_t most = 0, multiple = 0;
    cl_int error = clGetKernelWorkGroupInfo(cl, opencl->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    TRY(opencl_check(opencl, error, "clGetKernelWorkGroupInfo", 0, report));
    error = clGetKernelWorkGroupInfo(cl, opencl->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                                     &multiple, NULL);
    TRY(opencl_check(opencl, error, "clGetKernelWorkGroupInfo", 0, report));
    if (shared > 1 && shared > most) {
        opencl->width_most = opencl->is_own_width ? most : 0;
        return sizes_refuse(&opencl->base, " of kernel advance", most,
                            opencl->is_own_width ? ": take one (--lanes 1)" : "", report);
    }
    if (most == 0) most = 1;
    if (multiple == 0) multiple = 1;
    opencl->local_sizes[kernel] =
        opencl->base.info.is_gpu ? sizes_local(LOCAL_SIZE_GPU, multiple, most) : LOCAL_SIZE_CPU;
    return CLACK_OK;
}
