// Content of a build. A build for one study defines with -D what the study contains (host/scene/content.c); conditions
// on all else are then constants, and the compiler omits what depends on them. Results have the same bits: what is
// omitted would never have run. Without -D, as in the native backend, everything is included.
//
// One part is omitted although it may be needed: the penetration depth of cores that overlap (penetration.h), which is
// long and seldom used. A scene that needs it cannot go on in the build: penetration_contact returns NARROW_UNSEARCHED,
// pair_kinematics.h notes it in the slot, at the end of the pass `advance` ends the scene with STATUS_SECOND_BUILD, and
// the host (stepper.c) runs it from its beginning by the second build, which is this one with CONTENT_PENETRATION and
// is compiled when the first scene needs it.
#ifndef CLACK_BASE_BUILD_H
#define CLACK_BASE_BUILD_H

#include "base/portable.h"

#define PROGRAM_ADVANCE 1u
#define PROGRAM_EVALUATE 2u
#define PROGRAM_PROBE 4u
#define PROGRAM_REGIONS 8u // with PROGRAM_EVALUATE, for scenes with meshes
#define PROGRAM_EXACT 16u  // a text by itself: evaluate/probe_exact.cl
#ifndef BUILD_PROGRAMS     // kernels of these
#define BUILD_PROGRAMS (PROGRAM_ADVANCE | PROGRAM_EVALUATE | PROGRAM_PROBE | PROGRAM_REGIONS)
#endif

#ifndef BUILD_KINDS // bit 1 << SHAPE_* for each kind of shape
#define BUILD_KINDS 0xffffffffu
#endif

#ifndef BUILD_FLAGS // bits of Scene.flags that some scene has
#define BUILD_FLAGS 0xffffffffu
#endif

#define CONTENT_SOLIDS 1u       // shapes other than half-spaces and balls about their body's centre of mass
#define CONTENT_SEARCH 2u       // pairs without a closed form
#define CONTENT_SEVERAL 4u      // pairs of two solids with several contacts
#define CONTENT_WATCHES 8u      // quantities that are watched as scenes run
#define CONTENT_BODIES 16u      // several bodies that are not fixed
#define CONTENT_PENETRATION 32u // the penetration depth of cores that overlap
#define CONTENT_ISLANDS                                                                                                \
    64u // contacts that ball_contact.h does not take by both methods: several at a time, with rolling resistance,
        // springs
#define CONTENT_FRAMES 128u // trajectories
#define CONTENT_JOINTS 256u // joints (joints/joint_force.h)
#ifndef BUILD_CONTENT
#define BUILD_CONTENT 0xffffffffu
#endif
#define HAS(content) ((BUILD_CONTENT & (content)) != 0)
#define MAY_NEED_SECOND_BUILD (HAS(CONTENT_SEARCH) && !HAS(CONTENT_PENETRATION)) // scenes may need the second build

/// Is a value of this kind? kind: SHAPE_*.
FN_SHORT u32 kind_is(u32 value, u32 kind) { return (BUILD_KINDS >> kind & 1u) != 0 && value == kind ? 1u : 0u; }

#endif
