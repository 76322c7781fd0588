// What the scenes of a build may contain. Who builds for one study says with -D what is in it (host/scene/content.c);
// conditions on what is not are then constants, and the compiler leaves out what follows them. Results have the
// same bits: what is left out would never have run. Without -D, as in the native backend, everything is there.
#ifndef CLACK_BUILD_H
#define CLACK_BUILD_H

#include "portable.h"

#define PROGRAM_ADVANCE 1u
#define PROGRAM_EVALUATE 2u
#define PROGRAM_PROBE 4u
#ifndef BUILD_PROGRAMS // kernels of these
#define BUILD_PROGRAMS (PROGRAM_ADVANCE | PROGRAM_EVALUATE | PROGRAM_PROBE)
#endif

#ifndef BUILD_KINDS // bit 1 << SHAPE_* for each kind of shape
#define BUILD_KINDS 0xffffffffu
#endif

#ifndef BUILD_FLAGS // bits of Scene.flags that some scene has
#define BUILD_FLAGS 0xffffffffu
#endif

#define CONTENT_SOLIDS 1u  // shapes other than half-spaces and balls about their body's centre of mass
#define CONTENT_SEARCH 2u  // pairs without a closed form
#define CONTENT_SEVERAL 4u // pairs of two solids with several contacts
#define CONTENT_WATCHES 8u // quantities that are followed as scenes run
#define CONTENT_BODIES 16u // several bodies that are not fixed
#ifndef BUILD_CONTENT
#define BUILD_CONTENT 0xffffffffu
#endif
#define HAS(content) ((BUILD_CONTENT & (content)) != 0)

/// Is it of this kind? kind: SHAPE_*.
FN_SHORT u32 kind_is(u32 value, u32 kind) { return (BUILD_KINDS >> kind & 1u) != 0 && value == kind ? 1u : 0u; }

#endif
