/* Allocation that always succeeds, or ends the program. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *new_array(size_t count, size_t size); /* zeroed; never NULL */
void *grown_array(void *array, size_t count,
                  size_t size); /* preserves the content; new elements are not initialized */
char *copied(const char *text);
char *joined(const char *first, const char *second, const char *third);

#endif
