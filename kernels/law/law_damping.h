// Damping from a coefficient of restitution; Hertz's stiffness and the effective radius; the numbers of which
// law_force.h computes a force. kernels/law/README.md, "The contact law".
//
// The force is K delta^1.5 (1 + d u) with the closing speed u. Of an impact at v_i the dimensionless damping is
// alpha = d v_i, and relation (R) of that page gives the restitution e that it achieves; law_exact_alpha inverts it.
// For small e alpha e is nearly 1, and what it lacks, s = 1 - alpha e, called its deficit, is the unknown. Each impact
// within one contact is called a strike: the first begins it, others may follow while the shapes still touch.
#ifndef CLACK_LAW_LAW_DAMPING_H
#define CLACK_LAW_LAW_DAMPING_H

#include "base/lanes.h"
#include "model/scheme_policy.h"
#include "model/workspace.h"
#include "law/law_kinds.h"

/// What law_force needs. flags: of the scene; with `compat: modia3d` the force may be tensile, penetrations less than 0
/// (the caller adds the reference's epsilon to them), and damping stays as it began.
FN_SHORT LawNumbers law_numbers(LawConstants c, MaterialPairLaw law, u32 flags) {
    LawNumbers l;
    l.normal_law = (real)c.normal_law;
    l.stiffness = c.stiffness;
    l.dashpot_N_s_per_m = c.dashpot_N_s_per_m;
    l.damping_s_per_m = c.damping_s_per_m;
    l.strike_m_per_s = policy_damps_each_strike(flags) ? c.strike_m_per_s : REAL_HUGE;
    l.damping_factor_min = c.damping_factor_min;
    l.damping_line_at_0 = c.damping_line_at_0;
    l.damping_line_fall_s_per_m = c.damping_line_fall_s_per_m;
    l.friction = law.shear == 0.0 && !(law.flags & LAW_ELLIPSOID) ? law.friction : 0.0;
    l.speed_small_m_per_s = law.speed_small_m_per_s;
    l.rolling_m = law.rolling * c.radius_m;
    l.spin_small_rad_per_s = law.spin_small_rad_per_s;
    l.least_m = l.least_N = policy_force_may_pull(flags) ? -REAL_HUGE : 0.0;
    return l;
}

#define LAW_LN2_HIGH 0.693147180369123816490 // its last 20 bits are 0: exact times an exponent
#define LAW_LN2_LOW 1.90821492927058770002e-10
#define LAW_POWERS 10u
#define LAW_POWER_NEAR 5u               // from there on they are 2^16 and less
CONSTANT real LAW_POWER[LAW_POWERS] = { // 2^512, 2^256, .. 2^1
    1.3407807929942597e154,
    1.157920892373162e77,
    3.402823669209385e38,
    1.8446744073709552e19,
    4294967296.0,
    65536.0,
    256.0,
    16.0,
    4.0,
    2.0};
#define LAW_SQRT_HALF 0.70710678118654752440
#define LAW_EXACT_STEPS 2u   // from either start: to rounding over all of 0.02 <= e < 1 (test_contact_law.cc)
#define LAW_EXACT_SMALL 0.02 // below, alpha = 1/e to 1e-20
// From there on alpha e / (1 - e) is this polynomial of e to 5e-6 (fitted to roots of (R)), from which Newton's method
// goes on; below, alpha e nears 1 as exp(-1/e), and the search is for what it is less than that.
#define LAW_EXACT_FITTED 0.3
#define LAW_EXACT_TERMS 6u
CONSTANT real LAW_EXACT_FIT[LAW_EXACT_TERMS] = {0.9084971314, 2.182993041,  -3.461650496,
                                                3.061639131,  -1.513464075, 0.3219918478};
#define LAW_EXACT_HALVINGS 6u // of the exponent that begins it
#define LAW_SERIES_REACH 0.5  // |x| up to which x - ln(1 + x) is summed

