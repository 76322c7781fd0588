// Arithmetic on parameters: a compiled expression, its value and bounds of its value. Host only.
#ifndef CLACK_EXPRESSION_H
#define CLACK_EXPRESSION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EXPRESSION_DEPTH_MAX 64 // values waiting for their operator
#define EXPRESSION_PI 3.14159265358979323846

typedef enum ExpressionCode {
    EXPRESSION_CONSTANT,
    EXPRESSION_PARAMETER,
    EXPRESSION_NEGATE,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER,
    EXPRESSION_SQRT,
    EXPRESSION_ABS,
    EXPRESSION_MIN,
    EXPRESSION_MAX,
    EXPRESSION_SIN,
    EXPRESSION_COS,
    EXPRESSION_TAN,
    EXPRESSION_ASIN,
    EXPRESSION_ACOS,
    EXPRESSION_ATAN,
    EXPRESSION_ATAN2,
    EXPRESSION_EXP,
    EXPRESSION_LOG,
    EXPRESSION_FLOOR,
    EXPRESSION_CEIL,
    EXPRESSION_LESS, // this and what follows: 1 or 0
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_EQUAL,
    EXPRESSION_NOT_EQUAL
} ExpressionCode;

typedef struct ExpressionStep { // in postfix order
    ExpressionCode code;
    uint32_t parameter; // EXPRESSION_PARAMETER: index
    double value;       // EXPRESSION_CONSTANT
} ExpressionStep;

typedef struct Expression {
    uint32_t step_count;
    ExpressionStep *steps; // (step_count)
} Expression;

typedef struct ExpressionBounds { // what a value can be; `may_fail`: also no number at all
    double low, high;
    int may_fail;
} ExpressionBounds;

/// How many values an operation takes: 0, 1 or 2.
int expression_arity(ExpressionCode code);

/// Value with these parameters (indexed as in the steps); NaN where it is not defined. The steps must
/// leave one value and never hold more than EXPRESSION_DEPTH_MAX. Pure.
double expression_value(const Expression *expression, const double *parameters);

/// Bounds of the value where the parameters lie within theirs, by interval arithmetic: never too
/// narrow, often too wide where a parameter occurs twice.
ExpressionBounds expression_bounds(const Expression *expression, const ExpressionBounds *parameters);

#ifdef __cplusplus
}
#endif
#endif
