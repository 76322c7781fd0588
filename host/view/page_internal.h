// What the files of page share.
#ifndef CLACK_PAGE_INTERNAL_H
#define CLACK_PAGE_INTERNAL_H

#include "page.h"

typedef struct Page {
    const Ensemble *ensemble;
    FILE *out;
    ClackReport *figures; // why there are none
    uint32_t figure_count;
} Page;

/// A figure of plot_make's kinds within <div class="figures">; none where gnuplot fails, which is reported once.
void page_figure(Page *page, const char *kind, const char *name, const char *caption);
/// The same of several names (count).
void page_figure_of(Page *page, const char *kind, const char *const *names, size_t count, const char *caption);

/// Sections (page_sections.c, page_influence.c, page_fit.c, page_failures.c). Shares stand in a table of their own, not
/// among the statistics.
ClackStatus page_shares(Page *page, ClackReport *report);
ClackStatus page_influence(Page *page, ClackReport *report);
ClackStatus page_statistics(Page *page, EnsembleRole role, ClackReport *report);
ClackStatus page_sensitivity(Page *page, ClackReport *report);
ClackStatus page_fit(Page *page, ClackReport *report);
ClackStatus page_failures(Page *page, ClackReport *report);
/// The command that runs one scene again without "--scene I"; freed by the caller. NULL without memory.
char *page_command(const Page *page, ClackReport *report);

#endif
