// The study that an ensemble file was made with, from what the file tells of it.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "ensemble.h"
#include "record.h"

typedef struct Given { // how the study was asked for; owned
    char *text;
    size_t text_bytes;
    char *overrides_text; // cut into lines
    StudyOverride *overrides;
    size_t override_count;
    uint64_t seed;
    RecordTexts names, sums; // of the files that it was read from
} Given;

static void given_free(Given *given) {
    free(given->text);
    free(given->overrides_text);
    free(given->overrides);
    record_texts_free(&given->names);
    record_texts_free(&given->sums);
}

static ClackStatus take_text(const Ensemble *ensemble, Given *given, ClackReport *report) {
    RecordAxes axes;
    double *bytes = NULL;
    TRY(record_read_all(ensemble->reader, "provenance/study_text", &axes, &bytes, report));
    given->text_bytes = axes.rank == 1 ? (size_t)axes.dims[0] : 0;
    given->text = malloc(given->text_bytes + 1);
    for (size_t i = 0; given->text != NULL && i < given->text_bytes; i++)
        given->text[i] = (char)(unsigned char)bytes[i];
    free(bytes);
    return given->text != NULL ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for a study");
}

// "path=value", a line for each.
static ClackStatus take_overrides(const Ensemble *ensemble, Given *given, ClackReport *report) {
    given->overrides_text = record_read_attribute(ensemble->reader, "provenance", "overrides");
    size_t lines = 1;
    for (const char *at = given->overrides_text; at != NULL && *at != '\0'; at++) lines += *at == '\n' ? 1 : 0;
    given->overrides = calloc(lines, sizeof *given->overrides);
    if (given->overrides_text == NULL || given->overrides == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for a study");
    char *rest = NULL;
    for (char *line = strtok_r(given->overrides_text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strchr(line, '=');
        if (equals == NULL)
            return report_add(report, CLACK_CORRUPT, "%s: provenance: overrides: expected PATH=VALUE, found \"%s\"",
                              record_read_path(ensemble->reader), line);
        *equals = '\0';
        given->overrides[given->override_count++] = (StudyOverride){.path = line, .value = equals + 1};
    }
    return CLACK_OK;
}

// Palettes, tables and points of hulls are not in the file: their checksums are.
static ClackStatus check_inputs(const Ensemble *ensemble, const Given *given, const Study *study, ClackReport *report) {
    const char *path = record_read_path(ensemble->reader);
    ClackStatus status = CLACK_OK;
    if (given->sums.count != study->input_count)
        return report_add(report, CLACK_CORRUPT, "%s: its study was read from %zu files, now it is from %u", path,
                          given->sums.count, study->input_count);
    for (uint32_t i = 0; i < study->input_count; i++) {
        const Study one = {.input_count = 1, .inputs = &study->inputs[i]};
        char sum[DIGEST_HEX_BYTES];
        TRY(record_study_sha256(&one, sum, report));
        if (strcmp(sum, given->sums.items[i]) == 0) continue;
        status =
            report_add(report, CLACK_CORRUPT, "%s: %s is not what the study was read from (%s): its SHA-256 differs",
                       path, study->inputs[i].path, given->names.items[i]);
    }
    return status;
}

ClackStatus ensemble_study(const Ensemble *ensemble, const char *study_path, Study **out_study, ClackReport *report) {
    const char *path = record_read_path(ensemble->reader);
    Given given = {0};
    Study *study = NULL;
    ClackStatus status = CLACK_OK;
    *out_study = NULL;
    TRY_CLEAN(take_text(ensemble, &given, report));
    TRY_CLEAN(take_overrides(ensemble, &given, report));
    TRY_CLEAN(record_read_texts(ensemble->reader, "provenance/input_name", &given.names, report));
    TRY_CLEAN(record_read_texts(ensemble->reader, "provenance/input_sha256", &given.sums, report));
    if (given.names.count == 0 || given.names.count != given.sums.count ||
        !record_read_u64(ensemble->reader, "provenance", "seed", &given.seed))
        TRY_CLEAN(report_add(report, CLACK_CORRUPT, "%s: provenance: expected the study's files and its seed", path));
    const StudyOptions options = {.overrides = given.overrides,
                                  .override_count = given.override_count,
                                  .seed = &given.seed,
                                  .text = given.text,
                                  .text_bytes = given.text_bytes};
    TRY_CLEAN(study_read(study_path != NULL ? study_path : given.names.items[0], &options, &study, report));
    TRY_CLEAN(check_inputs(ensemble, &given, study, report));
    *out_study = study;
    study = NULL;
cleanup:
    study_free(study);
    given_free(&given);
    return status;
}
