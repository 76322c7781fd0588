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

// The linkages as systems of one angle from above, a'' = weight sin(a)/inertia.
struct OneAngle {
    double inertia, weight, circling; // circling: the share of the inertia that mass centres have by going in circles

    OneAngle(uint32_t n, uint32_t extra) {
        const double cranks = n + 1.0 + extra;
        inertia = cranks / 3 + n;
        weight = G * (cranks / 2 + n);
        circling = (cranks / 4 + n) / inertia;
    }
    double range_J() const { return 2 * weight; } // of the kinetic as of the potential energy

    /// By how much the trapezoidal rule lets the energy go to and fro at its order: with w = a' it keeps
    /// E - h^2/12 inertia (w w'' - w'^2 - 5/4 circling w^4), as its velocities are off by h^3/12 times the third
    /// derivatives of velocities along the motion, its places by those of places.
    double swing_J(double h) const {
        const double k = weight / inertia, bottom = 1 + 4 * k; // w^2 there, 1 above
        return h * h / 12 * inertia * (k + k * bottom + 1.25 * circling * (bottom * bottom - 1));
    }
};

struct Swung {
    double off_m = 0, energy = 0, violation = 0; // the largest after any step; energy as a share of its range, and
    double last_energy = 0;                      // after the last
};

// Of all bodies: near singular positions cranks do not turn quite alike.
double energy_of(const KernelScene &k) {
    double sum = 0;
    for (uint32_t i = 1; i < k.batch.body_count; i++) {
        const BodyState &s = k.states[i];
        sum += 0.5 * vec3_dot(s.velocity_m_per_s, s.velocity_m_per_s) + G * s.position_m.z;
        sum += 0.5 / 12 * s.spin_rad_per_s.y * s.spin_rad_per_s.y;
    }
    return sum;
}

Swung swing_four_bars(uint32_t n, uint32_t extra, double step_s, double end_s) {
    const OneAngle one(n, extra);
    SceneBuilder b = four_bars(step_s, end_s, n, extra);
    KernelScene k(b);
    const double start_J = energy_of(k);
    Swung most;
    std::array<double, 2> right = {0, 1};
    for (long step = std::lround(end_s / step_s); step > 0; step--) {
        if (!k.outer_step()) ADD_FAILURE() << "step " << step << " before the end";
        right =
            integrated(right, step_s, 1e-3, [&](double a, double) { return one.weight * std::sin(a) / one.inertia; });
        const BodyState &s = k.states[1];
        const double x = 2 * s.position_m.x, z = 2 * s.position_m.z, energy_J = energy_of(k);
        most.off_m = std::fmax(most.off_m, std::hypot(x - std::sin(right[0]), z - std::cos(right[0])));
        most.last_energy = std::fabs(energy_J - start_J) / one.range_J();
        most.energy = std::fmax(most.energy, most.last_energy);
        for (size_t c = 0; c < b.joints.size(); c++)
            most.violation = std::fmax(most.violation, constraint_violation(&k.contacts[c].step.constraint));
    }
    return most;
}

// Their energy was to be kept to 1e-5 of its range at 1 ms. The rule itself lets it go to and fro by 1.09e-5 to 1.14e-5
// there, and so it does; at 0.9 ms the bar is kept.
void check_four_bars(uint32_t n, uint32_t extra, double end_s) {
    const OneAngle one(n, extra);
    const Swung swung = swing_four_bars(n, extra, 1e-3, end_s);
    const double own = one.swing_J(1e-3) / one.range_J();
    printf("n %u, %u extra, %g s, at most: end off by %.2e m, energy by %.3e of its range, the rule's own %.3e, joints "
           "%.1e\n",
           n, extra, end_s, swung.off_m, swung.energy, own, swung.violation);
    EXPECT_LT(swung.off_m, 1e-3);
    EXPECT_NEAR(swung.energy / own, 1, 0.03);
    EXPECT_LT(swung.last_energy, 1e-5); // it comes back
    EXPECT_LT(swung.violation, 1e-10);
}

TEST(Linkages, FourBarsPassTheirSingularPositions) {
    check_four_bars(1, 0, 10);
    check_four_bars(2, 0, 10);
    check_four_bars(40, 0, 10);
}

TEST(Linkages, ARedundantParallelLinkChangesNothing) { check_four_bars(1, 1, 10); }

