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

typedef struct ScenePair {           // contact constants of two contact materials, unordered
    uint32_t material_a, material_b; // indices of SceneMaterial
    double restitution;
    double friction;
    double rolling;
    double speed_small_m_per_s;
    double spin_small_rad_per_s;
    double damping_max_s_per_m;
    double shear_stiffness; // of Mindlin's spring, as a share of his no-slip one; used where has_spring
    // Of NORMAL_LINEAR, in place of restitution, damping and damping_max:
    double linear_stiffness_N_per_m;
    double linear_damping_N_s_per_m; // used where
    double linear_restitution;       // is 0
    uint32_t has_spring;             // friction by Mindlin's spring instead of regularised
    uint32_t spring;                 // 0, LAW_TOTAL_SPRING or LAW_PARTIAL_SPRING; used where has_spring
    uint32_t normal_law;             // NORMAL_* of kernels/model/scene_types.h
    uint32_t damping;                // DAMPING_* of the same
    uint32_t is_observer;            // seen and recorded, without force: the numbers above are 0
    // Of contact regions, as RegionLaw of kernels/model/scene_types.h:
    double region_stiffness; // of REGION_CONSTANT, N/m^exponent
    double region_exponent;
    double region_modulus_Pa; // of REGION_VOLUME, over:
    double region_depth_m;
    double static_friction; // used where has_stiction
    double stick_speed_m_per_s;
    double viscous_N_s_per_m;
    uint32_t region_law;   // REGION_*
    uint32_t has_stiction; // friction that holds at rest
    // Of quasi-rigid bodies, as LayerLaw of kernels/model/scene_types.h:
    double layer_stiffness_N_per_m;
    double layer_damping_N_s_per_m;
    double layer_thickness_m;
    double layer_shear_stiffness_N_per_m;
    double layer_shear_damping_N_s_per_m;
    uint32_t has_layer, layer_is_hertz;
    // As EllipsoidLaw of kernels/model/scene_types.h:
    uint32_t has_ellipsoid;       // friction is over an ellipsoid, another than (1, 1, 0)
    uint32_t has_friction_axis;   // that of e_t, in the frame of:
    uint32_t axis_material;       // the body of this one of both
    double friction_ellipsoid[3]; // e_t, e_o; e_r, m. e_t, e_o 0: 1
    double friction_axis[3];      // of any length
} ScenePair;

// Default smoothing radius of shapes with edges, and its greatest share of their smallest side.
// kernels/geometry/README.md, "The reference".
#define SMOOTHING_DEFAULT_M 1.0e-3
#define SMOOTHING_SHARE_MAX 0.1

typedef struct SceneHull SceneHull;       // hull.h
typedef struct SceneMesh SceneMesh;       // mesh_table.h
typedef struct SolidMoments SolidMoments; // solid.h

typedef struct SceneShape {
    uint32_t kind; // SHAPE_* of kernels/model/scene_types.h
    uint32_t axis; // capsule, cylinder, cone, beam: 0 x, 1 y, 2 z; default z
    // sphere: diameter; box, ellipsoid: lengths x, y, z; capsule: diameter, length (cylindrical part
    // only); half-space: outward normal x, y, z, then offset along it; cylinder: diameter, length, inner
    // diameter (0: solid); cone: diameter, length, top diameter (0: a point); beam: length of the straight
    // part, width, thickness (along the axis and its first and second cyclic successor); hull: scale;
    // superquadric: lengths x, y, z
    double size_m[4];
    double exponents[2];   // of a superquadric: across z, along z; the second 0: as the first
    const SceneHull *hull; // of a hull, one of the scene's; NULL for other kinds
    const SceneMesh *mesh; // of a mesh, one of the scene's; NULL for other kinds
    const SolidMoments
        *solid; // what it weighs at scale 1: of a mesh, of a hull that stands for part of one; NULL: as the hull
    double smoothing_m;        // < 0: default of the shape; that of a hull is its own
    double contact_radius_m;   // <= 0: default of the shape
    double mesh_size_m;        // longest edge of the mesh that stands for it; 0: by default (tessellate.h)
    uint32_t has_local_radius; // the radius of contact is that of the place where it touches
    double position_m[3];      // in the body frame
    SceneRotation rotation;    // shape to body
    uint32_t material;         // solid: density
    uint32_t contact_material;
    uint32_t sides; // bits: of which sides of watched pairs it is
} SceneShape;

typedef enum MassKind {
    MASS_FROM_SHAPES, // shapes and densities
    MASS_TOTAL,       // the mass is given; centre and inertia from the shapes, scaled
    MASS_GIVEN        // mass, centre of mass and inertia given
} MassKind;

