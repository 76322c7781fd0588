// Builds the kernels with the driver's compiler, and keeps the binaries in a cache on disk.
//
// A cache file is: magic, SHA-256 of what was built (source, options, device, platform, driver), SHA-256
// of the binary, the binary. The second sum is there since drivers are not to be trusted with damaged
// binaries. What others could have written there is not read: folder and file must be the user's own, and not
// writable by others. Whatever is wrong with the cache, the program is built from source, silently.
#define _POSIX_C_SOURCE 200809L
#include "opencl_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "kernel_source.h"

#define CACHE_MAGIC "clackbin1\n"
#define CACHE_MAGIC_BYTES (sizeof CACHE_MAGIC - 1)
#define CACHE_HEAD_BYTES (CACHE_MAGIC_BYTES + (size_t)2 * DIGEST_BYTES)
#define CACHE_FILE_BYTES_MAX ((size_t)1 << 30)
#define PATH_BYTES 4096

typedef struct CacheEntry {
    uint8_t key[DIGEST_BYTES];
    char folder[PATH_BYTES];
    char path[PATH_BYTES + DIGEST_HEX_BYTES + 8]; // empty: no cache
} CacheEntry;

// --- the cache's place and key ----------------------------------------------------------------

// PoCL has a cache of its own, and compiles every kernel once more when a binary is requested.
static int build_driver_keeps(const DeviceInfo *info) {
    return strstr(info->platform, "Portable Computing Language") != NULL;
}

static void build_cache_folder(int keeps_own, char *folder, size_t folder_bytes) {
    const char *off = getenv("CLACK_CACHE");
    const char *own = getenv("CLACK_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (off != NULL && strcmp(off, "0") == 0)
        length = 0;
    else if (keeps_own && (off == NULL || strcmp(off, "1") != 0))
        length = 0;
    else if (own != NULL && own[0] != '\0')
        length = snprintf(folder, folder_bytes, "%s", own);
    else if (xdg != NULL && xdg[0] != '\0')
        length = snprintf(folder, folder_bytes, "%s/clack", xdg);
    else if (home != NULL && home[0] != '\0')
        length = snprintf(folder, folder_bytes, "%s/.cache/clack", home);
    if (length <= 0 || (size_t)length >= folder_bytes) folder[0] = '\0';
}

static void build_cache_hash_text(Digest *hash, const char *text) {
    digest_add(hash, text, strlen(text) + 1); // the 0 keeps neighbours apart
}

static void build_cache_find(CacheEntry *entry, const OpenclDevice *opencl, const char *source) {
    const DeviceInfo *info = &opencl->base.info;
    char hex[DIGEST_HEX_BYTES] = "";
    Digest hash;
    digest_begin(&hash);
    build_cache_hash_text(&hash, source);
    build_cache_hash_text(&hash, opencl->base.build_options);
    build_cache_hash_text(&hash, info->platform);
    build_cache_hash_text(&hash, info->name);
    build_cache_hash_text(&hash, info->version);
    build_cache_hash_text(&hash, info->driver);
    const bool is_known = digest_end(&hash, entry->key);
    digest_print(entry->key, hex);
    entry->path[0] = '\0';
    build_cache_folder(build_driver_keeps(info), entry->folder, sizeof entry->folder);
    if (is_known && entry->folder[0] != '\0') {
        snprintf(entry->path, sizeof entry->path, "%s/%s.bin", entry->folder, hex);
    }
}

// --- reading and writing an entry -------------------------------------------------------------

static int build_is_own(const struct stat *state) {
    return state->st_uid == geteuid() && (state->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int build_cache_has_own_folder(const char *folder) {
    struct stat state;
    return stat(folder, &state) == 0 && S_ISDIR(state.st_mode) && build_is_own(&state);
}

static uint8_t *build_cache_read_file(const char *path, size_t *out_bytes) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    struct stat state;
    uint8_t *content = NULL;
    if (fstat(fileno(file), &state) == 0 && S_ISREG(state.st_mode) && build_is_own(&state) && state.st_size > 0 &&
        (size_t)state.st_size < CACHE_FILE_BYTES_MAX) {
        *out_bytes = (size_t)state.st_size;
        content = malloc(*out_bytes);
        if (content != NULL && fread(content, 1, *out_bytes, file) != *out_bytes) {
            free(content);
            content = NULL;
        }
    }
    fclose(file);
    return content;
}

// The content of a sound cache file, else NULL.
static uint8_t *build_cache_read(const CacheEntry *entry, size_t *out_bytes) {
    if (entry->path[0] == '\0' || !build_cache_has_own_folder(entry->folder)) return NULL;
    uint8_t *content = build_cache_read_file(entry->path, out_bytes);
    if (content == NULL) return NULL;
    int is_sound = *out_bytes > CACHE_HEAD_BYTES && memcmp(content, CACHE_MAGIC, CACHE_MAGIC_BYTES) == 0 &&
                   memcmp(content + CACHE_MAGIC_BYTES, entry->key, sizeof entry->key) == 0;
    if (is_sound) {
        uint8_t sum[DIGEST_BYTES];
        is_sound = digest_of(content + CACHE_HEAD_BYTES, *out_bytes - CACHE_HEAD_BYTES, sum) &&
                   memcmp(content + CACHE_MAGIC_BYTES + sizeof entry->key, sum, sizeof sum) == 0;
    }
    if (is_sound) return content;
    free(content);
    return NULL;
}

static int build_cache_make_folder(const char *folder) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/') continue;
        *at = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return 0;
        *at = '/';
    }
    return mkdir(path, 0700) == 0 || (errno == EEXIST && build_cache_has_own_folder(path));
}

