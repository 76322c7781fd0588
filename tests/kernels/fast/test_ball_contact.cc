// A ball's only contact is stepped by itself, in private memory, as it is together with others: the same bits. And what
// the attitude of balls is, of which nothing else depends. Corners on planes, which are met without the narrow phase.
#include "kernel_scene.h"

#include <random>

namespace {

const unsigned SCENES = 60; // with the fixed bodies first, and as many with them last

/// A floor, a wall, a fixed ball or cylinder and a fixed box.
void stand(SceneBuilder &b, unsigned seed) {
    b.ground();
    b.body("wall", true, {0.5, 0, 0});
    b.shape(SHAPE_HALF_SPACE, {-1, 0, 0.2, 0});
    b.body("post", true, {-0.3, 0, 0.05});
    b.shape(seed % 2 == 0 ? SHAPE_SPHERE : SHAPE_CYLINDER, {0.1, 0.1, 0, 0});
    b.body("step", true, {0.1, 0.3, 0});
    b.shape(SHAPE_BOX, {0.6, 0.3, 0.05, 0});
}

/// One to three balls over them, thrown and spinning. From `SCENES` seeds on, balls are A of all their contacts.
SceneBuilder thrown_balls(unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    SceneBuilder b;
    b.material(seed % 3 == 0 ? 1e8 : 2e11);
    b.pair(0, 0, 0.3 + 0.7 * unit(engine), seed % 5 == 0 ? 0 : 0.6 * unit(engine), seed % 4 == 0 ? 0.01 : 0);
    if (seed < SCENES) stand(b, seed);
    for (unsigned k = 0; k < 1 + seed % 3; k++) {
        SceneBody &ball =
            b.ball(0.04 + 0.02 * unit(engine), {-0.1 + 0.15 * k, 0.05 * unit(engine), 0.06 + 0.1 * unit(engine)});
        for (double &v : ball.velocity_m_per_s) v = 2 * unit(engine) - 1;
        for (double &w : ball.angular_velocity_rad_per_s) w = seed % 2 == 0 ? 20 * (2 * unit(engine) - 1) : 0;
    }
    if (seed >= SCENES) stand(b, seed);
    b.scene.end_s = 0.3;
    return b;
}

struct Stepped {
    unsigned passes = 0, corners = 0;
};

/// No contact is taken or evaluated by itself.
void take_together(KernelScene &k) {
    for (uint32_t c = 0; c < k.progress.contact_count; c++)
        k.contacts[c].plan.fast_method = k.contacts[c].corner.whose = k.contacts[c].corner.order = 0;
    for (BodyWork &work : k.works) work.island.fast_method = 0;
    island_lay_out_matrices(&k.view, &k.progress); // for those that would want none as well
}

/// Rates are known, and no island has a matrix: what stepper_pass would do, but that all steps are explicit.
void leave_explicit(KernelScene &k) {
    if (stepper_any_touching(&k.view) && !(k.progress.known & KNOWN_RATES)) {
        island_lay_out(&k.view, &k.progress);
        substep_start(&k.view, &k.progress);
        k.progress.known |= KNOWN_RATES;
    }
    for (BodyWork &work : k.works) work.island.members = 0;
}

/// To the end; with `together` no contact is ever taken or evaluated by itself.
Stepped step_to_end(KernelScene &k, bool together, bool is_explicit = false) {
    Stepped stepped;
    while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
        for (uint32_t c = 0; c < k.progress.contact_count; c++)
            stepped.corners += k.contacts[c].corner.order != FAST_CORNER_NOT;
        if (is_explicit) leave_explicit(k);
        if (together) take_together(k);
        k.progress.event_count = 0; // nobody reads them
        stepper_pass(&k.view, &k.progress);
        stepped.passes++;
    }
    EXPECT_EQ(k.progress.status, STATUS_OK);
    return stepped;
}

