"""Using FMUs from Python: where they are, what they say of themselves, and records through them."""
