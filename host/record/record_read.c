// An ensemble file, or a file of contacts, open for reading: its datasets as numbers and texts.
#define _POSIX_C_SOURCE 200809L
#include "record_read.h"

#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

#define NAME_BYTES 512
#define ATTRIBUTE_BYTES_MAX ((size_t)64 << 20)
#define HELD_MOST 20u                  // columns of numbers of the widest table, and some more
#define HELD_SLOTS 1009                // a prime, as HDF5's manual advises
#define HELD_BYTES ((size_t)8 << 20)   // more than a chunk of vectors of a large table
#define UNHELD_BYTES ((size_t)1 << 20) // of chunks that HDF5 keeps by itself while a dataset is open

// A dataset with chunks so large that it stays open with one of them: it may be read in small blocks.
typedef struct Held {
    char *path; // owned; NULL: none
    hid_t dataset;
} Held;

typedef struct HeldList {
    Held items[HELD_MOST];
    size_t next; // where the next one goes
} HeldList;

struct RecordReader {
    char *path;
    hid_t file;
    HeldList *held; // owned
};

static RecordPlace place_of(const RecordReader *reader, ClackReport *report) {
    return (RecordPlace){reader->path, CLACK_CORRUPT, report};
}

typedef ClackStatus (*OpenFormat)(const RecordPlace *place, hid_t *out_file);

static void held_close(Held *held) {
    if (held->path != NULL) H5Dclose(held->dataset);
    free(held->path);
    *held = (Held){0};
}

static ClackStatus reader_open(const char *path, OpenFormat open_format, RecordReader **out_reader,
                               ClackReport *report) {
    RecordReader *reader = calloc(1, sizeof *reader);
    *out_reader = NULL;
    record_h5_quiet();
    if (reader != NULL) {
        reader->file = -1;
        reader->path = strdup(path);
        reader->held = calloc(1, sizeof *reader->held);
    }
    if (reader == NULL || reader->path == NULL || reader->held == NULL) {
        record_read_close(reader);
        return report_add(report, CLACK_MEMORY, "%s: no memory to read it", path);
    }
    const RecordPlace place = place_of(reader, report);
    const ClackStatus status = open_format(&place, &reader->file);
    if (status == CLACK_OK)
        *out_reader = reader;
    else
        record_read_close(reader);
    return status;
}

ClackStatus record_read_open(const char *path, RecordReader **out_reader, ClackReport *report) {
    return reader_open(path, record_open_ensemble, out_reader, report);
}

ClackStatus record_read_open_contacts(const char *path, RecordReader **out_reader, ClackReport *report) {
    return reader_open(path, record_open_contacts, out_reader, report);
}

bool record_read_is_contacts(const char *path) {
    ClackReport unread = {0};
    const RecordPlace place = {path, CLACK_CORRUPT, &unread};
    char format[RECORD_TEXT_BYTES] = "";
    hid_t file = -1;
    record_h5_quiet();
    if (record_h5_open_file(&place, "a file", &file) == CLACK_OK) record_h5_read_text(file, "contacts_format", format);
    if (file >= 0) record_h5_drop_file(file);
    clack_report_clear(&unread);
    return strcmp(format, RECORD_CONTACTS_FORMAT) == 0;
}

void record_read_close(RecordReader *reader) {
    if (reader == NULL) return;
    for (size_t i = 0; reader->held != NULL && i < HELD_MOST; i++) held_close(&reader->held->items[i]);
    free(reader->held);
    if (reader->file >= 0) record_h5_drop_file(reader->file);
    free(reader->path);
    free(reader);
}

ClackStatus record_read_check(const RecordReader *reader, ClackReport *report) {
    const RecordPlace place = place_of(reader, report);
    return record_h5_check_file(&place, reader->file);
}

const char *record_read_path(const RecordReader *reader) { return reader->path; }

// --- names ----------------------------------------------------------------------------------------

// HDF5 asks for every link on the way.
bool record_read_has(const RecordReader *reader, const char *path) {
    char part[NAME_BYTES];
    for (size_t bytes = strcspn(path, "/"); bytes > 0 && bytes < sizeof part;
         bytes += 1 + strcspn(path + bytes + 1, "/")) {
        memcpy(part, path, bytes);
        part[bytes] = '\0';
        if (H5Lexists(reader->file, part, H5P_DEFAULT) <= 0) return false;
        if (path[bytes] == '\0') return true;
    }
    return false;
}

