// Rows drained from a device, tagged with their scene.
#include "rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rows_free(RowList *list) {
    free(list->rows);
    free(list->scenes);
    *list = (RowList){.row_bytes = list->row_bytes};
}

static ClackStatus rows_reserve(RowList *list, size_t more, ClackReport *report) {
    if (list->count + more <= list->capacity) return CLACK_OK;
    const size_t capacity = 2 * (list->count + more);
    unsigned char *rows = realloc(list->rows, capacity * list->row_bytes);
    if (rows != NULL) list->rows = rows;
    uint32_t *scenes = realloc(list->scenes, capacity * sizeof *scenes);
    if (scenes != NULL) list->scenes = scenes;
    if (rows == NULL || scenes == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for %zu rows of events or contacts", capacity);
    list->capacity = capacity;
    return CLACK_OK;
}

ClackStatus rows_add(RowList *list, uint32_t scene, const void *rows, size_t count, ClackReport *report) {
    if (count == 0) return CLACK_OK;
    TRY(rows_reserve(list, count, report));
    memcpy(list->rows + list->count * list->row_bytes, rows, count * list->row_bytes);
    for (size_t k = 0; k < count; k++) list->scenes[list->count + k] = scene;
    list->count += count;
    return CLACK_OK;
}

ClackStatus rows_merge(RowList *list, const RowList *part, const uint32_t *targets, ClackReport *report) {
    assert(list->row_bytes == part->row_bytes);
    for (size_t k = 0; k < part->count; k++)
        TRY(rows_add(list, targets[part->scenes[k]], part->rows + k * part->row_bytes, 1, report));
    return CLACK_OK;
}

// Of a row, whose first member it is.
static double row_time(const RowList *list, size_t k) {
    double time_s;
    memcpy(&time_s, list->rows + k * list->row_bytes, sizeof time_s);
    return time_s;
}

void rows_drop_after(RowList *list, const double *until_s) {
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++) {
        if (row_time(list, k) > until_s[list->scenes[k]]) continue;
        if (kept != k) memcpy(list->rows + kept * list->row_bytes, list->rows + k * list->row_bytes, list->row_bytes);
        list->scenes[kept++] = list->scenes[k];
    }
    list->count = kept;
}

// Rows of a scene into the order of their times, which they nearly are in; of equal times as they came.
static void rows_sort_times(RowList *list) {
    unsigned char *row = list->rows + list->count * list->row_bytes; // there is room for one more
    for (size_t k = 1; k < list->count; k++) {
        size_t place = k;
        while (place > 0 && list->scenes[place - 1] == list->scenes[k] && row_time(list, place - 1) > row_time(list, k))
            place--;
        if (place == k) continue;
        unsigned char *at = list->rows + place * list->row_bytes;
        memcpy(row, list->rows + k * list->row_bytes, list->row_bytes);
        memmove(at + list->row_bytes, at, (k - place) * list->row_bytes);
        memcpy(at, row, list->row_bytes);
    }
}

ClackStatus rows_sort(RowList *list, uint32_t scene_count, ClackReport *report) {
    RowList sorted = {.row_bytes = list->row_bytes};
    size_t *first = calloc((size_t)scene_count + 1, sizeof *first);
    if (first == NULL || rows_reserve(&sorted, list->count + 1, report) != CLACK_OK) {
        free(first);
        rows_free(&sorted);
        return report_add(report, CLACK_MEMORY, "no memory to sort %zu rows", list->count);
    }
    for (size_t k = 0; k < list->count; k++) first[list->scenes[k] + 1]++;
    for (uint32_t s = 0; s < scene_count; s++) first[s + 1] += first[s];
    for (size_t k = 0; k < list->count; k++) {
        const size_t place = first[list->scenes[k]]++;
        memcpy(sorted.rows + place * list->row_bytes, list->rows + k * list->row_bytes, list->row_bytes);
        sorted.scenes[place] = list->scenes[k];
    }
    sorted.count = list->count;
    free(first);
    rows_free(list);
    rows_sort_times(&sorted);
    *list = sorted;
    return CLACK_OK;
}
