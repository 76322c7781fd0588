// Several contacts of a pair: against the nearest points, continuous forces, bodies at rest on their faces.
#include <gtest/gtest.h>

#include "scene_builder.h"
#include "shape_reference.h"

using namespace scenes;

namespace {

const uint32_t PAIRS_OF_KINDS[][2] = {{SHAPE_BOX, SHAPE_BOX}, {SHAPE_BOX, SHAPE_CAPSULE}, {SHAPE_CAPSULE, SHAPE_BOX}};

NarrowResult contact(const Placed &a, const Placed &b, Vec3 offset, u32 feature) {
    return narrow(a, b, offset, feature, options(0));
}

// No contact is there without the solids touching, and wherever their nearest points lie, one contact has
// them: the least gap is the distance.
TEST(Manifold, HoldsTheNearestPoints) {
    Draw draw(301);
    for (const auto *kinds : PAIRS_OF_KINDS) {
        int crossings = 0, faded = 0;
        for (int i = 0; i < 3000; i++) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const double want = i % 2 ? draw.log_uniform(1e-9, 0.1) : -draw.log_uniform(1e-9, 1e-4);
            const Vec3 offset = place_at(a, b, draw.direction(), want);
            const NarrowResult nearest = narrow(a, b, offset);
            const u32 count = feature_count(kinds[0], kinds[1], 0);
            ASSERT_EQ(count, kinds[0] == kinds[1] ? 160u : 22u);
            NarrowResult least{};
            least.distance_m = 1e9;
            u32 which = 0;
            for (u32 k = 0; k < count; k++) {
                const NarrowResult r = contact(a, b, offset, k);
                ASSERT_TRUE(is_finite(r));
                ASSERT_TRUE(r.distance_m > 0 || nearest.distance_m <= 0) << k;
                ASSERT_GE(r.distance_m, std::min(nearest.distance_m, 0.0) - 2e-15) << k;
                if (r.distance_m < least.distance_m) least = r, which = k;
            }
            if (nearest.distance_m > 0) continue; // gaps of crossings beyond their ends are no distances
            crossings += which >= manifold_count(&a.shape) + manifold_count(&b.shape);
            if (least.distance_m > nearest.distance_m + 2e-15) { // only where a crossing fades at its ends
                faded++;
                continue;
            }
            ASSERT_LT(angle(least.normal, nearest.normal), 1e-9);
            ASSERT_LT(vec3_length(vec3_sub(least.point_a, nearest.point_a)), 1e-9);
        }
        EXPECT_GT(crossings, 300);
        EXPECT_LT(faded, 30);
    }
}

TEST(Manifold, SwapGivesTheSameContacts) {
    Draw draw(302);
    for (const auto *kinds : PAIRS_OF_KINDS)
        for (int i = 0; i < 500; i++) {
            const Placed a{draw.shape(kinds[0]), draw.turn()}, b{draw.shape(kinds[1]), draw.turn()};
            const Vec3 offset = place_at(a, b, draw.direction(), draw.uniform(-1e-3, 1e-2));
            std::vector<double> here, there;
            for (u32 k = 0; k < feature_count(kinds[0], kinds[1], 0); k++) {
                here.push_back(contact(a, b, offset, k).distance_m);
                there.push_back(contact(b, a, vec3_negate(offset), k).distance_m);
            }
            std::sort(here.begin(), here.end());
            std::sort(there.begin(), there.end());
            for (size_t k = 0; k < here.size(); k++) ASSERT_NEAR(here[k], there[k], 4e-15 * std::max(1.0, here[k]));
        }
}

