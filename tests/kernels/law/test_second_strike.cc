// Contacts that begin slowly and are struck later: damping is that of the strike. The factor d u by itself, and a ball
// on the ground that another one strikes, against the same law written anew and integrated in 10^5 steps.
#include "scene_builder.h"

#include "law/law_damping.h"

namespace {

constexpr double SMALL = 0.01; // v_small, m/s

const uint32_t KINDS[] = {DAMPING_FLORES,
                          DAMPING_HUNT_CROSSLEY,
                          DAMPING_LANKARANI_NIKRAVESH,
                          DAMPING_HU_GUO,
                          DAMPING_HERBERT_MCWHANNELL,
                          DAMPING_LEE_WANG,
                          DAMPING_GONTHIER,
                          DAMPING_EXACT};

MaterialPairLaw law_of(uint32_t damping, double e) {
    MaterialPairLaw law{};
    law.modulus_Pa = 1e11;
    law.restitution = e;
    law.speed_small_m_per_s = SMALL;
    law.spin_small_rad_per_s = 0.01;
    law.damping_max_s_per_m = 2000;
    law.damping = damping;
    return law;
}

LawForce force_at(const LawConstants &c, const MaterialPairLaw &law, double closing, double depth = 1e-6) {
    const LawNumbers numbers = law_numbers(c, law, 0);
    return law_force(&numbers, depth, vec3_make(0, 0, 1), vec3_make(0, 0, -closing), vec3_zero());
}

/// d u of a force.
double factor_at(const LawConstants &c, const MaterialPairLaw &law, double closing) {
    const double elastic = c.stiffness * 1e-9; // 1 um^1.5
    return force_at(c, law, closing).normal_N / elastic - 1;
}

TEST(SecondStrike, FactorIsThatOfTheFirstAndThenOfTheFastest) {
    for (uint32_t kind : KINDS) {
        for (double e : {0.1, 0.4, 0.8}) {
            for (double begun : {0.0, 0.003, 0.02, 0.5}) {
                const MaterialPairLaw law = law_of(kind, e);
                const LawConstants c = law_begin(law, law_radius_m(0.1, 0, 1, 1), begun);
                const double speed = std::max(begun, SMALL), d = law_damping(law, law_damping_alpha(kind, e), begun);
                const std::string of =
                    "kind " + std::to_string(kind) + ", e " + std::to_string(e) + ", begun at " + std::to_string(begun);
                for (double u : {-0.5 * speed, 0.1 * speed, speed, 1.09 * speed}) {
                    if (1 + d * u <= 0) continue;
                    EXPECT_NEAR(factor_at(c, law, u), d * u, 1e-12 * (1 + std::abs(d * u))) << of << ", " << u;
                }
                // A strike that is much harder is damped as one that begins so fast, up to what d_max leaves of that.
                for (double u : {2.01 * speed, 5 * speed, 100 * speed}) {
                    const double single = law_damping_alpha(kind, e);
                    EXPECT_NEAR(factor_at(c, law, u), std::min(d * u, single), 1e-12 * (1 + single)) << of << ", " << u;
                }
            }
        }
    }
}

TEST(SecondStrike, ForceHasNoJumpAndSlopesAreItsDerivatives) {
    for (uint32_t kind : KINDS) {
        for (double begun : {0.0, 0.003, 0.02, 0.5}) {
            const MaterialPairLaw law = law_of(kind, 0.4);
            const LawConstants c = law_begin(law, law_radius_m(0.1, 0, 1, 1), begun);
            const double speed = std::max(begun, SMALL), depth = 1e-6, step = 1e-5 * speed;
            const double steepest = std::max(c.damping_s_per_m, c.damping_line_fall_s_per_m);
            for (double u = 0; u < 3 * speed; u += step) {
                const double change = factor_at(c, law, u + step) - factor_at(c, law, u);
                ASSERT_LE(std::abs(change), 1.001 * steepest * step + 1e-9) << kind << ", " << begun << ", " << u;
            }
            for (double share : {0.5, 1.3, 1.7, 2.5}) {
                const double u = share * speed, du = 1e-6 * speed;
                const LawNumbers numbers = law_numbers(c, law, 0);
                const LawMotion at = {-depth, vec3_make(0, 0, 1), vec3_make(0, 0, -u), vec3_zero()};
                const LawJacobian s = law_jacobian(&numbers, &at);
                const LawForce more = force_at(c, law, u + du), less = force_at(c, law, u - du);
                const LawForce deep = force_at(c, law, u, depth * 1.00001),
                               shallow = force_at(c, law, u, depth * 0.99999);
                const LawForce here = force_at(c, law, u);
                const double scale = here.normal_N / speed;
                EXPECT_NEAR(s.normal_N, here.normal_N, 1e-12 * here.normal_N);
                EXPECT_NEAR(s.normal_damping, (more.normal_N - less.normal_N) / (2 * du), 1e-6 * scale)
                    << kind << ", " << share;
                EXPECT_NEAR(-s.loss_per_rate, (more.loss_W - less.loss_W) / (2 * du), 1e-6 * here.normal_N);
                EXPECT_NEAR(s.normal_stiffness, (deep.normal_N - shallow.normal_N) / (2e-5 * depth),
                            1e-6 * here.normal_N / depth);
                EXPECT_NEAR(s.loss_per_gap, (deep.loss_W - shallow.loss_W) / (2e-5 * depth),
                            1e-6 * here.loss_W / depth);
            }
        }
    }
}

// The reference: one contact along a line, its damping of the fastest it has closed, as kernels/law/README.md has it.
struct LineContact {
    double stiffness, alpha, d_max, small;
    bool open = false;
    double begun = 0, fastest = 0, largest_force = 0;

