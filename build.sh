#!/bin/sh
# Builds dist/*.fmu for all platforms, a wheel with all of them, and .venv/bin/bristle. With
# --release also dist/bristle-<version>.zip and dist/site/, to be published as they are. Installs
# what it needs into .venv; needs Python 3.11 or newer and a network once.
set -eu
cd "$(dirname "$0")"

fail() {
    echo "build.sh: $1" >&2
    exit 1
}

release=""
for word in "$@"; do
    case $word in
        --release) release=1 ;;
        *) fail "there is no option $word: ./build.sh [--release]" ;;
    esac
done

command -v python3 >/dev/null || fail "python3 is not there: install Python 3.11 or newer."
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or newer is needed."

if [ ! -x .venv/bin/python ]; then
    python3 -m venv .venv || {
        rm -rf .venv
        fail "a virtual environment cannot be made: on Debian, install python3-venv."
    }
fi
. tools/environment.sh

# The installed requirements are remembered, so that pip runs only when they change.
if ! cmp -s requirements.txt .venv/requirements.txt; then
    python -m pip install --quiet --disable-pip-version-check -r requirements.txt ||
        fail "the requirements cannot be installed."
    cp requirements.txt .venv/requirements.txt
fi
# The command bristle, which runs what is in python/.
if [ ! -x .venv/bin/bristle ] || ! cmp -s pyproject.toml .venv/pyproject.toml; then
    python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
        --no-index --editable . || fail "the command bristle cannot be installed."
    cp pyproject.toml .venv/pyproject.toml
fi

# zig keeps the libraries it builds in the user's cache; without a home they go beside the
# environment.
if [ ! -w "${XDG_CACHE_HOME:-${HOME:-/nonexistent}}" ]; then
    export ZIG_GLOBAL_CACHE_DIR="$PWD/.venv/zig-cache"
fi

cmake --preset default --log-level=WARNING
cmake --build --preset default
if [ -n "$release" ]; then
    # The report is part of the site where the rig can be built.
    ./report.sh || echo "build.sh: the site goes without the report." >&2
    python site/bristle_site release dist
fi
echo
PYTHONPATH=python python -m bristle list dist
ls dist/*.whl
echo
echo "Try one:  .venv/bin/bristle run LuGre --set relativeVelocity=0.02 --stop 0.1 --interval 0.01"
