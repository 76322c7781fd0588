// Conditions of quasi-rigid contacts with their multipliers as unknowns: what the linear equations give lessens what
// the conditions are off by as Newton's method has to, and where they hold the force is that of the other solver.
#include <cmath>
#include <random>

#include "kernel_scene.h"
#include "law/quasi_dual.h"

namespace {

struct Drawn {
    std::mt19937_64 engine{5};
    double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
};

// A contact between two iterations: where it is, and its multipliers. p = F/e.
struct Place {
    double gap_m, slip[3];
    double normal, p[3]; // normal: of the core where there is a layer
};

struct Off {
    double normal, p[3];
};

struct Case {
    QuasiNumbers of{};
    QuasiState before{};
    double stretch[3] = {};

    explicit Case(Drawn &draw, bool has_layer, bool has_shear) {
        of.s = 100;
        of.friction = draw(0.2, 0.8);
        of.epsilon = 1e-7;
        of.normal_penalty_N_per_m = 50;
        for (double &beta : of.slip_penalty_N_s_per_m) beta = 0.7;
        of.e[0] = draw(0.5, 1.5);
        of.e[1] = draw(0.5, 1.5);
        of.e[2] = draw(0.05, 0.3);
        if (!has_layer) return;
        of.layer.has_layer = 1;
        of.layer.stiffness = 40;
        of.layer.damping = 0.2;
        of.layer.thickness_m = 0.03;
        before.deflection_m = draw(0, 0.03);
        if (!has_shear) return;
        of.layer.shear_stiffness = 30;
        of.layer.shear_damping = 0.1;
        for (int k = 0; k < 2; k++) stretch[k] = draw(-0.01, 0.01);
        const double per_shear = quasi_per_shear(&of);
        const double gives = std::max(quasi_give(&of, 0, per_shear), quasi_give(&of, 1, per_shear));
        of.slip_penalty_N_s_per_m[0] = 1 / (1 / 0.7 + gives);
    }

    struct Result {
        QuasiNormalDual normal;
        QuasiFrictionDual friction;
        QuasiSlopes slopes;
    };

    Result at(const Place &place) const {
        QuasiState last{};
        (of.layer.has_layer ? last.core_N : last.normal_N) = place.normal;
        QuasiAlong along{};
        along.motion.gap_m = place.gap_m;
        for (int k = 0; k < 3; k++) {
            along.motion.slip[k] = place.slip[k];
            along.before[k] = stretch[k];
            along.star[k] = place.p[k];
        }
        Result out{};
        out.normal = quasi_normal_dual(&of, &before, &last, place.gap_m);
        out.friction = quasi_friction_dual(&of, &along, &out.normal, &out.slopes);
        return out;
    }

    Off off(const Place &place) const {
        const Result result = at(place);
        Off off{result.normal.off_N, {}};
        for (int k = 0; k < 3; k++) off.p[k] = result.friction.off[k];
        return off;
    }

