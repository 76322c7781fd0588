// Implicit steps of balls, each alone on a plane that does not move at all, four of them side by side: the arithmetic
// is that of ball_contact_implicit.h, bit for bit, but for what is nothing there, since the plane neither moves nor
// feels anything. Told from the ball: signs are turned round where it is A of its contact.
#ifndef CLACK_FAST_SOLO_WIDE_H
#define CLACK_FAST_SOLO_WIDE_H

#include "base/wide4.h"
#include "geometry/shape.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_force.h"
#include "law/contact_law.h"
#include "integrate/motion.h"
#include "integrate/rodas.h"
#include "fast/ball_contact_implicit.h"

#if HAS_FOURS

typedef struct WideRate { // as SoloRate
    FourVec velocity, acceleration, spin_rate, spin;
} WideRate;

typedef struct WideState {
    FourVec position_m, velocity_m_per_s, spin_rad_per_s;
} WideState;

// Where the balls touch at the present stage, and what that does to them.
typedef struct WideTouch {
    FourVec lever_m, lever_plane_m,
        offset_m;             // from the ball and from the plane's body; of the plane's origin from the ball
    FourVec velocity_m_per_s; // of the ball
    FourVec force_N;
    Four gap_m, along_m_per_s, slip_m_per_s, normal_N, loss_W;
} WideTouch;

typedef struct SoloWide {
    u32 count, ball_is_a; // balls; 1: they are A of their contacts
    GLOBAL Contact *contacts[FOUR];
    u32 bodies[FOUR];
    FourVec down, up, arm_m,
        plane_m; // from the ball to the plane; the other way; as in PlacedShape; of the plane's body
    Four linear_m_per_s, fastest_m_per_s; // as in SoloPack
    Four ball_m, stiffness, damping, friction, speed_small_m_per_s, inverse_mass;
    FourVec inverse_inertia, gravity_m_per_s2;
    WideState start, at;
    WideRate first, rates[RODAS_STAGES], now; // at the start; U_1 .. U_6; at the present stage
    WideTouch touch;
    FourVec start_force_N, impulse_N_s, turned; // on the ball
    Four start_loss_W, loss_J;
} SoloWide;

// How they answer at the start, as SoloSlopes.
typedef struct WideSlopes {
    FourVec lever_m, by_way[3], by_velocity[3], twist[3], loss_way, loss_velocity;
    Four way_of_force;
} WideSlopes;

FN_SHORT FourVec wide_by(const FourVec *columns, FourVec by) {
    return four_vec_add_scaled(four_vec_add_scaled(four_vec_scale(columns[0], by.x), columns[1], by.y), columns[2],
                               by.z);
}

/// Is a contact one of those?
FN_SHORT u32 wide_takes(const SceneView *view, GLOBAL const Contact *contact) {
    if (contact->solo != SOLO_ALWAYS || !rodas_is_implicit(view, contact)) return 0;
    u32 plane_is_a = kind_is(view->shapes[contact->shape_a].kind, SHAPE_HALF_SPACE);
    if (!plane_is_a && !kind_is(view->shapes[contact->shape_b].kind, SHAPE_HALF_SPACE)) return 0;
    return contact_stands(view, plane_is_a ? contact->body_a : contact->body_b);
}

/// May it be beside those that have been taken? All balls are A of their contacts, or all B.
FN_SHORT u32 wide_fits(const SceneView *view, const SoloWide *wide, GLOBAL const Contact *contact) {
    u32 ball_is_a = kind_is(view->shapes[contact->shape_b].kind, SHAPE_HALF_SPACE);
    return wide->count == 0 || ball_is_a == wide->ball_is_a ? 1u : 0u;
}

/// One more of them.
FN_SHORT void wide_take(const SceneView *view, SoloWide *wide, GLOBAL Contact *contact) {
    u32 ball_is_a = kind_is(view->shapes[contact->shape_b].kind, SHAPE_HALF_SPACE);
    wide->ball_is_a = ball_is_a;
    wide->bodies[wide->count] = ball_is_a ? contact->body_a : contact->body_b;
    wide->contacts[wide->count++] = contact;
}

