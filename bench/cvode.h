/* SUNDIALS CVODE as a co-simulation without history, made anew at each communication point, as an importer of the bare
 * equations would do it: the inputs jump there. */
#ifndef BENCH_CVODE_H
#define BENCH_CVODE_H

#include "bare.h"

typedef struct Cvode Cvode;

/* adams: the method for equations that are not stiff, instead of BDF; both use Newton's iteration with the exact Jacobian. */
Cvode *cvode_new(const BareModel *model, const double *p, int adams, double tolerance);
void cvode_free(Cvode *solver);

/* Takes x over a step of length h under inputs that start at u and move with the given rates, in constant modes;
 * returns 0 if it fails. */
int cvode_step(Cvode *solver, const double *u, const double *u_rate, const int *m, double h, double *x);

#endif
