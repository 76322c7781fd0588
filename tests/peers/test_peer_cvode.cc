// 200 random scenes of two balls over a floor against SUNDIALS' CVODE (BDF): the contact law is written here once more,
// from its description, the integrator is another, and so is the search for events.
#ifdef CLACK_HAS_cvode
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "clack.h"

namespace {

// Half of the scenes begin in touch with the floor, sliding; in the others the first ball falls.
const char *const STUDY = R"yaml(
format: 1
variables:
  r1: {uniform: [0.02, 0.1]}
  r2: {uniform: [0.02, 0.1]}
  rho: {log_uniform: [500, 8000]}
  young: {log_uniform: [1.0e8, 1.0e11]}
  poisson: {uniform: [0.1, 0.45]}
  floor_young: {log_uniform: [1.0e8, 1.0e11]}
  mu: {uniform: [0, 0.8]}
  rolling: {uniform: [0, 0.01]}
  e: {uniform: [0.3, 1]}
  mu_balls: {uniform: [0, 0.8]}
  rolling_balls: {uniform: [0, 0.01]}
  e_balls: {uniform: [0.3, 1]}
  falls: {discrete: [0, 1]}
  drop: {uniform: [0.001, 0.03]}
  gap: {uniform: [0.001, 0.02]}
  aside: {uniform: [-0.6, 0.6]}
  up: {uniform: [0, 0.6]}
  vx1: {uniform: [0.1, 2]}
  vy1: {uniform: [-0.5, 0.5]}
  vz1: {uniform: [-1, 0]}
  vx2: {uniform: [-1, 0]}
  wx1: {uniform: [-30, 30]}
  wy1: {uniform: [-30, 30]}
  wz1: {uniform: [-30, 30]}
  wx2: {uniform: [-30, 30]}
  wy2: {uniform: [-30, 30]}
  wz2: {uniform: [-30, 30]}
scene:
  materials:
    ball: {young: $young, poisson: $poisson, density: $rho}
    floor: {young: $floor_young, poisson: 0.3, density: 1000}
  pairs:
    - {between: [ball, floor], restitution: $e, friction: $mu, rolling: $rolling}
    - {between: [ball, ball], restitution: $e_balls, friction: $mu_balls, rolling: $rolling_balls, w_small: 0.02}
  bodies:
    ground: {fixed: true, material: floor, shapes: [{half_space: {}}]}
    one:
      material: ball
      shapes: [{sphere: {diameter: "=2*r1"}}]
      position: [0, 0, "=r1 + falls*drop"]
      velocity: [$vx1, $vy1, "=falls*vz1"]
      angular_velocity: [$wx1, $wy1, $wz1]
    two:
      material: ball
      shapes: [{sphere: {diameter: "=2*r2"}}]
      position: ["=(r1 + r2 + gap)*cos(aside)*cos(up)", "=(r1 + r2 + gap)*sin(aside)*cos(up)",
                 "=max(r2, r1 + falls*drop + (r1 + r2 + gap)*sin(up))"]
      velocity: [$vx2, 0, 0]
      angular_velocity: [$wx2, $wy2, $wz2]
design: {monte_carlo: {samples: 200, seed: 11}}
outputs:
  quantities:
)yaml";

using Named = std::map<std::string, double>;
const char *const BODIES[] = {"one", "two"};
const char *const STATES[] = {"position", "velocity", "angular_velocity"};

struct Ours {
    const ClackStudy *study;
    std::vector<Named> scenes; // parameters and quantities
};

void keep(void *context, const ClackBatch *batch) {
    Ours &ours = *static_cast<Ours *>(context);
    const uint32_t parameters = clack_study_parameter_count(ours.study),
                   quantities = clack_study_quantity_count(ours.study);
    for (uint32_t i = 0; i < batch->scene_count; i++) {
        Named scene;
        for (uint32_t k = 0; k < parameters; k++)
            scene[clack_study_parameter_name(ours.study, k)] = batch->parameters[i * parameters + k];
        for (uint32_t k = 0; k < quantities; k++)
            scene[clack_study_quantity_name(ours.study, k)] = batch->quantities[i * quantities + k];
        scene["status"] = batch->statuses[i];
        ours.scenes.push_back(scene);
    }
}

