/* RecurDynStickSlip: friction that grows with a small displacement in stick and falls with the
 * speed in slip, as RecurDyn has it.
 *
 * The law is in common/stick_slip.h (Schuderer et al. 2023, eqs 2, 3, 5); here v_d = 1.5 v_s
 * always.
 *
 * Separated (N <= 0): F = 0 and x = 0. F has the sign of the sliding velocity and is subtracted
 * from the body's equation of motion.
 */
#include "RecurDynStickSlip.h"
#include "common/stick_slip.h"

static double dynamic_velocity(const Parameters *p) {
    return 1.5 * p->v_s;
}
