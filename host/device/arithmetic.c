// Whether a device computes as IEEE 754 tells: rows of operands through it, results compared bit by bit with those of
// exact arithmetic. Drivers are not to be trusted with it: some say that they have fma and round twice, contract
// a * b + c, divide by reciprocals or flush subnormal numbers, with their own or with a user's options.
#include "device_internal.h"
#include "arithmetic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS_INFINITE ((uint64_t)0x7ff << 52)
#define BITS_SIGN ((uint64_t)1 << 63)
#define SUBNORMAL "subnormal numbers"
#define OPERANDS_MOST 3u

typedef struct Operation {
    const char *word, *form;
    unsigned operands;
} Operation;

static const Operation operations[EXACT_COUNT] = {
#define ARITHMETIC_OPERATION(name, word, operands, form) {word, form, operands},
    EXACT_LIST(ARITHMETIC_OPERATION)
#undef ARITHMETIC_OPERATION
};

// --- rows -------------------------------------------------------------------------------------

static int is_none(uint64_t bits) { return (bits & ~BITS_SIGN) > BITS_INFINITE; }

static int is_subnormal(uint64_t bits) {
    const uint64_t size = bits & ~BITS_SIGN;
    return size != 0 && size <= (uint64_t)1 << 52; // the least normal number, too: some flush what is rounded to it
}

// What numbers that are none look like is not the same everywhere.
static int is_right(uint64_t found, uint64_t expected) {
    return found == expected || (is_none(found) && is_none(expected));
}

static int row_is_right(size_t row, const uint64_t *results) {
    const uint64_t *found = results + EXACT_RESULTS * row;
    return is_right(found[0], arithmetic_rows[row].expected) && is_right(found[1], arithmetic_rows[row].expected);
}

// What is wrong where a row is not right.
static const char *row_word(const ArithmeticRow *row) {
    const Operation *operation = &operations[row->operation];
    const int has_subnormal = is_subnormal(row->expected) || is_subnormal(row->a) ||
                              (operation->operands > 1 && is_subnormal(row->b)) ||
                              (operation->operands > 2 && is_subnormal(row->c));
    return has_subnormal ? SUBNORMAL : operation->word;
}

// The first of the rows that are wrong in the same way.
static int row_is_first(size_t row, const uint64_t *results) {
    const char *word = row_word(&arithmetic_rows[row]);
    for (size_t i = 0; i < row; i++)
        if (!row_is_right(i, results) && strcmp(row_word(&arithmetic_rows[i]), word) == 0) return 0;
    return 1;
}

size_t arithmetic_judge(const uint64_t *results, char verdict[]) {
    size_t wrong = 0, used = 0;
    snprintf(verdict, ARITHMETIC_VERDICT_BYTES, "%s", ARITHMETIC_EXACT);
    for (size_t row = 0; row < arithmetic_row_count; row++) {
        if (row_is_right(row, results)) continue;
        if (row_is_first(row, results) && used + 1 < ARITHMETIC_VERDICT_BYTES) {
            const int wrote =
                snprintf(verdict + used, ARITHMETIC_VERDICT_BYTES - used, "%s%s",
                         wrong == 0 ? "not " ARITHMETIC_EXACT ": " : ", ", row_word(&arithmetic_rows[row]));
            used += wrote > 0 ? (size_t)wrote : 0;
        }
        wrong++;
    }
    return wrong;
}

static void row_explain(size_t at, const uint64_t *results, ClackReport *report) {
    const ArithmeticRow *row = &arithmetic_rows[at];
    const Operation *operation = &operations[row->operation];
    const uint64_t operands[OPERANDS_MOST] = {row->a, row->b, row->c}, *found = results + EXACT_RESULTS * at;
    const int is_alone = !is_right(found[0], row->expected);
    char text[128] = "";
    for (unsigned i = 0, used = 0; i < OPERANDS_MOST && i < operation->operands && used < sizeof text; i++) {
        const int wrote = snprintf(text + used, sizeof text - used, "%s%c = 0x%016" PRIx64, i > 0 ? ", " : "",
                                   'a' + (int)i, operands[i]);
        used += wrote > 0 ? (unsigned)wrote : 0;
    }
    report_add(report, CLACK_DEVICE, "%s: %s%s of %s: expected 0x%016" PRIx64 ", found 0x%016" PRIx64, row_word(row),
               operation->form, is_alone ? "" : " in vectors", text, row->expected, found[is_alone ? 0 : 1]);
}

void arithmetic_explain(const uint64_t *results, ClackReport *report) {
    for (size_t row = 0; row < arithmetic_row_count; row++)
        if (!row_is_right(row, results) && row_is_first(row, results)) row_explain(row, results, report);
}

