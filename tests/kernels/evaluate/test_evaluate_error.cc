// The error that `clack evaluate` states beside a distance bounds the true one: poses as they are given, in 113 bits,
// at the world's origin and up to 1,000 km from it.
#ifndef _Thread_local
#define _Thread_local thread_local // portable.h is C
#endif

#include "evaluate_fixture.h"
#include "polytope_depth.h"

using namespace scenes;

namespace {

const double ORIGINS_M[] = {0, 1e3, 1e6};
const int SCENES = 6; // of every class: shapes
const int POSES = 40; // of each, at each origin
const double SMOOTHING_M = 1e-3;
const double EPSILON = 2.220446049250313e-16;

using Exact = WidePlaced<Quad>;
using Far = Wide<Quad>;

WideTurn<Quad> wide_turn_of(const double *q) {
    const Quad w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
    return {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
            {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
            {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
}

// A shape that lies so far off the origin of its body along each axis, and with it the centre of mass.
void add_shape(SceneBuilder &b, Draw &draw, uint32_t kind, bool is_sharp, double arm_m = 1) {
    b.body("body", false, {0, 0, 0});
    auto size = [&] { return draw.uniform(0.3, 1.2); };
    const double smoothing_m = is_sharp ? 0 : SMOOTHING_M;
    SceneShape *shape = nullptr;
    if (kind == SHAPE_HULL) {
        std::vector<std::array<double, 3>> points;
        for (int k = int(draw.uniform(6, 40)); k > 0; k--)
            points.push_back({draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7)});
        shape = &b.hull(shared_hull(points, smoothing_m));
    } else {
        shape = &b.shape(kind, {size(), size(), size(), 0});
        if (kind == SHAPE_CONE) shape->size_m[2] = draw.uniform(0, 0.9) * shape->size_m[0];
        if (kind == SHAPE_CYLINDER) shape->size_m[2] = 0; // no bore
        if (kind == SHAPE_SUPERQUADRIC) shape->exponents[0] = draw.uniform(2, 8);
        if (kind == SHAPE_CAPSULE) shape->size_m[1] += shape->size_m[0];
    }
    shape->smoothing_m = smoothing_m;
    for (double &x : shape->position_m) x = draw.uniform(-arm_m, arm_m);
}

SceneBuilder scene_of(bool is_single) {
    SceneBuilder b;
    b.material(1e9, 0.25, 1000);
    b.pair(0, 0, 0.6, 0.4, 1e-3);
    b.scene.single_contact = is_single;
    return b;
}

// Every third scene has sharp shapes, every other one shapes that are far from their bodies.
SceneBuilder two_shapes(Draw &draw, uint32_t kind_a, uint32_t kind_b, int scene, bool is_single) {
    SceneBuilder b = scene_of(is_single);
    for (uint32_t kind : {kind_a, kind_b}) add_shape(b, draw, kind, scene % 3 == 2, scene % 2 ? 50 : 1);
    return b;
}

// The shapes of a scene as the kernels have them; the rows of all hulls go where the reference looks for them.
std::vector<Shape> staged_shapes(SceneBuilder &b) {
    Study study{};
    study.scene = b.view();
    const Capacities room = stage_capacities(&study.scene);
    const uint64_t number = 0;
    Ran staged;
    EXPECT_EQ(stage_pack(&study, &study.scene, &number, &room, 1, &staged.batch, nullptr), CLACK_OK);
    hull_rows().assign(staged.batch.hull_rows, staged.batch.hull_rows + staged.batch.hull_row_count);
    return {staged.batch.shapes, staged.batch.shapes + staged.batch.shape_count};
}

// A shape's origin in its body: of a hull at its centre of volume.
Far in_body(const SceneShape &shape) {
    Far at{shape.position_m[0], shape.position_m[1], shape.position_m[2]};
    if (shape.hull == nullptr) return at;
    const double *centre = shape.hull->centroid_m;
    return at + Far{centre[0], centre[1], centre[2]} * Quad(shape.size_m[0]);
}

struct ExactPair {
    Exact a, b;
    Far offset; // of the shapes' origins
};

ExactPair exact_pair(const SceneBuilder &b, const std::vector<Shape> &shapes, const UserState *states) {
    Far at[2];
    WideTurn<Quad> turn[2];
    for (size_t k = 0; k < 2; k++) {
        const double *p = states[k].position_m;
        turn[k] = wide_turn_of(states[k].orientation);
        at[k] = Far{p[0], p[1], p[2]} + wide_turn(turn[k], in_body(b.shapes[k]));
    }
    return {{shapes[0], turn[0]}, {shapes[1], turn[1]}, at[1] - at[0]};
}

UserState drawn_state(Draw &draw) {
    UserState s{};
    std::normal_distribution<double> normal;
    for (double &q : s.orientation) q = normal(draw.engine);
    return s;
}

Placed placed(const Exact &e) { return Placed{e.shape, {rounded(e.turn.x), rounded(e.turn.y), rounded(e.turn.z)}}; }

double drawn_gap(Draw &draw) { return draw.uniform(0, 1) < 0.2 ? -0.5 * SMOOTHING_M : draw.log_uniform(1e-9, 0.3); }

// Two bodies whose shapes are about that far apart, to the rounding of their places.
void place(const SceneBuilder &b, const std::vector<Shape> &shapes, Draw &draw, double origin_m, double gap_m,
           UserState *states) {
    const Vec3 way = draw.direction();
    for (size_t k = 0; k < 2; k++) states[k] = drawn_state(draw);
    const ExactPair pair = exact_pair(b, shapes, states);
    const Vec3 more = vec3_sub(place_at(placed(pair.a), placed(pair.b), way, gap_m), rounded(pair.offset));
    const Vec3 origin = vec3_scale(draw.direction(), origin_m);
    const double from[] = {origin.x, origin.y, origin.z}, by[] = {more.x, more.y, more.z};
    for (size_t i = 0; i < 3; i++) {
        states[0].position_m[i] += from[i];
        states[1].position_m[i] += from[i] + by[i];
    }
}

Contacts all_contacts(SceneBuilder &b, const std::vector<UserState> &states) {
    return Evaluator(b.view(), evaluate_options(0, true)).run(states);
}

struct Bound {
    int judged = 0, beyond = 0;
    double error_m = 0, stated_m = 0, share = 0; // largest; error over stated
    void take(double error, double stated) {
        judged++;
        beyond += !(error <= stated);
        error_m = std::max(error_m, error);
        stated_m = std::max(stated_m, stated);
        share = std::max(share, error / stated);
    }
};

void print(const char *what, const char *a, const char *b, double origin_m, const Bound &bound) {
    std::printf("%-8s %9s-%-9s at %7g m: %4d, error %.1e m, stated %.1e m, at most %.2f of it, beyond %d\n", what, a, b,
                origin_m, bound.judged, bound.error_m, bound.stated_m, bound.share, bound.beyond);
}

void expect_bound(const char *what, uint32_t kind_a, uint32_t kind_b, double origin_m, const Bound &bound) {
    print(what, kind_name(kind_a), kind_name(kind_b), origin_m, bound);
    EXPECT_GE(bound.judged, SCENES * POSES / 2) << origin_m;
    EXPECT_EQ(bound.beyond, 0) << origin_m << " m from the origin, by up to " << bound.error_m << " m";
    EXPECT_LE(bound.stated_m, 2e-12 + 4 * EPSILON * origin_m) << "says nothing";
}

class EvaluateError : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
  protected:
    uint32_t kind_a = std::get<0>(GetParam()), kind_b = std::get<1>(GetParam());
    Draw draw{97000 + 100 * kind_a + kind_b};
};

// Cores apart: their distance is known to 1e-20 m and better.
TEST_P(EvaluateError, BoundsTheTrueOne) {
    for (double origin_m : ORIGINS_M) {
        Bound bound;
        for (int scene = 0; scene < SCENES; scene++) {
            SceneBuilder b = two_shapes(draw, kind_a, kind_b, scene, true);
            const std::vector<Shape> shapes = staged_shapes(b);
            std::vector<UserState> states(2 * POSES);
            for (size_t n = 0; n < POSES; n++) place(b, shapes, draw, origin_m, drawn_gap(draw), &states[2 * n]);
            const Contacts contacts = all_contacts(b, states);
            ASSERT_EQ(contacts.row_count, size_t(POSES));
            for (size_t n = 0; n < POSES; n++) {
                const ClackContact &row = contacts.rows[n];
                const ExactPair pair = exact_pair(b, shapes, &states[2 * n]);
                const Vec3 normal = vec3_make(row.normal[0], row.normal[1], row.normal[2]);
                const CertifiedIn<Quad> right = certified_distance_113(pair.a, pair.b, pair.offset, normal);
                if (!right.is_core_apart || right.gap > 1e-20) continue;
                bound.take(std::fabs((double)(row.distance_m - right.distance)), row.error_m);
            }
        }
        expect_bound("apart", kind_a, kind_b, origin_m, bound);
    }
}

// Of a pair's several rows: apart, one has the distance, but for the domes of discs; none is deeper than the pair is.
TEST_P(EvaluateError, NoRowIsDeeperThanThePair) {
    const double DOME = 1e-5 * 0.6; // of the largest disc, m
    int rows = 0, apart = 0, overlap = 0, less = 0;
    double most = 0;
    for (int scene = 0; scene < SCENES; scene++) {
        SceneBuilder b = two_shapes(draw, kind_a, kind_b, scene, false);
        const std::vector<Shape> shapes = staged_shapes(b);
        std::vector<UserState> states(2 * POSES);
        for (size_t n = 0; n < POSES; n++)
            place(b, shapes, draw, 0, n % 2 ? -draw.log_uniform(1e-6, 0.1) : draw.log_uniform(1e-6, 0.1),
                  &states[2 * n]);
        const Contacts several = all_contacts(b, states);
        b.scene.single_contact = 1;
        const Contacts single = all_contacts(b, states);
        for (size_t n = 0; n < POSES; n++) {
            const ClackContact &pair = single.rows[n];
            const ClackContact *least = &several.rows[several.first[n]], *end = &several.rows[several.first[n + 1]];
            ASSERT_LT(least, end) << n;
            for (const ClackContact *row = least; row < end; row++, rows++)
                if (row->distance_m < least->distance_m) least = row;
            const double more = least->distance_m - pair.distance_m, error_m = least->error_m + pair.error_m;
            EXPECT_GE(more, -error_m) << n;
            (pair.distance_m > 0 ? apart : overlap)++;
            less += pair.distance_m < 0 && more > error_m;
            if (pair.distance_m < 0) continue;
            EXPECT_LE(more, error_m + DOME) << n;
            most = std::max(most, more);
        }
    }
    std::printf(
        "rows     %9s-%-9s %5d rows, %3d apart, farther by at most %.1e m; %3d overlap, in %3d no row is as deep\n",
        kind_name(kind_a), kind_name(kind_b), rows, apart, most, overlap, less);
    EXPECT_GE(std::min(apart, overlap), SCENES * POSES / 4);
}

std::string class_name(const testing::TestParamInfo<std::tuple<uint32_t, uint32_t>> &info) {
    return std::string(kind_name(std::get<0>(info.param))) + "_" + kind_name(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Classes, EvaluateError, testing::ValuesIn(every_class()), class_name);

// Over a plane that is fixed and turned anyhow, with all contacts: the lowest point of a shape.
TEST(EvaluateErrorPlane, BoundsTheTrueOne) {
    for (uint32_t kind : SOLIDS_AND_HULL)
        for (double origin_m : ORIGINS_M) {
            Draw draw(98000 + kind);
            Bound bound;
            for (int scene = 0; scene < SCENES; scene++) {
                SceneBuilder b = scene_of(scene % 2);
                add_shape(b, draw, kind, scene % 3 == 2);
                b.ground();
                const std::vector<Shape> shapes = staged_shapes(b);
                std::vector<UserState> states(2 * POSES);
                for (UserState &s : states) {
                    s = drawn_state(draw);
                    const Vec3 at = vec3_scale(draw.direction(), origin_m);
                    const bool is_plane = (&s - states.data()) % 2 == 1;
                    for (size_t i = 0; i < 3; i++)
                        s.position_m[i] = (is_plane ? (&s)[-1].position_m[i]
                                           : i == 0 ? at.x
                                           : i == 1 ? at.y
                                                    : at.z) +
                                          draw.uniform(-1, 1);
                }
                const Contacts contacts = all_contacts(b, states);
                for (size_t n = 0; n < POSES; n++) {
                    const ClackContact *least = &contacts.rows[contacts.first[n]];
                    for (size_t k = contacts.first[n]; k < contacts.first[n + 1]; k++)
                        if (contacts.rows[k].distance_m < least->distance_m) least = &contacts.rows[k];
                    const ExactPair pair = exact_pair(b, shapes, &states[2 * n]);
                    const Far up = wide_turn(pair.b.turn, Far{0, 0, 1}), down = up * Quad(-1);
                    const Far low =
                        wide_turn(pair.a.turn, wide_core(pair.a.shape, wide_back(pair.a.turn, down))) - pair.offset;
                    bound.take(std::fabs((double)(least->distance_m - (dot(low, up) - wide_ball<Quad>(pair.a.shape)))),
                               least->error_m);
                }
            }
            expect_bound("plane", kind, SHAPE_HALF_SPACE, origin_m, bound);
        }
}

// Depths of sharp polytopes.
TEST(EvaluateErrorDeep, BoundsTheTrueOne) {
    for (uint32_t kind : {SHAPE_BOX, SHAPE_HULL})
        for (double origin_m : ORIGINS_M) {
            Draw draw(99000 + kind);
            Bound bound;
            for (int scene = 0; scene < 2 * SCENES; scene++) {
                SceneBuilder b = scene_of(true);
                add_shape(b, draw, kind, true);
                add_shape(b, draw, SHAPE_BOX, true);
                const std::vector<Shape> shapes = staged_shapes(b);
                std::vector<UserState> states(2 * POSES);
                for (size_t n = 0; n < POSES; n++)
                    place(b, shapes, draw, origin_m, -draw.log_uniform(1e-12, 0.3), &states[2 * n]);
                const Contacts contacts = all_contacts(b, states);
                for (size_t n = 0; n < POSES; n++) {
                    const ExactPair pair = exact_pair(b, shapes, &states[2 * n]);
                    const Corners of_a = corners_of(placed(pair.a), vec3_zero()),
                                  of_b = corners_of(placed(pair.b), rounded(pair.offset));
                    if (!(contacts.rows[n].distance_m < 0)) continue;
                    bound.take(std::fabs(contacts.rows[n].distance_m + least_depth(of_a, of_b)),
                               contacts.rows[n].error_m);
                }
            }
            expect_bound("deep", kind, SHAPE_BOX, origin_m, bound);
        }
}

// Signed distance of two boxes along the axes.
long double exact_boxes(Vec3 half_a, Vec3 half_b, Vec3 offset) {
    const long double x = std::fabs((long double)offset.x) - half_a.x - half_b.x,
                      y = std::fabs((long double)offset.y) - half_a.y - half_b.y,
                      z = std::fabs((long double)offset.z) - half_a.z - half_b.z;
    const long double most = std::max({x, y, z}), none = 0;
    return most <= 0 ? most : std::hypot(std::hypot(std::max(x, none), std::max(y, none)), std::max(z, none));
}

// Sharp boxes along the axes that touch with a corner, or nearly do: the line between them ends at the corner.
TEST(EvaluateErrorCorners, BoundsTheTrueOne) {
    Draw draw(99500);
    Bound bound;
    for (int scene = 0; scene < 20; scene++) {
        SceneBuilder b = scene_of(true);
        Vec3 half[2];
        for (int k = 0; k < 2; k++) {
            half[k] = k == 1 && scene % 2
                          ? half[0]
                          : vec3_make(draw.uniform(0.1, 0.8), draw.uniform(0.1, 0.8), draw.uniform(0.1, 0.8));
            b.body("box", k == 0, {0, 0, 0});
            b.shape(SHAPE_BOX, {2 * half[k].x, 2 * half[k].y, 2 * half[k].z, 0}).smoothing_m = 0;
        }
        std::vector<UserState> states(2 * 200);
        std::vector<Vec3> offsets;
        for (size_t n = 0; n < 200; n++) {
            auto off = [&] {
                return draw.uniform(0, 1) < 0.3
                           ? 1.0
                           : 1 + (draw.uniform(0, 1) < 0.5 ? 1 : -1) * draw.log_uniform(1e-16, 1e-2);
            };
            const double one = off();
            const Vec3 share = n % 2 ? vec3_make(one, one, one) : vec3_make(off(), off(), off());
            const Vec3 offset = vec3_multiply(vec3_add(half[0], half[1]), share);
            offsets.push_back(offset);
            states[2 * n].orientation[0] = states[2 * n + 1].orientation[0] = 1;
            const double at[] = {offset.x, offset.y, offset.z};
            std::copy_n(at, 3, states[2 * n + 1].position_m);
        }
        const Contacts contacts = all_contacts(b, states);
        for (size_t n = 0; n < 200; n++)
            bound.take((double)std::fabs(contacts.rows[n].distance_m - exact_boxes(half[0], half[1], offsets[n])),
                       contacts.rows[n].error_m);
    }
    print("corners", "box", "box", 0, bound);
    EXPECT_EQ(bound.beyond, 0);
    EXPECT_LE(bound.stated_m, 1e-9) << "says nothing";
}

} // namespace
