// Sections of the page: statistics and sensitivity, as tables.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "page_internal.h"
#include "record.h"
#include "values.h"

// --- numbers of a group ------------------------------------------------------------------------------

#define VECTORS_MAX 12
#define QUANTILES_FEW 5u // whose numbers stand on a line each on paper

// Vectors [column] of a group; what a file does not have is NaN.
typedef struct Vectors {
    RecordTexts names;
    double *values[VECTORS_MAX]; // (names.count), NULL: not there
} Vectors;

static ClackStatus read_vectors(const RecordReader *reader, const char *group, const char *names_of,
                                const char *const *names, size_t count, Vectors *out, ClackReport *report) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", group, names_of);
    TRY(record_read_texts(reader, path, &out->names, report));
    for (size_t i = 0; i < count; i++) {
        RecordAxes axes;
        snprintf(path, sizeof path, "%s/%s", group, names[i]);
        if (!record_read_has(reader, path)) continue;
        TRY(record_read_all(reader, path, &axes, &out->values[i], report));
        if (axes.rank != 1 || axes.dims[0] != out->names.count)
            return report_add(report, CLACK_CORRUPT, "%s: %s: expected a number for each of %zu names",
                              record_read_path(reader), path, out->names.count);
    }
    return CLACK_OK;
}

static void free_vectors(Vectors *vectors) {
    record_texts_free(&vectors->names);
    for (size_t i = 0; i < VECTORS_MAX; i++) free(vectors->values[i]);
}

static double at(const double *values, size_t i) { return values != NULL ? values[i] : NAN; }

// --- statistics of the file ---------------------------------------------------------------------------

static const char *const moments[] = {"count",     "missing",   "mean", "mean_lower", "mean_upper", "std",
                                      "std_lower", "std_upper", "min",  "max",        "varies"};
enum { COUNT, MISSING, MEAN, MEAN_LOWER, MEAN_UPPER, STD, STD_LOWER, STD_UPPER, LEAST, MOST, VARIES, MOMENTS };

typedef struct Quantiles {
    RecordAxes axes;
    double *probability, *values, *lower, *upper; // (probability), (column, probability)
    size_t count;
} Quantiles;

static ClackStatus read_quantiles(const RecordReader *reader, size_t columns, Quantiles *out, ClackReport *report) {
    const char *const paths[] = {"statistics/quantile", "statistics/quantile_lower", "statistics/quantile_upper"};
    double **const places[] = {&out->values, &out->lower, &out->upper};
    if (!record_read_has(reader, paths[0])) return CLACK_OK;
    TRY(record_read_all(reader, "statistics/probability", &out->axes, &out->probability, report));
    out->count = (size_t)out->axes.dims[0];
    for (int i = 0; i < 3; i++) {
        if (!record_read_has(reader, paths[i])) continue;
        TRY(record_read_all(reader, paths[i], &out->axes, places[i], report));
        if (out->axes.rank != 2 || out->axes.dims[0] != columns || out->axes.dims[1] != out->count)
            return report_add(report, CLACK_CORRUPT, "%s: %s: expected a number for each column and probability",
                              record_read_path(reader), paths[i]);
    }
    return CLACK_OK;
}

static void put_headings(Page *page, const Quantiles *quantiles) {
    FILE *out = page->out;
    fprintf(out,
            "<div class=\"wide\"><table%s><thead><tr><th>name</th><th>unit</th><th>scenes</th><th>missing</th>"
            "<th>mean</th><th>standard deviation</th><th>least</th>",
            quantiles->count > QUANTILES_FEW ? " class=\"many\"" : "");
    for (size_t k = 0; k < quantiles->count; k++) fprintf(out, "<th>%g %%</th>", 100 * quantiles->probability[k]);
    fputs("<th>most</th></tr></thead><tbody>\n", out);
}

