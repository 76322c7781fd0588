// Tables of an ensemble as CSV.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "record.h"
#include "text.h"

#define BLOCK_ROWS 4096u
#define COMPONENTS_MAX 4

const char *const export_tables[EXPORT_TABLES + 1] = {"scenes", "events", "contacts", "joints", "trajectory", NULL};
enum { TABLE_SCENES, TABLE_EVENTS, TABLE_CONTACTS, TABLE_JOINTS, TABLE_TRAJECTORY };

// How a column's numbers are written.
typedef enum Writing { AS_NUMBER, AS_STATUS, AS_EVENT, AS_BODY, AS_MEANING } Writing;

typedef struct Column {
    char *path, *name; // owned
    char *meanings;    // of AS_MEANING: words, from 0 on; owned
    uint64_t components;
    Writing writing;
    double *values; // (BLOCK_ROWS, components)
} Column;

typedef struct Table {
    const Ensemble *ensemble;
    Column *columns;
    size_t count;
    uint64_t rows;
    int64_t scene; // alone; < 0: all
} Table;

int export_has_table(const Ensemble *ensemble, uint32_t table) {
    static const char *const paths[] = {"status", "events/time", "contacts/time", "joints/time", "trajectory/position"};
    return record_read_has(ensemble->reader, paths[table]);
}

// --- fields ---------------------------------------------------------------------------------------

void export_csv_field(FILE *out, const char *text) {
    const int is_quoted = strpbrk(text, ",\"") != NULL;
    if (is_quoted) fputc('"', out);
    for (const char *at = text; *at != '\0';) {
        char step[TEXT_SHOWN_MAX];
        size_t bytes;
        if (*at == '"') fputc('"', out);
        at += text_step(at, step, &bytes);
        fwrite(step, 1, bytes, out);
    }
    if (is_quoted) fputc('"', out);
}

static void put_number(FILE *out, double value) {
    if (!isnan(value)) fprintf(out, "%.17g", value);
}

// The word of a code, of those that an attribute `flag_meanings` lists; the code where there is none.
static void put_meaning(FILE *out, const char *meanings, double value) {
    const char *word = meanings != NULL && meanings[0] != '\0' ? meanings : NULL;
    for (double i = 0; word != NULL && i < value; i++) {
        word = strchr(word, ' ');
        if (word != NULL) word++;
    }
    if (word == NULL)
        put_number(out, value);
    else
        fprintf(out, "%.*s", (int)strcspn(word, " "), word);
}

static void put_value(FILE *out, const Ensemble *ensemble, Writing writing, double value) {
    const int is_code = value >= 0 && value < 4294967296.0;
    if (writing == AS_STATUS && is_code)
        export_csv_field(out, record_status_name((uint32_t)value));
    else if (writing == AS_EVENT && is_code)
        export_csv_field(out, record_event_name((uint32_t)value));
    else if (writing == AS_BODY && is_code && value < (double)ensemble->bodies.count)
        export_csv_field(out, ensemble->bodies.items[(size_t)value]);
    else
        put_number(out, value);
}

static void put_names(FILE *out, const char *name, uint64_t components, int is_first) {
    const char *const letters = components == 4 ? "wxyz" : "xyz";
    for (uint64_t k = 0; k < components; k++) {
        char whole[512];
        if (components == 1)
            snprintf(whole, sizeof whole, "%s", name);
        else
            snprintf(whole, sizeof whole, "%s_%c", name, letters[k]);
        if (!is_first || k > 0) fputc(',', out);
        export_csv_field(out, whole);
    }
}

// --- tables of columns ------------------------------------------------------------------------------

static void table_free(Table *table) {
    for (size_t i = 0; i < table->count; i++) {
        free(table->columns[i].path);
        free(table->columns[i].name);
        free(table->columns[i].meanings);
        free(table->columns[i].values);
    }
    free(table->columns);
}

static char *copy_text(const char *first, const char *second) {
    const size_t bytes = strlen(first) + strlen(second) + 1;
    char *text = malloc(bytes);
    if (text != NULL) snprintf(text, bytes, "%s%s", first, second);
    return text;
}

