/* Runs an FMU over sampled inputs. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INPUT_ROOM = 64 }; /* at most */

int runner_version(void) {
    return RUNNER_VERSION;
}

/* Stores the first message about a refused call; later ones follow from it. */
static void store_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                          fmi2String category, fmi2String message, ...) {
    SampledRun *run = environment;
    (void)name;
    (void)category;
    if (status <= fmi2Warning || run->message[0] != '\0') return;
    strncpy(run->message, message, MESSAGE_BYTES - 1);
}

static int fails(fmi2Status status) {
    return status > fmi2Warning;
}

/* Sets parameters and options. */
static int set_fixed(const SampledRun *run, fmi2Component component) {
    const Fmu *fmu = run->fmu;
    return fails(fmu->set_real(component, run->reals.references, run->reals.count,
                               run->real_values)) ||
           fails(fmu->set_integer(component, run->integers.references, run->integers.count,
                                  run->integer_values));
}

static const double *signals_at(const SampledRun *run, size_t sample) {
    return run->signal_values + sample * run->signals.count;
}

static int set_signals(const SampledRun *run, fmi2Component component, size_t sample) {
    return fails(run->fmu->set_real(component, run->signals.references, run->signals.count,
                                    signals_at(run, sample)));
}

static int get_results(const SampledRun *run, fmi2Component component, size_t sample) {
    const Fmu *fmu = run->fmu;
    const Variables *outputs = &run->outputs, *modes = &run->modes;
    return fails(fmu->get_real(component, outputs->references, outputs->count,
                               run->output_values + sample * outputs->count)) ||
           (modes->count > 0 && fails(fmu->get_integer(component, modes->references, modes->count,
                                                       run->mode_values + sample * modes->count)));
}

/* Initializes a new or reset instance with the inputs of a sample, up to initialization mode. */
static int start(const SampledRun *run, fmi2Component component, size_t sample) {
    const Fmu *fmu = run->fmu;
    return set_fixed(run, component) || set_signals(run, component, sample) ||
           fails(fmu->setup_experiment(component, run->tolerance > 0, run->tolerance,
                                       run->times[sample], fmi2False, 0)) ||
           fails(fmu->enter_initialization(component));
}

/* Sets the rates at which the inputs reach the next sample. */
static int set_signal_rates(const SampledRun *run, fmi2Component component, const double *from,
                            size_t sample, double length, double *rates) {
    const double *to = signals_at(run, sample + 1);
    fmi2Integer orders[INPUT_ROOM];
    for (size_t i = 0; i < run->signals.count; i++) {
        orders[i] = 1;
        rates[i] = (to[i] - from[i]) / length;
    }
    return fails(run->fmu->set_input_derivatives(component, run->signals.references,
                                                 run->signals.count, orders, rates));
}

static int give_up(SampledRun *run, const char *why) {
    if (run->message[0] == '\0') strncpy(run->message, why, MESSAGE_BYTES - 1);
    return 1;
}

/* Reads the clock of the process at every 64th sample: this system call costs more than a
 * sample. */
static int is_out_of_time(const SampledRun *run, clock_t begin) {
    return run->seconds > 0 && run->done % 64 == 0 &&
           (double)(clock() - begin) > run->seconds * (double)CLOCKS_PER_SEC;
}

/* Inputs with rates are not set again at each sample, since they arrive there by themselves, up to
 * rounding; `inputs` holds their values in the FMU, so that rounding does not accumulate. */
static int simulate(SampledRun *run, fmi2Component component) {
    const Fmu *fmu = run->fmu;
    const size_t count = run->signals.count;
    const clock_t begin = run->seconds > 0 ? clock() : 0;
    double rates[INPUT_ROOM], inputs[INPUT_ROOM];
    if (count > INPUT_ROOM) return give_up(run, "The FMU has too many inputs.");
    if (start(run, component, 0) || fails(fmu->exit_initialization(component))) return 1;
    memcpy(inputs, signals_at(run, 0), count * sizeof *inputs);
    for (;;) {
        const size_t sample = run->done;
        if (get_results(run, component, sample)) return 1;
        run->done = sample + 1;
        if (run->done == run->n_samples) return 0;
        if (is_out_of_time(run, begin)) return give_up(run, "The run takes too long.");
        const double length = run->times[sample + 1] - run->times[sample];
        const int is_moving = run->linear && length > 0; /* two samples at one time are a jump */
        if (is_moving && set_signal_rates(run, component, inputs, sample, length, rates)) return 1;
        if (length > 0 && fails(fmu->do_step(component, run->times[sample], length, fmi2True)))
            return 1;
        if (is_moving) {
            for (size_t i = 0; i < count; i++) inputs[i] += length * rates[i];
        } else {
            if (set_signals(run, component, sample + 1)) return 1;
            memcpy(inputs, signals_at(run, sample + 1), count * sizeof *inputs);
        }
    }
}

/* Computes the slopes of some variables along each of the knowns, in columns with that stride. */
static int slopes_along(const SampledRun *run, fmi2Component component, const Variables *knowns,
                        const fmi2ValueReference *unknowns, size_t rows, size_t apart,
                        double *table) {
    const double one = 1;
    for (size_t i = 0; i < knowns->count; i++)
        if (fails(run->fmu->directional_derivative(
                component, unknowns, rows, &knowns->references[i], 1, &one, table + i * apart)))
            return 1;
    return 0;
}

#include "sensitivities.c"

static int evaluate(SampledRun *run, fmi2Component component) {
    const Fmu *fmu = run->fmu;
    const Variables *outputs = &run->outputs, *knowns = &run->knowns;
    for (; run->done < run->n_samples; run->done++) {
        const size_t sample = run->done;
        if (start(run, component, sample) ||
            slopes_along(run, component, knowns, outputs->references, outputs->count,
                         outputs->count, run->slopes + sample * knowns->count * outputs->count) ||
            fails(fmu->exit_initialization(component)) || get_results(run, component, sample) ||
            fails(fmu->reset(component)))
            return 1;
    }
    return 0;
}

typedef int Procedure(SampledRun *run, fmi2Component component);

static int with_instance(SampledRun *run, fmi2Type kind, Procedure *procedure) {
    const fmi2CallbackFunctions callbacks = {store_message, calloc, free, NULL, run};
    run->done = 0;
    memset(run->message, 0, sizeof run->message);
    fmi2Component component =
        run->fmu->instantiate("run", kind, run->guid, "", &callbacks, fmi2False, fmi2False);
    if (!component) return give_up(run, "The FMU cannot be instantiated.");
    const int failed = procedure(run, component);
    run->fmu->free_instance(component);
    return failed ? give_up(run, "The FMU refused a call and gave no reason.") : 0;
}

int runner_simulate(SampledRun *run) {
    return with_instance(run, fmi2CoSimulation, simulate);
}

int runner_sensitivities(SampledRun *run) {
    return with_instance(run, fmi2ModelExchange, simulate_with_slopes);
}

int runner_evaluate(SampledRun *run) {
    return with_instance(run, fmi2ModelExchange, evaluate);
}
