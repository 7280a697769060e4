/* Memory for a program that runs to its end: where there is none, it says so and leaves. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *new_array(size_t count, size_t size);                /* zeroed; never NULL */
void *grown_array(void *array, size_t count, size_t size); /* the first bytes stay, the rest is not set */
char *copied(const char *text);
char *joined(const char *first, const char *second, const char *third);

#endif
