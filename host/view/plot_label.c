// Texts of figures: labels of what is drawn, cut into lines that fit, and names of categories.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "record.h"
#include "text.h"

#define LABEL_BYTES 600
#define LINES_MAX 3
#define CHARACTER_SHARE 0.55 // of the font's size: how wide a character is

// In single quotes only they mean something; backquotes would start programs in double quotes.
static void put_quoted(PlotScript *script, const char *text, size_t bytes) {
    fputc('\'', script->out);
    for (const char *at = text; *at != '\0' && at < text + bytes;) {
        char step[TEXT_SHOWN_MAX];
        size_t shown;
        if (*at == '\'') fputc('\'', script->out);
        at += text_step(at, step, &shown);
        fwrite(step, 1, shown, script->out);
    }
    fputc('\'', script->out);
}

void plot_quote(PlotScript *script, const char *text) { put_quoted(script, text, strlen(text)); }

// Bytes of the first `characters` of a text that is shown; all of it where it has fewer.
static size_t bytes_of(const char *text, size_t characters) {
    size_t bytes = 0;
    while (text[bytes] != '\0' && characters > 0) {
        bytes++;
        while (((unsigned char)text[bytes] & 0xc0u) == 0x80u) bytes++;
        characters--;
    }
    return bytes;
}

void plot_short(PlotScript *script, const char *name, size_t characters) {
    char shown[LABEL_BYTES], text[LABEL_BYTES + 8];
    text_show(name, shown, sizeof shown);
    const size_t all = strlen(shown), kept = bytes_of(shown, characters);
    if (kept < all)
        snprintf(text, sizeof text, "%.*s…", (int)bytes_of(shown, characters - 1), shown);
    else
        snprintf(text, sizeof text, "%s", shown);
    plot_quote(script, text);
}

// Where a line of so many characters ends: at a blank, where the second half of it has one.
static size_t line_bytes(const char *text, size_t characters) {
    const size_t most = bytes_of(text, characters);
    if (text[most] == '\0') return most;
    for (size_t at = most; at > most / 2; at--)
        if (text[at] == ' ') return at;
    return most;
}

// How many lines of so many characters a text takes.
static int count_lines(const char *text, size_t characters) {
    int lines = 0;
    for (const char *at = text; lines == 0 || *at != '\0'; lines++) {
        at += line_bytes(at, characters);
        while (*at == ' ') at++;
    }
    return lines;
}

// Lines of at most so many characters; what the last one does not hold is left out, as "…" says.
static void put_lines(PlotScript *script, const char *text, size_t characters) {
    char shown[2 * LABEL_BYTES];
    const char *at = text_show(text, shown, sizeof shown);
    for (int line = 0; line == 0 || *at != '\0'; line++) {
        const size_t bytes = line_bytes(at, characters);
        const int is_cut = line + 1 == LINES_MAX && at[bytes] != '\0';
        if (line > 0) fputs(".\"\\n\".", script->out);
        if (is_cut) {
            plot_short(script, at, characters);
            return;
        }
        put_quoted(script, at, bytes);
        at += bytes;
        while (*at == ' ') at++;
    }
}

size_t plot_characters(const PlotScript *script, const char *what) {
    // An x label stands at the middle of its axis, right of the panel's: from there to the edge it has half of this.
    const double pixels = strcmp(what, "ylabel") == 0 ? 0.8 * script->panel_height : 0.8 * script->panel_width;
    const double characters = pixels / (CHARACTER_SHARE * script->font_px);
    return characters > 12 ? (size_t)characters : 12;
}

void plot_label(PlotScript *script, const char *what, const char *name, const char *unit) {
    char text[LABEL_BYTES], label[2 * LABEL_BYTES];
    const char *shown = record_unit_shown(unit);
    const size_t line = plot_characters(script, what), bytes = strlen(text_show(name, text, sizeof text));
    // Lines are not full: of the name is left out what the last one does not hold, never of the unit.
    for (size_t room = LINES_MAX * line; room > 0; room--) {
        const size_t kept = bytes_of(text, room);
        snprintf(label, sizeof label, "%.*s%s%s%s%s", (int)kept, text, kept < bytes ? "…" : "",
                 shown[0] != '\0' ? " (" : "", shown, shown[0] != '\0' ? ")" : "");
        if (count_lines(label, line) <= LINES_MAX) break;
    }
    fprintf(script->out, "set %s ", what);
    put_lines(script, label, line);
    fputc('\n', script->out);
}

// The sentence of a quantity, without the full stop that those of clack's own numbers end in. Of a share "1 where
// way > 2, else 0": "way > 2".
static void describe(const EnsembleColumn *column, int is_share, char *text, size_t bytes) {
    static const char first[] = "1 where ", last[] = ", else 0";
    const char *sentence = column->sentence;
    size_t length = strlen(sentence);
    if (length > 0 && sentence[length - 1] == '.') length--;
    const size_t ends = sizeof first - 1 + sizeof last - 1;
    if (is_share && length > ends && strncmp(sentence, first, sizeof first - 1) == 0 &&
        strncmp(sentence + length - (sizeof last - 1), last, sizeof last - 1) == 0) {
        sentence += sizeof first - 1;
        length -= ends;
    }
    snprintf(text, bytes, "%.*s", (int)length, sentence);
}

void plot_column(PlotScript *script, const char *what, const EnsembleColumn *column) {
    char sentence[LABEL_BYTES], label[LABEL_BYTES];
    describe(column, 0, sentence, sizeof sentence);
    const int is_named = column->role == ENSEMBLE_PARAMETER || sentence[0] == '\0'; // "Sampled value of mu"
    snprintf(label, sizeof label, is_named ? "%.250s" : "%.250s: %.300s", column->name, sentence);
    plot_label(script, what, label, column->unit);
}

void plot_share(PlotScript *script, const char *what, const EnsembleColumn *column) {
    char sentence[LABEL_BYTES], label[LABEL_BYTES];
    describe(column, 1, sentence, sizeof sentence);
    snprintf(label, sizeof label, "share with %.250s", sentence[0] != '\0' ? sentence : column->name);
    plot_label(script, what, label, "");
}
