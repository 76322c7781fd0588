// Convex shapes against meshes: contact regions of the surfaces that stand for them; against each other the narrow
// phase.
#include "mesh_scenes.h"
#include "stage_mesh.h"
#include "study_folder.h"

namespace {

using namespace regions;

const SceneMesh *block() { // 4 m wide, its top at z = 0
    static const SceneMesh *const table = shared_mesh(meshes::box(2, 2, 0.5).moved(0, 0, -0.5));
    return table;
}

SceneBuilder on_block() {
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.body("block", true, {0, 0, 0});
    b.mesh(block());
    return b;
}

/// One region of the second body placed at a height, its frame turned.
ClackRegion region_at(const SceneBuilder &from, double z, Quat turn = {1, 0, 0, 0}) {
    SceneBuilder b = from;
    std::vector<UserState> states(2);
    states[0].orientation[0] = 1;
    const double q[] = {turn.w, turn.x, turn.y, turn.z}, at[] = {0.0123, -0.0321, z};
    std::copy(q, q + 4, states[1].orientation);
    std::copy(at, at + 3, states[1].position_m);
    const Contacts found = Evaluator(b.view(), evaluate_options(0)).run(states);
    EXPECT_EQ(found.row_count, 0u);
    EXPECT_EQ(found.region_count, 1u);
    return found.region_count == 1 ? found.regions[0] : ClackRegion{};
}

// A cap of a sphere: area pi (2 R d - d^2) where it is cut. The inscribed surface lacks at most l^2 / (6 R) anywhere.
TEST(ConvexRegions, SphereOnBlock) {
    const double radius = 0.5, depth = 0.05;
    for (double size : {0.05, 0.025, 0.0125}) {
        SceneBuilder b = on_block();
        b.body("ball", false, {0, 0, 0});
        b.shape(SHAPE_SPHERE, {2 * radius, 0, 0, 0}).mesh_size_m = size;
        const double off = size * size / (6 * radius);
        const ClackRegion row = region_at(b, radius - depth, quat_normalize({0.3, 0.2, -0.5, 0.6}));
        EXPECT_LE(row.indentation_m, depth);
        EXPECT_GE(row.indentation_m, depth - off);
        EXPECT_EQ(row.thickness_m, row.indentation_m); // twice the mean: the contour is flat
        EXPECT_NEAR(row.volume_m3 / row.area_m2, 0.5 * depth, 0.03 * depth);
        EXPECT_LE(row.area_m2, PI * (2 * radius * depth - depth * depth));
        EXPECT_GE(row.area_m2, PI * (2 * (radius - off) * (depth - off) - depth * depth));
        EXPECT_NEAR(row.normal[2], 1, 1e-12);
        EXPECT_NEAR(row.centroid_m[0], 0.0123, size * size);
        EXPECT_EQ(row.body_b, 1u);
    }
}

// Cylinders, beams and boxes that stand on the block: the area of their polygon, the depth exactly. Placed and turned
// as the narrow phase has them.
TEST(ConvexRegions, FlatEndsOnBlock) {
    const double depth = 0.02;
    SceneBuilder b = on_block();
    b.body("cylinder", false, {0, 0, 0});
    b.shape(SHAPE_CYLINDER, {0.6, 1, 0, 0}).mesh_size_m = 0.05;
    ClackRegion row = region_at(b, 0.5 - depth);
    EXPECT_NEAR(row.indentation_m, depth, 1e-15);
    EXPECT_NEAR(row.thickness_m, depth, 1e-15); // the mean itself
    EXPECT_NEAR(row.volume_m3 / row.area_m2, depth, 1e-14);
    EXPECT_NEAR(row.area_m2, PI * 0.09, PI * 0.09 * 0.01);

    b = on_block();
    b.body("beam", false, {0, 0, 0});
    SceneShape &beam = b.shape(SHAPE_BEAM, {0.5, 0.3, 0.2, 0}); // width along y, thickness along z
    beam.axis = 0;
    beam.mesh_size_m = 0.02;
    row = region_at(b, 0.1 - depth);
    EXPECT_NEAR(row.indentation_m, depth, 1e-15);
    EXPECT_NEAR(row.area_m2, 0.15 + PI * 0.0225, 0.0225 * 0.01);
    EXPECT_NEAR(row.centroid_m[0], 0.0123, 1e-12);
    row = region_at(b, 0.4 - depth, quat_exp({0, PI / 2, 0})); // on a round end: a strip across it
    EXPECT_NEAR(row.indentation_m, depth, 5e-4);
    EXPECT_NEAR(row.area_m2, 0.2 * 2 * std::sqrt(2 * 0.15 * depth - depth * depth), 1e-3);

    b = on_block();
    b.body("box", false, {0, 0, 0});
    SceneShape &box = b.shape(SHAPE_BOX, {0.3, 0.4, 0.5, 0});
    box.position_m[0] = 0.2; // off the frame's origin
    row = region_at(b, 0.25 - depth);
    EXPECT_NEAR(row.indentation_m, depth, 1e-15);
    EXPECT_NEAR(row.area_m2, 0.12, 1e-15);
    EXPECT_NEAR(row.centroid_m[0], 0.2123, 1e-12);

    b = on_block();
    b.body("hull", false, {0, 0, 0});
    static const SceneHull *const hull = shared_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0.01);
    b.hull(hull, 0.5);
    row = region_at(b, -depth);
    EXPECT_NEAR(row.indentation_m, depth, 1e-15);
    EXPECT_NEAR(row.area_m2, 0.5 * (0.5 - depth) * (0.5 - depth), 1e-15);
    EXPECT_NEAR(row.centroid_m[0], 0.0123 + (0.5 - depth) / 3, 1e-12);
}

