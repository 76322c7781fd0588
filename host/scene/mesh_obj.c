// OBJ files: vertices, faces and groups. Everything else is known to be of no matter, or reported.
#include "mesh_file_internal.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_MAX 8 // statements that are reported once each
#define NAME_BYTES 64
#define INDEX_BYTES 32

typedef struct Obj {
    MeshText text;
    MeshSource *out;
    size_t points_so_far; // for numbers that count back
    MeshWord object, group;
    uint32_t present; // index of the group; MESH_FACE_BAD: the next face makes it
    uint32_t unknown_count;
    char unknown[UNKNOWN_MAX][NAME_BYTES];
} Obj;

// Normals, texture, materials, display; points and lines, which enclose nothing.
static int is_of_no_matter(const MeshWord *word) {
    static const char *const words[] = {"vn",     "vt",     "vp",         "s",         "mg",       "mtllib",
                                        "usemtl", "usemap", "maplib",     "bevel",     "c_interp", "d_interp",
                                        "lod",    "p",      "shadow_obj", "trace_obj", "l",        NULL};
    if (word->bytes == 0 || word->text[0] == '#') return 1;
    for (size_t i = 0; words[i] != NULL; i++)
        if (mesh_word_is(word, words[i])) return 1;
    return 0;
}

static void unknown_tell(Obj *obj, const MeshWord *word) {
    char name[NAME_BYTES] = "";
    memcpy(name, word->text, word->bytes < NAME_BYTES ? word->bytes : NAME_BYTES - 1);
    for (uint32_t i = 0; i < obj->unknown_count; i++)
        if (strcmp(obj->unknown[i], name) == 0) return;
    if (obj->unknown_count == UNKNOWN_MAX) return;
    memcpy(obj->unknown[obj->unknown_count++], name, NAME_BYTES);
    mesh_tell(obj->text.listener, 1, word->line, word->column,
              "left out: \"%s\" is none of the statements v, f, g and o that make a mesh of flat faces", name);
}

// The next word of a face, which a backslash at the end of a line carries on.
static MeshWord face_word(Obj *obj) {
    MeshWord word = mesh_text_word(&obj->text);
    while (mesh_word_is(&word, "\\") && mesh_text_next_line(&obj->text)) word = mesh_text_word(&obj->text);
    return word;
}

// Index of a vertex from 3, 3/1, 3//2 or -1 (the last vertex so far); 0 if it is none.
static int corner_parse(const Obj *obj, const MeshWord *word, uint32_t *out) {
    char text[INDEX_BYTES] = "", *end = text;
    if (word->bytes < sizeof text) memcpy(text, word->text, word->bytes);
    const long long index = strtoll(text, &end, 10);
    const unsigned long long size = index < 0 ? 0ull - (unsigned long long)index : (unsigned long long)index;
    if (end == text || (*end != '\0' && *end != '/')) return 0;
    if (size == 0 || size > (index > 0 ? obj->out->point_count : obj->points_so_far)) return 0;
    *out = (uint32_t)(index > 0 ? size - 1 : obj->points_so_far - size);
    return 1;
}

static int group_take(Obj *obj) {
    char name[2 * NAME_BYTES + 2];
    if (obj->present != MESH_FACE_BAD) return 1;
    const size_t one = obj->object.bytes < NAME_BYTES ? obj->object.bytes : NAME_BYTES;
    const size_t other = obj->group.bytes < NAME_BYTES ? obj->group.bytes : NAME_BYTES;
    size_t bytes = 0;
    if (one > 0) memcpy(name, obj->object.text, one);
    bytes = one;
    if (one > 0 && other > 0) name[bytes++] = ' ';
    if (other > 0) memcpy(name + bytes, obj->group.text, other);
    obj->present = mesh_source_group(obj->out, name, bytes + other);
    return obj->present != MESH_FACE_BAD;
}

// 0 without memory.
static int face_read(Obj *obj) {
    uint32_t corners[MESH_CORNERS_MAX], count = 0;
    const uint32_t line = obj->text.line;
    for (;;) {
        const MeshWord word = face_word(obj);
        if (word.bytes == 0 && count < 3) {
            mesh_word_error(obj->text.listener, &word, "3 or more vertices of a face");
            return 1;
        }
        if (word.bytes == 0) break;
        if (count == MESH_CORNERS_MAX) {
            mesh_word_error(obj->text.listener, &word, "a face of at most 1024 vertices");
            return 1;
        }
        if (!corner_parse(obj, &word, &corners[count++])) {
            mesh_word_error(obj->text.listener, &word, "the number of a vertex of the file");
            return 1;
        }
    }
    return group_take(obj) && mesh_source_add_face(obj->out, corners, count, obj->present, line);
}

static ClackStatus points_read(Obj *obj) {
    static const char *const what = "a number, one of the 3 coordinates of a vertex";
    do {
        double point[3] = {0};
        const MeshWord word = mesh_text_word(&obj->text);
        if (!mesh_word_is(&word, "v")) continue;
        mesh_text_numbers(&obj->text, point, 3, what); // reported; its number stays taken
        if (!mesh_source_add_point(obj->out, point)) return CLACK_MEMORY;
    } while (mesh_text_next_line(&obj->text));
    return CLACK_OK;
}

static ClackStatus faces_read(Obj *obj) {
    do {
        const MeshWord word = mesh_text_word(&obj->text);
        if (mesh_word_is(&word, "v")) {
            obj->points_so_far++;
        } else if (mesh_word_is(&word, "f")) {
            if (!face_read(obj)) return CLACK_MEMORY;
        } else if (mesh_word_is(&word, "g")) {
            obj->group = mesh_text_rest(&obj->text);
            obj->present = MESH_FACE_BAD;
        } else if (mesh_word_is(&word, "o")) {
            obj->object = mesh_text_rest(&obj->text);
            obj->group = (MeshWord){0};
            obj->present = MESH_FACE_BAD;
        } else if (!is_of_no_matter(&word)) {
            unknown_tell(obj, &word);
        }
    } while (mesh_text_next_line(&obj->text));
    return CLACK_OK;
}

ClackStatus mesh_obj_read(const char *text, size_t bytes, MeshListener *listener, MeshSource *out) {
    Obj obj = {.text = mesh_text_open(text, bytes, listener), .out = out, .present = MESH_FACE_BAD};
    out->has_lines = 1;
    TRY(points_read(&obj)); // before the faces: these are cut by where their corners are
    obj.text = mesh_text_open(text, bytes, listener);
    TRY(faces_read(&obj));
    if (out->point_count == 0) mesh_tell(listener, 0, 1, 1, "expected lines \"v x y z\" of an OBJ file, found none");
    return listener->error_count == 0 ? CLACK_OK : CLACK_STUDY;
}
