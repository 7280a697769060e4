/* Marks the functions that Python calls. */
#ifndef BRISTLE_EXPORT_H
#define BRISTLE_EXPORT_H

#if defined(_WIN32)
#define RUNNER_EXPORT __declspec(dllexport)
#else
#define RUNNER_EXPORT __attribute__((visibility("default")))
#endif

#endif
