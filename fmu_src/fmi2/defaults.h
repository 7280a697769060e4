/* What tells an element from others with the same law: its GUID, its name and its start values.
 *
 * All of it lies in one table behind a mark that occurs nowhere else, so that a tool can find it in the finished library and put in other
 * values (`bristle stamp`), without a compiler. The generated own_defaults.h has the values. */
#ifndef BRISTLE_DEFAULTS_H
#define BRISTLE_DEFAULTS_H

enum { MARK_BYTES = 24, GUID_BYTES = 40, NAME_BYTES = 128 };

typedef struct {
    char mark[MARK_BYTES];
    char guid[GUID_BYTES];
    char name[NAME_BYTES];
    double parameters[N_PARAMETERS > 0 ? N_PARAMETERS : 1];
    double inputs[N_INPUTS > 0 ? N_INPUTS : 1];
    int options[N_OPTIONS > 0 ? N_OPTIONS : 1];
} Defaults;

#endif
