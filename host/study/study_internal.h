// Inside of the study reader, shared by study*.c alone: the YAML tree with places, the reader that
// collects errors, and the numbers of a scene that may be constants, variables or distributions.
//
// A check never stops at the first error: it reports it and continues with a harmless value, so that a user sees all
// mistakes of a file at once. The functions here therefore return what they read rather than a ClackStatus;
// `reader_status` is the verdict.
#ifndef CLACK_STUDY_INTERNAL_H
#define CLACK_STUDY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh.h"
#include "number.h"
#include "study.h"
#include "word.h"

#define STUDY_DEPTH_MAX 64                       // nesting of lists and maps
#define STUDY_NODES_MAX 4000000                  // nodes of a tree, copies made for aliases counted in
#define STUDY_ALIAS_BYTES_MAX ((size_t)64 << 20) // of the copies made for aliases
#define STUDY_PATH_BYTES 512                     // of a key path such as scene.bodies.ball.position[2]
#define STUDY_SCENES_MAX 2147483647u

// --- tree (study_tree.c) ------------------------------------------------------------------------
typedef enum YamlKind { YAML_SCALAR, YAML_LIST, YAML_MAP } YamlKind;

typedef struct YamlPlace {
    const char *file;      // path, or "--set <path>" with line 0
    uint32_t line, column; // from 1
} YamlPlace;

typedef struct YamlNode YamlNode;
struct YamlNode {
    YamlKind kind;
    bool is_plain;    // scalar written without quotes
    const char *text; // scalar: its value
    const char *key;  // within a map; else NULL
    uint32_t index;   // within its parent
    uint32_t order;   // position in the file, depth first
    uint32_t child_count;
    YamlPlace place, key_place;
    YamlNode *parent, *child_first, *child_last, *next;
    const struct BodyCopy *copy; // one of several bodies written as one; else NULL
};

// Which of the bodies that a study writes as one a node is (study_copies.c).
typedef struct BodyCopy {
    const char *origin;        // the name that the study gives to all of them
    uint32_t number;           // from 1; 0: not made by `count`
    uint32_t count_parameter;  // draft index; NONE where the count is a constant
    uint32_t choice;           // from 1; 0: not made by `one_of`
    uint32_t choice_parameter; // draft index
} BodyCopy;

// One block of memory of the reader, freed with it.
typedef struct ReaderBlock ReaderBlock;

// --- numbers ------------------------------------------------------------------------------------
typedef struct NumberRange {
    double low, high;
    bool is_low_open, is_high_open;
    const char *words; // "a number >= 0"
} NumberRange;

extern const NumberRange RANGE_ANY;
extern const NumberRange RANGE_POSITIVE;
extern const NumberRange RANGE_NON_NEGATIVE;
extern const NumberRange RANGE_ZERO_TO_ONE;

// What stands where a number is wanted. After an error it is the constant `value` = NaN, not ok.
typedef struct Number {
    bool is_ok;
    double value;       // the constant; the median of a distribution
    double low, high;   // support; of a derived number its median: sampling checks it
    uint32_t parameter; // draft index, NONE for a constant
    bool is_derived;    // computed from other parameters
} Number;

typedef struct NumberTarget { // a double of the scene template
    BindingBlock block;
    uint32_t index;
    size_t offset;
} NumberTarget;

typedef struct Variable {
    const char *name;
    const YamlNode *node;
    bool is_read;           // else it waits for the variables it is computed from
    bool is_used;           // something is computed from it (uses_settle)
    bool is_open, is_stuck; // it waits for the one that is read now; for itself, through others
    Number number;
} Variable;

// A variable named within an entry of `variables`, scene.pairs or scene.materials: used if that is.
typedef struct VariableUse {
    uint32_t variable;
    const YamlNode *entry;
} VariableUse;

// A parameter before the final order is known: variables first, then by place in the file.
typedef struct ParameterDraft {
    Parameter parameter;
    const YamlNode *node;
    bool is_variable;
    bool is_grouped; // drawn together with others: bounds of its own make no sense
} ParameterDraft;    // medians and bounds are in the reader

