// Are the forces of constraints those that the motion determines, and no others?
//
// Where equations say the same twice, as those of two hinges of one door do, forces along J' lambda = 0 are arbitrary:
// they move nothing. Projections of accelerations (trapezoidal_projection.h) leave that part of the multipliers as it
// is, whatever the rest of them begins with: so they are begun with other ones, and what stays is compared.
#ifndef CLACK_INTEGRATE_TRAPEZOIDAL_UNIQUE_H
#define CLACK_INTEGRATE_TRAPEZOIDAL_UNIQUE_H

#include "integrate/trapezoidal_projection.h"

#define TRAPEZOIDAL_UNIQUE_SHARE 1.0e-3 // of what was added to a multiplier: more that stays is arbitrary

/// What is added to the multiplier of an equation, of the size of itself or of its mass times 1 m/s^2 or 1 rad/s^2:
/// between a half of it and all, either sign, without order in the equations. Unilateral ones push more. per: mass over
/// penalty.
FN_ONCE real trapezoidal_extra(GLOBAL const JointConstraint *constraint, u32 contact, u32 i, real per) {
    u32 mixed = (contact * CONSTRAINT_ROWS_MOST + i + 1u) * 2654435761u;
    mixed = (mixed ^ mixed >> 15) * 2246822519u;
    mixed ^= mixed >> 13;
    real size = real_max(real_abs(constraint->start_multiplier[i]), constraint->rows[i].penalty * per);
    real extra = size * (0.5 + (real)(mixed >> 1) / 4294967296.0);
    return mixed & 1u && !(constraint->unilateral >> i & 1u) ? 0.0 - extra : extra;
}

/// Add to the multipliers of constraints, or with `is_kept` find whether one of them has kept it. Returns 1 if so.
FN_ONCE u32 trapezoidal_vary(const SceneView *view, u32 is_kept, real per) {
    u32 any = 0;
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_constraint(view, contact)) continue;
        GLOBAL JointConstraint *constraint = &contact->step.constraint;
        for (u32 i = 0; i < constraint->count; i++) {
            if (constraint_is_inactive(constraint, i)) continue;
            real extra = trapezoidal_extra(constraint, c, i, per);
            real stays = constraint->rows[i].multiplier - constraint->start_multiplier[i];
            if (is_kept)
                any |= real_abs(stays) > TRAPEZOIDAL_UNIQUE_SHARE * real_abs(extra) ? 1u : 0u;
            else
                constraint->rows[i].multiplier += extra;
        }
    }
    SCENE_BARRIER();
    return scene_any(view, any);
}

/// Are there other forces of the constraints with which bodies move as with those of the start of a step? Its matrix is
/// that of masses and constraints (trapezoidal_begin); forces and accelerations are those of the start again.
FN_ONCE u32 trapezoidal_has_others(const SceneView *view, real s) {
    real per = 1.0 / (trapezoidal_penalty(view) * s * s);
    (void)trapezoidal_vary(view, 0, per);
    trapezoidal_forces(view, 0);
    trapezoidal_pass_all(view, 0, s);
    u32 has_others = trapezoidal_vary(view, 1, per);
    ACTIVE_LOOP(c) {
        if (contact_is_constraint(view, &view->contacts[c])) constraint_rewind(&view->contacts[c].step.constraint);
    }
    trapezoidal_forces(view, 0);
    return has_others;
}

#endif
