// Solo steps of several scenes tried side by side (solo.h): a ball on a plane that does not move at all. An evaluation is a
// chain of latencies, a dot product, a root, some products; here each of its operations is one of a vector, a number of each
// scene. Loops over the scenes are independent and without branches; the arithmetic is that of solo.h, bit for bit.
#ifndef CLACK_SOLO_PACK_H
#define CLACK_SOLO_PACK_H

#include "solo_steps.h"

#if PACK > 1

typedef real PackNumber[PACK]; // one of each scene
typedef PackNumber PackVec[3];

// Numbers of a SoloRate in a row, and the first of each vector in it; those of a state are position, velocity, spin.
#define PACK_RATES 12u
#define PACK_ACCELERATION 3u
#define PACK_SPIN_RATE 6u
#define PACK_SPIN 9u
#define PACK_STATES 9u

typedef struct SoloPack {
    // Of a row of steps:
    PackVec up, plane_m, arm_m; // of the plane: its normal, the place of its body, its origin from there
    PackVec down, normal;       // the normal of ball and plane; that of the contact, from A to B
    PackVec gravity_m_per_s2, inverse_inertia;
    PackNumber ball_m, inverse_mass;
    PackNumber is_a;            // 1: the ball is A of the contact; 0: B
    PackNumber stiffness, damping_s_per_m, friction;
    PackNumber speed_small_m_per_s, spin_small_rad_per_s;
    PackNumber rolling, rolling_m; // its coefficient, and times the radius
    PackNumber graded_steps, gravity_bound, damping_limit; // of plans
    PackNumber inertia_bound;   // largest inverse moment
    // Of a step:
    PackNumber h[PACK_STATES];     // the same for each of
    PackNumber start[PACK_STATES], at[PACK_STATES]; // at the present stage
    PackNumber rates[STAGES][PACK_RATES];
    PackNumber error[PACK_STATES]; // of mean rates: solo_estimate
    PackVec errors;                // the largest of each vector
    PackNumber way_m;
    PackVec turned, impulse_N_s;
    PackNumber loss_J;
    // Of an evaluation:
    PackVec lever_m, lever_plane_m;     // of the ball, of the plane
    PackVec sliding_m_per_s, spin_rad_per_s; // of B against A
    PackVec force_N, torque_N_m;
    PackNumber gap_m, error_m, rate_m_per_s, closing_m_per_s, slip_m_per_s, spins_rad_per_s, normal_N, loss_W;
    PackNumber drag, resistance;        // force over slip, torque over spin
    // Of the plan of the next step, as plan_contact has them:
    PackNumber depth_m, root, stiffness_by_mass, closing_m_per_s2, pull, root_moving, root_reference;
    PackNumber inverse_mass_tangential;
    PackNumber graded_s, stable_s, stiff_s, leave_s, controlled, noise;
} SoloPack;

/// May the tries of a row be taken side by side with those of others?
FN_SHORT u32 pack_takes(const SoloRun *run) { return run->solo.is_plain; }

FN_SHORT void pack_put(PackNumber *to, u32 k, Vec3 from) {
    to[0][k] = from.x;
    to[1][k] = from.y;
    to[2][k] = from.z;
}

FN_SHORT Vec3 pack_get(PackNumber *from, u32 k) { return vec3_make(from[0][k], from[1][k], from[2][k]); }

