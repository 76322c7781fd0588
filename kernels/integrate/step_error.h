// Error of a step as a share of the allowed error.
#ifndef CLACK_INTEGRATE_STEP_ERROR_H
#define CLACK_INTEGRATE_STEP_ERROR_H

#include "model/workspace.h"

// Speeds below this count as rest for accuracy.
#define SPEED_FLOOR_M_PER_S 1.0e-3

// Rodas4's embedded error is of one order less than Tsit5's and overestimates its own. Within this the angular momentum
// of oblique impacts is kept to 1e-9 at the default (with 5 to 1.09e-9); with 3 a slip that ends takes 925 evaluations
// where 883 do.
#define RODAS_TOLERANCE_RATIO 3.6

// Embedded error of one body: of its velocity and of its position over the step, m/s, and of its spin, rad/s.
typedef struct StepError {
    real velocity, position, spin;
} StepError;

#define STEP_ERROR_RADIUS_LEAST_M 1.0e-9 // smallest radius for errors of spins

/// Share of the allowed error. floor_m_per_s: what is allowed of a body at rest; velocity, spin_rad_per_s: at the end
/// of the step. out_error_m_per_s: raised to the velocity error.
FN real step_error_share(const SceneView *view, u32 b, StepError error, real floor_m_per_s, Vec3 velocity_m_per_s,
                         Vec3 spin_rad_per_s, real *out_error_m_per_s) {
    real tolerance = view->scene->tolerance * (view->works[b].control.implicit ? RODAS_TOLERANCE_RATIO : 1.0);
    real speed = vec3_length(velocity_m_per_s), spin = vec3_length(spin_rad_per_s);
    real radius = real_max(view->bodies[b].radius_m, STEP_ERROR_RADIUS_LEAST_M);
    real scale = real_max(tolerance * (SPEED_FLOOR_M_PER_S + speed), floor_m_per_s);
    real spin_scale = real_max(tolerance * (SPEED_FLOOR_M_PER_S / radius + spin), floor_m_per_s / radius);
    *out_error_m_per_s = real_max(*out_error_m_per_s, error.velocity + error.spin * radius);
    // A comparison with NaN is false: make sure that the step is rejected.
    if (!real_is_finite(error.velocity + error.position + error.spin + speed + spin)) return REAL_HUGE;
    return real_max(real_max(error.velocity / scale, error.position / scale), error.spin / spin_scale);
}

#endif
