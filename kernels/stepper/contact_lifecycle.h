// Contacts that begin and end at a located time: constants of the law, event rows, lists.
#ifndef CLACK_STEPPER_CONTACT_LIFECYCLE_H
#define CLACK_STEPPER_CONTACT_LIFECYCLE_H

#include "pairs/contact_features.h"
#include "pairs/pair_kinematics.h"
#include "law/contact_begin.h"
#include "law/contact_force.h"
#include "law/law_damping.h"
#include "law/mindlin_spring.h"
#include "law/quasi_contact.h"
#include "law/region_contact.h"
#include "joints/joint_force.h"
#include "joints/load.h"
#include "integrate/islands.h"
#include "stepper/active.h"
#include "stepper/event_rows.h"
#include "stepper/rest.h"

FN u32 lifecycle_count(const SceneView *view, u32 begins) {
    u32 count = 0;
    EACH_LIVE(i) {
        GLOBAL const Candidate *candidate = &view->candidates[i];
        if (candidate->changes && (candidate->contact == NONE ? 1u : 0u) == begins) count++;
    }
    return count;
}

/// Is there room for the event rows of the marked candidates? Rows are drained before they fill half of the room; if
/// these still do not fit, the host runs the scene again with more room.
FN u32 lifecycle_has_room(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 begins = lifecycle_count(view, 1);
    u32 rows = begins + lifecycle_count(view, 0) + view->scene->body_count;
    if (progress->contact_count + begins > view->room.contacts) {
        progress->status = STATUS_CAPACITY;
        progress->capacity_which = CAPACITY_CONTACTS;
        progress->capacity_wanted = progress->contact_count + begins;
        return 0;
    }
    if (progress->event_count + rows <= view->room.events) return 1;
    progress->status = STATUS_CAPACITY;
    progress->capacity_which = CAPACITY_EVENTS;
    progress->capacity_wanted = 2 * rows;
    return 0;
}

FN Event lifecycle_row(const SceneView *view, GLOBAL const Candidate *candidate, real time) {
    u32 shape_a = candidate->shape_a, shape_b = candidate->shape_b;
    Event row;
    row.time_s = time;
    row.impulse_N_s = vec3_zero();
    row.speed_m_per_s = row.energy_lost_J = 0.0;
    row.gap_m = row.stiffness = row.damping = 0.0;
    row.shape_a = shape_a;
    row.shape_b = shape_b;
    row.feature = candidate->feature;
    row.body_a = view->shapes[shape_a].body;
    row.body_b = view->shapes[shape_b].body;
    return row;
}

/// Kinematics of a candidate in the trial states.
FN_WAY PairKinematics lifecycle_kinematics(const SceneView *view, GLOBAL const Candidate *candidate) {
    if (!policy_has_regions(view->scene->flags))
        return kinematics_of_trial(view, candidate->shape_a, candidate->shape_b, candidate->feature);
    FoundRegion found = view->surfaces->found[candidate - view->candidates];
    return match_kinematics(view, &found, candidate->body_a, candidate->body_b,
                            &view->works[candidate->body_a].step.trial, &view->works[candidate->body_b].step.trial);
}

