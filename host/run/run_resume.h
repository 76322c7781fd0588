// A run that goes on with the shards of an earlier one.
#ifndef CLACK_RUN_H
#define CLACK_RUN_H

#include "shards.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As clack_run, with the scenes of the shards' manifest, into the file of options->output_path. The shards are
/// taken over in any case; NULL: a run from its beginning. Errors: as clack_resume's.
ClackStatus run_take_up(const Study *study, const ClackRunOptions *options, Shards *shards,
                        ClackRunSummary *out_summary, ClackReport *report);

/// clack_run with `continues`: what is there of the same run is taken up, or told where it is finished (resume.c).
ClackStatus resume_what_is_there(const Study *study, const ClackRunOptions *options, ClackRunSummary *out_summary,
                                 ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
