/* Integration of an assembly by CVODE: backward differentiation formulas, the FMUs' exact part of
 * the Jacobian, roots of all event indicators, events. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "memory.h"
#include "sundials_versions.h"
#include "systems.h"

enum {
    EVENTS_PER_CHECK = 1000,      /* within which the time has to advance, see check_progress */
    STEPS_PER_PROGRESS_CALL = 64, /* which may end the run */
    STEPS_PER_INTERVAL = 10, /* no step is longer than this many output intervals of the system */
    FAILURES_AT_MOST =
        50 /* of one step: a law that jumps without an event needs more than the usual few */
};

typedef struct {
    Assembly *assembly;
    SystemRun *run;
    double *indicators;
    signed char *signs; /* of the indicators at the last restart */
    double time_written, time_checked;
    long next_row; /* on the grid of output times */
    Message complaint;

    SUNContext context;
    ErrorListener listener;
    void *solver;
    N_Vector states, tolerances, interpolated; /* states: the x of the assembly */
    SUNMatrix matrix;
    SUNLinearSolver linear_solver;
} Host;

static int on_rates(sunrealtype t, N_Vector states, N_Vector rates, void *data) {
    Host *h = data;
    h->run->statistics.evaluations++;
    return assembly_evaluate(h->assembly, t, N_VGetArrayPointer(states), N_VGetArrayPointer(rates));
}

static int on_indicators(sunrealtype t, N_Vector states, sunrealtype *g, void *data) {
    Host *h = data;
    return assembly_indicators(h->assembly, t, N_VGetArrayPointer(states), g);
}

static int on_jacobian(sunrealtype t, N_Vector states, N_Vector rates, SUNMatrix matrix, void *data,
                       N_Vector work1, N_Vector work2, N_Vector work3) {
    (void)rates, (void)work1, (void)work2, (void)work3;
    Host *h = data;
    h->run->statistics.jacobians++;
    return assembly_jacobian(h->assembly, t, N_VGetArrayPointer(states), SM_DATA_D(matrix));
}

static void on_complaint(void *data, const char *text) {
    Host *h = data;
    fail(&h->complaint, "%s", text);
}

static void set_tolerances(Host *h) {
    double *tolerances = N_VGetArrayPointer(h->tolerances);
    for (int i = 0; i < h->assembly->n_states; i++)
        tolerances[i] = h->run->tolerance * h->assembly->nominals[i];
}

static bool open_solver(Host *h, Message *message) {
    const Assembly *k = h->assembly;
    if (!open_context(&h->context)) return fail(message, "SUNDIALS does not start.");
    h->listener = (ErrorListener){on_complaint, h};
    h->states = N_VMake_Serial(k->n_states, k->x, h->context);
    h->tolerances = N_VNew_Serial(k->n_states, h->context);
    h->interpolated = N_VNew_Serial(k->n_states, h->context);
    h->matrix = SUNDenseMatrix(k->n_states, k->n_states, h->context);
    h->linear_solver = SUNLinSol_Dense(h->states, h->matrix, h->context);
    h->solver = CVodeCreate(CV_BDF, h->context);
    h->indicators = new_array((size_t)k->n_indicators, sizeof *h->indicators);
    h->signs = new_array((size_t)k->n_indicators, sizeof *h->signs);
    set_tolerances(h);
    const bool good =
        CVodeInit(h->solver, on_rates, 0, h->states) == CV_SUCCESS &&
        LISTEN_TO(CVode, h->context, h->solver, &h->listener) &&
        CVodeSetMaxHnilWarns(h->solver, -1) ==
            CV_SUCCESS && /* SUNDIALS 7 prints them among the results */
        CVodeSetUserData(h->solver, h) == CV_SUCCESS &&
        CVodeSVtolerances(h->solver, h->run->tolerance, h->tolerances) == CV_SUCCESS &&
        CVodeSetLinearSolver(h->solver, h->linear_solver, h->matrix) == CV_SUCCESS &&
        (!assembly_has_jacobian(k) || CVodeSetJacFn(h->solver, on_jacobian) == CV_SUCCESS) &&
        CVodeSetMaxErrTestFails(h->solver, FAILURES_AT_MOST) == CV_SUCCESS &&
        CVodeSetMaxConvFails(h->solver, FAILURES_AT_MOST) == CV_SUCCESS &&
        CVodeSetMaxStep(h->solver, STEPS_PER_INTERVAL * k->system->interval) == CV_SUCCESS &&
        CVodeRootInit(h->solver, k->n_indicators, on_indicators) == CV_SUCCESS;
    return good || fail(message, "the solver cannot be set up: %s", h->complaint.text);
}

static void close_solver(Host *h) {
    CVodeFree(&h->solver);
    if (h->linear_solver) SUNLinSolFree(h->linear_solver);
    if (h->matrix) SUNMatDestroy(h->matrix);
    if (h->states) N_VDestroy(h->states);
    if (h->tolerances) N_VDestroy(h->tolerances);
    if (h->interpolated) N_VDestroy(h->interpolated);
    if (h->context) SUNContext_Free(&h->context);
    free(h->indicators);
    free(h->signs);
}

