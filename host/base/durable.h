// Files that are on the disk whole or not at all, whenever the power goes.
#ifndef CLACK_DURABLE_H
#define CLACK_DURABLE_H

#include <stdio.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Give a finished file its name: the file is flushed to the disk, renamed over what has that name, and the
/// folder flushed. Errors: CLACK_IO with both paths; the file is then whole under one of them.
ClackStatus durable_rename(const char *from, const char *to, ClackReport *report);

/// Flush a file or folder to the disk. Errors: CLACK_IO.
ClackStatus durable_sync(const char *path, ClackReport *report);

/// Whether a file of this name may be written. Errors: CLACK_IO (there is one and it may not be replaced, or
/// something else that is no file).
ClackStatus durable_check_free(const char *path, int overwrites, ClackReport *report);

typedef struct DurableFile { // a text that is being written, as "<path>.part"
    char *path, *part_path;  // owned
    FILE *stream;
} DurableFile;

/// Errors: as durable_check_free's; CLACK_IO, CLACK_MEMORY.
ClackStatus durable_create(const char *path, int overwrites, DurableFile *out_file, ClackReport *report);
/// Everything written so far is in part_path, and the stream is closed (NULL): a caller that continues writing opens
/// that file. Returns `status` or, where the stream did not take everything, CLACK_IO.
ClackStatus durable_flush(DurableFile *file, ClackStatus status, ClackReport *report);
/// Finish with its name where `status`, that of the writing, is CLACK_OK and the stream took everything; else
/// there is no file. Returns that status, or CLACK_IO.
ClackStatus durable_finish(DurableFile *file, ClackStatus status, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
