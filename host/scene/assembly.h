// Assembly: bodies that start slightly off the places where their joints hold are moved there.
#ifndef CLACK_ASSEMBLY_H
#define CLACK_ASSEMBLY_H

#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly {
    double moved_m; // no point within the bounding sphere of a body is moved by more; 0: nothing is off
    // What was left where bodies fit best, of the joint that was off the most, of any point of its bodies: joints that
    // say the same twice, as two hinges of a door, and do not agree. They hold there from then on.
    double misfit_m;
    uint32_t joint; // index of SceneJoint: of the misfit, or that cannot be kept; UINT32_MAX: there is none; of the
    char why[200];  // latter what was expected and found
} Assembly;

/// Has it a method under which joints constrain the motion of bodies?
int assembly_keeps_joints(const SceneDescription *scene);
/// Is a joint of a scene given so that its bodies may have to be moved: two points or axes that differ, a length that
/// is not the distance of its points?
int assembly_is_needed(const SceneDescription *scene);

/// Move the bodies of one scene onto the equations of their joints: the displacement with the least sum of m x^2 and
/// I angle^2 to first order (Gauss-Newton; the mass-orthogonal projection of positions of Bayo and Ledesma, Nonlinear
/// Dynamics 9 (1996) 113), and of what cannot be kept together the least squares. What is left of that, up to
/// ASSEMBLY_SHARE_MOST of the extent and ASSEMBLY_DEGREES_MOST, becomes part of the joints, whose points and axes in
/// their second bodies (in the first where that is fixed) change. bodies, joints, functions: as staged; states: changed
/// where it succeeds. Velocities stay as they are in the world.
/// Errors: CLACK_STUDY with out->joint where points are further apart than ASSEMBLY_SHARE_MOST of the extent of all
/// joints and their bodies, or equations are farther from each other; CLACK_MEMORY.
ClackStatus assembly_move(const SceneDescription *scene, Body *bodies, BodyState *states, Joint *joints,
                          const FunctionRow *functions, Assembly *out, ClackReport *report);

/// The same of a scene that is not staged. Errors: as above; CLACK_STUDY of what else is wrong with its bodies and
/// joints, with out->joint UINT32_MAX.
ClackStatus assembly_try(const SceneDescription *scene, Assembly *out, ClackReport *report);

#define ASSEMBLY_SHARE_MOST 0.01
#define ASSEMBLY_DEGREES_MOST 1.0 // between axes

#ifdef __cplusplus
}
#endif
#endif
