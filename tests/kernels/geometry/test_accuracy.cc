// The accuracy bars of the exact narrow phase: every class of pairs against 113-bit arithmetic that is judged
// by the gap between its own bounds, the limits of all loops, and what no motion or scale may change.
#include <gtest/gtest.h>

#include "pair_certificate.h"

using namespace scenes;

namespace {

const int PAIRS = 5000;             // per class, near contact
const int PAIRS_LONG = 2000;        // per class, aspects up to 30
const int PAIRS_DEEP = 1000;        // per class, centres well inside each other
const int PAIRS_SIDE = 2000;        // of frusta, side on side
const double NORMAL_CORES_M = 1e-3; // cores that far apart have normals; nearer ones to 1e-15 m / distance

// Smoothing 1 mm where there is any.
Shape draw_smoothed(Draw &draw, uint32_t kind) {
    Shape s = draw_any(draw, kind);
    if (kind == SHAPE_BOX || kind == SHAPE_CYLINDER || kind == SHAPE_CONE || kind == SHAPE_BEAM) s.smoothing_m = 1e-3;
    return s;
}

// Half lengths from 0.5 m down to a thirtieth of that; smoothing as studies have it by default.
Shape draw_long(Draw &draw, uint32_t kind) {
    auto size = [&] { return draw.log_uniform(0.5 / 30, 0.5); };
    if (kind == SHAPE_SPHERE) return sphere(size());
    if (kind == SHAPE_CAPSULE) return capsule(size(), size());
    if (kind == SHAPE_HULL) {
        Points points;
        const Vec3 extent = vec3_make(size(), size(), size());
        for (int k = 0; k < 40; k++) {
            const Vec3 p = vec3_multiply(extent, draw.direction());
            points.push_back({p.x, p.y, p.z});
        }
        return make_hull(points);
    }
    if (kind == SHAPE_SUPERQUADRIC) return draw_superquadric(draw);
    Shape s = make_shape(kind, size(), size(), size(), 0);
    if (kind == SHAPE_CONE) s.size_m[2] = draw.uniform(0, 0.9) * s.size_m[0];
    const double side = kind == SHAPE_CONE       ? std::min(2 * s.size_m[0], s.size_m[1])
                        : kind == SHAPE_CYLINDER ? 2 * std::min(s.size_m[0], s.size_m[1])
                                                 : 2 * std::min({s.size_m[0], s.size_m[1], s.size_m[2]});
    if (kind != SHAPE_ELLIPSOID) s.smoothing_m = std::min(1e-3, 0.1 * side);
    return s;
}

// Pairs whose normal is a polynomial's or a vertex's, not that of a rim.
bool is_plain(uint32_t kind) { return kind != SHAPE_CYLINDER && kind != SHAPE_CONE && kind != SHAPE_BEAM; }

double cores_ball(const Placed &a, const Placed &b) {
    return shape_ball_radius(&a.shape) + shape_ball_radius(&b.shape);
}

struct Worst {
    int judged = 0, with_normal = 0, flagged = 0, unreported = 0;
    uint32_t iterations = 0;
    double distance_m = 0, normal_rad = 0, near_normal_m = 0, outside_m = 0, between = 0;
};

// One answer against the reference, where the cores are apart.
void judge(const Placed &a, const Placed &b, Vec3 offset, Worst &worst) {
    const NarrowResult r = narrow(a, b, offset);
    const double size = shape_size_m(&a.shape) + shape_size_m(&b.shape) + vec3_max_abs(offset);
    ASSERT_TRUE(is_finite(r));
    worst.flagged += r.status != NARROW_OK;
    if (r.distance_m + cores_ball(a, b) < 1e-7) return;
    worst.iterations = std::max(worst.iterations, r.iterations);
    const CertifiedIn<Quad> right = certified_distance_113(a, b, offset, r.normal);
    if (!right.is_core_apart || right.gap > 1e-20) return; // of ellipsoids it takes less than their ball
    const double error = std::fabs((double)((Quad)r.distance_m - right.distance));
    const double cores = r.distance_m + cores_ball(a, b);
    const double known = std::sqrt(2 * std::fabs((double)right.gap) /
                                   (double)(right.distance + wide_ball<Quad>(a.shape) + wide_ball<Quad>(b.shape)));
    const double off = std::max(0.0, angle(r.normal, rounded(right.normal)) - known); // what the reference leaves open
    worst.judged++;
    worst.with_normal += known < 1e-12 || cores < NORMAL_CORES_M;
    worst.unreported += error > r.error_m && r.status == NARROW_OK;
    worst.distance_m = std::max(worst.distance_m, error);
    if (cores > NORMAL_CORES_M)
        worst.normal_rad = std::max(worst.normal_rad, off);
    else
        worst.near_normal_m = std::max(worst.near_normal_m, off * cores);
    const Proof proof = prove(a, b, offset, r);
    worst.outside_m = std::max(worst.outside_m, (double)proof.outside);
    const Vec3 between = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
    worst.between = std::max(worst.between, vec3_length(vec3_sub(between, vec3_scale(r.normal, r.distance_m))) / size);
}

void print(const char *what, uint32_t kind_a, uint32_t kind_b, const Worst &w) {
    std::printf("%-5s %9s-%-9s judged %5d normal %5d flagged %2d iter %3u dist %.1e normal %.1e near %.1e outside %.1e "
                "points %.1e\n",
                what, kind_name(kind_a), kind_name(kind_b), w.judged, w.with_normal, w.flagged, w.iterations,
                w.distance_m, w.normal_rad, w.near_normal_m, w.outside_m, w.between);
}

class Accuracy : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
  protected:
    uint32_t kind_a = std::get<0>(GetParam()), kind_b = std::get<1>(GetParam());
    Draw draw{910000 + 100 * kind_a + kind_b};
};

