// Structs of callers, whose first member says how much of them the caller knows: clack.h, "structs and versions".
#ifndef CLACK_SIZED_H
#define CLACK_SIZED_H

#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A caller's struct as this library knows it, known_bytes of it: what the caller does not have is 0, and so is all
/// where `given` is NULL. type: its name, for the report. Errors: CLACK_USAGE (a size that cannot be; members that
/// this library does not know, and that are not 0).
ClackStatus sized_take(const void *given, size_t known_bytes, const char *type, void *out, ClackReport *report);
/// Whether the library can write results to a caller's struct. Errors: CLACK_USAGE.
ClackStatus sized_check(const void *given, const char *type, ClackReport *report);
/// Of `made`, known_bytes, what the caller's struct has members for; members that this library does not know are 0.
void sized_give(const void *made, size_t known_bytes, void *out);
/// The same; the arrays of `made`, pointers at the offsets `arrays` (count), are the caller's then, and those that he
/// has no member for are freed.
void sized_give_owned(void *made, size_t known_bytes, const size_t *arrays, size_t count, void *out);

#ifdef __cplusplus
}
#endif
#endif
