// Implicit steps: order of convergence, what they conserve, and the motions they are for, against closed forms
// and runs at tolerances far below. tests/README.md, "Which test holds which bar".
#include "kernel_scene.h"

namespace {

constexpr double G = 9.81;

SceneBuilder one_material(double young, double e, double friction, double rolling = 0) {
    SceneBuilder b;
    b.material(young);
    b.pair(0, 0, e, friction, rolling).damping_max_s_per_m = 0.5;
    return b;
}

// A ball and a box that press on the ground and on each other, sliding and spinning, in the midst of a contact.
SceneBuilder pressed() {
    SceneBuilder b = one_material(1e8, 0.6, 0.4, 0.02);
    b.pairs.back().speed_small_m_per_s = 0.2;
    b.pairs.back().spin_small_rad_per_s = 0.5;
    b.ground();
    SceneBody &box = b.body("box", false, {0, 0, 0.0495});
    box.velocity_m_per_s[0] = 0.3;
    box.angular_velocity_rad_per_s[1] = 2;
    box.angular_velocity_rad_per_s[2] = 3;
    b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    SceneBody &ball = b.ball(0.1, {0.1495, 0.01, 0.0497});
    ball.velocity_m_per_s[0] = -0.2;
    ball.velocity_m_per_s[2] = -0.3;
    ball.angular_velocity_rad_per_s[1] = -4;
    return b;
}

struct End {
    std::vector<BodyState> states;
    double loss;
    double energy;
};

// Over a fixed time in equal steps.
End end_after(int steps, double time) {
    SceneBuilder b = pressed();
    KernelScene k(b);
    EXPECT_EQ(k.progress.contact_count, 6u);
    for (int i = 0; i < steps; i++) k.step_implicitly(time / steps);
    return End{k.states, k.progress.dissipated_J, k.mechanical_energy()};
}

// Order 4 of states, and of the energy that friction, damping and rolling take.
TEST(Rodas, ConvergesWithOrderFour) {
    const double time = 2e-3;
    const End exact = end_after(2560, time), start = end_after(0, time);
    double error[3], loss[3], audit[3];
    for (int k = 0; k < 3; k++) {
        const End end = end_after(80 << k, time);
        error[k] = states_apart(end.states, exact.states);
        loss[k] = std::abs(end.loss - exact.loss);
        audit[k] = std::abs(end.energy + end.loss - start.energy);
        printf("%d steps: states %.2e, dissipated %.2e J of %.2e, audit %.2e\n", 80 << k, error[k], loss[k], exact.loss,
               audit[k]);
    }
    EXPECT_GT(states_apart(start.states, exact.states), 0.1);
    for (int k = 0; k < 2; k++) EXPECT_GT(std::log2(error[k] / error[k + 1]), 3.8);
    // Over both halvings: the errors of energies change their sign on the way, as coarser steps show.
    EXPECT_GT(std::log2(loss[0] / loss[2]) / 2, 3.4);
    EXPECT_GT(std::log2(audit[0] / audit[2]) / 2, 3.4);
}

// The impulses that contacts hand over are the momentum that bodies gain, in any one step however long.
TEST(Rodas, ImpulsesAreTheChangeOfMomentum) {
    for (double h : {1e-5, 1e-3, 1e-1}) {
        SceneBuilder b = pressed();
        KernelScene k(b);
        const std::vector<BodyState> before = k.states;
        k.step_implicitly(h);
        for (uint32_t body = 1; body < 3; body++) {
            Vec3 impulse = vec3_make(0, 0, -G * h * k.batch.bodies[body].mass_kg);
            double scale = vec3_length(impulse);
            for (uint32_t c = 0; c < k.progress.contact_count; c++) {
                const Contact &contact = k.contacts[c];
                const double sign = contact.pair.body_b == body ? 1 : contact.pair.body_a == body ? -1 : 0;
                impulse = vec3_add_scaled(impulse, contact.trial.impulse_N_s, sign);
                scale += std::abs(sign) * vec3_length(contact.trial.impulse_N_s);
            }
            const Vec3 gained = vec3_scale(vec3_sub(k.states[body].velocity_m_per_s, before[body].velocity_m_per_s),
                                           k.batch.bodies[body].mass_kg);
            EXPECT_LT(vec3_length(vec3_sub(gained, impulse)), 1e-12 * scale) << h;
        }
    }
}

// An event may be located at the very start of a step: nothing moves, and nothing is divided by no time.
TEST(Rodas, AStepOfNoTimeIsNone) {
    SceneBuilder b = pressed();
    KernelScene k(b);
    const std::vector<BodyState> before = k.states;
    k.step_implicitly(0);
    for (uint32_t body = 1; body < 3; body++) {
        EXPECT_LT(vec3_length(vec3_sub(k.states[body].position_m, before[body].position_m)), 1e-15);
        EXPECT_LT(vec3_length(vec3_sub(k.states[body].velocity_m_per_s, before[body].velocity_m_per_s)), 1e-12);
        EXPECT_LT(vec3_length(vec3_sub(k.states[body].spin_rad_per_s, before[body].spin_rad_per_s)), 1e-12);
    }
}

// A matrix of blocks in room of its own, with the ties that `tied` tells.
struct Blocks {
    std::vector<double> room;
    BlockMatrix m;
    uint32_t count;
    template <class Tied>
    Blocks(uint32_t n, Tied tied) : room(29 * n + n * n + 37 * n * n * 2), m(block_matrix_head(room.data(), n)) {
        block_clear(m);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < i; j++)
                if (tied(i, j)) block_mark(m, i, j);
        block_fill(m);
        m = block_matrix(room.data(), n);
        block_list(m);
        count = uint32_t(m.sizes[1]);
    }
};

