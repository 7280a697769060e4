/* A rule for a parameter: a relation to a number or to another parameter. */
#ifndef BRISTLE_RULE_H
#define BRISTLE_RULE_H

enum { RULE_AT_LEAST, RULE_ABOVE, RULE_AT_MOST, RULE_BELOW };

typedef struct {
    int parameter; /* index of the parameter that the rule is for */
    int relation;  /* one of RULE_… */
    int other;     /* index of the parameter to compare with, or -1 */
    double bound;  /* the number to compare with if other is -1 */
} Rule;

#endif