static void put_statistics(Page *page, EnsembleRole role, const Vectors *all, const Quantiles *quantiles,
                           size_t parameters) {
    FILE *out = page->out;
    const size_t first = role == ENSEMBLE_PARAMETER ? 0 : parameters,
                 end = role == ENSEMBLE_PARAMETER ? parameters : all->names.count;
    double *const *v = all->values;
    put_headings(page, quantiles);
    for (size_t i = first; i < end; i++) {
        const EnsembleColumn *column = NULL;
        ClackReport none = {0};
        const int is_known = ensemble_find(page->ensemble, all->names.items[i], (int)role, &column, &none) == CLACK_OK;
        clack_report_clear(&none);
        if (is_known && values_are_shares(page->ensemble, column)) continue;
        html_begin_row(out);
        html_cell(out, all->names.items[i]);
        html_cell(out, is_known ? record_unit_shown(column->unit) : "");
        html_number(out, at(v[COUNT], i));
        html_number(out, at(v[MISSING], i));
        if (isnan(at(v[MEAN], i)))
            html_cell(out, "no value");
        else
            html_interval(out, at(v[MEAN], i), at(v[MEAN_LOWER], i), at(v[MEAN_UPPER], i));
        if (at(v[COUNT], i) > 1 && at(v[VARIES], i) == 0)
            html_cell(out, "does not vary");
        else
            html_interval(out, at(v[STD], i), at(v[STD_LOWER], i), at(v[STD_UPPER], i));
        html_number(out, at(v[LEAST], i));
        for (size_t k = 0; k < quantiles->count; k++) {
            const size_t row = i * quantiles->count + k;
            html_interval(out, quantiles->values[row], at(quantiles->lower, row), at(quantiles->upper, row));
        }
        html_number(out, at(v[MOST], i));
        html_end_row(out);
    }
    html_end_table(out);
}

static void leave_intervals(Vectors *all, Quantiles *quantiles) {
    double **const ends[] = {&all->values[MEAN_LOWER], &all->values[MEAN_UPPER], &all->values[STD_LOWER],
                             &all->values[STD_UPPER],  &quantiles->lower,        &quantiles->upper};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        free(*ends[i]);
        *ends[i] = NULL;
    }
}

static ClackStatus statistics_of_file(Page *page, EnsembleRole role, ClackReport *report) {
    const RecordReader *reader = page->ensemble->reader;
    const int is_independent = values_are_independent(page->ensemble);
    Vectors all = {0};
    Quantiles quantiles = {0};
    double parameters = 0, confidence = NAN;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(read_vectors(reader, "statistics", "column_name", moments, MOMENTS, &all, report));
    TRY_CLEAN(read_quantiles(reader, all.names.count, &quantiles, report));
    record_read_number(reader, "statistics", "n_parameters", &parameters);
    if (!(parameters >= 0 && parameters <= (double)all.names.count))
        TRY_CLEAN(report_add(report, CLACK_CORRUPT, "%s: statistics: n_parameters is %g", record_read_path(reader),
                             parameters));
    if (!is_independent) leave_intervals(&all, &quantiles);
    put_statistics(page, role, &all, &quantiles, (size_t)parameters);
    if (role == ENSEMBLE_QUANTITY && !is_independent)
        fprintf(page->out,
                "<p class=\"soft\">%s Scenes that ended ok count; missing are those in which a value does not "
                "exist.</p>\n",
                values_no_intervals);
    else if (role == ENSEMBLE_QUANTITY && record_read_number(reader, "statistics", "confidence", &confidence))
        fprintf(page->out,
                "<p class=\"soft\">Small numbers: intervals of confidence, %g %%. Scenes that ended ok count; missing "
                "are those in which "
                "a value does not exist.</p>\n",
                100 * confidence);
cleanup:
    free_vectors(&all);
    free(quantiles.probability);
    free(quantiles.values);
    free(quantiles.lower);
    free(quantiles.upper);
    return status;
}

// --- a file without statistics --------------------------------------------------------------------------

static ClackStatus summary_of_values(Page *page, EnsembleRole role, ClackReport *report) {
    static const char *const headings[] = {"name", "unit", "scenes", "least", "mean", "most", NULL};
    const Ensemble *ensemble = page->ensemble;
    html_begin_table(page->out, headings);
    for (size_t i = 0; i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        double *values = NULL, least = NAN, most = NAN, sum = 0, count = 0;
        if (column->role != role || values_are_shares(ensemble, column)) continue;
        TRY(ensemble_values(ensemble, column, &values, report));
        for (uint64_t s = 0; s < ensemble->scene_count; s++) {
            if (isnan(values[s])) continue;
            least = fmin(least, values[s]); // of a NaN and a number the number
            most = fmax(most, values[s]);
            sum += values[s];
            count++;
        }
        free(values);
        html_begin_row(page->out);
        html_cell(page->out, column->name);
        html_cell(page->out, record_unit_shown(column->unit));
        html_number(page->out, count);
        html_number(page->out, least);
        html_number(page->out, count > 0 ? sum / count : NAN);
        html_number(page->out, most);
        html_end_row(page->out);
    }
    html_end_table(page->out);
    return CLACK_OK;
}

