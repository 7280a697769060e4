#!/bin/sh
# Builds everything and runs all tests: style, types, static analysis, the suite, and the suite
# again with sanitizers. Installs Python packages into .venv and, as root on Debian, missing system
# packages; otherwise names them. With CI=true whatever is missing or skipped is a failure.
set -eu
cd "$(dirname "$0")"
. tools/environment.sh

fail() {
    echo "check.sh: $1" >&2
    exit 1
}

step() {
    echo
    echo "== $1 (${SECONDS_SO_FAR:-0} s)"
}

begun=$(date +%s)
tick() {
    SECONDS_SO_FAR=$(($(date +%s) - begun))
}

# --- what the checks need ------------------------------------------------------------------------

# What has to be there : the Debian package that brings it.
needs="gcc:gcc nm:binutils wine64|wine|/usr/lib/wine/wine64:wine64 cppcheck:cppcheck
       /usr/include/sunmatrix/sunmatrix_dense.h:libsundials-dev chromium:chromium node:nodejs
       cargo:cargo clang:clang
       /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a:libclang-rt-14-dev"

is_there() {
    for one in $(echo "$1" | tr '|' ' '); do
        if [ -e "$one" ] || command -v "$one" >/dev/null; then return 0; fi
    done
    return 1
}

missing_packages() {
    for need in $needs; do
        is_there "${need%:*}" || printf '%s ' "${need##*:}"
    done
}

# The FMUs are built by what comes with .venv, so that packages may arrive meanwhile.
missing=$(missing_packages)
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    step "Installing $missing"
    {
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
    } >/dev/null 2>&1 &
fi

# --- build ---------------------------------------------------------------------------------------

tick; step "Building"
./build.sh || { wait; fail "the FMUs cannot be built."; }
wait
missing=$(missing_packages)
if [ -n "$missing" ]; then
    [ "${CI:-}" = true ] && fail "these Debian packages are missing: $missing"
    echo "These Debian packages are missing, so what needs them is skipped: $missing"
fi
has_sundials=""
if is_there /usr/include/sunmatrix/sunmatrix_dense.h; then has_sundials=1; fi
# Its source is fetched and configured, mostly on one core, while the tests' packages come.
if [ -n "$has_sundials" ] && is_there cargo; then
    rig/sundials7.sh build/sundials7 >build/sundials7.log 2>&1 &
    sundials7=$!
fi
if ! cmp -s requirements-check.txt .venv/requirements-check.txt; then
    python -m pip install --quiet --disable-pip-version-check -r requirements-check.txt ||
        fail "the requirements of the tests cannot be installed."
    cp requirements-check.txt .venv/requirements-check.txt
fi
skipped=""

# --- style and static analysis, while rig, benchmark and sanitized FMUs are built ----------------

analyse() {
    found=""
    find fmu_src runner rig playground bench tests examples -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run -Werror || found=1
    ruff check --quiet . && ruff format --quiet --check . || found=1
    mypy --no-error-summary || found=1
    if is_there cppcheck; then analyse_c || found=1; fi
    [ -z "$found" ]
}

