// Rows of the public structs from those of the kernels. Only those that are asked for: a study of quantities alone
// would spend memory on events.
#include "batch_rows.h"

#include <math.h>
#include <stdlib.h>

// --- one row -------------------------------------------------------------------------------------

static void put_vector(double out[3], const Vec3 *vector) {
    out[0] = vector->x;
    out[1] = vector->y;
    out[2] = vector->z;
}

static int32_t index_or_none(u32 index) { return index == NONE ? -1 : (int32_t)index; }

static void put_event(const void *from, uint64_t scene_number, void *to) {
    const Event *event = from;
    ClackEvent *out = to;
    *out = (ClackEvent){.time_s = event->time_s,
                        .speed_m_per_s = event->speed_m_per_s,
                        .energy_lost_J = event->energy_lost_J,
                        .distance_m = stepper_event_distance_m(event),
                        .stiffness = stepper_event_law_number(event, event->stiffness),
                        .damping = stepper_event_law_number(event, event->damping),
                        .scene_number = scene_number,
                        .kind = event->kind,
                        .body_a = index_or_none(event->body_a),
                        .body_b = index_or_none(event->body_b),
                        .shape_a = index_or_none(event->shape_a),
                        .shape_b = index_or_none(event->shape_b),
                        .feature = index_or_none(event->feature)};
    put_vector(out->impulse_N_s, &event->impulse_N_s);
    put_vector(out->position_m, &event->position_m);
    put_vector(out->normal, &event->normal);
}

static void put_contact(const void *from, uint64_t scene_number, void *to) {
    const ContactRow *row = from;
    ClackRecordedContact *out = to;
    *out = (ClackRecordedContact){.time_s = row->time_s,
                                  .penetration_m = row->penetration_m,
                                  .normal_N = row->normal_N,
                                  .area_m2 = row->area_m2,
                                  .scene_number = scene_number,
                                  .body_a = row->body_a,
                                  .body_b = row->body_b,
                                  .shape_a = row->shape_a,
                                  .shape_b = row->shape_b,
                                  .feature = row->feature};
    put_vector(out->tangential_N, &row->tangential_N);
    put_vector(out->torque_N_m, &row->torque_N_m);
    put_vector(out->point_m, &row->point_m);
    put_vector(out->normal, &row->normal);
}

static void put_joint(const void *from, uint64_t scene_number, void *to) {
    const ContactRow *row = from;
    ClackRecordedJoint *out = to;
    *out = (ClackRecordedJoint){.time_s = row->time_s,
                                .coordinate = row->penetration_m,
                                .violation = row->normal_N,
                                .scene_number = scene_number,
                                .joint = row->feature};
    put_vector(out->force_N, &row->tangential_N);
    put_vector(out->moment_N_m, &row->torque_N_m);
    put_vector(out->point_m, &row->point_m);
}

// --- tables --------------------------------------------------------------------------------------

static int was_run(const BatchRows *rows, uint32_t scene) {
    const u32 status = rows->result->progress[scene].status;
    return status != STATUS_INTERRUPTED && status != STATUS_NOT_RUN;
}

typedef struct TableFrom { // rows of the kernels, and which of them are meant
    const void *rows;
    size_t row_bytes, count;
    const uint32_t *scenes; // (count): within the batch, ascending
    int is_contacts, is_joints;
    void (*put)(const void *from, uint64_t scene_number, void *to);
    size_t out_bytes; // of a row that is put
} TableFrom;

static int is_meant(const BatchRows *rows, const TableFrom *from, size_t index) {
    if (!was_run(rows, from->scenes[index])) return 0;
    if (!from->is_contacts && !from->is_joints) return 1;
    const int is_joint = ((const ContactRow *)from->rows)[index].shape_a == NONE;
    return from->is_joints ? is_joint : !is_joint;
}

