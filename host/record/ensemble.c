// An ensemble file as its readers see it: columns, names, frames of a scene.
#define _POSIX_C_SOURCE 200809L
#include "ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "word.h"

// --- columns --------------------------------------------------------------------------------------

static EnsembleRole role_of(const Ensemble *ensemble, const char *path, const char *group) {
    if (group[0] != '\0') return ENSEMBLE_PARAMETER;
    char *role = record_read_attribute(ensemble->reader, path, "role");
    const bool is_quantity = role != NULL && strcmp(role, "quantity") == 0;
    free(role);
    return is_quantity ? ENSEMBLE_QUANTITY : ENSEMBLE_FIELD;
}

static char *join_path(const char *group, const char *name) {
    const size_t bytes = strlen(group) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path != NULL) snprintf(path, bytes, "%s%s%s", group, group[0] == '\0' ? "" : "/", name);
    return path;
}

static void column_free(EnsembleColumn *column) {
    free(column->path);
    free(column->unit);
    free(column->sentence);
}

// Not axes, nor where rows stand in this file, nor names of bodies, of which there may be as many: in the root, all
// that counts has a unit.
static bool is_column(const Ensemble *ensemble, const EnsembleColumn *column, const RecordAxes *axes) {
    if (column->name == column->path && column->unit[0] == '\0') return false;
    char *scale = record_read_attribute(ensemble->reader, column->path, "CLASS");
    char *role = record_read_attribute(ensemble->reader, column->path, "role");
    const bool is_other = scale == NULL || scale[0] != '\0' || role == NULL || strcmp(role, "rows") == 0;
    free(scale);
    free(role);
    return !is_other && axes->rank == 1 && axes->dims[0] == ensemble->scene_count;
}

static ClackStatus add_columns(Ensemble *ensemble, const char *group, ClackReport *report) {
    RecordTexts names = {0};
    ClackStatus status = record_read_names(ensemble->reader, group, &names, report);
    EnsembleColumn *grown = realloc(ensemble->columns, (ensemble->column_count + names.count + 1) * sizeof *grown);
    if (grown != NULL) ensemble->columns = grown;
    for (size_t i = 0; status == CLACK_OK && i < names.count; i++) {
        EnsembleColumn column = {.path = join_path(group, names.items[i])};
        RecordAxes axes;
        if (column.path != NULL) {
            column.name = column.path + (group[0] == '\0' ? 0 : strlen(group) + 1);
            column.unit = record_read_attribute(ensemble->reader, column.path, "units");
            column.sentence = record_read_attribute(ensemble->reader, column.path, "long_name");
        }
        if (grown == NULL || column.path == NULL || column.unit == NULL || column.sentence == NULL)
            status = report_add(report, CLACK_MEMORY, "no memory for the columns of an ensemble");
        else
            status = record_read_axes(ensemble->reader, column.path, &axes, report);
        if (status == CLACK_OK && is_column(ensemble, &column, &axes)) {
            column.role = role_of(ensemble, column.path, group);
            ensemble->columns[ensemble->column_count++] = column;
        } else {
            column_free(&column);
        }
    }
    record_texts_free(&names);
    return status;
}

static ClackStatus read_scenes(Ensemble *ensemble, ClackReport *report) {
    static const uint64_t start = 0, one = 1;
    RecordAxes axes;
    TRY(record_read_axes(ensemble->reader, "scene", &axes, report));
    if (axes.rank != 1 || axes.dims[0] == 0)
        return report_add(report, CLACK_CORRUPT, "%s: expected scenes, found none", record_read_path(ensemble->reader));
    ensemble->scene_count = axes.dims[0];
    return record_read_block(ensemble->reader, "scene", &start, &one, &ensemble->first_scene, report);
}

ClackStatus ensemble_open(const char *path, Ensemble *out_ensemble, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    *out_ensemble = (Ensemble){0};
    TRY_CLEAN(record_read_open(path, &out_ensemble->reader, report));
    TRY_CLEAN(read_scenes(out_ensemble, report));
    TRY_CLEAN(add_columns(out_ensemble, "", report));
    TRY_CLEAN(add_columns(out_ensemble, "parameters", report));
    TRY_CLEAN(record_read_texts(out_ensemble->reader, "body_name", &out_ensemble->bodies, report));
    TRY_CLEAN(record_read_check(out_ensemble->reader, report));
cleanup:
    if (status != CLACK_OK) ensemble_close(out_ensemble);
    return status;
}

