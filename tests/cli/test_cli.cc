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
    for (const char *arguments : {"",
                                  "fly",
                                  "run",
                                  "run a.yaml b.yaml",
                                  "run --nonsense a.yaml",
                                  "run --seed -3 a.yaml",
                                  "run --seed 1x a.yaml",
                                  "run --scene 1.5 a.yaml",
                                  "run --set nothing a.yaml",
                                  "run --set =3 a.yaml",
                                  "run --threads 0 a.yaml",
                                  "run --batch 0 a.yaml",
                                  "run -o",
                                  "run -n 3 a.yaml",
                                  "validate",
                                  "validate -q a.yaml",
                                  "devices all",
                                  "info",
                                  "run --shard 4/3 a.yaml",
                                  "run --shard 0/3 a.yaml",
                                  "run --time-limit 0 a.yaml",
                                  "run --shard 1/2 --verify 10% a.yaml",
                                  "run --time-limit 3d a.yaml",
                                  "run --checkpoint -1 a.yaml",
                                  "resume",
                                  "merge -o x.h5",
                                  "sample",
                                  "sample -n 0 a.yaml",
                                  "sample -n x a.yaml",
                                  "sample -d 0 a.yaml"}) {
        const Outcome outcome = clack(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_NE(outcome.err.find("--help"), std::string::npos) << arguments << "\n" << outcome.err;
        EXPECT_EQ(outcome.out, "") << arguments;
    }
}

TEST_F(Cli, WrongValuesNameTheOptionWhatIsFoundAndWhatIsExpected) {
    const char *const rows[][3] = {
        {"run --seed abc a.yaml", "--seed: expected a whole number from 0 to 18446744073709551615, found \"abc\"",
         "run"},
        {"run --seed 18446744073709551616 a.yaml", "--seed: expected a whole number from 0 to", "run"},
        {"run --time-limit 5x a.yaml",
         "--time-limit: expected a time such as 90, 90s, 15m or 8h, more than 0 and below 1e9, found \"5x\"", "run"},
        {"run --set foo a.yaml", "--set: expected PATH=VALUE, such as scene.gravity[2]=-1.62, found \"foo\"", "run"},
        {"run --threads 0 a.yaml", "--threads: expected a whole number from 1 to 1024, found \"0\"", "run"},
        {"run --shard 4/3 a.yaml", "--shard: expected I/N", "run"},
        {"run --verify 0 a.yaml", "--verify: expected a share", "run"},
        {"sample -n x a.yaml", "-n, --number: expected a whole number from 1 to 9223372036854775807, found \"x\"",
         "sample"},
        {"run a.yaml --seed", "--seed: expected a whole number from 0 to 18446744073709551615, found nothing", "run"},
        {"run -o", "-o, --output: expected a name, found nothing", "run"},
        {"run -o '' a.yaml", "-o, --output: expected a name, found \"\"", "run"},
        {"run -n 3 a.yaml", "unknown option \"-n\"", "run"},
        {"run --json=3 a.yaml", "--json: expected no value", "run"}};
    for (const auto &row : rows) {
        const Outcome outcome = clack(row[0]);
        EXPECT_EQ(outcome.exit_code, 2) << row[0];
        EXPECT_EQ(outcome.err.rfind("clack: " + std::string(row[1]), 0), 0u) << row[0] << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find("try \"clack " + std::string(row[2]) + " --help\""), std::string::npos)
            << outcome.err;
    }
    EXPECT_EQ(clack("rnu a.yaml").err,
              "clack: no such command: \"rnu\", did you mean \"run\"?; try \"clack --help\"\n");
    EXPECT_EQ(clack("zzzzzz").err, "clack: no such command: \"zzzzzz\"; try \"clack --help\"\n");
}

TEST_F(Cli, HelpIsACommandToo) {
    EXPECT_EQ(clack("help run").out, clack("run --help").out);
    EXPECT_EQ(clack("help").out, clack("--help").out);
    EXPECT_EQ(clack("-V").out, clack("--version").out);
    EXPECT_EQ(clack("-V").exit_code, 0);
    EXPECT_EQ(clack("help rnu").err,
              "clack: no such command: \"rnu\", did you mean \"run\"?; try \"clack help --help\"\n");
    EXPECT_EQ(clack("help run info").exit_code, 2);
    EXPECT_NE(clack("manual").out.find("clack help"), std::string::npos);
}

