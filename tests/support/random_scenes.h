// Random scenes of all shapes, and the comparison of two runs bit by bit.
#ifndef CLACK_TESTS_RANDOM_SCENES_H
#define CLACK_TESTS_RANDOM_SCENES_H

#include <random>

#include "scene_builder.h"

inline double uniform(std::mt19937_64 &engine, double low, double high) {
    return low + (high - low) * std::uniform_real_distribution<double>(0, 1)(engine);
}

// A random scene of balls, boxes and capsules in a corner: all pairs of shapes, friction, rolling. In every eighth
// they land beside each other and balls that roll: islands that are stepped one after the other.
inline SceneBuilder random_scene(unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(uniform(engine, 1e9, 5e9));
    b.pair(0, 0, uniform(engine, 0.3, 0.95), seed % 3 == 0 ? 0 : uniform(engine, 0, 0.5), seed % 4 == 0 ? 0 : 1e-3);
    b.scene.end_s = 0.12;
    b.ground();
    b.body("wall", true, {0, 0, 0});
    b.shape(SHAPE_BOX, {0.2, 0.2, 0.1, 0});
    const bool is_wide = seed % 8 == 6;
    const int bodies = is_wide ? 6 : 1 + int(seed % 4);
    for (int k = 0; k < bodies; k++) {
        b.body("body", false,
               {uniform(engine, -0.1, 0.1), uniform(engine, -0.1, 0.1), 0.16 + 0.18 * k + uniform(engine, 0, 0.01)});
        SceneBody &body = b.bodies.back();
        for (int i = 0; i < 3; i++) {
            body.velocity_m_per_s[i] = uniform(engine, -1, 1);
            body.angular_velocity_rad_per_s[i] = uniform(engine, -5, 5);
        }
        body.velocity_m_per_s[2] -= 1 + 0.5 * k;
        if (is_wide) {
            body.position_m[0] += 0.4 * (k % 3);
            body.position_m[1] += 0.2 * (k / 3);
            body.position_m[2] = 0.16 + uniform(engine, 0, 0.02);
        }
        body.rotation.kind = ROTATION_QUATERNION;
        for (int i = 0; i < 4; i++) body.rotation.value[i] = uniform(engine, -1, 1);
        const uint32_t kinds[] = {SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE};
        const uint32_t kind = kinds[engine() % 3];
        const double length = uniform(engine, 0.05, 0.09);
        const bool rolls = is_wide && k % 2 == 1;
        if (rolls) {
            body.position_m[2] = 0.5 * length;
            body.velocity_m_per_s[2] = 0;
        }
        b.shape(rolls ? SHAPE_SPHERE : kind, {length, uniform(engine, 0.03, 0.06), uniform(engine, 0.04, 0.08), 0});
    }
    return b;
}

/// The pair of two materials only looks on.
inline void observe(SceneBuilder &b, uint32_t one, uint32_t other) {
    ScenePair p{};
    p.material_a = one;
    p.material_b = other;
    p.is_observer = 1;
    b.pairs.push_back(p);
}

/// Add a material that observes itself and all there are.
inline uint32_t observer_material(SceneBuilder &b) {
    const uint32_t observer = b.material(1, 0.3, 0);
    for (uint32_t other = 0; other <= observer; other++) observe(b, other, observer);
    return observer;
}

inline void gate(SceneBuilder &b, std::array<double, 3> position, uint32_t kind, std::array<double, 4> size,
                 uint32_t material) {
    b.body("gate", true, position);
    b.shape(kind, size, material);
}

// A random scene with gates of all kinds through it: balls, boxes, thin sheets, a half-space, and one that
// moves.
inline SceneBuilder with_gates(unsigned seed) {
    SceneBuilder b = random_scene(seed);
    const uint32_t observer = observer_material(b);
    gate(b, {0, 0, 0.25}, SHAPE_BOX, {0.5, 0.5, 0.001, 0}, observer);
    gate(b, {0.05, 0, 0.1}, SHAPE_SPHERE, {0.1, 0, 0, 0}, observer);
    gate(b, {0, 0, 0.03}, SHAPE_HALF_SPACE, {0, 0.1, 1, 0}, observer);
    gate(b, {-0.05, 0.05, 0.1}, SHAPE_ELLIPSOID, {0.2, 0.1, 0.05, 0}, observer);
    b.body("eye", false, {0, 0, 0.5});
    b.shape(SHAPE_CAPSULE, {0.1, 0.1, 0, 0}, observer);
    b.bodies.back().mass_kind = MASS_GIVEN;
    b.bodies.back().mass_kg = 3;
    for (int i = 0; i < 3; i++) b.bodies.back().inertia_kg_m2[i] = 0.1;
    b.bodies.back().velocity_m_per_s[2] = -5;
    b.bodies.back().angular_velocity_rad_per_s[0] = seed % 2 ? 7 : 30; // in steps of 3 ms it turns by 0.09 rad
    return b;
}

