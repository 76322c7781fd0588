// Arithmetic of the kernels: additions, multiplications, fused ones, divisions and roots of workloads and pairs,
// counted.
//   count_operations [-n SCENES] STUDY...     STUDY: as of clack run; prints one JSON object
// What a device could reach by this mix, if nothing else held it up, is 2 / (sum of operations, weighted) of its
// ceiling: an addition or a multiplication takes the place of a fused one, which counts as two flops.
#include "counted.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "clack.h"

namespace {

const char *const names[COUNT_OPERATIONS] = {"add", "multiply", "fma", "divide", "root"};

bool count(const char *path, uint64_t scenes, bool is_first) {
    ClackReport report{};
    ClackStudy *study = nullptr;
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    options.no_file = 1;
    options.first_scenes = scenes;
    options.failures_allowed = UINT64_MAX;
    device.choice = "native";
    device.threads = 1;
    options.device = &device;
    ClackStatus status = clack_study_read(path, nullptr, &study, &report);
    std::memset(counted_operations, 0, sizeof counted_operations);
    if (status == CLACK_OK) status = clack_run(study, &options, &summary, &report);
    if (status == CLACK_OK) {
        const char *slash = std::strrchr(path, '/');
        std::printf("%s\"%s\": {\"scenes\": %llu, \"evaluations\": %llu", is_first ? "" : ",\n ",
                    slash == nullptr ? path : slash + 1, (unsigned long long)summary.scenes_run,
                    (unsigned long long)summary.evaluations);
        for (int k = 0; k < COUNT_OPERATIONS; k++)
            std::printf(", \"%s\": %llu", names[k], (unsigned long long)counted_operations[k]);
        std::printf("}");
    }
    for (size_t i = 0; i < report.count; i++) std::fprintf(stderr, "%s\n", report.lines[i]);
    clack_report_clear(&report);
    clack_study_free(study);
    return status == CLACK_OK;
}

} // namespace

int main(int argc, char **argv) {
    uint64_t scenes = 4;
    int option;
    while ((option = getopt(argc, argv, "n:")) != -1) {
        if (option != 'n') return 2;
        scenes = std::strtoull(optarg, nullptr, 10);
    }
    bool is_good = optind < argc;
    std::printf("{");
    for (int k = optind; k < argc && is_good; k++) is_good = count(argv[k], scenes, k == optind);
    std::printf("}\n");
    return is_good ? 0 : 1;
}
