// Vectors and quaternions, as they cross the bus.
#ifndef CLACK_BASE_VEC_TYPES_H
#define CLACK_BASE_VEC_TYPES_H

#include "base/portable.h"

typedef struct Vec3 {
    real x, y, z;
} Vec3;
ASSERT_SIZE(Vec3, 24);

// Quaternion: a rotation, from body to world, where it is of length 1; stages of a step and rates are not.
typedef struct Quat {
    real w, x, y, z;
} Quat;
ASSERT_SIZE(Quat, 32);

#endif
