// Pairs of bodies in N configurations -> HDF5: nearest points in /nearest, summed forces in /net.
#include "record_pairs.h"

#include <string.h>

#include "record_internal.h"

static void put(double out[3], const double vector[3]) { memcpy(out, vector, 3 * sizeof *out); }

// FIELD(name, type, components, unit, sentence, statement that takes `row` and fills `out`)
#define PAIR_FIELD_LIST(FIELD)                                                                                         \
    FIELD(configuration_number, I32, 1, "1", "Number of the configuration, as in the root's `configuration`.",         \
          out[0] = row->configuration)                                                                                 \
    FIELD(body_a, I32, 1, "1", "The body with the lower number.", out[0] = row->body_a)                                \
    FIELD(body_b, I32, 1, "1", "The other body.", out[0] = row->body_b)

#define NEAREST_FIELD_LIST(FIELD)                                                                                      \
    FIELD(shape_a, I32, 1, "1", "The shape of body_a that is nearest to body_b, within the scene.",                    \
          out[0] = row->shape_a)                                                                                       \
    FIELD(shape_b, I32, 1, "1", "The shape of body_b that is nearest to body_a.", out[0] = row->shape_b)               \
    FIELD(status, U8, 1, "1", "How the distance was found; 0 is ok.", out[0] = row->status)                            \
    FIELD(distance, F64, 1, "m", "Signed distance of the bodies: positive apart, negative overlapping.",               \
          out[0] = row->distance_m)                                                                                    \
    FIELD(error, F64, 1, "m", "Error of the distance, as the narrow phase states it.", out[0] = row->error_m)          \
    FIELD(normal, F64, 3, "1", "Unit normal from body_a to body_b.", put(out, row->normal))                            \
    FIELD(point_a, F64, 3, "m", "Nearest or deepest point of body_a.", put(out, row->point_a_m))                       \
    FIELD(point_b, F64, 3, "m", "Nearest or deepest point of body_b.", put(out, row->point_b_m))

#define NET_FIELD_LIST(FIELD)                                                                                          \
    FIELD(contact_count, I32, 1, "1", "Contacts that are summed up.", out[0] = row->contact_count)                     \
    FIELD(distance, F64, 1, "m", "Least signed distance of these contacts.", out[0] = row->distance_m)                 \
    FIELD(normal_force, F64, 1, "N", "Sum of the normal forces.", out[0] = row->normal_N)                              \
    FIELD(force, F64, 3, "N", "Force on body_b: the sum over its contacts with body_a.", put(out, row->force_N))       \
    FIELD(moment, F64, 3, "N m",                                                                                       \
          "Moment on body_b about the origin of its frame: of these forces, and rolling resistance.",                  \
          put(out, row->moment_N_m))

#define PAIR_FIELD_GET(name, type, components, unit, sentence, statement)                                              \
    static void get_##name(const void *any, double *out) {                                                             \
        const ClackPair *row = any;                                                                                    \
        statement;                                                                                                     \
    }
#define NET_FIELD_GET(name, type, components, unit, sentence, statement)                                               \
    static void get_net_##name(const void *any, double *out) {                                                         \
        const ClackPair *row = any;                                                                                    \
        statement;                                                                                                     \
    }
PAIR_FIELD_LIST(PAIR_FIELD_GET)
NEAREST_FIELD_LIST(PAIR_FIELD_GET)
NET_FIELD_LIST(NET_FIELD_GET)

#define PAIR_FIELD_ROW(name, type, components, unit, sentence, statement)                                              \
    {#name, RECORD_##type, components, unit, sentence, get_##name},
#define NET_FIELD_ROW(name, type, components, unit, sentence, statement)                                               \
    {#name, RECORD_##type, components, unit, sentence, get_net_##name},
static const RowField nearest_fields[] = {PAIR_FIELD_LIST(PAIR_FIELD_ROW) NEAREST_FIELD_LIST(PAIR_FIELD_ROW)};
static const RowField net_fields[] = {PAIR_FIELD_LIST(PAIR_FIELD_ROW) NET_FIELD_LIST(NET_FIELD_ROW)};

#define PAIR_ROW_SENTENCE "Number of the row: by configuration, then by bodies."

const RowTableKind record_nearest = {.group = "nearest",
                                     .row = "pair",
                                     .row_sentence = PAIR_ROW_SENTENCE,
                                     .counts = "n_pairs",
                                     .counts_sentence = "Rows of the configuration in /nearest.",
                                     .firsts = "first_pair",
                                     .firsts_sentence = "First row of the configuration in /nearest.",
                                     .plural = "pairs of bodies",
                                     .row_bytes = sizeof(ClackPair),
                                     .fields = nearest_fields,
                                     .field_count = sizeof nearest_fields / sizeof *nearest_fields,
                                     .counted = "configuration_number",
                                     .coded = "status",
                                     .code_attribute = "flag_values",
                                     .codes = &record_narrow_codes};

const RowTableKind record_net = {.group = "net",
                                 .row = "pair",
                                 .row_sentence = PAIR_ROW_SENTENCE,
                                 .counts = "n_pairs",
                                 .counts_sentence = "Rows of the configuration in /net.",
                                 .firsts = "first_pair",
                                 .firsts_sentence = "First row of the configuration in /net.",
                                 .plural = "pairs of bodies",
                                 .row_bytes = sizeof(ClackPair),
                                 .fields = net_fields,
                                 .field_count = sizeof net_fields / sizeof *net_fields,
                                 .counted = "configuration_number"};
