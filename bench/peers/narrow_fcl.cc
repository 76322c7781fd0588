// FCL's collide: special code for spheres and boxes; else libccd or its own GJK and EPA.
//   narrow_fcl FOLDER COUNT
#include "narrow_common.h"

#include <fcl/fcl.h>
#include <memory>
#include <vector>

namespace {

using namespace fcl;
using Geometry = std::shared_ptr<CollisionGeometryd>;

std::vector<Geometry> hulls;

struct FclPairs {
    CollisionRequestd request;
    std::vector<Geometry> a, b;
    std::vector<Transform3d> at_a, at_b;
};

Geometry make_hull(const Hull &hull) {
    auto points = std::make_shared<std::vector<Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (const auto &p : hull.point) points->push_back(Vector3d(p[0], p[1], p[2]));
    for (int f = 0; f < hull.face_count; f++) {
        faces->push_back(3);
        for (int k = 0; k < 3; k++) faces->push_back(hull.face[f][k]);
    }
    return Geometry(new Convexd(points, hull.face_count, faces));
}

Geometry make(int kind, const double *s, int hull) {
    if (kind == SPHERE) return Geometry(new Sphered(s[0]));
    if (kind == BOX) return Geometry(new Boxd(2 * s[0], 2 * s[1], 2 * s[2]));
    if (kind == ELLIPSOID) return Geometry(new Ellipsoidd(s[0], s[1], s[2]));
    return kind == CYLINDER ? Geometry(new Cylinderd(s[0], 2 * s[1])) : hulls[size_t(hull)];
}

Transform3d place(const double *turn, const double *at) {
    Transform3d t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.linear()(i, j) = turn[3 * i + j];
    t.translation() = Vector3d(at[0], at[1], at[2]);
    t.makeAffine();
    return t;
}

void query(void *context, const Pair *, int index, Answer *answer) {
    const FclPairs &pairs = *static_cast<const FclPairs *>(context);
    const size_t i = size_t(index);
    CollisionResultd result;
    collide(pairs.a[i].get(), pairs.at_a[i], pairs.b[i].get(), pairs.at_b[i], pairs.request, result);
    answer->is_hit = result.isCollision();
    answer->depth_m = -INFINITY;
    for (size_t c = 0; c < result.numContacts(); c++) {
        const auto &contact = result.getContact(c);
        if (contact.penetration_depth <= answer->depth_m) continue;
        answer->depth_m = contact.penetration_depth;
        for (int k = 0; k < 3; k++) answer->normal[k] = contact.normal[k];
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const Hull *given = load_hulls(argv[1]);
    for (int h = 0; h < HULLS; h++) hulls.push_back(make_hull(given[h]));
    for (int c = 0; c < CLASSES; c++) {
        int count;
        const Pair *pairs = load_pairs(argv[1], c, atoi(argv[2]), &count);
        FclPairs made;
        for (int i = 0; i < count; i++) {
            const Pair &p = pairs[i];
            made.a.push_back(make(p.kind_a, p.size_a, p.hull_a));
            made.b.push_back(make(p.kind_b, p.size_b, p.hull_b));
            made.at_a.push_back(place(p.turn_a, p.position_a));
            made.at_b.push_back(place(p.turn_b, p.position_b));
        }
        for (auto solver : {GST_LIBCCD, GST_INDEP}) {
            made.request = CollisionRequestd(4, true);
            made.request.gjk_solver_type = solver;
            narrow_bench("FCL", solver == GST_LIBCCD ? "libccd" : "own", c, pairs, count, query, &made);
        }
    }
    return 0;
}
