// The explicit methods of the schemes (model/scheme_policy.h): their tableaux.
#ifndef CLACK_INTEGRATE_SCHEME_H
#define CLACK_INTEGRATE_SCHEME_H

#include "model/scheme_policy.h"
#include "model/workspace.h"

// An explicit Runge-Kutta method: row i gives the state of stage i from the rates of the ones before;
// the last row is the result. `ERROR` is the difference of the embedded lower order.
#define TABLEAU_COLUMNS 6
// Tsitouras, Comput. Math. Appl. 62 (2011) 770, table 1: 5(4), first same as last.
CONSTANT real TSIT5[STAGES][TABLEAU_COLUMNS] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.161, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-0.008480655492356989, 0.335480655492357, 0.0, 0.0, 0.0, 0.0},
    {2.8971530571054935, -6.359448489975075, 4.3622954328695815, 0.0, 0.0, 0.0},
    {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525, 0.0, 0.0},
    {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383, 0.0},
    {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774}};
CONSTANT real TSIT5_ERROR[STAGES] = {-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995,
                                     -0.1447110071732629,     0.5823571654525552,     -0.45808210592918697,
                                     0.015151515151515152};
// The classical method; stages 4 and 5 do not exist: row 6 is its result.
CONSTANT real RK4[STAGES][TABLEAU_COLUMNS] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.5, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.5, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.0, 1.0, 0.0, 0.0, 0.0},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.16666666666666666, 0.3333333333333333, 0.3333333333333333, 0.16666666666666666, 0.0, 0.0}};
#define RK4_STAGES 4u

/// Row of the tableau of a scheme.
FN_SHORT CONSTANT_POINTER const real *scheme_row(u32 is_adaptive, u32 stage) {
    return is_adaptive ? TSIT5[stage] : RK4[stage];
}
/// Has a scheme this stage? RK4 has stages 0 to 3 and, as every scheme, the last one, which is the end of the step.
FN_SHORT u32 scheme_has_stage(u32 is_adaptive, u32 stage) {
    return is_adaptive || stage < RK4_STAGES || stage == STAGES - 1 ? 1u : 0u;
}
/// Share of a step after which a stage is evaluated.
FN_SHORT real scheme_node(u32 is_adaptive, u32 stage) {
    real node = 0.0;
    for (u32 j = 0; j < stage && j < TABLEAU_COLUMNS; j++) node += scheme_row(is_adaptive, stage)[j];
    return node;
}
/// Weight of a stage's rates in the result, and so of its forces in what a contact hands over in a step. The last
/// stage, at the end of the step, has none.
FN_SHORT real scheme_weight(u32 is_adaptive, u32 stage) {
    return stage < STAGES - 1 ? scheme_row(is_adaptive, STAGES - 1)[stage] : 0.0;
}
/// Row of the embedded error of the adaptive scheme.
FN_SHORT CONSTANT_POINTER const real *scheme_error_row(void) { return TSIT5_ERROR; }
/// Evaluations of a step, without that of its start.
FN_SHORT u32 scheme_evaluations(u32 is_adaptive) { return is_adaptive ? STAGES - 1 : RK4_STAGES; }

#endif
