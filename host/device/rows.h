// Rows drained from a device, tagged with their scene: events, recorded contacts.
#ifndef CLACK_ROWS_H
#define CLACK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RowList { // zero but for row_bytes: empty
    size_t row_bytes;
    unsigned char *rows; // (capacity) of row_bytes each, owned
    uint32_t *scenes;    // (capacity), owned
    size_t count, capacity;
} RowList;

void rows_free(RowList *list);

/// Append `count` rows of one scene. Errors: CLACK_MEMORY.
ClackStatus rows_add(RowList *list, uint32_t scene, const void *rows, size_t count, ClackReport *report);

/// Append the rows of another list, whose scenes are indices of `targets`. Errors: CLACK_MEMORY.
ClackStatus rows_merge(RowList *list, const RowList *part, const uint32_t *targets, ClackReport *report);

/// Take out the rows of each scene later than until_s (scene_count). The first member of a row is its time, a double.
void rows_drop_after(RowList *list, const double *until_s);

/// Stable sort by scene and time; rows of one scene are nearly in the order of time already. Errors: CLACK_MEMORY.
ClackStatus rows_sort(RowList *list, uint32_t scene_count, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
