"""Writes from the descriptions of the models what the build compiles and packs, and the table in
the README."""
