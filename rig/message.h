/* One sentence for the user, handed up by every function that may fail. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char text[1024];
} Message;

/* Tells the user a sentence and goes on; the program knows how. */
void warn(const char *format, ...);

/* Writes the sentence and returns false, so that `return fail(message, …)` ends a function that
 * returns success. */
static inline bool fail(Message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return false;
}

#endif
