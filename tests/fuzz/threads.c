/* 16 threads at once, each with instances of several FMUs in both kinds, which must not affect each
 * other. Each thread makes the runs of its own number; a second round alone has to give the same
 * numbers, bit for bit. ThreadSanitizer looks for races. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

enum { THREADS = 16, STEPS = 40, REALS_AT_MOST = 256 };

static void take_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                         fmi2String category, fmi2String text, ...) {
    (void)environment, (void)name, (void)status, (void)category, (void)text;
}

static const fmi2CallbackFunctions callbacks = {take_message, calloc, free, NULL, NULL};

static void demand(int met, const Element *e, const char *what) {
    if (met) return;
    fprintf(stderr, "%s: %s\n", e->name, what);
    exit(1);
}

/* Mixes all Reals of an instance into a number. */
static double mixed(const Element *e, fmi2Component c, double before) {
    fmi2ValueReference references[REALS_AT_MOST];
    double values[REALS_AT_MOST];
    demand(e->reals <= REALS_AT_MOST, e, "has more variables than expected");
    for (unsigned i = 0; i < e->reals; i++) references[i] = i;
    demand(e->fmi2GetReal(c, references, e->reals, values) == fmi2OK, e, "fmi2GetReal was refused");
    for (unsigned i = 0; i < e->reals; i++) before = fma(before, 0.75, values[i]);
    return before;
}

static fmi2Component begin(const Element *e, fmi2Type kind) {
    fmi2EventInfo info;
    fmi2Component c =
        e->fmi2Instantiate("thread", kind, e->guid, "", &callbacks, fmi2False, fmi2True);
    demand(c != NULL, e, "cannot be instantiated");
    demand(e->fmi2EnterInitializationMode(c) == fmi2OK &&
               e->fmi2ExitInitializationMode(c) == fmi2OK,
           e, "does not start");
    if (kind == fmi2ModelExchange)
        demand(e->fmi2NewDiscreteStates(c, &info) == fmi2OK &&
                   e->fmi2EnterContinuousTimeMode(c) == fmi2OK,
               e, "does not start");
    return c;
}

/* Sets inputs around their start values, others for each thread and step. */
static void move(const Element *e, fmi2Component c, int number, int step) {
    for (unsigned i = 0; i < e->inputs; i++) {
        const fmi2ValueReference v = e->first_input + i;
        const double value = (i == 0 ? 9.81 : 0.01) * (1 + 0.9 * sin(0.7 * step + number + i));
        demand(e->fmi2SetReal(c, &v, 1, &value) == fmi2OK, e, "fmi2SetReal was refused");
    }
}

static double run(const Element *e, int number) {
    fmi2Component cs = begin(e, fmi2CoSimulation), me = begin(e, fmi2ModelExchange);
    fmi2FMUstate state = NULL;
    fmi2EventInfo info;
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        move(e, cs, number, i);
        move(e, me, number, i);
        demand(e->fmi2GetFMUstate(cs, &state) == fmi2OK, e, "fmi2GetFMUstate was refused");
        for (int again = 0; again < 2; again++) {
            demand(e->fmi2SetFMUstate(cs, state) == fmi2OK, e, "fmi2SetFMUstate was refused");
            demand(e->fmi2DoStep(cs, i * 1e-3, 1e-3, fmi2False) == fmi2OK, e,
                   "fmi2DoStep was refused");
        }
        demand(e->fmi2SetTime(me, i * 1e-3) == fmi2OK && e->fmi2EnterEventMode(me) == fmi2OK &&
                   e->fmi2NewDiscreteStates(me, &info) == fmi2OK &&
                   e->fmi2EnterContinuousTimeMode(me) == fmi2OK,
               e, "an event was refused");
        sum = mixed(e, me, mixed(e, cs, sum));
    }
    e->fmi2FreeFMUstate(cs, &state);
    e->fmi2FreeInstance(cs);
    e->fmi2FreeInstance(me);
    return sum;
}

static double *results; /* one row per thread */

static void *work(void *argument) {
    const int number = (int)(size_t)argument;
    for (unsigned k = 0; k < element_count; k++) {
        /* so that several FMUs run at a time */
        const unsigned which = (k + (unsigned)number) % element_count;
        results[(unsigned)number * element_count + which] = run(&elements[which], number);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    results = (double *)calloc(THREADS * element_count, sizeof *results);
    for (size_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        for (unsigned k = 0; k < element_count; k++) {
            const double alone = run(&elements[k], i);
            demand(memcmp(&alone, &results[(unsigned)i * element_count + k], sizeof alone) == 0,
                   &elements[k], "gives other numbers alone than beside others");
        }
    free(results);
    printf("%d threads, %u FMUs, %d steps each\n", THREADS, element_count, STEPS);
    return 0;
}
