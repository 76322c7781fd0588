// Data that `advance` keeps of a scene between and within steps, and the view that passes it around.
#ifndef CLACK_MODEL_WORKSPACE_H
#define CLACK_MODEL_WORKSPACE_H

#include "model/narrow_types.h"

#define STAGES 7 // of the Runge-Kutta tableau with the most stages (Tsit5, first same as last)

// Rate of change of a BodyState.
typedef struct BodyRate {
    Vec3 velocity;
    Quat turning; // d(orientation)/dt; of balls the spin, as a rotation vector's rate
    Vec3 acceleration;
    Vec3 spin_rate; // principal axes
} BodyRate;
ASSERT_SIZE(BodyRate, 104);

// Start of a free flight: the closed form is evaluated from here, so that errors do not add up.
typedef struct FlightStart {
    Vec3 position_m;
    Vec3 velocity_m_per_s;
    real offset_s;
    real spin_rad_per_s; // upper bound during free rotation
    u32 step_index;
    u32 reserved;
} FlightStart;
ASSERT_SIZE(FlightStart, 72);

// Progress.known
#define KNOWN_SET_UP 1u // the scene has been set up
#define KNOWN_RATES 2u  // rates and forces of the present state are known

// Modes of a body.
#define MODE_STATIC 0u   // fixed
#define MODE_FROZEN 1u   // at rest, not integrated
#define MODE_WAITING 2u  // of another group than the one that is stepped: does not move now
#define MODE_FLYING 3u   // no contact: closed form
#define MODE_TOUCHING 4u // integrated in contact substeps

// Limits of the next substep of an island, by its contacts, and the plan from them.
typedef struct IslandPlan {
    real graded_s;   // by their own scales
    real wanted_s;   // by the error controller of explicit steps; REAL_HUGE: none yet
    real implicit_s; // by that of implicit ones
    real stable_s;   // longest stable one, of contacts that have explicit steps only
    real stiff_s;    // longest explicit one; REAL_HUGE: unlimited
    real wish_s;     // resulting length
    u32 controlled;  // 1: the error must be controlled
    u32 fresh;       // 1: a contact has just begun, whose own scale decides
    u32 implicit;    // 1: an implicit step pays
    u32 reserved;
} IslandPlan;
ASSERT_SIZE(IslandPlan, 64);

typedef struct BodyWork { // (n_slot, room.bodies)
    BodyState trial;      // state at the end of the trial step, or of a stage; all narrow phases read it
    BodyRate rates[STAGES];
    FlightStart flight;
    Vec3 start_position_m; // at t = 0, where the audit's potential energy is zero
    Vec3 force_N;          // sums over the contacts of the present evaluation
    Vec3 torque_N_m;       // about the centre of mass, world axes
    real margin_m;         // by which its bounds were enlarged when the candidates were listed
    real travel_m;         // bound of the path of any of its points since then
    real turned_m;         // bound of the path of any of its points by rotation since then,
    real turn_m;           // and within the trial step
    real swing_m;          // bound of the deviation of its centre's path from a straight one within the trial step
    real path_m;           // bound of the path of any of its points within the trial step of path_s;
    real path_s;           // 0: unknown
    real calm_m;           // while travel_m is less, no pair without a contact comes near: candidate_gaps.h
    real rest_s;           // time at rest
    real rest_m_per_s;     // its speed when that was last counted: rest_speed
    IslandPlan plan;       // of the island whose label it is
    real substep_s;        // last step of its error controller; 0: none yet
    real implicit_s;       // the same of implicit steps
    BodyState kept;        // state at the start of the window
    real reach_m;          // bound of the path of any of its points within a window
    real pace_m_per_s;     // of any of its points at the start of the window
    real group_J;          // mechanical energy and
    real group_kg;         // mass of the interaction group that it is the first body of,
    real group_unit_speed; // and the speed of a mass of 1 kg with that energy
    u32 fresh;             // 1: a contact of it has begun since the last step
    u32 group;             // that it is stepped with in this window; NONE: fixed
    u32 interacts;         // 1: its group is stepped by itself; while groups grow: it touches others, or may
    u32 only_observes;     // 1: all its pairs are observer pairs; it flies with every group
    u32 mode;              // MODE_*
    u32 contacts;          // number of its active contacts
    u32 island;            // label of the frozen island it belongs to
    u32 label;             // least number among the bodies joined to it by contacts
    u32 begins, ends;      // contact events so far
    u32 implicit;          // 1: the present step is implicit (Rodas4)
    u32 members;           // bodies of its island, if that has a matrix; 0: none
    u32 member;            // its number there
    u32 matrix;            // where the matrix begins in the scene's room
    u32 fast_method;       // FAST_*
    u32 group_body_count;  // moving bodies of the interaction group that it is the first of
    u32 changed;           // 1: its group has changed since its pairs were queried
    u32 touches;           // contacts of the island whose label it is
    u32 next;              // ring of its group, from the last body to the first, while groups grow
    u32 may_touch;         // 1: it may touch another body within the window, beside those it touches
} BodyWork;
ASSERT_SIZE(BodyWork, 1360);

