// Bodies that start slightly off are moved onto their joints: Gauss-Newton over the equations of the kernels, each
// step's forces by conjugate gradients, which find them also where equations say the same twice.
#include "assembly.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly_internal.h"
#include "stage_internal.h"
#include "integrate/trapezoidal_matrix.h"
#include "joints/constraint.h"

#define STEPS_MOST 50
#define KEPT 1.0e-11    // m or rad: what the scheme keeps constraints to
#define SETTLED 1.0e-15 // of 1 m and of places: a step that moves less is rounding
#define RESIDUAL 1.0e-8 // of an equation, after each step: the next one is off by as much less
// Of each equation by itself, added where it says what others say, so that forces stay finite that move nothing; and
// where equations cannot be kept together, so that no body moves far along what hardly changes them.
#define REGULAR 1.0e-10
#define REGULAR_MISFIT 1.0e-3
#define MISFIT_STEPS 10
#define MISFIT_LEAST 1.0e-11 // of the extent: less is rounding
#define RAD_PER_DEGREE (3.14159265358979323846 / 180.0)
#define NEAR 0.25 // of the extent, and rad: bodies that are moved by more have not been slightly off

typedef struct Move { // of a body: displacement, and rotation in principal axes
    Vec3 shift, turn;
} Move;

// A row of each list for every equation that takes part.
typedef struct Solver {
    SceneView view;
    BodyWork *works;
    Contact *contacts;
    uint32_t *numbers; // (contact_count): of their joints in the scene
    uint32_t contact_count;
    Move *moves;    // (body_count)
    double regular; // REGULAR or REGULAR_MISFIT
    double *all;    // of the lists below, (CONSTRAINT_ROWS_MOST contact_count) each
    double *mu, *residual, *direction, *image, *weight;
} Solver;

static const GLOBAL ConstraintRow *solver_row(const Solver *solver, size_t i) {
    return &solver->contacts[i / CONSTRAINT_ROWS_MOST].step.constraint.rows[i % CONSTRAINT_ROWS_MOST];
}

static size_t solver_rows(const Solver *solver) { return (size_t)solver->contact_count * CONSTRAINT_ROWS_MOST; }

// Is there such an equation, and has it to be kept: those of ropes and limits where they are broken?
static int solver_takes(const Solver *solver, size_t i) {
    const JointConstraint *constraint = &solver->contacts[i / CONSTRAINT_ROWS_MOST].step.constraint;
    const uint32_t row = (uint32_t)(i % CONSTRAINT_ROWS_MOST);
    return row < constraint->count && (!(constraint->unilateral >> row & 1u) || constraint->rows[row].phi > 0.0);
}

// moves = M^-1 J' mu.
static void solver_corrections(const Solver *solver, const double *mu) {
    const SceneView *view = &solver->view;
    memset(solver->moves, 0, view->scene->body_count * sizeof *solver->moves);
    for (size_t i = 0; i < solver_rows(solver); i++) {
        if (!solver_takes(solver, i)) continue;
        const ContactPair *pair = &solver->contacts[i / CONSTRAINT_ROWS_MOST].pair;
        for (u32 is_b = 0; is_b < 2; is_b++) {
            const u32 b = is_b ? pair->body_b : pair->body_a;
            if (!body_is_stepped(view, b)) continue;
            const TrapezoidalRow of =
                trapezoidal_over_mass(view, b, trapezoidal_row(view, solver_row(solver, i), b, is_b));
            solver->moves[b].shift = vec3_add_scaled(solver->moves[b].shift, of.along, mu[i]);
            solver->moves[b].turn = vec3_add_scaled(solver->moves[b].turn, of.turn, mu[i]);
        }
    }
}

