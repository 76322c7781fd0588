// Data that `advance` keeps of a scene between and within steps, and the view that passes it around.
#ifndef CLACK_MODEL_WORKSPACE_H
#define CLACK_MODEL_WORKSPACE_H

#include "model/scheme_policy.h"
#include "model/body_types.h"
#include "model/contact_types.h"

// Progress.known
#define KNOWN_SET_UP 1u // the scene has been set up
#define KNOWN_RATES 2u  // rates and forces of the present state are known
#define KNOWN_TRIED 4u  // velocities of the step tried last are, in rates[QUASI_TRIED]: it is tried again
#define KNOWN_STALE 8u  // what contacts have is of a step that was not solved, not of the start

// Islands of more bodies than this, or whose matrices do not fit into the room, have none: they stay explicit. With
// constraints they cannot be stepped.
#define ISLAND_BODIES_MAX 128u
#define ISLAND_JOINTED_MAX 1024u                   // with constraints, as chains are longer than piles: a table of 8 MB
#define BALLS_MOST (HAS(CONTENT_BODIES) ? 5u : 1u) // most bodies and
#define BALLS_TOUCHES 6u                           // most contacts of an island that ball_island.h steps
#define ISLAND_BODY_ROWS 6u                        // velocity and spin
// Room for so many blocks of 6 x 6 for each body, for ties and factors together. A pile of 5 x 5 x 5 balls takes 27, 64
// close-packed ones 29, 125 close-packed ones 39.5.
#define ISLAND_BODY_BLOCKS 40u
#define ISLAND_BODY_NUMBERS 29u // beside them, and its rows of tables

/// Most bodies of an island with a matrix. flags: of the scene.
FN_SHORT u32 island_bodies_most(u32 flags) {
    return flags & (SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID) ? ISLAND_JOINTED_MAX : ISLAND_BODIES_MAX;
}

/// Upper bound of the numbers that the matrices of all islands of so many free bodies take, as block_matrix.h lays them
/// out, of `most` bodies at most in each.
FN u32 island_room(u32 bodies, u32 most) {
    u32 blocks = bodies * u32_min(2u * bodies, ISLAND_BODY_BLOCKS);
    u32 table = bodies * u32_min(bodies, most);
    return ISLAND_BODY_NUMBERS * bodies + table + (ISLAND_BODY_ROWS * ISLAND_BODY_ROWS + 1u) * blocks;
}

/// Numbers for the lists of what takes part in steps (active.h): whole cache lines.
FN u32 list_room(SlotRoom room) {
    return (5u * room.bodies + 3u + room.contacts + 5u * room.candidates + 15u) / 16u * 16u;
}

// Where groups serve scenes from queues (stepper/queue_group.h): most items of a group, its slots, and bytes of a
// scene between two rounds.
#define QUEUE_ITEMS_MOST 512u
#define QUEUE_SLOTS_ITEM 16u // for each item
#define PARKED_BYTES 3584u

#define GAP_TIMES 5u
#define GAP_UNKNOWN REAL_HUGE // of a pair that was not queried: apart

// Candidate.ties
#define TIES_NOT 0u // they cannot
#define TIES_MAY 1u // they may, and their bodies are joined for that
#define TIES_ONE 2u // not tested: their bodies are joined anyway
#define TIES_NEW 3u // they may, and are not joined yet

typedef struct Candidate { // (n_slot, room.candidates): a contact that could form before the list is rebuilt
    real gap_m[GAP_TIMES]; // signed distance at the times that a step keeps: its start, a bracket and the start of the
                           // search in it
    real rate_m_per_s[GAP_TIMES];
    real tolerance_m; // for locating its events
    u32 shape_a, shape_b;
    Vec3 away;    // unit: normal of the last query, and with it a lower bound of the gap:
    real clear_m; // away . (centre of B - centre of A) + clear_m - rotation_path_since_m of both bodies
    u32 feature;
    u32 contact;        // index of its contact; NONE
    u32 changes;        // 1: changes state at the time just located
    u32 observes;       // 1: of an observer pair
    u32 is_skipped;     // 1: cannot touch within the trial step, its gap there is GAP_UNKNOWN
    u32 ties;           // TIES_*: may its shapes touch within the window?
    u32 body_a, body_b; // of its shapes
} Candidate;
ASSERT_SIZE(Candidate, 160);

// A shape in the world, relative to the centre of mass of its body.
typedef struct PlacedShape {
    Vec3 arm_m; // shape origin minus centre of mass
    Mat3 turn;  // shape to world
} PlacedShape;
ASSERT_SIZE(PlacedShape, 96);

