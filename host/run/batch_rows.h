// A finished batch as clack.h shows it: what kernels wrote as rows of public structs, with the content of the file's.
#ifndef CLACK_BATCH_ROWS_H
#define CLACK_BATCH_ROWS_H

#include "run_batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BatchRows {
    ClackBatch shown; // first: what is called with it finds the others. Arrays of rows owned
    const Batch *batch;
    const BatchResult *result;
} BatchRows;

/// What the run's options ask for (batch_rows). On success to be freed. Errors: CLACK_MEMORY.
ClackStatus batch_rows_make(const RunBatch *work, BatchRows *out_rows, ClackReport *report);
void batch_rows_free(BatchRows *rows);
/// What is behind a batch that `on_batch` is called with, for the program itself.
const BatchRows *batch_rows_behind(const ClackBatch *shown);

#ifdef __cplusplus
}
#endif
#endif
