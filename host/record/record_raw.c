// Packed chunks of one file taken into another as they are, where both would lay them out alike: neither unpacked nor
// packed anew.
#include <stdlib.h>
#include <string.h>

#include "record_copy.h"

#define FILTERS_MAX 8
#define FILTER_VALUES_MAX 20

typedef struct Packing { // how a dataset makes bytes of a chunk
    int rank, filter_count;
    hsize_t chunk[RECORD_RANK_MAX];
    H5Z_filter_t filters[FILTERS_MAX];
    size_t value_counts[FILTERS_MAX];
    unsigned values[FILTERS_MAX][FILTER_VALUES_MAX];
    size_t fill_bytes;
    unsigned char fill[16];
} Packing;

// --- which datasets pack alike --------------------------------------------------------------------

static bool read_filters(hid_t properties, Packing *packing) {
    packing->filter_count = H5Pget_nfilters(properties);
    if (packing->filter_count < 1 || packing->filter_count > FILTERS_MAX) return false;
    for (int i = 0; i < packing->filter_count; i++) {
        unsigned flags = 0, config = 0;
        packing->value_counts[i] = FILTER_VALUES_MAX;
        packing->filters[i] = H5Pget_filter2(properties, (unsigned)i, &flags, &packing->value_counts[i],
                                             packing->values[i], 0, NULL, &config);
        if (packing->filters[i] < 0 || packing->value_counts[i] > FILTER_VALUES_MAX) return false;
    }
    return true;
}

static bool read_fill(hid_t properties, hid_t type, Packing *packing) {
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    packing->fill_bytes = H5Tget_size(type);
    return packing->fill_bytes > 0 && packing->fill_bytes <= sizeof packing->fill &&
           H5Pfill_value_defined(properties, &defined) >= 0 && defined != H5D_FILL_VALUE_UNDEFINED &&
           H5Pget_fill_value(properties, type, packing->fill) >= 0;
}

static bool read_packing(hid_t dataset, hid_t type, Packing *packing) {
    const hid_t properties = H5Dget_create_plist(dataset);
    memset(packing, 0, sizeof *packing); // compared whole
    bool is_read = properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED;
    if (is_read) packing->rank = H5Pget_chunk(properties, RECORD_RANK_MAX, packing->chunk);
    is_read = is_read && packing->rank > 0 && packing->rank <= RECORD_RANK_MAX && read_filters(properties, packing) &&
              read_fill(properties, type, packing);
    if (properties >= 0) H5Pclose(properties);
    return is_read;
}

// The checksum comes last, so that it is of the bytes in the file: they can be checked without unpacking them.
bool record_raw_fits(hid_t source, const CopyColumn *column) {
    Packing packing, target;
    if (!read_packing(source, column->type, &packing) || !read_packing(column->dataset, column->type, &target))
        return false;
    if (memcmp(&packing, &target, sizeof packing) != 0) return false;
    if (packing.filters[packing.filter_count - 1] != H5Z_FILTER_FLETCHER32) return false;
    for (int i = 0; i < packing.rank; i++)
        if (packing.chunk[i] != column->block[i]) return false;
    return packing.rank == column->rank;
}

hsize_t record_raw_rows(hid_t dataset, const CopyColumn *column) {
    static const H5Z_filter_t filters[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
    Packing packing;
    size_t width = 1;
    if (column->rank > 2 || H5Tequal(column->type, H5T_IEEE_F64LE) <= 0 ||
        !read_packing(dataset, column->type, &packing))
        return 0;
    if (packing.rank != column->rank || packing.filter_count != sizeof filters / sizeof *filters) return 0;
    if (memcmp(packing.filters, filters, sizeof filters) != 0) return 0;
    for (int i = 1; i < column->rank; i++) {
        if (packing.chunk[i] != column->dims[i]) return 0;
        width *= (size_t)packing.chunk[i];
    }
    return packing.chunk[0] <= COPY_CHUNK_VALUES / width ? packing.chunk[0] : 0;
}

bool record_raw_is_chunk(const CopyColumn *column, const hsize_t *source_dims, const hsize_t *start,
                         const hsize_t *count, hsize_t row) {
    for (int i = 0; i < column->rank; i++) {
        const hsize_t size = column->block[i], there = start[i] + (i == 0 ? row : 0);
        const hsize_t in_source = source_dims[i] - start[i], in_target = column->dims[i] - there;
        if (start[i] % size != 0 || there % size != 0) return false;
        // Of a chunk at an edge, what lies beyond it counts in neither file.
        if (count[i] != (in_source < size ? in_source : size) || count[i] != (in_target < size ? in_target : size))
            return false;
    }
    return true;
}

// --- one chunk ------------------------------------------------------------------------------------

ClackStatus record_copy_room(CopyRoom *room, size_t bytes, ClackReport *report) {
    if (bytes <= room->bytes) return CLACK_OK;
    record_copy_room_free(room);
    room->values = malloc(bytes);
    room->others = malloc(bytes);
    if (room->values == NULL || room->others == NULL)
        return report_add(report, CLACK_MEMORY, "no memory to merge files");
    room->bytes = bytes;
    return CLACK_OK;
}

void record_copy_room_free(CopyRoom *room) {
    free(room->values);
    free(room->others);
    *room = (CopyRoom){0};
}

static hsize_t chunk_bytes(hid_t dataset, const hsize_t *start) {
    hsize_t bytes = 0;
    return H5Dget_chunk_storage_size(dataset, start, &bytes) >= 0 ? bytes : 0;
}

// A chunk of which a filter was left out is packed in another way.
static bool read_chunk(hid_t dataset, const hsize_t *start, void *bytes) {
    uint32_t left_out = 1;
    return H5Dread_chunk(dataset, H5P_DEFAULT, start, &left_out, bytes) >= 0 && left_out == 0;
}

ClackStatus record_raw_take(const RawChunk *chunk, CopyRoom *room, bool *out_is_taken) {
    hsize_t there[RECORD_RANK_MAX];
    const hsize_t bytes = chunk_bytes(chunk->source, chunk->start);
    *out_is_taken = false;
    if (bytes == 0) return CLACK_OK;
    memcpy(there, chunk->start, sizeof there);
    there[0] += chunk->row;
    TRY(record_copy_room(room, (size_t)bytes, chunk->place->report));
    if (!read_chunk(chunk->source, chunk->start, room->values)) return CLACK_OK;
    if (chunk->compares) {
        *out_is_taken = chunk_bytes(chunk->target, there) == bytes && read_chunk(chunk->target, there, room->others) &&
                        memcmp(room->values, room->others, (size_t)bytes) == 0;
        return CLACK_OK;
    }
    *out_is_taken = record_has_its_checksum(room->values, (size_t)bytes);
    if (!*out_is_taken || H5Dwrite_chunk(chunk->target, H5P_DEFAULT, 0, there, (size_t)bytes, room->values) >= 0)
        return CLACK_OK;
    return record_h5_failed(chunk->place, "write dataset", chunk->name);
}
