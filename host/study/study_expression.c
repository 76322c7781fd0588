// "=2*r + gap": text -> compiled expression, by the shunting-yard algorithm, with the column of every mistake.
#include "study_internal.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_override_internal.h"
#include "text.h"

typedef struct ExpressionFunction {
    const char *name;
    ExpressionCode code;
} ExpressionFunction;

static const ExpressionFunction functions[] = {
    {"sqrt", EXPRESSION_SQRT}, {"abs", EXPRESSION_ABS},     {"min", EXPRESSION_MIN},     {"max", EXPRESSION_MAX},
    {"sin", EXPRESSION_SIN},   {"cos", EXPRESSION_COS},     {"tan", EXPRESSION_TAN},     {"asin", EXPRESSION_ASIN},
    {"acos", EXPRESSION_ACOS}, {"atan", EXPRESSION_ATAN},   {"atan2", EXPRESSION_ATAN2}, {"exp", EXPRESSION_EXP},
    {"log", EXPRESSION_LOG},   {"floor", EXPRESSION_FLOOR}, {"ceil", EXPRESSION_CEIL}};
#define FUNCTION_COUNT (sizeof functions / sizeof functions[0])
#define STEPS_PER_BYTE 2 // `a or b` has seven

// Operators with a higher one bind before others.
enum {
    PRECEDENCE_PARENTHESIS,
    PRECEDENCE_OR,
    PRECEDENCE_AND,
    PRECEDENCE_NOT,
    PRECEDENCE_COMPARISON,
    PRECEDENCE_SUM,
    PRECEDENCE_PRODUCT,
    PRECEDENCE_MINUS, // before an operand
    PRECEDENCE_POWER
};

// An operator or an open parenthesis that waits for what comes after it.
typedef struct Operator {
    const char *at;
    int precedence;
    ExpressionCode code;
    const ExpressionFunction *function; // parenthesis: of its arguments; else NULL
    int arguments;
} Operator;

typedef struct Parser {
    Reader *reader;
    const YamlNode *node;
    const char *at;
    Operator waiting[EXPRESSION_DEPTH_MAX];
    size_t waiting_count;
    ExpressionStep *steps; // (STEPS_PER_BYTE bytes of the text)
    uint32_t step_count;
    size_t depth; // values on the stack after these steps
    bool has_failed;
    const QuantityNames *quantities; // names of these as well; NULL: variables alone
    bool has_time;                   // `t` is the time
    bool is_reported;                // a name stands for a number that is wrong itself, which has been reported
} Parser;

// --- errors ---------------------------------------------------------------------------------------

static void parser_fail(Parser *parser, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void parser_fail(Parser *parser, const char *at, const char *format, ...) {
    char text[STUDY_PATH_BYTES];
    YamlNode node = *parser->node;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (node.place.line > 0) node.place.column += (uint32_t)(at - parser->node->text);
    if (!parser->has_failed) reader_error(parser->reader, &node, "%s", text);
    parser->has_failed = true;
}

static void parser_expected(Parser *parser, const char *expected) {
    const char *at = parser->at;
    if (*at == '\0')
        parser_fail(parser, at, "expected %s, found the end of the expression", expected);
    else
        parser_fail(parser, at, "expected %s, found \"%.*s\"%s", expected, TEXT_CUT(at, 20), operator_hint(at));
}

// --- parts ----------------------------------------------------------------------------------------

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\n') at++;
    return at;
}

static const char *skip_name(const char *at) {
    while (is_letter(*at) || is_digit(*at)) at++;
    return at;
}

static void parser_emit(Parser *parser, const char *at, ExpressionStep step) {
    const size_t arity = (size_t)expression_arity(step.code);
    parser->depth += 1 - arity; // the operands are there: operators come after them
    if (parser->depth > EXPRESSION_DEPTH_MAX)
        parser_fail(parser, at, "expected at most %d operands that wait, found more", EXPRESSION_DEPTH_MAX);
    if (!parser->has_failed) parser->steps[parser->step_count++] = step;
}

static void parser_push(Parser *parser, Operator operator) {
    if (parser->waiting_count == EXPRESSION_DEPTH_MAX)
        parser_fail(parser, operator.at, "expected at most %d operators that wait, found more", EXPRESSION_DEPTH_MAX);
    if (!parser->has_failed) parser->waiting[parser->waiting_count++] = operator;
}

static void emit_constant(Parser *parser, double value) {
    parser_emit(parser, parser->at, (ExpressionStep){.code = EXPRESSION_CONSTANT, .value = value});
}