// BodyWork.fast_method, Contact.fast_method: the method of fast/ that steps the body or the contact.
#define FAST_NONE 0u          // none: substep.h does
#define FAST_BALL_EXPLICIT 1u // its one contact is a ball contact, for explicit steps
#define FAST_MAYBE 2u         // perhaps FAST_CORNERS; only while contacts are marked
#define FAST_CORNERS 3u       // all its contacts are corner contacts
#define FAST_BALL 4u          // its one contact is a ball contact for implicit steps as well
// Of an island that ball_island.h steps:
#define FAST_ISLAND_FIRST 5u // its first contact, and the body that is its label
#define FAST_ISLAND_MORE 6u  // its other contacts and bodies

// Islands of more bodies than this, or whose matrices do not fit into the room, have none: they stay explicit.
#define ISLAND_BODIES_MAX 128u
#define BALLS_MOST (HAS(CONTENT_BODIES) ? 5u : 1u) // most bodies and
#define BALLS_TOUCHES 6u                           // most contacts of an island that ball_island.h steps
#define ISLAND_BODY_ROWS 6u                        // velocity and spin
// Room for so many blocks of 6 x 6 for each body, for ties and factors together. A pile of 5 x 5 x 5 balls takes 27, 64
// close-packed ones 29, 125 close-packed ones 39.5.
#define ISLAND_BODY_BLOCKS 40u
#define ISLAND_BODY_NUMBERS 29u // beside them, and its rows of tables

/// Upper bound of the numbers that the matrices of all islands of so many free bodies take, as block_matrix.h lays them
/// out.
FN u32 island_room(u32 bodies) {
    u32 blocks = bodies * u32_min(2u * bodies, ISLAND_BODY_BLOCKS);
    u32 table = bodies * u32_min(bodies, ISLAND_BODIES_MAX);
    return ISLAND_BODY_NUMBERS * bodies + table + (ISLAND_BODY_ROWS * ISLAND_BODY_ROWS + 1u) * blocks;
}

/// Numbers for the lists of what takes part in steps (active.h): whole cache lines.
FN u32 list_room(SlotRoom room) {
    return (5u * room.bodies + 3u + room.contacts + 5u * room.candidates + 15u) / 16u * 16u;
}

#define GAP_SLOTS 5u
#define GAP_UNKNOWN REAL_HUGE // of a pair that was not queried: apart

// Candidate.ties
#define TIES_NOT 0u // they cannot
#define TIES_MAY 1u // they may, and their bodies are joined for that
#define TIES_ONE 2u // not tested: their bodies are joined anyway
#define TIES_NEW 3u // they may, and are not joined yet

