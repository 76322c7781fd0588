// Study file -> Study: reads the file and the palettes, lets the sections check themselves, frees.
#define _POSIX_C_SOURCE 200809L
#include "study.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hull.h"
#include "mesh_table.h"
#include "study_internal.h"
#include "study_override_internal.h"
#include "text.h"

#define STUDY_FILE_BYTES_MAX ((size_t)256 << 20)

// --- files ----------------------------------------------------------------------------------------

static const char *kind_refused(mode_t mode) {
    return S_ISDIR(mode)    ? "a folder, expected a file"
           : S_ISFIFO(mode) ? "a FIFO, expected a file that can be read again"
           : S_ISSOCK(mode) ? "a socket, expected a file"
           : S_ISREG(mode)  ? NULL
                            : "a device, expected a file";
}

// An open file, its bytes; NULL with the reason. A FIFO is not waited for.
static FILE *file_open(const char *path, size_t *out_bytes, const char **out_why) {
    struct stat about;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    const int is_known = fd >= 0 && fstat(fd, &about) == 0;
    // Sockets cannot be opened, nor devices that are not there.
    const int is_named = !is_known && stat(path, &about) == 0;
    *out_why = is_known || (is_named && errno == ENXIO) ? kind_refused(about.st_mode) : NULL;
    FILE *file = is_known && *out_why == NULL ? fdopen(fd, "rb") : NULL;
    if (file == NULL && *out_why == NULL) *out_why = strerror(errno);
    if (file == NULL && fd >= 0) close(fd);
    *out_bytes = is_known ? (size_t)about.st_size : 0;
    return file;
}

// The whole file with a 0 after it. NULL with the reason, NULL too where there is no memory.
static char *file_read(const char *path, size_t *out_bytes, const char **out_why) {
    size_t capacity = 0, bytes = 0;
    FILE *file = file_open(path, &capacity, out_why);
    char *text = NULL;
    if (file == NULL) return NULL;
    *out_why = capacity > STUDY_FILE_BYTES_MAX ? strerror(EFBIG) : NULL;
    if (*out_why == NULL) text = malloc(capacity + 1);
    while (text != NULL) { // bounded by the largest file: it may grow as it is read
        errno = 0;
        bytes += fread(text + bytes, 1, capacity + 1 - bytes, file);
        if (ferror(file))
            *out_why = strerror(errno != 0 ? errno : EIO);
        else if (bytes > STUDY_FILE_BYTES_MAX)
            *out_why = strerror(EFBIG);
        if (*out_why != NULL || bytes <= capacity) break;
        capacity = capacity * 2 + 4096;
        char *grown = realloc(text, capacity + 1);
        if (grown == NULL) free(text);
        text = grown;
    }
    fclose(file);
    if (*out_why != NULL || text == NULL) {
        free(text);
        return NULL;
    }
    text[bytes] = '\0';
    *out_bytes = bytes;
    return text;
}

static char *text_copy(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}

const InputFile *input_add(Reader *reader, const YamlNode *node, const char *path, const char *hint) {
    Study *study = reader->study;
    for (uint32_t i = 0; i < study->input_count; i++)
        if (strcmp(study->inputs[i].path, path) == 0) return &study->inputs[i];
    if (!reader_grow(reader, (void **)&study->inputs, &reader->input_capacity, study->input_count,
                     sizeof *study->inputs))
        return NULL;
    InputFile *input = &study->inputs[study->input_count];
    *input = (InputFile){0};
    const char *why = NULL;
    input->text = file_read(path, &input->text_bytes, &why);
    if (input->text == NULL && why == NULL) {
        reader->is_out_of_memory = true;
        return NULL;
    }
    if (input->text == NULL) {
        if (node != NULL)
            reader_error(reader, node, "expected a file that can be read, found %s: %s", path, why);
        else
            report_add(reader->report, CLACK_IO, "%s: cannot be read: %s%s", path, why, hint);
        reader->is_io_failure = true;
        return NULL;
    }
    input->path = text_copy(path);
    if (input->path == NULL) {
        free(input->text);
        reader->is_out_of_memory = true;
        return NULL;
    }
    study->input_count++;
    return input;
}

// One more input, whose text is taken over; NULL, and the text freed, without memory.
static const InputFile *input_take_text(Reader *reader, const char *path, char *text, size_t bytes) {
    Study *study = reader->study;
    char *name = text_copy(path);
    if (name == NULL || !reader_grow(reader, (void **)&study->inputs, &reader->input_capacity, study->input_count,
                                     sizeof *study->inputs)) {
        free(name);
        free(text);
        reader->is_out_of_memory = true;
        return NULL;
    }
    InputFile *input = &study->inputs[study->input_count++];
    *input = (InputFile){.path = name, .text = text, .text_bytes = bytes};
    return input;
}

