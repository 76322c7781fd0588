// The phases of a scene's progress: a small machine. Each phase is a function of a SceneRun (step_control.h) that does
// its part and names the next one:
//
//   stops -> start -> plan -> list -> try -> margins -> judge -> take -> stops -> ... -> left
//                |      ^      ^      ^         |         |
//                |      |      |      +---------+         |   bodies leave the margins of their lists
//                |      |      +--------------------------+   the error is too large: a shorter step
//                +-> ball plan -> ball try -> ball judge -+
//                      ^   ^--- next step ------|  |  +--> stops: the end of the run; or plan: none of its steps
//                                 ^--- shorter, or to a peak
//
// Executors call them: stepper_carry scene by scene; advance_all of advance.cl several scenes side by side, whose
// trials (ball try, try) are taken together. A pass goes from stops to stops. Between passes the whole state of a scene
// is in its buffers; the order in which scenes are served changes no bit.
#ifndef CLACK_STEPPER_PHASES_H
#define CLACK_STEPPER_PHASES_H

#define PHASE_STOPS 0u      // stops that the present time has reached: frames, records, ends of outer steps; the limits
#define PHASE_START 1u      // forces and rates of the present state; does a run of ball-contact steps begin?
#define PHASE_BALL_PLAN 2u  // of such a run (ball_run.h): the next step is to be planned,
#define PHASE_BALL_TRY 3u   // tried,
#define PHASE_BALL_JUDGE 4u // judged, and taken
#define PHASE_PLAN 5u       // length and method of the next substep
#define PHASE_LIST 6u       // candidates that hold for it
#define PHASE_TRY 7u        // one trial of its length
#define PHASE_MARGINS 8u    // have bodies left the margins of the lists in it?
#define PHASE_JUDGE 9u      // its error
#define PHASE_TAKE 10u      // its end is located, its states are taken, contacts begin and end
#define PHASE_LEFT 11u      // the scene has ended, or must not go on in this launch

#endif
