// Devices that a session keeps open from call to call.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "clack.h"
#include "content.h"
#include "device_internal.h"

namespace {

class SessionTest : public ::testing::Test {
  protected:
    ClackSession *session = nullptr;
    Content content = content_everything();
    DeviceOptions options{};

    void SetUp() override {
        ASSERT_EQ(clack_session_open(&session, nullptr), CLACK_OK);
        options.choice = "native";
        options.threads = 1;
        options.session = session;
    }
    void TearDown() override { clack_session_close(session); }
    Device *open() {
        Device *device = nullptr;
        EXPECT_EQ(device_open(&options, &content, &device, nullptr), CLACK_OK);
        return device;
    }
};

TEST_F(SessionTest, ADeviceIsOpenedOnceForTheSameOptions) {
    Device *first = open();
    const std::string word = "native"; // another text of the same letters
    options.choice = word.c_str();
    Device *second = open(); // at the same time: one of its own
    EXPECT_NE(first, second);
    device_close(first);
    EXPECT_EQ(open(), first);
    device_close(second);
    device_close(first);
    options.threads = 2;
    Device *other = open();
    EXPECT_NE(other, first);
    EXPECT_NE(other, second);
    EXPECT_EQ(thread_pool_size(device_thread_pool(other)), 2u);
    device_close(other);
}

TEST_F(SessionTest, WithoutItADeviceIsClosed) {
    options.session = nullptr;
    Device *device = open();
    EXPECT_EQ(device->session, nullptr);
    device_close(device);
}

TEST_F(SessionTest, BytesAndTimesBeginAnew) {
    Device *device = open();
    DeviceBuffer *buffer = nullptr;
    ASSERT_EQ(device_buffer_create(device, 1000, &buffer, nullptr), CLACK_OK);
    device_buffer_free(device, buffer);
    device->kernel_s[KERNEL_advance] = 3;
    EXPECT_EQ(device_bytes_most(device), 1000u);
    device_close(device);
    ASSERT_EQ(open(), device);
    EXPECT_EQ(device_bytes_most(device), 0u);
    EXPECT_EQ(device_kernel_s(device, KERNEL_advance), 0);
    device_close(device);
}

TEST_F(SessionTest, ReleasesWhatNoCallUses) {
    Device *used = open(), *idle = open();
    device_close(idle);
    clack_session_release(session);
    device_close(used);
    EXPECT_EQ(open(), used);
    device_close(used);
}

TEST_F(SessionTest, OneThatFailedIsNotKept) {
    Device *device = open();
    device->has_failed = 1;
    device_close(device);
    device = open();
    EXPECT_EQ(device->has_failed, 0);
    device_close(device);
}

// More kinds than it keeps: those that have waited longest are closed, the last ones stay.
TEST_F(SessionTest, KeepsTheLastOnes) {
    std::vector<Device *> devices;
    for (uint32_t threads = 1; threads <= 12; threads++) {
        options.threads = threads;
        devices.push_back(open());
        device_close(devices.back());
    }
    for (uint32_t threads = 12; threads > 4; threads--) {
        options.threads = threads;
        Device *device = open();
        EXPECT_EQ(device, devices[threads - 1]);
        device_close(device);
    }
}

// A fork has no threads of the device: it opens its own.
TEST_F(SessionTest, AForkOpensItsOwn) {
    options.threads = 2;
    Device *device = open();
    device_close(device);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Device *own = open();
        const bool is_new = own != nullptr && own != device && own->session == nullptr;
        device_close(own);
        _exit(is_new ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
