// A share of a study's scenes run again, refined.
#ifndef CLACK_VERIFY_H
#define CLACK_VERIFY_H

#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As clack_verify says; options->device is there.
ClackStatus verify_study(const Study *study, const ClackRunOptions *options, double share,
                         ClackVerification *out_verification, ClackReport *report);
void verify_free(ClackVerification *verification);

#ifdef __cplusplus
}
#endif
#endif
