/* The FMI 2.0 interface of every friction element: all 44 functions, over the contract of a model.
 *
 * One translation unit per FMU, so that the compiler can see the model from here and inline it:
 *   log            messages
 *   references     value references
 *   rules          checks of parameters and inputs
 *   modes          states and modes at the start and at events
 *   coupled        co-simulation with the body in the loop
 *   chatter        notices a step that is too long for the law, or a mass that is too large
 *   rebound        notices one that is too long for a contact in the normal direction
 *   evaluation     lazy evaluation
 *   lifecycle      instantiate, initialize, terminate, reset
 *   variables      get and set
 *   slopes         directional derivatives
 *   model_exchange, co_simulation   the two kinds
 *   state          store, restore, serialize
 */
#include "fmi2/instance.h"

#include "fmi2/log.c"

#include "fmi2/references.c"

#include "fmi2/rules.c"

#include "fmi2/modes.c"

#include "fmi2/coupled.c"

#include "fmi2/chatter.c"

#include "fmi2/rebound.c"

#include "fmi2/evaluation.c"

#include "fmi2/lifecycle.c"

#include "fmi2/variables.c"

#include "fmi2/slopes.c"

#include "fmi2/model_exchange.c"

#include "fmi2/co_simulation.c"

#include "fmi2/state.c"
