// Quantities of interest from made-up outcomes, and the way from principal frames to user frames.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "quantity.h"
#include "base/vec3.h"

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double rounding = 4e-15; // some roundings of numbers of size 1 to 5

Quat about_axis(Vec3 axis, double angle_rad) {
    const Vec3 unit = vec3_normalize(axis);
    const double s = std::sin(angle_rad / 2);
    return quat_make(std::cos(angle_rad / 2), unit.x * s, unit.y * s, unit.z * s);
}

void expect_near(const double *found, Vec3 expected, const char *what) {
    EXPECT_NEAR(found[0], expected.x, rounding) << what;
    EXPECT_NEAR(found[1], expected.y, rounding) << what;
    EXPECT_NEAR(found[2], expected.z, rounding) << what;
}

// --- frames ---------------------------------------------------------------------------------------

TEST(QuantityUserState, IdentityFramesChangeNothing) {
    Body body = {};
    body.frame = quat_identity();
    BodyState state = {};
    state.position_m = {1, 2, 3};
    state.orientation = quat_identity();
    state.velocity_m_per_s = {4, 5, 6};
    state.spin_rad_per_s = {7, 8, 9};
    const UserState user = stage_user_state(&body, &state);
    expect_near(user.position_m, state.position_m, "position");
    expect_near(user.velocity_m_per_s, state.velocity_m_per_s, "velocity");
    expect_near(user.angular_velocity_rad_per_s, state.spin_rad_per_s, "angular velocity");
    EXPECT_EQ(user.orientation[0], 1);
}

// By hand: the principal frame is turned a quarter about z in the world, so its x is the world's y. The
// user's origin lies 2 m along the principal x, thus at y = 2; it turns about z with 3 rad/s.
TEST(QuantityUserState, QuarterTurnByHand) {
    Body body = {};
    body.origin_m = {2, 0, 0};
    body.frame = about_axis({0, 0, 1}, -pi / 2); // takes back what the state turns
    BodyState state = {};
    state.position_m = {10, 0, 0};
    state.orientation = about_axis({0, 0, 1}, pi / 2);
    state.velocity_m_per_s = {0, 0, 1};
    state.spin_rad_per_s = {0, 0, 3};
    const UserState user = stage_user_state(&body, &state);
    expect_near(user.position_m, {10, 2, 0}, "position");
    expect_near(user.velocity_m_per_s, {-6, 0, 1}, "velocity"); // w x r = 3 z x 2 y = -6 x
    expect_near(user.angular_velocity_rad_per_s, {0, 0, 3}, "angular velocity");
    EXPECT_NEAR(std::abs(user.orientation[0]), 1, rounding);
}

// The other way round: a point of the body has one place in the world, whichever frame it is given in.
TEST(QuantityUserState, PointsOfTheBodyHaveOnePlace) {
    Body body = {};
    body.frame = about_axis({1, -2, 0.5}, 0.7); // user's frame to principal frame
    body.origin_m = {0.3, -0.2, 0.9};
    BodyState state = {};
    state.position_m = {1.5, -2.5, 0.25};
    state.orientation = about_axis({0.2, 1, -0.4}, 2.1);
    state.velocity_m_per_s = {0.5, 0.25, -1};
    state.spin_rad_per_s = {1.5, -0.5, 2};
    const UserState user = stage_user_state(&body, &state);
    const Quat to_world = quat_make(user.orientation[0], user.orientation[1], user.orientation[2], user.orientation[3]);
    const Vec3 point_user = {0.4, 0.6, -0.8};
    const Vec3 point_principal = vec3_add(body.origin_m, quat_rotate(body.frame, point_user));
    const Vec3 in_world = vec3_add(state.position_m, quat_rotate(state.orientation, point_principal));
    const Vec3 arm = quat_rotate(to_world, point_user);
    const Vec3 origin = {user.position_m[0], user.position_m[1], user.position_m[2]};
    const Vec3 again = vec3_add(origin, arm);
    expect_near(&again.x, in_world, "position");

    // Its velocity as well, and as the difference of two positions a short time apart.
    const Vec3 velocity = {user.velocity_m_per_s[0], user.velocity_m_per_s[1], user.velocity_m_per_s[2]};
    const Vec3 spin = {user.angular_velocity_rad_per_s[0], user.angular_velocity_rad_per_s[1],
                       user.angular_velocity_rad_per_s[2]};
    const Vec3 point_velocity = vec3_add(velocity, vec3_cross(spin, arm));
    const double dt_s = 1e-5;
    Vec3 side[2];
    for (int i = 0; i < 2; i++) {
        const double t = i == 0 ? -dt_s : dt_s;
        const Quat turned = quat_multiply(state.orientation, quat_exp(vec3_scale(state.spin_rad_per_s, t)));
        side[i] = vec3_add(vec3_add_scaled(state.position_m, state.velocity_m_per_s, t),
                           quat_rotate(turned, point_principal));
    }
    const Vec3 difference = vec3_scale(vec3_sub(side[1], side[0]), 1 / (2 * dt_s));
    EXPECT_LT(vec3_length(vec3_sub(difference, point_velocity)),
              1e-9); // dt^2 |w|^3 r / 6 + rounding / dt
}

