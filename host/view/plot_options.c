// Which kinds of figures take which options.
#include <string.h>

#include "plot_internal.h"
#include "record.h"

#define KINDS_SHOWN 200

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
