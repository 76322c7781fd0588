// Scenes of meshes for the evaluator.
#ifndef CLACK_TESTS_MESH_SCENES_H
#define CLACK_TESTS_MESH_SCENES_H

#include "evaluate_fixture.h"
#include "region_scene.h"

namespace regions {

/// A surface's tables, among those that all scenes of the program share.
inline const SceneMesh *shared_mesh(const Soup &soup) {
    meshes::Built built(soup);
    SceneMesh *table = nullptr;
    EXPECT_EQ(mesh_table_make(built.mesh, &table, nullptr), CLACK_OK);
    table->number = uint32_t(shared_meshes().size());
    shared_meshes().push_back(table);
    return table;
}

/// A ground, a fixed box, a sphere, a torus and a bar, one off its body's centre of mass and turned.
inline SceneBuilder meshes_on_ground() {
    static const SceneMesh *const ball = shared_mesh(icosphere(3, 0.5)),
                                  *const ring = shared_mesh(torus(1, 0.3, 48, 24)),
                                  *const bar = shared_mesh(grid_box(2, 0.3, 0.3, 2)),
                                  *const block = shared_mesh(grid_box(1.2, 0.8, 1, 3));
    SceneBuilder b;
    b.material();
    b.pair(0, 0, 0.5);
    b.ground();
    b.body("block", true, {0, 0, 0});
    b.mesh(block);
    b.body("ball", false, {0, 0, 0});
    b.mesh(ball);
    b.body("ring", false, {0, 0, 0});
    b.mesh(ring);
    b.body("bar", false, {0, 0, 0});
    SceneShape &shape = b.mesh(bar);
    shape.position_m[0] = 0.3;
    shape.rotation.kind = ROTATION_CARDAN;
    shape.rotation.value[0] = 0.7;
    b.mesh(ball).position_m[2] = 0.2;
    return b;
}

inline bool same_regions(const ClackContacts &a, const ClackContacts &b) {
    return a.configuration_count == b.configuration_count && a.region_count == b.region_count &&
           same_bits(a.first_region, b.first_region, (a.configuration_count + 1) * sizeof *a.first_region) &&
           same_bits(a.regions, b.regions, a.region_count * sizeof *a.regions);
}

/// Regions with their contours.
inline EvaluateOptions contour_options(uint32_t batch = 0, const char *device = "native") {
    EvaluateOptions options = evaluate_options(0, false, batch, device);
    options.lists_contours = 1;
    return options;
}

inline bool same_contours(const ClackContacts &a, const ClackContacts &b) {
    return a.contour_point_count == b.contour_point_count && a.contour_point_count > 0 &&
           same_bits(a.contour_points, b.contour_points, a.contour_point_count * sizeof *a.contour_points);
}

} // namespace regions

#endif
