// Every struct that crosses the bus, with sizes asserted on both sides, and the codes they hold.
// SI units; world axes unless said otherwise. Lengths of arrays are in comments: (n_scene, n_body).
#ifndef CLACK_MODEL_SCENE_TYPES_H
#define CLACK_MODEL_SCENE_TYPES_H

#include "base/build.h"
#include "base/vec_types.h"

// --- shapes -----------------------------------------------------------------------------------
// Local frames: at the centre, but the cone's at the centre of its base with the top at +length; the
// axis is always local z. Half-space: solid below its local plane z = 0, outward normal = local z.
#define SHAPE_SPHERE 1u     // size_m: radius
#define SHAPE_BOX 2u        // size_m: half lengths x, y, z of the sharp box
#define SHAPE_CAPSULE 3u    // size_m: radius, half length of the cylindrical part
#define SHAPE_HALF_SPACE 4u // size_m: unused
#define SHAPE_ELLIPSOID 5u  // size_m: half lengths x, y, z; not all equal (that is a sphere)
#define SHAPE_CYLINDER 6u   // size_m: radius, half length; a tube collides as the solid cylinder
#define SHAPE_CONE 7u       // size_m: radius of the base, length, radius of the top (less; 0: a cone)
// Straight along local z, half cylinders at both ends whose axes are local y.
#define SHAPE_BEAM 8u // size_m: half straight length (z), half width (x), half thickness (y)
#define SHAPE_HULL 9u // size_m: scale. Hull of the vertices of its rows of hulls; origin at its centre of volume
// A closed surface of triangles, whose number among the meshes is hull_first. It has contact regions, and nothing else.
#define SHAPE_MESH 10u // size_m: half lengths x, y, z of a box about its origin that holds it
// size_m: half_m x, y, z, p and q of geometry/superquadric.h; smoothing_m: of a ball that fits inside everywhere
#define SHAPE_SUPERQUADRIC 11u

#define SHAPE_FLAT 1u    // flags: flat in the sense of the contact radius rule
#define SHAPE_ALIGNED 2u // its axes are those of its body
#define SHAPE_LOCAL 4u   // its radius of contact is that at the contact point
// From this bit on: the sides it belongs to, sets of shapes between which contacts are watched.
#define SHAPE_SIDE_SHIFT 8u
#define SHAPE_SIDES_MAX 24u

typedef struct Shape { // (n_shape): constant
    // Members that closed forms read are adjacent: cache misses cost them more than arithmetic.
    u32 kind;              // SHAPE_*
    u32 flags;             // SHAPE_FLAT, SHAPE_ALIGNED, SHAPE_LOCAL, sides
    real size_m[5];        // by kind, see above
    real smoothing_m;      // radius of the smoothing ball (shapes with edges); 0: none
    Vec3 position_m;       // shape origin in the principal frame of its body
    Quat orientation;      // shape to principal frame of its body
    real contact_radius_m; // r of the contact law
    real bound_radius_m;   // farthest point from the shape origin; REAL_HUGE for a half-space
    u32 body;              // index within the scene
    u32 material;          // contact material, index within the scene
    u32 hull_first;        // first row of a hull
    u32 hull_vertices;     // number of vertices of its core
    u32 hull_faces;        // triangles of its core and
    u32 hull_edges;        // edges, if known: 0 for sharp and for large hulls
} Shape;
ASSERT_SIZE(Shape, 152);

// Vertices of a block; the last block of a hull may have fewer. Support points of random directions, one core of an AMD
// EPYC, 64 / 512 / 4096 vertices: all vertices 54 / 435 / 3601 ns, blocks of 16: 70 / 250 / 1387, of 32: 60 / 251 /
// 1074, of 64: 50 / 275 / 1060. Within a search mispredicted blocks cost more: a ball on a hull of 64 vertices takes
// 3,900 cycles with blocks of 8, 2,900 with 16 or 32, 1,400 with 64.
#define HULL_BLOCK 64u
// Vertices of a hull with several contacts; a larger one has a single one, with solids and with half-spaces.
#define MANIFOLD_HULL_MAX 64u