void ensemble_close(Ensemble *ensemble) {
    for (size_t i = 0; i < ensemble->column_count; i++) column_free(&ensemble->columns[i]);
    free(ensemble->columns);
    record_texts_free(&ensemble->bodies);
    record_read_close(ensemble->reader);
    *ensemble = (Ensemble){0};
}

ClackStatus ensemble_check(const Ensemble *ensemble, ClackReport *report) {
    return record_read_check(ensemble->reader, report);
}

// --- names ----------------------------------------------------------------------------------------

static ClackStatus name_failed(const Ensemble *ensemble, const char *name, const char *what, const char **known,
                               ClackReport *report) {
    const char *nearest = known != NULL ? word_nearest(name, known) : NULL;
    free(known);
    return report_add(report, CLACK_USAGE, "%s: no such %s: \"%s\"%s%s%s", record_read_path(ensemble->reader), what,
                      name, nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                      nearest != NULL ? "\"?" : "");
}

ClackStatus ensemble_find(const Ensemble *ensemble, const char *name, int role, const EnsembleColumn **out_column,
                          ClackReport *report) {
    static const char *const whats[] = {"field", "parameter", "quantity"};
    const char **known = calloc(ensemble->column_count + 1, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < ensemble->column_count; i++) {
        const EnsembleColumn *column = &ensemble->columns[i];
        if (role >= 0 && (int)column->role != role) continue;
        if (strcmp(column->name, name) == 0) {
            free(known);
            *out_column = column;
            return CLACK_OK;
        }
        if (known != NULL) known[count++] = column->name;
    }
    return name_failed(ensemble, name, role >= 0 ? whats[role] : "parameter or quantity", known, report);
}

ClackStatus ensemble_find_body(const Ensemble *ensemble, const char *name, size_t *out_body, ClackReport *report) {
    const char **known = calloc(ensemble->bodies.count + 1, sizeof *known);
    for (size_t i = 0; i < ensemble->bodies.count; i++) {
        if (strcmp(ensemble->bodies.items[i], name) == 0) {
            free(known);
            *out_body = i;
            return CLACK_OK;
        }
        if (known != NULL) known[i] = ensemble->bodies.items[i];
    }
    return name_failed(ensemble, name, "body", known, report);
}

ClackStatus ensemble_values(const Ensemble *ensemble, const EnsembleColumn *column, double **out_values,
                            ClackReport *report) {
    RecordAxes axes;
    return record_read_all(ensemble->reader, column->path, &axes, out_values, report);
}

// --- frames ---------------------------------------------------------------------------------------

static ClackStatus find_row(const Ensemble *ensemble, int64_t scene, EnsembleFrames *frames, ClackReport *report) {
    const char *path = record_read_path(ensemble->reader);
    RecordAxes axes;
    double *numbers = NULL;
    if (!record_read_has(ensemble->reader, "trajectory/position"))
        return report_add(report, CLACK_USAGE,
                          "%s: has no trajectory; studies record it with \"outputs: {trajectory: {every: ...}}\"",
                          path);
    TRY(record_read_all(ensemble->reader, record_read_scenes(ensemble->reader, RECORD_READ_TRAJECTORY), &axes, &numbers,
                        report));
    const uint64_t count = axes.rank == 1 ? axes.dims[0] : 0;
    uint64_t row = 0;
    while (row < count && scene >= 0 && numbers[row] != (double)scene) row++;
    const bool is_found = row < count;
    frames->row = row;
    if (is_found) frames->scene = (uint64_t)numbers[row];
    const double first = count > 0 ? numbers[0] : 0, last = count > 0 ? numbers[count - 1] : 0;
    free(numbers);
    if (is_found) return CLACK_OK;
    if (count == 0) return report_add(report, CLACK_USAGE, "%s: has no trajectory of any scene", path);
    return report_add(report, CLACK_USAGE, "%s: no trajectory of scene %lld; there are those of scenes %.0f to %.0f",
                      path, (long long)scene, first, last);
}

