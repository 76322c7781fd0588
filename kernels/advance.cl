// The scene-resident stepper: carries each scene through many steps and events without the host.
#include "workspace.h"

KERNEL void advance(GLOBAL const Scene *scenes, GLOBAL const Body *bodies, GLOBAL const Shape *shapes,
                    GLOBAL const ContactLaw *laws, GLOBAL const Watch *watches, GLOBAL Progress *progress,
                    GLOBAL BodyState *states, GLOBAL BodyWork *works, GLOBAL Candidate *candidates,
                    GLOBAL Contact *contacts, GLOBAL Event *events, GLOBAL BodyState *frames,
                    GLOBAL Extreme *extremes, u32 count) {
    u32 index = (u32)(get_global_id(0) / LANES);
    if (index >= count) return;
    progress[index].status = STATUS_NOT_RUN;
    (void)scenes; (void)bodies; (void)shapes; (void)laws; (void)watches; (void)states; (void)works;
    (void)candidates; (void)contacts; (void)events; (void)frames; (void)extremes;
}
