// Mass, centre of mass and inertia of a body from its shapes, and its principal frame.
#include "mass.h"

#include "hull.h"
#include "solid.h"
#include "superquadric_shape.h"
#include "base/vec3.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DIAGONAL_SHARE 1e-14 // of the greatest entry: below, an inertia counts as diagonal
#define JACOBI_SWEEPS 30     // limit; 6 are usual
#define TRIANGLE_SHARE 1e-9  // rounding allowed in "the sum of two moments is not below the third"

typedef struct Matrix {
    double at[3][3];
} Matrix;

// --- rotations ------------------------------------------------------------------------------------

static Quat quat_about(int axis, double angle) {
    const double s = sin(0.5 * angle);
    return quat_make(cos(0.5 * angle), axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0);
}

Quat rotation_to_quat(const SceneRotation *rotation) {
    const double *v = rotation->value;
    switch (rotation->kind) {
    case ROTATION_QUATERNION: return quat_normalize(quat_make(v[0], v[1], v[2], v[3]));
    case ROTATION_CARDAN:
        // R(parent -> body) = R3(c) R2(b) R1(a) turns the axes, so its transpose turns vectors:
        // first about z by c, then y by b, then x by a.
        return quat_multiply(quat_about(0, v[0]), quat_multiply(quat_about(1, v[1]), quat_about(2, v[2])));
    case ROTATION_AXIS_ANGLE: {
        const Vec3 axis = vec3_normalize(vec3_make(v[0], v[1], v[2]));
        const double s = sin(0.5 * v[3]);
        return quat_make(cos(0.5 * v[3]), axis.x * s, axis.y * s, axis.z * s);
    }
    case ROTATION_NONE:
    default: return quat_identity();
    }
}

// The largest component comes first, so that none cancels.
Quat mass_quat_of_matrix(double m[3][3]) {
    const double xx = m[0][0], yy = m[1][1], zz = m[2][2];
    const double yz = m[2][1] - m[1][2], zx = m[0][2] - m[2][0];
    const double xy = m[1][0] - m[0][1];
    const double with_xy = m[1][0] + m[0][1], with_zx = m[0][2] + m[2][0];
    const double with_yz = m[2][1] + m[1][2];
    Quat q;
    if (xx + yy + zz > 0.0)
        q = quat_make(1.0 + xx + yy + zz, yz, zx, xy);
    else if (xx >= yy && xx >= zz)
        q = quat_make(yz, 1.0 + xx - yy - zz, with_xy, with_zx);
    else if (yy >= zz)
        q = quat_make(zx, with_xy, 1.0 - xx + yy - zz, with_yz);
    else
        q = quat_make(xy, with_zx, with_yz, 1.0 - xx - yy + zz);
    return quat_normalize(q);
}

static Matrix quat_to_matrix(Quat q) {
    const Mat3 m = mat3_from_quat(q);
    return (Matrix){{{m.x.x, m.x.y, m.x.z}, {m.y.x, m.y.y, m.y.z}, {m.z.x, m.z.y, m.z.z}}};
}

/// R I R^T.
static Matrix matrix_turn(const Matrix *r, const double inertia[3][3]) {
    Matrix out = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) out.at[i][j] += r->at[i][k] * inertia[k][l] * r->at[j][l];
    return out;
}

// --- shapes ---------------------------------------------------------------------------------------

static MassProperties mass_make(double mass, double xx, double yy, double zz) {
    return (MassProperties){.mass_kg = mass, .inertia_kg_m2 = {{xx, 0, 0}, {0, yy, 0}, {0, 0, zz}}};
}

static MassProperties mass_of_capsule(double diameter, double length, uint32_t axis, double density) {
    const double r = 0.5 * diameter;
    const double cylinder = density * PI * r * r * length;
    const double dome = density * 2.0 / 3.0 * PI * r * r * r; // one half ball, its centre 3 r / 8 out
    const double to_dome = 0.375 * r + 0.5 * length;
    const double axial = 0.5 * cylinder * r * r + 2.0 * 0.4 * dome * r * r;
    const double radial = cylinder / 12.0 * (3.0 * r * r + length * length) +
                          2.0 * dome * (0.4 * r * r - 0.375 * 0.375 * r * r + to_dome * to_dome);
    return mass_make(cylinder + 2.0 * dome, axis == 0 ? axial : radial, axis == 1 ? axial : radial,
                     axis > 1 ? axial : radial);
}

