// Texts of figures: quoted for gnuplot, as wide as they will be drawn, cut into lines.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"
#include "text.h"

#define TEXT_BYTES 1200
#define OTHER_PERCENT 65u // of the size of a font: the width of characters beyond ASCII, most of which are letters
#define WIDE_PERCENT 100u // those of East Asia and beyond the Basic Multilingual Plane

// Widths of ASCII from the blank on, in hundredths of the font's size, as DejaVu Sans has them: it is what gnuplot
// draws "sans" with on most systems, and wider than Arial or Liberation Sans, so that what fits with it fits with
// those.
static const unsigned char widths[] = {32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                       64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                       58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,  61, 73, 68, 99, 69,
                                       61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,  63, 63, 28, 28, 58,
                                       28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};

static size_t character_bytes(const char *at) {
    size_t bytes = 1;
    while (((unsigned char)at[bytes] & 0xc0u) == 0x80u) bytes++;
    return bytes;
}

static double character_em(const char *at) {
    const unsigned char first = (unsigned char)*at;
    if (first >= ' ' && first < ' ' + sizeof widths) return widths[first - ' '] / 100.0;
    return (first >= 0xe3u ? WIDE_PERCENT : OTHER_PERCENT) / 100.0;
}

double plot_em(const char *text) {
    double em = 0;
    for (const char *at = text; *at != '\0'; at += character_bytes(at)) em += character_em(at);
    return em;
}

// Bytes of the longest beginning of a text that is at most so wide.
static size_t bytes_within(const char *text, double em) {
    size_t bytes = 0;
    for (; text[bytes] != '\0'; bytes += character_bytes(text + bytes)) {
        em -= character_em(text + bytes);
        if (em < 0) break;
    }
    return bytes;
}

// In single quotes only they mean something; backquotes would start programs in double quotes. A quote that a text
// begins with stands by itself: gnuplot 5.4 takes three of them for an empty text and a beginning.
void plot_quote_bytes(PlotScript *script, const char *text, size_t bytes) {
    const char *at = text;
    for (; *at == '\'' && at < text + bytes; at++) fputs("\"'\".", script->out);
    fputc('\'', script->out);
    while (*at != '\0' && at < text + bytes) {
        char step[TEXT_SHOWN_MAX];
        size_t shown;
        if (*at == '\'') fputc('\'', script->out);
        at += text_step(at, step, &shown);
        fwrite(step, 1, shown, script->out);
    }
    fputc('\'', script->out);
}

void plot_quote(PlotScript *script, const char *text) { plot_quote_bytes(script, text, strlen(text)); }

// --- names ----------------------------------------------------------------------------------------

#define ELLIPSIS "…"
#define TAIL_SHARE 0.6 // of a name that is cut in its middle: names that begin alike differ at their ends
#define PART_SHARE 0.5 // of the room that the last parts of a path have to fill to stand for it

// The last characters of a text that are at most so wide.
static const char *tail_within(const char *text, double em) {
    const char *tail = text + strlen(text);
    while (tail > text) {
        const char *before = tail - 1;
        while (before > text && ((unsigned char)*before & 0xc0u) == 0x80u) before--;
        em -= character_em(before);
        if (em < 0) break;
        tail = before;
    }
    return tail;
}

double plot_cut(const char *name, double em, char *out, size_t room) {
    char shown[TEXT_BYTES];
    text_show(name, shown, sizeof shown);
    const double rest = em - plot_em(ELLIPSIS);
    const char *part = shown;
    if (plot_em(shown) <= em) {
        snprintf(out, room, "%s", shown);
        return plot_em(out);
    }
    if (strchr(shown, ' ') != NULL) part = NULL; // a sentence, no path
    while (part != NULL && plot_em(part) > rest) part = strchr(part, '.') != NULL ? strchr(part, '.') + 1 : NULL;
    if (part != NULL && plot_em(part) >= PART_SHARE * em)
        snprintf(out, room, ELLIPSIS "%s", part);
    else
        snprintf(out, room, "%.*s" ELLIPSIS "%s", (int)bytes_within(shown, (1 - TAIL_SHARE) * rest), shown,
                 tail_within(shown, TAIL_SHARE * rest));
    return plot_em(out);
}

double plot_short(PlotScript *script, const char *name, double em) {
    char text[TEXT_BYTES + 8];
    const double width = plot_cut(name, em, text, sizeof text);
    plot_quote(script, text);
    return width;
}

#define EVEN_STEPS 20 // of the width of lines

// --- lines ----------------------------------------------------------------------------------------

#define MARKS "._-/," // within names, behind which a line may end
#define OVER 1.3      // of its width: what a line may have where that keeps a word whole

// Where a line that is at most so wide ends: at a blank, else behind a mark within a name, where its second half has
// one.
static size_t line_bytes(const char *text, double em) {
    const size_t most = bytes_within(text, em), over = bytes_within(text, OVER * em), word = strcspn(text, " ");
    if (text[most] == '\0') return most;
    if (word > most && word <= over) return word;
    for (size_t at = most; at > most / 2; at--)
        if (text[at] == ' ') return at;
    for (size_t at = most; at > most / 2; at--)
        if (strchr(MARKS, text[at - 1]) != NULL) return at;
    for (size_t at = most + 1; at <= over && text[at - 1] != ' '; at++)
        if (strchr(MARKS, text[at - 1]) != NULL) return at;
    return most > 0 ? most : character_bytes(text);
}

static size_t wrap(const char *text, double em, size_t most, char *out, size_t room) {
    char shown[TEXT_BYTES];
    const char *at = text_show(text, shown, sizeof shown);
    size_t lines = 0, used = 0;
    out[0] = '\0';
    while (*at != '\0' && lines < most && used + 2 < room) {
        const size_t bytes = line_bytes(at, em);
        const int is_cut = lines + 1 == most && at[bytes] != '\0';
        const size_t kept = is_cut ? bytes_within(at, em - plot_em(ELLIPSIS)) : bytes;
        const int written =
            snprintf(out + used, room - used, "%s%.*s%s", lines > 0 ? "\n" : "", (int)kept, at, is_cut ? ELLIPSIS : "");
        used = written > 0 && (size_t)written < room - used ? used + (size_t)written : room;
        at += bytes;
        while (*at == ' ') at++;
        lines++;
    }
    return lines;
}

size_t plot_wrap(const char *text, double em, size_t most, char *out, size_t room) {
    const size_t lines = wrap(text, em, most, out, room);
    const size_t bytes = strlen(out); // with one more for each word that is cut
    if (lines < 2 || strstr(out, ELLIPSIS) != NULL) return lines;
    for (int step = EVEN_STEPS / (int)lines; step < EVEN_STEPS; step++) { // as even as they can be
        if (wrap(text, em * step / EVEN_STEPS, most + 1, out, room) == lines && strlen(out) <= bytes) return lines;
    }
    return wrap(text, em, most, out, room);
}
