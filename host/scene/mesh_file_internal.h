// What the readers of mesh files share: lines and words, and a source that grows.
#ifndef CLACK_MESH_FILE_INTERNAL_H
#define CLACK_MESH_FILE_INTERNAL_H

#include "mesh_file.h"

#define MESH_ERRORS_MAX 20    // a file of another kind should not drown the other errors
#define MESH_CORNERS_MAX 1024 // of a face
#define MESH_FACE_BAD UINT32_MAX

// --- lines and words (mesh_text.c) ----------------------------------------------------------------
typedef struct MeshText {
    const char *at, *end, *line_start;
    uint32_t line; // from 1
    MeshListener *listener;
} MeshText;

typedef struct MeshWord {
    const char *text;
    size_t bytes; // 0 at the end of a line
    uint32_t line, column;
} MeshWord;

MeshText mesh_text_open(const char *text, size_t bytes, MeshListener *listener);
/// To the next line; 0 at the end of the file.
int mesh_text_next_line(MeshText *text);
/// The next word of the line.
MeshWord mesh_text_word(MeshText *text);
int mesh_word_is(const MeshWord *word, const char *expected);
/// The rest of the line without blanks around it.
MeshWord mesh_text_rest(MeshText *text);
/// "expected <what>, found <the word>".
void mesh_word_error(MeshListener *listener, const MeshWord *word, const char *expected);
/// `count` numbers that follow; 0 after an error, reported.
int mesh_text_numbers(MeshText *text, double *out, int count, const char *what);
void mesh_tell(MeshListener *listener, int is_warning, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// --- what is read (mesh_source.c) -----------------------------------------------------------------
/// One more point; 0 without memory.
int mesh_source_add_point(MeshSource *source, const double point[3]);
/// The group of a name, new or known; MESH_FACE_BAD without memory.
uint32_t mesh_source_group(MeshSource *source, const char *name, size_t bytes);
/// A face of points that are there, cut into triangles. 0 without memory.
int mesh_source_add_face(MeshSource *source, const uint32_t *corners, uint32_t count, uint32_t group, uint32_t place);

// --- kinds of files -------------------------------------------------------------------------------
ClackStatus mesh_obj_read(const char *text, size_t bytes, MeshListener *listener, MeshSource *out);
ClackStatus mesh_stl_read(const char *text, size_t bytes, MeshListener *listener, MeshSource *out);
ClackStatus mesh_ply_read(const char *text, size_t bytes, MeshListener *listener, MeshSource *out);

#endif