/// What stays as it is in a row that begins.
FN void pack_load_row(const SceneView *view, SoloPack *pack, u32 k, SoloRun *run) {
    const Solo *solo = &run->solo;
    run->is_private = solo->law.rolling > 0.0 ? 0u : solo_is_private(view);
    u32 is_a = solo->plane_is_b;
    const SoloBody *ball = is_a ? &solo->a : &solo->b, *plane = is_a ? &solo->b : &solo->a;
    Vec3 up = narrow_axis_z(solo->placed.turn), down = vec3_negate(up);
    pack_put(pack->up, k, up);
    pack_put(pack->down, k, down);
    pack_put(pack->normal, k, is_a ? down : vec3_negate(down));
    pack_put(pack->plane_m, k, plane->at.position_m);
    pack_put(pack->arm_m, k, solo->placed.arm_m);
    pack_put(pack->gravity_m_per_s2, k, solo->gravity_m_per_s2);
    pack_put(pack->inverse_inertia, k, ball->inverse_inertia);
    pack->ball_m[k] = is_a ? solo->ball_a_m : solo->ball_b_m;
    pack->inverse_mass[k] = ball->inverse_mass;
    pack->is_a[k] = is_a ? 1.0 : 0.0;
    pack->stiffness[k] = solo->constants.stiffness;
    pack->damping_s_per_m[k] = solo->constants.damping_s_per_m;
    pack->friction[k] = solo->law.friction;
    pack->speed_small_m_per_s[k] = solo->law.speed_small_m_per_s;
    pack->spin_small_rad_per_s[k] = solo->law.spin_small_rad_per_s;
    pack->rolling[k] = solo->law.rolling;
    pack->rolling_m[k] = solo->law.rolling * solo->constants.radius_m;
    pack->graded_steps[k] = (real)view->scene->graded_steps;
    pack->gravity_bound[k] = vec3_length(solo->gravity_m_per_s2);
    pack->damping_limit[k] = view->slot->damping_limit;
    pack->inertia_bound[k] = vec3_max_abs(ball->inverse_inertia);
}

/// The start of the step that a row wants, and what stage 0 hands over.
FN void pack_load_step(SoloPack *pack, u32 k, const SoloRun *run) {
    const SoloBody *ball = run->solo.plane_is_b ? &run->solo.a : &run->solo.b;
    const SoloRate *rate = &ball->rates[0].rate;
    real weight = run->h * TSIT5[STAGES - 1][0];
    pack->h[0][k] = run->h;
    pack_put(pack->start, k, ball->start.position_m);
    pack_put(pack->start + 3, k, ball->start.velocity_m_per_s);
    pack_put(pack->start + 6, k, ball->start.spin_rad_per_s);
    pack_put(pack->rates[0], k, rate->velocity);
    pack_put(pack->rates[0] + PACK_ACCELERATION, k, rate->acceleration);
    pack_put(pack->rates[0] + PACK_SPIN_RATE, k, rate->spin_rate);
    pack_put(pack->rates[0] + PACK_SPIN, k, rate->spin);
    pack_put(pack->impulse_N_s, k, vec3_scale(run->solo.start_force_N, weight));
    pack->loss_J[k] = run->solo.start_loss_W * weight;
}

/// What has come of the step that was tried.
FN void pack_store(SoloPack *pack, u32 k, SoloRun *run) {
    u32 is_a = run->solo.plane_is_b;
    Solo *solo = &run->solo;
    SoloBody *ball = is_a ? &solo->a : &solo->b;
    SoloRate *rate = &ball->rates[STAGES - 1].rate;
    ball->at.position_m = pack_get(pack->at, k);
    ball->at.velocity_m_per_s = rate->velocity = pack_get(pack->at + 3, k);
    ball->at.spin_rad_per_s = rate->spin = pack_get(pack->at + 6, k);
    rate->acceleration = pack_get(pack->rates[STAGES - 1] + PACK_ACCELERATION, k);
    rate->spin_rate = pack_get(pack->rates[STAGES - 1] + PACK_SPIN_RATE, k);
    ball->turned = pack_get(pack->turned, k);
    ball->error_velocity = pack->errors[0][k];
    ball->error_acceleration = pack->errors[1][k];
    ball->error_spin_rate = pack->errors[2][k];
    ball->way_m = pack->way_m[k];
    Meeting *meeting = &solo->meeting;
    meeting->gap_m = pack->gap_m[k];
    meeting->error_m = pack->error_m[k];
    meeting->rate_m_per_s = pack->rate_m_per_s[k];
    meeting->normal = pack_get(pack->normal, k);
    meeting->lever_a_m = pack_get(is_a ? pack->lever_m : pack->lever_plane_m, k);
    meeting->lever_b_m = pack_get(is_a ? pack->lever_plane_m : pack->lever_m, k);
    meeting->spin_rad_per_s = pack_get(pack->spin_rad_per_s, k);
    meeting->status = NARROW_OK;
    LawForce *force = &solo->force;
    force->force_N = pack_get(pack->force_N, k);
    force->torque_N_m = pack_get(pack->torque_N_m, k);
    force->normal_N = pack->normal_N[k];
    force->loss_W = pack->loss_W[k];
    force->slip_m_per_s = pack->slip_m_per_s[k];
    force->closing_m_per_s = pack->closing_m_per_s[k];
    solo->impulse_N_s = pack_get(pack->impulse_N_s, k);
    solo->loss_J = pack->loss_J[k];
    // Where a ball may roll, what turns it is looked at as well: plan_contact does that.
    run->has_plan = pack->rolling[k] > 0.0 ? 0u : 1u;
    run->next.graded_s = pack->graded_s[k];
    run->next.stable_s = pack->stable_s[k];
    run->next.stiff_s = pack->stiff_s[k];
    run->next.leave_s = pack->leave_s[k];
    run->next.noise = pack->noise[k];
    run->next.controlled = pack->controlled[k] > 0.0 ? 1u : 0u;
}

