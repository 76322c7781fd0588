// Depths of pairs of solids against the collision functions of ODE (Open Dynamics Engine).
#ifdef CLACK_HAS_ode
#include <ode/ode.h>

#include "peer_pairs.h"

namespace {

using namespace peers;

struct World {
    World() { dInitODE2(0); }
    ~World() { dCloseODE(); }
};

dGeomID geom_of(const Placed &p, Vec3 at) {
    const double x = p.shape.size_m[0], y = p.shape.size_m[1], z = p.shape.size_m[2];
    dGeomID geom = nullptr;
    switch (p.shape.kind) {
    case SHAPE_HALF_SPACE: return dCreatePlane(nullptr, 0, 0, 1, 0);
    case SHAPE_SPHERE: geom = dCreateSphere(nullptr, x); break;
    case SHAPE_BOX: geom = dCreateBox(nullptr, 2 * x, 2 * y, 2 * z); break;
    case SHAPE_CAPSULE: geom = dCreateCapsule(nullptr, x, 2 * y); break;
    default: geom = dCreateCylinder(nullptr, x, 2 * y); break;
    }
    const dMatrix3 turn = {p.turn.x.x, p.turn.x.y, p.turn.x.z, 0,          p.turn.y.x, p.turn.y.y,
                           p.turn.y.z, 0,          p.turn.z.x, p.turn.z.y, p.turn.z.z, 0};
    dGeomSetRotation(geom, turn);
    dGeomSetPosition(geom, at.x, at.y, at.z);
    return geom;
}

/// The deepest of ODE's contacts; -infinity without one.
double depth_of(const Pair &pair, Vec3 *normal) {
    dGeomID a = geom_of(pair.a, vec3_zero()), b = geom_of(pair.b, pair.offset);
    dContactGeom contacts[16];
    const int count = dCollide(a, b, 16, contacts, sizeof *contacts);
    double depth = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!(contacts[i].depth > depth)) continue;
        depth = contacts[i].depth;
        *normal =
            vec3_make(-contacts[i].normal[0], -contacts[i].normal[1], -contacts[i].normal[2]); // ODE's points into A
    }
    dGeomDestroy(a);
    dGeomDestroy(b);
    return depth;
}

const struct {
    uint32_t a, b;
    double share; // by which ODE may find more; 0: a closed form
} CLASSES[] = {{SHAPE_HALF_SPACE, SHAPE_SPHERE, 0},
               {SHAPE_HALF_SPACE, SHAPE_BOX, 0},
               {SHAPE_HALF_SPACE, SHAPE_CAPSULE, 0},
               {SHAPE_HALF_SPACE, SHAPE_CYLINDER, 0},
               {SHAPE_SPHERE, SHAPE_SPHERE, 0},
               {SHAPE_SPHERE, SHAPE_BOX, 0},
               {SHAPE_SPHERE, SHAPE_CAPSULE, 0},
               {SHAPE_SPHERE, SHAPE_CYLINDER, 0},
               {SHAPE_BOX, SHAPE_CAPSULE, 0},
               {SHAPE_CAPSULE, SHAPE_CAPSULE, 0},
               // Its two boxes take a face rather than two edges until those are better by 5 % (fudge_factor 1.05).
               {SHAPE_BOX, SHAPE_BOX, 0.05}};

// ODE's other pairs of cylinders go through triangles or libccd at its default tolerance.
TEST(PeerOde, HitsAndDepths) {
    World world;
    for (const auto &kinds : CLASSES) {
        Draw draw(96000 + 10 * kinds.a + kinds.b);
        Worst worst;
        size_t wrong = 0;
        for (int n = 0; n < 1000; n++) {
            const double want = (n % 2 ? 1 : -1) * draw.log_uniform(1e-5, 1e-2);
            const Pair pair = kinds.a == SHAPE_HALF_SPACE ? draw_on_plane(draw, kinds.b, want)
                                                          : draw_pair(draw, kinds.a, kinds.b, want);
            Vec3 normal = vec3_zero();
            const double depth = depth_of(pair, &normal), ours = -pair.ours.distance_m;
            wrong += (depth > 0) != (ours > 0);
            if (!(ours > 0)) continue;
            ASSERT_GE(depth, ours - 4e-15);
            ASSERT_LE(depth, ours * (1 + kinds.share) + 4e-15);
            if (kinds.share == 0) worst.add(std::fabs(depth - ours), angle(normal, pair.ours.normal));
        }
        worst.tell(class_name(kinds.a, kinds.b));
        EXPECT_EQ(wrong, 0u) << class_name(kinds.a, kinds.b);
        EXPECT_LE(worst.normal_rad, 1e-13) << class_name(kinds.a, kinds.b);
    }
}

} // namespace

#else
#include <gtest/gtest.h>
TEST(PeerOde, IsAbsent) { GTEST_SKIP() << "ODE (libode-dev) was not found"; }
#endif
