// What lies in the folder of an unfinished run: how the run was asked for, and its finished shards. JSON lines.
#ifndef CLACK_MANIFEST_H
#define CLACK_MANIFEST_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MANIFEST_NAME_BYTES 64

// All that it takes to go on. Texts are owned; those of devices may be NULL.
typedef struct ManifestHead {
    char *study_path, *device, *command_line, *started_utc;
    char *title;
    size_t input_count, override_count;
    char **inputs;    // (input_count): names of the study's files as they were given to the run
    char **overrides; // (override_count): "path=value"
    RecordIdentity identity;
    uint64_t seed, first, end; // scenes
    uint64_t batch_scenes, failures_allowed;
    uint32_t lanes, queue_items, threads;
    int allow_inexact;
    int overwrites; // an ensemble of the final name may be replaced
    // The finished file of the final name that the run adds scenes to: how many it has, 0 where there is none; which it
    // is. A shard has them too.
    uint64_t extends, extended_bytes;
    char extended_sha256[65];
} ManifestHead;

typedef struct ManifestShard {
    char name[MANIFEST_NAME_BYTES]; // within the folder
    char sha256[65];
    uint64_t first, end, bytes;
} ManifestShard;

typedef struct Manifest {
    ManifestHead head;
    size_t shard_count;
    ManifestShard *shards;                 // (shard_count), owned
    char merged_from[MANIFEST_NAME_BYTES]; // "" or the file that is being given the final name
} Manifest;

/// Read and check a manifest. Errors: CLACK_IO, CLACK_CORRUPT (with file and line), CLACK_MEMORY.
ClackStatus manifest_read(const char *path, Manifest *out_manifest, ClackReport *report);
/// Write it whole: as "<path>.part", then renamed. Errors: CLACK_IO, CLACK_MEMORY, CLACK_USAGE (a name of the run is no
/// UTF-8); the former one is left alone.
ClackStatus manifest_write(const char *path, const Manifest *manifest, ClackReport *report);
/// Errors: CLACK_MEMORY.
ClackStatus manifest_add(Manifest *manifest, const ManifestShard *shard, ClackReport *report);
void manifest_free(Manifest *manifest);

#ifdef __cplusplus
}
#endif
#endif
