// Buffers are zeroed when they are made; large ones are looked at, since drivers are known that fill less than they are
// asked for and say nothing (NVIDIA's, of buffers over 4 GiB).
#include "opencl_internal.h"

#define FILL_PIECE_BYTES ((size_t)1 << 30) // filled by one call; buffers as large or larger are looked at

static size_t fill_min(size_t a, size_t b) { return a < b ? a : b; }

// The last word of each piece: written with what is no zero, where memory that nobody used would be zero anyway;
// is_filled: read again.
static ClackStatus fill_mark(OpenclDevice *opencl, cl_mem memory, size_t size_bytes, int is_filled,
                             ClackReport *report) {
    const cl_uchar mark = 0xA5; // a byte, since sizes are any
    for (size_t at = 0, bytes = 0; at < size_bytes; at += bytes) {
        bytes = fill_min(size_bytes - at, FILL_PIECE_BYTES);
        const size_t last = at + bytes - sizeof mark;
        cl_uchar found = mark;
        const cl_int error =
            is_filled ? clEnqueueReadBuffer(opencl->queue, memory, CL_TRUE, last, sizeof found, &found, 0, NULL, NULL)
                      : clEnqueueWriteBuffer(opencl->queue, memory, CL_TRUE, last, sizeof mark, &mark, 0, NULL, NULL);
        TRY(opencl_check(opencl, error, is_filled ? "clEnqueueReadBuffer" : "clEnqueueWriteBuffer", size_bytes,
                         report));
        if (is_filled && found != 0)
            return report_add(report, CLACK_DEVICE,
                              "%s: clEnqueueFillBuffer left byte %zu of a buffer of %zu bytes as it was, and told no "
                              "error: smaller batches (--batch N) make smaller buffers",
                              opencl->base.info.name, last, size_bytes);
    }
    return CLACK_OK;
}

static ClackStatus fill_pieces(OpenclDevice *opencl, cl_mem memory, size_t size_bytes, ClackReport *report) {
    const cl_ulong zero = 0;
    const size_t pattern_bytes = size_bytes % sizeof zero == 0 ? sizeof zero : 1;
    for (size_t at = 0, bytes = 0; at < size_bytes; at += bytes) {
        bytes = fill_min(size_bytes - at, FILL_PIECE_BYTES);
        const cl_int error = clEnqueueFillBuffer(opencl->queue, memory, &zero, pattern_bytes, at, bytes, 0, NULL, NULL);
        TRY(opencl_check(opencl, error, "clEnqueueFillBuffer", size_bytes, report));
    }
    return opencl_check(opencl, clFinish(opencl->queue), "clFinish", size_bytes, report);
}

ClackStatus opencl_fill_zero(OpenclDevice *opencl, cl_mem memory, size_t size_bytes, ClackReport *report) {
    const int is_large = size_bytes >= FILL_PIECE_BYTES;
    if (is_large) TRY(fill_mark(opencl, memory, size_bytes, 0, report));
    TRY(fill_pieces(opencl, memory, size_bytes, report)); // the driver takes the memory now rather than at the launch
    return is_large ? fill_mark(opencl, memory, size_bytes, 1, report) : CLACK_OK;
}
