// The seal of a finished file: checksums of its bytes, behind them, where HDF5 does not look. They are compared before
// HDF5 sees a byte: its own code may crash on what is damaged. A program that changes the file cuts the seal off with
// the rest of what lies behind the end that HDF5 knows: the file is then read as one without.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_disk.h"

#define SEAL_BLOCK_BYTES_MAX ((uint64_t)1 << 24)

// --- bytes ----------------------------------------------------------------------------------------

size_t record_disk_read(int descriptor, uint64_t at, void *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        const ssize_t some = pread(descriptor, (char *)bytes + done, count - done, (off_t)(at + done));
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) {
            if (some == 0) errno = 0;
            break;
        }
        done += (size_t)some;
    }
    return done;
}

size_t record_disk_write(int descriptor, uint64_t at, const void *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        const ssize_t some = pwrite(descriptor, (const char *)bytes + done, count - done, (off_t)(at + done));
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) {
            if (some == 0) errno = ENOSPC;
            break;
        }
        done += (size_t)some;
    }
    return done;
}

static void put_number(unsigned char bytes[8], uint64_t number) {
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t take_number(const unsigned char bytes[8]) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

static uint64_t count_blocks(uint64_t bytes, uint64_t block_bytes) {
    return bytes / block_bytes + (bytes % block_bytes != 0);
}

// --- read -----------------------------------------------------------------------------------------

void record_seal_free(Seal *seal) {
    free(seal->sums);
    free(seal->is_sound);
    free(seal->block);
    *seal = (Seal){0};
}

static bool seal_failed(Seal *seal, int number, uint64_t first, uint64_t end, DiskFault *fault) {
    record_seal_free(seal);
    *fault = (DiskFault){.action = "read", .number = number, .first = first, .end = end};
    return false;
}

// The sums and the end, compared with their own checksum.
static bool seal_take(Seal *seal, int descriptor, const unsigned char end[SEAL_END_BYTES], uint64_t file_bytes,
                      DiskFault *fault) {
    const uint64_t sums_bytes = seal->block_count * DIGEST_BYTES;
    unsigned char sum[DIGEST_BYTES];
    Digest digest;
    seal->sums = malloc((size_t)sums_bytes + 1);
    seal->is_sound = calloc((size_t)seal->block_count + 1, sizeof *seal->is_sound);
    seal->block = malloc((size_t)seal->block_bytes);
    if (seal->sums == NULL || seal->is_sound == NULL || seal->block == NULL)
        return seal_failed(seal, ENOMEM, seal->bytes, file_bytes, fault);
    if (record_disk_read(descriptor, seal->bytes, seal->sums, (size_t)sums_bytes) < sums_bytes)
        return seal_failed(seal, errno, seal->bytes, file_bytes, fault);
    digest_begin(&digest);
    digest_add(&digest, seal->sums, (size_t)sums_bytes);
    digest_add(&digest, end, 16);
    if (!digest_end(&digest, sum)) return seal_failed(seal, ENOMEM, seal->bytes, file_bytes, fault);
    if (memcmp(sum, end + 16, DIGEST_BYTES) != 0) return seal_failed(seal, 0, seal->bytes, file_bytes, fault);
    return true;
}

bool record_seal_read(int descriptor, uint64_t file_bytes, Seal *out_seal, DiskFault *fault) {
    unsigned char end[SEAL_END_BYTES];
    *out_seal = (Seal){0};
    if (file_bytes < SEAL_END_BYTES) return true;
    const uint64_t end_at = file_bytes - SEAL_END_BYTES;
    if (record_disk_read(descriptor, end_at, end, sizeof end) < sizeof end)
        return seal_failed(out_seal, errno, end_at, file_bytes, fault);
    if (memcmp(end + SEAL_END_BYTES - SEAL_MAGIC_BYTES, SEAL_MAGIC, SEAL_MAGIC_BYTES) != 0) return true;
    out_seal->bytes = take_number(end);
    out_seal->block_bytes = take_number(end + 8);
    // Numbers that cannot be would ask for any amount of memory.
    if (out_seal->bytes == 0 || out_seal->bytes > end_at || out_seal->block_bytes == 0 ||
        out_seal->block_bytes > SEAL_BLOCK_BYTES_MAX)
        return seal_failed(out_seal, 0, end_at, file_bytes, fault);
    out_seal->block_count = count_blocks(out_seal->bytes, out_seal->block_bytes);
    if (out_seal->block_count != (end_at - out_seal->bytes) / DIGEST_BYTES ||
        (end_at - out_seal->bytes) % DIGEST_BYTES != 0)
        return seal_failed(out_seal, 0, end_at, file_bytes, fault);
    return seal_take(out_seal, descriptor, end, file_bytes, fault);
}

static bool check_block(Seal *seal, int descriptor, uint64_t index, DiskFault *fault) {
    const uint64_t first = index * seal->block_bytes;
    const uint64_t end = seal->bytes - first < seal->block_bytes ? seal->bytes : first + seal->block_bytes;
    unsigned char sum[DIGEST_BYTES];
    int number = 0;
    if (record_disk_read(descriptor, first, seal->block, (size_t)(end - first)) < end - first)
        number = errno;
    else if (!digest_of(seal->block, (size_t)(end - first), sum))
        number = ENOMEM;
    else if (memcmp(sum, seal->sums + index * DIGEST_BYTES, DIGEST_BYTES) == 0)
        return seal->is_sound[index] = true;
    *fault = (DiskFault){.action = "read", .number = number, .first = first, .end = end};
    return false;
}

bool record_seal_check(Seal *seal, int descriptor, uint64_t first, uint64_t end, DiskFault *fault) {
    if (end > seal->bytes) end = seal->bytes;
    for (uint64_t i = first / seal->block_bytes; i * seal->block_bytes < end; i++)
        if (!seal->is_sound[i] && !check_block(seal, descriptor, i, fault)) return false;
    return true;
}

// --- write ----------------------------------------------------------------------------------------

static bool sum_blocks(Seal *seal, int descriptor) {
    for (uint64_t i = 0; i < seal->block_count; i++) {
        const uint64_t first = i * seal->block_bytes, left = seal->bytes - first;
        const size_t count = (size_t)(left < seal->block_bytes ? left : seal->block_bytes);
        if (record_disk_read(descriptor, first, seal->block, count) < count) return false;
        if (!digest_of(seal->block, count, seal->sums + i * DIGEST_BYTES)) return false;
    }
    return true;
}

static bool write_sums(const Seal *seal, int descriptor) {
    const size_t sums_bytes = (size_t)seal->block_count * DIGEST_BYTES;
    unsigned char end[SEAL_END_BYTES];
    Digest digest;
    put_number(end, seal->bytes);
    put_number(end + 8, seal->block_bytes);
    digest_begin(&digest);
    digest_add(&digest, seal->sums, sums_bytes);
    digest_add(&digest, end, 16);
    if (!digest_end(&digest, end + 16)) return false;
    memcpy(end + SEAL_END_BYTES - SEAL_MAGIC_BYTES, SEAL_MAGIC, SEAL_MAGIC_BYTES);
    return record_disk_write(descriptor, seal->bytes, seal->sums, sums_bytes) == sums_bytes &&
           record_disk_write(descriptor, seal->bytes + sums_bytes, end, sizeof end) == sizeof end &&
           (fsync(descriptor) == 0 || errno == EINVAL); // EINVAL: a file system that has nothing to flush
}

static bool seal_open_file(int descriptor) {
    struct stat about;
    if (fstat(descriptor, &about) != 0) return false;
    Seal seal = {.bytes = (uint64_t)about.st_size, .block_bytes = SEAL_BLOCK_BYTES};
    seal.block_count = count_blocks(seal.bytes, seal.block_bytes);
    seal.sums = malloc((size_t)seal.block_count * DIGEST_BYTES + 1);
    seal.block = malloc(SEAL_BLOCK_BYTES);
    errno = ENOMEM;
    const bool is_sealed =
        seal.sums != NULL && seal.block != NULL && sum_blocks(&seal, descriptor) && write_sums(&seal, descriptor);
    const int number = errno;
    record_seal_free(&seal);
    errno = number;
    return is_sealed;
}

ClackStatus record_seal_write(const char *path, ClackReport *report) {
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    bool is_sealed = descriptor >= 0 && seal_open_file(descriptor);
    int number = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && is_sealed) {
        is_sealed = false;
        number = errno;
    }
    return is_sealed ? CLACK_OK
                     : report_add(report, number == ENOMEM ? CLACK_MEMORY : CLACK_IO,
                                  "%s: cannot write its checksums: %s", path, strerror(number));
}
