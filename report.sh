#!/bin/sh
# Builds the rig and dist/report/index.html from the FMUs in dist/, or in the folder behind --fmus;
# arguments go to "python site/bristle_site report".
set -eu
cd "$(dirname "$0")"

fail() {
    echo "report.sh: $1" >&2
    exit 1
}

[ -x .venv/bin/python ] || fail "there is no .venv yet: run ./build.sh first."
. tools/environment.sh
mkdir -p build
if ! { cmake -S rig -B build/rig -G Ninja && cmake --build build/rig; } >build/rig.log 2>&1; then
    tail -n 20 build/rig.log >&2
    fail "the rig cannot be built; it needs a C compiler and SUNDIALS \
(on Debian: apt-get install gcc libsundials-dev)."
fi
exec python site/bristle_site report "$@"
