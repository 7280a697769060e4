"""modelDescription.xml: valid, true, and acceptable to every importer."""

import io
import math
import re
import zipfile
from pathlib import Path

import fmpy
import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu
from lxml import etree

from fmi2 import MODEL_EXCHANGE
from operating_points import Sampler
from units import BASE, exponents_of, scaled, units

SCHEMAS = Path(fmpy.__file__).parent

# Words that an importing Modelica tool cannot use as a name: keywords of Modelica and names in
# OpenModelica's wrapper.
TAKEN = set(
    """
    algorithm and annotation assert block break class connect connector constant constrainedby
    der discrete each else elseif elsewhen encapsulated end enumeration equation expandable
    extends external false final flow for function if import impure in initial inner input loop
    model not operator or outer output package parameter partial protected public pure record
    redeclare replaceable return stream then true type when while within time logLevel
    debugLogging fmuWorkingDir fmi_x fmi_z nextEventTime
""".split()
)


def mangled(name):
    return re.sub(r"[.\[\] ,()]", "_", name)


@pytest.mark.shipped
def test_fmpy_reports_nothing(fmu):
    assert validate_fmu(str(fmu.path)) == []


@pytest.mark.shipped
def test_follows_the_schema_of_fmi(fmu):
    schema = etree.XMLSchema(
        etree.parse(str(SCHEMAS / "schema" / "fmi2" / "fmi2ModelDescription.xsd"))
    )
    schema.assertValid(etree.fromstring(fmu.description.xml))


def test_parameter_sets_follow_the_schema_of_ssp(fmu):
    schema = etree.XMLSchema(
        etree.parse(str(SCHEMAS / "ssp" / "schema" / "SystemStructureParameterValues.xsd"))
    )
    for path in fmu.folder.glob("resources/*.ssv"):
        schema.assertValid(etree.parse(str(path)))


def test_file_is_named_as_the_model(fmu):
    d = fmu.description
    assert (
        fmu.name
        == d.name
        == d.model_exchange.get("modelIdentifier")
        == d.co_simulation.get("modelIdentifier")
    )
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", fmu.name)


def test_version_is_exactly_2_0(fmu):
    assert fmu.description.root.get("fmiVersion") == "2.0"


def test_variable_naming_is_structured(fmu):
    assert fmu.description.root.get("variableNamingConvention") == "structured"


def test_capabilities_are_declared(fmu):
    both = ("canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative")
    for element in (fmu.description.model_exchange, fmu.description.co_simulation):
        for name in both:
            assert element.get(name) == "true", name
        assert element.get("needsExecutionTool", "false") == "false"
        assert element.get("canBeInstantiatedOnlyOncePerProcess", "false") == "false"
    for name in ("canHandleVariableCommunicationStepSize", "canInterpolateInputs"):
        assert fmu.description.co_simulation.get(name) == "true", name
    assert int(fmu.description.co_simulation.get("maxOutputDerivativeOrder")) >= 1
    assert fmu.description.model_exchange.get("completedIntegratorStepNotNeeded") == "true"


def test_starts_are_the_values_after_instantiation(fmu, kind):
    with fmu.instance(kind) as instance:
        for variable in fmu.description.variables:
            if variable.start is not None:
                assert instance.get(variable.name) == variable.start, variable.name


def test_starts_are_within_their_range(fmu):
    for variable in fmu.description.variables:
        if variable.type == "Real" and variable.start is not None:
            assert variable.min is None or variable.start >= variable.min, variable.name
            assert variable.max is None or variable.start <= variable.max, variable.name
            assert math.isfinite(variable.start)


def test_ranges_are_ranges(fmu):
    for variable in fmu.description.variables:
        if variable.min is not None and variable.max is not None:
            assert variable.min < variable.max, variable.name


def test_nominal_values_are_positive_and_mean_the_size_of_a_state(fmu):
    for variable in fmu.description.reals:
        assert variable.nominal is None or 0 < variable.nominal < math.inf, variable.name
    for state in fmu.description.states:
        assert state.nominal, f"{state.name} has no nominal value: solvers scale by it"
    declared = [state.nominal for state in fmu.description.states]
    with fmu.model_exchange() as instance:
        assert instance.nominals == declared, "before there is a run"
        instance.start()
        for given, most in zip(instance.nominals, declared):
            # two models need a finer resolution at their default inputs than declared, down to a
            # fifteenth
            assert (
                most / 20 < given <= most
                if fmu.name in ("BlimanSorine", "SecondOrderBristle")
                else given == most
            )


