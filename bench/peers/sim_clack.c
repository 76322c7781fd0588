// clack on the studies that scenes.c writes, native device.
//   sim_clack W STUDY THREADS [fast|refined]     fast: solver.accuracy; refined: a hundredth of the default's tolerance
//                                                and a quarter of the step
// Member "speed": of W1, speed after the first impact over that before it, of every scene.
#include "sim_common.h"

#include "batch_rows.h"
#include "clack.h"
#include "stage.h"
#include "stepper.h"

typedef struct Outcome {
    Sim sim;
    double *speed; // (count): W1
    size_t scenes, failed;
    uint64_t forces, evaluations, impacts;
} Outcome;

static void take(void *context, const ClackBatch *batch) {
    Outcome *outcome = context;
    const BatchRows *inside = batch_rows_behind(batch);
    for (uint32_t i = 0; i < batch->scene_count; i++) {
        const int scene = (int)batch->scene_numbers[i], free_first = 1; // body 0 is the box
        const BodyState *states = inside->result->states + inside->batch->scenes[i].body_first;
        for (int b = 0; b < bodies_of[outcome->sim.workload]; b++) {
            const Vec3 at = states[b + free_first].position_m;
            memcpy(sim_place(&outcome->sim, scene, b), (double[3]){at.x, at.y, at.z}, 3 * sizeof(double));
        }
        if (outcome->sim.workload == 1) {
            const double *q = batch->quantities + 4 * i; // apex, in, out, depth
            outcome->sim.apex_m[scene] = q[0];
            outcome->speed[scene] = q[2] / q[1];
        }
        outcome->sim.penetration_m = fmax(outcome->sim.penetration_m, inside->result->progress[i].max_penetration_m);
        outcome->forces += inside->result->progress[i].forces;
        outcome->evaluations += inside->result->progress[i].evaluations;
        outcome->failed += batch->statuses[i] != 0;
        outcome->scenes++;
    }
    for (size_t e = 0; e < inside->result->event_count; e++)
        outcome->impacts += inside->result->events[e].kind == EVENT_BEGIN;
}

static void print(Outcome *outcome, const char *setting, double bytes_per_scene) {
    const size_t bytes = 512 + 24 * outcome->scenes;
    char *more = malloc(bytes);
    size_t used =
        (size_t)snprintf(more, bytes,
                         ", \"failed\": %zu, \"evaluations\": %.6g, \"contacts_per_step\": %.4g, \"impacts\": %.4g, "
                         "\"bytes_per_scene\": %.6g",
                         outcome->failed, (double)outcome->evaluations / (double)outcome->scenes,
                         outcome->evaluations == 0 ? 0 : (double)outcome->forces / (double)outcome->evaluations,
                         (double)outcome->impacts / (double)outcome->scenes, bytes_per_scene);
    if (outcome->sim.workload == 1) {
        for (size_t k = 0; k < outcome->scenes; k++)
            used += (size_t)snprintf(more + used, bytes - used, "%s%.15g", k == 0 ? ", \"speed\": [" : ", ",
                                     outcome->speed[k]);
        snprintf(more + used, bytes - used, "]");
    }
    sim_print(&outcome->sim, "clack", setting, more);
    free(more);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const int workload = atoi(argv[1]), threads = atoi(argv[3]);
    const char *how = argc > 4 ? argv[4] : "default";
    const int is_fast = strcmp(how, "fast") == 0, is_refined = strcmp(how, "refined") == 0;
    const ClackStudyOverride fast = {"solver.accuracy", "fast"};
    const ClackStudyOptions settings = {.size = sizeof settings, .overrides = &fast, .override_count = 1};
    ClackReport report = {0};
    ClackStudy *study = NULL;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ClackStatus status = clack_study_read(argv[2], is_fast ? &settings : NULL, &study, &report);
    if (status == CLACK_OK) {
        const int count = (int)clack_study_scene_count(study);
        Outcome outcome = {.speed = calloc((size_t)count, sizeof(double)), .sim = sim_start(workload, count)};
        const ClackDeviceOptions native = {.size = sizeof native, .choice = "native", .threads = (uint32_t)threads};
        const ClackRunOptions options = {.size = sizeof options,
                                         .no_file = 1,
                                         .is_refined = is_refined,
                                         .failures_allowed = UINT64_MAX,
                                         .device = &native,
                                         .on_batch = take,
                                         .batch_context = &outcome};
        status = clack_run(study, &options, &summary, &report);
        sim_stop(&outcome.sim);
        char setting[64];
        snprintf(setting, sizeof setting, "%s, %d thread%s", how, threads, threads == 1 ? "" : "s");
        if (status == CLACK_OK) print(&outcome, setting, (double)summary.device_bytes / (double)summary.batch_scenes);
        free(outcome.speed);
    }
    for (size_t i = 0; i < report.count; i++) fprintf(stderr, "%s\n", report.lines[i]);
    clack_report_clear(&report);
    clack_study_free(study);
    return clack_status_exit_code(status);
}
