// The layout of one ensemble file made anew for more scenes: whatever a file holds is copied, without knowing
// the fields by name, so that what is added to the format is merged as well.
#define _POSIX_C_SOURCE 200809L
#include "record_copy.h"

#include <hdf5_hl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 512
#define CACHE_SLOTS 1009
#define CACHE_BYTES ((size_t)8 << 20)
#define BLOCK_ROWS RECORD_BLOCK_VALUES

static const char *const axis_names[COPY_AXES] = {
    [COPY_SCENE] = "scene",     [COPY_FRAMED_SCENE] = "recorded", [COPY_EVENT] = "event",
    [COPY_CONTACT] = "contact", [COPY_JOINT] = "joint_row",       [COPY_TIME] = "time"};

typedef struct Copy { // one object on its way
    const RecordPlace *from;
    const CopySources *sources;
    CopyTarget *target;
    hid_t source, made;
} Copy;

// --- axes -----------------------------------------------------------------------------------------

static herr_t take_scale(hid_t dataset, unsigned axis, hid_t scale, void *out_path) {
    (void)dataset, (void)axis;
    return H5Iget_name(scale, out_path, NAME_BYTES) > 0 ? 1 : -1;
}

// Path of the scale of an axis, in `dataset` itself where that is one; false where there is none.
static bool find_scale(hid_t dataset, unsigned axis, char out_path[NAME_BYTES]) {
    if (H5DSis_scale(dataset) > 0) return H5Iget_name(dataset, out_path, NAME_BYTES) > 0;
    if (H5DSget_num_scales(dataset, axis) <= 0) return false;
    return H5DSiterate_scales(dataset, axis, NULL, take_scale, out_path) > 0;
}

static CopyAxis find_axis(hid_t dataset, unsigned axis) {
    char path[NAME_BYTES];
    if (!find_scale(dataset, axis, path)) return COPY_NONE;
    const char *name = strrchr(path, '/');
    for (int i = COPY_SCENE; name != NULL && i < COPY_AXES; i++) {
        if (axis_names[i] == NULL || strcmp(name + 1, axis_names[i]) != 0) continue;
        // of version 1 of the format
        return i == COPY_SCENE && strncmp(path, "/trajectory/", 12) == 0 ? COPY_FRAMED_SCENE : (CopyAxis)i;
    }
    return COPY_NONE;
}

// --- attributes -----------------------------------------------------------------------------------

static ClackStatus attach_scales(const Copy *copy) {
    for (unsigned axis = 0; axis < RECORD_RANK_MAX; axis++) {
        char path[NAME_BYTES];
        const hid_t space = H5Dget_space(copy->source);
        const int rank = H5Sget_simple_extent_ndims(space);
        H5Sclose(space);
        if ((int)axis >= rank) break;
        if (!find_scale(copy->source, axis, path)) continue;
        const hid_t scale = H5Dopen2(copy->target->file, path, H5P_DEFAULT);
        const herr_t attached = scale < 0 ? -1 : H5DSattach_scale(copy->made, scale, axis);
        if (scale >= 0) H5Dclose(scale);
        if (attached < 0) return record_h5_failed(&copy->target->place, "attach scale", path);
    }
    return CLACK_OK;
}

