// Scenes of which nothing can be made: sampled and staged once more, for the reason.
#include "left_out.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "assembly.h"
#include "body_warning.h"
#include "sample.h"
#include "stage.h"

#define VALUES_REPORTED 4
#define TEXT_BYTES 512

// Is the number one of the body's mass or of its shapes?
static int is_of_mass(const Binding *binding, const SceneBody *body, uint32_t index) {
    if (binding->block == BIND_BODY)
        return binding->index == index && binding->offset < offsetof(SceneBody, position_m);
    return binding->block == BIND_SHAPE && binding->index - body->shape_first < body->shape_count;
}

// "; drawn: a = 1, b = 2"
static void print_values(const Study *study, const double *values, uint32_t body, char out[TEXT_BYTES]) {
    size_t used = 0;
    uint32_t reported = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < study->binding_count && reported < VALUES_REPORTED && used < TEXT_BYTES; i++) {
        const Binding *binding = &study->bindings[i];
        if (!is_of_mass(binding, &study->scene.bodies[body], body)) continue;
        const int written = snprintf(out + used, TEXT_BYTES - used, "%s%s = %.9g", reported == 0 ? "; drawn: " : ", ",
                                     study->parameters[binding->parameter].name, values[binding->parameter]);
        used += written > 0 ? (size_t)written : 0;
        reported++;
    }
}

static const char *first_line(const ClackReport *report) {
    return report->count > 0 ? report->lines[0] : clack_status_sentence(report->status);
}

static void tell_body(const Study *study, uint64_t number, const SceneDescription *scene, const double *values,
                      ClackReport *report) {
    for (uint32_t b = 0; b < scene->body_count; b++) {
        ClackReport why = {0};
        StageFrame frame;
        const ClackStatus status = stage_frame(scene, b, &frame, &why);
        if (status == CLACK_STUDY) {
            char drawn[TEXT_BYTES];
            print_values(study, values, b, drawn);
            body_warn(study, b, report, "scene %" PRIu64 " is not staged: %s%s", number, first_line(&why), drawn);
        }
        clack_report_clear(&why);
        if (status != CLACK_OK) return;
    }
}

static void tell_joint(uint64_t number, const SceneDescription *scene, ClackReport *report) {
    ClackReport why = {0};
    Assembly assembly;
    if (stage_check_joints(scene, &why) == CLACK_STUDY || assembly_try(scene, &assembly, &why) == CLACK_STUDY)
        report_warn(report, "scene %" PRIu64 " is not staged: %s", number, first_line(&why));
    clack_report_clear(&why);
}

void left_out_report(const Study *study, uint64_t scene, ClackReport *report) {
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    if (values == NULL) return; // the status of the scene says it
    SceneDescription description = {0};
    ClackReport why = {0};
    const ClackStatus status = sample_numbered(study, scene, values, &description, &why);
    if (status == CLACK_OK) tell_body(study, scene, &description, values, report);
    if (status == CLACK_OK) tell_joint(scene, &description, report);
    if (status == CLACK_STUDY) report_warn(report, "%s: it is not staged", first_line(&why));
    clack_report_clear(&why);
    scene_free(&description);
    free(values);
}
