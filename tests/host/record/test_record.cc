// The ensemble file: written from made-up batches and read back with HDF5; what happens when writing fails.
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <random>

#include "record_fixture.h"
#include "digest.h"
#include "scene_fields.h"

extern "C" uint32_t record_fletcher32(const void *data, size_t count); // record_internal.h

namespace {

using namespace record_fixture;

TEST_F(RecordTest, SceneVectorsHoldWhatTheBatchesHeld) {
    const MadeStudy made;
    write_file(made);
    expect_equal("scene", read("scene"), {10, 11, 12, 13, 14});
    expect_equal("status", read("status"), {STATUS_OK, STATUS_OK, STATUS_NOT_FINITE, STATUS_OK, STATUS_NOT_RUN});
    expect_equal("flags", read("flags"), {0, 0, 0, FLAG_LATE_BEGIN | FLAG_REJECTS, 0});
    expect_equal("n_bodies", read("n_bodies"), {3, 2, 3, 3, 0});
    expect_equal("steps", read("steps"), {100, 110, 120, 130, 0});
    expect_equal("substeps", read("substeps"), {30, 33, 36, 39, 0});
    expect_equal("rejects", read("rejects"), {40, 44, 48, 52, 0});
    expect_equal("evaluations", read("evaluations"), {4000000010., 4000000011., 4000000012., 4000000013., 0});
    expect_equal("n_events", read("n_events"), {2, 0, 4, 5, 0});
    expect_equal("contacts_max", read("contacts_max"), {50, 55, 60, 65, 0});
    std::vector<double> drift, momentum, heat, depth, error, time;
    for (int number = 10; number < 14; number++) {
        drift.push_back(number * 1e-6);
        momentum.push_back(number * 1e-14);
        heat.push_back(number * 2.0);
        depth.push_back(number * 1e-5);
        error.push_back(number * 1e-9);
        time.push_back(number * 10 * 1e-3 + 0.25e-3);
    }
    for (auto *values : {&drift, &momentum, &heat, &depth, &error, &time}) values->push_back(nan_value);
    expect_equal("energy_drift", read("energy_drift"), drift);
    expect_equal("momentum_drift", read("momentum_drift"), momentum);
    expect_equal("dissipated_energy", read("dissipated_energy"), heat);
    expect_equal("max_penetration", read("max_penetration"), depth);
    expect_equal("error_sum", read("error_sum"), error);
    expect_equal("status_time", read("status_time"), time);
}

TEST_F(RecordTest, ParametersAndQuantitiesHaveTheirUnitsAndValues) {
    const MadeStudy made;
    write_file(made);
    const char *names[] = {"parameters/bodies.ball.position[2]", "parameters/mu", "rebound_height", "impacts"};
    for (uint32_t i = 0; i < 4; i++) {
        std::vector<double> expected;
        for (uint64_t number = 10; number < 14; number++)
            expected.push_back(i < 2 ? made_parameter(number, i) : made_quantity(number, i - 2));
        expected.push_back(nan_value);
        expect_equal(names[i], read(names[i]), expected);
    }
    EXPECT_EQ(text_attribute(names[0], "units"), "m");
    EXPECT_EQ(text_attribute(names[1], "units"), "1");
    EXPECT_EQ(text_attribute(names[1], "distribution"), "normal mean 0.3 sd 0.1");
    EXPECT_EQ(text_attribute(names[2], "units"), "m");
    EXPECT_EQ(text_attribute(names[2], "long_name"), made.quantities[0].text);
    expect_equal("parameters/scene", read("parameters/scene"), {10, 11, 12, 13, 14});
}

TEST_F(RecordTest, TrajectoryIsInTheUsersTermsAndGrowsWithTheLongestScene) {
    const MadeStudy made;
    write_file(made);
    const Array time = read("trajectory/time");
    ASSERT_EQ(time.values.size(), 6u); // 4 in the first batch, 6 in the second
    for (size_t i = 0; i < 6; i++) EXPECT_EQ(time.values[i], (double)i * 0.1);
    expect_equal("recorded", read("trajectory/recorded"), {10, 11, 12});
    expect_equal("scene_number", read("trajectory/scene_number"), {10, 11, 12});
    const Array position = read("trajectory/position"), orientation = read("trajectory/orientation"),
                velocity = read("trajectory/velocity"), angular = read("trajectory/angular_velocity");
    ASSERT_EQ(position.dims, (Dims{3, 6, 3, 3}));
    ASSERT_EQ(orientation.dims, (Dims{3, 6, 3, 4}));
    ASSERT_EQ(velocity.dims, position.dims);
    ASSERT_EQ(angular.dims, position.dims);
    size_t numbers = 0;
    for (uint64_t number = 10; number < 13; number++)
        for (uint32_t frame = 0; frame < 6; frame++)
            for (uint32_t body = 0; body < 3; body++) {
                const size_t at = ((number - 10) * 6 + frame) * 3 + body;
                const bool is_there = frame < made_frames_written(number) && !(number == 11 && body == 2);
                for (int axis = 0; axis < 3; axis++) {
                    const double found = position.values[at * 3 + (size_t)axis];
                    if (is_there)
                        EXPECT_EQ(found, made_position(number, frame, body, axis)) << number << " " << frame;
                    else
                        EXPECT_TRUE(std::isnan(found)) << number << " " << frame << " " << body;
                }
                if (!is_there) continue;
                numbers++;
                EXPECT_EQ(orientation.values[at * 4 + 3], 0.5);
                EXPECT_EQ(velocity.values[at * 3 + 2], 3);
                EXPECT_NEAR(angular.values[at * 3 + 0], 0,
                            1e-14); // spin about the body's x is y in the world
                EXPECT_NEAR(angular.values[at * 3 + 1], 7, 1e-14);
            }
    EXPECT_EQ(numbers, 4u * 3 + 4 * 2 + 3 * 3);
    EXPECT_EQ(text_attribute("trajectory/velocity", "units"), "m/s");
}

TEST_F(RecordTest, EventsOfAllBatchesFollowEachOtherWithoutTheInterrupted) {
    const MadeStudy made;
    write_file(made);
    std::vector<double> scene, time, kind, shape, feature, index;
    for (uint64_t number = 10; number < 14; number++)
        for (uint32_t i = 0; i < made_events(number); i++) {
            index.push_back((double)index.size());
            scene.push_back((double)number);
            time.push_back((double)number + i * 0.125);
            kind.push_back(i == 2 ? EVENT_REST : i % 2 == 0 ? EVENT_BEGIN : EVENT_END);
            shape.push_back(i == 2 ? -1 : 4);
            feature.push_back(i);
        }
    ASSERT_EQ(scene.size(), 11u);
    expect_equal("event", read("events/event"), index);
    expect_equal("scene_number", read("events/scene_number"), scene);
    expect_equal("first_event", read("first_event"), {0, 2, 2, 6, 11}); // also of one that was not run
    expect_equal("time", read("events/time"), time);
    expect_equal("kind", read("events/kind"), kind);
    expect_equal("shape_a", read("events/shape_a"), shape);
    expect_equal("feature", read("events/feature"), feature);
    const Array impulse = read("events/impulse"), position = read("events/position");
    ASSERT_EQ(impulse.dims, (Dims{11, 3}));
    for (size_t i = 0; i < 11; i++) {
        EXPECT_EQ(impulse.values[i * 3], scene[i]);
        EXPECT_EQ(impulse.values[i * 3 + 1], feature[i]);
        EXPECT_EQ(position.values[i * 3 + 2], scene[i]);
    }
    const Array distance = read("events/distance"), stiffness = read("events/stiffness"),
                damping = read("events/damping");
    for (size_t i = 0; i < 11; i++) {
        const bool begins = kind[i] == EVENT_BEGIN, acts = begins && feature[i] > 0; // not an observer pair's
        EXPECT_EQ(std::isnan(distance.values[i]), !begins) << i;
        EXPECT_EQ(std::isnan(stiffness.values[i]), !acts) << i;
        EXPECT_EQ(std::isnan(damping.values[i]), !acts) << i;
        if (begins) {
            EXPECT_EQ(distance.values[i], -1e-18 * feature[i]);
        }
        if (acts) {
            EXPECT_EQ(stiffness.values[i], 1e9 + feature[i]);
            EXPECT_EQ(damping.values[i], 0.25 * feature[i]);
        }
    }
    EXPECT_EQ(text_attribute("events/stiffness", "units"), "N/m^1.5");
    EXPECT_EQ(read("events/speed").values[10], 6.5);
    EXPECT_EQ(read("events/energy_lost").values[0], 7.5);
    EXPECT_EQ(read("events/body_b").values[0], 1);
    EXPECT_EQ(read("events/normal").dims, (Dims{11, 3}));
    EXPECT_EQ(text_attribute("events/kind", "flag_meanings"), "begin end rest wake");
    EXPECT_EQ(text_attribute("events/impulse", "units"), "N s");
}

TEST_F(RecordTest, ContactsOfAllBatchesFollowEachOther) {
    const MadeStudy made;
    write_file(made);
    expect_equal("contact", read("contacts/contact"), {0, 1, 2, 3, 4, 5});
    expect_equal("scene_number", read("contacts/scene_number"), {10, 10, 10, 12, 12, 12});
    expect_equal("n_contacts", read("n_contacts"), {3, 0, 3, 0, 0});
    expect_equal("first_contact", read("first_contact"), {0, 3, 3, 6, 6});
    expect_equal("time", read("contacts/time"), {0, 0.1, 0.2, 0, 0.1, 0.2});
    expect_equal("normal_force", read("contacts/normal_force"), {10, 11, 12, 12, 13, 14});
    expect_equal("penetration", read("contacts/penetration"),
                 {10 * 1e-6, 10 * 1e-6, 10 * 1e-6, 12 * 1e-6, 12 * 1e-6, 12 * 1e-6});
    expect_equal("feature", read("contacts/feature"), {0, 1, 2, 0, 1, 2});
    const Array force = read("contacts/tangential_force"), torque = read("contacts/torque"),
                point = read("contacts/point"), normal = read("contacts/normal");
    for (const Array *array : {&force, &torque, &point, &normal}) ASSERT_EQ(array->dims, (Dims{6, 3}));
    EXPECT_EQ(force.values[3 * 3 + 2], 12);
    EXPECT_EQ(torque.values[5 * 3 + 2], 2);
    EXPECT_EQ(point.values[1], 5);
    EXPECT_EQ(normal.values[2], 1);
    EXPECT_EQ(read("contacts/shape_b").values[0], 3);
    EXPECT_EQ(read("contacts/body_b").values[0], 1);
    EXPECT_EQ(text_attribute("contacts/torque", "units"), "N m");
    EXPECT_EQ(text_attribute("n_contacts", "role"), "rows");
}

TEST_F(RecordTest, AttributesAndProvenanceSayWhereItComesFrom) {
    const MadeStudy made;
    write_file(made);
    EXPECT_EQ(text_attribute("/", "Conventions"), "CF-1.10");
    EXPECT_EQ(text_attribute("/", "title"), made.title);
    EXPECT_EQ(text_attribute("/", "ensemble_format"), "clack ensemble");
    EXPECT_EQ(number_attribute("/", "ensemble_format_version"), std::vector<double>{2});
    EXPECT_EQ(number_attribute("/", "complete"), std::vector<double>{0}); // scene 14 was not run
    EXPECT_EQ(text_attribute("status", "flag_meanings").substr(0, 21), "ok not_run not_finite");
    EXPECT_EQ(number_attribute("status", "flag_values").size(), 14u);
    EXPECT_EQ(number_attribute("flags", "flag_masks"),
              (std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
                                   131072}));
    EXPECT_TRUE(std::isnan(number_attribute("energy_drift", "_FillValue").at(0)));
    EXPECT_EQ(text_attribute("provenance", "device"), "made-up device");
    EXPECT_EQ(text_attribute("provenance", "driver"), "");
    EXPECT_EQ(number_attribute("provenance", "lanes"), std::vector<double>{32});
    EXPECT_EQ(number_attribute("provenance", "queues"), std::vector<double>{7});
    EXPECT_EQ(text_attribute("provenance", "started"), "2030-01-02T03:04:05Z");
    EXPECT_EQ(text_attribute("provenance", "finished"), "2030-01-02T03:04:06Z");
    EXPECT_EQ(text_attribute("provenance", "command_line"), "clack run made.yaml");
    EXPECT_NE(text_attribute("provenance", "git_commit"), "");
    uint64_t seed = 0;
    const hid_t attribute = H5Aopen_by_name(file, "provenance", "seed", H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(H5Aread(attribute, H5T_NATIVE_UINT64, &seed), 0);
    H5Aclose(attribute);
    EXPECT_EQ(seed, 0xfedcba9876543210u); // as a double it would be another
    const Array text = read("provenance/study_text");
    ASSERT_EQ(text.values.size(), made.text.size());
    for (size_t i = 0; i < made.text.size(); i++) EXPECT_EQ(text.values[i], (unsigned char)made.text[i]);
}

TEST_F(RecordTest, EveryNameOfTheRootIsTakenButForQuantities) {
    const MadeStudy made;
    write_file(made);
    H5G_info_t info;
    ASSERT_GE(H5Gget_info(file, &info), 0);
    ASSERT_GT(info.nlinks, 20u);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[128];
        ASSERT_GT(H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT), 0);
        const bool is_quantity = std::string(name) == "rebound_height" || std::string(name) == "impacts";
        EXPECT_EQ(scene_name_is_taken(name), is_quantity ? 0 : 1) << name;
    }
}

