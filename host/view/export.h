// Ensembles and files of `clack evaluate` in the formats of other programs: CSV, XDMF, H5MD.
#ifndef CLACK_EXPORT_H
#define CLACK_EXPORT_H

#include <stdio.h>

#include "ensemble.h"
#include "evaluation.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EXPORT_TABLES 5
extern const char *const export_tables[EXPORT_TABLES + 1]; // scenes, events, contacts, joints, trajectory; NULL

/// Whether the file has what this table tells.
int export_has_table(const Ensemble *ensemble, uint32_t table);
/// A text as a field of CSV: quoted where it holds what means something there.
void export_csv_field(FILE *out, const char *text);
/// A table as CSV: a line of names, numbers with 17 digits, an empty field for what does not exist.
/// `scene` < 0: of all scenes. Errors: CLACK_USAGE (no such table in the file), CLACK_CORRUPT, CLACK_MEMORY, and
/// what the stream says, which the caller asks.
ClackStatus export_csv(const Ensemble *ensemble, uint32_t table, int64_t scene, FILE *out, ClackReport *report);

/// One scene's moving bodies for ParaView and VisIt: `path` (XDMF) and `path`.h5 beside it with the surfaces, and
/// contacts with their forces where they were recorded at the times of the trajectory; others are warned of.
/// Errors: CLACK_USAGE (no trajectory of this scene, a colon in the name), CLACK_IO, those of ensemble_study.
ClackStatus export_xdmf(const Ensemble *ensemble, int64_t scene, const char *study_path, const char *path,
                        int overwrites, ClackReport *report);
/// Contact regions with their contours, of one configuration or (< 0) of all that have any, each a time of its own.
/// Errors: CLACK_USAGE (no such configuration, no region, a colon in the name), CLACK_IO, those of evaluation_regions.
ClackStatus export_xdmf_regions(const Evaluation *evaluation, int64_t configuration, const char *path, int overwrites,
                                ClackReport *report);
/// One scene's bodies as particles of an H5MD file. Errors: as above.
ClackStatus export_h5md(const Ensemble *ensemble, int64_t scene, const char *path, int overwrites, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