// One list for all scenes of a study, hull after hull, at scale 1. Of each hull, in this order:
//   a ball about every block of vertices
//   vertices      those of one block lie near each other
//   triangles     two rows each: unit normal out of it and height of its plane; numbers of its corners
//   edges         between triangles of different planes, two rows each: for each triangle the limit of the edge's
//                 normals, and the number of one end
//   map           see below
// A limit is across the edge and at right angles to the triangle's normal, towards the other one's, and 1 / the sine of
// the angle between them long (that of an acute one), so that normals of the edge have components >= 0 along both. The
// map: of directions with |x| + |y| + |z| = 1, first those with z >= 0, then the others, for each square cell of x and
// y, row after row, the numbers of the vertices that may be farthest in one of them, or less far by HULL_NEAR of the
// hull's radius, of 16 bits, the lower 8 first, in order; if they are fewer, the last one is repeated, if they are
// more, HULL_CELL_FULL.
typedef struct HullRow { // (n_hull_row)
    Vec3 at_m;           // vertex, or centre of the ball, from the hull's origin
    real reach_m;        // radius of the ball, rounding allowed for; 0 for a vertex
} HullRow;
ASSERT_SIZE(HullRow, 32);
#define HULL_CELL_VERTICES 8u
#define HULL_CELL_BYTES 16u
#define HULL_NEAR 1.0e-5
#define HULL_CELL_FULL 0xffffu
#define HULL_MAP_LEAST 17u // vertices; with fewer all are tested

FN_SHORT u32 hull_blocks(u32 vertices) { return (vertices + HULL_BLOCK - 1) / HULL_BLOCK; }

/// Cells along a side of the map, a power of 2; 0: a hull with so many vertices has none.
FN_SHORT u32 hull_map_side(u32 vertices) {
    u32 side = 16;
    if (vertices < HULL_MAP_LEAST) return 0;
    while (side * side < 4u * vertices) side *= 2u;
    return side;
}

// --- contact law ------------------------------------------------------------------------------
#define NORMAL_HERTZ 0u  // normal force laws: K delta^1.5 (1 + d u),
#define NORMAL_LINEAR 1u // k delta + c u

#define DAMPING_NONE 0u // kinds of d
#define DAMPING_FLORES 1u
#define DAMPING_HUNT_CROSSLEY 2u
#define DAMPING_LANKARANI_NIKRAVESH 3u
#define DAMPING_HU_GUO 4u
#define DAMPING_HERBERT_MCWHANNELL 5u
#define DAMPING_LEE_WANG 6u
#define DAMPING_GONTHIER 7u
#define DAMPING_EXACT 8u

#define LAW_OBSERVER 1u       // flags: recorded, without force
#define LAW_TOTAL_SPRING 2u   // the tangential spring pulls with k_t times the whole slip (mindlin_spring.h)
#define LAW_PARTIAL_SPRING 4u // it slips part by part
#define LAW_ELLIPSOID 8u      // friction is over an ellipsoid (ellipsoid_friction.h), another than (1, 1, 0)
#define LAW_LAYER 16u         // quasi-rigid bodies with a layer between them (quasi_law.h)

typedef struct EllipsoidLaw { // friction by direction, and about the normal
    real e[3];                // e_t, e_o, and e_r, m: along two axes across the normal, and about it
    Vec3 axis;                // unit: that of e_t, in the user's frame of the body of this material; 0: any
    u32 axis_material;
    u32 has_axis;
} EllipsoidLaw;
ASSERT_SIZE(EllipsoidLaw, 56);

typedef struct MaterialPairLaw { // (n_law) = per scene a full table (n_material, n_material): constant
    real modulus_Pa;             // k_red c_1 c_2 / (c_1 + c_2), c = E / (1 - nu^2)
    real restitution;            // coefficient of restitution wanted, 0..1
    real friction;               // coefficient of sliding friction
    real rolling;                // coefficient of rolling resistance
    real speed_small_m_per_s;    // v_small: regularises slip, and restitution is 0 below it
    real spin_small_rad_per_s;   // w_small
    real damping_max_s_per_m;    // d_max
    real shear;                  // tangential stiffness over K sqrt(delta); 0: regularised friction, no spring
    real stiffness_N_per_m;      // k, and
    real dashpot_N_s_per_m;      // c of NORMAL_LINEAR; c of
    real damping_ratio;          // 2 ratio sqrt(k m), m the contact's effective mass, where this is > 0
    u32 damping;                 // DAMPING_*
    u32 flags;                   // LAW_*
    u32 normal_law;              // NORMAL_*
    u32 reserved;
    EllipsoidLaw ellipsoid; // of LAW_ELLIPSOID, and of all quasi-rigid contacts
} MaterialPairLaw;
ASSERT_SIZE(MaterialPairLaw, 160);

// Elastic forces of a contact region, for a depth d, an area A and a volume V of the overlap:
#define REGION_HERTZ 0u    // 4/3 E* sqrt(R*) d^1.5, R* = A / (2 pi d)
#define REGION_CONSTANT 1u // k d^e
#define REGION_VOLUME 2u   // modulus / depth V

