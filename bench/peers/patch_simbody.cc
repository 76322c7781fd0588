// Simbody's elastic foundation: a spring on each face of a mesh, against a half-space below z = 0.
//   patch_simbody force MESH.obj POSES STIFFNESS ROUNDS [DEPTH]
//   patch_simbody impact MESH.obj POSES STIFFNESS ACCURACY SPEED DISSIPATION MASS INERTIA END
//   patch_simbody slope MESH.obj POSES STIFFNESS ACCURACY TANGENT FRICTION TRANSITION MASS INERTIA END SPIN
// DEPTH: that of the middle of the same mesh, fixed and with springs too, which is there instead of the half-space.
// POSES: lines of x y z and a quaternion w x y z. Prints a line of JSON: of `force` force and moment about the body's
// origin of each pose, of `impact` speeds after it, steps and evaluations, of `slope` places at half and all of the
// time, and the spin then.
#include <Simbody.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

using namespace SimTK;

namespace {

std::vector<Transform> read_poses(const char *path) {
    std::ifstream file(path);
    std::vector<Transform> poses;
    double x, y, z, w, a, b, c;
    while (file >> x >> y >> z >> w >> a >> b >> c)
        poses.push_back(Transform(Rotation(Quaternion(Vec4(w, a, b, c))), Vec3(x, y, z)));
    return poses;
}

double cpu_s() { return double(clock()) / CLOCKS_PER_SEC; }

struct Springs { // of the foundation
    double stiffness_N_per_m3, dissipation_s_per_m, friction, transition_m_per_s;
};

struct World {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    GeneralContactSubsystem contacts{system};
    ContactSetIndex set = contacts.createContactSet();
    MobilizedBody::Free body;
    ElasticFoundationForce foundation{forces, contacts, set};

    World(double mass_kg, double inertia_kg_m2)
        : body(matter.Ground(), Body::Rigid(MassProperties(mass_kg, Vec3(0), Inertia(inertia_kg_m2)))) {}
    void add_half_space() { // x > 0 of its own frame
        contacts.addBody(set, matter.Ground(), ContactGeometry::HalfSpace(),
                         Transform(Rotation(UnitVec3(0, 0, -1), XAxis), Vec3(0)));
    }
    /// On the body, or on the ground at a depth.
    void add_mesh(const char *path, Springs springs, double depth_m = 0) {
        PolygonalMesh mesh;
        mesh.loadObjFile(path);
        if (depth_m > 0)
            contacts.addBody(set, matter.Ground(), ContactGeometry::TriangleMesh(mesh), Vec3(0, 0, -depth_m));
        else
            contacts.addBody(set, body, ContactGeometry::TriangleMesh(mesh), Transform());
        const ContactSurfaceIndex surface(contacts.getNumBodies(set) - 1);
        foundation.setBodyParameters(surface, springs.stiffness_N_per_m3, springs.dissipation_s_per_m, springs.friction,
                                     springs.friction, 0);
        foundation.setTransitionVelocity(springs.transition_m_per_s);
    }
    State start() {
        State state = system.realizeTopology();
        system.realizeModel(state);
        return state;
    }
};

void print_forces(World &world, const std::vector<Transform> &poses, int rounds) {
    State state = world.start();
    std::vector<SpatialVec> found(poses.size());
    const double start_s = cpu_s();
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < poses.size(); k++) {
            world.body.setQToFitTransform(state, poses[k]);
            world.system.realize(state, Stage::Dynamics);
            found[k] = world.system.getRigidBodyForces(state, Stage::Dynamics)[world.body.getMobilizedBodyIndex()];
        }
    std::printf("{\"cpu_s\": %.9g, \"evaluations\": %zu, \"forces\": [", cpu_s() - start_s, rounds * poses.size());
    for (size_t k = 0; k < poses.size(); k++)
        std::printf("%s[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", k == 0 ? "" : ", ", found[k][1][0], found[k][1][1],
                    found[k][1][2], found[k][0][0], found[k][0][1], found[k][0][2]);
    std::printf("]}\n");
}

