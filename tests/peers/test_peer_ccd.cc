// Contacts of pairs of solids against libccd, which sees shapes as support functions; those are written here.
#ifdef CLACK_HAS_ccd
#include <ccd/ccd.h>
#include <ccd/vec3.h>

#include "peer_pairs.h"

namespace {

using namespace peers;

struct Solid {
    Placed placed;
    Vec3 at;
};

Vec3 local_support(const Shape &s, Vec3 u) {
    const double x = s.size_m[0], y = s.size_m[1], z = s.size_m[2];
    auto with_sign = [](double size, double t) { return t < 0 ? -size : size; };
    const double length = vec3_length(u), across = std::hypot(u.x, u.y);
    const double cx = across > 0 ? u.x / across : 0, cy = across > 0 ? u.y / across : 0;
    switch (s.kind) {
    case SHAPE_SPHERE: return vec3_scale(u, x / length);
    case SHAPE_BOX: return vec3_make(with_sign(x, u.x), with_sign(y, u.y), with_sign(z, u.z));
    case SHAPE_CAPSULE: return vec3_add(vec3_make(0, 0, with_sign(y, u.z)), vec3_scale(u, x / length));
    case SHAPE_ELLIPSOID: {
        const double f = std::sqrt(x * x * u.x * u.x + y * y * u.y * u.y + z * z * u.z * u.z);
        return vec3_make(x * x * u.x / f, y * y * u.y / f, z * z * u.z / f);
    }
    case SHAPE_CYLINDER: return vec3_make(x * cx, x * cy, with_sign(y, u.z));
    default: // cone: point or rim
        return y * u.z > x * across ? vec3_make(0, 0, y) : vec3_make(x * cx, x * cy, 0);
    }
}

void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out) {
    const Solid &solid = *static_cast<const Solid *>(object);
    const Vec3 u = vec3_make(direction->v[0], direction->v[1], direction->v[2]);
    const Vec3 tip =
        vec3_add(solid.at, mat3_rotate(solid.placed.turn,
                                       local_support(solid.placed.shape, mat3_rotate_back(solid.placed.turn, u))));
    ccdVec3Set(out, tip.x, tip.y, tip.z);
}

void centre(const void *object, ccd_vec3_t *out) {
    const Solid &solid = *static_cast<const Solid *>(object);
    const double up = solid.placed.shape.kind == SHAPE_CONE ? 0.25 * solid.placed.shape.size_m[1] : 0;
    const Vec3 at = vec3_add(solid.at, mat3_rotate(solid.placed.turn, vec3_make(0, 0, up)));
    ccdVec3Set(out, at.x, at.y, at.z);
}

ccd_t settings() {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = centre;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = 1e-12;
    ccd.mpr_tolerance = 1e-12;
    return ccd;
}

/// Depth in a direction: how far B has to go along it to leave A. The least over all directions is the depth.
double depth_along(const Solid &a, const Solid &b, Vec3 u) {
    ccd_vec3_t ahead, back, far_a, far_b;
    ccdVec3Set(&ahead, u.x, u.y, u.z);
    ccdVec3Set(&back, -u.x, -u.y, -u.z);
    support(&a, &ahead, &far_a);
    support(&b, &back, &far_b);
    return ccdVec3Dot(&far_a, &ahead) - ccdVec3Dot(&far_b, &ahead);
}

template <class Each> void for_classes(Each each) {
    for (uint32_t kind_a : KINDS)
        for (uint32_t kind_b : KINDS)
            if (kind_a <= kind_b) each(kind_a, kind_b);
}

// By MPR. libccd's GJK calls some overlaps of curved shapes, up to 0.5 mm deep, apart.
TEST(PeerCcd, Hits) {
    const ccd_t ccd = settings();
    for_classes([&](uint32_t kind_a, uint32_t kind_b) {
        Draw draw(94000 + 10 * kind_a + kind_b);
        size_t wrong = 0, touching = 0;
        for (int n = 0; n < 2000; n++) {
            const Pair pair = draw_pair(draw, kind_a, kind_b, (n % 2 ? 1 : -1) * draw.log_uniform(1e-6, 0.1));
            const Solid a{pair.a, vec3_zero()}, b{pair.b, pair.offset};
            const bool is_hit = pair.ours.distance_m < 0;
            touching += is_hit;
            wrong += (ccdMPRIntersect(&a, &b, &ccd) != 0) != is_hit;
        }
        EXPECT_EQ(wrong, 0u) << class_name(kind_a, kind_b);
        EXPECT_NEAR(double(touching), 1000, 100) << class_name(kind_a, kind_b);
    });
}

// EPA's depth is that of a polytope inside: never more than the true one, less by sqrt(1e-12) at most where it ends
// by its tolerance. MPR's is along the ray between the centres: never less. Our depth of curved cores is a local
// least one: EPA finds a shorter way out of one of the 6,300 pairs, two cones.
TEST(PeerCcd, Depths) {
    const ccd_t ccd = settings();
    size_t local = 0;
    for_classes([&](uint32_t kind_a, uint32_t kind_b) {
        Draw draw(95000 + 10 * kind_a + kind_b);
        Worst epa, above, below;
        size_t without = 0, unfinished = 0;
        for (int n = 0; n < 300; n++) {
            const Pair pair = draw_pair(draw, kind_a, kind_b, -draw.log_uniform(1e-4, 1e-2));
            const Solid a{pair.a, vec3_zero()}, b{pair.b, pair.offset};
            const double ours = -pair.ours.distance_m;
            ccd_real_t depth = 0;
            ccd_vec3_t way, place;
            if (ccdMPRPenetration(&a, &b, &ccd, &depth, &way, &place) == 0) below.add(ours - depth);
            if (ccdGJKPenetration(&a, &b, &ccd, &depth, &way, &place) != 0) {
                without++;
                continue;
            }
            const Vec3 u = vec3_make(way.v[0], way.v[1], way.v[2]);
            above.add(depth - ours);
            if (depth_along(a, b, u) < ours - 2e-15)
                local++;
            else if (ours - depth > 1e-6)
                unfinished++;
            else
                epa.add(ours - depth);
        }
        epa.tell("EPA " + class_name(kind_a, kind_b));
        EXPECT_LE(above.distance_m, 2e-15) << class_name(kind_a, kind_b);
        EXPECT_LE(below.distance_m, 1e-11) << class_name(kind_a, kind_b);
        EXPECT_LE(without + unfinished, 3u) << class_name(kind_a, kind_b); // its polytope came to no end
    });
    EXPECT_LE(local, 1u);
}

} // namespace

#else
#include <gtest/gtest.h>
TEST(PeerCcd, IsAbsent) { GTEST_SKIP() << "libccd (libccd-dev) was not found"; }
#endif