void expect_same(const KernelScene &x, const KernelScene &y, unsigned seed) {
    EXPECT_EQ(0, std::memcmp(x.states.data(), y.states.data(), x.states.size() * sizeof(BodyState))) << seed;
    EXPECT_EQ(x.progress.substeps, y.progress.substeps) << seed;
    EXPECT_EQ(x.progress.rejects, y.progress.rejects) << seed;
    EXPECT_EQ(x.progress.event_total, y.progress.event_total) << seed;
    EXPECT_EQ(x.progress.dissipated_J, y.progress.dissipated_J) << seed;
    EXPECT_EQ(x.progress.error_sum_m_per_s, y.progress.error_sum_m_per_s) << seed;
    EXPECT_EQ(x.progress.max_penetration_m, y.progress.max_penetration_m) << seed;
    EXPECT_EQ(x.progress.energy_drift, y.progress.energy_drift) << seed;
    ASSERT_EQ(x.progress.contact_count, y.progress.contact_count) << seed;
    for (uint32_t c = 0; c < x.progress.contact_count; c++) {
        EXPECT_EQ(x.contacts[c].now.force_N.z, y.contacts[c].now.force_N.z) << seed;
        EXPECT_EQ(x.contacts[c].total.impulse_N_s.z, y.contacts[c].total.impulse_N_s.z) << seed;
        EXPECT_EQ(x.contacts[c].total.loss_J, y.contacts[c].total.loss_J) << seed;
    }
}

/// Explicit steps.
TEST(BallContact, SameBitsAsTogether) {
    unsigned alone = 0, together = 0, substeps = 0;
    for (unsigned seed = 0; seed < 2 * SCENES; seed++) {
        SceneBuilder b = thrown_balls(seed);
        b.scene.end_s = 0.15; // those that stick take many
        KernelScene x(b), y(b);
        alone += step_to_end(x, false, true).passes;
        together += step_to_end(y, true, true).passes;
        expect_same(x, y, seed);
        substeps += x.progress.substeps;
    }
    std::printf("%u substeps in %u passes, %u together\n", substeps, alone, together);
    EXPECT_LT(alone, together - 2 * SCENES * 10) << "hardly a step was taken by itself";
}

/// One pass after another, each of one step.
void step_one_by_one(KernelScene &k, unsigned &passes, unsigned &implicit) {
    while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
        k.progress.event_count = 0;
        stepper_substep(&k.view, &k.progress, stepper_start(&k.view, &k.progress));
        passes++;
        for (const BodyWork &work : k.works) implicit += work.control.implicit && work.island.fast_method == FAST_BALL;
    }
    EXPECT_EQ(k.progress.status, STATUS_OK);
}

/// Steps of either method in a row are those that are taken one by one.
TEST(BallContact, SameBitsInRows) {
    unsigned in_rows = 0, one_by_one = 0, implicit = 0;
    for (unsigned seed = 0; seed < 2 * SCENES; seed++) {
        SceneBuilder b = thrown_balls(seed);
        KernelScene x(b), y(b);
        in_rows += step_to_end(x, false).passes;
        step_one_by_one(y, one_by_one, implicit);
        expect_same(x, y, seed);
    }
    std::printf("%u passes in rows, %u one by one, %u of them implicit\n", in_rows, one_by_one, implicit);
    EXPECT_LT(in_rows, one_by_one / 2) << "hardly a step was taken in a row";
    EXPECT_GT(implicit, 1000u);
}

double difference(Vec3 a, Vec3 b) { return vec3_length(vec3_sub(a, b)); }

// What a trial step makes of a body and its contacts.
struct Tried {
    BodyState state;
    Vec3 velocity_error, spin_error;
    std::vector<Vec3> impulses_N_s;
    std::vector<double> losses_J;
};

