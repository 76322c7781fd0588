#include "random_scenes.h"
#include <algorithm>
namespace {
TEST(Indicator, X) {
    const unsigned count = getenv("N") ? atoi(getenv("N")) : 1000;
    std::vector<SceneBuilder> builders, fine;
    for (unsigned k = 0; k < count; k++) {
        builders.push_back(random_scene(k));
        builders.back().scene.no_freeze = 1;
        fine.push_back(builders.back());
        fine.back().scene.tolerance *= 1e-2;
        fine.back().scene.graded_steps *= 2.5;
        fine.back().scene.step_s /= 4;
    }
    std::vector<SceneDescription> a, b;
    for (unsigned k = 0; k < count; k++) a.push_back(builders[k].view()), b.push_back(fine[k].view());
    Ran x = run_scenes(native_device(), a), y = run_scenes(native_device(), b);
    unsigned below = 0, below_same = 0, same = 0;
    for (unsigned k = 0; k < count; k++) {
        double worst = 0;
        for (uint32_t i = 2; i < x.batch.scenes[k].body_count; i++)
            worst = std::max(worst, vec3_length(vec3_sub(x.state(i, k).velocity_m_per_s, y.state(i, k).velocity_m_per_s)));
        const bool is_same = x.events(k).size() == y.events(k).size();
        same += is_same;
        const double s = x.progress(k).error_sum_m_per_s;
        if (worst > 3 * s) below++, below_same += is_same;
        printf("%u st %u %u bodies %u events %zu same %d err %.2e sum %.2e ratio %.2e fl %u\n", k, x.progress(k).status, y.progress(k).status, x.batch.scenes[k].body_count - 2, x.events(k).size(), is_same, worst, s, worst / s, x.progress(k).flags);
    }
    printf("SUM count %u same events %u below third %u of them same %u\n", count, same, below, below_same);
}
}
