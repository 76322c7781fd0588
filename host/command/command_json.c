// What commands print with --json: one object on stdout. Every document has the keys of command_json_print;
// numbers that do not exist are null, numbers beyond 2^63 - 1 (seeds) are texts.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "mesh_table.h"
#include "record.h"
#include "stage_mesh.h"
#include "study.h"
#include "text.h"

// --- small pieces -----------------------------------------------------------------------------

static json_t *json_count(uint64_t count) { return json_integer((json_int_t)count); }
static json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }
// Bytes of a line of the report, which is UTF-8; null where there are none.
static json_t *json_slice(const char *text, size_t bytes) {
    json_t *slice = bytes > 0 ? json_stringn(text, bytes) : json_null();
    return slice != NULL ? slice : json_string("");
}

json_t *command_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string != NULL) return string;
    char *shown = text_shown(text, "");
    string = json_string(shown != NULL ? shown : "");
    free(shown);
    return string;
}

static json_t *json_text_or_null(const char *text) { return text[0] != '\0' ? command_json_text(text) : json_null(); }

static json_t *json_parts(const ClackPlanPart *parts, uint32_t count) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < count; i++) json_object_set_new(object, parts[i].name, json_count(parts[i].bytes));
    return object;
}

// The number of a scene, which files hold as a double: NaN where there is none.
static json_t *json_scene_number(double number) { return number >= 0 ? json_count((uint64_t)number) : json_null(); }

typedef const char *(*NameOf)(uint32_t value);

static const char *flag_name(uint32_t bit) { return record_flag_name(1u << bit); }

// {name: count} of those that occurred.
static json_t *json_counts(const uint64_t *counts, uint32_t count, NameOf name_of) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < count; i++) {
        if (counts[i] > 0) json_object_set_new(object, name_of(i), json_count(counts[i]));
    }
    return object;
}

// --- documents --------------------------------------------------------------------------------

json_t *command_json_devices(ClackDeviceInfo *const *infos, size_t count) {
    json_t *devices = json_array();
    for (size_t i = 0; i < count; i++) {
        const ClackDeviceInfo *info = infos[i];
        char choice[16] = "native";
        if (info->index >= 0) snprintf(choice, sizeof choice, "%d", info->index);
        json_t *device =
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:I, s:o, s:o, s:b, s:o, s:o}", "device", choice, "kind",
                      info->is_gpu ? "gpu" : "cpu", "name", command_json_text(info->name), "platform",
                      command_json_text(info->platform), "driver", command_json_text(info->driver), "version",
                      command_json_text(info->version), "has_fp64", info->has_fp64, "compute_units",
                      (json_int_t)info->compute_units, "memory_bytes", json_count(info->global_memory_bytes),
                      "max_allocation_bytes", json_count(info->max_allocation_bytes), "is_usable",
                      info->unusable_because[0] == '\0', "unusable_because", json_text_or_null(info->unusable_because),
                      "arithmetic", json_text_or_null(info->arithmetic));
        json_array_append_new(devices, device);
    }
    return json_pack("{s:o}", "devices", devices);
}

json_t *command_json_columns(const ClackStudy *study) {
    json_t *columns = json_array();
    for (uint32_t i = 0; i < study->parameter_count; i++) {
        json_array_append_new(columns, json_pack("{s:s, s:s, s:s}", "name", clack_study_parameter_name(study, i),
                                                 "unit", clack_study_parameter_unit(study, i), "distribution",
                                                 study->parameters[i].text));
    }
    return columns;
}

// Meshes, with the mass properties of density 1 and scale 1.
static json_t *json_meshes(const ClackStudy *study) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < study->mesh_count; i++) {
        const StudyMesh *mesh = &study->meshes[i];
        const double *c = mesh->solid.centroid_m;
        const double(*m)[3] = mesh->solid.inertia_m5;
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:[o, o], s:o, s:o, s:[f, f, f], s:[f, f, f, f, f, f]}",
                      "file", command_json_text(mesh->path), "triangles", json_count(mesh->triangles), "vertices",
                      json_count(mesh->vertices), "file_points", json_count(mesh->file_points), "components",
                      json_count(mesh->components), "is_closed", mesh->is_closed, "hulls", json_count(mesh->hulls),
                      "hull_vertices", json_count(mesh->vertices_least), json_count(mesh->vertices_most), "bytes",
                      json_count(mesh->hull_rows * sizeof(HullRow)), "volume", json_number(mesh->solid.volume_m3),
                      "centroid", c[0], c[1], c[2], "inertia", m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]));
    }
    return list;
}

