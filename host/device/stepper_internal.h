// Within stepper*.c: one run of a batch (stepper_batch.c), of which stepper.c makes as many as its scenes need.
#ifndef CLACK_STEPPER_INTERNAL_H
#define CLACK_STEPPER_INTERNAL_H

#include "rows.h"
#include "slot_rows.h"
#include "stepper.h"

typedef struct Drained { // rows as they were drained
    RowList events, contacts;
} Drained;

// What comes of one run of a batch.
typedef struct StepperRun {
    BatchResult result;
    Drained drained;
    int is_stopped;
} StepperRun;

/// No rows yet.
Drained drained_make(void);
void drained_free(Drained *drained);

/// One run of a batch with the room it has; its rows stay in `drained`, in the order they were drained. waiting: scenes
/// of the whole, `total`, that are not done. Errors: CLACK_MEMORY, CLACK_DEVICE.
ClackStatus stepper_batch_run(Device *device, const Batch *batch, const StepperOptions *options, uint32_t total,
                              uint32_t waiting, StepperRun *out, ClackReport *report);

#endif