// The study file itself or one that it names, where its text is given.
static const InputFile *input_add_text(Reader *reader, const char *path, const char *text, size_t bytes) {
    const Study *study = reader->study;
    for (uint32_t i = 1; i < study->input_count; i++)
        if (strcmp(study->inputs[i].path, path) == 0) return &study->inputs[i];
    char *copy = malloc(bytes + 1);
    if (copy == NULL) {
        reader->is_out_of_memory = true;
        return NULL;
    }
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return input_take_text(reader, path, copy, bytes);
}

const InputFile *input_add_table(Reader *reader, const ClackStudyTable *table, double **out_values) {
    const size_t values_bytes = table->column_count * table->row_count * sizeof(double);
    size_t names_bytes = 0, at = 0;
    for (size_t i = 0; i < table->column_count; i++) names_bytes += strlen(table->columns[i]) + 1;
    names_bytes += sizeof(double) - names_bytes % sizeof(double); // as numbers are aligned
    char *text = calloc(names_bytes + values_bytes + 1, 1);
    if (text == NULL) {
        reader->is_out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const size_t bytes = strlen(table->columns[i]);
        memcpy(text + at, table->columns[i], bytes);
        text[at + bytes] = i + 1 < table->column_count ? ',' : '\n';
        at += bytes + 1;
    }
    memcpy(text + names_bytes, table->values, values_bytes);
    *out_values = (double *)(void *)(text + names_bytes);
    return input_take_text(reader, table->name, text, names_bytes + values_bytes);
}

const InputFile *input_add_beside(Reader *reader, const YamlNode *node, const char *name) {
    for (size_t i = 0; i < reader->options->file_count; i++) {
        const ClackStudyFile *given = &reader->options->files[i];
        if (strcmp(given->name, name) == 0) return input_add_text(reader, name, given->text, given->bytes);
    }
    const char *study_path = reader->study->inputs[0].path;
    const char *slash = name[0] == '/' ? NULL : strrchr(study_path, '/');
    const int folder_bytes = slash != NULL ? (int)(slash - study_path) + 1 : 0;
    const size_t bytes = (size_t)folder_bytes + strlen(name) + 1;
    char *path = reader_take(reader, bytes);
    if (path == NULL) return NULL;
    snprintf(path, bytes, "%.*s%s", folder_bytes, study_path, name);
    return input_add(reader, node, path, "");
}

// --- sections -------------------------------------------------------------------------------------

static void read_format(Reader *reader, const YamlNode *root) {
    const YamlNode *format = map_require(reader, root, "format", "1");
    if (format != NULL && !(format->kind == YAML_SCALAR && strcmp(format->text, "1") == 0))
        reader_expected(reader, format, "1, the format this version reads");
}

static void read_palette(Reader *reader, const char *dir, const char *name, const char *const *keys) {
    const char *hint = " (a palette; CLACK_DATA_DIR names its folder)";
    const size_t bytes = strlen(dir) + strlen(name) + 2;
    char *path = reader_take(reader, bytes);
    if (path == NULL) return;
    snprintf(path, bytes, "%s/%s", dir, name);
    const InputFile *input = input_add(reader, NULL, path, hint);
    if (input == NULL) return;
    YamlNode *root = tree_parse(reader, input->text, input->text_bytes, input->path, true);
    if (root == NULL || !map_check(reader, root, keys, NULL)) return;
    reader->is_palette = true;
    read_format(reader, root);
    read_materials(reader, map_get(root, "materials"));
    read_pairs(reader, map_get(root, "pairs"));
    reader->is_palette = false;
}

static void read_palettes(Reader *reader, const char *dir) {
    static const char *const material_keys[] = {"format", "materials", NULL};
    static const char *const pair_keys[] = {"format", "pairs", NULL};
    char found[STUDY_DATA_DIR_BYTES];
    if (dir == NULL) {
        study_data_dir(found);
        dir = found;
    }
    read_palette(reader, dir, "materials.yaml", material_keys);
    // Without the materials each pair would be one more error that follows from the first.
    if (reader_status(reader) == CLACK_OK) read_palette(reader, dir, "contact_pairs.yaml", pair_keys);
}

