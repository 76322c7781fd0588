// Simbody: Hertz's contact with Hunt and Crossley's damping (e = 1 - c v), Runge-Kutta-Merson with error control.
// Steel, but for the box of W3, whose penalty is 1e9 Pa.
//   sim_simbody W ACCURACY COUNT
#include "sim_common.h"

#include <Simbody.h>

using namespace SimTK;

namespace {

constexpr double YOUNG_PA = 2e11, POISSON = 0.3, BOX_PENALTY_PA = 1e9, TRANSITION_M_PER_S = 0.01;

struct World {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    Force::UniformGravity gravity{forces, matter, Vec3(0, 0, -GRAVITY_M_PER_S2)};
    ContactTrackerSubsystem tracker{system};
    CompliantContactSubsystem contact{system, tracker};
    std::vector<MobilizedBody::Free> bodies;
    ContactMaterial material;

    World(const Workload &s, int workload) : material(steel(s, workload)) {
        contact.setTransitionVelocity(TRANSITION_M_PER_S);
        add_plane(Vec3(0, 0, 1), 0);
        for (int side = 0; s.wall_m > 0 && side < 4; side++) {
            const int sign = side % 2 == 0 ? 1 : -1;
            add_plane(Vec3(side < 2 ? sign : 0, side < 2 ? 0 : sign, 0), -s.wall_m);
        }
        const Vec3 half(box_half_m[0], box_half_m[1], box_half_m[2]);
        const UnitInertia inertia = workload == 3 ? UnitInertia::brick(half) : UnitInertia::sphere(s.radius_m);
        const double mass = scene_mass_kg(&s, workload);
        Body::Rigid body(MassProperties(mass, Vec3(0), inertia));
        if (workload == 3)
            body.addContactSurface(Transform(), ContactSurface(ContactGeometry::Brick(half), material));
        else
            body.addContactSurface(Transform(), ContactSurface(ContactGeometry::Sphere(s.radius_m), material));
        for (int i = 0; i < s.bodies; i++) bodies.push_back(MobilizedBody::Free(matter.Ground(), body));
    }

    // Speeds at which the law has the restitution asked for: of the first impact, typical ones elsewhere.
    static ContactMaterial steel(const Workload &s, int workload) {
        const double speed = workload == 1 ? sqrt(2 * GRAVITY_M_PER_S2 * s.height_m) : workload == 3 ? 2.5 : 1.5;
        const double stiffness = workload == 3 ? BOX_PENALTY_PA : YOUNG_PA / (1 - POISSON * POISSON);
        return ContactMaterial(stiffness, (1 - s.restitution) / speed, s.friction, s.friction, 0);
    }
    // A half-space is x > 0 of its own frame.
    void add_plane(Vec3 normal, double offset) {
        const Rotation turn(UnitVec3(-normal), XAxis);
        matter.Ground().updBody().addContactSurface(Transform(turn, offset * normal),
                                                    ContactSurface(ContactGeometry::HalfSpace(), material));
    }
    State start(const Workload &s) {
        State state = system.realizeTopology();
        system.realizeModel(state);
        for (int i = 0; i < s.bodies; i++) {
            const double *x = s.position_m[i], *v = s.velocity_m_per_s[i], *q = s.orientation, *w = s.spin_rad_per_s;
            bodies[size_t(i)].setQToFitTransform(
                state, Transform(Rotation(Quaternion(Vec4(q[0], q[1], q[2], q[3]))), Vec3(x[0], x[1], x[2])));
            bodies[size_t(i)].setUToFitVelocity(state, SpatialVec(Vec3(w[0], w[1], w[2]), Vec3(v[0], v[1], v[2])));
        }
        return state;
    }
};

long evaluations;

void run(Sim &sim, int k, double accuracy) {
    const Workload s = scene_make(sim.workload, k);
    World w(s, sim.workload);
    RungeKuttaMersonIntegrator integrator(w.system);
    integrator.setAccuracy(accuracy);
    integrator.setReturnEveryInternalStep(true);
    integrator.initialize(w.start(s));
    bool has_hit = false;
    while (integrator.getTime() < s.end_s) {
        integrator.stepTo(s.end_s);
        if (sim.workload != 1) continue;
        const State &state = integrator.getState();
        const double z = w.bodies[0].getBodyOriginLocation(state)[2],
                     speed = w.bodies[0].getBodyOriginVelocity(state)[2];
        has_hit |= z < s.radius_m;
        sim.penetration_m = fmax(sim.penetration_m, s.radius_m - z);
        if (has_hit && speed > 0 && z > s.radius_m) sim.apex_m[k] = z + speed * speed / (2 * GRAVITY_M_PER_S2);
    }
    const State &state = integrator.getState();
    w.system.realize(state, Stage::Position);
    for (int i = 0; i < s.bodies; i++)
        for (int j = 0; j < 3; j++) sim_place(&sim, k, i)[j] = w.bodies[size_t(i)].getBodyOriginLocation(state)[j];
    evaluations += integrator.getNumRealizations();
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const double accuracy = atof(argv[2]);
    Sim sim = sim_start(atoi(argv[1]), atoi(argv[3]));
    for (int k = 0; k < sim.count; k++) run(sim, k, accuracy);
    char setting[64], more[64];
    snprintf(setting, sizeof setting, "accuracy %.0e", accuracy);
    snprintf(more, sizeof more, ", \"evaluations\": %.1f", double(evaluations) / sim.count);
    sim_print(&sim, "Simbody", setting, more);
    return 0;
}
