// What is given over time at the times of a step: driven bodies go there, and loads take their values. Stages of
// explicit and of implicit steps have times of their own; a driven body is at one place, so that where there are such
// bodies all islands take the same method (policy_has_one_method).
#ifndef CLACK_INTEGRATE_GIVEN_TIME_H
#define CLACK_INTEGRATE_GIVEN_TIME_H

#include "joints/coupling.h"
#include "model/driven_body.h"
#include "integrate/driven_step.h"
#include "integrate/rodas.h"
#include "integrate/scheme.h"

/// The flights of driven bodies begin with the step, so that their bounds are those of it.
FN_ONCE void given_begin_step(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (!(view->scene->flags & SCENE_TIMED)) return;
    MOVING_LOOP(b) {
        if (!body_is_driven(view, b)) continue;
        view->works[b].flight.step_index = progress->step_index;
        view->works[b].flight.offset_s = progress->offset_s;
    }
}

/// A time of the scene: driven bodies exactly there.
FN_ONCE void given_take_time(const SceneView *view, real t) {
    MOVING_LOOP(b) {
        if (body_is_driven(view, b)) driven_place(view, b, t);
    }
    ACTIVE_LOOP(c) {
        if (contact_is_load(&view->contacts[c])) load_take_time(view, &view->contacts[c], t);
    }
    SCENE_BARRIER();
}

/// The present time: rates of the start of a step.
FN_ONCE void given_take_present(const SceneView *view, SCENE_SPACE const Progress *progress) {
    if (!(view->scene->flags & SCENE_TIMED)) return;
    given_take_time(view, scene_time(view, progress));
    MOVING_LOOP(b) {
        if (body_is_driven(view, b)) view->works[b].step.rates[0] = view->works[b].step.rates[DRIVEN_RATES];
    }
    SCENE_BARRIER();
}

/// A time h after the present one, the end of a step.
FN_ONCE void given_take_end(const SceneView *view, SCENE_SPACE const Progress *progress, real h) {
    if (view->scene->flags & SCENE_TIMED) given_take_time(view, scene_time(view, progress) + h);
}

/// A stage of a step of h; driven bodies by the method of the step, whose rates or U so far are known.
FN_ONCE void given_take_stage(const SceneView *view, SCENE_SPACE const Progress *progress, real h, u32 stage) {
    u32 is_adaptive = scheme_is_adaptive(view->scene->flags), any_implicit = 0;
    if (!(view->scene->flags & SCENE_TIMED)) return;
    if (stage == STAGES - 1u) {
        given_take_end(view, progress, h);
        return;
    }
    real now = scene_time(view, progress), at = real_fma(scheme_node(is_adaptive, stage), h, now);
    MOVING_LOOP(b) any_implicit |= view->works[b].control.implicit;
    any_implicit = scene_any(view, any_implicit);
    MOVING_LOOP(b) {
        if (!body_is_driven(view, b)) continue;
        if (any_implicit)
            driven_move_implicit(view, b, stage);
        else
            driven_move_explicit(view, b, h, stage, is_adaptive, at);
    }
    ACTIVE_LOOP(c) {
        GLOBAL Contact *contact = &view->contacts[c];
        if (!contact_is_load(contact)) continue;
        u32 is_implicit = rodas_is_implicit(view, contact);
        load_take_time(view, contact, is_implicit ? real_fma(RODAS_NODES[stage], h, now) : at);
    }
    SCENE_BARRIER();
}

#endif
