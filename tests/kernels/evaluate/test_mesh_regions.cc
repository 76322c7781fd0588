// Regions of meshes by the evaluator: those of the functions it is made of, in any batch, with frames, velocities and
// room.
#include "clack.h"
#include "mesh_scenes.h"
#include "study_folder.h"

namespace {

using namespace regions;

// Body frames in the world; the fixed ones at the origin.
std::vector<UserState> states_of(const SceneDescription &scene, size_t count) { return random_states(scene, count, 2); }

TEST(MeshRegions, AreThoseOfTheFunctions) {
    SceneBuilder b = meshes_on_ground();
    Evaluator evaluator(b.view(), evaluate_options(0));
    const std::vector<UserState> states = states_of(b.view(), 100);
    const Contacts found = evaluator.run(states);
    EXPECT_EQ(found.row_count, 0u);
    EXPECT_EQ(clack_evaluator_region_pair_count(evaluator.handle), 4u + 4u + 3u + 2u); // of ground, block, ball, ring
    ASSERT_GT(found.region_count, 200u);
    const Surface block(grid_box(1.2, 0.8, 1, 3)), ball(icosphere(3, 0.5));
    Query query;
    size_t compared = 0;
    for (size_t i = 0; i < 100; i++) {
        const UserState &s = states[5 * i + 2]; // the ball, whose frame is the mesh's
        const Pose pose = {quat_normalize({s.orientation[0], s.orientation[1], s.orientation[2], s.orientation[3]}),
                           {s.position_m[0], s.position_m[1], s.position_m[2]}};
        std::vector<ClackRegion> rows;
        for (size_t k = found.first_region[i]; k < found.first_region[i + 1]; k++)
            if (found.regions[k].body_a == 1 && found.regions[k].body_b == 2) rows.push_back(found.regions[k]);
        const auto &expected = query.run(block, {}, ball, pose);
        if (query.work.segment_count == 0) continue; // engulfed, or apart
        ASSERT_EQ(rows.size(), expected.size());
        double area = 0, other_area = 0, volume = 0, other_volume = 0;
        for (size_t k = 0; k < rows.size(); k++) {
            area += rows[k].area_m2;
            other_area += expected[k].area_m2;
            volume += rows[k].volume_m3;
            other_volume += expected[k].volume_m3;
        }
        EXPECT_NEAR(area, other_area, 1e-13);
        EXPECT_NEAR(volume, other_volume, 1e-14);
        if (rows.size() != 1) continue;
        const ClackRegion &row = rows[0];
        EXPECT_NEAR(row.indentation_m, expected[0].depth_m(), 1e-9);
        EXPECT_NEAR(row.depth_a_m, expected[0].depth_first_m, 1e-9);
        for (int k = 0; k < 3; k++) {
            EXPECT_NEAR(row.normal[k], vec3_component(expected[0].normal, u32(k)), 1e-9);
            EXPECT_NEAR(row.centroid_m[k], vec3_component(expected[0].centroid_m, u32(k)), 1e-9);
        }
        // The block is fixed.
        const Vec3 arm = vec3_sub(vec3_make(row.centroid_m[0], row.centroid_m[1], row.centroid_m[2]), pose.place);
        const Vec3 spin = {s.angular_velocity_rad_per_s[0], s.angular_velocity_rad_per_s[1],
                           s.angular_velocity_rad_per_s[2]};
        const Vec3 velocity =
            vec3_add({s.velocity_m_per_s[0], s.velocity_m_per_s[1], s.velocity_m_per_s[2]}, vec3_cross(spin, arm));
        EXPECT_NEAR(row.approach_m_per_s, -vec3_dot({row.normal[0], row.normal[1], row.normal[2]}, velocity), 1e-9);
        compared++;
    }
    EXPECT_GT(compared, 20u);
}

// A round peg of radius R moved sideways by e in a hole wider by c: a crescent, e cos(f) - c thick where it is seen
// from the peg's axis under the angle f, whose contour reaches as far as f = acos(c / e). Along the normal that is R (1
// - c/e) deep, which says nothing of the overlap e - c.
const double PEG_m = 0.01, CLEARANCE_m = 0.0002;

Soup peg() { return pipe(240, PEG_m, 0.004, 0.06); }
Soup plate() { return pipe(240, 0.04, PEG_m + CLEARANCE_m, 0.02); }

TEST(MeshRegions, ThicknessIsThatOfACrescent) {
    static const SceneMesh *const hole = shared_mesh(plate()), *const pin = shared_mesh(peg());
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.body("plate", true, {0, 0, 0});
    b.mesh(hole);
    b.body("peg", false, {0, 0, 0});
    b.mesh(pin);
    Evaluator evaluator(b.view(), evaluate_options(0));
    for (const double overlap : {20e-6, 100e-6, 300e-6, 800e-6}) {
        std::vector<UserState> states(2);
        for (UserState &s : states) s.orientation[0] = 1;
        states[1].position_m[0] = CLEARANCE_m + overlap;
        const Contacts found = evaluator.run(states);
        ASSERT_EQ(found.region_count, 1u);
        const ClackRegion &row = found.regions[0];
        const double offset = CLEARANCE_m + overlap, angle = std::acos(CLEARANCE_m / offset);
        const double mean = offset - CLEARANCE_m * angle / std::sin(angle);
        EXPECT_NEAR(row.volume_m3 / row.area_m2, mean, 0.03 * mean) << overlap;
        EXPECT_GT(row.indentation_m, 10 * overlap);
        EXPECT_GT(row.thickness_m, overlap);
        EXPECT_LT(row.thickness_m, (overlap < 50e-6 ? 1.06 : 1.45) * overlap) << row.thickness_m;
    }
}

TEST(MeshRegions, StartsAreToldByTheThickness) {
    StudyFolder folder("peg");
    for (const auto &[name, soup] : {std::pair("plate.obj", plate()), std::pair("peg.obj", peg())}) {
        std::string text;
        for (const auto &p : soup.points)
            text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
        for (const auto &t : soup.triangles)
            text += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " + std::to_string(t[2] + 1) +
                    "\n";
        folder.write(name, text);
    }
    const auto starts = [&](const std::string &x) {
        folder.read_study("format: 1\nscene:\n  bodies:\n"
                          "    plate: {fixed: true, material: steel, shapes: [{mesh: {file: plate.obj}}]}\n"
                          "    peg: {material: steel, shapes: [{mesh: {file: peg.obj}}], position: [" +
                          x + ", 0, 0]}\nsolver: {method: trapezoidal, end: 0.1}\n");
        EXPECT_EQ(folder.status, CLACK_OK);
        ClackReport report = {};
        EXPECT_EQ(clack_study_check_start(folder.study, 0, &report), CLACK_OK);
        std::string told;
        for (size_t i = 0; i < report.count; i++) told += report.lines[i];
        clack_report_clear(&report);
        return told;
    };
    EXPECT_EQ(starts("0.001"), ""); // 0.8 mm in each other, of a peg within 31 mm about its centre
    EXPECT_NE(starts("0.006").find("starts with plate and peg"), std::string::npos);
}

TEST(MeshRegions, DoNotDependOnTheBatch) {
    SceneBuilder b = meshes_on_ground();
    const std::vector<UserState> states = states_of(b.view(), 60);
    const Contacts all = Evaluator(b.view(), contour_options()).run(states);
    const Contacts by_seven = Evaluator(b.view(), contour_options(7)).run(states);
    const Contacts without = Evaluator(b.view(), evaluate_options(0)).run(states);
    EXPECT_TRUE(same_regions(all, by_seven));
    EXPECT_TRUE(same_contours(all, by_seven));
    EXPECT_TRUE(same_regions(all, without));
    EXPECT_EQ(without.contour_point_count, 0u);
    for (size_t i = 1; i < all.region_count; i++) {
        const ClackRegion &a = all.regions[i - 1], &c = all.regions[i];
        EXPECT_LT(std::make_tuple(a.configuration, a.shape_a, a.shape_b, a.region),
                  std::make_tuple(c.configuration, c.shape_a, c.shape_b, c.region));
    }
}

/// Twice the area that a closed polygon encloses, as a vector.
Vec3 polygon(const ClackContourPoint *points, size_t count) {
    auto at = [&](size_t i) { return vec3_make(points[i].at_m[0], points[i].at_m[1], points[i].at_m[2]); };
    Vec3 sum = vec3_zero();
    for (size_t i = 0; i < count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(at(i), at(0)), vec3_sub(at((i + 1) % count), at(0))));
    return sum;
}

