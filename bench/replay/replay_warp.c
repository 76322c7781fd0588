// Traces of work-items, replayed as warps in lock-step: of the lanes of a warp those in the deepest call go first,
// among them those at the least block, which is the reconvergence that structured control flow allows at best. Warps of
// a unit take turns, block by block, and share a cache of instructions (the blocks used last).
#define _GNU_SOURCE // popen, mkstemp
#include "replay.h"

#include "replay_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE 0xffffffffu
#define GUARDS_MAX (1u << 20)
#define STACK_BYTES (8u << 20)

// An event: of a block its depth << 32 | number; of an access bits 62..63 (1 a load, 2 a store), log2 of its bytes <<
// 56, address; of a barrier BARRIER.
#define BARRIER (3ull << 62)
typedef struct Trace {
    uint64_t *events;
    size_t count, room;
} Trace;

// Blocks that a warp has issued, and what its accesses have touched.
typedef struct Issue {
    uint32_t *blocks;
    size_t count, room, taken;
    Touch *touches;
    size_t touch_count, touch_room, touched;
} Issue;

const uint32_t cache_blocks[CACHES] = {256, 512, 1024, 2048, 4096, 8192};

static Trace traces[ITEMS_MOST];
static Issue issues[WARPS_MOST];
static uint32_t tracing = NONE, guard_count, blocks_seen;
static unsigned char is_seen[GUARDS_MAX];
static uintptr_t guard_address[GUARDS_MAX];
static double block_issued[GUARDS_MAX], block_active[GUARDS_MAX]; // with the accesses that follow it
static double block_missed[GUARDS_MAX], block_stored[GUARDS_MAX]; // sectors that these read from beyond L1, and store
static uintptr_t stack_top;
static uintptr_t own_end, own_bytes; // the stack of the item that is traced, if it has one of its own
static uint32_t scene_items = 1;
static int profiles = 1, has_accesses = 1;

// --- traces -------------------------------------------------------------------------------------------

void trace_begin(uint32_t item) {
    tracing = item;
    own_bytes = 0;
    if (stack_top == 0) stack_top = (uintptr_t)__builtin_frame_address(0) + 65536;
}

void trace_begin_on(uint32_t item, const char *end, size_t bytes) {
    trace_begin(item);
    own_end = (uintptr_t)end;
    own_bytes = bytes;
}

void trace_accesses(int counts) { has_accesses = counts; }

void trace_scene_items(uint32_t items) { scene_items = items; }

// Where an address of the item's own stack would be on that of all.
static uintptr_t common_place(uintptr_t at) {
    return at < own_end && at >= own_end - own_bytes ? stack_top - (own_end - at) : at;
}

void trace_profile(int counts) { profiles = counts; }

void trace_end(void) { tracing = NONE; }

uint32_t trace_blocks_seen(void) { return blocks_seen; }

// Room for one more of `count` things.
static void *with_room(void *rows, size_t count, size_t *room, size_t bytes) {
    if (count < *room) return rows;
    *room = *room > 0 ? 2 * *room : 1 << 12;
    rows = realloc(rows, *room * bytes);
    if (rows == NULL) {
        fprintf(stderr, "replay: no memory for traces\n");
        exit(1);
    }
    return rows;
}

static void trace_add(uint64_t event) {
    Trace *trace = &traces[tracing];
    trace->events = with_room(trace->events, trace->count, &trace->room, sizeof *trace->events);
    trace->events[trace->count++] = event;
}

void trace_barrier(void) { trace_add(BARRIER); }

// What clang's coverage calls (-fsanitize-coverage=trace-pc-guard,trace-loads,trace-stores).
void __sanitizer_cov_trace_pc_guard_init(uint32_t *first, uint32_t *end);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

void __sanitizer_cov_trace_pc_guard_init(uint32_t *first, uint32_t *end) {
    for (; first < end; first++) *first = ++guard_count;
    if (guard_count < GUARDS_MAX) return;
    fprintf(stderr, "replay: %u blocks, more than there is room for\n", guard_count);
    exit(1);
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (tracing == NONE) return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-address" // the caller keeps its frame pointer
    const uint64_t depth = (stack_top - common_place((uintptr_t)__builtin_frame_address(1))) >> 4;
#pragma GCC diagnostic pop
    if (!is_seen[*guard]) blocks_seen++;
    is_seen[*guard] = 1;
    guard_address[*guard] = (uintptr_t)__builtin_return_address(0);
    trace_add(depth << 32 | *guard);
}

