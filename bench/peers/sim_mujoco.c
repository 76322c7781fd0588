// MuJoCo: soft constraints. Restitution through the direct form of solref (-k, -b): half a period of the contact's
// spring is ten steps, or as given; its damping follows from e. solimp 0.99; solver, integrator and cone as they come.
//   sim_mujoco W STEP_S COUNT [CONTACT_S]
#include "sim_common.h"

#include <mujoco/mujoco.h>

static int put_model(char *text, size_t bytes, int workload, double step_s) {
    const Workload s = scene_make(workload, 0);
    size_t used = (size_t)snprintf(text, bytes, "<mujoco>");
#if mjVERSION_HEADER < 230 // lists that are too long cost a step of one sphere sixty times its time
    used += (size_t)snprintf(text + used, bytes - used, "<size nconmax='%d' njmax='%d'/>",
                             workload == 4   ? 600
                             : workload == 2 ? 60
                                             : 10,
                             workload == 4   ? 2400
                             : workload == 2 ? 240
                                             : 50);
#endif
    used += (size_t)snprintf(
        text + used, bytes - used,
        "<option timestep='%.9g' gravity='0 0 %g'/><default><geom solimp='.99 .99 .001' density='%g'/></default>"
        "<worldbody><geom type='plane' size='5 5 1'/>",
        step_s, -GRAVITY_M_PER_S2, DENSITY_KG_PER_M3);
    for (int side = 0; s.wall_m > 0 && side < 4; side++) {
        const int sign = side % 2 == 0 ? 1 : -1, x = side < 2 ? sign : 0, y = side < 2 ? 0 : sign;
        used += (size_t)snprintf(text + used, bytes - used,
                                 "<geom type='plane' size='5 5 1' pos='%g %g 0' zaxis='%d %d 0'/>", -x * s.wall_m,
                                 -y * s.wall_m, x, y);
    }
    for (int i = 0; i < s.bodies; i++) {
        used += (size_t)snprintf(text + used, bytes - used, "<body pos='0 0 %d'><freejoint/>", i);
        used += workload == 3
                    ? (size_t)snprintf(text + used, bytes - used, "<geom type='box' size='%g %g %g'/></body>",
                                       box_half_m[0], box_half_m[1], box_half_m[2])
                    : (size_t)snprintf(text + used, bytes - used, "<geom type='sphere' size='%g'/></body>", s.radius_m);
    }
    return (int)(used + (size_t)snprintf(text + used, bytes - used, "</worldbody></mujoco>"));
}

static mjModel *load(int workload, double step_s) {
    static char text[65536];
    char path[] = "/tmp/sim_mujoco_XXXXXX.xml", error[1000] = "";
    const int bytes = put_model(text, sizeof text, workload, step_s);
    const int descriptor = mkstemps(path, 4);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) return NULL;
    fwrite(text, 1, (size_t)bytes, file);
    fclose(file);
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    if (model == NULL) fprintf(stderr, "%s\n", error);
    return model;
}

static void run(Sim *sim, int k, mjModel *m, mjData *d, double contact_s) {
    const Workload s = scene_make(sim->workload, k);
    const double l = -log(s.restitution), damping = l / sqrt(M_PI * M_PI + l * l);
    const double frequency = M_PI / contact_s / sqrt(1 - damping * damping);
    for (int g = 0; g < m->ngeom; g++) {
        m->geom_solref[2 * g] = -frequency * frequency;
        m->geom_solref[2 * g + 1] = -2 * damping * frequency;
        m->geom_friction[3 * g] = s.friction;
    }
    mj_resetData(m, d);
    for (int i = 0; i < s.bodies; i++) {
        memcpy(d->qpos + 7 * i, s.position_m[i], sizeof s.position_m[i]);
        memcpy(d->qpos + 7 * i + 3, s.orientation, sizeof s.orientation);
        memcpy(d->qvel + 6 * i, s.velocity_m_per_s[i], sizeof s.velocity_m_per_s[i]);
        memcpy(d->qvel + 6 * i + 3, s.spin_rad_per_s, sizeof s.spin_rad_per_s);
    }
    int has_hit = 0;
    const int steps = (int)ceil(s.end_s / m->opt.timestep - 1e-9);
    for (int i = 0; i < steps; i++) {
        mj_step(m, d);
        has_hit |= d->ncon > 0;
        if (has_hit && d->qvel[2] > 0) sim->apex_m[k] = fmax(sim->apex_m[k], d->qpos[2]);
        for (int c = 0; c < d->ncon; c++) sim->penetration_m = fmax(sim->penetration_m, -d->contact[c].dist);
    }
    for (int i = 0; i < s.bodies; i++) memcpy(sim_place(sim, k, i), d->qpos + 7 * i, 3 * sizeof(double));
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const double step_s = atof(argv[2]), contact_s = argc > 4 ? atof(argv[4]) : 10 * step_s;
    mjModel *model = load(atoi(argv[1]), step_s);
    if (model == NULL) return 1;
    mjData *data = mj_makeData(model);
    Sim sim = sim_start(atoi(argv[1]), atoi(argv[3]));
    for (int k = 0; k < sim.count; k++) run(&sim, k, model, data, contact_s);
    char peer[64], setting[64];
    snprintf(peer, sizeof peer, "MuJoCo %s", mj_versionString());
    snprintf(setting, sizeof setting, "%g ms", 1e3 * step_s);
    sim_print(&sim, peer, setting, "");
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
