// A file before its first batch: attributes, provenance, and the layout.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clack.h"
#include "record_internal.h"
#include "study.h"

#ifndef CLACK_GIT_COMMIT
#define CLACK_GIT_COMMIT "unknown"
#endif

#define HOST_NAME_BYTES 256

ClackStatus record_study_sha256(const Study *study, char out_hex[DIGEST_HEX_BYTES], ClackReport *report) {
    Digest digest;
    unsigned char sum[DIGEST_BYTES];
    digest_begin(&digest);
    for (uint32_t i = 0; i < study->input_count; i++)
        digest_add(&digest, study->inputs[i].text, study->inputs[i].text_bytes);
    const bool is_known = digest_end(&digest, sum);
    digest_print(sum, out_hex);
    return is_known ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for the study's checksum");
}

static const char *or_empty(const char *text) { return text != NULL ? text : ""; }

const char *record_git_commit(void) { return CLACK_GIT_COMMIT; }

static ClackStatus make_attributes(const Record *record, const RecordPlace *place, const RecordProvenance *provenance) {
    const hid_t file = record->file;
    const RecordKind *kind = record->kind;
    const double version = kind->version, complete = 0;
    char sha256[65], history[4096], format_name[64], version_name[64];
    snprintf(format_name, sizeof format_name, "%s_format", kind->prefix);
    snprintf(version_name, sizeof version_name, "%s_format_version", kind->prefix);
    TRY(record_study_sha256(record->study, sha256, place->report));
    snprintf(history, sizeof history, "%s %s", or_empty(provenance->started_utc),
             provenance->command_line != NULL ? provenance->command_line : "clack");
    TRY(record_h5_text(place, file, "Conventions", "CF-1.10"));
    TRY(record_h5_text(place, file, "title",
                       or_empty(provenance->title != NULL ? provenance->title : record->study->title)));
    TRY(record_h5_text(place, file, "source", "clack " CLACK_VERSION));
    TRY(record_h5_text(place, file, "history", history));
    TRY(record_h5_text(place, file, format_name, kind->format));
    TRY(record_h5_numbers(place, file, version_name, RECORD_I32, &version, 0));
    TRY(record_h5_numbers(place, file, "complete", RECORD_U8, &complete, 0));
    return record_h5_text(place, file, "study_sha256", sha256);
}

