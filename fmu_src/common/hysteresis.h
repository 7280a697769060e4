/* Limits at which modes end.
 *
 * A mode that holds below a limit ends slightly above it, a mode that holds above it ends at the
 * limit, so that no indicator stays at zero before or after an event. An event changes the mode
 * slightly before the indicator changes its sign, so that an importer that stops short of the
 * crossing by its own rounding error does not have to locate it again:
 *
 *     limit times   1            1 + H/4            1 + 3H/4           1 + H
 *                   slip ends    slip may go on     stick may go on    stick ends
 *                   (indicator)  above this         up to this         (indicator)
 */
#ifndef BRISTLE_HYSTERESIS_H
#define BRISTLE_HYSTERESIS_H

#include <math.h>

static const double HYSTERESIS = 1e-6; /* H */
/* fraction of a speed that is small for the model, at which slip has come to rest */
static const double REST = 1e-4;

/* Value over limit, bounded so that it cannot overflow. */
static double part_of_limit(double value, double limit) {
    return fmax(-1e3, fmin(value / limit, 1e3));
}

static double below_indicator(double value, double limit) {
    return 1 + HYSTERESIS - part_of_limit(value, limit);
}

static int is_below(double value, double limit) {
    return value <= limit * (1 + 0.75 * HYSTERESIS);
}

static double above_indicator(double value, double limit) {
    return part_of_limit(value, limit) - 1;
}

static int is_above(double value, double limit) {
    return value > limit * (1 + 0.25 * HYSTERESIS);
}

/* Small speeds. An importer misses a crossing by the change of the speed within one rounding error
 * of the time, which late in a run is more than the hysteresis of a tiny speed. So an event changes
 * the mode a factor of two before the indicator. */

/* Whether a falling speed is still a motion, which above_indicator(v, v_0) ends. */
static int is_moving(double v, double v_0) {
    return v > 2 * v_0;
}

/* Whether a rising speed is already a motion, which below_indicator(v, limit) begins. */
static int starts_moving(double v, double limit) {
    return v > 0.5 * limit;
}

#endif
