// Where the rows of a scene stand in the tables of an ensemble file: sums over the numbers of rows.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

const RecordTableNames record_tables[RECORD_TABLES] = {
    [RECORD_EVENTS] = {"events", "event", "first_event", "n_events"},
    [RECORD_CONTACTS] = {"contacts", "contact", "first_contact", "n_contacts"},
    [RECORD_JOINTS] = {"joints", "joint_row", "first_joint_row", "n_joint_rows"},
};

bool record_is_offset(const char *name) {
    for (int i = 0; i < RECORD_TABLES; i++)
        if (strcmp(name, record_tables[i].first) == 0) return true;
    return false;
}

typedef struct Offsets { // of one table
    const RecordPlace *place;
    const RecordTableNames *names;
    hid_t counts, firsts, axis; // datasets
    double *values;             // (RECORD_BLOCK_VALUES)
    int32_t *numbers;           // (RECORD_BLOCK_VALUES)
} Offsets;

static hsize_t length_of(hid_t dataset) {
    hsize_t length = 0;
    const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 1) H5Sget_simple_extent_dims(space, &length, NULL);
    if (space >= 0) H5Sclose(space);
    return length;
}

static ClackStatus read_block(const Offsets *offsets, hid_t dataset, const char *name, hsize_t start, hsize_t count) {
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
    const bool is_read = space >= 0 && memory >= 0 &&
                         H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
                         H5Dread(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, offsets->numbers) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    return is_read ? CLACK_OK : record_h5_failed(offsets->place, "read dataset", name);
}

static ClackStatus compare_block(const Offsets *offsets, hsize_t start, hsize_t count) {
    TRY(read_block(offsets, offsets->firsts, offsets->names->first, start, count));
    for (hsize_t i = 0; i < count; i++)
        if ((double)offsets->numbers[i] != offsets->values[i])
            return report_add(offsets->place->report, CLACK_CORRUPT, "%s: %s does not read back as it was written",
                              offsets->place->path, offsets->names->first);
    return CLACK_OK;
}

static ClackStatus sum_counts(const Offsets *offsets, bool compares) {
    const RecordTableNames *names = offsets->names;
    const hsize_t scenes = length_of(offsets->counts), rows = length_of(offsets->axis);
    uint64_t next = 0;
    for (hsize_t start = 0; start < scenes; start += RECORD_BLOCK_VALUES) {
        const hsize_t left = scenes - start, count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        TRY(read_block(offsets, offsets->counts, names->count, start, count));
        for (hsize_t i = 0; i < count; i++) {
            offsets->values[i] = (double)next;
            next += offsets->numbers[i] > 0 ? (uint64_t)offsets->numbers[i] : 0;
        }
        if (compares)
            TRY(compare_block(offsets, start, count));
        else
            TRY(record_h5_write(offsets->place, offsets->firsts, names->first, &start, &count, offsets->values));
    }
    if (next == rows) return CLACK_OK;
    return report_add(offsets->place->report, compares ? CLACK_CORRUPT : CLACK_INTERNAL,
                      "%s: %s adds up to %" PRIu64 ", but there are %" PRIu64 " rows in %s", offsets->place->path,
                      names->count, next, (uint64_t)rows, names->group);
}

static ClackStatus write_table(Offsets *offsets, hid_t file, bool compares) {
    const RecordTableNames *names = offsets->names;
    const hid_t group = H5Gopen2(file, names->group, H5P_DEFAULT);
    ClackStatus status = CLACK_OK;
    offsets->counts = H5Dopen2(file, names->count, H5P_DEFAULT);
    offsets->firsts = H5Dopen2(file, names->first, H5P_DEFAULT);
    offsets->axis = group < 0 ? -1 : H5Dopen2(group, names->axis, H5P_DEFAULT);
    if (offsets->counts < 0 || offsets->firsts < 0 || offsets->axis < 0)
        status = record_h5_failed(offsets->place, "open dataset", names->first);
    else
        status = sum_counts(offsets, compares);
    if (offsets->axis >= 0) H5Dclose(offsets->axis);
    if (offsets->counts >= 0) H5Dclose(offsets->counts);
    if (group >= 0) H5Gclose(group);
    return record_h5_close(offsets->place, offsets->firsts, names->first, status);
}

ClackStatus record_offsets_write(const RecordPlace *place, hid_t file, bool compares) {
    Offsets offsets = {.place = place,
                       .values = malloc(RECORD_BLOCK_VALUES * sizeof *offsets.values),
                       .numbers = calloc(RECORD_BLOCK_VALUES, sizeof *offsets.numbers)};
    ClackStatus status = CLACK_OK;
    if (offsets.values == NULL || offsets.numbers == NULL)
        status = report_add(place->report, CLACK_MEMORY, "%s: no memory to say where rows stand", place->path);
    for (int i = 0; status == CLACK_OK && i < RECORD_TABLES; i++) {
        offsets.names = &record_tables[i];
        if (H5Lexists(file, offsets.names->first, H5P_DEFAULT) > 0) status = write_table(&offsets, file, compares);
    }
    free(offsets.values);
    free(offsets.numbers);
    return status;
}
