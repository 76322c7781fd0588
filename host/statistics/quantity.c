// Quantities of interest of one scene, from its final state, what was watched, and its events.
#include "quantity.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stepper/observables.h"
#include "geometry/shape.h"

// What belongs to one scene of the batch.
typedef struct SceneOutcome {
    const Scene *scene;
    const Progress *progress;
    const Body *bodies;      // (body_count)
    const BodyState *states; // (body_count)
    const Shape *shapes;     // of the scene
    const Extreme *extremes; // (watch_count)
    const Event *events;     // (event_count), by time
    size_t event_count;
    uint32_t body_count;
    uint32_t watch_count;
} SceneOutcome;

static int outcome_has_end(const SceneOutcome *outcome, const Quantity *quantity) {
    return outcome->progress->status == STATUS_OK && quantity->body < outcome->body_count;
}

static double outcome_final(const SceneOutcome *outcome, const Quantity *quantity) {
    // Penetration and forces belong to contacts; a state has none.
    if (!outcome_has_end(outcome, quantity) || quantity->observable >= WATCH_PENETRATION) return NAN;
    const ObservableValue reading =
        observable_of_body(&outcome->bodies[quantity->body], &outcome->states[quantity->body], vec3_zero(), vec3_zero(),
                           quantity->observable);
    return observable_shown(quantity->observable, reading.value);
}

// What was watched; NULL: nothing was seen.
static const Extreme *outcome_watched(const SceneOutcome *outcome, const Quantity *quantity) {
    if (quantity->watch >= outcome->watch_count) return NULL;
    const Extreme *extreme = &outcome->extremes[quantity->watch];
    return extreme->seen ? extreme : NULL;
}

static double outcome_extreme(const SceneOutcome *outcome, const Quantity *quantity) {
    const Extreme *extreme = outcome_watched(outcome, quantity);
    return extreme != NULL ? extreme->value : NAN;
}

// To the end: what a failed scene would have done later is not known, so it has none.
static double outcome_mean(const SceneOutcome *outcome, const Quantity *quantity) {
    const Extreme *integral = outcome_watched(outcome, quantity);
    const Progress *progress = outcome->progress;
    if (progress->status != STATUS_OK || integral == NULL || isnan(integral->value)) return NAN;
    const double end_s = progress->step_index * outcome->scene->step_s + progress->offset_s;
    const double duration_s = end_s - integral->time_s;
    return duration_s > 0.0 ? integral->value / duration_s : NAN;
}

// The face whose direction is most upward, that is against gravity; NULL without gravity. Of equals the
// first one.
static const Face *outcome_face(const SceneOutcome *outcome, const Quantity *quantity, double *out_cosine) {
    const Vec3 up = vec3_negate(outcome->scene->gravity_m_per_s2);
    const double length = vec3_length(up);
    const Face *best = NULL;
    *out_cosine = NAN;
    if (!outcome_has_end(outcome, quantity) || !(length > 0.0)) return NULL;
    const Quat turn = quat_multiply(outcome->states[quantity->body].orientation, outcome->bodies[quantity->body].frame);
    for (uint32_t i = 0; i < quantity->face_count; i++) {
        const double *direction = quantity->faces[i].direction;
        const Vec3 normal = quat_rotate(turn, vec3_make(direction[0], direction[1], direction[2]));
        const double cosine = vec3_dot(normal, up) / length;
        if (best != NULL && !(cosine > *out_cosine)) continue;
        best = &quantity->faces[i];
        *out_cosine = cosine;
    }
    return best;
}

static double outcome_face_up(const SceneOutcome *outcome, const Quantity *quantity) {
    double cosine;
    const Face *face = outcome_face(outcome, quantity, &cosine);
    if (quantity->kind == QUANTITY_FACE_UP_COSINE) return cosine;
    return face != NULL ? face->number : NAN;
}

static int event_matches(const SceneOutcome *outcome, const Event *event, const Quantity *quantity) {
    const u32 one = quantity->body, other = quantity->body_other;
    if (event->kind != quantity->event_kind) return 0;
    if (quantity->above_m_per_s > 0 && !(event->speed_m_per_s > quantity->above_m_per_s)) return 0;
    if (quantity->sides != 0)
        return shape_sides_match(outcome->shapes[event->shape_a].flags, outcome->shapes[event->shape_b].flags,
                                 quantity->sides) != 0;
    const int is_pair = (one == NONE || event->body_a == one) && (other == NONE || event->body_b == other);
    const int is_swapped = (one == NONE || event->body_b == one) && (other == NONE || event->body_a == other);
    return is_pair || is_swapped;
}

