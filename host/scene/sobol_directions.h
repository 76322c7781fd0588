// Direction numbers of Sobol' sequences, one row for each dimension.
#ifndef CLACK_SOBOL_DIRECTIONS_H
#define CLACK_SOBOL_DIRECTIONS_H

#include <stdint.h>

#define SOBOL_DIMENSIONS 256
#define SOBOL_DEGREE_MAX 11

typedef struct SobolDirections {
    uint16_t polynomial;                // primitive over GF(2), both ends included; 1 for dimension 0
    uint16_t initial[SOBOL_DEGREE_MAX]; // m_1, m_2, ...: as many as its degree
} SobolDirections;

extern const SobolDirections sobol_directions[SOBOL_DIMENSIONS];

#endif
