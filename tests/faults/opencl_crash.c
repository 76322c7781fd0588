// An OpenCL driver that takes down the program that loads it, as CLACK_TEST_DRIVER says: "load" aborts while it is
// loaded, "call" at its first call, "exit" leaves through exit(0), "hides" is a driver without platforms. With
// CLACK_TEST_LOADED it leaves a file of that name, so that a test sees whether it was loaded at all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int crash_is(const char *how) {
    const char *wanted = getenv("CLACK_TEST_DRIVER");
    return wanted != NULL && strcmp(wanted, how) == 0;
}

__attribute__((constructor)) static void crash_on_load(void) {
    const char *path = getenv("CLACK_TEST_LOADED");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) fclose(file);
    if (crash_is("load")) abort();
    if (crash_is("exit")) exit(0);
}

static int crash_platforms(unsigned count, void *platforms, unsigned *out_count) {
    (void)count;
    (void)platforms;
    if (crash_is("call")) {
        fputs("crash: aborting\n", stderr);
        abort();
    }
    if (out_count != NULL) *out_count = 0;
    return -1001; // CL_PLATFORM_NOT_FOUND_KHR
}

int clIcdGetPlatformIDsKHR(unsigned count, void *platforms, unsigned *out_count);
int clIcdGetPlatformIDsKHR(unsigned count, void *platforms, unsigned *out_count) {
    return crash_platforms(count, platforms, out_count);
}

// The loader wants to find this one as well.
int clGetPlatformInfo(void *platform, unsigned what, size_t room_bytes, void *value, size_t *out_bytes);
int clGetPlatformInfo(void *platform, unsigned what, size_t room_bytes, void *value, size_t *out_bytes) {
    (void)platform;
    (void)what;
    (void)room_bytes;
    (void)value;
    (void)out_bytes;
    return -32; // CL_INVALID_PLATFORM
}

void *clGetExtensionFunctionAddress(const char *name);
void *clGetExtensionFunctionAddress(const char *name) {
    int (*function)(unsigned, void *, unsigned *) = crash_platforms;
    void *address = NULL;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) memcpy(&address, &function, sizeof address);
    return address;
}