// 1 where the last value is not 0, else 0; NaN of NaN.
static void emit_truth(Parser *parser, const char *at) {
    emit_constant(parser, 0);
    parser_emit(parser, at, (ExpressionStep){.code = EXPRESSION_NOT_EQUAL});
}

// Both operands of `and` and `or` are 1 or 0 then: a product and the greater one. `not x` is x == 0.
static void emit_operator(Parser *parser, const Operator *operator) {
    if (operator->precedence == PRECEDENCE_AND || operator->precedence == PRECEDENCE_OR)
        emit_truth(parser, operator->at);
    if (operator->precedence == PRECEDENCE_NOT) emit_constant(parser, 0);
    parser_emit(parser, operator->at, (ExpressionStep){.code = operator->code});
}

// Emit the operators that bind at least as tightly as this; a parenthesis ends it.
static void parser_reduce(Parser *parser, int precedence) {
    while (parser->waiting_count > 0 && !parser->has_failed) {
        const Operator *top = &parser->waiting[parser->waiting_count - 1];
        if (top->precedence == PRECEDENCE_PARENTHESIS || top->precedence < precedence) return;
        emit_operator(parser, top);
        parser->waiting_count--;
    }
}

static const char *scan_number(const char *at) {
    while (is_digit(*at)) at++;
    if (*at == '.') at++;
    while (is_digit(*at)) at++;
    if (*at != 'e' && *at != 'E') return at;
    const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
    if (!is_digit(*exponent)) return at;
    while (is_digit(*exponent)) exponent++;
    return exponent;
}

static void parse_number(Parser *parser) {
    char text[64] = "";
    double value = 0;
    const char *end = scan_number(parser->at);
    const size_t bytes = (size_t)(end - parser->at);
    if (bytes < sizeof text) memcpy(text, parser->at, bytes);
    if (!number_parse(text, &value)) {
        parser_expected(parser, "a number");
        return;
    }
    emit_constant(parser, value);
    parser->at = end;
}

static void unknown_name(Parser *parser, size_t bytes) {
    char name[STUDY_NAME_BYTES];
    Reader *reader = parser->reader;
    const uint32_t quantities = parser->quantities != NULL ? parser->quantities->count : 0;
    const char **names = reader_take(reader, ((size_t)reader->variable_count + quantities + 3) * sizeof *names);
    snprintf(name, sizeof name, "%.*s", (int)(bytes < 100 ? bytes : 100), parser->at);
    if (names == NULL) return;
    for (uint32_t i = 0; i < reader->variable_count; i++) names[i] = reader->variables[i].name;
    names[reader->variable_count] = "pi";
    names[reader->variable_count + 1] = "number";
    for (uint32_t i = 0; i < quantities; i++) names[reader->variable_count + 2 + i] = reader->study->quantities[i].name;
    const char *nearest = word_nearest(name, names);
    if (nearest != NULL)
        parser_fail(parser, parser->at, "unknown name \"%s\", did you mean \"%s\"?", name, nearest);
    else
        parser_fail(parser, parser->at, "unknown name \"%s\", expected one of `variables`%s", name,
                    parser->quantities != NULL ? " or `quantities`" : "");
}

// The body's number among those that `count` makes of one.
static void parse_body_number(Parser *parser) {
    for (const YamlNode *at = parser->node; at != NULL; at = at->parent)
        if (at->copy != NULL && at->copy->number > 0) {
            emit_constant(parser, at->copy->number);
            return;
        }
    parser_fail(parser, parser->at, "expected \"number\" in a body with \"count\" only, found it here");
}

// Index of a quantity of this name; NONE: there is none.
static uint32_t find_quantity(const Parser *parser, const char *name, size_t bytes) {
    const Quantity *quantities = parser->reader->study->quantities;
    for (uint32_t i = 0; parser->quantities != NULL && i < parser->quantities->count; i++)
        if (strlen(quantities[i].name) == bytes && memcmp(quantities[i].name, name, bytes) == 0) return i;
    return NONE;
}

// Values of quantities follow those of the parameters.
static void parse_quantity(Parser *parser, uint32_t quantity, bool is_variable) {
    const Study *study = parser->reader->study;
    const QuantityNames *known = parser->quantities;
    assert(known != NULL); // one has been found there
    if (is_variable)
        parser_fail(parser, parser->at, "\"%s\" is a variable and a quantity: expected different names",
                    study->quantities[quantity].name);
    else if (quantity == known->own || (quantity > known->own && known->is_expression[quantity]))
        parser_fail(parser, parser->at, "expected a quantity that is computed before this one, found \"%s\"",
                    study->quantities[quantity].name);
    else
        parser_emit(parser, parser->at,
                    (ExpressionStep){.code = EXPRESSION_PARAMETER, .parameter = study->parameter_count + quantity});
}