/// An implicit step of h of the island of a body, from where the scene stands, which stays as it is.
Tried try_implicitly(KernelScene &k, uint32_t body, double h, bool together) {
    const std::vector<BodyWork> works = k.works;
    const std::vector<Contact> contacts = k.contacts;
    const std::vector<double> matrices = k.matrices;
    if (together) take_together(k);
    for (BodyWork &work : k.works)
        work.control.implicit = work.mode == MODE_TOUCHING && work.island.label == k.works[body].island.label;
    for (uint32_t c = 0; c < k.progress.contact_count; c++) contact_derive(&k.view, &k.contacts[c]);
    substep_try(&k.view, &k.progress, h, 1);
    Tried tried{k.works[body].step.trial,
                k.works[body].step.rates[1].acceleration,
                k.works[body].step.rates[1].spin_rate,
                {},
                {}};
    for (uint32_t c = 0; c < k.progress.contact_count; c++) {
        if (!rodas_is_implicit(&k.view, &k.contacts[c])) continue;
        tried.impulses_N_s.push_back(k.contacts[c].trial.impulse_N_s);
        tried.losses_J.push_back(k.contacts[c].trial.loss_J);
    }
    k.works = works;
    k.contacts = contacts;
    k.matrices = matrices;
    return tried;
}

// How far steps of a body taken in two ways are from each other.
struct Apart {
    double states = 0, errors = 0, impulses = 0;
    unsigned tried = 0, several = 0;

    void compare(KernelScene &k, uint32_t body, double h) {
        const Tried x = try_implicitly(k, body, h, false), y = try_implicitly(k, body, h, true);
        const double speed = 0.01 + vec3_length(k.states[body].velocity_m_per_s);
        const double radius = k.batch.bodies[body].radius_m, mass = k.batch.bodies[body].mass_kg;
        states = std::max(states, difference(x.state.velocity_m_per_s, y.state.velocity_m_per_s) / speed);
        states = std::max(states, radius * difference(x.state.spin_rad_per_s, y.state.spin_rad_per_s) / speed);
        states = std::max(states, difference(x.state.position_m, y.state.position_m) / (h * speed));
        errors = std::max(errors, difference(x.velocity_error, y.velocity_error) / speed);
        errors = std::max(errors, radius * difference(x.spin_error, y.spin_error) / speed);
        for (size_t c = 0; c < x.losses_J.size(); c++) {
            impulses = std::max(impulses, difference(x.impulses_N_s[c], y.impulses_N_s[c]) / (mass * speed));
            impulses = std::max(impulses, std::abs(x.losses_J[c] - y.losses_J[c]) / (mass * speed * speed));
        }
        tried++;
        several += x.losses_J.size() > 1;
    }
    void print(const char *of) const {
        std::printf("%u steps, %u of several %s: states differ by %.1e of the speed, errors %.1e, impulses %.1e\n",
                    tried, several, of, states, errors, impulses);
    }
};

/// Implicit steps of a ball's only contact, for whose force three equations are solved, are those of any contacts to
/// rounding.
TEST(BallContact, ImplicitStepsAsOfAnyContact) {
    Apart apart;
    for (unsigned seed = 0; seed < 2 * SCENES; seed++) {
        SceneBuilder b = thrown_balls(seed);
        KernelScene k(b);
        unsigned passes = 0;
        while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
            k.progress.event_count = 0;
            if (passes++ % 2 == 0 && stepper_start(&k.view, &k.progress)) {
                for (uint32_t body = 0; body < k.works.size(); body++) {
                    if (k.works[body].mode == MODE_TOUCHING && k.works[body].island.fast_method == FAST_BALL)
                        apart.compare(k, body, seed % 2 == 0 ? 2e-6 : 3e-5);
                }
            }
            stepper_substep(&k.view, &k.progress, stepper_start(&k.view, &k.progress));
        }
        EXPECT_EQ(k.progress.status, STATUS_OK);
    }
    apart.print("contacts");
    EXPECT_GT(apart.tried, 1000u);
    EXPECT_EQ(apart.several, 0u);
    EXPECT_LT(apart.states, 1e-9);
    EXPECT_LT(apart.errors, 1e-9);
    EXPECT_LT(apart.impulses, 1e-9);
}

