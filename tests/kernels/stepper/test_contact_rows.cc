// Contacts recorded at given times: what a row says, that none is lost, and that recording changes nothing.
#include <map>
#include <tuple>

#include "random_scenes.h"
#include "base/vec3.h"

namespace {

Study recording(double every_s, uint64_t scenes = 1000000) {
    Study study{};
    study.contacts_every_s = every_s;
    study.contact_scenes = scenes;
    return study;
}

// A ball that lies in its static overlap on a half-space: at rest from the first row to the last, frozen
// after a while.
TEST(ContactRows, OfABallAtRestCarryItsWeight) {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.7, 0.3, 1e-3);
    b.scene.end_s = 0.1;
    b.ground();
    const double r = 0.05, mass = 2, k = 4.0 / 3 * 2e11 / (1 - 0.09) / 2 * std::sqrt(r);
    const double depth = std::pow(mass * 9.81 / k, 2.0 / 3);
    b.ball(2 * r, {0.5, 0.25, r - depth}, 0, mass);
    Ran ran = run_scene(b, recording(0.01));
    const auto rows = rows_of(ran);
    ASSERT_EQ(rows.size(), 11u); // both ends of the scene
    ASSERT_EQ(ran.events_of_kind(EVENT_REST).size(), 1u);
    for (size_t k2 = 0; k2 < rows.size(); k2++) {
        const ContactRow &row = rows[k2];
        EXPECT_NEAR(row.time_s, 0.01 * double(k2), 1e-15);
        EXPECT_NEAR(row.normal_N / (mass * 9.81), 1, 1e-4) << k2;
        EXPECT_NEAR(row.penetration_m / depth, 1, 1e-4) << k2;
        EXPECT_NEAR(row.normal.z, 1, 1e-15);
        EXPECT_NEAR(row.point_m.x, 0.5, 1e-12);
        EXPECT_NEAR(row.point_m.y, 0.25, 1e-12);
        EXPECT_NEAR(row.point_m.z, -depth / 2, 1e-9 * r);
        EXPECT_EQ(row.body_a, 0u);
        EXPECT_EQ(row.body_b, 1u);
        EXPECT_EQ(row.shape_b, 1u);
    }
}

// A ball pushed along a plane: friction mu N against the slip, rolling resistance mu_r R N against the spin.
TEST(ContactRows, OfASlidingAndSpinningBall) {
    SceneBuilder b;
    b.material(1e7);
    b.pair(0, 0, 0.5, 0.25, 2e-3);
    b.scene.end_s = 0.02;
    b.ground();
    b.ball(0.1, {0, 0, 0.05 - 1e-5}, 0, 2).velocity_m_per_s[0] = 1;
    b.bodies.back().angular_velocity_rad_per_s[2] = 30;
    Ran ran = run_scene(b, recording(0.001));
    unsigned sliding = 0;
    for (const ContactRow &row : rows_of(ran)) {
        if (!(row.normal_N > 0.1)) continue;
        sliding++;
        EXPECT_NEAR(row.tangential_N.x / row.normal_N, -0.25, 1e-9);
        EXPECT_NEAR(row.tangential_N.y / row.normal_N, 0, 1e-9);
        EXPECT_NEAR(row.tangential_N.z / row.normal_N, 0, 1e-9);
        const Vec3 t = row.torque_N_m;
        EXPECT_NEAR(vec3_length(t) / row.normal_N, 2e-3 * 0.05, 1e-12);
        EXPECT_LT(t.z, 0);
    }
    EXPECT_GT(sliding, 10u);
}

// Who is in contact at a time is what the events say.
TEST(ContactRows, AreTheContactsThatEventsHaveOpen) {
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
    Many many(64);
    const double every = 0.0013;
    Ran ran = run_scenes(native_device(), many.scenes, recording(every));
    size_t total = 0;
    for (uint32_t s = 0; s < 64; s++) {
        ASSERT_EQ(ran.progress(s).status, STATUS_OK);
        const auto rows = rows_of(ran, s);
        const auto events = ran.events(s);
        total += rows.size();
        size_t at = 0, next = 0;
        std::map<Key, int> open;
        for (int k = 0; k * every <= 0.12; k++) {
            for (; next < events.size() && events[next].time_s <= k * every; next++) {
                const Event &e = events[next];
                if (e.kind == EVENT_BEGIN) open[{e.shape_a, e.shape_b, e.feature}] = 1;
                if (e.kind == EVENT_END) open.erase({e.shape_a, e.shape_b, e.feature});
            }
            for (const auto &[key, one] : open) { // the map's order is that of the keys
                ASSERT_LT(at, rows.size()) << s;
                EXPECT_NEAR(rows[at].time_s, k * every, 1e-12) << s;
                EXPECT_EQ(key, Key(rows[at].shape_a, rows[at].shape_b, rows[at].feature)) << s;
                at++;
            }
        }
        EXPECT_EQ(at, rows.size()) << s;
    }
    EXPECT_GT(total, 100u);
}

// Rows end steps; a trajectory beside them costs no bit more.
TEST(ContactRows, BesideATrajectoryAreTheSame) {
    Many many(64);
    Study both = recording(0.0017);
    both.trajectory_every_s = 0.0017;
    both.trajectory_scenes = 64;
    Ran with = run_scenes(native_device(), many.scenes, both),
        rows_only = run_scenes(native_device(), many.scenes, recording(0.0017));
    EXPECT_GT(with.result.contact_count, 100u);
    for (uint32_t k = 0; k < 64; k++) {
        Progress &progress = with.result.progress[k]; // but for the count of frames
        EXPECT_EQ(progress.record_count, progress.frame_count);
        progress.frame_count = 0;
        EXPECT_TRUE(same_scene(with, k, rows_only, k));
        EXPECT_TRUE(same_rows(with, k, rows_only, k));
    }
}

TEST(ContactRows, OfTheFirstScenesOnly) {
    Many many(8);
    Ran ran = run_scenes(native_device(), many.scenes, recording(0.001, 3));
    for (uint32_t k = 0; k < 8; k++) EXPECT_EQ(rows_of(ran, k).empty(), k >= 3 || ran.events(k).empty()) << k;
}

// Room for no row, one row, or all: the same rows.
TEST(ContactRows, SmallRoomLosesNone) {
    Many many(32);
    const Study study = recording(0.0007);
    Ran whole = run_scenes(native_device(), many.scenes, study);
    for (uint32_t room : {0u, 1u, 3u}) {
        Study given = study;
        given.scene = many.scenes[0];
        std::vector<Capacities> rooms;
        std::vector<uint64_t> numbers(32);
        for (unsigned k = 0; k < 32; k++) {
            numbers[k] = k;
            rooms.push_back(stage_capacities(&many.scenes[k]));
            rooms.back().rows = room;
        }
        Ran small;
        ASSERT_EQ(stage_pack(&given, many.scenes.data(), numbers.data(), rooms.data(), 32, &small.batch, nullptr),
                  CLACK_OK);
        ASSERT_EQ(
            stepper_run(native_device(), &given, many.scenes.data(), &small.batch, nullptr, &small.result, nullptr),
            CLACK_OK);
        for (uint32_t k = 0; k < 32; k++) {
            EXPECT_TRUE(same_rows(whole, k, small, k)) << room << " " << k;
            EXPECT_EQ(small.progress(k).status, STATUS_OK);
            EXPECT_EQ(whole.events(k).size(), small.events(k).size());
        }
    }
}

} // namespace
