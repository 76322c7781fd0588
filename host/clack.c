// The small public functions: what clack.h promises beside those whose structs grow (clack_sized.c), the evaluator
// (evaluate.c) and the statuses (status.c).
#include "clack.h"

#include <assert.h>

#include "record.h"
#include "sample.h"
#include "study.h"

void clack_study_free(ClackStudy *study) { study_free(study); }

uint64_t clack_study_scene_count(const ClackStudy *study) { return study->design.scene_count; }
uint32_t clack_study_parameter_count(const ClackStudy *study) { return study->parameter_count; }
uint32_t clack_study_quantity_count(const ClackStudy *study) { return study->quantity_count; }
uint32_t clack_study_body_count(const ClackStudy *study) { return study->scene.body_count; }

const char *clack_study_parameter_name(const ClackStudy *study, uint32_t index) {
    assert(index < study->parameter_count);
    return study->parameters[index].name;
}

const char *clack_study_parameter_unit(const ClackStudy *study, uint32_t index) {
    assert(index < study->parameter_count);
    return record_parameter_unit(study, index);
}

const char *clack_study_quantity_name(const ClackStudy *study, uint32_t index) {
    assert(index < study->quantity_count);
    return study->quantities[index].name;
}

const char *clack_study_quantity_unit(const ClackStudy *study, uint32_t index) {
    assert(index < study->quantity_count);
    return study->quantities[index].unit;
}

const char *clack_study_body_name(const ClackStudy *study, uint32_t index) {
    assert(index < study->scene.body_count);
    return study->scene.bodies[index].name;
}

uint32_t clack_study_joint_count(const ClackStudy *study) { return study->scene.joint_count; }

const char *clack_study_joint_name(const ClackStudy *study, uint32_t index) {
    assert(index < study->scene.joint_count);
    return study->scene.joints[index].name;
}

double clack_study_trajectory_every_s(const ClackStudy *study) { return study->trajectory_every_s; }

void clack_study_sample(const ClackStudy *study, uint64_t scene, double *out_values) {
    assert(scene < study->design.scene_count);
    sample_parameters(study, scene, out_values);
}

const char *clack_scene_status_name(uint32_t status) { return record_status_name(status); }
const char *clack_event_kind_name(uint32_t kind) { return record_event_name(kind); }
const char *clack_scene_flag_name(uint32_t flag) { return record_flag_name(flag); }
const char *clack_scene_status_sentence(uint32_t status) { return record_status_sentence(status); }
const char *clack_scene_flag_sentence(uint32_t flag) { return record_flag_sentence(flag); }
