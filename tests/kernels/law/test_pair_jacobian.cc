// First-order change of forces against central differences for every pair of kinds of shapes, at random: smooth
// surfaces, rims, sides, edges that cross, vertices on faces, all contacts of a manifold.
#include "contact_differences.h"
#include "standing_scenes.h"

namespace {

const double DEPTH = 2e-4;

const SceneHull *random_hull(std::mt19937_64 &engine, double smoothing_m) {
    std::vector<std::array<double, 3>> points;
    for (int i = 0; i < 12; i++) {
        const Vec3 p = vec3_scale(vec3_normalize(random_vector(engine, 1)), 0.1);
        points.push_back({p.x, p.y, 0.7 * p.z});
    }
    return shared_hull(points, smoothing_m);
}

void add_shape(SceneBuilder &b, uint32_t kind, std::mt19937_64 &engine) {
    const double x = uniform(engine, 0.1, 0.3), y = uniform(engine, 0.1, 0.3), z = uniform(engine, 0.1, 0.3);
    if (kind == SHAPE_HALF_SPACE) {
        b.shape(kind, {0, 0, 1, 0});
    } else if (kind == SHAPE_HULL) {
        static std::vector<const SceneHull *> hulls;
        std::mt19937_64 own(1);
        while (hulls.size() < 20) hulls.push_back(random_hull(own, hulls.size() % 4 == 0 ? 0 : 1e-3)); // some are sharp
        b.hull(hulls[engine() % hulls.size()]);
    } else if (kind == SHAPE_CONE) { // a frustum: diameter, length, diameter of the top
        b.shape(kind, {x, y, 0.6 * x, 0});
    } else {
        b.shape(kind, {x, y, z, 0});
    }
    b.shapes.back().smoothing_m = 1e-3;
}

// Two bodies with off-centre shapes, turned at random; B's body at `place`.
SceneBuilder two_bodies(uint32_t kind_a, uint32_t kind_b, uint64_t seed, Vec3 place) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.5, 0.4, 0.02).damping_max_s_per_m = 0.8;
    b.scene.no_freeze = 1;
    for (const uint32_t kind : {kind_a, kind_b}) {
        const bool fixed = kind == SHAPE_HALF_SPACE;
        SceneBody &body = b.body(fixed ? "ground" : "body", fixed, {0, 0, 0});
        body.mass_kind = MASS_GIVEN;
        body.mass_kg = 2;
        for (int i = 0; i < 3; i++) body.inertia_kg_m2[i] = 0.01 * (3 + i);
        set_pose(body, b.bodies.size() == 1 ? vec3_zero() : place, random_turn(engine));
        add_shape(b, kind, engine);
        for (int i = 0; i < 3 && !fixed; i++) b.shapes.back().position_m[i] = 0.01 * (i + 1);
    }
    return b;
}

double least_gap(KernelScene &k) {
    const u32 count = narrow_feature_count(&k.view.shapes[0], &k.view.shapes[1], pair_flags(&k.view, 0, 1));
    double gap = 1e300;
    for (u32 f = 0; f < count; f++) gap = std::min(gap, kinematics_of_trial(&k.view, 0, 1, f).gap_m);
    return gap;
}

// B comes from a random side, not centrally, until the pair overlaps by DEPTH; false where it passes by.
bool approach(uint32_t kind_a, uint32_t kind_b, uint64_t seed, Vec3 *out_place) {
    std::mt19937_64 engine(seed + 1000000);
    Vec3 from = vec3_normalize(random_vector(engine, 1));
    const Vec3 aside = random_vector(engine, 0.08);
    SceneBuilder b = two_bodies(kind_a, kind_b, seed, vec3_scale(from, 2));
    KernelScene k(b);
    if (kind_a == SHAPE_HALF_SPACE || kind_b == SHAPE_HALF_SPACE) {
        const Quat turn = k.view.states[kind_a == SHAPE_HALF_SPACE ? 0 : 1].orientation;
        const Quat own = k.view.shapes[kind_a == SHAPE_HALF_SPACE ? 0 : 1].orientation;
        from = quat_rotate(turn, quat_rotate(own, vec3_make(0, 0, kind_a == SHAPE_HALF_SPACE ? 1 : -1)));
    }
    double far = 2, near = 0;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (far + near);
        k.works[1].step.trial.position_m = vec3_add_scaled(aside, from, middle);
        (least_gap(k) > -DEPTH ? far : near) = middle;
    }
    *out_place = k.works[1].step.trial.position_m = vec3_add_scaled(aside, from, far);
    return near > 0 && std::abs(least_gap(k) + DEPTH) < 1e-9;
}