// The layer between quasi-rigid bodies (law/quasi_law.h).
typedef struct LayerLaw { // (n_law), as MaterialPairLaw: constant
    real stiffness;       // K, N/m; of hertz each contact's own
    real damping;         // C, N s/m
    real thickness_m;     // d_max
    real shear_stiffness; // across the normal: 0: rigid there
    real shear_damping;
    u32 has_layer, is_hertz;
} LayerLaw;
ASSERT_SIZE(LayerLaw, 48);

typedef struct RegionLaw {    // (n_law), as MaterialPairLaw: constant. What contacts have beside under other schemes
    real stiffness;           // k, N/m^e; or modulus over depth, Pa/m
    real exponent;            // e
    real static_friction;     // of stiction: most that sticking carries, over the normal force
    real stick_speed_m_per_s; // up to which it sticks rather than slides
    real viscous_N_s_per_m;   // of either friction law
    real shear;               // of stiction: tangential stiffness over the slope of the elastic force
    u32 law;                  // REGION_*
    u32 has_stiction;         // friction that holds at rest (law/stiction.h)
    LayerLaw layer;           // of quasi-rigid contacts, which have nothing else of these
} RegionLaw;
ASSERT_SIZE(RegionLaw, 104);

// --- bodies -----------------------------------------------------------------------------------
#define BODY_FIXED 1u
#define BODY_ABSENT 4u  // fixed too: not in this scene, touches nothing
#define BODY_ROUND 2u   // every shape is a sphere about the centre of mass: rotation moves no gap
#define BODY_BALL 8u    // round, and with the same moment of inertia about all axes
#define BODY_DRIVEN 16u // fixed, and moves as given over time (model/driven_body.h)

typedef struct Body {  // (n_body): constant, by sectors as Scene. Its frame: the principal frame at the centre of mass
    u32 flags;         // BODY_*
    u32 groups;        // bit mask: its collision groups
    real inverse_mass; // 1/kg, 0 for a fixed body
    real radius_m;     // farthest point of its shapes from the centre of mass (without half-spaces)
    real mass_kg;      // 0 for a fixed body
    Vec3 inverse_inertia; // 1/(kg m^2), 0 for a fixed body
    Vec3 inertia_kg_m2;   // principal moments
    u32 shape_first;      // index within the scene; a body's shapes are consecutive
    u32 shape_count;
    Vec3 origin_m; // origin of the user's body frame, in the principal frame
    Quat frame;    // user's body frame to principal frame
    u32 ignores;   // bit mask: groups whose bodies it never touches
    u32 motion;    // with BODY_DRIVEN: row of the scene's functions whose `count` rows after it give its motion
    u32 reserved[2];
} Body;
ASSERT_SIZE(Body, 160);

typedef struct BodyState { // (n_body), also a frame of a trajectory (n_frame, n_body)
    Vec3 position_m;       // centre of mass
    Quat orientation;      // principal frame to world
    Vec3 velocity_m_per_s; // centre of mass
    Vec3 spin_rad_per_s;   // in principal axes; of balls, for which all axes are principal, in world axes
} BodyState;
ASSERT_SIZE(BodyState, 104);

// --- functions of time -------------------------------------------------------------------------
//
// Codes of their rows, in postfix order; those of operations are those of expressions (host/scene/expression.h).
#define FUNCTION_CONSTANT 0u
#define FUNCTION_TIME 1u
#define FUNCTION_NEGATE 2u
#define FUNCTION_ADD 3u
#define FUNCTION_SUBTRACT 4u
#define FUNCTION_MULTIPLY 5u
#define FUNCTION_DIVIDE 6u
#define FUNCTION_POWER 7u
#define FUNCTION_SQRT 8u
#define FUNCTION_ABS 9u
#define FUNCTION_MIN 10u
#define FUNCTION_MAX 11u
#define FUNCTION_SIN 12u
#define FUNCTION_COS 13u
#define FUNCTION_TAN 14u
#define FUNCTION_ASIN 15u
#define FUNCTION_ACOS 16u
#define FUNCTION_ATAN 17u
#define FUNCTION_ATAN2 18u
#define FUNCTION_EXP 19u
#define FUNCTION_LOG 20u
#define FUNCTION_FLOOR 21u
#define FUNCTION_CEIL 22u
#define FUNCTION_LESS 23u
#define FUNCTION_LESS_EQUAL 24u
#define FUNCTION_GREATER 25u
#define FUNCTION_GREATER_EQUAL 26u
#define FUNCTION_EQUAL 27u
#define FUNCTION_NOT_EQUAL 28u
#define FUNCTION_TABLE 29u // `count` rows follow, its points
#define FUNCTION_POINT 30u
#define FUNCTION_NONE 31u       // nothing: what was constant has been folded
#define FUNCTION_DEPTH_MAX 12u  // values that wait for their operation
#define FUNCTION_VALUES_MAX 10u // functions one after the other, each of which leaves its value

