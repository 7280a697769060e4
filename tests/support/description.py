"""Reads an FMU's modelDescription.xml, without any code of the generator that wrote it."""

import math
import re
import zipfile
from functools import cached_property

from lxml import etree


def number(text):
    return None if text is None else float(text)


class Variable:
    def __init__(self, element, index):
        self.index = index  # from 1, as ModelStructure counts
        self.name = element.get("name")
        self.reference = int(element.get("valueReference"))
        self.causality = element.get("causality", "local")
        self.variability = element.get("variability", "continuous")
        self.initial = element.get("initial")
        self.text = element.get("description")
        self.declared_variability = element.get("variability")
        kind = next(
            child
            for child in element
            if child.tag in ("Real", "Integer", "Boolean", "String", "Enumeration")
        )
        self.type = kind.tag
        self.attributes = dict(kind.attrib)
        self.derivative = int(kind.get("derivative")) if kind.get("derivative") else None
        self.base = None  # the array's name, for an element of an array
        match = re.fullmatch(r"(.+)\[(\d+)\]", self.name)
        if match:
            self.base = match.group(1)

    def inherit(self, types):
        declared = types.get(self.attributes.get("declaredType"), {})
        self.attributes = {**declared, **self.attributes}

    # Cached, because tests need these at every random point; none changes after `inherit`.

    @cached_property
    def start(self):
        text = self.attributes.get("start")
        return None if text is None else float(text) if self.type == "Real" else int(text)

    @cached_property
    def min(self):
        return number(self.attributes.get("min"))

    @cached_property
    def max(self):
        return number(self.attributes.get("max"))

    def clipped(self, value):
        """Returns the nearest value within the declared range."""
        low, high = self.range
        return min(max(value, low), high)

    @cached_property
    def range(self):
        return -math.inf if self.min is None else self.min, (
            math.inf if self.max is None else self.max
        )

    @cached_property
    def values(self):
        """Returns all values of an option."""
        return range(int(self.min), int(self.max) + 1)

    @cached_property
    def nominal(self):
        return number(self.attributes.get("nominal"))

    @cached_property
    def unit(self):
        return self.attributes.get("unit")

    def __repr__(self):
        return self.name


class Unknown:
    def __init__(self, element):
        self.index = int(element.get("index"))
        listed = element.get("dependencies")
        self.dependencies = None if listed is None else [int(i) for i in listed.split()]


class Description:
    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            self.xml = archive.read("modelDescription.xml")
        root = self.root = etree.fromstring(self.xml)
        self.name = root.get("modelName")
        self.guid = root.get("guid")
        self.identifier = root.find("CoSimulation").get("modelIdentifier")
        self.indicators = int(root.get("numberOfEventIndicators", 0))
        types, self.items = {}, {}
        for element in root.findall("TypeDefinitions/SimpleType"):
            types[element.get("name")] = dict(element[0].attrib)
            if element[0].tag == "Enumeration":
                self.items[element.get("name")] = {
                    int(item.get("value")): item.get("name") for item in element[0]
                }
        self.variables = [
            Variable(element, i)
            for i, element in enumerate(root.findall("ModelVariables/ScalarVariable"), 1)
        ]
        for variable in self.variables:
            variable.inherit(types)
        self.by_name = {variable.name: variable for variable in self.variables}
        self.accesses = {}  # for fmi2.Instance: how to get and set each variable
        structure = root.find("ModelStructure")
        self.structure = {
            kind: [Unknown(e) for e in structure.findall(f"{kind}/Unknown")]
            for kind in ("Outputs", "Derivatives", "InitialUnknowns")
        }
        self.derivatives = [self.variables[u.index - 1] for u in self.structure["Derivatives"]]
        self.states = [self.variables[d.derivative - 1] for d in self.derivatives]
        self.model_exchange = root.find("ModelExchange")
        self.co_simulation = root.find("CoSimulation")
        experiment = root.find("DefaultExperiment")
        self.experiment = (
            {key: float(value) for key, value in experiment.attrib.items()}
            if experiment is not None
            else {}
        )

    def __getitem__(self, name):
        return self.by_name[name]

    def __contains__(self, name):
        return name in self.by_name

    def has(self, *names):
        return all(name in self.by_name for name in names)

    def takes(self, *names):
        """Checks for these inputs: a contact that computes its normal force has an output of the
        same name."""
        return self.has(*names) and all(self[name].causality == "input" for name in names)

    def select(self, causality, kind=None):
        return [
            v
            for v in self.variables
            if v.causality == causality and (kind is None or v.type == kind)
        ]

    @cached_property
    def inputs(self):
        return self.select("input", "Real")

    @cached_property
    def parameters(self):
        return self.select("parameter")

    @cached_property
    def real_parameters(self):
        return self.select("parameter", "Real")

    @cached_property
    def options(self):
        return [v for v in self.select("parameter", "Integer") if v not in self.counts]

    @cached_property
    def counts(self):
        """Returns the integers that are no option: their values have no names."""
        return [v for v in self.select("parameter", "Integer") if "1 = " not in v.text]

    @cached_property
    def initial_values(self):
        """Returns the parameters with initial values of states."""
        names = [v.name for v in self.states]
        return [
            v
            for v in self.real_parameters
            if re.sub(r"Start(?=\[|$)", "", v.name) in names and v.name not in names
        ]

    @cached_property
    def tunable_parameters(self):
        """Returns the parameters whose changes take effect during a run. None is declared so, see
        docs/design.md."""
        return [v for v in self.real_parameters if v not in self.initial_values]

    @cached_property
    def outputs(self):
        return self.select("output", "Real")

    @cached_property
    def modes(self):
        """Returns the enumerations that the model itself sets."""
        return [
            v
            for v in self.variables
            if v.type == "Enumeration" and v.causality in ("output", "local")
        ]

    @cached_property
    def reals(self):
        return [v for v in self.variables if v.type == "Real"]

    @property
    def limit(self):
        """Returns the coefficient at which a body breaks away."""
        return self["staticFriction" if "staticFriction" in self else "dynamicFriction"].start

    def starts(self):
        return {v.name: v.start for v in self.parameters}

    def family(self, base):
        """Returns the variable of that name, or the elements of the array of that name."""
        return [v for v in self.variables if v.name == base or v.base == base]

    @cached_property
    def directions(self):
        """Returns the inputs that are unit vectors: the elements of each, in a fixed order."""
        bases = dict.fromkeys(v.base for v in self.inputs if v.base and v.unit in (None, "1"))
        return [self.family(base) for base in bases]
