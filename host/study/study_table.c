// Tables: CSV files with a line of names and lines of numbers; that of a design has one for each scene, and may be
// numbers from memory.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define TABLE_ERRORS_MAX 20 // a file of another kind should not drown the other errors

typedef struct Cell {
    const char *text; // within the file, without blanks and quotes around it
    size_t bytes;
    YamlPlace place;
} Cell;

typedef struct Line {
    const char *at, *start, *end; // `at` past `end`: no cell left
    uint32_t number;
} Line;

// The next line that is not blank; false at the end of the file.
static bool line_next(Line *line, const char **at, const char *file_end) {
    while (*at < file_end) {
        const char *start = *at;
        const char *newline = memchr(start, '\n', (size_t)(file_end - start));
        const char *end = newline != NULL ? newline : file_end;
        *at = newline != NULL ? newline + 1 : file_end;
        if (end > start && end[-1] == '\r') end--;
        *line = (Line){start, start, end, line->number + 1};
        while (start < end && (*start == ' ' || *start == '\t')) start++;
        if (start < end) return true;
    }
    return false;
}

static bool cell_next(Line *line, const char *file, Cell *out) {
    if (line->at > line->end) return false;
    const char *start = line->at;
    const char *comma = memchr(start, ',', (size_t)(line->end - start));
    const char *end = comma != NULL ? comma : line->end;
    line->at = end + 1;
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) end--;
    const uint32_t column = (uint32_t)(start - line->start) + 1;
    if (end - start >= 2 && *start == '"' && end[-1] == '"') {
        start++;
        end--;
    }
    *out = (Cell){start, (size_t)(end - start), {file, line->number, column}};
    return true;
}

// One more column. A name has to be new; NULL of `name`: no memory.
static bool table_add_name(Reader *reader, Table *table, const YamlPlace *place, char *name) {
    if (name == NULL) return false;
    bool is_new = name[0] != '\0';
    for (uint32_t i = 0; i < table->column_count; i++) is_new = is_new && strcmp(table->names[i], name) != 0;
    if (!is_new) reader_error_at(reader, place, "expected a new name of a column, found \"%.*s\"", TEXT_CUT(name, 60));
    table->names[table->column_count++] = name;
    return is_new;
}

static bool read_header(Reader *reader, Table *table, Line line, const char *file) {
    Cell cell;
    uint32_t count = 0;
    for (Line scan = line; cell_next(&scan, file, &cell);) count++;
    table->names = reader_take(reader, ((size_t)count + 1) * sizeof *table->names);
    if (table->names == NULL) return false;
    bool is_ok = true;
    while (cell_next(&line, file, &cell) && !reader->is_out_of_memory)
        is_ok &= table_add_name(reader, table, &cell.place, reader_take_text(reader, cell.text, cell.bytes));
    return is_ok && !reader->is_out_of_memory;
}

// False after an error.
static bool read_row(Reader *reader, const Table *table, Line line, const char *file, double *row) {
    const uint32_t wanted = table->column_count;
    const YamlPlace place = {file, line.number, 1};
    uint32_t count = 0;
    bool is_ok = true;
    for (Cell cell; cell_next(&line, file, &cell); count++) {
        char number[64] = "";
        if (count >= wanted) continue;
        if (cell.bytes < sizeof number) memcpy(number, cell.text, cell.bytes);
        if (number_parse(number, &row[count])) continue;
        reader_error_at(reader, &cell.place, "column \"%.60s\": expected a number, found \"%.*s\"", table->names[count],
                        (int)(cell.bytes < 60 ? cell.bytes : 60), cell.text);
        is_ok = false;
    }
    if (count != wanted)
        reader_error_at(reader, &place, "expected %u %s, one for each column, found %u", wanted,
                        text_plural(wanted, "number", "numbers"), count);
    return is_ok && count == wanted;
}

