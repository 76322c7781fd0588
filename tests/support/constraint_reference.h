// Constrained dynamics of a few bodies by an implementation that shares nothing with the kernels: equations of
// constraints in long double, their derivatives by differences, accelerations and multipliers from one dense system.
#ifndef CLACK_TESTS_CONSTRAINT_REFERENCE_H
#define CLACK_TESTS_CONSTRAINT_REFERENCE_H

#include <cmath>
#include <vector>

#include "scene_builder.h"

namespace reference {

using R = long double;
struct V {
    R x = 0, y = 0, z = 0;
};
inline V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V operator*(R s, V a) { return {s * a.x, s * a.y, s * a.z}; }
inline R dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline V from(Vec3 v) { return {v.x, v.y, v.z}; }
inline V from(const double v[3]) { return {v[0], v[1], v[2]}; }
inline V unit(V a) { return (1 / std::sqrt(dot(a, a))) * a; }

// A rotation by its three columns: axes of the body in the world.
struct Axes {
    V c[3];
    V operator*(V v) const { return v.x * c[0] + v.y * c[1] + v.z * c[2]; }
    V back(V v) const { return {dot(c[0], v), dot(c[1], v), dot(c[2], v)}; }
};

inline Axes axes_of(Quat q) {
    const R w = q.w, x = q.x, y = q.y, z = q.z, n = 2 / (w * w + x * x + y * y + z * z);
    return {{{1 - n * (y * y + z * z), n * (x * y + w * z), n * (x * z - w * y)},
             {n * (x * y - w * z), 1 - n * (x * x + z * z), n * (y * z + w * x)},
             {n * (x * z + w * y), n * (y * z - w * x), 1 - n * (x * x + y * y)}}};
}

// After a rotation by a vector in the axes of the body (Rodrigues).
inline Axes turned(const Axes &a, V by) {
    const R angle = std::sqrt(dot(by, by)), s = angle > 0 ? std::sin(angle) / angle : 1,
            c = angle > 0 ? (1 - std::cos(angle)) / (angle * angle) : R(0.5);
    Axes out;
    for (int k = 0; k < 3; k++) {
        const V e{R(k == 0), R(k == 1), R(k == 2)};
        out.c[k] = a * (e + s * cross(by, e) + c * cross(by, cross(by, e)));
    }
    return out;
}

struct Body {
    V x, v, w; // w in its axes
    Axes axes;
    R mass = 0;
    V inertia;
    bool is_fixed = false;
};

struct Joint {
    uint32_t kind, a, b;
    V at[2], z[2], u[2]; // points, axes and second axes in their bodies
    R length = 0, rate = 0;
};

// Place of a body after a displacement and a rotation in its axes.
inline Body moved(const Body &body, V shift, V turn) {
    Body out = body;
    out.x = body.x + shift;
    out.axes = turned(body.axes, turn);
    return out;
}

inline std::vector<R> equations(const Joint &j, const Body &a, const Body &b, R t) {
    const V d = (b.x + b.axes * j.at[1]) - (a.x + a.axes * j.at[0]);
    const V za = a.axes * j.z[0], ua = a.axes * j.u[0], wa = cross(za, ua);
    const V zb = b.axes * j.z[1], ub = b.axes * j.u[1], wb = cross(zb, ub);
    switch (j.kind) {
    case JOINT_DISTANCE: return {std::sqrt(dot(d, d)) - j.length - j.rate * t};
    case JOINT_SPHERICAL: return {d.x, d.y, d.z};
    case JOINT_UNIVERSAL: return {d.x, d.y, d.z, dot(za, ub)};
    case JOINT_REVOLUTE: return {d.x, d.y, d.z, dot(za, ub), dot(za, wb)};
    case JOINT_CYLINDRICAL: return {dot(d, ua), dot(d, wa), dot(za, ub), dot(za, wb)};
    case JOINT_PRISMATIC: return {dot(d, ua), dot(d, wa), dot(ua, wb), dot(wa, zb), dot(za, ub)};
    default: return {d.x, d.y, d.z, dot(ua, wb), dot(wa, zb), dot(za, ub)};
    }
}

// Gaussian elimination with complete rows' pivots.
inline std::vector<R> solve(std::vector<std::vector<R>> m, std::vector<R> x) {
    const size_t n = x.size();
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (std::fabs(m[i][k]) > std::fabs(m[best][k])) best = i;
        std::swap(m[k], m[best]);
        std::swap(x[k], x[best]);
        for (size_t i = k + 1; i < n; i++) {
            const R f = m[i][k] / m[k][k];
            for (size_t c = k; c < n; c++) m[i][c] -= f * m[k][c];
            x[i] -= f * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; c++) x[k] -= m[k][c] * x[c];
        x[k] /= m[k][k];
    }
    return x;
}

