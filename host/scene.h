// A scene as the user describes it: user frames, SI units, every number known. One sampled instance
// of a study. `stage` turns it into what kernels read.
#ifndef CLACK_SCENE_H
#define CLACK_SCENE_H

#include <stdint.h>

#define SCENE_NAME_BYTES 64

typedef enum RotationKind {
    ROTATION_NONE,       // identity
    ROTATION_QUATERNION, // value: w, x, y, z; any non-zero length
    ROTATION_CARDAN,     // value: a, b, c; R(parent -> body) = R3(c) R2(b) R1(a)
    ROTATION_AXIS_ANGLE  // value: axis x, y, z (any non-zero length), angle
} RotationKind;

typedef struct SceneRotation {
    RotationKind kind;
    double value[4]; // rad
} SceneRotation;

typedef struct SceneMaterial {
    char name[SCENE_NAME_BYTES];
    double young_Pa;
    double poisson;
    double density_kg_per_m3;
} SceneMaterial;

typedef struct ScenePair { // contact constants of two contact materials, unordered
    uint32_t material_a, material_b; // indices of SceneMaterial
    double restitution;
    double friction;
    double rolling;
    double speed_small_m_per_s;
    double spin_small_rad_per_s;
    double damping_max_s_per_m;
    uint32_t damping; // DAMPING_* of kernels/scene_types.h
} ScenePair;

typedef struct SceneShape {
    uint32_t kind; // SHAPE_* of kernels/scene_types.h
    uint32_t axis; // capsule, cylinder, cone, beam: 0 x, 1 y, 2 z; default z
    // sphere: diameter; box, ellipsoid: lengths x, y, z; capsule: diameter, length (cylindrical part
    // only); half-space: outward normal x, y, z, then offset along it; cylinder: diameter, length, inner
    // diameter (0: solid); cone: diameter, length, top diameter (0: a point); beam: length of the straight
    // part, width, thickness (along the axis and its first and second cyclic successor)
    double size_m[4];
    double smoothing_m;      // < 0: default of the shape
    double contact_radius_m; // <= 0: default of the shape
    double position_m[3];    // in the body frame
    SceneRotation rotation;  // shape to body
    uint32_t material;       // solid: density
    uint32_t contact_material;
} SceneShape;

typedef enum MassKind {
    MASS_FROM_SHAPES, // shapes and densities
    MASS_TOTAL,       // the mass is given; centre and inertia from the shapes, scaled
    MASS_GIVEN        // mass, centre of mass and inertia given
} MassKind;

typedef struct SceneBody {
    char name[SCENE_NAME_BYTES];
    uint32_t is_fixed;
    MassKind mass_kind;
    double mass_kg;
    double com_m[3];          // in the body frame
    double inertia_kg_m2[6];  // about the centre of mass, body axes: xx, yy, zz, xy, xz, yz (matrix entries)
    double position_m[3];     // of the body frame origin
    SceneRotation rotation;
    double velocity_m_per_s[3];           // of the body frame origin
    double angular_velocity_rad_per_s[3]; // world axes
    uint32_t shape_first, shape_count;
} SceneBody;

typedef struct SceneDescription {
    double gravity_m_per_s2[3];
    double reduction;  // k_red
    uint32_t compat_modia3d;
    uint32_t single_contact;
    // solver
    uint32_t use_rk4;
    uint32_t use_mpr;       // narrow phase
    uint32_t until_rest;
    uint32_t no_freeze;
    double step_s;
    double end_s;
    double tolerance;       // relative, error-controlled contact substeps
    double graded_steps;    // n of graded substeps, rounded to an integer when staged
    double mpr_tolerance;
    double mpr_iterations;  // rounded when staged
    uint32_t material_count, pair_count, shape_count, body_count;
    SceneMaterial *materials; // (material_count): those the scene's shapes use, in order of first use
    ScenePair *pairs;         // (pair_count): one row for each pair of contact materials that may touch
    SceneShape *shapes;       // (shape_count), grouped by body
    SceneBody *bodies;        // (body_count), in the order of the study file
} SceneDescription;

#endif
