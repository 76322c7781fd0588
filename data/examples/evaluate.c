// Contacts without stepping, in C: two steel spheres at ten distances, beside Hertz by hand.
//
//   cmake --build build --target example_evaluate
//   build/example_evaluate data/examples/two_spheres.yaml
//
// Prints a table; exit 1 where the evaluator and the formula differ.
#include <clack/clack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CONFIGURATIONS 10
#define BODIES 2
#define RADIUS_M 0.05 // of both, as in the study
#define YOUNG_PA 2.0e11
#define POISSON 0.3

// Spheres of equal size and material: 1/R* = 2/R, 1/E* = 2 (1 - nu^2) / E.
static double hertz_N(double distance_m) {
    const double modulus_Pa = YOUNG_PA / (2 * (1 - POISSON * POISSON));
    return distance_m < 0 ? 4.0 / 3.0 * modulus_Pa * sqrt(RADIUS_M / 2) * pow(-distance_m, 1.5) : 0;
}

static int fail(ClackReport *report, ClackStatus status) {
    for (size_t i = 0; i < report->count; i++) fprintf(stderr, "%s\n", report->lines[i]);
    clack_report_clear(report);
    return clack_status_exit_code(status);
}

// The distance of configuration i: from 20 micrometres apart to 70 overlapping.
static double wanted_m(int i) { return (2 - i) * 1e-5; }

static int print_table(const ClackContacts *contacts) {
    int worst = 0;
    printf("%14s %16s %16s\n", "distance, m", "force, N", "Hertz, N");
    for (size_t i = 0; i < contacts->row_count; i++) {
        const ClackContact *row = &contacts->rows[i];
        const double expected_N = hertz_N(wanted_m((int)row->configuration));
        printf("%14.4g %16.9g %16.9g\n", row->distance_m, row->force_N[0], expected_N);
        // The distance is a difference of numbers of 0.1 m: of 1e-5 m, 1e-11 is lost to rounding.
        if (!(fabs(row->force_N[0] - expected_N) <= 1e-10 * expected_N)) worst = 1;
    }
    return contacts->row_count == CONFIGURATIONS ? worst : 1;
}

int main(int argc, char **argv) {
    ClackReport report = {0};
    ClackStudy *study = NULL;
    ClackEvaluator *evaluator = NULL;
    ClackContacts contacts = CLACK_SIZED(ClackContacts);
    ClackBodyState states[CONFIGURATIONS][BODIES] = {0};
    for (int i = 0; i < CONFIGURATIONS; i++) {
        states[i][0].orientation[0] = states[i][1].orientation[0] = 1; // no rotation
        states[i][1].position_m[0] = 2 * RADIUS_M + wanted_m(i);
    }
    if (argc != 2) {
        fprintf(stderr, "usage: example_evaluate two_spheres.yaml\n");
        return 2;
    }
    const ClackDeviceOptions native = {.size = sizeof native, .choice = "native"};
    const ClackEvaluateOptions options = {.size = sizeof options, .device = &native, .list_all = 1};
    ClackStatus status = clack_study_read(argv[1], NULL, &study, &report);
    if (status == CLACK_OK) status = clack_evaluator_open(study, &options, &evaluator, &report);
    if (status == CLACK_OK) {
        status = clack_evaluate(evaluator, CONFIGURATIONS, states[0], &contacts, &report);
    }
    const int exit_code = status == CLACK_OK ? print_table(&contacts) : fail(&report, status);
    clack_contacts_free(&contacts);
    clack_evaluator_close(evaluator);
    clack_study_free(study);
    return exit_code;
}
