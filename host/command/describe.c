// Results and devices as text for people.
#include "describe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch_rows.h"
#include "mesh_table.h"
#include "quantity.h"
#include "record.h"
#include "stage_mesh.h"
#include "stepper.h"
#include "text.h"

#define STATUS_COUNT 16u // as many as a summary counts
#define FLAG_COUNT 32u
#define EVENTS_SHOWN 20u // of one scene, unless all are asked for

static const char *event_name(uint32_t kind) {
    static const char *const names[] = {"begin", "end", "rest", "wake"};
    return kind < sizeof names / sizeof *names ? names[kind] : "?";
}

// --- meshes -----------------------------------------------------------------------------------

static void describe_mesh(FILE *out, const StudyMesh *mesh) {
    fputs("mesh:    ", out);
    text_put(out, mesh->path, 0);
    fprintf(out, ": %u %s, %u %s welded from %u, %u %s, %s; %u %s", mesh->triangles,
            text_plural(mesh->triangles, "triangle", "triangles"), mesh->vertices,
            text_plural(mesh->vertices, "vertex", "vertices"), mesh->file_points, mesh->components,
            text_plural(mesh->components, "component", "components"), mesh->is_closed ? "closed" : "open", mesh->hulls,
            text_plural(mesh->hulls, "hull", "hulls"));
    if (mesh->vertices_least == mesh->vertices_most)
        fprintf(out, " of %u vertices", mesh->vertices_most);
    else
        fprintf(out, " of %u to %u vertices", mesh->vertices_least, mesh->vertices_most);
    fprintf(out, ", %zu bytes; volume %.6g m3 at scale 1\n", mesh->hull_rows * sizeof(HullRow), mesh->solid.volume_m3);
}

static void describe_surface(FILE *out, const SceneMesh *mesh) {
    const MeshHead *head = &mesh->head;
    if (mesh->path == NULL) return; // of a convex shape
    fputs("mesh:    ", out);
    text_put(out, mesh->path, 0);
    fprintf(out, ": %u %s, %u %s, closed, %zu bytes; box %.6g x %.6g x %.6g m, volume %.6g m3, as scaled\n",
            head->triangle_count, text_plural(head->triangle_count, "triangle", "triangles"), head->vertex_count,
            text_plural(head->vertex_count, "vertex", "vertices"), mesh_table_bytes(mesh),
            mesh->high_m[0] - mesh->low_m[0], mesh->high_m[1] - mesh->low_m[1], mesh->high_m[2] - mesh->low_m[2],
            mesh->solid.volume_m3);
}

static void describe_shape_mesh(FILE *out, const SceneDescription *scene, const StageMeshRow *row) {
    const Tessellation *plan = &row->plan;
    fprintf(out, "shape:   %u of %s%s: %.0f triangles, about %.0f bytes",
            row->shape - scene->bodies[row->body].shape_first, scene->bodies[row->body].name,
            row->count > 1 ? " and those alike" : "", plan->triangle_count, STAGE_MESH_BYTES * plan->triangle_count);
    if (plan->mesh_size_m > 0)
        fprintf(out, "; edges of curved faces up to %.4g m, at most %.2g m inside of it", plan->mesh_size_m,
                plan->deviation_m);
    if (plan->left_out_m > 0) fprintf(out, "; edges sharp, not rounded by %.4g m", plan->left_out_m);
    fputc('\n', out);
}

void describe_shape_meshes(FILE *out, const ClackStudy *study) {
    StageMeshRow *rows = NULL;
    uint32_t count = 0;
    if (stage_meshes_list(&study->scene, &rows, &count, NULL) != CLACK_OK) return; // no memory: the rest is reported
    for (uint32_t i = 0; i < count; i++) describe_shape_mesh(out, &study->scene, &rows[i]);
    free(rows);
}

void describe_meshes(FILE *out, const ClackStudy *study) {
    for (uint32_t i = 0; i < study->mesh_count; i++) describe_mesh(out, &study->meshes[i]);
    for (uint32_t i = 0; i < study->scene.mesh_count; i++) describe_surface(out, study->scene.meshes[i]);
    describe_shape_meshes(out, study);
}

// --- devices ----------------------------------------------------------------------------------

