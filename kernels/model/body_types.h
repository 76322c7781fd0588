// What `advance` keeps of a body between and within steps, in parts by what writes them.
#ifndef CLACK_MODEL_BODY_TYPES_H
#define CLACK_MODEL_BODY_TYPES_H

#include "base/vec3.h"
#include "model/scene_types.h"

#define STAGES 7 // of the Runge-Kutta tableau with the most stages (Tsit5, first same as last)

// Rate of change of a BodyState.
typedef struct BodyRate {
    Vec3 velocity;
    Quat orientation_rate; // d(orientation)/dt; of balls the spin, as a rotation vector's rate
    Vec3 acceleration;
    Vec3 spin_rate; // principal axes
} BodyRate;
ASSERT_SIZE(BodyRate, 104);

// Start of a free flight: the closed form is evaluated from here, so that errors do not add up. Of a driven body the
// time is that of the start of the step, the rest unused.
typedef struct FlightStart {
    Vec3 position_m;
    Vec3 velocity_m_per_s;
    real offset_s;
    real spin_rad_per_s; // upper bound during free rotation
    u32 step_index;
    u32 reserved;
} FlightStart;
ASSERT_SIZE(FlightStart, 72);

// Modes of a body.
#define MODE_FIXED 0u    // fixed
#define MODE_FROZEN 1u   // at rest, not integrated
#define MODE_WAITING 2u  // of another group than the one that is stepped: does not move now
#define MODE_DRIVEN 3u   // fixed, and moves as given over time
#define MODE_FLYING 4u   // no contact and no joint: closed form
#define MODE_TOUCHING 5u // integrated in contact substeps

// Limits of the next substep of an island, by its contacts and joints, and the plan from them.
typedef struct IslandPlan {
    real graded_s;          // by their own scales
    real wanted_s;          // by the error controller of explicit steps; REAL_HUGE: none yet
    real implicit_s;        // by that of implicit ones
    real stability_limit_s; // longest stable one, of contacts that have explicit steps only
    real explicit_limit_s;  // longest explicit one; REAL_HUGE: unlimited
    real chosen_s;          // resulting length
    u32 controlled;         // 1: the error must be controlled
    u32 has_new_contact;    // 1: a contact has just begun, whose own scale decides
    u32 implicit;           // 1: an implicit step pays
    u32 reserved;
} IslandPlan;
ASSERT_SIZE(IslandPlan, 64);

// --- a body, by what writes its parts -----------------------------------------------------------------------------
typedef struct BodyContacts { // stepper/contact_lifecycle.h; the count active.h
    u32 count;                // of its active contacts
    u32 begins, ends;         // events so far
} BodyContacts;
ASSERT_SIZE(BodyContacts, 12);

// The island of moving bodies that it belongs to.
typedef struct BodyIsland { // integrate/islands.h; `frozen` stepper/rest.h, the method of single contacts active.h
    u32 label;              // least number among the bodies tied to it by contacts and joints
    u32 members;            // bodies of its island, if that has a matrix; 0: none
    u32 member;             // its number there
    u32 matrix;             // where the matrix begins in the scene's room
    u32 touches;            // contacts of the island whose label it is
    u32 fast_method;        // FAST_*
    u32 frozen;             // label of the frozen island it belongs to
} BodyIsland;
ASSERT_SIZE(BodyIsland, 28);

// The interaction group that it is stepped with. Energy, mass, unit_speed and body_count are those of the group that it
// is the first body of.
typedef struct BodyGroup { // stepper/interaction_groups.h; number and interacts also group_windows.h
    u32 number;            // of the group in this window; NONE: fixed
    u32 interacts;         // 1: its group is stepped by itself; while groups grow: it touches others, or may
    u32 next;              // ring of its group, from the last body to the first, while groups grow
    u32 changed;           // 1: its group has changed since its pairs were queried
    u32 may_touch;         // 1: it may touch another body within the window, beside those it touches
    u32 body_count;        // moving bodies
    real reach_m;          // bound of the path of any of its points within a window
    real energy_J;         // mechanical
    real mass_kg;
    real unit_speed; // of a mass of 1 kg with that energy
} BodyGroup;
ASSERT_SIZE(BodyGroup, 56);

// Bounds of its motion, for pairs that need no query. What is read together lies together, by sectors of 32 bytes.
typedef struct BodyBounds {     // pairs/: broad_phase.h, conservative_advancement.h, candidate_gaps.h; ball runs
    real travel_m;              // bound of the path of any of its points since the candidates were listed,
    real path_m;                // and within the trial step of path_s;
    real path_s;                // 0: unknown
    real quiet_until_m;         // while travel_m is less, no pair without a contact comes near: candidate_gaps.h
    real margin_m;              // by which its bounds were enlarged when the candidates were listed
    real rotation_path_since_m; // bound of the path of any of its points by rotation since then,
    real rotation_path_m;       // and within the trial step
    real path_deviation_m;      // bound of the deviation of its centre's path from a straight one within the trial step
} BodyBounds;
ASSERT_SIZE(BodyBounds, 64);

