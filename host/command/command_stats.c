// clack stats: the statistics of an ensemble file as tables or JSON.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "fit.h"
#include "influence.h"
#include "record.h"
#include "ensemble.h"
#include "sensitivity.h"
#include "statistics.h"
#include "text.h"
#include "values.h"

#define FAILED_SHOWN 10 // the file has all
#define STRONGEST_SHOWN 5

// --- text ---------------------------------------------------------------------------------------------------

static double stats_at(const ResultTable *table, uint32_t field, size_t index) {
    return table->fields[field] != NULL ? table->fields[field][index] : (double)NAN;
}

static void stats_print_scenes(const ResultTable *table, int is_independent) {
    const size_t failed = table->lengths[STATISTICS_FAILED];
    printf("scenes: %.0f, of which %.0f ok, %.0f failed, %.0f not run; intervals of %g %%%s\n",
           table->numbers[STATISTICS_N_SCENES], table->numbers[STATISTICS_N_OK], table->numbers[STATISTICS_N_FAILED],
           table->numbers[STATISTICS_N_NOT_RUN], 100 * table->numbers[STATISTICS_CONFIDENCE],
           is_independent ? "" : ", of sensitivity alone: scenes of this design share values");
    if (table->fields[STATISTICS_failed_status] == NULL) return;
    const char *rerun = table->texts[STATISTICS_RERUN] != NULL ? table->texts[STATISTICS_RERUN] : "";
    const char *place = strstr(rerun, "{scene}");
    for (size_t i = 0; i < failed && i < FAILED_SHOWN; i++) {
        const char *status = clack_scene_status_name((uint32_t)table->fields[STATISTICS_failed_status][i]);
        printf("  failed: scene %.0f, %s", table->scales[STATISTICS_FAILED][i], status);
        if (place != NULL) printf("; %.*s%.0f", (int)(place - rerun), rerun, table->scales[STATISTICS_FAILED][i]);
        printf("\n");
    }
    if (failed > FAILED_SHOWN) printf("  and %zu more: statistics/failed_scene\n", failed - FAILED_SHOWN);
}

// " (2 to 3)", " (up to 3)", " (from 2)", or nothing: an end may not exist.
static void stats_print_interval(double lower, double upper, int digits) {
    if (!isnan(lower) && !isnan(upper))
        printf(" (%.*g to %.*g)", digits, lower, digits, upper);
    else if (!isnan(upper))
        printf(" (up to %.*g)", digits, upper);
    else if (!isnan(lower))
        printf(" (from %.*g)", digits, lower);
}

// What there is to tell of a share is its mean, with Wilson's interval; of a count that is 0 or 1, too.
static void stats_print_share(const ResultTable *table, size_t column) {
    const int has_interval = !isnan(stats_at(table, STATISTICS_mean_lower, column));
    const double share = stats_at(table, STATISTICS_mean, column), count = stats_at(table, STATISTICS_count, column);
    const double z = statistics_normal_quantile(0.5 + 0.5 * table->numbers[STATISTICS_CONFIDENCE]);
    double lower = NAN, upper = NAN;
    if (has_interval) statistics_share_interval(rint(share * count), count, z, &lower, &upper);
    printf("    share %.6g", share);
    stats_print_interval(lower, upper, 6);
    printf("\n");
}

static void stats_print_moments(const ResultTable *table, size_t column) {
    printf("    mean %.6g", stats_at(table, STATISTICS_mean, column));
    stats_print_interval(stats_at(table, STATISTICS_mean_lower, column), stats_at(table, STATISTICS_mean_upper, column),
                         6);
    if (!isnan(stats_at(table, STATISTICS_std, column))) {
        printf(", std %.6g", stats_at(table, STATISTICS_std, column));
        stats_print_interval(stats_at(table, STATISTICS_std_lower, column),
                             stats_at(table, STATISTICS_std_upper, column), 4);
    }
    if (!isnan(stats_at(table, STATISTICS_skewness, column)))
        printf(", skewness %.3g", stats_at(table, STATISTICS_skewness, column));
    printf(", min %.6g, max %.6g\n", stats_at(table, STATISTICS_min, column), stats_at(table, STATISTICS_max, column));
}

