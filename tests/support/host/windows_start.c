/* What the host needs beyond Windows' own C runtime. zig can build all of mingw's runtime library
 * for this, but that takes minutes on a fresh machine. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int _fltused = 1;

int main(void);
void __main(void);
void mainCRTStartup(void);

/* Called by main, for constructors of C++. */
void __main(void) {
}

void mainCRTStartup(void) {
    exit(main());
}

int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = __stdio_common_vfprintf(0, stdout, format, NULL, arguments);
    va_end(arguments);
    return count;
}

int fprintf(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = __stdio_common_vfprintf(0, file, format, NULL, arguments);
    va_end(arguments);
    return count;
}

int scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = __stdio_common_vfscanf(0, stdin, format, NULL, arguments);
    va_end(arguments);
    return count;
}
