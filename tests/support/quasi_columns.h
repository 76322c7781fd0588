// What columns of Newton's matrix in steps of quasi-rigid bodies say of a contact of body 1.
#ifndef CLACK_TESTS_QUASI_COLUMNS_H
#define CLACK_TESTS_QUASI_COLUMNS_H

#include "kernel_scene.h"

namespace quasi {

// The change of the force on B, and of the torque on body 1.
struct UnitChange {
    Vec3 force_N, torque_N_m;
};

// Of a contact of body 1 with unit k of its velocity, 0 to 2, or of its spin, 3 to 5, at the end of a step of 1/s.
inline UnitChange unit_change(const SceneView *view, const Contact *contact, const QuasiState *holds, u32 k, double s) {
    static_assert(COLUMNS_AT_ONCE == 1, "a column of these tests is a number");
    const QuasiContact *quasi = &contact->step.quasi;
    const QuasiNumbers of = quasi_numbers(view, contact, s);
    const u32 is_b = contact->pair.body_b == 1;
    const Mat3 axes = quasi_axes(view, 1, view->works[1].step.trial.orientation);
    const QuasiMotions motions = k < 3 ? quasi_unit_velocities(k, s) : quasi_unit_spins(view, 1, is_b, &axes, k - 3, s);
    const QuasiHeld acts = quasi_force_geometry(quasi);
    const double sign = k < 3 && !is_b ? -1 : 1; // shifts of A do the opposite
    ColumnChange change;
    quasi_change(quasi, &of, holds, &motions, &change);
    const ColumnVec torque = columns_torque_at(is_b ? acts.lever_b_m : acts.lever_a_m, is_b, &change);
    return {{sign * change.force_N.x, sign * change.force_N.y, sign * change.force_N.z},
            {sign * torque.x, sign * torque.y, sign * torque.z}};
}

} // namespace quasi

#endif
