// Scenes -> flat arrays and offsets, as kernels read them. No OpenCL.
#ifndef CLACK_STAGE_H
#define CLACK_STAGE_H

#include "scene.h"
#include "model/scene_types.h"
#include "status.h"
#include "study_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rows of each list that a slot has at first; doubled for scenes that need more.
typedef struct Capacities {
    uint32_t candidates, contacts, events;
    uint32_t rows; // of recorded contacts, where they are recorded
    // Of contact regions, 0 in scenes without meshes: of a pair; segments of their contours and vertices within the
    // other solid, both powers of 2.
    uint32_t regions, segments, vertices;
} Capacities;

typedef struct Batch { // scenes staged together; arrays owned
    uint32_t scene_count;
    size_t body_count;             // sum over scenes
    size_t shape_count, law_count; // rows: scenes that have the same share them
    size_t joint_count;            // sum over scenes, those of bodies that are absent counted in
    size_t function_count;
    size_t frame_state_count; // BodyStates of all frames
    SlotRoom room;            // the most that one of the scenes wants
    uint32_t watch_count;
    size_t hull_row_count;               // of all hulls of the study
    uint64_t *scene_numbers;             // (scene_count): index within the study
    Scene *scenes;                       // (scene_count)
    Body *bodies;                        // (body_count)
    BodyState *states;                   // (body_count): initial, principal frames
    Shape *shapes;                       // (shape_count)
    MaterialPairLaw *laws;               // (law_count)
    Joint *joints;                       // (joint_count)
    FunctionRow *functions;              // (function_count)
    Watch *watches;                      // (watch_count)
    HullRow *hull_rows;                  // (hull_row_count)
    int has_layers;                      // contacts are those of quasi-rigid bodies
    RegionLaw *region_laws;              // (law_count) where they are or are regions of surfaces, else NULL; and:
    const SceneDescription *surfaces_of; // the study's scene, from which the meshes of all shapes come; else NULL
} Batch;

/// Room a scene of the study gets at first.
Capacities stage_capacities(const SceneDescription *scene);

/// Does a scene's scheme step contact regions of surfaces, and may two of its bodies touch?
int stage_has_regions(const SceneDescription *scene);
/// Are two bodies joined by a constraint, so that they do not touch?
int stage_are_tied(const SceneDescription *scene, uint32_t body_a, uint32_t body_b);

/// Scene.flags, but for those of what is watched.
uint32_t stage_flags(const SceneDescription *scene);
/// Scene.flags of what is watched.
uint32_t stage_watch_flags(const Study *study);

/// Numbers that the matrices of a scene's islands take; 0 for scenes that never step implicitly.
size_t stage_matrix_room(const SceneDescription *scene);

/// Where the rows of scenes lie: arrays, offsets and room, without what is in the rows. `numbers` and `capacities` have
/// one entry per scene; a scene whose number is below `study->trajectory_scenes` gets room for its frames, one below
/// `study->contact_scenes` for rows of contacts. Errors: CLACK_MEMORY.
ClackStatus stage_lay_out(const Study *study, const SceneDescription *scenes, const uint64_t *numbers,
                          const Capacities *capacities, uint32_t scene_count, Batch *out_batch, ClackReport *report);
/// The rows of scenes first..last-1, none of which others have. Errors: CLACK_STUDY (a sampled scene is impossible:
/// which scene, body, value).
ClackStatus stage_fill(const SceneDescription *scenes, Batch *batch, uint32_t first, uint32_t last,
                       ClackReport *report);
/// A row that has been laid out becomes that of a scene in which nothing happens and nothing is recorded.
void stage_leave_out(Scene *scene);
/// Scenes that have the same shapes or laws share them from now on.
void stage_share(Batch *batch);
/// All three of them.
ClackStatus stage_pack(const Study *study, const SceneDescription *scenes, const uint64_t *numbers,
                       const Capacities *capacities, uint32_t scene_count, Batch *out_batch, ClackReport *report);
void stage_free(Batch *batch);

/// Whether all scenes of a study certainly share their shapes, or their laws: nothing is drawn that these depend on.
int stage_shares_shapes(const Study *study);
int stage_shares_laws(const Study *study);

/// Does the attitude of a body count, of whatever shape it is: has it a joint, or an axis of friction?
int stage_keeps_frame(const SceneDescription *scene, uint32_t body);

typedef ClackBodyState UserState; // of a body, in the user's frame

// The frame that kernels give a body, in the user's body frame.
typedef struct StageFrame {
    Vec3 com_m; // its origin, the centre of mass
    Quat turn;  // principal axes to body axes
} StageFrame;

/// Errors: CLACK_STUDY (the body has no mass), CLACK_MEMORY.
ClackStatus stage_frame(const SceneDescription *scene, uint32_t body, StageFrame *out_frame, ClackReport *report);

/// Do axes, points and length of a joint suit its kind? Else 0, and `out_why` says what was expected and found.
int stage_joint_is_right(const SceneJoint *joint, char *out_why, size_t bytes);
/// Does the motion that is given of a joint begin where the joint does? Else 0, as above.
int stage_motion_is_right(const SceneDescription *scene, const SceneJoint *joint, char *out_why, size_t bytes);
/// Does the motion of a fixed body begin where the body is, about an axis? Else 0, as above.
int stage_body_motion_is_right(const SceneDescription *scene, const SceneBody *body, char *out_why, size_t bytes);
/// The same of all joints and motions of a scene. Errors: CLACK_STUDY, with the joint's name.
ClackStatus stage_check_joints(const SceneDescription *scene, ClackReport *report);
/// The kernels' state of a body from the user's: its position, rotation and velocities. flags: BODY_*.
BodyState stage_state(const StageFrame *frame, uint32_t flags, const SceneBody *body);
/// The other way: from the principal frame at the centre of mass to the user's body frame.
UserState stage_user_state(const Body *body, const BodyState *state);

/// Frames that a scene of `end_s` records at interval `every_s`, the one at t = 0 included.
uint32_t stage_frame_count(double end_s, double every_s);

#ifdef __cplusplus
}
#endif
#endif
