// The summary of an ensemble file as text: `clack info`.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"
#include "text.h"

#define FLAGS_BYTES 2048

// --- the text -------------------------------------------------------------------------------------

typedef struct Text {
    char *bytes; // owned
    size_t length, room;
    bool ran_out; // of memory
} Text;

__attribute__((format(printf, 2, 3))) static void describe_add(Text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    const size_t needed = text->length + (length > 0 ? (size_t)length : 0) + 1;
    if (needed > text->room && !text->ran_out) {
        char *bytes = realloc(text->bytes, needed * 2);
        text->ran_out = bytes == NULL;
        if (bytes != NULL) {
            text->bytes = bytes;
            text->room = needed * 2;
        }
    }
    if (text->ran_out || length < 0) return;
    va_start(list, format);
    vsnprintf(text->bytes + text->length, text->room - text->length, format, list);
    va_end(list);
    text->length += (size_t)length;
}

// A text that the file brings, as it is shown, with blanks up to `width` bytes.
static void describe_text(Text *text, const char *brought, int width) {
    char *shown = text_shown(brought, "");
    text->ran_out |= shown == NULL;
    if (shown != NULL) describe_add(text, "%-*s", width, shown);
    free(shown);
}

// --- parts that others show as well -----------------------------------------------------------------

const char *record_unit_shown(const char *unit) { return strcmp(unit, "1") == 0 ? "" : unit; }

// " (scenes 7, 9)" of those that have the flag.
static void print_flagged(const RecordSummary *summary, uint32_t bit, char *text, size_t text_bytes) {
    const uint64_t count = summary->by_flag[bit];
    for (uint64_t i = 0; i < count && i < RECORD_FLAGGED_SHOWN; i++) {
        const size_t used = strlen(text);
        const char *before = i > 0 ? ", " : count > 1 ? " (scenes " : " (scene ";
        snprintf(text + used, text_bytes - used, "%s%.0f", before,
                 summary->scene_first + (double)summary->flagged_rows[bit][i]);
    }
    const size_t used = strlen(text);
    snprintf(text + used, text_bytes - used, count > RECORD_FLAGGED_SHOWN ? ", ...)" : ")");
}

void record_print_flags(const RecordSummary *summary, char *text, size_t text_bytes) {
    text[0] = '\0';
    for (uint32_t bit = 0; bit < 32; bit++) {
        char scenes[RECORD_FLAGGED_SHOWN * 24] = "";
        const size_t used = strlen(text);
        if (summary->by_flag[bit] == 0) continue;
        if (1u << bit != FLAG_FROZEN) print_flagged(summary, bit, scenes, sizeof scenes);
        snprintf(text + used, text_bytes - used, "%s%s %" PRIu64 "%s", used > 0 ? ", " : "",
                 record_flag_name(1u << bit), summary->by_flag[bit], scenes);
    }
    if (text[0] == '\0') snprintf(text, text_bytes, "none");
}

// --- lines ----------------------------------------------------------------------------------------

// What is not as it should be, a line each.
static void describe_sentences(Text *text, const RecordSummary *summary) {
    for (uint32_t value = STATUS_OK + 1; value < 256; value++)
        if (summary->by_status[value] > 0)
            describe_add(text, "  %s: %s\n", record_status_name(value), record_status_sentence(value));
    for (uint32_t bit = 0; bit < 32; bit++)
        if (summary->by_flag[bit] > 0 && 1u << bit != FLAG_FROZEN)
            describe_add(text, "  %s: %s\n", record_flag_name(1u << bit), record_flag_sentence(1u << bit));
}

// Where some scenes have come to rest, those in which nothing has may not be at their end.
static void describe_moving(Text *text, const RecordSummary *summary) {
    const uint64_t ok = summary->by_status[STATUS_OK];
    uint64_t frozen = 0;
    for (uint32_t bit = 0; bit < 32; bit++) frozen += 1u << bit == FLAG_FROZEN ? summary->by_flag[bit] : 0;
    if (summary->tells_end && frozen > 0 && frozen < ok)
        describe_add(text, "moving:     nothing has come to rest at the end of %" PRIu64 " %s\n", ok - frozen,
                     text_plural(ok - frozen, "scene", "scenes"));
}

