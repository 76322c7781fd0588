// Vectors of three numbers as one vector of the processor, if it has such vectors with fma (the native variant that
// carries scenes side by side, processors by OpenCL); otherwise plain ones, with the same operations and bits. For sums
// and products of columns: moving single numbers in and out takes as long as these.
#ifndef CLACK_BASE_WIDE3_H
#define CLACK_BASE_WIDE3_H

#include "base/vec3.h"

#if WIDE

#ifdef PORTABLE_OPENCL

typedef double4 Wide3; // x, y, z, and an unused number

FN_SHORT Wide3 wide3_of(Vec3 v) { return (Wide3)(v.x, v.y, v.z, v.z); }
FN_SHORT Vec3 wide3_parts(Wide3 a) { return vec3_make(a.x, a.y, a.z); }
FN_SHORT Wide3 wide3_zero(void) { return (Wide3)(0.0); }
FN_SHORT Wide3 wide3_add(Wide3 a, Wide3 b) { return a + b; }
FN_SHORT Wide3 wide3_sub(Wide3 a, Wide3 b) { return a - b; }
FN_SHORT Wide3 wide3_multiply(Wide3 a, Wide3 b) { return a * b; }
FN_SHORT Wide3 wide3_scale(Wide3 a, real s) { return a * (Wide3)(s); }
FN_SHORT Wide3 wide3_add_scaled(Wide3 a, Wide3 b, real s) { return fma(b, (Wide3)(s), a); }
FN_SHORT Wide3 wide3_cross(Wide3 a, Wide3 b) { return a.yzxw * b.zxyw - a.zxyw * b.yzxw; }
/// The k-th axis times a vector, except for signs of zeros.
FN_SHORT Wide3 wide3_axis_cross(u32 k, Wide3 a) {
    if (k == 0) return a.xzyw * (Wide3)(0.0, -1.0, 1.0, 0.0);
    if (k == 1) return a.zyxw * (Wide3)(1.0, 0.0, -1.0, 0.0);
    return a.yxzw * (Wide3)(-1.0, 1.0, 0.0, 0.0);
}
/// a by.x + b by.y + c by.z, each rounded once.
FN_SHORT Wide3 wide3_blend(Wide3 a, Wide3 b, Wide3 c, Wide3 by) {
    return fma(c, by.zzzz, fma(b, by.yyyy, a * by.xxxx));
}
/// The same in reverse order.
FN_SHORT Wide3 wide3_blend_back(Wide3 a, Wide3 b, Wide3 c, Wide3 by) {
    return fma(a, by.xxxx, fma(b, by.yyyy, c * by.zzzz));
}

#else

typedef __m256d Wide3; // x, y, z, and an unused number

