// Shares of scenes against measured ones over the levels of a parameter, and for which values of other parameters they
// fit best.
#ifndef CLACK_FIT_H
#define CLACK_FIT_H

#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FIT_FIT, FIT_BY, FIT_CELL, FIT_AXES }; // axes

// FIELD(name, type, axes..., unit or NULL, sentence)
#define FIT_FIELD_LIST(FIELD)                                                                                          \
    FIELD(by_value, F64, FIT, BY, NONE, NULL, "Value of each parameter that is searched over; NaN where it is not.")   \
    FIELD(scenes, I32, FIT, NONE, NONE, "1", "Scenes at these values that count.")                                     \
    FIELD(chi_squared, F64, FIT, NONE, NONE, "1",                                                                      \
          "Sum over all levels of the squared difference of both shares over its variance: both are drawn.")           \
    FIELD(deviance, F64, FIT, NONE, NONE, "1", "Twice the logarithm of the likelihood ratio against equal shares.")    \
    FIELD(dof, I32, FIT, NONE, NONE, "1", "Degrees of freedom: levels, less the parameters that are searched over.")   \
    FIELD(p, F64, FIT, NONE, NONE, "1",                                                                                \
          "Probability of such a chi-squared or a larger one where both shares are equal.")                            \
    FIELD(is_best, U8, FIT, NONE, NONE, "1", "1 where chi-squared is the least of this quantity.")                     \
    FIELD(is_within, U8, FIT, NONE, NONE, "1",                                                                         \
          "1 within the confidence region: chi-squared above the least by no more than its quantile.")                 \
    FIELD(fit, I32, CELL, NONE, NONE, "1", "To which fit this level belongs.")                                         \
    FIELD(level, F64, CELL, NONE, NONE, NULL, "Value of the parameter over which shares are measured.")                \
    FIELD(count, I32, CELL, NONE, NONE, "1", "Scenes at this level that have a value.")                                \
    FIELD(share, F64, CELL, NONE, NONE, "1", "Their share.")                                                           \
    FIELD(share_lower, F64, CELL, NONE, NONE, "1", "Lower end of its confidence interval (Wilson).")                   \
    FIELD(share_upper, F64, CELL, NONE, NONE, "1", "Upper end of it.")                                                 \
    FIELD(measured_count, I32, CELL, NONE, NONE, "1", "Trials that were measured.")                                    \
    FIELD(measured, F64, CELL, NONE, NONE, "1", "Their share.")                                                        \
    FIELD(measured_lower, F64, CELL, NONE, NONE, "1", "Lower end of its confidence interval (Wilson).")                \
    FIELD(measured_upper, F64, CELL, NONE, NONE, "1", "Upper end of it.")                                              \
    FIELD(residual, F64, CELL, NONE, NONE, "1",                                                                        \
          "Share less measured share, over the standard deviation of the difference of two equal shares.")

enum { // fields
#define FIT_FIELD_ENUM(name, ...) FIT_##name,
    FIT_FIELD_LIST(FIT_FIELD_ENUM)
#undef FIT_FIELD_ENUM
        FIT_FIELDS
};

enum { FIT_CONFIDENCE, FIT_NUMBERS };

extern const ResultSpec fit_spec;

#define FIT_GROUPS_MAX 10000u // combinations of values that are searched over

/// Every reference of the settings that is measured over a parameter. Without one *out_table has no spec; else to be
/// freed with result_free. Errors: those of reading; CLACK_STUDY (more than FIT_GROUPS_MAX combinations); CLACK_MEMORY.
ClackStatus fit_compute(const StatisticsSource *source, const StatisticsSettings *settings, ResultTable *out_table,
                        ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