typedef struct FunctionRow { // (n_function): constant
    real value;              // of a constant, or of a point
    real time_s, slope;      // of a point: cubic pieces from one to the next
    u32 code;                // FUNCTION_*
    u32 count;
} FunctionRow;
ASSERT_SIZE(FunctionRow, 32);

typedef struct TimeValue { // a value at a time, with its derivatives
    real value, rate, second_derivative;
} TimeValue;

/// Does an operation take two values, rather than one?
FN_SHORT u32 function_takes_two(u32 code) {
    return (code >= FUNCTION_ADD && code <= FUNCTION_POWER) || code == FUNCTION_MIN || code == FUNCTION_MAX ||
                   code == FUNCTION_ATAN2 || (code >= FUNCTION_LESS && code <= FUNCTION_NOT_EQUAL)
               ? 1u
               : 0u;
}

// --- joints -----------------------------------------------------------------------------------
#define JOINT_LOAD 0u          // a force and a moment over time on B, and the opposite ones on A (joints/load.h)
#define JOINT_SPRING_DAMPER 1u // a spring and a dashpot along the line between two points
// Constraints (joints/constraint.h), with SCENE_TRAPEZOIDAL only:
#define JOINT_FIXED 2u       // no relative motion
#define JOINT_REVOLUTE 3u    // rotation about the axis
#define JOINT_PRISMATIC 4u   // sliding along the axis
#define JOINT_CYLINDRICAL 5u // both
#define JOINT_UNIVERSAL 6u   // rotation about an axis of each body, which stay perpendicular
#define JOINT_SPHERICAL 7u   // all rotations
#define JOINT_DISTANCE 8u    // the points stay a given length apart, which may change with time

// Joint.flags
#define JOINT_IS_ROPE 1u    // JOINT_DISTANCE that pulls only: the points are at most the length apart
#define JOINT_HAS_LIMITS 2u // JOINT_REVOLUTE: of its angle; JOINT_PRISMATIC, JOINT_CYLINDRICAL: of its travel
#define JOINT_TOUCHES 8u    // its bodies touch each other
#define JOINT_IS_DRIVEN 4u  // that angle or travel, or the length of JOINT_DISTANCE, is a function of time
#define JOINT_AXES_OF_A 16u // JOINT_LOAD: its axes go with A, or with
#define JOINT_AXES_OF_B 32u // B; else they are those of the world

typedef struct Joint {      // (n_joint): constant. Its bodies are different, are in the scene, and not both fixed
    Vec3 at_a_m, at_b_m;    // its points, in the principal frames of its bodies
    real stiffness_N_per_m; // >= 0
    real damping_N_s_per_m; // >= 0
    real rest_length_m;     // >= 0: of the spring without force; of JOINT_DISTANCE > 0, the length at t = 0, and:
    real length_rate_m_per_s, length_until_s; // rate of the length up to this time, from where on it stays
    real limit_low, limit_high; // with JOINT_HAS_LIMITS: of the angle (rad) or of the travel (m), 0 at t = 0
    Quat frame_a, frame_b; // axes of a constraint, or of a load, in the principal frames; they coincide in the world at
                           // t = 0. z: its axis, of JOINT_UNIVERSAL that of A; x: of JOINT_UNIVERSAL the axis of B
    u32 kind;              // JOINT_*
    u32 body_a, body_b;    // within the scene
    u32 number;            // in the study
    u32 flags;             // JOINT_IS_*, JOINT_HAS_*
    u32 drive_first, drive_count; // rows of the scene's functions: of the angle, the travel or the length over time; of
                                  // a load of three components of its force, then of its moment
    u32 reserved;
} Joint;
ASSERT_SIZE(Joint, 200);