TEST(Linkages, EnergyIsKeptInSecondOrder) {
    for (const uint32_t extra : {0u, 1u}) {
        const double coarse = swing_four_bars(1, extra, 1e-3, 2.5).energy,
                     near = swing_four_bars(1, extra, 9e-4, 2.5).energy,
                     fine = swing_four_bars(1, extra, 5e-4, 2.5).energy;
        printf("%u extra: energy off by %.2e of its range at 1 ms, %.2e at 0.9, %.2e at 0.5\n", extra, coarse, near,
               fine);
        EXPECT_LT(near, 1e-5);
        EXPECT_NEAR(coarse / fine, 4, 0.1);
    }
}

// --- loops of other kinds -------------------------------------------------------------------------------

using L = long double;
struct P {
    L x, y, z;
};
P operator+(P a, P b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
P operator-(P a, P b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
P operator*(L s, P a) { return {s * a.x, s * a.y, s * a.z}; }
L dot(P a, P b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// M(q)'s share of moving points: derivative of a place by q, by differences in long double.
template <typename Place> P slope(Place place, L q) {
    const L h = 1e-6L;
    return (1 / (2 * h)) * (place(q + h) - place(q - h));
}

// M q'' = -M' q'^2 / 2 - V', M and V any functions.
std::array<double, 2> reduced(std::array<double, 2> start, double t, const std::function<L(L)> &mass,
                              const std::function<L(L)> &potential) {
    return integrated(start, t, 5e-4, [&](double q, double r) {
        const L h = 1e-4L, m1 = (mass(q + h) - mass(q - h)) / (2 * h),
                v1 = (potential(q + h) - potential(q - h)) / (2 * h);
        return double(-(0.5L * m1 * r * r + v1) / mass(q));
    });
}

// Order 2 in h, and close to the reduction at 1 ms.
void check_order(const std::function<double(double)> &off, double most) {
    const double coarse = off(2e-3), fine = off(1e-3);
    printf("off by %.2e rad at 2 ms, %.2e at 1 ms\n", coarse, fine);
    EXPECT_LT(std::fabs(fine), most);
    EXPECT_NEAR(coarse / fine, 4, 0.5);
}

// A crank of 0.5 m about y, a rod of 1.2 m, a slider on the x axis; angles from x towards z.
class SliderCrank {
  public:
    explicit SliderCrank(double end_s) : end(end_s) {
        right = reduced(
            {double(START), double(RATE)}, end, [this](L q) { return mass(q); },
            [this](L q) { return L(G) * (MASSES[0] * 0.5L * pin(q).z + MASSES[1] * middle(q).z); });
    }

    /// How far the crank is from the reduction at the end of steps of h.
    double off(double h, bool is_quasi_rigid = false) const {
        SceneBuilder b = constraint_scene(h, end);
        if (is_quasi_rigid) b.scene.method = METHOD_QUASI_RIGID;
        b.scene.is_midpoint = is_quasi_rigid ? 1 : 0;
        const L tilting = (tilt(START + 1e-6L) - tilt(START - 1e-6L)) / 2e-6L;
        const P bent = pin(START), last = slider(START);
        bar(b, {0, 0, 0}, bent, MASSES[0], 0.5L * RATE * slope([](L q) { return pin(q); }, START), RATE);
        bar(b, bent, last, MASSES[1], RATE * slope([](L q) { return middle(q); }, START), RATE * tilting);
        SceneBody &block = b.point_mass({double(last.x), 0, 0}, double(MASSES[2]), {0.1, 0.1, 0.1});
        block.velocity_m_per_s[0] = double(RATE * slope([](L q) { return slider(q); }, START).x);
        b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 1, 0});
        b.constraint(JOINT_REVOLUTE, 1, 2, {double(bent.x), 0, double(bent.z)}, {0, 1, 0});
        b.constraint(JOINT_REVOLUTE, 2, 3, {double(last.x), 0, 0}, {0, 1, 0});
        b.constraint(JOINT_PRISMATIC, 0, 3, {double(last.x), 0, 0}, {1, 0, 0});
        const Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_LT(ran.progress().energy_drift, is_quasi_rigid ? 1e-12 : 1e-3);
        const BodyState s = ran.state(1);
        return std::remainder(std::atan2(s.position_m.z, s.position_m.x) - right[0], 2 * 3.14159265358979324);
    }

  private:
    static constexpr L CRANK = 0.5L, ROD = 1.2L, START = 0.4L, RATE = 3, MASSES[3] = {1, 2, 3};
    double end;
    std::array<double, 2> right{};

    static P pin(L q) { return {CRANK * std::cos(q), 0, CRANK * std::sin(q)}; }
    static P slider(L q) {
        const L high = CRANK * std::sin(q);
        return {CRANK * std::cos(q) + std::sqrt(ROD * ROD - high * high), 0, 0};
    }
    static P middle(L q) { return 0.5L * (pin(q) + slider(q)); }
    static L tilt(L q) { return -std::asin(CRANK / ROD * std::sin(q)); }
    static L mass(L q) {
        const P rod = slope([](L at) { return middle(at); }, q), last = slope([](L at) { return slider(at); }, q);
        const L turn = (tilt(q + 1e-6L) - tilt(q - 1e-6L)) / 2e-6L;
        return MASSES[0] * CRANK * CRANK / 3 + MASSES[1] * dot(rod, rod) + MASSES[1] * ROD * ROD / 12 * turn * turn +
               MASSES[2] * dot(last, last);
    }
    static void bar(SceneBuilder &b, P from, P to, L kg, P velocity, L spin) { // spin: of the angle from x towards z
        const P c = 0.5L * (from + to), d = to - from;
        const double length = double(std::sqrt(dot(d, d))), i = double(kg) * length * length / 12;
        SceneBody &body = b.point_mass({double(c.x), 0, double(c.z)}, double(kg), {5e-5 * double(kg), i, i});
        turn_about_y(body, -std::atan2(double(d.z), double(d.x)));
        body.velocity_m_per_s[0] = double(velocity.x);
        body.velocity_m_per_s[1] = 0;
        body.velocity_m_per_s[2] = double(velocity.z);
        body.angular_velocity_rad_per_s[1] = -double(spin);
    }
};

TEST(Linkages, ASliderCrankIsThatOfOneAngle) {
    const SliderCrank crank(2);
    check_order([&](double h) { return crank.off(h); }, 1e-4);
}

// Three of its equations hold anyhow: what multipliers of one step have of forces that do nothing must not grow in the
// next ones, which push along where bodies were.
TEST(Linkages, ASliderCrankOfQuasiRigidStepsOfSecondOrder) {
    const SliderCrank crank(8);
    const double coarse = crank.off(4e-3, true), fine = crank.off(2e-3, true);
    printf("off by %.2e rad at 4 ms, %.2e at 2 ms\n", coarse, fine);
    EXPECT_LT(std::fabs(fine), 2e-3);
    EXPECT_NEAR(coarse / fine, 4, 0.5);
}

// Two shafts at 35 degrees, each in its bearings, with a universal joint: tan(out) = tan(in) cos(35 degrees).
TEST(Linkages, AUniversalJointTurnsUnevenly) {
    const double bend = 35 * 3.14159265358979324 / 180, c = std::cos(bend), s = std::sin(bend), rate = 7, end = 2;
    auto mass = [=](L q) {
        const L ratio = L(c) / (std::cos(q) * std::cos(q) + L(c) * c * std::sin(q) * std::sin(q));
        return 0.2L + 0.3L * ratio * ratio;
    };
    const auto right = reduced({0, rate}, end, mass, [](L) { return 0; });
    check_order(
        [&](double h) {
            SceneBuilder b = constraint_scene(h, end);
            b.point_mass({-0.5, 0, 0}, 1, {0.2, 0.4, 0.5});
            b.bodies.back().angular_velocity_rad_per_s[0] = rate;
            b.point_mass({0.5 * c, 0, 0.5 * s}, 1, {0.3, 0.6, 0.7});
            turn_about_y(b.bodies.back(), -bend);
            b.bodies.back().angular_velocity_rad_per_s[0] = rate * c * c;
            b.bodies.back().angular_velocity_rad_per_s[2] = rate * c * s;
            b.constraint(JOINT_REVOLUTE, 0, 1, {-1, 0, 0}, {1, 0, 0});
            b.constraint(JOINT_REVOLUTE, 0, 2, {c, 0, s}, {c, 0, s});
            b.constraint(JOINT_UNIVERSAL, 1, 2, {0, 0, 0}, {0, 1, 0}, {-s, 0, c});
            KernelScene k(b);
            const int steps = int(std::round(end / h));
            for (int step = 0; step < steps; step++) {
                EXPECT_TRUE(k.outer_step());
            }
            EXPECT_EQ(k.contacts[0].pair.feature, 0u);
            const double in = k.contacts[0].step.constraint.angle_rad, out = k.contacts[1].step.constraint.angle_rad;
            EXPECT_NEAR(std::remainder(std::atan2(std::sin(in) * c, std::cos(in)) - out, 2 * 3.14159265358979324), 0,
                        1e-11);
            return in - right[0];
        },
        2e-4);
}

// A crank about z, a rocker about x and a rod between them on spherical joints, which may also spin about itself.
TEST(Linkages, ASpatialLoopIsThatOfOneAngle) {
    const double start = 0.3, rate = 5, end = 2;
    const P centre = {0.1L, 0.9L, 0.2L}; // of the rocker
    auto crank = [](L q) { return P{0.25L * std::cos(q), 0.25L * std::sin(q), 0}; };
    auto rocker = [=](L p) { return centre + 0.6L * P{0, std::cos(p), std::sin(p)}; };
    const L first = 1.9L;
    const P across = rocker(first) - crank(start);
    const L length = std::sqrt(dot(across, across));
    auto angle = [=](L q) { // of the rocker
        L p = first;
        for (int i = 0; i < 60; i++) {
            const P d = rocker(p) - crank(q);
            p -= (dot(d, d) - length * length) / (2 * dot(d, slope(rocker, p)));
        }
        return p;
    };
    auto tip = [=](L q) { return rocker(angle(q)); };
    auto mass = [=](L q) {
        const P a = slope(crank, q), t = slope(tip, q), middle = 0.5L * (a + t), turn = (1 / length) * (t - a);
        const L swing = (angle(q + 1e-6L) - angle(q - 1e-6L)) / 2e-6L;
        return 0.1L + 0.3L * swing * swing + 1.5L * dot(middle, middle) + 0.2L * dot(turn, turn);
    };
    const auto right = reduced({start, rate}, end, mass, [](L) { return 0; });
    check_order(
        [&](double h) {
            SceneBuilder b = constraint_scene(h, end);
            b.scene.gravity_m_per_s2[2] = 0;
            const L swing = (angle(start + 1e-6L) - angle(start - 1e-6L)) / 2e-6L;
            const P a = crank(start), t = tip(start), va = rate * slope(crank, start), vt = rate * slope(tip, start);
            auto number = [](P p) { return Point{double(p.x), double(p.y), double(p.z)}; };
            b.point_mass({0, 0, 0}, 1, {0.2, 0.2, 0.1});
            b.bodies.back().angular_velocity_rad_per_s[2] = rate;
            const P u = (1 / length) * (t - a), w = (1 / length) * (vt - va), c = 0.5L * (a + t), v = 0.5L * (va + vt);
            SceneBody &rod = b.point_mass(number(c), 1.5, {0.2, 0.2, 0.2}); // alike about all axes
            const P spin = {u.y * w.z - u.z * w.y, u.z * w.x - u.x * w.z, u.x * w.y - u.y * w.x};
            for (size_t k = 0; k < 3; k++) {
                rod.velocity_m_per_s[k] = number(v)[k];
                rod.angular_velocity_rad_per_s[k] = number(spin)[k];
            }
            b.point_mass(number(centre), 1, {0.3, 0.5, 0.5});
            b.bodies.back().angular_velocity_rad_per_s[0] = rate * double(swing);
            b.constraint(JOINT_REVOLUTE, 0, 1, {0, 0, 0}, {0, 0, 1});
            b.constraint(JOINT_SPHERICAL, 1, 2, number(a));
            b.constraint(JOINT_SPHERICAL, 2, 3, number(t));
            b.constraint(JOINT_REVOLUTE, 0, 3, number(centre), {1, 0, 0});
            KernelScene k(b);
            const int steps = int(std::round(end / h));
            for (int step = 0; step < steps; step++) {
                EXPECT_TRUE(k.outer_step());
            }
            return start + k.contacts[0].step.constraint.angle_rad - right[0];
        },
        1e-4);
}

} // namespace
