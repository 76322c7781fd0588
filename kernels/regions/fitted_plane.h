// The plane that fits points best, as codes of mesh contact take it; for comparison with the area vector.
#ifndef CLACK_REGIONS_FITTED_PLANE_H
#define CLACK_REGIONS_FITTED_PLANE_H

#include "regions/contour.h"

#define FITTED_SWEEPS 8u // of Jacobi's rotations: they converge quadratically, in at most five for 3 x 3

// A symmetric matrix and the rotation that makes it diagonal.
typedef struct FittedAxes {
    real a[3][3];
    real v[3][3]; // columns
} FittedAxes;

/// Jacobi's rotation that makes a[p][q] 0. Source: G. H. Golub, C. F. Van Loan, Matrix Computations, Jacobi methods.
FN void fitted_rotate(FittedAxes *axes, u32 p, u32 q) {
    real off = axes->a[p][q];
    if (off == 0.0) return;
    real ratio = (axes->a[q][q] - axes->a[p][p]) / (2.0 * off);
    real tangent = 1.0 / (real_abs(ratio) + real_sqrt(ratio * ratio + 1.0));
    if (ratio < 0.0) tangent = 0.0 - tangent;
    real cosine = 1.0 / real_sqrt(tangent * tangent + 1.0), sine = tangent * cosine;
    for (u32 k = 0; k < 3; k++) {
        real x = axes->a[k][p], y = axes->a[k][q];
        axes->a[k][p] = cosine * x - sine * y;
        axes->a[k][q] = sine * x + cosine * y;
    }
    for (u32 k = 0; k < 3; k++) {
        real x = axes->a[p][k], y = axes->a[q][k];
        axes->a[p][k] = cosine * x - sine * y;
        axes->a[q][k] = sine * x + cosine * y;
        x = axes->v[k][p];
        y = axes->v[k][q];
        axes->v[k][p] = cosine * x - sine * y;
        axes->v[k][q] = sine * x + cosine * y;
    }
}

/// Unit vector along which a symmetric matrix is least; rows of it, of which the upper half counts.
FN Vec3 fitted_least_axis(Mat3 matrix) {
    FittedAxes axes;
    axes.a[0][0] = matrix.x.x;
    axes.a[1][1] = matrix.y.y;
    axes.a[2][2] = matrix.z.z;
    axes.a[0][1] = axes.a[1][0] = matrix.x.y;
    axes.a[0][2] = axes.a[2][0] = matrix.x.z;
    axes.a[1][2] = axes.a[2][1] = matrix.y.z;
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 3; k++) axes.v[i][k] = i == k ? 1.0 : 0.0;
    for (u32 sweep = 0; sweep < FITTED_SWEEPS; sweep++) {
        fitted_rotate(&axes, 0, 1);
        fitted_rotate(&axes, 0, 2);
        fitted_rotate(&axes, 1, 2);
    }
    u32 least = axes.a[1][1] < axes.a[0][0] ? 1u : 0u;
    if (axes.a[2][2] < axes.a[least][least]) least = 2;
    return vec3_normalize(vec3_make(axes.v[0][least], axes.v[1][least], axes.v[2][least]));
}

// Sums over points, from an origin near them.
typedef struct FittedSums {
    Vec3 origin_m, sum_m;
    Mat3 squares_m2; // upper half
    real count;
} FittedSums;

FN void fitted_add(FittedSums *sums, Vec3 point_m) {
    Vec3 d = vec3_sub(point_m, sums->origin_m);
    sums->sum_m = vec3_add(sums->sum_m, d);
    sums->squares_m2.x = vec3_add_scaled(sums->squares_m2.x, d, d.x);
    sums->squares_m2.y = vec3_add_scaled(sums->squares_m2.y, d, d.y);
    sums->squares_m2.z = vec3_add_scaled(sums->squares_m2.z, d, d.z);
    sums->count += 1.0;
}

/// Normal of the plane through the mean of the points with the least squares of their distances from it; its sense is
/// open.
FN Vec3 fitted_normal(const FittedSums *sums) {
    Vec3 mean = vec3_scale(sums->sum_m, 1.0 / sums->count);
    Mat3 about_mean;
    about_mean.x = vec3_add_scaled(sums->squares_m2.x, sums->sum_m, 0.0 - mean.x);
    about_mean.y = vec3_add_scaled(sums->squares_m2.y, sums->sum_m, 0.0 - mean.y);
    about_mean.z = vec3_add_scaled(sums->squares_m2.z, sums->sum_m, 0.0 - mean.z);
    return fitted_least_axis(about_mean);
}

#endif
