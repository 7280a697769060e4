"""The generator: messages about bad descriptions, and output for good ones."""

import re
import shutil
import sys
import zipfile
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import fmpy
import pytest
from lxml import etree

from commands import completed, printed
from bristle import VERSION, BristleError
from bristle.format.archive import write_zip
from bristle.format.universal import write_universal
from generator.generate import generate
from generator.package import content
from generator.page import page_text
from generator.parameter_sets import parameter_sets
from generator.project import Project
from generator.reading import DescriptionError, read_description
from generator.sources import shipped_sources, unit_name
from generator.twin_pictures import TwinPictures

REPOSITORY = Path(__file__).resolve().parents[2]
HEADERS = Path(fmpy.__file__).parent / "c-code"

ELEMENT = """
title = "An element"
summary = "A spring that slips."
include = ["translational"]
not_modelled = ["All the rest."]

[experiment]
stop = 1
step = 1e-3
tolerance = 1e-6

[parameters.springStiffness]
symbol = "k"
unit = "N/m"
start = 100
at_least = 1e-3
at_most = "stiffnessLimit"
text = "Stiffness"

[parameters.stiffnessLimit]
symbol = "k_max"
unit = "N/m"
start = 1000
text = "Limit of the stiffness"

[states.springDeflection]
symbol = "z"
unit = "m"
start = 0
nominal = 1e-3
text = "Deflection"

[[equations]]
text = "Force:"
latex = 'F = k z'
source = "rill2023 eq 2"
"""

EVENTS = '#include "common/contact_events.h"\n'
CODE = f"""
#include "Element.h"
{EVENTS}#include "common/scalar.h"
"""
CODE += """
static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
    States *dx, Outputs *y) {
    (void)m;
    dx->z = u->N > 0 ? u->v : -x->z;
    contact_outputs(u, u->N > 0 ? p->kappa * (p->k * x->z) : 0, u->v - dx->z, y);
}
"""


@pytest.fixture
def project(tmp_path):
    """Makes a project with one model of its own and the shared parts of this one."""
    shutil.copytree(
        REPOSITORY / "modelDescription" / "shared", tmp_path / "modelDescription" / "shared"
    )
    shutil.copytree(
        REPOSITORY / "fmu_src", tmp_path / "fmu_src", ignore=shutil.ignore_patterns("models")
    )
    (tmp_path / "fmu_src" / "models").mkdir()
    (tmp_path / "fmu_src" / "models" / "Element.c").write_text(CODE)
    (tmp_path / "modelDescription" / "Element.toml").write_text(ELEMENT)
    shutil.copy(REPOSITORY / "LICENSE", tmp_path)
    return tmp_path


def described(project):
    return read_description(project / "modelDescription" / "Element.toml")


def changed(project, old, new, file="Element.toml"):
    path = project / "modelDescription" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def programmed(project, code):
    (project / "fmu_src" / "models" / "Element.c").write_text(code)


def generated(project, out="out"):
    generate(project / "modelDescription" / "Element.toml", project / out, HEADERS)
    return project / out


def packed(project, out):
    return content(out, project / "fmu_src", HEADERS, project / "LICENSE", [])


def refused(project, sentence):
    with pytest.raises(BristleError, match=sentence):
        generated(project)


