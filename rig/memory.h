/* Allocation that always succeeds, or calls out_of_memory(). */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void out_of_memory(void); /* each program defines it; it does not return */

void *new_array(size_t count, size_t size); /* zeroed; never NULL */
void *grown_array(void *array, size_t count,
                  size_t size); /* the first bytes stay, all others are not set */
char *copied(const char *text);
char *joined(const char *first, const char *second, const char *third);

#endif
