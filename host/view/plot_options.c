// Which kinds of figures take which options, and the interval of time that one of them asks for.
#include <inttypes.h>
#include <string.h>

#include "plot_internal.h"
#include "record.h"

#define KINDS_SHOWN 200
#define LABELLED                                                                                                       \
    "histogram ecdf scatter trajectory path energy force events regions sensitivity fit convergence" // all but scene

typedef struct OptionKinds {
    const char *name, *kinds; // as words with blanks between them
    int is_given;
} OptionKinds;

static int has_word(const char *words, const char *word) {
    const size_t bytes = strlen(word);
    for (const char *at = words; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == bytes && strncmp(at, word, bytes) == 0) return 1;
    return 0;
}

// "a b c" as "a, b, c".
static void list_words(const char *words, char out[KINDS_SHOWN]) {
    size_t used = 0;
    for (const char *at = words; *at != '\0' && used + 2 < KINDS_SHOWN; at++) {
        if (*at == ' ') out[used++] = ',';
        out[used++] = *at;
    }
    out[used] = '\0';
}

ClackStatus plot_check_options(const PlotScript *script, ClackReport *report) {
    const PlotOptions *options = script->options;
    const OptionKinds table[] = {
        {"--scene", "trajectory path scene energy force events regions", options->scene >= 0},
        {"--configuration", "regions", options->configuration >= 0},
        {"--study", "path scene energy", options->study_path != NULL},
        {"--at", "scene", options->time_count > 0},
        {"--view", "scene", options->has_view},
        {"--plane", "path", options->planes != NULL},
        {"--time", "trajectory path energy force events", options->has_interval},
        {"--xlabel", LABELLED, options->x_label != NULL},
        {"--ylabel", LABELLED, options->y_label != NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char kinds[KINDS_SHOWN];
        if (!table[i].is_given || has_word(table[i].kinds, options->kind)) continue;
        list_words(table[i].kinds, kinds);
        return report_add(report, CLACK_USAGE, "%s: the figure \"%s\" does not take it, but %s", table[i].name,
                          options->kind, kinds);
    }
    // Regions are of either file, their options of one of them.
    if (script->evaluation != NULL && options->scene >= 0)
        return report_add(report, CLACK_USAGE,
                          "--scene: of ensembles; poses of \"clack evaluate\" are chosen by "
                          "--configuration");
    if (script->ensemble != NULL && options->configuration >= 0)
        return report_add(report, CLACK_USAGE,
                          "--configuration: of files of \"clack evaluate\"; scenes of ensembles "
                          "are chosen by --scene");
    return CLACK_OK;
}

// --- intervals ------------------------------------------------------------------------------------

ClackStatus plot_crop(const PlotScript *script, EnsembleFrames *frames, ClackReport *report) {
    const PlotOptions *options = script->options;
    uint64_t first = 0, end = frames->frame_count;
    if (!options->has_interval) return CLACK_OK;
    while (first < end && frames->time_s[first] < options->interval_s[0]) first++;
    while (end > first && frames->time_s[end - 1] > options->interval_s[1]) end--;
    if (first == end)
        return report_add(report, CLACK_USAGE,
                          "%s: --time: of scene %" PRIu64 " no state is recorded from %g to %g s, but from %g to %g s",
                          record_read_path(script->ensemble->reader), frames->scene, options->interval_s[0],
                          options->interval_s[1], frames->time_s[0], frames->time_s[frames->frame_count - 1]);
    double *const values[] = {frames->time_s, frames->position_m, frames->orientation, frames->velocity_m_per_s,
                              frames->spin_rad_per_s};
    const size_t widths[] = {1, 3 * frames->body_count, 4 * frames->body_count, 3 * frames->body_count,
                             3 * frames->body_count};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        memmove(values[i], values[i] + (size_t)first * widths[i], (size_t)(end - first) * widths[i] * sizeof(double));
    frames->frame_count = end - first;
    return CLACK_OK;
}