TEST_F(RecordTest, HashesAreThoseOfTheFiles) {
    MadeStudy made;
    made.text = "abc"; // FIPS 180-2, appendix B.1
    made.palette = "";
    made.inputs[0] = {made.path.data(), made.text.data(), 3};
    made.inputs[1] = {made.path.data(), made.palette.data(), 0};
    write_file(made);
    const char *abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    EXPECT_EQ(text_attribute("/", "study_sha256"), abc);
    char *hashes[2] = {nullptr, nullptr};
    const hid_t dataset = H5Dopen2(file, "provenance/input_sha256", H5P_DEFAULT), type = H5Dget_type(dataset);
    ASSERT_GT(H5Tis_variable_str(type), 0);
    ASSERT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, hashes), 0);
    EXPECT_STREQ(hashes[0], abc);
    EXPECT_STREQ(hashes[1], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    for (char *hash : hashes) H5free_memory(hash);
    H5Tclose(type);
    H5Dclose(dataset);
}

TEST_F(RecordTest, CompleteWhenEverySceneWasRunAndWithoutWhatWasNotAskedFor) {
    MadeStudy made;
    made.study.record_events = 0;
    made.study.trajectory_every_s = 0;
    made.study.contacts_every_s = 0;
    MadeBatch all({10, 11, 12, 13, 14});
    all.progress[4].status = STATUS_OK;
    Record *record = open_record(made);
    write_batch(record, all);
    ASSERT_EQ(record_close(record, nullptr, report.get()), CLACK_OK);
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_EQ(number_attribute("/", "complete"), std::vector<double>{1}); // failed scenes were run as well
    EXPECT_FALSE(has("events"));
    EXPECT_FALSE(has("contacts"));
    EXPECT_FALSE(has("trajectory"));
    EXPECT_TRUE(has("parameters"));
}

