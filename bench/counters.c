#define _GNU_SOURCE
#include "counters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static Counters counted;

Counters counters(void) {
    return counted;
}

/* glibc's allocator, which a program may wrap under the public names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
    counted.allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    counted.allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    counted.allocations++;
    return __libc_realloc(block, size);
}

void free(void *block) {
    counted.allocations++;
    __libc_free(block);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*next)(pthread_mutex_t *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    counted.locks++;
    return next(mutex);
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    static int (*next)(char *, size_t, const char *, va_list);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "vsnprintf");
    counted.formats++;
    return next(text, size, format, arguments);
}

int snprintf(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}
