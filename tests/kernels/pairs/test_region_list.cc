// A pair hands over the numbers of its regions: ascending, each that is within the margin, and none that moving by the
// margin cannot bring into touch.
#include "kernel_scene.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

const double SIZES[][3] = {{0.2, 0.5, 0.3}, {0.12, 0.4, 0.3}, {0.3, 0.4, 0.3}};

/// Two rounded boxes, a box and a capsule, two cylinders, a box and a ball, each over a plane; near each other in any
/// attitude.
SceneBuilder two_solids(unsigned seed, double apart_m) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> any;
    const uint32_t kinds[][2] = {{SHAPE_BOX, SHAPE_BOX},
                                 {SHAPE_BOX, SHAPE_CAPSULE},
                                 {SHAPE_CYLINDER, SHAPE_CYLINDER},
                                 {SHAPE_BOX, SHAPE_SPHERE}};
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5, 0.3);
    b.body("floor", true, {0, 0, -0.4});
    b.shape(SHAPE_HALF_SPACE, {0, 0, 1, 0});
    for (unsigned k = 0; k < 2; k++) {
        SceneBody &body = b.body(k == 0 ? "one" : "other", false, {k == 0 ? 0.0 : apart_m, 0, 0});
        body.rotation.kind = ROTATION_QUATERNION;
        for (int i = 0; i < 4; i++) body.rotation.value[i] = any(engine);
        const double *size = SIZES[(seed + k) % 3];
        const uint32_t kind = kinds[seed % 4][k];
        b.shape(kind, {size[0], size[1], kind == SHAPE_BOX ? size[2] : 0, 0});
    }
    b.scene.end_s = 0.1;
    return b;
}

std::vector<uint32_t> regions(const KernelScene &k, uint32_t a, uint32_t b, double margin_m, uint32_t which) {
    const PlacedPair placed =
        pair_place_both(&k.view, a, b, &k.states[k.batch.shapes[a].body], &k.states[k.batch.shapes[b].body]);
    RegionList list = region_list(&k.view, a, b, &placed, margin_m, which);
    std::vector<uint32_t> numbers;
    while (region_next(&list)) numbers.push_back(list.number);
    return numbers;
}

double gap(const KernelScene &k, uint32_t a, uint32_t b, uint32_t number) {
    return kinematics_of_states(&k.view, a, b, number, &k.states[k.batch.shapes[a].body],
                                &k.states[k.batch.shapes[b].body], nullptr)
        .gap_m;
}

TEST(Regions, AreThoseWithinTheMargin) {
    size_t many = 0, fewer = 0;
    for (unsigned seed = 0; seed < 200; seed++) {
        SceneBuilder scene = two_solids(seed, 0.3 + 0.002 * seed);
        KernelScene k(scene);
        const uint32_t a = 1, b = 2;
        const uint32_t all = narrow_feature_count(&k.batch.shapes[a], &k.batch.shapes[b], pair_flags(&k.view, a, b));
        for (double margin : {0.0, 0.02, 0.1}) {
            const std::vector<uint32_t> near = regions(k, a, b, margin, REGIONS_NEAR);
            const std::vector<uint32_t> reachable = regions(k, a, b, margin, REGIONS_REACHABLE);
            for (const auto &numbers : {near, reachable})
                ASSERT_TRUE(std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<uint32_t>()) ==
                            numbers.end())
                    << seed;
            for (uint32_t number = 0; number < all; number++) {
                const bool listed = std::binary_search(near.begin(), near.end(), number);
                const bool may = std::binary_search(reachable.begin(), reachable.end(), number);
                const double gap_m = gap(k, a, b, number);
                ASSERT_TRUE(gap_m > 0.0 || (listed && may)) << seed << " " << number;
                // That of the nearest points is handed over in any case.
                ASSERT_TRUE(!listed || gap_m <= margin || number + 1 == all) << seed << " " << number;
            }
            many += all > 1 && !reachable.empty();
            fewer += reachable.size() < all;
            ASSERT_TRUE(all > 1 || near == std::vector<uint32_t>{0}) << seed;
        }
    }
    EXPECT_GT(many, 100u);
    EXPECT_GT(fewer, 100u); // else nothing has been left out
}

TEST(Regions, OnAPlaneAreAllPoints) {
    SceneBuilder scene = two_solids(1, 0.5); // a box and a capsule
    KernelScene k(scene);
    const std::vector<uint32_t> box = regions(k, 0, 1, 0.0, REGIONS_REACHABLE);
    const std::vector<uint32_t> capsule = regions(k, 0, 2, 0.0, REGIONS_NEAR);
    EXPECT_EQ(box, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(capsule, (std::vector<uint32_t>{0, 1}));
}

// Candidates are what pairs hand over.
TEST(Regions, BecomeCandidates) {
    for (unsigned seed = 0; seed < 20; seed++) {
        SceneBuilder scene = two_solids(seed, 0.45);
        KernelScene k(scene);
        const uint32_t count = broad_list_rows(&k.view, 0, k.view.scene->shape_count, 0, 1);
        std::vector<uint32_t> listed;
        for (uint32_t i = 0; i < count; i++)
            if (k.candidates[i].shape_a == 1) listed.push_back(k.candidates[i].feature);
        if (listed.empty()) continue; // apart
        EXPECT_EQ(listed, regions(k, 1, 2, broad_margin(&k.view, 1, 2), REGIONS_REACHABLE)) << seed;
    }
}

} // namespace
