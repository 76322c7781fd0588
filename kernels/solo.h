// Steps of a contact that has the scene, or the group that is stepped, for itself: one ball against another or a plane,
// by the explicit method. All stages are taken in private memory. The arithmetic is that of substep.h, bit for bit; where
// anything but a plain step comes, an event, a peak, an implicit step, it is left to the passes of advance.cl, from the
// same start.
#ifndef CLACK_SOLO_H
#define CLACK_SOLO_H

#include "observe.h"
#include "step_plan.h"

#define SOLO_STEPS_MAX 256u // of one pass

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
    GLOBAL Candidate *candidate;
    SoloBody a, b;
    u32 plane_is_b, plane_is_a; // else both are balls
    real ball_a_m, ball_b_m;
    PlacedShape plane;
    LawConstants constants;
    ContactLaw law;
    Vec3 gravity_m_per_s2;
    Meeting meeting; // of the present stage
    LawForce force;
    Vec3 impulse_N_s; // that the step hands over
    real loss_J;
} Solo;

FN SoloBody solo_body(const SceneView *view, u32 b) {
    SoloBody solo;
    solo.body = b;
    solo.moves = body_moves(view, b);
    solo.inverse_mass = view->bodies[b].inverse_mass;
    solo.inverse_inertia = view->bodies[b].inverse_inertia;
    solo.start = view->states[b];
    solo.position_m = solo.start.position_m;
    solo.velocity_m_per_s = solo.start.velocity_m_per_s;
    solo.spin_rad_per_s = solo.start.spin_rad_per_s;
    return solo;
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

FN void solo_evaluate(const SceneView *view, Solo *solo) {
    SoloBody *a = &solo->a, *b = &solo->b;
    Vec3 centres = vec3_sub(b->position_m, a->position_m);
    Meeting meeting;
    if (solo->plane_is_b)
        meeting = contact_meet_plane(solo->ball_a_m, solo->plane, centres);
    else if (solo->plane_is_a)
        meeting = contact_meet_swapped(contact_meet_plane(solo->ball_b_m, solo->plane, vec3_negate(centres)));
    else
        meeting = contact_meet_balls(solo->ball_a_m, solo->ball_b_m, centres);
    meeting = contact_meet_moving(meeting, a->velocity_m_per_s, a->spin_rad_per_s, b->velocity_m_per_s, b->spin_rad_per_s);
    solo->meeting = meeting;
    solo->force = law_force(solo->constants, solo->law, -meeting.gap_m, meeting.normal, meeting.velocity_m_per_s,
                            meeting.spin_rad_per_s, view->scene->flags);
}

/// Rates of both bodies from the present evaluation.
FN void solo_rates(Solo *solo, u32 stage) {
    Vec3 force = solo->force.force_N;
    Vec3 torque_a = vec3_negate(vec3_add(vec3_cross(solo->meeting.lever_a_m, force), solo->force.torque_N_m));
    Vec3 torque_b = vec3_add(vec3_cross(solo->meeting.lever_b_m, force), solo->force.torque_N_m);
    if (solo->a.moves)
        solo_rate(solo, &solo->a, stage, vec3_sub(vec3_zero(), force), vec3_add(vec3_zero(), torque_a));
    if (solo->b.moves)
        solo_rate(solo, &solo->b, stage, vec3_add(vec3_zero(), force), vec3_add(vec3_zero(), torque_b));
}

/// All stages of a step of h.
FN void solo_try(const SceneView *view, Solo *solo, real h) {
    solo->impulse_N_s = vec3_scale(solo->contact->start_force_N, h * TSIT5[STAGES - 1][0]);
    solo->loss_J = solo->contact->start_loss_W * (h * TSIT5[STAGES - 1][0]);
    for (u32 stage = 1; stage < STAGES; stage++) {
        if (solo->a.moves) solo_move(&solo->a, stage, h);
        if (solo->b.moves) solo_move(&solo->b, stage, h);
        solo_evaluate(view, solo);
        solo_rates(solo, stage);
        if (stage == STAGES - 1) continue;
        real weight = h * TSIT5[STAGES - 1][stage];
        solo->impulse_N_s = vec3_add_scaled(solo->impulse_N_s, solo->force.force_N, weight);
        solo->loss_J = real_fma(solo->force.loss_W, weight, solo->loss_J);
    }
}

/// What a ball adds to the errors of the step: as substep_error. Returns the allowed share that it takes.
FN real solo_error(const SceneView *view, const SoloBody *body, real h, real floor_m_per_s, real *velocity_error) {
    Vec3 velocity = vec3_zero(), acceleration = velocity, spin_rate = velocity;
    for (u32 j = 0; j < STAGES; j++) {
        real weight = TSIT5_ERROR[j];
        velocity = vec3_add_scaled(velocity, body->velocities[j], weight);
        acceleration = vec3_add_scaled(acceleration, body->accelerations[j], weight);
        spin_rate = vec3_add_scaled(spin_rate, body->spin_rates[j], weight);
    }
    SubstepError error;
    error.velocity = h * vec3_max_abs(acceleration);
    error.position = vec3_max_abs(velocity);
    error.spin = h * vec3_max_abs(spin_rate);
    return substep_error_share(view, body->body, error, view->scene->tolerance, floor_m_per_s,
                               vec3_length(body->velocity_m_per_s), vec3_length(body->spin_rad_per_s), velocity_error);
}

/// Is there nobody else whom the bodies of a contact may meet soon? How far they may go together until then, m; < 0: no.
FN real solo_clearance(const SceneView *view, GLOBAL const Candidate *own) {
    real least = REAL_HUGE;
    EACH_LIVE(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        u32 a = view->shapes[candidate->shape_a].body, b = view->shapes[candidate->shape_b].body;
        if (candidate == own || !(body_moves(view, a) | body_moves(view, b))) continue;
        if (candidate->contact != NONE) return -1.0;
        Vec3 centres = vec3_sub(view->states[b].position_m, view->states[a].position_m);
        real turned = view->works[a].turned_m + view->works[b].turned_m;
        real rounding = body_rounding(view, a, 1.0) + body_rounding(view, b, 1.0);
        least = real_min(least, vec3_dot(candidate->away, centres) + candidate->clear_m - turned - rounding);
    }
    return least;
}

/// Does something watch what only the passes of advance.cl see?
FN u32 solo_is_watched(const SceneView *view) {
    for (u32 w = 0; w < view->scene->watch_count; w++) {
        if (view->watches[w].observable >= WATCH_PENETRATION) return 1;
    }
    return 0;
}

/// Is the only contact that is awake one of balls, and does nothing else move?
FN u32 solo_is_alone(const SceneView *view) {
    u32 flags = SCENE_COMPAT_MODIA3D | SCENE_RK4 | SCENE_POINT_GRAVITY | SCENE_OBSERVERS;
    if (view->slot->awake_count != 1 || view->slot->moving_count > 2 || view->scene->flags & flags) return 0;
    GLOBAL const Contact *contact = &view->contacts[view->awake[0]];
    u32 a = contact->body_a, b = contact->body_b;
    if (body_moves(view, a) + body_moves(view, b) != view->slot->moving_count) return 0;
    if (!(view->bodies[a].flags & (BODY_BALL | BODY_FIXED)) || !(view->bodies[b].flags & (BODY_BALL | BODY_FIXED))) return 0;
    if (!contact_is_of_balls(view, &view->shapes[contact->shape_a], &view->shapes[contact->shape_b])) return 0;
    return law_has_spring(view->laws[contact->law]) || solo_is_watched(view) ? 0u : 1u;
}

FN void solo_load_rates(const SceneView *view, SoloBody *body) {
    BodyRate rate = view->works[body->body].rates[0];
    body->velocities[0] = rate.velocity;
    body->spins[0] = vec3_make(rate.turning.x, rate.turning.y, rate.turning.z);
    body->accelerations[0] = rate.acceleration;
    body->spin_rates[0] = rate.spin_rate;
}

FN Solo solo_make(const SceneView *view, GLOBAL Candidate *candidate) {
    Solo solo;
    solo.candidate = candidate;
    solo.contact = &view->contacts[candidate->contact];
    GLOBAL const Shape *a = &view->shapes[candidate->shape_a];
    GLOBAL const Shape *b = &view->shapes[candidate->shape_b];
    solo.a = solo_body(view, a->body);
    solo.b = solo_body(view, b->body);
    solo.plane_is_a = a->kind == SHAPE_HALF_SPACE ? 1u : 0u;
    solo.plane_is_b = b->kind == SHAPE_HALF_SPACE ? 1u : 0u;
    solo.ball_a_m = shape_ball_radius(a);
    solo.ball_b_m = shape_ball_radius(b);
    u32 plane = solo.plane_is_a ? candidate->shape_a : candidate->shape_b;
    solo.plane = contact_place(view, plane, &view->states[view->shapes[plane].body]);
    solo.constants = contact_constants(solo.contact);
    solo.law = view->laws[solo.contact->law];
    solo.gravity_m_per_s2 = scene_gravity(view, vec3_zero());
    if (solo.a.moves) solo_load_rates(view, &solo.a);
    if (solo.b.moves) solo_load_rates(view, &solo.b);
    return solo;
}

/// Does the step just tried end as it should, with nothing to be located within?
FN u32 solo_is_plain(const Solo *solo, u32 slot) {
    real gap = solo->meeting.gap_m, rate = solo->meeting.rate_m_per_s;
    if (!(gap < 0.0) || solo->meeting.status != NARROW_OK) return 0;
    real rate0 = solo->candidate->rate_m_per_s[slot];
    if (rate0 * rate < 0.0) return 0; // a peak, or nearly an end
    real sum = solo->force.normal_N + vec3_max_abs(solo->a.spin_rad_per_s) + vec3_max_abs(solo->b.spin_rad_per_s);
    return real_is_finite(sum);
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

FN void solo_accept_body(const SceneView *view, SoloBody *body) {
    GLOBAL BodyWork *work = &view->works[body->body];
    u32 last = STAGES - 1;
    body->start = work->trial;
    view->states[body->body] = body->start;
    work->fresh = 0;
    work->rates[0] = work->rates[last];
    body->velocities[0] = body->velocities[last];
    body->spins[0] = body->spins[last];
    body->accelerations[0] = body->accelerations[last];
    body->spin_rates[0] = body->spin_rates[last];
}

/// The step just tried, whose trial states are stored, is taken: as advance_accept.
FN void solo_accept(const SceneView *view, Progress *progress, Solo *solo, real h) {
    u32 slot = progress->gap_slot, end = (slot + 1) % GAP_SLOTS;
    solo->candidate->gap_m[end] = solo->meeting.gap_m;
    solo->candidate->rate_m_per_s[end] = solo->meeting.rate_m_per_s;
    observe_step(view, progress, slot, end, h);
    broad_add_travel(view, h);
    if (solo->a.moves) solo_accept_body(view, &solo->a);
    if (solo->b.moves) solo_accept_body(view, &solo->b);
    GLOBAL Contact *contact = solo->contact;
    contact_keep(contact, solo->meeting, solo->force);
    contact->impulse_N_s = vec3_add(contact->impulse_N_s, solo->impulse_N_s);
    contact->loss_J += solo->loss_J;
    contact->start_force_N = contact->force_N;
    contact->start_loss_W = contact->loss_W;
    progress->dissipated_J += solo->loss_J;
    // The others, which nobody looks at, are not known at this slot; so it stays that of the present.
    solo->candidate->gap_m[slot] = solo->meeting.gap_m;
    solo->candidate->rate_m_per_s[slot] = solo->meeting.rate_m_per_s;
    progress->offset_s += h;
    progress->substeps++;
    progress->step_substeps++;
}

/// The next step of a contact that is alone: how long, and tried. Returns 0 where it is none of those taken here.
FN u32 solo_step(const SceneView *view, Progress *progress, Solo *solo, real h_max, real *out_h) {
    StepPlan plan = plan_step(view, progress);
    if (plan.controlled) return 0;
    real h = real_min(plan.h, h_max);
    if (h < h_max && 2.0 * h > h_max) h = 0.5 * h_max;
    *out_h = h;
    if (broad_outgrown(view, h, 0)) return 0;
    solo_try(view, solo, h);
    progress->evaluations += STAGES - 1;
    progress->forces += STAGES - 1;
    if (!solo_is_plain(solo, progress->gap_slot)) return 0;
    if (solo->a.moves) solo_store_trial(view, &solo->a, h);
    if (solo->b.moves) solo_store_trial(view, &solo->b, h);
    return broad_outgrown(view, h, 1) ? 0u : 1u;
}

/// Steps up to `stop`, as long as they are plain. Returns 1 where it has come there. Rates are known.
FN u32 solo_run(const SceneView *view, Progress *progress, real stop) {
    if (!solo_is_alone(view)) return 0;
    GLOBAL Candidate *own = 0;
    EACH_LIVE(i) {
        if (view->candidates[i].contact == view->awake[0]) own = &view->candidates[i];
    }
    if (own == 0) return 0;
    real clearance = solo_clearance(view, own);
    if (!(clearance > 0.0)) return 0;
    Solo solo = solo_make(view, own);
    EACH_LIVE(i) {
        if (&view->candidates[i] != own) view->candidates[i].gap_m[progress->gap_slot] = GAP_UNKNOWN;
    }
    MOVING_LOOP(b) view->works[b].implicit = 0;
    for (u32 steps = 0; steps < SOLO_STEPS_MAX; steps++) {
        real h_max = stop - progress->offset_s, longest = plan_longest_step(view), h;
        u32 to_stop = longest < h_max ? 0u : 1u;
        if (!to_stop) h_max = longest;
        if (!solo_step(view, progress, &solo, h_max, &h)) return 0;
        real way = 0.0;
        EACH_MOVING(b) way += broad_path_tried(view, b, h);
        clearance -= way;
        if (!(clearance > 0.0)) return 0;
        real velocity_error = 0.0;
        if (solo.a.moves) (void)solo_error(view, &solo.a, h, 0.0, &velocity_error);
        if (solo.b.moves) (void)solo_error(view, &solo.b, h, 0.0, &velocity_error);
        progress->error_sum_m_per_s += velocity_error;
        solo_accept(view, progress, &solo, h);
        if (h < h_max || !to_stop) continue;
        progress->offset_s = stop; // the grid exactly, not the sum of steps
        return 1;
    }
    return 0;
}

#endif
