// Functions of time: "=0.1*sin(2*pi*f*t)", a number, or a table of times and values.
#include "study_internal.h"

#include <math.h>
#include <stdlib.h>

#include "model/scene_types.h"
#include "text.h"

#define TABLE_POINTS_MAX 100000u

// Space for new rows, which are zeros; NULL without memory.
static SceneFunction *function_append(Reader *reader, uint32_t count) {
    SceneDescription *scene = &reader->study->scene;
    for (uint32_t i = 0; i < count; i++) {
        if (!reader_grow(reader, (void **)&scene->functions, &reader->function_capacity, scene->function_count,
                         sizeof *scene->functions))
            return NULL;
        scene->functions[scene->function_count++] = (SceneFunction){0};
    }
    return &scene->functions[scene->function_count - count];
}

static bool append_number(Reader *reader, const Number *number) {
    if (!number->is_ok || function_append(reader, 1) == NULL) return false;
    const uint32_t row = reader->study->scene.function_count - 1;
    reader->study->scene.functions[row].code = FUNCTION_CONSTANT;
    number_place(reader, number, (NumberTarget){BIND_FUNCTION, row, offsetof(SceneFunction, value)});
    return true;
}

bool function_append_number(Reader *reader, double value) {
    const Number number = number_constant(value);
    return append_number(reader, &number);
}

bool function_append_read(Reader *reader, const YamlNode *node, const NumberRange *range) {
    const Number number = read_number(reader, node, range);
    return append_number(reader, &number);
}

bool function_append_head(Reader *reader) {
    SceneFunction *row = function_append(reader, 1);
    if (row == NULL) return false;
    row->code = FUNCTION_NONE;
    return true;
}

static bool append_expression(Reader *reader, const YamlNode *node) {
    Expression expression;
    uint32_t depth = 0, most = 0;
    if (!read_time_expression(reader, node, &expression)) return false;
    for (uint32_t i = 0; i < expression.step_count; i++) {
        const ExpressionStep *step = &expression.steps[i];
        depth += 1 - (uint32_t)expression_arity(step->code);
        if (depth > most) most = depth;
        if (step->code == EXPRESSION_CONSTANT || (step->code == EXPRESSION_PARAMETER && step->parameter != NONE)) {
            const Number number =
                step->code == EXPRESSION_CONSTANT
                    ? number_constant(step->value)
                    : (Number){.is_ok = true, .value = reader->medians[step->parameter], .parameter = step->parameter};
            if (!append_number(reader, &number)) return false;
            continue;
        }
        SceneFunction *row = function_append(reader, 1);
        if (row == NULL) return false;
        row->code = step->code == EXPRESSION_PARAMETER ? FUNCTION_TIME : (uint32_t)step->code;
    }
    if (most <= FUNCTION_DEPTH_MAX) return true;
    reader_error(reader, node, "expected at most %u operands that wait in a function of time, found %u",
                 FUNCTION_DEPTH_MAX, most);
    return false;
}

// --- tables ---------------------------------------------------------------------------------------

// Slopes of the cubic spline that is twice continuously differentiable and stands still at both ends: the tridiagonal
// system h1 s0 + 2 (h0 + h1) s1 + h0 s2 = 3 (h1 d0 + h0 d1), d the slopes of chords, by elimination.
static bool spline_slopes(Reader *reader, SceneFunction *points, uint32_t count) {
    double *upper = reader_take(reader, count * sizeof *upper);
    if (upper == NULL) return false;
    points[0].slope = points[count - 1].slope = upper[0] = 0;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const double h0 = points[i].time_s - points[i - 1].time_s, h1 = points[i + 1].time_s - points[i].time_s;
        const double d0 = (points[i].value - points[i - 1].value) / h0;
        const double d1 = (points[i + 1].value - points[i].value) / h1;
        const double pivot = 2 * (h0 + h1) - h1 * upper[i - 1];
        upper[i] = h0 / pivot;
        points[i].slope = (3 * (h1 * d0 + h0 * d1) - h1 * points[i - 1].slope) / pivot;
    }
    for (uint32_t i = count - 1; i-- > 1;) points[i].slope -= upper[i] * points[i + 1].slope;
    return true;
}

