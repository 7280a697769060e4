/* What the program around the library hears: warnings, and that there is no memory. */
#include "rig.h"

#include <setjmp.h>

#include "memory.h"

static void (*listener)(const char *text);
static __thread jmp_buf without_memory;

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

void out_of_memory(void) {
    longjmp(without_memory, 1);
}

int rig_run(SystemRun *run) {
    if (!setjmp(without_memory)) return systems_run(run);
    run->n_columns = 0; /* some of them may have no name yet */
    run->outcome = BROKE_OFF;
    return !fail(&run->message, "out of memory.");
}
