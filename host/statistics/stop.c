// Widths of intervals as scenes come: of means and shares by running sums, of indices of sensitivity from all values.
#include "stop.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/scene_types.h"
#include "sensitivity.h"
#include "statistics_internal.h"

#define GROWTH 1.1 // from one check to the next: at most a tenth of the scenes is more than was needed

typedef struct StopColumn {     // a quantity that is checked
    double count, mean, square; // of finite values; square: sum of squared distances from the mean
    double width;               // at the last check; NaN: there was none, or it does not exist
} StopColumn;

struct Stop {
    const Study *study;
    uint64_t scenes, next_check; // taken; the next check is at so many
    uint64_t last_check;         // the last one was at so many; 0: none
    uint32_t each;               // scenes that belong together: of a base point or trajectory
    StopColumn *columns;         // (widths_count)
    size_t room;                 // scenes, of designs of sensitivity
    double *values;              // (room, width_count): NaN where a scene did not end ok
    char **input_names;          // (input_count), owned; NULL where the design is not for sensitivity
    int is_reached;
};

static int is_sensitivity(const Study *study) {
    return study->design.kind == DESIGN_SALTELLI || study->design.kind == DESIGN_MORRIS;
}

static ClackStatus no_memory(ClackReport *report) {
    return report_add(report, CLACK_MEMORY, "no memory to tell when the run has scenes enough");
}

// --- open and close --------------------------------------------------------------------------------------------

// Whole points: of a part of one no index is known.
static uint64_t whole_points(const Stop *stop, uint64_t scenes) {
    return (scenes + stop->each - 1) / stop->each * stop->each;
}

static ClackStatus name_inputs(Stop *stop, ClackReport *report) {
    const uint32_t count = stop->study->design.input_count;
    const size_t bytes = (size_t)2 * STUDY_NAME_BYTES;
    stop->input_names = calloc((size_t)count + 1, sizeof *stop->input_names);
    for (uint32_t i = 0; stop->input_names != NULL && i < count; i++) {
        stop->input_names[i] = calloc(1, bytes);
        if (stop->input_names[i] == NULL) return no_memory(report);
        study_input_name(stop->study, i, stop->input_names[i], bytes);
    }
    return stop->input_names != NULL ? CLACK_OK : no_memory(report);
}

ClackStatus stop_open(const Study *study, Stop **out_stop, ClackReport *report) {
    const StudyStop *wanted = &study->statistics.stop;
    assert(wanted->count > 0);
    Stop *stop = *out_stop = calloc(1, sizeof *stop);
    if (stop == NULL) return no_memory(report);
    stop->study = study;
    stop->each = study->design.kind == DESIGN_SALTELLI ? study->design.input_count + 2
                 : study->design.kind == DESIGN_MORRIS ? study->design.input_count + 1
                                                       : 1;
    stop->next_check = whole_points(stop, wanted->least);
    stop->columns = calloc(wanted->count, sizeof *stop->columns);
    if (stop->columns == NULL) return no_memory(report);
    for (uint32_t i = 0; i < wanted->count; i++) stop->columns[i].width = NAN;
    return is_sensitivity(study) ? name_inputs(stop, report) : CLACK_OK;
}

void stop_close(Stop *stop) {
    if (stop == NULL) return;
    for (uint32_t i = 0; stop->input_names != NULL && i < stop->study->design.input_count; i++)
        free(stop->input_names[i]);
    free(stop->input_names);
    free(stop->columns);
    free(stop->values);
    free(stop);
}

// --- widths ----------------------------------------------------------------------------------------------------

// Student's t of a mean; Wilson's of a share, which is not 0 where all scenes so far are alike.
static double width_of_mean(const Stop *stop, uint32_t place) {
    const StopColumn *column = &stop->columns[place];
    const double n = column->count, upper = 0.5 + 0.5 * stop->study->statistics.confidence;
    const uint32_t quantity = stop->study->statistics.stop.quantities[place];
    if (stop->study->quantities[quantity].kind == QUANTITY_SHARE) {
        double low = NAN, high = NAN;
        if (n > 0) statistics_share_interval(rint(column->mean * n), n, statistics_normal_quantile(upper), &low, &high);
        return high - low;
    }
    if (!(n > 1)) return NAN;
    return 2 * statistics_t_quantile(upper, n - 1) * sqrt(column->square / (n - 1) / n);
}

static ClackStatus read_value(void *context, size_t column, uint64_t first, size_t count, double *out_values,
                              ClackReport *report) {
    const Stop *stop = context;
    const uint32_t columns = stop->study->statistics.stop.count;
    (void)report;
    // Scenes that failed have no value: what is there counts as ok.
    for (size_t i = 0; i < count; i++)
        out_values[i] = column < columns ? stop->values[(first + i) * columns + column] : (double)STATUS_OK;
    return CLACK_OK;
}

