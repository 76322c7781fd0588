// Axes: ranges, and as many numbers along them as stand apart from each other.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot_internal.h"

#define TICKS 5.0       // about so many on an axis, at most: their numbers may be long
#define TICK_SIZES 3.0  // of the font, from one number to the next along y
#define CLOSE_SIZES 2.0 // the same of panels to scale, which may be low
#define APART 1.0       // between two numbers along x, in sizes of the font
#define DIGITS_LEAST 6  // of numbers
#define DIGITS_MOST 15
#define ABOVE 3.0        // of panels to scale: their titles and keys, in sizes of the font
#define TICKS_MOST 40    // that are looked at
#define OFFSET_SHARE 0.1 // of the latest time: shorter intervals may have times since their beginning
#define NUMBER_BYTES 40

typedef struct Ticks {
    double step, first; // the first one within the range
    int count, digits;
    double em; // width of the widest number
} Ticks;

static Ticks ticks_of(double low, double high, double step) {
    const double rounding = 1e-9 * (high - low);
    Ticks ticks = {.step = step, .first = ceil((low - rounding) / step) * step};
    ticks.count = (int)fmin(floor((high + rounding - ticks.first) / step) + 1, TICKS_MOST);
    const double needed = ceil(log10(fmax(fmax(fabs(low), fabs(high)) / step, 1))) + 1;
    ticks.digits = (int)fmin(fmax(needed, DIGITS_LEAST), DIGITS_MOST);
    for (int i = 0; i < ticks.count; i++) {
        char number[NUMBER_BYTES];
        const double value = ticks.first + i * step;
        snprintf(number, sizeof number, "%.*g", ticks.digits, fabs(value) < 1e-9 * step ? 0 : value);
        ticks.em = fmax(ticks.em, plot_em(number));
    }
    return ticks;
}

// 1, 2 and 5 times powers of ten: the least that is not below a number.
static double round_up(double wanted) {
    const double power = pow(10, floor(log10(wanted))), share = wanted / power * (1 - 1e-9);
    return power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
}

// Ticks whose numbers stand apart along so many pixels; two where not even these do.
static Ticks choose_ticks(const PlotScript *script, char axis, double low, double high, double pixels) {
    double step = round_up((high - low) / TICKS);
    Ticks last = ticks_of(low, high, step);
    for (int i = 0; i < 4; i++) {
        const Ticks ticks = ticks_of(low, high, step);
        const double apart = step / (high - low) * pixels / script->font_px;
        if (ticks.count < 2 && last.count >= 2) return last;
        last = ticks;
        if (apart >= (axis == 'x' ? ticks.em + APART : TICK_SIZES)) return ticks;
        step = round_up(1.5 * step);
    }
    return last;
}

static double pixels_along(const PlotScript *script, char axis) {
    return axis == 'x' ? script->inner_width : script->inner_height;
}

void plot_axis(PlotScript *script, char axis, double low, double high) {
    double *em = &script->next.tick_em[axis == 'x' ? 0 : 1];
    fprintf(script->out, "unset logscale %c\nset %crange [%.17g:%.17g]\n", axis, axis, low, high);
    if (!(isfinite(high - low) && high > low)) {
        fprintf(script->out, "set %ctics scale %g autofreq\nset format %c '%%.6g'\n", axis, PLOT_TICS, axis);
        *em = 5;
        return;
    }
    const Ticks ticks = choose_ticks(script, axis, low, high, pixels_along(script, axis));
    fprintf(script->out, "set %ctics scale %g %.17g\nset format %c '%%.%dg'\n", axis, PLOT_TICS, ticks.step, axis,
            ticks.digits);
    *em = ticks.em;
}

void plot_log_axis(PlotScript *script, char axis, double low, double high) {
    double widest = 0;
    const int first = (int)floor(log10(low)), last = (int)floor(log10(high));
    for (int power = first; power <= last; power++) {
        char number[NUMBER_BYTES];
        snprintf(number, sizeof number, "%g", pow(10, power));
        widest = fmax(widest, plot_em(number));
    }
    fprintf(script->out,
            "set logscale %c\nset %crange [%.17g:%.17g]\nset %ctics scale %g autofreq\nset format %c '%%g'\n", axis,
            axis, low, high, axis, PLOT_TICS, axis);
    script->next.tick_em[axis == 'x' ? 0 : 1] = widest;
}

void plot_categories(PlotScript *script, char axis, const char *const *names, size_t count, double em) {
    double *widest = &script->next.tick_em[axis == 'x' ? 0 : 1];
    fprintf(script->out, "unset logscale %c\nset %ctics scale 0 (", axis, axis);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputs(", ", script->out);
        *widest = fmax(*widest, plot_short(script, names[i], em));
        fprintf(script->out, " %zu", i);
    }
    fputs(")\n", script->out);
}

// --- equal scales ---------------------------------------------------------------------------------