static void describe_device(FILE *out, const DeviceInfo *info, int name_width, int arithmetic_width) {
    char index[16] = "native";
    char memory[32];
    if (info->index >= 0) snprintf(index, sizeof index, "%d", info->index);
    snprintf(memory, sizeof memory, "%.1f GiB", (double)info->global_memory_bytes / (1024.0 * 1024.0 * 1024.0));
    fprintf(out, "%-6s  %-4s  ", index, info->index < 0 || !info->is_gpu ? "cpu" : "gpu");
    text_put(out, info->name, name_width);
    fprintf(out, "  %-4s  %-10s  %s", info->has_fp64 ? "yes" : "no", memory,
            info->unusable_because[0] == '\0' ? "yes     " : "no: ");
    text_put(out, info->unusable_because, 0);
    if (info->unusable_because[0] != '\0') fputs("; ", out);
    text_put(out, info->arithmetic, info->unusable_because[0] != '\0' ? 0 : arithmetic_width);
    if (info->unusable_because[0] == '\0') fputs("  ", out);
    text_put(out, info->platform, 0);
    fputs(", ", out);
    text_put(out, info->driver, 0);
    fputc('\n', out);
}

void describe_devices(FILE *out, ClackDeviceInfo *const *infos, size_t count) {
    size_t width = strlen("name"), arithmetic_width = strlen("arithmetic");
    for (size_t i = 0; i < count; i++) {
        const size_t shown = text_shown_bytes(infos[i]->name, sizeof infos[i]->name);
        const size_t told = text_shown_bytes(infos[i]->arithmetic, sizeof infos[i]->arithmetic);
        if (shown > width) width = shown;
        if (told > arithmetic_width) arithmetic_width = told;
    }
    fprintf(out, "%-6s  %-4s  %-*s  %-4s  %-10s  %-8s%-*s  %s\n", "device", "kind", (int)width, "name", "fp64",
            "memory", "usable", (int)arithmetic_width, "arithmetic", "platform, driver");
    for (size_t i = 0; i < count; i++) describe_device(out, infos[i], (int)width, (int)arithmetic_width);
}

// --- runs -------------------------------------------------------------------------------------

const char *describe_rate(double scenes_per_s, char out[32]) {
    snprintf(out, 32, scenes_per_s > 0 && scenes_per_s < 10 ? "%.2g/s" : "%.0f/s", scenes_per_s);
    return out;
}

static int tells_end(const Study *study) {
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        const QuantityKind kind = study->quantities[i].kind;
        if (kind == QUANTITY_FINAL || kind == QUANTITY_FACE_UP || kind == QUANTITY_FACE_UP_COSINE) return 1;
    }
    return 0;
}

// What makes answers of a study doubtful though no scene failed. Only of runs of all scenes is everything known.
static void describe_doubts(FILE *out, const Study *study, const ClackRunSummary *summary) {
    uint64_t frozen = 0;
    const uint64_t ok = summary->status_counts[STATUS_OK];
    int may_touch = 0;
    if (summary->scenes_kept > 0 || ok == 0) return;
    for (uint32_t i = 0; i < FLAG_COUNT; i++) frozen += 1u << i == FLAG_FROZEN ? summary->flag_counts[i] : 0;
    for (uint32_t i = 0; i < study->scene.pair_count; i++) may_touch |= !study->scene.pairs[i].is_observer;
    if (tells_end(study) && frozen > 0 && frozen < ok)
        fprintf(out, "  nothing has come to rest at the end of %" PRIu64 " %s\n", ok - frozen,
                text_plural(ok - frozen, "scene", "scenes"));
    if (may_touch && summary->events == 0)
        fputs("  no bodies have touched in any scene: does solver.end come before they do?\n", out);
}

