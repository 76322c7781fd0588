// Scenes whose contacts have tangential springs, and what tests call the kinds of springs.
#ifndef CLACK_TEST_SPRING_SCENES_H
#define CLACK_TEST_SPRING_SCENES_H

#include "kernel_scene.h"
#include "random_scenes.h"

inline const char *name_of(uint32_t spring) {
    return spring == LAW_TOTAL_SPRING ? "total" : spring == LAW_PARTIAL_SPRING ? "partial" : "conservative";
}

inline SceneBuilder with_spring(double young, double e, double friction, uint32_t spring_kind = 0,
                                uint32_t damping = DAMPING_FLORES) {
    SceneBuilder b;
    b.material(young);
    ScenePair &pair = b.pair(0, 0, e, friction, 0, damping);
    pair.has_spring = 1;
    pair.spring = spring_kind;
    pair.shear_stiffness = 1;
    return b;
}

#endif
