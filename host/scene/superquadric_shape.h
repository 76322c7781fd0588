// Superquadrics on the host: as kernels read them, and their surface.
#ifndef CLACK_SUPERQUADRIC_SHAPE_H
#define CLACK_SUPERQUADRIC_SHAPE_H

#include "scene.h"

#include "geometry/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUPERQUADRIC_EXPONENT_LEAST 2.0
#define SUPERQUADRIC_EXPONENT_MOST 8.0

/// Exponents across the axis z and along it: of those given the second is the first where there is none.
void superquadric_exponents(const SceneShape *in, double out[2]);

/// Sizes, dual exponents, the ball inside (0.9 of the least radius of curvature) and the radius of the ball about it,
/// as kernels read them. in: lengths > 0, exponents from SUPERQUADRIC_EXPONENT_LEAST to SUPERQUADRIC_EXPONENT_MOST.
void superquadric_stage(const SceneShape *in, Shape *out);

/// How many times farther than the surface the point at_m, in the shape's axes, is from the centre: 1 on the surface,
/// ((|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n)^(1/n). shape: as kernels read it.
double superquadric_gauge(const Shape *shape, const double at_m[3]);

/// Its half lengths, m.
void superquadric_half(const Shape *shape, double out_m[3]);

/// Least radius of curvature, m, of a shape as kernels read it, to a tenth.
double superquadric_curvature_radius_m(const Shape *shape);

#ifdef __cplusplus
}
#endif
#endif
