// Figures of an ensemble, drawn by gnuplot.
#ifndef CLACK_PLOT_H
#define CLACK_PLOT_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

// KIND(name, function, what names may follow, sentence)
#define PLOT_KIND_LIST(KIND)                                                                                           \
    KIND(histogram, "[NAME]...", "how often which value occurs; default: of every quantity")                           \
    KIND(ecdf, "[NAME]...", "share of scenes at or below a value; default: of every quantity")                         \
    KIND(scatter, "[NAME]...", "quantities over parameters, or what is named of one kind over each other")             \
    KIND(trajectory, "BODY...", "x, y, z of a body over time")                                                         \
    KIND(path, "BODY...", "the way of bodies, from the side and from above")                                           \
    KIND(energy, "", "kinetic and potential energy of all bodies over time, without what contacts store")              \
    KIND(events, "", "begin and end of contacts, rest and wake on a time line")                                        \
    KIND(sensitivity, "[QUANTITY]...", "indices of a saltelli or morris design")                                       \
    KIND(fit, "[QUANTITY]", "shares against measured ones, their differences, and chi-squared of what is searched over")

typedef struct PlotOptions {
    const char *kind;         // one of the list
    const char *const *names; // (name_count): columns or bodies; none: all
    size_t name_count;
    int64_t scene;          // of trajectories and events; < 0: the first that has any
    const char *study_path; // of energy and path: as in ensemble_study; may be NULL
    int is_png;             // else SVG
    int is_inline;          // without background and title, for a page
} PlotOptions;

/// `*out_image` (out_bytes) is freed by the caller.
/// Errors: CLACK_USAGE (no such kind, name, scene; nothing of this kind in the file), those of gnuplot_run and of
/// reading.
ClackStatus plot_make(const Ensemble *ensemble, const PlotOptions *options, char **out_image, size_t *out_bytes,
                      ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
