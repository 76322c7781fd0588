// Contact forces of a scene over time, by pair of bodies.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contacts.h"
#include "plot_internal.h"

#define PAIRS_MOST 12u      // that are drawn, those that met first
#define LINE_TYPES 4u       // of plot_begin
#define GAP_SHARE 1.5       // of the time between recordings: in longer ones nothing was in contact
#define ROUNDING 1e-9       // of times, relative to the last
#define RECORDINGS_MOST 1e7 // of a scene
#define ROWS_TELLING 10u    // contacts, from whose times the time between recordings is told
#define KEY_ROWS 4u         // of the key, which is above the panel
#define FIGURE_PIXELS 300.0
#define ROW_PIXELS 20.0

typedef struct ForcePair {
    double body_a, body_b;
} ForcePair;

typedef struct ForceRows {
    ContactRows contacts;
    int is_known;                   // every_s
    double every_s, end_s;          // time between two recordings; INFINITY: not known. How far the scene went
    size_t bodies[PLOT_PANELS_MAX]; // that are named
    ForcePair pairs[PAIRS_MOST];
    size_t pair_count, pairs_left_out;
    double largest_N[2]; // normal and tangential force that are drawn
} ForceRows;

static int has_pair(const ForceRows *rows, size_t row, const ForcePair *pair) {
    return rows->contacts.body_a[row] == pair->body_a && rows->contacts.body_b[row] == pair->body_b;
}

static void add_pair(ForceRows *rows, size_t row) {
    for (size_t p = 0; p < rows->pair_count; p++)
        if (has_pair(rows, row, &rows->pairs[p])) return;
    if (rows->pair_count < PAIRS_MOST)
        rows->pairs[rows->pair_count++] = (ForcePair){rows->contacts.body_a[row], rows->contacts.body_b[row]};
    else
        rows->pairs_left_out++;
}

static ClackStatus read_end(const Ensemble *ensemble, ForceRows *rows, ClackReport *report) {
    const EnsembleColumn *column = NULL;
    double *ends = NULL;
    const double row = (double)rows->contacts.scene - ensemble->first_scene;
    TRY(ensemble_find(ensemble, "status_time", ENSEMBLE_FIELD, &column, report));
    TRY(ensemble_values(ensemble, column, &ends, report));
    rows->end_s = row >= 0 && row < (double)ensemble->scene_count ? ends[(size_t)row] : (double)NAN;
    free(ends);
    return CLACK_OK;
}

// The time between two recordings: all of them are multiples of it, from 0 on. The greatest common divisor of those at
// which there was a contact is a multiple of it, too, at which there is no other row.
static void find_every(ForceRows *rows) {
    const ContactRows *contacts = &rows->contacts;
    const double last_s = contacts->time_s[contacts->count - 1];
    double least_s = INFINITY, divisor_s = last_s;
    for (size_t row = 1; row < contacts->count; row++) {
        const double since_s = contacts->time_s[row] - contacts->time_s[row - 1];
        if (since_s > 0) least_s = fmin(least_s, since_s);
    }
    for (size_t row = 0; row < contacts->count && divisor_s > 0; row++) {
        double a_s = contacts->time_s[row], b_s = divisor_s;
        while (b_s > ROUNDING * last_s) { // Euclid's algorithm, of numbers that are rounded
            const double rest_s = fabs(a_s - b_s * nearbyint(a_s / b_s));
            a_s = b_s;
            b_s = rest_s;
        }
        divisor_s = a_s;
    }
    const int is_odd = divisor_s < last_s / RECORDINGS_MOST; // times that are no multiples of anything
    rows->every_s = divisor_s > 0 && !is_odd ? divisor_s : least_s;
}

// As the study has it, where it can be read; else from the rows, if they are many enough to tell.
static void read_every(const Ensemble *ensemble, ForceRows *rows) {
    Study *study = NULL;
    ClackReport none = {0};
    rows->is_known = ensemble_study(ensemble, NULL, &study, &none) == CLACK_OK && study->contacts_every_s > 0;
    if (rows->is_known)
        rows->every_s = study->contacts_every_s;
    else if (rows->contacts.count > 0)
        find_every(rows);
    rows->is_known |= rows->contacts.count >= ROWS_TELLING;
    study_free(study);
    clack_report_clear(&none);
}