// A point from a list [t, value].
static bool read_point(Reader *reader, const YamlNode *node, SceneFunction *out_point) {
    const uint32_t errors_before = reader->error_count;
    if (!list_check(reader, node, 2, "a point [t, value]")) return false;
    *out_point = (SceneFunction){.code = FUNCTION_POINT};
    out_point->time_s = read_constant(reader, node->child_first, &RANGE_ANY);
    out_point->value = read_constant(reader, node->child_last, &RANGE_ANY);
    return reader->error_count == errors_before;
}

static bool fill_from_list(Reader *reader, const YamlNode *list, SceneFunction *points) {
    for (const YamlNode *item = list->child_first; item != NULL; item = item->next) {
        if (!read_point(reader, item, &points[item->index])) return false;
        if (item->index == 0 || points[item->index].time_s > points[item->index - 1].time_s) continue;
        reader_error(reader, item, "expected a time after the one before, %.9g, found %.9g",
                     points[item->index - 1].time_s, points[item->index].time_s);
        return false;
    }
    return true;
}

static bool fill_from_file(Reader *reader, const YamlNode *node, const Table *table, SceneFunction *points) {
    for (size_t i = 0; i < table->row_count; i++) {
        const double *row = table->values + i * table->column_count;
        points[i] = (SceneFunction){.code = FUNCTION_POINT, .time_s = row[0], .value = row[1]};
        if (i == 0 || row[0] > points[i - 1].time_s) continue;
        reader_error(reader, node, "expected times that rise, found %.9g after %.9g in row %zu of \"%s\"", row[0],
                     points[i - 1].time_s, i + 1, node->text);
        return false;
    }
    return true;
}

// A table in the study or a CSV file of two columns.
static bool append_table(Reader *reader, const YamlNode *node) {
    const bool is_list = node->kind == YAML_LIST;
    Table table = {0};
    if (!is_list && !read_table_file(reader, node, &table)) return false;
    const size_t count = is_list ? node->child_count : table.row_count;
    if (!is_list && table.column_count != 2) {
        reader_error(reader, node, "expected a file with 2 columns, time and value, found %u", table.column_count);
        return false;
    }
    if (count < 2 || count > TABLE_POINTS_MAX) {
        reader_error(reader, node, "expected 2 to %u points, found %zu", TABLE_POINTS_MAX, count);
        return false;
    }
    SceneFunction *rows = function_append(reader, (uint32_t)count + 1);
    if (rows == NULL) return false;
    *rows = (SceneFunction){.code = FUNCTION_TABLE, .count = (uint32_t)count};
    if (!(is_list ? fill_from_list(reader, node, rows + 1) : fill_from_file(reader, node, &table, rows + 1)))
        return false;
    return spline_slopes(reader, rows + 1, (uint32_t)count);
}

// --- functions ------------------------------------------------------------------------------------

bool read_function(Reader *reader, const YamlNode *node, uint32_t *out_first, uint32_t *out_count) {
    static const char *const keys[] = {"table", NULL};
    const uint32_t first = reader->study->scene.function_count;
    bool is_ok = false;
    if (node->kind == YAML_SCALAR && node->text[0] == '=') {
        is_ok = append_expression(reader, node);
    } else if (node->kind == YAML_MAP) {
        const YamlNode *table = map_check(reader, node, keys, NULL)
                                    ? map_require(reader, node, "table", "a list of [t, value] or a CSV file")
                                    : NULL;
        is_ok = table != NULL && append_table(reader, table);
    } else if (node->kind == YAML_SCALAR) {
        const Number number = read_number(reader, node, &RANGE_ANY);
        is_ok = append_number(reader, &number);
    } else {
        reader_expected(reader, node, "an expression of t such as \"=0.1*sin(t)\", or {table: ...}");
    }
    *out_first = first;
    *out_count = reader->study->scene.function_count - first;
    return is_ok;
}

void read_functions_xyz(Reader *reader, const YamlNode *node) {
    for (int i = 0; i < 3 && node == NULL; i++) function_append_number(reader, 0.0);
    if (node == NULL) return;
    for (const YamlNode *item = node->child_first; node->kind == YAML_LIST && item != NULL; item = item->next) {
        uint32_t first, count;
        read_function(reader, item, &first, &count);
    }
    list_check(reader, node, 3, "a list [x, y, z] of numbers, expressions of t or tables");
}