def test_every_variable_has_a_sentence_and_a_variability(fmu):
    for variable in fmu.description.variables:
        assert variable.text and variable.text.strip(), variable.name
        assert variable.declared_variability, variable.name
    assert fmu.description.root.get("description")


def test_no_variable_is_constant(fmu):
    assert not [v for v in fmu.description.variables if v.variability == "constant"]


def test_no_boolean_or_string_variables(fmu):
    assert {v.type for v in fmu.description.variables} <= {"Real", "Integer", "Enumeration"}


def test_discrete_inputs_do_not_exist(fmu):
    """Integer inputs arrive in OpenModelica only at events."""
    assert all(v.type == "Real" for v in fmu.description.variables if v.causality == "input")


def test_names_survive_openmodelica(fmu):
    names = [mangled(v.name) for v in fmu.description.variables]
    assert len(set(names)) == len(names)
    for variable in fmu.description.variables:
        assert variable.name not in TAKEN and mangled(variable.name) not in TAKEN, variable.name
        assert not variable.name.startswith("flow"), variable.name


def test_value_references_are_small_and_unique(fmu):
    numbers = [v.reference for v in fmu.description.variables]
    assert max(numbers) < 2**31
    assert len(set(numbers)) == len(numbers)


def test_enumerations_count_from_one_and_are_identifiers(fmu):
    for items in fmu.description.items.values():
        assert list(items) == list(range(1, len(items) + 1))
        assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in items.values())


# units


def test_every_real_has_a_defined_unit(fmu):
    defined = units(fmu.description)
    for variable in fmu.description.reals:
        assert variable.unit in defined, f"{variable.name}: unit {variable.unit} is not defined"
        display = variable.attributes.get("displayUnit")
        if display:
            names = [
                e.get("name")
                for e in fmu.description.root.findall(
                    f"UnitDefinitions/Unit[@name='{variable.unit}']/DisplayUnit"
                )
            ]
            assert display in names, variable.name


def test_units_are_si_and_have_the_dimension_their_name_says(fmu):
    for name, (exponents, factor, offset) in units(fmu.description).items():
        if re.fullmatch(r"[A-Za-z0-9./()-]+", name):
            assert exponents == exponents_of(name), name
        assert (factor, offset) == (1, 0), name


def test_a_derivative_has_the_unit_of_its_state_per_second(fmu):
    defined = units(fmu.description)
    second = BASE.index("s")
    for derivative, state in zip(fmu.description.derivatives, fmu.description.states):
        expected = list(defined[state.unit][0])
        expected[second] -= 1
        assert defined[derivative.unit][0] == tuple(expected), derivative.name
        assert derivative.name == f"der({state.name})"


@pytest.mark.parametrize(
    "units_of", [(2.0, 1.0, 1.0), (1.0, 4.0, 1.0), (1.0, 1.0, 8.0)], ids=["length", "mass", "time"]
)
def test_equations_are_consistent_in_dimension(fmu, units_of):
    """A law does not depend on the choice of metre, kilogram and second: in other units, all
    numbers scale by their units. A wrong unit of a variable, or an equation that adds metres to
    newtons, violates this. Factors are powers of two, so only rounding in pow and exp differs.
    """
    factor = scaled(fmu.description, *units_of)
    states = fmu.description.states
    sampler = Sampler(fmu.description, "dimension")
    with fmu.model_exchange() as here, fmu.model_exchange() as there:
        for _ in range(8):
            parameters = sampler.start(here)
            begin = {**parameters, **{v.name: here.get(v.name) for v in fmu.description.inputs}}
            there.start({name: value * factor.get(name, 1) for name, value in begin.items()})
            for _ in range(20):
                inputs, values = sampler.inputs(parameters), sampler.states(parameters)
                here.set(inputs)
                here.states = values
                here.event()
                there.set({name: value * factor[name] for name, value in inputs.items()})
                there.states = [value * factor[state.name] for value, state in zip(values, states)]
                there.event()
                for v in fmu.description.outputs + fmu.description.derivatives:
                    a, b = here.get(v.name) * factor[v.name], there.get(v.name)
                    size = max(abs(a), 1e-9 * abs(factor[v.name]))
                    assert b == pytest.approx(a, rel=1e-7, abs=1e-7 * size), v.name
            here.demand("fmi2Reset")
            there.demand("fmi2Reset")


