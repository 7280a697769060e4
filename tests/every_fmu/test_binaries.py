"""The three binaries and the sources in an FMU: exports, dependencies, static data."""

import os
import random
import re
import shutil
import struct
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import fmpy
import pytest

from commands import completed, printed
from fmus import FOLDER, PLATFORMS, REPOSITORY
from fmi2 import FUNCTIONS, MODEL_EXCHANGE, Library
from build_cache import compiled, kept, version
from operating_points import Sampler

pytestmark = pytest.mark.shipped

NAMES = set(FUNCTIONS)
HEADERS = Path(fmpy.__file__).parent / "c-code"


def test_there_are_44_functions():
    assert len(NAMES) == 44


def test_linux_exports_the_44_functions_and_nothing_else(fmu):
    lines = printed("nm", "--dynamic", "--defined-only", "--extern-only", fmu.binary).splitlines()
    assert {line.split()[-1].split("@")[0] for line in lines} == NAMES


def exports_of_pe(content):
    """Reads the names in the export table of a PE file."""
    offset = struct.unpack_from("<I", content, 0x3C)[0]
    assert content[offset : offset + 4] == b"PE\0\0"
    machine, count = struct.unpack_from("<HH", content, offset + 4)
    assert machine == 0x8664, "not a 64-bit Windows library"
    optional_size = struct.unpack_from("<H", content, offset + 20)[0]
    optional = offset + 24
    sections = []
    for i in range(count):
        name, size, address, raw_size, raw = struct.unpack_from(
            "<8sIIII", content, optional + optional_size + 40 * i
        )
        flags = struct.unpack_from("<I", content, optional + optional_size + 40 * i + 36)[0]
        sections.append((name.rstrip(b"\0").decode(), size, address, raw_size, raw, flags))

    def place(address):
        for _, size, start, raw_size, raw, _ in sections:
            if start <= address < start + max(size, raw_size):
                return raw + address - start
        raise AssertionError("address outside every section")

    def text(address):
        at = place(address)
        return content[at : content.index(b"\0", at)].decode()

    tables = struct.unpack_from("<16I", content, optional + 112)
    table = place(tables[0])
    number, _, names = struct.unpack_from("<III", content, table + 24)
    exported = {text(a) for a in struct.unpack_from(f"<{number}I", content, place(names))}
    imported, at = set(), place(tables[2]) if tables[2] else None
    while at and any(struct.unpack_from("<5I", content, at)):
        imported.add(text(struct.unpack_from("<I", content, at + 12)[0]).lower())
        at += 20
    return exported, imported