TEST_P(Accuracy, NearContact) {
    Worst worst;
    const int pairs = pairs_of(kind_a, kind_b, PAIRS);
    for (int n = 0; n < pairs; n++) {
        const Placed a{draw_smoothed(draw, kind_a), draw.turn()}, b{draw_smoothed(draw, kind_b), draw.turn()};
        const double want = n % 2 ? draw.log_uniform(1e-9, 0.1) : -draw.log_uniform(1e-9, 1e-3);
        judge(a, b, place_at(a, b, draw.direction(), want), worst);
    }
    print("near", kind_a, kind_b, worst);
    // Two hulls that overlap have no cores apart.
    EXPECT_GE(worst.judged, kind_a == SHAPE_HULL && kind_b == SHAPE_HULL ? pairs * 0.35 : pairs * 0.98);
    EXPECT_GE(worst.with_normal, worst.judged * 0.98);
    EXPECT_LE(worst.distance_m, 2e-15);
    EXPECT_LE(worst.normal_rad, is_plain(kind_a) && is_plain(kind_b) ? 1e-12 : 1e-10);
    EXPECT_LE(worst.near_normal_m, 4e-15);
    EXPECT_EQ(worst.unreported, 0);
    EXPECT_LE(worst.flagged, pairs / 10000);
    EXPECT_LT(worst.iterations, GJK_STEPS) << "a limit was reached";
    EXPECT_LE(worst.outside_m, 4e-15);
    EXPECT_LE(worst.between, FEATURE_STATIONARY) << "the points are not across the normal from each other";
}

TEST_P(Accuracy, AspectsUpToThirty) {
    Worst worst;
    draw_any(draw, SHAPE_HULL); // makes its own hulls once
    const size_t rows = hull_rows().size();
    const int pairs = pairs_of(kind_a, kind_b, PAIRS_LONG);
    for (int n = 0; n < pairs; n++) {
        const Placed a{draw_long(draw, kind_a), draw.turn()}, b{draw_long(draw, kind_b), draw.turn()};
        const double want = n % 2 ? draw.log_uniform(1e-9, 0.1) : -draw.log_uniform(1e-9, 1e-4) / 30;
        judge(a, b, place_at(a, b, draw.direction(), want), worst);
        hull_rows().resize(rows);
    }
    print("long", kind_a, kind_b, worst);
    EXPECT_GE(worst.judged, kind_a == SHAPE_HULL && kind_b == SHAPE_HULL ? pairs * 0.35 : pairs * 0.9);
    EXPECT_LE(worst.distance_m, 2e-15);
    EXPECT_EQ(worst.unreported, 0);
    EXPECT_LE(worst.flagged, 1);
    EXPECT_LT(worst.iterations, GJK_STEPS) << "a limit was reached";
}

