// The net force of contacts as studies ask for it: its mean is the momentum that they give, its largest and smallest
// values are those of its contacts, and it depends on nothing but the scene.
#include <map>

#include "base/vec3.h"
#include "random_scenes.h"
#include "study_text.h"

namespace {

constexpr double G = 9.81;

using Values = std::map<std::string, double>;

// A study: what stands under `scene`, how it is solved, and quantities, "name: {...}".
struct NetForceStudy : StudyText {
    NetForceStudy(const std::string &bodies, const std::string &solver, const Lines &quantities,
                  const std::string &outputs = "")
        : StudyText(text_of(bodies, solver, quantities, outputs)) {
        EXPECT_TRUE(is_ok()) << (lines.empty() ? "" : lines[0]);
    }
    static std::string text_of(const std::string &scene, const std::string &solver, const Lines &quantities,
                               const std::string &outputs) {
        std::string text = "format: 1\nscene:\n  gravity: [0, 0, -9.81]\n" + scene + "solver: {" + solver +
                           "}\noutputs:\n" + outputs + "  quantities:\n";
        for (const std::string &line : quantities) text += "    " + line + "\n";
        return text;
    }
    Values values(const Ran &ran, uint32_t index = 0) const {
        std::vector<double> out(ran.batch.scene_count * study->quantity_count);
        quantity_evaluate(study, &ran.batch, &ran.result, nullptr, out.data(), nullptr);
        Values values;
        for (uint32_t k = 0; k < study->quantity_count; k++)
            values[study->quantities[k].name] = out[index * study->quantity_count + k];
        return values;
    }
    Values values() const {
        const Ran ran = run();
        EXPECT_EQ(ran.progress().status, STATUS_OK);
        return values(ran);
    }
};

const char *const BODIES = "  pairs: [{between: [steel, steel], restitution: 0.6, friction: 0.3}]\n"
                           "  bodies:\n"
                           "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n";

std::string body(const std::string &name, const std::string &shape, const std::string &more) {
    return "    " + name + ": {material: steel, mass: 0.7, shapes: [{" + shape + "}], " + more + "}\n";
}

const std::string BALL = "sphere: {diameter: 0.1}", CUBE = "box: {lengths: [0.1, 0.1, 0.1]}";

// Mean force, velocities and weight of a body whose speed at the start is known.
Lines balance_of(const std::string &name) {
    Lines lines;
    for (const char *axis : {"x", "y", "z"}) {
        lines.push_back(name + "_" + axis + ": {mean: " + name + ".net_force." + axis + "}");
        lines.push_back(name + "_v" + axis + ": {final: " + name + ".velocity." + axis + "}");
    }
    lines.push_back(name + "_size: {mean: " + name + ".net_force}");
    return lines;
}

// m (v1 - v0) + m g T = T times the mean force.
void expect_balance(const Values &v, const std::string &name, std::array<double, 3> speed, double end_s,
                    double off_N_s = 0) {
    const double mass = 0.7;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const std::string axis(1, char('x' + k));
        const double mean = v.at(name + "_" + axis), gained = v.at(name + "_v" + axis) - speed[size_t(k)];
        EXPECT_NEAR(mean, mass * (gained / end_s + (k == 2 ? G : 0)), 1e-9 * mass * G + off_N_s / end_s)
            << name << "." << axis;
        square += mean * mean;
    }
    EXPECT_GE(v.at(name + "_size"), std::sqrt(square) * (1 - 1e-12)) << name;
    EXPECT_LE(v.at(name + "_size"), 1.5 * std::sqrt(square)) << name;
}

