// Checked calls of HDF5: each does one thing, fills the report where it fails, and closes what it opened.
#include <hdf5_hl.h>

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"
#include "record_disk.h"

#define DEFLATE_LEVEL 1        // with shuffle; higher levels cost time and gain a few per cent on such data
#define CHUNK_CACHE_SLOTS 1009 // a prime well above the chunks in use, as HDF5's manual advises

// HDF5 1.10 writes through pointers of allocations that failed, or ends the program, so there has to be enough before
// it is called: 21 MiB are the most that it held for the studies tried, of data/.
#define ROOM_BYTES ((size_t)48 << 20)

static bool has_room(void) {
    void *volatile room = malloc(ROOM_BYTES); // volatile: else the compiler may leave both calls out
    free(room);
    return room != NULL;
}

// Without H5dont_atexit HDF5 1.10 crashes at the end of a program that could not close a file on a full disk.
void record_h5_quiet(void) {
    if (!has_room()) return; // record_h5_room tells it; HDF5's own start needs memory too
    H5dont_atexit();         // refused after the first call, which does no harm
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

ClackStatus record_h5_room(const RecordPlace *place) {
    if (has_room()) return CLACK_OK;
    return report_add(place->report, CLACK_MEMORY, "%s: no memory for HDF5, for which %zu MiB have to be free",
                      place->path, ROOM_BYTES >> 20);
}

#define REASON_BYTES 512

// The first entry upwards is the innermost: the reason, where the outer ones only name calls that failed.
static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *out_reason) {
    static const char errno_text[] = "error message = '";
    char *reason = out_reason;
    if (n != 0 || error->desc == NULL) return 0;
    const char *found = strstr(error->desc, errno_text);
    if (found != NULL) { // the system's own words, without HDF5's handles and offsets
        found += sizeof errno_text - 1;
        snprintf(reason, REASON_BYTES, "%.*s", (int)strcspn(found, "'"), found);
    } else {
        snprintf(reason, REASON_BYTES, "%s", error->desc);
    }
    return 0;
}

ClackStatus record_h5_failed(const RecordPlace *place, const char *action, const char *name) {
    char reason[REASON_BYTES] = "HDF5 gives no reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
    const char *space = name[0] != '\0' ? " " : "";
    return report_add(place->report, place->status, "%s: cannot %s%s%s: %s", place->path, action, space, name, reason);
}

hid_t record_h5_file_type(RecordType type) {
    switch (type) {
    case RECORD_U8: return H5T_STD_U8LE;
    case RECORD_I32: return H5T_STD_I32LE;
    case RECORD_U32: return H5T_STD_U32LE;
    case RECORD_F64: break;
    }
    return H5T_IEEE_F64LE;
}

// Without creation order netCDF-4 refuses to write into the file later.
static herr_t track_link_order(hid_t properties) {
    return H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
}

static herr_t track_attribute_order(hid_t properties) {
    return H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
}

ClackStatus record_h5_create_file(const RecordPlace *place, hid_t *out_file) {
    TRY(record_h5_room(place));
    DiskFault fault = {0};
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = record_disk_access(&fault);
    ClackStatus status = CLACK_OK;
    if (creation < 0 || access < 0 || track_link_order(creation) < 0 || track_attribute_order(creation) < 0 ||
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0) {
        status = record_h5_failed(place, "set up the file", "");
        goto cleanup;
    }
    *out_file = H5Fcreate(place->path, H5F_ACC_TRUNC, creation, access);
    if (*out_file < 0) {
        *out_file = 0;
        status = fault.action != NULL ? record_disk_report(place->path, &fault, place->report)
                                      : record_h5_failed(place, "create the file", "");
    } else {
        record_disk_is_open(*out_file);
    }
cleanup:
    if (creation >= 0) H5Pclose(creation);
    if (access >= 0) H5Pclose(access);
    return status;
}

