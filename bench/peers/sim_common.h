// Workloads W1 to W4 as every program here gets them, scene by scene, and the line of JSON that each prints.
// SI units, g = 9.81 m/s^2 along -z, density 7850 kg/m^3; random numbers by splitmix64, seeded with 1000 W + k for
// scene k.
//   W1  a sphere, r = 0.1 m, dropped from h_k = 0.8 + 0.4 ((104729 k) mod 1000)/999 m above a plane with the
//   restitution
//       e_k = 0.5 + 0.45 ((7919 k) mod 1000)/999; 1 s
//   W2  ten spheres, r = 0.05 m, in an open box with walls at +-0.2 m: (+-0.08, +-0.08, 0.1 + 0.145 layer) m, each
//       coordinate moved by up to 0.02 m; e = 0.5, mu = 0.3; 1 s
//   W3  a box of 0.2 x 0.15 x 0.1 m, 0.4 m high, in any orientation, v = (1, 0, 0) m/s, w = (5, 3, 7) rad/s;
//       e = mu = 0.5; 1 s
//   W4  a hundred spheres, r = 0.05 m, in 5 x 5 x 4 places 0.105 m apart, moved by up to 0.002 m, at up to 1 m/s along
//       each axis, between walls at +-0.3 m; e = 0.5, mu = 0.3; 0.1 s
#ifndef CLACK_BENCH_SIM_COMMON_H
#define CLACK_BENCH_SIM_COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BODIES_MOST 100
#define PLACES_SCENES 16 // whose final places are printed
#define DENSITY_KG_PER_M3 7850.0
#define GRAVITY_M_PER_S2 9.81

static const double box_half_m[3] = {0.1, 0.075, 0.05};
static const int bodies_of[5] = {0, 1, 10, 1, 100};
static const double end_of[5] = {0, 1, 1, 1, 0.1};

typedef struct Workload { // one scene of it
    int bodies;
    double radius_m, wall_m; // wall_m 0: only the floor
    double end_s, restitution, friction, height_m;
    double position_m[BODIES_MOST][3], velocity_m_per_s[BODIES_MOST][3];
    double spin_rad_per_s[3], orientation[4]; // of all bodies; w, x, y, z
} Workload;

