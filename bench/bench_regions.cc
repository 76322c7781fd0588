// Time of a query of the contact regions of two surfaces: a body of 4,000 triangles against one of 40,000.
#include <chrono>
#include <cstdio>

#include "region_scene.h"

using namespace regions;

int main() {
    const Surface body(torus(0.5, 0.2, 50, 40)), hull(torus(3, 1.2, 200, 100));
    Query query;
    for (double gap_m : {0.05, -0.006, -0.02, -0.2}) {
        const int count = 1000;
        double best_s = 1e9;
        size_t segments = 0, regions_found = 0;
        for (int round = 0; round < 5; round++) {
            segments = regions_found = 0;
            const auto start = std::chrono::steady_clock::now();
            for (int k = 0; k < count; k++) {
                const Pose pose = moved({4.9 + gap_m, 0.03 + 2e-6 * k, 0}, {0, 0, 1}, 1.1);
                regions_found += query.run(body, pose, hull, {}).size();
                segments += query.work.segment_count;
            }
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            best_s = std::min(best_s, taken.count());
        }
        std::printf("gap %+.3f m: %.1f segments, %.2f regions, %.1f us a query\n", gap_m, double(segments) / count,
                    double(regions_found) / count, 1e6 * best_s / count);
    }
    return 0;
}