// Least height of D over directions spread evenly: no depth is less than the least of all.
double sampled_depth(const Placed &a, const Placed &b, Vec3 offset) {
    const int COUNT = 1000;
    double least = 1e9;
    for (int k = 0; k < COUNT; k++) {
        const double z = (2.0 * k + 1) / COUNT - 1, across = std::sqrt(1 - z * z), turn = 2.399963229728653 * k;
        const V n{across * std::cos(turn), across * std::sin(turn), z};
        const V in_a = wide_back(a.turn, n), in_b = wide_back(b.turn, n * -1);
        const V tip =
            wide_turn(a.turn, wide_core(a.shape, in_a)) - wide_turn(b.turn, wide_core(b.shape, in_b)) - wide(offset);
        least = std::min(least, (double)(dot(tip, n) + wide_ball(a.shape) + wide_ball(b.shape)));
    }
    return least;
}

TEST_P(Accuracy, DeepPairsEndAndSaySo) {
    int flagged = 0, local = 0;
    uint32_t most = 0;
    for (int n = 0; n < PAIRS_DEEP; n++) {
        const Placed a{draw_smoothed(draw, kind_a), draw.turn()}, b{draw_smoothed(draw, kind_b), draw.turn()};
        const Vec3 way = draw.direction(), touch = place_at(a, b, way, 0);
        const Vec3 offset = vec3_scale(touch, draw.uniform(0.3, 0.99));
        const NarrowResult r = narrow(a, b, offset);
        ASSERT_TRUE(is_finite(r));
        EXPECT_LT(r.distance_m, 0);
        // A way out: moved along the normal by the depth they touch, by a little more they are apart.
        const NarrowResult out = narrow(a, b, vec3_add_scaled(offset, r.normal, 1e-9 - r.distance_m));
        EXPECT_GE(out.distance_m, 1e-9 - 1e-14 - r.error_m) << kind_name(kind_a) << "-" << kind_name(kind_b);
        flagged += r.status != NARROW_OK;
        most = std::max(most, r.iterations);
        if (n < PAIRS_DEEP / 4) local += -r.distance_m > sampled_depth(a, b, offset) + 1e-9;
    }
    std::printf("deep  %9s-%-9s flagged %2d iter %3u local %d of %d\n", kind_name(kind_a), kind_name(kind_b), flagged,
                most, local, PAIRS_DEEP / 4);
    EXPECT_LE(local, PAIRS_DEEP / 4 / 20) << "more than a few are not the least depth";
    EXPECT_LE(flagged, PAIRS_DEEP / 50);
    EXPECT_LT(most, 600u);
}

Placed scaled(Placed p, double s) {
    for (int k = 0; k < 3; k++) p.shape.size_m[k] *= s;
    p.shape.smoothing_m *= s;
    p.shape.bound_radius_m *= s;
    return p;
}