#define PACK_EACH(k) PACK_LOOP for (size_t k = 0; k < PACK; k++)
#define PACK_MAX(a, b) ((a) > (b) ? (a) : (b)) // calls would keep compilers from making vectors

/// The first `count` rates at one number, weighted by a row of a tableau, as solo_blend.
#define PACK_NEXT (PACK_RATES * PACK) // from a rate to that of the next stage
FN_SHORT real pack_blend(const real *rate, CONSTANT_POINTER const real *row, u32 count) {
    real sum = rate[0] * row[0];
    if (count > 1) sum = real_fma(rate[PACK_NEXT], row[1], sum);
    if (count > 2) sum = real_fma(rate[2 * PACK_NEXT], row[2], sum);
    if (count > 3) sum = real_fma(rate[3 * PACK_NEXT], row[3], sum);
    if (count > 4) sum = real_fma(rate[4 * PACK_NEXT], row[4], sum);
    if (count > 5) sum = real_fma(rate[5 * PACK_NEXT], row[5], sum);
    if (count > 6) sum = real_fma(rate[6 * PACK_NEXT], row[6], sum);
    return sum;
}

/// States at a stage, which is known as this is compiled: their numbers in one row.
FN_SHORT void pack_move_to(SoloPack *pack, u32 stage) {
    const real *rate = pack->rates[0][0], *start = pack->start[0], *h = pack->h[0];
    real *at = pack->at[0];
    PACK_LOOP for (size_t n = 0; n < PACK_STATES * PACK; n++)
        at[n] = real_fma(pack_blend(rate + n, TSIT5[stage], stage), h[n], start[n]);
}

VECTOR_LOOPS_FN void pack_move_1(SoloPack *pack) { pack_move_to(pack, 1); }
VECTOR_LOOPS_FN void pack_move_2(SoloPack *pack) { pack_move_to(pack, 2); }
VECTOR_LOOPS_FN void pack_move_3(SoloPack *pack) { pack_move_to(pack, 3); }
VECTOR_LOOPS_FN void pack_move_4(SoloPack *pack) { pack_move_to(pack, 4); }
VECTOR_LOOPS_FN void pack_move_5(SoloPack *pack) { pack_move_to(pack, 5); }
VECTOR_LOOPS_FN void pack_move_6(SoloPack *pack) { pack_move_to(pack, 6); }

FN void pack_move(SoloPack *pack, u32 stage) {
    if (stage == 1) pack_move_1(pack);
    if (stage == 2) pack_move_2(pack);
    if (stage == 3) pack_move_3(pack);
    if (stage == 4) pack_move_4(pack);
    if (stage == 5) pack_move_5(pack);
    if (stage == 6) pack_move_6(pack);
}

/// vec3_max_abs
FN_SHORT real pack_max_abs(real x, real y, real z) {
    real far = PACK_MAX(real_abs(y), real_abs(z));
    return PACK_MAX(real_abs(x), far);
}