// Meshes whose surfaces touch as they are, as they are scaled.
static json_t *json_surfaces(const ClackStudy *study) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < study->scene.mesh_count; i++) {
        const SceneMesh *mesh = study->scene.meshes[i];
        if (mesh->path == NULL) continue;
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:[f, f, f], s:[f, f, f]}", "file", command_json_text(mesh->path),
                      "triangles", json_count(mesh->head.triangle_count), "vertices",
                      json_count(mesh->head.vertex_count), "bytes", json_count(mesh_table_bytes(mesh)), "volume",
                      json_number(mesh->solid.volume_m3), "low", mesh->low_m[0], mesh->low_m[1], mesh->low_m[2], "high",
                      mesh->high_m[0], mesh->high_m[1], mesh->high_m[2]));
    }
    return list;
}

json_t *command_json_shape_meshes(const ClackStudy *study) {
    const SceneDescription *scene = &study->scene;
    json_t *list = json_array();
    StageMeshRow *rows = NULL;
    uint32_t count = 0;
    if (stage_meshes_list(scene, &rows, &count, NULL) != CLACK_OK) return list;
    for (uint32_t i = 0; i < count; i++) {
        const Tessellation *plan = &rows[i].plan;
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "body",
                                        scene->bodies[rows[i].body].name, "shape", json_count(rows[i].shape), "alike",
                                        json_count(rows[i].count), "triangles", json_number(plan->triangle_count),
                                        "bytes", json_number(STAGE_MESH_BYTES * plan->triangle_count), "mesh_size_m",
                                        json_number(plan->mesh_size_m), "deviation_m", json_number(plan->deviation_m),
                                        "smoothing_left_out_m", json_number(plan->left_out_m)));
    }
    free(rows);
    return list;
}

json_t *command_json_study(const ClackStudy *study) {
    json_t *quantities = json_array();
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, study->design.seed);
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        json_array_append_new(
            quantities, json_pack("{s:s, s:s}", "name", study->quantities[i].name, "unit", study->quantities[i].unit));
    }
    return json_pack("{s:o, s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "title",
                     command_json_text(study->title), "design", study_design_name(study->design.kind), "seed", seed,
                     "scenes", json_count(study->design.scene_count), "bodies", (json_int_t)study->scene.body_count,
                     "shapes", (json_int_t)study->scene.shape_count, "parameters", command_json_columns(study),
                     "quantities", quantities, "meshes", json_meshes(study), "surfaces", json_surfaces(study),
                     "shape_meshes", command_json_shape_meshes(study));
}

static json_t *json_vectors(const RecordVector *vectors, size_t count, int has_distribution) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const RecordVector *vector = &vectors[i];
        const double none = vector->count > 0 ? 0 : NAN; // makes the numbers null
        json_t *item = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", command_json_text(vector->name), "unit",
                                 command_json_text(vector->unit), "count", json_count(vector->count), "min",
                                 json_number(vector->lowest + none), "mean", json_number(vector->mean + none), "max",
                                 json_number(vector->highest + none));
        if (has_distribution) json_object_set_new(item, "distribution", command_json_text(vector->distribution));
        json_array_append_new(list, item);
    }
    return list;
}

json_t *command_json_ensemble(const struct RecordSummary *summary) {
    json_t *provenance = json_object(), *datasets = json_array();
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, summary->seed);
    for (size_t i = 0; i < RECORD_FACTS; i++) {
        const RecordFact *fact = &summary->facts[i];
        json_object_set_new(provenance, fact->name, json_text_or_null(fact->value));
    }
    json_object_set_new(provenance, "seed", summary->has_seed ? json_string(seed) : json_null());
    for (size_t i = 0; i < summary->dataset_count; i++) {
        json_t *shape = json_array();
        for (uint32_t k = 0; k < summary->datasets[i].rank; k++) {
            json_array_append_new(shape, json_count(summary->datasets[i].dims[k]));
        }
        json_array_append_new(
            datasets, json_pack("{s:o, s:o}", "path", command_json_text(summary->datasets[i].path), "shape", shape));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "title",
                     command_json_text(summary->title), "source", command_json_text(summary->source), "scenes",
                     json_count(summary->scene_count), "first_scene", json_scene_number(summary->scene_first),
                     "last_scene", json_scene_number(summary->scene_last), "is_complete", summary->is_complete != 0,
                     "statuses", json_counts(summary->by_status, 256, record_status_name), "flags",
                     json_counts(summary->by_flag, 32, flag_name), "provenance", provenance, "parameters",
                     json_vectors(summary->parameters, summary->parameter_count, 1), "quantities",
                     json_vectors(summary->quantities, summary->quantity_count, 0), "datasets", datasets);
}

