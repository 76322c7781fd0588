// Whether a file reads back: everything that it holds, before it gets the name under which it counts.
#define _DEFAULT_SOURCE // fork, setrlimit
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_internal.h"

typedef struct Check {
    const RecordPlace *place;
    void *room; // owned
    size_t room_bytes;
    ClackStatus status;
} Check;

static ClackStatus check_room(Check *check, size_t bytes) {
    if (bytes <= check->room_bytes) return CLACK_OK;
    free(check->room);
    check->room = malloc(bytes);
    check->room_bytes = check->room != NULL ? bytes : 0;
    return check->room != NULL
               ? CLACK_OK
               : report_add(check->place->report, CLACK_MEMORY, "%s: no memory to read it back", check->place->path);
}

// --- datasets -------------------------------------------------------------------------------------

// Packed chunks end in their checksum (record_h5_dataset): it is compared without unpacking them.
static ClackStatus check_chunk(Check *check, hid_t dataset, const char *name, const hsize_t *start) {
    hsize_t bytes = 0;
    uint32_t left_out = 0;
    if (H5Dget_chunk_storage_size(dataset, start, &bytes) < 0 || bytes == 0) return CLACK_OK; // never written
    TRY(check_room(check, (size_t)bytes));
    if (H5Dread_chunk(dataset, H5P_DEFAULT, start, &left_out, check->room) < 0)
        return record_h5_failed(check->place, "read dataset", name);
    if (left_out != 0 || record_has_its_checksum(check->room, (size_t)bytes)) return CLACK_OK;
    return report_add(check->place->report, check->place->status,
                      "%s: %s: a chunk has another checksum than it was written with", check->place->path, name);
}

static ClackStatus check_chunks(Check *check, hid_t dataset, const char *name, int rank, const hsize_t *dims,
                                const hsize_t *chunk) {
    hsize_t start[RECORD_RANK_MAX] = {0};
    for (int i = 0; i < rank; i++)
        if (dims[i] == 0 || chunk[i] == 0) return CLACK_OK;
    for (int axis = 0; axis >= 0;) { // start counts chunks, the last axis first
        TRY(check_chunk(check, dataset, name, start));
        for (axis = rank - 1; axis >= 0; axis--) {
            start[axis] += chunk[axis];
            if (start[axis] < dims[axis]) break;
            start[axis] = 0;
        }
    }
    return CLACK_OK;
}

static ClackStatus check_values(Check *check, hid_t dataset, const char *name, hid_t space) {
    const hid_t type = H5Dget_type(dataset);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t width = type < 0 ? 0 : H5Tget_size(type);
    ClackStatus status = count < 0 || width == 0 ? record_h5_failed(check->place, "read dataset", name)
                                                 : check_room(check, ((size_t)count + 1) * width);
    if (status == CLACK_OK) {
        if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, check->room) < 0)
            status = record_h5_failed(check->place, "read dataset", name);
        else if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0)
            H5Dvlen_reclaim(type, space, H5P_DEFAULT, check->room);
    }
    if (type >= 0) H5Tclose(type);
    return status;
}

static ClackStatus check_dataset(Check *check, hid_t dataset, const char *name) {
    hsize_t dims[RECORD_RANK_MAX] = {0}, chunk[RECORD_RANK_MAX] = {0};
    const hid_t space = H5Dget_space(dataset), properties = H5Dget_create_plist(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    ClackStatus status = CLACK_OK;
    if (properties < 0 || rank < 0 || rank > RECORD_RANK_MAX || H5Sget_simple_extent_dims(space, dims, NULL) < 0)
        status = record_h5_failed(check->place, "read the shape of", name);
    else if (H5Pget_layout(properties) != H5D_CHUNKED)
        status = check_values(check, dataset, name, space);
    else if (H5Pget_chunk(properties, rank, chunk) != rank)
        status = record_h5_failed(check->place, "read the shape of", name);
    else
        status = check_chunks(check, dataset, name, rank, dims, chunk);
    if (properties >= 0) H5Pclose(properties);
    if (space >= 0) H5Sclose(space);
    return status;
}

// --- everything -----------------------------------------------------------------------------------

static herr_t check_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context) {
    Check *check = context;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute),
                space = attribute < 0 ? -1 : H5Aget_space(attribute);
    (void)info;
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const size_t width = type < 0 ? 0 : H5Tget_size(type);
    if (count >= 0 && width > 0) check->status = check_room(check, ((size_t)count + 1) * width);
    if (check->status == CLACK_OK && (count < 0 || width == 0 || H5Aread(attribute, type, check->room) < 0))
        check->status = record_h5_failed(check->place, "read attribute", name);
    else if (check->status == CLACK_OK && H5Tdetect_class(type, H5T_VLEN) > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, check->room);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (attribute >= 0) H5Aclose(attribute);
    return check->status == CLACK_OK ? 0 : -1;
}

static herr_t check_object(hid_t root, const char *name, const H5O_info_t *info, void *context) {
    Check *check = context;
    const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    hsize_t attribute = 0;
    (void)info;
    if (object < 0)
        check->status = record_h5_failed(check->place, "open", name);
    else if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &attribute, check_attribute, check) < 0 &&
             check->status == CLACK_OK)
        check->status = record_h5_failed(check->place, "list the attributes of", name);
    if (check->status == CLACK_OK && H5Iget_type(object) == H5I_DATASET)
        check->status = check_dataset(check, object, name);
    if (object >= 0) H5Oclose(object);
    return check->status == CLACK_OK ? 0 : -1;
}

static ClackStatus check_file(const RecordPlace *place, hid_t file) {
    Check check = {.place = place, .status = CLACK_OK};
    if (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, check_object, &check) < 0 && check.status == CLACK_OK)
        check.status = record_h5_failed(place, "list", "what is in the file");
    free(check.room);
    return check.status;
}

ClackStatus record_check(const char *path, ClackReport *report) {
    const RecordPlace place = {path, CLACK_CORRUPT, report};
    hid_t file = -1;
    record_h5_quiet();
    ClackStatus status = record_open_ensemble(&place, &file);
    if (status == CLACK_OK) status = check_file(&place, file);
    return file >= 0 ? record_h5_close_file(&place, file, status) : status;
}

// --- files without a seal -------------------------------------------------------------------------

// In a process of its own, which ends with it. What is wrong with the file is for the reader to say.
static void probe(const RecordPlace *place, hid_t file) {
    const struct rlimit none = {0, 0};
    const int nowhere = open("/dev/null", O_WRONLY);
    ClackReport report = {0};
    const RecordPlace own = {place->path, place->status, &report};
    setrlimit(RLIMIT_CORE, &none);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    check_file(&own, file);
    _exit(0);
}

ClackStatus record_probe(const RecordPlace *place, hid_t file) {
    int state = 0;
    const pid_t child = fork();
    if (child == 0) probe(place, file);
    if (child < 0)
        return report_add(place->report, CLACK_MEMORY, "%s: no process to try whether it can be read: %s", place->path,
                          strerror(errno));
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return CLACK_OK; // another part of the program waits for all children
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return CLACK_OK;
    return report_add(place->report, place->status, "%s: is damaged: HDF5 cannot read all of it", place->path);
}
