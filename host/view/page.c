// An ensemble as one page: what was run, on what, what came out, what failed.
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "page_internal.h"
#include "plot.h"
#include "record.h"
#include "text.h"
#include "values.h"
#include "model/scene_types.h"

#define BODIES_SHOWN 4u // trajectories of the first so many bodies that move
#define FIGURES_SHOWN 36u

void page_figure(Page *page, const char *kind, const char *name, const char *caption) {
    page_figure_of(page, kind, &name, name != NULL ? 1 : 0, caption);
}

void page_figure_of(Page *page, const char *kind, const char *const *names, size_t count, const char *caption) {
    const PlotOptions options = {
        .kind = kind, .names = names, .name_count = count, .scene = -1, .configuration = -1, .is_inline = 1};
    char *svg = NULL;
    size_t bytes = 0;
    if (page->figures->count > 0) return; // one line says why
    if (plot_make(page->ensemble, &options, &svg, &bytes, page->figures) == CLACK_OK)
        html_figure(page->out, svg, caption, page->figure_count++);
    free(svg);
}

// --- head -----------------------------------------------------------------------------------------

static void put_counts(FILE *out, const RecordSummary *summary) {
    const uint64_t ok = summary->by_status[0], not_run = summary->by_status[1];
    const uint64_t failed = summary->scene_count - ok - not_run;
    fprintf(out, "<p>%" PRIu64 " %s (%.0f to %.0f), %s: <span class=\"good\">%" PRIu64 " ok</span>",
            summary->scene_count, text_plural(summary->scene_count, "scene", "scenes"), summary->scene_first,
            summary->scene_last, summary->is_complete ? "complete" : "not complete", ok);
    if (failed > 0) fprintf(out, ", <span class=\"bad\">%" PRIu64 " failed</span>", failed);
    if (not_run > 0) fprintf(out, ", %" PRIu64 " not run", not_run);
    fputs("</p>\n", out);
}

static void put_codes(FILE *out, const RecordSummary *summary) {
    char text[2048] = "";
    for (uint32_t i = 0; i < 256; i++) {
        const size_t used = strlen(text);
        if (summary->by_status[i] == 0) continue;
        snprintf(text + used, sizeof text - used, "%s%s %" PRIu64, used > 0 ? ", " : "", record_status_name(i),
                 summary->by_status[i]);
    }
    html_fact(out, "status", text);
    record_print_flags(summary, text, sizeof text);
    html_fact(out, "flags", text);
    for (uint32_t i = STATUS_OK + 1; i < 256; i++)
        if (summary->by_status[i] > 0) html_fact(out, record_status_name(i), record_status_sentence(i));
    for (uint32_t bit = 0; bit < 32; bit++)
        if (summary->by_flag[bit] > 0 && 1u << bit != FLAG_FROZEN)
            html_fact(out, record_flag_name(1u << bit), record_flag_sentence(1u << bit));
}

static void put_facts(Page *page, const RecordSummary *summary) {
    static const char *const more[] = {"version", "git_commit", "overrides", "stop"};
    FILE *out = page->out;
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, summary->seed);
    html_begin_table(out, NULL);
    put_codes(out, summary);
    for (size_t i = 0; i < RECORD_FACTS; i++) html_fact(out, summary->facts[i].name, summary->facts[i].value);
    if (summary->has_seed) html_fact(out, "seed", seed);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char *text = record_read_attribute(page->ensemble->reader, "provenance", more[i]);
        html_fact(out, more[i], text);
        free(text);
    }
    html_end_table(out);
}

// --- figures --------------------------------------------------------------------------------------

static void put_histograms(Page *page) {
    uint32_t shown = 0, all = 0;
    fputs("<div class=\"figures\">\n", page->out);
    for (size_t i = 0; i < page->ensemble->column_count; i++) {
        const EnsembleColumn *column = &page->ensemble->columns[i];
        if (column->role != ENSEMBLE_QUANTITY || values_are_shares(page->ensemble, column)) continue;
        if (all++ >= FIGURES_SHOWN) continue;
        page_figure(page, "histogram", column->name, column->sentence[0] != '\0' ? column->sentence : column->name);
        shown++;
    }
    fputs("</div>\n", page->out);
    if (all > shown)
        fprintf(page->out, "<p class=\"soft\">Figures of the first %u of %u quantities.</p>\n", shown, all);
}

// Means and shares over the number of scenes, of files whose statistics have intervals.
static void put_convergence(Page *page) {
    uint32_t shown = 0;
    if (!record_read_has(page->ensemble->reader, "statistics/convergence_mean") || page->figures->count > 0) return;
    fputs("<details><summary>Means and shares over the number of scenes</summary>\n<div class=\"figures\">\n",
          page->out);
    for (size_t i = 0; i < page->ensemble->column_count && shown < FIGURES_SHOWN; i++) {
        const EnsembleColumn *column = &page->ensemble->columns[i];
        char caption[300];
        if (column->role != ENSEMBLE_QUANTITY) continue;
        snprintf(caption, sizeof caption, "%.250s of the first so many scenes", column->name);
        page_figure(page, "convergence", column->name, caption);
        shown++;
    }
    fputs("</div></details>\n", page->out);
}

