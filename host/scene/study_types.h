// A study as data: one scene with parameters, their distributions, a design, a solver and what to record. Scenes are
// sampled from it; files are read into it by study.h.
#ifndef CLACK_STUDY_TYPES_H
#define CLACK_STUDY_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "clack.h"
#include "distribution.h"
#include "expression.h"
#include "scene.h"
#include "solid.h"
#include "model/scene_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STUDY_NAME_BYTES 128
#define STUDY_UNIT_BYTES 16

typedef struct Parameter {
    char name[STUDY_NAME_BYTES];     // variable name, or the path of the number it stands for
    char text[STUDY_NAME_BYTES * 2]; // the distribution as one line, for the ensemble file
    char unit[STUDY_UNIT_BYTES];     // that the study gives, for where no number of the scene is it; "": none
    Distribution distribution;
    uint32_t grid_levels;    // design grid: levels of this parameter
    uint32_t derived_before; // parameters before it that take no coordinate of the design
    uint32_t input;          // designs saltelli and morris: which input its coordinate belongs to
} Parameter;

typedef enum DerivationKind {
    DERIVATION_EXPRESSION,
    DERIVATION_NORMALS,     // correlated, from independent standard normals
    DERIVATION_UNIT_VECTOR, // of a length, uniform on the sphere, from two uniforms
    DERIVATION_ROTATION     // quaternion w, x, y, z, uniform on SO(3), from three uniforms
} DerivationKind;

// What turns sampled values of consecutive parameters into those that are used, in place.
typedef struct Derivation {
    DerivationKind kind;
    uint32_t parameter, count; // first, how many
    Expression expression;
    double length; // unit vector; where length_parameter is not NONE, that one's value
    uint32_t length_parameter;
    double *means;  // (count): normals
    double *factor; // (count, count): covariance = factor factor', lower triangular
} Derivation;

// What the numbers of a derived parameter have to be, where reading could not prove that they are.
typedef struct NumberCheck {
    uint32_t parameter;
    uint32_t shape; // of the scene, whose sizes must go together; NONE: the range below
    double low, high;
    uint32_t is_low_open, is_high_open, is_whole;
    const char *words; // "a number >= 0"
    char *where;       // "file:line:column: key path"
} NumberCheck;

// A body that is not in every scene: it is in those where low <= parameter <= high.
typedef struct Presence {
    uint32_t body, parameter;
    double low, high;
} Presence;

// Which number of the scene a parameter fills.
typedef enum BindingBlock {
    BIND_SCENE,
    BIND_MATERIAL,
    BIND_PAIR,
    BIND_SHAPE,
    BIND_BODY,
    BIND_JOINT,
    BIND_FUNCTION
} BindingBlock;

typedef struct Binding {
    BindingBlock block;
    uint32_t index;     // row within the block
    size_t offset;      // bytes within the row's struct, of a double
    uint32_t parameter; // index
} Binding;

typedef enum DesignKind {
    DESIGN_MONTE_CARLO,
    DESIGN_GRID,
    DESIGN_LATIN_HYPERCUBE,
    DESIGN_SOBOL,      // with Owen scrambling
    DESIGN_TABLE,      // a row for each scene
    DESIGN_SALTELLI,   // for Sobol' indices: samples * (input_count + 2) scenes
    DESIGN_MORRIS,     // for elementary effects: samples * (input_count + 1) scenes
    DESIGN_SOBOL_PLAIN // Sobol' without scrambling
} DesignKind;

typedef struct Design {
    DesignKind kind;
    uint64_t scene_count; // 1 where the study has no design
    uint64_t seed;
    // saltelli, morris: base points or trajectories, and what is varied on its own: a parameter, or numbers that are
    // drawn together
    uint64_t samples;
    uint32_t input_count, coordinate_count, levels; // levels: morris
} Design;

typedef enum QuantityKind {
    QUANTITY_FINAL,      // value of an observable at the end
    QUANTITY_EXTREME,    // a Watch: min, max or the value at a time
    QUANTITY_MEAN,       // a Watch: integral over the time that its gate was open
    QUANTITY_COUNT,      // number of events of a kind
    QUANTITY_EVENT_TIME, // of the n-th event of a kind; so are the next four
    QUANTITY_EVENT_SPEED,
    QUANTITY_EVENT_IMPULSE,  // its length
    QUANTITY_EVENT_ENERGY,   // lost
    QUANTITY_EVENT_POSITION, // `component` of it
    QUANTITY_MAX_IMPULSE,    // largest impulse of one contact that ended
    QUANTITY_SUM_IMPULSE,    // of all contacts that ended: sum of their sizes
    QUANTITY_SUM_ENERGY,     // energy that they lost
    QUANTITY_REST_TIME,      // when the body came to rest for good; NaN if it moves at the end
    QUANTITY_FACE_UP,        // number of the face that is most upward at the end
    QUANTITY_FACE_UP_COSINE, // of the angle between its normal and up
    QUANTITY_EXPRESSION,     // of parameters and other quantities
    QUANTITY_SHARE           // 1 where the expression is not 0, else 0
} QuantityKind;

typedef struct Face {
    double direction[3]; // unit vector, body frame
    double number;
} Face;