/// Two to five balls one on another, falling on a floor beside a wall, so that islands have several contacts. From
/// `SCENES` seeds on, balls are A of all their contacts.
SceneBuilder falling_heap(unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    SceneBuilder b;
    b.material(seed % 3 == 0 ? 1e8 : 2e11);
    b.pair(0, 0, 0.2 + 0.6 * unit(engine), seed % 5 == 0 ? 0 : 0.5 * unit(engine));
    auto stand = [&b] {
        b.ground();
        b.body("wall", true, {0.06, 0, 0});
        b.shape(SHAPE_HALF_SPACE, {-1, 0, 0, 0});
    };
    if (seed < SCENES) stand();
    for (unsigned k = 0; k < 2 + seed % 4; k++) {
        SceneBody &ball =
            b.ball(0.1, {0.008 * unit(engine), 0.01 * unit(engine), 0.0501 + 0.1003 * k}, 0, 0.5 + unit(engine));
        for (double &v : ball.velocity_m_per_s) v = 0.2 * (2 * unit(engine) - 1);
        for (double &w : ball.angular_velocity_rad_per_s) w = 10 * (2 * unit(engine) - 1);
    }
    if (seed >= SCENES) stand();
    b.scene.end_s = 0.03;
    return b;
}

/// Explicit steps of islands of a few balls.
TEST(Balls, SameBitsAsAnyContacts) {
    unsigned several = 0;
    for (unsigned seed = 0; seed < 2 * SCENES; seed++) {
        SceneBuilder b = falling_heap(seed);
        KernelScene x(b), y(b);
        while (x.progress.status == STATUS_RUNNING && !stepper_is_over(&x.view, &x.progress)) {
            leave_explicit(x);
            x.progress.event_count = 0;
            for (uint32_t c = 0; c < x.progress.contact_count; c++)
                several += x.contacts[c].plan.fast_method == FAST_ISLAND_FIRST;
            stepper_pass(&x.view, &x.progress);
        }
        step_to_end(y, true, true);
        expect_same(x, y, seed);
    }
    EXPECT_GT(several, 2000u);
}

/// Implicit ones.
TEST(Balls, ImplicitStepsAsOfAnyContacts) {
    Apart apart;
    for (unsigned seed = 0; seed < 2 * SCENES; seed += 5) {
        SceneBuilder b = falling_heap(seed + seed / 5 % 5);
        KernelScene k(b);
        while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
            k.progress.event_count = 0;
            if (stepper_start(&k.view, &k.progress)) {
                for (uint32_t body = 0; body < k.works.size(); body++) {
                    if (k.works[body].mode == MODE_TOUCHING && k.works[body].island.fast_method >= FAST_ISLAND_FIRST)
                        apart.compare(k, body, seed % 2 == 0 ? 2e-6 : 3e-5);
                }
            }
            stepper_substep(&k.view, &k.progress, stepper_start(&k.view, &k.progress));
        }
        EXPECT_EQ(k.progress.status, STATUS_OK);
    }
    apart.print("contacts");
    EXPECT_GT(apart.several, 2000u);
    EXPECT_LT(apart.states, 1e-8);
    EXPECT_LT(apart.errors, 1e-8);
    EXPECT_LT(apart.impulses, 1e-8);
}

