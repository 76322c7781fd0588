// A thread beside the caller's, who goes on meanwhile and is told how it went.
#include "async_task.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "clack.h"

namespace {

// A piece of work that ends when it is let go, or after 20 s.
struct Piece {
    std::promise<void> go;
    std::thread::id by;
    bool was_let_go = false;
    ClackStatus status = CLACK_OK;
};

ClackStatus work(void *context, ClackReport *report) {
    Piece *piece = static_cast<Piece *>(context);
    piece->by = std::this_thread::get_id();
    piece->was_let_go = piece->go.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    return piece->status == CLACK_OK ? CLACK_OK : report_add(report, piece->status, "the disk is full");
}

TEST(AsyncTaskTest, CallerGoesOnWhileAPieceIsWorkedOn) {
    AsyncTask *task = nullptr;
    ASSERT_EQ(async_task_open(&task, nullptr), CLACK_OK);
    Piece pieces[3];
    for (Piece &piece : pieces) {
        async_task_begin(task, work, &piece);
        piece.go.set_value(); // a task on this thread would not come here in time
        EXPECT_EQ(async_task_wait(task, nullptr), CLACK_OK);
        EXPECT_TRUE(piece.was_let_go);
        EXPECT_NE(piece.by, std::this_thread::get_id());
        EXPECT_EQ(piece.by, pieces[0].by) << "one thread for all, as HDF5 wants it";
    }
    async_task_close(task);
}

TEST(AsyncTaskTest, TellsWhatWentWrongOnce) {
    AsyncTask *task = nullptr;
    ASSERT_EQ(async_task_open(&task, nullptr), CLACK_OK);
    Piece bad, good;
    bad.status = CLACK_IO;
    bad.go.set_value();
    good.go.set_value();
    ClackReport report{};
    async_task_begin(task, work, &bad);
    EXPECT_EQ(async_task_wait(task, &report), CLACK_IO);
    ASSERT_EQ(report.count, 1u);
    EXPECT_STREQ(report.lines[0], "the disk is full");
    EXPECT_EQ(report.status, CLACK_IO);
    async_task_begin(task, work, &good);
    EXPECT_EQ(async_task_wait(task, &report), CLACK_OK);
    EXPECT_EQ(report.count, 1u);
    clack_report_clear(&report);
    async_task_close(task);
    async_task_close(nullptr);
}

} // namespace
