// Three columns of a matrix at once, one component of each in a vector of the processor, if it has such vectors
// (wide3.h); otherwise one column after the other, which takes a third of the registers. All operations are linear:
// columns are multiplied by single numbers only. Each operation is that of vec3.h on each column, with the same bits.
#ifndef CLACK_BASE_COLUMNS_H
#define CLACK_BASE_COLUMNS_H

#include "base/wide3.h"

#if WIDE

#define COLUMNS_AT_ONCE 3u

typedef Wide3 Columns;

/// Component k of a vector for column k; with one column at a time that of `column`.
FN_SHORT Columns columns_of(Vec3 v, u32 column) {
    (void)column;
    return wide3_of(v);
}
/// The same number for every column.
FN_SHORT Columns columns_same(real s) { return wide3_of(vec3_make(s, s, s)); }
/// The number for the first of these columns.
FN_SHORT real columns_first(Columns a) { return wide3_parts(a).x; }
FN_SHORT Columns columns_zero(void) { return wide3_zero(); }
FN_SHORT Columns columns_add(Columns a, Columns b) { return wide3_add(a, b); }
FN_SHORT Columns columns_sub(Columns a, Columns b) { return wide3_sub(a, b); }
FN_SHORT Columns columns_scale(Columns a, real s) { return wide3_scale(a, s); }
FN_SHORT Columns columns_add_scaled(Columns a, Columns b, real s) { return wide3_add_scaled(a, b, s); }

#else

#define COLUMNS_AT_ONCE 1u

typedef real Columns;

FN_SHORT Columns columns_of(Vec3 v, u32 column) { return vec3_component(v, column); }
FN_SHORT Columns columns_same(real s) { return s; }
FN_SHORT real columns_first(Columns a) { return a; }
FN_SHORT Columns columns_zero(void) { return 0.0; }
FN_SHORT Columns columns_add(Columns a, Columns b) { return a + b; }
FN_SHORT Columns columns_sub(Columns a, Columns b) { return a - b; }
FN_SHORT Columns columns_scale(Columns a, real s) { return a * s; }
FN_SHORT Columns columns_add_scaled(Columns a, Columns b, real s) { return real_fma(b, s, a); }

#endif

/// a x + b y.
FN_SHORT Columns columns_blend(real a, Columns x, real b, Columns y) {
    return columns_add(columns_scale(x, a), columns_scale(y, b));
}

// A vector in each column.
typedef struct ColumnVec {
    Columns x, y, z;
} ColumnVec;

