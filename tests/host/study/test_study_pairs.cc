// Palettes of materials and pairs of a study: means, what is needed, what a study adds and overrides.
#include "study_reading.h"

namespace {

const ScenePair *pair_of(const SceneDescription &scene, const std::string &a, const std::string &b) {
    for (uint32_t i = 0; i < scene.pair_count; i++) {
        const std::string x = scene.materials[scene.pairs[i].material_a].name;
        const std::string y = scene.materials[scene.pairs[i].material_b].name;
        if ((x == a && y == b) || (x == b && y == a)) return &scene.pairs[i];
    }
    return nullptr;
}

// Balls of the materials, over a floor of the first one.
std::string balls(const std::string &more, const std::vector<std::string> &materials) {
    std::string text = "format: 1\nscene:\n" + more + "  bodies:\n";
    for (size_t i = 0; i < materials.size(); i++)
        text += "    b" + std::to_string(i) + ": {material: " + materials[i] + ", shapes: [{sphere: {diameter: 1}}]}\n";
    return text + "solver: {end: 1}\n";
}

TEST(Study, MissingPairIsTheMean) {
    const ReadResult result = read_text(balls("", {"steel", "dry_wood", "billiard_ball"}));
    expect_ok(result); // numbers of Modia3D.jl 0.12.3's palettes
    const ScenePair *pair = pair_of(result.study->scene, "steel", "dry_wood");
    ASSERT_NE(pair, nullptr);
    EXPECT_DOUBLE_EQ(pair->restitution, 0.65);
    EXPECT_DOUBLE_EQ(pair->friction, 0.4);
    EXPECT_DOUBLE_EQ(pair->rolling, 0.001);
    pair = pair_of(result.study->scene, "billiard_ball", "steel");
    ASSERT_NE(pair, nullptr);
    EXPECT_DOUBLE_EQ(pair->restitution, 0.85);
    EXPECT_DOUBLE_EQ(pair->friction, 0.25);
    EXPECT_DOUBLE_EQ(pair->rolling, 0.0005);
    EXPECT_DOUBLE_EQ(pair->speed_small_m_per_s, 0.01);
    EXPECT_DOUBLE_EQ(pair->damping_max_s_per_m, 2000);
    // One body of each: none touches its own kind.
    EXPECT_EQ(result.study->scene.pair_count, 3u);
    EXPECT_EQ(pair_of(result.study->scene, "steel", "steel"), nullptr);
}

// A row of two materials that gives one number has the mean for the rest; one that gives what a row needs has defaults.
TEST(Study, ARowThatGivesOneNumberKeepsTheMean) {
    const ReadResult one =
        read_text(balls("  pairs: [{between: [dry_wood, steel], friction: 0.15}]\n", {"steel", "dry_wood"}));
    expect_ok(one);
    const ScenePair *pair = pair_of(one.study->scene, "steel", "dry_wood");
    ASSERT_NE(pair, nullptr);
    EXPECT_DOUBLE_EQ(pair->restitution, 0.65);
    EXPECT_DOUBLE_EQ(pair->rolling, 0.001);
    EXPECT_EQ(pair->friction, 0.15);
    const ReadResult whole = read_text(
        balls("  pairs: [{between: [dry_wood, steel], friction: 0.2, restitution: 0.5}]\n", {"steel", "dry_wood"}));
    expect_ok(whole);
    pair = pair_of(whole.study->scene, "steel", "dry_wood");
    EXPECT_EQ(pair->rolling, 0);
    EXPECT_EQ(pair->restitution, 0.5);
    const ReadResult laws =
        read_text(balls("  pairs:\n"
                        "    - {between: [steel, steel], damping: exact, friction_law: mindlin}\n"
                        "    - {between: [dry_wood, dry_wood], damping: exact, friction_law: mindlin}\n"
                        "    - {between: [dry_wood, steel], restitution: 0.9}\n",
                        {"steel", "dry_wood"}));
    expect_ok(laws);
    pair = pair_of(laws.study->scene, "steel", "dry_wood");
    EXPECT_EQ(pair->damping, DAMPING_EXACT);
    EXPECT_TRUE(pair->has_spring);
    EXPECT_EQ(pair->restitution, 0.9);
    EXPECT_DOUBLE_EQ(pair->friction, 0.4);
    const ReadResult linear =
        read_text(balls("  pairs: [{between: [dry_wood, steel], normal: {linear: {stiffness: 1e5, "
                        "damping: 3}}}]\n",
                        {"steel", "dry_wood"}));
    expect_ok(linear);
    pair = pair_of(linear.study->scene, "steel", "dry_wood");
    EXPECT_EQ(pair->restitution, 0); // not the mean's: the law has its own damping
    EXPECT_DOUBLE_EQ(pair->friction, 0.4);
    const ReadResult own =
        read_text(balls("  pairs: [{between: [aluminium, aluminium], friction: 0.2}]\n", {"aluminium"}));
    ASSERT_EQ(own.lines.size(), 1u);
    EXPECT_NE(own.lines[0].find("expected the key \"restitution\" (a number from 0 to 1), found none"),
              std::string::npos);
}

TEST(Study, OnlyPairsThatMayTouchAreNeeded) {
    // Two fixed bodies, and two shapes of one body, never touch.
    const ReadResult result = read_text("format: 1\nscene:\n  bodies:\n"
                                        "    a: {fixed: true, material: aluminium, shapes: [{half_space: {}}]}\n"
                                        "    b: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
                                        "solver: {end: 1}\n");
    expect_ok(result);
    EXPECT_EQ(result.study->scene.pair_count, 0u);
    const ReadResult two =
        read_text("format: 1\nscene:\n  bodies:\n"
                  "    a: {shapes: [{sphere: {diameter: 1}, material: aluminium, contact_material: steel},\n"
                  "                 {sphere: {diameter: 1}, material: dry_wood}]}\n"
                  "    b: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
                  "solver: {end: 1}\n");
    expect_ok(two);
    EXPECT_EQ(two.study->scene.material_count, 3u);
    EXPECT_EQ(two.study->scene.shapes[0].material, 0u);
    EXPECT_EQ(two.study->scene.shapes[0].contact_material, 1u);
    EXPECT_EQ(two.study->scene.pair_count, 2u); // steel-steel and wood-steel
    EXPECT_NE(pair_of(two.study->scene, "steel", "steel"), nullptr);
    EXPECT_NE(pair_of(two.study->scene, "dry_wood", "steel"), nullptr);
}

TEST(Study, PalettesAreExtendedAndOverridden) {
    const ReadResult result =
        read_text(balls("  materials: {steel: {density: 7850}, cork: {young: 2e7, poisson: 0.1, density: 240}}\n"
                        "  pairs:\n"
                        "    - {between: [steel, steel], friction: 0.1, damping: lee_wang}\n"
                        "    - {between: [cork, steel], restitution: 0.2, friction: 0.6}\n",
                        {"steel", "steel", "cork"}));
    expect_ok(result);
    const SceneDescription &scene = result.study->scene;
    EXPECT_EQ(scene.materials[0].density_kg_per_m3, 7850);
    EXPECT_EQ(scene.materials[0].young_Pa, 2e11); // left out: the palette's
    const ScenePair *pair = pair_of(scene, "steel", "steel");
    ASSERT_NE(pair, nullptr);
    EXPECT_EQ(pair->friction, 0.1);
    EXPECT_EQ(pair->damping, DAMPING_LEE_WANG);
    EXPECT_EQ(pair->restitution, 0.7); // the palette's
    EXPECT_EQ(pair->rolling, 0.001);   // the palette's
    pair = pair_of(scene, "cork", "steel");
    ASSERT_NE(pair, nullptr);
    EXPECT_EQ(pair->rolling, 0); // a new pair's default
    EXPECT_EQ(pair->damping, DAMPING_FLORES);
    expect_error(read_text(balls("  pairs: [{between: [steel, steel], damping: gonthier}]\n", {"steel", "dry_wood"})),
                 {"@:6:9: scene.bodies.b1: expected a row of scene.pairs between \"dry_wood\" (of b1) and "
                  "\"steel\" (of b0), which may touch, found none, and their rows differ in damping: "
                  "write the pair out"});
    expect_error(read_text(balls("  pairs:\n    - {between: [steel, dry_wood], restitution: 1, friction: 0}\n"
                                 "    - {between: [dry_wood, steel], restitution: 0, friction: 0}\n",
                                 {"steel"})),
                 {"@:5:7: scene.pairs[1]: expected each pair once, found \"dry_wood\" and \"steel\" also at "
                  "@:4:7"});
    // One mistake, one line, however many bodies make it.
    EXPECT_EQ(read_text(balls("", {"steel", "aluminium", "steel", "steel"})).lines.size(), 1u);
    expect_error(read_text(balls("  pairs: [{between: [steel, aluminium], rolling: 0}]\n", {"steel"})),
                 {"@:3:11: scene.pairs[0]: expected the key \"restitution\" (a number from 0 to 1), "
                  "found none, and one of the two has no row with itself to take a mean",
                  "@:3:11: scene.pairs[0]: expected the key \"friction\" (a number >= 0), found none, and one of the "
                  "two has no row with itself to take a mean"});
}

TEST(Study, LinearNormalForce) {
    const std::string pair = "  pairs: [{between: [steel, steel], ", friction = ", friction: 0.1}]\n";
    ReadResult result =
        read_text(balls(pair + "normal: {linear: {stiffness: 1.0e5, damping: 3}}" + friction, {"steel", "steel"}));
    expect_ok(result);
    const ScenePair *read = &result.study->scene.pairs[0];
    EXPECT_EQ(read->normal_law, NORMAL_LINEAR);
    EXPECT_EQ(read->linear_stiffness_N_per_m, 1e5);
    EXPECT_EQ(read->linear_damping_N_s_per_m, 3);
    EXPECT_EQ(read->linear_restitution, 0);
    EXPECT_EQ(read->friction, 0.1);
    EXPECT_EQ(read->rolling, 0.001); // the palette's
    result =
        read_text(balls(pair + "normal: {linear: {stiffness: 1.0e5, restitution: 1}}" + friction, {"steel", "steel"}));
    expect_ok(result);
    EXPECT_EQ(result.study->scene.pairs[0].linear_restitution, 1);
    EXPECT_EQ(result.study->scene.pairs[0].linear_damping_N_s_per_m, 0);
    // A new pair needs no other restitution; Hertz's is the default, and has a name.
    expect_ok(read_text(
        balls("  pairs: [{between: [steel, aluminium], normal: {linear: {stiffness: 1.0e5, damping: 0}}" + friction,
              {"steel", "aluminium"})));
    result = read_text(balls(pair + "normal: hertz, restitution: 0.4" + friction, {"steel", "steel"}));
    expect_ok(result);
    EXPECT_EQ(result.study->scene.pairs[0].normal_law, NORMAL_HERTZ);
    EXPECT_EQ(result.study->scene.pairs[0].linear_stiffness_N_per_m, 0);
}

// Its numbers may vary as others do, and are recorded with their units.
TEST(Study, LinearNormalForceVaries) {
    const ReadResult result = read_text(balls("  pairs: [{between: [steel, steel], normal: {linear: {stiffness: "
                                              "{log_uniform: [1.0e4, 1.0e6]}, restitution: "
                                              "{uniform: [0.2, 0.9]}}}}]\n",
                                              {"steel", "steel"}) +
                                        "design: {monte_carlo: {samples: 2}}\n");
    expect_ok(result);
    EXPECT_EQ(result.study->parameter_count, 2u);
    EXPECT_EQ(result.study->binding_count, 2u);
}

TEST(Study, EveryDampingWordHasItsCode) {
    const char *words[] = {
        "none",     "flores",   "hunt_crossley", "lankarani_nikravesh", "hu_guo", "herbert_mcwhannell",
        "lee_wang", "gonthier", "exact"};
    for (uint32_t code = 0; code < 9; code++) {
        const ReadResult result = read_text(balls(
            std::string("  pairs: [{between: [steel, steel], damping: ") + words[code] + "}]\n", {"steel", "steel"}));
        expect_ok(result);
        EXPECT_EQ(result.study->scene.pairs[0].damping, code);
    }
}

} // namespace