static void read_title(Reader *reader, const YamlNode *node, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *title = read_text(reader, node, "a text");
    if (title == NULL) title = slash != NULL ? slash + 1 : path;
    reader->study->title = text_copy(title);
    if (reader->study->title == NULL) reader->is_out_of_memory = true;
}

static void read_root(Reader *reader, const YamlNode *root, const char *path) {
    static const char *const keys[] = {"format", "units",  "title",   "variables", "scene",
                                       "design", "solver", "outputs", NULL};
    static const char *const units[] = {"SI", NULL};
    if (!map_check(reader, root, keys, NULL)) return;
    read_format(reader, root);
    read_word(reader, map_get(root, "units"), units, NULL, 0);
    read_title(reader, map_get(root, "title"), path);
    read_table(reader, map_get(root, "design"));
    read_variables(reader, map_get(root, "variables"));
    const YamlNode *scene = map_require(reader, root, "scene", "a map");
    const YamlNode *solver = reader->is_for_poses ? map_get(root, "solver")
                                                  : map_require(reader, root, "solver", "a map with at least \"end\"");
    reader->study->scene.method = read_method(reader, solver); // what a scene may hold depends on it
    if (reader->study->scene.method == METHOD_TRAPEZOIDAL) reader->takes_meshes = true;
    read_scene(reader, scene);
    read_solver(reader, solver, scene);
    check_method(reader, scene, solver);
    check_joints(reader, map_get(scene, "joints"));
    parameters_finish(reader);
    read_design(reader, map_get(root, "design"), root);
    read_outputs(reader, map_get(root, "outputs"));
}

// --- the study ------------------------------------------------------------------------------------

static void study_keep_override(Reader *reader, char *text) {
    Study *study = reader->study;
    if (text == NULL)
        reader->is_out_of_memory = true;
    else
        study->overrides[study->override_count++] = text;
}

// What the study's files do not tell of the scenes. `samples` ("": none) takes the place of what sets the same number.
static void study_keep_overrides(Reader *reader, const StudyOptions *options, const char *samples) {
    Study *study = reader->study;
    const size_t path_bytes = strcspn(samples, "=");
    study->overrides = calloc(options->override_count + 2, sizeof *study->overrides);
    if (study->overrides == NULL) reader->is_out_of_memory = true;
    for (size_t i = 0; i < options->override_count && !reader->is_out_of_memory; i++) {
        const StudyOverride *given = &options->overrides[i];
        const size_t bytes = strlen(given->path) + strlen(given->value) + 2;
        if (strlen(given->path) == path_bytes && strncmp(given->path, samples, path_bytes) == 0) continue;
        char *text = malloc(bytes);
        if (text != NULL) snprintf(text, bytes, "%s=%s", given->path, given->value);
        study_keep_override(reader, text);
    }
    if (samples[0] != '\0' && !reader->is_out_of_memory) study_keep_override(reader, text_copy(samples));
}

static void study_load(Reader *reader, const char *path, const StudyOptions *options) {
    char samples[STUDY_SAMPLES_BYTES] = "";
    const InputFile *given = options->text != NULL ? input_add_text(reader, path, options->text, options->text_bytes)
                                                   : input_add(reader, NULL, path, "");
    if (given == NULL) return;
    reader->takes_meshes = options->takes_meshes != 0;
    reader->tells_idle = options->tells_idle != 0;
    reader->is_for_poses = options->is_for_poses != 0;
    read_palettes(reader, options->data_dir);
    if (reader_status(reader) != CLACK_OK) return;
    const InputFile *input = &reader->study->inputs[0];
    YamlNode *root = tree_parse(reader, input->text, input->text_bytes, input->path, true);
    if (root == NULL) {
        const YamlPlace place = {input->path, 1, 1};
        if (reader_status(reader) == CLACK_OK)
            reader_error_at(reader, &place,
                            "expected a map with the keys format, scene and solver, found an empty file");
        return;
    }
    for (size_t i = 0; i < options->override_count; i++) tree_override(reader, root, &options->overrides[i]);
    samples_override(reader, root, samples);
    study_keep_overrides(reader, options, samples);
    tree_order(root);
    read_root(reader, root, path);
    if (options->seed != NULL) reader->study->design.seed = *options->seed;
    uses_settle(reader, root);
    if (reader_status(reader) == CLACK_OK) idle_check(reader, root);
    if (reader_status(reader) == CLACK_OK) overrides_check(reader, root, options->seed != NULL);
    if (reader_status(reader) == CLACK_OK) scenes_check(reader);
}

