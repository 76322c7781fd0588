// The change of a contact's forces with the state of its bodies, by central differences, against contact_change.
#ifndef CLACK_TESTS_CONTACT_DIFFERENCES_H
#define CLACK_TESTS_CONTACT_DIFFERENCES_H

#include "kernel_scene.h"

#include <random>

inline double uniform(std::mt19937_64 &engine, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
}

inline Vec3 random_vector(std::mt19937_64 &engine, double size) {
    return vec3_make(uniform(engine, -size, size), uniform(engine, -size, size), uniform(engine, -size, size));
}

inline Quat random_turn(std::mt19937_64 &engine) {
    return quat_normalize(
        quat_make(uniform(engine, -1, 1), uniform(engine, -1, 1), uniform(engine, -1, 1), uniform(engine, -1, 1)));
}

// Relative motion at the contact: along the normal, and how fast against v_small and w_small.
struct Regime {
    const char *name;
    double opening, slip, spin;
};
const Regime REGIMES[] = {{"sliding", -0.3, 2.0, 3.0},
                          {"regularised", 0.1, 4e-3, 4e-3},
                          {"no slip", -0.1, 0.0, 0.0},
                          {"clamped", 3.0, 0.5, 0.5}};

inline void set_pose(SceneBody &body, Vec3 x, Quat q) {
    const double position[] = {x.x, x.y, x.z}, turn[] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 3; k++) body.position_m[k] = position[k];
    for (int k = 0; k < 4; k++) body.rotation.value[k] = turn[k];
    body.rotation.kind = ROTATION_QUATERNION;
}

// Set velocities so that the relative motion at the contact is that of the regime.
inline void set_motion(KernelScene &k, uint32_t index, const Regime &regime, std::mt19937_64 &engine) {
    contact_evaluate(&k.view, &k.contacts[index]);
    const Contact &c = k.contacts[index];
    const Vec3 n = c.now.normal;
    const Vec3 t = vec3_normalize(vec3_cross(n, random_vector(engine, 1)));
    Vec3 w = vec3_zero(), v = vec3_zero();
    if (!(k.batch.bodies[0].flags & BODY_FIXED)) {
        w = random_vector(engine, 3);
        v = random_vector(engine, 1);
    }
    if (k.batch.bodies[1].flags & BODY_FIXED) w = v = vec3_zero();
    const Vec3 centres = vec3_sub(k.states[1].position_m, k.states[0].position_m);
    const Vec3 lever_a = vec3_add(c.now.lever_b_m, centres);
    const Vec3 relative = vec3_add(vec3_scale(n, regime.opening), vec3_scale(t, regime.slip));
    const Vec3 spin = vec3_scale(vec3_normalize(random_vector(engine, 1)), regime.spin);
    const bool b_moves = !(k.batch.bodies[1].flags & BODY_FIXED);
    Vec3 wa = w, wb = vec3_add(w, spin), va = v, vb;
    if (b_moves) {
        vb = vec3_sub(vec3_add(vec3_add(va, vec3_cross(wa, lever_a)), relative), vec3_cross(wb, c.now.lever_b_m));
    } else {
        wa = vec3_negate(spin);
        wb = vb = vec3_zero();
        va = vec3_sub(vec3_negate(relative), vec3_cross(wa, lever_a));
    }
    k.states[0].velocity_m_per_s = va;
    k.states[1].velocity_m_per_s = vb;
    k.states[0].spin_rad_per_s = spin_from_world(k.batch.bodies[0].flags, k.states[0].orientation, wa);
    k.states[1].spin_rad_per_s = spin_from_world(k.batch.bodies[1].flags, k.states[1].orientation, wb);
    for (int b = 0; b < 2; b++) k.works[size_t(b)].step.trial = k.states[size_t(b)];
    contact_evaluate(&k.view, &k.contacts[index]);
}

inline BodyChange direction(int k) {
    BodyChange change = jacobian_body_unchanged();
    const Vec3 unit = vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    (k < 3 ? change.shift_m : k < 6 ? change.turn : k < 9 ? change.velocity_m_per_s : change.spin_rad_per_s) = unit;
    return change;
}

inline BodyState changed(BodyState s, uint32_t flags, const BodyChange &change, double by) {
    const Vec3 w = spin_to_world(flags, s.orientation, s.spin_rad_per_s);
    s.position_m = vec3_add_scaled(s.position_m, change.shift_m, by);
    s.orientation = quat_normalize(quat_multiply(quat_exp(vec3_scale(change.turn, by)), s.orientation));
    s.velocity_m_per_s = vec3_add_scaled(s.velocity_m_per_s, change.velocity_m_per_s, by);
    s.spin_rad_per_s = spin_from_world(flags, s.orientation, vec3_add_scaled(w, change.spin_rad_per_s, by));
    return s;
}