/// How the balls have turned over the step, how far they have gone, and its error.
VECTOR_LOOPS_FN void pack_finish(SoloPack *pack) {
    const real *rate = pack->rates[0][0], *spin = pack->rates[0][PACK_SPIN], *h = pack->h[0];
    real *turned = pack->turned[0], *error = pack->error[0];
    PACK_LOOP for (size_t n = 0; n < 3 * PACK; n++) turned[n] = pack_blend(spin + n, TSIT5[STAGES - 1], TABLEAU_COLUMNS) * h[n];
    PACK_LOOP for (size_t n = 0; n < PACK_STATES * PACK; n++) error[n] = pack_blend(rate + n, TSIT5_ERROR, STAGES);
    PACK_EACH(k) {
        pack->errors[0][k] = pack_max_abs(pack->error[0][k], pack->error[1][k], pack->error[2][k]);
        pack->errors[1][k] = pack_max_abs(pack->error[3][k], pack->error[4][k], pack->error[5][k]);
        pack->errors[2][k] = pack_max_abs(pack->error[6][k], pack->error[7][k], pack->error[8][k]);
        real before = vec3_length(vec3_make(pack->start[3][k], pack->start[4][k], pack->start[5][k]));
        real after = vec3_length(vec3_make(pack->at[3][k], pack->at[4][k], pack->at[5][k]));
        pack->way_m[k] = BROAD_SPARE * pack->h[0][k] * PACK_MAX(before, after); // solo_way
    }
}

/// The length of each step beside each number of its state.
VECTOR_LOOPS_FN void pack_spread(SoloPack *pack) {
    PACK_EACH(k) {
        real h = pack->h[0][k];
        for (u32 i = 1; i < PACK_STATES; i++) pack->h[i][k] = h;
    }
}

/// Where balls and planes meet, and what of the force is along the normal: solo_evaluate_plain and law_force up to there.
VECTOR_LOOPS_FN void pack_meet(SoloPack *pack) {
    PACK_EACH(k) {
        Vec3 up = vec3_make(pack->up[0][k], pack->up[1][k], pack->up[2][k]);
        Vec3 down = vec3_make(pack->down[0][k], pack->down[1][k], pack->down[2][k]);
        Vec3 normal = vec3_make(pack->normal[0][k], pack->normal[1][k], pack->normal[2][k]);
        Vec3 centres = vec3_make(pack->plane_m[0][k] - pack->at[0][k], pack->plane_m[1][k] - pack->at[1][k],
                                 pack->plane_m[2][k] - pack->at[2][k]);
        Vec3 offset = vec3_add(centres, vec3_make(pack->arm_m[0][k], pack->arm_m[1][k], pack->arm_m[2][k]));
        Vec3 spin = vec3_make(pack->at[6][k], pack->at[7][k], pack->at[8][k]);
        u32 is_a = pack->is_a[k] > 0.5;
        real ball = pack->ball_m[k];
        real height = 0.0 - vec3_dot(offset, up), gap = height - ball;
        pack->error_m[k] = NARROW_ROUNDING * (pack_max_abs(offset.x, offset.y, offset.z) + ball);
        Vec3 lever = vec3_scale(down, 0.5 * (ball + height)), lever_plane = vec3_sub(lever, centres);
        Vec3 moving = vec3_add(vec3_make(pack->at[3][k], pack->at[4][k], pack->at[5][k]), vec3_cross(spin, lever));
        Vec3 v = vec3_make(is_a ? 0.0 - moving.x : moving.x, is_a ? 0.0 - moving.y : moving.y, is_a ? 0.0 - moving.z : moving.z);
        pack->spin_rad_per_s[0][k] = is_a ? 0.0 - spin.x : spin.x;
        pack->spin_rad_per_s[1][k] = is_a ? 0.0 - spin.y : spin.y;
        pack->spin_rad_per_s[2][k] = is_a ? 0.0 - spin.z : spin.z;
        pack->gap_m[k] = gap;
        pack->rate_m_per_s[k] = vec3_dot(normal, v);
        pack->lever_m[0][k] = lever.x;
        pack->lever_m[1][k] = lever.y;
        pack->lever_m[2][k] = lever.z;
        pack->lever_plane_m[0][k] = lever_plane.x;
        pack->lever_plane_m[1][k] = lever_plane.y;
        pack->lever_plane_m[2][k] = lever_plane.z;
        real along = vec3_dot(v, normal), damping = pack->damping_s_per_m[k];
        Vec3 sliding = vec3_add_scaled(v, normal, -along);
        pack->sliding_m_per_s[0][k] = sliding.x;
        pack->sliding_m_per_s[1][k] = sliding.y;
        pack->sliding_m_per_s[2][k] = sliding.z;
        real depth = PACK_MAX(-gap, 0.0), elastic = pack->stiffness[k] * depth * real_sqrt(real_abs(depth));
        real force = elastic * (1.0 - damping * along);
        pack->loss_W[k] = force < 0.0 ? elastic * along : elastic * damping * along * along;
        pack->normal_N[k] = force < 0.0 ? 0.0 : force;
        pack->closing_m_per_s[k] = -along;
        pack->slip_m_per_s[k] = real_sqrt(vec3_dot(sliding, sliding));
        pack->drag[k] = pack->resistance[k] = pack->spins_rad_per_s[k] = 0.0;
    }
}

