// Two caches, one behind the other, of lines of 128 bytes in the order of their last use, whose sectors of 32 bytes
// come one by one. L1: what is stored goes on to L2 at once. L2, of which a unit has its share: sectors are written to
// the device's memory when their line is dropped. Sizes: an H100 (NVIDIA's tuning guide for Hopper, 2023): 256 KB of L1
// and shared memory a unit, of which queues take 8; 50 MB of L2 for 132 units.
#include "replay_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define L1_LINES (248u * 1024u / 128u)
#define L2_LINES (50u * 1024u * 1024u / 132u / 128u)
#define LINES_MOST 4096u
#define CHAINS 8192u
#define ARRAYS_MOST 64u
#define ROW_SECTORS_MOST 128u

// Row 0 is none.
typedef struct DataCache {
    uint32_t size, count, newest, oldest;
    uint32_t newer[LINES_MOST + 1], older[LINES_MOST + 1], next[LINES_MOST + 1];
    uint32_t chains[CHAINS];
    uint64_t line[LINES_MOST + 1];
    uint8_t valid[LINES_MOST + 1], dirty[LINES_MOST + 1];
} DataCache;

static DataCache first = {.size = L1_LINES}, second = {.size = L2_LINES};

static uint32_t chain_of(uint64_t line) { return (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 32) % CHAINS; }

static uint32_t bits(uint32_t sectors) { return (uint32_t)__builtin_popcount(sectors); }

static void take_out(DataCache *cache, uint32_t row) {
    const uint32_t newer = cache->newer[row], older = cache->older[row];
    *(newer != 0 ? &cache->older[newer] : &cache->newest) = older;
    *(older != 0 ? &cache->newer[older] : &cache->oldest) = newer;
}

static void put_first(DataCache *cache, uint32_t row) {
    cache->older[row] = cache->newest;
    cache->newer[row] = 0;
    *(cache->newest != 0 ? &cache->newer[cache->newest] : &cache->oldest) = row;
    cache->newest = row;
}

static uint32_t find(const DataCache *cache, uint64_t line) {
    uint32_t row = cache->chains[chain_of(line)];
    while (row != 0 && cache->line[row] != line) row = cache->next[row];
    return row;
}

// The row of a line, now the newest. out_dropped: sectors of another that had to be written for it.
static uint32_t row_of(DataCache *cache, uint64_t line, uint32_t *out_dropped) {
    uint32_t row = find(cache, line);
    *out_dropped = 0;
    if (row != 0) {
        take_out(cache, row);
        put_first(cache, row);
        return row;
    }
    if (cache->count < cache->size) {
        row = ++cache->count;
    } else {
        row = cache->oldest;
        *out_dropped = bits(cache->dirty[row]);
        take_out(cache, row);
        uint32_t *link = &cache->chains[chain_of(cache->line[row])];
        while (*link != row) link = &cache->next[*link];
        *link = cache->next[row];
    }
    cache->line[row] = line;
    cache->valid[row] = cache->dirty[row] = 0;
    cache->next[row] = cache->chains[chain_of(line)];
    cache->chains[chain_of(line)] = row;
    put_first(cache, row);
    return row;
}

static void store_beyond(const Touch *touch, Totals *totals) {
    uint32_t dropped = 0;
    const uint32_t row = row_of(&second, touch->line, &dropped);
    totals->l2_written += bits(touch->sectors);
    totals->memory_written += dropped;
    second.valid[row] |= touch->sectors;
    second.dirty[row] |= touch->sectors;
}

static void load_beyond(uint64_t line, uint32_t sectors, Totals *totals) {
    uint32_t dropped = 0;
    const uint32_t row = row_of(&second, line, &dropped), missing = sectors & ~(uint32_t)second.valid[row];
    totals->l2_read += bits(sectors);
    totals->memory_read += bits(missing);
    totals->memory_written += dropped;
    second.valid[row] |= (uint8_t)missing;
}

uint32_t memory_touch(const Touch *touch, Totals *totals) {
    uint32_t dropped = 0;
    if (touch->is_store) {
        const uint32_t row = touch->is_whole ? row_of(&first, touch->line, &dropped) : find(&first, touch->line);
        if (touch->is_whole) first.valid[row] |= touch->sectors;
        store_beyond(touch, totals);
        return 0;
    }
    const uint32_t row = row_of(&first, touch->line, &dropped);
    const uint32_t missing = touch->sectors & ~(uint32_t)first.valid[row];
    first.valid[row] |= touch->sectors;
    if (missing != 0) load_beyond(touch->line, missing, totals);
    return bits(missing);
}

// --- by array -----------------------------------------------------------------------------------------

typedef struct Array {
    uint64_t start;
    const char *name;
    uint32_t row_bytes;
    double missed, stored, missed_at[ROW_SECTORS_MOST], stored_at[ROW_SECTORS_MOST];
} Array;

// The first one is private memory; the others in the order in which they lie in memory.
static Array arrays[ARRAYS_MOST] = {{.name = "private"}};
static uint32_t array_count = 1;

static int compare_starts(const void *a, const void *b) {
    const uint64_t x = ((const Array *)a)->start, y = ((const Array *)b)->start;
    return x < y ? -1 : x > y;
}

void memory_name(const void *start, const char *name, uint32_t row_bytes) {
    for (uint32_t k = 1; k < array_count; k++)
        if (strcmp(arrays[k].name, name) == 0) return;
    if (start == NULL || array_count == ARRAYS_MOST) return;
    arrays[array_count++] = (Array){.start = (uintptr_t)start, .name = name, .row_bytes = row_bytes};
    qsort(arrays + 1, array_count - 1, sizeof *arrays, compare_starts);
}

void memory_told(const Touch *touch, uint32_t missed) {
    const uint32_t stored = touch->is_store ? bits(touch->sectors) : 0;
    const uint64_t address = touch->line * LINE_SECTORS * SECTOR_BYTES;
    uint32_t k = 0;
    if (touch->line >> 60 == 0)
        while (k + 1 < array_count && arrays[k + 1].start < address + LINE_SECTORS * SECTOR_BYTES) k++;
    Array *array = &arrays[k];
    array->missed += missed;
    array->stored += stored;
    if (array->row_bytes == 0 || address < array->start) return;
    const uint32_t of_row = (uint32_t)((address - array->start) % array->row_bytes / SECTOR_BYTES);
    if (of_row >= ROW_SECTORS_MOST) return;
    array->missed_at[of_row] += missed;
    array->stored_at[of_row] += stored;
}

void print_arrays(uint32_t count) {
    double missed = 0, stored = 0;
    for (uint32_t k = 0; k < array_count; k++) {
        missed += arrays[k].missed;
        stored += arrays[k].stored;
    }
    for (uint32_t k = 0; k < array_count; k++) {
        const Array *array = &arrays[k];
        if (array->missed + array->stored == 0) continue;
        printf("  %5.1f %% of sectors read beyond L1, %5.1f %% of those stored: %s\n", 100 * array->missed / missed,
               100 * array->stored / stored, array->name);
        for (uint32_t s = 0; s < ROW_SECTORS_MOST && count > 0; s++) {
            const double read = 100 * array->missed_at[s] / missed, written = 100 * array->stored_at[s] / stored;
            if (read + written > 100.0 / count)
                printf("      from byte %4u: %.1f %%, %.1f %%\n", s * SECTOR_BYTES, read, written);
        }
    }
}
