// Scenes of bodies and constraints for the trapezoidal rule.
#ifndef CLACK_TESTS_CONSTRAINT_SCENE_H
#define CLACK_TESTS_CONSTRAINT_SCENE_H

#include <cmath>

#include "scene_builder.h"

const double G = 9.81;
using Point = std::array<double, 3>;

/// With a fixed body at the origin.
inline SceneBuilder constraint_scene(double step_s, double end_s) {
    SceneBuilder b;
    b.scene.method = METHOD_TRAPEZOIDAL;
    b.scene.step_s = step_s;
    b.scene.end_s = end_s;
    b.scene.no_freeze = 1;
    b.body("world", true, {0, 0, 0});
    return b;
}

inline void turn_about_y(SceneBody &body, double angle) {
    body.rotation.kind = ROTATION_QUATERNION;
    body.rotation.value[0] = std::cos(angle / 2);
    body.rotation.value[2] = std::sin(angle / 2);
}

#endif
