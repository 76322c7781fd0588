// Labels of panels: what is drawn along their axes and above them, as long as there is room for it.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "record.h"

#define LABEL_BYTES 600
#define LINES_FULL 2u // of a label that says what a quantity is; with more its name stands alone
#define LINES_MAX 3u
#define LOW 11.0    // height of panels with all that is around them, in sizes of the font
#define BESIDE 0.9  // of the width of a panel with all that is around it
#define LONGER 1.15 // than its axis a label may be

// Room along an axis, in sizes of the font. Below the margin of the panel to the right nothing stands: a label may
// reach there.
static double room_of(const PlotScript *script, PlotPlace place) {
    const int is_last = script->panel % script->columns + 1 == script->columns;
    const double along = place == PLOT_Y_LABEL ? script->inner_height : script->inner_width;
    const double whole = place == PLOT_Y_LABEL ? script->cell_height : script->cell_width;
    const double pixels = place == PLOT_X_LABEL && !is_last ? BESIDE * whole : fmin(LONGER * along, whole);
    return pixels / script->font_px > 4 ? pixels / script->font_px : 4;
}

// "<name> (<unit>)" in so many lines; of the name is left out what the last one does not hold, never of the unit.
// Returns whether all of it is there.
static int put_lines(const char *name, const char *unit, double em, size_t most, char out[PLOT_LINES_BYTES]) {
    char label[2 * LABEL_BYTES], cut[LABEL_BYTES];
    for (int less = 0; less < (double)most * em; less++) { // sizes of the font
        const double room = (double)most * em - less;
        char lines[PLOT_LINES_BYTES];
        const int is_cut = plot_em(name) > room;
        if (is_cut)
            plot_cut(name, room, cut, sizeof cut);
        else
            snprintf(cut, sizeof cut, "%s", name);
        snprintf(label, sizeof label, "%s%s%s%s", cut, unit[0] != '\0' ? " (" : "", unit, unit[0] != '\0' ? ")" : "");
        const size_t used = plot_wrap(label, em, most + 1, lines, sizeof lines);
        if (used > most) continue;
        memcpy(out, lines, sizeof lines);
        return !is_cut;
    }
    plot_wrap(unit, em, 1, out, PLOT_LINES_BYTES);
    return 0;
}

// Low panels have room for one line below them, and above.
static size_t lines_of(const PlotScript *script, PlotPlace place, size_t most) {
    return place != PLOT_Y_LABEL && script->cell_height < LOW * script->font_px ? 1 : most;
}

// What the command line has in place of a label; NULL: nothing.
static const char *asked_for(const PlotScript *script, PlotPlace place) {
    return place == PLOT_X_LABEL ? script->options->x_label : place == PLOT_Y_LABEL ? script->options->y_label : NULL;
}

// The longer one of two names that has room.
static void label(PlotScript *script, PlotPlace place, const char *full, const char *name, const char *unit) {
    char *lines = script->next.labels[place];
    const double em = room_of(script, place);
    const char *asked = asked_for(script, place);
    if (asked != NULL)
        plot_wrap(asked, em, lines_of(script, place, LINES_MAX), lines, PLOT_LINES_BYTES);
    else if (full == NULL || !put_lines(full, record_unit_shown(unit), em, lines_of(script, place, LINES_FULL), lines))
        put_lines(name, record_unit_shown(unit), em, lines_of(script, place, LINES_MAX), lines);
}

void plot_label(PlotScript *script, PlotPlace place, const char *name, const char *unit) {
    label(script, place, NULL, name, unit);
}

void plot_long_label(PlotScript *script, PlotPlace place, const char *full, const char *name, const char *unit) {
    label(script, place, full, name, unit);
}

// The sentence of a quantity, without the full stop that those of clack's own numbers end in. Of a share "1 where
// way > 2, else 0": "way > 2". Returns whether it was one of those.
static int describe(const EnsembleColumn *column, int is_share, char *text, size_t bytes) {
    static const char first[] = "1 where ", last[] = ", else 0";
    const char *sentence = column->sentence;
    size_t length = strlen(sentence);
    if (length > 0 && sentence[length - 1] == '.') length--;
    const size_t ends = sizeof first - 1 + sizeof last - 1;
    const int is_told = is_share && length > ends && strncmp(sentence, first, sizeof first - 1) == 0 &&
                        strncmp(sentence + length - (sizeof last - 1), last, sizeof last - 1) == 0;
    if (is_told) {
        sentence += sizeof first - 1;
        length -= ends;
    }
    snprintf(text, bytes, "%.*s", (int)length, sentence);
    return is_told;
}

void plot_column(PlotScript *script, PlotPlace place, const EnsembleColumn *column) {
    char sentence[LABEL_BYTES], full[LABEL_BYTES];
    describe(column, 0, sentence, sizeof sentence);
    const int is_named = column->role == ENSEMBLE_PARAMETER || sentence[0] == '\0'; // "Sampled value of mu"
    snprintf(full, sizeof full, "%.250s: %.300s", column->name, sentence);
    label(script, place, is_named ? NULL : full, column->name, column->unit);
}

void plot_share(PlotScript *script, PlotPlace place, const EnsembleColumn *column) {
    char sentence[LABEL_BYTES], full[LABEL_BYTES], name[LABEL_BYTES];
    const int is_told = describe(column, 1, sentence, sizeof sentence);
    snprintf(full, sizeof full, "share with %.300s", sentence);
    snprintf(name, sizeof name, "share with %.300s", column->name);
    label(script, place, is_told ? full : NULL, name, "");
}
