// Four lanes of numbers in one vector of the processor, for the native variant that has such vectors with fma
// (HAS_FOURS). Each operation is that of portable.h or vec3.h on each lane, with the same bits.
#ifndef CLACK_BASE_WIDE4_H
#define CLACK_BASE_WIDE4_H

#include "base/vec3.h"

#if HAS_FOURS

#define FOUR 4u

typedef __m256d Four;

typedef struct FourVec {
    Four x, y, z;
} FourVec;

/// A member of the objects of four pointers.
#define FOUR_OF(of, member) _mm256_set_pd((of)[3]->member, (of)[2]->member, (of)[1]->member, (of)[0]->member)
#define FOUR_VEC_OF(of, member) four_vec(FOUR_OF(of, member.x), FOUR_OF(of, member.y), FOUR_OF(of, member.z))

FN_SHORT Four four_all(real s) { return _mm256_set1_pd(s); }
FN_SHORT Four four_zero(void) { return _mm256_setzero_pd(); }
FN_SHORT Four four_add(Four a, Four b) { return _mm256_add_pd(a, b); }
FN_SHORT Four four_sub(Four a, Four b) { return _mm256_sub_pd(a, b); }
FN_SHORT Four four_times(Four a, Four b) { return _mm256_mul_pd(a, b); }
FN_SHORT Four four_over(Four a, Four b) { return _mm256_div_pd(a, b); }
FN_SHORT Four four_fma(Four a, Four b, Four c) { return _mm256_fmadd_pd(a, b, c); }
FN_SHORT Four four_root(Four a) { return _mm256_sqrt_pd(a); }
FN_SHORT Four four_max(Four a, Four b) { return _mm256_max_pd(a, b); } // as real_max, for NaN too
FN_SHORT Four four_minus(Four a) { return _mm256_xor_pd(a, _mm256_set1_pd(-0.0)); }
FN_SHORT Four four_abs(Four a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
FN_SHORT Four four_less(Four a, Four b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
FN_SHORT Four four_if(Four which, Four yes, Four no) { return _mm256_blendv_pd(no, yes, which); }
FN_SHORT Four four_where(Four which, Four yes) { return _mm256_and_pd(which, yes); } // else 0

FN_SHORT FourVec four_vec(Four x, Four y, Four z) {
    FourVec v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
FN_SHORT FourVec four_vec_all(Vec3 v) { return four_vec(four_all(v.x), four_all(v.y), four_all(v.z)); }
FN_SHORT FourVec four_vec_add(FourVec a, FourVec b) {
    return four_vec(four_add(a.x, b.x), four_add(a.y, b.y), four_add(a.z, b.z));
}
FN_SHORT FourVec four_vec_sub(FourVec a, FourVec b) {
    return four_vec(four_sub(a.x, b.x), four_sub(a.y, b.y), four_sub(a.z, b.z));
}
FN_SHORT FourVec four_vec_scale(FourVec a, Four s) {
    return four_vec(four_times(a.x, s), four_times(a.y, s), four_times(a.z, s));
}
FN_SHORT FourVec four_vec_multiply(FourVec a, FourVec b) {
    return four_vec(four_times(a.x, b.x), four_times(a.y, b.y), four_times(a.z, b.z));
}
FN_SHORT FourVec four_vec_add_scaled(FourVec a, FourVec b, Four s) {
    return four_vec(four_fma(b.x, s, a.x), four_fma(b.y, s, a.y), four_fma(b.z, s, a.z));
}
FN_SHORT FourVec four_vec_negate(FourVec a) { return four_vec_sub(four_vec(four_zero(), four_zero(), four_zero()), a); }
FN_SHORT Four four_vec_dot(FourVec a, FourVec b) {
    return four_fma(a.x, b.x, four_fma(a.y, b.y, four_times(a.z, b.z)));
}
FN_SHORT FourVec four_vec_cross(FourVec a, FourVec b) {
    return four_vec(four_sub(four_times(a.y, b.z), four_times(a.z, b.y)),
                    four_sub(four_times(a.z, b.x), four_times(a.x, b.z)),
                    four_sub(four_times(a.x, b.y), four_times(a.y, b.x)));
}
FN_SHORT Four four_vec_length(FourVec a) { return four_root(four_vec_dot(a, a)); }
FN_SHORT Four four_vec_max_abs(FourVec a) { return four_max(four_abs(a.x), four_max(four_abs(a.y), four_abs(a.z))); }
/// Component k, a constant at compile time.
FN_SHORT Four four_vec_component(FourVec a, u32 k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

/// One of the four lanes.
FN_SHORT real four_one(Four a, u32 k) {
    real numbers[FOUR];
    _mm256_storeu_pd(numbers, a);
    return numbers[k];
}
FN_SHORT Vec3 four_vec_one(const FourVec *a, u32 k) {
    const real *numbers = (const real *)a;
    return vec3_make(numbers[k], numbers[FOUR + k], numbers[2u * FOUR + k]);
}

#endif

#endif