static double outcome_count(const SceneOutcome *outcome, const Quantity *quantity) {
    uint32_t count = 0;
    for (size_t i = 0; i < outcome->event_count; i++)
        if (event_matches(outcome, &outcome->events[i], quantity)) count++;
    return count;
}

// The n-th event that matches, for n < 0 from the last one back; NULL where there are fewer.
static const Event *outcome_event(const SceneOutcome *outcome, const Quantity *quantity) {
    int64_t left = quantity->n > 0 ? quantity->n : -(int64_t)quantity->n;
    if (left == 0) return NULL;
    for (size_t i = 0; i < outcome->event_count; i++) {
        const size_t place = quantity->n > 0 ? i : outcome->event_count - 1 - i;
        const Event *event = &outcome->events[place];
        if (event_matches(outcome, event, quantity) && --left == 0) return event;
    }
    return NULL;
}

static double event_value(const Event *event, const Quantity *quantity) {
    switch (quantity->kind) {
    case QUANTITY_EVENT_TIME: return event->time_s;
    case QUANTITY_EVENT_SPEED: return event->speed_m_per_s;
    case QUANTITY_EVENT_ENERGY: return event->energy_lost_J;
    case QUANTITY_EVENT_POSITION: return vec3_component(event->position_m, quantity->component);
    default: return vec3_length(event->impulse_N_s);
    }
}

// The last event of a failed scene is not known.
static double outcome_event_value(const SceneOutcome *outcome, const Quantity *quantity) {
    if (quantity->n < 0 && outcome->progress->status != STATUS_OK) return NAN;
    const Event *event = outcome_event(outcome, quantity);
    return event != NULL ? event_value(event, quantity) : NAN;
}

static double outcome_max_impulse(const SceneOutcome *outcome, const Quantity *quantity) {
    double largest = NAN;
    for (size_t i = 0; i < outcome->event_count; i++) {
        if (!event_matches(outcome, &outcome->events[i], quantity)) continue;
        const double impulse = vec3_length(outcome->events[i].impulse_N_s);
        if (!(impulse <= largest)) largest = impulse;
    }
    return largest;
}

static double outcome_sum(const SceneOutcome *outcome, const Quantity *quantity) {
    double sum = 0;
    for (size_t i = 0; i < outcome->event_count; i++) {
        const Event *event = &outcome->events[i];
        if (!event_matches(outcome, event, quantity)) continue;
        sum += quantity->kind == QUANTITY_SUM_ENERGY ? event->energy_lost_J : vec3_length(event->impulse_N_s);
    }
    return sum;
}

// For good: what a failed scene would have done later is not known, so it has none.
static double outcome_rest_time(const SceneOutcome *outcome, const Quantity *quantity) {
    double time_s = NAN;
    if (outcome->progress->status != STATUS_OK) return NAN;
    for (size_t i = 0; i < outcome->event_count; i++) {
        const Event *event = &outcome->events[i];
        if (event->body_a != quantity->body) continue;
        if (event->kind == EVENT_REST) time_s = event->time_s;
        if (event->kind == EVENT_WAKE) time_s = NAN;
    }
    return time_s;
}

static double outcome_value(const SceneOutcome *outcome, const Quantity *quantity) {
    const int is_count = quantity->kind == QUANTITY_COUNT || quantity->kind == QUANTITY_SUM_IMPULSE ||
                         quantity->kind == QUANTITY_SUM_ENERGY; // an absent body has no events: 0
    if (!is_count && quantity->body < outcome->body_count && outcome->bodies[quantity->body].flags & BODY_ABSENT)
        return NAN;
    switch (quantity->kind) {
    case QUANTITY_FINAL: return outcome_final(outcome, quantity);
    case QUANTITY_EXTREME: return outcome_extreme(outcome, quantity);
    case QUANTITY_MEAN: return outcome_mean(outcome, quantity);
    case QUANTITY_COUNT: return outcome_count(outcome, quantity);
    case QUANTITY_EVENT_TIME:
    case QUANTITY_EVENT_SPEED:
    case QUANTITY_EVENT_IMPULSE:
    case QUANTITY_EVENT_ENERGY:
    case QUANTITY_EVENT_POSITION: return outcome_event_value(outcome, quantity);
    case QUANTITY_MAX_IMPULSE: return outcome_max_impulse(outcome, quantity);
    case QUANTITY_SUM_IMPULSE:
    case QUANTITY_SUM_ENERGY: return outcome_sum(outcome, quantity);
    case QUANTITY_REST_TIME: return outcome_rest_time(outcome, quantity);
    case QUANTITY_FACE_UP:
    case QUANTITY_FACE_UP_COSINE: return outcome_face_up(outcome, quantity);
    case QUANTITY_EXPRESSION:
    case QUANTITY_SHARE: // once the others are known
        break;
    }
    return NAN;
}