/// How a ball is turned at the start moves nothing, and turns its attitude by as much all the time.
TEST(Balls, AttitudeIsAnybodys) {
    const Quat turn = quat_exp(vec3_make(0.3, -1.1, 0.7));
    for (unsigned seed = 0; seed < 12; seed++) {
        SceneBuilder b = thrown_balls(seed), c = thrown_balls(seed);
        for (SceneBody &body : c.bodies) {
            if (body.is_fixed) continue;
            body.rotation.kind = ROTATION_QUATERNION;
            const double q[] = {turn.w, turn.x, turn.y, turn.z};
            std::memcpy(body.rotation.value, q, sizeof q);
        }
        KernelScene x(b), y(c);
        step_to_end(x, false);
        step_to_end(y, false);
        for (size_t k = 0; k < x.states.size(); k++) {
            EXPECT_EQ(0, std::memcmp(&x.states[k].position_m, &y.states[k].position_m, sizeof(Vec3))) << seed;
            EXPECT_EQ(0, std::memcmp(&x.states[k].spin_rad_per_s, &y.states[k].spin_rad_per_s, sizeof(Vec3))) << seed;
            if (!(x.batch.bodies[k].flags & BODY_BALL)) continue;
            const Quat turned = quat_multiply(x.states[k].orientation, turn), q = y.states[k].orientation;
            EXPECT_NEAR(std::abs(turned.w * q.w + turned.x * q.x + turned.y * q.y + turned.z * q.z), 1, 1e-13) << seed;
        }
    }
}

/// The attitude of balls that slide, roll and bounce, against that with steps an eighth as long.
TEST(Balls, AttitudeOfFourthOrder) {
    double worst = 0, turned = 0;
    for (unsigned seed = 0; seed < 24; seed++) {
        SceneBuilder b = thrown_balls(seed), c = thrown_balls(seed);
        b.scene.end_s = c.scene.end_s = 0.1;
        c.scene.tolerance = 1e-9;
        c.scene.graded_steps = 24;
        KernelScene x(b), y(c);
        step_to_end(x, false);
        step_to_end(y, false);
        if (x.progress.event_total != y.progress.event_total) continue;
        for (size_t k = 0; k < x.states.size(); k++) {
            const Quat p = x.states[k].orientation, q = y.states[k].orientation;
            const Quat off = quat_multiply(quat_conjugate(p), q);
            worst = std::max(worst, 2 * vec3_length(vec3_make(off.x, off.y, off.z)));
            turned = std::max(turned, 2 * vec3_length(vec3_make(p.x, p.y, p.z)));
        }
    }
    std::printf("attitudes differ by at most %.1e rad\n", worst);
    EXPECT_LT(worst, 2e-6);
    EXPECT_GT(turned, 1.0);
}

/// A ball of one spin in flight turns about it: the closed form.
TEST(Balls, FlightTurnsAboutTheSpin) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 1);
    SceneBody &ball = b.ball(0.1, {0, 0, 0});
    const double spin[] = {3, -7, 2};
    std::memcpy(ball.angular_velocity_rad_per_s, spin, sizeof spin);
    b.scene.end_s = 0.7;
    KernelScene k(b);
    step_to_end(k, false);
    const Quat q = k.states[0].orientation, turned = quat_exp(vec3_scale(vec3_make(3, -7, 2), 0.7));
    EXPECT_NEAR(std::abs(turned.w * q.w + turned.x * q.x + turned.y * q.y + turned.z * q.z), 1, 1e-13);
    EXPECT_EQ(k.states[0].spin_rad_per_s.y, -7);
}

/// A round body whose moments of inertia differ is no ball.
TEST(Balls, NeedOneMomentOfInertia) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 1);
    b.ball(0.1, {0, 0, 0});
    SceneBody &other = b.ball(0.1, {1, 0, 0});
    other.mass_kind = MASS_GIVEN;
    other.mass_kg = 1;
    const double inertia[] = {1e-3, 1e-3, 1.5e-3};
    for (size_t i = 0; i < 3; i++) other.inertia_kg_m2[i] = inertia[i];
    KernelScene k(b);
    EXPECT_EQ(k.batch.bodies[0].flags, BODY_ROUND | BODY_BALL);
    EXPECT_EQ(k.batch.bodies[1].flags, BODY_ROUND);
}

