// Pieces of HTML. The style is within the page: nothing is loaded from anywhere.
#include "html.h"

#include <math.h>
#include <string.h>

#include "text.h"

// Narrow pages first; colours by what the reader's system wants. Figures take the page's colour for lines and
// texts that gnuplot made black.
static const char *const style[] = {
    ":root{color-scheme:light "
    "dark;--text:#1c2430;--soft:#5b6675;--line:#d6dce4;--page:#fff;--box:#f4f6f9;--bad:#b3261e;--good:#1e7d3c}\n",
    "@media(prefers-color-scheme:dark){:root{--text:#e4e8ee;--soft:#9aa5b4;--line:#39424e;--page:#14181e;--box:#1d232b;"
    "--bad:#ff8a80;--good:#7fd69a}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,'Segoe "
    "UI',Roboto,'DejaVu Sans',sans-serif}\n",
    "main{max-width:76rem;margin:0 auto;padding:1rem}\n",
    "h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0;overflow-wrap:anywhere}\n",
    "h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line)}\n",
    "p{max-width:60rem}.soft{color:var(--soft)}.bad{color:var(--bad)}.good{color:var(--good)}\n",
    ".wide{overflow-x:auto;width:fit-content;max-width:100%;margin:.6rem 0;border:1px solid "
    "var(--line);border-radius:6px}\n",
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n",
    "th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid "
    "var(--line);white-space:nowrap}\n",
    "tr:last-child td,tr:last-child th{border-bottom:0}thead th{background:var(--box)}\n",
    "td.n small{display:block;color:var(--soft);font-size:.75rem}\n",
    ".facts{width:100%}.facts th{font-weight:600}.facts td{white-space:normal;overflow-wrap:anywhere;width:100%}\n",
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1rem}\n",
    "figure{margin:0;border:1px solid var(--line);border-radius:6px;padding:.5rem;min-width:0}\n",
    "figcaption{font-size:.875rem;color:var(--soft);overflow-wrap:anywhere}\n",
    "figure svg{display:block;width:100%;height:auto;color:var(--text)}\n",
    "figure svg [color=black]{color:inherit}figure svg [stroke=black]{stroke:currentColor}figure svg "
    "[fill=black]{fill:currentColor}\n",
    "pre{overflow-x:auto;background:var(--box);border:1px solid "
    "var(--line);border-radius:6px;padding:.75rem;font-size:.8125rem;line-height:1.4}\n",
    "code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.8125rem}summary{cursor:pointer}\n",
    "h3{font-size:1rem;margin:1.4rem 0 .2rem;overflow-wrap:anywhere}h3+p{margin:.1rem 0}td.text{white-space:normal;"
    "min-width:12rem}tr.soft td{color:var(--soft)}\n",
    // A4: light, tables within the margins, figures two in a row and on one sheet, texts of studies in whole.
    "@page{size:A4;margin:14mm 12mm}\n",
    "@media print{:root{color-scheme:light;--text:#000;--soft:#444;--line:#bbb;--page:#fff;--box:#f4f6f9;--bad:#b3261e;"
    "--good:#1e7d3c}\n",
    "body{font-size:9.5pt}main{max-width:none;padding:0}p{max-width:none}h1{font-size:15pt}h2{font-size:12pt}\n",
    "h1,h2,h3,summary{break-after:avoid}figure,tr,section.quantity{break-inside:avoid}details{display:block}\n",
    ".wide,pre{overflow:visible}.wide{width:auto;border:0}table{width:100%;font-size:6.5pt}\n",
    "th,td{white-space:normal;overflow-wrap:break-word;padding:.12rem .2rem}td.n{white-space:nowrap}td.n small,.many "
    "td.n,td.text,.facts "
    "td,code{white-space:normal;overflow-wrap:anywhere}\n",
    "td:first-child{overflow-wrap:anywhere;min-width:6em}td.n:first-child{min-width:0}.facts "
    "th{white-space:nowrap}td.n "
    "small{font-size:5.5pt}\n",
    "details::details-content{content-visibility:visible;block-size:auto}summary{list-style:none}\n",
    ".figures{grid-template-columns:1fr 1fr}figure "
    "svg{max-height:150mm}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:7pt}}\n",
};