// Quantiles, but of a share, which has none. Returns whether it varies.
static int stats_print_column(const ResultTable *table, size_t column, int is_share) {
    const size_t quantiles = table->lengths[STATISTICS_PROBABILITY];
    const double count = stats_at(table, STATISTICS_count, column),
                 missing = stats_at(table, STATISTICS_missing, column);
    printf("  %s", table->names[STATISTICS_COLUMN][column]);
    const char *unit = record_unit_shown(table->units[STATISTICS_COLUMN][column]);
    if (unit[0] != '\0') printf(" [%s]", unit);
    if (!(count > 0)) {
        printf(missing == 1 ? "  no value in the only scene\n" : "  no value in any of %.0f scenes\n", missing);
        return 0;
    }
    printf("  of %.0f %s", count, count == 1 ? "scene" : "scenes");
    if (missing > 0) printf(", %.0f %s no value", missing, missing == 1 ? "has" : "have");
    printf("\n");
    const double least = stats_at(table, STATISTICS_min, column), greatest = stats_at(table, STATISTICS_max, column);
    if (least == greatest || stats_at(table, STATISTICS_varies, column) == 0) {
        const double lower = stats_at(table, STATISTICS_mean_lower, column),
                     upper = stats_at(table, STATISTICS_mean_upper, column);
        printf("    %.6g in %s", least, count > 1 ? "all of them" : "it");
        // A share's interval, which is known to that only; that of other means is rounding.
        if (least == greatest && lower < upper) stats_print_interval(lower, upper, 6);
        if (count > 1) printf("%s: does not vary", least < greatest ? " but for rounding" : "");
        printf("\n");
        return 0;
    }
    if (is_share) {
        stats_print_share(table, column);
        return 1;
    }
    stats_print_moments(table, column);
    for (size_t i = 0; i < quantiles; i++) {
        const size_t place = column * quantiles + i;
        printf("%s%g %%: %.6g", i == 0 ? "    " : ", ", 100 * table->scales[STATISTICS_PROBABILITY][i],
               stats_at(table, STATISTICS_quantile, place));
        stats_print_interval(stats_at(table, STATISTICS_quantile_lower, place),
                             stats_at(table, STATISTICS_quantile_upper, place), 6);
    }
    printf("\n");
    return 1;
}

typedef struct Strength {
    double value;
    const char *name;
} Strength;

static int stats_compare_strength(const void *a, const void *b) {
    const double x = fabs(((const Strength *)a)->value), y = fabs(((const Strength *)b)->value);
    return x < y ? 1 : x > y ? -1 : 0;
}

// The largest of a row, with their names.
static void stats_print_strongest(const char *head, const double *values, char *const *names, size_t count) {
    Strength *strengths = calloc(count + 1, sizeof *strengths);
    size_t known = 0;
    for (size_t i = 0; strengths != NULL && i < count; i++)
        if (!isnan(values[i])) strengths[known++] = (Strength){values[i], names[i]};
    if (known > 0) qsort(strengths, known, sizeof *strengths, stats_compare_strength);
    if (known > 0) printf("    %s: ", head);
    for (size_t i = 0; i < known && i < STRONGEST_SHOWN; i++)
        printf("%s%s %.4f", i == 0 ? "" : ", ", strengths[i].name, strengths[i].value);
    if (known > 0) printf("%s\n", known > STRONGEST_SHOWN ? ", ..." : "");
    free(strengths);
}

// Of a fit with so many terms for its scenes that it is close anyway, that.
static void stats_print_r2(const ResultTable *table, size_t quantity, uint32_t r2, uint32_t coefficients,
                           uint32_t axis) {
    const size_t column = (size_t)table->numbers[STATISTICS_N_PARAMETERS] + quantity, count = table->lengths[axis];
    const double scenes = stats_at(table, STATISTICS_count, column);
    const size_t terms = statistics_fit_terms(table->fields[coefficients] + quantity * count, count);
    if (statistics_fit_tells(scenes, terms))
        printf(" %.6f", stats_at(table, r2, quantity));
    else
        printf(" not told: %zu terms for %.0f scenes", terms, scenes);
}

