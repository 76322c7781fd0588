// Functions of time as rows, and what is given by them: motions of joints and bodies, loads.
#ifndef CLACK_TESTS_FUNCTION_ROWS_H
#define CLACK_TESTS_FUNCTION_ROWS_H

#include <random>

#include "random_scenes.h"

using FunctionRows = std::vector<SceneFunction>;

inline SceneFunction constant(double value) { return SceneFunction{value, 0, 0, FUNCTION_CONSTANT, 0}; }
inline SceneFunction operation(uint32_t code) { return SceneFunction{0, 0, 0, code, 0}; }

inline FunctionRows number(double value) { return {constant(value)}; }

// a sin(w t)
inline FunctionRows sine(double a, double w) {
    return {constant(a),
            constant(w),
            operation(FUNCTION_TIME),
            operation(FUNCTION_MULTIPLY),
            operation(FUNCTION_SIN),
            operation(FUNCTION_MULTIPLY)};
}

// a cos(w t)
inline FunctionRows cosine(double a, double w) {
    FunctionRows rows = sine(a, w);
    rows[4] = operation(FUNCTION_COS);
    return rows;
}

// a (1 - cos(w t))
inline FunctionRows swing(double a, double w) {
    return {constant(a),
            constant(1),
            constant(w),
            operation(FUNCTION_TIME),
            operation(FUNCTION_MULTIPLY),
            operation(FUNCTION_COS),
            operation(FUNCTION_SUBTRACT),
            operation(FUNCTION_MULTIPLY)};
}

inline uint32_t append(SceneBuilder &b, const FunctionRows &rows) {
    const uint32_t first = uint32_t(b.functions.size());
    b.functions.insert(b.functions.end(), rows.begin(), rows.end());
    return first;
}

/// The last joint follows a function.
inline void drive(SceneBuilder &b, const FunctionRows &rows) {
    b.joints.back().drive_first = append(b, rows);
    b.joints.back().drive_count = uint32_t(rows.size());
}

/// A force and a moment, six functions, on body `on`, the opposite ones on `against`.
inline SceneJoint &load(SceneBuilder &b, uint32_t against, uint32_t on, const std::array<FunctionRows, 6> &values) {
    SceneJoint j{};
    std::snprintf(j.name, sizeof j.name, "j%zu", b.joints.size());
    j.kind = JOINT_LOAD;
    j.body_a = against;
    j.body_b = on;
    j.touches = j.is_at_centre = 1;
    j.drive_first = uint32_t(b.functions.size());
    for (const FunctionRows &rows : values) append(b, rows);
    j.drive_count = uint32_t(b.functions.size()) - j.drive_first;
    b.joints.push_back(j);
    return b.joints.back();
}

/// A fixed body moves: displacement, angle about an axis through the origin of its frame.
inline void move(SceneBuilder &b, uint32_t body, const std::array<FunctionRows, 4> &values,
                 std::array<double, 3> axis = {0, 0, 1}) {
    SceneBody &row = b.bodies[body];
    row.motion_first = append(b, {operation(FUNCTION_NONE)});
    for (const FunctionRows &rows : values) append(b, rows);
    for (const double part : axis) append(b, number(part));
    row.motion_count = uint32_t(b.functions.size()) - row.motion_first;
    b.functions[row.motion_first].count = row.motion_count - 1;
}

// Random scenes whose ground and wall shake and rotate, with loads on some bodies; one of both in some.
inline SceneBuilder random_given(unsigned seed) {
    SceneBuilder b = random_scene(seed);
    std::mt19937_64 engine(seed + 2026);
    auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
    const uint32_t bodies = uint32_t(b.bodies.size());
    if (seed % 3 != 0)
        move(b, 1,
             {swing(draw(-1e-3, 1e-3), 200), sine(draw(-1e-3, 1e-3), 50), swing(2e-3, draw(20, 60)), sine(0.1, 9)},
             {draw(-1, 1), draw(-1, 1), 2});
    if (seed % 3 == 1)
        move(b, 0, {number(0), number(0), sine(draw(0, 1e-3), draw(20, 200)), sine(draw(-0.05, 0.05), 12)},
             {draw(-1, 1), 1, 0});
    for (unsigned k = 0; k < 1 + seed % 2 && seed % 3 != 2; k++) {
        const uint32_t on = 2 + uint32_t(engine() % (bodies - 2)), against = uint32_t(engine() % on);
        load(b, against, on,
             {sine(draw(-20, 20), draw(10, 300)), swing(draw(-10, 10), draw(10, 300)), number(draw(-2, 2)), number(0),
              sine(0.1, draw(10, 100)), number(draw(-0.1, 0.1))});
        const uint32_t axes[] = {0, JOINT_AXES_OF_A, JOINT_AXES_OF_B};
        b.joints.back().axes = axes[engine() % 3];
        b.joints.back().is_at_centre = uint32_t(engine() % 2);
        for (size_t i = 0; i < 3; i++) b.joints.back().at_m[1][i] = b.bodies[on].position_m[i] + draw(-0.03, 0.03);
    }
    return b;
}

#endif
