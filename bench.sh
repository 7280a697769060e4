#!/bin/sh
# Measures the FMUs in dist/ and writes dist/bench.md; --build also times a build from nothing.
set -eu
cd "$(dirname "$0")"

fail() {
    echo "bench.sh: $1" >&2
    exit 1
}

[ -x .venv/bin/python ] && ls dist/*.fmu >/dev/null 2>&1 ||
    fail "there are no FMUs yet: run ./build.sh first."
. tools/environment.sh
if ! { cmake -S bench -B build/bench -G Ninja && cmake --build build/bench; } \
    >build/bench.log 2>&1; then
    tail -n 20 build/bench.log >&2
    fail "the benchmark cannot be built; it needs a C compiler and SUNDIALS \
(on Debian: apt-get install gcc libsundials-dev)."
fi
exec python bench/bench.py "$@"
