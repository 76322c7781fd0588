// Verification: a share of the scenes run again, refined, against the same runs made by hand.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <hdf5.h>

#include "clack.h"
#include "cli_fixture.h"

namespace {

struct OpenStudy {
    ClackStudy *study = nullptr;
    explicit OpenStudy(const std::string &path, std::vector<ClackStudyOverride> overrides = {}) {
        ClackReport report{};
        ClackStudyOptions options = CLACK_SIZED(ClackStudyOptions);
        options.overrides = overrides.data();
        options.override_count = overrides.size();
        EXPECT_EQ(clack_study_read(path.c_str(), &options, &study, &report), CLACK_OK)
            << (report.count ? report.lines[0] : "");
        clack_report_clear(&report);
    }
    OpenStudy(const OpenStudy &) = delete;
    ~OpenStudy() { clack_study_free(study); }
};

const std::string bouncing = CLACK_DATA_DIR "/bouncing_sphere.yaml";

ClackRunOptions native() {
    static ClackDeviceOptions device = CLACK_SIZED(ClackDeviceOptions);
    ClackRunOptions options = CLACK_SIZED(ClackRunOptions);
    device.choice = "native";
    options.device = &device;
    return options;
}

struct Verified : ClackVerification {
    ClackStatus status;
    std::string text;
    Verified(const ClackStudy *study, double share) : ClackVerification(CLACK_SIZED(ClackVerification)) {
        ClackReport report{};
        const ClackRunOptions options = native();
        status = clack_verify(study, &options, share, this, &report);
        text = report.count ? report.lines[0] : "";
        clack_report_clear(&report);
    }
    Verified(const Verified &) = delete;
    ~Verified() { clack_verification_free(this); }
};

std::vector<double> quantities_of(const ClackStudy *study, uint64_t scene) {
    std::vector<double> values(clack_study_quantity_count(study));
    ClackRunOptions options = native();
    options.no_file = 1;
    options.only_scene = &scene;
    options.batch_context = &values;
    options.on_batch = [](void *context, const ClackBatch *batch) {
        auto &out = *static_cast<std::vector<double> *>(context);
        std::copy(batch->quantities, batch->quantities + out.size(), out.begin());
    };
    ClackRunSummary summary = CLACK_SIZED(ClackRunSummary);
    ClackReport report{};
    EXPECT_EQ(clack_run(study, &options, &summary, &report), CLACK_OK);
    clack_report_clear(&report);
    return values;
}

TEST(Verify, IsTheDifferenceOfTheSameScenesRefinedByHand) {
    OpenStudy plain(bouncing);
    OpenStudy fine(bouncing, {{"solver.accuracy", "{tolerance: 1.0e-8, steps: 20}"}, {"solver.step", "0.00025"}});
    const Verified v(plain.study, 0.001);
    ASSERT_EQ(v.status, CLACK_OK) << v.text;
    ASSERT_EQ(v.scene_count, 5u); // of 4096, rounded up
    EXPECT_EQ(v.compared, 5u);
    for (uint64_t i = 0; i < v.scene_count; i++) {
        const auto run = quantities_of(plain.study, v.scenes[i]), refined = quantities_of(fine.study, v.scenes[i]);
        for (uint32_t q = 0; q < v.quantity_count; q++) {
            EXPECT_EQ(v.quantities[i * v.quantity_count + q], run[q]) << q;
            EXPECT_EQ(v.quantity_differences[i * v.quantity_count + q], refined[q] - run[q]) << q;
        }
        EXPECT_GT(v.position_m[i], 0);
        EXPECT_LT(v.position_m[i], 1e-4);
    }
}

TEST(Verify, DrawsDifferentScenesInOrder) {
    OpenStudy open(bouncing);
    const Verified v(open.study, 0.02);
    ASSERT_EQ(v.status, CLACK_OK) << v.text;
    EXPECT_EQ(v.scene_count, 82u);
    const std::set<uint64_t> different(v.scenes, v.scenes + v.scene_count);
    EXPECT_EQ(different.size(), v.scene_count);
    EXPECT_TRUE(std::is_sorted(v.scenes, v.scenes + v.scene_count));
    EXPECT_LT(*different.begin(), 1024u); // from the whole study
    EXPECT_GT(*different.rbegin(), 3072u);
    // What substeps estimated is not below what refining changed.
    EXPECT_EQ(v.above_indicator, 0u);
    EXPECT_EQ(v.other_events, 0u);
}

TEST(Verify, RefusesSharesThatAreNone) {
    OpenStudy open(bouncing);
    for (double share : {0.0, -0.1, 1.01, double(NAN)}) {
        const Verified v(open.study, share);
        EXPECT_EQ(v.status, CLACK_USAGE) << share;
        EXPECT_EQ(v.scenes, nullptr);
    }
}

TEST(Verify, QuantilesOfAbsoluteValues) {
    const double values[] = {-3, 7, 1, 7, NAN, 7, 2, 7, INFINITY, 7};
    EXPECT_EQ(clack_verification_quantile(values, 5, 2, 0), 1);
    EXPECT_EQ(clack_verification_quantile(values, 5, 2, 0.5), 2);
    EXPECT_EQ(clack_verification_quantile(values, 5, 2, 0.75), 2.5);
    EXPECT_EQ(clack_verification_quantile(values, 5, 2, 1), 3);
    EXPECT_TRUE(std::isnan(clack_verification_quantile(values + 4, 1, 1, 0.5)));
}

TEST_F(Cli, VerificationIsPrintedAndInTheFile) {
    study(40, 1.0);
    const Outcome outcome = clack("run small.yaml --verify 25% --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("10 of 10 scenes compared"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("\"scenes_compared\": 10"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("more than error_sum"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("\"scenes_above_error_sum\": 0"), std::string::npos) << outcome.out;
    const hid_t file = H5Fopen((folder / "small.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    const hid_t dataset = H5Dopen(file, "/verification/velocity_difference", H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    double values[10];
    const hid_t space = H5Dget_space(dataset);
    ASSERT_EQ(H5Sget_simple_extent_npoints(space), 10);
    ASSERT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    for (double v : values) EXPECT_LT(v, 1e-4);
    H5Sclose(space);
    H5Dclose(dataset);
    EXPECT_GT(H5Lexists(file, "/verification/quantity_difference/impacts", H5P_DEFAULT), 0);
    H5Fclose(file);
    EXPECT_EQ(clack("info small.h5").exit_code, 0);
    for (const char *share : {"0%", "101%", "x", "2", "1%%", ""})
        EXPECT_EQ(clack(std::string("run small.yaml --verify '") + share + "'").exit_code, 2) << share;
}

// Methods of fixed steps estimate no errors: nothing is compared with an error_sum of 0.
TEST_F(Cli, VerificationOfMethodsWithoutEstimatesComparesWithNone) {
    study(40, 1.0);
    const Outcome outcome = clack("run small.yaml --set solver.method=trapezoidal --verify 5% --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("2 of 2 scenes compared"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("error_sum"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("\"scenes_above_error_sum\": null"), std::string::npos) << outcome.out;
}

// It is added to a copy, which takes the name of the finished file once it is whole.
TEST_F(Cli, VerificationThatCannotBeWrittenLeavesTheFile) {
    study(40, 1.0);
    ASSERT_EQ(clack("run small.yaml -o alone.h5").exit_code, 0);
    std::filesystem::create_directory(folder / "small.h5.part");
    const Outcome outcome = clack("run small.yaml --verify 25%");
    EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
    EXPECT_NE(outcome.err.find("small.h5: cannot create"), std::string::npos) << outcome.err;
    EXPECT_EQ(clack("info small.h5").exit_code, 0);
    EXPECT_EQ(clack("stats small.h5").out, clack("stats alone.h5").out);
}

} // namespace
