"""Converts a table to a record: columns, units, gaps, velocity; each step is a function, and is
reported."""
