// Closed loops under the trapezoidal rule against systems of one coordinate that are integrated independently: linkages
// that pass singular positions, with redundant links, slider-crank, universal joint, a spatial loop.
#include <functional>

#include "constraint_scene.h"
#include "kernel_scene.h"

namespace {

// A coordinate whose acceleration is given, by the classical method of order 4 with short steps.
std::array<double, 2> integrated(std::array<double, 2> y, double t, double longest,
                                 const std::function<double(double, double)> &acceleration) {
    const int n = int(std::ceil(t / longest));
    const double h = t / n;
    for (int i = 0; i < n; i++) {
        const double k1 = y[1], l1 = acceleration(y[0], y[1]);
        const double k2 = y[1] + h / 2 * l1, l2 = acceleration(y[0] + h / 2 * k1, k2);
        const double k3 = y[1] + h / 2 * l2, l3 = acceleration(y[0] + h / 2 * k2, k3);
        const double k4 = y[1] + h * l3, l4 = acceleration(y[0] + h * k3, k4);
        y[0] += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        y[1] += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return y;
}

const std::array<double, 3> ALONG_Z = {1.0 / 12, 1.0 / 12, 1e-4}, ALONG_X = {1e-4, 1.0 / 12, 1.0 / 12};

// N four-bar linkages beside each other: upright cranks at x = 0, 1, ..., N and `extra` ones between the first two,
// with couplers from one to the next. Cranks swing about y at the rate 1.
SceneBuilder four_bars(double step_s, double end_s, uint32_t n, uint32_t extra) {
    SceneBuilder b = constraint_scene(step_s, end_s);
    std::vector<uint32_t> cranks;
    auto crank = [&](double x) {
        b.point_mass({x, 0, 0.5}, 1, ALONG_Z);
        b.bodies.back().velocity_m_per_s[0] = 0.5;
        b.bodies.back().angular_velocity_rad_per_s[1] = 1;
        cranks.push_back(uint32_t(b.bodies.size()) - 1);
        b.constraint(JOINT_REVOLUTE, 0, cranks.back(), {x, 0, 0}, {0, 1, 0});
    };
    for (uint32_t i = 0; i <= n; i++) crank(i);
    for (uint32_t i = 0; i < extra; i++) crank((i + 1.0) / (extra + 1.0));
    for (uint32_t i = 0; i < n; i++) {
        b.point_mass({i + 0.5, 0, 1}, 1, ALONG_X);
        b.bodies.back().velocity_m_per_s[0] = 1;
        const uint32_t coupler = uint32_t(b.bodies.size()) - 1;
        b.constraint(JOINT_REVOLUTE, cranks[i], coupler, {double(i), 0, 1}, {0, 1, 0});
        b.constraint(JOINT_REVOLUTE, cranks[i + 1], coupler, {i + 1.0, 0, 1}, {0, 1, 0});
        for (uint32_t e = 0; i == 0 && e < extra; e++)
            b.constraint(JOINT_REVOLUTE, cranks[n + 1 + e], coupler, {(e + 1.0) / (extra + 1.0), 0, 1}, {0, 1, 0});
    }
    return b;
}

void check_four_bars(uint32_t n, uint32_t extra, double end_s) {
    SceneBuilder b = four_bars(1e-3, end_s, n, extra);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const double cranks = n + 1.0 + extra, inertia = cranks / 3 + n, weight = G * (cranks / 2 + n);
    const auto right =
        integrated({0, 1}, end_s, 1e-4, [&](double a, double) { return weight * std::sin(a) / inertia; });
    const BodyState s = ran.state(1);
    const double x = 2 * s.position_m.x, z = 2 * s.position_m.z;
    const double off = std::hypot(x - std::sin(right[0]), z - std::cos(right[0]));
    const double rate = s.spin_rad_per_s.y;
    const double energy = 0.5 * inertia * (rate * rate - 1) + weight * (z - 1);
    const double range = 2 * weight;
    printf("n %u, %u extra, %g s: %.1f turns, end off by %.2e m, energy by %.2e of its range, drift %.1e\n", n, extra,
           end_s, right[0] / 6.283185, off, energy / range, double(ran.progress().energy_drift));
    EXPECT_LT(off, 1e-3);
    EXPECT_LT(std::fabs(energy) / range, 1e-5);
}

TEST(Linkages, FourBarsPassTheirSingularPositions) {
    check_four_bars(1, 0, 10);
    check_four_bars(2, 0, 10);
    check_four_bars(40, 0, 10);
}

TEST(Linkages, ARedundantParallelLinkChangesNothing) { check_four_bars(1, 1, 10); }

} // namespace
