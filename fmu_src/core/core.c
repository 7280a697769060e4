/* What all versions of FMI share: everything but the signatures of their functions, over the
 * contract of a model.
 *
 * One translation unit per FMU, so that the compiler can see the model from here and inline it:
 *   log            messages
 *   references     value references
 *   rules          checks of parameters and inputs
 *   modes          states and modes at the start and at events
 *   coupled        co-simulation with the body in the loop
 *     chatter        detects steps that are too long for the law, or a mass that is too large
 *   rebound        detects steps that are too long for a contact in the normal direction
 *   evaluation     lazy evaluation
 *   lifecycle      instantiate, initialize, terminate, reset
 *   variables      get and set
 *   slopes         directional derivatives
 *   model_exchange, co_simulation   the two kinds
 *   state          store, restore, serialize
 */
#include "core/instance.h"

#include "core/log.c"

#include "core/references.c"

#include "core/rules.c"

#include "core/modes.c"

#include "core/coupled.c"

#include "core/chatter.c"

#include "core/rebound.c"

#include "core/evaluation.c"

#include "core/lifecycle.c"

#include "core/variables.c"

#include "core/slopes.c"

#include "core/model_exchange.c"

#include "core/co_simulation.c"

#include "core/state.c"
