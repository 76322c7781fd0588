// An ensemble file as its readers see it: one value per scene in columns, and the study it came from.
#ifndef CLACK_ENSEMBLE_H
#define CLACK_ENSEMBLE_H

#include "record_read.h"
#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum EnsembleRole { ENSEMBLE_FIELD, ENSEMBLE_PARAMETER, ENSEMBLE_QUANTITY } EnsembleRole;

typedef struct EnsembleColumn { // a number for each scene
    char *path;                 // in the file, owned
    const char *name;           // its last part
    char *unit, *sentence;      // owned
    EnsembleRole role;
} EnsembleColumn;

typedef struct Ensemble {
    RecordReader *reader;
    uint64_t scene_count;
    double first_scene; // number of the first
    size_t column_count;
    EnsembleColumn *columns; // (column_count): those of the root, then parameters; each in the order of the file
    RecordTexts bodies;      // names
} Ensemble;

/// On success to be closed with ensemble_close. Errors: as record_read_open's; CLACK_MEMORY.
ClackStatus ensemble_open(const char *path, Ensemble *out_ensemble, ClackReport *report);
void ensemble_close(Ensemble *ensemble);
/// Whether all that was read from the file so far was whole: asked before what was made of it is handed on.
/// Errors: CLACK_CORRUPT, CLACK_IO.
ClackStatus ensemble_check(const Ensemble *ensemble, ClackReport *report);

/// The column of this name, one of a role where `role` >= 0. Errors: CLACK_USAGE with the nearest name.
ClackStatus ensemble_find(const Ensemble *ensemble, const char *name, int role, const EnsembleColumn **out_column,
                          ClackReport *report);
/// Number of the body of this name. Errors: CLACK_USAGE with the nearest name.
ClackStatus ensemble_find_body(const Ensemble *ensemble, const char *name, size_t *out_body, ClackReport *report);
/// Values of a column, to be freed by the caller (scene_count).
ClackStatus ensemble_values(const Ensemble *ensemble, const EnsembleColumn *column, double **out_values,
                            ClackReport *report);

typedef struct EnsembleFrames { // the recorded states of one scene, up to its end; owned
    uint64_t scene, row;        // its number; its row in /trajectory
    uint64_t frame_count;
    size_t body_count;
    double *time_s;           // (frame_count)
    double *position_m;       // (frame_count, body_count, 3): NaN for bodies that the scene does not have
    double *orientation;      // (frame_count, body_count, 4): w, x, y, z
    double *velocity_m_per_s; // (frame_count, body_count, 3)
    double *spin_rad_per_s;   // (frame_count, body_count, 3)
} EnsembleFrames;

/// Frames of a scene; `scene` < 0: of the first that has any.
/// Errors: CLACK_USAGE (the file has no trajectory, or none of this scene), CLACK_CORRUPT, CLACK_MEMORY.
ClackStatus ensemble_frames(const Ensemble *ensemble, int64_t scene, EnsembleFrames *out_frames, ClackReport *report);
/// As ensemble_frames; of a scene that was not run, in a file of parts of a study, no frame (frame_count 0).
ClackStatus ensemble_frames_if_any(const Ensemble *ensemble, int64_t scene, EnsembleFrames *out_frames,
                                   ClackReport *report);
void ensemble_frames_free(EnsembleFrames *frames);

/// The study that the file was made with, from the text in the file; palettes, tables and hulls from where they
/// were, or beside `study_path` where that is not NULL.
/// Errors: CLACK_CORRUPT (one of those files is another now), those of study_read.
ClackStatus ensemble_study(const Ensemble *ensemble, const char *study_path, Study **out_study, ClackReport *report);

/// Kinetic and potential energy of all moving bodies in every frame (frame_count), in J, without what contacts store.
/// Potential energy is 0 at the origin, or at an infinite distance of gravity's centre.
/// Errors: those of sample_numbered, mass_of_body.
ClackStatus ensemble_energy(const Study *study, const EnsembleFrames *frames, double *out_kinetic_J,
                            double *out_potential_J, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
