// What a study requests of statistics: quantiles, confidence, bins; measured values to compare with are in
// study_reference.c.
#include <math.h>

#include "study_internal.h"

const StudyStatistics study_statistics_defaults = {
    .is_wanted = 1, .confidence = 0.95, .bins = 50, .quantile_count = 5, .quantiles = {0.05, 0.25, 0.5, 0.75, 0.95}};

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
        if (isnan(value)) continue; // reported
        if (count > 0 && !(value > statistics->quantiles[count - 1]))
            reader_error(reader, item, "expected probabilities that ascend, found %s", item->text);
        statistics->quantiles[statistics->quantile_count++] = value;
    }
}

// --- stop -----------------------------------------------------------------------------------------

// Only of these designs the first scenes are a smaller one of the same kind.
static bool has_prefixes(DesignKind kind) {
    return kind == DESIGN_MONTE_CARLO || kind == DESIGN_SOBOL || kind == DESIGN_SOBOL_PLAIN ||
           kind == DESIGN_SALTELLI || kind == DESIGN_MORRIS;
}

// {width: {quantity: number, ...}, least: scenes}
static void read_stop(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"width", "least", NULL};
    const Study *study = reader->study;
    StudyStop *stop = &reader->study->statistics.stop;
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    const YamlNode *width = map_require(reader, node, "width", "a map of quantities to widths"),
                   *least = map_get(node, "least");
    stop->least = least != NULL ? read_integer(reader, least, 2, STUDY_SCENES_MAX) : STUDY_STOP_LEAST;
    if (!has_prefixes(study->design.kind))
        reader_error(reader, node,
                     "expected a design whose first scenes are one of their own (monte_carlo, sobol, saltelli, "
                     "morris), found %s",
                     study_design_name(study->design.kind));
    if (width == NULL) return;
    if (width->kind != YAML_MAP || width->child_count == 0 || width->child_count > STUDY_STOP_QUANTITIES_MAX) {
        reader_expected(reader, width, "a map of 1 to 16 quantities to widths");
        return;
    }
    for (const YamlNode *child = width->child_first; child != NULL; child = child->next) {
        stop->quantities[stop->count] = read_quantity_key(reader, child);
        stop->widths[stop->count++] = read_constant(reader, child, &RANGE_POSITIVE);
    }
}

// `false`, or {quantiles, confidence, bins, references, stop}.
void read_statistics(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"quantiles", "confidence", "bins", "references", "stop", NULL};
    StudyStatistics *statistics = &reader->study->statistics;
    *statistics = study_statistics_defaults;
    if (node == NULL) return;
    if (node->kind == YAML_SCALAR) {
        statistics->is_wanted = read_bool(reader, node, true);
        return;
    }
    if (!map_check(reader, node, keys, NULL)) return;
    const YamlNode *confidence = map_get(node, "confidence"), *bins = map_get(node, "bins");
    read_quantiles(reader, map_get(node, "quantiles"));
    read_references(reader, map_get(node, "references"));
    read_stop(reader, map_get(node, "stop"));
    if (confidence != NULL) statistics->confidence = read_constant(reader, confidence, &RANGE_PROBABILITY);
    if (bins != NULL) statistics->bins = (uint32_t)read_integer(reader, bins, 1, STUDY_BINS_MAX);
}
