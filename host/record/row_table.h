// Rows of a table in the file, one dataset for each of their fields: contacts, contact regions and their contours.
#ifndef CLACK_RECORD_ROW_TABLE_H
#define CLACK_RECORD_ROW_TABLE_H

#include "record_internal.h"

#define ROW_TABLE_FIELDS_MAX 24

typedef struct RowField {
    const char *name;
    RecordType type;
    int components;
    const char *unit;
    const char *sentence;
    void (*get)(const void *row, double *out); // (components)
} RowField;

// What a kind of rows is written as.
typedef struct RowTableKind {
    const char *group, *row, *row_sentence; // names of the group and of the rows' scale
    const char *counts, *counts_sentence;   // in the root: rows of each configuration
    const char *firsts, *firsts_sentence;   // and the first of these
    const char *plural;                     // of what there are too many
    size_t row_bytes;
    const RowField *fields;
    size_t field_count;
    const char *counted;                // the field whose values count from index_base on in the file
    const char *coded, *code_attribute; // the field whose values have names; NULL: there is none
    const RecordCodeList *codes;
} RowTableKind;

typedef struct RowTable {
    const RowTableKind *kind;
    hid_t counts, firsts, axis; // per configuration; of the rows, grows
    hid_t datasets[ROW_TABLE_FIELDS_MAX];
    uint64_t row_count;
    uint64_t index_base; // set before rows are written: what a 0 of the counted field is in the file
} RowTable;

extern const RecordCodeList record_narrow_codes; // how distances were found, NARROW_* (record_contacts.c)

/// The group, and where the rows of each configuration stand in the root. scale: of the configurations.
ClackStatus row_table_make(RowTable *table, const RowTableKind *kind, const Record *record, const RecordPlace *place,
                           hid_t scale);
/// Rows of the next configurations, before record->scenes_run counts these: those of configuration i are first[i] ..
/// first[i + 1] - 1.
ClackStatus row_table_write(RowTable *table, const Record *record, const RecordPlace *place, const void *rows,
                            const size_t *first, size_t configuration_count);
/// A value of each configuration in the root. spec: its name, type, unit and sentence.
ClackStatus row_table_vector(const RecordPlace *place, const Record *record, hid_t scale, DatasetSpec spec,
                             hid_t *out_dataset);

#endif
