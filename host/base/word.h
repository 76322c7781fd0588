// Words that were meant: the nearest of those that are known.
#ifndef CLACK_WORD_H
#define CLACK_WORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The known word nearest to `word`, NULL if none is near. `words` ends with NULL.
const char *word_nearest(const char *word, const char *const *words);

#ifdef __cplusplus
}
#endif
#endif
