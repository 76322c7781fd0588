// Laws of tangential springs, conservative, partial and total: force, Mindlin's curve, dashpot, closed loops, turning.
#include "spring_scenes.h"
#include <array>

namespace {

Vec3 random_vector(std::mt19937_64 &engine, double size) {
    return vec3_make(uniform(engine, -size, size), uniform(engine, -size, size), uniform(engine, -size, size));
}

LawConstants stiff() {
    LawConstants c{};
    c.stiffness = 1e10;
    c.shear_damping = 2;
    return c;
}

MaterialPairLaw law_of(uint32_t spring) {
    MaterialPairLaw law{};
    law.friction = 0.3;
    law.shear = 0.8;
    law.flags = spring;
    return law;
}

using Stretches = std::array<Vec3, SPRING_PARTS>;

Stretches all_at(double x, double y) {
    Stretches stretches;
    stretches.fill(vec3_make(x, y, 0));
    return stretches;
}

// One that is stretched and slides: force, and what it leaves of the stretches.
Vec3 pull(const LawConstants &c, const MaterialPairLaw &law, double depth, Stretches &stretches, Vec3 sliding,
          double *out_cut = nullptr) {
    double cuts[SPRING_PARTS];
    const double limit = spring_limit(c, law, depth, 0);
    const Vec3 force = spring_force(c, law, depth, limit, stretches.data(), sliding, cuts);
    if (out_cut != nullptr) *out_cut = cuts[0];
    return force;
}

TEST(SpringLaw, HoldsBelowTheLimitAndIsCutAtIt) {
    for (uint32_t spring : {0u, LAW_TOTAL_SPRING}) {
        const LawConstants c = stiff();
        const MaterialPairLaw law = law_of(spring);
        const double depth = 1e-6, k = law.shear * c.stiffness * std::sqrt(depth),
                     normal = c.stiffness * depth * std::sqrt(depth);
        const double unit = spring == LAW_TOTAL_SPRING ? k : std::sqrt(k),
                     limit = law.friction * normal / unit; // of the stretch
        const Vec3 still = vec3_zero();
        Stretches held = all_at(0.6 * limit, -0.7 * limit), long_ones = all_at(3 * limit, -4 * limit),
                  none = all_at(0, 0);
        const Vec3 within = pull(c, law, depth, held, still);
        EXPECT_NEAR(within.x, -0.6 * law.friction * normal, 1e-12 * normal);
        EXPECT_NEAR(within.y, 0.7 * law.friction * normal, 1e-12 * normal);
        EXPECT_EQ(held[0].x, 0.6 * limit);
        double cut;
        const Vec3 at_limit = pull(c, law, depth, long_ones, still, &cut);
        EXPECT_NEAR(at_limit.x, -0.6 * law.friction * normal, 1e-12 * normal);
        EXPECT_NEAR(at_limit.y, 0.8 * law.friction * normal, 1e-12 * normal);
        EXPECT_NEAR(vec3_length(long_ones[0]), limit, 1e-12 * limit);
        EXPECT_NEAR(cut, 4 * limit, 1e-12 * limit);
        const Vec3 kept = long_ones[0];
        pull(c, law, depth, long_ones, still);
        EXPECT_EQ(long_ones[0].x, kept.x);
        const Vec3 damped = pull(c, law, depth, none, vec3_make(1e-4, 0, 0));
        EXPECT_NEAR(damped.x, -c.shear_damping * std::sqrt(k) * 1e-4, 1e-12 * normal);
        const Vec3 fast = pull(c, law, depth, none, vec3_make(0, 100, 0));
        EXPECT_NEAR(fast.y, -law.friction * normal, 1e-12 * normal);
        Stretches apart = all_at(limit, 0);
        EXPECT_EQ(vec3_length(pull(c, law, -depth, apart, vec3_make(1, 0, 0))), 0);
        EXPECT_EQ(vec3_length(apart[0]), 0); // nothing is stored apart
    }
}

// At constant overlap the parts follow Mindlin's curve and its unloading, which is the curve from the other side at
// twice the scale; shares add up to one. Four chords of it miss by less than 2 % of the limit.
TEST(SpringLaw, PartsFollowMindlinsCurve) {
    LawConstants c = stiff();
    c.shear_damping = 0;
    const MaterialPairLaw law = law_of(LAW_PARTIAL_SPRING);
    const double depth = 1e-6, k = law.shear * c.stiffness * std::sqrt(depth),
                 limit = 0.3 * c.stiffness * depth * std::sqrt(depth);
    const double farthest = 1.5 * limit / k; // slip at which all of the area slips
    auto mindlin = [&](double x) { return x < 1 ? limit * (1 - std::pow(1 - x, 1.5)) : limit; };
    Stretches stretches = all_at(0, 0);
    const int steps = 1000;
    const double turn = 0.8;
    double worst = 0, loading = 0;
    for (int i = 1; i <= 3 * steps; i++) {
        const bool back = i > steps;
        const double x = back ? turn * (1 - (i - steps) / (double)steps) : turn * i / steps,
                     way = (back ? -1 : 1) * turn / steps;
        for (Vec3 &stretch : stretches) stretch.x += std::sqrt(k) * way * farthest;
        const double force = -pull(c, law, depth, stretches, vec3_zero()).x;
        const double expected = back ? mindlin(turn) - 2 * mindlin((turn - x) / 2) : mindlin(x);
        worst = std::max(worst, std::abs(force - expected) / limit);
        if (i == 1) loading = force / (k * way * farthest);
    }
    printf("worst difference from Mindlin's curve %.4f of the limit\n", worst);
    EXPECT_LT(worst, 0.02);
    EXPECT_NEAR(loading, 1, 1e-9); // k_t at first
}

// Tsuji's dashpot; none without damping, critical-like where nothing bounces.
TEST(SpringLaw, DashpotFollowsTheRestitution) {
    MaterialPairLaw law = law_of(0);
    law.speed_small_m_per_s = 0.01;
    law.damping = DAMPING_EXACT;
    for (double e : {0.1, 0.5, 0.98}) {
        law.restitution = e;
        const double pi = std::acos(-1.0), b = -std::log(e) / std::hypot(pi, std::log(e));
        EXPECT_NEAR(spring_damping(law, 1, 4), 2 * std::sqrt(5.0 / 6) * b * 2, 1e-14);
        EXPECT_NEAR(spring_damping(law, 0.005, 4), 4 * std::sqrt(5.0 / 6), 1e-14);
    }
    law.restitution = 1;
    EXPECT_EQ(spring_damping(law, 1, 4), 0);
    law.restitution = 0;
    EXPECT_NEAR(spring_damping(law, 1, 4), 4 * std::sqrt(5.0 / 6), 1e-14);
    law.damping = DAMPING_NONE;
    EXPECT_EQ(spring_damping(law, 0.005, 4), 0);
}

// Overlap and slip of a contact go round a closed way many times, by small steps of the law alone.
struct Loop {
    double work_J, stored_J, largest_J; // done on the spring in all; held at the end; the most it held
};

Loop go_round(uint32_t spring, double slip_m, double ahead, double friction) {
    LawConstants c{};
    c.stiffness = 1e10;
    MaterialPairLaw law = law_of(spring);
    law.friction = friction;
    Loop loop{};
    Stretches stretches = all_at(0, 0);
    const int steps = 4000, rounds = 3;
    const double pi = std::acos(-1.0);
    auto slip = [&](int i) { return slip_m * std::sin(2 * pi * i / steps); };
    for (int i = 0; i < rounds * steps; i++) {
        const double depth = 1e-6 * (1.0 + 0.9 * std::sin(2 * pi * (i + 0.5) / steps + ahead));
        const double k = spring_stiffness(c.stiffness, law, depth), way = slip(i + 1) - slip(i);
        const Vec3 before = pull(c, law, depth, stretches, vec3_zero());
        for (Vec3 &stretch : stretches) stretch.x += spring_stretch_per_slip(law, k) * way;
        const Vec3 after = pull(c, law, depth, stretches, vec3_zero());
        loop.work_J -= 0.5 * (before.x + after.x) * way;
        loop.stored_J = spring_energy(c.stiffness, law, depth, stretches.data());
        loop.largest_J = std::max(loop.largest_J, loop.stored_J);
    }
    return loop;
}

// No closed way yields energy: what was put in is stored or lost. While the springs hold nothing is lost either. The
// total one yields energy on some ways, and this shows that the loops can tell.
TEST(SpringLaw, ClosedLoopsOfOverlapAndSlipYieldNoEnergy) {
    double least = 0, total_least = 0;
    for (double slip_m : {1e-8, 1e-7, 1e-6, 1e-5})
        for (int k = 0; k < 12; k++) {
            const double ahead = k * std::acos(-1.0) / 6;
            for (double friction : {0.3, 1e6}) {
                for (uint32_t spring : {0u, LAW_PARTIAL_SPRING}) {
                    const Loop loop = go_round(spring, slip_m, ahead, friction);
                    const double lost = (loop.work_J - loop.stored_J) / loop.largest_J;
                    EXPECT_GT(lost, -1e-9)
                        << name_of(spring) << " " << slip_m << " m, " << ahead << " rad, friction " << friction;
                    if (friction > 1) {
                        EXPECT_LT(lost, 1e-9) << name_of(spring) << " " << slip_m << " m, " << ahead << " rad";
                    }
                    least = std::min(least, lost);
                }
                const Loop whole = go_round(LAW_TOTAL_SPRING, slip_m, ahead, friction);
                total_least = std::min(total_least, (whole.work_J - whole.stored_J) / whole.largest_J);
            }
        }
    printf("least loss over the energy held: conservative and partial %.1e, total %.1e\n", least, total_least);
    EXPECT_LT(total_least, -0.1);
}

// 8 G* sqrt(R delta) and 4/3 E* sqrt(R) delta^1.5 of a pair, through the staging of a scene.
TEST(SpringLaw, StiffnessIsMindlins) {
    SceneBuilder b = with_spring(7e10, 1, 0.3);
    b.material(2e11, 0.25);
    b.pair(0, 1, 1, 0.3).has_spring = 1;
    b.pairs.back().shear_stiffness = 0.5;
    b.ground(1);
    b.ball(0.1, {0, 0, 0.0499}, 0);
    KernelScene k(b);
    const double e1 = 7e10, nu1 = 0.3, e2 = 2e11, nu2 = 0.25, radius = 0.05, depth = 1e-4;
    const double g = 1 / ((2 - nu1) * 2 * (1 + nu1) / e1 + (2 - nu2) * 2 * (1 + nu2) / e2);
    const Contact &contact = k.contacts[0];
    const double ours = spring_stiffness(contact.law.stiffness, k.view.laws[contact.pair.law], depth);
    EXPECT_NEAR(ours, 0.5 * 8 * g * std::sqrt(radius * depth), 1e-12 * ours);
}

TEST(SpringLaw, IsCarriedByTheLeastRotation) {
    std::mt19937_64 engine(5);
    for (int i = 0; i < 1000; i++) {
        const Vec3 from = vec3_normalize(random_vector(engine, 1)), to = vec3_normalize(random_vector(engine, 1));
        const Vec3 v = random_vector(engine, 1), moved = spring_parallel_transport(v, from, to);
        EXPECT_NEAR(vec3_length(moved), vec3_length(v), 1e-12);
        EXPECT_NEAR(vec3_dot(moved, to), vec3_dot(v, from), 1e-12);
        const Vec3 axis = vec3_cross(from, to);
        EXPECT_NEAR(vec3_dot(moved, axis), vec3_dot(v, axis), 1e-12); // the axis stays
        EXPECT_LT(vec3_length(vec3_sub(spring_parallel_transport(moved, to, from), v)),
                  1e-12 / (1 + vec3_dot(from, to)));
    }
}

} // namespace
