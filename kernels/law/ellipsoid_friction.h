// Friction over an ellipsoid: of a slip across the normal and a spin about it together, and by direction,
//
//   (F_t/e_t)^2 + (F_o/e_o)^2 + (M_r/e_r)^2 <= (mu N)^2,   of all such forces that which dissipates most:
//   F_t = -mu N e_t s_t/|s|,  F_o = -mu N e_o s_o/|s|,  M_r = -mu N e_r s_r/|s|,   s = (e_t u_t, e_o u_o, e_r w)
//
// with the slip u and the spin w of B against A (Trinkle, Tzitzouris, Pang, Phil. Trans. A 359 (2001) 2575; of a disc's
// slip and spin together: Goyal, Ruina, Papadopoulos, Wear 143 (1991) 307). Contacts of quasi-rigid bodies solve for it
// (quasi_law.h). Here, a third law of friction beside the regularised one and Mindlin's springs, |s| of each component
// is regularised below e v_small, or below e_r w_small, as law_force.h regularises slips: with (1, 1, 0) it is that
// law.
#ifndef CLACK_LAW_ELLIPSOID_FRICTION_H
#define CLACK_LAW_ELLIPSOID_FRICTION_H

#include "base/lanes.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"
#include "pairs/pair_kinematics.h"

#define FRICTION_AXES 3u // two across the normal, and about it

#define FRICTION_ALONG_NORMAL 1.0e-12 // square of the sine within which an axis counts as along the normal

FN_SHORT u32 ellipsoid_is_of_law(MaterialPairLaw law) {
    return SCENE_ELLIPSOIDS != 0 && (law.flags & LAW_ELLIPSOID) ? 1u : 0u;
}

/// Is friction of a law another than that of law_force, whose coefficient is 0 then?
FN_SHORT u32 friction_has_own_law(MaterialPairLaw law) { return spring_is_of_law(law) | ellipsoid_is_of_law(law); }

/// The axes of friction across a normal: `axis`, in the world, as seen along the normal, and the one across it. Any two
/// where there is no axis, or where it is along the normal.
FN_SHORT void friction_axes(Vec3 normal, Vec3 axis, Vec3 *axes) {
    Vec3 across = vec3_add_scaled(axis, normal, 0.0 - vec3_dot(axis, normal));
    real square = vec3_dot(across, across);
    axes[0] = square > FRICTION_ALONG_NORMAL ? vec3_scale(across, 1.0 / real_sqrt(square)) : vec3_perpendicular(normal);
    axes[1] = vec3_cross(normal, axes[0]);
}

/// Is the body of this shape the one in whose frame the axis of a law is?
FN_SHORT u32 friction_axis_is_of(const SceneView *view, GLOBAL const EllipsoidLaw *law, u32 shape) {
    return law->has_axis && view->shapes[shape].material == law->axis_material ? 1u : 0u;
}

/// The axis of e_t in the world; 0: any. state_a, state_b: of the shapes' bodies.
FN_SHORT Vec3 friction_axis(const SceneView *view, GLOBAL const EllipsoidLaw *law, u32 shape_a, u32 shape_b,
                            GLOBAL const BodyState *state_a, GLOBAL const BodyState *state_b) {
    if (!law->has_axis) return vec3_zero();
    u32 is_of_a = friction_axis_is_of(view, law, shape_a);
    Quat turn = is_of_a ? state_a->orientation : state_b->orientation;
    Quat frame = view->bodies[view->shapes[is_of_a ? shape_a : shape_b].body].frame;
    return quat_rotate(quat_multiply(turn, frame), COPY(law->axis));
}

/// mu N over |s| of a component: over a small one it is finite. small: e v_small or e_r w_small.
FN_SHORT real ellipsoid_per_slip(real limit_N, real size, real small) {
    return small > 0.0 ? limit_N / law_regularised(size, small) : 0.0;
}

/// Friction joins the rest of a contact's force. axis: friction_axis.
FN_ONCE LawForce ellipsoid_add(LawForce force, GLOBAL const MaterialPairLaw *law, PairKinematics kinematics,
                               Vec3 axis) {
    EllipsoidLaw own = law->ellipsoid;
    Vec3 axes[2], n = kinematics.normal;
    friction_axes(n, axis, axes);
    real t = own.e[0] * vec3_dot(kinematics.velocity_m_per_s, axes[0]),
         o = own.e[1] * vec3_dot(kinematics.velocity_m_per_s, axes[1]),
         r = own.e[2] * vec3_dot(kinematics.spin_rad_per_s, n);
    real size = real_sqrt(real_fma(t, t, real_fma(o, o, r * r))), limit_N = law->friction * force.normal_N;
    real force_t = own.e[0] * t * ellipsoid_per_slip(limit_N, size, own.e[0] * law->speed_small_m_per_s),
         force_o = own.e[1] * o * ellipsoid_per_slip(limit_N, size, own.e[1] * law->speed_small_m_per_s),
         twist = r * ellipsoid_per_slip(limit_N, size, own.e[2] * law->spin_small_rad_per_s);
    force.friction_N = vec3_add_scaled(vec3_scale(axes[0], 0.0 - force_t), axes[1], 0.0 - force_o);
    force.force_N = vec3_add(force.force_N, force.friction_N);
    force.torque_N_m = vec3_add_scaled(force.torque_N_m, n, 0.0 - own.e[2] * twist);
    force.loss_W += r * twist - vec3_dot(force.friction_N, kinematics.velocity_m_per_s);
    return force;
}

/// Bound of the rate of its response to slips and spins, 1/s. spin_rad_per_s: about the normal.
FN_SHORT real ellipsoid_rate(MaterialPairLaw law, real normal_N, real slip_m_per_s, real spin_rad_per_s,
                             real inverse_mass, real inverse_inertia) {
    real most = real_max(law.ellipsoid.e[0], law.ellipsoid.e[1]),
         least = real_min(law.ellipsoid.e[0], law.ellipsoid.e[1]);
    real e_r = law.ellipsoid.e[2], t = least * slip_m_per_s, r = e_r * spin_rad_per_s,
         limit_N = law.friction * normal_N;
    real size = real_sqrt(real_fma(t, t, r * r));
    real across = most * most * ellipsoid_per_slip(limit_N, size, least * law.speed_small_m_per_s) * inverse_mass,
         about = e_r * e_r * ellipsoid_per_slip(limit_N, size, e_r * law.spin_small_rad_per_s) * inverse_inertia;
    return across + about;
}

#endif