struct Tally {
    double worst = 0;
    unsigned compared = 0, kinks = 0, missed = 0, several = 0, faded = 0;
};

void compare_contacts(SceneBuilder &b, const char *name, uint64_t seed, Tally &tally) {
    KernelScene k(b);
    ASSERT_TRUE(contact_has_jacobian(&k.view));
    ASSERT_GT(k.progress.contact_count, 0u) << name << " " << seed;
    tally.several += k.progress.contact_count > 1;
    std::mt19937_64 engine(seed + 2000000);
    for (uint32_t c = 0; c < k.progress.contact_count; c++) {
        if (k.contacts[c].now.gap_m > -1e-5) continue; // the power 1.5 needs depth
        set_motion(k, c, REGIMES[seed % 3], engine);
        Difference found = worst_difference(k, c);
        if (k.contacts[c].now.narrow_status == NARROW_FADED &&
            !found.is_kink) { // of two searches: longer steps for their rounding
            for (double step : {3e-8, 1e-7, 3e-7})
                found.worst = std::min(found.worst, worst_difference(k, c, step).worst);
            tally.faded++;
        }
        if (found.is_kink) {
            tally.kinks++;
            continue;
        }
        tally.compared++;
        tally.worst = std::max(tally.worst, found.worst);
        // What fades is a difference of two gaps, whose torques may nearly cancel.
        EXPECT_LT(found.worst, k.contacts[c].now.narrow_status == NARROW_FADED ? 3e-6 : 1e-6)
            << name << " seed " << seed << " feature " << k.contacts[c].pair.feature << " gap "
            << k.contacts[c].now.gap_m;
    }
}

void compare(uint32_t kind_a, uint32_t kind_b, unsigned count, Tally &tally) {
    for (unsigned n = 0; n < count; n++) {
        const uint64_t seed = n + 1000 * (kind_a + 16 * kind_b);
        Vec3 place;
        if (!approach(kind_a, kind_b, seed, &place)) {
            tally.missed++;
            continue;
        }
        SceneBuilder b = two_bodies(kind_a, kind_b, seed, place);
        compare_contacts(b, NAMES[kind_b], seed, tally);
    }
}

TEST(PairJacobian, EqualsCentralDifferencesForAllPairsOfShapes) {
    for (uint32_t a = SHAPE_SPHERE; a <= SHAPE_HULL; a++) {
        for (uint32_t b = a; b <= SHAPE_HULL; b++) {
            if (a == SHAPE_HALF_SPACE && b == SHAPE_HALF_SPACE) continue;
            Tally tally;
            compare(a, b, 20, tally);
            if (a != b) compare(b, a, 20, tally);
            printf("%s, %s: %u compared, worst %.1e; %u at kinks, %u missed, %u with several, %u fade\n", NAMES[a],
                   NAMES[b], tally.compared, tally.worst, tally.kinks, tally.missed, tally.several, tally.faded);
            EXPECT_GT(tally.compared, 15u);
            EXPECT_LT(tally.kinks, 1 + tally.compared / 20);
        }
    }
}

// The rotation whose columns are three unit vectors.
Quat turn_of(Vec3 x, Vec3 y, Vec3 z) {
    const double squares[] = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z};
    const size_t largest = size_t(std::max_element(squares, squares + 4) - squares);
    const Quat rows[] = {{squares[0], y.z - z.y, z.x - x.z, x.y - y.x},
                         {y.z - z.y, squares[1], x.y + y.x, z.x + x.z},
                         {z.x - x.z, x.y + y.x, squares[2], y.z + z.y},
                         {x.y - y.x, z.x + x.z, y.z + z.y, squares[3]}};
    return quat_normalize(rows[largest]);
}

// Two cubes' edges that cross, their lines `apart_m` from each other, in places given from the edges' middles.
struct Crossing {
    double angle;              // between the edges
    double normal_a, normal_b; // angle of the normal from one of the faces, of 0 to pi/2 between them
    double along_a_m, along_b_m, apart_m;
};