void describe_summary(FILE *out, const ClackStudy *study, const ClackRunSummary *summary, int is_verbose) {
    const double rate = summary->run_s > 0 ? (double)summary->scenes_run / summary->run_s : 0;
    char rate_text[32];
    if (summary->device_name[0] == '\0' && summary->resume_path[0] != '\0') return; // it ended before it had a device
    text_put(out, summary->output_path, 0);
    if (summary->device_name[0] == '\0') { // clack has only looked at the file
        fprintf(out, ": finished before, %" PRIu64 " %s, %" PRIu64 " failed\n", summary->scenes_total,
                text_plural(summary->scenes_total, "scene", "scenes"), summary->scenes_failed);
        return;
    }
    fprintf(out, "%s%" PRIu64 " of %" PRIu64 " %s", summary->output_path[0] == '\0' ? "" : ": ",
            summary->scenes_kept + summary->scenes_run, summary->scenes_total,
            text_plural(summary->scenes_total, "scene", "scenes"));
    if (summary->scenes_kept > 0) fprintf(out, ", %" PRIu64 " of them now", summary->scenes_run);
    fprintf(out, " in %.2f s (%s) on ", summary->run_s, describe_rate(rate, rate_text));
    text_put(out, summary->device_name, 0);
    fprintf(out, ", %" PRIu64 " failed", summary->scenes_failed);
    if (summary->scenes_kept > 0) fprintf(out, ", %" PRIu64 " run before", summary->scenes_kept);
    fprintf(out, "; preparing kernels %.2f s, output %.2f s\n", summary->build_s, summary->write_s);
    for (uint32_t i = 0; i < STATUS_COUNT; i++) {
        if (summary->status_counts[i] == 0 || (!is_verbose && summary->scenes_failed == 0)) continue;
        fprintf(out, "  status %-20s %" PRIu64 "\n", record_status_name(i), summary->status_counts[i]);
    }
    uint32_t flags = 0;
    for (uint32_t i = 0; i < FLAG_COUNT; i++) { // to be frozen at rest is no cause for doubt
        if (summary->flag_counts[i] == 0 || (!is_verbose && 1u << i == FLAG_FROZEN)) continue;
        flags += 1u << i == FLAG_FROZEN ? 0 : 1;
        fprintf(out, "  flag   %-20s %" PRIu64 "\n", record_flag_name(1u << i), summary->flag_counts[i]);
    }
    if (flags > 0) fputs("  what flags mean and what to do: clack help flags\n", out);
    if (study != NULL) describe_doubts(out, study, summary);
    if (summary->stop[0] != '\0') fputs("  stop   ", out);
    text_put(out, summary->stop, 0);
    if (summary->stop[0] != '\0') fputc('\n', out);
    if (!is_verbose) return;
    if (summary->scenes_second > 0)
        fprintf(out, "  scenes that needed the second build of the kernels %" PRIu64 "\n", summary->scenes_second);
    fprintf(out,
            "  events %" PRIu64 ", substeps %" PRIu64 ", force evaluations %" PRIu64 ", scenes per batch %" PRIu64 "\n",
            summary->events, summary->substeps, summary->evaluations, summary->batch_scenes);
}

static void describe_differences(FILE *out, const char *name, const char *unit, const double *values, uint64_t count,
                                 uint32_t stride) {
    fprintf(out, "  %-32s %10.3g %10.3g %10.3g ", name, clack_verification_quantile(values, count, stride, 0.5),
            clack_verification_quantile(values, count, stride, 0.95),
            clack_verification_quantile(values, count, stride, 1));
    text_put(out, record_unit_shown(unit), 0);
    fputc('\n', out);
}

void describe_verification(FILE *out, const ClackStudy *study, const ClackVerification *verification) {
    const uint64_t count = verification->scene_count;
    const uint32_t stride = verification->quantity_count;
    fprintf(out,
            "verified with a hundredth of the tolerance and a quarter of the step: %" PRIu64 " of %" PRIu64
            " %s compared, %" PRIu64 " with another number of events",
            verification->compared, count, text_plural(count, "scene", "scenes"), verification->other_events);
    if (verification->has_indicator)
        fprintf(out, ", %" PRIu64 " changed their velocities by more than error_sum", verification->above_indicator);
    fputc('\n', out);
    fprintf(out, "  %-32s %10s %10s %10s\n", "change", "median", "95 %", "largest");
    describe_differences(out, "final position", "m", verification->position_m, count, 1);
    describe_differences(out, "final velocity", "m/s", verification->velocity_m_per_s, count, 1);
    for (uint32_t q = 0; q < stride; q++) {
        describe_differences(out, clack_study_quantity_name(study, q), clack_study_quantity_unit(study, q),
                             verification->quantity_differences + q, count, stride);
    }
}

static const char *describe_body_name(const Study *study, uint32_t body) {
    return body < study->scene.body_count ? study->scene.bodies[body].name : "-";
}

static void describe_states(FILE *out, const Study *study, const Batch *batch, const BatchResult *result,
                            const Scene *scene) {
    fprintf(out, "bodies at the end (body frame; position m, orientation w x y z, velocity m/s, "
                 "angular velocity rad/s)\n");
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const size_t row = (size_t)scene->body_first + i;
        const UserState state = stage_user_state(&batch->bodies[row], &result->states[row]);
        if (batch->bodies[row].flags & BODY_ABSENT) {
            fprintf(out, "  %-16s not in this scene\n", describe_body_name(study, i));
            continue;
        }
        fprintf(out, "  %-16s [%.9g, %.9g, %.9g]  [%.9g, %.9g, %.9g, %.9g]", describe_body_name(study, i),
                state.position_m[0], state.position_m[1], state.position_m[2], state.orientation[0],
                state.orientation[1], state.orientation[2], state.orientation[3]);
        fprintf(out, "  [%.9g, %.9g, %.9g]  [%.9g, %.9g, %.9g]\n", state.velocity_m_per_s[0], state.velocity_m_per_s[1],
                state.velocity_m_per_s[2], state.angular_velocity_rad_per_s[0], state.angular_velocity_rad_per_s[1],
                state.angular_velocity_rad_per_s[2]);
    }
}