// Where two edges cross and nothing fades their overlap, their gap changes as their points move; where it
// fades it does not, which is why the stepper looks for no peaks of force there (event_force_peak).
TEST(Manifold, RatesOfCrossingsAreThoseOfTheirPointsUnlessTheyFade) {
    Draw draw(303);
    int plain = 0, fading = 0, other = 0;
    for (int i = 0; i < 400; i++) {
        // Face on face, turned by little or much: edges cross near their ends and nearly parallel.
        const Placed a{box(0.5, 0.4, 0.1, 1e-3), no_turn()};
        const Placed b{box(0.5, 0.4, 0.1, 1e-3), turn_about(vec3_make(0, 0, 1), draw.log_uniform(1e-5, 1))};
        const Vec3 offset = vec3_make(draw.log_uniform(1e-5, 0.5), draw.log_uniform(1e-5, 0.4), 0.2 - 1e-4);
        const Vec3 spin = draw.direction();
        for (u32 k = 16; k < 160; k++) {
            const NarrowResult r = contact(a, b, offset, k);
            if (r.distance_m > 0) continue;
            EXPECT_EQ(manifold_is_crossing(&a.shape, &b.shape, k), 1u);
            const double h = 1e-7;
            const double ahead = contact(a, {b.shape, product(turn_about(spin, h), b.turn)}, offset, k).distance_m;
            const double behind = contact(a, {b.shape, product(turn_about(spin, -h), b.turn)}, offset, k).distance_m;
            const double rate = (ahead - behind) / (2 * h), of_point = vec3_dot(vec3_cross(spin, r.point_b), r.normal);
            const Vec3 between = vec3_sub(vec3_add(r.point_b, offset), r.point_a);
            if (std::fabs(vec3_dot(between, r.normal) - r.distance_m) < 1e-14) {
                plain++;
                EXPECT_NEAR(rate, of_point, 1e-5) << k;
            } else {
                fading++;
                other += std::fabs(rate - of_point) > 1e-2;
            }
        }
    }
    EXPECT_GT(plain, 50);
    EXPECT_GT(fading, 5);
    EXPECT_GT(other, fading / 2);
}

struct Load {
    double force;
    Vec3 torque;
};

// Hertz forces of equal stiffness over all contacts, torque about B's origin.
Load load(const Placed &a, const Placed &b, Vec3 offset) {
    Load sum{0, vec3_zero()};
    for (u32 k = 0; k < narrow_feature_count(&a.shape, &b.shape, 0); k++) {
        const NarrowResult r = contact(a, b, offset, k);
        if (r.distance_m >= 0) continue;
        const double f = std::pow(-r.distance_m, 1.5);
        sum.force += f * r.normal.z;
        sum.torque = vec3_add(sum.torque, vec3_scale(vec3_cross(r.point_b, r.normal), f));
    }
    return sum;
}

// One solid slides and turns over another's edge, corner and through alignment: where a step of the pose is
// halved, so is the change of the force. A jump would stay.
void expect_continuous(const Shape &below, const Shape &above) {
    const Placed table{below, no_turn()};
    const double depth = 1e-5;
    struct Path {
        const char *name;
        Vec3 from, to;
        double turn_from, turn_to;
    };
    const Path paths[] = {{"over an edge", vec3_make(0.35, 0.1, 0), vec3_make(0.65, 0.1, 0), 0.3, 0.3},
                          {"over an edge, aligned", vec3_make(0.3, 0, 0), vec3_make(0.5, 0, 0), 0, 0},
                          {"over a corner", vec3_make(0.4, 0.3, 0), vec3_make(0.6, 0.5, 0), 0.7, 0.7},
                          {"turning through alignment", vec3_make(0.3, 0.3, 0), vec3_make(0.3, 0.3, 0), -0.01, 0.01},
                          {"turning over a corner", vec3_make(0.45, 0.35, 0), vec3_make(0.45, 0.35, 0), 0, 1.5}};
    for (const Path &path : paths) {
        auto at = [&](double t) {
            const Placed crate{above,
                               turn_about(vec3_make(0, 0, 1), path.turn_from + t * (path.turn_to - path.turn_from))};
            Vec3 place = vec3_add_scaled(path.from, vec3_sub(path.to, path.from), t);
            place.z = 0.2 - depth;
            return load(table, crate, place);
        };
        const double scale = std::pow(depth, 1.5);
        // The largest change over 2,000 steps, looked at again with ever finer ones.
        double worst_t = 0, worst = 0;
        for (int i = 0; i < 2000; i++) {
            const double change = std::fabs(at((i + 1) / 2000.0).force - at(i / 2000.0).force);
            if (change > worst) worst = change, worst_t = i / 2000.0;
        }
        double low = worst_t, width = 1 / 2000.0;
        for (int i = 0; i < 40; i++) { // bisect into the half that changes more
            width /= 2;
            const double first = std::fabs(at(low + width).force - at(low).force);
            const double second = std::fabs(at(low + 2 * width).force - at(low + width).force);
            if (second > first) low += width;
        }
        EXPECT_LE(std::fabs(at(low + width).force - at(low).force), 1e-3 * scale) << path.name << " at " << low;
    }
}

