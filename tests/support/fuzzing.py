"""Builds the programs of tests/fuzz/ with sanitizers: FMUs from their shipped sources, linked under
their prefixes.

calls      libFuzzer over FMI calls and stored states, by clang: AddressSanitizer and
           UndefinedBehaviorSanitizer
threads    16 threads, each with instances of several FMUs, by gcc: ThreadSanitizer
"""

import fcntl
import os
import re
import shutil
import zipfile
from pathlib import Path
from typing import NamedTuple

import fmpy

from commands import completed
from fmus import FOLDER, REPOSITORY

SOURCES = REPOSITORY / "tests" / "fuzz"
FINDINGS = SOURCES / "findings"
HEADERS = Path(fmpy.__file__).parent / "c-code"
NAME_OF_3 = "{} of 3.0"
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
COMPILERS = {
    "calls": (
        "clang -g1 -fno-omit-frame-pointer -fsanitize=address,undefined"
        " -fno-sanitize-recover=undefined"
    ),
    "threads": "gcc -g1 -fsanitize=thread",
}
# For reproducible runs: libFuzzer otherwise learns from compared values, and addresses are among
# them. It then needs no hook at each comparison: coverage is the count of each branch, and the
# depth of the stack.
REPEATABLE = ("-use_cmp=0", "-use_memmem=0")
COVERAGE = {
    True: "-fsanitize-coverage=inline-8bit-counters,pc-table,stack-depth",
    False: "-fsanitize=fuzzer-no-link",
}
LINKS = {"calls": ("-fsanitize=fuzzer",), "threads": ("-pthread",)}


def missing():
    """Names what these programs need and is missing; None if nothing is."""
    if shutil.which("clang") is None:
        return "clang"
    runtime = completed("clang", "-print-runtime-dir").stdout.strip()
    return (
        None
        if list(Path(runtime).glob("libclang_rt.fuzzer*"))
        else "libFuzzer, in Debian's libclang-rt-14-dev,"
    )


def _elements(fmus, of_3):
    """Writes the table of the program's FMUs, as declared in elements.h; those for 3.0 with the
    functions of fmi3.c."""
    lines = ['#include "elements.h"', ""]
    both = [(fmu, fmu.name, _prefix(fmu)) for fmu in fmus]
    both += [(fmu, NAME_OF_3.format(fmu.name), _prefix_of_3(fmu)) for fmu in of_3]
    for _, _, prefix in both:
        lines += [
            f"#define DECLARE(function) extern function##TYPE {prefix}##function;",
            "FMI_FUNCTIONS(DECLARE)",
            "#undef DECLARE",
        ]
    lines += ["", "const Element elements[] = {"]
    for fmu, name, prefix in both:
        d = fmu.description
        assert [v.reference for v in d.reals] == list(range(len(d.reals))), (
            "value references count through the Reals"
        )
        integers = [v for v in d.variables if v.type in ("Integer", "Enumeration")]
        numbers = (
            len(d.reals),
            len(integers),
            len(d.states),
            d.indicators,
            d.inputs[0].reference,
            len(d.inputs),
            d["maximumSubsteps"].reference,
        )
        lines += [
            f"#define NAME(function) {prefix}##function,",
            f'{{"{name}", "{d.guid}", {", ".join(map(str, numbers))}, FMI_FUNCTIONS(NAME)}},',
            "#undef NAME",
        ]
    return "\n".join([*lines, "};", f"const unsigned element_count = {len(both)};", ""])


def _prefix(fmu):
    return f"{fmu.description.identifier}_"


def _prefix_of_3(fmu):
    return f"{fmu.description.identifier}_in_3_"


def _sources(fmu, of_3):
    """Returns the sources of an FMU by name, with those of the same element's FMU for 3.0 if it is
    in `of_3`: they differ only in the unit and the layer."""
    files = [fmu.path] + [FOLDER / "fmi3" / fmu.path.name] * (fmu in of_3)
    found = {}
    for file in files:
        with zipfile.ZipFile(file) as archive:
            found |= {
                name.removeprefix("sources/"): archive.read(name)
                for name in archive.namelist()
                if name.startswith("sources/")
            }
    return found