/// Of the two points that a disc has on a half-space, its lowest and the one opposite: the contact at the other one,
/// also where it ends at this instant. NONE: it does not touch, or the contact is none of these; under quasi_rigid
/// discs have fixed points.
FN_ONCE u32 lifecycle_other_of_disc(const SceneView *view, SCENE_SPACE const Progress *progress,
                                    GLOBAL const Candidate *candidate) {
    GLOBAL const Shape *a = &view->shapes[candidate->shape_a], *b = &view->shapes[candidate->shape_b];
    u32 is_on_b = kind_is(b->kind, SHAPE_HALF_SPACE) ? 1u : 0u;
    GLOBAL const Shape *solid = is_on_b != 0 ? a : b;
    u32 has_discs =
        kind_is(solid->kind, SHAPE_CYLINDER) || kind_is(solid->kind, SHAPE_CONE) || kind_is(solid->kind, SHAPE_BEAM);
    if (!has_discs || (is_on_b == 0 && !kind_is(a->kind, SHAPE_HALF_SPACE))) return NONE;
    if (candidate->feature == FEATURE_NEAREST || policy_has_disc_points(view->scene->flags)) return NONE;
    u32 feature = candidate->feature ^ (kind_is(solid->kind, SHAPE_BEAM) ? 4u : 2u);
    for (u32 i = 0; i < progress->candidate_count; i++) {
        GLOBAL const Candidate *other = &view->candidates[i];
        if (other->shape_a != candidate->shape_a || other->shape_b != candidate->shape_b) continue;
        if (other->feature == feature) return other->contact;
    }
    return NONE;
}

/// Constants of the law of a contact that begins. The two points of a disc change places as it wobbles: with radii of
/// their own flat would be an edge of their energy, on which a body that stands rattles. The later one has the radius
/// of the other.
FN_WAY LawConstants lifecycle_constants(const SceneView *view, SCENE_SPACE const Progress *progress,
                                        GLOBAL const Candidate *candidate, const PairKinematics *kinematics) {
    if (policy_has_regions(view->scene->flags)) return region_constants(view, candidate, kinematics);
    ContactKey key = contact_key(candidate->shape_a, candidate->shape_b, candidate->feature);
    LawConstants constants = contact_begin_constants(view, key, kinematics, &view->works[candidate->body_a].step.trial,
                                                     &view->works[candidate->body_b].step.trial);
    if (!(view->scene->flags & SCENE_LOCAL_RADIUS)) return constants;
    u32 other = lifecycle_other_of_disc(view, progress, candidate);
    if (other == NONE) return constants;
    constants.radius_m = view->contacts[other].law.radius_m;
    constants.stiffness = view->contacts[other].law.stiffness;
    return constants;
}

/// The unstretched springs of a contact that begins.
FN void lifecycle_reset_springs(GLOBAL ContactSpring *spring, Vec3 normal) {
    for (u32 part = 0; part < SPRING_PARTS; part++) spring->start[part] = spring->stretch[part] = vec3_zero();
    spring->displacement = vec3_zero();
    spring->rotation = 0.0;
    spring->start_normal = normal;
    spring->stored_J = 0.0;
}

/// What a contact region that begins has beside other contacts.
FN_ONCE void lifecycle_begin_region(const SceneView *view, GLOBAL Contact *contact, const PairKinematics *kinematics,
                                    real time) {
    u32 carrier = view->surfaces->found[contact->pair.candidate].carrier;
    contact->now.normal = kinematics->normal;
    contact->now.lever_b_m = kinematics->lever_b_m;
    region_begin(view, contact, carrier != NONE ? &view->contacts[carrier] : 0, time);
}

/// Stiffness and damping of the layer between quasi-rigid bodies into the row of a contact that begins; without a layer
/// it has none. hertz: stiffness of Hertz's force.
FN_ONCE void lifecycle_record_layer(const SceneView *view, GLOBAL const Candidate *candidate, real hertz, Event *row) {
    GLOBAL const LayerLaw *layer =
        &view->region_laws[scene_law_row(view, candidate->shape_a, candidate->shape_b)].layer;
    if (candidate->observes || !layer->has_layer) return;
    row->stiffness = layer->is_hertz ? hertz : layer->stiffness;
    row->damping = layer->damping;
}

