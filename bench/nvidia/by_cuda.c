// LD_PRELOAD (bench/nvidia/profile.sh): OpenCL, as far as clack calls it, over the driver interface of CUDA, for
// NVIDIA's profilers, which do not see OpenCL, and for machine code that was made elsewhere. One GPU, one queue,
// results as by OpenCL. Environment: CLACK_CUDA_FOLDER: programs, HASH.cubin, where HASH is FNV-1a of a build's options
// and source (profile.sh make); CLACK_CUDA_GROUP: work-items in a group of `advance`, in place of those asked for;
// CLACK_CUDA_UNITS: compute units, in place of 132; CLACK_CUDA_LOG: if it is set, programs, registers and launches are
// told.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARGUMENTS_MAX 64u
#define UNITS 132u // of an H100; asked for before CUDA may be called, in a process that forks

// --- CUDA's driver, by its documented names and numbers ---------------------------------------------

#define LOCAL_BYTES 3
#define REGISTERS 4
typedef struct CudaContext *Context;
typedef struct CudaModule *Module;
typedef struct CudaFunction *Function;

static struct {
    int (*init)(unsigned);
    int (*device_get)(int *, int);
    int (*retain)(Context *, int);
    int (*set_current)(Context);
    int (*allocate)(uint64_t *, size_t);
    int (*release)(uint64_t);
    int (*fill)(uint64_t, unsigned char, size_t);
    int (*write)(uint64_t, const void *, size_t);
    int (*read)(void *, uint64_t, size_t);
    int (*load)(Module *, const void *);
    int (*function)(Function *, Module, const char *);
    int (*attribute)(int *, int, Function);
    int (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*wait)(void);
} cuda;
static Context context;

static void find(void *library, const char *name, void *out) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "by_cuda: no %s\n", name);
        exit(3);
    }
    memcpy(out, &found, sizeof found);
}

static void open_cuda(void) {
    int device = 0;
    if (context != NULL) return;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "by_cuda: %s\n", dlerror());
        exit(3);
    }
    find(library, "cuInit", &cuda.init);
    find(library, "cuDeviceGet", &cuda.device_get);
    find(library, "cuDevicePrimaryCtxRetain", &cuda.retain);
    find(library, "cuCtxSetCurrent", &cuda.set_current);
    find(library, "cuMemAlloc_v2", &cuda.allocate);
    find(library, "cuMemFree_v2", &cuda.release);
    find(library, "cuMemsetD8_v2", &cuda.fill);
    find(library, "cuMemcpyHtoD_v2", &cuda.write);
    find(library, "cuMemcpyDtoH_v2", &cuda.read);
    find(library, "cuModuleLoadData", &cuda.load);
    find(library, "cuModuleGetFunction", &cuda.function);
    find(library, "cuFuncGetAttribute", &cuda.attribute);
    find(library, "cuLaunchKernel", &cuda.launch);
    find(library, "cuCtxSynchronize", &cuda.wait);
    if (cuda.init(0) != 0 || cuda.device_get(&device, 0) != 0 || cuda.retain(&context, device) != 0) {
        fprintf(stderr, "by_cuda: no GPU\n");
        exit(3);
    }
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static cl_int checked(int error, const char *what) {
    if (error != 0) fprintf(stderr, "by_cuda: %s: error %d of CUDA\n", what, error);
    return error == 0 ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static void begin_call(void) { checked(cuda.set_current(context), "context"); } // of whichever thread calls

// --- platform, device, queue ------------------------------------------------------------------------

static char platform_here, device_here, context_here, queue_here; // their addresses stand for them

static cl_int tell(size_t bytes, void *value, size_t *out_bytes, const void *data, size_t data_bytes) {
    if (out_bytes != NULL) *out_bytes = data_bytes;
    if (value == NULL) return CL_SUCCESS;
    if (bytes < data_bytes) return CL_INVALID_VALUE;
    memcpy(value, data, data_bytes);
    return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count) {
    if (count != NULL) *count = 1;
    if (ids != NULL && room > 0) ids[0] = (cl_platform_id)(void *)&platform_here;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t bytes, void *value, size_t *out_bytes) {
    (void)id;
    (void)what;
    return tell(bytes, value, out_bytes, "CUDA", sizeof "CUDA");
}

cl_int clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count) {
    (void)id;
    (void)type;
    if (count != NULL) *count = 1;
    if (ids != NULL && room > 0) ids[0] = (cl_device_id)(void *)&device_here;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t bytes, void *value, size_t *out_bytes) {
    const char *asked = getenv("CLACK_CUDA_UNITS");
    const cl_uint yes = 1, units = asked == NULL ? UNITS : (cl_uint)atoi(asked);
    const cl_ulong gpu = CL_DEVICE_TYPE_GPU, fp64 = 63, memory = (cl_ulong)79 << 30, most = (cl_ulong)19 << 30;
    (void)id;
    switch (what) {
    case CL_DEVICE_NAME: return tell(bytes, value, out_bytes, "GPU by CUDA", sizeof "GPU by CUDA");
    case CL_DEVICE_VERSION:
    case CL_DRIVER_VERSION: return tell(bytes, value, out_bytes, "by_cuda", sizeof "by_cuda");
    case CL_DEVICE_TYPE: return tell(bytes, value, out_bytes, &gpu, sizeof gpu);
    case CL_DEVICE_DOUBLE_FP_CONFIG: return tell(bytes, value, out_bytes, &fp64, sizeof fp64);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return tell(bytes, value, out_bytes, &memory, sizeof memory);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return tell(bytes, value, out_bytes, &most, sizeof most);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return tell(bytes, value, out_bytes, &units, sizeof units);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE: return tell(bytes, value, out_bytes, &yes, sizeof yes);
    default: return CL_INVALID_VALUE;
    }
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                           cl_int *error) {
    (void)properties;
    (void)count;
    (void)ids;
    (void)notify;
    (void)data;
    open_cuda();
    *error = CL_SUCCESS;
    return (cl_context)(void *)&context_here;
}

