// Steps of balls on planes that do not move at all, of several scenes side by side: motion, kinematics, forces, as
// ball_contact.h has them, bit for bit. An evaluation is a chain of latencies, a dot product, a root, some products;
// here each of its operations is one of a vector, a number of each scene. Loops over the scenes are independent and
// without branches, so that compilers make vectors of them: loops inside are written out, choices are ?: of numbers,
// calls are FN_SHORT.
#ifndef CLACK_FAST_PACK_STAGE_H
#define CLACK_FAST_PACK_STAGE_H

#include "pairs/broad_phase.h"
#include "integrate/motion.h"
#include "fast/corner_lanes.h"

#if PACK > 1

typedef real PackNumber[PACK] VECTOR_ALIGNED; // one of each scene
typedef PackNumber PackVec[3];

// Numbers of a SoloRate in a row, and the first of each vector in it; those of a state are position, velocity, spin.
#define PACK_RATES 12u
#define PACK_ACCELERATION 3u
#define PACK_SPIN_RATE 6u
#define PACK_SPIN 9u
#define PACK_STATES 9u

// What an evaluation tells of the contacts.
typedef struct PackEvaluation {
    PackVec lever_m, lever_plane_m;          // of the ball, of the plane
    PackVec sliding_m_per_s, spin_rad_per_s; // of B against A
    PackVec force_N, torque_N_m;
    PackNumber gap_m, error_m, rate_m_per_s, closing_m_per_s, slip_m_per_s, spins_rad_per_s, normal_N, loss_W;
} PackEvaluation;

// Rows that go on within the pack (pack_row.h): what BallRun, Progress, Contact, Candidate and BodyWork have of them.
typedef struct PackRow {
    PackNumber is_row;       // 1: it may; else its steps are judged one by one (ball_run.h)
    PackNumber goes_on;      // 1: its next step wants to be tried
    PackNumber steps, taken; // planned in all; taken within the pack
    PackNumber offset_s, stop_s, h_max_s, to_stop;
    PackNumber travel_m, margin_m, clearance_m, radius_m;
    PackNumber gap_m, rate_m_per_s; // at the start of the step
    PackNumber error_sum_m_per_s, loss_J, dissipated_J;
    PackVec impulse_N_s; // this and the loss: of the contact
    PackNumber orientation[4];
    PackNumber deepest_m, deepest_offset_s, deepest_after_s; // of the steps taken, in the step that began at an offset
} PackRow;

typedef struct SoloPack {
    // Of a row of steps:
    PackVec up, plane_m, arm_m; // of the plane: its normal, the place of its body, its origin from there
    PackVec down, normal;       // the normal of ball and plane; that of the contact, from A to B
    PackVec gravity_m_per_s2, inverse_inertia;
    PackNumber ball_m, inverse_mass;
    PackNumber is_a; // 1: the ball is A of the contact; 0: B
    PackNumber stiffness, friction;
    PackNumber speed_small_m_per_s, spin_small_rad_per_s;
    PackNumber rolling, rolling_m;                         // its coefficient, and times the radius
    PackNumber graded_steps, gravity_bound, damping_limit; // of plans
    PackNumber fine_square;   // from which square of the speed on friction is fine: plan_fine_square
    PackNumber inertia_bound; // largest inverse moment
    PackRow row;
    // Of a step:
    PackNumber damping_s_per_m, linear_m_per_s; // of LawConstants
    PackNumber fastest_m_per_s;                 // closing, of its stages: above the last it is taken by ball_contact.h
    PackNumber h;                               // its length, s
    PackNumber start[PACK_STATES], at[PACK_STATES]; // at the present stage
    PackNumber rates[STAGES][PACK_RATES];
    PackNumber good;               // 1: it is taken within the pack
    PackNumber error[PACK_STATES]; // of mean rates: ball_estimate
    PackVec errors;                // the largest of each vector
    PackNumber way_m;
    PackVec turned, impulse_N_s;
    PackNumber loss_J;
    // Of an evaluation:
    PackEvaluation evaluated[2]; // these two, which change places at each step (pack_row_keep):
    PackEvaluation *now, *kept;  // kept: at the start of the step, where that was taken within the pack
    PackNumber drag, resistance; // force over slip, torque over spin
    // Of the plan of the next step, as plan_contact has them:
    PackNumber depth_m, root, stiffness_by_mass, closing_m_per_s2, pull, root_moving, root_reference;
    PackNumber inverse_mass_tangential;
    PackNumber graded_s, stable_s, stiff_s, leave_s, controlled, noise;
    PackNumber asks; // 1: not by this one but by plan_contact itself
} SoloPack;

