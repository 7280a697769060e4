/* What the program around the library hears: warnings. */
#include "rig.h"

static void (*listener)(const char *text);

void rig_listen(void (*on_warning)(const char *text)) {
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
