// Neighbours decide alike: the two triangles of an edge find the same crossings of it, with the same points and
// opposite ends of segments, also where volumes and heights are 0 or rounding.
#include <cstring>

#include "region_scene.h"

namespace {

using namespace regions;

PlacedTriangle triangle_of(const Vec3 points[], std::array<u32, 3> vertices, std::array<u32, 3> edges) {
    PlacedTriangle t{};
    for (size_t k = 0; k < 3; k++) {
        t.vertices[k] = vertices[k];
        t.edges[k] = edges[k];
        t.corners_m[k] = points[vertices[k]];
    }
    t.normal = vec3_cross(vec3_sub(t.corners_m[1], t.corners_m[0]), vec3_sub(t.corners_m[2], t.corners_m[0]));
    return t;
}

bool same_point(const CrossingPoint &a, const CrossingPoint &b) {
    return std::memcmp(&a.at_m, &b.at_m, sizeof a.at_m) == 0 && a.share == b.share && a.error == b.error &&
           a.is_low_inside == b.is_low_inside;
}

// Two triangles on vertices 0 to 3 that share the edge of 0 and 1, and one beside them.
void expect_alike(const Vec3 points[4], const PlacedTriangle &other, bool is_first) {
    const PlacedTriangle left = triangle_of(points, {0, 1, 2}, {0, 1, 2}),
                         right = triangle_of(points, {1, 0, 3}, {0, 3, 4});
    for (u32 k = 0; k < 3; k++) {
        const u32 of_left =
            is_first ? crossing_edges_sign(&left, 0, &other, k) : crossing_edges_sign(&other, k, &left, 0);
        const u32 of_right =
            is_first ? crossing_edges_sign(&right, 0, &other, k) : crossing_edges_sign(&other, k, &right, 0);
        ASSERT_NE(of_left, of_right); // they go along it in opposite directions
    }
    real heights_left[3], heights_right[3];
    const u32 sides_left = crossing_heights(&left, &other, heights_left);
    const u32 sides_right = crossing_heights(&right, &other, heights_right);
    ASSERT_EQ(sides_left & 1, sides_right >> 1 & 1);
    ASSERT_EQ(sides_left >> 1 & 1, sides_right & 1);
    if ((sides_left & 1) == (sides_left >> 1 & 1)) return;
    const Vec3 on_plane = other.corners_m[0];
    const CrossingPoint a = crossing_point(&left, 0, heights_left, other.normal, on_plane),
                        b = crossing_point(&right, 0, heights_right, other.normal, on_plane);
    ASSERT_TRUE(same_point(a, b));
}

TEST(Crossing, NeighboursDecideAlike) {
    Random random(11);
    int zeros = 0;
    for (int k = 0; k < 200000; k++) {
        Vec3 points[7];
        const int is_lattice = k % 2;
        for (Vec3 &p : points) { // many in one plane, or on one line
            p = is_lattice ? Vec3{0.1 * random.whole(-1, 1), 0.1 * random.whole(-1, 1), 0.1 * random.whole(-1, 1)}
                           : Vec3{random.normal(), random.normal(), random.normal()};
        }
        const PlacedTriangle other = triangle_of(points + 4, {0, 1, 2}, {0, 1, 2});
        zeros += vec3_dot(vec3_cross(vec3_sub(points[1], points[0]), vec3_sub(points[4], points[0])),
                          vec3_sub(points[5], points[0])) == 0;
        expect_alike(points, other, k % 4 < 2);
    }
    EXPECT_GT(zeros, 20000); // volumes that are 0
}

// Of triangles in general position a segment's ends are on both, and what is inside lies to its left.
TEST(Crossing, SegmentLiesOnBoth) {
    Random random(12);
    int found = 0;
    for (int k = 0; k < 20000; k++) {
        Vec3 points[6];
        for (Vec3 &p : points) p = {random.normal(), random.normal(), random.normal()};
        const PlacedTriangle a = triangle_of(points, {0, 1, 2}, {0, 1, 2}),
                             b = triangle_of(points + 3, {0, 1, 2}, {0, 1, 2});
        RegionSegment segment;
        const u32 outcome = crossing_find(&a, &b, 7, 9, &segment);
        ASSERT_NE(outcome, CROSSING_ODD);
        if (outcome != CROSSING_SEGMENT) continue;
        found++;
        for (Vec3 at : {segment.from_m, segment.to_m}) {
            EXPECT_NEAR(vec3_dot(vec3_normalize(a.normal), vec3_sub(at, points[0])), 0, 1e-11);
            EXPECT_NEAR(vec3_dot(vec3_normalize(b.normal), vec3_sub(at, points[3])), 0, 1e-11);
        }
        const Vec3 along = vec3_sub(segment.to_m, segment.from_m);
        EXPECT_GT(vec3_dot(vec3_cross(a.normal, b.normal), along), 0);
        EXPECT_EQ(segment.triangle_first, 7u);
        EXPECT_EQ(segment.triangle_second, 9u);
    }
    EXPECT_GT(found, 1000);
}

} // namespace