TEST_F(RecordTest, ScenesThatNeverArriveStayNotRun) {
    const MadeStudy made;
    Record *record = open_record(made);
    write_batch(record, MadeBatch({11, 13})); // with a gap
    ASSERT_EQ(record_close(record, nullptr, report.get()), CLACK_OK);
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    expect_equal("status", read("status"), {1, 0, 1, 0, 1});
    expect_equal("impacts", read("impacts"),
                 {nan_value, made_quantity(11, 1), nan_value, made_quantity(13, 1), nan_value});
    expect_equal("position", read("trajectory/time"), {0, 0.1, 0.2, 3 * 0.1});
    EXPECT_TRUE(std::isnan(read("trajectory/position").values[0]));
}

TEST_F(RecordTest, AnyDivisionIntoBatchesGivesTheSameBytes) {
    const MadeStudy made;
    std::string bytes[2];
    for (int i = 0; i < 2; i++) {
        Record *record = open_record(made);
        if (i == 0) {
            write_batch(record, MadeBatch({10, 11, 12, 13}));
        } else {
            for (uint64_t number = 10; number < 14; number++) write_batch(record, MadeBatch({number}));
        }
        ASSERT_EQ(record_close(record, "then", report.get()), CLACK_OK);
        file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        for (const char *name : {"status", "energy_drift", "impacts", "parameters/mu", "events/time", "events/impulse",
                                 "trajectory/position", "trajectory/time"}) {
            const Array array = read(name);
            bytes[i].append((const char *)array.values.data(), array.values.size() * sizeof(double));
        }
        H5Fclose(file);
        file = 0;
    }
    EXPECT_GT(bytes[0].size(), 1500u);
    EXPECT_EQ(bytes[0], bytes[1]);
}