typedef struct SceneBody {
    char name[SCENE_NAME_BYTES];
    uint32_t is_fixed;
    uint32_t is_absent; // keeps its number, takes no part
    MassKind mass_kind;
    double mass_kg;
    double com_m[3];         // in the body frame
    double inertia_kg_m2[6]; // about the centre of mass, body axes: xx, yy, zz, xy, xz, yz (matrix entries)
    double position_m[3];    // of the body frame origin
    SceneRotation rotation;
    double velocity_m_per_s[3];           // of the body frame origin
    double angular_velocity_rad_per_s[3]; // world axes
    uint32_t shape_first, shape_count;
    uint32_t groups, ignores;            // bit masks: collision groups it is of; groups it never touches, both ways
    uint32_t motion_first, motion_count; // of a fixed one that moves as given: its functions, after a row that counts
                                         // theirs (kernels/model/driven_body.h); count 0: it stays
} SceneBody;

typedef struct SceneJoint { // between two different bodies, at least one of them free
    char name[SCENE_NAME_BYTES];
    uint32_t kind;           // JOINT_* of kernels/model/scene_types.h
    uint32_t body_a, body_b; // indices of SceneBody
    double at_m[2][3];       // its points of both at the start, in the world
    double stiffness_N_per_m;
    double damping_N_s_per_m;
    double rest_length_m; // < 0: the distance of the points at the start; of JOINT_DISTANCE its length there
    // Of constraints:
    double axis[2][3];          // in the world at the start, of any length; the second of JOINT_UNIVERSAL, or
    uint32_t has_two_axes;      // the axis as B has it, slightly off; else both are the same
    double length_rate_m_per_s; // of JOINT_DISTANCE: its length changes at this rate
    double length_until_s;      // up to this time
    uint32_t is_rope;           // JOINT_DISTANCE that pulls only
    uint32_t has_limits;        // of the angle of JOINT_REVOLUTE, of the travel of JOINT_PRISMATIC and _CYLINDRICAL:
    double limits[2];           // lowest and highest, rad or m, 0 at the start
    uint32_t touches;           // its bodies touch each other as others do; those of a spring always do
    uint32_t drive_first, drive_count; // functions: of the angle, the travel or the length over time; count 0: none. Of
                                       // JOINT_LOAD force, then moment
    uint32_t axes;                     // JOINT_LOAD: 0 or JOINT_AXES_OF_*
    uint32_t is_at_centre;             // JOINT_LOAD: acts at the centre of mass, not at at_m[1]
} SceneJoint;

typedef struct SceneFunction { // one row of a function of time, as FunctionRow of kernels/model/scene_types.h
    double value;              // of FUNCTION_CONSTANT and FUNCTION_POINT
    double time_s, slope;      // of FUNCTION_POINT
    uint32_t code, count;
} SceneFunction;

#define METHOD_EVENTS 0u
#define METHOD_RK4 1u
#define METHOD_TRAPEZOIDAL 2u
#define METHOD_QUASI_RIGID 3u

typedef struct SceneDescription {
    double gravity_m_per_s2[3];
    uint32_t has_point_gravity;        // towards a point, a = -k (r - c) / |r - c|^3; the above is 0
    double gravity_strength_m3_per_s2; // k
    double gravity_centre_m[3];        // c
    double reduction;                  // k_red
    uint32_t compat_modia3d;
    uint32_t single_contact;
    // solver
    uint32_t method;  // METHOD_*
    uint32_t use_mpr; // narrow phase
    uint32_t until_rest;
    uint32_t no_freeze;
    uint32_t is_midpoint; // of METHOD_QUASI_RIGID: theta is 0.5, not 1
    double step_s;
    double end_s;
    double tolerance;    // relative, error-controlled contact substeps
    double graded_steps; // n of graded substeps, rounded to an integer when staged
    double mpr_tolerance;
    double work_limit;     // most work per free body and millisecond, on average (stage_work_limit)
    double mpr_iterations; // rounded when staged
    uint32_t material_count, pair_count, shape_count, body_count, hull_count, solid_count, mesh_count, joint_count;
    uint32_t function_count;
    SceneMaterial *materials; // (material_count): those the scene's shapes use, in order of first use
    ScenePair *pairs;         // (pair_count): one row for each pair of contact materials that may touch
    SceneShape *shapes;       // (shape_count), grouped by body
    SceneBody *bodies;        // (body_count), in the order of the study file
    SceneJoint *joints;       // (joint_count), in the order of the study file
    SceneFunction *functions; // (function_count), rows of all functions of time, one after the other
    SceneHull **hulls;        // (hull_count): shared by all scenes of a study, which owns them
    SolidMoments **solids;    // (solid_count): so are these
    SceneMesh **meshes;       // (mesh_count): and these
    uint32_t is_left_out;     // what was drawn makes no scene: none of its bodies takes part (sample_nothing)
} SceneDescription;

/// Whether two different bodies may ever touch: not both are fixed, and neither ignores the other.
static inline int scene_may_touch(const SceneDescription *scene, uint32_t a, uint32_t b) {
    const SceneBody *one = &scene->bodies[a], *other = &scene->bodies[b];
    if (one->is_fixed && other->is_fixed) return 0;
    return (one->groups & other->ignores) == 0;
}

#endif
