"""The functions of a model that the solver and the FMI layer call. Kept apart from the reader of C,
which needs packages that only the build has."""

from __future__ import annotations


# Only the types count, not the names of the arguments.
CONTRACT = {
    "evaluate": (
        "static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes"
        " *m, States *dx, Outputs *y)"
    ),
    "indicators": (
        "static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes"
        " *m, double *g)"
    ),
    "next_modes": (
        "static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m)"
    ),
    "initialize": "static void initialize(const Parameters *p, const Inputs *u, States *x)",
    "check": "static const char *check(const Parameters *p)",
    "check_inputs": "static const char *check_inputs(const Parameters *p, const Inputs *u)",
    "constrain": (
        "static void constrain(const Parameters *p, const Inputs *before, const Inputs *u,"
        " States *x)"
    ),
    "approach": "static double approach(const Parameters *p, const Inputs *u)",
    "move_contact": "static void move_contact(Inputs *u, double displacement, double rate)",
    "resolution": (
        "static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes"
        " *m, States *length)"
    ),
    "advice": (
        "static const char *advice(const Parameters *p, const Inputs *u, const States *x, const"
        " Modes *m)"
    ),
}


def arguments_of(prototype: str) -> list[tuple[str, str]]:
    """Returns type and name of each argument of a function."""
    words = [argument.strip() for argument in prototype.partition("(")[2].rstrip(")").split(",")]
    return [
        (word[: -len(name)].strip(), name)
        for word in words
        for name in [word.replace("*", " ").split()[-1]]
    ]
