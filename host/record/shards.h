// The folder <output>.parts of an unfinished run: shards, each an ensemble file of a range of scenes that is
// there whole or not at all, and the manifest. In the end they become one file and the folder goes.
#ifndef CLACK_SHARDS_H
#define CLACK_SHARDS_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Shards Shards; // holds a lock: one process at a time

typedef struct ShardsTally {  // of shards that are kept
    uint64_t scenes, dropped; // dropped: shards that were damaged, whose scenes run again
    uint64_t statuses[256], flags[32];
    uint64_t events;
} ShardsTally;

/// Whether a run may begin to write this ensemble. Errors: CLACK_IO (there is one and it may not be replaced;
/// shards of an unfinished run).
ClackStatus shards_check_free(const char *output_path, int overwrites, ClackReport *report);
/// How many shards of an unfinished run of this ensemble there are.
uint64_t shards_waiting(const char *output_path);
/// Begin: make the folder and the manifest with `head`, whose texts are taken over in any case. With head->extends the
/// finished file of the final name becomes the first shard, by a second name for it: it stays where it is until the
/// whole file replaces it. *out_tally: what it holds. Errors: CLACK_CORRUPT (it does not read back) beside those of
/// shards_check_free.
ClackStatus shards_open(const char *output_path, ManifestHead *head, Shards **out_shards, ShardsTally *out_tally,
                        ClackReport *report);
/// Take up what an interrupted run left. *out_finished: it had finished, all that is left is to close.
/// Errors: CLACK_IO (nothing there, another process at work, another file of the final name), CLACK_CORRUPT.
ClackStatus shards_reopen(const char *output_path, Shards **out_shards, int *out_finished, ClackReport *report);
const ManifestHead *shards_head(const Shards *shards);
/// What a whole file holds is added. Errors: as record_summary's.
ClackStatus shards_count_file(const char *path, ShardsTally *tally, ClackReport *report);
/// Read all shards: what is damaged or not in the manifest is removed; with `is_in_order` also what comes after a scene
/// that is missing. Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus shards_verify(Shards *shards, int is_in_order, ShardsTally *out_tally, ClackReport *report);
/// The run ends before scene `end`, for a reason that the file is to hold. Errors: CLACK_MEMORY.
ClackStatus shards_end_at(Shards *shards, uint64_t end, const char *reason, ClackReport *report);

/// The first scenes from `from` on that no shard has; 0 where there are none.
int shards_next_gap(const Shards *shards, uint64_t from, uint64_t *out_first, uint64_t *out_end);
size_t shards_count(const Shards *shards);
/// How many are not of the file that is extended.
size_t shards_made(const Shards *shards);
/// Scenes of all by the manifest; no shard has been read for it.
uint64_t shards_scenes(const Shards *shards);
/// Path of one that is there, by scene; owned by the caller; NULL without memory.
char *shards_path_of(const Shards *shards, size_t index);
/// Path for the shard of scenes first .. end - 1, owned by the caller; NULL without memory.
char *shards_path(const Shards *shards, uint64_t first, uint64_t end);
/// Enter a shard that is whole under its path. Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus shards_add(Shards *shards, uint64_t first, uint64_t end, ClackReport *report);
/// Every scene is there: one file of the final name. Errors: as record_merge; the shards stay then.
ClackStatus shards_finish(Shards *shards, ClackReport *report);
/// Leave; the folder goes where the run has finished, or where a new one has no shard. NULL is allowed.
void shards_close(Shards *shards);

#ifdef __cplusplus
}
#endif
#endif