Lines operator+(Lines a, const Lines &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST(NetForce, MeanIsTheMomentumGiven) {
    const NetForceStudy s(BODIES + body("ball", BALL, "position: [0, 0, 0.3], velocity: [0.5, 0.2, 0]") +
                              body("box", "box: {lengths: [0.1, 0.15, 0.2]}",
                                   "position: [9, 0, 0.4], velocity: [0.5, 0, 0.3], angular_velocity: [3, 2, 5]"),
                          "method: events, step: 1.0e-3, end: 0.7", balance_of("ball") + balance_of("box"));
    const Ran ran = s.run();
    const Values v = s.values(ran);
    EXPECT_GT(ran.events_of_kind(EVENT_BEGIN).size(), 5u);
    expect_balance(v, "ball", {0.5, 0.2, 0}, 0.7);
    expect_balance(v, "box", {0.5, 0, 0.3}, 0.7);
}

TEST(NetForce, MeanOfFixedStepsIsTheMomentumGiven) {
    const NetForceStudy s(BODIES + body("ball", BALL, "position: [0, 0, 0.055], velocity: [0.5, 0.2, 0]"),
                          "method: rk4, step: 1.0e-6, end: 0.05", balance_of("ball"));
    expect_balance(s.values(), "ball", {0.5, 0.2, 0}, 0.05);
}

// With friction Newton's method leaves some: what the audit of momentum tells.
TEST(NetForce, MeanOfContactRegionsIsTheMomentumGiven) {
    for (const char *friction : {"0", "0.3"}) {
        const std::string pairs = "  pairs: [{between: [steel, steel], restitution: 0.6, damping: hunt_crossley, "
                                  "region: {law: constant, stiffness: 1.0e5, exponent: 1.5}, friction: " +
                                  std::string(friction) + "}]\n";
        const NetForceStudy s(
            pairs + "  bodies:\n    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n" +
                body("ball", "sphere: {diameter: 0.1}, mesh_size: 0.02",
                     "position: [0, 0, 0.1], velocity: [0.3, 0, -1], angular_velocity: [1, 2, 3]") +
                body("box", "box: {lengths: [0.1, 0.1, 0.1]}, mesh_size: 0.05",
                     "position: [1, 0, 0.08], angular_velocity: [1, 2, 0]"),
            "method: trapezoidal, step: 1.0e-3, end: 0.3",
            balance_of("ball") + balance_of("box") +
                Lines{"peak: {max: ball.net_force}", "normal: {max: ball.contact_force}"});
        const Ran ran = s.run();
        const Values v = s.values(ran);
        const double off_N_s = ran.progress().momentum_drift * ran.progress().momentum_scale_N_s;
        printf("contact regions, friction %s: the audit of momentum is off by %.1e N s\n", friction, off_N_s);
        EXPECT_LT(off_N_s, friction[1] == 0 ? 1e-8 : 1e-5);
        expect_balance(v, "ball", {0.3, 0, -1}, 0.3, off_N_s);
        expect_balance(v, "box", {0, 0, 0}, 0.3, off_N_s);
        EXPECT_GE(v.at("peak"), v.at("normal") * (1 - 1e-12));
        EXPECT_LE(v.at("peak"), 1.05 * v.at("normal"));
    }
}

TEST(NetForce, OfQuasiRigidStacks) {
    const std::string scene = "  pairs: [{between: [steel, steel], friction: 0.3}]\n  bodies:\n"
                              "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n" +
                              body("low", CUBE, "position: [0, 0, 0.06], velocity: [0.2, 0, 0]") +
                              body("high", CUBE, "position: [0, 0, 0.17]");
    const NetForceStudy s(scene, "method: quasi_rigid, step: 1.0e-3, end: 0.6",
                          balance_of("low") + balance_of("high") +
                              Lines{"lower: {max: net_force.z, between: [ground, low], after: 0.5}",
                                    "upper: {min: net_force.z, between: [low, high], after: 0.5}"});
    const Values v = s.values();
    expect_balance(v, "low", {0.2, 0, 0}, 0.6);
    expect_balance(v, "high", {0, 0, 0}, 0.6);
    EXPECT_NEAR(v.at("lower") / (1.4 * G), 1, 1e-6);
    EXPECT_NEAR(v.at("upper") / (0.7 * G), 1, 1e-6);
}

TEST(NetForce, OfAStackAtRest) {
    const NetForceStudy s(
        BODIES + body("low", CUBE, "position: [0, 0, 0.055]") + body("high", CUBE, "position: [0, 0, 0.16]"),
        "method: events, step: 1.0e-3, end: 2.5",
        {"low: {max: low.net_force, after: 2.3}", "lower: {max: net_force.z, between: [ground, low], after: 2.3}",
         "on_high: {min: net_force.z, between: [low, high], after: 2.3}",
         "on_low: {max: net_force.z, between: [high, low], after: 2.3}",
         "on_ground: {value: ground.net_force.z, at: 2.4}", "end: {value: high.net_force.z, at: 2.5}",
         "late: {mean: net_force.z, between: [high, ground], after: 2.3}",
         "mean: {mean: net_force.z, between: [ground, low], after: 2.3}",
         "across: {max: net_force.x, between: [ground, low], after: 2.3}"});
    const Ran ran = s.run();
    const Values v = s.values(ran);
    const double weight = 0.7 * G;
    EXPECT_NEAR(v.at("low") / weight, 1, 1e-6) << "two weights from below, one from above";
    EXPECT_NEAR(v.at("lower") / (2 * weight), 1, 1e-6);
    EXPECT_NEAR(v.at("on_high") / weight, 1, 1e-6);
    EXPECT_NEAR(v.at("on_low") / weight, -1, 1e-6);
    EXPECT_NEAR(v.at("on_ground") / (2 * weight), -1, 1e-6);
    EXPECT_NEAR(v.at("end") / weight, 1, 1e-6);
    EXPECT_EQ(v.at("late"), 0) << "they do not touch";
    EXPECT_NEAR(v.at("mean") / (2 * weight), 1, 1e-6);
}

// A frozen body keeps the forces with which it fell asleep, also while another one is stepped alone.
TEST(NetForce, OfFrozenBodies) {
    const NetForceStudy s(
        "  pairs: [{between: [steel, steel], restitution: 0.3, friction: 0.3}]\n  bodies:\n"
        "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n" +
            body("box", CUBE, "position: [0, 0, 0.052]") + body("ball", BALL, "position: [9, 0, 0.6]") +
            body("next", BALL, "position: [5, 0, 0.601]"),
        "method: events, step: 1.0e-3, end: 0.5",
        {"rest: {time_of: rest, of: box}", "at: {value: box.net_force.z, at: 0.3}",
         "max: {max: box.net_force, after: 0.3}", "min: {min: box.net_force.z, after: 0.3}",
         "mean: {mean: box.net_force.z, after: 0.3}", "size: {mean: box.net_force, after: 0.3}",
         "ground: {mean: ground.net_force.z, after: 0.3}", "ball: {mean: ball.net_force.z, after: 0.3}",
         "next: {mean: next.net_force.z, after: 0.3}", "least: {max: ground.net_force.z, after: 0.3}"});
    const Ran ran = s.run();
    const Values v = s.values(ran);
    ASSERT_LT(v.at("rest"), 0.3);
    EXPECT_GT(ran.events_of_kind(EVENT_BEGIN).size(), 5u) << "the balls hit the ground while the box sleeps";
    for (const char *name : {"at", "max", "min", "mean", "size"}) EXPECT_NEAR(v.at(name) / (0.7 * G), 1, 1e-6) << name;
    EXPECT_GT(v.at("ball"), 1);
    EXPECT_NEAR(v.at("ground"), -(v.at("mean") + v.at("ball") + v.at("next")), 1e-9);
    EXPECT_NEAR(v.at("least"), -0.7 * G, 1e-6 * G);
}

// Forces of the start: a ball whose overlap carries its weight, and one beside it that never touches.
TEST(NetForce, AtTheStartAndWithoutContact) {
    const std::string scene = std::string("  pairs: [{between: [steel, steel], restitution: 1}]\n  materials:\n"
                                          "    steel: {young: 1.0e+7, poisson: 0.3, density: 8000}\n  bodies:\n"
                                          "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n") +
                              body("ball", BALL, "position: [0, 0, 0.0495]") +
                              body("flies", BALL, "position: [9, 0, 5]");
    const NetForceStudy s(
        scene, "method: events, step: 1.0e-3, end: 0.01",
        {"start: {value: ball.net_force.z, at: start}", "zero: {value: ball.net_force.z, at: 0}",
         "pair: {value: net_force.z, between: [ground, ball], at: start}", "normal: {max: ball.contact_force}",
         "peak: {max: ball.net_force.z}", "least: {min: ball.net_force.z}", "flies: {max: flies.net_force}",
         "flies_mean: {mean: flies.net_force}", "begin: {value: flies.net_force, at: first_contact_begin}"});
    const Values v = s.values();
    const double stiffness = 4.0 / 3 * 1e7 / (1 - 0.09) / 2 * std::sqrt(0.05), force = stiffness * std::pow(5e-4, 1.5);
    EXPECT_NEAR(v.at("start") / force, 1, 1e-9);
    EXPECT_EQ(v.at("zero"), v.at("start"));
    EXPECT_EQ(v.at("pair"), v.at("start"));
    EXPECT_NEAR(v.at("peak"), v.at("normal"), 1e-9 * force);
    EXPECT_NEAR(v.at("least"), 0.7 * G, 1e-3) << "so slow a ball does not bounce";
    EXPECT_EQ(v.at("flies"), 0);
    EXPECT_EQ(v.at("flies_mean"), 0);
    EXPECT_TRUE(std::isnan(v.at("begin"))) << "it never touches";
}

// Steps end on the peak of a contact's normal force if it is the only one.
TEST(NetForce, LargestOfOneContactIsItsForce) {
    for (const char *accuracy : {"fast", "accurate"}) {
        const std::string scene = "  pairs: [{between: [steel, steel], restitution: 0.6, friction: 0}]\n  bodies:\n"
                                  "    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n" +
                                  body("ball", BALL, "position: [0, 0, 0.1], velocity: [0.4, 0, 0]");
        const std::string solver = std::string("method: events, step: 1.0e-3, end: 0.3, accuracy: ") + accuracy;
        const NetForceStudy s(scene, solver,
                              {"net: {max: ball.net_force}", "z: {max: ball.net_force.z}",
                               "ground: {min: ground.net_force.z}", "pair: {max: net_force, between: [ball, ground]}"});
        const NetForceStudy own(scene, solver, {"normal: {max: ball.contact_force}"});
        const Values v = s.values();
        const double normal = own.values().at("normal");
        EXPECT_GT(normal, 1000) << accuracy;
        EXPECT_NEAR(v.at("net") / normal, 1, 1e-9) << accuracy;
        EXPECT_NEAR(v.at("z") / normal, 1, 1e-9) << accuracy;
        EXPECT_NEAR(v.at("ground") / normal, -1, 1e-9) << accuracy;
        EXPECT_EQ(v.at("pair"), v.at("net")) << accuracy;
    }
}

// The forces on a body at each recorded time.
std::map<double, Vec3> recorded(const Ran &ran, uint32_t on) {
    std::map<double, Vec3> sums;
    for (const ContactRow &row : rows_of(ran)) {
        if (row.body_a != on && row.body_b != on) continue;
        const Vec3 force = vec3_add_scaled(row.tangential_N, row.normal, row.normal_N);
        Vec3 &sum = sums.insert({row.time_s, vec3_zero()}).first->second;
        sum = vec3_add_scaled(sum, force, row.body_b == on ? 1 : -1);
    }
    return sums;
}

TEST(NetForce, LargestOfSeveralContactsIsThatOfTheirRecordedSum) {
    const std::string scene = BODIES + body("can", "cylinder: {diameter: 0.1, length: 0.05}",
                                            "position: [0, 0, 0.0253], velocity: [0.2, 0, -0.1]");
    const Lines quantities = {"net: {max: can.net_force}", "z: {max: can.net_force.z}",
                              "one: {max: can.contact_force}"};
    const NetForceStudy s(scene, "method: events, step: 1.0e-3, end: 0.005", quantities,
                          "  contacts: {every: 1.0e-6}\n"),
        coarse(scene, "method: events, step: 1.0e-3, end: 0.005", quantities);
    const Ran ran = s.run();
    const Values v = s.values(ran), w = coarse.values();
    double largest = 0, along = 0, none = 0;
    for (const auto &[time, force] : recorded(ran, 1)) {
        largest = std::max(largest, vec3_length(force));
        along = std::max(along, force.z);
        none += 1;
    }
    EXPECT_GT(none, 20) << "samples in contact";
    EXPECT_GE(v.at("net"), largest * (1 - 1e-12));
    EXPECT_GE(v.at("z"), along * (1 - 1e-12));
    EXPECT_LT(v.at("net"), 1.002 * largest);
    EXPECT_GT(v.at("net"), 1.5 * v.at("one")) << "several contacts carry it";
    printf("largest net force of a can: %.9g of steps of 1e-6 s, %.3e more than recorded; %.3e less in free steps\n",
           v.at("net"), v.at("net") / largest - 1, 1 - w.at("net") / v.at("net"));
    EXPECT_NEAR(w.at("net") / v.at("net"), 1, 1e-5);
}

// The mean of the size where the force turns while it lasts: against recorded forces.
TEST(NetForce, MeanOfTheSizeIsThatOfTheRecordedForces) {
    const std::string scene = BODIES + body("ball", BALL,
                                            "position: [0, 0, 0.0501], velocity: [0.1, 0, -0.5], "
                                            "angular_velocity: [0, -9, 0]");
    double mean[2] = {0, 0};
    for (const bool is_fine : {false, true}) {
        const NetForceStudy s(scene,
                              std::string("method: events, step: 1.0e-3, end: 0.002, accuracy: ") +
                                  (is_fine ? "accurate" : "fast"),
                              {"size: {mean: ball.net_force}", "x: {mean: ball.net_force.x}"},
                              is_fine ? "  contacts: {every: 1.0e-7}\n" : "");
        const Ran ran = s.run();
        const Values v = s.values(ran);
        mean[is_fine] = v.at("size");
        if (!is_fine) continue;
        double sum = 0;
        for (const auto &[time, force] : recorded(ran, 1)) sum += vec3_length(force) * 1e-7;
        EXPECT_NEAR(v.at("size") / (sum / 0.002), 1, 1e-5) << "against the rule of rectangles";
        EXPECT_GT(std::abs(v.at("x")), 0.01 * v.at("size"));
    }
    printf("mean size of a net force: free fast steps are off by %.2e\n", mean[0] / mean[1] - 1);
    EXPECT_NEAR(mean[0] / mean[1], 1, 1e-3);
}

// Two balls far apart: two groups, which are at different times within a window.
TEST(NetForce, OfAFixedBodyWithSeveralGroups) {
    const std::string one = body("one", BALL, "position: [0, 0, 0.0502], velocity: [0, 0, -0.3]"),
                      other = body("other", BALL, "position: [50, 0, 0.05023], velocity: [0, 0, -0.3]");
    const std::string solver = "method: events, step: 2.0e-2, end: 0.02";
    const Lines ground = {"max: {max: ground.net_force}",
                          "min: {min: ground.net_force.z}",
                          "mean: {mean: ground.net_force.z}",
                          "size: {mean: ground.net_force}",
                          "at: {value: ground.net_force.z, at: 0.00079}",
                          "steel: {max: net_force, between: [both, ground]}"};
    const std::string sets = "  groups: {both: [one, other]}\n";
    const NetForceStudy s(sets + BODIES + one + other, solver, ground),
        samples(sets + BODIES + one + other, solver, ground, "  contacts: {every: 1.0e-6}\n"),
        mean_only(sets + BODIES + one + other, solver,
                  {ground[2], "of_one: {mean: one.net_force.z}", "of_other: {mean: other.net_force.z}",
                   "high: {max: one.net_force}"}),
        alone(BODIES + one, solver, {"high: {max: one.net_force}"});
    const Ran ran = s.run(), grouped = mean_only.run(), sampled = samples.run();
    const Values v = s.values(ran), m = mean_only.values(grouped);
    double largest = 0;
    for (const auto &[time, force] : recorded(sampled, 0)) largest = std::max(largest, vec3_length(force));
    const double single = alone.values().at("high");
    EXPECT_GT(largest, 1.05 * single) << "both balls press at once";
    EXPECT_LT(largest, 1.99 * single) << "but not at the same time";
    EXPECT_NEAR(v.at("max") / largest, 1, 1e-3);
    EXPECT_NEAR(-v.at("min") / largest, 1, 1e-3);
    EXPECT_NEAR(v.at("size"), -v.at("mean"), 2e-3 * v.at("size"));
    EXPECT_EQ(v.at("steel"), v.at("max"));
    EXPECT_NEAR(m.at("mean"), v.at("mean"), 1e-5 * std::abs(v.at("mean")));
    EXPECT_NEAR(m.at("mean"), -(m.at("of_one") + m.at("of_other")), 1e-12 * std::abs(m.at("mean")));
    EXPECT_NEAR(m.at("high") / single, 1, 1e-6);
    const auto at_time = recorded(sampled, 0).lower_bound(0.00079 - 1e-9);
    EXPECT_NEAR(v.at("at"), at_time->second.z, 1e-3 * largest);
    EXPECT_LT(grouped.progress().forces, ran.progress().forces) << "a mean of impulses opens windows as before";
}

// Gates by events of a fixed body open when they happen, whatever group it was: here a ball on a table opens a window
// before, in which two others hit the ground.
TEST(NetForce, AfterTheFirstContactOfAFixedBody) {
    const std::string table = "    table: {fixed: true, material: steel, shapes: [{box: {lengths: [1, 1, 0.1]}}], "
                              "position: [100, 0, 1]}\n";
    const std::string scene = BODIES + table + body("one", BALL, "position: [0, 0, 0.05003], velocity: [0, 0, -0.3]") +
                              body("other", BALL, "position: [50, 0, 0.05004], velocity: [0, 0, -0.3]") +
                              body("above", BALL, "position: [100, 0, 1.099999], velocity: [0, 0, -0.3]");
    const NetForceStudy s(scene, "method: events, step: 2.0e-2, end: 0.02",
                          {"all: {max: ground.net_force}", "after: {max: ground.net_force, after: first_contact_begin}",
                           "mean: {mean: ground.net_force.z}",
                           "mean_after: {mean: ground.net_force.z, after: first_contact_begin}",
                           "begin: {time_of: contact_begin, of: ground}"}),
        alone(scene, "method: events, step: 2.0e-2, end: 0.02",
              {"mean: {mean: ground.net_force.z}", "mean_after: {mean: ground.net_force.z, after: first_contact_begin}",
               "begin: {time_of: contact_begin, of: ground}"});
    const Values v = s.values(), m = alone.values();
    EXPECT_EQ(v.at("after"), v.at("all"));
    EXPECT_NEAR(v.at("mean_after") * (0.02 - v.at("begin")), v.at("mean") * 0.02, 1e-12);
    EXPECT_NEAR(m.at("mean_after") * (0.02 - m.at("begin")), m.at("mean") * 0.02, 1e-12);
}

// The force still grows as the scene ends.
TEST(NetForce, LargestMayBeThatOfTheEnd) {
    const NetForceStudy s(BODIES + body("ball", BALL, "position: [0, 0, 0.0501], velocity: [0, 0, -0.5]"),
                          "method: events, step: 1.0e-3, end: 0.00024",
                          {"max: {max: ball.net_force}", "end: {value: ball.net_force, at: 0.00024}"});
    const Values v = s.values();
    EXPECT_GT(v.at("end"), 100);
    EXPECT_EQ(v.at("max"), v.at("end"));
}

TEST(NetForce, OfMaterialsIsOnTheSecond) {
    const std::string scene = "  pairs:\n    - {between: [steel, aluminium], restitution: 0.5, friction: 0.1}\n"
                              "    - {between: [steel, steel], restitution: 0.5, friction: 0.1}\n"
                              "    - {between: [aluminium, aluminium], restitution: 0.5, friction: 0.1}\n  bodies:\n"
                              "    ground: {fixed: true, material: aluminium, shapes: [{half_space: {}}]}\n" +
                              body("ball", BALL, "position: [0, 0, 0.06]") +
                              body("next", BALL, "position: [1, 0, 0.06]");
    const NetForceStudy s(scene, "method: events, step: 1.0e-3, end: 0.1",
                          {"on_steel: {mean: net_force.z, materials: [aluminium, steel]}",
                           "on_aluminium: {mean: net_force.z, materials: [steel, aluminium]}",
                           "ball: {mean: ball.net_force.z}", "next: {mean: next.net_force.z}",
                           "most: {max: net_force, materials: [steel, aluminium]}", "ground: {max: ground.net_force}"});
    const Values v = s.values();
    EXPECT_GT(v.at("on_steel"), 0);
    EXPECT_NEAR(v.at("on_steel"), v.at("ball") + v.at("next"), 1e-12);
    EXPECT_EQ(v.at("on_aluminium"), -v.at("on_steel"));
    EXPECT_EQ(v.at("most"), v.at("ground"));
}

// A mean watches without a trace: neither the runs of single balls nor what is beside them matters to it.
TEST(NetForce, IsTheSameOnEveryPath) {
    const std::string scene = BODIES + body("ball", BALL, "position: [0, 0, 0.2], velocity: [0.3, 0, 0]");
    const std::string solver = "method: events, step: 1.0e-3, end: 0.6";
    const Lines states = {"x: {final: ball.position.x}", "z: {final: ball.position.z}", "v: {final: ball.velocity.z}"};
    const NetForceStudy without(scene, solver, states),
        with(scene, solver, states + Lines{"mean: {mean: ball.net_force.z}", "size: {mean: ball.net_force}"});
    const Values a = without.values(), b = with.values();
    for (const char *name : {"x", "z", "v"}) EXPECT_EQ(a.at(name), b.at(name)) << name;
    const NetForceStudy all(scene, solver,
                            {"mean: {mean: ball.net_force.z}", "size: {mean: ball.net_force}",
                             "max: {max: ball.net_force}", "least: {min: net_force.z, between: [ball, ground]}",
                             "at: {value: ball.net_force, at: 0.1745}"});
    const Values one = all.values();
    EXPECT_GT(one.at("max"), 0);
    for (uint32_t threads : {1u, 2u}) {
        DeviceHolder native("native", 0, threads);
        const Ran ran = run_scenes(native.device, std::vector<SceneDescription>(20, all.scene), *all.study,
                                   std::vector<uint64_t>(20, 0));
        for (uint32_t k : {0u, 7u, 19u}) {
            for (const auto &[name, value] : all.values(ran, k))
                EXPECT_EQ(value, one.at(name)) << name << " " << threads;
        }
    }
}

} // namespace
