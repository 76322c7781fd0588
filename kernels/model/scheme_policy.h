// What `method` and `compat` change: each difference is a predicate of a scene's flags here, and kernels test nothing
// else of SCENE_RK4 and SCENE_COMPAT_MODIA3D (tests/checks/check_layering.py). Builds without them have constants.
#ifndef CLACK_MODEL_SCHEME_POLICY_H
#define CLACK_MODEL_SCHEME_POLICY_H

#include "model/scene_types.h"

// The scheme (`method`): how a scene is carried on by a step. Broad phase, observation, frames and rows are the same
// under each.

/// `events`: adaptive steps with error control, events located within them, stiff islands by implicit steps, bodies at
/// rest frozen. Else `rk4`, `trapezoidal` or `quasi_rigid`: fixed steps, at whose ends contacts begin and end.
/// Tableaux: integrate/scheme.h.
FN_SHORT u32 scheme_is_adaptive(u32 flags) {
    return flags & (SCENE_RK4 | SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID) ? 0u : 1u;
}
/// `trapezoidal`: contacts are regions of surfaces. All shapes but half-spaces are meshes there: the host makes those
/// of convex shapes.
FN_SHORT u32 policy_has_regions(u32 flags) { return flags & SCENE_TRAPEZOIDAL ? 1u : 0u; }
/// `trapezoidal`: steps by the trapezoidal rule, with joints as constraints (integrate/trapezoidal.h).
FN_SHORT u32 scheme_has_constraints(u32 flags) { return flags & SCENE_TRAPEZOIDAL ? 1u : 0u; }
/// `quasi_rigid`: implicit steps of bodies in contact, whose forces are unknowns of the step (integrate/quasi_rigid.h).
FN_SHORT u32 scheme_is_quasi_rigid(u32 flags) { return flags & SCENE_QUASI_RIGID ? 1u : 0u; }
/// `theta: 0.5`: forces of quasi-rigid bodies act in the middle between steps (integrate/quasi_midpoint.h).
FN_SHORT u32 scheme_is_midpoint(u32 flags) { return flags & SCENE_MIDPOINT ? 1u : 0u; }
/// Do discs lie on planes with points that are fixed in them, as they do on solids? Two points that go round with the
/// tilt, whose azimuth jumps where it passes 0, are nothing that Newton's method could solve for.
FN_SHORT u32 policy_has_disc_points(u32 flags) { return flags & SCENE_QUASI_RIGID ? 1u : 0u; }
/// Have contacts of a pair no depth? flags: of the pair.
FN_SHORT u32 policy_is_rigid(u32 flags) { return flags & SCENE_QUASI_RIGID && !(flags & PAIR_LAYER) ? 1u : 0u; }
/// Are steps solved by Newton's method, so that islands have a matrix and a step may fail?
FN_SHORT u32 scheme_is_solved(u32 flags) { return flags & (SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID) ? 1u : 0u; }

// `compat: modia3d`: the reference's quirks (kernels/geometry/README.md, "The reference").

/// Is one contact made of each pair, also with `contacts: single`?
FN_SHORT u32 policy_has_one_contact(u32 flags) {
    return flags & (SCENE_SINGLE_CONTACT | SCENE_COMPAT_MODIA3D) ? 1u : 0u;
}
/// Is a contact of lines or faces at the centre of the patch?
FN_SHORT u32 policy_finds_patch(u32 flags) { return flags & SCENE_COMPAT_MODIA3D ? 0u : 1u; }
/// Are pairs searched as the reference searches them?
FN_SHORT u32 policy_searches_as_reference(u32 flags) { return flags & SCENE_COMPAT_MODIA3D ? 1u : 0u; }
/// Are closed forms used of other pairs than two spheres and half-spaces?
FN_SHORT u32 policy_has_closed_forms(u32 flags) { return flags & (SCENE_COMPAT_MODIA3D | SCENE_NARROW_MPR) ? 0u : 1u; }
/// Are gaps distances, so that they bound how soon a pair can touch? The reference's are not.
FN_SHORT u32 policy_gaps_are_distances(u32 flags) { return flags & SCENE_COMPAT_MODIA3D ? 0u : 1u; }
/// Does a gap cross 0 at GAP_TOLERANCE_M already? Else at the reference's hysteresis, COMPAT_EPSILON_M beyond.
FN_SHORT u32 policy_has_tolerance(u32 flags) { return flags & SCENE_COMPAT_MODIA3D ? 0u : 1u; }
/// May a normal force pull?
FN_SHORT u32 policy_force_may_pull(u32 flags) { return flags & SCENE_COMPAT_MODIA3D ? 1u : 0u; }
/// Is the damping of a contact that is struck harder than where it began that of the harder strike?
FN_SHORT u32 policy_damps_each_strike(u32 flags) { return flags & SCENE_COMPAT_MODIA3D ? 0u : 1u; }

// What holds of some schemes, laws and fields of gravity only. Where something is given over time (SCENE_TIMED), work
// is done on bodies, and steps have to end with outer steps.

/// May balls and corners be stepped in private memory (fast/)?
FN_SHORT u32 policy_has_fast_methods(u32 flags) {
    return flags & (SCENE_COMPAT_MODIA3D | SCENE_RK4 | SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID | SCENE_POINT_GRAVITY |
                    SCENE_TIMED)
               ? 0u
               : 1u;
}
/// May one flight cover several outer steps?
FN_SHORT u32 policy_flies_far(u32 flags) {
    return flags & (SCENE_COMPAT_MODIA3D | SCENE_RK4 | SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID | SCENE_POINT_GRAVITY |
                    SCENE_TIMED)
               ? 0u
               : 1u;
}
/// Are the derivatives of contacts known, as implicit steps need them?
FN_SHORT u32 policy_has_jacobian(u32 flags) {
    return flags & (SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID) || !(flags & (SCENE_COMPAT_MODIA3D | SCENE_POINT_GRAVITY))
               ? 1u
               : 0u;
}
/// May steps of bodies in contact go beyond the end of an outer step?
FN_SHORT u32 policy_crosses_ends(u32 flags) {
    return flags & (SCENE_COMPAT_MODIA3D | SCENE_POINT_GRAVITY | SCENE_TIMED) ? 0u : 1u;
}
/// Do all islands take the same method in a step? Driven bodies are at one place in each of its stages.
FN_SHORT u32 policy_has_one_method(u32 flags) { return flags & SCENE_TIMED ? 1u : 0u; }
/// May groups of bodies be stepped by themselves? For that energies have to bound speeds, and gaps distances.
FN_SHORT u32 policy_has_groups(u32 flags) {
    return flags & (SCENE_COMPAT_MODIA3D | SCENE_POINT_GRAVITY | SCENE_TIMED) ? 0u : 1u;
}

#endif
