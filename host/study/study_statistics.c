// What is asked of statistics: quantiles, confidence, bins, measured values to compare with.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"
#include "study_internal.h"

static const NumberRange RANGE_PROBABILITY = {0, 1, true, true, "a number > 0 and < 1"};

static void read_quantiles(Reader *reader, const YamlNode *node) {
    StudyStatistics *statistics = &reader->study->statistics;
    if (node == NULL || !list_check(reader, node, -1, "a list of probabilities")) return;
    if (node->child_count == 0 || node->child_count > STUDY_QUANTILES_MAX) {
        reader_error(reader, node, "expected 1 to %d probabilities, found %u", STUDY_QUANTILES_MAX, node->child_count);
        return;
    }
    statistics->quantile_count = 0;
    for (const YamlNode *item = node->child_first; item != NULL; item = item->next) {
        const double value = read_constant(reader, item, &RANGE_PROBABILITY);
        const uint32_t count = statistics->quantile_count;
        if (isnan(value)) continue; // told
        if (count > 0 && !(value > statistics->quantiles[count - 1]))
            reader_error(reader, item, "expected probabilities that ascend, found %s", item->text);
        statistics->quantiles[statistics->quantile_count++] = value;
    }
}

// --- references -----------------------------------------------------------------------------------

static uint32_t find_quantity(Reader *reader, const YamlNode *node) {
    const Study *study = reader->study;
    const char **names = reader_take(reader, ((size_t)study->quantity_count + 1) * sizeof *names);
    if (names == NULL) return NONE;
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        names[i] = study->quantities[i].name;
        if (strcmp(names[i], node->key) == 0) return i;
    }
    const char *nearest = word_nearest(node->key, names);
    reader_error_key(reader, node->parent, &node->key_place, "unknown quantity \"%.60s\"%s%.60s%s", node->key,
                     nearest != NULL ? ", did you mean \"" : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "\"?" : "");
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
    reader_error(reader, node, "expected the key \"column\", since of %u columns none is \"%.60s\", found none",
                 table->column_count, node->key);
    return false;
}

// A path, or {file, column}; without `column` that of the quantity's name, or the only one.
static void read_reference(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"file", "column", NULL};
    StudyStatistics *statistics = &reader->study->statistics;
    const YamlNode *file = node, *column = NULL;
    const uint32_t quantity = find_quantity(reader, node);
    Table table = {0};
    uint32_t index = 0;
    if (node->kind == YAML_MAP) {
        if (!map_check(reader, node, keys, NULL)) return;
        file = map_require(reader, node, "file", "the path of a CSV file");
        column = map_get(node, "column");
    }
    if (quantity == NONE || file == NULL || !read_table_file(reader, file, &table) ||
        !choose_column(reader, node, column, &table, &index))
        return;
    double *values = calloc(table.row_count, sizeof *values);
    if (values == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < table.row_count; i++) values[i] = table.values[i * table.column_count + index];
    statistics->references[statistics->reference_count++] = (StudyReference){quantity, table.row_count, values};
}

static void read_references(Reader *reader, const YamlNode *node) {
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

// `false`, or {quantiles, confidence, bins, references}.
void read_statistics(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"quantiles", "confidence", "bins", "references", NULL};
    StudyStatistics *statistics = &reader->study->statistics;
    *statistics = (StudyStatistics){.is_wanted = 1,
                                    .bins = statistics_defaults.bins,
                                    .quantile_count = statistics_defaults.quantile_count,
                                    .confidence = statistics_defaults.confidence};
    memcpy(statistics->quantiles, statistics_defaults.quantiles, sizeof statistics->quantiles);
    if (node == NULL) return;
    if (node->kind == YAML_SCALAR) {
        statistics->is_wanted = read_bool(reader, node, true);
        return;
    }
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *confidence = map_get(node, "confidence"), *bins = map_get(node, "bins");
    read_quantiles(reader, map_get(node, "quantiles"));
    read_references(reader, map_get(node, "references"));
    if (confidence != NULL) statistics->confidence = read_constant(reader, confidence, &RANGE_PROBABILITY);
    if (bins != NULL) statistics->bins = (uint32_t)read_integer(reader, bins, 1, STUDY_BINS_MAX);
}
