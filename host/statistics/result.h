// Results of a whole ensemble as tables: axes, fields along them, attributes. One description makes room, is written
// to the file, read back and printed as JSON. Statistics and sensitivity are such tables.
#ifndef CLACK_RESULT_H
#define CLACK_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RESULT_AXES_MAX 16
#define RESULT_FIELDS_MAX 48
#define RESULT_ATTRIBUTES_MAX 8
#define RESULT_RANK_MAX 3
#define RESULT_NO_AXIS 255

typedef enum ResultType { RESULT_F64, RESULT_I32, RESULT_U8 } ResultType;

typedef struct ResultAxis {
    const char *name;          // of its scale
    const char *names, *units; // datasets of texts along it; NULL: none
    ResultType type;           // of the scale
    const char *sentence;
    int is_index; // its scale is 0, 1, ..., which tables do not hold
} ResultAxis;

typedef struct ResultField {
    const char *name;
    ResultType type;
    uint8_t axes[RESULT_RANK_MAX]; // RESULT_NO_AXIS where there are fewer
    const char *unit;              // NULL: that of its column
    const char *sentence;
} ResultField;

typedef struct ResultSpec {
    const char *group; // of the ensemble file
    const char *sentence;
    const ResultAxis *axes;     // (axis_count)
    const ResultField *fields;  // (field_count)
    const char *const *numbers; // (number_count): attributes that are numbers
    const char *const *texts;   // (text_count): attributes that are texts
    uint32_t axis_count, field_count, number_count, text_count;
    uint32_t fraction; // the one of the numbers that is no count
} ResultSpec;

typedef struct ResultTable {
    const ResultSpec *spec;
    size_t lengths[RESULT_AXES_MAX];
    double *scales[RESULT_AXES_MAX];   // (lengths[axis]), owned; NULL: an index, or not there
    char **names[RESULT_AXES_MAX];     // (lengths[axis]), owned; NULL: none
    char **units[RESULT_AXES_MAX];     // the same
    double *fields[RESULT_FIELDS_MAX]; // owned; NULL: the table has none of it
    double numbers[RESULT_ATTRIBUTES_MAX];
    char *texts[RESULT_ATTRIBUTES_MAX]; // owned; NULL: ""
} ResultTable;

/// Values of a field: the product of its axes' lengths.
size_t result_size(const ResultTable *table, uint32_t field);
/// Room for a field, every value NaN. Errors: CLACK_MEMORY.
ClackStatus result_make(ResultTable *table, uint32_t field, ClackReport *report);
/// Room for the scale of an axis, zeroed; for `count` texts. Errors: CLACK_MEMORY.
ClackStatus result_make_scale(ResultTable *table, uint32_t axis, ClackReport *report);
ClackStatus result_make_texts(size_t count, char ***out_texts, ClackReport *report);
/// Copy a text into a place of a table. Errors: CLACK_MEMORY.
ClackStatus result_set_text(char **place, const char *text, ClackReport *report);
void result_free(ResultTable *table);

#ifdef __cplusplus
}
#endif
#endif
