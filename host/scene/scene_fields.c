// Names that quantities cannot have.
#include "scene_fields.h"

#include <stddef.h>
#include <string.h>

int scene_name_is_axis(const char *name) {
    static const char *const axes[] = {"scene", "body", "xyz", "quat"};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (strcmp(name, axes[i]) == 0) return 1;
    return 0;
}

int scene_name_is_taken(const char *name) {
    // Time has no dataset yet: the format keeps it for later.
    static const char *const others[] = {
        "scene",        "body",       "body_name",   "xyz",        "quat",          "parameters",   "trajectory",
        "events",       "provenance", "contacts",    "joints",     "statistics",    "sensitivity",  "fit",
        "verification", "time",       "first_event", "n_contacts", "first_contact", "n_joint_rows", "first_joint_row"};
#define SCENE_FIELD_NAME(name, ...) #name,
    static const char *const fields[] = {SCENE_FIELD_LIST(SCENE_FIELD_NAME)};
#undef SCENE_FIELD_NAME
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0) return 1;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(name, fields[i]) == 0) return 1;
    return 0;
}
