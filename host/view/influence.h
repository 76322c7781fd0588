// Which input matters: how much each parameter that is drawn says about each quantity.
#ifndef CLACK_INFLUENCE_H
#define CLACK_INFLUENCE_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum InfluenceKind {
    INFLUENCE_STANDARDISED, // coefficient of the linear regression, of the file's statistics
    INFLUENCE_RANK,         // Spearman's correlation, computed here
    INFLUENCE_FIRST,        // Sobol' indices of the file, or (Morris) the mean of |effects|
    INFLUENCE_TOTAL,        // and their deviation
    INFLUENCE_KINDS
} InfluenceKind;

typedef struct InfluenceMeasure {
    const char *heading;
    double *values, *lower, *upper; // (quantity_count, input_count): NaN where there is none
    int is_there;                   // some value is a number
} InfluenceMeasure;

typedef struct Influence { // arrays owned
    size_t quantity_count, input_count;
    const EnsembleColumn **quantities; // (quantity_count)
    const EnsembleColumn **inputs;     // (input_count)
    InfluenceMeasure measures[INFLUENCE_KINDS];
    double *linear_r2, *quadratic_r2;                // (quantity_count): NaN where the file has none
    double *scenes, *linear_terms, *quadratic_terms; // (quantity_count): of these fits
    size_t *order;                                   // (quantity_count, input_count): inputs, what matters most first
    double confidence;                               // of the intervals
    int is_morris;                                   // the file has elementary effects; else indices, if any
    int is_independent;                              // scenes are; else coefficients and correlations have no intervals
} Influence;

/// Inputs stand in the order of their total index, else of their mean |effect|, else of the larger one of coefficient
/// and rank correlation. On success to be freed with influence_free.
/// Errors: those of reading; CLACK_CORRUPT (a group whose arrays do not fit), CLACK_MEMORY.
ClackStatus influence_make(const Ensemble *ensemble, Influence *out_influence, ClackReport *report);
void influence_free(Influence *influence);

/// Whether the measure that inputs are ordered by tells this input's influence from none: its interval leaves 0 out.
/// Without an interval: whether it is a tenth or more.
int influence_is_told(const Influence *influence, size_t quantity, size_t input);

/// Whether a linear regression with this R^2 explains enough for its coefficients, and correlations, to rank inputs.
/// Below, inputs act together, or in ways that rise and fall, which neither sees.
int influence_is_ranking(double linear_r2);
/// Whether inputs of a quantity are ordered by its index or its effects, whatever a regression explains.
int influence_has_indices(const Influence *influence, size_t quantity);

/// Spearman's correlation of the rows in which both (count) are numbers, ties at their mean rank; NaN where one of them
/// does not vary. Errors: CLACK_MEMORY.
ClackStatus influence_rank_correlation(const double *x, const double *y, uint64_t count, double *out_correlation,
                                       double *out_rows, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
