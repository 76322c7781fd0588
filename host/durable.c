// Files that are on the disk whole or not at all: flush, rename, flush the folder.
#define _POSIX_C_SOURCE 200809L
#include "durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ClackStatus path_failed(const char *path, const char *action, ClackReport *report) {
    return report_add(report, CLACK_IO, "%s: cannot %s: %s", path, action, strerror(errno));
}

ClackStatus durable_sync(const char *path, ClackReport *report) {
    const int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) return path_failed(path, "open for flushing", report);
    // EINVAL: a file system that has nothing to flush.
    ClackStatus status = fsync(descriptor) != 0 && errno != EINVAL
                             ? path_failed(path, "flush to the disk", report)
                             : CLACK_OK;
    if (close(descriptor) != 0 && status == CLACK_OK) status = path_failed(path, "close", report);
    return status;
}

// The name is on the disk only once the folder is. A folder that we may not read is left to the system.
static ClackStatus sync_folder(const char *path, ClackReport *report) {
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : slash == path ? strdup("/") : strdup(path);
    if (folder == NULL)
        return report_add(report, CLACK_MEMORY, "%s: no memory for its folder's name", path);
    if (slash != NULL && slash != path) folder[slash - path] = '\0';
    const ClackStatus status = access(folder, R_OK) == 0 ? durable_sync(folder, report) : CLACK_OK;
    free(folder);
    return status;
}

ClackStatus durable_rename(const char *from, const char *to, ClackReport *report) {
    TRY(durable_sync(from, report));
    if (rename(from, to) != 0) {
        return report_add(report, CLACK_IO,
                          "%s: cannot rename to %s: %s; the results are whole under the former", from, to,
                          strerror(errno));
    }
    return sync_folder(to, report);
}