// --- scene ------------------------------------------------------------------------------------
#define SCENE_COMPAT_MODIA3D (1u & BUILD_FLAGS)  // the reference's quirks: distance / x_max, no max(0, .), its epsilons
#define SCENE_SINGLE_CONTACT 2u                  // one contact per pair of shapes
#define SCENE_NO_FREEZE (4u & BUILD_FLAGS)       // bodies at rest are integrated for ever
#define SCENE_RK4 (8u & BUILD_FLAGS)             // plain fixed steps, events not located
#define SCENE_UNTIL_REST (16u & BUILD_FLAGS)     // finished when every free body is frozen
#define SCENE_NARROW_MPR (32u & BUILD_FLAGS)     // the narrow phase is MPR, except for two spheres and half-spaces
#define SCENE_POINT_GRAVITY (64u & BUILD_FLAGS)  // gravity towards a point instead of a uniform one
#define SCENE_OBSERVERS (128u & BUILD_FLAGS)     // some law is LAW_OBSERVER
#define SCENE_SPRINGS (256u & BUILD_FLAGS)       // some law has a tangential spring
#define SCENE_LOCAL_RADIUS (512u & BUILD_FLAGS)  // some shape is SHAPE_LOCAL
#define SCENE_LINEAR (1024u & BUILD_FLAGS)       // some law is NORMAL_LINEAR
#define SCENE_TRAPEZOIDAL (2048u & BUILD_FLAGS)  // steps by the trapezoidal rule, with joints as constraints
#define SCENE_TIMED (4096u & BUILD_FLAGS)        // has loads, or bodies that move as given over time
#define SCENE_QUASI_RIGID (8192u & BUILD_FLAGS)  // implicit steps with contacts of quasi-rigid bodies
#define SCENE_ELLIPSOIDS (16384u & BUILD_FLAGS)  // some law is LAW_ELLIPSOID
#define SCENE_MIDPOINT (32768u & BUILD_FLAGS)    // steps of SCENE_QUASI_RIGID are of second order (quasi_midpoint.h)
#define PAIR_LAYER 65536u                        // beside these, of a pair: its law is LAW_LAYER
#define SCENE_NET_FORCES (131072u & BUILD_FLAGS) // some Watch is of a net force (stepper/net_force.h)

typedef struct Scene { // (n_scene): constant. What is read together lies together, by sectors of 32 bytes
    u32 flags;         // SCENE_*
    u32 body_count, joint_count;
    u32 watch_count; // the study's Watches
    real step_s;     // outer step
    real end_s;
    Vec3 gravity_m_per_s2;                    // 0 with SCENE_POINT_GRAVITY
    real tolerance;                           // relative local error of error-controlled contact substeps
    u32 body_first, shape_first, shape_count; // ranges in the arrays of the batch
    u32 law_first, extreme_first;             // (the scene's rows of Extreme)
    u32 frame_first;                          // in frames times bodies: index of the first BodyState
    u32 joint_first, function_first;
    real contacts_every_s;            // interval of recorded contacts; 0: none
    real work_limit;                  // upper limit of Progress.work
    u32 graded_steps, mpr_iterations; // n of the graded substeps; limit
    u32 material_count, absent_count; // the second: bodies that are not in this scene
    Vec3 gravity_centre_m;            // with SCENE_POINT_GRAVITY c and
    real gravity_strength_m3_per_s2;  // k of a = -k (r - c) / |r - c|^3
    real record_every_s;              // interval of frames; 0: none
    u32 frame_capacity;               // their number
    u32 function_count;
    real mpr_tolerance; // relative
    real assembled_m;   // for the host: by which bodies were moved at most, so that joints hold at the start,
    real misfit_m;      // and by how much joints that say the same twice were off even then
    u32 reserved[6];
} Scene;
ASSERT_SIZE(Scene, 224);

// --- slots: where a device steps scenes, one after the other -----------------------------------------
//
// Data that a scene needs only while it is stepped belong to a slot. There are as many as the device works on at once;
// a slot whose scene has ended takes up the next scene of the batch, so that a long scene delays no other.
typedef struct SlotRoom { // rows of its lists: the most that a scene of the batch needs
    u32 bodies, shapes, candidates, contacts;
    u32 events, rows; // events and recorded contacts between two visits of the host
    u32 numbers;      // for the matrices of islands
    u32 regions;      // contact regions of a pair of surfaces at the same time,
    u32 segments;     // segments of their contours, and
    u32 vertices;     // vertices within the other solid; these two are powers of 2. 0: there are no meshes
} SlotRoom;

typedef struct Slots { // (1)
    u32 next;          // next scene of the batch to be taken up
    u32 done;          // scenes that have ended,
    u32 again;         // those to be run again: with more room, or by the second build
    u32 scene_count;
    u32 count;        // of slots
    u32 parts;        // scenes taken up one after the other lie in so many parts of the batch
    u32 slice_passes; // passes after which a work-item with several slots goes on to the next one
    u32 side_by_side; // slots that a work-item holds at most: at the end of a batch few are left, for all of them
    SlotRoom room;
} Slots;
ASSERT_SIZE(Slots, 72);

