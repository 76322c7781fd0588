// Numbers of files: what is one, and that their value is the C library's to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "number.h"

namespace {

bool parses(const std::string &text) {
    double value = 0;
    return number_parse(text.c_str(), &value) != 0;
}

TEST(Number, WhatIsOneAndWhatIsNot) {
    for (const char *text : {"0", "-0", "+1", "1.", ".5", "1.5e3", "1E-3", "-2.5e+10", "00012", "1e308"})
        EXPECT_TRUE(parses(text)) << text;
    for (const char *text :
         {"", "-", ".", "e5", "1e", "1e+", "0x10", "inf", "nan", "1e999", "1 ", " 1", "1,5", "1e5.5"})
        EXPECT_FALSE(parses(text)) << text;
}

// Short ones, by one rounding of two exact numbers, and long ones, through strtod: the same bits.
TEST(Number, BitsAreThoseOfTheLibrary) {
    uint64_t state = 1;
    const auto draw = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
    for (int i = 0; i < 200000; i++) {
        std::string text = draw() % 2 ? "-" : "";
        for (uint64_t k = 1 + draw() % 10; k > 0; k--) text += char('0' + draw() % 10);
        text += ".";
        for (uint64_t k = draw() % 12; k > 0; k--) text += char('0' + draw() % 10);
        if (draw() % 2) text += "e" + std::to_string(int(draw() % 60) - 30);
        double found = 0;
        ASSERT_TRUE(number_parse_bytes(text.c_str(), text.size(), &found)) << text;
        const double expected = std::strtod(text.c_str(), nullptr);
        ASSERT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << text << ": " << found << ", not " << expected;
    }
}

TEST(Number, OnlyTheBytesGivenCount) {
    double value = 0;
    EXPECT_TRUE(number_parse_bytes("12345", 3, &value));
    EXPECT_EQ(value, 123);
    EXPECT_FALSE(number_parse_bytes("1e5", 2, &value));
    EXPECT_TRUE(number_parse_bytes((std::string(500, '1') + "e-490").c_str(), 505, &value)); // longer than any double
    EXPECT_NEAR(value, 1.1111111111111111e9, 1e-6);
}

} // namespace
