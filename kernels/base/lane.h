// For each width. Numbers side by side (SIMD): a type `Lane` of LANE_WIDTH numbers, one for each of so many contacts,
// balls or scenes, and its arithmetic. (The work-items that share a scene are its items: SCENE_ITEMS, view->item.)
// lanes.h includes this file for each width of a build. Files written over Lane ("For each width.") are included so:
//
//   #define LANE_WIDTH SIDE_BY_SIDE
//   #include "law/law_force.h"
//   #undef LANE_WIDTH
//
// Arithmetic and comparisons are the language's own operators; a comparison gives a LaneMask, masks are joined by & and
// |. Width 1 is a plain number and its mask a plain condition, so that `if (lane_any(mask))` is an ordinary branch
// there. Each function gives each number the bits of width 1.
//
// Names: what depends on the width, a type or a function, is once defined as a macro, `#define name LANE_NAME(name)`,
// which is expanded where it is used: without LANE_WIDTH, and at width 1, it is the name itself.
//
// Branches: a choice between cheap values is lane_select. If one side is expensive, two idioms test first whether any
// number needs it; at width 1 they are ordinary branches, since the mask within is then known:
//   if (lane_any(some)) x = lane_select(some, costly, x);
//   if (lane_all(most)) return cheap;   return lane_select(most, cheap, costly);
#ifndef CLACK_BASE_LANE_H
#define CLACK_BASE_LANE_H

#define LANE_PASTE_NOW(name, end) name##end
#define LANE_PASTE(name, end) LANE_PASTE_NOW(name, end)
#define LANE_NAME(name) LANE_PASTE(name, LANE_PASTE(LANE_SUFFIX_, LANE_WIDTH))
#define LANE_SUFFIX_LANE_WIDTH // no width is being compiled
#define LANE_SUFFIX_1
#define LANE_SUFFIX_4 _4
#define LANE_SUFFIX_8 _8

#define Lane LANE_NAME(Lane)
#define LaneMask LANE_NAME(LaneMask)
#define lane_of LANE_NAME(lane_of)
#define lane_select LANE_NAME(lane_select)
#define lane_any LANE_NAME(lane_any)
#define lane_all LANE_NAME(lane_all)
#define lane_not LANE_NAME(lane_not)
#define lane_sqrt LANE_NAME(lane_sqrt)
#define lane_fma LANE_NAME(lane_fma)
#define lane_abs LANE_NAME(lane_abs)
#define lane_max LANE_NAME(lane_max)
#define lane_min LANE_NAME(lane_min)

// Number k of x, to read or write; without LANE_WIDTH those of the width SIDE_BY_SIDE. LANE_ONE_BY_ONE: what has no
// form for several numbers; `value` is that of number k.
#define LANE_EACH(k) for (u32 k = 0; k < LANE_WIDTH; k++)
#define LANE_AT(x, k) LANE_PASTE(LANE_AT_, LANE_WIDTH)(x, k)
#define LANE_AT_LANE_WIDTH(x, k) LANE_PASTE(LANE_AT_, SIDE_BY_SIDE)(x, k)
#define LANE_AT_1(x, k) (x)
#ifdef PORTABLE_OPENCL
#define LANE_AT_4(x, k) ((real *)&(x))[k] // also of what is const
#else
#define LANE_AT_4(x, k) (x)[k]
#endif
#define LANE_AT_8(x, k) LANE_AT_4(x, k)
#define LANE_ONE_BY_ONE(value) LANE_PASTE(LANE_ONE_BY_ONE_, LANE_WIDTH)(value)
#define LANE_ONE_BY_ONE_1(value) return (value)
#define LANE_ONE_BY_ONE_4(value)                                                                                       \
    do {                                                                                                               \
        Lane r;                                                                                                        \
        LANE_EACH(k) LANE_AT(r, k) = (value);                                                                          \
        return r;                                                                                                      \
    } while (0)
#define LANE_ONE_BY_ONE_8(value) LANE_ONE_BY_ONE_4(value)

// A function of loops over a row of numbers, which at width 1 become vectors: VECTOR_FN.
#define LANE_VECTOR_FN LANE_PASTE(LANE_VECTOR_FN_, LANE_WIDTH)
#define LANE_VECTOR_FN_1 VECTOR_FN
#define LANE_VECTOR_FN_4 FN_SHORT
#define LANE_VECTOR_FN_8 FN_SHORT

#endif // CLACK_BASE_LANE_H

#if LANE_WIDTH == 1

typedef real Lane;
typedef i32 LaneMask; // 0 or 1

