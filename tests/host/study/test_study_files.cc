// Files of a study as an attacker or a mishap makes them: no files at all, far too many keys, aliases of aliases.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "study_reading.h"

namespace {

using Seconds = std::chrono::duration<double>;

class StudyFiles : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "clack_files_XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string write(const std::string &name, const std::string &text) const {
        std::ofstream(folder / name, std::ios::binary) << text;
        return (folder / name).string();
    }
    std::filesystem::path folder;
};

std::string ball(const std::string &before, const std::string &shape) {
    return "format: 1\n" + before + "scene:\n  bodies:\n    ball: {material: steel, shapes: [{" + shape +
           "}], position: [0, 0, 1]}\nsolver: {end: 0.1}\n";
}

TEST_F(StudyFiles, WhatIsNoFileIsRefusedAtOnce) {
    const std::string fifo = (folder / "fifo.obj").string(), socket_path = (folder / "socket.obj").string();
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ASSERT_LT(socket_path.size(), sizeof address.sun_path);
    strcpy(address.sun_path, socket_path.c_str());
    ASSERT_EQ(bind(fd, (const sockaddr *)&address, sizeof address), 0);
    std::filesystem::create_directory(folder / "folder.obj");
    std::filesystem::create_symlink("/dev/zero", folder / "device.obj");
    const std::pair<const char *, const char *> rows[] = {
        {"fifo.obj", "a FIFO, expected a file that can be read again"},
        {"socket.obj", "a socket, expected a file"},
        {"folder.obj", "a folder, expected a file"},
        {"device.obj", "a device, expected a file"}};
    for (const auto &row : rows) {
        const std::string path = (folder / row.first).string();
        alarm(20); // the old reader waited for a FIFO for ever
        const ReadResult alone = read_file(path);
        EXPECT_EQ(alone.status, CLACK_IO);
        ASSERT_EQ(alone.lines.size(), 1u);
        EXPECT_EQ(alone.lines[0], std::string("@: cannot be read: ") + row.second);
        const ReadResult mesh = read_file(write("mesh.yaml", ball("", "hull: {file: " + std::string(row.first) + "}")));
        EXPECT_EQ(mesh.status, CLACK_IO);
        ASSERT_EQ(mesh.lines.size(), 1u);
        EXPECT_EQ(mesh.lines[0],
                  "@:4:52: scene.bodies.ball.shapes[0].hull.file: expected a file that can be read, found " + path +
                      ": " + row.second);
        const std::string table = "design: {table: " + std::string(row.first) + "}\n";
        const ReadResult rows_read = read_file(write("table.yaml", ball(table, "sphere: {diameter: 0.1}")));
        EXPECT_EQ(rows_read.status, CLACK_IO);
        ASSERT_FALSE(rows_read.lines.empty());
        EXPECT_NE(rows_read.lines[0].find(row.second), std::string::npos) << rows_read.lines[0];
        alarm(0);
    }
    close(fd);
}

TEST_F(StudyFiles, TimeGrowsWithTheKeysNotWithTheirSquare) {
    const auto read_keys = [this](int count, const std::string &blanks, const std::string &before) {
        std::string text = before;
        for (int i = 0; i < count; i++) text += blanks + "v" + std::to_string(i) + ": " + std::to_string(i) + "\n";
        const std::string path = write("keys.yaml", ball(text, "sphere: {diameter: 0.1}"));
        const auto begin = std::chrono::steady_clock::now();
        const ReadResult result = read_file(path);
        const double taken_s = Seconds(std::chrono::steady_clock::now() - begin).count();
        EXPECT_EQ(result.status, before.empty() ? CLACK_STUDY : CLACK_OK);
        return taken_s;
    };
    // 45 s and more than 100 s before; 0.7 and 0.3 s now.
    EXPECT_LT(read_keys(100000, "", ""), 8);
    EXPECT_LT(read_keys(100000, "  ", "variables:\n"), 8);
}

// More than 60 s and, reckoned from 1.8 s for 4,000, 1,000 s before; 1.8 s and 0.5 s now.
TEST_F(StudyFiles, ManyBodiesAndChainsOfVariablesTakeLinearTime) {
    std::string bodies = "format: 1\nscene:\n  bodies:\n", chain = "variables:\n";
    for (int i = 0; i < 100000; i++) {
        const std::string number = std::to_string(i);
        bodies += "    b" + number + ": {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, " +
                  number + "]}\n";
        chain += "  v" + number + ": =v" + std::to_string(i + 1) + "+1\n";
    }
    chain += "  v100000: 1\n";
    const std::string paths[] = {write("bodies.yaml", bodies + "solver: {end: 0.1}\n"),
                                 write("chain.yaml", ball(chain, "sphere: {diameter: $v50000}"))};
    for (const std::string &path : paths) {
        const auto begin = std::chrono::steady_clock::now();
        const ReadResult result = read_file(path);
        EXPECT_EQ(result.status, CLACK_OK) << path << "\n" << (result.lines.empty() ? "" : result.lines[0]);
        EXPECT_LT(Seconds(std::chrono::steady_clock::now() - begin).count(), 15) << path;
        if (result.study != nullptr && path == paths[1]) {
            EXPECT_EQ(result.study->scene.shapes[0].size_m[0], 50001);
        }
    }
}

TEST_F(StudyFiles, AllKeysThatAreThereTwiceAreTold) {
    std::string text = "variables: {b: 1, a: 2, b: 3, c: 4, a: 5, b: 6}\n";
    const ReadResult result = read_file(write("twice.yaml", ball(text, "sphere: {diameter: 0.1}")));
    const std::vector<std::string> expected = {"@:2:25: variables: duplicate key \"b\", first at @:2:13",
                                               "@:2:37: variables: duplicate key \"a\", first at @:2:19",
                                               "@:2:43: variables: duplicate key \"b\", first at @:2:13"};
    EXPECT_EQ(result.lines, expected);
}

TEST_F(StudyFiles, AliasesOfAliasesAreStoppedAtTheAliasThatIsTooMuch) {
    std::string text = "variables:\n  a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
    for (int i = 1; i < 10; i++) {
        const std::string before = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
        text += "  " + name + ": &" + name + " [";
        for (int k = 0; k < 10; k++) text += (k > 0 ? ", " : "") + before;
        text += "]\n";
    }
    const ReadResult result = read_file(write("bomb.yaml", ball(text, "sphere: {diameter: 0.1}")));
    EXPECT_EQ(result.status, CLACK_STUDY);
    ASSERT_EQ(result.lines.size(), 1u);
    EXPECT_EQ(result.lines[0].rfind("@:8:", 0), 0u) << result.lines[0];
    EXPECT_NE(result.lines[0].find("aliases (*name) up to here stand for more than 64 MiB"), std::string::npos);
}

TEST_F(StudyFiles, AMillionVerticesAreReadInSeconds) {
    std::string text;
    uint64_t state = 1;
    for (int i = 0; i < 1000000; i++) {
        char line[64];
        double at[3];
        for (double &x : at) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x = (double)(state >> 11) * 0x1p-53 * 0.1 - 0.05;
        }
        snprintf(line, sizeof line, "v %.9f %.9f %.9f\n", at[0], at[1], at[2]);
        text += line;
    }
    write("big.obj", text);
    text = std::string();
    const std::string path = write("big.yaml", ball("", "hull: {file: big.obj}"));
    const auto begin = std::chrono::steady_clock::now();
    const ReadResult result = read_file(path);
    const double taken_s = Seconds(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(result.status, CLACK_OK);
    EXPECT_LT(taken_s, 8); // 2 s on a machine of its own; others may have this one
}

} // namespace
