/* What the program around the library hears of what the FMUs warn of, and of values of a set that
 * they do not take. */
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
