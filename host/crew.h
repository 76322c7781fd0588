// Threads that carry the batches of a run side by side, each alone from numbers to quantities, on a part of the device
// of its own: nobody waits for anybody at the end of a batch, and what a thread has staged is in its core's cache.
#ifndef CLACK_CREW_H
#define CLACK_CREW_H

#include "device.h"
#include "run_batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Crew Crew;

typedef struct CrewOptions {
    const Study *study;
    const Device *device;         // whose threads these are; the native one
    int (*leaves)(void *context); // on any thread: are batches at work to be left where they are?
    void (*tell)(const void *context, uint64_t stepped); // on the caller's, now and then; as crew_stepped
    void *context;
} CrewOptions;

/// As many threads as the device has, the caller's among them; fewer where they are not to be had. Errors:
/// CLACK_MEMORY.
ClackStatus crew_open(const CrewOptions *options, Crew **out_crew, ClackReport *report);
/// How many batches may be given before one is taken, and of how many scenes the next one is best after so many of the
/// file, of so many that are left: few at the end, so that all threads are through at about the same time.
uint32_t crew_room(const Crew *crew);
uint32_t crew_batch_size(const Crew *crew, uint64_t done, uint64_t left, uint32_t most);
/// A batch of which nothing is made yet becomes the crew's.
void crew_give(Crew *crew, RunBatch *work);
/// The batch that was given first, carried; the caller carries others as long as it is not. It is the caller's even
/// where there is an error. Errors: CLACK_INTERRUPTED (its result is valid), those of run_batch_stage, stepper_run,
/// run_batch_evaluate.
ClackStatus crew_take(Crew *crew, RunBatch **out_work, ClackReport *report);
/// Batches that nobody has begun with go. Returns how many are left to take.
uint32_t crew_withdraw(Crew *crew);
/// Scenes that have been stepped of batches that have not been taken.
uint64_t crew_stepped(Crew *crew);
/// As device_bytes_most, of all threads together; as device_kernel_s, of one of them on average.
size_t crew_bytes_most(const Crew *crew);
double crew_kernel_s(const Crew *crew);
/// NULL is allowed. Waits for what is at work.
void crew_close(Crew *crew);

#ifdef __cplusplus
}
#endif
#endif
