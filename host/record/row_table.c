// Rows of a table -> HDF5, field by field.
#include "row_table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// --- layout ---------------------------------------------------------------------------------------

ClackStatus row_table_vector(const RecordPlace *place, const Record *record, hid_t scale, DatasetSpec spec,
                             hid_t *out_dataset) {
    const hsize_t count = record->scene_count;
    spec.parent = record->file;
    spec.rank = 1;
    spec.dims[0] = count;
    spec.chunk[0] = count < RECORD_CHUNK_SCENES ? count : RECORD_CHUNK_SCENES;
    spec.scales[0] = scale;
    spec.fill = spec.type == RECORD_F64 ? NAN : 0;
    spec.has_fill_attribute = spec.type == RECORD_F64;
    return record_h5_dataset(place, &spec, out_dataset);
}

static ClackStatus make_field(RowTable *table, const RecordPlace *place, hid_t group, hid_t letters, size_t index) {
    const RowTableKind *kind = table->kind;
    const RowField *field = &kind->fields[index];
    DatasetSpec spec = record_h5_column(group, field->name, field->type, table->axis, letters, field->components == 3);
    spec.unit = field->unit;
    spec.sentence = field->sentence;
    TRY(record_h5_dataset(place, &spec, &table->datasets[index]));
    const hid_t dataset = table->datasets[index];
    if (strcmp(field->name, "configuration_number") == 0) // CF, indexed ragged array: the file has all from 0 on
        return record_h5_text(place, dataset, "instance_dimension", "configuration");
    if (kind->coded != NULL && strcmp(field->name, kind->coded) == 0)
        return record_describe_codes(place, dataset, kind->code_attribute, field->type, kind->codes);
    return CLACK_OK;
}

ClackStatus row_table_make(RowTable *table, const RowTableKind *kind, const Record *record, const RecordPlace *place,
                           hid_t scale) {
    hid_t group = -1, letters = -1;
    ClackStatus status = CLACK_OK;
    const DatasetSpec firsts = {
        .name = kind->firsts, .type = RECORD_I32, .unit = "1", .sentence = kind->firsts_sentence};
    const DatasetSpec counts = {
        .name = kind->counts, .type = RECORD_I32, .unit = "1", .sentence = kind->counts_sentence};
    assert(kind->field_count <= ROW_TABLE_FIELDS_MAX);
    table->kind = kind;
    TRY(row_table_vector(place, record, scale, firsts, &table->firsts));
    TRY(row_table_vector(place, record, scale, counts, &table->counts));
    TRY(record_h5_group(place, record->file, kind->group, &group));
    const DatasetSpec axis = {
        .parent = group, .name = kind->row, .chunk = {RECORD_CHUNK_ROWS_LEAST}, .sentence = kind->row_sentence};
    TRY_CLEAN(record_h5_row_scale(place, axis, &table->axis));
    TRY_CLEAN(record_h5_letter_scale(place, group, "xyz", "xyz", &letters));
    for (size_t i = 0; i < kind->field_count; i++) TRY_CLEAN(make_field(table, place, group, letters, i));
cleanup:
    status = record_h5_close(place, letters, "xyz", status);
    return record_h5_close(place, group, kind->group, status);
}

// --- rows -----------------------------------------------------------------------------------------

// They fit the buffer.
static ClackStatus write_rows(RowTable *table, const Record *record, const char *rows, size_t count,
                              const RecordPlace *place) {
    const RowTableKind *kind = table->kind;
    double *buffer = record->buffer;
    const hsize_t start[] = {table->row_count, 0};
    hsize_t counts[] = {count, 3};
    for (size_t i = 0; i < count; i++) buffer[i] = (double)(table->row_count + i);
    TRY(record_h5_extend(place, table->axis, kind->row, 0, table->row_count + count));
    TRY(record_h5_write(place, table->axis, kind->row, start, counts, buffer));
    for (size_t f = 0; f < kind->field_count; f++) {
        const RowField *field = &kind->fields[f];
        for (size_t i = 0; i < count; i++)
            field->get(rows + i * kind->row_bytes, buffer + i * (size_t)field->components);
        if (strcmp(field->name, kind->counted) == 0) // of this call -> of the file
            for (size_t i = 0; i < count; i++) buffer[i] += (double)table->index_base;
        TRY(record_h5_extend(place, table->datasets[f], field->name, 0, table->row_count + count));
        TRY(record_h5_write(place, table->datasets[f], field->name, start, counts, buffer));
    }
    table->row_count += count;
    return CLACK_OK;
}

ClackStatus row_table_write(RowTable *table, const Record *record, const RecordPlace *place, const void *rows,
                            const size_t *first, size_t configuration_count) {
    enum { BLOCK = RECORD_BLOCK_VALUES / 4 }; // vectors of 3 fit the buffer
    const size_t row_count = first[configuration_count];
    if (row_count > INT32_MAX - table->row_count)
        return report_add(place->report, CLACK_IO, "%s: more than %d %s do not fit the file", place->path, INT32_MAX,
                          table->kind->plural);
    for (size_t at = 0; at < configuration_count; at += RECORD_BLOCK_VALUES) {
        const size_t left = configuration_count - at;
        const hsize_t row = record->scenes_run + at;
        const hsize_t count = left < RECORD_BLOCK_VALUES ? left : RECORD_BLOCK_VALUES;
        for (size_t i = 0; i < count; i++) record->buffer[i] = (double)(first[at + i + 1] - first[at + i]);
        TRY(record_h5_write(place, table->counts, table->kind->counts, &row, &count, record->buffer));
        for (size_t i = 0; i < count; i++) record->buffer[i] = (double)(table->row_count + first[at + i]);
        TRY(record_h5_write(place, table->firsts, table->kind->firsts, &row, &count, record->buffer));
    }
    for (size_t at = 0; at < row_count; at += BLOCK) {
        const size_t left = row_count - at;
        TRY(write_rows(table, record, (const char *)rows + at * table->kind->row_bytes, left < BLOCK ? left : BLOCK,
                       place));
    }
    return CLACK_OK;
}
