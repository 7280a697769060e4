/* The stepper for a host that integrates FMUs: an ODE of which nothing is known beforehand but its
 * rates, Jacobian and indicators. Included behind these (solver/names.h); no FMU contains it. */
#include <math.h>

enum { BY_INPUTS = 0 };

/* A motion that grows by itself is left to the estimate of its error. */
static double shortest_growing(const Motion *motion) {
    (void)motion;
    return INFINITY;
}

static double time_of_reversal(const Motion *motion) {
    (void)motion;
    return -1;
}

static int keeps_contact(const Motion *motion, double t, double end) {
    (void)motion;
    (void)t;
    (void)end;
    return 1;
}

#include "solver/rosenbrock.c"

static double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    return rosenbrock_step(motion, from, h, x1);
}

#include "solver/looks.c"

#include "solver/events.c"
