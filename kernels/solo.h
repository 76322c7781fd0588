// Stages of the explicit method for a contact whose bodies touch nothing else: a ball against another, a plane or a fixed
// solid that it meets in closed form. They are taken in private memory. The arithmetic is that of substep.h, bit for bit.
#ifndef CLACK_SOLO_H
#define CLACK_SOLO_H

#include "motion.h"

// One of the two bodies.
typedef struct SoloBody {
    u32 body;
    u32 moves;
    real inverse_mass;
    Vec3 inverse_inertia;
    BodyState start;
    Vec3 position_m, velocity_m_per_s, spin_rad_per_s; // at the present stage
    Vec3 velocities[STAGES], spins[STAGES];            // rates of the stages
    Vec3 accelerations[STAGES], spin_rates[STAGES];
} SoloBody;

typedef struct Solo {
    GLOBAL Contact *contact;
    SoloBody a, b;
    GLOBAL const Shape *shape_a, *shape_b;
    u32 plane_is_b, plane_is_a; // else, where neither
    u32 core_is_b, core_is_a;   // is a solid either, both are balls
    real ball_a_m, ball_b_m;
    PlacedShape placed;         // of the plane or the solid
    NarrowOptions options;
    LawConstants constants;
    ContactLaw law;
    Vec3 gravity_m_per_s2;
    Meeting meeting; // at the end of the step
    LawForce force;
    Vec3 impulse_N_s; // that the step hands over
    real loss_J;
} Solo;

/// A body at the start of a step, whose rates are known.
FN void solo_load_body(const SceneView *view, u32 b, SoloBody *solo) {
    BodyRate rate = view->works[b].rates[0];
    solo->body = b;
    solo->moves = body_moves(view, b);
    solo->inverse_mass = view->bodies[b].inverse_mass;
    solo->inverse_inertia = view->bodies[b].inverse_inertia;
    solo->start = view->states[b];
    solo->position_m = solo->start.position_m;
    solo->velocity_m_per_s = solo->start.velocity_m_per_s;
    solo->spin_rad_per_s = solo->start.spin_rad_per_s;
    solo->velocities[0] = rate.velocity;
    solo->spins[0] = vec3_make(rate.turning.x, rate.turning.y, rate.turning.z);
    solo->accelerations[0] = rate.acceleration;
    solo->spin_rates[0] = rate.spin_rate;
}