// Heights 0.2 m, the lower one 1 m by 0.8 m.
TEST(Manifold, ForcesAreContinuousInThePose) { expect_continuous(box(0.5, 0.4, 0.1, 1e-3), box(0.1, 0.15, 0.1, 1e-3)); }

// Prisms of five and seven sides: edges cross at all angles, and in the corners' neighbourhood.
TEST(Manifold, ForcesOfHullsAreContinuousInThePose) {
    auto prism = [](int sides, double x, double y) {
        Points points;
        for (int k = 0; k < 2 * sides; k++) {
            const double turn = 2 * M_PI * (k / 2) / sides;
            points.push_back({x * std::cos(turn), y * std::sin(turn), k % 2 ? 0.1 : -0.1});
        }
        return make_hull(points, 1, 1e-3);
    };
    hull_rows().resize(1);
    const Shape below = prism(5, 0.5, 0.4), above = prism(7, 0.1, 0.15), plain = box(0.5, 0.4, 0.1, 1e-3);
    expect_continuous(below, above);
    expect_continuous(plain, above);
}

const uint32_t SOLIDS[] = {SHAPE_BOX, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_CONE, SHAPE_BEAM};

Shape draw_solid_with_points(Draw &draw, uint32_t kind) {
    Shape s = draw_solid(draw, kind);
    if (kind != SHAPE_CAPSULE) s.smoothing_m = 1e-3;
    return s;
}

// Apart one contact has the distance of the solids, and none touches that are apart; overlapping none is deeper
// than they are, and one is as deep but for the discs' domes. In either order.
TEST(ManifoldPoints, HoldTheNearestPoints) {
    Draw draw(304);
    for (uint32_t kind_a : SOLIDS)
        for (uint32_t kind_b : SOLIDS) {
            int faded = 0;
            for (int i = 0; i < 300; i++) {
                const Placed a{draw_solid_with_points(draw, kind_a), draw.turn()};
                const Placed b{draw_solid_with_points(draw, kind_b), draw.turn()};
                if (!manifold_has_points(&a.shape, &b.shape)) continue;
                const Vec3 offset = place_at(a, b, draw.direction(), i % 2 ? draw.log_uniform(1e-4, 0.1) : -1e-5);
                const NarrowResult nearest = narrow(a, b, offset);
                const u32 count = narrow_feature_count(&a.shape, &b.shape, 0);
                double least = 1e9;
                for (u32 k = 0; k < count; k++) {
                    const NarrowResult r = contact(a, b, offset, k);
                    ASSERT_TRUE(is_finite(r));
                    ASSERT_GE(r.distance_m, nearest.distance_m - 4e-15) << k;
                    ASSERT_LT(std::fabs(vec3_length(r.normal) - 1), 1e-14);
                    least = std::min(least, r.distance_m);
                    faded += r.status == NARROW_FADED;
                }
                const double dome = manifold_same_m(&a.shape, &b.shape, MANIFOLD_DOME);
                ASSERT_LE(least, nearest.distance_m > 0 ? nearest.distance_m : 0.5 * nearest.distance_m + dome) << i;
                std::vector<double> here, there;
                for (u32 k = 0; k < count; k++) {
                    here.push_back(contact(a, b, offset, k).distance_m);
                    there.push_back(contact(b, a, vec3_negate(offset), k).distance_m);
                }
                std::sort(here.begin(), here.end());
                std::sort(there.begin(), there.end());
                for (size_t k = 0; k < count; k++) ASSERT_NEAR(here[k], there[k], 1e-12 * std::max(1.0, here[k]));
            }
            EXPECT_TRUE(faded > 10 || kind_a + kind_b <= SHAPE_BOX + SHAPE_CAPSULE)
                << kind_a << " " << kind_b << " " << faded;
        }
}

