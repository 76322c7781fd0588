// Penetration depth of two overlapping cores (expanding polytope algorithm): a polytope of support points of D about
// the origin grows where it is nearest to the origin, until nothing of D lies beyond its nearest face. No face is
// nearer to the origin than the surface of D, so the result is the least depth, not a local one.
//
// It starts from the simplex with which GJK enclosed the origin, and ends after one to three more support points for
// most pairs. If there is no more room, or rounding leaves a face without a plane, it ends, and the caller goes on from
// its nearest face. Source: G. van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects,
// GDC (2001).
#ifndef CLACK_GEOMETRY_EXPANDING_POLYTOPE_H
#define CLACK_GEOMETRY_EXPANDING_POLYTOPE_H

#include "geometry/core_pair.h"
#include "geometry/feature.h"
#include "geometry/gjk.h"
#include "geometry/mpr.h"
#include "geometry/mpr_contact.h"
#include "geometry/triangle.h"

#define EXPAND_POINTS 24u           // with 16 a twentieth of pairs with nearly coincident centres do not end
#define EXPAND_FACES 44u            // twice the points, less 4
#define EXPAND_COARSE 1.0e-3        // of the sizes: excess of D over a face at which Newton's method on features starts
#define EXPAND_FINER 1.0e-1         // of that, if it did not end at an answer
#define EXPAND_ASIDE 0.9            // cosine between normals that belong to different answers
#define EXPAND_LEVEL 0.999999999999 // cosine between faces of one plane
#define EXPAND_ROUNDING 1.0e-15     // of the sizes: nearer to a plane points count as in it

typedef struct ExpandFace { // counter-clockwise seen from outside
    Vec3 n;
    real h;         // height of its plane above the origin, m
    u32 c1, c2, c3; // numbers of points
} ExpandFace;

typedef struct Expand {
    CorePoint points[EXPAND_POINTS];
    ExpandFace faces[EXPAND_FACES];
    u32 point_count, face_count;
    u32 is_lost; // a face has no plane, or there is no room for one
} Expand;

FN void polytope_add_face(Expand *e, u32 c1, u32 c2, u32 c3) {
    if (e->face_count == EXPAND_FACES) {
        e->is_lost = 1;
        return;
    }
    ExpandFace *face = &e->faces[e->face_count++];
    Vec3 a = e->points[c1].p, ab = vec3_sub(e->points[c2].p, a), ac = vec3_sub(e->points[c3].p, a);
    Vec3 n = vec3_cross(ab, ac);
    real square = vec3_dot(n, n);
    if (!(square > GJK_THIN * GJK_THIN * GJK_THIN * GJK_THIN * (vec3_dot(ab, ab) * vec3_dot(ac, ac)))) e->is_lost = 1;
    face->n = vec3_scale(n, 1.0 / real_sqrt(square));
    face->h = vec3_dot(face->n, a);
    face->c1 = c1;
    face->c2 = c2;
    face->c3 = c3;
}

FN void polytope_begin(const GjkSimplex *s, Expand *e) {
    e->points[0] = s->c1;
    e->points[1] = s->c2;
    e->points[2] = s->c3;
    e->points[3] = s->c4;
    e->point_count = 4;
    e->face_count = e->is_lost = 0;
    Vec3 c = s->c4.p;
    u32 is_left =
        vec3_dot(triangle_normal(COPY(s->c1.p), COPY(s->c2.p), COPY(s->c3.p)), vec3_sub(c, s->c1.p)) > 0.0 ? 1u : 0u;
    u32 second = is_left != 0 ? 2u : 1u, third = is_left != 0 ? 1u : 2u;
    polytope_add_face(e, 0, second, third);
    polytope_add_face(e, 3, second, 0);
    polytope_add_face(e, 3, third, second);
    polytope_add_face(e, 3, 0, third);
}

FN_SHORT u32 polytope_nearest(const Expand *e) {
    u32 nearest = 0;
    real h = e->faces[0].h;
    for (u32 i = 1; i < e->face_count; i++) {
        nearest = e->faces[i].h < h ? i : nearest;
        h = real_min(h, e->faces[i].h);
    }
    return nearest;
}

FN_SHORT u32 polytope_is_level(const ExpandFace *face, const ExpandFace *nearest, real flat) {
    return (face->h <= nearest->h + flat ? 1u : 0u) & (vec3_dot(face->n, nearest->n) > EXPAND_LEVEL ? 1u : 0u);
}

/// Of the faces in the plane of the nearest one, the face that contains the foot of the origin.
FN const ExpandFace *polytope_at_foot(const Expand *e, const ExpandFace *nearest, real flat) {
    const ExpandFace *found = nearest;
    real square = REAL_HUGE;
    u32 level = 0;
    for (u32 i = 0; i < e->face_count; i++) level += polytope_is_level(&e->faces[i], nearest, flat);
    for (u32 i = 0; i < e->face_count && level > 1; i++) {
        const ExpandFace *face = &e->faces[i];
        if (polytope_is_level(face, nearest, flat) == 0) continue;
        TrianglePoint at =
            triangle_nearest(COPY(e->points[face->c1].p), COPY(e->points[face->c2].p), COPY(e->points[face->c3].p));
        found = at.square < square ? face : found;
        square = real_min(square, at.square);
    }
    return found;
}

