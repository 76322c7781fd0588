// What `advance` keeps of a scene between and within steps. On the device only, but sized by the host.
#ifndef CLACK_WORKSPACE_H
#define CLACK_WORKSPACE_H

#include "vec3.h"

#define STAGES 7 // of the Runge-Kutta tableau with the most stages (Tsit5, first same as last)

// Rate of change of a BodyState.
typedef struct BodyRate {
    Vec3 velocity;
    Quat turning; // d(orientation)/dt
    Vec3 acceleration;
    Vec3 spin_rate;
} BodyRate;
ASSERT_SIZE(BodyRate, 104);

// Where free flight began: the closed form is evaluated from here, so that errors do not add up.
typedef struct FlightStart {
    Vec3 position_m;
    Vec3 velocity_m_per_s;
    real offset_s;
    u32 step_index;
    u32 reserved;
} FlightStart;
ASSERT_SIZE(FlightStart, 64);

typedef struct BodyWork { // (n_body)
    BodyState trial;         // state at the end of the trial step, or of a stage
    BodyRate rates[STAGES];
    FlightStart flight;
    Vec3 force_N;            // sums over the contacts of the present evaluation
    Vec3 torque_N_m;         // about the centre of mass, world axes
    real travel_m;           // bound of the path of any of its points since the candidates were listed
    real rest_s;             // how long it has been at rest
    u32 mode;                // BODY_FLYING, BODY_TOUCHING, BODY_FROZEN, BODY_STATIC
    u32 island;              // smallest body number of those tied to it by contacts
    u32 contact_begins;      // events of this body so far
    u32 contact_ends;
} BodyWork;
ASSERT_SIZE(BodyWork, 976);

typedef struct Candidate { // (n_candidate): a contact that could form before the list is made anew
    real gap_m[3];    // signed distance at the three times a step keeps: see SLOT_*
    real rate_m_per_s[3];
    u32 shape_a, shape_b, feature;
    u32 contact;      // index of the active contact; NONE
} Candidate;
ASSERT_SIZE(Candidate, 64);

typedef struct Contact { // (n_contact): an active contact
    real stiffness;          // K of f = K delta^1.5, N/m^1.5
    real damping_s_per_m;    // d, fixed at the beginning of the contact
    real radius_m;           // effective radius of the pair
    real approach_speed_m_per_s;
    Vec3 impulse_N_s;        // on B, since the beginning
    real loss_J;             // since the beginning
    Vec3 step_impulse_N_s;   // of the trial step
    real step_loss_J;
    Vec3 force_N;            // on B: of the present evaluation
    Vec3 torque_a_N_m;       // about each body's centre of mass
    Vec3 torque_b_N_m;
    real penetration_m;      // of the present evaluation
    real closing_m_per_s;
    real slip_m_per_s;
    real normal_N;
    real loss_W;
    real start_penetration_m; // at the start of the trial step
    real start_closing_m_per_s;
    real inverse_mass_normal;     // 1/kg, effective along the normal
    real inverse_mass_tangential; // 1/kg
    u32 shape_a, shape_b, feature;
    u32 law;
    u32 body_a, body_b;
    u32 asleep;              // no body of it moves
    u32 reserved;
} Contact;
ASSERT_SIZE(Contact, 272);

#endif