/// Those that have been taken, from the present; the first one once more where they are less than four.
FN_ONCE void wide_load(const SceneView *view, SoloWide *wide) {
    GLOBAL const Contact *contacts[FOUR];
    GLOBAL const BodyState *states[FOUR], *planes[FOUR];
    GLOBAL const Body *bodies[FOUR];
    GLOBAL const BodyRate *rates[FOUR];
    GLOBAL const ContactLaw *laws[FOUR];
    GLOBAL const PlacedShape *placed[FOUR];
    real balls[FOUR];
    for (u32 k = 0; k < FOUR; k++) {
        u32 of = k < wide->count ? k : 0u, b = wide->bodies[of], is_a = wide->ball_is_a;
        contacts[k] = wide->contacts[of];
        states[k] = &view->states[b];
        bodies[k] = &view->bodies[b];
        rates[k] = &view->works[b].rates[0];
        laws[k] = &view->laws[contacts[k]->law];
        planes[k] = &view->states[is_a ? contacts[k]->body_b : contacts[k]->body_a];
        placed[k] = &view->placed[is_a ? contacts[k]->shape_b : contacts[k]->shape_a];
        balls[k] = shape_ball_radius(&view->shapes[is_a ? contacts[k]->shape_a : contacts[k]->shape_b]);
    }
    wide->start.position_m = FOUR_VEC_OF(states, position_m);
    wide->start.velocity_m_per_s = FOUR_VEC_OF(states, velocity_m_per_s);
    wide->start.spin_rad_per_s = FOUR_VEC_OF(states, spin_rad_per_s);
    wide->at = wide->start;
    wide->first.velocity = FOUR_VEC_OF(rates, velocity);
    wide->first.acceleration = FOUR_VEC_OF(rates, acceleration);
    wide->first.spin_rate = FOUR_VEC_OF(rates, spin_rate);
    wide->first.spin = FOUR_VEC_OF(rates, turning);
    wide->plane_m = FOUR_VEC_OF(planes, position_m);
    wide->arm_m = FOUR_VEC_OF(placed, arm_m);
    wide->up = four_vec(FOUR_OF(placed, turn.x.z), FOUR_OF(placed, turn.y.z), FOUR_OF(placed, turn.z.z));
    wide->down = four_vec_negate(wide->up);
    wide->ball_m = _mm256_loadu_pd(balls);
    wide->stiffness = FOUR_OF(contacts, stiffness);
    wide->damping = FOUR_OF(contacts, damping_s_per_m);
    wide->linear_m_per_s = FOUR_OF(contacts, linear_m_per_s);
    wide->fastest_m_per_s = four_zero();
    wide->friction = FOUR_OF(laws, friction);
    wide->speed_small_m_per_s = FOUR_OF(laws, speed_small_m_per_s);
    wide->inverse_mass = FOUR_OF(bodies, inverse_mass);
    wide->inverse_inertia = FOUR_VEC_OF(bodies, inverse_inertia);
    wide->gravity_m_per_s2 = four_vec_all(scene_gravity(view, vec3_zero()));
    wide->start_force_N = FOUR_VEC_OF(contacts, start_force_N);
    if (wide->ball_is_a) wide->start_force_N = four_vec_negate(wide->start_force_N);
    wide->start_loss_W = FOUR_OF(contacts, start_loss_W);
}

/// Where the balls touch their planes.
FN_SHORT void wide_meet(const SoloWide *wide, WideTouch *touch) {
    FourVec centres = four_vec_sub(wide->plane_m, wide->at.position_m), offset = four_vec_add(centres, wide->arm_m);
    Four height = four_sub(four_zero(), four_vec_dot(offset, wide->up));
    touch->offset_m = offset;
    touch->gap_m = four_sub(height, wide->ball_m);
    touch->lever_m = four_vec_scale(wide->down, four_times(four_all(0.5), four_add(wide->ball_m, height)));
    touch->lever_plane_m = four_vec_sub(touch->lever_m, centres);
    touch->velocity_m_per_s =
        four_vec_add(wide->at.velocity_m_per_s, four_vec_cross(wide->at.spin_rad_per_s, touch->lever_m));
    touch->along_m_per_s = four_vec_dot(touch->velocity_m_per_s, wide->up);
}