BAD = [
    (
        "start = 100",
        'start = 100\ncolour = "red"',
        "parameters.springStiffness.colour: unknown key",
    ),
    ("title =", 'colour = "red"\ntitle =', "colour: unknown key"),
    ("start = 100", 'start = "much"', "parameters.springStiffness.start: has to be a number"),
    ("start = 100", "start = inf", "parameters.springStiffness.start: has to be finite"),
    ('unit = "m"', 'unit = "furlong"', 'states.springDeflection.unit: "furlong" is not a unit'),
    (
        "at_least = 1e-3",
        'display = "mm"',
        'parameters.springStiffness.display: "mm" is not a display unit of N/m',
    ),
    ('unit = "m"\n', 'unit = "m/s2"\n', "no unit of"),
    ("start = 100\n", "start = 0\n", "parameters.springStiffness.start: 0 is not at least 0.001"),
    ("start = 1000\n", "start = 10\n", "springStiffness.start: 100 is not at most stiffnessLimit"),
    ('"stiffnessLimit"', '"nothing"', 'springStiffness.at_most: "nothing" is not a parameter'),
    ('unit = "N/m"\nstart = 1000', 'unit = "N"\nstart = 1000', "N/m cannot be compared with N"),
    ("at_least = 1e-3", "above = 0", "springStiffness.above: has to be the name of a parameter"),
    ("nominal = 1e-3", "nominal = 0", "states.springDeflection.nominal: has to be above 0"),
    ('symbol = "k"\n', "", "parameters.springStiffness.symbol: is missing"),
    ('text = "Stiffness"\n', "", "parameters.springStiffness.text: is missing"),
    ("start = 100\n", "", "parameters.springStiffness.start: is missing"),
    (
        'symbol = "k_max"',
        'symbol = "k"',
        'stiffnessLimit.symbol: "k" is the symbol of springStiffness too',
    ),
    ('symbol = "k_max"', 'symbol = "N"', '"N" is the symbol of'),
    ('symbol = "k"', 'symbol = "k-1"', '"k-1" is not a name in C'),
    ('symbol = "k"', 'symbol = "double"', '"double" is taken in C'),
    ('symbol = "k"', 'symbol = "k_slope"', '"k_slope" ends like a generated name'),
    ("[parameters.stiffnessLimit]", "[parameters.normalForce]", '"normalForce" occurs twice'),
    (
        "[parameters.stiffnessLimit]",
        "[parameters.springDeflectionStart]",
        '"springDeflectionStart" occurs twice',
    ),
    (
        "[parameters.stiffnessLimit]",
        "[parameters.time]",
        "parameters.time: the name is taken in OpenModelica",
    ),
    ("[parameters.stiffnessLimit]", "[parameters.logLevel]", "taken in OpenModelica"),
    ("[parameters.stiffnessLimit]", "[parameters.flowRate]", "taken in OpenModelica"),
    ("[parameters.stiffnessLimit]", "[parameters.equation]", "a keyword of Modelica"),
    ("[parameters.stiffnessLimit]", '[parameters."a.b"]', "letters and digits only"),
    ("nominal = 1e-3", "size = 0", "states.springDeflection.size: has to be at least 1"),
    ("start = 100\n", "start = [1, 2]\nsize = 3\n", "as many numbers as the size says"),
    ('not_modelled = ["All the rest."]', "", "not_modelled: is missing"),
    ('title = "An element"', "", "title: is missing"),
    ("step = 1e-3\n", "", "experiment.step: is missing"),
    ('["translational"]', '["rotating"]', 'include: "rotating" is not a file'),
    (
        '"rill2023 eq 2"',
        '"nobody1900 eq 2"',
        'equations[1].source: "nobody1900" is not a reference',
    ),
    (
        "[[equations]]",
        '[modes.mode]\nsymbol = "mode"\ntext = "Mode"\nitems = [["A b", "c"]]\n[[equations]]',
        '"A b" has to be a capitalised word',
    ),
    (
        "[[equations]]",
        '[modes.mode]\nsymbol = "mode"\ntext = "Mode"\nitems = [["A", "c"], ["A", "d"]]\n'
        "[[equations]]",
        "an item occurs twice",
    ),
    (
        "start = 100\n",
        "start = 100\nwhole = true\n",
        "parameters.springStiffness.unit: does not go with whole",
    ),
    (
        "[[equations]]",
        '[parameters.count]\nsymbol = "n"\ntext = "n"\nwhole = true\nstart = 1.5\nat_most = 9\n'
        "[[equations]]",
        "parameters.count: a whole number needs",
    ),
    (
        "[[equations]]",
        '[[tables]]\ntitle = "Names"\nhead = ["Here", "There"]\nrows = [["a"]]\n[[equations]]',
        "tables[1].rows: has to be a list of rows with a text for each column",
    ),
    (
        "[[equations]]",
        '[[tables]]\nhead = ["Here"]\nrows = [["a"]]\n[[equations]]',
        "tables[1].title: is missing",
    ),
    ("start = 100", "start = = 100", "not valid TOML"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), BAD, ids=[one[2] for one in BAD])
def test_bad_description_gets_a_sentence_with_file_and_key(project, old, new, sentence):
    changed(project, old, new)
    with pytest.raises(DescriptionError) as raised:
        described(project)
    assert sentence in str(raised.value)
    assert str(raised.value).startswith(str(project / "modelDescription"))
    assert "\n" not in str(raised.value)


def test_a_table_of_a_description_is_a_section_of_its_page(project):
    changed(
        project,
        "[[equations]]",
        '[[tables]]\ntitle = "Names, elsewhere"\nhead = ["Here", "There"]\nrows = [["`k`", "a <'
        ' b"]]\n[[equations]]',
    )
    page = page_text(described(project), [], [])
    assert (
        '<h2 id="names-elsewhere">Names, elsewhere</h2>' in page
        and 'href="#names-elsewhere"' in page
    )
    assert "<td><code>k</code></td><td>a &lt; b</td>" in page


@pytest.mark.parametrize("file", Project(REPOSITORY).descriptions, ids=lambda file: file.stem)
def test_tables_name_parameters_that_exist(file):
    """In the column of our own names; those of the friction element are common to all."""
    description = read_description(file)
    known = {
        e.name
        for e in (
            *description.parameters,
            *description.options,
            *description.inputs,
            *description.outputs,
        )
    }
    known |= {item for option in description.options for item, _ in option.items} | {"preloadForce"}
    for table in description.tables:
        if table.head[0] == "Here":
            assert {name for row in table.rows for name in re.findall("`([^`]+)`", row[0])} <= known