static PlotRange widened(PlotRange range, double size) {
    const double spare = 0.5 * fmax(size - (range.high - range.low), 0);
    return (PlotRange){range.low - spare, range.high + spare};
}

void plot_equal_axes(PlotScript *script, PlotRange across, PlotRange up) {
    const double height = fmax(script->inner_height - ABOVE * script->font_px, 0.5 * script->inner_height);
    const double pixels = fmin(script->inner_width / (across.high - across.low),
                               height / (up.high - up.low)); // of a metre
    const PlotRange wide = widened(across, script->inner_width / pixels), high = widened(up, height / pixels);
    plot_axis(script, 'x', wide.low, wide.high);
    plot_axis(script, 'y', high.low, high.high);
    script->number_em = script->next.tick_em[0];
}

// The panel's size is not known yet: gnuplot computes ranges and ticks from the variables of the layout. U, V: pixels
// of the panel; M: those of a metre; S(x): x as round_up rounds it.
void plot_equal_ranges(PlotScript *script, PlotRange across, PlotRange up) {
    const uint32_t at = script->panel - 1, column = at % script->columns, row = at / script->columns;
    fprintf(script->out,
            "U=(R%u-L%u)*%.17g\nV=(T%u-B%u)*%.17g\nM=U/%.17g<V/%.17g?U/%.17g:V/%.17g\n"
            "set xrange [%.17g-0.5*U/M:%.17g+0.5*U/M]\nset yrange [%.17g-0.5*V/M:%.17g+0.5*V/M]\n",
            column, column, script->width, row, row, script->height, across.high - across.low, up.high - up.low,
            across.high - across.low, up.high - up.low, 0.5 * (across.low + across.high),
            0.5 * (across.low + across.high), 0.5 * (up.low + up.high), 0.5 * (up.low + up.high));
    fprintf(script->out,
            "S(x)=(x/10**floor(log10(x))>5?10:x/10**floor(log10(x))>2?5:x/10**floor(log10(x))>1?2:1)"
            "*10**floor(log10(x))\n"
            "set xtics S((U/%g>%.6g?U/%g:%.6g)/M)\nset ytics S((V/%g>%.6g?V/%g:%.6g)/M)\n",
            TICKS, (script->number_em + APART) * script->font_px, TICKS, (script->number_em + APART) * script->font_px,
            TICKS, CLOSE_SIZES * script->font_px, TICKS, CLOSE_SIZES * script->font_px);
}

// --- time -----------------------------------------------------------------------------------------

int plot_is_within(const PlotOptions *options, double time_s) {
    return !options->has_interval || (time_s >= options->interval_s[0] && time_s <= options->interval_s[1]);
}

// Numbers of a short interval late in a scene, "0.2842", do not fit: times since a round one before it, in ms or us.
static int put_offset(PlotScript *script, double first_s, double last_s) {
    const double range_s = last_s - first_s;
    const Ticks plain = choose_ticks(script, 'x', first_s, last_s, script->inner_width);
    const double apart = plain.step / range_s * script->inner_width / script->font_px;
    if (!(range_s < OFFSET_SHARE * last_s) || (plain.count >= 3 && apart >= plain.em + APART)) return 0;
    const double round_s = pow(10, ceil(log10(range_s))), offset_s = floor(first_s / round_s * (1 + 1e-12)) * round_s;
    const double unit_s = range_s < 5e-4 ? 1e-6 : range_s < 0.5 ? 1e-3 : 1;
    const Ticks ticks =
        choose_ticks(script, 'x', (first_s - offset_s) / unit_s, (last_s - offset_s) / unit_s, script->inner_width);
    char name[80];
    fprintf(script->out, "set xrange [%.17g:%.17g]\nset xtics scale %g (", first_s, last_s, PLOT_TICS);
    for (int i = 0; i < ticks.count; i++) {
        const double value = ticks.first + i * ticks.step;
        fprintf(script->out, "%s'%.*g' %.17g", i > 0 ? ", " : "", ticks.digits,
                fabs(value) < 1e-9 * ticks.step ? 0 : value, offset_s + unit_s * value);
    }
    fputs(")\n", script->out);
    snprintf(name, sizeof name, "time − %.12g s", offset_s);
    plot_label(script, PLOT_X_LABEL, name, unit_s < 1e-5 ? "µs" : unit_s < 1 ? "ms" : "s");
    script->next.tick_em[0] = ticks.em;
    return 1;
}

void plot_time_axis(PlotScript *script, double first_s, double last_s) {
    const PlotOptions *options = script->options;
    const double first = options->has_interval ? options->interval_s[0] : first_s;
    const double last = options->has_interval ? options->interval_s[1] : last_s > first_s ? last_s : first_s + 1;
    if (put_offset(script, first, last)) return;
    plot_axis(script, 'x', first, last);
    plot_label(script, PLOT_X_LABEL, "time", "s");
}