// out = (J M^-1 J' + regular diag) mu.
static void solver_apply(const Solver *solver, const double *mu, double *out) {
    const SceneView *view = &solver->view;
    solver_corrections(solver, mu);
    for (size_t i = 0; i < solver_rows(solver); i++) {
        out[i] = solver->weight[i] > 0.0 ? solver->regular / solver->weight[i] * mu[i] : 0.0;
        const ContactPair *pair = &solver->contacts[i / CONSTRAINT_ROWS_MOST].pair;
        for (u32 is_b = 0; solver_takes(solver, i) && is_b < 2; is_b++) {
            const u32 b = is_b ? pair->body_b : pair->body_a;
            if (!body_is_stepped(view, b)) continue;
            const TrapezoidalRow of = trapezoidal_row(view, solver_row(solver, i), b, is_b);
            out[i] += vec3_dot(of.along, solver->moves[b].shift) + vec3_dot(of.turn, solver->moves[b].turn);
        }
    }
}

static double solver_product(const Solver *solver, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < solver_rows(solver); i++) sum += a[i] * b[i];
    return sum;
}

// 1/(J M^-1 J') of each equation by itself; 0 of one that moves nothing.
static void solver_weigh(const Solver *solver) {
    const SceneView *view = &solver->view;
    for (size_t i = 0; i < solver_rows(solver); i++) {
        double inverse = 0.0;
        const ContactPair *pair = &solver->contacts[i / CONSTRAINT_ROWS_MOST].pair;
        for (u32 is_b = 0; solver_takes(solver, i) && is_b < 2; is_b++) {
            const u32 b = is_b ? pair->body_b : pair->body_a;
            if (!body_is_stepped(view, b)) continue;
            const TrapezoidalRow of = trapezoidal_row(view, solver_row(solver, i), b, is_b);
            const TrapezoidalRow over = trapezoidal_over_mass(view, b, of);
            inverse += vec3_dot(of.along, over.along) + vec3_dot(of.turn, over.turn);
        }
        solver->weight[i] = inverse > 0.0 ? 1.0 / inverse : 0.0;
    }
}

// mu of J M^-1 J' mu = phi, by conjugate gradients with the diagonal as preconditioner; of many, the least one.
static void solver_solve(const Solver *solver) {
    const size_t rows = solver_rows(solver);
    double before = 0.0, first = 0.0;
    solver_weigh(solver);
    for (size_t i = 0; i < rows; i++) {
        solver->mu[i] = solver->direction[i] = 0.0;
        solver->residual[i] = solver_takes(solver, i) ? solver_row(solver, i)->phi : 0.0;
    }
    for (size_t step = 0; step < 2 * rows + 10; step++) {
        for (size_t i = 0; i < rows; i++) solver->image[i] = solver->weight[i] * solver->residual[i];
        const double now = solver_product(solver, solver->residual, solver->image);
        if (step == 0) first = now;
        if (!(now > RESIDUAL * RESIDUAL * first)) return;
        for (size_t i = 0; i < rows; i++)
            solver->direction[i] = solver->image[i] + (step > 0 ? now / before : 0.0) * solver->direction[i];
        solver_apply(solver, solver->direction, solver->image);
        const double quadratic = solver_product(solver, solver->direction, solver->image);
        if (!(quadratic > 0.0)) return;
        for (size_t i = 0; i < rows; i++) {
            solver->mu[i] += now / quadratic * solver->direction[i];
            solver->residual[i] -= now / quadratic * solver->image[i];
        }
        before = now;
    }
}

// The equations in the present poses. Returns the largest violation; out_joint: whose it is.
static double solver_evaluate(const Solver *solver, uint32_t *out_joint) {
    double worst = -1.0;
    for (uint32_t c = 0; c < solver->contact_count; c++) {
        Contact *contact = &solver->contacts[c];
        contact->step.constraint.drive = constraint_drive(&solver->view, joint_of(&solver->view, contact), 0.0);
        constraint_take_rows(&solver->view, contact);
        const double off = constraint_violation(&contact->step.constraint);
        if (off > worst) *out_joint = solver->numbers[c];
        worst = fmax(worst, off);
    }
    return worst;
}

