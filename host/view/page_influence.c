// The page's sections on which input matters, and on quantities that are shares.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "influence.h"
#include "page_internal.h"
#include "record.h"
#include "share.h"
#include "statistics.h"
#include "values.h"

#define INPUTS_SHOWN 12u // of a quantity
#define PAIRS_SHOWN 2u   // scatter plots of a quantity
#define SCATTERS_SHOWN 12u
#define LITTLE 0.7 // of the variance: below it a straight line says little

// --- which input matters --------------------------------------------------------------------------

static void put_head(Page *page, const Influence *influence) {
    FILE *out = page->out;
    fputs("<div class=\"wide\"><table><thead><tr><th></th><th>input</th>", out);
    for (int k = 0; k < INFLUENCE_KINDS; k++)
        if (influence->measures[k].is_there) fprintf(out, "<th>%s</th>", influence->measures[k].heading);
    fputs("</tr></thead><tbody>\n", out);
}

// Whether the order of the inputs means something; where R^2 is not told the page says that.
static int is_ranking(const Influence *influence, size_t quantity) {
    const size_t terms = (size_t)fmax(influence->linear_terms[quantity], 0);
    return influence_has_indices(influence, quantity) || influence_is_ranking(influence->linear_r2[quantity]) ||
           !statistics_fit_tells(influence->scenes[quantity], terms);
}

static void put_no_ranking(Page *page, double linear_r2) {
    fprintf(page->out,
            "<p class=\"bad\">Not a ranking: R² of the linear regression is %.3f. Inputs act together, or in ways that "
            "rise and fall; indices tell that: <code>clack run STUDY --set 'design={saltelli: {samples: "
            "256}}'</code>.</p>\n",
            linear_r2);
}

static void put_input(Page *page, const Influence *influence, size_t quantity, size_t place) {
    FILE *out = page->out;
    const size_t input = influence->order[quantity * influence->input_count + place];
    const size_t at = quantity * influence->input_count + input;
    fputs(influence_is_told(influence, quantity, input) ? "<tr>" : "<tr class=\"soft\">", out);
    if (is_ranking(influence, quantity))
        fprintf(out, "<td class=\"n\">%zu</td>", place + 1);
    else
        html_cell(out, "");
    html_cell(out, influence->inputs[input]->name);
    for (int k = 0; k < INFLUENCE_KINDS; k++) {
        const InfluenceMeasure *measure = &influence->measures[k];
        const double value = measure->values[at], lower = measure->lower[at], upper = measure->upper[at];
        if (!measure->is_there) continue;
        if (influence->is_morris && k >= INFLUENCE_FIRST) // in the quantity's unit, of any size
            html_interval(out, value, lower, upper);
        else
            html_interval_short(out, value, lower, upper);
    }
    html_end_row(out);
}

// R^2, or why not: with so many terms any fit is close. Returns whether it is reported.
static int put_r2(FILE *out, double r2, double scenes, double terms) {
    const int has_r2 = statistics_fit_tells(scenes, (size_t)terms);
    if (has_r2)
        fprintf(out, "R² %.3f", r2);
    else
        fprintf(out, "R² not told, of %.0f terms for %.0f scenes", terms, scenes);
    return has_r2;
}

// What the numbers above are worth.
static void put_worth(Page *page, const Influence *influence, size_t quantity) {
    const double linear = influence->linear_r2[quantity], quadratic = influence->quadratic_r2[quantity];
    if (isnan(linear)) return;
    fputs("<p class=\"soft\">Linear regression: ", page->out);
    const int has_r2 = put_r2(page->out, linear, influence->scenes[quantity], influence->linear_terms[quantity]);
    if (!isnan(quadratic)) {
        fputs("; with squares and products: ", page->out);
        put_r2(page->out, quadratic, influence->scenes[quantity], influence->quadratic_terms[quantity]);
    }
    fputs(has_r2 && linear < LITTLE ? ". The coefficients tell a part of it only.</p>\n" : ".</p>\n", page->out);
}

static void put_scatters(Page *page, const Influence *influence, size_t quantity, uint32_t *shown) {
    const char *names[2] = {NULL, influence->quantities[quantity]->name};
    char caption[400];
    fputs("<div class=\"figures\">\n", page->out);
    for (size_t place = 0; place < influence->input_count && place < PAIRS_SHOWN; place++) {
        const size_t input = influence->order[quantity * influence->input_count + place];
        if (!influence_is_told(influence, quantity, input) || *shown == SCATTERS_SHOWN) continue;
        names[0] = influence->inputs[input]->name;
        snprintf(caption, sizeof caption, "%.150s over %.150s", names[1], names[0]);
        page_figure_of(page, "scatter", names, 2, caption);
        (*shown)++;
    }
    fputs("</div>\n", page->out);
}

