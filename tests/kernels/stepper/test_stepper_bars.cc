// Evaluations against errors, events and grazing: the bars (tests/README.md) that no other test asks for (those of
// stiff motions are in test_rodas.cc, of tumbling boxes in test_tumbling_box.cc, of event times in test_impact.cc).
#include "stepper/substep.h"

static unsigned trials; // steps tried

static inline u32 counted_substep_try(const SceneView *view, Progress *progress, real h, u32 any_touching) {
    trials++;
    return substep_try(view, progress, h, any_touching);
}
#define substep_try counted_substep_try
#include "kernel_scene.h"
#include "random_scenes.h"

#include <random>

namespace {

constexpr double G = 9.81;

// Workload W1: a steel ball of 33 kg, without friction, for 1 s; restitution 0.5 to 0.95, or as given.
SceneBuilder dropped(unsigned k, double restitution, double steps, double tolerance) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, restitution > 0 ? restitution : 0.5 + 0.45 * (k * 7919 % 1000) / 999);
    b.scene.graded_steps = steps;
    b.scene.tolerance = tolerance;
    b.scene.end_s = 1;
    b.ground();
    b.ball(0.2, {0, 0, 0.9 + 0.4 * (k * 104729 % 1000) / 999});
    return b;
}

struct Bounced {
    double evaluations, error; // mean for each bounce; median of the first impacts' restitution
};

Bounced bounced(double restitution, double steps, double tolerance) {
    std::vector<SceneBuilder> builders;
    for (unsigned k = 0; k < 64; k++) {
        builders.push_back(dropped(k, restitution, steps, tolerance));
        builders.push_back(dropped(k, restitution, 64, 1e-10));
    }
    std::vector<SceneDescription> scenes;
    for (SceneBuilder &b : builders) scenes.push_back(b.view());
    Ran ran = run_scenes(native_device(), scenes);
    Bounced mean{0, 0};
    double impacts = 0;
    std::vector<double> errors;
    for (uint32_t k = 0; k < scenes.size(); k += 2) {
        EXPECT_EQ(ran.progress(k).status, STATUS_OK);
        const std::vector<Event> ends = ran.events_of_kind(EVENT_END, k), exact = ran.events_of_kind(EVENT_END, k + 1);
        EXPECT_EQ(ends.size(), exact.size());
        impacts += double(ends.size());
        mean.evaluations += ran.progress(k).evaluations;
        errors.push_back(std::abs(ends[0].speed_m_per_s / exact[0].speed_m_per_s - 1));
    }
    mean.evaluations /= impacts;
    std::sort(errors.begin(), errors.end());
    mean.error = errors[errors.size() / 2];
    printf("e = %g (0: W1), n = %g, tolerance %g: %.1f evaluations per bounce, error %.1e, worst %.1e\n", restitution,
           steps, tolerance, mean.evaluations, mean.error, errors.back());
    return mean;
}

// The ball of the table of bounces (30-digit integrations): 1 g, e = 0.7, from 1 m; speeds at the ends of impacts.
const double OUT[] = {3.026109333617, 2.067369779268, 1.412372456288, 0.964886899140, 0.659169964054, 0.450306962913};

Bounced table(double steps, double tolerance, double *out_worst) {
    SceneBuilder b = dropped(0, 0.7, steps, tolerance);
    b.bodies[1].position_m[2] = 1.1;
    b.bodies[1].mass_kind = MASS_TOTAL;
    b.bodies[1].mass_kg = 1e-3;
    b.scene.end_s = 2.15;
    Ran ran = run_scene(b);
    const std::vector<Event> ends = ran.events_of_kind(EVENT_END);
    EXPECT_EQ(ran.progress().status, STATUS_OK);
    EXPECT_EQ(ends.size(), 6u);
    *out_worst = 0;
    for (size_t k = 0; k < ends.size() && k < 6; k++)
        *out_worst = std::max(*out_worst, std::abs(ends[k].speed_m_per_s - OUT[k]));
    const Bounced result{ran.progress().evaluations / 6.0, std::abs(ends[0].speed_m_per_s / OUT[0] - 1)};
    printf("n = %g, tolerance %g: %.1f evaluations per bounce, error %.1e; worst of six %.1e m/s\n", steps, tolerance,
           result.evaluations, result.error, *out_worst);
    return result;
}