// Random blocks whose largest numbers are off the diagonal, so that rows have to be exchanged.
TEST(Rodas, SolvesLinearSystems) {
    uint64_t state = 7;
    auto next = [&] {
        return double((state = state * 6364136223846793005u + 1442695040888963407u) >> 11) * 0x1p-53 - 0.5;
    };
    for (uint32_t n : {1u, 4u, 16u, 40u}) {
        Blocks blocks(n, [&](uint32_t, uint32_t) { return next() < 4.0 / n - 0.5; });
        std::vector<double> x(6 * n), b(6 * n);
        for (double &v : x) v = next();
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                for (uint32_t k = 0; k < 36 && block_exists(blocks.m, i, j); k++) {
                    const uint32_t row = k % 6, column = k / 6;
                    double &v = block_at(blocks.m, i, j)[k];
                    v = next() + (i == j && column == (row + 2) % 6 ? 20 : 0);
                    b[6 * i + row] += v * x[6 * j + column];
                }
        block_matrix_factorise(blocks.m);
        for (uint32_t i = 0; i < 6 * n; i++) blocks.m.side[i] = b[i];
        block_matrix_solve(blocks.m);
        for (uint32_t i = 0; i < 6 * n; i++) EXPECT_NEAR(blocks.m.side[i], x[i], 1e-13) << n;
    }
}

// Trees need no block that is not there, whatever their bodies' numbers; rings one for each body but three.
TEST(Rodas, EliminationFillsInLittle) {
    for (uint32_t n : {4u, 17u, 64u}) {
        auto at = [&](uint32_t i) { return i * 7 % n; }; // 7 shares no factor with n
        auto apart = [&](uint32_t i, uint32_t j) { return at(i) > at(j) ? at(i) - at(j) : at(j) - at(i); };
        EXPECT_EQ(Blocks(n, [&](uint32_t i, uint32_t j) { return apart(i, j) == 1; }).count, 3 * n - 2);
        EXPECT_EQ(Blocks(n, [&](uint32_t i, uint32_t j) { return at(i) == 0 || at(j) == 0; }).count, 3 * n - 2);
        EXPECT_EQ(Blocks(n, [&](uint32_t i, uint32_t j) { return apart(i, j) % (n - 2) == 1; }).count,
                  3 * n + 2 * (n - 3))
            << n;
    }
}

