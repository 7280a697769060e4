/* Probes of the event indicators inside a step; `count` is the number of indicators. */
#include <math.h>

/* Indicators at the fraction s of a trial step. */
typedef struct {
    double s;
    double g[INDICATOR_ROOM];
} Probe;

/* One bit for each indicator that is positive. */
typedef unsigned long long Signs;

static Signs signs_at(const Probe *at, int count) {
    Signs signs = 0;
    for (int i = 0; i < count; i++) signs |= (Signs)(at->g[i] > 0) << i;
    return signs;
}

static int signs_differ(const Probe *a, const Probe *b, int count) {
    return signs_at(a, count) != signs_at(b, count);
}

/* The fraction of a step at which the parabola through three probes of an indicator is nearest to
 * zero; 0 where the one in the middle is not the nearest of them. */
static double nearest_to_zero(const Probe *a, const Probe *b, const Probe *c, int i) {
    const double left = fabs(a->g[i]) - fabs(b->g[i]), right = fabs(c->g[i]) - fabs(b->g[i]);
    const double before = b->s - a->s, after = c->s - b->s;
    if (left < 0 || right < 0 || left + right == 0) return 0;
    return b->s +
           0.5 * (left * after * after - right * before * before) / (left * after + right * before);
}

/* Whether the indicator i may reach zero between three probes of which the one in the middle is
 * nearest to it: it varies by at least its distance from zero. */
static int may_reach_zero(const Probe *a, const Probe *b, const Probe *c, int i) {
    return fmax(fabs(a->g[i]), fabs(c->g[i])) >= 2 * fabs(b->g[i]);
}

/* The first of the probes from n on at which an indicator is nearer to zero than before, and no
 * farther than after; the last where there is none, which is nearly always so. */
static int first_minimum(const Probe *probes, int n, int last, int count) {
    for (; n < last; n++)
        for (int i = 0; i < count; i++) {
            const double now = fabs(probes[n].g[i]), before = fabs(probes[n - 1].g[i]),
                         after = fabs(probes[n + 1].g[i]);
            if (now < before && now <= after) return n;
        }
    return n;
}

/* Whether each indicator is further from zero than it varies, in all probes: then no parabola
 * through them reaches zero. */
static int all_far_from_zero(const Probe *probes, int last, int count) {
    for (int i = 0; i < count; i++) {
        double least = fabs(probes[0].g[i]), most = least;
        for (int n = 1; n <= last; n++) {
            const double now = fabs(probes[n].g[i]);
            least = now < least ? now : least;
            most = now > most ? now : most;
        }
        if (least <= most - least) return 0;
    }
    return 1;
}

/* The earliest root between two probes, by linear interpolation of the indicators that change. */
static double expected_change(const Probe *left, const Probe *right, int count) {
    double earliest = right->s;
    for (int i = 0; i < count; i++) {
        const double a = left->g[i], b = right->g[i];
        if ((a > 0) != (b > 0))
            earliest = fmin(earliest, left->s + (right->s - left->s) * (a / (a - b)));
    }
    return earliest;
}
