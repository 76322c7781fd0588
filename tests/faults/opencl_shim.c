// For LD_PRELOAD: the n-th OpenCL call of the process fails (n = CLACK_TEST_FAIL_CALL), with the error
// CLACK_TEST_FAIL_ERROR; with CLACK_TEST_NAME_CALLS all calls are named on stderr. Tests: no call's failure may crash
// the program or go unseen.
#define _GNU_SOURCE // RTLD_NEXT
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

static int shim_number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atoi(text);
}

static int shim_fails(const char *call) {
    if (getenv("CLACK_TEST_NAME_CALLS") != NULL) fprintf(stderr, "call: %s\n", call);
    if (++calls != shim_number("CLACK_TEST_FAIL_CALL")) return 0;
    fprintf(stderr, "shim: call %d, %s, fails\n", calls, call);
    return 1;
}

// A call that returns its error.
#define SHIM_STATUS(call, parameters, arguments)                                                                       \
    cl_int call parameters {                                                                                           \
        cl_int(*next) parameters;                                                                                      \
        *(void **)&next = dlsym(RTLD_NEXT, #call);                                                                     \
        return shim_fails(#call) ? shim_number("CLACK_TEST_FAIL_ERROR") : next arguments;                              \
    }

// A call that makes an object and tells its error through the last argument.
#define SHIM_OBJECT(type, call, parameters, arguments)                                                                 \
    type call parameters {                                                                                             \
        type(*next) parameters;                                                                                        \
        *(void **)&next = dlsym(RTLD_NEXT, #call);                                                                     \
        if (!shim_fails(#call)) return next arguments;                                                                 \
        if (error != NULL) *error = shim_number("CLACK_TEST_FAIL_ERROR");                                              \
        return NULL;                                                                                                   \
    }

SHIM_STATUS(clGetPlatformIDs, (cl_uint a, cl_platform_id *b, cl_uint *c), (a, b, c))
SHIM_STATUS(clGetDeviceIDs, (cl_platform_id a, cl_device_type b, cl_uint c, cl_device_id *d, cl_uint *e),
            (a, b, c, d, e))
SHIM_OBJECT(cl_context, clCreateContext,
            (const cl_context_properties *a, cl_uint b, const cl_device_id *c,
             void(CL_CALLBACK *d)(const char *, const void *, size_t, void *), void *e, cl_int *error),
            (a, b, c, d, e, error))
SHIM_OBJECT(cl_command_queue, clCreateCommandQueue,
            (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int *error), (a, b, c, error))
SHIM_OBJECT(cl_program, clCreateProgramWithSource,
            (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *error), (a, b, c, d, error))
SHIM_OBJECT(cl_program, clCreateProgramWithBinary,
            (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d, const unsigned char **e, cl_int *f,
             cl_int *error),
            (a, b, c, d, e, f, error))
SHIM_STATUS(clBuildProgram,
            (cl_program a, cl_uint b, const cl_device_id *c, const char *d, void(CL_CALLBACK *e)(cl_program, void *),
             void *f),
            (a, b, c, d, e, f))
SHIM_STATUS(clGetPlatformInfo, (cl_platform_id a, cl_platform_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))
SHIM_STATUS(clGetDeviceInfo, (cl_device_id a, cl_device_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))
SHIM_STATUS(clGetProgramBuildInfo,
            (cl_program a, cl_device_id b, cl_program_build_info c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
SHIM_STATUS(clGetProgramInfo, (cl_program a, cl_program_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))
SHIM_OBJECT(cl_kernel, clCreateKernel, (cl_program a, const char *b, cl_int *error), (a, b, error))
SHIM_STATUS(clGetKernelWorkGroupInfo,
            (cl_kernel a, cl_device_id b, cl_kernel_work_group_info c, size_t d, void *e, size_t *f),
            (a, b, c, d, e, f))
SHIM_OBJECT(cl_mem, clCreateBuffer, (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *error),
            (a, b, c, d, error))
SHIM_STATUS(clSetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void *d), (a, b, c, d))
SHIM_STATUS(clEnqueueFillBuffer,
            (cl_command_queue a, cl_mem b, const void *c, size_t d, size_t e, size_t f, cl_uint g, const cl_event *h,
             cl_event *i),
            (a, b, c, d, e, f, g, h, i))
SHIM_STATUS(clEnqueueWriteBuffer,
            (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, const void *f, cl_uint g, const cl_event *h,
             cl_event *i),
            (a, b, c, d, e, f, g, h, i))
SHIM_STATUS(clEnqueueReadBuffer,
            (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f, cl_uint g, const cl_event *h,
             cl_event *i),
            (a, b, c, d, e, f, g, h, i))
SHIM_STATUS(clEnqueueNDRangeKernel,
            (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e, const size_t *f, cl_uint g,
             const cl_event *h, cl_event *i),
            (a, b, c, d, e, f, g, h, i))
SHIM_STATUS(clFinish, (cl_command_queue a), (a))