// 125 balls, packed as closely as they can be, have room for their matrix.
TEST(Rodas, ClosePackedBallsHaveRoom) {
    std::vector<Vec3> at;
    for (int z = 0; z < 5; z++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 5; x++)
                at.push_back(vec3_make(x + 0.5 * (y % 2) + 0.5 * (z % 2),
                                       std::sqrt(0.75) * y + z % 2 * std::sqrt(1.0 / 12), z * std::sqrt(2.0 / 3)));
    const Blocks blocks(125, [&](uint32_t i, uint32_t j) { return vec3_length(vec3_sub(at[i], at[j])) < 1.01; });
    EXPECT_EQ(blocks.m.sizes[0], 1189); // 532 pairs touch
    EXPECT_LE(block_matrix_room(blocks.m), island_room(125, ISLAND_BODIES_MAX));
}

double hertz_depth(double mass, double radius) {
    const double k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(radius);
    return std::pow(mass * G / k, 2.0 / 3);
}

SceneBuilder steel(double e, double friction, double rolling = 0) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, e, friction, rolling);
    b.ground();
    return b;
}

// Balls put down rest at their Hertz depth, light or heavy, at any tolerance, for 6 evaluations a millisecond.
TEST(Rest, BallsPutDownStayAtTheirDepth) {
    for (double mass : {1e-3, 33.51}) {
        for (double tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
            SceneBuilder b = steel(0.7, 0.3);
            b.ball(0.2, {0, 0, 0.1}, 0, mass);
            b.scene.no_freeze = 1;
            b.scene.tolerance = tolerance;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            // Four spacings of numbers near 0.1.
            EXPECT_NEAR(0.1 - ran.state(1).position_m.z, hertz_depth(mass, 0.1), 5.6e-17) << mass;
            EXPECT_LT(ran.progress().evaluations, tolerance < 1e-6 ? 8000u : 6700u) << mass;
        }
    }
}

struct Motion {
    const char *name;
    SceneBuilder builder;
    double tolerance;
    uint32_t evaluations; // at most
    double velocity_error, position_error;
};

SceneBuilder thrown(double mass, double e, double friction, double across, double end_s) {
    SceneBuilder b = steel(e, friction);
    SceneBody &ball = b.ball(0.2, {0, 0, 0.1 + 1e-6}, 0, mass);
    ball.velocity_m_per_s[0] = across;
    ball.velocity_m_per_s[2] = -4.43;
    b.scene.end_s = end_s;
    return b;
}

SceneBuilder rolling_ball() {
    SceneBuilder b = steel(0.7, 0.3, 0.01);
    b.ball(0.2, {0, 0, 0.1 - hertz_depth(33.51, 0.1)}, 0, 33.51).velocity_m_per_s[0] = 1;
    b.scene.no_freeze = 1;
    return b;
}

SceneBuilder sliding_block() {
    SceneBuilder b = steel(0.3, 0.3);
    SceneBody &block = b.body("block", false, {0, 0, 0.05 - 2e-6});
    block.velocity_m_per_s[0] = 1;
    block.angular_velocity_rad_per_s[2] = 2;
    b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    b.scene.no_freeze = 1;
    return b;
}

