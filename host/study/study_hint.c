// What a text was meant to be that stands where a number or an operator has to.
#include "study_internal.h"

#include <stdio.h>
#include <string.h>

#include "number.h"
#include "text.h"

static const char *const operators = "+-*/^()<>=!&|";

// Units that people write behind numbers, in those of a study.
static const struct {
    const char *unit;
    double factor;
} units[] = {{"m", 1},    {"mm", 1e-3},  {"cm", 1e-2}, {"um", 1e-6}, {"km", 1e3},   {"kg", 1},     {"g", 1e-3},
             {"t", 1e3},  {"s", 1},      {"ms", 1e-3}, {"us", 1e-6}, {"min", 60},   {"N", 1},      {"kN", 1e3},
             {"MN", 1e6}, {"Pa", 1},     {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9},  {"m/s", 1},    {"mm/s", 1e-3},
             {"rad", 1},  {"rad/s", 1},  {"N/m", 1},   {"Nm", 1},    {"N m", 1},    {"%", 0.01},   {"kg/m3", 1},
             {"J", 1},    {"kg/m^3", 1}, {"m/s2", 1},  {"m/s^2", 1}, {"N/mm", 1e3}, {"g/cm3", 1e3}};

// "20deg", "4 cm": how many bytes its number has, and the unit after it; 0: no number.
static size_t number_length(const char *text, double *out_value, const char **out_unit) {
    char number[32];
    const size_t length = strspn(text, "+-.0123456789");
    if (length >= sizeof number) return 0;
    memcpy(number, text, length);
    number[length] = '\0';
    *out_unit = text + length + strspn(text + length, " ");
    return number_parse(number, out_value) ? length : 0;
}

static bool is_degrees(const char *unit) {
    return strcmp(unit, "deg") == 0 || strcmp(unit, "degree") == 0 || strcmp(unit, "degrees") == 0 ||
           strcmp(unit, "\xc2\xb0") == 0;
}

static bool hint_unit(const char *text, char *out, size_t out_bytes) {
    double value = 0;
    const char *unit = NULL;
    const size_t length = number_length(text, &value, &unit);
    if (length == 0) return false;
    if (is_degrees(unit)) {
        snprintf(out, out_bytes, ": angles are in radians, \"=%.*s*pi/180\"", (int)length, text);
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) != 0) continue;
        snprintf(out, out_bytes, ": units are SI and not written, did you mean %.9g?", value * units[i].factor);
        return true;
    }
    return false;
}

// Does a text compute something of variables or numbers? Text: without "=" before it.
static bool is_computed(Reader *reader, const char *text) {
    bool has_operator = false, has_operand = false;
    for (const char *at = text; *at != '\0'; at++) {
        const size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
        if (name > 0) {
            has_operand |= variable_find(reader, at, name) != NULL;
            at += name - 1;
        } else if (strchr(operators, *at) != NULL)
            has_operator = true;
        else if (*at != ' ' && *at != ',' && *at != '$')
            return false;
    }
    return has_operator && has_operand;
}

// "h + 0.1", "$h+0.1": the expression that says it.
static bool hint_expression(Reader *reader, const char *text, char *out, size_t out_bytes) {
    char plain[64];
    size_t used = 0;
    if (strlen(text) >= sizeof plain || !is_computed(reader, text)) return false;
    for (const char *at = text; *at != '\0'; at++)
        if (*at != '$') plain[used++] = *at;
    plain[used] = '\0';
    snprintf(out, out_bytes, ": expressions begin with \"=\", did you mean \"=%s\"?", plain);
    return true;
}

void reader_expected_number(Reader *reader, const YamlNode *node, const NumberRange *range, bool can_vary) {
    char found[128], hint[160] = "";
    node_describe(node, found, sizeof found);
    if (node->kind == YAML_SCALAR && !hint_unit(node->text, hint, sizeof hint) && can_vary) {
        if (variable_find(reader, node->text, strlen(node->text)) != NULL)
            snprintf(hint, sizeof hint, ", did you mean \"$%.*s\"?", TEXT_CUT(node->text, 60));
        else
            (void)hint_expression(reader, node->text, hint, sizeof hint);
    }
    reader_error(reader, node, "expected %s%s, found %s%s", range->words, can_vary ? " or a distribution" : "", found,
                 hint);
}

const char *operator_hint(const char *at) {
    static const struct {
        const char *sign, *meant;
    } signs[] = {{"&", ", did you mean \"and\"?"}, {"|", ", did you mean \"or\"?"},
                 {"!", ", did you mean \"not\"?"}, {"=", ", did you mean \"==\"?"},
                 {"*", ", did you mean \"^\"?"},   {"$", ": in expressions variables are named without \"$\""}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (*at == *signs[i].sign && (*at != '*' || at[-1] == '*')) return signs[i].meant; // "=" is before it
    return "";
}
