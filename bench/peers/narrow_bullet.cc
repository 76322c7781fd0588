// Bullet (double): its MPR, and GJK with EPA, of which shapes keep their margin.
//   narrow_bullet FOLDER COUNT
#include "narrow_common.h"

#include <btBulletCollisionCommon.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btMprPenetration.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <memory>
#include <vector>

namespace {

struct Ellipsoid : btConvexInternalShape {
    btVector3 half;
    explicit Ellipsoid(const double *s) : half(s[0], s[1], s[2]) {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
        setMargin(0);
    }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &u) const override {
        const btVector3 q = half * half * u;
        return q / btSqrt(q.dot(u) + btScalar(1e-30));
    }
    btVector3 localGetSupportingVertex(const btVector3 &u) const override {
        return localGetSupportingVertexWithoutMargin(u);
    }
    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3 *u, btVector3 *out,
                                                           int count) const override {
        for (int i = 0; i < count; i++) out[i] = localGetSupportingVertex(u[i]);
    }
    void calculateLocalInertia(btScalar, btVector3 &inertia) const override { inertia.setValue(1, 1, 1); }
    const char *getName() const override { return "ellipsoid"; }
    void getAabb(const btTransform &t, btVector3 &low, btVector3 &high) const override {
        low = t.getOrigin() - btVector3(1, 1, 1);
        high = t.getOrigin() + btVector3(1, 1, 1);
    }
};

struct Placed { // what btComputeMprPenetration asks of a solid
    const btConvexShape *shape;
    btTransform at;
    btScalar getMargin() const { return shape->getMargin(); }
    const btTransform &getWorldTransform() const { return at; }
    btVector3 getObjectCenterInWorld() const { return at.getOrigin(); }
    btVector3 getLocalSupportWithMargin(const btVector3 &u) const { return shape->localGetSupportingVertex(u); }
    btVector3 getLocalSupportWithoutMargin(const btVector3 &u) const {
        return shape->localGetSupportingVertexWithoutMargin(u);
    }
};

using Shapes = std::vector<std::shared_ptr<btConvexShape>>;
Shapes hulls;
btVoronoiSimplexSolver simplex;
btGjkEpaPenetrationDepthSolver epa;

struct BulletPairs {
    Shapes a, b;
    std::vector<btTransform> at_a, at_b;
};

std::shared_ptr<btConvexShape> make(int kind, const double *s, int hull) {
    if (kind == SPHERE) return std::make_shared<btSphereShape>(s[0]);
    if (kind == BOX) return std::make_shared<btBoxShape>(btVector3(s[0], s[1], s[2]));
    if (kind == ELLIPSOID) return std::make_shared<Ellipsoid>(s);
    if (kind == CYLINDER) return std::make_shared<btCylinderShapeZ>(btVector3(s[0], s[0], s[1]));
    return hulls[size_t(hull)];
}

btTransform place(const double *t, const double *at) {
    return btTransform(btMatrix3x3(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8]),
                       btVector3(at[0], at[1], at[2]));
}

void take(Answer *answer, double distance, const btVector3 &normal) {
    answer->is_hit = 1;
    answer->depth_m = -distance;
    for (int k = 0; k < 3; k++) answer->normal[k] = normal[k];
}

void query_mpr(void *context, const Pair *, int i, Answer *answer) {
    const BulletPairs &pairs = *static_cast<const BulletPairs *>(context);
    const Placed a{pairs.a[size_t(i)].get(), pairs.at_a[size_t(i)]}, b{pairs.b[size_t(i)].get(), pairs.at_b[size_t(i)]};
    btMprDistanceInfo info;
    if (btComputeMprPenetration(a, b, btMprCollisionDescription(), &info) == 0)
        take(answer, info.m_distance, info.m_normalBtoA);
}

void query_gjk(void *context, const Pair *, int i, Answer *answer) {
    const BulletPairs &pairs = *static_cast<const BulletPairs *>(context);
    btGjkPairDetector detector(pairs.a[size_t(i)].get(), pairs.b[size_t(i)].get(), &simplex, &epa);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = pairs.at_a[size_t(i)];
    input.m_transformB = pairs.at_b[size_t(i)];
    btPointCollector output;
    detector.getClosestPoints(input, output, nullptr);
    if (output.m_hasResult && output.m_distance < 0) take(answer, output.m_distance, output.m_normalOnBInWorld);
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const Hull *given = load_hulls(argv[1]);
    for (int h = 0; h < HULLS; h++) {
        auto hull = std::make_shared<btConvexHullShape>();
        for (const auto &p : given[h].point) hull->addPoint(btVector3(p[0], p[1], p[2]), false);
        hull->recalcLocalAabb();
        hull->setMargin(0);
        hulls.push_back(hull);
    }
    for (int c = 0; c < CLASSES; c++) {
        int count;
        const Pair *pairs = load_pairs(argv[1], c, atoi(argv[2]), &count);
        BulletPairs made;
        for (int i = 0; i < count; i++) {
            const Pair &p = pairs[i];
            made.a.push_back(make(p.kind_a, p.size_a, p.hull_a));
            made.b.push_back(make(p.kind_b, p.size_b, p.hull_b));
            made.at_a.push_back(place(p.turn_a, p.position_a));
            made.at_b.push_back(place(p.turn_b, p.position_b));
        }
        narrow_bench("Bullet", "MPR", c, pairs, count, query_mpr, &made);
        narrow_bench("Bullet", "GJK and EPA", c, pairs, count, query_gjk, &made);
    }
    return 0;
}
