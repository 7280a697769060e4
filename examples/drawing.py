"""matplotlib for the examples, without a window; if it is missing, one line reports it."""

import sys

try:
    import matplotlib
except ModuleNotFoundError:
    sys.exit("This example draws a picture: python -m pip install matplotlib")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

__all__ = ["plt"]
