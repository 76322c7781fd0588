// The phases of a scene's pass: a state machine. The executor of each phase is named beside its number. It does its
// part of a SceneRun (step_trial.h) and sets the next phase; those of a ball run return it:
//
//   stops -> start -> plan -> list -> try -> margins -> judge -> gaps -> locate -> accept -> stops -> ... -> done
//                |      ^      ^      ^         |         |                |  |      ^  |      ^
//                |      |      |      +---------+         |                |  search-+  change-+   contacts begin, end
//                |      |      |                          |                |
//                |      |      +--------------------------+----------------+   the error is too large, or bodies
//                |      |                                                      overlap too much: a shorter step
//                +-> ball plan -> ball try -> ball judge -+
//                      ^   ^--- next step ------|  |  +--> stops: the run has ended; or plan: not a step of a run
//                                 ^--- shorter, or to a peak
//
// Where groups of bodies may be stepped one after the other (group_windows.h), plan goes to window, which goes to stops
// if it opens one, else to list; at the end of a group stops goes to window, which goes back to stops with the next
// one. A flight or a window that would leave the margins of the lists goes from plan or window to relist, and back.
// Where bodies leave them in a trial, margins goes back to try; where a contact has to begin for a step of quasi-rigid
// bodies, locate goes back to start. Where the scene has failed, relist, list, margins, judge and gaps go to accept,
// which leaves its states as they are, and plan to stops.
// stepper_run_phases calls the executors of one scene: for advance_slot (advance.cl) in all phases, for
// advance_until_shared_trial up to a trial (ball try, try) that advance_side_by_side makes for several scenes together;
// queue_run_phases (queues.h) calls those of the phases for which a group of work-items serves scenes.
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
#define PHASE_WINDOW 6u     // stepper_phase_window: open a window of groups, or go to its next group
#define PHASE_RELIST 7u     // step_phase_relist: list candidates for a flight or a window, which is then planned again
#define PHASE_LIST 8u       // step_phase_list: list the candidates of that substep, if needed
#define PHASE_TRY 9u        // step_phase_try: try a substep of that length
#define PHASE_MARGINS 10u   // step_phase_margins: has a body left the margin of the candidate list in it?
#define PHASE_JUDGE 11u     // step_phase_judge: is its error small enough?
#define PHASE_GAPS 12u      // stepper_phase_gaps: distances at its end
#define PHASE_LOCATE 13u    // stepper_phase_locate: does it have to end earlier?
#define PHASE_SEARCH 14u    // stepper_phase_search: when?
#define PHASE_ACCEPT 15u    // stepper_phase_accept: accept the states where it ends
#define PHASE_CHANGE 16u    // stepper_phase_change: begin and end contacts there
#define PHASE_DONE 17u      // the scene has ended, or must not go on in this launch

#endif
