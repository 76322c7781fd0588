// (Study, scene index) -> parameter values -> scene.
#include "sample.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

#include "sample_internal.h"

// --- random numbers --------------------------------------------------------------------------------

uint64_t sample_name_hash(const char *parameter_name) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a, 64 bits
    for (const char *at = parameter_name; *at != '\0'; at++)
        hash = (hash ^ (uint64_t)(unsigned char)*at) * 0x100000001b3u;
    return hash;
}

uint64_t sample_bits(uint64_t seed, uint64_t counter, uint64_t name_hash) {
    const philox4x32_ctr_t words = {
        {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)name_hash, (uint32_t)(name_hash >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t bits = philox4x32_R(10, words, key);
    return (uint64_t)bits.v[0] << 32 | bits.v[1];
}

double sample_uniform(uint64_t seed, uint64_t scene_index, const char *parameter_name) {
    const uint64_t bits = sample_bits(seed, scene_index, sample_name_hash(parameter_name));
    // 52 bits and a half: odd multiples of 2^-53, so that 0 and 1 cannot come out.
    return ((double)(bits >> 12) + 0.5) * DBL_EPSILON;
}

// --- scenes -------------------------------------------------------------------------------------

// Level of count: ends included for bounded distributions, middles of equal probabilities for those
// whose ends may be infinite.
static double grid_level(const Distribution *distribution, uint64_t level, uint64_t count) {
    if (distribution->kind == DISTRIBUTION_DISCRETE) return distribution->values[level];
    if (distribution->kind == DISTRIBUTION_INTEGER)
        return sample_quantile(distribution, ((double)level + 0.5) / (double)count);
    if (distribution->kind == DISTRIBUTION_NORMAL || !distribution_is_bounded(distribution) || count == 1)
        return sample_quantile(distribution, ((double)level + 0.5) / (double)count);
    return sample_quantile(distribution, (double)level / (double)(count - 1));
}

void sample_parameters(const Study *study, uint64_t scene_index, double *out_values) {
    uint64_t rest = scene_index;
    for (uint32_t i = study->parameter_count; i-- > 0;) { // the last varies fastest
        const Parameter *parameter = &study->parameters[i];
        if (parameter->distribution.kind == DISTRIBUTION_DERIVED) continue;
        if (study->design.kind == DESIGN_GRID) {
            const uint64_t levels = parameter->grid_levels;
            assert(levels > 0);
            out_values[i] = grid_level(&parameter->distribution, rest % levels, levels);
            rest /= levels;
        } else if (parameter->distribution.kind == DISTRIBUTION_COLUMN) {
            assert(scene_index < parameter->distribution.value_count);
            out_values[i] = parameter->distribution.values[scene_index];
        } else
            out_values[i] = sample_quantile(&parameter->distribution, sample_design_uniform(study, scene_index, i));
    }
    sample_derive(study, out_values);
}

void *sample_row(SceneDescription *scene, BindingBlock block, uint32_t index) {
    switch (block) {
    case BIND_SCENE: return scene;
    case BIND_MATERIAL: assert(index < scene->material_count); return &scene->materials[index];
    case BIND_PAIR: assert(index < scene->pair_count); return &scene->pairs[index];
    case BIND_SHAPE: assert(index < scene->shape_count); return &scene->shapes[index];
    case BIND_BODY: assert(index < scene->body_count); return &scene->bodies[index];
    case BIND_JOINT: assert(index < scene->joint_count); return &scene->joints[index];
    case BIND_FUNCTION: assert(index < scene->function_count); return &scene->functions[index];
    }
    return NULL;
}

// Copy `bytes` to the next free place of the scene's memory.
static void *block_append(char **at, const void *source, size_t bytes) {
    void *place = *at;
    if (bytes > 0) memcpy(place, source, bytes);
    *at += bytes;
    return place;
}

// An absent body keeps its number, so that it means the same in every scene; it stands still.
static void body_remove(SceneBody *body) {
    body->is_absent = body->is_fixed = 1;
    for (int i = 0; i < 3; i++) body->velocity_m_per_s[i] = body->angular_velocity_rad_per_s[i] = 0;
}

ClackStatus sample_scene(const Study *study, const double *values, SceneDescription *out_scene, ClackReport *report) {
    const SceneDescription *from = &study->scene;
    // Counts are 32 bits and rows below 1 KiB: no overflow of size_t.
    const size_t material_bytes = from->material_count * sizeof *from->materials;
    const size_t pair_bytes = from->pair_count * sizeof *from->pairs;
    const size_t shape_bytes = from->shape_count * sizeof *from->shapes;
    const size_t body_bytes = from->body_count * sizeof *from->bodies;
    const size_t joint_bytes = from->joint_count * sizeof *from->joints;
    const size_t function_bytes = from->function_count * sizeof *from->functions;
    char *block = malloc(material_bytes + pair_bytes + shape_bytes + body_bytes + joint_bytes + function_bytes + 1);
    if (block == NULL) return report_add(report, CLACK_MEMORY, "no memory for a scene");
    *out_scene = *from;
    out_scene->materials = block_append(&block, from->materials, material_bytes);
    out_scene->pairs = block_append(&block, from->pairs, pair_bytes);
    out_scene->shapes = block_append(&block, from->shapes, shape_bytes);
    out_scene->bodies = block_append(&block, from->bodies, body_bytes);
    out_scene->joints = block_append(&block, from->joints, joint_bytes);
    out_scene->functions = block_append(&block, from->functions, function_bytes);
    for (uint32_t i = 0; i < study->binding_count; i++) {
        const Binding *binding = &study->bindings[i];
        char *row = sample_row(out_scene, binding->block, binding->index);
        memcpy(row + binding->offset, &values[binding->parameter], sizeof(double));
    }
    for (uint32_t i = 0; i < study->presence_count; i++) {
        const Presence *presence = &study->presences[i];
        const double value = values[presence->parameter];
        if (!(value >= presence->low && value <= presence->high)) body_remove(&out_scene->bodies[presence->body]);
    }
    return CLACK_OK;
}

ClackStatus sample_numbered(const Study *study, uint64_t scene_index, double *out_values, SceneDescription *out_scene,
                            ClackReport *report) {
    sample_parameters(study, scene_index, out_values);
    TRY(sample_scene(study, out_values, out_scene, report));
    const ClackStatus status = sample_check(study, scene_index, out_values, out_scene, report);
    if (status != CLACK_OK) scene_free(out_scene);
    return status;
}

ClackStatus sample_nothing(const Study *study, SceneDescription *out_scene, ClackReport *report) {
    Study plain = *study; // nothing drawn is put into the template
    plain.binding_count = plain.presence_count = 0;
    TRY(sample_scene(&plain, NULL, out_scene, report));
    for (uint32_t b = 0; b < out_scene->body_count; b++) body_remove(&out_scene->bodies[b]);
    out_scene->is_left_out = 1;
    return CLACK_OK;
}

void scene_free(SceneDescription *scene) {
    free(scene->materials); // the one allocation starts with the materials
    *scene = (SceneDescription){0};
}
