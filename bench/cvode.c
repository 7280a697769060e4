#include "cvode.h"

#include <stdlib.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

struct Cvode {
    const BareModel *model;
    const double *p, *u, *u_rate;
    const int *m;
    SUNContext context;
    void *solver;
    N_Vector states, tolerances;
    SUNMatrix matrix;
    SUNLinearSolver linear_solver;
};

static void inputs_at(const Cvode *c, double t, double *u) {
    for (int i = 0; i < c->model->n_inputs; i++) u[i] = c->u[i] + t * c->u_rate[i];
}

static int rates(double t, N_Vector x, N_Vector dx, void *self) {
    const Cvode *c = self;
    double u[ROOM], y[ROOM];
    inputs_at(c, t, u);
    c->model->evaluate(c->p, u, N_VGetArrayPointer(x), c->m, N_VGetArrayPointer(dx), y);
    return 0;
}

static int slopes(double t, N_Vector x, N_Vector dx, SUNMatrix J, void *self, N_Vector t1, N_Vector t2, N_Vector t3) {
    const Cvode *c = self;
    double u[ROOM];
    (void)dx;
    (void)t1;
    (void)t2;
    (void)t3;
    inputs_at(c, t, u);
    c->model->jacobian(c->p, u, N_VGetArrayPointer(x), c->m, SM_DATA_D(J));
    return 0;
}

static void ignore_message(int code, const char *module, const char *function, char *message, void *data) {
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)data;
}

Cvode *cvode_new(const BareModel *model, const double *p, int adams, double tolerance) {
    Cvode *c = calloc(1, sizeof *c);
    c->model = model;
    c->p = p;
    SUNContext_Create(NULL, &c->context);
    c->states = N_VNew_Serial(model->n_states, c->context);
    c->tolerances = N_VNew_Serial(model->n_states, c->context);
    for (int i = 0; i < model->n_states; i++) NV_Ith_S(c->tolerances, i) = tolerance * model->state_nominals[i];
    c->matrix = SUNDenseMatrix(model->n_states, model->n_states, c->context);
    c->linear_solver = SUNLinSol_Dense(c->states, c->matrix, c->context);
    c->solver = CVodeCreate(adams ? CV_ADAMS : CV_BDF, c->context);
    CVodeInit(c->solver, rates, 0, c->states);
    CVodeSVtolerances(c->solver, tolerance, c->tolerances);
    CVodeSetUserData(c->solver, c);
    CVodeSetErrHandlerFn(c->solver, ignore_message, NULL);
    CVodeSetMaxNumSteps(c->solver, 100000);
    CVodeSetLinearSolver(c->solver, c->linear_solver, c->matrix);
    CVodeSetJacFn(c->solver, slopes);
    return c;
}

void cvode_free(Cvode *c) {
    CVodeFree(&c->solver);
    SUNLinSolFree(c->linear_solver);
    SUNMatDestroy(c->matrix);
    N_VDestroy(c->states);
    N_VDestroy(c->tolerances);
    SUNContext_Free(&c->context);
    free(c);
}

int cvode_step(Cvode *c, const double *u, const double *u_rate, const int *m, double h, double *x) {
    double reached;
    c->u = u;
    c->u_rate = u_rate;
    c->m = m;
    for (int i = 0; i < c->model->n_states; i++) NV_Ith_S(c->states, i) = x[i];
    CVodeReInit(c->solver, 0, c->states);
    CVodeSetStopTime(c->solver, h); /* the inputs are not known beyond */
    if (CVode(c->solver, h, c->states, &reached, CV_NORMAL) < 0) return 0;
    for (int i = 0; i < c->model->n_states; i++) x[i] = NV_Ith_S(c->states, i);
    return 1;
}