typedef struct Candidate { // (n_slot, room.candidates): a contact that could form before the list is made anew
    real gap_m[GAP_SLOTS]; // signed distance at the times that a step keeps: its start, a bracket and the start of the
                           // search in it
    real rate_m_per_s[GAP_SLOTS];
    real tolerance_m; // for locating its events
    Vec3 away;        // unit: normal of the last query, and with it a lower bound of the gap:
    real clear_m;     // away . (centre of B - centre of A) + clear_m - turned_m of both bodies
    u32 shape_a, shape_b, feature;
    u32 contact;        // index of the active contact; NONE
    u32 changes;        // 1: changes state at the time just located
    u32 observes;       // 1: of an observer pair
    u32 asleep;         // 1: cannot touch within the trial step, its gap there is GAP_UNKNOWN
    u32 ties;           // TIES_*: may its shapes touch within the window?
    u32 body_a, body_b; // of its shapes
} Candidate;
ASSERT_SIZE(Candidate, 160);

// Contact.asleep
#define CONTACT_AWAKE 0u
#define CONTACT_ASLEEP 1u    // none of its bodies moves, or they wait
#define CONTACT_REMOVED 2u   // until it is removed from the list
#define CONTACT_OBSERVING 3u // of an observer pair: it exerts no force

// How the normal and the contact point follow the motion of the shapes: contact_curvature.h.
typedef struct PairCurvature {
    real turn_xx, turn_xy, turn_yy;      // S, 1/m
    real mix_xx, mix_xy, mix_yx, mix_yy; // T
    real slide_xx, slide_xy, slide_yy;   // Y, m
} PairCurvature;
ASSERT_SIZE(PairCurvature, 80);

// ContactSlopes.slides: does the contact point move on a disc, of which shape, or is it the centre of a patch?
#define SLIDES_NOT 0u
#define SLIDES_OF_A 1u
#define SLIDES_OF_B 2u
#define SLIDES_IN_MIDDLE 3u

// Derivatives of a contact's forces by its geometry and motion; not with `compat: modia3d`.
typedef struct LawSlopes {
    real along_m_per_s;        // normal speed, > 0 opening
    real normal_N;             // as in LawForce
    real push, drag;           // -d(normal_N)/d(gap), -d(normal_N)/d(along)
    real loss_push, loss_drag; // -d(loss)/d(gap), d(loss)/d(along), of the normal part
    // Friction is -friction v_t; it changes with the normal force and with the slip.
    real friction, friction_per_N, friction_bend;
    real rolling, rolling_per_N, rolling_bend;
} LawSlopes;

// Derivatives of a contact at the start of a step. World axes.
typedef struct ContactSlopes {
    LawSlopes law;
    Vec3 normal;
    Vec3 lever_a_m, lever_b_m; // contact point from each centre of mass
    Vec3 velocity_m_per_s;     // of B relative to A at the contact point
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 force_N;                     // on B
    Vec3 gap_apart, gap_turn;         // change of the gap with the cores' distance and with the rotation of A against B
    Vec3 across;                      // unit; with normal x across the axes of `bend`
    Vec3 slip[2];                     // directions in which the point of a disc slides on it, per metre of:
    Vec3 slip_apart[2], slip_turn[2]; // change with the cores' distance and with the rotation of A against B
    PairCurvature bend;
    real reach_m;              // contact point from the core of A, along the normal
    Vec3 motion_force_N[3];    // change of the force on B with each component of the relative velocity at the contact,
    Vec3 motion_torque_N_m[3]; // of the transfer beside that, and
    Vec3 spin_torque_N_m[3];   // of that with each component of the relative spin
    u32 slides;                // SLIDES_*
    u32 turns;                 // 0: rotation of the bodies moves nothing
} ContactSlopes;
ASSERT_SIZE(ContactSlopes, 792);

#define SPRING_PARTS 4u // of a partial spring

