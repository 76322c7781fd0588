// A box on eight small balls over a plane, integrated with nothing of kernels/: the contact law written anew, the
// method of Dormand and Prince with small steps, every change of the law located in time. For workload W3.
#ifndef CLACK_TESTS_REFERENCE_BOX_H
#define CLACK_TESTS_REFERENCE_BOX_H

#include <algorithm>
#include <array>
#include <cmath>

namespace reference {

using Triple = std::array<double, 3>;
inline Triple cross(const Triple &a, const Triple &b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// m, kg, s, Pa. Flores' damping, friction regularised below `small`, no rolling resistance.
struct Box {
    Triple half{0.1, 0.075, 0.05};
    double radius = 1e-3, mass = 7850 * 0.2 * 0.15 * 0.1;
    double stiffness = 4.0 / 3 * 2e11 / (1 - 0.3 * 0.3) / 2 * std::sqrt(1e-3);
    double restitution = 0.5, friction = 0.5, small = 0.01, damping_max = 2000, gravity = 9.81;
    bool strikes_anew = true; // else damping is fixed when a contact begins
};

// Centre, velocity, quaternion (w first), angular velocity in axes of the body.
using State = std::array<double, 13>;

struct Corner {
    bool touches = false, grows = false; // grows: closes faster than ever in this contact
    double begun = 0, hardest = 0;       // closing speeds: at the beginning, and the largest so far
};
struct Motion { // of a corner
    double depth, closing, closing_rate, normal;
};

class Integration {
  public:
    explicit Integration(const Box &box, const State &start) : box_(box), state_(start) {
        inertia_ = {box.mass / 3 * (box.half[1] * box.half[1] + box.half[2] * box.half[2]),
                    box.mass / 3 * (box.half[0] * box.half[0] + box.half[2] * box.half[2]),
                    box.mass / 3 * (box.half[0] * box.half[0] + box.half[1] * box.half[1])};
    }

    void run(double end) {
        double h = 1e-6;
        while (time_ < end) {
            const double step = std::min(h, end - time_);
            State tried;
            const double error = attempt(step, &tried);
            if (error > 1) {
                h = step * std::max(0.2, 0.9 * std::pow(error, -0.2));
                continue;
            }
            if (changes(tried))
                locate(step, &tried);
            else
                time_ = step < end - time_ ? time_ + step : end;
            state_ = tried;
            pass();
            h = std::min(2e-5, h * std::min(4.0, 0.9 * std::pow(std::max(error, 1e-9), -0.2)));
        }
    }

    const State &state() const { return state_; }
    unsigned begun() const { return begun_; }
    double spin() const { return std::hypot(state_[10], state_[11], state_[12]); }

  private:
    // Centre of a ball in axes of the body.
    Triple ball(int k) const {
        const Triple &h = box_.half;
        const double r = box_.radius;
        return {k & 1 ? h[0] - r : r - h[0], k & 2 ? h[1] - r : r - h[1], k & 4 ? h[2] - r : r - h[2]};
    }

    // d u of a corner's force at its present speed.
    double damped(const Corner &c, double closing) const {
        const double alpha = 1.6 * (1 - box_.restitution) / box_.restitution, first = std::max(c.begun, box_.small);
        const double d = c.begun > box_.small ? std::min(box_.damping_max, alpha / c.begun) : box_.damping_max;
        const double most = std::max(c.hardest, c.grows ? closing : 0);
        if (!box_.strikes_anew || most <= 1.1 * first) return d * closing;
        const double high = 1.1 * d * first, share = std::min(1.0, (most / first - 1.1) / 0.9);
        const double at_most = most * d < alpha ? most * d : std::max(alpha, high + share * (alpha - high));
        return at_most / most * closing;
    }

    State slope(const State &y, Motion *corners = nullptr) const {
        const Triple v{y[3], y[4], y[5]}, w{y[10], y[11], y[12]};
        Triple force{0, 0, -box_.mass * box_.gravity}, torque{0, 0, 0}; // torque in axes of the body
        for (int k = 0; k < 8; k++) {
            const Triple arm = ball(k);
            const double depth = box_.radius - y[2] - turned(y, arm)[2];
            const Triple level = turned(y, cross(w, arm));
            const double closing = -(v[2] + level[2]);
            if (corners) corners[k] = {depth, closing, 0, 0};
            if (!corner_[size_t(k)].touches) continue;
            const double elastic = depth > 0 ? box_.stiffness * depth * std::sqrt(depth) : 0;
            const double factor = 1 + damped(corner_[size_t(k)], closing);
            if (corners) corners[k].normal = factor;
            if (!(factor > 0)) continue;
            const double normal = elastic * factor, down = box_.radius - depth / 2;
            const Triple lever = {arm[0] - down * up(y, 0), arm[1] - down * up(y, 1), arm[2] - down * up(y, 2)};
            const Triple moves = turned(y, cross(w, lever));
            const double x = v[0] + moves[0], z = v[1] + moves[1], slip = std::hypot(x, z), s = box_.small;
            const double divisor = slip >= s ? slip : slip * slip / s * (1 - slip / (3 * s)) + s / 3;
            const Triple f{-box_.friction * normal * x / divisor, -box_.friction * normal * z / divisor, normal};
            const Triple moment = cross(lever, turned_back(y, f));
            for (size_t i = 0; i < 3; i++) force[i] += f[i], torque[i] += moment[i];
        }
        State d{};
        for (size_t i = 0; i < 3; i++) d[i] = v[i], d[3 + i] = force[i] / box_.mass;
        const Triple momentum{inertia_[0] * w[0], inertia_[1] * w[1], inertia_[2] * w[2]}, gyro = cross(w, momentum);
        for (size_t i = 0; i < 3; i++) d[10 + i] = (torque[i] - gyro[i]) / inertia_[i];
        d[6] = -(y[7] * w[0] + y[8] * w[1] + y[9] * w[2]) / 2;
        d[7] = (y[6] * w[0] + y[8] * w[2] - y[9] * w[1]) / 2;
        d[8] = (y[6] * w[1] + y[9] * w[0] - y[7] * w[2]) / 2;
        d[9] = (y[6] * w[2] + y[7] * w[1] - y[8] * w[0]) / 2;
        if (corners) rates(y, d, corners);
        return d;
    }

    void rates(const State &y, const State &d, Motion *corners) const {
        const Triple w{y[10], y[11], y[12]}, dw{d[10], d[11], d[12]};
        for (int k = 0; k < 8; k++) {
            const Triple arm = ball(k);
            const Triple tangential = cross(dw, arm), central = cross(w, cross(w, arm));
            const Triple sum{tangential[0] + central[0], tangential[1] + central[1], tangential[2] + central[2]};
            corners[k].closing_rate = -(d[5] + turned(y, sum)[2]);
        }
    }

    // Error of a step over what is allowed.
    double attempt(double h, State *end) const {
        static const double A[7][6] = {{},
                                       {1.0 / 5},
                                       {3.0 / 40, 9.0 / 40},
                                       {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                       {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
        static const double LESS[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                       -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
        State k[7], at = state_;
        for (int i = 0; i < 7; i++) {
            at = state_;
            for (int j = 0; j < i; j++)
                for (size_t q = 0; q < 13; q++) at[q] += h * A[i][j] * k[j][q];
            k[i] = slope(at);
        }
        double worst = 0;
        for (size_t q = 0; q < 13; q++) {
            double error = 0;
            for (int i = 0; i < 7; i++) error += h * LESS[i] * k[i][q];
            worst = std::max(worst, std::abs(error));
        }
        const double length = std::sqrt(at[6] * at[6] + at[7] * at[7] + at[8] * at[8] + at[9] * at[9]);
        for (size_t q = 6; q < 10; q++) at[q] /= length;
        *end = at;
        return worst / 1e-12;
    }

    // What a corner's law is at a state: begun or not, closing faster than ever or not.
    Corner judged(const Corner &old, const Motion &m) const {
        Corner c = old;
        c.touches = m.depth > 0;
        if (!c.touches) return Corner{};
        if (!old.touches) {
            c.begun = c.hardest = std::max(m.closing, 0.0);
            c.grows = m.closing_rate > 0;
        } else if (old.grows) {
            c.grows = m.closing_rate > 0;
            c.hardest = std::max(c.hardest, m.closing);
        } else {
            c.grows = m.closing > c.hardest;
        }
        return c;
    }
    // Which part of the law holds, of what has a kink.
    int part(const Corner &c, const Motion &m) const {
        const double first = std::max(c.begun, box_.small);
        const int line = !c.grows ? 0 : m.closing > 2 * first ? 2 : m.closing > 1.1 * first;
        return c.touches ? 1 + 2 * c.grows + 4 * (m.normal > 0) + 8 * line : 0;
    }
    bool changes(const State &y) const {
        Motion before[8], after[8];
        slope(state_, before);
        slope(y, after);
        for (size_t k = 0; k < 8; k++)
            if (part(corner_[k], before[k]) != part(judged(corner_[k], after[k]), after[k])) return true;
        return false;
    }
    void locate(double step, State *end) {
        double low = 0, high = step;
        for (int n = 0; n < 60 && high - low > 1e-15; n++) {
            const double middle = (low + high) / 2;
            State y;
            attempt(middle, &y);
            (changes(y) ? high : low) = middle;
        }
        attempt(high, end);
        time_ += high;
    }
    void pass() {
        Motion at[8];
        slope(state_, at);
        for (size_t k = 0; k < 8; k++) {
            const Corner next = judged(corner_[k], at[k]);
            begun_ += next.touches && !corner_[k].touches;
            corner_[k] = next;
        }
    }

    // Row 2 of the rotation, which is the plane's normal in axes of the body.
    static double up(const State &y, int axis) {
        if (axis == 0) return 2 * (y[7] * y[9] - y[6] * y[8]);
        if (axis == 1) return 2 * (y[8] * y[9] + y[6] * y[7]);
        return 1 - 2 * (y[7] * y[7] + y[8] * y[8]);
    }
    static Triple turned(const State &y, const Triple &p) { return turned_by(y[6], {y[7], y[8], y[9]}, p); }
    static Triple turned_back(const State &y, const Triple &p) { return turned_by(y[6], {-y[7], -y[8], -y[9]}, p); }
    static Triple turned_by(double w, const Triple &u, const Triple &p) {
        Triple t = cross(u, p);
        for (double &c : t) c *= 2;
        const Triple s = cross(u, t);
        return {p[0] + w * t[0] + s[0], p[1] + w * t[1] + s[1], p[2] + w * t[2] + s[2]};
    }

    Box box_;
    State state_;
    Triple inertia_;
    std::array<Corner, 8> corner_{};
    double time_ = 0;
    unsigned begun_ = 0;
};

} // namespace reference

#endif
