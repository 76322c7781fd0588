// What the files of plot share: the script that is being written.
#ifndef CLACK_PLOT_INTERNAL_H
#define CLACK_PLOT_INTERNAL_H

#include <stdio.h>

#include "plot.h"

#define PLOT_PANELS_MAX 36u

typedef struct PlotScript {
    const Ensemble *ensemble;     // either of an ensemble
    const Evaluation *evaluation; // or of these,
    const Comparison *comparison; // or of these
    const PlotOptions *options;
    FILE *out;
    uint32_t panels, columns; // of the figure; columns 0: as many as suit
    uint32_t blocks;          // of data, so far
    double panel_height;      // pixels; before plot_begin what a kind needs, 0: as usual
    double panel_width, font_px;
    char title[512];
} PlotScript;

/// A text of the user's as one of gnuplot's, in which nothing means anything.
void plot_quote(PlotScript *script, const char *text);
/// `set <what> "<name> (<unit>)"`, in up to three lines that fit the panel; after plot_begin, as the next three.
void plot_label(PlotScript *script, const char *what, const char *name, const char *unit);
/// The same of a column: its name, what it is, its unit; of one of shares "share with ...".
void plot_column(PlotScript *script, const char *what, const EnsembleColumn *column);
void plot_share(PlotScript *script, const char *what, const EnsembleColumn *column);
/// Characters that fit into a line along an axis: "xlabel", "ylabel".
size_t plot_characters(const PlotScript *script, const char *what);
/// A name of a category, quoted, cut to so many characters where it is longer.
void plot_short(PlotScript *script, const char *name, size_t characters);
/// The range of an axis, 'x' or 'y', with few ticks.
void plot_axis(PlotScript *script, char axis, double low, double high);
/// Where a figure with so many panels begins; before the first block of data.
void plot_begin(PlotScript *script, uint32_t panels, uint32_t columns);
/// A block of data; its number, to be named as $d<number>. plot_end_block ends it.
uint32_t plot_begin_block(PlotScript *script);
void plot_end_block(PlotScript *script);
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
/// Whether a time is in the interval that is asked for; without one always.
int plot_is_within(const PlotOptions *options, double time_s);
/// Leave frames of that interval alone. Errors: CLACK_USAGE (there is none).
ClackStatus plot_crop(const PlotScript *script, EnsembleFrames *frames, ClackReport *report);
/// The axis of time: of that interval, else from first to last.
void plot_time_axis(PlotScript *script, double first_s, double last_s);
/// Differences between ensembles.
ClackStatus plot_comparison(PlotScript *script, ClackReport *report);
/// Contours of a file of `clack evaluate`.
ClackStatus plot_contours(PlotScript *script, ClackReport *report);

#define PLOT_DECLARE(name, names, sentence) ClackStatus plot_##name(PlotScript *script, ClackReport *report);
PLOT_KIND_LIST(PLOT_DECLARE)
#undef PLOT_DECLARE

#endif
