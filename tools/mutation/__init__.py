"""Checks whether the tests notice when the C of the FMUs, or the Python around them, is changed.

A mutant is the project with one small change in fmu_src/ or python/bristle/. It is killed by a test
that fails, by a crash, or by a test that does not end. One that passes all its tests is alive:
either a test is missing, or the changed code is not needed.

    edits.toml         changes made by hand, each with the test that must fail
    operators.py       changes made by rule, drawn with a seed
    python_operators.py    the same of Python
    plan.toml          which FMUs and which tests are asked about a change in a file
    equivalent.toml    drawn changes that make no difference, each with the reason
"""
