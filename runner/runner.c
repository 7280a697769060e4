/* Takes records through an FMU. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INPUT_ROOM = 64 }; /* at most */

int runner_version(void) {
    return RUNNER_VERSION;
}

/* Keeps the first message about a call that was refused; later ones follow from it. */
static void keep_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                         fmi2String category, fmi2String message, ...) {
    Record *record = environment;
    (void)name;
    (void)category;
    if (status <= fmi2Warning || record->message[0] != '\0') return;
    strncpy(record->message, message, MESSAGE_BYTES - 1);
}

static int fails(fmi2Status status) {
    return status > fmi2Warning;
}

/* Sets what is set once. */
static int set_fixed(const Record *record, fmi2Component component) {
    const Fmu *fmu = record->fmu;
    return fails(fmu->set_real(component, record->reals.references, record->reals.count,
                               record->real_values)) ||
           fails(fmu->set_integer(component, record->integers.references, record->integers.count,
                                  record->integer_values));
}

static const double *signals_at(const Record *record, size_t sample) {
    return record->signal_values + sample * record->signals.count;
}

static int set_signals(const Record *record, fmi2Component component, size_t sample) {
    return fails(record->fmu->set_real(component, record->signals.references, record->signals.count,
                                       signals_at(record, sample)));
}

static int get_results(const Record *record, fmi2Component component, size_t sample) {
    const Fmu *fmu = record->fmu;
    const Variables *outputs = &record->outputs, *modes = &record->modes;
    return fails(fmu->get_real(component, outputs->references, outputs->count,
                               record->output_values + sample * outputs->count)) ||
           (modes->count > 0 &&
            fails(fmu->get_integer(component, modes->references, modes->count,
                                   record->mode_values + sample * modes->count)));
}

/* From a new or reset instance to the start of the run, under the inputs of a sample. */
static int start(const Record *record, fmi2Component component, size_t sample) {
    const Fmu *fmu = record->fmu;
    return set_fixed(record, component) || set_signals(record, component, sample) ||
           fails(fmu->setup_experiment(component, record->tolerance > 0, record->tolerance,
                                       record->times[sample], fmi2False, 0)) ||
           fails(fmu->enter_initialization(component));
}

/* The inputs move from where they are to the next sample. */
static int move_signals(const Record *record, fmi2Component component, const double *from,
                        size_t sample, double length, double *rates) {
    const double *to = signals_at(record, sample + 1);
    fmi2Integer orders[INPUT_ROOM];
    for (size_t i = 0; i < record->signals.count; i++) {
        orders[i] = 1;
        rates[i] = (to[i] - from[i]) / length;
    }
    return fails(record->fmu->set_input_derivatives(component, record->signals.references,
                                                    record->signals.count, orders, rates));
}

static int give_up(Record *record, const char *why) {
    if (record->message[0] == '\0') strncpy(record->message, why, MESSAGE_BYTES - 1);
    return 1;
}

/* Reading the clock of a process is a system call, which costs more than a sample: it is read every
 * 64 samples. */
static int out_of_time(const Record *record, clock_t begin) {
    return record->seconds > 0 && record->done % 64 == 0 &&
           (double)(clock() - begin) > record->seconds * (double)CLOCKS_PER_SEC;
}

/* Inputs that move are not set anew at each sample, since they have come there by themselves, to
 * rounding; `inputs` is where the FMU has them, so that what is rounded off does not add up. */
static int simulate(Record *record, fmi2Component component) {
    const Fmu *fmu = record->fmu;
    const size_t count = record->signals.count;
    const clock_t begin = record->seconds > 0 ? clock() : 0;
    double rates[INPUT_ROOM], inputs[INPUT_ROOM];
    if (count > INPUT_ROOM) return give_up(record, "The FMU has too many inputs.");
    if (start(record, component, 0) || fails(fmu->exit_initialization(component))) return 1;
    memcpy(inputs, signals_at(record, 0), count * sizeof *inputs);
    for (;;) {
        const size_t sample = record->done;
        if (get_results(record, component, sample)) return 1;
        record->done = sample + 1;
        if (record->done == record->n_samples) return 0;
        if (out_of_time(record, begin)) return give_up(record, "The run takes too long.");
        const double length = record->times[sample + 1] - record->times[sample];
        const int moves = record->linear && length > 0; /* two samples at one time are a jump */
        if (moves && move_signals(record, component, inputs, sample, length, rates)) return 1;
        if (length > 0 && fails(fmu->do_step(component, record->times[sample], length, fmi2True)))
            return 1;
        if (moves) {
            for (size_t i = 0; i < count; i++) inputs[i] += length * rates[i];
        } else {
            if (set_signals(record, component, sample + 1)) return 1;
            memcpy(inputs, signals_at(record, sample + 1), count * sizeof *inputs);
        }
    }
}

/* Slopes of some variables along each of the knowns, in columns that are so far apart. */
static int slopes_along(const Record *record, fmi2Component component, const Variables *knowns,
                        const fmi2ValueReference *unknowns, size_t rows, size_t apart,
                        double *table) {
    const double one = 1;
    for (size_t i = 0; i < knowns->count; i++)
        if (fails(record->fmu->directional_derivative(
                component, unknowns, rows, &knowns->references[i], 1, &one, table + i * apart)))
            return 1;
    return 0;
}

#include "sensitivities.c"

static int evaluate(Record *record, fmi2Component component) {
    const Fmu *fmu = record->fmu;
    const Variables *outputs = &record->outputs, *knowns = &record->knowns;
    for (; record->done < record->n_samples; record->done++) {
        const size_t sample = record->done;
        if (start(record, component, sample) ||
            slopes_along(record, component, knowns, outputs->references, outputs->count,
                         outputs->count,
                         record->slopes + sample * knowns->count * outputs->count) ||
            fails(fmu->exit_initialization(component)) || get_results(record, component, sample) ||
            fails(fmu->reset(component)))
            return 1;
    }
    return 0;
}

typedef int Runs(Record *record, fmi2Component component);

static int in_an_instance(Record *record, fmi2Type kind, Runs *runs) {
    const fmi2CallbackFunctions callbacks = {keep_message, calloc, free, NULL, record};
    record->done = 0;
    memset(record->message, 0, sizeof record->message);
    fmi2Component component =
        record->fmu->instantiate("run", kind, record->guid, "", &callbacks, fmi2False, fmi2False);
    if (!component) return give_up(record, "The FMU cannot be instantiated.");
    const int failed = runs(record, component);
    record->fmu->free_instance(component);
    return failed ? give_up(record, "The FMU refused a call and gave no reason.") : 0;
}

int runner_simulate(Record *record) {
    return in_an_instance(record, fmi2CoSimulation, simulate);
}

int runner_sensitivities(Record *record) {
    return in_an_instance(record, fmi2ModelExchange, simulate_with_slopes);
}

int runner_evaluate(Record *record) {
    return in_an_instance(record, fmi2ModelExchange, evaluate);
}