/// law_regularised
FN_SHORT Four wide_regularised(Four x, Four small) {
    Four below = four_times(four_over(four_times(x, x), small),
                            four_sub(four_all(1.0), four_over(x, four_times(four_all(3.0), small))));
    return four_if(four_less(x, small), four_add(below, four_over(small, four_all(3.0))), x);
}

/// law_force, without rolling resistance.
FN_SHORT void wide_force(SoloWide *wide, WideTouch *touch) {
    Four along = touch->along_m_per_s, zero = four_zero(), depth = four_max(four_minus(touch->gap_m), zero);
    wide->fastest_m_per_s = four_max(wide->fastest_m_per_s, four_minus(along));
    FourVec sliding = four_vec_add_scaled(touch->velocity_m_per_s, wide->up, four_minus(along));
    Four elastic = four_times(four_times(wide->stiffness, depth), four_root(four_abs(depth)));
    Four slip = four_vec_length(sliding),
         force = four_times(elastic, four_sub(four_all(1.0), four_times(wide->damping, along)));
    Four loss = four_times(four_times(four_times(elastic, wide->damping), along), along),
         pulls = four_less(force, zero);
    loss = four_if(pulls, four_times(elastic, along), loss);
    force = four_if(pulls, zero, force);
    Four friction = four_over(four_times(wide->friction, force), wide_regularised(slip, wide->speed_small_m_per_s));
    friction = four_where(four_less(zero, slip), friction);
    touch->force_N = four_vec_add_scaled(four_vec_scale(wide->up, force), sliding, four_minus(friction));
    touch->loss_W = four_add(loss, four_times(four_times(friction, slip), slip));
    touch->normal_N = force;
    touch->slip_m_per_s = slip;
}

/// The contacts at the present stage, and the rates of the balls there.
FN_SHORT void wide_evaluate(SoloWide *wide) {
    WideTouch *touch = &wide->touch;
    wide_meet(wide, touch);
    wide_force(wide, touch);
    wide->now.velocity = wide->at.velocity_m_per_s;
    wide->now.spin = wide->at.spin_rad_per_s;
    wide->now.acceleration = four_vec_add_scaled(wide->gravity_m_per_s2, touch->force_N, wide->inverse_mass);
    wide->now.spin_rate = four_vec_multiply(four_vec_cross(touch->lever_m, touch->force_N), wide->inverse_inertia);
}

// As LawSlopes, and the slip.
typedef struct WideLaw {
    Four along, push, drag, loss_push, loss_drag, friction, friction_per_N, friction_bend, slip_square;
    FourVec sliding;
} WideLaw;

/// law_slopes
FN_SHORT WideLaw wide_law_slopes(const SoloWide *wide, const WideTouch *touch) {
    WideLaw s;
    Four along = touch->along_m_per_s, zero = four_zero(), one = four_all(1.0), small = wide->speed_small_m_per_s;
    Four depth = four_max(four_minus(touch->gap_m), zero), root = four_root(depth);
    Four elastic = four_times(four_times(wide->stiffness, depth), root);
    Four stiff = four_times(four_times(four_all(1.5), wide->stiffness), root),
         open = four_sub(one, four_times(wide->damping, along));
    Four is_cut = four_less(open, zero);
    Four normal_N = four_if(is_cut, zero, four_times(elastic, open));
    s.along = along;
    s.push = four_if(is_cut, zero, four_times(stiff, open));
    s.drag = four_if(is_cut, zero, four_times(elastic, wide->damping));
    s.loss_push = four_if(is_cut, four_times(stiff, along),
                          four_times(four_times(four_times(stiff, wide->damping), along), along));
    s.loss_drag = four_if(is_cut, elastic, four_times(four_times(four_all(2.0), s.drag), along));
    s.sliding = four_vec_add_scaled(touch->velocity_m_per_s, wide->up, four_minus(along));
    s.slip_square = four_vec_dot(s.sliding, s.sliding);
    Four slip = four_root(s.slip_square), divisor = wide_regularised(slip, small);
    Four bend = four_if(four_less(slip, small), four_over(four_sub(four_all(2.0), four_over(slip, small)), small),
                        four_over(one, slip));
    s.friction_per_N = four_over(wide->friction, divisor);
    s.friction = four_times(s.friction_per_N, normal_N);
    s.friction_bend = four_times(four_over(s.friction, divisor), bend);
    return s;
}