// Several blocks of everything that is handled in blocks: scenes, events, frames.
TEST_F(RecordTest, LargeBatchesAreWrittenInBlocks) {
    MadeStudy made;
    constexpr uint32_t scene_count = 70000, frame_room = 150;
    made.study.trajectory_scenes = 600;
    made.study.scene.end_s = 14.9;
    MadeBatch big({});
    for (uint32_t i = 0; i < scene_count; i++) {
        Scene scene = {};
        scene.body_first = 3 * i;
        scene.body_count = 3;
        scene.frame_first = (u32)big.frames.size();
        scene.frame_capacity = i < 600 ? frame_room : 0;
        Progress progress = {};
        progress.step_index = i;
        progress.event_total = 1;
        progress.frame_count = i < 600 ? i % (frame_room + 1) : 0;
        big.numbers.push_back(i);
        big.scenes.push_back(scene);
        big.progress.push_back(progress);
        big.bodies.resize(big.bodies.size() + 3);
        for (int b = 0; b < 3; b++) big.bodies[3 * i + (size_t)b].frame.w = 1;
        for (uint32_t f = 0; f < scene.frame_capacity * 3; f++) {
            BodyState state = {};
            state.position_m.x = i * 1000.0 + f;
            state.orientation.w = 1;
            big.frames.push_back(state);
        }
        Event event = {};
        event.time_s = i * 0.5;
        big.events.push_back(event);
        big.event_scene.push_back(i);
    }
    big.batch.scene_count = big.result.scene_count = scene_count;
    big.batch.scene_numbers = big.numbers.data();
    big.batch.scenes = big.scenes.data();
    big.batch.bodies = big.bodies.data();
    big.result.progress = big.progress.data();
    big.result.event_count = big.events.size();
    big.result.events = big.events.data();
    big.result.event_scene = big.event_scene.data();
    big.result.frames = big.frames.data();
    const std::vector<double> values(2 * scene_count, 1.0);
    const RecordProvenance provenance = {};
    Record *record = nullptr;
    ASSERT_EQ(record_open(path.c_str(), &made.study, 0, scene_count, &provenance, &record, report.get()), CLACK_OK);
    ASSERT_EQ(record_batch(record, &big.batch, &big.result, values.data(), values.data(), report.get()), CLACK_OK);
    ASSERT_EQ(record_close(record, nullptr, report.get()), CLACK_OK) << report.text();
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const Array steps = read("steps"), times = read("events/time"), scenes = read("events/scene_number");
    ASSERT_EQ(steps.values.size(), scene_count);
    ASSERT_EQ(times.values.size(), scene_count);
    for (uint32_t i = 0; i < scene_count; i++) {
        ASSERT_EQ(steps.values[i], i);
        ASSERT_EQ(times.values[i], i * 0.5);
        ASSERT_EQ(scenes.values[i], i);
    }
    const Array firsts = read("first_event");
    for (uint32_t i = 0; i < scene_count; i++) ASSERT_EQ(firsts.values[i], i);
    const Array position = read("trajectory/position");
    ASSERT_EQ(position.dims, (Dims{600, frame_room, 3, 3}));
    for (uint32_t i = 0; i < 600; i++)
        for (uint32_t f = 0; f < frame_room * 3; f++) {
            const double found = position.values[(i * frame_room * 3 + f) * 3];
            if (f / 3 < i % (frame_room + 1))
                ASSERT_EQ(found, i * 1000.0 + f);
            else
                ASSERT_TRUE(std::isnan(found)) << i << " " << f;
        }
}

