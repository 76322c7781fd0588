// The group /verification of an ensemble file: what a share of the scenes became when run again, refined.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clack.h"
#include "durable.h"
#include "record_internal.h"

typedef struct VerifyGroup {
    RecordPlace place;
    hid_t file, group, quantities, axis; // 0: not open
    hsize_t count;
} VerifyGroup;

static DatasetSpec verify_spec(const VerifyGroup *here, hid_t parent, const char *name, const char *unit,
                               const char *sentence) {
    return (DatasetSpec){.parent = parent,
                         .name = name,
                         .type = RECORD_F64,
                         .rank = 1,
                         .dims = {here->count},
                         .chunk = {here->count < RECORD_CHUNK_SCENES ? here->count : RECORD_CHUNK_SCENES},
                         .scales = {here->axis},
                         .fill = NAN,
                         .has_fill_attribute = true,
                         .unit = unit,
                         .sentence = sentence};
}

// One dataset of every `stride`-th of the values.
static ClackStatus verify_write(const VerifyGroup *here, const DatasetSpec *spec, const double *values,
                                uint32_t stride) {
    hid_t dataset = -1;
    const hsize_t start = 0;
    double *column = malloc((size_t)(here->count + 1) * sizeof *column);
    if (column == NULL) return report_add(here->place.report, CLACK_MEMORY, "no memory for %s", spec->name);
    for (hsize_t i = 0; i < here->count; i++) column[i] = values[i * stride];
    ClackStatus status = record_h5_dataset(&here->place, spec, &dataset);
    if (status == CLACK_OK) {
        status = record_h5_write(&here->place, dataset, spec->name, &start, &here->count, column);
        status = record_h5_close(&here->place, dataset, spec->name, status);
    }
    free(column);
    return status;
}

// An axis of its own (as `recorded` of trajectories), whose values are numbers of scenes; scene_number has the same.
static ClackStatus verify_make_numbers(const VerifyGroup *here, const ClackVerification *verification, const char *name,
                                       hid_t *out_dataset) {
    DatasetSpec spec = verify_spec(here, here->group, name, "1", "Number of the scene within the study.");
    const hsize_t start = 0;
    double *numbers = malloc((size_t)(here->count + 1) * sizeof *numbers);
    if (numbers == NULL) return report_add(here->place.report, CLACK_MEMORY, "no memory for scenes");
    for (hsize_t i = 0; i < here->count; i++) numbers[i] = (double)verification->scenes[i];
    spec.type = RECORD_I32;
    spec.fill = 0;
    spec.has_fill_attribute = false;
    ClackStatus status = record_h5_dataset(&here->place, &spec, out_dataset);
    if (status == CLACK_OK) status = record_h5_write(&here->place, *out_dataset, name, &start, &here->count, numbers);
    free(numbers);
    return status;
}

static ClackStatus verify_make_axis(VerifyGroup *here, const ClackVerification *verification) {
    hid_t numbers = -1;
    TRY(verify_make_numbers(here, verification, "compared", &here->axis));
    TRY(record_h5_make_scale(&here->place, here->axis, "compared"));
    const ClackStatus status = verify_make_numbers(here, verification, "scene_number", &numbers);
    return record_h5_close(&here->place, numbers, "scene_number", status);
}

static ClackStatus verify_fill(VerifyGroup *here, const ClackStudy *study, const ClackVerification *verification) {
    const RecordPlace *place = &here->place;
    TRY(record_h5_group(place, here->file, "verification", &here->group));
    TRY(record_h5_text(place, here->group, "description",
                       "The same scenes at a hundredth of the tolerance and a quarter of the step."));
    TRY(record_h5_u64(place, here->group, "scenes_compared", verification->compared));
    TRY(record_h5_u64(place, here->group, "scenes_with_other_events", verification->other_events));
    TRY(verify_make_axis(here, verification));
    DatasetSpec spec = verify_spec(here, here->group, "position_difference", "m",
                                   "Largest distance between the two final positions of a body.");
    TRY(verify_write(here, &spec, verification->position_m, 1));
    spec = verify_spec(here, here->group, "velocity_difference", "m/s",
                       "Largest distance between the two final velocities of a body.");
    TRY(verify_write(here, &spec, verification->velocity_m_per_s, 1));
    spec = verify_spec(here, here->group, "error_sum", "m/s",
                       "Sum of the velocity errors estimated by the substeps, as run.");
    TRY(verify_write(here, &spec, verification->error_sum_m_per_s, 1));
    TRY(record_h5_group(place, here->group, "quantity_difference", &here->quantities));
    for (uint32_t q = 0; q < verification->quantity_count; q++) {
        spec = verify_spec(here, here->quantities, study->quantities[q].name, study->quantities[q].unit,
                           "Refined minus as run.");
        TRY(verify_write(here, &spec, verification->quantity_differences + q, verification->quantity_count));
    }
    return CLACK_OK;
}

static ClackStatus verify_copy(const char *from, FILE *out, ClackReport *report) {
    char block[1 << 16];
    FILE *in = fopen(from, "rb");
    if (in == NULL) return report_add(report, CLACK_IO, "%s: cannot open: %s", from, strerror(errno));
    for (size_t bytes; (bytes = fread(block, 1, sizeof block, in)) > 0 && !ferror(out);) fwrite(block, 1, bytes, out);
    const int is_unread = ferror(in);
    fclose(in);
    return is_unread ? report_add(report, CLACK_IO, "%s: cannot read: %s", from, strerror(errno)) : CLACK_OK;
}

static ClackStatus verify_add(VerifyGroup *here, const ClackStudy *study, const ClackVerification *verification) {
    TRY(record_h5_open_to_change(&here->place, &here->file));
    ClackStatus status = verify_fill(here, study, verification);
    if (here->axis > 0) status = record_h5_close(&here->place, here->axis, "compared", status);
    if (here->quantities > 0) status = record_h5_close(&here->place, here->quantities, "quantity_difference", status);
    if (here->group > 0) status = record_h5_close(&here->place, here->group, "verification", status);
    return record_h5_finish_file(&here->place, here->file, status);
}

// The run is finished and safe: the group goes into a copy, which takes the file's name once it is whole.
ClackStatus record_verification(const Study *study, const ClackVerification *verification, const char *path,
                                ClackReport *report) {
    DurableFile copy;
    TRY(durable_create(path, 1, &copy, report));
    VerifyGroup here = {.place = {.path = copy.part_path, .status = CLACK_IO, .report = report},
                        .count = verification->scene_count};
    record_h5_quiet();
    ClackStatus status = verify_copy(path, copy.stream, report);
    status = durable_flush(&copy, status, report);
    if (status == CLACK_OK) status = verify_add(&here, study, verification);
    return durable_finish(&copy, status, report);
}
