// Within stage*.c: shapes.
#ifndef CLACK_STAGE_INTERNAL_H
#define CLACK_STAGE_INTERNAL_H

#include "stage.h"

/// A shape of body number `body`, whose centre of mass is `com`, m, in its frame; `frame` turns principal axes into
/// body axes. compat: the reference's way (kernels/README.md, "The reference").
Shape stage_shape(const SceneShape *in, uint32_t body, Vec3 com, Quat frame, int compat);

#endif
