// Pieces of HTML: texts in which nothing means anything, tables, figures.
#ifndef CLACK_HTML_H
#define CLACK_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A text as content or as the value of an attribute in double quotes, of HTML or XML; as texts are shown (text.h), but
/// for ends of lines and tabs, which stay.
void html_text(FILE *out, const char *text);
/// The head of a page with its style up to <main>, and its end.
void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

/// A table that scrolls within the page where it is wide; headings end with NULL.
void html_begin_table(FILE *out, const char *const *headings);
void html_end_table(FILE *out);
void html_begin_row(FILE *out);
void html_end_row(FILE *out);
void html_cell(FILE *out, const char *text);
/// Six digits; an empty cell for NaN.
void html_number(FILE *out, double value);
/// A number with the interval that holds it.
void html_interval(FILE *out, double value, double lower, double upper);
/// The same with three decimal places, of numbers about 1.
void html_interval_short(FILE *out, double value, double lower, double upper);
/// A row of two cells: what it is, and a text.
void html_fact(FILE *out, const char *name, const char *text);

/// An SVG of gnuplot's within the page: `number` makes its names differ from those of others.
void html_figure(FILE *out, const char *svg, const char *caption, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
