// Study file (YAML) -> checked Study (study_types.h). Every error with file, line, column, key, found and expected.
#ifndef CLACK_STUDY_H
#define CLACK_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "clack.h"
#include "status.h"
#include "study_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef ClackStudyOverride StudyOverride;
typedef ClackStudyOptions StudyOptions;

/// What is asked of statistics where a study says nothing of them.
extern const StudyStatistics study_statistics_defaults;

/// Name of a design in the study file, such as "monte_carlo".
const char *study_design_name(DesignKind kind);

/// Why more samples of a design would be other scenes from the first on; NULL: scene k is the same whatever their
/// number.
const char *study_design_is_fixed(DesignKind kind);

/// Where in a study's text the number of samples of such a design stands, as bytes *out_first .. *out_end - 1.
/// 0: it cannot be known, as of an alias, or scenes of a design of that name depend on it.
int study_find_samples(const char *text, size_t bytes, const char *design, size_t *out_first, size_t *out_end);
/// Whether an override ("path=value") sets it.
int study_sets_samples(const char *override, const char *design);
/// Name of a kind of damping (DAMPING_...) in the study file, such as "flores".
const char *study_damping_name(uint32_t damping);

/// Name of an input of the designs saltelli and morris: the parameter's, or what is drawn together.
void study_input_name(const Study *study, uint32_t input, char *out, size_t out_bytes);

/// Read and check a study file. On CLACK_STUDY the report holds all errors found, each as
/// "file:line:column: key: expected ..., found ...". On success `*out_study` is owned by the caller.
/// Errors: CLACK_IO (no such file), CLACK_STUDY, CLACK_MEMORY.
ClackStatus study_read(const char *path, const StudyOptions *options, Study **out_study, ClackReport *report);
/// Tell that a study of so many scenes has none of this number; CLACK_USAGE.
ClackStatus study_refuse_scene(uint64_t scene_count, uint64_t scene, ClackReport *report);
void study_free(Study *study);

#define STUDY_DATA_DIR_BYTES 4096
/// Folder of the palettes: the environment variable CLACK_DATA_DIR, else the one installed beside this
/// program or shared library wherever it has been moved to, else data/ of the source tree, else where that
/// is gone, the folder of the installation.
void study_data_dir(char out_path[STUDY_DATA_DIR_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
