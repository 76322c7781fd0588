// A thread beside the caller's, who goes on meanwhile and is told how it went.
#include "worker.h"

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

TEST(WorkerTest, CallerGoesOnWhileAPieceIsWorkedOn) {
    Worker *worker = nullptr;
    ASSERT_EQ(worker_open(&worker, nullptr), CLACK_OK);
    Piece pieces[3];
    for (Piece &piece : pieces) {
        worker_begin(worker, work, &piece);
        piece.go.set_value(); // a worker that worked on this thread would not come here in time
        EXPECT_EQ(worker_wait(worker, nullptr), CLACK_OK);
        EXPECT_TRUE(piece.was_let_go);
        EXPECT_NE(piece.by, std::this_thread::get_id());
        EXPECT_EQ(piece.by, pieces[0].by) << "one thread for all, as HDF5 wants it";
    }
    worker_close(worker);
}

TEST(WorkerTest, TellsWhatWentWrongOnce) {
    Worker *worker = nullptr;
    ASSERT_EQ(worker_open(&worker, nullptr), CLACK_OK);
    Piece bad, good;
    bad.status = CLACK_IO;
    bad.go.set_value();
    good.go.set_value();
    ClackReport report{};
    worker_begin(worker, work, &bad);
    EXPECT_EQ(worker_wait(worker, &report), CLACK_IO);
    ASSERT_EQ(report.count, 1u);
    EXPECT_STREQ(report.lines[0], "the disk is full");
    EXPECT_EQ(report.status, CLACK_IO);
    worker_begin(worker, work, &good);
    EXPECT_EQ(worker_wait(worker, &report), CLACK_OK);
    EXPECT_EQ(report.count, 1u);
    clack_report_clear(&report);
    worker_close(worker);
    worker_close(nullptr);
}

} // namespace
