// Readers of the ensemble file: the summary of `clack info`, and Python's with tests/host/record/read_ensemble.py.
#include <sys/wait.h>

#include <fstream>
#include <iterator>

#include "record_fixture.h"

// HDF5 1.10 leaks on some damaged files; what it holds for us is closed with the file.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() { return "leak:libhdf5"; }

namespace {

using namespace record_fixture;

// --- summary --------------------------------------------------------------------------------------

class DescribeTest : public RecordTest {
  protected:
    std::string describe(const std::string &which, ClackStatus expected) {
        char *text = nullptr;
        EXPECT_EQ(record_describe(which.c_str(), &text, report.get()), expected) << report.text();
        EXPECT_EQ(text != nullptr, expected == CLACK_OK);
        EXPECT_EQ(report.count(), expected == CLACK_OK ? 0u : 1u) << report.text();
        const std::string copy = text != nullptr ? text : "";
        std::free(text);
        return copy;
    }
    std::string read_bytes() const {
        std::ifstream stream(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    }
    void write_bytes(const std::string &bytes) const {
        std::ofstream(path, std::ios::binary).write(bytes.data(), (std::streamsize)bytes.size());
    }
    void make_file() {
        const MadeStudy made;
        write_file(made);
        H5Fclose(file);
        file = 0;
    }
};

TEST_F(DescribeTest, SaysWhatTheFileHolds) {
    make_file();
    const std::string text = describe(path, CLACK_OK);
    for (const char *part :
         {"Kugel fällt", "5 (numbers 10 to 14), not complete", "ok 3 not_run 1 not_finite 1",
          "late_begin 1 (scene 13), rejects 1 (scene 13)\n", "made-up device", "18364758544493064720", "monte_carlo",
          "uniform [0.5, 1]", "10.25 to 13.25", "min -13, mean -11.5, max -10, of 4 scenes", "[3, 6, 3, 4]",
          "/events/impulse", "[11, 3]", "/contacts/tangential_force", "[6, 3]", "/provenance/study_text"})
        EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is missing in\n" << text;
}

TEST(Flags, AreToldWithTheFirstScenes) {
    RecordSummary summary = {};
    char text[2048];
    auto told = [&] {
        record_print_flags(&summary, text, sizeof text);
        return std::string(text);
    };
    EXPECT_EQ(told(), "none");
    summary.scene_first = 100;
    summary.by_flag[6] = 4096; // frozen
    EXPECT_EQ(told(), "frozen 4096");
    summary.by_flag[5] = 2;
    summary.flagged_rows[5][0] = 3;
    summary.flagged_rows[5][1] = 5;
    EXPECT_EQ(told(), "energy_drift 2 (scenes 103, 105), frozen 4096");
    summary.by_flag[9] = 9;
    for (uint64_t i = 0; i < 8; i++) summary.flagged_rows[9][i] = i;
    EXPECT_EQ(told(), "energy_drift 2 (scenes 103, 105), frozen 4096, deep_contact 9 (scenes 100, 101, 102, 103, 104, "
                      "105, 106, 107, ...)");
}

TEST(Units, OfANumberWithoutOneAreNotShown) {
    EXPECT_STREQ(record_unit_shown("1"), "");
    EXPECT_STREQ(record_unit_shown("1/s"), "1/s");
    EXPECT_STREQ(record_unit_shown(""), "");
}

TEST_F(DescribeTest, MissingFile) {
    describe(folder + "/none.h5", CLACK_IO);
    EXPECT_NE(report.text().find("No such file"), std::string::npos) << report.text();
}

TEST_F(DescribeTest, Folder) { describe(folder, CLACK_IO); }

TEST_F(DescribeTest, FileOfAnotherKind) {
    write_bytes("time,position\n");
    describe(path, CLACK_CORRUPT);
    EXPECT_NE(report.text().find("no HDF5 file"), std::string::npos) << report.text();
}

TEST_F(DescribeTest, EmptyFile) {
    write_bytes("");
    describe(path, CLACK_CORRUPT);
}

TEST_F(DescribeTest, Hdf5FileOfSomebodyElse) {
    const hid_t other = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(other);
    describe(path, CLACK_CORRUPT);
    EXPECT_NE(report.text().find("ensemble_format"), std::string::npos) << report.text();
}

TEST_F(DescribeTest, TruncatedFile) {
    make_file();
    const std::string bytes = read_bytes();
    for (const size_t size : {bytes.size() - 1, bytes.size() / 2, (size_t)600}) {
        Report own;
        char *text = nullptr;
        write_bytes(bytes.substr(0, size));
        EXPECT_EQ(record_describe(path.c_str(), &text, own.get()), CLACK_CORRUPT) << size;
        EXPECT_EQ(text, nullptr);
        EXPECT_NE(own.text().find(path), std::string::npos) << own.text();
    }
}

// Any byte may be wrong: the answer is a summary or a refusal, never a crash; and the checksums of the
// per-scene data notice.
TEST_F(DescribeTest, DamagedBytes) {
    make_file();
    const std::string bytes = read_bytes();
    size_t refused = 0, tried = 0;
    for (size_t at = 0; at < bytes.size(); at += bytes.size() / 199, tried++) {
        std::string damaged = bytes;
        damaged[at] = (char)(damaged[at] ^ 0x55);
        write_bytes(damaged);
        Report own;
        char *text = nullptr;
        const ClackStatus status = record_describe(path.c_str(), &text, own.get());
        EXPECT_TRUE(status == CLACK_OK || status == CLACK_CORRUPT) << at << " " << own.text();
        if (status != CLACK_OK) refused++;
        std::free(text);
    }
    EXPECT_GT(refused, tried / 10) << "of " << tried;
}

TEST(RecordNames, OfCodes) {
    EXPECT_STREQ(record_status_name(STATUS_OK), "ok");
    EXPECT_STREQ(record_status_name(STATUS_COINCIDENT), "coincident");
    EXPECT_STREQ(record_status_name(12345), "unknown");
    EXPECT_STREQ(record_flag_name(FLAG_REJECTS), "rejects");
    EXPECT_STREQ(record_flag_name(3), "unknown");
}

// --- Python's readers -------------------------------------------------------------------------------

class PythonTest : public RecordTest {
  protected:
    static constexpr int skipped = 77, not_found = 127;
    // Exit code of the checker under the first interpreter that has the packages; `skipped` where none has.
    int check() const {
        const char *chosen = std::getenv("CLACK_PYTHON");
        for (const std::string name : {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
            if (name.empty()) continue;
            const std::string script = CLACK_SOURCE_DIR "/tests/host/record/read_ensemble.py";
            const std::string command = "'" + name + "' '" + script + "' '" + path + "'";
            const int state = std::system(command.c_str());
            const int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
            if (code != skipped && code != not_found) return code;
        }
        return skipped;
    }
    void finish(Record *record) { ASSERT_EQ(record_close(record, nullptr, report.get()), CLACK_OK); }
};

const char *const without_packages = "no Python with xarray, h5netcdf, netCDF4 and h5py";

TEST_F(PythonTest, ReadersOpenEveryGroup) {
    const MadeStudy made;
    Record *record = open_record(made);
    write_batch(record, MadeBatch({10, 11}));
    write_batch(record, MadeBatch({12, 13, 14}));
    finish(record);
    const int code = check();
    if (code == skipped) GTEST_SKIP() << without_packages;
    EXPECT_EQ(code, 0);
}

TEST_F(PythonTest, ReadersOpenAFileOfOneSceneWithoutEvents) {
    MadeStudy made;
    made.study.trajectory_every_s = made.study.contacts_every_s = 0;
    made.study.parameter_count = made.study.quantity_count = made.study.input_count = 0;
    const RecordProvenance provenance = {};
    Record *record = nullptr;
    ASSERT_EQ(record_open(path.c_str(), &made.study, 11, 1, &provenance, &record, report.get()), CLACK_OK);
    write_batch(record, MadeBatch({11}));
    finish(record);
    const int code = check();
    if (code == skipped) GTEST_SKIP() << without_packages;
    EXPECT_EQ(code, 0);
}

TEST_F(PythonTest, ReadersOpenAFileWithoutAnyScene) {
    const MadeStudy made;
    finish(open_record(made));
    const int code = check();
    if (code == skipped) GTEST_SKIP() << without_packages;
    EXPECT_EQ(code, 0);
}

TEST_F(PythonTest, TheCheckSeesMissingUnits) {
    const MadeStudy made;
    finish(open_record(made));
    const hid_t writable = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(writable, "status", H5P_DEFAULT);
    ASSERT_GE(H5Adelete(dataset, "units"), 0);
    H5Dclose(dataset);
    H5Fclose(writable);
    const int code = check();
    if (code == skipped) GTEST_SKIP() << without_packages;
    EXPECT_EQ(code, 1);
}

TEST_F(PythonTest, TheCheckSeesWrongValues) {
    const MadeStudy made;
    for (const char *name : {"n_events", "first_contact"}) { // each in a file that is whole else
        Record *record = open_record(made);
        write_batch(record, MadeBatch({10, 11, 12, 13}));
        finish(record);
        const hid_t changed = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(changed, name, H5P_DEFAULT);
        int values[5] = {};
        EXPECT_GE(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
        values[1]++;
        EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
        H5Dclose(dataset);
        H5Fclose(changed);
        const int code = check();
        if (code == skipped) GTEST_SKIP() << without_packages;
        EXPECT_EQ(code, 1) << name;
    }
}

} // namespace
