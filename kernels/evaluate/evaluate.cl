// The evaluator on its own: poses and velocities in, contacts and forces out, without stepping. Flat
// kernels over N configurations of one scene; what they compute is what `advance` calls as well.
#include "model/evaluate_types.h"
#include "geometry/manifold_points.h"
#include "geometry/mpr_contact.h"
#include "geometry/narrow_phase.h"
#include "geometry/shape.h"
#include "pairs/contact_features.h"
#include "pairs/pair_kinematics.h"
#include "pairs/region_list.h"
#include "law/contact_begin.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"

// Bounds are enlarged by these shares of a shape's size and of its coordinates, above the error of any
// distance, so that a pair that the narrow phase finds within the margin is never left out.
#define EVALUATE_SPARE_SIZE 1.0e-5
#define EVALUATE_SPARE_PLACE (8.0 * REAL_EPSILON)

// Only what pairs need: no contact lists; one item.
FN SceneView evaluate_view(GLOBAL const Scene *scene, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                           GLOBAL const MaterialPairLaw *laws, GLOBAL const HullRow *hulls) {
    SceneView view;
    view.scene = scene;
    view.bodies = bodies;
    view.shapes = shapes;
    view.laws = laws;
    view.watches = 0;
    view.hulls = hulls;
    view.states = 0;
    view.works = 0;
    view.candidates = 0;
    view.contacts = 0;
    view.events = 0;
    view.frames = 0;
    view.extremes = 0;
    view.rows = 0;
    view.placed = 0;
    view.scratch = 0;
    view.item = 0;
    return view;
}

/// By how much rounding may have moved a shape before the narrow phase sees it, m. No distance changes by more than its
/// shapes move. A coordinate of the centre of mass is that of the body's frame plus the offset from there, rounded:
/// by half a last place at most, and by no more than that offset. Offsets within the body are rotated, with the
/// rounding of any length.
FN real evaluate_moved_m(const SceneView *view, u32 shape, GLOBAL const BodyState *state) {
    GLOBAL const Body *body = &view->bodies[view->shapes[shape].body];
    Vec3 offset = quat_rotate(state->orientation, body->origin_m);
    Vec3 last = vec3_scale(state->position_m, 0.5 * REAL_EPSILON);
    Vec3 moved =
        vec3_make(real_min(real_abs(last.x), real_abs(offset.x)), real_min(real_abs(last.y), real_abs(offset.y)),
                  real_min(real_abs(last.z), real_abs(offset.z)));
    real rotation_path_since_m = vec3_length(body->origin_m) + vec3_length(view->shapes[shape].position_m);
    return vec3_length(moved) + NARROW_ROUNDING * rotation_path_since_m;
}

/// By how much the depth of cores that overlap may exceed the least, m: of depths that differ by less any is taken.
FN real evaluate_depth_tolerance_m(const SceneView *view, u32 shape_a, u32 shape_b, real distance_m) {
    GLOBAL const Shape *a = &view->shapes[shape_a], *b = &view->shapes[shape_b];
    if (narrow_has_closed_form(a->kind, b->kind, pair_flags(view, shape_a, shape_b)) != 0) return 0.0;
    if (distance_m + shape_ball_radius(a) + shape_ball_radius(b) > 0.0) return 0.0;
    return MPR_DECREASE_MIN * (shape_size_m(a) + shape_size_m(b));
}

#if BUILD_PROGRAMS & PROGRAM_EVALUATE

/// One work-item for each configuration and shape.
KERNEL void evaluate_bounds(GLOBAL const EvaluateSettings *settings, GLOBAL const Scene *scene,
                            GLOBAL const Body *bodies, GLOBAL const Shape *shapes, GLOBAL const HullRow *hulls,
                            GLOBAL const BodyState *states, GLOBAL ShapeBounds *bounds, u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    u32 configuration = item / settings->shape_count;
    u32 shape = item % settings->shape_count;
    SceneView view = evaluate_view(scene, bodies, shapes, 0, hulls);
    GLOBAL const BodyState *state = &states[configuration * settings->body_count + shapes[shape].body];
    PlacedShape placed = pair_place_shape(&view, shape, state);
    Vec3 centre = vec3_add(state->position_m, placed.arm_m);
    real radius = shapes[shape].bound_radius_m;
    Vec3 extent = kind_is(shapes[shape].kind, SHAPE_MESH) ? vec3_make(radius, radius, radius) // not read
                                                          : shape_half_extents(&shapes[shape], hulls, placed.turn);
    real spare = EVALUATE_SPARE_SIZE * vec3_max_abs(extent) +
                 EVALUATE_SPARE_PLACE * (vec3_max_abs(state->position_m) + vec3_max_abs(centre));
    bounds[item].centre_m = centre;
    bounds[item].half_m = vec3_add(extent, vec3_make(spare, spare, spare));
}