    double factor(double u) const {
        const double speed = std::max(begun, small);
        const double d = begun > small ? std::min(d_max, alpha / begun) : d_max;
        auto bound = [&](double v) {
            const double start = 1.1 * d * speed;
            if (v <= 1.1 * speed || start <= alpha) return std::min(d * v, std::max(alpha, start));
            return std::max(alpha, start + (alpha - start) * (v - 1.1 * speed) / (0.9 * speed));
        };
        const double top = std::max(fastest, u);
        return top <= 1.1 * speed ? d * u : bound(top) / top * u;
    }
    double force(double depth, double u) const {
        return depth > 0 && open ? std::max(0.0, stiffness * depth * std::sqrt(depth) * (1 + factor(u))) : 0;
    }
    void step(double depth, double u) {
        if (!open && depth > 0) {
            open = true;
            begun = std::max(0.0, u);
            fastest = 0;
        } else if (open && depth <= 0) {
            open = false;
        }
        if (open) fastest = std::max(fastest, u);
        if (open) largest_force = std::max(largest_force, force(depth, u));
    }
};

struct Line {
    double z[2], v[2];
};

// Ball 0 is on the ground at z = 0, ball 1 above it; z: of their lowest points, less what lies between.
struct LineScene {
    double mass[2];
    LineContact ground, between;
    double depth_ground(const Line &s) const { return -s.z[0]; }
    double depth_between(const Line &s) const { return s.z[0] - s.z[1]; }
    Line rate(const Line &s) const {
        const double low = ground.force(depth_ground(s), -s.v[0]);
        const double high = between.force(depth_between(s), s.v[0] - s.v[1]);
        return Line{{s.v[0], s.v[1]}, {(low - high) / mass[0], high / mass[1]}};
    }
    static Line moved(const Line &s, const Line &r, double h) {
        return Line{{s.z[0] + h * r.z[0], s.z[1] + h * r.z[1]}, {s.v[0] + h * r.v[0], s.v[1] + h * r.v[1]}};
    }
    Line run(Line s, double end, int steps) {
        const double h = end / steps;
        ground.step(depth_ground(s), -s.v[0]);
        for (int i = 0; i < steps; i++) {
            between.step(depth_between(s), s.v[0] - s.v[1]);
            const Line a = rate(s), b = rate(moved(s, a, h / 2)), c = rate(moved(s, b, h / 2)),
                       d = rate(moved(s, c, h));
            for (int k = 0; k < 2; k++) {
                s.z[k] += h / 6 * (a.z[k] + 2 * b.z[k] + 2 * c.z[k] + d.z[k]);
                s.v[k] += h / 6 * (a.v[k] + 2 * b.v[k] + 2 * c.v[k] + d.v[k]);
            }
            ground.step(depth_ground(s), -s.v[0]);
        }
        return s;
    }
};

struct StruckCase {
    uint32_t damping;
    double e, speed, heavier; // mass of the upper ball over that of the lower one
};

SceneBuilder struck_scene(const StruckCase &of, double tolerance, uint32_t graded_steps) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, of.e, 0, 0, of.damping);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.tolerance = tolerance;
    b.scene.graded_steps = graded_steps;
    b.scene.end_s = 2.5e-4;
    b.ground();
    b.ball(0.02, {0, 0, 0.01 - 1e-9});
    b.ball(0.02, {0, 0, 0.03 + 1e-6}, 0, of.heavier * 8000 * 4.0 / 3.0 * M_PI * 1e-6).velocity_m_per_s[2] = -of.speed;
    return b;
}

