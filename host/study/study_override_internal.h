// Overrides (`--set`), and what a study or an override writes that no scene has.
#ifndef CLACK_STUDY_OVERRIDE_INTERNAL_H
#define CLACK_STUDY_OVERRIDE_INTERNAL_H

#include "study_internal.h"

#define STUDY_SAMPLES_BYTES 64 // of "design.monte_carlo.samples=..."

// --- overrides (study_override.c) ------------------------------------------------------------------
/// Put an override in its place (study_override.c).
void tree_override(Reader *reader, YamlNode *root, const StudyOverride *override);
/// Put ClackStudyOptions.samples in place of the design's own, an override like others, "path=value" in `out_text`
/// (study_samples.c). 0: none are asked for, or the design takes none.
int samples_override(Reader *reader, YamlNode *root, char out_text[STUDY_SAMPLES_BYTES]);
/// After all sections: warn of overrides that change nothing. has_seed: --seed is given.
void overrides_check(Reader *reader, const YamlNode *root, bool has_seed);

// --- what no scene has (study_idle.c) ---------------------------------------------------------------
/// The node names the variable.
void variable_use(Reader *reader, Variable *variable, const YamlNode *node);
/// After all sections: variables that are named only where nothing is computed from them are not used.
void uses_settle(Reader *reader, const YamlNode *root);
/// After it: is nothing of the study computed from what this entry of its section says?
bool is_variable_idle(const Reader *reader, const YamlNode *entry);
bool is_material_idle(const Reader *reader, const YamlNode *entry);
bool is_pair_idle(const Reader *reader, const YamlNode *entry);
/// After it: warn of rows of pairs and of variables that are idle; overrides_check does of what overrides have set.
void idle_check(Reader *reader, const YamlNode *root);

#endif