// Word by word, as HDF5's own source has it.
uint32_t plain_fletcher32(const std::vector<unsigned char> &bytes) {
    uint32_t first = 0, second = 0;
    for (size_t i = 0; i < bytes.size(); i += 2) {
        first += (uint32_t)bytes[i] << 8 | (i + 1 < bytes.size() ? bytes[i + 1] : 0u);
        first = (first & 0xffff) + (first >> 16);
        second += first;
        second = (second & 0xffff) + (second >> 16);
    }
    first = (first & 0xffff) + (first >> 16);
    second = (second & 0xffff) + (second >> 16);
    return second << 16 | first;
}

TEST(Fletcher, SumsWhatHdf5Sums) {
    std::mt19937 random(7);
    for (size_t count = 0; count < 20000; count += count < 200 ? 1 : 977) {
        std::vector<unsigned char> bytes(count);
        for (int kind = 0; kind < 3; kind++) {
            for (unsigned char &byte : bytes) byte = kind == 0 ? (unsigned char)random() : kind == 1 ? 0xff : 0;
            EXPECT_EQ(record_fletcher32(bytes.data(), count), plain_fletcher32(bytes))
                << count << " bytes, kind " << kind;
        }
    }
}

TEST(Digest, IsTheSameOfPiecesOfAnyLength) {
    std::mt19937 random(8);
    for (size_t count = 0; count < 700; count++) {
        std::string bytes(count, '\0');
        for (char &byte : bytes) byte = (char)random();
        unsigned char whole[DIGEST_BYTES], pieces[DIGEST_BYTES];
        Digest digest;
        digest_begin(&digest);
        for (size_t done = 0, part; done < count; done += part) {
            part = std::min<size_t>(count - done, random() % 150);
            digest_add(&digest, bytes.data() + done, part);
        }
        EXPECT_TRUE(digest_end(&digest, pieces) && digest_of(bytes.data(), count, whole));
        EXPECT_EQ(memcmp(whole, pieces, sizeof whole), 0) << count << " bytes";
    }
    unsigned char sum[DIGEST_BYTES];
    char hex[DIGEST_HEX_BYTES];
    digest_of("abc", 3, sum);
    digest_print(sum, hex);
    EXPECT_STREQ(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); // FIPS 180-2, B.1
}

