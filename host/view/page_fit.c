// The page's section on shares against measured ones: the figure, every combination, the levels of the best one.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "page_internal.h"
#include "record.h"
#include "fit.h"

#define ROWS_MAX 200u // combinations shown

static double at(const ResultTable *table, uint32_t field, size_t i) {
    return table->fields[field] != NULL ? table->fields[field][i] : (double)NAN;
}

static void put_number(FILE *out, const char *format, double value) {
    fputs("<td class=\"n\">", out);
    if (isfinite(value)) fprintf(out, format, value);
    fputs("</td>", out);
}

static void put_combinations(FILE *out, const ResultTable *table, size_t first, size_t end) {
    const size_t by = table->lengths[FIT_BY];
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    for (size_t k = 0; k < by; k++) {
        fputs("<th>", out);
        html_text(out, table->names[FIT_BY][k]);
        fputs("</th>", out);
    }
    fprintf(
        out,
        "<th>χ²</th><th>degrees of freedom</th><th>P</th><th>scenes</th><th>region of %g %%</th></tr></thead><tbody>\n",
        100 * table->numbers[FIT_CONFIDENCE]);
    for (size_t i = first; i < end && i < first + ROWS_MAX; i++) {
        html_begin_row(out);
        for (size_t k = 0; k < by; k++) put_number(out, "%.6g", at(table, FIT_by_value, i * by + k));
        put_number(out, "%.4g", at(table, FIT_chi_squared, i));
        put_number(out, "%.0f", at(table, FIT_dof, i));
        put_number(out, "%.2g", at(table, FIT_p, i));
        put_number(out, "%.0f", at(table, FIT_scenes, i));
        html_cell(out, at(table, FIT_is_best, i) > 0 ? "best" : at(table, FIT_is_within, i) > 0 ? "within" : "");
        html_end_row(out);
    }
    html_end_table(out);
    if (end - first > ROWS_MAX)
        fprintf(out, "<p class=\"soft\">The first %u of %zu combinations.</p>\n", ROWS_MAX, end - first);
}

static void put_levels(FILE *out, const ResultTable *table, size_t fit) {
    size_t first = 0;
    while (first < table->lengths[FIT_CELL] && at(table, FIT_fit, first) != (double)fit) first++;
    if (first == table->lengths[FIT_CELL]) return;
    fputs("<div class=\"wide\"><table><thead><tr><th>", out);
    html_text(out, table->names[FIT_CELL][first]);
    fputs("</th><th>share</th><th>scenes</th><th>measured</th><th>trials</th><th>difference / "
          "sd</th></tr></thead><tbody>\n",
          out);
    for (size_t i = first; i < table->lengths[FIT_CELL] && at(table, FIT_fit, i) == (double)fit; i++) {
        html_begin_row(out);
        put_number(out, "%.6g", at(table, FIT_level, i));
        html_interval(out, at(table, FIT_share, i), at(table, FIT_share_lower, i), at(table, FIT_share_upper, i));
        put_number(out, "%.0f", at(table, FIT_count, i));
        html_interval(out, at(table, FIT_measured, i), at(table, FIT_measured_lower, i),
                      at(table, FIT_measured_upper, i));
        put_number(out, "%.0f", at(table, FIT_measured_count, i));
        put_number(out, "%+.1f", at(table, FIT_residual, i));
        html_end_row(out);
    }
    html_end_table(out);
}

static void put_quantity(Page *page, const ResultTable *table, size_t first, size_t end) {
    const char *name = table->names[FIT_FIT][first];
    fputs("<div class=\"figures\">\n", page->out);
    page_figure(page, "fit", name, name);
    fputs("</div>\n", page->out);
    for (size_t i = first; i < end; i++)
        if (at(table, FIT_is_best, i) > 0) put_levels(page->out, table, i);
    if (table->lengths[FIT_BY] > 0) put_combinations(page->out, table, first, end);
}

ClackStatus page_fit(Page *page, ClackReport *report) {
    EnsembleStatistics found = {0};
    if (!record_read_has(page->ensemble->reader, "fit/quantity_name")) return CLACK_OK;
    TRY(record_statistics(record_read_path(page->ensemble->reader), NULL, &found, report));
    fputs("<h2>Shares against measured ones</h2>\n", page->out);
    for (size_t first = 0, end; first < found.fit.lengths[FIT_FIT]; first = end) {
        for (end = first + 1; end < found.fit.lengths[FIT_FIT] &&
                              strcmp(found.fit.names[FIT_FIT][end], found.fit.names[FIT_FIT][first]) == 0;)
            end++;
        put_quantity(page, &found.fit, first, end);
    }
    fprintf(
        page->out,
        "<p class=\"soft\">χ²: sum of the squared differences over the variance of a difference of two equal shares, "
        "both drawn. Within the region of confidence: χ² above the least by no more than its quantile. Bars and small "
        "numbers: "
        "Wilson's intervals of %g %%.</p>\n",
        100 * found.fit.numbers[FIT_CONFIDENCE]);
    record_statistics_free(&found);
    return CLACK_OK;
}
