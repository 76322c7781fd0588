// Which sectors of memory the warps of one unit get from its L1 cache, from L2, and from the device's memory.
#ifndef CLACK_BENCH_REPLAY_MEMORY_H
#define CLACK_BENCH_REPLAY_MEMORY_H

#include "replay.h"

#define SECTOR_BYTES 32u
#define LINE_SECTORS 4u

// What one access of a warp touches of one line of 128 bytes.
typedef struct Touch {
    uint64_t line;
    uint32_t place; // that asks: given back with what is missed
    uint8_t sectors;
    uint8_t is_store;
    uint8_t is_whole; // stores: all bytes of the sectors are written, so that none has to be read before
} Touch;

/// Take a touch through the caches, and count it in `totals`. Returns sectors that are read from beyond L1.
uint32_t memory_touch(const Touch *touch, Totals *totals);

/// From here on addresses from `start` on, up to the next array, are of rows of so many bytes.
void memory_name(const void *start, const char *name, uint32_t row_bytes);

/// Count a touch for print_arrays. missed: sectors that it read from beyond L1.
void memory_told(const Touch *touch, uint32_t missed);

/// Arrays, with the sectors of them that were read from beyond L1 or stored, and their `count` sectors of a row that
/// were most.
void print_arrays(uint32_t count);

#endif
