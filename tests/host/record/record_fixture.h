// A made-up study with its batches, and the fixture that writes and reads ensemble files of it.
#ifndef CLACK_RECORD_FIXTURE_H
#define CLACK_RECORD_FIXTURE_H

#include <gtest/gtest.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "record.h"

namespace record_fixture {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr uint32_t body_count = 3;
constexpr uint64_t scene_first = 10;

template <size_t N> void set_text(char (&to)[N], const char *text) { std::snprintf(to, N, "%s", text); }

// A study of 5 scenes, numbers 10 to 14: 12 fails, 14 is interrupted; trajectories of 10, 11 and 12.
struct MadeStudy {
    Study study = {};
    std::vector<SceneBody> bodies = std::vector<SceneBody>(body_count);
    std::vector<Parameter> parameters = std::vector<Parameter>(2);
    std::vector<Binding> bindings;
    std::vector<Quantity> quantities = std::vector<Quantity>(2);
    std::string title = "Kugel fällt", path = "made.yaml", text = "format: 1\n# Größe\n", palette = "palette";
    std::vector<InputFile> inputs;

    MadeStudy() {
        set_text(bodies[0].name, "ground");
        set_text(bodies[1].name, "ball");
        set_text(bodies[2].name, "rod");
        set_text(parameters[0].name, "bodies.ball.position[2]");
        set_text(parameters[0].text, "uniform [0.5, 1]");
        set_text(parameters[1].name, "mu");
        set_text(parameters[1].text, "normal mean 0.3 sd 0.1");
        bindings.push_back({BIND_BODY, 1, offsetof(SceneBody, position_m) + 2 * sizeof(double), 0});
        bindings.push_back({BIND_PAIR, 0, offsetof(ScenePair, friction), 1});
        set_text(quantities[0].name, "rebound_height");
        set_text(quantities[0].unit, "m");
        set_text(quantities[0].text, "largest ball.position.z after the first contact has ended");
        set_text(quantities[1].name, "impacts");
        set_text(quantities[1].unit, "1");
        set_text(quantities[1].text, "number of contacts that began");
        inputs.push_back({path.data(), text.data(), text.size()});
        inputs.push_back({palette.data(), palette.data(), palette.size()});
        study.title = title.data();
        study.scene.end_s = 0.3;
        study.scene.body_count = body_count;
        study.scene.bodies = bodies.data();
        study.parameter_count = 2;
        study.parameters = parameters.data();
        study.binding_count = 2;
        study.bindings = bindings.data();
        study.quantity_count = 2;
        study.quantities = quantities.data();
        study.input_count = 2;
        study.inputs = inputs.data();
        study.design = {DESIGN_MONTE_CARLO, 20, 0xfedcba9876543210u, 0, 0, 0, 0};
        study.trajectory_every_s = 0.1;
        study.trajectory_scenes = 13;
        study.record_events = 1;
        study.contacts_every_s = 0.1;
        study.contact_scenes = 13;
    }
};

// What the made-up scenes hold, as functions of their number, so that a test can say what to expect.
inline double made_parameter(uint64_t number, uint32_t index) { return (double)number + 0.25 * (index + 1.0); }
inline double made_quantity(uint64_t number, uint32_t index) { return -(double)number - 0.125 * index; }
inline double made_position(uint64_t number, uint32_t frame, uint32_t body, int axis) {
    return (double)number * 1000 + frame * 100 + body * 10 + axis;
}
inline uint32_t made_frames_written(uint64_t number) { return number == 12 ? 3 : 4; }
inline uint32_t made_frame_room(uint64_t number) { return number == 12 ? 6 : number < 12 ? 4 : 0; }
inline uint32_t made_events(uint64_t number) { return number == 11 ? 0 : (uint32_t)(number - 8); }
inline uint32_t made_contacts(uint64_t number) { return number == 11 ? 0 : number < 13 ? 3 : 0; }
inline u32 made_status(uint64_t number) {
    return number == 12 ? STATUS_NOT_FINITE : number == 14 ? STATUS_INTERRUPTED : STATUS_OK;
}

struct MadeBatch {
    Batch batch = {};
    BatchResult result = {};
    std::vector<uint64_t> numbers;
    std::vector<Scene> scenes;
    std::vector<Body> bodies;
    std::vector<Progress> progress;
    std::vector<BodyState> states, frames;
    std::vector<Event> events;
    std::vector<uint32_t> event_scene;
    std::vector<ContactRow> contacts;
    std::vector<uint32_t> contact_scene;
    std::vector<double> parameters, quantities;

