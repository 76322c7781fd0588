// Time of a query of the contact regions of two surfaces: a body of 4,000 triangles against one of 40,000.
#include <chrono>
#include <cstdio>

#include "region_scene.h"

using namespace regions;

namespace {

const int QUERIES = 1000, ROUNDS = 9;

struct Answer {
    size_t segments = 0, regions = 0;
    double best_s = 1e9; // of QUERIES
};

void run_round(Query *query, const Surface &body, const Surface &hull, double gap_m, Answer *out) {
    out->segments = out->regions = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < QUERIES; k++) {
        const Pose pose = moved({4.9 + gap_m, 0.03 + 2e-6 * k, 0}, {0, 0, 1}, 1.1);
        out->regions += query->run(body, pose, hull, {}).size();
        out->segments += query->work.segment_count;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    out->best_s = std::min(out->best_s, taken.count());
}

} // namespace

int main() {
    const Surface body(torus(0.5, 0.2, 50, 40)), hull(torus(3, 1.2, 200, 100));
    Query query;
    for (double gap_m : {0.05, -0.006, -0.02, -0.2}) {
        Answer plain, weighed;
        for (int round = 0; round < ROUNDS; round++) { // in turn: other load of the machine meets both
            query.work.skips_volume = 1;
            run_round(&query, body, hull, gap_m, &plain);
            query.work.skips_volume = 0;
            run_round(&query, body, hull, gap_m, &weighed);
        }
        std::printf("gap %+.3f m: %.1f segments, %.2f regions, %.1f us a query, with the volume %.1f us\n", gap_m,
                    double(plain.segments) / QUERIES, double(plain.regions) / QUERIES, 1e6 * plain.best_s / QUERIES,
                    1e6 * weighed.best_s / QUERIES);
    }
    return 0;
}
