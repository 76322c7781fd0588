// From a file of states to one of contacts.
#ifndef CLACK_EVALUATE_FILE_H
#define CLACK_EVALUATE_FILE_H

#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As clack_evaluate_file says; options->evaluate and its device are there, and `summary` is all 0 before.
ClackStatus evaluate_file(const Study *study, const ClackEvaluateFileOptions *options, ClackEvaluateSummary *summary,
                          ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
