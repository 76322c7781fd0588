// Measured values that quantities are compared with: samples of a quantity, or shares over the levels of a parameter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#include "study_internal.h"

uint32_t read_quantity_key(Reader *reader, const YamlNode *node) {
    const Study *study = reader->study;
    const char **names = reader_take(reader, ((size_t)study->quantity_count + 1) * sizeof *names);
    if (names == NULL) return NONE;
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        names[i] = study->quantities[i].name;
        if (strcmp(names[i], node->key) == 0) return i;
    }
    const char *nearest = word_nearest(node->key, names);
    reader_error_key(reader, node->parent, &node->key_place, "unknown quantity \"%.*s\"%s%.60s%s",
                     TEXT_CUT(node->key, 60), nearest != NULL ? ", did you mean \"" : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return NONE;
}

// The column that is named; else the quantity's, or the only one. False after errors.
static bool choose_column(Reader *reader, const YamlNode *node, const YamlNode *column, const Table *table,
                          uint32_t *out_index) {
    if (column != NULL) {
        const char *name = read_text(reader, column, "the name of a column");
        return name != NULL && table_find_column(reader, column, table, name, out_index);
    }
    *out_index = 0;
    if (table->column_count == 1) return true;
    for (; *out_index < table->column_count; ++*out_index)
        if (strcmp(table->names[*out_index], node->key) == 0) return true;
    reader_error(reader, node, "expected the key \"column\", since of %u columns none is \"%.*s\", found none",
                 table->column_count, TEXT_CUT(node->key, 60));
    return false;
}

static double *copy_column(Reader *reader, const Table *table, uint32_t column) {
    double *values = calloc(table->row_count, sizeof *values);
    if (values == NULL) reader->is_out_of_memory = true;
    for (size_t i = 0; values != NULL && i < table->row_count; i++)
        values[i] = table->values[i * table->column_count + column];
    return values;
}

// --- shares over a parameter --------------------------------------------------------------------------

static bool is_discrete(const Study *study, uint32_t parameter) {
    const DistributionKind kind = study->parameters[parameter].distribution.kind;
    return kind == DISTRIBUTION_DISCRETE || kind == DISTRIBUTION_INTEGER || kind == DISTRIBUTION_COLUMN ||
           study->design.kind == DESIGN_GRID;
}

// A parameter with levels, by its name. NONE after errors, or for a variable that does not vary (*out_is_constant).
static uint32_t read_parameter(Reader *reader, const YamlNode *node, bool *out_is_constant) {
    const Study *study = reader->study;
    const char *name = read_text(reader, node, "the name of a parameter");
    *out_is_constant = false;
    if (name == NULL) return NONE;
    Variable *variable = variable_find(reader, name, strlen(name));
    if (variable != NULL) variable->is_used = true;
    *out_is_constant = variable != NULL && variable->number.is_ok && variable->number.parameter == NONE;
    if (*out_is_constant) return NONE;
    const char **names = reader_take(reader, ((size_t)study->parameter_count + 1) * sizeof *names);
    if (names == NULL) return NONE;
    for (uint32_t i = 0; i < study->parameter_count; i++) {
        names[i] = study->parameters[i].name;
        if (strcmp(names[i], name) != 0) continue;
        if (is_discrete(study, i)) return i;
        reader_error(reader, node,
                     "expected a parameter with levels (discrete, integer, a column of a table, a grid), found %s, "
                     "which is %.100s",
                     name, study->parameters[i].text);
        return NONE;
    }
    const char *nearest = word_nearest(name, names);
    reader_error(reader, node, "unknown parameter \"%.*s\"%s%.60s%s", TEXT_CUT(name, 60),
                 nearest != NULL ? ", did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    return NONE;
}

static void read_by(Reader *reader, const YamlNode *node, StudyReference *reference) {
    if (node == NULL || !list_check(reader, node, -1, "a list of parameters")) return;
    if (node->child_count > STUDY_FIT_PARAMETERS_MAX) {
        reader_error(reader, node, "expected at most %d parameters, found %u", STUDY_FIT_PARAMETERS_MAX,
                     node->child_count);
        return;
    }
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        bool is_constant = false, is_new = true;
        const uint32_t parameter = read_parameter(reader, item, &is_constant);
        if (parameter == NONE) continue;
        is_new = parameter != reference->over;
        for (uint32_t k = 0; k < reference->by_count; k++) is_new &= reference->by[k] != parameter;
        if (is_new)
            reference->by[reference->by_count++] = parameter;
        else
            reader_error(reader, item, "expected each parameter once, found \"%.*s\" again", TEXT_CUT(item->text, 60));
    }
}

