// Functions of time of a scene: rows as kernels take them, what is constant in a scene folded.
#include "stage_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "model/time_function.h"

// The codes of operations are the same on both sides.
_Static_assert((unsigned)EXPRESSION_CONSTANT == FUNCTION_CONSTANT, "codes");
_Static_assert((unsigned)EXPRESSION_NEGATE == FUNCTION_NEGATE, "codes");
_Static_assert((unsigned)EXPRESSION_POWER == FUNCTION_POWER, "codes");
_Static_assert((unsigned)EXPRESSION_ATAN2 == FUNCTION_ATAN2, "codes");
_Static_assert((unsigned)EXPRESSION_NOT_EQUAL == FUNCTION_NOT_EQUAL, "codes");

// Of constants a and, of two, b.
static double value_of(uint32_t code, double a, double b) {
    ExpressionStep steps[3] = {{.code = EXPRESSION_CONSTANT, .value = a}, {.code = EXPRESSION_CONSTANT, .value = b}};
    const uint32_t count = function_takes_two(code) ? 2 : 1;
    steps[count].code = (ExpressionCode)code;
    const Expression expression = {count + 1, steps};
    return expression_value(&expression, NULL);
}

// Operations on constants become constants: the rows before them are removed.
static u32 fold(FunctionRow *rows, u32 count) {
    u32 kept = 0;
    for (u32 i = 0; i < count; i++) {
        const FunctionRow row = rows[i];
        if (row.code == FUNCTION_TABLE) {
            memmove(&rows[kept], &rows[i], (row.count + 1) * sizeof row);
            kept += row.count + 1;
            i += row.count;
            continue;
        }
        const u32 takes = row.code <= FUNCTION_TIME ? 0 : function_takes_two(row.code) ? 2 : 1;
        u32 constants = 0;
        while (constants < takes && kept > constants && rows[kept - 1 - constants].code == FUNCTION_CONSTANT)
            constants++;
        if (takes == 0 || constants < takes) {
            rows[kept++] = row;
            continue;
        }
        const double a = rows[kept - takes].value, b = rows[kept - 1].value;
        kept -= takes;
        rows[kept++] = (FunctionRow){.value = value_of(row.code, a, b), .code = FUNCTION_CONSTANT};
    }
    return kept;
}

static FunctionRow stage_row(const SceneFunction *in) {
    return (FunctionRow){
        .value = in->value, .time_s = in->time_s, .slope = in->slope, .code = in->code, .count = in->count};
}

uint32_t stage_functions_at(const SceneDescription *scene, uint32_t first, uint32_t count, double t, double *values) {
    TimeValue stack[TIME_STACK];
    FunctionRow *rows = malloc((count + 1) * sizeof *rows);
    if (rows == NULL) return 0;
    for (uint32_t i = 0; i < count; i++) rows[i] = stage_row(&scene->functions[first + i]);
    const uint32_t found = time_functions(rows, count, t, stack);
    for (uint32_t i = 0; i < found; i++) values[i] = stack[i].value;
    free(rows);
    return found;
}

double stage_function_at(const SceneDescription *scene, uint32_t first, uint32_t count, double t) {
    double values[TIME_STACK];
    return stage_functions_at(scene, first, count, t, values) > 0 ? values[0] : NAN;
}

// Folds the functions in `count` rows; those that are left over do nothing.
static void fold_rows(FunctionRow *rows, u32 count) {
    for (u32 i = fold(rows, count); i < count; i++) rows[i] = (FunctionRow){.code = FUNCTION_NONE};
}

void stage_functions(const SceneDescription *scene, FunctionRow *rows) {
    for (uint32_t i = 0; i < scene->function_count; i++) rows[i] = stage_row(&scene->functions[i]);
    for (uint32_t j = 0; j < scene->joint_count; j++)
        fold_rows(rows + scene->joints[j].drive_first, scene->joints[j].drive_count);
    for (uint32_t b = 0; b < scene->body_count; b++) {
        const SceneBody *body = &scene->bodies[b];
        if (body->motion_count > 0) fold_rows(rows + body->motion_first + 1, body->motion_count - 1);
    }
}

// --- motions of fixed bodies ----------------------------------------------------------------------

#define MOTION_NONE 1.0e-9 // m or rad at t = 0

int stage_is_timed(const SceneDescription *scene) {
    for (uint32_t j = 0; j < scene->joint_count; j++)
        if (scene->joints[j].kind == JOINT_LOAD) return 1;
    for (uint32_t b = 0; b < scene->body_count; b++)
        if (scene->bodies[b].motion_count > 0) return 1;
    return 0;
}

int stage_body_motion_is_right(const SceneDescription *scene, const SceneBody *body, char *out_why, size_t bytes) {
    double v[TIME_STACK] = {0};
    if (body->motion_count == 0) return 1;
    // Fewer values than a motion has: errors in it have been reported, or there is no memory.
    if (stage_functions_at(scene, body->motion_first + 1, body->motion_count - 1, 0.0, v) < 7) return 1;
    for (int i = 0; i < 4; i++) {
        if (fabs(v[i]) <= MOTION_NONE) continue;
        snprintf(out_why, bytes, "expected %s that is 0 at t = 0, found %.9g", i < 3 ? "a travel" : "an angle",
                 isnan(v[i]) ? fabs(v[i]) : v[i]);
        return 0;
    }
    if (v[4] != 0.0 || v[5] != 0.0 || v[6] != 0.0) return 1;
    snprintf(out_why, bytes, "expected an axis that is not 0");
    return 0;
}

void stage_motions(const SceneDescription *scene, Body *bodies) {
    for (uint32_t b = 0; b < scene->body_count; b++) {
        if (scene->bodies[b].motion_count == 0 || scene->bodies[b].is_absent) continue;
        bodies[b].flags |= BODY_DRIVEN;
        bodies[b].motion = scene->bodies[b].motion_first;
    }
}
