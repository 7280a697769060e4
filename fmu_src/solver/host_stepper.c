/* The stepper for a host that integrates FMUs: an ODE of which only rates, Jacobian and indicators
 * are known. Included behind these (solver/names.h); no FMU contains it. */
#include <math.h>

enum { BY_INPUTS = 0 };
#define LAW_STATES N_STATES /* all of them, no body */

/* No limit: the error estimate is enough for unstable motions. */
static double shortest_growing(const Motion *motion) {
    (void)motion;
    return INFINITY;
}

static double time_of_reversal(const Motion *motion) {
    (void)motion;
    return -1;
}

static int stays_in_contact(const Motion *motion, double t, double end) {
    (void)motion;
    (void)t;
    (void)end;
    return 1;
}

#include "solver/rosenbrock.c"

static double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    return rosenbrock_step(motion, from, h, x1);
}

#include "solver/probes.c"

#include "solver/event_search.c"
