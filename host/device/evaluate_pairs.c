// Contacts of configurations summed up by pair of bodies.
#include <stdlib.h>
#include <string.h>

#include "evaluate.h"
#include "model/narrow_types.h"

static int compare_bodies(const void *a, const void *b) {
    const ClackContact *x = *(const ClackContact *const *)a, *y = *(const ClackContact *const *)b;
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
    return x < y ? -1 : x > y; // sums are taken in the order of the rows
}

// Both lie in one array.
static int are_of_one_pair(const ClackContact *a, const ClackContact *b) {
    return a->body_a == b->body_a && a->body_b == b->body_b;
}

static void evaluate_take_nearest(ClackPair *pair, const ClackContact *row) {
    pair->distance_m = row->distance_m;
    pair->error_m = row->error_m;
    memcpy(pair->point_a_m, row->point_a_m, sizeof pair->point_a_m);
    memcpy(pair->point_b_m, row->point_b_m, sizeof pair->point_b_m);
    memcpy(pair->normal, row->normal, sizeof pair->normal);
    pair->shape_a = row->shape_a;
    pair->shape_b = row->shape_b;
    pair->status = row->status;
}

// The force acts in the middle of the two points.
static void evaluate_add_force(ClackPair *pair, const ClackContact *row, const double *origin_b_m) {
    double arm_m[3];
    for (int k = 0; k < 3; k++) {
        arm_m[k] = 0.5 * (row->point_a_m[k] + row->point_b_m[k]) - origin_b_m[k];
        pair->force_N[k] += row->force_N[k];
    }
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3, last = (k + 2) % 3;
        pair->moment_N_m[k] += arm_m[next] * row->force_N[last] - arm_m[last] * row->force_N[next] + row->torque_N_m[k];
    }
    pair->normal_N += row->normal_N;
    pair->contact_count++;
}

// Pairs of one configuration, whose contacts are sorted by them; how many.
static size_t evaluate_sum_pairs(const ClackContact *const *sorted, size_t count, const ClackBodyState *states,
                                 ClackPair *out) {
    size_t pairs = 0;
    for (size_t i = 0; i < count; i++) {
        const ClackContact *row = sorted[i];
        if (i == 0 || !are_of_one_pair(row, sorted[i - 1])) {
            out[pairs++] =
                (ClackPair){.configuration = row->configuration, .body_a = row->body_a, .body_b = row->body_b};
            evaluate_take_nearest(&out[pairs - 1], row);
        } else if (row->distance_m < out[pairs - 1].distance_m) {
            evaluate_take_nearest(&out[pairs - 1], row);
        }
        evaluate_add_force(&out[pairs - 1], row, states[row->body_b].position_m);
    }
    return pairs;
}

ClackStatus evaluate_pairs(const ClackContacts *contacts, uint32_t body_count, const ClackBodyState *states,
                           ClackPairs *out_pairs, ClackReport *report) {
    const size_t count = contacts->configuration_count;
    const ClackContact **sorted = calloc(contacts->row_count + 1, sizeof *sorted);
    *out_pairs = (ClackPairs){.size = sizeof *out_pairs,
                              .configuration_count = count,
                              .rows = calloc(contacts->row_count + 1, sizeof *out_pairs->rows),
                              .first = calloc(count + 1, sizeof *out_pairs->first)};
    if (sorted == NULL || out_pairs->rows == NULL || out_pairs->first == NULL) {
        free(sorted);
        evaluate_pairs_free(out_pairs);
        return report_add(report, CLACK_MEMORY, "no memory for pairs of bodies");
    }
    for (size_t i = 0; i < count; i++) {
        const size_t first = contacts->first[i], rows = contacts->first[i + 1] - first;
        for (size_t k = 0; k < rows; k++) sorted[k] = &contacts->rows[first + k];
        qsort(sorted, rows, sizeof *sorted, compare_bodies);
        out_pairs->row_count +=
            evaluate_sum_pairs(sorted, rows, states + i * body_count, out_pairs->rows + out_pairs->row_count);
        out_pairs->first[i + 1] = out_pairs->row_count;
    }
    free(sorted);
    return CLACK_OK;
}

void evaluate_pairs_free(ClackPairs *pairs) {
    free(pairs->rows);
    free(pairs->first);
    *pairs = (ClackPairs){0};
}
