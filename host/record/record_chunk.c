// Whole chunks of doubles packed and unpacked here, as HDF5's own filters would (shuffle, deflate, Fletcher's
// checksum), in a third of the time: by libdeflate, whose streams are zlib's.
#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "record_internal.h"

#define VALUE_BYTES sizeof(double)
#define CHECKSUM_BYTES 4
#define DEFLATE_LEVEL 1 // as by HDF5 (record_hdf5.c)

struct RecordPacker {
    struct libdeflate_compressor *compressor;
    struct libdeflate_decompressor *decompressor;
    size_t value_count, packed_room;
    unsigned char *planes; // (value_count * VALUE_BYTES)
    unsigned char *packed; // (packed_room)
};

// --- Fletcher's checksum --------------------------------------------------------------------------

#define SUM_LANES 16
#define SUM_ROUNDS 256 // of all lanes: no 32-bit sum of 16-bit words and of their sums overflows

static uint32_t fold(uint64_t sum) {
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return (uint32_t)sum;
}

static uint32_t swap_bytes(uint32_t word) { return (word >> 8 | word << 8) & 0xffff; }

// Words of lane l in the rounds 0, 1, ... of a block; of each lane their sum, and the sum of all sums so far.
static void sum_block(const unsigned char *bytes, size_t rounds, uint64_t *first, uint64_t *second) {
    uint32_t sums[SUM_LANES] = {0}, sums_of_sums[SUM_LANES] = {0};
    for (size_t round = 0; round < rounds; round++) {
        uint16_t words[SUM_LANES];
        memcpy(words, bytes + round * sizeof words, sizeof words);
        for (int lane = 0; lane < SUM_LANES; lane++) {
            sums[lane] += words[lane];
            sums_of_sums[lane] += sums[lane];
        }
    }
    uint64_t sum = 0;
    *second += *first * rounds * SUM_LANES;
    for (uint64_t lane = 0; lane < SUM_LANES; lane++) {
        sum += sums[lane];
        *second += SUM_LANES * (uint64_t)sums_of_sums[lane] - lane * sums[lane];
    }
    *first = fold(*first + sum);
    *second = fold(*second);
}

// HDF5 sums words whose first byte is the higher one. Modulo 2^16 - 1, sums of words with their bytes swapped are the
// swapped sums, so that a processor of the other order sums its own words.
uint32_t record_fletcher32(const void *data, size_t count) {
    const unsigned char *bytes = data;
    const uint16_t one = 1;
    uint64_t first = 0, second = 0;
    const size_t block = sizeof(uint16_t) * SUM_LANES * SUM_ROUNDS;
    for (; count >= block; count -= block, bytes += block) sum_block(bytes, SUM_ROUNDS, &first, &second);
    const size_t rounds = count / (SUM_LANES * sizeof(uint16_t));
    sum_block(bytes, rounds, &first, &second);
    bytes += rounds * SUM_LANES * sizeof(uint16_t);
    count -= rounds * SUM_LANES * sizeof(uint16_t);
    for (size_t i = 0; i < count; i += 2) { // an odd byte is the first of a word whose other is 0
        const unsigned char pair[2] = {bytes[i], i + 1 < count ? bytes[i + 1] : 0};
        uint16_t word;
        memcpy(&word, pair, sizeof word);
        first += word;
        second += first;
    }
    first = fold(first);
    second = fold(second);
    if (*(const unsigned char *)&one == 1) {
        first = swap_bytes((uint32_t)first);
        second = swap_bytes((uint32_t)second);
    }
    return (uint32_t)(second << 16 | first);
}

// --- shuffle --------------------------------------------------------------------------------------

// The upper bits of a word for the lower ones of another: bytes of an 8 x 8 block cross its diagonal.
static void swap_corners(uint64_t *upper, uint64_t *lower, int shift, uint64_t mask) {
    const uint64_t change = ((*upper >> shift) ^ *lower) & mask;
    *lower ^= change;
    *upper ^= change << shift;
}

static void transpose(uint64_t words[VALUE_BYTES]) {
    for (int k = 0; k < 4; k++) swap_corners(&words[k], &words[k + 4], 32, 0x00000000ffffffffu);
    for (int k = 0; k < 8; k += k % 4 == 1 ? 3 : 1) swap_corners(&words[k], &words[k + 2], 16, 0x0000ffff0000ffffu);
    for (int k = 0; k < 8; k += 2) swap_corners(&words[k], &words[k + 1], 8, 0x00ff00ff00ff00ffu);
}

