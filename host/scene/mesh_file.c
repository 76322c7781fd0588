// Which reader takes a mesh file.
#include "mesh_file_internal.h"

#include <string.h>
#include <strings.h>

typedef ClackStatus (*MeshRead)(const char *text, size_t bytes, MeshListener *listener, MeshSource *out);

static MeshRead reader_of(const char *path) {
    static const struct {
        const char *ending;
        MeshRead read;
    } kinds[] = {{".obj", mesh_obj_read}, {".stl", mesh_stl_read}, {".ply", mesh_ply_read}};
    const size_t bytes = strlen(path);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t tail = strlen(kinds[k].ending);
        if (bytes >= tail && strcasecmp(path + bytes - tail, kinds[k].ending) == 0) return kinds[k].read;
    }
    return NULL;
}

int mesh_file_is_known(const char *path) { return reader_of(path) != NULL; }

ClackStatus mesh_file_read(const char *path, const char *text, size_t bytes, MeshListener *listener, MeshSource *out) {
    *out = (MeshSource){0};
    return reader_of(path)(text, bytes, listener, out);
}
