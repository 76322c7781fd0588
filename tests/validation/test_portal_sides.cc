// A sphere that bounces, slides and rolls along the middle of a box in `compat: modia3d`, against the reference's
// portal search written here once more from its description, in extended precision, with plain Runge-Kutta steps. Which
// side of the middle the sphere is on, be it by 1e-12 m, decides on the first support points, by them on the extent
// that distances are divided by, and so on its depth at rest. In the middle itself rounding decides: the reference's
// own end is one of several.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "clack.h"

namespace {

using Long = long double;
using State = std::array<double, 9>; // place, velocity, angular velocity
struct V {
    Long x, y, z;
};
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V operator-(V a) { return {-a.x, -a.y, -a.z}; }
V operator*(V a, Long s) { return {a.x * s, a.y * s, a.z * s}; }
Long dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Long length(V a) { return std::sqrt(dot(a, a)); }
V unit(V a) { return a * (1 / length(a)); }
Long largest(V a) { return std::max({std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)}); }

// --- the portal search: box less sphere, both along the world's axes ------------------------------------------------
const V BOX = {0, -0.05L, 0}, HALF = {1, 0.05L, 0.25L};
const Long SMOOTHING = 0.001L, RADIUS = 0.1L;
const Long TOLERANCE = 1e-16L; // of the portal, relative
const Long BAND = 1e-15L;      // components of directions within it are rounding: the middle of an edge
const int LIMIT = 120;

Long side(Long x) { return x > BAND ? 1 : x < -BAND ? -1 : 0; }

struct Corner {
    V p, n;
};

struct Search {
    V ball;         // centre of the sphere
    Long scale = 1; // once it is known: one over the extent of the first corners
    Corner at(V n) const {
        const V of_box =
            BOX +
            V{side(n.x) * (HALF.x - SMOOTHING), side(n.y) * (HALF.y - SMOOTHING), side(n.z) * (HALF.z - SMOOTHING)} +
            n * SMOOTHING;
        return {(of_box - ball + n * RADIUS) * scale, n};
    }
};

// The triangle's point nearest to the origin gives the distance, negative where the origin is on the side of r0.
Long distance_of(V r0, V a, V b, V c) {
    V e = unit(cross(b - a, c - a));
    if (dot(r0, e) > 0) e = -e;
    const V foot = e * dot(e, a), to = foot - a, across_b = cross(b - a, e), across_c = cross(c - a, e);
    const Long share_b = dot(across_c, to) / dot(across_c, b - a), share_c = dot(across_b, to) / dot(across_b, c - a);
    if (share_b >= 0 && share_c >= 0 && share_b + share_c <= 1) return -dot(e, a);
    Long best = INFINITY;
    for (const auto &edge : {std::array<V, 2>{a, b}, {a, c}, {b, c}}) {
        const V along = edge[1] - edge[0];
        const V near = edge[0] + along * std::clamp(-dot(along, edge[0]) / dot(along, along), 0.0L, 1.0L);
        const Long here = dot(near, e) > 0 ? -length(near) : length(near);
        if (std::fabs(here) <= std::fabs(best)) best = here;
    }
    return best;
}

struct PairKinematics {
    Long distance; // divided by the extent, as the reference leaves it
    V normal;      // from the box to the sphere
};

bool holds(V r0, V ray, V x, V y, V r4) {
    return dot(cross(y - r0, r4 - r0), ray) <= 0 && dot(cross(r4 - r0, x - r0), ray) <= 0;
}

