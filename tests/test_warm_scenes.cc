// Scenes whose contacts remember what touched move as without that memory, to rounding: the kernels in this program
// forget it, those of the library do not.
#define EXACT_HINTS 0
#include "kernel_scene.h"
#include "random_scenes.h"

namespace {

const unsigned SCENES = 100;

TEST(WarmScenes, MoveAsColdOnesToRounding) {
    double worst = 0, fastest = 0;
    unsigned impacts = 0, later = 0;
    for (unsigned seed = 0; seed < SCENES; seed++) {
        SceneBuilder b = with_searches(random_scene(seed));
        Ran warm = run_scene(b);
        ASSERT_EQ(warm.progress().status, STATUS_OK) << seed;
        KernelScene cold(b);
        while (cold.progress.status == STATUS_RUNNING && !advance_stops(&cold.view, &cold.progress)) {
            cold.progress.event_count = 0; // nobody reads them
            advance_pass(&cold.view, &cold.progress);
        }
        ASSERT_EQ(cold.progress.status, STATUS_OK) << seed;
        impacts += unsigned(warm.events_of_kind(EVENT_BEGIN).size());
        double off = 0;
        for (uint32_t k = 0; k < cold.states.size(); k++) {
            const BodyState x = warm.state(k), y = cold.states[k];
            off = std::max(off, vec3_length(vec3_sub(x.velocity_m_per_s, y.velocity_m_per_s)));
            fastest = std::max(fastest, vec3_length(y.velocity_m_per_s));
        }
        worst = std::max(worst, off);
        later += off > 0;
    }
    std::printf("velocities differ by at most %.1e of %.1f m/s after %u impacts; in %u of %u scenes\n", worst, fastest, impacts,
                later, SCENES);
    // Gaps that differ by 1e-16 m differ by 1e-10 of overlaps of a micrometre, and so do forces; impacts add to that.
    EXPECT_LE(worst, 1e-8);
    EXPECT_GT(impacts, 200u);
    EXPECT_GT(later, SCENES / 10) << "nothing was remembered";
}

} // namespace
