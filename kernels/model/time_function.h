// Functions of time: motions of joints and bodies, loads. A function is a program in postfix order (FunctionRow), whose
// constants are the scene's; its value comes with two derivatives by time, each operation's by the chain rule, exactly.
#ifndef CLACK_MODEL_TIME_FUNCTION_H
#define CLACK_MODEL_TIME_FUNCTION_H

#include "base/elementary.h"
#include "model/scene_types.h"

FN_SHORT TimeValue time_value(real value, real rate, real second_derivative) {
    TimeValue v;
    v.value = value;
    v.rate = rate;
    v.second_derivative = second_derivative;
    return v;
}

FN_SHORT TimeValue time_sum(TimeValue a, TimeValue b, real factor) {
    return time_value(real_fma(factor, b.value, a.value), real_fma(factor, b.rate, a.rate),
                      real_fma(factor, b.second_derivative, a.second_derivative));
}

FN_SHORT TimeValue time_product(TimeValue a, TimeValue b) {
    return time_value(a.value * b.value, a.rate * b.value + a.value * b.rate,
                      a.second_derivative * b.value + 2.0 * a.rate * b.rate + a.value * b.second_derivative);
}

FN_SHORT TimeValue time_quotient(TimeValue a, TimeValue b) {
    real q = a.value / b.value, rate = (a.rate - q * b.rate) / b.value;
    return time_value(q, rate, (a.second_derivative - 2.0 * rate * b.rate - q * b.second_derivative) / b.value);
}

/// f(a) with f and its derivatives at the value of a.
FN_SHORT TimeValue time_chain(TimeValue a, real f, real first, real second) {
    // Where a stands still, a derivative of f that is infinite does not count.
    real rate = a.rate != 0.0 ? first * a.rate : 0.0;
    real second_derivative = (a.rate != 0.0 ? second * a.rate * a.rate : 0.0) +
                             (a.second_derivative != 0.0 ? first * a.second_derivative : 0.0);
    return time_value(f, rate, second_derivative);
}

FN_SHORT TimeValue time_sqrt(TimeValue a) {
    real root = real_sqrt(a.value);
    return time_chain(a, root, 0.5 / root, -0.25 / (root * a.value));
}

FN_SHORT TimeValue time_exp(TimeValue a) {
    real f = elementary_exp(a.value);
    return time_chain(a, f, f, f);
}

FN_SHORT TimeValue time_log(TimeValue a) {
    return time_chain(a, elementary_log(a.value), 1.0 / a.value, -1.0 / (a.value * a.value));
}

/// Angle of the point (x, y) from the x axis.
FN_SHORT TimeValue time_angle(TimeValue y, TimeValue x) {
    real square = x.value * x.value + y.value * y.value;
    TimeValue sum = time_sum(time_product(x, x), time_product(y, y), 1.0);
    TimeValue turn = time_value(x.value * y.rate - y.value * x.rate,
                                x.value * y.second_derivative - y.value * x.second_derivative, 0.0);
    real rate = turn.value / square;
    return time_value(angle_of_point(y.value, x.value), rate, (turn.rate - rate * sum.rate) / square);
}

/// a^n of a whole number n, |n| <= 1024, by squares.
FN_ONCE real time_whole_power(real a, real n) {
    real power = 1.0;
    for (u32 left = (u32)real_abs(n); left > 0; left >>= 1u, a *= a)
        if (left & 1u) power *= a;
    return n < 0.0 ? 1.0 / power : power;
}

FN_ONCE TimeValue time_power(TimeValue a, TimeValue b) {
    real n = b.value;
    if (b.rate != 0.0 || b.second_derivative != 0.0) return time_exp(time_product(b, time_log(a)));
    if (real_floor(n) == n && real_abs(n) <= 1024.0)
        return time_chain(a, time_whole_power(a.value, n), n != 0.0 ? n * time_whole_power(a.value, n - 1.0) : 0.0,
                          n != 0.0 && n != 1.0 ? n * (n - 1.0) * time_whole_power(a.value, n - 2.0) : 0.0);
    if (a.value == 0.0 && n > 0.0)
        return time_chain(a, 0.0, n > 1.0 ? 0.0 : 1.0 / a.value, n > 2.0 ? 0.0 : 1.0 / a.value);
    real f = elementary_exp(n * elementary_log(a.value));
    return time_chain(a, f, n * f / a.value, n * (n - 1.0) * f / (a.value * a.value));
}