def test_equations_are_required(project):
    changed(project, ELEMENT[ELEMENT.index("[[equations]]") :], "")
    refused(project, "equations: is missing")


def test_mistake_in_a_shared_part_is_reported_for_that_part(project):
    changed(project, 'unit = "W"', 'unit = "HP"', file="shared/translational.toml")
    refused(project, r"translational\.toml: outputs\.dissipatedPower\.unit")


def test_own_bound_replaces_the_included_one_on_its_side(project):
    changed(project, '"translational"]', '"translational", "stribeck"]')
    own = "[parameters.stribeckExponent]\nat_least = 1\n\n"
    changed(project, "[[equations]]", own + "[[equations]]")
    parameters = described(project).parameters
    exponent = next(one for one in parameters if one.name == "stribeckExponent")
    assert [(one.relation, one.limit) for one in exponent.bounds] == [
        ("at_least", 1),
        ("at_most", 20),
    ]


def test_names_that_collide_in_openmodelica_are_refused(project):
    array = '[parameters.gain]\nsymbol = "c"\nunit = "1"\nstart = 1\nsize = 2\ntext = "Gain"\n\n'
    changed(project, "[[equations]]", array + "[[equations]]")
    assert described(project).parameters[2].scalar_names == ["gain[1]", "gain[2]"]
    from bristle.format.names import mangled

    assert mangled("gain[1]") == mangled("gain(1)") == "gain_1_"


def run(*arguments):
    command = [sys.executable, "-m", "generator", *map(str, arguments)]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PATH": ""}
    return completed(*command, env=environment, cwd=REPOSITORY)


def run_generate(description, out, *words):
    return run("generate", description, "--out", out, "--fmi-include", HEADERS, *words)


BROKEN = {
    "bad key": ("description", "start = 100", "start = 100\ncolour = 1"),
    "LaTeX with an open brace": ("description", "F = k z", r"F = \frac{k"),
    "LaTeX with an unknown command": ("description", "F = k z", r"F = \nothing z"),
    "LaTeX that does not end": ("description", "F = k z", r"F = \left( k z"),
    "state without derivative": ("code", "dx->z = ", "const double unused = "),
    "output never set": ("code", "    contact_outputs(", "    if (0) contact_outputs("),
    "unknown member": ("code", "p->k *", "p->nothing *"),
    "missing include": ("code", "common/scalar.h", "common/nothing.h"),
    "no C": ("code", CODE, "this is not C"),
}


@pytest.mark.parametrize(("where", "old", "new"), BROKEN.values(), ids=BROKEN.keys())
def test_user_sees_one_sentence_and_no_traceback(project, where, old, new):
    if where == "description":
        changed(project, old, new)
    else:
        assert old in CODE
        programmed(project, CODE.replace(old, new))
    result = run_generate(project / "modelDescription" / "Element.toml", project / "out")
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr


def test_missing_description_is_reported(tmp_path):
    result = run_generate(tmp_path / "modelDescription" / "Nothing.toml", tmp_path)
    assert result.returncode == 2 and "Traceback" not in result.stderr


def test_generated_xml_is_valid_and_complete(project):
    out = generated(project)
    root = etree.parse(out / "modelDescription.xml").getroot()
    schema = etree.XMLSchema(
        etree.parse(HEADERS.parent / "schema" / "fmi2" / "fmi2ModelDescription.xsd")
    )
    schema.assertValid(root)
    variables = {v.get("name"): v for v in root.iter("ScalarVariable")}
    assert (
        list(variables)
        == (
            "springStiffness stiffnessLimit couplingMass preloadForce backwardFrictionRatio "
            "springDeflectionStart normalForce relativeVelocity springDeflection "
            "der(springDeflection) frictionForce frictionCoefficient slidingVelocity "
            "dissipatedPower estimatedLoad couplingTiming maximumSubsteps"
        ).split()
    )
    assert [int(v.get("valueReference")) for v in variables.values()] == list(range(len(variables)))
    assert variables["der(springDeflection)"][0].get("derivative") == "9"
    assert variables["der(springDeflection)"][0].get("unit") == "m/s"
    assert variables["springDeflection"][0].get("start") is None
    assert variables["springStiffness"][0].get("min") == "0.001"
    assert variables["springStiffness"][0].get("max") is None, (
        "a bound by another parameter is no number"
    )