/// ball_change of the ball, whose plane does not turn. Returns the change of the force on it; loss: of that.
FN_SHORT FourVec wide_change(const SoloWide *wide, const WideLaw *s, Four d_gap, FourVec d_v, Four *loss) {
    Four d_along = four_vec_dot(d_v, wide->up);
    Four d_force = four_sub(four_sub(four_zero(), four_times(s->push, d_gap)), four_times(s->drag, d_along));
    FourVec d_sliding = four_vec_add_scaled(d_v, wide->up, four_sub(four_zero(), d_along));
    Four slides = four_vec_dot(s->sliding, d_sliding);
    FourVec force =
        four_vec_add_scaled(four_vec_scale(wide->up, d_force), d_sliding, four_sub(four_zero(), s->friction));
    *loss = four_sub(four_times(s->loss_drag, d_along), four_times(s->loss_push, d_gap));
    *loss = four_add(*loss, four_times(four_times(s->friction_per_N, s->slip_square), d_force));
    Four rubs = four_sub(four_times(four_all(2.0), s->friction), four_times(s->slip_square, s->friction_bend));
    *loss = four_add(*loss, four_times(rubs, slides));
    Four drags = four_sub(four_times(s->friction_bend, slides), four_times(s->friction_per_N, d_force));
    return four_vec_add_scaled(force, s->sliding, drags);
}

/// ball_divide
FN_SHORT void wide_divide(const FourVec *columns, FourVec *others) {
    FourVec yz = four_vec_cross(columns[1], columns[2]), zx = four_vec_cross(columns[2], columns[0]);
    FourVec xy = four_vec_cross(columns[0], columns[1]);
    Four inverse = four_over(four_all(1.0), four_vec_dot(columns[0], yz));
    yz = four_vec_scale(yz, inverse);
    zx = four_vec_scale(zx, inverse);
    xy = four_vec_scale(xy, inverse);
    for (u32 k = 0; k < 3; k++)
        others[k] = four_vec(four_vec_dot(yz, others[k]), four_vec_dot(zx, others[k]), four_vec_dot(xy, others[k]));
}

/// How the point of the contact moves from the centre of the ball with a way of that along axis k.
FN_SHORT FourVec wide_point(const SoloWide *wide, u32 k) {
    Four half = four_times(four_all(0.5), four_vec_component(wide->up, k));
    FourVec unit = four_vec_all(vec3_unit(k));
    if (wide->ball_is_a) return four_vec_negate(four_vec_scale(wide->up, half));
    half = four_times(four_all(-0.5), four_vec_component(wide->up, k));
    return four_vec_sub(four_vec_add_scaled(unit, wide->up, half), unit);
}

/// ball_take_touch
FN_SHORT void wide_take_touch(const SoloWide *wide, const WideTouch *at, WideSlopes *slopes) {
    WideLaw law = wide_law_slopes(wide, at);
    Four losses[3];
    slopes->lever_m = at->lever_m;
    for (u32 k = 0; k < 3; k++)
        slopes->by_velocity[k] = wide_change(wide, &law, four_zero(), four_vec_all(vec3_unit(k)), &losses[k]);
    slopes->loss_velocity = four_vec(losses[0], losses[1], losses[2]);
    for (u32 k = 0; k < 3; k++) {
        FourVec point = wide_point(wide, k), d_v = four_vec_cross(wide->at.spin_rad_per_s, point);
        slopes->by_way[k] = wide_change(wide, &law, four_vec_component(wide->up, k), d_v, &losses[k]);
        slopes->twist[k] = four_vec_cross(point, wide->start_force_N);
    }
    slopes->loss_way = four_vec(losses[0], losses[1], losses[2]);
}