static ClackStatus table_add(Table *table, const char *group, const char *name, const char *heading, Writing writing,
                             ClackReport *report) {
    RecordAxes axes = {0};
    Column *grown = realloc(table->columns, (table->count + 1) * sizeof *grown);
    if (grown == NULL) return report_add(report, CLACK_MEMORY, "no memory for a table");
    table->columns = grown;
    Column *column = &grown[table->count++];
    *column = (Column){.path = copy_text(group, name), .name = copy_text(heading, ""), .writing = writing};
    if (column->path == NULL || column->name == NULL) return report_add(report, CLACK_MEMORY, "no memory for a table");
    TRY(record_read_axes(table->ensemble->reader, column->path, &axes, report));
    column->components = axes.rank == 2 ? axes.dims[1] : 1;
    if (writing == AS_MEANING)
        column->meanings = record_read_attribute(table->ensemble->reader, column->path, "flag_meanings");
    if (table->count == 1) table->rows = axes.dims[0];
    if (axes.rank < 1 || axes.rank > 2 || axes.dims[0] != table->rows || column->components > COMPONENTS_MAX)
        return report_add(report, CLACK_CORRUPT, "%s: %s: a column of another shape than its table",
                          record_read_path(table->ensemble->reader), column->path);
    column->values = malloc(BLOCK_ROWS * column->components * sizeof(double));
    return column->values != NULL ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for a table");
}

static int is_taken(const Table *table, const char *name) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->columns[i].name, name) == 0) return 1;
    return 0;
}

// Status first, parameters, quantities, then what else the file tells of a scene.
static ClackStatus table_of_scenes(Table *table, ClackReport *report) {
    static const EnsembleRole order[] = {ENSEMBLE_PARAMETER, ENSEMBLE_QUANTITY, ENSEMBLE_FIELD};
    const Ensemble *ensemble = table->ensemble;
    TRY(table_add(table, "", "scene", "scene", AS_NUMBER, report));
    TRY(table_add(table, "", "status", "status", AS_STATUS, report));
    for (size_t r = 0; r < sizeof order / sizeof *order; r++) {
        for (size_t i = 0; i < ensemble->column_count; i++) {
            const EnsembleColumn *column = &ensemble->columns[i];
            if (column->role != order[r] || strcmp(column->path, "status") == 0) continue;
            const char *heading = is_taken(table, column->name) ? column->path : column->name;
            TRY(table_add(table, "", column->path, heading, AS_NUMBER, report));
        }
    }
    return CLACK_OK;
}

static ClackStatus table_of_rows(Table *table, const char *group, const char *axis, ClackReport *report) {
    RecordTexts names = {0};
    ClackStatus status = record_read_names(table->ensemble->reader, group, &names, report);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s/", group);
    for (size_t i = 0; status == CLACK_OK && i < names.count; i++) {
        const char *name = names.items[i];
        const int is_axis = strcmp(name, axis) == 0 || strcmp(name, "xyz") == 0;
        const int is_body = strcmp(name, "body_a") == 0 || strcmp(name, "body_b") == 0;
        const Writing writing = is_body                      ? AS_BODY
                                : strcmp(name, "kind") == 0  ? AS_EVENT
                                : strcmp(name, "joint") == 0 ? AS_MEANING
                                                             : AS_NUMBER;
        const char *heading = strcmp(name, "scene_number") == 0 ? "scene" : name;
        if (!is_axis) status = table_add(table, prefix, name, heading, writing, report);
    }
    record_texts_free(&names);
    return status;
}

static ClackStatus read_rows(const Table *table, uint64_t first, uint64_t count, ClackReport *report) {
    for (size_t i = 0; i < table->count; i++) {
        const Column *column = &table->columns[i];
        const uint64_t start[] = {first, 0}, counts[] = {count, column->components};
        TRY(record_read_block(table->ensemble->reader, column->path, start, counts, column->values, report));
    }
    return CLACK_OK;
}

static void put_row(const Table *table, uint64_t row, FILE *out) {
    for (size_t i = 0; i < table->count; i++) {
        const Column *column = &table->columns[i];
        for (uint64_t k = 0; k < column->components; k++) {
            if (i > 0 || k > 0) fputc(',', out);
            const double value = column->values[row * column->components + k];
            if (column->writing == AS_MEANING)
                put_meaning(out, column->meanings, value);
            else
                put_value(out, table->ensemble, column->writing, value);
        }
    }
    fputs("\n", out);
}

