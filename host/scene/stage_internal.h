// Within stage*.c: shapes, joints.
#ifndef CLACK_STAGE_INTERNAL_H
#define CLACK_STAGE_INTERNAL_H

#include "stage.h"

#include "base/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A shape of body number `body`, whose centre of mass is `com`, m, in its frame; `frame` turns principal axes into
/// body axes. compat: the reference's way (kernels/geometry/README.md, "The reference").
Shape stage_shape(const SceneShape *in, uint32_t body, Vec3 com, Quat frame, int compat);

static inline Vec3 vec3_from(const double v[3]) { return vec3_make(v[0], v[1], v[2]); }

/// Laws of pairs of materials -> laws (n_material, n_material), n_material^2 rows of zeros where there is no pair.
void stage_laws(const SceneDescription *scene, MaterialPairLaw *laws);
void stage_region_laws(const SceneDescription *scene, RegionLaw *laws);
/// LAW_ELLIPSOID, or 0 where the method has other friction.
uint32_t stage_ellipsoid_flag(const SceneDescription *scene, const ScenePair *pair);

/// Has a body a joint? Its attitude counts then, of whatever shape it is.
int stage_is_jointed(const SceneDescription *scene, uint32_t body);
/// Is something of a scene given over time, a force or the motion of a fixed body?
int stage_is_timed(const SceneDescription *scene);
/// The motions of fixed bodies that are in the scene, into their rows.
void stage_motions(const SceneDescription *scene, Body *bodies);
/// Values of functions of time, one after the other, in a scene that is not staged yet -> values, with room for as many
/// as TIME_STACK. Returns their number; 0 without memory.
uint32_t stage_functions_at(const SceneDescription *scene, uint32_t first, uint32_t count, double t, double *values);
/// A scene's functions of time, what is constant in them folded -> rows (function_count).
void stage_functions(const SceneDescription *scene, FunctionRow *rows);
/// Value of a function of time in a scene that is not staged yet; NaN also without memory.
double stage_function_at(const SceneDescription *scene, uint32_t first, uint32_t count, double t);
/// What lies between the points of a joint at the start, m; of one that slides along an axis, across the axis: along it
/// its points may be anywhere.
Vec3 stage_joint_apart(const SceneJoint *joint);
/// Do its points, axes and length hold where the bodies are at the start?
int stage_joint_is_exact(const SceneJoint *joint);
/// Bodies, joints and functions of scene `s` of a batch, which is described by `in`. Errors: CLACK_STUDY.
ClackStatus stage_bodies(const SceneDescription *in, Batch *batch, uint32_t s, ClackReport *report);
/// Number of joints whose bodies are both in the scene.
uint32_t stage_joint_count(const SceneDescription *scene);
/// These joints (stage_joint_count). bodies, states: of the scene, at the start; the radii of free bodies grow to the
/// points of their joints.
/// Errors: CLACK_STUDY where axes are not what their constraint needs.
ClackStatus stage_joints(const SceneDescription *scene, Body *bodies, const BodyState *states, Joint *joints,
                         ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
