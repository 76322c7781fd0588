// Bodies that start deep in each other.
#ifndef CLACK_STEPPER_DEEP_START_H
#define CLACK_STEPPER_DEEP_START_H

#include "pairs/broad_phase.h"
#include "pairs/tunnelling.h"
#include "stepper/observe.h"

#define QUASI_START_SHARE 1.0e-3 // of the smaller shape: overlap at the start that a step may push apart

// How bodies start in each other.
#define START_DEEP 1u // deeper than laws of contact are made for
#define START_SUNK 2u // quasi-rigid bodies deeper than their layer takes: they would be thrown out in one step

/// START_* of a gap at the start.
FN_SHORT u32 start_of_gap(const SceneView *view, u32 shape_a, u32 shape_b, real gap_m) {
    real smaller = pair_smaller_m(view, shape_a, shape_b);
    u32 found = gap_m < 0.0 - DEEP_SHARE * smaller ? START_DEEP : 0u;
    if (!scheme_is_quasi_rigid(view->scene->flags)) return found;
    GLOBAL const LayerLaw *layer = &view->region_laws[scene_law_row(view, shape_a, shape_b)].layer;
    real most = layer->has_layer ? layer->thickness_m : 0.0;
    return gap_m < 0.0 - (most + QUASI_START_SHARE * smaller) ? found | START_SUNK : found;
}

/// Least gap of the features of two shapes that are candidates, at the present.
FN_ONCE real start_feature_gap(const SceneView *view, SCENE_SPACE const Progress *progress, u32 shape_a, u32 shape_b) {
    real least = 0.0;
    for (u32 i = 0; i < progress->candidate_count; i++) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->shape_a == shape_a && candidate->shape_b == shape_b)
            least = real_min(least, candidate->gap_m[progress->gap_index]);
    }
    return least;
}

/// START_* of two solids whose features do not show how deep they are in each other.
FN_ONCE u32 start_of_solids(const SceneView *view, SCENE_SPACE const Progress *progress, u32 i, u32 j) {
    if (!broad_pair_counts(view, i, j) || !region_has_many(view, i, j)) return 0;
    if (scene_law(view, i, j).flags & LAW_OBSERVER) return 0;
    if (!broad_pair_near(view, i, j, broad_place(view, i, j), 0.0)) return 0;
    real undetected =
        TUNNELLING_UNDETECTED * (shape_ball_radius(&view->shapes[i]) + shape_ball_radius(&view->shapes[j]));
    real gap = kinematics_of_trial(view, i, j, FEATURE_NEAREST).gap_m;
    if (!(gap < 0.0 - undetected) || !(gap < start_feature_gap(view, progress, i, j) - undetected)) return 0;
    return START_DEEP | start_of_gap(view, i, j, gap);
}

/// Sets the flag of bodies deep in each other. Returns 1 if quasi-rigid ones cannot be stepped from there. Gaps of all
/// candidates are known.
FN_ONCE u32 start_is_sunk(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 found = 0;
    ITEM_LOOP(i, progress->candidate_count) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->observes) continue;
        found |= start_of_gap(view, candidate->shape_a, candidate->shape_b, candidate->gap_m[progress->gap_index]);
    }
    ITEM_LOOP(i, policy_has_regions(view->scene->flags) ? 0u : view->scene->shape_count) {
        if (shape_is_strictly_convex(&view->shapes[i])) continue; // its one contact shows the whole depth
        BroadBall ball = broad_ball(view, i);
        for (u32 j = i + 1u; j < view->scene->shape_count; j++)
            if (!broad_ball_apart(view, ball, j)) found |= start_of_solids(view, progress, i, j);
    }
    if (scene_any(view, found & START_DEEP)) progress->flags |= FLAG_DEEP_START;
    return scene_any(view, found & START_SUNK);
}

#endif