// The slices of a scene and of its slot in all arrays. In private memory of each of its work-items (items).
typedef struct SceneView {
    GLOBAL const Scene *scene;
    GLOBAL const Body *bodies;           // (body_count)
    GLOBAL const Shape *shapes;          // (shape_count)
    GLOBAL const MaterialPairLaw *laws;  // (material_count, material_count)
    GLOBAL const Watch *watches;         // (watch_count)
    GLOBAL const HullRow *hulls;         // (n_hull_row): of all scenes
    GLOBAL const Joint *joints;          // (joint_count)
    GLOBAL const FunctionRow *functions; // (function_count)
    GLOBAL const RegionLaw *region_laws; // (material_count, material_count); 0 under `events`
    const struct RegionSlot *surfaces;   // meshes and the slot's lists for their regions (pairs/region_match.h); 0
                                         // without meshes
    GLOBAL BodyState *states;            // (body_count): the present, accepted state
    GLOBAL BodyState *frames;            // (frame_capacity, body_count)
    GLOBAL Extreme *extremes;            // (watch_count)
    GLOBAL BodyWork *works;              // (body_count); this and those below are its slot's
    GLOBAL Candidate *candidates;        // (room.candidates)
    GLOBAL Contact *contacts;            // (room.contacts)
    GLOBAL Event *events;                // (room.events)
    GLOBAL ContactRow *rows;             // (room.rows): recorded contacts
    GLOBAL real *matrices;               // (room.numbers): of the islands, see islands.h
    GLOBAL PlacedShape *placed;          // (room.shapes): shapes of fixed bodies, which stay; 0: not stored
    GLOBAL Slot *slot;
    GLOBAL u32 *moving;           // (room.bodies): bodies that move now; this list and the next two in rising order
    GLOBAL u32 *active_contacts;  // (room.contacts): of the contacts those that are active
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
    return HAS(CONTENT_JOINTS) && contact->pair.candidate == NONE ? 1u : 0u;
}

/// Is it a load, one of these (joints/load.h)?
FN_SHORT u32 contact_is_load(GLOBAL const Contact *contact) {
    return HAS(CONTENT_JOINTS) && contact->pair.form == COUPLING_LOAD ? 1u : 0u;
}

/// Is it a joint that constrains motion, rather than one with a force law?
FN_SHORT u32 contact_is_constraint(const SceneView *view, GLOBAL const Contact *contact) {
    if (!scheme_is_solved(view->scene->flags) || !contact_is_joint(contact)) return 0;
    return view->joints[contact->pair.feature].kind > JOINT_SPRING_DAMPER ? 1u : 0u;
}

/// Is a row of the list of contacts a contact region? Where there are constraints there are no other contacts.
FN_SHORT u32 contact_is_region(const SceneView *view, GLOBAL const Contact *contact) {
    return view->scene->flags & SCENE_TRAPEZOIDAL && !contact_is_joint(contact) ? 1u : 0u;
}

/// Is it a contact of quasi-rigid bodies?
FN_SHORT u32 contact_is_quasi_rigid(const SceneView *view, GLOBAL const Contact *contact) {
    return view->scene->flags & SCENE_QUASI_RIGID && !contact_is_joint(contact) ? 1u : 0u;
}

/// May something that is given over time work on the bodies: loads, driven bodies, motions of joints?
FN_SHORT u32 scene_has_given(const SceneView *view) {
    return HAS(CONTENT_JOINTS) && view->scene->flags & (SCENE_TIMED | SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID) ? 1u : 0u;
}

/// Are bodies stepped group by group now (group_windows.h)?
FN_SHORT u32 is_grouped(SCENE_SPACE const Progress *progress) {
    return HAS(CONTENT_BODIES) && progress->group != NONE ? 1u : 0u;
}