// --- devices ----------------------------------------------------------------------------------

static ClackStatus compute_in(Device *device, DeviceBuffer *const buffers[2], const uint64_t *rows, uint64_t *results,
                              ClackReport *report) {
    TRY(device_buffer_write(device, buffers[0], 0, arithmetic_row_count * EXACT_ROW * sizeof *rows, rows, report));
    TRY(device_launch(device, KERNEL_probe_exact, buffers, (uint32_t)arithmetic_row_count, report));
    return device_buffer_read(device, buffers[1], 0, arithmetic_row_count * EXACT_RESULTS * sizeof *results, results,
                              report);
}

ClackStatus arithmetic_compute(Device *device, uint64_t *results, ClackReport *report) {
    DeviceBuffer *buffers[2] = {NULL};
    ClackStatus status = CLACK_OK;
    uint64_t *rows = malloc(arithmetic_row_count * EXACT_ROW * sizeof *rows);
    if (rows == NULL) return report_add(report, CLACK_MEMORY, "no memory to measure the device's arithmetic");
    for (size_t row = 0; row < arithmetic_row_count; row++) {
        const ArithmeticRow *from = &arithmetic_rows[row];
        memcpy(rows + EXACT_ROW * row, (uint64_t[EXACT_ROW]){from->operation, from->a, from->b, from->c},
               EXACT_ROW * sizeof *rows);
    }
    TRY_CLEAN(device_buffer_create(device, arithmetic_row_count * EXACT_ROW * sizeof *rows, &buffers[0], report));
    TRY_CLEAN(
        device_buffer_create(device, arithmetic_row_count * EXACT_RESULTS * sizeof *results, &buffers[1], report));
    status = compute_in(device, buffers, rows, results, report);
cleanup:
    device_buffer_free(device, buffers[0]);
    device_buffer_free(device, buffers[1]);
    free(rows);
    return status;
}

// Kernels of native devices hold it; others get a build of their own, with the options of all their builds.
static ClackStatus check_compute(Device *device, uint64_t *results, ClackReport *report) {
    const Content content = {.programs = PROGRAM_EXACT};
    Device *probe = NULL;
    if (device->operations->open_beside == NULL) {
        const ClackStatus status = arithmetic_compute(device, results, report);
        device->bytes_most = device->bytes; // nothing of this counts as a run's
        device->kernel_s[KERNEL_probe_exact] = 0;
        return status;
    }
    TRY(device->operations->open_beside(device, &content, &probe, report));
    const ClackStatus status = arithmetic_compute(probe, results, report);
    device->ran_out_of_memory |= probe->ran_out_of_memory;
    device_close(probe);
    return status;
}

static ClackStatus check_refuse(const DeviceInfo *info, const uint64_t *results, size_t wrong, ClackReport *report) {
    char choice[16] = "native";
    if (info->index >= 0) snprintf(choice, sizeof choice, "%d", info->index);
    report_add(report, CLACK_DEVICE,
               "device %s (%s): its arithmetic is %s (%zu of %zu operations tried), so that results would not have the "
               "bits that other devices give; --allow-inexact (allow_inexact) runs on it nevertheless",
               choice, info->name, info->arithmetic, wrong, arithmetic_row_count);
    arithmetic_explain(results, report);
    return CLACK_DEVICE;
}

int arithmetic_is_wrong(const DeviceInfo *info) {
    return info->arithmetic[0] != '\0' && strcmp(info->arithmetic, ARITHMETIC_EXACT) != 0;
}

void arithmetic_warn(const DeviceInfo *info, ClackReport *report) {
    if (!arithmetic_is_wrong(info)) return;
    report_warn(report, "%s: its arithmetic is %s: results do not have the bits that other devices give", info->name,
                info->arithmetic);
}

ClackStatus arithmetic_check(Device *device, const DeviceOptions *options, ClackReport *report) {
    if (options->allow_inexact == ARITHMETIC_UNASKED) return CLACK_OK;
    uint64_t *results = calloc(arithmetic_row_count * EXACT_RESULTS, sizeof *results);
    if (results == NULL) return report_add(report, CLACK_MEMORY, "no memory to measure the device's arithmetic");
    ClackStatus status = check_compute(device, results, report);
    const size_t wrong = status == CLACK_OK ? arithmetic_judge(results, device->info.arithmetic) : 0;
    if (wrong > 0 && !options->allow_inexact) status = check_refuse(&device->info, results, wrong, report);
    free(results);
    return status;
}
