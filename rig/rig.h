/* The rig as Python calls it. */
#ifndef RIG_H
#define RIG_H

#include "export.h"
#include "message.h"

/* Who hears what the FMUs warn of, and which values of a set they do not take. */
RUNNER_EXPORT void rig_listen(void (*on_warning)(const char *text));

#endif
