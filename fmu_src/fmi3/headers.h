/* The headers of FMI 3.0, of the importer or from the sources: both handle FMI3_FUNCTION_PREFIX,
 * which fmu.c defines. */
#ifdef __has_include
#if !__has_include(<fmi3Functions.h>)
#define BRISTLE_OWN_FMI3_HEADERS
#endif
#endif
#ifdef BRISTLE_OWN_FMI3_HEADERS
#include "headers/fmi3Functions.h"
#else
#include <fmi3Functions.h>
#endif
