// Studies of files compared without their number of samples; files that can be extended.
#define _POSIX_C_SOURCE 200809L
#include "record_origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"
#include "text.h"

#define LINE_BEFORE 24 // bytes of a line that are shown before what differs
#define LINE_SHOWN 64

// --- what a file or a study says ------------------------------------------------------------------

void record_origin_free(RecordOrigin *origin) {
    free(origin->design);
    free(origin->text);
    free(origin->overrides);
    free(origin->input);
    record_texts_free(&origin->sums);
    *origin = (RecordOrigin){0};
}

static ClackStatus no_memory(const char *path, ClackReport *report) {
    return report_add(report, CLACK_MEMORY, "%s: no memory for its study", path);
}

static ClackStatus read_text(const RecordReader *reader, RecordOrigin *origin, ClackReport *report) {
    RecordAxes axes;
    double *bytes = NULL;
    TRY(record_read_all(reader, "provenance/study_text", &axes, &bytes, report));
    origin->text_bytes = axes.rank == 1 ? (size_t)axes.dims[0] : 0;
    origin->text = malloc(origin->text_bytes + 1);
    for (size_t i = 0; origin->text != NULL && i < origin->text_bytes; i++)
        origin->text[i] = (char)(unsigned char)bytes[i];
    free(bytes);
    return origin->text != NULL ? CLACK_OK : no_memory(record_read_path(reader), report);
}

static ClackStatus read_origin(const RecordReader *reader, RecordOrigin *origin, ClackReport *report) {
    RecordTexts names = {0};
    TRY(read_text(reader, origin, report));
    TRY(record_read_texts(reader, "provenance/input_sha256", &origin->sums, report));
    TRY(record_read_texts(reader, "provenance/input_name", &names, report));
    origin->input = strdup(names.count > 0 ? names.items[0] : "");
    record_texts_free(&names);
    origin->overrides = record_read_attribute(reader, "provenance", "overrides");
    origin->design = record_read_attribute(reader, "provenance", "design");
    if (origin->input == NULL || origin->overrides == NULL || origin->design == NULL)
        return no_memory(record_read_path(reader), report);
    origin->design[strcspn(origin->design, ",")] = '\0'; // "sobol, not scrambled"
    return record_read_check(reader, report);
}

ClackStatus record_origin_of_file(const char *path, RecordOrigin *out_origin, ClackReport *report) {
    RecordReader *reader = NULL;
    *out_origin = (RecordOrigin){0};
    TRY(record_read_open(path, &reader, report));
    const ClackStatus status = read_origin(reader, out_origin, report);
    record_read_close(reader);
    if (status != CLACK_OK) record_origin_free(out_origin);
    return status;
}

static int add_sum(const InputFile *input, RecordTexts *sums, ClackReport *report) {
    InputFile copy = *input;
    const Study one = {.input_count = 1, .inputs = &copy};
    char sum[DIGEST_HEX_BYTES];
    if (record_study_sha256(&one, sum, report) != CLACK_OK) return 0;
    sums->items[sums->count] = strdup(sum);
    return sums->items[sums->count] != NULL && ++sums->count > 0;
}

ClackStatus record_origin_of_study(const Study *study, RecordOrigin *out_origin, ClackReport *report) {
    const InputFile *input = &study->inputs[0];
    const char *name = study_design_name(study->design.kind);
    *out_origin = (RecordOrigin){.design = strndup(name, strcspn(name, ",")),
                                 .text = malloc(input->text_bytes + 1),
                                 .text_bytes = input->text_bytes,
                                 .overrides = record_overrides(study),
                                 .input = strdup(input->path),
                                 .sums.items = calloc((size_t)study->input_count + 1, sizeof(char *))};
    int is_whole = out_origin->design != NULL && out_origin->text != NULL && out_origin->overrides != NULL &&
                   out_origin->input != NULL && out_origin->sums.items != NULL;
    if (is_whole) memcpy(out_origin->text, input->text, input->text_bytes);
    for (uint32_t i = 0; is_whole && i < study->input_count; i++)
        is_whole = add_sum(&study->inputs[i], &out_origin->sums, report);
    if (is_whole) return CLACK_OK;
    record_origin_free(out_origin);
    return no_memory(input->path, report);
}

