/* The coefficients of RODAS3 (Sandu et al., Benchmarking stiff ODE solvers for atmospheric
 * chemistry problems II, 1997) in the form of rodas.h: order 3(2), L-stable, stiffly accurate, two
 * new evaluations of the law. */
enum { RODAS_STAGES = 4, RODAS_AT_START = 2 };

static const double rodas_gamma = 0.5;
static const double rodas_time[RODAS_STAGES] = {0, 0, 1, 1};
static const double rodas_time_slope[RODAS_STAGES] = {0.5, 1.5, 0, 0};
static const double rodas_a[RODAS_STAGES][RODAS_STAGES - 1] = {{0}, {0}, {2}, {2, 0, 1}};
static const double rodas_c[RODAS_STAGES][RODAS_STAGES - 1] = {
    {0}, {4}, {1, -1}, {1, -1, -8.0 / 3}};