/// The same with ellipsoids for boxes and capsules: their nearest points to the wall and to each other are searched
/// for, from what touched at the start of the step.
inline SceneBuilder with_searches(SceneBuilder b) {
    for (size_t k = 2; k < b.bodies.size(); k++) {
        SceneShape &shape = b.shapes[b.bodies[k].shape_first];
        const bool is_block = shape.kind == SHAPE_BOX || shape.kind == SHAPE_CAPSULE;
        if (is_block && shape.material == 0) shape.kind = SHAPE_ELLIPSOID; // others observe
    }
    return b;
}

inline bool same_bits(const void *a, const void *b, size_t bytes) {
    return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

// Compare scene `i` of one run with scene `j` of another: states and events.
inline ::testing::AssertionResult same_motion(const Ran &a, uint32_t i, const Ran &b, uint32_t j) {
    const Scene &sa = a.batch.scenes[i], &sb = b.batch.scenes[j];
    if (sa.body_count != sb.body_count) return ::testing::AssertionFailure() << "bodies";
    if (!same_bits(a.result.states + sa.body_first, b.result.states + sb.body_first,
                   sa.body_count * sizeof(BodyState))) {
        return ::testing::AssertionFailure() << "states of scene " << i << " differ";
    }
    const auto ea = a.events(i), eb = b.events(j);
    if (ea.size() != eb.size() || !same_bits(ea.data(), eb.data(), ea.size() * sizeof(Event))) {
        return ::testing::AssertionFailure() << "events of scene " << i << " differ";
    }
    return ::testing::AssertionSuccess();
}

// The same and all that is counted on the way.
inline ::testing::AssertionResult same_scene(const Ran &a, uint32_t i, const Ran &b, uint32_t j) {
    if (!same_bits(&a.result.progress[i], &b.result.progress[j], sizeof(Progress)))
        return ::testing::AssertionFailure() << "progress of scene " << i << " differs";
    return same_motion(a, i, b, j);
}

// The same but for where in their ring the present gaps are: runs of ball steps stay where they began.
inline ::testing::AssertionResult same_counted(const Ran &a, uint32_t i, const Ran &b, uint32_t j) {
    Progress pa = a.result.progress[i], pb = b.result.progress[j];
    pa.gap_index = pb.gap_index = 0;
    if (!same_bits(&pa, &pb, sizeof(Progress)))
        return ::testing::AssertionFailure() << "progress of scene " << i << " differs";
    return same_motion(a, i, b, j);
}

// Contacts recorded of a scene.
inline std::vector<ContactRow> rows_of(const Ran &ran, uint32_t scene = 0) {
    std::vector<ContactRow> rows;
    for (size_t k = 0; k < ran.result.contact_count; k++)
        if (ran.result.contact_scene[k] == scene) rows.push_back(ran.result.contacts[k]);
    return rows;
}

inline bool same_rows(const Ran &a, uint32_t i, const Ran &b, uint32_t j) {
    const auto x = rows_of(a, i), y = rows_of(b, j);
    return x.size() == y.size() && same_bits(x.data(), y.data(), x.size() * sizeof(ContactRow));
}

struct Many {
    std::vector<SceneBuilder> builders;
    std::vector<SceneDescription> scenes;
    explicit Many(unsigned count, unsigned first = 0) {
        for (unsigned k = 0; k < count; k++) builders.push_back(random_scene(first + k));
        for (SceneBuilder &b : builders) scenes.push_back(b.view());
    }
};

inline unsigned different_scenes(const Ran &a, const Ran &b, unsigned count) {
    unsigned different = 0;
    for (unsigned k = 0; k < count; k++) different += !same_scene(a, k, b, k);
    return different;
}

#endif