static ClackStatus read_states(const Ensemble *ensemble, EnsembleFrames *frames, const char *name, uint64_t components,
                               double **out_values, ClackReport *report) {
    const uint64_t start[] = {frames->row, 0, 0, 0}, count[] = {1, frames->frame_count, frames->body_count, components};
    char path[64];
    RecordAxes axes;
    snprintf(path, sizeof path, "trajectory/%s", name);
    TRY(record_read_axes(ensemble->reader, path, &axes, report));
    if (axes.rank != 4 || axes.dims[0] <= frames->row || axes.dims[1] < frames->frame_count ||
        axes.dims[2] != frames->body_count || axes.dims[3] != components)
        return report_add(report, CLACK_CORRUPT, "%s: %s does not fit the axes of the trajectory",
                          record_read_path(ensemble->reader), path);
    *out_values = malloc((size_t)(frames->frame_count * frames->body_count * components + 1) * sizeof(double));
    if (*out_values == NULL) return report_add(report, CLACK_MEMORY, "no memory for a trajectory");
    return record_read_block(ensemble->reader, path, start, count, *out_values, report);
}

// Frames after a scene's end are NaN.
static void cut_frames(EnsembleFrames *frames) {
    const size_t values = 3 * frames->body_count;
    uint64_t count = 0;
    for (uint64_t frame = 0; frame < frames->frame_count; frame++)
        for (size_t i = 0; i < values && count <= frame; i++)
            if (isfinite(frames->position_m[frame * values + i])) count = frame + 1;
    frames->frame_count = count;
}

ClackStatus ensemble_frames_if_any(const Ensemble *ensemble, int64_t scene, EnsembleFrames *out_frames,
                                   ClackReport *report) {
    RecordAxes axes;
    EnsembleFrames frames = {.body_count = ensemble->bodies.count};
    ClackStatus status = CLACK_OK;
    *out_frames = (EnsembleFrames){0};
    TRY_CLEAN(find_row(ensemble, scene, &frames, report));
    TRY_CLEAN(record_read_all(ensemble->reader, "trajectory/time", &axes, &frames.time_s, report));
    frames.frame_count = axes.rank == 1 ? axes.dims[0] : 0;
    TRY_CLEAN(read_states(ensemble, &frames, "position", 3, &frames.position_m, report));
    TRY_CLEAN(read_states(ensemble, &frames, "orientation", 4, &frames.orientation, report));
    TRY_CLEAN(read_states(ensemble, &frames, "velocity", 3, &frames.velocity_m_per_s, report));
    TRY_CLEAN(read_states(ensemble, &frames, "angular_velocity", 3, &frames.spin_rad_per_s, report));
    cut_frames(&frames);
    *out_frames = frames;
    return CLACK_OK;
cleanup:
    ensemble_frames_free(&frames);
    return status;
}

// The number of the first recorded scene that has a frame; the first of all where none has: those that were not run
// have none.
static ClackStatus find_first(const Ensemble *ensemble, int64_t *out_scene, ClackReport *report) {
    RecordAxes axes;
    double *numbers = NULL;
    *out_scene = -1;
    if (!record_read_has(ensemble->reader, "trajectory/position")) return CLACK_OK; // which is reported for any scene
    TRY(record_read_all(ensemble->reader, record_read_scenes(ensemble->reader, RECORD_READ_TRAJECTORY), &axes, &numbers,
                        report));
    ClackStatus status = CLACK_OK;
    for (uint64_t i = 0; status == CLACK_OK && *out_scene < 0 && i < axes.dims[0]; i++) {
        EnsembleFrames frames;
        status = ensemble_frames_if_any(ensemble, (int64_t)numbers[i], &frames, report);
        if (status == CLACK_OK && frames.frame_count > 0) *out_scene = (int64_t)numbers[i];
        ensemble_frames_free(&frames);
    }
    free(numbers);
    return status;
}

ClackStatus ensemble_frames(const Ensemble *ensemble, int64_t scene, EnsembleFrames *out_frames, ClackReport *report) {
    *out_frames = (EnsembleFrames){0};
    if (scene < 0) TRY(find_first(ensemble, &scene, report));
    TRY(ensemble_frames_if_any(ensemble, scene, out_frames, report));
    if (out_frames->frame_count > 0) return CLACK_OK;
    const unsigned long long number = out_frames->scene;
    ensemble_frames_free(out_frames);
    return report_add(report, CLACK_USAGE, "%s: the trajectory of scene %llu has no frame",
                      record_read_path(ensemble->reader), number);
}

void ensemble_frames_free(EnsembleFrames *frames) {
    free(frames->time_s);
    free(frames->position_m);
    free(frames->orientation);
    free(frames->velocity_m_per_s);
    free(frames->spin_rad_per_s);
    *frames = (EnsembleFrames){0};
}
