// Functions of time of a scene: rows as kernels take them, what is constant in a scene folded.
#include "stage_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "joints/time_function.h"

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

double stage_function_at(const SceneDescription *scene, uint32_t first, uint32_t count, double t) {
    FunctionRow *rows = malloc((count + 1) * sizeof *rows);
    if (rows == NULL) return NAN;
    for (uint32_t i = 0; i < count; i++) rows[i] = stage_row(&scene->functions[first + i]);
    const double value = time_function(rows, count, t).value;
    free(rows);
    return value;
}

void stage_functions(const SceneDescription *scene, FunctionRow *rows) {
    for (uint32_t i = 0; i < scene->function_count; i++) rows[i] = stage_row(&scene->functions[i]);
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *joint = &scene->joints[j];
        FunctionRow *own = rows + joint->drive_first;
        if (joint->drive_count == 0) continue;
        for (u32 i = fold(own, joint->drive_count); i < joint->drive_count; i++)
            own[i] = (FunctionRow){.code = FUNCTION_NONE};
    }
}