// --- quantities -----------------------------------------------------------------------------------

Quantity make_quantity(QuantityKind kind) {
    Quantity quantity = {};
    quantity.kind = kind;
    quantity.body = quantity.body_other = NONE;
    return quantity;
}

// Two scenes of two bodies (0: ground, 1: ball) and one of three, with two watches.
class QuantityTest : public testing::Test {
  protected:
    void SetUp() override {
        for (uint32_t s = 0; s < 3; s++) {
            Scene scene = {};
            scene.body_first = (u32)bodies.size();
            scene.body_count = s == 2 ? 3 : 2;
            scenes.push_back(scene);
            progress.push_back({});
            for (uint32_t b = 0; b < scene.body_count; b++) {
                Body body = {};
                body.frame = quat_identity();
                body.origin_m = {0, 0, 0.5};
                bodies.push_back(body);
                BodyState state = {};
                state.orientation = quat_identity();
                state.position_m = {s * 10.0 + b, 0.25, 4};
                state.velocity_m_per_s = {1, 2, 3 + s * 1.0};
                state.spin_rad_per_s = {0.5, 0, b * 1.0};
                states.push_back(state);
            }
            extremes.push_back({100.0 + s, 0.5, 1, 1});
            extremes.push_back({999.0, 0.5, s == 1 ? 1u : 0u, 0});
        }
        // Scene 0: the ball bounces twice and comes to rest twice; scene 1: nothing; scene 2: a wake last.
        add(0, 0.25, EVENT_BEGIN, 0, 1, 5.0);
        add(0, 0.375, EVENT_END, 0, 1, 4.0);
        add(0, 0.5, EVENT_BEGIN, 0, 1, 3.0);
        add(0, 0.625, EVENT_END, 0, 1, 2.0);
        add(0, 0.75, EVENT_REST, 1, 1, 0);
        add(0, 0.875, EVENT_WAKE, 1, 1, 0);
        add(0, 1.0, EVENT_REST, 1, 1, 0);
        add(2, 0.125, EVENT_BEGIN, 1, 2, 7.0);
        add(2, 0.25, EVENT_BEGIN, 0, 1, 8.0);
        add(2, 0.5, EVENT_REST, 1, 1, 0);
        add(2, 0.5, EVENT_REST, 2, 2, 0);
        add(2, 0.75, EVENT_WAKE, 1, 1, 0);
    }

    void add(uint32_t scene, double time_s, u32 kind, u32 a, u32 b, double speed_m_per_s) {
        Event event = {};
        event.time_s = time_s;
        event.kind = kind;
        event.body_a = a;
        event.body_b = b;
        event.speed_m_per_s = speed_m_per_s;
        events.push_back(event);
        event_scene.push_back(scene);
    }

    // The quantity in all three scenes.
    std::vector<double> evaluate(const Quantity &quantity) {
        Quantity row[2] = {make_quantity(QUANTITY_COUNT), quantity}; // two, so that a wrong stride shows
        Study study = {};
        study.quantity_count = 2;
        study.quantities = row;
        study.watch_count = 2;
        Batch batch = {};
        batch.scene_count = 3;
        batch.scenes = scenes.data();
        batch.bodies = bodies.data();
        BatchResult result = {};
        result.scene_count = 3;
        result.progress = progress.data();
        result.states = states.data();
        result.extremes = extremes.data();
        result.event_count = events.size();
        result.events = events.data();
        result.event_scene = event_scene.data();
        std::vector<double> values(6, -1);
        quantity_evaluate(&study, &batch, &result, nullptr, values.data(), nullptr);
        return {values[1], values[3], values[5]};
    }

    Quantity event_quantity(QuantityKind kind, u32 event_kind, u32 body, u32 other, int32_t n) {
        Quantity quantity = make_quantity(kind);
        quantity.event_kind = event_kind;
        quantity.body = body;
        quantity.body_other = other;
        quantity.n = n;
        return quantity;
    }

    std::vector<Scene> scenes;
    std::vector<Body> bodies;
    std::vector<Progress> progress;
    std::vector<BodyState> states;
    std::vector<Extreme> extremes;
    std::vector<Event> events;
    std::vector<uint32_t> event_scene;
};

const double none = NAN;

void expect_values(const std::vector<double> &found, const std::vector<double> &expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); i++) {
        if (std::isnan(expected[i]))
            EXPECT_TRUE(std::isnan(found[i])) << "scene " << i << ": " << found[i];
        else
            EXPECT_EQ(found[i], expected[i]) << "scene " << i;
    }
}

