// Texts that others wrote, as they are shown: on terminals, in reports, pages and figures.
#ifndef CLACK_TEXT_H
#define CLACK_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of the UTF-8 character at `text`, of which `bytes` > 0 are there; 0 if it is none. Surrogates, overlong
/// forms and NUL are none. Source: The Unicode Standard, table 3-7.
size_t text_character(const char *text, size_t bytes);
/// Whether all of a text that ends in 0 is UTF-8.
int text_is_whole(const char *text);
/// The most of `bytes` that end where a character of a UTF-8 text ends: for "%.*s".
int text_whole(const char *text, size_t bytes);
#define TEXT_CUT(text, bytes) text_whole(text, bytes), text // both arguments of "%.*s"

#define TEXT_SHOWN_MAX 4 // bytes of what one step shows

/// One step through a text that ends in 0: what its next character is shown as, `*out_bytes` of `out` without a 0.
/// A character stays as it is; control characters (C0, DEL, C1) and bytes that are no UTF-8, which a terminal may take
/// for orders, become "\x1b", "\n", "\t" or "\r"; a C1 character, of two bytes, takes two steps. Returns the bytes of
/// the text that it took, at least 1. A backslash stays a backslash: this is for reading, not for reading back.
size_t text_step(const char *at, char out[TEXT_SHOWN_MAX], size_t *out_bytes);

/// Bytes of what the first `bytes` of a text that ends in 0 are shown as.
size_t text_shown_bytes(const char *text, size_t bytes);
/// The text as it is shown, freed by the caller; control characters of `kept` ("\n", say) stay. NULL without memory.
char *text_shown(const char *text, const char *kept);
/// The same, cut to out_bytes > 0 with its 0, at the end of a character. Returns `out`.
char *text_show(const char *text, char *out, size_t out_bytes);
/// The same to a stream, with blanks up to `width` bytes.
void text_put(FILE *out, const char *text, int width);

/// A word of a command as a shell takes it: in quotes where it needs them, $'...' where it holds what has to be
/// escaped.
void text_put_word(FILE *out, const char *word);
/// The word for so many: one of them, or more or none.
const char *text_plural(uint64_t count, const char *one, const char *many);

#ifdef __cplusplus
}
#endif
#endif