json_t *command_json_run(const ClackRunSummary *summary, json_t *scene) {
    json_t *run = json_pack(
        "{s:s?, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stop",
        summary->stop[0] != '\0' ? summary->stop : NULL, "output", json_text_or_null(summary->output_path), "resume",
        json_text_or_null(summary->resume_path), "scenes_kept", json_count(summary->scenes_kept), "shards_dropped",
        json_count(summary->shards_dropped), "device", summary->device_name, "scenes",
        json_count(summary->scenes_total), "scenes_run", json_count(summary->scenes_run), "scenes_failed",
        json_count(summary->scenes_failed), "statuses", json_counts(summary->status_counts, 16, record_status_name),
        "flags", json_counts(summary->flag_counts, 32, flag_name), "events", json_count(summary->events), "substeps",
        json_count(summary->substeps), "evaluations", json_count(summary->evaluations), "build_s",
        json_number(summary->build_s), "run_s", json_number(summary->run_s), "write_s", json_number(summary->write_s),
        "kernel_s", json_number(summary->kernel_s), "device_bytes", json_count(summary->device_bytes), "batch_scenes",
        json_count(summary->batch_scenes));
    json_object_set_new(run, "scenes_second", json_count(summary->scenes_second));
    if (scene != NULL) json_object_set_new(run, "scene", scene);
    return run;
}

json_t *command_json_evaluation(const ClackEvaluateSummary *summary) {
    json_t *evaluation = json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "output", command_json_text(summary->output_path), "device",
        summary->device_name, "configurations", json_count(summary->configurations), "contacts",
        json_count(summary->contacts), "pairs", json_count(summary->pairs), "not_ok", json_count(summary->fallbacks),
        "deepest_m", json_number(summary->deepest_m), "evaluate_s", json_number(summary->evaluate_s));
    if (summary->region_pairs == 0) return evaluation;
    json_object_set_new(evaluation, "regions", json_count(summary->regions));
    json_object_set_new(evaluation, "region_pairs", json_count(summary->region_pairs));
    json_object_set_new(evaluation, "regions_flagged", json_count(summary->regions_flagged));
    json_object_set_new(evaluation, "deepest_region_m", json_number(summary->deepest_region_m));
    return evaluation;
}

static json_t *json_vector(const double vector[3]) {
    return json_pack("[o, o, o]", json_number(vector[0]), json_number(vector[1]), json_number(vector[2]));
}

// The point of a shape that lies farthest along the normal, times `sense`; null of half-spaces.
static json_t *json_support(const ClackEvaluator *evaluator, uint32_t shape, const ClackBodyState *state,
                            const double normal[3], double sense) {
    const double direction[3] = {sense * normal[0], sense * normal[1], sense * normal[2]};
    double point_m[3];
    return clack_evaluator_support(evaluator, shape, state, direction, point_m) ? json_vector(point_m) : json_null();
}

json_t *command_json_contact(const ClackStudy *study, const ClackEvaluator *evaluator, uint64_t first,
                             const ClackBodyState *states, const ClackContact *row) {
    const SceneBody *bodies = study->scene.bodies;
    const ClackBodyState *a = &states[row->body_a], *b = &states[row->body_b];
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "configuration",
                     json_count(first + row->configuration), "body_a", bodies[row->body_a].name, "body_b",
                     bodies[row->body_b].name, "shape_a", json_count(row->shape_a), "shape_b", json_count(row->shape_b),
                     "feature", json_count(row->feature), "status", json_count(row->status), "distance_m",
                     json_number(row->distance_m), "normal", json_vector(row->normal), "point_a_m",
                     json_vector(row->point_a_m), "point_b_m", json_vector(row->point_b_m), "support_a_m",
                     json_support(evaluator, row->shape_a, a, row->normal, 1), "support_b_m",
                     json_support(evaluator, row->shape_b, b, row->normal, -1), "force_N", json_vector(row->force_N));
}

