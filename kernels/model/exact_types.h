// The operations whose results a device is asked for, to see whether they are those of IEEE 754
// (evaluate/probe_exact.cl).
#ifndef CLACK_MODEL_EXACT_TYPES_H
#define CLACK_MODEL_EXACT_TYPES_H

#include "base/portable.h"

// ENTRY(name, word, operands, form): what is wrong where it is not right; how it is written.
#define EXACT_LIST(ENTRY)                                                                                              \
    ENTRY(ADD, "addition", 2, "a + b")                                                                                 \
    ENTRY(SUBTRACT, "addition", 2, "a - b")                                                                            \
    ENTRY(MULTIPLY, "multiplication", 2, "a * b")                                                                      \
    ENTRY(DIVIDE, "division", 2, "a / b")                                                                              \
    ENTRY(ROOT, "square root", 1, "sqrt(a)")                                                                           \
    ENTRY(FMA, "fma", 3, "fma(a, b, c)")                                                                               \
    ENTRY(PRODUCT_PLUS, "contraction", 3, "a * b + c")                                                                 \
    ENTRY(PRODUCT_MINUS, "contraction", 3, "a * b - c")                                                                \
    ENTRY(MINUS_PRODUCT, "contraction", 3, "c - a * b")                                                                \
    ENTRY(SUM_OF_PRODUCTS, "contraction", 3, "a * b + c * c")                                                          \
    ENTRY(SUM_LESS_FIRST, "reordering", 2, "(a + b) - a")                                                              \
    ENTRY(SUM_IN_ORDER, "reordering", 3, "(a + b) + c")                                                                \
    ENTRY(QUOTIENT_TIMES, "reordering", 2, "a / b * b")                                                                \
    ENTRY(QUOTIENTS, "division", 3, "a / c + b / c")                                                                   \
    ENTRY(THIRD, "division", 1, "a / 3")                                                                               \
    ENTRY(ROOT_SQUARED, "reordering", 1, "sqrt(a) * sqrt(a)")                                                          \
    ENTRY(PER_ROOT, "division", 2, "a / sqrt(b)")                                                                      \
    ENTRY(PLUS_ZERO, "zeros", 1, "a + 0")                                                                              \
    ENTRY(ZERO_TIMES, "zeros", 1, "0 * a")                                                                             \
    ENTRY(ZERO_MINUS, "zeros", 1, "0 - a")                                                                             \
    ENTRY(LESS_ITSELF, "zeros", 1, "a - a")                                                                            \
    ENTRY(NEGATIVE, "signs", 1, "-a")                                                                                  \
    ENTRY(ABSOLUTE, "signs", 1, "fabs(a)")                                                                             \
    ENTRY(IS_LESS, "comparison", 2, "a < b")                                                                           \
    ENTRY(IS_AT_MOST, "comparison", 2, "a <= b")                                                                       \
    ENTRY(IS_EQUAL, "comparison", 2, "a == b")                                                                         \
    ENTRY(IS_OTHER, "comparison", 2, "a != b")                                                                         \
    ENTRY(IS_NOT_LESS, "comparison", 2, "!(a < b)")                                                                    \
    ENTRY(IS_FINITE, "comparison", 1, "fabs(a) <= 1.8e308")                                                            \
    ENTRY(LEAST, "selection", 2, "a < b ? a : b")                                                                      \
    ENTRY(MOST, "selection", 2, "a > b ? a : b")                                                                       \
    ENTRY(CHOSEN, "selection", 3, "a < 0 ? b : c")                                                                     \
    ENTRY(FLOOR, "conversion", 1, "floor(a)")                                                                          \
    ENTRY(TO_COUNT, "conversion", 1, "(uint)a")                                                                        \
    ENTRY(TO_INTEGER, "conversion", 1, "(int)a")                                                                       \
    ENTRY(EXPONENT, "conversion", 1, "(bits of a >> 52) - 1023")                                                       \
    ENTRY(SCALED, "conversion", 2, "a times the number of bits (b + 1023) << 52")

#define EXACT_NAME(name, word, operands, form) EXACT_##name,
enum { EXACT_LIST(EXACT_NAME) EXACT_COUNT };
#undef EXACT_NAME

#define EXACT_ROW 4u     // numbers of a row: operation, bits of a, b, c
#define EXACT_RESULTS 2u // of a row: alone, and as one of SIDE_BY_SIDE numbers

#endif
