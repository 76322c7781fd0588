// Values of columns as the statistics take them: of scenes that ended ok.
#ifndef CLACK_VALUES_H
#define CLACK_VALUES_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Values of a column (scene_count), to be freed by the caller: NaN where the scene has not ended ok or has no finite
/// value. Errors: those of reading, CLACK_MEMORY.
ClackStatus values_of_ok(const Ensemble *ensemble, const EnsembleColumn *column, double **out_values,
                         ClackReport *report);
/// Whether a quantity is of kind `share`: 0 or 1 in every scene.
int values_are_shares(const Ensemble *ensemble, const EnsembleColumn *column);
/// Whether a parameter is drawn or set by the design itself, not computed from others.
int values_are_drawn(const Ensemble *ensemble, const EnsembleColumn *column);
/// Confidence of intervals, in (0, 1): that of the file's statistics, 0.95 where it has none.
double values_confidence(const Ensemble *ensemble);

#ifdef __cplusplus
}
#endif
#endif