json_t *command_json_pair(const ClackStudy *study, uint64_t first, const ClackPair *row, ClackEvaluateRows rows) {
    const SceneBody *bodies = study->scene.bodies;
    json_t *pair = json_pack("{s:o, s:s, s:s, s:o}", "configuration", json_count(first + row->configuration), "body_a",
                             bodies[row->body_a].name, "body_b", bodies[row->body_b].name, "distance_m",
                             json_number(row->distance_m));
    json_t *more =
        rows == CLACK_ROWS_NEAREST
            ? json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "shape_a", json_count(row->shape_a), "shape_b",
                        json_count(row->shape_b), "status", json_count(row->status), "normal", json_vector(row->normal),
                        "point_a_m", json_vector(row->point_a_m), "point_b_m", json_vector(row->point_b_m))
            : json_pack("{s:o, s:o, s:o, s:o}", "contacts", json_count(row->contact_count), "normal_N",
                        json_number(row->normal_N), "force_N", json_vector(row->force_N), "moment_N_m",
                        json_vector(row->moment_N_m));
    if (pair != NULL && more != NULL) json_object_update(pair, more);
    json_decref(more);
    return pair;
}

static json_t *json_region_flags(uint32_t flags) {
    static const char *const names[] = {"open_contour", "engulfed", "coarse_mesh", "pierced", "jittered", "hole"};
    json_t *list = json_array();
    for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
        if (flags & 1u << k) json_array_append_new(list, json_string(names[k]));
    return list;
}

json_t *command_json_region(const ClackStudy *study, uint64_t first, const ClackRegion *row) {
    const SceneBody *bodies = study->scene.bodies;
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "configuration", json_count(first + row->configuration), "body_a", bodies[row->body_a].name,
                     "body_b", bodies[row->body_b].name, "shape_a", json_count(row->shape_a), "shape_b",
                     json_count(row->shape_b), "region", json_count(row->region), "area_m2", json_number(row->area_m2),
                     "volume_m3", json_number(row->volume_m3), "normal", json_vector(row->normal), "centroid_m",
                     json_vector(row->centroid_m), "indentation_m", json_number(row->indentation_m), "thickness_m",
                     json_number(row->thickness_m), "depth_a_m", json_number(row->depth_a_m), "depth_b_m",
                     json_number(row->depth_b_m), "approach_m_per_s", json_number(row->approach_m_per_s), "loops",
                     json_count(row->loop_count), "segments", json_count(row->segment_count), "flags",
                     json_region_flags(row->flags));
}

json_t *command_json_scene(const ClackStudy *study, const ClackBatch *batch, uint32_t index) {
    json_t *parameters = json_object(), *quantities = json_object();
    for (uint32_t i = 0; i < study->parameter_count; i++) {
        const double value = batch->parameters[(size_t)index * study->parameter_count + i];
        json_object_set_new(parameters, study->parameters[i].name, json_number(value));
    }
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        const double value = batch->quantities[(size_t)index * study->quantity_count + i];
        json_object_set_new(quantities, study->quantities[i].name, json_number(value));
    }
    return json_pack("{s:o, s:s, s:o, s:o}", "scene", json_count(batch->scene_numbers[index]), "status",
                     clack_scene_status_name(batch->statuses[index]), "parameters", parameters, "quantities",
                     quantities);
}

static json_t *json_quantiles(const double *values, uint64_t count, uint32_t stride, const char *unit) {
    return json_pack("{s:s, s:o, s:o, s:o}", "unit", unit, "median",
                     json_number(clack_verification_quantile(values, count, stride, 0.5)), "p95",
                     json_number(clack_verification_quantile(values, count, stride, 0.95)), "largest",
                     json_number(clack_verification_quantile(values, count, stride, 1)));
}