// NULL: no memory.
static void *make_table(const BatchRows *rows, const TableFrom *from, const size_t **out_first) {
    const uint32_t scenes = rows->shown.scene_count;
    const uint64_t *numbers = rows->shown.scene_numbers;
    size_t *first = calloc((size_t)scenes + 1, sizeof *first);
    unsigned char *table = malloc(from->count * from->out_bytes + 1);
    *out_first = first;
    if (first == NULL || table == NULL) {
        free(table);
        return NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < from->count; i++) {
        if (!is_meant(rows, from, i)) continue;
        const uint32_t scene = from->scenes[i];
        from->put((const unsigned char *)from->rows + i * from->row_bytes, numbers[scene],
                  table + count * from->out_bytes);
        count++;
        first[scene + 1]++;
    }
    for (uint32_t i = 0; i < scenes; i++) first[i + 1] += first[i];
    return table;
}

static ClackStatus make_tables(BatchRows *rows, uint32_t wanted, ClackReport *report) {
    const BatchResult *result = rows->result;
    ClackBatch *shown = &rows->shown;
    const TableFrom events = {.rows = result->events,
                              .row_bytes = sizeof *result->events,
                              .count = result->event_count,
                              .scenes = result->event_scene,
                              .put = put_event,
                              .out_bytes = sizeof *shown->events};
    const TableFrom contacts = {.rows = result->contacts,
                                .row_bytes = sizeof *result->contacts,
                                .count = result->contact_count,
                                .scenes = result->contact_scene,
                                .is_contacts = 1,
                                .put = put_contact,
                                .out_bytes = sizeof *shown->contacts};
    TableFrom joints = contacts;
    joints.is_contacts = 0;
    joints.is_joints = 1;
    joints.put = put_joint;
    joints.out_bytes = sizeof *shown->joints;
    if (wanted & CLACK_BATCH_EVENTS) shown->events = make_table(rows, &events, &shown->first_event);
    if (wanted & CLACK_BATCH_CONTACTS) shown->contacts = make_table(rows, &contacts, &shown->first_contact);
    if (wanted & CLACK_BATCH_JOINTS) shown->joints = make_table(rows, &joints, &shown->first_joint);
    if (((wanted & CLACK_BATCH_EVENTS) && shown->events == NULL) ||
        ((wanted & CLACK_BATCH_CONTACTS) && shown->contacts == NULL) ||
        ((wanted & CLACK_BATCH_JOINTS) && shown->joints == NULL))
        return report_add(report, CLACK_MEMORY, "no memory for the rows of a batch of %u scenes", shown->scene_count);
    return CLACK_OK;
}

// --- states --------------------------------------------------------------------------------------