analyse_c() {
    headers=$(python -c 'from pathlib import Path; import fmpy
print(Path(fmpy.__file__).parent / "c-code")')
    # Each FMU is one translation unit, and a twin is its model behind a frame, so that one of a
    # kind stands for all. Solver and FMI layer are the same in all models whose sizes and functions
    # are the same: one of them is looked at as a whole, of the others the law, its frame and its
    # derivatives. A model may have no states, so a range in references.c may be empty.
    models=$(cd modelDescription && ls [A-Z]*.toml | sed 's/\.toml$//')
    twins=$(for twin in modelDescription/twins/*.toml; do
        ls build/generated | grep "$(basename "$twin" .toml)\$" | head -n 1
    done)
    # what was found, for the next time
    (mkdir -p build/cppcheck && cd build/cppcheck && mkdir -p $models $twins runner)
    shapes=""
    for model in $models $twins; do
        sizes='^#define (HAS_|LINEAR_STATES)|^ +N_(INPUTS|STATES|MODES|INDICATORS|AXES) ='
        shape=$(grep -hE "$sizes" build/generated/"$model"/*.h | cksum | tr -d ' ')
        unit=build/cppcheck/$model/unit.c
        case " $shapes " in
            *" $shape "*)
                sed '/"solver\/solver.c"/d; /"core\/core.c"/d; /"fmi[23]\/fmi[23].c"/d' \
                    "build/generated/$model/both.c" >"$unit"
                ;;
            *) cp "build/generated/$model/both.c" "$unit" ;;
        esac
        shapes="$shapes $shape"
    done
    # It takes the place in x that state_places(&x) gives for a temporary, which it is not, and goes
    # through a loop over j < n once with j = n.
    options="--quiet --std=c99 --error-exitcode=1 --enable=warning,performance,portability \
        --suppress=missingIncludeSystem --suppress=danglingTempReference \
        --suppress=danglingTemporaryLifetime \
        --suppress=arrayIndexOutOfBounds:fmu_src/solver/matrix.c"
    echo $models $twins | tr ' ' '\n' |
        xargs -P 2 -I{} cppcheck $options -DFMI2_OVERRIDE_FUNCTION_PREFIX \
            -DFMI3_OVERRIDE_FUNCTION_PREFIX \
            --suppress=incorrectLogicOperator:fmu_src/core/references.c \
            --cppcheck-build-dir=build/cppcheck/{} \
            -I build/generated/{} -I fmu_src -I "$headers" build/cppcheck/{}/unit.c &&
        cppcheck $options --cppcheck-build-dir=build/cppcheck/runner \
            -I runner -I rig -I fmu_src -I "$headers" runner/*.c
}

analyse >build/analysis.log 2>&1 &
analysis=$!
if ! is_there cppcheck; then
    skipped="$skipped
  static analysis: cppcheck is missing"
fi

# --- rig, benchmark and sanitized FMUs -----------------------------------------------------------

# Rig and benchmark, each with the SUNDIALS of the system and with version 7.
build_with() { # PROJECT FOLDER [OPTION]; the target is named like the project
    project=$1 folder=build/$2
    shift 2
    { cmake -S "$project" -B "$folder" -G Ninja "$@" &&
        cmake --build "$folder" --target "$project"; } >"$folder.log" 2>&1 ||
        { tail -n 20 "$folder.log" >&2; fail "the $project cannot be built."; }
}
if [ -n "$has_sundials" ]; then
    build_with rig rig
    build_with bench bench
    if is_there cargo; then
        wait "$sundials7" ||
            { tail -n 20 build/sundials7.log >&2; fail "SUNDIALS 7 cannot be built."; }
        build_with rig rig7 "-DCMAKE_PREFIX_PATH=$PWD/build/sundials7"
        build_with bench bench7 "-DCMAKE_PREFIX_PATH=$PWD/build/sundials7"
    else
        skipped="$skipped
  SUNDIALS 7: cargo, which brings its source, is missing"
    fi
fi

{ cmake --preset sanitize && cmake --build --preset sanitize; } >build/sanitize.log 2>&1 ||
    { cat build/sanitize.log >&2; fail "the build with sanitizers failed."; }

failed=""
tick; step "Format, types and static analysis"
wait "$analysis" || failed=1
cat build/analysis.log

# --- tests ---------------------------------------------------------------------------------------

# One more than there are cores, for a test that waits for a browser, a cluster or Wine leaves its
# core to others.
workers=$(($(getconf _NPROCESSORS_ONLN) + 1))
[ $workers -le 8 ] || workers=8

results=build/results
mkdir -p "$results"
rm -f "$results"/*.xml

tick; step "Tests"
python -m pytest tests -n $workers --dist loadgroup --complete --junit-xml="$results/plain.xml" ||
    failed=1

# The same tests of every FMU on a binary that watches each memory access and each undefined
# operation. Tests marked `shipped` look at the shipped file itself, those marked `endurance` repeat
# the same run over and over, and those without an FMU would only be run twice. Python itself leaks
# at its end, so leaks are not asked for here: the suite counts every allocation of an instance by
# itself. Who allocated a block is always the suite, so nobody walks the stack to note it. Of many
# random points, which have all been tried above, a quarter is tried again
# (tests/support/operating_points.py).
tick; step "Tests with AddressSanitizer and UndefinedBehaviorSanitizer"
BRISTLE_FMUS="$PWD/build/sanitize/dist" \
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    ASAN_OPTIONS=detect_leaks=0:malloc_context_size=1 UBSAN_OPTIONS=print_stacktrace=1 \
    python -m pytest tests/every_fmu tests/models -n $workers --dist loadgroup \
    -m "not shipped and not endurance" --only-fmus --junit-xml="$results/sanitized.xml" || failed=1

# --- summary -------------------------------------------------------------------------------------

tick
echo
python tests/scripts/summary.py "$results" || failed=1
[ -z "$skipped" ] || echo "Not checked:$skipped"
echo "The check took $SECONDS_SO_FAR s."
if [ -n "$failed" ]; then
    echo "FAILED"
    exit 1
fi
if [ "${CI:-}" = true ] && { [ -n "$skipped" ] ||
    ! python tests/scripts/summary.py "$results" --nothing-skipped >/dev/null; }; then
    echo "FAILED: with CI=true nothing may be skipped"
    exit 1
fi
echo "All passed."