def test_structure_is_what_the_code_does(project):
    root = etree.parse(generated(project) / "modelDescription.xml").getroot()
    names = [v.get("name") for v in root.iter("ScalarVariable")]

    def knowns(group):
        return {
            names[int(u.get("index")) - 1]: {
                names[int(i) - 1] for i in u.get("dependencies").split()
            }
            for u in root.find(f"ModelStructure/{group}")
        }

    all_three = {"normalForce", "relativeVelocity", "springDeflection"}
    assert knowns("Outputs")["frictionForce"] == {"normalForce", "springDeflection"}
    assert knowns("Outputs")["dissipatedPower"] == all_three
    assert knowns("Derivatives") == {"der(springDeflection)": all_three}
    initial = knowns("InitialUnknowns")
    assert initial["springDeflection"] == {"springDeflectionStart"}
    assert initial["frictionForce"] == {
        "normalForce",
        "preloadForce",
        "backwardFrictionRatio",
        "springDeflectionStart",
        "springStiffness",
    }
    assert "springStiffness" not in initial["der(springDeflection)"]


def test_array_becomes_scalars(project):
    changed(project, "nominal = 1e-3", "nominal = 1e-3\nsize = 2")
    code = CODE.replace("p->k * x->z", "p->k * x->z[0]").replace("u->v - dx->z", "u->v - dx->z[0]")
    rates = "dx->z[0] = u->v;\n    dx->z[1] = -x->z[1];"
    programmed(project, code.replace("dx->z = u->N > 0 ? u->v : -x->z;", rates))
    out = generated(project)
    root = etree.parse(out / "modelDescription.xml").getroot()
    names = [v.get("name") for v in root.iter("ScalarVariable")]
    assert names[5:7] == ["springDeflectionStart[1]", "springDeflectionStart[2]"]
    assert names[9:13] == [
        "springDeflection[1]",
        "springDeflection[2]",
        "der(springDeflection[1])",
        "der(springDeflection[2])",
    ]
    assert "double z[2];" in (out / "Element.h").read_text()
    derivatives = {
        names[int(u.get("index")) - 1]: u.get("dependencies")
        for u in root.find("ModelStructure/Derivatives")
    }
    assert derivatives == {"der(springDeflection[1])": "9", "der(springDeflection[2])": "11"}


MODE = """
[modes.mode]
symbol = "mode"
output = true
text = "What it does"
items = [["Rest", "at rest"], ["Motion", "moving"]]

[parameters.restart]
symbol = "restart"
text = "How it starts again"
items = [["Unloaded", "with no force"], ["Preloaded", "with the old force"]]
start = 2

"""


def test_modes_become_enumerations_and_options_integers(project):
    changed(project, "[[equations]]", MODE + "[[equations]]")
    changed(project, "not_modelled", "indicators = 2\nnot_modelled")
    programmed(
        project,
        CODE.replace(EVENTS, "")
        + """
static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
    double *g) {
    (void)p, (void)x, (void)m;
    g[0] = contact_indicator(u->N);
    g[1] = 1;
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p, (void)x;
    m->mode = u->v == 0 ? MODE_REST : MODE_MOTION;
    return 0;
}
""",
    )
    out = generated(project)
    header = (out / "Element.h").read_text()
    assert "MODE_MOTION = 2" in header and "RESTART_PRELOADED = 2" in header
    assert "N_MODES = 1" in header and "N_MODE_OUTPUTS = 1" in header and "N_OPTIONS = 3" in header
    root = etree.parse(out / "modelDescription.xml").getroot()
    assert root.get("numberOfEventIndicators") == "2"
    mode, restart, timing, substeps = list(root.iter("ScalarVariable"))[-4:]
    assert (mode.get("name"), mode.get("causality"), mode.get("variability")) == (
        "mode",
        "output",
        "discrete",
    )
    assert (restart.get("name"), restart.get("variability")) == ("restart", "fixed")
    assert restart[0].tag == "Integer" and dict(restart[0].attrib) == {
        "min": "1",
        "max": "2",
        "start": "2",
    }
    assert (
        restart.get("description")
        == "How it starts again (1 = Unloaded: with no force; 2 = Preloaded: with the old force)"
    )
    assert timing.get("name") == "couplingTiming"
    assert substeps.get("name") == "maximumSubsteps", (
        "what every element has comes after all of its own, so that it changes no value reference"
    )
    assert [
        i.get("value")
        for i in root.iterfind("TypeDefinitions/SimpleType[@name='Mode']/Enumeration/Item")
    ] == ["1", "2"]


OPTIONAL = {
    "initialize": """
static void initialize(const Parameters *p, const Inputs *u, States *x) {
    x->z = u->N / p->k;
}
""",
    "check": """
static const char *check(const Parameters *p) {
    return p->k == 13 ? "springStiffness brings bad luck." : 0;
}
""",
    "check_inputs": """
static const char *check_inputs(const Parameters *p, const Inputs *u) {
    return u->v * p->k > 1e6 ? "relativeVelocity is too much for the spring." : 0;
}
""",
    "constrain": """
static void constrain(const Parameters *p, const Inputs *before, const Inputs *u, States *x) {
    if (u->N > p->k * before->N) x->z = 0;
}
""",
    "resolution": """
static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
    States *length) {
    (void)m;
    length->z = u->N / p->k + x->z;
}
""",
    "advice": """
static const char *advice(const Parameters *p, const Inputs *u, const States *x, const Modes *m) {
    (void)m;
    return p->k * x->z > u->N ? "The spring is beyond its limit." : 0;
}
""",
}