SceneBuilder crossing(const Crossing &c, std::mt19937_64 &engine) {
    const double half = 0.1 - 1e-3;
    const Vec3 path_a = vec3_make(1, 0, 0);
    const Vec3 n = vec3_make(0, std::cos(c.normal_a), std::sin(c.normal_a));
    const Vec3 path_b =
        vec3_add_scaled(vec3_scale(path_a, std::cos(c.angle)), vec3_cross(n, path_a), std::sin(c.angle));
    const Vec3 m = vec3_cross(path_b, n);
    const Vec3 face1 = vec3_add_scaled(vec3_scale(n, -std::cos(c.normal_b)), m, std::sin(c.normal_b));
    const Vec3 face2 = vec3_add_scaled(vec3_scale(n, -std::sin(c.normal_b)), m, -std::cos(c.normal_b));
    const Vec3 on_a = vec3_make(c.along_a_m, half, half);
    Vec3 centre = vec3_add_scaled(vec3_add_scaled(on_a, n, c.apart_m), path_b, -c.along_b_m);
    centre = vec3_add_scaled(vec3_add_scaled(centre, face1, -half), face2, -half);
    SceneBuilder b;
    b.material(1e9);
    b.pair(0, 0, 0.5, 0.4, 0.02).damping_max_s_per_m = 0.8;
    const Quat turn = random_turn(engine), turn_b = turn_of(face1, face2, path_b);
    const Vec3 arm = vec3_make(0.01, 0.02, 0.03); // of the shapes from the centres of mass
    for (int k = 0; k < 2; k++) {
        SceneBody &body = b.body("cube", false, {0, 0, 0});
        body.mass_kind = MASS_GIVEN;
        body.mass_kg = 2;
        for (int i = 0; i < 3; i++) body.inertia_kg_m2[i] = 0.01 * (3 + i);
        const Quat q = k == 0 ? turn : quat_multiply(turn, turn_b);
        const Vec3 at = vec3_sub(quat_rotate(turn, k == 0 ? vec3_zero() : centre), quat_rotate(q, arm));
        set_pose(body, at, q);
        SceneShape &shape = b.shape(SHAPE_BOX, {0.2, 0.2, 0.2, 0});
        shape.smoothing_m = 1e-3;
        for (int i = 0; i < 3; i++) shape.position_m[i] = 0.01 * (i + 1);
    }
    return b;
}

// Whatever limits the overlap of two edges, their gap changes as it says.
TEST(PairJacobian, EqualsCentralDifferencesWhereOverlapsFade) {
    const double small = 1e-4, half = 0.1 - 1e-3, outward = std::asin(-0.1 + small / half);
    const Crossing cases[] = {{1.0, 0.7, 0.8, 0.02, -0.03, 1.8e-3},         // the lines' overlap
                              {1.0, 0.7, 0.8, 0.02, -0.03, small / 8},      // the cores'
                              {1.0, 0.7, 0.8, half - small, -0.03, 1.5e-3}, // the ends
                              {1.0, 0.7, 0.8, 0.02, small - half, 1.5e-3},
                              {1e-3, 0.7, 0.8, 0.02, -0.03, 1.5e-3},    // the angle
                              {1.0, outward, 0.8, 0.02, -0.03, 1.5e-3}, // the normal
                              {1.0, 0.7, M_PI / 2 - outward, 0.02, -0.03, 1.5e-3}};
    for (u32 limit = 0; limit < 7; limit++) {
        Tally tally;
        for (unsigned n = 0; n < 20; n++) {
            std::mt19937_64 engine(n);
            SceneBuilder b = crossing(cases[limit], engine);
            KernelScene k(b);
            bool is_there = false;
            for (uint32_t c = 0; c < k.progress.contact_count; c++) {
                if (contact_feature_kind(&k.view, &k.contacts[c], 1) != KIND_EDGE) continue;
                const PlacedPair at = pair_place_both(&k.view, 0, 1, &k.works[0].step.trial, &k.works[1].step.trial);
                const u32 crossing = k.contacts[c].pair.feature - 16;
                const SolidPair solids = pair_of_solids(&k.view, 0, 1, &at);
                is_there |= manifold_cross(&solids, crossing).limit == limit;
            }
            EXPECT_TRUE(is_there) << limit;
            compare_contacts(b, "cubes", n, tally);
        }
        printf("limit %u: %u compared, worst %.1e; %u at kinks\n", limit, tally.compared, tally.worst, tally.kinks);
        EXPECT_EQ(tally.kinks, 0u);
        EXPECT_GE(tally.compared, 20u);
    }
}

