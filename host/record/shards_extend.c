// A finished file that a run adds scenes to: the first of its shards, under a second name, until the whole one takes
// its place.
#define _POSIX_C_SOURCE 200809L
#include "shards_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"

static int is_extended(const Shards *shards, const ManifestShard *shard) {
    return shards->manifest.head.extends > 0 && shard->first == 0 && shard->end == shards->manifest.head.extends;
}

ClackStatus shards_enter_extended(Shards *shards, ShardsTally *tally, ClackReport *report) {
    ManifestHead *head = &shards->manifest.head;
    ManifestShard shard = {.first = 0, .end = head->extends};
    snprintf(shard.name, sizeof shard.name, SHARD_NAME, shard.first, shard.end - 1);
    TRY(record_check(shards->output_path, report));
    TRY(shards_count_file(shards->output_path, tally, report));
    TRY(record_file_sha256(shards->output_path, shard.sha256, &shard.bytes, report));
    head->extended_bytes = shard.bytes;
    memcpy(head->extended_sha256, shard.sha256, sizeof head->extended_sha256);
    return manifest_add(&shards->manifest, &shard, report);
}

// The stream knows at its end what it did not take.
static void copy_stream(FILE *from, FILE *to) {
    char block[4096];
    for (size_t count = sizeof block; count == sizeof block;) {
        count = fread(block, 1, sizeof block, from);
        if (fwrite(block, 1, count, to) < count) return;
    }
}

static ClackStatus copy_file(const char *from, const char *to, ClackReport *report) {
    FILE *source = fopen(from, "rb");
    DurableFile file;
    if (source == NULL) return report_add(report, CLACK_IO, "%s: cannot be read: %s", from, strerror(errno));
    ClackStatus status = durable_create(to, 0, &file, report);
    if (status == CLACK_OK) {
        copy_stream(source, file.stream);
        if (ferror(source)) status = report_add(report, CLACK_IO, "%s: cannot be read", from);
        status = durable_finish(&file, status, report);
    }
    fclose(source);
    return status;
}

ClackStatus shards_link_extended(const Shards *shards, ClackReport *report) {
    const Manifest *manifest = &shards->manifest;
    if (manifest->shard_count == 0 || !is_extended(shards, &manifest->shards[0])) return CLACK_OK;
    char *path = shards_file(shards, manifest->shards[0].name);
    ClackStatus status = CLACK_OK;
    if (path == NULL)
        status = report_add(report, CLACK_MEMORY, "%s: no memory for a shard's name", shards->folder);
    else if (access(path, F_OK) != 0 && link(shards->output_path, path) != 0 && errno != EEXIST && errno != ENOENT)
        status = copy_file(shards->output_path, path, report);
    free(path);
    return status;
}

ClackStatus shards_find_extended(const Shards *shards, int *out_is_there, int *out_is_other, ClackReport *report) {
    const ManifestHead *head = &shards->manifest.head;
    char sha256[65];
    uint64_t bytes = 0;
    *out_is_there = access(shards->output_path, F_OK) == 0;
    *out_is_other = 0;
    if (!*out_is_there || head->extends == 0) return CLACK_OK;
    TRY(record_file_sha256(shards->output_path, sha256, &bytes, report));
    *out_is_other = bytes != head->extended_bytes || strcmp(sha256, head->extended_sha256) != 0;
    return CLACK_OK;
}

ClackStatus shards_check_replaced(const Shards *shards, ClackReport *report) {
    int is_there = 0, is_other = 0;
    TRY(shards_find_extended(shards, &is_there, &is_other, report));
    if (!is_other) return CLACK_OK;
    return report_add(report, CLACK_IO,
                      "%s: there is such a file, which is not as it was when its scenes were to be extended; move it "
                      "away first",
                      shards->output_path);
}

size_t shards_made(const Shards *shards) {
    const size_t count = shards->manifest.shard_count;
    return count > 0 && is_extended(shards, &shards->manifest.shards[0]) ? count - 1 : count;
}
