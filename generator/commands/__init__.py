"""Generates, from the descriptions of the models, the files that the build compiles and packs, and
the table in the README."""