// Contours run about the normal, with their holes the other way round, and lie at their regions, each in one piece.
TEST(MeshRegions, ContoursEncloseTheAreas) {
    SceneBuilder b = meshes_on_ground();
    const Contacts found = Evaluator(b.view(), contour_options()).run(states_of(b.view(), 100));
    size_t at = 0, loops = 0, several = 0;
    for (size_t r = 0; r < found.region_count; r++) {
        const ClackRegion &region = found.regions[r];
        EXPECT_EQ(region.reserved, 0u);
        const Vec3 normal = {region.normal[0], region.normal[1], region.normal[2]};
        double twice = 0, length = 0;
        const size_t first = at;
        for (uint32_t k = 0; k < region.loop_count; k++) {
            const ClackContourPoint *points = found.contour_points + at;
            size_t count = 0;
            while (at + count < found.contour_point_count && points[count].region == r && points[count].contour == k)
                count++;
            ASSERT_GE(count, 3u);
            twice += vec3_dot(polygon(points, count), normal);
            for (size_t i = 0; i < count; i++) {
                const double *p = points[i].at_m, *q = points[(i + 1) % count].at_m;
                length += std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
            }
            at += count;
        }
        ASSERT_EQ(at - first, region.segment_count);
        loops += region.loop_count;
        several += region.loop_count > 1;
        EXPECT_NEAR(0.5 * twice, region.area_m2, 1e-13);
        EXPECT_NEAR(length, region.perimeter_m, 1e-12);
    }
    EXPECT_EQ(at, found.contour_point_count);
    EXPECT_GT(loops, 200u);
    EXPECT_GT(several, 0u);
}

