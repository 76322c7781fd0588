// Two solids that touch while one of them moves and turns by a little from look to look, as contacts do between the
// evaluations of a stepper.
#ifndef CLACK_MOVING_PAIRS_H
#define CLACK_MOVING_PAIRS_H

#include "pair_certificate.h"

namespace scenes {

/// Do pairs whose cores are apart need no warm start? They have a closed form or a search of their own.
inline bool needs_no_warm_start(uint32_t kind_a, uint32_t kind_b) {
    return narrow_has_closed_form(kind_a, kind_b, SCENE_SINGLE_CONTACT) != 0 ||
           (std::min(kind_a, kind_b) == SHAPE_BOX && std::max(kind_a, kind_b) == SHAPE_CAPSULE) ||
           (std::min(kind_a, kind_b) == SHAPE_SPHERE && std::max(kind_a, kind_b) == SHAPE_HULL);
}

struct MovingPair {
    Placed a, b;
    std::vector<Mat3> turns; // of b, look by look
    std::vector<Vec3> offsets;

    /// Each look `share` of the sizes and as many radians from the last one, in any direction along the contact; gaps
    /// within 1e-5 of the sizes, of hulls against hulls (whose cores have to be apart) above 0.
    MovingPair(Draw &draw, uint32_t kind_a, uint32_t kind_b, double share, int looks) {
        a = Placed{draw_any(draw, kind_a), draw.turn()};
        b = Placed{draw_any(draw, kind_b), draw.turn()};
        const double size = shape_size_m(&a.shape) + shape_size_m(&b.shape);
        const bool is_sharp = !(shape_ball_radius(&a.shape) + shape_ball_radius(&b.shape) > 0);
        Vec3 offset = place_near(a, b, draw, true);
        Mat3 turn = b.turn;
        for (int k = 0; k < looks; k++) {
            turn = product(turn_about(draw.direction(), share), turn);
            offset = vec3_add_scaled(offset, draw.direction(), share * size);
            const double want = size * draw.log_uniform(1e-9, 1e-5) * (is_sharp || k % 2 ? 1 : -1);
            for (int i = 0; i < 3; i++) { // the last one along a normal that is right
                const NarrowResult r = narrow(a, Placed{b.shape, turn}, offset);
                offset = vec3_add_scaled(offset, r.normal, want - r.distance_m);
            }
            turns.push_back(turn);
            offsets.push_back(offset);
        }
    }

    size_t queries() const { return turns.size(); }

    /// warm_start: that of the query before, becomes that of this one; null: a cold one.
    NarrowResult query(size_t k, NarrowWarmStart *warm_start) const {
        NarrowOptions o = options(SCENE_SINGLE_CONTACT);
        o.before = warm_start;
        o.now = warm_start;
        return narrow_phase(&a.shape, &a.turn, &b.shape, &turns[k], offsets[k], 0, &o);
    }

    CorePair pair(size_t k) const {
        CorePair pair;
        core_pair_make(&a.shape, &a.turn, &b.shape, &turns[k], offsets[k], hull_rows().data(), &pair);
        return pair;
    }

    /// What a warm start gives at once; is_apart: it is the answer.
    GjkResult at_once(size_t k, NarrowWarmStart warm_start) const {
        const CorePair cores = pair(k);
        GjkResult found;
        if (shape_core_is_box(&a.shape) && shape_core_is_box(&b.shape)) {
            Blocks blocks;
            BlockContact touch;
            box_box_make(&a.shape, &a.turn, &b.shape, &turns[k], offsets[k], &blocks);
            found.is_apart = box_box_warm(&blocks, warm_start.corners_a, warm_start.corners_b, &touch);
            if (found.is_apart) penetration_from_touch(&blocks, &touch, &found);
        } else {
            gjk_distance_warm(&cores, &warm_start, &warm_start, &found);
        }
        return found;
    }

    /// What every look has to do, whoever tells it what is found.
    NarrowResult told(size_t k, const GjkResult &found) const {
        const CorePair cores = pair(k);
        NarrowResult result;
        penetration_result(&cores, &turns[k], &found, &result);
        return result;
    }

    double size(size_t k) const { return shape_size_m(&a.shape) + shape_size_m(&b.shape) + vec3_max_abs(offsets[k]); }

    bool is_core_apart(const NarrowResult &r) const {
        return r.distance_m + shape_ball_radius(&a.shape) + shape_ball_radius(&b.shape) > 0;
    }
};

} // namespace scenes

#endif
