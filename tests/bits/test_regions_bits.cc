// Regions of meshes have the same bits on native and on OpenCL.
#include "mesh_scenes.h"

namespace {

using namespace regions;

TEST(RegionsBits, NativeEqualsOpenCL) {
    SceneBuilder b = meshes_on_ground();
    Evaluator opencl(b.view(), contour_options(0, "cpu"));
    if (opencl.is_absent()) GTEST_SKIP() << "no OpenCL CPU device";
    std::vector<UserState> states = random_states(b.view(), 300, 2, 5);
    for (size_t i = 0; i < 100; i++) { // on a lattice, so that poses are moved
        for (size_t body = 2; body < 5; body++) {
            UserState &s = states[5 * i + body];
            for (int k = 0; k < 3; k++) s.position_m[k] = 0.25 * std::floor(4 * s.position_m[k]);
            for (int k = 0; k < 4; k++) s.orientation[k] = k == 0;
        }
    }
    const Contacts ours = Evaluator(b.view(), contour_options()).run(states), theirs = opencl.run(states);
    size_t jittered = 0, engulfed = 0;
    for (size_t i = 0; i < ours.region_count; i++) {
        jittered += (ours.regions[i].flags & CLACK_REGION_JITTERED) != 0;
        engulfed += (ours.regions[i].flags & CLACK_REGION_ENGULFED) != 0;
    }
    EXPECT_GT(ours.region_count, 1500u);
    EXPECT_GT(jittered, 20u);
    EXPECT_GT(engulfed, 0u);
    EXPECT_TRUE(same_regions(ours, theirs));
    EXPECT_TRUE(same_contours(ours, theirs));
    EvaluateOptions fitted = evaluate_options(0);
    fitted.fits_planes = 1;
    const Contacts by_planes = Evaluator(b.view(), fitted).run(states);
    EXPECT_FALSE(same_regions(ours, by_planes));
    fitted.where.choice = "cpu";
    EXPECT_TRUE(same_regions(by_planes, Evaluator(b.view(), fitted).run(states)));
}

TEST(RegionsBits, ConvexShapesToo) {
    SceneBuilder b = every_kind();
    static const SceneMesh *const block = shared_mesh(grid_box(0.3, 0.3, 0.3, 2));
    b.body("block", true, {0, 0, 0});
    b.mesh(block);
    Evaluator opencl(b.view(), evaluate_options(0, false, 0, "cpu"));
    if (opencl.is_absent()) GTEST_SKIP() << "no OpenCL CPU device";
    const std::vector<UserState> states = random_states(b.view(), 60, 0.5, 9);
    const Contacts ours = Evaluator(b.view(), evaluate_options(0)).run(states), theirs = opencl.run(states);
    EXPECT_GT(ours.region_count, 300u);
    EXPECT_GT(ours.row_count, 300u);
    EXPECT_TRUE(same_regions(ours, theirs));
    EXPECT_TRUE(same_contacts(ours, theirs));
}

} // namespace
