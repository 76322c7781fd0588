// What the files of plot share: the script that is being written.
#ifndef CLACK_PLOT_INTERNAL_H
#define CLACK_PLOT_INTERNAL_H

#include <stdio.h>

#include "plot.h"

#define PLOT_PANELS_MAX 36u
#define PLOT_LINES_BYTES 800u
#define PLOT_TICS 0.6    // scale of marks at axes
#define PLOT_LABELS 900u // numbers of gnuplot's labels up to here are the kinds' own

typedef enum PlotPlace { PLOT_X_LABEL, PLOT_Y_LABEL, PLOT_TITLE, PLOT_PLACES } PlotPlace;

typedef struct PlotPanel {                      // what is described so far of the next one
    char labels[PLOT_PLACES][PLOT_LINES_BYTES]; // lines
    double tick_em[2];                          // widest number or name along x and y, in sizes of the font
    int has_no_ticks;
} PlotPanel;

typedef struct PlotKey { // of a panel: how many entries; width and characters of the longest ones
    double entries, em, characters;
} PlotKey;

typedef struct PlotScript {
    const Ensemble *ensemble;     // either of an ensemble
    const Evaluation *evaluation; // or of these,
    const Comparison *comparison; // or of these
    const PlotOptions *options;
    ClackReport *report; // for warnings
    FILE *out;
    uint32_t panels, columns, rows; // of the figure
    uint32_t blocks;                // of data, so far
    double panel_height;            // pixels; before plot_begin what a kind needs, 0: as usual
    char title[512];
    char note[1024]; // what else has to be said, below the panels
    // Of the layout; lengths in pixels, 96 in an inch.
    double width, height, cell_width, cell_height; // of the figure; of a panel with all that is around it
    double inner_width, inner_height;              // of a panel, about
    double foot_em; // of the font, below the panels: before plot_begin what a kind draws there itself
    double font_px, title_height, note_height; // the foot is the upper part of the last one
    char title_lines[PLOT_LINES_BYTES], note_lines[2 * PLOT_LINES_BYTES];
    double left[PLOT_PANELS_MAX], right[PLOT_PANELS_MAX];    // (columns): margins
    double bottom[PLOT_PANELS_MAX], titles[PLOT_PANELS_MAX]; // (rows): margins; titles of panels
    PlotKey keys[PLOT_PANELS_MAX];                           // (panels)
    PlotPanel next;
    double number_em;       // widest number along x of the last axes to scale
    uint32_t panel, labels; // the next one's number; the last number of gnuplot's labels
} PlotScript;

// --- texts (plot_text.c, plot_label.c) --------------------------------------------------------------

/// How wide a text is drawn, in sizes of its font.
double plot_em(const char *text);
/// A text of the user's as one of gnuplot's, in which nothing means anything.
void plot_quote(PlotScript *script, const char *text);
void plot_quote_bytes(PlotScript *script, const char *text, size_t bytes);
/// A name at most so wide as it is shown: of a path its last parts, else its beginning and end with "…" in between.
/// Returns its width.
double plot_cut(const char *name, double em, char *out, size_t room);
/// The same to the script, in quotes.
double plot_short(PlotScript *script, const char *name, double em);
/// A text in lines at most so wide, no more than `most`; what the last one does not hold is left out, as "…" says.
/// Returns how many there are.
size_t plot_wrap(const char *text, double em, size_t most, char *out, size_t room);
/// The label of an axis or panel, "<name> (<unit>)", in lines that fit; after plot_begin, before plot_place.
void plot_label(PlotScript *script, PlotPlace place, const char *name, const char *unit);
/// The same with a longer name where two lines have room for it.
void plot_long_label(PlotScript *script, PlotPlace place, const char *full, const char *name, const char *unit);
/// The same of a column: its name and, where there is room, what it is; of one of shares "share with ...".
void plot_column(PlotScript *script, PlotPlace place, const EnsembleColumn *column);
void plot_share(PlotScript *script, PlotPlace place, const EnsembleColumn *column);
/// More of the note below the panels; before plot_begin.
__attribute__((format(printf, 2, 3))) void plot_note(PlotScript *script, const char *format, ...);

// --- panels (plot_layout.c, plot.c) -----------------------------------------------------------------

/// Where a figure with so many panels begins; before the first block of data. columns 0: as many as suit.
void plot_begin(PlotScript *script, uint32_t panels, uint32_t columns);
void plot_size(PlotScript *script, uint32_t panels, uint32_t columns);
/// The next panel, as it is described by now; before its "plot".
void plot_place(PlotScript *script);
#define PLOT_NAMES_MAX 8u
typedef struct PlotFoot {              // of pictures of a scene
    const char *names[PLOT_NAMES_MAX]; // (name_count): bodies
    char colours[PLOT_NAMES_MAX][8];   // theirs, "#rrggbb"
    size_t name_count;
    double right[3], up[3]; // of x, y and z: across the picture and upwards
    double pixels, width_m; // of a metre; of a picture
} PlotFoot;
/// Its height in sizes of the font, after plot_size; draw it, after the first plot_place.
double plot_foot_em(PlotScript *script, const PlotFoot *foot);
void plot_foot(PlotScript *script, const PlotFoot *foot);
/// Pixels of the panel that was placed last, of kinds without keys and numbers along axes.
void plot_panel_size(const PlotScript *script, double *out_width, double *out_height);
/// " title '<name>'" of a line, for the key above the panel.
void plot_entry(PlotScript *script, const char *name);
/// Variables of the script, which has to begin with them, when all panels are there. Warns where panels of a size that
/// was asked for have no room for what is around them.
void plot_finish(PlotScript *script, FILE *out);
/// Points of gnuplot's fonts for a pixel of the figure's.
double plot_font_scale(const PlotScript *script);
/// A block of data; its number, to be named as $d<number>. plot_end_block ends it.
uint32_t plot_begin_block(PlotScript *script);
void plot_end_block(PlotScript *script);

