// The driver through which HDF5 reads and writes files of clack: as its own, sec2, which writes the same bytes; but it
// remembers the first failure. HDF5 1.10 closes datasets and files whose last bytes could not be written without a
// word, or crashes at the end of the program: so closing never hears of a failure here, and whoever closes asks the
// driver (record_h5_close_file).
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_disk.h"
#if H5_VERS_MAJOR > 1 || H5_VERS_MINOR > 12
#include <H5FDdevelop.h>
#endif

typedef struct DiskFile {
    H5FD_t shared; // HDF5's part: first
    hid_t driver;  // held as long as the file is open
    int descriptor;
    haddr_t eoa, eof; // where HDF5's bytes end, and those of the file
    bool is_closing;
    Seal seal; // of a file that is only read
    DiskFault fault;
    DiskFault altered;    // the first bytes that did not arrive as they were written: reported at the end
    DiskFault *last_word; // of the call that opens or closes; NULL: not wanted
} DiskFile;

typedef struct DiskAccess { // the driver's part of access properties
    DiskFault *fault;
} DiskAccess;

ClackStatus record_disk_report(const char *path, const DiskFault *fault, ClackReport *report) {
    const unsigned long long first = fault->first, last = fault->end - (fault->end > fault->first);
    if (fault->number == ENOMEM) return report_add(report, CLACK_MEMORY, "%s: no memory to %s it", path, fault->action);
    if (fault->is_altered)
        return report_add(report, CLACK_CORRUPT, "%s: bytes %llu to %llu are not those that were written", path, first,
                          last);
    if (fault->number == 0)
        return report_add(report, CLACK_CORRUPT,
                          "%s: bytes %llu to %llu are damaged: their SHA-256 is not the one in the file's seal", path,
                          first, last);
    if (fault->end == 0)
        return report_add(report, CLACK_IO, "%s: cannot %s: %s", path, fault->action, strerror(fault->number));
    return report_add(report, CLACK_IO, "%s: cannot %s bytes %llu to %llu: %s", path, fault->action, first, last,
                      strerror(fault->number));
}

// --- faults ---------------------------------------------------------------------------------------

// What HDF5 says was the reason of a failure (record_h5_failed).
static void push_reason(const DiskFault *fault) {
    if (fault->number != 0)
        H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR, "%s",
                 strerror(fault->number));
    else
        H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR,
                 "bytes %llu to %llu are damaged: their SHA-256 is not the one in the file's seal",
                 (unsigned long long)fault->first, (unsigned long long)fault->end - 1);
}

static herr_t disk_failed(DiskFile *file, DiskFault fault) {
    if (file->fault.action == NULL) file->fault = fault;
    push_reason(&fault);
    return -1;
}

static herr_t write_failed(DiskFile *file, DiskFault fault) {
    const herr_t failed = disk_failed(file, fault);
    return file->is_closing ? 0 : failed; // what HDF5 keeps must go
}

// --- open and close -------------------------------------------------------------------------------

static int open_flags(unsigned flags) {
    return ((flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_CREAT) ? O_CREAT : 0) |
           ((flags & H5F_ACC_TRUNC) ? O_TRUNC : 0) | ((flags & H5F_ACC_EXCL) ? O_EXCL : 0) | O_CLOEXEC;
}

// A file that is changed has no seal until it is whole again: what the seal says ends with the first byte written.
static bool take_seal(DiskFile *file, bool is_changed, DiskFault *fault) {
    if (!record_seal_read(file->descriptor, file->eof, &file->seal, fault)) return false;
    if (file->seal.bytes == 0) return true;
    file->eof = file->seal.bytes;
    if (!is_changed) return true;
    record_seal_free(&file->seal);
    if (ftruncate(file->descriptor, (off_t)file->eof) == 0) return true;
    *fault = (DiskFault){.action = "cut the seal off", .number = errno};
    return false;
}