FN void solo_load(const SceneView *view, GLOBAL Contact *contact, Solo *solo) {
    GLOBAL const Shape *a = &view->shapes[contact->shape_a];
    GLOBAL const Shape *b = &view->shapes[contact->shape_b];
    solo->contact = contact;
    solo_load_body(view, a->body, &solo->a);
    solo_load_body(view, b->body, &solo->b);
    solo->shape_a = a;
    solo->shape_b = b;
    solo->plane_is_a = kind_is(a->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    solo->plane_is_b = kind_is(b->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    u32 is_balls = contact_is_of_balls(view, a, b);
    solo->core_is_a = is_balls || view->bodies[b->body].flags & BODY_FIXED ? 0u : 1u;
    solo->core_is_b = is_balls || solo->core_is_a ? 0u : 1u;
    solo->options = contact_narrow_options(view, contact->shape_a, contact->shape_b);
    solo->ball_a_m = shape_ball_radius(a);
    solo->ball_b_m = shape_ball_radius(b);
    u32 fixed = solo->plane_is_a | solo->core_is_a ? contact->shape_a : contact->shape_b;
    solo->placed = contact_place(view, fixed, &view->states[view->shapes[fixed].body]);
    solo->constants = contact_constants(contact);
    solo->law = view->laws[contact->law];
    solo->gravity_m_per_s2 = scene_gravity(view, vec3_zero());
}

/// The state at a stage is the start moved by h times a blend of the rates before: motion_blend and motion_move.
FN void solo_move(SoloBody *body, u32 stage, real h) {
    Vec3 velocity = vec3_zero(), acceleration = velocity, spin_rate = velocity;
    u32 columns = u32_min(stage, TABLEAU_COLUMNS);
    for (u32 j = 0; j < columns; j++) {
        real weight = TSIT5[stage][j];
        velocity = vec3_add_scaled(velocity, body->velocities[j], weight);
        acceleration = vec3_add_scaled(acceleration, body->accelerations[j], weight);
        spin_rate = vec3_add_scaled(spin_rate, body->spin_rates[j], weight);
    }
    body->position_m = vec3_add_scaled(body->start.position_m, velocity, h);
    body->velocity_m_per_s = vec3_add_scaled(body->start.velocity_m_per_s, acceleration, h);
    body->spin_rad_per_s = vec3_add_scaled(body->start.spin_rad_per_s, spin_rate, h);
}

FN void solo_rate(const Solo *solo, SoloBody *body, u32 stage, Vec3 force_N, Vec3 torque_N_m) {
    body->velocities[stage] = body->velocity_m_per_s;
    body->spins[stage] = body->spin_rad_per_s;
    body->accelerations[stage] = vec3_add_scaled(solo->gravity_m_per_s2, force_N, body->inverse_mass);
    body->spin_rates[stage] = vec3_multiply(torque_N_m, body->inverse_inertia);
}

FN_SHORT Meeting solo_meet(const Solo *solo) {
    const SoloBody *a = &solo->a, *b = &solo->b;
    Vec3 centres = vec3_sub(b->position_m, a->position_m);
    Meeting meeting;
    if (solo->plane_is_b)
        meeting = contact_meet_plane(solo->ball_a_m, solo->placed, centres);
    else if (solo->plane_is_a)
        meeting = contact_meet_swapped(contact_meet_plane(solo->ball_b_m, solo->placed, vec3_negate(centres)));
    else if (solo->core_is_a | solo->core_is_b)
        meeting = contact_meet_core(solo->shape_a, solo->shape_b, solo->placed, solo->core_is_a, centres, &solo->options);
    else
        meeting = contact_meet_balls(solo->ball_a_m, solo->ball_b_m, centres);
    return contact_meet_moving(meeting, a->velocity_m_per_s, a->spin_rad_per_s, b->velocity_m_per_s, b->spin_rad_per_s);
}

/// The contact at a stage, what it hands over there, and the rates of both bodies.
FN void solo_evaluate(const SceneView *view, Solo *solo, u32 stage, real h) {
    Meeting meeting = solo_meet(solo);
    LawForce force = law_force(solo->constants, solo->law, -meeting.gap_m, meeting.normal, meeting.velocity_m_per_s,
                               meeting.spin_rad_per_s, view->scene->flags);
    if (solo->a.moves) {
        Vec3 torque = vec3_negate(vec3_add(vec3_cross(meeting.lever_a_m, force.force_N), force.torque_N_m));
        solo_rate(solo, &solo->a, stage, vec3_sub(vec3_zero(), force.force_N), torque);
    }
    if (solo->b.moves) {
        Vec3 torque = vec3_add(vec3_cross(meeting.lever_b_m, force.force_N), force.torque_N_m);
        solo_rate(solo, &solo->b, stage, force.force_N, torque);
    }
    if (stage == STAGES - 1) {
        solo->meeting = meeting;
        solo->force = force;
        return;
    }
    real weight = h * TSIT5[STAGES - 1][stage];
    solo->impulse_N_s = vec3_add_scaled(solo->impulse_N_s, force.force_N, weight);
    solo->loss_J = real_fma(force.loss_W, weight, solo->loss_J);
}

/// All stages of a step of h.
FN void solo_try(const SceneView *view, Solo *solo, real h) {
    solo->impulse_N_s = vec3_scale(solo->contact->start_force_N, h * TSIT5[STAGES - 1][0]);
    solo->loss_J = solo->contact->start_loss_W * (h * TSIT5[STAGES - 1][0]);
    for (u32 stage = 1; stage < STAGES; stage++) {
        if (solo->a.moves) solo_move(&solo->a, stage, h);
        if (solo->b.moves) solo_move(&solo->b, stage, h);
        solo_evaluate(view, solo, stage, h);
    }
}

/// The trial state and the end's rates of a ball.
FN void solo_store_trial(const SceneView *view, const SoloBody *body, real h) {
    GLOBAL BodyWork *work = &view->works[body->body];
    u32 last = STAGES - 1;
    Vec3 turned = vec3_zero();
    for (u32 j = 0; j < TABLEAU_COLUMNS; j++) turned = vec3_add_scaled(turned, body->spins[j], TSIT5[last][j]);
    BodyState end;
    end.position_m = body->position_m;
    end.velocity_m_per_s = body->velocity_m_per_s;
    end.spin_rad_per_s = body->spin_rad_per_s;
    end.orientation = motion_turn_ball(body->start.orientation, vec3_scale(turned, h), body->start.spin_rad_per_s,
                                       body->spin_rad_per_s, h);
    work->trial = end;
    BodyRate rate;
    rate.velocity = body->velocities[last];
    rate.turning = quat_make(0.0, body->spins[last].x, body->spins[last].y, body->spins[last].z);
    rate.acceleration = body->accelerations[last];
    rate.spin_rate = body->spin_rates[last];
    work->rates[last] = rate;
}

/// The rates of the stages between, for those who want the error of a step.
FN void solo_store_rates(const SceneView *view, const SoloBody *body) {
    for (u32 stage = 1; stage + 1 < STAGES; stage++) {
        GLOBAL BodyRate *rate = &view->works[body->body].rates[stage];
        rate->velocity = body->velocities[stage];
        rate->acceleration = body->accelerations[stage];
        rate->spin_rate = body->spin_rates[stage];
    }
}

/// The two bodies of a contact through a step of h: what substep_touch does for the others.
FN_ONCE void solo_touch(const SceneView *view, GLOBAL Contact *contact, real h) {
    Solo solo;
    solo_load(view, contact, &solo);
    solo_try(view, &solo, h);
    if (solo.a.moves) solo_store_trial(view, &solo.a, h);
    if (solo.b.moves) solo_store_trial(view, &solo.b, h);
    if (solo.a.moves) solo_store_rates(view, &solo.a);
    if (solo.b.moves) solo_store_rates(view, &solo.b);
    contact_keep(contact, solo.meeting, solo.force);
    contact->step_impulse_N_s = solo.impulse_N_s;
    contact->step_loss_J = solo.loss_J;
}

#endif
