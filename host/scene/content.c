// Study -> what its scenes may contain. Kinds and flags are never drawn, numbers are: only what no number changes is
// left out.
#include "content.h"

#include <stdio.h>

#include "pairs/broad_phase.h"
#include "hull.h"

Content content_everything(void) {
    return (Content){.programs = PROGRAM_ADVANCE | PROGRAM_EVALUATE | PROGRAM_PROBE | PROGRAM_REGIONS,
                     .kinds = UINT32_MAX,
                     .flags = UINT32_MAX,
                     .holds = UINT32_MAX};
}

// Does a parameter fill a number of a row that lies `from` .. `from + bytes` within it?
static int is_drawn(const Study *study, BindingBlock block, uint32_t index, size_t from, size_t bytes) {
    for (uint32_t i = 0; i < study->binding_count; i++) {
        const Binding *binding = &study->bindings[i];
        if (binding->block == block && binding->index == index && binding->offset >= from &&
            binding->offset < from + bytes)
            return 1;
    }
    return 0;
}

// Is a body's only shape a sphere about its centre of mass in every scene? (If so, it is a BODY_BALL.)
static int is_ball(const Study *study, const SceneBody *body) {
    const SceneShape *shape = &study->scene.shapes[body->shape_first];
    if (body->shape_count != 1 || shape->kind != SHAPE_SPHERE) return 0;
    if (!body->is_fixed && body->mass_kind == MASS_GIVEN) return 0; // its centre of mass may be anywhere
    for (int k = 0; k < 3; k++)
        if (shape->position_m[k] != 0.0) return 0;
    return !is_drawn(study, BIND_SHAPE, body->shape_first, offsetof(SceneShape, position_m), sizeof shape->position_m);
}

static int has_only_planes(const SceneDescription *scene, const SceneBody *body) {
    for (uint32_t k = 0; k < body->shape_count; k++)
        if (scene->shapes[body->shape_first + k].kind != SHAPE_HALF_SPACE) return 0;
    return 1;
}

static int is_solid(uint32_t kind) { return kind != SHAPE_HALF_SPACE; }
static int has_discs(uint32_t kind) { return kind == SHAPE_CYLINDER || kind == SHAPE_CONE || kind == SHAPE_BEAM; }
static int is_round(uint32_t kind) { return kind == SHAPE_SPHERE || shape_kind_is_smooth(kind); }

// Content that two shapes need that may touch.
static uint32_t holds_of_pair(uint32_t a, uint32_t b, uint32_t flags) {
    uint32_t holds = 0;
    if (a == SHAPE_MESH || b == SHAPE_MESH) return 0; // by a kernel of their own
    const uint32_t single = SCENE_SINGLE_CONTACT | SCENE_COMPAT_MODIA3D | SCENE_NARROW_MPR;
    if (!narrow_has_closed_form(a, b, flags)) holds |= CONTENT_SEARCH;
    if (is_solid(a) && is_solid(b) && !is_round(a) && !is_round(b) && !(flags & single)) holds |= CONTENT_SEVERAL;
    if (policy_has_disc_points(flags) && (has_discs(a) || has_discs(b))) holds |= CONTENT_SEVERAL;
    return holds;
}

// Has it edges, and none that are rounded?
static int is_sharp(const SceneShape *shape) {
    if (shape->kind == SHAPE_HULL) return !(shape->hull->smoothing_m > 0);
    return shape->kind != SHAPE_CAPSULE && !is_round(shape->kind) && shape->smoothing_m == 0;
}

// Two sharp shapes overlap with their cores whenever they touch: every scene would leave a build without these. Of two
// boxes the least axis knows the way out.
static int is_overlap(const SceneShape *a, const SceneShape *b, uint32_t flags) {
    if (flags & (SCENE_COMPAT_MODIA3D | SCENE_NARROW_MPR)) return 0; // these have a search of their own
    return is_sharp(a) && is_sharp(b) && !(a->kind == SHAPE_BOX && b->kind == SHAPE_BOX);
}

static uint32_t holds_of_bodies(const SceneDescription *scene, const SceneBody *a, const SceneBody *b, uint32_t flags) {
    uint32_t holds = 0;
    for (uint32_t i = 0; i < a->shape_count; i++)
        for (uint32_t k = 0; k < b->shape_count; k++) {
            const SceneShape *one = &scene->shapes[a->shape_first + i], *other = &scene->shapes[b->shape_first + k];
            const uint32_t wanted_content = holds_of_pair(one->kind, other->kind, flags);
            holds |= wanted_content;
            if ((wanted_content & CONTENT_SEARCH) && is_overlap(one, other, flags)) holds |= CONTENT_PENETRATION;
        }
    return holds;
}

