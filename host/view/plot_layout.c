// Where the panels of a figure stand: margins as wide as what is around each panel, alike along rows and columns.
// They are known when all panels are described, and therefore variables of gnuplot that the script begins with.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define PANEL_WIDTH 560.0 // of the pixels in which SVG counts
#define PANEL_HEIGHT 330.0
#define PAGE_WIDTH 440.0 // within a page, where texts must be read on a telephone
#define PAGE_HEIGHT 290.0
#define ASPECT 1.5 // width over height of a panel; figures of a given size come as close to it as they can
#define FONT_PIXELS 15.0
#define FONT_LEAST 9.0 // of small figures: 6.8 pt
#define TITLE_LINES 3u
#define NOTE_LINES 4u
#define LINE 1.25      // from line to line, in sizes of the font, as all lengths below
#define NOTE_FONT 0.85 // notes, of the font
#define EDGE 0.4       // around everything
#define TICK 1.1       // marks and the gap to their numbers
#define NUMBER 1.0     // height of numbers along x, with the gap below
#define GAP 0.5        // between numbers and a label
#define KEY_LINE 1.3
#define KEY_GAP 0.3     // below the key
#define KEY_SAMPLE 3.4  // a line's sample and the gaps about it
#define CHARACTER 0.632 // what gnuplot takes for the width of one, as measured in keys of its pngcairo
#define MM_PER_PIXEL (25.4 / 96)
#define SMALL 24.0       // width of cells whose labels have two lines along y
#define LEAST_SHARE 0.25 // of a cell: a panel gets so much, however long its labels are

// --- before the panels ----------------------------------------------------------------------------

static size_t count_lines(const char *text) {
    size_t lines = text[0] != '\0' ? 1 : 0;
    for (; *text != '\0'; text++) lines += *text == '\n' ? 1 : 0;
    return lines;
}

// As many columns as bring panels nearest to their aspect; of two alike the fewer.
static uint32_t choose_columns(double width, double height, uint32_t panels) {
    uint32_t best = 1;
    double least = INFINITY;
    for (uint32_t columns = 1; columns <= panels; columns++) {
        const uint32_t rows = (panels + columns - 1) / columns;
        const double off = fabs(log(width / columns / (height / rows) / ASPECT));
        if (off >= least) continue;
        least = off;
        best = columns;
    }
    return best;
}

static void choose_font(PlotScript *script, double cell_width, double cell_height) {
    const double share = fmin(cell_width / PAGE_WIDTH, cell_height / PAGE_HEIGHT);
    script->font_px = fmin(FONT_PIXELS, fmax(FONT_LEAST, FONT_PIXELS * share));
}

// Title and notes, in lines; the height that is left for panels.
static double put_texts(PlotScript *script) {
    const PlotOptions *options = script->options;
    const double em = script->width / script->font_px - 2 * EDGE;
    script->title_lines[0] = script->note_lines[0] = '\0';
    if (!options->is_inline && !options->has_no_title)
        plot_wrap(options->title != NULL ? options->title : script->title, em, TITLE_LINES, script->title_lines,
                  sizeof script->title_lines);
    plot_wrap(script->note, em / NOTE_FONT, NOTE_LINES, script->note_lines, sizeof script->note_lines);
    const size_t titles = count_lines(script->title_lines), notes = count_lines(script->note_lines);
    script->title_height = titles > 0 ? (LINE * (double)titles + EDGE) * script->font_px : 0;
    script->note_height = notes > 0 ? (LINE * NOTE_FONT * (double)notes + EDGE) * script->font_px : 0;
    script->note_height += script->foot_em * script->font_px;
    return script->title_height + script->note_height;
}

void plot_size(PlotScript *script, uint32_t panels, uint32_t columns) {
    const PlotOptions *options = script->options;
    const double panel_width = options->is_inline ? PAGE_WIDTH : PANEL_WIDTH;
    const double panel_height = script->panel_height > 0 ? script->panel_height
                                : options->is_inline     ? PAGE_HEIGHT
                                                         : PANEL_HEIGHT;
    const int has_size = options->width_px > 0 && options->height_px > 0;
    if (columns == 0)
        columns = has_size ? choose_columns(options->width_px, options->height_px, panels) : panels < 2 ? 1 : 2;
    const uint32_t rows = (panels + columns - 1) / columns;
    script->panels = panels;
    script->columns = columns;
    script->rows = rows;
    script->width = has_size ? options->width_px : columns * panel_width;
    choose_font(script, script->width / columns, has_size ? 0.9 * options->height_px / rows : panel_height);
    const double texts = put_texts(script);
    script->height = has_size ? options->height_px : rows * panel_height + texts;
    script->cell_width = script->width / columns;
    script->cell_height = fmax((script->height - texts) / rows, 1);
    // What labels are cut to and ticks are chosen for: a line of either label, numbers of five characters.
    const double around = script->cell_width < SMALL * script->font_px ? 9 : 7;
    script->inner_width = fmax(script->cell_width - around * script->font_px, LEAST_SHARE * script->cell_width);
    script->inner_height = fmax(script->cell_height - 5.5 * script->font_px, LEAST_SHARE * script->cell_height);
}