PairKinematics meet(V ball) {
    Search search{ball};
    V r0 = BOX - ball;
    const V ray = -r0;
    Corner r1 = search.at(unit(ray)), r2 = search.at(unit(cross(ray, r1.p)));
    V n = cross(r1.p - r0, r2.p - r0);
    Corner r3 = search.at(unit(dot(n, r0) >= 0 ? -n : n));
    search.scale = 1 / std::max({largest(r0), largest(r1.p), largest(r2.p), largest(r3.p)});
    r0 = r0 * search.scale;
    for (Corner *r : {&r1, &r2, &r3}) r->p = r->p * search.scale;
    for (int i = 0; i < LIMIT; i++) {
        n = cross(r1.p - r0, r3.p - r0);
        if (dot(n, r0) > 0) {
            r2 = r3;
        } else {
            n = cross(r3.p - r0, r2.p - r0);
            if (!(dot(n, r0) > 0)) break;
            r1 = r3;
        }
        r3 = search.at(unit(n));
    }
    for (int i = 0; i < LIMIT; i++) {
        n = cross(r2.p - r1.p, r3.p - r1.p);
        const Corner r4 = search.at(unit(dot(n, r0) >= 0 ? -n : n));
        if (std::fabs(dot(r4.p - r1.p, r4.n)) < TOLERANCE) return {distance_of(r0, r1.p, r2.p, r3.p), r4.n};
        if (holds(r0, ray, r1.p, r2.p, r4.p))
            r3 = r4;
        else if (holds(r0, ray, r2.p, r3.p, r4.p))
            r1 = r4;
        else
            r2 = r4;
    }
    ADD_FAILURE() << "the portal does not converge";
    return {0, {0, 1, 0}};
}

// --- the law, and the motion contact by contact ---------------------------------------------------------------------
const double G = 9.81, MASS = 1e4, INERTIA = 0.4 * MASS * 0.01, FRICTION = 0.5, ROLLING = 0.001, SMALL = 0.01,
             RESTITUTION = 0.7;
const double STIFFNESS = 4.0 / 3 * std::sqrt(0.1) * 0.5 * 2e11 / (1 - 0.3 * 0.3), EPSILON_M = 1e-13;

double regular(double x) { return x >= SMALL ? x : x * x / SMALL * (1 - x / (3 * SMALL)) + SMALL / 3; }

State rate(const State &s, double damping) {
    const PairKinematics found = meet({s[0], s[1], s[2]});
    const V n = found.normal, w = {s[6], s[7], s[8]};
    const V arm = n * (-RADIUS - found.distance / 2);
    const V v = V{s[3], s[4], s[5]} + cross(w, arm), slip = v - n * dot(v, n);
    const Long depth = EPSILON_M - found.distance;
    const Long force = STIFFNESS * depth * std::sqrt(std::fabs(depth)) * (1 - damping * dot(v, n));
    const V pull = n * force - slip * (FRICTION * force / regular(double(length(slip))));
    const V turn = cross(arm, pull) - w * (ROLLING * RADIUS * force / regular(double(length(w))));
    return {s[3],
            s[4],
            s[5],
            double(pull.x) / MASS,
            double(pull.y) / MASS - G,
            double(pull.z) / MASS,
            double(turn.x) / INERTIA,
            double(turn.y) / INERTIA,
            double(turn.z) / INERTIA};
}

State moved(const State &s, const State &r, double t) {
    State out;
    for (size_t i = 0; i < s.size(); i++) out[i] = s[i] + t * r[i];
    return out;
}

State stepped(const State &s, double t, double damping) {
    const State a = rate(s, damping), b = rate(moved(s, a, t / 2), damping), c = rate(moved(s, b, t / 2), damping),
                d = rate(moved(s, c, t), damping);
    return moved(moved(moved(moved(s, a, t / 6), b, t / 3), c, t / 3), d, t / 6);
}

State end_of(State s, double end_s, double step_s) {
    double time = 0;
    while (time < end_s) {
        const double height = std::max(s[1] - 0.1, 0.0), landing = (s[4] + std::sqrt(s[4] * s[4] + 2 * G * height)) / G;
        const double flight = std::min(landing, end_s - time);
        s = moved(s, {s[3], s[4] - G / 2 * flight, s[5], 0, -G, 0, 0, 0, 0}, flight);
        time += flight;
        const double speed = std::fabs(s[4]);
        const double damping =
            speed > SMALL ? std::min(2000.0, 8 * (1 - RESTITUTION) / (5 * RESTITUTION * speed)) : 2000.0;
        while (time < end_s) {
            double low = 0, step = std::min(step_s, end_s - time);
            State next = stepped(s, step, damping);
            const bool leaves = next[1] > 0.1;
            for (int i = 0; leaves && i < 50; i++) {
                const double middle = (low + step) / 2;
                (stepped(s, middle, damping)[1] > 0.1 ? step : low) = middle;
            }
            s = leaves ? stepped(s, step, damping) : next;
            time += step;
            if (leaves) break;
        }
    }
    return s;
}

