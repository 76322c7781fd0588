// For each width. One operation of kernels, whichever is asked for (model/exact_types.h).
#ifndef CLACK_EVALUATE_EXACT_OPERATION_H
#define CLACK_EVALUATE_EXACT_OPERATION_H
#define exact_truth LANE_NAME(exact_truth)
#define exact_of_orders LANE_NAME(exact_of_orders)
#define exact_of_signs LANE_NAME(exact_of_signs)
#define exact_of_comparisons LANE_NAME(exact_of_comparisons)
#define exact_operation LANE_NAME(exact_operation)
#endif

FN Lane exact_truth(LaneMask is_true) { return lane_select(is_true, lane_of(1.0), lane_of(0.0)); }

/// What a compiler that reckons without rounding would write otherwise.
FN Lane exact_of_orders(u32 operation, Lane a, Lane b, Lane c) {
    switch (operation) {
    case EXACT_PRODUCT_PLUS: return a * b + c;
    case EXACT_PRODUCT_MINUS: return a * b - c;
    case EXACT_MINUS_PRODUCT: return c - a * b;
    case EXACT_SUM_OF_PRODUCTS: return a * b + c * c;
    case EXACT_SUM_LESS_FIRST: return (a + b) - a;
    case EXACT_SUM_IN_ORDER: return (a + b) + c;
    case EXACT_QUOTIENT_TIMES: return a / b * b;
    case EXACT_QUOTIENTS: return a / c + b / c;
    case EXACT_THIRD: return a / 3.0;
    case EXACT_ROOT_SQUARED: return lane_sqrt(a) * lane_sqrt(a);
    default: return a / lane_sqrt(b); // EXACT_PER_ROOT
    }
}

FN Lane exact_of_signs(u32 operation, Lane a) {
    switch (operation) {
    case EXACT_PLUS_ZERO: return a + 0.0;
    case EXACT_ZERO_TIMES: return 0.0 * a;
    case EXACT_ZERO_MINUS: return 0.0 - a;
    case EXACT_LESS_ITSELF: return a - a;
    case EXACT_NEGATIVE: return -a;
    default: return lane_abs(a); // EXACT_ABSOLUTE
    }
}

FN Lane exact_of_comparisons(u32 operation, Lane a, Lane b, Lane c) {
    switch (operation) {
    case EXACT_IS_LESS: return exact_truth(a < b);
    case EXACT_IS_AT_MOST: return exact_truth(a <= b);
    case EXACT_IS_EQUAL: return exact_truth(a == b);
    case EXACT_IS_OTHER: return exact_truth(a != b);
    case EXACT_IS_NOT_LESS: return exact_truth(lane_not(a < b));
    case EXACT_IS_FINITE: return exact_truth(lane_abs(a) <= 1.7976931348623157e308);
    case EXACT_LEAST: return lane_min(a, b);
    case EXACT_MOST: return lane_max(a, b);
    default: return lane_select(a < 0.0, b, c); // EXACT_CHOSEN
    }
}

/// operation: EXACT_* below EXACT_FLOOR.
FN Lane exact_operation(u32 operation, Lane a, Lane b, Lane c) {
    switch (operation) {
    case EXACT_ADD: return a + b;
    case EXACT_SUBTRACT: return a - b;
    case EXACT_MULTIPLY: return a * b;
    case EXACT_DIVIDE: return a / b;
    case EXACT_ROOT: return lane_sqrt(a);
    case EXACT_FMA: return lane_fma(a, b, c);
    default: break;
    }
    if (operation < EXACT_PLUS_ZERO) return exact_of_orders(operation, a, b, c);
    return operation < EXACT_IS_LESS ? exact_of_signs(operation, a) : exact_of_comparisons(operation, a, b, c);
}
