// From the geometry of a contact that begins to its constants (law_damping.h, law_kinds.h): effective masses, and the
// effective radius from the curvatures at the contact point (contact_radius: local).
#ifndef CLACK_LAW_CONTACT_BEGIN_H
#define CLACK_LAW_CONTACT_BEGIN_H

#include "geometry/core_pair.h"
#include "geometry/shape.h"
#include "pairs/contact_curvature.h"
#include "pairs/contact_features.h"
#include "pairs/pair_kinematics.h"
#include "law/law_damping.h"
#include "law/hertz_ellipse.h"
#include "law/mindlin_spring.h"

#define BEGIN_SHARP_PER_M 1.0e30 // curvature of a sharp corner, to which Hertz's law does not apply

/// Curvature of a shape across the normal, 1/m: the inverse of its radii. Its radii are those of the core (`radii`, the
/// second derivative of its support function) plus that of the ball. Curvature is 0 along an edge and on a face.
FN CoreForm begin_curvature(CoreCurvature radii, real ball_m) {
    CoreForm form;
    form.ss = form.st = form.tt = 0.0;
    if (radii.edges == 2) return form;
    real xx = radii.xx + ball_m, xy = radii.xy, yy = radii.yy + ball_m;
    if (radii.edges == 1) {
        Across q = across_make(0.0 - radii.edge.y, radii.edge.x);
        real radius = q.x * q.x * xx + 2.0 * q.x * q.y * xy + q.y * q.y * yy;
        real curvature = radius * BEGIN_SHARP_PER_M > 1.0 ? 1.0 / radius : BEGIN_SHARP_PER_M;
        form.ss = curvature * q.x * q.x;
        form.st = curvature * q.x * q.y;
        form.tt = curvature * q.y * q.y;
        return form;
    }
    real determinant = xx * yy - xy * xy;
    u32 is_round = xx > 0.0 && yy > 0.0 && determinant > 0.0 ? 1u : 0u;
    form.ss = is_round ? yy / determinant : BEGIN_SHARP_PER_M;
    form.st = is_round ? 0.0 - xy / determinant : 0.0;
    form.tt = is_round ? xx / determinant : BEGIN_SHARP_PER_M;
    return form;
}

/// Curvature of one shape of a contact that begins: at the contact point if it is SHAPE_LOCAL, else 1 / its radius of
/// contact. point: of its core.
FN CoreForm begin_shape_curvature(const SceneView *view, ContactKey key, u32 is_of_a, PlacedShape placed,
                                  SurfacePoint point) {
    GLOBAL const Shape *shape = &view->shapes[is_of_a != 0 ? key.shape_a : key.shape_b];
    if (shape->flags & SHAPE_LOCAL) {
        CoreCurvature radii = contact_core_curvature(view, key, is_of_a, placed, point);
        if (radii.xx + radii.yy < 0.0) { // the point of a rim opposite to the lowest: round as well
            radii.xx = 0.0 - radii.xx;
            radii.xy = 0.0 - radii.xy;
            radii.yy = 0.0 - radii.yy;
        }
        return begin_curvature(radii, shape_ball_radius(shape));
    }
    CoreForm form;
    form.ss = form.tt = shape_is_flat(shape) != 0 ? 0.0 : 1.0 / shape->contact_radius_m;
    form.st = 0.0;
    return form;
}

/// Effective radius at the point of contact; 0 where Hertz's law has none: faces, lines, sharp corners.
FN_ONCE real begin_local_radius(const SceneView *view, ContactKey key, const PairKinematics *kinematics,
                                PlacedPair placed) {
    real ball_a = shape_ball_radius(&view->shapes[key.shape_a]), ball_b = shape_ball_radius(&view->shapes[key.shape_b]);
    Vec3 n = kinematics->normal, x = vec3_perpendicular(n), y = vec3_cross(n, x);
    // The contact point is midway between both surfaces.
    Vec3 core_a = vec3_add_scaled(kinematics->lever_a_m, n, 0.0 - (0.5 * kinematics->gap_m + ball_a));
    Vec3 core_b = vec3_add_scaled(kinematics->lever_b_m, n, 0.5 * kinematics->gap_m + ball_b);
    CoreForm a = begin_shape_curvature(view, key, 1, placed.a, contact_surface_point(core_a, n, x, y));
    CoreForm b = begin_shape_curvature(view, key, 0, placed.b, contact_surface_point(core_b, vec3_negate(n), x, y));
    real ss = a.ss + b.ss, st = a.st + b.st, tt = a.tt + b.tt;
    real spread = real_sqrt(0.25 * (ss - tt) * (ss - tt) + st * st);
    real most = 0.5 * (ss + tt) + spread;
    if (!(most > 0.0 && most < BEGIN_SHARP_PER_M)) return 0.0;
    return hertz_radius_m((ss * tt - st * st) / most, most);
}

/// Constants of a contact that begins with these kinematics, of bodies in these states.
FN LawConstants contact_begin_constants(const SceneView *view, ContactKey key, const PairKinematics *kinematics,
                                        GLOBAL const BodyState *state_a, GLOBAL const BodyState *state_b) {
    GLOBAL const Shape *a = &view->shapes[key.shape_a];
    GLOBAL const Shape *b = &view->shapes[key.shape_b];
    MaterialPairLaw law = scene_law(view, key.shape_a, key.shape_b);
    real approach = real_max(0.0, -kinematics->rate_m_per_s);
    real radius = law_radius_m(a->contact_radius_m, a->flags & SHAPE_FLAT, b->contact_radius_m, b->flags & SHAPE_FLAT);
    if (view->scene->flags & SCENE_LOCAL_RADIUS && (a->flags | b->flags) & SHAPE_LOCAL) {
        PlacedPair placed = pair_place_both(view, key.shape_a, key.shape_b, state_a, state_b);
        real at_point = begin_local_radius(view, key, kinematics, placed);
        radius = at_point > 0.0 ? at_point : radius;
    }
    LawConstants constants = law_begin(law, radius, approach);
    real inverse_mass = view->bodies[a->body].inverse_mass + view->bodies[b->body].inverse_mass;
    if (!(inverse_mass > 0.0)) return constants;
    if (!law_is_hertz(law.normal_law)) {
        Vec3 n = kinematics->normal;
        real inverse_along =
            pair_inverse_mass(&view->bodies[a->body], COPY(state_a->orientation), COPY(kinematics->lever_a_m), n) +
            pair_inverse_mass(&view->bodies[b->body], COPY(state_b->orientation), COPY(kinematics->lever_b_m), n);
        law_begin_not_hertz(law, inverse_along, &constants);
        if (spring_is_of_law(law))
            constants.shear_damping = spring_damping_linear(constants, 1.0 / inverse_along, 1.0 / inverse_mass);
    } else if (spring_is_of_law(law)) {
        constants.shear_damping = spring_damping(law, approach, 1.0 / inverse_mass);
    }
    return constants;
}

#endif
