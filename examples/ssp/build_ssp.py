"""Makes an .ssp of FMUs from a table of its parts, their parameters and connections.

The .ssp holds the FMUs, one parameter set (.ssv) per part, and SystemStructure.ssd, which connects
them; OMSimulator, FMPy and other tools that read SSP 1.0 run it. The mass of the example is built
from examples/container, all other FMUs come from dist/.

    python examples/ssp/build_ssp.py [table: two_contacts.toml] [.ssp to write] [folder of FMUs]
"""

import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(HERE.parent / "container")]

from bristle import BristleError, describe  # noqa: E402
from bristle.format.parameter_set import ParameterSet, document_text, ssv_text  # noqa: E402
from bristle.running import settings  # noqa: E402
from build_mass import build_mass  # noqa: E402

SSD = "http://ssp-standard.org/SSP1/SystemStructureDescription"
SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"
for prefix, space in (("ssd", SSD), ("ssc", SSC)):
    ElementTree.register_namespace(prefix, space)


def write_ssp(out, name, parts, connections, stop=1.0):
    """Parts by name: the path of an FMU and values of its parameters and inputs. A connection is
    "part.output -> part.input"; without a part, it is a connector of the system itself."""
    models = {part: describe(fmu) for part, (fmu, _) in parts.items()}
    pairs = [tuple(place.strip() for place in one.split("->")) for one in connections]
    root = ElementTree.Element(f"{{{SSD}}}SystemStructureDescription", name=name, version="1.0")
    system = add(root, SSD, "System", name=name)
    own = {place: "input" for place, _ in pairs if "." not in place}
    own |= {place: "output" for _, place in pairs if "." not in place}
    add_connectors(system, own)
    elements = add(system, SSD, "Elements")
    content = {}
    for part, (fmu, values) in parts.items():
        model = models[part]
        settings(model, values)  # refuses names that the FMU lacks
        source = f"resources/{Path(fmu).name}"
        component = add(
            *(elements, SSD, "Component"),
            **{"name": part, "type": "application/x-fmu-sharedlibrary", "source": source},
        )
        used = {
            place.partition(".")[2]
            for pair in pairs
            for place in pair
            if place.startswith(f"{part}.")
        }
        add_connectors(component, {port: model[port].causality for port in sorted(used)})
        content[source] = Path(fmu).read_bytes()
        if values:
            bindings = add(component, SSD, "ParameterBindings")
            add(bindings, SSD, "ParameterBinding", source=f"resources/{part}.ssv")
            own_set = ParameterSet(
                part, f"{model.name} as {part} of {name}", "build_ssp.py", values
            )
            content[f"resources/{part}.ssv"] = ssv_text(own_set).encode()
    lines = add(system, SSD, "Connections")
    for start, end in pairs:
        check_ends(models, start, end)
        add(lines, SSD, "Connection", **place("start", start), **place("end", end))
    add(root, SSD, "DefaultExperiment", startTime="0", stopTime=repr(float(stop)))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SystemStructure.ssd", document_text(root))
        for entry, data in content.items():
            archive.writestr(entry, data)


def add(parent, space, tag, **attributes):
    return ElementTree.SubElement(parent, f"{{{space}}}{tag}", attributes)


def add_connectors(parent, kinds):
    connectors = add(parent, SSD, "Connectors")
    for name, kind in kinds.items():
        add(add(connectors, SSD, "Connector", name=name, kind=kind), SSC, "Real")


def place(which, text):
    part, dot, port = text.rpartition(".")
    return ({f"{which}Element": part} if dot else {}) | {f"{which}Connector": port}


def check_ends(models, start, end):
    for text, wanted in ((start, "output"), (end, "input")):
        part, dot, port = text.partition(".")
        if dot and part not in models:
            raise BristleError(f"{start} -> {end}: there is no part {part}.")
        if dot and models[part][port].causality != wanted:
            raise BristleError(f"{start} -> {end}: {text} is not an {wanted}.")


def main(table=HERE / "two_contacts.toml", out=None, fmus=ROOT / "dist"):
    table = Path(table)
    given = tomllib.loads(table.read_text(encoding="utf-8"))
    out = Path(out or f"{table.stem}.ssp")
    with tempfile.TemporaryDirectory() as folder:
        parts = {}
        for name, part in given["parts"].items():
            fmu = Path(fmus) / part["fmu"]
            is_built = part["fmu"] != "Mass.fmu" or fmu.exists()
            parts[name] = (fmu if is_built else build_mass(folder), part.get("values", {}))
        write_ssp(out, table.stem, parts, given["connections"], given["stop"])
    print(f"{out}  {', '.join(given['parts'])}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (BristleError, OSError, tomllib.TOMLDecodeError, KeyError) as error:
        sys.exit(f"build_ssp.py: {error}")