# structure


def test_initial_unknowns_are_exact(fmu):
    """FMI 2.0.x: outputs, states and derivatives whose initial is calculated or approx, in order of
    their index."""
    d = fmu.description
    kept = {
        v.index
        for v in d.variables
        if v.causality == "output" or v in d.states or v in d.derivatives
    }
    expected = sorted(
        i for i in kept if d.variables[i - 1].initial in (None, "approx", "calculated")
    )
    assert [u.index for u in d.structure["InitialUnknowns"]] == expected


def test_outputs_and_derivatives_are_all_listed(fmu):
    d = fmu.description
    assert [u.index for u in d.structure["Outputs"]] == [
        v.index for v in d.variables if v.causality == "output"
    ]
    assert [u.index for u in d.structure["Derivatives"]] == [
        v.index for v in d.variables if v.derivative
    ]


def test_every_unknown_names_its_dependencies(fmu):
    for unknowns in fmu.description.structure.values():
        for unknown in unknowns:
            assert unknown.dependencies is not None
            assert unknown.dependencies == sorted(set(unknown.dependencies))


def test_every_state_has_its_start_as_a_parameter(fmu):
    for state in fmu.description.states:
        base, index = (
            (state.base, state.name[len(state.base) :]) if state.base else (state.name, "")
        )
        parameter = fmu.description[f"{base}Start{index}"]
        assert (parameter.causality, parameter.variability, parameter.unit) == (
            "parameter",
            "fixed",
            state.unit,
        )


def test_connectors_that_are_always_used_lie_on_the_icon(fmu):
    """OpenModelica puts them 25 units apart from 60 down to -90 of an icon that ends at -100.
    Constants may hang below it: ContactPoint has twelve inputs."""
    d = fmu.description
    below = {v.base or v.name for v in d.inputs[7:]}
    assert below <= {"contactNormal", "planePoint"}, below
    forces = [
        name
        for name in ("contactForce", "frictionForce", "frictionTorque", "normalForce")
        if name in {v.base or v.name for v in d.outputs}
    ]
    assert forces[0] in {v.base or v.name for v in d.outputs[:3]}


def test_default_experiment_is_complete(fmu):
    experiment = fmu.description.experiment
    assert experiment.get("startTime", 0.0) == 0.0
    assert experiment["stopTime"] > 0
    assert 0 < experiment["stepSize"] <= experiment["stopTime"]
    assert (
        0 < experiment["tolerance"] <= 1e-3
    )  # steps that FMPy's model exchange can take: see generator/reading


def test_log_categories_are_those_of_the_standard(fmu):
    allowed = {
        "logEvents",
        "logSingularLinearSystems",
        "logNonlinearSystems",
        "logDynamicStateSelection",
        "logStatusWarning",
        "logStatusDiscard",
        "logStatusError",
        "logStatusFatal",
        "logStatusPending",
        "logAll",
    }
    names = [e.get("name") for e in fmu.description.root.findall("LogCategories/Category")]
    assert set(names) <= allowed
    assert {"logStatusWarning", "logStatusDiscard", "logStatusError", "logAll"} <= set(names)


# the shared interface: swapping one element for another needs no rewiring

INTERFACE = {
    "normalForce": ("input output", "N"),
    "relativeVelocity": ("input", "m/s"),
    "externalForce": ("input", "N"),
    "frictionForce": ("output", "N"),
    "frictionCoefficient": ("output", "1"),
    "slidingVelocity": ("output", "m/s"),
    "dissipatedPower": ("output", "W"),
    "staticFriction": ("parameter", "1"),
    "dynamicFriction": ("parameter", "1"),
    "viscousFriction": ("parameter", "s/m"),
    "viscousDamping": ("parameter", "N.s/m"),
    "stribeckVelocity": ("parameter", "m/s"),
    "stribeckExponent": ("parameter", "1"),
    "regularizationVelocity": ("parameter", "m/s"),
}