// One step. Returns by how much a body was moved, m and rad.
static double solver_move(const Solver *solver) {
    const SceneView *view = &solver->view;
    double most = 0.0;
    solver_solve(solver);
    solver_corrections(solver, solver->mu);
    for (u32 b = 0; b < view->scene->body_count; b++) {
        if (!body_is_stepped(view, b)) continue;
        BodyState *state = &view->works[b].step.trial;
        const Vec3 shift = solver->moves[b].shift, turn = vec3_negate(solver->moves[b].turn);
        state->position_m = vec3_sub(state->position_m, shift);
        const Quat by = quat_exp(turn);
        state->orientation =
            quat_normalize(is_free_ball(view->bodies[b].flags) ? quat_multiply(by, state->orientation)
                                                               : quat_multiply(state->orientation, by));
        most = fmax(most, fmax(vec3_max_abs(shift), vec3_max_abs(turn)));
    }
    return most;
}

// --- a scene ----------------------------------------------------------------------------------------

static int is_constraint(const SceneJoint *joint) {
    return joint->kind > JOINT_SPRING_DAMPER && joint->kind <= JOINT_DISTANCE;
}

static int is_there(const SceneDescription *scene, const SceneJoint *joint) {
    return !scene->bodies[joint->body_a].is_absent && !scene->bodies[joint->body_b].is_absent;
}

int assembly_keeps_joints(const SceneDescription *scene) {
    return scene->method == METHOD_TRAPEZOIDAL || scene->method == METHOD_QUASI_RIGID;
}

int assembly_is_needed(const SceneDescription *scene) {
    for (uint32_t j = 0; assembly_keeps_joints(scene) && j < scene->joint_count; j++) {
        const SceneJoint *joint = &scene->joints[j];
        if (is_constraint(joint) && is_there(scene, joint) && !stage_joint_is_exact(joint)) return 1;
    }
    return 0;
}

// Largest distance in a box around the points of all constraints and the centres of their bodies.
static double extent_of(const SceneDescription *scene, const BodyState *states) {
    Vec3 low = vec3_make(INFINITY, INFINITY, INFINITY), high = vec3_negate(low);
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *joint = &scene->joints[j];
        if (!is_constraint(joint) || !is_there(scene, joint)) continue;
        const Vec3 points[4] = {vec3_from(joint->at_m[0]), vec3_from(joint->at_m[1]), states[joint->body_a].position_m,
                                states[joint->body_b].position_m};
        for (size_t k = 0; k < 4; k++) {
            if (k > 1 && scene->bodies[k == 2 ? joint->body_a : joint->body_b].is_fixed) continue;
            low = vec3_make(fmin(low.x, points[k].x), fmin(low.y, points[k].y), fmin(low.z, points[k].z));
            high = vec3_make(fmax(high.x, points[k].x), fmax(high.y, points[k].y), fmax(high.z, points[k].z));
        }
    }
    return vec3_length(vec3_sub(high, low));
}

// Points that are too far apart to be slightly off.
static int points_are_near(const SceneDescription *scene, double extent_m, Assembly *out) {
    for (uint32_t j = 0; j < scene->joint_count; j++) {
        const SceneJoint *joint = &scene->joints[j];
        if (!is_constraint(joint) || joint->kind == JOINT_DISTANCE || !is_there(scene, joint)) continue;
        const double apart_m = vec3_length(stage_joint_apart(joint));
        if (apart_m <= ASSEMBLY_SHARE_MOST * extent_m) continue;
        out->joint = j;
        snprintf(out->why, sizeof out->why,
                 "expected two points at most %.3g m apart (%g %% of the extent of all joints), found %.3g m",
                 ASSEMBLY_SHARE_MOST * extent_m, 100.0 * ASSEMBLY_SHARE_MOST, apart_m);
        return 0;
    }
    return 1;
}

static void solver_free(Solver *solver) {
    free(solver->works);
    free(solver->contacts);
    free(solver->numbers);
    free(solver->moves);
    free(solver->all);
}