struct Struck {
    double v[2], force;
};

Struck struck_reference(const StruckCase &of, int steps) {
    const double modulus = 2e11 / (1 - 0.09) / 2, mass = 8000 * 4.0 / 3.0 * M_PI * 1e-6;
    LineContact contact{4.0 / 3.0 * modulus * std::sqrt(0.01), law_damping_alpha(of.damping, of.e), 2000, SMALL};
    LineScene line{{mass, of.heavier * mass}, contact, contact};
    line.between.stiffness = 4.0 / 3.0 * modulus * std::sqrt(0.005);
    Line end = line.run(Line{{-1e-9, 1e-6}, {0, -of.speed}}, 2.5e-4, steps);
    return Struck{{end.v[0], end.v[1]}, line.ground.largest_force};
}

Struck struck_run(const StruckCase &of, double tolerance, uint32_t graded_steps) {
    SceneBuilder b = struck_scene(of, tolerance, graded_steps);
    Watch watch = watch_max(1, WATCH_CONTACT_FORCE);
    watch.body_other = 0;
    Study study{};
    study.watches = &watch;
    study.watch_count = 1;
    Ran ran = run_scene(b, study);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    return Struck{{ran.state(1).velocity_m_per_s.z, ran.state(2).velocity_m_per_s.z}, ran.result.extremes[0].value};
}

const StruckCase CASES[] = {
    {DAMPING_FLORES, 0.4, 0.5, 1},         {DAMPING_FLORES, 0.8, 1, 3},     {DAMPING_EXACT, 0.5, 2, 0.3},
    {DAMPING_HUNT_CROSSLEY, 0.6, 0.03, 1}, {DAMPING_LEE_WANG, 0.7, 0.1, 5}, {DAMPING_GONTHIER, 0.5, 0.016, 1},
};

// The contact with the ground begins at rest, hence with d_max: 20 times the elastic force at 1 cm/s, 1,000 times at
// 0.5 m/s.
TEST(SecondStrike, ABallAtRestOnTheGroundIsStruck) {
    for (const StruckCase &of : CASES) {
        const Struck fine = struck_reference(of, 200000), coarse = struck_reference(of, 100000);
        const double own = 5e-8 * of.speed; // of the reference: it begins and ends contacts at its steps
        ASSERT_NEAR(fine.v[0], coarse.v[0], own);
        ASSERT_NEAR(fine.v[1], coarse.v[1], own);
        struct Setting {
            double tolerance;
            uint32_t graded_steps;
            double bound, force_bound;
        };
        for (const Setting &set :
             {Setting{1e-4, 4, 1e-4, 5e-4}, Setting{1e-6, 8, 1e-5, 5e-5}, Setting{1e-8, 16, 1e-7, 5e-6}}) {
            const Struck got = struck_run(of, set.tolerance, set.graded_steps);
            const double bound = set.bound * of.speed + own;
            const std::string where = "kind " + std::to_string(of.damping) + ", speed " + std::to_string(of.speed) +
                                      ", tolerance " + std::to_string(set.tolerance);
            std::printf("%-60s off by %.1e, %.1e m/s, force %.1e\n", where.c_str(), got.v[0] - fine.v[0],
                        got.v[1] - fine.v[1], got.force / fine.force - 1);
            EXPECT_NEAR(got.v[0], fine.v[0], bound) << where;
            EXPECT_NEAR(got.v[1], fine.v[1], bound) << where;
            EXPECT_NEAR(got.force / fine.force, 1, set.force_bound) << where;
        }
    }
}

} // namespace