    explicit MadeBatch(const std::vector<uint64_t> &scene_numbers) : numbers(scene_numbers) {
        for (uint64_t number : numbers) add_scene(number);
        batch.scene_count = result.scene_count = (uint32_t)numbers.size();
        batch.body_count = bodies.size();
        batch.scene_numbers = numbers.data();
        batch.scenes = scenes.data();
        batch.bodies = bodies.data();
        result.progress = progress.data();
        result.states = states.data();
        result.event_count = events.size();
        result.events = events.data();
        result.event_scene = event_scene.data();
        result.contact_count = contacts.size();
        result.contacts = contacts.data();
        result.contact_scene = contact_scene.data();
        batch.frame_state_count = frames.size();
        result.frames = frames.data();
    }

    void add_scene(uint64_t number) {
        const auto index = (uint32_t)scenes.size();
        Scene scene = {};
        scene.step_s = 1e-3;
        scene.body_first = (u32)bodies.size();
        scene.body_count = number == 11 ? 2 : body_count; // one scene with fewer bodies
        scene.frame_first = (u32)frames.size();
        scene.frame_capacity = made_frame_room(number);
        scenes.push_back(scene);
        for (uint32_t body = 0; body < scene.body_count; body++) {
            Body made = {};
            made.frame.w = 1;
            bodies.push_back(made);
            states.push_back({});
        }
        for (uint32_t frame = 0; frame < scene.frame_capacity; frame++)
            for (uint32_t body = 0; body < scene.body_count; body++) add_frame(number, frame, body);
        add_progress(number);
        for (uint32_t i = 0; i < made_events(number); i++) add_event(number, index, i);
        for (uint32_t i = 0; i < made_contacts(number); i++) add_contact(number, index, i);
        for (uint32_t i = 0; i < 2; i++) {
            parameters.push_back(made_parameter(number, i));
            quantities.push_back(made_quantity(number, i));
        }
    }

    void add_frame(uint64_t number, uint32_t frame, uint32_t body) {
        BodyState state = {};
        if (frame < made_frames_written(number)) {
            state.position_m = {made_position(number, frame, body, 0), made_position(number, frame, body, 1),
                                made_position(number, frame, body, 2)};
            state.orientation = {0.5, 0.5, 0.5, 0.5}; // x -> y -> z -> x
            state.velocity_m_per_s = {1, 2, 3};
            state.spin_rad_per_s = {7, 0, 0};
        } else { // never written by a device
            state.position_m = {777, 777, 777};
        }
        frames.push_back(state);
    }

    void add_progress(uint64_t number) {
        Progress made = {};
        made.status = made_status(number);
        made.flags = number == 13 ? FLAG_LATE_BEGIN | FLAG_REJECTS : 0;
        made.step_index = (u32)number * 10;
        made.offset_s = 0.25e-3;
        made.energy_drift = (double)number * 1e-6;
        made.momentum_drift = (double)number * 1e-14;
        made.dissipated_J = (double)number * 2;
        made.max_penetration_m = (double)number * 1e-5;
        made.error_sum_m_per_s = (double)number * 1e-9;
        made.substeps = (u32)number * 3;
        made.rejects = (u32)number * 4;
        made.evaluations = 4000000000u + (u32)number; // beyond int32
        made.event_total = made_events(number);
        made.contacts_max = (u32)number * 5;
        made.frame_count = made_frame_room(number) > 0 ? made_frames_written(number) : 0;
        progress.push_back(made);
    }

    void add_contact(uint64_t number, uint32_t index, uint32_t i) {
        ContactRow row = {};
        row.time_s = 0.1 * i;
        row.penetration_m = (double)number * 1e-6;
        row.normal_N = (double)number + i;
        row.tangential_N = {1, 2, (double)number};
        row.torque_N_m = {0, 0.5, (double)i};
        row.point_m = {4, 5, (double)number};
        row.normal = {0, 0, 1};
        row.body_b = 1;
        row.shape_a = 2;
        row.shape_b = 3;
        row.feature = i;
        contacts.push_back(row);
        contact_scene.push_back(index);
    }

    void add_event(uint64_t number, uint32_t index, uint32_t i) {
        const bool is_rest = i == 2;
        Event event = {};
        event.time_s = (double)number + i * 0.125;
        event.kind = is_rest ? EVENT_REST : i % 2 == 0 ? EVENT_BEGIN : EVENT_END;
        event.body_a = is_rest ? 1 : 0;
        event.body_b = 1;
        event.shape_a = is_rest ? NONE : 4;
        event.shape_b = is_rest ? NONE : 5;
        event.feature = i;
        event.speed_m_per_s = (double)number * 0.5;
        event.energy_lost_J = (double)number * 0.75;
        event.impulse_N_s = {(double)number, i * 1.0, 3.5};
        if (event.kind == EVENT_BEGIN) event.gap_m = -1e-18 * i;
        if (event.kind == EVENT_BEGIN && i > 0) event.stiffness = 1e9 + i, event.damping = 0.25 * i;
        event.position_m = {1.5, 2.5, (double)number};
        event.normal = {0, 0, is_rest ? 0.0 : 1.0};
        events.push_back(event);
        event_scene.push_back(index);
    }
};

struct Array {
    std::vector<hsize_t> dims;
    std::vector<double> values;
};

class Report {
  public:
    ~Report() { clack_report_clear(&report); }
    ClackReport *get() { return &report; }
    std::string text() const {
        std::string all;
        for (size_t i = 0; i < report.count; i++) all += std::string(report.lines[i]) + "\n";
        return all;
    }
    size_t count() const { return report.count; }