TEST_F(Cli, PagesAreRefusedUnderNamesOfOtherKinds) {
    ASSERT_EQ(clack("run " + study(2, 0.1) + " -q -d native -o x.h5").exit_code, 0);
    for (const char *name : {"r.pdf", "r", ".html", "r.html.gz"}) {
        const Outcome outcome = clack("report x.h5 -o " + std::string(name));
        EXPECT_EQ(outcome.exit_code, 2) << name;
        EXPECT_NE(
            outcome.err.find("-o: expected a name that ends in .html or .htm, found \"" + std::string(name) + "\""),
            std::string::npos)
            << outcome.err;
        EXPECT_FALSE(fs::exists(folder / name));
    }
    EXPECT_EQ(clack("report x.h5 -q -o r.htm").exit_code, 0);
}

TEST_F(Cli, OneOfAThingIsNotSeveral) {
    const std::string file = study(1, 0.1);
    EXPECT_EQ(clack("validate " + file).out,
              "small.yaml: valid: 1 scene, 2 bodies, 2 shapes, 1 parameter, 1 quantity\n");
    EXPECT_NE(clack("run --dry-run -d native " + file).out.find("1 in 1 batch of at most 1 on"), std::string::npos);
    EXPECT_NE(clack("run -d native " + file).err.find("1 of 1 scene in "), std::string::npos);
    EXPECT_NE(clack("stats small.h5").out.find("scenes: 1, of which 1 ok"), std::string::npos);
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
    EXPECT_NE(clack("devices >/dev/full").err.find("No space left on device"), std::string::npos);
    // Half of a table is removed, but never what is no file.
    fs::create_symlink("/dev/full", folder / "full.csv");
    EXPECT_EQ(clack("sample " + study(64, 0.1) + " -o full.csv").exit_code, 4);
    EXPECT_TRUE(fs::is_symlink(folder / "full.csv"));
}

TEST_F(Cli, ReaderThatGoesAwayEndsItQuietly) {
    const std::string sigpipe = std::to_string(128 + SIGPIPE) + "\n";
    for (const char *arguments : {"devices", "sample small.yaml", "sample small.yaml --json"}) {
        study(64, 0.1);
        const Outcome outcome =
            shell("{ sleep 0.3; " + std::string(CLACK_PROGRAM) + " " + arguments + "; echo $? >code.txt; } | true");
        EXPECT_EQ(read_file(folder / "code.txt"), sigpipe) << arguments;
        EXPECT_EQ(outcome.err, "") << arguments;
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
    fs::copy(fs::path(CLACK_SOURCE_DIR) / "kernels", folder / "kernels", fs::copy_options::recursive);
    std::ofstream(folder / "kernels" / "evaluate" / "layout.cl", std::ios::app) << "this is a mistake;\n";
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

// The C library fills what is freed with a byte (mallopt(3), M_PERTURB): an address that is read there leads nowhere.
TEST_F(Cli, FreedMemoryIsNotRead) {
    study(48, 0.3);
    for (const char *command :
         {"run small.yaml -q -d native --batch 8 --checkpoint 0 -o x.h5",
          "run small.yaml -q -d native --shard 1/2 -o a.h5", "run small.yaml -q -d native --shard 2/2 -o b.h5",
          "merge a.h5 b.h5 -q -o both.h5", "info x.h5", "stats x.h5", "export x.h5 --csv -q"}) {
        const Outcome outcome = shell(std::string("MALLOC_PERTURB_=165 " CLACK_PROGRAM " ") + command);
        EXPECT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.err;
    }
}

TEST_F(Cli, ProgressOffATerminalIsOneLineInTenSecondsAndTheLast) {
    const Outcome outcome = clack("run " + study(64, 0.5) + " -d native --batch 1 -o x.h5");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    size_t lines = 0;
    for (size_t at = 0; (at = outcome.err.find(" left, ", at)) != std::string::npos; at++) lines++;
    EXPECT_EQ(lines, 1u) << outcome.err; // of a run of less than 10 s
    EXPECT_EQ(outcome.err.rfind("64/64 scenes, 100 %", 0), 0u) << outcome.err;
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

} // namespace