typedef struct Quantity {
    char name[STUDY_NAME_BYTES];
    char unit[STUDY_UNIT_BYTES];     // "m", "m/s", "rad/s", "s", "1"
    char text[STUDY_NAME_BYTES * 2]; // one sentence for the ensemble file
    QuantityKind kind;
    uint32_t body;       // final, rest, face; NONE where it means any (events)
    uint32_t body_other; // events: the other body of the pair; NONE: any
    uint32_t sides;      // of contacts between sets or materials, as in Watch; 0: of bodies
    uint32_t gate_body;  // of contacts of a pair: whose gate opens
    char sides_text[2 * 64 + 16];
    uint32_t joint;       // of what is watched of a joint; else NONE
    uint32_t observable;  // WATCH_* + component (final)
    uint32_t watch;       // index (extreme, mean)
    uint32_t event_kind;  // EVENT_*
    uint32_t component;   // of a position
    double above_m_per_s; // events of contacts: their normal speed is more; 0: of any
    int32_t n;            // event: from 1; from the last one back: -1, -2, ...
    uint32_t face_count;
    Face *faces;           // (face_count), owned by the study
    Expression expression; // of the parameters' values and, after them, the quantities'; steps owned by the study
} Quantity;

#define STUDY_BINS_MAX 10000u
#define STUDY_QUANTILES_MAX 64

#define STUDY_FIT_PARAMETERS_MAX 8

typedef struct StudyReference { // measured values of a quantity: a sample, or shares over the levels of a parameter
    uint32_t quantity;
    size_t count;
    double *values;         // (count), owned by the study
    double *levels, *sizes; // (count), owned: values of `over`, trials at each; NULL: a sample
    uint32_t over, by_count;
    uint32_t by[STUDY_FIT_PARAMETERS_MAX]; // (by_count): parameters that are searched over
} StudyReference;

#define STUDY_STOP_QUANTITIES_MAX 16
#define STUDY_STOP_LEAST 1000 // scenes, by default: fewer give no interval to rely on

typedef struct StudyStop {                          // when the run has scenes enough
    uint32_t count;                                 // 0: it runs all of them
    uint64_t least;                                 // scenes
    uint32_t quantities[STUDY_STOP_QUANTITIES_MAX]; // (count)
    double widths[STUDY_STOP_QUANTITIES_MAX];       // (count): of intervals, at most
} StudyStop;

typedef struct StudyStatistics {
    uint32_t is_wanted, bins, quantile_count, reference_count;
    StudyReference *references; // (reference_count)
    double confidence;
    double quantiles[STUDY_QUANTILES_MAX]; // (quantile_count): probabilities, ascending
    StudyStop stop;
} StudyStatistics;

typedef struct StudyMesh {                                    // what a mesh of the study holds, and what it takes
    char *path;                                               // of its file
    uint32_t file_points, vertices, triangles;                // points of the file; of the surface, welded
    uint32_t hulls, vertices_least, vertices_most, hull_rows; // hulls, vertices of the smallest and the largest, rows
    uint32_t components, is_closed, bodies;                   // bodies: how many have it
    uint32_t shape;                                           // the first that is one of its hulls
    double size_m;                                            // longest side, at scale 1
    SolidMoments solid;                                       // what its mass comes from, at scale 1
} StudyMesh;

typedef struct InputFile { // a file the study was read from
    char *path;
    char *text;
    size_t text_bytes;
} InputFile;

typedef struct StudyPlace { // of something in the study file
    char *text;             // "file:line:column: key path: "
    ClackPlace parts;       // of it
} StudyPlace;

typedef struct Study {
    char *title;            // `title:` of the study, or the file's name
    SceneDescription scene; // template: constants filled in, bound numbers to be overwritten
    uint32_t parameter_count, binding_count, quantity_count, watch_count, input_count, override_count;
    Parameter *parameters; // (parameter_count), variables first, then numbers in place, by order in the file
    Binding *bindings;     // (binding_count)
    uint32_t derivation_count, check_count, presence_count;
    Derivation *derivations; // (derivation_count), each after those it needs
    NumberCheck *checks;     // (check_count)
    Presence *presences;     // (presence_count): a body is absent where one of its rows says so
    Quantity *quantities;    // (quantity_count)
    Watch *watches;          // (watch_count)
    InputFile *inputs;       // (input_count): the study file first, then palettes, table, points of hulls
    char **overrides;        // (override_count): "path=value" as they were given
    Design design;
    uint64_t scenes_before;    // of the design with the study's own number of samples, where others are asked for; or 0
    double trajectory_every_s; // 0: no trajectory
    uint64_t trajectory_scenes; // of the first how many scenes (0 with trajectory_every_s = 0)
    double contacts_every_s;    // 0: no recorded contacts
    uint64_t contact_scenes;    // of the first how many scenes (0 with contacts_every_s = 0)
    uint32_t record_events;     // event table in the ensemble file
    StudyStatistics statistics; // of all scenes, in the ensemble file
    StudyPlace *body_places;    // (scene.body_count)
    uint32_t mesh_count;
    StudyMesh *meshes; // (mesh_count)
} Study;

#ifdef __cplusplus
}
#endif
#endif
