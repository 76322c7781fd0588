// Quantities of interest of one scene, from its final state, located extremes and events.
#include "quantity.h"

#include <assert.h>
#include <math.h>

#include "vec3.h"

UserState quantity_user_state(const Body *body, const BodyState *state) {
    assert(body != NULL && state != NULL);
    const Vec3 spin = quat_rotate(state->orientation, state->spin_rad_per_s);
    const Vec3 arm = quat_rotate(state->orientation, body->origin_m);
    const Vec3 position = vec3_add(state->position_m, arm);
    const Vec3 velocity = vec3_add(state->velocity_m_per_s, vec3_cross(spin, arm));
    const Quat orientation = quat_multiply(state->orientation, body->frame);
    return (UserState){
        .position_m = {position.x, position.y, position.z},
        .orientation = {orientation.w, orientation.x, orientation.y, orientation.z},
        .velocity_m_per_s = {velocity.x, velocity.y, velocity.z},
        .angular_velocity_rad_per_s = {spin.x, spin.y, spin.z},
    };
}

// What belongs to one scene of the batch.
typedef struct SceneOutcome {
    const Progress *progress;
    const Body *bodies;      // (body_count)
    const BodyState *states; // (body_count)
    const Extreme *extremes; // (watch_count)
    const Event *events;     // (event_count), by time
    size_t event_count;
    uint32_t body_count;
    uint32_t watch_count;
} SceneOutcome;

static double outcome_final(const SceneOutcome *outcome, const Quantity *quantity) {
    if (outcome->progress->status != STATUS_OK || quantity->body >= outcome->body_count) return NAN;
    const BodyState *state = &outcome->states[quantity->body];
    const UserState user = quantity_user_state(&outcome->bodies[quantity->body], state);
    const uint32_t observable = quantity->observable;
    if (observable < WATCH_VELOCITY) return user.position_m[observable - WATCH_POSITION];
    if (observable < WATCH_ANGULAR_VELOCITY)
        return user.velocity_m_per_s[observable - WATCH_VELOCITY];
    if (observable < WATCH_COM_POSITION)
        return user.angular_velocity_rad_per_s[observable - WATCH_ANGULAR_VELOCITY];
    switch (observable - WATCH_COM_POSITION) {
    case 0:
        return state->position_m.x;
    case 1:
        return state->position_m.y;
    case 2:
        return state->position_m.z;
    default:
        return NAN; // penetration belongs to contacts; a state has none
    }
}

static double outcome_extreme(const SceneOutcome *outcome, const Quantity *quantity) {
    if (quantity->watch >= outcome->watch_count) return NAN;
    const Extreme *extreme = &outcome->extremes[quantity->watch];
    return extreme->seen ? extreme->value : NAN;
}

static int event_matches(const Event *event, const Quantity *quantity) {
    const u32 one = quantity->body, other = quantity->body_other;
    if (event->kind != quantity->event_kind) return 0;
    const int is_pair =
        (one == NONE || event->body_a == one) && (other == NONE || event->body_b == other);
    const int is_swapped =
        (one == NONE || event->body_b == one) && (other == NONE || event->body_a == other);
    return is_pair || is_swapped;
}

static double outcome_count(const SceneOutcome *outcome, const Quantity *quantity) {
    uint32_t count = 0;
    for (size_t i = 0; i < outcome->event_count; i++)
        if (event_matches(&outcome->events[i], quantity)) count++;
    return count;
}

// The n-th event that matches; NULL where there are fewer.
static const Event *outcome_event(const SceneOutcome *outcome, const Quantity *quantity) {
    uint32_t count = 0;
    for (size_t i = 0; i < outcome->event_count; i++)
        if (event_matches(&outcome->events[i], quantity) && ++count == quantity->n)
            return &outcome->events[i];
    return NULL;
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
    const Event *event = NULL;
    const int is_count = quantity->kind == QUANTITY_COUNT; // an absent body has no events: 0
    if (!is_count && quantity->body < outcome->body_count &&
        outcome->bodies[quantity->body].flags & BODY_ABSENT)
        return NAN;
    switch (quantity->kind) {
    case QUANTITY_FINAL:
        return outcome_final(outcome, quantity);
    case QUANTITY_EXTREME:
        return outcome_extreme(outcome, quantity);
    case QUANTITY_COUNT:
        return outcome_count(outcome, quantity);
    case QUANTITY_EVENT_TIME:
        event = outcome_event(outcome, quantity);
        return event != NULL ? event->time_s : NAN;
    case QUANTITY_EVENT_SPEED:
        event = outcome_event(outcome, quantity);
        return event != NULL ? event->speed_m_per_s : NAN;
    case QUANTITY_REST_TIME:
        return outcome_rest_time(outcome, quantity);
    }
    return NAN;
}

// A scene that nobody ran has no counts either: 0 would be a statement.
static int outcome_exists(const SceneOutcome *outcome) {
    const u32 status = outcome->progress->status;
    return status != STATUS_NOT_RUN && status != STATUS_INTERRUPTED && status < STATUS_RUNNING;
}

void quantity_evaluate(const Study *study, const Batch *batch, const BatchResult *result,
                       double *out_values) {
    assert(study != NULL && batch != NULL && result != NULL);
    assert(result->scene_count == batch->scene_count);
    size_t event = 0;
    for (uint32_t s = 0; s < batch->scene_count; s++) {
        const Scene *scene = &batch->scenes[s];
        const size_t event_first = event;
        while (event < result->event_count && result->event_scene[event] == s) event++;
        const SceneOutcome outcome = {
            .progress = &result->progress[s],
            .bodies = batch->bodies + scene->body_first,
            .states = result->states + scene->body_first,
            .extremes =
                study->watch_count > 0 ? result->extremes + (size_t)s * study->watch_count : NULL,
            .events = result->event_count > 0 ? result->events + event_first : NULL,
            .event_count = event - event_first,
            .body_count = scene->body_count,
            .watch_count = study->watch_count,
        };
        double *values = out_values + (size_t)s * study->quantity_count;
        for (uint32_t q = 0; q < study->quantity_count; q++)
            values[q] =
                outcome_exists(&outcome) ? outcome_value(&outcome, &study->quantities[q]) : NAN;
    }
    assert(event == result->event_count);
}