// --- compared -------------------------------------------------------------------------------------

// The study's text without its number of samples, where the design is one that can grow.
static char *text_without_samples(const RecordOrigin *origin, size_t *out_bytes) {
    size_t first = origin->text_bytes, end = origin->text_bytes;
    char *text = malloc(origin->text_bytes + 1);
    if (text == NULL) return NULL;
    if (!study_find_samples(origin->text, origin->text_bytes, origin->design, &first, &end))
        first = end = origin->text_bytes;
    memcpy(text, origin->text, first);
    memcpy(text + first, origin->text + end, origin->text_bytes - end);
    *out_bytes = first + origin->text_bytes - end;
    text[*out_bytes] = '\0';
    return text;
}

// Overrides without those that set it, a line for each.
static char *overrides_without_samples(const RecordOrigin *origin) {
    char *text = malloc(strlen(origin->overrides) + 1);
    size_t used = 0;
    if (text == NULL) return NULL;
    for (const char *line = origin->overrides; *line != '\0';) {
        const size_t bytes = strcspn(line, "\n");
        if (!study_sets_samples(line, origin->design)) {
            if (used > 0) text[used++] = '\n';
            memcpy(text + used, line, bytes);
            used += bytes;
        }
        line += bytes + (line[bytes] != '\0');
    }
    text[used] = '\0';
    return text;
}

// Tells the first line in which two texts differ: from shortly before what does.
static ClackStatus tell_line(const char *first, const char *first_name, const char *second, const char *second_name,
                             ClackReport *report) {
    uint32_t line = 1;
    size_t at = 0, from = 0;
    for (; first[at] == second[at] && first[at] != '\0'; at++) {
        if (first[at] != '\n') continue;
        line++;
        from = at + 1;
    }
    while (at - from > LINE_BEFORE || (from < at && ((unsigned char)first[from] & 0xc0) == 0x80)) from++;
    const size_t one = strcspn(first + from, "\n"), other = strcspn(second + from, "\n");
    return report_add(report, CLACK_CORRUPT, "%s:%" PRIu32 ": expected \"%.*s\" as of %s, found \"%.*s\"", second_name,
                      line, text_whole(first + from, one < LINE_SHOWN ? one : LINE_SHOWN), first + from, first_name,
                      text_whole(second + from, other < LINE_SHOWN ? other : LINE_SHOWN), second + from);
}

static ClackStatus compare_texts(const RecordOrigin *first, const char *first_name, const RecordOrigin *second,
                                 const char *second_name, ClackReport *report) {
    size_t first_bytes = 0, second_bytes = 0;
    char *one = text_without_samples(first, &first_bytes), *other = text_without_samples(second, &second_bytes);
    ClackStatus status = CLACK_OK;
    if (one == NULL || other == NULL)
        status = no_memory(second_name, report);
    else if (first_bytes != second_bytes || memcmp(one, other, first_bytes) != 0)
        status = tell_line(one, first_name, other, second->input, report);
    free(one);
    free(other);
    return status;
}

static ClackStatus compare_overrides(const RecordOrigin *first, const char *first_name, const RecordOrigin *second,
                                     const char *second_name, ClackReport *report) {
    char *one = overrides_without_samples(first), *other = overrides_without_samples(second);
    ClackStatus status = CLACK_OK;
    if (one == NULL || other == NULL)
        status = no_memory(second_name, report);
    else if (strcmp(one, other) != 0)
        status = report_add(report, CLACK_CORRUPT, "%s: overrides (--set): expected \"%s\" as of %s, found \"%s\"",
                            second_name, one, first_name, other);
    free(one);
    free(other);
    return status;
}

// Palettes, tables, meshes.
static ClackStatus compare_inputs(const RecordOrigin *first, const char *first_name, const RecordOrigin *second,
                                  const char *second_name, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    if (first->sums.count != second->sums.count)
        return report_add(report, CLACK_CORRUPT, "%s: the study is read from %zu files, that of %s from %zu",
                          second_name, second->sums.count, first_name, first->sums.count);
    for (size_t i = 1; i < first->sums.count; i++)
        if (strcmp(first->sums.items[i], second->sums.items[i]) != 0)
            status = report_add(report, CLACK_CORRUPT,
                                "%s: file %zu that the study names or needs is not that of %s: its SHA-256 differs",
                                second_name, i, first_name);
    return status;
}