// --- panels ---------------------------------------------------------------------------------------

static double larger(double a, double b) { return a > b ? a : b; }

// One label for each line: gnuplot puts a rotated text of several lines elsewhere, over the numbers of the axis.
static void put_texts_at(PlotScript *script, const char *lines, const char *format, double first, double step,
                         double font_px) {
    for (double at = first; *lines != '\0'; at += step) {
        const size_t bytes = strcspn(lines, "\n");
        fprintf(script->out, "set label %u ", ++script->labels);
        plot_quote_bytes(script, lines, bytes);
        fprintf(script->out, format, at);
        if (font_px != script->font_px) fprintf(script->out, " font ',%g'", font_px * plot_font_scale(script));
        fputc('\n', script->out);
        lines += bytes + (lines[bytes] == '\n' ? 1 : 0);
    }
}

static void put_figure_texts(PlotScript *script) {
    const double font = script->font_px, note = NOTE_FONT * font;
    const size_t notes = count_lines(script->note_lines);
    put_texts_at(script, script->title_lines, " at screen 0.5,%.6f center", 1 - (EDGE + 0.5) * font / script->height,
                 -LINE * font / script->height, font);
    // Of a page black, which it draws in its own colour.
    put_texts_at(script, script->note_lines,
                 script->options->is_inline ? " at screen 0.01,%.6f left"
                                            : " at screen 0.01,%.6f left textcolor rgb '#404040'",
                 (0.5 * EDGE * font + (LINE * (double)notes - 0.5) * note) / script->height,
                 -LINE * note / script->height, note);
}

// Marks and numbers, in sizes of the font.
static double below_axis(const PlotPanel *panel) { return panel->tick_em[0] > 0 ? TICK + NUMBER : EDGE; }

static void put_panel_labels(PlotScript *script, uint32_t column, uint32_t row) {
    PlotPanel *next = &script->next;
    char format[120];
    const double font = script->font_px, bottom = script->note_height + (script->rows - 1 - row) * script->cell_height;
    const double top = bottom + script->cell_height, left = column * script->cell_width;
    snprintf(format, sizeof format, " at screen %%.6f,(B%u+T%u)/2 center rotate by 90", row, row);
    put_texts_at(script, next->labels[PLOT_Y_LABEL], format, (left + (EDGE + 0.5) * font) / script->width,
                 LINE * font / script->width, font);
    snprintf(format, sizeof format, " at screen (L%u+R%u)/2,B%u-%%.6f center", column, column, row);
    put_texts_at(script, next->labels[PLOT_X_LABEL], format, (below_axis(next) + 0.5) * font / script->height,
                 LINE * font / script->height, font);
    snprintf(format, sizeof format, " at screen (L%u+R%u)/2,%%.6f center", column, column);
    put_texts_at(script, next->labels[PLOT_TITLE], format, (top - (EDGE + 0.5) * font) / script->height,
                 -LINE * font / script->height, font);
}

static double top_of(const PlotScript *script, uint32_t row, double keys_px) {
    return EDGE * script->font_px + script->titles[row] + larger(keys_px, 0.4 * script->font_px);
}

// What the panel needs on its sides, in pixels.
static void add_needs(PlotScript *script, uint32_t column, uint32_t row) {
    const PlotPanel *next = &script->next;
    const double font = script->font_px, ticks = next->has_no_ticks ? 0 : TICK;
    const size_t x_lines = count_lines(next->labels[PLOT_X_LABEL]), y_lines = count_lines(next->labels[PLOT_Y_LABEL]);
    script->left[column] =
        larger(script->left[column],
               (EDGE + LINE * (double)y_lines + (y_lines > 0 ? GAP : 0) + ticks + next->tick_em[1]) * font);
    script->right[column] = larger(script->right[column], (EDGE + larger(0.5 * next->tick_em[0], 0.4)) * font);
    script->bottom[row] = larger(script->bottom[row], (below_axis(next) + LINE * (double)x_lines + 0.5 * EDGE) * font);
    script->titles[row] = larger(script->titles[row], LINE * (double)count_lines(next->labels[PLOT_TITLE]) * font);
}

void plot_place(PlotScript *script) {
    const uint32_t at = script->panel, column = at % script->columns, row = at / script->columns;
    for (int place = PLOT_X_LABEL; place <= PLOT_Y_LABEL; place++)
        if ((place == PLOT_X_LABEL ? script->options->x_label : script->options->y_label) != NULL)
            plot_label(script, (PlotPlace)place, "", "");
    for (; script->labels > PLOT_LABELS; script->labels--) fprintf(script->out, "unset label %u\n", script->labels);
    if (at == 0) put_figure_texts(script);
    put_panel_labels(script, column, row);
    add_needs(script, column, row);
    fprintf(
        script->out,
        "set lmargin at screen L%u\nset rmargin at screen R%u\nset bmargin at screen B%u\nset tmargin at screen T%u\n"
        "set key at screen X%u,T%u+%.6f width W%u\neval K%u\n",
        column, column, row, row, at, row, KEY_GAP * script->font_px / script->height, at, at);
    script->next = (PlotPanel){0};
    script->panel++;
}

