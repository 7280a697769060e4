"""Independent references: the papers' laws in plain Python, one file per model, and a tight
integration of any FMU's own equations."""

import importlib
from pathlib import Path

from .integration import TooManyEvents, integrate_me  # noqa: F401

FOLDER = Path(__file__).parent


def references(model):
    """Returns the module reference/<model>.py, or None if a model has none."""
    path = FOLDER / f"{model}.py"
    return importlib.import_module(f"{__name__}.{model}") if path.exists() else None
