// What the scenes of a study may contain, so that an OpenCL compiler need not compile the rest (kernels/base/build.h).
#ifndef CLACK_CONTENT_H
#define CLACK_CONTENT_H

#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Content {
    uint32_t programs; // bits PROGRAM_*
    uint32_t kinds;    // bit 1 << SHAPE_* for each kind of shape
    uint32_t flags;    // bits SCENE_* that some scene has
    uint32_t holds;    // bits CONTENT_*
    uint32_t bodies;   // free ones of a scene; 0: not known
    uint64_t scenes;   // that will be run; 0: not known
} Content;

#define CONTENT_OPTIONS_BYTES 128

/// Everything: all kernels, for any scene.
Content content_everything(void);

/// Of all scenes of a study, whatever is drawn for them; kernels of `programs`.
Content content_of_study(const Study *study, uint32_t programs);

/// May scenes leave a build for `content` (kernels/base/build.h)? And what the second build holds then.
int content_can_leave(const Content *content);
Content content_second(const Content *content);

/// Whether a build for `content`, and the second one for scenes that leave it, computes the scenes of a batch.
int content_covers(const Content *content, const Batch *batch);

/// Options of the OpenCL compiler: a space before each; empty for everything.
void content_print_options(const Content *content, char options[CONTENT_OPTIONS_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
