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
/// Whether a quantity is of kind `share`, or else a number without unit that is 0 in some of the scenes that ended ok
/// and 1 in all others.
int values_are_shares(const Ensemble *ensemble, const EnsembleColumn *column);
/// Whether scenes have values of their own: those of the designs saltelli and morris share them on purpose.
int values_are_independent(const Ensemble *ensemble);
/// Why there are no intervals where they do: a sentence.
extern const char values_no_intervals[];
/// Whether a parameter is drawn or set by the design itself, not computed from others.
int values_are_drawn(const Ensemble *ensemble, const EnsembleColumn *column);
/// Confidence of intervals, in (0, 1): that of the file's statistics, 0.95 where it has none.
double values_confidence(const Ensemble *ensemble);

#ifdef __cplusplus
}
#endif
#endif