def number_at(content, at):
    """Reads a number in LEB128; returns it and the place after it."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def names_in_trie(trie, at=0, prefix=""):
    """Reads the names in the export trie of a Mach-O file."""
    size, after = number_at(trie, at)
    names = {prefix} if size else set()
    at = after + size
    children, at = trie[at], at + 1
    for _ in range(children):
        end = trie.index(b"\0", at)
        child, following = number_at(trie, end + 1)
        names |= names_in_trie(trie, child, prefix + trie[at:end].decode())
        at = following
    return names


def commands_of_mach_o(content):
    """Reads exported names and needed libraries of a Mach-O file for one processor; checks that
    macOS 11 loads it."""
    magic, _, _, file_type, count = struct.unpack_from("<5I", content, 0)
    assert magic == 0xFEEDFACF and file_type in (6, 8), "not a 64-bit macOS library"
    exported, needed, oldest, offset = set(), set(), None, 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", content, offset)
        if command in (0x22, 0x80000022):  # dyld info
            start, length = struct.unpack_from("<2I", content, offset + 40)
            exported |= names_in_trie(content[start : start + length])
        if command == 0x80000033:  # exports trie
            start, length = struct.unpack_from("<2I", content, offset + 8)
            exported |= names_in_trie(content[start : start + length])
        if command == 0x32:  # build version
            oldest = struct.unpack_from("<I", content, offset + 12)[0]
        if command in (0xC, 0x80000018, 0x8000001F):
            start = offset + struct.unpack_from("<I", content, offset + 8)[0]
            needed.add(content[start : content.index(b"\0", start)].decode())
        offset += size
    assert oldest == 11 << 16
    return exported, needed


def slices_of_mach_o(content):
    if struct.unpack_from(">I", content, 0)[0] != 0xCAFEBABE:
        return [content]
    count = struct.unpack_from(">I", content, 4)[0]
    places = [struct.unpack_from(">5I", content, 8 + 20 * i)[2:4] for i in range(count)]
    return [content[at : at + size] for at, size in places]


@pytest.mark.platforms
def test_windows_exports_the_44_functions_and_needs_only_the_system(fmu):
    content = (fmu.folder / "binaries" / "win64" / f"{fmu.description.identifier}.dll").read_bytes()
    exported, imported = exports_of_pe(content)
    assert exported == NAMES
    for library in imported:
        assert library in ("kernel32.dll", "ntdll.dll") or library.startswith("api-ms-win-crt-"), (
            f"{library} is not part of every Windows"
        )


# zig's linker exports these two symbols of the file itself from every library for macOS; no option
# prevents it. They are looked up in their library only (two-level names), so they cannot collide.
LINKERS_OWN = {"___dso_handle", "__mh_dylib_header"}


@pytest.mark.platforms
def test_macos_exports_the_44_functions_and_needs_only_the_system(fmu):
    content = (
        fmu.folder / "binaries" / "darwin64" / f"{fmu.description.identifier}.dylib"
    ).read_bytes()
    for part in slices_of_mach_o(content):
        exported, needed = commands_of_mach_o(part)
        assert exported - LINKERS_OWN == {f"_{name}" for name in NAMES}
        assert needed <= {"/usr/lib/libSystem.B.dylib"}


def test_linux_needs_only_the_c_library_of_2012(fmu):
    listing = printed("objdump", "-p", fmu.binary)
    assert set(re.findall(r"NEEDED\s+(\S+)", listing)) <= {"libc.so.6", "libm.so.6"}
    versions = {
        tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", listing)
    }
    assert all(version <= (2, 17) for version in versions), versions


def exported_by(header):
    return set(
        re.findall(
            r"^RUNNER_EXPORT .*?\b((?:runner|systems)_\w+)\(",
            (REPOSITORY / "runner" / header).read_text(encoding="utf-8"),
            re.M,
        )
    )


@pytest.mark.parametrize("name", ["runner", "systems"])
@pytest.mark.parametrize("platform", ["linux64", "win64", "darwin64"])
def test_the_runner_and_the_systems_export_their_functions_and_need_only_the_system(name, platform):
    file = next((FOLDER / "runner" / platform).glob(f"{name}.[sd]*"), None)
    if file is None:
        pytest.skip(f"there is no runner for {platform} in this build")
    functions = exported_by(f"{name}.h")
    assert len(functions) >= 4
    if platform == "linux64":
        assert {
            line.split()[-1].split("@")[0]
            for line in printed("nm", "--dynamic", "--defined-only", file).splitlines()
        } == functions
        assert set(re.findall(r"NEEDED\s+(\S+)", printed("objdump", "-p", file))) <= {
            "libc.so.6",
            "libm.so.6",
        }
    elif platform == "win64":
        exported, imported = exports_of_pe(file.read_bytes())
        assert set(exported) == functions and all(
            library.startswith("api-ms-win-crt-") for library in imported
        )
    else:
        for exported, needed in map(commands_of_mach_o, slices_of_mach_o(file.read_bytes())):
            assert exported - LINKERS_OWN == {f"_{name}" for name in functions}
            assert needed <= {"/usr/lib/libSystem.B.dylib"}


def test_linux_names_no_path_and_no_executable_stack(fmu):
    listing = printed("objdump", "-p", fmu.binary)
    assert "RPATH" not in listing and "RUNPATH" not in listing
    stack = re.search(r"STACK.*?flags (\S+)", listing, re.S)
    assert stack is None or "x" not in stack.group(1)


def test_no_function_of_the_process_is_called(fmu):
    """Nothing that allocates, prints, locks or changes the process: only arithmetic, text
    formatting and memory copies."""
    lines = printed("nm", "--dynamic", "--undefined-only", fmu.binary).splitlines()
    used = {line.split()[-1].split("@")[0] for line in lines}
    harmless = r"""(mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|str|nlen|cpy|ncpy|cat)
        |v?snprintf|__(v?snprintf|mem\w+)_chk|__cxa_finalize|__gmon_start__|_ITM_\w+
        |__stack_chk_fail|nextafter|frexp|ldexp|scalbn|hypot|cbrt|erf
        |(a?(sin|cos|tan)h?|atan2|exp|expm1|exp2|log|log1p|log2|log10|pow|sqrt|fabs|floor|ceil|fmod
        |fmin|fmax|copysign|round|trunc|isnan|isinf|isfinite)f?)"""
    assert [name for name in used if not re.fullmatch(harmless, name, re.X)] == []


def stack_of_calls(graph):
    """Returns the largest stack of each FMI function with its calls within the FMU, from gcc's call
    graph; a cycle is an error."""
    frames, calls = {}, {}
    for name, label in re.findall(r'node: \{ title: "([^"]+)" label: "([^"]*)"', graph):
        frame = re.search(r"(\d+) bytes \(([\w,]+)\)", label)
        assert frame is None or frame[2] in (
            "static",
            "dynamic,bounded",
        ), f"{name} has a frame of unknown size"
        frames[name] = int(frame[1]) if frame else 0
    for caller, called in re.findall(
        r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', graph
    ):
        calls.setdefault(caller, set()).add(called)

    def depth(name, above=()):
        assert name not in above, f"{name} calls itself"
        return frames.get(name, 0) + max(
            (depth(called, (*above, name)) for called in calls.get(name, ())), default=0
        )

    return {name: depth(name) for name in frames if name in NAMES}


def stack_allowed(description):
    """Returns the limit of docs/real-time.md: frames hold the vectors of a law and, in a step with
    the body, its matrix, so they grow with states and directions."""
    if len(description.family("relativeVelocity")) > 1:
        return 11264
    return 7680 if len(description.states) > 2 else 5120


def writable(library):
    """Lists the writable symbols of the object, without tables of constant strings, which the
    loader relocates and then protects (.data.rel.ro)."""
    lines = printed("objdump", "--syms", library).splitlines()
    return [
        line
        for line in lines
        if re.search(
            r"\s(\.t?data(?!\.rel\.ro)|\.t?bss|\*COM\*)\S*\s[0-9a-f]*[1-9a-f][0-9a-f]*\s", line
        )
    ]


def test_gcc_takes_the_sources_as_strict_c99_to_the_same_behaviour(fmu):
    """Without a warning, recursion or writable data, and with a few kB of stack for any call beside
    that of the C library: real-time tasks often have little more."""
    folder = compiled(
        f"c99/{fmu.name}",
        {"sources": fmu.folder / "sources", "headers": HEADERS},
        (
            "gcc -std=c99 -pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -O2 -fPIC "
            "-fvisibility=hidden -ffp-contract=off -DFMI2_OVERRIDE_FUNCTION_PREFIX "
            "-fcallgraph-info=su -I {headers} -c -o fmu.o {sources}/fmu.c"
        ).split(),
        ("gcc", "-shared", "-o", "fmu.so", "fmu.o", "-lm"),
    )
    stack = stack_of_calls((folder / "fmu.ci").read_text())
    assert set(stack) == NAMES
    assert max(stack.values()) <= stack_allowed(fmu.description), max(
        stack.items(), key=lambda item: item[1]
    )
    assert writable(folder / "fmu.o") == []
    check_same_behaviour(fmu, folder / "fmu.so")


def test_every_c_file_is_listed_and_compiles_alone(fmu):
    """Some importers compile the listed files, some every .c file."""
    found = sorted(
        path.relative_to(fmu.folder / "sources").as_posix()
        for path in (fmu.folder / "sources").rglob("*.c")
    )
    for kind in ("ModelExchange", "CoSimulation"):
        assert (
            [e.get("name") for e in fmu.description.root.findall(f"{kind}/SourceFiles/File")]
            == found
            == ["fmu.c"]
        )


@pytest.fixture(scope="module")
def standard_headers(tmp_path_factory):
    """Makes headers of an importer that handle the prefix as those of FMI 2.0.5; FMPy's never add
    one."""
    folder = tmp_path_factory.mktemp("headers")
    for name in ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h"):
        shutil.copy(HEADERS / name, folder)
    text = (folder / "fmi2Functions.h").read_text()
    plain = "#define fmi2FullName(name) name\n"
    assert text.count(plain) == 1
    (folder / "fmi2Functions.h").write_text(
        text.replace(
            plain,
            """