// At `fast`, `default`, `accurate` and tighter. The worst speeds of six bounces, whose errors add up: 1e-5 m/s at the
// default, 1e-7 at `accurate`.
TEST(Bars, EvaluationsOfABounce) {
    double worst;
    const Bounced fast = table(4, 1e-4, &worst);
    EXPECT_LE(fast.evaluations, 70);
    EXPECT_LE(fast.error, 1e-4);
    const Bounced usual = table(8, 1e-6, &worst);
    EXPECT_LE(usual.evaluations, 115); // the bar is 130
    EXPECT_LE(usual.error, 1e-6);
    EXPECT_LE(worst, 1e-5);
    table(16, 1e-8, &worst);
    EXPECT_LE(worst, 1e-7);
    table(48, 1e-10, &worst);
    EXPECT_LE(worst, 1e-9);
}

// Over W1's own restitutions, the lower of which need error control; an independent program took 87 and 154.
TEST(Bars, EvaluationsOfW1) {
    const Bounced fast = bounced(0, 4, 1e-4), usual = bounced(0, 8, 1e-6);
    EXPECT_LE(fast.evaluations, 87);
    EXPECT_LE(fast.error, 1e-4);
    EXPECT_LE(usual.evaluations, 130);
    EXPECT_LE(usual.error, 1e-6);
}

// More steps are better ones: from n = 4 to 24 the error falls with the power 4.5 at least, until 1e-9.
TEST(Bars, GradedStepsConverge) {
    double worst, before = 0, first = 0;
    for (double n : {4., 6., 8., 10., 12., 16., 20., 24.}) {
        const double error = table(n, 1e-4, &worst).error;
        if (n == 4) {
            first = error;
        } else {
            EXPECT_LT(error, std::max(before, 1e-9)) << n;
            EXPECT_LT(error, std::max(first * std::pow(4 / n, 4.5), 1e-9)) << n;
        }
        before = error;
    }
}

// A ball that rests takes a step for each outer one, and none when it is frozen.
TEST(Bars, EvaluationsAtRest) {
    uint32_t evaluations[2][2];
    for (int end = 0; end < 2; end++) {
        for (int frozen = 0; frozen < 2; frozen++) {
            SceneBuilder b = dropped(0, 0, 8, 1e-6);
            const double k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(0.1);
            b.bodies[1].position_m[2] = 0.1 - std::pow(33.51 * G / k, 2.0 / 3);
            b.pairs[0].friction = 0.3;
            b.scene.end_s = end == 0 ? 0.1 : 1.1;
            b.scene.no_freeze = frozen == 0;
            Ran ran = run_scene(b);
            ASSERT_EQ(ran.progress().status, STATUS_OK);
            evaluations[frozen][end] = ran.progress().evaluations;
        }
    }
    printf("rest: %u evaluations in a second, frozen %u\n", evaluations[0][1] - evaluations[0][0],
           evaluations[1][1] - evaluations[1][0]);
    EXPECT_LE(evaluations[0][1] - evaluations[0][0], 6200u);
    EXPECT_EQ(evaluations[1][1], evaluations[1][0]);
}

// Boxes that turn as they fall onto a half-space with a corner: how many steps are tried for each event.
// Ten balls thrown into a heap between a wall's four sides and, where `moves`, one that bounces far away.
SceneBuilder heap(bool has_heap, bool moves, double end_s) {
    SceneBuilder b;
    b.material(1e9, 0.3, 2000);
    b.pair(0, 0, 0.2, 0.5, 5e-3);
    b.scene.end_s = end_s;
    b.ground();
    for (int k = 0; k < 4; k++) {
        b.body("side", true, {k < 2 ? (k == 0 ? 0.2 : -0.2) : 0, k < 2 ? 0 : k == 2 ? 0.2 : -0.2, 0.1});
        b.shape(SHAPE_BOX, {k < 2 ? 0.1 : 0.5, k < 2 ? 0.5 : 0.1, 0.2, 0});
    }
    for (int k = 0; has_heap && k < 10; k++)
        b.ball(0.08, {0.07 * (k % 3) - 0.07 + 1e-3 * k, 0.07 * (k / 3 % 3) - 0.07, 0.06 + 0.05 * k});
    if (moves) b.ball(0.08, {5, 0, 0.5});
    return b;
}

