// Friction of contact regions that holds at rest: a spring and a dashpot across the contact while it sticks, Coulomb's
// friction while it slides, and a blend between the two by the speed of the slip v,
//
//   F = k F_stick + (1 - k) F_slide,   k = exp(-v^2 / v_stick^2)
//   F_stick = -(k_t s + c_t v), at most mu_s N long,   F_slide = -mu_d N v / |v|
//
// s the stretch: the slip since the contact began, cut where k_t s would be more than mu_s N. At rest the spring alone
// carries the load, so nothing creeps. Source: Dopico, Luaces, Gonzalez, Kovecses, Multibody System Dynamics 25 (2011)
// 167, eqs 2 to 5 of the manoeuvre's paper; Gonthier, McPhee, Lange, Piedboeuf, ibid. 11 (2004) 209.
#ifndef CLACK_LAW_STICTION_H
#define CLACK_LAW_STICTION_H

#include "base/elementary.h"
#include "base/vec3.h"

#define STICTION_DAMPING_RATIO 0.7 // of the dashpot: c_t = 2 ratio sqrt(k_t m), m the reduced mass

typedef struct StictionNumbers {
    real stiffness_N_per_m, damping_N_s_per_m; // k_t, c_t
    real friction, static_friction;            // mu_d, mu_s
    real stick_speed_m_per_s;
    real normal_N;
    real half_step_s; // the stretch grows by this times a change of the slip
} StictionNumbers;

// Force on B, and its derivatives by the slip (rows) and by the normal force.
typedef struct Stiction {
    Vec3 force_N;
    Mat3 by_slip;
    Vec3 by_normal;
} Stiction;

/// Add s a b'.
FN_SHORT void stiction_add_outer(Mat3 *matrix, Vec3 a, Vec3 b, real s) {
    matrix->x = vec3_add_scaled(matrix->x, b, s * a.x);
    matrix->y = vec3_add_scaled(matrix->y, b, s * a.y);
    matrix->z = vec3_add_scaled(matrix->z, b, s * a.z);
}

FN_SHORT void stiction_add_unit(Mat3 *matrix, real s) {
    matrix->x.x += s;
    matrix->y.y += s;
    matrix->z.z += s;
}

/// stretch_m and slip_m_per_s across the normal.
FN_ONCE Stiction stiction_force(const StictionNumbers *of, Vec3 stretch_m, Vec3 slip_m_per_s) {
    Stiction out = ALL_ZERO;
    real speed = vec3_length(slip_m_per_s), ratio = speed / of->stick_speed_m_per_s;
    real sticks = elementary_exp(0.0 - ratio * ratio), slides = 1.0 - sticks;
    Vec3 elastic = vec3_add_scaled(vec3_scale(stretch_m, of->stiffness_N_per_m), slip_m_per_s, of->damping_N_s_per_m);
    real size = vec3_length(elastic), most = of->static_friction * of->normal_N;
    real by_slip = real_fma(of->stiffness_N_per_m, of->half_step_s, of->damping_N_s_per_m);
    Vec3 stick = vec3_negate(elastic), slide = vec3_zero();
    if (size > most) {
        Vec3 along = vec3_scale(elastic, 1.0 / size);
        real share = most / size * by_slip * sticks;
        stick = vec3_scale(along, 0.0 - most);
        stiction_add_unit(&out.by_slip, 0.0 - share);
        stiction_add_outer(&out.by_slip, along, along, share);
        out.by_normal = vec3_scale(along, 0.0 - of->static_friction * sticks);
    } else {
        stiction_add_unit(&out.by_slip, 0.0 - by_slip * sticks);
    }
    if (speed > 0.0) {
        Vec3 along = vec3_scale(slip_m_per_s, 1.0 / speed);
        real share = of->friction * of->normal_N / speed * slides;
        slide = vec3_scale(along, 0.0 - of->friction * of->normal_N);
        stiction_add_unit(&out.by_slip, 0.0 - share);
        stiction_add_outer(&out.by_slip, along, along, share);
        out.by_normal = vec3_add_scaled(out.by_normal, along, 0.0 - of->friction * slides);
    }
    out.force_N = vec3_add(vec3_scale(stick, sticks), vec3_scale(slide, slides));
    stiction_add_outer(&out.by_slip, vec3_sub(stick, slide), slip_m_per_s,
                       -2.0 * sticks / (of->stick_speed_m_per_s * of->stick_speed_m_per_s));
    return out;
}

/// A stretch as the next step begins with it.
FN_SHORT Vec3 stiction_cut(const StictionNumbers *of, Vec3 stretch_m) {
    real size = of->stiffness_N_per_m * vec3_length(stretch_m), most = of->static_friction * of->normal_N;
    return size > most ? vec3_scale(stretch_m, most / size) : stretch_m;
}

#endif
