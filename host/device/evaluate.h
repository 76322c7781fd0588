// The evaluator on its own, the private part: poses and velocities of N configurations of a scene -> contacts
// and forces, without stepping. The others of its functions are those of clack.h.
#ifndef CLACK_EVALUATE_H
#define CLACK_EVALUATE_H

#include "clack.h"
#include "device.h"
#include "model/evaluate_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As clack_evaluator_open says; options->device is there.
ClackStatus evaluate_open(const Study *study, const ClackEvaluateOptions *options, ClackEvaluator **out_evaluator,
                          ClackReport *report);
/// As clack_evaluate says.
ClackStatus evaluate_states(ClackEvaluator *evaluator, size_t count, const UserState *states,
                            ClackContacts *out_contacts, ClackReport *report);
void evaluate_free(ClackContacts *contacts);
/// As clack_contacts_pairs says.
ClackStatus evaluate_pairs(const ClackContacts *contacts, uint32_t body_count, const ClackBodyState *states,
                           ClackPairs *out_pairs, ClackReport *report);
void evaluate_pairs_free(ClackPairs *pairs);

/// Options the evaluator's kernels were built with. Valid until it is closed.
const char *evaluate_build_options(const ClackEvaluator *evaluator);
/// Where it runs, to ask what was measured. Valid until it is closed.
const Device *evaluate_device(const ClackEvaluator *evaluator);

#ifdef __cplusplus
}
#endif
#endif
