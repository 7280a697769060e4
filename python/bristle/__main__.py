"""python -m bristle: the same as the command bristle."""

import sys

from .cli import main

sys.exit(main())
