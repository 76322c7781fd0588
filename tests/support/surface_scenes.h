// Scenes whose surfaces touch under the trapezoidal rule.
#ifndef CLACK_TESTS_SURFACE_SCENES_H
#define CLACK_TESTS_SURFACE_SCENES_H

#include "mesh_scenes.h"

namespace regions {

/// E* of pairs of the material of surface_scene.
constexpr double E_STAR = 1e7 / (1 - 0.3 * 0.3) / 2;

/// One material that meets itself by `law`, without gravity.
inline SceneBuilder surface_scene(uint32_t law, double restitution, double step_s, double end_s) {
    SceneBuilder b;
    b.scene.method = METHOD_TRAPEZOIDAL;
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.step_s = step_s;
    b.scene.end_s = end_s;
    b.material(1e7, 0.3, 1000);
    ScenePair &pair = b.pair(0, 0, restitution, 0, 0, DAMPING_HUNT_CROSSLEY);
    pair.region_law = law;
    pair.region_stiffness = 1e6;
    pair.region_exponent = 1.5;
    pair.stick_speed_m_per_s = 0.01;
    return b;
}

/// A body of 1 kg, or another mass, that is one surface.
inline SceneBody &surface_body(SceneBuilder &b, const SceneMesh *mesh, std::array<double, 3> position,
                               double mass_kg = 1) {
    SceneBody &body = b.body("surface", false, position);
    b.mesh(mesh);
    b.bodies.back().mass_kind = MASS_TOTAL;
    b.bodies.back().mass_kg = mass_kg;
    return body;
}

/// The same, too heavy to turn.
inline SceneBody &stiff_body(SceneBuilder &b, const SceneMesh *mesh, std::array<double, 3> position,
                             double mass_kg = 1) {
    SceneBody &body = surface_body(b, mesh, position, mass_kg);
    body.mass_kind = MASS_GIVEN;
    for (size_t k = 0; k < 3; k++) body.inertia_kg_m2[k] = 1e9;
    return body;
}

/// A study that records contacts so often.
inline Study recording(double every_s) {
    Study study{};
    study.contacts_every_s = every_s;
    study.contact_scenes = 1u << 30;
    return study;
}

} // namespace regions

#endif