/// All lanes cleared: those that are not used are evaluated as well, and must not hold what is no number.
FN void pack_empty(SoloPack *pack) {
    SoloPack nothing = ALL_ZERO;
    *pack = nothing;
    pack->now = &pack->evaluated[0];
    pack->kept = &pack->evaluated[1];
}

#define PACK_EACH(k) PACK_LOOP for (size_t k = 0; k < PACK; k++)
#define PACK_MAX(a, b) ((a) > (b) ? (a) : (b)) // calls would keep compilers from making vectors

/// The first `count` rates at one number, weighted by a row of a tableau, as ball_blend.
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

/// States at a stage, which is known as this is compiled.
FN_SHORT void pack_move_to(SoloPack *pack, u32 stage) {
    for (u32 i = 0; i < PACK_STATES; i++) PACK_EACH(k)
    pack->at[i][k] = real_fma(pack_blend(&pack->rates[0][i][k], TSIT5[stage], stage), pack->h[k], pack->start[i][k]);
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
    const real *rate = pack->rates[0][0];
    real *error = pack->error[0];
    for (u32 i = 0; i < 3; i++) PACK_EACH(k)
    pack->turned[i][k] = pack_blend(&pack->rates[0][PACK_SPIN + i][k], TSIT5[STAGES - 1], TABLEAU_COLUMNS) * pack->h[k];
    PACK_LOOP for (size_t n = 0; n < PACK_STATES * PACK; n++) error[n] = pack_blend(rate + n, TSIT5_ERROR, STAGES);
    PACK_EACH(k) {
        pack->errors[0][k] = pack_max_abs(pack->error[0][k], pack->error[1][k], pack->error[2][k]);
        pack->errors[1][k] = pack_max_abs(pack->error[3][k], pack->error[4][k], pack->error[5][k]);
        pack->errors[2][k] = pack_max_abs(pack->error[6][k], pack->error[7][k], pack->error[8][k]);
        real before = vec3_length(vec3_make(pack->start[3][k], pack->start[4][k], pack->start[5][k]));
        real after = vec3_length(vec3_make(pack->at[3][k], pack->at[4][k], pack->at[5][k]));
        pack->way_m[k] = BROAD_SPARE * pack->h[k] * PACK_MAX(before, after); // ball_way
    }
}

/// Where balls and planes meet, and what of the force is along the normal: ball_evaluate_plain and law_force up to
/// there.
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
        pack->now->error_m[k] = NARROW_ROUNDING * (pack_max_abs(offset.x, offset.y, offset.z) + ball);
        Vec3 lever = vec3_scale(down, 0.5 * (ball + height)), lever_plane = vec3_sub(lever, centres);
        Vec3 moving = vec3_add(vec3_make(pack->at[3][k], pack->at[4][k], pack->at[5][k]), vec3_cross(spin, lever));
        Vec3 v = vec3_make(is_a ? 0.0 - moving.x : moving.x, is_a ? 0.0 - moving.y : moving.y,
                           is_a ? 0.0 - moving.z : moving.z);
        pack->now->spin_rad_per_s[0][k] = is_a ? 0.0 - spin.x : spin.x;
        pack->now->spin_rad_per_s[1][k] = is_a ? 0.0 - spin.y : spin.y;
        pack->now->spin_rad_per_s[2][k] = is_a ? 0.0 - spin.z : spin.z;
        pack->now->gap_m[k] = gap;
        pack->now->rate_m_per_s[k] = vec3_dot(normal, v);
        pack->now->lever_m[0][k] = lever.x;
        pack->now->lever_m[1][k] = lever.y;
        pack->now->lever_m[2][k] = lever.z;
        pack->now->lever_plane_m[0][k] = lever_plane.x;
        pack->now->lever_plane_m[1][k] = lever_plane.y;
        pack->now->lever_plane_m[2][k] = lever_plane.z;
        real along = vec3_dot(v, normal), damping = pack->damping_s_per_m[k];
        Vec3 sliding = vec3_add_scaled(v, normal, -along);
        pack->now->sliding_m_per_s[0][k] = sliding.x;
        pack->now->sliding_m_per_s[1][k] = sliding.y;
        pack->now->sliding_m_per_s[2][k] = sliding.z;
        real depth = PACK_MAX(-gap, 0.0), elastic = pack->stiffness[k] * depth * real_sqrt(real_abs(depth));
        real force = elastic * (1.0 - damping * along);
        pack->now->loss_W[k] = force < 0.0 ? elastic * along : elastic * damping * along * along;
        pack->now->normal_N[k] = force < 0.0 ? 0.0 : force;
        pack->now->closing_m_per_s[k] = -along;
        pack->fastest_m_per_s[k] = PACK_MAX(pack->fastest_m_per_s[k], -along);
        pack->now->slip_m_per_s[k] = real_sqrt(vec3_dot(sliding, sliding));
        pack->drag[k] = pack->resistance[k] = pack->now->spins_rad_per_s[k] = 0.0;
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
        real slip = pack->now->slip_m_per_s[k];
        real drag = pack->friction[k] * pack->now->normal_N[k] / pack_regularised(slip, pack->speed_small_m_per_s[k]);
        pack->drag[k] = slip > 0.0 ? drag : 0.0;
    }
}

