// Vectors, quaternions and rotations as plain functions of values.
#ifndef CLACK_BASE_VEC3_H
#define CLACK_BASE_VEC3_H

#include "base/vec_types.h"

FN_SHORT Vec3 vec3_make(real x, real y, real z) {
    Vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

FN_SHORT Vec3 vec3_zero(void) { return vec3_make(0.0, 0.0, 0.0); }
/// Along the k-th axis, k = 0..2.
FN_SHORT Vec3 vec3_unit(u32 k) { return vec3_make(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0); }
/// Component k of a vector, k = 0..2.
FN_SHORT real vec3_component(Vec3 v, u32 k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }
FN_SHORT Vec3 vec3_add(Vec3 a, Vec3 b) { return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
FN_SHORT Vec3 vec3_sub(Vec3 a, Vec3 b) { return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
FN_SHORT Vec3 vec3_scale(Vec3 a, real s) { return vec3_make(a.x * s, a.y * s, a.z * s); }
// 0 - x rather than -x: compilers fold -fma(a, b, c) into a fused negation that gives a zero the other
// sign (gcc 12 does), and the bits of equal results would differ.
FN_SHORT Vec3 vec3_negate(Vec3 a) { return vec3_make(0.0 - a.x, 0.0 - a.y, 0.0 - a.z); }
FN_SHORT Vec3 vec3_multiply(Vec3 a, Vec3 b) { return vec3_make(a.x * b.x, a.y * b.y, a.z * b.z); }

/// a + s b, each component rounded once.
FN_SHORT Vec3 vec3_add_scaled(Vec3 a, Vec3 b, real s) {
    return vec3_make(real_fma(b.x, s, a.x), real_fma(b.y, s, a.y), real_fma(b.z, s, a.z));
}

FN_SHORT real vec3_dot(Vec3 a, Vec3 b) { return real_fma(a.x, b.x, real_fma(a.y, b.y, a.z * b.z)); }

// Without fma, so that a x a is exactly zero and a x b = -(b x a) in every bit.
FN_SHORT Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// a b - c d, to the rounding of the result however near both products are. Source: W. Kahan, see C.-P. Jeannerod, N.
// Louvet, J.-M. Muller, Further analysis of Kahan's algorithm, Math. Comp. 82 (2013).
FN_SHORT real real_difference_of_products(real a, real b, real c, real d) {
    real product = c * d;
    return real_fma(a, b, 0.0 - product) + real_fma(0.0 - c, d, product);
}

/// The same for vectors that are nearly parallel: each component to rounding.
FN_SHORT Vec3 vec3_cross_close(Vec3 a, Vec3 b) {
    return vec3_make(real_difference_of_products(a.y, b.z, a.z, b.y), real_difference_of_products(a.z, b.x, a.x, b.z),
                     real_difference_of_products(a.x, b.y, a.y, b.x));
}

FN_SHORT real vec3_length(Vec3 a) { return real_sqrt(vec3_dot(a, a)); }

/// a / |a|; the zero vector if |a| is 0.
FN_SHORT Vec3 vec3_normalize(Vec3 a) {
    real length = vec3_length(a);
    return length > 0.0 ? vec3_scale(a, 1.0 / length) : vec3_zero();
}

#define VEC3_NEARLY_UNIT 5.0e-4 // of the square of a length: nearer to 1 than that no root is needed

/// 1 / sqrt(1 + more) for |more| < VEC3_NEARLY_UNIT, in parts that run side by side.
FN_SHORT real vec3_nearly_unit_scale(real more) {
    real square = more * more;
    real rest = real_fma(square, 0.2734375, real_fma(more, -0.3125, 0.375));
    return real_fma(square, rest, real_fma(more, -0.5, 1.0));
}

/// a / |a| for a of length mostly near 1, such as a unit vector after a short step or a rotation.
FN_SHORT Vec3 vec3_renormalize(Vec3 a) {
    real more = vec3_dot(a, a) - 1.0;
    if (!(real_abs(more) < VEC3_NEARLY_UNIT)) return vec3_normalize(a);
    return vec3_scale(a, vec3_nearly_unit_scale(more));
}

FN_SHORT real vec3_max_abs(Vec3 a) { return real_max(real_abs(a.x), real_max(real_abs(a.y), real_abs(a.z))); }

/// A unit vector perpendicular to the unit vector n, continuous except for one jump.
FN_SHORT Vec3 vec3_perpendicular(Vec3 n) {
    Vec3 axis = real_abs(n.x) < 0.6 ? vec3_make(1.0, 0.0, 0.0) : vec3_make(0.0, 1.0, 0.0);
    return vec3_normalize(vec3_cross(n, axis));
}

FN_SHORT Quat quat_make(real w, real x, real y, real z) {
    Quat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}

FN_SHORT Quat quat_identity(void) { return quat_make(1.0, 0.0, 0.0, 0.0); }
FN_SHORT Quat quat_conjugate(Quat q) { return quat_make(q.w, -q.x, -q.y, -q.z); }

/// The rotation "first b, then a".
FN_SHORT Quat quat_multiply(Quat a, Quat b) {
    return quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

FN_SHORT Quat quat_normalize(Quat q) {
    real square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    real s = 1.0 / real_sqrt(square);
    return quat_make(q.w * s, q.x * s, q.y * s, q.z * s);
}

/// Rotate v from the body into the world by the unit quaternion q.
FN_SHORT Vec3 quat_rotate(Quat q, Vec3 v) {
    Vec3 u = vec3_make(q.x, q.y, q.z);
    Vec3 t = vec3_scale(vec3_cross(u, v), 2.0);
    return vec3_add(vec3_add_scaled(v, t, q.w), vec3_cross(u, t));
}

/// Rotate v from the world into the body.
FN_SHORT Vec3 quat_rotate_back(Quat q, Vec3 v) { return quat_rotate(quat_conjugate(q), v); }

/// Both for a quaternion of any length but zero, as in stages of a step. For several vectors its scale is computed
/// once, beside the products that it scales.
FN_SHORT real quat_rotate_any_scale(Quat q) {
    return 2.0 / (real_fma(q.w, q.w, q.x * q.x) + real_fma(q.y, q.y, q.z * q.z));
}
FN_SHORT Vec3 quat_rotate_any_by(Quat q, real scale, Vec3 v) {
    Vec3 u = vec3_make(q.x, q.y, q.z), t = vec3_cross(u, v);
    return vec3_add_scaled(v, vec3_add_scaled(vec3_cross(u, t), t, q.w), scale);
}
FN_SHORT Vec3 quat_rotate_any(Quat q, Vec3 v) { return quat_rotate_any_by(q, quat_rotate_any_scale(q), v); }
FN_SHORT Vec3 quat_rotate_any_back(Quat q, Vec3 v) { return quat_rotate_any(quat_conjugate(q), v); }

#define QUAT_EXP_HALVINGS_MAX 64u

/// The rotation by the vector `angle` (radians, axis times angle), any size. Half angles up to 1/8 by series to the
/// last bit; larger ones by halving and squaring, since the sine of a vendor's library differs from device to device.
FN_SHORT Quat quat_exp(Vec3 angle) {
    Vec3 semi = vec3_scale(angle, 0.5);
    u32 halvings = 0;
    while (vec3_dot(semi, semi) > 0.015625 && halvings < QUAT_EXP_HALVINGS_MAX) {
        semi = vec3_scale(semi, 0.5);
        halvings++;
    }
    real t = vec3_dot(semi, semi);
    // Both series in parts that run side by side.
    real square = t * t;
    real rest = real_fma(square, real_fma(t, -1.0 / 3628800.0, 1.0 / 40320.0), real_fma(t, -1.0 / 720.0, 1.0 / 24.0));
    real cosine = real_fma(square, rest, real_fma(t, -0.5, 1.0));
    rest = real_fma(square, real_fma(t, -1.0 / 39916800.0, 1.0 / 362880.0), real_fma(t, -1.0 / 5040.0, 1.0 / 120.0));
    real sinc = real_fma(square, rest, real_fma(t, -1.0 / 6.0, 1.0));
    Quat q = quat_make(cosine, semi.x * sinc, semi.y * sinc, semi.z * sinc);
    ROLLED for (u32 i = 0; i < halvings; i++) q = quat_multiply(q, q);
    return q;
}

/// Of the next: factors of both cross products, by the angle's square.
FN_SHORT real quat_exp_change_first(real square) {
    return real_fma(square, real_fma(square, 1.0 / 720.0, -1.0 / 24.0), 0.5);
}
FN_SHORT real quat_exp_change_second(real square) {
    return real_fma(square, real_fma(square, 1.0 / 5040.0, -1.0 / 120.0), 1.0 / 6.0);
}

/// Of the rotation by phi, with its axes or with those before it: the rotation that a change of phi adds, both in the
/// axes after it (right Jacobian of the exponential; to 3e-5 at 1 rad).
FN_SHORT Vec3 quat_exp_change(Vec3 phi, Vec3 change) {
    real square = vec3_dot(phi, phi);
    Vec3 across = vec3_cross(phi, change), sum = vec3_add_scaled(change, across, 0.0 - quat_exp_change_first(square));
    return vec3_add_scaled(sum, vec3_cross(phi, across), quat_exp_change_second(square));
}

// A 3 x 3 matrix; of most a rotation.
typedef struct Mat3 {
    Vec3 x, y, z; // rows
} Mat3;

FN_SHORT Mat3 mat3_identity(void) {
    Mat3 m;
    m.x = vec3_make(1.0, 0.0, 0.0);
    m.y = vec3_make(0.0, 1.0, 0.0);
    m.z = vec3_make(0.0, 0.0, 1.0);
    return m;
}

/// Rotation matrix (body to world) of any quaternion of non-zero length.
FN_SHORT Mat3 mat3_from_quat(Quat q) {
    if (q.x == 0.0 && q.y == 0.0 && q.z == 0.0) return mat3_identity(); // of most fixed bodies and shapes
    real s = 2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    Mat3 m;
    m.x = vec3_make(1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.w * q.z), s * (q.x * q.z + q.w * q.y));
    m.y = vec3_make(s * (q.x * q.y + q.w * q.z), 1.0 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z - q.w * q.x));
    m.z = vec3_make(s * (q.x * q.z - q.w * q.y), s * (q.y * q.z + q.w * q.x), 1.0 - s * (q.x * q.x + q.y * q.y));
    return m;
}

FN_SHORT Vec3 mat3_rotate(Mat3 m, Vec3 v) { return vec3_make(vec3_dot(m.x, v), vec3_dot(m.y, v), vec3_dot(m.z, v)); }

FN_SHORT Vec3 mat3_column(Mat3 m, u32 k) {
    if (k == 0) return vec3_make(m.x.x, m.y.x, m.z.x);
    return k == 1 ? vec3_make(m.x.y, m.y.y, m.z.y) : vec3_make(m.x.z, m.y.z, m.z.z);
}

/// By the transpose: from the world into the body.
FN_SHORT Vec3 mat3_rotate_back(Mat3 m, Vec3 v) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(m.z, v.z), m.y, v.y), m.x, v.x);
}