// Moments about the axis and across it, for an axis that is x, y or z, and the centre of mass on it.
static MassProperties mass_about(double mass, double axial, double radial, uint32_t axis, double com) {
    MassProperties out =
        mass_make(mass, axis == 0 ? axial : radial, axis == 1 ? axial : radial, axis > 1 ? axial : radial);
    out.com_m[axis > 1 ? 2 : axis] = com;
    return out;
}

static MassProperties mass_of_cylinder(const SceneShape *shape, double density) {
    const double outer = shape->size_m[0], length = shape->size_m[1], inner = shape->size_m[2];
    const double squares = outer * outer + inner * inner;
    const double mass = density * PI / 4.0 * (outer - inner) * (outer + inner) * length;
    return mass_about(mass, mass / 8.0 * squares, mass / 12.0 * (0.75 * squares + length * length), shape->axis, 0.0);
}

/// Cone or frustum, by integration over its discs: polynomials without the differences of "full cone less
/// its tip", which lose digits as the top nears the base.
static MassProperties mass_of_cone(const SceneShape *shape, double density) {
    const double r = 0.5 * shape->size_m[0], t = 0.5 * shape->size_m[2], l = shape->size_m[1];
    const double squares = r * r + r * t + t * t;
    const double fourths = r * r * r * r + r * r * r * t + r * r * t * t + r * t * t * t + t * t * t * t;
    const double mass = density * PI / 3.0 * l * squares;
    const double com = 0.25 * l * (r * r + 2.0 * r * t + 3.0 * t * t) / squares;
    const double axial = density * PI / 10.0 * l * fourths;
    const double about_base = 0.5 * axial + density * PI * l * l * l * (r * r / 30.0 + r * t / 10.0 + t * t / 5.0);
    return mass_about(mass, axial, about_base - mass * com * com, shape->axis, com);
}

/// Box and two half cylinders; axes a (length), b (width), c (thickness) are cyclic successors.
static MassProperties mass_of_beam(const SceneShape *shape, double density) {
    const double length = shape->size_m[0], width = shape->size_m[1], thick = shape->size_m[2];
    const double r = 0.5 * width, q = 4.0 * r / (3.0 * PI); // centre of a half disc
    const double box = density * length * width * thick;
    const double end = density * 0.5 * PI * r * r * thick; // one half cylinder
    const double away = (q + 0.5 * length) * (q + 0.5 * length) - q * q;
    const double tilt = (3.0 * r * r + thick * thick) / 12.0;
    const double moments[3] = {box / 12.0 * (width * width + thick * thick) + 2.0 * end * tilt,
                               box / 12.0 * (thick * thick + length * length) + 2.0 * end * (tilt + away),
                               box / 12.0 * (length * length + width * width) + 2.0 * end * (0.5 * r * r + away)};
    MassProperties out = {.mass_kg = box + 2.0 * end};
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t at = (shape->axis + k) % 3;
        out.inertia_kg_m2[at][at] = moments[k];
    }
    return out;
}

static double beta(double a, double b) { return exp(lgamma(a) + lgamma(b) - lgamma(a + b)); }