typedef struct Slot { // (n_slot)
    u32 scene;        // within the batch; NONE: none
    u32 event_count;  // rows in its lists; the host sets them to 0 when drained
    u32 row_count;
    u32 moving_count;       // what takes part in the present step (active.h): bodies,
    u32 active_count;       // contacts
    u32 live_count;         // and candidates
    u32 passes;             // left in this launch
    u32 is_taken;           // 1: a work-item works on it
    real damping_limit;     // for its scene's uncontrolled steps (step_plan.h)
    real solvable_s;        // how long steps with contact regions may be (region_steps.h); 0: as long as they like
    real residual_m_per_s;  // of the step just tried, where it was taken with the geometry of its start; else 0
    real multiplier_share;  // QuasiNumbers.epsilon of the present iteration
    real before_s;          // of SCENE_MIDPOINT: length of the step before, 0 at the start
    real loose_most_s;      // longest step with contact regions that may be taken with those of its start
    real unbalanced;        // energy that did not balance when the present step was last tried, as a share; 0: it did
    u32 needs_second_build; // 1: its scene needs the second build (build.h)
    u32 has_near;           // 1: the candidates of each body are listed (interaction_groups.h)
    u32 close_count;        // candidates in its CLOSE_LIST; NONE: not made yet
    u32 short_of;           // CAPACITY_*: regions of a pair found no room, and
    u32 short_wanted;       // wanted so much
    u32 engulfed;           // 1: a surface lies within another solid
    u32 regions_are;        // REGIONS_* of model/region_types.h
    u32 is_loose;           // 1: the step just tried has the contact regions of its start
    u32 loose_left;         // steps that are taken so without trying whether they need it,
    u32 loose_tries;        // and how often in succession trying was in vain
    u32 contradicts, region_work; // 1: equations of the step just tried do; work of region queries, not counted yet
    u32 reserved[6];
} Slot;
ASSERT_SIZE(Slot, 160);

// Status of a scene; the first below are also the ensemble file's `status` (host/record/README.md).
#define STATUS_OK 0u
#define STATUS_NOT_RUN 1u
#define STATUS_NOT_FINITE 2u
#define STATUS_STEP_LIMIT 3u
#define STATUS_STEP_UNDERFLOW 4u
#define STATUS_EVENT_LIMIT 5u
#define STATUS_NOT_BRACKETED 6u
#define STATUS_CAPACITY 7u // never seen by users unless memory ends: the host re-runs with more room
#define STATUS_DEVICE_ERROR 8u
#define STATUS_INTERRUPTED 9u
#define STATUS_COINCIDENT 10u // centres of two shapes coincide: no normal
#define STATUS_NOT_STAGED 11u // its sampled values make no scene; never seen by kernels
#define STATUS_NOT_SOLVED 12u // the equations of a step had no solution that Newton's method found
#define STATUS_DEEP_START 13u // quasi-rigid bodies start within each other
#define STATUS_RUNNING 100u
#define STATUS_ROWS_FULL 101u    // the host drains events and recorded contacts and launches again
#define STATUS_SECOND_BUILD 102u // the host runs the scene again by the second build (build.h)

#define FLAG_LATE_BEGIN 1u              // a contact began already deeper than the event tolerance
#define FLAG_EVENT_ORDER 2u             // reserved, not set: the order of near-simultaneous events could not be settled
#define FLAG_MPR_FALLBACK 4u            // MPR did not converge: best portal used
#define FLAG_GAP_OPEN 8u                // reserved, not set: narrow phase not certified
#define FLAG_DEEP_START 16u             // initial overlap deeper than 10 % of the smaller shape
#define FLAG_ENERGY_DRIFT 32u           // energy audit beyond 1e-3, where steps are solved 1e-2
#define FLAG_FROZEN 64u                 // some body was frozen at rest at the end
#define FLAG_REJECTS 128u               // reserved, not set: substeps were cut to their lower bound and accepted
#define FLAG_LARGE_ISLAND 256u          // more bodies joined by couplings than implicit steps take: explicit ones
#define FLAG_DEEP_CONTACT 512u          // an overlap was deeper than 10 % of the smaller shape: no law holds there
#define FLAG_OPEN_CONTOUR 1024u         // a contour of a contact region did not close
#define FLAG_ENGULFED 2048u             // a surface lay within another solid: there is no force
#define FLAG_COARSE_MESH 4096u          // a region was less than three edges of a curved surface in radius
#define FLAG_REACTIONS_NOT_UNIQUE 8192u // at the start constraints say something twice: other forces fit as well
#define FLAG_ASSEMBLED 16384u       // bodies were moved before the start, so that joints hold (host/scene/assembly.h)
#define FLAG_START_IMPACT 32768u    // constraints took more than 1 % of the energy from initial velocities
#define FLAG_LOOSE_TOLERANCE 65536u // some steps were taken with the contact geometry of their start
#define FLAG_MOMENTUM_DRIFT 131072u // momentum audit beyond 1e-3

