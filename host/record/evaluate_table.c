// States of configurations from CSV: a line of names, a line for each body of a configuration.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate_input.h"
#include "number.h"
#include "text.h"
#include "word.h"

#define DEFECTS_MOST 20
#define CELLS_MOST 128

// Numbers of a line that are read: 13 of a state, in the order of UserState, then what tells configurations apart.
enum { TABLE_STATE = 13, TABLE_CONFIGURATION = TABLE_STATE, TABLE_TIME, TABLE_SCENE, TABLE_NUMBERS };
static const char *const number_names[TABLE_NUMBERS] = {
    "position_x",         "position_y",    "position_z", "orientation_w", "orientation_x",      "orientation_y",
    "orientation_z",      "velocity_x",    "velocity_y", "velocity_z",    "angular_velocity_x", "angular_velocity_y",
    "angular_velocity_z", "configuration", "time",       "scene"};
// Parts of a state that are there as a whole or not at all.
static const struct {
    int first, end, is_required;
    const char *name;
} parts[] = {{0, 3, 1, "position"}, {3, 7, 0, "orientation"}, {7, 10, 0, "velocity"}, {10, 13, 0, "angular_velocity"}};

typedef struct Reader {
    const char *path;
    const Study *study;
    EvaluateTable *table;
    ClackReport *report;
    size_t room, defects, line; // line: number of the one that is read
    int columns[TABLE_NUMBERS]; // -1: not there
    int body_column, column_count;
    double last[3]; // configuration, time and scene of the line before
} Reader;

static ClackStatus table_defect(Reader *reader, const char *what, const char *expected, const char *found) {
    if (reader->defects++ >= DEFECTS_MOST) return CLACK_CORRUPT;
    return report_add(reader->report, CLACK_CORRUPT, "%s:%zu: %.60s: expected %s, found \"%.*s\"", reader->path,
                      reader->line, what, expected, TEXT_CUT(found, 60));
}

// Cells of a line, cut in place; quotes around one are taken off. CELLS_MOST + 1: there are more.
static int table_split(char *line, char *cells[CELLS_MOST]) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at != NULL; count++) {
        char *comma = strchr(at, ',');
        if (count == CELLS_MOST) return CELLS_MOST + 1;
        if (comma != NULL) *comma = '\0';
        at += strspn(at, " \t");
        size_t bytes = strlen(at);
        while (bytes > 0 && (at[bytes - 1] == ' ' || at[bytes - 1] == '\t')) at[--bytes] = '\0';
        if (bytes >= 2 && at[0] == '"' && at[bytes - 1] == '"') {
            at[bytes - 1] = '\0';
            at++;
        }
        cells[count] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

static int find_cell(char *const *cells, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(cells[i], name) == 0) return i;
    return -1;
}

static ClackStatus table_read_names(Reader *reader, char *line) {
    char *cells[CELLS_MOST];
    if (strncmp(line, "\xef\xbb\xbf", 3) == 0) line += 3; // byte order mark
    reader->column_count = table_split(line, cells);
    if (reader->column_count > CELLS_MOST) return table_defect(reader, "names", "at most 128 columns", "more");
    for (int i = 0; i < TABLE_NUMBERS; i++)
        reader->columns[i] = find_cell(cells, reader->column_count, number_names[i]);
    if (reader->columns[TABLE_SCENE] < 0)
        reader->columns[TABLE_SCENE] = find_cell(cells, reader->column_count, "scene_number");
    reader->body_column = find_cell(cells, reader->column_count, "body");
    if (reader->body_column < 0) return table_defect(reader, "body", "a column of this name", "none");
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        int known = 0;
        for (int i = parts[p].first; i < parts[p].end; i++) known += reader->columns[i] >= 0;
        if (known == parts[p].end - parts[p].first || (known == 0 && !parts[p].is_required)) continue;
        return table_defect(reader, parts[p].name,
                            parts[p].end - parts[p].first == 4 ? "columns _w, _x, _y and _z" : "columns _x, _y and _z",
                            known == 0 ? "none" : "some of them");
    }
    reader->table->has_scenes = reader->columns[TABLE_SCENE] >= 0;
    return CLACK_OK;
}

static ClackStatus table_find_body(Reader *reader, const char *name, uint32_t *out_body) {
    const SceneDescription *scene = &reader->study->scene;
    const char **known = calloc((size_t)scene->body_count + 1, sizeof *known);
    char expected[160] = "the name of a body of the study";
    for (*out_body = 0; *out_body < scene->body_count; ++*out_body) {
        if (strcmp(scene->bodies[*out_body].name, name) == 0) break;
        if (known != NULL) known[*out_body] = scene->bodies[*out_body].name;
    }
    const char *nearest = *out_body == scene->body_count && known != NULL ? word_nearest(name, known) : NULL;
    if (nearest != NULL) snprintf(expected, sizeof expected, "the name of a body of the study (\"%.60s\"?)", nearest);
    free(known);
    return *out_body < scene->body_count ? CLACK_OK : table_defect(reader, "body", expected, name);
}