static void describe_event(FILE *out, const Study *study, const Event *event) {
    const char *kind = event_name(event->kind);
    fprintf(out, "  %.15g  %-5s  %s", event->time_s, kind, describe_body_name(study, event->body_a));
    if (event->body_b != event->body_a) fprintf(out, " - %s", describe_body_name(study, event->body_b));
    if (event->kind == EVENT_BEGIN || event->kind == EVENT_END) fprintf(out, "  %.9g", event->speed_m_per_s);
    if (event->kind == EVENT_BEGIN) fprintf(out, "  %.9g", event->gap_m);
    if (event->kind == EVENT_BEGIN && event->stiffness > 0) // not of observer pairs
        fprintf(out, "  %.9g  %.9g", event->stiffness, event->damping);
    if (event->kind == EVENT_END) {
        fprintf(out, "  [%.9g, %.9g, %.9g]  %.9g", event->impulse_N_s.x, event->impulse_N_s.y, event->impulse_N_s.z,
                event->energy_lost_J);
    }
    fprintf(out, "\n");
}

// The first EVENTS_SHOWN, or all.
static void describe_events(FILE *out, const Study *study, const BatchResult *result, uint32_t index, int is_all) {
    size_t count = 0;
    fprintf(
        out,
        "events (time s, kind, bodies, speed m/s; at the begin distance m, K N/m^1.5, d s/m (linear: k N/m, c N s/m); "
        "at the end impulse N s, energy lost J)\n");
    for (size_t i = 0; i < result->event_count; i++) {
        if (result->event_scene[i] != index) continue;
        if (count++ < EVENTS_SHOWN || is_all) describe_event(out, study, &result->events[i]);
    }
    if (count > EVENTS_SHOWN && !is_all) fprintf(out, "  and %zu more (-v: all)\n", count - EVENTS_SHOWN);
}

static void describe_progress(FILE *out, const Progress *progress, const Scene *scene) {
    const double time_s = progress->step_index * scene->step_s + progress->offset_s;
    fprintf(out, "status %s at %.9g s; flags:", record_status_name(progress->status), time_s);
    for (uint32_t bit = 0; bit < FLAG_COUNT; bit++) {
        if (progress->flags >> bit & 1u) fprintf(out, " %s", record_flag_name(1u << bit));
    }
    fprintf(out, "%s\n", progress->flags == 0 ? " none" : "");
    fprintf(out,
            "steps %u, substeps %u, rejected %u, force evaluations %u of %u contacts, looks at pairs %u, events %u\n",
            progress->step_index, progress->substeps, progress->rejects, progress->evaluations, progress->forces,
            progress->distance_queries, progress->event_total);
    fprintf(out, "energy drift %.3g, momentum drift %.3g, dissipated %.9g J, deepest penetration %.9g m\n",
            progress->energy_drift, progress->momentum_drift, progress->dissipated_J, progress->max_penetration_m);
    if (progress->given_J != 0.0) fprintf(out, "work of forces and motions over time %.9g J\n", progress->given_J);
}

void describe_batch(FILE *out, const ClackStudy *study, const ClackBatch *finished, DescribeDetail detail) {
    const Batch *batch = batch_rows_behind(finished)->batch;
    const BatchResult *result = batch_rows_behind(finished)->result;
    for (uint32_t index = 0; index < batch->scene_count; index++) {
        const double *values = finished->parameters + (size_t)index * study->parameter_count;
        const double *answers = finished->quantities + (size_t)index * study->quantity_count;
        fprintf(out, "scene %" PRIu64 "\n", batch->scene_numbers[index]);
        describe_progress(out, &result->progress[index], &batch->scenes[index]);
        const uint32_t parameters = detail == DESCRIBE_SUMMARY ? 0 : study->parameter_count;
        if (parameters > 0) fprintf(out, "parameters\n");
        for (uint32_t i = 0; i < parameters; i++) {
            fprintf(out, "  %-40s %.17g\n", study->parameters[i].name, values[i]);
        }
        if (study->quantity_count > 0) fprintf(out, "quantities\n");
        for (uint32_t i = 0; i < study->quantity_count; i++) {
            fprintf(out, "  %-40s %.17g ", study->quantities[i].name, answers[i]);
            text_put(out, record_unit_shown(study->quantities[i].unit), 0);
            fputc('\n', out);
        }
        if (detail == DESCRIBE_SUMMARY) continue;
        describe_states(out, study, batch, result, &batch->scenes[index]);
        describe_events(out, study, result, index, detail == DESCRIBE_ALL);
    }
}