def compiled(project, out):
    """Compiles the generated unit with the warnings of the build; returns the messages."""
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    folders = ["-I", out, "-I", project / "fmu_src", "-isystem", HEADERS]
    return completed("gcc", "-std=c99", "-fsyntax-only", *warnings, *folders, out / "fmu.c")


@pytest.mark.parametrize("present", [*OPTIONAL, None])
def test_an_optional_function_is_called_where_the_model_has_it(project, present):
    programmed(project, CODE + OPTIONAL.get(present, ""))
    out = generated(project)
    header = (out / "Element.h").read_text()
    for name in OPTIONAL:
        assert f"#define HAS_{name.upper()} {int(name == present)}\n" in header
    result = compiled(project, out)
    assert result.returncode == 0, result.stderr


WRONG = {
    "without the parameters": (
        'static const char *check_inputs(const Inputs *u) { return u->v > 9 ? "Too fast." : 0; }'
    ),
    "in another order": (
        "static const char *check_inputs(const Inputs *u, const Parameters *p) { return u->v > p->k"
        ' ? "Too fast." : 0; }'
    ),
    "changing the inputs": (
        "static const char *check_inputs(const Parameters *p, Inputs *u) { return (u->v = p->k) > 9"
        ' ? "Too fast." : 0; }'
    ),
    "giving a number": (
        "static int check_inputs(const Parameters *p, const Inputs *u) { return u->v > p->k; }"
    ),
}


@pytest.mark.parametrize("function", WRONG.values(), ids=WRONG.keys())
def test_a_check_of_inputs_that_breaks_the_contract_is_refused(project, function):
    programmed(project, CODE + function)
    refused(
        project,
        r"Element.c:\d+: check_inputs must be declared as static const char \*check_inputs\(const"
        r" Parameters \*p, const Inputs \*u\)$",
    )


INDICATORS = """
static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
    double *g) {
    (void)p; (void)x; (void)m;
    g[0] = u->N;
    g[1] = u->v;
}
static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p; (void)u; (void)x; (void)m;
    return 0;
}
"""


@pytest.mark.parametrize("count, objection", [(1, r"sets g\[1\]"), (3, r"never sets g\[2\]")])
def test_the_number_of_indicators_is_that_of_the_description(project, count, objection):
    programmed(project, CODE.replace(EVENTS, "") + INDICATORS)
    changed(project, "title =", "indicators = 2\ntitle =")
    generated(project)
    changed(project, "indicators = 2", f"indicators = {count}")
    refused(
        project,
        rf"Element.c:\d+: indicators {objection}, but the description has indicators = {count}$",
    )


def test_a_model_has_to_define_its_events(project):
    programmed(project, CODE.replace(EVENTS, ""))
    said = r'^Element.c: has no indicators and no next_modes; .* "common/contact_events.h"'
    refused(project, said)


RELEASE = "static void release(States *x) {\n    x->z = 0;\n}\n"
NEXT_MODES = """
static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p; (void)m;
    WHERE
}
"""


@pytest.mark.parametrize(
    ("body", "is_right"),
    [
        ("if (u->N <= 0) x->z = 0; return 0;", False),
        ("if (u->N <= 0) { release(x); } return 0;", False),
        ("for (int i = 0; i < 2; i++) { if (u->N <= i) x->z = 0; } return 0;", False),
        ("x->z = 0; if (u->N > 0) return 1; else return 0;", False),
        ("if (u->N <= 0) { x->z = 0; return 1; } return 0;", True),
        ("if (u->N > 0) return 0; release(x); return 1;", True),
        ("const int lifted = u->N <= 0; if (lifted) x->z = 0; return lifted;", True),
    ],
)
def test_a_reset_of_a_state_is_reported(project, body, is_right):
    events = (
        INDICATORS.partition("static int next_modes")[0].replace("g[1]", "g[0]")
        + (RELEASE if "release" in body else "")
        + NEXT_MODES.replace("WHERE", body)
    )
    programmed(project, CODE.replace(EVENTS, "") + events)
    if is_right:
        generated(project)
    else:
        refused(project, r"Element.c:\d+: next_modes returns 0 although it may have set a state")


def test_linear_states_are_linear_each_by_itself(project):
    changed(project, "title =", "linear_states = true\ntitle =")
    generated(project)
    second = (
        '[states.springForce]\nsymbol = "f"\nunit = "N"\nstart = 0\nnominal = 1\ntext ='
        ' "Force"\n\n[[equations]]'
    )
    changed(project, "[[equations]]", second)
    programmed(
        project, CODE.replace("    (void)m;\n", "    (void)m;\n    dx->f = p->k * x->z - x->f;\n")
    )
    refused(
        project,
        r"Element.toml: linear_states: the rate of f depends on z; each state has to be linear"
        r" by itself$",
    )