// Bodies at their starts, a contact of each constraint.
static int solver_make(const SceneDescription *description, const Scene *scene, const Body *bodies,
                       const BodyState *states, const Joint *joints, Solver *out) {
    const uint32_t body_count = scene->body_count, joint_total = scene->joint_count;
    const size_t rows = (size_t)joint_total * CONSTRAINT_ROWS_MOST;
    *out = (Solver){0};
    out->works = calloc(body_count + 1u, sizeof *out->works);
    out->contacts = calloc(joint_total + 1u, sizeof *out->contacts);
    out->numbers = calloc(joint_total + 1u, sizeof *out->numbers);
    out->moves = calloc(body_count + 1u, sizeof *out->moves);
    out->all = calloc(5 * rows + 1, sizeof *out->all);
    if (!out->works || !out->contacts || !out->numbers || !out->moves || !out->all) return 0;
    out->mu = out->all;
    out->residual = out->mu + rows;
    out->direction = out->residual + rows;
    out->image = out->direction + rows;
    out->weight = out->image + rows;
    out->view = (SceneView){.scene = scene, .bodies = bodies, .joints = joints, .works = out->works};
    for (uint32_t b = 0; b < body_count; b++) {
        out->works[b].step.trial = states[b];
        out->works[b].mode = description->bodies[b].is_fixed ? MODE_FIXED : MODE_TOUCHING;
    }
    for (uint32_t j = 0; j < joint_total; j++) {
        if (joints[j].kind <= JOINT_SPRING_DAMPER || joints[j].kind > JOINT_DISTANCE) continue;
        Contact *contact = &out->contacts[out->contact_count];
        contact->pair.body_a = joints[j].body_a;
        contact->pair.body_b = joints[j].body_b;
        contact->pair.feature = j;
        out->numbers[out->contact_count++] = joints[j].number;
    }
    return 1;
}

// From the start, so many steps or until nothing moves. Returns the largest violation; out_joint: whose it is.
static double solver_settle(Solver *solver, const BodyState *states, double regular, int steps, uint32_t *out_joint) {
    for (u32 b = 0; b < solver->view.scene->body_count; b++) solver->works[b].step.trial = states[b];
    solver->regular = regular;
    double off = solver_evaluate(solver, out_joint), size = 1.0;
    for (u32 b = 0; b < solver->view.scene->body_count; b++) size = fmax(size, vec3_max_abs(states[b].position_m));
    for (int step = 0; step < steps; step++) {
        const double moved = solver_move(solver);
        off = solver_evaluate(solver, out_joint);
        if (!(moved > SETTLED * size)) break;
    }
    return off;
}

// Are the poses that were found near those of the start?
static int solver_is_near(const Solver *solver, const BodyState *states, double extent_m) {
    for (u32 b = 0; b < solver->view.scene->body_count; b++) {
        const BodyState now = solver->works[b].step.trial;
        const Quat turn = quat_multiply(quat_conjugate(states[b].orientation), now.orientation);
        if (!(vec3_length(vec3_sub(now.position_m, states[b].position_m)) <= NEAR * extent_m &&
              vec3_length(vec3_make(turn.x, turn.y, turn.z)) <= 0.5 * NEAR))
            return 0;
    }
    return 1;
}

// The poses that were found become those of the start.
static double solver_keep(const Solver *solver, const Body *bodies, BodyState *states) {
    double most = 0.0;
    for (u32 b = 0; b < solver->view.scene->body_count; b++) {
        if (!body_is_stepped(&solver->view, b)) continue;
        const BodyState now = solver->works[b].step.trial;
        const Vec3 spin = spin_to_world(bodies[b].flags, states[b].orientation, states[b].spin_rad_per_s);
        const Quat turn = quat_multiply(quat_conjugate(states[b].orientation), now.orientation);
        const double angle = 2.0 * asin(fmin(1.0, vec3_length(vec3_make(turn.x, turn.y, turn.z))));
        most = fmax(most, vec3_length(vec3_sub(now.position_m, states[b].position_m)) + angle * bodies[b].radius_m);
        states[b].position_m = now.position_m;
        states[b].orientation = now.orientation;
        states[b].spin_rad_per_s = spin_from_world(bodies[b].flags, now.orientation, spin);
    }
    return most;
}