FN_ONCE TimeValue time_of_one(u32 code, TimeValue a) {
    TimeValue one = time_value(1.0, 0.0, 0.0), none = time_value(0.0, 0.0, 0.0);
    real sine, cosine;
    if (code == FUNCTION_NEGATE) return time_sum(none, a, -1.0);
    if (code == FUNCTION_SQRT) return time_sqrt(a);
    if (code == FUNCTION_ABS) return a.value < 0.0 ? time_sum(none, a, -1.0) : a;
    if (code == FUNCTION_EXP) return time_exp(a);
    if (code == FUNCTION_LOG) return time_log(a);
    if (code == FUNCTION_FLOOR) return time_value(real_floor(a.value), 0.0, 0.0);
    if (code == FUNCTION_CEIL) return time_value(0.0 - real_floor(0.0 - a.value), 0.0, 0.0);
    if (code == FUNCTION_ATAN) return time_angle(a, one);
    if (code == FUNCTION_ASIN) return time_angle(a, time_sqrt(time_sum(one, time_product(a, a), -1.0)));
    if (code == FUNCTION_ACOS) return time_angle(time_sqrt(time_sum(one, time_product(a, a), -1.0)), a);
    sine = elementary_sin(a.value, 0);
    cosine = elementary_sin(a.value, 1);
    if (code == FUNCTION_SIN) return time_chain(a, sine, cosine, 0.0 - sine);
    if (code == FUNCTION_COS) return time_chain(a, cosine, 0.0 - sine, 0.0 - cosine);
    return time_quotient(time_chain(a, sine, cosine, 0.0 - sine), time_chain(a, cosine, 0.0 - sine, 0.0 - cosine));
}

FN_ONCE TimeValue time_of_two(u32 code, TimeValue a, TimeValue b) {
    u32 holds;
    if (code == FUNCTION_ADD) return time_sum(a, b, 1.0);
    if (code == FUNCTION_SUBTRACT) return time_sum(a, b, -1.0);
    if (code == FUNCTION_MULTIPLY) return time_product(a, b);
    if (code == FUNCTION_DIVIDE) return time_quotient(a, b);
    if (code == FUNCTION_POWER) return time_power(a, b);
    if (code == FUNCTION_MIN) return b.value < a.value ? b : a;
    if (code == FUNCTION_MAX) return b.value > a.value ? b : a;
    if (code == FUNCTION_ATAN2) return time_angle(a, b);
    holds = code == FUNCTION_LESS            ? a.value < b.value
            : code == FUNCTION_LESS_EQUAL    ? a.value <= b.value
            : code == FUNCTION_GREATER       ? a.value > b.value
            : code == FUNCTION_GREATER_EQUAL ? a.value >= b.value
            : code == FUNCTION_EQUAL         ? a.value == b.value
                                             : a.value != b.value;
    return time_value(holds ? 1.0 : 0.0, 0.0, 0.0);
}

/// A table of cubic pieces, constant before its first point and after its last. points: (count), in rising order.
FN_ONCE TimeValue time_of_table(GLOBAL const FunctionRow *points, u32 count, real t) {
    u32 low = 0, high = count - 1u;
    if (!(t >= points[0].time_s)) return time_value(points[0].value, 0.0, 0.0);
    if (!(t < points[high].time_s)) return time_value(points[high].value, 0.0, 0.0);
    while (high - low > 1u) {
        u32 middle = (low + high) / 2u;
        if (points[middle].time_s <= t)
            low = middle;
        else
            high = middle;
    }
    FunctionRow a = points[low], b = points[high];
    real length = b.time_s - a.time_s, s = t - a.time_s, mean = (b.value - a.value) / length;
    real square = (3.0 * mean - 2.0 * a.slope - b.slope) / length;
    real cube = (a.slope + b.slope - 2.0 * mean) / (length * length);
    real value = real_fma(s, real_fma(s, real_fma(s, cube, square), a.slope), a.value);
    real rate = real_fma(s, real_fma(3.0 * s, cube, 2.0 * square), a.slope);
    return time_value(value, rate, real_fma(6.0 * s, cube, 2.0 * square));
}

#define TIME_STACK (FUNCTION_DEPTH_MAX + FUNCTION_VALUES_MAX)

/// Values and derivatives of functions, one after the other, at the time t, s. rows: (count). Returns how many they
/// are.
FN_ONCE u32 time_functions(GLOBAL const FunctionRow *rows, u32 count, real t, TimeValue stack[TIME_STACK]) {
    u32 depth = 0;
    stack[0] = time_value(0.0, 0.0, 0.0);
    for (u32 i = 0; i < count; i++) {
        GLOBAL const FunctionRow *row = &rows[i];
        u32 code = row->code;
        if (code == FUNCTION_CONSTANT) {
            stack[depth++] = time_value(row->value, 0.0, 0.0);
        } else if (code == FUNCTION_TIME) {
            stack[depth++] = time_value(t, 1.0, 0.0);
        } else if (code == FUNCTION_TABLE) {
            stack[depth++] = time_of_table(row + 1, row->count, t);
            i += row->count;
        } else if (function_takes_two(code)) {
            depth--;
            stack[depth - 1u] = time_of_two(code, COPY(stack[depth - 1u]), COPY(stack[depth]));
        } else if (code != FUNCTION_NONE) {
            stack[depth - 1u] = time_of_one(code, COPY(stack[depth - 1u]));
        }
    }
    return depth;
}

/// Value and derivatives of one function at the time t, s.
FN_ONCE TimeValue time_function(GLOBAL const FunctionRow *rows, u32 count, real t) {
    TimeValue stack[TIME_STACK];
    time_functions(rows, count, t, stack);
    return stack[0];
}

#endif
