// LD_PRELOAD (bench/nvidia/bits.sh): every OpenCL device says that it is an NVIDIA GPU of 132 units, and `advance` is
// run as C made of the PTX of NVIDIA's compiler, on the host's memory, by one work-item after the other. All other
// kernels are the driver's own. Environment: CLACK_PTX_MAKE: a command that is given a source file, the options of the
// build and the name of a library, which it makes; CLACK_PTX_FOLDER: where these lie.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 64u
#define OF_ADVANCE "-DBUILD_PROGRAMS=1u" // opencl_build.c
#define OF_NOTHING "-DBUILD_PROGRAMS=0u"
#define UNITS 132u

typedef void (*RunItems)(void **, uint32_t, uint32_t, uint32_t, uint32_t);

// Of the program whose kernel is replaced, and of that kernel: a process builds one such program and its second build.
static struct {
    char *source; // of the program made last
    cl_program program;
    cl_kernel kernel;
    RunItems items;
    cl_mem buffers[ARGUMENTS_MAX];
    uint32_t count;
} replaced;

static void stop(const char *what) {
    fprintf(stderr, "run_ptx: %s\n", what);
    exit(3);
}

static void find(const char *name, void *out) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) stop(name);
    memcpy(out, &found, sizeof found);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value, size_t *out_bytes) {
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    find("clGetDeviceInfo", &next);
    const cl_int error = next(device, what, bytes, value, out_bytes);
    if (error != CL_SUCCESS || value == NULL) return error;
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const cl_uint units = UNITS;
    if (what == CL_DEVICE_TYPE) memcpy(value, &gpu, sizeof gpu);
    if (what == CL_DEVICE_MAX_COMPUTE_UNITS) memcpy(value, &units, sizeof units);
    return error;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                                     cl_int *error) {
    cl_program (*next)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    find("clCreateProgramWithSource", &next);
    free(replaced.source);
    replaced.source = count == 1 && lengths != NULL ? strndup(strings[0], lengths[0]) : NULL;
    return next(context, count, strings, lengths, error);
}

// The library of a source and options: made unless it is there.
static RunItems load(const char *options) {
    const char *make = getenv("CLACK_PTX_MAKE"), *folder = getenv("CLACK_PTX_FOLDER");
    char name[4096], path[4200], *command = NULL;
    uint64_t hash = 14695981039346656037u; // FNV-1a
    if (make == NULL || folder == NULL || replaced.source == NULL) stop("CLACK_PTX_MAKE, CLACK_PTX_FOLDER, a source");
    for (const char *at = options; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    for (const char *at = replaced.source; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    snprintf(name, sizeof name, "%s/%016llx", folder, (unsigned long long)hash);
    snprintf(path, sizeof path, "%s.so", name);
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        snprintf(path, sizeof path, "%s.cl", name);
        FILE *file = fopen(path, "w");
        if (file == NULL || fputs(replaced.source, file) < 0 || fclose(file) != 0) stop(path);
        snprintf(path, sizeof path, "%s.so", name);
        if (asprintf(&command, "env -u LD_PRELOAD %s '%s.cl' '%s' '%s'", make, name, options, path) < 0) stop("memory");
        if (system(command) != 0) stop(command);
        free(command);
        library = dlopen(path, RTLD_NOW);
    }
    if (library == NULL) stop(dlerror());
    RunItems items;
    void *found = dlsym(library, "run_items");
    memcpy(&items, &found, sizeof items);
    return items;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void (*notify)(cl_program, void *), void *context) {
    cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *);
    find("clBuildProgram", &next);
    char *own = strdup(options == NULL ? "" : options), *at = strstr(own, OF_ADVANCE);
    if (at != NULL) {
        replaced.items = load(own);
        replaced.program = program;
        memcpy(at, OF_NOTHING, strlen(OF_NOTHING)); // what checks the layout is left
    }
    const cl_int error = next(program, count, devices, own, notify, context);
    free(own);
    return error;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error) {
    cl_kernel (*next)(cl_program, const char *, cl_int *);
    find("clCreateKernel", &next);
    if (program != replaced.program || strcmp(name, "advance") != 0) return next(program, name, error);
    replaced.kernel = next(program, "layout", error); // stands for it
    return replaced.kernel;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
    cl_int (*next)(cl_kernel, cl_uint, size_t, const void *);
    find("clSetKernelArg", &next);
    if (kernel != replaced.kernel) return next(kernel, index, bytes, value);
    if (index >= ARGUMENTS_MAX) stop("too many arguments");
    if (bytes == sizeof(cl_mem))
        memcpy(&replaced.buffers[index], value, bytes);
    else
        memcpy(&replaced.count, value, sizeof replaced.count);
    if (bytes != sizeof(cl_mem)) replaced.buffers[index] = NULL; // the number, which is the last
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event) {
    cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *);
    find("clEnqueueNDRangeKernel", &next);
    if (kernel != replaced.kernel) return next(queue, kernel, dimensions, offset, global, local, waits, wait, event);
    void *memory[ARGUMENTS_MAX] = {NULL};
    for (uint32_t i = 0; i < ARGUMENTS_MAX && replaced.buffers[i] != NULL; i++) {
        size_t bytes = 0;
        cl_int error = clGetMemObjectInfo(replaced.buffers[i], CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
        if (error == CL_SUCCESS)
            memory[i] = clEnqueueMapBuffer(queue, replaced.buffers[i], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                           NULL, NULL, &error);
        if (error != CL_SUCCESS) return error;
    }
    replaced.items(memory, replaced.count, 0, (uint32_t)global[0], (uint32_t)local[0]);
    for (uint32_t i = 0; i < ARGUMENTS_MAX && memory[i] != NULL; i++)
        clEnqueueUnmapMemObject(queue, replaced.buffers[i], memory[i], 0, NULL, NULL);
    return clFinish(queue);
}