typedef struct Progress { // (n_scene): where a scene stands, by sectors as Scene; written by `advance`
    real offset_s;        // time = step_index * step_s + offset_s
    real work;      // forces of contacts, distance queries, bodies moved by steps that were tried, candidates listed
    u32 step_index; // outer steps done
    u32 status;     // STATUS_*
    u32 gap_index;  // index of the gaps at the present state
    u32 group;      // of bodies that is being stepped; NONE: all together
    real ended_s;   // as offset_s, when ends of outer steps were last handled; < 0: some have been passed since
    u32 flags;      // FLAG_*
    u32 known;      // what `advance` has set up so far (KNOWN_*)
    u32 candidate_count;
    u32 contact_count;    // rows of the list: joints, contacts, those of observer pairs included
    u32 event_count;      // rows in its slot now
    u32 frame_count;      // frames written since the start
    u32 flight_steps;     // outer steps that a long flight may cover at once; 0: to be chosen again
    u32 forces;           // forces of single contacts evaluated
    u32 evaluations;      // force evaluations of all active contacts
    u32 distance_queries; // of pairs without a contact: narrow phases
    u32 free_count;       // bodies that are not fixed
    u32 substeps;         // accepted
    u32 step_substeps;    // since ends of outer steps were last handled
    u32 step_events;      // event rows since then
    real window_start_s;  // offsets of a window, in which groups are stepped one after the other:
    real window_end_s;    // start and end
    u32 window_known;     // what is known of all groups
    u32 window_steps;     // length of the next window, in steps of the island with the shortest
    u32 record_count;     // times at which contacts were recorded since the start
    u32 observer_count;   // contacts of observer pairs
    real energy_start_J;  // mechanical, elastic included
    real energy_scale_J;  // largest mechanical energy seen
    real dissipated_J;
    real given_J;                        // work of forces, driven bodies and joints' motions over time on the bodies
    real max_penetration_m;              // located in time
    real error_sum_m_per_s;              // sum of embedded velocity errors of accepted substeps
    Vec3 momentum_N_s;                   // given to bodies, without weights and lasting contacts (observe_momentum)
    real momentum_scale_N_s;             // largest momenta and impulses of weights
    real momentum_drift;                 // relative
    real energy_drift;                   // relative, dissipated work included
    u32 contacts_max, event_total;       // at the same time, which the host counts; since the start
    u32 rejects, resteps;                // steps rejected; taken again to locate events
    u32 capacity_wanted, capacity_which; // rows needed by the list that overflowed; CAPACITY_*
    u32 row_count;                       // recorded contacts in its slot now
    u32 loose_steps;                     // taken with the geometry of their start (FLAG_LOOSE_TOLERANCE)
} Progress;
ASSERT_SIZE(Progress, 256);
#define CAPACITY_CANDIDATES 1u
#define CAPACITY_CONTACTS 2u
#define CAPACITY_EVENTS 3u
#define CAPACITY_ROWS 4u
#define CAPACITY_REGIONS 5u
#define CAPACITY_SEGMENTS 6u
#define CAPACITY_VERTICES 7u

// --- events -----------------------------------------------------------------------------------
#define EVENT_BEGIN 0u
#define EVENT_END 1u
#define EVENT_REST 2u
#define EVENT_WAKE 3u

typedef struct Event { // (n_slot, room.events)
    real time_s;
    Vec3 position_m;      // contact point; centre of mass for rest and wake
    Vec3 normal;          // from A to B; 0 for rest and wake
    Vec3 impulse_N_s;     // on B over the contact (end); 0 otherwise
    real speed_m_per_s;   // approach speed (begin), separation speed (end), 0 otherwise
    real energy_lost_J;   // over the contact (end)
    real gap_m;           // distance at the begin, 0 otherwise
    real stiffness;       // K, N/m^1.5, and d, s/m, at the begin, of a linear law k, N/m, and c, N s/m; 0 otherwise and
    real damping;         // for observer pairs, which have no force
    u32 kind;             // EVENT_*
    u32 body_a, body_b;   // within the scene; equal for rest and wake
    u32 shape_a, shape_b; // within the scene; NONE for rest and wake
    u32 feature;          // ordinal of the contact within its pair of shapes
    u32 scene;            // within the batch
    u32 reserved;
} Event;
ASSERT_SIZE(Event, 152);

