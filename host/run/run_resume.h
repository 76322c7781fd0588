// Runs, and those that go on with the shards of an earlier one. Options are whole: their device is there.
#ifndef CLACK_RUN_H
#define CLACK_RUN_H

#include "record_origin.h"
#include "shards.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As clack_run says.
ClackStatus run_study(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                      ClackReport *report);
/// As clack_resume says.
ClackStatus resume_run(const char *output_path, const char *study_path, const ClackRunOptions *options,
                       ClackRunSummary *out_summary, ClackReport *report);
/// As clack_merge says.
ClackStatus resume_merge(const ClackMergeOptions *options, ClackMergeSummary *out_summary, ClackReport *report);

/// As run_study, with the scenes of the shards' manifest, into the file of options->output_path. The shards are
/// taken over in any case; NULL: a run from its beginning. Errors: as resume_run's.
ClackStatus run_take_up(const Study *study, const ClackRunOptions *options, Shards *shards,
                        ClackRunSummary *out_summary, ClackReport *report);
/// As clack_run, of the scenes that the file of the output path has not, into that file. Errors: as clack_run's.
ClackStatus run_extend(const Study *study, const ClackRunOptions *options, const RecordBase *base,
                       ClackRunSummary *out_summary, ClackReport *report);

/// clack_run with `extends` (extend.c).
ClackStatus extend_what_is_there(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                                 ClackReport *report);
/// The file that such a run extends, none (0 scenes) of a shard. Errors: CLACK_USAGE (options that do not go with it,
/// fewer samples than the file has), CLACK_IO (there is no such file), those of record_base_read.
ClackStatus extend_find(const Study *study, const ClackRunOptions *options, const char *path, RecordBase *out_base,
                        ClackReport *report);
/// Of a file that is finished: what a run that had written it would tell (resume.c).
ClackStatus resume_tell(const char *path, uint64_t failures_allowed, ClackRunSummary *out_summary, ClackReport *report);

/// run_study with `continues`: what is there of the same run is taken up, or reported where it is finished (resume.c).
ClackStatus resume_what_is_there(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                                 ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
