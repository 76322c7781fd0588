// Embedding of the kernels: every line of every file, byte for byte, and #line that tells the truth. Once, but for
// files that begin with "// For each width", which are there as often as they are included.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "kernel_source.h"

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string embedded() {
    return {reinterpret_cast<const char *>(kernel_source_embedded), kernel_source_embedded_bytes};
}

// Sort the lines of an expanded text back into their files by its #line directives.
std::map<std::string, std::map<size_t, std::string>> unfold(const std::string &text) {
    std::map<std::string, std::map<size_t, std::string>> files;
    std::string file;
    size_t number = 0;
    for (const std::string &line : lines_of(text)) {
        char name[256] = "";
        if (sscanf(line.c_str(), "#line %zu \"%255[^\"]\"", &number, name) == 2) {
            file = name;
            continue;
        }
        const bool is_again = files[file].count(number) > 0;
        const bool is_for_each_width = files[file].count(1) > 0 && files[file][1].rfind("// For each width", 0) == 0;
        EXPECT_TRUE(!is_again || (is_for_each_width && files[file][number] == line)) << file << ":" << number;
        files[file][number++] = line;
    }
    return files;
}

// Every line but the quoted includes is there under its own number.
void expect_whole(const std::string &text, const fs::path &folder) {
    auto files = unfold(text);
    for (auto &[name, lines] : files) {
        const auto want = lines_of(read_file(folder / name));
        for (size_t i = 0; i < want.size(); i++) {
            if (want[i].rfind("#include \"", 0) == 0) {
                EXPECT_EQ(lines.count(i + 1), 0u) << name << ":" << i + 1;
            } else {
                EXPECT_EQ(lines[i + 1], want[i]) << name << ":" << i + 1;
            }
        }
        EXPECT_LE(lines.rbegin()->first, want.size()) << name;
    }
}

TEST(Embed, EveryKernelFileIsThereOnceByteForByte) {
    const fs::path folder = fs::path(CLACK_SOURCE_DIR) / "kernels";
    expect_whole(embedded(), folder);
    const auto files = unfold(embedded());
    EXPECT_EQ(files.count("base/portable.h"), 1u);
    size_t programs = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".cl") continue;
        if (entry.path().filename() == "probe_exact.cl") continue; // a text by itself
        programs++;
        EXPECT_EQ(files.count(fs::relative(entry.path(), folder).string()), 1u) << entry.path();
    }
    size_t named = 0;
    while (kernel_source_programs[named] != nullptr) named++;
    EXPECT_EQ(named, programs);
}

TEST(Embed, RunTimeAndBuildTimeAgree) {
    unsetenv("CLACK_KERNEL_DIR");
    char *text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(kernel_source_get(&text, &bytes, nullptr), CLACK_OK);
    EXPECT_EQ(std::string(text, bytes), embedded());
    free(text);
    const std::string folder = std::string(CLACK_SOURCE_DIR) + "/kernels";
    ASSERT_EQ(kernel_source_load(folder.c_str(), kernel_source_programs, &text, &bytes, nullptr), CLACK_OK);
    EXPECT_EQ(std::string(text, bytes), embedded());
    EXPECT_EQ(text[bytes], '\0');
    free(text);
}

TEST(Embed, TheProgramThatTellsOfArithmeticIsATextByItself) {
    const std::string exact(reinterpret_cast<const char *>(kernel_exact_embedded), kernel_exact_embedded_bytes);
    const std::string folder = std::string(CLACK_SOURCE_DIR) + "/kernels";
    expect_whole(exact, folder);
    EXPECT_EQ(unfold(exact).count("evaluate/probe_exact.cl"), 1u);
    EXPECT_LT(exact.size(), embedded().size() / 20);
    char *text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(kernel_source_get_exact(&text, &bytes, nullptr), CLACK_OK);
    EXPECT_EQ(std::string(text, bytes), exact);
    free(text);
    ASSERT_EQ(kernel_source_load(folder.c_str(), kernel_exact_programs, &text, &bytes, nullptr), CLACK_OK);
    EXPECT_EQ(std::string(text, bytes), exact);
    free(text);
}

