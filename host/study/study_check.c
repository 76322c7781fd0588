// The scenes of a study whose numbers are derived: is each of them what it has to be?
#include "study_internal.h"

#include <stdlib.h>

#include "sample.h"

// Scenes checked before anything is run; a later one that is wrong ends the run when it is sampled.
#define SCENES_CHECKED_MAX 1000000u

void scenes_check(Reader *reader) {
    const Study *study = reader->study;
    ClackStatus status = CLACK_OK;
    if (study->check_count == 0) return;
    double *values = reader_take(reader, study->parameter_count * sizeof *values);
    if (values == NULL) return;
    for (uint64_t i = 0; i < study->design.scene_count && i < SCENES_CHECKED_MAX && status == CLACK_OK; i++) {
        SceneDescription scene;
        status = sample_numbered(study, i, values, &scene, reader->report);
        if (status == CLACK_OK) scene_free(&scene);
    }
    reader->is_out_of_memory |= status == CLACK_MEMORY;
    reader->is_scene_wrong = status == CLACK_STUDY;
}