/// Begin a contact, stored at `index`: constants of the law from the present approach speed.
FN_WAY void lifecycle_begin(const SceneView *view, SCENE_SPACE Progress *progress, GLOBAL Candidate *candidate,
                            u32 index, real time) {
    GLOBAL const Shape *a = &view->shapes[candidate->shape_a];
    GLOBAL const Shape *b = &view->shapes[candidate->shape_b];
    PairKinematics kinematics = lifecycle_kinematics(view, candidate);
    Event row = lifecycle_row(view, candidate, time);
    row.kind = EVENT_BEGIN;
    row.normal = kinematics.normal;
    row.position_m = vec3_add(view->works[b->body].step.trial.position_m, kinematics.lever_b_m);
    row.speed_m_per_s = -kinematics.rate_m_per_s;
    LawConstants constants = lifecycle_constants(view, progress, candidate, &kinematics);
    row.gap_m = kinematics.gap_m;
    if (scheme_is_quasi_rigid(view->scene->flags)) {
        lifecycle_record_layer(view, candidate, constants.stiffness, &row);
    } else if (!candidate->observes) {
        row.stiffness = constants.stiffness;
        row.damping = law_event_damping(constants);
    }
    event_write(view, progress, row);
    if (view->item != 0) return;
    GLOBAL Contact *contact = &view->contacts[index];
    contact->law = constants;
    contact->total.impulse_N_s = contact->trial.impulse_N_s = vec3_zero();
    contact->total.loss_J = contact->trial.loss_J = 0.0;
    contact->now.gap_m = kinematics.gap_m;
    contact->now.error_m = kinematics.error_m;
    contact->now.narrow_status = kinematics.status;
    contact->now.rate_m_per_s = kinematics.rate_m_per_s;
    contact->pair.shape_a = candidate->shape_a;
    contact->pair.shape_b = candidate->shape_b;
    contact->pair.feature = candidate->feature;
    contact->plan.fast_method = 0;
    contact->pair.law = scene_law_row(view, candidate->shape_a, candidate->shape_b);
    contact->pair.body_a = a->body;
    contact->pair.body_b = b->body;
    if (spring_is_of_law(scene_law(view, candidate->shape_a, candidate->shape_b)))
        lifecycle_reset_springs(&contact->step.spring, kinematics.normal);
    contact->start.warm_start = contact->now.warm_start = narrow_no_warm_start();
    contact->corner.whose = CORNER_NOT; // until it is listed
    contact->corner.order = FAST_CORNER_NOT;
    contact->pair.candidate = (u32)(candidate - view->candidates);
    contact->pair.form = policy_has_regions(view->scene->flags) ? COUPLING_OF_POINTS : COUPLING_OF_SHAPES;
    if (contact_is_region(view, contact)) lifecycle_begin_region(view, contact, &kinematics, time);
    if (contact_is_quasi_rigid(view, contact)) quasi_begin(view, contact, progress->known & KNOWN_SET_UP);
    contact->now.inactive = candidate->observes ? CONTACT_OBSERVING : CONTACT_ACTIVE;
    if (candidate->observes) return;
    view->works[a->body].control.has_new_contact = view->works[b->body].control.has_new_contact = 1;
    view->works[a->body].contacts.begins++;
    view->works[b->body].contacts.begins++;
    view->works[a->body].rest.time_s = view->works[b->body].rest.time_s = 0.0;
}

#define LIFECYCLE_CORES_MEET 0.9 // of the radii of both smoothing balls: overlap from which on edges lose their contact

/// Does a contact of two edges end because the cores have come to overlap? No force is between these edges then, and
/// solids may go through each other.
FN_ONCE u32 lifecycle_ends_within(const SceneView *view, GLOBAL const Candidate *candidate) {
    GLOBAL const Shape *a = &view->shapes[candidate->shape_a], *b = &view->shapes[candidate->shape_b];
    if (!HAS(CONTENT_SOLIDS) || candidate->observes || policy_has_regions(view->scene->flags)) return 0;
    if (!manifold_is_crossing(a, b, candidate->feature)) return 0;
    real gap = kinematics_of_trial(view, candidate->shape_a, candidate->shape_b, FEATURE_NEAREST).gap_m;
    return gap < 0.0 - LIFECYCLE_CORES_MEET * (shape_ball_radius(a) + shape_ball_radius(b)) ? 1u : 0u;
}