// --- recorded contacts --------------------------------------------------------------------------
// Of a joint: shapes are NONE, `feature` is its number in the study, `tangential_N` and `torque_N_m` are its force and
// moment at its point of B, `penetration_m` is its length, angle or travel, `normal_N` what its equations are off by.
typedef struct ContactRow { // (n_slot, room.rows): a contact, or a joint, at a recording time
    real time_s;
    real penetration_m;
    real normal_N;
    real area_m2;      // of a contact region; 0 of other contacts
    Vec3 tangential_N; // this and the torque act on B
    Vec3 torque_N_m;   // about the contact point: rolling resistance
    Vec3 point_m;
    Vec3 normal;          // from A to B
    u32 body_a, body_b;   // within the scene
    u32 shape_a, shape_b; // within the scene
    u32 feature;          // ordinal of the contact within its pair of shapes
    u32 scene;            // within the batch
} ContactRow;
ASSERT_SIZE(ContactRow, 152);

// --- watches: extremes located in time, means, values at a time ------------------------------------------
//
// Observables of a Watch, in the user's terms: origin of the body frame, world axes.
#define WATCH_POSITION 0u         // + component 0..2: origin of the body frame
#define WATCH_VELOCITY 3u         // + component: velocity of that point
#define WATCH_ANGULAR_VELOCITY 6u // + component
#define WATCH_COM_POSITION 9u     // + component
#define WATCH_ORIENTATION 12u     // + component 0..3: w, x, y, z; body frame to world
#define WATCH_SPEED 16u           // length of the velocity
#define WATCH_KINETIC_ENERGY 17u  // J, rotation included
// Of contacts, max only: of all contacts of the body, of those with `body_other`, or of those between `sides`.
#define WATCH_PENETRATION 18u   // deepest
#define WATCH_CONTACT_FORCE 19u // largest normal force of one contact
#define WATCH_OVERLAP 20u       // deepest overlap of observer pairs
// Of joints, at the ends of steps: `body` is the number of the joint in the study.
#define WATCH_JOINT_FORCE 21u   // size of the force between its bodies
#define WATCH_JOINT_TENSION 22u // along the line between its points; > 0: it pulls them together
#define WATCH_JOINT_LENGTH 23u  // distance of its points
// Of constraints:
#define WATCH_JOINT_MOMENT 24u    // size of the moment between its bodies, at its point
#define WATCH_JOINT_ANGLE 25u     // of B against A about the axis, turns counted, 0 at the start
#define WATCH_JOINT_TRAVEL 26u    // of B's point along the axis, 0 at the start
#define WATCH_JOINT_VIOLATION 27u // largest violation of its equations, m or rad
#define WATCH_JOINT_DRIVE 28u     // torque or force of A on B that keeps an angle or a travel as given over time
#define WATCH_NET_FORCE 29u // vector sum of contact forces (net_force.h): its size; + 1..3: components, world axes

#define WATCH_MIN 0u
#define WATCH_MAX 1u
#define WATCH_MEAN 2u // over time, from the opening of the gate on
#define WATCH_AT 3u   // the value when the gate opens

#define AFTER_START 0u
#define AFTER_FIRST_CONTACT_BEGIN 1u // of the watched body
#define AFTER_FIRST_CONTACT_END 2u
#define AFTER_TIME 3u

// Two sides, numbered from 1.
#define SIDES_OF(one, other) ((one) | (other) << 8)

typedef struct Watch { // (n_watch): one list for all scenes of a study
    real time_s;       // AFTER_TIME: when the gate opens
    u32 body;
    u32 body_other; // of contacts: the other body; NONE: any
    u32 observable; // WATCH_* + component
    u32 sense;      // WATCH_MIN, _MAX, _MEAN, _AT
    u32 after;      // AFTER_*
    u32 sides;      // of contacts between two sides, SIDES_OF; 0: of bodies
} Watch;
ASSERT_SIZE(Watch, 32);

typedef struct Extreme { // (n_scene, n_watch): NaN-free; `seen` is 0 while its gate is closed
    real value;          // WATCH_MEAN: the integral since the gate opened
    real time_s;         // of the value; WATCH_MEAN: when the gate opened
    u32 seen;
    u32 gate_open;
} Extreme;
ASSERT_SIZE(Extreme, 24);

#endif
