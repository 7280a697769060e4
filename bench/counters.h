/* Counts what must not happen while an FMU is evaluated. The program's own definitions of these
 * functions of the C library come first in the search for a symbol, so they see the calls of a
 * loaded FMU too. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

typedef struct {
    long allocations; /* malloc, calloc, realloc, free */
    long locks;       /* pthread_mutex_lock */
    long formats;     /* vsnprintf, snprintf */
} Counters;

Counters counters(void);

#endif
