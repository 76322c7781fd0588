// Numbers as files write them.
#ifndef CLACK_NUMBER_H
#define CLACK_NUMBER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Strict decimal number of YAML 1.2 (core schema), finite, correctly rounded; 0 for anything else. The locale's
/// decimal point has to be a point.
int number_parse(const char *text, double *out_value);
/// The same of the first `bytes` of a text that need not end in 0.
int number_parse_bytes(const char *text, size_t bytes, double *out_value);

#ifdef __cplusplus
}
#endif
#endif