// What is computed from other parameters, and the four numbers of a random rotation, say little by themselves.
static int stats_is_aside(const ResultTable *table, const char *name) {
    if (strstr(name, ".quaternion[") != NULL) return 1;
    for (size_t i = 0; i < table->lengths[STATISTICS_REGRESSOR]; i++)
        if (strcmp(table->names[STATISTICS_REGRESSOR][i], name) == 0) return 0;
    return 1;
}

// Correlations with what is drawn: those computed from it would lead, with nothing of their own.
static void stats_print_correlations(const ResultTable *table, const double *correlations, size_t parameters) {
    double *shown = calloc(parameters + 1, sizeof *shown);
    for (size_t i = 0; shown != NULL && i < parameters; i++)
        shown[i] = stats_is_aside(table, table->names[STATISTICS_COLUMN][i]) ? (double)NAN : correlations[i];
    if (shown != NULL) stats_print_strongest("correlation", shown, table->names[STATISTICS_COLUMN], parameters);
    free(shown);
}

// Numbers by their size look like a ranking, which they are not where a straight line explains little.
static void stats_print_no_ranking(const ResultTable *table, size_t quantity) {
    const size_t column = (size_t)table->numbers[STATISTICS_N_PARAMETERS] + quantity,
                 count = table->lengths[STATISTICS_REGRESSOR];
    const double r2 = stats_at(table, STATISTICS_linear_r2, quantity);
    if (isnan(r2) || influence_is_ranking(r2)) return;
    const size_t terms = statistics_fit_terms(table->fields[STATISTICS_linear_standardised] + quantity * count, count);
    if (!statistics_fit_tells(stats_at(table, STATISTICS_count, column), terms)) return;
    printf("    not a ranking (R^2 linear %.3f): inputs act together, or in ways that rise and fall; "
           "--set 'design={saltelli: {samples: 256}}' of \"clack run\" gives indices\n",
           r2);
}

static void stats_print_quantity(const ResultTable *table, size_t quantity, int is_share) {
    const size_t parameters = (size_t)table->numbers[STATISTICS_N_PARAMETERS], column = parameters + quantity;
    const size_t columns = table->lengths[STATISTICS_COLUMN];
    if (!stats_print_column(table, column, is_share)) return; // nothing depends on anything
    stats_print_no_ranking(table, quantity);
    if (table->fields[STATISTICS_correlation] != NULL)
        stats_print_correlations(table, table->fields[STATISTICS_correlation] + column * columns, parameters);
    if (isnan(stats_at(table, STATISTICS_linear_r2, quantity))) return;
    printf("    R^2 linear");
    stats_print_r2(table, quantity, STATISTICS_linear_r2, STATISTICS_linear_standardised, STATISTICS_REGRESSOR);
    if (!isnan(stats_at(table, STATISTICS_quadratic_r2, quantity))) {
        printf(", quadratic");
        stats_print_r2(table, quantity, STATISTICS_quadratic_r2, STATISTICS_quadratic_standardised, STATISTICS_TERM);
    }
    printf("\n");
    stats_print_strongest("standardised coefficients",
                          table->fields[STATISTICS_linear_standardised] +
                              quantity * table->lengths[STATISTICS_REGRESSOR],
                          table->names[STATISTICS_REGRESSOR], table->lengths[STATISTICS_REGRESSOR]);
}

