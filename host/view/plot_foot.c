// Below pictures of a scene, once for all of them: the bodies' names, how x, y and z lie, and a length.
#include <math.h>
#include <stdio.h>

#include "plot_internal.h"

#define NAME_LINE 1.4   // of a line of names, in sizes of the font as all lengths below
#define NAME_EM 16.0    // longest name
#define NAME_LABELS 20u // numbers of gnuplot's labels that are none of names
#define NAME_OBJECTS 2000000000u
#define SCALE_EM 4.4      // height of what tells directions and lengths
#define AXIS_EM 1.5       // length of an axis that is seen from the side
#define AXIS_LEAST_EM 0.2 // shorter ones point towards who looks
#define BAR_SHARE 0.25    // of the picture's width, for the length
#define BAR_EM 6.5        // where it begins

// Names beside squares of their colours, in lines as wide as the figure; draws where `y_px` is not NULL. How many
// lines.
static size_t put_names(PlotScript *script, const PlotFoot *foot, const double *y_px) {
    const double font = script->font_px, width = script->width, height = script->height;
    double x_px = font;
    size_t lines = foot->name_count > 0 ? 1 : 0;
    for (size_t i = 0; i < foot->name_count; i++) {
        char name[200];
        const double em = plot_cut(foot->names[i], NAME_EM, name, sizeof name);
        if (x_px > font && x_px + (em + 2) * font > width) {
            x_px = font;
            lines++;
        }
        if (y_px != NULL) {
            const double at_px = *y_px - NAME_LINE * font * (double)lines;
            fprintf(script->out,
                    "set object %zu rectangle from screen %.6f,%.6f to screen %.6f,%.6f fc rgb '%s' fs solid noborder\n"
                    "set label %zu ",
                    NAME_OBJECTS + i, x_px / width, at_px / height, (x_px + 0.8 * font) / width,
                    (at_px + 0.8 * font) / height, foot->colours[i], NAME_LABELS + i);
            plot_quote(script, name);
            fprintf(script->out, " at screen %.6f,%.6f left\n", (x_px + 1.2 * font) / width,
                    (at_px + 0.4 * font) / height);
        }
        x_px += (em + 3) * font;
    }
    return lines;
}

double plot_foot_em(PlotScript *script, const PlotFoot *foot) {
    return SCALE_EM + NAME_LINE * (double)put_names(script, foot, NULL);
}

// A length that fits: 1, 2 or 5 times a power of ten.
static void put_length(const PlotScript *script, const PlotFoot *foot, double y_px) {
    const double font = script->font_px, width = script->width, height = script->height;
    const double wanted_m = BAR_SHARE * foot->width_m, power = pow(10, floor(log10(wanted_m)));
    const double share = wanted_m / power, length_m = power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
    const double first_px = BAR_EM * font, last_px = first_px + length_m * foot->pixels;
    fprintf(script->out,
            "set arrow 1 from screen %.6f,%.6f to screen %.6f,%.6f heads size screen %.6f,90 front lw 1.5\n"
            "set label 1 '%.6g m' at screen %.6f,%.6f left front\n",
            first_px / width, y_px / height, last_px / width, y_px / height, 0.35 * font / width, length_m,
            (last_px + 0.6 * font) / width, y_px / height);
}

void plot_foot(PlotScript *script, const PlotFoot *foot) {
    const double font = script->font_px, width = script->width, height = script->height;
    const double top_px = script->note_height;
    const double y_px = top_px - NAME_LINE * font * (double)put_names(script, foot, &top_px) - 0.5 * SCALE_EM * font;
    const double x_px = 2.5 * font;
    put_length(script, foot, y_px);
    for (int k = 0; k < 3; k++) {
        const double across = AXIS_EM * foot->right[k], up = AXIS_EM * foot->up[k];
        const double size = sqrt(across * across + up * up), beyond = (size + 0.7) / size;
        if (size < AXIS_LEAST_EM) continue;
        fprintf(script->out,
                "set arrow %d from screen %.6f,%.6f to screen %.6f,%.6f size screen %.6f,20 front lw 1.2\n"
                "set label %d '%c' at screen %.6f,%.6f center front\n",
                k + 2, x_px / width, y_px / height, (x_px + across * font) / width, (y_px + up * font) / height,
                0.5 * font / width, k + 2, "xyz"[k], (x_px + beyond * across * font) / width,
                (y_px + beyond * up * font) / height);
    }
}
