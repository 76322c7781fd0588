// Explicit tries of solids whose contacts are all corners on planes that do not move (corners.h), of several scenes side by
// side: each operation of a stage is one of a vector, a number of each scene. Bit for bit what corners_try does of each.
#ifndef CLACK_CORNERS_SCENES_H
#define CLACK_CORNERS_SCENES_H

#include "substep.h"

#if PACK > 1

#define CORNER_STATES (sizeof(BodyState) / sizeof(real)) // numbers of a state, and of a rate
#define CORNER_NUMBERS (CORNER_STATES * CORNER_LANES)
#define CORNERS_SHARED CORNER_LANES // corners that a solid has at most

// Rates, in the order of states.
typedef struct CornerRates {
    CornerNumber velocity[3], acceleration[3], turning[4], spin_rate[3];
} CornerRates;

typedef struct CornerScenes {
    u32 most, rolls;           // corners of the solid that has most of them; has any of them resistance against rolling?
    CornerNumber h[CORNER_STATES]; // the same beside each number of a state
    CornerNumber count;        // corners of each; 0: nobody is there
    CornerNumber gravity_m_per_s2[3], inverse_mass, inertia_kg_m2[3], inverse_inertia[3];
    CornerSolids start, at;    // at the start, of which there is but the state, and at the present stage
    CornerNumber force_N[3], torque_N_m[3];
    CornerRates rates[STAGES], error; // error: what the embedded method has more of the mean rates
    CornerPack packs[CORNERS_SHARED]; // the first corner of each, the second of each, ..
} CornerScenes;

/// May the step that a scene wants be tried here? So that nothing but flights is beside it.
FN u32 corners_may_share(const SceneView *view) {
    u32 count = view->slot->awake_count;
    if (!HAS(CONTENT_SOLIDS) || count == 0 || count > CORNERS_SHARED || view->scene->flags & SCENE_RK4) return 0;
    GLOBAL const Contact *first = &view->contacts[view->awake[0]];
    if (first->cornered != CORNERED_FIRST) return 0;
    GLOBAL const BodyWork *work = &view->works[corners_is_a(first) ? first->body_a : first->body_b];
    return work->contacts == count && !work->implicit ? 1u : 0u;
}

FN_SHORT void corner_put_quat(CornerNumber *to, size_t k, Quat q) {
    to[0][k] = q.w;
    to[1][k] = q.x;
    to[2][k] = q.y;
    to[3][k] = q.z;
}

FN_SHORT void corner_put_rate(CornerRates *rates, size_t k, GLOBAL const BodyRate *rate) {
    corner_put(rates->velocity, k, rate->velocity);
    corner_put(rates->acceleration, k, rate->acceleration);
    corner_put_quat(rates->turning, k, rate->turning);
    corner_put(rates->spin_rate, k, rate->spin_rate);
}

FN_SHORT BodyRate corner_get_rate(CornerRates *rates, size_t k) {
    BodyRate rate;
    rate.velocity = corner_get(rates->velocity, k);
    rate.acceleration = corner_get(rates->acceleration, k);
    rate.turning = quat_make(rates->turning[0][k], rates->turning[1][k], rates->turning[2][k], rates->turning[3][k]);
    rate.spin_rate = corner_get(rates->spin_rate, k);
    return rate;
}

/// A contact of the solid of scene k in a step of h: what corners_load and corners_pack make of it.
FN void corners_load_touch(const SceneView *view, GLOBAL const Contact *contact, CornerScenes *scenes, CornerPack *pack, u32 k, real h) {
    u32 is_a = corners_is_a(contact), plane = is_a ? contact->shape_b : contact->shape_a;
    GLOBAL const ContactLaw *law = &view->laws[contact->law];
    real weight = h * TSIT5[STAGES - 1][0];
    corner_put(pack->corner_m, k, contact->corner_m);
    corner_put(pack->plane_m, k, view->states[is_a ? contact->body_b : contact->body_a].position_m);
    corner_put(pack->arm_m, k, view->placed[plane].arm_m);
    corner_put(pack->up, k, narrow_axis_z(view->placed[plane].turn));
    pack->ball_m[k] = shape_ball_radius(&view->shapes[is_a ? contact->shape_a : contact->shape_b]);
    pack->stiffness[k] = contact->stiffness;
    pack->damping_s_per_m[k] = contact->damping_s_per_m;
    pack->friction[k] = law->friction;
    pack->speed_small_m_per_s[k] = law->speed_small_m_per_s;
    pack->rolling_m[k] = law->rolling * contact->radius_m;
    pack->spin_small_rad_per_s[k] = law->spin_small_rad_per_s;
    if (law->rolling > 0.0) scenes->rolls = 1;
    corner_put(pack->impulse_N_s, k, vec3_scale(contact->start_force_N, is_a ? 0.0 - weight : weight));
    pack->loss_J[k] = contact->start_loss_W * weight;
    pack->h[k] = h;
    pack->is_a[k] = is_a ? 1.0 : 0.0;
}

