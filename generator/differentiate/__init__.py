"""Differentiates the C of a model.

A model file holds formulas only, in a small subset of C99. From its syntax tree come
- the C text of its slopes: every function `f` that `evaluate` or `initialize` needs is written
  again as `f_slopes`, which returns the same values, bit for bit, and their exact directional
  derivatives (forward mode);
- what each derivative, output and initial state depends on, member by member and element by
  element;
- which states an event may set.

A function `f` whose slope needs thought has a hand-written companion `f_slopes`; that one is then
used.

Each module knows only those above it in this list:

    source                the model file and its includes as one syntax tree
    kinds                 the types of C
    constants             constant expressions and their values
    unit                  the types, constants and functions that the tree declares
    contract              the functions that the solver and the FMI layer call
    walker                traversal of a function; the supported subset of C

    text                  C as text: parentheses, lines
    rules                 the rules of derivatives
    expression_slopes     expressions with their slopes
    call_slopes           calls with their slopes
    function_slopes       one function with its slopes
    slopes                the file of slopes of a model

    tracer                symbolic execution of functions
    dependencies          dependencies of a model's derivatives, outputs and initial states

    resets                the states that an event may set
    mistakes              code that compiles and is wrong

    model                 the results of all these for one model
"""

from .model import ModelCode, Surroundings, read_model
from .source import SubsetError

__all__ = ["ModelCode", "SubsetError", "Surroundings", "read_model"]