def _write(path, text):
    """Writes a text only if it differs, so that nothing is built twice."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != text:
        path.write_bytes(text)


def build(program, fmus, folder, optimize="-O0", repeatable=True, of_3=()):
    """Builds the program with these FMUs, and with those for 3.0 of some of them, as far as they or
    the program's source have changed. Both layers of an element are compiled at once, as in the
    build. Unoptimized it takes a second to build per FMU, optimized three more. Unless
    `repeatable`, it also learns from comparisons.
    """
    folder = Path(folder).resolve()
    compiler = f"{COMPILERS[program]} {optimize}"
    coverage = f" {COVERAGE[repeatable]}" if program == "calls" else ""
    for fmu in fmus:
        for name, content in _sources(fmu, of_3).items():
            _write(folder / fmu.name / name, content)
    _write(folder / "elements.c", _elements(fmus, of_3).encode())
    rules = [
        (
            f"rule element\n command = {compiler}{coverage} -MMD -MF $out.d -c -o $out $in\n"
            " depfile = $out.d\n"
        ),
        (
            f"rule element_of_both\n command = {compiler}{coverage} $defines -I {SOURCES}"
            f" -I {HEADERS} -MMD -MF $out.d -c -o $out $in\n depfile = $out.d\n"
        ),
        (
            f"rule importer\n command = {compiler} {' '.join(WARNINGS)} -I {SOURCES} -I {HEADERS}"
            " -MMD -MF $out.d -c -o $out $in\n depfile = $out.d\n"
        ),
        (
            f"rule program\n command = {compiler} {' '.join(LINKS[program])} -o $out.new $in -lm &&"
            " mv $out.new $out\n"
        ),
    ]
    steps, counted = [], "-DCOUNTED" if program == "calls" else ""
    for fmu in fmus:
        unit = folder / fmu.name / "fmu.c"
        names = f"-DPREFIX={_prefix_of_3(fmu)} -DFMI2_FUNCTION_PREFIX={_prefix(fmu)}"
        steps.append(
            f"build {fmu.name}.o: element_of_both {SOURCES / 'fmi3.c'} | {unit}\n"
            f" defines = {counted} {names} -DBRISTLE_OWN_HEADERS -I {unit.parent}\n"
            if fmu in of_3
            else f"build {fmu.name}.o: element {unit}\n"
        )
    objects = [f"{fmu.name}.o" for fmu in fmus]
    steps += [
        "build elements.o: importer elements.c\n",
        f"build {program}.o: importer {SOURCES / program}.c\n",
        f"build {program}: program {program}.o elements.o {' '.join(objects)}\n",
    ]
    _write(folder / "build.ninja", "\n".join(rules + steps).encode())
    with open(folder / "lock", "w") as lock:  # other workers may build it, too
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = completed("ninja", "-C", folder)
    assert made.returncode == 0, made.stdout[-4000:] + made.stderr
    return folder / program


def fuzz(program, model, options=(), files=(), exhaust=False, artifacts=None):
    """Runs `calls` for one FMU, or for all in it (None); returns its output, the counts of calls
    and of failed allocations, and the input that broke a promise, if any: a file in the folder
    `artifacts`.
    """
    environment = {
        **os.environ,
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }  # calls.c counts all memory itself
    environment |= ({"BRISTLE_MODEL": model} if model else {}) | (
        {"BRISTLE_EXHAUST": "1"} if exhaust else {}
    )
    prefix = [f"-artifact_prefix={artifacts}/"] if artifacts else []
    command = [
        str(program),
        "-verbosity=0",
        "-print_final_stats=1",
        "-max_len=300",
        "-len_control=0",
        *prefix,
        *options,
        *map(str, files),
    ]
    done = completed(*command, errors="replace", env=environment)
    counts = re.search(r"calls: (\d+), failed allocations: (\d+)", done.stderr)
    broken = re.search(r"Test unit written to (\S+)", done.stderr)
    if done.returncode != 0 and not broken and not files:
        raise RuntimeError(done.stderr[-2000:])
    calls, failures = map(int, counts.groups()) if counts else (0, 0)
    return Fuzzed(
        done.returncode == 0, done.stderr, calls, failures, Path(broken[1]) if broken else None
    )


class Fuzzed(NamedTuple):
    kept: bool  # all promises
    text: str
    calls: int
    failures: int
    finding: Path | None
