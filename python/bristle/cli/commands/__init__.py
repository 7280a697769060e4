"""Friction models as FMUs: describe them, run them, fit them to measurements.

One module per command; cli/ describes its form."""