/// law_regularised
FN_SHORT real pack_regularised(real x, real small) {
    real below = x * x / small * (1.0 - x / (3.0 * small)) + small / 3.0;
    return x >= small ? x : below;
}

/// Friction and rolling resistance of law_force.
VECTOR_LOOPS_FN void pack_rub(SoloPack *pack) {
    PACK_EACH(k) {
        real slip = pack->slip_m_per_s[k];
        real drag = pack->friction[k] * pack->normal_N[k] / pack_regularised(slip, pack->speed_small_m_per_s[k]);
        pack->drag[k] = slip > 0.0 ? drag : 0.0;
    }
}

VECTOR_LOOPS_FN void pack_roll(SoloPack *pack) {
    PACK_EACH(k) {
        Vec3 w = vec3_make(pack->spin_rad_per_s[0][k], pack->spin_rad_per_s[1][k], pack->spin_rad_per_s[2][k]);
        real length = real_sqrt(vec3_dot(w, w)), spin = pack->rolling[k] > 0.0 ? length : 0.0;
        real resistance = pack->rolling_m[k] * pack->normal_N[k] / pack_regularised(spin, pack->spin_small_rad_per_s[k]);
        pack->spins_rad_per_s[k] = spin;
        pack->resistance[k] = spin > 0.0 ? resistance : 0.0;
    }
}

