// The outputs section: trajectory, recorded contacts, events, statistics; quantities are in study_quantity.c.
#include "study_internal.h"

// `{every: s, scenes: n}`: when and of how many scenes to record.
static void read_recording(Reader *reader, const YamlNode *node, double *out_every_s, uint64_t *out_scenes) {
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

void read_outputs(Reader *reader, const YamlNode *node) {
    static const char *const keys[] = {"quantities", "trajectory", "contacts", "events", "statistics", NULL};
    Study *study = reader->study;
    study->record_events = 1;
    if (node != NULL && !map_check(reader, node, keys, NULL)) return;
    read_quantities(reader, map_get(node, "quantities"));
    read_statistics(reader, map_get(node, "statistics"));
    if (node == NULL) return;
    study->record_events = read_bool(reader, map_get(node, "events"), true);
    const YamlNode *trajectory = map_get(node, "trajectory");
    read_recording(reader, trajectory, &study->trajectory_every_s, &study->trajectory_scenes);
    read_contacts(reader, map_get(node, "contacts"), trajectory);
}
