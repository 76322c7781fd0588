// ODE's dCollide: special code for spheres and boxes. It has no ellipsoids.
//   narrow_ode FOLDER COUNT
#include "narrow_common.h"

#include <ode/ode.h>

#define CONTACTS_MOST 8

typedef struct OdeHull {
    dReal planes[FACES_MOST * 4], points[HULL_POINTS * 3];
    unsigned faces[FACES_MOST * 4];
} OdeHull;

typedef struct OdePairs {
    dGeomID *a, *b;
} OdePairs;

static void fill_hull(const Hull *hull, OdeHull *out) {
    for (int i = 0; i < HULL_POINTS; i++)
        for (int k = 0; k < 3; k++) out->points[3 * i + k] = hull->point[i][k];
    for (int f = 0; f < hull->face_count; f++) {
        const double *a = hull->point[hull->face[f][0]], *b = hull->point[hull->face[f][1]],
                     *c = hull->point[hull->face[f][2]];
        const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        out->planes[4 * f + 3] = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / length;
        out->faces[4 * f] = 3;
        for (int k = 0; k < 3; k++) {
            out->planes[4 * f + k] = n[k] / length;
            out->faces[4 * f + 1 + k] = (unsigned)hull->face[f][k];
        }
    }
}

static dGeomID make(int kind, const double *size, const double *turn, const double *at, OdeHull *hull, int face_count) {
    dMatrix3 rows = {0};
    dGeomID geom = kind == SPHERE ? dCreateSphere(0, size[0])
                   : kind == BOX  ? dCreateBox(0, 2 * size[0], 2 * size[1], 2 * size[2])
                   : kind == CYLINDER
                       ? dCreateCylinder(0, size[0], 2 * size[1])
                       : dCreateConvex(0, hull->planes, (unsigned)face_count, hull->points, HULL_POINTS, hull->faces);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rows[4 * i + j] = turn[3 * i + j];
    dGeomSetRotation(geom, rows);
    dGeomSetPosition(geom, at[0], at[1], at[2]);
    return geom;
}

static void query(void *context, const Pair *pair, int i, Answer *answer) {
    (void)pair;
    const OdePairs *pairs = (const OdePairs *)context;
    dContactGeom contacts[CONTACTS_MOST];
    const int count = dCollide(pairs->a[i], pairs->b[i], CONTACTS_MOST, contacts, sizeof *contacts);
    answer->depth_m = 0;
    for (int c = 0; c < count; c++) {
        if (contacts[c].depth <= answer->depth_m) continue;
        answer->is_hit = 1;
        answer->depth_m = contacts[c].depth;
        for (int k = 0; k < 3; k++) answer->normal[k] = contacts[c].normal[k];
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    dInitODE();
    Hull *hulls = load_hulls(argv[1]);
    OdeHull *ode_hulls = (OdeHull *)calloc(HULLS, sizeof *ode_hulls);
    for (int h = 0; h < HULLS; h++) fill_hull(&hulls[h], &ode_hulls[h]);
    for (int c = 0; c < CLASSES; c++) {
        int count;
        if (class_a[c] == ELLIPSOID) continue;
        Pair *pairs = load_pairs(argv[1], c, atoi(argv[2]), &count);
        OdePairs made = {(dGeomID *)calloc((size_t)count, sizeof(dGeomID)),
                         (dGeomID *)calloc((size_t)count, sizeof(dGeomID))};
        for (int i = 0; i < count; i++) {
            const Pair *p = &pairs[i];
            made.a[i] = make(p->kind_a, p->size_a, p->turn_a, p->position_a, &ode_hulls[p->hull_a],
                             hulls[p->hull_a].face_count);
            made.b[i] = make(p->kind_b, p->size_b, p->turn_b, p->position_b, &ode_hulls[p->hull_b],
                             hulls[p->hull_b].face_count);
        }
        narrow_bench("ODE", "dCollide", c, pairs, count, query, &made);
        free(made.a);
        free(made.b);
        free(pairs);
    }
    return 0;
}