/// Jaklic, Leonardis and Solina, Segmentation and Recovery of Superquadrics (2000), equations 2.60 and 2.70 to 2.72: in
/// their terms e1 = 2 / n and e2 = 2 / m.
static MassProperties mass_of_superquadric(const SceneShape *shape, double density) {
    double exponents[2];
    superquadric_exponents(shape, exponents);
    const double e1 = 2.0 / exponents[1], e2 = 2.0 / exponents[0];
    const double a = 0.5 * shape->size_m[0], b = 0.5 * shape->size_m[1], c = 0.5 * shape->size_m[2];
    const double cube = density * a * b * c * e1 * e2;
    // Second moments along each axis, over a^2, b^2, c^2.
    const double across = 0.5 * cube * beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2.0 * e1 + 1.0);
    const double along = 2.0 * cube * beta(0.5 * e2, 0.5 * e2 + 1.0) * beta(1.5 * e1, e1 + 1.0);
    const double xx = across * a * a, yy = across * b * b, zz = along * c * c;
    return mass_make(2.0 * cube * beta(0.5 * e1 + 1.0, e1) * beta(0.5 * e2, 0.5 * e2), yy + zz, zz + xx, xx + yy);
}

static MassProperties mass_of_hull(const SceneShape *shape, double density) {
    const SceneHull *hull = shape->hull;
    const SolidMoments *solid = shape->solid;
    const double scale = shape->size_m[0], cubed = density * scale * scale * scale;
    assert(hull != NULL || solid != NULL);
    const double *centroid_m = solid != NULL ? solid->centroid_m : hull->centroid_m;
    const double(*inertia_m5)[3] = solid != NULL ? solid->inertia_m5 : hull->inertia_m5;
    MassProperties out = {.mass_kg = cubed * (solid != NULL ? solid->volume_m3 : hull->volume_m3)};
    for (int i = 0; i < 3; i++) {
        out.com_m[i] = scale * centroid_m[i];
        for (int j = 0; j < 3; j++) out.inertia_kg_m2[i][j] = cubed * scale * scale * inertia_m5[i][j];
    }
    return out;
}

MassProperties mass_of_shape(const SceneShape *shape, double density_kg_per_m3) {
    assert(shape != NULL);
    const double *size = shape->size_m;
    switch (shape->kind) {
    case SHAPE_SPHERE: {
        const double mass = density_kg_per_m3 * PI / 6.0 * size[0] * size[0] * size[0];
        const double moment = 0.1 * mass * size[0] * size[0];
        return mass_make(mass, moment, moment, moment);
    }
    case SHAPE_BOX: {
        const double mass = density_kg_per_m3 * size[0] * size[1] * size[2];
        const double xx = size[0] * size[0], yy = size[1] * size[1], zz = size[2] * size[2];
        return mass_make(mass, mass / 12.0 * (yy + zz), mass / 12.0 * (zz + xx), mass / 12.0 * (xx + yy));
    }
    case SHAPE_CAPSULE: return mass_of_capsule(size[0], size[1], shape->axis, density_kg_per_m3);
    case SHAPE_ELLIPSOID: {
        const double mass = density_kg_per_m3 * PI / 6.0 * size[0] * size[1] * size[2];
        const double xx = size[0] * size[0], yy = size[1] * size[1], zz = size[2] * size[2];
        return mass_make(mass, mass / 20.0 * (yy + zz), mass / 20.0 * (zz + xx), mass / 20.0 * (xx + yy));
    }
    case SHAPE_SUPERQUADRIC: return mass_of_superquadric(shape, density_kg_per_m3);
    case SHAPE_CYLINDER: return mass_of_cylinder(shape, density_kg_per_m3);
    case SHAPE_CONE: return mass_of_cone(shape, density_kg_per_m3);
    case SHAPE_BEAM: return mass_of_beam(shape, density_kg_per_m3);
    case SHAPE_HULL:
    case SHAPE_MESH: return mass_of_hull(shape, density_kg_per_m3);
    default: // a half-space has no finite mass
        return mass_make(0.0, 0.0, 0.0, 0.0);
    }
}

// --- bodies ---------------------------------------------------------------------------------------

/// Moves an inertia about the centre of mass by `arm`: adds m (|d|^2 1 - d d^T).
static void inertia_shift(double inertia[3][3], double mass, const double arm[3]) {
    const double square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inertia[i][j] += mass * ((i == j ? square : 0.0) - arm[i] * arm[j]);
}

static double shape_density(const SceneDescription *scene, const SceneShape *shape) {
    return scene->materials[shape->material].density_kg_per_m3;
}