// The same surface as a mesh of its own gives the same bits.
TEST(ConvexRegions, AreThoseOfTheMeshThatStandsForIt) {
    Shape shape{};
    shape.kind = SHAPE_CAPSULE;
    shape.size_m[0] = 0.1;
    shape.size_m[1] = 0.2;
    Mesh *mesh = nullptr;
    ASSERT_EQ(tessellate(&shape, nullptr, 0.03, &mesh, nullptr), CLACK_OK);
    SceneMesh *table = nullptr;
    ASSERT_EQ(mesh_table_make(mesh, &table, nullptr), CLACK_OK);
    mesh_free(mesh);
    table->number = uint32_t(shared_meshes().size());
    shared_meshes().push_back(table);
    SceneBuilder convex = on_block(), own = on_block();
    for (SceneBuilder *b : {&convex, &own}) {
        b->body("pin", false, {0, 0, 0});
        SceneShape &s = b == &convex ? b->shape(SHAPE_CAPSULE, {0.2, 0.4, 0, 0}) : b->mesh(table);
        s.mesh_size_m = 0.03;
        b->bodies.back().mass_kind = MASS_GIVEN;
        b->bodies.back().mass_kg = 1;
        for (int k = 0; k < 3; k++) b->bodies.back().inertia_kg_m2[k] = 1;
    }
    const std::vector<UserState> states = random_states(convex.view(), 100, 0.6);
    const Contacts one = Evaluator(convex.view(), evaluate_options(0)).run(states);
    const Contacts other = Evaluator(own.view(), evaluate_options(0)).run(states);
    EXPECT_GT(one.region_count, 30u);
    EXPECT_TRUE(same_regions(one, other));
}

// Of a block, a ball and a box each pair with the block has regions, the ball and the box have contacts.
TEST(ConvexRegions, ConvexPairsKeepTheNarrowPhase) {
    SceneBuilder b = on_block();
    b.body("ball", false, {0, 0, 0});
    b.shape(SHAPE_SPHERE, {0.2, 0, 0, 0});
    b.body("box", false, {0, 0, 0});
    b.shape(SHAPE_BOX, {0.2, 0.2, 0.2, 0});
    Evaluator evaluator(b.view(), evaluate_options(0));
    EXPECT_EQ(clack_evaluator_region_pair_count(evaluator.handle), 2u);
    std::vector<UserState> states(3);
    for (UserState &s : states) s.orientation[0] = 1;
    states[1].position_m[2] = 0.09;
    states[2].position_m[2] = 0.09;
    states[2].position_m[0] = 0.19;
    const Contacts found = evaluator.run(states);
    ASSERT_EQ(found.row_count, 1u);
    EXPECT_NEAR(found.rows[0].distance_m, -0.01, 1e-15);
    EXPECT_EQ(found.region_count, 2u);
}

TEST(ConvexRegions, ShapesThatAreAlikeShareAMesh) {
    SceneBuilder b = on_block();
    for (double diameter : {0.2, 0.3, 0.2}) {
        b.body("ball", false, {0, 0, 0});
        b.shape(SHAPE_SPHERE, {diameter, 0, 0, 0});
    }
    b.shape(SHAPE_SPHERE, {0.2, 0, 0, 0}).mesh_size_m = 0.05;
    b.ground();
    Study study{};
    study.scene = b.view();
    const uint64_t number = 0;
    const Capacities room = stage_capacities(&study.scene);
    Batch batch{};
    StageMeshes meshes{};
    ASSERT_EQ(stage_pack(&study, &study.scene, &number, &room, 1, &batch, nullptr), CLACK_OK);
    ASSERT_EQ(stage_meshes_make(&study.scene, &batch, nullptr, &meshes, nullptr), CLACK_OK);
    EXPECT_EQ(meshes.count, meshes.study_count + 3);
    EXPECT_EQ(meshes.numbers[0], block()->number);
    EXPECT_EQ(meshes.numbers[1], meshes.numbers[3]);
    EXPECT_NE(meshes.numbers[1], meshes.numbers[2]);
    EXPECT_NE(meshes.numbers[1], meshes.numbers[4]);
    EXPECT_EQ(meshes.numbers[5], NONE);
    stage_meshes_free(&meshes);
    const unsigned char wanted[] = {0, 1, 0, 0, 0, 0};
    ASSERT_EQ(stage_meshes_make(&study.scene, &batch, wanted, &meshes, nullptr), CLACK_OK);
    EXPECT_EQ(meshes.count, meshes.study_count + 1);
    EXPECT_EQ(meshes.numbers[2], NONE);
    stage_meshes_free(&meshes);
    stage_free(&batch);
}