/// From the axes of `a` to those of `b`, both rotations to the same world.
FN_SHORT Mat3 mat3_between(Mat3 a, Mat3 b) {
    Vec3 x = mat3_rotate_back(b, mat3_column(a, 0)), y = mat3_rotate_back(b, mat3_column(a, 1)),
         z = mat3_rotate_back(b, mat3_column(a, 2));
    Mat3 m;
    m.x = vec3_make(x.x, y.x, z.x);
    m.y = vec3_make(x.y, y.y, z.y);
    m.z = vec3_make(x.z, y.z, z.z);
    return m;
}

// Components across a normal, along two axes that the code at hand has chosen.
typedef struct Across {
    real x, y;
} Across;

FN_SHORT Across across_make(real x, real y) {
    Across v;
    v.x = x;
    v.y = y;
    return v;
}

FN_SHORT Across across_add_scaled(Across a, Across b, real s) { return across_make(a.x + s * b.x, a.y + s * b.y); }
FN_SHORT Across across_sub(Across a, Across b) { return across_make(a.x - b.x, a.y - b.y); }
FN_SHORT real across_dot(Across a, Across b) { return a.x * b.x + a.y * b.y; }
FN_SHORT real across_cross(Across a, Across b) { return a.x * b.y - a.y * b.x; }

#include "base/copied_arguments.h"

#endif
