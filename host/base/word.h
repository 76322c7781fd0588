// Words that were meant: the nearest of those that are known.
#ifndef CLACK_WORD_H
#define CLACK_WORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The known word that `word` was meant to be: the only one that begins with it, else the nearest by edits, else the
/// only one that it begins with ("maximum": "max"). NULL: none. `words` ends with NULL.
const char *word_nearest(const char *word, const char *const *words);

#ifdef __cplusplus
}
#endif
#endif
