// Signs and stated errors of the narrow phase over millions of random pairs of every class of solids:
//   sweep_pairs [-m|-c] [-n PAIRS] [-s SEED] [-j THREADS] [KIND [KIND]]     -m: narrow_phase: mpr; -c: compat: modia3d
// Which pairs they are follows from PAIRS and SEED, however many threads there are.
// Every sign is checked by a proof in long double that shares no code with the kernels (a plane between the
// solids, or a point in both); what neither proves goes through an exhaustive search for the nearest points.
// "wrong" counts signs that differ outside 1e-14 of the sizes (MPR: 1e-6), "near" those within it. Kept tables are in
// bench/results/<device>/. Exit status 1 where a sign is wrong.
// -c: depths of the reference's way against the exact narrow phase, of pairs in both orders
// (tests/support/compat_depth.h). Exit status 1 where one is deeper than it can be without a flag, or of solids apart
// with one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

#include "../tests/support/compat_depth.h"

using namespace scenes;

namespace {

constexpr uint64_t BLOCK_PAIRS = 1000; // drawn one after the other

struct Sweep {
    uint64_t pairs = 1000000, seed = 1;
    uint32_t flags = 0;
    bool is_compat = false;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
};

void judge_next(const Sweep &sweep, Draw &draw, uint32_t kind_a, uint32_t kind_b, uint64_t n, Tally &tally) {
    const Placed a{draw_any(draw, kind_a), draw.turn()}, b{draw_any(draw, kind_b), draw.turn()};
    judge(a, b, place_near(a, b, draw, n % 2), sweep.flags, tally);
}

void judge_next(const Sweep &, Draw &draw, uint32_t kind_a, uint32_t kind_b, uint64_t n, CompatTally &tally) {
    const bool is_other = n / 2 % 2 == 1;
    judge_compat_random(draw, is_other ? kind_b : kind_a, is_other ? kind_a : kind_b, n % 2, tally);
}

template <class T> void sweep_block(const Sweep &sweep, uint32_t kind_a, uint32_t kind_b, uint64_t first, T &tally) {
    std::seed_seq seed{uint32_t(sweep.seed), kind_a, kind_b, uint32_t(first / BLOCK_PAIRS)};
    Draw draw(0);
    draw.engine.seed(seed);
    for (uint64_t n = first; n < std::min(first + BLOCK_PAIRS, sweep.pairs); n++)
        judge_next(sweep, draw, kind_a, kind_b, n, tally);
}

template <class T> T sweep_class(const Sweep &sweep, uint32_t kind_a, uint32_t kind_b) {
    std::vector<T> tallies(sweep.threads);
    std::vector<std::thread> team;
    for (unsigned t = 0; t < sweep.threads; t++)
        team.emplace_back([=, &sweep, &tallies] {
            for (uint64_t first = t * BLOCK_PAIRS; first < sweep.pairs; first += sweep.threads * BLOCK_PAIRS)
                sweep_block(sweep, kind_a, kind_b, first, tallies[t]);
        });
    for (std::thread &one : team) one.join();
    T sum;
    for (const T &t : tallies) sum.add(t);
    return sum;
}

void print(uint32_t kind_a, uint32_t kind_b, const Tally &t) {
    std::printf("%9s-%-9s %8llu %8llu %8llu %8llu %7llu %5llu %5llu %7llu  %5.1f %4u  %.1e %.1e %.1e %.1e\n",
                kind_name(kind_a), kind_name(kind_b), (unsigned long long)t.pairs, (unsigned long long)t.apart,
                (unsigned long long)t.overlap, (unsigned long long)t.searched, (unsigned long long)t.unclear,
                (unsigned long long)t.wrong, (unsigned long long)t.near, (unsigned long long)t.flagged,
                (double)t.iterations / (double)t.pairs, t.most_iterations, t.gap, t.stated, t.beyond, t.outside);
    std::fflush(stdout);
}

uint64_t sweep_and_print(const Sweep &sweep, uint32_t kind_a, uint32_t kind_b) {
    if (!sweep.is_compat) {
        const Tally tally = sweep_class<Tally>(sweep, kind_a, kind_b);
        print(kind_a, kind_b, tally);
        return tally.wrong + tally.unclear;
    }
    const CompatTally t = sweep_class<CompatTally>(sweep, kind_a, kind_b);
    std::printf("%9s-%-9s %8llu %8llu %8llu %8llu %8llu %8llu  %.1e %.1e\n", kind_name(kind_a), kind_name(kind_b),
                (unsigned long long)t.pairs, (unsigned long long)t.apart, (unsigned long long)t.flagged,
                (unsigned long long)t.deeper, (unsigned long long)t.deeper_flagged, (unsigned long long)t.touching,
                t.beyond, t.beyond_flagged);
    std::fflush(stdout);
    return t.deeper + t.touching;
}

} // namespace

int main(int argc, char **argv) {
    Sweep sweep;
    for (int option; (option = getopt(argc, argv, "cmn:s:j:")) != -1;) {
        if (option == '?') return 2;
        if (option == 'c') sweep.is_compat = true;
        if (option == 'm') sweep.flags = SCENE_NARROW_MPR;
        if (option == 'n') sweep.pairs = std::strtoull(optarg, nullptr, 10);
        if (option == 's') sweep.seed = std::strtoull(optarg, nullptr, 10);
        if (option == 'j') sweep.threads = std::max(1u, unsigned(std::strtoul(optarg, nullptr, 10)));
    }
    if (sweep.is_compat)
        std::printf("%19s %8s %8s %8s %8s %8s %8s  %s\n", "class", "pairs", "apart", "flagged", "deeper", "flagged",
                    "in touch", "by how much, and flagged (m)");
    else
        std::printf("%19s %8s %8s %8s %8s %7s %5s %5s %7s  %10s  %s\n", "class", "pairs", "apart", "overlap",
                    "searched", "unclear", "wrong", "near", "flagged", "iter  max",
                    "gap, stated, beyond, outside (m, pairs apart)");
    uint64_t wrong = 0;
    for (uint32_t kind_a : SOLIDS_AND_HULL)
        for (uint32_t kind_b : SOLIDS_AND_HULL) {
            if (kind_b < kind_a) continue;
            bool is_wanted = true;
            for (int k = optind; k < argc; k++)
                is_wanted =
                    is_wanted && (!std::strcmp(argv[k], kind_name(kind_a)) || !std::strcmp(argv[k], kind_name(kind_b)));
            if (!is_wanted) continue;
            wrong += sweep_and_print(sweep, kind_a, kind_b);
        }
    return wrong == 0 ? 0 : 1;
}
