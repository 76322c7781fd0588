// Figures of an ensemble, of several or of a file of `clack evaluate`, drawn by gnuplot.
#ifndef CLACK_PLOT_H
#define CLACK_PLOT_H

#include "comparison.h"
#include "ensemble.h"
#include "evaluation.h"

#ifdef __cplusplus
extern "C" {
#endif

// KIND(name, function, what names may follow, sentence)
#define PLOT_KIND_LIST(KIND)                                                                                           \
    KIND(histogram, "[NAME]...", "how often which value occurs; default: of every quantity")                           \
    KIND(ecdf, "[NAME]...", "share of scenes at or below a value; default: of every quantity")                         \
    KIND(scatter, "[NAME]...", "quantities over parameters, or what is named of one kind over each other")             \
    KIND(trajectory, "[BODY]...", "x, y, z of a body over time; default: of the only one that moves")                  \
    KIND(path, "[BODY]...", "the way of bodies in the plane in which they move most, or in others (--plane)")          \
    KIND(scene, "[BODY]...", "the shapes of a scene at times (--at), fixed ones and those of the bodies")              \
    KIND(energy, "", "kinetic and potential energy of all bodies over time, without what contacts store")              \
    KIND(                                                                                                              \
        force, "[BODY]...",                                                                                            \
        "normal and tangential force of the contacts of each pair of bodies over time, of a body or between several: " \
        "of\n        studies with \"outputs: {contacts: {every: ...}}\"")                                              \
    KIND(events, "", "begin and end of contacts, rest and wake on a time line")                                        \
    KIND(regions, "[BODY]...",                                                                                         \
         "contact regions, of a body or between several: of given poses (\"clack evaluate --contours\") their "        \
         "contours,\n        of a scene with \"method: trapezoidal\" area and normal force over time")                 \
    KIND(convergence, "[QUANTITY]...",                                                                                 \
         "mean or share of the first so many scenes, with its interval of confidence; default: of every quantity")     \
    KIND(sensitivity, "[QUANTITY]...", "indices of a saltelli or morris design")                                       \
    KIND(fit, "[QUANTITY]", "shares against measured ones, their differences, and chi-squared of what is searched over")

typedef enum PlotFormat { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_EPS, PLOT_FORMATS } PlotFormat;
#define PLOT_ENDINGS ".svg, .png, .pdf or .eps"

#define PLOT_TIMES_MAX 12u

typedef struct PlotOptions {
    const char *kind;         // one of the list
    const char *const *names; // (name_count): columns or bodies; none: all
    size_t name_count;
    int64_t scene;          // of trajectories, events, forces and regions; < 0: the first that has any
    int64_t configuration;  // of contours; < 0: the first that has any
    const char *study_path; // of energy and path: as in ensemble_study; may be NULL
    const double *times_s;  // (time_count <= PLOT_TIMES_MAX): of snapshots; none: of the start
    size_t time_count;
    double view_deg[2]; // of snapshots, where has_view: azimuth and elevation of the viewer, in degrees
    int has_view;
    double interval_s[2]; // where has_interval, first < last: of what is recorded over time, what is shown
    int has_interval;
    const char *planes; // of path: one or more of "xy", "xz", "yz", such as "xz,xy"; NULL: chosen by the motion
    const char *title;  // in place of the study's; NULL: that
    const char *x_label, *y_label; // of all panels, in place of their own; NULL: these
    int has_no_title;
    PlotFormat format;
    double width_px, height_px; // of the figure, 96 in an inch; 0: as its panels need
    double dots_per_inch;       // of PNG; 0: 300, or one for each pixel where is_in_pixels
    int is_in_pixels;           // the size was given in pixels
    int is_inline;              // without background and title, for a page
} PlotOptions;

/// Whether a text names planes as PlotOptions.planes does.
int plot_are_planes(const char *text);
/// The format that a file's name ends in; 0 where it ends otherwise.
int plot_format_of(const char *path, PlotFormat *out_format);

/// `*out_image` (out_bytes) is freed by the caller.
/// Errors: CLACK_USAGE (no such kind, name, scene; an option of other kinds; nothing of this kind in the file), those
/// of gnuplot_run and of reading.
ClackStatus plot_make(const Ensemble *ensemble, const PlotOptions *options, char **out_image, size_t *out_bytes,
                      ClackReport *report);
/// Whether files of `clack evaluate` have figures of this kind. Errors: CLACK_USAGE.
ClackStatus plot_check_evaluation(const char *path, const char *kind, ClackReport *report);
/// The figure of such a file: its contact regions.
ClackStatus plot_make_evaluation(const Evaluation *evaluation, const PlotOptions *options, char **out_image,
                                 size_t *out_bytes, ClackReport *report);

/// The figure of a comparison: differences from the first file, of each quantity. Of `options` format and size are
/// read.
ClackStatus plot_make_comparison(const Comparison *comparison, const PlotOptions *options, char **out_image,
                                 size_t *out_bytes, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
