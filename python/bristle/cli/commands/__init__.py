"""Friction models as FMUs: look at them, run them, fit them to measurements.

One module per command; cli/ describes its form."""
