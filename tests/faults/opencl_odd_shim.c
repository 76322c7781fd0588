// For LD_PRELOAD: an OpenCL driver as there are, by the environment:
//   CLACK_TEST_BUILD_S      clBuildProgram takes so many seconds more; CLACK_TEST_BUILD_SECOND: from the second call on
//   CLACK_TEST_BUILD_NONE   and compiles nothing then: for valgrind, under which compilers take hours
//   CLACK_TEST_BUILD_FAIL   and fails then
//   CLACK_TEST_BUILD_DONE   a file that is there once it has ended
//   CLACK_TEST_GPU          all devices are GPUs
//   CLACK_TEST_GROUP_MOST   work-items of a group, as devices tell it; CLACK_TEST_KERNEL_MOST: as kernels do
//   CLACK_TEST_WARP         work-items that run in step, as devices and kernels tell it; CLACK_TEST_SIZES: a file to
//                           which the local sizes of launches are added
//   CLACK_TEST_ITEM_ONE     kernels are compiled for one work-item of a scene whatever is asked for: PoCL's compiler
//   does
//                           not come to an end with more. They are not to be launched then
//   CLACK_TEST_DROP_FILL    clEnqueueFillBuffer does nothing to ranges that begin here or later, and tells no error
// Tests: builds that take long or never end, sizes by query, large fills.
#define _GNU_SOURCE // RTLD_NEXT
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARP_SIZE_NV 0x4003 // of cl_ext.h
#define NEXT(name) *(void **)&next = dlsym(RTLD_NEXT, name)

static double shim_number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atof(text);
}

static void shim_sleep(double seconds) {
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)(1e9 * (seconds - (double)left.tv_sec));
    while (nanosleep(&left, &left) != 0) {
    }
}

// Is it the small program by which arithmetic is tried, from its source?
static int shim_is_trial(cl_program program) {
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) != CL_SUCCESS || bytes < 2) return 0;
    char *source = calloc(1, bytes + 1);
    const int is_trial = source != NULL &&
                         clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, source, NULL) == CL_SUCCESS &&
                         strstr(source, "void advance(") == NULL;
    free(source);
    return is_trial;
}

// "-DSCENE_ITEMS=16" -> "-DSCENE_ITEMS=1 "
static void shim_one_item(char *options) {
    char *at = options != NULL ? strstr(options, "-DSCENE_ITEMS=") : NULL;
    if (at == NULL) return;
    at += strlen("-DSCENE_ITEMS=");
    *at++ = '1';
    while (*at >= '0' && *at <= '9') *at++ = ' ';
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *context) {
    static atomic_int calls;
    cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *, void(CL_CALLBACK *)(cl_program, void *),
                   void *);
    NEXT("clBuildProgram");
    const int is_let_through = shim_is_trial(program) && getenv("CLACK_TEST_BUILD_TRIAL") == NULL;
    if (!is_let_through && ++calls > (getenv("CLACK_TEST_BUILD_SECOND") != NULL))
        shim_sleep(shim_number("CLACK_TEST_BUILD_S"));
    if (getenv("CLACK_TEST_BUILD_FAIL") != NULL && !is_let_through) return CL_BUILD_PROGRAM_FAILURE;
    const int is_none = getenv("CLACK_TEST_BUILD_NONE") != NULL && options[strlen(options)] == '\0'; // is still there
    char *own = getenv("CLACK_TEST_ITEM_ONE") != NULL ? strdup(options) : NULL;
    shim_one_item(own);
    const cl_int error =
        is_none ? CL_SUCCESS : next(program, count, devices, own != NULL ? own : options, notify, context);
    free(own);
    const char *done = getenv("CLACK_TEST_BUILD_DONE");
    FILE *file = done != NULL ? fopen(done, "w") : NULL;
    if (file != NULL) fclose(file);
    return error;
}

// An answer in place of the driver's: a size, as wide as it was asked for.
static cl_int shim_answer(double number, size_t room, void *value, size_t *out_bytes) {
    const cl_uint narrow = (cl_uint)number;
    const cl_ulong wide = (cl_ulong)number;
    if (value != NULL && room == sizeof narrow) memcpy(value, &narrow, sizeof narrow);
    if (value != NULL && room == sizeof wide) memcpy(value, &wide, sizeof wide);
    if (out_bytes != NULL) *out_bytes = room;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *out_bytes) {
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    NEXT("clGetDeviceInfo");
    if (what == CL_DEVICE_TYPE && getenv("CLACK_TEST_GPU") != NULL)
        return shim_answer(CL_DEVICE_TYPE_GPU, room, value, out_bytes);
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && getenv("CLACK_TEST_GROUP_MOST") != NULL)
        return shim_answer(shim_number("CLACK_TEST_GROUP_MOST"), room, value, out_bytes);
    if (what == WARP_SIZE_NV && getenv("CLACK_TEST_WARP") != NULL)
        return shim_answer(shim_number("CLACK_TEST_WARP"), room, value, out_bytes);
    return next(device, what, room, value, out_bytes);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room,
                                void *value, size_t *out_bytes) {
    cl_int (*next)(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *);
    NEXT("clGetKernelWorkGroupInfo");
    if (what == CL_KERNEL_WORK_GROUP_SIZE && getenv("CLACK_TEST_KERNEL_MOST") != NULL)
        return shim_answer(shim_number("CLACK_TEST_KERNEL_MOST"), room, value, out_bytes);
    if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && getenv("CLACK_TEST_WARP") != NULL)
        return shim_answer(shim_number("CLACK_TEST_WARP"), room, value, out_bytes);
    return next(kernel, device, what, room, value, out_bytes);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event) {
    cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *);
    NEXT("clEnqueueNDRangeKernel");
    const char *sizes = getenv("CLACK_TEST_SIZES");
    FILE *file = sizes != NULL && local != NULL ? fopen(sizes, "a") : NULL;
    if (file != NULL) {
        char name[64] = "";
        (void)clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        fprintf(file, "%s %zu\n", name, local[0]);
        fclose(file);
    }
    return next(queue, kernel, dimensions, offset, global, local, waits, wait, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                           size_t offset, size_t bytes, cl_uint waits, const cl_event *wait, cl_event *event) {
    cl_int (*next)(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *,
                   cl_event *);
    NEXT("clEnqueueFillBuffer");
    const char *from = getenv("CLACK_TEST_DROP_FILL");
    if (from != NULL && (double)offset >= atof(from)) return CL_SUCCESS;
    return next(queue, buffer, pattern, pattern_bytes, offset, bytes, waits, wait, event);
}
