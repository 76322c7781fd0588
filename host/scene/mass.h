// Mass, centre of mass and inertia of a body from its shapes, and its principal frame.
#ifndef CLACK_MASS_H
#define CLACK_MASS_H

#include "scene.h"
#include "solid.h"
#include "model/scene_types.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MassProperties {
    double mass_kg;
    double com_m[3];            // in the body frame
    double inertia_kg_m2[3][3]; // about the centre of mass, body axes
} MassProperties;

/// Mass properties of one shape of uniform density, in its own frame (along its `axis`
/// where it has one; a cone's centre of mass is on the axis, away from the origin).
/// Closed forms of uniform solids, a frustum as a cone less its tip. A half-space has none: mass 0.
MassProperties mass_of_shape(const SceneShape *shape, double density_kg_per_m3);

/// Mass properties of a body: shapes rotated and shifted (parallel axes), or as given.
/// Errors: CLACK_STUDY where a free body has no positive mass or its inertia is not positive definite
/// or breaks the triangle inequality.
ClackStatus mass_of_body(const SceneDescription *scene, uint32_t body, MassProperties *out, ClackReport *report);

/// Principal moments and frame: inertia = R diag(moments) R^T, `frame` rotates principal axes to body
/// axes. An inertia already diagonal to 1e-14 keeps the identity, so that its axes stay as the user
/// wrote them. Cyclic Jacobi.
void mass_principal(const double inertia_kg_m2[3][3], Vec3 *out_moments, Quat *out_frame);

/// Has a solid a volume, and moments that a body can have? One whose surface crosses itself may not: where that is
/// inside out it counts negatively.
int mass_is_of_solid(const SolidMoments *solid);

/// Whether some body has these principal moments: none is greater than the sum of the others.
int mass_is_possible(Vec3 moments);

/// Rotation of the description as a unit quaternion (shape to body, or body to world).
Quat rotation_to_quat(const SceneRotation *rotation);

/// Unit quaternion of a rotation matrix, by rows.
Quat mass_quat_of_matrix(double m[3][3]);

#ifdef __cplusplus
}
#endif
#endif
