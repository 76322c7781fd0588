// Structs of callers that were compiled with an earlier or later clack.h.
#include "sized.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST 65536u // bytes: more is what stood in memory before

static size_t size_of(const void *given) {
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    return size;
}

ClackStatus sized_check(const void *given, const char *type, ClackReport *report) {
    const size_t size = size_of(given);
    if (size >= sizeof size && size <= SIZE_MOST) return CLACK_OK;
    return report_add(report, CLACK_USAGE, "%s.size: expected sizeof(%s), found %zu: begin with CLACK_SIZED(%s)", type,
                      type, size, type);
}

ClackStatus sized_take(const void *given, size_t known_bytes, const char *type, void *out, ClackReport *report) {
    memset(out, 0, known_bytes);
    memcpy(out, &known_bytes, sizeof known_bytes);
    if (given == NULL) return CLACK_OK;
    TRY(sized_check(given, type, report));
    const size_t size = size_of(given), offset = sizeof size;
    const unsigned char *bytes = given;
    for (size_t i = known_bytes; i < size; i++)
        if (bytes[i] != 0)
            return report_add(report, CLACK_USAGE,
                              "%s: byte %zu of %zu is not 0, and this library, %s, knows %zu: the program asks for "
                              "what a later one has",
                              type, i, size, CLACK_VERSION, known_bytes);
    memcpy((unsigned char *)out + offset, bytes + offset, (size < known_bytes ? size : known_bytes) - offset);
    return CLACK_OK;
}

void sized_give(const void *made, size_t known_bytes, void *out) {
    const size_t size = size_of(out), offset = sizeof size, shared = size < known_bytes ? size : known_bytes;
    memcpy((unsigned char *)out + offset, (const unsigned char *)made + offset, shared - offset);
    if (size > known_bytes) memset((unsigned char *)out + known_bytes, 0, size - known_bytes);
}

void sized_give_owned(void *made, size_t known_bytes, const size_t *arrays, size_t count, void *out) {
    sized_give(made, known_bytes, out);
    for (size_t i = 0; i < count; i++) {
        void *array = NULL;
        memcpy(&array, (unsigned char *)made + arrays[i], sizeof array);
        if (arrays[i] + sizeof array > size_of(out)) free(array);
    }
}