/// Centre of mass of a shape in body axes.
static Vec3 shape_com(const SceneShape *shape, const MassProperties *own) {
    const Vec3 at = vec3_make(shape->position_m[0], shape->position_m[1], shape->position_m[2]);
    const Vec3 com = vec3_make(own->com_m[0], own->com_m[1], own->com_m[2]);
    if (shape->rotation.kind == ROTATION_NONE || vec3_max_abs(com) == 0.0) return vec3_add(at, com);
    return vec3_add(at, quat_rotate(rotation_to_quat(&shape->rotation), com));
}

/// Sum over the shapes of a body. Two passes: with the centre of mass known first, no large parallel
/// axis terms are subtracted again.
static MassProperties mass_from_shapes(const SceneDescription *scene, const SceneBody *body) {
    MassProperties sum = {0};
    for (uint32_t k = 0; k < body->shape_count; k++) {
        const SceneShape *shape = &scene->shapes[body->shape_first + k];
        const MassProperties one = mass_of_shape(shape, shape_density(scene, shape));
        sum.mass_kg += one.mass_kg;
        const Vec3 com = shape_com(shape, &one);
        sum.com_m[0] += one.mass_kg * com.x;
        sum.com_m[1] += one.mass_kg * com.y;
        sum.com_m[2] += one.mass_kg * com.z;
    }
    if (!(sum.mass_kg > 0.0)) return (MassProperties){0};
    for (int i = 0; i < 3; i++) sum.com_m[i] /= sum.mass_kg;
    for (uint32_t k = 0; k < body->shape_count; k++) {
        const SceneShape *shape = &scene->shapes[body->shape_first + k];
        const MassProperties one = mass_of_shape(shape, shape_density(scene, shape));
        const Matrix turn = quat_to_matrix(rotation_to_quat(&shape->rotation));
        // Without a rotation the closed form is kept as it is, diagonal to the last bit.
        Matrix own = shape->rotation.kind == ROTATION_NONE ? (Matrix){{{0}}} : matrix_turn(&turn, one.inertia_kg_m2);
        if (shape->rotation.kind == ROTATION_NONE) memcpy(own.at, one.inertia_kg_m2, sizeof own.at);
        const Vec3 com = shape_com(shape, &one);
        const double arm[3] = {com.x - sum.com_m[0], com.y - sum.com_m[1], com.z - sum.com_m[2]};
        inertia_shift(own.at, one.mass_kg, arm);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) sum.inertia_kg_m2[i][j] += own.at[i][j];
    }
    return sum;
}

static MassProperties mass_given(const SceneBody *body) {
    const double *i = body->inertia_kg_m2;
    MassProperties mass = {.mass_kg = body->mass_kg,
                           .inertia_kg_m2 = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    memcpy(mass.com_m, body->com_m, sizeof mass.com_m);
    return mass;
}

static void mass_scale(MassProperties *mass, double total_kg) {
    const double factor = mass->mass_kg > 0.0 ? total_kg / mass->mass_kg : 0.0;
    mass->mass_kg *= factor;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) mass->inertia_kg_m2[i][j] *= factor;
}

/// A free body needs a mass, and moments that some distribution of mass could have.
int mass_is_possible(Vec3 moments) {
    const double x = moments.x, y = moments.y, z = moments.z, tolerance = TRIANGLE_SHARE * (x + y + z);
    return x + y >= z - tolerance && y + z >= x - tolerance && z + x >= y - tolerance;
}

int mass_is_of_solid(const SolidMoments *solid) {
    Vec3 moments;
    Quat frame;
    mass_principal(solid->inertia_m5, &moments, &frame);
    const double least = fmin(moments.x, fmin(moments.y, moments.z));
    return solid->volume_m3 > 0.0 && least > 0.0 && mass_is_possible(moments);
}

