// Scenes some of whose cores overlap, and a build of the kernels that leaves these to another (kernels/base/build.h).
#ifndef CLACK_TESTS_FALLING_PAIRS_H
#define CLACK_TESTS_FALLING_PAIRS_H

#include "random_scenes.h"

const uint32_t FALLING_KINDS = 1u << SHAPE_HALF_SPACE | 1u << SHAPE_SPHERE | 1u << SHAPE_CYLINDER | 1u << SHAPE_HULL;
const uint32_t FALLING_HOLDS =
    CONTENT_SOLIDS | CONTENT_SEARCH | CONTENT_SEVERAL | CONTENT_BODIES | CONTENT_ISLANDS | CONTENT_FRAMES;

enum class Pair { Rounded, Sharp, Deep, DeepHulls }; // sharp ones overlap from their first touch on, deep ones at once

inline const SceneHull *corner() {
    static const SceneHull *hull = shared_hull(
        {{0.05, 0.05, 0.05}, {-0.05, 0.05, 0.05}, {0.05, -0.05, 0.05}, {0.05, 0.05, -0.05}, {-0.05, -0.05, -0.05}},
        1e-3);
    return hull;
}

// A ball that bounces from the start on, and a tilted solid that falls onto a fixed one.
inline SceneBuilder falling(Pair pair, unsigned seed) {
    std::mt19937_64 engine(seed);
    SceneBuilder b;
    b.material(2e10);
    b.pair(0, 0, 0.7, 0.3);
    b.scene.end_s = 0.15;
    b.ground();
    b.ball(0.05, {0.3, 0, 0.026});
    const double heights_m[] = {0.24, 0.24, 0.195, 0.13}; // by pair
    const bool is_deep = pair == Pair::Deep || pair == Pair::DeepHulls;
    for (const bool is_fixed : {true, false}) {
        b.body(is_fixed ? "lower" : "upper", is_fixed, {is_fixed ? 0 : 0.01, 0, is_fixed ? 0.1 : heights_m[int(pair)]});
        if (pair == Pair::DeepHulls)
            b.hull(corner());
        else
            b.shape(SHAPE_CYLINDER, {0.1, 0.1, 0, 0}).smoothing_m = pair == Pair::Sharp ? 0 : -1;
    }
    SceneBody &upper = b.bodies.back();
    upper.rotation.kind = ROTATION_QUATERNION;
    upper.rotation.value[0] = 1;
    for (int i = 1; i < 4; i++) upper.rotation.value[i] = uniform(engine, 0.05, 0.2);
    upper.velocity_m_per_s[2] = is_deep ? 0 : -0.5;
    return b;
}

struct FirstBuild : DeviceHolder { // whose build knows no way out of overlaps
    explicit FirstBuild(const char *choice = "cpu", uint32_t lanes = 0, const char *build_options = nullptr)
        : DeviceHolder({PROGRAM_ADVANCE, FALLING_KINDS, SCENE_NO_FREEZE, FALLING_HOLDS, 0, 0}, choice, lanes, 0,
                       build_options) {}
};

#endif