// A heap at rest costs nothing, alone and beside what moves: neither evaluations nor looks at its pairs.
TEST(Bars, AHeapAtRestCostsNothing) {
    struct Counts {
        uint32_t evaluations, forces, looks;
    };
    auto counts = [](bool has_heap, bool moves, double end_s) {
        SceneBuilder b = heap(has_heap, moves, end_s);
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        return Counts{uint32_t(ran.progress().evaluations), uint32_t(ran.progress().forces),
                      uint32_t(ran.progress().distance_queries)};
    };
    const double settled_s = 3, later_s = 4;
    const Counts before = counts(true, false, settled_s), after = counts(true, false, later_s);
    EXPECT_GT(before.evaluations, 1000u);
    EXPECT_EQ(after.evaluations, before.evaluations);
    EXPECT_EQ(after.forces, before.forces);
    EXPECT_EQ(after.looks, before.looks);
    const Counts alone = counts(false, true, settled_s), alone_later = counts(false, true, later_s);
    const Counts beside = counts(true, true, settled_s), beside_later = counts(true, true, later_s);
    EXPECT_EQ(beside_later.forces - beside.forces, alone_later.forces - alone.forces);
    EXPECT_EQ(beside_later.looks - beside.looks, alone_later.looks - alone.looks);
}

TEST(Bars, StepsTriedForAnEvent) {
    for (const double h : {1e-3, 1e-2}) {
        std::mt19937_64 engine(1);
        std::uniform_real_distribution<double> any(-1, 1);
        unsigned events = 0, again = 0;
        for (int n = 0; n < 200; n++) {
            SceneBuilder b;
            b.material();
            b.pair(0, 0, 0.5, 0.5);
            b.scene.step_s = h;
            b.scene.end_s = 0.3;
            b.ground();
            SceneBody &body = b.body("box", false, {0, 0, 0.4});
            body.rotation.kind = ROTATION_QUATERNION;
            for (double &q : body.rotation.value) q = any(engine);
            for (double &w : body.angular_velocity_rad_per_s) w = 8 * any(engine);
            b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
            KernelScene k(b);
            unsigned passes = 0;
            trials = 0;
            while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
                stepper_pass(&k.view, &k.progress);
                passes++;
            }
            EXPECT_EQ(k.progress.status, STATUS_OK);
            events += k.progress.event_count;
            again += trials - passes - k.progress.rejects;
        }
        printf("step %g s: %u events, %.2f steps again for each\n", h, events, double(again) / events);
        EXPECT_GT(events, 400u);
        EXPECT_LE(again, 2.5 * events);
    }
}

// Balls that graze each other in the midst of a step, by 1e-9 m and less: found, and a miss by as much is none.
TEST(Bars, GrazingWithinOneStep) {
    for (const double depth : {1e-9, 1e-11, 1e-12, -1e-12, -1e-11, -1e-9}) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.7);
        b.scene.gravity_m_per_s2[2] = 0;
        b.scene.end_s = 3e-3;
        // Past at 1 m/s, nearest after 1.37 ms: 1e-9 m deep for 28 us.
        b.ball(0.1, {-1.37e-3, 0, 0}).velocity_m_per_s[0] = 1;
        b.ball(0.1, {0, 0, 0.1 - depth});
        Ran ran = run_scene(b);
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        EXPECT_EQ(ran.events_of_kind(EVENT_BEGIN).size(), depth > 0 ? 1u : 0u) << depth;
        EXPECT_EQ(ran.events_of_kind(EVENT_END).size(), depth > 0 ? 1u : 0u) << depth;
    }
}

