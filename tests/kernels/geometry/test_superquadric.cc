// Superquadrics: support function and its derivatives against long double, the surface against the algebraic one, the
// ball inside, the ball about it.
#include <gtest/gtest.h>

#include "geometry/core_pair.h"
#include "shape_reference.h"

using namespace scenes;

namespace {

double dual(double exponent) { return exponent / (exponent - 1); }

// The algebraic function, less 1, of a point in shape axes.
double algebraic(Vec3 p, const double half[3], double m, double n) {
    const double across = std::pow(std::fabs(p.x) / half[0], m) + std::pow(std::fabs(p.y) / half[1], m);
    return std::pow(across, n / m) + std::pow(std::fabs(p.z) / half[2], n) - 1;
}

// Directions that come near the axes, where the second derivative grows.
Vec3 draw_direction(Draw &draw) {
    const Vec3 way = draw.direction();
    if (draw.uniform(0, 1) < 0.5) return way;
    const double small = draw.log_uniform(1e-6, 1);
    return vec3_normalize(vec3_make(small * way.x, way.y * (draw.uniform(0, 1) < 0.5 ? small : 1), way.z));
}

TEST(Superquadric, SupportPointsAreThoseInLongDouble) {
    Draw draw(5201);
    double worst = 0;
    for (int n = 0; n < 4000; n++) {
        const Shape s = draw_superquadric(draw);
        const Vec3 u = draw_direction(draw);
        const Vec3 found = shape_support(&s, nullptr, u), right = rounded(wide_superquadric(s, wide(u)));
        worst = std::max(worst, vec3_length(vec3_sub(found, right)) / s.bound_radius_m);
    }
    EXPECT_LE(worst, 4e-15);
}

// By central differences of the gradient in long double, near an axis over less than the rounding.
TEST(Superquadric, SecondDerivativeIsThatOfTheGradient) {
    Draw draw(5202);
    double worst = 0;
    for (int n = 0; n < 4000; n++) {
        Shape s = draw_superquadric(draw);
        if (n % 2) s.smoothing_m = 0;
        const Vec3 u = draw_direction(draw), x = vec3_perpendicular(u), y = vec3_cross(u, x);
        Core core;
        core_make(&s, nullptr, &core);
        const CoreForm form = core_curvature(&core, 0, 0, u, x, y);
        const long double step = 1e-8L;
        auto slope = [&](Vec3 along) {
            const V ahead = wide_superquadric(s, wide(u) + wide(along) * step),
                    behind = wide_superquadric(s, wide(u) + wide(along) * -step);
            return rounded((ahead - behind) * (0.5L / step));
        };
        const Vec3 on_x = slope(x), on_y = slope(y);
        const double scale = std::fabs(form.ss) + std::fabs(form.tt) + s.bound_radius_m;
        worst = std::max({worst, std::fabs(vec3_dot(on_x, x) - s.smoothing_m - form.ss) / scale,
                          std::fabs(vec3_dot(on_x, y) - form.st) / scale,
                          std::fabs(vec3_dot(on_y, y) - s.smoothing_m - form.tt) / scale});
    }
    EXPECT_LE(worst, 1e-7);
}

TEST(Superquadric, AsADirectionRotatesItsDerivativesAreThoseOfTheSupportFunction) {
    Draw draw(5203);
    double worst = 0, worst_third = 0;
    for (int n = 0; n < 1000; n++) {
        const Shape s = draw_superquadric(draw);
        const Vec3 u = draw_direction(draw), round = vec3_perpendicular(u);
        Core core;
        core_make(&s, nullptr, &core);
        const CoreRound found = core_round(&core, 0, u, round);
        auto slope = [&](long double turn) {
            const V at = wide(u) * std::cos(turn) + wide(round) * std::sin(turn),
                    along = wide(round) * std::cos(turn) - wide(u) * std::sin(turn);
            return dot(wide_superquadric(s, at), along);
        };
        const long double step = 1e-7L;
        const double second = double((slope(step) - slope(-step)) / (2 * step)),
                     third = double((slope(step) - 2 * slope(0) + slope(-step)) / (step * step));
        const double scale = std::fabs(second) + s.bound_radius_m;
        worst = std::max({worst, std::fabs(found.slope / found.root - double(slope(0))) / s.bound_radius_m,
                          std::fabs(found.second / found.root - second) / scale});
        worst_third = std::max(worst_third, std::fabs(found.third / found.root - third) /
                                                (std::fabs(third) + scale / SUPERQUADRIC_ROUNDING));
    }
    EXPECT_LE(worst, 1e-5);
    EXPECT_LE(worst_third, 1e-2);
}

// Every support point, for all exponents: how far from the algebraic surface, of the half lengths. And the half lengths
// are exact.
TEST(Superquadric, DeviatesFromTheAlgebraicSurfaceByLittle) {
    Draw draw(5204);
    for (const double most : {4.0, 8.0}) {
        double worst = 0, reach = 0;
        for (int n = 0; n < 20000; n++) {
            const double m = n % 3 ? draw.uniform(2, most) : most, along = n % 4 ? draw.uniform(2, most) : most;
            const double half[3] = {draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7), draw.uniform(0.3, 0.7)};
            const Shape s = make_superquadric(half[0], half[1], half[2], m, along);
            const Vec3 p = shape_support(&s, nullptr, draw_direction(draw));
            const double at[3] = {p.x, p.y, p.z};
            worst = std::max(worst, std::fabs(superquadric_gauge(&s, at) - 1));
            ASSERT_NEAR(std::pow(superquadric_gauge(&s, at), along) - 1, algebraic(p, half, m, along), 1e-13);
            for (u32 k = 0; k < 3; k++)
                reach = std::max(reach,
                                 std::fabs(vec3_component(shape_support(&s, nullptr, vec3_unit(k)), k) / half[k] - 1));
        }
        std::printf("exponents up to %g: %.2e of the distance from the centre\n", most, worst);
        EXPECT_LE(worst, most == 4 ? 1.0e-5 : 7e-5);
        EXPECT_GT(worst, 1e-6) << "nothing is rounded";
        EXPECT_LE(reach, 4e-15);
    }
}