// Loops over what takes part in the present step: _LOOP shared among the items of a scene, EACH_ by one item.
#define LIST_LOOP(item, list, count, first, stride)                                                                    \
    for (u32 at_##item = (first), item = 0; at_##item < (count) && ((item = (list)[at_##item]), 1);                    \
         at_##item += (stride))
#define MOVING_LOOP(b) LIST_LOOP(b, view->moving, view->slot->moving_count, view->item, SCENE_ITEMS)
#define ACTIVE_LOOP(c) LIST_LOOP(c, view->active_contacts, view->slot->active_count, view->item, SCENE_ITEMS)
#define LIVE_LOOP(i) LIST_LOOP(i, view->live, view->slot->live_count, view->item, SCENE_ITEMS)
#define EACH_MOVING(b) LIST_LOOP(b, view->moving, view->slot->moving_count, 0, 1)
#define EACH_ACTIVE(c) LIST_LOOP(c, view->active_contacts, view->slot->active_count, 0, 1)
#define EACH_LIVE(i) LIST_LOOP(i, view->live, view->slot->live_count, 0, 1)

#define GROUP_LOOP(item, list, ends, group)                                                                            \
    LIST_LOOP(item, list, (ends)[group], (group) > 0 ? (ends)[(group)-1] : 0u, 1)
/// One item, over the bodies and the candidates of a group.
#define EACH_GROUP_BODY(b, group) GROUP_LOOP(b, view->group_bodies, view->group_ends, group)
#define EACH_GROUP_CANDIDATE(i, group)                                                                                 \
    GROUP_LOOP(i, view->group_candidates, view->group_ends + view->room.bodies + 1u, group)

// Where few candidates need something long, a first loop over so many marks them in a mask, and a second one does it:
// work-items of a warp need it of candidates at different places, and so do it at the same time. On processors each
// does it where it needs it.
#ifndef LIVE_TOGETHER
#define LIVE_TOGETHER (OWN_SLOTS || QUEUE_ITEMS > 0 ? 32u : 1u)
#endif

/// The candidate of the lowest bit of a mask over the list of candidates from place `first` on.
FN u32 live_chosen(const SceneView *view, u32 first, u32 mask) {
    return view->live[first + lowest_bit(mask) * SCENE_ITEMS];
}

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

FN u32 body_moves(const SceneView *view, u32 body) { return view->works[body].mode >= MODE_DRIVEN ? 1u : 0u; }

/// Does it move by its forces, rather than as given over time?
FN u32 body_is_stepped(const SceneView *view, u32 body) { return view->works[body].mode >= MODE_FLYING ? 1u : 0u; }

/// Does a body stay where it is while the scene lasts?
FN_SHORT u32 body_stays(u32 flags) { return (flags & (BODY_FIXED | BODY_DRIVEN)) == BODY_FIXED ? 1u : 0u; }

/// The group of bodies with which a pair is stepped. Bodies of two groups are apart; those that only observe belong
/// to each.
FN u32 pair_group(const SceneView *view, u32 body_a, u32 body_b) {
    return u32_min(view->works[body_a].group.number, view->works[body_b].group.number);
}

/// Are the bodies of a row of the list of contacts stepped with that group?
FN u32 contact_is_of_group(const SceneView *view, u32 c, u32 group) {
    return pair_group(view, view->contacts[c].pair.body_a, view->contacts[c].pair.body_b) == group ? 1u : 0u;
}

/// The group of a candidate.
FN u32 candidate_group(const SceneView *view, GLOBAL const Candidate *candidate) {
    return pair_group(view, candidate->body_a, candidate->body_b);
}

/// Does a pair wait because other bodies are stepped?
FN u32 candidate_waits(const SceneView *view, SCENE_SPACE const Progress *progress, GLOBAL const Candidate *candidate) {
    if (progress->group == NONE) return 0;
    u32 a = candidate->body_a, b = candidate->body_b;
    if (pair_group(view, a, b) != progress->group) return 1;
    return view->works[a].mode == MODE_WAITING || view->works[b].mode == MODE_WAITING ? 1u : 0u;
}

FN real scene_time(const SceneView *view, SCENE_SPACE const Progress *progress) {
    return (real)progress->step_index * view->scene->step_s + progress->offset_s;
}

/// Count `count` evaluated forces of contacts.
FN void work_count_forces(SCENE_SPACE Progress *progress, u32 count) {
    progress->forces += count;
    progress->work += (real)count;
}

/// Has the scene exceeded its work limit? If so, it ends. Tested in every loop whose length is not bounded by a small
/// number, so that a scene without progress ends by itself; the work is the scene's own, independent of device and
/// neighbours.
FN u32 work_is_spent(const SceneView *view, SCENE_SPACE Progress *progress) {
    if (progress->work <= view->scene->work_limit) return 0;
    progress->status = STATUS_STEP_LIMIT;
    return 1;
}

// Substeps and rejected trials per millisecond of an outer step. Implicit steps need a tenth at most: a sticking impact
// of steel at 100 m/s takes an explicit method more than 20,000.
#define SUBSTEPS_PER_MS 200000.0

/// Length of an outer step in ms, at least 1: what limits on an outer step are multiplied by.
FN real scene_step_ms(const SceneView *view) { return real_max(1.0, view->scene->step_s / 1.0e-3); }

/// Substeps, with rejected trials, that an outer step may take; beyond them the scene ends (step_limit).
FN real scene_substeps_most(const SceneView *view) { return SUBSTEPS_PER_MS * scene_step_ms(view); }

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
    return GRAVITY_BOUND * vec3_length(scene_gravity(view, COPY(view->works[body].step.trial.position_m)));
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

FN real body_kinetic_energy_at(const SceneView *view, u32 body, GLOBAL const BodyState *state) {
    GLOBAL const Body *given = &view->bodies[body];
    Vec3 v = state->velocity_m_per_s;
    Vec3 w = state->spin_rad_per_s;
    return 0.5 * (given->mass_kg * vec3_dot(v, v) + vec3_dot(w, vec3_multiply(given->inertia_kg_m2, w)));
}
FN real body_kinetic_energy(const SceneView *view, u32 body) {
    return body_kinetic_energy_at(view, body, &view->states[body]);
}

/// Row of the scene's table of laws that two shapes have.
FN_SHORT u32 scene_law_row(const SceneView *view, u32 shape_a, u32 shape_b) {
    return view->shapes[shape_a].material * view->scene->material_count + view->shapes[shape_b].material;
}
FN MaterialPairLaw scene_law(const SceneView *view, u32 shape_a, u32 shape_b) {
    return view->laws[scene_law_row(view, shape_a, shape_b)];
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