json_t *command_json_verification(const ClackStudy *study, const ClackVerification *verification) {
    const uint64_t count = verification->scene_count;
    const uint32_t stride = verification->quantity_count;
    json_t *quantities = json_object();
    for (uint32_t q = 0; q < stride; q++) {
        json_object_set_new(
            quantities, clack_study_quantity_name(study, q),
            json_quantiles(verification->quantity_differences + q, count, stride, clack_study_quantity_unit(study, q)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "scenes", json_count(count), "scenes_compared",
                     json_count(verification->compared), "scenes_with_other_events",
                     json_count(verification->other_events), "scenes_above_error_sum",
                     verification->has_indicator ? json_count(verification->above_indicator) : json_null(),
                     "position_change", json_quantiles(verification->position_m, count, 1, "m"), "velocity_change",
                     json_quantiles(verification->velocity_m_per_s, count, 1, "m/s"), "quantity_changes", quantities);
}

json_t *command_json_plan(const ClackStudy *study, const ClackPlan *plan, const CommandTrial *trial) {
    const double none = trial->scenes > 0 ? 0 : NAN;
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "output",
                     json_text_or_null(plan->output_path), "device", plan->device_name, "scenes",
                     json_count(plan->scenes), "scenes_kept", json_count(plan->scenes_kept), "batches",
                     json_count(plan->batches), "batch_scenes", json_count(plan->batch_scenes), "slots",
                     json_count(plan->slots), "device_bytes", json_parts(plan->device, plan->device_count),
                     "file_bytes", json_parts(plan->file, plan->file_count), "event_bytes",
                     json_count(plan->event_bytes), "contact_bytes", json_count(plan->contact_bytes), "estimate_scenes",
                     json_count(trial->scenes), "estimate_events_per_scene",
                     json_number(trial->events_per_scene + none), "estimate_s",
                     json_number(trial->s_per_scene * (double)plan->scenes + none), "meshes", json_meshes(study),
                     "surfaces", json_surfaces(study), "shape_meshes", command_json_shape_meshes(study));
}

json_t *command_json_row(uint64_t scene, const double *values, uint32_t count) {
    json_t *row = json_array();
    json_array_append_new(row, json_count(scene));
    for (uint32_t i = 0; i < count; i++) json_array_append_new(row, json_number(values[i]));
    return row;
}

// --- printing ---------------------------------------------------------------------------------

// The errors of a report, or its warnings.
static json_t *json_lines(const ClackReport *report, uint32_t are_warnings) {
    json_t *lines = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const ClackPlace *place = &report->places[i];
        if (place->is_warning != are_warnings) continue;
        const char *line = report->lines[i], *message = line + place->message_at;
        json_array_append_new(lines, json_pack("{s:o, s:o, s:o, s:o, s:o}", "file", json_slice(line, place->file_bytes),
                                               "line", place->line > 0 ? json_count(place->line) : json_null(),
                                               "column", place->line > 0 ? json_count(place->column) : json_null(),
                                               "key", json_slice(line + place->key_at, place->key_bytes), "message",
                                               json_slice(message, strlen(message))));
    }
    return lines;
}

// jansson leaves DEL and C1 characters as they are, which a terminal may take for orders. It hands over whole
// characters.
static int json_put(const char *text, size_t bytes, void *stream) {
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)text[i], next = i + 1 < bytes ? (unsigned char)text[i + 1] : 0;
        if (byte == 0x7F)
            fputs("\\u007f", stream);
        else if (byte == 0xC2 && next >= 0x80 && next <= 0x9F)
            fprintf(stream, "\\u00%02x", text[++i] & 0xFF);
        else
            fputc(byte, stream);
    }
    return ferror((FILE *)stream) ? -1 : 0;
}

int command_json_print(const char *command, json_t *data, const ClackReport *report, ClackStatus status,
                       int exit_code) {
    json_t *document = json_pack("{s:s, s:s, s:s, s:i, s:o, s:o}", "command", command, "version", CLACK_VERSION,
                                 "status", clack_status_word(status), "exit_code", exit_code, "errors",
                                 json_lines(report, 0), "warnings", json_lines(report, 1));
    const int is_whole = document != NULL && (data == NULL || json_object_update(document, data) == 0);
    json_decref(data);
    if (is_whole) {
        json_dump_callback(document, json_put, stdout, JSON_INDENT(2)); // main.c sees whether it arrived
        printf("\n");
    }
    json_decref(document);
    return is_whole;
}
