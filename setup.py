"""Puts what the build has made, the FMUs, the playground, the runner and the systems, into the
wheel; everything else is in pyproject.toml."""

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

BUILT = Path(os.environ.get("BRISTLE_DIST", "dist"))


class BuildWithFmus(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:  # which finds them in dist/
            return
        files = [
            *BUILT.glob("*.fmu"),
            *BUILT.glob("fmi3/*.fmu"),
            *BUILT.glob("playground/*"),
            *(file for file in BUILT.glob("runner/*/*") if file.suffix != ".lib"),
        ]  # which Windows' linker leaves
        if not files:
            raise SystemExit(f"There are no FMUs in {BUILT}: run ./build.sh first.")
        data = Path(self.build_lib, "bristle", "data")
        for file in files:
            target = data / file.relative_to(BUILT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


# CMake builds in build/, so setuptools keeps to a folder in it.
Path("build/package").mkdir(parents=True, exist_ok=True)
setup(
    cmdclass={"build_py": BuildWithFmus},
    options={"build": {"build_base": "build/package"}, "egg_info": {"egg_base": "build/package"}},
)
