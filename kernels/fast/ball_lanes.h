// Balls on planes of several scenes side by side: ball_step.h and ball_plan.h at the width PACK.
#ifndef CLACK_FAST_BALL_LANES_H
#define CLACK_FAST_BALL_LANES_H

#include "pairs/broad_phase.h"
#include "law/contact_law.h"
#include "integrate/motion.h"
#include "integrate/plan_friction.h"
#include "integrate/step_plan.h"

#if PACK > 1
#define LANE_WIDTH PACK
#include "fast/ball_step.h"
#include "fast/ball_plan.h"
#undef LANE_WIDTH
#endif

#endif