FN_SHORT Lane lane_of(real s) { return s; }
FN_SHORT Lane lane_select(LaneMask which, Lane yes, Lane no) { return which ? yes : no; }
FN_SHORT i32 lane_any(LaneMask which) { return which; }
FN_SHORT i32 lane_all(LaneMask which) { return which; }
FN_SHORT LaneMask lane_not(LaneMask which) { return !which; }
FN_SHORT Lane lane_sqrt(Lane a) { return real_sqrt(a); }
FN_SHORT Lane lane_fma(Lane a, Lane b, Lane c) { return real_fma(a, b, c); }
FN_SHORT Lane lane_abs(Lane a) { return real_abs(a); }
FN_SHORT Lane lane_max(Lane a, Lane b) { return a > b ? a : b; } // of NaN, and of zeros of either sign: b
FN_SHORT Lane lane_min(Lane a, Lane b) { return a < b ? a : b; }

#elif defined(PORTABLE_OPENCL)

typedef LANE_PASTE(double, LANE_WIDTH) Lane;
typedef LANE_PASTE(long, LANE_WIDTH) LaneMask; // 0 or -1

FN_SHORT Lane lane_of(real s) { return (Lane)(s); }
FN_SHORT Lane lane_select(LaneMask which, Lane yes, Lane no) { return select(no, yes, which); }
FN_SHORT i32 lane_any(LaneMask which) { return any(which); }
FN_SHORT i32 lane_all(LaneMask which) { return all(which); }
FN_SHORT LaneMask lane_not(LaneMask which) { return ~which; }
FN_SHORT Lane lane_sqrt(Lane a) { return sqrt(a); }
FN_SHORT Lane lane_fma(Lane a, Lane b, Lane c) { return fma(a, b, c); }
FN_SHORT Lane lane_abs(Lane a) { return fabs(a); }
FN_SHORT Lane lane_max(Lane a, Lane b) { return select(b, a, a > b); } // fmax and max differ in NaN
FN_SHORT Lane lane_min(Lane a, Lane b) { return select(b, a, a < b); }

#else // vectors of gcc and clang: no wider than the processor's, since gcc 12 takes comparisons of wider ones apart

typedef real Lane __attribute__((vector_size(8 * LANE_WIDTH)));
typedef i64 LaneMask __attribute__((vector_size(8 * LANE_WIDTH))); // 0 or -1

FN_SHORT Lane lane_of(real s) { LANE_ONE_BY_ONE(s); }
FN_SHORT LaneMask lane_not(LaneMask which) { return ~which; }
FN_SHORT Lane lane_abs(Lane a) { return (Lane)((LaneMask)a & 0x7fffffffffffffff); }

#undef LANE_X86
#if LANE_WIDTH == 4 && defined(__AVX2__) && defined(__FMA__)
#define LANE_X86(operation) _mm256_##operation
FN_SHORT Lane lane_select(LaneMask which, Lane yes, Lane no) { return _mm256_blendv_pd(no, yes, (Lane)which); }
FN_SHORT i32 lane_any(LaneMask which) { return _mm256_movemask_pd((Lane)which) != 0; }
#elif LANE_WIDTH == 8 && defined(__AVX512DQ__)
#define LANE_X86(operation) _mm512_##operation
#define LANE_BITS(which) _mm512_movepi64_mask((__m512i)(which))
FN_SHORT Lane lane_select(LaneMask which, Lane yes, Lane no) { return _mm512_mask_blend_pd(LANE_BITS(which), no, yes); }
FN_SHORT i32 lane_any(LaneMask which) { return LANE_BITS(which) != 0; }
#endif
#ifdef LANE_X86
FN_SHORT Lane lane_sqrt(Lane a) { return LANE_X86(sqrt_pd)(a); }
FN_SHORT Lane lane_fma(Lane a, Lane b, Lane c) { return LANE_X86(fmadd_pd)(a, b, c); }
FN_SHORT Lane lane_max(Lane a, Lane b) { return LANE_X86(max_pd)(a, b); } // as width 1 has them, unlike fmax
FN_SHORT Lane lane_min(Lane a, Lane b) { return LANE_X86(min_pd)(a, b); }
#else
// Loops over subscripts: gcc 12 makes one instruction of each at -O2 -fno-math-errno -fno-trapping-math; clang 14 does
// so by its SLP vectoriser alone, which -fno-tree-slp-vectorize turns off.
FN_SHORT Lane lane_select(LaneMask which, Lane yes, Lane no) { LANE_ONE_BY_ONE(which[k] ? yes[k] : no[k]); }
FN_SHORT Lane lane_sqrt(Lane a) { LANE_ONE_BY_ONE(real_sqrt(a[k])); }
FN_SHORT Lane lane_fma(Lane a, Lane b, Lane c) { LANE_ONE_BY_ONE(real_fma(a[k], b[k], c[k])); }
FN_SHORT Lane lane_max(Lane a, Lane b) { LANE_ONE_BY_ONE(a[k] > b[k] ? a[k] : b[k]); }
FN_SHORT Lane lane_min(Lane a, Lane b) { LANE_ONE_BY_ONE(a[k] < b[k] ? a[k] : b[k]); }
FN_SHORT i32 lane_any(LaneMask which) {
    i64 any = 0;
    LANE_EACH(k) any |= which[k];
    return any != 0;
}
#endif
FN_SHORT i32 lane_all(LaneMask which) { return !lane_any(~which); }

#endif
