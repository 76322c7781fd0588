// Triangles of a file: OBJ, STL or PLY.
#ifndef CLACK_MESH_FILE_H
#define CLACK_MESH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MESH_COUNT_MAX 100000000u // of points and of triangles in a file
#define MESH_GROUPS_MAX 4096u     // that are distinguished; the last holds all that come later

typedef struct MeshGroup {
    char *name; // as the file has it; "" where it has none
    uint32_t triangle_count;
} MeshGroup;

typedef struct MeshSource { // what a file holds, as it stands there
    double (*points)[3];    // (point_count), those of no triangle too
    uint32_t (*corners)[3]; // (triangle_count), counter-clockwise seen from outside
    uint32_t *places;       // (triangle_count): line in the file, or from 1 which of its faces
    uint32_t *groups;       // (triangle_count): index of its group
    MeshGroup *named;       // (group_count), in order of their first faces
    uint32_t point_count, triangle_count, group_count;
    uint32_t point_room, triangle_room, group_room; // that is taken
    int has_lines;                                  // places are lines
    int has_more_groups;                            // than MESH_GROUPS_MAX
    uint32_t bent_count, bent_place;                // faces of more than 3 corners that lie in no plane; the first
    double bent_m;                                  // farthest that a corner lies from the plane of its face
    uint32_t uncut_count, uncut_place;              // faces left out, as no corner sees all of them; the first
} MeshSource;

// Where a reader tells what is wrong with a file. line 0: the file has none; column 0: the whole line.
typedef struct MeshListener {
    void (*tell)(void *context, int is_warning, uint32_t line, uint32_t column, const char *text);
    void *context;
    uint32_t error_count;
} MeshListener;

/// Which files can be read, by their endings.
#define MESH_FILE_KINDS "an .obj, .stl or .ply file"
int mesh_file_is_known(const char *path);

/// Read a file by its ending, which is known; its text need not end in 0. Polygons are cut into triangles from a corner
/// that sees all of them. Errors: CLACK_STUDY, reported; CLACK_MEMORY. The source is to be freed in any case.
ClackStatus mesh_file_read(const char *path, const char *text, size_t bytes, MeshListener *listener, MeshSource *out);
void mesh_source_free(MeshSource *source);

#ifdef __cplusplus
}
#endif
#endif
