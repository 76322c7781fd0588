// Scenes with joints: random ones, and what they do by an integration that shares nothing with the kernels.
#ifndef CLACK_TESTS_JOINT_SCENES_H
#define CLACK_TESTS_JOINT_SCENES_H

#include <random>

#include "base/vec3.h"
#include "function_rows.h"

inline Vec3 vec(const double v[3]) { return vec3_make(v[0], v[1], v[2]); }

// Random scenes of balls, boxes and capsules, with springs between some of their bodies: off their centres, soft and
// stiff, damped and not, some to what is fixed, some at rest with a length of their own.
inline SceneBuilder random_joints(unsigned seed) {
    SceneBuilder b = random_scene(seed);
    std::mt19937_64 engine(seed + 4711);
    auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
    const uint32_t bodies = uint32_t(b.bodies.size());
    const unsigned wanted = 1 + seed % 3;
    for (unsigned k = 0, tries = 0; k < wanted && tries < 100; tries++) {
        const uint32_t one = uint32_t(engine() % bodies), other = uint32_t(engine() % bodies);
        if (one == other || (b.bodies[one].is_fixed && b.bodies[other].is_fixed)) continue;
        std::array<double, 3> at[2];
        for (size_t i = 0; i < 3; i++) {
            at[0][i] = b.bodies[one].position_m[i] + draw(-0.05, 0.05);
            at[1][i] = b.bodies[other].position_m[i] + draw(-0.05, 0.05);
        }
        const double stiffness = std::pow(10, draw(0, 5)), damping = seed % 2 ? std::pow(10, draw(-1, 4)) : 0;
        b.spring(one, other, at[0], at[1], stiffness, damping, k % 2 ? draw(0, 0.5) : -1);
        k++;
    }
    return b;
}

// A joint of a random mechanism: a rope, with limits, or with a motion, as its kind allows; or (0) left as it is.
template <typename Draw> void vary_joint(SceneBuilder &b, Draw draw, int how) {
    SceneJoint &j = b.joints.back();
    const bool has_path = j.kind == JOINT_REVOLUTE || j.kind == JOINT_PRISMATIC || j.kind == JOINT_CYLINDRICAL;
    if (how == 1 && j.kind == JOINT_DISTANCE) {
        const Vec3 apart = vec3_sub(vec(j.at_m[1]), vec(j.at_m[0]));
        j.is_rope = 1;
        j.rest_length_m = vec3_length(apart) * (1 + draw(0, 0.02));
    } else if (how == 1 && has_path) {
        j.has_limits = 1;
        j.limits[0] = draw(-0.03, 0);
        j.limits[1] = draw(0.001, 0.03);
    } else if (how == 2 && has_path) { // 0.1 (exp(sin(w t)) - 1)
        drive(b, {constant(draw(0, 0.1)), constant(draw(1, 30)), operation(FUNCTION_TIME), operation(FUNCTION_MULTIPLY),
                  operation(FUNCTION_SIN), operation(FUNCTION_EXP), constant(1), operation(FUNCTION_SUBTRACT),
                  operation(FUNCTION_MULTIPLY)});
    }
}

// Random mechanisms for METHOD_TRAPEZOIDAL: two to six bodies, each tied to one before it or to the world by a joint of
// any kind, some to a second one by a spring, some free; ropes, limits that are met, and motions over time.
inline SceneBuilder random_mechanism(unsigned seed) {
    SceneBuilder b;
    std::mt19937_64 engine(seed + 815);
    auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
    auto point = [&](double most) {
        return std::array<double, 3>{draw(-most, most), draw(-most, most), draw(-most, most)};
    };
    b.scene.method = METHOD_TRAPEZOIDAL;
    b.scene.step_s = seed % 2 ? 1e-3 : 2e-3;
    b.scene.end_s = 0.05;
    b.body("world", true, {0, 0, 0});
    const uint32_t bodies = 2 + seed % 5;
    for (uint32_t i = 1; i <= bodies; i++) {
        b.point_mass(point(0.5), draw(0.5, 3), {draw(0.02, 0.03), 0.04, 0.05});
        for (size_t k = 0; k < 3; k++) b.bodies.back().angular_velocity_rad_per_s[k] = draw(-2, 2);
        if (seed % 3 == 0 && i == bodies) continue; // flies
        const uint32_t kind = JOINT_FIXED + uint32_t(engine() % 7);
        b.constraint(kind, uint32_t(engine() % i), i, point(0.5), point(1), point(1));
        b.joints.back().length_rate_m_per_s = kind == JOINT_DISTANCE ? draw(-0.2, 0.2) : 0;
        b.joints.back().length_until_s = 0.0311;
        vary_joint(b, draw, int(engine() % 3));
        if (i > 1 && seed % 2) b.spring(0, i, point(0.5), point(0.5), draw(1, 1000), draw(0, 10));
    }
    return b;
}