// Rigid contacts have those of edges and of the sides of cylinders that cross as well. Of solids that are apart their
// gap is the distance where they say that it is one, and of solids that overlap none is deeper. In either order.
TEST(ManifoldPoints, OfRigidPairsHaveCrossingsToo) {
    const NarrowOptions rigid = options(SCENE_QUASI_RIGID);
    Draw draw(305);
    for (const auto &[kind_a, kind_b] : {std::pair{SHAPE_BOX, SHAPE_CYLINDER},
                                         {SHAPE_CYLINDER, SHAPE_BOX},
                                         {SHAPE_CYLINDER, SHAPE_CYLINDER},
                                         {SHAPE_CAPSULE, SHAPE_CYLINDER}}) {
        int told = 0;
        for (int i = 0; i < 400; i++) {
            const Placed a{draw_solid_with_points(draw, kind_a), draw.turn()};
            const Placed b{draw_solid_with_points(draw, kind_b), draw.turn()};
            const Vec3 offset = place_at(a, b, draw.direction(), i % 2 ? draw.log_uniform(1e-4, 0.1) : -1e-5);
            const double distance_m = narrow(a, b, offset).distance_m;
            SolidPair pair{&a.shape, &b.shape, a.turn, b.turn, offset, rigid.hulls, {}, 0};
            manifold_policy(&pair, SCENE_QUASI_RIGID);
            const u32 first = manifold_first_crossing(&a.shape, &b.shape),
                      count = narrow_feature_count(&a.shape, &b.shape, SCENE_QUASI_RIGID);
            ASSERT_EQ(count, first + (kind_a + kind_b == SHAPE_BOX + SHAPE_CYLINDER ? 12u : 1u));
            ASSERT_EQ(narrow_feature_count(&a.shape, &b.shape, SCENE_QUASI_RIGID | PAIR_LAYER), first);
            std::vector<double> here, there;
            for (u32 k = first; k < count; k++) {
                const NarrowResult r = narrow(a, b, offset, k, rigid);
                here.push_back(r.distance_m);
                there.push_back(narrow(b, a, vec3_negate(offset), k, rigid).distance_m);
                ASSERT_LE(manifold_bound(&pair, k, 0.01), r.distance_m - 0.01 + 1e-14);
                if (!manifold_is_near(&pair, k, 0.2)) continue;
                ASSERT_GE(r.distance_m, distance_m - 1e-14) << i << " " << k;
                const double exact_m = distance_m > 0 ? distance_m : r.distance_m;
                ASSERT_NEAR(r.distance_m, exact_m, 1e-13) << i << " " << k;
                told += distance_m > 0;
            }
            std::sort(here.begin(), here.end());
            std::sort(there.begin(), there.end());
            for (size_t k = 0; k < here.size(); k++) ASSERT_NEAR(here[k], there[k], 1e-12 * std::max(1.0, here[k]));
        }
        EXPECT_GT(told, 15) << kind_a << " " << kind_b;
    }
}

// Contacts of a can on a table that carry something, and their moments about the can's axis.
struct Carried {
    int count = 0;
    double depth_m = 0, radius_m = 0, radius_m2 = 0; // deepest, mean of radius and of its square
};