static bool table_parse(Reader *reader, const InputFile *input, Table *table) {
    const char *at = input->text, *end = input->text + input->text_bytes;
    if (input->text_bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; // byte order mark
    Line line = {0};
    const YamlPlace place = {input->path, 1, 1};
    if (!line_next(&line, &at, end)) {
        reader_error_at(reader, &place, "expected a line of names, found an empty file");
        return false;
    }
    if (!read_header(reader, table, line, input->path)) return false;
    const char *first_row = at;
    Line scan = line;
    while (line_next(&scan, &at, end)) table->row_count++;
    if (table->row_count == 0) {
        reader_error_at(reader, &place, "expected lines of numbers after the names, found none");
        return false;
    }
    table->values = reader_take(reader, table->row_count * table->column_count * sizeof(double));
    if (table->values == NULL) return false;
    uint32_t wrong = 0;
    at = first_row;
    for (size_t row = 0; line_next(&line, &at, end) && wrong < TABLE_ERRORS_MAX; row++)
        wrong += !read_row(reader, table, line, input->path, table->values + row * table->column_count);
    return wrong == 0;
}

// --- from memory ----------------------------------------------------------------------------------

// The table that the design names, where it is given as numbers.
static const ClackStudyTable *table_given(const Reader *reader, const YamlNode *file) {
    for (size_t i = 0; i < reader->options->table_count && file->kind == YAML_SCALAR; i++)
        if (strcmp(reader->options->tables[i].name, file->text) == 0) return &reader->options->tables[i];
    return NULL;
}

static bool table_check_values(Reader *reader, const Table *table, const YamlPlace *place) {
    uint32_t wrong = 0;
    const double *value = table->values;
    for (size_t row = 0; row < table->row_count && wrong < TABLE_ERRORS_MAX; row++)
        for (uint32_t i = 0; i < table->column_count && wrong < TABLE_ERRORS_MAX; i++, value++) {
            if (isfinite(*value)) continue;
            reader_error_at(reader, place, "column \"%.60s\": expected a number, found %s of scene %zu",
                            table->names[i],
                            isnan(*value) ? "nan"
                            : *value > 0  ? "inf"
                                          : "-inf",
                            row);
            wrong++;
        }
    return wrong == 0;
}

static bool table_take(Reader *reader, const ClackStudyTable *given, Table *table) {
    const YamlPlace place = {given->name, 0, 0};
    const size_t columns = given->column_count, rows = given->row_count;
    if (columns == 0 || rows == 0 || columns > UINT32_MAX || rows > SIZE_MAX / sizeof(double) / columns) {
        reader_error_at(reader, &place, "expected columns and rows of numbers, found %zu columns and %zu rows", columns,
                        rows);
        return false;
    }
    table->names = reader_take(reader, (columns + 1) * sizeof *table->names);
    if (table->names == NULL) return false;
    bool is_ok = true;
    for (size_t i = 0; i < columns && !reader->is_out_of_memory; i++)
        is_ok &= table_add_name(reader, table, &place,
                                reader_take_text(reader, given->columns[i], strlen(given->columns[i])));
    table->row_count = rows;
    if (reader->is_out_of_memory || input_add_table(reader, given, &table->values) == NULL) return false;
    return table_check_values(reader, table, &place) && is_ok;
}

bool read_table_file(Reader *reader, const YamlNode *file, Table *out_table) {
    const char *name = read_text(reader, file, "the path of a CSV file");
    if (name == NULL) return false;
    const InputFile *input = input_add_beside(reader, file, name);
    return input != NULL && table_parse(reader, input, out_table);
}

void read_table(Reader *reader, const YamlNode *design) {
    static const char *const keys[] = {"file", "seed", NULL};
    const YamlNode *node = map_get(design, "table"), *file = node;
    if (node == NULL) return;
    reader->table.is_there = true;
    if (node->kind == YAML_MAP) {
        if (!map_check(reader, node, keys, NULL)) return;
        file = map_require(reader, node, "file", "the path of a CSV file");
    }
    if (file == NULL) return;
    const ClackStudyTable *given = table_given(reader, file);
    reader->table.is_ok =
        given != NULL ? table_take(reader, given, &reader->table) : read_table_file(reader, file, &reader->table);
}

bool table_find_column(Reader *reader, const YamlNode *node, const Table *table, const char *name,
                       uint32_t *out_column) {
    for (*out_column = 0; *out_column < table->column_count; ++*out_column)
        if (strcmp(table->names[*out_column], name) == 0) return true;
    const char *nearest = word_nearest(name, table->names);
    reader_error(reader, node, "unknown column \"%.*s\"%s%.60s%s", TEXT_CUT(name, 60),
                 nearest != NULL ? ", did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    return false;
}

const double *table_column(Reader *reader, const YamlNode *node, uint32_t *out_column) {
    const Table *table = &reader->table;
    const char *name = read_text(reader, node, "the name of a column");
    if (name == NULL) return NULL;
    if (!table->is_there) {
        reader_error(reader, node,
                     "expected a design with a table, whose column \"%.*s\" is, "
                     "found none",
                     TEXT_CUT(name, 60));
        return NULL;
    }
    if (!table->is_ok) return NULL; // reported already
    return table_find_column(reader, node, table, name, out_column) ? table->values + *out_column : NULL;
}