FN_SHORT Wide3 wide3_of(Vec3 v) { return _mm256_set_pd(v.z, v.z, v.y, v.x); }
FN_SHORT Vec3 wide3_parts(Wide3 a) {
    __m128d xy = _mm256_castpd256_pd128(a), z = _mm256_extractf128_pd(a, 1);
    return vec3_make(_mm_cvtsd_f64(xy), _mm_cvtsd_f64(_mm_unpackhi_pd(xy, xy)), _mm_cvtsd_f64(z));
}
FN_SHORT Wide3 wide3_zero(void) { return _mm256_setzero_pd(); }
FN_SHORT Wide3 wide3_add(Wide3 a, Wide3 b) { return _mm256_add_pd(a, b); }
FN_SHORT Wide3 wide3_sub(Wide3 a, Wide3 b) { return _mm256_sub_pd(a, b); }
FN_SHORT Wide3 wide3_multiply(Wide3 a, Wide3 b) { return _mm256_mul_pd(a, b); }
FN_SHORT Wide3 wide3_scale(Wide3 a, real s) { return _mm256_mul_pd(a, _mm256_set1_pd(s)); }
FN_SHORT Wide3 wide3_add_scaled(Wide3 a, Wide3 b, real s) { return _mm256_fmadd_pd(b, _mm256_set1_pd(s), a); }
FN_SHORT Wide3 wide3_cross(Wide3 a, Wide3 b) {
    Wide3 a_yzx = _mm256_permute4x64_pd(a, 0xc9), a_zxy = _mm256_permute4x64_pd(a, 0xd2);
    Wide3 b_yzx = _mm256_permute4x64_pd(b, 0xc9), b_zxy = _mm256_permute4x64_pd(b, 0xd2);
    return _mm256_sub_pd(_mm256_mul_pd(a_yzx, b_zxy), _mm256_mul_pd(a_zxy, b_yzx));
}
/// The k-th axis times a vector, except for signs of zeros.
FN_SHORT Wide3 wide3_axis_cross(u32 k, Wide3 a) {
    if (k == 0) return _mm256_mul_pd(_mm256_permute4x64_pd(a, 0xd8), _mm256_set_pd(0.0, 1.0, -1.0, 0.0));
    if (k == 1) return _mm256_mul_pd(_mm256_permute4x64_pd(a, 0xc6), _mm256_set_pd(0.0, -1.0, 0.0, 1.0));
    return _mm256_mul_pd(_mm256_permute4x64_pd(a, 0xe1), _mm256_set_pd(0.0, 0.0, 1.0, -1.0));
}
/// a by.x + b by.y + c by.z, each rounded once.
FN_SHORT Wide3 wide3_blend(Wide3 a, Wide3 b, Wide3 c, Wide3 by) {
    Wide3 sum = _mm256_mul_pd(a, _mm256_permute4x64_pd(by, 0x00));
    sum = _mm256_fmadd_pd(b, _mm256_permute4x64_pd(by, 0x55), sum);
    return _mm256_fmadd_pd(c, _mm256_permute4x64_pd(by, 0xaa), sum);
}
/// The same in reverse order.
FN_SHORT Wide3 wide3_blend_back(Wide3 a, Wide3 b, Wide3 c, Wide3 by) {
    Wide3 sum = _mm256_mul_pd(c, _mm256_permute4x64_pd(by, 0xaa));
    sum = _mm256_fmadd_pd(b, _mm256_permute4x64_pd(by, 0x55), sum);
    return _mm256_fmadd_pd(a, _mm256_permute4x64_pd(by, 0x00), sum);
}

#endif // PORTABLE_OPENCL

#else

typedef Vec3 Wide3;

FN_SHORT Wide3 wide3_of(Vec3 v) { return v; }
FN_SHORT Vec3 wide3_parts(Wide3 a) { return a; }
FN_SHORT Wide3 wide3_zero(void) { return vec3_zero(); }
FN_SHORT Wide3 wide3_add(Wide3 a, Wide3 b) { return vec3_add(a, b); }
FN_SHORT Wide3 wide3_sub(Wide3 a, Wide3 b) { return vec3_sub(a, b); }
FN_SHORT Wide3 wide3_multiply(Wide3 a, Wide3 b) { return vec3_multiply(a, b); }
FN_SHORT Wide3 wide3_scale(Wide3 a, real s) { return vec3_scale(a, s); }
FN_SHORT Wide3 wide3_add_scaled(Wide3 a, Wide3 b, real s) { return vec3_add_scaled(a, b, s); }
FN_SHORT Wide3 wide3_cross(Wide3 a, Wide3 b) { return vec3_cross(a, b); }
FN_SHORT Wide3 wide3_axis_cross(u32 k, Wide3 a) {
    if (k == 0) return vec3_make(a.x * 0.0, a.z * -1.0, a.y * 1.0);
    if (k == 1) return vec3_make(a.z * 1.0, a.y * 0.0, a.x * -1.0);
    return vec3_make(a.y * -1.0, a.x * 1.0, a.z * 0.0);
}
FN_SHORT Wide3 wide3_blend(Wide3 a, Wide3 b, Wide3 c, Wide3 by) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(a, by.x), b, by.y), c, by.z);
}
FN_SHORT Wide3 wide3_blend_back(Wide3 a, Wide3 b, Wide3 c, Wide3 by) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(c, by.z), b, by.y), a, by.x);
}

#endif

#endif
