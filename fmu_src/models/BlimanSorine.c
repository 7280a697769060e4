/* BlimanSorine: two Dahl models in parallel, a fast one that overshoots and a slow one that removes
 * the overshoot.
 *
 *     F       = sigma_1 z_1 - sigma_2 z_2     Bliman and Sorine 1995, second order
 *     dz_i/dt = v (1 - sgn(v) z_i/l_i)        Dahl with the exponent 1
 *     l_1     = eta l,  l_2 = l,  eta < 1
 *
 * From rest the force rises to a peak over the path s_e and falls to the dynamic friction from
 * there:
 *
 *     sigma_1 l_1 = (1 + b) F_d,  sigma_2 l_2 = b F_d   so that fast sliding has F_d = mu_d N
 *     F_s/F_d     = 1 + b (1 - eta) (eta b/(1 + b))^(eta/(1 - eta))     peak,
 *     s_e         = l eta/(1 - eta) ln((1 + b)/(eta b))                 after this path
 *     sigma0      = sigma_1 - sigma_2                                   stiffness at rest
 *
 * b follows from mu_s/mu_d. Like Dahl's, the force depends on the path alone, not on the speed.
 * With the option Bounded |F| <= 2 F_s - F_d (for kappa = 1, see reversal_peak), the peak of a
 * reversal out of sliding and the greatest force of any motion under a constant normal force. Of a
 * deflection only what is within l_i acts, which under a constant normal force is all of it.
 *
 * Separated (N <= 0): F = 0 and the bristles relax, dz_i/dt = -z_i/tau_r. F has the sign of the
 * sliding velocity and is subtracted from the body's equation of motion.
 */
#include "BlimanSorine.h"
#include "common/reversal_events.h"
#include "common/dahl_bristle.h"
#include "common/direction.h"
#include "common/printed_law.h"
#include "common/resolution.h"
#include "common/scalar.h"

/* b for the overshoot o = F_s/F_d - 1. With L = ln b, ln o = ln(1 - eta) + k ln eta + (1 + k) L - k
 * ln(1 + e^L), k = eta/(1 - eta), is concave in L: from the left, from the largest L at which one
 * of its tangents (far to the left, at zero, far to the right) reaches the target, Newton's
 * iteration converges monotonically, and Halley's faster, where its step is not twice as long. That
 * leaves an error of less than half of its cube. */
static double slow_part(double overshoot, double eta) {
    if (overshoot <= 0) return 0;
    const double k = eta / (1 - eta);
    const double target = log(overshoot / (1 - eta)) - k * log(eta);
    double L = fmax(fmax(target / (1 + k), (target + k * log(2)) / (1 + 0.5 * k)), target);
    for (int i = 0; i < 50; i++) {
        const double b = exp(L), rise = 1 + k / (1 + b);
        const double newton = (target - (1 + k) * L + k * log(1 + b)) / rise;
        const double bend = 0.5 * newton * k * b / ((1 + b) * (1 + b) * rise);
        const double step = bend < 0.5 ? newton / (1 - bend) : newton;
        L += step;
        if (fabs(step) <= 1e-5) return b * (1 + step + 0.5 * step * step);
    }
    return exp(L);
}

/* Slope of the implicit function. Without overshoot it has no bound, and 0 stands for it. */
static double slow_part_slopes(double overshoot, double overshoot_slope, double eta,
                               double eta_slope, double *result_slope) {
    const double b = slow_part(overshoot, eta), k = eta / (1 - eta);
    *result_slope = 0;
    if (b > 0) {
        const double along_eta = log(eta * b / (1 + b)) / ((1 - eta) * (1 - eta));
        *result_slope =
            b * (overshoot_slope / overshoot - along_eta * eta_slope) / (1 + k / (1 + b));
    }
    return b;
}

typedef struct {
    double length;     /* sigma0 l/F_d */
    double fast, slow; /* sigma_1 and sigma_2 as parts of sigma0 */
} Parts;

static Parts parts(const Parameters *p) {
    const double b = slow_part(p->mu_s / p->mu_d - 1, p->eta);
    const double c = (1 + b) / p->eta - b;
    return (Parts){c, (1 + b) / p->eta / c, b / c};
}

/* Greatest force towards a side, the peak of a reversal out of sliding towards the other: F_d + (1
 * + kappa) (F_s - F_d) forward and kappa F_d + (1 + kappa) (F_s - F_d) backward; 2 F_s - F_d where
 * they are alike. */
static double reversal_peak(const Parameters *p, double N, int side) {
    const double rise = p->mu_s - p->mu_d, more = side < 0 ? 1 - p->kappa : p->kappa - 1;
    return (limit_towards(p, 2 * p->mu_s - p->mu_d, side) + more * rise) * N;
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    const Parts share = parts(p);
    double F = 0;
    if (u->N > 0) {
        const double l =
            saturation_length(limit_towards(p, share.length * p->mu_d * u->N, u->v), p->sigma0);
        dx->z[0] = saturating_rate(p->eta * l, p->eta * p->tau_r, u->v, x->z[0]);
        dx->z[1] = saturating_rate(l, p->tau_r, u->v, x->z[1]);
        F = p->sigma0 * (share.fast * x->z[0] - share.slow * x->z[1]);
        if (m->law != LAW_PRINTED) {
            const double most = saturation_length(share.length * p->mu_d * u->N, p->sigma0);
            const double fast = between_limits(p, x->z[0], p->eta * most),
                         slow = between_limits(p, x->z[1], most);
            F = p->sigma0 * (share.fast * fast - share.slow * slow);
            F = fmax(-reversal_peak(p, u->N, -1), fmin(F, reversal_peak(p, u->N, 1)));
        }
    } else {
        dx->z[0] = -x->z[0] / p->tau_r;
        dx->z[1] = -x->z[1] / p->tau_r;
    }
    contact_outputs(u, F, u->v - (share.fast * dx->z[0] - share.slow * dx->z[1]), y);
}

/* sigma_1 is at most sigma0/(1 - eta) and sigma_2 at most eta times that, for any overshoot. */
static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N <= 0) return;
    const double full = lower_limit(p, p->mu_d * u->N, x->z[0], u->v) / p->sigma0;
    length->z[0] = resolved_deflection(full * (1 - p->eta), x->z[0]);
    length->z[1] = resolved_deflection(full * fmin(1 / p->eta - 1, 1), x->z[1]);
}