// --- errors ---------------------------------------------------------------------------------------

class RecordErrorTest : public RecordTest {
  protected:
    // Status of an attempt that must fail with one line that names the path.
    ClackStatus open_badly(const MadeStudy &made, const std::string &where) {
        const RecordProvenance provenance = {};
        Record *record = nullptr;
        const ClackStatus status = record_open(where.c_str(), &made.study, 0, 5, &provenance, &record, report.get());
        EXPECT_EQ(record, nullptr);
        EXPECT_EQ(report.count(), 1u) << report.text();
        return status;
    }
};

TEST_F(RecordErrorTest, MissingFolder) {
    const std::string where = folder + "/none/made.h5";
    EXPECT_EQ(open_badly(MadeStudy(), where), CLACK_IO);
    EXPECT_NE(report.text().find(where), std::string::npos) << report.text();
    EXPECT_NE(report.text().find("No such file or directory"), std::string::npos) << report.text();
}

TEST_F(RecordErrorTest, FolderThatIsAFile) {
    std::ofstream(folder + "/plain") << "text";
    EXPECT_EQ(open_badly(MadeStudy(), folder + "/plain/made.h5"), CLACK_IO);
    EXPECT_NE(report.text().find("Not a directory"), std::string::npos) << report.text();
}

TEST_F(RecordErrorTest, TargetThatIsAFolder) {
    EXPECT_EQ(open_badly(MadeStudy(), folder), CLACK_IO);
    EXPECT_NE(report.text().find("not a regular file"), std::string::npos) << report.text();
}

// In a child that is nobody in particular, since root may write everywhere.
TEST_F(RecordErrorTest, FolderWithoutPermission) {
    ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        constexpr uid_t nobody = 65534;
        if (geteuid() == 0 && setuid(nobody) != 0) _exit(3);
        const ClackStatus status = open_badly(MadeStudy(), path);
        const bool is_told = report.text().find("Permission denied") != std::string::npos;
        if (!is_told) std::fprintf(stderr, "report: %s\n", report.text().c_str());
        _exit(status != CLACK_IO ? 1 : !is_told ? 2 : 0);
    }
    int state = 0;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
    ASSERT_TRUE(WIFEXITED(state));
    EXPECT_EQ(WEXITSTATUS(state), 0);
}

