/* Memory of an instance, and allocations, locks and formatting in an evaluation. */
#include <stdio.h>

#include "counters.h"
#include "measurements.h"

static void print_instance(const Case *subject, fmi2Type kind) {
    const Allocations before = allocations;
    fmi2Component c =
        fmu_start(&subject->fmu, subject->model, kind, subject->parameters, subject->p);
    expect_ok(subject->fmu.exit_initialization_mode(c), "fmi2ExitInitializationMode");
    printf("\t%ld\t%zu", allocations.calls - before.calls, allocations.bytes - before.bytes);
    subject->fmu.free_instance(c);
}

static void print_difference(Counters before) {
    const Counters now = counters();
    printf("\t%ld\t%ld\t%ld", now.allocations - before.allocations, now.locks - before.locks,
           now.formats - before.formats);
}

/* Checks that the counters count: an instance allocates, a refused call formats a message. */
static void check_counters(const Case *subject) {
    const fmi2ValueReference nowhere = ~0u;
    const Counters before = counters();
    double value;
    show_messages = 0;
    fmi2Component c = fmu_start(&subject->fmu, subject->model, fmi2ModelExchange,
                                subject->parameters, subject->p);
    subject->fmu.get_real(c, &nowhere, 1, &value);
    subject->fmu.free_instance(c);
    show_messages = 1;
    if (counters().allocations == before.allocations || counters().formats == before.formats)
        fail("The counters do not see what %s does.", subject->label);
}

void print_memory(const Case *subject) {
    const Motion *motion = &motions[0];
    double t;
    check_counters(subject);
    printf("%s", subject->label);
    print_instance(subject, fmi2ModelExchange);
    print_instance(subject, fmi2CoSimulation);

    Cycle *cycle = new_cycle(subject, motion);
    Counters before = counters();
    run_fmu_cycle(cycle);
    print_difference(before);

    fmi2Component c = warmed_up(subject, motion, &t);
    const Drive drive = new_drive(subject->model, motion, t, 1);
    before = counters();
    for (int i = 0; i < POINTS; i++) {
        const int first = i * subject->model->n_inputs;
        fmu_step(subject, c, t + i * STEP, drive.u + first, i % 2 ? drive.u_rate + first : NULL);
    }
    print_difference(before);
    printf("\n");
}
