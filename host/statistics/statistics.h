// Statistics of all scenes of an ensemble, from its rows in blocks: moments, quantiles, histograms, covariance,
// regression. What fails or does not exist is counted, never dropped silently.
#ifndef CLACK_STATISTICS_H
#define CLACK_STATISTICS_H

#include "result.h"
#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- where the rows come from ---------------------------------------------------------------------

// Columns are the parameters and then the quantities; rows are scenes.
typedef struct StatisticsSource {
    void *context;
    /// Values of one column of consecutive rows; column == column_count: the status of each scene.
    ClackStatus (*read)(void *context, size_t column, uint64_t first, size_t count, double *out_values,
                        ClackReport *report);
    uint64_t row_count, scene_first;
    size_t column_count, parameter_count;
    char *const *names, *const *units; // (column_count)
    const unsigned char *is_regressor; // (parameter_count): sampled itself, not by arithmetic from others
    const unsigned char *is_share;     // (column_count): 0 or 1 in every scene, its mean a share; NULL: none
} StatisticsSource;

typedef struct StatisticsReference { // measured values that a quantity is compared with
    size_t column;
    size_t count;
    double *values;         // (count), owned: a sample, or shares
    double *levels, *sizes; // (count), owned, of shares: value of the parameter `over`, trials; NULL: a sample
    size_t over, by_count;  // columns
    size_t by[STUDY_FIT_PARAMETERS_MAX];
} StatisticsReference;

#define STATISTICS_QUANTILES_MAX STUDY_QUANTILES_MAX

typedef struct StatisticsSettings {
    double confidence; // of intervals, in (0, 1)
    uint32_t bins;
    uint32_t quantile_count;
    double quantiles[STATISTICS_QUANTILES_MAX]; // probabilities in (0, 1), ascending
    size_t reference_count;
    StatisticsReference *references; // (reference_count), owned
    const char *device;              // for products of matrices, as of --device; NULL: the host's processor
    const char *rerun;               // command that runs the scene "{scene}" again
} StatisticsSettings;

// --- results ----------------------------------------------------------------------------------------

enum { // axes
    STATISTICS_COLUMN,
    STATISTICS_OTHER,
    STATISTICS_PROBABILITY,
    STATISTICS_ECDF,
    STATISTICS_BIN,
    STATISTICS_EDGE,
    STATISTICS_CHECKPOINT,
    STATISTICS_QUANTITY,
    STATISTICS_REGRESSOR,
    STATISTICS_TERM,
    STATISTICS_FAILED,
    STATISTICS_COMPARISON,
    STATISTICS_AXES
};

