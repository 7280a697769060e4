"""Builds and runs host/host.c, a small importer in C, for this machine and for Windows."""

import sys
from functools import cache
from importlib import metadata
from pathlib import Path

import fmpy
import numpy as np

from commands import printed
from build_cache import compiled
from operating_points import Sampler

SOURCES = Path(__file__).parent / "host"
HEADERS = Path(fmpy.__file__).parent / "c-code"
# Windows' own C runtime, as in the FMUs; mingw's, which zig would build first, takes minutes.
WINDOWS_RUNTIME = [
    *(
        "-Wl,--subsystem,console -Wl,-e,mainCRTStartup -nostdlib -rtlib=compiler-rt -lkernel32"
    ).split(),
    *(f"-lapi-ms-win-crt-{part}-l1-1-0" for part in ("heap", "math", "runtime", "stdio", "string")),
]


@cache
def build(windows=False):
    """Builds the host program, for this machine with its own compiler or for Windows."""
    compiler = (
        (sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu")
        if windows
        else ("gcc",)
    )
    sources, libraries = (
        (["host", "windows_start"], WINDOWS_RUNTIME) if windows else (["host"], ["-ldl", "-lm"])
    )
    flags = "-std=c11 -O2 -Wall -Wextra -fno-sanitize=undefined -I {headers} -c".split()
    objects = [f"{name}.o" for name in sources]
    steps = [
        (*compiler, *flags, "-o", target, f"{{sources}}/{name}.c")
        for name, target in zip(sources, objects)
    ]
    program = "host.exe" if windows else "host"
    steps.append((*compiler, "-o", program, *objects, *libraries))
    return (
        compiled(
            program,
            {"sources": SOURCES, "headers": HEADERS},
            *steps,
            given=[metadata.version("ziglang")],
        )
        / program
    )


def job(fmu, library, kind, steps, step, report, waves):
    """Writes one line for the host. `waves`: {input name: (offset, amplitude, frequency)}."""
    d = fmu.description
    numbers = " ".join(
        f"{d[name].reference} {wave[0]!r} {wave[1]!r} {wave[2]!r}" for name, wave in waves.items()
    )
    return (
        f"{library} {d.guid} {kind} {steps} {step!r} {report} {len(d.reals)} {len(d.states)}"
        f" {d.indicators} {len(waves)} {numbers}\n"
    )


def run(program, jobs, before=(), environment=None, timeout=120):
    """Runs jobs in one process; returns for each (rows of Reals in value reference order, time at
    the end)."""
    said = printed(*before, program, input="".join(jobs), env=environment, timeout=timeout)
    results, rows = [], []
    for line in said.splitlines():
        if line.startswith("time "):
            results.append((rows, float(line.split()[1])))
            rows = []
        else:
            rows.append([float(number) for number in line.split()])
    assert len(results) == len(jobs)
    return results


def natural_waves(sampler, parameters):
    """Makes slow waves of nominal size for all inputs; the normal force stays positive."""
    waves = {}
    for variable in sampler.description.inputs:
        size = min(sampler.sizes(variable, parameters))
        waves[variable.name] = (
            (10.0, 4.0, 7.0) if variable.name == "normalForce" else (0.0, 3 * size, 20.0)
        )
    for base in {v.base for v in sampler.description.inputs if v.base and v.unit in (None, "1")}:
        for i, variable in enumerate(sampler.description.family(base)):
            waves[variable.name] = (float(i == 2), 0.0, 0.0)
    return waves


def natural_record(fmu, count=80):
    """Makes times and inputs by name: these waves at uneven times, with a jump, which is two
    samples at one time."""
    rng = np.random.default_rng(len(fmu.description.name))
    time = np.cumsum(rng.uniform(1e-4, 4e-3, count))
    time[count // 2] = time[count // 2 - 1]
    jump = np.where(np.arange(count) < count // 2, 1.0, 0.8)
    waves = natural_waves(Sampler(fmu.description, "record"), fmu.description.starts())
    return time, {
        name: offset + size * np.sin(2 * np.pi * rate * time) * jump
        for name, (offset, size, rate) in waves.items()
    }