// Arithmetic on what is known: `known` (parameter_count + quantity_count), the values of quantities at its end.
static void evaluate_expressions(const Study *study, double *known) {
    double *values = known + study->parameter_count;
    for (uint32_t q = 0; q < study->quantity_count; q++) {
        const Quantity *quantity = &study->quantities[q];
        if (quantity->kind != QUANTITY_EXPRESSION && quantity->kind != QUANTITY_SHARE) continue;
        values[q] = expression_value(&quantity->expression, known);
        if (quantity->kind == QUANTITY_SHARE && !isnan(values[q])) values[q] = values[q] != 0;
    }
}

// A scene that was not stepped has no counts either: 0 would be a statement.
static int outcome_exists(const SceneOutcome *outcome) {
    const u32 status = outcome->progress->status;
    return status != STATUS_NOT_RUN && status != STATUS_INTERRUPTED && status != STATUS_NOT_STAGED &&
           status < STATUS_RUNNING;
}

static SceneOutcome outcome_make(const Study *study, const Batch *batch, const BatchResult *result, uint32_t s,
                                 size_t *event) {
    const Scene *scene = &batch->scenes[s];
    const size_t event_first = *event;
    while (*event < result->event_count && result->event_scene[*event] == s) ++*event;
    return (SceneOutcome){
        .scene = scene,
        .progress = &result->progress[s],
        .bodies = batch->bodies + scene->body_first,
        .states = result->states + scene->body_first,
        .shapes = batch->shapes + scene->shape_first,
        .extremes = study->watch_count > 0 ? result->extremes + (size_t)s * study->watch_count : NULL,
        .events = result->event_count > 0 ? result->events + event_first : NULL,
        .event_count = *event - event_first,
        .body_count = scene->body_count,
        .watch_count = study->watch_count,
    };
}

// The first event of a scene or of those after it.
static size_t first_event(const BatchResult *result, uint32_t scene) {
    size_t low = 0, high = result->event_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (result->event_scene[middle] < scene)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ClackStatus quantity_evaluate_some(const Study *study, const Batch *batch, const BatchResult *result,
                                   const QuantityRows *rows, ClackReport *report) {
    assert(study != NULL && batch != NULL && result != NULL);
    assert(result->scene_count == batch->scene_count && rows->last <= batch->scene_count);
    const uint32_t parameter_count = study->parameter_count, count = study->quantity_count;
    double *known = calloc((size_t)parameter_count + count + 1, sizeof *known);
    size_t event = first_event(result, rows->first);
    if (known == NULL) return report_add(report, CLACK_MEMORY, "no memory for quantities");
    for (uint32_t s = rows->first; s < rows->last; s++) {
        const SceneOutcome outcome = outcome_make(study, batch, result, s, &event);
        const int exists = outcome_exists(&outcome);
        double *values = known + parameter_count;
        for (uint32_t q = 0; q < count; q++) values[q] = exists ? outcome_value(&outcome, &study->quantities[q]) : NAN;
        for (uint32_t p = 0; p < parameter_count; p++) known[p] = rows->parameters[(size_t)s * parameter_count + p];
        if (exists) evaluate_expressions(study, known);
        for (uint32_t q = 0; q < count; q++) rows->values[(size_t)s * count + q] = values[q];
    }
    free(known);
    return CLACK_OK;
}

ClackStatus quantity_evaluate(const Study *study, const Batch *batch, const BatchResult *result,
                              const double *parameters, double *out_values, ClackReport *report) {
    const QuantityRows rows = {0, batch->scene_count, parameters, out_values};
    return quantity_evaluate_some(study, batch, result, &rows, report);
}