// Shares are those of counts: both have to be ones.
static void check_shares(Reader *reader, const YamlNode *node, const StudyReference *reference) {
    for (size_t i = 0; i < reference->count; i++) {
        const double share = reference->values[i], size = reference->sizes[i];
        if (!(share >= 0 && share <= 1))
            reader_error(reader, node, "row %zu: expected a share from 0 to 1, found %g", i + 1, share);
        if (!(size >= 1 && size <= INT32_MAX && size == floor(size)))
            reader_error(reader, node, "row %zu: expected a whole number >= 1 as count, found %g", i + 1, size);
        for (size_t k = 0; k < i; k++)
            if (reference->levels[k] == reference->levels[i])
                reader_error(reader, node, "row %zu: expected each level once, found %g again", i + 1,
                             reference->levels[i]);
    }
}

// `over`, `count`, `by` beside `column`.
static void read_levels(Reader *reader, const YamlNode *node, const Table *table, StudyReference *reference) {
    const YamlNode *over = map_require(reader, node, "over", "the parameter over which shares are measured");
    const YamlNode *count = map_require(reader, node, "count", "the column with the number of trials");
    bool is_constant = false;
    uint32_t levels = 0, sizes = 0;
    if (reader->study->quantities[reference->quantity].kind != QUANTITY_SHARE)
        reader_error(reader, node, "expected a quantity that is a share beside \"over\", found another");
    if (over == NULL || count == NULL) return;
    reference->over = read_parameter(reader, over, &is_constant);
    if (is_constant)
        reader_error(reader, over, "expected a parameter with levels, found \"%.*s\", which does not vary",
                     TEXT_CUT(over->text, 60));
    read_by(reader, map_get(node, "by"), reference);
    const char *size_name = read_text(reader, count, "the name of a column");
    const bool has_sizes = size_name != NULL && table_find_column(reader, count, table, size_name, &sizes);
    if (reference->over == NONE || !table_find_column(reader, over, table, over->text, &levels) || !has_sizes) return;
    reference->levels = copy_column(reader, table, levels);
    reference->sizes = copy_column(reader, table, sizes);
    if (reference->levels != NULL && reference->sizes != NULL) check_shares(reader, node, reference);
}

// --- all --------------------------------------------------------------------------------------------------

// A path, or {file, column}; without `column` that of the quantity's name, or the only one. {over, count, by} beside
// them make it shares over a parameter.
static void read_reference(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"file", "column", "over", "count", "by", NULL};
    StudyStatistics *statistics = &reader->study->statistics;
    const YamlNode *file = node, *column = NULL;
    StudyReference reference = {.quantity = read_quantity_key(reader, node), .over = NONE};
    Table table = {0};
    uint32_t index = 0;
    if (node->kind == YAML_MAP) {
        if (!map_check(reader, node, keys, NULL)) return;
        file = map_require(reader, node, "file", "the path of a CSV file");
        column = map_get(node, "column");
    }
    if (reference.quantity == NONE || file == NULL || !read_table_file(reader, file, &table) ||
        !choose_column(reader, node, column, &table, &index))
        return;
    reference.count = table.row_count;
    reference.values = copy_column(reader, &table, index);
    if (reference.values == NULL) return;
    if (map_get(node, "over") != NULL || map_get(node, "count") != NULL || map_get(node, "by") != NULL)
        read_levels(reader, node, &table, &reference);
    statistics->references[statistics->reference_count++] = reference;
}

void read_references(Reader *reader, const YamlNode *node) {
    StudyStatistics *statistics = &reader->study->statistics;
    if (node == NULL) return;
    if (node->kind != YAML_MAP) {
        reader_expected(reader, node, "a map of quantities to CSV files");
        return;
    }
    statistics->references = calloc((size_t)node->child_count + 1, sizeof *statistics->references);
    if (statistics->references == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const YamlNode *child = node->child_first; child != NULL; child = child->next) read_reference(reader, child);
}