static PlotMissed missed_of(const ForceRows *rows, size_t body_count) {
    return (PlotMissed){.scene = rows->contacts.scene,
                        .every_s = rows->is_known ? rows->every_s : INFINITY,
                        .largest_N = rows->largest_N[0],
                        .bodies = rows->bodies,
                        .body_count = body_count};
}

// The error that no row is one to draw has been added; whether there were contacts all the same.
static ClackStatus refuse(PlotScript *script, const ForceRows *rows, ClackReport *report) {
    const PlotMissed missed = missed_of(rows, script->options->name_count);
    TRY(plot_all_missed(script, &missed, report));
    return CLACK_USAGE;
}

static ClackStatus read_rows(PlotScript *script, ForceRows *rows, ClackReport *report) {
    const PlotOptions *options = script->options;
    const char *path = record_read_path(script->ensemble->reader);
    const size_t count = options->name_count;
    if (count > PLOT_PANELS_MAX)
        return report_add(report, CLACK_USAGE, "a figure of at most %u bodies, found %zu", PLOT_PANELS_MAX, count);
    for (size_t i = 0; i < count; i++)
        TRY(ensemble_find_body(script->ensemble, options->names[i], &rows->bodies[i], report));
    const ClackStatus status = contacts_read(script->ensemble, options->scene, &rows->contacts, report);
    if (status == CLACK_OK || (status == CLACK_USAGE && contacts_are_there(script->ensemble)))
        read_every(script->ensemble, rows);
    if (status == CLACK_USAGE && contacts_are_there(script->ensemble)) {
        rows->contacts.scene = options->scene >= 0 ? (uint64_t)options->scene : (uint64_t)script->ensemble->first_scene;
        return refuse(script, rows, report);
    }
    if (status != CLACK_OK) return status;
    const ContactRows *contacts = &rows->contacts;
    for (size_t row = 0; row < contacts->count; row++)
        if (plot_is_between(contacts->body_a[row], contacts->body_b[row], rows->bodies, count) &&
            plot_is_within(options, contacts->time_s[row]))
            add_pair(rows, row);
    if (rows->pair_count > 0) return read_end(script->ensemble, rows, report);
    report_add(report, CLACK_USAGE, "%s: scene %" PRIu64 " has no contact of %s when they were recorded%s", path,
               contacts->scene, count == 1 ? "this body" : "these bodies",
               options->has_interval ? " in the interval of --time" : "");
    return refuse(script, rows, report);
}

// Nothing in contact from one time to another: no row tells that the forces are 0.
static void put_nothing(PlotScript *script, double from_s, double to_s) {
    fprintf(script->out, "%.17g 0 0\n%.17g 0 0\n", from_s, to_s);
}

typedef struct ForceSum { // of a pair at one time
    double time_s, normal_N, tangential_N;
} ForceSum;

// Normal force (sum over the contacts of the pair), tangential force (magnitude of their sum) at the time of a row; the
// first row of the next time.
static size_t add_up(const ForceRows *rows, size_t row, const ForcePair *pair, ForceSum *out) {
    const ContactRows *contacts = &rows->contacts;
    double tangential_N[3] = {0, 0, 0};
    size_t end = row;
    *out = (ForceSum){.time_s = contacts->time_s[row]};
    for (; end < contacts->count && contacts->time_s[end] == out->time_s; end++) {
        if (!has_pair(rows, end, pair)) continue;
        out->normal_N += contacts->normal_N[end];
        for (size_t k = 0; k < 3; k++) tangential_N[k] += contacts->tangential_N[3 * end + k];
    }
    out->tangential_N =
        sqrt(tangential_N[0] * tangential_N[0] + tangential_N[1] * tangential_N[1] + tangential_N[2] * tangential_N[2]);
    return end;
}

