// Quantities of interest of one scene, from its final state, located extremes and events.
#ifndef CLACK_QUANTITY_H
#define CLACK_QUANTITY_H

#include "stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/// All quantities of the batch: out_values (scene_count, study->quantity_count), with the values of its parameters
/// (scene_count, study->parameter_count). What does not exist (the third bounce of a ball that bounced twice, anything
/// of a failed scene's end) is NaN. Errors: CLACK_MEMORY.
ClackStatus quantity_evaluate(const Study *study, const Batch *batch, const BatchResult *result,
                              const double *parameters, double *out_values, ClackReport *report);

typedef struct QuantityRows {
    uint32_t first, last;     // scenes first..last-1
    const double *parameters; // as in quantity_evaluate, and
    double *values;
} QuantityRows;

/// The same for some scenes: rows of others are left alone.
ClackStatus quantity_evaluate_some(const Study *study, const Batch *batch, const BatchResult *result,
                                   const QuantityRows *rows, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
