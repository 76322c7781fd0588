// The text of the kernels: embedded at build time, or from the folder CLACK_KERNEL_DIR.
#ifndef CLACK_KERNEL_SOURCE_H
#define CLACK_KERNEL_SOURCE_H

#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Made by kernels/embed.cmake.
extern const unsigned char kernel_source_embedded[]; // (kernel_source_embedded_bytes + 1), ends in 0
extern const size_t kernel_source_embedded_bytes;
extern const char *const kernel_source_programs[]; // names of the .cl files in order; ends in NULL
// The same of the program that tells whether a device computes exactly, which is none of those.
extern const unsigned char kernel_exact_embedded[];
extern const size_t kernel_exact_embedded_bytes;
extern const char *const kernel_exact_programs[];

/// The kernels as one text with #line directives: from the folder that the environment variable
/// CLACK_KERNEL_DIR names, else as embedded. `*out_text` ends in 0 and is freed by the caller.
/// Errors: CLACK_IO (which file), CLACK_MEMORY.
ClackStatus kernel_source_get(char **out_text, size_t *out_bytes, ClackReport *report);
/// The same of probe_exact.cl.
ClackStatus kernel_source_get_exact(char **out_text, size_t *out_bytes, ClackReport *report);

/// Files of a folder as one text: each quoted #include at the start of a line is resolved once, depth
/// first. `names` (ends in NULL) are taken in order. Errors and ownership as above.
ClackStatus kernel_source_load(const char *folder, const char *const *names, char **out_text, size_t *out_bytes,
                               ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
