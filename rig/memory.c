#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *block) {
    if (!block) __builtin_trap();
    return block;
}

void *new_array(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size));
}

void *grown_array(void *array, size_t count, size_t size) {
    return checked(realloc(array, (count ? count : 1) * size));
}

char *copied(const char *text) {
    return strcpy(checked(malloc(strlen(text) + 1)), text);
}

char *joined(const char *first, const char *second, const char *third) {
    char *text = checked(malloc(strlen(first) + strlen(second) + strlen(third) + 1));
    strcpy(text, first);
    strcat(text, second);
    return strcat(text, third);
}
