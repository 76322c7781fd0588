// Do the derived numbers of a scene lie where they have to?
#include <inttypes.h>
#include <math.h>

#include "sample_internal.h"

static int check_range(const NumberCheck *check, double value) {
    const int is_above = check->is_low_open ? value > check->low : value >= check->low;
    const int is_below = check->is_high_open ? value < check->high : value <= check->high;
    return is_above && is_below && (!check->is_whole || value == floor(value));
}

// What two of a shape's sizes must be to each other: NULL where they are, else what was expected.
typedef struct SizeRule {
    const char *words;
    double found, limit;
} SizeRule;

// Radius of the greatest ball inside a cone.
static double cone_inner_radius(const double *size) {
    const double radius = 0.5 * size[0], length = size[1], taper = radius - 0.5 * size[2];
    return fmin(0.5 * length, radius * length / (sqrt(taper * taper + length * length) + taper));
}

// `words` is NULL where all is well.
static SizeRule check_sizes(const SceneShape *shape) {
    const double *size = shape->size_m;
    double room = INFINITY;
    if (shape->kind == SHAPE_CYLINDER && !(size[2] < size[0]))
        return (SizeRule){"inner_diameter < diameter", size[2], size[0]};
    if (shape->kind == SHAPE_CONE && !(size[2] < size[0]))
        return (SizeRule){"top_diameter < diameter", size[2], size[0]};
    if (shape->kind == SHAPE_BOX) room = 0.5 * fmin(size[0], fmin(size[1], size[2]));
    if (shape->kind == SHAPE_CYLINDER) room = 0.5 * fmin(size[0], size[1]);
    if (shape->kind == SHAPE_CONE) room = cone_inner_radius(size);
    if (shape->kind == SHAPE_BEAM) room = 0.5 * fmin(size[1], size[2]);
    if (!(shape->smoothing_m <= room))
        return (SizeRule){"smoothing <= what the shape has room for", shape->smoothing_m, room};
    if (shape->kind == SHAPE_HALF_SPACE && size[0] == 0 && size[1] == 0 && size[2] == 0)
        return (SizeRule){"a normal that is not 0", 0, 0};
    return (SizeRule){NULL, 0, 0};
}

ClackStatus sample_check(const Study *study, uint64_t scene_index, const double *values, const SceneDescription *scene,
                         ClackReport *report) {
    for (uint32_t i = 0; i < study->check_count; i++) {
        const NumberCheck *check = &study->checks[i];
        const double value = values[check->parameter];
        if (check->shape != NONE) {
            const SizeRule rule = check_sizes(&scene->shapes[check->shape]);
            if (rule.words == NULL) continue;
            return report_add(report, CLACK_STUDY, "%s: scene %" PRIu64 ": expected %s (%g), found %g", check->where,
                              scene_index, rule.words, rule.limit, rule.found);
        }
        if (check_range(check, value)) continue;
        return report_add(report, CLACK_STUDY, "%s: scene %" PRIu64 ": expected %s, found %g", check->where,
                          scene_index, check->words, value);
    }
    return CLACK_OK;
}