// Values of --set, a line for each.
static ClackStatus make_overrides(const Record *record, const RecordPlace *place) {
    char *text = record_overrides(record->study);
    if (text == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for the study's overrides");
    const ClackStatus status = record_h5_text(place, record->provenance, "overrides", text);
    free(text);
    return status;
}

static ClackStatus make_provenance_attributes(const Record *record, const RecordPlace *place,
                                              const RecordProvenance *provenance) {
    const hid_t group = record->provenance;
    const Design *design = &record->study->design;
    char host[HOST_NAME_BYTES] = "";
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    TRY(record_h5_text(place, group, "program", "clack"));
    TRY(record_h5_text(place, group, "version", CLACK_VERSION));
    TRY(record_h5_text(place, group, "git_commit", record_git_commit()));
    TRY(record_h5_text(place, group, "host", host));
    TRY(record_h5_text(place, group, "started", or_empty(provenance->started_utc)));
    TRY(record_h5_text(place, group, "command_line", or_empty(provenance->command_line)));
    TRY(record_h5_text(place, group, "platform", or_empty(provenance->platform)));
    TRY(record_h5_text(place, group, "device", or_empty(provenance->device_name)));
    TRY(record_h5_text(place, group, "driver", or_empty(provenance->driver)));
    TRY(record_h5_text(place, group, "build_options", or_empty(provenance->build_options)));
    TRY(record_h5_text(place, group, "arithmetic", or_empty(provenance->arithmetic)));
    if (provenance->lanes > 0) {
        TRY(record_h5_u64(place, group, "lanes", provenance->lanes));
        TRY(record_h5_u64(place, group, "queues", provenance->queue_items));
    }
    TRY(make_overrides(record, place));
    TRY(record_h5_u64(place, group, "seed", design->seed));
    TRY(record_h5_text(place, group, "design", study_design_name(design->kind)));
    TRY(record_h5_u64(place, group, "design_scenes", design->scene_count));
    TRY(record_statistics_settings(place, group, record->study));
    return record_sensitivity_settings(place, group, record->study);
}

// The study as it was read, byte by byte: strings of netCDF end at the first zero and have no newline rule.
static ClackStatus make_study_text(const Record *record, const RecordPlace *place) {
    const InputFile *input = &record->study->inputs[0];
    const hid_t group = record->provenance;
    const hsize_t start = 0, count = input->text_bytes;
    if (count == 0) return CLACK_OK;
    hid_t scale = -1, dataset = -1;
    const DatasetSpec scale_spec = {.parent = group,
                                    .name = "study_byte",
                                    .type = RECORD_I32,
                                    .rank = 1,
                                    .dims = {count},
                                    .chunk = {count < RECORD_CHUNK_SCENES ? count : RECORD_CHUNK_SCENES},
                                    .unit = "1",
                                    .sentence = "Number of the byte within the study file."};
    double *values = malloc((size_t)count * sizeof *values);
    if (values == NULL) return report_add(place->report, CLACK_MEMORY, "no memory for the study's text");
    for (hsize_t i = 0; i < count; i++) values[i] = (unsigned char)input->text[i];
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(record_h5_index_scale(place, &scale_spec, 0, &scale));
    DatasetSpec spec = scale_spec;
    spec.name = "study_text";
    spec.type = RECORD_U8;
    spec.scales[0] = scale;
    spec.sentence = "The study file as it was read, in bytes.";
    TRY_CLEAN(record_h5_dataset(place, &spec, &dataset));
    TRY_CLEAN(record_h5_write(place, dataset, spec.name, &start, &count, values));
cleanup:
    status = record_h5_close(place, dataset, "study_text", status);
    status = record_h5_close(place, scale, "study_byte", status);
    free(values);
    return status;
}

static ClackStatus write_input_columns(const Record *record, const RecordPlace *place,
                                       const RecordProvenance *provenance, hid_t scale, const char **texts,
                                       char (*sha256)[65]) {
    const Study *study = record->study;
    for (uint32_t i = 0; i < study->input_count; i++) {
        const Study one = {.input_count = 1, .inputs = &study->inputs[i]};
        texts[i] = provenance->input_names != NULL ? provenance->input_names[i] : or_empty(study->inputs[i].path);
        TRY(record_study_sha256(&one, sha256[i], place->report));
    }
    DatasetSpec spec = {.parent = record->provenance,
                        .name = "input_name",
                        .rank = 1,
                        .dims = {study->input_count},
                        .scales = {scale},
                        .sentence = "File that the study was read from."};
    TRY(record_h5_strings(place, &spec, texts));
    for (uint32_t i = 0; i < study->input_count; i++) texts[i] = sha256[i];
    spec.name = "input_sha256";
    spec.sentence = "SHA-256 of the file.";
    return record_h5_strings(place, &spec, texts);
}

static ClackStatus make_inputs(const Record *record, const RecordPlace *place, const RecordProvenance *provenance) {
    const uint32_t count = record->study->input_count;
    if (count == 0) return CLACK_OK;
    const DatasetSpec spec = {.parent = record->provenance,
                              .name = "input",
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {count},
                              .unit = "1",
                              .sentence = "Number of the input file; 0 is the study."};
    hid_t scale = -1;
    ClackStatus status = record_h5_index_scale(place, &spec, 0, &scale);
    const char **texts = calloc(count, sizeof *texts);
    char(*sha256)[65] = calloc(count, sizeof *sha256);
    if (status == CLACK_OK && (texts == NULL || sha256 == NULL)) {
        report_add(place->report, CLACK_MEMORY, "no memory for the names of the input files");
        status = CLACK_MEMORY;
    }
    if (status == CLACK_OK) status = write_input_columns(record, place, provenance, scale, texts, sha256);
    status = record_h5_close(place, scale, "input", status);
    free(texts);
    free(sha256);
    return status == CLACK_OK ? make_study_text(record, place) : status;
}

ClackStatus record_file_create(Record *record, const RecordProvenance *provenance, const RecordPlace *place) {
    TRY(record_h5_create_file(place, &record->file));
    record->owns_part = true;
    TRY(make_attributes(record, place, provenance));
    TRY(record->kind->make_layout(record, place));
    TRY(record_h5_group(place, record->file, "provenance", &record->provenance));
    TRY(make_provenance_attributes(record, place, provenance));
    return make_inputs(record, place, provenance);
}
