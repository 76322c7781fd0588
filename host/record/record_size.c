// How large an ensemble file will be, before compression: sums over the field table.
#include "record_internal.h"
#include "stage.h"

static uint64_t value_bytes(RecordType type) {
    switch (type) {
    case RECORD_U8: return 1;
    case RECORD_I32:
    case RECORD_U32: return 4;
    case RECORD_F64: break;
    }
    return 8;
}

// Bytes that one scene, event or frame of a body takes in the fields of these shapes.
static uint64_t fields_bytes(RecordShape first, RecordShape last) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < record_field_count; i++) {
        const RecordField *field = &record_fields[i];
        if (field->shape < first || field->shape > last) continue;
        bytes += value_bytes(field->type) * record_shape_components(field->shape);
    }
    return bytes;
}

// Where the rows of a scene stand in its tables: one number for events, whose count is a field, two for each other.
static uint64_t offsets_bytes(const Study *study) {
    const bool has_contacts = study->contacts_every_s > 0;
    const uint64_t numbers = (study->record_events ? 1u : 0u) + (has_contacts ? 2u : 0u) +
                             (has_contacts && study->scene.joint_count > 0 ? 2u : 0u);
    return numbers * value_bytes(RECORD_I32);
}

// Every axis has a scale of indices beside the fields.
void record_bytes(const Study *study, uint64_t scene_first, uint64_t scene_count, RecordBytes *out_bytes) {
    const uint64_t index = value_bytes(RECORD_I32), value = value_bytes(RECORD_F64);
    const uint64_t framed = study->trajectory_scenes > scene_first ? study->trajectory_scenes - scene_first : 0;
    const uint64_t trajectories = framed < scene_count ? framed : scene_count;
    *out_bytes = (RecordBytes){0};
    out_bytes->scenes = scene_count * (index + fields_bytes(RECORD_SCENE, RECORD_SCENE) +
                                       value * study->quantity_count + offsets_bytes(study));
    out_bytes->parameters = scene_count * (index + value * study->parameter_count);
    if (study->trajectory_every_s > 0 && trajectories > 0) {
        const uint64_t frames = stage_frame_count(study->scene.end_s, study->trajectory_every_s);
        const uint64_t body = fields_bytes(RECORD_FRAME_XYZ, RECORD_FRAME_QUAT);
        out_bytes->trajectory = trajectories * (2 * index + frames * study->scene.body_count * body) + frames * value;
    }
    if (study->record_events) out_bytes->event = index + fields_bytes(RECORD_EVENT, RECORD_EVENT_XYZ);
    if (study->contacts_every_s > 0)
        out_bytes->contact =
            index + fields_bytes(RECORD_CONTACT, stage_has_regions(&study->scene) ? RECORD_REGION : RECORD_CONTACT_XYZ);
    for (uint32_t i = 0; i < study->input_count; i++) out_bytes->provenance += study->inputs[i].text_bytes;
}
