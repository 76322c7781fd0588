// PLY files, text or binary of either byte order: elements "vertex" and "face"; others are stepped over.
#include "mesh_file_internal.h"

#include <math.h>
#include <string.h>

#include "number.h"

#define ELEMENTS_MAX 16
#define PROPERTIES_MAX 64
#define WORD_BYTES 32
#define ITEMS_MAX 100000000u // of a list

typedef enum PlyType { PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64, PLY_NONE } PlyType;

typedef struct PlyProperty {
    PlyType type, count_type; // count_type: of a list, else PLY_NONE
    int part;                 // 0, 1, 2: x, y, z of a vertex; 3: vertices of a face; -1: of no matter
} PlyProperty;

typedef struct PlyElement {
    uint32_t count, property_count;
    int is_vertex, is_face;
    PlyProperty properties[PROPERTIES_MAX];
} PlyElement;

typedef struct Ply {
    MeshText text;
    const char *start;
    MeshSource *out;
    int is_text, is_big;
    uint32_t group, element_count;
    PlyElement elements[ELEMENTS_MAX];
} Ply;

// --- the header -----------------------------------------------------------------------------------

static PlyType type_of(const MeshWord *word) {
    static const char *const names[2][PLY_NONE] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    for (int t = 0; t < PLY_NONE; t++)
        if (mesh_word_is(word, names[0][t]) || mesh_word_is(word, names[1][t])) return (PlyType)t;
    return PLY_NONE;
}

static int format_read(Ply *ply) {
    const MeshWord word = mesh_text_word(&ply->text);
    ply->is_text = mesh_word_is(&word, "ascii");
    ply->is_big = mesh_word_is(&word, "binary_big_endian");
    if (ply->is_text || ply->is_big || mesh_word_is(&word, "binary_little_endian")) return 1;
    mesh_word_error(ply->text.listener, &word, "ascii, binary_little_endian or binary_big_endian");
    return 0;
}

static int element_read(Ply *ply) {
    const MeshWord name = mesh_text_word(&ply->text), count = mesh_text_word(&ply->text);
    double number = -1;
    if (!number_parse_bytes(count.text, count.bytes, &number) || number < 0 || number > MESH_COUNT_MAX ||
        number != floor(number)) {
        mesh_word_error(ply->text.listener, &count, "a whole number of elements, at most 100,000,000");
        return 0;
    }
    if (ply->element_count == ELEMENTS_MAX) {
        mesh_word_error(ply->text.listener, &name, "at most 16 kinds of elements");
        return 0;
    }
    if (mesh_word_is(&name, "tristrips")) {
        mesh_word_error(ply->text.listener, &name, "an element \"face\" rather than strips of triangles");
        return 0;
    }
    ply->elements[ply->element_count++] = (PlyElement){
        .count = (uint32_t)number, .is_vertex = mesh_word_is(&name, "vertex"), .is_face = mesh_word_is(&name, "face")};
    return 1;
}

static int property_read(Ply *ply) {
    MeshWord word = mesh_text_word(&ply->text);
    PlyElement *element = ply->element_count > 0 ? &ply->elements[ply->element_count - 1] : NULL;
    PlyProperty property = {.count_type = PLY_NONE, .part = -1};
    if (element == NULL || element->property_count == PROPERTIES_MAX) {
        mesh_word_error(ply->text.listener, &word, "at most 64 properties after an element");
        return 0;
    }
    const int is_list = mesh_word_is(&word, "list");
    if (is_list) {
        word = mesh_text_word(&ply->text);
        property.count_type = type_of(&word);
        if (property.count_type < PLY_F32) word = mesh_text_word(&ply->text);
    }
    property.type = type_of(&word);
    if (property.type == PLY_NONE || (is_list && property.count_type >= PLY_F32)) {
        mesh_word_error(ply->text.listener, &word, "a type such as float, double, uchar or int");
        return 0;
    }
    const MeshWord name = mesh_text_word(&ply->text);
    const char *const axes[] = {"x", "y", "z"};
    for (int k = 0; element->is_vertex && !is_list && k < 3; k++)
        if (mesh_word_is(&name, axes[k])) property.part = k;
    if (element->is_face && is_list && (mesh_word_is(&name, "vertex_indices") || mesh_word_is(&name, "vertex_index")))
        property.part = 3;
    element->properties[element->property_count++] = property;
    return 1;
}

static int has_points(const Ply *ply) {
    int parts = 0;
    for (uint32_t e = 0; e < ply->element_count; e++)
        for (uint32_t p = 0; p < ply->elements[e].property_count; p++)
            if (ply->elements[e].properties[p].part >= 0) parts |= 1 << ply->elements[e].properties[p].part;
    return (parts & 7) == 7;
}

static int header_read(Ply *ply) {
    int is_ok = 1, has_format = 0;
    for (;;) {
        if (!mesh_text_next_line(&ply->text)) {
            mesh_tell(ply->text.listener, 0, ply->text.line, 1, "expected a line \"end_header\", found the end");
            return 0;
        }
        const MeshWord word = mesh_text_word(&ply->text);
        if (mesh_word_is(&word, "end_header")) break;
        if (mesh_word_is(&word, "format")) {
            is_ok = is_ok && format_read(ply);
            has_format = 1;
        } else if (mesh_word_is(&word, "element")) {
            is_ok = is_ok && element_read(ply);
        } else if (mesh_word_is(&word, "property")) {
            is_ok = is_ok && property_read(ply);
        } else if (word.bytes > 0 && !mesh_word_is(&word, "comment") && !mesh_word_is(&word, "obj_info")) {
            mesh_word_error(ply->text.listener, &word, "format, element, property, comment or end_header");
            is_ok = 0;
        }
        if (!is_ok) return 0;
    }
    if (has_format && has_points(ply)) {
        mesh_text_next_line(&ply->text);
        return 1;
    }
    mesh_tell(ply->text.listener, 0, ply->text.line, 1, "expected a format and vertices with x, y and z before it");
    return 0;
}

