// The folder of an unfinished run: which process may work in it, what lies in it, how it becomes one file.
#define _DEFAULT_SOURCE // flock
#include "shards_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "text.h"

#define FOLDER_ENDING ".parts"
#define MANIFEST_NAME "manifest.jsonl"
#define MERGED_NAME "merged.h5"

static char *join(const char *first, const char *second, const char *third) {
    const size_t bytes = strlen(first) + strlen(second) + strlen(third) + 1;
    char *text = malloc(bytes);
    if (text != NULL) snprintf(text, bytes, "%s%s%s", first, second, third);
    return text;
}

char *shards_file(const Shards *shards, const char *name) { return join(shards->folder, "/", name); }

// --- what lies in the folder ----------------------------------------------------------------------

static int is_shard_name(const char *name) {
    uint64_t first, last;
    char again[MANIFEST_NAME_BYTES];
    if (sscanf(name, "b%" SCNu64 "-%" SCNu64, &first, &last) != 2) return 0;
    snprintf(again, sizeof again, SHARD_NAME, first, last);
    return strcmp(name, again) == 0;
}

// Files of runs, other than finished shards: they are worth nothing once their writer is gone.
static int is_scratch_name(const char *name) {
    const size_t length = strlen(name), ending = strlen(".part");
    const int is_part = length > ending && strcmp(name + length - ending, ".part") == 0;
    return strcmp(name, MERGED_NAME) == 0 ||
           (is_part && (name[0] == 'b' || strncmp(name, MANIFEST_NAME, strlen(MANIFEST_NAME)) == 0));
}

static uint64_t count_shards(const char *folder) {
    DIR *stream = opendir(folder);
    uint64_t count = 0;
    if (stream == NULL) return 0;
    for (const struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream))
        count += is_shard_name(entry->d_name) ? 1 : 0;
    closedir(stream);
    return count;
}

static int is_listed(const Manifest *manifest, const char *name) {
    for (size_t i = 0; i < manifest->shard_count; i++)
        if (strcmp(manifest->shards[i].name, name) == 0) return 1;
    return 0;
}

// Remove what the manifest does not list; with `all` the shards that it lists too. Others' files stay. Whether all of
// that went.
static int clean_folder(const Shards *shards, int all) {
    DIR *stream = opendir(shards->folder);
    int is_clean = 1;
    if (stream == NULL) return 0;
    for (const struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        const char *name = entry->d_name;
        const int is_lost =
            is_scratch_name(name) || (is_shard_name(name) && (all || !is_listed(&shards->manifest, name)));
        char *path = is_lost ? shards_file(shards, name) : NULL;
        if (is_lost && (path == NULL || unlink(path) != 0)) is_clean = 0;
        free(path);
    }
    closedir(stream);
    return is_clean;
}

// The manifest goes last: as long as it is there, the rest can be identified.
static void remove_folder(const Shards *shards) {
    if (!clean_folder(shards, 1)) return;
    char *manifest = shards_file(shards, MANIFEST_NAME);
    if (manifest != NULL) unlink(manifest);
    free(manifest);
    rmdir(shards->folder); // stays where something else has been put there
}

// --- open -----------------------------------------------------------------------------------------

static void shards_free(Shards *shards) {
    if (shards == NULL) return;
    if (shards->lock >= 0) close(shards->lock);
    manifest_free(&shards->manifest);
    free(shards->output_path);
    free(shards->folder);
    free(shards->stop);
    free(shards);
}

static Shards *shards_make(const char *output_path) {
    Shards *shards = calloc(1, sizeof *shards);
    if (shards == NULL) return NULL;
    shards->lock = -1;
    shards->output_path = strdup(output_path);
    shards->folder = join(output_path, FOLDER_ENDING, "");
    if (shards->output_path != NULL && shards->folder != NULL) return shards;
    shards_free(shards);
    return NULL;
}