// First bytes of all values, then all second bytes, and so on, as HDF5's shuffle has them.
static void split_planes(const double *values, size_t count, unsigned char *planes) {
    const size_t whole = count - count % VALUE_BYTES;
    for (size_t i = 0; i < whole; i += VALUE_BYTES) {
        uint64_t words[VALUE_BYTES];
        memcpy(words, values + i, sizeof words);
        transpose(words);
        for (size_t k = 0; k < VALUE_BYTES; k++) memcpy(planes + k * count + i, &words[k], sizeof words[k]);
    }
    const unsigned char *bytes = (const unsigned char *)values;
    for (size_t i = whole; i < count; i++)
        for (size_t k = 0; k < VALUE_BYTES; k++) planes[k * count + i] = bytes[i * VALUE_BYTES + k];
}

static void join_planes(const unsigned char *planes, size_t count, double *values) {
    const size_t whole = count - count % VALUE_BYTES;
    for (size_t i = 0; i < whole; i += VALUE_BYTES) {
        uint64_t words[VALUE_BYTES];
        for (size_t k = 0; k < VALUE_BYTES; k++) memcpy(&words[k], planes + k * count + i, sizeof words[k]);
        transpose(words);
        memcpy(values + i, words, sizeof words);
    }
    unsigned char *bytes = (unsigned char *)values;
    for (size_t i = whole; i < count; i++)
        for (size_t k = 0; k < VALUE_BYTES; k++) bytes[i * VALUE_BYTES + k] = planes[k * count + i];
}

// --- chunks ---------------------------------------------------------------------------------------

RecordPacker *record_packer_make(size_t value_count) {
    const size_t bytes = value_count * VALUE_BYTES;
    if (H5Tequal(H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE) <= 0) return NULL;
    RecordPacker *packer = calloc(1, sizeof *packer);
    if (packer == NULL) return NULL;
    packer->value_count = value_count;
    packer->compressor = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    packer->decompressor = libdeflate_alloc_decompressor();
    packer->packed_room = libdeflate_zlib_compress_bound(packer->compressor, bytes) + CHECKSUM_BYTES;
    packer->planes = malloc(bytes);
    packer->packed = malloc(packer->packed_room);
    if (packer->planes != NULL && packer->packed != NULL && packer->compressor != NULL && packer->decompressor != NULL)
        return packer;
    record_packer_free(packer);
    return NULL;
}

void record_packer_free(RecordPacker *packer) {
    if (packer == NULL) return;
    if (packer->compressor != NULL) libdeflate_free_compressor(packer->compressor);
    if (packer->decompressor != NULL) libdeflate_free_decompressor(packer->decompressor);
    free(packer->planes);
    free(packer->packed);
    free(packer);
}

bool record_packer_write(RecordPacker *packer, hid_t dataset, const hsize_t *start, const double *values,
                         size_t count) {
    assert(count <= packer->value_count);
    split_planes(values, count, packer->planes);
    size_t bytes = libdeflate_zlib_compress(packer->compressor, packer->planes, count * VALUE_BYTES, packer->packed,
                                            packer->packed_room - CHECKSUM_BYTES);
    const uint32_t sum = record_fletcher32(packer->packed, bytes);
    if (bytes == 0) return false;
    for (int i = 0; i < CHECKSUM_BYTES; i++) packer->packed[bytes++] = (unsigned char)(sum >> 8 * i);
    return H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, start, bytes, packer->packed) >= 0;
}

bool record_has_its_checksum(const void *chunk, size_t bytes) {
    if (bytes <= CHECKSUM_BYTES) return false;
    const unsigned char *stored = (const unsigned char *)chunk + bytes - CHECKSUM_BYTES;
    uint32_t sum = 0;
    for (int i = 0; i < CHECKSUM_BYTES; i++) sum |= (uint32_t)stored[i] << 8 * i;
    return record_fletcher32(chunk, bytes - CHECKSUM_BYTES) == sum;
}

bool record_packer_read(RecordPacker *packer, hid_t dataset, const hsize_t *start, double *values, size_t count) {
    hsize_t bytes = 0;
    uint32_t left_out = 1; // filters
    assert(count <= packer->value_count);
    if (H5Dget_chunk_storage_size(dataset, start, &bytes) < 0 || bytes == 0 || bytes > packer->packed_room)
        return false;
    if (H5Dread_chunk(dataset, H5P_DEFAULT, start, &left_out, packer->packed) < 0 || left_out != 0) return false;
    if (!record_has_its_checksum(packer->packed, (size_t)bytes) ||
        libdeflate_zlib_decompress(packer->decompressor, packer->packed, (size_t)bytes - CHECKSUM_BYTES, packer->planes,
                                   count * VALUE_BYTES, NULL) != LIBDEFLATE_SUCCESS)
        return false;
    join_planes(packer->planes, count, values);
    return true;
}