struct Folder {
    fs::path path;
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "clack_embed_XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path); }
};

// A file for each width is there at both of its includes, what it includes once.
TEST(Embed, FilesForEachWidthAreResolvedEachTime) {
    const Folder folder;
    const std::string body = "// For each width.\n#include \"once.h\"\nint LANE_NAME(x);\n";
    std::ofstream(folder.path / "a.cl") << "#include \"body.h\"\n#define LANE_WIDTH 4\n#include \"body.h\"\n";
    std::ofstream(folder.path / "body.h") << body;
    std::ofstream(folder.path / "once.h") << "int once;\n";
    const char *const names[] = {"a.cl", nullptr};
    char *text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(kernel_source_load(folder.path.c_str(), names, &text, &bytes, nullptr), CLACK_OK);
    const std::string got(text, bytes);
    free(text);
    expect_whole(got, folder.path);
    size_t bodies = 0, onces = 0;
    for (const std::string &line : lines_of(got)) {
        bodies += line == "int LANE_NAME(x);";
        onces += line == "int once;";
    }
    EXPECT_EQ(bodies, 2u);
    EXPECT_EQ(onces, 1u);
    const std::string output = (folder.path / "out.c").string();
    const std::string command = "cmake '-DROOT=" + folder.path.string() + "' -DPROGRAM=a.cl '-DOUTPUT=" + output +
                                "' -P '" CLACK_SOURCE_DIR "/kernels/embed.cmake'";
    ASSERT_EQ(system(command.c_str()), 0);
    EXPECT_EQ(read_file(output + ".cl"), got);
    // One that includes itself is an error, not an endless text.
    std::ofstream(folder.path / "body.h") << "// For each width.\n#include \"body.h\"\n";
    EXPECT_EQ(kernel_source_load(folder.path.c_str(), names, &text, &bytes, nullptr), CLACK_IO);
}

// Text that a careless embedding damages: continued lines, semicolons, lone brackets, a diamond.
TEST(Embed, AwkwardTextSurvivesBothWays) {
    const Folder folder;
    const std::map<std::string, std::string> files = {
        {"a.cl", "// a; b [ c ]] \\\n  continued\n#include \"left.h\"\n#include \"right.h\"\nint a[3]; // ]\n"},
        {"left.h", "#include \"base.h\"\nint left; /* ${X} $ENV{Y} @Z@ \\; */\n"},
        {"right.h", "int before;\n\n#include \"base.h\" // again\n\nint right;\n #include \"not_at_column_1.h\"\n"},
        {"base.h", "#define TEXT \"quote \\\" ; \\\\ \" \\\n    + 1\nint base;\n"},
    };
    for (const auto &[name, text] : files) std::ofstream(folder.path / name, std::ios::binary) << text;
    const char *const names[] = {"a.cl", nullptr};
    char *text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(kernel_source_load(folder.path.c_str(), names, &text, &bytes, nullptr), CLACK_OK);
    const std::string got(text, bytes);
    free(text);
    expect_whole(got, folder.path);
    EXPECT_EQ(unfold(got).size(), files.size());
    const std::string output = (folder.path / "out.c").string();
    const std::string command = "cmake '-DROOT=" + folder.path.string() + "' -DPROGRAM=a.cl '-DOUTPUT=" + output +
                                "' -P '" CLACK_SOURCE_DIR "/kernels/embed.cmake'";
    ASSERT_EQ(system(command.c_str()), 0);
    EXPECT_EQ(read_file(output + ".cl"), got);
}

TEST(Embed, MissingFilesAreNamed) {
    ClackReport report = {};
    char *text = nullptr;
    size_t bytes = 0;
    const char *const names[] = {"no_such.cl", nullptr};
    EXPECT_EQ(kernel_source_load(CLACK_SOURCE_DIR "/kernels", names, &text, &bytes, &report), CLACK_IO);
    ASSERT_EQ(report.count, 1u);
    EXPECT_NE(std::string(report.lines[0]).find("kernels/no_such.cl"), std::string::npos);
    clack_report_clear(&report);
}

} // namespace
