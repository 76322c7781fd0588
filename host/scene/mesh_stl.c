// STL files, text or binary. Every solid of a text is a group.
#include "mesh_file_internal.h"

#include <math.h>
#include <string.h>

#include "number.h"

#define STL_HEADER_BYTES 84u
#define STL_TRIANGLE_BYTES 50u
#define STL_NORMAL_BYTES 12u

typedef struct Stl {
    MeshText text;
    MeshSource *out;
    uint32_t group;
    uint32_t corners, line; // since the last triangle or loop; the first's
    uint32_t loop;          // corners of this loop
    int has_reported;       // of an unknown word
} Stl;

// --- text -----------------------------------------------------------------------------------------

static int vertex_read(Stl *stl) {
    double point[3] = {0};
    if (stl->corners == 0) stl->line = stl->text.line;
    mesh_text_numbers(&stl->text, point, 3, "a number, one of the 3 coordinates of a vertex"); // reported; it counts
    if (!mesh_source_add_point(stl->out, point)) return 0;
    stl->loop++;
    if (++stl->corners < 3) return 1;
    const uint32_t last = stl->out->point_count, corners[3] = {last - 3, last - 2, last - 1};
    stl->corners = 0;
    if (stl->group == MESH_FACE_BAD) stl->group = mesh_source_group(stl->out, "", 0);
    return stl->group != MESH_FACE_BAD && mesh_source_add_face(stl->out, corners, 3, stl->group, stl->line);
}

static void word_check(Stl *stl, const MeshWord *word) {
    static const char *const words[] = {"facet", "normal", "outer", "loop", "endfacet", "nan", "-nan", "inf", "-inf"};
    double number = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mesh_word_is(word, words[i])) return;
    if (stl->has_reported || number_parse_bytes(word->text, word->bytes, &number)) return;
    stl->has_reported = 1;
    mesh_tell(stl->text.listener, 1, word->line, word->column, "left out: \"%.*s\" is no word of an STL file",
              (int)(word->bytes < 60 ? word->bytes : 60), word->text);
}

// The words of a line; 0 without memory.
static int line_read(Stl *stl) {
    for (MeshWord word = mesh_text_word(&stl->text); word.bytes > 0; word = mesh_text_word(&stl->text)) {
        if (mesh_word_is(&word, "vertex")) {
            if (!vertex_read(stl)) return 0;
        } else if (mesh_word_is(&word, "solid")) {
            const MeshWord name = mesh_text_rest(&stl->text);
            stl->group = mesh_source_group(stl->out, name.text, name.bytes);
            if (stl->group == MESH_FACE_BAD) return 0;
        } else if (mesh_word_is(&word, "endsolid")) {
            mesh_text_rest(&stl->text);
        } else if (mesh_word_is(&word, "endloop")) {
            if (stl->loop != 3)
                mesh_tell(stl->text.listener, 0, word.line, word.column, "expected 3 vertices of a triangle, found %u",
                          stl->loop);
            stl->corners = stl->loop = 0;
        } else {
            word_check(stl, &word);
        }
    }
    return 1;
}

static ClackStatus text_read(Stl *stl) {
    do {
        if (!line_read(stl)) return CLACK_MEMORY;
    } while (mesh_text_next_line(&stl->text));
    if (stl->text.listener->error_count == 0 && (stl->out->triangle_count == 0 || stl->corners > 0))
        mesh_tell(stl->text.listener, 0, stl->text.line, 1, "expected 3 vertices for each triangle, found %u",
                  stl->corners);
    return stl->text.listener->error_count == 0 ? CLACK_OK : CLACK_STUDY;
}

// --- binary ---------------------------------------------------------------------------------------

static uint32_t u32_at(const char *at) {
    unsigned char b[4];
    memcpy(b, at, sizeof b);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static ClackStatus binary_read(const char *text, uint32_t triangles, MeshListener *listener, MeshSource *out) {
    const uint32_t group = mesh_source_group(out, "", 0);
    if (group == MESH_FACE_BAD) return CLACK_MEMORY;
    for (uint32_t t = 0; t < triangles; t++) {
        const size_t first = STL_HEADER_BYTES + (size_t)STL_TRIANGLE_BYTES * t + STL_NORMAL_BYTES;
        double points[3][3];
        for (size_t k = 0; k < 9; k++) {
            const uint32_t bits = u32_at(text + first + 4 * k);
            float number;
            memcpy(&number, &bits, sizeof number);
            points[k / 3][k % 3] = (double)number;
            if (isfinite(points[k / 3][k % 3])) continue;
            mesh_tell(listener, 0, 0, 0, "triangle %u: expected finite coordinates, found %g at byte %zu", t + 1,
                      (double)number, first + 4 * k);
            return CLACK_STUDY;
        }
        const uint32_t from = out->point_count, corners[3] = {from, from + 1, from + 2};
        for (int c = 0; c < 3; c++)
            if (!mesh_source_add_point(out, points[c])) return CLACK_MEMORY;
        if (!mesh_source_add_face(out, corners, 3, group, t + 1)) return CLACK_MEMORY;
    }
    return CLACK_OK;
}

// A binary file is as long as its count of triangles says, whatever its header begins with.
ClackStatus mesh_stl_read(const char *text, size_t bytes, MeshListener *listener, MeshSource *out) {
    const uint32_t triangles = bytes >= STL_HEADER_BYTES ? u32_at(text + STL_HEADER_BYTES - 4) : 0;
    const size_t expected = STL_HEADER_BYTES + (size_t)STL_TRIANGLE_BYTES * triangles;
    if (bytes >= STL_HEADER_BYTES && bytes == expected && triangles > 0)
        return binary_read(text, triangles, listener, out);
    Stl stl = {.text = mesh_text_open(text, bytes, listener), .out = out, .group = MESH_FACE_BAD};
    const MeshWord first = mesh_text_word(&stl.text);
    if (mesh_word_is(&first, "solid")) {
        stl.text = mesh_text_open(text, bytes, listener);
        out->has_lines = 1;
        return text_read(&stl);
    }
    if (bytes >= STL_HEADER_BYTES && triangles > 0 && triangles <= MESH_COUNT_MAX)
        mesh_tell(listener, 0, 0, 0,
                  "expected %zu bytes, 84 and 50 for each of the %u triangles that bytes 81 to 84 count, found %zu",
                  expected, triangles, bytes);
    else
        mesh_tell(listener, 0, 0, 0,
                  "expected an STL file, text that begins with \"solid\" or 84 bytes and 50 for each triangle, found "
                  "%zu bytes of another kind",
                  bytes);
    return CLACK_STUDY;
}
