// The manifest of an unfinished run as JSON lines: the first says how the run was asked for, each other one
// a shard, one that all of them have been merged, and the last one the checksum of those before.
#define _POSIX_C_SOURCE 200809L
#include "manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "durable.h"
#include "text.h"

#define SEAL_KEY "sha256_of_lines" // of all bytes before this line

#define MANIFEST_VERSION 2 // of a file that is extended, which version 1 does not know; else
#define MANIFEST_VERSION_PLAIN 1
#define SCENES_MAX INT32_MAX // numbers of scenes that a file holds

// --- writing --------------------------------------------------------------------------------------

static json_t *texts_to_json(char *const *texts, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(texts[i]));
    return list;
}

// Seeds are texts: JSON's integers end at 2^63.
static json_t *head_to_json(const ManifestHead *head) {
    char seed[24];
    json_t *identity = json_object();
    snprintf(seed, sizeof seed, "%" PRIu64, head->seed);
    for (int i = 0; i < RECORD_IDENTITY_FACTS; i++)
        json_object_set_new(identity, record_identity_names[i], json_string(head->identity.values[i]));
    json_t *line = json_pack(
        "{s:i, s:s, s:s*, s:s*, s:s, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:i, s:i, s:i, s:b, s:b, s:o, s:b}",
        "manifest", head->extends > 0 ? MANIFEST_VERSION : MANIFEST_VERSION_PLAIN, "study", head->study_path, "device",
        head->device, "command_line", head->command_line, "started", head->started_utc, "title", head->title, "inputs",
        texts_to_json(head->inputs, head->input_count), "overrides",
        texts_to_json(head->overrides, head->override_count), "seed", seed, "first", (json_int_t)head->first, "end",
        (json_int_t)head->end, "batch", (json_int_t)head->batch_scenes, "max_failures",
        (json_int_t)head->failures_allowed, "lanes", (int)head->lanes, "queues", (int)head->queue_items, "threads",
        (int)head->threads, "allow_inexact", head->allow_inexact, "overwrite", head->overwrites, "identity", identity,
        "sealed", 1);
    if (line != NULL && head->extends > 0)
        json_object_set_new(line, "extends",
                            json_pack("{s:I, s:I, s:s}", "scenes", (json_int_t)head->extends, "bytes",
                                      (json_int_t)head->extended_bytes, "sha256", head->extended_sha256));
    return line;
}

static int put_line(FILE *stream, json_t *line) {
    const int is_put = line != NULL && json_dumpf(line, stream, JSON_COMPACT) == 0 && fputc('\n', stream) != EOF;
    json_decref(line);
    return is_put;
}

static int put_manifest(FILE *stream, const Manifest *manifest) {
    int is_put = put_line(stream, head_to_json(&manifest->head));
    for (size_t i = 0; is_put && i < manifest->shard_count; i++) {
        const ManifestShard *shard = &manifest->shards[i];
        is_put = put_line(stream, json_pack("{s:s, s:I, s:I, s:I, s:s}", "shard", shard->name, "first",
                                            (json_int_t)shard->first, "end", (json_int_t)shard->end, "bytes",
                                            (json_int_t)shard->bytes, "sha256", shard->sha256));
    }
    if (is_put && manifest->merged_from[0] != '\0')
        is_put = put_line(stream, json_pack("{s:s}", "merged_from", manifest->merged_from));
    return is_put;
}

// The text of a manifest with its last line, owned by the caller; NULL without memory.
static char *print_manifest(const Manifest *manifest, size_t *out_bytes) {
    unsigned char sum[DIGEST_BYTES];
    char hex[DIGEST_HEX_BYTES], *text = NULL;
    FILE *stream = open_memstream(&text, out_bytes);
    if (stream == NULL) return NULL;
    int is_put = put_manifest(stream, manifest) && fflush(stream) == 0 && digest_of(text, *out_bytes, sum);
    if (is_put) {
        digest_print(sum, hex);
        is_put = put_line(stream, json_pack("{s:s}", SEAL_KEY, hex));
    }
    is_put = fclose(stream) == 0 && is_put;
    if (is_put) return text;
    free(text);
    return NULL;
}

