// The section of scenes that failed, with the command that runs each again.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "page_internal.h"
#include "record.h"
#include "model/scene_types.h"
#include "text.h"

#define FAILURES_MAX 200u

char *page_command(const Page *page, ClackReport *report) {
    const RecordReader *reader = page->ensemble->reader;
    RecordTexts inputs = {0};
    uint64_t seed = 0;
    char *overrides = record_read_attribute(reader, "provenance", "overrides"), *text = NULL, *rest = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out != NULL && overrides != NULL &&
        record_read_texts(reader, "provenance/input_name", &inputs, report) == CLACK_OK) {
        fputs("clack run ", out);
        text_put_word(out, inputs.count > 0 ? inputs.items[0] : "STUDY");
        for (char *line = strtok_r(overrides, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
            fputs(" --set ", out);
            text_put_word(out, line);
        }
        if (record_read_u64(reader, "provenance", "seed", &seed)) fprintf(out, " --seed %" PRIu64, seed);
    }
    record_texts_free(&inputs);
    free(overrides);
    if (out != NULL) fclose(out);
    return text;
}

static int has_failed(double status) { return status != STATUS_OK && status != STATUS_NOT_RUN; }

static void put_failures(Page *page, const double *statuses, const double *times, const char *command) {
    static const char *const headings[] = {"scene", "status", "until", "to run it again", NULL};
    const Ensemble *ensemble = page->ensemble;
    uint32_t shown = 0;
    html_begin_table(page->out, headings);
    for (uint64_t i = 0; i < ensemble->scene_count && shown < FAILURES_MAX; i++) {
        if (!has_failed(statuses[i])) continue;
        const double number = ensemble->first_scene + (double)i;
        fprintf(page->out, "<tr><td class=\"n\">%.0f</td><td>%s</td><td class=\"n\">%.6g s</td><td><code>", number,
                record_status_name((uint32_t)statuses[i]), times[i]);
        html_text(page->out, command);
        fprintf(page->out, " --scene %.0f</code></td></tr>\n", number);
        shown++;
    }
    html_end_table(page->out);
}

ClackStatus page_failures(Page *page, ClackReport *report) {
    const Ensemble *ensemble = page->ensemble;
    const EnsembleColumn status_column = {.path = (char *)"status"}, time_column = {.path = (char *)"status_time"};
    double *statuses = NULL, *times = NULL;
    uint64_t failures = 0;
    ClackStatus status = CLACK_OK;
    char *command = page_command(page, report);
    if (command == NULL) return report_add(report, CLACK_MEMORY, "no memory for a page");
    TRY_CLEAN(ensemble_values(ensemble, &status_column, &statuses, report));
    TRY_CLEAN(ensemble_values(ensemble, &time_column, &times, report));
    for (uint64_t i = 0; i < ensemble->scene_count; i++) failures += has_failed(statuses[i]) ? 1 : 0;
    if (failures == 0) {
        fputs("<p class=\"good\">None. Any scene can be run again by its number: <code>", page->out);
        html_text(page->out, command);
        fputs(" --scene 0</code></p>\n", page->out);
    } else {
        put_failures(page, statuses, times, command);
    }
    if (failures > FAILURES_MAX)
        fprintf(page->out, "<p class=\"soft\">The first %u of %" PRIu64 ".</p>\n", FAILURES_MAX, failures);
cleanup:
    free(statuses);
    free(times);
    free(command);
    return status;
}
