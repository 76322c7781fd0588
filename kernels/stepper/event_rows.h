// Rows of the table of events: contact begin and end, rest and waking.
#ifndef CLACK_STEPPER_EVENT_ROWS_H
#define CLACK_STEPPER_EVENT_ROWS_H

#include "model/workspace.h"

/// Append an event row. The caller has made sure that there is room.
FN void event_write(const SceneView *view, SCENE_SPACE Progress *progress, Event row) {
    row.scene = view->index;
    row.reserved = 0;
    if (view->item == 0) view->events[progress->event_count] = row;
    progress->event_count++;
    progress->event_total++;
}

#endif
