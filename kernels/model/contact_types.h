// What `advance` keeps of a contact between and within steps, in parts by what writes them.
#ifndef CLACK_MODEL_CONTACT_TYPES_H
#define CLACK_MODEL_CONTACT_TYPES_H

#include "model/body_types.h"
#include "model/narrow_types.h"

// ContactEvaluation.inactive. Active contacts (view->active_contacts) are those that are evaluated and exert forces.
#define CONTACT_ACTIVE 0u
#define CONTACT_ASLEEP 1u    // none of its bodies moves, or they wait
#define CONTACT_REMOVED 2u   // until it is removed from the list
#define CONTACT_OBSERVING 3u // of an observer pair: it exerts no force

// How the normal and the contact point follow the motion of the shapes: contact_curvature.h.
typedef struct PairCurvature {
    real s_xx, s_xy, s_yy;       // S, 1/m
    real t_xx, t_xy, t_yx, t_yy; // T
    real y_xx, y_xy, y_yy;       // Y, m
} PairCurvature;
ASSERT_SIZE(PairCurvature, 80);

// ContactJacobian.slides: does the contact point move on a disc, of which shape, or is it the centre of a patch?
#define SLIDES_NOT 0u
#define SLIDES_OF_A 1u
#define SLIDES_OF_B 2u
#define SLIDES_ON_PATCH 3u

// Derivatives of a contact's forces by its geometry and motion; not with `compat: modia3d`.
typedef struct LawJacobian {
    real along_m_per_s;                    // normal speed, > 0 opening
    real normal_N;                         // as in LawForce
    real normal_stiffness, normal_damping; // -d(normal_N)/d(gap), -d(normal_N)/d(along)
    real loss_per_gap, loss_per_rate;      // -d(loss)/d(gap), d(loss)/d(along), of the normal part
    // Friction is -friction v_t; it changes with the normal force and with the slip.
    real friction, friction_per_N, friction_per_slip;
    real rolling, rolling_per_N, rolling_per_spin;
} LawJacobian;

// Derivatives of a contact at the start of a step. World axes.
typedef struct ContactJacobian {
    LawJacobian law;
    Vec3 normal;
    Vec3 lever_a_m, lever_b_m; // contact point from each centre of mass
    Vec3 velocity_m_per_s;     // of B relative to A at the contact point
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 force_N;                     // on B
    Vec3 gap_apart, gap_turn;         // change of the gap with the cores' distance and with the rotation of A against B
    Vec3 across;                      // unit; with normal x across the axes of `curvature`
    Vec3 slip[2];                     // directions in which the point of a disc slides on it, per metre of:
    Vec3 slip_apart[2], slip_turn[2]; // change with the cores' distance and with the rotation of A against B
    PairCurvature curvature;
    real reach_m;              // contact point from the core of A, along the normal
    Vec3 motion_force_N[3];    // change of the force on B with each component of the relative velocity at the contact,
    Vec3 motion_torque_N_m[3]; // of the transfer beside that, and
    Vec3 spin_torque_N_m[3];   // of that with each component of the relative spin
    u32 slides;                // SLIDES_*
    u32 depends_on_attitude;   // 0: rotation of the bodies moves nothing
} ContactJacobian;
ASSERT_SIZE(ContactJacobian, 792);

#define SPRING_PARTS 4u // of a partial spring

// The springs across a contact (mindlin_spring.h); without parts only the first is used.
typedef struct ContactSpring { // stretches: in m if total, else in sqrt(J)
    Vec3 start[SPRING_PARTS];  // at the start of the step
    Vec3 start_normal;         // to which they are tangential
    Vec3 displacement;         // added to each up to the present stage, before its rotation
    real rotation;             // about start_normal since then, rad
    Vec3 displacement_rate;    // at the present evaluation
    real rotation_rate;
    Vec3 displacement_rates[STAGES];
    real rotation_rates[STAGES];
    Vec3 stretch[SPRING_PARTS];  // at the present evaluation, across its normal, after slip
    real cut[SPRING_PARTS];      // part lost to slip at the present evaluation
    real overshot[SPRING_PARTS]; // largest part lost to slip within the step, beyond that at its end
    real stored_J;               // at the start of the step
} ContactSpring;
ASSERT_SIZE(ContactSpring, 576);

// Derivatives of a corner contact on a fixed plane at the start of a step. World axes.
typedef struct CornerJacobian {
    LawJacobian law;
    Vec3 up;                // normal of the plane
    Vec3 corner_m, lever_m; // the corner of the core, and the contact point, from the centre of mass
    Vec3 velocity_m_per_s;  // of the solid at the contact point
    Vec3 spin_rad_per_s;
    Vec3 force_N; // on the solid
} CornerJacobian;
ASSERT_SIZE(CornerJacobian, 240);