VECTOR_LOOPS_FN void pack_roll(SoloPack *pack) {
    PACK_EACH(k) {
        Vec3 w = vec3_make(pack->now->spin_rad_per_s[0][k], pack->now->spin_rad_per_s[1][k],
                           pack->now->spin_rad_per_s[2][k]);
        real length = real_sqrt(vec3_dot(w, w)), spin = pack->rolling[k] > 0.0 ? length : 0.0;
        real resistance =
            pack->rolling_m[k] * pack->now->normal_N[k] / pack_regularised(spin, pack->spin_small_rad_per_s[k]);
        pack->now->spins_rad_per_s[k] = spin;
        pack->resistance[k] = spin > 0.0 ? resistance : 0.0;
    }
}

/// Forces, and the rates of the balls at a stage.
VECTOR_LOOPS_FN void pack_rate(SoloPack *pack, PackNumber *rates) {
    PACK_EACH(k) {
        u32 is_a = pack->is_a[k] > 0.5;
        real drag = pack->drag[k], resistance = pack->resistance[k], force_N = pack->now->normal_N[k];
        real slip = pack->now->slip_m_per_s[k], spin = pack->now->spins_rad_per_s[k];
        Vec3 normal = vec3_make(pack->normal[0][k], pack->normal[1][k], pack->normal[2][k]);
        Vec3 sliding = vec3_make(pack->now->sliding_m_per_s[0][k], pack->now->sliding_m_per_s[1][k],
                                 pack->now->sliding_m_per_s[2][k]);
        Vec3 w = vec3_make(pack->now->spin_rad_per_s[0][k], pack->now->spin_rad_per_s[1][k],
                           pack->now->spin_rad_per_s[2][k]);
        Vec3 lever = vec3_make(pack->now->lever_m[0][k], pack->now->lever_m[1][k], pack->now->lever_m[2][k]);
        Vec3 force = vec3_add_scaled(vec3_scale(normal, force_N), sliding, -drag);
        Vec3 rolling = vec3_scale(w, -resistance), torque = vec3_add(vec3_cross(lever, force), rolling);
        pack->now->loss_W[k] = pack->now->loss_W[k] + (drag * slip * slip + resistance * spin * spin);
        pack->now->force_N[0][k] = force.x;
        pack->now->force_N[1][k] = force.y;
        pack->now->force_N[2][k] = force.z;
        pack->now->torque_N_m[0][k] = rolling.x;
        pack->now->torque_N_m[1][k] = rolling.y;
        pack->now->torque_N_m[2][k] = rolling.z;
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
        real weight = pack->h[k] * share;
        pack->impulse_N_s[0][k] = real_fma(pack->now->force_N[0][k], weight, pack->impulse_N_s[0][k]);
        pack->impulse_N_s[1][k] = real_fma(pack->now->force_N[1][k], weight, pack->impulse_N_s[1][k]);
        pack->impulse_N_s[2][k] = real_fma(pack->now->force_N[2][k], weight, pack->impulse_N_s[2][k]);
        pack->loss_J[k] = real_fma(pack->now->loss_W[k], weight, pack->loss_J[k]);
    }
}

#endif // PACK > 1

#endif
