"""Differentiates the C of a model.

A model file holds formulas only, in a small subset of C99. From its syntax tree come
- the C text of its slopes: every function `f` that `evaluate` or `initialize` needs is written again as `f_slopes`,
  which gives the same values, bit by bit, and beside them their exact directional derivative (forward mode);
- what each derivative, output and initial state depends on, member by member and element by element.

A function `f` whose slope needs thought has a hand-written companion `f_slopes`; that one is then used.
"""

import copy
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast, c_generator, c_lexer, c_parser


# What the FMI layer may call.
CONTRACT = frozenset({"evaluate", "indicators", "next_modes", "initialize", "check", "check_inputs", "constrain"})


class SubsetError(Exception):
    """The model is written in C that is not understood here. The message begins with file and line."""


@dataclass
class ModelCode:
    functions: set[str]
    slopes: str
    dependencies: dict[str, set[str]]
    includes: list[str]


def read_model(model_file: Path, include_dir: Path, header_types: str, options: Iterable[str] = ()) -> ModelCode:
    """The code of a model. `options` are the members of Modes that the user chooses."""
    model_file, include_dir = Path(model_file), Path(include_dir)
    source = Source(model_file, include_dir, header_types)
    unit = Unit(parse(source.text), source)
    for name in MODEL_SIGNATURES:
        unit.check_signature(name)
    dependencies = model_dependencies(unit, frozenset(options))
    return ModelCode(
        functions=CONTRACT & unit.definitions.keys(),
        slopes=slopes_text(unit, model_file.name),
        dependencies=dependencies,
        includes=source.includes,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Source: comments and directives out, local includes in, line numbers kept
# ---------------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def without_comments(text):
    def blank(match):
        token = match.group()
        return " " + "\n" * token.count("\n") if token[0] == "/" else token

    return TOKEN.sub(blank, text)


class Source:
    """The model file with its local includes as one text. `#line` lines tell where each part comes from."""

    def __init__(self, model_file, include_dir, header_types):
        self.include_dir = include_dir
        self.model = self.label(model_file)
        self.header_name = model_file.stem + ".h"
        self.header_types = header_types
        self.includes = []
        self.seen = set()
        if not model_file.is_file():
            raise SubsetError(f"{self.model}:1: there is no such file")
        self.text = "".join(self.expand(model_file.read_text(encoding="utf-8"), self.model))

    def label(self, path):
        try:
            return path.resolve().relative_to(self.include_dir.resolve().parent).as_posix()
        except ValueError:
            return path.name

    def expand(self, text, label):
        generated = label == self.header_name
        lines = without_comments(text).split("\n")
        guard = guard_lines(lines)
        skipped = 0  # depth inside the conditional parts of the generated header
        yield f'#line 1 "{label}"\n'
        for number, line in enumerate(lines, 1):
            stripped = line.strip()
            if not stripped.startswith("#"):
                yield ("" if skipped else line) + "\n"
                continue
            directive = re.match(r"#\s*(\w*)\s*(.*)", stripped)
            name, rest = directive.groups()
            if name == "include" and not skipped:
                yield from self.include(rest, label, number)
                yield f'#line {number + 1} "{label}"\n'
                continue
            if generated:
                if name in ("if", "ifdef", "ifndef") and number not in guard:
                    skipped += 1
                elif name == "endif" and number not in guard:
                    skipped -= 1
            elif number not in guard:
                raise SubsetError(
                    f"{label}:{number}: the directive #{name} is not supported; "
                    "write a constant as an enum or a static const double, a macro as a static function"
                )
            yield "\n"

    def include(self, rest, label, number):
        if rest.startswith("<"):
            return
        name = rest.strip('"')
        if name == self.header_name:
            if name not in self.seen:
                self.seen.add(name)
                yield from self.expand(self.header_types, name)
            return
        path = self.include_dir / name
        if not path.is_file():
            raise SubsetError(f'{label}:{number}: the include "{name}" is not found; write it as seen from fmu_src')
        if path.resolve() not in self.seen:
            self.seen.add(path.resolve())
            self.includes.append(name)
            yield from self.expand(path.read_text(encoding="utf-8"), self.label(path))


def guard_lines(lines):
    """Numbers of the three lines of an include guard, if there is one."""
    directives = [(n, line.split()) for n, line in enumerate((x.replace("#", "# ", 1) for x in lines), 1) if line.strip()[:1] == "#"]
    if len(directives) < 3:
        return set()
    (first, opening), (second, define), (last, closing) = directives[0], directives[1], directives[-1]
    is_guard = opening[1:2] == ["ifndef"] and define[1:] == ["define", opening[-1]] and closing[1:2] == ["endif"]
    return {first, second, last} if is_guard else set()


class Lexer(c_lexer.CLexer):
    """Remembers the last token, because some errors of the parser tell no line."""

    last = None

    def token(self):
        token = super().token()
        self.last = token or self.last
        return token


def parse(text):
    parser = c_parser.CParser(lexer=Lexer)
    try:
        return parser.parse(text)
    except c_parser.ParseError as error:
        place = re.match(r"(.*?):(\d+)(?::\d+)?:\s*(.*)", str(error))
        if place:
            file, line, reason = place.groups()
        else:
            file, line, reason = parser.clex.filename, parser.clex.last.lineno, str(error).split(": ")[-1]
        raise SubsetError(f"{file}:{line}: this is not C that is understood here ({reason})") from None


# ---------------------------------------------------------------------------------------------------------------------
# Types
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scalar:
    name: str  # "double", "int" or "void"


@dataclass(frozen=True)
class Struct:
    name: str
    members: tuple  # of (name, type)

    def member(self, name):
        return dict(self.members).get(name)


@dataclass(frozen=True)
class Array:
    element: object
    size: int


@dataclass(frozen=True)
class Pointer:
    target: object
    const: bool


DOUBLE, INT, VOID = Scalar("double"), Scalar("int"), Scalar("void")
INTEGERS = {"int", "unsigned", "char", "short", "long", "signed", "_Bool"}
CONSTANTS = {"DBL_EPSILON", "DBL_MIN", "DBL_MAX", "INFINITY", "HUGE_VAL", "NAN", "M_PI"}


def is_active(kind):
    """Has slopes: doubles and whatever holds them."""
    if isinstance(kind, Struct):
        return any(is_active(member) for _, member in kind.members)
    if isinstance(kind, Array):
        return is_active(kind.element)
    if isinstance(kind, Pointer):
        return is_active(kind.target)
    return kind == DOUBLE


def leaves(kind, path=()):
    """The scalar places inside a value, each as a path of member names and indices."""
    if isinstance(kind, Struct):
        for name, member in kind.members:
            yield from leaves(member, path + (name,))
    elif isinstance(kind, Array):
        for i in range(kind.size):
            yield from leaves(kind.element, path + (i,))
    else:
        yield path, kind


def path_text(path):
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def step_into(kind, path):
    for step in path:
        kind = kind.element if isinstance(step, int) else kind.member(step)
    return kind


@dataclass
class Parameter:
    name: str
    kind: object
    node: c_ast.Decl


@dataclass
class Function:
    name: str
    node: c_ast.FuncDef
    result: object
    parameters: list
    coord: object


MODEL_SIGNATURES = {
    "evaluate": (("Parameters", True), ("Inputs", True), ("States", True), ("Modes", True), ("States", False), ("Outputs", False)),
    "initialize": (("Parameters", True), ("Inputs", True), ("States", False)),
}


class Unit:
    """Types, constants and functions of the whole text."""

    def __init__(self, tree, source):
        self.source = source
        self.typedefs, self.structs, self.enumerators, self.constants = {}, {}, {}, {}
        self.definitions = {}
        self.signatures = {}
        for node in tree.ext:
            if isinstance(node, c_ast.Typedef):
                self.typedefs[node.name] = self.kind_of(node.type, name=node.name)
            elif isinstance(node, c_ast.FuncDef):
                self.definitions[node.decl.name] = node
            elif isinstance(node, c_ast.Decl):
                self.declare(node)
        if "evaluate" not in self.definitions:
            raise SubsetError(f"{source.model}:1: the function evaluate is missing")
        for name in ("Parameters", "Inputs", "States", "Outputs", "Modes"):
            if name not in self.typedefs:
                raise SubsetError(f'{source.model}:1: the type {name} is not known; include "{source.header_name}"')

    def declare(self, node):
        if isinstance(node.type, c_ast.FuncDecl):
            return
        if isinstance(node.type, (c_ast.Enum, c_ast.Struct)):
            self.base_kind(node.type, None)
            return
        if "const" in node.quals:
            self.constants[node.name] = (self.kind_of(node.type, init=node.init), node)

    def error(self, node, text):
        coord = getattr(node, "coord", None)
        where = f"{coord.file}:{coord.line}" if coord else f"{self.source.model}:1"
        return SubsetError(f"{where}: {text}")

    def kind_of(self, node, name=None, init=None, parameter=False):
        """The type that a declaration gives."""
        if isinstance(node, c_ast.TypeDecl):
            return self.base_kind(node.type, name)
        if isinstance(node, c_ast.PtrDecl):
            if isinstance(node.type, c_ast.FuncDecl):
                raise self.error(node, "a pointer to a function is not supported; call the function by its name")
            return Pointer(self.kind_of(node.type), is_const(node.type))
        if isinstance(node, c_ast.ArrayDecl):
            if parameter:
                return Pointer(self.kind_of(node.type), is_const(node.type))
            element = self.kind_of(node.type)
            if node.dim is None:
                if not isinstance(init, c_ast.InitList):
                    raise self.error(node, "an array needs its size")
                return Array(element, len(init.exprs))
            return Array(element, self.constant_int(node.dim))
        if isinstance(node, c_ast.Typename):
            return self.kind_of(node.type)
        raise self.error(node, "this type is not supported; use double, int, structs of double, pointers and arrays of these")

    def base_kind(self, node, name):
        if isinstance(node, c_ast.Enum):
            value = 0
            for item in node.values.enumerators if node.values else ():
                value = self.constant_int(item.value) if item.value is not None else value
                self.enumerators[item.name] = value
                value += 1
            return INT
        if isinstance(node, c_ast.Struct):
            if node.decls is None:
                if node.name not in self.structs:
                    raise self.error(node, f"struct {node.name} is not declared")
                return self.structs[node.name]
            members = tuple((d.name, self.kind_of(d.type)) for d in node.decls)
            kind = Struct(name or f"struct {node.name}", members)
            if node.name:
                self.structs[node.name] = kind
            return kind
        if isinstance(node, c_ast.IdentifierType):
            names = node.names
            if names == ["double"]:
                return DOUBLE
            if names == ["void"]:
                return VOID
            if all(n in INTEGERS for n in names):
                return INT
            if len(names) == 1 and names[0] in self.typedefs:
                return self.typedefs[names[0]]
            raise self.error(node, f"the type {' '.join(names)} is not supported; use double, int or a struct of double")
        raise self.error(node, "this type is not supported; use double, int, structs of double, pointers and arrays of these")

    def constant_int(self, node):
        value = self.fold(node)
        if not isinstance(value, int):
            raise self.error(node, "this must be a constant whole number")
        return value

    def fold(self, node):
        """The number that a constant expression of integers stands for, or None."""
        if isinstance(node, c_ast.Constant):
            return number(node)
        if isinstance(node, c_ast.ID):
            return self.enumerators.get(node.name)
        if isinstance(node, c_ast.UnaryOp):
            return fold_unary(node.op, self.fold(node.expr))
        if isinstance(node, c_ast.BinaryOp):
            return fold_binary(node.op, self.fold(node.left), self.fold(node.right))
        return None

    def function(self, name):
        if name not in self.signatures:
            node = self.definitions[name]
            head = node.decl.type
            parameters = []
            for p in head.args.params if head.args else ():
                if isinstance(p, c_ast.EllipsisParam):
                    raise self.error(node, f"{name} takes a varying number of arguments, which is not supported")
                kind = self.kind_of(p.type, parameter=True)
                if kind != VOID:
                    if not p.name:
                        raise self.error(p, f"an argument of {name} needs a name")
                    parameters.append(Parameter(p.name, kind, p))
            result = self.kind_of(head.type)
            if isinstance(result, Pointer) and is_active(result):
                raise self.error(node, f"{name} returns a pointer, which is not supported; return a struct or write through an argument")
            self.signatures[name] = Function(name, node, result, parameters, node.coord)
        return self.signatures[name]

    def check_signature(self, name):
        if name not in self.definitions:
            return
        function = self.function(name)
        expected = tuple(Pointer(self.typedefs.get(kind), const) for kind, const in MODEL_SIGNATURES[name])
        if function.result != VOID or tuple(p.kind for p in function.parameters) != expected:
            arguments = ", ".join(f"{'const ' if const else ''}{kind} *" for kind, const in MODEL_SIGNATURES[name])
            raise self.error(function.node, f"{name} must be declared as static void {name}({arguments})")

    def companion(self, name):
        """Whether a hand-written companion exists; its arguments must be the ones a generated one would have."""
        written = name + "_slopes"
        if written not in self.definitions:
            return False
        function, own = self.function(name), self.function(written)
        expected = []
        for p in function.parameters:
            expected += [p.kind] * (2 if is_active(p.kind) else 1)
        if is_active(function.result):
            expected.append(Pointer(function.result, False))
        if own.result != function.result or [p.kind for p in own.parameters] != expected:
            raise self.error(own.node, f"{written} does not fit {name}; declare it as {slopes_head(function)}")
        return True


def is_const(node):
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in node.quals


def number(node):
    if node.type in ("double", "float", "long double"):
        return float.fromhex(node.value) if "x" in node.value.lower() else float(node.value.rstrip("fFlL"))
    if "int" in node.type:
        text = node.value.rstrip("uUlL")
        return int(text, 8) if re.fullmatch(r"0[0-7]+", text) else int(text, 0)
    return None


def fold_unary(op, a):
    if a is None:
        return None
    return {"-": lambda: -a, "+": lambda: a, "!": lambda: int(not a), "~": lambda: ~a}.get(op, lambda: None)()


def fold_binary(op, a, b):
    if a is None or b is None:
        if (op == "*" and (a == 0 or b == 0)) or (op == "/" and a == 0):
            return 0.0
        if op == "&&" and (a == 0 or b == 0):
            return 0
        if op == "||" and (a or b):
            return 1
        return None
    if op in ("/", "%"):
        if b == 0:
            return None
        if isinstance(a, int) and isinstance(b, int):
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op == "/" else a - quotient * b
        return a / b if op == "/" else None
    whole = isinstance(a, int) and isinstance(b, int)
    if op in ("&", "|", "^", "<<", ">>") and not (whole and b >= 0):
        return None
    table = {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
        "<": lambda: int(a < b), "<=": lambda: int(a <= b), ">": lambda: int(a > b), ">=": lambda: int(a >= b),
        "==": lambda: int(a == b), "!=": lambda: int(a != b),
        "&&": lambda: int(bool(a and b)), "||": lambda: int(bool(a or b)),
        "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b, "<<": lambda: a << b, ">>": lambda: a >> b,
    }  # fmt: skip
    return table[op]() if op in table else None


# ---------------------------------------------------------------------------------------------------------------------
# C expressions as text that knows how tightly it binds
# ---------------------------------------------------------------------------------------------------------------------

BINDING = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 10, ">": 10, "<=": 10, ">=": 10,
    "==": 9, "!=": 9, "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
PRIMARY, POSTFIX, UNARY, TERNARY = 16, 15, 14, 3


@dataclass(frozen=True)
class Text:
    text: str
    binding: int = PRIMARY
    negated: object = None  # the Text of which this is the negative

    def within(self, binding):
        return self.text if self.binding >= binding else f"({self.text})"


ZERO = Text("0")
NOUGHTS = {"0", "0.0", "0."}


def binary(op, a, b):
    binding = BINDING[op]
    left, right = a.within(binding), b.within(binding + 1)
    if binding < 12:  # parentheses where a reader, or a compiler's warning, may doubt

        def clear(x):
            if op in ("&&", "||"):
                return x.binding in (9, 10) or x.binding >= 12
            return x.binding >= (UNARY if op not in COMPARISONS else 12) and x.text[0] != "!"

        left = a.text if clear(a) or (op in ("&&", "||") and a.binding == binding) else f"({a.text})"
        right = b.text if clear(b) else f"({b.text})"
    negated = binary(op, a.negated, b) if a.negated and binding == 13 and op != "%" else None
    return Text(f"{left} {op} {right}", binding, negated)


def unary(op, a):
    inner = a.within(UNARY)
    if inner[0] == op[0]:
        inner = f"({inner})"
    return Text(op + inner, UNARY, a if op == "-" else None)


def ternary(condition, a, b):
    return Text(f"{condition.within(TERNARY + 1)} ? {a.within(TERNARY + 1)} : {b.within(TERNARY)}", TERNARY)


# Arithmetic of slopes; None is a slope that is zero by construction.


def negative(a):
    if a is None:
        return None
    if a.negated:
        return a.negated
    if a.binding == 13 and a.text[0] != "-":
        return Text("-" + a.text, 13, a)
    return unary("-", a)


def plus(a, b):
    if a is None or b is None:
        return b if a is None else a
    if b.negated:
        return binary("-", a, b.negated)
    if b.binding == 12:  # a sum of slopes needs no parentheses
        return Text(f"{a.within(12)} - {b.text[1:]}" if b.text[0] == "-" else f"{a.within(12)} + {b.text}", 12)
    return binary("+", a, b)


def minus(a, b):
    if b is None:
        return a
    return negative(b) if a is None else plus(a, negative(b))


def times(a, b):
    """Product of a value and a slope, in any order."""
    if a is None or b is None or a.text in NOUGHTS or b.text in NOUGHTS:
        return None
    if a.text == "1" or b.text == "1":
        return b if a.text == "1" else a
    if a.negated or b.negated:
        product = times(a.negated or a, b.negated or b)
        return product if a.negated and b.negated else negative(product)
    return binary("*", a, b)


def over(a, b):
    """Quotient of a slope and a value."""
    if a is None:
        return None
    return negative(over(a.negated, b)) if a.negated else binary("/", a, b)


def call_text(name, *arguments):
    return Text(f"{name}({', '.join(a.text for a in arguments)})", POSTFIX)


# ---------------------------------------------------------------------------------------------------------------------
# Mathematical functions and their slopes
# ---------------------------------------------------------------------------------------------------------------------

HELPERS = {
    "fabs_slope": """\
static double fabs_slope(double x, double x_slope) {
    return x < 0 ? -x_slope : x_slope;
}
""",
    "copysign_slope": """\
static double copysign_slope(double x, double x_slope, double sign) {
    return copysign(1, sign) * (x < 0 ? -x_slope : x_slope);
}
""",
    "fmin_slope": """\
static double fmin_slope(double a, double a_slope, double b, double b_slope) {
    return a <= b ? a_slope : b_slope;
}
""",
    "fmax_slope": """\
static double fmax_slope(double a, double a_slope, double b, double b_slope) {
    return a >= b ? a_slope : b_slope;
}
""",
    "sqrt_slope": """\
/* Zero at the edge x = 0, where the root has no slope. */
static double sqrt_slope(double x, double x_slope) {
    return x > 0 ? x_slope / (2 * sqrt(x)) : 0;
}
""",
    "pow_base_slope": """\
/* Zero for x = 0 and y < 1, where the power has no slope. */
static double pow_base_slope(double x, double x_slope, double y) {
    return y == 0 || (x == 0 && y < 1) ? 0 : y * pow(x, y - 1) * x_slope;
}
""",
    "pow_exponent_slope": """\
/* x^y ln x, and its limit zero at x = 0. */
static double pow_exponent_slope(double x, double y, double y_slope) {
    return x > 0 ? pow(x, y) * log(x) * y_slope : 0;
}
""",
}

MATH_ARGUMENTS = {
    "fabs": 1, "exp": 1, "expm1": 1, "log": 1, "sqrt": 1, "sin": 1, "cos": 1, "tan": 1, "tanh": 1, "atan": 1,
    "pow": 2, "copysign": 2, "fmin": 2, "fmax": 2,
}  # fmt: skip
TESTS = {"isfinite", "isnan", "isinf", "signbit"}  # of math.h, give an int
FROM_VALUE = {  # slopes that reuse the value
    "exp": lambda value, s: times(value, s),
    "tan": lambda value, s: times(binary("+", Text("1"), binary("*", value, value)), s),
    "tanh": lambda value, s: times(binary("-", Text("1"), binary("*", value, value)), s),
}


def math_slope(name, helpers, values, slopes):
    def helper(*arguments):
        helpers.add(name + "_slope")
        return call_text(name + "_slope", *arguments)

    x, s = values[0], slopes[0]
    if name == "pow":
        parts = []
        if s is not None:
            helpers.add("pow_base_slope")
            parts.append(call_text("pow_base_slope", x, s, values[1]))
        if slopes[1] is not None:
            helpers.add("pow_exponent_slope")
            parts.append(call_text("pow_exponent_slope", x, values[1], slopes[1]))
        return plus(parts[0], parts[1] if len(parts) > 1 else None)
    if name in ("fmin", "fmax"):
        return helper(x, s or ZERO, values[1], slopes[1] or ZERO)
    if name == "copysign":
        return helper(x, s, values[1]) if s is not None else None
    if name in ("fabs", "sqrt"):
        return helper(x, s)
    if name == "expm1":
        return times(call_text("exp", x), s)
    if name == "log":
        return over(s, x)
    if name == "sin":
        return times(call_text("cos", x), s)
    if name == "cos":
        return negative(times(call_text("sin", x), s))
    if name == "atan":
        return over(s, binary("+", Text("1"), binary("*", x, x)))
    raise AssertionError(name)


# ---------------------------------------------------------------------------------------------------------------------
# Slopes: one function written again with its directional derivative
# ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Symbol:
    name: str
    kind: object
    key: int  # identity of its declaration
    place: str  # "parameter", "local" or "constant"


@dataclass
class Value:
    value: Text
    slope: object  # Text, or None for zero
    kind: object
    declared: bool = False  # the value already stands under the name it was wanted for


@dataclass
class Written:
    """A function with slopes."""

    text: str
    calls: list  # names of the functions whose slopes it needs
    helpers: set
    zero_constants: set  # constant structs and arrays of which a zero companion is needed
    zero_result: bool


def declaration(node, name):
    """C text that declares another name with the type of this one."""
    node = copy.deepcopy(node)
    node.init = None
    inner = node.type
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    inner.declname = node.name = name
    return c_generator.CGenerator().visit(node)


def slopes_head(function):
    """Declaration of the function with slopes, without its body."""
    arguments = []
    for p in function.parameters:
        arguments.append(declaration(p.node, p.name))
        if is_active(p.kind):
            arguments.append(declaration(p.node, p.name + "_slope"))
    if is_active(function.result):
        arguments.append(f"{function.result.name} *result_slope")
    return f"static {function.result.name} {function.name}_slopes({', '.join(arguments) or 'void'})"


class Differentiator:
    """Writes `f_slopes`. Runs until it is known which locals need no slope: those that nobody reads, and those that
    are zero throughout."""

    def __init__(self, unit, function, slopes_of):
        self.unit, self.function, self.slopes_of = unit, function, slopes_of
        self.unread, self.zero = set(), set()
        self.statement_node = function.node

    def write(self):
        self.check_names()
        while True:
            self.run()
            locals_ = {s.key for s in self.symbols if s.place == "local" and is_active(s.kind)}
            unread = locals_ - self.read
            zero = {s.key for s in self.symbols if s.key in locals_ and not isinstance(s.kind, Pointer)} - self.nonzero
            if unread <= self.unread and zero <= self.zero:
                break
            self.unread |= unread
            self.zero |= zero
        body = "\n".join(self.lines)
        for p in reversed(self.function.parameters):
            if is_active(p.kind) and (id(p.node) not in self.read or not re.search(rf"\b{p.name}_slope\b", body)):
                body = f"    (void){p.name}_slope;\n{body}"
        text = wrapped(slopes_head(self.function) + " {") + "\n" + body + "\n}\n"
        return Written(text, self.calls, self.helpers, self.zero_constants, not self.nonzero_result)

    def check_names(self):
        names = {}

        class Names(c_ast.NodeVisitor):
            def visit_Decl(self, node):
                names.setdefault(node.name, node)
                self.generic_visit(node)

        Names().visit(self.function.node)
        for name, node in names.items():
            if name.endswith("_slopes") and name.removesuffix("_slopes") in self.unit.definitions and name != self.function.name:
                raise self.unit.error(node, f"the name {name} is taken by a function; choose another")
            if name == "result_slope" or (name.endswith("_slope") and name.removesuffix("_slope") in names):
                raise self.unit.error(node, f"the name {name} is taken by the slope of {name.removesuffix('_slope')}; choose another")
        self.names = set(names) | set(self.unit.definitions)

    def run(self):
        self.lines, self.indent, self.counter = [], 1, {}
        self.scopes = [{}]
        self.symbols = []
        self.calls, self.helpers, self.zero_constants = [], set(), set()
        self.read, self.nonzero = set(), set()
        self.nonzero_result = False
        for p in self.function.parameters:
            self.define(p.name, p.kind, p.node, "parameter")
        self.block(self.function.node.body)

    # names

    def define(self, name, kind, node, place):
        symbol = Symbol(name, kind, id(node), place)
        self.scopes[-1][name] = symbol
        self.symbols.append(symbol)
        return symbol

    def look_up(self, node):
        for scope in reversed(self.scopes):
            if node.name in scope:
                return scope[node.name]
        if node.name in self.unit.constants:
            kind, declared = self.unit.constants[node.name]
            return Symbol(node.name, kind, id(declared), "constant")
        if node.name in self.unit.enumerators:
            return Symbol(node.name, INT, 0, "constant")
        if node.name in CONSTANTS:
            return Symbol(node.name, DOUBLE, 0, "constant")
        raise self.error(node, f"{node.name} is not declared as a local, an argument or a constant")

    def has_slope(self, symbol):
        return is_active(symbol.kind) and symbol.place != "constant" and symbol.key not in self.unread | self.zero

    def fresh(self, stem):
        while True:
            self.counter[stem] = self.counter.get(stem, 0) + 1
            name = f"{stem}_{self.counter[stem]}"
            if name not in self.names:
                return name

    def error(self, node, text):
        return self.unit.error(node if getattr(node, "coord", None) else self.statement_node, text)

    # output

    def emit(self, text):
        self.lines.append(wrapped("    " * self.indent + text))

    def captured(self, action):
        """What the action gives, and the lines it wrote instead of writing them."""
        before, self.lines = self.lines, []
        try:
            return action(), self.lines
        finally:
            self.lines = before

    # statements

    def block(self, node):
        self.scopes.append({})
        for statement in (node.block_items or ()) if isinstance(node, c_ast.Compound) else (node,):
            self.statement(statement)
        self.scopes.pop()

    def inner(self, node):
        self.indent += 1
        self.block(node)
        self.indent -= 1

    def statement(self, node):
        if getattr(node, "coord", None):
            self.statement_node = node
        action = getattr(self, "on_" + type(node).__name__, None)
        if action is None:
            raise self.error(node, STATEMENTS.get(type(node).__name__, "this statement is not supported"))
        action(node)

    def on_EmptyStatement(self, node):
        pass

    def on_Compound(self, node):
        self.emit("{")
        self.inner(node)
        self.emit("}")

    def on_Cast(self, node):
        if self.unit.kind_of(node.to_type) != VOID:
            raise self.error(node, "this statement has no effect")
        self.emit(f"(void){self.plain(node.expr).value.within(UNARY)};")

    def on_UnaryOp(self, node):
        if node.op not in ("++", "--", "p++", "p--"):
            raise self.error(node, "this statement has no effect")
        self.emit(self.step(node) + ";")

    def step(self, node):
        target = self.target(node.expr)
        if target.kind not in (INT, DOUBLE):
            raise self.error(node, f"{node.op.lstrip('p')} works on numbers only")
        return target.value.text + node.op.lstrip("p") if node.op[0] == "p" else node.op + target.value.text

    def on_FuncCall(self, node):
        self.call(node, want=False, statement=True)

    def on_If(self, node, keyword="if"):
        condition = self.plain(node.cond).value
        self.emit(f"{keyword} ({condition.text}) {{")
        self.inner(node.iftrue)
        if isinstance(node.iffalse, c_ast.If):
            if not self.hoists(lambda: self.plain(node.iffalse.cond)):
                self.on_If(node.iffalse, "} else if")
                return
        if node.iffalse is not None:
            self.emit("} else {")
            self.inner(node.iffalse)
        self.emit("}")

    def on_For(self, node):
        self.scopes.append({})
        start = self.for_start(node.init)
        (condition, step), hoisted = self.captured(lambda: (self.plain(node.cond).value.text, self.for_step(node)))
        if hoisted:
            raise self.error(node, "the head of a for loop must count an int; call functions in its body")
        self.emit(f"for ({start}; {condition}; {step}) {{")
        self.inner(node.stmt)
        self.emit("}")
        self.scopes.pop()

    def for_start(self, node):
        counter = node.decls[0] if isinstance(node, c_ast.DeclList) and len(node.decls) == 1 else None
        if counter and counter.init and self.unit.kind_of(counter.type) == INT:
            self.define(counter.name, INT, counter, "local")
            return f"{declaration(counter, counter.name)} = {self.plain(counter.init).value.text}"
        if isinstance(node, c_ast.Assignment) and self.target(node.lvalue).kind == INT:
            return f"{self.target(node.lvalue).value.text} {node.op} {self.plain(node.rvalue).value.text}"
        raise self.error(node, "a for loop must count one int, as in for (int i = 0; i < 3; i++)")

    def for_step(self, node):
        step = node.next
        if isinstance(step, c_ast.UnaryOp) and step.op in ("++", "--", "p++", "p--") and self.target(step.expr).kind == INT:
            return self.step(step)
        if isinstance(step, c_ast.Assignment) and self.target(step.lvalue).kind == INT:
            return f"{self.target(step.lvalue).value.text} {step.op} {self.plain(step.rvalue).value.text}"
        raise self.error(node, "a for loop must count one int, as in for (int i = 0; i < 3; i++)")

    def on_Return(self, node):
        result = self.function.result
        if node.expr is None:
            self.emit("return;")
            return
        if not is_active(result):
            self.emit(f"return {self.plain(node.expr).value.text};")
            return
        if self.split(node.expr, lambda branch: c_ast.Return(branch, node.coord)):
            return
        place = Destination("return ", Text("result_slope"))
        value = self.full(node.expr, place)
        if value.slope is not None:
            self.nonzero_result = True
        if value.declared:
            return
        self.emit(f"*result_slope = {zero_or(value.slope, result).text};")
        self.emit(f"return {value.value.text};")

    def split(self, node, statement):
        """Writes a statement over `c ? a : b` as if/else when a branch cannot stay inside an expression."""
        if not isinstance(node, c_ast.TernaryOp):
            return False
        hoists = self.hoists(lambda: (self.full(node.iftrue), self.full(node.iffalse)))
        if hoists:
            self.statement(c_ast.If(node.cond, statement(node.iftrue), statement(node.iffalse), node.coord))
        return hoists

    def hoists(self, action):
        """Whether the action writes lines. It is tried and undone."""
        before = {n: copy.copy(getattr(self, n)) for n in ("counter", "calls", "helpers", "zero_constants", "read", "nonzero")}
        _, lines = self.captured(action)
        self.__dict__.update(before)
        return bool(lines)

    def on_Assignment(self, node):
        target = self.target(node.lvalue)
        if target.kind == INT:
            self.emit(f"{target.value.text} {node.op} {self.plain(node.rvalue).value.text};")
            return
        if isinstance(target.kind, (Pointer, Array)):
            raise self.error(node, "a pointer is set once, where it is declared; an array is set element by element")
        if target.slope is None:
            source = self.plain(node.rvalue)
            self.emit(f"{target.value.text} {node.op} {source.value.text};")
            return
        if node.op == "=" and self.split(node.rvalue, lambda branch: c_ast.Assignment("=", node.lvalue, branch, node.coord)):
            return
        if node.op not in ("=", "+=", "-=", "*=", "/="):
            raise self.error(node, f"the assignment {node.op} is not supported on a double")
        place = Destination(f"{target.value.text} = ", unary("&", target.slope)) if node.op == "=" else None
        source = self.full(node.rvalue, place)
        self.note(node.lvalue, source.slope)
        if source.declared:
            return
        own, old, new = target.slope, target.value, source.value
        if node.op == "=":
            self.emit(f"{own.text} = {zero_or(source.slope, target.kind).text};")
        elif node.op in ("+=", "-="):
            if source.slope is not None:
                flipped = source.slope.negated is not None
                sign = node.op if not flipped else {"+=": "-=", "-=": "+="}[node.op]
                self.emit(f"{own.text} {sign} {(source.slope.negated if flipped else source.slope).text};")
        elif node.op == "*=":
            if source.slope is None:
                self.emit(f"{own.text} *= {new.text};")
            else:
                self.emit(f"{own.text} = {plus(times(own, new), times(old, source.slope)).text};")
        elif source.slope is None:
            self.emit(f"{own.text} /= {new.text};")
        else:
            self.emit(f"{own.text} = {quotient_slope(old, own, new, source.slope).text};")
        self.emit(f"{target.value.text} {node.op} {new.text};")

    def target(self, node):
        """A place that is written: its slope's name is used, but not read."""
        if not isinstance(node, (c_ast.ID, c_ast.StructRef, c_ast.ArrayRef)) and not (isinstance(node, c_ast.UnaryOp) and node.op == "*"):
            raise self.error(node, "only a variable, a member or an element can be set")
        read = set(self.read)
        value = self.full(node)
        root = self.root(node)
        self.read = read | ({root.key} if root and isinstance(root.kind, Pointer) else set())
        return value

    def root(self, node):
        while not isinstance(node, c_ast.ID):
            if isinstance(node, (c_ast.StructRef, c_ast.ArrayRef)):
                node = node.name
            elif isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&"):
                node = node.expr
            else:
                return None
        return self.look_up(node)

    def note(self, node, slope):
        if slope is not None:
            root = self.root(node)
            if root:
                self.nonzero.add(root.key)

    def on_Decl(self, node):
        if "static" in node.storage or "extern" in node.storage:
            raise self.error(node, "a static local is not supported; a model has no memory but its states")
        if isinstance(node.type, (c_ast.FuncDecl, c_ast.Struct, c_ast.Enum)):
            raise self.error(node, "declare types and functions outside of functions")
        kind = self.unit.kind_of(node.type, init=node.init)
        symbol = Symbol(node.name, kind, id(node), "local")
        wants = self.has_slope(symbol)
        declared, slope_declared = declaration(node, node.name), declaration(node, node.name + "_slope")
        if node.init is None:
            if isinstance(kind, Pointer):
                raise self.error(node, f"the pointer {node.name} needs its target where it is declared")
            self.emit(f"{declared};")
            if wants:
                self.emit(f"{slope_declared};" if not is_mixed(kind) else f"{slope_declared} = {{0}};")
        elif isinstance(node.init, c_ast.InitList):
            value, slope = self.initializer(node.init, kind, wants)
            if slope is not None:
                self.nonzero.add(id(node))
            if wants:
                self.emit(f"{slope_declared} = {slope or '{0}'};")
            self.emit(f"{declared} = {value};")
        elif not wants:
            self.emit(f"{declared} = {self.plain(node.init).value.text};")
        elif isinstance(kind, Pointer):
            source = self.full(node.init)
            if source.slope is None:
                source.slope = self.zero_companion(node.init)
            self.escape(node.init)
            self.emit(f"{slope_declared} = {source.slope.text};")
            self.emit(f"{declared} = {source.value.text};")
        elif not self.split_declaration(node, kind):
            place = Destination(f"{declared} = ", Text(f"&{node.name}_slope"), f"{kind.name} {node.name}_slope;", Text(node.name))
            source = self.full(node.init, place)
            if source.slope is not None:
                self.nonzero.add(id(node))
            if source.slope is None or source.slope.text != node.name + "_slope":
                self.emit(f"{slope_declared} = {zero_or(source.slope, kind).text};")
            if not source.declared:
                self.emit(f"{declared} = {source.value.text};")
        self.scopes[-1][node.name] = symbol
        self.symbols.append(symbol)

    def split_declaration(self, node, kind):
        """`const double a = c ? f(x) : 0;` becomes a declaration and if/else."""

        def opening(branch):
            return c_ast.Assignment("=", c_ast.ID(node.name, node.coord), branch, node.coord)

        choice = node.init
        if not isinstance(choice, c_ast.TernaryOp) or not self.hoists(lambda: (self.full(choice.iftrue), self.full(choice.iffalse))):
            return False
        self.emit(f"{kind.name} {node.name};")
        self.emit(f"{kind.name} {node.name}_slope;")
        self.scopes.append({node.name: Symbol(node.name, kind, id(node), "local")})
        self.split(choice, opening)
        self.scopes.pop()
        return True

    def initializer(self, node, kind, wants):
        """Text of `{…}` for the value and for the slope (None when all zero)."""
        values, slopes = [], []
        position = 0
        for item in node.exprs:
            prefix, part = "", None
            if isinstance(item, c_ast.NamedInitializer):
                if len(item.name) != 1:
                    raise self.error(item, "a nested designator is not supported; use nested braces")
                if isinstance(kind, Array):
                    position = self.unit.constant_int(item.name[0])
                    prefix = f"[{position}] = "
                else:
                    position = [n for n, _ in kind.members].index(item.name[0].name)
                    prefix = f".{item.name[0].name} = "
                item = item.expr
            if isinstance(kind, Array):
                part = kind.element
            elif isinstance(kind, Struct) and position < len(kind.members):
                part = kind.members[position][1]
            else:
                raise self.error(item, "too many values in braces")
            position += 1
            if isinstance(item, c_ast.InitList):
                value, slope = self.initializer(item, part, wants)
                slope = slope or "{0}" if wants else None
                nonzero = slope not in (None, "{0}")
            else:
                if isinstance(part, (Array, Struct)) and len(node.exprs) > 1 and not isinstance(self.plain(item).kind, Struct):
                    raise self.error(item, "write the values of an inner struct or array in braces of their own")
                source = self.full(item) if wants else self.plain(item)
                value, nonzero = source.value.text, source.slope is not None
                slope = zero_or(source.slope, part).text
            values.append(prefix + value)
            slopes.append((prefix + slope if wants else "", nonzero))
        any_slope = any(nonzero for _, nonzero in slopes)
        return "{" + ", ".join(values) + "}", "{" + ", ".join(s for s, _ in slopes) + "}" if any_slope else None

    # expressions

    def plain(self, node):
        """The expression's value alone."""
        return self.expression(node, False)

    def full(self, node, place=None):
        """The expression's value and slope."""
        return self.expression(node, True, place)

    def expression(self, node, want, place=None):
        action = getattr(self, "of_" + type(node).__name__, None)
        if action is None:
            raise self.error(node, EXPRESSIONS.get(type(node).__name__, "this expression is not supported"))
        return action(node, want, place)

    def of_Constant(self, node, want, place):
        if number(node) is None:
            raise self.error(node, "only numbers are supported here")
        return Value(Text(node.value), None, INT if isinstance(number(node), int) else DOUBLE)

    def of_ID(self, node, want, place):
        symbol = self.look_up(node)
        slope = None
        if want and self.has_slope(symbol):
            slope = Text(node.name + "_slope")
            self.read.add(symbol.key)
        return Value(Text(node.name), slope, symbol.kind)

    def of_StructRef(self, node, want, place):
        base = self.expression(node.name, want)
        kind = base.kind
        if node.type == "->":
            kind = kind.target if isinstance(kind, Pointer) else kind.element if isinstance(kind, Array) else None
        member = kind.member(node.field.name) if isinstance(kind, Struct) else None
        if member is None:
            raise self.error(node, f"{base.value.text} has no member {node.field.name}")

        def of(text):
            if node.type == "->" and text.text[0] == "&":
                return Text(f"{text.text[1:]}.{node.field.name}", POSTFIX)
            return Text(f"{text.within(POSTFIX)}{node.type}{node.field.name}", POSTFIX)

        return Value(of(base.value), of(base.slope) if base.slope and is_active(member) else None, member)

    def of_ArrayRef(self, node, want, place):
        base = self.expression(node.name, want)
        index = self.plain(node.subscript)
        if index.kind != INT:
            raise self.error(node, "an index must be an int")
        if not isinstance(base.kind, (Array, Pointer)):
            raise self.error(node, f"{base.value.text} is not an array")
        kind = base.kind.element if isinstance(base.kind, Array) else base.kind.target

        def of(text):
            return Text(f"{text.within(POSTFIX)}[{index.value.text}]", POSTFIX)

        return Value(of(base.value), of(base.slope) if base.slope else None, kind)

    def of_Cast(self, node, want, place):
        kind = self.unit.kind_of(node.to_type)
        if kind not in (INT, DOUBLE):
            raise self.error(node, "only casts to double and int are supported")
        inner = self.expression(node.expr, want and kind == DOUBLE)
        value = Text(f"({c_generator.CGenerator().visit(node.to_type)}){inner.value.within(UNARY)}", UNARY)
        return Value(value, inner.slope, kind)

    def of_UnaryOp(self, node, want, place):
        if node.op in ("++", "--", "p++", "p--"):
            raise self.error(node, f"{node.op.lstrip('p')} inside an expression is not supported; write it as a statement of its own")
        if node.op == "sizeof":
            raise self.error(node, "sizeof is not supported")
        inner = self.expression(node.expr, want and node.op in "-+*&")
        if node.op == "&":
            return Value(unary("&", inner.value), unary("&", inner.slope) if inner.slope else None, Pointer(inner.kind, False))
        if node.op == "*":
            if not isinstance(inner.kind, (Pointer, Array)):
                raise self.error(node, f"{inner.value.text} is not a pointer")
            kind = inner.kind.target if isinstance(inner.kind, Pointer) else inner.kind.element
            return Value(unary("*", inner.value), unary("*", inner.slope) if inner.slope else None, kind)
        value = unary(node.op, inner.value)
        if node.op == "-":
            return Value(value, negative(inner.slope), inner.kind)
        return Value(value, inner.slope if node.op == "+" else None, inner.kind if node.op != "!" else INT)

    def of_BinaryOp(self, node, want, place):
        arithmetic = node.op in ("+", "-", "*", "/")
        a = self.expression(node.left, want and arithmetic)
        if node.op in ("&&", "||"):
            b, hoisted = self.captured(lambda: self.plain(node.right))
            if hoisted:
                raise self.error(node, f"a call behind {node.op} that writes through a pointer is not supported; use a nested if")
        else:
            b = self.expression(node.right, want and arithmetic)
        value = binary(node.op, a.value, b.value)
        for side in (a, b):
            if isinstance(side.kind, (Pointer, Array)):
                raise self.error(node, "arithmetic with pointers is not supported; write &a[i]")
            if isinstance(side.kind, Struct):
                raise self.error(node, f"{node.op} does not work on structs")
        kind = DOUBLE if arithmetic and DOUBLE in (a.kind, b.kind) else INT
        slope = None
        if node.op == "+":
            slope = plus(a.slope, b.slope)
        elif node.op == "-":
            slope = minus(a.slope, b.slope)
        elif node.op == "*":
            slope = plus(times(a.slope, b.value), times(a.value, b.slope))
        elif node.op == "/":
            slope = quotient_slope(a.value, a.slope, b.value, b.slope)
        return Value(value, slope, kind)

    def of_TernaryOp(self, node, want, place):
        condition = self.plain(node.cond)
        a, first = self.captured(lambda: self.deeper(lambda: self.expression(node.iftrue, want)))
        b, second = self.captured(lambda: self.deeper(lambda: self.expression(node.iffalse, want)))
        kind = a.kind if isinstance(a.kind, Struct) else DOUBLE if DOUBLE in (a.kind, b.kind) else a.kind
        if isinstance(kind, Pointer):
            raise self.error(node, "a choice between pointers is not supported; use if and else")
        zero = a.slope is None and b.slope is None
        if not first and not second:
            slope = a.slope
            if not zero and (a.slope is None or b.slope is None or a.slope.text != b.slope.text):
                slope = ternary(condition.value, zero_or(a.slope, kind), zero_or(b.slope, kind))
            return Value(ternary(condition.value, a.value, b.value), slope, kind)
        name = self.fresh("choice")
        self.emit(f"{kind.name} {name};")
        if not zero:
            self.emit(f"{kind.name} {name}_slope;")
        self.emit(f"if ({condition.value.text}) {{")
        for lines, branch in ((first, a), (second, b)):
            self.lines += lines
            self.indent += 1
            if not zero:
                self.emit(f"{name}_slope = {zero_or(branch.slope, kind).text};")
            self.emit(f"{name} = {branch.value.text};")
            self.indent -= 1
            self.emit("} else {" if branch is a else "}")
        return Value(Text(name), None if zero else Text(name + "_slope"), kind)

    def deeper(self, action):
        self.indent += 1
        try:
            return action()
        finally:
            self.indent -= 1

    def of_CompoundLiteral(self, node, want, place):
        kind = self.unit.kind_of(node.type)
        if not isinstance(kind, Struct):
            raise self.error(node, "a literal in braces is supported for structs only")
        value, slope = self.initializer(node.init, kind, want)
        return Value(Text(f"({kind.name}){value}", POSTFIX), Text(f"({kind.name}){slope}", POSTFIX) if slope else None, kind)

    def of_FuncCall(self, node, want, place):
        return self.call(node, want, place)

    def call(self, node, want, place=None, statement=False):
        if not isinstance(node.name, c_ast.ID):
            raise self.error(node, "a function must be called by its name")
        name = node.name.name
        arguments = node.args.exprs if node.args else []
        if name in self.unit.definitions:
            return self.own_call(node, name, arguments, want, place, statement)
        if statement:
            unused = f"the result of {name} is not used"
            raise self.error(node, unused if name in MATH_ARGUMENTS else f"{name} is not a function of the model")
        if name in TESTS:
            inner = [self.plain(a) for a in arguments]
            return Value(call_text(name, *(a.value for a in inner)), None, INT)
        if name not in MATH_ARGUMENTS:
            known = ", ".join(MATH_ARGUMENTS)
            raise self.error(node, f"the function {name} is not known here; write it as a static function, or use one of {known}")
        if len(arguments) != MATH_ARGUMENTS[name]:
            raise self.error(node, f"{name} takes {MATH_ARGUMENTS[name]} argument(s)")
        inner = [self.expression(a, want and not (name == "copysign" and i)) for i, a in enumerate(arguments)]
        value = call_text(name, *(a.value for a in inner))
        if all(a.slope is None for a in inner):
            return Value(value, None, DOUBLE)
        if name not in FROM_VALUE:
            return Value(value, math_slope(name, self.helpers, [a.value for a in inner], [a.slope for a in inner]), DOUBLE)
        if place and place.name:
            self.emit(f"{place.opening}{value.text};")
            return Value(place.name, FROM_VALUE[name](place.name, inner[0].slope), DOUBLE, declared=True)
        kept = Text(self.fresh(name))
        self.emit(f"const double {kept.text} = {value.text};")
        return Value(kept, FROM_VALUE[name](kept, inner[0].slope), DOUBLE)

    def own_call(self, node, name, arguments, want, place, statement):
        function = self.unit.function(name)
        if len(arguments) != len(function.parameters):
            raise self.error(node, f"{name} takes {len(function.parameters)} argument(s)")
        if function.result == VOID and not statement:
            raise self.error(node, f"{name} gives no value")
        writes = any(isinstance(p.kind, Pointer) and is_active(p.kind) and not p.kind.const for p in function.parameters)
        if not writes:
            want = want and is_active(function.result) and not self.slopes_of(name, node).zero_result
        if not want and not writes:
            values = [self.plain(a).value for a in arguments]
            text = call_text(name, *values)
            if statement:
                self.emit(text.text + ";")
            return Value(text, None, function.result)
        self.slopes_of(name, node)
        inner = [self.full(a) if is_active(p.kind) else self.plain(a) for p, a in zip(function.parameters, arguments)]
        for p, a in zip(function.parameters, arguments):
            if isinstance(p.kind, Pointer) and is_active(p.kind):
                self.escape(a)
        if not writes and all(source.slope is None for source in inner):
            return Value(call_text(name, *(source.value for source in inner)), None, function.result)
        texts = []
        for p, a, source in zip(function.parameters, arguments, inner):
            texts.append(source.value)
            if isinstance(p.kind, Pointer) and is_active(p.kind):
                texts.append(source.slope or self.zero_companion(a))
            elif is_active(p.kind):
                texts.append(zero_or(source.slope, p.kind))
        if name not in self.calls:
            self.calls.append(name)
        if not is_active(function.result):
            text = call_text(name + "_slopes", *texts)
            if statement:
                self.emit(text.text + ";")
                return Value(text, None, function.result)
            kept = self.fresh(name)
            self.emit(f"const {function.result.name} {kept} = {text.text};")
            return Value(Text(kept), None, function.result)
        through_pointers = any(isinstance(p.kind, Pointer) for p in function.parameters)
        if place and (place.name or place.opening == "return " or not through_pointers):
            if place.before:
                self.emit(place.before)
            self.emit(f"{place.opening}{call_text(name + '_slopes', *texts, place.slope).text};")
            slope = Text(place.name.text + "_slope") if place.name else place.slope
            return Value(place.name or place.slope, slope, function.result, declared=True)
        kept = self.fresh(name)
        self.emit(f"{function.result.name} {kept}_slope;")
        text = call_text(name + "_slopes", *texts, Text(f"&{kept}_slope")).text
        self.emit(f"{text};" if statement else f"const {function.result.name} {kept} = {text};")
        return Value(Text(kept), Text(kept + "_slope"), function.result)

    def escape(self, node):
        """The variable is reached through a pointer: its slope counts as set and as read."""
        root = self.root(node)
        if root is None:
            raise self.error(node, "pass the address of a variable, a member or an element")
        self.nonzero.add(root.key)
        self.read.add(root.key)

    def zero_companion(self, node):
        root = self.root(node)
        if root is None or root.place != "constant" or root.key == 0:
            raise self.error(node, "pass the address of a variable, a member or an element")
        self.zero_constants.add(root.name)

        renamed = copy.deepcopy(node)
        inner = renamed
        while not isinstance(inner, c_ast.ID):
            inner = inner.expr if isinstance(inner, c_ast.UnaryOp) else inner.name
        inner.name += "_slope"
        return Text(c_generator.CGenerator().visit(renamed), POSTFIX)


@dataclass
class Destination:
    """Where a value is wanted, so that a call can write it there at once."""

    opening: str  # "const double a = ", "y->F = " or "return "
    slope: Text  # pointer to its slope
    before: str = ""  # declaration of the slope
    name: object = None  # the name, where it is a new variable


STATEMENTS = {
    "While": "while is not supported; use a for loop with constant bounds",
    "DoWhile": "do is not supported; use a for loop with constant bounds",
    "Switch": "switch is not supported; write if and else if",
    "Break": "break is not supported; let an if in the loop decide",
    "Continue": "continue is not supported; let an if in the loop decide",
    "Goto": "goto is not supported; use if and else",
    "Label": "a label is not supported; use if and else",
    "BinaryOp": "this statement has no effect",
    "ID": "this statement has no effect",
    "Typedef": "declare types outside of functions",
    "TernaryOp": "a choice as a statement is not supported; write if and else",
    "ExprList": "the comma operator is not supported; write separate statements",
}
EXPRESSIONS = {
    "Assignment": "an assignment inside an expression is not supported; write it as a statement of its own",
    "ExprList": "the comma operator is not supported; write separate statements",
    "InitList": "values in braces are supported where a variable is declared only",
}


BREAKS = {"+": 0.5, "-": 0.5, "?": 0.5, ":": 0.5, "&&": 0.5, "||": 0.5, "*": 0.8, "/": 0.8}  # cost of a line break before


def is_mixed(kind):
    return isinstance(kind, Struct) and any(leaf != DOUBLE for _, leaf in leaves(kind))


def zero_or(slope, kind):
    if slope is not None:
        return slope
    return Text(f"({kind.name}){{0}}", POSTFIX) if isinstance(kind, Struct) else ZERO


def quotient_slope(a, a_slope, b, b_slope):
    """(a/b)' = (a' - a/b b')/b, and a'/b for a constant b."""
    if b_slope is None:
        return over(a_slope, b)
    if a.text in NOUGHTS:
        return None
    return over(minus(a_slope, times(binary("/", a, b), b_slope)), b)


def wrapped(line, width=120):
    """Breaks a long line behind a comma or before an operator, late and where the parentheses are not deep."""
    indent = len(line) - len(line.lstrip()) + 8
    lines = []
    while len(line) > width:
        depth, places = 0, []
        for i, character in enumerate(line[: width + 1]):
            depth += (character in "([{") - (character in ")]}")
            follows = line[i + 1 : line.find(" ", i + 1)] if character == " " else None
            if i <= indent or character != " ":
                continue
            if line[i - 1] == "," or follows in BREAKS:
                cost = depth + (0 if line[i - 1] == "," else BREAKS[follows]) + (width - i) / 40
                places.append((cost, i))
        if not places:
            break
        _, at = min(places)
        lines.append(line[:at])
        line = " " * indent + line[at + 1 :]
    return "\n".join(lines + [line])


def slopes_text(unit, model_name):
    written, order, busy = {}, [], []

    def slopes_of(name, node=None):
        if name in busy:
            raise unit.error(node, f"{name} calls itself, which is not supported; write a loop")
        if name not in written:
            if name + "_slopes" in unit.definitions and unit.companion(name):
                written[name] = Written("", [], set(), set(), False)
            else:
                busy.append(name)
                written[name] = Differentiator(unit, unit.function(name), slopes_of).write()
                busy.pop()
        return written[name]

    def place(name):
        if name not in order:
            for callee in slopes_of(name).calls:
                place(callee)
            order.append(name)

    for name in ("evaluate", "initialize"):
        if name in unit.definitions:
            place(name)
    helpers = set().union(*(written[n].helpers for n in order))
    constants = set().union(*(written[n].zero_constants for n in order))
    taken = helpers | {name + "_slope" for name in constants}
    for name, node in {**unit.definitions, **{n: c[1] for n, c in unit.constants.items()}}.items():
        if name in taken:
            raise unit.error(node, f"the name {name} is taken by generated code; choose another")
    parts = [
        f"/* Values and exact directional derivatives of the functions in models/{model_name}.\n"
        " * Generated from that file; change it there. */\n#include <math.h>\n"
    ]
    parts += [HELPERS[name] for name in HELPERS if name in helpers]
    for name, (_, node) in unit.constants.items():
        if name in constants:
            parts.append(f"{declaration(node, name + '_slope')} = {{0}};\n")
    parts += [written[name].text for name in order if written[name].text]
    return "\n".join(parts)


# ---------------------------------------------------------------------------------------------------------------------
# Dependencies: the same tree, run with sets of names in the place of numbers
# ---------------------------------------------------------------------------------------------------------------------

NOTHING = frozenset()
MOST_TURNS = 100000


@dataclass(frozen=True)
class Origin:
    """What a scalar comes from, its number where that is constant, and whether some path leaves it unset."""

    roots: frozenset = NOTHING
    number: object = None
    unset: bool = False


@dataclass(frozen=True)
class Address:
    """Where a pointer points to: one place, or one of several."""

    places: tuple
    roots: frozenset = NOTHING


@dataclass
class Outcome:
    """How a statement ends: the state behind it (None if it always returns), and, if some path returned, what that
    decision depends on."""

    state: object
    returned: bool = False
    roots: frozenset = NOTHING


def join(states):
    """State behind several paths."""
    states = [s for s in states if s is not None]
    if len(states) < 2:
        return states[0] if states else None
    joined = {}
    for place in set().union(*states):
        origins = [s.get(place) for s in states]
        first = origins[0]
        if all(o is first or o == first for o in origins):
            joined[place] = first
            continue
        present = [o for o in origins if o is not None]
        joined[place] = Origin(
            frozenset().union(*(o.roots for o in present)),
            present[0].number if len(present) == len(origins) and all(same(o.number, present[0].number) for o in present) else None,
            len(present) < len(origins) or any(o.unset for o in present),
        )
    return joined


def same(a, b):
    return a is not None and b is not None and type(a) is type(b) and a == b


class Frame:
    """One running call."""

    def __init__(self, function):
        self.function = function
        self.scopes = [{}]
        self.results = []  # of (value, state) at each return
        self.objects = set()  # its variables


class Tracer:
    def __init__(self, unit):
        self.unit = unit
        self.objects = {}  # object -> type
        self.frames = []
        self.turns = self.count = 0
        self.results = {}  # of calls without pointers
        self.statement_node = None
        self.state = {}
        self.control = NOTHING
        for name, (kind, _) in unit.constants.items():
            self.new_object(name, kind)
        self.frames.append(Frame(None))
        for name, (kind, node) in unit.constants.items():
            if node.init is not None and all(leaf in (INT, DOUBLE) for _, leaf in leaves(kind)):
                self.store((name,), kind, self.initial(node.init, kind))
        self.frames.pop()

    def error(self, node, text):
        return self.unit.error(node if getattr(node, "coord", None) else self.statement_node, text)

    def new_object(self, name, kind):
        self.count += 1
        identity = f"{name}#{self.count}" if name in self.objects else name
        self.objects[identity] = kind
        if self.frames:
            self.frames[-1].objects.add(identity)
        return (identity,)

    # values: a dict from the paths of leaves to origins, or an Address

    def load(self, address, kind):
        value = {}
        for path, _ in leaves(kind):
            origins = [self.state.get(place + path, Origin(unset=True)) for place in address.places]
            number_ = origins[0].number if len(origins) == 1 else None
            value[path] = Origin(frozenset().union(address.roots, *(o.roots for o in origins)), number_)
        return value

    def store(self, place, kind, value, weak=False, roots=NOTHING):
        for path, _ in leaves(kind):
            origin = value.get(path, Origin())
            roots_ = origin.roots | self.control | roots
            if weak:
                old = self.state.get(place + path, Origin(unset=True))
                self.state[place + path] = Origin(old.roots | roots_, None, old.unset)
            else:
                self.state[place + path] = Origin(roots_, origin.number)

    def write(self, address, kind, value):
        for place in address.places:
            self.store(place, kind, value, len(address.places) > 1, address.roots)

    # calls

    def run(self, name, arguments, node=None):
        function = self.unit.function(name)
        if any(f.function is function for f in self.frames):
            raise self.error(node, f"{name} calls itself, which is not supported; write a loop")
        if any(isinstance(a, Address) for a in arguments):
            return self.body(function, arguments)
        call = (name, tuple(tuple(a.items()) for a in arguments))
        if call not in self.results:
            control, self.control = self.control, NOTHING
            self.results[call] = self.body(function, arguments)
            self.control = control
        return self.results[call]

    def body(self, function, arguments):
        frame = Frame(function)
        control = self.control
        self.frames.append(frame)
        for p, value in zip(function.parameters, arguments):
            if isinstance(p.kind, Pointer):
                frame.scopes[0][p.name] = (p.kind, value)
            else:
                place = self.new_object(p.name, p.kind)
                self.store(place, p.kind, value)
                frame.scopes[0][p.name] = (p.kind, Address((place,)))
        outcome = self.block(function.node.body)
        self.frames.pop()
        self.control = control
        state = join([state for _, state in frame.results] + [outcome.state]) or {}
        self.state = {place: origin for place, origin in state.items() if place[0] not in frame.objects}
        for identity in frame.objects:
            del self.objects[identity]
        if function.result == VOID:
            return None
        values = [value for value, _ in frame.results]
        if not values:
            raise self.error(function.node, f"{function.name} returns nothing")
        return merged_values(values)

    def companion_call(self, name, arguments, node):
        """A function with a hand-written companion may hold any C: then all it gives depends on all it takes."""
        state, frames, control = dict(self.state), list(self.frames), self.control
        try:
            return self.run(name, arguments, node)
        except SubsetError:
            self.state, self.frames, self.control = state, frames, control
        function = self.unit.function(name)
        roots = set()
        for p, value in zip(function.parameters, arguments):
            if isinstance(p.kind, Pointer):
                value = self.load(*self.pointed(value, p.kind))
            roots = roots.union(*(o.roots for o in value.values()))
        everything = Origin(frozenset(roots))
        for p, value in zip(function.parameters, arguments):
            if isinstance(p.kind, Pointer) and not p.kind.const:
                address, kind = self.pointed(value, p.kind)
                self.write(address, kind, {path: everything for path, _ in leaves(kind)})
        return {path: everything for path, _ in leaves(function.result)} if function.result != VOID else None

    def pointed(self, address, kind):
        """All that a pointer reaches: the whole array where it points to an element."""
        first = address.places[0]
        if isinstance(first[-1], int):
            whole = first[:-1]
            return Address((whole,), address.roots), step_into(self.objects[whole[0]], whole[1:])
        return address, kind.target

    # statements

    def block(self, node):
        scopes = self.frames[-1].scopes
        scopes.append({})
        control, outcome = self.control, Outcome(self.state)
        for statement in (node.block_items or ()) if isinstance(node, c_ast.Compound) else (node,):
            part = self.statement(statement)
            outcome.returned |= part.returned
            outcome.roots |= part.roots
            outcome.state = part.state
            if part.state is None:
                break
            self.state = part.state
            self.control |= part.roots
        self.control = control
        scopes.pop()
        return outcome

    def statement(self, node):
        if getattr(node, "coord", None):
            self.statement_node = node
        action = getattr(self, "on_" + type(node).__name__, None)
        if action is None:
            raise self.error(node, STATEMENTS.get(type(node).__name__, "this statement is not supported"))
        return action(node) or Outcome(self.state)

    def on_EmptyStatement(self, node):
        pass

    def on_Compound(self, node):
        return self.block(node)

    def on_Cast(self, node):
        if isinstance(node.expr, c_ast.FuncCall):
            self.value(node.expr)

    def on_FuncCall(self, node):
        self.value(node)

    def on_UnaryOp(self, node):
        address, kind = self.place(node.expr)
        old = self.load(address, kind)[()]
        self.write(address, kind, {(): Origin(old.roots, fold_binary(node.op[-1], old.number, 1))})

    def on_Decl(self, node):
        kind = self.unit.kind_of(node.type, init=node.init)
        if isinstance(kind, Pointer):
            value = self.value(node.init)
            if not isinstance(value, Address):
                raise self.error(node, f"the pointer {node.name} must point to a variable")
            self.frames[-1].scopes[-1][node.name] = (kind, value)
            return
        value = self.initial(node.init, kind) if node.init is not None else None
        place = self.new_object(node.name, kind)
        if value is not None:
            self.store(place, kind, value)
        else:
            for path, _ in leaves(kind):
                self.state.pop(place + path, None)
        self.frames[-1].scopes[-1][node.name] = (kind, Address((place,)))

    def initial(self, node, kind):
        if not isinstance(node, c_ast.InitList):
            return converted(self.value(node), kind)
        value = {path: Origin(NOTHING, 0) for path, _ in leaves(kind)}
        position = 0
        for item in node.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                designator = item.name[0]
                if isinstance(kind, Array):
                    position = self.unit.constant_int(designator)
                else:
                    position = [n for n, _ in kind.members].index(designator.name)
                item = item.expr
            if isinstance(kind, Array):
                step, part = position, kind.element
            elif isinstance(kind, Struct) and position < len(kind.members):
                step, part = kind.members[position]
            else:
                raise self.error(item, "too many values in braces")
            inner = self.initial(item, part)
            if () in inner and isinstance(part, (Array, Struct)):  # the 0 of {0}
                inner = {path: inner[()] for path, _ in leaves(part)}
            value.update({(step,) + path: origin for path, origin in inner.items()})
            position += 1
        return value

    def on_Assignment(self, node):
        if node.op == "=":
            value = self.value(node.rvalue)
            address, kind = self.place(node.lvalue)
        else:
            value = self.value(c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord))
            address, kind = self.place(node.lvalue)
        self.write(address, kind, converted(value, kind))

    def on_Return(self, node):
        value = None
        if node.expr is not None:
            value = converted(self.value(node.expr), self.frames[-1].function.result)
            value = {path: Origin(o.roots | self.control, o.number) for path, o in value.items()}
        self.frames[-1].results.append((value, self.state))
        return Outcome(None, True)

    def on_If(self, node):
        condition = self.scalar(node.cond)
        if condition.number is not None:
            branch = node.iftrue if condition.number else node.iffalse
            return self.block(branch) if branch is not None else None
        before, control = self.state, self.control
        outcomes = []
        for branch in (node.iftrue, node.iffalse):
            self.state = dict(before)
            self.control = control | condition.roots
            outcomes.append(self.block(branch) if branch is not None else Outcome(self.state))
        self.control = control
        returned = any(o.returned for o in outcomes)
        roots = frozenset().union(condition.roots, *(o.roots for o in outcomes)) if returned else NOTHING
        return Outcome(join([o.state for o in outcomes]), returned, roots)

    def on_For(self, node):
        scopes = self.frames[-1].scopes
        scopes.append({})
        control, outcome = self.control, Outcome(self.state)
        for start in node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]:
            self.statement(start)
        while True:
            self.turns += 1
            condition = self.scalar(node.cond) if node.cond is not None else Origin()
            if condition.number is None or self.turns > MOST_TURNS:
                raise self.error(node, "the bounds of a for loop must be constants")
            if not condition.number:
                outcome.state = self.state
                break
            part = self.block(node.stmt)
            outcome.returned |= part.returned
            outcome.roots |= part.roots
            outcome.state = part.state
            if part.state is None:
                break
            self.state = part.state
            self.control |= part.roots
            self.statement(node.next)
        self.control = control
        scopes.pop()
        return outcome

    # expressions

    def scalar(self, node):
        value = self.value(node)
        if isinstance(value, Address) or () not in value:
            raise self.error(node, "a number is needed here")
        return value[()]

    def value(self, node):
        action = getattr(self, "of_" + type(node).__name__, None)
        if action is None:
            raise self.error(node, EXPRESSIONS.get(type(node).__name__, "this expression is not supported"))
        return action(node)

    def of_place(self, node):
        address, kind = self.place(node)
        if isinstance(kind, Pointer):
            return address
        if isinstance(kind, Array):
            return Address(tuple(place + (0,) for place in address.places), address.roots)
        return self.load(address, kind)

    of_StructRef = of_ArrayRef = of_place

    def of_ID(self, node):
        if node.name in self.unit.enumerators:
            return {(): Origin(NOTHING, self.unit.enumerators[node.name])}
        if node.name in CONSTANTS:
            return {(): Origin()}
        return self.of_place(node)

    def place(self, node):
        """Address and type of a variable, member or element. For a pointer variable: where it points to, and its type."""
        if isinstance(node, c_ast.ID):
            for scope in reversed(self.frames[-1].scopes):
                if node.name in scope:
                    kind, address = scope[node.name]
                    return address, kind
            if node.name in self.unit.constants:
                return Address(((node.name,),)), self.unit.constants[node.name][0]
            raise self.error(node, f"{node.name} is not declared as a local, an argument or a constant")
        if isinstance(node, c_ast.StructRef):
            if node.type == "->":
                address, kind = self.target(node.name)
            elif isinstance(node.name, c_ast.FuncCall):
                address, kind = self.held(node.name)
            else:
                address, kind = self.place(node.name)
            member = kind.member(node.field.name) if isinstance(kind, Struct) else None
            if member is None:
                raise self.error(node, f"there is no member {node.field.name} here")
            return Address(tuple(p + (node.field.name,) for p in address.places), address.roots), member
        if isinstance(node, c_ast.ArrayRef):
            address, kind = self.target(node.name)
            return self.element(node, address, self.scalar(node.subscript)), kind
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self.target(node.expr)
        raise self.error(node, "only a variable, a member or an element can stand here")

    def held(self, node):
        """The struct that a call gives, as a variable."""
        kind = self.unit.function(node.name.name).result
        value = self.value(node)
        place = self.new_object("held", kind)
        self.store(place, kind, value)
        return Address((place,)), kind

    def target(self, node):
        """What a pointer expression points to."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self.place(node.expr)
        address, kind = self.place(node)
        if isinstance(kind, Array):
            return Address(tuple(p + (0,) for p in address.places), address.roots), kind.element
        if isinstance(kind, Pointer):
            return address, kind.target
        raise self.error(node, "a pointer or an array is needed here")

    def element(self, node, address, index):
        if index.number == 0:
            return address
        places = []
        for place in address.places:
            if not isinstance(place[-1], int):
                raise self.error(node, "an index is supported on arrays only")
            size = step_into(self.objects[place[0]], place[1:-1]).size
            if index.number is None:
                places += [place[:-1] + (i,) for i in range(size)]
            else:
                position = place[-1] + int(index.number)
                if not 0 <= position < size:
                    raise self.error(node, f"the index {position} is outside of the array of {size}")
                places.append(place[:-1] + (position,))
        return Address(tuple(dict.fromkeys(places)), address.roots | index.roots)

    def of_Constant(self, node):
        return {(): Origin(NOTHING, number(node))}

    def of_Cast(self, node):
        return converted(self.value(node.expr), self.unit.kind_of(node.to_type))

    def of_CompoundLiteral(self, node):
        return self.initial(node.init, self.unit.kind_of(node.type))

    def of_UnaryOp(self, node):
        if node.op == "&":
            address, kind = self.place(node.expr)
            return address
        if node.op == "*":
            return self.of_place(node)
        inner = self.scalar(node.expr)
        return {(): Origin(inner.roots, fold_unary(node.op, inner.number))}

    def of_BinaryOp(self, node):
        a = self.scalar(node.left)
        if node.op in ("&&", "||") and a.number is not None and bool(a.number) == (node.op == "||"):
            return {(): Origin(a.roots, int(bool(a.number)))}
        b = self.scalar(node.right)
        number_ = fold_binary(node.op, a.number, b.number)
        return {(): Origin(NOTHING if number_ is not None else a.roots | b.roots, number_)}

    def of_TernaryOp(self, node):
        condition = self.scalar(node.cond)
        if condition.number is not None:
            return self.value(node.iftrue if condition.number else node.iffalse)
        before, control = self.state, self.control
        values, states = [], []
        for branch in (node.iftrue, node.iffalse):
            self.state, self.control = dict(before), control | condition.roots
            value = self.value(branch)
            if isinstance(value, Address):
                raise self.error(node, "a choice between pointers is not supported; use if and else")
            values.append({path: Origin(o.roots | condition.roots, o.number) for path, o in value.items()})
            states.append(self.state)
        self.state, self.control = join(states), control
        return merged_values(values)

    def of_FuncCall(self, node):
        if not isinstance(node.name, c_ast.ID):
            raise self.error(node, "a function must be called by its name")
        name = node.name.name
        arguments = [self.value(a) for a in (node.args.exprs if node.args else ())]
        if name in self.unit.definitions:
            function = self.unit.function(name)
            if len(arguments) != len(function.parameters):
                raise self.error(node, f"{name} takes {len(function.parameters)} argument(s)")
            for i, p in enumerate(function.parameters):
                if isinstance(p.kind, Pointer) != isinstance(arguments[i], Address):
                    raise self.error(node, f"the argument {p.name} of {name} has the wrong type")
                if not isinstance(p.kind, Pointer):
                    arguments[i] = converted(arguments[i], p.kind)
            return (self.companion_call if self.unit.companion(name) else self.run)(name, arguments, node)
        if name not in MATH_ARGUMENTS and name not in TESTS:
            known = ", ".join(MATH_ARGUMENTS)
            raise self.error(node, f"the function {name} is not known here; write it as a static function, or use one of {known}")
        if any(isinstance(a, Address) or () not in a for a in arguments):
            raise self.error(node, f"{name} takes numbers")
        return {(): Origin(frozenset().union(*(a[()].roots for a in arguments)))}


def converted(value, kind):
    """A number takes the type of what it is stored in."""
    if isinstance(value, dict) and () in value and value[()].number is not None and kind in (INT, DOUBLE):
        origin = value[()]
        finite = isinstance(origin.number, int) or math.isfinite(origin.number)
        return {(): Origin(origin.roots, (float(origin.number) if kind == DOUBLE else int(origin.number)) if finite else None)}
    return value


def merged_values(values):
    return {
        path: Origin(
            frozenset().union(*(v[path].roots for v in values)),
            values[0][path].number if all(same(v[path].number, values[0][path].number) for v in values) else None,
        )
        for path in values[0]
    }


def model_dependencies(unit, options=NOTHING):
    """What each member of dx and y depends on, {"dx.z": {"p.sigma0", "u.v", "x.z"}, …}, and what the states are made from at
    the start, {"init.z": {"p.z_start"}}. Where the model has modes that can be followed, also what dx, y and the modes depend
    on at the start, when the modes are found too: {"start.dx.z": {…}, "start.m.mode": {…}}; "m.…" stands for an option there.
    """
    kinds = {name: unit.typedefs[name] for name in ("Parameters", "Inputs", "States", "Modes", "Outputs")}

    def given(tracer, name, kind, origin):
        place = tracer.new_object(name, kind)
        for path, leaf in leaves(kind):
            tracer.state[place + path] = origin(path, leaf)
        return Address((place,))

    def known(tracer, name, kind):
        def origin(path, leaf):
            return Origin(frozenset({name + path_text(path)}) if leaf == DOUBLE else NOTHING)

        return given(tracer, name, kinds[kind], origin)

    def start_value(path, leaf):
        return Origin(frozenset({f"p.{path[0]}_start{path_text(path[1:])}"}))

    def fresh_mode(path, leaf):
        return Origin(frozenset({"m" + path_text(path)})) if path[0] in options else Origin(NOTHING, 0)

    def evaluated(tracer, p, u, x, m):
        """Runs evaluate; the roots of the derivatives and outputs."""
        dx, y = (Address((tracer.new_object(name, kinds[kind]),)) for name, kind in (("dx", "States"), ("y", "Outputs")))
        tracer.run("evaluate", [p, u, x, m, dx, y])
        for name, address, kind, word in (("dx", dx, "States", "the derivative of"), ("y", y, "Outputs", "output")):
            for path in members(kind):
                origin = tracer.state.get(address.places[0] + path)
                what = f"{word} {path_text(path)[1:]}"
                if origin is None:
                    raise unit.error(
                        unit.definitions["evaluate"], f"{what} is never set; evaluate must set {name}->{path_text(path)[1:]}"
                    )
                if origin.unset:
                    raise unit.error(
                        unit.definitions["evaluate"], f"{what} is not set on every path through evaluate; set it in each branch"
                    )
                yield name + path_text(path), set(origin.roots)

    def members(kind):
        return [path for path, _ in leaves(kinds[kind]) if path != ("none",)]

    def initial_states():
        return {"init" + path_text(path): set(tracer.state[x.places[0] + path].roots) for path in members("States")}

    tracer = Tracer(unit)
    p, u, x, m = (known(tracer, *pair) for pair in (("p", "Parameters"), ("u", "Inputs"), ("x", "States"), ("m", "Modes")))
    dependencies = dict(evaluated(tracer, p, u, x, m))

    tracer = Tracer(unit)
    p, u = known(tracer, "p", "Parameters"), known(tracer, "u", "Inputs")
    x, m = given(tracer, "x", kinds["States"], start_value), given(tracer, "m", kinds["Modes"], fresh_mode)
    if "initialize" in unit.definitions:
        tracer.run("initialize", [p, u, x])
    dependencies |= initial_states()
    if "next_modes" not in unit.definitions:
        return dependencies
    try:
        tracer.run("next_modes", [p, u, x, m])
    except SubsetError:  # modes may be found by any C, and then everything depends on everything at the start
        return dependencies
    dependencies |= initial_states()
    modes = {"start.m" + path_text(path): set(tracer.state[m.places[0] + path].roots) for path in members("Modes")}
    rest = {f"start.{name}": roots for name, roots in evaluated(tracer, p, u, x, m)}
    return dependencies | modes | rest
