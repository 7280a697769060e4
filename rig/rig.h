/* The rig as Python calls it. */
#ifndef RIG_H
#define RIG_H

#include "systems.h"

/* Who hears what the FMUs warn of, and which values of a set they do not take. */
RUNNER_EXPORT void rig_listen(void (*on_warning)(const char *text));

/* systems_run, which also says so where there is no memory. */
RUNNER_EXPORT int rig_run(SystemRun *run);

#endif
