"""The three binaries and the sources in an FMU: what they export, what they need, what they keep."""

import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fmi2 import FUNCTIONS, MODEL_EXCHANGE, Library
from points import Sampler

pytestmark = pytest.mark.shipped

NAMES = set(FUNCTIONS)
GCC = ("gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-fvisibility=hidden")


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_there_are_44_functions():
    assert len(NAMES) == 44


def test_linux_exports_the_44_functions_and_nothing_else(fmu):
    lines = run("nm", "--dynamic", "--defined-only", "--extern-only", fmu.binary).splitlines()
    assert {line.split()[-1].split("@")[0] for line in lines} == NAMES


def exports_of_pe(content):
    """Names in the export table of a PE file."""
    offset = struct.unpack_from("<I", content, 0x3C)[0]
    assert content[offset:offset + 4] == b"PE\0\0"
    machine, count = struct.unpack_from("<HH", content, offset + 4)
    assert machine == 0x8664, "not a 64-bit Windows library"
    optional_size = struct.unpack_from("<H", content, offset + 20)[0]
    optional = offset + 24
    sections = []
    for i in range(count):
        name, size, address, raw_size, raw = struct.unpack_from("<8sIIII", content, optional + optional_size + 40 * i)
        flags = struct.unpack_from("<I", content, optional + optional_size + 40 * i + 36)[0]
        sections.append((name.rstrip(b"\0").decode(), size, address, raw_size, raw, flags))

    def place(address):
        for _, size, start, raw_size, raw, _ in sections:
            if start <= address < start + max(size, raw_size):
                return raw + address - start
        raise AssertionError("address outside every section")

    def text(address):
        at = place(address)
        return content[at:content.index(b"\0", at)].decode()

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
    """A number in LEB128, and the place after it."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def names_in_trie(trie, at=0, prefix=""):
    """Names in the export trie of a Mach-O file."""
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
    """Names exported and libraries needed by a Mach-O file for one processor."""
    magic, _, _, file_type, count = struct.unpack_from("<5I", content, 0)
    assert magic == 0xFEEDFACF and file_type in (6, 8), "not a 64-bit macOS library"
    exported, needed, offset = set(), set(), 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", content, offset)
        if command in (0x22, 0x80000022):  # dyld info
            start, length = struct.unpack_from("<2I", content, offset + 40)
            exported |= names_in_trie(content[start:start + length])
        if command == 0x80000033:  # exports trie
            start, length = struct.unpack_from("<2I", content, offset + 8)
            exported |= names_in_trie(content[start:start + length])
        if command in (0xC, 0x80000018, 0x8000001F):
            start = offset + struct.unpack_from("<I", content, offset + 8)[0]
            needed.add(content[start:content.index(b"\0", start)].decode())
        offset += size
    return exported, needed


def slices_of_mach_o(content):
    if struct.unpack_from(">I", content, 0)[0] != 0xCAFEBABE:
        return [content]
    count = struct.unpack_from(">I", content, 4)[0]
    places = [struct.unpack_from(">5I", content, 8 + 20 * i)[2:4] for i in range(count)]
    return [content[at:at + size] for at, size in places]


def test_windows_exports_the_44_functions_and_needs_only_the_system(fmu):
    content = (fmu.folder / "binaries" / "win64" / f"{fmu.description.identifier}.dll").read_bytes()
    exported, imported = exports_of_pe(content)
    assert exported == NAMES
    for library in imported:
        assert library in ("kernel32.dll", "ntdll.dll") or library.startswith("api-ms-win-crt-"), f"{library} is not part of every Windows"


# zig's linker lists these two marks of the file itself in every library for macOS, and no option of it leaves them out. They are
# looked up by their library only (two-level names), so they cannot collide.
LINKERS_OWN = {"___dso_handle", "__mh_dylib_header"}


def test_macos_exports_the_44_functions_and_needs_only_the_system(fmu):
    content = (fmu.folder / "binaries" / "darwin64" / f"{fmu.description.identifier}.dylib").read_bytes()
    for part in slices_of_mach_o(content):
        exported, needed = commands_of_mach_o(part)
        assert exported - LINKERS_OWN == {f"_{name}" for name in NAMES}
        assert needed <= {"/usr/lib/libSystem.B.dylib"}


def test_linux_needs_only_the_c_library_of_2012(fmu):
    listing = run("objdump", "-p", fmu.binary)
    assert set(re.findall(r"NEEDED\s+(\S+)", listing)) <= {"libc.so.6", "libm.so.6"}
    versions = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", listing)}
    assert all(version <= (2, 17) for version in versions), versions


def test_linux_names_no_path_and_no_executable_stack(fmu):
    listing = run("objdump", "-p", fmu.binary)
    assert "RPATH" not in listing and "RUNPATH" not in listing
    stack = re.search(r"STACK.*?flags (\S+)", listing, re.S)
    assert stack is None or "x" not in stack.group(1)


def test_no_writable_globals(fmu, tmp_path):
    """What the sources keep between calls: nothing.

    Looks at the object, because a library also holds the compiler's own start-up code; without -fPIC, because tables of constant
    texts are otherwise relocated when the library is loaded, and then read-only.
    """
    sources = fmu.folder / "sources"
    run(*GCC, "-fno-pic", "-c", "-I", sources, "-o", tmp_path / "fmu.o", sources / "fmu.c")
    kinds = {}
    for line in run("nm", tmp_path / "fmu.o").splitlines():
        kind, name = line.split()[-2:]
        kinds.setdefault(kind, []).append(name)
    for kind in "DdBbCcGgSs":
        assert kind not in kinds, f"writable: {kinds[kind]}"
    sizes = run("size", "-A", tmp_path / "fmu.o")
    for section in re.finditer(r"^(\.t?data|\.t?bss)\s+(\d+)", sizes, re.M):
        assert int(section.group(2)) == 0, section.group(0)


def test_no_function_of_the_process_is_called(fmu):
    """Nothing that allocates, prints, locks, or changes the process: arithmetic, text formatting and memory copies only."""
    lines = run("nm", "--dynamic", "--undefined-only", fmu.binary).splitlines()
    used = {line.split()[-1].split("@")[0] for line in lines}
    harmless = r"""(mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|str|nlen|cpy|ncpy|cat)|v?snprintf|__(v?snprintf|mem\w+)_chk|__cxa_finalize
        |__gmon_start__|_ITM_\w+|__stack_chk_fail|nextafter|frexp|ldexp|scalbn|hypot|cbrt|erf|(a?(sin|cos|tan)h?|atan2
        |exp|expm1|exp2|log|log1p|log2|log10|pow|sqrt|fabs|floor|ceil|fmod|fmin|fmax|copysign|round|trunc|isnan|isinf|isfinite)f?)"""
    assert [name for name in used if not re.fullmatch(harmless, name, re.X)] == []


def test_sources_are_strict_c99(fmu, tmp_path):
    sources = fmu.folder / "sources"
    run(*GCC, "-Wconversion", "-Wshadow", "-c", "-I", sources, "-o", tmp_path / "fmu.o", sources / "fmu.c")


def test_listed_sources_exist_and_are_all_that_is_needed(fmu):
    for kind in ("ModelExchange", "CoSimulation"):
        listed = [e.get("name") for e in fmu.description.root.findall(f"{kind}/SourceFiles/File")]
        assert listed
        for name in listed:
            assert (fmu.folder / "sources" / name).is_file()


def test_the_prefix_macro_is_respected(fmu, tmp_path):
    """For a static library of several FMUs: all global names of the object begin with the prefix."""
    sources, compiled = fmu.folder / "sources", tmp_path / "prefixed.o"
    prefix = f"{fmu.description.identifier}_"
    run(*GCC, "-c", f"-DFMI2_FUNCTION_PREFIX={prefix}", "-I", sources, "-o", compiled, sources / "fmu.c")
    lines = run("nm", "--defined-only", "--extern-only", compiled).splitlines()
    assert {line.split()[-1] for line in lines} == {prefix + name for name in NAMES}


def behaviour(fmu, library):
    """A run of both kinds over random points; all numbers."""
    numbers = []
    sampler = Sampler(fmu.description, "behaviour")
    with fmu.instance(MODEL_EXCHANGE, library=library) as instance:
        for _ in range(3):
            parameters = sampler.start(instance)
            for _ in sampler.walk(instance, parameters, 20):
                numbers.append(instance.derivatives + [instance.get(v.name) for v in fmu.description.outputs])
            instance.demand("fmi2Reset")
    with fmu.co_simulation(library=library) as instance:
        parameters = sampler.start(instance)
        for _ in range(20):
            instance.set(sampler.inputs(parameters))
            instance.step(1e-3)
            numbers.append([instance.get(v.name) for v in fmu.description.states + fmu.description.outputs])
    return numbers


def test_fmpy_compiles_the_sources_to_the_same_behaviour(fmu, tmp_path):
    """As `fmpy compile` does it, in a copy whose binaries are removed."""
    folder = tmp_path / fmu.name
    shutil.copytree(fmu.folder, folder)
    shutil.rmtree(folder / "binaries")
    build = subprocess.run([sys.executable, "-c", "import sys; from fmpy.build import build_platform_binary; build_platform_binary("
                            "sys.argv[1], configuration='Release', generator='Unix Makefiles')", str(folder)], capture_output=True, text=True)
    assert build.returncode == 0, build.stdout + build.stderr
    assert "warning" not in (build.stdout + build.stderr).lower()
    library = next(Path(folder, "binaries").rglob("*.so"))
    for ours, theirs in zip(behaviour(fmu, fmu.library), behaviour(fmu, Library(library)), strict=True):
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-12)


def test_nothing_names_the_machine_that_built_it(fmu):
    with zipfile.ZipFile(fmu.path) as archive:
        for name in archive.namelist():
            found = re.search(rb"/(home|root|tmp|work|Users)/", archive.read(name))
            assert not found, f"{name} holds {found.group()}"
