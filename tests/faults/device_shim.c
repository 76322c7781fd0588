// For LD_PRELOAD: OpenCL devices that are not what they are. CLACK_TEST_GPU: each says that it is a GPU of 2 units, so
// that a processor's driver (PoCL) takes the way of GPUs: their build options, a slot for each work-item, groups that
// serve scenes from queues, work-items that share a scene. CLACK_TEST_BUILD: builds of programs "abort" or "hang".
// CLACK_TEST_FLUSH: subnormal numbers are 0 in the whole process, as where a library was linked with -ffast-math (x86).
#define _GNU_SOURCE // RTLD_NEXT
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <xmmintrin.h>

#define FLUSHES 0x8040u // results and operands

// Threads begin with what the one that makes them has.
__attribute__((constructor)) static void shim_flush(void) {
    if (getenv("CLACK_TEST_FLUSH") != NULL) _mm_setcsr(_mm_getcsr() | FLUSHES);
}
#endif

#define UNITS 2

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value, size_t *out_bytes) {
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    *(void **)&next = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    const cl_int error = next(device, what, bytes, value, out_bytes);
    if (error != CL_SUCCESS || value == NULL || getenv("CLACK_TEST_GPU") == NULL) return error;
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const cl_uint units = UNITS;
    if (what == CL_DEVICE_TYPE) memcpy(value, &gpu, sizeof gpu);
    if (what == CL_DEVICE_MAX_COMPUTE_UNITS) memcpy(value, &units, sizeof units);
    return error;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *context) {
    cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *, void(CL_CALLBACK *)(cl_program, void *),
                   void *);
    const char *how = getenv("CLACK_TEST_BUILD");
    *(void **)&next = dlsym(RTLD_NEXT, "clBuildProgram");
    if (how != NULL && strcmp(how, "abort") == 0) abort();
    while (how != NULL && strcmp(how, "hang") == 0) pause();
    return next(program, count, devices, options, notify, context);
}
