// On GPUs the functions of vec3.h are called with copies of their arguments (COPY, portable.h), wherever these lie:
// from global memory compilers need not end otherwise, and what lies behind a pointer they read byte by byte.
#ifndef CLACK_BASE_COPIED_ARGUMENTS_H
#define CLACK_BASE_COPIED_ARGUMENTS_H

#include "base/portable.h"

#if OWN_SLOTS
#define vec3_component(v, k) vec3_component(COPY(v), k)
#define vec3_add(a, b) vec3_add(COPY(a), COPY(b))
#define vec3_sub(a, b) vec3_sub(COPY(a), COPY(b))
#define vec3_scale(a, s) vec3_scale(COPY(a), s)
#define vec3_negate(a) vec3_negate(COPY(a))
#define vec3_multiply(a, b) vec3_multiply(COPY(a), COPY(b))
#define vec3_add_scaled(a, b, s) vec3_add_scaled(COPY(a), COPY(b), s)
#define vec3_dot(a, b) vec3_dot(COPY(a), COPY(b))
#define vec3_cross(a, b) vec3_cross(COPY(a), COPY(b))
#define vec3_cross_close(a, b) vec3_cross_close(COPY(a), COPY(b))
#define vec3_length(a) vec3_length(COPY(a))
#define vec3_normalize(a) vec3_normalize(COPY(a))
#define vec3_renormalize(a) vec3_renormalize(COPY(a))
#define vec3_max_abs(a) vec3_max_abs(COPY(a))
#define vec3_perpendicular(n) vec3_perpendicular(COPY(n))
#define quat_conjugate(q) quat_conjugate(COPY(q))
#define quat_multiply(a, b) quat_multiply(COPY(a), COPY(b))
#define quat_normalize(q) quat_normalize(COPY(q))
#define quat_rotate(q, v) quat_rotate(COPY(q), COPY(v))
#define quat_rotate_back(q, v) quat_rotate_back(COPY(q), COPY(v))
#define quat_rotate_any_scale(q) quat_rotate_any_scale(COPY(q))
#define quat_rotate_any_by(q, scale, v) quat_rotate_any_by(COPY(q), scale, COPY(v))
#define quat_rotate_any(q, v) quat_rotate_any(COPY(q), COPY(v))
#define quat_rotate_any_back(q, v) quat_rotate_any_back(COPY(q), COPY(v))
#define quat_exp(angle) quat_exp(COPY(angle))
#define mat3_from_quat(q) mat3_from_quat(COPY(q))
#define mat3_rotate(m, v) mat3_rotate(COPY(m), COPY(v))
#define mat3_column(m, k) mat3_column(COPY(m), k)
#define mat3_rotate_back(m, v) mat3_rotate_back(COPY(m), COPY(v))
#define mat3_between(a, b) mat3_between(COPY(a), COPY(b))
#endif

#endif