ClackStatus record_origin_compare(const RecordOrigin *first, const char *first_name, const RecordOrigin *second,
                                  const char *second_name, ClackReport *report) {
    const ClackStatus texts = compare_texts(first, first_name, second, second_name, report);
    const ClackStatus overrides = compare_overrides(first, first_name, second, second_name, report);
    const ClackStatus inputs = compare_inputs(first, first_name, second, second_name, report);
    if (texts == CLACK_OK && overrides == CLACK_OK && strcmp(first->design, second->design) != 0)
        return report_add(report, CLACK_CORRUPT, "%s: design: expected %s as of %s, found %s", second_name,
                          first->design, first_name, second->design);
    return texts != CLACK_OK ? texts : overrides != CLACK_OK ? overrides : inputs;
}

// --- files that can be extended -------------------------------------------------------------------

void record_base_free(RecordBase *base) { record_identity_free(&base->identity); }

static ClackStatus check_scenes(const char *path, const RecordSummary *summary, int has_stop, RecordBase *base,
                                ClackReport *report) {
    base->scenes = summary->scene_count;
    base->wanted = strtoull(base->identity.values[RECORD_IDENTITY_SCENES], NULL, 10);
    if (summary->is_complete != 1)
        return report_add(report, CLACK_CORRUPT, "%s: scenes of it were not run (complete = 0)", path);
    if (summary->scene_first > 0 || base->scenes > base->wanted || (base->scenes < base->wanted && !has_stop))
        return report_add(report, CLACK_CORRUPT,
                          "%s: expected all %" PRIu64 " scenes of its study, found %.0f to %.0f: a part of them", path,
                          base->wanted, summary->scene_first, summary->scene_last);
    return CLACK_OK;
}

// It is of scenes drawn from all that there were.
static ClackStatus check_not_verified(const char *path, ClackReport *report) {
    RecordReader *reader = NULL;
    TRY(record_read_open(path, &reader, report));
    const bool is_verified = record_read_has(reader, "verification");
    const ClackStatus status = record_read_check(reader, report);
    record_read_close(reader);
    if (status != CLACK_OK || !is_verified) return status;
    return report_add(report, CLACK_CORRUPT, "%s: has a verification (--verify), which would no longer hold", path);
}

static ClackStatus compare_studies(const char *path, const Study *study, const RecordBase *base, ClackReport *report) {
    const RecordProvenance nowhere = {0};
    RecordIdentity wanted = {0};
    RecordOrigin file = {0}, run = {0};
    ClackStatus status = CLACK_OK;
    TRY(record_identity_of_run(study, &nowhere, &wanted, report));
    const ClackStatus versions =
        record_identity_compare_some(&base->identity, path, &wanted, "this run", RECORD_FACTS_VERSION, report);
    record_identity_free(&wanted);
    TRY_CLEAN(record_origin_of_file(path, &file, report));
    TRY_CLEAN(record_origin_of_study(study, &run, report));
    status = record_origin_compare(&file, path, &run, "this run", report);
cleanup:
    record_origin_free(&file);
    record_origin_free(&run);
    return status != CLACK_OK ? status : versions;
}

ClackStatus record_base_read(const char *path, const Study *study, RecordBase *out_base, ClackReport *report) {
    RecordSummary summary = {0};
    *out_base = (RecordBase){0};
    TRY(record_identity_read(path, &out_base->identity, report));
    ClackStatus status = compare_studies(path, study, out_base, report);
    if (status == CLACK_OK) status = record_summary(path, &summary, report);
    if (status == CLACK_OK) status = check_scenes(path, &summary, study->statistics.stop.count > 0, out_base, report);
    record_summary_free(&summary);
    if (status == CLACK_OK) status = check_not_verified(path, report);
    if (status != CLACK_OK) record_base_free(out_base);
    return status;
}