#if !defined(FMI2_OVERRIDE_FUNCTION_PREFIX) && defined(FMI2_FUNCTION_PREFIX)
#define FMI2_ACTUAL_FUNCTION_PREFIX FMI2_FUNCTION_PREFIX
#endif
#ifdef FMI2_ACTUAL_FUNCTION_PREFIX
#define joined(a, b) a##b
#define joined_values(a, b) joined(a, b)
#define fmi2FullName(name) joined_values(FMI2_ACTUAL_FUNCTION_PREFIX, name)
#else
#define fmi2FullName(name) name
#endif
""",
        )
    )
    return folder


def some(fmus, seed, count=2):
    """Draws a few FMUs, others for each seed: all have the same sources but for their law."""
    return random.Random(seed).sample(fmus, min(count, len(fmus)))


def global_names(name, fmu, headers, *command):
    """Compiles the sources and returns the global names of the object, without the weak ones that
    C++ adds."""
    folder = compiled(
        name,
        {"sources": fmu.folder / "sources", "headers": headers},
        (*command, "-c", "-o", "fmu.o", "{sources}/fmu.c"),
    )
    lines = printed("nm", "--defined-only", "--extern-only", folder / "fmu.o").splitlines()
    return {line.split()[-1] for line in lines if line.split()[-2] != "W"}


def test_the_source_defines_the_prefix_of_its_functions(all_fmus, standard_headers):
    """FMI 2.0.5, 2.1.1: for a program of several FMUs; the importer may choose another prefix, or
    none for a dynamic library."""
    for fmu in all_fmus:
        assert (
            f"#define FMI2_FUNCTION_PREFIX {fmu.description.identifier}_\n"
            in (fmu.folder / "sources" / "fmu.c").read_text()
        )
    for fmu in some(all_fmus, "prefix")[:1]:
        own, theirs = f"{fmu.description.identifier}_", ("-I", "{headers}")
        cases = [
            (own, theirs),
            ("", (*theirs, "-DFMI2_OVERRIDE_FUNCTION_PREFIX")),
            ("another_", (*theirs, "-DFMI2_FUNCTION_PREFIX=another_")),
            (own, ()),
        ]
        for number, (prefix, options) in enumerate(cases):
            names = global_names(
                f"prefix/{number}", fmu, standard_headers, "gcc", "-std=c99", "-O0", *options
            )
            assert names == {prefix + name for name in NAMES}, options


def test_the_headers_of_the_importer_are_used(all_fmus, standard_headers, tmp_path):
    """Those among the sources are used if there are none."""
    sources = some(all_fmus, "headers")[0].folder / "sources"
    for options, folder in (
        (("-I", standard_headers), standard_headers),
        ((), sources / "headers"),
    ):
        command = ["gcc", "-std=c99", "-fsyntax-only", "-H", *options, sources / "fmu.c"]
        result = completed(*command, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        used = {
            Path(line.lstrip(". ")).resolve()
            for line in result.stderr.splitlines()
            if line.startswith(".") and "fmi2Func" in line
        }
        assert used == {
            (folder / name).resolve() for name in ("fmi2Functions.h", "fmi2FunctionTypes.h")
        }


@pytest.mark.parametrize("language", ["c11", "c17", "c++11", "c++17"])
def test_other_languages_compile_the_sources(all_fmus, language, standard_headers):
    for fmu in some(all_fmus, language):
        compiler = (
            ("g++", "-x", "c++")
            if "+" in language
            else ("gcc", "-pedantic", "-Wall", "-Wextra", "-Werror")
        )
        names = global_names(
            f"{language}/{fmu.name}",
            fmu,
            standard_headers,
            *compiler,
            f"-std={language}",
            "-I",
            "{headers}",
        )
        assert {name for name in names if "fmi2" in name} == {
            f"{fmu.description.identifier}_{name}" for name in NAMES
        }


def test_several_fmus_fit_into_one_program(all_fmus, standard_headers, tmp_path):
    """Linked statically, each with its own prefix; every one takes a step."""
    chosen = some(all_fmus, "static", 4)
    objects = [
        compiled(
            f"static/{fmu.name}",
            {"sources": fmu.folder / "sources", "headers": standard_headers},
            ("gcc", "-std=c99", "-O0", "-c", "-I", "{headers}", "-o", "fmu.o", "{sources}/fmu.c"),
        )
        / "fmu.o"
        for fmu in chosen
    ]
    program = (
        """#include <stdio.h>
