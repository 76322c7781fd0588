// For each width. The stages of explicit steps (Tsit5) of solids on corners, with the bits of substep.h: of one solid
// whose corners are evaluated together (corner_contacts.h), or of one of each of several scenes (corner_lanes_try.h).
// Corners of the width have its mass, start and rates, of which the first are given, and functions for their forces at
// a stage and at the end.
#ifndef CLACK_FAST_CORNER_STAGES_H
#define CLACK_FAST_CORNER_STAGES_H
#define Corners LANE_NAME(Corners)
#define corners_evaluate LANE_NAME(corners_evaluate)
#define corners_end LANE_NAME(corners_end)
#define corners_rate LANE_NAME(corners_rate)
#define corners_run_stages LANE_NAME(corners_run_stages)
#endif

/// Rates at the present stage, whose forces are known.
FN_SHORT BodyRate corners_rate(const Corners *corners) {
    return motion_rate_of(COPY(corners->mass), COPY(corners->solid.at), corners->solid.turn_scale,
                          COPY(corners->sum.force_N), COPY(corners->sum.torque_N_m));
}

/// All stages of a step of h.
FN_SHORT void corners_run_stages(Corners *corners, Lane h) {
    BodyRate last = corners->rates[0];
    for (u32 stage = 1; stage < STAGES; stage++) {
        u32 is_end = stage == STAGES - 1 ? 1u : 0u;
        BodyRate mean = motion_blend_last(corners->rates, scheme_row(1, stage), stage, last);
        BodyState at = motion_move(COPY(corners->start), mean, h);
        if (is_end) at.orientation = quat_normalize(at.orientation);
        corners->solid = corner_step_place(at, quat_rotate_any_scale(at.orientation));
        if (is_end)
            corners_end(corners);
        else
            corners_evaluate(corners, h * scheme_weight(1, stage));
        last = corners_rate(corners);
        corners->rates[stage] = last;
    }
}
