// Sensitivity of quantities to inputs, from scenes of the designs saltelli (Sobol' indices) and morris (elementary
// effects).
#ifndef CLACK_SENSITIVITY_H
#define CLACK_SENSITIVITY_H

#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SensitivityDesign {
    DesignKind kind; // DESIGN_SALTELLI or DESIGN_MORRIS
    uint64_t seed;
    uint32_t input_count, levels;
    char *const *input_names; // (input_count)
    double confidence;
} SensitivityDesign;

enum { SENSITIVITY_QUANTITY, SENSITIVITY_INPUT, SENSITIVITY_CHECKPOINT, SENSITIVITY_AXES }; // axes

// FIELD(name, type, axes..., unit or NULL, sentence)
#define SENSITIVITY_FIELD_LIST(FIELD)                                                                                  \
    FIELD(count, I32, QUANTITY, NONE, NONE, "1", "Base points or trajectories all of whose scenes have a value.")      \
    FIELD(missing, I32, QUANTITY, NONE, NONE, "1", "The others, which are left out.")                                  \
    FIELD(varies, U8, QUANTITY, NONE, NONE, "1",                                                                       \
          "1: its values differ by more than rounding (1e-12 of the largest); 0: not, or there are none: no index.")   \
    FIELD(first, F64, QUANTITY, INPUT, NONE, "1", "First Sobol' index: share of the variance by this input alone.")    \
    FIELD(first_lower, F64, QUANTITY, INPUT, NONE, "1", "Lower end of its confidence interval (bootstrap).")           \
    FIELD(first_upper, F64, QUANTITY, INPUT, NONE, "1", "Upper end of it.")                                            \
    FIELD(total, F64, QUANTITY, INPUT, NONE, "1",                                                                      \
          "Total Sobol' index: share of the variance that this input has a part in.")                                  \
    FIELD(total_lower, F64, QUANTITY, INPUT, NONE, "1", "Lower end of its confidence interval (bootstrap).")           \
    FIELD(total_upper, F64, QUANTITY, INPUT, NONE, "1", "Upper end of it.")                                            \
    FIELD(convergence_first, F64, QUANTITY, INPUT, CHECKPOINT, "1", "First index of the first so many base points.")   \
    FIELD(convergence_first_lower, F64, QUANTITY, INPUT, CHECKPOINT, "1", "Lower end of its interval.")                \
    FIELD(convergence_first_upper, F64, QUANTITY, INPUT, CHECKPOINT, "1", "Upper end of it.")                          \
    FIELD(convergence_total, F64, QUANTITY, INPUT, CHECKPOINT, "1", "Total index of the first so many base points.")   \
    FIELD(convergence_total_lower, F64, QUANTITY, INPUT, CHECKPOINT, "1", "Lower end of its interval.")                \
    FIELD(convergence_total_upper, F64, QUANTITY, INPUT, CHECKPOINT, "1", "Upper end of it.")                          \
    FIELD(mu, F64, QUANTITY, INPUT, NONE, NULL,                                                                        \
          "Mean elementary effect: change of the quantity over that of the input's probability.")                      \
    FIELD(mu_star, F64, QUANTITY, INPUT, NONE, NULL, "Mean absolute elementary effect.")                               \
    FIELD(mu_star_lower, F64, QUANTITY, INPUT, NONE, NULL, "Lower end of its confidence interval (Student's t).")      \
    FIELD(mu_star_upper, F64, QUANTITY, INPUT, NONE, NULL, "Upper end of it.")                                         \
    FIELD(sigma, F64, QUANTITY, INPUT, NONE, NULL, "Standard deviation of the elementary effects.")                    \
    FIELD(convergence_mu_star, F64, QUANTITY, INPUT, CHECKPOINT, NULL, "mu_star of the first so many trajectories.")   \
    FIELD(convergence_mu_star_lower, F64, QUANTITY, INPUT, CHECKPOINT, NULL, "Lower end of its interval.")             \
    FIELD(convergence_mu_star_upper, F64, QUANTITY, INPUT, CHECKPOINT, NULL, "Upper end of it.")

enum { // fields
#define SENSITIVITY_FIELD_ENUM(name, ...) SENSITIVITY_##name,
    SENSITIVITY_FIELD_LIST(SENSITIVITY_FIELD_ENUM)
#undef SENSITIVITY_FIELD_ENUM
        SENSITIVITY_FIELDS
};

enum { SENSITIVITY_SAMPLES, SENSITIVITY_CONFIDENCE, SENSITIVITY_RESAMPLES, SENSITIVITY_NUMBERS };
enum { SENSITIVITY_METHOD, SENSITIVITY_TEXTS };

extern const ResultSpec sensitivity_spec;

/// Of the rows of `source`, which are scenes of the design from source->scene_first on; of a base point or trajectory
/// of which not all scenes are there, none counts. On success to be freed with result_free.
/// Errors: those of reading; CLACK_MEMORY.
ClackStatus sensitivity_compute(const StatisticsSource *source, const SensitivityDesign *design, ResultTable *out_table,
                                ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