// Counts of an independent program at these errors, relative to 4.43 m/s: 330 and 768 for slip to stick (bars 350 and
// 900), 464 at 4e-7 for sticking, 264 without rebound (bar 300 at 1e-6) up to the end of the contact, 0.87 ms; 6,060
// for rolling and for the block, where the outer step sets the count.
TEST(Rodas, StiffMotionsAreFewStepsAndRight) {
    const SceneBuilder turning = thrown(33.51, 0.7, 0.5, 3, 1e-3);
    const Motion motions[] = {{"slip to stick, coarse", turning, 3e-5, 350, 4e-5, 4e-8},
                              {"slip to stick", turning, 1e-6, 500, 1e-5, 1e-8},
                              {"slip to stick, fine", turning, 3e-8, 900, 4e-7, 4e-10},
                              {"stick", thrown(1e-3, 0.7, 0.5, 0.3, 1e-4), 3e-6, 464, 4e-6, 1e-8},
                              {"no rebound", thrown(1e-3, 0.0, 0, 0, 8.8e-4), 3e-4, 300, 1e-6, 1e-10},
                              {"no rebound, fine", thrown(1e-3, 0.0, 0, 0, 8.8e-4), 1e-6, 924, 1e-7, 1e-11},
                              {"rolling", rolling_ball(), 1e-6, 6600, 1e-9, 1e-9},
                              {"block", sliding_block(), 1e-6, 6600, 1e-9, 1e-9}};
    for (const Motion &motion : motions) {
        SceneBuilder b = motion.builder, fine = motion.builder;
        b.scene.tolerance = motion.tolerance;
        fine.scene.tolerance = 1e-9;
        fine.scene.graded_steps = 32;
        Ran ran = run_scene(b), exact = run_scene(fine);
        ASSERT_EQ(ran.progress().status, STATUS_OK) << motion.name;
        ASSERT_EQ(exact.progress().status, STATUS_OK) << motion.name;
        const std::vector<Event> ends = ran.events_of_kind(EVENT_END), exact_ends = exact.events_of_kind(EVENT_END);
        ASSERT_EQ(ends.size(), exact_ends.size()) << motion.name;
        for (size_t k = 0; k < ends.size(); k++)
            EXPECT_NEAR(ends[k].speed_m_per_s, exact_ends[k].speed_m_per_s, motion.velocity_error) << motion.name;
        const BodyState s = ran.state(1), r = exact.state(1);
        const double speed = vec3_length(vec3_sub(s.velocity_m_per_s, r.velocity_m_per_s));
        const double place = vec3_length(vec3_sub(s.position_m, r.position_m));
        printf("%s: %u evaluations, error %.1e m/s, %.1e m\n", motion.name, ran.progress().evaluations, speed, place);
        EXPECT_LT(ran.progress().evaluations, motion.evaluations) << motion.name;
        EXPECT_LT(speed, motion.velocity_error) << motion.name;
        EXPECT_LT(place, motion.position_error) << motion.name;
    }
}

SceneBuilder column(int count, double end_s) {
    SceneBuilder b = steel(0.5, 0.3);
    for (int i = 0; i < count; i++) b.ball(0.02, {0, 0, 0.01 + 0.02 * i});
    b.scene.end_s = end_s;
    b.scene.no_freeze = 1;
    return b;
}

// A column that stands already, each contact as deep as the weight above it makes it.
SceneBuilder standing(int count, double end_s) {
    SceneBuilder b = column(count, end_s);
    const double mass = 8000 * M_PI / 6 * 8e-6;
    double z = 0.01 - hertz_depth(count * mass, 0.01);
    for (int i = 0; i < count; i++) {
        b.bodies[size_t(i) + 1].position_m[2] = z;
        z += 0.02 - hertz_depth((count - 1 - i) * mass, 0.005);
    }
    return b;
}

// A column of balls stands as it must, as one implicit island.
TEST(Rodas, ColumnsStand) {
    const int count = 16;
    SceneBuilder b = column(count, 0.5);
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    const double weight = 8000 * M_PI / 6 * 8e-6 * count;
    EXPECT_NEAR((0.01 - ran.state(1).position_m.z) / hertz_depth(weight, 0.01), 1, 1e-6);
    printf("column of %d for 0.5 s: %u evaluations\n", count, ran.progress().evaluations);
    EXPECT_LT(ran.progress().evaluations, 8000u);
}