static void describe_head(Text *text, const RecordSummary *summary) {
    describe_add(text, "title:      ");
    describe_text(text, summary->title, 0);
    describe_add(text, "\nwritten by: ");
    describe_text(text, summary->source, 0);
    describe_add(text, ", format %" PRIu64 "\n", summary->format);
    describe_add(text, "scenes:     %" PRIu64 " (numbers %.0f to %.0f), %s\n", summary->scene_count,
                 summary->scene_first, summary->scene_last, summary->is_complete ? "complete" : "not complete");
    describe_add(text, "status:    ");
    for (uint32_t value = 0; value < 256; value++)
        if (summary->by_status[value] > 0)
            describe_add(text, " %s %" PRIu64, record_status_name(value), summary->by_status[value]);
    char flags[FLAGS_BYTES];
    record_print_flags(summary, flags, sizeof flags);
    describe_add(text, "\nflags:      %s\n", flags);
    describe_sentences(text, summary);
    describe_moving(text, summary);
}

static void describe_provenance(Text *text, const RecordSummary *summary) {
    for (size_t i = 0; i < RECORD_FACTS; i++) {
        const RecordFact *fact = &summary->facts[i];
        if (fact->value[0] == '\0') continue;
        const size_t length = strlen(fact->name);
        describe_add(text, "%s:%*s", fact->name, length < 11 ? (int)(11 - length) : 1, "");
        describe_text(text, fact->value, 0);
        describe_add(text, "\n");
    }
    if (summary->has_seed) describe_add(text, "seed:       %" PRIu64 "\n", summary->seed);
}

static void describe_name(Text *text, const RecordVector *vector) {
    describe_add(text, "  ");
    describe_text(text, vector->name, 32);
    describe_add(text, " ");
    describe_text(text, record_unit_shown(vector->unit), 6);
}

static void describe_parameter(Text *text, const RecordVector *vector) {
    describe_name(text, vector);
    if (vector->count > 0)
        describe_add(text, " %.6g to %.6g", vector->lowest, vector->highest);
    else
        describe_add(text, " no values");
    describe_add(text, "  ");
    describe_text(text, vector->distribution, 0);
    describe_add(text, "\n");
}

static bool is_zero_force(const RecordVector *vector) {
    return vector->is_force_by && vector->lowest == 0 && vector->highest == 0;
}

static void describe_quantity(Text *text, const RecordVector *vector) {
    describe_name(text, vector);
    if (vector->count > 0)
        describe_add(text, " min %.6g, mean %.6g, max %.6g, of %" PRIu64 " %s%s\n", vector->lowest, vector->mean,
                     vector->highest, vector->count, text_plural(vector->count, "scene", "scenes"),
                     is_zero_force(vector) ? ": 0 in each; a net_force `between` two is that on the second by the first"
                                           : "");
    else
        describe_add(text, " no values\n");
}

static void describe_dataset(Text *text, const RecordDataset *dataset) {
    describe_add(text, "  ");
    describe_text(text, dataset->path, 32);
    describe_add(text, " [");
    for (uint32_t i = 0; i < dataset->rank; i++) describe_add(text, "%s%" PRIu64, i > 0 ? ", " : "", dataset->dims[i]);
    describe_add(text, "]\n");
}

ClackStatus record_describe(const char *path, char **out_text, ClackReport *report) {
    RecordSummary summary;
    Text text = {0};
    *out_text = NULL;
    TRY(record_summary(path, &summary, report));
    describe_head(&text, &summary);
    describe_provenance(&text, &summary);
    describe_add(&text, "parameters:\n");
    for (size_t i = 0; i < summary.parameter_count; i++) describe_parameter(&text, &summary.parameters[i]);
    describe_add(&text, "quantities:\n");
    for (size_t i = 0; i < summary.quantity_count; i++) describe_quantity(&text, &summary.quantities[i]);
    describe_add(&text, "datasets:\n");
    for (size_t i = 0; i < summary.dataset_count; i++) describe_dataset(&text, &summary.datasets[i]);
    record_summary_free(&summary);
    if (text.ran_out) {
        free(text.bytes);
        return report_add(report, CLACK_MEMORY, "%s: no memory for its summary", path);
    }
    *out_text = text.bytes;
    return CLACK_OK;
}