#define ACCESS(bytes, name, kind)                                                                                      \
    void __sanitizer_cov_##name##bytes(void *at);                                                                      \
    void __sanitizer_cov_##name##bytes(void *at) {                                                                     \
        if (has_accesses && tracing != NONE && traces[tracing].count > 0) /* a trace begins with a block */            \
            trace_add((uint64_t)(kind) << 62 | (uint64_t)__builtin_ctz(bytes) << 56 |                                  \
                      (common_place((uintptr_t)at) & 0xffffffffffffull));                                              \
    }
ACCESS(1, load, 1)
ACCESS(2, load, 1)
ACCESS(4, load, 1)
ACCESS(8, load, 1)
ACCESS(16, load, 1)
ACCESS(1, store, 2)
ACCESS(2, store, 2)
ACCESS(4, store, 2)
ACCESS(8, store, 2)
ACCESS(16, store, 2)

// --- warps in lock-step -------------------------------------------------------------------------------

static int is_access(uint64_t event) { return event >> 62 != 0 && event != BARRIER; }
static int is_private(uintptr_t at) { return at > stack_top - STACK_BYTES && at < stack_top; }

// Numbers in private memory: those of 4 bytes at the same place in all lanes of a warp fill a line.
static uint64_t private_line(uint32_t warp, uintptr_t address) {
    return (uint64_t)1 << 60 | (uint64_t)warp << 32 | (stack_top - address) >> 2;
}

// Add what one lane touches to the touches of an access, which begin at `first`.
static void touch_sector(Issue *issue, size_t first, uint64_t line, uint32_t sector) {
    size_t t = first;
    while (t < issue->touch_count && issue->touches[t].line != line) t++;
    if (t == issue->touch_count) {
        issue->touches = with_room(issue->touches, issue->touch_count, &issue->touch_room, sizeof *issue->touches);
        issue->touches[issue->touch_count++] = (Touch){.line = line};
    }
    issue->touches[t].sectors |= (uint8_t)(1u << sector);
}

static void touch_of_lane(Issue *issue, size_t first, uint32_t item, uintptr_t address, unsigned bytes) {
    const uintptr_t last = address + bytes - 1;
    if (is_private(address))
        for (uintptr_t at = address & ~(uintptr_t)3; at <= last; at += 4)
            touch_sector(issue, first, private_line(item / WARP, at), item % WARP / (WARP / LINE_SECTORS));
    else
        for (uintptr_t at = address / SECTOR_BYTES; at <= last / SECTOR_BYTES; at++)
            touch_sector(issue, first, at / LINE_SECTORS, (uint32_t)(at % LINE_SECTORS));
}

// The accesses that follow a block in the lanes that run it, one after the other.
static void replay_accesses(const uint32_t *run, int count, size_t *at, Issue *issue, uint32_t block, Totals *totals) {
    for (;;) {
        const size_t first = issue->touch_count;
        int active = 0;
        uint64_t kind = 0;
        for (int k = 0; k < count; k++) {
            const Trace *trace = &traces[run[k]];
            if (at[k] >= trace->count || !is_access(trace->events[at[k]])) continue;
            const uint64_t event = trace->events[at[k]], address = event & 0xffffffffffffull;
            const uint64_t own = event >> 62 | (is_private(address) ? 4u : 0u);
            if (active == 0) kind = own;
            if (own != kind) continue;
            active++;
            at[k]++;
            touch_of_lane(issue, first, run[k], address, 1u << (event >> 56 & 15));
        }
        if (active == 0) return;
        for (size_t t = first; t < issue->touch_count; t++) {
            Touch *touch = &issue->touches[t];
            const uint32_t sectors = (uint32_t)__builtin_popcount(touch->sectors);
            touch->place = block;
            touch->is_store = (kind & 3u) == 2u;
            touch->is_whole = (kind & 4u) != 0;
            *(kind & 4u ? &totals->private_sectors : &totals->global_sectors) += sectors;
        }
        totals->issued++;
        totals->active += active;
    }
}