// --- materials ----------------------------------------------------------------------------------
typedef struct MaterialEntry {
    const char *name;
    const YamlNode *node;
    Number young, poisson, density;
    uint32_t scene_index; // row in the scene; NONE until a shape uses it
} MaterialEntry;

enum { // numbers of a pair
    PAIR_RESTITUTION,
    PAIR_FRICTION,
    PAIR_ROLLING,
    PAIR_SPEED_SMALL,
    PAIR_SPIN_SMALL,
    PAIR_DAMPING_MAX,
    PAIR_SHEAR,
    PAIR_NUMBERS
};

enum { // numbers of a linear normal force
    LINEAR_STIFFNESS,
    LINEAR_DAMPING,
    LINEAR_RESTITUTION,
    LINEAR_NUMBERS
};

// Numbers of contact regions (study_region.c); each of a law or of friction that holds at rest, or of both frictions.
enum {
    REGION_STIFFNESS,
    REGION_EXPONENT,
    REGION_MODULUS,
    REGION_DEPTH,
    REGION_STATIC_FRICTION,
    REGION_STICK_SPEED,
    REGION_VISCOUS,
    REGION_NUMBERS
};

enum { // numbers of a layer between quasi-rigid bodies (study_layer.c)
    LAYER_STIFFNESS,
    LAYER_DAMPING,
    LAYER_THICKNESS,
    LAYER_SHEAR,
    LAYER_SHEAR_DAMPING,
    LAYER_NUMBERS
};

typedef struct PairEntry {
    uint32_t material_a, material_b; // indices of MaterialEntry
    const YamlNode *node;
    bool is_of_palette; // the node
    Number numbers[PAIR_NUMBERS];
    uint32_t normal_law;           // NORMAL_*
    Number linear[LINEAR_NUMBERS]; // of NORMAL_LINEAR: damping or restitution is the constant 0
    uint32_t damping;              // DAMPING_*
    bool is_used;                  // a row of the scene is made from it
    bool is_observer;
    bool wants_mean;     // the row of two materials lacks a number it needs: what it does not give is their mean
    uint32_t given;      // bits of the numbers that the row gives; PAIR_NUMBERS: damping, + 1: friction_law
    bool has_spring;     // of Mindlin
    uint32_t spring;     // which word of it
    uint32_t region_law; // REGION_*
    bool has_stiction;
    bool has_region_numbers, has_static_friction; // the numbers below have been set; one of them was given
    Number region[REGION_NUMBERS];
    bool has_layer, layer_is_hertz;
    bool has_layer_numbers; // those below have been set
    Number layer[LAYER_NUMBERS], ellipsoid[3];
    bool has_axis;           // of friction,
    double axis[3];          // in the frame of the body of
    uint32_t axis_material;  // this entry
    uint32_t first_material; // of the row `node`
} PairEntry;

// --- reader (study_node.c) ----------------------------------------------------------------------
typedef struct ReaderLine { // an error or a warning
    uint32_t sequence;
    ClackPlace place; // of the parts of the text
    const char *text;
} ReaderLine;

// The table of a design (study_table.c).
typedef struct Table {
    bool is_there; // the study has one
    bool is_ok;    // and it could be read
    uint32_t column_count;
    size_t row_count;
    const char **names; // (column_count), NULL after the last
    double *values;     // (row_count, column_count)
} Table;

typedef struct MeshFile MeshFile;     // study_mesh.c
typedef struct SizedFile SizedFile;   // study_size.c
typedef struct SizedShape SizedShape; // study_tessellation.c
typedef struct SurfaceKey SurfaceKey; // study_surface.c

// A mesh as hulls, one for each group of its file: memory of the reader, hulls and solids are the scene's.
typedef struct MeshParts MeshParts;
struct MeshParts { // memory of the reader; hulls and solids are the scene's
    const MeshSource *source;
    double stretch[3], least_scale, smoothing_m; // smoothing_m: NAN where there is none
    uint32_t count;                              // 0: wrong
    const SceneHull **hulls;                     // (count)
    const SolidMoments **solids;                 // (count): NULL where a hull weighs as it is
    uint32_t study_mesh;                         // index of StudyMesh
    const char *open_text, *crossing_text;       // why the mass is that of hulls; what counts twice; NULL: nothing
    YamlPlace open_place, crossing_place;
    MeshParts *next;
};

