// Quantities of events: how many there were; time, speed, impulse, energy and place of one of them.
#include "study_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct EventWord {
    const char *word;
    uint32_t kind;
    const char *noun;
} EventWord;

static const EventWord event_words[] = {
    {"contact_begin", EVENT_BEGIN, "contact begin"},
    {"contact_end", EVENT_END, "contact end"},
    {"contact_start", EVENT_BEGIN, "contact begin"}, // a synonym
    {"rest", EVENT_REST, "rest"},
    {"wake", EVENT_WAKE, "wake"},
};

static const char *const words_all[] = {"contact_begin", "contact_end", "contact_start", "rest", "wake", NULL};
static const char *const words_contact[] = {"contact_begin", "contact_end", "contact_start", NULL};
static const char *const words_end[] = {"contact_end", NULL};

// What can be asked of events.
typedef struct EventQuestion {
    const char *key;
    QuantityKind kind;
    const char *const *words; // of which events
    const char *unit, *noun;
} EventQuestion;

static const EventQuestion questions[] = {
    {"count", QUANTITY_COUNT, words_all, "1", "number"},
    {"time_of", QUANTITY_EVENT_TIME, words_all, "s", "time"},
    {"speed_of", QUANTITY_EVENT_SPEED, words_contact, "m/s", "normal speed"},
    {"impulse_of", QUANTITY_EVENT_IMPULSE, words_end, "N s", "size of the impulse"},
    {"energy_lost_of", QUANTITY_EVENT_ENERGY, words_end, "J", "energy lost"},
    {"position_of", QUANTITY_EVENT_POSITION, words_all, "m", "position"},
};

static const EventQuestion *question_find(const char *key) {
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (strcmp(questions[i].key, key) == 0) return &questions[i];
    return &questions[0];
}

static const EventWord *event_word_find(const char *word) {
    for (size_t i = 0; i < sizeof event_words / sizeof *event_words; i++)
        if (strcmp(event_words[i].word, word) == 0) return &event_words[i];
    return &event_words[0];
}

// 1, 2, ...; last, which is -1; -2, ...
static int32_t read_n(Reader *reader, const YamlNode *node) {
    double value = 0;
    if (node->kind == YAML_SCALAR && strcmp(node->text, "last") == 0) return -1;
    const bool is_number = node->kind == YAML_SCALAR && node->is_plain && number_parse(node->text, &value);
    if (is_number && value != 0 && value >= -INT32_MAX && value <= INT32_MAX && value == (double)(int32_t)value)
        return (int32_t)value;
    reader_expected(reader, node, "a whole number (-1: the last, -2: the one before) or last");
    return 1;
}

// `between: [a, b]`, `of: a` or neither
static void read_partners(Reader *reader, const YamlNode *node, Quantity *quantity) {
    const YamlNode *between = map_get(node, "between"), *of = map_get(node, "of");
    if (between == NULL) between = map_get(node, "materials");
    if (between != NULL && of != NULL)
        reader_error(reader, of, "expected \"of\" or \"%s\", found both", between->key);
    else if (of != NULL)
        quantity->body = read_body_name(reader, of, NAMES_OF_ONE);
    else if (between != NULL && (quantity->event_kind == EVENT_REST || quantity->event_kind == EVENT_WAKE))
        reader_error(reader, between, "expected \"of\", found \"%s\": rest and wake are of one body", between->key);
    else if (between != NULL)
        read_pair_of(reader, node, quantity);
}

// `above`: only contacts that begin, or end, faster
static void read_above(Reader *reader, const YamlNode *node, Quantity *quantity) {
    const YamlNode *above = map_get(node, "above");
    if (above == NULL) return;
    if (quantity->event_kind == EVENT_REST || quantity->event_kind == EVENT_WAKE) {
        reader_error(reader, above, "expected no \"above\" here, found one: rest and wake have no normal speed");
        return;
    }
    quantity->above_m_per_s = read_constant(reader, above, &RANGE_POSITIVE);
    const size_t used = strlen(quantity->text);
    snprintf(quantity->text + used, sizeof quantity->text - used, ", faster than %g m/s", quantity->above_m_per_s);
}

