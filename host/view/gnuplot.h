// gnuplot as a child process: the only file that starts one.
#ifndef CLACK_GNUPLOT_H
#define CLACK_GNUPLOT_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What gnuplot (the first of that name in PATH) writes for a script, which goes to it as a file without a name:
/// no shell sees a word of it. `*out_image` (out_bytes) is freed by the caller.
/// Errors: CLACK_IO (no gnuplot; it failed, with what it says; temporary files), CLACK_MEMORY.
ClackStatus gnuplot_run(const char *script, size_t script_bytes, char **out_image, size_t *out_bytes,
                        ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
