// The phases of a scene's pass: a state machine. The executor of each phase is named beside its number. It does its
// part of a SceneRun (step_trial.h) and sets the next phase; those of a ball run return it:
//
//   stops -> start -> plan -> list -> try -> margins -> judge -> accept -> stops -> ... -> done
//                |      ^      ^      ^         |         |
//                |      |      |      +---------+         |   bodies leave the margins of their lists
//                |      |      +--------------------------+   the error is too large: a shorter step
//                +-> ball plan -> ball try -> ball judge -+
//                      ^   ^--- next step ------|  |  +--> stops: the run has ended; or plan: not a step of a run
//                                 ^--- shorter, or to a peak
//
// Where the scene has failed, list and margins go to accept, which leaves its states as they are, and plan to stops, as
// it does where the scene goes on group by group.
// stepper_run_phases calls the executors of one scene: for advance_slot (advance.cl) in all phases, for
// advance_until_shared_trial up to a trial (ball try, try) that advance_side_by_side makes for several scenes together.
// A pass goes from stops to stops. Between passes the whole state of a scene is in its buffers; the order in which
// scenes are stepped changes no bit.
#ifndef CLACK_STEPPER_PHASES_H
#define CLACK_STEPPER_PHASES_H

#define PHASE_STOPS                                                                                                    \
    0u // stepper_phase_stops: frames, records, ends of outer steps and limits that the present time has reached
#define PHASE_START 1u      // stepper_phase_start: forces and rates of the present state; does a ball run begin?
#define PHASE_BALL_PLAN 2u  // ball_phase_plan: ball run (ball_run.h): plan its next step
#define PHASE_BALL_TRY 3u   // ball_try_step: ball run: try that step
#define PHASE_BALL_JUDGE 4u // stepper_phase_ball_judge: ball run: accept that step, or not
#define PHASE_PLAN 5u       // stepper_phase_plan: length and method of the next substep
#define PHASE_LIST 6u       // step_phase_list: list the candidates of that substep, if needed
#define PHASE_TRY 7u        // step_phase_try: try a substep of that length
#define PHASE_MARGINS 8u    // step_phase_margins: has a body left the margin of the candidate list in it?
#define PHASE_JUDGE 9u      // step_phase_judge: is its error small enough?
#define PHASE_ACCEPT 10u    // stepper_phase_accept: locate its end, accept the states there, begin and end contacts
#define PHASE_DONE 11u      // the scene has ended, or must not go on in this launch

#endif
