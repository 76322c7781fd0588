// For each width. Vectors of three Lanes, by the names of vec3.h, whose functions these are at width 1.
#ifndef CLACK_BASE_LANE_VEC3_H
#define CLACK_BASE_LANE_VEC3_H
#if !OWN_SLOTS // GPUs have width 1 alone, and copied_arguments.h has the names
#define Vec3 LANE_NAME(Vec3)
#define vec3_make LANE_NAME(vec3_make)
#define vec3_zero LANE_NAME(vec3_zero)
#define vec3_of LANE_NAME(vec3_of)
#define vec3_select LANE_NAME(vec3_select)
#define vec3_add LANE_NAME(vec3_add)
#define vec3_sub LANE_NAME(vec3_sub)
#define vec3_scale LANE_NAME(vec3_scale)
#define vec3_multiply LANE_NAME(vec3_multiply)
#define vec3_negate LANE_NAME(vec3_negate)
#define vec3_add_scaled LANE_NAME(vec3_add_scaled)
#define vec3_dot LANE_NAME(vec3_dot)
#define vec3_cross LANE_NAME(vec3_cross)
#define vec3_length LANE_NAME(vec3_length)
#define vec3_max_abs LANE_NAME(vec3_max_abs)
#define vec3_unit LANE_NAME(vec3_unit)
#define vec3_component LANE_NAME(vec3_component)
#define vec3_columns_times LANE_NAME(vec3_columns_times)
#define vec3_columns_add LANE_NAME(vec3_columns_add)
#define vec3_columns_divide LANE_NAME(vec3_columns_divide)
#endif
#endif

#if LANE_WIDTH > 1
typedef struct Vec3 {
    Lane x, y, z;
} Vec3;

FN_SHORT Vec3 vec3_make(Lane x, Lane y, Lane z) {
    Vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

FN_SHORT Vec3 vec3_add(Vec3 a, Vec3 b) { return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
FN_SHORT Vec3 vec3_sub(Vec3 a, Vec3 b) { return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
FN_SHORT Vec3 vec3_scale(Vec3 a, Lane s) { return vec3_make(a.x * s, a.y * s, a.z * s); }
FN_SHORT Vec3 vec3_multiply(Vec3 a, Vec3 b) { return vec3_make(a.x * b.x, a.y * b.y, a.z * b.z); }
FN_SHORT Vec3 vec3_negate(Vec3 a) { return vec3_make(0.0 - a.x, 0.0 - a.y, 0.0 - a.z); }
FN_SHORT Vec3 vec3_add_scaled(Vec3 a, Vec3 b, Lane s) {
    return vec3_make(lane_fma(b.x, s, a.x), lane_fma(b.y, s, a.y), lane_fma(b.z, s, a.z));
}
FN_SHORT Lane vec3_dot(Vec3 a, Vec3 b) { return lane_fma(a.x, b.x, lane_fma(a.y, b.y, a.z * b.z)); }
FN_SHORT Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
FN_SHORT Lane vec3_length(Vec3 a) { return lane_sqrt(vec3_dot(a, a)); }
FN_SHORT Lane vec3_max_abs(Vec3 a) { return lane_max(lane_abs(a.x), lane_max(lane_abs(a.y), lane_abs(a.z))); }
FN_SHORT Lane vec3_component(Vec3 a, u32 k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
FN_SHORT Vec3 vec3_unit(u32 k) {
    return vec3_make(lane_of(k == 0 ? 1.0 : 0.0), lane_of(k == 1 ? 1.0 : 0.0), lane_of(k == 2 ? 1.0 : 0.0));
}
#endif

FN_SHORT Vec3 vec3_of(real s) { return vec3_make(lane_of(s), lane_of(s), lane_of(s)); }
FN_SHORT Vec3 vec3_select(LaneMask which, Vec3 yes, Vec3 no) {
    return vec3_make(lane_select(which, yes.x, no.x), lane_select(which, yes.y, no.y), lane_select(which, yes.z, no.z));
}

/// Three columns of a matrix times a vector.
FN_SHORT Vec3 vec3_columns_times(const Vec3 *columns, Vec3 by) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(columns[0], by.x), columns[1], by.y), columns[2], by.z);
}

/// The same, added to a sum.
FN_SHORT Vec3 vec3_columns_add(Vec3 sum, const Vec3 *columns, Vec3 by) {
    return vec3_add_scaled(vec3_add_scaled(vec3_add_scaled(sum, columns[0], by.x), columns[1], by.y), columns[2], by.z);
}

/// The inverse of three columns times each of three others, in place of these.
FN_SHORT void vec3_columns_divide(const Vec3 *columns, Vec3 *others) {
    Vec3 yz = vec3_cross(columns[1], columns[2]), zx = vec3_cross(columns[2], columns[0]);
    Vec3 xy = vec3_cross(columns[0], columns[1]);
    Lane inverse = 1.0 / vec3_dot(columns[0], yz);
    yz = vec3_scale(yz, inverse);
    zx = vec3_scale(zx, inverse);
    xy = vec3_scale(xy, inverse);
    for (u32 k = 0; k < 3; k++)
        others[k] = vec3_make(vec3_dot(yz, others[k]), vec3_dot(zx, others[k]), vec3_dot(xy, others[k]));
}
