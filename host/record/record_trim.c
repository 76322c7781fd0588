// A file that was laid out for more scenes than it got.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

static ClackStatus trim_dataset(const RecordPlace *place, hid_t file, const char *path, hsize_t count) {
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset < 0) return record_h5_failed(place, "open dataset", path);
    return record_h5_close(place, dataset, path, record_h5_extend(place, dataset, path, 0, count));
}

static ClackStatus trim_scenes(Record *record, hsize_t count, const RecordPlace *place) {
    const Study *study = record->study;
    TRY(trim_dataset(place, record->file, "scene", count));
    TRY(trim_dataset(place, record->file, "parameters/scene", count));
    for (size_t f = 0; f < record_field_count; f++)
        if (record_fields[f].shape == RECORD_SCENE)
            TRY(record_h5_extend(place, record->fields[f], record_fields[f].name, 0, count));
    for (int i = 0; i < RECORD_TABLES; i++) {
        const RecordTable *table = &record->tables[i];
        if (table->firsts > 0) TRY(record_h5_extend(place, table->firsts, record_tables[i].first, 0, count));
        if (table->counts > 0) TRY(record_h5_extend(place, table->counts, record_tables[i].count, 0, count));
    }
    for (uint32_t i = 0; i < study->parameter_count; i++)
        TRY(record_h5_extend(place, record->parameters[i], study->parameters[i].name, 0, count));
    for (uint32_t i = 0; i < study->quantity_count; i++)
        TRY(record_h5_extend(place, record->quantities[i], study->quantities[i].name, 0, count));
    return CLACK_OK;
}

static ClackStatus trim_trajectory(Record *record, hsize_t count, const RecordPlace *place) {
    TRY(trim_dataset(place, record->file, "trajectory/recorded", count));
    TRY(trim_dataset(place, record->file, "trajectory/scene_number", count));
    for (size_t f = 0; f < record_field_count; f++)
        if (record_fields[f].shape == RECORD_FRAME_XYZ || record_fields[f].shape == RECORD_FRAME_QUAT)
            TRY(record_h5_extend(place, record->fields[f], record_fields[f].name, 0, count));
    record->trajectory_count = count;
    return CLACK_OK;
}

ClackStatus record_trim(Record *record, uint64_t scene_count, ClackReport *report) {
    assert(scene_count > 0 && scene_count <= record->scene_count);
    const RecordPlace place = {record->part_path, CLACK_IO, report};
    ClackStatus status = CLACK_OK;
    record_h5_quiet(); // as in record_close
    if (scene_count == record->scene_count) return CLACK_OK;
    TRY_CLEAN(trim_scenes(record, scene_count, &place));
    if (record->trajectory_count > scene_count) TRY_CLEAN(trim_trajectory(record, scene_count, &place));
    record->scene_count = scene_count;
cleanup:
    if (status != CLACK_OK) record->has_failed = true;
    return status;
}

ClackStatus record_set_path(Record *record, const char *path, ClackReport *report) {
    char *copy = malloc(strlen(path) + 1);
    if (copy == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", path);
    free(record->path);
    record->path = strcpy(copy, path);
    return CLACK_OK;
}
