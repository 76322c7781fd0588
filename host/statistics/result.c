// Tables of results: room and its end.
#define _POSIX_C_SOURCE 200809L
#include "result.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ClackStatus result_no_memory(ClackReport *report) {
    return report_add(report, CLACK_MEMORY, "no memory for the statistics");
}

size_t result_size(const ResultTable *table, uint32_t field) {
    size_t size = 1;
    for (int i = 0; i < RESULT_RANK_MAX; i++) {
        const uint8_t axis = table->spec->fields[field].axes[i];
        if (axis != RESULT_NO_AXIS) size *= table->lengths[axis];
    }
    return size;
}

ClackStatus result_make(ResultTable *table, uint32_t field, ClackReport *report) {
    assert(field < table->spec->field_count);
    const size_t size = result_size(table, field);
    double *values = malloc((size + 1) * sizeof *values);
    if (values == NULL) return result_no_memory(report);
    for (size_t i = 0; i < size; i++) values[i] = NAN;
    free(table->fields[field]);
    table->fields[field] = values;
    return CLACK_OK;
}

ClackStatus result_make_scale(ResultTable *table, uint32_t axis, ClackReport *report) {
    assert(axis < table->spec->axis_count && table->scales[axis] == NULL);
    table->scales[axis] = calloc(table->lengths[axis] + 1, sizeof *table->scales[axis]);
    return table->scales[axis] == NULL ? result_no_memory(report) : CLACK_OK;
}

ClackStatus result_make_texts(size_t count, char ***out_texts, ClackReport *report) {
    *out_texts = calloc(count + 1, sizeof **out_texts);
    return *out_texts == NULL ? result_no_memory(report) : CLACK_OK;
}

static void free_texts(char **texts, size_t count) {
    for (size_t i = 0; texts != NULL && i < count; i++) free(texts[i]);
    free(texts);
}

ClackStatus result_set_text(char **place, const char *text, ClackReport *report) {
    free(*place);
    *place = strdup(text);
    return *place == NULL ? result_no_memory(report) : CLACK_OK;
}

void result_free(ResultTable *table) {
    if (table->spec == NULL) return;
    for (uint32_t axis = 0; axis < table->spec->axis_count; axis++) {
        free_texts(table->names[axis], table->lengths[axis]);
        free_texts(table->units[axis], table->lengths[axis]);
        free(table->scales[axis]);
    }
    for (uint32_t field = 0; field < table->spec->field_count; field++) free(table->fields[field]);
    for (uint32_t i = 0; i < table->spec->text_count; i++) free(table->texts[i]);
    *table = (ResultTable){0};
}
