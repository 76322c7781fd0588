// An ensemble as one page of HTML that needs nothing else.
#ifndef CLACK_PAGE_H
#define CLACK_PAGE_H

#include <stdio.h>

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Write the page. Where gnuplot is missing or fails, the page has no figures and says why; so does `out_figures`
/// (report lines, to be cleared by the caller).
/// Errors: those of reading; what the stream says, the caller asks.
ClackStatus page_write(const Ensemble *ensemble, FILE *out, ClackReport *out_figures, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