  private:
    ClackReport report = {};
};

class RecordTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "clack_record_XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
        path = folder + "/made.h5";
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    void TearDown() override {
        if (file > 0) H5Fclose(file);
        const std::string command = "rm -rf '" + folder + "'";
        EXPECT_EQ(std::system(command.c_str()), 0);
    }

    Record *open_record(const MadeStudy &made) {
        RecordProvenance provenance = {};
        provenance.lanes = 32;
        provenance.queue_items = 7;
        provenance.command_line = "clack run made.yaml";
        provenance.device_name = "made-up device";
        provenance.started_utc = "2030-01-02T03:04:05Z";
        Record *record = nullptr;
        EXPECT_EQ(record_open(path.c_str(), &made.study, scene_first, 5, &provenance, &record, report.get()), CLACK_OK)
            << report.text();
        return record;
    }
    void write_batch(Record *record, const MadeBatch &made) {
        EXPECT_EQ(record_batch(record, &made.batch, &made.result, made.parameters.data(), made.quantities.data(),
                               report.get()),
                  CLACK_OK)
            << report.text();
    }
    void write_file(const MadeStudy &made) {
        Record *record = open_record(made);
        ASSERT_NE(record, nullptr);
        write_batch(record, MadeBatch({10, 11}));
        write_batch(record, MadeBatch({12, 13, 14}));
        EXPECT_FALSE(exists(path)) << "the file has its name only when it is whole";
        ASSERT_EQ(record_close(record, "2030-01-02T03:04:06Z", report.get()), CLACK_OK) << report.text();
        EXPECT_FALSE(exists(path + ".part"));
        file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        ASSERT_GT(file, 0);
    }

    static bool exists(const std::string &name) {
        struct stat info;
        return stat(name.c_str(), &info) == 0;
    }

    Array read(const char *name) const {
        Array array;
        const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
        EXPECT_GE(dataset, 0) << name;
        if (dataset < 0) return array;
        const hid_t space = H5Dget_space(dataset);
        array.dims.resize((size_t)H5Sget_simple_extent_ndims(space));
        H5Sget_simple_extent_dims(space, array.dims.data(), nullptr);
        array.values.resize((size_t)H5Sget_simple_extent_npoints(space));
        EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()), 0) << name;
        for (unsigned axis = 0; axis < array.dims.size(); axis++)
            EXPECT_TRUE(H5DSget_num_scales(dataset, axis) == 1 || H5DSis_scale(dataset) > 0)
                << name << " axis " << axis;
        H5Sclose(space);
        H5Dclose(dataset);
        return array;
    }
    bool has(const char *name) const { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

    std::string text_attribute(const char *object, const char *name) const {
        const hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(attribute, 0) << object << " " << name;
        if (attribute < 0) return "";
        const hid_t type = H5Aget_type(attribute);
        EXPECT_EQ(H5Tis_variable_str(type), 0);
        std::string text(H5Tget_size(type), '?');
        EXPECT_GE(H5Aread(attribute, type, text.data()), 0);
        H5Tclose(type);
        H5Aclose(attribute);
        return std::string(text.c_str());
    }
    std::vector<double> number_attribute(const char *object, const char *name) const {
        const hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(attribute, 0) << object << " " << name;
        if (attribute < 0) return {};
        const hid_t space = H5Aget_space(attribute);
        std::vector<double> values((size_t)H5Sget_simple_extent_npoints(space));
        EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), 0);
        H5Sclose(space);
        H5Aclose(attribute);
        return values;
    }

    std::string folder, path;
    Report report;
    hid_t file = 0;
};

inline void expect_equal(const char *name, const Array &array, const std::vector<double> &expected) {
    ASSERT_EQ(array.values.size(), expected.size()) << name;
    for (size_t i = 0; i < expected.size(); i++) {
        if (std::isnan(expected[i]))
            EXPECT_TRUE(std::isnan(array.values[i])) << name << " row " << i << " is " << array.values[i];
        else
            EXPECT_EQ(array.values[i], expected[i]) << name << " row " << i;
    }
}

using Dims = std::vector<hsize_t>;

} // namespace record_fixture

#endif