#include <stdlib.h>
#include "fmi2FunctionTypes.h"
static void log_message(fmi2ComponentEnvironment e, fmi2String i, fmi2Status s, fmi2String c,
    fmi2String m, ...) {
    (void)e, (void)i, (void)s, (void)c;
    puts(m);
}
static const fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
#define ELEMENT(model, guid) do { \\
    extern fmi2InstantiateTYPE model##_fmi2Instantiate; \\
        extern fmi2EnterInitializationModeTYPE model##_fmi2EnterInitializationMode; \\
    extern fmi2ExitInitializationModeTYPE model##_fmi2ExitInitializationMode; \\
        extern fmi2DoStepTYPE model##_fmi2DoStep; \\
    extern fmi2FreeInstanceTYPE model##_fmi2FreeInstance; \\
    fmi2Component c = model##_fmi2Instantiate(#model, fmi2CoSimulation, guid, "", &callbacks, \\
        fmi2False, fmi2False); \\
    if (!c || model##_fmi2EnterInitializationMode(c) || model##_fmi2ExitInitializationMode(c) || \\
        model##_fmi2DoStep(c, 0, 1e-3, 1)) return 1; \\
    model##_fmi2FreeInstance(c); \\
    puts(#model); } while (0)
int main(void) {
"""
        + "".join(
            f'    ELEMENT({fmu.description.identifier}, "{fmu.description.guid}");\n'
            for fmu in chosen
        )
        + "    return 0;\n}\n"
    )
    (tmp_path / "main.c").write_text(program)
    printed(
        "gcc",
        "-std=c99",
        "-I",
        standard_headers,
        "-o",
        tmp_path / "program",
        tmp_path / "main.c",
        *objects,
        "-lm",
    )
    assert printed(tmp_path / "program").split() == [fmu.description.identifier for fmu in chosen]


def behaviour(fmu, library):
    """Runs both kinds over random points; returns all numbers."""
    numbers = []
    sampler = Sampler(fmu.description, "behaviour")
    with fmu.instance(MODEL_EXCHANGE, library=library) as instance:
        for _ in range(3):
            parameters = sampler.start(instance)
            for _ in sampler.walk(instance, parameters, 20):
                numbers.append(
                    instance.derivatives + [instance.get(v.name) for v in fmu.description.outputs]
                )
            instance.demand("fmi2Reset")
    with fmu.co_simulation(library=library) as instance:
        parameters = sampler.start(instance)
        for _ in range(20):
            instance.set(sampler.inputs(parameters))
            instance.step(1e-3)
            numbers.append(
                [instance.get(v.name) for v in fmu.description.states + fmu.description.outputs]
            )
    return numbers


def check_same_behaviour(fmu, library):
    """Compares up to rounding, which differs between compilers."""
    for ours, theirs in zip(
        behaviour(fmu, fmu.library), behaviour(fmu, Library(library)), strict=True
    ):
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-12)


def test_fmpy_compiles_the_sources_to_the_same_behaviour(all_fmus):
    """As `fmpy compile` does it, in a copy without binaries."""
    for fmu in some(all_fmus, "fmpy"):

        def make(folder):
            shutil.copytree(fmu.folder, folder / "fmu", ignore=shutil.ignore_patterns("binaries"))
            build = completed(
                sys.executable,
                "-c",
                "import sys; from fmpy.build import build_platform_binary;"
                " build_platform_binary(sys.argv[1], configuration='Release',"
                " generator='Unix Makefiles')",
                folder / "fmu",
            )
            assert build.returncode == 0, build.stdout + build.stderr
            (folder / "said").write_text(build.stdout + build.stderr)

        folder = kept(
            f"fmpy/{fmu.name}", [fmu.path, fmpy.__version__, version("gcc"), version("cmake")], make
        )
        assert "warning" not in (folder / "said").read_text().lower()
        check_same_behaviour(fmu, next((folder / "fmu" / "binaries").rglob("*.so")))


def test_nothing_names_the_machine_that_built_it(fmu):
    with zipfile.ZipFile(fmu.path) as archive:
        for name in archive.namelist():
            found = re.search(rb"/(home|root|tmp|work|Users)/", archive.read(name))
            assert not found, f"{name} holds {found.group()}"


def test_the_same_bytes_come_from_another_folder(all_fmus):
    """A build of one model, for all available platforms, in a folder with a space in its name."""
    folders = ("cmake", "fmu_src", "modelDescription", "resources", "runner", "generator", "python")
    files = ("CMakeLists.txt", "LICENSE", "setup.py", "pyproject.toml", "README.md")
    fmu = next((fmu for fmu in all_fmus if fmu.name == "Coulomb"), all_fmus[0])

    def make(place):
        folder = place / "another folder"
        folder.mkdir()
        for name in folders:
            shutil.copytree(
                REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in files:
            shutil.copy(REPOSITORY / name, folder)
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        }
        printed(
            "cmake",
            "-S",
            folder,
            "-B",
            folder / "build",
            "-G",
            "Ninja",
            f"-DBRISTLE_PLATFORMS={';'.join(PLATFORMS)}",
            "-DBRISTLE_PLAYGROUND=OFF",
            f"-DBRISTLE_DIST={place / 'dist'}",
            f"-DPython3_EXECUTABLE={sys.executable}",
            env=environment,
        )
        printed("cmake", "--build", folder / "build", "--target", fmu.name, env=environment)
        shutil.rmtree(folder)

    packages = [
        f"{name} {metadata.version(name)}"
        for name in ("fmpy", "ziglang", "pycparser", "latex2mathml", "pillow", "cmake")
    ]
    sources = [REPOSITORY / name for name in (*folders, *files)]
    made = (
        kept("another", [*sources, fmu.name, *PLATFORMS, *packages, sys.version], make)
        / "dist"
        / fmu.path.name
    )
    with zipfile.ZipFile(fmu.path) as here, zipfile.ZipFile(made) as there:
        assert there.namelist() == here.namelist()
        assert [name for name in here.namelist() if there.read(name) != here.read(name)] == []
    assert made.read_bytes() == fmu.path.read_bytes()
