// Arithmetic in studies: values, bounds and Python's opinion; every mistake with its column; numbers out of range.
#include <sys/wait.h>

#include <cstdlib>
#include <random>

#include "study_fixture.h"

namespace {

using ExpressionTest = StudyFixture;
const std::string sphere = "shapes: [{sphere: {diameter: 0.2}}]";

TEST_F(ExpressionTest, ConstantsHaveTheirValues) {
    const struct {
        const char *text;
        double value;
    } cases[] = {{"= 1 + 2*3", 7},
                 {"=(1 + 2)*3", 9},
                 {"=-2^2", -4},
                 {"=2^-1", 0.5},
                 {"=2^3^2", 512},
                 {"=2^-2^2", 0.0625},
                 {"=2*-3 + 1", -5},
                 {"=10 - 4 - 3", 3},
                 {"=12/2/3", 2},
                 {"=12/(2/3)", 18},
                 {"=--3", 3},
                 {"=1.5e-1 + .5", 0.65},
                 {"=2.*3.", 6},
                 {"=pi", M_PI},
                 {"=sqrt(16) + abs(-3)", 7},
                 {"=min(3, 2)*max(3, 2)", 6},
                 {"=min(max(1, 2), 7 - 6)", 1},
                 {"=sin(0.3)", std::sin(0.3)},
                 {"=cos(0.3)", std::cos(0.3)},
                 {"=tan(0.3)", std::tan(0.3)},
                 {"=asin(0.3)", std::asin(0.3)},
                 {"=acos(0.3)", std::acos(0.3)},
                 {"=atan(0.3)", std::atan(0.3)},
                 {"=atan2(-1, -2)", std::atan2(-1, -2)},
                 {"=exp(0.3)", std::exp(0.3)},
                 {"=log(0.3)", std::log(0.3)},
                 {"=floor(-1.5)", -2},
                 {"=ceil(-1.5)", -1},
                 {"=1 < 2 and 2 < 3", 1},
                 {"=1 < 2 and not 2 < 3", 0},
                 {"=not 2 + 3 < 1", 1},
                 {"=not not 5", 1},
                 {"=0 or 0 and 1 or -3", 1},
                 {"=(1 or 0) and 0", 0},
                 {"=1 or 0 and 0", 1},
                 {"=1 + (not 0)*2", 3},
                 {"=1or 0", 1},
                 {"=two*two + two ^ two", 8},
                 {"=exp2", 5}};
    for (const auto &c : cases) {
        ASSERT_TRUE(read("{two: 2, exp2: =3 + two}", sphere + ", position: [\"" + c.text + "\", 0, 0]"))
            << c.text << "\n"
            << told;
        EXPECT_EQ(study->parameter_count, 0u);
        EXPECT_EQ(study->scene.bodies[0].position_m[0], c.value) << c.text;
    }
}

// The words are names where variables have them, but for those between operands.
TEST_F(ExpressionTest, WordsOfLogic) {
    ASSERT_TRUE(read("{not: 3, android: 2, x: =not + android}", sphere + ", position: [$x, 0, 0]")) << told;
    EXPECT_EQ(study->scene.bodies[0].position_m[0], 5);
    const struct {
        const char *text, *message;
    } wrong[] = {{"=1 + not 2", "expected parentheses around \"not ...\" after an operator that binds before it"},
                 {"=1 and", "expected a number, a name, - or (, found the end of the expression"},
                 {"=and 1", "unknown name \"and\""},
                 {"=1 andy 2", "expected an operator, found \"andy 2\""},
                 {"=not", "expected a number, a name, - or (, found the end of the expression"}};
    for (const auto &c : wrong) {
        EXPECT_FALSE(read("{y: 1}", sphere + ", position: [\"" + std::string(c.text) + "\", 0, 0]")) << c.text;
        EXPECT_NE(told.find(c.message), std::string::npos) << c.text << "\n" << told;
    }
}

TEST_F(ExpressionTest, DerivedParametersFollowTheirVariables) {
    const std::string variables = "{late: =mid + 1, mid: \"=2*x\", x: {uniform: [1, 2]}, same: $mid}";
    const std::string ball = "shapes: [{sphere: {diameter: $mid}}], position: [\"=late - x*y\", "
                             "$same, {uniform: [0, 1]}]";
    ASSERT_TRUE(read("{y: {normal: [0, 1]}, " + variables.substr(1), ball)) << told;
    EXPECT_EQ(study->parameter_count, 6u);
    for (uint64_t scene = 0; scene < 100; scene++) {
        const std::vector<double> v = values(scene);
        const double x = v[parameter("x")], y = v[parameter("y")];
        EXPECT_EQ(v[parameter("mid")], 2 * x);
        EXPECT_EQ(v[parameter("late")], 2 * x + 1);
        EXPECT_EQ(v[parameter("scene.bodies.ball.position[0]")], 2 * x + 1 - x * y);
        SceneDescription made = {};
        ASSERT_EQ(sample_scene(study, v.data(), &made, nullptr), CLACK_OK);
        EXPECT_EQ(made.shapes[0].size_m[0], 2 * x);
        EXPECT_EQ(made.bodies[0].position_m[0], 2 * x + 1 - x * y);
        EXPECT_EQ(made.bodies[0].position_m[1], 2 * x);
        scene_free(&made);
    }
    const size_t place = parameter("scene.bodies.ball.position[0]");
    EXPECT_STREQ(study->parameters[place].text, "=late - x*y");
}

// A derived parameter takes no coordinate: the others are what they are without it.
TEST_F(ExpressionTest, DesignsVaryWhatIsSampledOnly) {
    for (const std::string design :
         {"{monte_carlo: {samples: 16}}", "{latin_hypercube: {samples: 16}}", "{sobol: {samples: 16}}",
          "{sobol: {samples: 16, scramble: none}}", "{grid: {levels: {x: 4, z: 4}}}"}) {
        const std::string with = "{x: {uniform: [1, 2]}, y: =x^2, z: {uniform: [3, 4]}}";
        const std::string without = "{x: {uniform: [1, 2]}, z: {uniform: [3, 4]}}";
        const std::string ball = sphere + ", position: [$x, 0, $z]";
        ASSERT_TRUE(read(without, ball, design)) << told;
        ASSERT_EQ(study->design.scene_count, 16u);
        std::vector<std::vector<double>> expected;
        for (uint64_t scene = 0; scene < 16; scene++) expected.push_back(values(scene));
        ASSERT_TRUE(read(with, ball, design)) << told;
        ASSERT_EQ(study->design.scene_count, 16u) << design;
        for (uint64_t scene = 0; scene < 16; scene++) {
            const std::vector<double> v = values(scene);
            EXPECT_EQ(v[0], expected[scene][0]);
            EXPECT_EQ(v[1], v[0] * v[0]);
            EXPECT_EQ(v[2], expected[scene][1]);
        }
    }
    EXPECT_FALSE(read("{x: {uniform: [1, 2]}, yy: =x^2}", sphere, "{grid: {levels: {x: 2, yy: 2}}}"));
    EXPECT_EQ(told, "@:3:32: design.grid.levels: unknown parameter \"yy\"\n");
}

// --- against Python, and bounds --------------------------------------------------------------------

std::string random_expression(std::mt19937_64 &engine, int depth) {
    const auto below = [&](int n) { return int(engine() % uint64_t(n)); };
    const char *leaves[] = {"a", "b", "c", "pi", "0.7", "3", "1e-1", "2.5"};
    const char *ones[] = {"sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "floor", "ceil"};
    const char *twos[] = {"min", "max", "atan2"};
    const char *signs[] = {" + ", " - ", "*", "/", "^"};
    if (depth == 0 || below(6) == 0) return leaves[below(8)];
    const std::string left = random_expression(engine, depth - 1);
    const char *comparisons[] = {" < ", "<=", ">", " >= ", "==", "!="};
    switch (below(8)) {
    case 5: {
        const char *words[] = {" and ", " or ", " and not ", " or not "};
        std::string text = below(3) == 0 ? "(not " : "(";
        for (int k = below(3); k >= 0; k--)
            text += random_expression(engine, depth - 1) + comparisons[below(6)] +
                    random_expression(engine, depth - 1) + words[below(4)];
        return text + left + comparisons[below(6)] + random_expression(engine, depth - 1) + ")";
    }
    case 0: return std::string(ones[below(12)]) + "(" + left + ")";
    case 1: return std::string(twos[below(3)]) + "(" + left + ", " + random_expression(engine, depth - 1) + ")";
    case 2: return "-" + left;
    case 3: return "(" + left + ")";
    case 4: return "(" + left + comparisons[below(6)] + random_expression(engine, depth - 1) + ")";
    default: return left + signs[below(5)] + random_expression(engine, depth - 1);
    }
}

int run_python(const std::string &arguments) {
    const int state = std::system(("python3 " + arguments).c_str());
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST_F(ExpressionTest, RandomOnesAgreeWithPythonAndTheirBounds) {
    std::mt19937_64 engine(20261121);
    std::string variables = "{a: {uniform: [-2, 3]}, b: {uniform: [0.1, 2]}, c: {integer: [-3, 4]}";
    std::vector<std::string> texts;
    for (int i = 0; i < 600; i++) {
        // Whatever is drawn, it varies: a constant would not become a parameter.
        texts.push_back("a*0 + " + random_expression(engine, 4));
        variables += ", e" + std::to_string(i) + ": \"=" + texts.back() + "\"";
    }
    ASSERT_TRUE(read(variables + "}", sphere)) << told;
    std::vector<ExpressionBounds> bounds(study->parameter_count);
    bounds[0] = {-2, 3, 0};
    bounds[1] = {0.1, 2, 0};
    bounds[2] = {-3, 4, 0};
    ASSERT_EQ(study->derivation_count, 600u);
    const std::string table = testing::TempDir() + "clack_expressions.txt";
    std::ofstream out(table);
    out.precision(17);
    size_t proven = 0;
    for (uint64_t scene = 0; scene < 50; scene++) {
        const std::vector<double> v = values(scene);
        for (size_t i = 0; i < 600; i++) {
            const Derivation &d = study->derivations[i];
            ASSERT_EQ(d.parameter, i + 3);
            const ExpressionBounds limits = expression_bounds(&d.expression, bounds.data());
            const double value = v[i + 3];
            if (std::isnan(value))
                EXPECT_TRUE(limits.may_fail) << texts[i];
            else
                EXPECT_TRUE(value >= limits.low && value <= limits.high)
                    << texts[i] << " = " << value << " in " << limits.low << ", " << limits.high;
            proven += !limits.may_fail && std::isfinite(limits.low) && std::isfinite(limits.high);
            if (scene < 5) out << v[0] << " " << v[1] << " " << v[2] << " " << value << " " << texts[i] << "\n";
        }
    }
    EXPECT_GT(proven, 50u * 150); // bounds that say something
    out.close();
    const std::string script = "'" CLACK_SOURCE_DIR "/tests/host/scene/check_expressions.py' '" + table + "'";
    const int code = run_python(script);
    if (code == 0) { // the check can fail
        std::ofstream(table) << "1 2 3 7.0000001 a + b*c\n";
        EXPECT_EQ(run_python(script + " >/dev/null"), 1);
    }
    std::remove(table.c_str());
    if (code == 127) GTEST_SKIP() << "no python3";
    EXPECT_EQ(code, 0);
}

// --- mistakes ---------------------------------------------------------------------------------------

TEST_F(ExpressionTest, MistakesAreToldWithTheirColumn) {
    const struct {
        const char *text, *line; // a variable of its own line
    } cases[] = {{"=2*speet", R"~(8: variables.e: unknown name "speet", did you mean "speed"?)~"},
                 {"\"=2*q\"", R"~(9: variables.e: unknown name "q", expected one of `variables`)~"},
                 {"=(1 + 2", R"~(6: variables.e: expected ")" for this "(", found none)~"},
                 {"=1 + 2)", R"~(11: variables.e: expected no ")" without its "(", found one)~"},
                 {"=sqroot(2)", R"~(6: variables.e: unknown function "sqroot", did you mean "sqrt"?)~"},
                 {"=1 + min(1)", R"~(10: variables.e: expected 2 arguments of min, found 1)~"},
                 {"=sin(1, 2)", R"~(6: variables.e: expected 1 argument of sin, found 2)~"},
                 {"=1 +", R"~(9: variables.e: expected a number, a name, - or (, found the end of the expression)~"},
                 {"=", R"~(6: variables.e: expected a number, a name, - or (, found the end of the expression)~"},
                 {"=2 3", R"~(8: variables.e: expected an operator, found "3")~"},
                 {"=2 * / 3", R"~(10: variables.e: expected a number, a name, - or (, found "/ 3")~"},
                 {"=1,2", R"~(7: variables.e: expected an operator, found ",2")~"},
                 {"=2*$speed", R"~(8: variables.e: expected a number, a name, - or (, found "$speed": in expressions )~"
                               R"~(variables are named without "$")~"},
                 {"=number", R"~(6: variables.e: expected "number" in a body with "count" only, found it here)~"},
                 {"=1/0", "5: variables.e: expected a finite number, found an expression that is inf"},
                 {"=sqrt(-1)", "5: variables.e: expected a finite number, found an expression that is -nan"},
                 {"=e + 1", "5: variables.e: expected no circle of variables, found e -> e"},
                 {"{uniform: [\"=speed\", 2]}",
                  "17: variables.e.uniform[0]: expected a constant, found an expression of numbers that vary"}};
    for (const auto &c : cases) {
        EXPECT_FALSE(read(std::string("\n speed: {uniform: [1, 2]}\n e: ") + c.text + "\n", sphere));
        const std::string line = std::string("@:4:") + c.line + "\n";
        if (line.find("-nan") != std::string::npos) { // its sign is nobody's business
            EXPECT_NE(told.find("found an expression that is"), std::string::npos) << told;
            continue;
        }
        EXPECT_EQ(told, line) << c.text;
    }
    std::string deep = "=1";
    for (int i = 0; i < 70; i++) deep = "=(" + deep.substr(1) + ")";
    EXPECT_FALSE(read("\n e: " + deep + "\n", sphere));
    EXPECT_EQ(told, "@:3:70: variables.e: expected at most 64 operators that wait, found more\n");
    EXPECT_FALSE(read("{pi: 3, number: 2}", sphere));
    EXPECT_EQ(told, "@:2:17: variables.pi: expected a name, found \"pi\", which expressions know\n"
                    "@:2:28: variables.number: expected a name, found \"number\", which expressions "
                    "know\n");
    EXPECT_FALSE(read("{}", sphere + ", mass: \"=1 - 2\""));
    EXPECT_EQ(told, "@:6:73: scene.bodies.ball.mass: expected a number > 0, found -1\n");
}

// --- ranges -------------------------------------------------------------------------------------------

TEST_F(ExpressionTest, RangesAreProvenOrLookedAtInEveryScene) {
    const std::string x = "{x: {uniform: [0, 1]}}";
    ASSERT_TRUE(read(x, sphere + ", mass: \"=x + 0.1\"")) << told;
    EXPECT_EQ(study->check_count, 0u); // proven
    EXPECT_FALSE(read(x, sphere + ", mass: \"=x - 0.8\""));
    EXPECT_EQ(told, "@:6:73: scene.bodies.ball.mass: expected a number > 0, found an expression "
                    "that is -0.3 at the medians of its variables\n");
    EXPECT_FALSE(read(x, sphere + ", mass: \"=x - 0.2\""));
    EXPECT_EQ(told.find("@:6:73: scene.bodies.ball.mass: scene "), 0u) << told;
    EXPECT_NE(told.find(": expected a number > 0, found -0."), std::string::npos) << told;
    // The first scene that is wrong, and that number, as sampling has them.
    ASSERT_TRUE(read(x, sphere + ", position: [$x, 0, 0]"));
    uint64_t first = 0;
    while (values(first)[0] > 0.2) first++;
    char expected[128];
    std::snprintf(expected, sizeof expected, "scene %d: expected a number > 0, found %g\n", int(first),
                  values(first)[0] - 0.2);
    EXPECT_FALSE(read(x, sphere + ", mass: \"=x - 0.2\""));
    EXPECT_NE(told.find(expected), std::string::npos) << told << expected;
    EXPECT_FALSE(read(x, sphere + ", position: [0, 0, \"=log(x - 0.3)\"]"));
    EXPECT_NE(told.find("expected a number, found "), std::string::npos) << told;
}

// Scenes that nobody looked at when the study was read are found when they are sampled.
TEST_F(ExpressionTest, AWrongSceneIsNeverMade) {
    const std::string ball = sphere + ", mass: \"=x - 0.01\"";
    ASSERT_TRUE(read("{x: {uniform: [0, 1]}}", ball, "{monte_carlo: {samples: 2}}")) << told;
    int wrong = 0;
    for (uint64_t scene = 0; scene < 1000; scene++) {
        std::vector<double> v(study->parameter_count);
        SceneDescription made = {};
        ClackReport report = {};
        const ClackStatus status = sample_numbered(study, scene, v.data(), &made, &report);
        ASSERT_EQ(status, v[1] > 0 ? CLACK_OK : CLACK_STUDY) << v[1];
        if (status == CLACK_OK) {
            scene_free(&made);
            continue;
        }
        wrong++;
        ASSERT_EQ(report.count, 1u);
        EXPECT_NE(std::string(report.lines[0]).find("ball.mass: scene " + std::to_string(scene) + ":"),
                  std::string::npos);
        EXPECT_EQ(clack_status_exit_code(report.status), 3);
        clack_report_clear(&report);
    }
    EXPECT_GT(wrong, 0);
}

TEST_F(ExpressionTest, SizesOfAShapeGoTogetherInEveryScene) {
    const std::string d = "{d: {uniform: [0.1, 0.3]}, w: {uniform: [0.1, 0.2]}}";
    EXPECT_TRUE(read(d, "shapes: [{cylinder: {diameter: $d, length: 1, inner_diameter: \"=0.8*d\", "
                        "smoothing: \"=d/2\"}}]"))
        << told;
    EXPECT_FALSE(read(d, "shapes: [{cylinder: {diameter: $d, length: 1, inner_diameter: \"=w + 0.02\"}}]"));
    EXPECT_EQ(told.find("@:6:92: scene.bodies.ball.shapes[0].cylinder.inner_diameter: scene "), 0u) << told;
    EXPECT_NE(told.find("expected inner_diameter < diameter (0."), std::string::npos) << told;
    EXPECT_FALSE(read(d, "shapes: [{cone: {diameter: 0.2, length: 1, top_diameter: \"=d\"}}]"));
    EXPECT_NE(told.find("expected top_diameter < diameter (0.2), found 0.2"), std::string::npos) << told;
    EXPECT_FALSE(read(d, "shapes: [{box: {lengths: [$d, 1, 1], smoothing: \"=0.05 + w/10\"}}]"));
    EXPECT_NE(told.find("expected smoothing <= what the shape has room for (0.0"), std::string::npos) << told;
    EXPECT_FALSE(read(d, "shapes: [{cone: {diameter: $d, length: 1, smoothing: \"=w/2\"}}]"));
    EXPECT_FALSE(read(d, "shapes: [{beam: {length: 1, width: $d, thickness: 1, smoothing: \"=w/2\"}}]"));
}

} // namespace