def test_a_forgotten_header_and_an_unknown_member_are_named(project):
    programmed(project, CODE.replace('#include "Element.h"\n', ""))
    unknown = "Element.c:1: the types of the model are unknown"
    refused(project, f'{unknown}; include "Element.h" first$')
    programmed(project, CODE.replace("u->v", "u->w"))
    refused(project, r"Element.c:\d+: Inputs has no member w, but N, v$")


def test_latex_that_cannot_be_shown_is_refused_with_its_file(project):
    before = "F = k z"
    for latex in (r"\left( F = k z", "F & k z"):
        changed(project, f"latex = '{before}'", f"latex = '{latex}'")
        before = latex
        refused(project, r'Element.toml: The LaTeX ".*" cannot be shown')


def test_a_parameter_that_nothing_uses_is_refused(project):
    extra = '[parameters.extra]\nsymbol = "e"\nunit = "m"\nstart = 0\ntext = "Nothing"\n\n'
    changed(project, "[[equations]]", extra + "[[equations]]")
    refused(project, r"Element.toml: parameters.extra: is not used by Element.c$")


def test_a_function_that_nothing_calls_is_refused(project):
    """It may be a misspelt one of the contract."""
    programmed(project, CODE + OPTIONAL["check_inputs"].replace("check_inputs", "check_input"))
    refused(project, r"Element.c:\d+: check_input is never called; is check_inputs meant\?$")
    programmed(project, CODE + "static double twice(double a) { return 2 * a; }\n")
    refused(project, r"Element.c:\d+: twice is never called$")


def test_same_input_gives_the_same_bytes(project, tmp_path):
    fmus = []
    for name in ("one", "two"):
        out = generated(project, name)
        fmus.append(tmp_path / f"{name}.fmu")
        write_zip(fmus[-1], packed(project, out))
    assert fmus[0].read_bytes() == fmus[1].read_bytes()


def guid_of(out):
    return etree.parse(out / "modelDescription.xml").getroot().get("guid")


@pytest.mark.parametrize("what", ["description", "model", "interface"])
def test_guid_changes_with_its_content(project, what):
    before = guid_of(generated(project, "before"))
    if what == "description":
        changed(project, "start = 100\n", "start = 101\n")
    else:
        file = project / "fmu_src" / {"model": "models/Element.c", "interface": "fmi2/fmi2.c"}[what]
        file.write_text(file.read_text() + "\n/* a change */\n")
    after = generated(project, "after")
    assert guid_of(after) != before
    assert guid_of(after) in (after / "own_defaults.h").read_text()