// --- axes (plot_axis.c) -----------------------------------------------------------------------------

/// The range of an axis, 'x' or 'y', with few ticks; of the logarithmic one powers of ten.
void plot_axis(PlotScript *script, char axis, double low, double high);
void plot_log_axis(PlotScript *script, char axis, double low, double high);
typedef struct PlotRange {
    double low, high;
} PlotRange;

/// Ticks of two axes along which a metre is as long: they show these ranges, one of them more that fills the panel.
/// Before plot_place; after it plot_equal_ranges.
void plot_equal_axes(PlotScript *script, PlotRange across, PlotRange up);
void plot_equal_ranges(PlotScript *script, PlotRange across, PlotRange up);
/// Names at 0, 1, ... in place of numbers, each at most so wide.
void plot_categories(PlotScript *script, char axis, const char *const *names, size_t count, double em);
/// The axis of time with its label: of the interval that is asked for, else from first to last.
void plot_time_axis(PlotScript *script, double first_s, double last_s);
/// Whether a time is in that interval; without one always.
int plot_is_within(const PlotOptions *options, double time_s);

#define PLOT_PLANES 3u
typedef struct PlotPlane { // coordinates in its two directions, seen from where the third is `from`
    const char *name, *view;
    int across, up; // 0 x, 1 y, 2 z
    double from[3];
} PlotPlane;
extern const PlotPlane plot_planes[PLOT_PLANES];

typedef struct PlotOutlines {     // of fixed shapes
    int is_known;                 // the file's study could be read
    uint32_t blocks[PLOT_PLANES]; // of data, in the planes that are asked for
    uint32_t counts[PLOT_PLANES]; // of shapes that have one
} PlotOutlines;

/// Outlines of the fixed shapes of a scene in planes (count) as blocks of data, closed lines. Errors: CLACK_MEMORY.
ClackStatus plot_outlines(PlotScript *script, const EnsembleFrames *frames, const PlotPlane *const *planes,
                          size_t count, PlotOutlines *out, ClackReport *report);
/// Columns that are asked for by name, else those of a role; at most PLOT_PANELS_MAX of them (the title says so).
ClackStatus plot_columns(PlotScript *script, EnsembleRole role, const EnsembleColumn **out_columns, size_t *out_count,
                         ClackReport *report);
/// The finite ones of a column, ascending; freed by the caller.
ClackStatus plot_sorted(const Ensemble *ensemble, const EnsembleColumn *column, double **out_values, size_t *out_count,
                        ClackReport *report);

/// Whether the figure's kind takes the options that are given. Errors: CLACK_USAGE, with the kinds that take it.
ClackStatus plot_check_options(const PlotScript *script, ClackReport *report);
/// Leave frames of that interval alone. Errors: CLACK_USAGE (there is none).
ClackStatus plot_crop(const PlotScript *script, EnsembleFrames *frames, ClackReport *report);
/// Whether two bodies are those of a figure: (count) of them; none: all, one: it and any other, more: both among them.
int plot_is_between(double body_a, double body_b, const size_t *bodies, size_t count);
typedef struct PlotMissed { // what of the contacts of a scene is drawn
    uint64_t scene;
    double every_s, largest_N; // time between two recordings, INFINITY: not known; normal force
    const size_t *bodies;      // (body_count), as of plot_is_between
    size_t body_count;
} PlotMissed;
/// Notes how often contacts were recorded and, where some of these bodies were shorter, whether or not any of their
/// rows is recorded, that their peaks are missed, which is warned of, too; before plot_begin.
ClackStatus plot_missed(PlotScript *script, const PlotMissed *missed, ClackReport *report);
/// Where nothing can be drawn: adds to the report what fell between recordings, if anything did.
ClackStatus plot_all_missed(PlotScript *script, const PlotMissed *missed, ClackReport *report);
/// A PNG with the density of its dots, which gnuplot does not tell (plot_density.c): programs then show it in its size.
ClackStatus plot_put_density(char **image, size_t *bytes, double dots_per_inch, ClackReport *report);
/// Differences between ensembles.
ClackStatus plot_comparison(PlotScript *script, ClackReport *report);
/// Contours of a file of `clack evaluate`.
ClackStatus plot_contours(PlotScript *script, ClackReport *report);

#define PLOT_DECLARE(name, names, sentence) ClackStatus plot_##name(PlotScript *script, ClackReport *report);
PLOT_KIND_LIST(PLOT_DECLARE)
#undef PLOT_DECLARE

#endif