// --- the integration ----------------------------------------------------------------------------------

struct ReferenceBody {
    double inverse_mass = 0;
    double inertia[3] = {}, inverse[3] = {};                // about the body's axes
    Vec3 x = vec3_zero(), v = vec3_zero(), l = vec3_zero(); // l: angular momentum, world
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};     // body to world
    double radius = 0;                                      // of a ball that a plane z = 0 carries; 0: none
};

struct ReferenceSpring {
    size_t a, b;
    Vec3 at_a, at_b; // in the bodies
    double stiffness, damping, rest;
};

inline Vec3 turn(const double r[3][3], Vec3 v) {
    return vec3_make(r[0][0] * v.x + r[0][1] * v.y + r[0][2] * v.z, r[1][0] * v.x + r[1][1] * v.y + r[1][2] * v.z,
                     r[2][0] * v.x + r[2][1] * v.y + r[2][2] * v.z);
}
inline Vec3 turn_back(const double r[3][3], Vec3 v) {
    return vec3_make(r[0][0] * v.x + r[1][0] * v.y + r[2][0] * v.z, r[0][1] * v.x + r[1][1] * v.y + r[2][1] * v.z,
                     r[0][2] * v.x + r[1][2] * v.y + r[2][2] * v.z);
}

// Rigid bodies by rotation matrices and angular momentum, all forces written anew, the classical Runge-Kutta method
// with small steps of one length.
struct Reference {
    std::vector<ReferenceBody> bodies;
    std::vector<ReferenceSpring> springs;
    Vec3 gravity = vec3_zero();
    double hertz = 0; // K of K d^1.5, without damping and friction

    /// From a scene of bodies without shapes, or balls, all with their frames along the world at the start.
    explicit Reference(const SceneBuilder &b) {
        gravity = vec(b.scene.gravity_m_per_s2);
        for (const SceneBody &in : b.bodies) {
            ReferenceBody body;
            body.x = vec(in.position_m);
            body.v = vec(in.velocity_m_per_s);
            const Vec3 w = vec(in.angular_velocity_rad_per_s);
            if (!in.is_fixed) {
                EXPECT_EQ(in.mass_kind, MASS_GIVEN);
                body.inverse_mass = 1 / in.mass_kg;
                for (int k = 0; k < 3; k++) body.inertia[k] = in.inertia_kg_m2[k];
                for (int k = 0; k < 3; k++) body.inverse[k] = 1 / in.inertia_kg_m2[k];
                body.l = vec3_make(body.inertia[0] * w.x, body.inertia[1] * w.y, body.inertia[2] * w.z);
            }
            if (in.shape_count > 0 && !in.is_fixed) body.radius = b.shapes[in.shape_first].size_m[0] / 2;
            bodies.push_back(body);
        }
        for (const SceneJoint &in : b.joints) {
            const Vec3 one = vec(in.at_m[0]), other = vec(in.at_m[1]);
            const double length = vec3_length(vec3_sub(other, one));
            springs.push_back({in.body_a, in.body_b, vec3_sub(one, bodies[in.body_a].x),
                               vec3_sub(other, bodies[in.body_b].x), in.stiffness_N_per_m, in.damping_N_s_per_m,
                               in.rest_length_m < 0 ? length : in.rest_length_m});
        }
    }

    Vec3 spin(const ReferenceBody &b) const {
        const Vec3 l = turn_back(b.r, b.l);
        return turn(b.r, vec3_make(b.inverse[0] * l.x, b.inverse[1] * l.y, b.inverse[2] * l.z));
    }

