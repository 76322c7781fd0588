// The program as users meet it: exit codes, what goes to stdout and what to stderr, help, interruption.
#include "cli_fixture.h"

#include <algorithm>
#include <csignal>
#include <sstream>
#include <vector>

namespace {

// The commands that `clack --help` lists.
std::vector<std::string> command_names(const std::string &help) {
    std::vector<std::string> names;
    std::istringstream lines(help.substr(help.find("\n\n", help.find("Usage:")) + 2));
    for (std::string line; std::getline(lines, line) && line.rfind("  ", 0) == 0;) {
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
}

TEST_F(Cli, HelpBeginsWithAnExampleThatWorksAsPasted) {
    // What the examples write stays in this folder, where the source tree's data/ is too.
    fs::create_directory_symlink(CLACK_SOURCE_DIR "/data", folder / "data");
    const std::string path = "PATH='" + fs::path(CLACK_PROGRAM).parent_path().string() + "':\"$PATH\" && ";
    std::vector<std::string> names = command_names(clack("--help").out);
    for (const char *known : {"run", "resume", "merge", "evaluate", "validate", "sample", "devices", "info"}) {
        EXPECT_NE(std::find(names.begin(), names.end(), known), names.end()) << known;
    }
    names.insert(names.begin(), ""); // the program's own help; it makes the file that others read
    for (const std::string &name : names) {
        const Outcome help = clack(name + " --help");
        EXPECT_EQ(help.exit_code, 0);
        EXPECT_EQ(help.out.rfind("  clack " + (name.empty() ? "run" : name), 0), 0u) << help.out;
        EXPECT_EQ(help.err, "");
        const Outcome example = shell(path + help.out.substr(0, help.out.find('\n')));
        EXPECT_EQ(example.exit_code, 0) << help.out.substr(0, help.out.find('\n')) << "\n" << example.err;
    }
    EXPECT_EQ(clack("--version").out.rfind("clack 0.", 0), 0u);
}

TEST_F(Cli, WrongUseIsExit2AndSaysWhereHelpIs) {
    for (const char *arguments :
         {"", "fly", "run", "run a.yaml b.yaml", "run --nonsense a.yaml", "run --seed -3 a.yaml",
          "run --seed 1x a.yaml", "run --scene 1.5 a.yaml", "run --set nothing a.yaml", "run --set =3 a.yaml",
          "run --threads 0 a.yaml", "run --batch 0 a.yaml", "run -o", "run -n 3 a.yaml", "validate", "validate -q a.yaml",
          "devices all", "info", "run --shard 4/3 a.yaml", "run --shard 0/3 a.yaml", "run --time-limit 0 a.yaml",
          "run --shard 1/2 --verify 10% a.yaml", "run --time-limit 3d a.yaml", "run --checkpoint -1 a.yaml", "resume", "merge -o x.h5", "sample", "sample -n 0 a.yaml", "sample -n x a.yaml", "sample -d 0 a.yaml"}) {
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
    EXPECT_EQ(clack("devices --json >/dev/full").exit_code, 4);
    // Half of a table is removed, but never what is no file.
    fs::create_symlink("/dev/full", folder / "full.csv");
    EXPECT_EQ(clack("sample " + study(64, 0.1) + " -o full.csv").exit_code, 4);
    EXPECT_TRUE(fs::is_symlink(folder / "full.csv"));
}

TEST_F(Cli, ReaderThatGoesAwayIsExit4) {
    for (const char *arguments : {"devices", "sample small.yaml", "sample small.yaml --json"}) {
        study(64, 0.1);
        const Outcome outcome =
            shell("{ sleep 0.3; " + std::string(CLACK_PROGRAM) + " " + arguments + "; echo $? >code.txt; } | true");
        EXPECT_EQ(read_file(folder / "code.txt"), "4\n") << arguments;
        EXPECT_NE(outcome.err.find("Broken pipe"), std::string::npos) << outcome.err;
    }
}

TEST_F(Cli, ClosedStreamsDoNotBecomeTheFile) {
    EXPECT_EQ(clack("devices >&-").exit_code, 4);
    EXPECT_EQ(clack("run " + study(8, 0.1) + " -d native -o x.h5 <&- >&- 2>&-").exit_code, 0);
    EXPECT_EQ(clack("info x.h5").exit_code, 0);
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
        const std::string name = entry.path().filename().string();
        if (name.rfind("wrong_", 0) != 0 || entry.path().extension() != ".yaml") continue;
        const bool is_io = name.rfind("wrong_io_", 0) == 0; // a file that is not there
        const Outcome outcome = clack("run '" + path + "' -o x.h5");
        EXPECT_EQ(outcome.exit_code, is_io ? 4 : 3) << path;
        // The study, or a file that it names; the exact lines: test_study.cc.
        const std::string start = CLACK_SOURCE_DIR "/tests/studies/";
        EXPECT_EQ(outcome.err.rfind(start + "wrong_", 0), 0u) << outcome.err;
        EXPECT_FALSE(fs::exists(folder / "x.h5"));
        count++;
    }
    EXPECT_GE(count, 40u);
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
    EXPECT_EQ(clack("run same.yaml -o same.h5 --overwrite --max-failures 1").exit_code, 0);
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
    const Outcome quiet = clack("run small.yaml -q -d native --overwrite -o x.h5");
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
    const std::string verbose = clack("run small.yaml -d native --scene 7 -v").out;
    EXPECT_NE(verbose.find("at the begin distance m, K N/m^1.5, d s/m"), std::string::npos) << verbose;
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
        for (int i = 0; i < 500 && !fs::exists(output + ".parts/manifest.jsonl"); i++) usleep(10000);
        usleep(300000);
        kill(child, number);
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 128 + number);
        EXPECT_FALSE(fs::exists(output));
        // What there is can be looked at: scenes 0 to the last of the one shard.
        EXPECT_EQ(clack("merge x.h5.parts/b*.h5 -o look.h5 --partial").exit_code, 0);
        const Outcome info = clack("info look.h5");
        EXPECT_NE(info.out.find("not complete"), std::string::npos) << info.out;
        EXPECT_NE(info.out.find("status:     ok "), std::string::npos) << info.out;
        fs::remove(folder / "look.h5");
        fs::remove_all(output + ".parts");
    }
}

// The check of the tree's rules can fail.
TEST_F(Cli, LayeringCheckSeesPlantedBreaches) {
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "host", folder / "host", fs::copy_options::recursive);
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "kernels", folder / "kernels");
    const std::string check = "CHECK_ROOT='" + folder.string() + "' sh '" CLACK_SOURCE_DIR "/tests/check_layering.sh'";
    EXPECT_EQ(shell(check).exit_code, 0) << read_file(folder / "out.txt");
    std::ofstream stage(folder / "host" / "scene" / "stage.c", std::ios::app);
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
