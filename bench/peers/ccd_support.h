// Solids as libccd sees them: support functions and centres.
#ifndef CLACK_BENCH_CCD_SUPPORT_H
#define CLACK_BENCH_CCD_SUPPORT_H

#include <ccd/ccd.h>

#include "narrow_common.h"

typedef struct CcdSolid {
    int kind;
    const double *size, *position, *turn; // as in Pair
    const Hull *hull;
    double ball_m; // added to the solid of these sizes
} CcdSolid;

static void ccd_local_support(const CcdSolid *s, const double u[3], double out[3]) {
    const double *size = s->size;
    if (s->kind == SPHERE) {
        const double f = size[0] / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        for (int k = 0; k < 3; k++) out[k] = f * u[k];
    } else if (s->kind == BOX) {
        for (int k = 0; k < 3; k++) out[k] = u[k] >= 0 ? size[k] : -size[k];
    } else if (s->kind == ELLIPSOID) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            out[k] = size[k] * size[k] * u[k];
            square += out[k] * u[k];
        }
        for (int k = 0; k < 3; k++) out[k] /= sqrt(square);
    } else if (s->kind == CYLINDER) {
        const double across = sqrt(u[0] * u[0] + u[1] * u[1]);
        out[0] = across > 1e-300 ? size[0] * u[0] / across : 0;
        out[1] = across > 1e-300 ? size[0] * u[1] / across : 0;
        out[2] = u[2] >= 0 ? size[1] : -size[1];
    } else {
        int best = 0;
        double farthest = -1e300;
        for (int i = 0; i < HULL_POINTS; i++) {
            const double *p = s->hull->point[i], reach = p[0] * u[0] + p[1] * u[1] + p[2] * u[2];
            if (reach > farthest) {
                farthest = reach;
                best = i;
            }
        }
        memcpy(out, s->hull->point[best], 3 * sizeof *out);
    }
}

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out) {
    const CcdSolid *s = (const CcdSolid *)object;
    const double *t = s->turn, *d = direction->v;
    const double u[3] = {t[0] * d[0] + t[3] * d[1] + t[6] * d[2], t[1] * d[0] + t[4] * d[1] + t[7] * d[2],
                         t[2] * d[0] + t[5] * d[1] + t[8] * d[2]};
    double v[3];
    ccd_local_support(s, u, v);
    const double ball = s->ball_m > 0 ? s->ball_m / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) : 0;
    for (int k = 0; k < 3; k++)
        out->v[k] = t[3 * k] * v[0] + t[3 * k + 1] * v[1] + t[3 * k + 2] * v[2] + s->position[k] + ball * d[k];
}

static void ccd_centre(const void *object, ccd_vec3_t *out) {
    memcpy(out->v, ((const CcdSolid *)object)->position, sizeof out->v);
}

static inline ccd_t ccd_settings(double tolerance, unsigned long iterations) {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    ccd.mpr_tolerance = ccd.epa_tolerance = tolerance;
    ccd.max_iterations = iterations;
    return ccd;
}

#endif
