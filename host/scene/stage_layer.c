// The layer between quasi-rigid bodies of a pair of materials.
#include "stage_internal.h"

LayerLaw stage_layer_law(const ScenePair *pair) {
    const double *e = pair->friction_ellipsoid;
    return (LayerLaw){.stiffness = pair->layer_stiffness_N_per_m,
                      .damping = pair->layer_damping_N_s_per_m,
                      .thickness_m = pair->layer_thickness_m,
                      .shear_stiffness = pair->layer_shear_stiffness_N_per_m,
                      .shear_damping = pair->layer_shear_damping_N_s_per_m,
                      .ellipsoid = {e[0] > 0 ? e[0] : 1, e[1] > 0 ? e[1] : 1, e[2]},
                      .has_layer = pair->has_layer,
                      .is_hertz = pair->layer_is_hertz};
}