#define LAW_ATANH_TERMS 18u // (1/9)^18 = 7e-18 relative
CONSTANT real LAW_ATANH[LAW_ATANH_TERMS] = {1.0 / 3.0,  1.0 / 5.0,  1.0 / 7.0,  1.0 / 9.0,  1.0 / 11.0, 1.0 / 13.0,
                                            1.0 / 15.0, 1.0 / 17.0, 1.0 / 19.0, 1.0 / 21.0, 1.0 / 23.0, 1.0 / 25.0,
                                            1.0 / 27.0, 1.0 / 29.0, 1.0 / 31.0, 1.0 / 33.0, 1.0 / 35.0, 1.0 / 37.0};

/// (atanh(z) - z) / z^3 for |z| <= 1/3, to rounding. Two sums that do not wait for each other.
FN real law_atanh_tail(real z) {
    real square = z * z, fourth = square * square;
    real even = 0.0, odd = 0.0;
    for (u32 k = LAW_ATANH_TERMS; k > 0; k -= 2) {
        odd = real_fma(odd, fourth, LAW_ATANH[k - 1]);
        even = real_fma(even, fourth, LAW_ATANH[k - 2]);
    }
    return real_fma(odd, square, even);
}

/// Natural logarithm of x > 0, to about 2 ulp. Vendors' logarithms differ in the last bits, and then
/// whole trajectories do; hence our own. Argument halved or doubled to [sqrt(1/2), sqrt(2)).
FN real law_log(real x) {
    real exponent = 0.0;
    u32 is_far = x >= LAW_POWER[LAW_POWER_NEAR - 1u] || x * LAW_POWER[LAW_POWER_NEAR - 1u] <= 1.0 ? 1u : 0u;
    real bits = is_far ? 512.0 : 16.0;
    for (u32 k = is_far ? 0 : LAW_POWER_NEAR; k < LAW_POWERS; k++) {
        real power = LAW_POWER[k];
        if (x >= power) {
            x = x / power;
            exponent += bits;
        } else if (x * power <= 1.0) {
            x = x * power;
            exponent -= bits;
        }
        bits = bits * 0.5;
    }
    if (x > 1.0) {
        x = x * 0.5;
        exponent += 1.0;
    }
    if (x < LAW_SQRT_HALF) {
        x = x * 2.0;
        exponent -= 1.0;
    }
    real z = (x - 1.0) / (x + 1.0);
    real tail = 2.0 * z * (1.0 + z * z * law_atanh_tail(z));
    return exponent * LAW_LN2_HIGH + (tail + exponent * LAW_LN2_LOW);
}

/// (x - ln(1 + x)) / x^2 for x > -1, without cancellation near 0, where it is 1/2.
FN real law_log_remainder(real x) {
    if (real_abs(x) > LAW_SERIES_REACH) return (x - law_log(1.0 + x)) / (x * x);
    // With z = x / (2 + x): ln(1 + x) = 2 atanh(z), x = 2 z / (1 - z).
    real z = x / (2.0 + x);
    real rest = 1.0 - z;
    return 0.5 * rest - 0.5 * rest * rest * z * law_atanh_tail(z);
}

// d/dx of law_log_remainder, which is `value` there. Only steers Newton's method, so a few digits do near 0.
FN real law_log_remainder_slope(real x, real value) {
    if (real_abs(x) < 1.0e-5) return -1.0 / 3.0 + 0.5 * x;
    return (1.0 / (1.0 + x) - 2.0 * value) / x;
}

/// Where the search for alpha begins, from LAW_EXACT_FITTED on.
FN real law_alpha_start(real e) {
    real fit = 0.0;
    for (u32 k = LAW_EXACT_TERMS; k-- > 0;) fit = real_fma(fit, e, LAW_EXACT_FIT[k]);
    return fit * (1.0 - e) / e;
}

/// A step of Newton's method to alpha from what it nearly is. (R) divided by alpha^2, so that e near 1 keeps its
/// digits.
FN real law_alpha_step(real e, real alpha) {
    real in = law_log_remainder(alpha), out = law_log_remainder(-alpha * e);
    real slope = law_log_remainder_slope(alpha, in) + e * e * e * law_log_remainder_slope(-alpha * e, out);
    return alpha - (in - e * e * out) / slope;
}