// Without a shard there is nothing yet that must outlast a failure of power: a flush may take long.
static ClackStatus name_file(const char *part_path, const char *path, const Manifest *manifest, ClackReport *report) {
    if (manifest->shard_count > 0) return durable_rename(part_path, path, report);
    if (rename(part_path, path) == 0) return CLACK_OK;
    return report_add(report, CLACK_IO, "%s: cannot rename to %s: %s", part_path, path, strerror(errno));
}

// The first text of the run that JSON cannot hold; NULL: none.
static const char *find_broken(const ManifestHead *head) {
    const char *const texts[] = {head->study_path, head->device, head->command_line, head->title};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] != NULL && !text_is_whole(texts[i])) return texts[i];
    for (size_t i = 0; i < head->input_count; i++)
        if (!text_is_whole(head->inputs[i])) return head->inputs[i];
    for (size_t i = 0; i < head->override_count; i++)
        if (!text_is_whole(head->overrides[i])) return head->overrides[i];
    return NULL;
}

ClackStatus manifest_write(const char *path, const Manifest *manifest, ClackReport *report) {
    const char *broken = find_broken(&manifest->head);
    if (broken != NULL)
        return report_add(report, CLACK_USAGE,
                          "%s: expected names in UTF-8, which a run can be taken up with, found \"%s\"", path, broken);
    const size_t bytes = strlen(path) + sizeof ".part";
    size_t text_bytes = 0;
    char *part_path = malloc(bytes), *text = print_manifest(manifest, &text_bytes);
    if (part_path == NULL || text == NULL) {
        free(part_path);
        free(text);
        return report_add(report, CLACK_MEMORY, "%s: no memory to write it", path);
    }
    snprintf(part_path, bytes, "%s.part", path);
    errno = 0;
    FILE *stream = fopen(part_path, "w");
    const int is_put = stream != NULL && fwrite(text, 1, text_bytes, stream) == text_bytes;
    const int is_closed = stream != NULL && fclose(stream) == 0; // a full disk may show only here
    ClackStatus status = CLACK_OK;
    if (is_put && is_closed) {
        status = name_file(part_path, path, manifest, report);
    } else {
        status = report_add(report, CLACK_IO, "%s: cannot be written: %s", part_path, strerror(errno));
        if (stream != NULL) unlink(part_path);
    }
    free(text);
    free(part_path);
    return status;
}

// --- reading --------------------------------------------------------------------------------------

static int take_text(const char *text, char **out_text) {
    *out_text = text == NULL ? NULL : strdup(text);
    return text == NULL || *out_text != NULL;
}

static int take_identity(const json_t *line, RecordIdentity *identity) {
    const json_t *facts = json_object_get(line, "identity");
    for (int i = 0; i < RECORD_IDENTITY_FACTS; i++) {
        const char *value = json_string_value(json_object_get(facts, record_identity_names[i]));
        if (value == NULL && strcmp(record_identity_names[i], RECORD_IDENTITY_FORMAT) == 0) value = "1";
        if (value == NULL || !take_text(value, &identity->values[i])) return 0;
    }
    return 1;
}

static int take_texts(const json_t *list, char ***out_texts, size_t *out_count) {
    const size_t count = json_array_size(list);
    *out_count = 0;
    *out_texts = calloc(count + 1, sizeof **out_texts);
    if (*out_texts == NULL) return 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text == NULL || !take_text(text, &(*out_texts)[i])) return 0;
        ++*out_count;
    }
    return 1;
}

static int take_overrides(const json_t *list, ManifestHead *head) {
    if (!take_texts(list, &head->overrides, &head->override_count)) return 0;
    for (size_t i = 0; i < head->override_count; i++)
        if (strchr(head->overrides[i], '=') == NULL) return 0;
    return 1;
}

// What a manifest says of itself; those of earlier programs have no such line.
typedef struct ManifestSeal {
    Digest lines; // so far
    int is_expected, is_found;
} ManifestSeal;