static void parse_time(Parser *parser, bool is_variable) {
    if (is_variable)
        parser_fail(parser, parser->at, "\"t\" is a variable and the time: expected another name of the variable");
    else
        parser_emit(parser, parser->at, (ExpressionStep){.code = EXPRESSION_PARAMETER, .parameter = NONE});
}

static void parse_name(Parser *parser) {
    const char *name = parser->at;
    const size_t bytes = (size_t)(skip_name(name) - name);
    Variable *variable = variable_find(parser->reader, name, bytes);
    const uint32_t quantity = find_quantity(parser, name, bytes);
    if (variable != NULL) variable_use(parser->reader, variable, parser->node);
    if (parser->has_time && bytes == 1 && *name == 't')
        parse_time(parser, variable != NULL);
    else if (quantity != NONE)
        parse_quantity(parser, quantity, variable != NULL);
    else if (bytes == 2 && memcmp(name, "pi", 2) == 0)
        emit_constant(parser, EXPRESSION_PI);
    else if (bytes == 6 && memcmp(name, "number", 6) == 0)
        parse_body_number(parser);
    else if (variable == NULL)
        unknown_name(parser, bytes);
    else if (!variable->number.is_ok) {
        parser->is_reported = true;
        emit_constant(parser, 0);
    } else if (variable->number.parameter == NONE)
        emit_constant(parser, variable->number.value);
    else
        parser_emit(parser, name,
                    (ExpressionStep){.code = EXPRESSION_PARAMETER, .parameter = variable->number.parameter});
    parser->at = name + bytes;
}

