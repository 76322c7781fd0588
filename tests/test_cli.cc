// The program as users meet it: exit codes, what goes to stdout and what to stderr, help, interruption.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
    int exit_code;
    std::string out, err;
};

// A folder for each test, in which the program runs.
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
            "design: {monte_carlo: {samples: " + std::to_string(scenes) + ", seed: 1}}\n"
            "solver: {end: " + std::to_string(end_s) + "}\n"
            "outputs: {quantities: {impacts: {count: contact_begin}}}\n";
        std::ofstream(folder / "small.yaml") << text;
        return "small.yaml";
    }
    fs::path folder;
};

const char *const commands[] = {"run", "evaluate", "validate", "devices", "info"};

TEST_F(Cli, HelpBeginsWithAnExampleOnStdout) {
    for (const std::string command : commands) {
        const Outcome help = clack(command + " --help");
        EXPECT_EQ(help.exit_code, 0);
        EXPECT_EQ(help.out.rfind("  clack " + command, 0), 0u) << help.out;
        EXPECT_EQ(help.err, "");
    }
    EXPECT_EQ(clack("--help").out.rfind("  clack run ", 0), 0u);
    EXPECT_EQ(clack("--version").out.rfind("clack 0.", 0), 0u);
}

TEST_F(Cli, ExampleOfValidateWorksAsPasted) {
    const std::string help = clack("validate --help").out;
    std::string example = help.substr(2, help.find('\n') - 2);
    example.replace(0, 5, CLACK_PROGRAM);
    const Outcome outcome = shell("cd '" CLACK_SOURCE_DIR "' && " + example);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("4096 scenes"), std::string::npos) << outcome.out;
}

TEST_F(Cli, WrongUseIsExit2AndSaysWhereHelpIs) {
    for (const char *arguments :
         {"", "fly", "run", "run a.yaml b.yaml", "run --nonsense a.yaml", "run --seed -3 a.yaml",
          "run --seed 1x a.yaml", "run --scene 1.5 a.yaml", "run --set nothing a.yaml", "run --set =3 a.yaml",
          "run --threads 0 a.yaml", "run --batch 0 a.yaml", "run -o", "validate", "validate -q a.yaml",
          "devices all", "info"}) {
        const Outcome outcome = clack(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_NE(outcome.err.find("--help"), std::string::npos) << arguments << "\n" << outcome.err;
        EXPECT_EQ(outcome.out, "") << arguments;
    }
}

TEST_F(Cli, MissingFilesAreExit4) {
    for (const char *arguments : {"run no_such.yaml", "validate no_such.yaml", "info no_such.h5"}) {
        const Outcome outcome = clack(arguments);
        EXPECT_EQ(outcome.exit_code, 4) << arguments << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find("no_such"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

TEST_F(Cli, WhatIsNoEnsembleIsRefused) {
    std::ofstream(folder / "text.h5") << "this is no HDF5 file\n";
    const Outcome outcome = clack("info text.h5");
    EXPECT_TRUE(outcome.exit_code == 4 || outcome.exit_code == 7) << outcome.exit_code;
    EXPECT_NE(outcome.err.find("text.h5"), std::string::npos) << outcome.err;
}

TEST_F(Cli, FullStandardOutputIsExit4) {
    EXPECT_EQ(clack("devices >/dev/full").exit_code, 4);
    EXPECT_EQ(clack("--version >/dev/full").exit_code, 4);
}

TEST_F(Cli, InvalidStudyIsExit3WithAllErrorsOnStderr) {
    std::ofstream(folder / "bad.yaml") << "format: 1\nunits: SI\nscene:\n  gravty: [0, 0, -9.81]\n  bodies: 3\n";
    for (const char *command : {"validate bad.yaml", "run bad.yaml"}) {
        const Outcome outcome = clack(command);
        EXPECT_EQ(outcome.exit_code, 3);
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find("bad.yaml:4:"), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find("bad.yaml:5:"), std::string::npos) << outcome.err;
    }
    EXPECT_FALSE(fs::exists(folder / "bad.h5"));
}

TEST_F(Cli, EveryWrongStudyIsExit3WithItsPlace) {
    unsigned count = 0;
    for (const fs::directory_entry &entry : fs::directory_iterator(CLACK_SOURCE_DIR "/tests/studies")) {
        const std::string path = entry.path().string();
        if (entry.path().filename().string().rfind("wrong_", 0) != 0) continue;
        const Outcome outcome = clack("run '" + path + "' -o x.h5");
        EXPECT_EQ(outcome.exit_code, 3) << path;
        EXPECT_EQ(outcome.err.rfind(path + ":", 0), 0u) << outcome.err; // the exact lines: test_study.cc
        EXPECT_FALSE(fs::exists(folder / "x.h5"));
        count++;
    }
    EXPECT_GE(count, 10u);
}

TEST_F(Cli, FailedScenesAreExit6AfterWriting) {
    // Two balls at one place have no normal.
    std::ofstream(folder / "same.yaml")
        << "format: 1\nscene:\n  bodies:\n"
           "    a: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}\n"
           "    b: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}\nsolver: {end: 0.01}\n";
    EXPECT_EQ(clack("run same.yaml -o same.h5").exit_code, 6);
    EXPECT_TRUE(fs::exists(folder / "same.h5"));
    EXPECT_NE(clack("info same.h5").out.find("coincident 1"), std::string::npos);
    EXPECT_EQ(clack("run same.yaml -o same.h5 --max-failures 1").exit_code, 0);
}

TEST_F(Cli, DevicesListsNativeFirst) {
    const Outcome outcome = clack("devices");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("\nnative "), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.err, "");
}

TEST_F(Cli, UnknownDeviceIsExit2BeforeAnythingIsWritten) {
    const Outcome outcome = clack("run " + study(4, 0.1) + " -d 99 -o x.h5");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("there are: native"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "x.h5"));
    EXPECT_FALSE(fs::exists(folder / "x.h5.part"));
}

TEST_F(Cli, KernelsThatDoNotCompileAreExit5WithTheLog) {
    if (clack("devices").out.find("\n0 ") == std::string::npos) GTEST_SKIP() << "no OpenCL device";
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "kernels", folder / "kernels");
    std::ofstream(folder / "kernels" / "layout.cl", std::ios::app) << "this is a mistake;\n";
    const Outcome outcome = shell("CLACK_KERNEL_DIR=kernels " CLACK_PROGRAM " run " + study(4, 0.1) + " -d 0 -o x.h5");
    EXPECT_EQ(outcome.exit_code, 5);
    EXPECT_NE(outcome.err.find("layout.cl:"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "x.h5"));
}