struct System {
    std::vector<Body> bodies;
    std::vector<Joint> joints;
    V gravity;

    // Derivatives of all equations by displacements and rotations of the bodies: a row for each equation.
    std::vector<std::vector<R>> jacobian(R t) const {
        const size_t n = 6 * bodies.size();
        std::vector<std::vector<R>> rows;
        for (const Joint &j : joints) {
            const size_t first = rows.size(), count = at(j, 0, V{}, V{}, t).size();
            rows.resize(first + count, std::vector<R>(n, 0));
            for (uint32_t body : {j.a, j.b})
                for (size_t k = 0; k < 6 && !bodies[body].is_fixed; k++) {
                    const R h = 1e-4L;
                    std::vector<R> f[4];
                    for (int i = 0; i < 4; i++) {
                        const R by = h * (i == 0 ? -2 : i == 1 ? -1 : i == 2 ? 1 : 2);
                        R d[6] = {};
                        d[k] = by;
                        f[i] = at(j, body, {d[0], d[1], d[2]}, {d[3], d[4], d[5]}, t);
                    }
                    for (size_t i = 0; i < count; i++)
                        rows[first + i][6 * body + k] = (f[0][i] - 8 * f[1][i] + 8 * f[2][i] - f[3][i]) / (12 * h);
                }
        }
        return rows;
    }

    // How many of the equations say something that no others do.
    size_t rank() const {
        std::vector<std::vector<R>> rows = jacobian(0);
        size_t done = 0;
        for (size_t k = 0; k < 6 * bodies.size() && done < rows.size(); k++) {
            size_t best = done;
            for (size_t i = done; i < rows.size(); i++)
                if (std::fabs(rows[i][k]) > std::fabs(rows[best][k])) best = i;
            if (std::fabs(rows[best][k]) < 1e-9L) continue;
            std::swap(rows[done], rows[best]);
            for (size_t i = done + 1; i < rows.size(); i++) {
                const R f = rows[i][k] / rows[done][k];
                for (size_t c = k; c < rows[i].size(); c++) rows[i][c] -= f * rows[done][c];
            }
            done++;
        }
        return done;
    }

