// A study written in a test: reads it, keeps what was told, samples scenes.
#ifndef CLACK_STUDY_FIXTURE_H
#define CLACK_STUDY_FIXTURE_H

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "sample.h"
#include "study.h"

class StudyFixture : public testing::Test {
  protected:
    std::string path =
        testing::TempDir() + "clack_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
    Study *study = nullptr;
    std::string told; // all lines of the report, "@" for the file
    ~StudyFixture() override { study_free(study); }
    bool read_text(const std::string &text) {
        study_free(study);
        std::ofstream(path) << text;
        StudyOptions options = {};
        options.data_dir = CLACK_SOURCE_DIR "/data";
        ClackReport report = {};
        const bool is_ok = study_read(path.c_str(), &options, &study, &report) == CLACK_OK;
        told.clear();
        for (size_t i = 0; i < report.count; i++) {
            std::string line = report.lines[i];
            for (size_t at = line.find(path); at != std::string::npos; at = line.find(path))
                line.replace(at, path.size(), "@");
            told += line + "\n";
        }
        EXPECT_EQ(is_ok, report.status == CLACK_OK);
        clack_report_clear(&report);
        std::remove(path.c_str());
        return is_ok;
    }
    // One ball with these variables, design and further keys of the ball, on the 5th and 6th line.
    bool read(const std::string &variables, const std::string &ball,
              const std::string &design = "{monte_carlo: {samples: 100}}") {
        return read_text("format: 1\nvariables: " + variables + "\ndesign: " + design +
                         "\nscene:\n  bodies:\n    ball: {material: steel, " + ball + "}\nsolver: {end: 0.1}\n");
    }
    std::vector<double> values(uint64_t scene) const {
        std::vector<double> out(study->parameter_count);
        sample_parameters(study, scene, out.data());
        return out;
    }
    size_t parameter(const std::string &name) const {
        for (size_t i = 0; i < study->parameter_count; i++)
            if (name == study->parameters[i].name) return i;
        ADD_FAILURE() << "no parameter " << name;
        return 0;
    }
};

#endif
