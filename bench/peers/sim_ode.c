// Open Dynamics Engine: rigid bodies, restitution by its contact joints.
//   sim_ode W STEP_S COUNT [step]      step: dWorldStep instead of dWorldQuickStep
#include "sim_common.h"

#include <ode/ode.h>

#define CONTACTS_MOST 8
#define BOUNCE_SPEED_M_PER_S 0.01

typedef struct World {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    const Workload *scene;
    double deepest_m;
    int has_hit;
} World;

static void meet(void *context, dGeomID a, dGeomID b) {
    World *w = context;
    dContact contacts[CONTACTS_MOST];
    if (dGeomGetBody(a) == 0 && dGeomGetBody(b) == 0) return;
    const int count = dCollide(a, b, CONTACTS_MOST, &contacts[0].geom, sizeof *contacts);
    for (int i = 0; i < count; i++) {
        memset(&contacts[i].surface, 0, sizeof contacts[i].surface);
        contacts[i].surface.mode = dContactBounce | dContactApprox1; // without it mu is a force
        contacts[i].surface.mu = w->scene->friction;
        contacts[i].surface.bounce = w->scene->restitution;
        contacts[i].surface.bounce_vel = BOUNCE_SPEED_M_PER_S;
        w->deepest_m = fmax(w->deepest_m, contacts[i].geom.depth);
        w->has_hit = 1;
        dJointAttach(dJointCreateContact(w->world, w->joints, &contacts[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

static void build(World *w, int workload, dBodyID *bodies) {
    const Workload *s = w->scene;
    w->world = dWorldCreate();
    w->space = workload == 4 ? dHashSpaceCreate(0) : dSimpleSpaceCreate(0);
    w->joints = dJointGroupCreate(0);
    dWorldSetGravity(w->world, 0, 0, -GRAVITY_M_PER_S2);
    dCreatePlane(w->space, 0, 0, 1, 0);
    for (int side = 0; s->wall_m > 0 && side < 4; side++) {
        const int sign = side % 2 == 0 ? 1 : -1;
        dCreatePlane(w->space, side < 2 ? sign : 0, side < 2 ? 0 : sign, 0, -s->wall_m);
    }
    for (int i = 0; i < s->bodies; i++) {
        const double *x = s->position_m[i], *v = s->velocity_m_per_s[i], *spin = s->spin_rad_per_s, *h = box_half_m;
        const dQuaternion turn = {s->orientation[0], s->orientation[1], s->orientation[2], s->orientation[3]};
        dMass mass;
        if (workload == 3)
            dMassSetBox(&mass, DENSITY_KG_PER_M3, 2 * h[0], 2 * h[1], 2 * h[2]);
        else
            dMassSetSphere(&mass, DENSITY_KG_PER_M3, s->radius_m);
        const dGeomID geom =
            workload == 3 ? dCreateBox(w->space, 2 * h[0], 2 * h[1], 2 * h[2]) : dCreateSphere(w->space, s->radius_m);
        bodies[i] = dBodyCreate(w->world);
        dBodySetMass(bodies[i], &mass);
        dGeomSetBody(geom, bodies[i]);
        dBodySetPosition(bodies[i], x[0], x[1], x[2]);
        dBodySetQuaternion(bodies[i], turn);
        dBodySetLinearVel(bodies[i], v[0], v[1], v[2]);
        dBodySetAngularVel(bodies[i], spin[0], spin[1], spin[2]);
    }
}

static void run(Sim *sim, int k, double step_s, int is_exact) {
    const Workload s = scene_make(sim->workload, k);
    World w = {.scene = &s};
    dBodyID bodies[BODIES_MOST];
    build(&w, sim->workload, bodies);
    const int steps = (int)ceil(s.end_s / step_s - 1e-9);
    for (int i = 0; i < steps; i++) {
        dSpaceCollide(w.space, &w, meet);
        if (is_exact)
            dWorldStep(w.world, step_s);
        else
            dWorldQuickStep(w.world, step_s);
        dJointGroupEmpty(w.joints);
        if (w.has_hit && dBodyGetLinearVel(bodies[0])[2] > 0)
            sim->apex_m[k] = fmax(sim->apex_m[k], dBodyGetPosition(bodies[0])[2]);
    }
    for (int i = 0; i < s.bodies; i++)
        for (int j = 0; j < 3; j++) sim_place(sim, k, i)[j] = dBodyGetPosition(bodies[i])[j];
    sim->penetration_m = fmax(sim->penetration_m, w.deepest_m);
    dJointGroupDestroy(w.joints);
    dSpaceDestroy(w.space);
    dWorldDestroy(w.world);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const double step_s = atof(argv[2]);
    const int is_exact = argc > 4 && strcmp(argv[4], "step") == 0;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    Sim sim = sim_start(atoi(argv[1]), atoi(argv[3]));
    for (int k = 0; k < sim.count; k++) run(&sim, k, step_s, is_exact);
    char setting[64];
    snprintf(setting, sizeof setting, "%s %g ms", is_exact ? "WorldStep" : "QuickStep", 1e3 * step_s);
    sim_print(&sim, "ODE", setting, "");
    return 0;
}
