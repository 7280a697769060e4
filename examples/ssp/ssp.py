"""Three FMUs as one SSP, the file that OMSimulator and others open: PinLoad presses a friction
element, and friction brakes a mass.

    reactionForce[1], [2] -> pin -> normalForce -> friction -> frictionForce -> mass -> position
    load ------------------------------------------------------------------->
                             friction <- relativeVelocity <- velocity <- mass

An SSP is a zip file with SystemStructure.ssd, which says what there is and how it is connected, and
the FMUs and their parameter sets in resources/. Mass.fmu is built by this project's generator, as
in ../container.

    python examples/ssp/ssp.py [pin.ssp] [friction FMU]

    OMSimulator pin.ssp --stopTime=1 --stepSize=1e-3
"""

import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "container"))

from build_mass import build_mass  # noqa: E402

FRICTION = HERE.parent.parent / "dist" / "LuGre.fmu"
MASS = 2.0  # kg
INPUTS = {"reactionForce[1]": "pin", "reactionForce[2]": "pin", "load": "mass"}
OUTPUTS = {"normalForce": "pin", "frictionForce": "friction", "position": "mass"}
LINKS = (
    ("pin", "normalForce", "friction", "normalForce"),
    ("friction", "frictionForce", "mass", "frictionForce"),
    ("mass", "velocity", "friction", "relativeVelocity"),
)
PARAMETERS = {
    "pin": {"pinRadius": 0.02},
    "friction": {"couplingMass": MASS},  # what friction moves: its force comes a step late
    "mass": {"mass": MASS},
}
NAMES = "http://ssp-standard.org/SSP1/SystemStructure"


def connectors(of):
    """The connectors of a part, or with None those of the whole, each with its kind."""
    found = {}
    for start, output, end, target in LINKS:
        found |= {output: "output"} if start == of else {}
        found |= {target: "input"} if end == of else {}
    found |= {name: "input" for name, part in INPUTS.items() if of in (None, part)}
    return found | {name: "output" for name, part in OUTPUTS.items() if of in (None, part)}


def structure(files):
    """SystemStructure.ssd, by the names of the parts and their files."""

    def shown(of):
        lines = "".join(
            f'<ssd:Connector name="{name}" kind="{kind}"><ssc:Real/></ssd:Connector>'
            for name, kind in connectors(of).items()
        )
        return f"<ssd:Connectors>{lines}</ssd:Connectors>"

    parts = "\n".join(
        f'<ssd:Component name="{part}" type="application/x-fmu-sharedlibrary"'
        f' source="resources/{file.name}">{shown(part)}<ssd:ParameterBindings>'
        f'<ssd:ParameterBinding source="resources/{part}.ssv"/></ssd:ParameterBindings>'
        "</ssd:Component>"
        for part, file in files.items()
    )
    ends = [("", name, f' endElement="{part}"', name) for name, part in INPUTS.items()]
    ends += [(f' startElement="{part}"', name, "", name) for name, part in OUTPUTS.items()]
    ends += [(f' startElement="{a}"', x, f' endElement="{b}"', y) for a, x, b, y in LINKS]
    lines = "\n".join(
        f'<ssd:Connection{start} startConnector="{x}"{end} endConnector="{y}"/>'
        for start, x, end, y in ends
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="{NAMES}Description" xmlns:ssc="{NAMES}Common"
 name="pin" version="1.0">
<ssd:System name="pin">
{shown(None)}
<ssd:Elements>
{parts}
</ssd:Elements>
<ssd:Connections>
{lines}
</ssd:Connections>
</ssd:System>
</ssd:SystemStructureDescription>
"""


def parameter_set(part):
    lines = "".join(
        f'<ssv:Parameter name="{name}"><ssv:Real value="{value}"/></ssv:Parameter>'
        for name, value in PARAMETERS[part].items()
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="{NAMES}ParameterValues" version="1.0" name="{part}">
<ssv:Parameters>{lines}</ssv:Parameters>
</ssv:ParameterSet>
"""


def write_ssp(out, friction=FRICTION):
    friction = Path(friction)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(out, "w") as archive:
        files = {
            "pin": friction.parent / "PinLoad.fmu",
            "friction": friction,
            "mass": build_mass(folder),
        }
        archive.writestr("SystemStructure.ssd", structure(files))
        for part, file in files.items():
            archive.write(file, f"resources/{file.name}")
            archive.writestr(f"resources/{part}.ssv", parameter_set(part))


if __name__ == "__main__":
    words = sys.argv[1:]
    usage = "usage: ssp.py [pin.ssp] [friction FMU]"
    if len(words) > 2 or (words and not words[0].endswith(".ssp")):
        sys.exit(f"{usage}; the first is the file to write, which ends with .ssp.")
    if len(words) > 1 and not (words[1].endswith(".fmu") and Path(words[1]).is_file()):
        sys.exit(f"{usage}; {words[1]} is no FMU.")
    target = words[0] if words else "pin.ssp"
    write_ssp(target, *words[1:])
    print(f"three FMUs in {target}")