/// Nobody has been loaded.
FN void corners_load_none(CornerScenes *scenes) {
    scenes->most = scenes->rolls = 0;
    for (u32 k = 0; k < CORNER_LANES; k++) scenes->count[k] = 0.0;
}

/// The body whose contacts corners_may_share has found.
FN_SHORT u32 corners_shared_body(const SceneView *view) {
    GLOBAL const Contact *first = &view->contacts[view->awake[0]];
    return corners_is_a(first) ? first->body_a : first->body_b;
}

/// The step of h that scene k wants.
FN void corners_load_all(const SceneView *view, CornerScenes *scenes, u32 k, real h) {
    u32 count = 0, b = corners_shared_body(view);
    EACH_AWAKE(c) corners_load_touch(view, &view->contacts[c], scenes, &scenes->packs[count++], k, h);
    GLOBAL const Body *body = &view->bodies[b];
    GLOBAL const BodyState *state = &view->states[b];
    scenes->most = u32_max(scenes->most, count);
    scenes->count[k] = (real)count;
    scenes->h[0][k] = h;
    corner_put(scenes->gravity_m_per_s2, k, view->scene->gravity_m_per_s2);
    corner_put(scenes->inertia_kg_m2, k, body->inertia_kg_m2);
    corner_put(scenes->inverse_inertia, k, body->inverse_inertia);
    scenes->inverse_mass[k] = body->inverse_mass;
    corner_put(scenes->start.position_m, k, state->position_m);
    corner_put(scenes->start.velocity_m_per_s, k, state->velocity_m_per_s);
    corner_put_quat(scenes->start.orientation, k, state->orientation);
    corner_put(scenes->start.own_spin_rad_per_s, k, state->spin_rad_per_s);
    corner_put_rate(&scenes->rates[0], k, &view->works[b].rates[0]);
}

/// The length of each step beside each number of its state.
VECTOR_LOOPS_FN void corners_spread_all(CornerScenes *scenes) {
    CORNER_EACH(k) {
        real h = scenes->h[0][k];
        for (u32 i = 1; i < CORNER_STATES; i++) scenes->h[i][k] = h;
    }
}

/// The first `count` rates at one number, weighted by a row of a tableau.
#define CORNER_NEXT (sizeof(CornerRates) / sizeof(real)) // from a rate to that of the next stage
FN_SHORT real corner_blend(const real *rate, CONSTANT_POINTER const real *row, u32 count) {
    real sum = rate[0] * row[0];
    if (count > 1) sum = real_fma(rate[CORNER_NEXT], row[1], sum);
    if (count > 2) sum = real_fma(rate[2 * CORNER_NEXT], row[2], sum);
    if (count > 3) sum = real_fma(rate[3 * CORNER_NEXT], row[3], sum);
    if (count > 4) sum = real_fma(rate[4 * CORNER_NEXT], row[4], sum);
    if (count > 5) sum = real_fma(rate[5 * CORNER_NEXT], row[5], sum);
    if (count > 6) sum = real_fma(rate[6 * CORNER_NEXT], row[6], sum);
    return sum;
}

/// States at a stage, which is known as this is compiled: their numbers in one row.
FN_SHORT void corners_move_to(CornerScenes *scenes, u32 stage) {
    const real *rate = scenes->rates[0].velocity[0], *start = scenes->start.position_m[0], *h = scenes->h[0];
    real *at = scenes->at.position_m[0];
    PACK_LOOP for (size_t n = 0; n < CORNER_NUMBERS; n++) at[n] = real_fma(corner_blend(rate + n, TSIT5[stage], stage), h[n], start[n]);
}