// The springs across a contact (mindlin_spring.h); without parts only the first is used.
typedef struct ContactSpring { // stretches: in m if total, else in sqrt(J)
    Vec3 start[SPRING_PARTS];  // at the start of the step
    Vec3 start_normal;         // to which they are tangential
    Vec3 displacement;         // added to each up to the present stage, before its rotation
    real turn;                 // about start_normal since then, rad
    Vec3 displacement_rate;    // at the present evaluation
    real turn_rate;
    Vec3 displacement_rates[STAGES];
    real turn_rates[STAGES];
    Vec3 stretch[SPRING_PARTS];  // at the present evaluation, across its normal, after slip
    real cut[SPRING_PARTS];      // part lost to slip at the present evaluation
    real overshot[SPRING_PARTS]; // largest part lost to slip within the step, beyond that at its end
    real stored_J;               // at the start of the step
    real damping;                // of its dashpot, as in LawConstants
} ContactSpring;
ASSERT_SIZE(ContactSpring, 584);

// Derivatives of a corner contact on a fixed plane at the start of a step. World axes.
typedef struct CornerSlopes {
    LawSlopes law;
    Vec3 up;                // normal of the plane
    Vec3 corner_m, lever_m; // the corner of the core, and the contact point, from the centre of mass
    Vec3 velocity_m_per_s;  // of the solid at the contact point
    Vec3 spin_rad_per_s;
    Vec3 force_N; // on the solid
} CornerSlopes;
ASSERT_SIZE(CornerSlopes, 240);

// First-order behaviour of a joint about the start of a step. World axes.
typedef struct JointSlopes {
    Mat3 pull, drag;           // change of the force on B with the shift and the velocity of B's point against A's
    Vec3 loss_pull, loss_drag; // of the loss, the same
    Vec3 lever_a_m, lever_b_m; // its points from each centre of mass
    Vec3 spin_a_rad_per_s, spin_b_rad_per_s;
    Vec3 force_N; // on B
} JointSlopes;
ASSERT_SIZE(JointSlopes, 312);

// Slopes of a contact at the start of a step if its island is implicit, which islands with springs never are; for a
// corner contact its own form, and for a joint.
typedef union ContactStep {
    ContactSlopes slopes;
    CornerSlopes corner;
    JointSlopes joint;
    ContactSpring spring;
} ContactStep;
ASSERT_SIZE(ContactStep, 792);

#define CORNER_NOT 0u
#define CORNER_OF_A 1u
#define CORNER_OF_B 2u

// Contact.fast_corner: is it one of the contacts of a body that corner_contacts.h steps (FAST_CORNERS)?
#define FAST_CORNER_NOT 0u
#define FAST_CORNER_FIRST 1u // the first of the body's contacts
#define FAST_CORNER_MORE 2u
#define CORNERS_MAX 8u // of a body

// (n_slot, room.contacts): a coupling of two bodies (joints/coupling.h). First the joints of the scene in their order,
// then the active contacts, sorted by shape_a, shape_b, feature. Of a joint B's point is apart from A's along `normal`,
// its gap is the length less the one at rest, `feature` its number; law, shapes and candidate it has none.
typedef struct Contact {
    real stiffness;       // as in LawConstants, as are the next six
    real damping_s_per_m; // d: for the largest closing speed so far, as are the next four
    real strike_m_per_s, damped_least, damped_start, damped_fall_s_per_m;
    real dashpot_N_s_per_m;
    real radius_m;         // effective radius of the pair
    Vec3 impulse_N_s;      // on B, since contact begin
    real loss_J;           // since contact begin
    Vec3 step_impulse_N_s; // of the trial step
    real step_loss_J;
    Vec3 force_N;      // on B; this and those below are of the present evaluation
    Vec3 torque_a_N_m; // about each body's centre of mass
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
    Vec3 start_force_N; // at the start of the step: stage 0 of every trial
    real start_loss_W;
    real inverse_mass_normal;     // 1/kg, along the normal; these two only at the start of a step
    real inverse_mass_tangential; // 1/kg, largest across it
    real stable_s;                // longest stable step of an explicit method, at the start of the step
    real stiff_s;                 // longest explicit one if implicit ones are available
    real leave_s;                 // longest step if it is stiff and opens
    real graded_s;                // step by its own scale
    NarrowHint start_hint; // touching features at the start of the step: the warm start of all queries within it,
    NarrowHint hint;       // and at the present evaluation
    u32 shape_a, shape_b, feature;
    u32 law; // index within the scene's table
    u32 body_a, body_b;
    u32 asleep;        // CONTACT_*; only awake contacts are evaluated and exert forces
    u32 narrow_status; // NARROW_* of the present evaluation
    u32 controlled;    // 1: a step of that length needs error control
    u32 fast_method;   // FAST_*; of a corner contact FAST_NONE
    u32 corner;        // CORNER_*: which shape's fixed corner it is, on a plane that does not move
    u32 fast_corner;   // FAST_CORNER_*
    u32 candidate;     // index of its candidate; NONE: a joint
    u32 normal_law;    // NORMAL_*
    Vec3 corner_m;     // that corner, from the centre of mass in its principal frame
    ContactStep step;  // last, as most contacts do not use it (contact_lifecycle.h): slopes at the start of a step, for
                       // islands with a matrix; or springs
} Contact;
ASSERT_SIZE(Contact, 1328);