ClackStatus study_refuse_scene(uint64_t scene_count, uint64_t scene, ClackReport *report) {
    return report_add(report, CLACK_USAGE, "scene %" PRIu64 ": the study has %" PRIu64 " %s, from 0", scene,
                      scene_count, text_plural(scene_count, "scene", "scenes"));
}

// Are more samples of the design more of the same scenes?
static ClackStatus study_check_samples(const Study *study, ClackReport *report) {
    const char *why = study_design_is_fixed(study->design.kind);
    if (why == NULL && study->scenes_before > 0) return CLACK_OK;
    return why == NULL ? report_add(report, CLACK_USAGE,
                                    "%s: expected a design with `samples`, of which there can be more, found none",
                                    study->inputs[0].path)
                       : report_add(report, CLACK_USAGE, "%s: design.%s: cannot be extended: %s", study->inputs[0].path,
                                    study_design_name(study->design.kind), why);
}

ClackStatus study_read(const char *path, const StudyOptions *options, Study **out_study, ClackReport *report) {
    static const StudyOptions no_options = {0};
    assert(path != NULL && out_study != NULL);
    *out_study = NULL;
    if (options == NULL) options = &no_options;
    Reader reader = {.report = report, .options = options, .study = calloc(1, sizeof(Study))};
    // Numbers are written with a point whatever the program's locale.
    const locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (reader.study == NULL || locale == (locale_t)0)
        reader.is_out_of_memory = true;
    else {
        const locale_t before = uselocale(locale);
        study_load(&reader, path, options);
        uselocale(before);
    }
    if (locale != (locale_t)0) freelocale(locale);
    ClackStatus status = reader_status(&reader);
    if (status != CLACK_MEMORY) reader_tell(&reader); // else what is missing may be there
    if (status == CLACK_OK && options->samples > 0) status = study_check_samples(reader.study, report);
    if (status == CLACK_MEMORY) report_add(report, CLACK_MEMORY, "%s: no memory to read it", path);
    reader_free(&reader);
    if (status != CLACK_OK)
        study_free(reader.study);
    else
        *out_study = reader.study;
    return status;
}

void study_free(Study *study) {
    if (study == NULL) return;
    for (uint32_t i = 0; i < study->parameter_count; i++) {
        free(study->parameters[i].distribution.values);
        free(study->parameters[i].distribution.cumulative);
    }
    for (uint32_t i = 0; i < study->input_count; i++) {
        free(study->inputs[i].path);
        free(study->inputs[i].text);
    }
    for (uint32_t i = 0; i < study->override_count; i++) free(study->overrides[i]);
    free(study->overrides);
    for (uint32_t i = 0; i < study->scene.hull_count; i++) hull_free(study->scene.hulls[i]);
    free(study->scene.hulls);
    for (uint32_t i = 0; i < study->scene.solid_count; i++) free(study->scene.solids[i]);
    free(study->scene.solids);
    for (uint32_t i = 0; i < study->scene.mesh_count; i++) mesh_table_free(study->scene.meshes[i]);
    free(study->scene.meshes);
    for (uint32_t i = 0; i < study->mesh_count; i++) free(study->meshes[i].path);
    free(study->meshes);
    for (uint32_t i = 0; i < study->derivation_count; i++) {
        free(study->derivations[i].expression.steps);
        free(study->derivations[i].means);
        free(study->derivations[i].factor);
    }
    for (uint32_t i = 0; i < study->check_count; i++) free(study->checks[i].where);
    free(study->derivations);
    free(study->checks);
    free(study->presences);
    free(study->parameters);
    free(study->inputs);
    free(study->bindings);
    for (uint32_t i = 0; i < study->statistics.reference_count; i++) {
        free(study->statistics.references[i].values);
        free(study->statistics.references[i].levels);
        free(study->statistics.references[i].sizes);
    }
    free(study->statistics.references);
    for (uint32_t i = 0; i < study->quantity_count; i++) {
        free(study->quantities[i].faces);
        free(study->quantities[i].expression.steps);
    }
    free(study->quantities);
    free(study->watches);
    for (uint32_t i = 0; study->body_places != NULL && i < study->scene.body_count; i++)
        free(study->body_places[i].text);
    free(study->body_places);
    free(study->scene.materials);
    free(study->scene.pairs);
    free(study->scene.shapes);
    free(study->scene.bodies);
    free(study->scene.joints);
    free(study->scene.functions);
    free(study->title);
    free(study);
}