VECTOR_LOOPS_FN void corners_move_1(CornerScenes *scenes) { corners_move_to(scenes, 1); }
VECTOR_LOOPS_FN void corners_move_2(CornerScenes *scenes) { corners_move_to(scenes, 2); }
VECTOR_LOOPS_FN void corners_move_3(CornerScenes *scenes) { corners_move_to(scenes, 3); }
VECTOR_LOOPS_FN void corners_move_4(CornerScenes *scenes) { corners_move_to(scenes, 4); }
VECTOR_LOOPS_FN void corners_move_5(CornerScenes *scenes) { corners_move_to(scenes, 5); }
VECTOR_LOOPS_FN void corners_move_6(CornerScenes *scenes) {
    corners_move_to(scenes, 6);
    CORNER_EACH(k) corner_put_quat(scenes->at.orientation, k, quat_normalize(corner_turn(&scenes->at, k)));
}

FN_SHORT void corners_move_all(CornerScenes *scenes, u32 stage) {
    if (stage == 1) corners_move_1(scenes);
    if (stage == 2) corners_move_2(scenes);
    if (stage == 3) corners_move_3(scenes);
    if (stage == 4) corners_move_4(scenes);
    if (stage == 5) corners_move_5(scenes);
    if (stage == 6) corners_move_6(scenes);
}

/// What corners ask of states, and no forces yet.
VECTOR_LOOPS_FN void corners_turn_all(CornerScenes *scenes) {
    CORNER_EACH(k) {
        Quat q = corner_turn(&scenes->at, k);
        corner_put(scenes->at.spin_rad_per_s, k, quat_rotate(q, corner_get(scenes->at.own_spin_rad_per_s, k)));
        scenes->at.turn_scale[k] = quat_turn_scale(q);
        corner_put(scenes->force_N, k, vec3_zero());
        corner_put(scenes->torque_N_m, k, vec3_zero());
    }
}

/// How fast they turn.
VECTOR_LOOPS_FN void corners_turning_all(CornerScenes *scenes) {
    CORNER_EACH(k) scenes->at.turning_rad_per_s[k] = vec3_length(corner_get(scenes->at.spin_rad_per_s, k));
}

/// The corners of one number at a stage: what they add to the forces of those that have one.
FN_SHORT void corners_stage_of(CornerScenes *scenes, CornerPack *pack, real number, real share, u32 rolls) {
    CORNER_EACH(k) {
        u32 is_there = scenes->count[k] > number;
        Vec3 force, torque, forces = corner_get(scenes->force_N, k), torques = corner_get(scenes->torque_N_m, k);
        corner_stage(pack, &scenes->at, k, share, rolls, &force, &torque);
        corner_put(scenes->force_N, k, corner_choose(is_there, vec3_add(forces, force), forces));
        corner_put(scenes->torque_N_m, k, corner_choose(is_there, vec3_add(torques, torque), torques));
    }
}
VECTOR_LOOPS_FN void corners_stage_all(CornerScenes *scenes, CornerPack *pack, real number, real share) {
    corners_stage_of(scenes, pack, number, share, 0);
}
VECTOR_LOOPS_FN void corners_stage_rolling(CornerScenes *scenes, CornerPack *pack, real number, real share) {
    corners_stage_of(scenes, pack, number, share, 1);
}

/// The same at the end of the step, where contacts have forces on B.
VECTOR_LOOPS_FN void corners_add_ends(CornerScenes *scenes, CornerPack *pack, real number) {
    CORNER_EACH(k) {
        u32 is_there = scenes->count[k] > number, is_a = pack->is_a[k] > 0.5;
        Vec3 forces = corner_get(scenes->force_N, k), by = corner_get(pack->force_N, k), torques = corner_get(scenes->torque_N_m, k);
        Vec3 torque = corner_choose(is_a, corner_get(pack->torque_a_N_m, k), corner_get(pack->torque_N_m, k));
        Vec3 force = corner_choose(is_a, vec3_sub(forces, by), vec3_add(forces, by));
        corner_put(scenes->force_N, k, corner_choose(is_there, force, forces));
        corner_put(scenes->torque_N_m, k, corner_choose(is_there, vec3_add(torques, torque), torques));
    }
}

