/* The motions under which models are measured, and points on them. */
#ifndef BENCH_MOTION_H
#define BENCH_MOTION_H

#include "fmu.h"
#include "memory.h"

enum { POINTS = 200, WARM_UP = 500 /* steps before the first point */ };

static const double STEP = 1e-3; /* between two points [s] */

typedef struct {
    const char *name;
    double mean, amplitude, frequency; /* of the relative velocity [m/s, m/s, Hz] */
} Motion;

enum { N_STEADY = 2, N_MOTIONS = 3 };

extern const Motion motions[N_MOTIONS]; /* the steady ones, which stay in one mode, come first */

/* What is measured: an FMU and the same model without the FMI layer, with the same parameters. */
typedef struct {
    const char *label;
    Fmu fmu;
    const BareModel *model;
    double p[ROOM];
    fmi2ValueReference parameters[ROOM], inputs[ROOM], states[ROOM];
    fmi2Integer first_order[ROOM]; /* of a derivative, for each input */
    /* value reference of the first component; its place in the outputs is */
    fmi2ValueReference force;
    int force_place;
} Case;

/* The normal force and the velocity at a time. */
double normal_force_at(double t);
double velocity_at(const Motion *motion, double t);

/* The inputs of a model at a time: a normal force that pulsates, a velocity by the motion, all
 * others at their start. */
void inputs_at(const BareModel *model, const Motion *motion, double t, double *u);

/* Starts a co-simulation and runs it for WARM_UP steps, up to time_reached. */
fmi2Component warmed_up(const Case *subject, const Motion *motion, double *time_reached);

/* The inputs of POINTS steps from t on, packed: at the start of each step, and their rates, zero
 * for held inputs. */
typedef struct {
    double *u, *u_rate;
} Drive;

Drive new_drive(const BareModel *model, const Motion *motion, double t, int moving);

/* One step from t under inputs that start at u; u_rate is NULL for held inputs. */
void fmu_step(const Case *subject, fmi2Component c, double t, const double *u,
              const double *u_rate);

#endif
