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

static int is_drawn(const PlotMissed *missed, const ContactSpan *span) {
    int is_one = 0;
    for (size_t p = 0; p < missed->pair_count; p++)
        is_one |= missed->pairs[2 * p] == span->body_a && missed->pairs[2 * p + 1] == span->body_b;
    return is_one;
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

static void tell(PlotScript *script, const PlotMissed *missed, const char *shortest, const char *every,
                 const char *known) {
    plot_note(script, "Contacts as short as %s fall between recordings: their peaks are higher than what is drawn.%s%s",
              shortest, known[0] != '\0' ? " " : "", known);
    report_warn(script->report,
                "%s: scene %llu: contacts as short as %s were recorded every %s: their peaks are higher than what is "
                "drawn, at most %.4g N.%s%s",
                record_read_path(script->ensemble->reader), (unsigned long long)missed->scene, shortest, every,
                missed->largest_N, known[0] != '\0' ? " " : "", known);
}

ClackStatus plot_missed(PlotScript *script, const PlotMissed *missed, ClackReport *report) {
    const EnsembleColumn *column = NULL;
    ContactSpan *spans = NULL;
    size_t count = 0;
    double shortest_s = INFINITY, mean_N = 0, largest_N = 0;
    char every[TIME_BYTES], shortest[TIME_BYTES], known[400] = "";
    ClackStatus status = CLACK_OK;
    if (!isfinite(missed->every_s)) return CLACK_OK;
    show_time(missed->every_s, every);
    plot_note(script, "Recorded every %s.", every);
    TRY_CLEAN(contacts_spans(script->ensemble, missed->scene, &spans, &count, report));
    for (size_t i = 0; i < count; i++) {
        if (!is_drawn(missed, &spans[i])) continue;
        if (!plot_is_within(script->options, spans[i].begin_s) && !plot_is_within(script->options, spans[i].end_s))
            continue;
        shortest_s = fmin(shortest_s, spans[i].end_s - spans[i].begin_s);
        mean_N = fmax(mean_N, spans[i].mean_N);
    }
    if (shortest_s >= missed->every_s) goto cleanup;
    TRY_CLEAN(find_quantity(script, missed, &column, &largest_N, report));
    if (column != NULL && largest_N > missed->largest_N)
        snprintf(known, sizeof known, "In this scene %.250s is %.4g N.", column->name, largest_N);
    else if (mean_N > missed->largest_N)
        snprintf(known, sizeof known, "One contact has %.4g N in the mean over its time.", mean_N);
    show_time(shortest_s, shortest);
    tell(script, missed, shortest, every, known);
cleanup:
    free(spans);
    return status;
}
