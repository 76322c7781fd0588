// What a figure of forces does not show: peaks between the times at which contacts were recorded.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contacts.h"
#include "plot_internal.h"
#include "record.h"

#define TIME_BYTES 40
#define MILLISECONDS_BELOW 0.1 // s

static void show_time(double time_s, char text[TIME_BYTES]) {
    if (time_s < MILLISECONDS_BELOW)
        snprintf(text, TIME_BYTES, "%.3g ms", 1e3 * time_s);
    else
        snprintf(text, TIME_BYTES, "%.3g s", time_s);
}

int plot_is_between(double body_a, double body_b, const size_t *bodies, size_t count) {
    int has_a = 0, has_b = 0;
    for (size_t i = 0; i < count; i++) {
        has_a |= body_a == (double)bodies[i];
        has_b |= body_b == (double)bodies[i];
    }
    return count == 0 || (count == 1 ? has_a || has_b : has_a && has_b);
}

static int is_within(const PlotOptions *options, const ContactSpan *span) {
    return !options->has_interval || (span->end_s >= options->interval_s[0] && span->begin_s <= options->interval_s[1]);
}

// The largest force that quantities of this scene have, of one body by another if they have one, "largest net_force.z
// on can by table"; 0: they have none.
static ClackStatus find_quantity(const PlotScript *script, const PlotMissed *missed, const EnsembleColumn **out_column,
                                 double *out_force_N, ClackReport *report) {
    const Ensemble *ensemble = script->ensemble;
    const double row = (double)missed->scene - ensemble->first_scene;
    int has_pair = 0;
    *out_force_N = 0;
    for (size_t i = 0; i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        double *values = NULL;
        if (column->role != ENSEMBLE_QUANTITY || strcmp(column->unit, "N") != 0 ||
            strncmp(column->sentence, "largest ", 8) != 0 || strstr(column->sentence, "force") == NULL)
            continue;
        TRY(ensemble_values(ensemble, column, &values, report));
        const double force_N = row >= 0 && row < (double)ensemble->scene_count ? values[(size_t)row] : (double)NAN;
        free(values);
        const int is_pair = strstr(column->sentence, " by ") != NULL;
        if (!(force_N > 0) || is_pair < has_pair || (is_pair == has_pair && force_N <= *out_force_N)) continue;
        has_pair = is_pair;
        *out_force_N = force_N;
        *out_column = column;
    }
    return CLACK_OK;
}

typedef struct Between { // contacts between recordings
    size_t count;
    char shortest[TIME_BYTES], every[TIME_BYTES], known[400]; // known: a sentence about their forces, or none
} Between;

// Of pairs that have no row, too: an impact is often over before the next recording.
static ClackStatus find_between(const PlotScript *script, const PlotMissed *missed, Between *out, ClackReport *report) {
    const EnsembleColumn *column = NULL;
    ContactSpan *spans = NULL;
    size_t count = 0;
    double shortest_s = INFINITY, mean_N = 0, largest_N = 0;
    ClackStatus status = CLACK_OK;
    *out = (Between){0};
    show_time(missed->every_s, out->every);
    TRY_CLEAN(contacts_spans(script->ensemble, missed->scene, &spans, &count, report));
    for (size_t i = 0; i < count; i++) {
        if (!plot_is_between(spans[i].body_a, spans[i].body_b, missed->bodies, missed->body_count)) continue;
        if (!is_within(script->options, &spans[i])) continue;
        const double length_s = spans[i].end_s - spans[i].begin_s;
        out->count += length_s < missed->every_s ? 1 : 0;
        shortest_s = fmin(shortest_s, length_s);
        mean_N = fmax(mean_N, spans[i].mean_N);
    }
    if (out->count == 0) goto cleanup;
    show_time(shortest_s, out->shortest);
    TRY_CLEAN(find_quantity(script, missed, &column, &largest_N, report));
    if (column != NULL && largest_N > missed->largest_N)
        snprintf(out->known, sizeof out->known, " In this scene %.250s is %.4g N.", column->name, largest_N);
    else if (mean_N > missed->largest_N)
        snprintf(out->known, sizeof out->known, " One contact has %.4g N in the mean over its time.", mean_N);
cleanup:
    free(spans);
    return status;
}

ClackStatus plot_missed(PlotScript *script, const PlotMissed *missed, ClackReport *report) {
    Between between;
    if (!isfinite(missed->every_s)) return CLACK_OK;
    TRY(find_between(script, missed, &between, report));
    plot_note(script, "Recorded every %s.", between.every);
    if (between.count == 0) return CLACK_OK;
    plot_note(script, "Contacts as short as %s fall between recordings: their peaks are higher than what is drawn.%s",
              between.shortest, between.known);
    report_warn(script->report,
                "%s: scene %llu: contacts as short as %s were recorded every %s: their peaks are higher than what is "
                "drawn, at most %.4g N.%s",
                record_read_path(script->ensemble->reader), (unsigned long long)missed->scene, between.shortest,
                between.every, missed->largest_N, between.known);
    return CLACK_OK;
}

ClackStatus plot_all_missed(PlotScript *script, const PlotMissed *missed, ClackReport *report) {
    Between between;
    TRY(find_between(script, missed, &between, report));
    if (between.count == 0) return CLACK_OK;
    const int is_known = isfinite(missed->every_s);
    report_add(report, CLACK_USAGE,
               "%s: scene %llu: %zu %s between recordings%s%s, as short as %s: a shorter \"outputs.contacts.every\" "
               "shows them.%s",
               record_read_path(script->ensemble->reader), (unsigned long long)missed->scene, between.count,
               between.count == 1 ? "contact was" : "contacts were", is_known ? ", every " : "",
               is_known ? between.every : "", between.shortest, between.known);
    return CLACK_OK;
}
