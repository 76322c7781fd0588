// Files that are on the disk whole or not at all, whenever the power goes.
#ifndef CLACK_DURABLE_H
#define CLACK_DURABLE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Give a finished file its name: the file is flushed to the disk, renamed over what has that name, and the
/// folder flushed. Errors: CLACK_IO with both paths; the file is then whole under one of them.
ClackStatus durable_rename(const char *from, const char *to, ClackReport *report);

/// Flush a file or folder to the disk. Errors: CLACK_IO.
ClackStatus durable_sync(const char *path, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
