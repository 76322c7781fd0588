// Studies of data/ and tests/, loaded through the library: scenes sampled from them, and a run of those.
#ifndef CLACK_TESTS_STUDY_SCENES_H
#define CLACK_TESTS_STUDY_SCENES_H

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "clack.h"
#include "sample.h"
#include "scene_builder.h"

/// The studies of data/ whose files are in the tree, "x.yaml": meshes of the others are made by scripts.
inline std::vector<std::string> data_studies() {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(std::string(CLACK_SOURCE_DIR) + "/data")) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".yaml" || name == "materials.yaml" || name == "contact_pairs.yaml") continue;
        std::ifstream file(entry.path());
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (text.find("make_anchor.py") == std::string::npos) names.push_back(name);
    }
    return names;
}

struct Loaded {
    Study *study = nullptr;
    std::vector<SceneDescription> scenes;
    std::vector<std::vector<double>> values;
    std::vector<uint64_t> numbers;
    /// A study by its path from the root of the source tree, with some of its values set.
    explicit Loaded(const std::string &path, const std::vector<ClackStudyOverride> &overrides = {}) {
        ClackReport report{};
        const std::string whole = std::string(CLACK_SOURCE_DIR) + "/" + path;
        StudyOptions options{};
        options.overrides = overrides.data();
        options.override_count = overrides.size();
        EXPECT_EQ(study_read(whole.c_str(), &options, &study, &report), CLACK_OK)
            << (report.count ? report.lines[0] : "");
        clack_report_clear(&report);
    }
    Loaded(const Loaded &) = delete;
    /// Sample scene `number`; the reference is good until the next call.
    SceneDescription &take(uint64_t number) {
        std::vector<double> v(study->parameter_count + 1);
        sample_parameters(study, number, v.data());
        SceneDescription scene{};
        EXPECT_EQ(sample_scene(study, v.data(), &scene, nullptr), CLACK_OK);
        scenes.push_back(scene);
        values.push_back(v);
        numbers.push_back(number);
        return scenes.back();
    }
    /// Sampled value of a parameter in the k-th scene taken.
    double value(const std::string &name, size_t k = 0) const {
        for (uint32_t p = 0; p < study->parameter_count; p++) {
            if (name == study->parameters[p].name) return values[k][p];
        }
        ADD_FAILURE() << "no parameter " << name;
        return NAN;
    }
    uint32_t body(const std::string &name) const {
        for (uint32_t b = 0; b < study->scene.body_count; b++) {
            if (name == study->scene.bodies[b].name) return b;
        }
        ADD_FAILURE() << "no body " << name;
        return 0;
    }
    Ran run(Device *device) const { return run_scenes(device, scenes, *study, numbers); }
    ~Loaded() {
        for (SceneDescription &s : scenes) scene_free(&s);
        study_free(study);
    }
};

#endif