def test_archive_is_plain(project, tmp_path):
    fmu = tmp_path / "Element.fmu"
    write_zip(fmu, packed(project, generated(project)))
    with zipfile.ZipFile(fmu) as archive:
        names = archive.namelist()
        assert names[0] == "modelDescription.xml"
        assert {
            "model.png",
            "documentation/index.html",
            "documentation/licenses/license.txt",
            "sources/fmu.c",
        } <= set(names)
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("version", [2, 3])
def test_sources_come_in_few_files_that_compile_to_the_same(project, tmp_path, version):
    """Those that the unit includes, and those included in several places; preprocessed they are the
    same text as the sources of the build."""
    out, source = generated(project), project / "fmu_src"
    shipped = shipped_sources(unit_name(version), (out, source))
    text = "".join(shipped.values())
    for name in shipped.keys() - {"fmu.c", "own_defaults.h"}:
        place = re.escape(name)
        assert re.search(f'#include "{place}"', shipped["fmu.c"]) or (
            len(re.findall(f'#include "(?:../)*{place}"', text)) > 1
        ), name
    assert len(shipped) <= 15
    for name, source_text in shipped.items():
        (tmp_path / "shipped" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shipped" / name).write_text(source_text)

    def preprocessed(unit, *folders):
        options = [word for folder in folders for word in ("-I", folder)]
        command = ["gcc", "-std=c99", "-E", "-P", *options, "-isystem", HEADERS, unit]
        return printed(*command)

    ours = preprocessed(tmp_path / "shipped" / "fmu.c")
    assert ours == preprocessed(out / unit_name(version), out, source)


def test_twins_are_written_beside_the_model_and_both_need_what_was_read(tmp_path):
    description = REPOSITORY / "modelDescription" / "Coulomb.toml"
    result = run_generate(description, tmp_path / "out", "--twins", "Rotational")
    assert result.returncode == 0, result.stderr
    units = [tmp_path / folder / "fmu.c" for folder in ("out", "outRotational")]
    assert ["CoulombRotational" in unit.read_text() for unit in units] == [False, True]
    targets, read = (tmp_path / "out" / "generate.d").read_text().split(": ")
    assert targets.split() == [unit.as_posix() for unit in units]
    assert {"Coulomb.toml", "Rotational.toml"} <= {Path(name).name for name in read.split()}


def test_depfile_names_every_file_that_was_read(project, tmp_path):
    out, depfile = tmp_path / "out", tmp_path / "out" / "generate.d"
    result = run_generate(project / "modelDescription" / "Element.toml", out)
    assert result.returncode == 0, result.stderr
    listed = depfile.read_text()
    for name in (
        "Element.toml units.toml translational.toml references.toml Element.c contact.h "
        "solver.c fmi2.c"
    ).split():
        assert f"/{name}" in listed, name


def test_page_shows_what_a_reader_needs(project):
    page = page_text(described(project), [], [])
    etree.HTML(page)
    for piece in (
        "<math",
        "springStiffness",
        "at least 0.001, at most stiffnessLimit",
        "All the rest.",
        "Rill et al. 2023",
        "subtracted",
    ):
        assert piece in page
    assert not re.search(r"<(script|link|img)[^>]+https?://", page)


def test_universal_library_holds_its_parts(tmp_path):
    parts = []
    for i, size in enumerate((100, 20000)):
        parts.append(tmp_path / f"{i}.dylib")
        parts[-1].write_bytes(bytes.fromhex("cffaedfe") + bytes([i + 1, 0, 0, 0]) + bytes(size))
    write_universal(tmp_path / "all.dylib", parts)
    joined = (tmp_path / "all.dylib").read_bytes()
    assert joined[:8].hex() == "cafebabe00000002"
    for i, part in enumerate(parts):
        entry = [int.from_bytes(joined[8 + 20 * i + 4 * k : 12 + 20 * i + 4 * k]) for k in range(5)]
        assert entry[0] == i + 1 and entry[2] % 2 ** entry[4] == 0
        assert joined[entry[2] : entry[2] + entry[3]] == part.read_bytes()


# ---- the page of a twin ----


def twin_page(model):
    description = read_description(REPOSITORY / "modelDescription" / f"{model}.toml", "Rotational")
    sets = parameter_sets(description, REPOSITORY / "resources")
    return page_text(
        description,
        sets,
        sorted((REPOSITORY / "modelDescription" / "pictures" / model).glob("*.svg")),
    )


def drawn(page):
    """Returns the pictures of a page by their names."""
    found = re.findall(r'<img src="data:image/svg\+xml,([^"]+)" alt="([^"]+)"', page)
    return {name: unquote(unescape(data)) for data, name in found}


def test_pictures_of_a_twin_have_its_quantities_at_their_axes():
    """T = r F and omega = v/r at the default of 0.1 m: the lines of the model, other labels, and
    the numbers at the axes to match."""
    pictures = drawn(twin_page("LuGre"))
    folder = REPOSITORY / "modelDescription" / "pictures" / "LuGre"
    axes = {
        "friction curve": (1e-2, 0.1),
        "hysteresis loop": (10, 0.1),
    }  # mm/s to rad/s, mm to mrad; N to N.m
    for name, (x, y) in axes.items():
        ours, model = (
            pictures[name],
            (folder / f"{name.replace(' ', '_')}.svg").read_text(encoding="utf-8"),
        )
        assert re.findall("<polyline.*", ours) == re.findall("<polyline.*", model)
        for anchor, factor in (("middle", x), ("end", y)):
            numbers = [
                [
                    float(tick.replace("−", "-"))
                    for tick in re.findall(rf'text-anchor="{anchor}">([−\d.]+)<', svg)
                ]
                for svg in (ours, model)
            ]
            assert (
                numbers[0] == pytest.approx([factor * value for value in numbers[1]])
                and len(numbers[0]) > 2
            )
    labels = {
        label
        for svg in pictures.values()
        for label in re.findall(r">([a-z][^<]*) in ([^<]+)</text>", svg)
    }
    assert labels == {
        ("relative angular velocity", "rad/s"),
        ("angle", "mrad"),
        ("friction torque", "N·m"),
        ("time", "s"),
    }
    pulse = [
        float(tick)
        for tick in re.findall(r'text-anchor="end">([\d.]+)<', pictures["pulse response"])
    ]
    assert pulse == [0, 0.2, 0.4, 0.6, 0.8, 0, 0.1, 0.2], "two panels, an angle and a torque"


def test_sentences_of_a_table_go_below_its_other_columns_on_a_narrow_screen(project):
    page = page_text(described(project), [], [])
    assert page.count("<th>Meaning</th></tr>") == page.count('<table class="named">') > 2
    assert re.search(
        r"@media \(max-width: 40rem\) {\s+\.named tr {\s+display: flex;[^@]*\.named td:last-child {"
        r"\s+flex-basis: 100%;",
        page,
    )


def test_page_of_a_twin_is_about_a_joint():
    page = twin_page("Coulomb")
    sketch = page.partition('<svg class="sketch"')[2].partition("</svg>")[0]
    assert all(
        name in sketch
        for name in ("relativeAngularVelocity", "externalTorque", "− frictionTorque", "normalForce")
    )
    assert "Stick: a wheel of 0.01 kg·m²" in page and "relative velocity goes slowly" not in page
    assert re.search(r"<code>frictionRadius</code></td><td>m</td>", page), (
        "parameter sets with a radius"
    )
    assert (
        "at most 2 J/h, or J/h if" in page
        and "μ<sub>s</sub> N r² h/J" in page
        and "returns the mean torque" in page
    )
    assert "m/h" not in page and "g h, twice" not in page
    element = page_text(read_description(REPOSITORY / "modelDescription" / "Coulomb.toml"), [], [])
    assert (
        "at most 2 m/h, or m/h if" in element
        and "μ<sub>s</sub> g h, twice" in element
        and "returns the mean force" in element
    )


def test_the_page_says_with_which_option_an_element_is_passive(project):
    verdicts = {
        name: page_text(read_description(REPOSITORY / "modelDescription" / f"{name}.toml"), [], [])
        for name in ("LuGre", "Leuven", "Dahl")
    }
    verdicts = {
        name: re.search(r"<h2 id=\"energy\">.*?<strong>(.*?)</strong>", page, re.DOTALL)[1]
        for name, page in verdicts.items()
    }
    assert verdicts["LuGre"] == "Passive with law = Bounded, but not with Printed."
    assert verdicts["Leuven"] == "Not passive." and verdicts["Dahl"].startswith("Passive: ")
    text = (REPOSITORY / "modelDescription" / "Dahl.toml").read_text(encoding="utf-8")
    folder = project / "modelDescription"
    (folder / "shared").exists() or (folder / "shared").symlink_to(
        REPOSITORY / "modelDescription" / "shared"
    )
    for keys in (
        'passive_with = "Bounded"\n',
        'passive = false\nenergy = "..."\npassive_with = "Printed"\n',
    ):
        (folder / "Wrong.toml").write_text(
            keys
            + text.replace(
                'energy = """', 'choose_energy = """' if "energy" in keys else 'energy = """'
            ),
            encoding="utf-8",
        )
        with pytest.raises(BristleError, match="passive_with"):
            read_description(folder / "Wrong.toml")


def test_twins_are_those_of_an_interface_however_the_list_is_written(tmp_path):
    """Wrapped, or through another shared file; and no other model has one."""
    folder = tmp_path / "modelDescription"
    for name, text in {
        "Wrapped.toml": 'include = [\n    "heat",\n    "translational",\n]\n',
        "Nested.toml": 'include = ["frame"]\n',
        "Load.toml": 'include = ["heat"] # not "translational"\n',
        "shared/frame.toml": 'include = ["translational"]\n',
        "shared/translational.toml": "",
        "shared/heat.toml": "",
        "twins/Rotational.toml": 'of = "translational"\n',
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    project = Project(tmp_path)
    assert {model: project.twins_of(model) for model in project.models} == {
        "Load": [],
        "Nested": ["Rotational"],
        "Wrapped": ["Rotational"],
    }
    (folder / "Load.toml").write_text("include = [")
    with pytest.raises(BristleError, match="Load.toml: "):
        project.twins_of("Load")


def names(description):
    """Lists inputs that are no vectors."""
    return {entry.name for entry in description.inputs if not entry.size}


def test_the_build_makes_every_model_with_its_twins():
    lines = completed(sys.executable, REPOSITORY / "generator", "list").stdout.splitlines()
    made = [
        model + twin
        for kind, model, *twins in map(str.split, lines)
        if kind == "model"
        for twin in ("", *twins)
    ]
    folder = REPOSITORY / "modelDescription"
    models = [read_description(file) for file in folder.glob("[A-Z]*.toml")]
    twins = [one.name + "Rotational" for one in models if "relativeVelocity" in names(one)]
    assert sorted(made) == sorted([*twins, *(one.name for one in models)])
    assert f"version {VERSION}" in lines and "situation worm" in lines


def test_a_label_without_a_counterpart_in_a_twin_is_refused():
    pictures = TwinPictures(REPOSITORY / "modelDescription" / "twins" / "Rotational.toml")
    with pytest.raises(BristleError, match='"speed in mm/s" is missing'):
        pictures.redrawn('<text x="302" y="313" text-anchor="middle">speed in mm/s</text>')


def test_a_build_for_other_machines_reports_that_there_are_no_reference_results(project, tmp_path):
    out, description = generated(project), project / "modelDescription" / "Element.toml"
    far = ["package", description, "--generated", out, "--fmi-include", HEADERS]
    far += ["--out", tmp_path / "Far.fmu"]
    result = run(*far)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("Far.fmu: has no reference results")
    assert run(*far, "--no-references").stdout == ""