static double scene_uniform(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void scene_fill_box(int workload, Workload *s, uint64_t *random) {
    for (int i = 0; i < s->bodies; i++) {
        double *x = s->position_m[i];
        if (workload == 2) {
            x[0] = i & 1 ? 0.08 : -0.08;
            x[1] = i & 2 ? 0.08 : -0.08;
            x[2] = 0.1 + 0.145 * (i / 4);
        } else {
            x[0] = (i % 5 - 2) * 0.105;
            x[1] = (i / 5 % 5 - 2) * 0.105;
            x[2] = 0.052 + 0.105 * (i / 25);
        }
        const double most = workload == 2 ? 0.02 : 0.002;
        for (int k = 0; k < 3; k++) {
            x[k] += most * (2 * scene_uniform(random) - 1);
            if (workload == 4) s->velocity_m_per_s[i][k] = 2 * scene_uniform(random) - 1;
        }
    }
}

static Workload scene_make(int workload, int k) {
    Workload s = {0};
    uint64_t random = 1000u * (uint64_t)workload + (uint64_t)k;
    s.bodies = bodies_of[workload];
    s.end_s = end_of[workload];
    s.orientation[0] = 1;
    s.radius_m = workload == 1 ? 0.1 : 0.05;
    s.restitution = 0.5;
    s.friction = workload == 3 ? 0.5 : 0.3;
    s.wall_m = workload == 2 ? 0.2 : workload == 4 ? 0.3 : 0;
    if (workload == 1) {
        s.height_m = 0.8 + 0.4 * (double)(k * 104729ll % 1000) / 999;
        s.restitution = 0.5 + 0.45 * (double)(k * 7919ll % 1000) / 999;
        s.position_m[0][2] = s.radius_m + s.height_m;
    } else if (workload == 3) {
        s.position_m[0][2] = 0.4;
        s.velocity_m_per_s[0][0] = 1;
        s.spin_rad_per_s[0] = 5;
        s.spin_rad_per_s[1] = 3;
        s.spin_rad_per_s[2] = 7;
        const double a = scene_uniform(&random), b = 2 * M_PI * scene_uniform(&random),
                     c = 2 * M_PI * scene_uniform(&random);
        s.orientation[0] = sqrt(a) * cos(c);
        s.orientation[1] = sqrt(1 - a) * sin(b);
        s.orientation[2] = sqrt(1 - a) * cos(b);
        s.orientation[3] = sqrt(a) * sin(c);
    } else {
        scene_fill_box(workload, &s, &random);
    }
    return s;
}

static inline double scene_mass_kg(const Workload *s, int workload) {
    return workload == 3 ? DENSITY_KG_PER_M3 * 8 * box_half_m[0] * box_half_m[1] * box_half_m[2]
                         : DENSITY_KG_PER_M3 * 4 / 3 * M_PI * pow(s->radius_m, 3);
}

// --- what a program measures ---------------------------------------------------------------------------------

typedef struct Sim { // of `count` scenes of a workload; sim_start, then per scene results, then sim_print
    int workload, count;
    double *apex_m;       // (count): W1, after the first impact
    double *places_m;     // (count, bodies, 3): at the end
    double penetration_m; // deepest; < 0: not told
    double cpu_start_s, wall_start_s;
    double cpu_s, wall_s; // 0: runs
} Sim;

static double sim_clock_s(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Sim sim_start(int workload, int count) {
    Sim sim = {0};
    sim.workload = workload;
    sim.count = count;
    sim.penetration_m = -1;
    sim.apex_m = (double *)calloc((size_t)count, sizeof(double));
    sim.places_m = (double *)calloc((size_t)(count * bodies_of[workload] * 3), sizeof(double));
    sim.cpu_start_s = sim_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    sim.wall_start_s = sim_clock_s(CLOCK_MONOTONIC);
    return sim;
}

static inline double *sim_place(Sim *sim, int scene, int body) {
    return sim->places_m + 3 * (scene * bodies_of[sim->workload] + body);
}

// The clocks stop; what follows is about results.
static inline void sim_stop(Sim *sim) {
    sim->cpu_s = sim_clock_s(CLOCK_PROCESS_CPUTIME_ID) - sim->cpu_start_s;
    sim->wall_s = sim_clock_s(CLOCK_MONOTONIC) - sim->wall_start_s;
}

// `more`: further members of the object, such as ", \"steps\": 56"; "" for none.
static void sim_print(Sim *sim, const char *peer, const char *setting, const char *more) {
    if (sim->wall_s == 0) sim_stop(sim);
    printf("{\"peer\": \"%s\", \"setting\": \"%s\", \"workload\": \"W%d\", \"scenes\": %d, \"cpu_s\": %.9g, "
           "\"wall_s\": %.9g",
           peer, setting, sim->workload, sim->count, sim->cpu_s, sim->wall_s);
    if (sim->workload == 1) {
        double worst = 0, sum = 0;
        for (int k = 0; k < sim->count; k++) {
            const Workload s = scene_make(1, k);
            const double error = sqrt(fmax(sim->apex_m[k] - s.radius_m, 0) / s.height_m) - s.restitution;
            sum += error / sim->count;
            if (fabs(error) > worst) worst = fabs(error);
        }
        printf(", \"restitution_bias\": %.6g, \"restitution_worst\": %.6g", sum, worst);
    }
    if (sim->penetration_m >= 0) printf(", \"penetration_m\": %.6g", sim->penetration_m);
    printf("%s, \"places\": [", more);
    const int shown = sim->count < PLACES_SCENES ? sim->count : PLACES_SCENES;
    for (int i = 0; i < shown * bodies_of[sim->workload] * 3; i++)
        printf("%s%.12g", i == 0 ? "" : ", ", sim->places_m[i]);
    printf("]}\n");
    free(sim->apex_m);
    free(sim->places_m);
}

#endif
