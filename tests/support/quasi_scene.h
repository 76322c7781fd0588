// Scenes of quasi-rigid bodies on the ground.
#ifndef CLACK_TESTS_QUASI_SCENE_H
#define CLACK_TESTS_QUASI_SCENE_H

#include "geometry/shape.h"
#include "scene_builder.h"

namespace quasi {

const double G = 9.81, MU = 0.2, E_R = 0.1;

/// The ground, and a material whose friction has these numbers.
inline SceneBuilder ground(double step_s, double end_s) {
    SceneBuilder b;
    b.scene.method = METHOD_QUASI_RIGID;
    b.scene.step_s = step_s;
    b.scene.end_s = end_s;
    b.scene.no_freeze = 1;
    b.material(1e9, 0.3, 1000);
    ScenePair &pair = b.pair(0, 0, 0, MU, 0, DAMPING_HUNT_CROSSLEY);
    pair.friction_ellipsoid[2] = E_R;
    b.ground();
    return b;
}

/// A sphere of radius 1 m and mass 1 kg on it.
inline SceneBuilder ball(double step_s, double end_s, double height_m = 1) {
    SceneBuilder b = ground(step_s, end_s);
    b.ball(2, {0, 0, height_m}, 0, 1);
    return b;
}

/// A solid of 1 kg instead, of these lengths, with rounded edges.
inline SceneBody &solid(SceneBuilder &b, uint32_t kind, std::array<double, 3> lengths, std::array<double, 3> position,
                        double smoothing_m = 0.02) {
    SceneBody &body = b.ball(1, position, 0, 1);
    SceneShape &shape = b.shapes.back();
    shape.kind = kind;
    for (size_t k = 0; k < 3; k++) shape.size_m[k] = lengths[k];
    const bool is_round = kind == SHAPE_SPHERE || kind == SHAPE_CAPSULE || shape_kind_is_smooth(kind);
    shape.smoothing_m = is_round ? -1 : smoothing_m;
    shape.exponents[0] = 4;
    return body;
}

/// A puck of 1 kg that slides and spins: it turns about the vertical only, as others of its moments are too large.
inline void make_puck(SceneBody &body, double inertia_kg_m2) {
    body.mass_kind = MASS_GIVEN;
    body.mass_kg = 1;
    body.inertia_kg_m2[0] = body.inertia_kg_m2[1] = 1e9;
    body.inertia_kg_m2[2] = inertia_kg_m2;
    body.velocity_m_per_s[0] = 1;
    body.angular_velocity_rad_per_s[2] = 5;
}

/// Any attitude, and a throw.
template <typename Draw> void toss(SceneBody &body, Draw draw) {
    body.rotation.kind = ROTATION_CARDAN;
    for (size_t k = 0; k < 3; k++) {
        body.rotation.value[k] = draw(-3, 3);
        body.angular_velocity_rad_per_s[k] = draw(-2, 2);
        if (k < 2) body.velocity_m_per_s[k] = draw(-1, 1);
    }
}

/// The last body has a material of its own, and friction by direction, with an axis that turns with it.
inline void add_axis(SceneBuilder &b) {
    b.material(1e9, 0.3, 1000);
    ScenePair pair = b.pairs[0];
    pair.material_b = pair.axis_material = 1;
    pair.has_friction_axis = 1;
    const double e[3] = {1.5, 0.7, E_R}, axis[3] = {2, 1, 0.5};
    for (size_t k = 0; k < 3; k++) pair.friction_ellipsoid[k] = e[k], pair.friction_axis[k] = axis[k];
    b.pairs.push_back(pair);
    b.shapes.back().material = b.shapes.back().contact_material = 1;
}

inline void layer(SceneBuilder &b, double stiffness, double damping, double thickness) {
    ScenePair &pair = b.pairs[0];
    pair.has_layer = 1;
    pair.layer_stiffness_N_per_m = stiffness;
    pair.layer_damping_N_s_per_m = damping;
    pair.layer_thickness_m = thickness;
}

/// Mechanical energy of a body of 1 kg, J.
inline double energy_of(const Ran &ran, uint32_t b) {
    const BodyState s = ran.state(b);
    const Vec3 i = ran.batch.bodies[b].inertia_kg_m2;
    return 0.5 * vec3_dot(s.velocity_m_per_s, s.velocity_m_per_s) + G * s.position_m.z +
           0.5 * vec3_dot(vec3_multiply(i, s.spin_rad_per_s), s.spin_rad_per_s);
}

} // namespace quasi

#endif
