"""Loads every FMU of some folders with FMPy on this machine's own platform, runs both kinds and
compares them; needs only FMPy.

    python tests/scripts/load_and_run.py dist dist/fmi3

Used on Windows and macOS, where the other tests are not run. Ends with the number of FMUs that
passed and failed.
"""

import sys
from pathlib import Path

import numpy
from fmpy import read_model_description, simulate_fmu


def objections(fmu: Path) -> str:
    """Describes what is wrong with an FMU; "" if both kinds run without a message and agree at the
    end."""
    messages = []
    ends = {}
    description = read_model_description(fmu, validate=True)
    outputs = [
        variable.name
        for variable in description.modelVariables
        if variable.causality == "output" and variable.type in ("Real", "Float64")
    ]
    for kind in ("ModelExchange", "CoSimulation"):
        result = simulate_fmu(
            fmu,
            fmi_type=kind,
            stop_time=0.1,
            output_interval=1e-3,
            relative_tolerance=1e-8,
            output=outputs,
            logger=lambda *parts: messages.append(parts[-1]),
        )
        ends[kind] = [numpy.atleast_1d(result[name][-1]) for name in outputs]
    if messages:
        return f"says {messages[0]!r}"
    for name, one, other in zip(outputs, *ends.values()):
        # Both integrate with a tolerance of 1e-8; a stiff law turns this into about 1e-5 of the
        # force.
        if not (abs(one - other) <= 1e-4 * (1 + abs(one))).all():
            return f"{name} is {one} in model exchange and {other} in co-simulation"
    return ""


def main() -> int:
    folders = sys.argv[1:] or ["dist"]
    fmus = [fmu for folder in folders for fmu in sorted(Path(folder).glob("*.fmu"))]
    failed = 0
    for fmu in fmus:
        try:
            objection = objections(fmu)
        except (
            Exception
        ) as error:  # any exception of the importer is a failure of this FMU, not of the script
            objection = f"{type(error).__name__}: {error}"
        failed += bool(objection)
        print(f"{fmu.name}: {objection or 'good'}")
    print(f"{len(fmus) - failed} passed, {failed} failed")
    return 1 if failed or not fmus else 0


if __name__ == "__main__":
    sys.exit(main())