TEST_F(RecordErrorTest, NamesThatADatasetCannotHave) {
    for (const char *name : {"status", "n_events", "a/b", "trailing ", ".", "", "impacts"}) {
        MadeStudy made;
        Report own;
        set_text(made.quantities[0].name, name);
        const RecordProvenance provenance = {};
        Record *record = nullptr;
        EXPECT_EQ(record_open(path.c_str(), &made.study, 0, 5, &provenance, &record, own.get()), CLACK_STUDY) << name;
        EXPECT_NE(own.text().find("\"" + std::string(name) + "\""), std::string::npos) << own.text();
        EXPECT_FALSE(exists(path + ".part")) << name;
    }
    for (const char *name : {"scene", "body", "xyz", "quat"}) { // what the root's coordinates would hide
        MadeStudy other;
        Report own;
        set_text(other.parameters[0].name, name);
        const RecordProvenance provenance = {};
        Record *record = nullptr;
        EXPECT_EQ(record_open(path.c_str(), &other.study, 0, 5, &provenance, &record, own.get()), CLACK_STUDY) << name;
        EXPECT_NE(own.text().find(name), std::string::npos) << own.text();
    }
}

// Numbers of rows that are not those of the table would send readers to rows of other scenes.
TEST_F(RecordErrorTest, EventsThatNoSceneCounts) {
    const MadeStudy made;
    Record *record = open_record(made);
    MadeBatch batch({10, 11});
    batch.progress[0].event_total++;
    batch.result.progress = batch.progress.data();
    write_batch(record, batch);
    EXPECT_EQ(record_close(record, nullptr, report.get()), CLACK_INTERNAL);
    EXPECT_NE(report.text().find("n_events adds up to 3, but there are 2 rows in events"), std::string::npos)
        << report.text();
    EXPECT_FALSE(exists(path));
}

TEST_F(RecordErrorTest, SceneOfAnotherFile) {
    const MadeStudy made;
    Record *record = open_record(made);
    const MadeBatch batch({9});
    EXPECT_EQ(record_batch(record, &batch.batch, &batch.result, batch.parameters.data(), batch.quantities.data(),
                           report.get()),
              CLACK_INTERNAL);
    EXPECT_EQ(record_close(record, nullptr, report.get()), CLACK_IO);
    EXPECT_FALSE(exists(path));
    EXPECT_FALSE(exists(path + ".part"));
}

TEST_F(RecordErrorTest, AbandonLeavesTheFormerFileAlone) {
    std::ofstream(path) << "former";
    const MadeStudy made;
    Record *record = open_record(made);
    write_batch(record, MadeBatch({10, 11}));
    EXPECT_TRUE(exists(path + ".part"));
    record_abandon(record);
    record_abandon(nullptr);
    EXPECT_FALSE(exists(path + ".part"));
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "former");
}

TEST_F(RecordErrorTest, CloseReplacesTheFormerFile) {
    std::ofstream(path) << "former";
    const MadeStudy made;
    Record *record = open_record(made);
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "former");
    ASSERT_EQ(record_close(record, nullptr, report.get()), CLACK_OK);
    EXPECT_GT(H5Fis_hdf5(path.c_str()), 0);
}

// A disk that fills up, by the limit on the size of a file; in a child, since limits cannot be raised again.
TEST_F(RecordErrorTest, FullDisk) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const MadeStudy made;
        Record *record = open_record(made);
        write_batch(record, MadeBatch({10, 11}));
        const struct rlimit limit = {20000, 20000};
        setrlimit(RLIMIT_FSIZE, &limit);
        const ClackStatus status = record_close(record, nullptr, report.get());
        const bool is_told =
            report.text().find("File too large") != std::string::npos && report.text().find(path) != std::string::npos;
        if (!is_told) std::fprintf(stderr, "report: %s\n", report.text().c_str());
        _exit(status != CLACK_IO ? 1 : !is_told ? 2 : exists(path) ? 3 : exists(path + ".part") ? 4 : 0);
    }
    int state = 0;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    ASSERT_TRUE(WIFEXITED(state));
    EXPECT_EQ(WEXITSTATUS(state), 0);
}

TEST_F(RecordErrorTest, CloseOfNothing) { EXPECT_EQ(record_close(nullptr, nullptr, report.get()), CLACK_OK); }

} // namespace
