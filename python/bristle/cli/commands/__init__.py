"""Friction models as FMUs: look at them, run them, fit them to measurements.

One module per command; how one looks is described in cli/."""
