/* Messages: preformatted, in the categories that modelDescription.xml declares. Refusals are always
 * logged. Logging that is merely switched on, as OpenModelica does for every instance and FMPy on
 * request, adds warnings that matter to a user, once each. Events, and calls that violate the
 * standard but are tolerated because importers make them in every run, are logged if requested by
 * category. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    LOG_WARNING,
    LOG_DISCARD,
    LOG_ERROR,
    LOG_FATAL,
    LOG_EVENTS,
    LOG_ALL,
    LOG_CATEGORIES,
    LOG_TOLERATED = LOG_CATEGORIES
};

static const char *const category_names[LOG_CATEGORIES] = {
    "logStatusWarning", "logStatusDiscard", "logStatusError",
    "logStatusFatal",   "logEvents",        "logAll",
};

/* Passes a text to a logger, which may or may not treat it as a format, so that it must not contain
 * a per cent sign. */
static void write_log(const Host *host, const char *name, Status status, int category,
                      const char *format, va_list arguments) {
    char text[512];
    if (!host->logger) return;
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if (*c == '%') *c = '_';
    host->log(host, name, status, category_names[category], text);
}

/* Logs why a call is refused, and returns the status. */
COLD static Status refuse(Instance *c, Status status, const char *format, ...) {
    va_list arguments;
    c->refused = 1;
    va_start(arguments, format);
    write_log(&c->host, c->name, status, status == STATUS_DISCARD ? LOG_DISCARD : LOG_ERROR, format,
              arguments);
    va_end(arguments);
    return status;
}

static int is_logged(const Instance *c, int category) {
    return (c->logged & (1u << category | 1u << LOG_ALL)) != 0;
}

static void log_message(const Instance *c, Status status, int category, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_log(&c->host, c->name, status, category, format, arguments);
    va_end(arguments);
}

/* Warnings, each logged once per instance: calls that are accepted although the standard does not
 * allow them there, and what a user should know about a run. */
enum {
    TOLERATED_PARAMETER,
    TOLERATED_STATE,
    TOLERATED_STATES_IN_EVENT_MODE,
    TOLERATED_TOLERANCE,
    TOLERATED_GAP,
    WARNED_CHATTER,
    WARNED_SWING,
    WARNED_MASS,
    WARNED_REBOUND,
    WARNED_LAW,
    WARNED_LOAD
};

static int is_new_warning(const Instance *c, int what) {
    return !(c->warned & 1u << what) && is_logged(c, LOG_WARNING);
}

COLD static void warn(Instance *c, int what, const char *format, ...) {
    va_list arguments;
    if (!is_new_warning(c, what)) return;
    c->warned |= 1u << what;
    va_start(arguments, format);
    write_log(&c->host, c->name, STATUS_WARNING, LOG_WARNING, format, arguments);
    va_end(arguments);
}

COLD static void log_tolerated(Instance *c, int what, const char *format, const char *detail) {
    if (is_logged(c, LOG_TOLERATED)) warn(c, what, format, detail);
}