TEST_F(QuantityTest, FinalObservables) {
    Quantity quantity = make_quantity(QUANTITY_FINAL);
    quantity.body = 1;
    const struct {
        u32 observable;
        std::vector<double> expected;
    } cases[] = {
        {WATCH_POSITION + 0, {1, 11, 21}},
        {WATCH_POSITION + 2, {4.5, 4.5, 4.5}}, // the origin is 0.5 above the centre of mass
        {WATCH_COM_POSITION + 0, {1, 11, 21}},
        {WATCH_COM_POSITION + 1, {0.25, 0.25, 0.25}},
        {WATCH_COM_POSITION + 2, {4, 4, 4}},
        {WATCH_VELOCITY + 1, {1.75, 1.75, 1.75}}, // w x r = 0.5 x cross 0.5 z = -0.25 y
        {WATCH_VELOCITY + 2, {3, 4, 5}},
        {WATCH_ANGULAR_VELOCITY + 0, {0.5, 0.5, 0.5}},
        {WATCH_ANGULAR_VELOCITY + 2, {1, 1, 1}},
        {WATCH_PENETRATION, {none, none, none}},
    };
    for (const auto &one : cases) {
        SCOPED_TRACE(one.observable);
        quantity.observable = one.observable;
        expect_values(evaluate(quantity), one.expected);
    }
    quantity.body = 2; // only the third scene has it
    quantity.observable = WATCH_POSITION;
    expect_values(evaluate(quantity), {none, none, 22});
}

TEST_F(QuantityTest, ExtremesWhereTheyWereSeen) {
    Quantity quantity = make_quantity(QUANTITY_EXTREME);
    expect_values(evaluate(quantity), {100, 101, 102});
    quantity.watch = 1;
    expect_values(evaluate(quantity), {none, 999, none});
}

TEST_F(QuantityTest, CountsOfEvents) {
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, NONE, NONE, 0)), {2, 0, 2});
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 0, NONE, 0)), {2, 0, 1});
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 1, 0, 0)), {2, 0, 1}); // any order
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 0, 1, 0)), {2, 0, 1});
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 0, 2, 0)), {0, 0, 0});
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_END, 1, NONE, 0)), {2, 0, 0});
}

TEST_F(QuantityTest, TimeAndSpeedOfTheNthEvent) {
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 1, NONE, 1)), {0.25, none, 0.125});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 1, NONE, 2)), {0.5, none, 0.25});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 1, NONE, 3)), {none, none, none});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 1, NONE, 0)), {none, none, none});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 1, NONE, -1)), {0.5, none, 0.25});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 1, NONE, -2)), {0.25, none, 0.125});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_REST, 1, NONE, -1)), {1.0, none, 0.5});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_SPEED, EVENT_BEGIN, 0, 1, 1)), {5, none, 8});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_SPEED, EVENT_END, 0, 1, 2)), {2, none, none});
}

TEST_F(QuantityTest, OnlyEventsThatAreFaster) {
    Quantity quantity = event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 0, 1, 0);
    for (const auto &one : std::vector<std::pair<double, std::vector<double>>>{
             {0, {2, 0, 1}}, {2.5, {2, 0, 1}}, {3, {1, 0, 1}}, {5, {0, 0, 1}}, {8, {0, 0, 0}}}) {
        SCOPED_TRACE(one.first);
        quantity.above_m_per_s = one.first;
        expect_values(evaluate(quantity), one.second);
    }
    quantity = event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 0, 1, -1);
    quantity.above_m_per_s = 3; // the first of two, which is the last that is faster
    expect_values(evaluate(quantity), {0.25, none, 0.25});
}

TEST_F(QuantityTest, RestIsForGood) {
    Quantity quantity = make_quantity(QUANTITY_REST_TIME);
    quantity.body = 1;
    expect_values(evaluate(quantity), {1.0, none, none}); // scene 2 woke it up again
    quantity.body = 2;
    expect_values(evaluate(quantity), {none, none, 0.5});
}

TEST_F(QuantityTest, FailedSceneKeepsWhatItReached) {
    progress[0].status = STATUS_NOT_FINITE;
    Quantity final_height = make_quantity(QUANTITY_FINAL), rest = make_quantity(QUANTITY_REST_TIME);
    final_height.body = rest.body = 1;
    expect_values(evaluate(final_height), {none, 11, 21});
    expect_values(evaluate(rest), {none, none, none});
    expect_values(evaluate(make_quantity(QUANTITY_EXTREME)), {100, 101, 102});
    expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 0, 1, 0)), {2, 0, 1});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 0, 1, 2)), {0.5, none, none});
    expect_values(evaluate(event_quantity(QUANTITY_EVENT_TIME, EVENT_BEGIN, 0, 1, -1)),
                  {none, none, 0.25}); // it might have had more
}

TEST_F(QuantityTest, SceneThatWasNotRunHasNothing) {
    for (const u32 status : {STATUS_NOT_RUN, STATUS_INTERRUPTED, STATUS_RUNNING}) {
        progress[0].status = status;
        expect_values(evaluate(make_quantity(QUANTITY_EXTREME)), {none, 101, 102});
        expect_values(evaluate(event_quantity(QUANTITY_COUNT, EVENT_BEGIN, 0, 1, 0)), {none, 0, 1});
    }
}

} // namespace
