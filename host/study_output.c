// The outputs section: trajectory, recorded contacts, events, statistics; quantities are in study_quantity.c.
#include "study_internal.h"

#include <math.h>
#include <string.h>

#include "statistics.h"

// `{every: s, scenes: n}`: when and of how many scenes to record.
static void read_recording(Reader *reader, const YamlNode *node, double *out_every_s,
                           uint64_t *out_scenes) {
    static const char *const keys[] = {"every", "scenes", NULL};
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    const YamlNode *every = map_require(reader, node, "every", "a number > 0, in s");
    const YamlNode *scenes = map_get(node, "scenes");
    if (every != NULL) *out_every_s = read_constant(reader, every, &RANGE_POSITIVE);
    *out_scenes = reader->study->design.scene_count;
    if (scenes == NULL) return;
    const uint64_t wanted = read_integer(reader, scenes, 1, STUDY_SCENES_MAX);
    if (wanted < *out_scenes) *out_scenes = wanted;
}

// As a trajectory, or `true`: when and of how many scenes the trajectory is recorded.
static void read_contacts(Reader *reader, const YamlNode *node, const YamlNode *trajectory) {
    Study *study = reader->study;
    if (node == NULL) return;
    if (node->kind != YAML_SCALAR) {
        read_recording(reader, node, &study->contacts_every_s, &study->contact_scenes);
        return;
    }
    if (!read_bool(reader, node, false)) return;
    if (trajectory == NULL)
        reader_error(reader, node,
                     "expected {every: s} (there is no trajectory whose times could be used), "
                     "found true");
    study->contacts_every_s = study->trajectory_every_s;
    study->contact_scenes = study->trajectory_scenes;
}

// --- statistics -----------------------------------------------------------------------------------

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

// `false`, or {quantiles, confidence, bins}.
static void read_statistics(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"quantiles", "confidence", "bins", NULL};
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
    if (confidence != NULL) statistics->confidence = read_constant(reader, confidence, &RANGE_PROBABILITY);
    if (bins != NULL) statistics->bins = (uint32_t)read_integer(reader, bins, 1, STUDY_BINS_MAX);
}

void read_outputs(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"quantities", "trajectory", "contacts", "events", "statistics", NULL};
    Study *study = reader->study;
    study->record_events = 1;
    read_statistics(reader, map_get(node, "statistics"));
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    study->record_events = read_bool(reader, map_get(node, "events"), true);
    read_quantities(reader, map_get(node, "quantities"));
    const YamlNode *trajectory = map_get(node, "trajectory");
    read_recording(reader, trajectory, &study->trajectory_every_s, &study->trajectory_scenes);
    read_contacts(reader, map_get(node, "contacts"), trajectory);
}