static ClackStatus mass_check(const SceneBody *body, const MassProperties *mass, ClackReport *report) {
    if (!(mass->mass_kg > 0.0) || !isfinite(mass->mass_kg))
        return report_add(report, CLACK_STUDY,
                          "body \"%s\": a free body needs a positive mass, found %g kg: give it a shape with a "
                          "density, or a mass",
                          body->name, mass->mass_kg);
    Vec3 moments;
    Quat frame;
    mass_principal(mass->inertia_kg_m2, &moments, &frame);
    const double x = moments.x, y = moments.y, z = moments.z;
    if (!(x > 0.0 && y > 0.0 && z > 0.0) || !isfinite(x + y + z))
        return report_add(report, CLACK_STUDY,
                          "body \"%s\": inertia is not positive definite: its principal moments are %g, %g, %g "
                          "kg m2",
                          body->name, x, y, z);
    if (!mass_is_possible(moments))
        return report_add(report, CLACK_STUDY,
                          "body \"%s\": no body has this inertia: of its principal moments %g, %g, "
                          "%g kg m2 one is "
                          "greater than the sum of the others",
                          body->name, x, y, z);
    return CLACK_OK;
}

ClackStatus mass_of_body(const SceneDescription *scene, uint32_t body, MassProperties *out, ClackReport *report) {
    assert(scene != NULL && out != NULL);
    assert(body < scene->body_count);
    const SceneBody *in = &scene->bodies[body];
    *out = in->mass_kind == MASS_GIVEN ? mass_given(in) : mass_from_shapes(scene, in);
    if (in->mass_kind == MASS_TOTAL) {
        if (!(out->mass_kg > 0.0) && !in->is_fixed)
            return report_add(report, CLACK_STUDY,
                              "body \"%s\": its mass is given but not its inertia, and it has no shape with a "
                              "density to take that from",
                              in->name);
        mass_scale(out, in->mass_kg);
    }
    return in->is_fixed ? CLACK_OK : mass_check(in, out, report);
}

// --- principal axes -------------------------------------------------------------------------------

/// One Jacobi rotation in the plane (p, q): zeroes a[p][q], turns the axes in `v` with it.
static void jacobi_rotate(Matrix *a, Matrix *v, int p, int q) {
    const double element = a->at[p][q];
    if (element == 0.0) return;
    const double theta = (a->at[q][q] - a->at[p][p]) / (2.0 * element);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double kp = a->at[k][p], kq = a->at[k][q];
        a->at[k][p] = c * kp - s * kq;
        a->at[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        const double pk = a->at[p][k], qk = a->at[q][k];
        a->at[p][k] = c * pk - s * qk;
        a->at[q][k] = s * pk + c * qk;
        const double vp = v->at[k][p], vq = v->at[k][q];
        v->at[k][p] = c * vp - s * vq;
        v->at[k][q] = s * vp + c * vq;
    }
    a->at[p][q] = a->at[q][p] = 0.0;
}

static double off_diagonal(const Matrix *a) {
    return fmax(fabs(a->at[0][1]), fmax(fabs(a->at[0][2]), fabs(a->at[1][2])));
}

void mass_principal(const double inertia_kg_m2[3][3], Vec3 *out_moments, Quat *out_frame) {
    assert(out_moments != NULL && out_frame != NULL);
    Matrix a;
    memcpy(a.at, inertia_kg_m2, sizeof a.at);
    const double greatest = fmax(fabs(a.at[0][0]), fmax(fabs(a.at[1][1]), fabs(a.at[2][2])));
    *out_frame = quat_identity();
    if (off_diagonal(&a) > DIAGONAL_SHARE * greatest) {
        Matrix v = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        for (int sweep = 0; sweep < JACOBI_SWEEPS && off_diagonal(&a) > 1e-3 * REAL_EPSILON * greatest; sweep++) {
            jacobi_rotate(&a, &v, 0, 1);
            jacobi_rotate(&a, &v, 0, 2);
            jacobi_rotate(&a, &v, 1, 2);
        }
        *out_frame = mass_quat_of_matrix(v.at);
    }
    *out_moments = vec3_make(a.at[0][0], a.at[1][1], a.at[2][2]);
}