/// Rates at the present stage: corners_rate.
VECTOR_LOOPS_FN void corners_rate_all(CornerScenes *scenes, CornerRates *rates) {
    CORNER_EACH(k) {
        Quat q = corner_turn(&scenes->at, k);
        Vec3 w = corner_get(scenes->at.own_spin_rad_per_s, k);
        Quat turning = quat_multiply(q, quat_make(0.0, w.x, w.y, w.z));
        Vec3 gravity = corner_get(scenes->gravity_m_per_s2, k), inertia = corner_get(scenes->inertia_kg_m2, k);
        Vec3 torque = quat_turn_by(quat_conjugate(q), scenes->at.turn_scale[k], corner_get(scenes->torque_N_m, k));
        corner_put(rates->velocity, k, corner_get(scenes->at.velocity_m_per_s, k));
        corner_put(rates->acceleration, k, vec3_add_scaled(gravity, corner_get(scenes->force_N, k), scenes->inverse_mass[k]));
        corner_put_quat(rates->turning, k, quat_make(0.5 * turning.w, 0.5 * turning.x, 0.5 * turning.y, 0.5 * turning.z));
        corner_put(rates->spin_rate, k, motion_spin_rate_of(inertia, corner_get(scenes->inverse_inertia, k), w, torque));
    }
}

VECTOR_LOOPS_FN void corners_error_all(CornerScenes *scenes) {
    const real *rate = scenes->rates[0].velocity[0];
    real *error = scenes->error.velocity[0];
    PACK_LOOP for (size_t n = 0; n < CORNER_NUMBERS; n++) error[n] = corner_blend(rate + n, TSIT5_ERROR, STAGES);
}

/// All stages of the steps that have been loaded: corners_try. What was in the places of those that were not does no harm.
FN void corners_try_all(CornerScenes *scenes) {
    corners_spread_all(scenes);
    for (u32 stage = 1; stage < STAGES; stage++) {
        u32 is_end = stage == STAGES - 1 ? 1u : 0u;
        corners_move_all(scenes, stage);
        corners_turn_all(scenes);
        if (scenes->rolls) corners_turning_all(scenes);
        for (u32 i = 0; i < scenes->most; i++) {
            CornerPack *pack = &scenes->packs[i];
            if (is_end) {
                corner_pack_end(pack, &scenes->at, scenes->rolls);
                corners_add_ends(scenes, pack, (real)i);
            } else if (scenes->rolls) {
                corners_stage_rolling(scenes, pack, (real)i, TSIT5[STAGES - 1][stage]);
            } else {
                corners_stage_all(scenes, pack, (real)i, TSIT5[STAGES - 1][stage]);
            }
        }
        corners_rate_all(scenes, &scenes->rates[stage]);
    }
    corners_error_all(scenes);
}

/// What has come of the step of scene k, and in place of its second rate its error.
FN void corners_store_all(const SceneView *view, Progress *progress, CornerScenes *scenes, u32 k, real h) {
    substep_fly(view, progress, h);
    u32 b = corners_shared_body(view), i = 0;
    GLOBAL BodyWork *work = &view->works[b];
    real spin = vec3_length(corner_get(scenes->at.spin_rad_per_s, k));
    EACH_AWAKE(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        CornerPack *pack = &scenes->packs[i++];
        Vec3 impulse = corner_get(pack->impulse_N_s, k);
        corner_pack_keep(pack, k, spin, contact);
        contact->step_impulse_N_s = corners_is_a(contact) ? vec3_negate(impulse) : impulse;
        contact->step_loss_J = pack->loss_J[k];
    }
    work->trial.position_m = corner_get(scenes->at.position_m, k);
    work->trial.velocity_m_per_s = corner_get(scenes->at.velocity_m_per_s, k);
    work->trial.orientation = corner_turn(&scenes->at, k);
    work->trial.spin_rad_per_s = corner_get(scenes->at.own_spin_rad_per_s, k);
    work->rates[STAGES - 1] = corner_get_rate(&scenes->rates[STAGES - 1], k);
    work->rates[1] = corner_get_rate(&scenes->error, k);
    progress->evaluations += STAGES - 1;
    progress->forces += view->slot->awake_count * (STAGES - 1);
}

#endif // PACK > 1

#endif