TEST(Superquadric, HoldsItsBallAndLiesInItsBound) {
    Draw draw(5205);
    double largest = 0, least_share = 1, farthest = 0;
    for (int n = 0; n < 300; n++) {
        const Shape s = n % 3 ? draw_superquadric(draw)
                              : make_superquadric(draw.uniform(0.1, 1), draw.uniform(0.1, 1), draw.uniform(0.1, 1),
                                                  draw.uniform(2, 8), draw.uniform(2, 8));
        Core core;
        core_make(&s, nullptr, &core);
        double least = INFINITY, reach = 0;
        const double most = std::max({s.size_m[0], s.size_m[1], s.size_m[2]});
        for (int k = 0; k < 4000; k++) {
            const Vec3 u = draw_direction(draw), x = vec3_perpendicular(u);
            const CoreForm form = core_curvature(&core, 0, 0, u, x, vec3_cross(u, x)); // of the core: less the ball
            const double middle = 0.5 * (form.ss + form.tt), apart = std::hypot(0.5 * (form.ss - form.tt), form.st);
            least = std::min(least, middle - apart);
            largest =
                std::max(largest, (middle + apart) * std::min({s.size_m[0], s.size_m[1], s.size_m[2]}) / (most * most));
            reach = std::max(reach, vec3_length(shape_support(&s, nullptr, u)));
        }
        ASSERT_GT(least, 0) << n;
        least_share = std::min(least_share, least / s.smoothing_m);
        ASSERT_LE(reach, s.bound_radius_m * (1 + 1e-12)) << n;
        farthest = std::max(farthest, s.bound_radius_m / reach);
    }
    std::printf("radius of curvature of the core at least %.3f of the ball, at most %.0f a^2 / c; bound %.3f\n",
                least_share, largest, farthest);
    EXPECT_LE(largest, 3000);
    EXPECT_LE(farthest, 1.03);
}

TEST(Superquadric, OfExponentsTwoIsTheEllipsoid) {
    Draw draw(5206);
    for (int n = 0; n < 1000; n++) {
        const double x = draw.uniform(0.3, 0.7), y = draw.uniform(0.3, 0.7), z = draw.uniform(0.3, 0.7);
        const Shape s = make_superquadric(x, y, z, 2, 2), egg = make_shape(SHAPE_ELLIPSOID, x, y, z, 0);
        const Vec3 u = draw_direction(draw);
        EXPECT_LE(vec3_length(vec3_sub(shape_support(&s, nullptr, u), shape_support(&egg, nullptr, u))), 1e-7);
        EXPECT_NEAR(s.smoothing_m, shape_ball_radius(&egg), 1e-6);
        EXPECT_NEAR(s.size_m[3], dual(2), 0);
    }
}

} // namespace
