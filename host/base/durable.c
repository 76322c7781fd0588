// Files that are on the disk whole or not at all: flush, rename, flush the folder.
#define _POSIX_C_SOURCE 200809L
#include "durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ClackStatus path_failed(const char *path, const char *action, ClackReport *report) {
    return report_add(report, CLACK_IO, "%s: cannot %s: %s", path, action, strerror(errno));
}

ClackStatus durable_sync(const char *path, ClackReport *report) {
    const int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) return path_failed(path, "open for flushing", report);
    // EINVAL: a file system that has nothing to flush.
    ClackStatus status =
        fsync(descriptor) != 0 && errno != EINVAL ? path_failed(path, "flush to the disk", report) : CLACK_OK;
    if (close(descriptor) != 0 && status == CLACK_OK) status = path_failed(path, "close", report);
    return status;
}

// The name is on the disk only once the folder is. A folder that we may not read is left to the system.
static ClackStatus sync_folder(const char *path, ClackReport *report) {
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : slash == path ? strdup("/") : strdup(path);
    if (folder == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its folder's name", path);
    if (slash != NULL && slash != path) folder[slash - path] = '\0';
    const ClackStatus status = access(folder, R_OK) == 0 ? durable_sync(folder, report) : CLACK_OK;
    free(folder);
    return status;
}

ClackStatus durable_rename(const char *from, const char *to, ClackReport *report) {
    TRY(durable_sync(from, report));
    if (rename(from, to) != 0) {
        return report_add(report, CLACK_IO, "%s: cannot rename to %s: %s; the results are whole under the former", from,
                          to, strerror(errno));
    }
    return sync_folder(to, report);
}

// --- texts ----------------------------------------------------------------------------------------

ClackStatus durable_check_free(const char *path, int overwrites, ClackReport *report) {
    struct stat about;
    const int is_there = stat(path, &about) == 0;
    if (is_there && !S_ISREG(about.st_mode))
        return report_add(report, CLACK_IO, "%s: cannot create the file: it exists and is not a regular file", path);
    if (is_there && !overwrites)
        return report_add(report, CLACK_IO, "%s: there is such a file already; --overwrite replaces it", path);
    return CLACK_OK;
}

static void file_free(DurableFile *file) {
    free(file->path);
    free(file->part_path);
    *file = (DurableFile){0};
}

ClackStatus durable_create(const char *path, int overwrites, DurableFile *out_file, ClackReport *report) {
    const size_t bytes = strlen(path) + sizeof ".part";
    *out_file = (DurableFile){0};
    TRY(durable_check_free(path, overwrites, report));
    DurableFile file = {.path = strdup(path), .part_path = malloc(bytes)};
    ClackStatus status = CLACK_OK;
    if (file.path == NULL || file.part_path == NULL) {
        status = report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    } else {
        snprintf(file.part_path, bytes, "%s.part", path);
        file.stream = fopen(file.part_path, "w");
        if (file.stream == NULL) status = path_failed(path, "create the file", report);
    }
    if (status == CLACK_OK)
        *out_file = file;
    else
        file_free(&file);
    return status;
}

ClackStatus durable_flush(DurableFile *file, ClackStatus status, ClackReport *report) {
    const int has_failed = fflush(file->stream) != 0 || ferror(file->stream);
    if (status == CLACK_OK && has_failed) status = path_failed(file->path, "write", report);
    if (fclose(file->stream) != 0 && status == CLACK_OK) status = path_failed(file->path, "write", report);
    file->stream = NULL;
    return status;
}

ClackStatus durable_finish(DurableFile *file, ClackStatus status, ClackReport *report) {
    if (file->path == NULL) return status;
    if (file->stream != NULL) status = durable_flush(file, status, report);
    if (status == CLACK_OK) status = durable_rename(file->part_path, file->path, report);
    if (status != CLACK_OK) unlink(file->part_path);
    file_free(file);
    return status;
}
