// A scene whose kernel functions a test calls one by one, without a device.
#ifndef CLACK_TESTS_KERNEL_SCENE_H
#define CLACK_TESTS_KERNEL_SCENE_H

#include "scene_builder.h"

static uint32_t native_work_item; // behind get_global_id
#include "stepper/advance.cl"

/// One pass of a scene from a phase on.
inline void stepper_pass_from(const SceneView *view, Progress *progress, u32 phase, u32 any_touching) {
    SceneRun run{};
    BallRun balls{};
    run.balls = &balls;
    run.view = view;
    run.progress = progress;
    run.phase = phase;
    run.passes = 1;
    run.any_touching = any_touching;
    stepper_run_phases(&run, 0);
}

/// One pass, or one substep.
inline void stepper_pass(const SceneView *view, Progress *progress) {
    stepper_pass_from(view, progress, PHASE_START, 0);
}

inline void stepper_substep(const SceneView *view, Progress *progress, u32 any_touching) {
    stepper_pass_from(view, progress, PHASE_PLAN, any_touching);
}

/// Go to the next group of a window that has ended, and handle the stops of the present time. Has the scene ended?
inline u32 stepper_is_over(const SceneView *view, Progress *progress) {
    while (stepper_group_has_ended(view, progress)) stepper_next_group(view, progress);
    return stepper_handle_stops(view, progress);
}

struct KernelScene {
    Batch batch{};
    std::vector<BodyState> states;
    std::vector<BodyWork> works;
    std::vector<Candidate> candidates;
    std::vector<Contact> contacts;
    std::vector<Event> events;
    std::vector<double> matrices;
    std::vector<uint32_t> lists;
    std::vector<PlacedShape> placed;
    Slot slot{};
    SceneView view{};
    Progress progress{};

    /// Ready to step: what overlaps is in contact.
    explicit KernelScene(SceneBuilder &builder) {
        const SceneDescription scene = builder.view();
        Study study{};
        study.scene = scene;
        const uint64_t number = 0;
        Capacities room = stage_capacities(&scene);
        room.candidates *= 8; // nobody runs it again with more
        room.contacts *= 8;
        EXPECT_EQ(stage_pack(&study, &scene, &number, &room, 1, &batch, nullptr), CLACK_OK);
        states.assign(batch.states, batch.states + batch.body_count);
        works.resize(batch.body_count);
        candidates.resize(room.candidates);
        contacts.resize(room.contacts);
        events.resize(room.events);
        matrices.resize(batch.room.numbers);
        view = SceneView{};
        view.scene = batch.scenes;
        view.bodies = batch.bodies;
        view.shapes = batch.shapes;
        view.laws = batch.laws;
        view.watches = batch.watches;
        view.hulls = batch.hull_rows;
        view.joints = batch.joints;
        view.functions = batch.functions;
        view.region_laws = batch.region_laws;
        view.states = states.data();
        view.works = works.data();
        view.candidates = candidates.data();
        view.contacts = contacts.data();
        view.events = events.data();
        view.matrices = matrices.data();
        view.slot = &slot;
        placed.resize(batch.shape_count);
        view.placed = placed.data();
        view.room = batch.room;
        lists.resize(list_room(batch.room));
        worker_take_lists(&view, lists.data());
        progress.status = STATUS_RUNNING;
        stepper_set_up(&view, &progress);
        EXPECT_EQ(progress.status, STATUS_RUNNING);
    }
    KernelScene(const KernelScene &) = delete;
    ~KernelScene() { stage_free(&batch); }

    /// One pass to the end of an outer step, as stepper_handle_stops leaves it there. Does the scene still run?
    bool outer_step() {
        stepper_pass(&view, &progress);
        progress.step_index++;
        progress.offset_s = 0;
        return progress.status == STATUS_RUNNING;
    }

    /// Elastic, kinetic and in uniform gravity potential energy, J.
    double mechanical_energy() const {
        double energy = coupling_elastic_energy(&view, &progress);
        for (uint32_t b = 0; b < batch.body_count; b++) {
            energy += body_kinetic_energy(&view, b);
            energy -= batch.bodies[b].mass_kg * vec3_dot(batch.scenes[0].gravity_m_per_s2, states[b].position_m);
        }
        return energy;
    }

    /// Accept one step of h of all bodies in contact by Rodas4, whatever its error. No events.
    void step_implicitly(double h) {
        island_lay_out(&view, &progress);
        substep_start(&view, &progress);
        for (size_t b = 0; b < works.size(); b++) {
            EXPECT_TRUE(works[b].mode != MODE_TOUCHING || works[b].island.members > 0) << b;
            works[b].control.implicit = works[b].mode == MODE_TOUCHING;
        }
        for (uint32_t c = 0; c < progress.contact_count; c++) coupling_derive(&view, &contacts[c]);
        accept_step(h);
    }

    /// The same by Tsit5.
    void step_explicitly(double h) {
        substep_start(&view, &progress);
        for (BodyWork &work : works) work.control.implicit = 0;
        accept_step(h);
    }

    void accept_step(double h) {
        substep_try(&view, &progress, h, 1);
        gaps_evaluate(&view, &progress, 1, h, 1);
        stepper_accept(&view, &progress, h, 1);
    }
};

/// How far two sets of states are from each other: the largest difference of a place, a velocity, a spin or a rotation.
inline double states_apart(const std::vector<BodyState> &a, const std::vector<BodyState> &b) {
    double d = 0;
    for (size_t k = 1; k < a.size(); k++) {
        const BodyState &x = a[k], &y = b[k];
        const Quat q = quat_multiply(quat_conjugate(x.orientation), y.orientation);
        for (Vec3 v : {vec3_sub(x.velocity_m_per_s, y.velocity_m_per_s), vec3_make(q.x, q.y, q.z),
                       vec3_sub(x.spin_rad_per_s, y.spin_rad_per_s), vec3_sub(x.position_m, y.position_m)})
            d = std::max(d, vec3_max_abs(v));
    }
    return d;
}

#endif