static void put_quantity(Page *page, const Influence *influence, size_t quantity, uint32_t *shown) {
    const EnsembleColumn *column = influence->quantities[quantity];
    const size_t rows = influence->input_count < INPUTS_SHOWN ? influence->input_count : INPUTS_SHOWN;
    int has_any = 0;
    fputs("<section class=\"quantity\"><h3>", page->out);
    html_text(page->out, column->name);
    fputs("</h3>\n<p class=\"soft\">", page->out);
    html_text(page->out, column->sentence);
    fputs("</p>\n", page->out);
    for (int k = 0; k < INFLUENCE_KINDS; k++)
        for (size_t i = 0; i < influence->input_count; i++)
            has_any |= isfinite(influence->measures[k].values[quantity * influence->input_count + i]);
    if (has_any) {
        if (!is_ranking(influence, quantity)) put_no_ranking(page, influence->linear_r2[quantity]);
        put_head(page, influence);
        for (size_t place = 0; place < rows; place++) put_input(page, influence, quantity, place);
        html_end_table(page->out);
        if (rows < influence->input_count)
            fprintf(page->out, "<p class=\"soft\">The first %zu of %zu inputs.</p>\n", rows, influence->input_count);
        put_worth(page, influence, quantity);
    } else {
        fputs("<p class=\"soft\">It does not vary, or too few scenes have it.</p>\n", page->out);
    }
    fputs("</section>\n", page->out);
    if (has_any) put_scatters(page, influence, quantity, shown);
}

static void put_explanation(Page *page, const Influence *influence) {
    fputs("<p class=\"soft\">The input that matters most comes first, by ", page->out);
    fputs(!influence->measures[INFLUENCE_TOTAL].is_there ? "the larger one of coefficient and rank correlation"
          : influence->is_morris                         ? "the mean of |effects|"
                                                         : "the total index",
          page->out);
    fprintf(page->out,
            "; soft: not told from none. Standardised coefficient: standard deviations of the quantity for one of the "
            "input. Rank correlation: Spearman's, 1 and -1 for whatever only rises or falls. Small numbers: intervals "
            "of confidence, %g %%%s.</p>\n",
            100 * influence->confidence,
            influence->is_independent ? ""
                                      : ", of indices and effects; scenes of this design share values, so that the "
                                        "other two have none");
}

ClackStatus page_influence(Page *page, ClackReport *report) {
    Influence influence = {0};
    uint32_t shown = 0;
    TRY(influence_make(page->ensemble, &influence, report));
    if (influence.input_count > 0 && influence.quantity_count > 0) {
        fputs("<h2>Which input matters</h2>\n", page->out);
        put_explanation(page, &influence);
        for (size_t q = 0; q < influence.quantity_count; q++) put_quantity(page, &influence, q, &shown);
        if (shown == SCATTERS_SHOWN)
            fprintf(page->out,
                    "<p class=\"soft\">The first %u scatter plots; \"clack plot FILE scatter\" draws others.</p>\n",
                    SCATTERS_SHOWN);
    }
    influence_free(&influence);
    return CLACK_OK;
}

// --- shares ---------------------------------------------------------------------------------------

static void put_percent(FILE *out, const ShareBin *bin, int is_independent) {
    if (bin->count > 0 && !is_independent)
        fprintf(out, "<td class=\"n\">%.4g %%</td>", 100 * bin->share);
    else if (bin->count > 0)
        fprintf(out, "<td class=\"n\">%.4g %%<small>%.4g \u2026 %.4g %%</small></td>", 100 * bin->share,
                100 * bin->lower, 100 * bin->upper);
    else
        html_cell(out, "no value");
}

ClackStatus page_shares(Page *page, ClackReport *report) {
    static const char *const headings[] = {"quantity", "meaning", "scenes", "so in", "share", NULL};
    const Ensemble *ensemble = page->ensemble;
    const double confidence = values_confidence(ensemble);
    const int is_independent = values_are_independent(ensemble);
    int has_any = 0;
    for (size_t i = 0; i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        double *values = NULL;
        if (!values_are_shares(ensemble, column)) continue;
        TRY(values_of_ok(ensemble, column, &values, report));
        const ShareBin bin = share_of(values, ensemble->scene_count, confidence);
        free(values);
        if (!has_any++) html_begin_table(page->out, headings);
        html_begin_row(page->out);
        html_cell(page->out, column->name);
        fputs("<td class=\"text\">", page->out);
        html_text(page->out, column->sentence);
        fputs("</td>", page->out);
        html_number(page->out, bin.count);
        html_number(page->out, bin.hits);
        put_percent(page->out, &bin, is_independent);
        html_end_row(page->out);
    }
    if (!has_any) return CLACK_OK;
    html_end_table(page->out);
    if (is_independent)
        fprintf(page->out,
                "<p class=\"soft\">Shares of the scenes that ended ok, with Wilson's intervals of %g %%.</p>\n",
                100 * confidence);
    else
        fprintf(page->out, "<p class=\"soft\">Shares of the scenes that ended ok. %s</p>\n", values_no_intervals);
    return CLACK_OK;
}
