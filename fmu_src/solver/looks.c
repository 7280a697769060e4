/* Looks at the indicators of an event inside a step; `count` is how many there are. */
#include <math.h>

/* Indicators at one point of a trial step, at the part s of it. */
typedef struct {
    double s;
    double g[INDICATOR_ROOM];
} Look;

/* One bit for each indicator that is positive. */
typedef unsigned long long Signs;

static Signs signs_at(const Look *at, int count) {
    Signs signs = 0;
    for (int i = 0; i < count; i++) signs |= (Signs)(at->g[i] > 0) << i;
    return signs;
}

static int signs_differ(const Look *a, const Look *b, int count) {
    return signs_at(a, count) != signs_at(b, count);
}

/* The part of a step at which the parabola through three looks at an indicator comes nearest to
 * zero; 0 where the one in the middle is not the nearest of them. */
static double nearest_to_zero(const Look *a, const Look *b, const Look *c, int i) {
    const double left = fabs(a->g[i]) - fabs(b->g[i]), right = fabs(c->g[i]) - fabs(b->g[i]);
    const double before = b->s - a->s, after = c->s - b->s;
    if (left < 0 || right < 0 || left + right == 0) return 0;
    return b->s +
           0.5 * (left * after * after - right * before * before) / (left * after + right * before);
}

/* Whether the indicator i may reach zero between three looks of which the one in the middle is
 * nearest to it: it varies more than it is far from zero. */
static int may_reach_zero(const Look *a, const Look *b, const Look *c, int i) {
    return fmax(fabs(a->g[i]), fabs(c->g[i])) >= 2 * fabs(b->g[i]);
}

/* The first of the looks between n and the last at which an indicator is nearer to zero than before
 * and does not come nearer; the last where there is none, which is nearly always so. */
static int first_turn(const Look *looks, int n, int last, int count) {
    for (; n < last; n++)
        for (int i = 0; i < count; i++) {
            const double now = fabs(looks[n].g[i]), before = fabs(looks[n - 1].g[i]),
                         after = fabs(looks[n + 1].g[i]);
            if (now < before && now <= after) return n;
        }
    return n;
}

/* Whether all looks see each indicator further from zero than it varies: then no parabola through
 * them reaches zero. */
static int all_are_far(const Look *looks, int last, int count) {
    for (int i = 0; i < count; i++) {
        double least = fabs(looks[0].g[i]), most = least;
        for (int n = 1; n <= last; n++) {
            const double now = fabs(looks[n].g[i]);
            least = now < least ? now : least;
            most = now > most ? now : most;
        }
        if (least <= most - least) return 0;
    }
    return 1;
}

/* The earliest time between two looks at which the straight line of an indicator that changes
 * between them passes through zero. */
static double expected_change(const Look *left, const Look *right, int count) {
    double earliest = right->s;
    for (int i = 0; i < count; i++) {
        const double a = left->g[i], b = right->g[i];
        if ((a > 0) != (b > 0))
            earliest = fmin(earliest, left->s + (right->s - left->s) * (a / (a - b)));
    }
    return earliest;
}
