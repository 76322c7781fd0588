// OpenCL C to PTX by the compiler of NVIDIA's driver, without a GPU (bench/registers.sh -n).
//   nvidia_compile LIBRARY SOURCE.cl OUT.ptx OPTIONS
// LIBRARY: libnvidia-nvvm.so.4 of drivers from 495 on. NvCliCompileProgram, which libnvidia-opencl.so calls, is not
// documented; its arguments are as programs for offline compilation have used them since 2011. Exit status 1: it
// refused; its log is printed.
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// sources, how many, their lengths, options; log, PTX (ended by 0, its own)
typedef int (*NvidiaCompile)(const char **, unsigned, const size_t *, const char *, char **, char **);

static char *read_file(const char *path, size_t *out_bytes) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
    const long bytes = ftell(file);
    char *text = bytes < 0 ? NULL : calloc((size_t)bytes + 1, 1);
    rewind(file);
    if (text == NULL || fread(text, 1, (size_t)bytes, file) != (size_t)bytes) return NULL;
    fclose(file);
    *out_bytes = (size_t)bytes;
    return text;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: nvidia_compile LIBRARY SOURCE.cl OUT.ptx OPTIONS\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW);
    NvidiaCompile compile = NULL;
    void *found = library == NULL ? NULL : dlsym(library, "NvCliCompileProgram");
    memcpy(&compile, &found, sizeof compile);
    size_t bytes = 0;
    const char *source = read_file(argv[2], &bytes);
    if (compile == NULL || source == NULL) {
        fprintf(stderr, "%s\n", compile == NULL ? "the library has no NvCliCompileProgram" : "the source is not there");
        return 2;
    }
    char *log = NULL, *ptx = NULL;
    const int error = compile(&source, 1, &bytes, argv[4], &log, &ptx);
    if (log != NULL) fprintf(stderr, "%s\n", log);
    FILE *out = error == 0 && ptx != NULL ? fopen(argv[3], "w") : NULL;
    return out != NULL && fputs(ptx, out) >= 0 && fclose(out) == 0 ? 0 : 1;
}
