// Reading a study file or text in a test: what was told, line by line, and the study.
#ifndef CLACK_STUDY_READING_H
#define CLACK_STUDY_READING_H

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "study.h"

struct ReadResult {
    ClackStatus status = CLACK_OK;
    std::vector<std::string> lines;
    Study *study = nullptr;
    ReadResult() = default;
    ReadResult(const ReadResult &) = delete;
    ReadResult &operator=(const ReadResult &) = delete;
    ReadResult(ReadResult &&other) noexcept : status(other.status), lines(std::move(other.lines)), study(other.study) {
        other.study = nullptr;
    }
    ReadResult &operator=(ReadResult &&other) noexcept {
        std::swap(status, other.status);
        std::swap(lines, other.lines);
        std::swap(study, other.study);
        return *this;
    }
    ~ReadResult() { study_free(study); }
};

using Overrides = std::vector<std::pair<std::string, std::string>>;

inline ReadResult read_file(const std::string &path, const Overrides &overrides = {}, const uint64_t *seed = nullptr,
                            bool tells_idle = false) {
    std::vector<StudyOverride> list;
    for (const auto &pair : overrides) list.push_back({pair.first.c_str(), pair.second.c_str()});
    StudyOptions options = {};
    options.overrides = list.data();
    options.override_count = list.size();
    options.data_dir = CLACK_SOURCE_DIR "/data";
    options.seed = seed;
    options.tells_idle = tells_idle;
    ClackReport report = {};
    ReadResult result;
    testing::internal::CaptureStderr(); // a library does not print
    result.status = study_read(path.c_str(), &options, &result.study, &report);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(report.status, result.status);
    for (size_t i = 0; i < report.count; i++) {
        std::string line = report.lines[i]; // "@" stands for the file
        for (size_t at = line.find(path); at != std::string::npos; at = line.find(path))
            line.replace(at, path.size(), "@");
        result.lines.push_back(line);
    }
    clack_report_clear(&report);
    return result;
}

inline ReadResult read_text(const std::string &text, const Overrides &overrides = {}, bool tells_idle = false) {
    const std::string path =
        testing::TempDir() + "clack_study_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
    std::ofstream(path, std::ios::binary) << text;
    ReadResult result = read_file(path, overrides, nullptr, tells_idle);
    std::remove(path.c_str());
    return result;
}

// A ball over a floor, with `more` of the scene before its bodies and `ball` in the ball.
inline std::string simple(const std::string &more, const std::string &ball, const std::string &end = "") {
    return "format: 1\nscene:\n" + more +
           "  bodies:\n"
           "    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}\n"
           "    ball: {material: steel, shapes: [{sphere: {diameter: 0.2}}]" +
           ball + "}\nsolver: {end: 1}\n" + end;
}

// Warned of is nothing but what such a short study has no use for.
inline void expect_ok(const ReadResult &result) {
    ASSERT_EQ(result.status, CLACK_OK) << (result.lines.empty() ? "" : result.lines[0]);
    for (const std::string &line : result.lines)
        ASSERT_TRUE(line.find("warning: nothing is computed from ") != std::string::npos ||
                    line.find("warning: no shapes of ") != std::string::npos)
            << line;
    ASSERT_NE(result.study, nullptr);
}

inline void expect_error(const ReadResult &result, const std::vector<std::string> &lines) {
    EXPECT_EQ(result.status, CLACK_STUDY);
    EXPECT_EQ(result.study, nullptr);
    EXPECT_EQ(result.lines, lines);
}

#endif