void plot_panel_size(const PlotScript *script, double *out_width, double *out_height) {
    const uint32_t at = script->panel - 1, column = at % script->columns, row = at / script->columns;
    *out_width = script->cell_width - script->left[column] - script->right[column];
    *out_height = script->cell_height - script->bottom[row] - top_of(script, row, 0);
}

void plot_entry(PlotScript *script, const char *name) {
    char text[PLOT_LINES_BYTES];
    const double most = script->cell_width / script->font_px - KEY_SAMPLE - 1;
    const double em = plot_cut(name, most > 5 ? most : 5, text, sizeof text);
    double characters = 0;
    for (const char *at = text; *at != '\0'; at++) characters += ((unsigned char)*at & 0xc0u) != 0x80u ? 1 : 0;
    fputs(" title ", script->out);
    plot_quote(script, text);
    PlotKey *key = &script->keys[script->panel - 1];
    key->entries++;
    key->em = larger(key->em, em);
    key->characters = larger(key->characters, characters);
}

// --- after the panels -----------------------------------------------------------------------------

// Two margins of a cell leave its panel some room. Whether they had to be cut for that.
static int share_room(double cell, double *one, double *other) {
    const double most = (1 - LEAST_SHARE) * cell, both = *one + *other;
    if (both <= most) return 0;
    *one *= most / both;
    *other *= most / both;
    return 1;
}

// gnuplot takes keys for wider than they are. Returns the height of this one.
static double put_key(PlotScript *script, FILE *out, uint32_t panel, double inner) {
    const PlotKey *key = &script->keys[panel];
    const uint32_t column = panel % script->columns;
    const int is_wide = (key->em + KEY_SAMPLE) * script->font_px > inner; // then in the middle of the cell
    const double middle =
        (column + 0.5) * script->cell_width + (is_wide ? 0 : 0.5 * (script->left[column] - script->right[column]));
    const double columns = fmax(floor(inner / ((key->em + KEY_SAMPLE) * script->font_px)), 1);
    const double lines = ceil(key->entries / columns);
    // Vertical keys have no more lines than fit beside the panel, horizontal ones as many columns as gnuplot likes.
    if (columns > 1)
        fprintf(out, "K%u='set key vertical maxcols auto maxrows %.0f'\n", panel, fmax(lines, 1));
    else
        fprintf(out, "K%u='set key horizontal maxcols 1 maxrows auto'\n", panel);
    fprintf(out, "X%u=%.6f\nW%u=%.3f\n", panel, middle / script->width, panel, key->em / CHARACTER - key->characters);
    return lines > 0 ? (KEY_LINE * lines + KEY_GAP) * script->font_px : 0;
}

void plot_finish(PlotScript *script, FILE *out) {
    double keys[PLOT_PANELS_MAX] = {0}; // of rows
    int is_cut = 0;
    assert(script->columns > 0);
    for (uint32_t c = 0; c < script->columns && c < PLOT_PANELS_MAX; c++) {
        const double left = c * script->cell_width;
        is_cut |= share_room(script->cell_width, &script->left[c], &script->right[c]);
        fprintf(out, "L%u=%.6f\nR%u=%.6f\n", c, (left + script->left[c]) / script->width, c,
                (left + script->cell_width - script->right[c]) / script->width);
    }
    for (uint32_t at = 0; at < script->panels && at < PLOT_PANELS_MAX; at++) {
        const uint32_t c = at % script->columns, row = at / script->columns;
        const double inner = script->cell_width - script->left[c] - script->right[c];
        keys[row] = larger(keys[row], put_key(script, out, at, inner));
    }
    for (uint32_t row = 0; row < script->rows && row < PLOT_PANELS_MAX; row++) {
        const double bottom = script->note_height + (script->rows - 1 - row) * script->cell_height;
        double top = top_of(script, row, keys[row]);
        is_cut |= share_room(script->cell_height, &script->bottom[row], &top);
        fprintf(out, "B%u=%.6f\nT%u=%.6f\n", row, (bottom + script->bottom[row]) / script->height, row,
                (bottom + script->cell_height - top) / script->height);
    }
    if (is_cut && script->options->width_px > 0)
        report_warn(script->report,
                    "%u panels of %.0f x %.0f mm have no room for their numbers and labels: names choose fewer, or a "
                    "larger --size",
                    script->panels, script->cell_width * MM_PER_PIXEL, script->cell_height * MM_PER_PIXEL);
}