static uint32_t holds_of_scene(const SceneDescription *scene, uint32_t flags) {
    uint32_t holds = 0;
    if (policy_has_regions(flags)) return holds; // no pair is searched
    for (uint32_t a = 0; a < scene->body_count; a++)
        for (uint32_t b = a + 1; b < scene->body_count; b++)
            if (scene_may_touch(scene, a, b))
                holds |= holds_of_bodies(scene, &scene->bodies[a], &scene->bodies[b], flags);
    return holds;
}

// Joints go with everything else through islands, and with bodies whose attitude counts.
#define CONTENT_WITH_JOINTS (CONTENT_JOINTS | CONTENT_SOLIDS | CONTENT_ISLANDS)

// Which methods and pairs are such that ball_contact.h does not step every contact by both methods, whatever touches.
#define FLAGS_OF_ISLANDS                                                                                               \
    (SCENE_COMPAT_MODIA3D | SCENE_RK4 | SCENE_TRAPEZOIDAL | SCENE_QUASI_RIGID | SCENE_POINT_GRAVITY |                  \
     SCENE_OBSERVERS | SCENE_SPRINGS | SCENE_ELLIPSOIDS)

// May there be contacts that ball_contact.h does not step by both methods? Not where one ball may touch one other
// shape, without rolling resistance.
static uint32_t holds_of_islands(uint32_t holds, uint32_t flags, uint32_t shapes, int rolls) {
    return (holds & (CONTENT_SOLIDS | CONTENT_BODIES)) != 0 || (flags & FLAGS_OF_ISLANDS) != 0 || shapes > 2 || rolls
               ? CONTENT_ISLANDS
               : 0;
}

static int may_roll(const Study *study) {
    for (uint32_t p = 0; p < study->scene.pair_count; p++)
        if (study->scene.pairs[p].rolling != 0 ||
            is_drawn(study, BIND_PAIR, p, offsetof(ScenePair, rolling), sizeof(double)))
            return 1;
    return 0;
}

Content content_of_study(const Study *study, uint32_t programs) {
    const SceneDescription *scene = &study->scene;
    Content content = {.programs = programs, .flags = stage_flags(scene) | stage_watch_flags(study)};
    content.holds = holds_of_scene(scene, content.flags) | (study->watch_count > 0 ? CONTENT_WATCHES : 0);
    if (study->trajectory_every_s > 0 && study->trajectory_scenes > 0) content.holds |= CONTENT_FRAMES;
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        content.kinds |= 1u << scene->shapes[i].kind;
        // One of equal lengths is a sphere.
        if (scene->shapes[i].kind == SHAPE_ELLIPSOID) content.kinds |= 1u << SHAPE_SPHERE;
    }
    if (stage_has_regions(scene)) { // all shapes are surfaces
        content.kinds |= 1u << SHAPE_MESH;
        content.holds |= CONTENT_SOLIDS;
    }
    if ((content.kinds & 1u << SHAPE_MESH) && (programs & PROGRAM_EVALUATE)) content.programs |= PROGRAM_REGIONS;
    uint32_t free_bodies = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        const SceneBody *body = &scene->bodies[b];
        free_bodies += body->is_fixed ? 0 : 1;
        if (!is_ball(study, body) && !(body->is_fixed && has_only_planes(scene, body))) content.holds |= CONTENT_SOLIDS;
        if (!body->is_fixed && stage_keeps_frame(scene, b)) content.holds |= CONTENT_SOLIDS;
    }
    content.bodies = free_bodies;
    if (free_bodies > 1) content.holds |= CONTENT_BODIES;
    if (scene->joint_count > 0 || content.flags & SCENE_TIMED) content.holds |= CONTENT_WITH_JOINTS;
    content.holds |= holds_of_islands(content.holds, content.flags, scene->shape_count, may_roll(study));
    if (programs & PROGRAM_EVALUATE) content.holds |= CONTENT_PENETRATION; // there is no scene that could leave
    return content;
}

int content_can_leave(const Content *content) {
    return (content->holds & (CONTENT_SEARCH | CONTENT_PENETRATION)) == CONTENT_SEARCH;
}