    // The multipliers that the linear equations give after changes of the gap and of the slips.
    Place solved(const Place &place, double gap, const double *slip) const {
        const Result result = at(place);
        Place next = place;
        next.gap_m += gap;
        const double core = of.layer.has_layer ? result.normal.next_core_N : result.normal.next_N,
                     core_slope = of.layer.has_layer ? result.normal.core_slope_N_per_m : result.normal.slope_N_per_m;
        next.normal = core - core_slope * gap;
        for (int k = 0; k < 3; k++) {
            next.slip[k] += slip[k];
            double force = result.friction.next[k] - result.slopes.by_normal[k] * result.normal.slope_N_per_m * gap;
            for (int j = 0; j < 3; j++) force += result.slopes.by_slip[k][j] * slip[j];
            next.p[k] = force / of.e[k];
        }
        return next;
    }
};

Place between(const Place &a, const Place &b, double t) {
    Place out{};
    out.gap_m = a.gap_m + t * (b.gap_m - a.gap_m);
    out.normal = a.normal + t * (b.normal - a.normal);
    for (int k = 0; k < 3; k++) {
        out.slip[k] = a.slip[k] + t * (b.slip[k] - a.slip[k]);
        out.p[k] = a.p[k] + t * (b.p[k] - a.p[k]);
    }
    return out;
}

// d(off) = -off + epsilon (change of the multipliers) along what is solved for, in each piece of the conditions.
TEST(QuasiDual, LinearEquationsLessenWhatConditionsAreOffBy) {
    Drawn draw;
    int slips = 0, sticks = 0, apart = 0;
    for (int n = 0; n < 3000; n++) {
        const Case with(draw, n % 3 > 0, n % 3 > 1);
        Place from{draw(-0.04, 0.01), {draw(-1, 1), draw(-1, 1), draw(-4, 4)}, draw(0, 2), {}};
        const double sliding = n % 2 ? 1 : 0.02;
        for (int k = 0; k < 3; k++) {
            from.slip[k] *= sliding;
            from.p[k] = draw(-0.3, 0.3);
        }
        // Small against the distance from the kinks, large against rounding over epsilon.
        const double slip[3] = {draw(-1e-3, 1e-3), draw(-1e-3, 1e-3), draw(-1e-3, 1e-3)};
        const Place to = with.solved(from, draw(-1e-4, 1e-4), slip);
        const Off off = with.off(from);
        const double size = 1 + std::fabs(to.normal) + std::fabs(to.p[0]) + std::fabs(to.p[1]) + std::fabs(to.p[2]),
                     t = 1e-4 / size;
        const Off ahead = with.off(between(from, to, t)), behind = with.off(between(from, to, -t));
        const auto expect_less = [&](double now, double more, double less, const char *what) {
            // Not across a kink, where both sides differ.
            if (std::fabs(more - 2 * now + less) > 1e-3 * std::fabs(more - less) + 1e-9) return;
            EXPECT_NEAR((more - less) / (2 * t), -now, 2e-4 * size) << n << " " << what;
        };
        expect_less(off.normal, ahead.normal, behind.normal, "normal");
        for (int k = 0; k < 3; k++) expect_less(off.p[k], ahead.p[k], behind.p[k], "friction");
        const Case::Result result = with.at(from);
        if (!(result.normal.bound_N > 0))
            apart++;
        else
            (result.slopes.by_normal[0] != 0 ? slips : sticks)++;
    }
    EXPECT_GT(slips, 300);
    EXPECT_GT(sticks, 300);
    EXPECT_GT(apart, 100);
}

// Newton's method for one contact of a given motion ends where projections with fixed multipliers stay as they are.
TEST(QuasiDual, EndsAtTheFixedPointOfProjections) {
    Drawn draw;
    for (int n = 0; n < 300; n++) {
        const Case with(draw, true, true);
        Place at{draw(-0.03, -0.001), {draw(-1, 1), draw(-1, 1), draw(-4, 4)}, 0, {0, 0, 0}};
        const double none[3] = {0, 0, 0};
        for (int i = 0; i < 30; i++) at = with.solved(at, 0, none);
        QuasiState last{};
        QuasiAlong along{};
        along.motion.gap_m = at.gap_m;
        for (int k = 0; k < 3; k++) {
            along.motion.slip[k] = at.slip[k];
            along.before[k] = with.stretch[k];
            along.star[k] = at.p[k];
        }
        const QuasiNormal normal = quasi_normal(&with.of, &with.before, &last, at.gap_m);
        const QuasiFriction friction = quasi_friction(&with.of, &along, normal.force_N);
        const Case::Result result = with.at(at);
        EXPECT_NEAR(result.normal.force_N, normal.force_N, 1e-12) << n;
        for (int k = 0; k < 3; k++) {
            EXPECT_NEAR(result.friction.force[k], friction.force[k], 1e-6 * with.of.e[k]) << n << " " << k;
            EXPECT_NEAR(result.friction.stretch[k], friction.stretch[k], 1e-7) << n << " " << k;
        }
    }
}

} // namespace
