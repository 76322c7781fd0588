// What the narrow phase gains from the features of the look before, class by class:
//   bench_warm [-j] [-n PAIRS] [-l LOOKS] [-s SHARE] [-r REPEATS] [KIND [KIND]]
// PAIRS touching pairs move by SHARE of their sizes (and as many radians) from each of LOOKS looks to the next; the
// looks are taken cold and warm in turn, REPEATS times, and the least processor time of each counts. "at once": of
// the looks whose cores are apart, those that the warm start answers; "told": what remains where nothing is searched,
// the axes of the pair and the result from its nearest points. Instructions where the system tells them. -j: lines of
// JSON.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../tests/support/moving_pairs.h"

using namespace scenes;

namespace {

// Instructions of this process; -1 where the system does not count them.
class Counter {
  public:
    Counter() {
        perf_event_attr what{};
        what.type = PERF_TYPE_HARDWARE;
        what.size = sizeof what;
        what.config = PERF_COUNT_HW_INSTRUCTIONS;
        what.exclude_kernel = what.exclude_hv = 1;
        descriptor = int(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
    }
    ~Counter() {
        if (descriptor >= 0) close(descriptor);
    }
    Counter(const Counter &) = delete;
    double now() const {
        long long count = 0;
        return descriptor >= 0 && read(descriptor, &count, sizeof count) == sizeof count ? double(count) : -1;
    }

  private:
    int descriptor;
};

struct Cost {
    double time_s = 1e300, instructions = -1;
    uint64_t iterations = 0;
};

double processor_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void take(const std::vector<MovingPair> &pairs, bool is_warm, const Counter &counter, Cost &cost, double &sum) {
    const double start_s = processor_s(), start = counter.now();
    cost.iterations = 0;
    for (const MovingPair &pair : pairs) {
        NarrowWarmStart warm_start = narrow_no_warm_start();
        for (size_t k = 0; k < pair.queries(); k++) {
            const NarrowResult r = pair.query(k, is_warm ? &warm_start : nullptr);
            cost.iterations += r.iterations;
            sum += r.distance_m;
        }
    }
    cost.instructions = start < 0 ? -1 : counter.now() - start;
    cost.time_s = std::min(cost.time_s, processor_s() - start_s);
}

/// Processor time of looks that are told what is found, the least of the repeats.
double told_s(const std::vector<MovingPair> &pairs, const std::vector<GjkResult> &found, int repeats, double &sum) {
    double least_s = 1e300;
    for (int i = 0; i < repeats; i++) {
        const double start_s = processor_s();
        size_t number = 0;
        for (const MovingPair &pair : pairs)
            for (size_t k = 0; k < pair.queries(); k++) sum += pair.told(k, found[number++]).distance_m;
        least_s = std::min(least_s, processor_s() - start_s);
    }
    return least_s;
}

void measure(uint32_t kind_a, uint32_t kind_b, int count, int looks, double share, int repeats, bool is_json) {
    Draw draw(1000 * kind_a + kind_b);
    std::vector<MovingPair> pairs;
    for (int i = 0; i < count; i++) pairs.emplace_back(draw, kind_a, kind_b, share, looks);
    uint64_t apart = 0, certified = 0;
    double off = 0;
    std::vector<GjkResult> answers;
    for (const MovingPair &pair : pairs) {
        NarrowWarmStart warm_start = narrow_no_warm_start();
        GjkResult answer{};
        for (size_t k = 0; k < pair.queries(); k++) {
            const GjkResult found = pair.at_once(k, warm_start);
            const bool at_once = found.is_apart != 0;
            if (at_once) answer = found; // else as of the look before, which takes as long
            answers.push_back(answer);
            const NarrowResult cold = pair.query(k, nullptr), warm = pair.query(k, &warm_start);
            off = std::max(off, std::fabs(warm.distance_m - cold.distance_m) / pair.size(k));
            apart += k > 0 && pair.is_core_apart(cold);
            certified += k > 0 && at_once;
        }
    }
    const Counter counter;
    Cost cold, warm;
    double sum = 0;
    for (int i = 0; i < repeats; i++) {
        take(pairs, false, counter, cold, sum);
        take(pairs, true, counter, warm, sum);
    }
    const double told_ns = 1e9 * told_s(pairs, answers, repeats, sum) / (double(count) * looks);
    const double all = double(count) * looks, at_once = apart ? double(certified) / double(apart) : 0.0;
    if (is_json) {
        std::printf("{\"pair\": \"%s-%s\", \"share\": %g, \"looks\": %.0f, \"at_once\": %.4f, \"cold_ns\": %.5g, "
                    "\"warm_ns\": %.5g, "
                    "\"told_ns\": %.5g, \"gain\": %.4g, \"gain_instructions\": %.4g, \"difference\": %.2g}\n",
                    kind_name(kind_a), kind_name(kind_b), share, all, at_once, 1e9 * cold.time_s / all,
                    1e9 * warm.time_s / all, told_ns, cold.time_s / warm.time_s, cold.instructions / warm.instructions,
                    off);
        std::fflush(stdout);
        return;
    }
    std::printf("%9s-%-9s %7.0e %5.1f %5.1f  %5.1f %%  %6.0f %6.0f %5.2f %6.0f  %6.0f %6.0f %5.2f  %.1e%s\n",
                kind_name(kind_a), kind_name(kind_b), share, double(cold.iterations) / all,
                double(warm.iterations) / all, 100.0 * at_once, 1e9 * cold.time_s / all, 1e9 * warm.time_s / all,
                cold.time_s / warm.time_s, told_ns, cold.instructions / all, warm.instructions / all,
                cold.instructions / warm.instructions, off, std::isfinite(sum) ? "" : " not finite");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
    int pairs = 300, looks = 100, repeats = 3;
    double share = 0;
    bool is_json = false;
    for (int option; (option = getopt(argc, argv, "jn:l:s:r:")) != -1;) {
        if (option == '?') return 2;
        if (option == 'j') is_json = true;
        if (option == 'n') pairs = std::atoi(optarg);
        if (option == 'l') looks = std::atoi(optarg);
        if (option == 's') share = std::atof(optarg);
        if (option == 'r') repeats = std::atoi(optarg);
    }
    if (!is_json)
        std::printf("%19s %7s %11s  %7s  %26s  %19s  %s\n", "class", "share", "iter c/w", "at once",
                    "ns cold/warm ratio, told", "instructions, ratio", "difference, of the sizes");
    for (uint32_t kind_a : SOLIDS_AND_HULL)
        for (uint32_t kind_b : SOLIDS_AND_HULL) {
            if (kind_b < kind_a || needs_no_warm_start(kind_a, kind_b)) continue;
            bool is_wanted = true;
            for (int k = optind; k < argc; k++)
                is_wanted =
                    is_wanted && (!std::strcmp(argv[k], kind_name(kind_a)) || !std::strcmp(argv[k], kind_name(kind_b)));
            if (!is_wanted) continue;
            for (double s : {1e-6, 1e-4, 1e-3})
                if (share == 0 || s == 1e-4)
                    measure(kind_a, kind_b, pairs, looks, share > 0 ? share : s, repeats, is_json);
        }
    return 0;
}
