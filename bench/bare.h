/* A friction model without any FMI layer: what its C file gives, behind pointers, so that one
 * program can run them all. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

typedef struct {
    const char *name, *guid;
    int n_parameters, n_inputs, n_states, n_outputs, n_modes;
    const char *(*real_name)(int reference);
    const double *parameter_starts, *input_starts, *state_nominals;
    void (*start)(const double *p, const double *u, double *x,
                  int *m); /* states and modes at the start of a run */
    void (*settle)(const double *p, const double *u, double *x, int *m);
    void (*evaluate)(const double *p, const double *u, const double *x, const int *m, double *dx,
                     double *y);
    void (*jacobian)(const double *p, const double *u, const double *x, const int *m,
                     double *J); /* column by column */
} BareModel;

enum { ROOM = 256 }; /* for each of a model's vectors */

#endif