const char *record_read_scenes(const RecordReader *reader, RecordReadTable table) {
    static const char *const paths[][2] = {[RECORD_READ_EVENTS] = {"events/scene_number", "events/scene"},
                                           [RECORD_READ_CONTACTS] = {"contacts/scene_number", "contacts/scene"},
                                           [RECORD_READ_JOINTS] = {"joints/scene_number", "joints/scene"},
                                           [RECORD_READ_TRAJECTORY] = {"trajectory/scene_number", "trajectory/scene"}};
    return paths[table][record_read_has(reader, paths[table][0]) ? 0 : 1];
}

static bool texts_add(RecordTexts *texts, const char *text, size_t bytes) {
    char **grown = realloc(texts->items, (texts->count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    texts->items = grown;
    grown[texts->count] = strndup(text, bytes);
    return grown[texts->count++] != NULL;
}

void record_texts_free(RecordTexts *texts) {
    for (size_t i = 0; i < texts->count; i++) free(texts->items[i]);
    free(texts->items);
    *texts = (RecordTexts){0};
}

static ClackStatus read_links(const RecordReader *reader, const char *group_path, H5O_type_t kind,
                              RecordTexts *out_names, ClackReport *report) {
    const RecordPlace place = place_of(reader, report);
    const bool is_root = group_path[0] == '\0';
    H5G_info_t info = {0};
    ClackStatus status = CLACK_OK;
    *out_names = (RecordTexts){0};
    if (!is_root && !record_read_has(reader, group_path)) return CLACK_OK;
    const hid_t group = H5Gopen2(reader->file, is_root ? "/" : group_path, H5P_DEFAULT);
    if (group < 0 || H5Gget_info(group, &info) < 0) status = record_h5_failed(&place, "open group", group_path);
    for (hsize_t i = 0; status == CLACK_OK && i < info.nlinks; i++) {
        char name[NAME_BYTES];
        H5O_info_t object;
        const ssize_t length =
            H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (length < 0 || H5Oget_info_by_name(group, name, &object, H5P_DEFAULT) < 0)
            status = record_h5_failed(&place, "list group", group_path);
        else if (object.type == kind && !texts_add(out_names, name, sizeof name))
            status = report_add(report, CLACK_MEMORY, "%s: no memory for its names", reader->path);
    }
    if (group >= 0) H5Gclose(group);
    if (status != CLACK_OK) record_texts_free(out_names);
    return status;
}

ClackStatus record_read_names(const RecordReader *reader, const char *group, RecordTexts *out_names,
                              ClackReport *report) {
    return read_links(reader, group, H5O_TYPE_DATASET, out_names, report);
}

ClackStatus record_read_groups(const RecordReader *reader, const char *group, RecordTexts *out_names,
                               ClackReport *report) {
    return read_links(reader, group, H5O_TYPE_GROUP, out_names, report);
}

// --- numbers --------------------------------------------------------------------------------------

static bool has_large_chunks(hid_t dataset) {
    const hid_t properties = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    hsize_t chunk[H5S_MAX_RANK] = {0};
    size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
    const int rank =
        properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED ? H5Pget_chunk(properties, H5S_MAX_RANK, chunk) : 0;
    for (int i = 0; i < rank && bytes <= HELD_BYTES; i++) bytes *= (size_t)chunk[i];
    if (type >= 0) H5Tclose(type);
    if (properties >= 0) H5Pclose(properties);
    return rank > 0 && bytes > UNHELD_BYTES && bytes <= HELD_BYTES;
}

// Open it once more, to stay so. What cannot be held is only read more slowly.
static ClackStatus hold_dataset(const RecordReader *reader, const char *path, ClackReport *report) {
    const RecordPlace place = place_of(reader, report);
    Held *held = &reader->held->items[reader->held->next];
    TRY(record_h5_room(&place));
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    Held made = {.path = strdup(path), .dataset = -1};
    if (access >= 0 && H5Pset_chunk_cache(access, HELD_SLOTS, HELD_BYTES, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0)
        made.dataset = H5Dopen2(reader->file, path, access);
    if (access >= 0) H5Pclose(access);
    if (made.path == NULL || made.dataset < 0) {
        if (made.dataset >= 0) H5Dclose(made.dataset);
        free(made.path);
        return CLACK_OK;
    }
    held_close(held);
    *held = made;
    reader->held->next = (reader->held->next + 1) % HELD_MOST;
    return CLACK_OK;
}

// A reference of its own to the dataset where it is held; < 0: it is not.
static hid_t find_held(const RecordReader *reader, const char *path) {
    for (size_t i = 0; i < HELD_MOST; i++)
        if (reader->held->items[i].path != NULL && strcmp(reader->held->items[i].path, path) == 0)
            return H5Iinc_ref(reader->held->items[i].dataset) > 0 ? reader->held->items[i].dataset : -1;
    return -1;
}

static ClackStatus open_dataset(const RecordReader *reader, const char *path, hid_t *out_dataset, RecordAxes *out_axes,
                                ClackReport *report) {
    const RecordPlace place = place_of(reader, report);
    hsize_t dims[H5S_MAX_RANK] = {0};
    *out_axes = (RecordAxes){0};
    *out_dataset = find_held(reader, path);
    if (*out_dataset < 0) *out_dataset = record_read_has(reader, path) ? H5Dopen2(reader->file, path, H5P_DEFAULT) : -1;
    if (*out_dataset < 0)
        return report_add(report, CLACK_CORRUPT, "%s: expected a dataset %s, found none", reader->path, path);
    const hid_t space = H5Dget_space(*out_dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0) H5Sclose(space);
    if (rank >= 0 && rank <= RECORD_AXES_MAX) {
        out_axes->rank = (uint32_t)rank;
        for (int i = 0; i < rank; i++) out_axes->dims[i] = dims[i];
        return CLACK_OK;
    }
    H5Dclose(*out_dataset);
    return record_h5_failed(&place, "read the shape of", path);
}

ClackStatus record_read_axes(const RecordReader *reader, const char *path, RecordAxes *out_axes, ClackReport *report) {
    hid_t dataset = -1;
    TRY(open_dataset(reader, path, &dataset, out_axes, report));
    H5Dclose(dataset);
    return CLACK_OK;
}

ClackStatus record_read_block(const RecordReader *reader, const char *path, const uint64_t *start,
                              const uint64_t *count, double *out_values, ClackReport *report) {
    const RecordPlace place = place_of(reader, report);
    hsize_t first[RECORD_AXES_MAX] = {0}, counts[RECORD_AXES_MAX] = {0};
    RecordAxes axes;
    hid_t dataset = -1;
    TRY(open_dataset(reader, path, &dataset, &axes, report));
    if (has_large_chunks(dataset) && H5Iget_ref(dataset) == 1) { // held ones have two
        H5Dclose(dataset);
        TRY(hold_dataset(reader, path, report));
        TRY(open_dataset(reader, path, &dataset, &axes, report));
    }
    for (uint32_t i = 0; i < axes.rank; i++) {
        first[i] = start[i];
        counts[i] = count[i];
    }
    const bool is_one = axes.rank == 0;
    const hid_t file_space = H5Dget_space(dataset);
    const hid_t memory_space = is_one ? H5Screate(H5S_SCALAR) : H5Screate_simple((int)axes.rank, counts, NULL);
    ClackStatus status = CLACK_OK;
    if (file_space < 0 || memory_space < 0 ||
        (!is_one && H5Sselect_hyperslab(file_space, H5S_SELECT_SET, first, NULL, counts, NULL) < 0) ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, out_values) < 0)
        status = record_h5_failed(&place, "read dataset", path);
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    H5Dclose(dataset);
    return status;
}

ClackStatus record_read_all(const RecordReader *reader, const char *path, RecordAxes *out_axes, double **out_values,
                            ClackReport *report) {
    static const uint64_t start[RECORD_AXES_MAX] = {0};
    uint64_t count = 1;
    *out_values = NULL;
    TRY(record_read_axes(reader, path, out_axes, report));
    for (uint32_t i = 0; i < out_axes->rank; i++) { // what the file says may be anything
        if (out_axes->dims[i] > 0 && count > SIZE_MAX / sizeof(double) / out_axes->dims[i])
            return report_add(report, CLACK_MEMORY, "%s: no memory for %s", reader->path, path);
        count *= out_axes->dims[i];
    }
    if (count == 0) return CLACK_OK;
    double *values = malloc((size_t)count * sizeof *values);
    if (values == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory for %s", reader->path, path);
    const ClackStatus status = record_read_block(reader, path, start, out_axes->dims, values, report);
    if (status == CLACK_OK)
        *out_values = values;
    else
        free(values);
    return status;
}

// --- texts ----------------------------------------------------------------------------------------

// Strings of fixed or variable length.
static bool take_texts(hid_t dataset, hid_t type, hid_t space, size_t count, RecordTexts *out_texts) {
    const bool is_variable = H5Tis_variable_str(type) > 0;
    const size_t width = is_variable ? sizeof(char *) : H5Tget_size(type);
    char *raw = width > 0 ? calloc(count + 1, width) : NULL;
    bool is_read = raw != NULL && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0;
    for (size_t i = 0; is_read && i < count; i++) {
        const char *text = is_variable ? ((char **)(void *)raw)[i] : raw + i * width;
        is_read = texts_add(out_texts, text != NULL ? text : "", is_variable ? SIZE_MAX : width);
    }
    if (is_read && is_variable) H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    free(raw);
    return is_read;
}

static bool texts_of(hid_t dataset, RecordTexts *out_texts) {
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    *out_texts = (RecordTexts){0};
    const bool is_taken = type >= 0 && count >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                          H5Tget_class(type) == H5T_STRING &&
                          take_texts(dataset, type, space, (size_t)count, out_texts);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (!is_taken) record_texts_free(out_texts);
    return is_taken;
}

void record_texts_read(hid_t group, const char *name, RecordTexts *out_texts) {
    *out_texts = (RecordTexts){0};
    const hid_t dataset = H5Lexists(group, name, H5P_DEFAULT) > 0 ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    if (dataset < 0) return;
    texts_of(dataset, out_texts);
    H5Dclose(dataset);
}

ClackStatus record_read_texts(const RecordReader *reader, const char *path, RecordTexts *out_texts,
                              ClackReport *report) {
    const RecordPlace place = place_of(reader, report);
    RecordAxes axes;
    hid_t dataset = -1;
    *out_texts = (RecordTexts){0};
    TRY(open_dataset(reader, path, &dataset, &axes, report));
    const bool is_taken = texts_of(dataset, out_texts);
    H5Dclose(dataset);
    return is_taken ? CLACK_OK : record_h5_failed(&place, "read the texts of", path);
}

// --- attributes -----------------------------------------------------------------------------------

static hid_t open_attribute(const RecordReader *reader, const char *path, const char *name) {
    const bool is_root = path[0] == '\0';
    if (!is_root && !record_read_has(reader, path)) return -1;
    const char *object = is_root ? "/" : path;
    if (H5Aexists_by_name(reader->file, object, name, H5P_DEFAULT) <= 0) return -1;
    return H5Aopen_by_name(reader->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
}

char *record_read_attribute(const RecordReader *reader, const char *path, const char *name) {
    const hid_t attribute = open_attribute(reader, path, name);
    if (attribute < 0) return calloc(1, 1);
    const hid_t type = H5Aget_type(attribute);
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    const bool is_text = size > 0 && size < ATTRIBUTE_BYTES_MAX && H5Tget_class(type) == H5T_STRING &&
                         H5Tis_variable_str(type) == 0 && H5Aget_storage_size(attribute) == size;
    char *text = calloc(is_text ? size + 1 : 1, 1);
    if (is_text && text != NULL && H5Aread(attribute, type, text) < 0) text[0] = '\0';
    if (type >= 0) H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static bool read_one(const RecordReader *reader, const char *path, const char *name, hid_t type, void *out_value) {
    const hid_t attribute = open_attribute(reader, path, name);
    if (attribute < 0) return false;
    const hid_t space = H5Aget_space(attribute);
    const bool is_one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    const bool is_read = is_one && H5Aread(attribute, type, out_value) >= 0;
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return is_read;
}

bool record_read_number(const RecordReader *reader, const char *path, const char *name, double *out_value) {
    return read_one(reader, path, name, H5T_NATIVE_DOUBLE, out_value);
}

bool record_read_u64(const RecordReader *reader, const char *path, const char *name, uint64_t *out_value) {
    return read_one(reader, path, name, H5T_NATIVE_UINT64, out_value);
}