def test_shared_names_mean_the_same_everywhere(fmu):
    for name, (causality, unit) in INTERFACE.items():
        for variable in fmu.description.family(name):
            assert variable.causality in causality.split(), name
            assert variable.unit == unit, name


@pytest.mark.fmus(lambda d: "relativeVelocity" in d)
def test_scalar_models_have_the_whole_interface(fmu):
    assert fmu.description.has(
        "normalForce", "frictionForce", "frictionCoefficient", "slidingVelocity", "dissipatedPower"
    )


# the file


def test_archive_holds_what_people_need(fmu):
    with zipfile.ZipFile(fmu.path) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
        assert "documentation/index.html" in names and "model.png" in names
        assert any(
            name.startswith("documentation/licenses/") or name.lower().endswith("license")
            for name in names
        )
        page = archive.read("documentation/index.html").decode()
        picture = archive.read("model.png")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert not re.search(r"""(src|href)=["']https?://[^"']+\.(js|css|png|svg)""", page), (
        "the page must work offline"
    )
    for variable in fmu.description.variables:
        if variable not in fmu.description.derivatives:
            assert (variable.base or variable.name) in page, (
                f"the page does not mention {variable.name}"
            )


def test_names_in_the_archive_survive_every_unzip(fmu):
    with zipfile.ZipFile(fmu.path) as archive:
        names = archive.namelist()
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert (
            re.fullmatch(r"[A-Za-z0-9._/ -]+", name)
            and "\\" not in name
            and ".." not in name
            and len(name) < 120
        ), name


@pytest.mark.shipped
def test_file_is_at_most_500_kilobytes(fmu):
    assert fmu.path.stat().st_size <= 500_000


@pytest.mark.shipped
def test_fmpy_reads_the_same_from_a_stream(fmu):
    assert read_model_description(io.BytesIO(fmu.path.read_bytes())).guid == fmu.description.guid


def test_models_do_not_share_a_guid(all_fmus):
    guids = [fmu.description.guid for fmu in all_fmus]
    assert len(set(guids)) == len(guids)


def test_initial_values_come_from_the_start_parameters(fmu, kind):
    """A scalar state starts at the value of its parameter; a model may project a vector (into the
    plane), but must use it."""
    sampler = Sampler(fmu.description, "start")
    with fmu.instance(kind) as instance:
        instance.initialize()
        before = {state.name: instance.get(state.name) for state in fmu.description.states}
        instance.demand("fmi2Reset")
        values = {}
        for state in fmu.description.states:
            base, index = (
                (state.base, state.name[len(state.base) :]) if state.base else (state.name, "")
            )
            parameter = fmu.description[f"{base}Start{index}"]
            values[parameter.name] = next(
                value
                for value in iter(lambda: sampler.spread(parameter), None)
                if value != parameter.start
            )
        instance.initialize(values)
        for state, value in zip(fmu.description.states, values.values()):
            if state.base is None:
                assert instance.get(state.name) == value
            else:
                assert instance.get(state.name) != before[state.name]
        if kind == MODEL_EXCHANGE:
            assert instance.states == [instance.get(state.name) for state in fmu.description.states]


@pytest.mark.shipped
def test_the_page_is_set_well_and_stands_alone(fmu):
    """Bars without gaps, no star high above its letter, a sketch that names the force, no reference
    to another page's text."""
    d, page = (
        fmu.description,
        (fmu.folder / "documentation" / "index.html").read_text(encoding="utf-8"),
    )
    for bar in re.findall(r"<mo([^>]*)>\|</mo>", page):
        assert 'lspace="0"' in bar and 'rspace="0"' in bar
    assert not re.search(r"<msup>(<m[in]>[^<]*</m[in]>)<mo[^>]*>\*</mo>", page)
    found = re.search(r'id="how-to-find-the-parameters">(.*?)<h2', page, re.DOTALL)
    assert not found or not re.search(r"[Aa]s for [A-Z]\w+[.,;]", found[1])
    forces = [
        name for name in ("frictionForce", "contactForce") if d.has(name) or d.has(f"{name}[1]")
    ]
    assert all(f">{name}</text>" in page for name in forces)
    assert "tolerance of 1e-8" in page and "output_interval" in page, "what importers do badly"
