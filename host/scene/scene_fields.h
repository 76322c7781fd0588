// What an ensemble file tells of each scene beside its parameters and quantities, as a table; and the names that
// quantities cannot have therefore.
#ifndef CLACK_SCENE_FIELDS_H
#define CLACK_SCENE_FIELDS_H

#ifdef __cplusplus
extern "C" {
#endif

// FIELD(name, type, unit, sentence, value by `progress` (Progress) and `scene` (Scene of the kernels))
#define SCENE_FIELD_LIST(FIELD)                                                                                        \
    FIELD(status, U8, "1", "How the scene ended; 0 is ok.", progress->status)                                          \
    FIELD(flags, U32, "1", "What to know about the scene, a bit mask.", progress->flags)                               \
    FIELD(n_bodies, I32, "1", "Number of bodies; 0 for a scene that was not run.",                                     \
          scene->body_count - scene->absent_count)                                                                     \
    FIELD(status_time, F64, "s", "Time reached: the end, or the last good state.",                                     \
          progress->step_index * scene->step_s + progress->offset_s)                                                   \
    FIELD(steps, I32, "1", "Outer steps done.", progress->step_index)                                                  \
    FIELD(substeps, I32, "1", "Accepted substeps, in flight and in contact.", progress->substeps)                      \
    FIELD(rejects, I32, "1", "Rejected substeps during contact.", progress->rejects)                                   \
    FIELD(loose_steps, I32, "1", "Substeps that were taken with the contact geometry of their start.",                 \
          progress->loose_steps)                                                                                       \
    FIELD(evaluations, U32, "1", "Evaluations of the forces of contacts stepped together.", progress->evaluations)     \
    FIELD(n_events, I32, "1", "Events of the scene: contacts begun and ended, rest, wake.", progress->event_total)     \
    FIELD(contacts_max, I32, "1", "Largest number of contacts at the same time.", progress->contacts_max)              \
    FIELD(energy_drift, F64, "1", "Energy gained or lost without a cause, relative to the scene's largest energy.",    \
          progress->energy_drift)                                                                                      \
    FIELD(momentum_drift, F64, "1", "Momentum gained or lost without a cause, relative to the scene's largest.",       \
          progress->momentum_drift)                                                                                    \
    FIELD(dissipated_energy, F64, "J", "Work that contacts turned into heat.", progress->dissipated_J)                 \
    FIELD(given_work, F64, "J", "Work that forces, motions of bodies and of joints over time have done.",              \
          progress->given_J)                                                                                           \
    FIELD(assembly_shift, F64, "m", "How far bodies were moved at most before the start, so that joints hold.",        \
          scene->assembled_m)                                                                                          \
    FIELD(assembly_misfit, F64, "m", "By how much a joint was off at most even then, and holds from then on.",         \
          scene->misfit_m)                                                                                             \
    FIELD(max_penetration, F64, "m", "Deepest penetration of any contact with force.", progress->max_penetration_m)    \
    FIELD(error_sum, F64, "m/s", "Sum of the velocity errors estimated by the substeps.", progress->error_sum_m_per_s)

/// Whether the root of every ensemble file has something of this name, or may have in a later version
/// of the format, so that no quantity may.
int scene_name_is_taken(const char *name);
/// Whether an axis of the root has this name, so that no sampled variable may: readers of the whole file take the
/// root's axis for what has its name in a group.
int scene_name_is_axis(const char *name);

#ifdef __cplusplus
}
#endif
#endif