// First-order behaviour of a joint about the start of a step. World axes.
typedef struct JointJacobian {
    Mat3 force_by_shift,
        force_by_velocity; // change of the force on B with the shift and the velocity of B's point against A's
    Vec3 loss_by_shift, loss_by_velocity; // of the loss, the same
    Vec3 lever_a_m, lever_b_m;            // its points from each centre of mass
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 force_N; // on B
} JointJacobian;
ASSERT_SIZE(JointJacobian, 312);

// One equation phi = 0 of a constraint. World axes. With u the velocity of B against A and w the spins,
//   d(phi)/dt = along . u + turn_a . w_A + turn_b . w_B + drift
typedef struct ConstraintRow {
    Vec3 along, turn_a, turn_b;
    real phi;               // m, or rad
    real drift;             // partial derivative by the time
    real second_derivative; // second derivative of phi by the time where nothing accelerates
    real multiplier;        // lambda*, N or N m
    real penalty;           // alpha: mass behind the row times TRAPEZOIDAL_PENALTY / (h/2)^2
    real search;            // of a projection (integrate/trapezoidal_projection.h): z, then q
    real impulse;           // of the projection of velocities, N s or N m s
} ConstraintRow;
ASSERT_SIZE(ConstraintRow, 128);

// A load (joints/load.h). World axes but for what is given.
typedef struct LoadStep {
    Vec3 given_N, given_N_m;             // force and moment in its own axes at the time of the present evaluation, and
    Vec3 given_N_per_s, given_N_m_per_s; // their rates
    Vec3 force_N, moment_N_m, force_N_per_s, moment_N_m_per_s; // on B at the start of the step, as all below
    Vec3 lever_a_m, lever_b_m;
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 velocity_m_per_s; // of B's point against A's matter there
    u32 axes_of;           // JOINT_AXES_OF_*
    u32 reserved;
} LoadStep;
ASSERT_SIZE(LoadStep, 320);

#define CONSTRAINT_ROWS_MOST 6u

// Derivatives of an equation, as of ConstraintRow.
typedef struct ConstraintColumn {
    Vec3 along, turn_a, turn_b;
} ConstraintColumn;
ASSERT_SIZE(ConstraintColumn, 72);

// An equation in a projection by conjugate gradients (integrate/trapezoidal_projection.h).
typedef struct ConstraintSearch {
    real off;   // what it is off by, m/s or rad/s, or these per second
    real along; // its part of the direction
} ConstraintSearch;
ASSERT_SIZE(ConstraintSearch, 16);

// A constraint between steps and within one.
typedef struct JointConstraint {
    ConstraintRow rows[CONSTRAINT_ROWS_MOST];
    real start_multiplier[CONSTRAINT_ROWS_MOST]; // at the start of the step
    TimeValue drive;                             // length, or angle or travel over time, at the present evaluation
    real start_moment_N_m;                       // size of the moment between its sides at the start of the step
    real angle_rad, start_angle_rad;             // of B against A about the axis, turns counted: there and then
    u32 count;                                   // of rows
    // Bits of rows:
    u32 unilateral;               // phi <= 0, kept by a multiplier >= 0
    u32 inactive, start_inactive; // of these, the ones without force: now; at the start of the step
    u32 jumps, start_jumps;       // those whose rates jump within the step; at its start, when the scene begins
    u32 is_held;                  // 1: forces have the derivatives of the start of the step
    union {
        ConstraintColumn held[CONSTRAINT_ROWS_MOST];   // these derivatives
        ConstraintSearch search[CONSTRAINT_ROWS_MOST]; // where none are held
    } own;
} JointConstraint;
ASSERT_SIZE(JointConstraint, 1328);

// A contact region between steps and within one: the first member is as a joint's.
typedef struct RegionContact {
    JointJacobian jacobian;        // at the present evaluation
    Vec3 place_a_m, place_b_m;     // its centroid at the start of the step, in the principal frames of its bodies
    Vec3 start_normal;             // from A to B, world
    Vec3 start_stretch_m;          // of its tangential spring (law/stiction.h), and
    Vec3 stretch_m;                // at the present evaluation
    Vec3 start_sliding_m_per_s;    // slip at the start, and
    Vec3 sliding_m_per_s;          // at the present evaluation
    real start_reach_m;            // of its contour, from the centroid
    real start_normal_N;           // normal force
    real start_spring_J;           // stored by that spring
    real half_step_s;              // half of the length of the step at whose end it is evaluated; 0: at its start
    real elastic_J, spring_J;      // stored at the present evaluation
    real elastic_N, slope_N_per_m; // elastic force, its derivative by the depth
    real lively_s;                 // last time at which it was struck or oscillated (region_is_lively)
} RegionContact;
ASSERT_SIZE(RegionContact, 552);

