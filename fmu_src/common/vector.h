/* Vectors in space. */
#ifndef BRISTLE_VECTOR_H
#define BRISTLE_VECTOR_H

#include <math.h>

typedef struct {
    double x, y, z;
} Vector;

static Vector vector(const double *a) {
    return (Vector){a[0], a[1], a[2]};
}

static void put(Vector a, double *place) {
    place[0] = a.x;
    place[1] = a.y;
    place[2] = a.z;
}

/* a + s b */
static Vector plus(Vector a, double s, Vector b) {
    return (Vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static Vector scaled(double s, Vector a) {
    return (Vector){s * a.x, s * a.y, s * a.z};
}

static double dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The largest component: a vector is divided by it, so that its squares neither overflow nor
 * vanish. */
static double magnitude(Vector a) {
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static double length(Vector a) {
    const double m = magnitude(a);
    if (m == 0) return 0;
    const Vector b = {a.x / m, a.y / m, a.z / m};
    return m * sqrt(dot(b, b));
}

/* Slope of length: along the vector. At zero, where it does not exist, the mean of both sides of
 * any line: 0. */
static double length_slopes(Vector a, Vector a_slope, double *result_slope) {
    const double m = magnitude(a);
    *result_slope = 0;
    if (m == 0) return 0;
    const Vector b = {a.x / m, a.y / m, a.z / m};
    *result_slope = dot(b, a_slope) / sqrt(dot(b, b));
    return m * sqrt(dot(b, b));
}

/* The vector of length 1 in the direction of a; zero for the zero vector. */
static Vector unit(Vector a) {
    const double m = magnitude(a);
    if (m == 0) return a;
    const Vector b = {a.x / m, a.y / m, a.z / m};
    return scaled(1 / sqrt(dot(b, b)), b);
}

/* The part of a in the plane with the unit normal n (Colantonio et al. 2022, eq 18). */
static Vector tangential(Vector n, Vector a) {
    return plus(a, -dot(n, a), n);
}

#endif
