// Corners on planes: corner_step.h at width 1 and, where corners go side by side, at the width SIDE_BY_SIDE.
#ifndef CLACK_FAST_CORNER_LANES_H
#define CLACK_FAST_CORNER_LANES_H

#include "base/lanes.h"
#include "law/contact_force.h"
#include "integrate/motion.h"

#define LANE_WIDTH 1
#include "fast/corner_step.h"
#undef LANE_WIDTH
#if SIDE_BY_SIDE > 1
#define LANE_WIDTH SIDE_BY_SIDE
#include "fast/corner_step.h"
#undef LANE_WIDTH
#endif

/// Store the result at the end of a step in the contact. spin_rad_per_s: angular speed of the solid.
FN void corner_keep_end(const CornerEnd *end, real spin_rad_per_s, GLOBAL Contact *contact) {
    contact->now.force_N = end->force_N;
    contact->now.torque_a_N_m = end->torque_a_N_m;
    contact->now.torque_b_N_m = end->torque_b_N_m;
    contact->now.gap_m = end->gap_m;
    contact->now.error_m = end->error_m;
    contact->now.narrow_status = NARROW_OK;
    contact->now.rate_m_per_s = end->rate_m_per_s;
    contact->now.closing_m_per_s = end->closing_m_per_s;
    contact->now.slip_m_per_s = end->slip_m_per_s;
    contact->now.spin_rad_per_s = spin_rad_per_s;
    contact->now.normal_N = end->normal_N;
    contact->now.loss_W = end->loss_W;
    contact->now.normal = end->normal;
    contact->now.lever_b_m = end->lever_b_m;
}

/// Impulse on the solid and loss of a contact over a step.
FN_SHORT void corner_keep_transfer(GLOBAL Contact *contact, Vec3 impulse_N_s, real loss_J) {
    contact->trial.impulse_N_s = contact->corner.whose == CORNER_OF_A ? vec3_negate(impulse_N_s) : impulse_N_s;
    contact->trial.loss_J = loss_J;
}

#if SIDE_BY_SIDE > 1
/// Result of the k-th at the end of a step.
FN CornerEnd corner_get_end(const WIDE_NAME(CornerEnd) * from, u32 k) {
    CornerEnd end;
    end.force_N = wide_get(&from->force_N, k);
    end.torque_a_N_m = wide_get(&from->torque_a_N_m, k);
    end.torque_b_N_m = wide_get(&from->torque_b_N_m, k);
    end.normal = wide_get(&from->normal, k);
    end.lever_b_m = wide_get(&from->lever_b_m, k);
    end.gap_m = LANE_AT(from->gap_m, k);
    end.error_m = LANE_AT(from->error_m, k);
    end.rate_m_per_s = LANE_AT(from->rate_m_per_s, k);
    end.closing_m_per_s = LANE_AT(from->closing_m_per_s, k);
    end.slip_m_per_s = LANE_AT(from->slip_m_per_s, k);
    end.normal_N = LANE_AT(from->normal_N, k);
    end.loss_W = LANE_AT(from->loss_W, k);
    return end;
}
#endif

#endif
