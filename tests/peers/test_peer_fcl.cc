// Distances and depths of pairs of solids against FCL (flexible collision library).
#ifdef CLACK_HAS_fcl
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "peer_pairs.h" // after FCL, whose names our macros would replace

namespace {

using namespace peers;

std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const Shape &s) {
    const double x = s.size_m[0], y = s.size_m[1], z = s.size_m[2];
    switch (s.kind) {
    case SHAPE_SPHERE: return std::make_shared<fcl::Sphered>(x);
    case SHAPE_BOX: return std::make_shared<fcl::Boxd>(2 * x, 2 * y, 2 * z);
    case SHAPE_CAPSULE: return std::make_shared<fcl::Capsuled>(x, 2 * y);
    case SHAPE_ELLIPSOID: return std::make_shared<fcl::Ellipsoidd>(x, y, z);
    case SHAPE_CYLINDER: return std::make_shared<fcl::Cylinderd>(x, 2 * y);
    case SHAPE_CONE: return std::make_shared<fcl::Coned>(x, y);
    default: return std::make_shared<fcl::Halfspaced>(fcl::Vector3d::UnitZ(), 0.0);
    }
}

fcl::CollisionObjectd object_of(const Placed &p, Vec3 at) {
    fcl::Matrix3d turn;
    turn << p.turn.x.x, p.turn.x.y, p.turn.x.z, p.turn.y.x, p.turn.y.y, p.turn.y.z, p.turn.z.x, p.turn.z.y, p.turn.z.z;
    fcl::Vector3d place(at.x, at.y, at.z);
    if (p.shape.kind == SHAPE_CONE) place += turn.col(2) * (p.shape.size_m[1] / 2); // its origin is half way up
    return fcl::CollisionObjectd(geometry_of(p.shape), turn, place);
}

double distance_of(const Pair &pair) {
    const fcl::CollisionObjectd a = object_of(pair.a, vec3_zero()), b = object_of(pair.b, pair.offset);
    fcl::DistanceRequestd request(true);
    request.distance_tolerance = 1e-14;
    fcl::DistanceResultd result;
    return fcl::distance(&a, &b, request, result);
}

double depth_of(const Pair &pair) {
    const fcl::CollisionObjectd a = object_of(pair.a, vec3_zero()), b = object_of(pair.b, pair.offset);
    fcl::CollisionRequestd request(8, true);
    fcl::CollisionResultd result;
    fcl::collide(&a, &b, request, result);
    double depth = -INFINITY;
    for (size_t i = 0; i < result.numContacts(); i++) depth = std::max(depth, result.getContact(i).penetration_depth);
    return depth;
}

// FCL's own closed forms; all others go through GJK with its absolute tolerance of sqrt(1e-14).
bool is_closed_form(uint32_t kind_a, uint32_t kind_b) {
    return kind_a == SHAPE_SPHERE && (kind_b <= SHAPE_CAPSULE || kind_b == SHAPE_CYLINDER);
}

TEST(PeerFcl, DistancesApart) {
    for (uint32_t kind_a : KINDS)
        for (uint32_t kind_b : KINDS) {
            if (kind_b < kind_a) continue;
            Draw draw(91000 + 10 * kind_a + kind_b);
            Worst worst;
            for (int n = 0; n < 500; n++) {
                const Pair pair = draw_pair(draw, kind_a, kind_b, draw.log_uniform(1e-3, 1));
                worst.add(std::fabs(distance_of(pair) - pair.ours.distance_m));
            }
            worst.tell("apart " + class_name(kind_a, kind_b));
            EXPECT_LE(worst.distance_m, is_closed_form(kind_a, kind_b) ? 2e-15 : 1e-7);
        }
}

// Where it has closed forms. Of all others FCL's depth is that of libccd's MPR, which test_peer_ccd compares.
TEST(PeerFcl, DepthsOverlapping) {
    for (uint32_t kind : KINDS) {
        if (!is_closed_form(SHAPE_SPHERE, kind)) continue;
        Draw draw(92000 + kind);
        Worst worst;
        for (int n = 0; n < 500; n++) {
            const Pair pair = draw_pair(draw, SHAPE_SPHERE, kind, -draw.log_uniform(1e-4, 1e-2));
            worst.add(std::fabs(depth_of(pair) + pair.ours.distance_m));
        }
        worst.tell("overlap " + class_name(SHAPE_SPHERE, kind));
        EXPECT_LE(worst.distance_m, 2e-15);
    }
}

// Without cones, of which FCL 0.7 finds some that stand on a plane not at all.
TEST(PeerFcl, DepthsInAPlane) {
    for (uint32_t kind : KINDS) {
        if (kind == SHAPE_CONE) continue;
        Draw draw(93000 + kind);
        Worst worst;
        for (int n = 0; n < 500; n++) {
            const Pair pair = draw_on_plane(draw, kind, -draw.log_uniform(1e-4, 1e-1));
            worst.add(std::fabs(depth_of(pair) + pair.ours.distance_m));
        }
        worst.tell(class_name(SHAPE_HALF_SPACE, kind));
        EXPECT_LE(worst.distance_m, 1e-14);
    }
}

} // namespace

#else
#include <gtest/gtest.h>
TEST(PeerFcl, IsAbsent) { GTEST_SKIP() << "FCL (libfcl-dev) was not found"; }
#endif