// FIELD(name, type, axes..., unit or NULL, sentence)
#define STATISTICS_FIELD_LIST(FIELD)                                                                                   \
    FIELD(count, I32, COLUMN, NONE, NONE, "1", "Scenes that ended ok and have a finite value.")                        \
    FIELD(missing, I32, COLUMN, NONE, NONE, "1", "Scenes that ended ok and have no finite value.")                     \
    FIELD(mean, F64, COLUMN, NONE, NONE, NULL, "Mean.")                                                                \
    FIELD(mean_lower, F64, COLUMN, NONE, NONE, NULL,                                                                   \
          "Lower end of the mean's confidence interval (Student's t; of a share Wilson's).")                           \
    FIELD(mean_upper, F64, COLUMN, NONE, NONE, NULL, "Upper end of it.")                                               \
    FIELD(std, F64, COLUMN, NONE, NONE, NULL, "Standard deviation, n - 1 in the denominator.")                         \
    FIELD(std_lower, F64, COLUMN, NONE, NONE, NULL, "Lower end of its confidence interval (Bonett).")                  \
    FIELD(std_upper, F64, COLUMN, NONE, NONE, NULL, "Upper end of it.")                                                \
    FIELD(variance, F64, COLUMN, NONE, NONE, NULL, "Variance, n - 1 in the denominator; unit of the column squared.")  \
    FIELD(skewness, F64, COLUMN, NONE, NONE, "1", "Third central moment over the second to the power of 3/2.")         \
    FIELD(kurtosis, F64, COLUMN, NONE, NONE, "1", "Fourth central moment over the second squared, minus 3.")           \
    FIELD(min, F64, COLUMN, NONE, NONE, NULL, "Least value.")                                                          \
    FIELD(max, F64, COLUMN, NONE, NONE, NULL, "Greatest value.")                                                       \
    FIELD(varies, U8, COLUMN, NONE, NONE, "1",                                                                         \
          "1: values differ by more than rounding (1e-12 of the largest); 0: not, or there are none.")                 \
    FIELD(quantile, F64, COLUMN, PROBABILITY, NONE, NULL, "Quantile, linear between order statistics.")                \
    FIELD(quantile_lower, F64, COLUMN, PROBABILITY, NONE, NULL,                                                        \
          "Lower end of its confidence interval (order statistics); NaN beyond the least value.")                      \
    FIELD(quantile_upper, F64, COLUMN, PROBABILITY, NONE, NULL, "Upper end of it; NaN beyond the greatest value.")     \
    FIELD(ecdf, F64, COLUMN, ECDF, NONE, NULL, "Value below which this share of the scenes lies.")                     \
    FIELD(histogram_edge, F64, COLUMN, EDGE, NONE, NULL,                                                               \
          "Edges of the bins, evenly from the least value to the greatest.")                                           \
    FIELD(histogram, I32, COLUMN, BIN, NONE, "1",                                                                      \
          "Values in each bin: its lower edge belongs to it, of the last both.")                                       \
    FIELD(convergence_mean, F64, COLUMN, CHECKPOINT, NONE, NULL, "Mean of the first so many scenes.")                  \
    FIELD(convergence_lower, F64, COLUMN, CHECKPOINT, NONE, NULL, "Lower end of its confidence interval.")             \
    FIELD(convergence_upper, F64, COLUMN, CHECKPOINT, NONE, NULL, "Upper end of it.")                                  \
    FIELD(covariance, F64, COLUMN, OTHER, NONE, NULL,                                                                  \
          "Covariance of two columns, of the scenes that have both; product of their units.")                          \
    FIELD(correlation, F64, COLUMN, OTHER, NONE, "1",                                                                  \
          "Pearson's correlation of two columns, of the scenes that have both.")                                       \
    FIELD(pair_count, I32, COLUMN, OTHER, NONE, "1", "Scenes that have both.")                                         \
    FIELD(linear_coefficient, F64, QUANTITY, REGRESSOR, NONE, NULL,                                                    \
          "Coefficient of the linear regression; unit of the quantity over that of the parameter.")                    \
    FIELD(linear_standard_error, F64, QUANTITY, REGRESSOR, NONE, NULL, "Its standard error.")                          \
    FIELD(linear_standardised, F64, QUANTITY, REGRESSOR, NONE, "1",                                                    \
          "Coefficient times the parameter's standard deviation over the quantity's.")                                 \
    FIELD(linear_intercept, F64, QUANTITY, NONE, NONE, NULL, "Constant of the linear regression.")                     \
    FIELD(linear_r2, F64, QUANTITY, NONE, NONE, "1", "Share of the variance that the linear regression explains.")     \
    FIELD(quadratic_standardised, F64, QUANTITY, TERM, NONE, "1",                                                      \
          "Coefficient of a term of z = (parameter - mean) / std, over the quantity's standard deviation.")            \
    FIELD(quadratic_intercept, F64, QUANTITY, NONE, NONE, NULL, "Constant of the quadratic regression in z.")          \
    FIELD(quadratic_r2, F64, QUANTITY, NONE, NONE, "1",                                                                \
          "Share of the variance that the quadratic regression explains.")                                             \
    FIELD(failed_status, U8, FAILED, NONE, NONE, "1", "How the scene ended, as in /status.")                           \
    FIELD(reference_count, I32, COMPARISON, NONE, NONE, "1", "Values of the reference.")                               \
    FIELD(ks_statistic, F64, COMPARISON, NONE, NONE, "1",                                                              \
          "Kolmogorov-Smirnov: largest distance of the two distributions.")                                            \
    FIELD(ks_p, F64, COMPARISON, NONE, NONE, "1",                                                                      \
          "Probability of such a distance or a larger one where both are samples of one.")                             \
    FIELD(chi_squared, F64, COMPARISON, NONE, NONE, "1",                                                               \
          "Chi-squared of the counts in bins of about equal shares of the reference.")                                 \
    FIELD(chi_squared_dof, I32, COMPARISON, NONE, NONE, "1", "Its degrees of freedom.")                                \
    FIELD(chi_squared_p, F64, COMPARISON, NONE, NONE, "1",                                                             \
          "Probability of such a value or a larger one where both are samples of one.")

enum { // fields
#define STATISTICS_FIELD_ENUM(name, ...) STATISTICS_##name,
    STATISTICS_FIELD_LIST(STATISTICS_FIELD_ENUM)
#undef STATISTICS_FIELD_ENUM
        STATISTICS_FIELDS
};

enum { // numbers
    STATISTICS_N_SCENES,
    STATISTICS_N_OK,
    STATISTICS_N_FAILED,
    STATISTICS_N_NOT_RUN,
    STATISTICS_N_PARAMETERS,
    STATISTICS_CONFIDENCE,
    STATISTICS_NUMBERS
};
enum { STATISTICS_RERUN, STATISTICS_COVARIANCE_BY, STATISTICS_TEXTS }; // texts

extern const ResultSpec statistics_spec;

/// Everything above, of the rows of `source`; on success to be freed with result_free. The same rows and settings
/// give the same bits, whatever files the rows came from.
/// Errors: those of reading; CLACK_DEVICE; CLACK_MEMORY.
ClackStatus statistics_compute(const StatisticsSource *source, const StatisticsSettings *settings,
                               ResultTable *out_table, ClackReport *report);

/// Quantile of the standard normal distribution, and of Student's t distribution.
double statistics_normal_quantile(double probability);
double statistics_t_quantile(double probability, double degrees);
/// Wilson's interval of a share, of k hits in n > 0 trials; z: normal quantile of its upper end.
void statistics_share_interval(double k, double n, double z, double *out_lower, double *out_upper);

/// Terms of a fit, of its coefficients (count): NaN where there is none. And whether its R^2 tells anything: with
/// fewer than so many scenes for each term any fit is close.
size_t statistics_fit_terms(const double *coefficients, size_t count);
int statistics_fit_tells(double scenes, size_t terms);
#define STATISTICS_SCENES_PER_TERM 3.0

/// Multiplications that covariance and regression take where all scenes have all values.
double statistics_products(uint64_t rows, size_t columns, size_t parameters);
/// From how many on a GPU pays: its first use compiles for seconds, in which the host does so many.
#define STATISTICS_DEVICE_PRODUCTS 2e10

#ifdef __cplusplus
}
#endif
#endif
