// Scenes whose contacts remember what touched move as without that memory, to rounding: the kernels of the library
// remember; those in this program forget, or compare every look of a running scene with a cold one.
#include "geometry/narrow_phase.h"

#include <algorithm>
#include <cmath>

// What all looks have shown.
static struct Compared {
    bool is_cold; // forget what touched
    unsigned warm_started, certified, without_change;
    double distance, normal; // largest differences between the warm answer and the cold one: of the sizes, rad
} compared;

static NarrowResult compared_narrow_phase(const Shape *a, const Mat3 *turn_a, const Shape *b, const Mat3 *turn_b,
                                          Vec3 offset, u32 feature, const NarrowOptions *options) {
    NarrowOptions cold_options = *options;
    NarrowWarmStart left = narrow_no_warm_start();
    cold_options.before = nullptr;
    cold_options.now = &left;
    const NarrowResult cold = narrow_phase(a, turn_a, b, turn_b, offset, feature, &cold_options);
    if (compared.is_cold || options->before == nullptr || (options->before->corners_a & NARROW_WARM_START_SET) == 0) {
        if (options->now != nullptr) *options->now = left;
        return cold;
    }
    const NarrowResult warm = narrow_phase(a, turn_a, b, turn_b, offset, feature, options);
    const double size = shape_size_m(a) + shape_size_m(b) + vec3_max_abs(offset);
    compared.warm_started++;
    compared.certified += warm.iterations < cold.iterations;
    compared.without_change += warm.distance_m == cold.distance_m;
    compared.distance = std::max(compared.distance, std::fabs(warm.distance_m - cold.distance_m) / size);
    compared.normal = std::max(compared.normal, vec3_length(vec3_sub(warm.normal, cold.normal)));
    return warm;
}
#define narrow_phase compared_narrow_phase
#include "kernel_scene.h"
#include "random_scenes.h"

namespace {

const unsigned SCENES = 100;

struct End {
    std::vector<BodyState> states;
    unsigned status;
};

End run(SceneBuilder b, bool is_cold) {
    compared.is_cold = is_cold;
    KernelScene k(b);
    while (k.progress.status == STATUS_RUNNING && !stepper_is_over(&k.view, &k.progress)) {
        k.progress.event_count = 0; // nobody reads them
        stepper_pass(&k.view, &k.progress);
    }
    return {k.states, k.progress.status};
}

double difference(const std::vector<BodyState> &one, const std::vector<BodyState> &other) {
    double off = 0;
    for (size_t k = 0; k < one.size(); k++)
        off = std::max(off, vec3_length(vec3_sub(one[k].velocity_m_per_s, other[k].velocity_m_per_s)));
    return off;
}

// Every look of every scene: what touched before changes no distance by more than rounding. Over a run that is
// amplified, by gaps of 1e-16 m against overlaps of a micrometre and by impacts, as any other rounding is: no more than
// the last bit of a body's first height.
TEST(WarmScenes, MoveAsColdOnesToRounding) {
    double worst = 0, of_bit = 0, fastest = 0;
    unsigned later = 0;
    compared = {};
    for (unsigned seed = 0; seed < SCENES; seed++) {
        SceneBuilder b = with_searches(random_scene(seed)), moved = b;
        for (SceneBody &body : moved.bodies)
            if (!body.is_fixed) body.position_m[2] = std::nextafter(body.position_m[2], 1);
        const End warm = run(b, false), cold = run(b, true), bit = run(moved, true);
        ASSERT_EQ(warm.status, STATUS_OK) << seed;
        ASSERT_EQ(cold.status, STATUS_OK) << seed;
        Ran ran = run_scene(b); // the library, with memory
        ASSERT_EQ(ran.progress().status, STATUS_OK) << seed;
        std::vector<BodyState> there;
        for (uint32_t k = 0; k < cold.states.size(); k++) there.push_back(ran.state(k));
        EXPECT_EQ(difference(there, warm.states), 0) << seed;
        for (const BodyState &s : cold.states) fastest = std::max(fastest, vec3_length(s.velocity_m_per_s));
        const double off = difference(warm.states, cold.states);
        worst = std::max(worst, off);
        of_bit = std::max(of_bit, difference(bit.states, cold.states));
        later += off > 0;
    }
    std::printf("%u looks with something remembered, %u answered sooner, %u in the same bits; differences %.1e of the "
                "sizes, %.1e rad\n",
                compared.warm_started, compared.certified, compared.without_change, compared.distance, compared.normal);
    std::printf("velocities at the end differ by at most %.1e of %.1f m/s, in %u of %u scenes; by one bit of the first "
                "heights %.1e\n",
                worst, fastest, later, SCENES, of_bit);
    EXPECT_LE(compared.distance, 5e-16);
    EXPECT_LE(compared.normal, 2e-12); // as good as those of the cold search (test_accuracy)
    EXPECT_LE(worst, of_bit);
    EXPECT_GT(compared.certified, compared.warm_started / 2) << "nothing was remembered";
    EXPECT_GT(compared.warm_started, 10000u);
    EXPECT_GT(later, SCENES / 10);
}

} // namespace
