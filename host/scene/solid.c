// Mass properties by integrals over tetrahedra.
#include "solid.h"

#include <math.h>
#include <string.h>

const SolidMoments SOLID_NONE = {0};

// Sums over the tetrahedra that the triangles make with `about`: volume, first moments and second moments about it.
// Unsigned: `about` is inside, so that none is negative however a triangle is oriented. The integrals of 1, x and x y
// over a tetrahedron with one corner at the origin; summed over a closed surface they are those of B. Mirtich, Fast
// and Accurate Computation of Polyhedral Mass Properties, J. Graphics Tools 1(2), 1996, and D. Eberly, Polyhedral Mass
// Properties (Revisited), 2002.
typedef struct Sums {
    double volume, first[3], second[3][3];
} Sums;

static void sums_add(Sums *sums, double p[3][3], int is_signed) {
    double sum[3];
    for (int k = 0; k < 3; k++) sum[k] = p[0][k] + p[1][k] + p[2][k];
    double six = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                 p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    if (!is_signed) six = fabs(six);
    sums->volume += six / 6.0;
    for (int i = 0; i < 3; i++) {
        sums->first[i] += six / 24.0 * sum[i];
        for (int j = 0; j < 3; j++)
            sums->second[i][j] +=
                six / 120.0 * (sum[i] * sum[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
    }
}

// Twice: about the mean of the corners, and about the centroid that this gives, so that nothing cancels.
SolidMoments solid_weigh(const double (*points)[3], const uint32_t *corners, size_t stride, size_t count,
                         int is_signed) {
    SolidMoments out = {0};
    double about[3] = {0};
    Sums sums = {0};
    for (size_t t = 0; t < 3 * count; t++)
        for (int k = 0; k < 3; k++) about[k] += points[corners[stride * (t / 3) + t % 3]][k] / (3.0 * (double)count);
    for (int pass = 0; pass < 2; pass++) {
        sums = (Sums){0};
        for (size_t t = 0; t < count; t++) {
            double p[3][3];
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++) p[c][k] = points[corners[stride * t + (size_t)c]][k] - about[k];
            sums_add(&sums, p, is_signed);
        }
        for (int k = 0; k < 3 && sums.volume != 0.0; k++) about[k] += sums.first[k] / sums.volume;
    }
    out.volume_m3 = sums.volume;
    memcpy(out.centroid_m, about, sizeof about);
    const double trace = sums.second[0][0] + sums.second[1][1] + sums.second[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.inertia_m5[i][j] = (i == j ? trace : 0.0) - sums.second[i][j];
    return out;
}

SolidMoments solid_add(const SolidMoments *a, const SolidMoments *b) {
    const SolidMoments *both[2] = {a, b};
    SolidMoments out = {.volume_m3 = a->volume_m3 + b->volume_m3};
    if (out.volume_m3 == 0.0) return out;
    for (int k = 0; k < 3; k++)
        out.centroid_m[k] = (a->volume_m3 * a->centroid_m[k] + b->volume_m3 * b->centroid_m[k]) / out.volume_m3;
    for (int part = 0; part < 2; part++) {
        double arm[3], square = 0;
        for (int k = 0; k < 3; k++) {
            arm[k] = both[part]->centroid_m[k] - out.centroid_m[k];
            square += arm[k] * arm[k];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                out.inertia_m5[i][j] +=
                    both[part]->inertia_m5[i][j] + both[part]->volume_m3 * ((i == j ? square : 0.0) - arm[i] * arm[j]);
    }
    return out;
}