static void event_print(const Study *study, const EventQuestion *question, const EventWord *event, Quantity *quantity) {
    static const char *const axes[] = {" x", " y", " z"};
    char partners[2 * SCENE_NAME_BYTES + 16], which[64];
    partners_print(study, quantity, partners, sizeof partners);
    const size_t room = sizeof quantity->text;
    if (question->kind == QUANTITY_COUNT && quantity->event_kind <= EVENT_END) {
        snprintf(quantity->text, room, "number of times that contacts%s %s", partners,
                 quantity->event_kind == EVENT_END ? "end" : "begin");
        return;
    }
    if (question->kind == QUANTITY_COUNT) {
        snprintf(quantity->text, room, "number of events %s%s", event->noun, partners);
        return;
    }
    if (quantity->n > 0)
        snprintf(which, sizeof which, "%s number %d", event->noun, quantity->n);
    else if (quantity->n == -1)
        snprintf(which, sizeof which, "the last %s", event->noun);
    else
        snprintf(which, sizeof which, "%s number %d from the last", event->noun, -quantity->n);
    snprintf(quantity->text, room, "%s%s of %s%s", question->noun,
             question->kind == QUANTITY_EVENT_POSITION ? axes[quantity->component] : "", which, partners);
}

// `time_of: rest` without n: when the body came to rest for good.
static void read_rest_for_good(Reader *reader, const YamlNode *node, Quantity *quantity) {
    char partners[3 * SCENE_NAME_BYTES];
    quantity->kind = QUANTITY_REST_TIME;
    if (map_get(node, "of") == NULL) reader_error(reader, node, "expected the key \"of\" (the body), found none");
    partners_print(reader->study, quantity, partners, sizeof partners);
    snprintf(quantity->text, sizeof quantity->text, "time of rest%s", partners);
}

void read_event_quantity(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    static const char *const components[] = {"x", "y", "z", NULL};
    const EventQuestion *question = question_find(kind->key);
    const uint32_t word = read_word(reader, kind, question->words, NULL, 0);
    const EventWord *event = event_word_find(question->words[word]);
    const YamlNode *n = map_get(node, "n"), *component = map_get(node, "component");
    quantity->kind = question->kind;
    quantity->event_kind = event->kind;
    snprintf(quantity->unit, sizeof quantity->unit, "%s", question->unit);
    read_partners(reader, node, quantity);
    if (question->kind == QUANTITY_EVENT_TIME && event->kind == EVENT_REST && n == NULL) {
        read_rest_for_good(reader, node, quantity);
        read_above(reader, node, quantity);
        return;
    }
    quantity->n = 1;
    if (n != NULL && question->kind == QUANTITY_COUNT)
        reader_error(reader, n, "expected no \"n\" here, found one");
    else if (n != NULL)
        quantity->n = read_n(reader, n);
    if (question->kind == QUANTITY_EVENT_POSITION && component == NULL)
        reader_error(reader, node, "expected the key \"component\" (x, y or z), found none");
    else if (question->kind != QUANTITY_EVENT_POSITION && component != NULL)
        reader_error(reader, component, "expected no \"component\" here, found one");
    quantity->component = read_word(reader, component, components, NULL, 0);
    event_print(reader->study, question, event, quantity);
    read_above(reader, node, quantity);
}

// `{sum: energy_lost}`: over all contacts that ended.
void read_event_sum(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity) {
    static const char *const words[] = {"impulse", "energy_lost", NULL};
    char partners[3 * SCENE_NAME_BYTES];
    const bool is_energy = read_word(reader, kind, words, NULL, 0) == 1;
    quantity->kind = is_energy ? QUANTITY_SUM_ENERGY : QUANTITY_SUM_IMPULSE;
    quantity->event_kind = EVENT_END;
    snprintf(quantity->unit, sizeof quantity->unit, "%s", is_energy ? "J" : "N s");
    read_partners(reader, node, quantity);
    partners_print(reader->study, quantity, partners, sizeof partners);
    snprintf(quantity->text, sizeof quantity->text, "%s of all contacts%s that ended",
             is_energy ? "energy lost in the sum" : "sum of the sizes of the impulses", partners);
}