void print_impacts(World &world, const std::vector<Transform> &poses, double accuracy, double speed_m_per_s,
                   double end_s) {
    State state = world.start();
    std::vector<double> speeds;
    long steps = 0, evaluations = 0;
    const double start_s = cpu_s();
    for (const Transform &pose : poses) {
        world.body.setQToFitTransform(state, pose);
        world.body.setUToFitVelocity(state, SpatialVec(Vec3(0), Vec3(0, 0, -speed_m_per_s)));
        state.setTime(0);
        RungeKuttaMersonIntegrator integrator(world.system);
        integrator.setAccuracy(accuracy);
        integrator.initialize(state);
        while (integrator.getTime() < end_s) integrator.stepTo(end_s);
        speeds.push_back(world.body.getBodyOriginVelocity(integrator.getState())[2]);
        steps += integrator.getNumStepsTaken();
        evaluations += integrator.getNumRealizations();
    }
    const double n = double(poses.size());
    std::printf("{\"cpu_s\": %.9g, \"steps\": %.6g, \"evaluations\": %.6g, \"impacts\": [", (cpu_s() - start_s) / n,
                double(steps) / n, double(evaluations) / n);
    for (size_t k = 0; k < poses.size(); k++) std::printf("%s%.17g", k == 0 ? "" : ", ", speeds[k]);
    std::printf("]}\n");
}

/// Gravity is tilted instead of the half-space.
void print_slope(World &world, const Transform &pose, double accuracy, double tangent, double spin_rad_per_s,
                 double end_s) {
    const double g_m_per_s2 = 9.81, angle = std::atan(tangent);
    const Vec3 down(std::sin(angle), 0, -std::cos(angle));
    Force::UniformGravity gravity(world.forces, world.matter, g_m_per_s2 * down);
    State state = world.start();
    world.body.setQToFitTransform(state, pose);
    world.body.setUToFitVelocity(state, SpatialVec(Vec3(0, 0, spin_rad_per_s), Vec3(0)));
    RungeKuttaMersonIntegrator integrator(world.system);
    integrator.setAccuracy(accuracy);
    const double start_s = cpu_s();
    integrator.initialize(state);
    while (integrator.getTime() < end_s / 2) integrator.stepTo(end_s / 2); // it returns at the start, too
    const double half_m = world.body.getBodyOriginLocation(integrator.getState())[0];
    while (integrator.getTime() < end_s) integrator.stepTo(end_s);
    const State &last = integrator.getState();
    std::printf("{\"cpu_s\": %.9g, \"half_m\": %.17g, \"way_m\": %.17g, \"spin\": %.17g}\n", cpu_s() - start_s, half_m,
                world.body.getBodyOriginLocation(last)[0], world.body.getBodyAngularVelocity(last)[2]);
}

int run(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto number = [&](int k) { return std::atof(argv[k]); };
    if (what == "force" && (argc == 6 || argc == 7)) {
        World world(1, 1);
        if (argc == 7)
            world.add_mesh(argv[2], {number(4), 0, 0, 0.01}, number(6));
        else
            world.add_half_space();
        world.add_mesh(argv[2], {number(4), 0, 0, 0.01});
        print_forces(world, read_poses(argv[3]), std::atoi(argv[5]));
    } else if (what == "impact" && argc == 11) {
        World world(number(8), number(9));
        world.add_half_space();
        world.add_mesh(argv[2], {number(4), number(7), 0, 0.01});
        print_impacts(world, read_poses(argv[3]), number(5), number(6), number(10));
    } else if (what == "slope" && argc == 13) {
        World world(number(9), number(10));
        world.add_half_space();
        world.add_mesh(argv[2], {number(4), 0, number(7), number(8)});
        print_slope(world, read_poses(argv[3])[0], number(5), number(6), number(12), number(11));
    } else {
        return 2;
    }
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