/// Where the search for s = 1 - alpha e begins, below LAW_EXACT_FITTED. With y = 1 + 1/e relation (R) is
/// s = (y - s / e) exp(-y) exp(s y), so s = s0 + (y - (y - 1) / y) s0^2 + .. with s0 = y exp(-y), here as a fraction:
/// to 0.035 at e = 0.3, 0.0035 at 0.2, 1e-5 at 0.1. Then the exponential is what is missed, 0.03 at e = 0.02, where s
/// is 4e-21.
FN real law_alpha_deficit_start(real e) {
    real y = 1.0 + 1.0 / e, x = y / 64.0;                                       // 2^LAW_EXACT_HALVINGS
    real even = 1.0 + x * x / 12.0, fall = (even - 0.5 * x) / (even + 0.5 * x); // exp(-x), nearly
    for (u32 k = 0; k < LAW_EXACT_HALVINGS; k++) fall = fall * fall;
    real first = y * fall;
    return first / (1.0 - (y - (y - 1.0) / y) * first);
}

/// A step of Halley's method to s from what it nearly is: of the logarithms of both sides, in which s keeps its
/// relative precision.
FN real law_alpha_deficit_step(real e, real s) {
    real y = 1.0 + 1.0 / e, per_s = 1.0 / s, per_rest = 1.0 / (1.0 + e - s);
    real value = law_log(s) + (1.0 - s) * y - law_log(1.0 + (1.0 - s) / e);
    real slope = per_s - y + per_rest, second = per_rest * per_rest - per_s * per_s;
    return s - value / (slope - 0.5 * value * second / slope);
}

/// alpha = d v_i for which the restitution achieved is exactly e, 0 < e <= 1: inverts relation (R),
/// alpha - ln(1 + alpha) = -alpha e - ln(1 - alpha e).
FN real law_exact_alpha(real e) {
    if (!(e < 1.0)) return 0.0;
    if (e < LAW_EXACT_SMALL) return 1.0 / e;
    if (e < LAW_EXACT_FITTED) {
        real s = law_alpha_deficit_start(e);
        for (u32 step = 0; step < LAW_EXACT_STEPS; step++) s = law_alpha_deficit_step(e, s);
        return (1.0 - s) / e;
    }
    real alpha = law_alpha_start(e);
    for (u32 step = 0; step < LAW_EXACT_STEPS; step++) alpha = law_alpha_step(e, alpha);
    return real_max(alpha, 0.0); // at e = 1 it is lost in rounding
}

/// d v_i of each kind of damping (data/study_reference.md, "Pairs of materials"), 0 of none; REAL_HUGE where a formula
/// divides by e = 0.
FN real law_damping_alpha(u32 kind, real e) {
    if (kind == DAMPING_NONE) return 0.0;
    real rest = 1.0 - e;
    if (kind == DAMPING_HUNT_CROSSLEY) return 1.5 * rest;
    if (kind == DAMPING_LANKARANI_NIKRAVESH) return 0.75 * (1.0 - e * e);
    if (kind == DAMPING_HERBERT_MCWHANNELL) return 6.0 * rest / ((2.0 * e - 1.0) * (2.0 * e - 1.0) + 3.0);
    if (kind == DAMPING_LEE_WANG) return 0.75 * rest;
    if (!(e > 0.0)) return REAL_HUGE;
    if (kind == DAMPING_FLORES) return 1.6 * rest / e;
    if (kind == DAMPING_HU_GUO) return 1.5 * rest / e;
    if (kind == DAMPING_GONTHIER) return (1.0 - e * e) / e;
    return law_exact_alpha(e);
}