static bool write_row(Host *h, double t, const double *x, Message *message) {
    const double *row = assembly_row(h->assembly, t, x);
    if (!row) return fail(message, "%s", h->assembly->complaint.text);
    systems_store_row(h->run, row);
    h->time_written = t;
    return true;
}

/* Writes the rows of the output grid up to t; inside the step the solver interpolates. A grid point
 * that equals t up to rounding is t. */
static bool write_grid(Host *h, double t, Message *message) {
    const double interval = h->run->interval, rounding = 1e-9 * interval;
    if (interval <= 0) return write_row(h, t, h->assembly->x, message);
    for (; (double)h->next_row * interval <= t + rounding; h->next_row++) {
        const double t_row = (double)h->next_row * interval;
        const bool is_end = t_row >= t - rounding;
        if (!is_end && CVodeGetDky(h->solver, t_row, 0, h->interpolated) != CV_SUCCESS)
            return fail(message, "the solver cannot interpolate at t = %.9g s.", t_row);
        const double *x = is_end ? h->assembly->x : N_VGetArrayPointer(h->interpolated);
        if (!write_row(h, is_end ? t : t_row, x, message)) return false;
    }
    return true;
}

static int sign(double value) {
    return (value > 0) - (value < 0);
}

static bool read_indicators(Host *h, double t, Message *message) {
    return assembly_indicators(h->assembly, t, h->assembly->x, h->indicators) == 0 ||
           fail(message, "%s", h->assembly->complaint.text);
}

/* CVODE locates roots, but misses an indicator that is zero at a restart and then changes its
 * sign. */
static bool find_changed_signs(Host *h, double t, bool *changed, Message *message) {
    if (!read_indicators(h, t, message)) return false;
    for (int i = 0; i < h->assembly->n_indicators; i++)
        *changed = *changed || (h->indicators[i] != 0 && sign(h->indicators[i]) != h->signs[i]);
    return true;
}

/* Restarts after an event. An indicator that is exactly zero has not changed its sign yet: its
 * event is still to come, and a tiny first step finds it at once. */
static bool restart(Host *h, double t, Message *message) {
    bool any_zero = false;
    if (!read_indicators(h, t, message)) return false;
    for (int i = 0; i < h->assembly->n_indicators; i++) {
        any_zero = any_zero || h->indicators[i] == 0;
        if (h->indicators[i] != 0) h->signs[i] = (signed char)sign(h->indicators[i]);
    }
    set_tolerances(h);
    if (CVodeReInit(h->solver, t, h->states) != CV_SUCCESS ||
        CVodeSetInitStep(h->solver, any_zero ? 1e-9 * h->assembly->system->interval : 0) !=
            CV_SUCCESS)
        return fail(message, "the solver cannot restart at t = %.9g s: %s", t, h->complaint.text);
    return true;
}

/* Ends a run whose events chatter, so that its time hardly advances. */
static bool check_progress(Host *h, double t, Message *message) {
    if (++h->run->statistics.events % EVENTS_PER_CHECK) return true;
    if (t - h->time_checked < 1e-6 * h->run->stop)
        return fail(message, "events chatter: %d of them between t = %.9g s and %.9g s.",
                    EVENTS_PER_CHECK, h->time_checked, t);
    h->time_checked = t;
    return true;
}

/* Handles an event, with a row of results before and one after it. */
static bool handle_event(Host *h, double t, Message *message) {
    Assembly *k = h->assembly;
    return (t == h->time_written || write_row(h, t, k->x, message)) &&
           assembly_enter_event(k, t, message) && assembly_settle(k, t, message) &&
           write_row(h, t, k->x, message) && check_progress(h, t, message) &&
           restart(h, t, message);
}

static bool integrate(Host *h, Message *message) {
    const SystemRun *run = h->run;
    Assembly *k = h->assembly;
    double t = 0;
    h->next_row = 1;
    if (!write_row(h, t, k->x, message) || !restart(h, t, message)) return false;
    while (t < run->stop) {
        const bool asks = run->on_progress && run->statistics.steps % STEPS_PER_PROGRESS_CALL == 0;
        if (asks && run->on_progress(t / run->stop))
            return fail(message, "interrupted at t = %.9g s.", t);
        const double stop = fmin(assembly_next_event(k), run->stop);
        *k->complaint.text = '\0';
        CVodeSetStopTime(h->solver, stop);
        const int result = CVode(h->solver, stop, h->states, &t, CV_ONE_STEP);
        if (result < 0)
            return fail(message, "the solver gives up at t = %.9g s: %s", t,
                        *k->complaint.text ? k->complaint.text : h->complaint.text);
        h->run->statistics.steps++;
        bool event = result == CV_ROOT_RETURN || t >= stop;
        if (!write_grid(h, t, message) || !assembly_complete_step(k, t, &event, message) ||
            !find_changed_signs(h, t, &event, message))
            return false;
        if (event && t < run->stop && !handle_event(h, t, message)) return false;
    }
    return t == h->time_written || write_row(h, t, k->x, message);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool systems_integrate(SystemRun *run, Assembly *assembly, Message *message) {
    const double begin = seconds_now();
    Host host = {.assembly = assembly, .run = run, .time_written = -1};
    const bool good = open_solver(&host, message) && integrate(&host, message);
    close_solver(&host);
    run->statistics.wall_seconds = seconds_now() - begin;
    return good;
}