// --- clack ----------------------------------------------------------------------------------------------------------
void keep(void *context, const ClackBatch *batch) {
    std::copy_n(batch->quantities, 9, static_cast<State *>(context)->begin());
}

State ours_of(double beside_m) {
    std::string quantities = "{";
    for (const char *state : {"position", "velocity", "angular_velocity"})
        for (const char *axis : {"x", "y", "z"})
            quantities += std::string(state) + axis + ": {final: sphere." + state + "." + axis + "}, ";
    quantities.resize(quantities.size() - 2);
    quantities += "}";
    char place[32];
    snprintf(place, sizeof place, "%.1e", beside_m);
    const std::vector<ClackStudyOverride> overrides = {{"scene.bodies.sphere.position[2]", place},
                                                       {"outputs", "{}"},
                                                       {"outputs.quantities", quantities.c_str()},
                                                       {"solver.accuracy.tolerance", "1.0e-10"},
                                                       {"solver.accuracy.steps", "32"}};
    ClackStudyOptions reading = CLACK_SIZED(ClackStudyOptions);
    reading.overrides = overrides.data();
    reading.override_count = overrides.size();
    ClackReport report{};
    ClackStudy *study = nullptr;
    State out{};
    EXPECT_EQ(clack_study_read(CLACK_SOURCE_DIR "/data/modia3d/bouncing_sphere_contact_results.yaml", &reading, &study,
                               &report),
              CLACK_OK)
        << (report.count ? report.lines[0] : "");
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.no_file = 1;
    device.choice = "native";
    options.device = &device;
    options.on_batch = keep;
    options.batch_context = &out;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    if (study != nullptr) {
        EXPECT_EQ(clack_run(study, &options, &summary, &report), CLACK_OK);
    }
    clack_report_clear(&report);
    clack_study_free(study);
    return out;
}

double apart(const State &a, const State &b) { // relative, the reference's norm
    double difference = 0, norm = 0;
    for (size_t i = 0; i < a.size(); i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return std::sqrt(difference / norm);
}

// The end that the reference's test asks for (tests/golden/scenes.json, BouncingSphereContactResults).
const State REFERENCE = {
    0.6190964322303429, 0.09989803187140613, 0, 0.7018335184646917, -0.00011551585213889106, 0, 0, 0,
    -7.0240720401621495};
const double ALLOWED = 5 * 4.3e-7; // 5 times the independent error that tests/golden/scenes.json has

TEST(PortalSides, SphereOnBox) {
    std::vector<State> ends;
    for (const double beside_m : {-1e-12, 0.0, 1e-12}) {
        const State theirs = end_of({-0.5, 0.3, beside_m, 1, 0, 0, 0, 0, 0}, 1.5, 1e-5), ours = ours_of(beside_m);
        printf("z %7.0e m: clack from the re-implementation %.1e; from the reference %.1e (re-implementation %.1e); "
               "rests %.4e m deep\n",
               beside_m, apart(ours, theirs), apart(ours, REFERENCE), apart(theirs, REFERENCE), 0.1 - ours[1]);
        EXPECT_LE(apart(ours, theirs), ALLOWED);
        EXPECT_LE(apart(ours, REFERENCE), 3e-5); // the side is all that they differ by
        ends.push_back(ours);
    }
    // On one side the sphere rests as deep as the reference's, in the middle and on the other side 2.6 times as deep.
    EXPECT_NEAR(ends[2][1], REFERENCE[1], 1e-8);
    EXPECT_GT(REFERENCE[1] - ends[1][1], 1.6e-4);
    EXPECT_GT(REFERENCE[1] - ends[0][1], 1.6e-4);
}

} // namespace
