// Value and bounds of compiled expressions.
#include "expression.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

int expression_arity(ExpressionCode code) {
    switch (code) {
    case EXPRESSION_CONSTANT:
    case EXPRESSION_PARAMETER: return 0;
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
    case EXPRESSION_MULTIPLY:
    case EXPRESSION_DIVIDE:
    case EXPRESSION_POWER:
    case EXPRESSION_MIN:
    case EXPRESSION_MAX:
    case EXPRESSION_ATAN2:
    case EXPRESSION_LESS:
    case EXPRESSION_LESS_EQUAL:
    case EXPRESSION_GREATER:
    case EXPRESSION_GREATER_EQUAL:
    case EXPRESSION_EQUAL:
    case EXPRESSION_NOT_EQUAL: return 2;
    default: return 1;
    }
}

// --- value ----------------------------------------------------------------------------------------

static int is_comparison(ExpressionCode code) { return code >= EXPRESSION_LESS; }

static int compare_two(ExpressionCode code, double a, double b) {
    switch (code) {
    case EXPRESSION_LESS: return a < b;
    case EXPRESSION_LESS_EQUAL: return a <= b;
    case EXPRESSION_GREATER: return a > b;
    case EXPRESSION_GREATER_EQUAL: return a >= b;
    case EXPRESSION_EQUAL: return a == b;
    default: return a != b;
    }
}

static double value_of_two(ExpressionCode code, double a, double b) {
    // What does not exist is neither more nor less than anything.
    if (is_comparison(code)) return isnan(a) || isnan(b) ? (double)NAN : (double)compare_two(code, a, b);
    switch (code) {
    case EXPRESSION_ADD: return a + b;
    case EXPRESSION_SUBTRACT: return a - b;
    case EXPRESSION_MULTIPLY: return a * b;
    case EXPRESSION_DIVIDE: return a / b;
    case EXPRESSION_POWER: return pow(a, b);
    case EXPRESSION_ATAN2: return atan2(a, b);
    default: // fmin and fmax would drop a NaN
        if (isnan(a) || isnan(b)) return NAN;
        return code == EXPRESSION_MIN ? fmin(a, b) : fmax(a, b);
    }
}

static double value_of_one(ExpressionCode code, double a) {
    switch (code) {
    case EXPRESSION_NEGATE: return -a;
    case EXPRESSION_SQRT: return sqrt(a);
    case EXPRESSION_ABS: return fabs(a);
    case EXPRESSION_SIN: return sin(a);
    case EXPRESSION_COS: return cos(a);
    case EXPRESSION_TAN: return tan(a);
    case EXPRESSION_ASIN: return asin(a);
    case EXPRESSION_ACOS: return acos(a);
    case EXPRESSION_ATAN: return atan(a);
    case EXPRESSION_EXP: return exp(a);
    case EXPRESSION_LOG: return log(a);
    case EXPRESSION_FLOOR: return floor(a);
    case EXPRESSION_CEIL: return ceil(a);
    default: return NAN;
    }
}

double expression_value(const Expression *expression, const double *parameters) {
    double stack[EXPRESSION_DEPTH_MAX];
    size_t depth = 0;
    for (uint32_t i = 0; i < expression->step_count; i++) {
        const ExpressionStep *step = &expression->steps[i];
        const int arity = expression_arity(step->code);
        assert(depth >= (size_t)arity && depth - (size_t)arity < EXPRESSION_DEPTH_MAX);
        depth -= (size_t)arity;
        if (step->code == EXPRESSION_CONSTANT)
            stack[depth] = step->value;
        else if (step->code == EXPRESSION_PARAMETER)
            stack[depth] = parameters[step->parameter];
        else if (arity == 1)
            stack[depth] = value_of_one(step->code, stack[depth]);
        else
            stack[depth] = value_of_two(step->code, stack[depth], stack[depth + 1]);
        depth++;
    }
    assert(depth == 1);
    return stack[0];
}

// --- bounds ---------------------------------------------------------------------------------------
// + - * / and sqrt round monotonically, so that the ends of an interval bound the rounded values too.
// The C library's functions may be off by a little at either end: their bounds are widened.

#define LIBRARY_ERROR (8 * DBL_EPSILON) // relative; glibc's are within 2

static const ExpressionBounds bounds_any = {-INFINITY, INFINITY, 1};

static ExpressionBounds bounds_make(double low, double high, int may_fail) {
    if (isnan(low) || isnan(high)) return bounds_any;
    return (ExpressionBounds){low, high, may_fail};
}

static ExpressionBounds bounds_widen(double low, double high, int may_fail) {
    return bounds_make(low - LIBRARY_ERROR * fabs(low), high + LIBRARY_ERROR * fabs(high), may_fail);
}

