// Explicit trial steps of solids whose contacts are all corners on planes that do not move, of several scenes side by
// side: the stages of corner_stages.h, each operation one of a vector with a number of each scene.
#ifndef CLACK_STEPPER_CORNER_LANES_TRY_H
#define CLACK_STEPPER_CORNER_LANES_TRY_H

#include "base/lanes.h"
#include "model/scheme_policy.h"
#include "integrate/motion.h"
#include "fast/corner_contacts.h"
#include "fast/corner_lanes.h"
#include "stepper/substep.h"

#if SHARES_CORNERS

#define CORNERS_SHARED SIDE_BY_SIDE // corners that a solid has at most

#define LANE_WIDTH SIDE_BY_SIDE

typedef struct Corners { // one solid of each scene
    u32 most;            // corners of the one that has most of them
    Lane h;              // length of each step, s
    Lane count;          // corners of each; 0: the lane is empty
    MotionBody mass;
    BodyState start;
    BodyRate rates[STAGES], error;          // error: difference of the embedded method's mean rates
    CornerSolid solid;                      // at the present stage,
    CornerSum sum;                          // and what all contacts do to it
    CornerContact contacts[CORNERS_SHARED]; // the first corner of each, the second of each, ..
    CornerEnd ends[CORNERS_SHARED];
} Corners;

/// Evaluate all contacts at the present stage, with its part of impulse and loss.
FN_SHORT void corners_evaluate(Corners *corners, Lane weight) {
    CornerSum sum = corner_step_nothing(), wrench;
    for (u32 i = 0; i < corners->most; i++) {
        corner_step_stage(&corners->contacts[i], &corners->solid, weight, &wrench);
        sum = corner_step_add(sum, corners->count > (real)i, &wrench);
    }
    corners->sum = sum;
}

/// Evaluate them at the end of the step.
FN_SHORT void corners_end(Corners *corners) {
    CornerSum sum = corner_step_nothing();
    for (u32 i = 0; i < corners->most; i++) {
        const CornerContact *contact = &corners->contacts[i];
        corner_step_end(contact, &corners->solid, &corners->ends[i]);
        sum = corner_step_add_end(sum, corners->count > (real)i, contact->is_a > 0.5, &corners->ends[i]);
    }
    corners->sum = sum;
}

#include "fast/corner_stages.h"

/// All stages of the steps that have been loaded. Lanes that were not loaded do no harm.
FN void corner_lanes_try_all(Corners *corners) {
    corners_run_stages(corners, corners->h);
    corners->error = motion_blend(corners->rates, scheme_error_row(), STAGES);
}

#undef LANE_WIDTH

typedef WIDE_NAME(Corners) CornerLanes;

/// The solid of the first contact, where that is one of its corners.
FN_SHORT u32 corner_lanes_body(const SceneView *view) {
    GLOBAL const Contact *first = &view->contacts[view->active_contacts[0]];
    return corners_is_a(first) ? first->pair.body_a : first->pair.body_b;
}

/// May the step planned for a scene be tried here? So that nothing but flights is beside it.
FN u32 corner_lanes_may(const SceneView *view) {
    u32 count = view->slot->active_count;
    if (!HAS_CORNERS || count == 0 || count > CORNERS_SHARED || !scheme_is_adaptive(view->scene->flags)) return 0;
    if (view->contacts[view->active_contacts[0]].corner.order != FAST_CORNER_FIRST) return 0;
    GLOBAL const BodyWork *work = &view->works[corner_lanes_body(view)];
    return work->contacts.count == count && !work->control.implicit ? 1u : 0u;
}

/// All lanes are empty.
FN void corner_lanes_clear(CornerLanes *solids) {
    solids->most = 0;
    for (u32 k = 0; k < SIDE_BY_SIDE; k++) LANE_AT(solids->count, k) = 0.0;
}

/// The step of h planned for scene k.
FN void corner_lanes_load(const SceneView *view, CornerLanes *solids, u32 k, real h) {
    u32 count = 0, b = corner_lanes_body(view);
    EACH_ACTIVE(c) {
        CornerContact contact = corners_contact(view, &view->contacts[c], h * scheme_weight(1, 0));
        WIDE_PUT(&solids->contacts[count++], k, &contact);
    }
    solids->most = u32_max(solids->most, count);
    LANE_AT(solids->count, k) = (real)count;
    LANE_AT(solids->h, k) = h;
    BodyState start = view->states[b];
    BodyRate rate = view->works[b].step.rates[0];
    MotionBody mass = motion_body(&view->bodies[b], view->scene->gravity_m_per_s2);
    WIDE_PUT(&solids->mass, k, &mass);
    WIDE_PUT(&solids->start, k, &start);
    WIDE_PUT(&solids->rates[0], k, &rate);
}

/// What has come of the step of scene k, and in place of its second rate its error.
FN void corner_lanes_store(const SceneView *view, SCENE_SPACE Progress *progress, CornerLanes *solids, u32 k, real h) {
    substep_fly(view, progress, h);
    u32 b = corner_lanes_body(view), i = 0;
    GLOBAL BodyWork *work = &view->works[b];
    real spin = vec3_length(wide_get(&solids->solid.spin_rad_per_s, k));
    EACH_ACTIVE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        CornerEnd end = corner_get_end(&solids->ends[i], k);
        corner_keep_end(&end, spin, contact);
        corner_keep_transfer(contact, wide_get(&solids->contacts[i].impulse_N_s, k),
                             LANE_AT(solids->contacts[i].loss_J, k));
        i++;
    }
    BodyState trial;
    BodyRate last, error;
    WIDE_GET(&solids->solid.at, k, &trial);
    WIDE_GET(&solids->rates[STAGES - 1], k, &last);
    WIDE_GET(&solids->error, k, &error);
    work->step.trial = trial;
    work->step.rates[STAGES - 1] = last;
    work->step.rates[1] = error;
    progress->evaluations += STAGES - 1;
    work_count_forces(progress, view->slot->active_count * (STAGES - 1));
    progress->work += (real)view->slot->moving_count;
}

#endif // SHARES_CORNERS

#endif
