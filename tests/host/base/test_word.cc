// Words that were meant.
#include <gtest/gtest.h>

#include "word.h"

namespace {

const char *meant(const char *word) {
    static const char *const words[] = {"max",         "mean",  "histogram", "list",
                                        "monte_carlo", "speed", "speed_of",  nullptr};
    const char *found = word_nearest(word, words);
    return found != nullptr ? found : "";
}

TEST(Word, IsTheOnlyOneThatBeginsSo) {
    EXPECT_STREQ(meant("hist"), "histogram"); // "list" is one letter away
    EXPECT_STREQ(meant("monte"), "monte_carlo");
    EXPECT_STREQ(meant("speed_"), "speed_of");
    EXPECT_STREQ(meant("spee"), "speed"); // two begin so: the nearest
    EXPECT_STREQ(meant("m"), "");
}

TEST(Word, IsTheNearestByEdits) {
    EXPECT_STREQ(meant("montecarlo"), "monte_carlo");
    EXPECT_STREQ(meant("maen"), "mean");
    EXPECT_STREQ(meant("lost"), "list");
}

TEST(Word, IsTheBeginningWhereNoneIsNear) {
    EXPECT_STREQ(meant("maximum"), "max");
    EXPECT_STREQ(meant("listing_of_all"), "list");
    EXPECT_STREQ(meant("speed_of_all_of_them"), ""); // "speed" or "speed_of"
    EXPECT_STREQ(meant("velocity"), "");
}

} // namespace