FN_SHORT ColumnVec column_vec(Columns x, Columns y, Columns z) {
    ColumnVec v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
FN_SHORT ColumnVec column_vec_zero(void) { return column_vec(columns_zero(), columns_zero(), columns_zero()); }
/// The same vector in every column.
FN_SHORT ColumnVec column_vec_same(Vec3 v) {
    return column_vec(columns_same(v.x), columns_same(v.y), columns_same(v.z));
}
/// The columns of a matrix given by its rows.
FN_SHORT ColumnVec column_vec_of(Mat3 m, u32 column) {
    return column_vec(columns_of(m.x, column), columns_of(m.y, column), columns_of(m.z, column));
}
FN_SHORT ColumnVec column_vec_add(ColumnVec a, ColumnVec b) {
    return column_vec(columns_add(a.x, b.x), columns_add(a.y, b.y), columns_add(a.z, b.z));
}
FN_SHORT ColumnVec column_vec_sub(ColumnVec a, ColumnVec b) {
    return column_vec(columns_sub(a.x, b.x), columns_sub(a.y, b.y), columns_sub(a.z, b.z));
}
FN_SHORT ColumnVec column_vec_negate(ColumnVec a) { return column_vec_sub(column_vec_zero(), a); }
FN_SHORT ColumnVec column_vec_scale(ColumnVec a, real s) {
    return column_vec(columns_scale(a.x, s), columns_scale(a.y, s), columns_scale(a.z, s));
}
FN_SHORT ColumnVec column_vec_add_scaled(ColumnVec a, ColumnVec b, real s) {
    return column_vec(columns_add_scaled(a.x, b.x, s), columns_add_scaled(a.y, b.y, s),
                      columns_add_scaled(a.z, b.z, s));
}
/// One vector, scaled by a factor for each column; a sum with that.
FN_SHORT ColumnVec column_vec_along(Columns s, Vec3 b) {
    return column_vec(columns_scale(s, b.x), columns_scale(s, b.y), columns_scale(s, b.z));
}
FN_SHORT ColumnVec column_vec_add_along(ColumnVec a, Columns s, Vec3 b) {
    return column_vec(columns_add_scaled(a.x, s, b.x), columns_add_scaled(a.y, s, b.y),
                      columns_add_scaled(a.z, s, b.z));
}
FN_SHORT ColumnVec column_vec_multiply(ColumnVec a, Vec3 b) {
    return column_vec(columns_scale(a.x, b.x), columns_scale(a.y, b.y), columns_scale(a.z, b.z));
}
FN_SHORT Columns column_vec_dot(Vec3 a, ColumnVec b) {
    return columns_add_scaled(columns_add_scaled(columns_scale(b.z, a.z), b.y, a.y), b.x, a.x);
}
/// a x b; b x a is its negative in every bit.
FN_SHORT ColumnVec column_vec_cross(Vec3 a, ColumnVec b) {
    return column_vec(columns_sub(columns_scale(b.z, a.y), columns_scale(b.y, a.z)),
                      columns_sub(columns_scale(b.x, a.z), columns_scale(b.z, a.x)),
                      columns_sub(columns_scale(b.y, a.x), columns_scale(b.x, a.y)));
}
FN_SHORT ColumnVec column_vec_crossed(ColumnVec a, Vec3 b) {
    return column_vec(columns_sub(columns_scale(a.y, b.z), columns_scale(a.z, b.y)),
                      columns_sub(columns_scale(a.z, b.x), columns_scale(a.x, b.z)),
                      columns_sub(columns_scale(a.x, b.y), columns_scale(a.y, b.x)));
}
FN_SHORT ColumnVec column_vec_rotate(Mat3 m, ColumnVec v) {
    return column_vec(column_vec_dot(m.x, v), column_vec_dot(m.y, v), column_vec_dot(m.z, v));
}
FN_SHORT ColumnVec column_vec_rotate_back(Mat3 m, ColumnVec v) {
    return column_vec(column_vec_dot(mat3_column(m, 0), v), column_vec_dot(mat3_column(m, 1), v),
                      column_vec_dot(mat3_column(m, 2), v));
}

/// quat_exp_change of columns.
FN_SHORT ColumnVec column_vec_exp_change(Vec3 phi, ColumnVec change) {
    real square = vec3_dot(phi, phi);
    ColumnVec across = column_vec_cross(phi, change);
    ColumnVec sum = column_vec_add_scaled(change, across, 0.0 - quat_exp_change_first(square));
    return column_vec_add_scaled(sum, column_vec_cross(phi, across), quat_exp_change_second(square));
}

#define COLUMN_ROWS 6u

/// Add two vectors in each column, one above the other and scaled by `scale`, to columns of six numbers in a row. at:
/// the first of three.
#if WIDE && defined(PORTABLE_OPENCL)
FN_SHORT void column_vec_add_row(GLOBAL real *at, double4 high, double2 low, real scale) {
    vstore4(fma(high, (double4)(scale), vload4(0, at)), 0, at);
    vstore2(fma(low, (double2)(scale), vload2(0, at + 4)), 0, at + 4);
}
FN_SHORT void column_vec_accumulate(GLOBAL real *at, u32 column, ColumnVec a, ColumnVec b, real scale) {
    (void)column;
    column_vec_add_row(at, (double4)(a.x.s0, a.y.s0, a.z.s0, b.x.s0), (double2)(b.y.s0, b.z.s0), scale);
    column_vec_add_row(at + COLUMN_ROWS, (double4)(a.x.s1, a.y.s1, a.z.s1, b.x.s1), (double2)(b.y.s1, b.z.s1), scale);
    column_vec_add_row(at + 2u * COLUMN_ROWS, (double4)(a.x.s2, a.y.s2, a.z.s2, b.x.s2), (double2)(b.y.s2, b.z.s2),
                       scale);
}
#elif WIDE
FN_SHORT void column_vec_add_row(GLOBAL real *at, __m256d high, __m128d low, real scale) {
    _mm256_storeu_pd(at, _mm256_fmadd_pd(high, _mm256_set1_pd(scale), _mm256_loadu_pd(at)));
    _mm_storeu_pd(at + 4, _mm_fmadd_pd(low, _mm_set1_pd(scale), _mm_loadu_pd(at + 4)));
}
FN_SHORT void column_vec_accumulate(GLOBAL real *at, u32 column, ColumnVec a, ColumnVec b, real scale) {
    (void)column;
    // Rows of columns 0 and 2, and of column 1.
    __m256d even = _mm256_unpacklo_pd(a.x, a.y), odd = _mm256_unpackhi_pd(a.x, a.y);
    __m256d even_more = _mm256_unpacklo_pd(a.z, b.x), odd_more = _mm256_unpackhi_pd(a.z, b.x);
    __m256d even_last = _mm256_unpacklo_pd(b.y, b.z), odd_last = _mm256_unpackhi_pd(b.y, b.z);
    column_vec_add_row(at, _mm256_permute2f128_pd(even, even_more, 0x20), _mm256_castpd256_pd128(even_last), scale);
    column_vec_add_row(at + COLUMN_ROWS, _mm256_permute2f128_pd(odd, odd_more, 0x20), _mm256_castpd256_pd128(odd_last),
                       scale);
    column_vec_add_row(at + 2u * COLUMN_ROWS, _mm256_permute2f128_pd(even, even_more, 0x31),
                       _mm256_extractf128_pd(even_last, 1), scale);
}
#else
FN_SHORT void column_vec_accumulate(GLOBAL real *at, u32 column, ColumnVec a, ColumnVec b, real scale) {
    at += COLUMN_ROWS * column;
    at[0] = real_fma(a.x, scale, at[0]);
    at[1] = real_fma(a.y, scale, at[1]);
    at[2] = real_fma(a.z, scale, at[2]);
    at[3] = real_fma(b.x, scale, at[3]);
    at[4] = real_fma(b.y, scale, at[4]);
    at[5] = real_fma(b.z, scale, at[5]);
}
#endif

#endif