// --- corners on planes ----------------------------------------------------------------------------------------

// A corner of a box, the end of a capsule or a vertex of a hull against a plane is met without the narrow phase, and is
// where that says, whichever of the two comes first and however the shape sits on its body; also in attitudes of any
// length, as stages have them.
TEST(Corners, AreWhereTheNarrowPhaseSays) {
    std::mt19937_64 engine(23);
    std::normal_distribution<double> normal;
    const SceneHull *wedge = shared_hull({{0, 0, 0}, {0.1, 0, 0}, {0, 0.2, 0}, {0, 0, 0.15}, {0.1, 0.2, 0.1}}, 0.002);
    for (unsigned k = 0; k < 300; k++) {
        SceneBuilder b;
        b.material();
        b.pair(0, 0, 0.5, 0.3);
        if (k % 2 == 0) b.ground();
        SceneBody &solid = b.body("solid", false, {normal(engine), normal(engine), normal(engine)});
        for (double &v : solid.velocity_m_per_s) v = normal(engine);
        for (double &w : solid.angular_velocity_rad_per_s) w = normal(engine);
        if (k % 3 == 0) b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0}).smoothing_m = 0.001;
        if (k % 3 == 1) b.shape(SHAPE_CAPSULE, {0.1, 0.3, 0, 0});
        if (k % 3 == 2) b.hull(wedge);
        SceneShape &first = b.shapes.back();
        if (k % 4 < 2) { // beside its body's axes, and with another shape beside it
            first.rotation.kind = ROTATION_QUATERNION;
            for (double &q : first.rotation.value) q = normal(engine);
            for (double &x : first.position_m) x = 0.1 * normal(engine);
            b.shape(SHAPE_SPHERE, {0.05, 0, 0, 0}).position_m[0] = 0.4;
        }
        if (k % 2 == 1) b.ground();
        KernelScene at(b);
        const uint32_t plane = at.batch.shapes[0].kind == SHAPE_HALF_SPACE ? 0 : uint32_t(at.batch.shape_count) - 1,
                       own = plane == 0 ? 1 : 0;
        const uint32_t body = at.batch.shapes[own].body;
        BodyState &state = at.works[body].step.trial;
        const double length = 1 + 0.01 * normal(engine);
        state.orientation = quat_normalize(quat_make(normal(engine), normal(engine), normal(engine), normal(engine)));
        const BodyState unit = state;
        state.orientation = quat_make(length * unit.orientation.w, length * unit.orientation.x,
                                      length * unit.orientation.y, length * unit.orientation.z);
        const uint32_t a = std::min(own, plane), c = std::max(own, plane),
                       features = narrow_feature_count(&at.batch.shapes[a], &at.batch.shapes[c], 0);
        ASSERT_GT(features, 1u);
        for (uint32_t f = 0; f < features; f++) {
            const PairKinematics met = kinematics_of_trial(&at.view, a, c, f);
            Vec3 aside;
            const PlacedPair placed = pair_place_both(&at.view, a, c, &at.works[at.batch.shapes[a].body].step.trial,
                                                      &at.works[at.batch.shapes[c].body].step.trial);
            const PairKinematics want = kinematics_of_placed(&at.view, a, c, f, placed, nullptr, &aside);
            const double size = 2e-15 * (1 + vec3_length(state.position_m));
            ASSERT_EQ(met.status, want.status);
            ASSERT_NEAR(met.gap_m, want.gap_m, size) << k << " " << f;
            ASSERT_EQ(difference(met.normal, want.normal), 0);
            ASSERT_LT(difference(met.lever_a_m, want.lever_a_m), size) << k << " " << f;
            ASSERT_LT(difference(met.lever_b_m, want.lever_b_m), size);
            ASSERT_LT(difference(met.point_a_m, want.point_a_m), size);
            ASSERT_LT(difference(met.point_b_m, want.point_b_m), size);
            ASSERT_GE(met.error_m, std::abs(met.gap_m - want.gap_m));
        }
    }
}

