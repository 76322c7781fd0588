// The public functions whose structs grow from version to version: what a caller gives, of whatever version, is made
// whole here, once; behind them all structs are as this library knows them, and nested options are there.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "evaluate.h"
#include "evaluate_file.h"
#include "plan.h"
#include "record.h"
#include "run_resume.h"
#include "sized.h"
#include "study.h"
#include "verify.h"

// Nothing lies behind the last member of a struct, where a later version's first new one would be: the caller has not
// set what is there.
#define ENDS_WITH(type, member)                                                                                        \
    _Static_assert(sizeof(type) == offsetof(type, member) + sizeof(((type *)0)->member), #type " ends with " #member)
ENDS_WITH(ClackStudyOptions, samples);
ENDS_WITH(ClackDeviceOptions, reserved);
ENDS_WITH(ClackRunOptions, reserved);
ENDS_WITH(ClackRunSummary, stop);
ENDS_WITH(ClackMergeOptions, overwrites);
ENDS_WITH(ClackMergeSummary, scenes);
ENDS_WITH(ClackVerification, quantity_differences);
ENDS_WITH(ClackPlan, contact_bytes);
ENDS_WITH(ClackEvaluateOptions, rows);
ENDS_WITH(ClackContacts, contour_points);
ENDS_WITH(ClackPairs, first);
ENDS_WITH(ClackEvaluateFileOptions, contacts_context);
ENDS_WITH(ClackEvaluateSummary, device_name);

#define TAKE(type, given, out) sized_take(given, sizeof(type), #type, out, report)
#define COUNT(array) (sizeof(array) / sizeof *(array))

// --- options -------------------------------------------------------------------------------------

typedef struct WholeRun {
    ClackRunOptions run;
    ClackDeviceOptions device;
} WholeRun;

typedef struct WholeEvaluate {
    ClackEvaluateOptions evaluate;
    ClackDeviceOptions device;
} WholeEvaluate;

static ClackStatus take_run(const ClackRunOptions *given, WholeRun *out, ClackReport *report) {
    TRY(TAKE(ClackRunOptions, given, &out->run));
    TRY(TAKE(ClackDeviceOptions, out->run.device, &out->device));
    out->run.device = &out->device;
    return CLACK_OK;
}

static ClackStatus take_evaluate(const ClackEvaluateOptions *given, WholeEvaluate *out, ClackReport *report) {
    TRY(TAKE(ClackEvaluateOptions, given, &out->evaluate));
    TRY(TAKE(ClackDeviceOptions, out->evaluate.device, &out->device));
    out->evaluate.device = &out->device;
    return CLACK_OK;
}

// --- studies, devices ----------------------------------------------------------------------------

ClackStatus clack_study_read(const char *path, const ClackStudyOptions *options, ClackStudy **out_study,
                             ClackReport *report) {
    ClackStudyOptions whole;
    assert(out_study != NULL);
    *out_study = NULL;
    TRY(TAKE(ClackStudyOptions, options, &whole));
    return study_read(path, &whole, out_study, report);
}

static ClackStatus give_infos(DeviceInfo *infos, size_t count, ClackDeviceInfo ***out_infos, size_t *out_count,
                              ClackReport *report) {
    ClackDeviceInfo **listed = malloc(count * (sizeof *listed + sizeof **listed));
    if (listed != NULL) {
        ClackDeviceInfo *rows = memcpy(listed + count, infos, count * sizeof *infos);
        for (size_t i = 0; i < count; i++) listed[i] = &rows[i];
        *out_infos = listed;
        *out_count = count;
    }
    free(infos);
    return listed != NULL ? CLACK_OK : report_add(report, CLACK_MEMORY, "no memory for the list of devices");
}

ClackStatus clack_device_list(ClackDeviceInfo ***out_infos, size_t *out_count, ClackReport *report) {
    DeviceInfo *infos = NULL;
    size_t count = 0;
    TRY(device_list(&infos, &count, report));
    return give_infos(infos, count, out_infos, out_count, report);
}

ClackStatus clack_device_measure(ClackDeviceInfo ***out_infos, size_t *out_count, ClackReport *report) {
    DeviceInfo *infos = NULL;
    size_t count = 0;
    TRY(device_measure(&infos, &count, report));
    return give_infos(infos, count, out_infos, out_count, report);
}

// --- runs ----------------------------------------------------------------------------------------

ClackStatus clack_run(const ClackStudy *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                      ClackReport *report) {
    assert(study != NULL && out_summary != NULL);
    WholeRun whole;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    TRY(sized_check(out_summary, "ClackRunSummary", report));
    ClackStatus status = take_run(options, &whole, report);
    if (status == CLACK_OK) status = run_study(study, &whole.run, &summary, report);
    sized_give(&summary, sizeof summary, out_summary);
    return status;
}

ClackStatus clack_resume(const char *output_path, const char *study_path, const ClackRunOptions *options,
                         ClackRunSummary *out_summary, ClackReport *report) {
    assert(output_path != NULL && out_summary != NULL);
    WholeRun whole;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    TRY(sized_check(out_summary, "ClackRunSummary", report));
    ClackStatus status = take_run(options, &whole, report);
    if (status == CLACK_OK) status = resume_run(output_path, study_path, &whole.run, &summary, report);
    sized_give(&summary, sizeof summary, out_summary);
    return status;
}

ClackStatus clack_merge(const ClackMergeOptions *options, ClackMergeSummary *out_summary, ClackReport *report) {
    assert(options != NULL && out_summary != NULL);
    ClackMergeOptions whole;
    ClackMergeSummary summary = CLACK_SIZED(ClackMergeSummary);
    TRY(sized_check(out_summary, "ClackMergeSummary", report));
    ClackStatus status = TAKE(ClackMergeOptions, options, &whole);
    if (status == CLACK_OK) status = resume_merge(&whole, &summary, report);
    sized_give(&summary, sizeof summary, out_summary);
    return status;
}

ClackStatus clack_plan(const ClackStudy *study, const ClackRunOptions *options, ClackPlan *out_plan,
                       ClackReport *report) {
    assert(study != NULL && out_plan != NULL);
    WholeRun whole;
    ClackPlan plan = CLACK_SIZED(ClackPlan);
    TRY(sized_check(out_plan, "ClackPlan", report));
    TRY(take_run(options, &whole, report));
    TRY(plan_run(study, &whole.run, &plan, report));
    sized_give(&plan, sizeof plan, out_plan);
    return CLACK_OK;
}

// --- verification --------------------------------------------------------------------------------

static const size_t verification_arrays[] = {
    offsetof(ClackVerification, scenes),     offsetof(ClackVerification, error_sum_m_per_s),
    offsetof(ClackVerification, position_m), offsetof(ClackVerification, velocity_m_per_s),
    offsetof(ClackVerification, quantities), offsetof(ClackVerification, quantity_differences)};

ClackStatus clack_verify(const ClackStudy *study, const ClackRunOptions *options, double share,
                         ClackVerification *out_verification, ClackReport *report) {
    assert(study != NULL && out_verification != NULL);
    WholeRun whole;
    ClackVerification made = CLACK_SIZED(ClackVerification);
    TRY(sized_check(out_verification, "ClackVerification", report));
    ClackStatus status = take_run(options, &whole, report);
    if (status == CLACK_OK) status = verify_study(study, &whole.run, share, &made, report);
    sized_give_owned(&made, sizeof made, verification_arrays, COUNT(verification_arrays), out_verification);
    return status;
}

void clack_verification_free(ClackVerification *verification) {
    ClackReport *report = NULL;
    ClackVerification whole;
    if (TAKE(ClackVerification, verification, &whole) != CLACK_OK) return; // never filled
    verify_free(&whole);
    sized_give(&whole, sizeof whole, verification);
}

ClackStatus clack_verification_record(const ClackStudy *study, const ClackVerification *verification, const char *path,
                                      ClackReport *report) {
    assert(verification != NULL);
    ClackVerification whole;
    TRY(TAKE(ClackVerification, verification, &whole));
    return record_verification(study, &whole, path, report);
}

// --- contacts without stepping -------------------------------------------------------------------

static const size_t contacts_arrays[] = {offsetof(ClackContacts, rows), offsetof(ClackContacts, first),
                                         offsetof(ClackContacts, regions), offsetof(ClackContacts, first_region),
                                         offsetof(ClackContacts, contour_points)};
static const size_t pairs_arrays[] = {offsetof(ClackPairs, rows), offsetof(ClackPairs, first)};

ClackStatus clack_evaluator_open(const ClackStudy *study, const ClackEvaluateOptions *options,
                                 ClackEvaluator **out_evaluator, ClackReport *report) {
    assert(study != NULL && out_evaluator != NULL);
    WholeEvaluate whole;
    *out_evaluator = NULL;
    TRY(take_evaluate(options, &whole, report));
    return evaluate_open(study, &whole.evaluate, out_evaluator, report);
}

ClackStatus clack_evaluate(ClackEvaluator *evaluator, size_t count, const ClackBodyState *states,
                           ClackContacts *out_contacts, ClackReport *report) {
    assert(evaluator != NULL && (states != NULL || count == 0) && out_contacts != NULL);
    ClackContacts made = CLACK_SIZED(ClackContacts);
    TRY(sized_check(out_contacts, "ClackContacts", report));
    const ClackStatus status = evaluate_states(evaluator, count, states, &made, report);
    sized_give_owned(&made, sizeof made, contacts_arrays, COUNT(contacts_arrays), out_contacts);
    return status;
}

void clack_contacts_free(ClackContacts *contacts) {
    ClackReport *report = NULL;
    ClackContacts whole;
    if (TAKE(ClackContacts, contacts, &whole) != CLACK_OK) return; // never filled
    evaluate_free(&whole);
    sized_give(&whole, sizeof whole, contacts);
}

ClackStatus clack_contacts_pairs(const ClackContacts *contacts, uint32_t body_count, const ClackBodyState *states,
                                 ClackPairs *out_pairs, ClackReport *report) {
    assert(contacts != NULL && out_pairs != NULL && states != NULL);
    ClackContacts whole;
    ClackPairs made = CLACK_SIZED(ClackPairs);
    TRY(sized_check(out_pairs, "ClackPairs", report));
    TRY(TAKE(ClackContacts, contacts, &whole));
    const ClackStatus status = evaluate_pairs(&whole, body_count, states, &made, report);
    sized_give_owned(&made, sizeof made, pairs_arrays, COUNT(pairs_arrays), out_pairs);
    return status;
}

void clack_pairs_free(ClackPairs *pairs) {
    ClackReport *report = NULL;
    ClackPairs whole;
    if (TAKE(ClackPairs, pairs, &whole) != CLACK_OK) return; // never filled
    evaluate_pairs_free(&whole);
    sized_give(&whole, sizeof whole, pairs);
}

ClackStatus clack_evaluate_file(const ClackStudy *study, const ClackEvaluateFileOptions *options,
                                ClackEvaluateSummary *out_summary, ClackReport *report) {
    assert(study != NULL && options != NULL && out_summary != NULL);
    ClackEvaluateFileOptions whole;
    WholeEvaluate evaluate;
    ClackEvaluateSummary summary = CLACK_SIZED(ClackEvaluateSummary);
    TRY(sized_check(out_summary, "ClackEvaluateSummary", report));
    TRY(TAKE(ClackEvaluateFileOptions, options, &whole));
    TRY(take_evaluate(whole.evaluate, &evaluate, report));
    whole.evaluate = &evaluate.evaluate;
    assert(whole.input_path != NULL);
    const ClackStatus status = evaluate_file(study, &whole, &summary, report);
    sized_give(&summary, sizeof summary, out_summary);
    return status;
}