// The radii that the broad phase goes by hold the meshes, and masses stay those of the shapes.
TEST(ConvexRegions, BoundsHoldTheMeshes) {
    for (double smoothing_m : {0.0, 0.005}) {
        SceneBuilder b = every_kind();
        for (SceneShape &s : b.shapes) {
            s.smoothing_m = smoothing_m;
            s.mesh_size_m = s.kind == SHAPE_HULL ? 0 : 0.004;
        }
        Study study{};
        study.scene = b.view();
        const uint64_t number = 0;
        const Capacities room = stage_capacities(&study.scene);
        Batch batch{};
        StageMeshes meshes{};
        ASSERT_EQ(stage_pack(&study, &study.scene, &number, &room, 1, &batch, nullptr), CLACK_OK);
        ASSERT_EQ(stage_meshes_make(&study.scene, &batch, nullptr, &meshes, nullptr), CLACK_OK);
        for (size_t i = 0; i < batch.shape_count; i++) {
            const Shape &shape = batch.shapes[i];
            if (shape.kind == SHAPE_HALF_SPACE) continue;
            ASSERT_LT(meshes.numbers[i], meshes.count);
            const double radius_m = meshes.meshes[meshes.numbers[i]]->radius_m;
            EXPECT_LE(radius_m, shape.bound_radius_m * (1 + 1e-14)) << shape.kind;
            EXPECT_GE(radius_m, 0.8 * shape.bound_radius_m) << shape.kind;
            const double sharp_kg = mass_of_shape(&study.scene.shapes[i], 1).mass_kg;
            const double mesh_m3 = meshes.meshes[meshes.numbers[i]]->solid.volume_m3;
            if (shape.kind == SHAPE_CYLINDER) continue; // a tube, which meets others as the solid cylinder
            EXPECT_NEAR(mesh_m3 / sharp_kg, 1, 0.05) << shape.kind;
        }
        stage_meshes_free(&meshes);
        stage_free(&batch);
    }
}

// Sizes that are drawn: each scene has its own.
TEST(ConvexRegions, SizesThatVary) {
    StudyFolder folder("convex");
    folder.write("block.obj", "v -2 -2 -1\nv 2 -2 -1\nv -2 2 -1\nv 2 2 -1\nv -2 -2 0\nv 2 -2 0\nv -2 2 0\nv 2 2 0\n"
                              "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 4 3 7 8\nf 3 1 5 7\nf 2 4 8 6\n");
    folder.read_study("format: 1\nvariables: {d: {uniform: [0.2, 0.4]}}\nscene:\n  bodies:\n"
                      "    block: {fixed: true, material: steel, shapes: [{mesh: {file: block.obj}}]}\n"
                      "    ball: {material: steel, shapes: [{sphere: {diameter: $d}}, "
                      "{cylinder: {diameter: $d, length: 0.01}, mesh_size: 0.02, position: [1, 0, 0]}]}\n"
                      "design: {monte_carlo: {samples: 3}}\nsolver: {end: 1}\n",
                      true);
    ASSERT_EQ(folder.status, CLACK_OK) << folder.lines[0];
    double last = 0;
    for (uint64_t scene = 0; scene < 3; scene++) {
        EvaluateOptions options = evaluate_options(0);
        options.device = &options.where;
        options.scene = scene;
        ClackEvaluator *evaluator = nullptr;
        ASSERT_EQ(clack_evaluator_open(folder.study, &options, &evaluator, nullptr), CLACK_OK);
        std::vector<UserState> states(2);
        for (UserState &s : states) s.orientation[0] = 1;
        Contacts found;
        ASSERT_EQ(clack_evaluate(evaluator, 1, states.data(), &found, nullptr), CLACK_OK);
        clack_evaluator_close(evaluator);
        ASSERT_EQ(found.region_count, 2u); // both centres are at the top of the block
        const double radius = found.regions[0].indentation_m;
        EXPECT_GT(radius, 0.0999);
        EXPECT_LT(radius, 0.2);
        EXPECT_NEAR(found.regions[0].area_m2, PI * radius * radius, 0.01 * PI * radius * radius);
        EXPECT_NEAR(found.regions[1].area_m2, PI * radius * radius, 0.01 * PI * radius * radius);
        EXPECT_NEAR(found.regions[1].indentation_m, 0.005, 1e-15);
        EXPECT_GT(std::fabs(radius - last), 1e-4);
        last = radius;
    }
}

} // namespace