/// ball_take_slopes
FN_APART void wide_take_slopes(const SoloWide *wide, real s, WideSlopes *slopes) {
    WideTouch at;
    wide_meet(wide, &at);
    wide_take_touch(wide, &at, slopes);
    Four per_s = four_all(1.0 / s), inverse = wide->inverse_inertia.x, mass = wide->inverse_mass;
    Four swings = four_times(inverse, four_vec_dot(at.lever_m, at.lever_m)), turns = four_times(inverse, per_s);
    FourVec system[3];
    slopes->way_of_force = four_times(four_times(mass, per_s), per_s);
    for (u32 k = 0; k < 3; k++) {
        FourVec swung = four_vec_scale(four_vec_cross(slopes->twist[k], at.lever_m), turns),
                unit = four_vec_all(vec3_unit(k));
        slopes->by_way[k] = four_vec_add(slopes->by_way[k], wide_by(slopes->by_velocity, swung));
        Four turned = four_sub(four_zero(), four_times(swings, four_vec_component(wide->up, k)));
        FourVec given = four_vec_add_scaled(four_vec_scale(unit, four_add(mass, swings)), wide->up, turned);
        FourVec kept = four_vec_add_scaled(unit, slopes->by_way[k], four_sub(four_zero(), slopes->way_of_force));
        system[k] = four_vec_sub(kept, wide_by(slopes->by_velocity, four_vec_scale(given, per_s)));
    }
    wide_divide(system, slopes->by_way);
    wide_divide(system, slopes->by_velocity);
}

/// ball_solve: U_i from right-hand sides.
FN_SHORT void wide_solve(SoloWide *wide, const WideSlopes *slopes, const WideRate *sides, u32 i, Four per_s,
                         Four weight) {
    FourVec velocity = four_vec_scale(sides->acceleration, per_s);
    FourVec way = four_vec_scale(four_vec_add(sides->velocity, velocity), per_s);
    velocity = four_vec_add_scaled(velocity, four_vec_cross(sides->spin_rate, slopes->lever_m), per_s);
    FourVec force = four_vec_add(wide_by(slopes->by_way, way), wide_by(slopes->by_velocity, velocity));
    way = four_vec_add_scaled(way, force, slopes->way_of_force);
    FourVec torque = four_vec_add(wide_by(slopes->twist, way), four_vec_cross(slopes->lever_m, force));
    WideRate *u = &wide->rates[i - 1u];
    u->acceleration = four_vec_scale(four_vec_add_scaled(sides->acceleration, force, wide->inverse_mass), per_s);
    u->velocity = four_vec_scale(four_vec_add(sides->velocity, u->acceleration), per_s);
    u->spin_rate = four_vec_scale(four_vec_add_scaled(sides->spin_rate, torque, wide->inverse_inertia.x), per_s);
    u->spin = four_vec_scale(four_vec_add(sides->spin, u->spin_rate), per_s);
    velocity = four_vec_add(u->acceleration, four_vec_cross(u->spin_rate, slopes->lever_m));
    wide->impulse_N_s = four_vec_add_scaled(wide->impulse_N_s, force, weight);
    Four loss = four_add(four_vec_dot(slopes->loss_way, way), four_vec_dot(slopes->loss_velocity, velocity));
    wide->loss_J = four_fma(loss, weight, wide->loss_J);
}

