/* What a system offers to a ContactPoint: the point, the plane and their relative velocity. */
#ifndef CONTACT_POINT_H
#define CONTACT_POINT_H

#include <stddef.h>

static const char *const contact_point_inputs[] = {
    "pointPosition[1]",
    "pointPosition[2]",
    "pointPosition[3]",
    "planePoint[1]",
    "planePoint[2]",
    "planePoint[3]",
    "contactNormal[1]",
    "contactNormal[2]",
    "contactNormal[3]",
    "relativeVelocity[1]",
    "relativeVelocity[2]",
    "relativeVelocity[3]",
    NULL,
};
enum { POINT = 0, PLANE = 3, NORMAL = 6, VELOCITY = 9, N_OFFERS = 12 };

#endif
