// Laws of pairs of materials into the kernels' rows.
#include "stage_internal.h"

#include <math.h>
#include <string.h>

#include "linear_damping.h"

// e_t and e_o that are not given are 1.
static EllipsoidLaw ellipsoid_law_of_pair(const ScenePair *pair) {
    const double *e = pair->friction_ellipsoid;
    EllipsoidLaw law = {.e = {e[0] > 0 ? e[0] : 1, e[1] > 0 ? e[1] : 1, e[2]}, .axis_material = pair->axis_material};
    const Vec3 axis = vec3_from(pair->friction_axis);
    law.has_axis = pair->has_friction_axis;
    if (law.has_axis) law.axis = vec3_scale(axis, 1.0 / vec3_length(axis));
    return law;
}

uint32_t stage_ellipsoid_flag(const SceneDescription *scene, const ScenePair *pair) {
    const int is_read = scene->method == METHOD_EVENTS || scene->method == METHOD_RK4;
    return is_read && pair->has_ellipsoid && !pair->is_observer ? LAW_ELLIPSOID : 0;
}

static int is_of_material(const SceneDescription *scene, uint32_t body, uint32_t material) {
    const SceneBody *of = &scene->bodies[body];
    for (uint32_t k = of->shape_first; k < of->shape_first + of->shape_count; k++)
        if (scene->shapes[k].contact_material == material) return 1;
    return 0;
}

int stage_keeps_frame(const SceneDescription *scene, uint32_t body) {
    if (stage_is_jointed(scene, body)) return 1;
    if (scene->method == METHOD_TRAPEZOIDAL) return 0; // it has other friction
    for (uint32_t p = 0; p < scene->pair_count; p++)
        if (scene->pairs[p].has_friction_axis && is_of_material(scene, body, scene->pairs[p].axis_material)) return 1;
    return 0;
}

static double plane_strain_modulus(const SceneMaterial *material) {
    return material->young_Pa / (1.0 - material->poisson * material->poisson);
}

// Tangential over normal stiffness, k_t / (K sqrt(delta)) = 8 G* / (4/3 E*), without slip in the contact area.
static double shear_of_pair(const SceneMaterial *a, const SceneMaterial *b) {
    const double shear_a = a->young_Pa / (2.0 * (1.0 + a->poisson)), shear_b = b->young_Pa / (2.0 * (1.0 + b->poisson));
    const double modulus = 1.0 / (1.0 / plane_strain_modulus(a) + 1.0 / plane_strain_modulus(b));
    return 6.0 / ((2.0 - a->poisson) / shear_a + (2.0 - b->poisson) / shear_b) / modulus;
}

void stage_laws(const SceneDescription *scene, MaterialPairLaw *laws) {
    const size_t n = scene->material_count;
    memset(laws, 0, n * n * sizeof *laws);
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        const ScenePair *pair = &scene->pairs[p];
        MaterialPairLaw *one = &laws[pair->material_a * n + pair->material_b];
        MaterialPairLaw *other = &laws[pair->material_b * n + pair->material_a];
        if (pair->is_observer) {
            *one = *other = (MaterialPairLaw){.flags = LAW_OBSERVER};
            continue;
        }
        const double c1 = plane_strain_modulus(&scene->materials[pair->material_a]);
        const double c2 = plane_strain_modulus(&scene->materials[pair->material_b]);
        const double wanted = pair->normal_law == NORMAL_LINEAR ? pair->linear_restitution : 0;
        const int is_quasi_rigid = scene->method == METHOD_QUASI_RIGID; // without springs and rolling resistance
        const int has_spring = pair->has_spring && !is_quasi_rigid;
        const MaterialPairLaw law = {.modulus_Pa = scene->reduction * c1 * c2 / (c1 + c2),
                                     .restitution = pair->restitution,
                                     .friction = pair->friction,
                                     .rolling = is_quasi_rigid ? 0 : pair->rolling,
                                     .speed_small_m_per_s = pair->speed_small_m_per_s,
                                     .spin_small_rad_per_s = pair->spin_small_rad_per_s,
                                     .damping_max_s_per_m = pair->damping_max_s_per_m,
                                     .shear = has_spring ? pair->shear_stiffness *
                                                               shear_of_pair(&scene->materials[pair->material_a],
                                                                             &scene->materials[pair->material_b])
                                                         : 0.0,
                                     .stiffness_N_per_m = pair->linear_stiffness_N_per_m,
                                     .dashpot_N_s_per_m = pair->linear_damping_N_s_per_m,
                                     .damping_ratio = wanted > 0 ? linear_damping_ratio(wanted) : 0,
                                     .damping = pair->damping,
                                     .flags = (has_spring ? pair->spring : 0) | stage_ellipsoid_flag(scene, pair) |
                                              (is_quasi_rigid && pair->has_layer ? LAW_LAYER : 0),
                                     .ellipsoid = ellipsoid_law_of_pair(pair),
                                     .normal_law = is_quasi_rigid ? NORMAL_HERTZ : pair->normal_law};
        *one = *other = law;
    }
}

static LayerLaw layer_law_of_pair(const ScenePair *pair) {
    return (LayerLaw){.stiffness = pair->layer_stiffness_N_per_m,
                      .damping = pair->layer_damping_N_s_per_m,
                      .thickness_m = pair->layer_thickness_m,
                      .shear_stiffness = pair->layer_shear_stiffness_N_per_m,
                      .shear_damping = pair->layer_shear_damping_N_s_per_m,
                      .has_layer = pair->has_layer,
                      .is_hertz = pair->layer_is_hertz};
}

// Of a pair of materials, what contact regions have beside.
static RegionLaw region_law_of_pair(const SceneDescription *scene, const ScenePair *pair) {
    const double shear =
        shear_of_pair(&scene->materials[pair->material_a], &scene->materials[pair->material_b]); // over K sqrt(delta)
    const int is_volume = pair->region_law == REGION_VOLUME;
    return (RegionLaw){.stiffness = is_volume ? pair->region_modulus_Pa / pair->region_depth_m : pair->region_stiffness,
                       .exponent = pair->region_exponent,
                       .static_friction = pair->static_friction,
                       .stick_speed_m_per_s = pair->stick_speed_m_per_s,
                       .viscous_N_s_per_m = pair->viscous_N_s_per_m,
                       .shear = shear / 1.5, // over the slope of Hertz's force
                       .law = pair->region_law,
                       .has_stiction = pair->has_stiction,
                       .layer = layer_law_of_pair(pair)};
}

void stage_region_laws(const SceneDescription *scene, RegionLaw *laws) {
    const size_t n = scene->material_count;
    memset(laws, 0, n * n * sizeof *laws);
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        const ScenePair *pair = &scene->pairs[p];
        if (pair->is_observer) continue;
        laws[pair->material_a * n + pair->material_b] = laws[pair->material_b * n + pair->material_a] =
            region_law_of_pair(scene, pair);
    }
}
