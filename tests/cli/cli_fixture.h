// A folder for each test, in which the program runs.
#ifndef CLACK_CLI_FIXTURE_H
#define CLACK_CLI_FIXTURE_H

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace fs = std::filesystem;

inline std::string read_file(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
    int exit_code;
    std::string out, err;
};

class Cli : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "clack_cli_XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder); }

    Outcome shell(const std::string &command) {
        const std::string line = "cd '" + folder.string() + "' && (" + command + ") >out.txt 2>err.txt";
        const int status = system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder / "out.txt"),
                read_file(folder / "err.txt")};
    }
    Outcome clack(const std::string &arguments) { return shell(std::string(CLACK_PROGRAM) + " " + arguments); }

    std::string study(uint64_t scenes, double end_s) {
        const std::string text =
            "format: 1\nunits: SI\nscene:\n  bodies:\n"
            "    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
            "    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}],"
            " position: [0, 0, {uniform: [0.5, 1.0]}]}\n"
            "design: {monte_carlo: {samples: " +
            std::to_string(scenes) +
            ", seed: 1}}\n"
            "solver: {end: " +
            std::to_string(end_s) +
            "}\n"
            "outputs: {quantities: {impacts: {count: contact_begin}}}\n";
        std::ofstream(folder / "small.yaml") << text;
        return "small.yaml";
    }
    fs::path folder;
};

#endif