/// A box or a capsule thrown on a floor beside a wall, one of which is A of its pairs and the other B.
SceneBuilder thrown_corners(unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    SceneBuilder b;
    b.material(seed % 3 == 0 ? 1e8 : 2e11);
    b.pair(0, 0, 0.5, seed % 5 == 0 ? 0 : 0.4, seed % 4 == 0 ? 0.01 : 0);
    b.ground();
    SceneBody &body = b.body("box", false, {0, 0.02 * any(engine), 0.15});
    body.rotation.kind = ROTATION_QUATERNION;
    for (double &q : body.rotation.value) q = any(engine);
    for (double &v : body.velocity_m_per_s) v = any(engine);
    for (double &w : body.angular_velocity_rad_per_s) w = 8 * any(engine);
    if (seed % 3 == 1)
        b.shape(SHAPE_CAPSULE, {0.05, 0.1, 0, 0});
    else
        b.shape(SHAPE_BOX, {0.2, 0.15, 0.1, 0});
    b.body("wall", true, {0.3, 0, 0});
    b.shape(SHAPE_HALF_SPACE, {-1, 0, 0.2, 0});
    b.scene.end_s = 0.5;
    return b;
}

/// Corners on planes that stand are evaluated as other contacts are, and explicit steps of bodies that have no other
/// contacts are taken as those of others: the same bits.
TEST(Corners, SameBitsAsAnyContact) {
    unsigned corners = 0;
    for (unsigned seed = 0; seed < 30; seed++) {
        SceneBuilder b = thrown_corners(seed);
        b.scene.end_s = 0.25; // lying still takes many explicit steps
        KernelScene x(b), y(b);
        corners += step_to_end(x, false, true).corners;
        step_to_end(y, true, true);
        ASSERT_EQ(0, std::memcmp(x.states.data(), y.states.data(), x.states.size() * sizeof(BodyState))) << seed;
        EXPECT_EQ(x.progress.substeps, y.progress.substeps) << seed;
        EXPECT_EQ(x.progress.rejects, y.progress.rejects) << seed;
        EXPECT_EQ(x.progress.dissipated_J, y.progress.dissipated_J) << seed;
        EXPECT_EQ(x.progress.error_sum_m_per_s, y.progress.error_sum_m_per_s) << seed;
        EXPECT_EQ(x.progress.event_total, y.progress.event_total) << seed;
    }
    EXPECT_GT(corners, 1000u) << "hardly a corner was met";
}

/// Implicit steps of such bodies, whose derivatives are a closed form, are those of any others to rounding.
TEST(Corners, ImplicitStepsAsOfAnyContact) {
    Apart apart;
    for (unsigned seed = 0; seed < 30; seed++) {
        SceneBuilder b = thrown_corners(seed);
        KernelScene k(b);
        const uint32_t body = 1;
        while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
            const bool is_touching = stepper_any_touching(&k.view) != 0 && k.works[body].contacts.count <= CORNERS_MAX;
            k.progress.event_count = 0;
            if (is_touching && k.progress.known & KNOWN_RATES && k.works[body].island.members > 0) {
                ASSERT_EQ(k.works[body].island.fast_method, FAST_CORNERS);
                apart.compare(k, body, seed % 2 == 0 ? 2e-6 : 3e-5);
            }
            stepper_pass(&k.view, &k.progress);
        }
        EXPECT_EQ(k.progress.status, STATUS_OK);
    }
    apart.print("corners");
    EXPECT_GT(apart.tried, 1000u);
    EXPECT_GT(apart.several, 200u);
    EXPECT_LT(apart.states, 1e-7);
    EXPECT_LT(apart.errors, 1e-7);
    EXPECT_LT(apart.impulses, 1e-7);
}

} // namespace