typedef struct Reader {
    Study *study;
    ClackReport *report;
    const StudyOptions *options;
    ReaderBlock *blocks;
    uint32_t error_count, line_count, line_capacity;
    ReaderLine *lines; // (line_count): errors and warnings
    bool is_out_of_memory;
    bool is_io_failure;
    bool is_scene_wrong; // a sampled one, which is in the report
    bool is_palette;     // reading a palette: distributions and variables have no place there
    uint32_t node_count;
    size_t alias_bytes;
    uint32_t variable_count, variable_capacity, use_count, use_capacity;
    Variable *variables;
    void *variable_tree; // of tsearch: their names, to find them by
    VariableUse *uses;   // (use_count), in the order of reading
    uint32_t draft_count, draft_capacity;
    ParameterDraft *drafts;
    uint32_t median_capacity, bounds_capacity;
    double *medians;          // (draft_count)
    ExpressionBounds *bounds; // (draft_count)
    uint32_t function_capacity;
    uint32_t binding_capacity, input_capacity, hull_capacity, derivation_capacity, check_capacity, presence_capacity;
    uint32_t material_count, material_capacity;
    MaterialEntry *materials;
    uint32_t pair_count, pair_capacity;
    PairEntry *pairs;
    const YamlNode *groups; // of the scene; NULL: none
    uint32_t side_count;    // bits of SceneShape.sides that are taken
    const YamlNode *bodies; // in the order of the scene's; NULL as long as they have not been read
    MeshFile *mesh_files;   // that have been read
    MeshParts *mesh_parts;  // of meshes
    const MeshParts *parts; // of the shape that is being read; NULL: it is no mesh
    SizedFile *sized_files;
    SizedShape *sized_shapes;
    SurfaceKey *surfaces; // meshes as they are
    bool takes_meshes;    // there may be such
    bool names_method;    // the study does
    bool tells_idle;      // of ClackStudyOptions
    bool is_for_poses;    // the same
    uint32_t surface_capacity, shape_capacity, solid_capacity, mesh_capacity;
    Table table;
    uint32_t override_count, override_capacity;
    const YamlNode **overrides; // (override_count): what each --set put into the tree; NULL after an error
    uint64_t own_samples;       // of the design, before others were asked for; 0: none were, or there are none
} Reader;

/// Read a file into the study's inputs, once; NULL after errors, reported (study.c). Valid until the next.
/// node: what names the file; NULL for one that no study names.
const InputFile *input_add(Reader *reader, const YamlNode *node, const char *path, const char *hint);
/// The same for a name relative to the folder of the study.
const InputFile *input_add_beside(Reader *reader, const YamlNode *node, const char *name);

/// A table from memory as an input: its names, then its numbers, whose copy is at `*out_values`. NULL without memory.
const InputFile *input_add_table(Reader *reader, const ClackStudyTable *table, double **out_values);

/// Zeroed memory that lives as long as the reader. NULL, and is_out_of_memory set, if there is none.
void *reader_take(Reader *reader, size_t bytes);
char *reader_take_text(Reader *reader, const char *text, size_t bytes);
/// Make room for one more item of an array owned by the caller. False if there is no memory.
bool reader_grow(Reader *reader, void **array, uint32_t *capacity, uint32_t count, size_t item_bytes);
ClackStatus reader_status(const Reader *reader);
/// Hand errors and warnings to the report, in the order of the file.
void reader_tell(Reader *reader);
void reader_free(Reader *reader);

/// "file:line:column" or "--set path".
void place_print(const YamlPlace *place, char *out, size_t out_bytes);
/// Key path of a node; "top level" for the root.
void node_path(const YamlNode *node, char *out, size_t out_bytes);
/// What a node is, for "found ...".
void node_describe(const YamlNode *node, char *out, size_t out_bytes);