static int take_seal(ManifestSeal *seal, const json_t *line, const char *text, size_t bytes) {
    const char *wanted = json_string_value(json_object_get(line, SEAL_KEY));
    unsigned char sum[DIGEST_BYTES];
    char hex[DIGEST_HEX_BYTES];
    if (wanted == NULL) {
        digest_add(&seal->lines, text, bytes);
        return 1;
    }
    const int is_known = digest_end(&seal->lines, sum);
    digest_print(sum, hex);
    digest_begin(&seal->lines);
    seal->is_found = is_known && strcmp(hex, wanted) == 0;
    return seal->is_found;
}

// Of the file that is extended.
static int take_extended(const json_t *line, int version, ManifestHead *head) {
    const char *sha256 = NULL;
    json_int_t scenes = 0, bytes = 0;
    if (version == MANIFEST_VERSION_PLAIN) return 1;
    if (json_unpack(json_object_get(line, "extends"), "{s:I, s:I, s:s}", "scenes", &scenes, "bytes", &bytes, "sha256",
                    &sha256) != 0)
        return 0;
    if (head->first != 0 || scenes < 1 || (uint64_t)scenes >= head->end || bytes < 0 ||
        strlen(sha256) != sizeof head->extended_sha256 - 1)
        return 0;
    strcpy(head->extended_sha256, sha256);
    head->extends = (uint64_t)scenes;
    head->extended_bytes = (uint64_t)bytes;
    return 1;
}

static int take_head(json_t *line, ManifestHead *head) {
    const char *study = NULL, *device = NULL, *command_line = NULL, *started = NULL, *title = NULL, *seed = NULL;
    json_int_t first = 0, end = 0, batch = 0, failures = 0;
    int version = 0, lanes = 0, queues = 0, threads = 0;
    json_t *inputs = NULL, *overrides = NULL;
    if (json_unpack(line, "{s:i, s:s, s?s, s?s, s:s, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:i, s?i, s:i, s?b, s:b}",
                    "manifest", &version, "study", &study, "device", &device, "command_line", &command_line, "started",
                    &started, "title", &title, "inputs", &inputs, "overrides", &overrides, "seed", &seed, "first",
                    &first, "end", &end, "batch", &batch, "max_failures", &failures, "lanes", &lanes, "queues", &queues,
                    "threads", &threads, "allow_inexact", &head->allow_inexact, "overwrite", &head->overwrites) != 0)
        return 0;
    if (version < MANIFEST_VERSION_PLAIN || version > MANIFEST_VERSION || first < 0 || end <= first ||
        end > SCENES_MAX || batch < 0 || lanes < 0 || queues < 0 || threads < 0)
        return 0;
    head->first = (uint64_t)first;
    head->end = (uint64_t)end;
    head->batch_scenes = (uint64_t)batch;
    head->failures_allowed = (uint64_t)failures;
    head->lanes = (uint32_t)lanes;
    head->queue_items = (uint32_t)queues;
    head->threads = (uint32_t)threads;
    head->seed = strtoull(seed, NULL, 10);
    return take_text(study, &head->study_path) && take_text(device, &head->device) &&
           take_text(command_line, &head->command_line) && take_text(started, &head->started_utc) &&
           take_text(title, &head->title) && take_texts(inputs, &head->inputs, &head->input_count) &&
           take_overrides(overrides, head) && take_identity(line, &head->identity) &&
           take_extended(line, version, head);
}

// Shards stand in any order; each within the run and apart from the others.
static int fits_manifest(const Manifest *manifest, const ManifestShard *shard) {
    if (shard->first < manifest->head.first || shard->first >= shard->end || shard->end > manifest->head.end) return 0;
    for (size_t i = 0; i < manifest->shard_count; i++) {
        if (shard->first < manifest->shards[i].end && manifest->shards[i].first < shard->end) return 0;
    }
    return 1;
}

static int take_name(const char *name, char out_name[MANIFEST_NAME_BYTES]) {
    if (strlen(name) >= MANIFEST_NAME_BYTES || name[0] == '\0' || strchr(name, '/') != NULL) return 0;
    strcpy(out_name, name);
    return 1;
}