std::vector<Named> run_study(const std::string &accuracy, double end_s) {
    const std::string path = testing::TempDir() + "clack_peer_cvode.yaml";
    std::ofstream file(path);
    file << STUDY;
    for (const char *body : BODIES)
        for (const char *state : STATES)
            for (int k = 0; k < 3; k++)
                file << "    " << body << "_" << state << k << ": {final: " << body << "." << state << "."
                     << "xyz"[k] << "}\n";
    file << "    hits: {count: contact_begin}\n";
    file << "solver: {accuracy: " << accuracy << ", end: " << end_s << ", freeze: false}\n";
    file.close();
    ClackReport report{};
    Ours ours{};
    ClackStudy *study = nullptr;
    EXPECT_EQ(clack_study_read(path.c_str(), nullptr, &study, &report), CLACK_OK)
        << (report.count ? report.lines[0] : "");
    ours.study = study;
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.no_file = 1;
    device.choice = "native";
    options.device = &device;
    options.on_batch = keep;
    options.batch_context = &ours;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    if (study != nullptr) {
        EXPECT_EQ(clack_run(study, &options, &summary, &report), CLACK_OK);
    }
    clack_report_clear(&report);
    clack_study_free(study);
    std::remove(path.c_str());
    return ours.scenes;
}

// --- the same scenes, written independently ---------------------------------------------------------------

