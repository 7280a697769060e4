"""python -m generator, or python <the project>/generator from anywhere."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if not __package__:  # Python would import modules of this folder, which has an xml.py
    del sys.path[0]
# the package beside this one, not an installed one
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from bristle.cli import main  # noqa: E402
from generator import commands  # noqa: E402

sys.exit(main(package=commands, program="generator"))
