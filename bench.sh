#!/bin/sh
# Measures the FMUs in dist/ and writes dist/bench.md; --build also times a build from nothing, and
# --peer FMU measures that one beside LuGre instead.
set -eu
cd "$(dirname "$0")"

fail() {
    echo "bench.sh: $1" >&2
    exit 1
}

[ -x .venv/bin/python ] && ls dist/*.fmu >/dev/null 2>&1 ||
    fail "there are no FMUs yet: run ./build.sh first."
. tools/environment.sh
target=all
for word; do
    case $word in --peer*) target=bench ;; esac # which needs no models without their FMI layer
done
if ! { cmake -S bench -B build/bench -G Ninja && cmake --build build/bench --target $target; } \
    >build/bench.log 2>&1; then
    tail -n 20 build/bench.log >&2
    fail "the benchmark cannot be built; it needs a C compiler and SUNDIALS \
(on Debian: apt-get install gcc libsundials-dev)."
fi
exec python bench/bench.py "$@"
