/* The coefficients of RODAS (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.7),
 * in the form that needs no product with the Jacobian: k_s solves (1/(gamma h) - J) k_s = f(t +
 * time_s h, x + sum of a_sj k_j) + sum of c_sj k_j/h + time_slope_s h df/dt. The last k is the
 * error of the step, x plus the last row of a and it the end. RODAS_AT_START counts the stages with
 * the f of the start. */
#ifndef BRISTLE_RODAS_H
#define BRISTLE_RODAS_H

enum { RODAS_STAGES = 6, RODAS_AT_START = 1 };

static const double rodas_gamma = 0.25;
static const double rodas_time[RODAS_STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double rodas_time_slope[RODAS_STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double rodas_a[RODAS_STAGES][RODAS_STAGES - 1] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double rodas_c[RODAS_STAGES][RODAS_STAGES - 1] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054},
};

#endif