static bool open_descriptor(DiskFile *file, const char *name, unsigned flags, DiskFault *fault) {
    struct stat about;
    file->descriptor = open(name, open_flags(flags), 0666);
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0) {
        *fault = (DiskFault){.action = "open", .number = errno};
        return false;
    }
    file->eof = (haddr_t)about.st_size;
    return take_seal(file, (flags & H5F_ACC_RDWR) != 0, fault);
}

// HDF5 gives back its hold on the driver before it calls close(), and with the last one frees the table in which it
// then reads close()'s address (H5FD_close of 1.10). So each file holds the driver itself, until it is in close().
static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    const DiskAccess *from = H5Pget_driver_info(access);
    DiskFault fault = {0};
    DiskFile *file = calloc(1, sizeof *file);
    (void)most;
    if (file == NULL) {
        fault = (DiskFault){.action = "open", .number = ENOMEM};
    } else if (!open_descriptor(file, name, flags, &fault)) {
        if (file->descriptor >= 0) close(file->descriptor);
        free(file);
        file = NULL;
    }
    if (file == NULL) {
        push_reason(&fault);
        if (from != NULL) *from->fault = fault;
        return NULL;
    }
    file->driver = H5Pget_driver(access);
    H5Iinc_ref(file->driver);
    file->last_word = from != NULL ? from->fault : NULL; // HDF5 reads before it has opened: what fails then, it closes
    return &file->shared;
}

static herr_t disk_close(H5FD_t *shared) {
    DiskFile *file = (DiskFile *)shared;
    file->is_closing = true;
    if (close(file->descriptor) != 0) write_failed(file, (DiskFault){.action = "close", .number = errno});
    if (file->last_word != NULL) *file->last_word = file->fault.action != NULL ? file->fault : file->altered;
    record_seal_free(&file->seal);
    H5Idec_ref(file->driver);
    free(file);
    return 0;
}

// --- bytes ----------------------------------------------------------------------------------------

static herr_t disk_query(const H5FD_t *shared, unsigned long *flags) {
    (void)shared;
    if (flags != NULL) // sec2's, so that the same bytes get to the same places
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                 H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *shared, H5FD_mem_t type) {
    (void)type;
    return ((const DiskFile *)shared)->eoa;
}

static herr_t disk_set_eoa(H5FD_t *shared, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((DiskFile *)shared)->eoa = address;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *shared, H5FD_mem_t type) {
    (void)type;
    return ((const DiskFile *)shared)->eof;
}

static herr_t disk_get_handle(H5FD_t *shared, hid_t access, void **out_handle) {
    (void)access;
    *out_handle = shared;
    return 0;
}

static herr_t disk_read(H5FD_t *shared, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *bytes) {
    DiskFile *file = (DiskFile *)shared;
    DiskFault fault = {.action = "read", .first = address, .end = address + size};
    (void)type, (void)transfer;
    memset(bytes, 0, size);
    if (address >= file->eof) return 0; // nothing has been written there
    const size_t left = (size_t)(file->eof - address), count = size < left ? size : left;
    if (file->seal.bytes > 0 && !record_seal_check(&file->seal, file->descriptor, address, address + count, &fault))
        return disk_failed(file, fault);
    if (record_disk_read(file->descriptor, address, bytes, count) == count) return 0;
    fault.number = errno;
    return fault.number == 0 ? 0 : disk_failed(file, fault); // 0: a hole at the end
}

// Are the bytes there that were written? From the system's memory mostly. The seal is made of what the file has, so
// that what changed on the way would be sealed with it.
static bool is_written(DiskFile *file, haddr_t address, const unsigned char *bytes, size_t size) {
    unsigned char there[16384];
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < sizeof there ? size - done : sizeof there;
        if (record_disk_read(file->descriptor, address + done, there, part) < part ||
            memcmp(there, bytes + done, part) != 0)
            return false;
    }
    return true;
}

