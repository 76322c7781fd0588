// The evaluator on its own: poses and velocities of N configurations of a scene -> contacts and forces,
// without stepping. The public part; the files it can read and write are those of evaluate_file.c.
#ifndef CLACK_EVALUATE_H
#define CLACK_EVALUATE_H

#include "device.h"
#include "evaluate_types.h"
#include "quantity.h"
#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ClackEvaluator ClackEvaluator; // one scene on one device

typedef struct ClackEvaluateOptions {
    DeviceOptions device;
    uint64_t scene;    // number of the study's scene whose shapes, materials and pairs count
    double margin_m;   // >= 0: pairs up to this distance are listed; 0: those that touch or overlap
    int list_all;      // every pair that the scene allows, at any distance
    uint32_t batch_configurations; // on the device at once; 0: chosen by the library
} ClackEvaluateOptions;

typedef struct ClackContacts { // owned by whoever asked for them; freed by clack_contacts_free
    size_t configuration_count, row_count;
    PairContact *rows; // (row_count): by configuration, then by shape_a, shape_b, feature
    size_t *first;     // (configuration_count + 1): rows of configuration i are first[i] .. first[i + 1] - 1
} ClackContacts;

/// The study may be freed while the evaluator is open.
/// Errors: CLACK_USAGE (no such scene or device), CLACK_STUDY, CLACK_DEVICE, CLACK_MEMORY.
ClackStatus clack_evaluator_open(const Study *study, const ClackEvaluateOptions *options,
                                 ClackEvaluator **out_evaluator, ClackReport *report);
void clack_evaluator_close(ClackEvaluator *evaluator); // NULL is allowed
uint32_t clack_evaluator_body_count(const ClackEvaluator *evaluator);
/// Contacts that the scene allows: rows of each configuration with `list_all`.
uint32_t clack_evaluator_pair_count(const ClackEvaluator *evaluator);
const DeviceInfo *clack_evaluator_device_info(const ClackEvaluator *evaluator);
const char *clack_evaluator_build_options(const ClackEvaluator *evaluator);

/// All contacts of `count` configurations: states (count, body_count) are the body frames in the order of
/// the study, fixed bodies too; quaternions of any non-zero length. The force is that of a contact which
/// begins in this configuration, so damping follows from its own approach speed.
/// A configuration gives the same bits alone and among any others.
/// Errors: CLACK_CORRUPT (a number is not finite, a quaternion is zero), CLACK_DEVICE, CLACK_MEMORY.
ClackStatus clack_evaluate(ClackEvaluator *evaluator, size_t count, const UserState *states,
                           ClackContacts *out_contacts, ClackReport *report);
void clack_contacts_free(ClackContacts *contacts);

typedef struct ClackEvaluateFileOptions {
    ClackEvaluateOptions evaluate;
    const char *input_path;   // HDF5 with `position` and `orientation`
    const char *output_path;  // NULL: the input's name with "_contacts.h5" in the current folder
    const char *command_line; // for the provenance; may be NULL
    const volatile int *stop; // set non-zero to stop without a file; may be NULL
} ClackEvaluateFileOptions;

typedef struct ClackEvaluateSummary {
    char output_path[1024];
    uint64_t configurations, contacts, fallbacks; // fallbacks: rows whose status is not ok
    uint32_t pairs;                               // that the scene allows
    double deepest_m;
    double evaluate_s; // wall time, without reading and writing
    char device_name[256];
} ClackEvaluateSummary;

/// `clack evaluate`: HDF5 in, HDF5 out.
/// Errors: those above; CLACK_IO, CLACK_CORRUPT (the input is not what it should be: all defects),
/// CLACK_INTERRUPTED.
ClackStatus clack_evaluate_file(const Study *study, const ClackEvaluateFileOptions *options,
                                ClackEvaluateSummary *out_summary, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
