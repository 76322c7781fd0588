// The text of the kernels: embedded, or resolved at run time as kernels/embed.cmake does at build time.
#define _POSIX_C_SOURCE 200809L
#include "kernel_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INCLUDE_WORDS "#include \""
#define SEEN_MAX 256                         // files of one program
#define DEPTH_MAX 64                         // of includes
#define EACH_WIDTH_WORDS "// For each width" // a file that begins so is taken each time, others once

typedef struct Expansion {
    const char *folder;
    char *text;
    size_t bytes, capacity;
    char *seen[SEEN_MAX];
    size_t seen_count;
    int depth;
    ClackReport *report;
} Expansion;

static ClackStatus source_append(Expansion *out, const char *text, size_t bytes) {
    if (out->bytes + bytes + 1 > out->capacity) {
        const size_t capacity = 2 * (out->bytes + bytes + 1);
        char *grown = realloc(out->text, capacity);
        if (grown == NULL) return report_add(out->report, CLACK_MEMORY, "no memory for the kernels' text");
        out->text = grown;
        out->capacity = capacity;
    }
    if (bytes > 0) memcpy(out->text + out->bytes, text, bytes);
    out->bytes += bytes;
    out->text[out->bytes] = '\0';
    return CLACK_OK;
}

static ClackStatus source_append_line(Expansion *out, size_t line, const char *name) {
    char directive[512];
    const int length = snprintf(directive, sizeof directive, "#line %zu \"%s\"\n", line, name);
    if (length < 0 || (size_t)length >= sizeof directive) {
        return report_add(out->report, CLACK_IO, "%s: name of a kernel file is too long", name);
    }
    return source_append(out, directive, (size_t)length);
}

static ClackStatus source_read_file(const Expansion *out, const char *name, char **out_text) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", out->folder, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return report_add(out->report, CLACK_IO, "%s: name of a kernel file is too long", name);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) return report_add(out->report, CLACK_IO, "%s: %s", path, strerror(errno));
    Expansion content = {.report = out->report};
    ClackStatus status = source_append(&content, "", 0);
    char block[4096];
    size_t got = 0;
    while (status == CLACK_OK && (got = fread(block, 1, sizeof block, file)) > 0) {
        status = source_append(&content, block, got);
    }
    if (status == CLACK_OK && ferror(file)) {
        status = report_add(out->report, CLACK_IO, "%s: cannot be read", path);
    }
    fclose(file);
    if (status != CLACK_OK)
        free(content.text);
    else
        *out_text = content.text;
    return status;
}

// The next quoted include at the start of a line; NULL: none.
static const char *source_next_include(const char *text) {
    const size_t length = strlen(INCLUDE_WORDS);
    while (*text != '\0') {
        if (strncmp(text, INCLUDE_WORDS, length) == 0) return text;
        const char *end = strchr(text, '\n');
        if (end == NULL) return NULL;
        text = end + 1;
    }
    return NULL;
}

static size_t source_count_lines(const char *from, const char *to) {
    size_t lines = 0;
    for (; from < to; from++) lines += *from == '\n';
    return lines;
}

static ClackStatus source_expand(Expansion *out, const char *name);

static ClackStatus source_expand_text(Expansion *out, const char *name, const char *text) {
    size_t line = 1;
    TRY(source_append_line(out, line, name));
    for (const char *at = source_next_include(text); at != NULL; at = source_next_include(text)) {
        const char *child = at + strlen(INCLUDE_WORDS);
        const size_t length = strcspn(child, "\"\n");
        char child_name[256];
        if (length >= sizeof child_name || child[length] != '"') {
            return report_add(out->report, CLACK_IO, "%s: a malformed #include", name);
        }
        memcpy(child_name, child, length);
        child_name[length] = '\0';
        line += source_count_lines(text, at) + 1;
        TRY(source_append(out, text, (size_t)(at - text)));
        TRY(source_expand(out, child_name));
        TRY(source_append_line(out, line, name));
        text = child + strcspn(child, "\n");
        if (*text == '\n') text++;
    }
    return source_append(out, text, strlen(text));
}

static ClackStatus source_remember(Expansion *out, const char *name) {
    if (out->seen_count == SEEN_MAX) {
        return report_add(out->report, CLACK_IO, "%s: more than %d kernel files", name, SEEN_MAX);
    }
    char *copy = strdup(name);
    if (copy == NULL) return report_add(out->report, CLACK_MEMORY, "no memory for the kernels' text");
    out->seen[out->seen_count++] = copy;
    return CLACK_OK;
}

// Depth is bounded by DEPTH_MAX, as a file that is taken each time may not include itself.
static ClackStatus source_expand(Expansion *out, const char *name) {
    for (size_t i = 0; i < out->seen_count; i++) {
        if (strcmp(out->seen[i], name) == 0) return CLACK_OK;
    }
    if (out->depth == DEPTH_MAX) return report_add(out->report, CLACK_IO, "%s: includes are nested too deep", name);
    char *text = NULL;
    TRY(source_read_file(out, name, &text));
    ClackStatus status = CLACK_OK;
    if (strncmp(text, EACH_WIDTH_WORDS, strlen(EACH_WIDTH_WORDS)) != 0) status = source_remember(out, name);
    out->depth++;
    if (status == CLACK_OK) status = source_expand_text(out, name, text);
    out->depth--;
    free(text);
    return status;
}

ClackStatus kernel_source_load(const char *folder, const char *const *names, char **out_text, size_t *out_bytes,
                               ClackReport *report) {
    Expansion out = {.folder = folder, .report = report};
    ClackStatus status = source_append(&out, "", 0);
    for (; status == CLACK_OK && *names != NULL; names++) status = source_expand(&out, *names);
    for (size_t i = 0; i < out.seen_count; i++) free(out.seen[i]);
    if (status != CLACK_OK) {
        free(out.text);
        return status;
    }
    *out_text = out.text;
    *out_bytes = out.bytes;
    return CLACK_OK;
}

static ClackStatus source_get(const char *const *names, const unsigned char *embedded, size_t embedded_bytes,
                              char **out_text, size_t *out_bytes, ClackReport *report) {
    const char *folder = getenv("CLACK_KERNEL_DIR");
    if (folder != NULL && folder[0] != '\0') return kernel_source_load(folder, names, out_text, out_bytes, report);
    char *text = malloc(embedded_bytes + 1);
    if (text == NULL) return report_add(report, CLACK_MEMORY, "no memory for the kernels' text");
    memcpy(text, embedded, embedded_bytes + 1);
    *out_text = text;
    *out_bytes = embedded_bytes;
    return CLACK_OK;
}

ClackStatus kernel_source_get(char **out_text, size_t *out_bytes, ClackReport *report) {
    return source_get(kernel_source_programs, kernel_source_embedded, kernel_source_embedded_bytes, out_text, out_bytes,
                      report);
}

ClackStatus kernel_source_get_exact(char **out_text, size_t *out_bytes, ClackReport *report) {
    return source_get(kernel_exact_programs, kernel_exact_embedded, kernel_exact_embedded_bytes, out_text, out_bytes,
                      report);
}