// A killed process holds no lock; file systems without locks have none to hold.
static ClackStatus lock_folder(Shards *shards, ClackReport *report) {
    shards->lock = open(shards->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (shards->lock < 0)
        return report_add(report, CLACK_IO, "%s: cannot be opened: %s", shards->folder, strerror(errno));
    if (flock(shards->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return CLACK_OK;
    return report_add(report, CLACK_IO, "%s: another process is writing this ensemble", shards->folder);
}

uint64_t shards_waiting(const char *output_path) {
    char *folder = join(output_path, FOLDER_ENDING, "");
    const uint64_t count = folder != NULL ? count_shards(folder) : 0;
    free(folder);
    return count;
}

ClackStatus shards_check_free(const char *output_path, int overwrites, ClackReport *report) {
    TRY(durable_check_free(output_path, overwrites, report));
    char *folder = join(output_path, FOLDER_ENDING, "");
    if (folder == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for its name", output_path);
    const uint64_t count = overwrites ? 0 : count_shards(folder);
    ClackStatus status = CLACK_OK;
    if (count > 0)
        status = report_add(report, CLACK_IO,
                            "%s: holds %" PRIu64 " %s of an unfinished run; \"clack resume %s\" goes on with it, "
                            "--overwrite begins anew",
                            folder, count, text_plural(count, "shard", "shards"), output_path);
    free(folder);
    return status;
}

static ClackStatus make_folder(Shards *shards, ClackReport *report) {
    if (mkdir(shards->folder, 0777) != 0 && errno != EEXIST)
        return report_add(report, CLACK_IO, "%s: cannot make this folder for the run's shards: %s", shards->folder,
                          strerror(errno));
    TRY(lock_folder(shards, report));
    clean_folder(shards, 1);
    return CLACK_OK;
}

static ClackStatus write_manifest(const Shards *shards, ClackReport *report) {
    char *path = shards_file(shards, MANIFEST_NAME);
    if (path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for the manifest", shards->folder);
    const ClackStatus status = manifest_write(path, &shards->manifest, report);
    free(path);
    return status;
}

// --- begin ----------------------------------------------------------------------------------------

// Before the manifest nothing is in the folder; before the second name it says what that is of.
static ClackStatus begin_folder(Shards *shards, ShardsTally *tally, ClackReport *report) {
    const int extends = shards->manifest.head.extends > 0;
    TRY(make_folder(shards, report));
    ClackStatus status = extends ? shards_enter_extended(shards, tally, report) : CLACK_OK;
    if (status == CLACK_OK) status = write_manifest(shards, report);
    if (status == CLACK_OK && extends) status = shards_link_extended(shards, report);
    if (status != CLACK_OK) remove_folder(shards);
    return status;
}

ClackStatus shards_open(const char *output_path, ManifestHead *head, Shards **out_shards, ShardsTally *out_tally,
                        ClackReport *report) {
    Manifest manifest = {.head = *head};
    *head = (ManifestHead){0};
    *out_shards = NULL;
    *out_tally = (ShardsTally){0};
    Shards *shards = shards_make(output_path);
    if (shards == NULL) {
        manifest_free(&manifest);
        return report_add(report, CLACK_MEMORY, "%s: no memory for the ensemble", output_path);
    }
    shards->manifest = manifest;
    ClackStatus status = shards_check_free(output_path, manifest.head.overwrites, report);
    if (status == CLACK_OK) status = begin_folder(shards, out_tally, report);
    shards->is_new = 1;
    if (status == CLACK_OK)
        *out_shards = shards;
    else
        shards_free(shards);
    return status;
}

// --- take up --------------------------------------------------------------------------------------

static int has_file(const Shards *shards, const char *name) {
    char *path = shards_file(shards, name);
    const int is_there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return is_there;
}

static ClackStatus read_folder(Shards *shards, ClackReport *report) {
    if (access(shards->folder, F_OK) != 0) {
        const int is_whole = access(shards->output_path, F_OK) == 0;
        return report_add(report, CLACK_IO, "%s: %s: nothing to resume%s", shards->folder, strerror(errno),
                          is_whole ? "; the ensemble is there" : "");
    }
    TRY(lock_folder(shards, report));
    char *path = shards_file(shards, MANIFEST_NAME);
    if (path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for the manifest", shards->folder);
    const ClackStatus status = manifest_read(path, &shards->manifest, report);
    free(path);
    return status;
}

// Had the run finished? A file of the final name tells, since a rename happens whole: it is not the one that is
// extended then. Else it may be there only where it may be replaced.
static ClackStatus find_end(Shards *shards, ClackReport *report) {
    const ManifestHead *head = &shards->manifest.head;
    const char *from = shards->manifest.merged_from;
    int is_there = 0, is_other = 0;
    TRY(shards_find_extended(shards, &is_there, &is_other, report));
    const int is_whole = is_there && (head->extends == 0 || is_other);
    shards->is_finished = is_whole && from[0] != '\0' && !has_file(shards, from);
    if (shards->is_finished) return CLACK_OK;
    if (is_there && !head->overwrites)
        return report_add(report, CLACK_IO, "%s: there is such a file, which is not of this run; move it away first",
                          shards->output_path);
    return is_other ? shards_check_replaced(shards, report) : CLACK_OK;
}

ClackStatus shards_reopen(const char *output_path, Shards **out_shards, int *out_finished, ClackReport *report) {
    *out_shards = NULL;
    Shards *shards = shards_make(output_path);
    if (shards == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for the ensemble", output_path);
    ClackStatus status = read_folder(shards, report);
    if (status == CLACK_OK) status = find_end(shards, report);
    if (status == CLACK_OK && !shards->is_finished) status = shards_link_extended(shards, report);
    if (status != CLACK_OK) {
        shards_free(shards);
        return status;
    }
    shards->manifest.merged_from[0] = '\0';
    *out_finished = shards->is_finished;
    *out_shards = shards;
    return CLACK_OK;
}

const ManifestHead *shards_head(const Shards *shards) { return &shards->manifest.head; }

ClackStatus shards_count_file(const char *path, ShardsTally *tally, ClackReport *report) {
    RecordSummary summary = {0};
    TRY(record_summary(path, &summary, report));
    tally->scenes += summary.scene_count;
    for (size_t i = 0; i < 256; i++) tally->statuses[i] += summary.by_status[i];
    for (size_t i = 0; i < 32; i++) tally->flags[i] += summary.by_flag[i];
    for (size_t i = 0; i < summary.dataset_count; i++)
        if (strcmp(summary.datasets[i].path, "/events/event") == 0) tally->events += summary.datasets[i].dims[0];
    record_summary_free(&summary);
    return CLACK_OK;
}

// What a shard holds, where all of it reads back; one that does not is run again, whatever its checksum says.
static ClackStatus read_shard(const char *path, ShardsTally *tally, int *out_is_whole, ClackReport *report) {
    ClackReport attempt = {0};
    ClackStatus status = record_check(path, &attempt);
    if (status == CLACK_OK) status = shards_count_file(path, tally, &attempt);
    *out_is_whole = status == CLACK_OK;
    if (status == CLACK_OK || status == CLACK_CORRUPT) {
        clack_report_clear(&attempt);
        return CLACK_OK;
    }
    report_move(&attempt, report);
    return status;
}

// Whether a shard is what the manifest says, byte by byte, and reads back; then what it holds counts. What cannot be
// read for another reason is an error: nothing is given up that may be good.
static ClackStatus check_shard(const char *path, const ManifestShard *shard, ShardsTally *tally, int *out_is_whole,
                               ClackReport *report) {
    char sha256[65];
    uint64_t bytes = 0;
    *out_is_whole = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT) return CLACK_OK;
    TRY(record_file_sha256(path, sha256, &bytes, report));
    if (bytes != shard->bytes || strcmp(sha256, shard->sha256) != 0) return CLACK_OK;
    return read_shard(path, tally, out_is_whole, report);
}

ClackStatus shards_verify(Shards *shards, int is_in_order, ShardsTally *out_tally, ClackReport *report) {
    Manifest *manifest = &shards->manifest;
    uint64_t next = manifest->head.first;
    size_t kept = 0;
    *out_tally = (ShardsTally){0};
    for (size_t i = 0; i < manifest->shard_count; i++) {
        int is_whole = 0;
        if (is_in_order && manifest->shards[i].first != next) {
            out_tally->dropped++;
            continue;
        }
        char *path = shards_file(shards, manifest->shards[i].name);
        if (path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for a shard's name", shards->folder);
        const ClackStatus status = check_shard(path, &manifest->shards[i], out_tally, &is_whole, report);
        free(path);
        if (status != CLACK_OK) return status; // the manifest on the disk still lists all
        if (is_whole) next = manifest->shards[i].end;
        if (is_whole)
            manifest->shards[kept++] = manifest->shards[i];
        else
            out_tally->dropped++;
    }
    manifest->shard_count = kept;
    TRY(write_manifest(shards, report));
    clean_folder(shards, 0);
    return CLACK_OK;
}

// --- the run goes on ------------------------------------------------------------------------------

int shards_next_gap(const Shards *shards, uint64_t from, uint64_t *out_first, uint64_t *out_end) {
    const Manifest *manifest = &shards->manifest;
    *out_first = from > manifest->head.first ? from : manifest->head.first;
    *out_end = manifest->head.end;
    for (size_t i = 0; i < manifest->shard_count; i++) { // by scene
        const ManifestShard *shard = &manifest->shards[i];
        if (shard->end <= *out_first) continue;
        if (shard->first > *out_first) {
            *out_end = shard->first;
            break;
        }
        *out_first = shard->end;
    }
    return *out_first < *out_end;
}

size_t shards_count(const Shards *shards) { return shards->manifest.shard_count; }

uint64_t shards_scenes(const Shards *shards) {
    const Manifest *manifest = &shards->manifest;
    uint64_t scenes = 0;
    for (size_t i = 0; i < manifest->shard_count; i++) scenes += manifest->shards[i].end - manifest->shards[i].first;
    return scenes;
}

char *shards_path_of(const Shards *shards, size_t index) {
    return shards_file(shards, shards->manifest.shards[index].name);
}

ClackStatus shards_end_at(Shards *shards, uint64_t end, const char *reason, ClackReport *report) {
    shards->manifest.head.end = end;
    free(shards->stop);
    shards->stop = strdup(reason);
    return shards->stop != NULL ? CLACK_OK
                                : report_add(report, CLACK_MEMORY, "%s: no memory for the manifest", shards->folder);
}

// What only the whole file has: why it ends where it does, and statistics of all its scenes.
static ClackStatus complete_file(const Shards *shards, const char *path, ClackReport *report) {
    if (shards->stop != NULL) TRY(record_note(path, "stop", shards->stop, report));
    return record_statistics_add(path, report);
}

char *shards_path(const Shards *shards, uint64_t first, uint64_t end) {
    char name[MANIFEST_NAME_BYTES];
    snprintf(name, sizeof name, SHARD_NAME, first, end - 1);
    return shards_file(shards, name);
}

ClackStatus shards_add(Shards *shards, uint64_t first, uint64_t end, ClackReport *report) {
    ManifestShard shard = {.first = first, .end = end};
    char *path = shards_path(shards, first, end);
    if (path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for a shard's name", shards->folder);
    snprintf(shard.name, sizeof shard.name, SHARD_NAME, first, end - 1);
    // One that has all scenes is the ensemble: shards_finish comes next and writes the manifest.
    const int is_all = first == shards->manifest.head.first && end == shards->manifest.head.end;
    ClackStatus status = is_all ? complete_file(shards, path, report) : CLACK_OK;
    if (status == CLACK_OK) status = record_check(path, report);
    if (status == CLACK_OK) status = record_file_sha256(path, shard.sha256, &shard.bytes, report);
    if (status == CLACK_OK) status = manifest_add(&shards->manifest, &shard, report);
    if (status == CLACK_OK && !is_all) status = write_manifest(shards, report);
    free(path);
    return status;
}

// --- the end --------------------------------------------------------------------------------------

static ClackStatus merge_shards(Shards *shards, const char *merged_path, ClackReport *report) {
    const Manifest *manifest = &shards->manifest;
    const size_t count = manifest->shard_count;
    char **paths = calloc(count, sizeof *paths);
    uint64_t scenes = 0;
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; paths != NULL && i < count; i++) {
        paths[i] = shards_file(shards, manifest->shards[i].name);
        if (paths[i] == NULL) status = CLACK_MEMORY;
    }
    if (paths == NULL || status != CLACK_OK) {
        status = report_add(report, CLACK_MEMORY, "%s: no memory to merge the shards", shards->folder);
    } else {
        const RecordMerge merge = {.paths = (const char *const *)paths,
                                   .count = count,
                                   .first = manifest->head.first,
                                   .end = manifest->head.end};
        status = record_merge(merged_path, &merge, &scenes, report);
        if (status == CLACK_OK) status = complete_file(shards, merged_path, report);
        if (status == CLACK_OK) status = record_check(merged_path, report);
    }
    for (size_t i = 0; paths != NULL && i < count; i++) free(paths[i]);
    free(paths);
    return status;
}

// One shard that has all scenes is the ensemble, several and a file that was extended become one. Which file is to get
// the final name is written down first, so that a run after a crash knows whether it did.
ClackStatus shards_finish(Shards *shards, ClackReport *report) {
    Manifest *manifest = &shards->manifest;
    const int is_one = manifest->shard_count == 1 && shards_made(shards) == 1;
    const char *name = is_one ? manifest->shards[0].name : MERGED_NAME;
    char *path = shards_file(shards, name);
    ClackStatus status = CLACK_OK;
    if (path == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory to merge the shards", shards->folder);
    if (!is_one) TRY_CLEAN(merge_shards(shards, path, report));
    snprintf(manifest->merged_from, sizeof manifest->merged_from, "%s", name);
    TRY_CLEAN(write_manifest(shards, report));
    TRY_CLEAN(shards_check_replaced(shards, report));
    TRY_CLEAN(durable_check_free(shards->output_path, manifest->head.overwrites, report));
    TRY_CLEAN(durable_rename(path, shards->output_path, report));
    shards->is_finished = 1;
cleanup:
    free(path);
    return status;
}

void shards_close(Shards *shards) {
    if (shards == NULL) return;
    if (shards->is_finished || (shards->is_new && shards_made(shards) == 0)) remove_folder(shards);
    shards_free(shards);
}
