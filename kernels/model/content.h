// Content of a build: kinds of bodies and shapes, and what follows for spins.
#ifndef CLACK_MODEL_CONTENT_H
#define CLACK_MODEL_CONTENT_H

#include "base/vec3.h"
#include "model/scene_types.h"

// May bodies be balls? These have steps of their own, which a build without spheres omits.
#define HAS_BALLS ((BUILD_KINDS >> SHAPE_SPHERE & 1u) != 0)

// Surfaces, which have contact regions.
#define HAS_MESHES ((BUILD_KINDS >> SHAPE_MESH & 1u) != 0)

// Solids that touch planes with corners: a box, a capsule or a hull, and a half-space.
#define BUILD_KINDS_WITH_CORNERS (1u << SHAPE_BOX | 1u << SHAPE_CAPSULE | 1u << SHAPE_HULL)
#define HAS_CORNERS                                                                                                    \
    (HAS(CONTENT_SOLIDS) && (BUILD_KINDS >> SHAPE_HALF_SPACE & 1u) != 0 &&                                             \
     (BUILD_KINDS & BUILD_KINDS_WITH_CORNERS) != 0)

/// Is a body that is not fixed a ball? flags: its BODY_*.
FN_SHORT u32 is_free_ball(u32 flags) { return !HAS(CONTENT_SOLIDS) || (flags & BODY_BALL) != 0 ? 1u : 0u; }

/// A spin, or another vector in its axes, in world axes. flags: BODY_* of a body of that orientation.
FN_SHORT Vec3 spin_to_world(u32 flags, Quat orientation, Vec3 spin) {
    return flags & BODY_BALL ? spin : quat_rotate(orientation, spin);
}
FN_SHORT Vec3 spin_from_world(u32 flags, Quat orientation, Vec3 spin) {
    return flags & BODY_BALL ? spin : quat_rotate_back(orientation, spin);
}

#endif
