// A study given as text: read, its first scene sampled, run.
#ifndef CLACK_TESTS_STUDY_TEXT_H
#define CLACK_TESTS_STUDY_TEXT_H

#include <cstdio>
#include <fstream>

#include "sample.h"
#include "scene_builder.h"

using Lines = std::vector<std::string>;

// A study read from a text, its first scene, and what there was to say.
struct StudyText {
    Study *study = nullptr;
    SceneDescription scene{};
    Lines lines;
    explicit StudyText(const std::string &text) {
        const std::string path = testing::TempDir() + "clack_pairs_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
        std::ofstream(path, std::ios::binary) << text;
        StudyOptions options = {};
        options.data_dir = CLACK_SOURCE_DIR "/data";
        ClackReport report = {};
        if (study_read(path.c_str(), &options, &study, &report) == CLACK_OK) {
            std::vector<double> values(study->parameter_count + 1);
            sample_parameters(study, 0, values.data());
            EXPECT_EQ(sample_scene(study, values.data(), &scene, &report), CLACK_OK);
        }
        for (size_t i = 0; i < report.count; i++) {
            std::string line = report.lines[i];
            const size_t at = line.find(path);
            lines.push_back(at == 0 ? line.substr(path.size()) : line);
        }
        clack_report_clear(&report);
        std::remove(path.c_str());
    }
    StudyText(const StudyText &) = delete;
    ~StudyText() {
        if (study == nullptr) return;
        scene_free(&scene);
        study_free(study);
    }
    // Rows and variables that a short study has no use for are warned of, and right.
    bool is_ok() const {
        size_t idle = 0;
        for (const std::string &line : lines)
            idle += line.find("warning: no shapes of ") != std::string::npos ||
                    line.find("warning: nothing is computed from ") != std::string::npos;
        return study != nullptr && idle == lines.size();
    }
    Ran run() const { return run_scenes(native_device(), {scene}, *study, {0}); }
};

#endif