/// Add a point: remove the faces that it lies beyond, and join it to the edges around them.
FN void polytope_add(Expand *e, const CorePoint *c, real rounding_m) {
    u32 gone[EXPAND_FACES], gone_count = 0; // corners of 8 bits
    u32 leads_to[EXPAND_POINTS];            // bits of the points that edges of these faces lead to from each point
    u32 number = e->point_count;
    if (number == EXPAND_POINTS) {
        e->is_lost = 1;
        return;
    }
    for (u32 i = 0; i < number; i++) leads_to[i] = 0;
    for (u32 i = 0; i < e->face_count;) {
        ExpandFace *face = &e->faces[i];
        if (!(vec3_dot(face->n, c->p) - face->h > rounding_m)) {
            i++;
            continue;
        }
        leads_to[face->c1] |= 1u << face->c2;
        leads_to[face->c2] |= 1u << face->c3;
        leads_to[face->c3] |= 1u << face->c1;
        gone[gone_count++] = face->c1 | face->c2 << 8 | face->c3 << 16;
        *face = e->faces[--e->face_count];
    }
    e->points[number] = *c;
    e->point_count++;
    for (u32 i = 0; i < gone_count; i++) {
        u32 corners = gone[i];
        for (u32 k = 0; k < 3; k++) {
            u32 from = corners & 0xffu, to = corners >> 8 & 0xffu;
            if ((leads_to[to] >> from & 1u) == 0) polytope_add_face(e, from, to, number);
            corners = corners >> 8 | from << 16;
        }
    }
}

// May a face of another direction have a smaller depth behind it?
FN u32 polytope_is_contested(const Expand *e, const Feature *feature) {
    u32 is_contested = 0;
    for (u32 i = 0; i < e->face_count; i++)
        is_contested |=
            (e->faces[i].h < feature->f ? 1u : 0u) & (vec3_dot(e->faces[i].n, feature->n) < EXPAND_ASIDE ? 1u : 0u);
    return is_contested;
}

// The nearest face as a portal with the support point beyond it. `part`: the face that has the portal's corners;
// normals of faces in one plane differ by rounding, and the support point is that of the nearest one.
FN void polytope_take(const Expand *e, const ExpandFace *face, const ExpandFace *part, const CorePoint *beyond,
                      MprPortal *portal) {
    portal->r1.c = e->points[part->c1];
    portal->r2.c = e->points[part->c2];
    portal->r3.c = e->points[part->c3];
    portal->r1.p = portal->r1.c.p;
    portal->r2.p = portal->r2.c.p;
    portal->r3.p = portal->r3.c.p;
    portal->r4.c = *beyond;
    portal->r4.p = beyond->p;
    portal->r4.n = face->n;
    portal->beyond_m = vec3_dot(beyond->p, face->n) - face->h;
    portal->outcome = MPR_PLANE;
}

/// The least depth of D from a simplex that encloses the origin: its portal, and the result of Newton's method on its
/// features. Returns whether it was found: nothing lies beyond the portal, or the features are the answer. If not, the
/// portal is the nearest face so far; with no iterations there is none.
FN u32 polytope_way_out(const CorePair *pair, const GjkSimplex *s, MprPortal *portal, Featured *features) {
    Expand e;
    u32 is_curved = core_is_curved(&pair->a) | core_is_curved(&pair->b);
    real try_below = is_curved != 0 ? EXPAND_COARSE * pair->sizes_m : 0.0, flat = MPR_DECREASE_MIN * pair->sizes_m;
    polytope_begin(s, &e);
    portal->iterations = features->steps = features->is_certified = 0;
    while (e.is_lost == 0) {
        const ExpandFace *face = &e.faces[polytope_nearest(&e)];
        if (!(face->h > flat)) break; // too near to the surface of D to distinguish inside from outside
        CorePoint c = core_pair_support_call(pair, COPY(face->n), 1.0);
        real beyond = vec3_dot(c.p, face->n) - face->h;
        u32 is_last = beyond <= flat ? 1u : 0u;
        portal->iterations++;
        polytope_take(&e, face, is_last != 0 ? polytope_at_foot(&e, face, flat) : face, &c, portal);
        if (is_last != 0 || beyond <= try_below) {
            u32 steps = features->steps;
            mpr_features(pair, portal, features);
            features->steps += steps;
            u32 is_solved = mpr_is_solved(pair, features, vec3_dot(c.p, face->n));
            if (is_last != 0 || (is_solved != 0 && polytope_is_contested(&e, &features->feature) == 0)) return 1;
            try_below = is_solved != 0 ? beyond : EXPAND_FINER * beyond;
        }
        polytope_add(&e, &c, EXPAND_ROUNDING * pair->sizes_m);
    }
    return 0;
}

#endif
