// Which part of a study a task of a cluster has: from what its launcher tells it.
#include <stdlib.h>

#include "command.h"

// A variable of the environment as a whole number; 0: it is not set, or is none.
static int cluster_number(const char *name, uint64_t *out_number) {
    const char *text = getenv(name);
    char *end = NULL;
    if (text == NULL || text[0] < '0' || text[0] > '9') return 0;
    *out_number = strtoull(text, &end, 10);
    return *end == '\0';
}

// The task's place among `count`, from 0, and the count; an array that is not 0 to N - 1 or 1 to N has none: a part of
// it that is put in the queue again would take other scenes.
static int cluster_array(uint64_t *out_at, uint64_t *out_count) {
    uint64_t id = 0, least = 0, most = 0, count = 0;
    if (!cluster_number("SLURM_ARRAY_TASK_ID", &id)) return 0;
    if (!cluster_number("SLURM_ARRAY_TASK_MIN", &least) || !cluster_number("SLURM_ARRAY_TASK_MAX", &most) ||
        !cluster_number("SLURM_ARRAY_TASK_COUNT", &count))
        return -1;
    if (least > 1 || most - least + 1 != count || id < least || id > most) return -1;
    *out_at = id - least;
    *out_count = count;
    return 1;
}

static int cluster_ranks(uint64_t *out_at, uint64_t *out_count) {
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cluster_number(names[i][0], out_at) && cluster_number(names[i][1], out_count) && *out_at < *out_count)
            return 1;
    return 0;
}

int command_find_shard(uint64_t *out_index, uint64_t *out_count) {
    uint64_t task = 0, tasks = 1, rank = 0, ranks = 1;
    const int is_array = cluster_array(&task, &tasks), is_ranked = cluster_ranks(&rank, &ranks);
    if (is_array < 0 || (!is_array && !is_ranked) || tasks > INT32_MAX / ranks) return 0;
    *out_index = task * ranks + rank + 1;
    *out_count = tasks * ranks;
    return 1;
}
