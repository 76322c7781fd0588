// Texts as they are shown: what a terminal may take for orders is seen, what is written in any language stays.
#include "cli_fixture.h"

#include <vector>

#include "status.h"
#include "text.h"

namespace {

std::string shown(const std::string &text) {
    char *whole = text_shown(text.c_str(), "");
    const std::string result = whole;
    free(whole);
    EXPECT_EQ(text_shown_bytes(text.c_str(), text.size()), result.size());
    return result;
}

TEST(Text, OrdersOfTerminalsAreSeenAndUtf8Stays) {
    EXPECT_EQ(shown("plain ~ \\ text"), "plain ~ \\ text");
    EXPECT_EQ(shown("\x1b[31mred\x7f\x01"), "\\x1b[31mred\\x7f\\x01");
    EXPECT_EQ(shown("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(shown("Stoß µ ≤ 球 😀"), "Stoß µ ≤ 球 😀");
    EXPECT_EQ(shown("\u0080\u009b31m\u009f\u00a0"),
              "\\xc2\\x80\\xc2\\x9b31m\\xc2\\x9f\u00a0"); // C1, and the first after it
    EXPECT_EQ(shown("\x9b"
                    "31m \xc3( \xe2\x82 \xff"),
              "\\x9b31m \\xc3( \\xe2\\x82 \\xff");
    EXPECT_EQ(shown("\xc0\x9b \xed\xa0\x80 \xf4\x90\x80\x80"),
              "\\xc0\\x9b \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"); // no UTF-8
}

TEST(Text, EveryByteAndEveryPairOfBytesIsShownInPrintableUtf8) {
    for (int a = 1; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            const char pair[] = {(char)a, (char)b, 0};
            const std::string result = shown(pair);
            for (size_t i = 0; i < result.size();) {
                const size_t bytes = text_character(result.data() + i, result.size() - i);
                ASSERT_GT(bytes, 0u) << a << " " << b;
                const unsigned char byte = (unsigned char)result[i];
                ASSERT_TRUE(byte >= ' ' && byte != 0x7f) << a << " " << b;
                ASSERT_FALSE(byte == 0xc2 && (unsigned char)result[i + 1] < 0xa0) << a << " " << b;
                i += bytes;
            }
        }
    }
}

TEST(Text, CutsAreBetweenCharacters) {
    char out[8];
    EXPECT_STREQ(text_show("ab\x1b"
                           "c",
                           out, sizeof out),
                 "ab\\x1bc");
    EXPECT_STREQ(text_show("abcd\x1b"
                           "c",
                           out, sizeof out),
                 "abcd");
    EXPECT_STREQ(text_show("abcdeé!", out, sizeof out), "abcdeé");
    EXPECT_EQ(text_whole("abß", 3), 2);
    EXPECT_EQ(text_whole("abß", 4), 4);
    EXPECT_EQ(text_whole("ab", 60), 2);
}

TEST(Text, WordsAreWhatTheShellMakesOfThem) {
    for (const std::string word :
         {"plain.h5", "", "two words", "it's", "a\\b $HOME `x`", "\x1b[31m it's \\ \n\x9b", "Stoß"}) {
        char *quoted = nullptr;
        size_t bytes = 0;
        FILE *out = open_memstream(&quoted, &bytes);
        text_put_word(out, word.c_str());
        fclose(out);
        FILE *shell = popen(
            ("bash -c \"$(cat <<'END_OF_WORD'\nprintf %s " + std::string(quoted) + "\nEND_OF_WORD\n)\"").c_str(), "r");
        char back[64] = "";
        back[fread(back, 1, sizeof back - 1, shell)] = '\0';
        pclose(shell);
        EXPECT_EQ(std::string(back), word) << quoted;
        free(quoted);
    }
}

TEST(Text, LinesOfAReportKeepTheirPlaces) {
    ClackReport report = {};
    const char line[] = "a\x1b.yaml:3:4: k\x1b.e: warning: found \x9b";
    const ClackPlace place = {7, 3, 4, 13, 4, 28, 1};
    report_add_line(&report, CLACK_OK, line, &place);
    report_add(&report, CLACK_IO, "%s: cannot be read", "b\x1b]0;title\x07.h5\nclack: all is well");
    report_add_block(&report, CLACK_DEVICE, "log:\n%s", "one\n\x1btwo");
    ASSERT_EQ(report.count, 3u);
    const std::string first = report.lines[0];
    EXPECT_EQ(first, "a\\x1b.yaml:3:4: k\\x1b.e: warning: found \\x9b");
    EXPECT_EQ(first.substr(0, report.places[0].file_bytes), "a\\x1b.yaml");
    EXPECT_EQ(first.substr(report.places[0].key_at, report.places[0].key_bytes), "k\\x1b.e");
    EXPECT_EQ(first.substr(report.places[0].message_at), "found \\x9b");
    EXPECT_STREQ(report.lines[1], "b\\x1b]0;title\\x07.h5\\nclack: all is well: cannot be read");
    EXPECT_STREQ(report.lines[2], "log:\none\n\\x1btwo");
    clack_report_clear(&report);
}

// --- the program ------------------------------------------------------------------------------------

bool is_clean(const std::string &text) {
    for (size_t i = 0; i < text.size();) {
        const unsigned char byte = (unsigned char)text[i];
        const size_t bytes = text_character(text.data() + i, text.size() - i);
        if (bytes == 0 || (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f) return false;
        if (byte == 0xc2 && (unsigned char)text[i + 1] < 0xa0) return false;
        i += bytes;
    }
    return true;
}

using CliText = Cli;

TEST_F(CliText, NothingThatTheProgramPrintsHoldsOrdersOfOthers) {
    study(3, 0.5);
    std::string text = read_file(folder / "small.yaml");
    text.replace(text.find("units: SI"), 9, "units: SI\ntitle: \"Stoß \\e]0;owned\\a \\x9B31m \\x7F end\"");
    text.replace(text.find("{impacts: "), 10, "{part: {expression: \"=impacts\", unit: \"\\e[2Jµ\"}, impacts: ");
    const std::string name = "\x1b[31mred\u009b\n.yaml";
    std::ofstream(folder / name) << text;
    const std::string quoted = "'" + name + "'";
    const std::vector<std::string> lines = {"validate " + quoted,
                                            "validate --json " + quoted,
                                            "run -d native " + quoted + " -o x.h5",
                                            "run -d native --json " + quoted,
                                            "run -d native " + quoted + " --scene 1",
                                            "run --dry-run -d native " + quoted,
                                            "sample " + quoted,
                                            "info x.h5",
                                            "info --json x.h5",
                                            "stats x.h5",
                                            "stats --json x.h5",
                                            "report x.h5",
                                            "plot x.h5",
                                            "export --csv x.h5",
                                            "evaluate " + quoted + " x.h5",
                                            "validate --set " + quoted + "=3 " + quoted,
                                            "run " + quoted + " -d '\x1b[5m'",
                                            "validate '\x9b.yaml'",
                                            "'\x1b[5m'",
                                            "run '--\x1b[5m'",
                                            "run '-\x9b'",
                                            "run --seed '\x1b[5m' " + quoted,
                                            "plot x.h5 '\x1b[5m'",
                                            "info '\x1b[5m.h5'",
                                            "run -d native " + quoted + " -o '\x1b[5m.h5' --time-limit 1e-9",
                                            "resume '\x1b[5m.h5'"};
    for (const std::string &arguments : lines) {
        const Outcome outcome = clack(arguments);
        EXPECT_TRUE(is_clean(outcome.out)) << arguments << "\n" << outcome.out;
        EXPECT_TRUE(is_clean(outcome.err)) << arguments << "\n" << outcome.err;
    }
    EXPECT_NE(clack("info x.h5").out.find("title:      Stoß \\x1b]0;owned\\x07 \\xc2\\x9b31m \\x7f end"),
              std::string::npos)
        << clack("info x.h5").out;
    EXPECT_TRUE(is_clean(read_file(folder / "x.html")));
    EXPECT_NE(read_file(folder / "x.html").find("Stoß \\x1b]0;owned"), std::string::npos);
    EXPECT_TRUE(is_clean(read_file(folder / "x_histogram.svg")));
}

TEST_F(CliText, LinesOfStudiesShowUtf8AndNoOrders) {
    std::ofstream(folder / "wrong.yaml") << "format: 1\n\"Größe\\e[2J\": 3\n\"" << std::string(59, 'x') << "ß\": 1\n";
    const Outcome outcome = clack("validate wrong.yaml");
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_NE(outcome.err.find("unknown key \"Größe\\x1b[2J\""), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("unknown key \"" + std::string(59, 'x') + "\""), std::string::npos)
        << outcome.err; // whole characters
}

TEST_F(CliText, NamesThatAreNoUtf8CannotBeTakenUp) {
    const std::string file = study(3, 0.1);
    fs::copy_file(folder / file, folder / "\x9b.yaml");
    const Outcome outcome = clack("run -d native '\x9b.yaml' -o x.h5");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("expected names in UTF-8, which a run can be taken up with, found \""),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("\\x9b.yaml\""), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "x.h5"));
    EXPECT_EQ(clack("run -d native '\x9b.yaml' --scene 0").exit_code, 0);
}

} // namespace