// Forces and deflections of a quasi-rigid contact (law/quasi_law.h). World axes; forces on B.
typedef struct QuasiState {
    Vec3 friction_N, stretch_m; // across the normal: of B's layer against its tip
    real twist_N_m;             // friction about the normal
    real normal_N;
    real core_N; // part of it that the cores carry
    real deflection_m;
} QuasiState;
ASSERT_SIZE(QuasiState, 80);

// Derivatives of its force at the present evaluation (law/quasi_law.h).
typedef struct QuasiSlopes {
    Vec3 axis; // first axis of friction, across the normal
    real normal_slope_N_per_m, core_slope_N_per_m;
    real by_slip[3][3], by_normal[3]; // of friction [k]: with slip [j], with the normal force
} QuasiSlopes;
ASSERT_SIZE(QuasiSlopes, 136);

// Geometry that forces and slips of a step have where it is not that of its end.
typedef struct QuasiHeld {
    Vec3 normal, lever_a_m, lever_b_m;
} QuasiHeld;
ASSERT_SIZE(QuasiHeld, 72);

// A quasi-rigid contact between steps and within one: the first member is as another contact's.
typedef struct QuasiContact {
    ContactJacobian geometry; // at the present evaluation: how gap, normal and point follow the bodies
    QuasiState start;         // at the start of the step
    QuasiState last;          // multipliers: of the iteration before
    QuasiState next;          // what they become at the present evaluation
    QuasiSlopes slopes;
    real normal_penalty_N_per_m, slip_penalty_N_s_per_m[3]; // of the present step
    real warm_share; // of the forces of a step: multipliers with which the next one begins
    real gap_violation_m_per_s, slip_violation_m_per_s; // as multipliers changed last
    u32 level;                                          // how the step is tried, one of QUASI_UNKNOWN to QUASI_FROZEN
    u32 raises;                    // how often penalties have been raised, of the gap and of slips (QUASI_OF_*)
    real start_gap_m;              // of QUASI_FROZEN
    real overlap_m;                // of the cores, at the start of the step
    QuasiHeld held;                // that of the start
    u32 is_held;                   // 1: in this step forces and slips have it
    u32 is_new;                    // 1: it has begun in this step, or its point jumps: nothing is held
    real stored_J, start_stored_J; // by its layer, at the present evaluation and at the start
} QuasiContact;
ASSERT_SIZE(QuasiContact, 1344);

// Slopes of a contact at the start of a step if its island is implicit, which those with other friction laws never are;
// for a corner contact its own form, and for a joint and a load; or what a constraint or a contact region keeps.
typedef union ContactStep {
    ContactJacobian jacobian;
    CornerJacobian corner;
    JointJacobian joint;
    LoadStep load;
    JointConstraint constraint;
    ContactSpring spring;
    RegionContact region;
    QuasiContact quasi;
} ContactStep;
ASSERT_SIZE(ContactStep, 1344);

#define CORNER_NOT 0u
#define CORNER_OF_A 1u
#define CORNER_OF_B 2u

// ContactCorner.order: is it one of the contacts of a body that corner_contacts.h steps (FAST_CORNERS)?
#define FAST_CORNER_NOT 0u
#define FAST_CORNER_FIRST 1u // the first of the body's contacts
#define FAST_CORNER_MORE 2u
#define CORNERS_MAX 8u // of a body

// --- a contact, by what writes its parts --------------------------------------------------------------------------
// ContactPair.form: what its derivatives are.
#define COUPLING_OF_SHAPES 0u // ContactJacobian, CornerJacobian: a contact
#define COUPLING_OF_POINTS 1u // JointJacobian: a joint or a contact region
#define COUPLING_LOAD 2u      // LoadStep

// What it couples.
typedef struct ContactPair { // stepper/contact_lifecycle.h, joints/joint_force.h; the candidate also broad_phase.h
    u32 shape_a, shape_b, feature;
    u32 law; // index within the scene's table
    u32 body_a, body_b;
    u32 candidate; // index of its candidate; NONE: a joint
    u32 form;      // COUPLING_*
} ContactPair;
ASSERT_SIZE(ContactPair, 32);

// The present evaluation.
typedef struct ContactEvaluation { // law/contact_force.h, joints/joint_force.h, corner_lanes.h; `inactive` rest.h
    Vec3 force_N;                  // on B
    Vec3 torque_a_N_m;             // about each body's centre of mass
    Vec3 torque_b_N_m;
    Vec3 normal;
    Vec3 lever_b_m;    // contact point from the centre of mass of B
    real gap_m;        // signed distance
    real error_m;      // of the gap
    real rate_m_per_s; // of the gap
    real closing_m_per_s;
    real slip_m_per_s;
    real spin_rad_per_s; // relative angular velocity
    real normal_N;
    real loss_W;
    NarrowWarmStart warm_start; // touching features
    u32 narrow_status;          // NARROW_*
    u32 inactive;               // CONTACT_*: why it is not evaluated; 0: it is
} ContactEvaluation;
ASSERT_SIZE(ContactEvaluation, 224);

