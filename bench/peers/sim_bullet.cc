// Bullet: sequential impulses, 10 iterations.
//   sim_bullet W STEP_S COUNT
#include "sim_common.h"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

namespace {

using Info = btRigidBody::btRigidBodyConstructionInfo;

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> fixed, free;

    World(const Workload &s, int workload) {
        world.setGravity(btVector3(0, 0, -GRAVITY_M_PER_S2));
        add_plane(btVector3(0, 0, 1), 0);
        for (int side = 0; s.wall_m > 0 && side < 4; side++) {
            const int sign = side % 2 == 0 ? 1 : -1;
            add_plane(btVector3(side < 2 ? sign : 0, side < 2 ? 0 : sign, 0), -s.wall_m);
        }
        if (workload == 3)
            shapes.emplace_back(new btBoxShape(btVector3(box_half_m[0], box_half_m[1], box_half_m[2])));
        else
            shapes.emplace_back(new btSphereShape(s.radius_m));
        for (int i = 0; i < s.bodies; i++) add_body(s, i, scene_mass_kg(&s, workload));
    }
    ~World() {
        for (auto &body : free) world.removeRigidBody(body.get());
        for (auto &body : fixed) world.removeRigidBody(body.get());
    }

    void add_plane(btVector3 normal, double offset) {
        shapes.emplace_back(new btStaticPlaneShape(normal, offset));
        Info info(0, nullptr, shapes.back().get());
        info.m_restitution = info.m_friction = 1;
        fixed.emplace_back(new btRigidBody(info));
        world.addRigidBody(fixed.back().get());
    }
    // Bullet multiplies the numbers of both bodies: with several free ones each has the root.
    void add_body(const Workload &s, int i, double mass) {
        btVector3 inertia;
        shapes.back()->calculateLocalInertia(mass, inertia);
        Info info(mass, nullptr, shapes.back().get(), inertia);
        info.m_startWorldTransform =
            btTransform(btQuaternion(s.orientation[1], s.orientation[2], s.orientation[3], s.orientation[0]),
                        btVector3(s.position_m[i][0], s.position_m[i][1], s.position_m[i][2]));
        info.m_restitution = s.bodies > 1 ? sqrt(s.restitution) : s.restitution;
        info.m_friction = s.bodies > 1 ? sqrt(s.friction) : s.friction;
        free.emplace_back(new btRigidBody(info));
        btRigidBody &body = *free.back();
        body.setLinearVelocity(btVector3(s.velocity_m_per_s[i][0], s.velocity_m_per_s[i][1], s.velocity_m_per_s[i][2]));
        body.setAngularVelocity(btVector3(s.spin_rad_per_s[0], s.spin_rad_per_s[1], s.spin_rad_per_s[2]));
        body.setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(&body);
    }
};

void run(Sim &sim, int k, double step_s) {
    const Workload s = scene_make(sim.workload, k);
    World w(s, sim.workload);
    bool falls = false, has_hit = false;
    const int steps = int(ceil(s.end_s / step_s - 1e-9));
    for (int i = 0; i < steps; i++) {
        w.world.stepSimulation(step_s, 0);
        const double speed = w.free[0]->getLinearVelocity().z(), z = w.free[0]->getWorldTransform().getOrigin().z();
        falls |= speed < -0.5;
        has_hit |= falls && speed > 0;
        if (has_hit) sim.apex_m[k] = fmax(sim.apex_m[k], z);
        for (int m = 0; m < w.dispatcher.getNumManifolds(); m++) {
            const btPersistentManifold &manifold = *w.dispatcher.getManifoldByIndexInternal(m);
            for (int c = 0; c < manifold.getNumContacts(); c++)
                sim.penetration_m = fmax(sim.penetration_m, -manifold.getContactPoint(c).getDistance());
        }
    }
    for (int i = 0; i < s.bodies; i++)
        for (int j = 0; j < 3; j++) sim_place(&sim, k, i)[j] = w.free[size_t(i)]->getWorldTransform().getOrigin()[j];
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const double step_s = atof(argv[2]);
    Sim sim = sim_start(atoi(argv[1]), atoi(argv[3]));
    for (int k = 0; k < sim.count; k++) run(sim, k, step_s);
    char setting[64];
    snprintf(setting, sizeof setting, "%s %g ms", sizeof(btScalar) == 8 ? "double" : "float", 1e3 * step_s);
    sim_print(&sim, "Bullet", setting, "");
    return 0;
}
