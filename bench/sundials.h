/* SUNDIALS as a co-simulation without history, restarted at each communication point because the
 * inputs jump there, as an importer of the bare equations would do it. All methods use Newton's
 * iteration with the exact Jacobian. */
#ifndef BENCH_SUNDIALS_H
#define BENCH_SUNDIALS_H

#include "bare.h"

typedef enum {
    CVODE_BDF,   /* multistep, stiff */
    CVODE_ADAMS, /* multistep, not stiff */
    ARKODE_DIRK, /* one step, diagonally implicit, of order 4: nothing is lost by a restart */
    METHODS
} Method;

typedef struct Sundials Sundials;

Sundials *sundials_new(const BareModel *model, const double *p, Method method, double tolerance);
void sundials_free(Sundials *solver);

/* Takes x over a step of length h under inputs that start at u and move with the given rates, in
 * constant modes; returns 0 if it fails. */
int sundials_step(Sundials *solver, const double *u, const double *u_rate, const int *m, double h,
                  double *x);

#endif