// Joints become those that hold where bodies have come to, if they nearly do. 0: one does not.
static int solver_fit(const Solver *solver, Body *bodies, Joint *joints, double extent_m, Assembly *out) {
    for (uint32_t c = 0; c < solver->contact_count; c++) {
        const uint32_t j = solver->contacts[c].pair.feature;
        Joint *joint = &joints[j];
        const JointMisfit misfit = assembly_fit_joint(joint, bodies, &solver->works[joint->body_a].step.trial,
                                                      &solver->works[joint->body_b].step.trial);
        if (!(misfit.apart_m <= ASSEMBLY_SHARE_MOST * extent_m &&
              misfit.angle_rad <= ASSEMBLY_DEGREES_MOST * RAD_PER_DEGREE))
            return 0;
        const double radius_m = fmax(bodies[joint->body_a].flags & BODY_FIXED ? 0.0 : bodies[joint->body_a].radius_m,
                                     bodies[joint->body_b].flags & BODY_FIXED ? 0.0 : bodies[joint->body_b].radius_m);
        const double off_m = misfit.apart_m + misfit.angle_rad * radius_m;
        if (!(off_m > MISFIT_LEAST * extent_m && off_m > out->misfit_m)) continue;
        out->misfit_m = off_m;
        out->joint = solver->numbers[c];
    }
    return 1;
}

ClackStatus assembly_move(const SceneDescription *scene, Body *bodies, BodyState *states, Joint *joints,
                          const FunctionRow *functions, Assembly *out, ClackReport *report) {
    *out = (Assembly){.joint = UINT32_MAX};
    const double extent_m = extent_of(scene, states);
    if (!points_are_near(scene, extent_m, out))
        return report_add(report, CLACK_STUDY, "joint \"%s\": %s", scene->joints[out->joint].name, out->why);
    const Scene staged = {.body_count = scene->body_count, .joint_count = stage_joint_count(scene)};
    Solver solver;
    if (!solver_make(scene, &staged, bodies, states, joints, &solver)) {
        solver_free(&solver);
        return report_add(report, CLACK_MEMORY, "no memory to assemble a scene");
    }
    solver.view.functions = functions;
    uint32_t worst = UINT32_MAX;
    double off = solver_settle(&solver, states, REGULAR, STEPS_MOST, &worst);
    if (off > KEPT * (1.0 + extent_m)) off = solver_settle(&solver, states, REGULAR_MISFIT, MISFIT_STEPS, &worst);
    const int fits = solver_fit(&solver, bodies, joints, extent_m, out);
    if (fits && solver_evaluate(&solver, &worst) <= KEPT * (1.0 + extent_m) &&
        solver_is_near(&solver, states, extent_m)) {
        out->moved_m = solver_keep(&solver, bodies, states);
        solver_free(&solver);
        return CLACK_OK;
    }
    solver_free(&solver);
    out->joint = worst;
    snprintf(out->why, sizeof out->why,
             "expected joints that can hold together, found that this one is off by %.3g m or rad where bodies fit "
             "best near the given places",
             off);
    return report_add(report, CLACK_STUDY, "joint \"%s\": %s", scene->joints[worst].name, out->why);
}

ClackStatus assembly_try(const SceneDescription *scene, Assembly *out, ClackReport *report) {
    *out = (Assembly){.joint = UINT32_MAX};
    const Study study = {.scene = *scene};
    const uint64_t number = 0;
    const Capacities room = {0};
    Batch batch;
    TRY(stage_lay_out(&study, scene, &number, &room, 1, &batch, report));
    ClackStatus status = stage_bodies(scene, &batch, 0, report);
    if (status == CLACK_OK && assembly_is_needed(scene))
        status = assembly_move(scene, batch.bodies, batch.states, batch.joints, batch.functions, out, report);
    stage_free(&batch);
    return status;
}