FN_WAY void lifecycle_end(const SceneView *view, SCENE_SPACE Progress *progress, GLOBAL const Candidate *candidate,
                          real time) {
    GLOBAL Contact *contact = &view->contacts[candidate->contact];
    Event row = lifecycle_row(view, candidate, time);
    row.kind = EVENT_END;
    row.normal = contact->now.normal;
    row.position_m = vec3_add(view->works[contact->pair.body_b].step.trial.position_m, contact->now.lever_b_m);
    row.speed_m_per_s = contact->now.rate_m_per_s;
    if (candidate->observes) { // not evaluated with the contacts that exert forces
        PairKinematics kinematics = lifecycle_kinematics(view, candidate);
        row.normal = kinematics.normal;
        row.position_m = vec3_add(view->works[contact->pair.body_b].step.trial.position_m, kinematics.lever_b_m);
        row.speed_m_per_s = kinematics.rate_m_per_s;
    }
    row.impulse_N_s = contact->total.impulse_N_s;
    row.energy_lost_J = contact->total.loss_J;
    event_write(view, progress, row);
    if (lifecycle_ends_within(view, candidate)) progress->flags |= FLAG_DEEP_CONTACT;
    if (!candidate->observes)
        progress->momentum_N_s = vec3_add(progress->momentum_N_s, contact_impulse_of_fixed(view, contact));
    if (view->item != 0) return;
    contact->now.inactive = CONTACT_REMOVED;
    if (candidate->observes) return;
    view->works[contact->pair.body_a].contacts.ends++;
    view->works[contact->pair.body_b].contacts.ends++;
    view->works[contact->pair.body_a].rest.time_s = view->works[contact->pair.body_b].rest.time_s = 0.0;
}

FN u32 lifecycle_is_before(GLOBAL const ContactPair *a, GLOBAL const ContactPair *b) {
    if (a->shape_a != b->shape_a) return a->shape_a < b->shape_a;
    if (a->shape_b != b->shape_b) return a->shape_b < b->shape_b;
    return a->feature < b->feature;
}

typedef u64 ContactWord __attribute__((may_alias)); // may alias any field

/// Number of words of a contact to move: without its last part if islands like its own have neither a matrix nor
/// springs.
FN u32 lifecycle_word_count(const SceneView *view, GLOBAL const Contact *contact) {
    u32 has_step =
        contact->plan.fast_method < FAST_BALL || spring_is_of_law(COPY(view->laws[contact->pair.law])) ? 1u : 0u;
    return (u32)((sizeof(Contact) - (has_step ? 0u : sizeof(ContactStep))) / sizeof(ContactWord));
}

/// Word by word: GPU compilers copy large structs byte by byte, through memory.
FN void lifecycle_swap(const SceneView *view, GLOBAL Contact *a, GLOBAL Contact *b) {
    GLOBAL ContactWord *x = (GLOBAL ContactWord *)a, *y = (GLOBAL ContactWord *)b;
    u32 words = u32_max(lifecycle_word_count(view, a), lifecycle_word_count(view, b));
    for (u32 k = 0; k < words; k++) {
        u64 other = x[k];
        x[k] = y[k];
        y[k] = other;
    }
}

FN void lifecycle_move(const SceneView *view, GLOBAL Contact *to, GLOBAL const Contact *from) {
    GLOBAL ContactWord *x = (GLOBAL ContactWord *)to;
    GLOBAL const ContactWord *y = (GLOBAL const ContactWord *)from;
    u32 words = lifecycle_word_count(view, from);
    for (u32 k = 0; k < words; k++) x[k] = y[k];
}