// The least and the greatest of an operation at the four corners.
static ExpressionBounds bounds_corners(ExpressionCode code, ExpressionBounds a, ExpressionBounds b) {
    const double corners[4] = {value_of_two(code, a.low, b.low), value_of_two(code, a.low, b.high),
                               value_of_two(code, a.high, b.low), value_of_two(code, a.high, b.high)};
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 4; i++) {
        if (isnan(corners[i])) return bounds_any; // such as 0 times infinity
        low = fmin(low, corners[i]);
        high = fmax(high, corners[i]);
    }
    return bounds_make(low, high, a.may_fail | b.may_fail);
}

static ExpressionBounds bounds_abs(ExpressionBounds a) {
    const double far = fmax(fabs(a.low), fabs(a.high));
    const double near = a.low <= 0 && a.high >= 0 ? 0 : fmin(fabs(a.low), fabs(a.high));
    return bounds_make(near, far, a.may_fail);
}

static ExpressionBounds bounds_power(ExpressionBounds a, ExpressionBounds b) {
    const int is_whole = b.low == b.high && b.low == floor(b.low);
    ExpressionBounds result = bounds_any;
    if (a.low > 0 || (a.low >= 0 && b.low >= 0))
        result = bounds_corners(EXPRESSION_POWER, a, b);
    else if (is_whole && b.low >= 0 && fmod(b.low, 2) == 0) // a^n = |a|^n
        result = bounds_corners(EXPRESSION_POWER, bounds_abs(a), b);
    else if (is_whole && b.low > 0)
        result = bounds_corners(EXPRESSION_POWER, a, b);
    return bounds_widen(result.low, result.high, result.may_fail);
}

static ExpressionBounds bounds_of_two(ExpressionCode code, ExpressionBounds a, ExpressionBounds b) {
    if (is_comparison(code)) return bounds_make(0, 1, a.may_fail | b.may_fail);
    if (code == EXPRESSION_POWER) return bounds_power(a, b);
    if (code == EXPRESSION_DIVIDE && b.low <= 0 && b.high >= 0) return bounds_any;
    if (code == EXPRESSION_ATAN2) return bounds_widen(-EXPRESSION_PI, EXPRESSION_PI, a.may_fail | b.may_fail);
    return bounds_corners(code, a, b);
}

static ExpressionBounds bounds_of_one(ExpressionCode code, ExpressionBounds a) {
    const int is_point = a.low == a.high;
    switch (code) {
    case EXPRESSION_NEGATE: return bounds_make(-a.high, -a.low, a.may_fail);
    case EXPRESSION_ABS: return bounds_abs(a);
    case EXPRESSION_FLOOR:
    case EXPRESSION_CEIL: return bounds_make(value_of_one(code, a.low), value_of_one(code, a.high), a.may_fail);
    case EXPRESSION_SQRT: return bounds_make(sqrt(fmax(a.low, 0)), sqrt(a.high), a.may_fail | (a.low < 0));
    case EXPRESSION_SIN:
    case EXPRESSION_COS:
        if (is_point) break;
        return bounds_make(-1, 1, a.may_fail | !isfinite(a.low) | !isfinite(a.high));
    case EXPRESSION_TAN:
        if (is_point) break;
        return bounds_any;
    case EXPRESSION_ACOS:
        return bounds_widen(acos(fmin(a.high, 1)), acos(fmax(a.low, -1)), a.may_fail | (a.low < -1) | (a.high > 1));
    case EXPRESSION_ASIN:
        return bounds_widen(asin(fmax(a.low, -1)), asin(fmin(a.high, 1)), a.may_fail | (a.low < -1) | (a.high > 1));
    case EXPRESSION_LOG:
        return bounds_widen(a.low > 0 ? log(a.low) : -(double)INFINITY, log(a.high), a.may_fail | !(a.low > 0));
    default: // grows with its argument: atan, exp
        break;
    }
    return bounds_widen(value_of_one(code, a.low), value_of_one(code, a.high), a.may_fail);
}

ExpressionBounds expression_bounds(const Expression *expression, const ExpressionBounds *parameters) {
    ExpressionBounds stack[EXPRESSION_DEPTH_MAX];
    size_t depth = 0;
    for (uint32_t i = 0; i < expression->step_count; i++) {
        const ExpressionStep *step = &expression->steps[i];
        const int arity = expression_arity(step->code);
        assert(depth >= (size_t)arity && depth - (size_t)arity < EXPRESSION_DEPTH_MAX);
        depth -= (size_t)arity;
        if (step->code == EXPRESSION_CONSTANT)
            stack[depth] = (ExpressionBounds){step->value, step->value, 0};
        else if (step->code == EXPRESSION_PARAMETER)
            stack[depth] = parameters[step->parameter];
        else if (arity == 1)
            stack[depth] = bounds_of_one(step->code, stack[depth]);
        else
            stack[depth] = bounds_of_two(step->code, stack[depth], stack[depth + 1]);
        depth++;
    }
    assert(depth == 1);
    return stack[0];
}