// A shape in the world, relative to the centre of mass of its body.
typedef struct PlacedShape {
    Vec3 arm_m; // shape origin minus centre of mass
    Mat3 turn;  // shape to world
} PlacedShape;
ASSERT_SIZE(PlacedShape, 96);

// The slices of a scene and of its slot in all arrays. In private memory of each of its work-items (items).
typedef struct SceneView {
    GLOBAL const Scene *scene;
    GLOBAL const Body *bodies;     // (body_count)
    GLOBAL const Shape *shapes;    // (shape_count)
    GLOBAL const ContactLaw *laws; // (material_count, material_count)
    GLOBAL const Watch *watches;   // (watch_count)
    GLOBAL const HullRow *hulls;   // (n_hull_row): of all scenes
    GLOBAL const Joint *joints;    // (joint_count)
    GLOBAL BodyState *states;      // (body_count): the present, accepted state
    GLOBAL BodyState *frames;      // (frame_capacity, body_count)
    GLOBAL Extreme *extremes;      // (watch_count)
    GLOBAL BodyWork *works;        // (body_count); this and those below are its slot's
    GLOBAL Candidate *candidates;  // (room.candidates)
    GLOBAL Contact *contacts;      // (room.contacts)
    GLOBAL Event *events;          // (room.events)
    GLOBAL ContactRow *rows;       // (room.rows): recorded contacts
    GLOBAL real *matrices;         // (room.numbers): of the islands, see islands.h
    GLOBAL PlacedShape *placed;    // (room.shapes): shapes of fixed bodies, which stay; 0: not stored
    GLOBAL Slot *slot;
    GLOBAL u32 *moving;           // (room.bodies): bodies that move now; this list and the next two in rising order
    GLOBAL u32 *awake;            // (room.contacts): active contacts
    GLOBAL u32 *live;             // (room.candidates): candidates whose distance may be queried now
    GLOBAL u32 *group_bodies;     // (room.bodies): by group, while groups are stepped one after the other,
    GLOBAL u32 *group_candidates; // (room.candidates), and
    GLOBAL u32 *group_ends; // (2, room.bodies + 1): ends of the groups, of bodies, of candidates; followed by the lists
                            // of interaction_groups.h
    SlotRoom room;
    u32 index;           // of the scene within the batch
    LOCAL real *scratch; // (SCENE_ITEMS)
    u32 item;
} SceneView;

/// Number of the scene's rows of Watch and Extreme.
FN_SHORT u32 watch_count(const SceneView *view) { return HAS(CONTENT_WATCHES) ? view->scene->watch_count : 0u; }

/// Number of the scene's joints, the first rows of the list of contacts.
FN_SHORT u32 joint_count(const SceneView *view) { return HAS(CONTENT_JOINTS) ? view->scene->joint_count : 0u; }

/// Is a row of that list a joint?
FN_SHORT u32 contact_is_joint(GLOBAL const Contact *contact) {
    return HAS(CONTENT_JOINTS) && contact->candidate == NONE ? 1u : 0u;
}

/// Are bodies stepped group by group now (group_windows.h)?
FN_SHORT u32 is_grouped(const Progress *progress) { return HAS(CONTENT_BODIES) && progress->group != NONE ? 1u : 0u; }