// More bodies than an island's matrix may have stay explicit, and move as they would with one.
TEST(Rodas, LargeIslandsFallBackToExplicitSteps) {
    uint32_t evaluations[2], flags[2];
    for (int k = 0; k < 2; k++) {
        SceneBuilder b = standing(int(ISLAND_BODIES_MAX) + k, 4e-3), fine = b;
        fine.scene.tolerance = 1e-8;
        Ran ran = run_scene(b), exact = run_scene(fine);
        ASSERT_EQ(ran.progress().status, STATUS_OK);
        evaluations[k] = ran.progress().evaluations;
        flags[k] = ran.progress().flags;
        for (uint32_t body = 1; body <= ISLAND_BODIES_MAX; body++)
            EXPECT_NEAR(ran.state(body).position_m.z, exact.state(body).position_m.z, 1e-10) << k << " " << body;
    }
    EXPECT_FALSE(flags[0] & FLAG_LARGE_ISLAND);
    EXPECT_TRUE(flags[1] & FLAG_LARGE_ISLAND);
    printf("column of %u: %u evaluations, of one more: %u\n", ISLAND_BODIES_MAX, evaluations[0], evaluations[1]);
    EXPECT_LT(evaluations[0], evaluations[1] / 2);
}

// A pile, whose elimination fills in blocks, moves as with finer steps.
TEST(Rodas, PilesAreImplicitIslands) {
    SceneBuilder b = steel(0.5, 0.3);
    for (int i = 0; i < 48; i++) {
        const double shift = 1e-6 * (i * 7 % 5);
        b.ball(0.02, {0.02 * (i % 4) + shift, 0.02 * (i / 4 % 4) - shift, 0.01 + 0.02 * (i / 16)});
    }
    b.scene.end_s = 4e-3;
    SceneBuilder fine = b;
    fine.scene.tolerance = 1e-7;
    Ran ran = run_scene(b), exact = run_scene(fine);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ran.progress().flags & FLAG_LARGE_ISLAND, 0u);
    printf("pile of 48: %u evaluations, fine %u\n", ran.progress().evaluations, exact.progress().evaluations);
    EXPECT_LT(ran.progress().evaluations, 4000u);
    for (uint32_t body = 1; body <= 48; body++)
        EXPECT_LT(vec3_length(vec3_sub(ran.state(body).position_m, exact.state(body).position_m)), 1e-9) << body;
}

// What the audit finds falls with the tolerance.
TEST(Rodas, EnergyAuditFollowsTheTolerance) {
    double drift[3];
    for (int k = 0; k < 3; k++) {
        SceneBuilder b = thrown(33.51, 0.7, 0.5, 3, 1e-3);
        b.scene.tolerance = std::pow(10.0, -4 - 2 * k);
        b.scene.graded_steps = 8 << k;
        Ran ran = run_scene(b);
        drift[k] = ran.progress().energy_drift;
        printf("tolerance %.0e: drift %.1e\n", b.scene.tolerance, drift[k]);
    }
    EXPECT_LT(drift[1], drift[0]);
    EXPECT_LT(drift[2], drift[1]);
    EXPECT_LT(drift[2], drift[0] / 100);
    EXPECT_LT(drift[1], 1e-5);
}

// A pair at its nearest at the start of a long step, to rounding, hides nothing: to look there again would stop
// every step at once. One that dips later in the step is looked at.
TEST(Rodas, APairAtItsNearestDoesNotStopLongSteps) {
    SceneBuilder b = steel(0.5, 0);
    b.ball(0.1, {0, 0, 0.05 + 2.6e-6});
    KernelScene k(b);
    ASSERT_EQ(k.progress.candidate_count, 1u);
    Candidate &pair = k.candidates[0];
    const uint32_t start = k.progress.gap_index, end = (start + 1) % GAP_TIMES;
    pair.gap_m[start] = 2.625654e-6;
    pair.gap_m[end] = 2.626971e-6;
    pair.rate_m_per_s[end] = 2.638285e-6;
    for (const double rate : {-1.3e-18, -2.6e-6}) {
        pair.rate_m_per_s[start] = rate;
        const Scan scan = event_scan_one(&k.view, &k.progress, &pair, start, 0, end, 1e-3);
        if (rate > -1e-12) {
            EXPECT_EQ(scan.evaluate_at_s, REAL_HUGE);
        } else {
            EXPECT_GT(scan.evaluate_at_s, 1e-5);
            EXPECT_LT(scan.evaluate_at_s, 1e-3);
        }
    }
}

} // namespace
