// Threads that share out loops whose turns do not depend on each other: scenes of a batch, work-items of a launch.
#ifndef CLACK_TEAM_H
#define CLACK_TEAM_H

#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Team Team;
/// Turns first..last-1. Who takes which is not known, so they write to places of their own alone.
typedef ClackStatus TeamTask(void *context, uint32_t first, uint32_t last, ClackReport *report);

/// Cores that this process may use.
uint32_t team_core_count(void);
/// So many threads with the caller's own; fewer where they are not to be had. Errors: CLACK_MEMORY.
ClackStatus team_open(uint32_t threads, Team **out_team, ClackReport *report);
uint32_t team_size(const Team *team);
/// All turns of a loop, `chunk` at a time, the first ones first. Of turns that fail the first is told, as if one thread
/// had taken one after the other; later ones may have been taken as well. NULL: the caller takes all.
ClackStatus team_share(Team *team, uint32_t count, uint32_t chunk, TeamTask *task, void *context, ClackReport *report);
/// NULL is allowed.
void team_close(Team *team);

#ifdef __cplusplus
}
#endif
#endif