/// Forces, and the rates of the balls at a stage.
VECTOR_LOOPS_FN void pack_rate(SoloPack *pack, PackNumber *rates) {
    PACK_EACH(k) {
        u32 is_a = pack->is_a[k] > 0.5;
        real drag = pack->drag[k], resistance = pack->resistance[k], force_N = pack->normal_N[k];
        real slip = pack->slip_m_per_s[k], spin = pack->spins_rad_per_s[k];
        Vec3 normal = vec3_make(pack->normal[0][k], pack->normal[1][k], pack->normal[2][k]);
        Vec3 sliding = vec3_make(pack->sliding_m_per_s[0][k], pack->sliding_m_per_s[1][k], pack->sliding_m_per_s[2][k]);
        Vec3 w = vec3_make(pack->spin_rad_per_s[0][k], pack->spin_rad_per_s[1][k], pack->spin_rad_per_s[2][k]);
        Vec3 lever = vec3_make(pack->lever_m[0][k], pack->lever_m[1][k], pack->lever_m[2][k]);
        Vec3 force = vec3_add_scaled(vec3_scale(normal, force_N), sliding, -drag);
        Vec3 rolling = vec3_scale(w, -resistance), torque = vec3_add(vec3_cross(lever, force), rolling);
        pack->loss_W[k] = pack->loss_W[k] + (drag * slip * slip + resistance * spin * spin);
        pack->force_N[0][k] = force.x;
        pack->force_N[1][k] = force.y;
        pack->force_N[2][k] = force.z;
        pack->torque_N_m[0][k] = rolling.x;
        pack->torque_N_m[1][k] = rolling.y;
        pack->torque_N_m[2][k] = rolling.z;
        rates[0][k] = pack->at[3][k];
        rates[1][k] = pack->at[4][k];
        rates[2][k] = pack->at[5][k];
        rates[PACK_SPIN][k] = pack->at[6][k];
        rates[PACK_SPIN + 1][k] = pack->at[7][k];
        rates[PACK_SPIN + 2][k] = pack->at[8][k];
        real mass = pack->inverse_mass[k];
        rates[PACK_ACCELERATION][k] = real_fma(is_a ? 0.0 - force.x : force.x, mass, pack->gravity_m_per_s2[0][k]);
        rates[PACK_ACCELERATION + 1][k] = real_fma(is_a ? 0.0 - force.y : force.y, mass, pack->gravity_m_per_s2[1][k]);
        rates[PACK_ACCELERATION + 2][k] = real_fma(is_a ? 0.0 - force.z : force.z, mass, pack->gravity_m_per_s2[2][k]);
        rates[PACK_SPIN_RATE][k] = (is_a ? 0.0 - torque.x : torque.x) * pack->inverse_inertia[0][k];
        rates[PACK_SPIN_RATE + 1][k] = (is_a ? 0.0 - torque.y : torque.y) * pack->inverse_inertia[1][k];
        rates[PACK_SPIN_RATE + 2][k] = (is_a ? 0.0 - torque.z : torque.z) * pack->inverse_inertia[2][k];
    }
}

/// What the contacts hand over at a stage.
VECTOR_LOOPS_FN void pack_hand_over(SoloPack *pack, real share) {
    PACK_EACH(k) {
        real weight = pack->h[0][k] * share;
        pack->impulse_N_s[0][k] = real_fma(pack->force_N[0][k], weight, pack->impulse_N_s[0][k]);
        pack->impulse_N_s[1][k] = real_fma(pack->force_N[1][k], weight, pack->impulse_N_s[1][k]);
        pack->impulse_N_s[2][k] = real_fma(pack->force_N[2][k], weight, pack->impulse_N_s[2][k]);
        pack->loss_J[k] = real_fma(pack->loss_W[k], weight, pack->loss_J[k]);
    }
}

// What plan_contact (step_plan.h) makes of the end of the step just tried, should it be taken: of a ball that does not roll.

/// What roots are taken of.
VECTOR_LOOPS_FN void pack_plan_roots(SoloPack *pack) {
    PackNumber *acceleration = pack->rates[STAGES - 1] + PACK_ACCELERATION;
    PACK_EACH(k) {
        u32 is_a = pack->is_a[k] > 0.5;
        Vec3 normal = vec3_make(pack->normal[0][k], pack->normal[1][k], pack->normal[2][k]);
        Vec3 plane = vec3_make(pack->lever_plane_m[0][k], pack->lever_plane_m[1][k], pack->lever_plane_m[2][k]);
        // Of a ball that is A as contact_weigh finds it again.
        Vec3 lever = vec3_make(is_a ? plane.x + (pack->plane_m[0][k] - pack->at[0][k]) : pack->lever_m[0][k],
                               is_a ? plane.y + (pack->plane_m[1][k] - pack->at[1][k]) : pack->lever_m[1][k],
                               is_a ? plane.z + (pack->plane_m[2][k] - pack->at[2][k]) : pack->lever_m[2][k]);
        Vec3 inertia = vec3_make(pack->inverse_inertia[0][k], pack->inverse_inertia[1][k], pack->inverse_inertia[2][k]);
        Vec3 arm = vec3_cross(lever, normal);
        real mass = pack->inverse_mass[k];
        real across = mass + vec3_dot(lever, lever) * pack->inertia_bound[k];
        real weight = mass + vec3_dot(arm, vec3_multiply(inertia, arm));
        real wk = weight * pack->stiffness[k], u = pack->closing_m_per_s[k], depth = PACK_MAX(-pack->gap_m[k], 0.0);
        Vec3 relative = vec3_make(is_a ? 0.0 - acceleration[0][k] : acceleration[0][k],
                                  is_a ? 0.0 - acceleration[1][k] : acceleration[1][k],
                                  is_a ? 0.0 - acceleration[2][k] : acceleration[2][k]);
        real closing = 0.0 - vec3_dot(normal, relative), other = real_abs(weight * pack->normal_N[k] + closing);
        real bound = pack->gravity_bound[k], s = real_sqrt(depth);
        pack->inverse_mass_tangential[k] = across;
        pack->depth_m[k] = depth;
        pack->root[k] = s;
        pack->stiffness_by_mass[k] = wk;
        pack->closing_m_per_s2[k] = closing;
        pack->pull[k] = PACK_MAX(bound, other);
        pack->root_moving[k] = depth * depth * s + 1.25 * u * u / wk;
    }
}

