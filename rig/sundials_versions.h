/* What SUNDIALS 6 and 7 call differently, so that the rig and the benchmark build with both: the
 * communicator of a context, where errors are reported (a solver's own handler in 6, the context's
 * in 7), and ARKODE's functions. */
#ifndef RIG_SUNDIALS_VERSIONS_H
#define RIG_SUNDIALS_VERSIONS_H

#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_types.h>

/* Receives the messages of a solver that fails. */
typedef struct {
    void (*report)(void *data, const char *text);
    void *data;
} ErrorListener;

#if SUNDIALS_VERSION_MAJOR >= 7

static inline int open_context(SUNContext *context) {
    return SUNContext_Create(SUN_COMM_NULL, context) == SUN_SUCCESS;
}

static inline void on_sundials_error(int line, const char *function, const char *file,
                                     const char *text, SUNErrCode code, void *data,
                                     SUNContext context) {
    const ErrorListener *listener = data;
    (void)line, (void)function, (void)file, (void)code, (void)context;
    listener->report(listener->data, text);
}

/* The listener has to outlive the context. */
#define LISTEN_TO(package, context, solver, listener)                                              \
    (SUNContext_ClearErrHandlers(context) == SUN_SUCCESS &&                                        \
     SUNContext_PushErrHandler(context, on_sundials_error, listener) == SUN_SUCCESS)

#define ARKODE(function) ARKode##function

#else

static inline int open_context(SUNContext *context) {
    return SUNContext_Create(NULL, context) == 0;
}

static inline void on_sundials_error(int code, const char *module, const char *function, char *text,
                                     void *data) {
    const ErrorListener *listener = data;
    (void)module, (void)function;
    if (code < 0) listener->report(listener->data, text); /* warnings are positive */
}

#define LISTEN_TO(package, context, solver, listener)                                              \
    (package##SetErrHandlerFn(solver, on_sundials_error, listener) == 0)

#define ARKODE(function) ARKStep##function

#endif

#endif
