// What an ensemble file knows of its design saltelli or morris, and the sensitivity computed from its rows.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "record_columns.h"

#define SETTING_SAMPLES "design_samples"
#define SETTING_LEVELS "design_levels"
#define SETTING_INPUT "design_input"
#define SETTING_INPUT_NAME "design_input_name"

static bool is_sensitivity(DesignKind kind) { return kind == DESIGN_SALTELLI || kind == DESIGN_MORRIS; }

static ClackStatus write_input_names(const RecordPlace *place, hid_t provenance, const Study *study, hid_t scale) {
    const uint32_t count = study->design.input_count;
    const DatasetSpec spec = {.parent = provenance,
                              .name = SETTING_INPUT_NAME,
                              .rank = 1,
                              .dims = {count},
                              .scales = {scale},
                              .sentence = "What the design varies on its own."};
    const char **texts = calloc(count, sizeof *texts);
    char *names = calloc(count, RECORD_TEXT_BYTES);
    ClackStatus status = CLACK_OK;
    if (texts == NULL || names == NULL)
        status = report_add(place->report, CLACK_MEMORY, "no memory for the names of the inputs");
    for (uint32_t i = 0; status == CLACK_OK && i < count; i++) {
        char *name = names + (size_t)i * RECORD_TEXT_BYTES;
        study_input_name(study, i, name, RECORD_TEXT_BYTES);
        texts[i] = name;
    }
    if (status == CLACK_OK) status = record_h5_strings(place, &spec, texts);
    free(texts);
    free(names);
    return status;
}

ClackStatus record_sensitivity_settings(const RecordPlace *place, hid_t provenance, const Study *study) {
    const Design *design = &study->design;
    const DatasetSpec spec = {.parent = provenance,
                              .name = SETTING_INPUT,
                              .type = RECORD_I32,
                              .rank = 1,
                              .dims = {design->input_count},
                              .unit = "1",
                              .sentence = "Number of the input."};
    hid_t scale = -1;
    if (!is_sensitivity(design->kind)) return CLACK_OK;
    TRY(record_h5_u64(place, provenance, SETTING_SAMPLES, design->samples));
    if (design->kind == DESIGN_MORRIS) TRY(record_h5_u64(place, provenance, SETTING_LEVELS, design->levels));
    TRY(record_h5_index_scale(place, &spec, 0, &scale));
    return record_h5_close(place, scale, SETTING_INPUT, write_input_names(place, provenance, study, scale));
}

ClackStatus record_sensitivity_make(const RecordPlace *place, hid_t provenance, const StatisticsSource *source,
                                    double confidence, ResultTable *out_table) {
    char kind[RECORD_TEXT_BYTES];
    uint64_t levels = 2;
    RecordTexts names;
    SensitivityDesign design = {.confidence = confidence};
    ClackStatus status = CLACK_OK;
    *out_table = (ResultTable){0};
    record_h5_read_text(provenance, "design", kind);
    if (strcmp(kind, study_design_name(DESIGN_SALTELLI)) == 0)
        design.kind = DESIGN_SALTELLI;
    else if (strcmp(kind, study_design_name(DESIGN_MORRIS)) == 0)
        design.kind = DESIGN_MORRIS;
    else
        return CLACK_OK;
    record_texts_read(provenance, SETTING_INPUT_NAME, &names);
    design.input_names = names.items;
    design.input_count = (uint32_t)names.count;
    const bool has_levels = design.kind == DESIGN_SALTELLI ||
                            (record_h5_read_u64(provenance, SETTING_LEVELS, &levels) && levels >= 2 && levels <= 1000);
    design.levels = (uint32_t)levels;
    if (names.count == 0 || !has_levels || !record_h5_read_u64(provenance, "seed", &design.seed))
        status =
            report_add(place->report, place->status, "%s: what the design %s varies is missing", place->path, kind);
    else if (source->column_count > source->parameter_count)
        status = sensitivity_compute(source, &design, out_table, place->report);
    record_texts_free(&names);
    return status;
}