// Constants of its law.
typedef struct LawConstants { // law/contact_begin.h, as it begins; damping after a step with a faster strike
    real stiffness;           // K, N/m^1.5, or k, N/m
    real damping_s_per_m;     // d, for the largest closing speed so far, as are the next four: up to a closing speed of
    real strike_m_per_s;      // this; above it the factor d u is the larger of the next and of a line: law_strike
    real damping_factor_min;
    real damping_line_at_0, damping_line_fall_s_per_m; // damping_line_at_0 - damping_line_fall_s_per_m u
    real dashpot_N_s_per_m;                            // c; not of Hertz's law
    real radius_m;      // effective radius of the pair (law_radius_m), which rolling resistance uses too
    real shear_damping; // of the dashpot beside a tangential spring, over the root of k_t, sqrt(kg): mindlin_spring.h
    u32 normal_law;     // NORMAL_*
    u32 reserved;
} LawConstants;
ASSERT_SIZE(LawConstants, 80);

typedef struct ContactTransfer { // of the trial step: what takes it; of accepted ones: stepper/scene_stepper.h, ball
                                 // runs
    Vec3 impulse_N_s;            // on B
    real loss_J;
} ContactTransfer;
ASSERT_SIZE(ContactTransfer, 32);

// The start of the step.
typedef struct ContactStart { // stepper/scene_stepper.h, substep.h, ball_run.h; masses contact_force.h, plan_joint.h
    Vec3 force_N;             // stage 0 of every trial
    real loss_W;
    real elastic_J;               // stored, of couplings under trapezoidal steps
    NarrowWarmStart warm_start;   // the warm start of all queries within the step
    real inverse_mass_normal;     // 1/kg, along the normal
    real inverse_mass_tangential; // 1/kg, largest across it
} ContactStart;
ASSERT_SIZE(ContactStart, 88);

// How long its next step may be, and what takes it.
typedef struct ContactPlan { // integrate/step_plan.h, plan_joint.h, stepper/ball_run.h; the method active.h, islands.h
    real stability_limit_s;  // longest stable step of an explicit method, at the start of the step
    real explicit_limit_s;   // longest explicit one if implicit ones are available
    real separation_limit_s; // longest step if it is stiff and opens
    real graded_s;           // step by its own scale
    u32 controlled;          // 1: a step of that length needs error control
    u32 fast_method;         // FAST_*; of a corner contact FAST_NONE
} ContactPlan;
ASSERT_SIZE(ContactPlan, 40);

typedef struct ContactCorner { // stepper/active.h: a shape's fixed corner on a plane that does not move
    u32 whose;                 // CORNER_*
    u32 order;                 // FAST_CORNER_*
    Vec3 place_m;              // of that corner, from the centre of mass in its principal frame
} ContactCorner;
ASSERT_SIZE(ContactCorner, 32);

// Power and work of what is given over time on its bodies, where something is (scene_has_given): of driven bodies,
// loads, motions of joints.
typedef struct ContactGiven { // joints/coupling.h, load.h, constraint.h; the work what takes the trial step
    real now_W, start_W;      // at the present evaluation, at the start of the step
    real trial_J;             // in the trial step
    Vec3 start_N_m;           // torque on a driven body at the start of the step
} ContactGiven;
ASSERT_SIZE(ContactGiven, 48);

// What a coupling has done to its bodies after the middle of a step of SCENE_MIDPOINT: impulse on B, work on both, and
// of that what driven bodies, motors and loads have given.
typedef struct ContactAfterMiddle {
    Vec3 impulse_N_s;
    real work_J, given_J;
} ContactAfterMiddle;
ASSERT_SIZE(ContactAfterMiddle, 40);

// (n_slot, room.contacts): a coupling of two bodies (joints/coupling.h). First the joints of the scene in their order,
// then the contacts of shapes, sorted by shape_a, shape_b, feature. Of a joint B's point is apart from A's along
// `normal`, its gap is the length less the one at rest, `feature` its number; law, shapes and candidate it has none.
typedef struct Contact {
    LawConstants law;
    ContactTransfer total; // since it began
    ContactTransfer trial; // in the trial step
    ContactEvaluation now;
    ContactStart start;
    ContactPlan plan;
    ContactPair pair;
    ContactCorner corner;
    ContactGiven given;
    ContactAfterMiddle start_after_middle, trial_after_middle; // of the step before, and of the one just tried
    ContactStep step; // last, as most contacts do not use it (contact_lifecycle.h): slopes at the start of a step, for
                      // islands with a matrix; or springs
} Contact;
ASSERT_SIZE(Contact, 2032);

#endif
