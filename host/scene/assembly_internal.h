// Parts of assembly (assembly.h).
#ifndef CLACK_ASSEMBLY_INTERNAL_H
#define CLACK_ASSEMBLY_INTERNAL_H

#include "model/scene_types.h"

typedef struct JointMisfit { // by how much a joint does not hold
    double apart_m, angle_rad;
} JointMisfit;

/// Change a joint so that it holds in these states of its bodies: the point and the axes in B, or in A where B is
/// fixed, so that an angle or a travel over time begins with 0; the length of JOINT_DISTANCE that is not driven. Limits
/// stay. bodies: of the scene; radii grow to reach the joint. Returns by how much it was off.
JointMisfit assembly_fit_joint(Joint *joint, Body *bodies, const BodyState *a, const BodyState *b);

#endif