TEST_P(Accuracy, NoOrderMotionOrScaleChangesTheAnswer) {
    double distance[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
    for (int n = 0; n < pairs_of(kind_a, kind_b, PAIRS / 4); n++) {
        const Placed a{draw_smoothed(draw, kind_a), draw.turn()}, b{draw_smoothed(draw, kind_b), draw.turn()};
        const double want = n % 2 ? draw.log_uniform(1e-6, 0.1) : -draw.log_uniform(1e-9, 5e-4);
        const Vec3 offset = place_at(a, b, draw.direction(), kind_a == SHAPE_HULL ? std::fabs(want) : want);
        const NarrowResult r = narrow(a, b, offset);
        const double cores = r.distance_m + cores_ball(a, b), size = shape_size_m(&a.shape) + shape_size_m(&b.shape);
        if (cores < 1e-6) continue;
        const Mat3 turn = draw.turn();
        const double s = draw.log_uniform(1e-3, 1e3);
        const NarrowResult others[3] = {
            narrow(b, a, vec3_negate(offset)),
            narrow({a.shape, product(turn, a.turn)}, {b.shape, product(turn, b.turn)}, mat3_rotate(turn, offset)),
            narrow(scaled(a, s), scaled(b, s), vec3_scale(offset, s))};
        const Vec3 normals[3] = {vec3_negate(others[0].normal), mat3_rotate_back(turn, others[1].normal),
                                 others[2].normal};
        const double scales[3] = {1, 1, s};
        for (int k = 0; k < 3; k++) {
            distance[k] = std::max(distance[k], std::fabs(others[k].distance_m / scales[k] - r.distance_m) / size);
            if (cores > NORMAL_CORES_M) normal[k] = std::max(normal[k], angle(normals[k], r.normal));
        }
    }
    std::printf("same  %9s-%-9s swap %.1e %.1e moved %.1e %.1e scaled %.1e %.1e\n", kind_name(kind_a),
                kind_name(kind_b), distance[0], normal[0], distance[1], normal[1], distance[2], normal[2]);
    for (int k = 0; k < 3; k++) {
        EXPECT_LE(distance[k], 1e-14) << k;
        EXPECT_LE(normal[k], 1e-10) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Accuracy, testing::ValuesIn(every_class()), [](const auto &kinds) {
    return std::string(kind_name(std::get<0>(kinds.param))) + "_" + kind_name(std::get<1>(kinds.param));
});

// Side on side two frusta touch with a point of a generator each, where both normals are bound to their cones.
TEST(AccuracyFrusta, SideOnSide) {
    Draw draw(20260);
    Worst worst;
    for (int n = 0; n < 20 * PAIRS_SIDE && worst.judged < PAIRS_SIDE; n++) { // most touch elsewhere
        const Placed a{draw_smoothed(draw, SHAPE_CONE), draw.turn()}, b{draw_smoothed(draw, SHAPE_CONE), draw.turn()};
        const double want = n % 2 ? draw.log_uniform(1e-9, 0.1) : -draw.log_uniform(1e-9, 1e-3);
        const Vec3 offset = place_at(a, b, draw.direction(), want);
        const NarrowResult r = narrow(a, b, offset);
        auto is_on_side = [](const Placed &of, Vec3 point) { // away from the rims by more than the smoothing
            const double z = mat3_rotate_back(of.turn, point).z;
            return z > 0.02 * of.shape.size_m[1] && z < 0.98 * of.shape.size_m[1];
        };
        const double cosine_a = mat3_rotate_back(a.turn, r.normal).z, cosine_b = mat3_rotate_back(b.turn, r.normal).z;
        if (std::max(std::fabs(cosine_a), std::fabs(cosine_b)) > 0.99) continue;
        if (is_on_side(a, r.point_a) && is_on_side(b, r.point_b)) judge(a, b, offset, worst);
    }
    print("side", SHAPE_CONE, SHAPE_CONE, worst);
    EXPECT_EQ(worst.judged, PAIRS_SIDE);
    EXPECT_LE(worst.distance_m, 2e-15);
    EXPECT_LE(worst.normal_rad, 1e-12);
    EXPECT_LE(worst.near_normal_m, 4e-15);
    EXPECT_EQ(worst.flagged + worst.unreported, 0);
}

TEST(AccuracyHalfSpace, IsTheDeepestPointTo113Bits) {
    for (uint32_t kind : SOLIDS_AND_HULL) {
        Draw draw(920000 + kind);
        double worst = 0;
        for (int n = 0; n < PAIRS; n++) {
            const Placed ground{half_space(), draw.turn()}, other{draw_smoothed(draw, kind), draw.turn()};
            const Vec3 offset = vec3_scale(draw.direction(), draw.uniform(0, 1.5));
            const NarrowResult r = narrow(ground, other, offset, 0, options(SCENE_SINGLE_CONTACT));
            const Wide<Quad> up = wide_turn(ground.turn, Wide<Quad>{0, 0, 1});
            const Wide<Quad> down = wide_back(other.turn, up * -1);
            const Quad right =
                dot(wide<Quad>(offset), up) - dot(wide_core(other.shape, down), down) - wide_ball<Quad>(other.shape);
            const double error = std::fabs((double)((Quad)r.distance_m - right));
            worst = std::max(worst, error);
            ASSERT_LE(error, r.error_m) << kind_name(kind);
            ASSERT_EQ(r.status, NARROW_OK);
        }
        EXPECT_LE(worst, 2e-15) << kind_name(kind);
    }
}

} // namespace
