// Volume, centroid and inertia of what a surface of triangles encloses.
#ifndef CLACK_SOLID_H
#define CLACK_SOLID_H

#include <stddef.h>
#include <stdint.h>

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

struct SolidMoments { // density 1
    double volume_m3;
    double centroid_m[3];
    double inertia_m5[3][3]; // about the centroid
};

extern const SolidMoments SOLID_NONE; // weighs nothing

/// Integrals over the tetrahedra that the triangles make with a point; the corners of a triangle are `stride` numbers
/// after those of the one before. is_signed: of a closed surface, counter-clockwise
/// seen from outside, of any form; the volume is negative where it is clockwise. Else of the surface of a convex solid,
/// however its triangles are oriented.
SolidMoments solid_weigh(const double (*points)[3], const uint32_t *corners, size_t stride, size_t count,
                         int is_signed);

/// Both together, as if they did not overlap.
SolidMoments solid_add(const SolidMoments *a, const SolidMoments *b);

#ifdef __cplusplus
}
#endif
#endif
