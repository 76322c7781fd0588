// A folder of its own for a test, with a study and the files beside it.
#ifndef CLACK_TESTS_STUDY_FOLDER_H
#define CLACK_TESTS_STUDY_FOLDER_H

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "study.h"

struct StudyFolder {
    std::string path;
    Study *study = nullptr;
    ClackStatus status = CLACK_OK;
    std::vector<std::string> lines; // what was told, without the folder's path
    /// label: sets it apart from other test files' folders.
    explicit StudyFolder(const std::string &label)
        : path(testing::TempDir() + "clack_" + label + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name() + "/") {
        std::filesystem::create_directories(path);
    }
    StudyFolder(const StudyFolder &) = delete;
    ~StudyFolder() {
        study_free(study);
        std::filesystem::remove_all(path);
    }
    void write(const std::string &name, const std::string &text) {
        std::ofstream(path + name, std::ios::binary) << text;
    }
    void read_study(const std::string &text, bool takes_meshes = false) {
        write("study.yaml", text);
        StudyOptions options = {};
        options.data_dir = CLACK_SOURCE_DIR "/data";
        options.takes_meshes = takes_meshes;
        ClackReport report = {};
        study_free(study);
        study = nullptr;
        lines.clear();
        status = study_read((path + "study.yaml").c_str(), &options, &study, &report);
        for (size_t i = 0; i < report.count; i++) {
            std::string line = report.lines[i];
            for (size_t at = line.find(path); at != std::string::npos; at = line.find(path))
                line.erase(at, path.size());
            lines.push_back(line);
        }
        clack_report_clear(&report);
    }
};

#endif
