// Solids that stand on each other, and the forces on them in their poses.
#ifndef CLACK_TESTS_STANDING_SCENES_H
#define CLACK_TESTS_STANDING_SCENES_H

#include "kernel_scene.h"

constexpr double G = 9.81;

inline SceneBuilder one_material(double restitution, double friction) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, restitution, friction);
    return b;
}

// The hull of a box's corners, its edges as round as a box's are.
inline const SceneHull *crate(double x, double y, double z) {
    std::vector<std::array<double, 3>> points;
    for (int k = 0; k < 8; k++)
        points.push_back({k & 1 ? x / 2 : -x / 2, k & 2 ? y / 2 : -y / 2, k & 4 ? z / 2 : -z / 2});
    return shared_hull(points, 1e-3);
}

// A solid whose flat faces look up and down; returns its height, with the middle at the body's origin.
inline double add_standing(SceneBuilder &b, uint32_t kind, double width) {
    const double height = 0.6 * width;
    if (kind == SHAPE_BOX) b.shape(kind, {width, 0.8 * width, height, 0});
    if (kind == SHAPE_CYLINDER) b.shape(kind, {width, height, 0, 0});
    if (kind == SHAPE_CONE) {
        b.shape(kind, {width, height, 0.6 * width, 0});
        b.shapes.back().position_m[2] = -height / 2;
    }
    if (kind == SHAPE_BEAM) b.shape(kind, {0.6 * width, 0.5 * width, height, 0}).axis = 0;
    if (kind == SHAPE_HULL) b.hull(crate(width, 0.8 * width, height));
    return height;
}

const uint32_t STANDING[] = {SHAPE_BOX, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM, SHAPE_HULL};
const char *const NAMES[] = {"",          "sphere",   "box",  "capsule", "half-space",
                             "ellipsoid", "cylinder", "cone", "beam",    "hull"};

// A body 0.2 m wide on a fixed one 0.5 m wide, `above` the touch of their faces, off its middle by `aside`.
inline SceneBuilder standing(uint32_t base, uint32_t top, double above, double aside) {
    SceneBuilder b = one_material(0.3, 0.4);
    b.body("base", true, {0, 0, 0});
    const double low = add_standing(b, base, 0.5);
    b.body("top", false, {2 * aside, aside, 0});
    const double high = add_standing(b, top, 0.2);
    b.bodies.back().position_m[2] = (low + high) / 2 + above;
    return b;
}

// Five on top of each other, not quite in line.
inline SceneBuilder stack(uint32_t kind, double apart) {
    SceneBuilder b = one_material(0.3, 0.5);
    b.ground();
    double at = 0;
    for (int k = 0; k < 5; k++) {
        b.body("one", false, {0.002 * k, -0.001 * k, 0});
        const double height = add_standing(b, kind, 0.2);
        b.bodies.back().position_m[2] = at + height / 2 + apart;
        at += height + apart;
    }
    return b;
}

// Forces and torques on all free bodies at their given poses, over the weight of one (and 0.1 m).
inline std::vector<double> loads(SceneBuilder b) {
    KernelScene scene(b);
    for (size_t k = 0; k < scene.works.size(); k++) scene.works[k].step.trial = scene.states[k];
    coupling_evaluate_all(&scene.view);
    std::vector<double> all;
    for (size_t k = 0; k < scene.works.size(); k++) {
        if (scene.batch.bodies[k].flags & BODY_FIXED) continue;
        const BodyWork &w = scene.works[k];
        const double share = scene.batch.bodies[k].inverse_mass / G;
        for (double f : {w.step.force_N.x, w.step.force_N.y, w.step.force_N.z}) all.push_back(f * share);
        for (double t : {w.step.torque_N_m.x, w.step.torque_N_m.y, w.step.torque_N_m.z}) all.push_back(t * share / 0.1);
    }
    return all;
}

#endif
