// Shapes that touch along a line or all over a face do so in the middle of it, and the point moves continuously as they
// are tilted through parallel.
#include "shape_reference.h"

#include <gtest/gtest.h>

using namespace scenes;

namespace {

const Vec3 X = vec3_make(1, 0, 0), Y = vec3_make(0, 1, 0), Z = vec3_make(0, 0, 1);

Mat3 about(Vec3 axis, double degrees) { return turn_about(axis, degrees * M_PI / 180); }

// Two shapes that touch in a line or a face, and where its middle is, from the origin of A.
struct Touch {
    const char *name;
    Placed a, b;
    Vec3 offset, normal, middle;
    double within; // of the middle, m
};

Shape prism(double radius, double half_length) { // of three sides, along z, one of which looks down the y axis
    Points points;
    for (int k = 0; k < 6; k++) {
        const double turn = M_PI / 2 + 2 * M_PI * (k / 2) / 3;
        points.push_back({radius * std::cos(turn), radius * std::sin(turn), k % 2 ? half_length : -half_length});
    }
    return make_hull(points, 1, 1e-3);
}

Shape crate(double x, double y, double z) {
    Points points;
    for (int k = 0; k < 8; k++) points.push_back({k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z});
    return make_hull(points, 1, 1e-3);
}

std::vector<Touch> touches() {
    hull_rows().resize(1);
    const double r2 = std::sqrt(2.0);
    const Shape table = box(0.4, 0.3, 0.1, 1e-3), brick = box(0.1, 0.06, 0.05, 1e-3),
                log = make_shape(SHAPE_CYLINDER, 0.05, 0.2, 0, 1e-3);
    const Shape can = make_shape(SHAPE_CYLINDER, 0.1, 0.05, 0, 1e-3), rod = capsule(0.05, 0.2),
                bar = make_shape(SHAPE_BEAM, 0.2, 0.05, 0.04, 1e-3);
    const Shape cup = make_shape(SHAPE_CONE, 0.1, 0.1, 0.05, 1e-3);
    const Shape wide = crate(0.4, 0.3, 0.1), small = crate(0.1, 0.06, 0.05), roof = prism(0.1, 0.2);
    const Mat3 flat = no_turn(), lying = about(Y, 90), edge = about(X, 45);
    std::vector<Touch> all;
    auto add = [&](const char *name, Shape a, Mat3 turn_a, Shape b, Mat3 turn_b, Vec3 offset, Vec3 middle,
                   double within = 1e-9) {
        all.push_back({name, {a, turn_a}, {b, turn_b}, offset, Z, middle, within});
    };
    add("box on box", table, flat, brick, flat, vec3_make(0.1, 0.05, 0.15), vec3_make(0.1, 0.05, 0.1));
    add("box on box, turned", table, flat, brick, about(Z, 30), vec3_make(0.1, 0.05, 0.15), vec3_make(0.1, 0.05, 0.1));
    // Faces of the cores end 1 mm short of the edges.
    add("box over an edge", table, flat, brick, flat, vec3_make(0.4, 0, 0.15), vec3_make((0.301 + 0.399) / 2, 0, 0.1));
    add("box over a corner", table, flat, brick, flat, vec3_make(0.4, 0.3, 0.15),
        vec3_make(0.35, (0.241 + 0.299) / 2, 0.1));
    add("equal boxes", brick, flat, brick, flat, vec3_make(0, 0, 0.1), vec3_make(0, 0, 0.05));
    const double across = 0.059 + 0.049, out = across / r2 + 1e-3; // of a brick on its edge along x
    add("edge on face", table, flat, brick, edge, vec3_make(0.05, 0.1, 0.1 + out),
        vec3_make(0.05, 0.1 - (0.049 - 0.059) / r2 * -1, 0.1));
    add("edge on face, over its edge", table, flat, brick, edge, vec3_make(0.4, 0.1, 0.1 + out),
        vec3_make(0.35, 0.1 - (0.049 - 0.059) / r2 * -1, 0.1));
    add("rod on box", table, flat, rod, lying, vec3_make(0.3, 0.1, 0.15), vec3_make((0.1 + 0.399) / 2, 0.1, 0.1));
    add("rod on rod", rod, lying, rod, lying, vec3_make(0.3, 0, 0.1), vec3_make(0.15, 0, 0.05));
    add("log on box", table, flat, log, lying, vec3_make(0.3, 0.1, 0.15), vec3_make((0.101 + 0.399) / 2, 0.1, 0.1));
    add("log on log", log, lying, log, lying, vec3_make(0.3, 0, 0.1), vec3_make(0.15, 0, 0.05));
    add("log on rod", rod, lying, log, lying, vec3_make(0.3, 0, 0.1), vec3_make((0.101 + 0.2) / 2, 0, 0.05));
    add("can on box", table, flat, can, flat, vec3_make(0.1, 0.05, 0.15), vec3_make(0.1, 0.05, 0.1));
    add("can half over an edge", table, flat, can, flat, vec3_make(0.399, 0, 0.15),
        vec3_make(0.399 - 4 * 0.099 / (3 * M_PI), 0, 0.1), 2e-3);
    add("can on can", can, flat, can, flat, vec3_make(0.08, 0.06, 0.1), vec3_make(0.04, 0.03, 0.05), 1e-3);
    add("beam on box", table, flat, bar, product(about(Z, 90), about(X, 90)), vec3_make(0.1, 0.05, 0.14),
        vec3_make(0.1, 0.05, 0.1));
    add("beam on its side", table, flat, bar, lying, vec3_make(0.1, 0.05, 0.15), vec3_make(0.1, 0.05, 0.1));
    add("frustum on box", table, flat, cup, flat, vec3_make(0.1, 0.05, 0.1), vec3_make(0.1, 0.05, 0.1));
    add("crate on crate", wide, flat, small, flat, vec3_make(0.4, 0.05, 0.15), vec3_make(0.35, 0.05, 0.1), 2e-3);
    add("crate on box", table, flat, small, about(Z, 20), vec3_make(0.1, 0.05, 0.15), vec3_make(0.1, 0.05, 0.1));
    add("prism on box", table, flat, roof, product(about(Z, 90), about(X, 90)), vec3_make(0.1, 0.05, 0.15),
        vec3_make(0.1, 0.05, 0.1));
    add("roof on roof", roof, about(X, 90), roof, about(X, -90), vec3_make(0, 0.1, 0.2), vec3_make(0, 0.05, 0.1));
    for (Touch &t : all) { // by the axis of approach until they touch
        for (int i = 0; i < 60; i++) {
            const NarrowResult r = narrow(t.a, t.b, t.offset);
            t.offset = vec3_add_scaled(t.offset, Z, 0.0 - r.distance_m);
            if (std::fabs(r.distance_m) < 1e-15) break;
        }
    }
    return all;
}

Vec3 point(const NarrowResult &r, Vec3 offset) { // in the middle of both shapes' points, from A's origin
    return vec3_scale(vec3_add(r.point_a, vec3_add(r.point_b, offset)), 0.5);
}

TEST(ContactPatch, OfLinesAndFaces) {
    for (const Touch &t : touches()) {
        const NarrowResult r = narrow(t.a, t.b, t.offset);
        const Vec3 at = point(r, t.offset), off = vec3_sub(at, t.middle);
        EXPECT_LE(std::hypot(off.x, off.y), t.within) << t.name;
        EXPECT_LT(angle(r.normal, t.normal), 1e-12) << t.name;
        EXPECT_NEAR(r.distance_m, 0, 2e-15) << t.name;
    }
}

// Whichever of both is A, wherever they are and whatever was remembered.
TEST(ContactPatch, IsTheSameSeenFromAnywhere) {
    Draw draw(702);
    for (const Touch &t : touches()) {
        double swapped = 0, moved = 0, warm = 0, from_warm = 0;
        for (int n = 0; n < 200; n++) {
            const double tilt = n % 2 ? 0 : draw.log_uniform(1e-9, 3e-5);
            const Placed b{t.b.shape, product(turn_about(draw.direction(), tilt), t.b.turn)};
            const NarrowResult r = narrow(t.a, b, t.offset);
            const Vec3 at = point(r, t.offset);
            const NarrowResult other = narrow(b, t.a, vec3_negate(t.offset));
            swapped =
                std::max(swapped, vec3_length(vec3_sub(vec3_add(point(other, vec3_negate(t.offset)), t.offset), at)));
            const Mat3 turn = draw.turn();
            const NarrowResult turned = narrow({t.a.shape, product(turn, t.a.turn)}, {b.shape, product(turn, b.turn)},
                                               mat3_rotate(turn, t.offset));
            moved = std::max(
                moved, vec3_length(vec3_sub(mat3_rotate_back(turn, point(turned, mat3_rotate(turn, t.offset))), at)));
            NarrowWarmStart warm_start = narrow_no_warm_start();
            NarrowOptions o = options(SCENE_SINGLE_CONTACT);
            o.before = o.now = &warm_start;
            (void)narrow(t.a, {b.shape, product(turn_about(draw.direction(), 1e-6), b.turn)}, t.offset, 0, o);
            const NarrowResult again = narrow(t.a, b, t.offset, 0, o);
            warm = std::max(warm, vec3_length(vec3_sub(point(again, t.offset), at)));
            from_warm = std::max(from_warm, std::fabs(again.distance_m - r.distance_m));
        }
        std::printf("%s: swapped %.1e, moved %.1e, warm %.1e m\n", t.name, swapped, moved, warm);
        // Normals are known to 1e-13 where sides meet, to 1e-11 where rims cross that are nearly in one plane, and
        // points move by lengths over PATCH_TILT.
        const double known = t.b.shape.kind == SHAPE_CYLINDER && t.within > 1e-9 ? 3e-6 : 1e-8;
        EXPECT_LE(swapped, known) << t.name;
        EXPECT_LE(moved, known) << t.name;
        EXPECT_LE(warm, 1e-8) << t.name;
        EXPECT_LE(from_warm, 1e-15) << t.name;
    }
}

// With a single contact on a half-space too.
TEST(ContactPatch, OnAHalfSpace) {
    const Placed ground{half_space(), no_turn()};
    for (const Touch &t : touches()) {
        if (t.b.shape.kind == SHAPE_HULL && std::string(t.name) == "roof on roof") continue;
        const double height = vec3_dot(t.offset, Z) - t.middle.z;
        auto at = [&](Vec3 axis, double tilt) {
            return narrow(ground, {t.b.shape, product(turn_about(axis, tilt), t.b.turn)}, vec3_make(0, 0, height), 0,
                          options(SCENE_SINGLE_CONTACT));
        };
        const NarrowResult r = at(X, 0);
        EXPECT_LE(std::hypot(r.point_b.x, r.point_b.y), 0.011)
            << t.name; // an edge's is not below the middle of the shape
        for (Vec3 axis : {X, Y, vec3_make(0.6, 0.8, 0)})
            for (double tilt = -2e-5; tilt < 2e-5; tilt += 1e-7) {
                const NarrowResult here = at(axis, tilt), there = at(axis, tilt + 1e-7);
                EXPECT_LE(vec3_length(vec3_sub(here.point_b, there.point_b)), 0.5 * 1e-7 / PATCH_TILT) << t.name;
            }
        const NarrowResult compat = narrow(ground, t.b, vec3_make(0, 0, height), 0, options(SCENE_COMPAT_MODIA3D));
        EXPECT_EQ(vec3_length(compat.to_nearest_m), 0) << t.name;
    }
}

// Neither the reference's way nor MPR, and no pair that is tilted by more.
TEST(ContactPatch, IsSoughtWhereItIsToBe) {
    for (const Touch &t : touches()) {
        for (u32 flags : {SCENE_COMPAT_MODIA3D, SCENE_NARROW_MPR})
            EXPECT_EQ(vec3_length(narrow(t.a, t.b, t.offset, 0, options(flags)).to_nearest_m), 0) << t.name;
        Draw draw(703);
        for (int n = 0; n < 100; n++) {
            const NarrowResult r =
                narrow({t.a.shape, draw.turn()}, {t.b.shape, draw.turn()}, vec3_scale(draw.direction(), 2));
            EXPECT_EQ(vec3_length(r.to_nearest_m), 0) << t.name;
        }
    }
}

// Swept through parallel about any axis: from one step to the next the point moves no further than lengths over
// PATCH_TILT allow. Without that it would jump from one end to the other.
TEST(ContactPatch, MovesContinuouslyThroughParallel) {
    Draw draw(701);
    for (const Touch &t : touches()) {
        double worst = 0;
        for (int n = 0; n < 60; n++) {
            const Vec3 axis = n == 0 ? X : n == 1 ? Y : n == 2 ? Z : draw.direction();
            // A tilt beside it, of any size.
            const Mat3 aside = n < 6 ? no_turn() : turn_about(draw.direction(), draw.log_uniform(1e-9, 1e-4));
            auto at = [&](double tilt) {
                const NarrowResult r =
                    narrow(t.a, {t.b.shape, product(turn_about(axis, tilt), product(aside, t.b.turn))}, t.offset);
                return r;
            };
            for (double step : {1e-9, 1e-8, 1e-7, 1e-6})
                for (int k = -60; k <= 60; k++) {
                    const double tilt =
                        k == 0 ? -step / 2 : (k < 0 ? -1 : 1) * std::pow(10, -9 + 6 * std::abs(k) / 60.0);
                    const NarrowResult first = at(tilt), next = at(tilt + step);
                    const double change = vec3_length(vec3_sub(point(next, t.offset), point(first, t.offset)));
                    worst = std::max(worst, change / step);
                }
        }
        std::printf("%s: %g m for each %g rad\n", t.name, worst * PATCH_TILT, PATCH_TILT);
        // Where a face ends the normal turns by more than the shape: by heights over the radius of its edges.
        EXPECT_LE(worst * PATCH_TILT, 3) << t.name << ": a jump by 0.1 m in a step of 1e-9 would be 1,000";
    }
}

} // namespace