// Of the first scene that was recorded.
static void put_scene(Page *page) {
    ClackReport none = {0};
    EnsembleFrames frames = {0};
    if (ensemble_frames(page->ensemble, -1, &frames, &none) == CLACK_OK) {
        uint32_t shown = 0;
        fprintf(page->out, "<h2>Scene %" PRIu64 "</h2>\n<div class=\"figures\">\n", frames.scene);
        for (size_t b = 0; b < frames.body_count && shown < BODIES_SHOWN; b++) {
            const double *first = frames.position_m + 3 * b,
                         *last = first + 3 * frames.body_count * (frames.frame_count - 1);
            if (!isfinite(first[0]) || memcmp(first, last, 3 * sizeof *first) == 0)
                continue; // not there, or does not move
            page_figure(page, "trajectory", page->ensemble->bodies.items[b], page->ensemble->bodies.items[b]);
            shown++;
        }
        fputs("</div>\n", page->out);
    }
    ensemble_frames_free(&frames);
    clack_report_clear(&none);
}

// --- the study ------------------------------------------------------------------------------------

static ClackStatus put_study(Page *page, ClackReport *report) {
    const RecordReader *reader = page->ensemble->reader;
    static const char *const headings[] = {"file", "SHA-256", NULL};
    RecordTexts names = {0}, sums = {0};
    RecordAxes axes = {0};
    double *bytes = NULL;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(record_read_all(reader, "provenance/study_text", &axes, &bytes, report));
    char *text = calloc((size_t)axes.dims[0] + 1, 1);
    for (uint64_t i = 0; text != NULL && i < axes.dims[0]; i++) text[i] = (char)(unsigned char)bytes[i];
    fputs("<details><summary>The study as it was read</summary><pre>", page->out);
    if (text != NULL) html_text(page->out, text);
    fputs("</pre></details>\n", page->out);
    free(text);
    TRY_CLEAN(record_read_texts(reader, "provenance/input_name", &names, report));
    TRY_CLEAN(record_read_texts(reader, "provenance/input_sha256", &sums, report));
    html_begin_table(page->out, headings);
    for (size_t i = 0; i < names.count && i < sums.count; i++) {
        html_begin_row(page->out);
        html_cell(page->out, names.items[i]);
        fputs("<td><code>", page->out);
        html_text(page->out, sums.items[i]);
        fputs("</code></td>", page->out);
        html_end_row(page->out);
    }
    html_end_table(page->out);
cleanup:
    record_texts_free(&names);
    record_texts_free(&sums);
    free(bytes);
    return status;
}

// --- the page -------------------------------------------------------------------------------------

static ClackStatus put_sections(Page *page, const RecordSummary *summary, ClackReport *report) {
    FILE *out = page->out;
    fputs("<h1>", out);
    html_text(out, summary->title);
    fputs("</h1>\n", out);
    put_counts(out, summary);
    TRY(page_fit(page, report));
    put_facts(page, summary);
    fputs("<h2>Quantities</h2>\n", out);
    put_histograms(page);
    TRY(page_shares(page, report));
    TRY(page_statistics(page, ENSEMBLE_QUANTITY, report));
    put_convergence(page);
    TRY(page_influence(page, report));
    fputs("<h2>Parameters</h2>\n", out);
    TRY(page_statistics(page, ENSEMBLE_PARAMETER, report));
    TRY(page_sensitivity(page, report));
    put_scene(page);
    fputs("<h2>Failed scenes</h2>\n", out);
    TRY(page_failures(page, report));
    fputs("<h2>Study</h2>\n", out);
    TRY(put_study(page, report));
    if (page->figures->count > 0) {
        fputs("<p class=\"bad\">Figures are missing: ", out);
        html_text(out, page->figures->lines[0]);
        fputs("</p>\n", out);
    }
    fprintf(out, "<p class=\"soft\">Made by clack " CLACK_VERSION " from ");
    html_text(out, record_read_path(page->ensemble->reader));
    fputs(", written by ", out);
    html_text(out, summary->source);
    fputs(".</p>\n", out);
    return CLACK_OK;
}

ClackStatus page_write(const Ensemble *ensemble, FILE *out, ClackReport *out_figures, ClackReport *report) {
    Page page = {.ensemble = ensemble, .out = out, .figures = out_figures};
    RecordSummary summary = {0};
    TRY(record_summary(record_read_path(ensemble->reader), &summary, report));
    html_begin(out, summary.title);
    const ClackStatus status = put_sections(&page, &summary, report);
    html_end(out);
    record_summary_free(&summary);
    return status;
}