ClackStatus page_statistics(Page *page, EnsembleRole role, ClackReport *report) {
    size_t count = 0;
    size_t shares = 0;
    for (size_t i = 0; i < page->ensemble->column_count; i++) {
        if (page->ensemble->columns[i].role != role) continue;
        count++;
        shares += values_are_shares(page->ensemble, &page->ensemble->columns[i]) ? 1 : 0;
    }
    if (count > 0 && shares == count) return CLACK_OK; // which page_shares tells
    if (count == 0) {
        fputs("<p class=\"soft\">None.</p>\n", page->out);
        return CLACK_OK;
    }
    if (record_read_has(page->ensemble->reader, "statistics/mean")) return statistics_of_file(page, role, report);
    TRY(summary_of_values(page, role, report));
    fputs("<p class=\"soft\">This file has no statistics: of all values that exist, failed scenes included.</p>\n",
          page->out);
    return CLACK_OK;
}

// --- sensitivity ------------------------------------------------------------------------------------------

typedef struct Index { // of a table
    const char *name, *heading;
    double *values, *lower, *upper; // (quantity, input)
} Index;

static ClackStatus read_index(const RecordReader *reader, Index *index, size_t count, ClackReport *report) {
    static const char *const endings[] = {"", "_lower", "_upper"};
    double **const places[] = {&index->values, &index->lower, &index->upper};
    for (int i = 0; i < 3; i++) {
        char path[96];
        RecordAxes axes;
        snprintf(path, sizeof path, "sensitivity/%s%s", index->name, endings[i]);
        if (!record_read_has(reader, path)) continue;
        TRY(record_read_all(reader, path, &axes, places[i], report));
        if (axes.rank != 2 || axes.dims[0] * axes.dims[1] != count)
            return report_add(report, CLACK_CORRUPT, "%s: %s: expected an index for each quantity and input",
                              record_read_path(reader), path);
    }
    return CLACK_OK;
}

// One row for a quantity that does not vary, else one for each input. Of `quantities`: whether each varies, its count.
static void put_indices(Page *page, const RecordTexts *inputs, const Vectors *quantities, const Index *indices,
                        size_t count) {
    const char *headings[8] = {"quantity", "input"};
    for (size_t k = 0; k < count; k++) headings[2 + k] = indices[k].heading;
    html_begin_table(page->out, headings);
    for (size_t row = 0; row < quantities->names.count * inputs->count; row++) {
        const size_t quantity = row / inputs->count;
        const int is_same = at(quantities->values[0], quantity) == 0;
        const int is_none = at(quantities->values[1], quantity) == 0;
        if (is_same && row % inputs->count > 0) continue;
        html_begin_row(page->out);
        html_cell(page->out, quantities->names.items[quantity]);
        html_cell(page->out, is_none ? "no value" : is_same ? "does not vary" : inputs->items[row % inputs->count]);
        for (size_t k = 0; k < count; k++)
            html_interval(page->out, at(indices[k].values, row), at(indices[k].lower, row), at(indices[k].upper, row));
        html_end_row(page->out);
    }
    html_end_table(page->out);
}

ClackStatus page_sensitivity(Page *page, ClackReport *report) {
    const RecordReader *reader = page->ensemble->reader;
    Index saltelli[] = {{.name = "first", .heading = "first order"}, {.name = "total", .heading = "total"}};
    Index morris[] = {{.name = "mu_star", .heading = "mean of |effects|"},
                      {.name = "mu", .heading = "mean of effects"},
                      {.name = "sigma", .heading = "their deviation"}};
    static const char *const vectors[] = {"varies", "count"};
    RecordTexts inputs = {0};
    Vectors quantities = {0};
    ClackStatus status = CLACK_OK;
    if (!record_read_has(reader, "sensitivity/input_name")) return CLACK_OK;
    const int is_morris = record_read_has(reader, "sensitivity/mu_star");
    Index *indices = is_morris ? morris : saltelli;
    const size_t count = is_morris ? 3 : 2;
    fprintf(page->out, "<h2>Sensitivity (%s)</h2>\n", is_morris ? "Morris" : "Saltelli");
    TRY_CLEAN(record_read_texts(reader, "sensitivity/input_name", &inputs, report));
    TRY_CLEAN(read_vectors(reader, "sensitivity", "quantity_name", vectors, 2, &quantities, report));
    for (size_t k = 0; k < count; k++)
        TRY_CLEAN(read_index(reader, &indices[k], inputs.count * quantities.names.count, report));
    fputs("<div class=\"figures\">\n", page->out);
    for (size_t q = 0; q < quantities.names.count; q++)
        page_figure(page, "sensitivity", quantities.names.items[q], quantities.names.items[q]);
    fputs("</div>\n", page->out);
    put_indices(page, &inputs, &quantities, indices, count);
cleanup:
    for (size_t k = 0; k < count; k++) {
        free(indices[k].values);
        free(indices[k].lower);
        free(indices[k].upper);
    }
    record_texts_free(&inputs);
    free_vectors(&quantities);
    return status;
}
