"""python -m bristle, or python tools/bristle: the same as the command bristle."""

import os
import sys

if not __package__:  # then Python looks for modules in this folder, which has an xml.py, and not in the one above
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from bristle.cli import main  # noqa: E402

sys.exit(main())
