// What work-items of a GPU would do together, from what each does alone (replay.c).
#ifndef CLACK_BENCH_REPLAY_H
#define CLACK_BENCH_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#define WARP 32u
#define WARPS_MOST 16u // of a unit at the same time
#define ITEMS_MOST (WARP * WARPS_MOST)
#define UNIT_ITEMS 256u // work-items of a unit in replays of kernels
#define CACHES 6u       // sizes of a cache of instructions that are replayed side by side

typedef struct Totals {
    double issued, active;                  // blocks and accesses of memory: by warps, by their lanes
    double global_sectors, private_sectors; // of 32 bytes, that the accesses touch
    double blocks;                          // issued, without accesses
    double items;                           // that did something, in all rounds
    double longest;                         // as `issued`, if all warps took as long as the longest one of their round
    double fetched[CACHES];                 // blocks that were not in the cache
    double l2_read, l2_written;             // sectors that L1 does not have, and all that are stored
    double memory_read, memory_written;     // of these, what L2 does not have, and what it drops
} Totals;

/// Blocks that each cache holds.
extern const uint32_t cache_blocks[CACHES];

/// From here on what is traced belongs to this work-item of the unit, until trace_end.
void trace_begin(uint32_t item);
void trace_end(void);

/// The same of an item whose stack are the `bytes` before `end`: private memory as it lies in all others.
void trace_begin_on(uint32_t item, const char *end, size_t bytes);

/// Are loads and stores traced? (Yes, if never told. Without them a trace takes a quarter of the memory.)
void trace_accesses(int counts);

/// The item waits for all others of its scene.
void trace_barrier(void);

/// Items that share a scene, next to each other (1, if never told): barriers are theirs.
void trace_scene_items(uint32_t items);

/// Replay the traces of all items in warps that run side by side on one unit, and forget them.
Totals replay_traces(uint32_t items);

/// Blocks that have run so far.
uint32_t trace_blocks_seen(void);

/// Does what is replayed from here on count for print_functions? (Yes, if never asked.)
void trace_profile(int counts);

/// Functions of which warps have issued most so far, up to `count` of them, with lanes at work (addr2line names them).
void print_functions(uint32_t count);

#endif
