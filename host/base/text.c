// UTF-8, and texts as they are shown.
#define _POSIX_C_SOURCE 200809L // strnlen
#include "text.h"

#include <stdlib.h>
#include <string.h>

size_t text_character(const char *text, size_t bytes) {
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                 {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) return at[0] == 0 ? 0 : 1; // NUL is no text
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] < forms[i].first_low || at[0] > forms[i].first_high) continue;
        if (forms[i].length > bytes) return 0;
        if (at[1] < forms[i].second_low || at[1] > forms[i].second_high) return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((at[k] & 0xC0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

int text_is_whole(const char *text) {
    size_t bytes = strlen(text), length = 1;
    for (; bytes > 0 && length > 0; bytes -= length, text += length) length = text_character(text, bytes);
    return length > 0;
}

int text_whole(const char *text, size_t bytes) {
    const size_t length = strlen(text);
    size_t whole = 0;
    if (length <= bytes) return (int)length;
    while (whole < bytes) { // bounded by the bytes: each step takes one at least
        size_t next = text_character(text + whole, length - whole);
        if (next == 0) next = 1;
        if (whole + next > bytes) break;
        whole += next;
    }
    return (int)whole;
}

// U+0080 to U+009F: CSI and other orders of terminals in one character.
static int is_c1(const char *at) {
    const unsigned char *byte = (const unsigned char *)at;
    return byte[0] == 0xC2 && byte[1] >= 0x80 && byte[1] <= 0x9F;
}

size_t text_step(const char *at, char out[TEXT_SHOWN_MAX], size_t *out_bytes) {
    static const char digits[] = "0123456789abcdef", named[] = "\n\t\r", names[] = "ntr";
    const unsigned char byte = (unsigned char)*at;
    if (byte >= ' ' && byte < 0x7F) { // nearly all of them
        out[0] = *at;
        *out_bytes = 1;
        return 1;
    }
    const size_t length = text_character(at, strnlen(at, TEXT_SHOWN_MAX));
    if (length > 1 && !is_c1(at)) {
        memcpy(out, at, length);
        *out_bytes = length;
        return length;
    }
    const char *name = memchr(named, byte, sizeof named - 1);
    out[0] = '\\';
    out[1] = name != NULL ? names[name - named] : 'x';
    *out_bytes = name != NULL ? 2 : 4;
    if (name != NULL) return 1;
    out[2] = digits[byte >> 4];
    out[3] = digits[byte & 0xF];
    return 1;
}

size_t text_shown_bytes(const char *text, size_t bytes) {
    size_t shown = 0;
    for (size_t at = 0, more; at < bytes && text[at] != '\0';) {
        char step[TEXT_SHOWN_MAX];
        at += text_step(text + at, step, &more);
        shown += more;
    }
    return shown;
}

char *text_shown(const char *text, const char *kept) {
    char *out = malloc(text_shown_bytes(text, strlen(text)) + 1);
    size_t used = 0;
    if (out == NULL) return NULL;
    for (const char *at = text; *at != '\0';) {
        size_t more = 1;
        if ((unsigned char)*at < ' ' && strchr(kept, *at) != NULL)
            out[used] = *at++;
        else
            at += text_step(at, out + used, &more);
        used += more;
    }
    out[used] = '\0';
    return out;
}

char *text_show(const char *text, char *out, size_t out_bytes) {
    size_t used = 0;
    for (const char *at = text; *at != '\0';) {
        char step[TEXT_SHOWN_MAX];
        size_t more;
        at += text_step(at, step, &more);
        if (used + more >= out_bytes) break;
        memcpy(out + used, step, more);
        used += more;
    }
    out[used] = '\0';
    return out;
}

void text_put(FILE *out, const char *text, int width) {
    int used = 0;
    for (const char *at = text; *at != '\0';) {
        char step[TEXT_SHOWN_MAX];
        size_t more;
        at += text_step(at, step, &more);
        fwrite(step, 1, more, out);
        used += (int)more;
    }
    if (used < width) fprintf(out, "%*s", width - used, "");
}

void text_put_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
    const size_t bytes = strlen(word);
    const int is_quoted = bytes == 0 || strspn(word, plain) != bytes;
    const int is_escaped = text_shown_bytes(word, bytes) != bytes;
    if (is_quoted) fputs(is_escaped ? "$'" : "'", out);
    for (const char *at = word; *at != '\0';) {
        char step[TEXT_SHOWN_MAX];
        size_t shown;
        if (*at == '\'') fputs(is_escaped ? "\\" : "'\\'", out); // ends the quotes, gives one, begins anew
        if (*at == '\\' && is_escaped) fputc('\\', out);
        at += text_step(at, step, &shown);
        fwrite(step, 1, shown, out);
    }
    if (is_quoted) fputc('\'', out);
}

const char *text_plural(uint64_t count, const char *one, const char *many) { return count == 1 ? one : many; }
