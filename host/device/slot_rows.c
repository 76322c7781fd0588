// Rows of slots, taken off a device.
#include "slot_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64u
#define WORD_BYTES 8u
#define CHUNK_ROWS 65536u // 10 MB of events

void *slot_lines(size_t size_bytes) { return aligned_alloc(LINE_BYTES, (size_bytes / LINE_BYTES + 1) * LINE_BYTES); }

ClackStatus slot_rows_open(Device *device, SlotRowKind kind, uint32_t slot_count, uint32_t room, SlotRows *out,
                           ClackReport *report) {
    const size_t most = (size_t)slot_count * room;
    const int is_shared = device_is_native(device);
    assert(kind.row_bytes % WORD_BYTES == 0);
    *out = (SlotRows){.device = device, .kind = kind, .slot_count = slot_count, .room = room};
    out->chunk = is_shared ? most : most < CHUNK_ROWS ? most : CHUNK_ROWS;
    out->rows = slot_lines(out->chunk * kind.row_bytes);
    if (out->rows == NULL) return report_add(report, CLACK_MEMORY, "no memory for rows of %u slots", slot_count);
    if (is_shared) return device_buffer_create_over(device, most * kind.row_bytes, out->rows, 0, &out->buffer, report);
    if (most > UINT32_MAX)
        return report_add(report, CLACK_MEMORY, "%u slots of %u rows are more than can be gathered", slot_count, room);
    out->sources = malloc((out->chunk + 1) * sizeof *out->sources);
    if (out->sources == NULL) return report_add(report, CLACK_MEMORY, "no memory for rows of %u slots", slot_count);
    out->sources[0] = (uint32_t)(kind.row_bytes / WORD_BYTES);
    TRY(device_buffer_create(device, most * kind.row_bytes, &out->buffer, report));
    TRY(device_buffer_create(device, (out->chunk + 1) * sizeof *out->sources, &out->from[0], report));
    return device_buffer_create(device, out->chunk * kind.row_bytes, &out->from[1], report);
}

void slot_rows_close(SlotRows *rows) {
    device_buffer_free(rows->device, rows->buffer);
    for (size_t k = 0; k < sizeof rows->from / sizeof *rows->from; k++) device_buffer_free(rows->device, rows->from[k]);
    free(rows->sources);
    free(rows->rows);
    *rows = (SlotRows){0};
}

static ClackStatus slot_rows_add(const SlotRows *rows, unsigned char *row, RowList *list, ClackReport *report) {
    uint32_t scene = 0;
    memcpy(&scene, row + rows->kind.scene_offset, sizeof scene);
    memset(row + rows->kind.scene_offset, 0, sizeof scene);
    return rows_add(list, scene, row, 1, report);
}

static ClackStatus slot_rows_gather(SlotRows *rows, uint32_t count, RowList *list, ClackReport *report) {
    DeviceBuffer *const buffers[] = {rows->from[0], rows->buffer, rows->from[1]};
    const size_t row_bytes = rows->kind.row_bytes;
    if (count == 0) return CLACK_OK;
    TRY(device_buffer_write(rows->device, rows->from[0], 0, (count + (size_t)1) * sizeof *rows->sources, rows->sources,
                            report));
    TRY(device_launch(rows->device, KERNEL_gather, buffers, count, report));
    TRY(device_buffer_read(rows->device, rows->from[1], 0, count * row_bytes, rows->rows, report));
    for (uint32_t i = 0; i < count; i++) TRY(slot_rows_add(rows, rows->rows + i * row_bytes, list, report));
    return CLACK_OK;
}

ClackStatus slot_rows_drain(SlotRows *rows, const uint32_t *counts, RowList *list, ClackReport *report) {
    uint32_t waiting = 0; // for the next gathering
    for (uint32_t slot = 0; slot < rows->slot_count; slot++) {
        const size_t first = (size_t)slot * rows->room;
        assert(counts[slot] <= rows->room);
        for (uint32_t i = 0; i < counts[slot]; i++) {
            if (rows->sources == NULL) {
                TRY(slot_rows_add(rows, rows->rows + (first + i) * rows->kind.row_bytes, list, report));
                continue;
            }
            rows->sources[1 + waiting++] = (uint32_t)(first + i);
            if (waiting < rows->chunk) continue;
            TRY(slot_rows_gather(rows, waiting, list, report));
            waiting = 0;
        }
    }
    return slot_rows_gather(rows, waiting, list, report);
}
