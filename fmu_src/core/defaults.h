/* What distinguishes an element from others with the same law: its GUID, its name and its start
 * values.
 *
 * They are stored in one table behind a unique marker, so that a tool can find it in the finished
 * library and replace the values (`bristle stamp`), without a compiler. The values are in the
 * generated own_defaults.h. */
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