Carried carried(const Placed &table, const Placed &can, Vec3 place) {
    Carried all;
    const u32 count = narrow_feature_count(&table.shape, &can.shape, 0);
    for (u32 k = 0; k < count; k++) {
        const NarrowResult r = narrow(table, can, place, k, options(0));
        if (r.distance_m >= 0) continue;
        const double radius_m = std::hypot(r.point_b.x, r.point_b.y);
        all.count++;
        all.depth_m = std::max(all.depth_m, -r.distance_m);
        all.radius_m += radius_m;
        all.radius_m2 += radius_m * radius_m;
    }
    all.radius_m /= all.count;
    all.radius_m2 /= all.count;
    return all;
}

// A disc on a face is carried as by a uniform pressure on its flat part: mean distances of 2/3 R and R^2 / 2.
TEST(ManifoldPoints, CarryADiscAsAUniformPressure) {
    const double radius = 0.1, rho = 1e-3, flat = radius - rho;
    const Placed table{box(0.4, 0.4, 0.2, rho), no_turn()};
    for (const double turned : {0.0, 0.3, 1.0}) {
        const Placed can{make_shape(SHAPE_CYLINDER, radius, 0.05, 0, rho), turn_about(vec3_make(0, 0, 1), turned)};
        const Carried all = carried(table, can, vec3_make(0.1, 0.05, 0.25 - 1e-5));
        EXPECT_EQ(all.count, 9);
        EXPECT_NEAR(all.depth_m, 1e-5, 1e-14);
        EXPECT_NEAR(all.radius_m, 2 * flat / 3, 1e-12);
        EXPECT_NEAR(all.radius_m2, flat * flat / 2, 1e-13);
    }
}

// A tilted or lying can stands on its lowest points alone, however it is turned about its axis.
TEST(ManifoldPoints, OfATiltedCanDoNotDependOnItsTurn) {
    const double radius = 0.1, half = 0.05, rho = 1e-3, depth = 1e-4;
    const Placed table{box(0.4, 0.4, 0.2, rho), no_turn()};
    const Shape shape = make_shape(SHAPE_CYLINDER, radius, half, 0, rho);
    for (const double tilt : {0.02, 0.1, 0.7, 1.2, 1.5, M_PI / 2}) {
        const double low = (radius - rho) * std::sin(tilt) + (half - rho) * std::cos(tilt) + rho;
        double first_m = 0;
        for (int i = 0; i < 64; i++) {
            const Mat3 turn =
                product(turn_about(vec3_make(0, 1, 0), tilt), turn_about(vec3_make(0, 0, 1), M_PI / 128 * i));
            const Carried all = carried(table, {shape, turn}, vec3_make(0.1, 0.05, 0.2 + low - depth));
            EXPECT_EQ(all.count, tilt < 1.57 ? 1 : 2) << tilt << " " << i;
            EXPECT_NEAR(all.depth_m, depth, MANIFOLD_DOME * radius) << tilt << " " << i;
            if (i == 0) first_m = all.depth_m;
            EXPECT_NEAR(all.depth_m, first_m, 1e-15) << tilt << " " << i;
        }
    }
}

TEST(ManifoldPoints, AreThereUnlessOneContactIsAskedFor) {
    const Shape one = make_shape(SHAPE_CYLINDER, 0.2, 0.3, 0, 1e-3), other = box(0.3, 0.3, 0.3, 1e-3);
    EXPECT_EQ(narrow_feature_count(&one, &other, 0), 16u + 8u + 2u + 1u);
    EXPECT_EQ(narrow_feature_count(&one, &other, SCENE_SINGLE_CONTACT), 1u);
    EXPECT_EQ(narrow_feature_count(&one, &other, SCENE_COMPAT_MODIA3D), 1u);
    EXPECT_EQ(narrow_feature_count(&one, &other, SCENE_NARROW_MPR), 1u);
}