struct V3 {
    double x, y, z;
};
V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V3 operator*(double s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
double inner(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V3 outer(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double size(V3 a) { return std::sqrt(inner(a, a)); }

// Of each ball: place, velocity, angular velocity. Heights are those of the lowest point, so that overlaps have all
// their digits.
constexpr int STATES_OF_BALL = 9, SIZE = 2 * STATES_OF_BALL, PAIRS = 3;
const double G = 9.81;

struct Touch { // one of: first ball and floor, second ball and floor, both balls
    double stiffness, radius, mu, rolling, restitution, spin_small, damping = 0;
    bool is_on = false;
};

struct System {
    double radius[2], mass[2], end;
    Touch touch[PAIRS];
};

V3 vector_of(const double *y, int ball, int which) {
    const double *at = y + STATES_OF_BALL * ball + 3 * which;
    return {at[0], at[1], at[2]};
}

struct Meet {
    double gap, opening;
    V3 normal, lever[2], slip, spin; // the normal towards `on`; levers of `on` and of the other
};

Meet meet(const System &s, const double *y, int pair) {
    Meet m;
    if (pair < 2) {
        m.gap = vector_of(y, pair, 0).z;
        m.normal = {0, 0, 1};
        m.lever[0] = -(s.radius[pair] + m.gap / 2) * m.normal;
        m.lever[1] = {0, 0, 0};
        const V3 v = vector_of(y, pair, 1) + outer(vector_of(y, pair, 2), m.lever[0]);
        m.opening = inner(v, m.normal);
        m.slip = v - m.opening * m.normal;
        m.spin = vector_of(y, pair, 2);
        return m;
    }
    const V3 lift = {0, 0, s.radius[1] - s.radius[0]};
    const V3 apart = vector_of(y, 1, 0) - vector_of(y, 0, 0) + lift;
    const double distance = size(apart);
    m.gap = distance - s.radius[0] - s.radius[1];
    m.normal = (1 / distance) * apart;
    m.lever[0] = -(s.radius[1] + m.gap / 2) * m.normal;
    m.lever[1] = (s.radius[0] + m.gap / 2) * m.normal;
    const V3 v = vector_of(y, 1, 1) + outer(vector_of(y, 1, 2), m.lever[0]) - vector_of(y, 0, 1) -
                 outer(vector_of(y, 0, 2), m.lever[1]);
    m.opening = inner(v, m.normal);
    m.slip = v - m.opening * m.normal;
    m.spin = vector_of(y, 1, 2) - vector_of(y, 0, 2);
    return m;
}

double regularised(double v, double s) { return v >= s ? v : v * v / s * (1 - v / (3 * s)) + s / 3; }

int rates(sunrealtype, N_Vector state, N_Vector out, void *user) {
    const System &s = *static_cast<System *>(user);
    const double *y = N_VGetArrayPointer(state);
    double *rate = N_VGetArrayPointer(out);
    V3 force[2], torque[2];
    for (int b = 0; b < 2; b++) force[b] = {0, 0, -G * s.mass[b]}, torque[b] = {0, 0, 0};
    for (int p = 0; p < PAIRS; p++) {
        const Touch &t = s.touch[p];
        if (!t.is_on) continue;
        const Meet m = meet(s, y, p);
        const double depth = std::max(-m.gap, 0.0);
        const double push = std::max(0.0, t.stiffness * depth * std::sqrt(depth) * (1 - t.damping * m.opening));
        const V3 f = push * m.normal - (t.mu * push / regularised(size(m.slip), 0.01)) * m.slip;
        const V3 roll = -(t.rolling * t.radius * push / regularised(size(m.spin), t.spin_small)) * m.spin;
        const int on = p == 1 || p == 2 ? 1 : 0;
        force[on] = force[on] + f;
        torque[on] = torque[on] + outer(m.lever[0], f) + roll;
        if (p < 2) continue;
        force[0] = force[0] - f;
        torque[0] = torque[0] - outer(m.lever[1], f) - roll;
    }
    for (int b = 0; b < 2; b++) {
        const V3 v = vector_of(y, b, 1), a = (1 / s.mass[b]) * force[b];
        const V3 w = (1 / (0.4 * s.mass[b] * s.radius[b] * s.radius[b])) * torque[b];
        const double all[STATES_OF_BALL] = {v.x, v.y, v.z, a.x, a.y, a.z, w.x, w.y, w.z};
        std::copy(all, all + STATES_OF_BALL, rate + STATES_OF_BALL * b);
    }
    return 0;
}

int gaps(sunrealtype, N_Vector state, sunrealtype *out, void *user) {
    for (int p = 0; p < PAIRS; p++) out[p] = meet(*static_cast<System *>(user), N_VGetArrayPointer(state), p).gap;
    return 0;
}

// rtol 1e-10 on velocities; places by the overlaps, the smallest of which are 1e-7 m.
int weights(N_Vector state, N_Vector out, void *) {
    const double *y = N_VGetArrayPointer(state);
    double *w = N_VGetArrayPointer(out);
    for (int i = 0; i < SIZE; i++) w[i] = 1 / (i % STATES_OF_BALL < 3 ? 1e-15 : 1e-10 * std::fabs(y[i]) + 1e-13);
    return 0;
}

void begin(System &s, const double *y, int pair) {
    Touch &t = s.touch[pair];
    const double approach = std::max(0.0, -meet(s, y, pair).opening);
    const double e = approach > 0.01 ? t.restitution : 0;
    t.damping = e > 0 ? std::min(2000.0, 8 * (1 - e) / (5 * e * approach)) : 2000.0;
    t.is_on = true;
}

System system_of(const Named &v, double end) {
    System s{};
    const double pi = std::acos(-1.0);
    s.end = end;
    for (int b = 0; b < 2; b++) {
        s.radius[b] = v.at(b == 0 ? "r1" : "r2");
        s.mass[b] = v.at("rho") * 4 / 3 * pi * std::pow(s.radius[b], 3);
    }
    const double ball = v.at("young") / (1 - v.at("poisson") * v.at("poisson")),
                 floor = v.at("floor_young") / (1 - 0.3 * 0.3);
    for (int p = 0; p < PAIRS; p++) {
        Touch &t = s.touch[p];
        t.radius = p < 2 ? s.radius[p] : s.radius[0] * s.radius[1] / (s.radius[0] + s.radius[1]);
        t.stiffness = 4.0 / 3 * (p < 2 ? ball * floor / (ball + floor) : ball / 2) * std::sqrt(t.radius);
        t.mu = v.at(p < 2 ? "mu" : "mu_balls");
        t.rolling = v.at(p < 2 ? "rolling" : "rolling_balls");
        t.restitution = v.at(p < 2 ? "e" : "e_balls");
        t.spin_small = p < 2 ? 0.01 : 0.02;
    }
    return s;
}

std::vector<double> initial(const Named &v) {
    const double falls = v.at("falls"), way = v.at("r1") + v.at("r2") + v.at("gap"), aside = v.at("aside"),
                 up = v.at("up");
    const double low1 = falls * v.at("drop"), high2 = v.at("r1") + low1 + way * std::sin(up);
    return {0,
            0,
            low1,
            v.at("vx1"),
            v.at("vy1"),
            falls * v.at("vz1"),
            v.at("wx1"),
            v.at("wy1"),
            v.at("wz1"),
            way * std::cos(aside) * std::cos(up),
            way * std::sin(aside) * std::cos(up),
            std::max(v.at("r2"), high2) - v.at("r2"),
            v.at("vx2"),
            0,
            0,
            v.at("wx2"),
            v.at("wy2"),
            v.at("wz2")};
}

/// Integrates to the end, contact by contact. Returns how many contacts began; -1 where CVODE gave up.
int integrate(System &s, std::vector<double> &y) {
    SUNContext context;
    SUNContext_Create(nullptr, &context);
    N_Vector state = N_VMake_Serial(SIZE, y.data(), context);
    SUNMatrix matrix = SUNDenseMatrix(SIZE, SIZE, context);
    SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
    void *cvode = CVodeCreate(CV_BDF, context);
    CVodeInit(cvode, rates, 0, state);
    CVodeSetUserData(cvode, &s);
    CVodeWFtolerances(cvode, weights);
    CVodeSetLinearSolver(cvode, solver, matrix);
    CVodeRootInit(cvode, PAIRS, gaps);
    CVodeSetMaxNumSteps(cvode, 10000000);
    int begun = 0, code = CV_SUCCESS;
    double time = 0;
    for (int p = 0; p < PAIRS; p++) {
        if (meet(s, y.data(), p).gap > 0) continue;
        begin(s, y.data(), p);
        begun++;
    }
    while (code >= 0 && time < s.end) {
        CVodeReInit(cvode, time, state);
        CVodeSetStopTime(cvode, s.end);
        code = CVode(cvode, s.end, state, &time, CV_NORMAL);
        if (code != CV_ROOT_RETURN) continue;
        int found[PAIRS];
        CVodeGetRootInfo(cvode, found);
        for (int p = 0; p < PAIRS; p++) {
            if (found[p] == 0) continue;
            const bool closes = meet(s, y.data(), p).opening < 0;
            if (closes && !s.touch[p].is_on) {
                begin(s, y.data(), p);
                begun++;
            } else if (!closes) {
                s.touch[p].is_on = false;
            }
        }
    }
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(state);
    SUNContext_Free(&context);
    return code < 0 ? -1 : begun;
}

struct Difference {
    double place_m = 0, velocity_m_per_s = 0;
};

Difference compare(const Named &ours, const System &s, const std::vector<double> &y) {
    Difference worst;
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < STATES_OF_BALL; k++) {
            double theirs = y[size_t(STATES_OF_BALL * b + k)];
            if (k == 2) theirs += s.radius[b];
            const double value = ours.at(std::string(BODIES[b]) + "_" + STATES[k / 3] + char('0' + k % 3));
            const double off = std::fabs(value - theirs) * (k < 6 ? 1 : s.radius[b]);
            double &kept = k < 3 ? worst.place_m : worst.velocity_m_per_s;
            kept = off <= kept ? kept : off;
        }
    return worst;
}

const double END_S = 0.1;

struct Spread { // of all scenes scenes, sorted
    std::vector<double> places_m, velocities_m_per_s;
    int contacts = 0;
};

/// `friction_share`: by which CVODE's coefficients of friction are larger.
Spread spread(const std::vector<Named> &scenes, double friction_share) {
    Spread all;
    for (size_t i = 0; i < scenes.size(); i++) {
        System s = system_of(scenes[i], END_S);
        for (Touch &t : s.touch) t.mu *= 1 + friction_share;
        std::vector<double> y = initial(scenes[i]);
        const int begun = integrate(s, y);
        EXPECT_EQ(scenes[i].at("status"), 0) << i;
        EXPECT_EQ(scenes[i].at("hits"), begun) << i;
        const Difference difference = compare(scenes[i], s, y);
        all.places_m.push_back(difference.place_m);
        all.velocities_m_per_s.push_back(difference.velocity_m_per_s);
        all.contacts += begun;
    }
    std::sort(all.places_m.begin(), all.places_m.end());
    std::sort(all.velocities_m_per_s.begin(), all.velocities_m_per_s.end());
    return all;
}

void tell(const char *what, const Spread &s) {
    const std::vector<double> &x = s.places_m, &v = s.velocities_m_per_s;
    printf("%s: %d contacts; median, 95 %%, largest difference of places %.1e %.1e %.1e m, of velocities %.1e %.1e "
           "%.1e m/s\n",
           what, s.contacts, x[100], x[190], x[199], v[100], v[190], v[199]);
}

TEST(PeerCvode, TwoHundredScenes) {
    const std::vector<Named> scenes = run_study("accurate", END_S);
    ASSERT_EQ(scenes.size(), 200u);
    const Spread accurate = spread(scenes, 0);
    tell("accurate", accurate);
    EXPECT_GT(accurate.contacts, 600);
    EXPECT_LE(accurate.velocities_m_per_s[100], 2e-8);
    EXPECT_LE(accurate.velocities_m_per_s[190], 2e-7);
    EXPECT_LE(accurate.velocities_m_per_s[199], 1e-6);
    EXPECT_LE(accurate.places_m[199], 5e-8);
    // What is left is ours, at least in the middle: tighter tolerances come nearer.
    const Spread tight = spread(run_study("{tolerance: 1.0e-10, steps: 40}", END_S), 0);
    tell("tight", tight);
    EXPECT_LE(tight.velocities_m_per_s[100], 0.6 * accurate.velocities_m_per_s[100]);
    // The comparison sees a law that is off by 1e-5.
    const Spread other = spread(scenes, 1e-5);
    tell("friction off by 1e-5", other);
    EXPECT_GE(other.velocities_m_per_s[100], 2e-7);
}

} // namespace

#else
#include <gtest/gtest.h>
TEST(PeerCvode, IsAbsent) { GTEST_SKIP() << "CVODE (libsundials-dev) was not found"; }
#endif
