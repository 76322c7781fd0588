// Rows that slots hold on a device, events or recorded contacts, and how they are taken off it.
#ifndef CLACK_SLOT_ROWS_H
#define CLACK_SLOT_ROWS_H

#include "device.h"
#include "rows.h"

typedef struct SlotRowKind {
    size_t row_bytes;    // a multiple of 8
    size_t scene_offset; // of the u32 in a row that says which scene of the batch it is of
} SlotRowKind;

// On a device that works in the host's memory the rows are where they were written. On others a kernel gathers those
// that slots hold, some at a time, for the host to read: of a million slots' room the rows are a small part.
typedef struct SlotRows { // zero: closed
    Device *device;
    DeviceBuffer *buffer; // (slot_count, room) rows, owned
    SlotRowKind kind;
    uint32_t slot_count, room;
    unsigned char *rows;   // the buffer's own memory, or (chunk) rows gathered
    uint32_t *sources;     // (1 + chunk): gather's argument; NULL: nothing is gathered
    DeviceBuffer *from[2]; // of sources; of rows gathered
    size_t chunk;          // rows at a time
} SlotRows;

/// Memory of whole cache lines for what lies slot by slot: threads write to slots at the same time. NULL: there is
/// none; freed by the caller.
void *slot_lines(size_t size_bytes);

/// Errors: CLACK_MEMORY, CLACK_DEVICE; to be closed then too.
ClackStatus slot_rows_open(Device *device, SlotRowKind kind, uint32_t slot_count, uint32_t room, SlotRows *out,
                           ClackReport *report);
void slot_rows_close(SlotRows *rows);

/// Append the rows that slots hold, counts[slot] of each, slot after slot, to `list`, with 0 in place of their scenes'
/// numbers, so that a row does not depend on where in a batch its scene is. Errors: CLACK_MEMORY, CLACK_DEVICE.
ClackStatus slot_rows_drain(SlotRows *rows, const uint32_t *counts, RowList *list, ClackReport *report);

#endif