// The load of solids flat on a table or lying has no jump where they slide, tilt through level in any direction,
// roll and turn: of each short way the part where it changes most, halved until the pose has no digits left.
TEST(ManifoldPoints, LoadsAreContinuousInThePose) {
    struct Way {
        uint32_t below, above;
        Vec3 place;
        Mat3 turn; // of the one above, at rest
        double depth;
    };
    const Mat3 lying = turn_about(vec3_make(0, 1, 0), M_PI / 2);
    const Way ways[] = {
        {SHAPE_BOX, SHAPE_CYLINDER, vec3_make(0.1, 0.05, 0.25), no_turn(), 2e-5},
        {SHAPE_CYLINDER, SHAPE_CYLINDER, vec3_make(0.1, 0.05, 0.25), no_turn(), 2e-5},
        {SHAPE_BOX, SHAPE_BEAM, vec3_make(0.1, 0.05, 0.2), turn_about(vec3_make(1, 0, 0), M_PI / 2), 2e-5},
        {SHAPE_BOX, SHAPE_CYLINDER, vec3_make(0.05, 0.02, 0.3), lying, 2e-5},
        {SHAPE_CYLINDER, SHAPE_BOX, vec3_make(0.1, 0.05, 0.2), no_turn(), 2e-5}};
    auto make = [](uint32_t kind, double size) {
        if (kind == SHAPE_BOX) return box(size, size, size / 2, 1e-3);
        if (kind == SHAPE_BEAM) return make_shape(SHAPE_BEAM, size, size / 2, size, 1e-3);
        return make_shape(SHAPE_CYLINDER, size, kind == SHAPE_CYLINDER ? size : size / 2, 0, 1e-3);
    };
    for (const Way &way : ways) {
        const Placed table{make(way.below, 0.4), no_turn()};
        const Shape shape = make(way.above, 0.1);
        auto at = [&](const double *change) { // 3 shifts, a rotation vector
            const Vec3 turn = vec3_make(change[3], change[4], change[5]);
            const double angle = vec3_length(turn);
            Mat3 turned = way.turn;
            if (angle > 0) turned = product(turn_about(vec3_scale(turn, 1 / angle), angle), way.turn);
            return load(table, {shape, turned}, vec3_add(way.place, vec3_make(change[0], change[1], change[2])));
        };
        // Down until it is that deep.
        double low = -0.4, high = 0.4;
        for (int i = 0; i < 80; i++) {
            const double change[6] = {0, 0, (low + high) / 2, 0, 0, 0};
            (at(change).force > 0 ? low : high) = change[2];
        }
        Draw draw(305);
        const double full[6] = {0, 0, low - way.depth, 0, 0, 0}, none = std::pow(way.depth, 1.5);
        ASSERT_GT(at(full).force, 0.9 * none);
        for (int i = 0; i < 200; i++) {
            double from[6], step[6];
            for (int q = 0; q < 6; q++) {
                step[q] = 1e-5 * draw.uniform(-1, 1);
                from[q] = full[q] + (i % 4 == 0 ? 0 : draw.log_uniform(1e-8, 1e-5) * draw.uniform(-1, 1));
            }
            auto change = [&](double t, double width) { // of the load, of what eight points that deep would carry
                double here[6], there[6];
                for (int q = 0; q < 6; q++) here[q] = from[q] + step[q] * t, there[q] = here[q] + step[q] * width;
                const Load before = at(here), after = at(there);
                const double turned = vec3_length(vec3_sub(after.torque, before.torque)) / 0.1;
                return std::max(std::fabs(after.force - before.force), turned) / (8 * none);
            };
            double t = 0, width = 1 / 40.0, worst = 0;
            for (int n = 0; n < 40; n++) {
                const double here = change(n * width, width);
                if (here > worst) worst = here, t = n * width;
            }
            for (int n = 0; n < 25; n++) {
                width /= 2;
                if (change(t + width, width) > change(t, width)) t += width;
            }
            ASSERT_LE(change(t, width), 1e-5) << kind_name(way.above) << " on " << kind_name(way.below) << " " << i;
        }
    }
}

} // namespace