/// Remove ended contacts, sort the new ones at the end of the list into place, and update the candidates' indices.
FN void lifecycle_pack(const SceneView *view, u32 count) {
    u32 first = joint_count(view), kept = first;
    for (u32 c = first; c < count; c++) {
        if (view->contacts[c].now.inactive == CONTACT_REMOVED) {
            view->candidates[view->contacts[c].pair.candidate].contact = NONE;
            continue;
        }
        u32 place = kept;
        if (kept < c) lifecycle_move(view, &view->contacts[kept], &view->contacts[c]);
        while (place > first && lifecycle_is_before(&view->contacts[place].pair, &view->contacts[place - 1].pair)) {
            lifecycle_swap(view, &view->contacts[place - 1], &view->contacts[place]);
            place--;
        }
        kept++;
    }
    for (u32 c = first; c < kept; c++) view->candidates[view->contacts[c].pair.candidate].contact = c;
}

/// The joints of a scene that begins. Ends it where the force of one is not defined.
FN_ONCE void lifecycle_begin_joints(const SceneView *view, SCENE_SPACE Progress *progress) {
    u32 undefined = 0;
    progress->contact_count = joint_count(view);
    if (progress->contact_count == 0) return;
    SCENE_BARRIER();
    ITEM_LOOP(j, progress->contact_count) {
        joint_begin(view, j);
        if (contact_is_constraint(view, &view->contacts[j])) constraint_begin(&view->contacts[j]);
        if (contact_is_load(&view->contacts[j])) load_take_time(view, &view->contacts[j], 0.0);
        coupling_evaluate(view, &view->contacts[j]);
        undefined |= joint_is_degenerate(view, &view->contacts[j]);
    }
    for (u32 j = 0; j < progress->contact_count && view->item == 0; j++) // a body with a joint does not only observe
        view->works[view->joints[j].body_a].only_observes = view->works[view->joints[j].body_b].only_observes = 0;
    if (scene_any(view, undefined)) progress->status = STATUS_COINCIDENT;
    SCENE_BARRIER();
}

/// Change the contact state of all marked candidates, either of observer pairs or of the others, at the time of the
/// trial states, `after` the present. For contacts with forces (trial = present states) wake the bodies they touch and
/// set the modes of bodies. Returns 1 if a contact began.
FN u32 lifecycle_apply(const SceneView *view, SCENE_SPACE Progress *progress, u32 observers, real after) {
    SCENE_BARRIER();
    real time = scene_time(view, progress) + after;
    u32 total = progress->contact_count;
    u32 removed = 0, begun = 0;
    EACH_LIVE(i) {
        GLOBAL Candidate *candidate = &view->candidates[i];
        if (!candidate->changes || candidate->observes != observers) continue;
        if (candidate->contact == NONE) {
            lifecycle_begin(view, progress, candidate, total, time);
            total++;
            begun++;
        } else {
            lifecycle_end(view, progress, candidate, time);
            removed++;
        }
    }
    SCENE_BARRIER();
    // Wake after the loop: it needs all rows of this time in place, and both bodies of each new contact.
    for (u32 c = total - begun; c < total && !observers; c++) {
        u32 a = view->contacts[c].pair.body_a, b = view->contacts[c].pair.body_b;
        progress->contact_count = total;
        rest_wake(view, progress, a);
        rest_wake(view, progress, b);
    }
    SCENE_BARRIER();
    if (view->item == 0) {
        lifecycle_pack(view, total);
        EACH_LIVE(i) {
            if (view->candidates[i].observes == observers) view->candidates[i].changes = 0;
        }
    }
    progress->contact_count = total - removed;
    if (observers) {
        progress->observer_count = progress->observer_count + begun - removed;
        active_list(view, progress); // contacts have moved
        if (view->item == 0 && progress->known & KNOWN_RATES) island_mark_balls(view);
        SCENE_BARRIER();
        return 0;
    }
    progress->step_events += begun + removed;
    active_list(view, progress);
    return begun > 0 ? 1 : 0;
}

#endif
