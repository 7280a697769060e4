"""python <the project>/rig PROGRAM …: the rig, whose library lies beside the program."""

import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# the packages of this checkout, whatever is installed, in place of this folder
sys.path[:1] = [str(ROOT), str(ROOT / "python")]

from rig.command import Watch, main  # noqa: E402

watch = Watch()
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, watch.interrupt)
sys.exit(main(Path(sys.argv[1]), sys.argv[2:], watch))
