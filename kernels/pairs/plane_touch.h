// For each width. Where balls touch planes.
#ifndef CLACK_PAIRS_PLANE_TOUCH_H
#define CLACK_PAIRS_PLANE_TOUCH_H
#define PlaneTouch LANE_NAME(PlaneTouch)
#define plane_touch LANE_NAME(plane_touch)
#endif

typedef struct PlaneTouch {
    Lane height_m, gap_m, error_m;    // of the ball's centre; signed distance; of that
    Vec3 lever_ball_m, lever_plane_m; // contact point from the centre of mass of either body
} PlaneTouch;

/// up, down: unit vectors from the plane and to it; arm_m: a point of the plane from its body's centre of mass, which
/// is at `centres_m` from the ball's.
FN_SHORT PlaneTouch plane_touch(Lane ball_m, Vec3 up, Vec3 down, Vec3 arm_m, Vec3 centres_m) {
    PlaneTouch touch;
    Vec3 offset = vec3_add(centres_m, arm_m);
    touch.height_m = 0.0 - vec3_dot(offset, up);
    touch.gap_m = touch.height_m - ball_m;
    touch.error_m = NARROW_ROUNDING * (vec3_max_abs(offset) + ball_m);
    touch.lever_ball_m = vec3_scale(down, 0.5 * (ball_m + touch.height_m));
    touch.lever_plane_m = vec3_sub(touch.lever_ball_m, centres_m);
    return touch;
}