static ClackStatus copy_attribute(const Copy *copy, hid_t attribute, const char *name) {
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    void *value = count > 0 && type >= 0 ? calloc((size_t)count, H5Tget_size(type)) : NULL;
    ClackStatus status = CLACK_OK;
    if (value == NULL || H5Tis_variable_str(type) > 0 || H5Aread(attribute, type, value) < 0) {
        status = record_h5_failed(copy->from, "read attribute", name);
    } else {
        const hid_t made = H5Acreate2(copy->made, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (made < 0 || H5Awrite(made, type, value) < 0)
            status = record_h5_failed(&copy->target->place, "write attribute", name);
        status = record_h5_close(&copy->target->place, made, name, status);
    }
    free(value);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return status;
}

// Those by which HDF5 knows scales hold places within the file: they are made anew where they stand.
static ClackStatus take_attribute(const Copy *copy, hid_t attribute) {
    char name[NAME_BYTES], scale_name[NAME_BYTES] = "";
    if (H5Aget_name(attribute, sizeof name, name) < 0) return record_h5_failed(copy->from, "list attributes", "");
    if (strcmp(name, "DIMENSION_LIST") == 0) return attach_scales(copy);
    if (strcmp(name, "NAME") == 0 || strcmp(name, "REFERENCE_LIST") == 0 || strcmp(name, "finished") == 0)
        return CLACK_OK;
    if (strcmp(name, "CLASS") != 0) return copy_attribute(copy, attribute, name);
    H5DSget_scale_name(copy->source, scale_name, sizeof scale_name);
    return record_h5_make_scale(&copy->target->place, copy->made, scale_name);
}

static ClackStatus copy_attributes(const Copy *copy) {
    H5O_info_t info;
    if (H5Oget_info2(copy->source, &info, H5O_INFO_NUM_ATTRS) < 0)
        return record_h5_failed(copy->from, "list attributes", "");
    for (hsize_t i = 0; i < info.num_attrs; i++) {
        const hid_t attribute =
            H5Aopen_by_idx(copy->source, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute < 0) return record_h5_failed(copy->from, "open an attribute", "");
        const ClackStatus status = take_attribute(copy, attribute);
        H5Aclose(attribute);
        if (status != CLACK_OK) return status;
    }
    return CLACK_OK;
}

// --- datasets -------------------------------------------------------------------------------------

// Values that do not belong to scenes. Strings of variable length are HDF5's to free.
static ClackStatus copy_values(const Copy *copy, hid_t type, const char *name) {
    const hid_t space = H5Dget_space(copy->source);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    void *values = count < 0 ? NULL : calloc((size_t)count + 1, H5Tget_size(type));
    ClackStatus status = CLACK_OK;
    if (values == NULL || H5Dread(copy->source, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        status = record_h5_failed(copy->from, "read dataset", name);
    } else {
        if (H5Dwrite(copy->made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            status = record_h5_failed(&copy->target->place, "write dataset", name);
        if (H5Tis_variable_str(type) > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    }
    free(values);
    if (space >= 0) H5Sclose(space);
    return status;
}

// A scale of numbers 0, 1, ...; of scenes, from the first of the file on.
static ClackStatus write_index(const CopyTarget *target, const CopyColumn *column) {
    enum { BLOCK = 4096 };
    double values[BLOCK];
    const bool is_scene = column->axis == COPY_SCENE || column->axis == COPY_FRAMED_SCENE;
    const uint64_t first = is_scene ? target->scene_first : 0;
    for (hsize_t start = 0; start < column->dims[0]; start += BLOCK) {
        const hsize_t left = column->dims[0] - start, count = left < BLOCK ? left : BLOCK;
        for (hsize_t i = 0; i < count; i++) values[i] = (double)(first + start + i);
        TRY(record_h5_write(&target->place, column->dataset, column->path, &start, &count, values));
    }
    return CLACK_OK;
}

// Chunks of a table of the run, where it has that table.
static void take_run_chunk(const Copy *copy, const CopyColumn *column, hsize_t chunk[RECORD_RANK_MAX]) {
    hsize_t own[RECORD_RANK_MAX] = {0};
    const hid_t dataset = H5Dopen2(copy->sources->run, column->path, H5P_DEFAULT);
    const hid_t properties = dataset < 0 ? -1 : H5Dget_create_plist(dataset);
    if (properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED &&
        H5Pget_chunk(properties, RECORD_RANK_MAX, own) == column->rank)
        chunk[0] = own[0];
    if (properties >= 0) H5Pclose(properties);
    if (dataset >= 0) H5Dclose(dataset);
}

// Chunks as a file of these lengths has when it is written at once.
static hid_t make_properties(const Copy *copy, CopyColumn *column) {
    const hid_t properties = H5Dget_create_plist(copy->source);
    hsize_t chunk[RECORD_RANK_MAX] = {0};
    if (properties < 0 || H5Pget_layout(properties) != H5D_CHUNKED) return properties;
    if (H5Pget_chunk(properties, column->rank, chunk) < 0) goto failed;
    if (column->axis == COPY_EVENT || column->axis == COPY_CONTACT || column->axis == COPY_JOINT)
        take_run_chunk(copy, column, chunk);
    if (column->axis == COPY_SCENE)
        chunk[0] = column->dims[0] < RECORD_CHUNK_SCENES ? column->dims[0] : RECORD_CHUNK_SCENES;
    if (column->axis == COPY_FRAMED_SCENE)
        chunk[0] = column->rank == 4 ? record_trajectory_chunk(column->dims[0], chunk[1], column->dims[2])
                   : column->dims[0] < RECORD_CHUNK_SCENES ? column->dims[0]
                                                           : RECORD_CHUNK_SCENES;
    if (H5Pset_chunk(properties, column->rank, chunk) < 0) goto failed;
    for (int i = 0; i < column->rank; i++) column->block[i] = column->rank == 4 ? chunk[i] : column->dims[i];
    if (column->rank < 4) column->block[0] = BLOCK_ROWS;
    return properties;
failed:
    H5Pclose(properties);
    return -1;
}

static hid_t create_dataset(const Copy *copy, CopyColumn *column, const char *name, hid_t parent) {
    hsize_t most[RECORD_RANK_MAX] = {0};
    const hid_t source_space = H5Dget_space(copy->source);
    column->rank = H5Sget_simple_extent_ndims(source_space);
    if (column->rank < 1 || column->rank > RECORD_RANK_MAX) {
        H5Sclose(source_space);
        return -1;
    }
    H5Sget_simple_extent_dims(source_space, column->dims, most);
    H5Sclose(source_space);
    for (int i = 0; i < column->rank; i++) {
        const CopyAxis axis = i == 0 ? column->axis : i == 1 && column->rank == 4 ? COPY_TIME : COPY_NONE;
        if (axis == COPY_NONE || column->axis == COPY_NONE) continue;
        column->dims[i] = copy->target->lengths[axis];
        if (most[i] != H5S_UNLIMITED) most[i] = column->dims[i];
    }
    const hid_t properties = make_properties(copy, column), access = H5Pcreate(H5P_DATASET_ACCESS);
    const hid_t space = H5Screate_simple(column->rank, column->dims, most);
    hid_t made = -1;
    if (properties >= 0 && access >= 0 && space >= 0 &&
        H5Pset_chunk_cache(access, CACHE_SLOTS, CACHE_BYTES, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0)
        made = H5Dcreate2(parent, name, column->type, space, H5P_DEFAULT, properties, access);
    if (space >= 0) H5Sclose(space);
    if (access >= 0) H5Pclose(access);
    if (properties >= 0) H5Pclose(properties);
    return made;
}

// Keeps the dataset where its rows are still to come.
static ClackStatus copy_dataset(Copy *copy, hid_t parent, const char *name) {
    CopyTarget *target = copy->target;
    char path[NAME_BYTES];
    CopyColumn *grown = realloc(target->columns, (target->column_count + 1) * sizeof *grown);
    if (grown == NULL) return report_add(target->place.report, CLACK_MEMORY, "no memory to merge files");
    target->columns = grown;
    if (H5Iget_type(copy->source) == H5I_GROUP) return CLACK_OK; // provenance/parts, which follows (record_parts.c)
    CopyColumn *column = &grown[target->column_count];
    *column = (CopyColumn){.axis = find_axis(copy->source, 0), .type = H5Dget_type(copy->source)};
    if (column->type < 0 || H5Iget_name(copy->source, path, sizeof path) <= 0 || (column->path = strdup(path)) == NULL)
        return record_h5_failed(copy->from, "read dataset", name);
    target->column_count++; // what it owns is freed with the target from here on
    column->value_bytes = H5Tget_size(column->type);
    column->dataset = create_dataset(copy, column, name, parent);
    if (column->dataset < 0) {
        column->dataset = 0;
        return record_h5_failed(&target->place, "create dataset", path);
    }
    copy->made = column->dataset;
    TRY(copy_attributes(copy));
    // numbers of scenes, also of those that no file has
    const bool is_number = column->axis == COPY_FRAMED_SCENE && column->rank == 1;
    if (column->axis == COPY_NONE) {
        TRY(copy_values(copy, column->type, path));
    } else if (column->axis != COPY_TIME && (is_number || H5DSis_scale(copy->source) > 0)) {
        TRY(write_index(target, column));
    } else if (column->axis != COPY_SCENE || !record_is_offset(path + 1)) { // these follow when the rows are there
        return CLACK_OK;
    }
    const ClackStatus status = record_h5_close(&target->place, column->dataset, column->path, CLACK_OK);
    H5Tclose(column->type);
    free(column->path);
    target->column_count--;
    return status;
}

// --- groups ---------------------------------------------------------------------------------------

typedef ClackStatus (*CopyObject)(Copy *copy, hid_t parent, const char *name);

// Calls `take` for each link of a group, in the order in which they were made.
static ClackStatus copy_links(const Copy *group, CopyObject take) {
    H5G_info_t info;
    if (H5Gget_info(group->source, &info) < 0) return record_h5_failed(group->from, "list a group", "");
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[NAME_BYTES];
        if (H5Lget_name_by_idx(group->source, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) <
            0)
            return record_h5_failed(group->from, "list a group", "");
        Copy copy = *group;
        const bool is_of_run = strcmp(name, "provenance") == 0;
        if (is_of_run) copy.from = copy.sources->run_place;
        copy.source = H5Oopen(is_of_run ? copy.sources->run : group->source, name, H5P_DEFAULT);
        if (copy.source < 0) return record_h5_failed(copy.from, "open", name);
        const ClackStatus status = take(&copy, group->made, name);
        H5Oclose(copy.source);
        if (status != CLACK_OK) return status;
    }
    return CLACK_OK;
}

// What is computed from all scenes of a file is computed anew from those of the merged one.
static ClackStatus copy_object(Copy *copy, hid_t parent, const char *name) {
    if (strcmp(name, "statistics") == 0 || strcmp(name, "sensitivity") == 0 || strcmp(name, "fit") == 0)
        return CLACK_OK;
    if (H5Iget_type(copy->source) == H5I_DATASET) return copy_dataset(copy, parent, name);
    hid_t group = -1;
    TRY(record_h5_group(&copy->target->place, parent, name, &group));
    copy->made = group;
    ClackStatus status = copy_attributes(copy);
    if (status == CLACK_OK) status = copy_links(copy, copy_dataset);
    return record_h5_close(&copy->target->place, group, name, status);
}

ClackStatus record_copy_layout(const CopySources *sources, CopyTarget *target) {
    TRY(record_h5_create_file(&target->place, &target->file));
    Copy root = {
        .from = sources->run_place, .sources = sources, .target = target, .source = sources->run, .made = target->file};
    TRY(copy_attributes(&root));
    root.from = sources->layout_place;
    root.source = sources->layout;
    return copy_links(&root, copy_object);
}

// --- the target -----------------------------------------------------------------------------------

hid_t record_copy_open_dataset(hid_t file, const char *path) {
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t dataset = -1;
    if (access >= 0 && H5Pset_chunk_cache(access, CACHE_SLOTS, CACHE_BYTES, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0)
        dataset = H5Dopen2(file, path, access);
    if (access >= 0) H5Pclose(access);
    return dataset;
}

ClackStatus record_copy_reopen(CopyTarget *target) {
    TRY(record_open_ensemble(&target->place, &target->file));
    for (size_t i = 0; i < target->column_count; i++) {
        CopyColumn *column = &target->columns[i];
        column->chunk.is_there = false;
        column->dataset = record_copy_open_dataset(target->file, column->path);
        if (column->dataset >= 0) continue;
        column->dataset = 0;
        return record_h5_failed(&target->place, "open dataset", column->path);
    }
    return CLACK_OK;
}

static ClackStatus close_columns(CopyTarget *target, ClackStatus status) {
    for (size_t i = 0; i < target->column_count; i++) {
        CopyColumn *column = &target->columns[i];
        if (column->dataset > 0) status = record_h5_close(&target->place, column->dataset, column->path, status);
        column->dataset = 0;
    }
    return status;
}

ClackStatus record_copy_close(CopyTarget *target, ClackStatus status) {
    const hid_t file = target->file;
    status = close_columns(target, status);
    target->file = 0;
    return file > 0 ? record_h5_close_file(&target->place, file, status) : status;
}

ClackStatus record_copy_finish(CopyTarget *target, ClackStatus status) {
    const hid_t file = target->file;
    status = close_columns(target, status);
    target->file = 0;
    return record_h5_finish_file(&target->place, file, status);
}

void record_copy_free(CopyTarget *target) {
    if (target->file > 0) record_h5_drop_file(target->file); // and what is open in it
    for (size_t i = 0; i < target->column_count; i++) {
        H5Tclose(target->columns[i].type);
        free(target->columns[i].path);
        free(target->columns[i].chunk.values);
    }
    free(target->columns);
    *target = (CopyTarget){0};
}
