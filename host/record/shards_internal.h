// What shards.c and shards_extend.c share: the folder of an unfinished run.
#ifndef CLACK_SHARDS_INTERNAL_H
#define CLACK_SHARDS_INTERNAL_H

#include <inttypes.h>

#include "shards.h"

#define SHARD_NAME "b%010" PRIu64 "-%010" PRIu64 ".h5" // first and last scene

struct Shards {
    char *output_path, *folder;
    int lock; // descriptor of the folder
    Manifest manifest;
    int is_new, is_finished;
    char *stop; // why the run ends where it does; NULL: at the last scene of the study
};

/// Path of a file of the folder, owned by the caller; NULL without memory.
char *shards_file(const Shards *shards, const char *name);

/// The file that is extended becomes a shard of the manifest. Errors: CLACK_CORRUPT (it does not read back), CLACK_IO,
/// CLACK_MEMORY.
ClackStatus shards_enter_extended(Shards *shards, ShardsTally *tally, ClackReport *report);
/// Give it its second name, or make a copy where the file system has none; what that is of is seen by its checksum.
/// Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus shards_link_extended(const Shards *shards, ClackReport *report);
/// Whether there is a file of the final name, and whether it is another than the one that is extended.
ClackStatus shards_find_extended(const Shards *shards, int *out_is_there, int *out_is_other, ClackReport *report);
/// Is a file of the final name the one that is extended? No other may be replaced. Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus shards_check_replaced(const Shards *shards, ClackReport *report);

#endif