// Of a file that is not there: where it comes from.
static ClackStatus record_h5_missing(const RecordPlace *place, int reason) {
    char manifest[4096];
    const int length = snprintf(manifest, sizeof manifest, "%s.parts/manifest.jsonl", place->path);
    FILE *parts = length > 0 && (size_t)length < sizeof manifest ? fopen(manifest, "rb") : NULL;
    if (parts == NULL)
        return report_add(
            place->report, CLACK_IO, "%s: cannot read the file: %s%s", place->path, strerror(reason),
            reason == ENOTDIR ? "; a part of this path is a file (\"clack info FILE\" tells what is in one)" : "");
    fclose(parts);
    return report_add(
        place->report, CLACK_IO,
        "%s: its run has not ended: \"clack resume %s\" goes on with it, \"clack merge %s.parts/b*.h5 -o FILE "
        "--partial\" shows what there is",
        place->path, place->path, place->path);
}

static ClackStatus open_file(const RecordPlace *place, unsigned flags, const char *what, hid_t *out_file) {
    TRY(record_h5_room(place));
    DiskFault fault = {0};
    const hid_t access = record_disk_access(&fault);
    *out_file = access < 0 ? -1 : H5Fopen(place->path, flags, access);
    if (access >= 0) H5Pclose(access);
    if (*out_file >= 0) {
        record_disk_is_open(*out_file);
        return CLACK_OK;
    }
    if (fault.action != NULL) return record_disk_report(place->path, &fault, place->report);
    ClackReport reason = {0}; // HDF5 says the same of what is damaged and of what is no such file
    const RecordPlace inner = {place->path, place->status, &reason};
    const ClackStatus status = record_h5_failed(&inner, "open the file", "");
    if (H5Fis_hdf5(place->path) != 0)
        report_move(&reason, place->report);
    else
        report_add(place->report, status, "%s: not %s: it is no HDF5 file", place->path, what);
    clack_report_clear(&reason);
    return status;
}

ClackStatus record_h5_open_file(const RecordPlace *place, const char *what, hid_t *out_file) {
    // HDF5 says the same of a file that is missing and of one that is damaged: ask the system first.
    errno = 0;
    FILE *stream = fopen(place->path, "rb");
    char first_byte;
    const bool is_readable = stream != NULL && (fread(&first_byte, 1, 1, stream) == 1 || !ferror(stream));
    const int reason = errno;
    if (stream != NULL) fclose(stream);
    *out_file = -1;
    if (!is_readable) return record_h5_missing(place, reason);
    return open_file(place, H5F_ACC_RDONLY, what, out_file);
}

ClackStatus record_h5_open_to_change(const RecordPlace *place, hid_t *out_file) {
    return open_file(place, H5F_ACC_RDWR, "an ensemble file", out_file);
}

ClackStatus record_h5_finish_file(const RecordPlace *place, hid_t file, ClackStatus status) {
    TRY(record_h5_close_file(place, file, status));
    return record_seal_write(place->path, place->report);
}

ClackStatus record_h5_close(const RecordPlace *place, hid_t id, const char *name, ClackStatus status) {
    if (id < 0) return status;
    const H5I_type_t type = H5Iget_type(id);
    const herr_t closed = type == H5I_ATTR ? H5Aclose(id) : type == H5I_GROUP ? H5Gclose(id) : H5Dclose(id);
    return status == CLACK_OK && closed < 0 ? record_h5_failed(place, "write", name) : status;
}

