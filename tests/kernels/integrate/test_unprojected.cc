// Trapezoidal steps without their projections: a rate that jumps oscillates from then on, and its force grows. The page
// takes its row of this from here (tests/validation/winch.py).
#include <cstdint>

static uint32_t passes_most = 40; // of projections: 0, and velocities and accelerations stay as the rule gives them
#define TRAPEZOIDAL_PASSES_MOST passes_most
#include "constraint_scene.h"
#include "kernel_scene.h"

namespace {

const double MASS_KG = 6414, RATE_M_PER_S = 0.25, STEP_S = 1e-2;
const int STEPS = 200;

struct Winch {
    std::vector<double> velocities_m_per_s, tensions_N;
};

// The mass hangs on a cable of 5 m that a winch hauls in at 0.25 m/s from one moment to the next.
Winch haul(uint32_t passes) {
    SceneBuilder b = constraint_scene(STEP_S, STEPS * STEP_S);
    b.point_mass({0, 0, -5}, MASS_KG, {MASS_KG, MASS_KG, MASS_KG});
    b.constraint(JOINT_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 1}, {0, 0, -5});
    b.joints.back().length_rate_m_per_s = -RATE_M_PER_S;
    b.joints.back().length_until_s = 100;
    passes_most = passes;
    KernelScene k(b);
    Winch winch;
    for (int step = 0; step < STEPS; step++) {
        EXPECT_TRUE(k.outer_step());
        winch.velocities_m_per_s.push_back(k.states[1].velocity_m_per_s.z);
        winch.tensions_N.push_back(-k.contacts[0].now.normal_N);
    }
    printf("%s projections: velocities %.10g %.10g %.10g %.10g m/s, last tension %.10g N\n",
           passes > 0 ? "with" : "without", winch.velocities_m_per_s[0], winch.velocities_m_per_s[1],
           winch.velocities_m_per_s[2], winch.velocities_m_per_s[3], winch.tensions_N.back());
    return winch;
}

// x goes on by h/2 (v + v') = h rate in each step, so v is twice the rate and 0 in turn, and a' = 2/h (v' - v) - a
// grows by 4 rate/h a step, from that of free fall, which nothing projects either. Each step the rounding of a length
// of 5 m times the penalty comes on top.
TEST(Unprojected, AWinchThatStartsWithAJumpOscillates) {
    const Winch winch = haul(0);
    const double rounding_N = 2 * 8.9e-16 * 1e6 * MASS_KG * 4 / (STEP_S * STEP_S);
    for (int step = 0; step < STEPS; step++) {
        const bool is_odd = step % 2 == 0;
        EXPECT_NEAR(winch.velocities_m_per_s[size_t(step)], is_odd ? 2 * RATE_M_PER_S : 0, 1e-9) << step;
        const double a = (is_odd ? 1 : -1) * (4 * RATE_M_PER_S / STEP_S * (step + 1) + G);
        EXPECT_NEAR(winch.tensions_N[size_t(step)], MASS_KG * (G + a), rounding_N * (step + 1)) << step;
    }
    EXPECT_NEAR(winch.tensions_N.back(), -1.3e8, 0.05e8);
}

TEST(Unprojected, WithProjectionsItDoesNot) {
    const Winch winch = haul(40);
    for (int step = 0; step < STEPS; step++) {
        EXPECT_NEAR(winch.velocities_m_per_s[size_t(step)], RATE_M_PER_S, 1e-12) << step;
        EXPECT_NEAR(winch.tensions_N[size_t(step)], MASS_KG * G, 1e-10 * MASS_KG * G) << step;
    }
}

} // namespace