// The comparison can fail: with the slope of the lines' distance where the end of an edge is what limits.
TEST(PairJacobian, ComparisonNoticesTheWrongGap) {
    std::mt19937_64 engine(1);
    SceneBuilder b = crossing({1.0, 0.7, 0.8, 0.1 - 1e-3 - 1e-4, -0.03, 1.5e-3}, engine);
    KernelScene k(b);
    ASSERT_EQ(k.progress.contact_count, 2u); // a vertex, and the edges
    ASSERT_EQ(contact_feature_kind(&k.view, &k.contacts[1], 1), KIND_EDGE);
    contact_evaluate(&k.view, &k.contacts[1]);
    contact_derive(&k.view, &k.contacts[1]);
    ContactJacobian jacobian = k.contacts[1].step.jacobian;
    BodyChange moved = jacobian_body_unchanged();
    const BodyChange none = moved;
    moved.shift_m = jacobian.normal;
    EXPECT_LT(std::abs(contact_move(&jacobian, &moved, &none).gap_m), 1e-9);
    jacobian.gap_apart = jacobian.normal;
    EXPECT_NEAR(contact_move(&jacobian, &moved, &none).gap_m, -1, 1e-9);
}

// One contact in the middle of what touches moves by a length for each 1e-5 rad, and its gap is not where it is.
TEST(PairJacobian, KnowsHowTheMiddleMoves) {
    const struct {
        uint32_t kind;
        double length;
    } lying[] = {{SHAPE_CYLINDER, 0.6}, {SHAPE_CAPSULE, 0.6}, {SHAPE_CYLINDER, 0.2}, {SHAPE_CAPSULE, 0.2}};
    std::mt19937_64 engine(5);
    double worst = 0, worst_on_rim = 0;
    for (unsigned n = 0; n < 3 * (25 + 4 * 5); n++) {
        const bool stands = n < 75;
        const uint32_t base = STANDING[n % 5], top = stands ? STANDING[n / 5 % 5] : lying[(n - 75) / 5 % 4].kind;
        SceneBuilder b = standing(base, stands ? top : SHAPE_BOX, -2e-4, 0.01);
        if (!stands) { // along x
            b.shapes.pop_back();
            b.bodies.back().shape_count--;
            b.shape(top, {0.1, lying[(n - 75) / 5 % 4].length, 0, 0}).axis = 0;
            b.bodies.back().position_m[2] += 0.05 - 0.06;
        }
        SceneBody &body = b.bodies.back();
        body.rotation.kind = ROTATION_AXIS_ANGLE;
        for (int i = 0; i < 2; i++) body.rotation.value[i] = uniform(engine, -1, 1);
        body.rotation.value[3] = uniform(engine, 1e-6, 4e-6);
        b.scene.single_contact = 1;
        b.pairs.back().restitution = 1e-3; // d_max is what all differences are relative to: linear up to 0.8 m/s
        KernelScene k(b);
        ASSERT_EQ(k.progress.contact_count, 1u) << NAMES[base] << " " << NAMES[top];
        set_motion(k, 0, REGIMES[n % 3], engine);
        double least = 1;
        for (double step : {1e-9, 3e-9, 1e-8}) least = std::min(least, worst_difference(k, 0, step).worst);
        EXPECT_EQ(k.contacts[0].step.jacobian.slides, SLIDES_ON_PATCH) << NAMES[base] << " " << NAMES[top];
        // Across a rim that is all but in one plane with the line the normal has few digits to follow.
        const bool is_on_rim =
            !stands && lying[(n - 75) / 5 % 4].length > 0.5 && base != SHAPE_BOX && base != SHAPE_HULL;
        EXPECT_LT(least, is_on_rim ? 2e-2 : 3e-6) << NAMES[top] << " on " << NAMES[base] << ", " << REGIMES[n % 3].name;
        double &largest = is_on_rim ? worst_on_rim : worst;
        largest = std::max(largest, least);
    }
    printf("in the middle: worst %.1e, of lines across rims %.1e\n", worst, worst_on_rim);
}

} // namespace
