"""Runs FMPy's CVODE on an FMU in model exchange with inputs that move linearly: a usual host that
uses the element's nominal values."""

from fmpy.sundials import CVodeSolver


class Unmoved:
    """A stand-in for FMPy's inputs, which are set with the time."""

    def apply(self, time):
        pass


def integrate_cvode(instance, start, stop, tolerance, rates, nominals=None):
    """Integrates from `start` to `stop` in continuous-time mode, with events; inputs move from
    their current values by `rates` ({name: rate}). The absolute tolerance is the relative one times
    the nominal values of the instance, or times `nominals`. The instance is left at `stop`,
    settled. Returns the number of evaluations of the derivatives.
    """
    d = instance.description
    values = {name: instance.get(name) for name in rates}

    def place(time):
        instance.set_time(time)
        instance.set({name: values[name] + rate * (time - start) for name, rate in rates.items()})

    def nominal_values(target, count):
        instance.demand("fmi2GetNominalsOfContinuousStates", target, count)
        for i, value in enumerate(nominals or []):
            target[i] = value

    evaluations = 0

    def derivatives(target, count):
        nonlocal evaluations
        evaluations += 1
        instance.demand("fmi2GetDerivatives", target, count)

    solver = CVodeSolver(
        nx=len(d.states),
        nz=d.indicators,
        input=Unmoved(),
        startTime=start,
        maxStep=(stop - start) / 10,
        relativeTolerance=tolerance,
        maxNumSteps=100000,
        set_time=place,
        get_nominals=nominal_values,
        get_x=lambda x, n: instance.demand("fmi2GetContinuousStates", x, n),
        set_x=lambda x, n: instance.demand("fmi2SetContinuousStates", x, n),
        get_dx=derivatives,
        get_z=lambda g, n: instance.demand("fmi2GetEventIndicators", g, n),
    )
    time = start
    while stop - time > 1e-12 * (stop - start):
        is_event, _, time = solver.step(time, stop)
        place(time)
        if is_event:
            instance.event()
            solver.reset(time)
    place(stop)
    instance.event()
    return evaluations
