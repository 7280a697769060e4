"""Suggest first values of a model's parameters from what you know.

Says where each value comes from, what was assumed, and where the choice misbehaves. All quantities
are in SI units.
"""

from __future__ import annotations

import argparse

from ..arguments import add_model, add_out

EXAMPLES = """
  bristle suggest LuGre --mass 0.41 --reference-force 4 --deflection 5e-5
  bristle suggest SimpackStickSlip --mass 2 --rise-time 0.002 --damping-ratio 0.5 --step 1e-4
  bristle suggest StaticRegularized --normal-force 10 --static-friction 0.6 --creep 1e-5 --load 2
  bristle suggest LuGreNormalized --normal-force 50 --break-away-force 20 --sliding-force 12 \\
      --deflection 1e-5 -o first.ssv
  bristle suggest LuGreRotational --inertia 0.0013 --radius 0.02 --normal-force 100 \\
      --break-away-force 25 --deflection 1e-5
"""

QUANTITIES = {
    "normal_force": "normal force [N] (default: weight of the mass)",
    "mass": "mass of the body [kg]",
    "inertia": "moment of inertia of the body [kg.m2], for a rotational twin instead of --mass",
    "radius": (
        "radius at which friction acts [m], for a rotational twin (default: its frictionRadius);"
        " forces and displacements are those at this radius"
    ),
    "static_friction": "coefficient of static friction",
    "dynamic_friction": "coefficient of dynamic friction",
    "break_away_force": "force at which it breaks away [N], in place of --static-friction",
    "sliding_force": "force in sliding [N], in place of --dynamic-friction",
    "stribeck_velocity": "speed over which friction falls to its dynamic value [m/s]",
    "reference_force": "force that causes the deflection [N] (default: static friction)",
    "deflection": "deflection under the reference force [m]",
    "rise_time": "time in which the force follows a step [s], in place of --deflection",
    "damping_ratio": "damping ratio of the mass on the bristle (default: 1; 0.5 with --rise-time)",
    "creep": "acceptable creep under load [m/s], for models that are a curve over the velocity",
    "load": "load that causes this creep [N] (default: half of static friction)",
    "speed": "sliding speed for which the largest steps are also given [m/s]",
    "step": "step of a fixed-step host [s], to check",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    for name, text in QUANTITIES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="VALUE", help=text)
    add_out(parser, "the parameter set to write (.ssv); an existing one is replaced")


def run(arguments: argparse.Namespace) -> None:
    from ... import BristleError
    from ..files import write_text
    from ...suggesting import Known, suggest
    from ...format.parameter_set import ParameterSet, ssv_text

    if arguments.out and arguments.out.suffix != ".ssv":
        raise BristleError(f"{arguments.out}: the name of a parameter set ends in .ssv.")
    made = suggest(
        arguments.model, Known(**{name: getattr(arguments, name) for name in QUANTITIES})
    )
    if arguments.out:  # before anything is printed: the reader may close the pipe early
        own = ParameterSet(
            arguments.out.stem,
            f"First values for {made.model.name}",
            "bristle suggest",
            made.values,
        )
        write_text(arguments.out, ssv_text(own))
    if not made.values:
        print("No parameter follows from what is given.")
    width = max(map(len, made.values), default=0)
    for name, value in made.values.items():
        unit = made.model[name].unit
        print(
            f"{name:{width}}  {value:<10.4g} {'' if unit in (None, '1') else unit:6} "
            f" {made.reasons[name]}"
        )
    for title, lines in (
        ("Assumed", made.assumed),
        ("Largest steps of a fixed-step host", made.limits),
        ("Warnings", made.warnings),
    ):
        if lines:
            print(f"\n{title}:")
            print("\n".join(f"  {line.rstrip('.')}." for line in lines))
    if arguments.out:
        print(f"\n{arguments.out}  {len(made.values)} parameters")