    // Accelerations of each body, linear and of its spin in its axes, under the constraints at a time.
    std::vector<std::array<V, 2>> accelerations(R t) const {
        const size_t n = 6 * bodies.size();
        const std::vector<std::vector<R>> rows = jacobian(t);
        std::vector<R> right;
        for (const Joint &j : joints) { // second derivative by the time where nothing accelerates
            const R h = 2e-4L;
            std::vector<R> f[5];
            for (int i = 0; i < 5; i++) f[i] = along(j, h * R(i - 2), t);
            for (size_t i = 0; i < f[0].size(); i++)
                right.push_back((f[0][i] - 16 * f[1][i] + 30 * f[2][i] - 16 * f[3][i] + f[4][i]) / (12 * h * h));
        }
        const size_t all = n + rows.size();
        std::vector<std::vector<R>> m(all, std::vector<R>(all, 0));
        std::vector<R> x(all, 0);
        for (size_t b = 0; b < bodies.size(); b++) {
            const Body &body = bodies[b];
            const V iw{body.inertia.x * body.w.x, body.inertia.y * body.w.y, body.inertia.z * body.w.z};
            const V torque = cross(iw, body.w);
            const R mass[6] = {body.mass, body.mass, body.mass, body.inertia.x, body.inertia.y, body.inertia.z};
            const R force[6] = {
                body.mass * gravity.x, body.mass * gravity.y, body.mass * gravity.z, torque.x, torque.y, torque.z};
            for (size_t k = 0; k < 6; k++) {
                m[6 * b + k][6 * b + k] = body.is_fixed ? 1 : mass[k];
                x[6 * b + k] = body.is_fixed ? 0 : force[k];
            }
        }
        for (size_t i = 0; i < rows.size(); i++) {
            x[n + i] = right[i];
            for (size_t k = 0; k < n; k++) m[n + i][k] = m[k][n + i] = rows[i][k];
        }
        x = solve(m, x);
        std::vector<std::array<V, 2>> out(bodies.size());
        for (size_t b = 0; b < bodies.size(); b++)
            out[b] = {V{x[6 * b], x[6 * b + 1], x[6 * b + 2]}, V{x[6 * b + 3], x[6 * b + 4], x[6 * b + 5]}};
        return out;
    }

  private:
    std::vector<R> at(const Joint &j, uint32_t body, V shift, V turn, R t) const {
        const Body a = body == j.a ? moved(bodies[j.a], shift, turn) : bodies[j.a];
        const Body b = body == j.b ? moved(bodies[j.b], shift, turn) : bodies[j.b];
        return equations(j, a, b, t);
    }
    std::vector<R> along(const Joint &j, R h, R t) const {
        return equations(j, moved(bodies[j.a], h * bodies[j.a].v, h * bodies[j.a].w),
                         moved(bodies[j.b], h * bodies[j.b].v, h * bodies[j.b].w), t + h);
    }
};

// Of a scene whose bodies have no shapes, as it is described.
inline System system_of(SceneBuilder &b, const Batch &batch) {
    System s;
    s.gravity = from(b.scene.gravity_m_per_s2);
    for (uint32_t i = 0; i < b.bodies.size(); i++) {
        Body body;
        body.is_fixed = b.bodies[i].is_fixed;
        body.x = from(batch.states[i].position_m);
        body.v = from(batch.states[i].velocity_m_per_s);
        body.w = from(batch.states[i].spin_rad_per_s);
        body.axes = axes_of(batch.states[i].orientation);
        body.mass = batch.bodies[i].mass_kg;
        body.inertia = from(batch.bodies[i].inertia_kg_m2);
        s.bodies.push_back(body);
    }
    for (const SceneJoint &in : b.joints) {
        Joint j{};
        j.kind = in.kind;
        j.a = in.body_a;
        j.b = in.body_b;
        const V z = unit(from(in.axis[0])), given = from(in.axis[1]);
        V across = given - dot(given, z) * z;
        if (!(dot(across, across) > 0)) across = std::fabs(z.x) < 0.5L ? cross(z, V{1, 0, 0}) : cross(z, V{0, 1, 0});
        for (int k = 0; k < 2; k++) {
            const Body &body = s.bodies[k == 0 ? j.a : j.b];
            j.at[k] = body.axes.back(from(in.at_m[k]) - body.x);
            j.z[k] = body.axes.back(z);
            j.u[k] = body.axes.back(unit(across));
        }
        const V d = from(in.at_m[1]) - from(in.at_m[0]);
        j.length = std::sqrt(dot(d, d));
        j.rate = in.length_rate_m_per_s;
        s.joints.push_back(j);
    }
    return s;
}

} // namespace reference

#endif
