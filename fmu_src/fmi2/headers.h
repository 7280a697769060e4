/* The headers of FMI 2.0. Those of the importer apply FMI2_FUNCTION_PREFIX, which fmu.c defines.
 * Without them, those of the sources are used, which do not know the prefix, so that it is applied
 * here. */
#ifdef __has_include
#if !__has_include(<fmi2Functions.h>)
#define BRISTLE_OWN_HEADERS
#endif
#endif
#ifdef BRISTLE_OWN_HEADERS
#include "headers/fmi2Functions.h"
#ifdef FMI2_FUNCTION_PREFIX
#undef fmi2FullName
#define BRISTLE_PASTE(prefix, name) prefix##name
#define BRISTLE_PASTE_VALUES(prefix, name) BRISTLE_PASTE(prefix, name)
#define fmi2FullName(name) BRISTLE_PASTE_VALUES(FMI2_FUNCTION_PREFIX, name)
#endif
#else
#include <fmi2Functions.h>
#endif
