// Derived parameters: expressions, and numbers drawn together, from the coordinates they were given.
#include <assert.h>
#include <math.h>

#include "sample_internal.h"

#define TURN (2 * EXPRESSION_PI)

// From the last to the first: each needs those before it as they were drawn.
static void derive_normals(const Derivation *normals, double *values) {
    for (uint32_t i = normals->count; i-- > 0;) {
        double sum = normals->means[i];
        for (uint32_t j = 0; j <= i; j++) sum += normals->factor[(size_t)i * normals->count + j] * values[j];
        values[i] = sum;
    }
}

// Archimedes: z is uniform, and so is the angle about the axis.
static void derive_unit_vector(double length, double *values) {
    const double u = values[0], angle = TURN * values[1];
    const double across = 2 * sqrt(u * (1 - u)); // sqrt(1 - z^2) without cancellation
    values[0] = length * across * cos(angle);
    values[1] = length * across * sin(angle);
    values[2] = length * (2 * u - 1);
}

// Source: Shoemake, Uniform random rotations, in Graphics Gems III (1992) 124.
static void derive_rotation(double *values) {
    const double left = sqrt(1 - values[0]), right = sqrt(values[0]);
    const double angle_left = TURN * values[1], angle_right = TURN * values[2];
    values[0] = right * cos(angle_right);
    values[1] = left * sin(angle_left);
    values[2] = left * cos(angle_left);
    values[3] = right * sin(angle_right);
}

void sample_derive(const Study *study, double *values) {
    for (uint32_t i = 0; i < study->derivation_count; i++) {
        const Derivation *derivation = &study->derivations[i];
        double *own = values + derivation->parameter;
        assert(derivation->parameter + derivation->count <= study->parameter_count);
        switch (derivation->kind) {
        case DERIVATION_EXPRESSION: *own = expression_value(&derivation->expression, values); break;
        case DERIVATION_NORMALS: derive_normals(derivation, own); break;
        case DERIVATION_UNIT_VECTOR:
            derive_unit_vector(
                derivation->length_parameter == NONE ? derivation->length : values[derivation->length_parameter], own);
            break;
        case DERIVATION_ROTATION: derive_rotation(own); break;
        }
    }
}
