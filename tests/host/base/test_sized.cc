// Structs of callers that know fewer or more members than the library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "clack.h"
#include "sized.h"

namespace {

struct Known { // by the library
    size_t size;
    double a;
    int *array, *later;
};
struct Earlier {
    size_t size;
    double a;
    int *array;
};
struct Later {
    Known known;
    double b;
};

struct Told {
    ClackReport report{};
    ~Told() { clack_report_clear(&report); }
    std::string line() const { return report.count > 0 ? report.lines[0] : ""; }
};

TEST(Sized, WhatACallerDoesNotHaveIsNothing) {
    int numbers[1] = {};
    struct {
        Earlier given;
        double beyond;
    } caller = {{sizeof(Earlier), 2, numbers}, 7}; // what lies behind is another variable's
    Known out = {};
    Told told;
    ASSERT_EQ(sized_take(&caller.given, sizeof out, "Known", &out, &told.report), CLACK_OK) << told.line();
    EXPECT_EQ(out.size, sizeof(Known));
    EXPECT_EQ(out.a, 2);
    EXPECT_EQ(out.array, numbers);
    EXPECT_EQ(out.later, nullptr);
    std::memset(&out, 1, sizeof out);
    ASSERT_EQ(sized_take(nullptr, sizeof out, "Known", &out, &told.report), CLACK_OK);
    EXPECT_TRUE(out.size == sizeof(Known) && out.a == 0 && out.array == nullptr && out.later == nullptr);
}

TEST(Sized, WhatTheLibraryDoesNotKnowHasToBeNothing) {
    Later caller = {{sizeof caller, 2, nullptr, nullptr}, 0};
    Known out = {};
    Told told;
    EXPECT_EQ(sized_take(&caller, sizeof out, "Known", &out, &told.report), CLACK_OK) << told.line();
    EXPECT_EQ(out.a, 2);
    caller.b = 1;
    EXPECT_EQ(sized_take(&caller, sizeof out, "Known", &out, &told.report), CLACK_USAGE);
    EXPECT_EQ(told.line(), "Known: byte 38 of 40 is not 0, and this library, " CLACK_VERSION
                           ", knows 32: the program asks for what a later one has");
}

TEST(Sized, SizesThatCannotBeAreRefused) {
    for (const size_t size : {size_t(0), size_t(7), size_t(65537), SIZE_MAX}) {
        Known caller = {size, 2, nullptr, nullptr}, out = {};
        Told told;
        EXPECT_EQ(sized_take(&caller, sizeof out, "Known", &out, &told.report), CLACK_USAGE);
        EXPECT_EQ(told.line(), "Known.size: expected sizeof(Known), found " + std::to_string(size) +
                                   ": begin with CLACK_SIZED(Known)");
        EXPECT_EQ(sized_check(&caller, "Known", nullptr), CLACK_USAGE);
    }
}

TEST(Sized, ResultsFillWhatThereIs) {
    const Known made = {1, 3, nullptr, nullptr};
    struct {
        Earlier given;
        double beyond;
    } caller = {{sizeof(Earlier), 0, nullptr}, 7};
    sized_give(&made, sizeof made, &caller.given);
    EXPECT_TRUE(caller.given.size == sizeof(Earlier) && caller.given.a == 3 && caller.beyond == 7);
    Later later = {{sizeof later, 0, nullptr, nullptr}, 5};
    sized_give(&made, sizeof made, &later);
    EXPECT_TRUE(later.known.size == sizeof later && later.known.a == 3 && later.b == 0);
}

// An array that the caller cannot see is freed (by the sanitizer's leak check), the others are his.
TEST(Sized, ArraysAreTheCallersOrNobodys) {
    static const size_t arrays[] = {offsetof(Known, array), offsetof(Known, later)};
    Known made = {sizeof made, 1, static_cast<int *>(std::calloc(1, sizeof(int))),
                  static_cast<int *>(std::calloc(1, sizeof(int)))};
    int *const array = made.array;
    array[0] = 42;
    Earlier caller = {sizeof caller, 0, nullptr};
    sized_give_owned(&made, sizeof made, arrays, 2, &caller);
    EXPECT_EQ(caller.array, array);
    EXPECT_EQ(caller.array[0], 42); // freed, it would be in a list
    std::free(caller.array);
}

// All public structs begin as their initialiser says, and what was never filled can be freed.
TEST(Sized, PublicStructsThatWereNeverFilled) {
    ClackContacts contacts = CLACK_SIZED(ClackContacts), none{};
    clack_contacts_free(&contacts);
    clack_contacts_free(&none);
    EXPECT_EQ(contacts.size, sizeof contacts);
    ClackPairs pairs = CLACK_SIZED(ClackPairs);
    clack_pairs_free(&pairs);
    ClackVerification verification = CLACK_SIZED(ClackVerification);
    clack_verification_free(&verification);
    ClackStudyOptions options{};
    ClackStudy *study = nullptr;
    Told told;
    EXPECT_EQ(clack_study_read("none.yaml", &options, &study, &told.report), CLACK_USAGE);
    EXPECT_EQ(told.line(), "ClackStudyOptions.size: expected sizeof(ClackStudyOptions), found 0: begin with "
                           "CLACK_SIZED(ClackStudyOptions)");
}

} // namespace
