/* Passes warnings to the program around the library: those of the FMUs, and of values of a
 * parameter set that are out of range. */
#include "export.h"
#include "message.h"

static void (*listener)(const char *text);

RUNNER_EXPORT void rig_listen(void (*on_warning)(const char *text)) {
    listener = on_warning;
}

void warn(const char *format, ...) {
    Message message;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message.text, sizeof message.text, format, arguments);
    va_end(arguments);
    if (listener) listener(message.text);
}