cl_command_queue clCreateCommandQueue(cl_context in, cl_device_id id, cl_command_queue_properties properties,
                                      cl_int *error) {
    (void)in;
    (void)id;
    (void)properties;
    *error = CL_SUCCESS;
    return (cl_command_queue)(void *)&queue_here;
}

cl_int clRetainContext(cl_context in) { return in == NULL; }
cl_int clReleaseContext(cl_context in) { return in == NULL; }
cl_int clRetainCommandQueue(cl_command_queue queue) { return queue == NULL; }
cl_int clReleaseCommandQueue(cl_command_queue queue) { return queue == NULL; }

cl_int clFinish(cl_command_queue queue) {
    (void)queue;
    begin_call();
    return checked(cuda.wait(), "what was launched");
}

// --- buffers ----------------------------------------------------------------------------------------

struct _cl_mem {
    uint64_t address;
};

cl_mem clCreateBuffer(cl_context in, cl_mem_flags flags, size_t bytes, void *host, cl_int *error) {
    (void)in;
    (void)flags;
    (void)host;
    cl_mem memory = calloc(1, sizeof *memory);
    begin_call();
    *error = memory == NULL ? CL_OUT_OF_HOST_MEMORY : checked(cuda.allocate(&memory->address, bytes), "memory");
    if (*error == CL_SUCCESS) return memory;
    free(memory);
    return NULL;
}

cl_int clReleaseMemObject(cl_mem memory) {
    begin_call();
    const cl_int error = checked(cuda.release(memory->address), "memory to free");
    free(memory);
    return error;
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes,
                           size_t offset, size_t bytes, cl_uint count, const cl_event *events, cl_event *event) {
    (void)queue;
    (void)pattern_bytes;
    (void)count;
    (void)events;
    (void)event;
    begin_call();
    return checked(cuda.fill(memory->address + offset, *(const unsigned char *)pattern, bytes), "fill");
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool waits, size_t offset, size_t bytes,
                            const void *data, cl_uint count, const cl_event *events, cl_event *event) {
    (void)queue;
    (void)waits;
    (void)count;
    (void)events;
    (void)event;
    begin_call();
    return checked(cuda.write(memory->address + offset, data, bytes), "write");
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool waits, size_t offset, size_t bytes,
                           void *data, cl_uint count, const cl_event *events, cl_event *event) {
    (void)queue;
    (void)waits;
    (void)count;
    (void)events;
    (void)event;
    begin_call();
    return checked(cuda.read(data, memory->address + offset, bytes), "read");
}

// --- programs ---------------------------------------------------------------------------------------

struct _cl_program {
    char *source;
    Module module;
    unsigned users;
};

cl_program clCreateProgramWithSource(cl_context in, cl_uint count, const char **strings, const size_t *lengths,
                                     cl_int *error) {
    (void)in;
    cl_program program = calloc(1, sizeof *program);
    if (program != NULL && count == 1) program->source = strndup(strings[0], lengths[0]);
    *error = program != NULL && program->source != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (program != NULL) program->users = 1;
    return program;
}

