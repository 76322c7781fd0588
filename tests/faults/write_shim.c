// For LD_PRELOAD: one byte of the n-th large write (n = CLACK_TEST_FLIP_WRITE) to a file whose name ends in
// CLACK_TEST_FLIP_FILE gets another value on its way, as of a disk that keeps something else than it was given.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { LARGE_BYTES = 4096 };

static int writes;

static int ends_in(int descriptor, const char *ending) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || (size_t)length < strlen(ending)) return 0;
    path[length] = '\0';
    return strcmp(path + (size_t)length - strlen(ending), ending) == 0;
}

static int shim_flips(int descriptor, size_t count) {
    const char *file = getenv("CLACK_TEST_FLIP_FILE"), *number = getenv("CLACK_TEST_FLIP_WRITE");
    if (file == NULL || number == NULL || count < LARGE_BYTES || !ends_in(descriptor, file)) return 0;
    return ++writes == atoi(number);
}

static ssize_t shim_write(const char *call, int descriptor, const void *bytes, size_t count, off64_t offset) {
    ssize_t (*next)(int, const void *, size_t, off64_t);
    *(void **)&next = dlsym(RTLD_NEXT, call);
    unsigned char *copy = shim_flips(descriptor, count) ? malloc(count) : NULL;
    if (copy == NULL) return next(descriptor, bytes, count, offset);
    memcpy(copy, bytes, count);
    copy[count / 2] ^= 1;
    fprintf(stderr, "shim: write %d of %zu bytes gets another byte\n", writes, count);
    const ssize_t written = next(descriptor, copy, count, offset);
    free(copy);
    return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return shim_write("pwrite64", descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return shim_write("pwrite", descriptor, bytes, count, offset);
}
