// Where the palettes are: a source tree, an installation, or an installation that was moved elsewhere.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study.h"

#define PALETTE "materials.yaml"

static const char data_anchor; // an address within this library

static int data_is_there(const char *dir) {
    char path[STUDY_DATA_DIR_BYTES + sizeof "/" PALETTE];
    snprintf(path, sizeof path, "%s/" PALETTE, dir);
    return access(path, R_OK) == 0;
}

// The folder of `file`, then `relative`: the palettes as the installation placed them.
static int data_beside(const char *file, const char *relative, char out_path[STUDY_DATA_DIR_BYTES]) {
    const char *slash = strrchr(file, '/');
    if (slash == NULL) return 0;
    const int length = snprintf(out_path, STUDY_DATA_DIR_BYTES, "%.*s/%s", (int)(slash - file), file, relative);
    return length > 0 && length < STUDY_DATA_DIR_BYTES && data_is_there(out_path);
}

void study_data_dir(char out_path[STUDY_DATA_DIR_BYTES]) {
    const char *named = getenv("CLACK_DATA_DIR");
    if (named != NULL && named[0] != '\0') {
        snprintf(out_path, STUDY_DATA_DIR_BYTES, "%s", named);
        return;
    }
    char program[STUDY_DATA_DIR_BYTES];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1); // Linux; elsewhere -1
    if (length > 0) {
        program[length] = '\0';
        if (data_beside(program, CLACK_DATA_FROM_PROGRAM, out_path)) return;
    }
    Dl_info library; // of a shared library; of a static one, the program again
    if (dladdr(&data_anchor, &library) != 0 && library.dli_fname != NULL &&
        data_beside(library.dli_fname, CLACK_DATA_FROM_LIBRARY, out_path))
        return;
    snprintf(out_path, STUDY_DATA_DIR_BYTES, "%s",
             data_is_there(CLACK_DATA_DIR) ? CLACK_DATA_DIR : CLACK_INSTALLED_DATA_DIR);
}
