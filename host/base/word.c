// Words that were meant: the nearest of those that are known.
#include "word.h"

#include <stdbool.h>
#include <string.h>

#define WORD_BYTES_MAX 64

// Edits (insert, delete, replace, swap of neighbours) from a to b; a large number for long words.
static size_t word_distance(const char *a, const char *b) {
    const size_t length_a = strlen(a), length_b = strlen(b);
    size_t rows[3][WORD_BYTES_MAX + 1];
    if (length_a > WORD_BYTES_MAX || length_b > WORD_BYTES_MAX) return WORD_BYTES_MAX;
    size_t *two_back = rows[0], *back = rows[1], *row = rows[2];
    for (size_t j = 0; j <= length_b; j++) back[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t best = back[j - 1] + (a[i - 1] != b[j - 1]);
            if (back[j] + 1 < best) best = back[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_back[j - 2] + 1 < best)
                best = two_back[j - 2] + 1;
            row[j] = best;
        }
        size_t *free_row = two_back;
        two_back = back;
        back = row;
        row = free_row;
    }
    return back[length_b];
}

#define PREFIX_BYTES_MIN 3

// The only one of which `word` is the beginning (is_whole: that is the beginning of `word`); NULL: none or several.
static const char *word_begun(const char *word, const char *const *words, bool is_whole) {
    const char *found = NULL;
    for (size_t i = 0; words[i] != NULL; i++) {
        const char *part = is_whole ? words[i] : word;
        const size_t bytes = strlen(part);
        if (bytes < PREFIX_BYTES_MIN || strncmp(word, words[i], bytes) != 0) continue;
        if (found != NULL) return NULL;
        found = words[i];
    }
    return found;
}

const char *word_nearest(const char *word, const char *const *words) {
    const char *nearest = word_begun(word, words, false);
    if (nearest != NULL) return nearest;
    // A third of the word, rounded up, may be wrong; beyond that a suggestion is noise.
    size_t best = (strlen(word) + 2) / 3 + 1;
    for (size_t i = 0; words[i] != NULL; i++) {
        const size_t distance = word_distance(word, words[i]);
        if (distance < best && (distance < strlen(word) || distance < strlen(words[i]))) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest != NULL ? nearest : word_begun(word, words, true);
}