/// Sum of `count` rates weighted by a row of a tableau: ball_blend.
FN_SHORT WideRate wide_blend(const WideRate *rates, CONSTANT_POINTER const real *row, u32 count) {
    WideRate sum;
    Four weight = four_all(row[0]);
    sum.velocity = four_vec_scale(rates->velocity, weight);
    sum.acceleration = four_vec_scale(rates->acceleration, weight);
    sum.spin_rate = four_vec_scale(rates->spin_rate, weight);
    sum.spin = four_vec_scale(rates->spin, weight);
    for (u32 j = 1; j < count; j++) {
        rates++;
        weight = four_all(row[j]);
        sum.velocity = four_vec_add_scaled(sum.velocity, rates->velocity, weight);
        sum.acceleration = four_vec_add_scaled(sum.acceleration, rates->acceleration, weight);
        sum.spin_rate = four_vec_add_scaled(sum.spin_rate, rates->spin_rate, weight);
        sum.spin = four_vec_add_scaled(sum.spin, rates->spin, weight);
    }
    return sum;
}

/// The states at a stage, from what has been summed up to there.
FN_SHORT void wide_move(SoloWide *wide, const WideRate *sum) {
    wide->at.position_m = four_vec_add(wide->start.position_m, sum->velocity);
    wide->at.velocity_m_per_s = four_vec_add(wide->start.velocity_m_per_s, sum->acceleration);
    wide->at.spin_rad_per_s = four_vec_add(wide->start.spin_rad_per_s, sum->spin_rate);
}

/// solo_sides
FN_SHORT WideRate wide_sides(const SoloWide *wide, const WideRate *mixed, Four per_h) {
    WideRate sides;
    sides.velocity = four_vec_add_scaled(wide->now.velocity, mixed->velocity, per_h);
    sides.acceleration = four_vec_add_scaled(wide->now.acceleration, mixed->acceleration, per_h);
    sides.spin_rate = four_vec_add_scaled(wide->now.spin_rate, mixed->spin_rate, per_h);
    sides.spin = four_vec_add_scaled(wide->now.spin, mixed->spin, per_h);
    return sides;
}

#define WIDE_SAME 4u // from this row of RODAS_A on each is the one before and one more U

/// ball_try_implicitly
FN_APART void wide_try(SoloWide *wide, real h, real solved_h) {
    real s = 1.0 / (RODAS_GAMMA * solved_h);
    Four per_s = four_all(1.0 / s), per_h = four_all(1.0 / solved_h);
    WideSlopes slopes;
    WideRate sides = wide->first, sum;
    wide_take_slopes(wide, s, &slopes);
    wide->impulse_N_s = four_vec_scale(wide->start_force_N, four_all(h * RODAS_W[0]));
    wide->loss_J = four_times(wide->start_loss_W, four_all(h * RODAS_W[0]));
    for (u32 i = 1; i <= RODAS_STAGES; i++) {
        wide_solve(wide, &slopes, &sides, i, per_s, four_all(h * RODAS_W[i - 1u]));
        sum = i <= WIDE_SAME ? wide_blend(wide->rates, RODAS_A[i], i) : sum;
        if (i > WIDE_SAME) {
            const WideRate *u = &wide->rates[i - 1u];
            sum.velocity = four_vec_add(sum.velocity, u->velocity);
            sum.acceleration = four_vec_add(sum.acceleration, u->acceleration);
            sum.spin_rate = four_vec_add(sum.spin_rate, u->spin_rate);
            sum.spin = four_vec_add(sum.spin, u->spin);
        }
        wide_move(wide, &sum);
        if (i == RODAS_STAGES) break;
        WideRate mixed = wide_blend(wide->rates, RODAS_C[i], i);
        wide_evaluate(wide);
        Four weight = four_all(h * RODAS_W[i]);
        wide->impulse_N_s = four_vec_add_scaled(wide->impulse_N_s, wide->touch.force_N, weight);
        wide->loss_J = four_fma(wide->touch.loss_W, weight, wide->loss_J);
        sides = wide_sides(wide, &mixed, per_h);
    }
    wide->turned = sum.spin;
    wide_evaluate(wide);
}