static ClackStatus table_grow(Reader *reader) {
    EvaluateTable *table = reader->table;
    const size_t bodies = reader->study->scene.body_count;
    if (table->count < reader->room) return CLACK_OK;
    const size_t room = 2 * reader->room + 64;
    UserState *states = realloc(table->states, room * bodies * sizeof *states);
    if (states != NULL) table->states = states;
    unsigned char *is_given = realloc(table->is_given, room * bodies);
    if (is_given != NULL) table->is_given = is_given;
    uint64_t *scenes = realloc(table->scenes, room * sizeof *scenes);
    if (scenes != NULL) table->scenes = scenes;
    if (states == NULL || is_given == NULL || scenes == NULL)
        return report_add(reader->report, CLACK_MEMORY, "%s: no memory for %zu configurations", reader->path, room);
    reader->room = room;
    return CLACK_OK;
}

// The configuration that a line belongs to: that of the line before, or a new one.
static ClackStatus table_begin(Reader *reader, const double *numbers, uint64_t scene) {
    EvaluateTable *table = reader->table;
    const size_t bodies = reader->study->scene.body_count;
    const int has_key = reader->columns[TABLE_CONFIGURATION] >= 0 || reader->columns[TABLE_TIME] >= 0;
    const double key[3] = {numbers[TABLE_CONFIGURATION],
                           reader->columns[TABLE_CONFIGURATION] >= 0 ? 0 : numbers[TABLE_TIME], (double)scene};
    if (table->count > 0 && has_key && memcmp(key, reader->last, sizeof key) == 0) return CLACK_OK;
    TRY(table_grow(reader));
    memcpy(reader->last, key, sizeof key);
    memset(table->is_given + table->count * bodies, 0, bodies);
    table->scenes[table->count++] = scene;
    return CLACK_OK;
}

static void put_state(UserState *state, const double *numbers) {
    memcpy(state->position_m, numbers, sizeof state->position_m);
    memcpy(state->orientation, numbers + 3, sizeof state->orientation);
    memcpy(state->velocity_m_per_s, numbers + 7, sizeof state->velocity_m_per_s);
    memcpy(state->angular_velocity_rad_per_s, numbers + 10, sizeof state->angular_velocity_rad_per_s);
}

static ClackStatus table_read_numbers(Reader *reader, char *const *cells, double *numbers) {
    ClackStatus status = CLACK_OK;
    for (int i = 0; i < TABLE_NUMBERS; i++) {
        numbers[i] = i == 3 ? 1 : 0; // not turned, at rest
        const int column = reader->columns[i];
        if (column < 0 || number_parse(cells[column], &numbers[i])) continue;
        status = table_defect(reader, number_names[i], "a number", cells[column]);
    }
    const double *q = numbers + 3;
    if (status == CLACK_OK && !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0))
        status = table_defect(reader, "orientation", "a quaternion of non-zero length", "0");
    return status;
}

static ClackStatus table_read_line(Reader *reader, char *line, uint64_t scene) {
    char *cells[CELLS_MOST], found[32];
    double numbers[TABLE_NUMBERS];
    uint32_t body = 0;
    const uint64_t scenes = reader->study->design.scene_count;
    const int count = table_split(line, cells);
    if (count != reader->column_count) {
        snprintf(found, sizeof found, "%d", count);
        return table_defect(reader, "line", "a cell for each column", found);
    }
    TRY(table_find_body(reader, cells[reader->body_column], &body));
    TRY(table_read_numbers(reader, cells, numbers));
    if (reader->table->has_scenes) {
        const double number = numbers[TABLE_SCENE];
        if (!(number >= 0 && number < (double)scenes) || number != floor(number)) {
            snprintf(found, sizeof found, "a scene from 0 to %" PRIu64, scenes - 1);
            return table_defect(reader, "scene", found, cells[reader->columns[TABLE_SCENE]]);
        }
        scene = (uint64_t)number;
    }
    TRY(table_begin(reader, numbers, scene));
    const size_t at = (reader->table->count - 1) * reader->study->scene.body_count + body;
    if (reader->table->is_given[at]) return table_defect(reader, "body", "it once in a configuration", "it again");
    reader->table->is_given[at] = 1;
    put_state(&reader->table->states[at], numbers);
    return CLACK_OK;
}

ClackStatus evaluate_table_read(const char *path, const Study *study, uint64_t scene, EvaluateTable *out_table,
                                ClackReport *report) {
    Reader reader = {.path = path, .study = study, .table = out_table, .report = report};
    char *line = NULL;
    size_t bytes = 0;
    ClackStatus status = CLACK_OK;
    *out_table = (EvaluateTable){0};
    FILE *file = fopen(path, "r");
    if (file == NULL) return report_add(report, CLACK_IO, "%s: %s", path, strerror(errno));
    for (int has_names = 0; status != CLACK_MEMORY && getline(&line, &bytes, file) >= 0;) {
        reader.line++;
        if (strspn(line, " \t\r\n") == strlen(line)) continue;
        const ClackStatus read = has_names ? table_read_line(&reader, line, scene) : table_read_names(&reader, line);
        if (read != CLACK_OK) status = read;
        if (status != CLACK_OK && (!has_names || reader.defects >= DEFECTS_MOST)) break;
        has_names = 1;
    }
    if (ferror(file)) status = report_add(report, CLACK_IO, "%s: %s", path, strerror(errno));
    if (status == CLACK_OK && out_table->count == 0)
        status =
            report_add(report, CLACK_CORRUPT, "%s: expected a line of names and lines of numbers, found none", path);
    fclose(file);
    free(line);
    if (status != CLACK_OK) evaluate_table_free(out_table);
    return status;
}

void evaluate_table_free(EvaluateTable *table) {
    free(table->states);
    free(table->is_given);
    free(table->scenes);
    *table = (EvaluateTable){0};
}