// Under a temporary name first, so that other processes never see half a file.
static void build_cache_write(const CacheEntry *entry, const uint8_t *binary, size_t binary_bytes) {
    if (entry->path[0] == '\0' || !build_cache_make_folder(entry->folder)) return;
    char temporary[sizeof entry->path + 8];
    uint8_t sum[DIGEST_BYTES];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", entry->path);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0) return;
    FILE *file = fdopen(descriptor, "wb");
    if (file == NULL) {
        close(descriptor);
        unlink(temporary);
        return;
    }
    int is_whole =
        digest_of(binary, binary_bytes, sum) && fwrite(CACHE_MAGIC, 1, CACHE_MAGIC_BYTES, file) == CACHE_MAGIC_BYTES &&
        fwrite(entry->key, 1, sizeof entry->key, file) == sizeof entry->key &&
        fwrite(sum, 1, sizeof sum, file) == sizeof sum && fwrite(binary, 1, binary_bytes, file) == binary_bytes;
    is_whole = fclose(file) == 0 && is_whole;
    if (!is_whole || rename(temporary, entry->path) != 0) unlink(temporary);
}

static void build_cache_store(const CacheEntry *entry, cl_program program) {
    size_t bytes = 0;
    if (entry->path[0] == '\0' ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0) {
        return;
    }
    uint8_t *binary = malloc(bytes);
    if (binary != NULL && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS) {
        build_cache_write(entry, binary, bytes);
    }
    free(binary);
}

// --- building ---------------------------------------------------------------------------------

static void build_cache_store_late(void *entry, cl_program program) { build_cache_store(entry, program); }

// Where a binary is going to be kept; NULL: nowhere.
static const char *build_kept_in(const CacheEntry *entry) {
    const int is_kept =
        entry->path[0] != '\0' && build_cache_make_folder(entry->folder) && access(entry->folder, W_OK) == 0;
    return is_kept ? entry->folder : NULL;
}

// CLACK_OK where the compiler came to an end, of which `out_error` tells. Else the program is no longer the caller's.
// What comes of it after all is kept in the cache.
static ClackStatus build_program(OpenclDevice *opencl, const CacheEntry *entry, cl_program *program, int is_source,
                                 cl_int *out_error, ClackReport *report) {
    OpenclLate late = {.context = is_source ? malloc(sizeof *entry) : NULL}; // without memory it is not kept
    if (late.context != NULL) {
        memcpy(late.context, entry, sizeof *entry);
        late.take = build_cache_store_late;
    }
    const OpenclEnd end =
        opencl_compile(opencl, *program, is_source ? build_kept_in(entry) : entry->folder, &late, out_error);
    if (end == OPENCL_ENDED) return CLACK_OK;
    *program = NULL;
    if (end == OPENCL_STOPPED) return CLACK_INTERRUPTED;
    opencl->is_given_up = 1;
    return report_add(report, CLACK_DEVICE,
                      "%s: its compiler has not come to an end within %g s: allow it more (CLACK_BUILD_LIMIT=SECONDS, "
                      "0: no limit), or take another device, such as \"-d native\"",
                      opencl->base.info.name, opencl->build_limit_s);
}