// Lanes go on from a barrier where all that share their scene wait at one. An item that has ended waits no more.
static void leave_barriers(uint32_t first, uint32_t count, size_t *at) {
    for (uint32_t scene = 0; scene < count; scene += scene_items) {
        uint32_t waiting = 0;
        for (uint32_t k = scene; k < scene + scene_items && k < count; k++) {
            const Trace *trace = &traces[first + k];
            waiting += at[k] >= trace->count || trace->events[at[k]] == BARRIER ? 1u : 0u;
        }
        for (uint32_t k = scene; k < scene + scene_items && k < count && waiting == scene_items; k++)
            at[k] += at[k] < traces[first + k].count ? 1u : 0u;
    }
}

// The lanes of a warp, up to their ends.
static void replay_warp(uint32_t first, uint32_t count, Issue *issue, Totals *totals) {
    size_t at[WARP] = {0};
    for (;;) {
        uint64_t depth = 0, block = UINT64_MAX;
        uint32_t run[WARP], lanes[WARP];
        size_t places[WARP];
        int running = 0;
        if (scene_items > 1) leave_barriers(first, count, at);
        for (uint32_t k = 0; k < count; k++) {
            const Trace *trace = &traces[first + k];
            if (at[k] >= trace->count || trace->events[at[k]] == BARRIER) continue;
            const uint64_t event = trace->events[at[k]], d = event >> 32, b = event & 0xffffffffu;
            if (d < depth || (d == depth && b > block)) continue;
            if (d > depth || b < block) running = 0;
            depth = d;
            block = b;
            lanes[running] = k;
            run[running++] = first + k;
        }
        if (running == 0) return;
        for (int k = 0; k < running; k++) places[k] = at[lanes[k]] + 1;
        const Totals before = *totals;
        totals->issued++;
        totals->blocks++;
        totals->active += running;
        replay_accesses(run, running, places, issue, (uint32_t)block, totals);
        block_issued[block] += profiles ? totals->issued - before.issued : 0;
        block_active[block] += profiles ? totals->active - before.active : 0;
        for (int k = 0; k < running; k++) at[lanes[k]] = places[k];
        issue->blocks = with_room(issue->blocks, issue->count, &issue->room, sizeof *issue->blocks);
        issue->blocks[issue->count++] = (uint32_t)block;
    }
}

// --- the cache of instructions ------------------------------------------------------------------------

// Blocks in the order of their last use.
typedef struct Cache {
    uint32_t size, count, newest, oldest;
    uint32_t newer[GUARDS_MAX], older[GUARDS_MAX];
    unsigned char is_in[GUARDS_MAX];
} Cache;

static Cache caches[CACHES];

static void cache_take_out(Cache *cache, uint32_t block) {
    const uint32_t newer = cache->newer[block], older = cache->older[block];
    *(newer != 0 ? &cache->older[newer] : &cache->newest) = older;
    *(older != 0 ? &cache->newer[older] : &cache->oldest) = newer;
    cache->is_in[block] = 0;
    cache->count--;
}

static int cache_misses(Cache *cache, uint32_t block) {
    const int is_missing = !cache->is_in[block];
    if (!is_missing) cache_take_out(cache, block);
    if (cache->count == cache->size) cache_take_out(cache, cache->oldest);
    cache->older[block] = cache->newest;
    cache->newer[block] = 0;
    *(cache->newest != 0 ? &cache->newer[cache->newest] : &cache->oldest) = block;
    cache->newest = block;
    cache->is_in[block] = 1;
    cache->count++;
    return is_missing;
}

// Warps take turns, block by block.
static void replay_fetches(uint32_t warps, Totals *totals) {
    for (uint32_t c = 0; c < CACHES; c++) {
        caches[c].size = cache_blocks[c];
        for (uint32_t w = 0; w < warps; w++) issues[w].taken = 0;
        for (int any = 1; any;) {
            any = 0;
            for (uint32_t w = 0; w < warps; w++) {
                if (issues[w].taken == issues[w].count) continue;
                totals->fetched[c] += cache_misses(&caches[c], issues[w].blocks[issues[w].taken++]);
                any = 1;
            }
        }
    }
}