/// d, s/m; alpha: law_damping_alpha. At approach speeds up to v_small the restitution is 0: d_max. DAMPING_NONE: 0
/// always.
FN real law_damping(MaterialPairLaw law, real alpha, real approach_speed_m_per_s) {
    if (law.damping == DAMPING_NONE) return 0.0;
    if (!(approach_speed_m_per_s > law.speed_small_m_per_s)) return law.damping_max_s_per_m;
    return real_min(law.damping_max_s_per_m, alpha / approach_speed_m_per_s);
}

// A contact may last and be struck again, harder than where it began. Damping then is that of the harder strike: d
// of the largest closing speed so far, law_damping(u_max). Between the two the force is continuous: up to 1.1 times the
// speed v_d that d is for (the approach speed, at least speed_small) d stays, which leaves single strikes as they are
// though gravity may add to their speed; from 2 v_d on it is that of u_max; in between d u falls along a line.
#define LAW_STRIKE_LINEAR 1.1
#define LAW_STRIKE_FULL 2.0

/// Damping at closing speeds above the one it was fixed for: sets strike_m_per_s and damping_factor_min, damping_line_*
/// of `c`. alpha: law_damping_alpha. Pure. With them d u never exceeds LAW_STRIKE_LINEAR times that of a single strike
/// of the largest closing speed u_max of the contact, from LAW_STRIKE_FULL v_d on it is that of such a strike, and of
/// its restitution. Tested: tests/kernels/law/test_second_strike.cc.
FN void law_strike(MaterialPairLaw law, real alpha, real approach_speed_m_per_s, LawConstants *c) {
    real speed = real_max(approach_speed_m_per_s, law.speed_small_m_per_s), d = c->damping_s_per_m;
    c->strike_m_per_s = c->damping_factor_min = REAL_HUGE;
    c->damping_line_at_0 = c->damping_line_fall_s_per_m = 0.0;
    if (!(d > 0.0)) return;
    c->damping_factor_min = c->damping_line_at_0 = alpha;
    real start = d * LAW_STRIKE_LINEAR * speed;
    if (start > c->damping_factor_min) {
        c->damping_line_fall_s_per_m =
            (start - c->damping_factor_min) / ((LAW_STRIKE_FULL - LAW_STRIKE_LINEAR) * speed);
        c->strike_m_per_s = LAW_STRIKE_LINEAR * speed;
        c->damping_line_at_0 = start + c->damping_line_fall_s_per_m * c->strike_m_per_s;
    } else {
        c->strike_m_per_s = c->damping_factor_min / d;
    }
}

/// Effective radius: of the curved shape if exactly one is flat, else r1 r2 / (r1 + r2).
FN real law_radius_m(real radius_a_m, u32 flat_a, real radius_b_m, u32 flat_b) {
    if (flat_a != 0 && flat_b == 0) return radius_b_m;
    if (flat_b != 0 && flat_a == 0) return radius_a_m;
    real sum = radius_a_m + radius_b_m;
    return sum > 0.0 ? radius_a_m * radius_b_m / sum : 0.0;
}

/// Constants of Hertz's law fixed at the beginning of a contact; of others (law_begin_not_hertz) what they share.
/// radius_m: effective (law_radius_m); approach_speed > 0 closing, anything else counts as 0. Pure; host and device.
/// Source: Johnson, Contact Mechanics (1985), ch. 4; kernels/law/README.md, "The contact law".
/// Tested: tests/kernels/law/test_contact_law.cc.
FN LawConstants law_begin(MaterialPairLaw law, real radius_m, real approach_speed_m_per_s) {
    LawConstants c;
    c.normal_law = law.normal_law;
    c.dashpot_N_s_per_m = 0.0;
    real alpha = law_damping_alpha(law.damping, law.restitution);
    c.radius_m = radius_m;
    c.stiffness = 4.0 / 3.0 * law.modulus_Pa * real_sqrt(c.radius_m);
    c.damping_s_per_m = law_damping(law, alpha, approach_speed_m_per_s);
    law_strike(law, alpha, approach_speed_m_per_s, &c);
    c.shear_damping = 0.0;
    c.reserved = 0;
    return c;
}

#endif