// The program from its binary. None where there is no sound one: then the source is compiled. NVIDIA's binaries are
// PTX, which takes its driver as long to compile as the source.
static ClackStatus build_from_cache(OpenclDevice *opencl, const CacheEntry *entry, ClackReport *report) {
    size_t bytes = 0;
    uint8_t *content = build_cache_read(entry, &bytes);
    if (content == NULL) return CLACK_OK;
    const uint8_t *binary = content + CACHE_HEAD_BYTES;
    const size_t binary_bytes = bytes - CACHE_HEAD_BYTES;
    cl_int binary_status = CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithBinary(opencl->context, 1, &opencl->id, &binary_bytes, &binary, &binary_status, &error);
    free(content);
    if (error != CL_SUCCESS) return CLACK_OK;
    if (binary_status == CL_SUCCESS) TRY(build_program(opencl, entry, &program, 0, &error, report));
    if (binary_status == CL_SUCCESS && error == CL_SUCCESS)
        opencl->program = program;
    else
        clReleaseProgram(program);
    return CLACK_OK;
}

static char *build_get_log(const OpenclDevice *opencl, cl_program program) {
    size_t bytes = 0;
    if (clGetProgramBuildInfo(program, opencl->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS) {
        return NULL;
    }
    char *log = calloc(bytes + 1, 1);
    if (log != NULL) clGetProgramBuildInfo(program, opencl->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

static ClackStatus build_from_source(OpenclDevice *opencl, const CacheEntry *entry, const char *source,
                                     size_t source_bytes, ClackReport *report) {
    cl_int error = CL_SUCCESS;
    opencl->program = clCreateProgramWithSource(opencl->context, 1, &source, &source_bytes, &error);
    TRY(opencl_check(opencl, error, "clCreateProgramWithSource", source_bytes, report));
    TRY(build_program(opencl, entry, &opencl->program, 1, &error, report));
    opencl->base.build_log = build_get_log(opencl, opencl->program);
    const ClackStatus status = opencl_check(opencl, error, "clBuildProgram", 0, report);
    if (status == CLACK_OK) return status;
    return report_add_block(report, status, "build options: %s\nbuild log:\n%s", opencl->base.build_options,
                            opencl->base.build_log == NULL ? "(none)" : opencl->base.build_log);
}

// Vectors of at least four numbers (kernels/base/portable.h): where only balls on planes touch, of scenes side by side;
// of corners.
#define WIDE_NUMBERS 4

static int build_is_wide(const OpenclDevice *opencl) {
    cl_uint numbers = 0;
    return !opencl->base.info.is_gpu && opencl->base.items.scene == 1 && opencl->base.items.queue == 0 &&
           clGetDeviceInfo(opencl->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof numbers, &numbers, NULL) ==
               CL_SUCCESS &&
           numbers >= WIDE_NUMBERS;
}

static const char *build_vectors(const Content *content) {
    if (content->programs == PROGRAM_EXACT) return " -DSIDE_BY_SIDE=4";
    if (!(content->programs & PROGRAM_ADVANCE) || !(content->kinds & 1u << SHAPE_HALF_SPACE)) return "";
    if (content->holds & CONTENT_SOLIDS) return " -DWIDE=1";
    return content->holds & CONTENT_ISLANDS ? "" : " -DSIDE_BY_SIDE=4";
}

// Attributes of functions for compilers (kernels/base/portable.h).
// A GPU's allocates registers to all of what is inlined together: kept apart, what is live in one long function does
// not spill in the other, and the stack is that of the deepest call, not the sum of all. But every function of the
// chain above holds its own, so the ones at the top are written out (bench/results/nvidia-offline). Processors' own
// choice of what to inline makes the smaller and the faster kernels (PoCL: a dropped sphere takes 19 % fewer cycles,
// ten of them 5 %), and three times as fast; but of evaluators, which are small, those that write out what is shorter
// than a call are the faster (searched pairs take 1.06 to 1.18 of native's time, 1.12 to 1.32 by its own choice). So
// are, by now, those of balls among each other: ten spheres 10 to 14 %, a billiard break 20 %, for 0.8 s more until the
// first result; solids would gain 8 to 15 % for 1.9 s, a single ball nothing for 0.5 s. PoCL 3.1 copies a function with
// all that it calls, and does so again for every chain of calls that leads to it, so those at the top are written out
// (a ball that meets boxes: 6.4 to 5.0 s), and where pairs are searched all through which the narrow phase is reached
// (all kinds: 120 to 14 million instructions walked). Other long ones are functions by themselves: passes take more
// than their share of long ones.
static const char *build_functions(int is_gpu, const Content *content) {
    if (is_gpu)
        return " -DFN_WHOLE=FN_APART -DFN_ONCE=FN_APART -DFN_WAY=FN_APART -DFN_SPINE=FN_APART -DFN_TOP=FN_INLINED"
               " -DFN_STAGE=FN_APART -DOWN_SLOTS=1";
    if ((content->holds & (CONTENT_SEARCH | CONTENT_SOLIDS | CONTENT_ISLANDS)) ==
        CONTENT_ISLANDS) // balls among each other
        return " -DFN_WHOLE=FN_APART -DFN_SPINE=FN_INLINED -DFN_TOP=FN_INLINED -DFN_ONCE=FN_APART -DFN_WAY=FN_APART";
    if (!(content->holds & CONTENT_SEARCH))
        return " -DFN_SHORT=FN -DFN_WHOLE=FN_APART -DFN_SPINE=FN_INLINED -DFN_TOP=FN_INLINED -DFN_ONCE=FN_APART "
               "-DFN_WAY=FN_APART";
    return content->programs & PROGRAM_ADVANCE
               ? " -DFN_SHORT=FN -DFN_WHOLE=FN_APART -DFN_SPINE=FN_INLINED -DFN_TOP=FN_INLINED -DFN_ONCE=FN_APART"
                 " -DFN_LINK=FN_INLINED -DFN_LINK_APART=FN_INLINED"
               : " -DFN_WHOLE=FN_APART -DFN_SPINE=FN_INLINED -DFN_TOP=FN_INLINED -DFN_ONCE=FN_APART"
                 " -DFN_LINK=FN_INLINED -DFN_LINK_APART=FN_INLINED";
}

void opencl_print_build_options(const DeviceInfo *info, const Content *content, DeviceItems items, int is_wide,
                                char options[DEVICE_OPTIONS_BYTES]) {
    char holds[CONTENT_OPTIONS_BYTES];
    content_print_options(content, holds);
    char queues[32] = "";
    if (items.queue > 0) snprintf(queues, sizeof queues, " -DQUEUE_ITEMS=%u", items.queue);
    snprintf(options, DEVICE_OPTIONS_BYTES, "-cl-std=CL1.2 -DSCENE_ITEMS=%u%s%s%s%s", items.scene, queues,
             build_functions(info->is_gpu, content), is_wide ? build_vectors(content) : "", holds);
}

static ClackStatus build_set_options(OpenclDevice *opencl, ClackReport *report) {
    Device *device = &opencl->base;
    const DeviceOptions *options = &opencl->options;
    const char *extra = options->build_options == NULL ? "" : options->build_options;
    char own[DEVICE_OPTIONS_BYTES];
    const size_t bytes = strlen(extra) + DEVICE_OPTIONS_BYTES + 32;
    opencl_print_build_options(&device->info, &device->content, device->items, build_is_wide(opencl), own);
    device->build_options = malloc(bytes);
    if (device->build_options == NULL) return report_add(report, CLACK_MEMORY, "no memory for build options");
    // NVIDIA's compiler tells registers and spills only when asked; others do not know the option.
    const int is_nvidia = strstr(device->info.platform, "NVIDIA") != NULL;
    snprintf(device->build_options, bytes, "%s%s%s%s", own,
             options->dump_build_log && is_nvidia ? " -cl-nv-verbose" : "", extra[0] == '\0' ? "" : " ", extra);
    return CLACK_OK;
}

ClackStatus opencl_build(OpenclDevice *device, ClackReport *report) {
    char *source = NULL;
    size_t source_bytes = 0;
    CacheEntry entry;
    TRY(build_set_options(device, report));
    TRY(device->base.content.programs == PROGRAM_EXACT ? kernel_source_get_exact(&source, &source_bytes, report)
                                                       : kernel_source_get(&source, &source_bytes, report));
    build_cache_find(&entry, device, source);
    ClackStatus status = CLACK_OK;
    // A log is wanted: only the compiler writes one.
    if (!device->options.dump_build_log) status = build_from_cache(device, &entry, report);
    if (status == CLACK_OK && device->program == NULL) {
        status = build_from_source(device, &entry, source, source_bytes, report);
        if (status == CLACK_OK) build_cache_store(&entry, device->program);
    }
    free(source);
    return status;
}
