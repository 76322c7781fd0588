// Quantities of ensembles of the same scenes beside each other: differences scene by scene, and their spread.
#ifndef CLACK_COMPARISON_H
#define CLACK_COMPARISON_H

#include "ensemble.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMPARISON_FILES_MAX 8u // as many as there are colours of lines

typedef struct ComparedFile {
    Ensemble ensemble;
    char *overrides; // what --set changed, a line each; owned
    char *study; // its file, where the files are not of one study: by its name, or as far as that tells them apart by
                 // its path, or by this and its checksum; NULL where they are; owned
    double *status; // (scene_count): of the scenes in all files; owned
    uint64_t ok;    // of these
} ComparedFile;

typedef struct ComparedValue { // of a quantity in a file; NaN where there is no such number
    uint64_t count;            // scenes that ended ok and have the quantity
    double mean, sd;           // over these
    uint64_t shared;           // scenes that do so in the first file too
    double difference;         // from the first file's value: mean over these,
    double difference_sd;      // standard deviation,
    double largest;            // and the one of the greatest size,
    uint64_t scene;            // in this scene
} ComparedValue;

typedef struct Comparison {
    ComparedFile *files; // (file_count), the first of which the others are compared with
    size_t file_count;
    uint64_t first_scene, scene_count; // in all files
    size_t quantity_count;
    const EnsembleColumn **quantities; // (quantity_count): of the first file
    ComparedValue *values;             // (quantity_count, file_count)
} Comparison;

/// Compare files. Those of other studies are taken too, if parameters of one name have the same values in each scene:
/// of one study with other settings, say. What is not in all files (scenes, parameters, quantities) is warned of.
/// Errors: CLACK_USAGE (fewer than 2 files or more than COMPARISON_FILES_MAX; no scene or no quantity in all of them; a
/// parameter with another value), those of ensemble_open.
ClackStatus comparison_make(const char *const *paths, size_t count, Comparison *out_comparison, ClackReport *report);
void comparison_free(Comparison *comparison);

/// Values of a quantity in a file in the scenes of all (scene_count), to be freed by the caller: NaN where the scene
/// has not ended ok or has no such number, and for a quantity that the file has not.
ClackStatus comparison_values(const Comparison *comparison, size_t quantity, size_t file, double **out_values,
                              ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