static void find_largest(const PlotOptions *options, ForceRows *rows) {
    for (size_t p = 0; p < rows->pair_count; p++) {
        for (size_t row = 0; row < rows->contacts.count;) {
            ForceSum sum;
            row = add_up(rows, row, &rows->pairs[p], &sum);
            if (!plot_is_within(options, sum.time_s)) continue;
            rows->largest_N[0] = fmax(rows->largest_N[0], sum.normal_N);
            rows->largest_N[1] = fmax(rows->largest_N[1], sum.tangential_N);
        }
    }
}

// Lines of time and forces.
static void put_pair(PlotScript *script, const ForceRows *rows, const ForcePair *pair) {
    const ContactRows *contacts = &rows->contacts;
    const double every_s = rows->every_s;
    plot_begin_block(script);
    if (contacts->time_s[0] > GAP_SHARE * every_s) put_nothing(script, 0, contacts->time_s[0] - every_s);
    for (size_t row = 0; row < contacts->count;) {
        ForceSum sum;
        row = add_up(rows, row, pair, &sum);
        fprintf(script->out, "%.17g %.17g %.17g\n", sum.time_s, sum.normal_N, sum.tangential_N);
        const double next_s = row < contacts->count ? contacts->time_s[row] : rows->end_s + every_s;
        if (next_s - sum.time_s > GAP_SHARE * every_s) put_nothing(script, sum.time_s + every_s, next_s - every_s);
    }
    plot_end_block(script);
}

static const char *body_name(const Ensemble *ensemble, double body) {
    return body >= 0 && body < (double)ensemble->bodies.count ? ensemble->bodies.items[(size_t)body] : "?";
}

static void put_panel(PlotScript *script, const ForceRows *rows, uint32_t first, int column) {
    static const double widths[(PAIRS_MOST + LINE_TYPES - 1) / LINE_TYPES] = {1.6, 3, 0.8};
    const double most = rows->largest_N[column - 2];
    plot_time_axis(script, 0, isfinite(rows->end_s) ? rows->end_s : rows->contacts.time_s[rows->contacts.count - 1]);
    plot_axis(script, 'y', 0, most > 0 ? 1.05 * most : 1);
    plot_label(script, PLOT_Y_LABEL, column == 2 ? "normal force" : "tangential force", "N");
    plot_place(script);
    fputs("plot", script->out);
    for (size_t p = 0; p < rows->pair_count; p++) {
        char title[400];
        snprintf(title, sizeof title, "%.150s - %.150s", body_name(script->ensemble, rows->pairs[p].body_a),
                 body_name(script->ensemble, rows->pairs[p].body_b));
        fprintf(script->out, "%s $d%u using 1:%d with %s lt %zu lw %g", p > 0 ? "," : "", first + (uint32_t)p, column,
                isfinite(rows->every_s) ? "lines" : "points", p % LINE_TYPES + 1, widths[p / LINE_TYPES]);
        plot_entry(script, title);
    }
    fputc('\n', script->out);
}

static void add_title(PlotScript *script, const ForceRows *rows) {
    const size_t used = strlen(script->title);
    snprintf(script->title + used, sizeof script->title - used, ", scene %" PRIu64, rows->contacts.scene);
    if (rows->pairs_left_out > 0) plot_note(script, "The first %u pairs of bodies; names choose.", PAIRS_MOST);
}

ClackStatus plot_force(PlotScript *script, ClackReport *report) {
    ForceRows rows = {0};
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(read_rows(script, &rows, report));
    add_title(script, &rows);
    if (rows.pair_count > KEY_ROWS) script->panel_height = FIGURE_PIXELS + ROW_PIXELS * (double)rows.pair_count / 2;
    find_largest(script->options, &rows);
    const PlotMissed missed = missed_of(&rows, script->options->name_count);
    TRY_CLEAN(plot_missed(script, &missed, report));
    plot_begin(script, 2, 0);
    const uint32_t first = script->blocks;
    for (size_t p = 0; p < rows.pair_count; p++) put_pair(script, &rows, &rows.pairs[p]);
    for (int column = 2; column <= 3; column++) put_panel(script, &rows, first, column);
cleanup:
    contacts_free(&rows.contacts);
    return status;
}
