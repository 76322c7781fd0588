// Mechanical energy of recorded states.
#include <math.h>
#include <stdlib.h>

#include "ensemble.h"
#include "mass.h"
#include "sample.h"
#include "base/vec3.h"

static Vec3 vec3_of(const double *v) { return vec3_make(v[0], v[1], v[2]); }

static double kinetic(const MassProperties *mass, Vec3 velocity, Vec3 spin) { // of the centre; in body axes
    const double w[] = {spin.x, spin.y, spin.z};
    double twice = mass->mass_kg * vec3_dot(velocity, velocity);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) twice += w[i] * mass->inertia_kg_m2[i][j] * w[j];
    return 0.5 * twice;
}

static double potential(const SceneDescription *scene, double mass_kg, Vec3 at) {
    if (!scene->has_point_gravity) return -mass_kg * vec3_dot(vec3_of(scene->gravity_m_per_s2), at);
    return -mass_kg * scene->gravity_strength_m3_per_s2 / vec3_length(vec3_sub(at, vec3_of(scene->gravity_centre_m)));
}

static void add_body(const SceneDescription *scene, const MassProperties *mass, const EnsembleFrames *frames,
                     size_t body, double *kinetic_J, double *potential_J) {
    for (uint64_t frame = 0; frame < frames->frame_count; frame++) {
        const size_t row = (size_t)frame * frames->body_count + body;
        const double *q = frames->orientation + 4 * row;
        const Quat turn = quat_make(q[0], q[1], q[2], q[3]);
        const Vec3 arm = quat_rotate(turn, vec3_of(mass->com_m)), spin = vec3_of(frames->spin_rad_per_s + 3 * row);
        const Vec3 velocity = vec3_add(vec3_of(frames->velocity_m_per_s + 3 * row), vec3_cross(spin, arm));
        kinetic_J[frame] += kinetic(mass, velocity, quat_rotate_back(turn, spin));
        potential_J[frame] += potential(scene, mass->mass_kg, vec3_add(vec3_of(frames->position_m + 3 * row), arm));
    }
}

ClackStatus ensemble_energy(const Study *study, const EnsembleFrames *frames, double *out_kinetic_J,
                            double *out_potential_J, ClackReport *report) {
    SceneDescription scene = {0};
    double *values = calloc((size_t)study->parameter_count + 1, sizeof *values);
    ClackStatus status = CLACK_OK;
    if (values == NULL) return report_add(report, CLACK_MEMORY, "no memory for energies");
    for (uint64_t i = 0; i < frames->frame_count; i++) out_kinetic_J[i] = out_potential_J[i] = 0;
    TRY_CLEAN(sample_numbered(study, frames->scene, values, &scene, report));
    for (uint32_t b = 0; b < scene.body_count && b < frames->body_count; b++) {
        MassProperties mass;
        if (scene.bodies[b].is_fixed || scene.bodies[b].is_absent) continue;
        TRY_CLEAN(mass_of_body(&scene, b, &mass, report));
        add_body(&scene, &mass, frames, b, out_kinetic_J, out_potential_J);
    }
cleanup:
    scene_free(&scene);
    free(values);
    return status;
}
