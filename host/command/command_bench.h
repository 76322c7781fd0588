// What the files of `clack bench` share. Each part prints its table as it goes and adds to the document.
#ifndef CLACK_COMMAND_BENCH_H
#define CLACK_COMMAND_BENCH_H

#include "command.h"
#include "device.h"

typedef struct Bench {
    const Arguments *arguments;
    double point_s;       // measured at least so long where that takes more than one repeat
    uint64_t first;       // scenes of a workload's first point
    uint64_t scenes;      // at most, of one point
    int is_compiled_late; // drivers compile at the first launch
    double fma_per_s;     // ceilings of the device: double precision, and memory; 0: not measured
    double bytes_per_s;
    struct json_t *document; // of --json and -o, owned
    char start_folder[32];   // of caches that were empty at the start; "": none
} Bench;

double command_bench_now_s(void);
/// A line of the table; none with --json.
__attribute__((format(printf, 2, 3))) void command_bench_print(const Bench *bench, const char *format, ...);
/// "12.3 M": a number of three digits, with a letter for its thousands.
const char *command_bench_short(double value, char out[16]);

/// Was this part named, or none?
int command_bench_wants(const Bench *bench, const char *name);
/// Is it the name of a class of pairs?
int command_bench_is_pair(const char *name);

/// Each part: measure, print, add to bench->document. Errors: as clack_run's.
ClackStatus command_bench_start(Bench *bench, ClackReport *report);
ClackStatus command_bench_probe(Bench *bench, ClackReport *report);
ClackStatus command_bench_pairs(Bench *bench, ClackReport *report); // all, or those that were named
ClackStatus command_bench_workload(Bench *bench, size_t index, ClackReport *report);
ClackStatus command_bench_code(Bench *bench, ClackReport *report);
ClackStatus command_bench_bodies(Bench *bench, ClackReport *report);

/// The study of a class of pairs by a method ("exact", "mpr"). Freed by the caller.
ClackStatus command_bench_pair_study(const char *name, const char *method, ClackStudy **out_study, ClackReport *report);

#define BENCH_OVERRIDES 2

// The workloads, in the order of their names (command_bench_scenes.c).
typedef struct BenchWorkload {
    const char *name, *file;                       // in the folder of the palettes
    ClackStudyOverride overrides[BENCH_OVERRIDES]; // path NULL: no more
    const char *sentence;
} BenchWorkload;
extern const BenchWorkload command_bench_workloads[];
extern const size_t command_bench_workload_count;
/// The study of a workload. Freed by the caller.
ClackStatus command_bench_study(const Bench *bench, const BenchWorkload *workload, ClackStudy **out_study,
                                ClackReport *report);

#endif