// Loops over what takes part in the present step: _LOOP shared among the items of a scene, EACH_ by one item.
#define LIST_LOOP(item, list, count, first, stride)                                                                    \
    for (u32 at_##item = (first), item = 0; at_##item < (count) && ((item = (list)[at_##item]), 1);                    \
         at_##item += (stride))
#define MOVING_LOOP(b) LIST_LOOP(b, view->moving, view->slot->moving_count, view->item, SCENE_ITEMS)
#define AWAKE_LOOP(c) LIST_LOOP(c, view->awake, view->slot->awake_count, view->item, SCENE_ITEMS)
#define LIVE_LOOP(i) LIST_LOOP(i, view->live, view->slot->live_count, view->item, SCENE_ITEMS)
#define EACH_MOVING(b) LIST_LOOP(b, view->moving, view->slot->moving_count, 0, 1)
#define EACH_AWAKE(c) LIST_LOOP(c, view->awake, view->slot->awake_count, 0, 1)
#define EACH_LIVE(i) LIST_LOOP(i, view->live, view->slot->live_count, 0, 1)

#define GROUP_LOOP(item, list, ends, group)                                                                            \
    LIST_LOOP(item, list, (ends)[group], (group) > 0 ? (ends)[(group)-1] : 0u, 1)
/// One item, over the bodies and the candidates of a group.
#define EACH_GROUP_BODY(b, group) GROUP_LOOP(b, view->group_bodies, view->group_ends, group)
#define EACH_GROUP_CANDIDATE(i, group)                                                                                 \
    GROUP_LOOP(i, view->group_candidates, view->group_ends + view->room.bodies + 1u, group)

/// Largest of the items' values, the same on every item.
FN real scene_max(const SceneView *view, real value) {
#if SCENE_ITEMS == 1
    (void)view;
    return value;
#else
    view->scratch[view->item] = value;
    SCENE_BARRIER();
    real largest = view->scratch[0];
    for (u32 i = 1; i < SCENE_ITEMS; i++) largest = real_max(largest, view->scratch[i]);
    SCENE_BARRIER();
    return largest;
#endif
}

FN real scene_min(const SceneView *view, real value) { return -scene_max(view, -value); }

/// Sum of the items' values, the same on every item.
FN u32 scene_sum(const SceneView *view, u32 value) {
#if SCENE_ITEMS == 1
    (void)view;
    return value;
#else
    view->scratch[view->item] = (real)value;
    SCENE_BARRIER();
    real sum = 0.0;
    for (u32 i = 0; i < SCENE_ITEMS; i++) sum += view->scratch[i];
    SCENE_BARRIER();
    return (u32)sum;
#endif
}

/// 1 if any item's value is non-zero.
FN u32 scene_any(const SceneView *view, u32 value) { return scene_max(view, value ? 1.0 : 0.0) > 0.0 ? 1u : 0u; }

FN u32 body_moves(const SceneView *view, u32 body) { return view->works[body].mode >= MODE_FLYING ? 1u : 0u; }

/// The group of bodies with which a pair is stepped. Bodies of two groups are apart; those that only observe belong
/// to each.
FN u32 pair_group(const SceneView *view, u32 body_a, u32 body_b) {
    return u32_min(view->works[body_a].group, view->works[body_b].group);
}

/// Are the bodies of a row of the list of contacts stepped with that group?
FN u32 contact_is_of_group(const SceneView *view, u32 c, u32 group) {
    return pair_group(view, view->contacts[c].body_a, view->contacts[c].body_b) == group ? 1u : 0u;
}

/// The group of a candidate.
FN u32 candidate_group(const SceneView *view, GLOBAL const Candidate *candidate) {
    return pair_group(view, candidate->body_a, candidate->body_b);
}

/// Does a pair wait because other bodies are stepped?
FN u32 candidate_waits(const SceneView *view, const Progress *progress, GLOBAL const Candidate *candidate) {
    if (progress->group == NONE) return 0;
    u32 a = candidate->body_a, b = candidate->body_b;
    if (pair_group(view, a, b) != progress->group) return 1;
    return view->works[a].mode == MODE_WAITING || view->works[b].mode == MODE_WAITING ? 1u : 0u;
}

FN real scene_time(const SceneView *view, const Progress *progress) {
    return (real)progress->step_index * view->scene->step_s + progress->offset_s;
}

/// Count `count` evaluated forces of contacts.
FN void work_count_forces(Progress *progress, u32 count) {
    progress->forces += count;
    progress->work += (real)count;
}

/// Has the scene exceeded its work limit? If so, it ends. Tested in every loop whose length is not bounded by a small
/// number, so that a scene without progress ends by itself; the work is the scene's own, independent of device and
/// neighbours.
FN u32 work_is_spent(const SceneView *view, Progress *progress) {
    if (progress->work <= view->scene->work_limit) return 0;
    progress->status = STATUS_STEP_LIMIT;
    return 1;
}

/// Acceleration by gravity at a place; 0 at the centre of a point's gravity, where it has no direction.
FN Vec3 scene_gravity(const SceneView *view, Vec3 place_m) {
    if (!(view->scene->flags & SCENE_POINT_GRAVITY)) return view->scene->gravity_m_per_s2;
    Vec3 arm = vec3_sub(place_m, view->scene->gravity_centre_m);
    real square = vec3_dot(arm, arm);
    if (!(square > 0.0)) return vec3_zero();
    return vec3_scale(arm, -view->scene->gravity_strength_m3_per_s2 / (square * real_sqrt(square)));
}

// Steps are so short that the distance from a centre of gravity changes by less than a tenth in one.
#define GRAVITY_BOUND 1.5

/// Bound of gravity's acceleration of a body within a step from its trial state, m/s^2.
FN real body_gravity_bound(const SceneView *view, u32 body) {
    if (!(view->scene->flags & SCENE_POINT_GRAVITY)) return vec3_length(view->scene->gravity_m_per_s2);
    if (!body_moves(view, body)) return 0.0;
    return GRAVITY_BOUND * vec3_length(scene_gravity(view, view->works[body].trial.position_m));
}

/// Potential energy of 1 kg at `now` against `start` by gravity towards a point, J/kg, without cancellation.
FN real scene_point_potential(const SceneView *view, Vec3 start_m, Vec3 now_m) {
    Vec3 arm0 = vec3_sub(start_m, view->scene->gravity_centre_m);
    Vec3 arm1 = vec3_sub(now_m, view->scene->gravity_centre_m);
    real r0 = vec3_length(arm0), r1 = vec3_length(arm1);
    if (!(r0 > 0.0 && r1 > 0.0)) return 0.0;
    // k (1/r0 - 1/r1), with r0^2 - r1^2 = (start - now) . (arm0 + arm1).
    return -view->scene->gravity_strength_m3_per_s2 * vec3_dot(vec3_sub(start_m, now_m), vec3_add(arm0, arm1)) /
           ((r0 + r1) * r0 * r1);
}

FN real body_kinetic_energy(const SceneView *view, u32 body) {
    GLOBAL const Body *given = &view->bodies[body];
    Vec3 v = view->states[body].velocity_m_per_s;
    Vec3 w = view->states[body].spin_rad_per_s;
    return 0.5 * (given->mass_kg * vec3_dot(v, v) + vec3_dot(w, vec3_multiply(given->inertia_kg_m2, w)));
}

FN ContactLaw scene_law(const SceneView *view, u32 shape_a, u32 shape_b) {
    return view->laws[view->shapes[shape_a].material * view->scene->material_count + view->shapes[shape_b].material];
}

// Identity of a contact: its shapes, and which of their contacts.
typedef struct ContactKey {
    u32 shape_a, shape_b, feature;
} ContactKey;

FN ContactKey contact_key(u32 shape_a, u32 shape_b, u32 feature) {
    ContactKey key;
    key.shape_a = shape_a;
    key.shape_b = shape_b;
    key.feature = feature;
    return key;
}

#endif
