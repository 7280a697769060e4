"""Writes the C file that lists the systems (systems/*.c, or those that are named) and holds all
parameter sets (resources/*.toml), which are for the models that they name and for their twins."""

import json
import sys
import tomllib
from pathlib import Path

TWINS = [""] + sorted(
    file.stem
    for file in (Path(__file__).resolve().parent.parent / "modelDescription" / "twins").glob(
        "*.toml"
    )
)


def main(systems: Path, resources: Path, out: Path, *named: Path) -> None:
    names = [name.name for name in named] or sorted(file.stem for file in systems.glob("*.c"))
    lines = [
        "/* Generated from systems/ and resources/. */",
        '#include "system.h"',
        "",
        "#include <stddef.h>",
        "",
    ]
    lines += [f"extern const System system_{name};" for name in names]
    lines += [
        "",
        "const System *const systems[] = {",
        *(f"    &system_{name}," for name in names),
        "    NULL,",
        "};",
        "",
    ]
    lines += ["const ParameterSet parameter_sets[] = {"]
    for file in sorted(resources.glob("*.toml")):
        description = tomllib.loads(file.read_text(encoding="utf-8"))
        models = "".join(
            f"{quoted(model + twin)}, " for model in description["models"] for twin in TWINS
        )
        lines += [
            (
                f"    {{{quoted(file.stem)}, {quoted(description['title'])}, (const char"
                f" *const[]){{{models}NULL}},"
            ),
            "     (const SetValue[]){",
        ]
        lines += [
            f"         {{NULL, {quoted(name)}, {value}}},"
            for name, value in scalars(description["values"])
        ]
        for model, values in description.get("values_of", {}).items():
            for twin in TWINS:
                lines += [
                    f"         {{{quoted(model + twin)}, {quoted(name)}, {value}}},"
                    for name, value in scalars(values)
                ]
        lines += ["         {NULL, NULL, 0},", "     }},"]
    lines += ["    {NULL, NULL, NULL, NULL},", "};", ""]
    out.write_text("\n".join(lines), encoding="utf-8")


def scalars(values: dict) -> list[tuple[str, object]]:
    """Names and values; the elements of an array one by one, counted from 1."""
    pairs: list[tuple[str, object]] = []
    for name, value in values.items():
        pairs += (
            [(f"{name}[{i}]", item) for i, item in enumerate(value, 1)]
            if isinstance(value, list)
            else [(name, value)]
        )
    return pairs


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
