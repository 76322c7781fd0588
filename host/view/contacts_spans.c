// Contacts of a scene from begin to end, as its events tell them.
#include <math.h>
#include <stdlib.h>

#include "contacts.h"
#include "model/scene_types.h"

typedef enum SpanValue {
    SPAN_TIME,
    SPAN_KIND,
    SPAN_A,
    SPAN_B,
    SPAN_SHAPE_A,
    SPAN_SHAPE_B,
    SPAN_FEATURE,
    SPAN_IMPULSE,
    SPAN_NORMAL,
    SPAN_VALUES
} SpanValue;

typedef struct EventColumns {    // of one scene
    double *values[SPAN_VALUES]; // (count), of the last two (count, 3)
    size_t count;
} EventColumns;

static void free_columns(EventColumns *events) {
    for (int v = 0; v < SPAN_VALUES; v++) free(events->values[v]);
}

// Rows of a scene stand side by side.
static ClackStatus find_rows(const Ensemble *ensemble, uint64_t scene, uint64_t *out_first, size_t *out_count,
                             ClackReport *report) {
    double *scenes = NULL;
    RecordAxes axes;
    TRY(record_read_all(ensemble->reader, record_read_scenes(ensemble->reader, RECORD_READ_EVENTS), &axes, &scenes,
                        report));
    const size_t all = axes.rank == 1 ? (size_t)axes.dims[0] : 0;
    size_t first = 0, end;
    while (first < all && scenes[first] != (double)scene) first++;
    for (end = first; end < all && scenes[end] == (double)scene;) end++;
    free(scenes);
    *out_first = first;
    *out_count = end - first;
    return CLACK_OK;
}

static ClackStatus read_columns(const Ensemble *ensemble, uint64_t scene, EventColumns *events, ClackReport *report) {
    static const char *const paths[SPAN_VALUES] = {"events/time",    "events/kind",    "events/body_a",
                                                   "events/body_b",  "events/shape_a", "events/shape_b",
                                                   "events/feature", "events/impulse", "events/normal"};
    uint64_t start[2] = {0, 0};
    TRY(find_rows(ensemble, scene, &start[0], &events->count, report));
    for (int v = 0; v < SPAN_VALUES && events->count > 0; v++) {
        const uint64_t count[2] = {events->count, v >= SPAN_IMPULSE ? 3 : 1};
        events->values[v] = calloc(events->count * (size_t)count[1], sizeof(double));
        if (events->values[v] == NULL) return report_add(report, CLACK_MEMORY, "no memory for contacts");
        TRY(record_read_block(ensemble->reader, paths[v], start, count, events->values[v], report));
    }
    return CLACK_OK;
}

// The row in which the contact that ends in another began; that one where there is none.
static size_t find_begin(const EventColumns *events, size_t end) {
    for (size_t row = end; row-- > 0;) {
        int is_same = events->values[SPAN_KIND][row] == EVENT_BEGIN;
        for (int v = SPAN_A; v <= SPAN_FEATURE && is_same; v++)
            is_same = events->values[v][row] == events->values[v][end];
        if (is_same) return row;
    }
    return end;
}

ClackStatus contacts_spans(const Ensemble *ensemble, uint64_t scene, ContactSpan **out_spans, size_t *out_count,
                           ClackReport *report) {
    EventColumns events = {0};
    ClackStatus status = CLACK_OK;
    *out_spans = NULL;
    *out_count = 0;
    if (!record_read_has(ensemble->reader, "events/impulse")) return CLACK_OK;
    TRY_CLEAN(read_columns(ensemble, scene, &events, report));
    *out_spans = calloc(events.count + 1, sizeof **out_spans);
    if (*out_spans == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "no memory for contacts"));
    for (size_t row = 0; row < events.count; row++) {
        const size_t begin = events.values[SPAN_KIND][row] == EVENT_END ? find_begin(&events, row) : row;
        const double since_s = events.values[SPAN_TIME][row] - events.values[SPAN_TIME][begin];
        double along_N_s = 0;
        if (!(since_s > 0)) continue;
        for (size_t k = 0; k < 3; k++)
            along_N_s += events.values[SPAN_IMPULSE][3 * row + k] * events.values[SPAN_NORMAL][3 * row + k];
        (*out_spans)[(*out_count)++] = (ContactSpan){.body_a = events.values[SPAN_A][row],
                                                     .body_b = events.values[SPAN_B][row],
                                                     .begin_s = events.values[SPAN_TIME][begin],
                                                     .end_s = events.values[SPAN_TIME][row],
                                                     .mean_N = fabs(along_N_s) / since_s};
    }
cleanup:
    free_columns(&events);
    return status;
}