static herr_t disk_write(H5FD_t *shared, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *bytes) {
    DiskFile *file = (DiskFile *)shared;
    DiskFault fault = {.action = "write", .first = address, .end = address + size};
    (void)type, (void)transfer;
    if (file->fault.action != NULL) return write_failed(file, file->fault); // the file is worth nothing any more
    if (record_disk_write(file->descriptor, address, bytes, size) < size) {
        fault.number = errno;
        return write_failed(file, fault);
    }
    if (file->altered.action == NULL && !is_written(file, address, bytes, size))
        file->altered = (DiskFault){.action = "write", .is_altered = true, .first = address, .end = address + size};
    if (address + size > file->eof) file->eof = address + size;
    return 0;
}

static herr_t disk_truncate(H5FD_t *shared, hid_t transfer, hbool_t is_closing) {
    DiskFile *file = (DiskFile *)shared;
    (void)transfer, (void)is_closing;
    if (file->eoa == file->eof || file->fault.action != NULL) return 0;
    if (ftruncate(file->descriptor, (off_t)file->eoa) != 0)
        return write_failed(file, (DiskFault){.action = "set the size", .number = errno});
    file->eof = file->eoa;
    return 0;
}

static const H5FD_class_t disk_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, // of those kept for such as are not registered
#endif
    .name = "clack",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(DiskAccess),
    .open = disk_open,
    .close = disk_close,
    .query = disk_query,
    .get_eoa = disk_get_eoa,
    .set_eoa = disk_set_eoa,
    .get_eof = disk_get_eof,
    .get_handle = disk_get_handle,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

// --- files ----------------------------------------------------------------------------------------

// Registered for each file: HDF5 forgets the driver with the last file that has it.
hid_t record_disk_access(DiskFault *fault) {
    const DiskAccess own = {fault};
    const hid_t driver = H5FDregister(&disk_class), access = H5Pcreate(H5P_FILE_ACCESS);
    const bool is_set = driver >= 0 && access >= 0 && H5Pset_driver(access, driver, &own) >= 0 &&
                        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    if (driver >= 0) H5FDunregister(driver);
    if (is_set) return access;
    if (access >= 0) H5Pclose(access);
    return -1;
}

static DiskFile *disk_of(hid_t file) {
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}

void record_disk_is_open(hid_t file) {
    DiskFile *disk = disk_of(file);
    if (disk != NULL) disk->last_word = NULL;
}

ClackStatus record_h5_check_file(const RecordPlace *place, hid_t file) {
    const DiskFile *disk = disk_of(file);
    return disk == NULL || disk->fault.action == NULL ? CLACK_OK
                                                      : record_disk_report(place->path, &disk->fault, place->report);
}

ClackStatus record_h5_is_sealed(const RecordPlace *place, hid_t file, bool *out_is_sealed) {
    const DiskFile *disk = disk_of(file);
    *out_is_sealed = disk != NULL && disk->seal.bytes > 0;
    if (*out_is_sealed || disk == NULL || disk->eof <= disk->eoa) return CLACK_OK;
    return report_add(place->report, place->status, "%s: bytes %llu to %llu are damaged: expected the file's seal",
                      place->path, (unsigned long long)disk->eoa, (unsigned long long)disk->eof - 1);
}

void record_h5_drop_file(hid_t file) {
    DiskFile *disk = disk_of(file);
    if (disk != NULL) {
        disk->is_closing = true;
        if (disk->fault.action == NULL) disk->fault.action = "write";
    }
    H5Fclose(file);
}

ClackStatus record_h5_close_file(const RecordPlace *place, hid_t file, ClackStatus status) {
    DiskFault fault = {0};
    DiskFile *disk = disk_of(file);
    if (disk != NULL) {
        disk->last_word = &fault;
        disk->is_closing = true;
    }
    const herr_t closed = H5Fclose(file);
    if (status != CLACK_OK) return status;
    if (fault.action != NULL) return record_disk_report(place->path, &fault, place->report);
    return closed < 0 || disk == NULL ? record_h5_failed(place, "close the file", "") : CLACK_OK;
}
