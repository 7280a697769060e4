#include "sundials.h"

#include <stdlib.h>

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "sundials_versions.h"

struct Sundials {
    Method method;
    const BareModel *model;
    const double *p, *u, *u_rate;
    const int *m;
    SUNContext context;
    void *solver;
    N_Vector states, tolerances;
    SUNMatrix matrix;
    SUNLinearSolver linear_solver;
};

static void inputs_at(const Sundials *c, double t, double *u) {
    for (int i = 0; i < c->model->n_inputs; i++) u[i] = c->u[i] + t * c->u_rate[i];
}

static int rates(double t, N_Vector x, N_Vector dx, void *self) {
    const Sundials *c = self;
    double u[ROOM], y[ROOM];
    inputs_at(c, t, u);
    c->model->evaluate(c->p, u, N_VGetArrayPointer(x), c->m, N_VGetArrayPointer(dx), y);
    return 0;
}

static int slopes(double t, N_Vector x, N_Vector dx, SUNMatrix J, void *self, N_Vector t1,
                  N_Vector t2, N_Vector t3) {
    const Sundials *c = self;
    double u[ROOM];
    (void)dx;
    (void)t1;
    (void)t2;
    (void)t3;
    inputs_at(c, t, u);
    c->model->jacobian(c->p, u, N_VGetArrayPointer(x), c->m, SM_DATA_D(J));
    return 0;
}

static void ignore(void *data, const char *text) {
    (void)data;
    (void)text;
}

static ErrorListener silent = {ignore, NULL};

static void open_cvode(Sundials *c, double tolerance) {
    c->solver = CVodeCreate(c->method == CVODE_ADAMS ? CV_ADAMS : CV_BDF, c->context);
    CVodeInit(c->solver, rates, 0, c->states);
    CVodeSVtolerances(c->solver, tolerance, c->tolerances);
    CVodeSetUserData(c->solver, c);
    (void)LISTEN_TO(CVode, c->context, c->solver, &silent);
    CVodeSetMaxHnilWarns(c->solver, -1);
    CVodeSetMaxNumSteps(c->solver, 100000);
    CVodeSetLinearSolver(c->solver, c->linear_solver, c->matrix);
    CVodeSetJacFn(c->solver, slopes);
}

static void open_arkode(Sundials *c, double tolerance) {
    c->solver = ARKStepCreate(NULL, rates, 0, c->states, c->context);
    ARKODE(SVtolerances)(c->solver, tolerance, c->tolerances);
    ARKODE(SetUserData)(c->solver, c);
    (void)LISTEN_TO(ARKStep, c->context, c->solver, &silent);
    ARKODE(SetMaxHnilWarns)(c->solver, -1);
    ARKODE(SetMaxNumSteps)(c->solver, 100000);
    ARKODE(SetLinearSolver)(c->solver, c->linear_solver, c->matrix);
    ARKODE(SetJacFn)(c->solver, slopes);
}

Sundials *sundials_new(const BareModel *model, const double *p, Method method, double tolerance) {
    Sundials *c = calloc(1, sizeof *c);
    c->method = method;
    c->model = model;
    c->p = p;
    open_context(&c->context);
    c->states = N_VNew_Serial(model->n_states, c->context);
    c->tolerances = N_VNew_Serial(model->n_states, c->context);
    for (int i = 0; i < model->n_states; i++)
        NV_Ith_S(c->tolerances, i) = tolerance * model->state_nominals[i];
    c->matrix = SUNDenseMatrix(model->n_states, model->n_states, c->context);
    c->linear_solver = SUNLinSol_Dense(c->states, c->matrix, c->context);
    if (method == ARKODE_DIRK)
        open_arkode(c, tolerance);
    else
        open_cvode(c, tolerance);
    return c;
}

void sundials_free(Sundials *c) {
    if (c->method == ARKODE_DIRK)
        ARKODE(Free)(&c->solver);
    else
        CVodeFree(&c->solver);
    SUNLinSolFree(c->linear_solver);
    SUNMatDestroy(c->matrix);
    N_VDestroy(c->states);
    N_VDestroy(c->tolerances);
    SUNContext_Free(&c->context);
    free(c);
}

/* Integrates from 0 to h; inputs are not known beyond. */
static int run_to(Sundials *c, double h) {
    double reached;
    if (c->method == ARKODE_DIRK) {
        ARKStepReInit(c->solver, NULL, rates, 0, c->states);
        ARKODE(SetStopTime)(c->solver, h);
        return ARKODE(Evolve)(c->solver, h, c->states, &reached, ARK_NORMAL) >= 0;
    }
    CVodeReInit(c->solver, 0, c->states);
    CVodeSetStopTime(c->solver, h);
    return CVode(c->solver, h, c->states, &reached, CV_NORMAL) >= 0;
}

int sundials_step(Sundials *c, const double *u, const double *u_rate, const int *m, double h,
                  double *x) {
    c->u = u;
    c->u_rate = u_rate;
    c->m = m;
    for (int i = 0; i < c->model->n_states; i++) NV_Ith_S(c->states, i) = x[i];
    if (!run_to(c, h)) return 0;
    for (int i = 0; i < c->model->n_states; i++) x[i] = NV_Ith_S(c->states, i);
    return 1;
}
