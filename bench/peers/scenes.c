// The scenes of a workload for programs that read files.
//   scenes study W COUNT FOLDER    FOLDER/wW.yaml and wW.csv: a study of clack, a scene for each line of the table
//   scenes atoms W K               scene K as create_atoms and velocity commands of LAMMPS and LIGGGHTS, on stdout
#include "sim_common.h"

static FILE *open_file(const char *folder, int workload, const char *ending) {
    char path[4096];
    snprintf(path, sizeof path, "%s/w%d.%s", folder, workload, ending);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_bodies(FILE *out, int workload, const Workload *s) {
    for (int i = 0; i < s->bodies; i++) {
        fprintf(out, "    body_%d:\n      material: w_steel\n", i);
        if (workload == 3)
            fprintf(out,
                    "      shapes: [{box: {lengths: [0.2, 0.15, 0.1], smoothing: 0.001}, contact_radius: 0.001}]\n");
        else
            fprintf(out, "      shapes: [{sphere: {diameter: %g}}]\n", 2 * s->radius_m);
        fprintf(out, "      position: [{column: x%d}, {column: y%d}, {column: z%d}]\n", i, i, i);
        fprintf(out, "      velocity: [{column: u%d}, {column: v%d}, {column: w%d}]\n", i, i, i);
        if (workload == 3)
            fprintf(out, "      rotation: {quaternion: [{column: q0}, {column: q1}, {column: q2}, {column: q3}]}\n"
                         "      angular_velocity: [5, 3, 7]\n");
    }
}

static void write_study(FILE *out, int workload) {
    const Workload s = scene_make(workload, 0);
    fprintf(out, "format: 1\ntitle: Workload W%d\nscene:\n  gravity: [0, 0, -%g]\n", workload, GRAVITY_M_PER_S2);
    fprintf(out, "  materials:\n    w_steel: {young: 2.0e11, poisson: 0.3, density: %g}\n", DENSITY_KG_PER_M3);
    fprintf(out, "  pairs:\n    - {between: [w_steel, w_steel], restitution: %s, friction: %g, rolling: 0}\n",
            workload == 1 ? "{column: e}, damping: exact" : "0.5", s.friction);
    fprintf(out, "  bodies:\n    box:\n      fixed: true\n      material: w_steel\n      shapes:\n"
                 "        - half_space: {normal: [0, 0, 1]}\n");
    for (int side = 0; s.wall_m > 0 && side < 4; side++) {
        const int sign = side % 2 == 0 ? 1 : -1;
        fprintf(out, "        - half_space: {normal: [%d, %d, 0], offset: %g}\n", side < 2 ? sign : 0,
                side < 2 ? 0 : sign, -s.wall_m);
    }
    write_bodies(out, workload, &s);
    fprintf(out, "design: {table: w%d.csv}\nsolver: {end: %g}\n", workload, s.end_s);
    if (workload == 1)
        fprintf(out, "outputs:\n  quantities:\n    apex: {max: body_0.position.z, after: first_contact_end}\n"
                     "    in: {speed_of: contact_begin, n: 1}\n    out: {speed_of: contact_end, n: 1}\n"
                     "    depth: {max: body_0.penetration}\n");
}

static void write_table(FILE *out, int workload, int count) {
    const int bodies = bodies_of[workload];
    fprintf(out, "e,q0,q1,q2,q3");
    for (int i = 0; i < bodies; i++) fprintf(out, ",x%d,y%d,z%d,u%d,v%d,w%d", i, i, i, i, i, i);
    for (int k = 0; k < count; k++) {
        const Workload s = scene_make(workload, k);
        fprintf(out, "\n%.17g", s.restitution);
        for (int j = 0; j < 4; j++) fprintf(out, ",%.17g", s.orientation[j]);
        for (int i = 0; i < bodies; i++) {
            for (int j = 0; j < 3; j++) fprintf(out, ",%.17g", s.position_m[i][j]);
            for (int j = 0; j < 3; j++) fprintf(out, ",%.17g", s.velocity_m_per_s[i][j]);
        }
    }
    fprintf(out, "\n");
}

static void print_atoms(int workload, int k) {
    const Workload s = scene_make(workload, k);
    for (int i = 0; i < s.bodies; i++)
        printf("create_atoms 1 single %.15g %.15g %.15g units box\n", s.position_m[i][0], s.position_m[i][1],
               s.position_m[i][2]);
    printf("set group all diameter %g density %g\n", 2 * s.radius_m, DENSITY_KG_PER_M3);
    for (int i = 0; i < s.bodies && workload == 4; i++)
        printf("group g%d id %d\nvelocity g%d set %.15g %.15g %.15g units box\ngroup g%d delete\n", i, i + 1, i,
               s.velocity_m_per_s[i][0], s.velocity_m_per_s[i][1], s.velocity_m_per_s[i][2], i);
}

int main(int argc, char **argv) {
    const int workload = argc > 2 ? atoi(argv[2]) : 0;
    if (workload < 1 || workload > 4) return 2;
    if (argc == 5 && strcmp(argv[1], "study") == 0) {
        FILE *study = open_file(argv[4], workload, "yaml"), *table = open_file(argv[4], workload, "csv");
        write_study(study, workload);
        write_table(table, workload, atoi(argv[3]));
        return fclose(study) != 0 || fclose(table) != 0;
    }
    if (argc != 4 || strcmp(argv[1], "atoms") != 0) return 2;
    print_atoms(workload, atoi(argv[3]));
    return 0;
}