// The widest interval of the indices of each quantity.
static ClackStatus look_at_indices(Stop *stop, ClackReport *report) {
    const Study *study = stop->study;
    const StudyStop *wanted = &study->statistics.stop;
    char *names[STUDY_STOP_QUANTITIES_MAX], *units[STUDY_STOP_QUANTITIES_MAX];
    static char none[] = "";
    ResultTable table = {0};
    for (uint32_t i = 0; i < wanted->count; i++) names[i] = units[i] = none;
    const StatisticsSource source = {.context = stop,
                                     .read = read_value,
                                     .row_count = stop->scenes,
                                     .column_count = wanted->count,
                                     .names = names,
                                     .units = units};
    const SensitivityDesign design = {.kind = study->design.kind,
                                      .seed = study->design.seed,
                                      .input_count = study->design.input_count,
                                      .levels = study->design.levels,
                                      .input_names = stop->input_names,
                                      .confidence = study->statistics.confidence};
    TRY(sensitivity_compute(&source, &design, &table, report));
    const int is_morris = design.kind == DESIGN_MORRIS;
    const double *lower = table.fields[is_morris ? SENSITIVITY_mu_star_lower : SENSITIVITY_total_lower];
    const double *upper = table.fields[is_morris ? SENSITIVITY_mu_star_upper : SENSITIVITY_total_upper];
    for (uint32_t i = 0; i < wanted->count; i++) {
        double widest = 0;
        for (uint32_t k = 0; k < design.input_count; k++) {
            const double width = upper[i * design.input_count + k] - lower[i * design.input_count + k];
            widest = isnan(width) || isnan(widest) ? (double)NAN : fmax(widest, width);
        }
        stop->columns[i].width = widest;
    }
    result_free(&table);
    return CLACK_OK;
}

static ClackStatus check_widths(Stop *stop, ClackReport *report) {
    const StudyStop *wanted = &stop->study->statistics.stop;
    int is_reached = 1;
    if (is_sensitivity(stop->study)) TRY(look_at_indices(stop, report));
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (!is_sensitivity(stop->study)) stop->columns[i].width = width_of_mean(stop, i);
        is_reached &= stop->columns[i].width <= wanted->widths[i];
    }
    stop->last_check = stop->scenes;
    stop->is_reached = is_reached;
    stop->next_check = whole_points(stop, (uint64_t)ceil((double)stop->scenes * GROWTH));
    return CLACK_OK;
}

// --- scenes as they come ------------------------------------------------------------------------------------------

static ClackStatus make_room(Stop *stop, ClackReport *report) {
    if (!is_sensitivity(stop->study) || stop->scenes < stop->room) return CLACK_OK;
    const size_t room = 2 * stop->room + 1024;
    double *values = realloc(stop->values, room * stop->study->statistics.stop.count * sizeof *values);
    if (values == NULL) return no_memory(report);
    stop->values = values;
    stop->room = room;
    return CLACK_OK;
}

// Source of the running mean: Welford, Technometrics 4 (1962) 419.
static void take_scene(Stop *stop, const double *quantities, uint32_t status) {
    const StudyStop *wanted = &stop->study->statistics.stop;
    for (uint32_t i = 0; i < wanted->count; i++) {
        StopColumn *column = &stop->columns[i];
        const double found = quantities[wanted->quantities[i]];
        const double value = status == STATUS_OK && isfinite(found) ? found : (double)NAN;
        if (stop->values != NULL) stop->values[stop->scenes * wanted->count + i] = value;
        if (isnan(value)) continue;
        const double before = value - column->mean;
        column->count++;
        column->mean += before / column->count;
        column->square += before * (value - column->mean);
    }
    stop->scenes++;
}

ClackStatus stop_take(Stop *stop, const double *quantities, const uint32_t *statuses, uint32_t count,
                      uint32_t *out_taken, int *out_is_reached, ClackReport *report) {
    uint32_t taken = 0;
    while (taken < count && !stop->is_reached) {
        TRY(make_room(stop, report));
        take_scene(stop, quantities + (size_t)taken * stop->study->quantity_count, statuses[taken]);
        taken++;
        const int is_last = stop->scenes == stop->study->design.scene_count; // reported in any case
        if (stop->scenes == stop->next_check || is_last) TRY(check_widths(stop, report));
    }
    *out_taken = taken;
    *out_is_reached = stop->is_reached;
    return CLACK_OK;
}

void stop_print(const Stop *stop, char out_text[STOP_TEXT_BYTES]) {
    const StudyStop *wanted = &stop->study->statistics.stop;
    const char *what = stop->study->design.kind == DESIGN_SALTELLI ? "total indices"
                       : stop->study->design.kind == DESIGN_MORRIS ? "mu_star"
                                                                   : "mean";
    size_t used = (size_t)snprintf(out_text, STOP_TEXT_BYTES, "%s after %llu scenes: width of the %g %% interval of ",
                                   stop->is_reached ? "reached" : "not reached", (unsigned long long)stop->last_check,
                                   100 * stop->study->statistics.confidence);
    for (uint32_t i = 0; i < wanted->count && used < STOP_TEXT_BYTES; i++)
        used += (size_t)snprintf(out_text + used, STOP_TEXT_BYTES - used, "%s%s (%s) %.6g, wanted %.6g",
                                 i > 0 ? "; " : "", stop->study->quantities[wanted->quantities[i]].name, what,
                                 stop->columns[i].width, wanted->widths[i]);
}
