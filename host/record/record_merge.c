// Scenes of several ensemble files -> one: which files fit together; their rows, streamed; and read back.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "record_copy.h"
#include "record_origin.h"
#include "record_parts.h"

#define DATE_BYTES 64

typedef struct MergePart {
    const char *path;
    uint64_t first, count;      // scenes
    uint64_t wanted;            // scenes that its run asks for
    hsize_t lengths[COPY_AXES]; // rows that it has
    hsize_t rows[COPY_AXES];    // where they go
} MergePart;

typedef struct Merge {
    const RecordMerge *wanted;
    ClackReport *report;
    MergePart *parts;        // (wanted->count), by scene
    RecordIdentity identity; // of the first path
    const MergePart *run;    // the first of those that ask for the most scenes: it tells what the whole file is of
    uint64_t first, end;
    char finished[DATE_BYTES]; // the latest
    RecordParts sources;       // by scene
    bool lacks_scenes;         // some part has scenes that were not run
    CopyTarget target;
    CopyRoom room;        // for a block
    RecordPacker *packer; // of chunks of tables; NULL: HDF5 does it
    CopyChunk chunk;      // of the part's column
} Merge;

static const CopyAxis table_axes[RECORD_TABLES] = {
    [RECORD_EVENTS] = COPY_EVENT, [RECORD_CONTACTS] = COPY_CONTACT, [RECORD_JOINTS] = COPY_JOINT};

// --- which files there are ------------------------------------------------------------------------

static hsize_t dataset_length(hid_t file, const char *group, const char *name) {
    char path[64];
    hsize_t dims[RECORD_RANK_MAX] = {0};
    snprintf(path, sizeof path, "%s/%s", group, name);
    if (group[0] != '\0' && H5Lexists(file, group, H5P_DEFAULT) <= 0) return 0;
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    const bool is_vector = space >= 0 && H5Sget_simple_extent_ndims(space) == 1;
    if (is_vector) H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    return dims[0];
}

static bool read_scene_number(hid_t dataset, hsize_t index, int32_t *out_number) {
    const hsize_t one = 1;
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL);
    const bool is_read = space >= 0 && memory >= 0 &&
                         H5Sselect_hyperslab(space, H5S_SELECT_SET, &index, NULL, &one, NULL) >= 0 &&
                         H5Dread(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, out_number) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    return is_read;
}

// Scenes of a file are a range of numbers: its first and last say which.
static ClackStatus read_range(const RecordPlace *place, hid_t file, MergePart *part) {
    int32_t first = -1, last = -1;
    part->count = dataset_length(file, "", "/scene");
    const hid_t dataset = H5Dopen2(file, "/scene", H5P_DEFAULT);
    const bool is_range = dataset >= 0 && part->count > 0 && read_scene_number(dataset, 0, &first) &&
                          read_scene_number(dataset, part->count - 1, &last) && first >= 0 && last >= first &&
                          (uint64_t)(last - first) + 1 == part->count;
    if (dataset >= 0) H5Dclose(dataset);
    part->first = is_range ? (uint64_t)first : 0;
    if (is_range) return CLACK_OK;
    TRY(record_h5_check_file(place, file)); // else what is damaged would look like other values
    return report_add(place->report, CLACK_CORRUPT, "%s: its scenes are not a range of numbers", place->path);
}

static ClackStatus read_complete(Merge *merge, const RecordPlace *place, hid_t file) {
    uint8_t complete = 0;
    const hid_t attribute = H5Aopen(file, "complete", H5P_DEFAULT);
    const bool is_read = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT8, &complete) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (!is_read) {
        TRY(record_h5_check_file(place, file));
        return record_h5_failed(place, "read attribute", "complete");
    }
    if (complete != 1) merge->lacks_scenes = true;
    if (complete == 1 || merge->wanted->allows_gaps) return CLACK_OK;
    return report_add(place->report, CLACK_CORRUPT, "%s: scenes of it were not run (complete = 0)", place->path);
}

