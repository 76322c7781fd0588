// For LD_PRELOAD: the n-th call (n = CLACK_TEST_FAIL_NUMBER) of one kind (CLACK_TEST_FAIL_CALL: pwrite, fsync, rename,
// ftruncate, open, close, unlink, link, or any of these) on a file whose path holds CLACK_TEST_FAIL_FILE fails, as on a
// full or broken disk; with CLACK_TEST_FAIL_ALWAYS=1 all from then on. CLACK_TEST_FAIL_ERROR: ENOSPC, EIO, short (half
// of the bytes are written, with no error), or kill (the process is killed before the call). With n = 0 none fails, and
// the numbers of calls go to stderr at the end. fopen, fwrite and fclose count as open, pwrite and close: what the C
// library does by itself cannot be put before its own.
#define _GNU_SOURCE // RTLD_NEXT
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum Kind {
    KIND_PWRITE,
    KIND_FSYNC,
    KIND_RENAME,
    KIND_FTRUNCATE,
    KIND_OPEN,
    KIND_CLOSE,
    KIND_UNLINK,
    KIND_LINK,
    KINDS
} Kind;
static const char *const kind_names[KINDS] = {"pwrite", "fsync", "rename", "ftruncate",
                                              "open",   "close", "unlink", "link"};
static int calls[KINDS], all_calls;

static int is_of_path(const char *path) {
    const char *file = getenv("CLACK_TEST_FAIL_FILE");
    return file != NULL && path != NULL && strstr(path, file) != NULL;
}

static int is_of_descriptor(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    return is_of_path(path);
}

static int is_error(const char *name) {
    const char *error = getenv("CLACK_TEST_FAIL_ERROR");
    return error != NULL && strcmp(error, name) == 0;
}

// Whether this call of a file in question fails, with errno set.
static int fails(Kind kind) {
    const char *call = getenv("CLACK_TEST_FAIL_CALL"), *number = getenv("CLACK_TEST_FAIL_NUMBER");
    const char *always = getenv("CLACK_TEST_FAIL_ALWAYS");
    const int is_any = call != NULL && strcmp(call, "any") == 0, count_of_all = ++all_calls,
              count_of_kind = ++calls[kind];
    const int wanted = number == NULL ? 0 : atoi(number), count = is_any ? count_of_all : count_of_kind;
    if (wanted == 0 || call == NULL || (!is_any && strcmp(call, kind_names[kind]) != 0)) return 0;
    if (count != wanted && !(count > wanted && always != NULL && strcmp(always, "1") == 0)) return 0;
    if (count == wanted) fprintf(stderr, "shim: %s %d fails\n", call, count);
    if (is_error("kill")) raise(SIGKILL);
    errno = is_error("EIO") ? EIO : ENOSPC;
    return 1;
}

__attribute__((destructor)) static void tell_calls(void) {
    const char *number = getenv("CLACK_TEST_FAIL_NUMBER");
    if (number == NULL || atoi(number) != 0) return;
    for (int i = 0; i < KINDS; i++) fprintf(stderr, "calls: %s %d\n", kind_names[i], calls[i]);
}

#define NEXT(type, call, parameters)                                                                                   \
    static type(*next) parameters = NULL;                                                                              \
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, call)

#define SHIM_PWRITE(name, offset_type)                                                                                 \
    ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) {                                \
        NEXT(ssize_t, #name, (int, const void *, size_t, offset_type));                                                \
        if (!is_of_descriptor(descriptor) || !fails(KIND_PWRITE)) return next(descriptor, bytes, count, offset);       \
        return is_error("short") && count > 1 ? next(descriptor, bytes, count / 2, offset) : -1;                       \
    }
SHIM_PWRITE(pwrite, off_t)
SHIM_PWRITE(pwrite64, off64_t)

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
    NEXT(size_t, "fwrite", (const void *, size_t, size_t, FILE *));
    if (fileno(stream) <= STDERR_FILENO || !is_of_descriptor(fileno(stream)) || !fails(KIND_PWRITE))
        return next(bytes, size, count, stream);
    return is_error("short") ? next(bytes, size, count / 2, stream) : 0;
}

#define SHIM_DESCRIPTOR(name, kind)                                                                                    \
    int name(int descriptor) {                                                                                         \
        NEXT(int, #name, (int));                                                                                       \
        const int is_failed = is_of_descriptor(descriptor) && fails(kind), number = errno;                             \
        const int result = kind == KIND_CLOSE || !is_failed ? next(descriptor) : -1;                                   \
        if (is_failed) errno = number;                                                                                 \
        return is_failed ? -1 : result;                                                                                \
    }
SHIM_DESCRIPTOR(fsync, KIND_FSYNC)
SHIM_DESCRIPTOR(fdatasync, KIND_FSYNC)
SHIM_DESCRIPTOR(close, KIND_CLOSE)

int fclose(FILE *stream) {
    NEXT(int, "fclose", (FILE *));
    const int is_failed = fileno(stream) > STDERR_FILENO && is_of_descriptor(fileno(stream)) && fails(KIND_CLOSE),
              number = errno;
    const int result = next(stream);
    if (is_failed) errno = number;
    return is_failed ? EOF : result;
}

#define SHIM_FTRUNCATE(name, length_type)                                                                              \
    int name(int descriptor, length_type length) {                                                                     \
        NEXT(int, #name, (int, length_type));                                                                          \
        return is_of_descriptor(descriptor) && fails(KIND_FTRUNCATE) ? -1 : next(descriptor, length);                  \
    }
SHIM_FTRUNCATE(ftruncate, off_t)
SHIM_FTRUNCATE(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    NEXT(int, "rename", (const char *, const char *));
    return is_of_path(to) && fails(KIND_RENAME) ? -1 : next(from, to);
}

int link(const char *from, const char *to) {
    NEXT(int, "link", (const char *, const char *));
    return is_of_path(to) && fails(KIND_LINK) ? -1 : next(from, to);
}

int unlink(const char *path) {
    NEXT(int, "unlink", (const char *));
    return is_of_path(path) && fails(KIND_UNLINK) ? -1 : next(path);
}

#define SHIM_OPEN(name)                                                                                                \
    int name(const char *path, int flags, ...) {                                                                       \
        NEXT(int, #name, (const char *, int, ...));                                                                    \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        const mode_t mode = (flags & O_CREAT) ? va_arg(list, mode_t) : 0;                                              \
        va_end(list);                                                                                                  \
        return is_of_path(path) && fails(KIND_OPEN) ? -1 : next(path, flags, mode);                                    \
    }
SHIM_OPEN(open)
SHIM_OPEN(open64)

#define SHIM_FOPEN(name)                                                                                               \
    FILE *name(const char *path, const char *mode) {                                                                   \
        NEXT(FILE *, #name, (const char *, const char *));                                                             \
        return is_of_path(path) && fails(KIND_OPEN) ? NULL : next(path, mode);                                         \
    }
SHIM_FOPEN(fopen)
SHIM_FOPEN(fopen64)
