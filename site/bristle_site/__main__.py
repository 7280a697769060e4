"""python <the project>/site/bristle_site"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # Python would import modules of this folder
    del sys.path[0]
# the packages beside this one, not installed ones
sys.path[:0] = [str(ROOT / name) for name in ("site", "python", ".")]

from bristle.cli import main  # noqa: E402
from bristle_site import commands  # noqa: E402

sys.exit(main(package=commands, program="bristle_site"))