/// Written so that bounds which are not finite count as near: the narrow phase says what they are.
FN u32 evaluate_bounds_overlap(GLOBAL const ShapeBounds *a, GLOBAL const ShapeBounds *b, real margin) {
    Vec3 between = vec3_sub(b->centre_m, a->centre_m);
    Vec3 reach = vec3_add(a->half_m, b->half_m);
    if (real_abs(between.x) > reach.x + margin) return 0;
    if (real_abs(between.y) > reach.y + margin) return 0;
    return real_abs(between.z) > reach.z + margin ? 0u : 1u;
}

/// The near regions of a pair whose bounds meet: how many there are. Listed from `near` on unless that is 0. states: of
/// the configuration. Distances are the narrow phase's, bit by bit.
FN u32 evaluate_regions(const SceneView *view, ShapePair pair, GLOBAL const BodyState *states, real margin,
                        GLOBAL NearPair *near, NearPair row) {
    GLOBAL const Shape *a = &view->shapes[pair.shape_a], *b = &view->shapes[pair.shape_b];
    PlacedPair placed = ALL_ZERO;
    if (region_has_many(view, pair.shape_a, pair.shape_b)) // else it is not read
        placed = pair_place_both(view, pair.shape_a, pair.shape_b, &states[a->body], &states[b->body]);
    RegionList regions = region_list(view, pair.shape_a, pair.shape_b, &placed, margin, REGIONS_NEAR);
    u32 count = 0;
    while (region_next(&regions)) {
        row.feature = regions.number;
        if (near != 0) near[count] = row;
        count++;
    }
    return count;
}

// What near pairs are found from.
typedef struct EvaluateLists {
    GLOBAL const ShapePair *pairs;
    GLOBAL const u32 *rows; // (n_shape + 1): where each shape's pairs begin
    GLOBAL const BodyState *states;
    GLOBAL const ShapeBounds *bounds;
} EvaluateLists;

FN EvaluateLists evaluate_lists(GLOBAL const ShapePair *pairs, GLOBAL const u32 *rows, GLOBAL const BodyState *states,
                                GLOBAL const ShapeBounds *bounds) {
    EvaluateLists lists;
    lists.pairs = pairs;
    lists.rows = rows;
    lists.states = states;
    lists.bounds = bounds;
    return lists;
}

/// The near regions of one configuration's pairs whose first shape is this one: how many there are. Listed from `near`
/// on unless that is 0. item: configuration and shape.
FN u32 evaluate_walk(const SceneView *view, GLOBAL const EvaluateSettings *settings, EvaluateLists lists,
                     GLOBAL NearPair *near, u32 item) {
    u32 configuration = item / settings->shape_count;
    u32 shape = item % settings->shape_count;
    GLOBAL const ShapeBounds *here = &lists.bounds[item - shape];
    GLOBAL const BodyState *present = &lists.states[configuration * settings->body_count];
    u32 count = 0;
    NearPair row;
    row.configuration = configuration;
    row.feature = 0;
    for (row.pair = lists.rows[shape]; row.pair < lists.rows[shape + 1]; row.pair++) {
        ShapePair pair = lists.pairs[row.pair];
        if (!evaluate_bounds_overlap(&here[pair.shape_a], &here[pair.shape_b], settings->margin_m)) continue;
        count += evaluate_regions(view, pair, present, settings->margin_m, near != 0 ? near + count : 0, row);
    }
    return count;
}

/// One work-item for each configuration and shape.
KERNEL void evaluate_count(GLOBAL const EvaluateSettings *settings, GLOBAL const Scene *scene,
                           GLOBAL const Body *bodies, GLOBAL const Shape *shapes, GLOBAL const MaterialPairLaw *laws,
                           GLOBAL const HullRow *hulls, GLOBAL const ShapePair *pairs, GLOBAL const u32 *rows,
                           GLOBAL const BodyState *states, GLOBAL const ShapeBounds *bounds, GLOBAL u32 *counts,
                           u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    SceneView view = evaluate_view(scene, bodies, shapes, laws, hulls);
    counts[item] = evaluate_walk(&view, settings, evaluate_lists(pairs, rows, states, bounds), 0, item);
}

/// From places[item] on: the sums of the counts before.
KERNEL void evaluate_list(GLOBAL const EvaluateSettings *settings, GLOBAL const Scene *scene, GLOBAL const Body *bodies,
                          GLOBAL const Shape *shapes, GLOBAL const MaterialPairLaw *laws, GLOBAL const HullRow *hulls,
                          GLOBAL const ShapePair *pairs, GLOBAL const u32 *rows, GLOBAL const BodyState *states,
                          GLOBAL const ShapeBounds *bounds, GLOBAL const u32 *places, GLOBAL NearPair *near,
                          u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    SceneView view = evaluate_view(scene, bodies, shapes, laws, hulls);
    evaluate_walk(&view, settings, evaluate_lists(pairs, rows, states, bounds), near + places[item], item);
}

