// Numbers drawn together: closed forms, designs, mistakes; and SciPy's opinion at 1e6 samples.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "study_fixture.h"

namespace {

using GroupTest = StudyFixture;
const std::string sphere = "shapes: [{sphere: {diameter: 0.2}}]";

TEST_F(GroupTest, VectorsHaveTheirLength) {
    for (const std::string design : {"monte_carlo", "latin_hypercube", "sobol"}) {
        ASSERT_TRUE(read("{v: {uniform: [1, 2]}}",
                         sphere + ", velocity: {unit_vector: {length: \"=2*v\"}}, angular_velocity: "
                                  "{unit_vector: {}}, rotation: {random: {}}",
                         "{" + design + ": {samples: 64}}"))
            << told;
        ASSERT_EQ(study->parameter_count, 12u);
        const size_t velocity = parameter("scene.bodies.ball.velocity[0]");
        const size_t spin = parameter("scene.bodies.ball.angular_velocity[0]");
        const size_t turn = parameter("scene.bodies.ball.rotation.quaternion[0]");
        for (uint64_t scene = 0; scene < 64; scene++) {
            const std::vector<double> v = values(scene);
            const auto length = [&](size_t at, int count) {
                double sum = 0;
                for (int i = 0; i < count; i++) sum += v[at + size_t(i)] * v[at + size_t(i)];
                return std::sqrt(sum);
            };
            EXPECT_NEAR(length(velocity, 3), 2 * v[parameter("v")], 4e-15);
            EXPECT_NEAR(length(spin, 3), 1, 1e-15);
            EXPECT_NEAR(length(turn, 4), 1, 1e-15);
            SceneDescription made = {};
            ASSERT_EQ(sample_scene(study, v.data(), &made, nullptr), CLACK_OK);
            for (size_t i = 0; i < 3; i++) {
                EXPECT_EQ(made.bodies[0].velocity_m_per_s[i], v[velocity + i]);
                EXPECT_EQ(made.bodies[0].angular_velocity_rad_per_s[i], v[spin + i]);
            }
            EXPECT_EQ(made.bodies[0].rotation.kind, ROTATION_QUATERNION);
            for (size_t i = 0; i < 4; i++) EXPECT_EQ(made.bodies[0].rotation.value[i], v[turn + i]);
            scene_free(&made);
        }
    }
}

TEST_F(GroupTest, GravityMayHaveAnyDirection) {
    ASSERT_TRUE(read_text("format: 1\nscene:\n  gravity: {unit_vector: {length: 1.62}}\n  bodies:\n"
                          "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}]}\n"
                          "solver: {end: 1}\ndesign: {monte_carlo: {samples: 4}}\n"))
        << told;
    ASSERT_EQ(study->parameter_count, 3u);
    for (uint64_t scene = 0; scene < 4; scene++) {
        const std::vector<double> v = values(scene);
        SceneDescription made = {};
        ASSERT_EQ(sample_scene(study, v.data(), &made, nullptr), CLACK_OK);
        EXPECT_EQ(made.has_point_gravity, 0u);
        const double *g = made.gravity_m_per_s2;
        EXPECT_NEAR(std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 1.62, 4e-15);
        for (size_t i = 0; i < 3; i++) EXPECT_EQ(g[i], v[parameter("scene.gravity[" + std::to_string(i) + "]")]);
        scene_free(&made);
    }
}

// z = 2 u - 1: a latin hypercube has one in each of its intervals; and so has the first of correlated normals.
TEST_F(GroupTest, LatinHypercubesStratifyGroups) {
    ASSERT_TRUE(read("{g: {correlated_normals: {names: [p, q], means: [3, 5], sds: [2, 0.5], "
                     "correlation: [[1, -0.6], [-0.6, 1]]}}}",
                     sphere + ", velocity: {unit_vector: {}}, position: [$p, $q, 0]",
                     "{latin_hypercube: {samples: 50}}"))
        << told;
    std::vector<int> strata, normal;
    for (uint64_t scene = 0; scene < 50; scene++) {
        const std::vector<double> v = values(scene);
        strata.push_back(int(25 * (v[parameter("scene.bodies.ball.velocity[2]")] + 1)));
        normal.push_back(int(50 * 0.5 * std::erfc(-(v[parameter("p")] - 3) / 2 / std::sqrt(2.0))));
    }
    std::sort(strata.begin(), strata.end());
    std::sort(normal.begin(), normal.end());
    for (int i = 0; i < 50; i++) {
        EXPECT_EQ(strata[size_t(i)], i);
        EXPECT_EQ(normal[size_t(i)], i);
    }
}

// By the conditional law of two normals: (q - 5) / 0.5 = r z1 + sqrt(1 - r^2) z2, z1 and z2 as drawn.
TEST_F(GroupTest, CorrelatedNormalsAreMadeOfIndependentOnes) {
    const std::string ball = sphere + ", position: [$p, $q, 0]", design = "{sobol: {samples: 64}}";
    ASSERT_TRUE(read("{p: {normal: [0, 1]}, q: {normal: [0, 1]}}", ball, design)) << told;
    std::vector<std::vector<double>> plain;
    for (uint64_t scene = 0; scene < 64; scene++) plain.push_back(values(scene));
    ASSERT_TRUE(read("{g: {correlated_normals: {names: [p, q], means: [3, 5], sds: [2, 0.5], "
                     "correlation: [[1, 0.8], [0.8, 1]]}}}",
                     ball, design))
        << told;
    EXPECT_STREQ(study->parameters[1].text, "normal(mean 5, sd 0.5), correlated in g");
    for (uint64_t scene = 0; scene < 64; scene++) {
        const std::vector<double> v = values(scene);
        EXPECT_NEAR(v[0], 3 + 2 * plain[scene][0], 4e-15);
        EXPECT_NEAR(v[1], 5 + 0.5 * (0.8 * plain[scene][0] + 0.6 * plain[scene][1]), 4e-15);
    }
}

TEST_F(GroupTest, VelocitiesMayVanishAndDirectionsMayNot) {
    EXPECT_TRUE(read("{}", sphere + ", velocity: {unit_vector: {length: 0}}")) << told;
    const std::vector<double> still = values(0);
    for (size_t i = 0; i < 3; i++) EXPECT_EQ(still.at(i), 0);
    EXPECT_FALSE(read("{}", sphere + ", rotation: {axis: {unit_vector: {length: 0}}, angle: 1}"));
    EXPECT_NE(told.find("axis.unit_vector.length: expected a number > 0, found 0"), std::string::npos) << told;
}

TEST_F(GroupTest, MistakesAreTold) {
    const std::string grid = "{grid: {levels: 3}}";
    EXPECT_FALSE(read("{}", sphere + ", velocity: {unit_vector: {}}", grid));
    EXPECT_EQ(told, "@:3:16: design.grid: expected a design that samples, since "
                    "\"scene.bodies.ball.velocity[0]\" is drawn together with others, found a grid\n");
    EXPECT_FALSE(read("{}", sphere + ", velocity: {unit_vector: {length: -1}}, rotation: {random: 3}"));
    EXPECT_EQ(told, "@:6:99: scene.bodies.ball.velocity.unit_vector.length: expected a number >= 0, "
                    "found -1\n@:6:124: scene.bodies.ball.rotation.random: expected an empty map {}, "
                    "found 3\n");
    const auto group = [](const std::string &keys) {
        return "\n g: {correlated_normals: {names: [a, b], means: [1, 2], " + keys + "}}\n";
    };
    EXPECT_FALSE(read(group("sds: [1, 0], correlation: [[1, 0.5], [0.4, 1]]"), sphere));
    EXPECT_EQ(told, "@:3:66: variables.g.correlated_normals.sds[1]: expected a number > 0, found 0\n"
                    "@:3:95: variables.g.correlated_normals.correlation[1][0]: expected a symmetric "
                    "matrix, found 0.4 here and 0.5 in [0][1]\n");
    EXPECT_FALSE(read(group("sds: [1, 1], correlation: [[1, 1], [1, 1]]"), sphere));
    EXPECT_EQ(told, "@:3:83: variables.g.correlated_normals.correlation: expected a positive definite "
                    "matrix, found one that is not\n");
    EXPECT_FALSE(read(group("sds: [1], correlation: [[2, 0], [0, 0.5]]"), sphere));
    EXPECT_NE(told.find("sds: expected a list of 2 numbers, one for each name, found a list of 1"), std::string::npos);
    EXPECT_NE(told.find("correlation[0][0]: expected a number from -1 to 1, found 2"), std::string::npos);
    EXPECT_FALSE(read(group("sds: [1, 1], correlation: [[1, 0], [0, 0.5]]"), sphere));
    EXPECT_NE(told.find("correlation[1][1]: expected 1 on the diagonal, found 0.5"), std::string::npos);
    EXPECT_FALSE(read("{a: 1, g: {correlated_normals: {names: [a, b], means: [1, 2], sds: [1, 1], "
                      "correlation: [[1, 0], [0, 1]]}}}",
                      sphere));
    EXPECT_NE(told.find("names[0]: expected a new name, found \"a\" a second time"), std::string::npos);
    ASSERT_FALSE(read(group("sds: [1, 1], correlation: [[1, 0], [0, 1]]"), sphere + ", mass: $a"));
    EXPECT_NE(told.find("scene.bodies.ball.mass: expected a number > 0, found one of several numbers drawn "
                        "together, which can be as low as -inf: compute it by an expression"),
              std::string::npos)
        << told;
}

// --- SciPy ----------------------------------------------------------------------------------------

constexpr int skipped = 77, not_found = 127;

int run_python(const std::string &arguments) {
    const char *chosen = std::getenv("CLACK_PYTHON");
    for (const std::string name : {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
        if (name.empty()) continue;
        const int state = std::system(("'" + name + "' " + arguments).c_str());
        const int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
        if (code != skipped && code != not_found) return code;
    }
    return skipped;
}

TEST_F(GroupTest, AgreeWithSciPyAtAMillionSamples) {
    ASSERT_TRUE(read("{g: {correlated_normals: {names: [p, q, r], means: [3, 5, -1], sds: [2, 0.5, 1], "
                     "correlation: [[1, 0.8, -0.3], [0.8, 1, 0.1], [-0.3, 0.1, 1]]}}}",
                     sphere + ", velocity: {unit_vector: {length: 2}}, rotation: {random: {}}",
                     "{monte_carlo: {samples: 1000000, seed: 5}}"))
        << told;
    ASSERT_EQ(study->parameter_count, 10u); // p q r, then rotation and velocity in the order of the file
    ASSERT_EQ(parameter("scene.bodies.ball.velocity[0]"), 3u);
    ASSERT_EQ(parameter("scene.bodies.ball.rotation.quaternion[0]"), 6u);
    const std::string file = testing::TempDir() + "clack_groups.bin";
    const std::string script = "'" CLACK_SOURCE_DIR "/tests/host/scene/check_groups.py' '" + file + "'";
    std::ofstream out(file, std::ios::binary), off;
    std::vector<double> v(10);
    for (uint64_t scene = 0; scene < 1000000; scene++) {
        sample_parameters(study, scene, v.data());
        out.write(reinterpret_cast<const char *>(v.data()), 10 * sizeof(double));
    }
    out.close();
    const int code = run_python(script);
    if (code == 0) {
        EXPECT_EQ(run_python(script + " spoil >/dev/null"), 1); // the check can fail
    }
    std::remove(file.c_str());
    if (code == skipped) GTEST_SKIP() << "no Python with SciPy";
    EXPECT_EQ(code, 0);
}

} // namespace