TEST_F(Cli, RunWritesTheFileAndNothingOnStdout) {
    const Outcome outcome = clack("run " + study(64, 0.5) + " -d native");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("small.h5: 64 of 64 scenes"), std::string::npos) << outcome.err;
    EXPECT_TRUE(fs::exists(folder / "small.h5"));
    EXPECT_FALSE(fs::exists(folder / "small.h5.part"));
    const Outcome info = clack("info small.h5");
    EXPECT_EQ(info.exit_code, 0) << info.err;
    EXPECT_NE(info.out.find("64"), std::string::npos) << info.out;
}

TEST_F(Cli, ProgressOffATerminalIsOneLineForEachTenthAtMost) {
    const Outcome outcome = clack("run " + study(64, 0.5) + " -d native --batch 1 -o x.h5");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    size_t lines = 0;
    for (size_t at = 0; (at = outcome.err.find(" left, ", at)) != std::string::npos; at++) lines++;
    EXPECT_EQ(lines, 10u) << outcome.err;
    EXPECT_EQ(outcome.err.find('\r'), std::string::npos);
    const Outcome quiet = clack("run small.yaml -q -d native -o x.h5");
    EXPECT_EQ(quiet.exit_code, 0);
    EXPECT_EQ(quiet.err, "");
}

TEST_F(Cli, OneSceneIsPrintedAndWritesNoFile) {
    const Outcome outcome = clack("run " + study(64, 0.5) + " -d native --scene 7");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.rfind("scene 7\n", 0), 0u) << outcome.out;
    EXPECT_NE(outcome.out.find("impacts"), std::string::npos);
    EXPECT_NE(outcome.out.find("begin"), std::string::npos);
    EXPECT_FALSE(fs::exists(folder / "small.h5"));
    EXPECT_EQ(clack("run small.yaml -d native --scene 64").exit_code, 2);
}

TEST_F(Cli, UnwritableOutputIsExit4AndNamed) {
    const Outcome outcome = clack("run " + study(4, 0.1) + " -d native -o no_such_folder/x.h5");
    EXPECT_EQ(outcome.exit_code, 4);
    EXPECT_NE(outcome.err.find("no_such_folder/x.h5"), std::string::npos) << outcome.err;
}

TEST_F(Cli, InterruptedRunKeepsWhatItHas) {
    for (const int number : {SIGINT, SIGTERM}) {
        // Far more scenes than can be run; a shell in the background would ignore SIGINT, so fork here.
        const std::string file = (folder / study(2000000, 2.0)).string();
        const std::string output = (folder / "x.h5").string();
        const pid_t child = fork();
        if (child == 0) {
            execl(CLACK_PROGRAM, "clack", "run", file.c_str(), "-q", "-d", "native", "--batch", "64", "-o",
                  output.c_str(), static_cast<char *>(nullptr));
            _exit(99);
        }
        for (int i = 0; i < 500 && !fs::exists(output + ".part"); i++) usleep(10000);
        usleep(300000);
        kill(child, number);
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + number);
        EXPECT_TRUE(fs::exists(output));
        EXPECT_FALSE(fs::exists(output + ".part"));
        EXPECT_EQ(clack("info x.h5").exit_code, 0);
        fs::remove(output);
    }
}

// The check of the tree's rules can fail.
TEST_F(Cli, LayeringCheckSeesPlantedBreaches) {
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "host", folder / "host");
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "kernels", folder / "kernels");
    const std::string check = "CHECK_ROOT='" + folder.string() + "' sh '" CLACK_SOURCE_DIR "/tests/check_layering.sh'";
    EXPECT_EQ(shell(check).exit_code, 0) << read_file(folder / "out.txt");
    std::ofstream stage(folder / "host" / "stage.c", std::ios::app);
    stage << "#include <CL/cl.h>\nvoid other_name(void) {\n";
    for (int i = 0; i < 80; i++) stage << "    printf(\"x\");\n";
    stage << "}\n";
    stage.close();
    std::ofstream(folder / "kernels" / "portable.h", std::ios::app) << "#include \"vec3.h\"\n";
    std::ofstream(folder / "kernels" / "vec3.h", std::ios::app) << "#ifdef __clang__\n#endif\n";
    const Outcome outcome = shell(check);
    EXPECT_EQ(outcome.exit_code, 1);
    for (const char *breach : {"CL/cl.h", "other_name has 82 lines", "public function other_name", "printf",
                               "include cycle", "vec3.h:"}) {
        EXPECT_NE(outcome.out.find(breach), std::string::npos) << breach << "\n" << outcome.out;
    }
}

} // namespace