/// The trial state of one of the balls, its rates there, and the error as ball_keep_error has it.
FN_SHORT void wide_store_ball(const SceneView *view, const SoloWide *wide, u32 k, real h) {
    u32 b = wide->bodies[k];
    GLOBAL BodyWork *work = &view->works[b];
    GLOBAL const BodyState *start = &view->states[b];
    GLOBAL BodyRate *last = &work->rates[STAGES - 1], *error = &work->rates[1];
    const WideRate *failed = &wide->rates[RODAS_STAGES - 1u];
    Vec3 spin = four_vec_one(&wide->at.spin_rad_per_s, k), velocity = four_vec_one(&wide->at.velocity_m_per_s, k);
    work->trial.position_m = four_vec_one(&wide->at.position_m, k);
    work->trial.velocity_m_per_s = velocity;
    work->trial.spin_rad_per_s = spin;
    work->trial.orientation =
        motion_turn_ball(start->orientation, four_vec_one(&wide->turned, k), start->spin_rad_per_s, spin, h);
    last->velocity = velocity;
    last->turning = quat_make(0.0, spin.x, spin.y, spin.z);
    last->acceleration = four_vec_one(&wide->now.acceleration, k);
    last->spin_rate = four_vec_one(&wide->now.spin_rate, k);
    error->velocity = four_vec_one(&failed->velocity, k);
    error->acceleration = four_vec_one(&failed->acceleration, k);
    error->spin_rate = four_vec_one(&failed->spin_rate, k);
}

/// The end of the step of one of the contacts.
FN_SHORT void wide_store_contact(const SoloWide *wide, u32 k) {
    GLOBAL Contact *contact = wide->contacts[k];
    const WideTouch *touch = &wide->touch;
    u32 is_a = wide->ball_is_a;
    Vec3 lever = four_vec_one(&touch->lever_m, k), other = four_vec_one(&touch->lever_plane_m, k);
    Vec3 down = four_vec_one(&wide->down, k), velocity = four_vec_one(&touch->velocity_m_per_s, k);
    Vec3 spin = four_vec_one(&wide->at.spin_rad_per_s, k), given = four_vec_one(&wide->impulse_N_s, k);
    Vec3 offset = four_vec_one(&touch->offset_m, k), force_N = four_vec_one(&touch->force_N, k);
    PairKinematics kinematics;
    LawForce force;
    kinematics.status = NARROW_OK;
    kinematics.normal = is_a ? down : vec3_negate(down);
    kinematics.lever_a_m = is_a ? lever : other;
    kinematics.lever_b_m = is_a ? other : lever;
    kinematics.gap_m = four_one(touch->gap_m, k);
    kinematics.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + four_one(wide->ball_m, k));
    kinematics.velocity_m_per_s = is_a ? vec3_negate(velocity) : velocity;
    kinematics.spin_rad_per_s = is_a ? vec3_negate(spin) : spin;
    kinematics.rate_m_per_s = vec3_dot(kinematics.normal, kinematics.velocity_m_per_s);
    force.force_N = is_a ? vec3_negate(force_N) : force_N;
    force.torque_N_m = vec3_scale(kinematics.spin_rad_per_s, -0.0);
    force.closing_m_per_s = -four_one(touch->along_m_per_s, k);
    force.slip_m_per_s = four_one(touch->slip_m_per_s, k);
    force.normal_N = four_one(touch->normal_N, k);
    force.loss_W = four_one(touch->loss_W, k);
    contact_keep(contact, kinematics, force);
    contact->step_impulse_N_s = is_a ? vec3_negate(given) : given;
    contact->step_loss_J = four_one(wide->loss_J, k);
}

/// Those that have been taken through a step of h, as ball_touch; then there are none.
FN_ONCE void wide_touch(const SceneView *view, SoloWide *wide, real h, real solved_h) {
    if (wide->count == 0) return;
    wide_load(view, wide);
    wide_try(wide, h, solved_h);
    for (u32 k = 0; k < wide->count; k++) {
        if (four_one(wide->fastest_m_per_s, k) > four_one(wide->linear_m_per_s, k)) {
            ball_touch(view, wide->contacts[k], h, solved_h);
            continue;
        }
        wide_store_ball(view, wide, k, h);
        wide_store_contact(wide, k);
    }
    wide->count = 0;
}

#endif // HAS_FOURS

#endif