void html_text(FILE *out, const char *text) {
    for (const char *at = text; *at != '\0';) {
        char step[TEXT_SHOWN_MAX];
        size_t bytes = 1;
        const char byte = *at;
        const char *mark = byte == '&'   ? "&amp;"
                           : byte == '<' ? "&lt;"
                           : byte == '>' ? "&gt;"
                           : byte == '"' ? "&quot;"
                                         : NULL;
        const int is_blank = byte == '\n' || byte == '\t'; // of texts of several lines
        at += mark != NULL || is_blank ? 1 : text_step(at, step, &bytes);
        if (mark != NULL)
            fputs(mark, out);
        else
            fwrite(is_blank ? &byte : step, 1, bytes, out);
    }
}

void html_begin(FILE *out, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    html_text(out, title);
    fputs("</title>\n<style>\n", out);
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) fputs(style[i], out);
    fputs("</style>\n</head>\n<body>\n<main>\n", out);
}

void html_end(FILE *out) { fputs("</main>\n</body>\n</html>\n", out); }

// --- tables ---------------------------------------------------------------------------------------

void html_begin_table(FILE *out, const char *const *headings) {
    if (headings == NULL) { // of facts
        fputs("<div class=\"wide\"><table class=\"facts\"><tbody>\n", out);
        return;
    }
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    for (size_t i = 0; headings[i] != NULL; i++) {
        fputs("<th>", out);
        html_text(out, headings[i]);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
}

void html_end_table(FILE *out) { fputs("</tbody></table></div>\n", out); }
void html_begin_row(FILE *out) { fputs("<tr>", out); }
void html_end_row(FILE *out) { fputs("</tr>\n", out); }

void html_cell(FILE *out, const char *text) {
    fputs("<td>", out);
    html_text(out, text);
    fputs("</td>", out);
}

void html_number(FILE *out, double value) {
    if (isnan(value))
        fputs("<td class=\"n\"></td>", out);
    else
        fprintf(out, "<td class=\"n\">%.6g</td>", value);
}

void html_interval(FILE *out, double value, double lower, double upper) {
    if (isnan(value) || isnan(lower) || isnan(upper))
        html_number(out, value);
    else
        fprintf(out, "<td class=\"n\">%.6g<small>%.5g \u2026 %.5g</small></td>", value, lower, upper);
}

void html_interval_short(FILE *out, double value, double lower, double upper) {
    if (isnan(value))
        html_number(out, value);
    else if (isnan(lower) || isnan(upper))
        fprintf(out, "<td class=\"n\">%.3f</td>", value);
    else
        fprintf(out, "<td class=\"n\">%.3f<small>%.3f \u2026 %.3f</small></td>", value, lower, upper);
}

void html_fact(FILE *out, const char *name, const char *text) {
    if (text == NULL || text[0] == '\0') return;
    fputs("<tr><th>", out);
    html_text(out, name);
    fputs("</th>", out);
    html_cell(out, text);
    fputs("</tr>\n", out);
}

// --- figures --------------------------------------------------------------------------------------

// What stands before a name in gnuplot's SVG, where the number goes.
static size_t before_name(const char *at) {
    static const char *const marks[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) return strlen(marks[i]);
    return 0;
}

void html_figure(FILE *out, const char *svg, const char *caption, uint32_t number) {
    const char *start = strstr(svg, "<svg"), *at = start != NULL ? start + strlen("<svg") : svg + strlen(svg);
    fputs("<figure><figcaption>", out);
    html_text(out, caption);
    fputs("</figcaption>\n<svg role=\"img\" aria-label=\"", out);
    html_text(out, caption);
    fputc('"', out);
    while (*at != '\0') {
        const char *title_end = strncmp(at, "<title>Gnuplot", 14) == 0 ? strstr(at, "</title>") : NULL;
        if (title_end != NULL) { // which browsers show as a hint
            at = title_end + strlen("</title>");
            continue;
        }
        const size_t mark = before_name(at);
        if (mark == 0) {
            fputc(*at++, out);
            continue;
        }
        fprintf(out, "%.*sf%u_", (int)mark, at, number);
        at += mark;
    }
    fputs("</figure>\n", out);
}
