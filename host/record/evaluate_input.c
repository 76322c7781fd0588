// States of configurations from HDF5, block by block, or from a table, which is held.
#include "evaluate_input.h"

#include <string.h>

static int ends_in_csv(const char *path) {
    const size_t bytes = strlen(path);
    return bytes > 4 && strcmp(path + bytes - 4, ".csv") == 0;
}

ClackStatus evaluate_input_open(const char *path, const Study *study, uint64_t scene, EvaluateInput *out_input,
                                ClackReport *report) {
    *out_input = (EvaluateInput){.body_count = study->scene.body_count};
    return ends_in_csv(path) ? evaluate_table_read(path, study, scene, &out_input->table, report)
                             : record_states_open(path, study, scene, &out_input->file, report);
}

void evaluate_input_close(EvaluateInput *input) {
    record_states_close(input->file);
    evaluate_table_free(&input->table);
    *input = (EvaluateInput){0};
}

uint64_t evaluate_input_count(const EvaluateInput *input) {
    return input->file != NULL ? record_states_count(input->file) : input->table.count;
}

int evaluate_input_has_scenes(const EvaluateInput *input) {
    return input->file != NULL ? record_states_have_scenes(input->file) : input->table.has_scenes;
}

ClackStatus evaluate_input_scenes(EvaluateInput *input, uint64_t first, size_t count, uint64_t *out_scenes,
                                  ClackReport *report) {
    if (input->file != NULL) return record_states_scenes(input->file, first, count, out_scenes, report);
    memcpy(out_scenes, input->table.scenes + first, count * sizeof *out_scenes);
    return CLACK_OK;
}

ClackStatus evaluate_input_read(EvaluateInput *input, uint64_t first, size_t count, const UserState *start,
                                UserState *out_states, ClackReport *report) {
    if (input->file != NULL) return record_states_read(input->file, first, count, out_states, report);
    const size_t at = (size_t)first * input->body_count;
    for (size_t i = 0; i < count * input->body_count; i++)
        out_states[i] = input->table.is_given[at + i] ? input->table.states[at + i] : start[i % input->body_count];
    return CLACK_OK;
}
