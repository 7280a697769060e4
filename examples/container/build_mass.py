"""Builds Mass.fmu with the generator of this project: one description, one C file, as for every
model here.

The two files are outside modelDescription/ and fmu_src/models/, because the mass is no friction
element of the library; a separate folder combines them with the shared parts.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import fmpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = Path(fmpy.__file__).parent / "c-code"
PLATFORM = {
    "linux": ("linux64", ".so"),
    "win32": ("win64", ".dll"),
    "darwin": ("darwin64", ".dylib"),
}[sys.platform]


def build_mass(folder):
    """Builds the FMU in the folder and returns its path."""
    folder = Path(folder)
    shutil.copytree(
        ROOT / "modelDescription" / "shared",
        folder / "modelDescription" / "shared",
        dirs_exist_ok=True,
    )
    shutil.copytree(ROOT / "fmu_src", folder / "fmu_src", dirs_exist_ok=True)
    description = Path(shutil.copy(HERE / "Mass.toml", folder / "modelDescription"))
    shutil.copy(HERE / "Mass.c", folder / "fmu_src" / "models")
    shutil.copy(ROOT / "LICENSE", folder)

    generated, platform = folder / "generated", PLATFORM[0]
    library = folder / platform / f"Mass{PLATFORM[1]}"
    library.parent.mkdir(exist_ok=True)
    generator("generate", description, "--out", generated, "--fmi-include", HEADERS)
    includes = [f"-I{path}" for path in (generated, folder / "fmu_src", HEADERS)]
    compiler = [sys.executable, "-m", "ziglang", "cc"]
    subprocess.run(
        [*compiler, "-O2", "-fPIC", "-shared", *includes, generated / "fmu.c", "-o", library],
        check=True,
    )
    fmu = folder / "Mass.fmu"
    generator(
        "package",
        description,
        "--generated",
        generated,
        "--fmi-include",
        HEADERS,
        "--out",
        fmu,
        "--libraries",
        library,
    )
    return fmu


def generator(*arguments):
    subprocess.run([sys.executable, ROOT / "generator", *map(str, arguments)], check=True)