typedef struct BodyStep { // what takes steps: integrate/, fast/, stepper/substep.h; the sums joints/coupling.h
    BodyState trial;      // state at the end of the trial step, or of a stage; all narrow phases read it
    BodyRate rates[STAGES];
    Vec3 force_N;    // sums over the contacts and joints of the present evaluation
    Vec3 torque_N_m; // about the centre of mass, world axes
} BodyStep;
ASSERT_SIZE(BodyStep, 880);

// Of the steps of SCENE_MIDPOINT, whose velocities are those of their middle (integrate/quasi_midpoint.h).
typedef struct BodyMidpoint {
    Vec3 velocity_m_per_s;     // in the middle of the step before, and
    Vec3 spin_rad_per_s;       // its angular momentum in the principal axes of the end of that step, over the inertia
    Quat axes;                 // principal axes in the middle of the present step
    real after_middle_s;       // for how long its forces have acted since then, in the present state
    real trial_after_middle_s; // the same at the end of the trial step
    u32 is_known;              // 1: it was in such a step before; else it has been flying
    u32 reserved;
} BodyMidpoint;
ASSERT_SIZE(BodyMidpoint, 104);

// Of a projection by conjugate gradients of the island whose label it is (integrate/trapezoidal_projection.h): sums
// over its equations.
typedef struct ProjectionSums {
    real before, of; // what they are off by times the same preconditioned: in the pass before; in this one
    real search;     // the direction times what it does to them
    real least;      // the least of the first ones in all passes
    real most;       // the most that one of them is off by before this pass
    real farthest;   // the largest distance that a pass has gone along its direction
} ProjectionSums;
ASSERT_SIZE(ProjectionSums, 48);

// What its error controllers keep from step to step.
typedef struct BodyControl {   // integrate/step_plan.h; has_new_contact: stepper/contact_lifecycle.h
    u32 implicit;              // 1: the present step is implicit (Rodas4)
    u32 has_new_contact;       // 1: a contact of it has begun since the last step
    real substep_s;            // last step of the one of explicit steps; 0: none yet
    real implicit_s;           // the same of implicit ones
    real explicit_limit_per_s; // sum of 1 / explicit_limit_s of its contacts
} BodyControl;
ASSERT_SIZE(BodyControl, 32);

typedef struct BodyRest { // stepper/rest.h; contact_lifecycle.h starts it again
    real time_s;          // at rest
    real speed_m_per_s;   // when that was last counted: rest_speed
} BodyRest;
ASSERT_SIZE(BodyRest, 16);

typedef struct BodyWindow {   // stepper/group_windows.h, frames.h
    BodyState kept;           // state at the start of the window; of a driven body, whose scene has none, at t = 0
    real point_speed_m_per_s; // of any of its points then
} BodyWindow;
ASSERT_SIZE(BodyWindow, 112);

typedef struct BodyWork { // (n_slot, room.bodies)
    BodyBounds bounds;
    u32 mode;          // MODE_*: active.h, rest.h, group_windows.h
    u32 only_observes; // 1: all its pairs are observer pairs; it flies with every group: contact_lifecycle.h
    BodyControl control;
    BodyContacts contacts;
    BodyIsland island;
    IslandPlan plan; // of the island whose label it is: step_plan.h
    BodyRest rest;
    BodyStep step;
    FlightStart flight;    // integrate/motion.h
    Vec3 start_position_m; // at t = 0, where the audit's potential energy is zero: scene_stepper.h
    BodyGroup group;
    union { // by method
        BodyMidpoint midpoint;
        ProjectionSums sums;
    } own;
    BodyWindow window;
} BodyWork;
ASSERT_SIZE(BodyWork, 1472);

// BodyIsland.fast_method, ContactPlan.fast_method: the method of fast/ that steps the body or the contact.
#define FAST_NONE 0u          // none: substep.h does
#define FAST_BALL_EXPLICIT 1u // its one contact is a ball contact, for explicit steps
#define FAST_MAYBE 2u         // perhaps FAST_CORNERS; only while contacts are marked
#define FAST_CORNERS 3u       // all its contacts are corner contacts
#define FAST_BALL 4u          // its one contact is a ball contact for implicit steps as well
// Of an island that ball_island.h steps:
#define FAST_ISLAND_FIRST 5u // its first contact, and the body that is its label
#define FAST_ISLAND_MORE 6u  // its other contacts and bodies

#endif
