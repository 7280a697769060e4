/* A message to the user, which every function that may fail hands to its caller. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char text[1024];
} Message;

/* Warns the user; each program defines how. */
void warn(const char *format, ...);

/* Writes the message and returns false, for `return fail(message, …)` in a function that returns
 * whether it succeeded. */
static inline bool fail(Message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return false;
}

#endif
