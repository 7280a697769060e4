/* Takes records through an FMU. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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
                        size_t sample, double length, const fmi2Integer *orders, double *rates) {
    const double *to = signals_at(record, sample + 1);
    for (size_t i = 0; i < record->signals.count; i++) rates[i] = (to[i] - from[i]) / length;
    return fails(record->fmu->set_input_derivatives(component, record->signals.references,
                                                    record->signals.count, orders, rates));
}

static int give_up(Record *record, const char *why) {
    if (record->message[0] == '\0') strncpy(record->message, why, MESSAGE_BYTES - 1);
    return 1;
}

/* The clock of a process is a call of the system, which costs more than a sample: it is asked now
 * and then. */
static int out_of_time(const Record *record, clock_t begin) {
    return record->seconds > 0 && record->done % 64 == 0 &&
           (double)(clock() - begin) > record->seconds * (double)CLOCKS_PER_SEC;
}

/* Inputs that move are not set anew at each sample, since they have come there by themselves, to
 * rounding; `inputs` is where the FMU has them, so that what is rounded off does not add up. */
static int simulate(Record *record, fmi2Component component, const fmi2Integer *orders,
                    double *rates, double *inputs) {
    const Fmu *fmu = record->fmu;
    const size_t count = record->signals.count;
    const clock_t begin = record->seconds > 0 ? clock() : 0;
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
        if (moves && move_signals(record, component, inputs, sample, length, orders, rates))
            return 1;
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

#include "sensitivities.c"

/* Slopes of all outputs, known by known. */
static int get_slopes(const Record *record, fmi2Component component, size_t sample) {
    const Variables *outputs = &record->outputs, *knowns = &record->knowns;
    const double one = 1;
    double *slopes = record->slopes + sample * knowns->count * outputs->count;
    for (size_t i = 0; i < knowns->count; i++)
        if (fails(record->fmu->directional_derivative(component, outputs->references,
                                                      outputs->count, &knowns->references[i], 1,
                                                      &one, slopes + i * outputs->count)))
            return 1;
    return 0;
}

static int evaluate(Record *record, fmi2Component component) {
    const Fmu *fmu = record->fmu;
    for (; record->done < record->n_samples; record->done++) {
        const size_t sample = record->done;
        if (start(record, component, sample) || get_slopes(record, component, sample) ||
            fails(fmu->exit_initialization(component)) || get_results(record, component, sample) ||
            fails(fmu->reset(component)))
            return 1;
    }
    return 0;
}

static fmi2Component instance_of(Record *record, const fmi2CallbackFunctions *callbacks,
                                 fmi2Type kind) {
    record->done = 0;
    memset(record->message, 0, sizeof record->message);
    return record->fmu->instantiate("run", kind, record->guid, "", callbacks, fmi2False, fmi2False);
}

static int end(Record *record, fmi2Component component, int failed) {
    record->fmu->free_instance(component);
    return failed ? give_up(record, "The FMU refused a call without telling why.") : 0;
}

typedef int Simulation(Record *record, fmi2Component component, const fmi2Integer *orders,
                       double *rates, double *inputs);

static int run_along(Record *record, Simulation *simulation) {
    const fmi2CallbackFunctions callbacks = {keep_message, calloc, free, NULL, record};
    const size_t count = record->signals.count;
    fmi2Component component = instance_of(record, &callbacks, fmi2CoSimulation);
    if (!component) return give_up(record, "The FMU cannot be instantiated.");
    double *rates = calloc(2 * count + 1, sizeof *rates); /* and where the inputs are */
    fmi2Integer *orders = calloc(count + 1, sizeof *orders);
    int failed = !rates || !orders;
    for (size_t i = 0; i < count && !failed; i++) orders[i] = 1;
    if (!failed) failed = simulation(record, component, orders, rates, rates + count);
    free(rates);
    free(orders);
    return end(record, component, failed);
}

int runner_simulate(Record *record) {
    return run_along(record, simulate);
}

int runner_sensitivities(Record *record) {
    return run_along(record, simulate_with_slopes);
}

int runner_evaluate(Record *record) {
    const fmi2CallbackFunctions callbacks = {keep_message, calloc, free, NULL, record};
    fmi2Component component = instance_of(record, &callbacks, fmi2ModelExchange);
    if (!component) return give_up(record, "The FMU cannot be instantiated.");
    return end(record, component, evaluate(record, component));
}