cl_program clCreateProgramWithBinary(cl_context in, cl_uint count, const cl_device_id *ids, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *statuses, cl_int *error) {
    (void)in;
    (void)count;
    (void)ids;
    (void)lengths;
    (void)binaries;
    (void)statuses;
    *error = CL_INVALID_BINARY; // of clack's cache: built from source then
    return NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    const char *folder = getenv("CLACK_CUDA_FOLDER");
    char path[4096];
    uint64_t hash = 14695981039346656037u;
    (void)count;
    (void)ids;
    (void)notify;
    (void)data;
    for (const char *at = options; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    for (const char *at = program->source; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    snprintf(path, sizeof path, "%s/%016llx.cubin", folder == NULL ? "." : folder, (unsigned long long)hash);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "by_cuda: no %s for %s\n", path, options);
        return CL_BUILD_PROGRAM_FAILURE;
    }
    fseek(file, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(file);
    char *code = calloc(bytes + 1, 1);
    rewind(file);
    const int is_read = code != NULL && fread(code, 1, bytes, file) == bytes;
    fclose(file);
    begin_call();
    const cl_int error = is_read ? checked(cuda.load(&program->module, code), path) : CL_OUT_OF_HOST_MEMORY;
    free(code);
    if (getenv("CLACK_CUDA_LOG") != NULL) fprintf(stderr, "by_cuda: %s\n", path);
    return error == CL_SUCCESS ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

cl_int clRetainProgram(cl_program program) {
    program->users++;
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program) {
    if (--program->users > 0) return CL_SUCCESS;
    free(program->source);
    free(program);
    return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t bytes, void *value, size_t *out_bytes) {
    (void)program;
    (void)what;
    (void)bytes;
    (void)value;
    (void)out_bytes;
    return CL_INVALID_VALUE; // nothing for clack's cache
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id id, cl_program_build_info what, size_t bytes, void *value,
                             size_t *out_bytes) {
    (void)program;
    (void)id;
    (void)what;
    return tell(bytes, value, out_bytes, "", 1);
}

// --- kernels ----------------------------------------------------------------------------------------

struct _cl_kernel {
    Function function;
    char name[64];
    uint64_t values[ARGUMENTS_MAX]; // an address, or a number in its first bytes
    cl_uint count;
};

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error) {
    cl_kernel kernel = calloc(1, sizeof *kernel);
    int registers = 0, bytes = 0;
    begin_call();
    *error =
        kernel == NULL ? CL_OUT_OF_HOST_MEMORY : checked(cuda.function(&kernel->function, program->module, name), name);
    if (*error != CL_SUCCESS) {
        free(kernel);
        return NULL;
    }
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    cuda.attribute(&registers, REGISTERS, kernel->function);
    cuda.attribute(&bytes, LOCAL_BYTES, kernel->function);
    if (getenv("CLACK_CUDA_LOG") != NULL)
        fprintf(stderr, "by_cuda: %s: %d registers, %d B of stack\n", name, registers, bytes);
    return kernel;
}

cl_int clReleaseKernel(cl_kernel kernel) {
    free(kernel);
    return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
    cl_mem memory = NULL;
    if (index >= ARGUMENTS_MAX) return CL_INVALID_ARG_INDEX;
    if (index >= kernel->count) kernel->count = index + 1;
    if (bytes == sizeof memory) {
        memcpy(&memory, value, bytes);
        kernel->values[index] = memory->address;
        return CL_SUCCESS;
    }
    memcpy(&kernel->values[index], value, bytes < sizeof(uint64_t) ? bytes : sizeof(uint64_t));
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
                              cl_event *event) {
    const char *asked = strcmp(kernel->name, "advance") == 0 ? getenv("CLACK_CUDA_GROUP") : NULL;
    const size_t group = asked == NULL ? local[0] : strtoul(asked, NULL, 10);
    const size_t groups = (global[0] + group - 1) / group;
    void *arguments[ARGUMENTS_MAX];
    (void)queue;
    (void)dimensions;
    (void)offset;
    (void)count;
    (void)events;
    (void)event;
    for (cl_uint k = 0; k < kernel->count; k++) arguments[k] = &kernel->values[k];
    begin_call();
    const double start_s = now_s();
    int error = cuda.launch(kernel->function, (unsigned)groups, 1, 1, (unsigned)group, 1, 1, 0, NULL, arguments, NULL);
    if (error == 0 && getenv("CLACK_CUDA_LOG") != NULL) {
        error = cuda.wait();
        fprintf(stderr, "by_cuda: %s, %zu groups of %zu: %.4f s\n", kernel->name, groups, group, now_s() - start_s);
    }
    return checked(error, kernel->name);
}
