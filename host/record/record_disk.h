// HDF5's way to the disk: a driver that keeps in mind what could not be written, whatever HDF5 makes of it, and that
// hands out no byte of a sealed file before its checksum was compared (record_disk.c); the seal itself (record_seal.c).
#ifndef CLACK_RECORD_DISK_H
#define CLACK_RECORD_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "digest.h"
#include "record_internal.h"

typedef struct DiskFault { // the first of a file
    const char *action;    // what failed: "write"; NULL: nothing did
    int number;            // errno; 0: the bytes are not those that were written
    uint64_t first, end;   // bytes of the file
    bool is_altered;       // the bytes are not those that were written
} DiskFault;

/// "path: cannot write bytes 0 to 95: No space left on device", with CLACK_IO; or that bytes are damaged, with
/// CLACK_CORRUPT.
ClackStatus record_disk_report(const char *path, const DiskFault *fault, ClackReport *report);

/// Access properties with the driver, to be closed by the caller; < 0 on an error of HDF5. What fails at opening goes
/// to `fault`, which must live until record_disk_is_open.
hid_t record_disk_access(DiskFault *fault);

/// HDF5 has opened or created the file: it does not use `fault` any more.
void record_disk_is_open(hid_t file);

// --- the seal -------------------------------------------------------------------------------------

// What follows the bytes of HDF5 in a finished file: the SHA-256 of each block of them, then the end below.
#define SEAL_BLOCK_BYTES 65536u
#define SEAL_MAGIC "clackSH1"
#define SEAL_MAGIC_BYTES 8
#define SEAL_END_BYTES                                                                                                 \
    (8 + 8 + DIGEST_BYTES + SEAL_MAGIC_BYTES) // bytes before the seal, bytes of a block, SHA-256 of all of
                                              // the seal up to here, magic; numbers little-endian

typedef struct Seal {
    uint64_t bytes, block_bytes; // of the file without it; 0: there is none
    uint64_t block_count;
    unsigned char *sums; // (block_count, DIGEST_BYTES), owned
    bool *is_sound;      // (block_count), owned: compared already
    void *block;         // (block_bytes), owned
} Seal;

/// The seal of an open file of `file_bytes`; none is no error. False with the fault where it is damaged or cannot be
/// read.
bool record_seal_read(int descriptor, uint64_t file_bytes, Seal *out_seal, DiskFault *fault);
void record_seal_free(Seal *seal);
/// Whether all blocks of these bytes are what was written. False with the fault.
bool record_seal_check(Seal *seal, int descriptor, uint64_t first, uint64_t end, DiskFault *fault);
/// Seal a file that is closed and has no seal, and flush it to the disk. Errors: CLACK_IO, CLACK_MEMORY.
ClackStatus record_seal_write(const char *path, ClackReport *report);

/// Read or write all of `count` bytes at `at`, in as many calls as it takes. Returns the bytes done: fewer at the end
/// of the file (reading), or with the error in errno.
size_t record_disk_read(int descriptor, uint64_t at, void *bytes, size_t count);
size_t record_disk_write(int descriptor, uint64_t at, const void *bytes, size_t count);

#endif