static void stats_print_comparisons(const ResultTable *table) {
    if (table->fields[STATISTICS_reference_count] == NULL) return;
    printf("against measured values:\n");
    for (size_t i = 0; i < table->lengths[STATISTICS_COMPARISON]; i++) {
        printf("  %-32s of %.0f: Kolmogorov-Smirnov %.4f, p = %.4g", table->names[STATISTICS_COMPARISON][i],
               stats_at(table, STATISTICS_reference_count, i), stats_at(table, STATISTICS_ks_statistic, i),
               stats_at(table, STATISTICS_ks_p, i));
        if (stats_at(table, STATISTICS_chi_squared_dof, i) > 0)
            printf("; chi-squared %.4g of %.0f, p = %.4g", stats_at(table, STATISTICS_chi_squared, i),
                   stats_at(table, STATISTICS_chi_squared_dof, i), stats_at(table, STATISTICS_chi_squared_p, i));
        printf("\n");
    }
}

static void stats_print_parameters(const ResultTable *table, size_t parameters) {
    size_t aside = 0;
    if (parameters > 0) printf("parameters:\n");
    for (size_t i = 0; i < parameters; i++)
        if (!stats_is_aside(table, table->names[STATISTICS_COLUMN][i])) stats_print_column(table, i, 0);
    for (size_t i = 0; i < parameters; i++) {
        const char *name = table->names[STATISTICS_COLUMN][i];
        if (stats_is_aside(table, name))
            printf("%s%s",
                   aside++ == 0 ? "  computed from these, or rotations (--json and the file have them): " : ", ", name);
    }
    if (aside > 0) printf("\n");
}

// Texts that the file brings become what they are shown as; false without memory.
static int stats_show_text(char **text) {
    char *shown = *text != NULL ? text_shown(*text, "") : NULL;
    if (*text != NULL && shown == NULL) return 0;
    free(*text);
    *text = shown;
    return 1;
}

static int stats_show_texts(ResultTable *table) {
    int is_whole = 1;
    for (uint32_t i = 0; table->spec != NULL && i < table->spec->text_count; i++)
        is_whole &= stats_show_text(&table->texts[i]);
    for (uint32_t axis = 0; table->spec != NULL && axis < table->spec->axis_count; axis++) {
        for (size_t i = 0; i < table->lengths[axis]; i++) {
            if (table->names[axis] != NULL) is_whole &= stats_show_text(&table->names[axis][i]);
            if (table->units[axis] != NULL) is_whole &= stats_show_text(&table->units[axis][i]);
        }
    }
    return is_whole;
}

// Intervals take each scene for a draw of its own: where scenes share values there are none.
static void stats_leave_intervals(ResultTable *table) {
    static const uint32_t ends[] = {STATISTICS_mean_lower,        STATISTICS_mean_upper,
                                    STATISTICS_std_lower,         STATISTICS_std_upper,
                                    STATISTICS_quantile_lower,    STATISTICS_quantile_upper,
                                    STATISTICS_convergence_lower, STATISTICS_convergence_upper};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const ResultField *field = &table->spec->fields[ends[k]];
        size_t count = 1;
        for (int axis = 0; axis < RESULT_RANK_MAX && field->axes[axis] != RESULT_NO_AXIS; axis++)
            count *= table->lengths[field->axes[axis]];
        for (size_t i = 0; table->fields[ends[k]] != NULL && i < count; i++) table->fields[ends[k]][i] = NAN;
    }
}

static ClackStatus stats_find_independence(const char *path, int *out_is_independent, ClackReport *report) {
    Ensemble ensemble = {0}; // of which no more is asked: statistics take files with less than it wants
    TRY(record_read_open(path, &ensemble.reader, report));
    *out_is_independent = values_are_independent(&ensemble);
    record_read_close(ensemble.reader);
    return CLACK_OK;
}

// Which columns are shares: an attribute of the quantities says so. `*out_shares` (column) is freed by the caller.
static ClackStatus stats_find_shares(const char *path, const ResultTable *table, unsigned char **out_shares,
                                     ClackReport *report) {
    const size_t parameters = (size_t)table->numbers[STATISTICS_N_PARAMETERS];
    Ensemble ensemble = {0};
    *out_shares = calloc(table->lengths[STATISTICS_COLUMN] + 1, 1);
    if (*out_shares == NULL) return report_add(report, CLACK_MEMORY, "no memory for the kinds of columns");
    const ClackStatus status = ensemble_open(path, &ensemble, report);
    for (size_t i = parameters; status == CLACK_OK && i < table->lengths[STATISTICS_COLUMN]; i++)
        for (size_t k = 0; k < ensemble.column_count; k++)
            if (strcmp(ensemble.columns[k].name, table->names[STATISTICS_COLUMN][i]) == 0 &&
                values_are_shares(&ensemble, &ensemble.columns[k]))
                (*out_shares)[i] = 1;
    ensemble_close(&ensemble);
    return status;
}