// A name before "(".
static void parse_function(Parser *parser, const char *open) {
    const char *names[FUNCTION_COUNT + 1] = {NULL};
    char name[STUDY_NAME_BYTES];
    const size_t bytes = (size_t)(skip_name(parser->at) - parser->at);
    snprintf(name, sizeof name, "%.*s", (int)(bytes < 100 ? bytes : 100), parser->at);
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        names[i] = functions[i].name;
        if (strcmp(functions[i].name, name) != 0) continue;
        parser_push(parser, (Operator){.at = parser->at, .function = &functions[i], .arguments = 1});
        parser->at = open + 1;
        return;
    }
    const char *nearest = word_nearest(name, names);
    parser_fail(parser, parser->at, "unknown function \"%s\"%s%s%s", name, nearest != NULL ? ", did you mean \"" : "",
                nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

// --- the two states ---------------------------------------------------------------------------------

static bool is_word(const char *at, const char *word) {
    const size_t bytes = strlen(word);
    return (size_t)(skip_name(at) - at) == bytes && memcmp(at, word, bytes) == 0;
}

// `not` before an operand, where no variable has the name.
static bool parse_not(Parser *parser) {
    const char *at = parser->at;
    if (!is_word(at, "not") || variable_find(parser->reader, at, 3) != NULL || find_quantity(parser, at, 3) != NONE)
        return false;
    if (parser->waiting_count > 0 && parser->waiting[parser->waiting_count - 1].precedence > PRECEDENCE_NOT)
        parser_fail(parser, at, "expected parentheses around \"not ...\" after an operator that binds before it");
    parser_push(parser, (Operator){at, PRECEDENCE_NOT, EXPRESSION_EQUAL, NULL, 1});
    parser->at += 3;
    return true;
}

// Where an operand should begin. True when it is complete.
static bool parse_operand(Parser *parser) {
    const char *at = parser->at;
    if (parse_not(parser)) return false;
    if (is_digit(*at) || *at == '.') {
        parse_number(parser);
        return true;
    }
    if (is_letter(*at)) {
        const char *after = skip_blanks(skip_name(at));
        if (*after != '(') {
            parse_name(parser);
            return true;
        }
        parse_function(parser, after);
    } else if (*at == '(' || *at == '-') {
        const int precedence = *at == '-' ? PRECEDENCE_MINUS : PRECEDENCE_PARENTHESIS;
        parser_push(parser, (Operator){at, precedence, EXPRESSION_NEGATE, NULL, 1});
        parser->at++;
    } else
        parser_expected(parser, "a number, a name, - or (");
    return false;
}

static void parse_close(Parser *parser) {
    parser_reduce(parser, PRECEDENCE_PARENTHESIS);
    if (parser->has_failed) return;
    if (parser->waiting_count == 0) {
        parser_fail(parser, parser->at, "expected no \")\" without its \"(\", found one");
        return;
    }
    const Operator *open = &parser->waiting[--parser->waiting_count];
    if (open->function != NULL) {
        const int wanted = expression_arity(open->function->code);
        if (open->arguments != wanted)
            parser_fail(parser, open->at, "expected %d argument%s of %s, found %d", wanted, wanted == 1 ? "" : "s",
                        open->function->name, open->arguments);
        else
            parser_emit(parser, open->at, (ExpressionStep){.code = open->function->code});
    }
    parser->at++;
}

static void check_comparison(Parser *parser) {
    if (parser->waiting_count > 0 && parser->waiting[parser->waiting_count - 1].precedence == PRECEDENCE_COMPARISON)
        parser_fail(parser, parser->at, "expected one comparison (or parentheses), found a second one");
}

// After an operand. True where another operand has to follow.
static bool parse_operator(Parser *parser) {
    static const struct {
        const char *sign;
        int precedence;
        ExpressionCode code;
    } signs[] = {{"+", PRECEDENCE_SUM, EXPRESSION_ADD},
                 {"-", PRECEDENCE_SUM, EXPRESSION_SUBTRACT},
                 {"*", PRECEDENCE_PRODUCT, EXPRESSION_MULTIPLY},
                 {"/", PRECEDENCE_PRODUCT, EXPRESSION_DIVIDE},
                 {"^", PRECEDENCE_POWER, EXPRESSION_POWER},
                 {"<=", PRECEDENCE_COMPARISON, EXPRESSION_LESS_EQUAL},
                 {">=", PRECEDENCE_COMPARISON, EXPRESSION_GREATER_EQUAL},
                 {"==", PRECEDENCE_COMPARISON, EXPRESSION_EQUAL},
                 {"!=", PRECEDENCE_COMPARISON, EXPRESSION_NOT_EQUAL},
                 {"<", PRECEDENCE_COMPARISON, EXPRESSION_LESS},
                 {">", PRECEDENCE_COMPARISON, EXPRESSION_GREATER},
                 {"and", PRECEDENCE_AND, EXPRESSION_MULTIPLY},
                 {"or", PRECEDENCE_OR, EXPRESSION_MAX}};
    if (*parser->at == ')') {
        parse_close(parser);
        return false;
    }
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t bytes = strlen(signs[i].sign);
        const int precedence = signs[i].precedence;
        if (is_letter(*signs[i].sign) ? !is_word(parser->at, signs[i].sign)
                                      : strncmp(parser->at, signs[i].sign, bytes) != 0)
            continue;
        // Powers go from the right: 2^3^2 is 2^(3^2). Comparisons do not follow each other.
        parser_reduce(parser, precedence == PRECEDENCE_POWER || precedence == PRECEDENCE_COMPARISON ? precedence + 1
                                                                                                    : precedence);
        if (precedence == PRECEDENCE_COMPARISON) check_comparison(parser);
        if (precedence == PRECEDENCE_AND || precedence == PRECEDENCE_OR) emit_truth(parser, parser->at);
        parser_push(parser, (Operator){parser->at, precedence, signs[i].code, NULL, 1});
        parser->at += bytes;
        return true;
    }
    if (*parser->at == ',') {
        parser_reduce(parser, PRECEDENCE_PARENTHESIS);
        Operator *open = parser->waiting_count > 0 ? &parser->waiting[parser->waiting_count - 1] : NULL;
        if (open != NULL && open->function != NULL) {
            open->arguments++;
            parser->at++;
            return true;
        }
    }
    parser_expected(parser, "an operator");
    return false;
}

static void parser_run(Parser *parser) {
    bool wants_operand = true;
    parser->at = parser->node->text + 1;
    while (!parser->has_failed) { // every turn takes a part of the text
        parser->at = skip_blanks(parser->at);
        if (*parser->at == '\0' && !wants_operand) break;
        wants_operand = wants_operand ? !parse_operand(parser) : parse_operator(parser);
    }
    parser_reduce(parser, PRECEDENCE_PARENTHESIS);
    if (!parser->has_failed && parser->waiting_count > 0)
        parser_fail(parser, parser->waiting[parser->waiting_count - 1].at, "expected \")\" for this \"(\", found none");
}

// --- numbers ----------------------------------------------------------------------------------------

static bool expression_is_constant(const Parser *parser) {
    for (uint32_t i = 0; i < parser->step_count; i++)
        if (parser->steps[i].code == EXPRESSION_PARAMETER) return false;
    return true;
}

