/* What a C99 library needs beyond Windows' own C runtime (the UCRT, part of Windows since version
 * 10).
 *
 * zig can build all of mingw's runtime library for this, but that takes minutes on a fresh
 * machine. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

/* The math functions of this runtime need no start-up code; linkers look for the name to know. */
int _fltused = 1;

int DllMainCRTStartup(void *module, unsigned long reason, void *reserved);
int __stdio_common_vsprintf(unsigned long long options, char *text, size_t size, const char *format,
                            void *locale, va_list arguments);

int DllMainCRTStartup(void *module, unsigned long reason, void *reserved) {
    (void)module;
    (void)reason;
    (void)reserved;
    return 1;
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int snprintf(char *text, size_t size, const char *format, ...);

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    /* end the text with zero and return the full length, as C99 says */
    const unsigned long long standard_snprintf = 2;
    return __stdio_common_vsprintf(standard_snprintf, text, size, format, NULL, arguments);
}

int snprintf(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

/* Behind mingw's isfinite, isnan and isinf. */
int __fpclassify(double x) {
    return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x);
}
