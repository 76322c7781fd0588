// One thread beside the caller's, for work of which a piece is done while the caller makes the next.
#ifndef CLACK_WRITER_H
#define CLACK_WRITER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Writer Writer;
typedef ClackStatus WriterTask(void *piece, ClackReport *report);

/// Where no thread is to be had, the caller's does the work. Errors: CLACK_MEMORY.
ClackStatus writer_open(Writer **out_writer, ClackReport *report);
/// Begin a piece of work. The one before has been waited for.
void writer_begin(Writer *writer, WriterTask *task, void *piece);
/// Wait for it, and tell how it went.
ClackStatus writer_wait(Writer *writer, ClackReport *report);
/// NULL is allowed. What was begun has been waited for.
void writer_close(Writer *writer);

#ifdef __cplusplus
}
#endif
#endif
