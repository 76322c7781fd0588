// The phases of a scene's pass: a state machine. Each phase is a function of a SceneRun (step_control.h): it does its
// part and sets the next phase:
//
//   stops -> start -> plan -> list -> try -> margins -> judge -> take -> stops -> ... -> done
//                |      ^      ^      ^         |         |
//                |      |      |      +---------+         |   bodies leave the margins of their lists
//                |      |      +--------------------------+   the error is too large: a shorter step
//                +-> ball plan -> ball try -> ball judge -+
//                      ^   ^--- next step ------|  |  +--> stops: the run has ended; or plan: not a step of a run
//                                 ^--- shorter, or to a peak
//
// Where the scene has failed, list and margins go to take, which leaves its states as they are, and plan to stops, as
// it does where the scene goes on group by group.
//
// Callers: stepper_run_phases for one scene; advance_all (advance.cl) for several scenes side by side, whose
// trials (ball try, try) are taken together. A pass goes from stops to stops. Between passes the whole state of a scene
// is in its buffers; the order in which scenes are stepped changes no bit.
#ifndef CLACK_STEPPER_PHASES_H
#define CLACK_STEPPER_PHASES_H

#define PHASE_STOPS 0u      // stops that the present time has reached: frames, records, ends of outer steps; the limits
#define PHASE_START 1u      // forces and rates of the present state; does a run of ball-contact steps begin?
#define PHASE_BALL_PLAN 2u  // ball run (ball_run.h): plan its next step
#define PHASE_BALL_TRY 3u   // ball run: try that step
#define PHASE_BALL_JUDGE 4u // ball run: accept that step, or not
#define PHASE_PLAN 5u       // length and method of the next substep
#define PHASE_LIST 6u       // list the candidates of that substep, if the present list does not suffice
#define PHASE_TRY 7u        // try a substep of that length
#define PHASE_MARGINS 8u    // has a body left the margin of the candidate list in it?
#define PHASE_JUDGE 9u      // is its error small enough?
#define PHASE_TAKE 10u      // locate its end, accept the states there, begin and end contacts
#define PHASE_DONE 11u      // the scene has ended, or must not go on in this launch

#endif
