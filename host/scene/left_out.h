// Scenes of which nothing can be made: why.
#ifndef CLACK_LEFT_OUT_H
#define CLACK_LEFT_OUT_H

#include "study_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Warn of a scene that cannot be sampled or staged: where its body stands in the study, what is wrong, which values
/// were drawn for it. Nothing where all is well. Once for each scene of a report.
void left_out_report(const Study *study, uint64_t scene, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
