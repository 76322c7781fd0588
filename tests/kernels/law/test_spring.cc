// Contacts with tangential springs: order of convergence while they hold, energy, invariance, and impacts against an
// integration of their own equations that shares no code.
#include "spring_scenes.h"

namespace {

const uint32_t SPRINGS[] = {0, LAW_TOTAL_SPRING, LAW_PARTIAL_SPRING};

// A ball and a box in the midst of contacts that hold, turning and spinning.
SceneBuilder pressed(uint32_t spring_kind, uint32_t damping = DAMPING_FLORES) {
    SceneBuilder b = with_spring(1e8, 0.6, 50, spring_kind, damping);
    b.pairs.back().damping_max_s_per_m =
        1; // so that corners that open at first stay below the kink of a strike, at alpha / d_max
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
    double energy, loss;
};

End end_after(int steps, double time, uint32_t spring_kind, uint32_t damping = DAMPING_FLORES) {
    SceneBuilder b = pressed(spring_kind, damping);
    KernelScene k(b);
    EXPECT_EQ(k.progress.contact_count, 6u);
    island_lay_out(&k.view, &k.progress);
    for (const BodyWork &work : k.works) EXPECT_EQ(work.island.members, 0u); // explicit
    substep_start(&k.view, &k.progress);
    for (int i = 0; i < steps; i++) {
        substep_try(&k.view, &k.progress, time / steps, 1);
        gaps_evaluate(&k.view, &k.progress, 1, time / steps, 1);
        stepper_accept(&k.view, &k.progress, time / steps, 1);
    }
    End end{k.states, coupling_elastic_energy(&k.view, &k.progress), k.progress.dissipated_J};
    for (uint32_t body = 1; body < 3; body++) {
        end.energy += body_kinetic_energy(&k.view, body);
        end.energy += k.batch.bodies[body].mass_kg * 9.81 * k.states[body].position_m.z;
    }
    return end;
}

double distance(const End &a, const End &b) {
    double d = 0;
    for (size_t k = 1; k < a.states.size(); k++) {
        const BodyState &x = a.states[k], &y = b.states[k];
        for (Vec3 v : {vec3_sub(x.velocity_m_per_s, y.velocity_m_per_s), vec3_sub(x.spin_rad_per_s, y.spin_rad_per_s),
                       vec3_sub(x.position_m, y.position_m)})
            d = std::max(d, vec3_max_abs(v));
    }
    return d;
}

// While all springs hold, the order is the method's, and the audit closes at that order. No corner of the box opens
// within that time: near no overlap, where the dashpot goes with its fourth root, steps would have to be short.
TEST(Spring, ConvergesWithTheMethodsOrder) {
    const double time = 1e-3;
    for (uint32_t spring : SPRINGS) {
        const End exact = end_after(1280, time, spring), start = end_after(0, time, spring);
        double error[4], audit[4];
        for (int k = 0; k < 4; k++) {
            const End end = end_after(5 << k, time, spring);
            error[k] = distance(end, exact);
            audit[k] = std::abs(end.energy + end.loss - start.energy);
            printf("%d steps: states %.2e, audit %.2e J of %.2e\n", 5 << k, error[k], audit[k], start.energy);
        }
        EXPECT_GT(distance(start, exact), 0.1);
        for (int k = 0; k < 2; k++) {
            EXPECT_GT(std::log2(error[k] / error[k + 1]), 4.7);
            EXPECT_GT(std::log2(audit[k] / audit[k + 1]), 4.7);
        }
    }
}

// Without dampers nothing is lost while all springs hold. Total springs hand energy out, which is told as a negative
// loss, or take it.
TEST(Spring, HoldingCostsNothing) {
    const double time = 2e-3;
    const End conservative = end_after(640, time, 0, DAMPING_NONE),
              total = end_after(640, time, LAW_TOTAL_SPRING, DAMPING_NONE);
    printf("lost while springs hold: conservative %.1e J, total %.1e J\n", conservative.loss, total.loss);
    EXPECT_LT(std::abs(conservative.loss), 1e-12);
    EXPECT_GT(std::abs(total.loss), 1e-3);
}

// --- impacts ------------------------------------------------------------------------------------------------

struct Impact {
    double vn, vt, spin;
};

const double RADIUS = 0.0025, YOUNG = 7e10, POISSON = 0.33, DENSITY = 2700, MU = 0.2, SPEED = 4;

// In the plane of the impact, by many small steps of the midpoint rule; the springs are cut after each. Those of a
// partial one are made here anew: the slope of Mindlin's curve by its limits.
Impact integrate(double angle, double e, uint32_t spring) {
    const double pi = std::acos(-1.0), mass = 4.0 / 3 * pi * std::pow(RADIUS, 3) * DENSITY;
    const double modulus = YOUNG / (1 - POISSON * POISSON) / 2, shear = YOUNG / (2 * (1 + POISSON)) / (2 - POISSON) / 2;
    const double vn = SPEED * std::cos(angle), d = e < 1 ? 8 * (1 - e) / (5 * e * vn) : 0;
    const double dashpot = 2 * std::sqrt(5.0 / 6 * mass) * -std::log(e) / std::hypot(pi, std::log(e));
    const int parts = spring == LAW_PARTIAL_SPRING ? 4 : 1;
    auto slope = [](double x) { return std::sqrt(1 - x); };
    auto moment = [](double x) {
        return -std::pow(1 - x, 1.5) - 1.5 * x * std::sqrt(1 - x);
    }; // of 1.5 x over the slope
    double share[4] = {1}, bound[4] = {1};
    for (int i = 0; i < parts && parts > 1; i++) {
        share[i] = slope(i / 4.0) - slope((i + 1) / 4.0);
        bound[i] = moment((i + 1) / 4.0) - moment(i / 4.0);
    }
    double y[8] = {0, vn, SPEED * std::sin(angle), 0}; // depth, closing, tangential, spin with the slip, stretches
    auto lever = [&](const double *at) { return RADIUS - at[0] / 2; }; // to the middle of the overlap
    auto slip = [&](const double *at) { return at[2] + lever(at) * at[3]; };
    auto forces = [&](const double *at, double *normal, double *tangential, double *limit, double *pace) {
        const double depth = std::max(at[0], 0.0),
                     elastic = 4.0 / 3 * modulus * std::sqrt(RADIUS) * depth * std::sqrt(depth);
        *normal = std::max(0.0, elastic * (1 + d * at[1]));
        const double k = 8 * shear * std::sqrt(RADIUS * depth), unit = spring == LAW_TOTAL_SPRING ? k : std::sqrt(k);
        *limit = unit > 0 ? MU * elastic / unit : 0;
        *pace = spring == LAW_TOTAL_SPRING ? 1 : unit;
        double force = -dashpot * std::sqrt(k) * slip(at);
        for (int i = 0; i < parts; i++)
            force -= unit * std::clamp(share[i] * at[4 + i], -bound[i] * *limit, bound[i] * *limit);
        *tangential = std::clamp(force, -MU * elastic, MU * elastic);
    };
    const double h = 2e-11;
    while (y[0] >= 0) {
        double middle[8], rate[8], normal, tangential, limit, pace;
        auto rates = [&](const double *at) {
            forces(at, &normal, &tangential, &limit, &pace);
            rate[0] = at[1];
            rate[1] = -normal / mass;
            rate[2] = tangential / mass;
            rate[3] = 2.5 * tangential * lever(at) / (mass * RADIUS * RADIUS);
            for (int i = 0; i < parts; i++) rate[4 + i] = pace * slip(at);
        };
        rates(y);
        for (int i = 0; i < 4 + parts; i++) middle[i] = y[i] + h / 2 * rate[i];
        rates(middle);
        for (int i = 0; i < 4 + parts; i++) y[i] += h * rate[i];
        forces(y, &normal, &tangential, &limit, &pace);
        for (int i = 0; i < parts; i++)
            y[4 + i] = std::clamp(y[4 + i], -bound[i] / share[i] * limit, bound[i] / share[i] * limit);
    }
    return {-y[1], y[2], y[3]};
}

SceneBuilder thrown(double angle, double e, double tolerance, double steps, uint32_t spring_kind) {
    SceneBuilder b;
    b.material(YOUNG, POISSON, DENSITY);
    ScenePair &pair = b.pair(0, 0, e, MU);
    pair.has_spring = 1;
    pair.spring = spring_kind;
    pair.shear_stiffness = 1;
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.tolerance = tolerance;
    b.scene.graded_steps = steps;
    b.ground();
    SceneBody &ball = b.ball(2 * RADIUS, {0, 0, 1.01 * RADIUS});
    ball.velocity_m_per_s[0] = SPEED * std::sin(angle);
    ball.velocity_m_per_s[2] = -SPEED * std::cos(angle);
    b.scene.step_s = 1e-5;
    b.scene.end_s = 1e-4;
    return b;
}

TEST(Spring, ImpactsAgreeWithAnotherIntegration) {
    const struct {
        const char *name;
        double tolerance, steps, limit;
    } levels[] = {{"fast", 1e-4, 4, 1e-3}, {"default", 1e-6, 8, 5e-5}, {"accurate", 1e-8, 16, 1e-6}};
    for (uint32_t spring : SPRINGS) {
        for (const auto &level : levels) {
            double worst = 0, drift = 0, evaluations = 0;
            for (double e : {1.0, 0.7})
                for (double angle : {0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1.2}) {
                    const Impact other = integrate(angle, e, spring);
                    SceneBuilder b = thrown(angle, e, level.tolerance, level.steps, spring);
                    Ran ran = run_scene(b);
                    ASSERT_EQ(ran.progress().status, STATUS_OK);
                    const BodyState end = ran.state(1);
                    const double off = std::max({std::abs(end.velocity_m_per_s.x - other.vt),
                                                 std::abs(end.velocity_m_per_s.z - other.vn),
                                                 RADIUS * std::abs(-end.spin_rad_per_s.y - other.spin)});
                    worst = std::max(worst, off / SPEED);
                    drift = std::max(drift, ran.progress().energy_drift);
                    evaluations += ran.progress().evaluations / 14.0;
                }
            printf("%s, %s: worst error %.1e of the speed, energy drift %.1e, %.0f evaluations\n", name_of(spring),
                   level.name, worst, drift, evaluations);
            EXPECT_LT(worst, level.limit) << level.name << " " << name_of(spring);
            EXPECT_LT(drift, level.limit) << level.name << " " << name_of(spring);
        }
    }
}

// --- invariances -------------------------------------------------------------------------------------------------

// Two spinning balls meet in space; the whole is turned, or moves along.
SceneBuilder kinematics(Quat turn, Vec3 along, double friction) {
    SceneBuilder b = with_spring(1e9, 0.8, friction);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.tolerance = 1e-9;
    b.scene.graded_steps = 24;
    b.scene.end_s = 0.02;
    const Vec3 places[] = {{-0.05, 0, 0}, {0.0503, 0.02, 0.01}}, velocities[] = {{1, 0.2, 0}, {-0.5, 0, 0.3}};
    const Vec3 spins[] = {{3, 10, -5}, {-8, 2, 12}};
    for (int i = 0; i < 2; i++) {
        const Vec3 place = quat_rotate(turn, places[i]), velocity = vec3_add(quat_rotate(turn, velocities[i]), along);
        const Vec3 spin = quat_rotate(turn, spins[i]);
        SceneBody &ball = b.ball(0.1, {place.x, place.y, place.z});
        const double v[] = {velocity.x, velocity.y, velocity.z}, w[] = {spin.x, spin.y, spin.z};
        std::copy(v, v + 3, ball.velocity_m_per_s);
        std::copy(w, w + 3, ball.angular_velocity_rad_per_s);
    }
    return b;
}

// Within the errors of integration: its steps follow the components of velocities.
TEST(Spring, MovesAndTurnsWithTheScene) {
    const Quat turn = quat_normalize(quat_make(0.3, -0.5, 0.7, 0.2));
    const Vec3 start = {0.5, 0.2, 0.3};
    for (double friction : {0.1, 5.0}) // slips, holds
        for (Vec3 along : {Vec3{0, 0, 0}, Vec3{3, -2, 1}}) {
            SceneBuilder a = kinematics(quat_identity(), vec3_zero(), friction), b = kinematics(turn, along, friction);
            Ran here = run_scene(a), there = run_scene(b);
            ASSERT_EQ(here.events_of_kind(EVENT_END).size(), 1u);
            ASSERT_EQ(there.events_of_kind(EVENT_END).size(), 1u);
            Vec3 momentum = vec3_zero();
            const double tolerance = 1e-6;
            for (uint32_t k = 0; k < 2; k++) {
                const BodyState x = here.state(k), y = there.state(k);
                EXPECT_GT(vec3_length(vec3_sub(x.velocity_m_per_s, k == 0 ? Vec3{1, 0.2, 0} : Vec3{-0.5, 0, 0.3})),
                          0.5);
                const Vec3 v = vec3_add(quat_rotate(turn, x.velocity_m_per_s), along);
                EXPECT_LT(vec3_max_abs(vec3_sub(v, y.velocity_m_per_s)), tolerance);
                const Vec3 w = quat_rotate(turn, x.spin_rad_per_s); // of balls: in world axes
                EXPECT_LT(0.05 * vec3_max_abs(vec3_sub(w, y.spin_rad_per_s)), tolerance);
                momentum = vec3_add(momentum, x.velocity_m_per_s);
            }
            EXPECT_LT(vec3_max_abs(vec3_sub(momentum, start)), 1e-14);
        }
}

// Two bodies that turn as one about the normal of their contact: the stretches turn with them, also by much in one
// step.
TEST(Spring, TurnsWithItsBodies) {
    SceneBuilder b = with_spring(1e9, 0.8, 5, LAW_PARTIAL_SPRING);
    b.scene.gravity_m_per_s2[2] = 0;
    b.ball(0.1, {0, 0, 0});
    b.ball(0.1, {0, 0, 0.0999});
    for (SceneBody &ball : b.bodies) ball.angular_velocity_rad_per_s[2] = 7;
    KernelScene k(b);
    ContactSpring &spring = k.contacts[0].step.spring;
    for (Vec3 &start : spring.start) start = {1e-6, 0, 0};
    contact_evaluate(&k.view, &k.contacts[0]);
    EXPECT_EQ(vec3_length(spring.displacement_rate), 0);
    EXPECT_EQ(spring.rotation_rate, 7);
    for (double angle : {1e-3, 0.1}) {
        spring.rotation = angle;
        contact_evaluate(&k.view, &k.contacts[0]);
        for (const Vec3 &stretch : spring.stretch) {
            EXPECT_NEAR(stretch.x, 1e-6 * std::cos(angle), 1e-6 * std::pow(angle, 5) / 80 + 1e-21);
            EXPECT_NEAR(stretch.y, 1e-6 * std::sin(angle), 1e-6 * std::pow(angle, 5) / 80 + 1e-21);
            EXPECT_EQ(stretch.z, 0);
        }
    }
}

// Balls and capsules that fall into a corner: energy is accounted for, whether springs hold, slip or end with it.
// Without boxes, whose edges that cross have no potential.
TEST(Spring, EnergyIsAccountedFor) {
    double worst = 0;
    int count = 0;
    for (unsigned seed = 0; seed < 60; seed++) {
        SceneBuilder b = random_scene(seed);
        b.pairs.back().spring = seed % 4 == 3 ? LAW_TOTAL_SPRING : seed % 4 == 1 ? LAW_PARTIAL_SPRING : 0;
        bool has_box = false;
        for (size_t k = 2; k < b.shapes.size(); k++) has_box |= b.shapes[k].kind == SHAPE_BOX;
        if (has_box) continue;
        b.pairs.back().has_spring = 1;
        b.pairs.back().shear_stiffness = 1;
        Ran ran = run_scene(b);
        ASSERT_EQ(ran.progress().status, STATUS_OK) << seed;
        worst = std::max(worst, ran.progress().energy_drift);
        count++;
    }
    printf("largest energy drift of %d scenes: %.1e\n", count, worst);
    EXPECT_GE(count, 15);
    EXPECT_LT(worst, 1e-5);
}

} // namespace
