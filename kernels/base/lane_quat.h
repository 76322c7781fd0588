// For each width. Quaternions of Lanes, by the names of vec3.h, whose functions these are at width 1.
#ifndef CLACK_BASE_LANE_QUAT_H
#define CLACK_BASE_LANE_QUAT_H
#if !OWN_SLOTS // GPUs have width 1 alone, and copied_arguments.h has the names
#define Quat LANE_NAME(Quat)
#define quat_make LANE_NAME(quat_make)
#define quat_conjugate LANE_NAME(quat_conjugate)
#define quat_multiply LANE_NAME(quat_multiply)
#define quat_normalize LANE_NAME(quat_normalize)
#define quat_rotate LANE_NAME(quat_rotate)
#define quat_rotate_any_scale LANE_NAME(quat_rotate_any_scale)
#define quat_rotate_any_by LANE_NAME(quat_rotate_any_by)
#define quat_add_scaled LANE_NAME(quat_add_scaled)
#endif
#endif

#if LANE_WIDTH > 1
typedef struct Quat {
    Lane w, x, y, z;
} Quat;

FN_SHORT Quat quat_make(Lane w, Lane x, Lane y, Lane z) {
    Quat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}

FN_SHORT Quat quat_conjugate(Quat q) { return quat_make(q.w, -q.x, -q.y, -q.z); }

FN_SHORT Quat quat_multiply(Quat a, Quat b) {
    return quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

FN_SHORT Quat quat_normalize(Quat q) {
    Lane square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    Lane s = 1.0 / lane_sqrt(square);
    return quat_make(q.w * s, q.x * s, q.y * s, q.z * s);
}

FN_SHORT Vec3 quat_rotate(Quat q, Vec3 v) {
    Vec3 u = vec3_make(q.x, q.y, q.z);
    Vec3 t = vec3_scale(vec3_cross(u, v), lane_of(2.0));
    return vec3_add(vec3_add_scaled(v, t, q.w), vec3_cross(u, t));
}

FN_SHORT Lane quat_rotate_any_scale(Quat q) {
    return 2.0 / (lane_fma(q.w, q.w, q.x * q.x) + lane_fma(q.y, q.y, q.z * q.z));
}

FN_SHORT Vec3 quat_rotate_any_by(Quat q, Lane scale, Vec3 v) {
    Vec3 u = vec3_make(q.x, q.y, q.z), t = vec3_cross(u, v);
    return vec3_add_scaled(v, vec3_add_scaled(vec3_cross(u, t), t, q.w), scale);
}
#endif

/// a + s b, each number rounded once.
FN_SHORT Quat quat_add_scaled(Quat a, Quat b, Lane s) {
    return quat_make(lane_fma(b.w, s, a.w), lane_fma(b.x, s, a.x), lane_fma(b.y, s, a.y), lane_fma(b.z, s, a.z));
}
