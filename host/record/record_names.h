// Names that an ensemble file keeps for itself. On its own, so that the study's reader can refuse them
// with line and column without knowing anything else of records.
#ifndef CLACK_RECORD_NAMES_H
#define CLACK_RECORD_NAMES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the root of every ensemble file has something of this name, or may have in a later version
/// of the format, so that no quantity may. From the field table (record_fields.c).
int record_name_is_taken(const char *name);

#ifdef __cplusplus
}
#endif
#endif
