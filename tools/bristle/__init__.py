"""Bristle's generator: one description and one C file per model become an FMU."""

VERSION = "0.1.0"


class BristleError(Exception):
    """A mistake of the user, told in one sentence."""