static int take_line(json_t *line, size_t number, Manifest *manifest, ClackReport *report) {
    if (number == 0) return take_head(line, &manifest->head);
    const char *name = NULL, *sha256 = NULL;
    json_int_t first = 0, end = 0, bytes = 0;
    ManifestShard shard = {0};
    if (json_unpack(line, "{s:s}", "merged_from", &name) == 0) return take_name(name, manifest->merged_from);
    if (json_unpack(line, "{s:s, s:I, s:I, s:I, s:s}", "shard", &name, "first", &first, "end", &end, "bytes", &bytes,
                    "sha256", &sha256) != 0)
        return 0;
    if (first < 0 || end < 0 || bytes < 0 || strlen(sha256) != sizeof shard.sha256 - 1 || !take_name(name, shard.name))
        return 0;
    strcpy(shard.sha256, sha256);
    shard.first = (uint64_t)first;
    shard.end = (uint64_t)end;
    shard.bytes = (uint64_t)bytes;
    return fits_manifest(manifest, &shard) && manifest_add(manifest, &shard, report) == CLACK_OK;
}

ClackStatus manifest_read(const char *path, Manifest *out_manifest, ClackReport *report) {
    *out_manifest = (Manifest){0};
    FILE *stream = fopen(path, "r");
    ManifestSeal seal = {0};
    char *text = NULL;
    unsigned char sum[DIGEST_BYTES];
    size_t room = 0, number = 0;
    ssize_t bytes = 0;
    int is_right = 1;
    if (stream == NULL) return report_add(report, CLACK_IO, "%s: cannot be read: %s", path, strerror(errno));
    digest_begin(&seal.lines);
    while (is_right && (bytes = getline(&text, &room, stream)) > 0) {
        json_t *line = seal.is_found ? NULL : json_loadb(text, (size_t)bytes, 0, NULL);
        is_right = line != NULL && take_seal(&seal, line, text, (size_t)bytes) &&
                   (seal.is_found || take_line(line, number, out_manifest, report));
        if (number == 0) seal.is_expected = json_is_true(json_object_get(line, "sealed"));
        json_decref(line);
        number++;
    }
    const int failed = ferror(stream);
    digest_end(&seal.lines, sum);
    free(text);
    fclose(stream);
    if (is_right && number > 0 && !failed && seal.is_found == seal.is_expected) return CLACK_OK;
    manifest_free(out_manifest);
    if (failed) return report_add(report, CLACK_IO, "%s: cannot be read", path);
    return report_add(report, CLACK_CORRUPT, "%s:%zu: expected a line of the manifest of an unfinished run%s", path,
                      number > 0 ? number : 1, seal.is_expected ? ", the last with the SHA-256 of those before" : "");
}

// --- memory ---------------------------------------------------------------------------------------

ClackStatus manifest_add(Manifest *manifest, const ManifestShard *shard, ClackReport *report) {
    const size_t count = manifest->shard_count;
    ManifestShard *grown = realloc(manifest->shards, (count + 1) * sizeof *grown);
    if (grown == NULL) return report_add(report, CLACK_MEMORY, "no memory for the list of shards");
    manifest->shards = grown;
    size_t at = count; // by scene
    for (; at > 0 && grown[at - 1].first > shard->first; at--) grown[at] = grown[at - 1];
    grown[at] = *shard;
    manifest->shard_count++;
    return CLACK_OK;
}

void manifest_free(Manifest *manifest) {
    ManifestHead *head = &manifest->head;
    for (size_t i = 0; i < head->override_count; i++) free(head->overrides[i]);
    for (size_t i = 0; i < head->input_count; i++) free(head->inputs[i]);
    free(head->overrides);
    free(head->inputs);
    free(head->title);
    free(head->study_path);
    free(head->device);
    free(head->command_line);
    free(head->started_utc);
    record_identity_free(&head->identity);
    free(manifest->shards);
    *manifest = (Manifest){0};
}