// --- values ---------------------------------------------------------------------------------------

static const unsigned char type_bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};

static double value_of(const unsigned char *b, PlyType type) {
    uint64_t bits = 0;
    for (unsigned k = 0; k < type_bytes[type]; k++) bits |= (uint64_t)b[k] << (8 * k);
    const uint32_t half = (uint32_t)bits;
    float single;
    double number;
    switch (type) {
    case PLY_I8: return (double)(int8_t)half;
    case PLY_I16: return (double)(int16_t)half;
    case PLY_I32: return (double)(int32_t)half;
    case PLY_F32: memcpy(&single, &half, sizeof single); return (double)single;
    case PLY_F64: memcpy(&number, &bits, sizeof number); return number;
    default: return (double)half;
    }
}

// The next value of the file; 0 after an error, reported.
static int value_read(Ply *ply, PlyType type, double *out) {
    unsigned char bytes[8] = {0};
    if (ply->is_text) {
        MeshWord word = mesh_text_word(&ply->text);
        while (word.bytes == 0 && mesh_text_next_line(&ply->text)) word = mesh_text_word(&ply->text);
        if (number_parse_bytes(word.text, word.bytes, out)) return 1;
        mesh_word_error(ply->text.listener, &word, "a number");
        return 0;
    }
    const size_t left = (size_t)(ply->text.end - ply->text.at), size = type_bytes[type];
    if (left < size) {
        mesh_tell(ply->text.listener, 0, 0, 0,
                  "expected more bytes for what its header counts, found the end at byte %zu",
                  (size_t)(ply->text.end - ply->start));
        return 0;
    }
    for (size_t k = 0; k < size; k++) bytes[ply->is_big ? size - 1 - k : k] = (unsigned char)ply->text.at[k];
    *out = value_of(bytes, type);
    if (isfinite(*out)) {
        ply->text.at += size;
        return 1;
    }
    mesh_tell(ply->text.listener, 0, 0, 0, "expected finite numbers, found %g at byte %zu", *out,
              (size_t)(ply->text.at - ply->start));
    return 0;
}

// --- elements -------------------------------------------------------------------------------------

static void face_error(Ply *ply, uint32_t number, const char *expected, double found) {
    if (ply->is_text)
        mesh_tell(ply->text.listener, 0, ply->text.line, 0, "expected %s, found %g", expected, found);
    else
        mesh_tell(ply->text.listener, 0, 0, 0, "face %u: expected %s, found %g before byte %zu", number, expected,
                  found, (size_t)(ply->text.at - ply->start));
}

// CLACK_STUDY: reported.
static ClackStatus list_read(Ply *ply, const PlyProperty *property, uint32_t number) {
    uint32_t corners[MESH_CORNERS_MAX];
    double count = 0, value = 0;
    if (!value_read(ply, property->count_type, &count)) return CLACK_STUDY;
    const uint32_t line = ply->text.line;
    const double most = property->part == 3 ? MESH_CORNERS_MAX : ITEMS_MAX;
    if (!(count >= (property->part == 3 ? 3 : 0) && count <= most && count == floor(count))) {
        face_error(ply, number, property->part == 3 ? "a face of 3 to 1024 vertices" : "a list's length", count);
        return CLACK_STUDY;
    }
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        if (!value_read(ply, property->type, &value)) return CLACK_STUDY;
        if (property->part != 3) continue;
        if (!(value >= 0 && value < ply->out->point_count && value == floor(value))) {
            face_error(ply, number, "the number of a vertex of the file, from 0", value);
            return CLACK_STUDY;
        }
        corners[i] = (uint32_t)value;
    }
    if (property->part != 3) return CLACK_OK;
    if (ply->group == MESH_FACE_BAD) ply->group = mesh_source_group(ply->out, "", 0);
    if (ply->group == MESH_FACE_BAD) return CLACK_MEMORY;
    return mesh_source_add_face(ply->out, corners, (uint32_t)count, ply->group, ply->is_text ? line : number)
               ? CLACK_OK
               : CLACK_MEMORY;
}

static ClackStatus element_items_read(Ply *ply, const PlyElement *element) {
    for (uint32_t i = 0; i < element->count && element->property_count > 0; i++) {
        double point[3] = {0}, value = 0;
        for (uint32_t p = 0; p < element->property_count; p++) {
            const PlyProperty *property = &element->properties[p];
            if (property->count_type != PLY_NONE) {
                TRY(list_read(ply, property, i + 1));
                continue;
            }
            if (!value_read(ply, property->type, &value)) return CLACK_STUDY;
            if (property->part >= 0) point[property->part] = value;
        }
        if (element->is_vertex && !mesh_source_add_point(ply->out, point)) return CLACK_MEMORY;
    }
    return CLACK_OK;
}

ClackStatus mesh_ply_read(const char *text, size_t bytes, MeshListener *listener, MeshSource *out) {
    Ply ply = {.text = mesh_text_open(text, bytes, listener), .start = text, .out = out, .group = MESH_FACE_BAD};
    const MeshWord first = mesh_text_word(&ply.text);
    if (!mesh_word_is(&first, "ply")) {
        mesh_tell(listener, 0, 1, 1, "expected a PLY file, which begins with a line \"ply\"");
        return CLACK_STUDY;
    }
    if (!header_read(&ply)) return CLACK_STUDY;
    out->has_lines = ply.is_text;
    for (uint32_t e = 0; e < ply.element_count; e++) TRY(element_items_read(&ply, &ply.elements[e]));
    return CLACK_OK;
}
