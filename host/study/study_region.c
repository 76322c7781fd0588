// What contact regions have of a pair of materials: `region`, friction that holds at rest, viscous friction.
#include "study_internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *key;
    const NumberRange *range;
    double fallback; // NaN: it has to be given
    size_t offset;
} region_keys[REGION_NUMBERS] = {
    [REGION_STIFFNESS] = {"stiffness", &RANGE_POSITIVE, NAN, offsetof(ScenePair, region_stiffness)},
    [REGION_EXPONENT] = {"exponent", &RANGE_POSITIVE, 1.5, offsetof(ScenePair, region_exponent)},
    [REGION_MODULUS] = {"modulus", &RANGE_POSITIVE, NAN, offsetof(ScenePair, region_modulus_Pa)},
    [REGION_DEPTH] = {"depth", &RANGE_POSITIVE, NAN, offsetof(ScenePair, region_depth_m)},
    [REGION_STATIC_FRICTION] = {"static_friction", &RANGE_NON_NEGATIVE, NAN, offsetof(ScenePair, static_friction)},
    [REGION_STICK_SPEED] = {"v_stick", &RANGE_POSITIVE, 0.01, offsetof(ScenePair, stick_speed_m_per_s)},
    [REGION_VISCOUS] = {"viscous", &RANGE_NON_NEGATIVE, 0, offsetof(ScenePair, viscous_N_s_per_m)},
};

static const char *const region_laws[] = {
    [REGION_HERTZ] = "hertz", [REGION_CONSTANT] = "constant", [REGION_VOLUME] = "volume", NULL};

static bool is_of_law(int number, uint32_t law) {
    if (law == REGION_CONSTANT) return number == REGION_STIFFNESS || number == REGION_EXPONENT;
    return law == REGION_VOLUME && (number == REGION_MODULUS || number == REGION_DEPTH);
}

// A number of the row, or the one that the pair keeps.
static void region_read(Reader *reader, const YamlNode *node, int number, PairEntry *pair) {
    const YamlNode *child = map_get(node, region_keys[number].key);
    if (child != NULL) pair->region[number] = read_number(reader, child, region_keys[number].range);
}

static void read_region(Reader *reader, const YamlNode *node, PairEntry *pair) {
    static const char *const keys[] = {"law", "stiffness", "exponent", "modulus", "depth", NULL};
    if (node == NULL || !map_check(reader, node, keys, NULL)) return;
    const YamlNode *law = map_require(reader, node, "law", "hertz, constant or volume");
    const uint32_t errors_before = reader->error_count;
    pair->region_law = read_word(reader, law, region_laws, NULL, REGION_HERTZ);
    if (law == NULL || reader->error_count > errors_before) return;
    for (int i = REGION_STIFFNESS; i <= REGION_DEPTH; i++) {
        const YamlNode *child = map_get(node, region_keys[i].key);
        pair->region[i] = number_constant(isnan(region_keys[i].fallback) ? 0 : region_keys[i].fallback);
        if (!is_of_law(i, pair->region_law)) {
            if (child != NULL)
                reader_error(reader, child, "expected no \"%s\" with law: %s, found one", region_keys[i].key,
                             region_laws[pair->region_law]);
            continue;
        }
        if (isnan(region_keys[i].fallback)) map_require(reader, node, region_keys[i].key, region_keys[i].range->words);
        region_read(reader, node, i, pair);
    }
}

// Of friction that holds at rest. Without a coefficient of its own it holds as much as sliding has.
static void read_stiction(Reader *reader, const YamlNode *row, PairEntry *pair) {
    for (int i = REGION_STATIC_FRICTION; i <= REGION_STICK_SPEED; i++) {
        const YamlNode *child = map_get(row, region_keys[i].key);
        if (child == NULL) continue;
        if (!pair->has_stiction)
            reader_error(reader, child, "expected friction_law: stiction beside it, found none");
        else
            region_read(reader, row, i, pair);
    }
    if (map_get(row, region_keys[REGION_STATIC_FRICTION].key) != NULL) pair->has_static_friction = true;
    const Number *held = &pair->region[REGION_STATIC_FRICTION], *slides = &pair->numbers[PAIR_FRICTION];
    const YamlNode *child = map_get(row, region_keys[REGION_STATIC_FRICTION].key);
    if (child != NULL && pair->has_stiction && held->parameter == NONE && slides->parameter == NONE &&
        held->value < slides->value)
        reader_error(reader, child, "expected at least \"friction\", which is %g, found %g", slides->value,
                     held->value);
}

void read_region_law(Reader *reader, const YamlNode *row, PairEntry *pair) {
    if (!pair->has_region_numbers) {
        for (int i = 0; i < REGION_NUMBERS; i++)
            pair->region[i] = number_constant(isnan(region_keys[i].fallback) ? 0 : region_keys[i].fallback);
        pair->has_region_numbers = true;
    }
    read_region(reader, map_get(row, "region"), pair);
    read_stiction(reader, row, pair);
    region_read(reader, row, REGION_VISCOUS, pair);
}

void place_region_law(Reader *reader, const PairEntry *pair, uint32_t scene_pair) {
    ScenePair *out = &reader->study->scene.pairs[scene_pair];
    out->region_law = pair->region_law;
    out->has_stiction = pair->has_stiction;
    for (int i = 0; i < REGION_NUMBERS; i++) {
        const bool is_friction = i == REGION_STATIC_FRICTION && pair->has_stiction && !pair->has_static_friction;
        const Number *number = is_friction ? &pair->numbers[PAIR_FRICTION] : &pair->region[i];
        if (!is_friction && !pair->has_region_numbers) continue; // of a palette that names none
        number_place(reader, number, (NumberTarget){BIND_PAIR, scene_pair, region_keys[i].offset});
    }
    if (!pair->has_region_numbers) {
        out->region_exponent = region_keys[REGION_EXPONENT].fallback;
        out->stick_speed_m_per_s = region_keys[REGION_STICK_SPEED].fallback;
    }
}