static void stats_print(const ResultTable *table, const unsigned char *is_share, int is_independent) {
    const size_t parameters = (size_t)table->numbers[STATISTICS_N_PARAMETERS];
    const size_t columns = table->lengths[STATISTICS_COLUMN];
    stats_print_scenes(table, is_independent);
    stats_print_parameters(table, parameters);
    if (columns > parameters) printf("quantities:\n");
    for (size_t i = parameters; i < columns; i++) stats_print_quantity(table, i - parameters, is_share[i]);
    stats_print_comparisons(table);
}

// --- sensitivity ----------------------------------------------------------------------------------------------

static void stats_print_input(const ResultTable *table, size_t quantity, size_t input) {
    const size_t place = quantity * table->lengths[SENSITIVITY_INPUT] + input;
    const uint32_t shown = table->fields[SENSITIVITY_first] != NULL ? SENSITIVITY_total : SENSITIVITY_mu_star;
    printf("    %-32s", table->names[SENSITIVITY_INPUT][input]);
    if (isnan(stats_at(table, shown, place)))
        printf(" no index: too few points differ\n");
    else if (table->fields[SENSITIVITY_first] != NULL && isnan(stats_at(table, SENSITIVITY_total_lower, place)))
        printf(" first %8.4f  total %8.4f  no interval: too few points differ\n",
               stats_at(table, SENSITIVITY_first, place), stats_at(table, SENSITIVITY_total, place));
    else if (table->fields[SENSITIVITY_first] != NULL)
        printf(" first %8.4f (%.4f to %.4f)  total %8.4f (%.4f to %.4f)\n", stats_at(table, SENSITIVITY_first, place),
               stats_at(table, SENSITIVITY_first_lower, place), stats_at(table, SENSITIVITY_first_upper, place),
               stats_at(table, SENSITIVITY_total, place), stats_at(table, SENSITIVITY_total_lower, place),
               stats_at(table, SENSITIVITY_total_upper, place));
    else
        printf(" mu* %.5g (%.5g to %.5g)  mu %.5g  sigma %.5g\n", stats_at(table, SENSITIVITY_mu_star, place),
               stats_at(table, SENSITIVITY_mu_star_lower, place), stats_at(table, SENSITIVITY_mu_star_upper, place),
               stats_at(table, SENSITIVITY_mu, place), stats_at(table, SENSITIVITY_sigma, place));
}

static void stats_print_sensitivity(const ResultTable *table) {
    const int is_sobol = table->fields[SENSITIVITY_first] != NULL;
    printf(is_sobol ? "Sobol' indices of %.0f base points:\n" : "elementary effects of %.0f trajectories:\n",
           table->numbers[SENSITIVITY_SAMPLES]);
    for (size_t q = 0; q < table->lengths[SENSITIVITY_QUANTITY]; q++) {
        printf("  %s", table->names[SENSITIVITY_QUANTITY][q]);
        if (stats_at(table, SENSITIVITY_missing, q) > 0 && stats_at(table, SENSITIVITY_count, q) > 0)
            printf("  of %.0f: %.0f %s a value", stats_at(table, SENSITIVITY_count, q),
                   stats_at(table, SENSITIVITY_missing, q),
                   stats_at(table, SENSITIVITY_missing, q) == 1 ? "lacks" : "lack");
        const int varies = stats_at(table, SENSITIVITY_varies, q) != 0;
        const int has_any = stats_at(table, SENSITIVITY_count, q) > 0;
        printf("%s\n", !has_any ? "  no value" : varies ? "" : "  does not vary");
        for (size_t i = 0; varies && i < table->lengths[SENSITIVITY_INPUT]; i++) stats_print_input(table, q, i);
    }
}