struct Forces {
    double values[10];
};
template <typename T> Forces forces_of(const T &c) {
    return {{c.force_N.x, c.force_N.y, c.force_N.z, c.torque_a_N_m.x, c.torque_a_N_m.y, c.torque_a_N_m.z,
             c.torque_b_N_m.x, c.torque_b_N_m.y, c.torque_b_N_m.z, c.loss_W}};
}
inline Forces forces_of(const Contact &c) { return forces_of(c.now); }
inline Forces forces(KernelScene &k, uint32_t index) {
    contact_evaluate(&k.view, &k.contacts[index]);
    return forces_of(k.contacts[index]);
}

// The same as the columns of an implicit step have it, which tell no loss. group: 0: shift, 1: turn, 2: velocity, 3:
// spin.
inline Forces forces_of_columns(const ContactJacobian &s, int group, uint32_t is_b, uint32_t axis) {
    const ColumnVec unit = column_vec_of(mat3_identity(), axis), none = column_vec_zero(),
                    back = column_vec_negate(unit);
    ColumnVec at = is_b != 0 ? unit : back;
    if (group == 3) at = is_b != 0 ? column_vec_crossed(unit, s.lever_b_m) : column_vec_cross(s.lever_a_m, unit);
    ColumnChange c;
    if (group == 0)
        columns_apart(&s, &unit, &c);
    else if (group == 1)
        columns_turned(&s, is_b, &unit, &none, &c);
    else
        columns_motion(&s, &at, group == 3 ? (is_b != 0 ? &unit : &back) : &none, &c);
    const ColumnVec a = columns_torque(&s, 0, &c), b = columns_torque(&s, 1, &c);
    Forces told{{c.force_N.x, c.force_N.y, c.force_N.z, a.x, a.y, a.z, b.x, b.y, b.z, 0}};
    if (group == 0 && is_b == 0)
        for (double &value : told.values) value = -value;
    return told;
}

struct Difference {
    double worst; // largest, relative to the largest derivative of force, torque or loss for that kind of change
    bool is_kink; // the differences to both sides are not each other's
};

// step: of poses; small against the depth of 0.2 mm and levers of 1 mm.
inline Difference worst_difference(KernelScene &k, uint32_t index, double step = 1e-8) {
    k.view.placed = nullptr; // fixed bodies are moved here, too
    k.contacts[index].corner.whose = CORNER_NOT;
    k.contacts[index].corner.order = FAST_CORNER_NOT;
    contact_derive(&k.view, &k.contacts[index]);
    const bool turns = k.contacts[index].step.jacobian.depends_on_attitude != 0;
    Difference found{0, false};
    const Forces at = forces(k, index);
    for (int group = 0; group < 4; group++) { // shift, turn, velocity, spin
        double scale[3] = {0, 0, 0}, error[3] = {0, 0, 0}, second[3] = {0, 0, 0};
        for (int i = 0; i < 6; i++) {
            const size_t body = size_t(i / 3);
            if (!turns && group == 1 && k.batch.bodies[body].flags & BODY_FIXED)
                continue; // a plane under a ball never turns
            const BodyChange d = direction(3 * group + i % 3), none = jacobian_body_unchanged();
            const ContactChange c =
                contact_change(&k.contacts[index].step.jacobian, body == 0 ? &d : &none, body == 0 ? &none : &d);
            const Forces analytic = forces_of(c);
            const bool is_column = turns || group != 1;
            Forces column =
                is_column ? forces_of_columns(k.contacts[index].step.jacobian, group, i / 3, i % 3) : analytic;
            column.values[9] = analytic.values[9];
            const double by = group < 2 ? step : 1e-6; // of velocities: against v_small and w_small of 0.01
            k.works[body].step.trial = changed(k.states[body], k.batch.bodies[body].flags, d, by);
            const Forces plus = forces(k, index);
            k.works[body].step.trial = changed(k.states[body], k.batch.bodies[body].flags, d, -by);
            const Forces minus = forces(k, index);
            k.works[body].step.trial = k.states[body];
            for (int q = 0; q < 10; q++) {
                const int part = q < 3 ? 0 : q < 9 ? 1 : 2;
                const double measured = (plus.values[q] - minus.values[q]) / (2 * by);
                const double curved = (plus.values[q] + minus.values[q] - 2 * at.values[q]) / (2 * by);
                scale[part] = std::max(scale[part], std::abs(measured));
                second[part] = std::max(second[part], std::abs(curved));
                for (const Forces &told : {analytic, column})
                    error[part] = std::max(error[part], std::abs(measured - told.values[q]));
            }
        }
        for (int part = 0; part < 3; part++) {
            if (!(scale[part] > 0)) continue;
            found.worst = std::max(found.worst, error[part] / scale[part]);
            found.is_kink |= second[part] > 1e-2 * scale[part];
        }
    }
    return found;
}

#endif
