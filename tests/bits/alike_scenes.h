// Scenes that have to come out alike, however work-items share them.
#ifndef CLACK_TESTS_ALIKE_SCENES_H
#define CLACK_TESTS_ALIKE_SCENES_H

#include "falling_pairs.h"
#include "spring_scenes.h"
#include "standing_scenes.h"

/// Faces on faces and stacks, until they are frozen; with hulls and the middle of what touches.
inline std::vector<SceneBuilder> scenes_that_stand() {
    std::vector<SceneBuilder> builders;
    for (const uint32_t kind : STANDING) {
        builders.push_back(standing(SHAPE_BOX, kind, 1e-4, 0.02));
        builders.back().scene.end_s = 0.05;
        builders.push_back(stack(kind, 1e-4));
        builders.back().scene.end_s = 0.02;
    }
    builders.push_back(standing(SHAPE_CYLINDER, SHAPE_BOX, 1e-4, 0.02));
    builders.back().scene.single_contact = 1;
    return builders;
}

inline std::vector<SceneBuilder> scenes_of_springs_and_overlaps() {
    std::vector<SceneBuilder> builders;
    for (const uint32_t kind : {0u, LAW_PARTIAL_SPRING}) {
        builders.push_back(with_spring(1e8, 0.7, 0.4, kind));
        builders.back().ground();
        builders.back().ball(0.05, {0, 0, 0.051});
        builders.back().bodies.back().velocity_m_per_s[0] = 1;
        builders.back().scene.end_s = 0.05;
    }
    for (const Pair pair : {Pair::Sharp, Pair::Deep, Pair::DeepHulls}) {
        builders.push_back(falling(pair, unsigned(pair)));
        builders.back().scene.end_s = pair == Pair::Sharp ? 0.15 : 0.02;
    }
    return builders;
}

#endif
