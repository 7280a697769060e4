"""python -m bristle: runs the command bristle."""

import sys

from .cli import main

sys.exit(main())