Content content_second(const Content *content) {
    Content second = *content;
    second.holds |= CONTENT_PENETRATION;
    return second;
}

// What its pairs may need of `wanted_content`, by the broad phase's own rule. Where no two of its kinds need it, no
// pair does.
static uint32_t holds_of_staged_pairs(const Batch *batch, const Scene *scene, uint32_t kinds, uint32_t wanted_content) {
    const SceneView view = {
        .scene = scene, .bodies = batch->bodies + scene->body_first, .shapes = batch->shapes + scene->shape_first};
    uint32_t holds = 0, possible = 0;
    for (uint32_t a = 0; kinds >> a != 0; a++)
        for (uint32_t b = a; kinds >> b != 0; b++)
            if ((kinds >> a & kinds >> b & 1u) != 0) possible |= holds_of_pair(a, b, scene->flags);
    wanted_content &= possible;
    for (uint32_t i = 0; i < scene->shape_count; i++)
        for (uint32_t k = i + 1; k < scene->shape_count; k++) {
            if ((wanted_content & ~holds) == 0) return holds & wanted_content;
            if (broad_pair_counts(&view, i, k))
                holds |= holds_of_pair(view.shapes[i].kind, view.shapes[k].kind, scene->flags);
        }
    return holds & wanted_content;
}

static int staged_rolls(const Batch *batch, const Scene *scene) {
    for (size_t k = 0; k < (size_t)scene->material_count * scene->material_count; k++)
        if (batch->laws[scene->law_first + k].rolling != 0) return 1;
    return 0;
}

// What a staged scene needs; of what only pairs need, what is `wanted_content`.
static Content content_of_staged(const Batch *batch, const Scene *scene, uint32_t wanted_content) {
    Content content = {.flags = scene->flags};
    const Body *bodies = batch->bodies + scene->body_first;
    uint32_t free_bodies = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        if (bodies[b].flags & BODY_FIXED) continue;
        if (!(bodies[b].flags & BODY_BALL)) content.holds |= CONTENT_SOLIDS;
        free_bodies++;
    }
    if (free_bodies > 1) content.holds |= CONTENT_BODIES;
    if (scene->joint_count > 0 || scene->flags & SCENE_TIMED) content.holds |= CONTENT_WITH_JOINTS;
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        const Shape *shape = &batch->shapes[scene->shape_first + i];
        content.kinds |= 1u << shape->kind;
        if (shape->kind != SHAPE_HALF_SPACE && !(bodies[shape->body].flags & BODY_ROUND))
            content.holds |= CONTENT_SOLIDS;
    }
    content.holds |= holds_of_islands(content.holds, content.flags, scene->shape_count, staged_rolls(batch, scene));
    content.holds |= holds_of_staged_pairs(batch, scene, content.kinds, wanted_content);
    return content;
}

int content_covers(const Content *content, const Batch *batch) {
    if (content->kinds == UINT32_MAX && content->flags == UINT32_MAX && content->holds == UINT32_MAX) return 1;
    const uint32_t wanted_content = (CONTENT_SEARCH | CONTENT_SEVERAL) & ~content->holds;
    uint32_t kinds = 0, flags = 0;
    uint32_t holds =
        (batch->watch_count > 0 ? CONTENT_WATCHES : 0) | (batch->frame_state_count > 0 ? CONTENT_FRAMES : 0);
    for (uint32_t s = 0; s < batch->scene_count; s++) {
        const Content staged = content_of_staged(batch, &batch->scenes[s], wanted_content);
        kinds |= staged.kinds;
        flags |= staged.flags;
        holds |= staged.holds;
    }
    return (kinds & ~content->kinds) == 0 && (flags & ~content->flags) == 0 && (holds & ~content->holds) == 0;
}

void content_print_options(const Content *content, char options[CONTENT_OPTIONS_BYTES]) {
    const Content all = content_everything();
    options[0] = '\0';
    if (content->programs == all.programs && content->kinds == all.kinds && content->flags == all.flags &&
        content->holds == all.holds)
        return;
    snprintf(options, CONTENT_OPTIONS_BYTES,
             " -DBUILD_PROGRAMS=%uu -DBUILD_KINDS=0x%xu -DBUILD_FLAGS=0x%xu -DBUILD_CONTENT=0x%xu", content->programs,
             content->kinds, content->flags, content->holds);
}