ClackStatus record_h5_group(const RecordPlace *place, hid_t parent, const char *name, hid_t *out_group) {
    const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    ClackStatus status = CLACK_OK;
    *out_group = -1;
    // No time stamps inside: the same results shall give the same bytes.
    if (creation >= 0 && track_link_order(creation) >= 0 && track_attribute_order(creation) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0) {
        *out_group = H5Gcreate2(parent, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    if (*out_group < 0) status = record_h5_failed(place, "create group", name);
    if (creation >= 0) H5Pclose(creation);
    return status;
}

// --- attributes -----------------------------------------------------------------------------------

static ClackStatus write_attribute(const RecordPlace *place, hid_t object, const char *name, hid_t file_type,
                                   hid_t memory_type, hid_t space, const void *value) {
    const hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    ClackStatus status = CLACK_OK;
    if (attribute < 0 || H5Awrite(attribute, memory_type, value) < 0)
        status = record_h5_failed(place, "write attribute", name);
    return record_h5_close(place, attribute, name, status);
}

static hid_t text_type(size_t width) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    // HDF5's strings of variable length are terminated; the others here fill their room.
    const H5T_str_t end = width == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD;
    if (H5Tset_size(type, width) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 || H5Tset_strpad(type, end) < 0) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

ClackStatus record_h5_text(const RecordPlace *place, hid_t object, const char *name, const char *text) {
    const size_t length = strlen(text);
    const hid_t type = text_type(length > 0 ? length : 1), space = H5Screate(H5S_SCALAR);
    ClackStatus status = type < 0 || space < 0 ? record_h5_failed(place, "write attribute", name)
                                               : write_attribute(place, object, name, type, type, space, text);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return status;
}

ClackStatus record_h5_numbers(const RecordPlace *place, hid_t object, const char *name, RecordType type,
                              const double *values, hsize_t count) {
    const hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    if (space < 0) return record_h5_failed(place, "write attribute", name);
    const ClackStatus status =
        write_attribute(place, object, name, record_h5_file_type(type), H5T_NATIVE_DOUBLE, space, values);
    H5Sclose(space);
    return status;
}

ClackStatus record_h5_set_number(const RecordPlace *place, hid_t object, const char *name, double value) {
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    ClackStatus status = CLACK_OK;
    if (attribute < 0 || H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
        status = record_h5_failed(place, "write attribute", name);
    return record_h5_close(place, attribute, name, status);
}

ClackStatus record_h5_u64(const RecordPlace *place, hid_t object, const char *name, uint64_t value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    if (space < 0) return record_h5_failed(place, "write attribute", name);
    const ClackStatus status = write_attribute(place, object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, space, &value);
    H5Sclose(space);
    return status;
}

void record_h5_read_text(hid_t object, const char *name, char out_text[RECORD_TEXT_BYTES]) {
    out_text[0] = '\0';
    if (H5Aexists(object, name) <= 0) return;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return;
    const hid_t type = H5Aget_type(attribute);
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    if (size > 0 && size < RECORD_TEXT_BYTES && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Aget_storage_size(attribute) == size) {
        if (H5Aread(attribute, type, out_text) < 0)
            out_text[0] = '\0';
        else
            out_text[size] = '\0';
    }
    if (type >= 0) H5Tclose(type);
    H5Aclose(attribute);
}

bool record_h5_read_u64(hid_t object, const char *name, uint64_t *out_value) {
    const hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0) return false;
    const hid_t space = H5Aget_space(attribute);
    const bool is_one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    const bool is_read = is_one && H5Aread(attribute, H5T_NATIVE_UINT64, out_value) >= 0;
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return is_read;
}

// --- datasets -------------------------------------------------------------------------------------

static herr_t set_filters(hid_t properties, const DatasetSpec *spec) {
    if (H5Pset_chunk(properties, spec->rank, spec->chunk) < 0 || H5Pset_shuffle(properties) < 0 ||
        H5Pset_deflate(properties, DEFLATE_LEVEL) < 0)
        return -1;
    return H5Pset_fletcher32(properties);
}

static ClackStatus describe_dataset(const RecordPlace *place, const DatasetSpec *spec, hid_t dataset) {
    if (spec->unit != NULL) TRY(record_h5_text(place, dataset, "units", spec->unit));
    if (spec->sentence != NULL) TRY(record_h5_text(place, dataset, "long_name", spec->sentence));
    if (spec->has_fill_attribute) TRY(record_h5_numbers(place, dataset, "_FillValue", spec->type, &spec->fill, 1));
    for (int axis = 0; axis < spec->rank; axis++)
        if (spec->scales[axis] > 0 && H5DSattach_scale(dataset, spec->scales[axis], (unsigned)axis) < 0)
            return record_h5_failed(place, "attach a scale to", spec->name);
    return CLACK_OK;
}

static hid_t create_dataset(const DatasetSpec *spec, hid_t type, hid_t creation, hid_t access) {
    hsize_t most[RECORD_RANK_MAX];
    for (int axis = 0; axis < spec->rank; axis++)
        most[axis] = spec->is_extendible[axis] ? H5S_UNLIMITED : spec->dims[axis];
    const hid_t space = H5Screate_simple(spec->rank, spec->dims, most);
    if (space < 0) return space;
    const hid_t dataset = H5Dcreate2(spec->parent, spec->name, type, space, H5P_DEFAULT, creation, access);
    H5Sclose(space);
    return dataset;
}

static ClackStatus make_dataset(const RecordPlace *place, const DatasetSpec *spec, hid_t type, bool is_text,
                                hid_t *out_dataset) {
    assert(spec->rank >= 1 && spec->rank <= RECORD_RANK_MAX);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    ClackStatus status = CLACK_OK;
    *out_dataset = -1;
    const bool is_ready = creation >= 0 && access >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
                          track_attribute_order(creation) >= 0 &&
                          (is_text || H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &spec->fill) >= 0) &&
                          (spec->chunk[0] == 0 || set_filters(creation, spec) >= 0) &&
                          (spec->cache_bytes == 0 || H5Pset_chunk_cache(access, CHUNK_CACHE_SLOTS, spec->cache_bytes,
                                                                        H5D_CHUNK_CACHE_W0_DEFAULT) >= 0);
    if (is_ready) *out_dataset = create_dataset(spec, type, creation, access);
    if (*out_dataset < 0)
        status = record_h5_failed(place, "create dataset", spec->name);
    else
        status = describe_dataset(place, spec, *out_dataset);
    if (status != CLACK_OK && *out_dataset >= 0) {
        H5Dclose(*out_dataset);
        *out_dataset = -1;
    }
    if (creation >= 0) H5Pclose(creation);
    if (access >= 0) H5Pclose(access);
    return status;
}

DatasetSpec record_h5_column(hid_t parent, const char *name, RecordType type, hid_t axis, hid_t letters,
                             bool is_vector) {
    return (DatasetSpec){.parent = parent,
                         .name = name,
                         .type = type,
                         .rank = is_vector ? 2 : 1,
                         .dims = {0, is_vector ? 3 : 0},
                         .chunk = {RECORD_CHUNK_ROWS_LEAST, is_vector ? 3 : 0},
                         .is_extendible = {true, false},
                         .scales = {axis, is_vector ? letters : 0},
                         .fill = type == RECORD_F64 ? NAN : 0,
                         .has_fill_attribute = type == RECORD_F64};
}

ClackStatus record_h5_dataset(const RecordPlace *place, const DatasetSpec *spec, hid_t *out_dataset) {
    return make_dataset(place, spec, record_h5_file_type(spec->type), false, out_dataset);
}

ClackStatus record_h5_make_scale(const RecordPlace *place, hid_t dataset, const char *name) {
    return H5DSset_scale(dataset, name) < 0 ? record_h5_failed(place, "make a scale of", name) : CLACK_OK;
}

ClackStatus record_h5_index(const RecordPlace *place, const DatasetSpec *spec, uint64_t first, hid_t *out_dataset) {
    enum { BLOCK = 4096 };
    double values[BLOCK];
    TRY(record_h5_dataset(place, spec, out_dataset));
    for (hsize_t start = 0; start < spec->dims[0]; start += BLOCK) {
        const hsize_t left = spec->dims[0] - start, count = left < BLOCK ? left : BLOCK;
        for (hsize_t i = 0; i < count; i++) values[i] = (double)(first + start + i);
        TRY(record_h5_write(place, *out_dataset, spec->name, &start, &count, values));
    }
    return CLACK_OK;
}

ClackStatus record_h5_index_scale(const RecordPlace *place, const DatasetSpec *spec, uint64_t first, hid_t *out_scale) {
    TRY(record_h5_index(place, spec, first, out_scale));
    return record_h5_make_scale(place, *out_scale, spec->name);
}

ClackStatus record_h5_row_scale(const RecordPlace *place, DatasetSpec spec, hid_t *out_scale) {
    spec.type = RECORD_I32;
    spec.rank = 1;
    spec.is_extendible[0] = true;
    spec.unit = "1";
    return record_h5_index_scale(place, &spec, 0, out_scale);
}

static ClackStatus write_text(const RecordPlace *place, const DatasetSpec *spec, size_t width, const void *texts,
                              hid_t *out_dataset) {
    const hid_t type = text_type(width);
    if (type < 0) return record_h5_failed(place, "create dataset", spec->name);
    ClackStatus status = make_dataset(place, spec, type, true, out_dataset);
    if (status == CLACK_OK && H5Dwrite(*out_dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0) {
        status = record_h5_failed(place, "write dataset", spec->name);
        H5Dclose(*out_dataset);
        *out_dataset = -1;
    }
    H5Tclose(type);
    return status;
}

ClackStatus record_h5_letter_scale(const RecordPlace *place, hid_t parent, const char *name, const char *letters,
                                   hid_t *out_scale) {
    enum { LETTERS_MAX = 4 };
    char texts[LETTERS_MAX][2] = {{0}};
    const char *pointers[LETTERS_MAX];
    const size_t count = strlen(letters);
    const DatasetSpec spec = {.parent = parent, .name = name, .rank = 1, .dims = {count}};
    assert(count <= LETTERS_MAX);
    for (size_t i = 0; i < count; i++) {
        texts[i][0] = letters[i];
        pointers[i] = texts[i];
    }
    TRY(write_text(place, &spec, H5T_VARIABLE, pointers, out_scale));
    return record_h5_make_scale(place, *out_scale, name);
}

// Of variable length, as netCDF's own strings are. netCDF-C 4.9.0 crashes on reading a dataset of fixed-length strings
// longer than one letter, although h5py and h5netcdf read it; letters of fixed length are bytes to xarray, by which
// nothing is found; of a matrix of letters h5py and rhdf5 make no names. Only Octave reads no strings of netCDF:
// `flag_meanings` of the bodies' numbers are for it.
ClackStatus record_h5_strings(const RecordPlace *place, const DatasetSpec *spec, const char *const *texts) {
    hid_t dataset = -1;
    TRY(write_text(place, spec, H5T_VARIABLE, texts, &dataset));
    return record_h5_close(place, dataset, spec->name, CLACK_OK);
}

ClackStatus record_h5_write(const RecordPlace *place, hid_t dataset, const char *name, const hsize_t *start,
                            const hsize_t *count, const double *values) {
    const hid_t file_space = H5Dget_space(dataset);
    hid_t memory_space = -1;
    ClackStatus status = CLACK_OK;
    const int rank = file_space < 0 ? -1 : H5Sget_simple_extent_ndims(file_space);
    if (rank > 0) memory_space = H5Screate_simple(rank, count, NULL);
    if (memory_space < 0 || H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, values) < 0)
        status = record_h5_failed(place, "write dataset", name);
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return status;
}

ClackStatus record_h5_extend(const RecordPlace *place, hid_t dataset, const char *name, hsize_t axis, hsize_t length) {
    hsize_t dims[RECORD_RANK_MAX] = {0};
    const hid_t space = H5Dget_space(dataset);
    const int is_known = space >= 0 && H5Sget_simple_extent_dims(space, dims, NULL) > (int)axis;
    if (space >= 0) H5Sclose(space);
    dims[axis] = length;
    return is_known && H5Dset_extent(dataset, dims) >= 0 ? CLACK_OK : record_h5_failed(place, "extend dataset", name);
}