static const ClackBodyState none_state = {{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};

static ClackStatus make_states(BatchRows *rows, ClackReport *report) {
    const Batch *batch = rows->batch;
    const uint32_t scenes = rows->shown.scene_count, bodies = rows->shown.body_count;
    double *times_s = malloc(scenes * sizeof *times_s + 1);
    ClackBodyState *states = malloc((size_t)scenes * bodies * sizeof *states + 1);
    rows->shown.times_s = times_s;
    rows->shown.states = states;
    if (times_s == NULL || states == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for states of %u scenes", scenes);
    for (uint32_t i = 0; i < scenes; i++) {
        const Scene *scene = &batch->scenes[i];
        const Progress *progress = &rows->result->progress[i];
        const int has_states = was_run(rows, i) && progress->status != STATUS_NOT_STAGED;
        times_s[i] = has_states ? progress->step_index * scene->step_s + progress->offset_s : (double)NAN;
        for (uint32_t b = 0; b < bodies; b++) {
            const size_t row = (size_t)scene->body_first + b;
            const int is_there = has_states && b < scene->body_count && !(batch->bodies[row].flags & BODY_ABSENT);
            states[(size_t)i * bodies + b] =
                is_there ? stage_user_state(&batch->bodies[row], &rows->result->states[row]) : none_state;
        }
    }
    return CLACK_OK;
}

// --- frames --------------------------------------------------------------------------------------

static size_t frame_count(const BatchRows *rows, uint32_t scene) {
    const uint32_t written = rows->result->progress[scene].frame_count,
                   room = rows->batch->scenes[scene].frame_capacity;
    return !was_run(rows, scene) ? 0 : written < room ? written : room;
}

static void put_frames(const BatchRows *rows, uint32_t index, double *times_s, ClackBodyState *states) {
    const Scene *scene = &rows->batch->scenes[index];
    const uint32_t bodies = rows->shown.body_count;
    for (size_t k = 0; k < frame_count(rows, index); k++) {
        times_s[k] = (double)k * scene->record_every_s;
        for (uint32_t b = 0; b < bodies; b++) {
            const Body *body = &rows->batch->bodies[(size_t)scene->body_first + (b < scene->body_count ? b : 0)];
            const int is_there = b < scene->body_count && !(body->flags & BODY_ABSENT);
            const size_t row = scene->frame_first + k * scene->body_count + b;
            states[k * bodies + b] = is_there ? stage_user_state(body, &rows->result->frames[row]) : none_state;
        }
    }
}

static ClackStatus make_frames(BatchRows *rows, ClackReport *report) {
    const uint32_t scenes = rows->shown.scene_count, bodies = rows->shown.body_count;
    size_t *first = calloc((size_t)scenes + 1, sizeof *first);
    rows->shown.first_frame = first;
    if (first == NULL) return report_add(report, CLACK_MEMORY, "no memory for frames of %u scenes", scenes);
    for (uint32_t i = 0; i < scenes; i++) first[i + 1] = first[i] + frame_count(rows, i);
    double *times_s = malloc(first[scenes] * sizeof *times_s + 1);
    ClackBodyState *states = malloc(first[scenes] * bodies * sizeof *states + 1);
    rows->shown.frame_times_s = times_s;
    rows->shown.frames = states;
    if (times_s == NULL || states == NULL)
        return report_add(report, CLACK_MEMORY, "no memory for %zu frames", first[scenes]);
    for (uint32_t i = 0; i < scenes; i++) put_frames(rows, i, times_s + first[i], states + first[i] * bodies);
    return CLACK_OK;
}

// --- all of it -----------------------------------------------------------------------------------

ClackStatus batch_rows_make(const RunBatch *work, BatchRows *out_rows, ClackReport *report) {
    const uint32_t wanted = work->options->batch_rows;
    *out_rows = (BatchRows){.shown = {.scene_count = work->count,
                                      .body_count = work->study->scene.body_count,
                                      .scene_numbers = work->numbers,
                                      .statuses = work->statuses,
                                      .flags = work->flags,
                                      .parameters = work->parameters,
                                      .quantities = work->quantities},
                            .batch = &work->batch,
                            .result = &work->result};
    ClackStatus status = make_tables(out_rows, wanted, report);
    if (status == CLACK_OK && (wanted & CLACK_BATCH_STATES)) status = make_states(out_rows, report);
    if (status == CLACK_OK && (wanted & CLACK_BATCH_TRAJECTORY)) status = make_frames(out_rows, report);
    if (status != CLACK_OK) batch_rows_free(out_rows);
    return status;
}

void batch_rows_free(BatchRows *rows) {
    free((void *)rows->shown.first_event);
    free((void *)rows->shown.events);
    free((void *)rows->shown.first_contact);
    free((void *)rows->shown.contacts);
    free((void *)rows->shown.first_joint);
    free((void *)rows->shown.joints);
    free((void *)rows->shown.times_s);
    free((void *)rows->shown.states);
    free((void *)rows->shown.first_frame);
    free((void *)rows->shown.frame_times_s);
    free((void *)rows->shown.frames);
    *rows = (BatchRows){0};
}

const BatchRows *batch_rows_behind(const ClackBatch *shown) { return (const BatchRows *)(const void *)shown; }