// Warps take turns, access by access.
static void replay_memory(uint32_t warps, Totals *totals) {
    for (uint32_t w = 0; w < warps; w++) issues[w].touched = 0;
    for (int any = 1; any;) {
        any = 0;
        for (uint32_t w = 0; w < warps; w++) {
            if (issues[w].touched == issues[w].touch_count) continue;
            const Touch *touch = &issues[w].touches[issues[w].touched++];
            const uint32_t missed = memory_touch(touch, totals);
            if (profiles) {
                block_missed[touch->place] += missed;
                block_stored[touch->place] += touch->is_store ? __builtin_popcount(touch->sectors) : 0;
                memory_told(touch, missed);
            }
            any = 1;
        }
    }
}

Totals replay_traces(uint32_t items) {
    Totals totals = {0};
    const uint32_t warps = (items + WARP - 1) / WARP;
    for (uint32_t w = 0; w < warps; w++) {
        const double before = totals.issued;
        issues[w].count = issues[w].touch_count = 0;
        replay_warp(w * WARP, items - w * WARP < WARP ? items - w * WARP : WARP, &issues[w], &totals);
        if (totals.issued - before > totals.longest) totals.longest = totals.issued - before;
    }
    totals.longest *= warps;
    replay_fetches(warps, &totals);
    replay_memory(warps, &totals);
    for (uint32_t k = 0; k < items; k++) {
        totals.items += traces[k].count > 0;
        traces[k].count = 0;
    }
    return totals;
}

// --- functions ----------------------------------------------------------------------------------------

typedef struct Function {
    char name[128];
    double issued, active, missed, stored;
} Function;

static int compare_functions(const void *a, const void *b) {
    const double x = ((const Function *)a)->issued, y = ((const Function *)b)->issued;
    return x < y ? 1 : x > y ? -1 : 0;
}

// Of all blocks that have run: addr2line reads their addresses from a file, and answers a name and a place for each.
static uint32_t list_functions(Function *functions, uint32_t room) {
    uint32_t count = 0;
    char command[256], path[64] = "/tmp/replay_XXXXXX", name[128], place[512];
    const int file = mkstemp(path);
    FILE *addresses = file < 0 ? NULL : fdopen(file, "w");
    if (addresses == NULL) return 0;
    for (uint32_t k = 1; k <= guard_count; k++)
        if (is_seen[k]) fprintf(addresses, "%#lx\n", (unsigned long)guard_address[k]);
    fclose(addresses);
    snprintf(command, sizeof command, "addr2line -f -e /proc/%d/exe < %s", (int)getpid(), path);
    FILE *names = popen(command, "r");
    for (uint32_t k = 1; names != NULL && k <= guard_count; k++) {
        if (!is_seen[k]) continue;
        if (fgets(name, sizeof name, names) == NULL || fgets(place, sizeof place, names) == NULL) break;
        uint32_t f = 0;
        name[strcspn(name, ".\n")] = '\0';
        while (f < count && strcmp(functions[f].name, name) != 0) f++;
        if (f == room) continue;
        if (f == count) snprintf(functions[count++].name, sizeof functions->name, "%s", name);
        functions[f].issued += block_issued[k];
        functions[f].active += block_active[k];
        functions[f].missed += block_missed[k];
        functions[f].stored += block_stored[k];
    }
    if (names != NULL) pclose(names);
    remove(path);
    return count;
}

void print_functions(uint32_t count) {
    static Function functions[4096];
    double all = 0, missed = 0, stored = 0;
    const uint32_t found = list_functions(functions, sizeof functions / sizeof *functions);
    qsort(functions, found, sizeof *functions, compare_functions);
    for (uint32_t f = 0; f < found; f++) {
        all += functions[f].issued;
        missed += functions[f].missed;
        stored += functions[f].stored;
    }
    for (uint32_t f = 0; f < found && f < count; f++)
        printf("  %5.1f %% of what warps issue, lanes %.2f, sectors: %.1f %% of those read beyond L1, %.1f %% of "
               "those stored: %s\n",
               100 * functions[f].issued / all, functions[f].active / (WARP * functions[f].issued),
               100 * functions[f].missed / missed, 100 * functions[f].stored / stored, functions[f].name);
}