/// Distance, normal, points and relative motion; one work-item for each near region.
KERNEL void evaluate_narrow(GLOBAL const EvaluateSettings *settings, GLOBAL const Scene *scene,
                            GLOBAL const Body *bodies, GLOBAL const Shape *shapes, GLOBAL const MaterialPairLaw *laws,
                            GLOBAL const HullRow *hulls, GLOBAL const ShapePair *pairs, GLOBAL const BodyState *states,
                            GLOBAL const NearPair *near, GLOBAL PairKinematics *all_kinematics, u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    SceneView view = evaluate_view(scene, bodies, shapes, laws, hulls);
    ShapePair pair = pairs[near[item].pair];
    GLOBAL const BodyState *present = &states[near[item].configuration * settings->body_count];
    all_kinematics[item] =
        kinematics_of_states(&view, pair.shape_a, pair.shape_b, near[item].feature, &present[shapes[pair.shape_a].body],
                             &present[shapes[pair.shape_b].body], 0);
}

/// The force of a contact that begins in this configuration; one work-item for each near region.
KERNEL void evaluate_force(GLOBAL const EvaluateSettings *settings, GLOBAL const Scene *scene,
                           GLOBAL const Body *bodies, GLOBAL const Shape *shapes, GLOBAL const MaterialPairLaw *laws,
                           GLOBAL const HullRow *hulls, GLOBAL const ShapePair *pairs, GLOBAL const BodyState *states,
                           GLOBAL const NearPair *near, GLOBAL const PairKinematics *all_kinematics,
                           GLOBAL PairContact *contacts, u32 count) {
    u32 item = (u32)get_global_id(0);
    if (item >= count) return;
    SceneView view = evaluate_view(scene, bodies, shapes, laws, hulls);
    ShapePair pair = pairs[near[item].pair];
    PairKinematics kinematics = all_kinematics[item];
    PairContact contact;
    contact.configuration = near[item].configuration;
    contact.shape_a = pair.shape_a;
    contact.shape_b = pair.shape_b;
    contact.feature = near[item].feature;
    contact.body_a = shapes[pair.shape_a].body;
    contact.body_b = shapes[pair.shape_b].body;
    GLOBAL const BodyState *present = &states[contact.configuration * settings->body_count];
    contact.point_a_m = vec3_add(present[contact.body_a].position_m, kinematics.point_a_m);
    contact.point_b_m = vec3_add(present[contact.body_b].position_m, kinematics.point_b_m);
    contact.distance_m = kinematics.gap_m;
    contact.error_m = kinematics.error_m + evaluate_moved_m(&view, pair.shape_a, &present[contact.body_a]) +
                      evaluate_moved_m(&view, pair.shape_b, &present[contact.body_b]) +
                      evaluate_depth_tolerance_m(&view, pair.shape_a, pair.shape_b, kinematics.gap_m);
    contact.normal = kinematics.normal;
    contact.status = kinematics.status;
    contact.iterations = kinematics.iterations;
    ContactKey key = contact_key(pair.shape_a, pair.shape_b, contact.feature);
    LawConstants constants =
        contact_begin_constants(&view, key, &kinematics, &present[contact.body_a], &present[contact.body_b]);
    MaterialPairLaw law = scene_law(&view, pair.shape_a, pair.shape_b);
    LawNumbers numbers = law_numbers(constants, law, scene->flags);
    LawForce force = law_force(&numbers, -kinematics.gap_m, kinematics.normal, kinematics.velocity_m_per_s,
                               kinematics.spin_rad_per_s);
    Vec3 stretches[SPRING_PARTS]; // it begins
    for (u32 part = 0; part < SPRING_PARTS; part++) stretches[part] = vec3_zero();
    real cuts[SPRING_PARTS];
    if (spring_is_of_law(law)) force = contact_add_spring(force, constants, law, kinematics, stretches, cuts);
    GLOBAL const MaterialPairLaw *of = &view.laws[scene_law_row(&view, pair.shape_a, pair.shape_b)];
    if (ellipsoid_is_of_law(law))
        force = ellipsoid_add(force, of, kinematics,
                              friction_axis(&view, &of->ellipsoid, pair.shape_a, pair.shape_b, &present[contact.body_a],
                                            &present[contact.body_b]));
    contact.approach_m_per_s = -kinematics.rate_m_per_s;
    contact.slip_m_per_s = force.slip_m_per_s;
    // Apart, the reference's law would pull; observers exert no force.
    u32 touches = kinematics.gap_m <= 0.0 && !(law.flags & LAW_OBSERVER) ? 1u : 0u;
    contact.normal_N = touches ? force.normal_N : 0.0;
    contact.force_N = touches ? force.force_N : vec3_zero();
    contact.torque_N_m = touches ? force.torque_N_m : vec3_zero();
    contact.tangential_N = touches ? force.friction_N : vec3_zero();
    contacts[item] = contact;
}

#endif // PROGRAM_EVALUATE
