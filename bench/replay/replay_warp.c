// Traces of work-items, replayed as warps in lock-step: of the lanes of a warp those in the deepest call go first,
// among them those at the least block, which is the reconvergence that structured control flow allows at best. Warps of
// a unit take turns, block by block, and share a cache of instructions (the blocks used last).
#define _GNU_SOURCE // popen, mkstemp
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE 0xffffffffu
#define GUARDS_MAX (1u << 20)
#define STACK_BYTES (8u << 20)

// An event: of a block its depth << 32 | number; of an access bits 62..63 (1 a load, 2 a store), log2 of its bytes <<
// 56, address.
typedef struct Trace {
    uint64_t *events;
    size_t count, room;
} Trace;

// Blocks that a warp has issued.
typedef struct Issue {
    uint32_t *blocks;
    size_t count, room, taken;
} Issue;

const uint32_t cache_blocks[CACHES] = {256, 512, 1024, 2048, 4096, 8192};

static Trace traces[ITEMS_MOST];
static Issue issues[WARPS_MOST];
static uint32_t tracing = NONE, guard_count, blocks_seen;
static unsigned char is_seen[GUARDS_MAX];
static uintptr_t guard_address[GUARDS_MAX];
static double block_issued[GUARDS_MAX], block_active[GUARDS_MAX]; // with the accesses that follow it
static uintptr_t stack_top;
static int profiles = 1;

// --- traces -------------------------------------------------------------------------------------------

void trace_begin(uint32_t item) {
    tracing = item;
    if (stack_top == 0) stack_top = (uintptr_t)__builtin_frame_address(0) + 65536;
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
    const uint64_t depth = (stack_top - (uintptr_t)__builtin_frame_address(1)) >> 4;
#pragma GCC diagnostic pop
    if (!is_seen[*guard]) blocks_seen++;
    is_seen[*guard] = 1;
    guard_address[*guard] = (uintptr_t)__builtin_return_address(0);
    trace_add(depth << 32 | *guard);
}

#define ACCESS(bytes, name, kind)                                                                                      \
    void __sanitizer_cov_##name##bytes(void *at);                                                                      \
    void __sanitizer_cov_##name##bytes(void *at) {                                                                     \
        if (tracing != NONE && traces[tracing].count > 0) /* a trace begins with a block */                            \
            trace_add((uint64_t)(kind) << 62 | (uint64_t)__builtin_ctz(bytes) << 56 |                                  \
                      ((uintptr_t)at & 0xffffffffffffull));                                                            \
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

static int is_access(uint64_t event) { return event >> 62 != 0; }
static int is_private(uintptr_t at) { return at > stack_top - STACK_BYTES && at < stack_top; }

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Numbers in private memory, 8 bytes each, lie side by side for all lanes: 8 sectors for 32 of them.
static double count_sectors(uint64_t *sectors, int count, int is_of_private) {
    int distinct = 0;
    qsort(sectors, (size_t)count, sizeof *sectors, compare);
    for (int i = 0; i < count; i++) distinct += i == 0 || sectors[i] != sectors[i - 1];
    return is_of_private ? 8.0 * distinct : distinct;
}

// The accesses that follow a block in the lanes that run it, one after the other.
static void replay_accesses(const uint32_t *run, int count, size_t *at, Totals *totals) {
    for (;;) {
        uint64_t sectors[2 * WARP];
        int sector_count = 0, active = 0, kind = -1;
        for (int k = 0; k < count; k++) {
            const Trace *trace = &traces[run[k]];
            if (at[k] >= trace->count || !is_access(trace->events[at[k]])) continue;
            const uint64_t event = trace->events[at[k]];
            const uintptr_t address = event & 0xffffffffffffull;
            const unsigned bytes = 1u << (event >> 56 & 15);
            if (kind < 0) kind = is_private(address);
            if (is_private(address) != kind) continue;
            active++;
            at[k]++;
            const uint64_t first = kind ? (stack_top - address) >> 3 : address >> 5;
            const uint64_t last = kind ? first + (bytes > 8) : (address + bytes - 1) >> 5;
            for (uint64_t s = first; s <= last; s++) sectors[sector_count++] = s;
        }
        if (active == 0) return;
        const double touched = count_sectors(sectors, sector_count, kind);
        *(kind ? &totals->private_sectors : &totals->global_sectors) += touched;
        totals->issued++;
        totals->active += active;
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
        for (uint32_t k = 0; k < count; k++) {
            const Trace *trace = &traces[first + k];
            if (at[k] >= trace->count) continue;
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
        replay_accesses(run, running, places, totals);
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

Totals replay_traces(uint32_t items) {
    Totals totals = {0};
    const uint32_t warps = (items + WARP - 1) / WARP;
    for (uint32_t w = 0; w < warps; w++) {
        issues[w].count = 0;
        replay_warp(w * WARP, items - w * WARP < WARP ? items - w * WARP : WARP, &issues[w], &totals);
    }
    replay_fetches(warps, &totals);
    for (uint32_t k = 0; k < items; k++) traces[k].count = 0;
    return totals;
}

// --- functions ----------------------------------------------------------------------------------------

typedef struct Function {
    char name[128];
    double issued, active;
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
    }
    if (names != NULL) pclose(names);
    remove(path);
    return count;
}

void print_functions(uint32_t count) {
    static Function functions[4096];
    double all = 0;
    const uint32_t found = list_functions(functions, sizeof functions / sizeof *functions);
    qsort(functions, found, sizeof *functions, compare_functions);
    for (uint32_t f = 0; f < found; f++) all += functions[f].issued;
    for (uint32_t f = 0; f < found && f < count; f++)
        printf("  %5.1f %% of what warps issue, lanes %.2f: %s\n", 100 * functions[f].issued / all,
               functions[f].active / (WARP * functions[f].issued), functions[f].name);
}