/// The roots, whose loops are as long as each wants.
FN void pack_plan_take_roots(SoloPack *pack) {
    for (u32 k = 0; k < PACK; k++) {
        real wk = pack->stiffness_by_mass[k], g = pack->pull[k], moving = real_root(pack->root_moving[k], 5);
        pack->root_moving[k] = moving;
        pack->root_reference[k] = moving * moving * moving * wk >= g ? moving : real_root(g / wk, 3);
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
        real u = pack->closing_m_per_s[k], depth = pack->depth_m[k], s = pack->root[k], wk = pack->stiffness_by_mass[k];
        real closing = pack->closing_m_per_s2[k], s_moving = pack->root_moving[k], s_ref = pack->root_reference[k];
        real slip = pack->slip_m_per_s[k], small = pack->speed_small_m_per_s[k], friction = pack->friction[k];
        real wt = pack->inverse_mass_tangential[k], force_N = pack->normal_N[k];
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
        unsafe = slip == 0.0 ? 0.0 : unsafe;
        unsafe = friction == 0.0 ? 0.0 : unsafe;
        unsafe = cube > PLAN_HIT_SHARE * PLAN_HIT_SHARE * PLAN_HIT_SHARE * g ? unsafe : 1.0;
        unsafe = h * damping_rate <= pack->damping_limit[k] ? unsafe : 1.0;
        u32 is_a = pack->is_a[k] > 0.5;
        real x = is_a ? pack->plane_m[0][k] : pack->at[0][k], y = is_a ? pack->plane_m[1][k] : pack->at[1][k];
        real z = is_a ? pack->plane_m[2][k] : pack->at[2][k];
        real rounding = REAL_EPSILON * pack_max_abs(x, y, z), error = pack->error_m[k];
        pack->graded_s[k] = h;
        pack->stable_s[k] = most;
        pack->stiff_s[k] = stiff;
        pack->leave_s[k] = u < 0.0 ? later : REAL_HUGE;
        pack->controlled[k] = unsafe;
        pack->noise[k] = shakes * 10.0 * PACK_MAX(rounding, error);
    }
}

/// Is any of them above zero?
FN u32 pack_any(const PackNumber numbers) {
    u32 any = 0;
    for (u32 k = 0; k < PACK; k++) any |= numbers[k] > 0.0 ? 1u : 0u;
    return any;
}

/// All stages of the steps that have been loaded: solo_take. What was in the places of those that were not does no harm.
FN void pack_try(SoloPack *pack) {
    u32 rolls = pack_any(pack->rolling);
    pack_spread(pack);
    for (u32 stage = 1; stage < STAGES; stage++) {
        pack_move(pack, stage);
        pack_meet(pack);
        if (pack_any(pack->slip_m_per_s)) pack_rub(pack);
        if (rolls) pack_roll(pack);
        pack_rate(pack, pack->rates[stage]);
        if (stage < STAGES - 1) pack_hand_over(pack, TSIT5[STAGES - 1][stage]);
    }
    pack_finish(pack);
    pack_plan_roots(pack);
    pack_plan_take_roots(pack);
    pack_plan(pack);
}

#endif // PACK > 1

#endif