/// Add "<place>: <key path>: <text>".
void reader_error(Reader *reader, const YamlNode *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// Add "<place>: <key path>: warning: <text>", once for each place: copies of a body have the same.
void reader_warn(Reader *reader, const YamlNode *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// Add "<place of a key>: <path of its map>: <text>".
void reader_error_key(Reader *reader, const YamlNode *map, const YamlPlace *key_place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// Add "<place>: <text>" without a key path.
void reader_error_at(Reader *reader, const YamlPlace *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Add "<place>: warning: <text>", once for each text at a place of a file.
void reader_warn_at(Reader *reader, const YamlPlace *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Add "..: expected <expected>, found <what the node is>".
void reader_expected(Reader *reader, const YamlNode *node, const char *expected);

/// Child of a map, NULL if there is none or `map` is no map.
YamlNode *map_get(const YamlNode *map, const char *key);
/// The child, with an error if it is missing: "expected the key "x" (what), found none".
YamlNode *map_require(Reader *reader, const YamlNode *map, const char *key, const char *what);
/// True if the node is a map; reports anything else and every key that is not known. `later` (may be
/// NULL) are keys of the grammar that this version does not have yet.
bool map_check(Reader *reader, const YamlNode *node, const char *const *keys, const char *const *later);
/// map_check, and then the one child of the map among `kinds`; reports none or several. NULL then.
YamlNode *map_choose(Reader *reader, const YamlNode *map, const char *const *keys, const char *const *kinds,
                     const char *const *later, const char *what);
/// True if the node is a list; `count` >= 0 asks for that many items.
bool list_check(Reader *reader, const YamlNode *node, int count, const char *what);
bool is_identifier(const char *text);
/// A word of a list, as its index; `fallback` after an error or for a missing node.
uint32_t read_word(Reader *reader, const YamlNode *node, const char *const *words, const char *const *later,
                   uint32_t fallback);
bool read_bool(Reader *reader, const YamlNode *node, bool fallback);
/// Text of a scalar, NULL after an error or for a missing node.
const char *read_text(Reader *reader, const YamlNode *node, const char *what);

/// The YAML text as a tree whose nodes say `file` as their place (line 0 if `has_lines` is false).
/// NULL after errors (reported) or for an empty text (not an error here).
YamlNode *tree_parse(Reader *reader, const char *text, size_t bytes, const char *file, bool has_lines);
/// A copy of a node and all below it, without a parent. NULL after errors, which are reported.
YamlNode *tree_copy(Reader *reader, const YamlNode *source);
/// Make a node the last child of a list or map.
void node_append(YamlNode *parent, YamlNode *node);
/// Number the nodes depth first.
void tree_order(YamlNode *root);

// --- numbers (study_number.c) -------------------------------------------------------------------
Number number_constant(double value);
Number read_number(Reader *reader, const YamlNode *node, const NumberRange *range);
/// A number that can not vary. NaN after an error.
double read_constant(Reader *reader, const YamlNode *node, const NumberRange *range);
/// A whole number in [low, high]; `low` after an error.
uint64_t read_integer(Reader *reader, const YamlNode *node, uint64_t low, uint64_t high);
/// A new parameter, named after its variable or its place. Of a derived one (DISTRIBUTION_DERIVED) the
/// caller sets text, median and bounds.
Number parameter_add(Reader *reader, const YamlNode *node, const char *name, Distribution *distribution,
                     bool is_variable);
bool range_holds(const NumberRange *range, double value);
/// What has to hold for a derived parameter in every scene; `where` is made from the node.
void check_add(Reader *reader, const YamlNode *node, NumberCheck check);
/// Write the number into the scene template and bind it if it varies.
void number_place(Reader *reader, const Number *number, NumberTarget target);
/// read_number + number_place; a missing node leaves the template alone.
void read_number_into(Reader *reader, const YamlNode *node, const NumberRange *range, NumberTarget target);
/// A unit as a study writes it; a missing node leaves what is there.
void read_unit(Reader *reader, const YamlNode *node, char out_unit[STUDY_UNIT_BYTES]);
/// An angle in rad, the same way; warns of more than a turn, which is most often meant in degrees.
void read_angle_into(Reader *reader, const YamlNode *node, NumberTarget target);
/// A list of `count` numbers into consecutive doubles. False if the list is not what it should be;
/// `out_all_zero` (may be NULL): all are constant and 0.
bool read_vector_into(Reader *reader, const YamlNode *node, int count, const NumberRange *range, NumberTarget target,
                      bool *out_all_zero);
/// Parameters in their final order, into the study.
void parameters_finish(Reader *reader);

// --- what was meant (study_hint.c) ----------------------------------------------------------------
/// "expected <range>, found ...", and what a text there was meant to be. can_vary: distributions may stand there.
void reader_expected_number(Reader *reader, const YamlNode *node, const NumberRange *range, bool can_vary);
/// For the end of a message on an operand or operator: what a sign after "=" was meant to be; "": not known.
const char *operator_hint(const char *at);

// --- variables (study_variable.c) -----------------------------------------------------------------
void read_variables(Reader *reader, const YamlNode *node);
void variables_free(Reader *reader);
Variable *variable_find(Reader *reader, const char *name, size_t bytes);
/// Names of all variables, NULL after the last; NULL if there is no memory.
const char **variable_names(Reader *reader);
/// A variable of this name; false, and reported, if there is one already.
bool variable_add(Reader *reader, const YamlNode *node, const char *name, Variable variable);

// --- expressions (study_expression.c) -------------------------------------------------------------
/// "=2*r + gap": a constant, or a derived parameter of this name. Not ok after errors.
Number read_expression(Reader *reader, const YamlNode *node, const char *name, bool is_variable);
typedef struct QuantityNames { // those of the study that an expression may name
    uint32_t count, own;       // own: the one that it computes
    const bool *is_expression; // (count): these only where they come before it
} QuantityNames;

/// An expression of variables and quantities, after parameters_finish: the values of quantities follow those of the
/// parameters. False after errors; the steps are the study's.
bool read_quantity_expression(Reader *reader, const YamlNode *node, const QuantityNames *quantities,
                              Expression *out_expression);
/// An expression of variables and of the time `t`, whose steps name the parameter NONE. False after errors; the steps
/// are the reader's.
bool read_time_expression(Reader *reader, const YamlNode *node, Expression *out_expression);
/// The first variable that an expression or a "$name" needs and that is not read yet; NULL: none.
Variable *expression_waits_for(Reader *reader, const YamlNode *node);

// --- numbers drawn together (study_drawn.c) --------------------------------------------------------
/// True if the node is {unit_vector: ...}, which is then read into three doubles.
bool read_unit_vector(Reader *reader, const YamlNode *node, NumberTarget target, bool *out_is_ok);
/// {random: {}}: a quaternion into four doubles.
void read_random_rotation(Reader *reader, const YamlNode *node, NumberTarget target);
/// {correlated_normals: ...} under `variables`: several variables.
void read_correlated_normals(Reader *reader, const YamlNode *node);

// --- many bodies from one (study_copies.c) --------------------------------------------------------
/// Replace bodies with `count` or `one_of` by those they stand for, in the tree.
void copies_expand(Reader *reader, YamlNode *root, YamlNode *bodies);
/// True for two alternatives of one body, which no scene has together.
bool copies_exclude(const YamlNode *a, const YamlNode *b);
/// Joints with `chain` become one for each two bodies in a row that `count` has made of one.
void chains_expand(Reader *reader, YamlNode *joints);
/// Rows of `presences` for a body made from the node.
void copies_place(Reader *reader, const YamlNode *node, uint32_t body);
/// All scenes of the design (the first of very many), where numbers are derived (study_check.c).
void scenes_check(Reader *reader);

// --- distributions (study_distribution.c) ---------------------------------------------------------
/// A checked distribution; false after errors.
bool read_distribution(Reader *reader, const YamlNode *node, Distribution *out_distribution);
/// The whole numbers 1 to count with weights (NULL: all alike); false after errors.
bool distribution_of_choice(Reader *reader, const YamlNode *weights, uint32_t count, Distribution *out_distribution);
/// One line, such as "uniform(0.7, 0.95)".
void distribution_print(const Distribution *distribution, char *out, size_t out_bytes);

// --- sections -----------------------------------------------------------------------------------
void read_materials(Reader *reader, const YamlNode *node); // study_material.c
void read_pairs(Reader *reader, const YamlNode *node);
/// `normal` of a row of pairs, and what may not stand beside it; a missing one keeps the pair's (study_normal.c).
void read_normal_law(Reader *reader, const YamlNode *row, PairEntry *pair);
/// Its numbers into a pair of the scene.
void place_normal_law(Reader *reader, const PairEntry *pair, uint32_t scene_pair);
/// `region`, `viscous` and what friction that holds at rest has, of a row of pairs (study_region.c).
void read_region_law(Reader *reader, const YamlNode *row, PairEntry *pair);
/// Their numbers into a pair of the scene.
void place_region_law(Reader *reader, const PairEntry *pair, uint32_t scene_pair);
/// `layer`, `friction_ellipsoid` and `friction_axis` of a row of pairs (study_layer.c).
void read_layer_law(Reader *reader, const YamlNode *row, PairEntry *pair);
/// Their numbers into a pair of the scene.
void place_layer_law(Reader *reader, const PairEntry *pair, uint32_t scene_pair);
/// Has a pair between two others a mean of what these have: no layer; the same friction_ellipsoid, without an axis?
bool layers_have_mean(const PairEntry *a, const PairEntry *b);
bool ellipsoids_have_mean(const PairEntry *a, const PairEntry *b);
/// Another ellipsoid of friction than (1, 1, 0), in some scene?
bool ellipsoid_is_other(const PairEntry *pair);
void layer_copy_friction(PairEntry *pair, const PairEntry *from);
/// `solver.method` (METHOD_*), which other sections depend on (study_method.c).
uint32_t read_method(Reader *reader, const YamlNode *solver);
const char *method_word(uint32_t method);
/// What the method does not take of the scene and the solver. After read_solver.
void check_method(Reader *reader, const YamlNode *scene_node, const YamlNode *solver);
/// Index of a MaterialEntry by the node's text; NONE after an error.
uint32_t read_material_name(Reader *reader, const YamlNode *node);
/// Row of the entry in the scene, made at its first use.
uint32_t material_use(Reader *reader, uint32_t entry);
/// Rows of all pairs of materials that may touch. Bodies and shapes are complete by then.
void pairs_finish(Reader *reader, const YamlNode *bodies);
void read_scene(Reader *reader, const YamlNode *node); // study_scene.c
/// Collision groups of the bodies, which are complete by then (study_group.c).
void read_groups(Reader *reader, const YamlNode *groups, const YamlNode *ignore);
typedef enum BodyNames { // which names would be right
    NAMES_OF_ONE,        // of a body
    NAMES_OF_SEVERAL,    // of bodies that the study writes as one, too
    NAMES_OF_SETS,       // of groups, too
} BodyNames;
/// "unknown body "x", did you mean "y"?"
void tell_unknown_body(Reader *reader, const YamlNode *node, const char *name, BodyNames right);
/// Is this its name, or that of all bodies that the study writes as one with it?
bool body_goes_by(const Reader *reader, uint32_t body, const char *name);
void read_bodies(Reader *reader, YamlNode *node); // study_body.c
/// Joints of the bodies, which are complete by then (study_joint.c).
void read_joints(Reader *reader, YamlNode *node);
/// A function of time: a number, an expression of `t` or a table, as new rows of the scene's functions
/// (study_function.c). False after errors.
bool read_function(Reader *reader, const YamlNode *node, uint32_t *out_first, uint32_t *out_count);
/// Three functions of time one after the other, of a list; zeros where there is no node.
void read_functions_xyz(Reader *reader, const YamlNode *node);
/// A function that is a number, given or of a node, as a new row.
bool function_append_number(Reader *reader, double value);
bool function_append_read(Reader *reader, const YamlNode *node, const NumberRange *range);
/// A row before functions, which will count their rows.
bool function_append_head(Reader *reader);
/// `motion` of a fixed body (study_motion.c).
void read_body_motion(Reader *reader, const YamlNode *node, uint32_t body);
/// A fixed body that stays and is in every scene: it stands for the world (study_joint.c). NONE: there is none.
uint32_t joint_find_world(const Reader *reader);
#define WORLD_BYTES (SCENE_NAME_BYTES + 64)
/// Where there is none: the fixed body that comes nearest, and why it is not; `none` without one (study_joint.c).
void world_describe(const Reader *reader, const char *none, char *out, size_t out_bytes);
/// The name of a joint, or of a force beside joints, which no body and no joint before has.
void joint_read_name(Reader *reader, const YamlNode *node, uint32_t joint);
/// Forces on the bodies, after their joints (study_force.c).
void read_forces(Reader *reader, const YamlNode *node);
/// Are the joints of the scene what the solver's method takes? After read_solver.
void check_joints(Reader *reader, const YamlNode *joints);
/// Places of the bodies into the study (study_place.c).
void places_keep(Reader *reader, const YamlNode *bodies);

typedef struct MaterialChoice { // `material` and `contact_material` of a body or a shape
    bool has_solid, has_contact;
    uint32_t solid, contact; // MaterialEntry, NONE where there is none or it is not known
} MaterialChoice;

MaterialChoice read_material_choice(Reader *reader, const YamlNode *node); // study_shape.c
void read_shape(Reader *reader, const YamlNode *node, uint32_t shape, uint32_t body,
                const MaterialChoice *body_materials);
void read_rotation(Reader *reader, const YamlNode *node, NumberTarget target, SceneRotation *rotation);
void read_hull(Reader *reader, const YamlNode *node, uint32_t shape); // study_hull.c

typedef struct HullSpec {
    const double (*points)[3]; // (count)
    size_t count;
    const YamlNode *smoothing; // NULL: the default
    double least_scale;
} HullSpec;

/// The hull of points, with rounded edges, as one of the scene's; NULL after errors: out of memory, or why
/// (study_hull.c).
const SceneHull *hull_of_points(Reader *reader, const HullSpec *spec, char *out_why, size_t why_bytes);
/// `scale` of a hull or a mesh: one factor that may vary stays with the shape, three constants go to `out_stretch`.
/// out_least: the least there may be of the one. False after errors.
bool read_hull_scale(Reader *reader, const YamlNode *node, uint32_t shape, double out_stretch[3], double *out_least);

/// Triangles of the file that a node names, read once; NULL after errors, reported (study_mesh.c). out_input: the file.
const MeshSource *read_mesh_file(Reader *reader, const YamlNode *node, const InputFile **out_input);
/// Where a triangle stands in its file; in bytes, which have no lines, `out_which` says which one it is, else "".
YamlPlace mesh_place(const MeshSource *source, const InputFile *input, uint32_t triangle, char *out_which,
                     size_t bytes);
void mesh_files_free(Reader *reader);
/// Volume of a hull over that of the closed surface of its points, where that is more than rounding; else 1.
double mesh_fill(double hull_m3, const Mesh *mesh);

/// The hulls of a mesh, made once for each file, scale and smoothing: `key` has what comes before `count`. NULL without
/// memory, count 0 after errors, reported (study_part.c). node: the map that has `file` and `smoothing`.
const MeshParts *mesh_parts_make(Reader *reader, const YamlNode *node, const InputFile *input, MeshParts key);
/// The shape `mesh`: the first of its hulls into this shape (study_decompose.c) ...
void read_mesh(Reader *reader, const YamlNode *node, uint32_t shape);
/// ... and, with all that was read of it, the others into shapes after it, at the end of the scene's.
void mesh_parts_append(Reader *reader, uint32_t shape, const SceneBody *owner);
/// The same without `decompose`: the surface as it is (study_surface.c). file: the node that names it.
void read_surface(Reader *reader, const YamlNode *node, const YamlNode *file, uint32_t shape);
/// Has each surface of a shape, and of those appended to it, moments that a free body can take? (study_surface.c)
void mesh_check_mass(Reader *reader, const YamlNode *node, uint32_t shape);
/// `mesh_size` of a shape of that kind, which may have none (study_tessellation.c).
void read_mesh_size(Reader *reader, const YamlNode *node, const char *kind, uint32_t shape);
/// Shapes that may touch meshes: do they take too many triangles?
void tessellations_check(Reader *reader);
/// A file that became this shape: its longest side at scale 1 (study_size.c).
void mesh_size_note(Reader *reader, const YamlNode *node, uint32_t shape, double longest_m);
/// Warn of files whose size does not go with that of the other bodies, which are complete by then.
void mesh_sizes_check(Reader *reader);
void read_solver(Reader *reader, const YamlNode *node,
                 const YamlNode *scene_node); // study_solver.c
/// After parameters_finish: the levels of a grid go by parameter.
void read_design(Reader *reader, const YamlNode *node, const YamlNode *root); // study_design.c
/// Before all numbers, which may take columns of the table (study_table.c).
void read_table(Reader *reader, const YamlNode *design);
/// A CSV file beside the study; false after errors.
bool read_table_file(Reader *reader, const YamlNode *file, Table *out_table);
/// Index of a column; false, and reported at the node, where there is none of the name.
bool table_find_column(Reader *reader, const YamlNode *node, const Table *table, const char *name,
                       uint32_t *out_column);
/// First value of the column that the node names, column_count apart; NULL after errors.
const double *table_column(Reader *reader, const YamlNode *node, uint32_t *out_column);
void read_outputs(Reader *reader, const YamlNode *node);    // study_output.c
void read_statistics(Reader *reader, const YamlNode *node); // study_statistics.c
void read_references(Reader *reader, const YamlNode *node); // study_reference.c
/// Index of the quantity that a key names; NONE, and reported, where there is none.
uint32_t read_quantity_key(Reader *reader, const YamlNode *node);
/// All quantities, a map of names (study_quantity.c).
void read_quantities(Reader *reader, const YamlNode *node);
/// Quantities of events: `kind` is the child that says which one (study_event.c).
void read_event_sum(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity);
void read_event_quantity(Reader *reader, const YamlNode *node, const YamlNode *kind, Quantity *quantity);
/// Index of the body that the node names; NONE after an error, which lists the names that would be right.
uint32_t read_body_name(Reader *reader, const YamlNode *node, BodyNames right);
#define OBSERVABLE_IMPULSE (WATCH_NET_FORCE + 4) // of a contact that ended: from its event
/// What the node names ("ball.position.z", or beside `between` or `materials` what contacts have) into the quantity;
/// false after an error (study_observable.c).
bool read_observable(Reader *reader, const YamlNode *node, const YamlNode *pair, Quantity *quantity);
/// The same of a state alone.
bool read_state(Reader *reader, const YamlNode *node, Quantity *quantity);
/// Tell that it is no state.
void state_fail(Reader *reader, const YamlNode *node, const Quantity *quantity);
bool is_net_force(const Quantity *quantity);
/// Does a shape belong to both sides of a net force? Then which it is on is not known: false after an error.
bool net_force_has_sides(Reader *reader, const YamlNode *pair, const Quantity *quantity);
extern const char *const net_force_words; // of contacts of a pair, the one that has more than a max
/// `between: [a, b]` into the quantity's bodies, or its sides; false after an error (study_side.c).
bool read_between(Reader *reader, const YamlNode *between, Quantity *quantity);
bool read_materials_between(Reader *reader, const YamlNode *materials, Quantity *quantity);
/// `between` or `materials` of the map, of which one is there.
bool read_pair_of(Reader *reader, const YamlNode *node, Quantity *quantity);
/// " of a and b", " of a" or "".
void partners_print(const Study *study, const Quantity *quantity, char *out, size_t out_bytes);

#endif
