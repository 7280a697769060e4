/* A small importer: loads FMU binaries, runs a job with each, and prints numbers that can be
 * compared between platforms.
 *
 * Standard input holds one job per line:
 *     library guid kind steps step report nReals nStates nIndicators nInputs
 *     (reference offset amplitude frequency)...
 * kind 0: model exchange, explicit Euler with events; kind 1: co-simulation, time counted as i *
 * step; kind 2: co-simulation, time added up step by step; kind 3: as kind 1, of FMI 3.0 without
 * vectors. Inputs are offset + amplitude * sin(frequency * t), set before each step. After every
 * `report` steps a line with all Reals is printed; a job ends with "time <last successful time or
 * time>".
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2FunctionTypes.h"
#include "fmi3FunctionTypes.h"

#ifdef _WIN32
#include <windows.h>
static void *open_library(const char *path) {
    return (void *)LoadLibraryA(path);
}
static void *find(void *library, const char *name) {
    return (void *)GetProcAddress((HMODULE)library, name);
}
#else
#include <dlfcn.h>
static void *open_library(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
static void *find(void *library, const char *name) {
    return dlsym(library, name);
}
#endif

enum { MAX_INPUTS = 32, MAX_REALS = 256, MAX_STATES = 32 };

typedef struct {
    unsigned reference;
    double offset, amplitude, frequency;
} Wave;

typedef struct {
    char library[1024], guid[128];
    int kind;
    long steps, report;
    double step;
    size_t reals, states, indicators, inputs;
    Wave waves[MAX_INPUTS];
} Job;

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    (void)environment;
    fprintf(stderr, "%s: %d %s: %s\n", name, (int)status, category, message);
}

static void die(const char *what) {
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void demand(fmi2Status status, const char *what) {
    if (status != fmi2OK) die(what);
}

#define LOAD(name)                                                                                 \
    name##TYPE *const name = (name##TYPE *)find(library, #name);                                   \
    if (!name) die(#name)

static double wave_at(const Wave *wave, double t) {
    return wave->offset + wave->amplitude * sin(wave->frequency * t);
}

static void print_reals(const double values[], size_t count) {
    for (size_t k = 0; k < count; k++) printf("%.17g ", values[k]);
    printf("\n");
}

static void run_2(const Job *job) {
    void *library = open_library(job->library);
    if (!library) die(job->library);
    LOAD(fmi2Instantiate);
    LOAD(fmi2SetupExperiment);
    LOAD(fmi2EnterInitializationMode);
    LOAD(fmi2ExitInitializationMode);
    LOAD(fmi2SetReal);
    LOAD(fmi2GetReal);
    LOAD(fmi2DoStep);
    LOAD(fmi2GetRealStatus);
    LOAD(fmi2NewDiscreteStates);
    LOAD(fmi2EnterContinuousTimeMode);
    LOAD(fmi2EnterEventMode);
    LOAD(fmi2SetTime);
    LOAD(fmi2GetContinuousStates);
    LOAD(fmi2SetContinuousStates);
    LOAD(fmi2GetDerivatives);
    LOAD(fmi2GetEventIndicators);
    LOAD(fmi2Terminate);
    LOAD(fmi2FreeInstance);

    const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    const fmi2Component c =
        fmi2Instantiate("host", job->kind == 0 ? fmi2ModelExchange : fmi2CoSimulation, job->guid,
                        "", &callbacks, 0, 0);
    if (!c) die("fmi2Instantiate");
    fmi2ValueReference references[MAX_REALS], inputs[MAX_INPUTS];
    double values[MAX_REALS], x[MAX_STATES], dx[MAX_STATES], g[MAX_STATES], last[MAX_STATES];
    for (size_t i = 0; i < job->reals; i++) references[i] = (fmi2ValueReference)i;
    for (size_t i = 0; i < job->inputs; i++) inputs[i] = job->waves[i].reference;

    fmi2EventInfo info;
    demand(fmi2SetupExperiment(c, fmi2True, 1e-6, 0, fmi2False, 0), "fmi2SetupExperiment");
    demand(fmi2EnterInitializationMode(c), "fmi2EnterInitializationMode");
    demand(fmi2ExitInitializationMode(c), "fmi2ExitInitializationMode");
    if (job->kind == 0) {
        demand(fmi2NewDiscreteStates(c, &info), "fmi2NewDiscreteStates");
        demand(fmi2EnterContinuousTimeMode(c), "fmi2EnterContinuousTimeMode");
        demand(fmi2GetEventIndicators(c, last, job->indicators), "fmi2GetEventIndicators");
    }
    double t = 0;
    for (long i = 0; i < job->steps; i++) {
        if (job->kind != 2) t = (double)i * job->step;
        for (size_t k = 0; k < job->inputs; k++) values[k] = wave_at(&job->waves[k], t);
        demand(fmi2SetReal(c, inputs, job->inputs, values), "fmi2SetReal");
        if (job->kind == 0) {
            demand(fmi2SetTime(c, t), "fmi2SetTime");
            demand(fmi2GetContinuousStates(c, x, job->states), "fmi2GetContinuousStates");
            demand(fmi2GetDerivatives(c, dx, job->states), "fmi2GetDerivatives");
            for (size_t k = 0; k < job->states; k++) x[k] += job->step * dx[k];
            demand(fmi2SetContinuousStates(c, x, job->states), "fmi2SetContinuousStates");
            demand(fmi2GetEventIndicators(c, g, job->indicators), "fmi2GetEventIndicators");
            for (size_t k = 0; k < job->indicators; k++) {
                if ((g[k] > 0) == (last[k] > 0)) continue;
                demand(fmi2EnterEventMode(c), "fmi2EnterEventMode");
                demand(fmi2NewDiscreteStates(c, &info), "fmi2NewDiscreteStates");
                demand(fmi2EnterContinuousTimeMode(c), "fmi2EnterContinuousTimeMode");
                demand(fmi2GetEventIndicators(c, g, job->indicators), "fmi2GetEventIndicators");
                break;
            }
            memcpy(last, g, sizeof last);
        } else {
            demand(fmi2DoStep(c, t, job->step, fmi2True), "fmi2DoStep");
            if (job->kind == 2) t += job->step;
        }
        if ((i + 1) % job->report == 0) {
            demand(fmi2GetReal(c, references, job->reals, values), "fmi2GetReal");
            print_reals(values, job->reals);
        }
    }
    if (job->kind != 0)
        demand(fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &t), "fmi2GetRealStatus");
    printf("time %.17g\n", t);
    demand(fmi2Terminate(c), "fmi2Terminate");
    fmi2FreeInstance(c);
}

static void log_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                  fmi3String message) {
    (void)environment;
    fprintf(stderr, "%d %s: %s\n", (int)status, category, message);
}

static void demand_3(fmi3Status status, const char *what) {
    if (status != fmi3OK) die(what);
}

static void run_3(const Job *job) {
    void *library = open_library(job->library);
    if (!library) die(job->library);
    LOAD(fmi3InstantiateCoSimulation);
    LOAD(fmi3EnterInitializationMode);
    LOAD(fmi3ExitInitializationMode);
    LOAD(fmi3SetFloat64);
    LOAD(fmi3GetFloat64);
    LOAD(fmi3DoStep);
    LOAD(fmi3Terminate);
    LOAD(fmi3FreeInstance);

    const fmi3Instance c =
        fmi3InstantiateCoSimulation("host", job->guid, "", 0, 0, 0, 0, NULL, 0, NULL, log_3, NULL);
    if (!c) die("fmi3InstantiateCoSimulation");
    fmi3ValueReference references[MAX_REALS], inputs[MAX_INPUTS];
    double values[MAX_REALS], t = 0;
    for (size_t i = 0; i < job->reals; i++) references[i] = (fmi3ValueReference)i;
    for (size_t i = 0; i < job->inputs; i++) inputs[i] = job->waves[i].reference;
    demand_3(fmi3EnterInitializationMode(c, 1, 1e-6, 0, 0, 0), "fmi3EnterInitializationMode");
    demand_3(fmi3ExitInitializationMode(c), "fmi3ExitInitializationMode");
    for (long i = 0; i < job->steps; i++) {
        fmi3Boolean event, end, early;
        for (size_t k = 0; k < job->inputs; k++)
            values[k] = wave_at(&job->waves[k], (double)i * job->step);
        demand_3(fmi3SetFloat64(c, inputs, job->inputs, values, job->inputs), "fmi3SetFloat64");
        demand_3(fmi3DoStep(c, (double)i * job->step, job->step, 1, &event, &end, &early, &t),
                 "fmi3DoStep");
        if ((i + 1) % job->report != 0) continue;
        demand_3(fmi3GetFloat64(c, references, job->reals, values, job->reals), "fmi3GetFloat64");
        print_reals(values, job->reals);
    }
    printf("time %.17g\n", t);
    demand_3(fmi3Terminate(c), "fmi3Terminate");
    fmi3FreeInstance(c);
}

static int read_job(Job *job) {
    if (scanf("%1023s %127s %d %ld %lf %ld %zu %zu %zu %zu", job->library, job->guid, &job->kind,
              &job->steps, &job->step, &job->report, &job->reals, &job->states, &job->indicators,
              &job->inputs) != 10)
        return 0;
    if (job->reals > MAX_REALS || job->states > MAX_STATES || job->indicators > MAX_STATES ||
        job->inputs > MAX_INPUTS)
        die("job too large");
    for (size_t i = 0; i < job->inputs; i++) {
        Wave *wave = &job->waves[i];
        if (scanf("%u %lf %lf %lf", &wave->reference, &wave->offset, &wave->amplitude,
                  &wave->frequency) != 4)
            die("wave");
    }
    return 1;
}

int main(void) {
    static Job job;
    while (read_job(&job)) {
        if (job.kind == 3)
            run_3(&job);
        else
            run_2(&job);
    }
    return 0;
}
