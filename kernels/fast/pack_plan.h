// Plans of the next steps of balls on planes, of several scenes side by side: what plan_contact (step_plan.h) makes of
// the end of the steps just tried, should they be taken, bit for bit. Of balls without rolling resistance.
#ifndef CLACK_FAST_PACK_PLAN_H
#define CLACK_FAST_PACK_PLAN_H

#include "integrate/plan_friction.h"
#include "integrate/step_plan.h"
#include "fast/pack_stage.h"

#if PACK > 1

/// What roots are taken of; and what asks for a plan of its own, a contact without slip that may not stay so and one
/// that plan_halt holds back. More may ask than plan_contact treats in another way.
VECTOR_LOOPS_FN void pack_plan_roots(SoloPack *pack) {
    PackNumber *acceleration = pack->rates[STAGES - 1] + PACK_ACCELERATION;
    PackNumber *spin_rate = pack->rates[STAGES - 1] + PACK_SPIN_RATE;
    PACK_EACH(k) {
        u32 is_a = pack->is_a[k] > 0.5;
        Vec3 normal = vec3_make(pack->normal[0][k], pack->normal[1][k], pack->normal[2][k]);
        Vec3 plane =
            vec3_make(pack->now->lever_plane_m[0][k], pack->now->lever_plane_m[1][k], pack->now->lever_plane_m[2][k]);
        // Of a ball that is A as contact_weigh finds it again.
        Vec3 lever = vec3_make(is_a ? plane.x + (pack->plane_m[0][k] - pack->at[0][k]) : pack->now->lever_m[0][k],
                               is_a ? plane.y + (pack->plane_m[1][k] - pack->at[1][k]) : pack->now->lever_m[1][k],
                               is_a ? plane.z + (pack->plane_m[2][k] - pack->at[2][k]) : pack->now->lever_m[2][k]);
        Vec3 inertia = vec3_make(pack->inverse_inertia[0][k], pack->inverse_inertia[1][k], pack->inverse_inertia[2][k]);
        Vec3 arm = vec3_cross(lever, normal);
        real mass = pack->inverse_mass[k];
        real across = mass + vec3_dot(lever, lever) * pack->inertia_bound[k];
        real weight = mass + vec3_dot(arm, vec3_multiply(inertia, arm));
        real wk = weight * pack->stiffness[k], u = pack->now->closing_m_per_s[k],
             depth = PACK_MAX(-pack->now->gap_m[k], 0.0);
        Vec3 relative = vec3_make(is_a ? 0.0 - acceleration[0][k] : acceleration[0][k],
                                  is_a ? 0.0 - acceleration[1][k] : acceleration[1][k],
                                  is_a ? 0.0 - acceleration[2][k] : acceleration[2][k]);
        real closing = 0.0 - vec3_dot(normal, relative), other = real_abs(weight * pack->now->normal_N[k] + closing);
        real bound = pack->gravity_bound[k], s = real_sqrt(depth);
        pack->inverse_mass_tangential[k] = across;
        pack->depth_m[k] = depth;
        pack->root[k] = s;
        pack->stiffness_by_mass[k] = wk;
        pack->closing_m_per_s2[k] = closing;
        pack->pull[k] = PACK_MAX(bound, other);
        pack->root_moving[k] = depth * depth * s + 1.25 * u * u / wk;
        Vec3 pull = vec3_add_scaled(relative, normal, closing);
        real turns = pack_max_abs(pack->at[6][k], pack->at[7][k], pack->at[8][k]);
        real twists = pack_max_abs(spin_rate[0][k], spin_rate[1][k], spin_rate[2][k]);
        real stirs = pack_max_abs(pull.x, pull.y, pull.z) + turns + twists;
        Vec3 velocity = vec3_make(pack->at[3][k], pack->at[4][k], pack->at[5][k]);
        real asks = pack->now->slip_m_per_s[k] == 0.0 && pack->friction[k] > 0.0 ? stirs : 0.0;
        pack->asks[k] = vec3_dot(velocity, velocity) >= pack->fine_square[k] ? 1.0 : asks;
    }
}

/// The roots, whose loops are as long as each wants.
FN void pack_plan_take_roots(SoloPack *pack) {
    for (u32 k = 0; k < PACK; k++) {
        real wk = pack->stiffness_by_mass[k], g = pack->pull[k], moving = plan_real_root(pack->root_moving[k], 5);
        pack->root_moving[k] = moving;
        pack->root_reference[k] = moving * moving * moving * wk >= g ? moving : plan_real_root(g / wk, 3);
    }
}

/// plan_to_peak
FN_SHORT real pack_to_peak(real h, real u, real closing, real jerk) {
    real square = closing * closing - 2.0 * u * jerk, peak = 2.0 * u / (real_sqrt(square) - closing);
    real chosen = peak < PLAN_PEAK_NEAR * h ? peak : 0.5 * peak;
    chosen = peak > PLAN_PEAK_HERE * h ? chosen : h;
    chosen = peak < PLAN_PEAK_HALF * h ? chosen : h;
    chosen = square > 0.0 ? chosen : h;
    return closing < 0.0 ? chosen : h;
}

