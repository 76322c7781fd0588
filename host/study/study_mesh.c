// Points of OBJ and STL files. Only vertices count: a hull needs no faces, but those that are there are
// checked, for a wrong index means a damaged file.
#include "study_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MESH_ERRORS_MAX 20 // a file of another kind should not drown the other errors
#define STL_HEADER_BYTES 84u
#define STL_TRIANGLE_BYTES 50u

typedef struct Word {
    const char *text; // within the file
    size_t bytes;
    YamlPlace place;
} Word;

typedef struct Scanner {
    const char *at, *end, *line_start;
    YamlPlace place; // of the present line, column 1
    uint32_t errors;
} Scanner;

static Scanner scanner_open(const InputFile *input) {
    return (Scanner){.at = input->text,
                     .end = input->text + input->text_bytes,
                     .line_start = input->text,
                     .place = {input->path, 1, 1}};
}

// The next line; false at the end of the file.
static bool scanner_skip_line(Scanner *scanner) {
    const char *newline = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    if (newline == NULL) return false;
    scanner->at = scanner->line_start = newline + 1;
    scanner->place.line++;
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The next word of the line; `bytes` 0 at its end.
static Word scanner_word(Scanner *scanner) {
    while (scanner->at < scanner->end && is_blank(*scanner->at)) scanner->at++;
    Word word = {.text = scanner->at, .place = scanner->place};
    word.place.column = (uint32_t)(scanner->at - scanner->line_start) + 1;
    while (scanner->at < scanner->end && !is_blank(*scanner->at) && *scanner->at != '\n') scanner->at++;
    word.bytes = (size_t)(scanner->at - word.text);
    return word;
}

static bool word_is(const Word *word, const char *text) {
    return word->bytes == strlen(text) && memcmp(word->text, text, word->bytes) == 0;
}

static void word_error(Reader *reader, Scanner *scanner, const Word *word, const char *expected) {
    if (scanner->errors++ >= MESH_ERRORS_MAX) return;
    if (word->bytes == 0)
        reader_error_at(reader, &word->place, "expected %s, found the end of the line", expected);
    else
        reader_error_at(reader, &word->place, "expected %s, found \"%.*s\"", expected,
                        (int)(word->bytes < 60 ? word->bytes : 60), word->text);
}

// Three coordinates; after an error the rest of the line is left alone.
static bool read_point(Reader *reader, Scanner *scanner, double point[3]) {
    for (int k = 0; k < 3; k++) {
        char number[64] = "";
        const Word word = scanner_word(scanner);
        if (word.bytes < sizeof number) memcpy(number, word.text, word.bytes);
        if (number_parse(number, &point[k])) continue;
        word_error(reader, scanner, &word, "a number, one of the 3 coordinates of a vertex");
        return false;
    }
    return true;
}

// --- OBJ ------------------------------------------------------------------------------------------

// Corners such as 3, 3/1, 3//2 or -1 (the last vertex so far).
static void check_face(Reader *reader, Scanner *scanner, size_t so_far, size_t total) {
    uint32_t corners = 0;
    for (;; corners++) {
        const Word word = scanner_word(scanner);
        if (word_is(&word, "\\")) return; // goes on in the next line
        if (word.bytes == 0 && corners < 3) word_error(reader, scanner, &word, "3 or more vertices of a face");
        if (word.bytes == 0) return;
        char text[32] = "", *end = text;
        if (word.bytes < sizeof text) memcpy(text, word.text, word.bytes);
        const long long index = strtoll(text, &end, 10);
        const bool is_there =
            index > 0 ? (unsigned long long)index <= total : index < 0 && (unsigned long long)-index <= so_far;
        if (end != text && (*end == '\0' || *end == '/') && is_there) continue;
        word_error(reader, scanner, &word, "the number of a vertex of the file");
        return;
    }
}

static size_t obj_count(const InputFile *input) {
    size_t count = 0;
    Scanner scanner = scanner_open(input);
    do {
        const Word word = scanner_word(&scanner);
        count += word_is(&word, "v");
    } while (scanner_skip_line(&scanner));
    return count;
}

static bool obj_read(Reader *reader, const InputFile *input, MeshPoints *out) {
    const size_t total = obj_count(input);
    Scanner scanner = scanner_open(input);
    out->at = reader_take(reader, (total + 1) * sizeof *out->at);
    if (out->at == NULL) return false;
    do {
        const Word word = scanner_word(&scanner);
        if (word_is(&word, "v")) read_point(reader, &scanner, out->at[out->count++]);
        if (word_is(&word, "f")) check_face(reader, &scanner, out->count, total);
    } while (scanner_skip_line(&scanner));
    if (total == 0) {
        const YamlPlace place = {input->path, 1, 1};
        reader_error_at(reader, &place, "expected lines \"v x y z\" of an OBJ file, found none");
    }
    return scanner.errors == 0 && total > 0;
}

// --- STL ------------------------------------------------------------------------------------------

static bool stl_read_text(Reader *reader, const InputFile *input, MeshPoints *out) {
    static const size_t vertex_bytes = sizeof "vertex 0 0 0" - 1; // the shortest
    Scanner scanner = scanner_open(input);
    out->at = reader_take(reader, (input->text_bytes / vertex_bytes + 1) * sizeof *out->at);
    if (out->at == NULL) return false;
    while (scanner_skip_line(&scanner)) // the first one may hold any name
        for (Word word = scanner_word(&scanner); word.bytes > 0; word = scanner_word(&scanner))
            if (word_is(&word, "vertex") && !read_point(reader, &scanner, out->at[out->count++])) break;
    if (out->count == 0 || out->count % 3 != 0) {
        reader_error_at(reader, &scanner.place, "expected 3 vertices for each triangle, found %zu", out->count);
        return false;
    }
    return scanner.errors == 0;
}

static uint32_t stl_u32(const char *at) {
    unsigned char b[4];
    memcpy(b, at, sizeof b);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool stl_read_binary(Reader *reader, const InputFile *input, uint32_t triangles, MeshPoints *out) {
    const YamlPlace place = {input->path, 0, 0}; // bytes have no lines
    out->at = reader_take(reader, ((size_t)triangles * 3 + 1) * sizeof *out->at);
    if (out->at == NULL) return false;
    for (uint32_t t = 0; t < triangles; t++) {
        // After the normal.
        const char *at = input->text + STL_HEADER_BYTES + (size_t)STL_TRIANGLE_BYTES * t + 12;
        for (int k = 0; k < 9; k++) {
            const uint32_t bits = stl_u32(at + 4 * (size_t)k);
            float number;
            memcpy(&number, &bits, sizeof number);
            out->at[out->count + (size_t)(k / 3)][k % 3] = (double)number;
            if ((bits >> 23 & 0xffu) != 0xffu) continue;
            reader_error_at(reader, &place, "triangle %u: expected finite coordinates, found %g", t + 1,
                            (double)number);
            return false;
        }
        out->count += 3;
    }
    return true;
}

// A binary file is as long as its count of triangles says, whatever its header begins with.
static bool stl_read(Reader *reader, const InputFile *input, MeshPoints *out) {
    const size_t bytes = input->text_bytes;
    if (bytes >= STL_HEADER_BYTES) {
        const uint32_t triangles = stl_u32(input->text + STL_HEADER_BYTES - 4);
        if (bytes == STL_HEADER_BYTES + (size_t)STL_TRIANGLE_BYTES * triangles)
            return stl_read_binary(reader, input, triangles, out);
    }
    Scanner scanner = scanner_open(input);
    const Word first = scanner_word(&scanner);
    if (word_is(&first, "solid")) return stl_read_text(reader, input, out);
    const YamlPlace place = {input->path, 0, 0};
    reader_error_at(reader, &place,
                    "expected an STL file, text that begins with \"solid\" or 84 bytes and 50 for "
                    "each triangle, found %zu bytes of another kind",
                    bytes);
    return false;
}

// --- either ---------------------------------------------------------------------------------------

static bool has_ending(const char *path, const char *ending) {
    const size_t bytes = strlen(path), tail = strlen(ending);
    return bytes >= tail && strcasecmp(path + bytes - tail, ending) == 0;
}

bool read_mesh_points(Reader *reader, const YamlNode *node, MeshPoints *out) {
    *out = (MeshPoints){0};
    const char *name = read_text(reader, node, "the path of an .obj or .stl file");
    if (name == NULL) return false;
    const bool is_obj = has_ending(name, ".obj");
    if (!is_obj && !has_ending(name, ".stl")) {
        reader_expected(reader, node, "the path of an .obj or .stl file");
        return false;
    }
    const InputFile *input = input_add_beside(reader, node, name);
    if (input == NULL) return false;
    return is_obj ? obj_read(reader, input, out) : stl_read(reader, input, out);
}