// --- shares against measured ones -------------------------------------------------------------------------------

static void stats_print_combination(const ResultTable *table, size_t fit) {
    const size_t by = table->lengths[FIT_BY];
    printf("   ");
    for (size_t k = 0; k < by; k++)
        if (!isnan(stats_at(table, FIT_by_value, fit * by + k)))
            printf(" %s %-6.6g", table->names[FIT_BY][k], stats_at(table, FIT_by_value, fit * by + k));
    printf(" chi-squared %.4g of %.0f, p = %.3g; of %.0f %s%s%s\n", stats_at(table, FIT_chi_squared, fit),
           stats_at(table, FIT_dof, fit), stats_at(table, FIT_p, fit), stats_at(table, FIT_scenes, fit),
           stats_at(table, FIT_scenes, fit) == 1 ? "scene" : "scenes",
           stats_at(table, FIT_is_within, fit) > 0 ? ", within the region" : "",
           stats_at(table, FIT_is_best, fit) > 0 ? ", best" : "");
}

static void stats_print_levels(const ResultTable *table, size_t fit) {
    for (size_t i = 0; i < table->lengths[FIT_CELL]; i++) {
        if (stats_at(table, FIT_fit, i) != (double)fit) continue;
        printf("      %s %-8.6g %.4f (%.4f to %.4f), measured %.4f (%.4f to %.4f): %+.1f sd\n",
               table->names[FIT_CELL][i], stats_at(table, FIT_level, i), stats_at(table, FIT_share, i),
               stats_at(table, FIT_share_lower, i), stats_at(table, FIT_share_upper, i),
               stats_at(table, FIT_measured, i), stats_at(table, FIT_measured_lower, i),
               stats_at(table, FIT_measured_upper, i), stats_at(table, FIT_residual, i));
    }
}

static void stats_print_fits(const ResultTable *table) {
    char *const *names = table->names[FIT_FIT];
    printf("against measured shares; region of %g %%:\n", 100 * table->numbers[FIT_CONFIDENCE]);
    for (size_t i = 0; i < table->lengths[FIT_FIT]; i++) {
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) printf("  %s\n", names[i]);
        stats_print_combination(table, i);
        if (stats_at(table, FIT_is_best, i) > 0) stats_print_levels(table, i);
    }
}

// --- JSON ---------------------------------------------------------------------------------------------------

static json_t *stats_json_number(double value, ResultType type) {
    if (!isfinite(value)) return json_null();
    return type == RESULT_F64 ? json_real(value) : json_integer((json_int_t)value);
}

// Nested lists, one for each axis.
static json_t *stats_json_field(const ResultTable *table, uint32_t field, int axis, const double **at) {
    const ResultField *about = &table->spec->fields[field];
    if (axis == RESULT_RANK_MAX || about->axes[axis] == RESULT_NO_AXIS) return stats_json_number(*(*at)++, about->type);
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < table->lengths[about->axes[axis]]; i++)
        json_array_append_new(list, stats_json_field(table, field, axis + 1, at));
    return list;
}

static json_t *stats_json_texts(char *const *texts, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < count; i++) json_array_append_new(list, command_json_text(texts[i]));
    return list;
}

static void stats_json_axis(json_t *data, const ResultTable *table, uint32_t axis) {
    const ResultAxis *about = &table->spec->axes[axis];
    const size_t length = table->lengths[axis];
    if (table->names[axis] != NULL)
        json_object_set_new(data, about->names, stats_json_texts(table->names[axis], length));
    if (table->units[axis] != NULL)
        json_object_set_new(data, about->units, stats_json_texts(table->units[axis], length));
    if (table->names[axis] != NULL || table->scales[axis] == NULL) return;
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < length; i++)
        json_array_append_new(list, stats_json_number(table->scales[axis][i], about->type));
    json_object_set_new(data, about->name, list);
}

