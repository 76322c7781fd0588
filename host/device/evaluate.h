// The evaluator on its own, the private part: poses and velocities of N configurations of a scene -> contacts
// and forces, without stepping. Its functions are those of clack.h.
#ifndef CLACK_EVALUATE_H
#define CLACK_EVALUATE_H

#include "clack.h"
#include "device.h"
#include "model/evaluate_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options the evaluator's kernels were built with. Valid until it is closed.
const char *evaluate_build_options(const ClackEvaluator *evaluator);
/// Where it runs, to ask what was measured. Valid until it is closed.
const Device *evaluate_device(const ClackEvaluator *evaluator);

#ifdef __cplusplus
}
#endif
#endif
