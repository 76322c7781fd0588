// For each width. States of balls and their rates.
#ifndef CLACK_FAST_BALL_RATE_H
#define CLACK_FAST_BALL_RATE_H
#define BallRate LANE_NAME(BallRate)
#define BallState LANE_NAME(BallState)
#endif

typedef struct BallRate { // in a row, so that they are blended as vectors
    Vec3 velocity, acceleration, spin_rate, spin;
} BallRate;

typedef struct BallState {
    Vec3 position_m, velocity_m_per_s, spin_rad_per_s;
} BallState;