static json_t *stats_json_table(const ResultTable *table) {
    const ResultSpec *spec = table->spec;
    json_t *data = json_object();
    if (data == NULL) return NULL;
    for (uint32_t i = 0; i < spec->number_count; i++)
        json_object_set_new(data, spec->numbers[i],
                            stats_json_number(table->numbers[i], i == spec->fraction ? RESULT_F64 : RESULT_I32));
    for (uint32_t i = 0; i < spec->text_count; i++)
        json_object_set_new(data, spec->texts[i], command_json_text(table->texts[i] != NULL ? table->texts[i] : ""));
    for (uint32_t axis = 0; axis < spec->axis_count; axis++) stats_json_axis(data, table, axis);
    for (uint32_t field = 0; field < spec->field_count; field++) {
        const double *at = table->fields[field];
        if (at != NULL) json_object_set_new(data, spec->fields[field].name, stats_json_field(table, field, 0, &at));
    }
    return data;
}

// --- the command ----------------------------------------------------------------------------------------------

static ClackStatus stats_print_all(const char *path, EnsembleStatistics *found, int is_independent,
                                   ClackReport *report) {
    unsigned char *is_share = NULL;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(stats_find_shares(path, &found->statistics, &is_share, report)); // by their names as they are
    if (!stats_show_texts(&found->statistics) || !stats_show_texts(&found->sensitivity) ||
        !stats_show_texts(&found->fit))
        TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for the names of columns"));
    stats_print(&found->statistics, is_share, is_independent);
    if (found->sensitivity.spec != NULL) stats_print_sensitivity(&found->sensitivity);
    if (found->fit.spec != NULL) stats_print_fits(&found->fit);
cleanup:
    free(is_share);
    return status;
}

static int command_run_stats(Arguments *arguments) {
    ClackReport report = {0};
    EnsembleStatistics found = {0};
    json_t *data = NULL;
    int is_independent = 1;
    ClackStatus status = record_statistics(arguments->file, arguments->device.choice, &found, &report);
    if (status == CLACK_OK) status = stats_find_independence(arguments->file, &is_independent, &report);
    if (status == CLACK_OK && !is_independent) stats_leave_intervals(&found.statistics);
    if (status == CLACK_OK && arguments->is_json) {
        data = json_pack("{s:o}", "statistics", stats_json_table(&found.statistics));
        json_object_set_new(data, "sensitivity",
                            found.sensitivity.spec != NULL ? stats_json_table(&found.sensitivity) : json_null());
        json_object_set_new(data, "fit", found.fit.spec != NULL ? stats_json_table(&found.fit) : json_null());
    } else if (status == CLACK_OK) {
        status = stats_print_all(arguments->file, &found, is_independent, &report);
    }
    record_statistics_free(&found);
    return command_end(arguments, data, &report, status);
}

static const struct option stats_options[] = {
    OPTION_LINE_HELP, {"device", required_argument, NULL, 'd'}, OPTION_LINE_JSON, OPTION_LINE_END};

const Command command_stats = {
    .name = "stats",
    .summary = "statistics of an ensemble file",
    .help = "  clack stats bouncing_sphere.h5\n\n"
            "Usage: clack stats FILE [options]\n"
            "Prints moments, quantiles, correlations and regressions of all parameters and quantities, of the\n"
            "scenes that ended ok, sensitivity (designs saltelli and morris), shares against measured ones (references "
            "with\n"
            "\"over\"), and a command for each that failed. What is in the file is printed; a file without statistics "
            "is read\n"
            "and they are computed.\n\n"
            "  -d, --device DEVICE    compute them in any case, products of matrices on this device (OpenCL:\n"
            "                         through CLBlast, whose kernels are compiled at their first use)\n"
            "      --json             one JSON object, with everything\n\n"
            "Exit codes: 0 ok, 2 usage, 4 input or output, 5 device, 7 no ensemble file or a damaged one.\n",
    .wants_file = 1,
    .letters = "hd:",
    .options = stats_options,
    .run = command_run_stats,
};
