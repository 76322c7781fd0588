// What `clack evaluate` reads: states of bodies in N configurations, from HDF5 or CSV.
#ifndef CLACK_EVALUATE_INPUT_H
#define CLACK_EVALUATE_INPUT_H

#include "record_evaluate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct EvaluateTable { // of a CSV file: all of its configurations; arrays owned
    size_t count;
    UserState *states;       // (count, body_count)
    unsigned char *is_given; // (count, body_count): 0: the body stands as at the start of its scene
    uint64_t *scenes;        // (count)
    int has_scenes;          // the file says them
} EvaluateTable;

typedef struct EvaluateInput {
    RecordStates *file; // HDF5; NULL: the table
    EvaluateTable table;
    uint32_t body_count;
} EvaluateInput;

/// Open a file: CSV where its name ends in .csv, else HDF5, as record_states_open. A line of names, and a line for each
/// body of a configuration: `body` (its name), `position_x`, `_y`, `_z`, and if there are `orientation_w`, `_x`, `_y`,
/// `_z`, `velocity_x`, ..., `angular_velocity_x`, ..., `scene` or `scene_number`. Lines with the same `configuration`,
/// else the same `time` and scene, stand together; without both each line is a configuration. Other columns are not
/// read. The study must outlive the input. Errors: CLACK_IO, CLACK_CORRUPT with the first 20 defects, CLACK_MEMORY.
ClackStatus evaluate_input_open(const char *path, const Study *study, uint64_t scene, EvaluateInput *out_input,
                                ClackReport *report);
void evaluate_input_close(EvaluateInput *input);
uint64_t evaluate_input_count(const EvaluateInput *input);
int evaluate_input_has_scenes(const EvaluateInput *input);
/// Numbers of the scenes of configurations first .. first + count - 1.
ClackStatus evaluate_input_scenes(EvaluateInput *input, uint64_t first, size_t count, uint64_t *out_scenes,
                                  ClackReport *report);
/// Their states (count, body_count); `start` (body_count): those of bodies that a table does not name.
ClackStatus evaluate_input_read(EvaluateInput *input, uint64_t first, size_t count, const UserState *start,
                                UserState *out_states, ClackReport *report);

/// Read a table (evaluate_table.c); on success freed with evaluate_table_free.
ClackStatus evaluate_table_read(const char *path, const Study *study, uint64_t scene, EvaluateTable *out_table,
                                ClackReport *report);
void evaluate_table_free(EvaluateTable *table);

#ifdef __cplusplus
}
#endif
#endif