static ClackStatus put_table(const Table *table, FILE *out, ClackReport *report) {
    const Column *scenes = NULL;
    for (size_t i = 0; i < table->count; i++) {
        put_names(out, table->columns[i].name, table->columns[i].components, i == 0);
        if (strcmp(table->columns[i].name, "scene") == 0) scenes = &table->columns[i];
    }
    fputs("\n", out);
    for (uint64_t first = 0; first < table->rows && !ferror(out); first += BLOCK_ROWS) {
        const uint64_t left = table->rows - first, count = left < BLOCK_ROWS ? left : BLOCK_ROWS;
        TRY(read_rows(table, first, count, report));
        for (uint64_t row = 0; row < count; row++) {
            if (table->scene >= 0 && scenes != NULL && scenes->values[row] != (double)table->scene) continue;
            put_row(table, row, out);
        }
    }
    return CLACK_OK;
}

// --- trajectories -----------------------------------------------------------------------------------

static void put_frames(const Ensemble *ensemble, const EnsembleFrames *frames, FILE *out) {
    for (uint64_t frame = 0; frame < frames->frame_count; frame++) {
        for (size_t body = 0; body < frames->body_count; body++) {
            const size_t row = (size_t)frame * frames->body_count + body;
            const double *values[] = {frames->position_m + 3 * row, frames->orientation + 4 * row,
                                      frames->velocity_m_per_s + 3 * row, frames->spin_rad_per_s + 3 * row};
            if (isnan(values[0][0])) continue; // not in this scene
            fprintf(out, "%" PRIu64 ",%.17g,", frames->scene, frames->time_s[frame]);
            export_csv_field(out, ensemble->bodies.items[body]);
            for (int v = 0; v < 4; v++) {
                for (int k = 0; k < (v == 1 ? 4 : 3); k++) {
                    fputc(',', out);
                    put_number(out, values[v][k]);
                }
            }
            fputs("\n", out);
        }
    }
}

static ClackStatus put_trajectories(const Ensemble *ensemble, int64_t scene, FILE *out, ClackReport *report) {
    RecordAxes axes;
    double *scenes = NULL;
    fputs("scene,time,body", out);
    put_names(out, "position", 3, 0);
    put_names(out, "orientation", 4, 0);
    put_names(out, "velocity", 3, 0);
    put_names(out, "angular_velocity", 3, 0);
    fputs("\n", out);
    TRY(record_read_all(ensemble->reader, record_read_scenes(ensemble->reader, RECORD_READ_TRAJECTORY), &axes, &scenes,
                        report));
    ClackStatus status = CLACK_OK;
    for (uint64_t i = 0; status == CLACK_OK && i < axes.dims[0]; i++) {
        EnsembleFrames frames;
        if (scene >= 0 && scenes[i] != (double)scene) continue;
        status = ensemble_frames_if_any(ensemble, (int64_t)scenes[i], &frames, report);
        if (status != CLACK_OK) continue;
        put_frames(ensemble, &frames, out);
        ensemble_frames_free(&frames);
    }
    free(scenes);
    return status;
}

ClackStatus export_csv(const Ensemble *ensemble, uint32_t which, int64_t scene, FILE *out, ClackReport *report) {
    static const char *const axes[EXPORT_TABLES] = {
        [TABLE_EVENTS] = "event", [TABLE_CONTACTS] = "contact", [TABLE_JOINTS] = "joint_row"};
    Table table = {.ensemble = ensemble, .scene = scene};
    ClackStatus status = CLACK_OK;
    const char *path = record_read_path(ensemble->reader);
    const double last = ensemble->first_scene + (double)ensemble->scene_count - 1;
    if (!export_has_table(ensemble, which))
        return report_add(report, CLACK_USAGE, "%s: has no table \"%s\": the study does not record it", path,
                          export_tables[which]);
    if (scene >= 0 && !((double)scene >= ensemble->first_scene && (double)scene <= last))
        return report_add(report, CLACK_USAGE, "%s: has no scene %" PRId64 ", but %.0f to %.0f", path, scene,
                          ensemble->first_scene, last);
    if (which == TABLE_TRAJECTORY) return put_trajectories(ensemble, scene, out, report);
    if (which == TABLE_SCENES)
        status = table_of_scenes(&table, report);
    else
        status = table_of_rows(&table, export_tables[which], axes[which], report);
    if (status == CLACK_OK) status = put_table(&table, out, report);
    table_free(&table);
    return status;
}