static void keep_latest(hid_t file, char latest[DATE_BYTES]) {
    char date[DATE_BYTES] = "";
    const hid_t attribute = H5Aopen_by_name(file, "provenance", "finished", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    if (type >= 0 && H5Tget_size(type) < DATE_BYTES && H5Tis_variable_str(type) == 0 &&
        H5Aread(attribute, type, date) >= 0 && strcmp(date, latest) > 0)
        memcpy(latest, date, DATE_BYTES);
    if (type >= 0) H5Tclose(type);
    if (attribute >= 0) H5Aclose(attribute);
}

// Studies that differ in nothing but the number of samples, of a design whose scenes do not depend on it.
static bool differ_in_samples(const char *first_path, const char *second_path) {
    RecordOrigin first = {0}, second = {0};
    ClackReport unread = {0};
    const bool fit = record_origin_of_file(first_path, &first, &unread) == CLACK_OK &&
                     record_origin_of_file(second_path, &second, &unread) == CLACK_OK &&
                     record_origin_compare(&first, first_path, &second, second_path, &unread) == CLACK_OK;
    record_origin_free(&first);
    record_origin_free(&second);
    clack_report_clear(&unread);
    return fit;
}

// Do the scenes of a part fit to those of the first?
static ClackStatus check_identity(const Merge *merge, const RecordIdentity *identity, const char *path) {
    const char *first_path = merge->wanted->paths[0];
    const RecordIdentity *first = &merge->identity;
    unsigned facts = RECORD_FACTS_VERSION | RECORD_FACTS_DEVICE;
    const bool are_same =
        record_identity_compare_some(first, first_path, identity, path, RECORD_FACTS_STUDY, NULL) == CLACK_OK;
    if (!are_same && !differ_in_samples(first_path, path)) facts |= RECORD_FACTS_STUDY;
    return record_identity_compare_some(first, first_path, identity, path, facts, merge->report);
}

static ClackStatus scan_open_part(Merge *merge, MergePart *part, const RecordPlace *place, hid_t file) {
    RecordIdentity identity = {0};
    if (H5Lexists(file, "verification", H5P_DEFAULT) > 0)
        return report_add(place->report, CLACK_CORRUPT, "%s: has a verification (--verify), which cannot be merged",
                          place->path);
    TRY(read_range(place, file, part));
    TRY(read_complete(merge, place, file));
    part->lengths[COPY_SCENE] = part->count;
    part->lengths[COPY_FRAMED_SCENE] = dataset_length(file, "trajectory", "recorded");
    if (part->lengths[COPY_FRAMED_SCENE] == 0) // of version 1
        part->lengths[COPY_FRAMED_SCENE] = dataset_length(file, "trajectory", "scene");
    part->lengths[COPY_TIME] = dataset_length(file, "trajectory", "time");
    for (int i = 0; i < RECORD_TABLES; i++)
        part->lengths[table_axes[i]] = dataset_length(file, record_tables[i].group, record_tables[i].axis);
    keep_latest(file, merge->finished);
    TRY(record_identity_of_file(place, file, &identity));
    const ClackStatus read = record_h5_check_file(place, file); // as in read_range
    if (read != CLACK_OK) {
        record_identity_free(&identity);
        return read;
    }
    part->wanted = strtoull(identity.values[RECORD_IDENTITY_SCENES], NULL, 10);
    if (merge->identity.values[0] == NULL) {
        merge->identity = identity;
        return CLACK_OK;
    }
    const ClackStatus status = check_identity(merge, &identity, part->path);
    record_identity_free(&identity);
    return status;
}

static ClackStatus scan_part(Merge *merge, MergePart *part) {
    const RecordPlace place = {part->path, CLACK_CORRUPT, merge->report};
    hid_t file = -1;
    ClackStatus status = record_open_ensemble(&place, &file);
    if (status == CLACK_OK) status = scan_open_part(merge, part, &place, file);
    if (file >= 0) status = record_h5_close_file(&place, file, status);
    return status;
}

static int compare_parts(const void *a, const void *b) {
    const MergePart *first = a, *second = b;
    return first->first < second->first ? -1 : first->first > second->first;
}

static ClackStatus check_gap(const Merge *merge, uint64_t first, uint64_t end) {
    if (first >= end || merge->wanted->allows_gaps) return CLACK_OK;
    return report_add(merge->report, CLACK_CORRUPT, "scenes %" PRIu64 " to %" PRIu64 " are in none of the files", first,
                      end - 1);
}

// Every defect is reported.
static ClackStatus check_ranges(Merge *merge) {
    ClackStatus status = CLACK_OK;
    const size_t count = merge->wanted->count;
    merge->first = merge->wanted->first;
    merge->end = merge->wanted->end > 0 ? merge->wanted->end : merge->run->wanted;
    uint64_t next = merge->first;
    for (size_t i = 0; i < count; i++) {
        const MergePart *part = &merge->parts[i];
        const uint64_t end = part->first + part->count;
        if (part->first < merge->first || end > merge->end)
            status = report_add(merge->report, CLACK_CORRUPT,
                                "%s: scenes %" PRIu64 " to %" PRIu64 ": expected scenes of %" PRIu64 " to %" PRIu64,
                                part->path, part->first, end - 1, merge->first, merge->end - 1);
        else if (part->first < next)
            status = report_add(merge->report, CLACK_CORRUPT, "%s: scene %" PRIu64 " is in %s too", part->path,
                                part->first, merge->parts[i > 0 ? i - 1 : 0].path);
        else if (check_gap(merge, next, part->first) != CLACK_OK)
            status = CLACK_CORRUPT;
        if (end > next) next = end;
    }
    if (check_gap(merge, next, merge->end) != CLACK_OK) status = CLACK_CORRUPT;
    return status;
}

static ClackStatus scan_parts(Merge *merge) {
    const size_t count = merge->wanted->count;
    ClackStatus status = CLACK_OK;
    for (size_t i = 0; i < count; i++) {
        merge->parts[i].path = merge->wanted->paths[i];
        const ClackStatus scanned = scan_part(merge, &merge->parts[i]);
        if (status == CLACK_OK) status = scanned;
    }
    if (status != CLACK_OK) return status;
    qsort(merge->parts, count, sizeof *merge->parts, compare_parts);
    merge->run = &merge->parts[0];
    for (size_t i = 1; i < count; i++)
        if (merge->parts[i].wanted > merge->run->wanted) merge->run = &merge->parts[i];
    return check_ranges(merge);
}

// --- rows -----------------------------------------------------------------------------------------

// Where each part's rows go, and how long the axes become.
static void place_rows(Merge *merge) {
    hsize_t *lengths = merge->target.lengths;
    merge->target.scene_first = merge->first;
    for (size_t i = 0; i < merge->wanted->count; i++) {
        MergePart *part = &merge->parts[i];
        part->rows[COPY_SCENE] = part->rows[COPY_FRAMED_SCENE] = part->first - merge->first;
        for (int axis = COPY_EVENT; axis <= COPY_JOINT; axis++) {
            part->rows[axis] = lengths[axis];
            lengths[axis] += part->lengths[axis];
        }
        if (part->lengths[COPY_TIME] > lengths[COPY_TIME]) lengths[COPY_TIME] = part->lengths[COPY_TIME];
        if (part->lengths[COPY_FRAMED_SCENE] > 0)
            lengths[COPY_FRAMED_SCENE] = part->rows[COPY_SCENE] + part->lengths[COPY_FRAMED_SCENE];
    }
    lengths[COPY_SCENE] = merge->end - merge->first;
}

static bool move_block(hid_t dataset, const CopyColumn *column, const hsize_t *start, const hsize_t *count,
                       void *values, bool writes) {
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(column->rank, count, NULL);
    const bool is_done = space >= 0 && memory >= 0 &&
                         H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                         (writes ? H5Dwrite(dataset, column->type, memory, space, H5P_DEFAULT, values)
                                 : H5Dread(dataset, column->type, memory, space, H5P_DEFAULT, values)) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    return is_done;
}

typedef struct Move { // of a part's rows of one dataset to the target, or their comparison with what is there
    const RecordPlace *from;
    CopyColumn *column;
    hid_t source;
    hsize_t dims[RECORD_RANK_MAX]; // of the source
    hsize_t row;                   // where its first row goes
    bool compares;
    bool packs_alike;                 // chunks of both are made in the same way
    hsize_t source_rows, target_rows; // of chunks of a table that the packer takes; 0: none
} Move;

typedef struct Rows { // of a dataset
    hid_t dataset;
    hsize_t chunk_rows; // 0: not by the packer
    const hsize_t *start, *count;
    CopyChunk *chunk;
} Rows;

static size_t row_width(const CopyColumn *column) { return column->rank > 1 ? (size_t)column->dims[1] : 1; }

static bool write_chunk(Merge *merge, const CopyColumn *column, const Rows *rows) {
    const hsize_t start[2] = {rows->chunk->start, 0};
    rows->chunk->is_there = false;
    return record_packer_write(merge->packer, rows->dataset, start, rows->chunk->values,
                               (size_t)rows->chunk_rows * row_width(column));
}

// Rows are written one after the other: a chunk is kept until it is full, one beyond it begins where scenes are in no
// file, or it is the last (finish_chunks).
static bool write_piece(Merge *merge, const CopyColumn *column, const Rows *rows, hsize_t row, hsize_t count,
                        const double *values) {
    const size_t width = row_width(column);
    const hsize_t chunk_rows = rows->chunk_rows, skipped = row % chunk_rows;
    CopyChunk *chunk = rows->chunk;
    if (chunk->is_there && chunk->start != row - skipped && !write_chunk(merge, column, rows)) return false;
    if (!chunk->is_there)
        for (size_t i = 0; i < (size_t)chunk_rows * width; i++) chunk->values[i] = NAN;
    memcpy(chunk->values + skipped * width, values, (size_t)count * width * sizeof *values);
    chunk->start = row - skipped;
    chunk->is_there = true;
    return skipped + count < chunk_rows || write_chunk(merge, column, rows);
}

// From the chunk, which is unpacked once for all blocks in it; by HDF5 where the packer cannot.
static bool read_piece(Merge *merge, const CopyColumn *column, const Rows *rows, hsize_t row, hsize_t count,
                       double *values) {
    const size_t width = row_width(column);
    const hsize_t skipped = row % rows->chunk_rows, start[2] = {row - skipped, 0};
    const hsize_t piece_start[2] = {row, 0}, piece[2] = {count, width};
    CopyChunk *chunk = rows->chunk;
    if (!chunk->is_there || chunk->start != start[0])
        chunk->is_there =
            record_packer_read(merge->packer, rows->dataset, start, chunk->values, (size_t)rows->chunk_rows * width);
    chunk->start = start[0];
    if (!chunk->is_there) return move_block(rows->dataset, column, piece_start, piece, values, false);
    memcpy(values, chunk->values + skipped * width, (size_t)count * width * sizeof *values);
    return true;
}

static bool move_rows(Merge *merge, const CopyColumn *column, const Rows *rows, double *values, bool writes) {
    const hsize_t chunk_rows = rows->chunk_rows, *start = rows->start, *count = rows->count;
    const size_t width = row_width(column);
    if (chunk_rows > 0 && merge->packer != NULL && rows->chunk->values == NULL)
        rows->chunk->values = malloc(COPY_CHUNK_VALUES / 3 * width * sizeof *rows->chunk->values);
    if (chunk_rows == 0 || merge->packer == NULL || rows->chunk->values == NULL)
        return move_block(rows->dataset, column, start, count, values, writes);
    for (hsize_t row = start[0], end = row + count[0], taken; row < end; row += taken, values += taken * width) {
        const hsize_t room = chunk_rows - row % chunk_rows;
        taken = room < end - row ? room : end - row;
        if (!(writes ? write_piece(merge, column, rows, row, taken, values)
                     : read_piece(merge, column, rows, row, taken, values)))
            return false;
    }
    return true;
}

// The last chunks of tables.
static ClackStatus finish_chunks(Merge *merge) {
    for (size_t i = 0; i < merge->target.column_count; i++) {
        CopyColumn *column = &merge->target.columns[i];
        const Rows rows = {column->dataset, record_raw_rows(column->dataset, column), NULL, NULL,
                           .chunk = &column->chunk};
        if (column->chunk.is_there && !write_chunk(merge, column, &rows))
            return record_h5_failed(&merge->target.place, "write dataset", column->path);
    }
    return CLACK_OK;
}

// Values of one block: write them to the target, or compare them with what is there.
static ClackStatus take_block(Merge *merge, const Move *move, const hsize_t *start, const hsize_t *count) {
    CopyColumn *column = move->column;
    hsize_t target_start[RECORD_RANK_MAX] = {0};
    size_t bytes = column->value_bytes;
    for (int i = 0; i < column->rank; i++) {
        bytes *= (size_t)count[i];
        target_start[i] = start[i] + (i == 0 ? move->row : 0);
    }
    TRY(record_copy_room(&merge->room, bytes, merge->report));
    const Rows source = {move->source, move->source_rows, start, count, &merge->chunk};
    const Rows target = {column->dataset, move->target_rows, target_start, count, &column->chunk};
    if (!move_rows(merge, column, &source, merge->room.values, false))
        return record_h5_failed(move->from, "read dataset", column->path);
    void *values = move->compares ? merge->room.others : merge->room.values;
    if (!move_rows(merge, column, &target, values, !move->compares))
        return record_h5_failed(&merge->target.place, move->compares ? "read dataset" : "write dataset", column->path);
    if (!move->compares || memcmp(merge->room.values, merge->room.others, bytes) == 0) return CLACK_OK;
    return report_add(merge->report, CLACK_CORRUPT, "%s: %s does not read back as it was written",
                      merge->target.place.path, column->path);
}

// A block of frames: where it is a chunk in both files its bytes as they are, else its values.
static ClackStatus take_frames(Merge *merge, const Move *move, const hsize_t *start, const hsize_t *count) {
    const RawChunk chunk = {.source = move->source,
                            .target = move->column->dataset,
                            .start = start,
                            .row = move->row,
                            .compares = move->compares,
                            .place = &merge->target.place,
                            .name = move->column->path};
    bool is_taken = false;
    if (move->packs_alike && record_raw_is_chunk(move->column, move->dims, start, count, move->row))
        TRY(record_raw_take(&chunk, &merge->room, &is_taken));
    return is_taken ? CLACK_OK : take_block(merge, move, start, count);
}

static bool fits_column(Move *move) {
    const CopyColumn *column = move->column;
    const hid_t space = H5Dget_space(move->source), type = H5Dget_type(move->source);
    bool fits = space >= 0 && type >= 0 && H5Tequal(type, column->type) > 0 &&
                H5Sget_simple_extent_ndims(space) == column->rank &&
                H5Sget_simple_extent_dims(space, move->dims, NULL) == column->rank;
    for (int i = column->rank == 4 ? 2 : 1; fits && i < column->rank; i++) fits = move->dims[i] == column->dims[i];
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return fits;
}

// A part's rows of one dataset, in blocks that end at borders of the target's chunks.
static ClackStatus take_column(Merge *merge, Move *move, const MergePart *part) {
    const CopyColumn *column = move->column;
    hsize_t start[RECORD_RANK_MAX] = {0}, count[RECORD_RANK_MAX] = {0};
    if (!fits_column(move) || move->dims[0] != part->lengths[column->axis])
        return report_add(merge->report, CLACK_CORRUPT, "%s: dataset %s has another type or shape than in %s",
                          part->path, column->path, merge->parts[0].path);
    memcpy(count, move->dims, sizeof count);
    const bool has_frames = column->rank == 4;
    move->packs_alike = has_frames && record_raw_fits(move->source, column);
    move->source_rows = record_raw_rows(move->source, column);
    move->target_rows = record_raw_rows(column->dataset, column);
    for (start[0] = 0; start[0] < move->dims[0]; start[0] += count[0]) {
        const hsize_t left = move->dims[0] - start[0];
        count[0] = column->block[0] - (move->row + start[0]) % column->block[0];
        if (count[0] > left) count[0] = left;
        if (!has_frames) {
            TRY(take_block(merge, move, start, count));
            continue;
        }
        for (start[1] = 0; start[1] < move->dims[1]; start[1] += count[1]) {
            count[1] = column->block[1] < move->dims[1] - start[1] ? column->block[1] : move->dims[1] - start[1];
            TRY(take_frames(merge, move, start, count));
        }
    }
    return CLACK_OK;
}

static ClackStatus take_part(Merge *merge, const MergePart *part, bool compares) {
    const RecordPlace place = {part->path, CLACK_CORRUPT, merge->report};
    hid_t file = -1;
    ClackStatus status = CLACK_OK;
    TRY_CLEAN(record_open_ensemble(&place, &file));
    if (!compares) TRY_CLEAN(record_parts_add(&merge->sources, &place, file, part->first, part->count));
    for (size_t i = 0; i < merge->target.column_count; i++) {
        CopyColumn *column = &merge->target.columns[i];
        if (part->lengths[column->axis] == 0) continue; // it has no such group, or nothing in it
        Move move = {.from = &place, .column = column, .row = part->rows[column->axis], .compares = compares};
        move.source = record_copy_open_dataset(file, column->path);
        if (move.source < 0) TRY_CLEAN(record_h5_failed(&place, "open dataset", column->path));
        merge->chunk.is_there = false; // it is of another dataset
        status = take_column(merge, &move, part);
        H5Dclose(move.source);
        if (status != CLACK_OK) goto cleanup;
    }
cleanup:
    if (file >= 0) status = record_h5_close_file(&place, file, status);
    return status;
}

static ClackStatus take_parts(Merge *merge, bool compares) {
    for (size_t i = 0; i < merge->wanted->count; i++) TRY(take_part(merge, &merge->parts[i], compares));
    return CLACK_OK;
}

// --- the file -------------------------------------------------------------------------------------

static uint64_t count_scenes(const Merge *merge) {
    uint64_t scenes = 0;
    for (size_t i = 0; i < merge->wanted->count; i++) scenes += merge->parts[i].count;
    return scenes;
}

static ClackStatus finish_target(Merge *merge) {
    CopyTarget *target = &merge->target;
    const hid_t group = H5Gopen2(target->file, "provenance", H5P_DEFAULT);
    if (group < 0) return record_h5_failed(&target->place, "open group", "provenance");
    ClackStatus status = record_h5_text(&target->place, group, "finished", merge->finished);
    status = record_h5_close(&target->place, group, "provenance", status);
    if (status == CLACK_OK) status = record_parts_write(&merge->sources, &target->place, target->file);
    if (status == CLACK_OK && (merge->lacks_scenes || count_scenes(merge) < merge->end - merge->first))
        status = record_h5_set_number(&target->place, target->file, "complete", 0);
    return record_copy_finish(target, status);
}

static ClackStatus write_target(Merge *merge) {
    const RecordPlace from = {merge->parts[0].path, CLACK_CORRUPT, merge->report};
    const RecordPlace run = {merge->run->path, CLACK_CORRUPT, merge->report};
    CopySources sources = {.layout = -1, .run = -1, .layout_place = &from, .run_place = &run};
    ClackStatus status = record_open_ensemble(&from, &sources.layout);
    if (status == CLACK_OK) status = record_open_ensemble(&run, &sources.run);
    if (status == CLACK_OK) status = record_copy_layout(&sources, &merge->target);
    if (sources.run >= 0) status = record_h5_close_file(&run, sources.run, status);
    if (sources.layout >= 0) status = record_h5_close_file(&from, sources.layout, status);
    TRY(status);
    TRY(take_parts(merge, false));
    TRY(finish_chunks(merge));
    TRY(record_offsets_write(&merge->target.place, merge->target.file, false));
    return finish_target(merge);
}

static ClackStatus verify_target(Merge *merge) {
    merge->target.place.status = CLACK_CORRUPT;
    TRY(record_copy_reopen(&merge->target));
    ClackStatus status = take_parts(merge, true);
    if (status == CLACK_OK) status = record_offsets_write(&merge->target.place, merge->target.file, true);
    return record_copy_close(&merge->target, status);
}

ClackStatus record_merge(const char *path, const RecordMerge *wanted, uint64_t *out_scenes, ClackReport *report) {
    Merge merge = {.wanted = wanted, .report = report, .target.place = {path, CLACK_IO, report}};
    ClackStatus status = CLACK_OK;
    bool is_begun = false;
    record_h5_quiet();
    merge.parts = calloc(wanted->count, sizeof *merge.parts);
    if (merge.parts == NULL) return report_add(report, CLACK_MEMORY, "%s: no memory to merge files", path);
    merge.packer = record_packer_make(COPY_CHUNK_VALUES);
    merge.chunk.values = malloc(COPY_CHUNK_VALUES * sizeof *merge.chunk.values);
    if (merge.chunk.values == NULL) TRY_CLEAN(report_add(report, CLACK_MEMORY, "%s: no memory to merge files", path));
    TRY_CLEAN(scan_parts(&merge));
    place_rows(&merge);
    is_begun = true;
    TRY_CLEAN(write_target(&merge));
    TRY_CLEAN(verify_target(&merge));
    *out_scenes = count_scenes(&merge);
cleanup:
    record_copy_free(&merge.target);
    record_identity_free(&merge.identity);
    record_parts_free(&merge.sources);
    free(merge.parts);
    record_copy_room_free(&merge.room);
    record_packer_free(merge.packer);
    free(merge.chunk.values);
    if (status != CLACK_OK && is_begun) unlink(path);
    return status;
}
