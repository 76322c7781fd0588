// Numbers side by side at the widths of a build: 1, and SIDE_BY_SIDE where that is more. See lane.h.
#ifndef CLACK_BASE_LANES_H
#define CLACK_BASE_LANES_H

#include "base/vec3.h"

#define LANE_WIDTH 1
#include "base/lane.h"
#include "base/lane_vec3.h"
#include "base/lane_quat.h"
#undef LANE_WIDTH

#if SIDE_BY_SIDE > 1
#define LANE_WIDTH SIDE_BY_SIDE
#include "base/lane.h"
#include "base/lane_vec3.h"
#include "base/lane_quat.h"
#undef LANE_WIDTH
#endif

// A name at the width SIDE_BY_SIDE, for use outside files of each width. wide_put, wide_get: number k of such a vector.
#define WIDE_NAME(name) LANE_PASTE(name, LANE_PASTE(LANE_SUFFIX_, SIDE_BY_SIDE))
FN_SHORT void wide_put(WIDE_NAME(Vec3) * to, u32 k, Vec3 from) {
    (void)k; // one lane: no number
    LANE_AT(to->x, k) = from.x;
    LANE_AT(to->y, k) = from.y;
    LANE_AT(to->z, k) = from.z;
}
FN_SHORT Vec3 wide_get(const WIDE_NAME(Vec3) * from, u32 k) {
    (void)k; // one lane: no number
    return vec3_make(LANE_AT(from->x, k), LANE_AT(from->y, k), LANE_AT(from->z, k));
}
FN_SHORT void wide_put_quat(WIDE_NAME(Quat) * to, u32 k, Quat from) {
    (void)k; // one lane: no number
    LANE_AT(to->w, k) = from.w;
    LANE_AT(to->x, k) = from.x;
    LANE_AT(to->y, k) = from.y;
    LANE_AT(to->z, k) = from.z;
}
FN_SHORT Quat wide_get_quat(const WIDE_NAME(Quat) * from, u32 k) {
    (void)k; // one lane: no number
    return quat_make(LANE_AT(from->w, k), LANE_AT(from->x, k), LANE_AT(from->y, k), LANE_AT(from->z, k));
}

// Number k of each Lane of a struct of nothing but Lanes, from and to the same struct of width 1.
#define WIDE_PUT(to, k, from)                                                                                          \
    wide_put_row((WIDE_NAME(Lane) *)(to), k, (const real *)(from), (u32)(sizeof(*(from)) / sizeof(real)))
#define WIDE_GET(from, k, to)                                                                                          \
    wide_get_row((const WIDE_NAME(Lane) *)(from), k, (real *)(to), (u32)(sizeof(*(to)) / sizeof(real)))
FN_SHORT void wide_put_row(WIDE_NAME(Lane) * to, u32 k, const real *from, u32 count) {
    (void)k; // one lane: no number
    UNROLLED for (u32 i = 0; i < count; i++) LANE_AT(to[i], k) = from[i];
}
FN_SHORT void wide_get_row(const WIDE_NAME(Lane) * from, u32 k, real *to, u32 count) {
    (void)k; // one lane: no number
    UNROLLED for (u32 i = 0; i < count; i++) to[i] = LANE_AT(from[i], k);
}

#endif
