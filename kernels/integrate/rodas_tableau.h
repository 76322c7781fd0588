// Coefficients of Rodas4 (rodas.h). Source: Hairer, Wanner, Solving Ordinary Differential Equations II, ch. IV (RODAS).
#ifndef CLACK_INTEGRATE_RODAS_TABLEAU_H
#define CLACK_INTEGRATE_RODAS_TABLEAU_H

#include "base/portable.h"

#define RODAS_STAGES 6
#define RODAS_GAMMA 0.25
// Hairer and Wanner, Solving ODEs II, RODAS: order 4 with an embedded 3, L-stable, stiffly accurate. (1/(gamma h) - J)
// U_i = f(y + sum a_ij U_j) + 1/h sum c_ij U_j. Row i of RODAS_A gives the point of stage i from the U before it; row
// RODAS_STAGES the result. U_6 is the embedded error.
CONSTANT real RODAS_A[RODAS_STAGES + 1][RODAS_STAGES] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {1.544, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0, 0.0},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0, 0.0},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 0.0, 0.0},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0, 0.0},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0, 1.0}};
CONSTANT real RODAS_C[RODAS_STAGES][RODAS_STAGES] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-5.6688, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0, 0.0},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0, 0.0},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616, 0.0, 0.0},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054, 0.0}};
// Quadrature of g along the step: h sum w_i (g(Y_i) + dg/dy U_i), as for one more state. w = (1/gamma - C^T)^-1 m with
// m the last row of RODAS_A.
CONSTANT real RODAS_W[RODAS_STAGES] = {0.34844427128605153, 0.2130136219118987,   -0.15410253266231846,
                                       0.4713207793914958,  -0.12867613992712837, 0.25};

// Where something is given over time: times of the points of rows of RODAS_A, shares of the step; weights of the time's
// derivative in each stage, h times these is to be added; and sum w_i of that for the quadrature. Sums of RODAS_A, of 1
// and of RODAS_W with (1/gamma - C)^-1.
CONSTANT real RODAS_NODES[RODAS_STAGES + 1] = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0, 1.0};
CONSTANT real RODAS_TIMES[RODAS_STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0};
#define RODAS_TIME_MEAN 0.03188232271157982

#endif