// Two balls that hit each other off their centres: what one gains the other loses.
TEST(Bars, MomentumOfAnObliqueImpact) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7, 0.3, 0.001);
    b.scene.gravity_m_per_s2[2] = 0;
    b.scene.end_s = 2e-2;
    SceneBody &one = b.ball(0.2, {0, 0, 0});
    one.velocity_m_per_s[0] = 2;
    one.angular_velocity_rad_per_s[1] = 3;
    b.ball(0.1, {0.15, 0.05, 0.04}).angular_velocity_rad_per_s[2] = -5;
    Ran ran = run_scene(b);
    ASSERT_EQ(ran.progress().status, STATUS_OK);
    ASSERT_EQ(ran.events_of_kind(EVENT_END).size(), 1u);
    Vec3 linear[2] = {}, angular[2] = {};
    double scale = 0;
    for (uint32_t body = 0; body < 2; body++) {
        const Body &given = ran.batch.bodies[body];
        const SceneBody &s = b.bodies[body];
        const BodyState now = ran.state(body);
        BodyState start = now;
        start.position_m = vec3_make(s.position_m[0], s.position_m[1], s.position_m[2]);
        start.velocity_m_per_s = vec3_make(s.velocity_m_per_s[0], s.velocity_m_per_s[1], s.velocity_m_per_s[2]);
        const Vec3 w = vec3_make(s.angular_velocity_rad_per_s[0], s.angular_velocity_rad_per_s[1],
                                 s.angular_velocity_rad_per_s[2]);
        for (int k = 0; k < 2; k++) {
            const BodyState &state = k == 0 ? start : now;
            const Vec3 p = vec3_scale(state.velocity_m_per_s, given.mass_kg);
            const Vec3 turning = k == 0 ? w : spin_to_world(given.flags, now.orientation, now.spin_rad_per_s);
            linear[k] = vec3_add(linear[k], p);
            angular[k] = vec3_add(angular[k], vec3_cross(state.position_m, p));
            angular[k] = vec3_add_scaled(angular[k], turning, given.inertia_kg_m2.x);
        }
        scale += given.inertia_kg_m2.x * vec3_length(w);
    }
    const double p_error = vec3_length(vec3_sub(linear[1], linear[0])) / vec3_length(linear[0]);
    const double l_error = vec3_length(vec3_sub(angular[1], angular[0])) / scale;
    printf("oblique impact: linear momentum %.1e, angular %.1e\n", p_error, l_error);
    EXPECT_LT(p_error, 1e-14);
    EXPECT_LT(l_error, 1e-9);
}

struct Audited {
    double drift;
    unsigned events, frozen;
};

// Of a scene whose forces act on bodies lighter by a share than those that the audit knows.
Audited audited(SceneBuilder b, double lighter) {
    KernelScene k(b);
    for (size_t body = 0; body < k.states.size(); body++) k.batch.bodies[body].inverse_mass *= 1 + lighter;
    while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
        k.progress.event_count = 0; // nobody reads them
        stepper_pass(&k.view, &k.progress);
    }
    EXPECT_EQ(k.progress.status, STATUS_OK);
    return {k.progress.momentum_drift, k.progress.event_total, (k.progress.flags & FLAG_FROZEN) != 0 ? 1u : 0u};
}

// Momentum of whole scenes, with impacts, frozen islands and woken ones: what weights and fixed bodies gave, to
// rounding. Where forces act on bodies as if these were lighter by a millionth, it is seen.
TEST(Bars, MomentumIsAuditedForEveryScene) {
    double worst = 0, noticed = 1;
    unsigned frozen = 0, judged = 0;
    for (unsigned seed = 0; seed < 40; seed++) {
        const SceneBuilder b = seed % 4 == 3 ? heap(true, true, 1) : random_scene(seed);
        const Audited right = audited(b, 0);
        worst = std::max(worst, right.drift);
        frozen += right.frozen;
        if (right.events == 0) continue;
        judged++;
        noticed = std::min(noticed, audited(b, 1e-6).drift);
    }
    printf("momentum: drift at most %.1e, %u scenes with frozen bodies; of lighter bodies %.1e at least, in %u\n",
           worst, frozen, noticed, judged);
    EXPECT_LE(worst, 1e-12);
    EXPECT_GT(frozen, 5u);
    EXPECT_GT(judged, 30u);
    EXPECT_GT(noticed, 1e-8);
}

} // namespace