VECTOR_LOOPS_FN void pack_plan(SoloPack *pack) {
    PACK_EACH(k) {
        real n = pack->graded_steps[k], stiffness = pack->stiffness[k], d = pack->damping_s_per_m[k], g = pack->pull[k];
        real u = pack->now->closing_m_per_s[k], depth = pack->depth_m[k], s = pack->root[k],
             wk = pack->stiffness_by_mass[k];
        real closing = pack->closing_m_per_s2[k], s_moving = pack->root_moving[k], s_ref = pack->root_reference[k];
        real slip = pack->now->slip_m_per_s[k], small = pack->speed_small_m_per_s[k], friction = pack->friction[k];
        real wt = pack->inverse_mass_tangential[k], force_N = pack->now->normal_N[k];
        real cube = s_moving * s_moving * s_moving * wk, ds = s_ref / n;
        real out = (PLAN_OUT * s_ref + PLAN_OUT_DEEPER * s) / n, in = (PLAN_IN * s_ref + PLAN_IN_DEEPER * s) / n;
        real graded = u < 0.0 ? out : in, way = d == 0.0 ? ds : graded;
        real pace = real_sqrt(u * u + g * ds * ds), inwards = (2.0 * s * way + way * way) / pace;
        real squared = way * way, lifted = 1.02 * depth, least = PACK_MAX(lifted, squared);
        real outwards = (s > 1.5 * way ? 2.0 * s * way - way * way : least) / pace, h = u < 0.0 ? outwards : inwards;
        real deeper = PACK_MAX(s, ds), opens = 1.0 + d * u, stays = PACK_MAX(0.0, opens);
        real shakes = 1.5 * wk * deeper * stays, least_shakes = PACK_MAX(shakes, 1.0e-300);
        real period = 1.0 / real_sqrt(least_shakes);
        real swing = (d == 0.0 ? PLAN_STABLE_OSCILLATION : PLAN_OSCILLATION) / n * period;
        h = h < swing ? h : swing;
        real jerk = 0.0 - wk * s * (1.5 * u * (1.0 + d * u) + depth * d * closing);
        real to_peak = pack_to_peak(h, u, closing, jerk);
        to_peak = u > 0.0 ? to_peak : h;
        h = d == 0.0 ? h : to_peak;
        h = ds > 0.0 ? h : REAL_HUGE;
        shakes = ds > 0.0 ? shakes : 0.0;
        real stable = ds > 0.0 ? PLAN_STABLE_OSCILLATION * period : REAL_HUGE;
        real damping_rate = d * wk * depth * s, reach = s + way;
        real force = stiffness * reach * reach * reach * (1.0 + d * real_abs(u));
        real rubs = friction * force_N * wt / pack_regularised(slip, small), rate = slip > 0.0 ? rubs : 0.0;
        real longest = REAL_HUGE / n;
        h = h < longest ? h : longest;
        rate = PACK_MAX(rate, 0.0);
        real fastest = PACK_MAX(damping_rate, rate);
        real stiff = PLAN_STIFF_SHARE * PLAN_STABILITY / fastest, most = PLAN_STABILITY / fastest;
        stiff = stable < stiff ? stable : stiff;
        stiff = fastest > 0.0 ? stiff : stable;
        most = stable < most ? stable : most;
        most = fastest > 0.0 ? most : stable;
        real leave = PLAN_LEAVE_SHARE * depth / (0.0 - u), later = PACK_MAX(leave, stiff);
        real unsafe = slip - 1.5 * h * friction * force * wt > small ? 0.0 : 1.0;
        unsafe = slip == 0.0 ? (pack->asks[k] > 0.0 ? 1.0 : 0.0) : unsafe;
        unsafe = friction == 0.0 ? 0.0 : unsafe;
        unsafe = cube > PLAN_HIT_SHARE * PLAN_HIT_SHARE * PLAN_HIT_SHARE * g ? unsafe : 1.0;
        unsafe = h * damping_rate <= pack->damping_limit[k] ? unsafe : 1.0;
        unsafe = u + h * closing > pack->linear_m_per_s[k] ? 1.0 : unsafe;
        u32 is_a = pack->is_a[k] > 0.5;
        real x = is_a ? pack->plane_m[0][k] : pack->at[0][k], y = is_a ? pack->plane_m[1][k] : pack->at[1][k];
        real z = is_a ? pack->plane_m[2][k] : pack->at[2][k];
        real rounding = REAL_EPSILON * pack_max_abs(x, y, z), error = pack->now->error_m[k];
        pack->graded_s[k] = h;
        pack->stable_s[k] = most;
        pack->stiff_s[k] = stiff;
        pack->leave_s[k] = u < 0.0 ? later : REAL_HUGE;
        pack->controlled[k] = unsafe;
        pack->noise[k] = shakes * 10.0 * PACK_MAX(rounding, error);
    }
}

#endif // PACK > 1

#endif