// A sphere of 20,480 triangles sunk to its middle into a half-space and a block: 11,000 vertices inside, which the
// first room does not hold.
TEST(MeshRegions, RoomGrows) {
    static const SceneMesh *const ball = shared_mesh(icosphere(5)), *const block = shared_mesh(grid_box(4, 4, 4, 1));
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.ground();
    b.body("block", false, {0, 0, 0});
    b.mesh(block);
    b.body("ball", false, {0, 0, 0});
    b.mesh(ball);
    std::vector<UserState> states(3);
    for (UserState &s : states) s.orientation[0] = 1;
    states[1].position_m[2] = -8; // the block, engulfed by the half-space
    states[2].position_m[0] = 0.013;
    states[2].position_m[1] = 0.017;
    states[2].position_m[2] = 0.1;
    const Contacts found = Evaluator(b.view(), evaluate_options(0)).run(states);
    ASSERT_EQ(found.region_count, 2u);
    EXPECT_EQ(found.regions[0].flags, CLACK_REGION_ENGULFED);
    EXPECT_TRUE(std::isnan(found.regions[0].indentation_m));
    EXPECT_TRUE(std::isnan(found.regions[0].thickness_m));
    EXPECT_TRUE(std::isnan(found.regions[0].volume_m3));
    EXPECT_NEAR(found.regions[0].centroid_m[2], -8, 1e-12);
    EXPECT_NEAR(found.regions[1].indentation_m, 0.9, 2e-3);
    EXPECT_NEAR(found.regions[1].area_m2, PI * 0.99, 1e-2);
    EXPECT_NEAR(found.regions[1].volume_m3, PI * 0.81 * (3 - 0.9) / 3, 1e-2); // a cap 0.9 high
    EXPECT_EQ(found.regions[1].normal[2], 1);
}

// One pair with two regions: more rows than pairs.
TEST(MeshRegions, RowsGrow) {
    static const SceneMesh *const ring = shared_mesh(torus(1, 0.3, 96, 48)), *const bar =
                                                                                 shared_mesh(grid_box(6, 0.2, 0.2, 1));
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.body("ring", true, {0, 0, 0});
    b.mesh(ring);
    b.body("bar", false, {0, 0, 0});
    b.mesh(bar);
    std::vector<UserState> states(2);
    for (UserState &s : states) s.orientation[0] = 1;
    states[1].position_m[2] = 0.37;
    const Contacts found = Evaluator(b.view(), evaluate_options(0)).run(states);
    ASSERT_EQ(found.region_count, 2u);
    EXPECT_NEAR(std::fabs(found.regions[0].centroid_m[0]), 0.99794, 2e-5);
    EXPECT_NEAR(found.regions[0].centroid_m[0], -found.regions[1].centroid_m[0], 1e-8);
    EXPECT_EQ(found.regions[1].region, 1u);
}

TEST(MeshRegions, FarFromTheOrigin) {
    SceneBuilder b = meshes_on_ground();
    std::vector<UserState> states = states_of(b.view(), 50);
    Evaluator evaluator(b.view(), evaluate_options(0));
    const Contacts near = evaluator.run(states);
    for (UserState &s : states) s.position_m[0] += 1024; // of the fixed ones too
    const Contacts far = evaluator.run(states);
    ASSERT_EQ(near.region_count, far.region_count);
    for (size_t i = 0; i < near.region_count; i++) {
        EXPECT_NEAR(near.regions[i].area_m2, far.regions[i].area_m2, 1e-10);
        EXPECT_NEAR(near.regions[i].centroid_m[0] + 1024, far.regions[i].centroid_m[0], 1e-6);
        if ((near.regions[i].flags & CLACK_REGION_ENGULFED) != 0) continue;
        EXPECT_NEAR(near.regions[i].volume_m3, far.regions[i].volume_m3, 1e-10);
    }
}

} // namespace
