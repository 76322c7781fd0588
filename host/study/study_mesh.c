// Mesh files of a study: each is read once, and what is wrong with it is reported with its own places.
#include "study_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh_file.h"

#define FILL_LEAST 1.01 // a hull this much larger than what it stands for fills a concavity

struct MeshFile { // memory of the reader, but for the source's arrays
    const InputFile *input;
    const char *path; // of the input, which may move
    MeshSource source;
    bool is_ok;
    MeshFile *next;
};

typedef struct FileListener {
    Reader *reader;
    const char *path;
} FileListener;

static void file_tell(void *context, int is_warning, uint32_t line, uint32_t column, const char *text) {
    const FileListener *listener = context;
    const YamlPlace place = {listener->path, line, line > 0 && column == 0 ? 1 : column};
    if (is_warning)
        reader_warn_at(listener->reader, &place, "%s", text);
    else
        reader_error_at(listener->reader, &place, "%s", text);
}

static const InputFile *input_of(const Reader *reader, const char *path) {
    for (uint32_t i = 0; i < reader->study->input_count; i++)
        if (reader->study->inputs[i].path == path) return &reader->study->inputs[i];
    return NULL;
}

const MeshSource *read_mesh_file(Reader *reader, const YamlNode *node, const InputFile **out_input) {
    const char *name = read_text(reader, node, "the path of " MESH_FILE_KINDS);
    if (name == NULL) return NULL;
    if (!mesh_file_is_known(name)) {
        reader_expected(reader, node, "the path of " MESH_FILE_KINDS);
        return NULL;
    }
    const InputFile *input = input_add_beside(reader, node, name);
    if (input == NULL) return NULL;
    MeshFile *file = reader->mesh_files;
    while (file != NULL && file->path != input->path) file = file->next;
    if (file == NULL) {
        file = reader_take(reader, sizeof *file);
        if (file == NULL) return NULL;
        FileListener reported = {reader, input->path};
        MeshListener listener = {.tell = file_tell, .context = &reported};
        file->path = input->path;
        file->next = reader->mesh_files;
        reader->mesh_files = file; // its source is freed from there, whatever comes
        const ClackStatus status = mesh_file_read(name, input->text, input->text_bytes, &listener, &file->source);
        if (status == CLACK_MEMORY) reader->is_out_of_memory = true;
        file->is_ok = status == CLACK_OK;
    }
    *out_input = input_of(reader, file->path);
    return file->is_ok ? &file->source : NULL;
}

YamlPlace mesh_place(const MeshSource *source, const InputFile *input, uint32_t triangle, char *out_which,
                     size_t bytes) {
    out_which[0] = '\0';
    if (source->has_lines) return (YamlPlace){input->path, source->places[triangle], 1};
    snprintf(out_which, bytes, "triangle %u: ", source->places[triangle]);
    return (YamlPlace){input->path, 0, 0};
}

void mesh_files_free(Reader *reader) {
    for (MeshFile *file = reader->mesh_files; file != NULL; file = file->next) mesh_source_free(&file->source);
    reader->mesh_files = NULL;
}

double mesh_fill(double hull_m3, const Mesh *mesh) {
    if (!mesh_is_closed(mesh)) return 1.0;
    const double volume_m3 = mesh_weigh(mesh).volume_m3;
    return volume_m3 > 0.0 && hull_m3 > FILL_LEAST * volume_m3 ? hull_m3 / volume_m3 : 1.0;
}