static Number derived_add(Parser *parser, const char *name, bool is_variable) {
    Reader *reader = parser->reader;
    Study *study = reader->study;
    Distribution none = {.kind = DISTRIBUTION_DERIVED};
    const Number bad = {.value = NAN, .parameter = NONE};
    const size_t bytes = parser->step_count * sizeof *parser->steps;
    Number number = parameter_add(reader, parser->node, name, &none, is_variable);
    if (number.parameter == NONE || !reader_grow(reader, (void **)&study->derivations, &reader->derivation_capacity,
                                                 study->derivation_count, sizeof *study->derivations))
        return bad;
    Parameter *parameter = &reader->drafts[number.parameter].parameter;
    if ((size_t)snprintf(parameter->text, sizeof parameter->text, "%s", parser->node->text) >= sizeof parameter->text)
        memcpy(parameter->text + sizeof parameter->text - 4, "...", 4);
    ExpressionStep *steps = malloc(bytes);
    if (steps == NULL) {
        reader->is_out_of_memory = true;
        return bad;
    }
    memcpy(steps, parser->steps, bytes);
    Derivation *derivation = &study->derivations[study->derivation_count++];
    *derivation = (Derivation){.kind = DERIVATION_EXPRESSION,
                               .parameter = number.parameter,
                               .count = 1,
                               .expression = {parser->step_count, steps},
                               .length_parameter = NONE};
    number.is_derived = true;
    number.value = expression_value(&derivation->expression, reader->medians);
    number.low = number.high = number.value;
    reader->medians[number.parameter] = number.value;
    reader->bounds[number.parameter] = expression_bounds(&derivation->expression, reader->bounds);
    return number;
}

Number read_expression(Reader *reader, const YamlNode *node, const char *name, bool is_variable) {
    const Number bad = {.value = NAN, .parameter = NONE};
    Parser parser = {.reader = reader, .node = node};
    parser.steps = reader_take(reader, STEPS_PER_BYTE * strlen(node->text) * sizeof *parser.steps);
    if (parser.steps == NULL) return bad;
    parser_run(&parser);
    if (parser.has_failed || parser.is_reported) return bad;
    if (expression_is_constant(&parser)) {
        const Expression expression = {parser.step_count, parser.steps};
        const Number number = number_constant(expression_value(&expression, NULL));
        if (isfinite(number.value)) return number;
        reader_error(reader, node, "expected a finite number, found an expression that is %g",
                     isnan(number.value) ? fabs(number.value) : number.value); // never -nan
        return bad;
    }
    if (name != NULL) return derived_add(&parser, name, is_variable);
    reader_error(reader, node, "expected a constant, found an expression of numbers that vary");
    return bad;
}

bool read_time_expression(Reader *reader, const YamlNode *node, Expression *out_expression) {
    Parser parser = {.reader = reader, .node = node, .has_time = true};
    parser.steps = reader_take(reader, STEPS_PER_BYTE * strlen(node->text) * sizeof *parser.steps);
    if (parser.steps == NULL) return false;
    parser_run(&parser);
    *out_expression = (Expression){parser.step_count, parser.steps};
    return !parser.has_failed && !parser.is_reported;
}

bool read_quantity_expression(Reader *reader, const YamlNode *node, const QuantityNames *quantities,
                              Expression *out_expression) {
    Parser parser = {.reader = reader, .node = node, .quantities = quantities};
    if (node->kind != YAML_SCALAR || node->text[0] != '=') {
        reader_expected(reader, node, "an expression, such as \"=2*height\"");
        return false;
    }
    parser.steps = reader_take(reader, STEPS_PER_BYTE * strlen(node->text) * sizeof *parser.steps);
    if (parser.steps == NULL) return false;
    parser_run(&parser);
    if (parser.has_failed || parser.is_reported) return false;
    ExpressionStep *steps = malloc(parser.step_count * sizeof *steps);
    if (steps == NULL) {
        reader->is_out_of_memory = true;
        return false;
    }
    memcpy(steps, parser.steps, parser.step_count * sizeof *steps);
    *out_expression = (Expression){parser.step_count, steps};
    return true;
}

Variable *expression_waits_for(Reader *reader, const YamlNode *node) {
    if (node->kind != YAML_SCALAR) return NULL;
    const char *at = node->text;
    if (*at != '=' && *at != '$') return NULL;
    while (*at != '\0') {
        if (is_digit(*at) || *at == '.') { // "1e5" is no name
            at = scan_number(at);
            continue;
        }
        const char *end = skip_name(at);
        Variable *variable =
            end > at && *skip_blanks(end) != '(' ? variable_find(reader, at, (size_t)(end - at)) : NULL;
        if (variable != NULL && !variable->is_read) return variable;
        at = end > at ? end : at + 1;
    }
    return NULL;
}