    // Rates in the place of states.
    std::vector<ReferenceBody> rates(const std::vector<ReferenceBody> &now) const {
        std::vector<ReferenceBody> out(now.size());
        for (size_t i = 0; i < now.size(); i++) {
            const ReferenceBody &b = now[i];
            const Vec3 w = spin(b);
            out[i].x = b.v;
            out[i].v = b.inverse_mass > 0 ? gravity : vec3_zero();
            for (int k = 0; k < 3; k++) {
                out[i].r[0][k] = w.y * b.r[2][k] - w.z * b.r[1][k];
                out[i].r[1][k] = w.z * b.r[0][k] - w.x * b.r[2][k];
                out[i].r[2][k] = w.x * b.r[1][k] - w.y * b.r[0][k];
            }
            const double depth = b.radius - b.x.z;
            if (b.radius > 0 && depth > 0) out[i].v.z += hertz * depth * std::sqrt(depth) * b.inverse_mass;
        }
        for (const ReferenceSpring &s : springs) {
            const ReferenceBody &a = now[s.a], &b = now[s.b];
            const Vec3 ra = turn(a.r, s.at_a), rb = turn(b.r, s.at_b);
            const Vec3 apart = vec3_sub(vec3_add(b.x, rb), vec3_add(a.x, ra));
            const Vec3 moves = vec3_sub(vec3_add(b.v, vec3_cross(spin(b), rb)), vec3_add(a.v, vec3_cross(spin(a), ra)));
            const double length = vec3_length(apart), rate = vec3_dot(apart, moves) / length;
            const Vec3 on_b = vec3_scale(apart, -(s.stiffness * (length - s.rest) + s.damping * rate) / length);
            out[s.a].v = vec3_add_scaled(out[s.a].v, on_b, -a.inverse_mass);
            out[s.b].v = vec3_add_scaled(out[s.b].v, on_b, b.inverse_mass);
            if (a.inverse_mass > 0) out[s.a].l = vec3_sub(out[s.a].l, vec3_cross(ra, on_b));
            if (b.inverse_mass > 0) out[s.b].l = vec3_add(out[s.b].l, vec3_cross(rb, on_b));
        }
        return out;
    }

    static std::vector<ReferenceBody> moved(std::vector<ReferenceBody> from, const std::vector<ReferenceBody> &by,
                                            double h) {
        for (size_t i = 0; i < from.size(); i++) {
            from[i].x = vec3_add_scaled(from[i].x, by[i].x, h);
            from[i].v = vec3_add_scaled(from[i].v, by[i].v, h);
            from[i].l = vec3_add_scaled(from[i].l, by[i].l, h);
            for (int k = 0; k < 9; k++) from[i].r[k / 3][k % 3] += h * by[i].r[k / 3][k % 3];
        }
        return from;
    }

    void run(double end_s, unsigned steps) {
        const double h = end_s / steps;
        for (unsigned n = 0; n < steps; n++) {
            const auto k1 = rates(bodies), k2 = rates(moved(bodies, k1, h / 2)), k3 = rates(moved(bodies, k2, h / 2)),
                       k4 = rates(moved(bodies, k3, h));
            bodies = moved(moved(moved(moved(bodies, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
        }
    }
};

/// The largest differences of a run from the integration: of places, velocities and spins.
struct Difference {
    double place_m = 0, velocity_m_per_s = 0, spin_rad_per_s = 0;
};

inline Difference difference(const Ran &ran, const Reference &reference) {
    Difference d;
    for (size_t i = 0; i < reference.bodies.size(); i++) {
        const ReferenceBody &b = reference.bodies[i];
        if (!(b.inverse_mass > 0)) continue;
        const BodyState s = ran.state(uint32_t(i));
        const uint32_t flags = ran.batch.bodies[i].flags;
        const Vec3 w = flags & BODY_BALL ? s.spin_rad_per_s : quat_rotate(s.orientation, s.spin_rad_per_s);
        d.place_m = std::max(d.place_m, vec3_length(vec3_sub(s.position_m, b.x)));
        d.velocity_m_per_s = std::max(d.velocity_m_per_s, vec3_length(vec3_sub(s.velocity_m_per_s, b.v)));
        d.spin_rad_per_s = std::max(d.spin_rad_per_s, vec3_length(vec3_sub(w, reference.spin(b))));
    }
    return d;
}

#endif
